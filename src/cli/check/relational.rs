//! Relational models to records: which specifications are decided, and the words about what was found.

use std::fmt::Write;
use std::path::Path;
use std::sync::Arc;

use redoubt_base::Limits;
use redoubt_driver::ledger::Terms;
use redoubt_driver::relational::obligations::{self, Unmet};
use redoubt_driver::relational::{self, Answer, Certificate, Finding, News, Questions};
use redoubt_languages::Refused;
use redoubt_program::program::{PropertyId, PropertyKind, Status};
use redoubt_program::text::{SourceFile, Sources};
use redoubt_report::record::Amount;
use redoubt_smv::model::{Kind, Model};

use super::super::output::{count, meant};
use super::super::{Failure, load};
use super::advice::nothing_to_check;
use super::record::{Language, ProblemRecord, PropertyRecord, Sizes, Told, Verdict, doubt};
use super::run::Teller;
use super::shard::Share;
use super::states::Shown;
use super::{CheckArgs, Traces};

/// A relational model that was read.
pub struct Relational {
    pub name: String,
    pub sources: Arc<Sources>,
    pub model: Model,
}

/// Reads a model, and checks what must be so for all values of its variables.
pub fn read(name: String, path: &Path, color: bool, limits: &Limits) -> Result<Relational, Failure> {
    // Comments may be in any encoding; elsewhere what is no UTF-8 is refused as an unknown character.
    let text = String::from_utf8_lossy(&load::bytes(path)?).into_owned();
    let sources = Arc::new(Sources::new(vec![SourceFile::new(path.to_string_lossy(), text)]));
    let (mut model, obligations) = match redoubt_smv::load_within(&sources, &limits.interrupt) {
        Ok(read) => read,
        Err(Refused::Mistakes(diagnostics)) => return Err(Failure::Source(diagnostics.render(&sources, color))),
        Err(Refused::Interrupted) => return Err(Failure::Unread),
    };
    match obligations::check(&mut model, &obligations, limits) {
        Ok(()) => Ok(Relational { name, sources, model }),
        Err(Unmet::Refused(diagnostics)) => Err(Failure::Source(diagnostics.render(&sources, color))),
        Err(Unmet::Undecided) => Err(Failure::Unread),
    }
}

/// Decides the specifications of a model; all that becomes known goes to `teller`.
pub fn decide(
    relational: Relational,
    options: &CheckArgs,
    limits: Limits,
    threads: usize,
    color: bool,
    teller: &Teller,
    share: &Share,
) -> Result<ProblemRecord, Failure> {
    let for_others = [
        ("--ltl", options.ltl.is_some()),
        ("--ctl", !options.ctl.is_empty()),
        ("--confirm gcc", !options.confirm.is_empty()),
        ("--engine", options.engine.is_some()),
        ("-D", !options.set.is_empty()),
    ];
    if let Some((option, _)) = for_others.into_iter().find(|(_, is_given)| *is_given) {
        return Err(Failure::Usage(format!("{option} is not for SMV models")));
    }
    let Relational { name, sources, model } = relational;
    let questions = Questions { model };
    let mut wanted = chosen(&name, &questions, &options.properties)?;
    share.keep(&mut wanted);
    let describe = Describe { name: &name, sources: &sources, questions: &questions, options };
    let words = &questions.model.words.model;
    let sizes = Sizes {
        variables: Some(words.states.len()),
        inputs: Some(words.inputs.len()),
        properties: Some(wanted.len()),
        ..Sizes::default()
    };
    let mut problem = ProblemRecord::new(name.clone(), Language::Smv, sizes);
    let specifications = &questions.model.specifications;
    problem.names = specifications.iter().map(|specification| specification.name.clone()).collect();
    if specifications.is_empty() {
        problem.messages += &nothing_to_check(&problem);
    }
    teller.start(&problem, wanted.iter().map(|&property| describe.unknown(property)).collect());
    let mut meant = vec![];
    for &property in &wanted {
        match &questions.specification(property).meaning {
            Ok(_) => meant.push(property),
            Err(diagnostics) => {
                problem.messages += &diagnostics.render(&sources, color);
                let mut record = describe.unknown(property);
                let first = diagnostics.iter().next().map_or("it has no meaning", |first| &first.message);
                record.reason = Some(format!("refused: {first}"));
                teller.property(record);
            }
        }
    }
    let decided = relational::Options { limits, properties: Some(meant), confirm: !options.no_certify, threads };
    let terms = Terms { journal: options.open_journal.as_ref(), resume: options.resume.is_some(), ..Terms::default() };
    let mut hear = |news: News| match news {
        News::Provisional(finding) => teller.provisional(describe.finding(finding)),
        News::Settled(finding) => teller.property(describe.finding(finding)),
    };
    let report = relational::decide(&questions, &decided, &terms, &mut hear)?;
    for finding in report.findings.iter().filter(|finding| finding.answer.is_unknown()) {
        teller.property(describe.finding(finding));
    }
    problem.messages += &report.notes.iter().map(|note| format!("{note}\n")).collect::<String>();
    problem.messages += &describe.left_out(&report);
    problem.seconds = Some(report.elapsed.as_secs_f64());
    Ok(problem)
}

