/* A sliding door in the style of generated code: every node of the data flow has a context of its own and a reset and
 * a step function; delays are fields, "first" selects their initial value.
 *
 * By step: --step tick --reset init --input 'in.*' --output 'out.*' */
typedef unsigned char uint8;
typedef _Bool boolean;

extern unsigned char __VERIFIER_nondet_uchar(void);
extern _Bool __VERIFIER_nondet_bool(void);
extern void reach_error(void);

/* ---- node rising_edge(x) = (false -> not pre x) and x ---- */
typedef struct { boolean rem_x; boolean init; } rising_edge_ctx;

static void rising_edge_reset(rising_edge_ctx *c) { c->init = 1; }

static boolean rising_edge_step(boolean x, rising_edge_ctx *c)
{
  boolean L1, L2;
  if (c->init) {
    L1 = 0;
  } else {
    L1 = !c->rem_x;
  }
  L2 = L1 && x;
  c->rem_x = x;
  c->init = 0;
  return L2;
}

/* ---- node timer(run, limit) = (done): true after limit cycles of run ---- */
typedef struct { uint8 rem_count; boolean init; boolean done; } timer_ctx;

static void timer_reset(timer_ctx *c) { c->init = 1; c->done = 0; }

static void timer_step(boolean run, uint8 limit, timer_ctx *c)
{
  uint8 L1 = c->init ? 0 : c->rem_count;
  if (!run) {
    L1 = 0;
    goto end;
  }
  if (L1 < limit)
    L1 = (uint8) (L1 + 1);
end:
  c->done = run && L1 >= limit;
  c->rem_count = L1;
  c->init = 0;
}

/* ---- the door ---- */
typedef enum { SSM_CLOSED, SSM_OPENING, SSM_OPEN, SSM_CLOSING, SSM_BLOCKED } door_state;

typedef struct { boolean radar, button, limit_open, limit_closed, overcurrent; } door_inputs;
typedef struct { boolean motor_open, motor_close, gong; uint8 state; } door_outputs;

typedef struct {
  door_state sel;
  boolean init;
  timer_ctx hold, retry;
  rising_edge_ctx pressed;
} door_ctx;

door_inputs in;
door_outputs out;
static door_ctx door;

static void door_reset(door_ctx *c)
{
  c->init = 1;
  timer_reset(&c->hold);
  timer_reset(&c->retry);
  rising_edge_reset(&c->pressed);
}

static void door_step(const door_inputs *i, door_outputs *o, door_ctx *c)
{
  door_state act, nxt;
  boolean press = rising_edge_step(i->button, &c->pressed);
  boolean wanted = i->radar || press;

  act = c->init ? SSM_CLOSED : c->sel;
  nxt = act;
  timer_step(act == SSM_OPEN && !i->radar, 4, &c->hold);
  timer_step(act == SSM_BLOCKED, 2, &c->retry);

  switch (act) {
  case SSM_CLOSED:
    if (wanted) nxt = SSM_OPENING;
    break;
  case SSM_OPENING:
    if (i->overcurrent) nxt = SSM_BLOCKED;
    else if (i->limit_open) nxt = SSM_OPEN;
    break;
  case SSM_OPEN:
    if (c->hold.done) nxt = SSM_CLOSING;
    break;
  case SSM_CLOSING:
    if (wanted || i->overcurrent) nxt = SSM_OPENING;   /* strong: somebody is in the way */
    else if (i->limit_closed) nxt = SSM_CLOSED;
    break;
  case SSM_BLOCKED:
    if (c->retry.done) nxt = SSM_CLOSING;
    break;
  default:
    nxt = SSM_CLOSED;
    break;
  }

  o->motor_open = nxt == SSM_OPENING && !i->limit_open;
  o->motor_close = nxt == SSM_CLOSING && !i->limit_closed;
  o->gong = nxt == SSM_CLOSING && act != SSM_CLOSING;
  o->state = (uint8) nxt;
  c->sel = nxt;
  c->init = 0;
}

void init(void)
{
  door_reset(&door);
}

void tick(void)
{
  door_step(&in, &out, &door);
}

int main(void)
{
  uint8 alone = 0; /* a monitor: cycles in a row in which the door was open and nobody there */
  init();
  while (1) {
    in.radar = __VERIFIER_nondet_bool();
    in.button = __VERIFIER_nondet_bool();
    in.limit_open = __VERIFIER_nondet_bool();
    in.limit_closed = __VERIFIER_nondet_bool();
    in.overcurrent = __VERIFIER_nondet_bool();
    tick();
    if (out.motor_open && out.motor_close)
      reach_error();
    if (out.motor_close && in.radar && out.state != SSM_CLOSING)
      reach_error();
    if (out.gong && out.motor_open)
      reach_error();
    alone = out.state == SSM_OPEN && !in.radar ? (uint8) (alone + 1) : 0;
    if (alone > 5)
      reach_error();
  }
}
