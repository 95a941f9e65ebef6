//! Messages about source text: the mistake, its place, and what was expected.

use std::fmt::{self, Write};

use redoubt_program::program::Malformed;
use redoubt_program::text::{Position, Sources, Span};

/// One thing that is wrong with a program.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Diagnostic {
    pub span: Span,
    /// The mistake, as a sentence without a full stop.
    pub message: String,
    /// A few words under the marked place.
    pub label: String,
    /// A remedy, or why it matters.
    pub help: Option<String>,
}

impl Diagnostic {
    pub fn new(span: Span, message: impl Into<String>, label: impl Into<String>) -> Diagnostic {
        Diagnostic { span, message: message.into(), label: label.into(), help: None }
    }

    pub fn help(mut self, help: impl Into<String>) -> Diagnostic {
        self.help = Some(help.into());
        self
    }
}

/// All that is wrong with a program, in the order of the text; never empty when it is an error.
#[derive(Clone, Debug, Default)]
pub struct Diagnostics {
    list: Vec<Diagnostic>,
}

/// A file with more mistakes than this is most likely not the one the user meant to give.
const MOST_SHOWN: usize = 20;

impl Diagnostics {
    pub fn push(&mut self, diagnostic: Diagnostic) {
        self.list.push(diagnostic);
    }

    pub fn append(&mut self, mut other: Diagnostics) {
        self.list.append(&mut other.list);
    }

    pub fn len(&self) -> usize {
        self.list.len()
    }

    pub fn is_empty(&self) -> bool {
        self.list.is_empty()
    }

    pub fn iter(&self) -> impl Iterator<Item = &Diagnostic> {
        self.list.iter()
    }

    /// In the order of the text, each place and message once.
    pub fn sorted(mut self) -> Diagnostics {
        self.list.sort_by(|a, b| (a.span, &a.message).cmp(&(b.span, &b.message)));
        self.list.dedup();
        self
    }

    /// Without the places in files from one on, which nobody has given.
    pub fn within(mut self, files: u32) -> Diagnostics {
        for diagnostic in self.list.iter_mut().filter(|diagnostic| diagnostic.span.file >= files) {
            diagnostic.span = Span::default();
        }
        self
    }

    /// Each message with its source line and the place marked, as compilers show them.
    pub fn render(&self, sources: &Sources, color: bool) -> String {
        self.render_as("error", sources, if color { &COLORED } else { &PLAIN })
    }

    /// The same for warnings.
    pub fn render_warnings(&self, sources: &Sources, color: bool) -> String {
        self.render_as("warning", sources, if color { &COLORED_WARNING } else { &PLAIN })
    }

    fn render_as(&self, word: &str, sources: &Sources, style: &Style) -> String {
        let mut text = String::new();
        for diagnostic in self.list.iter().take(MOST_SHOWN) {
            let shown = render_one(diagnostic, word, sources, style, &mut text);
            debug_assert!(shown.is_ok(), "writing to a string does not fail");
        }
        if self.list.len() > MOST_SHOWN {
            text.push_str(&format!("... and {} more {word}s\n", self.list.len() - MOST_SHOWN));
        }
        text
    }
}

impl From<Diagnostic> for Diagnostics {
    fn from(diagnostic: Diagnostic) -> Diagnostics {
        Diagnostics { list: vec![diagnostic] }
    }
}

/// A front end that makes no program of a text without a complaint of its own has a mistake in itself.
impl From<Malformed> for Diagnostics {
    fn from(malformed: Malformed) -> Diagnostics {
        let message = format!("this was read wrongly: {malformed}");
        let help = "the mistake is in the front end that reads such files, not in the file";
        Diagnostic::new(Span::default(), message, "in this program").help(help).into()
    }
}

impl fmt::Display for Diagnostics {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (index, diagnostic) in self.list.iter().enumerate() {
            write!(f, "{}{}", if index > 0 { "; " } else { "" }, diagnostic.message)?;
        }
        Ok(())
    }
}

impl std::error::Error for Diagnostics {}

struct Style {
    error: &'static str,
    bold: &'static str,
    frame: &'static str,
    end: &'static str,
}

