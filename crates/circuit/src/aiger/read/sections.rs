//! The sections of a file, in their order, as the literals that are written there.

use super::ReadError;
use super::header::{Header, MOST_VARIABLES};
use super::scan::Scanner;
use crate::Reset;
use crate::aiger::Format;

/// A literal and where its line begins.
#[derive(Clone, Copy, Debug)]
pub struct Literal {
    pub code: u32,
    pub at: usize,
}

pub struct RawLatch {
    pub own: Literal,
    pub next: u32,
    pub reset: Reset,
}

pub struct RawGate {
    pub own: Literal,
    pub operands: [u32; 2],
}

/// Everything the file says.
pub struct Sections {
    pub header: Header,
    pub binary_from: Option<usize>,
    pub inputs: Vec<Literal>,
    pub latches: Vec<RawLatch>,
    pub outputs: Vec<Literal>,
    pub bad: Vec<Literal>,
    pub constraints: Vec<Literal>,
    /// The literals of each justice property.
    pub justice: Vec<Vec<Literal>>,
    pub fairness: Vec<Literal>,
    pub gates: Vec<RawGate>,
    pub symbols: Symbols,
}

/// The names that the file gives, by position.
#[derive(Default)]
pub struct Symbols {
    pub inputs: Vec<String>,
    pub latches: Vec<String>,
    pub outputs: Vec<String>,
    pub bad: Vec<String>,
    pub justice: Vec<String>,
}

pub fn read(bytes: &[u8]) -> Result<Sections, ReadError> {
    let mut scanner = Scanner::new(bytes);
    let header = Header::read(&mut scanner)?;
    let mut reader = Reader { scanner, header };
    let inputs = reader.inputs()?;
    let latches = reader.latches()?;
    let outputs = reader.literals(header.outputs, "the literal of an output")?;
    let bad = reader.literals(header.bad, "the literal of a bad state")?;
    let constraints = reader.literals(header.constraints, "the literal of a constraint")?;
    let mut justice = Vec::new();
    for size in reader.justice_sizes()? {
        justice.push(reader.literals(size, "a literal of a justice property")?);
    }
    let fairness = reader.literals(header.fairness, "the literal of a fairness constraint")?;
    let gates = reader.gates()?;
    let symbols = reader.symbols()?;
    let binary_from = reader.scanner.binary_from();
    Ok(Sections { header, binary_from, inputs, latches, outputs, bad, constraints, justice, fairness, gates, symbols })
}

struct Reader<'a> {
    scanner: Scanner<'a>,
    header: Header,
}

