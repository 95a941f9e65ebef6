int inputs[] = {1, 2};
void step(int input) {
    count = 1;
    input = total;
}
int main() {
    while (1) {
        int input;
        scanf("%d", &input);
        step(input);
    }
}
