//! An automaton to the same one with numbers in place of variables that can have no other value where they are read.
//!
//! Conditional constant propagation (Wegman and Zadeck, "Constant Propagation with Conditional Branches", TOPLAS 1991):
//! blocks are taken for unreachable until a run is seen to get there, and variables for known until two ways bring
//! different numbers. So a branch that known numbers decide hides its other side, and variables that only such a side
//! assigns stay known. A variable that was just compared with a number has it where they were equal.

use std::collections::{BTreeMap, BTreeSet};

use super::liveness::Liveness;
use super::substitute::{Values, substitute};
use super::{ActionKind, Automaton, BlockId, End};
use crate::expr::{BinaryOp, Expr, ExprId, Exprs, Fold, UnaryOp, VarId};

/// The numbers of variables that are known; of the others nothing is.
type Known = BTreeMap<VarId, i32>;

/// Puts numbers in place of variables; whether there was one.
pub fn propagate(automaton: &mut Automaton, exprs: &mut Exprs, tables: usize) -> bool {
    let known = Propagation::of(automaton, exprs, tables);
    let mut is_changed = false;
    for (block, known) in automaton.blocks.iter_mut().zip(known) {
        // No run gets to the others, and jumps to them will go.
        let Some(known) = known else { continue };
        let mut values: Values = known.into_iter().map(|(variable, number)| (variable, exprs.int(number))).collect();
        let mut rewrite = |id: &mut ExprId, exprs: &mut Exprs, values: &Values| {
            let new = substitute(exprs, *id, values);
            is_changed |= new != *id;
            *id = new;
        };
        for action in &mut block.actions {
            match &mut action.kind {
                ActionKind::Assign { variable, value } => {
                    rewrite(value, exprs, &values);
                    if exprs.as_int(*value).is_some() {
                        values.insert(*variable, *value);
                    } else {
                        values.remove(variable);
                    }
                }
                ActionKind::Store { index, value, .. } => {
                    rewrite(index, exprs, &values);
                    rewrite(value, exprs, &values);
                }
                ActionKind::Choose { variable, .. } => {
                    values.remove(variable);
                }
                ActionKind::Assume(condition) => {
                    rewrite(condition, exprs, &values);
                    learn(exprs, *condition, true, |variable, number| {
                        values.insert(variable, number);
                    });
                }
            }
        }
        if let End::Branch { condition, .. } = &mut block.end {
            rewrite(condition, exprs, &values);
        }
    }
    is_changed
}

struct Propagation<'a> {
    automaton: &'a Automaton,
    exprs: &'a Exprs,
    liveness: Liveness,
    fold: Fold<Option<i32>>,
    /// Per block: the facts at its beginning, if a run gets there.
    known: Vec<Option<Known>>,
    /// Where to go on, those in front first.
    waiting: BTreeSet<BlockId>,
}

impl<'a> Propagation<'a> {
    /// Per block, the facts at its beginning about live variables; `None` if no run gets there.
    fn of(automaton: &'a Automaton, exprs: &'a Exprs, tables: usize) -> Vec<Option<Known>> {
        let liveness = Liveness::of(automaton, exprs, tables);
        let known = vec![None; automaton.blocks.len()];
        let mut this =
            Propagation { automaton, exprs, liveness, fold: Fold::default(), known, waiting: BTreeSet::new() };
        let variables = automaton.variables.iter().enumerate();
        let initial = variables.map(|(index, variable)| (VarId::new(index), variable.initial)).collect();
        this.come_to(BlockId::new(0), &initial);
        while let Some(block) = this.waiting.pop_first() {
            this.run_through(block);
        }
        this.known
    }

    /// Notes that a run comes to a block with these numbers.
    fn come_to(&mut self, block: BlockId, numbers: &Known) {
        let live = &self.liveness.at_start[block.index()];
        let is_new = match &mut self.known[block.index()] {
            Some(known) => {
                let size = known.len();
                known.retain(|variable, number| numbers.get(variable) == Some(number));
                known.len() < size
            }
            unseen => {
                let kept = numbers.iter().filter(|(variable, _)| live.has(**variable));
                *unseen = Some(kept.map(|(&variable, &number)| (variable, number)).collect());
                true
            }
        };
        if is_new {
            self.waiting.insert(block);
        }
    }

