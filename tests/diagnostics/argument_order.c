int inputs[] = {1, 2};
int x = 0;
int next() { x = x + 1; return x; }
int sum(int a, int b) { return a + b; }
void step(int input) {
    input = sum(next(), x);
}
int main() {
    while (1) {
        int input;
        scanf("%d", &input);
        step(input);
    }
}
