//! The same for AIGER models, the whole way: a file is read, simplified and decided; every trace is replayed from the
//! witness file and every proof checked from the witness circuit, by readers that share no code with ours.

use redoubt_base::{Interrupt, Limits};
use redoubt_checker::Judgement;
use redoubt_checker::circuit::confirm;
use redoubt_circuit::aiger::{self, Format, Model};
use redoubt_circuit::{Circuit, Reset, Signal};
use redoubt_driver::hardware::{Answer, ModelOptions, Report, certificate, check, witness};
use redoubt_engine::engine::{Engine, Proof};
use redoubt_simplify::{Passes, Simplified};

use super::random::Random;
use super::{Context, explicit, random};
use crate::common::aiger::File;
use crate::common::five_checks;
use crate::common::seeds::seeds;

fn written(circuit: &Circuit, format: Format) -> Vec<u8> {
    let mut bytes = Vec::new();
    aiger::write(&mut bytes, circuit, format, "").expect("a vector takes all");
    bytes
}

/// Replays every trace and checks the proofs.
fn check_report(bytes: &[u8], model: &Model, report: &Report) {
    let file = File::read_any(bytes);
    for finding in &report.findings {
        if let Answer::Reachable { run: trace } = &finding.answer {
            let mut text = Vec::new();
            witness::write(&mut text, finding.property.index(), trace).expect("a vector takes all");
            let text = String::from_utf8(text).expect("text");
            assert_eq!(file.flaw_of_witness(&text), None, "{text}");
        }
    }
    if let (proved, Some(circuit)) = report.witness(model)
        && !proved.is_empty()
    {
        assert_eq!(five_checks::failing(bytes, &written(&circuit, Format::Binary), &proved), None);
    }
}

fn agrees(seed: u64, most_latches: usize, options: &ModelOptions) {
    let mut circuit = random::circuit(&mut Random::new(seed), most_latches);
    if circuit.stop != Signal::FALSE {
        circuit = circuit.stuttering();
    }
    let context = Context(format!("seed {seed}, {options:?}, {circuit}"));
    let truth = explicit::shortest(&circuit);
    let format = if seed.is_multiple_of(2) { Format::Ascii } else { Format::Binary };
    let bytes = written(&circuit, format);
    let model = aiger::read(&bytes).expect("well-formed");
    let report = check(&model, options, |_| {});
    for (finding, truth) in report.findings.iter().zip(truth) {
        match &finding.answer {
            Answer::Reachable { .. } => assert!(truth.is_some(), "reachable, but it is not"),
            Answer::Unreachable { .. } => assert_eq!(truth, None, "unreachable, but it is not"),
            other => panic!("{other:?}"),
        }
    }
    check_report(&bytes, &model, &report);
    drop(context);
}

#[test]
fn models_are_decided_with_every_pass() {
    for seed in seeds(1000) {
        agrees(seed, 4 + seed as usize % 5, &ModelOptions::default());
    }
}

#[test]
fn models_are_decided_with_some_passes() {
    let none = Passes::NONE;
    let passes = [none, Passes { constants: true, ..none }, Passes { equivalence: true, ..none }];
    for seed in 100_000..100_240 {
        agrees(seed, 10, &ModelOptions { passes: passes[seed as usize % 3], ..ModelOptions::default() });
    }
}

/// Two threads race on one circuit: every verdict is right, whichever thread it is from, and its proof is about the
/// circuit that it names.
#[test]
fn models_are_decided_by_several_threads() {
    for seed in 140_000..140_300 {
        agrees(
            seed,
            4 + seed as usize % 9,
            &ModelOptions { threads: 2 + seed as usize % 4, ..ModelOptions::default() },
        );
    }
}

/// Invariants that are no clauses, or about a part of the latches, become witness circuits as well, also when passes came before.
#[test]
fn models_are_decided_by_interpolation_and_on_parts() {
    let engines = [Engine::Itp, Engine::ItpSequence, Engine::Avy, Engine::Localize];
    for seed in 120_000..120_200 {
        agrees(seed, 6, &ModelOptions { engine: engines[seed as usize % 4], ..ModelOptions::default() });
    }
}

