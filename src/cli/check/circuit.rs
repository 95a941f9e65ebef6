//! AIGER models to records, and to the files that other tools check them with.

use std::fs::{self, File};
use std::io::{self, BufWriter, Write};
use std::path::{Path, PathBuf};

use clap::{Args, ValueEnum};
use redoubt::circuit::aiger::{self, Model};
use redoubt::engine::Limits;
use redoubt::hardware::simplify::Passes;
use redoubt::hardware::{self, Answer, Finding, Report, certificate, witness};
use redoubt::program::Status;
use redoubt::sat::Interrupt;

use super::super::Failure;
use super::record::{self, Language, ProblemRecord, PropertyRecord, Shown, Sizes, Verdict};
use super::run::Teller;
use super::{EngineChoice, Options, SolverChoice};

#[derive(Args)]
pub struct CircuitOptions {
    /// Write an AIGER witness for every reachable property of a model, and a witness circuit for the proved ones
    #[arg(long, value_name = "DIR")]
    witness_dir: Option<PathBuf>,

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
        self.witness_dir.is_some() || self.hwmcc || !self.without.is_empty()
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
    interrupt: &Interrupt,
    teller: &Teller,
) -> Result<ProblemRecord, Failure> {
    let Some(engine) = options.engine.unwrap_or(EngineChoice::Portfolio).on_circuits() else {
        return Err(Failure::Usage("this engine is for programs, not for circuits".into()));
    };
    let chosen = chosen(name, model, &options.properties)?;
    let check_options = hardware::Options {
        engine,
        backend: options.solver.map(SolverChoice::backend),
        limits: Limits {
            interrupt: interrupt.clone(),
            per_property: options.property_timeout,
            depth: options.depth,
            without_elimination: options.model.without.contains(&Pass::Elimination),
        },
        passes: options.model.passes(),
        properties: Some(chosen.clone()),
    };
    if let Some(directory) = &options.model.witness_dir {
        fs::create_dir_all(directory)?;
    }
    let files = Files { name, model, directory: options.model.witness_dir.as_deref() };
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
    teller.start(&problem, chosen.iter().map(|&property| unknown(property)).chain(justice.iter().cloned()).collect());

    let mut failed = Ok(());
    let report = hardware::check(model, &check_options, |finding| {
        if failed.is_ok() {
            failed = files.write_witness(finding);
            if failed.is_err() {
                interrupt.raise();
            }
        }
        teller.property(described(unknown(finding.property), finding));
    });
    failed?;
    let seconds = report.elapsed.as_secs_f64();
    for finding in report.findings.iter().filter(|finding| finding.answer == Answer::Unknown) {
        teller.property(described(unknown(finding.property), finding));
    }
    justice.into_iter().for_each(|record| teller.property(PropertyRecord { seconds, ..record }));
    problem.seconds = seconds;
    measure(&mut problem.sizes, &report);
    files.write_certificate(&report, &mut problem.messages)?;
    if options.stats {
        problem.messages += &statistics(model, &report);
    }
    Ok(problem)
}

/// The properties of these names, as `b0` or by their symbols; all of them if none is named.
fn chosen(file: &str, model: &Model, names: &[String]) -> Result<Vec<usize>, Failure> {
    let mut found = vec![];
    for name in names {
        let is_named = |index: &usize| model.properties[*index] == *name || model.circuit.bad[*index].name == *name;
        let Some(index) = (0..model.properties.len()).find(is_named) else {
            return Err(Failure::Usage(format!("{file} has no property `{name}` that can be decided")));
        };
        found.push(index);
    }
    found.sort_unstable();
    found.dedup();
    Ok(if names.is_empty() { (0..model.properties.len()).collect() } else { found })
}

fn nothing_known(property: &str, symbol: &str) -> PropertyRecord {
    PropertyRecord {
        file: String::new(),
        property: property.into(),
        symbol: Some(symbol.into()).filter(|symbol: &String| !symbol.is_empty()),
        verdict: Verdict::Unknown,
        status: None,
        steps: None,
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
        Answer::Unreachable { .. } => {
            (record.verdict, record.status) = (Verdict::Unreachable, Some(Status::Holds));
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

/// The files about a model, if they are wanted.
struct Files<'a> {
    name: &'a str,
    model: &'a Model,
    directory: Option<&'a Path>,
}

impl Files<'_> {
    fn write_witness(&self, finding: &Finding) -> io::Result<()> {
        let Answer::Reachable { trace } = &finding.answer else { return Ok(()) };
        let Some(path) = self.path(&format!("b{}.aiw", finding.property)) else { return Ok(()) };
        let mut out = BufWriter::new(File::create(path)?);
        witness::write(&mut out, finding.property, trace)?;
        out.flush()
    }

    fn write_certificate(&self, report: &Report, messages: &mut String) -> io::Result<()> {
        let Some(path) = self.path("certificate.aig") else { return Ok(()) };
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
                let mut out = BufWriter::new(File::create(path)?);
                aiger::write(&mut out, &circuit, aiger::Format::Binary, &comment)?;
                out.flush()
            }
        }
    }

    /// The path of a file about this model.
    fn path(&self, ending: &str) -> Option<PathBuf> {
        let stem = Path::new(self.name).file_name().map_or("model".into(), |name| name.to_string_lossy());
        let stem =
            ["gz", "xz"].iter().fold(&*stem, |stem, ending| stem.strip_suffix(&format!(".{ending}")).unwrap_or(stem));
        let stem =
            ["aig", "aag"].iter().fold(stem, |stem, ending| stem.strip_suffix(&format!(".{ending}")).unwrap_or(stem));
        Some(self.directory?.join(format!("{stem}.{ending}")))
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
