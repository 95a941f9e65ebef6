//! Conditions and expressions. They have no effect but counting `@c` and asking, and divisions that may trap.

use super::{Kind, Text};

const CONSTANTS: [&str; 25] = [
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
    "(-2147483647 - 1)",
    "'a'",
    "'\\xff'",
    "010",
    // These have 64 bits.
    "5000000000",
    "2147483648",
    "0x8000000000000000",
    "-1LL",
    "0xffffffffffffffffULL",
];

/// The last ones are wide.
const WIDE_CONSTANTS: usize = 5;

impl Text {
    pub(super) fn name(&mut self) -> (String, Kind) {
        let index = self.random.below(self.names.len());
        self.names[index].clone()
    }

    pub(super) fn constant(&mut self) -> String {
        let all = &CONSTANTS[..];
        let constants = if self.shape.is_wide { all } else { &all[..all.len() - WIDE_CONSTANTS] };
        self.random.choose(constants).to_string()
    }

    /// An index into an array of some length, of any type.
    pub(super) fn index(&mut self, length: usize) -> String {
        match self.random.below(3) {
            0 => self.random.below(length).to_string(),
            1 => format!("(unsigned)({}) % {length}", self.expression(1)),
            _ => format!("({} & 255) % {length}", self.expression(1)),
        }
    }

    /// A cell of an array.
    pub(super) fn cell(&mut self) -> String {
        match self.random.below(4) {
            0 => format!("@a[{}]", self.index(5)),
            1 => format!("@b[{}]", self.index(3)),
            2 => format!("@d[{}]", self.index(4)),
            _ => {
                let (row, column) = (self.index(2), self.index(3));
                format!("@m[{row}][{column}]")
            }
        }
    }

    pub(super) fn condition(&mut self) -> String {
        match self.random.below(8) {
            0 => {
                let (a, ask) = (self.comparison(), self.ask());
                let op = self.random.choose(&["&&", "||"]);
                format!("({a} {op} __VERIFIER_nondet_{ask}() > 5)")
            }
            1 => format!("!({})", self.comparison()),
            2 => self.expression(2),
            // The call comes after all that the first operand reads.
            3 if !self.functions.is_empty() => {
                let (a, op) = (self.comparison(), self.random.choose(&["&&", "||"]));
                format!("({a} {op} {} > 3)", self.called())
            }
            _ => format!("({})", self.comparison()),
        }
    }

    fn comparison(&mut self) -> String {
        let (a, b) = (self.expression(2), self.expression(1));
        format!("{a} {} {b}", self.random.choose(&["<", "<=", ">", ">=", "==", "!="]))
    }

    /// An expression that may count `@c` once.
    pub(super) fn counting(&mut self, depth: usize) -> String {
        self.may_count = true;
        let text = self.expression(depth);
        self.may_count = false;
        text
    }

    pub(super) fn expression(&mut self, depth: usize) -> String {
        if depth == 0 || self.chance(5) {
            return match self.random.below(8) {
                0 | 1 => self.constant(),
                2 => format!("@a[{}]", self.random.below(5)),
                3 if depth > 0 => self.cell(),
                4 if std::mem::take(&mut self.may_count) => {
                    self.random.choose(&["@c++", "--@c", "(@c += 3)", "(@c *= 5)", "@c--", "(@c = 9)"]).into()
                }
                _ if self.names.is_empty() => self.constant(),
                _ => self.name().0,
            };
        }
        let a = self.expression(depth - 1);
        let b = self.expression(depth - 1);
        match self.random.below(20) {
            0 => format!("-({a})"),
            1 => format!("~({a})"),
            2 => format!("!({a})"),
            3 | 4 => format!("({})({a})", self.kind().name),
            5 => format!("({a} << ({b} & 31))"),
            6 => format!("({a} >> ({b} & 31))"),
            7 if self.shape.is_wide => format!("((long long)({a}) >> ({b} & 63))"),
            8 if self.shape.is_wide => format!("((unsigned long long)({a}) << ({b} & 63))"),
            9 => format!("({a} / (({b} & 7) + 1))"),
            10 => format!("({a} % (({b} & 15) + 1))"),
            11 => format!("({a} {} ({b} | 1))", self.random.choose(&["/", "%"])),
            12 => format!("({a} ? {b} : {})", self.expression(depth - 1)),
            13 if self.chance(4) => format!("({a} / {b})"),
            14 if self.chance(2) => format!("({a}, {b})"),
            15 if self.chance(2) => format!("(unsigned)sizeof({})", self.kind().name),
            16 | 17 => {
                let op = self.random.choose(&["<", "<=", ">", ">=", "==", "!=", "&&", "||"]);
                format!("({a} {op} {b})")
            }
            _ => format!("({a} {} {b})", self.random.choose(&["+", "-", "*", "&", "|", "^"])),
        }
    }
}
