//! Formulas of branching time from the command line (`--ctl`), about circuits and C programs, and verdicts on them.

use redoubt_base::Limits;
use redoubt_driver::check::{CheckOptions, Means};
use redoubt_driver::hardware::{branching, witness};
use redoubt_driver::time::steps::{self, Refused};
use redoubt_driver::time::{self, Answer, Choice, Evidence, Violation};
use redoubt_engine::engine::ctl::explain::Explanation;
use redoubt_formula::parse_branching::{self, Name};
use redoubt_formula::{Branching, Mistake, Shown, Tree};
use redoubt_program::program::{Program, PropertyKind, Status, Words};
use redoubt_program::text::{SourceFile, Sources};
use redoubt_report::record;
use redoubt_temporal::properties::Mapping;

use super::super::Failure;
use super::super::load::Hardware;
use super::super::output::count;
use super::formulas::{diagnostics, mapping};
use super::record::{Language, ProblemRecord, PropertyRecord, Sizes, Temporal, Told, Verdict, doubt};
use super::run::Teller;
use super::{CheckArgs, Traces};

/// The most runs of a tree that are shown; all of them are in the lines for programs.
const MOST_RUNS: usize = 8;

/// Said below runs that show a part only.
pub const TRUE_FOR_ALL: &str = "  there    it is true because of all runs from here, which no single run can show\n";
pub const FALSE_FOR_ALL: &str = "  there    it is false because of all runs from here, which no single run can show\n";
/// The remark about reasons that runs cannot show.
pub const NOT_SHOWN: &str = "not confirmed: its reason is about all runs";

/// The verdict on a formula.
pub enum Found {
    /// `Err` with a reason if it is not confirmed; and runs that show it, if they are wanted and there are any.
    Holds(Result<(), String>, Option<(record::Tree, Shown)>),
    Violated(record::Tree, Shown),
    /// The same, confirmed by other means than the runs.
    ViolatedExactly(record::Tree, Shown),
    Unknown(String),
    Withdrawn(String),
}

/// Decides formulas about a circuit.
pub fn about_circuit(
    hardware: &Hardware,
    options: &CheckArgs,
    limits: &Limits,
    color: bool,
    teller: &Teller,
) -> Result<ProblemRecord, Failure> {
    let model = &hardware.circuit;
    let mut formulas = vec![];
    for text in &options.ctl {
        let formula = parsed(text, color)?;
        let signals = branching::about_signals(model, &formula).map_err(|mistake| refused(text, mistake, color))?;
        formulas.push((formula, signals));
    }
    let language = if hardware.words.is_some() { Language::Btor2 } else { Language::Aiger };
    let mut asked =
        Asked::new(&hardware.name, language, formulas.iter().map(|(formula, _)| formula.to_string()), teller);
    for (number, (_, formula)) in formulas.iter().enumerate() {
        let limits = limits.share(formulas.len() - number);
        let (verdict, by) = branching::decide(model, formula, &limits, !options.no_certify);
        let found = match verdict {
            branching::BranchingVerdict::Holds(confirmed) if options.traces() == Traces::All => {
                match branching::witness(model, formula, &limits) {
                    Ok(witness) => Found::Holds(confirmed, witness.map(|(tree, shown)| (in_bits(&tree), shown))),
                    Err(reason) => Found::Withdrawn(reason),
                }
            }
            branching::BranchingVerdict::Holds(confirmed) => Found::Holds(confirmed, None),
            branching::BranchingVerdict::Violated(tree, shown) => Found::Violated(in_bits(&tree), shown),
            branching::BranchingVerdict::Unknown(why) => Found::Unknown(why),
            branching::BranchingVerdict::Withdrawn(reason) => Found::Withdrawn(reason),
        };
        asked.tell(number, found, by.name(), teller);
    }
    Ok(asked.problem)
}

