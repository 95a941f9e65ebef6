/* Functions of <string.h> and their like, for programs that call them without defining them. */
void *memcpy(void *to, const void *from, unsigned long n)
{
  char *t = to;
  const char *f = from;
  for (unsigned long i = 0; i < n; i++)
    t[i] = f[i];
  return to;
}

void *memmove(void *to, const void *from, unsigned long n)
{
  char *t = to;
  const char *f = from;
  if (t == f)
    return to;
  if (t < f)
    for (unsigned long i = 0; i < n; i++)
      t[i] = f[i];
  else
    for (unsigned long i = n; i > 0; i--)
      t[i - 1] = f[i - 1];
  return to;
}

void *memset(void *to, int c, unsigned long n)
{
  unsigned char *t = to;
  for (unsigned long i = 0; i < n; i++)
    t[i] = (unsigned char) c;
  return to;
}

int memcmp(const void *a, const void *b, unsigned long n)
{
  const unsigned char *x = a, *y = b;
  for (unsigned long i = 0; i < n; i++)
    if (x[i] != y[i])
      return x[i] < y[i] ? -1 : 1;
  return 0;
}

unsigned long strlen(const char *s)
{
  unsigned long n = 0;
  while (s[n])
    n++;
  return n;
}

int strcmp(const char *a, const char *b)
{
  unsigned long i = 0;
  while (a[i] && a[i] == b[i])
    i++;
  return a[i] == b[i] ? 0 : (unsigned char) a[i] < (unsigned char) b[i] ? -1 : 1;
}

int strncmp(const char *a, const char *b, unsigned long n)
{
  for (unsigned long i = 0; i < n; i++) {
    if (a[i] != b[i])
      return (unsigned char) a[i] < (unsigned char) b[i] ? -1 : 1;
    if (!a[i])
      return 0;
  }
  return 0;
}

char *strcpy(char *to, const char *from)
{
  unsigned long i = 0;
  while ((to[i] = from[i]) != 0)
    i++;
  return to;
}

char *strncpy(char *to, const char *from, unsigned long n)
{
  unsigned long i = 0;
  for (; i < n && from[i]; i++)
    to[i] = from[i];
  for (; i < n; i++)
    to[i] = 0;
  return to;
}

char *strcat(char *to, const char *from)
{
  unsigned long n = 0, i = 0;
  while (to[n])
    n++;
  while ((to[n + i] = from[i]) != 0)
    i++;
  return to;
}

char *strchr(const char *s, int c)
{
  for (;; s++) {
    if (*s == (char) c)
      return (char *) s;
    if (!*s)
      return 0;
  }
}