    fn run_through(&mut self, id: BlockId) {
        let block = self.automaton.block(id);
        let Some(mut known) = self.known[id.index()].clone() else { return };
        for action in &block.actions {
            match &action.kind {
                ActionKind::Assign { variable, value } => match self.value(*value, &known) {
                    Some(number) => drop(known.insert(*variable, number)),
                    None => drop(known.remove(variable)),
                },
                ActionKind::Choose { variable, .. } => drop(known.remove(variable)),
                ActionKind::Store { .. } => {}
                ActionKind::Assume(condition) => {
                    if self.value(*condition, &known) == Some(0) {
                        return;
                    }
                    self.learn(*condition, true, &mut known);
                }
            }
        }
        match block.end {
            End::Jump(next) => self.come_to(next, &known),
            End::Branch { condition, then, otherwise, .. } => {
                let truth = self.value(condition, &known);
                for (next, side) in [(then, true), (otherwise, false)] {
                    if truth.is_none_or(|truth| (truth != 0) == side) {
                        let mut known = known.clone();
                        self.learn(condition, side, &mut known);
                        self.come_to(next, &known);
                    }
                }
            }
            End::Error(..) | End::Halt(_) | End::Refuse(_) => {}
        }
    }

    fn learn(&self, condition: ExprId, truth: bool, known: &mut Known) {
        learn(self.exprs, condition, truth, |variable, number| {
            let number = self.exprs.as_int(number).expect("it is compared with a number");
            known.insert(variable, number);
        });
    }

    /// The value of an expression, if known numbers decide it.
    fn value(&mut self, id: ExprId, known: &Known) -> Option<i32> {
        self.fold.forget();
        *self.fold.all(self.exprs, id, |_, expr, done| match expr {
            Expr::Bool(value) => Some(i32::from(value)),
            Expr::Int(value) => Some(value),
            Expr::Var(variable) => known.get(&variable).copied(),
            Expr::Unary(op, a) => Some(op.apply(done[a]?)),
            Expr::Binary(op, a, b) => match (op, done[a], done[b]) {
                (_, Some(a), Some(b)) => Some(op.apply(a, b)),
                (BinaryOp::And, Some(0), _) | (BinaryOp::And, _, Some(0)) => Some(0),
                (BinaryOp::Or, Some(1), _) | (BinaryOp::Or, _, Some(1)) => Some(1),
                _ => None,
            },
            Expr::Ite(condition, then, otherwise) => match done[condition] {
                Some(0) => done[otherwise],
                Some(_) => done[then],
                None => done[then].filter(|_| done[then] == done[otherwise]),
            },
            Expr::Input(_) | Expr::Table(_) | Expr::Cell(..) | Expr::Length(_) => None,
        })
    }
}

/// Tells which variables have which numbers where a condition has a truth value.
fn learn(exprs: &Exprs, condition: ExprId, truth: bool, mut tell: impl FnMut(VarId, ExprId)) {
    let mut waiting = vec![(condition, truth)];
    while let Some((id, truth)) = waiting.pop() {
        match exprs.get(id) {
            Expr::Unary(UnaryOp::Not, inner) => waiting.push((inner, !truth)),
            Expr::Binary(BinaryOp::And, a, b) if truth => waiting.extend([(a, true), (b, true)]),
            Expr::Binary(BinaryOp::Or, a, b) if !truth => waiting.extend([(a, false), (b, false)]),
            // A number stands on the right.
            Expr::Binary(BinaryOp::Eq, a, b) if truth => {
                if let (Expr::Var(variable), Expr::Int(_)) = (exprs.get(a), exprs.get(b)) {
                    tell(variable, b);
                }
            }
            _ => {}
        }
    }
}
