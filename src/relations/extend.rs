//! A system and comparisons to a system that has each comparison as a variable.
//!
//! The variable starts with the comparison's truth value, and a step gives it the one that the comparison has then. That
//! it always has it is a constraint: true of every run, and not said of other states otherwise.

use rustc_hash::FxHashMap;

use super::Candidate;
use super::linear::truth;
use crate::certificate::Comparison;
use crate::expr::{ExprId, Type, VarId};
use crate::program::{Domain, Place};
use crate::system::{State, TransitionSystem};
use crate::text::Span;

/// A system with comparisons.
pub struct Extended {
    pub system: TransitionSystem,
    /// The comparisons, in the order of their variables, which are the last ones.
    pub comparisons: Vec<Comparison>,
    /// Per candidate whose places the system has: which comparison it is about, and the candidate.
    pub candidates: Vec<(usize, Candidate)>,
}

pub fn extend(mut system: TransitionSystem, candidates: Vec<Candidate>) -> Extended {
    let states: FxHashMap<Place, usize> =
        system.states.iter().enumerate().map(|(index, state)| (state.place, index)).collect();
    let mut known: FxHashMap<Comparison, usize> = FxHashMap::default();
    let mut comparisons = vec![];
    let mut kept = vec![];
    let originals = system.states.len();
    for candidate in candidates {
        let sums = [&candidate.comparison.left, &candidate.comparison.right];
        if !sums.iter().all(|sum| sum.terms.iter().all(|(_, place)| states.contains_key(place))) {
            continue;
        }
        let number = match known.get(&candidate.comparison) {
            Some(&number) => number,
            None => {
                let number = comparisons.len();
                known.insert(candidate.comparison.clone(), number);
                comparisons.push(candidate.comparison.clone());
                add(&mut system, originals, &candidate.comparison, &states);
                number
            }
        };
        kept.push((number, candidate));
    }
    Extended { system, comparisons, candidates: kept }
}

fn add(system: &mut TransitionSystem, originals: usize, comparison: &Comparison, states: &FxHashMap<Place, usize>) {
    let id = VarId::new(system.states.len());
    let list = &system.states[..originals];
    let initial = comparison.holds(&|place| list[states[&place]].initial);
    let next: Vec<ExprId> = list.iter().map(|state| state.next).collect();
    let exprs = &mut system.exprs;
    let now = truth(exprs, comparison, &mut |exprs, place| exprs.var(VarId::new(states[&place]), Type::Int));
    let then = truth(exprs, comparison, &mut |_, place| next[states[&place]]);
    let variable = exprs.var(id, Type::Bool);
    let agrees = exprs.eq(variable, now);
    system.constraints.push(agrees);
    system.states.push(State {
        name: format!("comparison {}", id.index()),
        // Nobody asks where it is kept.
        place: Place::Variable(VarId::new(0)),
        ty: Type::Bool,
        initial: i32::from(initial),
        next: then,
        writes: vec![crate::system::Write { condition: exprs.bool(true), value: then }],
        domain: Some(Domain::TRUTH),
        span: Span::default(),
    });
}
