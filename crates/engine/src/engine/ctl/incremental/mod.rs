//! Branching time without diagrams: IICTL (Hassan, Bradley and Somenzi, "Incremental, inductive CTL model checking", CAV 2012).
//!
//! For every part of a formula that asks for a run two sets of states are kept and grow: those where it is known to
//! hold, and those where it is known not to (`nodes`). A state in neither is *decided* on demand: IC3, or the engines
//! for recurrence, look for a run from it through states at which the operands *may* hold. If there is one, the
//! operands are decided at its states; then either the run is an answer, or the sets of an operand have grown and the
//! question is asked again. If there is none, the invariant of that proof is a set of states at which the part does not
//! hold. A finding about one state is generalised to as many as possible (`generalize`).
//!
//! Take `AG EF p`, that is, no run leads to where no run leads to p. IC3 is asked for a run to where EF p is not known
//! to hold, at first anywhere outside p. From its end IC3 looks for a run to p. If it finds one, all states from which
//! the same inputs lead to p are known to have such a run, and IC3 is asked anew. In the end there is an invariant
//! inside the known states, or a state from which an invariant without p shows that p is lost.
//!
//! Both sets have reasons that can be checked one step at a time ([`Proof`]), see `redoubt_checker::branching`.

mod ask;
mod generalize;
mod nodes;
mod recur;
mod structure;
#[cfg(test)]
mod tests;
mod walk;

use redoubt_base::Limits;
use redoubt_circuit::{Circuit, Reset, Signal};

pub use nodes::{Entry, Kind, Known};
use redoubt_formula::basis::Id;

use super::explain::{self, Explanation};
use super::{CtlVerdict, Formula};
use crate::engine::rlive::layers;
use crate::engine::transition::Transition;
use crate::engine::{Engine, Interrupted, Invariant, Proof as SafetyProof, Statistics, Trace, Verdict as Safety, ic3};
use ask::{Query, after_step};
use nodes::Nodes;
use structure::Structure;

/// The reason why a formula holds, or does not: the sets of its parts, over the latches of a circuit whose states are
/// positions.
pub struct Proof {
    pub circuit: Circuit,
    /// By the number of the part in the [basis](redoubt_formula::basis) of the formula.
    pub known: Vec<Known>,
    /// By input: whether it is remembered, and so a part of the state.
    pub remembers: Vec<bool>,
    /// If the proof takes every state to have a successor: some inputs, of which one leads on from each state.
    pub total: Option<Vec<Vec<bool>>>,
}

/// Decides a formula about a circuit, without fairness.
pub fn check(circuit: &Circuit, formula: &Formula, limits: &Limits) -> (CtlVerdict, Option<Proof>) {
    match Search::new(circuit, formula, limits).and_then(|search| search.run(formula)) {
        Ok((verdict, proof)) => (verdict, Some(proof)),
        Err(Interrupted) => (CtlVerdict::Open, None),
    }
}

/// Inputs that are tried to see that each state has a successor.
const MOST_CHOICES: usize = 16;

struct Search {
    structure: Structure,
    nodes: Nodes,
    /// Of the latches, as given.
    resets: Vec<Reset>,
    total: Option<Vec<Vec<bool>>>,
    limits: Limits,
}

impl Search {
    fn new(circuit: &Circuit, formula: &Formula, limits: &Limits) -> Result<Search, Interrupted> {
        let structure = Structure::new(circuit, formula);
        let resets = structure.circuit.latches.iter().map(|latch| latch.reset).collect();
        let mut search = Search { structure, nodes: Nodes::new(true), resets, total: None, limits: limits.clone() };
        search.total = search.choices()?;
        search.nodes = Nodes::new(search.total.is_some());
        Ok(search)
    }

    /// Inputs of which one leads on from each state, if a few of them do: counterexamples to those known so far ask for more.
    fn choices(&mut self) -> Result<Option<Vec<Vec<bool>>>, Interrupted> {
        let ok = self.structure.ok;
        if ok == Signal::TRUE {
            return Ok(Some(vec![]));
        }
        let leads_on = after_step(&mut self.structure.circuit, ok, None);
        let mut choices: Vec<Vec<bool>> = vec![];
        let mut stuck = vec![ok];
        while choices.len() < MOST_CHOICES {
            let mut query = Query::new(&self.structure.circuit.gates, &stuck, &self.limits.interrupt);
            if !query.is_possible(&[])? {
                return Ok(Some(choices));
            }
            let state: Vec<bool> = self.structure.circuit.latches.iter().map(|l| query.value(l.signal)).collect();
            let all: Vec<Signal> = (0..state.len()).map(|latch| self.structure.literal(&state, latch)).collect();
            let mut query = Query::new(&self.structure.circuit.gates, &[leads_on], &self.limits.interrupt);
            if !query.is_possible(&all)? {
                return Ok(None);
            }
            let inputs: Vec<bool> = self.structure.circuit.inputs.iter().map(|i| query.value(i.signal)).collect();
            stuck.push(!after_step(&mut self.structure.circuit, ok, Some(&inputs)));
            choices.push(inputs);
        }
        Ok(None)
    }

