//! A system and comparisons to a system that has each comparison as a variable.
//!
//! The variable starts with the comparison's truth value, and a step gives it the one that the comparison has then. That
//! it always has it is a constraint: true of every run, and not said of other states otherwise. Everything else that depends on a comparison
//! reads its variable: that `x + 1 == y + 3` will be true is then that `x == y + 2` is, and engines need not look at numbers to see it
//! (as in implicit predicate abstraction: Tonetta, "Abstract model checking without computing the abstraction", FM 2009).

use rustc_hash::FxHashMap;

use super::linear::{Known, plain, truth};
use super::{Candidate, Candidates};
use crate::certificate::Comparison;
use crate::circuit::{Circuit, Invariant};
use crate::expr::{Expr, ExprId, Exprs, Type, VarId};
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

impl Extended {
    /// Defines the comparisons in the circuit of the system, so that engines may rely on their meaning.
    pub fn define(&self, circuit: &mut Circuit) {
        // A bit each, and a constraint each: the last ones.
        let count = self.comparisons.len();
        let latches = &circuit.latches[circuit.latches.len() - count..];
        let definitions = &circuit.constraints[circuit.constraints.len() - count..];
        let pairs = latches.iter().zip(definitions);
        circuit.invariants.extend(pairs.map(|(latch, &signal)| Invariant { signal, defines: Some(latch.signal) }));
    }
}

/// With more comparisons than this, the program's own are not added where nothing is claimed of them.
const MOST_ATOMS: usize = 48;

pub fn extend(system: TransitionSystem, candidates: Candidates) -> Extended {
    let states = system.states.iter().enumerate().map(|(index, state)| (state.place, index)).collect();
    let mut chooser = Chooser { states, known: FxHashMap::default(), comparisons: vec![] };
    let mut chains = vec![];
    for chain in candidates.chains {
        let kept = chain.candidates.into_iter();
        let kept = kept.filter_map(|candidate| Some((chooser.number(&candidate.comparison)?, candidate)));
        chains.push((chain.rank, kept.collect()));
    }
    for atom in candidates.atoms.iter().take(MOST_ATOMS) {
        chooser.number(atom);
    }
    let Chooser { states, comparisons, .. } = chooser;
    let system = with_comparisons(system, &comparisons, &states);
    Extended { system, comparisons, chains }
}

struct Chooser {
    /// The system's variables.
    states: FxHashMap<Place, usize>,
    known: FxHashMap<Comparison, usize>,
    comparisons: Vec<Comparison>,
}

impl Chooser {
    /// The number of a comparison, which is a new one if it has none yet; `None` if the system lacks one of its places.
    fn number(&mut self, comparison: &Comparison) -> Option<usize> {
        let sums = [&comparison.left, &comparison.right];
        if !sums.iter().all(|sum| sum.terms.iter().all(|(_, place)| self.states.contains_key(place))) {
            return None;
        }
        let new = self.comparisons.len();
        let number = *self.known.entry(comparison.clone()).or_insert(new);
        if number == new {
            self.comparisons.push(comparison.clone());
        }
        Some(number)
    }
}

fn with_comparisons(
    mut system: TransitionSystem,
    comparisons: &[Comparison],
    states: &FxHashMap<Place, usize>,
) -> TransitionSystem {
    let originals = system.states.len();
    let mut now = |exprs: &mut Exprs, place: Place| exprs.var(VarId::new(states[&place]), Type::Int);
    let mut known = Known::default();
    for (comparison, number) in comparisons.iter().zip(originals..) {
        let exprs = &mut system.exprs;
        let variable = exprs.var(VarId::new(number), Type::Bool);
        let value = plain(exprs, comparison, &mut now);
        let definition = exprs.eq(variable, value);
        system.constraints.push(definition);
        // As it may stand in the program, and as sums are written out.
        for value in [value, truth(exprs, comparison, &mut now, &Known::default())] {
            if exprs.as_bool(value).is_none() {
                known.entry(value).or_insert(variable);
            }
        }
    }
    replace(&mut system, &known);
    let next: Vec<ExprId> = system.states.iter().map(|state| state.next).collect();
    for comparison in comparisons {
        let then = truth(&mut system.exprs, comparison, &mut |_, place| next[states[&place]], &known);
        let initial = comparison.holds(&|place| system.states[states[&place]].initial);
        let always = system.exprs.bool(true);
        system.states.push(State {
            name: format!("comparison {}", system.states.len()),
            // Its place is never used.
            place: Place::Variable(VarId::new(0)),
            ty: Type::Bool,
            initial: i32::from(initial),
            next: then,
            writes: vec![crate::system::Write { condition: always, value: then }],
            domain: Some(Domain::TRUTH),
            span: Span::default(),
        });
    }
    system
}

/// Puts variables in the places of expressions that they are known to equal, except in constraints, which state the
/// equality.
fn replace(system: &mut TransitionSystem, known: &Known) {
    let mut new: Vec<ExprId> = vec![];
    for index in 0..system.exprs.len() {
        let id = ExprId::new(index);
        let (expr, ty) = (system.exprs.get(id), system.exprs.type_of(id));
        let mut operands = expr.operands();
        new.push(match known.get(&id) {
            Some(&variable) => variable,
            None if operands.all(|operand| new[operand.index()] == operand) => id,
            None => match expr {
                Expr::Cell(table, at) => system.exprs.cell(new[table.index()], new[at.index()]),
                _ => system.exprs.rebuild(expr, ty, |operand| new[operand.index()]),
            },
        });
    }
    let put = |id: &mut ExprId| *id = new[id.index()];
    for state in &mut system.states {
        put(&mut state.next);
        state.writes.iter_mut().for_each(|write| {
            put(&mut write.condition);
            put(&mut write.value);
        });
    }
    system.properties.iter_mut().for_each(|property| put(&mut property.condition));
    put(&mut system.stop);
}
