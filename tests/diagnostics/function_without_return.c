int inputs[] = {1, 2};
int sign(int x) {
    if (x > 0) return 1;
}
int main() {
    while (1) {
        int input;
        scanf("%d", &input);
        if (sign(input) == 1) printf("yes");
    }
}
