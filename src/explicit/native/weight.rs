//! How much code each statement becomes, and how it can be left.

use crate::expr::{Expr, ExprId};
use crate::program::usage::callees_first;
use crate::program::{Program, StmtId, StmtKind};

use crate::analysis::slice::Slice;

/// How a statement can be left other than at its end.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Exits {
    /// By a return from the function that it is part of.
    pub returns: bool,
    /// By an end of the run.
    pub ends: bool,
}

impl Exits {
    pub fn any(self) -> bool {
        self.returns || self.ends
    }
}

/// Sizes and exits of all statements of a slice.
pub struct Weights {
    /// Per expression: its operations as a tree, which is how it is compiled.
    exprs: Vec<u64>,
    /// Per expression: whether an input is part of it.
    inputs: Vec<bool>,
    stmts: Vec<u64>,
    exits: Vec<Exits>,
}

impl Weights {
    pub fn of(program: &Program, slice: &Slice) -> Weights {
        let mut exprs: Vec<u64> = Vec::with_capacity(program.exprs.len());
        let mut inputs: Vec<bool> = Vec::with_capacity(program.exprs.len());
        for (_, expr) in program.exprs.iter() {
            let operands = expr.operands().map(|operand| exprs[operand.index()]);
            exprs.push(operands.fold(1, u64::saturating_add));
            let reads = matches!(expr, Expr::Input(_)) || expr.operands().any(|operand| inputs[operand.index()]);
            inputs.push(reads);
        }
        let exits = vec![Exits::default(); program.stmts.len()];
        let mut weights = Weights { exprs, inputs, stmts: vec![0; program.stmts.len()], exits };
        for function in callees_first(program) {
            weights.measure(program, slice, program.function(function).body);
        }
        weights.measure(program, slice, program.step);
        weights
    }

    pub fn expr(&self, id: ExprId) -> u64 {
        self.exprs[id.index()]
    }

    pub fn reads_input(&self, id: ExprId) -> bool {
        self.inputs[id.index()]
    }

    pub fn stmt(&self, id: StmtId) -> u64 {
        self.stmts[id.index()]
    }

    pub fn exits(&self, id: StmtId) -> Exits {
        self.exits[id.index()]
    }

    /// The weight of the whole step, every function counted once.
    pub fn total(&self, program: &Program) -> u64 {
        let bodies = program.functions.iter().map(|function| self.stmt(function.body));
        bodies.fold(self.stmt(program.step), u64::saturating_add)
    }

    /// A body whose callees have been measured.
    fn measure(&mut self, program: &Program, slice: &Slice, body: StmtId) {
        let mut order = vec![body];
        let mut next = 0;
        while let Some(&id) = order.get(next) {
            order.extend(program.stmt(id).kind.children().filter(|&child| slice.keeps(child)));
            next += 1;
        }
        // Parents come before their children, so the way back meets children first.
        for &id in order.iter().rev().filter(|id| slice.keeps(**id)) {
            let kind = &program.stmt(id).kind;
            let own = kind.expressions().into_iter().map(|expr| self.expr(expr)).fold(1, u64::saturating_add);
            self.stmts[id.index()] = kind.children().map(|child| self.stmt(child)).fold(own, u64::saturating_add);
            let mut exits = match kind {
                StmtKind::Return => Exits { returns: true, ends: false },
                StmtKind::Error(_) | StmtKind::Halt(_) | StmtKind::Assume(_) => Exits { returns: false, ends: true },
                StmtKind::Call(callee) => {
                    Exits { returns: false, ends: self.exits(program.function(*callee).body).ends }
                }
                _ => Exits::default(),
            };
            for child in kind.children() {
                exits.returns |= self.exits(child).returns;
                exits.ends |= self.exits(child).ends;
            }
            self.exits[id.index()] = exits;
        }
    }
}
