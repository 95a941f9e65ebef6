// What follows a return is executed only on the paths that have not left.
extern void __VERIFIER_error(int);

int mode = 0;

void calculate_output(int input) {
    if (mode == 1) {
        if (input == 1) __VERIFIER_error(0);
        return;
    }
    mode = input == 2;
}

int main() {
    while (1) {
        int input;
        scanf("%d", &input);
        if (input != 1 && input != 2) return -2;
        calculate_output(input);
    }
}
