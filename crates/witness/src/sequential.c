/* Plays the surroundings of a sequential program: answers its questions with the values of a file, those of each
 * place in their order, and says how the run ended and how many values were left. */

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

/* The program's `main` is renamed when it is compiled. */
int redoubt_main();
/* The values, the place that each of them is for, or 0, and whether it was used; those before `first` were. */
static long long *values;
static int *places;
static char *used;
static int count, first, left;
/* Where the call stands that is made next. */
static int place;

void *redoubt_at(int number, void *function) {
    place = number;
    return function;
}

static void end(const char *how) {
    printf("\n\1%s %d\n", how, left);
    fflush(stdout);
    _exit(0);
}

static long long next(void) {
    int from = place;
    place = 0;
    while (first < count && used[first]) first++;
    for (int i = first; i < count; i++) {
        if (used[i] || places[i] != from) continue;
        used[i] = 1;
        left--;
        return values[i];
    }
    end("asked");
}

#define ASK(name, type) type __VERIFIER_nondet_##name(void) { return (type)next(); }
ASK(int, int) ASK(uint, unsigned) ASK(unsigned, unsigned) ASK(unsigned_int, unsigned) ASK(long, long)
ASK(ulong, unsigned long) ASK(size_t, unsigned long) ASK(u32, unsigned) ASK(char, char) ASK(uchar, unsigned char)
ASK(unsigned_char, unsigned char) ASK(u8, unsigned char) ASK(short, short) ASK(ushort, unsigned short)
ASK(u16, unsigned short) ASK(bool, _Bool) ASK(_Bool, _Bool) ASK(longlong, long long)
ASK(ulonglong, unsigned long long) ASK(s64, long long) ASK(u64, unsigned long long)
void *__VERIFIER_nondet_pointer(void) { return (void *)(unsigned long)next(); }
char *__VERIFIER_nondet_pchar(void) { return (char *)(unsigned long)next(); }

/* Programs that define one of these themselves keep their own. */
#define OURS __attribute__((weak))
OURS void reach_error(void) { end("error"); }
OURS void __VERIFIER_error(void) { end("error"); }
OURS void __VERIFIER_assert(int condition) { if (!condition) end("error"); }
OURS void __VERIFIER_assume(int condition) { if (!condition) end("assumed"); }
OURS void assume_abort_if_not(int condition) { if (!condition) end("assumed"); }
OURS void __assert_fail(const char *text, const char *file, unsigned line, const char *function) { end("assertion"); }

static void trapped(int signal) { end("trap"); }
static void failed(int signal) { end("signal"); }

int main(int number, char **arguments) {
    FILE *file = fopen(arguments[1], "r");
    if (!file || fscanf(file, "%d", &count) != 1) return 90;
    left = count;
    values = malloc((count + 1) * sizeof(long long));
    places = malloc((count + 1) * sizeof(int));
    used = calloc(count + 1, 1);
    for (int i = 0; i < count; i++) if (fscanf(file, "%d %lld", &places[i], &values[i]) != 2) return 90;
    signal(SIGFPE, trapped);
    signal(SIGABRT, failed);
    signal(SIGSEGV, failed);
    redoubt_main();
    end("exit");
}
