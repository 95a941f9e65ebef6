//! Verdicts of whole programs: what `check` says against known answers, and against the simulator.

use std::collections::BTreeMap;
use std::time::Duration;

use redoubt::base::Interrupt;
use redoubt::base::Limits;
use redoubt::blast::Width;
use redoubt::check::{self, Answer, Options};
use redoubt::engine::Engine;
use redoubt::program::Program;
use redoubt::sat::Backend;
use redoubt::simulate::End;
use redoubt::system::passes::Passes;

use crate::common::generate::{self, Options as Kind};
use crate::common::problems::{self, Problem};
use crate::common::{expected, explore};

/// The answers of a run by property; every witness is replayed here once more.
fn verdicts(program: &Program, options: &Options) -> BTreeMap<String, &'static str> {
    let report = check::check(program, options, |_| {}).expect("the program is small");
    let mut found = BTreeMap::new();
    for finding in &report.findings {
        let name = program.property(finding.property).name.clone();
        let verdict = match &finding.answer {
            Answer::Reachable { inputs } => {
                let end = check::replay(program, inputs);
                let reached = matches!(end, Some((End::Error(property, _), _)) if property == finding.property);
                assert!(reached, "{}: {name}: the witness leads to {end:?}", program.name);
                "reachable"
            }
            Answer::Unreachable { .. } => "unreachable",
            Answer::Unknown => "unknown",
            Answer::Withdrawn { inputs, .. } => panic!("{}: {name}: no such run: {inputs:?}", program.name),
        };
        found.insert(name, verdict);
    }
    found
}

/// The answers that a folder's `expected.csv` has for a problem.
fn known(problem: &Problem) -> BTreeMap<String, &'static str> {
    let folder = problem.files[0].parent().expect("a problem lies in a folder");
    let rows = expected::read(folder).into_iter().filter(|row| row.file == problem.name());
    rows.map(|row| (row.property, if row.reachable { "reachable" } else { "unreachable" })).collect()
}

/// Asserts that no verdict is wrong and returns how many stayed open.
fn compare(program: &Program, known: &BTreeMap<String, &'static str>, options: &Options) -> usize {
    let found = verdicts(program, options);
    for (property, verdict) in &found {
        let expected = known.get(property).copied();
        let right = *verdict == "unknown" || expected.is_none_or(|expected| expected == *verdict);
        assert!(right, "{}: {property} is {expected:?}, not {verdict} ({:?})", program.name, options.engine);
    }
    found.values().filter(|verdict| **verdict == "unknown").count()
}

#[test]
fn every_engine_is_right_about_every_own_problem() {
    for problem in problems::own() {
        let (program, known) = (problem.load(), known(&problem));
        let limits = || Limits { interrupt: Interrupt::after(Duration::from_secs(2)), ..Limits::depth(12) };
        for engine in Engine::ALL {
            let limits = if engine == Engine::Ic3 { Limits { depth: None, ..limits() } } else { limits() };
            let options = Options { engine, limits, ..Options::default() };
            compare(&program, &known, &options);
        }
    }
}

/// Switching a pass off, widening to 32 bits or taking another solver must not change an answer.
#[test]
fn no_pass_and_no_solver_changes_an_answer() {
    for problem in problems::own() {
        let (program, known) = (problem.load(), known(&problem));
        let limits = Limits { interrupt: Interrupt::after(Duration::from_secs(2)), ..Limits::default() };
        let base = || Options { limits: limits.clone(), ..Options::default() };
        let all = [
            Options { passes: Passes::NONE, ..base() },
            Options { functional_reduction: false, ..base() },
            Options { backend: Some(Backend::Batsat), ..base() },
            Options { backend: Some(Backend::Cadical), ..base() },
            Options { width: Width::Full, limits: Limits::depth(2), ..base() },
        ];
        all.iter().for_each(|options| {
            compare(&program, &known, options);
        });
    }
}

/// Random programs with all operators, tables and pointers, whose states can be counted: what any engine decides
/// is what an exhaustive search finds. The seeds move on every day; a failure names its own.
#[test]
fn engines_agree_with_exhaustive_search_on_random_programs() {
    const PROGRAMS: u64 = 40;
    const MOST_STATES: usize = 300;
    let days = std::time::SystemTime::UNIX_EPOCH.elapsed().map_or(0, |age| age.as_secs() / 86_400);
    let kind = Kind { bounded: true, variables: 3, tables: 2, helpers: 2, rules: 2, ..Kind::default() };
    let (mut decided, mut reached) = (0, 0);
    for seed in (0..PROGRAMS).map(|index| days * PROGRAMS + index) {
        let program = crate::common::load_text(&format!("random program {seed}"), &generate::program(seed, kind));
        let Some(truth) = explore::explore(&program, MOST_STATES) else { continue };
        let known = program.properties.iter().map(|property| {
            let is_reached = truth.reached.contains_key(&property.name);
            (property.name.clone(), if is_reached { "reachable" } else { "unreachable" })
        });
        let known = known.collect();
        for engine in Engine::ALL {
            // Arithmetic on 32 bits can keep an engine busy for as long as it likes.
            let interrupt = Interrupt::after(Duration::from_millis(400));
            let limits = Limits { interrupt, depth: (engine != Engine::Ic3).then_some(6), ..Limits::default() };
            let open = compare(&program, &known, &Options { engine, limits, ..Options::default() });
            decided += program.properties.len() - open;
        }
        reached += truth.reached.len();
    }
    println!("{decided} verdicts, {reached} properties reached, seeds from {}", days * PROGRAMS);
    assert!(decided > 0 && reached > 0, "the programs are too hard or too dull to say anything");
}

/// Same input, same options: same verdicts, same traces, same counts.
#[test]
fn runs_are_reproducible() {
    for problem in problems::own().into_iter().take(4) {
        let program = problem.load();
        let run = || {
            let options = Options { limits: Limits::depth(6), ..Options::default() };
            let report = check::check(&program, &options, |_| {}).expect("the program is small");
            let answers: Vec<Answer> = report.findings.into_iter().map(|finding| finding.answer).collect();
            let counts = (report.statistics.lemmas, report.statistics.obligations, report.statistics.solves);
            (answers, counts)
        };
        assert_eq!(run(), run(), "{}", program.name);
    }
}

/// The plain problems of the collection, where it is at hand: every label decided, none wrong.
#[test]
fn plain_problems_of_the_collection_are_decided() {
    let plain = [
        ("2012", "Problem1.c"),
        ("2012", "Problem2.c"),
        ("2012", "Problem3.c"),
        ("2013", "Problem28.c"),
        ("2018", "Problem10.c"),
        ("2020", "Problem11.c"),
    ];
    for (year, name) in plain {
        let Some(folder) = problems::collection(year) else {
            eprintln!("skipped: the collection of {year} is not here");
            continue;
        };
        let problem = Problem::new(folder.join(name));
        let limits = Limits { interrupt: Interrupt::after(Duration::from_secs(120)), ..Limits::default() };
        let open = compare(&problem.load(), &known(&problem), &Options { limits, ..Options::default() });
        assert_eq!(open, 0, "{year}/{name}");
    }
}
