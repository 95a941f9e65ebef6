//! The form in which answers are handed in to the RERS challenge: problem, label, and whether the label is reachable; or
//! problem, formula, and whether the formula holds.
//!
//! There is a row for each `error_N` and each formula of a program that is decided; everything else is no question of the challenge.
//! Models are no problems of the challenge: their rows have names, and say `holds` or `violated`. Where two problems would be called the same, they are called like
//! their files.

use std::collections::HashSet;
use std::io;
use std::path::Path;

use super::super::super::load;
use super::super::super::output::stdout;
use super::super::collect::Entry;
use super::super::record::{Language, ProblemRecord, Verdict};
use super::Writer;

pub struct Csv {
    /// The names that several problems would share.
    shared: HashSet<String>,
}

impl Csv {
    pub fn new(problems: &[String]) -> Csv {
        let files: HashSet<&String> = problems.iter().collect();
        let mut seen = HashSet::new();
        let shared = files.into_iter().map(|file| short_name(file)).filter(|name| !seen.insert(name.clone()));
        Csv { shared: shared.collect() }
    }

    fn name(&self, file: &str) -> String {
        Some(short_name(file)).filter(|name| !self.shared.contains(name)).unwrap_or_else(|| file.into())
    }
}

impl Writer for Csv {
    fn problem(&mut self, record: &ProblemRecord, entry: &Entry) -> io::Result<()> {
        let mut out = csv::Writer::from_writer(stdout());
        let problem = self.name(&record.file);
        let has_labels = entry.properties.iter().any(|property| label_number(&property.property).is_some());
        for property in &entry.properties {
            let number = match record.language {
                // Where there are both, formulas are told apart from labels by their names.
                Some(Language::C | Language::Java | Language::Mealy)
                    if property.shown.temporal.is_some() && has_labels =>
                {
                    Some(property.property.clone())
                }
                Some(Language::C | Language::Java | Language::Mealy) if property.shown.temporal.is_some() => {
                    number(&property.property, "ltl_")
                }
                Some(Language::C | Language::Java | Language::Mealy) => label_number(&property.property),
                _ => Some(property.property.clone()),
            };
            // Of a formula it is said whether it holds, of a label whether it can be reached.
            let is_true = match property.verdict {
                Verdict::Reachable => property.shown.temporal.is_none(),
                Verdict::Unreachable => property.shown.temporal.is_some(),
                Verdict::Unknown => continue,
            };
            let answer = match (record.language, property.status) {
                (Some(language), Some(status)) if language.is_model() => status.word(),
                _ if is_true => "true",
                _ => "false",
            };
            if let Some(number) = number {
                out.write_record([&*problem, &*number, answer])?;
            }
        }
        out.flush()
    }
}

fn label_number(property: &str) -> Option<String> {
    number(property, "error_")
}

fn number(property: &str, prefix: &str) -> Option<String> {
    let number = property.strip_prefix(prefix)?;
    (!number.is_empty() && number.bytes().all(|byte| byte.is_ascii_digit())).then(|| number.into())
}

/// The number in the name of a program's file, `10` for `Problem10.c`; else the name.
fn short_name(file: &str) -> String {
    let stem = Path::new(file).file_stem().map_or(file.into(), |stem| stem.to_string_lossy());
    let is_c = load::is_source(file) && !load::is_model(file) && !load::is_smv(file);
    let digits = stem.trim_start_matches(|c: char| !c.is_ascii_digit());
    let end = digits.find(|c: char| !c.is_ascii_digit()).unwrap_or(digits.len());
    let number = &digits[..end];
    if is_c && !number.is_empty() { number.into() } else { stem.into_owned() }
}
