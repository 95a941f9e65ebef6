//! Certificates of temporal formulas about programs: why every infinite run satisfies one.
//!
//! The first half lists the classes of states. For programs of the challenge it is a [`Machine`]: boxes that no step
//! leaves, as in other certificates, each in a *class*. For models it is the list of their states ([`states`]), each a
//! class of its own. The steps from a class are not claimed but found, by execution (`execute::steps`) or by the
//! simulator; all runs of the program are runs of this graph. The second half, for each formula, is a [`Ranking`] of
//! the pairs of a class and the formulas owed of the formula's negation ([`obligations`]). A reachable pair has a rank,
//! and no step leads to a higher one. A step may stay in its rank only if it puts off the until that the rank names at
//! each of its positions; if the rank names none, only a step that is no part of the run, and so has no position, may
//! stay.
//!
//! Then no run violates the formula. Some ways through such a run would put no until off for ever, and along their
//! pairs the rank would never rise, so at last it would stay the same. If that rank names no until, from there on no
//! step would be part of the run, which is infinite; otherwise the until that it names would be put off for ever.
//! Conditions that must recur for a run to be fair are treated like untils: a rank may name one, and a step stays in
//! that rank only if the condition does not happen there.

mod graph;
pub mod obligations;
pub mod states;
pub mod text;
mod transitions;

use std::sync::Arc;

use redoubt_base::Interrupt;
use redoubt_formula::formula::{Binary, Node, Unary};
use redoubt_formula::properties::Mapping;
use redoubt_formula::{Formula, Letter};
use redoubt_program::program::time::Question::Linear;
use redoubt_program::program::{Fairness, Program, PropertyId, Timed};
use rustc_hash::{FxHashMap, FxHashSet};

use crate::{Certificate, Judgement};
pub use graph::{Edge, Graph, Symbol};
use obligations::{Obligations, Owed, PutOff};
use states::Starts;
pub use transitions::{Answer, Answers, Next, answers};

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
    /// The recurrences that ranks name, as their numbers in the question.
    pub recurrences: Vec<(u32, u32)>,
}

/// A question about a graph: whether all runs from a node on satisfy a formula if the conditions of fairness recur.
pub struct Question {
    formula: Formula,
    /// By symbol of the graph: which propositions are true.
    letters: Vec<Letter>,
    /// By recurrence, by symbol: whether it happens there.
    recurrences: Vec<Vec<bool>>,
    first: u32,
}

impl Question {
    /// About inputs and outputs, which the propositions name.
    pub fn of_names(graph: &Graph, formula: &Formula) -> Question {
        let letter = |symbol: &Symbol| formula.letter(|name| matches!(symbol, Symbol::Name(known) if known == name));
        let letters = graph.symbols.iter().map(letter).collect();
        Question { formula: formula.clone(), letters, recurrences: vec![], first: graph.first }
    }

