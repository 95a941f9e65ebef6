// A small array, sorted by exchanging neighbours.
extern int __VERIFIER_nondet_int(void);
extern void reach_error(void);
int a[3];
int main(void) {
  for (int i = 0; i < 3; i++) {
    int value = __VERIFIER_nondet_int();
    if (value < 0 || value > 3) return 0;
    a[i] = value;
  }
  int changed;
  do {
    changed = 0;
    for (int i = 0; i + 1 < 3; i++)
      if (a[i] > a[i + 1]) {
        int old = a[i];
        a[i] = a[i + 1];
        a[i + 1] = old;
        changed = 1;
      }
  } while (changed);
  if (a[0] > a[1] || a[1] > a[2]) reach_error();
  return 0;
}
