int inputs[] = {1, 2};
#define LIMIT 3
void step(int input) {}
int main() {
    while (1) {
        int input;
        scanf("%d", &input);
        step(input);
    }
}
