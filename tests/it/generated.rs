//! Programs made by `generate`: they do what their hidden machine does, and every engine that decides their properties
//! finds the answers that are known by construction.
//!
//! A few programs of each kind by default; with `REDOUBT_PROGRAMS` in the environment as many as it says.

use std::collections::BTreeMap;
use std::time::{Duration, Instant};

use redoubt_base::{Interrupt, Limits, Random, Threads};
use redoubt_driver::check::{self, Answer, Report};
use redoubt_driver::ledger::Terms;
use redoubt_driver::ltl;
use redoubt_facts::analysis::Facts;
use redoubt_generate::{self as generate, Dialect, GenerateOptions, Kind, Problem, Size};
use redoubt_program::program::{Program, PropertyId};
use redoubt_program::simulate::{End, Simulator};
use redoubt_states::explicit;
use redoubt_temporal::properties;

use crate::common::command::{redoubt_in, run};
use crate::common::expected::{self, Row};
use crate::common::scratch::Scratch;
use crate::common::seeds::seeds;
use crate::common::{gcc, in_project, problems, runs};

/// The number of programs of each kind, unless more are asked for.
const FEW: u64 = 3;

/// The program of a seed: all dialects and label counts take turns; one in sixteen is of medium size.
fn problem(seed: u64, kind: Kind) -> Problem {
    let dialect = Dialect::ALL[seed as usize % Dialect::ALL.len()];
    let size = if seed % 16 == 15 { Size::Medium } else { Size::Small };
    let labels = (!seed.is_multiple_of(3)).then_some(4 + seed as usize % 13);
    // Every other one has what makes the large ones hard.
    let [garbage, copies] = [4, 3].map(|number| (seed % 2 == 1).then_some(number));
    let options = GenerateOptions { labels, garbage, copies, ..GenerateOptions::new(seed, size, kind, dialect) };
    generate::generate(&options).expect("a program that keeps its promises")
}

/// The numbers of comparisons.
#[derive(Debug, Default)]
struct Tally {
    programs: usize,
    properties: usize,
    reachable: usize,
    undecided: usize,
    closed: usize,
}

#[test]
fn plain_programs() {
    look_at(Kind::Plain);
}

#[test]
fn arithmetic_programs() {
    look_at(Kind::Arithmetic);
}

#[test]
fn data_programs() {
    look_at(Kind::Data);
}

#[test]
fn programs_with_counters() {
    look_at(Kind::Counters);
}

/// The verdicts on formulas about the program agree with the machine's.
#[test]
fn formulas_are_as_the_machine_says() {
    let (mut decided, mut open) = ([0, 0], 0);
    for seed in seeds(4 * FEW) {
        let kind = Kind::ALL[seed as usize % Kind::ALL.len()];
        let problem = problem(seed, kind);
        let program = crate::common::load_text(&problem.file, &problem.text);
        let known = problem.formulas(20, seed).expect("formulas can be read");
        if !problem.prints {
            assert!(known.is_empty());
            continue;
        }
        assert!(known.len() >= 15 && known == problem.formulas(20, seed).expect("the same"), "{}", problem.file);
        let text: String = known.iter().map(|known| format!("{}\n", known.formula)).collect();
        let list = properties::read(&text).expect("formulas");
        let specification = ltl::Specification::new(list, properties::Mapping::default());
        let wanted: Vec<PropertyId> = (0..known.len()).map(PropertyId::new).collect();
        let explorers: [&dyn ltl::Explorer; 2] = [&ltl::Explicit { memory: 4 << 20 }, &ltl::Exact { memory: 1 << 17 }];
        let (facts, limits, terms) = (Facts::new(&program), Limits::default(), Terms::default());
        let formulas = ltl::Formulas { facts: &facts, specification: &specification, certify: true };
        let report = ltl::decide(&formulas, &wanted, &explorers, usize::MAX, &limits, &terms, &mut |_| {});
        for (finding, known) in report.expect("there is no journal").findings.iter().zip(&known) {
            match &finding.answer {
                ltl::Answer::Unknown(_) => open += 1,
                answer => {
                    let holds = matches!(answer, ltl::Answer::Unreachable { .. });
                    assert_eq!(holds, known.holds, "{}: {} ({})", problem.file, known.formula, known.sentence);
                    decided[usize::from(holds)] += 1;
                }
            }
        }
    }
    assert!(decided.iter().all(|&count| count > 30) && open < 150, "{decided:?}, {open}");
}

