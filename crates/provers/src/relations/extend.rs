//! A system and comparisons to a system that has each comparison as a variable.
//!
//! The variable starts with the comparison's truth value, and a step gives it the one that the comparison has then. That
//! it always has it is a constraint: true of every run, and not said of other states otherwise.

use rustc_hash::FxHashMap;

use super::linear::{plain, truth};
use super::{Candidate, Candidates};
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
    /// The chains of candidates whose places the system has, with their ranks: which comparison each is about, and the
    /// candidate.
    pub chains: Vec<(usize, Vec<(usize, Candidate)>)>,
}

/// With more comparisons than this, the program's own are not added where nothing is claimed of them.
const MOST_ATOMS: usize = 48;

pub fn extend(system: TransitionSystem, candidates: Candidates) -> Extended {
    let states = system.states.iter().enumerate().map(|(index, state)| (state.place, index)).collect();
    let originals = system.states.len();
    let mut extender = Extender { system, originals, states, known: FxHashMap::default(), comparisons: vec![] };
    let mut chains = vec![];
    for chain in candidates.chains {
        let kept = chain.candidates.into_iter();
        let kept = kept.filter_map(|candidate| Some((extender.number(&candidate.comparison)?, candidate)));
        chains.push((chain.rank, kept.collect()));
    }
    for atom in candidates.atoms.iter().take(MOST_ATOMS) {
        extender.number(atom);
    }
    Extended { system: extender.system, comparisons: extender.comparisons, chains }
}

struct Extender {
    system: TransitionSystem,
    /// How many variables the system had before.
    originals: usize,
    states: FxHashMap<Place, usize>,
    known: FxHashMap<Comparison, usize>,
    comparisons: Vec<Comparison>,
}

impl Extender {
    /// The number of a comparison, which becomes a variable if it is none yet; `None` if the system lacks one of its places.
    fn number(&mut self, comparison: &Comparison) -> Option<usize> {
        let sums = [&comparison.left, &comparison.right];
        if !sums.iter().all(|sum| sum.terms.iter().all(|(_, place)| self.states.contains_key(place))) {
            return None;
        }
        if let Some(&number) = self.known.get(comparison) {
            return Some(number);
        }
        let number = self.comparisons.len();
        self.known.insert(comparison.clone(), number);
        self.comparisons.push(comparison.clone());
        add(&mut self.system, self.originals, comparison, &self.states);
        Some(number)
    }
}

fn add(system: &mut TransitionSystem, originals: usize, comparison: &Comparison, states: &FxHashMap<Place, usize>) {
    let id = VarId::new(system.states.len());
    let list = &system.states[..originals];
    let initial = comparison.holds(&|place| list[states[&place]].initial);
    let next: Vec<ExprId> = list.iter().map(|state| state.next).collect();
    let exprs = &mut system.exprs;
    let now = plain(exprs, comparison, &mut |exprs, place| exprs.var(VarId::new(states[&place]), Type::Int));
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
