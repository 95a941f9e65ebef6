//! Clauses over latches to those that, together, no step breaks.

use crate::base::Interrupt;
use crate::circuit::{Circuit, Reset, Signal};
use crate::cnf::Lit;
use crate::engine::StateLit;
use crate::engine::transition::Transition;
use crate::sat::{Answer, Backend, Solver};

/// The largest part of the clauses that holds initially and is closed under steps; `None` if there is no time.
pub fn houdini(circuit: &Circuit, clauses: Vec<Vec<StateLit>>, interrupt: &Interrupt) -> Option<Vec<Vec<StateLit>>> {
    let holds_initially = |literal: &StateLit| match circuit.latches[literal.latch()].reset {
        Reset::Zero => !literal.value(),
        Reset::One => literal.value(),
        Reset::Free => false,
    };
    let mut clauses: Vec<Vec<StateLit>> =
        clauses.into_iter().filter(|clause| clause.iter().any(holds_initially)).collect();
    let transition = Transition::new(circuit);
    let in_cone = |latch: usize| transition.cone().binary_search(&latch).is_ok();
    clauses.retain(|clause| clause.iter().all(|literal| in_cone(literal.latch())));
    let mut induction = Induction::new(&transition, clauses, interrupt);
    let mut active: Vec<usize> = (0..induction.clauses.len()).collect();
    while !active.is_empty() {
        let assumptions: Vec<Lit> = active.iter().map(|&index| induction.selectors[index].0).collect();
        let broken: Vec<Lit> = active.iter().map(|&index| induction.selectors[index].1).collect();
        match induction.ask(&assumptions, &broken)? {
            false => break,
            true => {
                let before = active.len();
                active.retain(|&index| !induction.is_broken(index));
                if active.len() == before {
                    return None;
                }
            }
        }
    }
    Some(active.into_iter().map(|index| induction.clauses[index].clone()).collect())
}

/// Of clauses that are closed under steps and exclude a property, those that the proof needs; `None` if they are not, or if
/// there is no time.
pub fn needed(
    circuit: &Circuit,
    clauses: Vec<Vec<StateLit>>,
    property: usize,
    interrupt: &Interrupt,
) -> Option<Vec<Vec<StateLit>>> {
    let transition = Transition::new(circuit);
    let bad = transition.bad(property);
    let mut induction = Induction::new(&transition, clauses, interrupt);
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

    /// Whether a step that goes on makes one of the literals true.
    fn ask(&mut self, assumptions: &[Lit], any: &[Lit]) -> Option<bool> {
        let assumptions: Vec<Lit> = assumptions.iter().copied().chain(self.goes_on).collect();
        self.solve(&assumptions, any)
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

/// Lets engines count on clauses that hold in every state.
pub fn constrain(circuit: &mut Circuit, clauses: &[Vec<StateLit>]) {
    for clause in clauses {
        let signal = clause.iter().fold(Signal::FALSE, |any, literal| {
            let latch = circuit.latches[literal.latch()].signal.complement_if(!literal.value());
            circuit.gates.or(any, latch)
        });
        circuit.constraints.push(signal);
    }
}
