//! BTOR2 models as users meet them, and random ones against an explicit search of their words.

use std::collections::HashSet;
use std::process::Output;

use redoubt_base::Limits;
use redoubt_circuit::random::Random;
use redoubt_driver::hardware::reduced::{self, Round};
use redoubt_driver::hardware::words::{OnWords, Words, circuit, reduced as reduced_circuit};
use redoubt_driver::hardware::{self, Answer, News, liveness};
use redoubt_driver::ledger::{SecondOpinion, Terms};
use redoubt_engine::engine::Engine;
use redoubt_program::program::PropertyId;
use redoubt_simplify::Passes;
use redoubt_witness::compiled::Opinion;
use redoubt_words::random::{Shape, model};
use redoubt_words::simulate::Simulator;
use redoubt_words::{Bits, Flaw, Model, Sort, Stimulus, Value, read};
use serde_json::Value as Json;

use crate::common::command::{name, redoubt_in, run_reading, stderr, stdout};
use crate::common::scratch::Scratch;

/// A counter in memory: `go` adds one to the cell of an index that is chosen at the start.
const MODEL: &str = include_str!("../models/memory.btor2");

fn redoubt(arguments: &[&str], input: &[u8]) -> Output {
    run_reading(&mut redoubt_in("", arguments), input)
}

/// The model without its constraint.
fn open() -> String {
    MODEL.replace("19 constraint -16 ; no longer than that\n", "")
}

#[test]
fn every_property_gets_its_line() {
    let output = redoubt(&["check", "-", "--format", "csv"], MODEL.as_bytes());
    assert_eq!(output.status.code(), Some(0), "{}", stderr(&output));
    let mut lines: Vec<String> = stdout(&output).lines().map(Into::into).collect();
    lines.sort();
    let none = |property: &str| format!("standard input,{property}");
    assert_eq!(lines, [none("b0,false"), none("b1,false"), none("b2,false"), none("j0,true")]);
    let output = redoubt(&["check", "-", "--hwmcc"], open().as_bytes());
    assert_eq!((output.status.code(), &*stdout(&output)), (Some(10), "sat\n"));
}

#[test]
fn witnesses_are_replayed_on_the_words() {
    let scratch = Scratch::new();
    let file = scratch.write("model.btor2", &open());
    let (file, folder) = (file.to_string_lossy(), file.with_file_name("out"));
    let output = redoubt(&["check", &file, "--witness-dir", &folder.to_string_lossy()], b"");
    assert_eq!(output.status.code(), Some(10), "{}", stderr(&output));
    let path = |name: &str| folder.join(name).to_string_lossy().into_owned();
    let output = redoubt(&["replay", &file, &path("model.b0.wit")], b"");
    assert_eq!((output.status.code(), &*stdout(&output)), (Some(10), "b0                    reached after 5 steps\n"));
    let output = redoubt(&["replay", &file, &path("model.j0.wit")], b"");
    assert_eq!(output.status.code(), Some(10), "{}", stdout(&output));
    let output = redoubt(&["certify", &file, &path("model.certificate.aig")], b"");
    assert!(stdout(&output).contains("b1                    unreachable"), "{}", stdout(&output));
    // A step less, and a value that the model does not give.
    let witness = std::fs::read_to_string(path("model.b0.wit")).expect("a witness");
    let short = &witness[..witness.find("@4").expect("five steps")];
    let steps = &witness[witness.find("@0\n").expect("a step")..];
    for (text, reason) in [
        (format!("{short}.\n"), "the bad state is not there after the last step"),
        (format!("sat\nb0\n#0\n0 000\n2 111\n{steps}"), "state 2 has another value in step 0"),
    ] {
        let changed = scratch.write("changed.wit", &text);
        let output = redoubt(&["replay", &file, &changed.to_string_lossy()], b"");
        assert_eq!(output.status.code(), Some(20), "{text}");
        assert!(stdout(&output).contains(reason), "{text}{}", stdout(&output));
    }
}

#[test]
fn a_summary_tells_words_from_bits() {
    let output = redoubt(&["show", "-"], MODEL.as_bytes());
    let text = stdout(&output);
    assert_eq!(output.status.code(), Some(0));
    assert!(text.contains("states      3; 1 start with any value, 0 have any value in every step\n"), "{text}");
    assert!(text.contains("  1       an array of 3-bit words with 3-bit indices  memory\n"), "{text}");
    assert!(text.contains("  b0       four\n"), "{text}");
}

