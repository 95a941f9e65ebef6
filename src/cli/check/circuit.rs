//! AIGER models to records, and to the files that other tools check them with.

use std::io;
use std::time::Duration;

use clap::{Args, ValueEnum};
use redoubt::base::Limits;
use redoubt::certificate::Judgement;
use redoubt::circuit::aiger::{self, Model};
use redoubt::engine::{Engine, Proof, Trace};
use redoubt::hardware::simplify::Passes;
use redoubt::hardware::{self, Answer, Finding, Report, certificate, witness};
use redoubt::journal::{self, Journal};
use redoubt::program::Status;
use redoubt::witness::stamp;

use super::super::model::NO_RUN;
use super::super::output::{meant, message, write_file};
use super::super::{Failure, vcd};
use super::record::{self, Language, ProblemRecord, PropertyRecord, Shown, Sizes, Verdict};
use super::run::Teller;
use super::runs::{make_directory, witness_path};
use super::{EngineChoice, Options, SolverChoice};

#[derive(Args)]
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
    /// Clauses with fewer variables
    Elimination,
}

impl CircuitOptions {
    pub fn is_given(&self) -> bool {
        self.hwmcc || !self.without.is_empty()
    }

    fn passes(&self) -> Passes {
        let runs = |pass| !self.without.contains(&pass);
        Passes { cone: runs(Pass::Cone), constants: runs(Pass::Constants), equivalence: runs(Pass::Equivalence) }
    }
}

/// Decides the properties of a model; all that becomes known goes to `teller`.
pub fn decide(
    name: &str,
    model: &Model,
    options: &Options,
    limits: Limits,
    teller: &Teller,
) -> Result<ProblemRecord, Failure> {
    let Some(engine) = options.engine.unwrap_or(EngineChoice::Portfolio).on_circuits() else {
        return Err(Failure::Usage("this engine is for programs, not for circuits".into()));
    };
    let chosen = chosen(name, model, &options.properties)?;
    let ledger = Ledger::new(model, options);
    let resumed: Vec<Finding> =
        ledger.resumed().into_iter().filter(|finding| chosen.contains(&finding.property)).collect();
    let is_open = |property: &usize| resumed.iter().all(|finding| finding.property != *property);
    let check_options = hardware::Options {
        confirm: !options.no_certify,
        engine,
        backend: options.solver.map(SolverChoice::backend),
        limits: Limits { without_elimination: options.model.without.contains(&Pass::Elimination), ..limits },
        passes: options.model.passes(),
        properties: Some(chosen.iter().copied().filter(is_open).collect()),
    };
    if let Some(directory) = &options.witness_dir {
        make_directory(directory)?;
    }
    let files = Files { name, model, options };
    let unknown = |property: usize| {
        let (name, symbol) = (&model.properties[property], &model.circuit.bad[property].name);
        PropertyRecord { file: files.name.into(), engine: engine.name(), ..nothing_known(name, symbol) }
    };
    // Liveness is reported unless others were asked for by name.
    let justice = if options.properties.is_empty() { &model.justice[..] } else { &[] };
    let justice: Vec<PropertyRecord> = justice
        .iter()
        .map(|justice| {
            let reason = Some("liveness is not decided, only safety");
            PropertyRecord { file: name.into(), reason, ..nothing_known(&justice.name, &justice.symbol) }
        })
        .collect();
    let mut problem = ProblemRecord::new(name.into(), Language::Aiger, sizes(model, chosen.len() + justice.len()));
    problem.names = names(model);
    teller.start(&problem, chosen.iter().map(|&property| unknown(property)).chain(justice.iter().cloned()).collect());

    let mut failed = Ok(());
    let mut waveform = None;
    let mut tell = |finding: &Finding, shortest: bool| {
        files.keep_first(&mut waveform, finding);
        if failed.is_ok() {
            failed = files.write_witness(finding).and_then(|()| ledger.note_down(finding));
            if failed.is_err() {
                check_options.limits.interrupt.raise();
            }
        }
        teller.property(PropertyRecord { shortest, ..described(unknown(finding.property), finding) });
    };
    let mut held = vec![];
    let mut hear = |finding: &Finding| match &finding.answer {
        Answer::Reachable { .. } if options.shortest => {
            teller.provisional(described(unknown(finding.property), finding));
            held.push(finding.clone());
        }
        _ => tell(finding, false),
    };
    resumed.iter().for_each(&mut hear);
    let report = hardware::check(model, &check_options, hear);
    shortest(model, &check_options, &mut held, |finding| tell(finding, true));
    held.iter().for_each(|finding| tell(finding, false));
    failed?;
    let seconds = report.elapsed.as_secs_f64();
    for finding in report.findings.iter().filter(|finding| finding.answer == Answer::Unknown) {
        teller.property(described(unknown(finding.property), finding));
    }
    justice.into_iter().for_each(|record| teller.property(PropertyRecord { seconds, ..record }));
    problem.seconds = seconds;
    measure(&mut problem.sizes, &report);
    files.write_certificate(&report, &mut problem.messages)?;
    files.write_waveform(waveform)?;
    if options.stats {
        problem.messages += &statistics(model, &report);
    }
    Ok(problem)
}

