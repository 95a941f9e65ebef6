//! Proofs in, certificates of the model out, as [`crate::certificate::liveness`] expects them.
//!
//! Layers and invariants were found on simplified circuits. As in a witness circuit ([`super::super::certificate`]), the
//! equalities that the passes used are inductive in the model, and with them the simplified circuit does what the model does;
//! so each layer is taken together with them.

use std::borrow::Cow;
use std::sync::Arc;

use super::super::certificate::{Builder, named};
use super::subject::recurring;
use crate::circuit::aiger::Model;
use crate::circuit::liveness::{Loops, all_seen};
use crate::circuit::{Circuit, Signal};
use crate::engine::Invariant;
use crate::simplify::Simplified;

/// Why the signals of a justice property do not all recur.
#[derive(Clone, Debug)]
pub enum Evidence {
    /// Layers of the simplified model, with the latches of [`all_seen`] behind its own.
    Layers { simplified: Arc<Simplified>, layers: Vec<Invariant> },
    /// An invariant of the simplified circuit of all loops.
    Loops { simplified: Arc<Simplified>, invariant: Invariant },
    /// A certificate that was made before.
    Certificate(Circuit),
}

impl Evidence {
    /// The certificate of a justice property.
    pub fn certificate(&self, model: &Model, property: usize) -> Cow<'_, Circuit> {
        let (mut certificate, kind) = match self {
            Evidence::Certificate(circuit) => return Cow::Borrowed(circuit),
            Evidence::Layers { simplified, layers } => (of_layers(model, property, simplified, layers), "layer"),
            Evidence::Loops { simplified, invariant } => {
                let loops = Loops::new(&model.circuit, &recurring(model));
                let mut builder = Builder::new(&loops.circuit, &[property]);
                builder.add_invariant(simplified, invariant);
                (builder.finish(), "loop")
            }
        };
        certificate.bad.iter_mut().for_each(|bad| bad.name = format!("{} {kind}", model.justice[property].name));
        Cow::Owned(named(certificate, model))
    }
}

fn of_layers(model: &Model, property: usize, simplified: &Simplified, layers: &[Invariant]) -> Circuit {
    let mut circuit = model.circuit.clone();
    all_seen(&mut circuit, &model.recurring(property));
    let remembering: Vec<Signal> =
        circuit.latches[model.circuit.latches.len()..].iter().map(|latch| latch.signal).collect();
    let mut builder = Builder::new(&circuit, &[]);
    let mut latches = builder.add_equalities(simplified);
    latches.extend(remembering);
    builder.finish_each(layers, &latches)
}
