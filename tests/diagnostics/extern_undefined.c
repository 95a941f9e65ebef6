int inputs[] = {1, 2};
extern int x;
void step(int input) { x = 1; }
int main() {
    while (1) {
        int input;
        scanf("%d", &input);
        step(input);
    }
}
