//! The options of `redoubt check`.

use std::collections::BTreeMap;
use std::num::NonZero;
use std::path::PathBuf;
use std::time::Duration;

use clap::{Args, ValueEnum};
use redoubt_clauses::sat::Backend;
use redoubt_driver::check::Means;
use redoubt_driver::journal::{self, Journal};
use redoubt_engine::engine::Engine;
use redoubt_engine::engine::cfa::Technique;
use redoubt_languages::Setting;

use super::super::output::{count, message};
use super::super::{Failure, load};
use super::circuit::CircuitOptions;
use super::cluster::ClusterOptions;
use super::memory::Memory;
use super::names::Names;
use super::shard::Shard;

pub const EXAMPLES: &str = "\
Examples:
  redoubt check Problem1.c
  redoubt check Problem1.c --property error_3 --property error_7
  redoubt check Problem1.c --engine bmc --timeout 60 --format jsonl
  redoubt check Problem1.c --engine explicit --memory 8000
  redoubt check Problem4.c Problem4External.c
  redoubt check problems/ --shard 2/8 --format jsonl > part2.jsonl
  redoubt check problems/ --jobs 4 --expect problems/expected.csv
  redoubt check Problem1.c --ltl constraints-Problem1.txt
  redoubt check elevator.gcl --vcd elevator.vcd
  redoubt check elevator.gcl --brief
  redoubt check elevator.gcl -D TOP=2..6
  redoubt check Problem1.c --shortest --confirm gcc --witness-dir witnesses
  redoubt check problems/ --journal run.journal; redoubt check problems/ --resume run.journal
  redoubt check counter.aig --witness-dir witnesses
  redoubt check counter.aig --ctl 'AG EF !b0'";

/// A constant and the values that it gets.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Sweep {
    pub name: String,
    pub values: Vec<String>,
}

/// The most values of a constant in one run.
const MOST_VALUES: i64 = 1_000;

/// `N=5`, or `N=2..6` for all of these.
fn sweep(text: &str) -> Result<Sweep, String> {
    let Setting { name, value } = load::setting(text)?;
    let Some((low, high)) = value.split_once("..") else { return Ok(Sweep { name, values: vec![value] }) };
    match (low.trim().parse::<i32>(), high.trim().parse::<i32>()) {
        (Ok(low), Ok(high)) if low <= high && i64::from(high) - i64::from(low) < MOST_VALUES => {
            Ok(Sweep { name, values: (low..=high).map(|value| value.to_string()).collect() })
        }
        _ => Err(format!("expected a range of at most {MOST_VALUES} numbers, such as N=2..6")),
    }
}

#[derive(Args)]
pub struct CheckArgs {
    /// Programs (.c, .st), models (.gcl, .smv), circuits (.aig, .aag, .btor2, also .gz or .xz; - for standard input), or
    /// folders of them
    #[arg(required = true, value_name = "FILE")]
    pub files: Vec<PathBuf>,

    /// The number of threads [default: the number of cores]. Several problems are decided at the same time; threads
    /// that are left divide the work on a program, which changes neither verdicts nor runs. On a circuit, engines work
    /// side by side if this option is given, and other runs may be found
    #[arg(long, value_name = "N")]
    pub jobs: Option<NonZero<usize>>,

    /// Decide only this part of the work, the I-th of N; `redoubt merge` puts the parts together
    #[arg(long, value_name = "I/N")]
    pub shard: Option<Shard>,

    /// Compare with known answers: a table with the columns file, property and expected
    #[arg(long, value_name = "FILE.csv")]
    pub expect: Vec<PathBuf>,

    /// Stop after this many seconds for each problem; verdicts so far are kept
    #[arg(long, value_name = "S", value_parser = seconds)]
    pub timeout: Option<Duration>,

    /// Spend at most this many seconds on one property while others are open too
    #[arg(long, value_name = "S", value_parser = seconds)]
    pub property_timeout: Option<Duration>,

    /// Show only the result, and no progress
    #[arg(long, short)]
    pub quiet: bool,

    /// The format of the verdicts
    #[arg(long, value_enum, default_value_t = Format::Text)]
    pub format: Format,

    /// The runs of a model to show below its verdicts
    #[arg(long, value_enum, default_value_t = Traces::Short)]
    pub traces: Traces,

    /// Show the verdicts and no runs: the same as --traces none
    #[arg(long, conflicts_with = "traces")]
    pub brief: bool,

