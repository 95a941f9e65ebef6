//! Random models in the guarded-command language, the same one for the same seed.
//!
//! They use every construct of the language on few and small variables, so that their states can be counted. Those with
//! records, functions and modules can also be had [written out](written_out) in terms of the rest of the language.

use redoubt_base::Random;

/// The text of the model that belongs to a seed.
pub fn model(seed: u64) -> String {
    text(seed, Form::Plain)
}

/// The same, with records, functions, names for values, arrays of arrays, ordered enumerations and modules.
pub fn rich_model(seed: u64) -> String {
    text(seed, Form::Rich)
}

/// The rich model of a seed with nothing but numbers, truth values, enumerations and arrays of them: no records, functions, modules,
/// names for values or types, arrays of arrays or quantifiers, and no order of an enumeration. It is written by hand, part by part, so that
/// nothing of the front end is needed to say what the rich one means. Lines are the same; [`NAMES`] has the properties that
/// are called otherwise.
pub fn written_out(seed: u64) -> String {
    text(seed, Form::WrittenOut)
}

/// The names in the rich model of properties of the one that is written out.
pub const NAMES: [(&str, &str); 4] = [
    ("idle0", "watch[0].idle"),
    ("idle1", "watch[1].idle"),
    ("index(w)", "index(watch.w)"),
    // An array of arrays is one array there, so another one of two cells sees to the second index.
    ("index(two)", "index(g)"),
];

#[derive(Clone, Copy, PartialEq, Eq)]
enum Form {
    Plain,
    Rich,
    WrittenOut,
}

fn text(seed: u64, form: Form) -> String {
    let mut generator = Generator { random: Random::new(seed), out: String::new(), names: 0, in_step: false, form };
    generator.declarations();
    generator.step();
    generator.properties();
    generator.out
}

struct Generator {
    random: Random,
    out: String,
    /// The number of assertions and errors that have got their names.
    names: usize,
    /// Whether parameters and inputs may be used.
    in_step: bool,
    form: Form,
}

impl Generator {
    fn line(&mut self, text: &str) {
        self.out.push_str(text);
        self.out.push('\n');
    }

    fn one_in(&mut self, n: usize) -> bool {
        self.random.below(n) == 0
    }

    fn pick(&mut self, items: &[&str]) -> String {
        self.random.choose(items).to_string()
    }

    fn is_rich(&self) -> bool {
        self.form != Form::Plain
    }

    /// Something that is written in two ways.
    fn either(&self, rich: &str, written_out: &str) -> String {
        if self.form == Form::WrittenOut { written_out.into() } else { rich.into() }
    }

    fn pick_either(&mut self, items: &[(&str, &str)]) -> String {
        let (rich, written_out) = self.random.choose(items);
        self.either(rich, written_out)
    }

