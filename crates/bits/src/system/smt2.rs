//! Word-level systems as SMT-LIB 2 text, for z3, cvc5 and others.
//!
//! The text declares a constant per state variable `x`, one for its next value `x'` and one per input, and
//! defines over them, each once, so that the text grows with the system:
//!
//! ```text
//! ?n            an expression that is used below
//! init          x has its initial value, for all x
//! constraint    the inputs are of their alphabets and all assumptions hold
//! stop          the step ends the run
//! trans         constraint, not stop, and each x' is the next value of x
//! bad NAME      constraint, and the step reaches the property NAME
//! ```
//!
//! There are no assertions: `(assert init)` with `(assert |bad error_1|)` and `(check-sat)` asks whether the first
//! step can reach `error_1`, and further steps are had by renaming, as from the VMT format of nuXmv, which this
//! resembles. Integers, and pointers as the numbers of their tables, are bit-vectors of width 32. Reads of tables
//! become choices.

use std::io::{self, Write};

use rustc_hash::FxHashSet;

use super::TransitionSystem;
use super::tables::expand;
use crate::expr::{BinaryOp, Expr, ExprId, Type, UnaryOp};
use crate::program::Domain;

pub fn write(out: &mut dyn Write, system: &TransitionSystem) -> io::Result<()> {
    let system = expand(system);
    let mut symbols = Symbols::default();
    let inputs = system.inputs.iter().map(|input| symbols.quoted(&input.name)).collect();
    let states: Vec<String> = system.states.iter().map(|state| symbols.quoted(&state.name)).collect();
    let next = system.states.iter().map(|state| symbols.quoted(&format!("{}'", state.name))).collect();
    let bad = system.properties.iter().map(|property| symbols.quoted(&format!("bad {}", property.name))).collect();
    Writer { system: &system, out, inputs, states, next, bad }.write()
}

/// The names that are taken; those that the text itself defines or uses are taken from the start.
#[derive(Default)]
struct Symbols(FxHashSet<String>);

impl Symbols {
    /// A quoted symbol for a name, changed only where the format or an earlier name demands it.
    fn quoted(&mut self, name: &str) -> String {
        const RESERVED: &str = " init constraint stop trans and or not xor ite true false let forall exists match par as \
                                distinct select store concat Bool ";
        let mut name = name.replace(['|', '\\'], "_");
        while RESERVED.contains(&format!(" {name} ")) || name.starts_with("bv") || !self.0.insert(name.clone()) {
            name.insert(0, '_');
        }
        format!("|{name}|")
    }
}

struct Writer<'a> {
    system: &'a TransitionSystem,
    out: &'a mut dyn Write,
    inputs: Vec<String>,
    states: Vec<String>,
    next: Vec<String>,
    bad: Vec<String>,
}