const PLAIN: Style = Style { error: "", bold: "", frame: "", end: "" };
const COLORED: Style = Style { error: "\x1b[1;31m", bold: "\x1b[1m", frame: "\x1b[34m", end: "\x1b[0m" };
const COLORED_WARNING: Style = Style { error: "\x1b[1;33m", ..COLORED };

fn render_one(diagnostic: &Diagnostic, word: &str, sources: &Sources, style: &Style, out: &mut String) -> fmt::Result {
    let Style { error, bold, frame, end } = style;
    let Position { line, .. } = sources.position(diagnostic.span);
    let excerpt = Excerpt::of(&sources.file(diagnostic.span).text, diagnostic.span);
    let number = line.to_string();
    let gutter = " ".repeat(number.len());
    writeln!(out, "{error}{word}{end}{bold}: {}{end}", diagnostic.message)?;
    writeln!(out, "{gutter}{frame}-->{end} {}", sources.place(diagnostic.span))?;
    writeln!(out, "{gutter} {frame}|{end}")?;
    writeln!(out, "{frame}{number} |{end} {}", excerpt.line)?;
    let mark = "^".repeat(excerpt.width);
    writeln!(out, "{gutter} {frame}|{end} {}{error}{mark} {}{end}", " ".repeat(excerpt.indent), diagnostic.label)?;
    if let Some(help) = &diagnostic.help {
        writeln!(out, "{gutter} {frame}={end} help: {help}")?;
    }
    writeln!(out)
}

/// The line of a place, cut down to the surroundings of that place where it is long: the conditions of
/// RERS programs run to thousands of characters.
struct Excerpt {
    line: String,
    /// Where the mark begins and how wide it is, in characters of `line`.
    indent: usize,
    width: usize,
}

impl Excerpt {
    const BEFORE: usize = 60;
    const AFTER: usize = 100;

    fn of(text: &str, span: Span) -> Excerpt {
        let (start, end) = (span.start as usize, span.end as usize);
        let line_start = text[..start].rfind('\n').map_or(0, |at| at + 1);
        let line_end = text[start..].find(['\n', '\r']).map_or(text.len(), |at| start + at);
        // One tab is one column everywhere else too, so it is shown as one space.
        let shown = |part: &str| part.replace('\t', " ");
        let before: Vec<char> = shown(&text[line_start..start]).chars().collect();
        let marked = text[start..end.clamp(start, line_end)].chars().count();
        let after: Vec<char> = shown(&text[start..line_end]).chars().collect();

        let cut_before = before.len().saturating_sub(Excerpt::BEFORE);
        let cut_after = after.len().min(Excerpt::AFTER);
        let mut line = String::new();
        if cut_before > 0 {
            line.push_str("...");
        }
        line.extend(&before[cut_before..]);
        let indent = line.chars().count();
        line.extend(&after[..cut_after]);
        if cut_after < after.len() {
            line.push_str("...");
        }
        Excerpt { line, indent, width: marked.clamp(1, Excerpt::AFTER) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use redoubt_program::text::SourceFile;

    fn render(text: &str, start: usize, end: usize) -> String {
        let sources = Sources::new(vec![SourceFile::new("a.c", text)]);
        let span = Span { file: 0, start: start as u32, end: end as u32 };
        let diagnostic = Diagnostic::new(span, "something is wrong", "here").help("do it differently");
        Diagnostics::from(diagnostic).render(&sources, false)
    }

    #[test]
    fn the_place_is_marked_under_its_line() {
        insta::assert_snapshot!(render("int a;\n\tfloat b;\n", 8, 13), @r"
        error: something is wrong
         --> a.c:2:2
          |
        2 |  float b;
          |  ^^^^^ here
          = help: do it differently
        ");
    }

    #[test]
    fn long_lines_are_cut_around_the_place() {
        let text = format!("{}WRONG{}", "x".repeat(5000), "y".repeat(5000));
        let shown = render(&text, 5000, 5005);
        assert!(shown.lines().all(|line| line.len() < 200), "{shown}");
        assert!(shown.contains("a.c:1:5001") && shown.contains("xWRONGy"), "{shown}");
    }

    #[test]
    fn the_end_of_the_text_can_be_marked() {
        assert!(render("int", 3, 3).contains("1 | int\n  |    ^ here"));
        assert!(render("", 0, 0).contains("^ here"));
    }
}
