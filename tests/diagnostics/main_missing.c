int inputs[] = {1, 2};
void step(int input) {}
