//! `redoubt certify`: checks a certificate by other means than found it.

use std::io::Write;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use clap::{Args, ValueEnum};
use redoubt_base::Interrupt;
use redoubt_checker::{self as certificate, Certificate, Judgement, circuit, execute, liveness, solve, temporal, text};
use redoubt_circuit::Circuit;
use redoubt_circuit::aiger::Model;
use redoubt_driver::time;
use redoubt_program::program::{Program, PropertyKind};

use super::check::{formulas, timed};
use super::load::Hardware;
use super::output::{count, stdout};
use super::{Failure, Outcome, load};

pub const EXAMPLES: &str = "\
Examples:
  redoubt check Problem1.c --witness-dir out; redoubt certify Problem1.c out/Problem1.cert
  redoubt certify Problem1.c out/Problem1.cert --by solver --proof out
  redoubt certify Problem1.c out/Problem1.ltl.cert
  redoubt certify counter.aig out/counter.certificate.aig
  redoubt certify arbiter.aig out/arbiter.j0.certificate.aig

Exit codes: 0 if every certificate holds, 10 if one does not, 20 if neither could be shown";

#[derive(Args)]
pub struct CertifyArgs {
    /// The files of one program, and then its certificate; or a hardware model and a witness circuit
    #[arg(required = true, value_name = "FILE")]
    files: Vec<PathBuf>,

    #[command(flatten)]
    constants: load::Constants,

    /// How to check: run the program on sets of states, or ask a SAT solver [default: whichever suits the certificate]
    #[arg(long, value_enum, value_name = "WAY")]
    by: Option<By>,

    /// Log each answer of the solver in this folder, as question (DIMACS) and proof (LRAT), and check the proof
    #[arg(long, value_name = "DIR")]
    proof: Option<PathBuf>,

    /// The formulas that a certificate of formulas is about [default: those beside the program]
    #[arg(long, value_name = "FILE")]
    ltl: Option<PathBuf>,

    /// Stop after this many seconds
    #[arg(long, value_name = "S", value_parser = super::check::seconds)]
    timeout: Option<Duration>,
}

#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
enum By {
    /// Run the program's statements on sets of states
    Execution,
    /// Encode the program anew and ask a fresh solver
    Solver,
}

pub fn run(options: &CertifyArgs, color: bool) -> Result<Outcome, Failure> {
    let Some((path, files)) = options.files.split_last().filter(|(_, files)| !files.is_empty()) else {
        return Err(Failure::Usage("expected a program and a certificate".into()));
    };
    if options.by == Some(By::Execution) && options.proof.is_some() {
        return Err(Failure::Usage("--proof is for --by solver: execution asks no solver".into()));
    }
    let interrupt = options.timeout.map_or_else(Interrupt::default, Interrupt::after);
    if let Some(model) = load::model(files)? {
        return certify_model(&model.circuit, path, &interrupt);
    }
    let unreadable = |reason: String| Failure::Unreadable { path: path.clone(), reason };
    let bytes = std::fs::read(path).map_err(|error| unreadable(error.to_string()))?;
    let content = String::from_utf8(bytes).map_err(|_| unreadable("this is not text".into()))?;
    let recorded = text::constants(&content);
    if !options.constants.agree_with(&recorded) {
        return Err(Failure::Usage(format!("the certificate was made with {}", load::in_words(&recorded))));
    }
    let program = load::program(files, &options.constants.with(&recorded), color)?;
    if temporal::text::lists_states(&content) {
        return certify_states(&program, path, &content, options, &interrupt);
    }
    if temporal::text::is_one(&content) {
        return certify_formulas(&program, path, &content, options, color);
    }
    let (program, certificates, is_time) = match text::read(&program, &content) {
        Ok(certificates) => (program, certificates, false),
        // It may be about the loops of the program that violate a property.
        Err(error) => {
            let mut loops = timed::loops_of(&program).map(|loops| loops.program);
            let read = loops.find_map(|program| Some((text::read(&program, &content).ok()?, program)));
            let (certificates, program) = read.ok_or_else(|| unreadable(error.to_string()))?;
            (program, certificates, true)
        }
    };
    if let Some(folder) = &options.proof {
        std::fs::create_dir_all(folder)
            .map_err(|error| Failure::Unreadable { path: folder.clone(), reason: error.to_string() })?;
    }
    let mut outcome = Outcome::Holds;
    for (index, certificate) in certificates.iter().enumerate() {
        let start = Instant::now();
        let (way, judgement) = judge(&program, certificate, options, index + 1, &interrupt)?;
        let verdict = match &judgement {
            Judgement::Confirmed => "holds".to_string(),
            Judgement::Refuted(reason) => format!("does not hold: {reason}"),
            Judgement::Undecided(reason) => format!("not shown: {reason}"),
        };
        writeln!(
            stdout(),
            "invariant {}: {verdict} ({}, {way}, {:.2} s)",
            index + 1,
            count(certificate.excluded.len(), "property").replace("propertys", "properties"),
            start.elapsed().as_secs_f64()
        )?;
        if judgement == Judgement::Confirmed {
            for property in &certificate.excluded {
                let property = program.property(*property);
                let is_goal = property.kind == PropertyKind::Goal;
                let word = if is_time || program.language.is_model() && !is_goal { "holds" } else { "unreachable" };
                writeln!(stdout(), "{:20}  {word}", property.name)?;
            }
        }
        outcome = match (judgement, outcome) {
            (Judgement::Refuted(_), _) | (_, Outcome::Violated) => Outcome::Violated,
            (Judgement::Undecided(_), _) | (_, Outcome::Undecided) => Outcome::Undecided,
            _ => outcome,
        };
    }
    Ok(outcome)
}

