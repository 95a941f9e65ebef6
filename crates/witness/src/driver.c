/* Plays the surroundings of a program for which it is compiled: forks a process for each run, feeds it the inputs,
 * marks where each step begins, and notes how it ended.
 *
 * Reads the number of runs from a file, then for each run its number of inputs and the inputs. Marks in its output are
 * lines that start with byte 1. */

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <sys/wait.h>

/* The shim in front of the program renames its `main`, not this one. */
#undef main

int redoubt_main();
static int *inputs;
static int left;

void redoubt_end(const char *how, long value) {
    printf("\1%s %ld\n", how, value);
    fflush(stdout);
    fflush(stderr);
    _exit(0);
}

/* A division that traps, abort, or an index far outside its table: what was written before must not be lost. */
static void caught(int signal) { redoubt_end("signal", signal); }

int __VERIFIER_nondet_int(void) {
    if (left == 0) redoubt_end("inputs", 0);
    left--;
    printf("\1step\n");
    fprintf(stderr, "\1step\n");
    return *inputs++;
}

int redoubt_scanf(const char *format, int *target) {
    *target = __VERIFIER_nondet_int();
    return 1;
}

void __assert_fail(const char *text, const char *file, unsigned line, const char *function) {
    if (strcmp(function, "reach_error") == 0) redoubt_end("reach_error", 0);
    redoubt_end("assertion", line);
}

/* Programs that define one of these themselves keep their own. */
__attribute__((weak)) void reach_error(void) { redoubt_end("reach_error", 0); }
__attribute__((weak)) void __VERIFIER_error(int number) { redoubt_end("error", number); }
#define ONE(n) __attribute__((weak)) void __VERIFIER_error_##n(void) { redoubt_end("error", n); }
#define TEN(n) ONE(n##0) ONE(n##1) ONE(n##2) ONE(n##3) ONE(n##4) ONE(n##5) ONE(n##6) ONE(n##7) ONE(n##8) ONE(n##9)
ONE(0) ONE(1) ONE(2) ONE(3) ONE(4) ONE(5) ONE(6) ONE(7) ONE(8) ONE(9)
TEN(1) TEN(2) TEN(3) TEN(4) TEN(5) TEN(6) TEN(7) TEN(8) TEN(9)

static int number(FILE *file) {
    int value;
    if (fscanf(file, "%d", &value) != 1) exit(90);
    return value;
}

int main(int count, char **arguments) {
    FILE *file = fopen(arguments[1], "r");
    int status;
    /* One buffer for the whole run: programs that flush after every line would be slow. */
    setvbuf(stderr, NULL, _IOFBF, 1 << 16);
    for (int runs = number(file); runs > 0; runs--) {
        left = number(file);
        inputs = malloc((left + 1) * sizeof(int));
        for (int i = 0; i < left; i++) inputs[i] = number(file);
        printf("\1run\n");
        fprintf(stderr, "\1run\n");
        fflush(stdout);
        fflush(stderr);
        pid_t child = fork();
        if (child == 0) {
            signal(SIGFPE, caught);
            signal(SIGABRT, caught);
            signal(SIGSEGV, caught);
            int code = redoubt_main();
            redoubt_end("exit", code & 255);
        }
        waitpid(child, &status, 0);
        if (WIFSIGNALED(status)) printf("\1killed %d\n", WTERMSIG(status));
        else if (WEXITSTATUS(status) != 0) printf("\1exit %d\n", WEXITSTATUS(status));
        free(inputs);
    }
    return 0;
}
