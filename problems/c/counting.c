// Two counters that go together, too far to be unrolled.
extern void reach_error(void);
int main(void) {
  int x = 0, y = 50;
  while (x < 1000000) {
    if (x >= 50) y = y + 1;
    x = x + 1;
  }
  if (y != 1000000) reach_error();
  return 0;
}
