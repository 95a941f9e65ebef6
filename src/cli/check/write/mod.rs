//! Ways of writing what is known: one per format, all of them from the same records.

mod csv;
mod hwmcc;
mod jsonl;
mod text;

use std::io;

use super::collect::{Collection, Entry};
use super::record::{ProblemRecord, PropertyRecord};
use super::{Format, Options};

/// Writes to standard output as much as its format lets it, as early as it can.
pub trait Writer {
    /// Before anything is known.
    fn begin(&mut self) -> io::Result<()> {
        Ok(())
    }

    /// A property is decided, or will not be.
    fn property(&mut self, _record: &PropertyRecord) -> io::Result<()> {
        Ok(())
    }

    /// All properties of a problem are through.
    fn problem(&mut self, record: &ProblemRecord, entry: &Entry) -> io::Result<()>;

    /// After everything.
    fn end(&mut self, _collection: &Collection) -> io::Result<()> {
        Ok(())
    }
}

/// The writer that the options ask for, for this many problems.
pub fn writer(options: &Options, problems: usize) -> Box<dyn Writer> {
    if options.model.hwmcc {
        return Box::new(hwmcc::Hwmcc);
    }
    match options.format {
        Format::Text => Box::new(text::Text::new(problems)),
        Format::Jsonl => Box::new(jsonl::Jsonl),
        Format::Csv => Box::new(csv::Csv),
    }
}
