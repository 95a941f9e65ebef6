//! Formulas of branching time with modalities, in a file (`--ctl-file`), about programs and machines.

use std::collections::BTreeSet;

use redoubt_base::Limits;
use redoubt_driver::modal;
use redoubt_facts::analysis::Facts;
use redoubt_formula::modal::{Modal, System};
use redoubt_formula::parse_modal::parse_lines;
use redoubt_formula::{Mistake, Shown};
use redoubt_program::program::Program;
use redoubt_program::text::{SourceFile, Sources};
use redoubt_temporal::modal::{Evaluation, Evidence};

use super::super::Failure;
use super::branching::{Asked, Found, recorded};
use super::formulas::{diagnostics, mapping};
use super::record::{Language, ProblemRecord};
use super::run::Teller;
use super::{CheckArgs, Traces};

/// Decides the formulas of the file about a program.
pub fn decide(
    program: &Program,
    options: &CheckArgs,
    limits: &Limits,
    color: bool,
    teller: &Teller,
) -> Result<ProblemRecord, Failure> {
    let Some(path) = &options.ctl_file else { return Err(Failure::Bug("there is no file of formulas".into())) };
    if program.language.is_model() || program.has_locations() {
        return Err(Failure::Usage("--ctl-file is for programs of the challenge and for machines (.dot)".into()));
    }
    let unreadable = |reason: String| Failure::Unreadable { path: path.clone(), reason };
    let text = std::fs::read_to_string(path).map_err(|error| unreadable(error.to_string()))?;
    let formulas = parse_lines(&text);
    if formulas.is_empty() {
        return Err(unreadable("there is no formula in this file".into()));
    }
    let mistakes: Vec<Mistake> = formulas.iter().filter_map(|(_, formula)| formula.as_ref().err()).cloned().collect();
    let mapping = mapping(program, color)?;
    let shown = formulas.iter().map(|(place, formula)| match formula {
        Ok(formula) => formula.to_string(),
        Err(_) => text[place.clone()].to_string(),
    });
    let mut asked = Asked::new(&program.name, Language::from(program.language), shown, teller);
    if !mistakes.is_empty() {
        let sources = Sources::new(vec![SourceFile::new(path.to_string_lossy(), text.clone())]);
        asked.problem.messages += &diagnostics(mistakes).render(&sources, color);
    }
    let facts = Facts::new(program);
    let decided = modal::machine(&facts, &mapping, options.watch.for_states(), limits);
    let system = decided.as_ref().map(|decided| decided.answers.system(&mapping)).unwrap_or_default();
    let mut unknown = BTreeSet::new();
    let with_witnesses = options.traces() == Traces::All;
    for (number, (_, formula)) in formulas.iter().enumerate() {
        let (found, by) = match (formula, &decided) {
            (Err(mistake), _) => (Found::Unknown(format!("cannot be read: {}", mistake.message)), "none"),
            (_, Err(reason)) => (Found::Unknown(reason.clone()), "none"),
            (Ok(formula), Ok(decided)) => match named(formula, &system) {
                Ok((formula, strangers)) => {
                    for name in strangers.into_iter().filter(|name| unknown.insert(name.clone())) {
                        asked.problem.messages += &format!(
                            "warning: {} has no input or output `{name}`: no transition has it\n",
                            program.name
                        );
                    }
                    (answer(&formula, &system, with_witnesses), decided.by)
                }
                Err(reason) => (Found::Unknown(reason), "none"),
            },
        };
        asked.tell(number, found, by, teller);
    }
    if let (true, Ok(decided)) = (options.stats, &decided) {
        decided
            .failed
            .iter()
            .for_each(|reason| asked.problem.messages += &format!("no transition system by {reason}\n"));
        let edges: usize = system.transitions.iter().map(Vec::len).sum();
        asked.problem.messages +=
            &format!("transition system by {}: {} states, {edges} transitions\n", decided.by, system.transitions.len());
    }
    Ok(asked.problem)
}

/// The formula with the names that the system has, and the names that it has not. A letter is an input or an output, as the
/// program writes it, and `iA` or `oA` where it might be both.
fn named(formula: &Modal, system: &System) -> Result<(Modal, Vec<String>), String> {
    let is_known = |name: &str| system.symbols.iter().any(|symbol| symbol == name);
    let (mut formula, mut strangers) = (formula.clone(), vec![]);
    for name in &mut formula.names {
        if is_known(name) {
            continue;
        }
        let [input, output] = ["i", "o"].map(|kind| format!("{kind}{name}"));
        match (name.len() == 1 && is_known(&input), name.len() == 1 && is_known(&output)) {
            (true, true) => {
                return Err(format!("`{name}` is an input and an output: write `{input}` or `{output}`"));
            }
            (true, false) => *name = input,
            (false, true) => *name = output,
            (false, false) => strangers.push(name.clone()),
        }
    }
    Ok((formula, strangers))
}

/// Two evaluators have to agree: one by fixpoints as the definition has them, one that goes backwards.
fn answer(formula: &Modal, system: &System, with_witnesses: bool) -> Found {
    let evaluation = Evaluation::new(formula, system);
    let holds = evaluation.holds();
    if holds != formula.holds(system) {
        return Found::Withdrawn("the definition of the formula says otherwise".into());
    }
    let tree = |(tree, shown): (Evidence, Shown)| (recorded(&tree.map(&mut |step| (None, step.clone()))), shown);
    match (holds, evaluation.evidence().map(tree)) {
        (true, tree) => Found::Holds(Ok(()), tree.filter(|_| with_witnesses)),
        (false, Some((tree, shown))) => Found::ViolatedExactly(tree, shown),
        (false, None) => Found::ViolatedExactly(redoubt_report::record::Tree::default(), Shown::Partly),
    }
}
