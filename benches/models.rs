//! The project's models: `cargo bench --bench models`.
//!
//! The first table compares the default of `check` with every single engine that `check --engine` offers, on the
//! project's models, on some with many inputs or states, and on random ones: seconds of the processor in all threads,
//! open properties (`?`), unconfirmed proofs (`!`), and how the default compares with the best engine, which is the
//! fastest of those that leave the least open and unconfirmed. The default is called `slow` if it takes more than twice
//! as long and a tenth of a second, and `worse` if it leaves more open or unconfirmed. An engine that has taken much
//! longer than a default that left nothing open is stopped: it is not the best one. The second shows how the time of
//! IC3 grows with the size of models: each has a constant at its top for its size, which is turned up step by step
//! until a check takes longer than a limit. `-- FILE...` compares on these files only.

#[path = "common/processor.rs"]
mod processor;
#[path = "../tests/it/common/generate/model.rs"]
#[expect(dead_code, reason = "tests need more of it")]
mod random;

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::{Duration, Instant};

use redoubt_base::Interrupt;
use redoubt_base::Limits;
use redoubt_driver::check::{self, CheckOptions, Means, Report};
use redoubt_driver::ledger::Terms;
use redoubt_engine::engine::Engine;
use redoubt_languages::gcl;
use redoubt_program::program::{Program, PropertyId, PropertyKind};
use redoubt_program::text::{SourceFile, Sources};

use processor::processor_time;

/// A model, its constant, and the values to try.
const GROWING: &[(&str, &str, &[i32])] = &[
    ("elevator", "TOP", &[3, 5, 8, 12, 16, 24]),
    ("traffic_light", "MIN_GREEN", &[3, 6, 12, 24, 48]),
    ("railway_crossing", "GATE", &[2, 4, 8, 16, 32]),
    ("mutual_exclusion", "PROCESSES", &[2, 3, 4, 5]),
    ("bakery", "PROCESSES", &[2, 3]),
    ("bounded_buffer", "SIZE", &[2, 3, 4, 6, 8]),
    ("thermostat", "REST", &[2, 3, 4, 5, 6]),
    ("airlock", "FULL", &[3, 6, 12, 24]),
    ("two_lifts", "TOP", &[3, 5, 7]),
    ("msi_cache", "CPUS", &[2, 4, 6]),
];

/// The engines that are compared with the default: all that can be named.
const ENGINES: [(&str, Means, Engine); 14] = [
    ("boxes", Means::Boxes, Engine::Ic3),
    ("partition", Means::Partition, Engine::Ic3),
    ("regions", Means::Regions, Engine::Ic3),
    ("explicit", Means::Explicit, Engine::Ic3),
    ("relations", Means::Relations, Engine::Ic3),
    ("cfa", Means::Cfa, Engine::Ic3),
    ("ic3", Means::Circuit, Engine::Ic3),
    ("bmc", Means::Circuit, Engine::Bmc),
    ("kinduction", Means::Circuit, Engine::KInduction),
    ("itp", Means::Circuit, Engine::Itp),
    ("itpseq", Means::Circuit, Engine::ItpSequence),
    ("avy", Means::Circuit, Engine::Avy),
    ("bdd", Means::Circuit, Engine::Bdd),
    ("portfolio", Means::Circuit, Engine::Portfolio),
];

/// The number of random models, half of them with modules and records.
const RANDOM: u64 = 20;

const LIMIT: Duration = Duration::from_secs(60);
const COMPARED_LIMIT: Duration = Duration::from_secs(20);

fn main() {
    let files: Vec<PathBuf> = std::env::args().skip(1).filter(|name| name != "--bench").map(PathBuf::from).collect();
    let head: String = ENGINES.iter().map(|(name, ..)| format!("{name:>11}")).collect();
    println!("{:18}{:>8}{head} {:>6}", "model", "default", "ratio");
    for path in if files.is_empty() { models() } else { files.clone() } {
        let name = path.file_stem().expect("a file has a name").to_string_lossy();
        compare(&load(&name, std::fs::read_to_string(&path).expect("the model can be read")));
    }
    if files.is_empty() {
        compare(&load("switches", switches(32)));
        compare(&load("shift_register", shift_register(24)));
        compare(&load("counters", counters(3, 40)));
        for seed in 0..RANDOM {
            let text = if seed % 2 == 0 { random::model(seed) } else { random::rich_model(seed) };
            compare(&load(&format!("random {seed}"), text));
        }
        println!("\n{:18} {:>10} {:>8} {:>8} {:>9}", "model", "size", "latches", "gates", "seconds");
        for (name, constant, sizes) in GROWING {
            let _ = sizes.iter().all(|&size| measure(name, constant, size));
        }
    }
}

fn models() -> Vec<PathBuf> {
    let entries = std::fs::read_dir(folder()).expect("the folder can be read");
    let mut paths: Vec<PathBuf> = entries.filter_map(|entry| Some(entry.ok()?.path())).collect();
    paths.retain(|path| path.extension().is_some_and(|extension| extension == "gcl"));
    paths.sort();
    paths
}

fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("problems/gcl")
}

/// A model with `inputs` inputs, all of which matter in every step.
fn switches(inputs: usize) -> String {
    let last = inputs - 1;
    format!(
        "system switches\ninput on: bool[{inputs}]\nvar level: 0..7 = 0\nstep {{\n  \
         if all i in 0..{last}: on[i] {{ level = if level < 7 then level + 1 else 0 }}\n  \
         else if any i in 1..{last}: !on[i] {{ level = 0 }}\n}}\n\
         property filled: reach level == 3\nproperty step_by_step: never level > prev(level) + 1\n"
    )
}