#[test]
fn malformed_models_end_with_3() {
    let scratch = Scratch::new();
    for (text, message) in [
        ("1 sort bitvec\n", ":1:14"),
        ("1 sort bitvec 1\n2 add 1 7 7\n", ":2:9"),
        ("", "expected a line"),
        (
            // Arrays that are compared as a whole take all their cells.
            "1 sort bitvec 60\n2 sort array 1 1\n3 state 2\n4 state 2\n5 sort bitvec 1\n6 eq 5 3 4\n7 bad 6\n",
            "more than",
        ),
    ] {
        let file = scratch.write("bad.btor", text);
        let output = redoubt(&["check", &file.to_string_lossy()], b"");
        assert_eq!(output.status.code(), Some(3), "{text}");
        assert!(stderr(&output).contains("error") && stderr(&output).contains(message), "{}", stderr(&output));
    }
}

/// A memory of 2^40 cells that keeps its contents: `7` reads at an index the value that `9` wrote there one step
/// before.
const LARGE: &str = "1 sort bitvec 1\n2 sort bitvec 40\n3 sort bitvec 8\n4 sort array 2 3\n5 state 4 memory\n6 input 2 at\n7 read 3 5 6\n\
    8 state 3 written\n9 input 3 value\n10 next 3 8 9\n11 state 2 last\n12 next 2 11 6\n13 write 4 5 6 9\n14 next 4 5 13\n15 state 1 started\n\
    16 zero 1\n17 one 1\n18 init 1 15 16\n19 next 1 15 17\n20 eq 1 6 11\n21 neq 1 7 8\n22 and 1 20 21\n23 and 1 22 15\n24 bad 23 lost\n\
    25 eq 1 7 8\n26 and 1 25 15\n27 neq 1 6 11\n28 and 1 26 27\n29 bad 28 elsewhere\n";

/// A memory too large for any circuit is decided on some cells: the run is one of the words, and the certificate is
/// about a model that is written beside it.
#[test]
fn a_memory_that_fits_into_no_circuit_is_decided() {
    let scratch = Scratch::new();
    let file = scratch.write("large.btor2", LARGE);
    let (file, folder) = (file.to_string_lossy(), file.with_file_name("out"));
    let output = redoubt(&["check", &file, "--witness-dir", &folder.to_string_lossy()], b"");
    assert_eq!(output.status.code(), Some(10), "{}", stderr(&output));
    assert!(stdout(&output).contains("1 reachable, 1 unreachable, 0 unknown, all confirmed"), "{}", stdout(&output));
    let path = |name: &str| folder.join(name).to_string_lossy().into_owned();
    let output = redoubt(&["replay", &file, &path("large.b1.wit")], b"");
    assert_eq!(output.status.code(), Some(10), "{}", stdout(&output));
    let output = redoubt(&["certify", &path("large.b0.smaller.btor2"), &path("large.b0.certificate.aig")], b"");
    assert!(stdout(&output).contains("b0                    unreachable"), "{}{}", stdout(&output), stderr(&output));
}

/// All values of a sort.
fn values(sort: Sort) -> Vec<Value> {
    let words = |width: u32| (0..1 << width).map(move |value| Bits::from_u64(width, value));
    match sort {
        Sort::Bits(width) => words(width).map(Value::Bits).collect(),
        Sort::Array { .. } => unreachable!("the models have no arrays"),
    }
}

/// All choices of a step.
fn steps(model: &Model, number: usize) -> Vec<Stimulus> {
    let mut steps = vec![Stimulus::default()];
    for state in &model.states {
        let is_open = if number == 0 { state.init.is_none() } else { state.next.is_none() };
        let choices = if is_open { values(model.sort(state.node)).into_iter().map(Some).collect() } else { vec![None] };
        steps = product(&steps, &choices, |step, value| step.states.push(value.clone()));
    }
    for input in &model.inputs {
        steps = product(&steps, &values(model.sort(input.node)), |step, value| step.inputs.push(value.clone()));
    }
    steps
}

