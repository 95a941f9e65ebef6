int inputs[] = {1, 2};
void step(int input) {
    fprintf(log, "%d\n", input);
}
int main() {
    while (1) {
        int input;
        scanf("%d", &input);
        step(input);
    }
}
