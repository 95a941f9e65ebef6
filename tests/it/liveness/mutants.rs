//! Changed lassos and certificates: wrong ones are not accepted.

use std::sync::Arc;

use redoubt_base::{Interrupt, Limits, Random};
use redoubt_checker::{Judgement, liveness::confirm};
use redoubt_circuit::aiger::{self, Model};
use redoubt_circuit::liveness::{Lasso, Loops};
use redoubt_circuit::{Circuit, Reset, Signal};
use redoubt_clauses::sat::Backend;
use redoubt_driver::hardware::liveness::{self, Answer, Evidence};
use redoubt_engine::engine::Engine;
use redoubt_engine::engine::recurrence::{self, Found, Recurrence};
use redoubt_simplify::Simplified;

use super::{oracle, random_model};
use crate::common::aiger::File;
use crate::common::seeds::seeds;

/// Changes a little thing.
fn mutate_lasso(random: &mut Random, lasso: &mut Lasso) {
    let flip = |random: &mut Random, values: &mut Vec<bool>| {
        if !values.is_empty() {
            let place = random.below(values.len());
            values[place] = !values[place];
        }
    };
    let place = random.below(lasso.inputs.len());
    match random.below(5) {
        0 => flip(random, &mut lasso.initial),
        1 => lasso.start = random.below(lasso.inputs.len() + 1),
        2 => _ = lasso.inputs.remove(place),
        3 => lasso.inputs.insert(place, lasso.inputs[place].clone()),
        _ => flip(random, &mut lasso.inputs[place]),
    }
}

#[test]
fn lassos_are_accepted_only_if_they_are_runs() {
    let (mut accepted, mut refused) = (0, 0);
    for seed in seeds(150) {
        let text = random_model(seed, 4);
        println!("seed {seed}\n{text}");
        let (file, model) = (File::read_any(text.as_bytes()), aiger::read(text.as_bytes()).expect("well-formed"));
        let mut random = Random::new(seed);
        let report = liveness::check(&model, &super::options(Engine::Portfolio), |_| {});
        for finding in &report.findings {
            let Answer::Reachable { run } = &finding.answer else { continue };
            let property = finding.property.index();
            for _ in 0..5 {
                let mut lasso = run.clone();
                mutate_lasso(&mut random, &mut lasso);
                if !lasso.recurs(&model.circuit, &model.recurring(property)) {
                    refused += 1;
                    continue;
                }
                let (stem, cycle) = lasso.inputs.split_at(lasso.start);
                assert!(oracle::is_run(&file, property, &lasso.initial, stem, cycle), "{lasso:?}");
                accepted += 1;
            }
        }
    }
    println!("{accepted} accepted, {refused} refused");
    assert!(accepted > 20 && refused >= 200);
}

fn signal(random: &mut Random, circuit: &Circuit) -> Signal {
    Signal::from_node(random.below(circuit.gates.nodes().len())).complement_if(random.below(2) == 1)
}

/// Changes how a circuit steps, begins, or what it says.
fn mutate_circuit(random: &mut Random, circuit: &mut Circuit) {
    let (latch, other) = (random.below(circuit.latches.len()), signal(random, circuit));
    match random.below(5) {
        0 => circuit.latches[latch].next = other,
        1 => circuit.latches[latch].reset = random.choose(&[Reset::Zero, Reset::One, Reset::Free]),
        2 if !circuit.constraints.is_empty() => _ = circuit.constraints.pop(),
        3 if circuit.bad.len() > 1 => _ = circuit.bad.remove(random.below(circuit.bad.len())),
        _ if !circuit.bad.is_empty() => {
            let place = random.below(circuit.bad.len());
            circuit.bad[place].signal = match random.below(3) {
                0 => other,
                1 => circuit.gates.and(circuit.bad[place].signal, other),
                _ => circuit.gates.or(circuit.bad[place].signal, other),
            };
        }
        _ => circuit.latches[latch].next = !circuit.latches[latch].next,
    }
}

fn justice(model: &Model) -> Vec<Vec<Signal>> {
    (0..model.justice.len()).map(|property| model.recurring(property)).collect()
}

