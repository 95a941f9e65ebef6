//! The flow of values through a program: one step is executed in the abstract until its effect adds nothing.
//!
//! Abstract interpretation (Cousot and Cousot, 1977): branches refine the values by their guards and are joined where
//! they meet; a call is executed at each place where it stands, so its context is known. Values that grow from step to
//! step are widened, first to the constants that the program itself compares with and then to the end of the integers,
//! and narrowed again afterwards.
//!
//! A [`Visitor`] sees every statement that a run may execute, with the values there; the abstraction into regions
//! is one.

use super::counters::counters;
use super::domain::Values;
use super::env::{Changes, Env, Mark};
use crate::base::stack::grow;
use crate::base::{Ended, Interrupt, Walked};
use crate::expr::{BinaryOp, Expr, ExprId, TableId, VarId};
use crate::program::{Program, Scope, StmtId, StmtKind};
use crate::text::Span;

/// The number of times that a variable's values may grow before they are widened.
const PATIENCE: usize = 3;

/// The number of times that they are widened to a constant of the program before anything is possible.
const PAUSES: usize = 4;

/// The number of times that widened values are narrowed again.
const NARROWINGS: usize = 4;

/// Follows the walk through a step. `Out` is its result for a statement.
pub trait Visitor {
    type Out;
    type Guard;

    fn assign(&mut self, env: &mut Env, variable: VarId, value: ExprId, span: Span) -> Self::Out;
    /// An error, a halt, a return, an assumption, a store or a print.
    fn other(&mut self, env: &mut Env, stmt: StmtId) -> Self::Out;
    /// A guard that may hold and may fail, before its arm is entered.
    fn guard(&mut self, env: &mut Env, guard: ExprId) -> Self::Guard;
    /// The arms that may be taken, the last one without a guard if it is taken whenever no other is.
    fn choice(&mut self, arms: Vec<(Option<Self::Guard>, Self::Out, Span)>, span: Span) -> Self::Out;
    fn sequence(&mut self, parts: Vec<Self::Out>, span: Span) -> Self::Out;
    fn call(&mut self, body: Self::Out, span: Span) -> Self::Out;
    /// A choice begins, before its first guard.
    fn open(&mut self) {}
    /// The body of an arm begins, after its guard; the bodies of one choice exclude each other.
    fn enter(&mut self) {}
    /// The body of an arm ends.
    fn exit(&mut self) {}
    /// The choice ends.
    fn close(&mut self) {}
}

/// Takes note of nothing.
struct Silent;

impl Visitor for Silent {
    type Out = ();
    type Guard = ();
    fn assign(&mut self, _: &mut Env, _: VarId, _: ExprId, _: Span) {}
    fn other(&mut self, _: &mut Env, _: StmtId) {}
    fn guard(&mut self, _: &mut Env, _: ExprId) {}
    fn choice(&mut self, _: Vec<(Option<()>, (), Span)>, _: Span) {}
    fn sequence(&mut self, _: Vec<()>, _: Span) {}
    fn call(&mut self, (): (), _: Span) {}
}

/// The values of a program's variables at the head of its loop, and anywhere.
#[derive(Clone, Debug)]
pub struct Flow<'p> {
    /// At the head of the loop.
    pub head: Env<'p>,
    /// Per variable: all values that it ever has.
    pub anywhere: Vec<Values>,
    /// Per variable, and then per input: whether it counts on and on.
    pub is_counter: Vec<bool>,
    /// Steps executed in the abstract until nothing changed.
    pub rounds: usize,
}

/// Finds the values of all variables of a program.
pub fn analyse<'p>(program: &'p Program, interrupt: &Interrupt) -> Result<Flow<'p>, Ended> {
    let mut env = Env::new(program);
    let mut walk = Walk::new(program, &mut env, Silent, interrupt);
    walk.execute(program.setup)?;
    let mut anywhere = std::mem::take(&mut walk.anywhere);
    let start = env.clone();
    let globals: Vec<VarId> = (0..program.variables.len())
        .map(VarId::new)
        .filter(|&variable| program.variable(variable).scope == Scope::Global)
        .collect();
    let thresholds = thresholds(program);
    let is_counter = counters(program);
    let mut growths = vec![0; program.variables.len()];
    let mut stored = 0;
    let mut rounds = 0;
    loop {
        rounds += 1;
        let (after, news) = one_step(program, &mut env, interrupt)?;
        let mut changed = news;
        if news {
            stored += 1;
            if stored > PATIENCE + PAUSES {
                env.widen_cells();
            }
        }
        for &variable in &globals {
            let (old, new) = (env.get(variable).clone(), &after[variable.index()]);
            let joined = old.join(new);
            if joined != old {
                let growth = &mut growths[variable.index()];
                // A counter gets one number more in each round, so it is not listed until the list is full.
                *growth += usize::from(is_counter[variable.index()] || matches!(joined, Values::Range(_)));
                env.set(variable, widened(&old, joined, *growth, &thresholds[variable.index()]));
                changed = true;
            }
        }
        if !changed {
            break;
        }
    }
    narrow(program, &start, &mut env, &globals, interrupt)?;
    let mut walk = Walk::new(program, &mut env, Silent, interrupt);
    let mark = walk.env.mark();
    walk.execute(program.step)?;
    let assigned = std::mem::take(&mut walk.anywhere);
    env.undo(mark);
    for (all, assigned) in anywhere.iter_mut().zip(assigned) {
        *all = all.join(&assigned);
    }
    for (index, variable) in program.variables.iter().enumerate() {
        anywhere[index] = anywhere[index].join(&Values::one(variable.initial));
    }
    Ok(Flow { head: env, anywhere, is_counter, rounds })
}

