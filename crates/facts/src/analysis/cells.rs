//! Where comparisons cut the numbers of a variable: cells, whose numbers no comparison with a constant tells apart.

use crate::expr::{BinaryOp, Expr};
use crate::program::Program;

/// The cells of all variables, by number.
#[derive(Clone, Debug)]
pub struct Cells {
    /// Where all cells but the lowest begin, ascending.
    starts: Vec<Box<[i32]>>,
}

impl Cells {
    /// Of these places where cells begin, in any order.
    pub fn from_starts(starts: Vec<Vec<i32>>) -> Cells {
        let sorted = |mut list: Vec<i32>| {
            list.sort_unstable();
            list.dedup();
            list.retain(|&start| start > i32::MIN);
            list.into()
        };
        Cells { starts: starts.into_iter().map(sorted).collect() }
    }

    /// Of all comparisons in a program.
    pub fn of(program: &Program) -> Cells {
        let mut starts = vec![vec![]; program.variables.len()];
        for (_, expr) in program.exprs.iter() {
            let Expr::Binary(op @ (BinaryOp::Eq | BinaryOp::Less | BinaryOp::LessEq), a, b) = expr else { continue };
            for (side, other, is_left) in [(a, b, true), (b, a, false)] {
                let (Expr::Var(var), Some(constant)) = (program.exprs.get(side), program.exprs.as_int(other)) else {
                    continue;
                };
                let list = &mut starts[var.index()];
                // `x < c` and `c <= x` part before the constant, `x <= c` and `c < x` behind it.
                let (before, behind) = match op {
                    BinaryOp::Eq => (true, true),
                    BinaryOp::Less => (is_left, !is_left),
                    _ => (!is_left, is_left),
                };
                list.extend(before.then_some(constant));
                list.extend(if behind { constant.checked_add(1) } else { None });
            }
        }
        Cells::from_starts(starts)
    }

    /// The number of the cell that a number of a variable lies in, counted from the lowest.
    pub fn number(&self, variable: usize, value: i32) -> usize {
        self.starts[variable].partition_point(|&start| start <= value)
    }

    /// The cell that a number of a variable lies in.
    pub fn around(&self, variable: usize, value: i32) -> (i32, i32) {
        let starts = &self.starts[variable];
        let at = self.number(variable, value);
        let low = at.checked_sub(1).map_or(i32::MIN, |before| starts[before]);
        (low, starts.get(at).map_or(i32::MAX, |next| next - 1))
    }
}
