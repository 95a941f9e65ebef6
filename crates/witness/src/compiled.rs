//! Witnesses against the original text: the program is compiled, C by gcc and Java by `javac`, and run on their inputs.
//!
//! Nothing that found a run takes part in this, neither parser nor simulator. The program is linked with a small driver
//! (`driver.c`, `Driver.java`) that plays its surroundings and says how each run ended.

use std::io::{self, Read};
use std::os::unix::process::CommandExt;
use std::process::{Command, Stdio};
use std::time::Duration;

use nix::sys::signal::{Signal, killpg};
use nix::unistd::Pid;
use tempfile::TempDir;

use super::java;
use super::marks::with_labels;
use crate::base::Interrupt;
use crate::program::{Language, Program, PropertyId, PropertyKind};
use crate::simulate::{End, Simulator};
use crate::text::Span;

/// Put in front of every file of a program: its `main` and `scanf` are the driver's to call and to define; labels end there.
pub const SHIM: &str = "
#include <stdio.h>
#define main redoubt_main
#undef scanf
#define scanf redoubt_scanf
int redoubt_scanf(const char *format, int *target);
void redoubt_end(const char *how, long value);
";

pub const DRIVER: &str = include_str!("driver.c");

/// Overflow wraps; without optimisation nothing else is assumed either.
pub const FLAGS: &[&str] = &["-O0", "-w", "-fwrapv"];

/// The number of functions `__VERIFIER_error_N` in the driver.
const DRIVER_ERRORS: u64 = 100;

/// The end of a run of a compiled program.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Ending {
    /// All inputs were read.
    Inputs,
    /// An error function or a failed assertion in one was called: the name of the property.
    Error(String),
    /// An assertion failed in this line.
    Assertion(usize),
    /// The program ended with this exit code, of which the system keeps eight bits.
    Exit(u8),
    /// The processor trapped: an integer division failed.
    Trap,
    /// An index left its table. The compiled program reads or writes some other memory and goes on.
    OutOfBounds,
}

impl Ending {
    /// The last mark of a run.
    pub fn of_mark(mark: &str) -> Option<Ending> {
        Some(match mark.trim_end().split_once(' ')? {
            ("inputs", _) => Ending::Inputs,
            ("reach_error", _) => Ending::Error("reach_error".into()),
            ("error", number) => Ending::Error(format!("error_{number}")),
            ("label", label) => Ending::Error(label.split(' ').next()?.into()),
            ("assertion", line) => Ending::Assertion(line.parse().ok()?),
            ("exit", code) => Ending::Exit(code.parse().ok()?),
            ("signal", "8") => Ending::Trap,
            ("signal", "11") => Ending::OutOfBounds,
            // As the shell would say it.
            ("signal", "6") => Ending::Exit(134),
            _ => return None,
        })
    }
}

/// Why the compiled program could not be asked.
#[derive(Debug, thiserror::Error)]
pub enum Trouble {
    #[error("{0} cannot be started: {1}")]
    NoCompiler(&'static str, io::Error),
    #[error("{0} refuses the program: {1}")]
    Refused(&'static str, String),
    #[error("the compiled program cannot be run: {0}")]
    Run(String),
    #[error("a temporary file cannot be written: {0}")]
    Temporary(io::Error),
    #[error("there was no time for it")]
    Interrupted,
}

/// The compiled program's opinion on a witness.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Opinion {
    /// It does what the simulator does.
    Agrees,
    /// It does something else.
    Differs(String),
    /// The property leaves no trace in a compiled program.
    CannotTell(&'static str),
}

/// A compiled program, in a directory that goes away with it.
#[derive(Debug)]
pub struct Compiled {
    directory: TempDir,
    /// The command that runs it, but for the file of inputs.
    command: Vec<String>,
}

/// One run of the compiled program.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Ran {
    /// The number of inputs it read.
    pub steps: usize,
    /// The output after each of them.
    pub printed: Vec<String>,
    pub ending: Ending,
}

impl Compiled {
    /// Compiles the text that the program was read from.
    pub fn new(program: &Program, interrupt: &Interrupt) -> Result<Compiled, Trouble> {
        let directory = tempfile::Builder::new().prefix("redoubt-").tempdir().map_err(Trouble::Temporary)?;
        if program.language == Language::RersJava {
            let command = java::compile(program, directory.path(), interrupt)?;
            return Ok(Compiled { directory, command });
        }
        let write = |name: &str, text: &str| {
            let path = directory.path().join(name);
            std::fs::write(&path, text).map(|()| path).map_err(Trouble::Temporary)
        };
        let binary = directory.path().join("program");
        let mut command = Command::new("gcc");
        command.args(FLAGS).arg("-include").arg(write("shim.h", SHIM)?);
        for (index, text) in with_labels(program).iter().enumerate() {
            command.arg(write(&format!("program{index}.c"), text)?);
        }
        let errors = format!("void redoubt_end(const char *how, long value);\n{}", more_errors(program));
        command.arg(write("errors.c", &errors)?).arg(write("driver.c", DRIVER)?).arg("-o").arg(&binary);
        let output = supervise(&mut command, interrupt).map_err(|trouble| match trouble {
            Trouble::Run(reason) => Trouble::NoCompiler("gcc", io::Error::other(reason)),
            other => other,
        })?;
        if !output.success {
            let first = output.errors.lines().find(|line| line.contains("error")).unwrap_or("it does not say why");
            return Err(Trouble::Refused("gcc", first.to_string()));
        }
        Ok(Compiled { directory, command: vec![binary.to_string_lossy().into_owned()] })
    }

