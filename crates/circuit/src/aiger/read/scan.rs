//! The words of a file: numbers, the one space or line end between them, and the differences of binary gates.

use super::ReadError;

pub struct Scanner<'a> {
    bytes: &'a [u8],
    at: usize,
    /// Where the binary gates begin: from there on places are bytes, not lines.
    binary_from: Option<usize>,
}

impl<'a> Scanner<'a> {
    pub fn new(bytes: &'a [u8]) -> Self {
        Scanner { bytes, at: 0, binary_from: None }
    }

    /// Where the next byte is.
    pub fn at(&self) -> usize {
        self.at
    }

    pub fn left(&self) -> usize {
        self.bytes.len() - self.at
    }

    pub fn peek(&self) -> Option<u8> {
        self.bytes.get(self.at).copied()
    }

    pub fn begin_binary(&mut self) {
        self.binary_from = Some(self.at);
    }

    pub fn binary_from(&self) -> Option<usize> {
        self.binary_from
    }

    pub fn error(&self, at: usize, message: impl Into<String>) -> ReadError {
        ReadError::new(self.bytes, at, self.binary_from, message.into())
    }

    fn expected(&self, what: &str) -> ReadError {
        let found = match self.peek() {
            None => "the end of the file".into(),
            Some(b'\n') => "the end of the line".into(),
            Some(byte) if byte.is_ascii_graphic() => format!("`{}`", char::from(byte)),
            Some(b' ') => "a space".into(),
            Some(byte) => format!("byte {byte}"),
        };
        self.error(self.at, format!("expected {what}, found {found}"))
    }

    /// The rest of the file begins like this: it is passed.
    pub fn skip(&mut self, text: &[u8]) -> bool {
        let found = self.bytes[self.at..].starts_with(text);
        self.at += if found { text.len() } else { 0 };
        found
    }

    /// A decimal number that is at most `most`.
    pub fn number(&mut self, what: &str, most: u32) -> Result<u32, ReadError> {
        let start = self.at;
        let mut value: u64 = 0;
        while let Some(digit) = self.peek().filter(u8::is_ascii_digit) {
            value = (value * 10 + u64::from(digit - b'0')).min(u64::from(u32::MAX) + 1);
            self.at += 1;
        }
        if self.at == start {
            return Err(self.expected(what));
        }
        match u32::try_from(value) {
            Ok(value) if value <= most => Ok(value),
            _ => Err(self.error(start, format!("this is too large for {what}: {most} is the most"))),
        }
    }

    pub fn space(&mut self) -> Result<(), ReadError> {
        if self.skip(b" ") { Ok(()) } else { Err(self.expected("a space")) }
    }

    pub fn line_end(&mut self) -> Result<(), ReadError> {
        if self.skip(b"\n") || self.skip(b"\r\n") { Ok(()) } else { Err(self.expected("the end of the line")) }
    }

    /// The rest of the line, which must have an end. Control characters, which could move the cursor of a terminal, are
    /// replaced like bytes that are no text.
    pub fn rest_of_line(&mut self) -> Result<String, ReadError> {
        let rest = &self.bytes[self.at..];
        let Some(length) = rest.iter().position(|&byte| byte == b'\n') else {
            return Err(self.error(self.bytes.len(), "the file ends in the middle of a line"));
        };
        self.at += length + 1;
        let text = String::from_utf8_lossy(&rest[..length]);
        Ok(text.trim_end_matches('\r').replace(char::is_control, "\u{fffd}"))
    }

    /// Seven bits a byte, the low ones first; the top bit says that more follow.
    pub fn delta(&mut self) -> Result<u32, ReadError> {
        let start = self.at;
        let mut value: u64 = 0;
        for shift in [0, 7, 14, 21, 28] {
            let Some(byte) = self.peek() else {
                return Err(self.error(self.at, "the file ends in the middle of the gates"));
            };
            self.at += 1;
            value |= u64::from(byte & 0x7f) << shift;
            if byte < 0x80 {
                return u32::try_from(value).map_err(|_| self.error(start, "this difference takes more than 32 bits"));
            }
        }
        Err(self.error(start, "this difference takes more than 32 bits"))
    }
}