    fn run(mut self, formula: &Formula) -> Result<(CtlVerdict, Proof), Interrupted> {
        let root = self.nodes.basis.root(formula);
        // Parts that must hold everywhere are better asked about all first states than about one of them.
        for part in self.conjuncts(root) {
            self.decide_from_resets(part)?;
        }
        let verdict = loop {
            let Some(state) = self.undecided_reset(root)? else { break CtlVerdict::Holds };
            if !self.decide(&state, root)? {
                break CtlVerdict::Violated(self.reason(formula, &state)?);
            }
        };
        let (circuit, remembers) = (self.structure.circuit, self.structure.remembers);
        let mut proof = Proof { circuit, known: self.nodes.into_known(), remembers, total: self.total };
        proof.circuit.latches.iter_mut().zip(self.resets).for_each(|(latch, reset)| latch.reset = reset);
        (proof.circuit.constraints, proof.circuit.stop) = (vec![self.structure.ok], Signal::FALSE);
        proof.circuit.bad.clear();
        Ok((verdict, proof))
    }

    fn reason(&mut self, formula: &Formula, state: &[bool]) -> Result<Explanation, Interrupted> {
        let position = self.structure.position(state, None);
        explain::explain(self, &formula.clone().negated(), position)
    }

    /// A first state at which a part is not known to hold.
    fn undecided_reset(&mut self, root: Id) -> Result<Option<Vec<bool>>, Interrupted> {
        let (yes, _) = self.bounds(root);
        let mut query = Query::new(&self.structure.circuit.gates, &[!yes, self.structure.ok], &self.limits.interrupt);
        let mut first = vec![];
        for (latch, reset) in self.structure.circuit.latches.iter().zip(&self.resets) {
            match reset {
                Reset::Zero => first.push(!latch.signal),
                Reset::One => first.push(latch.signal),
                Reset::Free => {}
            }
        }
        if !query.is_possible(&first)? {
            return Ok(None);
        }
        let value = |(latch, reset): (&redoubt_circuit::Latch, &Reset)| match reset {
            Reset::Zero => false,
            Reset::One => true,
            Reset::Free => query.value(latch.signal),
        };
        Ok(Some(self.structure.circuit.latches.iter().zip(&self.resets).map(value).collect()))
    }

    /// Parts that all hold where a part does.
    fn conjuncts(&mut self, of: Id) -> Vec<Id> {
        match self.nodes.kind(of) {
            Kind::And(a, b) => [self.conjuncts(a), self.conjuncts(b)].concat(),
            Kind::Not(inner) => match self.nodes.kind(inner) {
                Kind::Or(a, b) => {
                    let parts = [self.nodes.basis.not(a), self.nodes.basis.not(b)];
                    parts.into_iter().flat_map(|part| self.conjuncts(part)).collect()
                }
                _ => vec![of],
            },
            _ => vec![of],
        }
    }

    /// Something that no first state may have, from all of them at once.
    fn decide_from_resets(&mut self, part: Id) -> Result<(), Interrupted> {
        let Kind::Not(inner) = self.nodes.kind(part) else { return Ok(()) };
        let Kind::Until(f, g) = self.nodes.kind(inner) else { return Ok(()) };
        while self.undecided_reset(part)?.is_some() {
            let before = self.nodes.known(inner).yes;
            self.until(inner, f, g, None)?;
            if self.nodes.known(inner).yes != before {
                break;
            }
        }
        Ok(())
    }

    fn bounds(&mut self, of: Id) -> (Signal, Signal) {
        self.nodes.bounds(of, &mut self.structure.circuit.gates)
    }

    /// Whether a part holds at a state.
    fn decide(&mut self, state: &[bool], part: Id) -> Result<bool, Interrupted> {
        redoubt_base::stack::grow(|| match self.nodes.kind(part) {
            Kind::Constant(value) => Ok(value),
            Kind::Atom(signal) => Ok(self.structure.is_true(signal, state)),
            Kind::Not(inner) => Ok(!self.decide(state, inner)?),
            Kind::And(a, b) => Ok(self.decide(state, a)? && self.decide(state, b)?),
            Kind::Or(a, b) => Ok(self.decide(state, a)? || self.decide(state, b)?),
            kind => loop {
                let Known { yes, no, .. } = *self.nodes.known(part);
                if self.structure.is_true(yes, state) {
                    return Ok(true);
                }
                if self.structure.is_true(no, state) {
                    return Ok(false);
                }
                if self.limits.interrupt.is_raised() {
                    return Err(Interrupted);
                }
                match kind {
                    Kind::Next(f) => self.next(part, f, state)?,
                    Kind::Until(f, g) => self.until(part, f, g, Some(state))?,
                    _ => self.globally(part, state)?,
                }
            },
        })
    }

