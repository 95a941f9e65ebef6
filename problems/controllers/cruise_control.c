/* Cruise control. The set speed is held by a PI controller; the wheels of both axles are watched, and the throttle is
 * reduced when the driven ones begin to slip.
 *
 * By step: --step tick --reset init --input 'in.*' --output 'out.*' */
#include <stdbool.h>
#include <stdint.h>

extern uint8_t __VERIFIER_nondet_uchar(void);
extern bool __VERIFIER_nondet_bool(void);
extern void reach_error(void);

typedef enum { OFF, STANDBY, HOLDING } cruise_mode;

struct inputs {
  bool power, set, cancel, brake;
  uint8_t driven_pulses, free_pulses; /* pulses of the wheel sensors in the last 20 ms */
};

struct outputs {
  float throttle; /* 0: closed, 1: wide open */
  bool lamp;
};

typedef struct {
  float kp, ki, out_min, out_max;
  float integral;
} pi_controller;

struct inputs in;
struct outputs out;

static struct {
  cruise_mode mode;
  float set_speed;
  float slip; /* filtered: 0 is no slip, 1 is spinning */
  pi_controller pi;
} cruise;

#define KMH_PER_PULSE 1.25f
#define MIN_SPEED 30.0f
#define SLIP_FILTER 0.25f

static float clamp(float x, float low, float high)
{
  if (x < low)
    return low;
  if (x > high)
    return high;
  return x;
}

static float pi_step(pi_controller *c, float error)
{
  float sum = c->kp * error + c->integral;
  /* Integrate only while the output is not at a limit: no windup. */
  if (sum > c->out_min && sum < c->out_max)
    c->integral = clamp(c->integral + c->ki * error, c->out_min, c->out_max);
  return clamp(sum, c->out_min, c->out_max);
}

/* How much faster the driven wheels turn than the others. */
static float wheel_slip(float driven, float free_running)
{
  float ratio = (driven - free_running) / driven;
  return clamp(ratio, 0.0f, 1.0f);
}

void init(void)
{
  const pi_controller start = { .kp = 0.0625f, .ki = 0.015625f, .out_max = 1.0f };
  cruise.mode = OFF;
  cruise.set_speed = 0.0f;
  cruise.slip = 0.0f;
  cruise.pi = start;
  out.throttle = 0.0f;
  out.lamp = false;
}

void tick(void)
{
  float driven = (float) in.driven_pulses * KMH_PER_PULSE;
  float speed = (float) in.free_pulses * KMH_PER_PULSE;

  cruise.slip += SLIP_FILTER * (wheel_slip(driven, speed) - cruise.slip);

  if (!in.power)
    cruise.mode = OFF;
  else if (cruise.mode == OFF)
    cruise.mode = STANDBY;
  else if (in.brake || in.cancel || speed < MIN_SPEED)
    cruise.mode = STANDBY;
  else if (in.set) {
    cruise.mode = HOLDING;
    cruise.set_speed = speed;
  }

  if (cruise.mode == HOLDING)
    out.throttle = pi_step(&cruise.pi, cruise.set_speed - speed) * (1.0f - cruise.slip);
  else {
    cruise.pi.integral = 0.0f;
    out.throttle = 0.0f;
  }
  out.lamp = cruise.mode == HOLDING;
}

int main(void)
{
  init();
  for (;;) {
    in.power = __VERIFIER_nondet_bool();
    in.set = __VERIFIER_nondet_bool();
    in.cancel = __VERIFIER_nondet_bool();
    in.brake = __VERIFIER_nondet_bool();
    in.driven_pulses = __VERIFIER_nondet_uchar();
    in.free_pulses = __VERIFIER_nondet_uchar();
    tick();
    if (in.brake && out.throttle > 0.0f)
      reach_error();
    if (!(out.throttle >= 0.0f && out.throttle <= 1.0f))
      reach_error();
    if (out.lamp && cruise.set_speed < MIN_SPEED)
      reach_error();
  }
}
