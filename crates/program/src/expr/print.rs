//! Expressions as text: C's operators and precedence, with as few parentheses as they need.

use std::fmt::Write;

use super::{BinaryOp, Expr, ExprId, Exprs, InputId, TableId, UnaryOp, VarId};

/// The names of an expression's leaves.
pub trait Names {
    fn var(&self, var: VarId) -> String;
    fn input(&self, input: InputId) -> String;
    fn table(&self, table: TableId) -> String;
}

/// C's precedence levels, as far as they are used; higher binds tighter.
const TERNARY: u8 = 1;
const UNARY: u8 = 12;

fn symbol(op: BinaryOp) -> (&'static str, u8) {
    match op {
        BinaryOp::Mul => ("*", 11),
        BinaryOp::Div => ("/", 11),
        BinaryOp::Rem => ("%", 11),
        BinaryOp::Add => ("+", 10),
        BinaryOp::Sub => ("-", 10),
        BinaryOp::ShiftLeft => ("<<", 9),
        BinaryOp::ShiftRight => (">>", 9),
        BinaryOp::Less => ("<", 8),
        BinaryOp::LessEq => ("<=", 8),
        BinaryOp::Eq => ("==", 7),
        BinaryOp::BitAnd => ("&", 6),
        BinaryOp::BitXor => ("^", 5),
        BinaryOp::BitOr => ("|", 4),
        BinaryOp::And => ("&&", 3),
        BinaryOp::Or => ("||", 2),
    }
}

/// A piece that is still to be written: the printer keeps its own stack, since expressions nest without limit.
enum Piece {
    Expr(ExprId, u8),
    Text(&'static str),
}

impl Exprs {
    pub fn print(&self, id: ExprId, names: &dyn Names) -> String {
        self.print_with(id, names, &|_| false)
    }

    /// Writes `#n` in place of the expressions that have a name of their own.
    pub fn print_with(&self, id: ExprId, names: &dyn Names, is_named: &dyn Fn(ExprId) -> bool) -> String {
        let mut out = String::new();
        let mut pending = vec![Piece::Expr(id, 0)];
        while let Some(piece) = pending.pop() {
            match piece {
                Piece::Text(text) => out.push_str(text),
                Piece::Expr(id, _) if is_named(id) => out.push_str(&format!("#{}", id.index())),
                Piece::Expr(id, outer) => {
                    let (mut pieces, level) = self.pieces(id, names, &mut out);
                    if level < outer {
                        pieces.insert(0, Piece::Text("("));
                        pieces.push(Piece::Text(")"));
                    }
                    pending.extend(pieces.into_iter().rev());
                }
            }
        }
        out
    }

    /// The pieces of one node and its level. Leaves are written at once.
    fn pieces(&self, id: ExprId, names: &dyn Names, out: &mut String) -> (Vec<Piece>, u8) {
        use Piece::{Expr as E, Text as T};
        let leaf = |out: &mut String, text: &str| {
            out.push_str(text);
            (vec![], u8::MAX)
        };
        match self.get(id) {
            Expr::Bool(value) => leaf(out, if value { "true" } else { "false" }),
            Expr::Int(value) => {
                let written = write!(out, "{value}");
                debug_assert!(written.is_ok());
                (vec![], u8::MAX)
            }
            Expr::Table(table) => leaf(out, &names.table(table)),
            Expr::Input(input) => leaf(out, &names.input(input)),
            Expr::Var(var) => leaf(out, &names.var(var)),
            Expr::Unary(UnaryOp::Not, a) => match self.get(a) {
                Expr::Binary(BinaryOp::Eq, x, y) => (vec![E(x, 7), T(" != "), E(y, 8)], 7),
                _ => (vec![T("!"), E(a, UNARY)], UNARY),
            },
            Expr::Unary(UnaryOp::Negate, a) => (vec![T("-"), E(a, UNARY + 1)], UNARY),
            Expr::Unary(UnaryOp::BitNot, a) => (vec![T("~"), E(a, UNARY)], UNARY),
            Expr::Unary(UnaryOp::ToInt, a) => (vec![T("int("), E(a, 0), T(")")], u8::MAX),
            Expr::Binary(op, a, b) => {
                let (text, level) = symbol(op);
                // `-` and friends group to the left.
                (vec![E(a, level), T(" "), T(text), T(" "), E(b, level + 1)], level)
            }
            Expr::Ite(c, a, b) => {
                (vec![E(c, TERNARY + 1), T(" ? "), E(a, TERNARY + 1), T(" : "), E(b, TERNARY)], TERNARY)
            }
            Expr::Cell(pointer, index) => (vec![E(pointer, UNARY), T("["), E(index, 0), T("]")], u8::MAX),
            Expr::Length(pointer) => (vec![T("length("), E(pointer, 0), T(")")], u8::MAX),
        }
    }
}