    fn next(&mut self, part: Id, f: Id, state: &[bool]) -> Result<(), Interrupted> {
        let (yes, no) = self.bounds(f);
        let literals = self.structure.literals(state);
        for (known, wanted) in [(true, yes), (false, !no)] {
            let circuit = &mut self.structure.circuit;
            let wanted = circuit.gates.and(wanted, self.structure.ok);
            let wanted = after_step(circuit, wanted, None);
            let mut query = Query::new(&circuit.gates, &[wanted], &self.limits.interrupt);
            if query.is_possible(&literals)? {
                let inputs: Vec<bool> = circuit.inputs.iter().map(|input| query.value(input.signal)).collect();
                if known {
                    return self.add_step(part, state, &inputs);
                }
                let after = self.structure.successor(state, &inputs);
                return self.decide(&after, f).map(|_| ());
            }
            if !known {
                let cube = query.reasons(&literals)?.expect("it was refuted");
                let cube = circuit.gates.and_all(&cube);
                self.refute(part, cube);
            }
        }
        Ok(())
    }

    /// The circuit whose runs begin at a state, or as given, and go on where a part does not stop them.
    fn prepare(&mut self, start: Option<&[bool]>, stop: Signal, target: Option<Signal>) {
        let circuit = &mut self.structure.circuit;
        for (index, latch) in circuit.latches.iter_mut().enumerate() {
            latch.reset = match start {
                None => self.resets[index],
                Some(state) if state[index] => Reset::One,
                Some(_) => Reset::Zero,
            };
        }
        circuit.constraints = vec![self.structure.ok];
        circuit.stop = stop;
        circuit.bad.clear();
        if let Some(target) = target {
            circuit.add_bad("target", target);
        }
    }

    /// One question to IC3, after which more is known.
    fn until(&mut self, part: Id, f: Id, g: Id, start: Option<&[bool]>) -> Result<(), Interrupted> {
        let ((_, f_no), (_, g_no)) = (self.bounds(f), self.bounds(g));
        let Known { yes, no, .. } = *self.nodes.known(part);
        let gates = &mut self.structure.circuit.gates;
        let maybe = gates.and(!g_no, !no);
        let (target, stop) = (gates.or(yes, maybe), gates.or(f_no, no));
        self.prepare(start, stop, Some(target));
        match self.reach(u64::MAX)? {
            Some(Reach::By(trace)) => {
                let states = self.states(&trace.initial, &trace.inputs);
                let last = states.len() - 1;
                if !self.structure.is_true(yes, &states[last]) && !self.decide(&states[last], g)? {
                    return Ok(());
                }
                for state in states[..last].iter().rev() {
                    if !self.decide(state, f)? {
                        return Ok(());
                    }
                }
                let (g_yes, _) = self.bounds(g);
                self.add_entry(part, g_yes, None);
                self.add_run(part, f, &states, &trace.inputs)
            }
            Some(Reach::Never(invariant)) => {
                let states = self.signal_of(&invariant);
                self.refute(part, states);
                Ok(())
            }
            None => Err(Interrupted),
        }
    }

    /// Asks IC3 whether the target can be reached; `None` if that takes more than `work` propagations.
    fn reach(&mut self, work: u64) -> Result<Option<Reach>, Interrupted> {
        let transition = Transition::within(&self.structure.circuit, &self.limits);
        let (backend, mut ignore) = (Engine::Ic3.backend(), |_: crate::engine::Decision| {});
        let mut run = ic3::Run::new(&self.structure.circuit, &transition, backend, &self.limits, &mut ignore);
        run.decide_all(work);
        match run.into_outcome().verdicts.swap_remove(0) {
            Safety::Reachable(trace) => Ok(Some(Reach::By(trace))),
            Safety::Unreachable(SafetyProof::Invariant(invariant)) => {
                let mut statistics = Statistics::default();
                let fewer = layers::minimal(&transition, &invariant, &self.limits.interrupt, &mut statistics)?;
                Ok(Some(Reach::Never(fewer)))
            }
            _ if self.limits.interrupt.is_raised() => Err(Interrupted),
            _ => Ok(None),
        }
    }

    fn signal_of(&mut self, invariant: &Invariant) -> Signal {
        let Circuit { gates, latches, .. } = &mut self.structure.circuit;
        let mut clauses = vec![self.structure.ok];
        for clause in &invariant.clauses {
            let literals: Vec<Signal> =
                clause.iter().map(|lit| latches[lit.latch()].signal.complement_if(!lit.value())).collect();
            clauses.push(gates.or_all(&literals));
        }
        gates.and_all(&clauses)
    }

    /// The states of a run, with the one after its last step but one.
    fn states(&self, first: &[bool], inputs: &[Vec<bool>]) -> Vec<Vec<bool>> {
        let mut states = vec![first.to_vec()];
        for inputs in &inputs[..inputs.len() - 1] {
            states.push(self.structure.successor(&states[states.len() - 1], inputs));
        }
        states
    }
}

/// The answer of IC3 about a target.
enum Reach {
    By(Trace),
    Never(Invariant),
}
