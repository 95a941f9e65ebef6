//! A model's text, formatted: line breaks stay, spaces and indentation are made even, and comments are kept. Formatting
//! a formatted text changes nothing.
//!
//! The formatter works on tokens. Between two of them it decides about the space; where a line ends is the
//! author's decision, except that empty lines come one at a time. Comments at the ends of successive lines begin in
//! one column, and so do their expectations.

use antlr4_runtime::{TOKEN_EOF, Token};

use super::parse;
use redoubt_parsers::gcl::{self, names};
use redoubt_parsers::run::Tokens;
use redoubt_program::text::SourceFile;
use redoubt_reading::watch::Watch;
use redoubt_reading::{Diagnostics, uninterrupted};

/// Spaces per level.
const INDENT: usize = 2;

/// The formatted text, or the mistakes in this one.
pub fn format(source: &SourceFile) -> Result<String, Diagnostics> {
    uninterrupted(|interrupt| parse::parse(0, source, &Watch::new(interrupt)))?;
    let mut formatter = Formatter::default();
    for piece in pieces(&source.text) {
        formatter.add(&piece);
    }
    Ok(formatter.finish())
}

/// A token or a comment.
#[derive(Clone, Debug)]
struct Piece {
    text: String,
    kind: Kind,
    /// The number of line ends before it.
    lines_before: usize,
    /// Whether a line ends right after it.
    ends_line: bool,
    /// Whether it begins the expectation of a property, rather than an item of its own.
    is_expectation: bool,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Kind {
    Comment,
    /// A name, a number or a word of the language.
    Word,
    Symbol,
}

fn pieces(text: &str) -> Vec<Piece> {
    let tokens = Tokens::new(gcl::lex(text));
    let mut pieces: Vec<Piece> = vec![];
    let mut end = 0;
    for token in tokens.tokens().filter(|token| token.token_type() != TOKEN_EOF) {
        let Some(span) = token.byte_span() else { continue };
        let lines_before = text[end..span.start].matches('\n').count();
        if let (Some(last), true) = (pieces.last_mut(), lines_before > 0) {
            last.ends_line = true;
        }
        let own = text[span.start..span.end].trim_end();
        let kind = match token.token_type() {
            names::LINE_COMMENT | names::BLOCK_COMMENT => Kind::Comment,
            names::TEXT => Kind::Word,
            _ if own.starts_with(|c: char| c.is_alphanumeric() || c == '_') => Kind::Word,
            _ => Kind::Symbol,
        };
        pieces.push(Piece { text: own.into(), kind, lines_before, ends_line: false, is_expectation: false });
        end = span.end;
    }
    if let Some(last) = pieces.last_mut() {
        last.ends_line = true;
    }
    // A `;` at the end of a line is redundant.
    let mut carried = 0;
    let mut kept: Vec<Piece> = vec![];
    for mut piece in pieces {
        if piece.text == ";" && piece.ends_line {
            carried += piece.lines_before;
            if let Some(last) = kept.last_mut() {
                last.ends_line = true;
            }
            continue;
        }
        piece.lines_before += std::mem::take(&mut carried);
        if let (Some(last), "holds" | "violated") = (kept.last_mut(), piece.text.as_str()) {
            last.is_expectation = last.text == "expect";
        }
        kept.push(piece);
    }
    kept
}

/// A line of the result, apart from the parts that begin in a column of their own.
#[derive(Clone, Default)]
struct Line {
    code: String,
    /// `expect ...`
    expectation: Option<String>,
    comment: Option<String>,
}

#[derive(Default)]
struct Formatter {
    lines: Vec<Line>,
    line: Line,
    /// Open brackets of all kinds.
    depth: usize,
    last: Option<Piece>,
    /// Whether the last symbol was an operator that takes one operand.
    last_is_unary: bool,
}

impl Formatter {
    fn add(&mut self, piece: &Piece) {
        let closes = matches!(piece.text.as_str(), "}" | ")" | "]");
        if closes {
            self.depth = self.depth.saturating_sub(1);
        }
        let is_unary = self.is_unary(piece);
        if self.last.is_none() || piece.lines_before > 0 {
            self.new_line(piece);
        } else if piece.kind == Kind::Comment && piece.ends_line {
            self.line.comment = Some(piece.text.clone());
            self.last = Some(piece.clone());
            return;
        } else if piece.is_expectation {
            self.line.expectation = Some(String::new());
        } else if self.wants_space(piece) {
            self.code().push(' ');
        }
        self.code().push_str(&piece.text);
        if matches!(piece.text.as_str(), "{" | "(" | "[") {
            self.depth += 1;
        }
        self.last_is_unary = is_unary;
        self.last = Some(piece.clone());
    }