/// Walks once through the step from the values at the head of the loop.
pub fn visit<V: Visitor>(flow: &mut Flow, visitor: V, interrupt: &Interrupt) -> Result<(V::Out, V), Ended> {
    let program = flow.head.program;
    let mark = flow.head.mark();
    let mut walk = Walk::new(program, &mut flow.head, visitor, interrupt);
    let (out, _) = walk.execute(program.step)?;
    let visitor = walk.visitor;
    flow.head.undo(mark);
    Ok((out, visitor))
}

/// The values after a step from those given, which stay as they are; and whether tables may hold something new.
fn one_step<'p>(program: &'p Program, env: &mut Env<'p>, interrupt: &Interrupt) -> Result<(Vec<Values>, bool), Ended> {
    let mark = env.mark();
    let mut walk = Walk::new(program, env, Silent, interrupt);
    let (_, continues) = walk.execute(program.step)?;
    let news = walk.news;
    let after = match continues {
        false => vec![Values::NONE; program.variables.len()],
        true => (0..program.variables.len()).map(|index| env.get(VarId::new(index)).clone()).collect(),
    };
    env.undo(mark);
    Ok((after, news))
}

fn widened(old: &Values, joined: Values, growth: usize, thresholds: &[i32]) -> Values {
    if growth <= PATIENCE {
        return joined;
    }
    let (Some((old_low, old_high)), Some((low, high))) = (old.bounds(), joined.bounds()) else { return joined };
    let far = growth > PATIENCE + PAUSES;
    let above = thresholds.iter().find(|&&constant| constant >= high && !far).copied().unwrap_or(i32::MAX);
    let below = thresholds.iter().rev().find(|&&constant| constant <= low && !far).copied().unwrap_or(i32::MIN);
    let (new_low, new_high) = (if low < old_low { below } else { low }, if high > old_high { above } else { high });
    joined.extended(new_low, new_high)
}

/// Takes back the excess of widening.
fn narrow<'p>(
    program: &'p Program,
    start: &Env,
    env: &mut Env<'p>,
    globals: &[VarId],
    interrupt: &Interrupt,
) -> Result<(), Ended> {
    for _ in 0..NARROWINGS {
        let (after, _) = one_step(program, env, interrupt)?;
        let mut narrower = env.clone();
        for &variable in globals {
            let values = start.get(variable).join(&after[variable.index()]);
            // Sets and ranges do not always shrink together.
            if values.is_subset(env.get(variable)) {
                narrower.set(variable, values);
            }
        }
        let unchanged = globals.iter().all(|&variable| narrower.get(variable) == env.get(variable));
        if unchanged {
            break;
        }
        // A step must not lead out of the rest.
        let (after, _) = one_step(program, &mut narrower, interrupt)?;
        let closed = globals.iter().all(|&variable| after[variable.index()].is_subset(narrower.get(variable)));
        if !closed {
            break;
        }
        *env = narrower;
    }
    Ok(())
}

/// The constants that each variable is compared with, and their neighbours, ascending.
fn thresholds(program: &Program) -> Vec<Vec<i32>> {
    let mut found = vec![vec![]; program.variables.len()];
    for (_, expr) in program.exprs.iter() {
        let Expr::Binary(BinaryOp::Eq | BinaryOp::Less | BinaryOp::LessEq, a, b) = expr else { continue };
        for (side, other) in [(a, b), (b, a)] {
            if let (Expr::Var(var), Some(constant)) = (program.exprs.get(side), program.exprs.as_int(other)) {
                found[var.index()].extend([constant.saturating_sub(1), constant, constant.saturating_add(1)]);
            }
        }
    }
    found.iter_mut().for_each(|list| list.sort_unstable());
    found
}

/// Where the paths that have returned from the current function left off.
type Returns = (Mark, Vec<Changes>);

