//! rlive against IC3 on the circuit of loops: both find a lasso, or neither does.

use super::*;
use crate::engine::Engine;
use redoubt_circuit::liveness::Loops;
use redoubt_circuit::random::Random;

/// A search in slices of this much work, until it has an answer.
fn decide(circuit: &Circuit, signals: &[Signal], slice: u64) -> (Recurrence, usize) {
    let mut rlive = Rlive::new(circuit, signals, Backend::Cone, &Limits::default());
    for round in 0..60 {
        if let Some(answer) = rlive.search(slice << round).expect("nobody interrupts it") {
            return (answer, round);
        }
    }
    panic!("no answer");
}

/// Lassos are runs, and there is one whenever IC3 finds one in the circuit of loops; pauses change nothing.
#[test]
fn agrees_with_liveness_to_safety() {
    let (mut lassos, mut proofs, mut pauses) = (0, 0, 0);
    for seed in 0..300 {
        let mut random = Random::new(seed);
        let mut circuit = random.circuit(2 + seed as usize % 6, 2, 25);
        if random.below(3) > 0 {
            circuit.stop = Signal::FALSE;
        }
        circuit.constraints.truncate(random.below(3));
        let mut signals: Vec<Signal> = circuit.bad.iter().map(|bad| bad.signal).collect();
        signals.truncate(seed as usize % 4);
        let loops = Loops::new(&circuit, std::slice::from_ref(&signals));
        let outcome = Engine::Ic3.check(&loops.circuit, Backend::Cone, &Limits::default(), &mut |_| {});
        for slice in [1, 1 << 40] {
            let (answer, rounds) = decide(&circuit, &signals, slice);
            pauses += rounds;
            match (answer, &outcome.verdicts[0]) {
                (Recurrence::Possible(lasso), Verdict::Reachable(trace)) => {
                    assert!(lasso.recurs(&circuit, &signals), "seed {seed}: {lasso:?}");
                    assert!(loops.lasso(trace).recurs(&circuit, &signals), "seed {seed}");
                    lassos += 1;
                }
                (Recurrence::Impossible(layers), Verdict::Unreachable(_)) => {
                    assert!(!layers.is_empty());
                    proofs += 1;
                }
                (answer, verdict) => panic!("seed {seed}: {answer:?}, but {verdict:?}"),
            }
        }
    }
    println!("{lassos} lassos, {proofs} proofs, {pauses} pauses");
    assert!(lassos > 100 && proofs > 100 && pauses > 100);
}
