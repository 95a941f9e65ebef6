int inputs[] = {1, 2};
void step(int input) {
    3 = input;
}
int main() {
    while (1) {
        int input;
        scanf("%d", &input);
        step(input);
    }
}
