//! Findings between engine and report. Runs are made shortest, confirmed by gcc and written to files, as the options
//! say; the journal gets each verdict before anybody else, and what an earlier run wrote there is taken from it.

use std::collections::HashMap;
use std::fs;
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use redoubt::base::Interrupt;
use redoubt::certificate::{self, Certificate, Checked, Judgement};
use redoubt::check::{Answer, Decider, Finding, Report};
use redoubt::engine::Proof;
use redoubt::journal::{Entry, Verdict};
use redoubt::program::{Program, PropertyId};
use redoubt::witness::compiled::{Compiled, Opinion, Trouble};
use redoubt::witness::{self, Replayed, Run, Target, Witness, json, shortest, stamp, svcomp};

use super::super::Failure;
use super::super::output::{count, write_file};
use super::{Confirm, Options};

/// What is to be done with the runs of one program.
pub struct Runs<'a> {
    program: &'a Program,
    options: &'a Options,
    interrupt: &'a Interrupt,
    compiled: Option<Compiled>,
    /// Findings that wait for a shortest run.
    held: Vec<Finding>,
    /// The program's hash, for the journal.
    hash: String,
    /// The certificate that was written into the journal last, and its hash.
    noted: Option<(Arc<Certificate>, String)>,
    /// The first file that could not be written.
    failed: io::Result<()>,
    /// What gcc said, by number.
    agreed: usize,
    notes: String,
}

