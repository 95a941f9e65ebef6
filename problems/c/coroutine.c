// A task that goes on where it stopped, by a jump into its loop: the loop has two entries.
extern int __VERIFIER_nondet_int(void);
extern void reach_error(void);
int pc, g, n;
void task(void) {
  if (pc == 1) goto WAIT;
  while (1) {
    g = __VERIFIER_nondet_int();
    n = g;
    pc = 1;
    return;
  WAIT:
    if (n != g + 1) reach_error();
  }
}
int main(void) {
  while (1) {
    task();
    n += 1;
  }
}
