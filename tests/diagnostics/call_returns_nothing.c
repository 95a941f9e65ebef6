int inputs[] = {1, 2};
void skip(int x) {}
void step(int input) {
    input = skip(1);
}
int main() {
    while (1) {
        int input;
        scanf("%d", &input);
        step(input);
    }
}
