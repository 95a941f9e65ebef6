//! Source text: files, and positions in them.

/// A range of bytes in one of the [`Sources`].
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Span {
    pub file: u32,
    pub start: u32,
    pub end: u32,
}

impl Span {
    /// The bytes of the text that it is about.
    pub fn range(self) -> std::ops::Range<usize> {
        self.start as usize..self.end as usize
    }

    /// The smallest span that covers both; they must lie in the same file.
    pub fn to(self, other: Span) -> Span {
        debug_assert_eq!(self.file, other.file);
        Span { file: self.file, start: self.start.min(other.start), end: self.end.max(other.end) }
    }
}

/// A place as people count it: lines and columns from 1.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Position {
    pub line: usize,
    pub column: usize,
}

/// One file of source text, with an index of its lines.
#[derive(Clone, Debug)]
pub struct SourceFile {
    pub name: String,
    pub text: String,
    line_starts: Vec<u32>,
}

/// Longer files are refused, so that a byte offset always fits a [`Span`].
pub const MAX_FILE_BYTES: usize = 1 << 30;

const BYTE_ORDER_MARK: char = '\u{feff}';

impl SourceFile {
    /// A file with this text; a byte order mark before it, as some editors write it, says nothing and is no part of it.
    pub fn new(name: impl Into<String>, text: impl Into<String>) -> SourceFile {
        let mut text = text.into();
        if text.starts_with(BYTE_ORDER_MARK) {
            text.drain(..BYTE_ORDER_MARK.len_utf8());
        }
        assert!(text.len() <= MAX_FILE_BYTES, "the caller checks the size of a file");
        let starts = text.bytes().enumerate().filter(|&(_, byte)| byte == b'\n').map(|(at, _)| at as u32 + 1);
        let line_starts = std::iter::once(0).chain(starts).collect();
        SourceFile { name: name.into(), text, line_starts }
    }

    pub fn position(&self, offset: u32) -> Position {
        let line = self.line_starts.partition_point(|&start| start <= offset);
        let start = self.line_starts[line - 1] as usize;
        let column = self.text.get(start..offset as usize).map_or(0, |before| before.chars().count());
        Position { line, column: column + 1 }
    }
}

/// The files that one program is made of, in the order in which they were given.
#[derive(Clone, Debug, Default)]
pub struct Sources {
    files: Vec<SourceFile>,
}

impl Sources {
    pub fn new(files: Vec<SourceFile>) -> Sources {
        Sources { files }
    }

    pub fn files(&self) -> &[SourceFile] {
        &self.files
    }

    pub fn file(&self, span: Span) -> &SourceFile {
        &self.files[span.file as usize]
    }

    pub fn text(&self, span: Span) -> &str {
        &self.file(span).text[span.start as usize..span.end as usize]
    }

    pub fn position(&self, span: Span) -> Position {
        self.file(span).position(span.start)
    }

    /// `file:line:column`, as compilers write it.
    pub fn place(&self, span: Span) -> String {
        let Position { line, column } = self.position(span);
        format!("{}:{line}:{column}", self.file(span).name)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn positions_count_lines_and_characters_from_one() {
        let file = SourceFile::new("f", "ab\nçd\n");
        let at = |offset| file.position(offset);
        assert_eq!(at(0), Position { line: 1, column: 1 });
        assert_eq!(at(2), Position { line: 1, column: 3 });
        assert_eq!(at(3), Position { line: 2, column: 1 });
        assert_eq!(at(5), Position { line: 2, column: 2 });
        assert_eq!(at(7), Position { line: 3, column: 1 });
    }
}
