//! The tools that both front ends for C share: operators, places in the text, and the way from files to syntax trees.
//!
//! - `operator`: C's operators by their signs;
//! - `nesting`: the first place of a text that is nested too deeply;
//! - `complain`: messages about text that is no C at all;
//! - here: names, constants of one character, and the loop over the files of a program.

pub mod complain;
pub mod nesting;
pub mod operator;

use antlr4_runtime::ParsedFile;

use super::Diagnostics;
use super::refused::{Lowered, note};
use super::tree::{Names, Tree};
use super::watch::{Interrupted, Watch};
use redoubt_program::text::{SourceFile, Sources, Span};

/// Texts without a syntax error have the parts that the grammar asks for.
pub const COMPLETE: &str = "the grammar asks for this part";

/// The result of building a syntax tree.
pub type Built<T> = Result<T, Interrupted>;

/// A name with the place where it stands.
#[derive(Clone, Copy, Debug)]
pub struct Ident<'s> {
    pub text: &'s str,
    pub span: Span,
}

/// The text of a file, which the nodes of its parse tree are places in.
#[derive(Clone, Copy)]
pub struct Text<'s>(pub &'s str);

impl<'s> Text<'s> {
    pub fn slice(self, span: Span) -> &'s str {
        &self.0[span.start as usize..span.end as usize]
    }

    /// The name that a node has, if any.
    pub fn ident(self, tree: Tree<'_>) -> Option<Ident<'s>> {
        tree.name().map(|_| tree.name_span()).map(|span| Ident { text: self.slice(span), span })
    }
}

/// Parses all files and hands each tree on before the next one is made, since it is many times as large as the syntax
/// tree. All mistakes in all files are reported at once.
pub fn each_file<'s>(
    sources: &'s Sources,
    watch: &mut Watch,
    names: Names,
    parse: impl Fn(u32, &SourceFile, &Watch) -> Lowered<ParsedFile>,
    mut add: impl FnMut(&'s SourceFile, Tree<'_>, &mut Watch) -> Built<()>,
) -> Lowered {
    let mut diagnostics = Diagnostics::default();
    for (index, source) in sources.files().iter().enumerate() {
        let file = index as u32;
        if let Some(parsed) = note(&mut diagnostics, parse(file, source, watch))?
            && let Some(tree) = Tree::new(parsed.tree(), file, names)
        {
            add(source, tree, watch)?;
        }
    }
    if diagnostics.is_empty() { Ok(()) } else { Err(diagnostics.into()) }
}

/// The character that a backslash and this one stand for.
pub fn escape(escaped: char) -> Option<char> {
    Some(match escaped {
        'n' => '\n',
        't' => '\t',
        'r' => '\r',
        '0' => '\0',
        'a' => '\x07',
        'b' => '\x08',
        'f' => '\x0c',
        'v' => '\x0b',
        '\\' | '\'' | '"' | '?' => escaped,
        _ => return None,
    })
}

/// The base of a number as it is written, and the rest behind the prefix: digits, and perhaps a suffix.
pub fn radix(text: &str) -> (u32, &str) {
    match text.as_bytes() {
        [b'0', b'x' | b'X', ..] => (16, &text[2..]),
        [b'0', b'b' | b'B', ..] => (2, &text[2..]),
        [b'0', b'0'..=b'9', ..] => (8, &text[1..]),
        _ => (10, text),
    }
}
