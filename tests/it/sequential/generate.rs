//! Random sequential C programs: all small types, conversions, loops of all kinds, switches, calls, and jumps out of
//! loops, back, and into them.
//!
//! Names start with `@`, which whoever uses the text replaces. Runs end, since every jump back costs some of `@fuel`. All
//! variables are initialised and no expression has two effects, so the language says what each run computes. In the end
//! `@sum` has it all.

use std::fmt::Write;

use redoubt::base::Random;

const TYPES: [&str; 11] = [
    "signed char",
    "unsigned char",
    "char",
    "short",
    "unsigned short",
    "int",
    "unsigned",
    "int",
    "_Bool",
    "long long",
    "unsigned long long",
];

/// The functions that ask for values, by type.
const ASKS: [&str; 9] = ["int", "uint", "char", "uchar", "short", "ushort", "bool", "longlong", "ulonglong"];

/// The last so many of both are wide.
const WIDE: usize = 2;

pub struct Text {
    random: Random,
    out: String,
    indent: usize,
    /// Variables that can be read, and how many of them can be written.
    names: Vec<String>,
    /// Labels of the function that are not placed yet, and all of them.
    unplaced: Vec<String>,
    labels: Vec<String>,
    /// Loops around the statement, and switches, from the outside in.
    around: Vec<Around>,
    /// The functions so far, with the numbers of their parameters.
    functions: Vec<usize>,
    depth: usize,
    /// Whether there are numbers of 64 bits, which are divided by constants only.
    is_wide: bool,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Around {
    Loop,
    Switch,
}

/// A program; `sum` is what its last statement is given.
pub fn program(seed: u64) -> String {
    let mut text = Text {
        random: Random::new(seed),
        out: String::new(),
        indent: 0,
        names: vec![],
        unplaced: vec![],
        labels: vec![],
        around: vec![],
        functions: vec![],
        depth: 0,
        is_wide: seed.is_multiple_of(10),
    };
    text.whole();
    text.out
}

impl Text {
    fn line(&mut self, line: &str) {
        let written = writeln!(self.out, "{:width$}{line}", "", width = 2 * self.indent);
        written.expect("writing to a string does not fail");
    }

    /// The name of a type.
    fn ty(&mut self) -> &'static str {
        let types = if self.is_wide { &TYPES[..] } else { &TYPES[..TYPES.len() - WIDE] };
        self.random.choose(types)
    }

