//! The files about findings: witnesses and certificates, if they are wanted, and the evidence for a report of a bug.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use redoubt_base::Interrupt;
use redoubt_checker as certificate;
use redoubt_checker::temporal::{self, Temporal};
use redoubt_driver::check::{self, Finding, Report};
use redoubt_driver::ledger::{self, Answer, Claim};
use redoubt_driver::ltl;
use redoubt_driver::time::{self, Lasso, Violation};
use redoubt_program::program::{Program, PropertyId, Timed};
use redoubt_report::record::Property;
use redoubt_witness::{Run, Witness, json, stamp, svcomp};

use super::super::Failure;
use super::super::output::{write_file, write_whole};
use super::CheckArgs;

/// Writes the files about one problem.
pub struct Files<'a> {
    pub options: &'a CheckArgs,
    interrupt: &'a Interrupt,
    /// The first file that could not be written.
    failed: io::Result<()>,
    notes: String,
}

impl<'a> Files<'a> {
    /// Makes the folder ready, before any work is done.
    pub fn new(options: &'a CheckArgs, interrupt: &'a Interrupt) -> Result<Files<'a>, Failure> {
        if let Some(directory) = &options.witness_dir {
            make_directory(directory)?;
        }
        Ok(Files { options, interrupt, failed: Ok(()), notes: String::new() })
    }

    /// If a file could not be written, the work ends: it was asked for.
    pub fn expect(&mut self, written: io::Result<()>) {
        if self.failed.is_ok() && written.is_err() {
            self.failed = written;
            self.interrupt.raise();
        }
    }

    /// The messages, if all files were written.
    pub fn finish(self) -> io::Result<String> {
        self.failed.map(|()| self.notes)
    }

    /// Reports a wrong verdict on a property, and saves the evidence.
    pub fn save_withdrawn<R, C>(
        &mut self,
        problem: &str,
        property: &str,
        finding: &ledger::Finding<R, C>,
        write: impl FnOnce(&Claim<R, C>) -> (&'static str, Vec<u8>),
    ) {
        let Answer::Withdrawn { claim, reason } = &finding.answer else { return };
        let engine = finding.decider.name();
        self.notes += &format!("error: the verdict of {engine} about {property} is withdrawn: {reason}\n");
        let (ending, content) = write(claim);
        let file = self.options.names.file(problem, &format!("{property}.{ending}"));
        let path = std::env::temp_dir().join(format!("redoubt-bug-{}-{file}", std::process::id()));
        match write_whole(&path, &content) {
            Ok(()) => self.notes += &format!("note: please report this with {problem} and {}\n", path.display()),
            Err(error) => self.notes += &format!("note: the evidence for a report is not saved: {error}\n"),
        }
    }
}