    /// Show all inputs of a model in its runs, even those that make no difference in a step
    #[arg(long)]
    pub all_inputs: bool,

    /// Write the result to this file instead of standard output
    #[arg(long, short, value_name = "FILE")]
    pub output: Option<PathBuf>,

    /// Give a constant of the models another value; a range (N=2..6) tries each value in turn
    #[arg(short = 'D', value_name = "NAME=VALUE", value_parser = sweep)]
    pub set: Vec<Sweep>,

    /// The sizes of types in sequential C: those of a machine of 32 bits or of 64 [default: what a task (.yml) beside the program says, else ilp32]
    #[arg(long, value_enum, value_name = "MODEL")]
    pub data_model: Option<DataModel>,

    /// Decide only these properties; `*` stands for anything
    #[arg(long = "property", value_name = "NAME")]
    pub properties: Vec<String>,

    /// Decide temporal formulas, too: those in this file [default: the file of formulas beside the program, if there is one]
    #[arg(long, value_name = "FILE", conflicts_with = "no_ltl")]
    pub ltl: Option<PathBuf>,

    /// Do not decide temporal formulas, even if there is a file of them beside the program
    #[arg(long)]
    pub no_ltl: bool,

    /// Decide this formula of branching time and nothing else: about signals of a circuit, or inputs and outputs of a C program
    #[arg(long, value_name = "FORMULA", conflicts_with_all = ["ltl", "engine", "solver", "properties", "shard"])]
    pub ctl: Vec<String>,

    /// Decide the formulas in this file, a line each, and nothing else: CTL of the industrial tracks of the RERS challenge, with
    /// modalities such as `<a><x>true`, in which an input and an output are two positions of a run (with --ctl a step is one)
    #[arg(long, value_name = "FILE", conflicts_with_all = ["ctl", "ltl"])]
    pub ctl_file: Option<PathBuf>,

    /// The engines to use: all together, or one of them [default: all; portfolio for circuits]
    #[arg(long, value_enum)]
    pub engine: Option<EngineChoice>,

    /// What IC3 on control-flow automata is to do without, to see what it is worth
    #[arg(long, value_name = "NAMES", value_delimiter = ',', value_parser = Without::parse, hide = true)]
    pub cfa_without: Vec<Without>,

    /// The SAT solver underneath; by default the one that suits the engine
    #[arg(long, value_enum)]
    pub solver: Option<SolverChoice>,

    /// Follow runs for at most this many steps (frames, for IC3); longer runs that other engines find are shown all the
    /// same
    #[arg(long, value_name = "N")]
    pub depth: Option<usize>,

    /// Limit the memory of the process; verdicts so far are kept [default: no limit, but 2048 for the
    /// states of an explicit search]
    #[arg(long, value_name = "MB")]
    pub memory: Option<usize>,

    #[arg(skip)]
    pub watch: Memory,

    /// Do not warn about alternatives, branches and assumptions of a model that no step ever passes
    #[arg(long)]
    pub no_lint: bool,

    /// Write the run that violates the first property, or else reaches the first goal, for a waveform viewer
    #[arg(long, value_name = "FILE")]
    pub vcd: Option<PathBuf>,

    /// Write the same run as a table with a row for each cycle, for spreadsheets and the trace viewers of PLC tools
    #[arg(long, value_name = "FILE")]
    pub trace_csv: Option<PathBuf>,

    /// Check every run once more, with another tool
    #[arg(long, value_enum, value_name = "BY")]
    pub confirm: Vec<Confirm>,

    /// Do not check the certificates of proofs
    #[arg(long)]
    pub no_certify: bool,

    /// Find a run with the fewest steps for every property that can be reached
    #[arg(long)]
    pub shortest: bool,

    /// Write a witness for every reachable property to this folder, and for circuits a witness circuit for the
    /// proved ones
    #[arg(long, value_name = "DIR")]
    pub witness_dir: Option<PathBuf>,

    /// Save each verdict to this file before it is printed, so that a killed run can be resumed
    #[arg(long, value_name = "FILE", conflicts_with = "resume")]
    pub journal: Option<PathBuf>,

    /// Continue from a journal; properties decided there are not decided again
    #[arg(long, value_name = "FILE")]
    pub resume: Option<PathBuf>,

    #[arg(skip)]
    pub open_journal: Option<Journal>,

