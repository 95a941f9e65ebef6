//! `redoubt encode`: writes a program as clauses, as a circuit or as a word-level system, for other tools and
//! for people who want to see the encoding.

use std::io::{self, Write};
use std::path::PathBuf;

use clap::{Args, ValueEnum};
use redoubt::blast::{self, Blasted};
use redoubt::circuit::aiger;
use redoubt::cnf::{self, Cnf, Lit, Transition, Uses, dimacs};
use redoubt::program::PropertyKind;
use redoubt::system::passes::{self, Passes, Saving};
use redoubt::system::{self, TransitionSystem, btor2, smt2};

use super::output::{stdout, write_file};
use super::{Failure, Outcome, load, sizes};

pub const EXAMPLES: &str = "\
Examples:
  redoubt encode Problem1.c --to aiger -o Problem1.aig
  redoubt encode Problem1.c --to cnf --encoding frame --width reduced
  redoubt encode Problem1.c --stats --width reduced

With --width 32 the system is encoded as it is, as a reference; with --width reduced the passes run first.
BTOR2 and SMT-LIB keep integers of 32 bits in either case.";

#[derive(Args)]
pub struct Options {
    /// The files of one program
    #[arg(required = true, value_name = "FILE")]
    files: Vec<PathBuf>,

    /// The format to write
    #[arg(long, value_enum, required_unless_present = "stats")]
    to: Option<Format>,

    /// How a step becomes clauses: next values as circuits, or writes and frame conditions
    #[arg(long, value_enum, default_value_t = Encoding::Functional)]
    encoding: Encoding,

    /// How many bits integers take: 32, or as many as their possible values need
    #[arg(long, value_enum, default_value_t = Width::Full)]
    width: Width,

    /// How gates become clauses: three for each, or fewer where that says the same
    #[arg(long, value_enum, default_value_t = Clauses::Compact)]
    cnf: Clauses,

    /// Run the passes with --width 32 too
    #[arg(long)]
    passes: bool,

    /// Keep variables that always have their initial value
    #[arg(long)]
    no_constants: bool,

    /// Keep apart variables that always have the same value
    #[arg(long)]
    no_copies: bool,

    /// Keep variables that no property depends on
    #[arg(long)]
    no_cone: bool,

    /// Where to write it, instead of standard output
    #[arg(short, long, value_name = "FILE")]
    output: Option<PathBuf>,

    /// Print sizes, part by part; the encoding itself is then written only with --output
    #[arg(long)]
    stats: bool,
}

#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Format {
    /// Clauses in DIMACS
    Cnf,
    /// A circuit in binary AIGER
    Aiger,
    /// A circuit in ASCII AIGER
    Aag,
    /// A word-level system in BTOR2
    Btor2,
    /// A word-level system in SMT-LIB 2
    Smt2,
}

#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Encoding {
    Functional,
    Frame,
}

#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Width {
    #[value(name = "32")]
    Full,
    Reduced,
}

#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Clauses {
    Full,
    Compact,
}

/// A program on its way to the format that was asked for.
pub struct Encoded {
    /// The system after the passes.
    pub system: TransitionSystem,
    pub savings: Vec<Saving>,
    pub blasted: Blasted,
    pub cnf: Cnf,
    /// What the literals stand for.
    pub names: Vec<(Lit, String)>,
}

pub fn run(options: &Options, color: bool) -> Result<Outcome, Failure> {
    if options.encoding == Encoding::Frame && options.to.is_some_and(|format| format != Format::Cnf) {
        return Err(Failure::Usage("--encoding frame is an encoding into clauses; it needs --to cnf".into()));
    }
    let program = load::program(&options.files, color)?;
    let mut system = system::build(&program)?;
    // What is only there for warnings is nobody's property elsewhere.
    let mut kinds = program.properties.iter().map(|property| property.kind);
    system.properties.retain(|_| kinds.next() != Some(PropertyKind::Lint));
    let (system, savings) = passes::run(system, options.passes());
    if options.stats {
        let encoded = encode(options, system, savings);
        let mut out = io::BufWriter::new(stdout());
        sizes::write(&encoded, &mut out)?;
        out.flush()?;
        if let (Some(format), Some(_)) = (options.to, &options.output) {
            write_to(options, |out| write_encoded(format, &encoded, out))?;
        }
    } else if let Some(format) = options.to {
        match format {
            Format::Btor2 => write_to(options, |out| btor2::write(out, &system))?,
            Format::Smt2 => write_to(options, |out| smt2::write(out, &system))?,
            Format::Cnf | Format::Aiger | Format::Aag => {
                let encoded = encode(options, system, savings);
                write_to(options, |out| write_encoded(format, &encoded, out))?;
            }
        }
    }
    Ok(Outcome::Holds)
}

impl Options {
    fn passes(&self) -> Passes {
        if self.width == Width::Full && !self.passes {
            return Passes::NONE;
        }
        Passes { constants: !self.no_constants, copies: !self.no_copies, cone: !self.no_cone }
    }
}

fn encode(options: &Options, system: TransitionSystem, savings: Vec<Saving>) -> Encoded {
    let width = match options.width {
        Width::Full => blast::Width::Full,
        Width::Reduced => blast::Width::Reduced,
    };
    let clauses = match options.cnf {
        Clauses::Full => cnf::Encoding::Tseitin,
        Clauses::Compact => cnf::Encoding::Compact,
    };
    // Whoever reads the file may assume any literal in any way.
    let uses = Uses::ANY;
    let (blasted, names, cnf) = match options.encoding {
        Encoding::Functional => {
            let blasted = blast::blast(&system, width);
            let transition = Transition::new(&blasted.circuit, clauses, uses);
            let names = transition.names(&blasted.circuit);
            (blasted, names, transition.cnf)
        }
        Encoding::Frame => {
            let blasted = blast::blast_with_writes(&system, width);
            let frame = blasted.frame(clauses, uses);
            let names = frame.names(&blasted.circuit, system.states.iter().map(|state| &*state.name));
            (blasted, names, frame.transition.cnf)
        }
    };
    Encoded { system, savings, blasted, cnf, names }
}

type Sink<'a> = &'a mut dyn Write;

fn write_encoded(format: Format, encoded: &Encoded, out: &mut Sink) -> io::Result<()> {
    let (circuit, comment) = (&encoded.blasted.circuit, &encoded.system.name);
    match format {
        Format::Cnf => dimacs::write(out, &encoded.cnf, &encoded.names),
        Format::Aiger => aiger::write(out, circuit, aiger::Format::Binary, comment),
        Format::Aag => aiger::write(out, circuit, aiger::Format::Ascii, comment),
        Format::Btor2 => btor2::write(out, &encoded.system),
        Format::Smt2 => smt2::write(out, &encoded.system),
    }
}

/// Writes to the file that was asked for, or to standard output.
fn write_to(options: &Options, write: impl FnOnce(&mut Sink) -> io::Result<()>) -> Result<(), Failure> {
    match &options.output {
        Some(path) => write_file(path, |out| write(&mut (out as Sink)))?,
        None => {
            let mut out = io::BufWriter::new(stdout());
            write(&mut (&mut out as Sink))?;
            out.flush()?;
        }
    }
    Ok(())
}
