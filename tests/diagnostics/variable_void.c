int inputs[] = {1, 2};
void x;
void step(int input) {}
int main() {
    while (1) {
        int input;
        scanf("%d", &input);
        step(input);
    }
}
