int x = 0;
void step(int input) { x = input; }
int main() {
    while (1) {
        int input;
        scanf("%d", &input);
        step(input);
    }
}