/// A bit that takes `length` steps through a register: the output is the input of as many steps before.
fn shift_register(length: usize) -> String {
    let last = length - 1;
    format!(
        "system shift_register\ninput bit: bool\nvar cell: bool[{length}] = false\nvar seen: bool = false\nstep {{\n  \
         for i in 1..{last} {{ cell[{length} - i] = cell[{last} - i] }}\n  cell[0] = bit\n  if bit {{ seen = true }}\n}}\n\
         property from_somewhere: always (cell[{last}] -> seen)\nproperty full: reach all i in 0..{last}: cell[i]\n"
    )
}

/// Counters that go round, each with an input of its own: many states and a simple invariant.
fn counters(number: usize, most: usize) -> String {
    let last = number - 1;
    format!(
        "system counters\ninput up: bool[{number}]\nvar n: (0..{most})[{number}] = 0\nvar sum: int = 0\nstep {{\n  sum = 0\n  \
         for i in 0..{last} {{\n    if up[i] {{ n[i] = if n[i] == {most} then 0 else n[i] + 1 }}\n    sum = sum + n[i]\n  }}\n}}\n\
         property bounded: never sum > {number} * {most}\nproperty met: reach all i in 0..{last}: n[i] == 3\n"
    )
}

fn load(name: &str, text: String) -> Program {
    let sources = Arc::new(Sources::new(vec![SourceFile::new(name, text)]));
    match gcl::load(Arc::clone(&sources)) {
        Ok(program) => program,
        Err(errors) => panic!("{}", errors.render(&sources, false)),
    }
}

/// The shortcomings of a report: open properties, and unconfirmed proofs.
fn shortcomings(report: &Report) -> (usize, usize) {
    let open = report.findings.iter().filter(|finding| finding.answer.is_unknown()).count();
    (open, report.findings.iter().filter(|finding| !finding.is_confirmed()).count() - open)
}

fn options(program: &Program, limit: Duration, engine: Engine) -> CheckOptions {
    let all = (0..program.properties.len()).map(PropertyId::new);
    CheckOptions {
        engine,
        limits: Limits { interrupt: Interrupt::after(limit), ..Limits::default() },
        properties: Some(all.filter(|&id| program.property(id).kind != PropertyKind::Lint).collect()),
        ..CheckOptions::default()
    }
}

/// The result of an engine on a model.
struct Result {
    /// Properties that are open, and proofs that are not confirmed.
    shortcomings: (usize, usize),
    /// Of the processor.
    seconds: f64,
}

impl Result {
    fn of(program: &Program, means: Means, engine: Engine, limit: Duration) -> Result {
        let options = options(program, limit, engine);
        let begun = processor_time();
        let report = check::decide(program, means, &options, &Terms::default(), &mut |_| {}).expect("small enough");
        Result { shortcomings: shortcomings(&report), seconds: processor_time() - begun }
    }

    fn text(&self) -> String {
        let mark = |sign, number| if number > 0 { format!("{sign}{number}") } else { String::new() };
        let (open, unconfirmed) = self.shortcomings;
        format!("{:.2}{}{}", self.seconds, mark('?', open), mark('!', unconfirmed))
    }
}

/// A line of the first table.
fn compare(program: &Program) {
    let begun = Instant::now();
    let default = Result::of(program, Means::Together, Engine::Ic3, COMPARED_LIMIT);
    let mut line = format!("{:18}{:>8}", program.name, default.text());
    let limit = match default.shortcomings {
        (0, 0) => 3 * begun.elapsed() + Duration::from_millis(300),
        _ => COMPARED_LIMIT,
    };
    let mut results = vec![];
    for (_, means, engine) in ENGINES {
        let result = Result::of(program, means, engine, limit.min(COMPARED_LIMIT));
        line += &format!("{:>11}", result.text());
        results.push(result);
    }
    let least = results.iter().map(|result| result.shortcomings).min().expect("there are engines");
    let best = results.iter().filter(|result| result.shortcomings == least).map(|result| result.seconds);
    let best = best.fold(f64::MAX, f64::min);
    let verdict = match default.shortcomings {
        shortcomings if shortcomings > least => " worse",
        shortcomings if shortcomings < least => " better",
        _ if default.seconds > 2.0 * best + 0.1 => " slow",
        _ => "",
    };
    println!("{line} {:>6.1}{verdict}", default.seconds / best);
}

/// Checks a model of one size; false if that took too long.
fn measure(name: &str, constant: &str, size: i32) -> bool {
    let text = std::fs::read_to_string(folder().join(format!("{name}.gcl"))).expect("the model can be read");
    let program = load(name, resize(&text, constant, size));
    let report = check::check(&program, &options(&program, LIMIT, Engine::Ic3), |_| {}).expect("small enough");
    let (open, _) = shortcomings(&report);
    let (sizes, seconds) = (&report.sizes, report.elapsed.as_secs_f64());
    let remark = if open > 0 { format!("  {open} open") } else { String::new() };
    let size = format!("{constant} {size}");
    println!("{name:18} {size:>10} {:>8} {:>8} {seconds:>9.2}{remark}", sizes.latches, sizes.gates);
    open == 0
}

/// The text with another value of a constant.
fn resize(text: &str, constant: &str, size: i32) -> String {
    let head = format!("const {constant} = ");
    let line = |line: &str| match line.strip_prefix(&head) {
        Some(_) => format!("{head}{size}\n"),
        None => format!("{line}\n"),
    };
    assert!(text.contains(&head), "the model has a constant {constant}");
    text.lines().map(line).collect()
}
