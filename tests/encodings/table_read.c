// A table is chosen by a pointer, its cell by an index.
extern void __VERIFIER_error(int);

int low[] = {0, 1};
int high[] = {1, 0};
int *row = low;
int at = 0;

void calculate_output(int input) {
    at = row[at];
    row = input == 2 ? high : low;
    if (at == 1) __VERIFIER_error(0);
}

int main() {
    while (1) {
        int input;
        scanf("%d", &input);
        if (input != 1 && input != 2) return -2;
        calculate_output(input);
    }
}
