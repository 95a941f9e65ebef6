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
use crate::circuit::Circuit;
use crate::sat::Backend;

/// Propagations in the first round of each. One in a long unrolling takes about three times as long as one in the small
/// queries of IC3, so both get about the same time.
const IC3_ROUND: u64 = 5_000_000;
const BMC_ROUND: u64 = 1_700_000;

/// The backend is that of IC3.
pub fn check(circuit: &Circuit, backend: Backend, limits: &Limits, report: &mut dyn FnMut(Decision)) -> Outcome {
    let transition = Transition::within(circuit, limits);
    let mut ic3 = ic3::Run::new(circuit, &transition, backend, limits, report);
    let mut statistics = Statistics::default();
    let mut bmc = bmc::Run::new(circuit, &transition, Engine::Bmc.backend(), limits);
    let mut searching = true;
    for round in 0..64 {
        let work = if searching { IC3_ROUND.checked_shl(round).unwrap_or(u64::MAX) } else { u64::MAX };
        if ic3.decide_all(work) {
            break;
        }
        let open = ic3.open();
        let start = Instant::now();
        let result = bmc.search(BMC_ROUND.checked_shl(round).unwrap_or(u64::MAX), &open, |property, verdict| {
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