impl<'a> Runs<'a> {
    /// Makes everything ready that could fail, before any work is done.
    pub fn new(program: &'a Program, options: &'a Options, interrupt: &'a Interrupt) -> Result<Runs<'a>, Failure> {
        let wants_gcc = options.confirm.contains(&Confirm::Gcc);
        if wants_gcc && program.legend.is_some() {
            return Err(Failure::Usage("--confirm gcc is for C programs".into()));
        }
        if let Some(directory) = &options.witness_dir {
            make_directory(directory)?;
        }
        let compiled = wants_gcc.then(|| Compiled::new(program, interrupt)).transpose();
        let compiled = compiled.map_err(|trouble| Failure::Confirmation(trouble.to_string()))?;
        let hash = stamp::program(&program.sources);
        let (held, failed, agreed, notes) = (vec![], Ok(()), 0, String::new());
        Ok(Runs { program, options, interrupt, compiled, held, hash, noted: None, failed, agreed, notes })
    }

    /// What earlier runs decided of these properties. Runs are replayed and certificates checked; what turns out wrong is
    /// forgotten.
    pub fn resumed(&self, wanted: &[PropertyId]) -> Vec<Finding> {
        let Some(journal) = self.options.open_journal.as_ref().filter(|_| self.options.resume.is_some()) else {
            return vec![];
        };
        // Many verdicts share a certificate.
        let mut certificates = HashMap::new();
        let finding = |entry: &Entry| {
            let property = witness::property(self.program, &entry.property)?;
            let answer = match &entry.verdict {
                Verdict::Unreachable => {
                    let hash = entry.certificate.as_ref().filter(|_| !self.options.no_certify);
                    let checked = hash.and_then(|hash| {
                        let check = || self.recheck(journal.certificate(hash)?);
                        certificates.entry(hash.clone()).or_insert_with(check).clone()
                    });
                    let checked = checked.filter(|checked: &Checked| checked.certificate.excluded.contains(&property));
                    if checked.as_ref().is_some_and(|one| matches!(one.judgement, Judgement::Refuted(_))) {
                        return None;
                    }
                    Answer::Unreachable { proof: Proof::Recorded, checked }
                }
                Verdict::Reachable(inputs) => {
                    let target = Target::Property(entry.property.clone());
                    let witness = Witness { target, run: inputs.clone(), files: vec![] };
                    match witness::replay(self.program, &witness) {
                        Replayed::Reached { steps, .. } => Answer::Reachable { inputs: inputs[..steps].to_vec() },
                        Replayed::Missed(_) => return None,
                    }
                }
            };
            Some(Finding { property, answer, decider: Decider::Journal, after: Duration::ZERO })
        };
        let findings = journal.verdicts(&self.hash).into_iter().filter_map(finding);
        findings.filter(|finding| wanted.contains(&finding.property)).collect()
    }

    /// A certificate from a journal, checked anew.
    fn recheck(&self, text: &str) -> Option<Checked> {
        let certificate = certificate::text::read(self.program, text).ok()?.pop()?;
        let share = certificate::share(self.interrupt);
        let (_, judgement) = certificate::confirm(self.program, &certificate, &share);
        Some(Checked { certificate: Arc::new(certificate), judgement })
    }

    /// What is to be told about a finding; nothing if that has to wait.
    pub fn hear(&mut self, finding: &Finding) -> Option<Finding> {
        if self.options.shortest && matches!(finding.answer, Answer::Reachable { .. }) {
            self.note_down(finding);
            self.held.push(finding.clone());
            return None;
        }
        Some(self.settle(finding.clone()))
    }

    /// Writes a verdict of this run into the journal.
    fn note_down(&mut self, finding: &Finding) {
        let Some(journal) = &self.options.open_journal else { return };
        let (verdict, certificate) = match &finding.answer {
            Answer::Reachable { inputs } => (Verdict::Reachable(inputs.clone()), None),
            Answer::Unreachable { checked, .. } => {
                let checked = checked.as_ref().filter(|checked| checked.is_confirmed());
                (Verdict::Unreachable, checked.map(|checked| Arc::clone(&checked.certificate)))
            }
            Answer::Unknown | Answer::Withdrawn { .. } => return,
        };
        let name = &self.program.property(finding.property).name;
        let certificate = certificate.map(|certificate| match &self.noted {
            Some((last, hash)) if Arc::ptr_eq(last, &certificate) => Ok(hash.clone()),
            _ => {
                let hash = journal.append_certificate(&certificate::text::write(self.program, [&*certificate]))?;
                self.noted = Some((certificate, hash.clone()));
                Ok(hash)
            }
        });
        let written = certificate
            .transpose()
            .and_then(|certificate| journal.append(&self.hash, name, finding.decider.name(), verdict, certificate));
        self.expect(written);
    }

    /// If a file could not be written, the work ends: it was asked for.
    fn expect(&mut self, written: io::Result<()>) {
        if self.failed.is_ok() && written.is_err() {
            self.failed = written;
            self.interrupt.raise();
        }
    }

    /// Looks for shortest runs, if they are wanted, and tells what has waited for them, and whether it is shortest.
    /// The report is brought up to date.
    pub fn finish(&mut self, report: &mut Report, mut tell: impl FnMut(Finding, bool)) -> Result<String, Failure> {
        let mut held = std::mem::take(&mut self.held);
        let known: Vec<(PropertyId, Run)> = held.iter().filter_map(run_of).collect();
        let memory = self.options.watch.for_states();
        let mut tell = |runs: &mut Self, finding: Finding, is_shortest| {
            let finding = runs.settle(finding);
            if let Some(old) = report.findings.iter_mut().find(|old| old.property == finding.property) {
                *old = finding.clone();
            }
            tell(finding, is_shortest);
        };
        if !known.is_empty() {
            shortest::runs(self.program, &known, memory, self.interrupt, |property, inputs| {
                if let Some(place) = held.iter().position(|finding| finding.property == property) {
                    let finding = held.swap_remove(place);
                    tell(self, Finding { answer: Answer::Reachable { inputs }, ..finding }, true);
                }
            });
        }
        held.into_iter().for_each(|finding| tell(self, finding, false));
        let written = self.write_certificates(report);
        self.expect(written);
        std::mem::replace(&mut self.failed, Ok(()))?;
        if self.compiled.is_some() {
            self.notes += &format!("note: gcc agrees with {}\n", count(self.agreed, "run"));
        }
        Ok(std::mem::take(&mut self.notes))
    }

    /// Confirms a run and writes it down; one that gcc refutes is withdrawn.
    fn settle(&mut self, mut finding: Finding) -> Finding {
        if let Some((property, run)) = run_of(&finding) {
            if self.is_refuted(property, &run) {
                let reason = "gcc refutes it".into();
                finding.answer = Answer::Withdrawn { inputs: run, reason, certificate: None };
                self.tell_withdrawn(&finding);
                return finding;
            }
            self.expect(self.write(property, run));
        }
        self.tell_withdrawn(&finding);
        self.note_down(&finding);
        finding
    }

    fn is_refuted(&mut self, property: PropertyId, run: &Run) -> bool {
        let Some(compiled) = &self.compiled else { return false };
        let name = &self.program.property(property).name;
        let opinion = match compiled.judge(self.program, &[(property, run)], self.interrupt) {
            Ok(opinions) => opinions.into_iter().next(),
            Err(trouble @ (Trouble::Interrupted | Trouble::Temporary(_))) => {
                self.notes += &format!("note: not confirmed by gcc: {name}: {trouble}\n");
                return false;
            }
            Err(trouble) => Some(Opinion::Differs(trouble.to_string())),
        };
        match opinion {
            Some(Opinion::Agrees) => self.agreed += 1,
            Some(Opinion::CannotTell(why)) => self.notes += &format!("note: gcc cannot tell about {name}: {why}\n"),
            Some(Opinion::Differs(how)) => {
                let inputs: Vec<String> = run.concat().iter().map(i32::to_string).collect();
                let inputs = inputs.join(" ");
                self.notes += &format!("error: gcc refutes {name}: {how}; the inputs are {inputs}\n");
                return true;
            }
            None => {}
        }
        false
    }

    /// Writes the files of a witness, if they are wanted.
    fn write(&self, property: PropertyId, run: Run) -> io::Result<()> {
        let name = &self.program.property(property).name;
        let path = |ending| witness_path(self.options, &self.program.name, name, ending);
        let witness = Witness::new(self.program, property, run);
        if let Some(path) = path("json") {
            write_file(&path, |out| json::write(out, self.program, &witness))?;
        }
        if let Some(path) = path("yml").filter(|_| self.program.legend.is_none()) {
            write_file(&path, |out| svcomp::write(out, self.program, &witness))?;
        }
        Ok(())
    }
}

impl Runs<'_> {
    /// Writes the certificates of all proofs into one file, and as SV-COMP's invariants into another.
    fn write_certificates(&self, report: &Report) -> io::Result<()> {
        let Some(directory) = &self.options.witness_dir else { return Ok(()) };
        let certificates = report.certificates();
        if certificates.is_empty() {
            return Ok(());
        }
        let text = certificate::text::write(self.program, &certificates);
        let path = |ending| directory.join(self.options.names.file(&self.program.name, ending));
        write_file(&path("cert"), |out| out.write_all(text.as_bytes()))?;
        let is_c = self.program.legend.is_none();
        let can_say = |one| certificate::c_text::expression(self.program, one).is_some();
        if !is_c || !certificates.iter().any(can_say) {
            return Ok(());
        }
        write_file(&path("invariant.yml"), |out| svcomp::write_invariants(out, self.program, &certificates))
    }