/// The specifications of these names; all of them if none is named.
fn chosen(file: &str, questions: &Questions, wanted: &[String]) -> Result<Vec<PropertyId>, Failure> {
    let specifications = &questions.model.specifications;
    let mut chosen = vec![];
    for name in wanted {
        let found = specifications.iter().position(|specification| specification.name == *name);
        let names = || specifications.iter().map(|specification| specification.name.as_str());
        let index =
            found.ok_or_else(|| Failure::Usage(format!("{file} has no property `{name}`{}", meant(name, names()))))?;
        chosen.push(PropertyId::new(index));
    }
    if wanted.is_empty() {
        chosen = (0..specifications.len()).map(PropertyId::new).collect();
    }
    chosen.sort_unstable();
    chosen.dedup();
    Ok(chosen)
}

struct Describe<'d> {
    name: &'d str,
    sources: &'d Sources,
    questions: &'d Questions,
    options: &'d CheckArgs,
}

impl Describe<'_> {
    fn unknown(&self, property: PropertyId) -> PropertyRecord {
        let specification = self.questions.specification(property);
        let mut record = PropertyRecord::unknown(self.name, &specification.name);
        let position = self.sources.position(specification.span);
        record.shown.place = Some((self.sources.file(specification.span).name.clone(), position.line, position.column));
        record.shown.kind = Some(PropertyKind::Invariant);
        record.shown.told = Told::Sentence;
        record.formula = Some(specification.text.split_whitespace().collect::<Vec<_>>().join(" "));
        record
    }

    fn finding(&self, finding: &Finding) -> PropertyRecord {
        let mut record = self.unknown(finding.property);
        record.take(finding);
        record.shortest = finding.is_shortest;
        match &finding.answer {
            Answer::Reachable { run } => {
                (record.verdict, record.status) = (Verdict::Reachable, Some(Status::Violated));
                record.steps = Some(run.len().saturating_sub(usize::from(run.repeats_from.is_none())));
                let shown = Shown::of(&self.questions.model, run);
                record.trace = Some(shown.to_record());
                if self.options.traces() != Traces::None {
                    record.shown.run = Some(shown.to_text());
                }
                if self.questions.specification(finding.property).kind == Kind::Branching && run.repeats_from.is_none()
                {
                    record.confirmed = false;
                    record.reason = Some("not confirmed: its reason is about many runs".into());
                }
            }
            Answer::Unreachable { checked, .. } => {
                (record.verdict, record.status) = (Verdict::Unreachable, Some(Status::Holds));
                record.reason = doubt(finding);
                if let Some(Certificate::Distance(steps)) = checked.as_ref().map(|checked| &*checked.certificate) {
                    record.value = Some(steps.map_or(Amount::Word("infinity".into()), Amount::Number));
                    record.shown.how = Some(match steps {
                        Some(steps) => format!("{steps}"),
                        None => "infinity".into(),
                    });
                }
            }
            Answer::Unknown(_) | Answer::Withdrawn { .. } => {}
        }
        record.shown.word = match (&record.value, record.status) {
            (Some(_), _) => "is",
            (None, Some(status)) => status.word(),
            (None, None) => Verdict::Unknown.word(),
        };
        record
    }

    /// The runs that formulas do not count.
    fn left_out(&self, report: &relational::Report) -> String {
        let mut text = String::new();
        if report.account.is_empty {
            text += "warning: no infinite fair run begins in an initial state, so every formula about runs holds\n";
        } else if let Some(run) = &report.account.deadlock {
            let shown = Shown::of(&self.questions.model, run);
            let steps = count(run.len() - 1, "step");
            // Writing to a string does not fail.
            let _ = write!(
                text,
                "warning: a state without successor can be reached ({steps}): {}\n  = help: formulas of linear and \
                 of branching time are about infinite runs; those that end there were left out, and only invariants count them\n",
                shown.last_state()
            );
        }
        text
    }
}
