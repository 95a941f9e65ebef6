//! Random programs that compute as those of RERS do: regions between constants, remainders that map one to another,
//! products, counters with a guard against overflow, tables read through pointers and computed indices.
//!
//! Constants are drawn from the ends of the integers and from around each other's neighbourhood, so that values fall
//! on the edges of regions and wrap.

use redoubt_base::Random;

const VARIABLES: usize = 3;
const COUNTERS: usize = 2;

/// The text of the program that belongs to a seed.
pub fn program(seed: u64) -> String {
    let mut random = Random::new(seed);
    let edges: Vec<i32> = (0..4).map(|_| edge(&mut random)).collect();
    let mut generator = Arithmetic { random, edges };
    let mut out = String::from("extern void __VERIFIER_error(int); extern void exit(int);\n");
    out += "int t0[] = {3,1,4,1}; int t1[] = {-5,9,2,6}; int *p = t0; int cf = 1;\n";
    for index in 0..VARIABLES {
        out += &format!("int a{index} = {};\n", generator.constant());
    }
    for index in 0..COUNTERS {
        out += &format!("int c{index} = {};\n", generator.random.below(4));
    }
    out += "int e = 0;\nvoid check() {\n";
    for label in 0..5 {
        let condition = generator.condition(2);
        out += &format!("  if ({condition}) {{ cf = 0; __VERIFIER_error({label}); }}\n");
    }
    out += "}\nvoid calculate_output(int input) {\n  cf = 1;\n";
    for _ in 0..6 {
        let letter = 1 + generator.random.below(3);
        let condition = generator.condition(1);
        let body = generator.body();
        out += &format!("  if ((input == {letter}) && (cf == 1) && {condition}) {{ cf = 0;\n{body}  }}\n");
    }
    out += "  check();\n}\nint main() { while (1) { int input; scanf(\"%d\", &input);\n";
    out += "  if (input != 1 && input != 2 && input != 3) return -2;\n  calculate_output(input); } }\n";
    out
}

fn edge(random: &mut Random) -> i32 {
    match random.below(4) {
        0 => random.choose(&[i32::MIN + 1, i32::MAX, i32::MAX - 19, 1 << 30, -(1 << 30), 46341, 65536]),
        1 => random.below(20_000) as i32 - 10_000,
        _ => random.below(40) as i32 - 20,
    }
}

struct Arithmetic {
    random: Random,
    /// Constants that are compared and assigned again and again.
    edges: Vec<i32>,
}

impl Arithmetic {
    fn constant(&mut self) -> i32 {
        let near = self.random.below(3) as i32 - 1;
        let edge = self.random.choose(&self.edges.clone());
        if self.random.below(3) == 0 { edge } else { edge.wrapping_add(near).max(i32::MIN + 1) }
    }

    fn variable(&mut self) -> String {
        match self.random.below(8) {
            0 => "e".into(),
            1 => format!("c{}", self.random.below(COUNTERS)),
            _ => format!("a{}", self.random.below(VARIABLES)),
        }
    }

    fn condition(&mut self, more: usize) -> String {
        let variable = self.variable();
        let constant = self.constant();
        let atom = match self.random.below(9) {
            0 => format!("({variable} <= {constant})"),
            1 => format!("({constant} < {variable})"),
            2 => format!("({variable} == {constant})"),
            3 => {
                let other = self.variable();
                format!("({variable} < {other})")
            }
            4 => format!("(p[{}] == {})", self.random.below(4), self.random.choose(&[3, 1, 4, -5, 9, 2, 6])),
            5 => format!("({variable} % 2 == 0)"),
            6 => format!("(c{} >= {})", self.random.below(COUNTERS), self.random.below(12)),
            7 => format!("((({constant}) < {variable}) && ({} >= {variable}))", self.constant()),
            _ => format!("({variable} == t1[{}])", self.random.below(4)),
        };
        if more > 0 && self.random.below(2) == 0 {
            let (op, rest) = (self.random.choose(&["&&", "||", "&&"]), self.condition(more - 1));
            return format!("({atom} {op} {rest})");
        }
        atom
    }

    fn body(&mut self) -> String {
        (0..1 + self.random.below(3)).map(|_| format!("    {}\n", self.statement())).collect()
    }

    fn statement(&mut self) -> String {
        let target = format!("a{}", self.random.below(VARIABLES));
        let (x, y, constant) = (self.variable(), self.variable(), self.constant());
        let modulus = self.random.choose(&[2, 3, 5, 13, 58, 65, 14999, -7]);
        let shift = self.random.below(100) as i32 - 50;
        match self.random.below(12) {
            0 => format!("{target} = ((({x} % {modulus}) - {}) + {shift});", self.random.below(60)),
            1 => format!("{target} = (((({x} * {y}) % {modulus}) * 10) / 9) + ({shift});"),
            2 => format!("{target} = ({x} / 5) * {};", self.random.choose(&[5, -1, 2])),
            3 => format!("{target} = {constant};"),
            4 => format!("{target} = ({x} + {constant});"),
            5 => {
                let counter = format!("c{}", self.random.below(COUNTERS));
                format!("{counter} += ({counter} + 20) > {counter} ? {} : 0;", 1 + self.random.below(4))
            }
            6 => {
                let counter = format!("c{}", self.random.below(COUNTERS));
                format!("{counter} -= ({counter} - 20) < {counter} ? {} : 0;", 1 + self.random.below(4))
            }
            7 => format!("p = {};", self.random.choose(&["t0", "t1"])),
            8 => format!("{target} = p[{}];", self.random.below(4)),
            9 => format!("{target} = t0[({x} & 3)] - t1[(e & 3)];"),
            10 => format!("e = ({x} < {y}) ? 1 : ({x} == {constant});"),
            _ => format!("{target} = ({x} - {y});"),
        }
    }
}
