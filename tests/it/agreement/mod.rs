//! On random circuits every engine agrees with explicit search, every trace replays, and every invariant
//! passes three SAT checks. A failure names the seed of its circuit.

mod automata;
mod explicit;
mod hardware;
mod invariants;
pub mod random;
mod turns;

use redoubt_base::Limits;
use redoubt_circuit::{Circuit, Signal};
use redoubt_clauses::sat::Backend;
use redoubt_engine::engine::{Engine, Outcome, Proof, Verdict};

use crate::common::seeds::seeds;
use crate::common::{invariant, systems};

fn check(engine: Engine, circuit: &Circuit, backend: Backend, limits: &Limits) -> Outcome {
    let mut reported = vec![Verdict::Open; circuit.bad.len()];
    let outcome = engine.check(circuit, backend, limits, &mut |decision| {
        assert!(reported[decision.property].is_open(), "reported twice");
        reported[decision.property] = decision.verdict.clone();
    });
    assert_eq!(reported, outcome.verdicts, "what was reported is the result");
    outcome
}

fn check_verdict(circuit: &Circuit, property: usize, verdict: &Verdict, truth: Option<usize>) {
    match verdict {
        Verdict::Open => {}
        Verdict::Reachable(trace) => {
            assert!(truth.is_some(), "reachable, but it is not");
            assert!(explicit::replays(circuit, property, trace), "does not replay: {trace:?}");
        }
        Verdict::Unreachable(proof) => {
            assert_eq!(truth, None, "unreachable, but it is not");
            match proof {
                Proof::Invariant(invariant) => assert_eq!(invariant::flaw(circuit, property, invariant), None),
                Proof::Set(set) => assert_eq!(invariant::flaw_of_set(circuit, property, set), None),
                _ => {}
            }
        }
    }
}

/// Runs one engine on many circuits; `complete` says whether a verdict is due.
fn agrees(
    engine: Engine,
    backend: Backend,
    seeds: std::ops::Range<u64>,
    most_latches: usize,
    limits: &Limits,
    complete: impl Fn(Option<usize>) -> bool,
) {
    for seed in seeds {
        let circuit = random::circuit(&mut random::Random::new(seed), most_latches);
        let context = Context(format!("{engine:?}, {backend:?}, seed {seed}, {circuit:?}"));
        let outcome = check(engine, &circuit, backend, limits);
        for (property, truth) in explicit::shortest(&circuit).into_iter().enumerate() {
            let verdict = &outcome.verdicts[property];
            check_verdict(&circuit, property, verdict, truth);
            assert!(
                !complete(truth) || !verdict.is_open(),
                "property {property} with shortest trace {truth:?} is open"
            );
        }
        drop(context);
    }
}

/// Names the current work if a check inside an engine panics, too.
struct Context(String);

impl Drop for Context {
    fn drop(&mut self) {
        if std::thread::panicking() {
            eprintln!("in {}", self.0);
        }
    }
}

#[test]
fn ic3_decides_small_circuits() {
    let limits = Limits::default();
    agrees(Engine::Ic3, Backend::Cadical, 0..900, 6, &limits, |_| true);
}

#[test]
fn ic3_decides_larger_circuits() {
    let limits = Limits::default();
    agrees(Engine::Ic3, Backend::Cadical, 10_000..10_200, 12, &limits, |_| true);
}

#[test]
fn ic3_decides_with_batsat() {
    let limits = Limits::default();
    agrees(Engine::Ic3, Backend::Batsat, 20_000..20_500, 8, &limits, |_| true);
}

#[test]
fn ic3_decides_with_cone() {
    let limits = Limits::default();
    agrees(Engine::Ic3, Backend::Cone, 70_000..70_900, 8, &limits, |_| true);
    agrees(Engine::Ic3, Backend::Cone, 80_000..80_300, 12, &limits, |_| true);
}

#[test]
fn bmc_finds_short_traces() {
    const DEPTH: usize = 12;
    for (backend, seeds) in [(Backend::Cadical, 30_000..30_300), (Backend::Batsat, 30_300..30_400)] {
        let due = |truth: Option<usize>| truth.is_some_and(|depth| depth <= DEPTH);
        agrees(Engine::Bmc, backend, seeds, 10, &Limits::depth(DEPTH), due);
    }
}

#[test]
fn kinduction_decides_what_short_histories_imply() {
    const DEPTH: usize = 10;
    for (backend, seeds) in [(Backend::Cadical, 40_000..40_300), (Backend::Batsat, 40_300..40_400)] {
        let due = |truth: Option<usize>| truth.is_some_and(|depth| depth <= DEPTH);
        agrees(Engine::KInduction, backend, seeds, 10, &Limits::depth(DEPTH), due);
    }
    // A path without repetition in two bits has at most three steps.
    agrees(Engine::KInduction, Backend::Cadical, 50_000..50_100, 2, &Limits::depth(4), |_| true);
}

