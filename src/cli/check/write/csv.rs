//! The form in which answers are handed in to the RERS challenge: problem, label, and whether the label is reachable.
//!
//! There is a row for each `error_N` of a program that is decided; everything else is no question of the challenge.
//! Models have no numbers, so their rows have names.

use std::io::{self, Write};
use std::path::Path;

use super::super::collect::Entry;
use super::super::record::{Language, ProblemRecord, Verdict};
use super::Writer;

pub struct Csv;

impl Writer for Csv {
    fn problem(&mut self, record: &ProblemRecord, entry: &Entry) -> io::Result<()> {
        let mut out = io::stdout().lock();
        let problem = quoted(&problem(&record.file, record.language));
        for property in &entry.properties {
            let label = match record.language {
                Some(Language::C) => label_number(&property.property),
                _ => Some(quoted(&property.property)),
            };
            let is_reachable = match property.verdict {
                Verdict::Reachable => true,
                Verdict::Unreachable => false,
                Verdict::Unknown => continue,
            };
            if let Some(label) = label {
                writeln!(out, "{problem},{label},{is_reachable}")?;
            }
        }
        out.flush()
    }
}

fn label_number(property: &str) -> Option<String> {
    let number = property.strip_prefix("error_")?;
    number.bytes().all(|byte| byte.is_ascii_digit()).then(|| number.into())
}

/// The number in the name of a program's file, `10` for `Problem10.c`; else the name.
fn problem(file: &str, language: Option<Language>) -> String {
    let stem = Path::new(file).file_stem().map_or(file.into(), |stem| stem.to_string_lossy());
    let digits = stem.trim_start_matches(|c: char| !c.is_ascii_digit());
    let end = digits.find(|c: char| !c.is_ascii_digit()).unwrap_or(digits.len());
    let number = &digits[..end];
    if language == Some(Language::C) && !number.is_empty() { number.into() } else { stem.into_owned() }
}

fn quoted(field: &str) -> String {
    match field.contains([',', '"', '\n']) {
        true => format!("\"{}\"", field.replace('"', "\"\"")),
        false => field.into(),
    }
}
