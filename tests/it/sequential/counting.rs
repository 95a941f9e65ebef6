//! Random programs that do nothing but count: up and down, towards a bound and away from it until they wrap around,
//! with sums and copies of counters, nested, in all shapes of loops. Every loop ends within some ten thousand rounds.
//!
//! Names start with `@`, as in `generate`.

use std::fmt::Write;

use redoubt_base::Random;

pub fn program(seed: u64) -> String {
    let mut text = Text { random: Random::new(seed), out: String::new() };
    text.whole();
    text.out
}

struct Text {
    random: Random,
    out: String,
}

const SMALL: [&str; 4] = ["char", "uchar", "short", "ushort"];

impl Text {
    fn line(&mut self, line: &str) {
        writeln!(self.out, "{line}").expect("writing to a string does not fail");
    }

    fn chance(&mut self, of: usize) -> bool {
        self.random.below(of) == 0
    }

    fn small(&mut self) -> String {
        format!("__VERIFIER_nondet_{}()", self.random.choose(&SMALL))
    }

    fn whole(&mut self) {
        self.line("int @main(void) {");
        self.line("  int i = 0, s = 1, t = 0, u = 5, n = 0, k = 0, b = 0; unsigned x = 0, c = 0;");
        for _ in 0..1 + self.random.below(3) {
            if self.chance(4) {
                self.nested();
            } else {
                self.counting();
            }
        }
        self.line("  unsigned @sum = 17;");
        for name in ["i", "s", "t", "u", "n", "k", "x", "c"] {
            self.line(&format!("  @sum = @sum * 31 + {name};"));
        }
        self.line("  END(@sum)\n  return 0;\n}");
    }

    /// Values before a loop, its condition, and the step of its counter.
    fn course(&mut self) -> (String, &'static str, String) {
        let step = self.random.choose(&[1, 1, 2, 3, 4, 5, 7, 8]);
        let (from, far) = (self.small(), self.small());
        match self.random.below(10) {
            0 | 1 => {
                (format!("i = {from}; b = {far};"), self.random.choose(&["i < b", "b > i"]), format!("i += {step}"))
            }
            2 => {
                (format!("i = {from}; b = {far};"), self.random.choose(&["i <= b", "!(i > b)"]), format!("i += {step}"))
            }
            3 => (format!("i = {from}; b = {far};"), self.random.choose(&["i > b", "i >= b"]), format!("i -= {step}")),
            4 => (
                format!("x = {from} & 65535; b = 9;"),
                self.random.choose(&["x > 8", "x >= 9"]),
                format!("x -= {step}"),
            ),
            5 => {
                (format!("x = {from} & 65535;"), self.random.choose(&["x < 40000", "x <= 999"]), format!("x += {step}"))
            }
            // Away from the bound, until the counter wraps around.
            6 => (
                format!("x = 4294967295U - ({from} & 65535);"),
                self.random.choose(&["x >= 10", "x > 9"]),
                format!("x += {step}"),
            ),
            7 => (
                format!("i = -2147483647 + ({from} & 65535);"),
                self.random.choose(&["i < 100", "i <= 7"]),
                format!("i -= {step}"),
            ),
            8 => (format!("i = {from}; b = i + ({far} & 65535);"), "i != b", "i++".into()),
            // Near the end of all numbers, where the step may lead past the bound; another counter ends that.
            _ => {
                let edge = self.random.choose(&["2147483647", "2147483646", "2147483640"]);
                (
                    format!("i = 2147483647 - ({from} & 4095); b = {edge}; n = 0;"),
                    "i <= b && n < 3000",
                    format!("i += {step}; n++"),
                )
            }
        }
    }

    fn extras(&mut self) -> String {
        let all = [
            "s += 3;",
            "t += i;",
            "u = i;",
            "c = c - 7;",
            "t = t + 2 * i - 1;",
            "k = s + i;",
            "u = 4;",
            "c += x;",
            "k = u;",
        ];
        let count = self.random.below(4);
        (0..count).map(|_| self.random.choose(&all)).collect::<Vec<_>>().join(" ")
    }

    fn counting(&mut self) {
        let (start, condition, step) = self.course();
        let (before, after) = (self.extras(), self.extras());
        let label = self.out.len();
        self.line(&format!("  {start}"));
        match self.random.below(4) {
            0 => self.line(&format!("  while ({condition}) {{ {before} {step}; {after} }}")),
            1 if !step.contains(';') => self.line(&format!("  for (; {condition}; {step}) {{ {before} {after} }}")),
            2 => {
                self.line(&format!("  again{label}: if (!({condition})) goto done{label};"));
                self.line(&format!("  {before} {step}; {after} goto again{label}; done{label}: ;"));
            }
            // Testing last, where the first round must not lead past the bound.
            _ => self.line(&format!("  if ({condition}) do {{ {before} {step}; {after} }} while ({condition});")),
        }
    }

    fn nested(&mut self) {
        let (inner, outer) = (self.random.choose(&[0, 3, 10]), self.random.choose(&[1, 2, 5]));
        // The outer counter is not one of them.
        let [first, second] = [(); 2].map(|()| self.extras().replace("k = ", "s = "));
        let most = self.random.below(200);
        self.line(&format!("  for (k = 0; k < {most}; k += {outer}) {{ {second}"));
        self.line(&format!("    n = 0; while (n < {inner}) {{ n++; {first} }} }}"));
    }
}
