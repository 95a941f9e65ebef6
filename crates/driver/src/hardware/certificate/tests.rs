//! The records of passes are enough for witnesses of the given circuit.

use super::*;
use crate::base::Interrupt;
use crate::certificate::{Judgement, circuit::confirm};
use crate::circuit::random::Random;
use crate::engine::{Engine, Proof, Verdict};
use crate::simplify::retime;

/// Whether latches become more or fewer, the verdicts about random circuits stay, runs are runs of the circuit that was given,
/// and proofs are confirmed there.
#[test]
fn verdicts_runs_and_proofs_carry_over() {
    let [mut moved, mut reached, mut proved] = [0; 3];
    for seed in 0..150 {
        let mut circuit = Random::new(seed).circuit(3 + seed as usize % 7, 2, 30);
        // Witness circuits are for models, whose runs do not end.
        circuit.stop = Signal::FALSE;
        let mut retimed = Simplified::untouched(&circuit);
        for _ in 0..1 + seed % 3 {
            let Some((step, after)) = retime::layer(&retimed.circuit) else { break };
            after.check().expect("well-formed");
            moved += step.latches.iter().filter(|&&latch| step.before.gates.is_gate(latch)).count();
            retimed.steps.push(step);
            retimed.circuit = after;
        }
        let [before, after] = [&circuit, &retimed.circuit]
            .map(|circuit| Engine::Ic3.check(circuit, Engine::Ic3.backend(), &Default::default(), &mut |_| {}));
        for (property, (before, after)) in before.verdicts.iter().zip(&after.verdicts).enumerate() {
            let place = format!("seed {seed}, property {property}");
            assert_eq!(std::mem::discriminant(before), std::mem::discriminant(after), "{place}");
            match after {
                Verdict::Reachable(trace) => {
                    assert!(retimed.original_trace(trace).reaches(&circuit, property), "{place}");
                    reached += 1;
                }
                Verdict::Unreachable(Proof::Invariant(invariant)) => {
                    let mut witness = Builder::new(&circuit, &[property]);
                    witness.add_invariant(&retimed, invariant);
                    let judgement = confirm(&circuit, &witness.finish(), &[property], &Interrupt::default());
                    assert_eq!(judgement, Judgement::Confirmed, "{place}");
                    proved += 1;
                }
                other => panic!("IC3 has an invariant or a run: {other:?}, {place}"),
            }
        }
    }
    assert!(moved > 100 && reached > 50 && proved > 20, "{moved} moved, {reached} reached, {proved} proved");
}
