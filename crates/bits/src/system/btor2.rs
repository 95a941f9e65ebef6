//! Word-level systems as BTOR2 text (Niemetz, Preiner, Wolf and Biere, "Btor2, BtorMC and Boolector 3.0", CAV
//! 2018).
//!
//! Truth values are bit-vectors of width 1; integers, and pointers as the numbers of their tables, of width
//! 32. Reads of tables become choices. BTOR2 knows no end of a run, so a step that stops stutters: `next = stop ?
//! current : next`, which leaves the reachable properties as they are. That an input is of its alphabet is a
//! constraint. Where a division by zero has another meaning there than here (see [`crate::expr::ops`]), a choice
//! puts that right.

use std::io::{self, Write};

use rustc_hash::FxHashMap;

use super::TransitionSystem;
use super::tables::expand;
use crate::expr::{BinaryOp, Expr, ExprId, Type, UnaryOp};
use crate::program::Domain;

/// Writes the system; each line is a node with a number of its own, and a property is `bad`, with its name.
pub fn write(out: &mut dyn Write, system: &TransitionSystem) -> io::Result<()> {
    let system = expand(system);
    let lines = Writer { system: &system, out, next: 1, sorts: [0; 2], constants: FxHashMap::default(), nodes: vec![] };
    lines.write()
}

/// The number of a line.
type Node = u64;

struct Writer<'a> {
    system: &'a TransitionSystem,
    out: &'a mut dyn Write,
    /// The number of the next line.
    next: Node,
    /// Those of width 1 and of width 32.
    sorts: [Node; 2],
    constants: FxHashMap<(Sort, i32), Node>,
    /// Per expression the line that defines it.
    nodes: Vec<Node>,
}

#[derive(Clone, Copy, PartialEq, Eq, Hash)]
enum Sort {
    Bit,
    Word,
}

fn sort_of(ty: Type) -> Sort {
    match ty {
        Type::Bool => Sort::Bit,
        Type::Int | Type::Pointer => Sort::Word,
    }
}