/// Proofs by k-induction have latches that remember; only those that count on different states have no witness circuit.
#[test]
fn models_are_decided_by_k_induction() {
    let [mut confirmed, mut with_history] = [0; 2];
    for seed in 130_000..130_300 {
        let mut circuit = random::circuit(&mut Random::new(seed), 6);
        circuit.stop = Signal::FALSE;
        let context = Context(format!("seed {seed}, {circuit}"));
        let truth = explicit::shortest(&circuit);
        let bytes = written(&circuit, Format::Binary);
        let model = aiger::read(&bytes).expect("well-formed");
        // A sweep would leave little to prove.
        let passes = Passes { equivalence: seed.is_multiple_of(4), ..Passes::ALL };
        let options =
            ModelOptions { engine: Engine::KInduction, limits: Limits::depth(8), passes, ..ModelOptions::default() };
        let report = check(&model, &options, |_| {});
        for (finding, truth) in report.findings.iter().zip(truth) {
            match &finding.answer {
                Answer::Reachable { .. } => assert!(truth.is_some(), "reachable, but it is not"),
                Answer::Unreachable { proof: Proof::KInduction { k, distinct }, .. } => {
                    assert_eq!(truth, None, "unreachable, but it is not");
                    assert_eq!(finding.is_confirmed(), !distinct);
                    confirmed += usize::from(!distinct);
                    with_history += usize::from(!distinct && *k > 1);
                }
                Answer::Unknown(_) => {}
                other => panic!("{other:?}"),
            }
        }
        check_report(&bytes, &model, &report);
        drop(context);
    }
    println!("{confirmed} proofs, {with_history} with a history");
    assert!(confirmed > 100 && with_history > 20);
}

/// Claims that may be wrong, in witness circuits that remember, of which a latch may do something else: confirmed
/// claims are true.
#[test]
fn wrong_histories_are_refused() {
    let [mut confirmed, mut refused] = [0; 2];
    for seed in 0..600 {
        let random = &mut Random::new(seed);
        let mut circuit = random::circuit(random, 5);
        circuit.stop = Signal::FALSE;
        let excluded: Vec<usize> = (0..circuit.bad.len()).filter(|_| random.below(2) == 0).collect();
        let mut builder = certificate::Builder::new(&circuit, &excluded);
        builder.add_history(&Simplified::untouched(&circuit), 1 + random.below(4), &excluded);
        let mut witness = builder.finish();
        let remembering = circuit.latches.len()..witness.latches.len();
        if !remembering.is_empty() && random.below(2) == 0 {
            let changed = remembering.start + random.below(remembering.len());
            let other = witness.latches[random.below(witness.latches.len())].signal;
            match random.below(3) {
                0 => witness.latches[changed].reset = Reset::One,
                1 => witness.latches[changed].next = Signal::TRUE,
                _ => witness.latches[changed].next = other.complement_if(random.below(2) == 0),
            }
        }
        let judgement = confirm(&circuit, &witness, &excluded, &Interrupt::default());
        let truth = explicit::shortest(&circuit);
        let is_true = excluded.iter().all(|&property| truth[property].is_none());
        let fails = five_checks_of(&circuit, &witness, &excluded);
        assert_eq!(judgement == Judgement::Confirmed, fails.is_none(), "seed {seed}: {judgement:?}, {fails:?}");
        assert!(is_true || judgement != Judgement::Confirmed, "seed {seed}: {circuit}");
        let counts = if judgement == Judgement::Confirmed { &mut confirmed } else { &mut refused };
        *counts += 1;
    }
    println!("{confirmed} confirmed, {refused} refused");
    assert!(confirmed > 100 && refused > 100);
}

/// Which of the five checks fails, with the symbols that files have.
fn five_checks_of(circuit: &Circuit, witness: &Circuit, properties: &[usize]) -> Option<&'static str> {
    let bytes = written(circuit, Format::Binary);
    let model = aiger::read(&bytes).expect("well-formed");
    let named = certificate::named(witness.clone(), &model);
    five_checks::failing(&bytes, &written(&named, Format::Binary), properties)
}

