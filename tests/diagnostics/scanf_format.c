int inputs[] = {1, 2};
int main() {
    while (1) {
        int input;
        scanf("%x", &input);
    }
}