    /// The part of the line that is being written.
    fn code(&mut self) -> &mut String {
        self.line.expectation.as_mut().unwrap_or(&mut self.line.code)
    }

    fn new_line(&mut self, piece: &Piece) {
        if self.last.is_some() {
            self.lines.push(std::mem::take(&mut self.line));
            if piece.lines_before > 1 {
                self.lines.push(Line::default());
            }
        }
        let continues = self.continues(piece);
        let levels = self.depth + if continues { 2 } else { 0 };
        self.line.code = " ".repeat(INDENT * levels);
    }

    /// Whether a line continues the one before it.
    fn continues(&self, piece: &Piece) -> bool {
        let Some(last) = &self.last else { return false };
        let operator = |piece: &Piece| {
            let word = matches!(piece.text.as_str(), "since" | "until" | "within" | "then" | "else" | "in");
            piece.kind == Kind::Symbol && !matches!(piece.text.as_str(), "{" | "}" | "(" | ")" | "[" | "]" | "," | ";")
                || word
        };
        let begins = operator(piece) && piece.text != "else";
        let leads_on = operator(last) && last.kind != Kind::Comment && last.text != "else";
        begins || leads_on || piece.is_expectation || self.after_then(piece)
    }

    /// An `else` of an expression, which has no brace before it.
    fn after_then(&self, piece: &Piece) -> bool {
        piece.text == "else" && self.last.as_ref().is_some_and(|last| last.text != "}" && last.kind != Kind::Comment)
    }

    /// Whether a sign stands before its only operand.
    fn is_unary(&self, piece: &Piece) -> bool {
        match piece.text.as_str() {
            "!" | "~" => true,
            "-" | "+" => match &self.last {
                Some(last) => match last.kind {
                    Kind::Word => is_keyword(&last.text),
                    Kind::Symbol => !matches!(last.text.as_str(), ")" | "]"),
                    Kind::Comment => false,
                },
                None => true,
            },
            _ => false,
        }
    }

    fn wants_space(&self, piece: &Piece) -> bool {
        let Some(last) = &self.last else { return false };
        let (before, after) = (last.text.as_str(), piece.text.as_str());
        if piece.kind == Kind::Comment || last.kind == Kind::Comment {
            return true;
        }
        if matches!(before, "(" | "[" | ".." | ".") || matches!(after, ")" | "]" | "," | ";" | ":" | ".." | ".") {
            return false;
        }
        if self.last_is_unary {
            return false;
        }
        match after {
            "(" => last.kind == Kind::Symbol || (is_keyword(before) && before != "prev"),
            // An array's size or cell, or a list of its own.
            "[" => {
                let is_array = matches!(before, ")" | "]");
                !(last.kind == Kind::Word && (!is_keyword(before) || matches!(before, "bool" | "int")) || is_array)
            }
            "}" if before == "{" => false,
            _ => true,
        }
    }