/// A file with a few other bytes.
fn mutated(mut file: Vec<u8>, random: &mut Random) -> Vec<u8> {
    const LIKELY: &[u8] = b"0123456789 \n";
    for _ in 0..1 + random.below(3) {
        let at = random.below(file.len());
        match random.below(4) {
            0 => file[at] = random.below(256) as u8,
            1 => drop(file.remove(at)),
            2 => file.insert(at, LIKELY[random.below(LIKELY.len())]),
            _ => file[at] = LIKELY[random.below(LIKELY.len())],
        }
    }
    file
}

/// Whatever the reader accepts can be decided, and the verdicts are right.
#[test]
fn mutated_models_are_decided() {
    const DEPTH: usize = 3;
    let (mut accepted, mut compared) = (0, 0);
    for seed in 0..1000 {
        let random = &mut Random::new(seed);
        let mut circuit = random::circuit(random, 4);
        circuit.stop = Signal::FALSE;
        let format = if seed.is_multiple_of(2) { Format::Ascii } else { Format::Binary };
        let Ok(model) = aiger::read(&mutated(written(&circuit, format), random)) else { continue };
        if model.circuit.gates.nodes().len() >= 200 {
            continue;
        }
        let context = Context(format!("seed {seed}, {}", model.circuit));
        accepted += 1;
        let limits = Limits::depth(DEPTH);
        let report = check(&model, &ModelOptions { limits, ..ModelOptions::default() }, |_| {});
        if model.circuit.inputs.len() <= 4 && model.circuit.latches.len() <= 6 {
            for (property, truth) in explicit::shortest(&model.circuit).into_iter().enumerate() {
                match &report.findings[property].answer {
                    Answer::Reachable { .. } => assert!(truth.is_some(), "reachable, but it is not"),
                    Answer::Unreachable { .. } => assert_eq!(truth, None, "unreachable, but it is not"),
                    Answer::Unknown(_) => assert!(truth.is_none_or(|steps| steps > DEPTH), "open, but it is near"),
                    Answer::Withdrawn { .. } => panic!("no such run"),
                }
                compared += 1;
            }
        }
        drop(context);
    }
    assert!(accepted > 50 && compared > 100, "{accepted} models, {compared} properties");
}

/// The checker of witness circuits finds the mistake in a wrong one.
#[test]
fn wrong_witness_circuits_fail() {
    let text = b"aag 3 1 1 0 1 2\n2\n4 6\n4\n2\n6 4 2\n";
    let model = aiger::read(text).expect("well-formed");
    let report = check(&model, &ModelOptions::default(), |_| {});
    let (proved, witness) = report.witness(&model);
    assert_eq!(proved, [0], "the latch stays false, the input does not");
    let good = witness.expect("an invariant");
    let failing = |circuit: &Circuit, properties: &[usize]| {
        five_checks::failing(text, &written(circuit, Format::Ascii), properties)
    };
    assert_eq!(failing(&good, &[0]), None);
    assert_eq!(failing(&good, &[1]), Some("property"));
    let (input, latch) = (good.inputs[0].signal, good.latches[0].signal);
    let broken = |change: &dyn Fn(&mut Circuit)| {
        let mut circuit = good.clone();
        change(&mut circuit);
        failing(&circuit, &[0])
    };
    assert_eq!(broken(&|circuit| circuit.latches[0].reset = Reset::One), Some("reset"));
    assert_eq!(broken(&|circuit| circuit.constraints.push(!input)), Some("reset"));
    assert_eq!(broken(&|circuit| circuit.latches[0].next = input), Some("transition"));
    assert_eq!(broken(&|circuit| circuit.bad[0].signal = circuit.gates.or(latch, input)), Some("base"));
    assert_eq!(broken(&|circuit| circuit.bad[0].signal = Signal::FALSE), Some("property"));
}
