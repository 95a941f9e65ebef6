// A comparison with an unsigned number is unsigned: -1 is large.
extern int __VERIFIER_nondet_int(void);
extern void reach_error(void);
int main(void) {
  int below = __VERIFIER_nondet_int();
  unsigned limit = 10;
  if (below < 0 && below < limit) reach_error();
  if (below == -1 && below > limit) {
    short s = below;
    unsigned wide = s;
    if (wide == 4294967295) reach_error();
  }
  return 0;
}
