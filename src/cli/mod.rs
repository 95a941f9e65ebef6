//! Commands, their options, their exit codes, and their output.

mod automaton;
mod bench;
mod certify;
mod check;
mod compare;
mod encode;
mod expected;
mod fmt;
mod generate;
mod junit;
mod load;
mod matters;
mod model;
mod output;
mod preprocess;
mod replay;
mod report;
mod shell;
mod show;
mod simulate;
mod simulate_model;
mod sizes;
mod trace;
mod trace_csv;
mod vcd;

use std::io;
use std::path::PathBuf;
use std::process::ExitCode;

use clap::{CommandFactory, Parser, Subcommand, ValueEnum};
use redoubt_base::Ended;

/// Decides, for every error label of a reactive program, whether any input sequence reaches it.
#[derive(Parser)]
#[command(version = VERSION, about, after_help = [EXAMPLES, EXIT_CODES].concat())]
struct Arguments {
    #[command(subcommand)]
    command: Command,

    /// When to use colour in messages and results; by default on terminals, unless NO_COLOR is set
    #[arg(long, value_enum, default_value_t = ColorChoice::Auto, global = true)]
    color: ColorChoice,
}

/// The version, and the features that the binary was built with.
const VERSION: &str = match (cfg!(feature = "native"), cfg!(feature = "distributed")) {
    (true, true) => concat!(env!("CARGO_PKG_VERSION"), " (features: native, distributed)"),
    (true, false) => concat!(env!("CARGO_PKG_VERSION"), " (features: native)"),
    (false, true) => concat!(env!("CARGO_PKG_VERSION"), " (features: distributed)"),
    (false, false) => concat!(env!("CARGO_PKG_VERSION"), " (features: none)"),
};

#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
enum ColorChoice {
    Auto,
    Always,
    Never,
}

#[derive(Subcommand)]
enum Command {
    /// Run a program on inputs and print its output
    #[command(after_help = simulate::EXAMPLES)]
    Simulate(simulate::SimulateArgs),
    /// Print how a program or circuit was understood: inputs, variables, properties
    #[command(after_help = show::EXAMPLES)]
    Show(show::ShowArgs),
    /// Decide every property of a program
    #[command(after_help = check::EXAMPLES)]
    Check(Box<check::CheckArgs>),
    /// Merge the parts of a run that was shared among machines (check --shard)
    #[command(after_help = check::MERGE_EXAMPLES)]
    Merge(check::MergeOptions),
    /// Decide whether two programs, models or circuits behave alike
    #[command(after_help = compare::EXAMPLES)]
    Compare(compare::CompareArgs),
    /// Run a witness again: does it reach its property?
    #[command(after_help = replay::EXAMPLES)]
    Replay(replay::ReplayArgs),
    /// Check a certificate: are these properties unreachable?
    #[command(after_help = certify::EXAMPLES)]
    Certify(certify::CertifyArgs),
    /// Format models (.gcl)
    #[command(after_help = fmt::EXAMPLES)]
    Fmt(fmt::FmtArgs),
    /// Write a program as clauses, as a circuit or as a word-level system
    #[command(after_help = encode::EXAMPLES)]
    Encode(encode::EncodeArgs),
    /// Write a temporal formula as an automaton
    #[command(after_help = automaton::EXAMPLES)]
    Automaton(automaton::AutomatonArgs),
    /// Turn the lines of a run into one page of HTML
    #[command(after_help = report::EXAMPLES)]
    Report(report::ReportArgs),
    /// Write RERS-style programs whose answers are known
    #[command(after_help = generate::EXAMPLES)]
    Generate(generate::GenerateArgs),
    /// Run a folder of models or programs with known answers, beside other tools
    #[command(after_help = bench::EXAMPLES)]
    Bench(bench::BenchArgs),
    /// Write completions for a shell
    #[command(after_help = shell::COMPLETION_EXAMPLES)]
    Completions(shell::CompletionOptions),
    /// Write a page of the manual
    #[command(after_help = shell::MANUAL_EXAMPLES)]
    Man(shell::ManualOptions),
}

const EXAMPLES: &str = "\
Examples:
  redoubt check Problem1.c                 decide every label of a RERS program
  redoubt check problems/                  the same for all programs and models of a folder
  redoubt check elevator.gcl               decide the properties of a controller
  redoubt check counter.aig                decide the bad states of a circuit
  redoubt compare old.gcl new.gcl          decide whether two controllers behave alike
  redoubt simulate Problem1.c C B A        run a program on inputs
  redoubt show Problem1.c                  how a program was understood

`redoubt help COMMAND` has the options of a command and more examples.

";

