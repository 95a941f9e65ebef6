//! A program to relations that may hold at its places: equations, bounds and orders that no sampled state contradicts.
//!
//! Candidates that differ only in a number form a chain, from the strongest on: only one of them is needed at a time.

use std::collections::BTreeSet;

use rustc_hash::FxHashSet;

use crate::base::Interrupt;
use crate::certificate::{Comparison, Relation, Sum};
use crate::expr::{Expr, Type};
use crate::program::{Place, Program, Scope};

use super::affine;
use super::atoms::{Atoms, atoms, difference};
use super::samples::{constants, samples};

/// Something that may hold wherever the run is at a place.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Candidate {
    /// The value of the program's location.
    pub location: i32,
    pub comparison: Comparison,
    /// Whether the comparison holds or fails there.
    pub value: bool,
}

/// With more variables than this, orders between all of them are too many.
const MOST_ORDERED: usize = 10;
/// More variables are not looked at.
const MOST_VARIABLES: usize = 24;
/// The number of bounds on each side of a variable that are tried, from the tightest on; fewer where there are many
/// variables.
const BOUNDS: usize = 12;
const FEW_BOUNDS: usize = 3;
/// The most distances between sums that the program compares for equality.
const MOST_DISTANCES: usize = 16;
/// The distances at which two variables may be kept.
const APART: [i32; 3] = [-1, 0, 1];
/// With more variables than this, orders with sums are too many.
const MOST_SUMMED: usize = 6;
/// The largest number that one variable may be a multiple of another by, and how many such are tried.
const MOST_SLOPE: i32 = 1 << 16;
const SLOPES: usize = 4;
/// The largest power of two that numbers may be multiples of.
const MOST_LOW_BITS: u32 = 6;

/// Candidates of one kind, from the strongest on.
#[derive(Clone, Debug)]
pub struct Chain {
    /// The rank of plausibility, below [`RANKS`].
    pub rank: usize,
    pub candidates: Vec<Candidate>,
}

/// First the relations in the program itself: equations, bounds, its own comparisons; then orders between any two
/// variables; then sums and multiples.
pub const RANKS: usize = 3;

/// Relations that may hold, and comparisons that may be worth literals.
pub struct Candidates {
    /// Of all places that runs came to.
    pub chains: Vec<Chain>,
    /// Comparisons that the program makes.
    pub atoms: Vec<Comparison>,
}

/// The candidates of all places that runs came to.
pub fn candidates(program: &Program, interrupt: &Interrupt) -> Candidates {
    let places = places(program);
    let samples = samples(program, &places, interrupt);
    let Atoms { orders, equations } = atoms(program, &places);
    let (constants, unsigned) = (constants(program), unsigned(program));
    let mut maker =
        Maker { places: &places, atoms: &orders, constants, unsigned, seen: FxHashSet::default(), found: vec![] };
    let mut locations: Vec<i32> = samples.keys().copied().collect();
    locations.sort_unstable();
    for location in locations {
        maker.at(location, &samples[&location]);
    }
    let found = maker.found;
    let states: Vec<&Vec<i32>> = samples.values().flatten().collect();
    let mut atoms = distances(&equations, &places, &states);
    atoms.extend(orders);
    Candidates { chains: found, atoms }
}

/// The distances between numbers that the program compares for equality, if there are only a few: on the way to being
/// equal they pass through each of them, as with a token that is passed on and counts its holders.
fn distances(equations: &[(Sum, Sum)], places: &[Place], states: &[&Vec<i32>]) -> Vec<Comparison> {
    let mut found = vec![];
    for (left, right) in equations {
        let apart = difference(left, right);
        let distance = |state: &&Vec<i32>| apart.value(&|place| at(places, state, place));
        let distances: BTreeSet<i32> = states.iter().map(distance).collect();
        if (2..=MOST_DISTANCES).contains(&distances.len()) {
            found.extend(distances.into_iter().map(|distance| Comparison {
                left: left.clone(),
                relation: Relation::Equal,
                right: right.clone().plus(distance),
            }));
        }
    }
    found
}

/// The number at a place, one of those that were sampled.
fn at(places: &[Place], state: &[i32], place: Place) -> i32 {
    places.iter().position(|&other| other == place).map_or(0, |index| state[index])
}

/// The integers that are kept from step to step, except for the location.
fn places(program: &Program) -> Vec<Place> {
    let ids = (0..program.variables.len()).map(crate::expr::VarId::new);
    let is_kept = |id: &crate::expr::VarId| {
        let variable = program.variable(*id);
        variable.scope == Scope::Global && variable.ty == Type::Int && program.location != Some(*id)
    };
    ids.filter(is_kept).take(MOST_VARIABLES).map(Place::Variable).collect()
}

