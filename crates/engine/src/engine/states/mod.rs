//! Branching time and distances about the states of a relation, by decision diagrams: CTL under fairness (Clarke, Emerson and
//! Sistla 1986; Emerson and Lei 1986).
//!
//! Unlike positions of runs (`ctl`), states have no inputs: a step may take any. Runs are infinite and fair, and a
//! state from which none begins does not count; a formula holds if it does in all initial states that count. Signals of fairness may
//! be about inputs: they are then about steps.
//!
//! All formulas about one relation share it, the states that can be reached, and those from which fair runs begin.

pub mod relation;

use redoubt_circuit::Signal;
use redoubt_formula::branching::{Branching, Path};

use crate::engine::bdd::diagrams::{Function, Stop};
pub use relation::{Order, Relation, State};

/// A run of states with the inputs of their steps, and where it repeats.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Run {
    pub states: Vec<State>,
    pub repeats_from: Option<usize>,
}

/// A relation whose states are judged.
pub struct Checker<'c> {
    pub relation: Relation<'c>,
    fairness: Vec<Function>,
    /// The states that can be reached, if they are known.
    reachable: Option<Function>,
    /// States at each distance from the initial ones.
    rings: Vec<Function>,
    fair: Option<Function>,
    /// Functions to be kept when nodes are freed.
    needed: Vec<Function>,
}

