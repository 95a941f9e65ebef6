//! Paths of a circuit as parts of a formula that is to be refuted.
//!
//! Position `n` of a path is a copy of the logic, with the clauses that lead on to position `n + 1`; all of it belongs
//! to one part of the formula. Two neighbours share the latches at the later one, so interpolants are sets of states.

use redoubt_circuit::{Aig, Circuit, Signal};
use rustc_hash::FxHashMap;

use super::craig::{Interpolator, System};
use crate::cnf::{Lit, Var};
use crate::engine::state_set::{assumable, latch_leaf};
use crate::engine::transition::{Frame, Transition};
use crate::engine::{Interrupted, StateLit, Trace, bmc, satisfiable};
use crate::sat::refutation::{Refutation, Refuter};
use crate::sat::{Solver, Statistics};
use redoubt_base::Interrupt;

pub struct Path<'a> {
    transition: &'a Transition,
    refuter: Refuter,
    frames: Vec<Frame>,
    /// The part of the formula that each position is in.
    parts: Vec<u32>,
}

impl<'a> Path<'a> {
    /// A path of one position, in part 0.
    pub fn new(transition: &'a Transition, interrupt: &Interrupt) -> Path<'a> {
        let mut refuter = Refuter::new(interrupt);
        refuter.begin_part(0);
        let frame = transition.load(&mut refuter);
        Path { transition, refuter, frames: vec![frame], parts: vec![0] }
    }

    pub fn last(&self) -> usize {
        self.frames.len() - 1
    }

    /// The literal of a signal at a position.
    pub fn at(&self, position: usize, lit: Lit) -> Lit {
        self.frames[position].at(lit)
    }

    fn state(&self, position: usize, lit: StateLit) -> Lit {
        self.at(position, self.transition.current(lit))
    }

    /// Clauses added from now on belong to the part of this position.
    fn begin(&mut self, position: usize) {
        self.refuter.begin_part(self.parts[position]);
    }

    /// Requires one of some literals at a position.
    pub fn require(&mut self, position: usize, clause: &[Lit]) {
        self.begin(position);
        self.refuter.add_clause(clause);
    }

    /// A variable for the part of a position.
    pub fn fresh(&mut self) -> Lit {
        self.refuter.new_var().positive()
    }

    /// The state at a position is a reset state, under a condition.
    pub fn require_initial(&mut self, position: usize, condition: Option<Lit>) {
        let literals: Vec<Lit> = self.transition.initial().iter().map(|&lit| self.state(position, lit)).collect();
        for lit in literals {
            self.refuter.add_clause(&clause(condition, lit));
        }
    }

    /// The state at a position is in a set.
    pub fn require_member(&mut self, position: usize, latches: usize, gates: &Aig, set: Signal) {
        self.begin(position);
        let (transition, frame) = (self.transition, self.frames[position]);
        let latch = |latch| transition.find(StateLit::new(latch, true)).map(|lit| frame.at(lit));
        let member = assumable(gates, set, latch, latches, &mut self.refuter);
        self.refuter.add_clause(&[member]);
    }

    /// The constraints hold at a position, under a condition, and if the path goes on there, the step does not stop the run.
    pub fn require_run(&mut self, position: usize, goes_on: bool, condition: Option<Lit>) {
        self.begin(position);
        let mut literals: Vec<Lit> = self.transition.constraints().to_vec();
        literals.extend(self.transition.stop().filter(|_| goes_on).map(|stop| !stop));
        for lit in literals {
            let lit = self.at(position, lit);
            self.refuter.add_clause(&clause(condition, lit));
        }
    }

    /// Appends a position, in this part, whose state is the successor of the last one's. With `may_restart`, it may be a
    /// reset state instead; the result says that it is.
    pub fn push(&mut self, part: u32, may_restart: bool) -> Option<Lit> {
        let from = self.last();
        self.refuter.begin_part(part);
        let frame = self.transition.load(&mut self.refuter);
        self.frames.push(frame);
        self.parts.push(part);
        self.begin(from);
        let restart = may_restart.then(|| self.fresh());
        for &latch in self.transition.cone() {
            let lit = StateLit::new(latch, true);
            let (next, current) = (self.at(from, self.transition.next(lit)), self.state(from + 1, lit));
            for [a, b] in [[!next, current], [next, !current]] {
                let mut clause = vec![a, b];
                clause.extend(restart);
                self.refuter.add_clause(&clause);
            }
        }
        if let Some(restart) = restart {
            self.require_initial(from + 1, Some(restart));
        }
        restart
    }

    pub fn is_satisfiable(&mut self) -> Result<bool, Interrupted> {
        satisfiable(self.refuter.solve(&[]))
    }

    pub fn value(&self, lit: Lit) -> bool {
        self.refuter.value(lit).unwrap_or(false)
    }

    /// The run from one position of the last model to another.
    pub fn trace(&self, circuit: &Circuit, first: usize, last: usize) -> Trace {
        bmc::trace(circuit, self.transition, &self.refuter, &self.frames[first..=last])
    }

    pub fn statistics(&self) -> Statistics {
        self.refuter.statistics()
    }

    /// Why there is no such path.
    pub fn refutation(&self) -> Option<Refutation> {
        self.refuter.refutation()
    }

    /// The interpolant between the positions before one and the rest, which must begin a part.
    pub fn interpolant(&self, interpolator: &Interpolator, position: usize, gates: &mut Aig) -> Signal {
        let mut leaves: FxHashMap<Var, Signal> = FxHashMap::default();
        for &latch in self.transition.cone() {
            let lit = self.state(position, StateLit::new(latch, true));
            leaves.insert(lit.var(), latch_leaf(latch).complement_if(lit.is_negative()));
        }
        interpolator.at(self.parts[position], gates, |var| leaves[&var])
    }

    /// The interpolants before each position but the first. A proof that is not by resolution ends the work, too: later
    /// steps would need its interpolants.
    pub fn sequence(&self, system: System, gates: &mut Aig, interrupt: &Interrupt) -> Result<Vec<Signal>, Interrupted> {
        let refutation = self.refutation().ok_or(Interrupted)?;
        let interpolator = Interpolator::new(&refutation, system);
        let mut interpolants = Vec::new();
        for position in 1..self.frames.len() {
            interrupt.check().map_err(|_| Interrupted)?;
            interpolants.push(self.interpolant(&interpolator, position, gates));
        }
        Ok(interpolants)
    }
}

fn clause(condition: Option<Lit>, lit: Lit) -> Vec<Lit> {
    condition.map(|condition| !condition).into_iter().chain([lit]).collect()
}
