//! One JSON object per line: the subject of the run, a property as soon as it is decided, a problem when all its
//! properties are through, an error as soon as it happens.

use std::io::{self, Write};

use redoubt_report::record::Head;
use serde::Serialize;

use super::super::super::output::stdout;
use super::super::collect::Entry;
use super::super::record::{FailureRecord, ProblemRecord, PropertyRecord};
use super::Writer;

pub struct Jsonl {
    pub head: Head,
}

impl Writer for Jsonl {
    fn begin(&mut self) -> io::Result<()> {
        line(&self.head)
    }

    fn property(&mut self, record: &PropertyRecord) -> io::Result<()> {
        line(&record.line)
    }

    fn problem(&mut self, record: &ProblemRecord, _entry: &Entry) -> io::Result<()> {
        line(&record.line)
    }

    fn failure(&mut self, record: &FailureRecord) -> io::Result<()> {
        line(record)
    }
}

fn line(value: &impl Serialize) -> io::Result<()> {
    let mut out = stdout();
    serde_json::to_writer(&mut out, value)?;
    writeln!(out)?;
    out.flush()
}
