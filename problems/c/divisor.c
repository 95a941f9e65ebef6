// The divisor may become zero, which is no error of the program's own.
extern unsigned char __VERIFIER_nondet_uchar(void);
extern void reach_error(void);
int main(void) {
  unsigned char step = __VERIFIER_nondet_uchar();
  int left = 100;
  while (left > 0) {
    switch (step & 3) {
    case 0: left -= 100 / step; break;
    case 1: left--; break;
    default: left -= step;
    }
    if (left > 100) reach_error();
  }
  return 0;
}
