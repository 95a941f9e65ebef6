//! The operators that look back: `prev`, `once`, `historically` and `since`.
//!
//! Each of them has a history, a variable with the operator's value at the end of the last step (Havelund and
//! Rosu, "Synthesizing monitors for safety properties", TACAS 2002): `once e` is `history || e`, and the step
//! ends with `history := history || e`. On the initial state `e` counts if it names no input and does not
//! look back itself; `prev` of an input that there was not yet is the default of its type.
//!
//! `prev(e)` is evaluated when the step begins and kept until it is used. An index that is out of range there
//! ends the run only where the value is used.

use rustc_hash::FxHashMap;

use super::ast::Expr;
use super::lower::{Lowered, Lowering, Refused};
use super::mentions::Topic;
use super::names::Entity;
use super::scope::{Moment, Scope as Where};
use super::types::{Ty, Value};
use redoubt_program::expr::{BinaryOp, ExprId, InputId, Type, VarId};
use redoubt_program::program::{PropertyId, Scope, StmtId, StmtKind};
use redoubt_program::text::Span;

/// An occurrence of an operator: its place in the syntax tree, and the bindings there. One place in the text may be
/// many in the tree, if it is in a module.
type Key = (usize, Vec<(String, Bound)>);

/// The meaning of a name, as far as an operator that looks back can tell.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
enum Bound {
    Number(i32),
    /// An argument: the expression, and the bindings at its place.
    Argument(Box<Key>),
}

#[derive(Clone, Default)]
pub struct Past {
    histories: FxHashMap<Key, History>,
    previous: FxHashMap<Key, Previous>,
    inputs: FxHashMap<InputId, VarId>,
    notes: Vec<Note>,
}

/// The value of an operator at the end of the last step.
#[derive(Clone, Copy)]
struct History {
    variable: VarId,
    ty: Ty,
}

/// A value from the beginning of the step.
#[derive(Clone)]
struct Previous {
    variable: VarId,
    ty: Ty,
    notes: Vec<Note>,
    /// Where the value is kept for an operator further out.
    history: Option<History>,
}

/// A failure in an expression about the past.
#[derive(Clone, Copy)]
struct Note {
    failed: VarId,
    property: PropertyId,
}

impl<'m> Lowering<'m> {
    fn key(&self, expr: &'m Expr) -> Key {
        self.key_in(expr, &self.scope)
    }

    fn key_in(&self, expr: &'m Expr, scope: &Where<'m>) -> Key {
        let bound = scope.bound.iter().filter_map(|(name, entity)| match entity {
            Entity::Constant(_, value) => Some((name.to_string(), Bound::Number(*value))),
            Entity::Argument(number) => self
                .argument_origin(*number)
                .map(|(argument, scope)| (name.to_string(), Bound::Argument(Box::new(self.key_in(argument, scope))))),
            _ => None,
        });
        (std::ptr::from_ref(expr) as usize, bound.collect())
    }

    /// The value that a scalar input had in the last step.
    pub fn last_input(&mut self, input: InputId, ty: Ty, span: Span) -> Value {
        let variable = match self.past.inputs.get(&input) {
            Some(&known) => known,
            None => {
                let name = format!("prev({})", self.make.program.input(input).name);
                let variable = self.make.hidden_variable(name, ty, ty.default(), Scope::Global, span);
                let value = self.make.input_value(input, ty).expr;
                self.sections.after.extend(self.make.one(StmtKind::Assign { variable, value }, span));
                self.past.inputs.insert(input, variable);
                variable
            }
        };
        Value { expr: self.make.exprs().var(variable, ty.machine()), ty }
    }

    /// A flag that is set if an index or a divisor of the past was bad.
    pub fn note_failure(&mut self, property: PropertyId, span: Span) -> VarId {
        let failed = self.make.temporary(Ty::Bool, span);
        let no = self.make.exprs().bool(false);
        self.sections.resets.extend(self.make.one(StmtKind::Assign { variable: failed, value: no }, span));
        self.past.notes.push(Note { failed, property });
        failed
    }

    /// Lowers an expression about another moment, into a block of its own.
    fn at<T>(&mut self, moment: Moment, lower: impl FnOnce(&mut Self) -> Lowered<T>) -> Lowered<(Vec<StmtId>, T)> {
        let outer = std::mem::replace(&mut self.scope.moment, moment);
        self.scope.depth += 1;
        let (statements, result) = self.aside(lower);
        self.scope.depth -= 1;
        self.scope.moment = outer;
        result.map(|value| (statements, value))
    }

    pub fn previous(&mut self, expr: &'m Expr, inner: &'m Expr) -> Lowered<Value> {
        let span = expr.span;
        let key = self.key(expr);
        if !self.past.previous.contains_key(&key) {
            let outer = std::mem::take(&mut self.past.notes);
            let lowered = self.at(Moment::Before, |this| this.value(inner));
            let notes = std::mem::replace(&mut self.past.notes, outer);
            let (statements, value) = lowered?;
            let variable = self.make.temporary(value.ty, span);
            self.sections.before.extend(statements);
            self.sections.before.extend(self.make.one(StmtKind::Assign { variable, value: value.expr }, span));
            self.past.previous.insert(key.clone(), Previous { variable, ty: value.ty, notes, history: None });
        }
        let known = self.past.previous[&key].clone();
        if self.scope.moment != Moment::Now {
            return self.previous_of_previous(key, known, inner, span);
        }
        self.fail_as_noted(&known.notes, span);
        Ok(Value { expr: self.make.exprs().var(known.variable, known.ty.machine()), ty: known.ty })
    }

