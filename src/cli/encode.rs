//! `redoubt encode`: writes a program as clauses, as a circuit or as a word-level system, for other tools and for
//! people who want to see the encoding.

mod check;

use std::io::{self, Write};
use std::path::PathBuf;
use std::time::Duration;

use clap::{Args, ValueEnum};
use redoubt_bits::blast;
use redoubt_bits::system::passes::Passes;
use redoubt_clauses::cnf;
use redoubt_driver::encode::{self, Simplified, Style};

use super::check::seconds;
use super::output::{stdout, write_file};
use super::{Failure, Outcome, load, sizes};

pub const EXAMPLES: &str = "\
Examples:
  redoubt encode Problem1.c --to aiger -o Problem1.aig
  redoubt encode Problem1.c --to cnf --encoding frame --width reduced
  redoubt encode Problem1.c --stats --width reduced
  redoubt encode Problem1.c --check Problem1.aag        has the encoding changed, and what?
  redoubt encode problems/ --check snapshots/ --report junit

With --width 32 the system is encoded as it is, as a reference; with --width reduced the passes run first.
BTOR2 and SMT-LIB keep integers of 32 bits in either case.";

#[derive(Args)]
pub struct EncodeArgs {
    /// The files of one program; with --check FOLDER, programs or folders of them
    #[arg(required = true, value_name = "FILE")]
    files: Vec<PathBuf>,

    #[command(flatten)]
    constants: load::Constants,

    /// The format to write
    #[arg(long, value_enum, required_unless_present_any = ["stats", "check"])]
    to: Option<Format>,

    /// How a step becomes clauses: next values as circuits, or writes and frame conditions
    #[arg(long, value_enum, default_value_t = Encoding::Functional)]
    encoding: Encoding,

    /// The width of integers: 32 bits, or as many as their possible values need
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

    /// Write nothing, but compare with this file, written earlier with the same options: unchanged, equivalent or
    /// different? In a folder, each program is compared with the files of the same name
    #[arg(long, value_name = "SNAPSHOT", conflicts_with_all = ["stats", "output"])]
    check: Option<PathBuf>,

    /// With --check, the format of the result
    #[arg(long, value_enum, default_value_t = Report::Text, requires = "check")]
    report: Report,

    /// With --check, stop after this many seconds for each program
    #[arg(long, value_name = "S", value_parser = seconds, requires = "check")]
    timeout: Option<Duration>,
}

#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Report {
    /// A list for people
    Text,
    /// Test results, for continuous integration
    Junit,
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

impl From<Format> for encode::Format {
    fn from(format: Format) -> encode::Format {
        match format {
            Format::Cnf => encode::Format::Cnf,
            Format::Aiger => encode::Format::Aiger,
            Format::Aag => encode::Format::Aag,
            Format::Btor2 => encode::Format::Btor2,
            Format::Smt2 => encode::Format::Smt2,
        }
    }
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

pub fn run(options: &EncodeArgs, color: bool) -> Result<Outcome, Failure> {
    if options.encoding == Encoding::Frame && options.to.is_some_and(|format| format != Format::Cnf) {
        return Err(Failure::Usage("--encoding frame is an encoding into clauses; it needs --to cnf".into()));
    }
    if let Some(target) = &options.check {
        return check::run(options, target, color);
    }
    let program = load::program(&options.files, &options.constants, color)?;
    let encoding = options.encoding();
    let simplified = Simplified::new(&program, &encoding)?;
    if options.stats {
        let encoded = simplified.encode(&encoding);
        let mut out = io::BufWriter::new(stdout());
        sizes::write(&encoded, &mut out)?;
        out.flush()?;
        if let (Some(format), Some(_)) = (options.to, &options.output) {
            write_to(options, &mut |out| encoded.write(format.into(), out))?;
        }
    } else if let Some(format) = options.to {
        write_to(options, &mut |out| simplified.write(format.into(), &encoding, out))?;
    }
    Ok(Outcome::Holds)
}

impl EncodeArgs {
    fn encoding(&self) -> encode::EncodeOptions {
        let passes = Passes { constants: !self.no_constants, copies: !self.no_copies, cone: !self.no_cone };
        encode::EncodeOptions {
            style: match self.encoding {
                Encoding::Functional => Style::Functional,
                Encoding::Frame => Style::Frame,
            },
            width: match self.width {
                Width::Full => blast::Width::Full,
                Width::Reduced => blast::Width::Reduced,
            },
            clauses: match self.cnf {
                Clauses::Full => cnf::Encoding::Tseitin,
                Clauses::Compact => cnf::Encoding::Compact,
            },
            passes: if self.width == Width::Full && !self.passes { Passes::NONE } else { passes },
        }
    }
}

/// Writes to the file that was asked for, or to standard output.
fn write_to(options: &EncodeArgs, write: &mut dyn FnMut(&mut dyn Write) -> io::Result<()>) -> Result<(), Failure> {
    match &options.output {
        Some(path) => write_file(path, write)?,
        None => {
            let mut out = io::BufWriter::new(stdout());
            write(&mut out)?;
            out.flush()?;
        }
    }
    Ok(())
}
