//! A row per property: file, property, verdict, length and inputs of the witness.

use std::io::{self, Write};

use super::super::super::output::letter;
use super::super::collect::Entry;
use super::super::record::{ProblemRecord, PropertyRecord};
use super::Writer;

pub struct Csv;

impl Writer for Csv {
    fn begin(&mut self) -> io::Result<()> {
        writeln!(io::stdout(), "file,property,verdict,steps,inputs")
    }

    fn problem(&mut self, _record: &ProblemRecord, entry: &Entry) -> io::Result<()> {
        let mut out = io::stdout().lock();
        entry.properties.iter().try_for_each(|record| row(&mut out, record))?;
        out.flush()
    }
}

fn row(out: &mut impl Write, record: &PropertyRecord) -> io::Result<()> {
    let steps = record.steps.map_or(String::new(), |steps| steps.to_string());
    let letters: Vec<String> = record.inputs.iter().flatten().map(|&input| letter(input)).collect();
    let (file, property, word) = (&record.file, &record.property, record.shown.word);
    writeln!(out, "{file},{property},{word},{steps},{}", letters.join(" "))
}
