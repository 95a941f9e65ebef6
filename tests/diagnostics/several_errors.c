int inputs[] = {1, 2};
float share = 0.5;
int x = y;
void step(int input) {
    input = total;
    if (input) skip(1);
    x = 1 << input;
}
int main() {
    while (1) {
        int input;
        scanf("%d", &input);
        step(input);
    }
}
