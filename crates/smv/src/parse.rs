//! Text to syntax tree, with ANTLR's complaints turned into messages for people.

use antlr4_runtime::Token;

use crate::ast::Text;
use crate::build::Builder;
use redoubt_parsers::run::{Source, Tokens};
use redoubt_parsers::smv::{self, names};
use redoubt_program::text::{SourceFile, Span};
use redoubt_reading::refused::{Lowered, refuse};
use redoubt_reading::syntax::{self, Listener};
use redoubt_reading::tree::{Names, Tree, token_span};
use redoubt_reading::watch::{Watch, Watched};
use redoubt_reading::{Diagnostic, Diagnostics};

/// More brackets around a place are refused: the parser goes down into them level by level.
const MAX_NESTING: usize = 2_000;

/// Some words of the language are names where they begin nothing.
const NAMES: Names = Names { token: names::NAME, rule: Some(names::RULE_NAME) };

/// Parses one file, the `file`-th of its model.
pub fn parse(file: u32, source: &SourceFile, text: &mut Text, watch: &Watch) -> Lowered {
    let (listener, errors) = Listener::new(file, source.text.len(), is_foreign, explain);
    let tokens = Tokens::new(Source::new(Watched { source: smv::lex(&source.text), watch: watch.clone() }));
    watch.look_closely()?;
    if let Some(too_deep) = too_deep(&tokens, file) {
        return refuse(too_deep);
    }
    let result = smv::parse(tokens, listener.beside(watch.clone()));
    watch.look_closely()?;
    match result {
        Ok(parsed) if errors.is_empty() => {
            let mut builder = Builder { text, diagnostics: Diagnostics::default() };
            if let Some(tree) = Tree::new(parsed.tree(), file, NAMES) {
                builder.file(tree)?;
            }
            let diagnostics = builder.diagnostics;
            if diagnostics.is_empty() { Ok(()) } else { Err(diagnostics.into()) }
        }
        result => Err(errors.into_diagnostics(file, result.err().map(|error| error.to_string())).into()),
    }
}

/// The first place that is nested too deeply.
fn too_deep(tokens: &Tokens, file: u32) -> Option<Diagnostic> {
    let mut brackets = 0_usize;
    for token in tokens.tokens().filter(|token| token.channel() == 0) {
        match token.text_or_empty() {
            "(" | "[" | "{" | "case" => brackets += 1,
            ")" | "]" | "}" | "esac" => brackets = brackets.saturating_sub(1),
            // Whatever is open, it ends here.
            "MODULE" | ";" if brackets == 1 => {}
            _ => {}
        }
        if brackets > MAX_NESTING {
            let message = format!("nested more than {MAX_NESTING} levels deep");
            return Some(Diagnostic::new(token_span(&token, file), message, "this level is one too many"));
        }
    }
    None
}

/// Whether no rule of the grammar accepts a token, whatever stands around it.
fn is_foreign(kind: i32) -> bool {
    [names::UNCLOSED_COMMENT, names::UNKNOWN, names::DIRECTIVE].contains(&kind)
}

fn explain(span: Span, kind: Option<i32>, text: &str, message: &str) -> Diagnostic {
    match kind {
        Some(names::UNCLOSED_COMMENT) => {
            Diagnostic::new(span, "this comment is never closed", "expected a `--/` after it")
        }
        Some(names::DIRECTIVE) => Diagnostic::new(span, "this line is for a preprocessor", "no line begins with `#`")
            .help("run the file through `cpp -P` first; NuSMV does so with `-cpp`"),
        Some(names::UNKNOWN) => {
            let character = text.chars().next().unwrap_or(' ');
            let message = format!("the character {character:?} does not belong to the language");
            Diagnostic::new(span, message, "unknown character")
        }
        _ => {
            let kind = kind.unwrap_or(antlr4_runtime::TOKEN_EOF);
            let found = if kind == antlr4_runtime::TOKEN_EOF { "end of file".into() } else { format!("`{text}`") };
            let label = match expected(message) {
                Some(expected) => format!("expected {expected}"),
                None => "this does not continue the text before it".into(),
            };
            let diagnostic = Diagnostic::new(span, format!("unexpected {found}"), label);
            let is_word = text.starts_with(|c: char| c.is_ascii_alphabetic());
            match is_word && kind != names::NAME && message.contains("Name") {
                true => diagnostic.help(format!("`{text}` is a word of the language and cannot be a name")),
                false => diagnostic,
            }
        }
    }
}

/// The accepted tokens, in words.
fn expected(message: &str) -> Option<String> {
    let words = syntax::expected(message, &|_| None)?;
    let has = |word: &str| words.iter().any(|other| other == word);
    const FEW: usize = 5;
    match words.as_slice() {
        [] => None,
        [one] => Some(one.clone()),
        many if many.len() <= FEW => Some(format!("{} or {}", many[..many.len() - 1].join(", "), many[many.len() - 1])),
        // A list of all of them is no help.
        _ if has("`esac`") => Some("a condition or `esac`".into()),
        _ if has("`ASSIGN`") => Some("a section such as `VAR`, `ASSIGN` or `SPEC`".into()),
        _ if has("`<->`") => Some("an operator or the end of the expression".into()),
        _ if has("`boolean`") => Some("a type: `boolean`, `low..high`, `{...}`, `word[n]` or a module".into()),
        _ if has("`case`") => Some("an expression".into()),
        _ => Some("a name".into()),
    }
}
