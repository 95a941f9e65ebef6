//! The tokens of a text to the first place that is nested too deeply for a parser.

use redoubt_parsers::run::Tokens;

use crate::Diagnostic;
use crate::tree::token_span;

/// The nesting constructs of a language.
pub struct Nesting {
    /// Deeper nesting is refused: the parser's time grows with the square of it. Real programs stay below 100.
    pub most: usize,
    /// Signs that nest to the right within one statement.
    pub to_the_right: &'static [&'static str],
    /// Words that begin a statement around another one.
    pub heads: &'static [&'static str],
}

impl Nesting {
    /// Counts brackets, signs that nest to the right, runs of signs, and statements that stand within others without
    /// braces.
    pub fn too_deep(&self, tokens: &Tokens, file: u32) -> Option<Diagnostic> {
        let (mut brackets, mut to_the_right, mut signs, mut heads) = (0usize, 0usize, 0usize, 0usize);
        // The number of heads of statements that enclose each open block.
        let mut blocks = vec![0];
        for token in tokens.tokens() {
            let text = token.text_or_empty();
            match text {
                "(" | "[" => brackets += 1,
                ")" | "]" => brackets = brackets.saturating_sub(1),
                "{" => {
                    brackets += 1;
                    blocks.push(heads);
                }
                "}" => {
                    brackets = brackets.saturating_sub(1);
                    blocks.pop();
                    heads = blocks.last().copied().unwrap_or(0);
                }
                ";" => {
                    to_the_right = 0;
                    heads = blocks.last().copied().unwrap_or(0);
                }
                // Of a label, not of a `?`.
                ":" if to_the_right == 0 => heads += 1,
                text if self.to_the_right.contains(&text) => to_the_right += 1,
                text if self.heads.contains(&text) => heads += 1,
                _ => {}
            }
            signs = if matches!(text, "-" | "+" | "!" | "~" | "*" | "&") { signs + 1 } else { 0 };
            if brackets + to_the_right + signs + heads > self.most {
                let message = format!("nested more than {} levels deep", self.most);
                return Some(Diagnostic::new(token_span(&token, file), message, "this level is one too many"));
            }
        }
        None
    }
}