/// Programs that are large enough to be worth several threads: these decide the same, by the same runs.
#[test]
fn threads_change_no_verdict_and_no_run() {
    for seed in seeds(2) {
        let options = GenerateOptions {
            labels: Some(12),
            ..GenerateOptions::new(seed, Size::Medium, Kind::Plain, Dialect::Y2016)
        };
        let problem = generate::generate(&options).expect("a program that keeps its promises");
        let program = crate::common::load_text(&problem.file, &problem.text);
        let runs = |threads: usize| {
            let interrupt = Interrupt::after(Duration::from_secs(60));
            let limits = Limits { interrupt, threads: Threads::new(threads), ..Limits::default() };
            let options = check::CheckOptions { limits, ..check::CheckOptions::default() };
            let report = check::check_together(&program, &options, |_| {}).expect("small enough");
            let open = compare(&problem, &program, &report);
            assert!(open.is_empty(), "{}, {threads} threads more: {open:?}", problem.file);
            let is_confirmed = report.findings.iter().all(|finding| finding.is_confirmed());
            assert!(is_confirmed, "{}, {threads} threads more", problem.file);
            let run = |finding: &check::Finding| match &finding.answer {
                Answer::Reachable { run } => Some(run.clone()),
                _ => None,
            };
            report.findings.iter().map(run).collect::<Vec<_>>()
        };
        let alone = runs(0);
        for threads in [1, 2] {
            assert_eq!(runs(threads), alone, "{}, {threads} threads more", problem.file);
        }
    }
}

fn look_at(kind: Kind) {
    let start = Instant::now();
    let mut tally = Tally::default();
    // Each kind in other dialects.
    for seed in seeds(FEW).map(|seed| seed + kind as u64 * FEW) {
        let problem = problem(seed, kind);
        let program = crate::common::load_text(&problem.file, &problem.text);
        tally.programs += 1;
        tally.properties += problem.answers.len();
        tally.reachable += problem.answers.iter().filter(|(_, witness)| witness.is_some()).count();
        follows_its_machine(&problem, &program);
        let found = compare(&problem, &program, &all_engines(&program));
        tally.undecided += found.len();
        found.iter().for_each(|name| println!("{}: {name} stays open", problem.file));
        tally.closed += usize::from(compare(&problem, &program, &explicitly(&program)).is_empty());
        if tally.programs % 20 == 1 {
            agrees_with_gcc(&problem, &program);
        }
    }
    println!("{}: {tally:?}, {:.1} s", kind.name(), start.elapsed().as_secs_f64());
    // Of many programs few properties stay open; three may be hard ones.
    let most = if tally.programs < 20 { tally.properties - 1 } else { tally.properties / 20 };
    assert!(tally.undecided <= most, "too many are open: {tally:?}");
}

fn all_engines(program: &Program) -> Report {
    let limits = Limits { interrupt: Interrupt::after(Duration::from_secs(10)), ..Limits::default() };
    let options = check::CheckOptions { limits, memory: 200 << 20, ..check::CheckOptions::default() };
    check::check_together(program, &options, |_| {}).expect("small enough")
}

fn explicitly(program: &Program) -> Report {
    let interrupt = Interrupt::after(Duration::from_secs(2));
    let options = explicit::SearchOptions { interrupt, memory: 100 << 20, ..explicit::SearchOptions::default() };
    check::check_explicitly(program, &options, |_| {})
}

/// Asserts that the verdicts are right; returns the undecided properties.
fn compare(problem: &Problem, program: &Program, report: &Report) -> Vec<String> {
    let known: BTreeMap<&str, bool> =
        problem.answers.iter().map(|(name, witness)| (name.as_str(), witness.is_some())).collect();
    assert_eq!(report.findings.len(), known.len());
    let mut open = vec![];
    for finding in &report.findings {
        let name = program.property(finding.property).name.as_str();
        let found = match &finding.answer {
            Answer::Reachable { run: inputs } => {
                assert!(check::reaches(program, inputs, finding.property).is_some(), "{}: {name}", problem.file);
                true
            }
            Answer::Unreachable { .. } => false,
            Answer::Unknown(_) => {
                open.push(name.to_string());
                continue;
            }
            Answer::Withdrawn { claim: inputs, .. } => panic!("{}: {name}: no such run: {inputs:?}", problem.file),
        };
        assert_eq!(found, known[name], "{}: {name} by {}", problem.file, finding.decider.name());
    }
    open
}

/// The programs in `problems/rers/generated`, as its README says they were made.
const SET: [(Kind, [Dialect; 5]); 3] = [
    (Kind::Plain, [Dialect::Y2012, Dialect::Y2013, Dialect::Y2016, Dialect::Y2018, Dialect::Reach]),
    (Kind::Arithmetic, [Dialect::Y2012, Dialect::Y2015, Dialect::Y2017, Dialect::Y2020, Dialect::Verifier]),
    (Kind::Data, [Dialect::Y2012, Dialect::Y2014, Dialect::Y2018, Dialect::Y2019, Dialect::Reach]),
];

