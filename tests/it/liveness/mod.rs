//! Justice properties of circuits: random models against a search for fair cycles, lassos and certificates that are not quite
//! right, and the command as its users meet it.
//!
//! Everything is compared with what the text of a model says (`oracle`), read by a reader of the tests' own.

mod commands;
mod mutants;
mod oracle;

use redoubt_base::Limits;
use redoubt_circuit::aiger::{self, Format, Model};
use redoubt_circuit::{Bad, Signal};
use redoubt_driver::hardware::liveness::{self, Answer, Finding};
use redoubt_driver::hardware::{ModelOptions, witness};
use redoubt_engine::engine::Engine;
use redoubt_simplify::Passes;

use crate::agreement::random::{self, Random};
use crate::common::aiger::File;
use crate::common::seeds::seeds;

/// A model with justice properties and perhaps fairness, in ASCII: small, with constraints and free latches.
fn random_model(seed: u64, most_latches: usize) -> String {
    let mut random = Random::new(seed);
    let mut circuit = random::circuit(&mut random, most_latches);
    circuit.stop = Signal::FALSE;
    let leaves =
        circuit.latches.iter().map(|latch| latch.signal).chain(circuit.inputs.iter().map(|input| input.signal));
    let pool: Vec<Signal> = circuit.bad.iter().map(|bad| bad.signal).chain(leaves).collect();
    let mut some = |most: usize| -> Vec<Signal> {
        let pick = |random: &mut Random| pool[random.below(pool.len())].complement_if(random.below(2) == 1);
        (0..random.below(most + 1)).map(|_| pick(&mut random)).collect()
    };
    let fairness = some(2);
    let justice: Vec<Vec<Signal>> = (0..1 + seed % 3).map(|_| some(3)).collect();
    let signals = justice.concat().into_iter().chain(fairness.iter().copied());
    circuit.bad = signals.map(|signal| Bad { signal, name: String::new() }).collect();
    let mut written = Vec::new();
    aiger::write(&mut written, &circuit, Format::Ascii, "").expect("a vector takes all");
    with_justice(&String::from_utf8(written).expect("text"), &justice.iter().map(Vec::len).collect::<Vec<_>>())
}

/// A file whose bad states are turned into justice properties of these sizes, and the others into fairness.
fn with_justice(text: &str, sizes: &[usize]) -> String {
    let mut lines = text.lines();
    let header = lines.next().expect("a header");
    let counts: Vec<usize> = header.split(' ').skip(1).map(|word| word.parse().expect("a number")).collect();
    let [most, inputs, latches, outputs, gates, ref rest @ ..] = counts[..] else { panic!("five counts") };
    let [bad, constraints] = [0, 1].map(|index| rest.get(index).copied().unwrap_or(0));
    let fairness = bad - sizes.iter().sum::<usize>();
    let justice = sizes.len();
    let mut result =
        vec![format!("aag {most} {inputs} {latches} {outputs} {gates} 0 {constraints} {justice} {fairness}")];
    let mut take = |number: usize| lines.by_ref().take(number).map(str::to_owned).collect::<Vec<_>>();
    result.extend(take(inputs + latches + outputs));
    let signals = take(bad);
    result.extend(take(constraints));
    result.extend(sizes.iter().map(usize::to_string));
    result.extend(signals);
    result.extend(take(gates));
    result.join("\n") + "\n"
}

fn options(engine: Engine) -> ModelOptions {
    ModelOptions { engine, ..ModelOptions::default() }
}