    /// About atoms of a model, on fair runs: that something recurs where something else does is a part of the formula, and what
    /// recurs by itself is not. `None` if it is about many runs at a time, or has too many propositions.
    pub fn of_model(graph: &Graph, starts: Starts, program: &Program, timed: &Timed) -> Option<Question> {
        let Linear(formula) = &timed.question else { return None };
        let Formula { mut propositions, mut root } = formula.clone();
        let mut atoms = timed.atoms.clone();
        let mut recurrences = vec![];
        for &Fairness { recurs, when } in &program.fairness {
            let Some(when) = when else {
                let happens = |symbol: &Symbol| matches!(symbol, Symbol::Atoms(atoms) if atoms.contains(&recurs));
                recurrences.push(graph.symbols.iter().map(happens).collect());
                continue;
            };
            let mut often = |atom: PropertyId| {
                propositions.push(program.property(atom).name.clone());
                atoms.push(atom);
                let atom = Node::Proposition(atoms.len() - 1);
                Box::new(Node::Unary(Unary::Globally, Box::new(Node::Unary(Unary::Finally, Box::new(atom)))))
            };
            let is_fair = Node::Binary(Binary::Implies, often(when), often(recurs));
            root = Node::Binary(Binary::Implies, Box::new(is_fair), Box::new(root));
        }
        if atoms.len() > Letter::BITS as usize {
            return None;
        }
        let letter = |symbol: &Symbol| {
            let Symbol::Atoms(reached) = symbol else { return 0 };
            let is_true = |(_, atom): &(usize, &PropertyId)| reached.contains(atom);
            atoms.iter().enumerate().filter(is_true).fold(0, |letter, (index, _)| letter | 1 << index)
        };
        let letters = graph.symbols.iter().map(letter).collect();
        let first = if timed.from_start { starts.with_initial } else { starts.without };
        Some(Question { formula: Formula { propositions, root }, letters, recurrences, first })
    }
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
pub fn confirm(graph: &Graph, question: &Question, ranking: &Ranking, interrupt: &Interrupt) -> Judgement {
    let Some(mut product) = Product::new(graph, question) else {
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
    for &(rank, number) in &ranking.recurrences {
        match product.recurrence(number) {
            Some(bit) => untils.insert(rank, bit),
            None => return Judgement::Refuted(format!("there is no recurrence {number}")),
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
                    let word: Vec<String> = step.word.iter().map(|&symbol| graph.symbols[symbol].to_string()).collect();
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
    question: &'p Question,
    /// By symbol of the graph: a bit for each recurrence that does not happen there, beside those of untils.
    missing: Vec<PutOff>,
    /// By number.
    pub owed: Vec<Owed>,
    numbers: FxHashMap<Owed, usize>,
    /// The ways in which a symbol settles owed formulas.
    ways: FxHashMap<(usize, usize), Vec<(usize, PutOff)>>,
}

impl<'p> Product<'p> {
    /// `None` if the formula is too large.
    pub fn new(graph: &'p Graph, question: &'p Question) -> Option<Product<'p>> {
        let obligations = Obligations::of_negation(&question.formula)?;
        let (numbers, ways) = (FxHashMap::default(), FxHashMap::default());
        let mut product = Product {
            graph,
            obligations,
            question,
            missing: vec![0; graph.symbols.len()],
            owed: vec![],
            numbers,
            ways,
        };
        for (number, happens) in question.recurrences.iter().enumerate() {
            let bit = product.recurrence(number as u32)?;
            let without = product.missing.iter_mut().zip(happens).filter(|(_, happens)| !**happens);
            without.for_each(|(missing, _)| *missing |= bit);
        }
        Some(product)
    }

    /// The graph that it is a product of.
    pub fn graph(&self) -> &'p Graph {
        self.graph
    }

    /// Where all runs begin.
    pub fn first(&mut self) -> Pair {
        (self.question.first, self.number(self.obligations.first()))
    }

    /// The recurrences with their bits.
    pub fn recurrences(&self) -> impl Iterator<Item = (u32, PutOff)> {
        (0..self.question.recurrences.len() as u32).filter_map(|number| Some((number, self.recurrence(number)?)))
    }

    /// The bit of a recurrence, behind those of untils: it is put off where it does not happen.
    fn recurrence(&self, number: u32) -> Option<PutOff> {
        let is_one = (number as usize) < self.question.recurrences.len();
        let place = self.obligations.untils().count() as u32 + number;
        (1 as PutOff).checked_shl(place).filter(|_| is_one)
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
            let ways = self.obligations.ways(&self.owed[owed], self.question.letters[symbol])?;
            let missing = self.missing[symbol];
            let ways = ways.into_iter().map(|(left, put_off)| (self.number(left), put_off | missing)).collect();
            self.ways.insert((owed, symbol), ways);
        }
        self.ways.get(&(owed, symbol)).map(|ways| &**ways)
    }
}
