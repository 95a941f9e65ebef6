//! The first line of a file: how much there is of everything.

use super::ReadError;
use super::scan::Scanner;
use crate::aiger::Format;

/// The counts of the first line.
#[derive(Clone, Copy, Debug)]
pub struct Header {
    pub format: Format,
    /// The greatest variable.
    pub most: u32,
    pub inputs: u32,
    pub latches: u32,
    pub outputs: u32,
    pub gates: u32,
    pub bad: u32,
    pub constraints: u32,
    pub justice: u32,
    pub fairness: u32,
}

/// A graph has at most 2^31 nodes.
pub const MOST_VARIABLES: u32 = (1 << 30) - 1;

/// A file may have this many inputs, whatever else it holds.
const MOST_IDLE_INPUTS: u64 = 1 << 20;

impl Header {
    pub fn read(scanner: &mut Scanner) -> Result<Header, ReadError> {
        let format = if scanner.skip(b"aag ") {
            Format::Ascii
        } else if scanner.skip(b"aig ") {
            Format::Binary
        } else {
            return Err(scanner.error(0, "expected an AIGER header, which begins with `aag` or `aig`"));
        };
        let names = [
            "the greatest variable",
            "the number of inputs",
            "the number of latches",
            "the number of outputs",
            "the number of gates",
            "the number of bad states",
            "the number of constraints",
            "the number of justice properties",
            "the number of fairness constraints",
        ];
        let mut counts = [0; 9];
        for (index, (count, name)) in counts.iter_mut().zip(names).enumerate() {
            match index {
                0 => {}
                1..=4 => scanner.space()?,
                _ if scanner.skip(b" ") => {}
                _ => break,
            }
            *count = scanner.number(name, MOST_VARIABLES)?;
        }
        scanner.line_end()?;
        let [most, inputs, latches, outputs, gates, bad, constraints, justice, fairness] = counts;
        let header = Header { format, most, inputs, latches, outputs, gates, bad, constraints, justice, fairness };
        header.check(scanner)?;
        Ok(header)
    }

    /// A header that promises more than the file holds is a mistake, found before memory is taken for it.
    fn check(&self, scanner: &Scanner) -> Result<(), ReadError> {
        let defined = u64::from(self.inputs) + u64::from(self.latches) + u64::from(self.gates);
        let most = u64::from(self.most);
        let wrong = match self.format {
            Format::Ascii => defined > most,
            Format::Binary => defined != most,
        };
        if wrong {
            let relation = if self.format == Format::Ascii { "at most" } else { "exactly" };
            let message = format!(
                "the header has {most} variables, but inputs, latches and gates must be {relation} that many and are {defined}"
            );
            return Err(scanner.error(0, message));
        }
        // The shortest lines: `2`, `2 0` or, in binary, `0`, and `2 0 0` or two bytes.
        let [input, latch, gate] = match self.format {
            Format::Ascii => [2, 4, 6],
            Format::Binary => [0, 2, 2],
        };
        let lines = [self.outputs, self.bad, self.constraints, self.justice, self.fairness].map(u64::from);
        let fewest = input * u64::from(self.inputs)
            + latch * u64::from(self.latches)
            + gate * u64::from(self.gates)
            + 2 * lines.iter().sum::<u64>();
        let left = scanner.left() as u64;
        if fewest > left {
            let message = format!(
                "the header announces {fewest} bytes at least, but {left} follow: the file is cut off, or the header is wrong"
            );
            return Err(scanner.error(0, message));
        }
        // Binary inputs take no bytes at all, so the size of the file is no bound on them.
        if u64::from(self.inputs) > left.max(MOST_IDLE_INPUTS) {
            let message = format!("{} inputs are more than a file of this size can use", self.inputs);
            return Err(scanner.error(0, message));
        }
        Ok(())
    }
}