/// Finds shortest runs by bounded model checking; what it finds is taken from `known`.
fn shortest(model: &Model, options: &hardware::Options, known: &mut Vec<Finding>, mut tell: impl FnMut(&Finding)) {
    let steps = |finding: &Finding| match &finding.answer {
        Answer::Reachable { trace } => trace.inputs.len(),
        _ => 0,
    };
    let Some(depth) = known.iter().map(steps).max() else { return };
    let mut properties: Vec<usize> = known.iter().map(|finding| finding.property).collect();
    properties.sort_unstable();
    let limits = Limits { depth: Some(depth), per_property: None, ..options.limits.clone() };
    let options = hardware::Options {
        engine: Engine::Bmc,
        backend: None,
        limits,
        properties: Some(properties),
        ..options.clone()
    };
    hardware::check(model, &options, |finding| {
        if matches!(finding.answer, Answer::Reachable { .. }) {
            known.retain(|other| other.property != finding.property);
            tell(finding);
        }
    });
}

/// The properties of these names, as `b0` or by their symbols; all of them if none is named.
fn chosen(file: &str, model: &Model, wanted: &[String]) -> Result<Vec<usize>, Failure> {
    let mut found = vec![];
    for name in wanted {
        let is_named = |index: &usize| model.properties[*index] == *name || model.circuit.bad[*index].name == *name;
        let Some(index) = (0..model.properties.len()).find(is_named) else {
            let meant = meant(name, names(model).iter().map(String::as_str));
            return Err(Failure::Usage(format!("{file} has no property `{name}` that can be decided{meant}")));
        };
        found.push(index);
    }
    found.sort_unstable();
    found.dedup();
    Ok(if wanted.is_empty() { (0..model.properties.len()).collect() } else { found })
}

/// What properties can be called: as in `b0`, and by their symbols.
fn names(model: &Model) -> Vec<String> {
    let justice = model.justice.iter().flat_map(|justice| [&justice.name, &justice.symbol]);
    let symbols = model.circuit.bad.iter().map(|bad| &bad.name);
    let names = model.properties.iter().chain(symbols).chain(justice);
    names.filter(|name| !name.is_empty()).cloned().collect()
}

fn nothing_known(property: &str, symbol: &str) -> PropertyRecord {
    PropertyRecord {
        file: String::new(),
        property: property.into(),
        symbol: Some(symbol.into()).filter(|symbol: &String| !symbol.is_empty()),
        verdict: Verdict::Unknown,
        status: None,
        steps: None,
        shortest: false,
        inputs: None,
        outputs: None,
        engine: "none",
        seconds: 0.0,
        confirmed: false,
        expected: None,
        reason: None,
        trace: None,
        invariant: None,
        shown: Shown { word: Verdict::Unknown.word(), ..Shown::default() },
    }
}

fn described(mut record: PropertyRecord, finding: &Finding) -> PropertyRecord {
    record.seconds = finding.after.as_secs_f64();
    match &finding.answer {
        Answer::Reachable { trace } => {
            (record.verdict, record.status) = (Verdict::Reachable, Some(Status::Violated));
            record.steps = Some(trace.inputs.len());
            // It was replayed.
            record.confirmed = true;
        }
        Answer::Unreachable { proof, judgement } => {
            record.confirmed = *judgement == Some(Judgement::Confirmed);
            (record.verdict, record.status) = (Verdict::Unreachable, Some(Status::Holds));
            record.reason = (*proof == Proof::Recorded).then_some("from the journal");
        }
        Answer::Unknown => {}
        Answer::Withdrawn => record.shown.is_withdrawn = true,
    }
    record.shown.word = record.verdict.word();
    record
}

fn sizes(model: &Model, properties: usize) -> Sizes {
    let (variables, inputs) = (model.circuit.latches.len(), model.circuit.inputs.len());
    Sizes { variables, inputs, properties, ..Sizes::default() }
}

fn measure(sizes: &mut Sizes, report: &Report) {
    let savings = report.simplified.savings.iter();
    let pass = |saving: &hardware::simplify::Saving| record::Pass {
        pass: saving.pass,
        states: saving.latches,
        expressions: saving.gates,
    };
    sizes.passes = savings.map(pass).collect();
    let circuit = &report.simplified.circuit;
    (sizes.latches, sizes.gates) = (Some(circuit.latches.len()), Some(circuit.live_gates()));
}

/// The journal, as far as it is about one model.
struct Ledger<'a> {
    model: &'a Model,
    journal: Option<&'a Journal>,
    is_resumed: bool,
    /// The model's hash.
    hash: String,
}