    fn declarations(&mut self) {
        self.line("system Random\nconst TOP = 3\nenum Mode { Off, Slow, Fast }\nconst TABLE = [2, 0, 3, 1]");
        let types = self.either(
            "type Level = 0..TOP - 1\ntype Pair = Level[2]\ninput press: bool\ninput level: Level",
            "\n\ninput press: bool\ninput level: 0..2",
        );
        self.line(&types);
        let start = self.pick(&["= 1", "= 0", "", "in 0, 2"]);
        self.line(&format!("var x: 0..TOP {start}"));
        let start = self.pick(&["= 0", "= 3", "= 2"]);
        self.line(&format!("var y: -1..TOP {start}"));
        let start = self.pick(&["= Off", "= Fast", "= Slow", "in Off, Fast"]);
        self.line(&format!("var m: Mode {start}"));
        let start = self.pick(&["= true", "= false", ""]);
        self.line(&format!("var b: bool {start}"));
        let pair = self.either("Pair", "(0..2)[2]");
        self.line(&format!("var n: int = 0\nvar a: {pair} = [0, 1]\nvar f: bool[2] = false"));
        if self.form == Form::WrittenOut {
            self.line("var c_v: 0..2 = 0; var c_on: bool = false\nvar g: bool[4] = false; var two: bool[2] = false");
            self.line("var w: (0..1)[2] = 0\nproperty idle0: always w[0] == 0 || !(f[0] && b)");
            self.line("property idle1: always w[1] == 0 || !(f[1] && b)\n\n\n\n\n\n\n\n");
        }
        if self.form == Form::Rich {
            self.line("record Cell { v: Level = 0, on: bool = false }\nvar c: Cell\nvar g: bool[2][2] = false");
            self.line("define rising(p: bool) = p && !prev(p)\ndefine near(p: -9..9, c: Cell) = abs(p - c.v) < 2");
            self.line("module Watch(on: bool, var out: bool) {\n  var w: 0..1 = 0\n  define busy = on && w == 1");
            self.line("  proc set() { w = 1 }\n  step { if on { w = 0; out = !out } }\n  property idle: always w == 0 || !on\n}");
            self.line("instance watch[k in 0..1]: Watch(on = f[k] && b, out = g[0][k])");
        }
        self.in_step = true;
        let condition = self.condition(2);
        self.line(&format!("define hot = {condition}"));
        self.line("proc bump(by: -1..2) {\n  if n + by in 0..2 { n = n + by }\n  choose { when by > 0 => b = true; when press => b = false }\n}");
        if self.one_in(3) {
            let assumption =
                self.pick(&["!(press && level == 2)", "(press -> !prev(press))", "x != 2 || b", "level <= TOP - 2"]);
            self.line(&format!("assume always {assumption}"));
        }
    }

    fn step(&mut self) {
        let watch = |k| format!("if f[{k}] && b {{ w[{k}] = 0; g[{k}] = !g[{k}] }}");
        let instances = self.either("", &format!(" {} {}", watch(0), watch(1)));
        self.line(&format!("step {{{instances}"));
        for _ in 0..3 + self.random.below(4) {
            self.statement(2);
        }
        // Whatever happened, the counter stays small, and the state space finite.
        self.line("  if n > 2 || n < 0 { n = 0 }\n}");
    }

    fn rich_statement(&mut self) {
        let statement = self.pick_either(&[
            ("c = Cell(on = b, v = level)", "{ c_on = b; c_v = level }"),
            ("c.v = level", "c_v = level"),
            ("g = [[b, press], [f[0], f[1]]]", "{ g[0] = b; g[1] = press; g[2] = f[0]; g[3] = f[1] }"),
            ("g[x & 1] = f", "{ g[2 * (x & 1)] = f[0]; g[2 * (x & 1) + 1] = f[1] }"),
            ("g[0][level] = press", "{ two[level] = false; g[level] = press }"),
            ("m = succ(m)", "m = if m == Off then Slow else if m == Slow then Fast else Off"),
            ("f = g[0]", "{ f[0] = g[0]; f[1] = g[1] }"),
            (
                "if f != g[1] { m = pred(m) }",
                "if f[0] != g[2] || f[1] != g[3] { m = if m == Off then Fast else if m == Fast then Slow else Off }",
            ),
            ("{ let k = x & 1; f[k] = press; a[k] = k }", "{ f[x & 1] = press; a[x & 1] = x & 1 }"),
            (
                "{ let old = c; c = Cell(2 - old.v, !old.on); assert old.v == 2 - c.v }",
                "{ c_v = 2 - c_v; c_on = !c_on; assert c_v == 2 - (2 - c_v) }",
            ),
            ("for k in Mode { if m == k && k > Off { b = true } }", "if m == Slow || m == Fast { b = true }"),
            (
                "for k in 0..1 { if watch[k].busy { watch[k].set() } }",
                "for k in 0..1 { if f[k] && b && w[k] == 1 { w[k] = 1 } }",
            ),
            ("watch[x & 1].set()", "w[x & 1] = 1"),
            ("watch[level].w = 1", "w[level] = 1"),
        ]);
        self.line(&statement);
    }

