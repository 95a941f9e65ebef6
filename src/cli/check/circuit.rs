//! `redoubt check` for AIGER models: verdicts one by one, and the files that other tools check them with.

use std::fs::{self, File};
use std::io::{self, BufWriter, Write};
use std::path::{Path, PathBuf};

use clap::{Args, ValueEnum};
use redoubt::circuit::aiger::{self, Model};
use redoubt::engine::Limits;
use redoubt::hardware::simplify::Passes;
use redoubt::hardware::{self, Answer, Finding, Report, certificate, witness};
use serde::Serialize;

use super::super::output::count;
use super::super::{Failure, Outcome};
use super::{EngineChoice, Format, SolverChoice};

#[derive(Args)]
pub struct CircuitOptions {
    /// Write an AIGER witness for every reachable property of a model, and a witness circuit for the proved ones
    #[arg(long, value_name = "DIR")]
    witness_dir: Option<PathBuf>,

    /// Print `sat`, `unsat` or `unknown` for the whole model, as in the hardware model checking competition
    #[arg(long)]
    hwmcc: bool,

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

pub fn run(options: &super::Options, name: &str, model: &Model) -> Result<Outcome, Failure> {
    let Some(engine) = options.engine.unwrap_or(EngineChoice::Portfolio).on_circuits() else {
        return Err(Failure::Usage("this engine is for programs, not for circuits".into()));
    };
    let interrupt = options.interrupt();
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
        properties: chosen(name, model, &options.properties)?,
    };
    if let Some(directory) = &options.model.witness_dir {
        fs::create_dir_all(directory)?;
    }
    let writer = Writer { name, model, options };
    writer.head()?;
    let mut failed = Ok(());
    let report = hardware::check(model, &check_options, |finding| {
        if failed.is_ok() {
            failed = writer.finding(finding);
            if failed.is_err() {
                interrupt.raise();
            }
        }
    });
    failed?;
    writer.tail(&report)?;
    if options.stats {
        statistics(model, &report);
    }
    writer.outcome(&report, interrupt.is_raised() && options.timeout.is_none_or(|limit| report.elapsed < limit))
}

/// The properties of these names, as `b0` or by their symbols; all of them if none is named.
fn chosen(file: &str, model: &Model, names: &[String]) -> Result<Option<Vec<usize>>, Failure> {
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
    Ok((!names.is_empty()).then_some(found))
}

const LIVENESS: &str = "liveness is not decided, only safety";

/// A line of `--format jsonl`. The names are part of the interface.
#[derive(Serialize)]
struct Line<'a> {
    file: &'a str,
    property: &'a str,
    symbol: &'a str,
    verdict: &'a str,
    status: &'a str,
    steps: Option<usize>,
    reason: Option<&'a str>,
    engine: &'a str,
    seconds: f64,
}

struct Writer<'a> {
    name: &'a str,
    model: &'a Model,
    options: &'a super::Options,
}

/// A verdict as it is written.
struct Shown<'a> {
    property: &'a str,
    symbol: &'a str,
    verdict: &'a str,
    status: &'a str,
    steps: Option<usize>,
    reason: Option<&'a str>,
    seconds: f64,
}

