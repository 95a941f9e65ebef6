// The last write on a path wins, and what is read in between is the first.
extern void __VERIFIER_error(int);

int x = 0;
int seen = 0;

void calculate_output(int input) {
    x = 1;
    seen = x;
    if (input == 2) x = 0;
    if (seen == x) __VERIFIER_error(0);
}

int main() {
    while (1) {
        int input;
        scanf("%d", &input);
        if (input != 1 && input != 2) return -2;
        calculate_output(input);
    }
}