impl Writer<'_> {
    fn write(mut self) -> io::Result<()> {
        let system = self.system;
        writeln!(self.out, "; {}", system.name.replace(['\n', '\r'], " "))?;
        writeln!(self.out, "(set-logic QF_BV)")?;
        for input in &self.inputs {
            writeln!(self.out, "(declare-const {input} {})", sort(Type::Int))?;
        }
        for (state, names) in system.states.iter().zip(self.states.iter().zip(&self.next)) {
            writeln!(self.out, "(declare-const {} {})", names.0, sort(state.ty))?;
            writeln!(self.out, "(declare-const {} {})", names.1, sort(state.ty))?;
        }
        self.expressions()?;
        let initial = system.states.iter().zip(&self.states).map(|(state, name)| match state.ty {
            Type::Bool => format!("(= {name} {})", state.initial != 0),
            Type::Int | Type::Pointer => format!("(= {name} {})", number(state.initial)),
        });
        let initial = initial.collect();
        self.conjunction("init", initial)?;
        self.constraint()?;
        writeln!(self.out, "(define-fun stop () Bool {})", self.term(system.stop))?;
        let next = system.states.iter().zip(&self.next);
        let next = next.map(|(state, name)| format!("(= {name} {})", self.term(state.next)));
        let parts = ["constraint".into(), "(not stop)".into()].into_iter().chain(next).collect();
        self.conjunction("trans", parts)?;
        for (property, name) in system.properties.iter().zip(&self.bad) {
            let condition = self.term(property.condition);
            writeln!(self.out, "(define-fun {name} () Bool (and constraint {condition}))")?;
        }
        Ok(())
    }

    /// Every compound expression that is used becomes a definition of its own.
    fn expressions(&mut self) -> io::Result<()> {
        let exprs = &self.system.exprs;
        let used = self.system.used(self.system.roots());
        for (id, expr) in exprs.iter().filter(|(id, _)| used[id.index()]) {
            if expr.operands().next().is_some() {
                let (sort, text) = (sort(exprs.type_of(id)), self.compound(expr));
                writeln!(self.out, "(define-fun ?{} () {sort} {text})", id.index())?;
            }
        }
        Ok(())
    }

    /// A leaf as it is, and any other expression by the name of its definition.
    fn term(&self, id: ExprId) -> String {
        match self.system.exprs.get(id) {
            Expr::Bool(value) => value.to_string(),
            Expr::Int(value) => number(value),
            Expr::Table(table) => number(table.index() as i32),
            Expr::Input(input) => self.inputs[input.index()].clone(),
            Expr::Var(var) => self.states[var.index()].clone(),
            _ => format!("?{}", id.index()),
        }
    }

    fn compound(&self, expr: Expr) -> String {
        let term = |id: ExprId| self.term(id);
        match expr {
            Expr::Unary(UnaryOp::Negate, a) => format!("(bvneg {})", term(a)),
            Expr::Unary(UnaryOp::BitNot, a) => format!("(bvnot {})", term(a)),
            Expr::Unary(UnaryOp::Not, a) => format!("(not {})", term(a)),
            Expr::Unary(UnaryOp::ToInt, a) => format!("(ite {} {} {})", term(a), number(1), number(0)),
            Expr::Binary(op, a, b) => binary(op, &term(a), &term(b)),
            Expr::Ite(a, b, c) => format!("(ite {} {} {})", term(a), term(b), term(c)),
            leaf => unreachable!("{leaf:?} has no definition"),
        }
    }

    fn constraint(&mut self) -> io::Result<()> {
        let mut parts = vec![];
        for (input, name) in self.system.inputs.iter().zip(&self.inputs) {
            parts.push(match &input.alphabet {
                Domain::List(list) => {
                    let letters: Vec<String> =
                        list.iter().map(|&letter| format!("(= {name} {})", number(letter))).collect();
                    format!("(or false {})", letters.join(" "))
                }
                Domain::Range(low, high) => {
                    format!("(and (bvsle {} {name}) (bvsle {name} {}))", number(*low), number(*high))
                }
            });
        }
        parts.extend(self.system.constraints.iter().map(|&constraint| self.term(constraint)));
        self.conjunction("constraint", parts)
    }

    fn conjunction(&mut self, name: &str, parts: Vec<String>) -> io::Result<()> {
        writeln!(self.out, "(define-fun {name} () Bool (and true")?;
        for part in parts {
            writeln!(self.out, "  {part}")?;
        }
        writeln!(self.out, "))")
    }
}

fn sort(ty: Type) -> &'static str {
    match ty {
        Type::Bool => "Bool",
        Type::Int | Type::Pointer => "(_ BitVec 32)",
    }
}

fn number(value: i32) -> String {
    format!("#x{value:08x}")
}

fn binary(op: BinaryOp, a: &str, b: &str) -> String {
    let name = match op {
        // There `x / 0` is 1 or -1; the remainder `x % 0` is `x`, as here.
        BinaryOp::Div => return format!("(ite (= {b} {zero}) {zero} (bvsdiv {a} {b}))", zero = number(0)),
        BinaryOp::ShiftLeft => return format!("(bvshl {a} (bvand {b} {}))", number(31)),
        BinaryOp::ShiftRight => return format!("(bvashr {a} (bvand {b} {}))", number(31)),
        BinaryOp::Add => "bvadd",
        BinaryOp::Sub => "bvsub",
        BinaryOp::Mul => "bvmul",
        BinaryOp::Rem => "bvsrem",
        BinaryOp::BitAnd => "bvand",
        BinaryOp::BitOr => "bvor",
        BinaryOp::BitXor => "bvxor",
        BinaryOp::Eq => "=",
        BinaryOp::Less => "bvslt",
        BinaryOp::LessEq => "bvsle",
        BinaryOp::And => "and",
        BinaryOp::Or => "or",
    };
    format!("({name} {a} {b})")
}
