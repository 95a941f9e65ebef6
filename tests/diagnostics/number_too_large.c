int inputs[] = {1, 2};
void step(int input) {
    input = 2147483648;
}
int main() {
    while (1) {
        int input;
        scanf("%d", &input);
        step(input);
    }
}
