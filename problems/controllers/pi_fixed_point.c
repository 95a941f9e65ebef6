/* A PI controller of the speed of a small motor in fixed point, for a processor without floating point.
 * Gains have eight fractional bits, the integral has sixteen.
 *
 * By step: --step tick --reset init --input 'in.*' --output 'out.*' */
#include <stdbool.h>
#include <stdint.h>

extern int16_t __VERIFIER_nondet_short(void);
extern bool __VERIFIER_nondet_bool(void);
extern void reach_error(void);

#define DUTY_MAX 1000 /* tenths of a per cent */
#define SPEED_MAX 4000 /* revolutions per minute */
#define Q8(x) ((int16_t) ((x) * 256))

typedef struct {
  int16_t kp, ki; /* Q8 */
  int32_t integral; /* Q16 */
  int16_t last_duty;
} pi_t;

struct inputs {
  int16_t setpoint, actual;
  bool enable;
};

struct outputs {
  int16_t duty;
  bool saturated;
};

struct inputs in;
struct outputs out;
static pi_t pi;

static int32_t limit(int32_t x, int32_t low, int32_t high)
{
  return x < low ? low : x > high ? high : x;
}

/* A setpoint from outside is kept within what the motor can do. */
static int16_t sane(int16_t speed)
{
  return (int16_t) limit(speed, 0, SPEED_MAX);
}

static int16_t pi_step(pi_t *c, int16_t error)
{
  int32_t p = ((int32_t) c->kp * error) >> 8;
  int32_t i = c->integral + (int32_t) c->ki * error * 256;
  int16_t u = (int16_t) (p + (i >> 16));

  out.saturated = u < 0 || u > DUTY_MAX;
  if (!out.saturated)
    c->integral = limit(i, 0, DUTY_MAX * 65536);
  return (int16_t) limit(u, 0, DUTY_MAX);
}

void init(void)
{
  pi = (pi_t) { .kp = Q8(12), .ki = Q8(0.25) };
  out.duty = 0;
  out.saturated = false;
}

void tick(void)
{
  if (!in.enable) {
    pi.integral = 0;
    out.duty = 0;
    out.saturated = false;
  } else
    out.duty = pi_step(&pi, (int16_t) (sane(in.setpoint) - sane(in.actual)));
  pi.last_duty = out.duty;
}

int main(void)
{
  init();
  for (;;) {
    in.setpoint = __VERIFIER_nondet_short();
    in.actual = __VERIFIER_nondet_short();
    in.enable = __VERIFIER_nondet_bool();
    tick();
    if (out.duty < 0 || out.duty > DUTY_MAX)
      reach_error();
    if (!in.enable && out.duty != 0)
      reach_error();
    /* Far too slow: full power. */
    if (in.enable && in.setpoint >= 3000 && in.actual >= 0 && in.actual <= 100 && out.duty != DUTY_MAX)
      reach_error();
  }
}