#[test]
fn the_set_of_problems_is_made_of_the_same_bytes_again() {
    let folder = in_project("problems/rers/generated");
    let mut rows = vec![];
    for (kind, dialects) in SET {
        for dialect in dialects {
            let options = GenerateOptions::new(1, Size::Small, kind, dialect);
            let problem = generate::generate(&options).expect("a program that keeps its promises");
            let kept = std::fs::read_to_string(folder.join(&problem.file)).expect("the program is there");
            assert!(kept == problem.text, "{} is not what `generate` writes", problem.file);
            rows.extend(problem.answers.into_iter().map(|(property, witness)| Row {
                file: problem.file.clone(),
                property,
                reachable: witness.is_some(),
                witness: witness.unwrap_or_default(),
            }));
        }
    }
    assert_eq!(expected::read(&folder), rows);
    assert_eq!(problems::in_folder(&folder).len(), SET.iter().map(|(_, dialects)| dialects.len()).sum::<usize>());
}

#[test]
fn answers_of_other_files_stay() {
    let scratch = Scratch::new();
    let other = scratch.write("expected.csv", "file,property,expected,witness\nother.c,error_0,reachable,\"A,B\"\n");
    let folder = other.parent().expect("a file lies in a folder");
    let made = |seed: &str| run(redoubt_in("", &["generate", "--labels", "2", "--seed", seed, "-o"]).arg(folder));
    for seed in ["1", "2", "1"] {
        assert_eq!(made(seed).status.code(), Some(0));
    }
    let files: Vec<String> = expected::read(folder).into_iter().map(|row| row.file).collect();
    let [first, second] = ["2016-plain-small-1.c", "2016-plain-small-2.c"];
    assert_eq!(files, ["other.c", second, second, first, first]);
    scratch.write("expected.csv", "something else\n");
    let output = made("1");
    assert_eq!(output.status.code(), Some(3));
    assert!(String::from_utf8_lossy(&output.stderr).contains("expected its first line"));
    let wrong = run(&mut redoubt_in("", &["generate", "--labels", "0", "-o", "x"]));
    assert_eq!(wrong.status.code(), Some(2));
}

/// Random runs of the program write what the machine writes, and end where it comes to a sink.
fn follows_its_machine(problem: &Problem, program: &Program) {
    let random = &mut Random::new(7);
    for _ in 0..10 {
        let letters: Vec<usize> = (0..200).map(|_| random.below(problem.alphabet.len())).collect();
        let (outputs, sink) = problem.machine.run(letters.iter().copied());
        let mut simulator = Simulator::new(program);
        for (step, (output, &letter)) in outputs.iter().zip(&letters).enumerate() {
            let taken = simulator.step(&[problem.alphabet[letter]]);
            let wanted = output.map_or(String::new(), |output| format!("{output}\n"));
            let prints = !problem.file.starts_with("verifier") && !problem.file.starts_with("reach");
            assert!(!prints || taken.output == wanted, "{}: step {step} of {letters:?}", problem.file);
            if step + 1 < outputs.len() {
                assert!(simulator.end().is_none(), "{}: step {step} of {letters:?}", problem.file);
            }
        }
        if sink.is_some() {
            // Where labels look back, the error comes with the next step.
            simulator.step(&[problem.alphabet[0]]);
        }
        let ended = matches!(simulator.end(), Some(End::Error(..)));
        assert_eq!(ended, sink.is_some(), "{}: {letters:?}", problem.file);
    }
}

/// Random runs and witnesses of the compiled program are those of the simulator.
fn agrees_with_gcc(problem: &Problem, program: &Program) {
    if !gcc::available() {
        return;
    }
    let random = &mut Random::new(11);
    let mut inputs: Vec<Vec<i32>> = problem.answers.iter().filter_map(|(_, witness)| witness.clone()).collect();
    for _ in 0..5 {
        inputs.push(runs::random_inputs(program, 300, random));
        inputs.push(runs::surviving_inputs(program, 300, random));
        inputs.push(runs::wild_inputs(program, 300, random));
    }
    let scratch = Scratch::new();
    let compiled = gcc::compile(&[scratch.write(&problem.file, &problem.text)]).run(&inputs);
    for (inputs, theirs) in inputs.iter().zip(compiled) {
        let ours = runs::simulate(program, inputs);
        runs::assert_same(&ours, &theirs, &|| format!("{} on {inputs:?}", problem.file));
    }
}
