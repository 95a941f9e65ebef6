//! Clauses in, a refutation out: CaDiCaL once more, with its proof kept in memory.
//!
//! Each clause belongs to a *part* of the formula. If the parts contradict each other, the [`Refutation`] says how, by
//! resolution alone, and with no more clauses than it needs; interpolants are read off it.
//!
//! CaDiCaL tells a tracer of each clause it derives, with its antecedents in the order in which they propagate (the
//! hints of LRAT). Backwards from the last one, which is in conflict, each antecedent is resolved with the clause
//! derived so far on the one literal in which they clash. The steps are checked on the way: an invalid proof gives no
//! refutation.

use std::cell::RefCell;
use std::rc::Rc;

use cadical_sys::{CaDiCal, ProofTracer, Status, Terminator};

use super::cadical::Raised;
use super::{Answer, Interrupt, Solver, Statistics};
use crate::cnf::{Lit, Var};

/// A proof of more literals and antecedents than this is given up: about a gigabyte.
const MOST_NUMBERS: usize = 250_000_000;

/// The position of a clause that was not told of.
const UNKNOWN: u32 = u32::MAX;

/// The derivation of a contradiction. Clauses come before those that are derived from them; the last one is empty.
#[derive(Clone, Debug, Default)]
pub struct Refutation {
    pub clauses: Vec<Clause>,
}

#[derive(Clone, Debug)]
pub struct Clause {
    pub literals: Vec<Lit>,
    pub origin: Origin,
}

/// Where a clause of a refutation comes from.
#[derive(Clone, Debug)]
pub enum Origin {
    /// It was given, in this part.
    Part(u32),
    /// From this clause, by resolution with others, one after the other.
    Resolution { first: usize, steps: Vec<Resolution> },
}

/// The pivot is in the clause named here; its negation in the other one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Resolution {
    pub pivot: Lit,
    pub clause: usize,
}

/// A solver for one call, without assumptions, that can say why there is no model.
pub struct Refuter {
    // Reading a model may first have to extend it to eliminated variables, so `val` is not const.
    solver: RefCell<CaDiCal>,
    log: Rc<RefCell<Log>>,
    variables: u32,
    solves: u64,
    interrupt: Interrupt,
}

impl Default for Refuter {
    fn default() -> Self {
        let mut solver = CaDiCal::new();
        solver.set("lucky", 0);
        // New variables in clauses that do not follow from the others, and have no place in an interpolant.
        solver.set("factor", 0);
        let log = Rc::new(RefCell::new(Log::default()));
        solver.connect_proof_tracer1(Rc::clone(&log), true, false);
        Refuter { solver: RefCell::new(solver), log, variables: 0, solves: 0, interrupt: Interrupt::default() }
    }
}

impl Refuter {
    pub fn new(interrupt: &Interrupt) -> Refuter {
        let mut refuter = Refuter::default();
        refuter.set_interrupt(interrupt.clone());
        refuter
    }

    /// The part to which the clauses added from now on belong.
    pub fn begin_part(&mut self, part: u32) {
        self.log.borrow_mut().part = part;
    }

    /// The number of variables.
    pub fn variables(&self) -> usize {
        self.variables as usize
    }

    /// After [`Answer::Unsatisfiable`]: why. `None` if the solver's proof is not by resolution.
    pub fn refutation(&self) -> Option<Refutation> {
        self.log.borrow().refutation()
    }
}

impl Solver for Refuter {
    fn new_var(&mut self) -> Var {
        self.variables += 1;
        Var(self.variables - 1)
    }

    fn add_clause(&mut self, clause: &[Lit]) {
        let solver = self.solver.get_mut();
        for lit in clause {
            solver.add(lit.dimacs());
        }
        solver.add(0);
    }

    /// One call, and no assumptions: clauses derived under them would refute nothing.
    fn solve_with(&mut self, assumptions: &[Lit], temporary: Option<&[Lit]>) -> Answer {
        assert!(assumptions.is_empty() && temporary.is_none() && self.solves == 0, "a refuter is asked once");
        self.solves += 1;
        if self.interrupt.is_raised() {
            return Answer::Unknown;
        }
        match self.solver.get_mut().solve() {
            Status::SATISFIABLE => Answer::Satisfiable,
            Status::UNSATISFIABLE => Answer::Unsatisfiable,
            Status::UNKNOWN => Answer::Unknown,
        }
    }

