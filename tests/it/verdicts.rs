//! Verdicts on whole programs: those of `check` against known answers, and against the simulator.

use std::collections::BTreeMap;
use std::time::Duration;

use redoubt_base::Interrupt;
use redoubt_base::Limits;
use redoubt_bits::blast::Width;
use redoubt_bits::system::passes::Passes;
use redoubt_clauses::sat::Backend;
use redoubt_driver::check::{self, Answer, CheckOptions};
use redoubt_engine::engine::{Engine, Proof};
use redoubt_program::program::Program;
use redoubt_program::simulate::End;

use crate::common::generate::{self, Shape as Kind};
use crate::common::problems::{self, Problem};
use crate::common::seeds::seeds;
use crate::common::{expected, explore, load_text};

/// The answers of a run by property; every witness is replayed here once more.
fn verdicts(program: &Program, options: &CheckOptions) -> BTreeMap<String, &'static str> {
    let report = check::check(program, options, |_| {}).expect("the program is small");
    let mut found = BTreeMap::new();
    for finding in &report.findings {
        let name = program.property(finding.property).name.clone();
        let verdict = match &finding.answer {
            Answer::Reachable { run: inputs } => {
                let end = redoubt_witness::replay::end_of(program, inputs);
                let reached = matches!(end, Some((End::Error(property, _), _)) if property == finding.property);
                assert!(reached, "{}: {name}: the witness leads to {end:?}", program.name);
                "reachable"
            }
            Answer::Unreachable { .. } => "unreachable",
            Answer::Unknown(_) => "unknown",
            Answer::Withdrawn { claim: inputs, .. } => panic!("{}: {name}: no such run: {inputs:?}", program.name),
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

/// Asserts that no verdict is wrong and returns the properties that stayed open.
fn compare(program: &Program, known: &BTreeMap<String, &'static str>, options: &CheckOptions) -> Vec<String> {
    let found = verdicts(program, options);
    for (property, verdict) in &found {
        let expected = known.get(property).copied();
        let right = *verdict == "unknown" || expected.is_none_or(|expected| expected == *verdict);
        assert!(right, "{}: {property} is {expected:?}, not {verdict} ({:?})", program.name, options.engine);
    }
    found.into_iter().filter(|(_, verdict)| *verdict == "unknown").map(|(property, _)| property).collect()
}

/// Asserts that everything due is decided: all properties if there is no bound on the depth, else those with a run
/// within it. Nothing here looks at the clock, so a slow machine takes longer and sees the same.
fn assert_due(program: &Program, open: &[String], runs: &BTreeMap<String, usize>, options: &CheckOptions) {
    for property in open {
        let is_due = options.limits.depth.is_none_or(|depth| runs.get(property).is_some_and(|steps| *steps <= depth));
        let CheckOptions { engine, backend, passes, .. } = options;
        assert!(!is_due, "{}: {property} stays open ({engine:?}, {backend:?}, {passes:?})", program.name);
    }
}

/// The engines whose work on a program is bounded by its depth. Diagrams of its arithmetic may not fit, whatever the depth; they
/// are compared where nothing is computed, on models and on circuits.
fn engines() -> impl Iterator<Item = Engine> {
    Engine::ALL.into_iter().filter(|engine| *engine != Engine::Bdd)
}

/// Programs that compute: a query about their arithmetic can take a solver minutes, so they get few steps.
const ARITHMETIC: [&str; 4] = ["counters2015.c", "heater2012.c", "mixer2017.c", "shelves2019.c"];

/// The depth to which a bounded engine looks into a problem: deep enough for all runs of those that do not compute.
fn depth(problem: &Problem) -> usize {
    if ARITHMETIC.contains(&&*problem.name()) { 1 } else { 8 }
}

/// The frames of IC3: no bound where the problem does not compute.
fn frames(problem: &Problem) -> Option<usize> {
    ARITHMETIC.contains(&&*problem.name()).then(|| depth(problem))
}

/// By property: the steps of the known run to it.
fn runs(problem: &Problem) -> BTreeMap<String, usize> {
    let rows = expected::read(&problems::own_folder()).into_iter();
    let rows = rows.filter(|row| row.file == problem.name() && row.reachable);
    rows.map(|row| (row.property, row.witness.len())).collect()
}

#[test]
fn every_engine_is_right_about_every_own_problem() {
    for problem in problems::own() {
        let (program, known, runs) = (problem.load(), known(&problem), runs(&problem));
        for engine in engines() {
            let depth = if engine == Engine::Ic3 { frames(&problem) } else { Some(depth(&problem)) };
            let limits = Limits { depth, ..Limits::default() };
            let options = CheckOptions { engine, limits, ..CheckOptions::default() };
            let open = compare(&program, &known, &options);
            assert_due(&program, &open, &runs, &options);
        }
    }
}

/// Where nothing is computed, diagrams decide everything; and what they and interpolants prove is confirmed by the checker,
/// as clauses about the program, although it was found as a set of states.
#[test]
fn sets_of_states_become_certificates_of_programs() {
    let mut by_engine: BTreeMap<&'static str, usize> = BTreeMap::new();
    for problem in problems::own().into_iter().filter(|problem| frames(problem).is_none()) {
        let (program, known) = (problem.load(), known(&problem));
        for engine in [Engine::Bdd, Engine::Itp, Engine::ItpSequence] {
            let depth = (engine != Engine::Bdd).then(|| depth(&problem));
            let options =
                CheckOptions { engine, limits: Limits { depth, ..Limits::default() }, ..CheckOptions::default() };
            let report = check::check(&program, &options, |_| {}).expect("the program is small");
            for finding in &report.findings {
                let name = &program.property(finding.property).name;
                let what = format!("{}: {name} ({engine:?})", program.name);
                match &finding.answer {
                    Answer::Reachable { .. } => assert_eq!(known[name], "reachable", "{what}"),
                    Answer::Unreachable { proof, .. } => {
                        assert_eq!(known[name], "unreachable", "{what}");
                        assert!(matches!(proof, Proof::Set(_)) && finding.is_confirmed(), "{what}");
                        *by_engine.entry(engine.name()).or_default() += 1;
                    }
                    Answer::Unknown(_) => assert_ne!(engine, Engine::Bdd, "{what}"),
                    Answer::Withdrawn { reason, .. } => panic!("{what}: {reason}"),
                }
            }
        }
    }
    println!("{by_engine:?} proofs");
    assert!(by_engine.len() == 3 && by_engine.values().all(|&proofs| proofs > 10), "{by_engine:?}");
}

/// Switching a pass off, widening to 32 bits or taking another solver must not change an answer.
#[test]
fn no_pass_and_no_solver_changes_an_answer() {
    for problem in problems::own() {
        let (program, known, runs) = (problem.load(), known(&problem), runs(&problem));
        let limits = Limits { depth: frames(&problem), ..Limits::default() };
        let base = || CheckOptions { limits: limits.clone(), ..CheckOptions::default() };
        let all = [
            CheckOptions { passes: Passes::NONE, ..base() },
            CheckOptions { functional_reduction: false, ..base() },
            CheckOptions { backend: Some(Backend::Batsat), ..base() },
            CheckOptions { backend: Some(Backend::Cadical), ..base() },
            CheckOptions { width: Width::Full, limits: Limits::depth(2), ..base() },
        ];
        for options in &all {
            let open = compare(&program, &known, options);
            assert_due(&program, &open, &runs, options);
        }
    }
}

/// Random programs with all operators, tables and pointers, whose states can be counted: all verdicts of engines agree
/// with an exhaustive search, and properties that the search reaches soon are decided.
#[test]
fn engines_agree_with_exhaustive_search_on_random_programs() {
    const MOST_STATES: usize = 300;
    // A query about more arithmetic than this takes a solver many seconds.
    const MOST_GATES: usize = 10_000;
    let kind = Kind { bounded: true, variables: 3, tables: 2, helpers: 2, rules: 2, ..Kind::default() };
    let (mut programs, mut decided, mut all, mut reached) = (0, 0, 0, 0);
    for seed in seeds(40) {
        let program = load_text(&format!("random program {seed}"), &generate::program(seed, kind));
        let Some(truth) = explore::explore(&program, MOST_STATES) else { continue };
        let known = program.properties.iter().map(|property| {
            let is_reached = truth.reached.contains_key(&property.name);
            (property.name.clone(), if is_reached { "reachable" } else { "unreachable" })
        });
        let known = known.collect();
        let runs = truth.reached.iter().map(|(property, inputs)| (property.clone(), inputs.len())).collect();
        let first_look = CheckOptions { engine: Engine::Bmc, limits: Limits::depth(0), ..CheckOptions::default() };
        let sizes = check::check(&program, &first_look, |_| {}).expect("the program is small").sizes;
        if sizes.gates > MOST_GATES {
            continue;
        }
        programs += 1;
        for engine in engines() {
            // Lemmas about arithmetic on 32 bits take long.
            let depth = if engine == Engine::Ic3 { 1 } else { 2 };
            // The others' proofs are checked on the project's own problems.
            let confirm = engine == Engine::Ic3;
            let options = CheckOptions { engine, confirm, limits: Limits::depth(depth), ..CheckOptions::default() };
            let open = compare(&program, &known, &options);
            assert_due(&program, &open, &runs, &options);
            decided += program.properties.len() - open.len();
            all += program.properties.len();
        }
        reached += truth.reached.len();
    }
    let tally = format!("{programs} programs, {decided} verdicts of {all}, {reached} properties reached");
    println!("{tally}");
    assert!(programs >= 20 && 2 * decided > all && reached > 0, "the programs are too hard or too dull: {tally}");
}

/// Same input, same options: same verdicts, same traces, same counts.
#[test]
fn runs_are_reproducible() {
    for problem in problems::own().into_iter().take(4) {
        let program = problem.load();
        let run = || {
            let options = CheckOptions { limits: Limits::depth(6), ..CheckOptions::default() };
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
            continue;
        };
        let problem = Problem::new(folder.join(name));
        let limits = Limits { interrupt: Interrupt::after(Duration::from_secs(120)), ..Limits::default() };
        let open = compare(&problem.load(), &known(&problem), &CheckOptions { limits, ..CheckOptions::default() });
        assert!(open.is_empty(), "{year}/{name}: {open:?}");
    }
}
