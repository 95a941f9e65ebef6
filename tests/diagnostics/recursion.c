int inputs[] = {1, 2};
int even(int x) { if (x == 0) return 1; return odd(x - 1); }
int odd(int x) { if (x == 0) return 0; return even(x - 1); }
void step(int input) { even(input); }
int main() {
    while (1) {
        int input;
        scanf("%d", &input);
        step(input);
    }
}
