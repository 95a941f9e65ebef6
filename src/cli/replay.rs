//! `redoubt replay`: runs a witness again and says whether it reaches its property.

use std::collections::BTreeMap;
use std::io::Write;
use std::path::{Path, PathBuf};

use clap::Args;
use redoubt_base::Interrupt;
use redoubt_circuit::Trace;
use redoubt_circuit::aiger::Model;
use redoubt_circuit::liveness::Lasso;
use redoubt_driver::hardware;
use redoubt_driver::hardware::witness::Claim;
use redoubt_driver::time;
use redoubt_program::program::time::Question;
use redoubt_program::program::{Program, PropertyId, Status};
use redoubt_witness::compiled::{Compiled, Opinion, Trouble};
use redoubt_witness::{self as witness, Replayed, Run, Target, Witness};
use redoubt_words as words;

use super::output::{count, message, stdout};
use super::{Failure, Outcome, load, model};

pub const EXAMPLES: &str = "\
Examples:
  redoubt replay Problem1.c witnesses/Problem1.error_3.json
  redoubt replay Problem1.c witnesses/Problem1.error_3.yml --gcc
  redoubt check Problem1.c --format jsonl > verdicts.jsonl; redoubt replay Problem1.c verdicts.jsonl
  redoubt replay counter.aig counter.b0.aiw
  redoubt replay arbiter.aig arbiter.j0.aiw
  redoubt replay fifo.btor2 fifo.b0.wit

Exit codes: 10 if every witness reaches its property (0 if these are all goals), 20 if one does not";

/// Witnesses with more bytes are refused.
const MAX_BYTES: usize = 1 << 30;

#[derive(Args)]
pub struct ReplayArgs {
    /// The files of one program, or a hardware model, and then the witness: JSON, a line of `check --format jsonl`,
    /// SV-COMP's YAML, or an AIGER or BTOR2 witness for a model
    #[arg(required = true, value_name = "FILE")]
    files: Vec<PathBuf>,

    #[command(flatten)]
    constants: load::Constants,

    /// Also compile the original C with gcc, and run that
    #[arg(long)]
    gcc: bool,
}

pub fn run(options: &ReplayArgs, color: bool) -> Result<Outcome, Failure> {
    let Some((path, files)) = options.files.split_last().filter(|(_, files)| !files.is_empty()) else {
        return Err(Failure::Usage("expected a program and a witness".into()));
    };
    if let Some(model) = load::smaller_model(files)? {
        if options.gcc {
            return Err(Failure::Usage("--gcc is for C programs".into()));
        }
        return match &model.words {
            Some(words) => replay_words(&words.model, path),
            None => replay_model(&model.circuit, path),
        };
    }
    let text = read(path)?;
    let choices = witness::constants(&text);
    let fitting: Vec<_> = choices.iter().filter(|choice| options.constants.agree_with(choice)).collect();
    if let (Some(only), true) = (choices.first(), fitting.is_empty()) {
        return Err(Failure::Usage(format!("the witness was made with {}", load::in_words(only))));
    }
    let (mut outcome, mut trouble, mut replayed) = (Outcome::Holds, None, 0);
    for recorded in &fitting {
        let (program, witnesses) = match made_with(options, files, (path, &text), recorded, color) {
            Ok(found) => found,
            // The lines of many problems may be in one file, and then not all constants are of this one.
            Err(failure) if fitting.len() > 1 => {
                trouble.get_or_insert(failure);
                continue;
            }
            Err(failure) => return Err(failure),
        };
        if fitting.len() > 1 {
            let gap = if replayed > 0 { "\n" } else { "" };
            writeln!(stdout(), "{gap}{}:", load::in_words(recorded))?;
        }
        replayed += 1;
        outcome = match (outcome, replay_all(&program, &witnesses, options.gcc)?) {
            (Outcome::Holds, other) | (other, Outcome::Holds) => other,
            (Outcome::Violated, Outcome::Violated) => Outcome::Violated,
            _ => Outcome::Undecided,
        };
    }
    match trouble {
        Some(failure) if replayed == 0 => Err(failure),
        _ => Ok(outcome),
    }
}

/// The program with these constants, and the witnesses that were made with them.
fn made_with(
    options: &ReplayArgs,
    files: &[PathBuf],
    (path, text): (&Path, &str),
    recorded: &BTreeMap<String, String>,
    color: bool,
) -> Result<(Program, Vec<Witness>), Failure> {
    let program = load::program(files, &options.constants.with(recorded), color)?;
    if options.gcc && !program.language.is_c() {
        return Err(Failure::Usage("--gcc is for C programs".into()));
    }
    let witnesses = witness::read_made_with(&program, recorded, text).map_err(|error| unreadable(path, &error))?;
    Ok((program, witnesses))
}

