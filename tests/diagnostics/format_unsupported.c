int inputs[] = {1, 2};
void step(int input) {
    printf("%5.2f\n", input);
}
int main() {
    while (1) {
        int input;
        scanf("%d", &input);
        step(input);
    }
}
