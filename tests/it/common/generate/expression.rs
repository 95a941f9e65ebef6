//! Random expressions. Those that nest cannot fail: divisors are constants and indices are masked.

use super::{CELLS, Generator, POINTERS};

const BINARY: &[&str] =
    &["+", "-", "*", "&", "|", "^", "==", "!=", "<", "<=", ">", ">=", "&&", "||", "/", "%", "<<", ">>"];
const COMPARISONS: &[&str] = &["==", "!=", "<", "<=", ">", ">="];
const EDGES: &[i32] = &[i32::MAX, i32::MAX - 1, -i32::MAX, 65_535, 65_536, 46_341, -46_341, -128];

impl Generator {
    pub fn constant(&mut self) -> String {
        match self.random.below(8) {
            0 => self.random.choose(EDGES).to_string(),
            1 => "limit".into(),
            _ => (self.random.below(9) as i32 - 3).to_string(),
        }
        // A table's cells and a variable's initial value are constants too, but `limit` is none in C.
        .replace("limit", if self.indent > 0 { "limit" } else { "12" })
    }

    /// A constant that may be divided by.
    fn divisor(&mut self) -> i32 {
        let small = self.random.below(12) as i32 - 6;
        if small == 0 { 7 } else { small }
    }

    pub fn global(&mut self) -> String {
        format!("a{}", self.random.below(self.options.variables))
    }

    pub fn variable(&mut self) -> String {
        if !self.locals.is_empty() && self.one_in(3) {
            return self.locals[self.random.below(self.locals.len())].clone();
        }
        self.global()
    }

    pub fn table(&mut self) -> String {
        format!("t{}", self.random.below(self.options.tables))
    }

    pub fn pointer(&mut self) -> String {
        format!("p{}", self.random.below(POINTERS))
    }

    /// A cell that exists: `table[index & 3]`.
    pub fn cell(&mut self, depth: usize) -> String {
        let base = if self.one_in(2) { self.table() } else { self.pointer() };
        if self.one_in(6) {
            return format!("*{base}");
        }
        let index = self.expression(depth);
        format!("{base}[({index}) & {}]", CELLS - 1)
    }

    fn leaf(&mut self) -> String {
        match self.random.below(8) {
            0 | 1 => self.constant(),
            2 => format!("inputs[{}]", self.random.below(4)),
            3 => self.cell(0),
            _ => self.variable(),
        }
    }

    /// An integer, computed without calls and without anything that may fail.
    pub fn expression(&mut self, depth: usize) -> String {
        if depth == 0 || self.one_in(6) {
            return self.leaf();
        }
        match self.random.below(8) {
            0 => {
                let operator = self.random.choose(&["-", "~", "!", "+"]);
                let operand = self.expression(depth - 1);
                format!("{operator}({operand})")
            }
            1 => {
                let condition = self.condition(depth - 1);
                let (then, otherwise) = (self.expression(depth - 1), self.expression(depth - 1));
                format!("(({condition}) ? {then} : {otherwise})")
            }
            2 => self.cell(depth - 1),
            _ => self.binary(depth),
        }
    }

    fn binary(&mut self, depth: usize) -> String {
        let operator = self.random.choose(BINARY);
        let left = self.expression(depth - 1);
        let right = match operator {
            "/" | "%" => self.divisor().to_string(),
            "<<" | ">>" => self.random.below(32).to_string(),
            _ => self.expression(depth - 1),
        };
        format!("({left} {operator} {right})")
    }

    /// A condition without calls.
    pub fn condition(&mut self, depth: usize) -> String {
        if depth > 0 && self.one_in(2) {
            let operator = self.random.choose(&["&&", "||"]);
            let (left, right) = (self.condition(depth - 1), self.condition(depth - 1));
            let not = if self.one_in(4) { "!" } else { "" };
            return format!("{not}({left} {operator} {right})");
        }
        let (left, operator) = (self.expression(depth.min(1)), self.random.choose(COMPARISONS));
        let right = self.constant();
        format!("({left} {operator} {right})")
    }

    /// A condition that calls a helper or divides, in a way whose order C defines.
    pub fn active_condition(&mut self) -> String {
        let plain = self.condition(1);
        let operator = self.random.choose(&["&&", "||"]);
        if self.callable > 0 && self.one_in(2) {
            let (call, constant) = (self.call(), self.constant());
            let comparison = self.random.choose(COMPARISONS);
            return match self.random.below(3) {
                0 => format!("({call} {comparison} {constant}) {operator} {plain}"),
                1 => format!("{plain} {operator} ({call} {comparison} {constant})"),
                _ => call,
            };
        }
        let (a, b) = self.two_globals();
        match self.random.below(3) {
            0 => format!("({b} > 0 && {a} / {b} > 1)"),
            1 => format!("({b} <= 0 || {a} % {b} == 0 || {plain})"),
            _ => format!("({b} > 0 ? {a} / {b} : {a}) < 3"),
        }
    }

    /// A call of a helper that may be called here; there is one.
    pub fn call(&mut self) -> String {
        let helper = self.random.below(self.callable);
        let (x, y) = (self.expression(1), self.expression(1));
        format!("helper{helper}({x}, {y})")
    }

    /// A quotient, remainder or cell that may fail. gcc knows that `x / x` is 1, so the variables differ.
    pub fn partial(&mut self) -> String {
        let (a, b) = self.two_globals();
        match self.random.below(4) {
            0 => format!("{a} / {b}"),
            1 => format!("{a} % {b}"),
            2 => format!("{}[{b}]", self.table()),
            _ => format!("{}[{b}]", self.pointer()),
        }
    }

    fn two_globals(&mut self) -> (String, String) {
        let first = self.random.below(self.options.variables);
        let second = (first + 1 + self.random.below(self.options.variables - 1)) % self.options.variables;
        (format!("a{first}"), format!("a{second}"))
    }
}
