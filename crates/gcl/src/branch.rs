//! `if`, `choose` and `match`: the statements that go different ways.

use super::ast::{Branch, Case, Expr, Pattern, Stmt, StmtKind as Kind};
use super::lower::{Lowered, Lowering};
use super::make::Maker;
use super::types::{Ty, Value};
use redoubt_program::expr::{BinaryOp, ExprId};
use redoubt_program::program::legend::{LintKind, Role};
use redoubt_program::program::{Arm, Fairness, PropertyId, StmtId, StmtKind};
use redoubt_program::text::Span;
use redoubt_reading::Diagnostic;

/// A guard with the statements that it needs, and its body.
struct Guarded {
    statements: Vec<StmtId>,
    guard: ExprId,
    body: StmtId,
    span: Span,
}

impl<'m> Lowering<'m> {
    pub fn conditional(&mut self, branches: &'m [Branch], span: Span) {
        let mut list = vec![];
        for branch in branches {
            let (statements, guard) = match &branch.guard {
                Some(guard) => self.aside(|this| this.condition(guard)),
                None => (vec![], Ok(self.make.exprs().bool(true))),
            };
            let body = self.branch_body(branch.span, &branch.body, None);
            if let Ok(guard) = guard {
                list.push(Guarded { statements, guard, body, span: branch.span });
            }
        }
        self.make.first_that_holds(list, span);
    }

    /// Lowers the body of a branch, behind the marks that say it was taken.
    fn branch_body(&mut self, span: Span, body: &'m [Stmt], taken: Option<PropertyId>) -> StmtId {
        let after = self.make.after;
        // The author hopes that an error cannot be reached; that is no reason for a warning.
        let is_error = matches!(body, [Stmt { kind: Kind::Error(_), .. }]);
        let (statements, ()) = self.aside(|this| {
            if !is_error {
                this.make.after = Some(this.make.lint(LintKind::Branch, span));
            }
            if let Some(taken) = taken {
                this.make.push(StmtKind::Reach(taken), span);
            }
            this.statements(body);
        });
        self.make.after = after;
        let body = self.make.sequence(statements);
        if !self.make.rounds.is_empty() {
            let round = self.make.rounds.join(", ");
            self.make.legend.rounds.insert(body, round);
        }
        body
    }

    /// One of the alternatives whose guard holds, as a hidden input says. If that one's guard does not hold, the
    /// first whose guard does is taken, so that every value of the input makes a step.
    pub fn choose(&mut self, alternatives: &'m [Branch], span: Span) {
        let mut guards = vec![];
        let mut otherwise = None;
        for (index, alternative) in alternatives.iter().enumerate() {
            match &alternative.guard {
                Some(guard) => guards.push((self.condition(guard), alternative)),
                None if index + 1 == alternatives.len() => otherwise = Some(alternative),
                None => {
                    let message = "`otherwise` is not the last alternative";
                    let _ = self.refuse::<()>(Diagnostic::new(alternative.span, message, "expected at the end"));
                }
            }
        }
        let mut enabled = vec![];
        for (guard, alternative) in guards {
            let taken = guard.ok().filter(|_| alternative.fair).map(|guard| {
                let when = Some(self.fair_atom(guard, alternative.span));
                let recurs = self.new_fair_atom(alternative.span);
                self.make.program.add_fairness(Fairness { recurs, when });
                recurs
            });
            let body = self.branch_body(alternative.span, &alternative.body, taken);
            if let Ok(guard) = guard {
                enabled.push((guard, body, alternative.span));
            }
        }
        let otherwise =
            otherwise.map(|otherwise| (self.branch_body(otherwise.span, &otherwise.body, None), otherwise.span));
        let mut arms = self.make.chosen(enabled, span);
        if let Some((body, span)) = otherwise {
            arms.push(Arm { guard: self.make.exprs().bool(true), body, span });
        }
        if !arms.is_empty() {
            self.make.push(StmtKind::Choice(arms), span);
        }
    }

    pub fn matching(&mut self, value: &'m Expr, cases: &'m [Case], span: Span) -> Lowered {
        let value = self.value(value);
        let mut list = vec![];
        for (index, case) in cases.iter().enumerate() {
            let guard = match (case.patterns.as_slice(), value) {
                ([], _) if index + 1 < cases.len() => {
                    let message = "`otherwise` is not the last case";
                    self.refuse(Diagnostic::new(case.span, message, "expected at the end"))
                }
                ([], _) => Ok(self.make.exprs().bool(true)),
                (patterns, Ok(value)) => self.matches(value, patterns),
                (_, Err(refused)) => Err(refused),
            };
            let body = self.branch_body(case.span, &case.body, None);
            if let Ok(guard) = guard {
                list.push(Guarded { statements: vec![], guard, body, span: case.span });
            }
        }
        self.make.first_that_holds(list, span);
        value.map(|_| ())
    }

