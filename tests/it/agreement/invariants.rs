//! Facts about all states, known beforehand: engines that rely on them, and leave them out when they make a state a
//! cube, find the same verdicts.

use redoubt_base::Limits;
use redoubt_circuit::{Circuit, Invariant, Latch, Reset, Signal};
use redoubt_engine::engine::Engine;
use redoubt_engine::engine::cfa::{self, Techniques};

use super::random::{Random, circuit, gate};
use super::{Context, automata, check, check_verdict, explicit};

/// The circuit with latches that say what functions of others are, which others and properties read.
fn with_definitions(mut circuit: Circuit, random: &mut Random) -> Circuit {
    let originals: Vec<Signal> = circuit.latches.iter().map(|latch| latch.signal).collect();
    for number in 0..1 + random.below(3) {
        let function = |random: &mut Random, circuit: &mut Circuit, operands: &[Signal]| {
            let inner = gate(random, &mut circuit.gates, operands);
            let pool: Vec<Signal> = operands.iter().copied().chain([inner]).collect();
            gate(random, &mut circuit.gates, &pool)
        };
        // The same choices, now and of the next state.
        let seed = random.below(1 << 30) as u64;
        let now = function(&mut Random::new(seed), &mut circuit, &originals);
        let latch = circuit.add_latch(format!("d{number}"), Reset::Free);
        let index = circuit.latches.len() - 1;
        circuit.latches[index].reset = reset(&circuit, now);
        let read = |random: &mut Random, circuit: &mut Circuit, signal: Signal| match random.chance(40) {
            true => gate(random, &mut circuit.gates, &[signal, latch]),
            false => signal,
        };
        for original in 0..originals.len() {
            let next = circuit.latches[original].next;
            circuit.latches[original].next = read(random, &mut circuit, next);
        }
        for bad in 0..circuit.bad.len() {
            let signal = circuit.bad[bad].signal;
            circuit.bad[bad].signal = read(random, &mut circuit, signal);
        }
        circuit.latches[index].name = format!("d{number} {seed}");
        let same = xnor(&mut circuit, latch, now);
        circuit.constraints.push(same);
        circuit.invariants.push(Invariant { signal: same, defines: Some(latch) });
    }
    // When all is read that will be, latches that are defined get the value that their function has next.
    let next: Vec<Signal> = circuit.latches[..originals.len()].iter().map(|latch| latch.next).collect();
    for index in originals.len()..circuit.latches.len() {
        let name = circuit.latches[index].name.clone();
        let seed = name.split_once(' ').and_then(|(_, seed)| seed.parse().ok()).expect("it was written above");
        let mut again = Random::new(seed);
        let inner = gate(&mut again, &mut circuit.gates, &next);
        let pool: Vec<Signal> = next.iter().copied().chain([inner]).collect();
        circuit.latches[index].next = gate(&mut again, &mut circuit.gates, &pool);
    }
    circuit
}

/// The value of a function of latches where they are reset.
fn reset(circuit: &Circuit, function: Signal) -> Reset {
    let is_one = |latch: &Latch| latch.reset == Reset::One;
    let state =
        circuit.latches.iter().enumerate().fold(0, |state, (index, latch)| state | u32::from(is_one(latch)) << index);
    if explicit::value(circuit, state, function) { Reset::One } else { Reset::Zero }
}

fn xnor(circuit: &mut Circuit, a: Signal, b: Signal) -> Signal {
    let (both, neither) = (circuit.gates.and(a, b), circuit.gates.and(!a, !b));
    circuit.gates.or(both, neither)
}

/// Clauses that all reachable states satisfy.
fn with_clauses(mut circuit: Circuit, random: &mut Random) -> Circuit {
    let (_, reached) = explicit::explored(&circuit);
    for _ in 0..6 {
        let latches: Vec<Signal> = circuit.latches.iter().map(|latch| latch.signal).collect();
        let picked: Vec<Signal> = (0..1 + random.below(3)).map(|_| random.pick(&latches)).collect();
        let clause = picked.iter().fold(Signal::FALSE, |any, &signal| circuit.gates.or(any, signal));
        let mut states = (0..reached.len()).filter(|&state| reached[state]);
        if states.all(|state| explicit::value(&circuit, state as u32, clause)) {
            circuit.constraints.push(clause);
            circuit.invariants.push(Invariant { signal: clause, defines: None });
        }
    }
    circuit
}

#[test]
fn what_is_known_changes_no_verdict() {
    let mut known = 0;
    for seed in 160_000..160_700 {
        let mut random = Random::new(seed);
        let mut circuit = circuit(&mut random, 6);
        for latch in circuit.latches.iter_mut().filter(|latch| latch.reset == Reset::Free) {
            latch.reset = Reset::Zero;
        }
        let circuit = with_definitions(circuit, &mut random);
        let (truth, _) = explicit::explored(&circuit);
        let circuit = with_clauses(circuit, &mut random);
        assert_eq!(explicit::shortest(&circuit), truth, "invariants forbid nothing");
        known += circuit.invariants.iter().filter(|invariant| invariant.defines.is_none()).count();
        let partition = automata::partition(&circuit, &mut random);
        let context = Context(format!("seed {seed}, {partition:?}, {circuit:?}"));
        let limits = Limits::default();
        let by_location =
            cfa::check(&circuit, &partition, &Techniques::default(), Engine::Ic3.backend(), &limits, &mut |_| {});
        for outcome in [check(Engine::Ic3, &circuit, Engine::Ic3.backend(), &limits), by_location] {
            for (property, &truth) in truth.iter().enumerate() {
                check_verdict(&circuit, property, &outcome.verdicts[property], truth);
                assert!(!outcome.verdicts[property].is_open(), "property {property} is open");
            }
        }
        drop(context);
    }
    assert!(known > 500, "{known} clauses were known");
}
