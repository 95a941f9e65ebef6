//! Random sequential C programs: integers of all types with all operators and conversions, arrays, loops of all kinds,
//! switches (into loops, too), calls, pointers as parameters, and jumps out of loops, back, and into them.
//!
//! Names start with `@`, to be replaced by users of the text. Runs end, since every jump back costs some of `@fuel`.
//! All variables are initialised and no two effects are unsequenced, so the language defines the result of each run. In
//! the end `@sum` has it all.

mod expressions;

use std::fmt::Write;

use redoubt_base::Random;

/// Types by name and width; `long_32` and `ulong_32` are what `long` is where it has 32 bits.
const TYPES: [Kind; 13] = [
    Kind { name: "signed char", is_wide: false },
    Kind { name: "unsigned char", is_wide: false },
    Kind { name: "char", is_wide: false },
    Kind { name: "short", is_wide: false },
    Kind { name: "unsigned short", is_wide: false },
    Kind { name: "int", is_wide: false },
    Kind { name: "unsigned", is_wide: false },
    Kind { name: "int", is_wide: false },
    Kind { name: "long_32", is_wide: false },
    Kind { name: "ulong_32", is_wide: false },
    Kind { name: "_Bool", is_wide: false },
    Kind { name: "long long", is_wide: true },
    Kind { name: "unsigned long long", is_wide: true },
];

/// The functions that ask for values, by type.
const ASKS: [&str; 9] = ["int", "uint", "char", "uchar", "short", "ushort", "bool", "longlong", "ulonglong"];

/// The last ones of both are wide.
const WIDE: usize = 2;

#[derive(Clone, Copy, PartialEq, Eq)]
struct Kind {
    name: &'static str,
    is_wide: bool,
}

/// The size of programs.
#[derive(Clone, Copy)]
pub struct Shape {
    /// In the body of a function, and how deep they nest.
    pub statements: usize,
    pub deepest: usize,
    pub functions: usize,
    /// The number of times that a run may jump back.
    pub fuel: usize,
    /// Whether there are numbers of 64 bits.
    pub is_wide: bool,
}

impl Shape {
    pub fn large(seed: u64) -> Shape {
        Shape { statements: 4, deepest: 3, functions: 3, fuel: 60, is_wide: seed.is_multiple_of(2) }
    }

    /// A few loops, for engines that look at all runs.
    pub fn small(seed: u64) -> Shape {
        Shape { statements: 3, deepest: 2, functions: 2, fuel: 3, is_wide: seed.is_multiple_of(8) }
    }
}

pub struct Text {
    random: Random,
    shape: Shape,
    out: String,
    indent: usize,
    /// Variables that can be read and written.
    names: Vec<(String, Kind)>,
    /// Labels of the function that are not placed yet, and all of them.
    unplaced: Vec<String>,
    labels: Vec<String>,
    /// Whether a label may stand here: none may be in the scope of a variable that a jump to it would leave undefined.
    may_place: bool,
    /// Whether this expression may still count `@c`, which nothing else in it looks at.
    may_count: bool,
    /// Loops around the statement, and switches, from the outside in.
    around: Vec<Around>,
    /// The functions so far, with the numbers of their parameters.
    functions: Vec<usize>,
    depth: usize,
    locals: usize,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Around {
    Loop,
    Switch,
}

/// A program; `sum` is the argument of its last statement.
pub fn program(seed: u64, shape: Shape) -> String {
    let mut text = Text {
        random: Random::new(seed),
        shape,
        out: String::new(),
        indent: 0,
        names: vec![],
        unplaced: vec![],
        labels: vec![],
        may_place: true,
        may_count: false,
        around: vec![],
        functions: vec![],
        depth: 0,
        locals: 0,
    };
    text.whole();
    text.out
}

impl Text {
    fn line(&mut self, line: &str) {
        let written = writeln!(self.out, "{:width$}{line}", "", width = 2 * self.indent);
        written.expect("writing to a string does not fail");
    }

    fn kind(&mut self) -> Kind {
        let kinds = if self.shape.is_wide { &TYPES[..] } else { &TYPES[..TYPES.len() - WIDE] };
        self.random.choose(kinds)
    }

    /// The end of the name of a function that asks.
    fn ask(&mut self) -> &'static str {
        let asks = if self.shape.is_wide { &ASKS[..] } else { &ASKS[..ASKS.len() - WIDE] };
        self.random.choose(asks)
    }

