// The cells of a written table are state variables.
extern void __VERIFIER_error(int);

int cell[] = {0, 1};
int at = 0;

void calculate_output(int input) {
    cell[at] = input == 2;
    at = cell[1 - at];
    if (cell[0] == cell[1]) __VERIFIER_error(0);
}

int main() {
    while (1) {
        int input;
        scanf("%d", &input);
        if (input != 1 && input != 2) return -2;
        calculate_output(input);
    }
}