impl<'a> Ledger<'a> {
    fn new(model: &'a Model, options: &'a Options) -> Ledger<'a> {
        let journal = options.open_journal.as_ref();
        let hash = journal.map_or(String::new(), |_| stamp::circuit(&model.circuit));
        Ledger { model, journal, is_resumed: options.resume.is_some(), hash }
    }

    /// What earlier runs decided. Runs are replayed; one that is none is forgotten.
    fn resumed(&self) -> Vec<Finding> {
        let entries = self.journal.filter(|_| self.is_resumed).map_or(vec![], |journal| journal.verdicts(&self.hash));
        let finding = |entry: &journal::Entry| {
            let property = self.model.properties.iter().position(|name| *name == entry.property)?;
            let answer = match &entry.verdict {
                journal::Verdict::Unreachable => Answer::Unreachable { proof: Proof::Recorded, judgement: None },
                journal::Verdict::Reachable(values) => {
                    let mut values = values.iter().map(|values| values.iter().map(|&value| value != 0).collect());
                    let trace = Trace { initial: values.next()?, inputs: values.collect() };
                    if !is_run(self.model, property, &trace) {
                        return None;
                    }
                    Answer::Reachable { trace }
                }
            };
            Some(Finding { property, answer, after: Duration::ZERO })
        };
        entries.into_iter().filter_map(finding).collect()
    }

    fn note_down(&self, finding: &Finding) -> io::Result<()> {
        let Some(journal) = self.journal else { return Ok(()) };
        let verdict = match &finding.answer {
            Answer::Reachable { trace } => {
                let values = std::iter::once(&trace.initial).chain(&trace.inputs);
                let numbers = |values: &Vec<bool>| values.iter().map(|&value| i32::from(value)).collect();
                journal::Verdict::Reachable(values.map(numbers).collect())
            }
            Answer::Unreachable { .. } => journal::Verdict::Unreachable,
            Answer::Unknown | Answer::Withdrawn => return Ok(()),
        };
        journal.append(&self.hash, &self.model.properties[finding.property], "circuit", verdict, None)
    }
}

/// Whether a trace fits the model and reaches the property.
fn is_run(model: &Model, property: usize, trace: &Trace) -> bool {
    let circuit = &model.circuit;
    trace.initial.len() == circuit.latches.len()
        && trace.inputs.iter().all(|inputs| inputs.len() == circuit.inputs.len())
        && trace.reaches(circuit, property)
}

/// The files about a model, if they are wanted.
struct Files<'a> {
    name: &'a str,
    model: &'a Model,
    options: &'a Options,
}

impl Files<'_> {
    fn write_witness(&self, finding: &Finding) -> io::Result<()> {
        let Answer::Reachable { trace } = &finding.answer else { return Ok(()) };
        let Some(path) = witness_path(self.options, self.name, &format!("b{}", finding.property), "aiw") else {
            return Ok(());
        };
        write_file(&path, |out| witness::write(out, finding.property, trace))
    }

    /// Keeps the run of the first property of those that are reached.
    fn keep_first(&self, first: &mut Option<(usize, Trace)>, finding: &Finding) {
        let Answer::Reachable { trace } = &finding.answer else { return };
        let is_first = first.as_ref().is_none_or(|(property, _)| finding.property < *property);
        if self.options.vcd.is_some() && is_first {
            *first = Some((finding.property, trace.clone()));
        }
    }

    fn write_waveform(&self, run: Option<(usize, Trace)>) -> io::Result<()> {
        let Some(path) = &self.options.vcd else { return Ok(()) };
        let Model { circuit, properties, .. } = self.model;
        match run {
            Some((_, trace)) => write_file(path, |out| vcd::write_circuit(out, circuit, properties, &trace)),
            None => {
                message(NO_RUN);
                Ok(())
            }
        }
    }

    fn write_certificate(&self, report: &Report, messages: &mut String) -> io::Result<()> {
        let Some(path) = witness_path(self.options, self.name, "certificate", "aig") else { return Ok(()) };
        match report.invariant() {
            (proved, _) if proved.is_empty() => Ok(()),
            (_, None) => {
                *messages += "no witness circuit: this engine's proofs are not invariants\n";
                Ok(())
            }
            (proved, Some(invariant)) => {
                let circuit = certificate::certificate(self.model, &report.simplified, &proved, &invariant);
                let names: Vec<&str> = proved.iter().map(|&property| &*self.model.properties[property]).collect();
                let comment = format!("WITNESS {} {}", names.join(" "), self.name);
                write_file(&path, |out| aiger::write(out, &circuit, aiger::Format::Binary, &comment))
            }
        }
    }
}

fn statistics(model: &Model, report: &Report) -> String {
    let circuit = &model.circuit;
    let (latches, inputs, gates) = (circuit.latches.len(), circuit.inputs.len(), circuit.live_gates());
    let mut text = format!("{latches} latches, {inputs} inputs, {gates} gates\n");
    for saving in &report.simplified.savings {
        let ([l0, l1], [i0, i1], [g0, g1]) = (saving.latches, saving.inputs, saving.gates);
        let seconds = saving.time.as_secs_f64();
        text += &format!(
            "  {:22} {l0} -> {l1} latches, {i0} -> {i1} inputs, {g0} -> {g1} gates in {seconds:.3} s\n",
            saving.pass
        );
    }
    text + &report.statistics.to_string()
}
