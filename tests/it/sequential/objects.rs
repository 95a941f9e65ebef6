//! Structures, unions, pointers, numbers with fractions, allocated memory and recursion against gcc: one program per trap, and random
//! ones.

use redoubt_base::Random;

use super::super::common::gcc;
use super::super::common::seeds::seeds;
use super::gcc::compute_what_gcc_says;

/// What each of these comes to is easily got wrong. What has no value would be asked for here, and not of gcc: so all has one.
const TRAPS: &[&str] = &[
    // Layout.
    "struct @s { char c; double d; short h; }; struct @t { char a; long long b; char c[3]; }; struct __attribute__((packed)) @k { char a; int b; short c; };
     union @u { char c[5]; int i; }; enum @e { @A, @B };
     int @main(void) { unsigned @sum = sizeof(struct @s) + sizeof(struct @k) * 3 + 100 * sizeof(struct @t) + 10000 * sizeof(union @u)
       + 1000000 * (unsigned)((char *) &((struct @s *) 0)->h - (char *) 0) + sizeof(enum @e) + sizeof(\"abc\")
       + 7 * __builtin_offsetof(struct @t, c[1]); END(@sum) return 0; }\n",
    // Bit-fields.
    "struct @b { unsigned a : 12, b : 1; unsigned char c; int d : 4; unsigned : 0; unsigned e : 31; unsigned f : 3; short g : 9; unsigned char h : 1; };
     int @main(void) { struct @b x = { 0 }; unsigned @sum = sizeof x; x.a = __VERIFIER_nondet_int(); x.b = 3; x.d = x.a; x.e = x.a * 77777;
       x.f = 1; x.g = x.a; x.h = x.a; int v = (x.f = 13); unsigned char w = (x.h = 2);
       @sum += x.a * 3 + x.b * 5 + x.d * 7 + x.e * 11 + v * 13 + (x.f - 2 < 0) * 17 + (x.e - 5 < 0) * 1000 + x.g + w + x.h * 99; x.f++; x.d--; x.g += 300;
       @sum = @sum * 31 + x.f * 3 + x.d + x.g; END(@sum) return 0; }\n",
    // Bit-fields that share their unit with other members, and the types that they are promoted to.
    "struct @q { unsigned char a; unsigned b : 4; }; static struct { unsigned b : 12; } @a[3], *@p = @a;
     int @main(void) { struct @q s = { 1, 2 }, t = { .b = 3 }, u = (struct @q) { 4, 5 }; @a[2].b = __VERIFIER_nondet_uchar(); int c = __VERIFIER_nondet_uchar() & 1;
       long long w = 1 ? @a[0].b - 1 : 0; unsigned @sum = s.a + s.b * 3 + t.a * 5 + t.b * 7 + u.a * 11 + u.b * 13 + (w == -1) * 17 + ((c ? @p->b : 0) - 3 < 0) * 19;
       @sum += ((1 ? -1 : @a[0].b) < 0) * 23 + @a[2].b; END(@sum) return 0; }\n",
    // Enumerations.
    "enum @p { @P1 = 3, @P2 }; enum @n { @N1 = -1, @N2 };
     int @main(void) { unsigned @sum = ((enum @p) -1 > 0) + 2 * ((enum @n) -1 > 0); enum @p x = __VERIFIER_nondet_char(); @sum += x + (x < 0) * 5 + @P2; END(@sum) return 0; }\n",
    // Initial values.
    "struct @in { int a, b; }; struct @s { int x; struct @in i[3]; char t[4]; };
     struct @s @g = { .i[1] = { 5 }, .x = 1, .t = \"abc\" }, @h = { 1, 2, 3, { 4 }, 5, 6, \"no\" }; int @v[] = { [2] = 7, 8, [0] = 1 }, @w[2][3] = { 1, 2, 3, 4 };
     char @text[] = \"hello\", @cut[3] = \"abc\"; struct @in *@ptr = &@h.i[2], *@arr[] = { &@g.i[1], &@h.i[0] }; int *@deep = &@g.i[1].a;
     int @main(void) { int k = __VERIFIER_nondet_uchar(); struct @s l = { k, .i = { [2].b = k + 1, [0] = { 3, 4 } }, }; struct @in c[2] = { @h.i[0], { k } };
       int z[4] = { 1, [3] = 9 }; unsigned @sum = @g.i[1].a + @g.x * 3 + @g.t[2] + @h.i[0].a * 5 + @h.i[1].a * 7 + @h.i[2].b * 11 + @h.t[0] + sizeof @v + @v[3] * 13 + @w[1][0] * 17 + @w[1][2]
         + sizeof @text + @cut[2] + @ptr->a * 19 + @arr[1]->b * 23 + *@deep * 29 + @arr[0]->b;
       @sum = @sum * 31 + l.x + l.i[2].b * 3 + l.i[0].b * 5 + l.i[1].a + c[0].b * 7 + c[1].a * 9 + c[1].b + z[0] + z[1] + z[3]; END(@sum) return 0; }\n",
    // Static locals, and texts.
    "int @count(int by) { static int n = 5; static struct { int a[2]; } s = { { 1 } }; n += by; s.a[n & 1] += n; return n * 3 + s.a[0] - s.a[1]; }
     int @main(void) { unsigned @sum = 0; const char *t = \"xyz\"; for (int i = 0; i < 3; i++) @sum = @sum * 7 + @count(i) + t[i] + \"abc\"[i]; @sum += *\"q\"; END(@sum) return 0; }\n",
    // Structures by value.
    "struct @s { int a; short b[3]; }; struct @s @make(int x) { struct @s r = { x, { x, x + 1, x + 2 } }; return r; }
     int @use(struct @s v) { v.a++; v.b[1] *= 2; return v.a + v.b[1]; }
     int @main(void) { struct @s x = @make(__VERIFIER_nondet_char()), y = x; unsigned @sum = @use(x) + 3 * x.a + x.b[1]; y = x; x.a = 9; x.b[2] = 8; @sum = @sum * 5 + y.a + y.b[2] + @make(4).b[2]; @sum += (y = @make(7)).a;
       struct @s z[2] = { x, y }; z[0] = z[1]; z[1].a = 3; @sum += z[0].a * 11 + z[1].b[0]; struct @s q = @sum & 1 ? x : y; @sum += q.a * 3 + @make(q.b[2]).b[0]; END(@sum) return 0; }\n",
    // What stands on the left, and what is not evaluated.
    "struct @n { int q; struct @n *n; }; int @g; int @f(void) { @g++; return 1; }
     int @main(void) { int a[5] = { 1, 2, 3, 4, 5 }, *p = a, i = 0; struct @n x = { 1, 0 }, y = { 2, &x }; unsigned @sum = 0;
       *p++ = 7; (*p)++; @sum += *p++ * 3; @sum += *p; y.n->q += 5; (i ? &x : &y)->q = 9; i[a] = 3; int *e = &a[5]; @sum += e - p + (e > p) * 7 + (&*p == p) + sizeof(*p) + sizeof(@f());
       p = a + 4; while (p > a) @sum = @sum * 3 + *--p; @sum += x.q + y.q * 5 ; @sum += (@f(), i++, i); @sum += @g * 100; *(a + 2) = p[1]; @sum += a[2]; END(@sum) return 0; }\n",
    // Other types at the same place.
    "int @main(void) { float f = 1.5f; double d = -2.25; unsigned w = *(unsigned *) &f, *q = (unsigned *) &d; unsigned char *c = (unsigned char *) &w; unsigned @sum = w + c[3] * 3 + q[1] + c[0];
       c[1] = 0xab; *(short *) &c[2] = 0x1234; @sum += w * 5; unsigned @arr[3] = { 1, 0x01020304, 3 }; unsigned char *b = (unsigned char *) @arr; int i = __VERIFIER_nondet_uchar() % 12;
       @sum = @sum * 31 + b[i]; b[i] ^= 0x55; @sum += @arr[0] + @arr[1] * 3 + @arr[2] * 5; *(unsigned *) &f += 1; @sum += f > 1.5f; END(@sum) return 0; }\n",
    // Unions.
    "union @u { unsigned char b[6]; unsigned w; struct { unsigned lo : 5, mid : 20; signed hi : 7; } f; struct { short x; union { short y; signed char z; }; } n; float r; };
     int @main(void) { static union @u u, v[2]; u.w = __VERIFIER_nondet_uint(); u.b[4] = 1; u.b[5] = 2; unsigned @sum = u.b[1] + u.f.lo * 3 + u.f.mid * 5 + u.f.hi * 7 + u.n.x + u.n.y * 11 + u.n.z * 13;
       u.f.mid = 12345; u.n.z = -3; @sum = @sum * 7 + u.w; v[1] = u; v[0].w = 5; v[1].b[2]++; @sum += v[1].w * 3 + v[0].b[0] + v[1].b[5]; u.r = 0.75f; @sum += u.w >> 20; END(@sum) return 0; }\n",
    // Functions by pointer.
    "typedef int (*@op)(int, int); int @add(int a, int b) { return a + b; } int @sub(int a, int b) { return a - b; }
     struct @hook { const char *name; @op f; } @table[] = { { \"a\", @add }, { \"s\", &@sub }, { 0, 0 } }; int @apply(@op f, int x) { return f ? (*f)(x, 3) : -1; }
     int @main(void) { unsigned @sum = 0; int k = __VERIFIER_nondet_uchar() % 3; @op f = k ? @sub : @add; for (struct @hook *h = @table; h->f; h++) @sum = @sum * 5 + h->f(k, 2) + *h->name;
       @sum += f(10, k) + @apply(@table[k].f, 8) + (*f)(1, 2) + (f == @sub); END(@sum) return 0; }\n",
    // memcpy and its like.
    "extern void *memcpy(void *, const void *, unsigned); extern void *memset(void *, int, unsigned); extern unsigned strlen(const char *); extern int strcmp(const char *, const char *); extern int memcmp(const void *, const void *, unsigned);
     struct @s { int a; char t[6]; short z; };
     int @main(void) { struct @s x = { 3, \"abc\", 9 }, y = x; static char buf[12]; memcpy(&y, &x, sizeof y); memset(&x, 0, sizeof x); unsigned @sum = y.a + strlen(y.t) * 3 + x.z + y.z * 5; memcpy(buf, &y, sizeof y); @sum += buf[5] * 7 + buf[0];
       memcpy(y.t + 1, \"xy\", 2); @sum = @sum * 3 + y.t[1] + y.t[2] + (strcmp(y.t, \"axy\") == 0) * 11 + (strcmp(\"a\", \"b\") < 0) + (memcmp(buf, buf, 5) == 0); memset(buf + 2, -1, 3); @sum += buf[4] * 13 + (unsigned char) buf[5]; END(@sum) return 0; }\n",
    // Allocated memory.
    "extern void *malloc(unsigned); extern void *calloc(unsigned, unsigned); extern void free(void *); struct @n { struct @n *next; int v; };
     int @main(void) { struct @n *list = 0; unsigned @sum = 0; for (int i = 0; i < 4; i++) { struct @n *n = malloc(sizeof *n); n->v = i * i; n->next = list; list = n; }
       struct @n **p = &list; while (*p) { if ((*p)->v == 4) { struct @n *d = *p; *p = d->next; free(d); } else p = &(*p)->next; } for (struct @n *n = list; n; n = n->next) @sum = @sum * 7 + n->v;
       int *a = (int *) calloc(4, sizeof(int)); a[2] = 5; for (int i = 0; i < 4; i++) @sum += a[i] * (i + 1); free(a); END(@sum) return 0; }\n",
    // Recursion.
    "int @fib(int n) { return n < 2 ? n : @fib(n - 1) + @fib(n - 2); } int @odd(int n); int @even(int n) { return n == 0 ? 1 : @odd(n - 1); } int @odd(int n) { return n == 0 ? 0 : @even(n - 1); }
     int @walk(int *t, int k) { int l; if (k >= 7) return 0; l = t[k]; int r = @walk(t, 2 * k + 1); return l + 3 * r + 5 * @walk(t, 2 * k + 2); }
     int @main(void) { int t[7] = { 1, 2, 3, 4, 5, 6, 7 }; unsigned @sum = @fib(4) + 100 * @even(3) + 1000 * @odd(2); @sum += @walk(t, 0); END(@sum) return 0; }\n",
    // Numbers with fractions.
    "float @half(float x) { return x * 0.5f; } struct @c { float k; double s; };
     int @main(void) { struct @c c = { 0.1f, 0.1 }; int n = __VERIFIER_nondet_char(); unsigned @sum = 0; float f = n; double d = n / 3.0; c.s += c.k * d; @sum += (c.k == 0.1) + 2 * (c.k == 0.1f) + 4 * (f / 3 == d);
       d = d * d + c.s; f = (float) d; @sum = @sum * 8 + (int) (d / 100) + (f > d) + (int) @half(f / 300) + (unsigned char) (n > 0 ? f / 1e6f : 3.99f); float nan = (f - f) / 0.0f; @sum += (nan == nan) + 2 * !(nan > 1) + 4 * (nan != 0) + 8 * (1 / -0.0f < 0) + 16 * (0.0 == -0.0) + 32 * !!nan;
       long long w = (long long) (c.s * 1e10); @sum += (unsigned) w; d = w; @sum += d == (double) w; f = 16777217; @sum += f == 16777216.0f; _Bool b = 0.25f; @sum += b; f += 0.1; f++; @sum += (unsigned) f; @sum += (0.1f + 0.2f == 0.3f) * 3 + (0.1 + 0.2 == 0.3) * 5 + 0x1.8p3f; END(@sum) return 0; }\n",
];

#[test]
fn traps_are_what_gcc_says() {
    if gcc::available() && super::harness::has_32_bits() {
        // All that are wrong are shown, and not only the first.
        let is_wrong = |seed: &u64| {
            let run = || compute_what_gcc_says(&[*seed], |seed| TRAPS[seed as usize].into());
            std::panic::catch_unwind(run).is_err()
        };
        let wrong: Vec<u64> = (0..TRAPS.len() as u64).filter(is_wrong).collect();
        assert_eq!(wrong, Vec::<u64>::new());
    }
}

const OBJECTS: &str = "
struct @in { signed char c; unsigned short s; int b3 : 3; unsigned u5 : 5; float f; int a[3]; };
struct @out { struct @in x; double d; struct @in *p; unsigned char raw[4]; struct @in y[2]; };
union @mix { unsigned w; unsigned char b[4]; float f; struct { unsigned lo : 12, hi : 20; } bits; };
extern struct @out @h; struct @out @g = { .p = &@h.x }; struct @out @h = { .x = { 1, 2, 3, 4, 0.5f, { 6 } }, .y[1].a = { 7, 8 }, .p = &@h.y[0] }; union @mix @m;
int @one(struct @in *p, int k) { p->a[k] += 3; return p->s; } int @two(struct @in *p, int k) { p->b3++; return p->u5 - k; }
struct @in @copy(struct @in v, int k) { v.c = k; v.f *= 2; return v; }
";

/// A program about two structures, a union and pointers into them.
fn program(seed: u64) -> String {
    let random = &mut Random::new(seed);
    let mut text = String::from(OBJECTS);
    text += "int @main(void) { struct @in *p = &@g.x, *r = &@h.y[1], l = { 1 }; int (*f)(struct @in *, int) = @one; int *q = @g.x.a, i = 0, k = 1; double d = 1; unsigned @sum = 0;\n";
    for _ in 0..14 {
        text += &format!("  {}\n", statement(random));
    }
    text += "  struct @in *all[6] = { &@g.x, &@g.y[0], &@g.y[1], &@h.x, &@h.y[0], &@h.y[1] };
  for (i = 0; i < 6; i++) { struct @in *e = all[i]; float v = e->f; @sum = @sum * 31 + e->c + e->s * 3 + e->b3 * 5 + e->u5 * 7 + e->a[0] + e->a[1] * 3 + e->a[2] * 5 + (v != v ? 1 : *(unsigned *) &v); }
  @sum = @sum * 31 + @m.w + @g.raw[0] + @h.raw[3] * 3 + l.c + l.a[1] + (@g.d > @h.d) + 2 * (d < @g.d) + *q + (p == r);
  END(@sum)
  return 0; }\n";
    text
}

fn number(random: &mut Random) -> String {
    let simple = |random: &mut Random| {
        let list = [
            "__VERIFIER_nondet_int()",
            "p->c",
            "p->s",
            "r->b3",
            "p->u5",
            "r->a[k]",
            "@m.b[k & 3]",
            "@m.bits.lo",
            "@m.bits.hi",
            "@g.raw[k]",
            "*q",
            "i",
            "k",
            "7",
            "-1",
            "300",
            "(p->f > 1.5f)",
            "(d <= r->f)",
            "(int) sizeof(*p)",
            "l.a[2]",
            "@h.y[k & 1].s",
            "(p - &@g.x == 0)",
        ];
        (*random.choose(&list)).to_string()
    };
    let (a, b) = (simple(random), simple(random));
    match random.below(6) {
        0 => a,
        1 => format!("({a} + {b} * 3)"),
        2 => format!("({a} ^ {b})"),
        3 => format!("({a} > {b} ? {b} : {a})"),
        4 => format!("({a} & 0xff) - {b}"),
        _ => format!("({a} && {b}) + ({b} || {a})"),
    }
}

fn fraction(random: &mut Random) -> String {
    let simple = |random: &mut Random| {
        let list = [
            "p->f",
            "r->f",
            "d",
            "@g.d",
            "@h.d",
            "0.1f",
            "1.5",
            "-3",
            "(float) i",
            "(double) @m.w",
            "@m.f",
            "p->a[0]",
            "1e-3f",
        ];
        (*random.choose(&list)).to_string()
    };
    let (a, b) = (simple(random), simple(random));
    format!("{a} {} {b}", random.choose(&["+", "-", "*", "/"]))
}

fn statement(random: &mut Random) -> String {
    let pointers = ["&@g.x", "&@h.x", "&@g.y[k & 1]", "@h.p", "&@h.y[1]", "@g.y", "r", "p"];
    let places = [
        "p->c",
        "p->s",
        "r->b3",
        "p->u5",
        "r->a[k]",
        "p->a[2]",
        "@m.w",
        "@m.b[k & 3]",
        "@m.bits.lo",
        "@m.bits.hi",
        "@g.raw[k]",
        "*q",
        "l.a[k]",
        "@h.y[k].s",
    ];
    let value = number(random);
    match random.below(14) {
        0 | 1 => format!("{} = {value};", random.choose(&places)),
        2 => format!("{} {}= {value};", random.choose(&places), random.choose(&["+", "-", "^", "|", "&"])),
        3 => format!("p = {};", random.choose(&pointers)),
        4 => format!("r = {};", random.choose(&pointers)),
        5 => format!("{} = {};", random.choose(&["p->f", "r->f", "d", "@g.d", "@h.d", "@m.f"]), fraction(random)),
        6 => format!(
            "{} = {};",
            random.choose(&["*p", "@g.y[k]", "l", "@h.x"]),
            random.choose(&["*r", "@h.y[0]", "l", "@copy(*p, k)", "@copy(l, 3)"])
        ),
        7 => format!("q = {};", random.choose(&["p->a", "&r->a[1]", "l.a + k", "&i", "@h.y[k].a + 2"])),
        8 => format!("f = {value} ? @one : @two; @sum += f(r, k);"),
        9 => format!("k = ({value}) & 1;"),
        10 => format!("@sum = @sum * 31 + ({value});"),
        11 => format!("@{} = @{};", random.choose(&["g", "h"]), random.choose(&["h", "g"])),
        12 => format!("{{ double v = {}; i = v > -1e6 && v < 1e6 ? (int) v : 3; }}", fraction(random)),
        _ => format!("if ({value} > {}) {} else p++, p--;", number(random), "{ @sum++; r = &@g.y[0]; r++; }"),
    }
}

#[test]
fn random_objects_are_what_gcc_says() {
    if gcc::available() && super::harness::has_32_bits() {
        let seeds: Vec<u64> = seeds(40).collect();
        compute_what_gcc_says(&seeds, program);
    }
}
