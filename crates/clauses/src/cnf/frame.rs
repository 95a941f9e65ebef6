//! The *frame* encoding: from the writes of a step to clauses, with the frame axioms spelled out.
//!
//! The functional encoding computes each next bit with a circuit that chooses between all values the step may
//! write and the old one. Here that choice is left to the clauses. Each state variable has a literal `written`,
//! and its writes, whose conditions exclude each other, are one implication each:
//!
//! ```text
//! written   <->  condition 1 or ... or condition n
//! !written   ->  next = current                        two clauses per bit
//! condition  ->  next = value                          two clauses per bit, for each write
//! ```
//!
//! Without the middle line a variable that a step does not write would be free to drift: this is the frame
//! problem (McCarthy and Hayes, "Some philosophical problems from the standpoint of artificial intelligence",
//! 1969), and the line is the frame axiom of that variable. As exactly one of the conditions or `!written`
//! holds, the relation is total and functional: it is the same one as [`Transition::new`] makes, also on steps
//! that stop.

use super::transition::{StepEncoder, Transition};
use super::{Encoding, Lit, Polarity, Uses};
use redoubt_circuit::{Circuit, Signal, WrittenBits};

/// A step in the frame encoding. Its variables come in the order state, next state, inputs, `written`, gates.
#[derive(Clone, Debug)]
pub struct Frame {
    pub transition: Transition,
    /// Per state variable: the step wrote it, perhaps with the value that it had.
    pub written: Vec<Lit>,
}

impl Frame {
    /// Takes a circuit whose latches are variables of these widths, one after the other, and the writes of each;
    /// `encoding` says how the gates of conditions and values become clauses.
    pub fn new(
        circuit: &Circuit,
        widths: &[usize],
        writes: &[Vec<WrittenBits>],
        encoding: Encoding,
        uses: Uses,
    ) -> Frame {
        assert_eq!(writes.len(), widths.len(), "the writes of every state variable");
        let mut step = StepEncoder::declare(circuit);
        let written: Vec<Lit> = widths.iter().map(|_| step.cnf.new_var().positive()).collect();
        let signals = writes.iter().flatten();
        let signals = signals.flat_map(|write| std::iter::once(write.condition).chain(write.value.iter().copied()));
        step.encode(encoding, uses, signals.map(|signal| (signal, Polarity::BOTH)));
        let mut first = 0;
        for (variable, &width) in widths.iter().enumerate() {
            let bits = first..first + width;
            first = bits.end;
            define_written(&mut step, written[variable], writes[variable].iter().map(|write| write.condition));
            for bit in bits.clone() {
                let current = circuit.latches[bit].signal;
                step.equate(&[written[variable]], step.next[bit], current);
            }
            for write in &writes[variable] {
                let unless = match write.condition.as_constant() {
                    Some(true) => vec![],
                    Some(false) => continue,
                    None => vec![!step.literals.demand(write.condition, &mut step.cnf)],
                };
                for (bit, &value) in bits.clone().zip(&write.value) {
                    step.equate(&unless, step.next[bit], value);
                }
            }
        }
        Frame { transition: step.finish(), written }
    }

    /// Names of literals for [`dimacs`](super::dimacs): those of the transition, and `x written`.
    pub fn names<'n>(&self, circuit: &Circuit, variables: impl Iterator<Item = &'n str>) -> Vec<(Lit, String)> {
        let mut names = self.transition.names(circuit);
        let written = self.written.iter().zip(variables);
        names.extend(written.map(|(&lit, variable)| (lit, format!("{variable} written"))));
        names
    }
}

/// `written <-> or of conditions`.
fn define_written(step: &mut StepEncoder, written: Lit, conditions: impl Iterator<Item = Signal>) {
    let mut some = vec![];
    for condition in conditions {
        match condition.as_constant() {
            Some(true) => {
                step.cnf.add_clause(&[written]);
                return;
            }
            Some(false) => {}
            None => some.push(step.literals.demand(condition, &mut step.cnf)),
        }
    }
    for &condition in &some {
        step.cnf.add_clause(&[!condition, written]);
    }
    // The two arms of an `if` and its `else` cover all cases: nothing to say then.
    some.sort_unstable();
    if !some.windows(2).any(|pair| pair[0] == !pair[1]) {
        some.insert(0, !written);
        step.cnf.add_clause(&some);
    }
}
