//! Justice properties of AIGER models: the verdicts on them, and the messages about these.

use std::io::Write;
use std::time::Duration;

use redoubt_circuit::aiger::{self, Model};
use redoubt_circuit::liveness::Lasso;
use redoubt_driver::hardware;
use redoubt_driver::hardware::liveness::{self, Answer, Finding, News};
use redoubt_driver::hardware::witness;
use redoubt_driver::hardware::words::{OnWords, Words};
use redoubt_driver::ledger::{Claim, SecondOpinion, Terms};
use redoubt_program::program::{PropertyId, PropertyKind, Status};
use redoubt_witness::stamp;

use super::super::Failure;
use super::super::output::write_file;
use super::CheckArgs;
use super::circuit::nothing_known;
use super::record::{Part, PropertyRecord, Temporal, Verdict};
use super::run::Teller;
use super::runs::{Files, witness_path};

/// The justice properties of a model that are wanted.
pub struct Justice<'m> {
    pub name: &'m str,
    pub model: &'m Model,
    /// The words behind the circuit, if it is a model of words.
    pub words: Option<&'m Words>,
    pub wanted: Vec<PropertyId>,
    /// After how much time with the model they get their turn.
    pub begun: Duration,
}

impl Justice<'_> {
    /// Their records when nothing is known yet.
    pub fn unknown(&self) -> impl Iterator<Item = PropertyRecord> {
        self.wanted.iter().map(|&property| self.nothing_known(property))
    }

    fn nothing_known(&self, property: PropertyId) -> PropertyRecord {
        let justice = &self.model.justice[property.index()];
        let mut record = nothing_known(self.name, &justice.name, &justice.symbol);
        record.shown.kind = Some(PropertyKind::Invariant);
        record.shown.temporal = Some(Temporal::Justice);
        record
    }

    /// Decides them; all that becomes known goes to `teller`.
    pub fn decide(
        &self,
        options: &CheckArgs,
        check: &hardware::ModelOptions,
        files: &mut Files,
        teller: &Teller,
    ) -> Result<liveness::Report, Failure> {
        let on_words = self.words.map(|words| OnWords { words, circuit: self.model });
        let terms = Terms {
            journal: options.open_journal.as_ref(),
            resume: options.resume.is_some(),
            second_opinion: on_words.as_ref().map(|words| words as &dyn SecondOpinion<Lasso>),
            shortest: None,
        };
        let check = hardware::ModelOptions { properties: Some(self.wanted.clone()), ..check.clone() };
        let mut hear = |news: News| match news {
            News::Provisional(finding) | News::Settled(finding) => {
                self.settled(files, finding);
                teller.property(self.described(finding));
            }
        };
        let report = liveness::decide(self.model, &check, &terms, &mut hear)?;
        for finding in report.findings.iter().filter(|finding| finding.answer.is_unknown()) {
            teller.property(self.described(finding));
        }
        Ok(report)
    }

    fn described(&self, finding: &Finding) -> PropertyRecord {
        let mut record = self.nothing_known(finding.property);
        record.take(finding);
        record.seconds = Some((self.begun + finding.after).as_secs_f64());
        match &finding.answer {
            Answer::Reachable { run } => {
                (record.verdict, record.status) = (Verdict::Reachable, Some(Status::Violated));
                record.steps = Some(run.inputs.len());
                let (stem, cycle) = run.inputs.split_at(run.start);
                let part = |steps: &[Vec<bool>]| Part {
                    inputs: vec![],
                    symbols: steps.iter().map(|values| witness::bits(values)).collect(),
                };
                (record.stem, record.cycle) = (Some(part(stem)), Some(part(cycle)));
            }
            Answer::Unreachable { .. } => {
                (record.verdict, record.status) = (Verdict::Unreachable, Some(Status::Holds));
            }
            Answer::Unknown(_) | Answer::Withdrawn { .. } => {}
        }
        record.shown.word = record.status.map_or(Verdict::Unknown.word(), Status::word);
        record
    }

    /// Writes the files about a finding.
    fn settled(&self, files: &mut Files, finding: &Finding) {
        let (model, property) = (self.model, finding.property.index());
        let name = &model.justice[property].name;
        let path = |what: &str, ending| witness_path(files.options, self.name, what, ending);
        match &finding.answer {
            Answer::Reachable { run } => {
                if let Some(path) = path(name, if self.words.is_some() { "wit" } else { "aiw" }) {
                    files.expect(write_file(&path, &mut |out| match self.words {
                        Some(words) => words.write_lasso(out, model, property, run),
                        None => witness::write_lasso(out, model, property, run),
                    }));
                }
            }
            Answer::Unreachable { checked: Some(checked), .. } => {
                if let Some(path) = path(&format!("{name}.certificate"), "aig") {
                    let circuit = checked.certificate.certificate(model, property);
                    let comment = format!("CERTIFICATE {name} {}", self.name);
                    files.expect(write_file(&path, &mut |out| {
                        aiger::write(out, &circuit, aiger::Format::Binary, &comment)
                    }));
                }
            }
            _ => {}
        }
        files.save_withdrawn(self.name, name, finding, |claim| {
            let mut content = vec![];
            let hash = format!("model sha256 {}", stamp::circuit(&model.circuit));
            // Writing to memory does not fail.
            let (ending, _written) = match claim {
                Claim::Run(lasso) => {
                    let written = witness::write_lasso(&mut content, model, property, lasso);
                    ("aiw", written.and_then(|()| writeln!(content, "c\n{hash}")))
                }
                Claim::Proof(Some(evidence)) => {
                    let circuit = evidence.certificate(model, property);
                    ("aag", aiger::write(&mut content, &circuit, aiger::Format::Ascii, &hash))
                }
                Claim::Proof(None) => ("txt", writeln!(content, "a proof without a certificate\n{hash}")),
            };
            (ending, content)
        });
    }
}