impl Writer<'_> {
    fn head(&self) -> io::Result<()> {
        match self.options.format {
            Format::Csv if !self.options.model.hwmcc => writeln!(io::stdout(), "file,property,symbol,verdict,steps"),
            _ => Ok(()),
        }
    }

    /// One verdict, visible at once, and the witness if it has one.
    fn finding(&self, finding: &Finding) -> io::Result<()> {
        let mut steps = None;
        if let Answer::Reachable { trace } = &finding.answer {
            steps = Some(trace.inputs.len());
            if let Some(path) = self.file(&format!("b{}.aiw", finding.property)) {
                let mut out = BufWriter::new(File::create(path)?);
                witness::write(&mut out, finding.property, trace)?;
                out.flush()?;
            }
        }
        let (verdict, status) = words(&finding.answer);
        self.show(&Shown {
            property: &self.model.properties[finding.property],
            symbol: &self.model.circuit.bad[finding.property].name,
            verdict,
            status,
            steps,
            reason: None,
            seconds: finding.after.as_secs_f64(),
        })
    }

    fn show(&self, shown: &Shown) -> io::Result<()> {
        if self.options.model.hwmcc {
            return Ok(());
        }
        let &Shown { property, symbol, verdict, status, steps, reason, seconds } = shown;
        let mut out = io::stdout().lock();
        match self.options.format {
            Format::Text => {
                let name = if symbol.is_empty() { property.to_owned() } else { format!("{property} {symbol}") };
                let detail = match (steps, reason) {
                    (Some(steps), _) => format!("  {}", count(steps, "step")),
                    (None, Some(reason)) => format!("  ({reason})"),
                    (None, None) => String::new(),
                };
                writeln!(out, "{name:20}  {verdict}{detail}")?;
            }
            Format::Csv => {
                let steps = steps.map_or(String::new(), |steps| steps.to_string());
                let symbol = symbol.replace([',', '"'], " ");
                writeln!(out, "{},{property},{symbol},{verdict},{steps}", self.name)?;
            }
            Format::Jsonl => {
                let choice = self.options.engine.unwrap_or(EngineChoice::Portfolio);
                let engine = choice.on_circuits().unwrap_or_default().name();
                let file = self.name;
                let line = Line { file, property, symbol, verdict, status, steps, reason, engine, seconds };
                serde_json::to_writer(&mut out, &line)?;
                writeln!(out)?;
            }
        }
        out.flush()
    }

    /// What stayed open, the witness circuit, and a summary.
    fn tail(&self, report: &Report) -> io::Result<()> {
        let open = report.findings.iter().filter(|finding| finding.answer == Answer::Unknown);
        open.clone().try_for_each(|finding| self.finding(finding))?;
        let seconds = report.elapsed.as_secs_f64();
        for justice in self.justice() {
            let (property, symbol) = (&*justice.name, &*justice.symbol);
            let reason = Some(LIVENESS);
            self.show(&Shown {
                property,
                symbol,
                verdict: "unknown",
                status: "unknown",
                steps: None,
                reason,
                seconds,
            })?;
        }
        self.write_certificate(report)?;
        let number = |verdict| report.findings.iter().filter(|finding| words(&finding.answer).0 == verdict).count();
        let all = report.findings.len() + self.justice().len();
        let (reachable, unreachable) = (number("reachable"), number("unreachable"));
        if self.options.model.hwmcc {
            let answer = match (reachable, unreachable == all) {
                (1.., _) => "sat",
                (0, true) => "unsat",
                (0, false) => "unknown",
            };
            return writeln!(io::stdout(), "{answer}");
        }
        if self.options.format != Format::Text {
            return Ok(());
        }
        writeln!(
            io::stdout(),
            "{}: {reachable} reachable, {unreachable} unreachable, {} unknown ({seconds:.2} s)",
            count(all, "property").replace("propertys", "properties"),
            all - reachable - unreachable,
        )
    }

    /// Liveness properties, unless others were asked for by name.
    fn justice(&self) -> &[aiger::Justice] {
        if self.options.properties.is_empty() { &self.model.justice } else { &[] }
    }

    fn write_certificate(&self, report: &Report) -> io::Result<()> {
        let Some(path) = self.file("certificate.aig") else { return Ok(()) };
        match report.invariant() {
            (proved, _) if proved.is_empty() => Ok(()),
            (_, None) => {
                super::super::output::message("no witness circuit: this engine's proofs are not invariants\n");
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

    /// The path of a file about this model, if files are wanted.
    fn file(&self, ending: &str) -> Option<PathBuf> {
        let directory = self.options.model.witness_dir.as_ref()?;
        let stem = Path::new(self.name).file_name().map_or("model".into(), |name| name.to_string_lossy());
        let stem =
            ["gz", "xz"].iter().fold(&*stem, |stem, ending| stem.strip_suffix(&format!(".{ending}")).unwrap_or(stem));
        let stem =
            ["aig", "aag"].iter().fold(stem, |stem, ending| stem.strip_suffix(&format!(".{ending}")).unwrap_or(stem));
        Some(directory.join(format!("{stem}.{ending}")))
    }

    fn outcome(&self, report: &Report, interrupted: bool) -> Result<Outcome, Failure> {
        let any = |test: fn(&Answer) -> bool| report.findings.iter().any(|finding| test(&finding.answer));
        if any(|answer| *answer == Answer::Withdrawn) {
            return Err(Failure::Bug("an engine claimed a run that the model does not have".into()));
        }
        let open = any(|answer| *answer == Answer::Unknown);
        if interrupted && open {
            return Err(Failure::Interrupted);
        }
        Ok(if any(|answer| matches!(answer, Answer::Reachable { .. })) {
            Outcome::Violated
        } else if open || !self.justice().is_empty() {
            Outcome::Undecided
        } else {
            Outcome::Holds
        })
    }
}

/// The verdict and the status of an answer, as they are written.
fn words(answer: &Answer) -> (&'static str, &'static str) {
    match answer {
        Answer::Reachable { .. } => ("reachable", "violated"),
        Answer::Unreachable { .. } => ("unreachable", "holds"),
        Answer::Unknown | Answer::Withdrawn => ("unknown", "unknown"),
    }
}

fn statistics(model: &Model, report: &Report) {
    let circuit = &model.circuit;
    let (latches, inputs, gates) = (circuit.latches.len(), circuit.inputs.len(), circuit.live_gates());
    eprintln!("{latches} latches, {inputs} inputs, {gates} gates");
    for saving in &report.simplified.savings {
        let ([l0, l1], [i0, i1], [g0, g1]) = (saving.latches, saving.inputs, saving.gates);
        let seconds = saving.time.as_secs_f64();
        eprintln!(
            "  {:22} {l0} -> {l1} latches, {i0} -> {i1} inputs, {g0} -> {g1} gates in {seconds:.3} s",
            saving.pass
        );
    }
    eprint!("{}", report.statistics);
}
