int inputs[] = {1, 2};
int *find(int x) { return x; }
void step(int input) {}
int main() {
    while (1) {
        int input;
        scanf("%d", &input);
        step(input);
    }
}
