//! Clauses over latches to those that, together, no step breaks.

use crate::base::Interrupt;
use crate::circuit::{Circuit, Invariant, Reset, Signal};
use crate::cnf::Lit;
use crate::engine::StateLit;
use crate::engine::transition::Transition;
use crate::sat::{Answer, Backend, Solver};

/// The most conflicts for a question about a candidate: candidates that are harder to prove are not worth it.
const CONFLICTS_OF_ONE: u64 = 2_000;
/// The most conflicts for each question of a proof.
const CONFLICTS_OF_PROOF: u64 = 50_000;

/// Of each chain of clauses, from the strongest on, the first that holds initially and is closed under steps together with
/// those of the other chains, as far as that is easy to see. Other clauses are known to hold always. `None` if there is
/// no time.
pub fn houdini(
    circuit: &Circuit,
    known: &[Vec<StateLit>],
    chains: Vec<Vec<Vec<StateLit>>>,
    interrupt: &Interrupt,
) -> Option<Vec<Vec<StateLit>>> {
    let holds_initially = |literal: &StateLit| match circuit.latches[literal.latch()].reset {
        Reset::Zero => !literal.value(),
        Reset::One => literal.value(),
        Reset::Free => false,
    };
    let transition = Transition::new(circuit);
    let in_cone = |latch: usize| transition.cone().binary_search(&latch).is_ok();
    let mut clauses: Vec<Vec<StateLit>> = vec![];
    let mut chosen: Vec<Choice> = vec![];
    for chain in chains {
        let start = clauses.len();
        clauses.extend(chain.into_iter().filter(|clause| {
            clause.iter().any(holds_initially) && clause.iter().all(|literal| in_cone(literal.latch()))
        }));
        chosen.push(Choice { taken: start, end: clauses.len(), reasons: None });
    }
    let mut induction = Induction::new(&transition, clauses, interrupt);
    induction.solver.limit_conflicts(CONFLICTS_OF_ONE);
    induction.assume(known);
    while let Some(index) = chosen.iter().position(|choice| choice.is_left() && choice.reasons.is_none()) {
        let before: Vec<usize> = chosen.iter().map(|choice| choice.taken).collect();
        match induction.breaks(&chosen, index) {
            Answer::Unsatisfiable => {
                let is_reason = |other: &usize| {
                    chosen[*other].is_left() && induction.solver.failed(induction.selectors[chosen[*other].taken].0)
                };
                let reasons = (0..chosen.len()).filter(is_reason).collect();
                chosen[index].reasons = Some(reasons);
                continue;
            }
            Answer::Satisfiable => chosen.iter_mut().for_each(|choice| induction.weaken(choice)),
            Answer::Unknown => {
                interrupt.check().ok()?;
                chosen[index].taken += 1;
            }
        }
        // Chains that relied on something that is gone are asked about again.
        let is_changed: Vec<bool> =
            chosen.iter().zip(&before).map(|(choice, before)| choice.taken != *before).collect();
        if !is_changed.contains(&true) {
            return None;
        }
        for (choice, &is_changed_itself) in chosen.iter_mut().zip(&is_changed) {
            let counts_on = choice.reasons.iter().flatten().any(|&other| is_changed[other]);
            if is_changed_itself || counts_on {
                choice.reasons = None;
            }
        }
    }
    let left = chosen.into_iter().filter(Choice::is_left);
    Some(left.map(|choice| induction.clauses[choice.taken].clone()).collect())
}

/// The chosen part of a chain.
struct Choice {
    /// The clause, and where those behind it end; none is left if they meet.
    taken: usize,
    end: usize,
    /// The chains whose clauses, together with this one's, make steps keep it; `None` if that is not shown yet.
    reasons: Option<Vec<usize>>,
}

impl Choice {
    fn is_left(&self) -> bool {
        self.taken < self.end
    }
}

