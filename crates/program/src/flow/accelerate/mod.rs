//! Loops that only count to their results: all their rounds in one step, exactly.
//!
//! A loop with one branch, whose body only assigns, is replaced where its variables after `n` rounds have a closed form
//! (`closed`) and the number of rounds until its condition fails is a formula, too (`rounds`): counters, sums of
//! counters, and functions of these. That is loop acceleration (Boigelot, "Symbolic Methods for Exploring Infinite
//! State Spaces", 1998; Frohn, "A Calculus for Modular Loop Acceleration", TACAS 2020) of the simplest kind, but for
//! machine integers: where a counter might wrap around before the condition fails, a guard says so, and the loop stays
//! for that case.
//!
//! The loop's branch is looked at, not its head: from there to itself a round runs through the rest of the loop, which
//! is the same for loops that test first, last, or in between.

mod closed;
mod linear;
mod rounds;

use super::liveness::Liveness;
use super::substitute::{Values, substitute};
use super::{Action, ActionKind, Automaton, Block, BlockId, End};
use crate::expr::{Expr, ExprId, Exprs, Type, VarId};
use crate::program::{Scope, Variable};
use crate::text::Span;
use linear::Linear;

/// Loops with more assignments are not looked at.
const MOST_ACTIONS: usize = 64;
/// Nor such that run through more blocks.
const MOST_BLOCKS: usize = 16;

/// Replaces all loops that can be; whether there was one. Those around them have their turn when these are simplified.
pub fn accelerate(automaton: &mut Automaton, exprs: &mut Exprs, tables: usize) -> bool {
    let liveness = Liveness::of(automaton, exprs, tables);
    let mut is_changed = false;
    for branch in automaton.ids() {
        let End::Branch { condition, then, otherwise, span } = automaton.block(branch).end else { continue };
        let not = exprs.not(condition);
        for (goes_on, body, exit) in [(condition, then, otherwise), (not, otherwise, then)] {
            let Some(way) = way(automaton, branch, body) else { continue };
            let Some(values) = round(automaton, exprs, &way) else { continue };
            let live = &liveness.at_start[exit.index()];
            let Some(result) = Accelerated::of(exprs, &values, goes_on, |variable| live.has(variable)) else {
                continue;
            };
            result.replace(automaton, exprs, Site { branch, goes_on, body, exit, span });
            // Its rounds are no longer seen one by one.
            automaton.move_landmarks(|block| (!way.contains(&block)).then_some(block));
            is_changed = true;
            break;
        }
    }
    is_changed
}

/// The blocks from a branch back to itself, if nothing else is decided on the way.
fn way(automaton: &Automaton, branch: BlockId, first: BlockId) -> Option<Vec<BlockId>> {
    let (mut way, mut at) = (vec![], first);
    while at != branch {
        let End::Jump(next) = automaton.block(at).end else { return None };
        if way.len() == MOST_BLOCKS {
            return None;
        }
        way.push(at);
        at = next;
    }
    way.push(branch);
    Some(way)
}

/// The effect of one round on the variables, from the branch to itself; `None` if it does anything but assign.
fn round(automaton: &Automaton, exprs: &mut Exprs, way: &[BlockId]) -> Option<Values> {
    let actions: Vec<&Action> = way.iter().flat_map(|block| &automaton.block(*block).actions).collect();
    if actions.len() > MOST_ACTIONS {
        return None;
    }
    let mut values = Values::new();
    for action in actions {
        let ActionKind::Assign { variable, value } = action.kind else { return None };
        let value = substitute(exprs, value, &values);
        values.insert(variable, value);
    }
    // Unchanged variables are not assigned.
    values.retain(|&variable, value| *value != exprs.var(variable, Type::Int));
    Some(values)
}

/// The place of a loop.
struct Site {
    branch: BlockId,
    /// The condition on which it goes on, where, and where it leads otherwise.
    goes_on: ExprId,
    body: BlockId,
    exit: BlockId,
    span: Span,
}

/// A loop as one step from its branch, where its condition holds.
struct Accelerated {
    /// When this is right; over variables that the loop leaves alone, and those of the branch.
    guard: ExprId,
    rounds: ExprId,
    /// The values of variables after these rounds; `rounds` is written as the variable that is given here.
    results: Vec<(VarId, closed::Closed)>,
    forms: closed::Forms,
}

impl Accelerated {
    fn of(exprs: &mut Exprs, values: &Values, goes_on: ExprId, is_live: impl Fn(VarId) -> bool) -> Option<Accelerated> {
        let forms = closed::Forms::of(exprs, values);
        let rounds::Rounds { count, guard } = rounds::until_false(exprs, goes_on, values, &forms)?;
        let mut results = vec![];
        for &variable in values.keys().filter(|&&variable| is_live(variable)) {
            results.push((variable, forms.get(variable)?.clone()));
        }
        Some(Accelerated { guard, rounds: count, results, forms })
    }

    fn replace(self, automaton: &mut Automaton, exprs: &mut Exprs, site: Site) {
        let Site { branch, goes_on, body, exit, span } = site;
        // A plain sum becomes a part of other sums; a quotient is computed once.
        let count = Linear::of(exprs, self.rounds);
        let is_sum = count.terms.keys().all(|&term| matches!(exprs.get(term), Expr::Var(_)));
        let count = count.build(exprs);
        let mut actions = vec![];
        let count = if is_sum {
            count
        } else {
            let rounds = temporary(automaton, "rounds", span);
            actions.push(assign(rounds, count, span));
            exprs.var(rounds, Type::Int)
        };
        // All results are of the values from before.
        let mut copies = vec![];
        for (variable, form) in &self.results {
            let value = self.forms.after(exprs, *variable, form, count);
            let value = Linear::of(exprs, value).build(exprs);
            let name = automaton.variables[variable.index()].name.clone();
            let result = temporary(automaton, &name, span);
            actions.push(assign(result, value, span));
            copies.push(assign(*variable, exprs.var(result, Type::Int), span));
        }
        actions.extend(copies);
        let all_at_once = add(automaton, Block { actions, end: End::Jump(exit) });
        let rest = End::Branch { condition: goes_on, then: body, otherwise: exit, span };
        let round_by_round = match exprs.as_bool(self.guard) {
            Some(true) => exit,
            _ => add(automaton, Block { actions: vec![], end: rest }),
        };
        let condition = exprs.and(goes_on, self.guard);
        automaton.blocks[branch.index()].end =
            End::Branch { condition, then: all_at_once, otherwise: round_by_round, span };
    }
}

fn assign(variable: VarId, value: ExprId, span: Span) -> Action {
    Action { kind: ActionKind::Assign { variable, value }, span }
}

fn temporary(automaton: &mut Automaton, name: &str, span: Span) -> VarId {
    let (name, ty, scope) = (name.to_string(), Type::Int, Scope::Global);
    automaton.variables.push(Variable { name, ty, scope, initial: 0, domain: None, span });
    VarId::new(automaton.variables.len() - 1)
}

fn add(automaton: &mut Automaton, block: Block) -> BlockId {
    automaton.blocks.push(block);
    BlockId::new(automaton.blocks.len() - 1)
}
