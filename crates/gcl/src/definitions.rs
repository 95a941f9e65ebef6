//! Definitions: each stands for its expression, which is lowered once for each moment that it is used at.

use rustc_hash::{FxHashMap, FxHashSet};

use super::ast::Expr;
use super::lower::{Lowered, Lowering, Refused};
use super::mentions::Topic;
use super::scope::Moment;
use super::types::Value;
use redoubt_program::expr::{ExprId, Fold};
use redoubt_program::text::Span;
use redoubt_reading::Diagnostic;

/// Evaluating an expression goes through all of it, so definitions must not grow beyond all bounds.
const MOST_OPERATORS: u64 = 100_000;

/// The facts about definitions.
#[derive(Clone, Debug, Default)]
pub struct Definitions<'m> {
    /// Those that need no statements, with their expressions.
    values: FxHashMap<(String, Moment), Value>,
    /// Those with mistakes.
    refused: FxHashSet<String>,
    /// Those that lead back to themselves.
    pub circular: Vec<&'m str>,
    /// The topics of each.
    pub topics: FxHashMap<(String, Topic), bool>,
    /// The sizes of expressions once all sharing is written out.
    sizes: Fold<u64>,
}

impl<'m> Lowering<'m> {
    /// A definition stands for its expression, in which only the model's own names count.
    pub fn define(&mut self, name: &'m str, body: &'m Expr, span: Span) -> Lowered<Value> {
        if self.scope.inlining.contains(&name) {
            let message = format!("`{name}` is defined by itself");
            self.definitions.circular.push(name);
            return self.refuse(Diagnostic::new(span, message, "this use closes the circle"));
        }
        // Its mistakes have been reported.
        if self.definitions.refused.contains(name) || self.make.is_too_much(span) {
            return Err(Refused);
        }
        let key = (name.to_string(), self.scope.moment);
        if let Some(&known) = self.definitions.values.get(&key) {
            return Ok(known);
        }
        let scopes = std::mem::take(&mut self.scope.bound);
        self.scope.inlining.push(name);
        let before = self.make.block.len();
        let result = self.value(body);
        self.scope.inlining.pop();
        self.scope.bound = scopes;
        if result.is_err() {
            self.definitions.refused.insert(name.to_string());
        }
        if let Ok(value) = result {
            self.check_size(name, value.expr, span)?;
        }
        if let Ok(value) = result
            && self.make.block.len() == before
        {
            self.definitions.values.insert(key, value);
        }
        result
    }

    /// Refuses an expression that has grown beyond all bounds.
    pub fn check_size(&mut self, name: &str, expr: ExprId, span: Span) -> Lowered {
        if self.size(expr) > MOST_OPERATORS {
            let message = format!("`{name}` stands for more than {MOST_OPERATORS} operators");
            return self.refuse(Diagnostic::new(span, message, "once its own definitions are put in place"));
        }
        Ok(())
    }

    /// The number of operators and leaves in an expression, each counted as often as it is used.
    fn size(&mut self, expr: ExprId) -> u64 {
        *self.definitions.sizes.all(&self.make.program.exprs, expr, |_, expr, sizes| {
            expr.operands().fold(1, |size: u64, operand| size.saturating_add(sizes[operand]))
        })
    }
}
