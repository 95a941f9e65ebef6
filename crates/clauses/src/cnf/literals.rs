//! Which literal stands for which signal.

use super::{Cnf, Lit};
use redoubt_circuit::{Aig, Signal};

/// A partial map from the nodes of one graph to literals.
///
/// Entries that are set before a graph is encoded are taken over: a leaf's variable, or the name under which a gate's
/// value is to be known.
#[derive(Clone, Debug, Default)]
pub struct Literals(Vec<Option<Lit>>);

impl Literals {
    pub fn new(gates: &Aig) -> Self {
        Literals(vec![None; gates.nodes().len()])
    }

    pub fn get(&self, signal: Signal) -> Option<Lit> {
        let lit = (*self.0.get(signal.node())?)?;
        Some(if signal.is_complemented() { !lit } else { lit })
    }

    pub fn set(&mut self, signal: Signal, lit: Lit) {
        self.0[signal.node()] = Some(if signal.is_complemented() { !lit } else { lit });
    }

    /// The literal of a leaf, a constant or a gate that is encoded; a new variable for one without.
    pub(super) fn demand(&mut self, signal: Signal, cnf: &mut Cnf) -> Lit {
        if let Some(known) = self.get(signal) {
            return known;
        }
        let lit = cnf.new_var().positive();
        if signal.is_constant() {
            self.set(Signal::TRUE, lit);
            cnf.add_clause(&[lit]);
        } else {
            self.set(signal.plain(), lit);
        }
        self.get(signal).unwrap_or(lit)
    }
}
