//! Text to syntax tree, with ANTLR's complaints turned into messages for people.

use antlr4_runtime::Token;

use super::ast::Item;
use super::build::Builder;
use redoubt_parsers::gcl::{self, names};
use redoubt_parsers::run::{Source, Tokens};
use redoubt_program::text::{SourceFile, Span};
use redoubt_reading::refused::{Lowered, refuse};
use redoubt_reading::syntax::{self, Listener};
use redoubt_reading::tree::{Names, Tree, token_span};
use redoubt_reading::watch::{Watch, Watched};
use redoubt_reading::{Diagnostic, Diagnostics};

/// More brackets around a place, or operators in one expression, are refused: everything after the parser
/// goes down into expressions level by level.
const MAX_NESTING: usize = 2_000;

/// Some words of the language are names where they begin nothing.
const NAMES: Names = Names { token: names::NAME, rule: Some(names::RULE_NAME) };

/// Parses one file, the `file`-th of its model.
pub fn parse(file: u32, source: &SourceFile, watch: &Watch) -> Lowered<Vec<Item>> {
    let (listener, errors) = Listener::new(file, source.text.len(), is_foreign, explain);
    let tokens = Tokens::new(Source::new(Watched { source: gcl::lex(&source.text), watch: watch.clone() }));
    watch.look_closely()?;
    if let Some(too_deep) = too_deep(&tokens, file) {
        return refuse(too_deep);
    }
    let result = gcl::parse(tokens, listener.beside(watch.clone()));
    watch.look_closely()?;
    match result {
        Ok(parsed) if errors.is_empty() => {
            let mut builder = Builder { source, diagnostics: Diagnostics::default() };
            let items = Tree::new(parsed.tree(), file, NAMES).map(|tree| builder.model(tree));
            if builder.diagnostics.is_empty() { Ok(items.unwrap_or_default()) } else { Err(builder.diagnostics.into()) }
        }
        result => Err(errors.into_diagnostics(file, result.err().map(|error| error.to_string())).into()),
    }
}

/// The first place that is nested too deeply. Every operator counts as a level until its statement is over.
fn too_deep(tokens: &Tokens, file: u32) -> Option<Diagnostic> {
    let (mut brackets, mut operators) = (0usize, 0usize);
    for token in tokens.tokens().filter(|token| token.channel() == 0) {
        match token.text_or_empty() {
            "(" | "[" => brackets += 1,
            ")" | "]" => brackets = brackets.saturating_sub(1),
            "{" => {
                brackets += 1;
                operators = 0;
            }
            "}" => {
                brackets = brackets.saturating_sub(1);
                operators = 0;
            }
            ";" | "," | "=" | "=>" | "property" | "assume" | "assert" | "define" | "var" => operators = 0,
            "when" | "otherwise" | "choose" | "match" | "for" | "error" | "havoc" => operators = 0,
            "true" | "false" | ":" => {}
            text if token.token_type() != names::NAME && !text.starts_with(|c: char| c.is_ascii_digit()) => {
                operators += 1;
            }
            _ => {}
        }
        if brackets + operators > MAX_NESTING {
            let message = format!("nested more than {MAX_NESTING} levels deep");
            return Some(Diagnostic::new(token_span(&token, file), message, "this level is one too many"));
        }
    }
    None
}

/// Whether no rule of the grammar accepts a token, whatever stands around it.
fn is_foreign(kind: i32) -> bool {
    [names::UNCLOSED_COMMENT, names::UNKNOWN].contains(&kind)
}

fn explain(span: Span, kind: Option<i32>, text: &str, message: &str) -> Diagnostic {
    match kind {
        Some(names::UNCLOSED_COMMENT) => {
            Diagnostic::new(span, "this comment is never closed", "expected a `*/` after it")
        }
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

/// Words of the language that may be names.
const SOFT: [&str; 17] = [
    "`import`",
    "`record`",
    "`module`",
    "`instance`",
    "`let`",
    "`fair`",
    "`often`",
    "`ctl`",
    "`resettable`",
    "`EX`",
    "`EF`",
    "`EG`",
    "`EU`",
    "`AX`",
    "`AF`",
    "`AG`",
    "`AU`",
];

/// The accepted tokens, in words.
fn expected(message: &str) -> Option<String> {
    let words = syntax::expected(message, &|_| None)?;
    let has = |word: &str| words.iter().any(|other| other == word);
    const FEW: usize = 6;
    match words.as_slice() {
        [] => None,
        [one] => Some(one.clone()),
        _ if has("a name") && words.iter().all(|word| word == "a name" || SOFT.contains(&word.as_str())) => {
            // Words that may be names, too, say nothing more.
            Some("a name".into())
        }
        many if many.len() <= FEW => Some(format!("{} or {}", many[..many.len() - 1].join(", "), many[many.len() - 1])),
        // A list of all of them is no help.
        _ if has("`var`") && has("`+`") => Some("an operator or the next item".into()),
        _ if has("`var`") => Some("an item such as `var`, `step` or `property`".into()),
        _ if has("`choose`") && has("`+`") => Some("an operator, the next statement or `}`".into()),
        _ if has("`choose`") => Some("a statement or `}`".into()),
        _ if has("`&&`") => Some("an operator or the end of the expression".into()),
        _ if has("`bool`") => Some("a type: `bool`, `int`, `low..high` or the name of one".into()),
        _ => Some("an expression".into()),
    }
}
