//! For systems that collect test results: a suite per problem, a test per property, as JUnit's XML.
//!
//! A property whose verdict is not wanted fails, one that is undecided is skipped, and a file that cannot be read
//! is an error.

use std::io::{self, Write};
use std::time::SystemTime;

use super::super::super::junit::{Case, Result, Suite, document};
use super::super::super::output::stdout;
use super::super::collect::{Collection, Entry, State};
use super::super::record::{ProblemRecord, PropertyRecord};
use super::{Writer, summary, witness};

pub struct Junit;

impl Writer for Junit {
    fn problem(&mut self, _record: &ProblemRecord, _entry: &Entry) -> io::Result<()> {
        Ok(())
    }

    fn end(&mut self, collection: &Collection) -> io::Result<()> {
        let suites: Vec<Suite> = collection.entries.iter().map(suite).collect();
        let start = SystemTime::now() - collection.start.elapsed();
        stdout().write_all(document(&suites, start).as_bytes())
    }
}

fn suite(entry: &Entry) -> Suite {
    let mut cases: Vec<Case> = entry.properties.iter().map(case).collect();
    if entry.state != State::Finished {
        cases.push(Case { name: "read".into(), seconds: 0.0, result: Result::Error(entry.reason().into()) });
    }
    let record = entry.record.as_ref();
    Suite {
        name: entry.name.clone(),
        seconds: record.map_or(0.0, ProblemRecord::seconds),
        cases,
        messages: record.map_or(String::new(), |record| record.messages.clone()),
    }
}

/// The width of a property's name.
const NAME: usize = 24;

/// The output about a property of a model, with the run.
fn logged(record: &PropertyRecord) -> Option<String> {
    let line = format!("{:NAME$}  {}", record.property, record.sentence()?);
    Some(record.shown.run.as_ref().map_or_else(|| format!("{line}\n"), |run| format!("{line}:\n{run}")))
}

fn case(record: &PropertyRecord) -> Case {
    let result = if record.is_unwanted() {
        let kind = if record.shown.is_wrong { "wrong" } else { record.shown.word };
        let detail = logged(record).unwrap_or_else(|| witness(record));
        Result::Failed { kind: kind.into(), message: summary(record), detail }
    } else if record.is_decided() {
        Result::Passed
    } else {
        Result::Skipped(summary(record))
    };
    Case { name: record.property.clone(), seconds: record.seconds(), result }
}