    /// Runs the program once per list of inputs, each from its beginning.
    pub fn run(&self, program: &Program, runs: &[Vec<i32>], interrupt: &Interrupt) -> Result<Vec<Ran>, Trouble> {
        let word = |input: &i32| program.words.inputs.get(input).cloned().unwrap_or_else(|| input.to_string());
        let mut text = format!("{}\n", runs.len());
        for inputs in runs {
            text.push_str(&format!("{}\n", inputs.len()));
            inputs.iter().for_each(|input| text.push_str(&(word(input) + "\n")));
        }
        let file = self.directory.path().join("inputs.txt");
        std::fs::write(&file, text).map_err(Trouble::Temporary)?;
        let output = supervise(Command::new(&self.command[0]).args(&self.command[1..]).arg(file), interrupt)?;
        let ran: Vec<Ran> = output.text.split("\u{1}run\n").skip(1).filter_map(ran).collect();
        if ran.len() != runs.len() {
            return Err(Trouble::Run(format!("it reported {} of {} runs", ran.len(), runs.len())));
        }
        Ok(ran)
    }

    /// The compiled program's opinion on runs that reach properties according to the simulator.
    pub fn judge(
        &self,
        program: &Program,
        claims: &[(PropertyId, &[Vec<i32>])],
        interrupt: &Interrupt,
    ) -> Result<Vec<Opinion>, Trouble> {
        let runs: Vec<Vec<i32>> = claims.iter().map(|(_, run)| run.concat()).collect();
        let ran = self.run(program, &runs, interrupt)?;
        let opinions = claims.iter().zip(ran).map(|((property, run), ran)| opinion(program, *property, run, &ran));
        Ok(opinions.collect())
    }
}

/// Error functions with numbers that the driver has not.
fn more_errors(program: &Program) -> String {
    let numbers = program.properties.iter().filter_map(|property| property.name.strip_prefix("error_")?.parse().ok());
    let more = numbers.filter(|&number: &u64| number >= DRIVER_ERRORS);
    let define = |number| {
        format!("__attribute__((weak)) void __VERIFIER_error_{number}(void) {{ redoubt_end(\"error\", {number}); }}\n")
    };
    more.map(define).collect()
}

fn ran(text: &str) -> Option<Ran> {
    let (before, mark) = text.rsplit_once('\u{1}')?;
    let printed: Vec<String> = before.split("\u{1}step\n").skip(1).map(str::to_string).collect();
    Some(Ran { steps: printed.len(), printed, ending: Ending::of_mark(mark)? })
}

fn opinion(program: &Program, property: PropertyId, run: &[Vec<i32>], ran: &Ran) -> Opinion {
    let mut simulator = Simulator::new(program);
    let mut last = simulator.opening().clone();
    run.iter().for_each(|inputs| last = simulator.step(inputs));
    let kind = program.property(property).kind;
    let name = &program.property(property).name;
    let passed = last.reached.iter().find(|(reached, _)| *reached == property);
    let place = match (simulator.end(), passed) {
        (Some(End::Error(reached, span)), _) if reached == property => span,
        (_, Some((_, span))) => *span,
        _ => return Opinion::Differs(format!("the simulator does not reach {name}")),
    };
    let shown = match kind {
        PropertyKind::IndexOutOfBounds if program.language == Language::RersJava => ran.ending == Ending::OutOfBounds,
        PropertyKind::IndexOutOfBounds => return Opinion::CannotTell("C does not notice an index outside its table"),
        PropertyKind::ShiftOutOfRange => return Opinion::CannotTell("C does not notice such a shift"),
        kind if kind.is_unnoticed() => return Opinion::CannotTell("the compiled program does not notice that"),
        PropertyKind::DivisionByZero | PropertyKind::DivisionOverflow => ran.ending == Ending::Trap,
        PropertyKind::Assertion => is_assertion(program, place, &ran.ending),
        _ => match &ran.ending {
            Ending::Error(reached) => reached == name || labels_a_call(program, place),
            Ending::Assertion(_) => is_assertion(program, place, &ran.ending),
            Ending::Exit(_) => return Opinion::CannotTell("nothing that shows stands behind the label"),
            _ => false,
        },
    };
    match (shown, ran.steps == run.len()) {
        (true, true) => Opinion::Agrees,
        (true, false) => Opinion::Differs(format!("it gets there after {} steps, not {}", ran.steps, run.len())),
        (false, _) => Opinion::Differs(format!("after {} steps it ends with {:?}", ran.steps, ran.ending)),
    }
}

/// The text from a place to the end of its statement.
fn statement(program: &Program, place: Span) -> &str {
    let text = &program.sources.file(place).text[place.start as usize..];
    text.split_once(';').map_or(text, |(statement, _)| statement)
}

/// Whether it is the assertion at this place that failed; its label may stand some lines above it.
fn is_assertion(program: &Program, place: Span, ending: &Ending) -> bool {
    let first = program.line(place);
    let last = first + statement(program, place).matches('\n').count();
    matches!(ending, Ending::Assertion(line) if (first..=last).contains(line))
}

/// Whether an error function without a number of its own stands behind the label.
fn labels_a_call(program: &Program, place: Span) -> bool {
    let behind = statement(program, place).split_once(':').map_or("", |(_, behind)| behind).trim_start();
    ["__VERIFIER_error", "reach_error"].iter().any(|function| behind.starts_with(function))
}

/// The output of a process.
pub(super) struct Output {
    pub success: bool,
    pub text: String,
    pub errors: String,
}

/// Runs a process, and whatever it starts, no longer than is allowed.
pub(super) fn supervise(command: &mut Command, interrupt: &Interrupt) -> Result<Output, Trouble> {
    const LOOK_AROUND: Duration = Duration::from_millis(2);
    let failed = |error: io::Error| Trouble::Run(error.to_string());
    command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped()).process_group(0);
    let mut child = command.spawn().map_err(failed)?;
    let (stdout, stderr) = (child.stdout.take(), child.stderr.take());
    std::thread::scope(|scope| {
        let text = scope.spawn(|| read_all(stdout));
        let errors = scope.spawn(|| read_all(stderr));
        let status = loop {
            if let Some(status) = child.try_wait().map_err(failed)? {
                break status;
            }
            if interrupt.is_raised() {
                // If it is gone already, so much the better.
                let _ = killpg(Pid::from_raw(child.id() as i32), Signal::SIGKILL);
                let _ = child.wait();
                return Err(Trouble::Interrupted);
            }
            std::thread::sleep(LOOK_AROUND);
        };
        let text = text.join().unwrap_or_default();
        Ok(Output { success: status.success(), text, errors: errors.join().unwrap_or_default() })
    })
}

fn read_all(pipe: Option<impl Read>) -> String {
    let mut bytes = vec![];
    // The bytes read before an error are all there is.
    let _ = pipe.map(|mut pipe| pipe.read_to_end(&mut bytes));
    String::from_utf8_lossy(&bytes).into_owned()
}
