int inputs[] = {1, 2};
float share = 0.5;
void step(int input) {}
int main() {
    while (1) {
        int input;
        scanf("%d", &input);
        step(input);
    }
}