fn product<V>(steps: &[Stimulus], choices: &[V], add: impl Fn(&mut Stimulus, &V)) -> Vec<Stimulus> {
    let pairs = steps.iter().flat_map(|step| choices.iter().map(move |choice| (step, choice)));
    pairs
        .map(|(step, choice)| {
            let mut step = step.clone();
            add(&mut step, choice);
            step
        })
        .collect()
}

/// By property: whether some run reaches it.
fn reachable(model: &Model) -> Vec<bool> {
    let mut reached = vec![false; model.bad.len()];
    let mut seen = HashSet::new();
    let mut pending = vec![(0, Simulator::new(model))];
    while let Some((number, simulator)) = pending.pop() {
        for step in steps(model, number) {
            let mut after = simulator.clone();
            if matches!(after.take(number, &step), Err(Flaw::Constraint { .. })) {
                continue;
            }
            for (reached, bad) in reached.iter_mut().zip(&model.bad) {
                *reached |= after.value(bad.node).is_true();
            }
            let next: Vec<String> = (0..model.states.len()).map(|state| format!("{:?}", after.next(state))).collect();
            if seen.insert(next) {
                pending.push((1, after));
            }
        }
    }
    reached
}

#[test]
fn random_models_are_decided_as_their_words_say() {
    let mut decided = [0; 2];
    for seed in 0..400 {
        let shape = Shape { widest: 2, inputs: 1, states: 3, operators: 20, arrays: 0 };
        let words = model(&mut Random::new(seed), shape);
        let truth = reachable(&words);
        let (bits, words) = circuit(words).expect("a small one");
        let report = hardware::check(&bits, &hardware::ModelOptions::default(), |_| {});
        for (finding, truth) in report.findings.iter().zip(truth) {
            let on_words = OnWords { words: &words, circuit: &bits };
            match &finding.answer {
                Answer::Reachable { run } => {
                    assert!(truth, "seed {seed}");
                    assert_eq!(opinion(&on_words, finding.property, run), Opinion::Agrees);
                }
                Answer::Unreachable { .. } => assert!(!truth && finding.is_confirmed(), "seed {seed}"),
                other => panic!("seed {seed}: {other:?}"),
            }
            decided[usize::from(truth)] += 1;
        }
    }
    assert!(decided.iter().all(|&number| number > 50), "{decided:?}");
}

/// Followed in some of their cells, or as they are: arrays do the same. Runs are those of the words.
#[test]
fn random_models_with_arrays_are_decided_on_some_of_their_cells() {
    let (mut decided, mut refined) = ([0; 2], 0);
    for seed in 2000..2600 {
        let shape = Shape { widest: 3, inputs: 1, states: 2, operators: 22, arrays: 1 + seed as usize % 2 };
        let words = model(&mut Random::new(seed), shape);
        let words = Model { justice: vec![], fairness: vec![], ..words };
        let (bits, _) = circuit(words.clone()).expect("a small one");
        let (cells, words) = reduced_circuit(words, 0).expect("a small one");
        if words.smaller().is_none() {
            continue;
        }
        let options = hardware::ModelOptions::default();
        let truth = hardware::check(&bits, &options, |_| {});
        let mut rounds = 0;
        let first = Round { circuit: &cells, words: &words };
        let report = reduced::decide(first, &options, &Terms::default(), &mut |round, _| {
            rounds = round.words.watches();
        });
        let report = report.expect("there is no journal");
        refined += rounds;
        agreed(&report, &truth, seed).iter().zip(&mut decided).for_each(|(new, sum)| *sum += new);
    }
    println!("{decided:?}, {refined} cells");
    assert!(decided.iter().all(|&number| number > 50) && refined > 15, "{decided:?} {refined}");
}

