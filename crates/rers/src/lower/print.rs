//! The output of the program: formats to texts and numbers.

use super::Values;
use super::value::unquoted;
use crate::ast::{self, ExprKind};
use redoubt_program::expr::ExprId;
use redoubt_program::program::{Piece, StmtKind, Stream};
use redoubt_program::text::Span;
use redoubt_reading::Diagnostic;
use redoubt_reading::c_common::escape;
use redoubt_reading::refused::{Lowered, refuse};

impl<'t> Values<'_, 't> {
    /// `printf` and its like.
    pub fn print(&mut self, stream: Stream, format: ast::ExprId, values: &[ast::ExprId], span: Span) -> Lowered {
        let parts = self.text(format)?;
        let values = self.arguments(values, span)?;
        let mut printed = Printed::new(values, self.syntax.expr(format).span);
        parts.iter().try_for_each(|part| printed.add(part, true, span))?;
        if printed.values.next().is_some() {
            let message = "the format asks for fewer values than there are";
            return refuse(Diagnostic::new(span, message, "a value too many"));
        }
        self.out.push(StmtKind::Print { stream, text: printed.pieces }, span);
        Ok(())
    }

    /// `puts` prints its text as it is, and ends the line.
    pub fn puts(&mut self, text: ast::ExprId, span: Span) -> Lowered {
        let parts = self.text(text)?;
        let mut printed = Printed::new(vec![], self.syntax.expr(text).span);
        parts.iter().try_for_each(|part| printed.add(part, false, span))?;
        let mut text = printed.pieces;
        text.push(Piece::Text("\n".into()));
        self.out.push(StmtKind::Print { stream: Stream::Output, text }, span);
        Ok(())
    }

    /// `println` of a word prints its number here, as the C of the challenge does.
    pub fn print_word(&mut self, word: ast::ExprId, span: Span) -> Lowered {
        let number = self.out.words.outputs.number(unquoted(self.text(word)?));
        let number = self.out.exprs().int(number);
        let text = vec![Piece::Number(number), Piece::Text("\n".into())];
        self.out.push(StmtKind::Print { stream: Stream::Output, text }, span);
        Ok(())
    }

    fn text(&self, id: ast::ExprId) -> Lowered<&'t [&'t str]> {
        let expr = self.syntax.expr(id);
        match &expr.kind {
            ExprKind::Text(parts) => Ok(parts),
            _ => refuse(Diagnostic::new(expr.span, "the format is not a text", "expected a text in quotes")),
        }
    }
}

/// A format that is being read.
struct Printed {
    pieces: Vec<Piece>,
    /// Those that it has not asked for yet.
    values: std::vec::IntoIter<ExprId>,
    format: Span,
}

impl Printed {
    fn new(values: Vec<ExprId>, format: Span) -> Printed {
        Printed { pieces: vec![], values: values.into_iter(), format }
    }

    /// Adds a text in quotes, in which `%` may ask for a value.
    fn add(&mut self, quoted: &str, is_format: bool, call: Span) -> Lowered {
        let mut chars = quoted[1..quoted.len() - 1].chars();
        while let Some(next) = chars.next() {
            let plain = match next {
                // C's texts end at a zero, which may also begin an octal number.
                '\\' => chars.next().and_then(escape).filter(|&escaped| escaped != '\0'),
                '%' if is_format => match chars.next() {
                    Some('%') => Some('%'),
                    Some('d' | 'i') => {
                        let Some(value) = self.values.next() else {
                            let message = "the format asks for more values than there are";
                            return refuse(Diagnostic::new(call, message, "expected another value"));
                        };
                        self.pieces.push(Piece::Number(value));
                        continue;
                    }
                    _ => None,
                },
                other => Some(other),
            };
            let Some(plain) = plain else {
                let message = "this format is not supported";
                return refuse(Diagnostic::new(self.format, message, "expected `%d` and plain text"));
            };
            match self.pieces.last_mut() {
                Some(Piece::Text(last)) => last.push(plain),
                _ => self.pieces.push(Piece::Text(plain.into())),
            }
        }
        Ok(())
    }
}
