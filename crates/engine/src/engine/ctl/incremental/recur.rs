//! EG: infinite runs that stay where their operand may hold, by the engines for recurrence.

use redoubt_circuit::Signal;
use redoubt_circuit::liveness::{Lasso, Loops};
use redoubt_formula::basis::Id;

use super::{Kind, Known, Reach, Search};
use crate::engine::recurrence::{self, Found, Recurrence};
use crate::engine::{Engine, Interrupted};

impl Search {
    /// One question about runs that stay, after which more is known.
    pub(super) fn globally(&mut self, part: Id, state: &[bool]) -> Result<(), Interrupted> {
        let Kind::Globally(f) = self.nodes.kind(part) else { unreachable!("asked about EG") };
        if self.join(part, f, state)? {
            return Ok(());
        }
        let (_, f_no) = self.bounds(f);
        let no = self.nodes.known(part).no;
        let stop = self.structure.circuit.gates.or(f_no, no);
        self.prepare(Some(state), stop, None);
        let justice = [vec![Signal::TRUE]];
        let loops = Loops::new(&self.structure.circuit, &justice);
        let mut answer = None;
        let (circuit, backend) = (&self.structure.circuit, Engine::Ic3.backend());
        recurrence::in_turns(circuit, &justice, &loops.circuit, backend, &self.limits, &|_| false, &mut |_, found| {
            answer = Some(found);
            true
        });
        let lasso = match answer {
            None => return Err(Interrupted),
            Some(Found::Closed(trace)) => loops.lasso(&trace),
            Some(Found::Recurrence(Recurrence::Possible(lasso))) => lasso,
            Some(Found::Recurrence(Recurrence::Impossible(layers))) => {
                for layer in &layers {
                    let states = self.signal_of(layer);
                    self.refute(part, states);
                }
                return Ok(());
            }
        };
        // Latches that matter to the operand may return later than those that decide whether the run goes on.
        let lasso = lasso.closed(&self.structure.circuit, &self.structure.matters).ok_or(Interrupted)?;
        self.add_lasso(part, f, &lasso)
    }

    /// Looks, not for long, for a run to where EG is known to hold already.
    fn join(&mut self, part: Id, f: Id, state: &[bool]) -> Result<bool, Interrupted> {
        const WORK: u64 = 1_000_000;
        let Known { yes, no, .. } = *self.nodes.known(part);
        if yes == Signal::FALSE {
            return Ok(false);
        }
        let (_, f_no) = self.bounds(f);
        let stop = self.structure.circuit.gates.or(f_no, no);
        self.prepare(Some(state), stop, Some(yes));
        let Some(Reach::By(trace)) = self.reach(WORK)? else { return Ok(false) };
        let states = self.states(&trace.initial, &trace.inputs);
        for state in &states[..states.len() - 1] {
            if !self.decide(state, f)? {
                return Ok(true);
            }
        }
        self.add_run(part, f, &states, &trace.inputs)?;
        Ok(true)
    }

    fn add_lasso(&mut self, part: Id, f: Id, lasso: &Lasso) -> Result<(), Interrupted> {
        let states = self.states(&lasso.initial, &lasso.inputs);
        for state in &states {
            if !self.decide(state, f)? {
                return Ok(());
            }
        }
        for (state, inputs) in states.iter().zip(&lasso.inputs).skip(lasso.start) {
            let literals = self.structure.literals(state);
            let cube = self.structure.circuit.gates.and_all(&literals);
            self.add_entry(part, cube, Some(inputs.clone()));
        }
        self.add_run(part, f, &states[..=lasso.start], &lasso.inputs)
    }
}
