//! Where a text can be cut so that its pieces can be parsed apart: between declarations and functions.
//!
//! This is about large texts without mistakes. If a piece turns out to be no list of items, the whole text is parsed,
//! and the message is about that.

use std::ops::Range;

/// The least number of bytes of a piece.
const LEAST: usize = 100_000;

/// The pieces of a text, at most `most`, of about the same size.
pub fn pieces(text: &str, most: usize) -> Vec<Range<usize>> {
    let count = most.min(text.len() / LEAST).max(1);
    let mut cuts = Cuts { text: text.as_bytes(), at: 0, depth: 0 };
    let mut pieces = vec![];
    let mut start = 0;
    for piece in 1..count {
        let Some(end) = cuts.next_from(text.len() / count * piece) else { break };
        pieces.push(start..end);
        start = end;
    }
    pieces.push(start..text.len());
    pieces
}

/// Walks over a text from cut to cut.
struct Cuts<'t> {
    text: &'t [u8],
    at: usize,
    /// The number of open brackets.
    depth: usize,
}

impl Cuts<'_> {
    /// The first place from this one on where an item ends and another one begins.
    fn next_from(&mut self, least: usize) -> Option<usize> {
        loop {
            let byte = *self.text.get(self.at)?;
            match byte {
                b'/' if self.follows(b"//") => self.skip_line(),
                b'/' if self.follows(b"/*") => self.skip_comment(),
                b'#' => self.skip_line(),
                b'"' | b'\'' => self.skip_quoted(byte),
                _ => self.at += 1,
            }
            match byte {
                b'{' | b'(' | b'[' => self.depth += 1,
                b'}' | b')' | b']' => self.depth = self.depth.saturating_sub(1),
                _ => {}
            }
            if matches!(byte, b'}' | b';') && self.depth == 0 && self.at >= least && self.is_before_item() {
                return Some(self.at);
            }
        }
    }

    fn follows(&self, sign: &[u8]) -> bool {
        self.text[self.at..].starts_with(sign)
    }

    /// Whether a word comes next. Behind the braces around initial values there is none.
    fn is_before_item(&self) -> bool {
        let next = self.text[self.at..].iter().find(|byte| !byte.is_ascii_whitespace());
        next.is_some_and(|byte| byte.is_ascii_alphabetic() || *byte == b'_')
    }

    fn skip_line(&mut self) {
        let line = self.text[self.at..].iter().position(|&byte| byte == b'\n');
        self.at = line.map_or(self.text.len(), |length| self.at + length + 1);
    }

    fn skip_comment(&mut self) {
        let end = self.text[self.at + 2..].windows(2).position(|sign| sign == b"*/");
        self.at = end.map_or(self.text.len(), |length| self.at + 2 + length + 2);
    }

    fn skip_quoted(&mut self, quote: u8) {
        self.at += 1;
        while let Some(&byte) = self.text.get(self.at) {
            self.at += if byte == b'\\' { 2 } else { 1 };
            if byte == quote {
                break;
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cuts_are_between_items() {
        let text = "#include <a.h> // { \nint a[] = {1, 2}; /* ; int */ int b = ';';\nvoid f(int x) { if (x) { b = 1; } } int g() { return \"}\"; }\n";
        let mut cuts = Cuts { text: text.as_bytes(), at: 0, depth: 0 };
        let mut items = vec![];
        let mut start = 0;
        while let Some(end) = cuts.next_from(0) {
            items.push(text[start..end].trim());
            start = end;
        }
        items.push(text[start..].trim());
        let expected = [
            "#include <a.h> // { \nint a[] = {1, 2}; /* ; int */ int b = ';';",
            "void f(int x) { if (x) { b = 1; } }",
            "int g() { return \"}\"; }",
        ];
        assert_eq!(items, expected);
    }

    #[test]
    fn pieces_are_the_whole() {
        let text: String = (0..20_000).map(|number| format!("void f{number}() {{ x = {number}; }}\n")).collect();
        for most in 1..5 {
            let pieces = pieces(&text, most);
            assert_eq!(pieces.len(), most);
            assert_eq!(pieces.iter().map(|piece| &text[piece.clone()]).collect::<String>(), text);
            assert!(pieces.iter().all(|piece| piece.len() > text.len() / most / 2));
        }
        assert_eq!(pieces("int a; int b;", 4).len(), 1, "small texts stay whole");
        let one = format!("void f() {{ {} }}", "x = 1; ".repeat(50_000));
        assert_eq!(pieces(&one, 2).len(), 1, "and so does a function");
    }
}
