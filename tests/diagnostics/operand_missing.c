int inputs[] = {1, 2};
void step(int input) {
    input = 1 + ;
}
int main() {
    while (1) {
        int input;
        scanf("%d", &input);
        step(input);
    }
}