/// Verdicts on a smaller model are in the journal, too, and a resumed run takes the same way.
#[test]
fn verdicts_by_way_of_smaller_models_are_resumed() {
    let scratch = Scratch::new();
    let large = open().replace("24 justice 1 5 busy\n", "").replace("2 sort bitvec 3", "2 sort bitvec 5");
    let model = name(&scratch.write("cells.btor2", &large));
    let journal = name(&scratch.path("run.journal"));
    let lines = |how: &str| {
        let output = redoubt(&["check", &model, "-q", "--format", "jsonl", "--shortest", how, &journal], &[]);
        assert_eq!(output.status.code(), Some(10), "{}", stderr(&output));
        let lines = stdout(&output);
        let lines = lines.lines().map(|line| serde_json::from_str::<Json>(line).expect("JSON"));
        lines.filter(|line| line["type"] == "property").collect::<Vec<_>>()
    };
    let (first, second) = (lines("--journal"), lines("--resume"));
    assert_eq!((first.len(), second.len()), (3, 3), "each property once");
    let of = |lines: &[Json], property: &str| {
        let line = lines.iter().find(|line| line["property"] == property).expect("a line");
        ["verdict", "steps", "shortest"].map(|field| line[field].clone())
    };
    assert_eq!(of(&first, "b0"), [Json::from("reachable"), Json::from(5), Json::from(true)]);
    for property in ["b0", "b1", "b2"] {
        assert_eq!(of(&first, property), of(&second, property));
    }
    assert!(second.iter().all(|line| line["engine"] == "journal"), "{second:?}");
}

/// A proof that nothing has confirmed yet is not the last word.
#[test]
fn each_property_is_settled_once_whoever_works_on_it() {
    let model = read(open().replace("24 justice 1 5 busy\n", "").as_bytes()).expect("well-formed");
    let (cells, words) = reduced_circuit(model, 0).expect("a small one");
    let first = Round { circuit: &cells, words: &words };
    for threads in 1..4 {
        let options = hardware::ModelOptions { threads, ..hardware::ModelOptions::default() };
        let mut settled = vec![];
        let report = reduced::decide(first, &options, &Terms::default(), &mut |_, news| {
            if let News::Settled(finding) = news {
                settled.push(finding.property);
            }
        });
        assert!(report.expect("there is no journal").findings.iter().all(hardware::Finding::is_confirmed));
        settled.sort_unstable();
        assert_eq!(settled, [0, 1, 2].map(PropertyId::new), "{threads} threads");
    }
}

/// A model that moves words about and compares them, as a queue does.
fn queue(random: &mut Random) -> String {
    let mut text = "1 sort bitvec 1\n2 sort bitvec 5\n3 input 2\n4 input 1\n5 zero 1\n".to_string();
    let mut last = 5;
    let mut line = |rest: String| {
        last += 1;
        text += &format!("{last} {rest}\n");
        last
    };
    let constant = line(format!("constd 2 {}", random.below(32)));
    let (mut words, mut truths) = (vec![3, constant], vec![4]);
    let states: Vec<(usize, usize)> = [2, 2, 2, 1, 1].map(|sort| (sort, line(format!("state {sort}")))).to_vec();
    for &(sort, state) in &states {
        let init = if sort == 1 { 5 } else { constant };
        if sort == 1 || random.below(2) == 0 {
            line(format!("init {sort} {state} {init}"));
        }
        if sort == 1 { truths.push(state) } else { words.push(state) }
    }
    let pick = |random: &mut Random, from: &[usize]| from[random.below(from.len())];
    for _ in 0..12 {
        let (a, b, c) = (pick(random, &words), pick(random, &words), pick(random, &truths));
        let d = pick(random, &truths);
        match random.below(5) {
            0 => truths.push(line(format!("eq 1 {a} {b}"))),
            1 => truths.push(line(format!("neq 1 {a} {b}"))),
            2 => truths.push(line(format!("and 1 {c} {d}"))),
            3 => truths.push(line(format!("xor 1 {c} {d}"))),
            _ => words.push(line(format!("ite 2 {c} {a} {b}"))),
        }
    }
    for &(sort, state) in &states {
        let next = if sort == 1 { pick(random, &truths) } else { pick(random, &words) };
        line(format!("next {sort} {state} {next}"));
    }
    for _ in 0..2 {
        let bad = pick(random, &truths[1..]);
        line(format!("bad {bad}"));
    }
    text
}