/// The files about a program.
impl Files<'_> {
    /// Writes the files about a finding.
    pub fn settled(&mut self, program: &Program, finding: &Finding) {
        if let Answer::Reachable { run } = &finding.answer {
            let written = self.write_witness(program, finding.property, run.clone());
            self.expect(written);
        }
        self.save_withdrawn(&program.name, &program.property(finding.property).name, finding, |claim| {
            let mut content = match claim {
                Claim::Run(run) => format!("{run:?}\n"),
                Claim::Proof(None) => "a proof without a certificate\n".into(),
                Claim::Proof(Some(certificate)) => certificate::text::write(program, [&**certificate]),
            };
            for (file, hash) in stamp::files(&program.sources) {
                content += &format!("\n# {file} sha256 {hash}");
            }
            ("txt", content.into_bytes())
        });
    }

    /// Writes the run that violates a formula.
    pub fn settled_formula(&mut self, program: &Program, record: &Property, finding: &ltl::Finding) {
        let problem = &program.name;
        if let (Some(path), Some(_)) = (witness_path(self.options, problem, &record.property, "json"), &record.cycle) {
            let written = write_file(&path, &mut |out| {
                serde_json::to_writer_pretty(&mut *out, record)?;
                writeln!(out)
            });
            self.expect(written);
        }
        self.save_withdrawn(problem, &record.property, finding, |claim| {
            let content = match claim {
                Claim::Run(run) => format!("{run:?}\n"),
                Claim::Proof(None) => "a proof without a certificate\n".into(),
                Claim::Proof(Some(certificate)) => rankings(program, &[certificate]),
            };
            ("txt", content.into_bytes())
        });
    }

    /// Writes the run that violates a property of whole runs, or why there is none.
    pub fn settled_timed(&mut self, program: &Program, timed: &Timed, finding: &time::Finding) {
        let path = |name: &str, ending| witness_path(self.options, &program.name, name, ending);
        let mut written = Ok(());
        match &finding.answer {
            Answer::Reachable { run: Violation::Lasso(Lasso { run, loop_start }) } => {
                if let Some(path) = path(&timed.name, "json") {
                    let witness = Witness::endless(program, &timed.name, run.clone(), *loop_start);
                    written = write_file(&path, &mut |out| json::write(out, program, &witness));
                }
            }
            Answer::Unreachable { checked: Some(checked), .. } => {
                for (part, text) in checked.certificate.texts(program, timed) {
                    if let Some(path) = path(&part, "cert") {
                        written = written.and(write_whole(&path, &text));
                    }
                }
            }
            _ => {}
        }
        self.expect(written);
        self.save_withdrawn(&program.name, &timed.name, finding, |claim| {
            let content = match claim {
                Claim::Run(Violation::Lasso(lasso)) => format!("{:?}\n", lasso.run),
                Claim::Run(Violation::Tree(evidence)) => format!("{evidence:?}\n"),
                Claim::Proof(None) => "a proof without a certificate\n".into(),
                Claim::Proof(Some(reason)) => {
                    reason.texts(program, timed).into_iter().map(|(_, text)| text).collect::<Vec<_>>().join("\n")
                }
            };
            ("txt", content.into_bytes())
        });
    }

    /// Writes why formulas hold, all into one file.
    pub fn write_rankings(&mut self, program: &Program, report: &ltl::Report) {
        let Some(directory) = &self.options.witness_dir else { return };
        let certificates = report.findings.iter().filter_map(|finding| match &finding.answer {
            ltl::Answer::Unreachable { checked: Some(checked), .. } => Some(&checked.certificate),
            _ => None,
        });
        let certificates: Vec<&Arc<Temporal>> = certificates.collect();
        if !certificates.is_empty() {
            let path = directory.join(self.options.names.file(&program.name, "ltl.cert"));
            let written = write_whole(&path, rankings(program, &certificates));
            self.expect(written);
        }
    }

    fn write_witness(&self, program: &Program, property: PropertyId, run: Run) -> io::Result<()> {
        let name = &program.property(property).name;
        let path = |ending| witness_path(self.options, &program.name, name, ending);
        let witness = Witness::new(program, property, run);
        if let Some(path) = path("json") {
            write_file(&path, &mut |out| json::write(out, program, &witness))?;
        }
        if let Some(path) = path("yml").filter(|_| program.language.is_c()) {
            write_file(&path, &mut |out| svcomp::write(out, program, &witness))?;
        }
        Ok(())
    }

    /// Writes the certificates of all proofs into one file, and as SV-COMP's invariants into another.
    pub fn write_certificates(&mut self, program: &Program, report: &Report, options: &check::CheckOptions) {
        let written = self.try_to_write_certificates(program, report, options);
        self.expect(written);
    }

    fn try_to_write_certificates(
        &self,
        program: &Program,
        report: &Report,
        options: &check::CheckOptions,
    ) -> io::Result<()> {
        let Some(directory) = &self.options.witness_dir else { return Ok(()) };
        let certificates = report.certificates();
        if certificates.is_empty() {
            return Ok(());
        }
        let text = certificate::text::write(program, &certificates);
        let path = |ending| directory.join(self.options.names.file(&program.name, ending));
        write_whole(&path("cert"), text)?;
        if !program.language.is_c() {
            return Ok(());
        }
        let mut invariants = vec![];
        let is_written = match check::round_by_round(program, report, options) {
            Some((program, certificates)) => svcomp::write_invariants(&mut invariants, &program, &certificates)?,
            None => svcomp::write_invariants(&mut invariants, program, &certificates)?,
        };
        if is_written {
            write_whole(&path("invariant.yml"), invariants)?;
        }
        Ok(())
    }
}

/// Certificates of formulas as text: those that are about the machine of the first.
fn rankings(program: &Program, certificates: &[&Arc<Temporal>]) -> String {
    let Some(machine) = certificates.first().map(|one| &one.machine) else { return String::new() };
    let same = certificates.iter().filter(|one| one.machine == *machine);
    temporal::text::write(program, machine, same.map(|one| (&*one.formula, &one.ranking)))
}

/// Makes a directory for witnesses, if it is not there.
fn make_directory(path: &Path) -> Result<(), Failure> {
    fs::create_dir_all(path).map_err(|error| Failure::Unreadable { path: path.into(), reason: error.to_string() })
}

/// `DIR/program.what.ending`, in letters that every file system takes.
pub fn witness_path(options: &CheckArgs, problem: &str, what: &str, ending: &str) -> Option<PathBuf> {
    Some(options.witness_dir.as_ref()?.join(options.names.file(problem, &format!("{what}.{ending}"))))
}