/// All engines on the same circuits, so that each checks the others too, and the truth is found out once.
#[test]
fn all_engines_agree_on_the_same_circuits() {
    const DEPTH: usize = 8;
    let mut counted = 0;
    for seed in seeds(1000) {
        // Most are as small as circuits with several properties, constraints and free latches can be.
        let most_latches = if seed % 10 == 0 { 9 } else { 5 };
        let circuit = random::circuit(&mut random::Random::new(90_000 + seed), most_latches);
        let (truth, reached) = explicit::explored(&circuit);
        for engine in Engine::ALL.into_iter().chain([Engine::Portfolio]) {
            let context = Context(format!("{engine:?}, seed {seed}, {circuit:?}"));
            let is_complete = !matches!(engine, Engine::Bmc | Engine::KInduction);
            let limits = if is_complete { Limits::default() } else { Limits::depth(DEPTH) };
            let outcome = check(engine, &circuit, engine.backend(), &limits);
            for (property, &truth) in truth.iter().enumerate() {
                let verdict = &outcome.verdicts[property];
                check_verdict(&circuit, property, verdict, truth);
                let is_due = is_complete || truth.is_some_and(|depth| depth <= DEPTH);
                assert!(!is_due || !verdict.is_open(), "property {property} with shortest trace {truth:?} is open");
            }
            if let (Engine::Bdd, Some(states)) = (engine, outcome.statistics.states) {
                assert_eq!(states, count_of(&circuit, &reached), "reachable states");
                counted += 1;
            }
            drop(context);
        }
    }
    assert!(counted > 300, "states were counted {counted} times");
}

/// The number of these states that differ in latches that a property depends on.
fn count_of(circuit: &Circuit, reached: &[bool]) -> u128 {
    let signals: Vec<Signal> = circuit.bad.iter().map(|bad| bad.signal).collect();
    let matters = redoubt_circuit::liveness::watched(circuit, &signals);
    let mask = matters.iter().enumerate().fold(0, |mask, (latch, &matters)| mask | usize::from(matters) << latch);
    let states = (0..reached.len()).filter(|&state| reached[state]).map(|state| state & mask);
    states.collect::<std::collections::HashSet<usize>>().len() as u128
}

#[test]
fn runs_are_reproducible() {
    for seed in 60_000..60_030 {
        let circuit = random::circuit(&mut random::Random::new(seed), 10);
        let [a, b] = [(); 2].map(|()| {
            let outcome = check(Engine::Ic3, &circuit, Backend::Cadical, &Limits::default());
            let counts = outcome.statistics.clone();
            let counts = (counts.lemmas, counts.obligations, counts.solves, counts.depth);
            (outcome.verdicts, counts)
        });
        assert_eq!(a, b, "seed {seed}");
    }
}

#[test]
fn the_classic_systems_are_decided() {
    for system in &systems::SYSTEMS {
        let circuit = system.circuit();
        let truth = explicit::shortest(&circuit)[0];
        assert_eq!(truth.is_some(), system.violated, "{}", system.name);
        for (engine, backend) in [
            (Engine::Ic3, Backend::Cadical),
            (Engine::Ic3, Backend::Batsat),
            (Engine::Ic3, Backend::Cone),
            (Engine::KInduction, Backend::Cadical),
            (Engine::Itp, Backend::Cadical),
            (Engine::ItpSequence, Backend::Cadical),
            (Engine::Avy, Backend::Cone),
            (Engine::Localize, Backend::Cone),
            (Engine::Bdd, Backend::Cadical),
        ] {
            let outcome = check(engine, &circuit, backend, &Limits::default());
            assert!(!outcome.verdicts[0].is_open(), "{}", system.name);
            check_verdict(&circuit, 0, &outcome.verdicts[0], truth);
        }
    }
}

/// The same with the relation as a constraint: the first two have a successor everywhere.
#[test]
fn the_classic_systems_are_decided_under_constraints() {
    for system in &systems::SYSTEMS {
        let mut circuit = system.circuit();
        circuit.constraints.push(!circuit.stop);
        circuit.stop = Signal::FALSE;
        let outcome = check(Engine::Ic3, &circuit, Backend::Cadical, &Limits::default());
        let truth = explicit::shortest(&circuit)[0];
        assert_eq!(truth.is_some(), system.violated, "{}", system.name);
        assert!(!outcome.verdicts[0].is_open(), "{}", system.name);
        check_verdict(&circuit, 0, &outcome.verdicts[0], truth);
    }
}
