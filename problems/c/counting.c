// Two counters that go together, too far to be unrolled.
extern void reach_error(void);
int main(void) {
  int x = 0, y = 0;
  while (x < 1000000) {
    x = x + 1;
    y = y + 2;
  }
  if (y != 2000000) reach_error();
  return 0;
}
