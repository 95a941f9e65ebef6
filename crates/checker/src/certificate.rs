//! The claims of a certificate.

use redoubt_program::expr::{TableId, VarId};
use redoubt_program::program::{Place, PropertyId};
use redoubt_program::simulate::Simulator;
use rustc_hash::FxHashSet;

use crate::NumberSet;

/// An inductive invariant and the properties that it excludes.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Certificate {
    /// The properties that no run reaches.
    pub excluded: Vec<PropertyId>,
    /// The number of steps of history that the claim needs: after as many steps that are as claimed, the next one is,
    /// too. An inductive invariant needs none.
    pub history: usize,
    /// Claims that hold in every state.
    pub facts: Vec<Fact>,
    /// In every state one of the literals of each clause holds.
    pub clauses: Vec<Vec<Literal>>,
    /// Every state lies in one of the boxes, if there are any.
    pub boxes: Vec<StateBox>,
    /// Where it helps to tell the numbers of a variable apart: in front of these. This is advice, not a claim. Without
    /// any, variables are cut where the program compares them.
    pub cuts: Vec<(VarId, Vec<i32>)>,
}

#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Fact {
    /// The place has one of these numbers.
    In(Place, NumberSet),
    /// Every cell of a table that is written has one of these numbers.
    Cells(TableId, NumberSet),
    /// Both places have the same number.
    Equal(Place, Place),
}

#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Literal {
    In(Place, NumberSet),
    /// A bit of the number in two's complement, counted from the lowest, has this value.
    Bit(Place, u32, bool),
    /// Whether a comparison of sums holds.
    Compare(Comparison, bool),
}

/// Two sums in 32 bits, which wrap, and how they relate as signed numbers.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Comparison {
    pub left: Sum,
    pub relation: Relation,
    pub right: Sum,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Relation {
    Equal,
    LessEqual,
}

/// A sum of multiples of places, and a constant.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub struct Sum {
    pub terms: Vec<(i32, Place)>,
    pub constant: i32,
}

impl Sum {
    pub fn number(constant: i32) -> Sum {
        Sum { terms: vec![], constant }
    }

    pub fn of(place: Place) -> Sum {
        Sum { terms: vec![(1, place)], constant: 0 }
    }

    /// The same sum with a constant added.
    pub fn plus(self, constant: i32) -> Sum {
        Sum { constant: self.constant.wrapping_add(constant), ..self }
    }

    /// Its value, given those of the places.
    pub fn value(&self, at: &impl Fn(Place) -> i32) -> i32 {
        let terms = self.terms.iter().map(|&(factor, place)| factor.wrapping_mul(at(place)));
        terms.fold(self.constant, i32::wrapping_add)
    }
}

impl Comparison {
    pub fn holds(&self, at: &impl Fn(Place) -> i32) -> bool {
        let (left, right) = (self.left.value(at), self.right.value(at));
        match self.relation {
            Relation::Equal => left == right,
            Relation::LessEqual => left <= right,
        }
    }

    fn places(&self) -> impl Iterator<Item = Place> + '_ {
        self.left.terms.iter().chain(&self.right.terms).map(|(_, place)| *place)
    }
}

/// The variables that are told apart lie in these sets; the others may have any value.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct StateBox {
    pub sides: Vec<(VarId, NumberSet)>,
}

impl Fact {
    /// Whether the current state is as it says.
    fn holds_in(&self, state: &Simulator) -> bool {
        match self {
            Fact::In(place, numbers) => numbers.contains(state.at(*place)),
            Fact::Cells(table, numbers) => state.cells(*table).iter().all(|&number| numbers.contains(number)),
            Fact::Equal(a, b) => state.at(*a) == state.at(*b),
        }
    }

    /// The places that it names.
    fn places(&self) -> Vec<Place> {
        match self {
            Fact::In(place, _) => vec![*place],
            Fact::Cells(..) => vec![],
            Fact::Equal(a, b) => vec![*a, *b],
        }
    }
}

