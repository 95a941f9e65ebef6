//! `redoubt generate`: writes RERS-style programs with known answers.

use std::fmt::Write;
use std::path::{Path, PathBuf};

use clap::{Args, ValueEnum};
use redoubt_generate::{self as generate, Dialect, Kind, Known, Problem, Size};

use super::output::{count, letter, message, write_whole};
use super::{Failure, Outcome};

pub const EXAMPLES: &str = "\
Examples:
  redoubt generate -o problems
  redoubt generate --seed 7 --size medium --kind arithmetic --labels 60 -o problems
  redoubt generate --kind plain,data --dialect 2012,2019 -o problems
  redoubt generate --ltl 20 -o problems
  redoubt generate --kind all --dialect all --count 3 -o problems";

#[derive(Args)]
pub struct GenerateArgs {
    /// The folder for the programs and their answers, expected.csv
    #[arg(short, long, value_name = "DIR")]
    output: PathBuf,

    /// The seed that selects the program; the same seed always gives the same bytes
    #[arg(long, value_name = "S", default_value_t = 1)]
    seed: u64,

    /// The number of programs of each kind and dialect, with this seed and the next ones
    #[arg(long, value_name = "N", default_value_t = 1, value_parser = clap::value_parser!(u64).range(1..=10_000))]
    count: u64,

    /// The size of the hidden machine
    #[arg(long, value_enum, default_value_t = SizeChoice::Small)]
    size: SizeChoice,

    /// The features of the programs
    #[arg(long, value_enum, value_delimiter = ',', default_value = "plain")]
    kind: Vec<KindChoice>,

    /// The year whose dialect the programs have
    #[arg(long, value_enum, value_delimiter = ',', default_value = "2016")]
    dialect: Vec<DialectChoice>,

    /// The number of error labels [default: 8, 30 or 100 by size]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(1..=2_000))]
    labels: Option<u64>,

    /// The number of variables that rarely matter [default: 0, 0 or 24 by size]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(0..=1_000))]
    garbage: Option<u64>,

    /// The number of variables that repeat others [default: 0, 0 or 12 by size]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(0..=1_000))]
    copies: Option<u64>,

    /// The number of temporal formulas about each program, in a file constraints-PROGRAM.txt beside it
    #[arg(long, value_name = "N", default_value_t = 0, value_parser = clap::value_parser!(u64).range(0..=1_000))]
    ltl: u64,
}

#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
enum SizeChoice {
    /// About 15 states
    Small,
    /// About 100 states
    Medium,
    /// About 500 states
    Large,
}

#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
enum KindChoice {
    /// Comparisons with constants
    Plain,
    /// Regions of integers, arithmetic between them, counters
    Arithmetic,
    /// Tables, pointers, computed indices, counters
    Data,
    /// Comparisons with constants, and counters that have far to go
    Counters,
    /// One program of each kind
    All,
}

#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
enum DialectChoice {
    #[value(name = "2012")]
    Y2012,
    #[value(name = "2013")]
    Y2013,
    #[value(name = "2014")]
    Y2014,
    #[value(name = "2015")]
    Y2015,
    #[value(name = "2016")]
    Y2016,
    #[value(name = "2017")]
    Y2017,
    #[value(name = "2018")]
    Y2018,
    #[value(name = "2019")]
    Y2019,
    #[value(name = "2020")]
    Y2020,
    /// 2018 as redistributed for verifiers: a function for each error
    Verifier,
    /// The newer copies of those: all errors are reach_error
    Reach,
    /// One program in each form
    All,
}

impl SizeChoice {
    fn size(self) -> Size {
        match self {
            SizeChoice::Small => Size::Small,
            SizeChoice::Medium => Size::Medium,
            SizeChoice::Large => Size::Large,
        }
    }
}

impl KindChoice {
    fn kinds(self) -> Vec<Kind> {
        match self {
            KindChoice::Plain => vec![Kind::Plain],
            KindChoice::Arithmetic => vec![Kind::Arithmetic],
            KindChoice::Data => vec![Kind::Data],
            KindChoice::Counters => vec![Kind::Counters],
            KindChoice::All => Kind::ALL.to_vec(),
        }
    }
}

impl DialectChoice {
    fn dialects(self) -> Vec<Dialect> {
        let position = DialectChoice::value_variants().iter().position(|&choice| choice == self);
        // The choices are the dialects in their order, and then all of them.
        match position.and_then(|position| Dialect::ALL.get(position)) {
            Some(&dialect) => vec![dialect],
            None => Dialect::ALL.to_vec(),
        }
    }
}

