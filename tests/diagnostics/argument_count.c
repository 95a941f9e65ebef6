int inputs[] = {1, 2};
int same(int x) { return x; }
void step(int input) {
    input = same(1, 2);
}
int main() {
    while (1) {
        int input;
        scanf("%d", &input);
        step(input);
    }
}
