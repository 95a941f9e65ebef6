//! The operators that look back: `prev`, `once`, `historically` and `since`.
//!
//! Each of them has a history, a variable with the operator's value at the end of the last cycle (Havelund and Rosu,
//! "Synthesizing monitors for safety properties", TACAS 2002). `prev` of something is its value then, and before the first
//! cycle the initial one, of inputs too; the others begin with the first cycle.

use rustc_hash::FxHashMap;

use crate::ast::{Expr, Unary};
use crate::flow::Flow;
use crate::lower::{Lowered, Lowering, Moment};
use crate::types::{Ty, domain};
use crate::value::Value;
use redoubt_program::expr::{BinaryOp, ExprId, VarId};
use redoubt_program::program::StmtId;
use redoubt_program::text::Span;
use redoubt_reading::Diagnostic;

#[derive(Default)]
pub struct Past {
    /// Statements at the end of a cycle, for the next one. A later one may look at the memory of an earlier one, and so
    /// comes first.
    pub updates: Vec<Vec<StmtId>>,
    /// The histories that need no statements, by the remembered expression and the initial value.
    known: FxHashMap<(ExprId, i64), VarId>,
    /// The number of enclosing operators that look back.
    pub depth: usize,
}

impl<'m> Lowering<'m> {
    pub fn looking_back(&mut self, operator: Unary, operand: &'m Expr, expr: &'m Expr) -> Lowered<Value> {
        if !self.is_judging {
            let message = "this looks back";
            return self.refuse(Diagnostic::new(expr.span, message, "expected in a property, and nowhere else"));
        }
        match operator {
            Unary::Prev => self.previous(operand, expr.span),
            Unary::Once => {
                if self.moment == Moment::Initial {
                    self.condition(operand)?;
                    return Ok(self.known_value(Ty::Bool, 0));
                }
                let now = self.condition(operand)?;
                let history = self.history("once", expr, 0);
                let old = self.make.exprs().var(history, Ty::Bool.machine());
                let value = self.truth(BinaryOp::Or, old, now.expr);
                self.update(history, expr.span, |this| {
                    let now = this.condition(operand)?;
                    Ok(this.truth(BinaryOp::Or, old, now.expr))
                })?;
                Ok(value)
            }
            _ => {
                if self.moment == Moment::Initial {
                    self.condition(operand)?;
                    return Ok(self.known_value(Ty::Bool, 1));
                }
                let now = self.condition(operand)?;
                let history = self.history("historically", expr, 1);
                let old = self.make.exprs().var(history, Ty::Bool.machine());
                let value = self.truth(BinaryOp::And, old, now.expr);
                self.update(history, expr.span, |this| {
                    let now = this.condition(operand)?;
                    Ok(this.truth(BinaryOp::And, old, now.expr))
                })?;
                Ok(value)
            }
        }
    }

    /// `left since right`: right was true, and left has been ever since.
    pub fn since(&mut self, left: &'m Expr, right: &'m Expr, expr: &'m Expr) -> Lowered<Value> {
        if !self.is_judging {
            let message = "this looks back";
            return self.refuse(Diagnostic::new(expr.span, message, "expected in a property, and nowhere else"));
        }
        if self.moment == Moment::Initial {
            self.condition(left)?;
            self.condition(right)?;
            return Ok(self.known_value(Ty::Bool, 0));
        }
        let history = self.history("since", expr, 0);
        let old = self.make.exprs().var(history, Ty::Bool.machine());
        let whole = |this: &mut Self| {
            let (still, begins) = (this.condition(left)?, this.condition(right)?);
            let held = this.truth(BinaryOp::And, still.expr, old);
            Ok(this.truth(BinaryOp::Or, begins.expr, held.expr))
        };
        let value = whole(self)?;
        self.update(history, expr.span, whole)?;
        Ok(value)
    }

    fn history(&mut self, word: &str, expr: &Expr, initial: i32) -> VarId {
        let text = self.make.program.sources.text(expr.span);
        let name = format!("{word}@{}", text.split_whitespace().collect::<Vec<_>>().join(" "));
        self.make.hidden(name, Ty::Bool, initial, None, expr.span)
    }

    /// Lowers something as it will be at the end of the cycle, where only facts that always hold are known.
    fn at_the_end<T>(&mut self, lower: impl FnOnce(&mut Self) -> Lowered<T>) -> (Vec<StmtId>, Lowered<T>) {
        let flow = self.flow.replace(Flow::default());
        self.past.depth += 1;
        let result = self.aside(lower);
        self.past.depth -= 1;
        self.flow = flow;
        result
    }

    fn update(&mut self, history: VarId, span: Span, value: impl FnOnce(&mut Self) -> Lowered<Value>) -> Lowered {
        let number = self.past.updates.len();
        self.past.updates.push(vec![]);
        let (statements, ()) = {
            let (statements, value) = self.at_the_end(value);
            let value = value?;
            self.aside(|this| {
                this.make.block.extend(statements);
                this.make.assign(history, value.expr, span);
            })
        };
        self.past.updates[number] = statements;
        Ok(())
    }

    fn previous(&mut self, operand: &'m Expr, span: Span) -> Lowered<Value> {
        // Before the first cycle there are only initial values.
        let moment = std::mem::replace(&mut self.moment, Moment::Initial);
        let (_, initial) = self.at_the_end(|this| this.value(operand));
        self.moment = moment;
        let initial = initial?;
        if moment == Moment::Initial {
            return Ok(initial);
        }
        let (statements, value) = self.at_the_end(|this| this.value(operand));
        let value = value?;
        if let (None, Some(_)) = (value.ty, value.known()) {
            return Ok(value);
        }
        let (value, ty) = self.typed_value(value, span)?;
        let start =
            match (ty, self.make.program.exprs.as_bool(initial.expr), self.make.program.exprs.as_int(initial.expr)) {
                (Ty::Bool, Some(start), _) => i64::from(start),
                (_, _, Some(start)) => i64::from(start),
                _ => {
                    let message = "what this starts with is not known";
                    return self.refuse(Diagnostic::new(span, message, "expected something simpler under `prev`"));
                }
            };
        let key = (value.expr, start);
        let history = match self.past.known.get(&key).filter(|_| statements.is_empty()) {
            Some(&known) => known,
            None => {
                let text = self.make.program.sources.text(operand.span);
                let name = format!("prev@{}", text.split_whitespace().collect::<Vec<_>>().join(" "));
                let low = value.low.min(start);
                let high = value.high.max(start);
                let is_plain = matches!(ty, Ty::Bool) || value.high > i64::from(i32::MAX);
                let values = (!is_plain).then(|| domain(low, high));
                let history = self.make.hidden(name, ty, start as i32, values, span);
                let is_pure = statements.is_empty();
                let (update, ()) = self.aside(|this| {
                    this.make.block.extend(statements);
                    this.make.assign(history, value.expr, span);
                });
                self.past.updates.push(update);
                if is_pure {
                    self.past.known.insert(key, history);
                }
                history
            }
        };
        let expr = self.make.exprs().var(history, ty.machine());
        let (low, high) = if initial.ty.is_some() || value.low >= 0 {
            (value.low.min(initial.low), value.high.max(initial.high))
        } else {
            self.type_bounds(ty)
        };
        Ok(Value::new(expr, ty, low, high))
    }
}
