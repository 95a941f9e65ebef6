// Only even numbers, whatever the bound.
extern void reach_error(void);
static unsigned more(unsigned z) { return z + 2; }
int main(void) {
  unsigned x = 0;
  while (x < 0x0fffffff) x = more(x);
  if (x % 2) reach_error();
  return 0;
}
