int inputs[] = {1, 2};
int main() {
    while (0) {
        int input;
        scanf("%d", &input);
    }
}