    fn finish(mut self) -> String {
        if self.last.is_some() {
            self.lines.push(std::mem::take(&mut self.line));
        }
        align(&mut self.lines, |line| line.expectation.take());
        align(&mut self.lines, |line| line.comment.take());
        self.lines.iter().map(|line| format!("{}\n", line.code.trim_end())).collect()
    }
}

/// Puts a part of successive lines that have it behind their code, beginning in one column.
fn align(lines: &mut [Line], mut part: impl FnMut(&mut Line) -> Option<String>) {
    let parts: Vec<Option<String>> = lines.iter_mut().map(&mut part).collect();
    let mut start = 0;
    while start < lines.len() {
        let group = parts[start..].iter().take_while(|part| part.is_some()).count();
        let length = |line: &Line| line.code.trim_end().chars().count();
        let column = lines[start..start + group].iter().map(length).max().unwrap_or(0) + 2;
        for (line, part) in lines[start..start + group].iter_mut().zip(&parts[start..]) {
            let code = line.code.trim_end();
            line.code = format!("{code:column$}{}", part.as_deref().unwrap_or_default());
        }
        start += group.max(1);
    }
}

fn is_keyword(word: &str) -> bool {
    const KEYWORDS: &[&str] = &[
        "system",
        "const",
        "enum",
        "type",
        "input",
        "var",
        "in",
        "define",
        "proc",
        "step",
        "property",
        "assume",
        "always",
        "never",
        "reach",
        "expect",
        "holds",
        "violated",
        "bool",
        "int",
        "if",
        "else",
        "then",
        "choose",
        "when",
        "otherwise",
        "match",
        "for",
        "assert",
        "error",
        "havoc",
        "prev",
        "once",
        "historically",
        "since",
        "eventually",
        "infinitely",
        "often",
        "until",
        "within",
        "fair",
        "ctl",
        "resettable",
        "EX",
        "EF",
        "EG",
        "EU",
        "AX",
        "AF",
        "AG",
        "AU",
        "all",
        "any",
        "true",
        "false",
    ];
    KEYWORDS.contains(&word) && !matches!(word, "true" | "false")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn formatted(text: &str) -> String {
        let once = format(&SourceFile::new("a.gcl", text)).expect("good text");
        let twice = format(&SourceFile::new("a.gcl", once.clone())).expect("good text");
        assert_eq!(once, twice);
        once
    }

    #[test]
    fn spaces_and_indentation_are_made_even() {
        let text = "
const   N=3 // cells


var   a :bool [ N ]=false  // all dark
var longer: (0 .. 3)[2] = [ 1,- 2 ] /* two */
proc p( x:int ){ a [ 0 ]=!a[1]&&( x<- 1 ) ; }
      // about the step
step{
if a[0]{p ( 3 );
p(4)} else if true { }
      else   choose {
   when a [1]=>a[1]= false ;
otherwise=>{ }
}
}
property q:always   prev( a[0] )->
all i in 0..N-1:a[i]
   expect   violated
";
        insta::assert_snapshot!(formatted(text), @r"
        const N = 3  // cells

        var a: bool[N] = false           // all dark
        var longer: (0..3)[2] = [1, -2]  /* two */
        proc p(x: int) { a[0] = !a[1] && (x < -1); }
        // about the step
        step {
          if a[0] { p(3)
            p(4) } else if true {}
          else choose {
            when a[1] => a[1] = false
            otherwise => {}
          }
        }
        property q: always prev(a[0]) ->
            all i in 0..N - 1: a[i]
            expect violated
        ");
    }

    #[test]
    fn modules_records_and_paths_have_their_form_too() {
        let text = "import   \"lift.gcl\"
record Cab{at:0 .. 3=0,open :bool}
module Lift ( call:bool,var cab : Cab [2] ){
let_go: int
}
instance  lift [ i in 0..1 ]:Lift(call = - 1<x . y [2] . z,cab=cab )
step { let größe=cab [ 0 ] . at
lift[0] . go ( ) ; cab[1]=Cab ( at=1 , open= true) }
property p: always true
expect   range( lift . at )   holds
";
        let text = text.replace("let_go: int", "var m: int [2] [ 3 ]=[ [1,2 ] ]");
        insta::assert_snapshot!(formatted(&text), @r#"
        import "lift.gcl"
        record Cab { at: 0..3 = 0, open: bool }
        module Lift(call: bool, var cab: Cab[2]) {
          var m: int[2][3] = [[1, 2]]
        }
        instance lift[i in 0..1]: Lift(call = -1 < x.y[2].z, cab = cab)
        step { let größe = cab[0].at
          lift[0].go(); cab[1] = Cab(at = 1, open = true) }
        property p: always true
        expect range(lift.at) holds
        "#);
    }

    #[test]
    fn a_text_with_mistakes_is_left_alone() {
        assert!(format(&SourceFile::new("a.gcl", "step { x = }")).is_err());
    }
}