    /// What the files about each problem are called
    #[arg(skip)]
    pub names: Names,

    /// Print sizes, and times and counts per phase, to standard error
    #[arg(long)]
    pub stats: bool,

    #[command(flatten)]
    pub cluster: ClusterOptions,

    #[command(flatten)]
    pub model: CircuitOptions,
}

#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum Format {
    /// A table for people
    Text,
    /// JSON lines, each as soon as it is known
    Jsonl,
    /// The submission format of the RERS challenge: problem, label, true or false
    Csv,
    /// Test results, for continuous integration
    Junit,
    /// Results of an analysis, for code hosts
    Sarif,
}

/// How many bits `long` and pointers have.
#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum DataModel {
    /// 32, as with `gcc -m32`
    Ilp32,
    /// 64
    Lp64,
}

impl DataModel {
    /// As it is set for a program.
    pub fn sweep(self) -> Sweep {
        let value = if self == DataModel::Ilp32 { "ilp32" } else { "lp64" };
        Sweep { name: "data_model".into(), values: vec![value.into()] }
    }
}

/// Which runs people are shown.
#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum Traces {
    /// A few runs that violate properties, without the middle of long ones
    Short,
    /// The whole runs of all properties, including goals that are met and formulas that hold on some run
    All,
    /// A single run: of the first property that is not as it should be, or else of the first property that has a run
    First,
    /// No runs
    None,
}

#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum Confirm {
    /// Compile the C program with gcc, and run it on every witness
    Gcc,
    /// Compile the Java program with javac, and run it on every witness
    Java,
}

#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum EngineChoice {
    /// All engines, in an order that suits the program
    All,
    /// Looks for boxes that no step leaves: proves, and refutes on the way
    Boxes,
    /// Divides the states by the machine behind the program: proves, and refutes on the way
    Partition,
    /// Visits the states of the abstraction into regions: proves and refutes
    Regions,
    /// Visits the states of the program: proves and refutes where they are few
    Explicit,
    /// IC3 with equations and orders between numbers as literals: for loops that count
    Relations,
    /// IC3 with frames for each location of a control-flow automaton
    Cfa,
    /// Proves and refutes on the circuit of the program
    Ic3,
    /// Bounded model checking: only refutes
    Bmc,
    /// Proves what short histories imply
    Kinduction,
    /// Interpolants as images (McMillan 2003): proves and refutes
    Itp,
    /// Sequences of interpolants (Vizel and Grumberg 2009): proves and refutes
    Itpseq,
    /// IC3 with interpolants for bad states (Vizel and Gurfinkel 2014): proves and refutes
    Avy,
    /// IC3 on a part of a circuit that grows as needed
    Localize,
    /// Decision diagrams: proves and refutes where all states have a small one
    Bdd,
    /// IC3, bounded model checking and decision diagrams in turns
    Portfolio,
}

#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum SolverChoice {
    Cadical,
    Batsat,
    Cone,
}

pub fn seconds(text: &str) -> Result<Duration, String> {
    let number: f64 = text.parse().map_err(|_| "expected a number of seconds".to_string())?;
    Duration::try_from_secs_f64(number).map_err(|error| error.to_string())
}

impl CheckArgs {
    pub fn traces(&self) -> Traces {
        if self.brief { Traces::None } else { self.traces }
    }

    /// Opens the journal that was asked for.
    pub fn open_journal(&mut self) -> Result<(), Failure> {
        let (path, opened) = match (&self.journal, &self.resume) {
            (Some(path), _) => (path, Journal::create(path)),
            (None, Some(path)) => (path, Journal::resume(path)),
            (None, None) => return Ok(()),
        };
        let unusable =
            |reason: journal::Trouble| Failure::Unreadable { path: path.clone(), reason: reason.to_string() };
        let opened = opened.map_err(unusable)?;
        if opened.damaged() > 0 {
            message(&format!("note: {}: {} and not used\n", path.display(), damaged(opened.damaged())));
        }
        self.open_journal = Some(opened);
        Ok(())
    }