pub fn run(options: &GenerateArgs) -> Result<Outcome, Failure> {
    let path = options.output.join(EXPECTED);
    let mut rows = Rows::read(&path)?;
    std::fs::create_dir_all(&options.output).map_err(|error| unwritable(&options.output, error))?;
    let (mut programs, mut labels, mut reachable) = (0, 0, 0);
    let (mut formulas, mut holding) = (0, 0);
    for wanted in options.wanted() {
        let problem = generate::generate(&wanted).map_err(|error| Failure::Bug(error.to_string()))?;
        let file = options.output.join(&problem.file);
        write_whole(&file, &problem.text)?;
        let known = problem.formulas(options.ltl as usize, wanted.seed);
        let known = known.map_err(|error| Failure::Bug(error.to_string()))?;
        if !known.is_empty() {
            let stem = problem.file.trim_end_matches(".c");
            write_whole(&options.output.join(format!("constraints-{stem}.txt")), constraints(&known))?;
        }
        rows.add(&problem, &known);
        formulas += known.len();
        holding += known.iter().filter(|known| known.holds).count();
        programs += 1;
        labels += problem.answers.len();
        reachable += problem.answers.iter().filter(|(_, witness)| witness.is_some()).count();
    }
    write_whole(&path, rows.text())?;
    message(&format!(
        "{} with {}, {reachable} of them reachable,{} in {}\n",
        count(programs, "program"),
        if labels == 1 { "1 property".to_string() } else { format!("{labels} properties") },
        if formulas == 0 {
            String::new()
        } else {
            format!(" and {}, {holding} of which hold,", count(formulas, "formula"))
        },
        options.output.display()
    ));
    Ok(Outcome::Holds)
}

impl GenerateArgs {
    /// The programs to make, without repetitions.
    fn wanted(&self) -> Vec<generate::GenerateOptions> {
        let mut kinds: Vec<Kind> = vec![];
        for kind in self.kind.iter().flat_map(|choice| choice.kinds()) {
            if !kinds.contains(&kind) {
                kinds.push(kind);
            }
        }
        let mut dialects: Vec<Dialect> = self.dialect.iter().flat_map(|choice| choice.dialects()).collect();
        dialects.sort_unstable();
        dialects.dedup();
        let mut wanted = vec![];
        for dialect in dialects {
            for &kind in &kinds {
                for seed in (0..self.count).map(|index| self.seed.wrapping_add(index)) {
                    let [labels, garbage, copies] =
                        [self.labels, self.garbage, self.copies].map(|number| number.map(|number| number as usize));
                    let usual = generate::GenerateOptions::new(seed, self.size.size(), kind, dialect);
                    wanted.push(generate::GenerateOptions { labels, garbage, copies, ..usual });
                }
            }
        }
        wanted
    }
}

/// Formulas as the challenge writes them since 2014.
fn constraints(formulas: &[Known]) -> String {
    let lines = formulas.iter().enumerate();
    lines.map(|(number, known)| format!("#{number}: {}\n{}\n\n", known.sentence, known.formula)).collect()
}

const EXPECTED: &str = "expected.csv";
const HEAD: &str = "file,property,expected,witness";

fn unwritable(path: &Path, error: std::io::Error) -> Failure {
    Failure::Unreadable { path: path.into(), reason: error.to_string() }
}

/// The rows of `expected.csv`; those of other files stay.
struct Rows(Vec<String>);

impl Rows {
    fn read(path: &Path) -> Result<Rows, Failure> {
        let text = match std::fs::read_to_string(path) {
            Ok(text) => text,
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => return Ok(Rows(vec![])),
            Err(error) => return Err(unwritable(path, error)),
        };
        let mut lines = text.lines().map(String::from);
        if lines.next().is_some_and(|head| head != HEAD) {
            let reason = format!("is something else already; expected its first line to be `{HEAD}`");
            return Err(Failure::Unreadable { path: path.into(), reason });
        }
        Ok(Rows(lines.collect()))
    }

    fn add(&mut self, problem: &Problem, formulas: &[Known]) {
        let of_file = format!("{},", problem.file);
        self.0.retain(|row| !row.starts_with(&of_file));
        for (property, witness) in &problem.answers {
            let mut row = format!("{of_file}{property},");
            let _ = match witness {
                None => write!(row, "unreachable,"),
                Some(inputs) => {
                    let letters: Vec<String> = inputs.iter().map(|&input| letter(input)).collect();
                    let quote = if letters.len() > 1 { "\"" } else { "" };
                    write!(row, "reachable,{quote}{}{quote}", letters.join(","))
                }
            };
            self.0.push(row);
        }
        for (number, known) in formulas.iter().enumerate() {
            let expected = if known.holds { "holds" } else { "violated" };
            self.0.push(format!("{of_file}ltl_{number},{expected},"));
        }
    }

    fn text(&self) -> String {
        format!("{HEAD}\n{}\n", self.0.join("\n"))
    }
}
