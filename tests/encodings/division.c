// A division that fails is a property of its own and ends the run.
extern void __VERIFIER_error(int);

int share = 3;
int parts = 1;

void calculate_output(int input) {
    share = 3 / parts;
    parts = parts == 2 ? 0 : input;
    if (share == 2) __VERIFIER_error(0);
}

int main() {
    while (1) {
        int input;
        scanf("%d", &input);
        if (input != 1 && input != 2) return -2;
        calculate_output(input);
    }
}
