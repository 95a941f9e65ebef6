int inputs[] = {1, 2};
void step(int input) {
    int x;
    if (input == 1) x = 2;
    if (x == 2) input = 3;
}
int main() {
    while (1) {
        int input;
        scanf("%d", &input);
        step(input);
    }
}