impl Reader<'_> {
    fn most_literal(&self) -> u32 {
        2 * self.header.most + 1
    }

    /// A literal that names something new: even, and not the constant.
    fn definition(&mut self, what: &str) -> Result<Literal, ReadError> {
        let at = self.scanner.at();
        let most = self.most_literal();
        let code = self.scanner.number(what, most)?;
        if code < 2 || code % 2 == 1 {
            return Err(self.scanner.error(at, format!("{what} must be even and not 0")));
        }
        Ok(Literal { code, at })
    }

    fn inputs(&mut self) -> Result<Vec<Literal>, ReadError> {
        let count = self.header.inputs;
        if self.header.format == Format::Binary {
            return Ok((1..=count).map(|variable| Literal { code: 2 * variable, at: 0 }).collect());
        }
        (0..count)
            .map(|_| {
                let literal = self.definition("the literal of an input")?;
                self.scanner.line_end()?;
                Ok(literal)
            })
            .collect()
    }

    fn latches(&mut self) -> Result<Vec<RawLatch>, ReadError> {
        let first = self.header.inputs + 1;
        (first..first + self.header.latches).map(|variable| self.latch(variable)).collect()
    }

    fn latch(&mut self, variable: u32) -> Result<RawLatch, ReadError> {
        let own = match self.header.format {
            Format::Binary => Literal { code: 2 * variable, at: self.scanner.at() },
            Format::Ascii => {
                let own = self.definition("the literal of a latch")?;
                self.scanner.space()?;
                own
            }
        };
        let most = self.most_literal();
        let next = self.scanner.number("a latch's next literal", most)?;
        let mut reset = Reset::Zero;
        if self.scanner.skip(b" ") {
            let at = self.scanner.at();
            reset = match self.scanner.number("a latch's reset", most)? {
                0 => Reset::Zero,
                1 => Reset::One,
                own_code if own_code == own.code => Reset::Free,
                other => {
                    let message = format!(
                        "a latch is reset to 0, to 1 or, if uninitialised, to itself ({}), not to {other}",
                        own.code
                    );
                    return Err(self.scanner.error(at, message));
                }
            };
        }
        self.scanner.line_end()?;
        Ok(RawLatch { own, next, reset })
    }

    /// One literal a line.
    fn literals(&mut self, count: u32, what: &str) -> Result<Vec<Literal>, ReadError> {
        let most = self.most_literal();
        (0..count)
            .map(|_| {
                let at = self.scanner.at();
                let code = self.scanner.number(what, most)?;
                self.scanner.line_end()?;
                Ok(Literal { code, at })
            })
            .collect()
    }

    fn justice_sizes(&mut self) -> Result<Vec<u32>, ReadError> {
        let mut sizes = Vec::new();
        let mut total: u64 = 0;
        for _ in 0..self.header.justice {
            let at = self.scanner.at();
            let size = self.scanner.number("the size of a justice property", MOST_VARIABLES)?;
            self.scanner.line_end()?;
            total += u64::from(size);
            if 2 * total > self.scanner.left() as u64 {
                return Err(self.scanner.error(at, "the justice properties have more literals than lines follow"));
            }
            sizes.push(size);
        }
        Ok(sizes)
    }

    fn gates(&mut self) -> Result<Vec<RawGate>, ReadError> {
        let count = self.header.gates;
        match self.header.format {
            Format::Ascii => (0..count).map(|_| self.ascii_gate()).collect(),
            Format::Binary => {
                self.scanner.begin_binary();
                let first = self.header.inputs + self.header.latches + 1;
                (first..first + count).map(|variable| self.binary_gate(variable)).collect()
            }
        }
    }

    fn ascii_gate(&mut self) -> Result<RawGate, ReadError> {
        let own = self.definition("the literal of a gate")?;
        let most = self.most_literal();
        let mut operands = [0; 2];
        for operand in &mut operands {
            self.scanner.space()?;
            *operand = self.scanner.number("an operand", most)?;
        }
        self.scanner.line_end()?;
        Ok(RawGate { own, operands })
    }

    /// The differences from the gate to its larger operand, and from that to the smaller one.
    fn binary_gate(&mut self, variable: u32) -> Result<RawGate, ReadError> {
        let at = self.scanner.at();
        let own = 2 * variable;
        let first = self.scanner.delta()?;
        let larger = own.checked_sub(first).filter(|&larger| larger < own);
        let Some(larger) = larger else {
            let message = format!("the first operand of gate {own} is not below it: the difference is {first}");
            return Err(self.scanner.error(at, message));
        };
        let second = self.scanner.delta()?;
        let Some(smaller) = larger.checked_sub(second) else {
            let message = format!("the second operand of gate {own} would be {larger} - {second}");
            return Err(self.scanner.error(at, message));
        };
        Ok(RawGate { own: Literal { code: own, at }, operands: [larger, smaller] })
    }

    /// Names, then perhaps a comment, which goes on to the end of the file.
    fn symbols(&mut self) -> Result<Symbols, ReadError> {
        let mut symbols = Symbols::default();
        while let Some(kind) = self.scanner.peek() {
            let at = self.scanner.at();
            if self.scanner.skip(b"c\n") || self.scanner.skip(b"c\r\n") || self.scanner.left() == 1 && kind == b'c' {
                break;
            }
            let Header { inputs, latches, outputs, bad, constraints, justice, fairness, .. } = self.header;
            // Names of constraints and fairness are read and forgotten.
            let (count, names) = match kind {
                b'i' => (inputs, Some(&mut symbols.inputs)),
                b'l' => (latches, Some(&mut symbols.latches)),
                b'o' => (outputs, Some(&mut symbols.outputs)),
                b'b' => (bad, Some(&mut symbols.bad)),
                b'c' => (constraints, None),
                b'j' => (justice, Some(&mut symbols.justice)),
                b'f' => (fairness, None),
                _ => {
                    let message = "expected a symbol such as `i0 name`, a comment or the end of the file";
                    return Err(self.scanner.error(at, message));
                }
            };
            self.scanner.skip(&[kind]);
            let Some(last) = count.checked_sub(1) else {
                return Err(self.scanner.error(at, format!("the file has no `{}` to be named", char::from(kind))));
            };
            let position = self.scanner.number("the position of a symbol", last)? as usize;
            self.scanner.space()?;
            let name = self.scanner.rest_of_line()?;
            let Some(names) = names else { continue };
            if names.len() <= position {
                names.resize(position + 1, String::new());
            }
            if !names[position].is_empty() {
                return Err(self.scanner.error(at, "this is named a second time"));
            }
            names[position] = name;
        }
        Ok(symbols)
    }
}
