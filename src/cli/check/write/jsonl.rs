//! One JSON object per line: a property as soon as it is decided, a problem when all its properties are through.

use std::io::{self, Write};

use serde::Serialize;

use super::super::collect::Entry;
use super::super::record::{ProblemRecord, PropertyRecord};
use super::Writer;

pub struct Jsonl;

impl Writer for Jsonl {
    fn property(&mut self, record: &PropertyRecord) -> io::Result<()> {
        line(&record.line)
    }

    fn problem(&mut self, record: &ProblemRecord, _entry: &Entry) -> io::Result<()> {
        line(&record.line)
    }
}

fn line(value: &impl Serialize) -> io::Result<()> {
    let mut out = io::stdout().lock();
    serde_json::to_writer(&mut out, value)?;
    writeln!(out)?;
    out.flush()
}
