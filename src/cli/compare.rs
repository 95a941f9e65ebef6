//! `redoubt compare`: decides whether two programs, models or circuits behave alike, and shows a run on which they differ
//! in two columns.

mod columns;
mod patience;

use std::io::Write;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::{Duration, Instant};

use clap::Args;
use redoubt_base::{Interrupt, Limits, Threads};
use redoubt_checker as certificate;
use redoubt_circuit::aiger::Model;
use redoubt_compare::{self as compare, Likeness, Matching, Observed, Side, Wanted, circuits};
use redoubt_driver::ledger::Why;
use redoubt_driver::{check, hardware};
use redoubt_program::program::Program;
use redoubt_witness as witness;

use super::check::{EngineChoice, memory::Memory, problems, seconds, signals};
use super::load::{self, Constants, Hardware};
use super::output::{count, stdout, write_whole};
use super::{Failure, Outcome};
use columns::Columns;

pub const EXAMPLES: &str = "\
Examples:
  redoubt compare old/Problem1.c new/Problem1.c        the same outputs and errors for all inputs?
  redoubt compare elevator.gcl elevator2.gcl --output door --output floor
  redoubt compare Problem1.c Problem1.gcl              a program and a model of it
  redoubt compare Problem1.c Problem1.aig              a program and its encoding
  redoubt compare before.aig after.aig --timeout 60

Exit codes: 0 if they behave alike, 10 if they do not, 20 if that could not be decided.";

#[derive(Args)]
pub struct CompareArgs {
    /// The first program (.c), model (.gcl) or circuit (.aig, .aag, .btor2), or a folder that holds one
    #[arg(value_name = "OLD")]
    old: PathBuf,

    /// The one to compare it with
    #[arg(value_name = "NEW")]
    new: PathBuf,

    #[command(flatten)]
    constants: Constants,

    /// Compare only this: a variable, a property, `printed` (the output of a program) or `end` (how a run ends); of a
    /// circuit, an output or a bad state
    #[arg(long = "output", value_name = "NAME")]
    outputs: Vec<String>,

    /// Compare on the inputs and values that both have; an input that only one has may take any value
    #[arg(long)]
    common_inputs: bool,

    /// The engines to use: all together, or one of them [default: all; portfolio for circuits]
    #[arg(long, value_enum)]
    engine: Option<EngineChoice>,

    /// Stop after this many seconds
    #[arg(long, value_name = "S", value_parser = seconds)]
    timeout: Option<Duration>,

    /// Limit the memory of the process
    #[arg(long, value_name = "MB")]
    memory: Option<usize>,

    /// Do not check the certificate of a proof
    #[arg(long)]
    no_certify: bool,

    /// Show only the verdict, without the matched names
    #[arg(long, short)]
    quiet: bool,

    /// Write the run on which they differ, or the certificate that there is none, to this file
    #[arg(long, value_name = "FILE")]
    witness: Option<PathBuf>,
}

/// One of the two.
enum Subject {
    Program(Box<Program>),
    Circuit(Box<Hardware>),
}

pub fn run(options: CompareArgs, color: bool) -> Result<Outcome, Failure> {
    let start = Instant::now();
    let signals = signals();
    let interrupt = signals.part();
    if let Some(limit) = options.timeout {
        interrupt.set_deadline(Some(signals.elapsed().saturating_add(limit)));
    }
    let options = Arc::new(options);
    let asked = Arc::clone(&options);
    let decided = patience::within(options.timeout, &signals, move || decide(&asked, color, &interrupt))?;
    let report = decided.unwrap_or_else(|| Ok(unknown(String::new(), Why::Time.words())))?;
    let mut out = std::io::BufWriter::new(stdout());
    if !options.quiet {
        writeln!(out, "old         {}", options.old.display())?;
        writeln!(out, "new         {}", options.new.display())?;
        out.write_all(report.matched.as_bytes())?;
        writeln!(out)?;
    }
    writeln!(out, "{} ({:.2} s)", report.verdict, start.elapsed().as_secs_f64())?;
    out.write_all(report.run.as_bytes())?;
    out.flush()?;
    match (&options.witness, &report.witness) {
        (Some(path), Some(text)) => write_whole(path, text)?,
        (Some(_), None) => super::output::message("note: there is nothing to write\n"),
        (None, _) => {}
    }
    if signals.is_raised() { Err(Failure::Interrupted) } else { Ok(report.outcome) }
}