    fn chance(&mut self, of: usize) -> bool {
        self.random.below(of) == 0
    }

    fn whole(&mut self) {
        self.line(&format!("int @fuel = {};", self.shape.fuel));
        self.line("int @a[5] = {3, -1, 70000};");
        self.line("unsigned char @b[3];");
        let (element, counter) = (self.kind(), self.kind());
        self.line(&format!("{} @d[4] = {{-7, 200, 5000000000}};", element.name));
        self.line("short @m[2][3] = {{1, -2}, {40000}};");
        self.line(&format!("{} @c = 250;", counter.name));
        self.line("void @swap(int *p, int *q) { int t = *p; *p = *q; *q = t; }");
        self.line("int @total(int *p, unsigned n) { int s = 0; for (int i = 0; i < n; i++) s += p[i]; return s; }");
        let mut globals = vec![];
        for index in 0..3 {
            let (kind, value) = (self.kind(), self.constant());
            self.line(&format!("{} @g{index} = {value};", kind.name));
            globals.push((format!("@g{index}"), kind));
        }
        for index in 0..self.random.below(self.shape.functions) {
            self.function(index, &globals);
        }
        self.line("int @main(void) {");
        self.names = globals;
        self.body();
        self.line("  unsigned @sum = 17;");
        for (name, _) in [self.names.clone(), vec![("@c".into(), counter)]].concat() {
            self.line(&format!("  @sum = @sum * 31 + {name};"));
        }
        self.line("  for (int i = 0; i < 5; i++) @sum = @sum * 31 + @a[i];");
        self.line("  for (int i = 0; i < 3; ++i) { @sum *= 31; @sum += @b[i]; }");
        self.line("  for (int i = 0; i < 4; ++i) @sum = @sum * 31 + @d[i];");
        self.line("  for (int i = 0; i < 6; ++i) @sum = @sum * 31 + @m[i / 3][i % 3];");
        self.line("  END(@sum)");
        self.line("  return 0;");
        self.line("}");
    }

    fn function(&mut self, index: usize, globals: &[(String, Kind)]) {
        let count = self.random.below(3);
        let parameters: Vec<(String, Kind)> = (0..count).map(|number| (format!("p{number}"), self.kind())).collect();
        let list: Vec<String> = parameters.iter().map(|(name, kind)| format!("{} {name}", kind.name)).collect();
        let list = if list.is_empty() { "void".to_string() } else { list.join(", ") };
        let result = self.kind().name;
        self.line(&format!("{result} @f{index}({list}) {{"));
        self.names = [globals, &parameters].concat();
        self.body();
        let value = self.expression(2);
        self.line(&format!("  return {value};"));
        self.line("}");
        self.functions.push(count);
    }

    /// The declarations and statements of a function.
    fn body(&mut self) {
        self.indent = 1;
        for index in 0..2 {
            let (kind, value) = (self.kind(), self.expression(1));
            self.line(&format!("{} x{index} = {value};", kind.name));
            self.names.push((format!("x{index}"), kind));
        }
        if self.chance(3) {
            let (kind, value) = (self.kind(), self.constant());
            self.line(&format!("static {} s = {value};", kind.name));
            self.names.push(("s".into(), kind));
        }
        self.labels = (0..self.random.below(4)).map(|index| format!("L{index}")).collect();
        self.unplaced = self.labels.clone();
        for _ in 0..self.shape.statements {
            self.statement();
        }
        for label in std::mem::take(&mut self.unplaced) {
            self.line(&format!("{label}: ;"));
        }
        self.indent = 0;
    }

    fn statement(&mut self) {
        if self.may_place && !self.unplaced.is_empty() && self.chance(3) {
            let label = self.unplaced.remove(0);
            self.line(&format!("{label}: ;"));
        }
        self.depth += 1;
        let is_deep = self.depth > self.shape.deepest;
        match self.random.below(if is_deep { 9 } else { 19 }) {
            0 | 1 => {
                let ((name, _), value) = (self.name(), self.counting(3));
                self.line(&format!("{name} = {value};"));
            }
            2 | 3 => self.compound(),
            4 => {
                let ((name, _), op) = (self.name(), self.random.choose(&["++", "--"]));
                let step = if self.chance(2) { format!("{name}{op};") } else { format!("{op}{name};") };
                self.line(&step);
            }
            5 => {
                let ((name, _), ask) = (self.name(), self.ask());
                self.line(&format!("{name} = __VERIFIER_nondet_{ask}();"));
            }
            6 => self.call(),
            7 => self.store(),
            8 => self.jump(),
            9..=12 => self.conditional(),
            13 => self.switch(),
            14 => self.scope(),
            _ => self.repeat(),
        }
        self.depth -= 1;
    }