    fn statement(&mut self, depth: usize) {
        if self.is_rich() && self.one_in(2) {
            return self.rich_statement();
        }
        let kinds = if depth == 0 { 7 } else { 13 };
        match self.random.below(kinds) {
            0 | 1 => {
                let value = self.small(2);
                let target = self.pick(&["x", "y"]);
                // Most values are kept in range; some may leave it.
                let value = if self.one_in(6) { value } else { format!("({value}) & TOP") };
                self.line(&format!("{target} = {value}"));
            }
            2 => {
                let value = self.pick(&["Off", "Slow", "Fast", "if b then Slow else m", "if hot then Fast else Off"]);
                self.line(&format!("m = {value}"));
            }
            3 => {
                let (target, value) = (self.pick(&["b", "f[0]", "f[1]", "f[x & 1]"]), self.condition(2));
                self.line(&format!("{target} = {value}"));
            }
            4 => {
                let index = self.pick(&["0", "1", "x & 1", "level & 1", "level", "n"]);
                let value = self.pick(&["level", "x % 3", "a[0]", "2 - a[1]", "0"]);
                self.line(&format!("a[{index}] = {value}"));
            }
            5 => {
                let what = self.pick(&["havoc b", "havoc x", "bump(1)", "bump(-1)", "bump(level)", "n = n + 1"]);
                self.line(&what);
            }
            6 => {
                self.names += 1;
                let (name, condition) = (format!("claim{}", self.names), self.condition(2));
                match self.random.below(5) {
                    0 => self.line(&format!("assume {condition} || press")),
                    1 => self.line(&format!("if {condition} && m == Fast && x == 3 {{ error {name} }}")),
                    _ => self.line(&format!("assert {name}: {condition}")),
                }
            }
            7 | 8 => {
                let condition = self.condition(2);
                self.line(&format!("if {condition} {{"));
                self.block(depth);
                if self.one_in(2) {
                    let condition = self.condition(1);
                    self.line(&format!("}} else if {condition} {{"));
                    self.block(depth);
                }
                self.line("} else {");
                self.block(depth);
                self.line("}");
            }
            9 | 10 => {
                self.line("choose {");
                for _ in 0..1 + self.random.below(3) {
                    let guard = self.condition(1);
                    self.line(&format!("when {guard} => {{"));
                    self.block(depth);
                    self.line("}");
                }
                if self.one_in(2) {
                    self.line("otherwise => {");
                    self.block(depth);
                    self.line("}");
                }
                self.line("}");
            }
            11 => {
                let cases = self.pick(&["m|Off|Slow, Fast", "x|0, 1|2..3", "y|-1..1|3", "level|0|1..2"]);
                let parts: Vec<&str> = cases.split('|').collect();
                self.line(&format!("match {} {{\n{} => {{", parts[0], parts[1]));
                self.block(depth);
                self.line(&format!("}}\n{} => {{", parts[2]));
                self.block(depth);
                self.line("}\n}");
            }
            _ => {
                self.line("for i in 0..1 {");
                let condition = self.condition(1);
                self.line(&format!("if f[i] {{ a[i] = i }} else if {condition} {{ f[i] = a[i] == 1 }}"));
                self.line("}");
            }
        }
    }

    fn block(&mut self, depth: usize) {
        for _ in 0..self.random.below(3) {
            self.statement(depth - 1);
        }
    }

