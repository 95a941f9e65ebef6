int inputs[] = {1, 2};
int main() {
    int input = 1;
}
