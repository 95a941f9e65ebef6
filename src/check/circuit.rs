//! An engine on the program's own circuit: program, system, circuit, verdict, and back to the program.

use std::time::Instant;

use super::{Options, Sizes};
use crate::analysis::Facts;
use crate::base::progress::Stage;
use crate::base::{Ended, Limits};
use crate::blast::blast_within;
use crate::certify::certifier::Certifier;
use crate::certify::derive::{Derived, Deriver, Exact};
use crate::circuit::Circuit;
use crate::engine::{Decision, Verdict};
use crate::ledger::{Ledger, Strategy};
use crate::program::PropertyId;
use crate::system;
use crate::system::passes;

pub(super) struct OnCircuit<'o> {
    pub(super) options: &'o Options,
}

impl Strategy<Facts<'_>> for OnCircuit<'_> {
    fn name(&self) -> &'static str {
        self.options.engine.name()
    }

    fn run(&self, ledger: &Ledger<Facts>, limits: &Limits) -> Result<(), Ended> {
        let (program, options, wanted) = (ledger.subject().program, self.options, ledger.open());
        let start = Instant::now();
        limits.progress.level(Stage::Encoding, 0);
        let system = system::build_within(program, &limits.interrupt)?;
        let states = system.states.len();
        let passed = passes::run(system, options.passes, &limits.interrupt);
        let mut blasted = blast_within(&passed.system, options.width, &limits.interrupt)?;
        restrict(&mut blasted.circuit, &wanted);
        if options.functional_reduction {
            blasted.circuit = blasted.circuit.functionally_reduced();
        }
        let sizes = Sizes {
            states,
            savings: passed.savings.clone(),
            latches: blasted.circuit.latches.len(),
            inputs: blasted.circuit.inputs.len(),
            gates: blasted.circuit.live_gates(),
            encoding: start.elapsed(),
        };
        ledger.account(|account| account.sizes = sizes);

        let derived = Derived { passed: &passed, blasted: &blasted };
        let new = || Certifier::new(program, Deriver::new(derived, &Exact, vec![]));
        let mut certifier = None;
        let mut hear = |decision: Decision| {
            let property = wanted[decision.property];
            match decision.verdict {
                Verdict::Open => {}
                Verdict::Unreachable(proof) => {
                    let certifier = options.confirm.then(|| certifier.get_or_insert_with(new));
                    let checked = certifier.and_then(|one| one.certify(property, proof, &limits.interrupt));
                    ledger.proved(self.name(), property, proof.clone(), checked);
                }
                Verdict::Reachable(trace) => {
                    let run = trace.inputs.iter().map(|bits| blasted.decode_inputs(bits)).collect();
                    ledger.reached(self.name(), property, run);
                }
            }
        };
        let backend = options.backend.unwrap_or(options.engine.backend());
        let outcome = options.engine.check(&blasted.circuit, backend, limits, &mut hear);
        ledger.account(|account| account.statistics = outcome.statistics);
        Ok(())
    }
}

/// Leaves only the wanted properties; the others still end a run.
pub(super) fn restrict(circuit: &mut Circuit, wanted: &[PropertyId]) {
    let all = std::mem::take(&mut circuit.bad);
    circuit.bad = wanted.iter().map(|property| all[property.index()].clone()).collect();
}
