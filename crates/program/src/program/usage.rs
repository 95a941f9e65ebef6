//! Which functions, variables, rules and properties of a program can matter at all.
//!
//! Two closures, both linear in the program: the functions that calls reach from `setup` and `step`; and, within those,
//! the variables that a condition, an output or a table access depends on, directly or through assignments to other
//! such variables. Dropping the rest makes no difference.

use super::{FunctionId, Program, PropertyKind, Scope, StmtId, StmtKind};
use crate::expr::{Expr, ExprId, VarId};

/// The parts of a program that can influence its behaviour.
#[derive(Clone, Debug)]
pub struct Usage {
    /// Per function: whether a chain of calls from `setup` or `step` leads to it.
    pub reached: Vec<bool>,
    /// Per variable: whether a reached statement assigns it.
    pub assigned: Vec<bool>,
    /// Per variable: whether a reached condition, output or table access depends on it.
    pub needed: Vec<bool>,
    /// The number of arms of reached choices that do something themselves, rather than only lead on to others.
    pub rules: usize,
}

/// The role of a variable in the program, as `redoubt show` prints it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Role {
    /// Never assigned: it keeps its initial value.
    Constant,
    /// Carried from step to step and needed.
    State,
    /// Assigned, but nothing that can be seen depends on it.
    Idle,
    /// Lives within a step.
    Local,
}

impl Usage {
    pub fn of(program: &Program) -> Usage {
        let reached = reached_functions(program);
        let bodies = program.functions.iter().zip(&reached).filter(|(_, reached)| **reached).map(|(f, _)| f.body);
        let stmts = statements(program, [program.setup, program.step].into_iter().chain(bodies));

        let mut assigned = vec![false; program.variables.len()];
        let mut assignments: Vec<Vec<ExprId>> = vec![vec![]; program.variables.len()];
        let mut observed = vec![];
        let mut rules = 0;
        for &id in &stmts {
            match &program.stmt(id).kind {
                StmtKind::Assign { variable, value } => {
                    assigned[variable.index()] = true;
                    assignments[variable.index()].push(*value);
                }
                kind => observed.extend(kind.expressions()),
            }
            if let StmtKind::Choice(arms) = &program.stmt(id).kind {
                rules += arms.iter().filter(|arm| program.acts(arm.body)).count();
            }
        }
        let needed = needed_variables(program, &assignments, &observed);
        Usage { reached, assigned, needed, rules }
    }

    pub fn role(&self, program: &Program, variable: VarId) -> Role {
        let index = variable.index();
        match program.variable(variable).scope {
            Scope::Local => Role::Local,
            Scope::Global if !self.assigned[index] => Role::Constant,
            Scope::Global if self.needed[index] => Role::State,
            Scope::Global => Role::Idle,
        }
    }
}

impl Program {
    /// Whether a body does something itself instead of only leading on to calls and further choices: the
    /// arm of a *rule*.
    pub fn acts(&self, body: StmtId) -> bool {
        let mut pending = vec![body];
        while let Some(id) = pending.pop() {
            match &self.stmt(id).kind {
                StmtKind::Sequence(list) => pending.extend(list),
                // Passing arguments is part of a call.
                StmtKind::Assign { variable, .. } if self.variable(*variable).scope == Scope::Local => {}
                StmtKind::Choice(_) | StmtKind::Call(_) | StmtKind::Return => {}
                // Judging is no action; but where a model asks whether it gets there, the statement counts.
                StmtKind::Reach(property) if self.property(*property).kind != PropertyKind::Lint => {}
                _ => return true,
            }
        }
        false
    }
}

/// All statements below some roots, in no particular order; calls are not followed.
pub fn statements(program: &Program, roots: impl Iterator<Item = StmtId>) -> Vec<StmtId> {
    let mut found: Vec<StmtId> = roots.collect();
    let mut next = 0;
    while next < found.len() {
        found.extend(program.stmt(found[next]).kind.children());
        next += 1;
    }
    found
}

fn reached_functions(program: &Program) -> Vec<bool> {
    let mut reached = vec![false; program.functions.len()];
    let mut pending = vec![program.setup, program.step];
    while let Some(root) = pending.pop() {
        for id in statements(program, std::iter::once(root)) {
            if let StmtKind::Call(callee) = program.stmt(id).kind
                && !std::mem::replace(&mut reached[callee.index()], true)
            {
                pending.push(program.function(callee).body);
            }
        }
    }
    reached
}

fn needed_variables(program: &Program, assignments: &[Vec<ExprId>], observed: &[ExprId]) -> Vec<bool> {
    let mut needed = vec![false; program.variables.len()];
    let mut seen = vec![false; program.exprs.len()];
    let mut pending: Vec<ExprId> = observed.to_vec();
    while let Some(id) = pending.pop() {
        if std::mem::replace(&mut seen[id.index()], true) {
            continue;
        }
        let expr = program.exprs.get(id);
        pending.extend(expr.operands());
        if let Expr::Var(var) = expr
            && !std::mem::replace(&mut needed[var.index()], true)
        {
            pending.extend(&assignments[var.index()]);
        }
    }
    needed
}

/// The functions in an order in which callees come first. There is one, since nothing recurses.
pub fn callees_first(program: &Program) -> Vec<FunctionId> {
    let callees: Vec<Vec<FunctionId>> = program
        .functions
        .iter()
        .map(|function| {
            statements(program, std::iter::once(function.body))
                .into_iter()
                .filter_map(|id| match program.stmt(id).kind {
                    StmtKind::Call(callee) => Some(callee),
                    _ => None,
                })
                .collect()
        })
        .collect();
    let mut order = vec![];
    let mut entered = vec![false; callees.len()];
    for root in (0..callees.len()).map(FunctionId::new) {
        let mut stack = vec![(root, 0)];
        if std::mem::replace(&mut entered[root.index()], true) {
            continue;
        }
        while let Some((function, next)) = stack.last_mut() {
            match callees[function.index()].get(*next) {
                Some(&callee) => {
                    *next += 1;
                    if !std::mem::replace(&mut entered[callee.index()], true) {
                        stack.push((callee, 0));
                    }
                }
                None => {
                    order.push(*function);
                    stack.pop();
                }
            }
        }
    }
    order
}