    /// Says what is wrong with a verdict, and leaves what is needed to see it again.
    fn tell_withdrawn(&mut self, finding: &Finding) {
        let Answer::Withdrawn { inputs, reason, certificate } = &finding.answer else { return };
        let name = &self.program.property(finding.property).name;
        let engine = finding.decider.name();
        self.notes += &format!("error: the verdict of {engine} about {name} is withdrawn: {reason}\n");
        let file = self.options.names.file(&self.program.name, &format!("{name}.txt"));
        let path = std::env::temp_dir().join(format!("redoubt-bug-{}-{file}", std::process::id()));
        let mut content = match certificate {
            Some(certificate) => certificate::text::write(self.program, [&**certificate]),
            None => format!("{inputs:?}\n"),
        };
        for (file, hash) in stamp::files(&self.program.sources) {
            content += &format!("\n# {file} sha256 {hash}");
        }
        match write_file(&path, |out| out.write_all(content.as_bytes())) {
            Ok(()) => self.notes += &format!("note: please report this with the program and {}\n", path.display()),
            Err(error) => self.notes += &format!("note: what is needed to report this is not saved: {error}\n"),
        }
    }
}

fn run_of(finding: &Finding) -> Option<(PropertyId, Run)> {
    match &finding.answer {
        Answer::Reachable { inputs } => Some((finding.property, inputs.clone())),
        _ => None,
    }
}

/// Makes a directory for witnesses, if it is not there.
pub fn make_directory(path: &Path) -> Result<(), Failure> {
    fs::create_dir_all(path).map_err(|error| Failure::Unreadable { path: path.into(), reason: error.to_string() })
}

/// `DIR/program.what.ending`, in letters that every file system takes.
pub fn witness_path(options: &Options, problem: &str, what: &str, ending: &str) -> Option<PathBuf> {
    Some(options.witness_dir.as_ref()?.join(options.names.file(problem, &format!("{what}.{ending}"))))
}