/// Why properties of whole runs of a model hold: its states are visited for each.
fn certify_states(
    program: &Program,
    path: &Path,
    content: &str,
    options: &CertifyArgs,
    interrupt: &Interrupt,
) -> Result<Outcome, Failure> {
    let unreadable = |reason: String| Failure::Unreadable { path: path.into(), reason };
    if options.by.is_some() || options.proof.is_some() {
        return Err(Failure::Usage("--by and --proof are for invariants: states are visited by the simulator".into()));
    }
    let (states, rankings) =
        temporal::text::read_states(program, content).map_err(|error| unreadable(error.to_string()))?;
    let mut outcome = Outcome::Holds;
    for (name, ranking) in &rankings {
        let timed = program.timed.iter().find(|timed| timed.name == *name);
        let timed = timed.ok_or_else(|| unreadable(format!("the model has no property {name} of whole runs")))?;
        outcome = told(name, "holds", time::judge_ranks(program, timed, &states, ranking, interrupt), outcome)?;
    }
    Ok(outcome)
}

/// Why formulas hold: the boxes are looked at once, and then the ranks of each formula.
fn certify_formulas(
    program: &Program,
    path: &Path,
    content: &str,
    options: &CertifyArgs,
    color: bool,
) -> Result<Outcome, Failure> {
    let unreadable = |path: &Path, reason: String| Failure::Unreadable { path: path.into(), reason };
    if options.by.is_some() || options.proof.is_some() {
        return Err(Failure::Usage("--by and --proof are for invariants: formulas are checked by execution".into()));
    }
    let main = PathBuf::from(&program.sources.files()[0].name);
    let formulas = options.ltl.clone().or_else(|| formulas::beside(&main));
    let formulas = formulas.ok_or_else(|| Failure::Usage("--ltl FILE must name the formulas".into()))?;
    let (specification, _) = formulas::specification(program, &formulas, color)?;
    let interrupt = options.timeout.map_or_else(Interrupt::default, Interrupt::after);
    let (machine, rankings) =
        temporal::text::read(program, content).map_err(|error| unreadable(path, error.to_string()))?;
    let graph = temporal::graph(program, &machine, &specification.mapping, &interrupt);
    let mut outcome = Outcome::Holds;
    for (name, ranking) in &rankings {
        let place = specification.names().iter().position(|other| other == name);
        let place = place.ok_or_else(|| unreadable(&formulas, format!("there is no formula {name}")))?;
        let formula = &specification.formulas()[place].formula;
        let judgement = match &graph {
            Ok(graph) => temporal::confirm(graph, &temporal::Question::of_names(graph, formula), ranking, &interrupt),
            Err(judgement) => judgement.clone(),
        };
        outcome = told(name, "holds", judgement, outcome)?;
    }
    Ok(outcome)
}

