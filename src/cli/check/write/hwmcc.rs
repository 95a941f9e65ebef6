//! One word for a whole model, as the hardware model checking competition asks for.

use std::io::{self, Write};

use super::super::super::output::stdout;
use super::super::collect::Entry;
use super::super::record::ProblemRecord;
use super::Writer;

pub struct Hwmcc;

impl Writer for Hwmcc {
    fn problem(&mut self, record: &ProblemRecord, _entry: &Entry) -> io::Result<()> {
        let answer = match (record.reachable, record.unreachable == record.properties()) {
            (1.., _) => "sat",
            (0, true) => "unsat",
            (0, false) => "unknown",
        };
        writeln!(stdout(), "{answer}")
    }
}
