// Small types are computed in int: the complement of a byte has more than eight bits.
extern void reach_error(void);
int main(void) {
  unsigned char port = 0xa5;
  unsigned char all = (~port) >> 4;
  unsigned char low = (unsigned char)(~port) >> 4;
  if (all != 0xf5 || low != 0x05) reach_error();
  return 0;
}
