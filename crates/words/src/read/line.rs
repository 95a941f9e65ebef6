//! A line in, its words out, each with its place.

/// A mistake in a line, and its place.
#[derive(Debug)]
pub struct Mistake {
    pub at: usize,
    pub message: String,
}

impl Mistake {
    pub fn new(at: usize, message: impl Into<String>) -> Mistake {
        Mistake { at, message: message.into() }
    }
}

/// A word and its place in the line.
#[derive(Clone, Copy, Debug)]
pub struct Word<'t> {
    pub at: usize,
    pub text: &'t str,
}

impl Word<'_> {
    /// A number of at most `most`.
    pub fn number(self, what: &str, most: u32) -> Result<u32, Mistake> {
        if self.text.is_empty() || !self.text.bytes().all(|byte| byte.is_ascii_digit()) {
            return Err(Mistake::new(self.at, format!("expected {what}, found `{}`", self.text)));
        }
        match self.text.parse::<u32>() {
            Ok(number) if number <= most => Ok(number),
            _ => Err(Mistake::new(self.at, format!("this is too large for {what}: {most} is the most"))),
        }
    }
}

/// The words of a line that are yet to be read.
#[derive(Clone, Copy, Debug)]
pub struct Line<'t> {
    text: &'t str,
    at: usize,
}

impl<'t> Line<'t> {
    /// None if there is nothing in it but a comment.
    pub fn new(text: &'t str) -> Option<Line<'t>> {
        let line = Line { text: text.trim_end(), at: 0 };
        line.clone().word().is_some().then_some(line)
    }

    /// The next word, if there is one before a comment.
    pub fn word(&mut self) -> Option<Word<'t>> {
        let rest = &self.text[self.at..];
        let at = self.at + rest.len() - rest.trim_start().len();
        let rest = &self.text[at..];
        if rest.is_empty() || rest.starts_with(';') {
            self.at = at;
            return None;
        }
        let length = rest.find(char::is_whitespace).unwrap_or(rest.len());
        self.at = at + length;
        Some(Word { at, text: &rest[..length] })
    }

    pub fn expect(&mut self, what: &str) -> Result<Word<'t>, Mistake> {
        let at = self.at;
        self.word().ok_or_else(|| Mistake::new(at, format!("expected {what}, found the end of the line")))
    }

    /// The name that may be at the end; nothing may follow it. Characters that are none to see, but mean something to a terminal, are
    /// replaced.
    pub fn name(mut self) -> Result<String, Mistake> {
        let name = self.word().map_or("", |word| word.text);
        match self.word() {
            None => Ok(name.replace(char::is_control, "\u{fffd}")),
            Some(word) => {
                Err(Mistake::new(word.at, format!("expected the end of the line behind a name, found `{}`", word.text)))
            }
        }
    }
}
