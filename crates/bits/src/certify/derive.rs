//! Invariants of circuits to certificates of the program that they came from.
//!
//! An engine proves clauses over the latches of a circuit from which passes have removed variables that are constant,
//! equal to others, or without influence, and whose latches hold as few bits as the values need. The assumptions of the
//! passes and of the value analysis are part of the reason, so they become facts; each latch is a bit of a variable, or
//! says which of a list of numbers the variable has. For an abstraction, a [`Meaning`] explains its values.

use rustc_hash::FxHashSet;

use crate::analysis::Values;
use crate::blast::{Blasted, Code};
use crate::certificate::{Certificate, Comparison, Fact, Literal, NumberSet};
use crate::claims::numbers;
use crate::engine::{Invariant, StateLit};
use crate::expr::{Type, VarId};
use crate::program::{Place, PropertyId};
use crate::system::State;
use crate::system::passes::{Passed, Reasons};

/// Turns invariants of one circuit into certificates.
pub struct Deriver {
    facts: Vec<Fact>,
    /// The clauses that hold beside the facts, whatever the engine finds.
    clauses: Vec<Vec<Literal>>,
    /// Per latch: its meaning when it is true, and when it is not.
    literals: Vec<[Literal; 2]>,
    /// Where an abstraction tells numbers apart.
    cuts: Vec<(VarId, Vec<i32>)>,
}

/// The meaning of the values of a system's states.
pub trait Meaning {
    /// The numbers that a place has when its state has a value.
    fn interval(&self, place: Place, value: i32) -> (i32, i32);

    /// Whether the system follows the program's changes of a place.
    fn follows(&self, place: Place) -> bool;

    /// The number of regions of a place, if its values are not its numbers themselves.
    fn regions(&self, place: Place) -> Option<usize>;

    fn numbers(&self, place: Place, values: impl Iterator<Item = i32>) -> NumberSet {
        NumberSet::of_intervals(values.map(|value| self.interval(place, value)))
    }
}

/// A state's value is the number that its place has.
pub struct Exact;

impl Meaning for Exact {
    fn interval(&self, _: Place, value: i32) -> (i32, i32) {
        (value, value)
    }

    fn follows(&self, _: Place) -> bool {
        true
    }

    fn regions(&self, _: Place) -> Option<usize> {
        None
    }
}

/// A circuit that an engine works on, and the system that it was made of.
#[derive(Clone, Copy)]
pub struct Derived<'d> {
    pub passed: &'d Passed,
    pub blasted: &'d Blasted,
}

impl Deriver {
    /// For the circuit of a system whose values mean something, and which was built counting on some facts.
    pub fn new(derived: Derived, meaning: &impl Meaning, facts: Vec<Fact>) -> Deriver {
        let Derived { passed: Passed { system, reasons, .. }, blasted } = derived;
        let mut deriver = Deriver { facts, clauses: vec![], literals: vec![], cuts: vec![] };
        deriver.add_reasons(reasons, meaning);
        for ((state, values), code) in system.states.iter().zip(&blasted.values).zip(&blasted.states) {
            deriver.add_values(state, values, meaning);
            let literal = |bit, value| literal(meaning, state, code, bit, value);
            deriver.literals.extend((0..code.bits()).map(|bit| [true, false].map(|value| literal(bit, value))));
        }
        let mut seen = FxHashSet::default();
        deriver.facts.retain(|fact| seen.insert(fact.clone()));
        deriver
    }

    /// Adds the assumptions of the passes.
    fn add_reasons(&mut self, reasons: &Reasons, meaning: &impl Meaning) {
        let targets = reasons.targets.iter();
        self.facts.extend(targets.map(|(place, domain)| Fact::In(*place, NumberSet::of_domain(domain))));
        let constants = reasons.constants.iter().filter(|(place, _)| meaning.follows(*place));
        let constant = |&(place, value)| Fact::In(place, meaning.numbers(place, std::iter::once(value)));
        self.facts.extend(constants.map(constant));
        for &(copy, other) in &reasons.copies {
            match (meaning.regions(copy), meaning.regions(other)) {
                (Some(of_copy), Some(of_other)) => {
                    self.clauses.extend(together(meaning, (copy, of_copy), (other, of_other)));
                }
                _ => self.facts.push(Fact::Equal(copy, other)),
            }
        }
    }