/// Words that are only moved and compared may be shorter: the verdicts are the same, and runs are those of the long words.
#[test]
fn random_queues_are_decided_with_shorter_words() {
    let (mut decided, mut narrowed) = ([0; 2], 0);
    for seed in 0..300 {
        let model = read(queue(&mut Random::new(seed)).as_bytes()).expect("well-formed");
        let (bits, _) = circuit(model.clone()).expect("a small one");
        let (shorter, words) = reduced_circuit(model, usize::MAX).expect("a small one");
        if words.smaller().is_none() {
            continue;
        }
        narrowed += usize::from(shorter.circuit.latches.len() < bits.circuit.latches.len());
        let truth = hardware::check(&bits, &hardware::ModelOptions::default(), |_| {});
        let first = Round { circuit: &shorter, words: &words };
        let report = reduced::decide(first, &hardware::ModelOptions::default(), &Terms::default(), &mut |round, _| {
            assert!(round.words.smaller().is_some(), "seed {seed}: a run was not one of the model");
        });
        let report = report.expect("there is no journal");
        assert_eq!(agreed(&report, &truth, seed).iter().sum::<usize>(), 2);
        agreed(&report, &truth, seed).iter().zip(&mut decided).for_each(|(new, sum)| *sum += new);
    }
    assert!(decided.iter().all(|&number| number > 50) && narrowed > 50, "{decided:?} {narrowed}");
}

/// The numbers of unreachable and reachable properties, according to both.
fn agreed(report: &hardware::Report, truth: &hardware::Report, seed: u64) -> [usize; 2] {
    let mut decided = [0; 2];
    for (finding, truth) in report.findings.iter().zip(&truth.findings) {
        match (&finding.answer, &truth.answer) {
            (Answer::Reachable { .. }, Answer::Reachable { .. }) => decided[1] += 1,
            (Answer::Unreachable { .. }, Answer::Unreachable { .. }) => {
                assert!(finding.is_confirmed(), "seed {seed}");
                decided[0] += 1;
            }
            other => panic!("seed {seed}: {other:?}"),
        }
    }
    decided
}

fn opinion<R>(on_words: &OnWords, property: PropertyId, run: &R) -> Opinion
where
    for<'a> OnWords<'a>: SecondOpinion<R>,
{
    on_words.of_run(property, run).expect("it always has one")
}

#[test]
fn lassos_of_random_models_are_those_of_their_words() {
    let mut violated = 0;
    for seed in 1000..1100 {
        let shape = Shape { widest: 3, inputs: 1, states: 3, operators: 15, arrays: seed as usize % 2 };
        let (bits, words): (_, Words) = circuit(model(&mut Random::new(seed), shape)).expect("a small one");
        let report = liveness::check(&bits, &hardware::ModelOptions::default(), |_| {});
        for finding in &report.findings {
            if let liveness::Answer::Reachable { run } = &finding.answer {
                let on_words = OnWords { words: &words, circuit: &bits };
                assert_eq!(opinion(&on_words, finding.property, run), Opinion::Agrees, "seed {seed}");
                violated += 1;
            }
        }
    }
    assert!(violated > 20, "{violated}");
}

/// The shared models, where they are: all are read, and the first steps of the smallest looked at, which takes a moment.
#[test]
fn known_models_are_not_contradicted() {
    let folder = crate::common::in_project("../shared/bench/btor2");
    let Ok(expected) = std::fs::read_to_string(folder.join("expected.csv")) else { return };
    let mut reached = 0;
    for line in expected.lines().skip(1) {
        let [file, _, expected] = line.split(',').collect::<Vec<_>>()[..] else { panic!("{line}") };
        let words = read(&std::fs::read(folder.join(file)).expect("a model")).expect("well-formed");
        let (bits, words) = circuit(words).expect("small enough");
        if bits.circuit.latches.len() > 300 || bits.circuit.live_gates() > 4000 {
            continue;
        }
        let options = hardware::ModelOptions {
            engine: Engine::Bmc,
            limits: Limits::depth(2),
            passes: Passes::NONE,
            ..hardware::ModelOptions::default()
        };
        for finding in hardware::check(&bits, &options, |_| {}).findings {
            if let Answer::Reachable { run } = &finding.answer {
                assert_eq!(expected, "reachable", "{file}");
                let on_words = OnWords { words: &words, circuit: &bits };
                assert_eq!(opinion(&on_words, finding.property, run), Opinion::Agrees, "{file}");
                reached += 1;
            }
        }
    }
    println!("{reached} reached");
}
