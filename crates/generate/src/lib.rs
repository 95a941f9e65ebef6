//! Makes RERS-style programs whose answers are known.
//!
//! A hidden `machine` comes first, and a breadth-first search in it says what can be reached. Then a `code` holds
//! its states in variables, each step becomes a `rule` and each sink a `label`, both with guards that are made
//! obscure, and [`write`] prints them in the dialect of a year. `docs/generate.md` argues why the program does exactly
//! what the machine does; the two obligations of that argument are assertions here, on guards (`guard`) and on
//! assignments (`expression`).

use redoubt_base as base;
use redoubt_languages as languages;
use redoubt_program::{program, simulate, text};
use redoubt_temporal as temporal;
use redoubt_witness as witness;

mod assign;
mod code;
mod dice;
mod expression;
mod find;
mod formulas;
mod guard;
mod label;
mod machine;
mod names;
mod rule;
mod test;
#[cfg(test)]
mod tests;
mod write;

use std::sync::Arc;

use crate::languages::rers;
use crate::program::{Program, PropertyId};
use crate::simulate::End;
use crate::text::{SourceFile, Sources};
use crate::witness::replay;

use code::{Code, Extra};
use dice::Dice;
pub use formulas::Known;
use label::Label;
pub use machine::Machine;
use machine::Shape;
use names::Names;
pub use write::Dialect;

/// The number of states of the hidden machine.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Size {
    Small,
    Medium,
    Large,
}

/// The features of the program.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// Comparisons with constants, and assignments of constants.
    Plain,
    /// Regions of integers, and arithmetic that maps one to another; counters.
    Arithmetic,
    /// Constant tables, pointers to them, computed indices; counters.
    Data,
    /// As plain, with counters that have far to go and open the ways to many labels.
    Counters,
}

#[derive(Clone, Copy, Debug)]
pub struct GenerateOptions {
    pub seed: u64,
    pub size: Size,
    pub kind: Kind,
    pub dialect: Dialect,
    /// The number of labels; the size decides if `None`.
    pub labels: Option<usize>,
    /// The number of variables that rarely matter; the size decides if `None`.
    pub garbage: Option<usize>,
    /// The number of variables that repeat others; the size decides if `None`.
    pub copies: Option<usize>,
}

impl GenerateOptions {
    /// A program in the form of a year, with as much of everything as its size has.
    pub fn new(seed: u64, size: Size, kind: Kind, dialect: Dialect) -> GenerateOptions {
        GenerateOptions { seed, size, kind, dialect, labels: None, garbage: None, copies: None }
    }
}

/// Properties, each with the inputs of a run that reaches it, if there is one.
pub type Answers = Vec<(String, Option<Vec<i32>>)>;

/// A program and its answers.
#[derive(Clone, Debug)]
pub struct Problem {
    /// The name of its file.
    pub file: String,
    pub text: String,
    /// For each property of the program, in its order, the inputs of a run that reaches it, if there is one.
    pub answers: Answers,
    /// The machine behind it.
    pub machine: Machine,
    /// The input that stands for each letter of the machine.
    pub alphabet: Vec<i32>,
    /// Whether it prints its outputs.
    pub prints: bool,
}

/// The program does not keep its promises: a bug.
#[derive(Debug, thiserror::Error)]
pub enum Contradiction {
    #[error("{file} cannot be read back:\n{messages}")]
    Unreadable { file: String, messages: String },
    #[error("{file} does not reach {property} on {inputs:?}")]
    Astray { file: String, property: String, inputs: Vec<i32> },
}

impl Size {
    pub const ALL: [Size; 3] = [Size::Small, Size::Medium, Size::Large];

    pub fn name(self) -> &'static str {
        match self {
            Size::Small => "small",
            Size::Medium => "medium",
            Size::Large => "large",
        }
    }

    /// The default number of labels.
    fn labels(self) -> usize {
        match self {
            Size::Small => 8,
            Size::Medium => 30,
            Size::Large => 100,
        }
    }

    fn shape(self) -> Shape {
        match self {
            Size::Small => Shape { core: 9, island: 3, letters: 4, window: 3, gates: 1, bound: 4 },
            Size::Medium => Shape { core: 60, island: 16, letters: 5, window: 5, gates: 3, bound: 20 },
            Size::Large => Shape { core: 360, island: 80, letters: 8, window: 6, gates: 8, bound: 100 },
        }
    }

    /// The default number of variables beyond those that tell the states apart.
    fn extra(self) -> Extra {
        match self {
            Size::Small => Extra { mixed: 2, garbage: 0, copies: 0 },
            Size::Medium => Extra { mixed: 6, garbage: 0, copies: 0 },
            Size::Large => Extra { mixed: 12, garbage: 24, copies: 12 },
        }
    }
}

impl Kind {
    pub const ALL: [Kind; 4] = [Kind::Plain, Kind::Arithmetic, Kind::Data, Kind::Counters];

    pub fn name(self) -> &'static str {
        match self {
            Kind::Plain => "plain",
            Kind::Arithmetic => "arithmetic",
            Kind::Data => "data",
            Kind::Counters => "counters",
        }
    }

    /// Whether only constants are assigned, except to counters.
    fn is_plain(self) -> bool {
        matches!(self, Kind::Plain | Kind::Counters)
    }
}