    /// A number that is small most of the time.
    fn small(&mut self, depth: usize) -> String {
        if depth == 0 || self.one_in(3) {
            return self.pick(&["x", "y", "n", "level", "1", "2", "TOP", "-1", "a[0]", "a[1]", "TABLE[x]"]);
        }
        let (left, right) = (self.small(depth - 1), self.small(depth - 1));
        match self.random.below(13) {
            0 => format!("({left} - {right})"),
            1 => format!("({left} * {right})"),
            2 => format!("({left} / 2 + {right})"),
            3 => format!("({left} % 3)"),
            4 => {
                let condition = self.condition(1);
                format!("(if {condition} then {left} else {right})")
            }
            5 => format!("prev({left})"),
            6 => format!("({left} ^ {right})"),
            7 if self.one_in(3) => format!("a[({left}) & 3]"),
            8 => {
                let (function, sign) = self.random.choose(&[("min", "<"), ("max", ">")]);
                self.either(
                    &format!("{function}({left}, {right})"),
                    &format!("(if {left} {sign} {right} then {left} else {right})"),
                )
            }
            9 => self.either(
                &format!("abs({left} - {right})"),
                &format!("(if {left} < {right} then {right} - {left} else {left} - {right})"),
            ),
            10 => {
                let one = |i| format!("(if f[{i}] || a[{i}] < {left} then 1 else 0)");
                self.either(&format!("(count i in 0..1: f[i] || a[i] < {left})"), &format!("({} + {})", one(0), one(1)))
            }
            11 => {
                let one = |i| format!("(if {i} == {right} then {left} else {i})");
                self.either(
                    &format!("(sum i in 0..TOP - 1: if i == {right} then {left} else i)"),
                    &format!("({} + {} + {})", one(0), one(1), one(2)),
                )
            }
            _ => format!("({left} + {right})"),
        }
    }

    fn condition(&mut self, depth: usize) -> String {
        if self.is_rich() && self.one_in(3) {
            return self.pick_either(&[
                ("rising(press)", "(press && !prev(press))"),
                ("rising(b && press)", "((b && press) && !prev(b && press))"),
                ("g[1][x & 1]", "g[2 + (x & 1)]"),
                ("c.on", "c_on"),
                ("m < Fast", "m != Fast"),
                ("c == Cell(1, true)", "(c_v == 1 && c_on)"),
                ("prev(c) != c", "(prev(c_v) != c_v || prev(c_on) != c_on)"),
                ("near(x, c)", "(x - c_v < 2 && x - c_v > -2)"),
                ("near(level, Cell(1))", "(level - 1 < 2 && level - 1 > -2)"),
                ("(any k in Mode: k == m && k > Off)", "(m == Slow || m == Fast)"),
                ("watch[x & 1].busy", "(f[x & 1] && b && w[x & 1] == 1)"),
                ("watch.w == [0, 1]", "(w[0] == 0 && w[1] == 1)"),
            ]);
        }
        if depth == 0 || self.one_in(3) {
            let atoms = ["press", "b", "f[0]", "m == Fast", "m != Slow", "x == 1", "level > 0", "y < 2", "x in 1..2"];
            return self.pick(&atoms);
        }
        let (left, right) = (self.condition(depth - 1), self.condition(depth - 1));
        match self.random.below(14) {
            0 | 1 => format!("({left} && {right})"),
            2 | 3 => format!("({left} || {right})"),
            4 => format!("!({left})"),
            5 => format!("({left} -> {right})"),
            6 => format!("({left} <-> {right})"),
            7 => format!("(once ({left}))"),
            8 => format!("(historically ({left}))"),
            9 => format!("(({left}) since ({right}))"),
            10 => format!("prev({left})"),
            11 => {
                let (a, b) = (self.small(1), self.small(1));
                format!("({a} <= {b})")
            }
            12 => self.either(
                &format!("(any i in 0..1: f[i] && ({left}))"),
                &format!("(f[0] && ({left}) || f[1] && ({left}))"),
            ),
            _ => self.either(
                &format!("(all i in 0..1: a[i] < 2 || ({left}))"),
                &format!("((a[0] < 2 || ({left})) && (a[1] < 2 || ({left})))"),
            ),
        }
    }

    fn properties(&mut self) {
        for index in 0..6 {
            let judgement = self.pick(&["always", "never", "reach"]);
            let condition = match self.random.below(3) {
                0 => self.condition(3),
                1 => format!("({}) || ({})", self.condition(2), self.condition(2)),
                _ => format!("({}) && ({}) && hot", self.condition(2), self.condition(2)),
            };
            self.line(&format!("property p{index}: {judgement} {condition}"));
        }
    }
}
