//! Hardware models to records, and to the files that other tools check them with.

use std::io::{self, Write};
use std::path::Path;
use std::time::Duration;

use clap::{Args, ValueEnum};
use redoubt_base::Limits;
use redoubt_circuit::aiger::{self, Model};
use redoubt_driver::hardware::reduced::{self, Round};
use redoubt_driver::hardware::words::{OnWords, Words};
use redoubt_driver::hardware::{self, Answer, Finding, News, Report, liveness, witness};
use redoubt_driver::ledger::{Claim, SecondOpinion, Terms};
use redoubt_engine::engine::{Statistics, Trace};
use redoubt_program::program::{PropertyId, Status};
use redoubt_simplify::{Passes, Simplified};
use redoubt_witness::stamp;
use redoubt_words as words;

use super::super::load::Hardware;
use super::super::model::NO_RUN;
use super::super::output::{meant, message, write_file, write_whole};
use super::super::{Failure, vcd};
use super::advice::nothing_to_check;
use super::justice::Justice;
use super::record::{self, Language, ProblemRecord, PropertyRecord, Sizes, Verdict};
use super::run::Teller;
use super::runs::{Files, witness_path};
use super::shard::Share;
use super::{CheckArgs, EngineChoice, SolverChoice};

const NO_WAVEFORM: &str =
    "no waveform: the circuit is that of a smaller model; --witness-dir writes the run of the words\n";

#[derive(Args)]
#[command(next_help_heading = "Circuits")]
pub struct CircuitOptions {
    /// Print `sat`, `unsat` or `unknown` for the whole model, as in the hardware model checking competition
    #[arg(long)]
    pub hwmcc: bool,

    /// Leave out a simplification of the model
    #[arg(long, value_enum, value_name = "PASS")]
    without: Vec<Pass>,
}

#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Pass {
    /// Drop what no property depends on
    Cone,
    /// Latches that keep their reset value
    Constants,
    /// Signals that are always equal
    Equivalence,
    /// Latches behind the gates that use them, where fewer do
    Retiming,
    /// Clauses with fewer variables
    Elimination,
}

impl CircuitOptions {
    pub fn is_given(&self) -> bool {
        self.hwmcc || !self.without.is_empty()
    }

    fn passes(&self) -> Passes {
        let runs = |pass| !self.without.contains(&pass);
        Passes {
            cone: runs(Pass::Cone),
            constants: runs(Pass::Constants),
            equivalence: runs(Pass::Equivalence),
            retiming: runs(Pass::Retiming),
        }
    }
}