    /// Adds the result of the value analysis for a state, on which the code of its latches relies.
    fn add_values(&mut self, state: &State, values: &Values, meaning: &impl Meaning) {
        match meaning.regions(state.place) {
            Some(regions) if values.count() >= regions as u64 => {}
            // A set with gaps is a clause, which a solver takes apart; a fact bounds a variable.
            Some(_) => match meaning.numbers(state.place, values.iter()) {
                numbers if numbers.runs().len() > 1 => self.clauses.push(vec![Literal::In(state.place, numbers)]),
                numbers => self.facts.push(Fact::In(state.place, numbers)),
            },
            None if state.ty != Type::Bool || values.count() < 2 => {
                self.facts.push(Fact::In(state.place, numbers(values)));
            }
            None => {}
        }
    }

    /// For a circuit whose last latches are comparisons, which the system that it was made of does not have.
    pub fn with_comparisons(mut self, comparisons: &[Comparison]) -> Deriver {
        let literal = |comparison: &Comparison| [true, false].map(|value| Literal::Compare(comparison.clone(), value));
        self.literals.extend(comparisons.iter().map(literal));
        self
    }

    /// Certificates with advice on where to tell numbers apart.
    pub fn with_cuts(self, cuts: Vec<(VarId, Vec<i32>)>) -> Deriver {
        Deriver { cuts, ..self }
    }

    pub fn certificate(&self, excluded: Vec<PropertyId>, invariant: &Invariant) -> Certificate {
        let literal = |literal: &StateLit| self.literals[literal.latch()][usize::from(!literal.value())].clone();
        let found = invariant.clauses.iter().map(|clause| clause.iter().map(literal).collect());
        let clauses = self.clauses.iter().cloned().chain(found).collect();
        let (facts, cuts) = (self.facts.clone(), self.cuts.clone());
        Certificate { excluded, facts, clauses, cuts, ..Certificate::default() }
    }
}

/// The clauses that two places, which have these numbers of regions, are in regions of the same number.
fn together(meaning: &impl Meaning, (a, of_a): (Place, usize), (b, of_b): (Place, usize)) -> Vec<Vec<Literal>> {
    let regions = |number: i32, of: usize| (0..of as i32).filter(move |&other| other == number);
    let others = |number: i32| (0..of_a as i32).filter(move |&other| other != number);
    let clause = |number: i32| {
        // The second may have fewer regions; then the first is never in this one.
        let literals = [(a, meaning.numbers(a, others(number))), (b, meaning.numbers(b, regions(number, of_b)))];
        let possible = literals.into_iter().filter(|(_, numbers)| numbers.count() > 0);
        possible.map(|(place, numbers)| Literal::In(place, numbers)).collect()
    };
    (0..of_a as i32).map(clause).collect()
}

/// The literal that a bit of a variable's code has a value.
fn literal(meaning: &impl Meaning, state: &State, code: &Code, bit: usize, value: bool) -> Literal {
    let (place, ty) = (state.place, state.ty);
    let has = |number: &i32| code.encode(*number).is_some_and(|bits| bits[bit] == value);
    let one_of = |numbers: &mut dyn Iterator<Item = i32>| Literal::In(place, meaning.numbers(place, numbers));
    match (code, meaning.regions(place)) {
        (Code::Enumerated { values }, _) => one_of(&mut values.iter().copied().filter(has)),
        (Code::Binary { .. }, Some(regions)) => {
            one_of(&mut (0..regions as i32).filter(|n| n >> bit & 1 == i32::from(value)))
        }
        (Code::Binary { .. }, None) if ty == Type::Bool => one_of(&mut std::iter::once(i32::from(value))),
        (Code::Binary { .. }, None) => Literal::Bit(place, bit as u32, value),
    }
}
