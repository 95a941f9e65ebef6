int inputs[] = {1, 2};
int x = 0;
int main() {
    while (1) x = x + 1;
}
