int inputs[] = {1, 2};
int first(int *t) { return 1; }
void step(int input) {}
int main() {
    while (1) {
        int input;
        scanf("%d", &input);
        step(input);
    }
}