/// Makes a program. The same options give the same bytes.
pub fn generate(options: &GenerateOptions) -> Result<Problem, Contradiction> {
    let GenerateOptions { size, kind, dialect, .. } = *options;
    // Programs of one seed share nothing but the seed.
    let salt = (size as u64) << 8 | (kind as u64) << 16 | (dialect as u64) << 24;
    let dice = &mut Dice::new(options.seed.wrapping_mul(0x2545_f491_4f6c_dd1d) ^ salt);
    let mut plan = label::plan(options.labels.unwrap_or(size.labels()), dice);
    if dialect == Dialect::Reach && dice.chance(50) {
        // All labels are one property here: half of the programs are to be safe.
        plan = [0, plan[1] + 1, plan[0] + plan[2]];
    }
    let mut shape = size.shape();
    shape.core = shape.core.max(plan[0]);
    shape.island = shape.island.max(plan[1]);
    // Some small programs do without counters, so that a search of all their states comes to an end.
    let counts = match kind {
        Kind::Plain => false,
        Kind::Counters => true,
        _ => size != Size::Small || dice.chance(60),
    };
    match kind {
        _ if !counts => (shape.gates, shape.bound) = (0, 0),
        Kind::Counters => (shape.gates, shape.bound) = (4 * shape.gates, 10 * shape.bound),
        _ => {}
    }
    let mut machine = Machine::new(shape, [plan[0], plan[1]], dice);
    let mut names = Names::new(dialect.has_long_names());
    let usual = size.extra();
    let extra = Extra {
        garbage: options.garbage.unwrap_or(usual.garbage),
        copies: options.copies.unwrap_or(usual.copies),
        ..usual
    };
    let code = Code::new(kind, machine.states, extra, counts, &mut names, dice);
    merge_steps(&mut machine, &code, dice);
    let labels = label::labels(&machine, &code, plan[2], dice);
    let rules = rule::rules(&machine, &code, dice);
    let mut alphabet: Vec<i32> = (1..=shape.letters as i32 + 2).collect();
    dice.shuffle(&mut alphabet);
    alphabet.truncate(shape.letters);
    let file = format!("{}-{}-{}-{}.c", dialect.name(), kind.name(), size.name(), options.seed);
    let text =
        write::program(&write::Parts { dialect, code: &code, rules, labels: &labels, alphabet: &alphabet }, dice);
    let known = witnesses(&machine, &labels, dialect, &alphabet);
    let answers = confirmed(&file, &text, known)?;
    Ok(Problem { file, text, answers, machine, alphabet, prints: dialect.prints() })
}

/// Adds steps that several states share: on a letter, all states with some value of a variable go back to one state.
fn merge_steps(machine: &mut Machine, code: &Code, dice: &mut Dice) {
    for _ in 0..1 + machine.inner() / 8 {
        let Some(key) = dice.pick(&code.keys) else { return };
        let (value, letter) = (dice.below(code.variables[key].domain.len()), dice.below(machine.shape.letters));
        let from: Vec<usize> = (0..machine.inner())
            .filter(|&state| code.values[state][key] == Some(value) && machine.is_free(state, letter))
            .take(5)
            .collect();
        if from.len() > 1 {
            let to = dice.below(machine.shape.window.min(machine.shape.core));
            let (gate, count, output) = (machine::Gate::Any, machine::Count::Keep, machine::output(dice));
            machine.add(machine::Transition { from, letter, gate, count, to, output });
        }
    }
}

/// For each property with labels the inputs that reach it, if some do: the path to the sink and, where labels look at
/// the state after the step before, one more input.
fn witnesses(
    machine: &Machine,
    labels: &[Label],
    dialect: Dialect,
    alphabet: &[i32],
) -> Vec<(String, Option<Vec<i32>>)> {
    let words = machine.shortest_words();
    let mut known: Vec<(String, Option<Vec<i32>>)> = vec![];
    for label in labels {
        let word = label.sink.and_then(|sink| words[sink].as_ref());
        let witness = word.map(|word| {
            let late = dialect.looks_back().then(|| alphabet[0]);
            word.iter().map(|&letter| alphabet[letter]).chain(late).collect::<Vec<i32>>()
        });
        let name = dialect.property(label.number, labels.len());
        match known.iter_mut().find(|(known, _)| *known == name) {
            Some((_, shortest)) => {
                let better = |new: &Vec<i32>| shortest.as_ref().is_none_or(|old| new.len() < old.len());
                if witness.as_ref().is_some_and(better) {
                    *shortest = witness;
                }
            }
            None => known.push((name, witness)),
        }
    }
    known
}

/// Reads the program back, adds the properties that come with divisions and indices, which stay within their bounds
/// by construction, and runs each witness.
fn confirmed(file: &str, text: &str, known: Answers) -> Result<Answers, Contradiction> {
    let program = load(file, text)?;
    let mut answers = vec![];
    for (index, property) in program.properties.iter().enumerate() {
        let name = property.name.clone();
        let witness = known.iter().find(|(known, _)| *known == name).and_then(|(_, witness)| witness.clone());
        if let Some(inputs) = &witness
            && !reaches(&program, PropertyId::new(index), inputs)
        {
            return Err(Contradiction::Astray { file: file.into(), property: name, inputs: inputs.clone() });
        }
        answers.push((name, witness));
    }
    Ok(answers)
}

fn load(file: &str, text: &str) -> Result<Program, Contradiction> {
    let sources = Arc::new(Sources::new(vec![SourceFile::new(file, text)]));
    rers::load(Arc::clone(&sources)).map_err(|errors| Contradiction::Unreadable {
        file: file.to_string(),
        messages: errors.render(&sources, false),
    })
}

/// Whether a run ends with its last input, in this property.
fn reaches(program: &Program, property: PropertyId, inputs: &[i32]) -> bool {
    let steps: Vec<Vec<i32>> = inputs.iter().map(|&input| vec![input]).collect();
    let end = replay::end_of(program, &steps);
    matches!(end, Some((End::Error(found, _), taken)) if found == property && taken == inputs.len())
}
