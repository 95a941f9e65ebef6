//! IC3 and bounded model checking in turns, on one thread.
//!
//! IC3 finds long traces slowly, frame by frame; bounded model checking often finds them at once, but never ends where
//! there are none. Neither knows which of the two a property needs. So each works for a while, then the other, and
//! every round lasts twice as long as the one before: whatever one of them can do alone takes at most a few times as
//! long. The rounds are measured in propagations, not in time, so a run can be repeated.

use std::time::Instant;

use super::bmc::{self, Search};
use super::ic3;
use super::transition::Transition;
use super::{Decision, Engine, Interrupted, Limits, Outcome, Phase, Statistics};
use crate::sat::Backend;
use redoubt_circuit::Circuit;

/// Propagations in the first round of each. One in a long unrolling takes about three times as long as one in the small
/// queries of IC3.
const IC3_ROUND: u64 = 5_000_000;
const BMC_ROUND: u64 = 2_500_000;

/// The backend is that of IC3.
pub fn check(circuit: &Circuit, backend: Backend, limits: &Limits, report: &mut dyn FnMut(Decision)) -> Outcome {
    check_in_rounds(circuit, backend, limits, [IC3_ROUND, BMC_ROUND], report)
}

/// With first rounds of these lengths.
fn check_in_rounds(
    circuit: &Circuit,
    backend: Backend,
    limits: &Limits,
    [ic3_round, bmc_round]: [u64; 2],
    report: &mut dyn FnMut(Decision),
) -> Outcome {
    let transition = Transition::within(circuit, limits);
    let mut ic3 = ic3::Run::new(circuit, &transition, backend, limits, report);
    let mut statistics = Statistics::default();
    let mut bmc = bmc::Run::new(circuit, &transition, Engine::Bmc.backend(), limits);
    let mut searching = true;
    for round in 0..63 {
        let work = if searching { ic3_round.saturating_mul(1 << round) } else { u64::MAX };
        if ic3.decide_all(work) {
            break;
        }
        let open = ic3.open();
        let start = Instant::now();
        let result = bmc.search(bmc_round.saturating_mul(1 << round), &open, |property, verdict| {
            ic3.decide(property, verdict);
        });
        statistics.record(Phase::Unroll, start);
        match result {
            Ok(search) => searching = search == Search::Paused,
            Err(Interrupted) => break,
        }
    }
    let mut outcome = ic3.into_outcome();
    outcome.statistics.add_phase(Phase::Unroll, statistics.phase(Phase::Unroll));
    outcome
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::engine::Verdict;
    use redoubt_circuit::random::Random;

    /// Rounds so short that both engines pause all the time: the verdicts are those of IC3 alone, and most traces are
    /// found by the other one.
    #[test]
    fn pauses_change_nothing() {
        let (mut shortest, mut traces) = (0, 0);
        for seed in 0..200 {
            let mut random = Random::new(seed);
            let circuit = random.circuit(2 + seed as usize % 6, 3, 40);
            let limits = Limits::default();
            let mut reported = vec![Verdict::Open; circuit.bad.len()];
            let outcome = check_in_rounds(&circuit, Backend::Cone, &limits, [1, 1], &mut |decision| {
                assert!(reported[decision.property].is_open(), "reported twice");
                reported[decision.property] = decision.verdict.clone();
            });
            assert_eq!(reported, outcome.verdicts);
            let alone = ic3::check(&circuit, Backend::Cone, &limits, &mut |_| {});
            let bmc = bmc::check(&circuit, Backend::Cadical, &Limits::depth(20), &mut |_| {});
            for (property, verdict) in outcome.verdicts.iter().enumerate() {
                assert_eq!(
                    std::mem::discriminant(verdict),
                    std::mem::discriminant(&alone.verdicts[property]),
                    "seed {seed}, property {property}"
                );
                if let Verdict::Reachable(trace) = verdict {
                    assert!(trace.reaches(&circuit, property), "seed {seed}, property {property}");
                    traces += 1;
                    shortest += usize::from(*verdict == bmc.verdicts[property]);
                }
            }
        }
        println!("{shortest} of {traces} traces are those of bounded model checking");
        assert!(shortest > 0);
    }
}
