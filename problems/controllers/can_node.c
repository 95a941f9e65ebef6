/* A node on a CAN bus: frames are taken apart by handlers from a table. A torque request has a rolling counter and a
 * checksum, and is limited before it reaches the inverter.
 *
 * By step: --step tick --reset init --input 'in.*' --output 'out.*' */
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

extern uint8_t __VERIFIER_nondet_uchar(void);
extern bool __VERIFIER_nondet_bool(void);
extern void reach_error(void);

#define TORQUE_LIMIT 2000
#define TIMEOUT 5

typedef struct __attribute__((packed)) {
  uint8_t id;
  uint8_t length;
  uint8_t data[4];
} frame;

typedef struct {
  bool enabled;
  int16_t torque; /* in tenths of a newton metre */
  uint8_t counter;
  uint8_t age; /* ticks since the last good request */
} node_state;

typedef bool (*handler)(node_state *n, const frame *f);

struct inputs {
  bool received;
  frame rx;
};

struct outputs {
  int16_t torque;
  bool inverter_on;
};

struct inputs in;
struct outputs out;
static node_state node;

static uint8_t checksum(const frame *f)
{
  uint8_t sum = f->id;
  for (int i = 0; i < 3; i++)
    sum = (uint8_t) (sum + f->data[i]);
  return (uint8_t) ~sum;
}

static bool on_mode(node_state *n, const frame *f)
{
  if (f->length < 1)
    return false;
  n->enabled = (f->data[0] & 0x01u) != 0;
  if (!n->enabled)
    n->torque = 0;
  return true;
}

/* data: torque (low byte first), counter in the low four bits, checksum */
static bool on_torque(node_state *n, const frame *f)
{
  if (f->length != 4 || f->data[3] != checksum(f))
    return false;
  uint8_t counter = f->data[2] & 0x0fu;
  if (counter == n->counter)
    return false; /* the sender has stopped, its controller repeats the last frame */
  n->counter = counter;
  int16_t request = (int16_t) (f->data[0] | f->data[1] << 8);
  int16_t magnitude = (int16_t) abs(request);
  if (magnitude > TORQUE_LIMIT)
    request = request < 0 ? -TORQUE_LIMIT : TORQUE_LIMIT;
  n->torque = n->enabled ? request : 0;
  n->age = 0;
  return true;
}

static bool on_stop(node_state *n, const frame *f)
{
  (void) f;
  n->enabled = false;
  n->torque = 0;
  return true;
}

static const struct {
  uint8_t id;
  handler handle;
} table[] = {
  { 0x10, on_mode },
  { 0x21, on_torque },
  { 0x7f, on_stop },
};

static handler find(uint8_t id)
{
  for (size_t i = 0; i < sizeof table / sizeof *table; i++)
    if (table[i].id == id)
      return table[i].handle;
  return NULL;
}

void init(void)
{
  node = (node_state) { .counter = 0x0f, .age = TIMEOUT };
  out.torque = 0;
  out.inverter_on = false;
}

void tick(void)
{
  if (node.age < TIMEOUT)
    node.age++;
  if (in.received) {
    handler h = find(in.rx.id);
    if (h != NULL)
      (void) h(&node, &in.rx);
  }
  if (node.age >= TIMEOUT)
    node.torque = 0;
  out.inverter_on = node.enabled;
  out.torque = node.enabled ? node.torque : 0;
}

int main(void)
{
  init();
  while (1) {
    in.received = __VERIFIER_nondet_bool();
    in.rx.id = __VERIFIER_nondet_uchar();
    in.rx.length = __VERIFIER_nondet_uchar();
    for (int i = 0; i < 4; i++)
      in.rx.data[i] = __VERIFIER_nondet_uchar();
    tick();
    if (out.torque > TORQUE_LIMIT || out.torque < -TORQUE_LIMIT)
      reach_error();
    if (!out.inverter_on && out.torque != 0)
      reach_error();
    if (in.received && in.rx.id == 0x7f && out.inverter_on)
      reach_error();
  }
}
