//! A mistake in a file, and its place. Readers of other formats use it, too.

/// A mistake in a file.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{place}: {message}")]
pub struct ReadError {
    /// The mistake, as a sentence without a full stop.
    pub message: String,
    pub place: Location,
}

/// Where: by line and column in text, by byte behind the start of the binary gates.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Location {
    Line {
        line: usize,
        column: usize,
        text: String,
    },
    /// Counted from 0.
    Byte(usize),
}

/// Longer lines are cut when they are shown.
const LONGEST_SHOWN: usize = 100;

impl ReadError {
    /// `binary_from` is where the binary gates begin, if there are any.
    pub(super) fn new(bytes: &[u8], at: usize, binary_from: Option<usize>, message: String) -> ReadError {
        let at = at.min(bytes.len());
        if binary_from.is_some_and(|from| at >= from) {
            return ReadError { message, place: Location::Byte(at) };
        }
        let before = &bytes[..at];
        let start = before.iter().rposition(|&byte| byte == b'\n').map_or(0, |end| end + 1);
        let rest = &bytes[start..bytes.len().min(start + LONGEST_SHOWN)];
        let end = rest.iter().position(|&byte| byte == b'\n').unwrap_or(rest.len());
        let shown = |byte: &u8| if byte.is_ascii_graphic() || *byte == b' ' { char::from(*byte) } else { '?' };
        let line = before.iter().filter(|&&byte| byte == b'\n').count() + 1;
        let place = Location::Line { line, column: at - start + 1, text: rest[..end].iter().map(shown).collect() };
        ReadError { message, place }
    }

    /// A mistake at this byte of a text.
    pub fn in_text(text: &[u8], at: usize, message: String) -> ReadError {
        ReadError::new(text, at, None, message)
    }

    /// The message with the line of the file and the place marked, as compilers show them.
    pub fn render(&self, file: &str) -> String {
        match &self.place {
            Location::Byte(at) => format!("error: {}\n --> {file}, byte {at}\n\n", self.message),
            Location::Line { line, column, text } => {
                let number = line.to_string();
                let gutter = " ".repeat(number.len());
                let indent = " ".repeat(column - 1);
                let mark = if *column <= LONGEST_SHOWN { format!("{gutter} | {indent}^\n") } else { String::new() };
                let message = &self.message;
                format!("error: {message}\n{gutter}--> {file}:{line}:{column}\n{gutter} |\n{number} | {text}\n{mark}\n")
            }
        }
    }
}

impl std::fmt::Display for Location {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Location::Line { line, column, .. } => write!(f, "line {line}, column {column}"),
            Location::Byte(at) => write!(f, "byte {at}"),
        }
    }
}