    fn value(&self, lit: Lit) -> Option<bool> {
        Some(self.solver.borrow_mut().val(lit.dimacs()) == lit.dimacs())
    }

    fn failed(&self, _: Lit) -> bool {
        false
    }

    fn set_interrupt(&mut self, interrupt: Interrupt) {
        let log = Rc::clone(&self.log);
        self.solver.get_mut().connect_terminator(Enough { raised: Raised::new(&interrupt), log });
        self.interrupt = interrupt;
    }

    fn statistics(&self) -> Statistics {
        let solver = self.solver.borrow();
        let count = |name| u64::try_from(solver.get_statistic_value(name)).unwrap_or(0);
        Statistics {
            solves: self.solves,
            decisions: count("decisions"),
            propagations: count("propagations"),
            conflicts: count("conflicts"),
            ticks: count("ticks"),
            retired: 0,
        }
    }
}

/// Ends the call when an interrupt is raised or the proof has become too long.
struct Enough {
    raised: Raised,
    log: Rc<RefCell<Log>>,
}

impl Terminator for Enough {
    fn terminated(&mut self) -> bool {
        self.raised.terminated() || self.log.borrow().is_full()
    }
}

/// All clauses that were given or derived, whether they are still in use or not.
#[derive(Default)]
struct Log {
    part: u32,
    entries: Vec<Entry>,
    /// Positions in `entries` by CaDiCaL's numbers, which have few gaps.
    positions: Vec<u32>,
    literals: Vec<i32>,
    antecedents: Vec<u32>,
    /// The position of the empty clause.
    empty: Option<u32>,
    /// A clause that does not follow, or that was never given.
    is_broken: bool,
}

/// Where the literals and antecedents of a clause end; they begin where those of the one before do.
#[derive(Clone, Copy)]
struct Entry {
    literals: usize,
    antecedents: usize,
    /// Of a given clause.
    part: Option<u32>,
}

impl Log {
    fn is_full(&self) -> bool {
        self.literals.len() + self.antecedents.len() > MOST_NUMBERS
    }

    fn push(&mut self, id: i64, clause: &[i32], part: Option<u32>) {
        let position = self.entries.len() as u32;
        self.literals.extend_from_slice(clause);
        self.entries.push(Entry { literals: self.literals.len(), antecedents: self.antecedents.len(), part });
        let id = usize::try_from(id).unwrap_or(0);
        if self.positions.len() <= id {
            self.positions.resize(id + 1, UNKNOWN);
        }
        self.positions[id] = position;
        if clause.is_empty() && self.empty.is_none() {
            self.empty = Some(position);
        }
    }

    fn literals(&self, position: usize) -> &[i32] {
        let start = position.checked_sub(1).map_or(0, |before| self.entries[before].literals);
        &self.literals[start..self.entries[position].literals]
    }

    fn antecedents(&self, position: usize) -> &[u32] {
        let start = position.checked_sub(1).map_or(0, |before| self.entries[before].antecedents);
        &self.antecedents[start..self.entries[position].antecedents]
    }

    /// The clauses that the empty one depends on, each with how it came about.
    fn refutation(&self) -> Option<Refutation> {
        let empty = self.empty.filter(|_| !self.is_broken)? as usize;
        let mut needed = vec![false; empty + 1];
        needed[empty] = true;
        for position in (0..=empty).rev().filter(|&position| self.entries[position].part.is_none()) {
            if needed[position] {
                self.antecedents(position).iter().for_each(|&antecedent| needed[antecedent as usize] = true);
            }
        }
        let mut places = vec![usize::MAX; empty + 1];
        let mut clauses: Vec<Clause> = Vec::new();
        let mut resolver = Resolver::default();
        for position in (0..=empty).filter(|&position| needed[position]) {
            let literals: Vec<Lit> = self.literals(position).iter().map(|&number| literal(number)).collect();
            let origin = match self.entries[position].part {
                Some(part) => Origin::Part(part),
                None => {
                    let places = self.antecedents(position).iter().map(|&antecedent| places[antecedent as usize]);
                    resolver.resolve(&clauses, &places.collect::<Vec<_>>(), &literals)?
                }
            };
            places[position] = clauses.len();
            clauses.push(Clause { literals, origin });
        }
        Some(Refutation { clauses })
    }
}