/// Tells the judgement on a certificate; the result is the outcome for all up to this one.
fn told(name: &str, word: &str, judgement: Judgement, before: Outcome) -> Result<Outcome, Failure> {
    Ok(match judgement {
        Judgement::Confirmed => {
            writeln!(stdout(), "{name:20}  {word}")?;
            before
        }
        Judgement::Refuted(reason) => {
            writeln!(stdout(), "{name:20}  not certified: {reason}")?;
            Outcome::Violated
        }
        Judgement::Undecided(reason) => {
            writeln!(stdout(), "{name:20}  not shown: {reason}")?;
            if before == Outcome::Violated { before } else { Outcome::Undecided }
        }
    })
}

fn judge(
    program: &Program,
    certificate: &Certificate,
    options: &CertifyArgs,
    number: usize,
    interrupt: &Interrupt,
) -> Result<(&'static str, Judgement), Failure> {
    let (execution, solver) = ("by execution", "by a solver");
    match (options.by, &options.proof) {
        (Some(By::Execution), _) => Ok((execution, execute::confirm(program, certificate, interrupt))),
        (_, Some(folder)) => {
            let file = |ending: &str| folder.join(format!("invariant{number}.{ending}"));
            let (cnf, proof) = (file("cnf"), file("lrat"));
            let judgement = solve::confirm_with_proof(program, certificate, interrupt, &cnf, &proof)?;
            Ok(("by a solver whose proof was checked", judgement))
        }
        (Some(By::Solver), None) => Ok((solver, solve::by_bits(program, certificate, interrupt))),
        (None, None) => Ok(match certificate::confirm(program, certificate, interrupt) {
            (certificate::Way::Execution, judgement) => (execution, judgement),
            (certificate::Way::Regions, judgement) => ("by a solver, over regions", judgement),
            (certificate::Way::Bits, judgement) => (solver, judgement),
            (certificate::Way::History, judgement) => ("by a solver, over several steps", judgement),
        }),
    }
}

/// A witness circuit names in its symbols the latches that it simulates, and in its comment the properties. The
/// certificate of a justice property is called after it, as in `j0 layer`.
fn certify_model(model: &Model, path: &Path, interrupt: &Interrupt) -> Result<Outcome, Failure> {
    let unreadable = |reason: &str| Failure::Unreadable { path: path.into(), reason: reason.into() };
    let Some(Hardware { circuit: witness, words: None, .. }) = load::model(&[path.into()])? else {
        return Err(unreadable("expected a witness circuit, in the AIGER format"));
    };
    let same = |names: &mut dyn Iterator<Item = &String>, literals: &[u32]| {
        names
            .map(|name| name.strip_prefix("= ").and_then(|text| text.parse::<u32>().ok()))
            .eq(literals.iter().map(|&literal| Some(literal)))
    };
    let Circuit { inputs, latches, bad, .. } = &witness.circuit;
    // The inputs and latches that a certificate of a justice property adds come behind those of the model.
    let inputs = inputs.iter().take(model.input_literals.len()).map(|input| &input.name);
    let latches = latches.iter().take(model.latch_literals.len()).map(|latch| &latch.name);
    let (inputs, latches) =
        (same(&mut { inputs }, &model.input_literals), same(&mut { latches }, &model.latch_literals));
    if !inputs || !latches {
        return Err(unreadable("the symbols do not say that it simulates each input and latch of the model, in order"));
    }
    let named = bad.first().and_then(|bad| bad.name.split_once(' ')).map_or("", |(name, _)| name);
    let judged: Vec<(&str, &str, Judgement)> = match model.justice.iter().position(|justice| justice.name == named) {
        Some(property) => {
            let justice: Vec<_> = (0..model.justice.len()).map(|property| model.recurring(property)).collect();
            let judgement = liveness::confirm(&model.circuit, &justice, property, &witness.circuit, interrupt);
            vec![(named, "holds", judgement)]
        }
        None => {
            let judge = |property| circuit::confirm(&model.circuit, &witness.circuit, &[property], interrupt);
            let all = model.properties.iter().enumerate();
            all.map(|(property, name)| (&**name, "unreachable", judge(property))).collect()
        }
    };
    let mut outcome = Outcome::Holds;
    for (name, word, judgement) in judged {
        outcome = told(name, word, judgement, outcome)?;
    }
    Ok(outcome)
}