/// Whether numbers are compared as unsigned ones, which lowering does by adding the lowest number.
fn unsigned(program: &Program) -> bool {
    program.exprs.iter().any(|(_, expr)| expr == Expr::Int(i32::MIN))
}

struct Maker<'a> {
    places: &'a [Place],
    atoms: &'a [Comparison],
    constants: Vec<i32>,
    unsigned: bool,
    seen: FxHashSet<Candidate>,
    found: Vec<Chain>,
}

impl Maker<'_> {
    /// Adds a chain of orders or equations, from the strongest on.
    fn add(&mut self, location: i32, rank: usize, chain: impl IntoIterator<Item = Comparison>) {
        let chain = chain.into_iter().map(|comparison| Candidate { location, comparison, value: true });
        let new: Vec<Candidate> = chain.filter(|candidate| self.seen.insert(candidate.clone())).collect();
        if !new.is_empty() {
            self.found.push(Chain { rank, candidates: new });
        }
    }

    /// An equation without negative factors, as people would write it.
    fn equation(&self, coefficients: &[i32], total: i32) -> Comparison {
        let side = |sign: i32| {
            let terms = coefficients.iter().zip(self.places).filter(|(factor, _)| **factor * sign > 0);
            terms.map(|(factor, place)| (factor * sign, *place)).collect::<Vec<_>>()
        };
        let (left, right) = (side(1), side(-1));
        let (left, right, total) =
            if left.is_empty() { (right, left, total.wrapping_neg()) } else { (left, right, total) };
        let (left, right) = (Sum { terms: left, constant: 0 }, Sum { terms: right, constant: total });
        Comparison { left, relation: Relation::Equal, right }
    }

    fn holds(&self, comparison: &Comparison, states: &[Vec<i32>]) -> bool {
        states.iter().all(|state| comparison.holds(&|place| at(self.places, state, place)))
    }

    fn at(&mut self, location: i32, states: &[Vec<i32>]) {
        // Sums of large numbers wrap, and then they are no longer on a line.
        let is_small = |state: &&Vec<i32>| state.iter().all(|number| number.unsigned_abs() <= 1 << 24);
        let small: Vec<Vec<i32>> = states.iter().filter(is_small).cloned().collect();
        let few = if small.len() > 1 { &small } else { states };
        for (coefficients, total) in affine::equations(few) {
            self.add(location, 0, [self.equation(&coefficients, total)]);
        }
        let column = |index: usize| states.iter().map(move |state| state[index]);
        let varying: Vec<usize> =
            (0..self.places.len()).filter(|&index| column(index).min() != column(index).max()).collect();
        let most = if varying.len() <= MOST_SUMMED { BOUNDS } else { FEW_BOUNDS };
        for &index in &varying {
            self.bounds(location, index, states, 0, most);
            if self.unsigned {
                self.bounds(location, index, states, i32::MIN, most);
            }
            self.low_bits(location, index, states);
        }
        self.own(location, states);
        if varying.len() <= MOST_SUMMED {
            self.sums(location, &varying, states);
        }
        if varying.len() <= MOST_ORDERED {
            for &a in &varying {
                for &b in varying.iter().filter(|&&b| b != a) {
                    self.orders(location, (a, b), states);
                    if varying.len() <= MOST_SUMMED {
                        self.slopes(location, (a, b), states);
                    }
                }
            }
        }
    }

    /// Bounds among the numbers that the program mentions; with an offset, in the unsigned order.
    fn bounds(&mut self, location: i32, index: usize, states: &[Vec<i32>], offset: i32, most: usize) {
        let value = |state: &Vec<i32>| state[index].wrapping_add(offset);
        let (Some(low), Some(high)) = (states.iter().map(value).min(), states.iter().map(value).max()) else { return };
        let sum = Sum::of(self.places[index]).plus(offset);
        let mut near: Vec<i32> = self
            .constants
            .iter()
            .flat_map(|&constant| [-1, 0, 1].map(|more| constant.wrapping_add(more).wrapping_add(offset)))
            .collect();
        near.sort_unstable();
        near.dedup();
        let above = near.iter().filter(|&&bound| bound >= high && bound < i32::MAX).take(most);
        self.add(location, 0, above.map(|&bound| at_most(sum.clone(), Sum::number(bound))));
        let below = near.iter().rev().filter(|&&bound| bound <= low && bound > i32::MIN).take(most);
        self.add(location, 0, below.map(|&bound| at_most(Sum::number(bound), sum.clone())));
    }

    /// The program's own comparisons, and those next to them, in both directions.
    fn own(&mut self, location: i32, states: &[Vec<i32>]) {
        for atom in self.atoms.iter().filter(|atom| atom.left.terms.len() + atom.right.terms.len() > 1) {
            for (left, right) in [(&atom.left, &atom.right), (&atom.right, &atom.left)] {
                let chain = APART.map(|apart| at_most(left.clone(), right.clone().plus(apart)));
                let chain: Vec<Comparison> =
                    chain.into_iter().filter(|comparison| self.holds(comparison, states)).collect();
                self.add(location, 0, chain);
            }
        }
    }

    /// The low bits that are always the same: a multiple that shifts the others out has them alone.
    fn low_bits(&mut self, location: i32, index: usize, states: &[Vec<i32>]) {
        let Some(first) = states.first().map(|state| state[index]) else { return };
        for bits in 1..=MOST_LOW_BITS {
            let factor = 1i32 << (32 - bits);
            let same = first.wrapping_mul(factor);
            if states.iter().all(|state| state[index].wrapping_mul(factor) == same) {
                let sum = Sum { terms: vec![(factor, self.places[index])], constant: 0 };
                self.add(location, 0, [equal(sum, same)]);
            }
        }
    }

    /// `a <= b + c` and `a + b <= c`.
    fn sums(&mut self, location: i32, varying: &[usize], states: &[Vec<i32>]) {
        for &a in varying {
            for (position, &b) in varying.iter().enumerate() {
                for &c in varying[position + 1..].iter().filter(|_| a != b) {
                    if a == c {
                        continue;
                    }
                    let both = |state: &Vec<i32>| state[b].wrapping_add(state[c]);
                    let (alone, sum) = (Sum::of(self.places[a]), [(1, self.places[b]), (1, self.places[c])]);
                    let sum = Sum { terms: sum.to_vec(), constant: 0 };
                    if states.iter().all(|state| state[a] <= both(state)) {
                        self.add(location, 2, [at_most(alone.clone(), sum.clone())]);
                    }
                    if states.iter().all(|state| both(state) <= state[a]) {
                        self.add(location, 2, [at_most(sum, alone)]);
                    }
                }
            }
        }
    }

    /// The order of two variables.
    fn orders(&mut self, location: i32, (a, b): (usize, usize), states: &[Vec<i32>]) {
        let offsets: &[i32] = if self.unsigned { &[0, i32::MIN] } else { &[0] };
        for &offset in offsets {
            // From the strongest on: `a <= b - 1`, `a <= b`, `a <= b + 1`.
            let mut all_apart = APART.to_vec();
            // The tightest distance among the numbers that the program mentions.
            let most = states.iter().map(|state| state[a].wrapping_sub(state[b])).max().unwrap_or(0);
            let near = self.constants.iter().flat_map(|&constant| [-1, 0, 1].map(|more| constant.wrapping_add(more)));
            all_apart.extend(near.filter(|&distance| distance > 1 && distance >= most).min());
            let left = Sum::of(self.places[a]).plus(offset);
            let right = |apart: i32| Sum::of(self.places[b]).plus(offset.wrapping_add(apart));
            let chain = all_apart.into_iter().map(|apart| at_most(left.clone(), right(apart)));
            let chain: Vec<Comparison> = chain.filter(|comparison| self.holds(comparison, states)).collect();
            self.add(location, 1, chain);
        }
    }

    /// `a <= k * b + c` with numbers of the program: variables that grow by at most `k` while `b` grows by one.
    fn slopes(&mut self, location: i32, (a, b): (usize, usize), states: &[Vec<i32>]) {
        let factors = self.constants.iter().copied().filter(|factor| (2..=MOST_SLOPE).contains(factor));
        let chain = factors.flat_map(|factor| [0, 1, factor].map(|apart| (factor, apart)));
        let chain = chain.map(|(factor, apart)| {
            let right = Sum { terms: vec![(factor, self.places[b])], constant: apart };
            at_most(Sum::of(self.places[a]), right)
        });
        let chain = chain.filter(|comparison| self.holds(comparison, states)).take(SLOPES);
        let chain: Vec<Comparison> = chain.collect();
        self.add(location, 2, chain);
    }
}

fn equal(left: Sum, number: i32) -> Comparison {
    Comparison { left, relation: Relation::Equal, right: Sum::number(number) }
}

fn at_most(left: Sum, right: Sum) -> Comparison {
    Comparison { left, relation: Relation::LessEqual, right }
}