fn literal(dimacs: i32) -> Lit {
    Var(dimacs.unsigned_abs() - 1).literal(dimacs > 0)
}

/// Finds the pivots of a chain of antecedents.
#[derive(Default)]
struct Resolver {
    /// By literal: the last chain whose resolvent had it, and the last that was to derive it.
    seen: Vec<(u32, u32)>,
    chain: u32,
}

impl Resolver {
    /// Derives a clause, or a part of it, from others.
    fn resolve(&mut self, clauses: &[Clause], antecedents: &[usize], derived: &[Lit]) -> Option<Origin> {
        self.chain += 1;
        let (&first, rest) = antecedents.split_last()?;
        clauses[first].literals.iter().for_each(|&lit| self.insert(lit));
        let mut steps = Vec::with_capacity(rest.len());
        for &clause in rest.iter().rev() {
            let literals = &clauses[clause].literals;
            let mut clashes = literals.iter().copied().filter(|&lit| self.contains(!lit));
            // Without a clash it is a unit that turned out not to matter; with two the result is no clause.
            let Some(pivot) = clashes.next() else { continue };
            if clashes.next().is_some() {
                return None;
            }
            self.at(!pivot).0 = 0;
            literals.iter().filter(|&&lit| lit != pivot).for_each(|&lit| self.insert(lit));
            steps.push(Resolution { pivot, clause });
        }
        derived.iter().for_each(|&lit| self.at(lit).1 = self.chain);
        let mut used = steps.iter().map(|step| step.clause).chain([first]).flat_map(|clause| &clauses[clause].literals);
        let follows = used.all(|&lit| !self.contains(lit) || self.at(lit).1 == self.chain);
        follows.then_some(Origin::Resolution { first, steps })
    }

    fn insert(&mut self, lit: Lit) {
        self.at(lit).0 = self.chain;
    }

    fn contains(&self, lit: Lit) -> bool {
        self.seen.get(lit.index()).is_some_and(|seen| seen.0 == self.chain)
    }

    fn at(&mut self, lit: Lit) -> &mut (u32, u32) {
        if self.seen.len() <= lit.index() {
            self.seen.resize(lit.index() + 1, (0, 0));
        }
        &mut self.seen[lit.index()]
    }
}

impl ProofTracer for Log {
    fn add_original_clause(&mut self, id: i64, _: bool, clause: &[i32], restored: bool) {
        self.is_broken |= restored;
        self.push(id, clause, Some(self.part));
    }

    fn add_derived_clause(&mut self, id: i64, _: bool, witness: i32, clause: &[i32], antecedents: &[i64]) {
        self.is_broken |= witness != 0;
        for antecedent in antecedents {
            let id = usize::try_from(*antecedent).ok();
            match id.and_then(|id| self.positions.get(id)) {
                Some(&position) if position != UNKNOWN => self.antecedents.push(position),
                _ => self.is_broken = true,
            }
        }
        self.push(id, clause, None);
    }

    // A clause that is deleted was still derived.
    fn delete_clause(&mut self, _: i64, _: bool, _: &[i32]) {}
    fn weaken_minus(&mut self, _: i64, _: &[i32]) {}
    fn strengthen(&mut self, _: i64) {}
    fn finalize_clause(&mut self, _: i64, _: &[i32]) {}
    fn add_assumption(&mut self, _: i32) {}
    fn add_constraint(&mut self, _: &[i32]) {}
    fn reset_assumptions(&mut self) {}
    fn add_assumption_clause(&mut self, _: i64, _: &[i32], _: &[i64]) {}
    fn conclude_sat(&mut self, _: i32, _: &[i32]) {}
    fn conclude_unsat(&mut self, _: i32, _: &[i64]) {}
    fn conclude_unknown(&mut self, _: &[i32]) {}
}