    fn matches(&mut self, value: Value, patterns: &'m [Pattern]) -> Lowered<ExprId> {
        let mut any = self.make.exprs().bool(false);
        let mut result = Ok(());
        for Pattern { low, high } in patterns {
            match self.matches_one(value, low, high.as_ref()) {
                Ok(hit) => any = self.make.exprs().or(any, hit),
                Err(refused) => result = Err(refused),
            }
        }
        result.map(|()| any)
    }

    fn matches_one(&mut self, value: Value, low: &'m Expr, high: Option<&'m Expr>) -> Lowered<ExprId> {
        let (ty, number) = self.constant(low)?;
        self.expect_like(ty, value.ty, low.span)?;
        let first = self.make.constant_value(ty, number).expr;
        let Some(high) = high else {
            if !self.make.domain(value.ty).contains(number) {
                let label = format!("expected {}", self.names().describe(value.ty));
                return self.refuse(Diagnostic::new(low.span, format!("the value is never {number}"), label));
            }
            return Ok(self.make.exprs().eq(value.expr, first));
        };
        if value.ty == Ty::Bool {
            self.expect_like(value.ty, Ty::INT, low.span)?;
        }
        let (like, last) = self.constant(high)?;
        self.expect_like(like, value.ty, high.span)?;
        if number > last {
            let span = low.span.to(high.span);
            let message = format!("the range {number}..{last} is empty");
            return self.refuse(Diagnostic::new(span, message, "no value fits here"));
        }
        let exprs = self.make.exprs();
        let last = exprs.int(last);
        let above = exprs.binary(BinaryOp::LessEq, first, value.expr);
        let below = exprs.binary(BinaryOp::LessEq, value.expr, last);
        Ok(exprs.and(above, below))
    }
}

impl Maker {
    /// Guards are tried in order. One that needs statements of its own is tried in a choice of its own, where all
    /// before it have failed.
    fn first_that_holds(&mut self, list: Vec<Guarded>, span: Span) {
        // From the last to the first.
        let mut arms: Vec<Arm> = vec![];
        for Guarded { statements, guard, body, span: at } in list.into_iter().rev() {
            arms.push(Arm { guard, body, span: at });
            if !statements.is_empty() {
                arms.reverse();
                let body = self.body(statements, StmtKind::Choice(std::mem::take(&mut arms)), span);
                arms = vec![Arm { guard: self.exprs().bool(true), body, span }];
            }
        }
        arms.reverse();
        match arms.as_slice() {
            [] => {}
            // The conditions of the first guard stand before it.
            [only] if self.program.exprs.as_bool(only.guard) == Some(true) && only.span == span => {
                self.block.push(only.body);
            }
            _ => self.push(StmtKind::Choice(arms), span),
        }
    }

    /// The alternatives, each under the condition that it is the one.
    fn chosen(&mut self, enabled: Vec<(ExprId, StmtId, Span)>, span: Span) -> Vec<Arm> {
        if enabled.len() < 2 {
            return enabled.into_iter().map(|(guard, body, span)| Arm { guard, body, span }).collect();
        }
        let ty = Ty::Int { low: 0, high: enabled.len() as i32 - 1 };
        let name = format!("choose@{}", self.program.line(span));
        let choice = self.open_value(&name, ty, Role::Choice(enabled.iter().map(|(_, _, span)| *span).collect())).expr;
        let exprs = self.exprs();
        let (yes, mut hit) = (exprs.bool(true), exprs.bool(false));
        let mut picked = vec![];
        for (index, (guard, ..)) in enabled.iter().enumerate() {
            let number = exprs.int(index as i32);
            let is_this = exprs.eq(choice, number);
            let both = exprs.and(*guard, is_this);
            hit = exprs.or(hit, both);
            picked.push(is_this);
        }
        let missed = exprs.not(hit);
        let mut none_before = yes;
        let mut arms = vec![];
        for ((guard, body, span), is_this) in enabled.into_iter().zip(picked) {
            let exprs = self.exprs();
            let first = exprs.and(missed, none_before);
            let taken = exprs.or(is_this, first);
            let otherwise = exprs.not(guard);
            none_before = exprs.and(none_before, otherwise);
            arms.push(Arm { guard: exprs.and(guard, taken), body, span });
        }
        arms
    }
}