impl<'c> Checker<'c> {
    pub fn new(relation: Relation<'c>, fairness: &[Signal]) -> Checker<'c> {
        let fairness = fairness.iter().map(|&signal| relation.function(signal)).collect();
        Checker { relation, fairness, reachable: None, rings: vec![], fair: None, needed: vec![] }
    }

    /// All states that can be reached. All later questions are about these.
    pub fn reach(&mut self) -> Result<Function, Stop> {
        if let Some(reachable) = self.reachable {
            return Ok(reachable);
        }
        let mut reached = self.relation.initial;
        let mut rings = vec![reached];
        loop {
            let last = rings[rings.len() - 1];
            let image = self.relation.image(last)?;
            let new = self.relation.diagrams.and(image, !reached)?;
            if new == Function::FALSE {
                break;
            }
            reached = self.relation.diagrams.or(reached, new)?;
            rings.push(new);
            let kept: Vec<Function> =
                rings.iter().copied().chain([reached]).chain(self.needed.iter().copied()).collect();
            self.relation.tidy(kept);
        }
        self.needed.push(reached);
        self.needed.extend(&rings);
        (self.reachable, self.rings) = (Some(reached), rings);
        self.relation.look_back_to(reached)?;
        Ok(reached)
    }

    /// Frees what was left behind by work that was ended.
    pub fn tidy(&mut self) {
        let needed = self.needed.clone();
        self.relation.tidy(needed);
    }

    /// The states that matter: those that can be reached, if it is known which.
    fn care(&self) -> Function {
        self.reachable.unwrap_or(self.relation.allowed)
    }

    /// The states from which a fair run begins.
    pub fn fair(&mut self) -> Result<Function, Stop> {
        if let Some(fair) = self.fair {
            return Ok(fair);
        }
        let fair = self.globally(Function::TRUE)?;
        self.needed.push(fair);
        self.fair = Some(fair);
        Ok(fair)
    }

    /// Initial states from which a fair run begins.
    pub fn first(&mut self) -> Result<Function, Stop> {
        let fair = self.fair()?;
        self.relation.diagrams.and(self.relation.initial, fair)
    }

    /// A state that can be reached and has no successor.
    pub fn deadlock(&mut self) -> Result<Option<Run>, Stop> {
        let reached = self.reach()?;
        let before = self.relation.preimage(Function::TRUE)?;
        let stuck = self.relation.diagrams.and(reached, !before)?;
        if stuck == Function::FALSE { Ok(None) } else { self.run_to(stuck) }
    }

    /// A shortest run to a state of a set that can be reached.
    pub fn run_to(&mut self, target: Function) -> Result<Option<Run>, Stop> {
        self.reach()?;
        for length in 0..self.rings.len() {
            let hit = self.relation.diagrams.and(self.rings[length], target)?;
            if hit == Function::FALSE {
                continue;
            }
            // Backwards to know on which states of the rings there is a way, then forwards.
            let mut ways = vec![hit];
            for ring in (0..length).rev() {
                let before = self.relation.preimage(ways[ways.len() - 1])?;
                ways.push(self.relation.diagrams.and(before, self.rings[ring])?);
            }
            ways.reverse();
            let mut state = self.relation.pick(ways[0]).expect("there is a way");
            let mut states = vec![];
            for &into in &ways[1..] {
                let (here, next) = self.relation.step(&state, into, Function::TRUE)?.expect("the way goes on");
                states.push(here);
                state = next;
            }
            states.push(state);
            return Ok(Some(Run { states, repeats_from: None }));
        }
        Ok(None)
    }

    /// An initial state that counts and at which the formula is false; none if it holds.
    pub fn violation(&mut self, formula: &Branching<Signal>) -> Result<Option<State>, Stop> {
        let holds = self.evaluate(formula)?;
        let first = self.first()?;
        let wrong = self.relation.diagrams.and(first, !holds)?;
        Ok(self.relation.pick(wrong))
    }

    /// The states, of those that count, at which a formula holds.
    pub fn evaluate(&mut self, formula: &Branching<Signal>) -> Result<Function, Stop> {
        let fair = self.fair()?;
        let function = match formula {
            Branching::Constant(true) => Function::TRUE,
            Branching::Constant(false) => Function::FALSE,
            Branching::Atom(signal) => self.relation.function(*signal),
            Branching::Not(inner) => !self.evaluate(inner)?,
            Branching::And(a, b) => {
                let (a, b) = self.both(a, b)?;
                self.relation.diagrams.and(a, b)?
            }
            Branching::Or(a, b) => {
                let (a, b) = self.both(a, b)?;
                self.relation.diagrams.or(a, b)?
            }
            Branching::Exists(path) => self.some_run(path)?,
            Branching::All(path) => !self.some_run_without(path)?,
        };
        self.relation.diagrams.and(function, fair)
    }

    fn both(&mut self, a: &Branching<Signal>, b: &Branching<Signal>) -> Result<(Function, Function), Stop> {
        let a = self.evaluate(a)?;
        self.needed.push(a);
        let b = self.evaluate(b);
        self.needed.pop();
        Ok((a, b?))
    }

    fn some_run(&mut self, path: &Path<Signal>) -> Result<Function, Stop> {
        match path {
            Path::Next(inner) => {
                let inner = self.evaluate(inner)?;
                self.before(inner)
            }
            Path::Finally(inner) => {
                let inner = self.evaluate(inner)?;
                let fair = self.fair()?;
                self.until(fair, inner)
            }
            Path::Globally(inner) => {
                let inner = self.evaluate(inner)?;
                self.globally(inner)
            }
            Path::Until(a, b) => {
                let (a, b) = self.both(a, b)?;
                self.until(a, b)
            }
        }
    }

    fn some_run_without(&mut self, path: &Path<Signal>) -> Result<Function, Stop> {
        let fair = self.fair()?;
        match path {
            Path::Next(inner) => {
                let inner = self.evaluate(inner)?;
                self.before(!inner)
            }
            Path::Finally(inner) => {
                let inner = self.evaluate(inner)?;
                self.globally(!inner)
            }
            Path::Globally(inner) => {
                let inner = self.evaluate(inner)?;
                self.until(fair, !inner)
            }
            Path::Until(a, b) => {
                let (a, b) = self.both(a, b)?;
                let neither = self.relation.diagrams.and(!a, !b)?;
                let broken = self.until(!b, neither)?;
                self.needed.push(broken);
                let never = self.globally(!b);
                self.needed.pop();
                self.relation.diagrams.or(broken, never?)
            }
        }
    }

    /// Where a step leads to a state of a set that counts.
    fn before(&mut self, states: Function) -> Result<Function, Stop> {
        let fair = self.fair()?;
        let states = self.relation.diagrams.and(states, fair)?;
        self.relation.preimage(states)
    }

    /// E[f U g] among the states that matter: g is taken as it is.
    fn until(&mut self, f: Function, g: Function) -> Result<Function, Stop> {
        let counting = self.fair.unwrap_or(self.care());
        let mut all = self.relation.diagrams.and(g, counting)?;
        let within = self.relation.diagrams.and(f, counting)?;
        self.reaching(within, &mut all)?;
        Ok(all)
    }

    /// All states with a run within a set to another one.
    fn reaching(&mut self, within: Function, all: &mut Function) -> Result<(), Stop> {
        let mut last = *all;
        loop {
            let before = self.relation.preimage(last)?;
            let before = self.relation.diagrams.and(before, within)?;
            let new = self.relation.diagrams.and(before, !*all)?;
            if new == Function::FALSE {
                return Ok(());
            }
            *all = self.relation.diagrams.or(*all, new)?;
            last = new;
            let kept: Vec<Function> = self.needed.iter().copied().chain([*all, last, within]).collect();
            self.relation.tidy(kept);
        }
    }

    /// EG f: where a fair run begins on which f stays.
    fn globally(&mut self, f: Function) -> Result<Function, Stop> {
        let counting = self.fair.unwrap_or(self.care());
        let mut all = self.relation.diagrams.and(f, counting)?;
        loop {
            let mut smaller = all;
            if self.fairness.is_empty() {
                let before = self.relation.preimage(smaller)?;
                smaller = self.relation.diagrams.and(smaller, before)?;
            }
            for place in 0..self.fairness.len() {
                let signal = self.fairness[place];
                let kept = self.needed.len();
                self.needed.extend([smaller, all, f]);
                let mut reaching = self.relation.preimage_by(smaller, signal)?;
                reaching = self.relation.diagrams.and(reaching, smaller)?;
                let result = self.reaching(smaller, &mut reaching);
                self.needed.truncate(kept);
                result?;
                smaller = reaching;
            }
            if smaller == all {
                return Ok(all);
            }
            all = smaller;
            let kept: Vec<Function> = self.needed.iter().copied().chain([all, f]).collect();
            self.relation.tidy(kept);
        }
    }

    /// A fair run from an initial state; none if there is none.
    pub fn fair_run(&mut self) -> Result<Option<Run>, Stop> {
        let first = self.first()?;
        let Some(mut state) = self.relation.pick(first) else { return Ok(None) };
        let fair = self.fair()?;
        let mut states: Vec<State> = vec![];
        let signals = if self.fairness.is_empty() { vec![Function::TRUE] } else { self.fairness.clone() };
        // Around all signals of fairness, from ever new states, until the round closes.
        loop {
            let (knot, start) = (state.clone(), states.len());
            for &signal in &signals {
                // Rings of states with a way to a step with the signal, within fair states.
                let mut ring = self.relation.preimage_by(fair, signal)?;
                ring = self.relation.diagrams.and(ring, fair)?;
                let mut rings = vec![ring];
                let here = self.relation.cube_of(&state)?;
                while self.relation.diagrams.and(here, rings[rings.len() - 1])? == Function::FALSE {
                    let before = self.relation.preimage(rings[rings.len() - 1])?;
                    rings.push(self.relation.diagrams.and(before, fair)?);
                    let kept: Vec<Function> = self.needed.iter().copied().chain(rings.iter().copied()).collect();
                    self.relation.tidy(kept.into_iter().chain([here]));
                }
                while rings.len() > 1 {
                    rings.pop();
                    let into = rings[rings.len() - 1];
                    let (at, next) = self.relation.step(&state, into, Function::TRUE)?.expect("the ring is near");
                    states.push(at);
                    state = next;
                }
                let (at, next) = self.relation.step(&state, fair, signal)?.expect("the step is there");
                states.push(at);
                state = next;
            }
            // Back to the knot, if there is a way.
            let target = self.relation.cube_of(&knot)?;
            let mut rings = vec![target];
            let mut all = target;
            let here = self.relation.cube_of(&state)?;
            let found = loop {
                let last = rings[rings.len() - 1];
                if self.relation.diagrams.and(here, last)? != Function::FALSE {
                    break true;
                }
                let before = self.relation.preimage(last)?;
                let before = self.relation.diagrams.and(before, fair)?;
                let new = self.relation.diagrams.and(before, !all)?;
                if new == Function::FALSE {
                    break false;
                }
                all = self.relation.diagrams.or(all, new)?;
                rings.push(new);
            };
            if found {
                while rings.len() > 1 {
                    rings.pop();
                    let into = rings[rings.len() - 1];
                    let (at, next) = self.relation.step(&state, into, Function::TRUE)?.expect("the ring is near");
                    states.push(at);
                    state = next;
                }
                return Ok(Some(Run { states, repeats_from: Some(start) }));
            }
        }
    }

    /// The number of steps of the shortest run from a reachable state of one set to one of another; none if there is no run.
    pub fn shortest(&mut self, from: Function, to: Function) -> Result<Option<u64>, Stop> {
        let reached = self.reach()?;
        let mut here = self.relation.diagrams.and(from, reached)?;
        let mut all = here;
        let mut steps = 0;
        loop {
            if self.relation.diagrams.and(here, to)? != Function::FALSE {
                return Ok(Some(steps));
            }
            let image = self.relation.image(here)?;
            here = self.relation.diagrams.and(image, !all)?;
            if here == Function::FALSE {
                return Ok(None);
            }
            all = self.relation.diagrams.or(all, here)?;
            steps += 1;
            let kept: Vec<Function> = self.needed.iter().copied().chain([here, all, to]).collect();
            self.relation.tidy(kept);
        }
    }

    /// The number of steps of the longest run from a reachable state of one set until one of another; none if some run never
    /// gets there.
    pub fn longest(&mut self, from: Function, to: Function) -> Result<Option<u64>, Stop> {
        let reached = self.reach()?;
        let from = self.relation.diagrams.and(from, reached)?;
        let without = self.relation.diagrams.and(reached, !to)?;
        let mut here = without;
        let mut steps = 0;
        loop {
            if self.relation.diagrams.and(here, from)? == Function::FALSE {
                return Ok(Some(steps));
            }
            let before = self.relation.preimage(here)?;
            let fewer = self.relation.diagrams.and(before, without)?;
            if fewer == here {
                return Ok(None);
            }
            here = fewer;
            steps += 1;
            let kept: Vec<Function> = self.needed.iter().copied().chain([here, without, from]).collect();
            self.relation.tidy(kept);
        }
    }
}