fn decide(options: &CompareArgs, color: bool, interrupt: &Interrupt) -> Result<Report, Failure> {
    let watch = Memory::watch(options.memory)?;
    let _working = watch.begin(interrupt);
    let (old, new) = (subject(options, &options.old, color)?, subject(options, &options.new, color)?);
    let wanted = Wanted { outputs: options.outputs.clone(), common_inputs: options.common_inputs };
    match (&old, &new) {
        (Subject::Program(old), Subject::Program(new)) => {
            programs(options, old, new, &wanted, interrupt, watch.for_states())
        }
        (Subject::Circuit(old), Subject::Circuit(new)) => {
            models(options, &old.circuit, &new.circuit, &wanted, interrupt)
        }
        (Subject::Program(old), Subject::Circuit(new)) => {
            let old = circuits::of_program(old, &new.circuit)?;
            models(options, &old, &new.circuit, &wanted, interrupt)
        }
        (Subject::Circuit(old), Subject::Program(new)) => {
            let new = circuits::of_program(new, &old.circuit)?;
            models(options, &old.circuit, &new, &wanted, interrupt)
        }
    }
}

/// The final words.
struct Report {
    matched: String,
    verdict: String,
    /// A run on which they differ.
    run: String,
    witness: Option<String>,
    outcome: Outcome,
}

fn subject(options: &CompareArgs, path: &Path, color: bool) -> Result<Subject, Failure> {
    let files = files(path)?;
    if let Some(hardware) = load::model(&files)? {
        return Ok(Subject::Circuit(Box::new(hardware)));
    }
    let program = load::program(&files, &options.constants, color)?;
    Ok(Subject::Program(Box::new(Program { name: path.to_string_lossy().into_owned(), ..program })))
}

/// The files of one program: the named one with the files that belong to it, or those of the named folder.
fn files(path: &Path) -> Result<Vec<PathBuf>, Failure> {
    if path.is_dir() {
        let found = problems(&[path.to_path_buf()]);
        return match found.as_slice() {
            [only] if only.flaw.is_none() => Ok(only.files.clone()),
            [only] => Err(Failure::Unreadable { path: path.into(), reason: only.flaw.clone().unwrap_or_default() }),
            _ => {
                let reason = format!("{} in this folder; expected one", count(found.len(), "problem"));
                Err(Failure::Unreadable { path: path.into(), reason })
            }
        };
    }
    Ok(load::with_external(path))
}

fn mismatch(mismatch: compare::Mismatch) -> Failure {
    let help = match mismatch {
        compare::Mismatch::Input { .. } | compare::Mismatch::Values { .. } => {
            "; --common-inputs compares on the inputs and values that both have"
        }
        _ => "",
    };
    Failure::Usage(format!("{mismatch}{help}"))
}

fn limits(interrupt: &Interrupt) -> Limits {
    Limits { interrupt: interrupt.clone(), threads: Threads::other_cores(), ..Limits::default() }
}

fn programs(
    options: &CompareArgs,
    old: &Program,
    new: &Program,
    wanted: &Wanted,
    interrupt: &Interrupt,
    memory: usize,
) -> Result<Report, Failure> {
    let new = &compare::with_outputs_of(old, new);
    let matching = compare::matching(old, new, wanted).map_err(mismatch)?;
    let engine = options.engine.unwrap_or(EngineChoice::All);
    let check_options = check::CheckOptions {
        limits: limits(interrupt),
        engine: engine.on_circuits().filter(|_| engine != EngineChoice::All).unwrap_or_default(),
        confirm: !options.no_certify,
        memory,
        ..check::CheckOptions::default()
    };
    let comparison = compare::decide(old, new, &matching, engine.on_programs(), &check_options)?;
    let matched = matched(old, new, &matching);
    Ok(match &comparison.verdict {
        Likeness::Equal { is_confirmed } => {
            let product = comparison.product.as_ref().map(|product| {
                let all = comparison.findings.iter().filter_map(|finding| match &finding.answer {
                    check::Answer::Unreachable { checked: Some(checked), .. } => Some(&*checked.certificate),
                    _ => None,
                });
                let certificates = certificate::combined(all);
                certificate::text::write(&product.program, certificates.iter())
            });
            equal(matched, *is_confirmed, product)
        }
        Likeness::Unknown(why) => unknown(matched, why),
        Likeness::Different { run, is_shortest } => {
            let scenes = compare::replay(old, new, &matching, run);
            let late = usize::from(run.len() >= scenes.len());
            let mut columns = Columns::default();
            for (index, scene) in scenes.iter().enumerate() {
                let inputs = matching.inputs.iter().zip(&scene.inputs);
                let inputs: Vec<String> = inputs
                    .filter(|(channel, _)| !channel.is_choice || channel.alphabet.size() > 1)
                    .map(|(channel, &value)| format!("{} = {}", channel.name, written(old, new, channel, value)))
                    .collect();
                columns.scene(index, if index == 0 { String::new() } else { inputs.join(", ") }, scene);
            }
            let steps = run.len().saturating_sub(late);
            different(matched, steps, *is_shortest, columns, Some(inputs_text(run)))
        }
    })
}

/// The inputs of a run, a line per step.
fn inputs_text(run: &witness::Run) -> String {
    let line = |inputs: &Vec<i32>| inputs.iter().map(i32::to_string).collect::<Vec<_>>().join(" ") + "\n";
    run.iter().map(line).collect()
}