/// A lasso is one that other tools take, and a proof is confirmed; the result is whether it is violated, if it is known.
fn checked(file: &File, model: &Model, finding: &Finding) -> Option<bool> {
    let property = finding.property.index();
    match &finding.answer {
        Answer::Unknown(_) => None,
        Answer::Withdrawn { reason, .. } => panic!("j{property} is withdrawn: {reason}"),
        Answer::Reachable { run } => {
            let mut text = Vec::new();
            witness::write_lasso(&mut text, model, property, run).expect("a vector takes all");
            let text = String::from_utf8(text).expect("text");
            assert_eq!(oracle::flaw_of_lasso(file, &text), None, "{text}");
            Some(true)
        }
        Answer::Unreachable { .. } => {
            assert!(finding.is_confirmed(), "j{property}: {:?}", finding.answer);
            Some(false)
        }
    }
}

/// All engines that decide everything agree with a search for fair cycles.
#[test]
fn verdicts_are_those_of_a_search_for_fair_cycles() {
    let (mut violated, mut hold) = (0, 0);
    for seed in seeds(250) {
        let text = random_model(seed, 5);
        println!("seed {seed}\n{text}");
        let (file, model) = (File::read_any(text.as_bytes()), aiger::read(text.as_bytes()).expect("well-formed"));
        let truth: Vec<bool> = (0..file.justice.len()).map(|property| oracle::is_violated(&file, property)).collect();
        for engine in [Engine::Portfolio, Engine::Ic3] {
            let passes = if seed.is_multiple_of(4) { Passes::NONE } else { Passes::ALL };
            let report = liveness::check(&model, &ModelOptions { passes, ..options(engine) }, |_| {});
            let found: Vec<Option<bool>> =
                report.findings.iter().map(|finding| checked(&file, &model, finding)).collect();
            let expected: Vec<Option<bool>> = truth.iter().copied().map(Some).collect();
            assert_eq!(found, expected, "{engine:?}");
        }
        violated += truth.iter().filter(|&&violated| violated).count();
        hold += truth.iter().filter(|&&violated| !violated).count();
    }
    println!("{violated} violated, {hold} hold");
    assert!(violated >= 50 && hold >= 50);
}

/// Bounded model checking finds short lassos and proves nothing; k-induction proves without certificates.
#[test]
fn engines_that_work_alone_say_nothing_wrong() {
    let mut decided = [0; 2];
    for seed in seeds(100) {
        let text = random_model(seed, 3);
        println!("seed {seed}\n{text}");
        let (file, model) = (File::read_any(text.as_bytes()), aiger::read(text.as_bytes()).expect("well-formed"));
        for (place, engine) in [Engine::Bmc, Engine::KInduction].into_iter().enumerate() {
            let limits = Limits::depth(8);
            let report = liveness::check(&model, &ModelOptions { limits, ..options(engine) }, |_| {});
            for finding in &report.findings {
                let violated = match &finding.answer {
                    Answer::Unreachable { .. } => Some(false),
                    _ => checked(&file, &model, finding),
                };
                let Some(violated) = violated else { continue };
                assert_eq!(violated, oracle::is_violated(&file, finding.property.index()));
                assert!(violated || engine == Engine::KInduction);
                decided[place] += 1;
            }
        }
    }
    println!("{decided:?} decided");
    assert!(decided[0] > 20 && decided[1] > decided[0]);
}

/// Real models, where they are; only the smallest, which take a moment.
#[test]
fn known_models_get_their_known_answers() {
    let folder = crate::common::in_project("../shared/bench/live");
    let Ok(answers) = std::fs::read_to_string(folder.join("expected.csv")) else { return };
    for line in answers.lines().skip(1) {
        let [name, property, expected] = line.split(',').collect::<Vec<_>>()[..] else { panic!("{line}") };
        let bytes = std::fs::read(folder.join(name)).expect("it is there");
        let (file, model) = (File::read_any(&bytes), aiger::read(&bytes).expect("well-formed"));
        if file.latches.len() > 15 {
            continue;
        }
        let report = liveness::check(&model, &options(Engine::Portfolio), |_| {});
        assert_eq!((report.findings.len(), property), (1, "j0"));
        assert_eq!(checked(&file, &model, &report.findings[0]), Some(expected == "violated"), "{name}");
    }
}
