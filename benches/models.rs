//! The project's models: `cargo bench --bench models`.
//!
//! The first table compares what `check` does by default with each single engine, on every model and on one with many
//! inputs: seconds of the processor in all threads, what stayed open (`?`), what was proved but not confirmed (`!`), and how the default compares with the
//! best engine, which is the fastest of those that leave the least open and unconfirmed. The default is called `slow` if it takes
//! more than twice as long and a tenth of a second, and `worse` if it leaves more open or unconfirmed. The second shows how the time of
//! IC3 grows with the size of models: each has a constant at its top that says how large it is, which is turned up step by
//! step until a check takes longer than a limit. `-- FILE...` compares on these files only.

#[path = "common/processor.rs"]
mod processor;

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use redoubt::base::Interrupt;
use redoubt::base::Limits;
use redoubt::check::{self, Means, Options, Report};
use redoubt::engine::Engine;
use redoubt::ledger::Terms;
use redoubt::program::{Program, PropertyId, PropertyKind};
use redoubt::source::gcl;
use redoubt::text::{SourceFile, Sources};

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

/// Who is compared; the first one is the default.
const COMPARED: [(&str, Means, Engine); 7] = [
    ("all", Means::Together, Engine::Ic3),
    ("boxes", Means::Boxes, Engine::Ic3),
    ("regions", Means::Regions, Engine::Ic3),
    ("explicit", Means::Explicit, Engine::Ic3),
    ("ic3", Means::Circuit, Engine::Ic3),
    ("kinduction", Means::Circuit, Engine::KInduction),
    ("portfolio", Means::Circuit, Engine::Portfolio),
];

const LIMIT: Duration = Duration::from_secs(60);
const COMPARED_LIMIT: Duration = Duration::from_secs(20);

fn main() {
    let files: Vec<PathBuf> = std::env::args().skip(1).filter(|name| name != "--bench").map(PathBuf::from).collect();
    let head: String = COMPARED.iter().map(|(name, ..)| format!("{name:>15}")).collect();
    println!("{:18}{head} {:>8}", "model", "ratio");
    for path in if files.is_empty() { models() } else { files.clone() } {
        let name = path.file_stem().expect("a file has a name").to_string_lossy();
        compare(&load(&name, std::fs::read_to_string(&path).expect("the model can be read")));
    }
    if files.is_empty() {
        compare(&load("switches", switches(32)));
        compare(&load("shift_register", shift_register(24)));
        compare(&load("counters", counters(3, 40)));
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

/// A model with so many inputs, all of which matter in every step.
fn switches(inputs: usize) -> String {
    let last = inputs - 1;
    format!(
        "system switches\ninput on: bool[{inputs}]\nvar level: 0..7 = 0\nstep {{\n  \
         if all i in 0..{last}: on[i] {{ level = if level < 7 then level + 1 else 0 }}\n  \
         else if any i in 1..{last}: !on[i] {{ level = 0 }}\n}}\n\
         property filled: reach level == 3\nproperty step_by_step: never level > prev(level) + 1\n"
    )
}

/// A bit that takes so many steps through a register: what comes out is what went in, so many steps before.
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

/// How a report falls short: properties that are open, and proofs that are not confirmed.
fn shortcomings(report: &Report) -> (usize, usize) {
    let open = report.findings.iter().filter(|finding| finding.answer.is_unknown()).count();
    (open, report.findings.iter().filter(|finding| !finding.is_confirmed()).count() - open)
}

fn options(program: &Program, limit: Duration, engine: Engine) -> Options {
    let all = (0..program.properties.len()).map(PropertyId::new);
    Options {
        engine,
        limits: Limits { interrupt: Interrupt::after(limit), ..Limits::default() },
        properties: Some(all.filter(|&id| program.property(id).kind != PropertyKind::Lint).collect()),
        ..Options::default()
    }
}

/// A line of the first table.
fn compare(program: &Program) {
    let mut line = format!("{:18}", program.name);
    let mut results = vec![];
    for (_, means, engine) in COMPARED {
        let options = options(program, COMPARED_LIMIT, engine);
        let begun = processor_time();
        let report = check::decide(program, means, &options, &Terms::default(), |_| {}).expect("small enough");
        let ((open, unconfirmed), seconds) = (shortcomings(&report), processor_time() - begun);
        let mark = |sign, number| if number > 0 { format!("{sign}{number}") } else { String::new() };
        line += &format!("{:>15}", format!("{seconds:.2}{}{}", mark('?', open), mark('!', unconfirmed)));
        results.push(((open, unconfirmed), seconds));
    }
    let (default, others) = (results[0], &results[1..]);
    let least = others.iter().map(|result| result.0).min().expect("there are others");
    let best = others.iter().filter(|result| result.0 == least).map(|result| result.1).fold(f64::MAX, f64::min);
    let verdict = match default {
        (shortcomings, _) if shortcomings > least => " worse",
        (_, seconds) if seconds > 2.0 * best + 0.1 => " slow",
        _ => "",
    };
    println!("{line} {:>8.1}{verdict}", default.1 / best);
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