impl Writer<'_> {
    fn write(mut self) -> io::Result<()> {
        writeln!(self.out, "; {}", symbol(&self.system.name))?;
        self.sorts[0] = self.line("sort bitvec 1")?;
        self.sorts[1] = self.line("sort bitvec 32")?;
        let inputs = self.inputs()?;
        let states = self.states()?;
        self.expressions(&inputs, &states)?;
        self.next_values(&states)?;
        self.constraints(&inputs)?;
        for property in &self.system.properties {
            let condition = self.nodes[property.condition.index()];
            self.line(&format!("bad {condition} {}", symbol(&property.name)))?;
        }
        Ok(())
    }

    fn line(&mut self, text: &str) -> io::Result<Node> {
        let number = self.next;
        self.next += 1;
        writeln!(self.out, "{number} {text}")?;
        Ok(number)
    }

    /// A line that starts with its operator and sort.
    fn node(&mut self, operator: &str, sort: Sort, rest: &str) -> io::Result<Node> {
        let sort = self.sorts[sort as usize];
        self.line(&format!("{operator} {sort} {rest}"))
    }

    fn constant(&mut self, sort: Sort, value: i32) -> io::Result<Node> {
        if let Some(&known) = self.constants.get(&(sort, value)) {
            return Ok(known);
        }
        let node = self.node("constd", sort, &value.to_string())?;
        self.constants.insert((sort, value), node);
        Ok(node)
    }

    fn inputs(&mut self) -> io::Result<Vec<Node>> {
        let inputs = self.system.inputs.iter();
        inputs.map(|input| self.node("input", Sort::Word, &symbol(&input.name))).collect()
    }

    fn states(&mut self) -> io::Result<Vec<Node>> {
        let mut nodes = vec![];
        for state in &self.system.states {
            // The format wants an initial value to precede its state.
            let sort = sort_of(state.ty);
            let initial = self.constant(sort, state.initial)?;
            let node = self.node("state", sort, &symbol(&state.name))?;
            self.node("init", sort, &format!("{node} {initial}"))?;
            nodes.push(node);
        }
        Ok(nodes)
    }

    fn expressions(&mut self, inputs: &[Node], states: &[Node]) -> io::Result<()> {
        let system = self.system;
        let used = system.used(system.roots());
        self.nodes = vec![0; system.exprs.len()];
        for (id, expr) in system.exprs.iter().filter(|(id, _)| used[id.index()]) {
            let sort = sort_of(system.exprs.type_of(id));
            let at = |id: ExprId| self.nodes[id.index()];
            self.nodes[id.index()] = match expr {
                Expr::Bool(value) => self.constant(sort, i32::from(value))?,
                Expr::Int(value) => self.constant(sort, value)?,
                Expr::Table(table) => self.constant(sort, table.index() as i32)?,
                Expr::Input(input) => inputs[input.index()],
                Expr::Var(var) => states[var.index()],
                Expr::Unary(UnaryOp::Negate, a) => self.node("neg", sort, &at(a).to_string())?,
                Expr::Unary(UnaryOp::BitNot | UnaryOp::Not, a) => self.node("not", sort, &at(a).to_string())?,
                Expr::Unary(UnaryOp::ToInt, a) => self.node("uext", sort, &format!("{} 31", at(a)))?,
                Expr::Binary(op, a, b) => self.binary(op, a, b)?,
                Expr::Ite(a, b, c) => self.node("ite", sort, &format!("{} {} {}", at(a), at(b), at(c)))?,
                Expr::Cell(..) | Expr::Length(_) => unreachable!("reads of tables have been expanded"),
            };
        }
        Ok(())
    }

    fn binary(&mut self, op: BinaryOp, a: ExprId, b: ExprId) -> io::Result<Node> {
        let divides_by = self.system.exprs.as_int(b);
        let (a, mut b) = (self.nodes[a.index()], self.nodes[b.index()]);
        let sort = sort_of(op.result());
        let name = match op {
            BinaryOp::Add => "add",
            BinaryOp::Sub => "sub",
            BinaryOp::Mul => "mul",
            BinaryOp::Div => "sdiv",
            BinaryOp::Rem => "srem",
            BinaryOp::ShiftLeft => "sll",
            BinaryOp::ShiftRight => "sra",
            BinaryOp::BitAnd | BinaryOp::And => "and",
            BinaryOp::BitOr | BinaryOp::Or => "or",
            BinaryOp::BitXor => "xor",
            BinaryOp::Eq => "eq",
            BinaryOp::Less => "slt",
            BinaryOp::LessEq => "slte",
        };
        if matches!(op, BinaryOp::ShiftLeft | BinaryOp::ShiftRight) {
            let mask = self.constant(Sort::Word, 31)?;
            b = self.node("and", Sort::Word, &format!("{b} {mask}"))?;
        }
        let result = self.node(name, sort, &format!("{a} {b}"))?;
        if op != BinaryOp::Div || divides_by.is_some_and(|divisor| divisor != 0) {
            return Ok(result);
        }
        // There `x / 0` is 1 or -1; the remainder `x % 0` is `x`, as here.
        let zero = self.constant(Sort::Word, 0)?;
        let by_zero = self.node("eq", Sort::Bit, &format!("{b} {zero}"))?;
        self.node("ite", Sort::Word, &format!("{by_zero} {zero} {result}"))
    }

    fn next_values(&mut self, states: &[Node]) -> io::Result<()> {
        let stop = self.system.stop;
        let never = self.system.exprs.as_bool(stop) == Some(false);
        for (state, &node) in self.system.states.iter().zip(states) {
            let sort = sort_of(state.ty);
            let mut next = self.nodes[state.next.index()];
            if !never && next != node {
                let stop = self.nodes[stop.index()];
                next = self.node("ite", sort, &format!("{stop} {node} {next}"))?;
            }
            self.node("next", sort, &format!("{node} {next}"))?;
        }
        Ok(())
    }

    fn constraints(&mut self, inputs: &[Node]) -> io::Result<()> {
        for (input, &node) in self.system.inputs.iter().zip(inputs) {
            let is_letter = self.is_of(node, &input.alphabet)?;
            self.line(&format!("constraint {is_letter}"))?;
        }
        for constraint in &self.system.constraints {
            let node = self.nodes[constraint.index()];
            self.line(&format!("constraint {node}"))?;
        }
        Ok(())
    }
}

impl Writer<'_> {
    /// The condition that a word is one of an alphabet.
    fn is_of(&mut self, node: Node, alphabet: &Domain) -> io::Result<Node> {
        match alphabet {
            Domain::List(list) => {
                let mut some = self.constant(Sort::Bit, 0)?;
                for &letter in list {
                    let letter = self.constant(Sort::Word, letter)?;
                    let is_letter = self.node("eq", Sort::Bit, &format!("{node} {letter}"))?;
                    some = self.node("or", Sort::Bit, &format!("{some} {is_letter}"))?;
                }
                Ok(some)
            }
            Domain::Range(low, high) => {
                let (low, high) = (self.constant(Sort::Word, *low)?, self.constant(Sort::Word, *high)?);
                let above = self.node("slte", Sort::Bit, &format!("{low} {node}"))?;
                let below = self.node("slte", Sort::Bit, &format!("{node} {high}"))?;
                self.node("and", Sort::Bit, &format!("{above} {below}"))
            }
        }
    }
}

/// A symbol ends at the next space or comment.
fn symbol(name: &str) -> String {
    name.replace(|c: char| c.is_whitespace() || c == ';', "_")
}