/// Decides formulas about what a C program reads and prints.
pub fn about_program(
    program: &Program,
    options: &CheckArgs,
    limits: &Limits,
    color: bool,
    teller: &Teller,
) -> Result<ProblemRecord, Failure> {
    if program.language.is_model() {
        return Err(Failure::Usage(
            "--ctl is for circuits and C programs; a model has `property NAME: ctl FORMULA`".into(),
        ));
    }
    let mapping = mapping(program, color)?;
    let mut formulas = vec![];
    for (number, text) in options.ctl.iter().enumerate() {
        let formula = parsed(text, color)?;
        let property = steps::property(program, &formula, &mapping, &name(number)).map_err(|why| match why {
            Refused::Formula(mistake) => refused(text, mistake, color),
            Refused::Program(reason) => Failure::Unreadable { path: program.name.clone().into(), reason },
        })?;
        formulas.push((formula, property));
    }
    let language = Language::from(program.language);
    let mut asked =
        Asked::new(&program.name, language, formulas.iter().map(|(formula, _)| formula.to_string()), teller);
    let with_witnesses = options.traces() == Traces::All;
    let original = program;
    for (number, (_, (program, timed))) in formulas.iter().enumerate() {
        let words = &original.words;
        let step = |choice: &Choice| (None, letters(choice, &mapping, words));
        let tree = |evidence: &Evidence| (recorded(&evidence.tree.map(&mut { step })), evidence.shown);
        let options = CheckOptions { limits: limits.share(formulas.len() - number), ..CheckOptions::default() };
        let (finding, account) = time::decide_one(program, timed, Means::Together, &options);
        let by = finding.decider.name();
        let unconfirmed = doubt(&finding).unwrap_or_default();
        let found = match &finding.answer {
            Answer::Unreachable { .. } if with_witnesses => match time::witness(program, timed, &options.limits) {
                Ok(evidence) => Found::Holds(Err(unconfirmed), evidence.as_ref().map(tree)),
                Err(reason) => Found::Withdrawn(reason),
            },
            Answer::Unreachable { .. } => Found::Holds(Err(unconfirmed), None),
            Answer::Reachable { run: Violation::Tree(evidence) } => {
                let (tree, shown) = tree(evidence);
                Found::Violated(tree, shown)
            }
            Answer::Reachable { .. } => Found::Withdrawn("a run for a property of all runs".into()),
            Answer::Unknown(why) => {
                let reason = account.reasons.get(&finding.property);
                Found::Unknown(reason.cloned().unwrap_or_else(|| why.to_string()))
            }
            Answer::Withdrawn { reason, .. } => Found::Withdrawn(reason.clone()),
        };
        asked.tell(number, found, by, teller);
    }
    Ok(asked.problem)
}

fn name(number: usize) -> String {
    format!("ctl_{number}")
}

/// The input of a step, as in other witnesses.
fn letters(choice: &Choice, mapping: &Mapping, words: &Words) -> String {
    let name = |input: i32| match words.is_empty() {
        true => mapping.symbol('i', input)[1..].to_string(),
        false => words.input(input),
    };
    let inputs = choice.iter().flatten().map(|&input| name(input));
    inputs.collect::<Vec<String>>().join(" ")
}

fn parsed(text: &str, color: bool) -> Result<Branching<Name>, Failure> {
    parse_branching::parse(text).map_err(|mistake| refused(text, mistake, color))
}

fn refused(text: &str, mistake: Mistake, color: bool) -> Failure {
    let sources = Sources::new(vec![SourceFile::new("--ctl", text)]);
    Failure::Source(diagnostics(vec![mistake]).render(&sources, color))
}

/// The tree of a circuit.
fn in_bits(tree: &Explanation) -> record::Tree {
    recorded(&tree.map(&mut |position| (Some(witness::bits(&position.state)), witness::bits(&position.inputs))))
}

/// A tree for programs: of each run the state that it begins in, of a circuit, and its steps.
pub fn recorded(tree: &Tree<(Option<String>, String)>) -> record::Tree {
    record::Tree {
        state: tree.run.first().and_then(|(state, _)| state.clone()),
        steps: tree.run.iter().map(|(_, step)| step.clone()).collect(),
        repeats_from: tree.repeats_from,
        because: tree.because.iter().map(|(at, tree)| record::Reason { at: *at, tree: recorded(tree) }).collect(),
    }
}

