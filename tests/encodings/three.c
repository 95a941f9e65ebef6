// Three variables: `a` is written on every path, `b` and `c` on some.
extern void __VERIFIER_error(int);

int a = 0;
int b = 0;
int c = 0;

void calculate_output(int input) {
    if (input == 2) {
        b = a;
        a = 0;
    } else {
        a = 1;
    }
    if (b == 1) c = 1;
    if (c == 1 && a == 1) __VERIFIER_error(0);
}

int main() {
    while (1) {
        int input;
        scanf("%d", &input);
        if (input != 1 && input != 2) return -2;
        calculate_output(input);
    }
}
