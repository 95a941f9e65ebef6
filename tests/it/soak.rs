//! Random programs through the whole pipeline: all engines, all checks, for as long as there is time.
//!
//! `just soak 3600` goes on for an hour, with other programs every day; `REDOUBT_SEED` says which one is the first. A
//! failure names its seed, which gives the same program again.

use std::collections::BTreeMap;
use std::time::{Duration, Instant};

use redoubt_base::Interrupt;
use redoubt_base::Limits;
use redoubt_bits::blast::{Width, blast};
use redoubt_bits::system;
use redoubt_bits::system::passes::{self, Passes};
use redoubt_checker as certificate;
use redoubt_circuit::aiger;
use redoubt_driver::check::shortest;
use redoubt_driver::check::{self, Answer, CheckOptions, Finding, Report, reaches};
use redoubt_driver::hardware;
use redoubt_engine::engine::Engine;
use redoubt_facts::analysis::Facts;
use redoubt_generate::{Dialect, Kind, Size};
use redoubt_program::program::{Program, PropertyId};
use redoubt_program::simulate::Simulator;
use redoubt_states::explicit;
use redoubt_witness::compiled::{Compiled, Opinion};
use redoubt_witness::{self as witness, Replayed, Run, Witness, json, svcomp};

use crate::common::generate::{self, arithmetic, model};
use crate::common::seeds::{self, number};
use crate::common::{explore, gcc, load_model, load_text};

/// The duration in seconds, if `REDOUBT_SOAK` does not set another.
const SECONDS: u64 = 60;
/// The time of an engine for one program.
const EACH: Duration = Duration::from_millis(150);
/// The search that knows the truth visits no more states.
const STATES: usize = 400;
/// The shares of programs that are compiled as well, and that become a circuit: one in this many.
const COMPILED: u64 = 5;
const CIRCUITS: u64 = 4;

/// The work done.
#[derive(Debug, Default)]
struct Tally {
    programs: u64,
    verdicts: u64,
    open: u64,
    witnesses: u64,
    /// By engine: how many proofs there were, and how many were confirmed.
    proofs: BTreeMap<String, (u64, u64)>,
    shortest: u64,
    compiled: u64,
    circuits: u64,
}

#[test]
#[ignore = "goes on for as long as it is told to: just soak"]
fn all_engines_agree_on_random_programs() {
    let limit = Duration::from_secs(number("REDOUBT_SOAK").unwrap_or(SECONDS));
    let first = seeds::of_the_day();
    let with_gcc = gcc::available();
    let start = Instant::now();
    let mut tally = Tally::default();
    while start.elapsed() < limit {
        let seed = first + tally.programs;
        let (program, known) = program(seed);
        One { seed, program, known, tally: &mut tally }.check(with_gcc);
        tally.programs += 1;
    }
    println!("seeds from {first}, {} s: {tally:?}", start.elapsed().as_secs());
    assert!(tally.verdicts > tally.open && tally.witnesses > 0, "too hard or too dull: {tally:?}");
}

/// By property: whether it can be reached, and the source of that.
type Known = BTreeMap<PropertyId, (bool, String)>;

/// The program of a seed, of one kind after the other, and its answers by construction.
fn program(seed: u64) -> (Program, Known) {
    let small = generate::Shape { bounded: true, variables: 3, ..generate::Shape::default() };
    let program = match seed % 5 {
        0 => load_text("arithmetic.c", &arithmetic::program(seed)),
        1 => load_text("bounded.c", &generate::program(seed, small)),
        2 => load_model("model.gcl", &model::model(seed)),
        3 => load_text("free.c", &generate::program(seed, generate::Shape::default())),
        _ => return challenge(seed),
    };
    (program, Known::new())
}

/// A program in the manner of the challenge, whose answers are known.
fn challenge(seed: u64) -> (Program, Known) {
    let turn = (seed / 5) as usize;
    let kind = Kind::ALL[turn % Kind::ALL.len()];
    let dialect = Dialect::ALL[turn / Kind::ALL.len() % Dialect::ALL.len()];
    let options = redoubt_generate::GenerateOptions {
        labels: Some(8),
        ..redoubt_generate::GenerateOptions::new(seed, Size::Small, kind, dialect)
    };
    let problem = redoubt_generate::generate(&options).expect("a program that keeps its promises");
    let program = load_text(&problem.file, &problem.text);
    let answer = |(name, run): (String, Option<Vec<i32>>)| {
        Some((witness::property(&program, &name)?, (run.is_some(), "the generator".into())))
    };
    let known = problem.answers.into_iter().filter_map(answer).collect();
    (program, known)
}