/// Replays witnesses of a program, and reports the judgement on each.
fn replay_all(program: &Program, witnesses: &[Witness], with_gcc: bool) -> Result<Outcome, Failure> {
    let mut changed: Vec<String> = witnesses.iter().flat_map(|witness| witness.changed_files(program)).collect();
    changed.dedup();
    for file in changed {
        message(&format!("note: {file} has changed since the witness was made\n"));
    }
    let mut reached: Vec<(PropertyId, Run)> = vec![];
    let (mut missed, mut endless) = (false, false);
    for witness in witnesses {
        if let Some(line) = replay_endless(program, witness) {
            missed |= line.is_err();
            endless |= line.is_ok();
            writeln!(stdout(), "{:20}  {}", witness.target.to_string(), line.unwrap_or_else(|why| why))?;
            continue;
        }
        let line = match witness::replay(program, witness) {
            Replayed::Reached { property, steps, place } => {
                reached.push((property, witness.run[..steps].to_vec()));
                let (name, place) = (&program.property(property).name, program.sources.place(place));
                let rest = match witness.run.len() - steps {
                    0 => String::new(),
                    rest => format!("; the last {} not needed", are(rest)),
                };
                let is_broken =
                    program.language.is_model() && program.property(property).kind.status(true) == Status::Violated;
                let word = if is_broken { "violated" } else { "reached" };
                format!("{name:20}  {word} after {} ({place}){rest}", count(steps, "step"))
            }
            Replayed::Missed(why) => {
                missed = true;
                format!("{:20}  not reached: {why}", witness.target.to_string())
            }
        };
        writeln!(stdout(), "{line}")?;
    }
    if with_gcc {
        ask_gcc(program, &reached)?;
    }
    let unwanted =
        |(property, _): &(PropertyId, Run)| program.property(*property).kind.status(true) == Status::Violated;
    Ok(match missed {
        true => Outcome::Undecided,
        false if endless || reached.iter().any(unwanted) => Outcome::Violated,
        false => Outcome::Holds,
    })
}

/// The judgement on a witness of a property of whole runs; `None` if it is for something else.
fn replay_endless(program: &Program, witness: &Witness) -> Option<Result<String, String>> {
    let timed = program.timed.iter().find(|timed| Target::Property(timed.name.clone()) == witness.target)?;
    if let Question::Branching(_) = timed.question {
        let is_one = time::repeats(&witness.run, witness.loop_start, program, timed)
            .map_err(|why| format!("no run of the model: {why}"));
        return Some(is_one.map(|()| "a run of the model; the property at its end is about many runs".into()));
    }
    let Some(loop_start) = witness.loop_start else {
        return Some(Err("not violated: the witness does not say where its loop begins".into()));
    };
    let lasso = time::Lasso { run: witness.run.clone(), loop_start };
    let start = program
        .legend
        .as_ref()
        .map_or(loop_start, |legend| model::steps(legend, &lasso.run[..loop_start.min(lasso.run.len())]));
    let said = match start {
        0 => format!("violated by {} for ever", count(lasso.run.len().saturating_sub(loop_start), "step")),
        _ => format!(
            "violated by {} and then {} for ever",
            count(start, "step"),
            lasso.run.len().saturating_sub(loop_start)
        ),
    };
    Some(lasso.violates(program, timed).map(|()| said).map_err(|why| format!("not violated: {why}")))
}

/// `1 step is`, `2 steps are`.
fn are(number: usize) -> String {
    format!("{} {}", count(number, "step"), if number == 1 { "is" } else { "are" })
}

/// Compiles the program and runs it on the runs that the simulator confirmed.
fn ask_gcc(program: &Program, reached: &[(PropertyId, Run)]) -> Result<(), Failure> {
    let interrupt = Interrupt::default();
    let failed = |trouble: Trouble| Failure::Confirmation(trouble.to_string());
    let compiled = Compiled::new(program, &interrupt).map_err(failed)?;
    let claims: Vec<(PropertyId, &[Vec<i32>])> = reached.iter().map(|(property, run)| (*property, &**run)).collect();
    let mut differences = 0;
    for ((property, _), opinion) in reached.iter().zip(compiled.judge(program, &claims, &interrupt).map_err(failed)?) {
        let said = match opinion {
            Opinion::Agrees => "gcc agrees".into(),
            Opinion::CannotTell(why) => format!("gcc cannot tell: {why}"),
            Opinion::Differs(how) => {
                differences += 1;
                format!("gcc differs: {how}")
            }
        };
        writeln!(stdout(), "{:20}  {said}", program.property(*property).name)?;
    }
    match differences {
        0 => Ok(()),
        _ => Err(Failure::Bug("the simulator and the compiled program do not agree".into())),
    }
}