/// For another model, a certificate is confirmed only if the property holds there, too.
#[test]
fn certificates_are_confirmed_only_where_the_property_holds() {
    let (mut violated, mut confirmed) = (0, 0);
    for seed in seeds(160) {
        let text = random_model(seed, 4);
        println!("seed {seed}\n{text}");
        let model = aiger::read(text.as_bytes()).expect("well-formed");
        let mut random = Random::new(seed);
        for engine in [Engine::Portfolio, Engine::Ic3] {
            let report = liveness::check(&model, &super::options(engine), |_| {});
            for finding in &report.findings {
                let Answer::Unreachable { checked: Some(checked), .. } = &finding.answer else { continue };
                let property = finding.property.index();
                let certificate = checked.certificate.certificate(&model, property);
                for _ in 0..4 {
                    let mut other = model.clone();
                    mutate_circuit(&mut random, &mut other.circuit);
                    if random.below(3) == 0 {
                        let signals = &mut other.justice[property].signals;
                        signals.iter_mut().for_each(|signal| *signal = !*signal);
                    }
                    let mut claimed = certificate.clone().into_owned();
                    // One that steps as the other model does is refused for its layers, not for its shape.
                    for (ours, theirs) in claimed.latches.iter_mut().zip(&other.circuit.latches) {
                        ours.reset = theirs.reset;
                    }
                    let judgement =
                        confirm(&other.circuit, &justice(&other), property, &claimed, &Interrupt::default());
                    let is_violated = is_violated(&other, property);
                    violated += usize::from(is_violated);
                    confirmed += usize::from(judgement == Judgement::Confirmed);
                    assert!(!is_violated || judgement != Judgement::Confirmed, "j{property} of {}", other.circuit);
                }
            }
        }
    }
    println!("{violated} violated, {confirmed} confirmed");
    assert!(violated >= 200 && confirmed >= 20);
}

/// Certificates of all properties that rlive proves. It works alone here: in a portfolio others may be faster.
fn layers(model: &Model) -> Vec<(usize, Circuit)> {
    let (justice, mut found) = (justice(model), Vec::new());
    let loops = Loops::new(&model.circuit, &justice).circuit;
    let mut report = |property, answer| {
        if let Found::Recurrence(Recurrence::Impossible(layers)) = answer {
            let simplified = Arc::new(Simplified::untouched(&model.circuit));
            let evidence = Evidence::Layers { simplified, layers };
            found.push((property, evidence.certificate(model, property).into_owned()));
        }
        true
    };
    let (backend, limits) = (Backend::Cone, Limits::default());
    recurrence::in_turns(&model.circuit, &justice, &loops, backend, &limits, &|_| false, &mut report);
    found
}

/// Where a changed certificate is confirmed, it is one.
#[test]
fn layers_are_confirmed_only_if_they_are_layers() {
    let (mut confirmed, mut refuted) = (0, 0);
    for seed in seeds(150) {
        let text = random_model(seed, 3);
        println!("seed {seed}\n{text}");
        let (file, model) = (File::read_any(text.as_bytes()), aiger::read(text.as_bytes()).expect("well-formed"));
        let mut random = Random::new(seed);
        for (property, certificate) in layers(&model) {
            for _ in 0..5 {
                let mut changed = certificate.clone();
                mutate_circuit(&mut random, &mut changed);
                let judgement = confirm(&model.circuit, &justice(&model), property, &changed, &Interrupt::default());
                if judgement != Judgement::Confirmed {
                    refuted += 1;
                    continue;
                }
                confirmed += 1;
                let mut written = Vec::new();
                aiger::write(&mut written, &changed, aiger::Format::Ascii, "").expect("a vector takes all");
                assert_eq!(oracle::flaw_of_layers(&file, property, &File::read_any(&written)), None, "{changed}");
            }
        }
    }
    println!("{confirmed} confirmed, {refuted} refuted");
    assert!(confirmed >= 20 && refuted >= 200);
}

/// The oracle's answer about a model that was put together.
fn is_violated(model: &Model, property: usize) -> bool {
    let mut circuit = model.circuit.clone();
    let signals = model.recurring(property);
    circuit.bad = signals.iter().map(|&signal| redoubt_circuit::Bad { signal, name: String::new() }).collect();
    let mut written = Vec::new();
    aiger::write(&mut written, &circuit, aiger::Format::Ascii, "").expect("a vector takes all");
    let text = super::with_justice(&String::from_utf8(written).expect("text"), &[signals.len()]);
    oracle::is_violated(&File::read_any(text.as_bytes()), 0)
}