/// Decides the properties of a model; all that becomes known goes to `teller`.
pub fn decide(
    hardware: &Hardware,
    options: &CheckArgs,
    limits: Limits,
    threads: usize,
    teller: &Teller,
    share: &Share,
) -> Result<ProblemRecord, Failure> {
    let Hardware { name, circuit: model, words } = hardware;
    let Some(engine) = options.engine.unwrap_or(EngineChoice::Portfolio).on_circuits() else {
        return Err(Failure::Usage("this engine is for programs, not for circuits".into()));
    };
    let for_programs = [("--ltl", options.ltl.is_some()), ("--confirm gcc", !options.confirm.is_empty())];
    if let Some((option, _)) = for_programs.into_iter().find(|(_, is_given)| *is_given) {
        return Err(Failure::Usage(format!("{option} is for C programs")));
    }
    let Chosen { bad: mut chosen, mut justice } = chosen(name, model, &options.properties)?;
    share.keep(&mut chosen);
    share.keep(&mut justice);
    let liveness = Justice { name, model, words: words.as_ref(), wanted: justice, begun: Duration::ZERO };
    let interrupt = limits.interrupt.clone();
    let mut files = Files::new(options, &interrupt)?;
    let unknown = |property: PropertyId| {
        let (property, symbol) = (&model.properties[property.index()], &model.circuit.bad[property.index()].name);
        nothing_known(name, property, symbol)
    };
    let number = chosen.len() + liveness.wanted.len();
    let language = if words.is_some() { Language::Btor2 } else { Language::Aiger };
    let mut problem = ProblemRecord::new(name.into(), language, sizes(model, number));
    problem.names = names(model);
    if problem.names.is_empty() && liveness.unknown().next().is_none() {
        problem.messages += &nothing_to_check(&problem);
    }
    teller.start(&problem, chosen.iter().map(|&property| unknown(property)).chain(liveness.unknown()).collect());

    let on_words = words.as_ref().map(|words| OnWords { words, circuit: model });
    let memory = || options.watch.for_states();
    let terms = Terms {
        journal: options.open_journal.as_ref(),
        resume: options.resume.is_some(),
        second_opinion: on_words.as_ref().map(|words| words as &dyn SecondOpinion<Trace>),
        shortest: options.shortest.then_some(&memory),
    };
    let has_both = !chosen.is_empty() && !liveness.wanted.is_empty();
    let both_options = hardware::ModelOptions {
        confirm: !options.no_certify,
        engine,
        backend: options.solver.map(SolverChoice::backend),
        limits: Limits { without_elimination: options.model.without.contains(&Pass::Elimination), ..limits },
        passes: options.model.passes(),
        threads,
        ..hardware::ModelOptions::default()
    };
    let mut check_options = hardware::ModelOptions { properties: Some(chosen), ..both_options.clone() };
    if has_both {
        check_options.limits.interrupt = both_options.limits.interrupt.share(1, 2);
    }
    let mut hear = |circuit: &Model, words: Option<&Words>, news: News| match news {
        News::Provisional(finding) => teller.provisional(described(unknown(finding.property), finding)),
        News::Settled(finding) => {
            settled(&mut files, name, circuit, words, finding);
            teller.property(described(unknown(finding.property), finding));
        }
    };
    let by_smaller = words.as_ref().filter(|words| words.smaller().is_some());
    let report = match by_smaller {
        Some(words) => reduced::decide(Round { circuit: model, words }, &check_options, &terms, &mut |round, news| {
            hear(round.circuit, Some(round.words), news)
        })?,
        None => hardware::decide(model, &check_options, &terms, &mut |news| hear(model, words.as_ref(), news))?,
    };
    if by_smaller.is_none() {
        write_certificate(&mut files, name, model, &report, &mut problem.messages);
    }
    for finding in report.findings.iter().filter(|finding| finding.answer.is_unknown()) {
        teller.property(described(unknown(finding.property), finding));
    }
    let liveness = Justice { begun: report.elapsed, ..liveness };
    let infinite = liveness.decide(options, &both_options, &mut files, teller)?;
    problem.messages += &files.finish()?;
    problem.seconds = Some((report.elapsed + infinite.elapsed).as_secs_f64());
    let worked_on = infinite.account.loops.as_deref().filter(|_| !has_both).unwrap_or(&report.simplified);
    measure(&mut problem.sizes, worked_on);
    match &options.vcd {
        Some(_) if by_smaller.is_some() => message(NO_WAVEFORM),
        Some(path) => write_waveform(path, model, &report, &infinite)?,
        None => {}
    }
    if options.stats {
        problem.messages += &statistics(model, &report.simplified, &report.statistics);
        if let Some(loops) = &infinite.account.loops {
            problem.messages += &statistics(model, loops, &infinite.account.statistics);
        }
    }
    Ok(problem)
}

/// Which properties to decide.
struct Chosen {
    bad: Vec<PropertyId>,
    justice: Vec<PropertyId>,
}

/// The properties of these names, as `b0` or `j0` or by their symbols; all of them if none is named.
fn chosen(file: &str, model: &Model, wanted: &[String]) -> Result<Chosen, Failure> {
    let all = |number: usize| (0..number).map(PropertyId::new).collect();
    if wanted.is_empty() {
        return Ok(Chosen { bad: all(model.properties.len()), justice: all(model.justice.len()) });
    }
    let mut chosen = Chosen { bad: vec![], justice: vec![] };
    for name in wanted {
        let mut bad = model.properties.iter().zip(&model.circuit.bad);
        let mut justice = model.justice.iter();
        if let Some(index) = bad.position(|(property, bad)| property == name || bad.name == *name) {
            chosen.bad.push(PropertyId::new(index));
        } else if let Some(index) = justice.position(|justice| justice.name == *name || justice.symbol == *name) {
            chosen.justice.push(PropertyId::new(index));
        } else {
            let meant = meant(name, names(model).iter().map(String::as_str));
            return Err(Failure::Usage(format!("{file} has no property `{name}`{meant}")));
        }
    }
    for list in [&mut chosen.bad, &mut chosen.justice] {
        list.sort_unstable();
        list.dedup();
    }
    Ok(chosen)
}

/// The names of properties: as in `b0`, and by their symbols.
fn names(model: &Model) -> Vec<String> {
    let justice = model.justice.iter().flat_map(|justice| [&justice.name, &justice.symbol]);
    let symbols = model.circuit.bad.iter().map(|bad| &bad.name);
    let names = model.properties.iter().chain(symbols).chain(justice);
    names.filter(|name| !name.is_empty()).cloned().collect()
}

