// One variable is assigned in every step, another never.
extern void __VERIFIER_error(int);

int level = 1;
int idle = 2;

void calculate_output(int input) {
    if (level == idle) __VERIFIER_error(0);
    level = input;
}

int main() {
    while (1) {
        int input;
        scanf("%d", &input);
        if (input != 1 && input != 2) return -2;
        calculate_output(input);
    }
}
