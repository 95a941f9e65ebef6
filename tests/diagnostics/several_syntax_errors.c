int inputs[] = {1, 2};
void step(int input) {
    input = 1 + ;
    input = 2;
    goto end;
    input = (3;
}
int x = = 4;
int main() {
    while (1) {
        int input;
        scanf("%d", &input);
        step(input);
    }
}
