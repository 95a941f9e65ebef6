//! Properties take turns: a hard one does not hold up the others, limits end only what they should, and an interrupted
//! run keeps its verdicts.

use std::time::Duration;

use redoubt_base::Interrupt;
use redoubt_base::Limits;
use redoubt_circuit::{Aig, Bad, Circuit, Latch, Reset, Signal};
use redoubt_clauses::sat::Backend;
use redoubt_engine::engine::{Engine, Verdict};

const BITS: usize = 40;

/// A counter that overflows too late to be seen, and a latch that is never set.
fn counter() -> Circuit {
    let mut gates = Aig::default();
    let bits: Vec<Signal> = (0..BITS).map(|_| gates.leaf()).collect();
    let idle = gates.leaf();
    let mut carry = Signal::TRUE;
    let mut latches = Vec::new();
    for (index, &bit) in bits.iter().enumerate() {
        let (on, off) = (gates.and(bit, !carry), gates.and(!bit, carry));
        latches.push(Latch { signal: bit, next: gates.or(on, off), reset: Reset::Zero, name: format!("bit{index}") });
        carry = gates.and(bit, carry);
    }
    latches.push(Latch { signal: idle, next: idle, reset: Reset::Zero, name: "idle".into() });
    let five = [bits[0], !bits[1], bits[2]];
    let five = five.iter().fold(Signal::TRUE, |all, &bit| gates.and(all, bit));
    let bad = [("overflow", carry), ("idle", idle), ("five", five)];
    Circuit {
        gates,
        latches,
        bad: bad.map(|(name, signal)| Bad { signal, name: name.into() }).into(),
        ..Circuit::default()
    }
}

const HARD: usize = 0;
const UNREACHABLE: usize = 1;
const REACHABLE: usize = 2;

#[test]
fn a_hard_property_keeps_nobody_waiting() {
    let circuit = counter();
    for backend in Backend::ALL {
        let limits = Limits { interrupt: Interrupt::after(Duration::from_secs(60)), ..Limits::default() };
        let mut decided = 0;
        let outcome = Engine::Ic3.check(&circuit, backend, &limits, &mut |_| {
            decided += 1;
            if decided == 2 {
                limits.interrupt.raise();
            }
        });
        let verdicts = &outcome.verdicts;
        assert!(verdicts[HARD].is_open());
        assert!(matches!(verdicts[UNREACHABLE], Verdict::Unreachable(_)));
        let Verdict::Reachable(trace) = &verdicts[REACHABLE] else {
            panic!("five is reachable, not {:?}", verdicts[REACHABLE]);
        };
        assert_eq!(trace.inputs.len(), 6);
    }
}

#[test]
fn a_property_out_of_time_is_given_up() {
    let limits = Limits {
        interrupt: Interrupt::after(Duration::from_secs(60)),
        per_property: Some(Duration::from_millis(100)),
        ..Limits::default()
    };
    let outcome = Engine::Ic3.check(&counter(), Backend::Cone, &limits, &mut |_| {});
    assert!(outcome.verdicts[HARD].is_open());
    assert!(!outcome.verdicts[UNREACHABLE].is_open());
    assert!(!outcome.verdicts[REACHABLE].is_open());
    assert!(!limits.interrupt.is_raised(), "the run ended by itself");
}

#[test]
fn an_interrupted_run_decides_nothing_more() {
    for engine in Engine::ALL {
        let limits = Limits::default();
        limits.interrupt.raise();
        let outcome = engine.check(&counter(), engine.backend(), &limits, &mut |_| {});
        assert!(outcome.verdicts[HARD].is_open());
    }
}