pub(super) fn nothing_known(file: &str, property: &str, symbol: &str) -> PropertyRecord {
    let mut record = PropertyRecord::unknown(file, property);
    record.symbol = Some(symbol.to_string()).filter(|symbol| !symbol.is_empty());
    record
}

fn described(mut record: PropertyRecord, finding: &Finding) -> PropertyRecord {
    record.take(finding);
    record.shortest = finding.is_shortest;
    match &finding.answer {
        Answer::Reachable { run } => {
            (record.verdict, record.status) = (Verdict::Reachable, Some(Status::Violated));
            record.steps = Some(run.inputs.len());
        }
        Answer::Unreachable { .. } => {
            (record.verdict, record.status) = (Verdict::Unreachable, Some(Status::Holds));
        }
        Answer::Unknown(_) | Answer::Withdrawn { .. } => {}
    }
    record.shown.word = record.verdict.word();
    record
}

fn sizes(model: &Model, properties: usize) -> Sizes {
    let (variables, inputs) = (model.circuit.latches.len(), model.circuit.inputs.len());
    Sizes { variables: Some(variables), inputs: Some(inputs), properties: Some(properties), ..Sizes::default() }
}

fn measure(sizes: &mut Sizes, simplified: &Simplified) {
    let savings = simplified.savings.iter();
    let pass = |saving: &redoubt_simplify::Saving| record::Pass {
        pass: saving.pass.into(),
        states: saving.latches,
        expressions: saving.gates,
    };
    sizes.passes = savings.map(pass).collect();
    let circuit = &simplified.circuit;
    (sizes.latches, sizes.gates) = (Some(circuit.latches.len()), Some(circuit.live_gates()));
}

/// Writes the files about a finding.
fn settled(files: &mut Files, name: &str, model: &Model, words: Option<&Words>, finding: &Finding) {
    let property = finding.property.index();
    if let Some(smaller) = words.and_then(Words::smaller) {
        write_certificate_of_smaller(files, name, model, smaller, finding);
    }
    let ending = if words.is_some() { "wit" } else { "aiw" };
    let path = witness_path(files.options, name, &format!("b{property}"), ending);
    if let (Answer::Reachable { run }, Some(path)) = (&finding.answer, path) {
        files.expect(write_file(&path, &mut |out| match words {
            Some(words) => words.write(out, property, run),
            None => witness::write(out, property, run),
        }));
    }
    files.save_withdrawn(name, &model.properties[property], finding, |claim| {
        let mut content = vec![];
        let hash = format!("model sha256 {}", stamp::circuit(&model.circuit));
        // Writing to memory does not fail.
        let (ending, _written) = match claim {
            Claim::Run(trace) => {
                let written = witness::write(&mut content, property, trace);
                ("aiw", written.and_then(|()| writeln!(content, "c\n{hash}")))
            }
            Claim::Proof(Some(evidence)) => {
                let circuit = evidence.witness(model, &[property]);
                ("aag", aiger::write(&mut content, &circuit, aiger::Format::Ascii, &hash))
            }
            Claim::Proof(None) => ("txt", writeln!(content, "a proof without a witness circuit\n{hash}")),
        };
        (ending, content)
    });
}

/// Writes a witness circuit for everything that was proved, if it is wanted.
fn write_certificate(files: &mut Files, name: &str, model: &Model, report: &Report, messages: &mut String) {
    let Some(path) = witness_path(files.options, name, "certificate", "aig") else { return };
    match report.witness(model) {
        (proved, _) if proved.is_empty() => {}
        (_, None) => *messages += "no witness circuit: this engine's proofs are not invariants\n",
        (proved, Some(circuit)) => {
            let names: Vec<&str> = proved.iter().map(|&property| &*model.properties[property]).collect();
            let comment = format!("WITNESS {} {name}", names.join(" "));
            files.expect(write_file(&path, &mut |out| aiger::write(out, &circuit, aiger::Format::Binary, &comment)));
        }
    }
}

/// Writes the witness circuit of a property that was proved on a smaller model, and that model, which it is about.
fn write_certificate_of_smaller(
    files: &mut Files,
    name: &str,
    model: &Model,
    smaller: &words::Model,
    finding: &Finding,
) {
    let Answer::Unreachable { checked: Some(checked), .. } = &finding.answer else { return };
    let property = &model.properties[finding.property.index()];
    let path = |what: &str, ending| witness_path(files.options, name, &format!("{property}.{what}"), ending);
    let Some((circuit_path, model_path)) = path("certificate", "aig").zip(path("smaller", "btor2")) else { return };
    let circuit = checked.certificate.witness(model, &[finding.property.index()]);
    let comment = format!("WITNESS {property} {}", model_path.display());
    files.expect(write_file(&circuit_path, &mut |out| aiger::write(out, &circuit, aiger::Format::Binary, &comment)));
    files.expect(write_whole(&model_path, words::write(smaller)));
}

