//! A program to what may hold at its places: equations, bounds and orders that no sampled state contradicts.

use crate::base::Interrupt;
use crate::certificate::{Comparison, Relation, Sum};
use crate::expr::{Expr, Type};
use crate::program::{Place, Program, Scope};

use super::affine;
use super::samples::{constants, samples};

/// Something that may hold wherever the run is at a place.
#[derive(Clone, Debug, PartialEq, Eq)]
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
/// So many bounds on each side of a variable are tried, from the tightest on.
const BOUNDS: usize = 3;
/// How far apart two variables may be kept.
const APART: [i32; 3] = [-1, 0, 1];
/// With more variables than this, orders with sums are too many.
const MOST_SUMMED: usize = 6;
/// The largest power of two that numbers may be multiples of.
const MOST_LOW_BITS: u32 = 6;

/// The candidates of all places that runs came to.
pub fn candidates(program: &Program, interrupt: &Interrupt) -> Vec<Candidate> {
    let places = places(program);
    let samples = samples(program, &places, interrupt);
    let mut maker =
        Maker { places: &places, constants: constants(program), unsigned: unsigned(program), found: vec![] };
    let mut locations: Vec<i32> = samples.keys().copied().collect();
    locations.sort_unstable();
    for location in locations {
        maker.at(location, &samples[&location]);
    }
    maker.found
}

/// The integers that are kept from step to step, but for the location.
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
    constants: Vec<i32>,
    unsigned: bool,
    found: Vec<Candidate>,
}

impl Maker<'_> {
    fn add(&mut self, location: i32, left: Sum, relation: Relation, right: Sum, value: bool) {
        let candidate = Candidate { location, comparison: Comparison { left, relation, right }, value };
        if !self.found.contains(&candidate) {
            self.found.push(candidate);
        }
    }

    fn at(&mut self, location: i32, states: &[Vec<i32>]) {
        // Sums of large numbers wrap, and then they are no longer on a line.
        let is_small = |state: &&Vec<i32>| state.iter().all(|number| number.unsigned_abs() <= 1 << 24);
        let small: Vec<Vec<i32>> = states.iter().filter(is_small).cloned().collect();
        let few = if small.len() > 1 { &small } else { states };
        for (coefficients, total) in affine::equations(few) {
            let terms = coefficients.iter().zip(self.places).filter(|(factor, _)| **factor != 0);
            let terms = terms.map(|(factor, place)| (*factor, *place)).collect();
            self.add(location, Sum { terms, constant: 0 }, Relation::Equal, Sum::number(total), true);
        }
        let column = |index: usize| states.iter().map(move |state| state[index]);
        let varying: Vec<usize> =
            (0..self.places.len()).filter(|&index| column(index).min() != column(index).max()).collect();
        for &index in &varying {
            self.bounds(location, index, states, 0);
            if self.unsigned {
                self.bounds(location, index, states, i32::MIN);
            }
            self.low_bits(location, index, states);
        }
        if varying.len() <= MOST_SUMMED {
            self.sums(location, &varying, states);
        }
        if varying.len() <= MOST_ORDERED {
            for &a in &varying {
                for &b in varying.iter().filter(|&&b| b != a) {
                    self.orders(location, (a, b), states);
                }
            }
        }
    }

    /// Bounds among the numbers that the program mentions; with an offset, in the unsigned order.
    fn bounds(&mut self, location: i32, index: usize, states: &[Vec<i32>], offset: i32) {
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
        for &bound in near.iter().filter(|&&bound| bound >= high && bound < i32::MAX).take(BOUNDS) {
            self.add(location, sum.clone(), Relation::LessEqual, Sum::number(bound), true);
        }
        for &bound in near.iter().rev().filter(|&&bound| bound <= low && bound > i32::MIN).take(BOUNDS) {
            self.add(location, Sum::number(bound), Relation::LessEqual, sum.clone(), true);
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
                self.add(location, sum, Relation::Equal, Sum::number(same), true);
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
                        self.add(location, alone.clone(), Relation::LessEqual, sum.clone(), true);
                    }
                    if states.iter().all(|state| both(state) <= state[a]) {
                        self.add(location, sum, Relation::LessEqual, alone, true);
                    }
                }
            }
        }
    }

    /// How two variables are ordered.
    fn orders(&mut self, location: i32, (a, b): (usize, usize), states: &[Vec<i32>]) {
        let offsets: &[i32] = if self.unsigned { &[0, i32::MIN] } else { &[0] };
        for &offset in offsets {
            // From the strongest on: `a <= b - 1`, `a <= b`, `a <= b + 1`.
            let mut all_apart = APART.to_vec();
            // The tightest distance among the numbers that the program mentions.
            let most = states.iter().map(|state| state[a].wrapping_sub(state[b])).max().unwrap_or(0);
            let near = self.constants.iter().flat_map(|&constant| [-1, 0, 1].map(|more| constant.wrapping_add(more)));
            all_apart.extend(near.filter(|&distance| distance > 1 && distance >= most).min());
            for apart in all_apart {
                let left = Sum::of(self.places[a]).plus(offset);
                let right = Sum::of(self.places[b]).plus(offset.wrapping_add(apart));
                let comparison = Comparison { left, relation: Relation::LessEqual, right };
                let at = |state: &Vec<i32>, place: Place| {
                    let index = self.places.iter().position(|&other| other == place);
                    index.map_or(0, |index| state[index])
                };
                if states.iter().all(|state| comparison.holds(&|place| at(state, place))) {
                    let Comparison { left, relation, right } = comparison;
                    self.add(location, left, relation, right, true);
                }
            }
        }
    }
}
