// A variable that one of two paths writes keeps its value on the other.
extern void __VERIFIER_error(int);

int locked = 0;

void calculate_output(int input) {
    if (input == 2) locked = 1;
    if (locked == 1 && input == 1) __VERIFIER_error(0);
}

int main() {
    while (1) {
        int input;
        scanf("%d", &input);
        if (input != 1 && input != 2) return -2;
        calculate_output(input);
    }
}