struct Walk<'e, 'p, V> {
    program: &'p Program,
    env: &'e mut Env<'p>,
    visitor: V,
    returns: Vec<Returns>,
    /// Per variable: all that was assigned to it.
    anywhere: Vec<Values>,
    /// Whether a table may hold something that it could not hold before.
    news: bool,
    walked: Walked<'e>,
}

impl<'e, 'p, V: Visitor> Walk<'e, 'p, V> {
    fn new(program: &'p Program, env: &'e mut Env<'p>, visitor: V, interrupt: &'e Interrupt) -> Walk<'e, 'p, V> {
        let anywhere = vec![Values::NONE; program.variables.len()];
        Walk { program, env, visitor, returns: vec![], anywhere, news: false, walked: Walked::new(interrupt) }
    }

    /// The visitor's result for a statement, and whether a run may go on behind it.
    fn execute(&mut self, id: StmtId) -> Result<(V::Out, bool), Ended> {
        self.walked.one_more()?;
        let stmt = self.program.stmt(id);
        match &stmt.kind {
            StmtKind::Assign { variable, value } => {
                let out = self.visitor.assign(self.env, *variable, *value, stmt.span);
                let values = self.env.evaluate(*value);
                let all = &mut self.anywhere[variable.index()];
                if !values.is_subset(all) {
                    *all = all.join(&values);
                }
                self.env.set(*variable, values);
                Ok((out, true))
            }
            StmtKind::Sequence(list) => {
                let mut parts = vec![];
                for &inner in list {
                    let (out, continues) = self.execute(inner)?;
                    parts.push(out);
                    if !continues {
                        return Ok((self.visitor.sequence(parts, stmt.span), false));
                    }
                }
                Ok((self.visitor.sequence(parts, stmt.span), true))
            }
            StmtKind::Choice(_) => self.choice(id),
            StmtKind::Call(function) => {
                self.returns.push((self.env.mark(), vec![]));
                let body = self.program.function(*function).body;
                let (out, continues) = grow(|| self.execute(body))?;
                let (mark, mut ends) = self.returns.pop().expect("pushed above");
                let at_end = self.env.take_back(mark);
                if continues {
                    ends.push(at_end);
                }
                let continues = !ends.is_empty();
                self.env.join(ends);
                Ok((self.visitor.call(out, stmt.span), continues))
            }
            StmtKind::Return => {
                let out = self.visitor.other(self.env, id);
                if let Some((mark, ends)) = self.returns.last_mut() {
                    ends.push(self.env.changes(*mark));
                }
                Ok((out, false))
            }
            StmtKind::Error(_) | StmtKind::Halt(_) => Ok((self.visitor.other(self.env, id), false)),
            StmtKind::Assume(condition) => {
                let out = self.visitor.other(self.env, id);
                let possible = self.env.refine(*condition, true);
                Ok((out, possible))
            }
            StmtKind::Store { pointer, value, .. } => {
                let out = self.visitor.other(self.env, id);
                let (tables, values) = (self.env.evaluate(*pointer), self.env.evaluate(*value));
                for table in tables.iter() {
                    self.news |= self.env.add_to_cells(TableId::new(table as usize), &values);
                }
                Ok((out, true))
            }
            StmtKind::Reach(_) | StmtKind::Print { .. } => Ok((self.visitor.other(self.env, id), true)),
        }
    }

    fn choice(&mut self, id: StmtId) -> Result<(V::Out, bool), Ended> {
        let stmt = self.program.stmt(id);
        let StmtKind::Choice(arms) = &stmt.kind else { unreachable!("called on choices only") };
        let start = self.env.mark();
        let (mut outs, mut ends) = (vec![], vec![]);
        let mut falls_through = true;
        self.visitor.open();
        for arm in arms {
            // A guard that must hold ends the list; one that cannot is passed over.
            let before = self.env.mark();
            let may_fail = self.env.refine(arm.guard, false);
            self.env.undo(before);
            let may_hold = self.env.refine(arm.guard, true);
            self.env.undo(before);
            if may_hold {
                let guard = may_fail.then(|| self.visitor.guard(self.env, arm.guard));
                self.env.refine(arm.guard, true);
                self.visitor.enter();
                let (out, continues) = grow(|| self.execute(arm.body))?;
                self.visitor.exit();
                outs.push((guard, out, arm.span));
                if continues {
                    ends.push(self.env.changes(start));
                }
            }
            self.env.undo(before);
            if !may_fail || !self.env.refine(arm.guard, false) {
                falls_through = false;
                break;
            }
        }
        self.visitor.close();
        let rest = self.env.take_back(start);
        if falls_through {
            ends.push(rest);
        }
        let continues = !ends.is_empty();
        self.env.join(ends);
        Ok((self.visitor.choice(outs, stmt.span), continues))
    }
}