impl Literal {
    fn holds_in(&self, state: &Simulator) -> bool {
        match self {
            Literal::In(place, numbers) => numbers.contains(state.at(*place)),
            Literal::Bit(place, bit, value) => (state.at(*place) >> bit & 1 == 1) == *value,
            Literal::Compare(comparison, value) => comparison.holds(&|place| state.at(place)) == *value,
        }
    }

    fn places(&self) -> Vec<Place> {
        match self {
            Literal::In(place, _) | Literal::Bit(place, ..) => vec![*place],
            Literal::Compare(comparison, _) => comparison.places().collect(),
        }
    }
}

impl StateBox {
    /// Whether the current state is in it.
    pub fn holds_in(&self, state: &Simulator) -> bool {
        self.sides.iter().all(|(variable, numbers)| numbers.contains(state.at(Place::Variable(*variable))))
    }

    /// Whether no state is in both.
    pub fn is_apart(&self, other: &StateBox) -> bool {
        self.sides.iter().any(|(variable, numbers)| {
            other.sides.iter().any(|(also, others)| variable == also && !numbers.meets(others))
        })
    }
}

impl Certificate {
    /// Whether it compares sums of variables.
    pub fn is_relational(&self) -> bool {
        self.clauses.iter().flatten().any(|literal| matches!(literal, Literal::Compare(..)))
    }

    /// All sides of all boxes.
    pub(crate) fn sides(&self) -> impl Iterator<Item = &(VarId, NumberSet)> {
        self.boxes.iter().flat_map(|state_box| &state_box.sides)
    }

    /// The variables that it says something about, some of them more than once.
    pub(crate) fn variables(&self) -> impl Iterator<Item = VarId> + '_ {
        let in_facts = self.facts.iter().flat_map(Fact::places);
        let in_clauses = self.clauses.iter().flatten().flat_map(Literal::places);
        let in_boxes = self.sides().map(|(variable, _)| *variable);
        in_facts.chain(in_clauses).filter_map(Place::variable).chain(in_boxes)
    }

    /// Whether the current state satisfies the invariant.
    pub fn holds_in(&self, state: &Simulator) -> bool {
        let clause = |clause: &Vec<Literal>| clause.iter().any(|literal| literal.holds_in(state));
        self.facts.iter().all(|fact| fact.holds_in(state))
            && self.clauses.iter().all(clause)
            && (self.boxes.is_empty() || self.boxes.iter().any(|state_box| state_box.holds_in(state)))
    }
}

/// Certificates without repetitions: of those with the same history, facts and boxes, one whose clauses another has is
/// left out, and that one excludes its properties as well.
pub fn combined<'c>(certificates: impl Iterator<Item = &'c Certificate>) -> Vec<Certificate> {
    let mut list: Vec<&Certificate> = certificates.collect();
    list.sort_by_key(|certificate| std::cmp::Reverse((certificate.clauses.len(), certificate.excluded.len())));
    let mut kept: Vec<(Certificate, FxHashSet<&Vec<Literal>>)> = vec![];
    for certificate in list {
        let includes = |(other, clauses): &&mut (Certificate, FxHashSet<&Vec<Literal>>)| {
            let is_said = || certificate.excluded.iter().all(|property| other.excluded.contains(property));
            (other.history == certificate.history || is_said())
                && other.facts == certificate.facts
                && certificate.clauses.iter().all(|clause| clauses.contains(clause))
                && other.boxes == certificate.boxes
        };
        match kept.iter_mut().find(includes) {
            Some((other, _)) => other.excluded.extend(&certificate.excluded),
            None => kept.push((certificate.clone(), certificate.clauses.iter().collect())),
        }
    }
    let finish = |(mut certificate, _): (Certificate, _)| {
        certificate.excluded.sort_unstable();
        certificate.excluded.dedup();
        certificate
    };
    kept.into_iter().map(finish).collect()
}