/// Of clauses that are closed under steps and exclude a property, those that the proof needs; `None` if they are not, or if
/// that is too hard to see.
pub fn needed(
    circuit: &Circuit,
    clauses: Vec<Vec<StateLit>>,
    property: usize,
    interrupt: &Interrupt,
) -> Option<Vec<Vec<StateLit>>> {
    let transition = Transition::new(circuit);
    let bad = transition.bad(property);
    let mut induction = Induction::new(&transition, clauses, interrupt);
    induction.solver.limit_conflicts(CONFLICTS_OF_PROOF);
    let all: Vec<Lit> = induction.selectors.iter().map(|(holds, _)| *holds).collect();
    let mut is_needed = vec![false; all.len()];
    let mut waiting = vec![];
    let mut goal = Some((vec![bad], true));
    while let Some((goal_literals, is_last_step)) = goal {
        // A property may be reached in a step that ends the run, a clause need only hold after the others.
        let mut assumptions = all.clone();
        if !is_last_step {
            assumptions.extend(induction.goes_on);
        }
        if induction.solve(&assumptions, &goal_literals)? {
            return None;
        }
        for (index, holds) in all.iter().enumerate() {
            if !is_needed[index] && induction.solver.failed(*holds) {
                is_needed[index] = true;
                waiting.push(index);
            }
        }
        goal = waiting.pop().map(|index| (vec![induction.selectors[index].1], false));
    }
    let kept = induction.clauses.iter().zip(is_needed).filter(|(_, is_needed)| *is_needed);
    Some(kept.map(|(clause, _)| clause.clone()).collect())
}

/// Clauses that are assumed now and asked for next.
struct Induction<'t> {
    transition: &'t Transition,
    clauses: Vec<Vec<StateLit>>,
    /// Per clause: that it holds now, and that it is broken next.
    selectors: Vec<(Lit, Lit)>,
    /// The step does not end the run, if any does.
    goes_on: Option<Lit>,
    solver: Box<dyn Solver>,
}

impl<'t> Induction<'t> {
    fn new(transition: &'t Transition, clauses: Vec<Vec<StateLit>>, interrupt: &Interrupt) -> Induction<'t> {
        let mut solver = Backend::Cadical.solver();
        solver.set_interrupt(interrupt.clone());
        transition.load(&mut *solver);
        transition.load_constraints(&mut *solver);
        let mut selectors: Vec<(Lit, Lit)> = vec![];
        for clause in &clauses {
            let (holds, breaks) = (solver.new_var().positive(), solver.new_var().positive());
            let now: Vec<Lit> = clause.iter().map(|&literal| transition.current(literal)).chain([!holds]).collect();
            solver.add_clause(&now);
            clause.iter().for_each(|&literal| solver.add_clause(&[!breaks, !transition.next(literal)]));
            selectors.push((holds, breaks));
        }
        let goes_on = transition.stop().map(|stop| !stop);
        Induction { transition, clauses, selectors, goes_on, solver }
    }

    /// Counts on clauses that always hold.
    fn assume(&mut self, known: &[Vec<StateLit>]) {
        for clause in known {
            let now: Vec<Lit> = clause.iter().map(|&literal| self.transition.current(literal)).collect();
            self.solver.add_clause(&now);
        }
    }

    /// Whether a step that goes on, from where the chosen parts of all chains hold, breaks the chosen part of one.
    fn breaks(&mut self, chosen: &[Choice], index: usize) -> Answer {
        let taken = chosen.iter().filter(|choice| choice.is_left()).map(|choice| self.selectors[choice.taken].0);
        let assumptions: Vec<Lit> = taken.chain(self.goes_on).collect();
        let broken = self.selectors[chosen[index].taken].1;
        self.solver.solve_with(&assumptions, Some(&[broken]))
    }

    /// Takes the first clause of a chain that the step which was just found does not break.
    fn weaken(&self, choice: &mut Choice) {
        while choice.is_left() && self.is_broken(choice.taken) {
            choice.taken += 1;
        }
    }

    fn solve(&mut self, assumptions: &[Lit], any: &[Lit]) -> Option<bool> {
        match self.solver.solve_with(assumptions, Some(any)) {
            Answer::Satisfiable => Some(true),
            Answer::Unsatisfiable => Some(false),
            Answer::Unknown => None,
        }
    }

    /// Whether the step that was just found breaks a clause.
    fn is_broken(&self, index: usize) -> bool {
        let is_false = |literal: &StateLit| self.solver.value(self.transition.next(*literal)) == Some(false);
        self.clauses[index].iter().all(is_false)
    }
}

/// Lets engines rely on clauses that hold in every state.
pub fn constrain(circuit: &mut Circuit, clauses: &[Vec<StateLit>]) {
    for clause in clauses {
        let signal = clause.iter().fold(Signal::FALSE, |any, literal| {
            let latch = circuit.latches[literal.latch()].signal.complement_if(!literal.value());
            circuit.gates.or(any, latch)
        });
        circuit.constraints.push(signal);
        circuit.invariants.push(Invariant { signal, defines: None });
    }
}