/// The value of an input as the author of the old program, or of the only one that has it, writes it.
fn written(old: &Program, new: &Program, channel: &compare::matching::Channel, value: i32) -> String {
    let (program, input) = match (channel.old, channel.new) {
        (Some(input), _) => (old, input),
        (None, Some(input)) => (new, input),
        (None, None) => return value.to_string(),
    };
    match &program.legend {
        Some(legend) => legend.value(legend.role(input).meaning(), value),
        None => match (program.words.inputs.get(&value), channel.new) {
            // Only the new one knows this word.
            (None, Some(_)) if !new.words.is_empty() => new.words.input(channel.value(Side::New, value)),
            _ => program.words.input(value),
        },
    }
}

fn models(
    options: &CompareArgs,
    old: &Model,
    new: &Model,
    wanted: &Wanted,
    interrupt: &Interrupt,
) -> Result<Report, Failure> {
    let miter = circuits::miter(old, new, wanted).map_err(mismatch)?;
    let Some(engine) = options.engine.unwrap_or(EngineChoice::Portfolio).on_circuits() else {
        return Err(Failure::Usage("this engine is for programs, not for circuits".into()));
    };
    let model_options = hardware::ModelOptions {
        engine,
        limits: limits(interrupt),
        confirm: !options.no_certify,
        ..hardware::ModelOptions::default()
    };
    let (verdict, _) = circuits::decide(&miter, old, new, &model_options);
    let mut matched = Columns::lines("inputs", miter.inputs.iter().map(|(name, ..)| name.clone()));
    matched += &Columns::lines("compared", miter.outputs.iter().map(|(name, ..)| name.clone()));
    matched += &only(&miter.only);
    if !old.justice.is_empty() || !new.justice.is_empty() {
        matched += "note: justice properties are not compared\n";
    }
    Ok(match verdict {
        Likeness::Equal { is_confirmed } => equal(matched, is_confirmed, None),
        Likeness::Unknown(why) => unknown(matched, &why),
        Likeness::Different { run: trace, is_shortest } => {
            let mut columns = Columns::default();
            let scenes = circuits::replay(&miter, old, new, &trace);
            for (index, scene) in scenes.iter().enumerate() {
                let set = miter.inputs.iter().zip(&scene.inputs).filter(|(_, value)| **value == 1);
                let set: Vec<&str> = set.map(|((name, ..), _)| name.as_str()).collect();
                columns.scene(index + 1, set.join(" "), scene);
            }
            let bits = |values: &[i32]| values.iter().map(|value| value.to_string()).collect::<String>() + "\n";
            let text: String = scenes.iter().map(|scene| bits(&scene.inputs)).collect();
            different(matched, scenes.len(), is_shortest, columns, Some(text))
        }
    })
}

fn equal(matched: String, is_confirmed: bool, witness: Option<String>) -> Report {
    let confirmed = if is_confirmed { "confirmed" } else { "not confirmed by the checker" };
    Report {
        matched,
        verdict: format!("equal: proved, {confirmed}"),
        run: String::new(),
        witness,
        outcome: Outcome::Holds,
    }
}

fn unknown(matched: String, why: &str) -> Report {
    Report {
        matched,
        verdict: format!("unknown: {why}"),
        run: String::new(),
        witness: None,
        outcome: Outcome::Undecided,
    }
}

fn different(matched: String, steps: usize, is_shortest: bool, columns: Columns, witness: Option<String>) -> Report {
    let when = match steps {
        0 => "at the start".to_string(),
        steps => format!("after {}{}", count(steps, "step"), if is_shortest { ", on a shortest run" } else { "" }),
    };
    let run = format!("\n{}", columns.finish());
    Report { matched, verdict: format!("different: {when}"), run, witness, outcome: Outcome::Violated }
}

/// The correspondence, for people.
fn matched(old: &Program, new: &Program, matching: &Matching) -> String {
    let inputs = matching.inputs.iter().map(|channel| {
        let other = channel.new.map(|input| &new.input(input).name);
        match (channel.old, other) {
            (Some(_), Some(other)) if *other == channel.name || channel.is_choice => channel.name.clone(),
            (Some(_), Some(other)) => format!("{} ({other})", channel.name),
            (Some(_), None) => format!("{} (only old)", channel.name),
            _ => format!("{} (only new)", channel.name),
        }
    });
    let mut text = Columns::lines("inputs", inputs);
    let compared = matching.observed.iter().map(|observed| match observed {
        Observed::Number { .. } => format!("printed ({})", observed.name(old, new)),
        _ => observed.name(old, new),
    });
    text += &Columns::lines("compared", compared);
    text + &only(&matching.only)
}

fn only(only: &[(Side, String)]) -> String {
    let of = |side: Side| only.iter().filter(move |(has, _)| *has == side).map(|(_, name)| name.clone());
    Columns::lines("only old", of(Side::Old)) + &Columns::lines("only new", of(Side::New))
}