    /// `x += ...` and its like.
    fn compound(&mut self) {
        let ((name, kind), value) = (self.name(), self.expression(2));
        let most = if kind.is_wide { 63 } else { 31 };
        let text = match self.random.below(10) {
            0 => format!("{name} <<= {value} & {most};"),
            1 => format!("{name} >>= {value} & {most};"),
            2 => format!("{name} /= ({value} & 7) + 1;"),
            3 => format!("{name} %= ({value} & 15) + 1;"),
            _ => format!("{name} {} {value};", self.random.choose(&["+=", "-=", "*=", "&=", "|=", "^="])),
        };
        self.line(&text);
    }

    fn call(&mut self) {
        let (name, _) = self.name();
        let text = match self.random.below(if self.functions.is_empty() { 2 } else { 6 }) {
            0 => {
                let (from, to) = (self.index(5), self.index(5));
                format!("@swap(&@a[{from}], &@a[{to}]);")
            }
            1 => format!("{name} = @total(@a, {});", self.random.below(6)),
            _ => format!("{name} = {};", self.called()),
        };
        self.line(&text);
    }

    /// A call of a function with arguments.
    fn called(&mut self) -> String {
        let function = self.random.below(self.functions.len());
        let arguments: Vec<String> = (0..self.functions[function]).map(|_| self.expression(1)).collect();
        format!("@f{function}({})", arguments.join(", "))
    }

    fn store(&mut self) {
        let (cell, value) = (self.cell(), self.expression(2));
        let op = self.random.choose(&["=", "=", "+=", "^=", "-="]);
        self.line(&format!("{cell} {op} {value};"));
    }

    fn jump(&mut self) {
        let condition = self.condition();
        let (breaks, continues, label) = (self.chance(3), self.chance(2), self.random.below(self.labels.len().max(1)));
        let is_in_loop = self.around.contains(&Around::Loop);
        let jump = match (self.around.last(), self.labels.get(label)) {
            (Some(_), _) if breaks => "break".to_string(),
            (Some(_), _) if continues && is_in_loop => "continue".to_string(),
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
        let value = self.counting(1);
        let (values, cases): (_, [&str; 3]) = if self.chance(3) {
            (value, ["case -1: case 127:", "case 0x80000000: case 7:", "default:"])
        } else {
            (format!("({value}) & 3"), ["case 0:", "case 2: case 3:", "default:"])
        };
        self.line(&format!("switch ({values}) {{"));
        self.around.push(Around::Switch);
        for case in cases {
            self.line(case);
            self.block(1);
            if self.chance(2) {
                self.line("break;");
            }
        }
        if self.chance(3) {
            // A loop that a case leads into.
            let (name, _) = self.name();
            self.line(&format!("for ({name} = 0; --@fuel >= 0 && {name} < 3; ++{name}) {{"));
            self.around.push(Around::Loop);
            self.line("case 1:");
            self.block(1);
            self.around.pop();
            self.line("}");
        }
        self.around.pop();
        self.line("}");
    }

    /// A block with a variable of its own, which no jump leads into.
    fn scope(&mut self) {
        let (kind, value, could_place) = (self.kind(), self.expression(2), self.may_place);
        self.may_place = false;
        self.locals += 1;
        let name = format!("y{}", self.locals);
        self.line(&format!("{{ {} {name} = {value};", kind.name));
        self.names.push((name, kind));
        self.block(2);
        self.names.pop();
        self.line("}");
        self.may_place = could_place;
    }

    fn repeat(&mut self) {
        let condition = self.condition();
        self.around.push(Around::Loop);
        match self.random.below(4) {
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
            2 => {
                self.line("while (1) {");
                self.line(&format!("  if (--@fuel < 0 || {condition}) break;"));
                self.block(2);
                self.line("}");
            }
            _ => {
                let ((name, _), value, step) = (self.name(), self.constant(), self.expression(1));
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
}