/// A tree for people: a line for each run.
fn written(tree: &record::Tree) -> String {
    let (mut lines, mut pending) = (vec![], vec![(tree, None)]);
    while let Some((tree, from)) = pending.pop() {
        let number = lines.len() + 1;
        let (before, around) = tree.steps.split_at(tree.repeats_from.unwrap_or(tree.steps.len()));
        let mut steps = before.join(" ");
        if !around.is_empty() {
            steps += &format!("{}({})", if steps.is_empty() { "" } else { " " }, around.join(" "));
        }
        let from = from.map_or(String::new(), |(run, at): (usize, usize)| format!("from step {at} of run {run}: "));
        lines.push(format!("  run {number:<4} {from}{steps}\n"));
        pending.extend(tree.because.iter().rev().map(|reason| (&reason.tree, Some((number, reason.at + 1)))));
    }
    let more = lines.len().saturating_sub(MOST_RUNS);
    lines.truncate(MOST_RUNS);
    if more > 0 {
        lines.push(format!("  and {} more (--format jsonl has all)\n", count(more, "run")));
    }
    lines.concat()
}

/// Formulas that were asked about one file.
pub struct Asked {
    pub problem: ProblemRecord,
    unknown: Vec<PropertyRecord>,
}

impl Asked {
    pub fn new(file: &str, language: Language, formulas: impl Iterator<Item = String>, teller: &Teller) -> Asked {
        let unknown = |(number, formula): (usize, String)| {
            let mut record = PropertyRecord::unknown(file, &name(number));
            record.formula = Some(formula);
            record.shown.kind = Some(PropertyKind::Invariant);
            record.shown.temporal = Some(Temporal::Formula);
            record
        };
        let unknown: Vec<PropertyRecord> = formulas.enumerate().map(unknown).collect();
        let sizes = Sizes { properties: Some(unknown.len()), ..Sizes::default() };
        let mut problem = ProblemRecord::new(file.into(), language, sizes);
        problem.names = unknown.iter().map(|record| record.property.clone()).collect();
        teller.start(&problem, unknown.clone());
        Asked { problem, unknown }
    }

    pub fn tell(&mut self, number: usize, found: Found, by: &str, teller: &Teller) {
        let mut record = self.unknown[number].clone();
        record.engine = Some(by.into());
        record.seconds = Some(teller.begun.elapsed().as_secs_f64());
        match found {
            Found::Holds(confirmed, tree) => {
                (record.verdict, record.status) = (Verdict::Unreachable, Some(Status::Holds));
                if let Some((tree, shown)) = tree {
                    record.shown.run = Some(written(&tree) + if shown == Shown::Partly { TRUE_FOR_ALL } else { "" });
                    record.tree = Some(tree);
                }
                record.confirmed = confirmed.is_ok();
                record.reason = confirmed.err();
            }
            Found::Violated(tree, shown) => {
                violated(&mut record, tree, shown);
                record.confirmed = shown == Shown::Wholly;
                record.reason = (shown == Shown::Partly).then(|| NOT_SHOWN.into());
            }
            Found::ViolatedExactly(tree, shown) => {
                violated(&mut record, tree, shown);
                record.confirmed = true;
            }
            Found::Unknown(why) => {
                record.reason = Some(why);
            }
            Found::Withdrawn(reason) => record.withdraw(&reason),
        }
        record.shown.word = record.status.map_or(Verdict::Unknown.word(), Status::word);
        record.shown.told = Told::WithFormula;
        teller.property(record);
    }
}

/// Notes that a formula is violated, and the runs that show why, as far as they do.
fn violated(record: &mut PropertyRecord, tree: record::Tree, shown: Shown) {
    (record.verdict, record.status) = (Verdict::Reachable, Some(Status::Violated));
    record.steps = Some(tree.steps.len());
    record.shown.run = Some(written(&tree) + if shown == Shown::Partly { FALSE_FOR_ALL } else { "" });
    record.tree = Some(tree);
}
