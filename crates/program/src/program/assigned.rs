//! Definite assignment: finds locals that may be read before anything was assigned to them.
//!
//! C leaves such a read undefined, and a program that relies on it has no meaning that could be verified.

use redoubt_base::stack::grow;
use std::collections::BTreeSet;

use super::{FunctionId, Program, StmtId, StmtKind};
use crate::expr::{Expr, ExprId, VarId};
use crate::text::Span;

/// The tracked variables that are surely assigned; `None` where no run arrives.
type Assigned = Option<BTreeSet<VarId>>;

/// Reads of the given variables that some path reaches without an assignment, one per variable.
pub fn read_before_assigned(program: &Program, tracked: &[VarId]) -> Vec<(VarId, Span)> {
    let mut search = Search::new(program, tracked);
    let after_setup = search.statement(program.setup, Some(BTreeSet::new()));
    search.statement(program.step, after_setup);
    search.found
}

/// Those of the given variables that may not be assigned yet when the setup is over.
pub fn unassigned_after_setup(program: &Program, tracked: &[VarId]) -> Vec<VarId> {
    let assigned = Search::new(program, tracked).statement(program.setup, Some(BTreeSet::new()));
    let is_unassigned = |variable: &VarId| assigned.as_ref().is_some_and(|assigned| !assigned.contains(variable));
    tracked.iter().copied().filter(is_unassigned).collect()
}

struct Search<'p> {
    program: &'p Program,
    tracked: Vec<bool>,
    found: Vec<(VarId, Span)>,
    /// Per function: whether its result is assigned wherever it returns.
    result_assigned: Vec<bool>,
    /// The variables assigned at every `return` met so far in the current function.
    at_return: Assigned,
}

impl<'p> Search<'p> {
    /// Finds the variables that functions assign.
    fn new(program: &'p Program, tracked: &[VarId]) -> Search<'p> {
        let mut search = Search {
            program,
            tracked: vec![false; program.variables.len()],
            found: vec![],
            result_assigned: vec![false; program.functions.len()],
            at_return: None,
        };
        tracked.iter().for_each(|variable| search.tracked[variable.index()] = true);
        for function in super::usage::callees_first(program) {
            search.function(function);
        }
        search
    }

    fn function(&mut self, id: FunctionId) {
        self.at_return = None;
        let at_end = self.statement(self.program.function(id).body, Some(BTreeSet::new()));
        let at_exit = join(at_end, self.at_return.take());
        let Some(result) = self.program.function(id).result else { return };
        self.result_assigned[id.index()] = at_exit.is_none_or(|assigned| assigned.contains(&result));
    }

    fn statement(&mut self, id: StmtId, before: Assigned) -> Assigned {
        let mut assigned = before?;
        let stmt = self.program.stmt(id);
        for value in stmt.kind.expressions() {
            self.reads(value, &assigned, stmt.span);
        }
        match &stmt.kind {
            StmtKind::Assign { variable, .. } => {
                if self.tracked[variable.index()] {
                    assigned.insert(*variable);
                }
                Some(assigned)
            }
            StmtKind::Sequence(list) => {
                list.iter().try_fold(assigned, |before, &inner| self.statement(inner, Some(before)))
            }
            StmtKind::Choice(arms) => {
                let always = arms.last().is_some_and(|arm| self.program.exprs.as_bool(arm.guard) == Some(true));
                let none_taken = (!always).then(|| assigned.clone());
                arms.iter().fold(none_taken, |after, arm| {
                    let before = Some(assigned.clone());
                    let end = grow(|| self.statement(arm.body, before));
                    join(after, end)
                })
            }
            StmtKind::Call(callee) => {
                if let Some(result) = self.program.function(*callee).result {
                    if self.result_assigned[callee.index()] {
                        assigned.insert(result);
                    } else {
                        assigned.remove(&result);
                    }
                }
                Some(assigned)
            }
            StmtKind::Return => {
                self.at_return = join(self.at_return.take(), Some(assigned));
                None
            }
            StmtKind::Error(_) | StmtKind::Halt(_) => None,
            StmtKind::Store { .. } | StmtKind::Assume(_) | StmtKind::Reach(_) | StmtKind::Print { .. } => {
                Some(assigned)
            }
        }
    }

    fn reads(&mut self, value: ExprId, assigned: &BTreeSet<VarId>, span: Span) {
        let mut pending = vec![value];
        while let Some(id) = pending.pop() {
            let expr = self.program.exprs.get(id);
            if let Expr::Var(var) = expr
                && self.tracked[var.index()]
                && !assigned.contains(&var)
            {
                self.tracked[var.index()] = false;
                self.found.push((var, span));
            }
            pending.extend(expr.operands());
        }
    }
}

/// The variables assigned on both paths.
fn join(a: Assigned, b: Assigned) -> Assigned {
    match (a, b) {
        (Some(a), Some(b)) => Some(a.intersection(&b).copied().collect()),
        (a, b) => a.or(b),
    }
}
