//! Sequential equivalence: signals that are equal, or opposite, in every reachable state.
//!
//! Candidates are the signals that random runs cannot tell apart (`classes`). That all of them are equal is then
//! proved by induction: in every reset state they are, and after a step from where they are they still are (van
//! Eijk, "Sequential equivalence checking based on structural similarities", 2000; Mishchenko, Case, Brayton and
//! Jang, "Scalable and scalably-verifiable sequential synthesis", ICCAD 2008). A candidate that fails splits its
//! class by the model that shows it, and the induction starts over with fewer candidates, until none fails
//! (`induction`). Only then is anything known; when the budget ends before that, nothing is.

mod classes;
mod graph;
mod induction;

use super::rebuild::{self, Applied, Facts};
use classes::Classes;
use induction::{Budget, Induction};
use redoubt_base::Interrupt;
use redoubt_circuit::{Circuit, Signal};

/// `None` if nothing was found.
pub fn run(circuit: &Circuit, interrupt: &Interrupt) -> Option<(Applied, Circuit)> {
    let mut budget = Budget::new(circuit);
    let mut classes = Classes::by_simulation(circuit, interrupt)?;
    Induction::base(circuit, &mut classes, &mut budget, interrupt)?;
    while Induction::step(circuit, &mut classes, &mut budget, interrupt)? {}
    let substitutes: Vec<Signal> = (0..circuit.gates.nodes().len()).map(|node| classes.representative(node)).collect();
    let changed = substitutes.iter().enumerate().any(|(node, &signal)| signal != Signal::from_node(node));
    changed.then(|| rebuild::rebuild(circuit, &substitutes, Facts::UnderConstraints))
}