/// One program and its known answers.
struct One<'t> {
    seed: u64,
    program: Program,
    known: Known,
    tally: &'t mut Tally,
}

impl One<'_> {
    fn check(&mut self, with_gcc: bool) {
        let inputs = self.program.inputs.iter().map(|input| input.alphabet.size());
        if inputs.fold(1, u64::saturating_mul) > 600 {
            // Too many to try them all.
            return;
        }
        self.explore();
        for (name, report) in self.reports() {
            for finding in &report.findings {
                self.hear(name, finding);
            }
            let certificates = report.certificates();
            if !certificates.is_empty() {
                let text = certificate::text::write(&self.program, &certificates);
                let read = certificate::text::read(&self.program, &text).expect("our own text");
                assert_eq!(read, certificates, "seed {}, {name}", self.seed);
            }
        }
        let runs = self.find_shortest();
        if with_gcc && self.seed % (5 * COMPILED) < 5 && self.program.legend.is_none() {
            self.ask_gcc(&runs);
        }
        if self.seed % (5 * CIRCUITS) < 5 {
            self.as_circuit();
        }
    }

    /// Adds the answers of an exhaustive search with the simulator.
    fn explore(&mut self) {
        let (explored, is_all) = explore::explore_some(&self.program, STATES);
        for (index, property) in self.program.properties.iter().enumerate() {
            let is_reached = explored.reached.contains_key(&property.name);
            if is_reached || is_all {
                let found = (is_reached, "exhaustive search".to_string());
                let (known, other) = self.known.entry(PropertyId::new(index)).or_insert(found).clone();
                assert_eq!(is_reached, known, "seed {}: {}: {other} says otherwise", self.seed, property.name);
            }
        }
    }

    fn options(&self) -> CheckOptions {
        let interrupt = Interrupt::after(EACH);
        CheckOptions { limits: Limits { interrupt, ..Limits::default() }, memory: 1 << 24, ..CheckOptions::default() }
    }

    /// The reports of all engines.
    fn reports(&self) -> Vec<(&'static str, Report)> {
        let program = &self.program;
        let small = |report: Result<Report, redoubt_base::Ended>| report.expect("the program is small");
        let mut reports = vec![
            ("all", small(check::check_together(program, &self.options(), |_| {}))),
            ("regions", small(check::check_regions(program, &self.options(), |_| {}))),
        ];
        let options = explicit::SearchOptions {
            interrupt: Interrupt::after(EACH),
            memory: 1 << 24,
            sweep: 10_000,
            keep: true,
            ..explicit::SearchOptions::default()
        };
        reports.push(("explicit", check::check_explicitly(program, &options, |_| {})));
        for engine in Engine::ALL {
            let mut options = CheckOptions { engine, ..self.options() };
            options.limits.depth = (engine != Engine::Ic3).then_some(8);
            reports.push((engine.name(), small(check::check(program, &options, |_| {}))));
        }
        reports
    }

    fn place(&self, property: PropertyId, who: &str) -> String {
        format!("seed {}, {who}: {}", self.seed, self.program.property(property).name)
    }

    /// Compares a verdict with the known one, and looks at its run.
    fn hear(&mut self, who: &str, finding: &Finding) {
        let property = finding.property;
        let reachable = match &finding.answer {
            Answer::Unknown(_) => {
                self.tally.open += 1;
                return;
            }
            Answer::Withdrawn { reason, claim } => {
                let text = match claim {
                    check::Claim::Proof(Some(certificate)) => certificate::text::write(&self.program, [&**certificate]),
                    claim => format!("{claim:?}"),
                };
                let source = &self.program.sources.files()[0].text;
                panic!("{}: {reason}\n{source}\n{text}", self.place(property, who));
            }
            Answer::Unreachable { .. } => {
                let (proofs, confirmed) = self.tally.proofs.entry(who.to_string()).or_default();
                *proofs += 1;
                *confirmed += u64::from(finding.is_confirmed());
                false
            }
            Answer::Reachable { run: inputs } => {
                self.replay(property, inputs, who);
                true
            }
        };
        self.tally.verdicts += 1;
        let (known, other) = self.known.entry(property).or_insert((reachable, who.into())).clone();
        assert_eq!(reachable, known, "{}: {other} says otherwise", self.place(property, who));
    }

    /// A run reaches its property with the last step, also by way of files.
    fn replay(&mut self, property: PropertyId, run: &Run, who: &str) {
        let program = &self.program;
        assert_eq!(reaches(program, run, property), Some(run.len()), "{}", self.place(property, who));
        let witness = Witness::new(program, property, run.clone());
        let mut texts = vec![vec![]];
        json::write(&mut texts[0], program, &witness).expect("memory");
        if program.legend.is_none() {
            let mut text = vec![];
            svcomp::write(&mut text, program, &witness).expect("memory");
            texts.push(text);
        }
        for text in texts {
            let text = String::from_utf8(text).expect("text");
            let read = witness::read(program, &text).unwrap_or_else(|error| panic!("{error}\n{text}")).remove(0);
            let replayed = witness::replay(program, &read);
            let is_same = matches!(replayed, Replayed::Reached { property: found, steps, .. }
                if found == property && steps == run.len());
            assert!(is_same, "{}: {replayed:?}\n{text}", self.place(property, who));
        }
        self.tally.witnesses += 1;
    }

    /// Shortest runs are no longer than any other, and the search that knows the truth has none that is shorter.
    fn find_shortest(&mut self) -> Vec<(PropertyId, Run)> {
        let report = check::check_together(&self.program, &self.options(), |_| {}).expect("it is small");
        let run = |finding: Finding| match finding.answer {
            Answer::Reachable { run: inputs } => Some((finding.property, inputs)),
            _ => None,
        };
        let known: Vec<(PropertyId, Run)> = report.findings.into_iter().filter_map(run).collect();
        let truth = explore::explore_some(&self.program, STATES).0;
        let mut found = vec![];
        shortest::runs(&Facts::new(&self.program), &known, 1 << 24, &Interrupt::after(EACH), |property, run| {
            found.push((property, run));
        });
        for (property, run) in &found {
            self.replay(*property, run, "shortest");
            let longest = known.iter().filter(|(other, _)| other == property).map(|(_, run)| run.len()).max();
            assert!(Some(run.len()) <= longest, "{}", self.place(*property, "shortest"));
            if let Some(inputs) = truth.reached.get(&self.program.property(*property).name) {
                let steps = inputs.len() / self.program.inputs.len().max(1);
                assert_eq!(run.len(), steps, "{}", self.place(*property, "shortest"));
            }
        }
        self.tally.shortest += found.len() as u64;
        known
    }

    fn ask_gcc(&mut self, runs: &[(PropertyId, Run)]) {
        let claims: Vec<(PropertyId, &[Vec<i32>])> = runs.iter().map(|(property, run)| (*property, &**run)).collect();
        let interrupt = Interrupt::default();
        let compiled = Compiled::new(&self.program, &interrupt).expect("gcc takes it");
        for (opinion, (property, _)) in
            compiled.judge(&self.program, &claims, &interrupt).expect("it runs").iter().zip(runs)
        {
            match opinion {
                Opinion::Agrees => self.tally.compiled += 1,
                Opinion::CannotTell(_) => {}
                Opinion::Differs(how) => panic!("{}: {how}", self.place(*property, "gcc")),
            }
        }
    }

    /// The same program as an AIGER model, written, read, simplified and decided.
    fn as_circuit(&mut self) {
        let system =
            passes::run(system::build(&self.program).expect("it is small"), Passes::ALL, &Interrupt::default()).system;
        let mut bytes = vec![];
        let circuit = blast(&system, Width::Reduced).circuit;
        aiger::write(&mut bytes, &circuit, aiger::Format::Binary, "").expect("memory");
        let model = aiger::read(&bytes).expect("what we write can be read");
        let limits = Limits { interrupt: Interrupt::after(EACH), ..Limits::default() };
        let report =
            hardware::check(&model, &hardware::ModelOptions { limits, ..hardware::ModelOptions::default() }, |_| {});
        let opening = Simulator::new(&self.program).opening().clone();
        for finding in report.findings {
            let property = finding.property;
            let reachable = match finding.answer {
                hardware::Answer::Unknown(_) => continue,
                hardware::Answer::Withdrawn { .. } => panic!("{}", self.place(property, "circuit")),
                hardware::Answer::Unreachable { .. } => false,
                hardware::Answer::Reachable { run: trace } => {
                    let mut text = vec![];
                    hardware::witness::write(&mut text, property.index(), &trace).expect("memory");
                    let text = String::from_utf8(text).expect("text");
                    let (_, read) = hardware::witness::read(&model, &text).expect("ours").remove(0);
                    assert!(read.reaches(&model.circuit, property.index()), "{}", self.place(property, "circuit"));
                    true
                }
            };
            // Properties that the setup reaches need no step, and a circuit has nothing else.
            if let Some((known, other)) = self.known.get(&property)
                && !opening.reaches(property)
            {
                assert_eq!(reachable, *known, "{}: {other} says otherwise", self.place(property, "circuit"));
                self.tally.circuits += 1;
            }
        }
    }
}
