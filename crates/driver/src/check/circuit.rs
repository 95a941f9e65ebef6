//! An engine on the program's own circuit: program, system, circuit, verdict, and back to the program.

use std::time::Instant;

use super::locations::partition;
use super::shared::Share;
use super::{CheckOptions, Sizes};
use crate::analysis::Facts;
use crate::base::progress::Stage;
use crate::base::{Ended, Limits};
use crate::blast::blast_within;
use crate::certify::certifier::Certifier;
use crate::certify::derive::{Derived, Deriver, Exact};
use crate::circuit::Circuit;
use crate::engine::{Decision, Engine, Verdict, bmc, cfa, ic3, kinduction};
use crate::ledger::{Ledger, Strategy};
use crate::program::PropertyId;

pub(super) struct OnCircuit<'o> {
    pub(super) options: &'o CheckOptions,
    pub(super) system: Share<'o>,
    /// Let others try for a moment before the engine: IC3, for properties that it decides at once, bounded model
    /// checking, for runs of a few dozen steps, and k-induction, since a consequence of a few steps of history may take
    /// IC3 very many clauses. The others wait for that.
    pub(super) glances: bool,
    /// Instead of the engine, IC3 with frames for each location.
    pub(super) by_location: bool,
}

/// The work of IC3 at first, in propagations; then the work of bounded model checking, in the solver's ticks; then the
/// longest history that is tried, and the conflicts that this may take. All of it comes to a few tenths of a second.
const PROPAGATIONS: u64 = 500_000;
const TICKS: u64 = 4_000_000;
const LONGEST_HISTORY: usize = 8;
const CONFLICTS: u64 = 1_000;

impl Strategy<Facts<'_>> for OnCircuit<'_> {
    fn name(&self) -> &'static str {
        if self.by_location { "cfa" } else { self.options.engine.name() }
    }

    fn run(&self, ledger: &Ledger<Facts>, limits: &Limits) -> Result<(), Ended> {
        let (program, options, wanted) = (ledger.subject().program, self.options, ledger.open());
        let start = Instant::now();
        limits.progress.level(Stage::Encoding, 0);
        let passed = self.system.get(ledger.subject(), &limits.interrupt)?;
        let mut blasted = blast_within(&passed.system, options.width, &limits.interrupt)?;
        restrict(&mut blasted.circuit, &wanted);
        if options.functional_reduction {
            blasted.circuit = blasted.circuit.functionally_reduced();
        }
        let sizes = Sizes {
            states: passed.states_before(),
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
        // Whether the ledger has nothing better to hope for.
        let mut hear = |by: &'static str, property: PropertyId, verdict: &Verdict| match verdict {
            Verdict::Open => false,
            Verdict::Unreachable(proof) => {
                let certifier = options.confirm.then(|| certifier.get_or_insert_with(new));
                let checked = certifier.and_then(|one| one.certify(property, proof, &limits.interrupt));
                let is_settled = !options.confirm || checked.as_ref().is_some_and(|checked| checked.is_confirmed());
                ledger.proved(by, property, proof.clone(), checked);
                is_settled
            }
            Verdict::Reachable(trace) => {
                let run = trace.inputs.iter().map(|bits| blasted.decode_inputs(bits)).collect();
                ledger.reached(by, property, run);
                true
            }
        };
        let mut circuit = blasted.circuit.clone();
        let mut open = wanted.clone();
        for first in [Engine::Ic3, Engine::Bmc, Engine::KInduction].into_iter().filter(|_| self.glances) {
            let mut is_settled = vec![false; open.len()];
            let mut hear = |decision: Decision| {
                is_settled[decision.property] = hear(first.name(), open[decision.property], decision.verdict);
            };
            match first {
                Engine::Ic3 => _ = ic3::glance(&circuit, first.backend(), limits, PROPAGATIONS, &mut hear),
                Engine::Bmc => _ = bmc::glance(&circuit, first.backend(), limits, TICKS, &mut hear),
                _ => {
                    let depth = limits.depth.map_or(LONGEST_HISTORY, |depth| depth.min(LONGEST_HISTORY));
                    let limits = Limits { depth: Some(depth), ..limits.clone() };
                    kinduction::glance(&circuit, first.backend(), &limits, CONFLICTS, &mut hear);
                }
            }
            let mut places = 0..;
            open.retain(|_| places.next().is_none_or(|place| !is_settled[place]));
            let mut places = 0..;
            circuit.bad.retain(|_| places.next().is_none_or(|place| !is_settled[place]));
        }
        if open.is_empty() {
            return Ok(());
        }
        ledger.let_others_begin();
        let backend = options.backend.unwrap_or(options.engine.backend());
        let mut report = |decision: Decision| {
            hear(self.name(), open[decision.property], decision.verdict);
        };
        let outcome = if self.by_location {
            let partition = partition(program, &passed.system.states, &blasted);
            cfa::check(&circuit, &partition, &options.techniques, backend, limits, &mut report)
        } else {
            options.engine.check(&circuit, backend, limits, &mut report)
        };
        ledger.account(|account| account.statistics = outcome.statistics);
        Ok(())
    }
}

/// Leaves only the wanted properties; the others still end a run.
pub(super) fn restrict(circuit: &mut Circuit, wanted: &[PropertyId]) {
    let all = std::mem::take(&mut circuit.bad);
    circuit.bad = wanted.iter().map(|property| all[property.index()].clone()).collect();
}
