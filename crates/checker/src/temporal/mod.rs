//! Certificates of temporal formulas about programs: why every infinite run satisfies one.
//!
//! The first half is a [`Machine`]: boxes that no step leaves, as in other certificates, each in a *class*. The steps
//! from a class are not claimed but found, by execution (`execute::steps`); all runs of the program are runs of this
//! graph. The second half, for each formula, is a [`Ranking`] of the pairs of a class and what is owed of the formula's
//! negation ([`obligations`]). A reachable pair has a rank, and no step leads to a higher one. A step may stay in its
//! rank only if it puts off the until that the rank names at each of its positions; if the rank names none, only a step
//! that is no part of the run, and so has no position, may stay.
//!
//! Then no run violates the formula. Some ways through such a run would put no until off for ever, and in the pairs that they
//! come through the rank would never rise, so at last it would stay the same. If that rank names no until, from there on
//! no step would be part of the run, which is infinite; and else the until that it names would be put off for ever.

mod graph;
pub mod obligations;
pub mod text;

use std::sync::Arc;

use redoubt_base::Interrupt;
use redoubt_formula::properties::Mapping;
use redoubt_formula::{Formula, Letter};
use redoubt_program::program::Program;
use rustc_hash::{FxHashMap, FxHashSet};

use crate::{Certificate, Judgement};
pub use graph::{Edge, Graph};
use obligations::{Obligations, Owed, PutOff};

/// Boxes that no step leaves, and the class of each.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Machine {
    /// It excludes nothing, but has boxes.
    pub invariant: Certificate,
    pub classes: Vec<u32>,
}

/// Classes and their ranks.
pub type Ranks = Vec<(u32, u32)>;

/// Why a formula holds on a machine.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Ranking {
    /// By the owed formulas: the rank of each class that can be reached with them.
    pub ranks: Vec<(Owed, Ranks)>,
    /// The untils that ranks name, as numbers of parts.
    pub untils: Vec<(u32, u32)>,
}

/// Why a formula about a program holds.
#[derive(Clone, Debug)]
pub struct Temporal {
    /// The formula's name.
    pub formula: String,
    pub machine: Arc<Machine>,
    pub ranking: Ranking,
}

/// The steps of the classes, if the boxes are as claimed.
pub fn graph(
    program: &Program,
    machine: &Machine,
    mapping: &Mapping,
    interrupt: &Interrupt,
) -> Result<Graph, Judgement> {
    Graph::new(program, machine, mapping, interrupt)
}

/// Whether a ranking shows that a formula holds on all runs of a graph.
pub fn confirm(graph: &Graph, formula: &Formula, ranking: &Ranking, interrupt: &Interrupt) -> Judgement {
    let Some(mut product) = Product::new(graph, formula) else {
        return Judgement::Undecided("the formula is too large".into());
    };
    let mut ranks: FxHashMap<Pair, u32> = FxHashMap::default();
    for (owed, list) in &ranking.ranks {
        let number = product.number(owed.clone());
        ranks.extend(list.iter().map(|&(class, rank)| ((class, number), rank)));
    }
    let mut untils: FxHashMap<u32, PutOff> = FxHashMap::default();
    for &(rank, part) in &ranking.untils {
        match product.obligations.bit(part) {
            Some(bit) => untils.insert(rank, bit),
            None => return Judgement::Refuted(format!("part {part} of the negation is no until")),
        };
    }
    let may_stay = |rank: u32, step: &Edge, put_off: PutOff| {
        step.word.is_empty() || untils.get(&rank).is_some_and(|bit| put_off & bit != 0)
    };
    let first = product.first();
    let mut seen = FxHashSet::from_iter([first]);
    let mut pending = vec![first];
    while let Some(pair) = pending.pop() {
        if interrupt.is_raised() {
            return Judgement::Undecided("time is up".into());
        }
        let Some(&rank) = ranks.get(&pair) else {
            let owed = text::set(&product.owed[pair.1]);
            return Judgement::Refuted(format!("class {} has no rank where {owed} is owed", pair.0));
        };
        for step in &graph.steps[pair.0 as usize] {
            let Some(ends) = product.follow(pair.1, step) else {
                return Judgement::Undecided("the formula is too large".into());
            };
            for (owed, put_off) in ends {
                let next = (step.target, owed);
                // A pair without a rank is noticed when it is looked at.
                let is_fine = ranks
                    .get(&next)
                    .is_none_or(|&other| other < rank || other == rank && may_stay(rank, step, put_off));
                if !is_fine {
                    let word: Vec<&str> = step.word.iter().map(|&symbol| &*graph.symbols[symbol]).collect();
                    let (class, word) = (pair.0, word.join(" "));
                    return Judgement::Refuted(format!("class {class} has a step `{word}` to a rank that is too high"));
                }
                if seen.insert(next) {
                    pending.push(next);
                }
            }
        }
    }
    Judgement::Confirmed
}

/// A class, and the number of a set of owed formulas.
pub type Pair = (u32, usize);

/// A graph and the negation of a formula, side by side.
pub struct Product<'p> {
    graph: &'p Graph,
    pub obligations: Obligations,
    /// By symbol of the graph.
    letters: Vec<Letter>,
    /// By number.
    pub owed: Vec<Owed>,
    numbers: FxHashMap<Owed, usize>,
    /// The ways in which a symbol settles owed formulas.
    ways: FxHashMap<(usize, usize), Vec<(usize, PutOff)>>,
}

impl<'p> Product<'p> {
    /// `None` if the formula is too large.
    pub fn new(graph: &'p Graph, formula: &Formula) -> Option<Product<'p>> {
        let obligations = Obligations::of_negation(formula)?;
        let letters = graph.symbols.iter().map(|symbol| formula.letter(|name| name == symbol)).collect();
        let (numbers, ways) = (FxHashMap::default(), FxHashMap::default());
        Some(Product { graph, obligations, letters, owed: vec![], numbers, ways })
    }

    /// Where all runs begin.
    pub fn first(&mut self) -> Pair {
        (self.graph.first, self.number(self.obligations.first()))
    }

    fn number(&mut self, owed: Owed) -> usize {
        if let Some(&number) = self.numbers.get(&owed) {
            return number;
        }
        self.owed.push(owed.clone());
        self.numbers.insert(owed, self.owed.len() - 1);
        self.owed.len() - 1
    }

    /// The formulas that may be owed behind a step, and the untils put off at each of its positions; `None` if there
    /// are too many.
    pub fn follow(&mut self, owed: usize, step: &Edge) -> Option<Vec<(usize, PutOff)>> {
        let mut ends = vec![(owed, PutOff::MAX)];
        for &symbol in &step.word {
            let mut next = vec![];
            for (owed, put_off) in ends {
                next.extend(self.ways(owed, symbol)?.iter().map(|&(left, also)| (left, put_off & also)));
            }
            next.sort_unstable();
            next.dedup();
            ends = next;
        }
        Some(ends)
    }

    fn ways(&mut self, owed: usize, symbol: usize) -> Option<&[(usize, PutOff)]> {
        if !self.ways.contains_key(&(owed, symbol)) {
            let ways = self.obligations.ways(&self.owed[owed], self.letters[symbol])?;
            let ways = ways.into_iter().map(|(left, put_off)| (self.number(left), put_off)).collect();
            self.ways.insert((owed, symbol), ways);
        }
        self.ways.get(&(owed, symbol)).map(|ways| &**ways)
    }
}