const EXIT_CODES: &str = "\
Exit codes:
    0  everything was decided and nothing is violated
   10  something is violated: an error was reached
   20  nothing is violated, but something is undecided
    4  a verdict is not what a model expects, or not the known answer (--expect)
    2  wrong usage
    3  an input that cannot be read or understood
   70  a bug in redoubt
  130  interrupted";

/// The end of a command, as the exit code tells.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Outcome {
    Holds = 0,
    Violated = 10,
    Undecided = 20,
    /// A verdict is not the known answer.
    Wrong = 4,
}

/// Why a command could not do its work.
#[derive(Debug, thiserror::Error)]
enum Failure {
    #[error("{0}")]
    Usage(String),
    #[error("{path}: {reason}")]
    Unreadable { path: PathBuf, reason: String },
    /// Messages about the source, ready to be shown.
    #[error("{0}")]
    Source(String),
    #[error("{0}")]
    Ended(#[from] Ended),
    /// The time limit was too short, so nothing is known.
    #[error("time was up before it was read")]
    Unread,
    #[error("cannot write the result: {0}")]
    Output(#[from] io::Error),
    /// Something besides the verdicts could not be done; the verdicts stand.
    #[error("no confirmation: {0}")]
    Confirmation(String),
    /// A signal ended the work; earlier verdicts are on standard output.
    #[error("interrupted")]
    Interrupted,
    #[error("a bug in redoubt: {0}")]
    Bug(String),
    /// The reason has been given already; this is the exit code.
    #[error("exit code {0}")]
    Told(u8),
}

impl Failure {
    fn exit_code(&self) -> u8 {
        match self {
            Failure::Usage(_) => 2,
            Failure::Unread => Outcome::Undecided as u8,
            Failure::Unreadable { .. } | Failure::Source(_) | Failure::Ended(_) => UNREADABLE,
            Failure::Output(_) | Failure::Confirmation(_) => UNREADABLE,
            Failure::Interrupted => INTERRUPTED,
            Failure::Bug(_) => BUG,
            Failure::Told(code) => *code,
        }
    }

    /// Gives the reason on standard error, with the name of the file that it is about, where one of many is.
    fn tell(&self, file: Option<&str>) {
        match self {
            Failure::Told(_) => {}
            Failure::Source(messages) => output::message(messages),
            Failure::Unreadable { .. } => output::message(&format!("error: {self}\n")),
            other => {
                let file = file.map_or(String::new(), |file| format!("{file}: "));
                output::message(&format!("error: {file}{other}\n"));
            }
        }
    }
}

const UNREADABLE: u8 = 3;
const BUG: u8 = 70;
const INTERRUPTED: u8 = 130;

pub fn main() -> ExitCode {
    let arguments = Arguments::parse();
    // As https://no-color.org has it, whatever the value is, unless it is empty.
    let is_plain = std::env::var_os("NO_COLOR").is_some_and(|value| !value.is_empty());
    let color = match arguments.color {
        ColorChoice::Always => true,
        ColorChoice::Never => false,
        ColorChoice::Auto => io::IsTerminal::is_terminal(&io::stderr()) && !is_plain,
    };
    output::use_colour(match arguments.color {
        ColorChoice::Always => true,
        ColorChoice::Never => false,
        ColorChoice::Auto => io::IsTerminal::is_terminal(&io::stdout()) && !is_plain,
    });
    let result = std::panic::catch_unwind(|| match arguments.command {
        Command::Simulate(options) => simulate::run(&options, color),
        Command::Show(options) => show::run(&options, color),
        Command::Check(options) => check::run(*options, color),
        Command::Merge(options) => check::merge(&options),
        Command::Compare(options) => compare::run(options, color),
        Command::Replay(options) => replay::run(&options, color),
        Command::Certify(options) => certify::run(&options, color),
        Command::Encode(options) => encode::run(&options, color),
        Command::Automaton(options) => automaton::run(&options, color),
        Command::Fmt(options) => fmt::run(&options, color),
        Command::Bench(options) => bench::run(&options),
        Command::Report(options) => report::run(&options),
        Command::Generate(options) => generate::run(&options),
        Command::Completions(options) => shell::completions(&options, Arguments::command()),
        Command::Man(options) => shell::manual(&options, Arguments::command()),
    });
    match result {
        Ok(Ok(outcome)) => ExitCode::from(outcome as u8),
        Ok(Err(failure)) => {
            failure.tell(None);
            ExitCode::from(failure.exit_code())
        }
        Err(_) => {
            output::message("error: this is a bug in redoubt; the message above says where\n");
            ExitCode::from(BUG)
        }
    }
}