/// These constants, and those that the first run in a file of witnesses was made with.
pub fn constants_of_first(given: &load::Constants, path: &Path) -> Result<load::Constants, Failure> {
    let choices = witness::constants(&read(path)?);
    match choices.iter().find(|choice| given.agree_with(choice)) {
        Some(recorded) => Ok(given.with(recorded)),
        None => Err(Failure::Usage(format!("the witness was made with {}", load::in_words(&choices[0])))),
    }
}

/// The first run in a file of witnesses.
pub fn witness(program: &Program, path: &Path) -> Result<Witness, Failure> {
    let witnesses = witness::read(program, &read(path)?).map_err(|error| unreadable(path, &error))?;
    let first = witnesses.into_iter().next();
    first.ok_or_else(|| Failure::Unreadable { path: path.into(), reason: "there is no run in it".into() })
}

fn replay_model(model: &Model, path: &Path) -> Result<Outcome, Failure> {
    let text = read(path)?;
    let witnesses = hardware::witness::read(model, &text).map_err(|error| unreadable(path, &error))?;
    let mut missed = false;
    for (claim, trace) in witnesses {
        let (name, said) = match claim {
            Claim::Bad(property) => {
                let reached = trace.reaches(&model.circuit, property);
                let steps = count(trace.inputs.len(), "step");
                let why = "not reached: the model has no such run, or it is not bad at its end";
                (&model.properties[property], reached.then(|| format!("reached after {steps}")).ok_or(why))
            }
            Claim::Justice(property) => (&model.justice[property].name, recurs(model, property, &trace)),
        };
        missed |= said.is_err();
        let said = said.unwrap_or_else(String::from);
        writeln!(stdout(), "{name:20}  {said}")?;
    }
    Ok(if missed { Outcome::Undecided } else { Outcome::Violated })
}

/// A witness of a word-level model is repeated on its words.
fn replay_words(model: &words::Model, path: &Path) -> Result<Outcome, Failure> {
    let text = read(path)?;
    let witnesses = words::witness::read(model, &text)
        .map_err(|misread| unreadable(path, &witness::ReadError { line: misread.line, message: misread.message }))?;
    let mut missed = false;
    for (claim, run) in witnesses {
        let steps = run.steps.len();
        let (name, said) = match claim {
            Claim::Bad(property) => {
                let reached = run.reaches(model, property).map(|()| format!("reached after {}", count(steps, "step")));
                (format!("b{property}"), reached.map_err(|flaw| format!("not reached: {flaw}")))
            }
            Claim::Justice(property) => {
                let violated = run.recurs(model, property);
                let violated = violated
                    .map(|start| format!("violated by {} and {} for ever", count(start, "step"), steps - start));
                (format!("j{property}"), violated.map_err(|flaw| format!("not violated: {flaw}")))
            }
        };
        missed |= said.is_err();
        writeln!(stdout(), "{name:20}  {}", said.unwrap_or_else(|flaw| flaw))?;
    }
    Ok(if missed { Outcome::Undecided } else { Outcome::Violated })
}

/// Whether the steps of a witness go on for ever with all signals of a justice property.
fn recurs(model: &Model, property: usize, trace: &Trace) -> Result<String, &'static str> {
    let signals = model.recurring(property);
    let lasso = Lasso::of_trace(trace, &model.circuit, &signals);
    let lasso = lasso.ok_or("not violated: the state after the last step is none of those before")?;
    if !lasso.recurs(&model.circuit, &signals) {
        return Err("not violated: the model has no such run, or a signal is not seen in its loop");
    }
    let cycle = lasso.inputs.len() - lasso.start;
    Ok(format!("violated by {} and {cycle} for ever", count(lasso.start, "step")))
}

fn read(path: &Path) -> Result<String, Failure> {
    let unreadable = |reason: String| Failure::Unreadable { path: path.into(), reason };
    let bytes = load::read_bytes(path, MAX_BYTES).map_err(|error| unreadable(error.to_string()))?;
    if bytes.len() > MAX_BYTES {
        return Err(unreadable(format!("larger than {MAX_BYTES} bytes")));
    }
    String::from_utf8(bytes).map_err(|_| unreadable("not UTF-8 text; expected a witness".into()))
}

fn unreadable(path: &Path, error: &witness::ReadError) -> Failure {
    Failure::Unreadable { path: path.into(), reason: error.to_string() }
}