    /// The end of the name of a function that asks.
    fn ask(&mut self) -> &'static str {
        let asks = if self.is_wide { &ASKS[..] } else { &ASKS[..ASKS.len() - WIDE] };
        self.random.choose(asks)
    }

    fn chance(&mut self, of: usize) -> bool {
        self.random.below(of) == 0
    }

    fn whole(&mut self) {
        self.line("int @fuel = 60;");
        self.line("int @a[5] = {3, -1, 70000};");
        self.line("unsigned char @b[3];");
        let mut globals = vec![];
        for index in 0..3 {
            let (ty, value) = (self.ty(), self.constant());
            self.line(&format!("{ty} @g{index} = {value};"));
            globals.push(format!("@g{index}"));
        }
        let functions = self.random.below(3);
        for index in 0..functions {
            let count = self.random.below(3);
            let types: Vec<&str> = (0..count).map(|_| self.ty()).collect();
            let parameters: Vec<String> =
                types.iter().enumerate().map(|(number, ty)| format!("{ty} p{number}")).collect();
            let result = self.ty();
            let list = if parameters.is_empty() { "void".to_string() } else { parameters.join(", ") };
            self.line(&format!("{result} @f{index}({list}) {{"));
            self.names = globals.iter().cloned().chain((0..count).map(|number| format!("p{number}"))).collect();
            self.body();
            let value = self.expression(2);
            self.line(&format!("  return {value};"));
            self.line("}");
            self.functions.push(count);
        }
        self.line("int @main(void) {");
        self.names = globals;
        self.body();
        self.line("  unsigned @sum = 17;");
        for name in self.names.clone() {
            self.line(&format!("  @sum = @sum * 31 + {name};"));
        }
        self.line("  for (int i = 0; i < 5; i++) @sum = @sum * 31 + @a[i];");
        self.line("  for (int i = 0; i < 3; ++i) { @sum *= 31; @sum += @b[i]; }");
        self.line("  END(@sum)");
        self.line("  return 0;");
        self.line("}");
    }

    /// The declarations and statements of a function.
    fn body(&mut self) {
        self.indent = 1;
        for index in 0..2 {
            let (ty, value) = (self.ty(), self.expression(1));
            self.line(&format!("{ty} x{index} = {value};"));
            self.names.push(format!("x{index}"));
        }
        self.labels = (0..self.random.below(4)).map(|index| format!("L{index}")).collect();
        self.unplaced = self.labels.clone();
        for _ in 0..4 {
            self.statement();
        }
        for label in std::mem::take(&mut self.unplaced) {
            self.line(&format!("{label}: ;"));
        }
        self.indent = 0;
    }

    fn statement(&mut self) {
        if !self.unplaced.is_empty() && self.chance(3) {
            let label = self.unplaced.remove(0);
            self.line(&format!("{label}: ;"));
        }
        let deep = self.depth >= 3;
        self.depth += 1;
        match self.random.below(if deep { 7 } else { 14 }) {
            0 | 1 => {
                let (name, value) = (self.name(), self.expression(3));
                self.line(&format!("{name} = {value};"));
            }
            2 => {
                let (name, value) = (self.name(), self.expression(2));
                let op = self.random.choose(&["+=", "-=", "*=", "&=", "|=", "^="]);
                self.line(&format!("{name} {op} {value};"));
            }
            3 => {
                let (name, op) = (self.name(), self.random.choose(&["++", "--"]));
                let step = if self.chance(2) { format!("{name}{op};") } else { format!("{op}{name};") };
                self.line(&step);
            }
            4 => {
                let (name, ask) = (self.name(), self.ask());
                self.line(&format!("{name} = __VERIFIER_nondet_{ask}();"));
            }
            5 => self.call_or_store(),
            6 => self.jump(),
            7..=9 => self.conditional(),
            10 => self.switch(),
            _ => self.repeat(),
        }
        self.depth -= 1;
    }

    fn call_or_store(&mut self) {
        if self.functions.is_empty() || self.chance(2) {
            let (index, value) = (self.expression(1), self.expression(2));
            let (array, length) = self.random.choose(&[("@a", 5), ("@b", 3)]);
            return self.line(&format!("{array}[(unsigned)({index}) % {length}] = {value};"));
        }
        let function = self.random.below(self.functions.len());
        let arguments: Vec<String> = (0..self.functions[function]).map(|_| self.expression(1)).collect();
        let name = self.name();
        self.line(&format!("{name} = @f{function}({});", arguments.join(", ")));
    }

    fn jump(&mut self) {
        let condition = self.condition();
        let (breaks, continues, label) = (self.chance(3), self.chance(2), self.random.below(self.labels.len().max(1)));
        let jump = match (self.around.last(), self.labels.get(label)) {
            (Some(_), _) if breaks => "break".to_string(),
            (Some(Around::Loop), _) if continues => "continue".to_string(),
            (_, Some(label)) => format!("goto {label}"),
            (_, None) => return self.line(";"),
        };
        self.line(&format!("if (--@fuel >= 0 && {condition}) {jump};"));
    }

    fn conditional(&mut self) {
        let condition = self.condition();
        self.line(&format!("if ({condition}) {{"));
        self.block(2);
        if self.chance(3) {
            let condition = self.condition();
            self.line(&format!("}} else if ({condition}) {{"));
            self.block(1);
        }
        if self.chance(2) {
            self.line("} else {");
            self.block(2);
        }
        self.line("}");
    }

    fn switch(&mut self) {
        let value = self.expression(1);
        self.line(&format!("switch (({value}) & 3) {{"));
        self.around.push(Around::Switch);
        for case in ["case 0:", "case 2: case 3:", "default:"] {
            self.line(case);
            self.block(1);
            if self.chance(2) {
                self.line("break;");
            }
        }
        self.around.pop();
        self.line("}");
    }

    fn repeat(&mut self) {
        let condition = self.condition();
        self.around.push(Around::Loop);
        match self.random.below(3) {
            0 => {
                self.line(&format!("while (--@fuel >= 0 && ({condition})) {{"));
                self.block(2);
                self.line("}");
            }
            1 => {
                self.line("do {");
                self.block(2);
                self.line(&format!("}} while (--@fuel >= 0 && ({condition}));"));
            }
            _ => {
                let (name, value, step) = (self.name(), self.constant(), self.expression(1));
                self.line(&format!("for ({name} = {value}; --@fuel >= 0 && {condition}; {name} += {step}) {{"));
                self.block(2);
                self.line("}");
            }
        }
        self.around.pop();
    }

    fn block(&mut self, statements: usize) {
        self.indent += 1;
        for _ in 0..statements {
            self.statement();
        }
        self.indent -= 1;
    }

    fn name(&mut self) -> String {
        let index = self.random.below(self.names.len());
        self.names[index].clone()
    }

    fn constant(&mut self) -> String {
        let edges = [
            "0",
            "1",
            "2",
            "-1",
            "7",
            "127",
            "128",
            "255",
            "256",
            "-128",
            "32767",
            "65535",
            "0x7fffffff",
            "0x80000000",
            "4294967295U",
            "-2147483647",
            "'a'",
            "010",
            "5000000000",
            "0x8000000000000000",
            "-1LL",
        ];
        let edges = if self.is_wide { &edges[..] } else { &edges[..edges.len() - 3] };
        self.random.choose(edges).to_string()
    }

    fn condition(&mut self) -> String {
        let simple = |this: &mut Self| {
            let (a, b) = (this.expression(2), this.expression(1));
            format!("{a} {} {b}", this.random.choose(&["<", "<=", ">", ">=", "==", "!="]))
        };
        match self.random.below(6) {
            0 => {
                let (a, ask) = (simple(self), self.ask());
                let op = self.random.choose(&["&&", "||"]);
                format!("({a} {op} __VERIFIER_nondet_{ask}() > 5)")
            }
            1 => format!("!({})", simple(self)),
            2 => self.expression(2),
            _ => format!("({})", simple(self)),
        }
    }

    /// An expression without effects, but for a division that may trap.
    fn expression(&mut self, depth: usize) -> String {
        if depth == 0 || self.chance(4) {
            return match self.random.below(4) {
                0 => self.constant(),
                1 => format!("@a[{}]", self.random.below(5)),
                _ if self.names.is_empty() => self.constant(),
                _ => self.name(),
            };
        }
        let a = self.expression(depth - 1);
        let b = self.expression(depth - 1);
        match self.random.below(16) {
            0 => format!("-({a})"),
            1 => format!("~({a})"),
            2 => format!("!({a})"),
            3 => format!("({})({a})", self.ty()),
            4 => format!("({a} << ({b} & 31))"),
            5 => format!("({a} >> ({b} & 31))"),
            6 if self.is_wide => format!("({a} / {})", 1 + self.random.below(9)),
            7 if self.is_wide => format!("({a} % {})", 3 + self.random.below(60_000)),
            6 => format!("({a} / (({b} & 7) + 1))"),
            7 => format!("({a} % (({b} & 15) + 1))"),
            8 => format!("({a} ? {b} : {a})"),
            9 if !self.is_wide && self.chance(8) => format!("({a} / {b})"),
            10 => format!("({a} {} {b})", self.random.choose(&["<", "<=", "==", "!=", "&&", "||"])),
            _ => format!("({a} {} {b})", self.random.choose(&["+", "-", "*", "&", "|", "^"])),
        }
    }
}