    /// Ends the run if one of the failures has happened.
    fn fail_as_noted(&mut self, notes: &[Note], span: Span) {
        for note in notes {
            let failed = self.make.exprs().var(note.failed, Type::Bool);
            self.make.do_if(failed, StmtKind::Error(note.property), span);
        }
    }

    fn previous_of_previous(&mut self, key: Key, known: Previous, inner: &'m Expr, span: Span) -> Lowered<Value> {
        let Previous { variable, ty, notes, .. } = known;
        let history = match known.history {
            Some(history) => history,
            None => {
                let start = self.at(Moment::Initial, |this| this.value(inner))?;
                let now = self.make.exprs().var(variable, ty.machine());
                // To keep a value is to use it.
                let (checks, ()) = self.aside(|this| this.fail_as_noted(&notes, span));
                let history = self.history("prev", ty, span, (start.0, start.1.expr), (checks, now));
                if let Some(entry) = self.past.previous.get_mut(&key) {
                    entry.history = Some(history);
                }
                history
            }
        };
        Ok(Value { expr: self.make.exprs().var(history.variable, ty.machine()), ty })
    }

    /// A history that starts with one value and gets another at the end of every step.
    fn history(
        &mut self,
        name: &str,
        ty: Ty,
        span: Span,
        start: (Vec<StmtId>, ExprId),
        next: (Vec<StmtId>, ExprId),
    ) -> History {
        let name = format!("{name}@{}", self.make.program.line(span));
        let variable = self.make.hidden_variable(name, ty, ty.default(), Scope::Global, span);
        for (section, (statements, value)) in [(&mut self.sections.opening, start), (&mut self.sections.after, next)] {
            section.extend(statements);
            section.extend(self.make.one(StmtKind::Assign { variable, value }, span));
        }
        History { variable, ty }
    }

    /// The value of an expression on the initial state; `missing` if it says nothing about that.
    fn initially(&mut self, expr: &'m Expr, missing: bool) -> Lowered<(Vec<StmtId>, ExprId)> {
        if self.is_about(Topic::Step, expr) {
            return Ok((vec![], self.make.exprs().bool(missing)));
        }
        self.at(Moment::Initial, |this| this.condition(expr))
    }

    /// `once e`, or `historically e`.
    pub fn once(&mut self, expr: &'m Expr, operand: &'m Expr, once: bool) -> Lowered<Value> {
        let key = self.key(expr);
        let operator = if once { BinaryOp::Or } else { BinaryOp::And };
        if !self.past.histories.contains_key(&key) {
            let start = self.initially(operand, !once)?;
            let (statements, now) = self.at(Moment::Now, |this| this.condition(operand))?;
            // The history's own value stands in its update, so it is made first and updated afterwards.
            let name = if once { "once" } else { "historically" };
            let history = self.history_of(
                name,
                expr.span,
                start,
                |exprs, before| exprs.binary(operator, before, now),
                statements,
            );
            self.past.histories.insert(key.clone(), history);
        }
        let before = self.before(&key)?;
        if self.scope.moment != Moment::Now {
            return Ok(before);
        }
        let now = self.looking_back(|this| this.condition(operand))?;
        Ok(Value { expr: self.make.exprs().binary(operator, before.expr, now), ty: Ty::Bool })
    }

    /// `e since f`: `f` held at some point, and `e` ever after.
    pub fn since(&mut self, expr: &'m Expr, left: &'m Expr, right: &'m Expr) -> Lowered<Value> {
        let key = self.key(expr);
        let formula = |exprs: &mut redoubt_program::expr::Exprs, before: ExprId, e: ExprId, f: ExprId| {
            let still = exprs.and(e, before);
            exprs.or(f, still)
        };
        if !self.past.histories.contains_key(&key) {
            let start = self.initially(right, false)?;
            let (statements, (e, f)) =
                self.at(Moment::Now, |this| Ok((this.condition(left), this.condition(right))))?;
            let (e, f) = (e?, f?);
            let history =
                self.history_of("since", expr.span, start, |exprs, before| formula(exprs, before, e, f), statements);
            self.past.histories.insert(key.clone(), history);
        }
        let before = self.before(&key)?;
        if self.scope.moment != Moment::Now {
            return Ok(before);
        }
        let e = self.looking_back(|this| this.condition(left))?;
        let f = self.looking_back(|this| this.condition(right))?;
        Ok(Value { expr: formula(self.make.exprs(), before.expr, e, f), ty: Ty::Bool })
    }

    /// Lowers an operand where it stands.
    fn looking_back<T>(&mut self, lower: impl FnOnce(&mut Self) -> Lowered<T>) -> Lowered<T> {
        self.scope.depth += 1;
        let result = lower(self);
        self.scope.depth -= 1;
        result
    }

    fn before(&mut self, key: &Key) -> Lowered<Value> {
        let history = *self.past.histories.get(key).ok_or(Refused)?;
        Ok(Value { expr: self.make.exprs().var(history.variable, history.ty.machine()), ty: history.ty })
    }

    /// A history of a truth value that is computed from its last value.
    fn history_of(
        &mut self,
        name: &str,
        span: Span,
        start: (Vec<StmtId>, ExprId),
        next: impl FnOnce(&mut redoubt_program::expr::Exprs, ExprId) -> ExprId,
        statements: Vec<StmtId>,
    ) -> History {
        // The variable that `history` is about to make.
        let own = VarId::new(self.make.program.variables.len());
        let before = self.make.exprs().var(own, Type::Bool);
        let next = next(self.make.exprs(), before);
        let history = self.history(name, Ty::Bool, span, start, (statements, next));
        debug_assert_eq!(history.variable, own);
        history
    }
}
