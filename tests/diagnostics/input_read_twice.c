int inputs[] = {1, 2};
int main() {
    while (1) {
        int a;
        int b;
        scanf("%d", &a);
        scanf("%d", &b);
    }
}