/// Writes the run that reaches the first property that can be reached; or that of the first justice property that is
/// violated, once around its loop.
fn write_waveform(path: &Path, model: &Model, report: &Report, infinite: &liveness::Report) -> io::Result<()> {
    let run = report.findings.iter().find_map(|finding| match &finding.answer {
        Answer::Reachable { run } => Some(run.clone()),
        _ => None,
    });
    let lasso = || {
        infinite.findings.iter().find_map(|finding| match &finding.answer {
            liveness::Answer::Reachable { run } => {
                Some(Trace { initial: run.initial.clone(), inputs: run.inputs.clone() })
            }
            _ => None,
        })
    };
    let Some(run) = run.or_else(lasso) else {
        message(NO_RUN);
        return Ok(());
    };
    write_file(path, &mut |out| vcd::write_circuit(out, &model.circuit, &model.properties, &run))
}

fn statistics(model: &Model, simplified: &Simplified, statistics: &Statistics) -> String {
    let circuit = &model.circuit;
    let (latches, inputs, gates) = (circuit.latches.len(), circuit.inputs.len(), circuit.live_gates());
    let mut text = format!("{latches} latches, {inputs} inputs, {gates} gates\n");
    for saving in &simplified.savings {
        let ([l0, l1], [i0, i1], [g0, g1]) = (saving.latches, saving.inputs, saving.gates);
        let seconds = saving.time.as_secs_f64();
        text += &format!(
            "  {:22} {l0} -> {l1} latches, {i0} -> {i1} inputs, {g0} -> {g1} gates in {seconds:.3} s\n",
            saving.pass
        );
    }
    text + &statistics.to_string()
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use clap::Parser;
    use redoubt_base::Interrupt;
    use redoubt_driver::hardware::certificate::Evidence;
    use redoubt_driver::ledger::Decider;

    use super::*;

    #[derive(Parser)]
    struct Line {
        #[command(flatten)]
        options: CheckArgs,
    }

    /// A latch that stays 0, and its property.
    fn model() -> Model {
        aiger::read(b"aag 1 0 1 0 0 1\n2 2\n2\n").expect("a circuit")
    }

    fn withdrawn(claim: Claim<Trace, Evidence>) -> (PropertyRecord, String) {
        let answer = Answer::Withdrawn { claim, reason: "it is wrong".into() };
        let (decider, after) = (Decider::Strategy("bmc"), Duration::from_secs(2));
        let finding = Finding { property: PropertyId::new(0), answer, decider, after, is_shortest: false };
        let (line, interrupt) = (Line::parse_from(["redoubt", "model.aag"]), Interrupt::default());
        let mut files = Files::new(&line.options, &interrupt).expect("no folder is wanted");
        settled(&mut files, "model.aag", &model(), None, &finding);
        let record = described(nothing_known("model.aag", "b0", ""), &finding);
        (record, files.finish().expect("room"))
    }

    /// The file that a message asks for.
    fn saved(notes: &str) -> String {
        let path = notes.trim_end().rsplit(' ').next().expect("a path");
        let content = std::fs::read_to_string(path).expect("it is saved");
        std::fs::remove_file(path).expect("it is there");
        content
    }

    #[test]
    fn a_withdrawn_verdict_keeps_its_reason_and_what_was_claimed() {
        let trace = Trace { initial: vec![false], inputs: vec![vec![]] };
        let (record, notes) = withdrawn(Claim::Run(trace.clone()));
        assert!(notes.starts_with("error: the verdict of bmc about b0 is withdrawn: it is wrong\n"), "{notes}");
        assert_eq!(record.reason.as_deref(), Some("withdrawn: it is wrong"));
        assert!(record.withdrawn && !record.is_decided());
        let content = saved(&notes);
        assert_eq!(witness::read(&model(), &content), Ok(vec![(witness::Claim::Bad(0), trace)]), "{content}");
        assert!(content.contains("model sha256"), "{content}");

        let (_, notes) = withdrawn(Claim::Proof(Some(Arc::new(Evidence::Witness(model().circuit)))));
        let content = saved(&notes);
        assert_eq!(aiger::read(content.as_bytes()).expect("a circuit").circuit.bad.len(), 1, "{content}");
    }
}