    /// The options that may change an answer, by name.
    pub fn in_words(&self) -> BTreeMap<String, String> {
        let word =
            |value: &dyn Fn() -> Option<clap::builder::PossibleValue>| value().map(|value| value.get_name().into());
        let seconds = |time: Option<Duration>| time.map(|time| time.as_secs_f64().to_string());
        let flag = |is_set: bool| is_set.then(String::new);
        let list = |list: &[String]| (!list.is_empty()).then(|| list.join(" "));
        let confirm: Vec<String> = self.confirm.iter().filter_map(|by| word(&|| by.to_possible_value())).collect();
        let given = [
            ("engine", self.engine.and_then(|engine| word(&|| engine.to_possible_value()))),
            ("solver", self.solver.and_then(|solver| word(&|| solver.to_possible_value()))),
            ("timeout", seconds(self.timeout)),
            ("property-timeout", seconds(self.property_timeout)),
            ("depth", self.depth.map(|depth| depth.to_string())),
            ("memory", self.memory.map(|memory| memory.to_string())),
            ("property", list(&self.properties)),
            ("confirm", list(&confirm)),
            ("no-certify", flag(self.no_certify)),
            ("no-ltl", flag(self.no_ltl)),
            ("ctl", list(&self.ctl)),
            ("ctl-file", self.ctl_file.as_ref().map(|path| path.display().to_string())),
            ("shortest", flag(self.shortest)),
        ];
        given.into_iter().filter_map(|(name, value)| Some((name.into(), value?))).collect()
    }

    /// The number of problems that are decided at the same time.
    pub fn jobs(&self) -> usize {
        let cores = || std::thread::available_parallelism().map_or(1, NonZero::get);
        self.jobs.map_or_else(cores, NonZero::get)
    }

    /// The number of engines that may work side by side on a circuit while this many problems are decided. One, unless
    /// more threads were asked for: then a run can be repeated.
    pub fn engines_at_once(&self, at_once: usize) -> usize {
        self.jobs.map_or(1, |jobs| jobs.get() / at_once.max(1)).max(1)
    }
}

/// The techniques that IC3 on control-flow automata can do without.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Without {
    Relations,
    Technique(Technique),
}

impl Without {
    fn parse(name: &str) -> Result<Without, String> {
        let names: Vec<&str> = Technique::ALL.into_iter().map(Technique::name).collect();
        match Technique::by_name(name) {
            Some(technique) => Ok(Without::Technique(technique)),
            None if name == "relations" => Ok(Without::Relations),
            None => Err(format!("expected one of relations, {}", names.join(", "))),
        }
    }

    pub fn technique(self) -> Option<Technique> {
        match self {
            Without::Relations => None,
            Without::Technique(technique) => Some(technique),
        }
    }
}

fn damaged(lines: usize) -> String {
    format!("{} {} damaged", count(lines, "line"), if lines == 1 { "is" } else { "are" })
}

impl EngineChoice {
    /// The means by which it decides programs.
    pub fn on_programs(self) -> Means {
        match self {
            EngineChoice::All => Means::Together,
            EngineChoice::Boxes => Means::Boxes,
            EngineChoice::Partition => Means::Partition,
            EngineChoice::Regions => Means::Regions,
            EngineChoice::Explicit => Means::Explicit,
            EngineChoice::Relations => Means::Relations,
            EngineChoice::Cfa => Means::Cfa,
            _ => Means::Circuit,
        }
    }

    /// The engine that works on circuits; none for those that work on programs.
    pub fn on_circuits(self) -> Option<Engine> {
        match self {
            EngineChoice::Ic3 => Some(Engine::Ic3),
            EngineChoice::Bmc => Some(Engine::Bmc),
            EngineChoice::Kinduction => Some(Engine::KInduction),
            EngineChoice::Itp => Some(Engine::Itp),
            EngineChoice::Itpseq => Some(Engine::ItpSequence),
            EngineChoice::Avy => Some(Engine::Avy),
            EngineChoice::Localize => Some(Engine::Localize),
            EngineChoice::Bdd => Some(Engine::Bdd),
            EngineChoice::All | EngineChoice::Portfolio => Some(Engine::Portfolio),
            EngineChoice::Boxes
            | EngineChoice::Partition
            | EngineChoice::Regions
            | EngineChoice::Explicit
            | EngineChoice::Relations
            | EngineChoice::Cfa => None,
        }
    }
}

impl SolverChoice {
    pub fn backend(self) -> Backend {
        match self {
            SolverChoice::Cadical => Backend::Cadical,
            SolverChoice::Batsat => Backend::Batsat,
            SolverChoice::Cone => Backend::Cone,
        }
    }
}
