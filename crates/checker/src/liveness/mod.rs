//! Whether a certificate shows that no infinite run of a circuit has some signals infinitely often. There are two kinds, told
//! apart by their inputs; both are circuits that begin with the inputs and latches of the model.
//!
//! A certificate with the model's inputs is made of **layers**: sets of positions, as the negations of its bad signals, from the
//! first to the last. If there is more than one signal (or none), it has a latch for each that says whether it was seen
//! since all of them were.
//!
//! ```text
//! same      latches reset and step as in the model, and so are the constraints
//! base      a first position is in some layer
//! step      without the signals, a step from a layer stays in it, unless it was in an earlier one
//! descent   with the signals, a step from a layer leads to an earlier one, unless it was in an earlier one
//! ```
//!
//! The first layer in which a position lies never comes later from step to step, and comes earlier with every time that
//! the signals are seen: that is not for ever.
//!
//! A certificate with one more input is a witness circuit ([`crate::circuit`]) of the model's **loops** (`loops`), in which the
//! input says when to save the state, and a bad signal that it has come back.

mod loops;

use redoubt_base::Interrupt;
use redoubt_circuit::{Circuit, Reset, Signal};

use crate::Judgement;
use crate::circuit::{self, Copy};
use crate::encode::{Gates, Lit};
use crate::search::{Found, Search};

/// Whether a certificate shows that the signals of a justice property, of which the model has several, do not all recur.
pub fn confirm(
    model: &Circuit,
    justice: &[Vec<Signal>],
    property: usize,
    certificate: &Circuit,
    interrupt: &Interrupt,
) -> Judgement {
    if certificate.inputs.len() == model.inputs.len() + 1 {
        return circuit::confirm(&loops::of(model, justice), certificate, &[property], interrupt);
    }
    match Layers::new(model, &justice[property], certificate) {
        Ok(mut layers) => layers.confirm(interrupt),
        Err(reason) => Judgement::Refuted(reason.into()),
    }
}

/// A position and the next one, in the model and in a certificate.
struct Layers {
    gates: Gates,
    /// The model's first states, and its constraints before and after the step.
    first: Vec<Lit>,
    constraints: Vec<Lit>,
    later_constraints: Vec<Lit>,
    /// The signals are seen, and the certificate is not a copy of the model.
    seen: Lit,
    differs: Lit,
    /// Whether the position is in each layer, before and after the step.
    now: Vec<Lit>,
    later: Vec<Lit>,
}

impl Layers {
    fn new(model: &Circuit, signals: &[Signal], certificate: &Circuit) -> Result<Layers, &'static str> {
        let remembered = if signals.len() == 1 { 0 } else { signals.len() };
        let resets = |circuit: &Circuit| circuit.latches.iter().map(|latch| latch.reset).collect::<Vec<Reset>>();
        let mut expected = resets(model);
        expected.resize(model.latches.len() + remembered, Reset::Zero);
        if certificate.inputs.len() != model.inputs.len() || resets(certificate) != expected {
            return Err("the inputs and latches are not those of the model and its signals");
        }
        if certificate.constraints.len() != model.constraints.len() {
            return Err("the constraints are not those of the model");
        }
        let mut gates = Gates::default();
        let mut fresh = |count: usize| -> Vec<Lit> { (0..count).map(|_| gates.fresh()).collect() };
        let (inputs, later_inputs) = (fresh(model.inputs.len()), fresh(model.inputs.len()));
        let latches = fresh(expected.len());
        let (own, memory) = latches.split_at(model.latches.len());

        // The model, and the latches that remember its signals.
        let here = Copy::new(&mut gates, model, &inputs, own);
        let mut next: Vec<Lit> = model.latches.iter().map(|latch| here.lit(latch.next)).collect();
        let true_now: Vec<Lit> = signals.iter().map(|&signal| here.lit(signal)).collect();
        let seen = match true_now[..] {
            [signal] => signal,
            _ => {
                let ever: Vec<Lit> = true_now.iter().zip(memory).map(|(&now, &before)| gates.or(now, before)).collect();
                let seen = ever.iter().fold(Lit::TRUE, |all, &one| gates.and(all, one));
                next.extend(ever.iter().map(|&one| gates.and(one, !seen)));
                seen
            }
        };
        let there = Copy::new(&mut gates, model, &later_inputs, &next[..own.len()]);
        let constraints = |copy: &Copy| model.constraints.iter().map(|&signal| copy.lit(signal)).collect::<Vec<_>>();

        // The certificate, over the same leaves.
        let now = Copy::new(&mut gates, certificate, &inputs, &latches);
        let later = Copy::new(&mut gates, certificate, &later_inputs, &next);
        let theirs = certificate.latches.iter().map(|latch| latch.next).chain(certificate.constraints.iter().copied());
        let ours = next.iter().copied().chain(constraints(&here));
        let pairs: Vec<(Lit, Lit)> = ours.zip(theirs.map(|signal| now.lit(signal))).collect();
        let different: Vec<Lit> = pairs.into_iter().map(|(a, b)| gates.xor(a, b)).collect();
        let members = |copy: &Copy| certificate.bad.iter().map(|bad| !copy.lit(bad.signal)).collect::<Vec<_>>();
        Ok(Layers {
            first: first_state(&expected, &latches),
            constraints: constraints(&here),
            later_constraints: constraints(&there),
            seen,
            differs: gates.any(&different),
            now: members(&now),
            later: members(&later),
            gates,
        })
    }

    fn confirm(&mut self, interrupt: &Interrupt) -> Judgement {
        let mut parts = vec![("steps as the model does".to_string(), vec![self.differs])];
        let outside = self.now.iter().map(|&member| !member);
        parts.push(("contains the first states".into(), self.first.iter().copied().chain(outside).collect()));
        let (mut before, mut later_before) = (Lit::FALSE, Lit::FALSE);
        for (index, (&now, &later)) in self.now.iter().zip(&self.later).enumerate() {
            let goes_on = [&self.later_constraints[..], &[now, !before]].concat();
            let number = index + 1;
            parts.push((format!("stays in layer {number}"), [&goes_on[..], &[!self.seen, !later]].concat()));
            let stays_up = [&goes_on[..], &[self.seen, !later_before]].concat();
            parts.push((format!("leaves layer {number} for an earlier one with the signals"), stays_up));
            (before, later_before) = (self.gates.or(before, now), self.gates.or(later_before, later));
        }
        let mut search = Search::new();
        search.require(&self.gates, &self.constraints);
        for (what, assumptions) in parts {
            match search.solve(&self.gates, &assumptions, interrupt) {
                Found::Nothing => {}
                Found::Something => return Judgement::Refuted(format!("it is not true that it {what}")),
                Found::NotYet => return Judgement::Undecided("time is up".into()),
            }
        }
        Judgement::Confirmed
    }
}

fn first_state(resets: &[Reset], latches: &[Lit]) -> Vec<Lit> {
    let value = |(reset, &lit): (&Reset, &Lit)| match reset {
        Reset::Zero => Some(!lit),
        Reset::One => Some(lit),
        Reset::Free => None,
    };
    resets.iter().zip(latches).filter_map(value).collect()
}
