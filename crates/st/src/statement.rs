//! Statements. Loops are unrolled as far as their conditions are not known to be false.

use crate::ast::{Arm as CaseArm, Branch, Counting, Expr, Place, Stmt, StmtKind as Kind};
use crate::call::leaves;
use crate::flow::{Flow, joined};
use crate::lower::{Loop, Lowered, Lowering};
use crate::place::Target;
use crate::storage::{Located, Node};
use crate::types::Ty;
use crate::value::Value;
use redoubt_base::stack::grow;
use redoubt_program::expr::{BinaryOp, ExprId, Type, VarId};
use redoubt_program::program::legend::LintKind;
use redoubt_program::program::{Arm, PropertyKind, StmtId, StmtKind};
use redoubt_program::text::Span;
use redoubt_reading::Diagnostic;

/// A loop that is not known to end after this many rounds is refused.
const MOST_ROUNDS: usize = 10_000;

/// When a loop goes on.
enum Test<'m> {
    While(&'m Expr),
    Until(&'m Expr),
    /// The variable, the last value, and the step.
    For(Located, Value, i64),
}

/// Guards with their bodies, and the statements that the first guard needs.
struct Ways {
    statements: Vec<StmtId>,
    arms: Vec<Arm>,
}

impl<'m> Lowering<'m> {
    pub fn statements(&mut self, list: &'m [Stmt]) {
        for (index, stmt) in list.iter().enumerate() {
            let was_reached = self.flow.is_some();
            let _ = grow(|| self.statement(stmt));
            let rest = &list[index + 1..];
            if was_reached && self.flow.is_none() {
                // The following statements are looked at for mistakes alone.
                let _ = self.aside(|this| this.statements(rest));
                return;
            }
            let guard = if rest.is_empty() { None } else { self.still_here(stmt) };
            if let Some(guard) = guard {
                let span = self.span(rest[0].span);
                let (body, ()) = self.aside(|this| grow(|| this.statements(rest)));
                let body = self.make.program.add_sequence(body);
                self.make.push(StmtKind::Choice(vec![Arm { guard, body, span }]), span);
                return;
            }
        }
    }

    /// The condition that the statements behind a statement are still executed, unless that is certain.
    fn still_here(&mut self, stmt: &Stmt) -> Option<ExprId> {
        let returns = leaves(stmt, &|kind| matches!(kind, Kind::Return), true);
        let exits = leaves(stmt, &|kind| matches!(kind, Kind::Exit), false);
        let continues = leaves(stmt, &|kind| matches!(kind, Kind::Continue), false);
        if !returns && !exits && !continues {
            return None;
        }
        let returned = self.frames.last().and_then(|frame| frame.returned).filter(|_| returns);
        let (going, continued) = match self.loops.last() {
            Some(inner) => (inner.going.filter(|_| exits), inner.continued.filter(|_| continues)),
            None => (None, None),
        };
        let mut guard = self.make.exprs().bool(true);
        for (flag, wanted) in [(returned, false), (going, true), (continued, false)] {
            let Some(flag) = flag else { continue };
            let flag = self.make.exprs().var(flag, Type::Bool);
            let flag = if wanted { flag } else { self.make.exprs().not(flag) };
            guard = self.make.op(BinaryOp::And, guard, flag);
        }
        Some(guard)
    }

    fn statement(&mut self, stmt: &'m Stmt) -> Lowered {
        let span = stmt.span;
        match &stmt.kind {
            Kind::Assign(place, value) => self.assignment(place, value, span),
            Kind::Call(place) => self.call_statement(place, span),
            Kind::If(branches) => self.conditional(branches, span),
            Kind::Case(value, arms) => self.case(value, arms, span),
            Kind::For(counting, body) => self.for_loop(counting, body, span),
            Kind::While(condition, body) => self.unroll(&Test::While(condition), body, span),
            Kind::Repeat(body, condition) => self.unroll(&Test::Until(condition), body, span),
            Kind::Exit | Kind::Continue => self.leave_loop(stmt.kind_is_exit(), span),
            Kind::Return => {
                let span = self.span(span);
                let flow = self.flow.take();
                let going: Vec<VarId> = self.loops.iter().filter_map(|inner| inner.going).collect();
                let (yes, no) = (self.make.exprs().bool(true), self.make.exprs().bool(false));
                for flag in going {
                    self.make.assign(flag, no, span);
                }
                let Some(frame) = self.frames.last_mut() else { return Ok(()) };
                frame.returns.push(flow);
                if let Some(flag) = frame.returned {
                    self.make.assign(flag, yes, span);
                }
                Ok(())
            }
            Kind::Assert(name, condition) => {
                let line = self.make.program.line(self.span(span));
                let name = name.as_ref().map_or_else(|| format!("assert_{line}"), |name| name.text.clone());
                let value = self.observed(condition, false)?;
                let fails = self.make.exprs().not(value.expr);
                if self.asserted.insert(name.clone(), span).is_some_and(|first| first != span) {
                    let message = format!("the assertion `{name}` is made twice");
                    return self.refuse(Diagnostic::new(span, message, "expected another name"));
                }
                let property = self.make.property(&name, PropertyKind::Assertion, span);
                self.make.do_if(fails, StmtKind::Reach(property), span);
                Ok(())
            }
        }
    }

    fn assignment(&mut self, place: &'m Place, value: &'m Expr, span: Span) -> Lowered {
        match self.target(place)? {
            Target::Constant(_) => {
                let message = format!("`{}` is a constant", place.name.text);
                self.refuse(Diagnostic::new(place.span, message, "it cannot be assigned"))
            }
            Target::Bit(located, bit) => {
                let value = self.condition(value)?;
                self.write_bit(&located, bit, value.expr, span)
            }
            Target::Located(located) => {
                if let Node::Block(_) = located.node.as_ref() {
                    let message = "blocks cannot be assigned";
                    return self.refuse(Diagnostic::new(place.span, message, "expected a variable"));
                }
                self.assign_into(&located, value, span)
            }
        }
    }

    fn leave_loop(&mut self, is_exit: bool, span: Span) -> Lowered {
        if self.loops.is_empty() {
            let word = if is_exit { "EXIT" } else { "CONTINUE" };
            return self.refuse(Diagnostic::new(span, format!("`{word}` outside of a loop"), "expected in a loop"));
        }
        let span = self.span(span);
        let flow = self.flow.take();
        let (yes, no) = (self.make.exprs().bool(true), self.make.exprs().bool(false));
        let Some(inner) = self.loops.last_mut() else { return Ok(()) };
        if is_exit {
            inner.exits.push(flow);
            if let Some(flag) = inner.going {
                self.make.assign(flag, no, span);
            }
        } else {
            inner.continues.push(flow);
            if let Some(flag) = inner.continued {
                self.make.assign(flag, yes, span);
            }
        }
        Ok(())
    }

    /// Lowers the body of a branch, behind the mark that says it was taken.
    fn branch_body(&mut self, span: Span, body: &'m [Stmt]) -> StmtId {
        let after = self.make.after;
        let (statements, ()) = self.aside(|this| {
            if this.call_site.is_none() {
                this.make.after = Some(this.make.lint(LintKind::Branch, span));
            }
            this.statements(body);
        });
        self.make.after = after;
        let body = self.make.program.add_sequence(statements);
        if !self.make.rounds.is_empty() {
            let round = self.make.rounds.join(", ");
            self.make.legend.rounds.insert(body, round);
        }
        body
    }

    fn conditional(&mut self, branches: &'m [Branch], span: Span) -> Lowered {
        let ways = self.branches(branches)?;
        self.make.block.extend(ways.statements);
        self.choose(ways.arms, span);
        Ok(())
    }

    /// A choice, or its only body if that is certain.
    fn choose(&mut self, arms: Vec<Arm>, span: Span) {
        match arms.as_slice() {
            [] => {}
            [only] if self.make.program.exprs.as_bool(only.guard) == Some(true) => self.make.block.push(only.body),
            _ => {
                let span = self.span(span);
                self.make.push(StmtKind::Choice(arms), span);
            }
        }
    }

    fn branches(&mut self, branches: &'m [Branch]) -> Lowered<Ways> {
        let Some((first, rest)) = branches.split_first() else {
            return Ok(Ways { statements: vec![], arms: vec![] });
        };
        let span = self.span(first.span);
        let (statements, guard) = self.aside(|this| match &first.condition {
            Some(condition) => this.condition(condition),
            None => Ok(this.known_value(Ty::Bool, 1)),
        });
        let before = self.flow.clone();
        if let Ok(guard) = &guard
            && guard.known() == Some(0)
        {
            self.flow = None;
        }
        let body = self.branch_body(span, &first.body);
        let after = self.flow.take();
        self.flow = before;
        if let Ok(guard) = &guard
            && guard.known() == Some(1)
        {
            self.flow = None;
        }
        let others = grow(|| self.branches(rest));
        self.flow = joined([after, self.flow.take()]);
        let (guard, others) = (guard?, others?);
        let mut arms = vec![];
        if guard.known() != Some(0) {
            arms.push(Arm { guard: guard.expr, body, span });
        }
        if guard.known() != Some(1) {
            if others.statements.is_empty() {
                arms.extend(others.arms);
            } else {
                let (body, ()) = self.aside(|this| {
                    this.make.block.extend(others.statements);
                    this.choose(others.arms, span);
                });
                let body = self.make.program.add_sequence(body);
                let guard = self.make.exprs().bool(true);
                arms.push(Arm { guard, body, span });
            }
        }
        Ok(Ways { statements, arms })
    }

    fn case(&mut self, value: &'m Expr, arms: &'m [CaseArm], span: Span) -> Lowered {
        let selector = self.value(value);
        let selector = match selector {
            Ok(selector) if selector.ty.is_none() => self.fit(selector, Ty::DINT, value.span),
            Ok(selector) if matches!(selector.ty, Some(Ty::Bool | Ty::Time)) => {
                let message = "`CASE` asks for a number or a value of an enumeration";
                self.refuse(Diagnostic::new(value.span, message, "expected an `IF`"))
            }
            other => other,
        };
        let before = self.flow.clone();
        let mut afters: Vec<Option<Flow>> = vec![];
        let mut made = vec![];
        let mut is_complete = false;
        let mut result = Ok(());
        for arm in arms {
            let guard = match (&selector, arm.labels.is_empty()) {
                (_, true) => Ok(self.known_value(Ty::Bool, 1)),
                (Ok(selector), false) => self.matches(*selector, &arm.labels),
                (Err(refused), false) => Err(*refused),
            };
            let known = guard.as_ref().ok().and_then(Value::known);
            self.flow = if known == Some(0) || is_complete { None } else { before.clone() };
            let body = self.branch_body(self.span(arm.span), &arm.body);
            afters.push(self.flow.take());
            match guard {
                Ok(guard) if known != Some(0) && !is_complete => {
                    made.push(Arm { guard: guard.expr, body, span: self.span(arm.span) });
                }
                Ok(_) => {}
                Err(refused) => result = Err(refused),
            }
            is_complete |= known == Some(1);
        }
        let rest = if is_complete { None } else { before };
        self.flow = joined(afters.into_iter().chain([rest]));
        selector?;
        result?;
        self.choose(made, span);
        Ok(())
    }

    fn matches(&mut self, selector: Value, labels: &'m [(Expr, Option<Expr>)]) -> Lowered<Value> {
        let Some(ty) = selector.ty else { return Ok(selector) };
        let mut any = self.known_value(Ty::Bool, 0);
        for (low, high) in labels {
            let from = self.constant(low, ty)?;
            let from_value = self.known_value(ty, from);
            let hit = match high {
                None => self.equal(selector, from_value),
                Some(high) => {
                    let to = self.constant(high, ty)?;
                    if from > to {
                        let span = low.span.to(high.span);
                        return self.refuse(Diagnostic::new(
                            span,
                            format!("the range {from}..{to} is empty"),
                            "no value fits here",
                        ));
                    }
                    let to = self.known_value(ty, to);
                    let (below, above) = (self.less(selector, from_value), self.less(to, selector));
                    let outside = self.truth(BinaryOp::Or, below.expr, above.expr);
                    self.not(outside)
                }
            };
            any = self.truth(BinaryOp::Or, any.expr, hit.expr);
        }
        Ok(any)
    }

    fn for_loop(&mut self, counting: &'m Counting, body: &'m [Stmt], span: Span) -> Lowered {
        let Counting { variable, from, to, by } = counting;
        let located = self.located(variable)?;
        let Node::Slot(slot) = located.node.as_ref() else {
            return self.refuse(Diagnostic::new(variable.span, "this does not count", "expected a number"));
        };
        let ty = slot.ty;
        if !matches!(ty, Ty::Int { .. }) {
            let message = format!("{} does not count", self.type_name(ty));
            return self.refuse(Diagnostic::new(variable.span, message, "expected a number"));
        }
        let first = self.value(from)?;
        let first = self.fit(first, ty, from.span)?;
        let last = self.value(to)?;
        let last = self.fit(last, ty, to.span)?;
        let step = match by {
            None => 1,
            Some(by) => {
                let value = self.value(by)?;
                match value.known() {
                    Some(0) => {
                        return self.refuse(Diagnostic::new(
                            by.span,
                            "this loop never ends",
                            "expected a step other than 0",
                        ));
                    }
                    Some(step) => step,
                    None => {
                        let message = "the step of a loop must be known";
                        return self.refuse(Diagnostic::new(by.span, message, "expected a constant"));
                    }
                }
            }
        };
        let last = self.snapshot(last, span);
        self.write(&located, first, span)?;
        self.unroll(&Test::For(located, last, step), body, span)
    }

    /// Whether a loop goes on.
    fn test(&mut self, test: &Test<'m>, span: Span) -> Lowered<Value> {
        match test {
            Test::While(condition) => self.condition(condition),
            Test::Until(condition) => {
                let done = self.condition(condition)?;
                Ok(self.not(done))
            }
            Test::For(variable, last, step) => {
                let value = self.read(variable, span)?;
                let beyond = if *step > 0 { self.less(*last, value) } else { self.less(value, *last) };
                Ok(self.not(beyond))
            }
        }
    }

    /// The step of a `FOR` between its rounds.
    fn advance(&mut self, test: &Test<'m>, span: Span) -> Lowered {
        let Test::For(variable, _, step) = test else { return Ok(()) };
        let value = self.read(variable, span)?;
        let Some(ty) = value.ty else { return Ok(()) };
        let (low, high) = self.type_bounds(ty);
        if value.high + step > high || value.low + step < low {
            let message = format!("this loop may never end: {} has no value beyond", self.type_name(ty));
            return self.refuse(Diagnostic::new(span, message, "expected a smaller last value, or a wider type"));
        }
        let amount = self.make.int(*step);
        let expr = self.make.op(BinaryOp::Add, value.expr, amount);
        let value = match value.known() {
            Some(known) => self.known_value(ty, known + step),
            None => Value::new(expr, ty, value.low + step, value.high + step),
        };
        // The variable may leave its range when the loop is over.
        let name = self.range_of(variable);
        if let Some((low, high)) = name
            && (value.low < low || value.high > high)
        {
            return self.refuse(Diagnostic::new(
                span,
                "the variable of this loop leaves its range",
                "expected a type without a range",
            ));
        }
        self.write(variable, value, span)
    }

    fn range_of(&self, located: &Located) -> Option<(i64, i64)> {
        match located.node.as_ref() {
            Node::Slot(slot) => slot.range,
            _ => None,
        }
    }

    fn unroll(&mut self, test: &Test<'m>, body: &'m [Stmt], span: Span) -> Lowered {
        let any = |is_one: &dyn Fn(&Kind) -> bool, in_loops| body.iter().any(|stmt| leaves(stmt, is_one, in_loops));
        let exits = any(&|kind| matches!(kind, Kind::Exit), false) || any(&|kind| matches!(kind, Kind::Return), true);
        let continues = any(&|kind| matches!(kind, Kind::Continue), false);
        let place = self.span(span);
        let continued = continues.then(|| self.make.temporary(Ty::Bool, place));
        self.loops.push(Loop { going: None, exits: vec![], continued, continues: vec![] });
        if self.flow.is_none() {
            // Nothing gets here: it is looked at for mistakes alone.
            let tested = self.test(test, span);
            self.statements(body);
            self.loops.pop();
            return tested.map(|_| ());
        }
        let mut going = None;
        if exits {
            going = Some(self.start_going(place));
        }
        let mut outs = vec![];
        let mut result = Ok(());
        let mut tested_before = !matches!(test, Test::Until(_));
        for round in 1.. {
            if round > MOST_ROUNDS {
                result = self.unbounded(span);
                break;
            }
            if self.make.is_too_much(place) {
                break;
            }
            let before = self.flow.clone();
            let (mut statements, condition) = self.aside(|this| match tested_before {
                true => this.test(test, span),
                false => Ok(this.known_value(Ty::Bool, 1)),
            });
            let condition = match condition {
                Ok(condition) => condition,
                Err(refused) => {
                    result = Err(refused);
                    break;
                }
            };
            match condition.known() {
                Some(0) => {
                    self.guarded(going, statements, place);
                    break;
                }
                Some(_) => {}
                None => {
                    outs.push(self.flow.clone());
                    let flag = match going {
                        Some(flag) => flag,
                        None => {
                            let flag = self.start_going(place);
                            going = Some(flag);
                            flag
                        }
                    };
                    let (assign, ()) = self.aside(|this| this.make.assign(flag, condition.expr, place));
                    statements.extend(assign);
                }
            }
            self.guarded(going, statements, place);
            tested_before = true;
            let (statements, lowered) = self.aside(|this| this.round(test, body, round, span));
            self.guarded(going, statements, place);
            if lowered.is_err() {
                result = lowered;
                break;
            }
            if self.flow.is_none() {
                break;
            }
            let is_same = match (&before, &self.flow) {
                (Some(before), Some(now)) => before.known == now.known,
                _ => false,
            };
            if is_same && round > 1 {
                if condition.known() == Some(1) && !exits {
                    let property = self.make.property("endless_loop", PropertyKind::Label, place);
                    self.make.push(StmtKind::Error(property), place);
                    self.flow = None;
                } else {
                    result = self.unbounded(span);
                }
                break;
            }
        }
        let exits = self.loops.pop().map(|inner| inner.exits).unwrap_or_default();
        outs.push(self.flow.take());
        self.flow = joined(outs.into_iter().chain(exits));
        result
    }

    fn unbounded(&mut self, span: Span) -> Lowered {
        let message = "this loop has no bound that could be found";
        let diagnostic = Diagnostic::new(span, message, "expected a loop that counts");
        self.refuse(
            diagnostic.help("count its rounds in a variable, and compare that with a constant in its condition"),
        )
    }

    fn start_going(&mut self, span: Span) -> VarId {
        let flag = self.make.temporary(Ty::Bool, span);
        let yes = self.make.exprs().bool(true);
        self.make.assign(flag, yes, span);
        if let Some(inner) = self.loops.last_mut() {
            inner.going = Some(flag);
        }
        flag
    }

    /// Statements that are executed as long as a loop goes on.
    fn guarded(&mut self, going: Option<VarId>, statements: Vec<StmtId>, span: Span) {
        if statements.is_empty() {
            return;
        }
        match going {
            None => self.make.block.extend(statements),
            Some(flag) => {
                let guard = self.make.exprs().var(flag, Type::Bool);
                let body = self.make.program.add_sequence(statements);
                self.make.push(StmtKind::Choice(vec![Arm { guard, body, span }]), span);
            }
        }
    }

    fn round(&mut self, test: &Test<'m>, body: &'m [Stmt], round: usize, span: Span) -> Lowered {
        let place = self.span(span);
        let name = match test {
            Test::For(variable, ..) => {
                let value = self.read(variable, span)?;
                let name = match variable.node.as_ref() {
                    Node::Slot(slot) => slot.name.to_string(),
                    _ => String::new(),
                };
                value.known().map_or_else(|| format!("round {round}"), |value| format!("{name} = {value}"))
            }
            _ => format!("round {round}"),
        };
        self.make.rounds.push(name);
        if let Some(flag) = self.loops.last().and_then(|inner| inner.continued) {
            let no = self.make.exprs().bool(false);
            self.make.assign(flag, no, place);
        }
        self.statements(body);
        self.make.rounds.pop();
        let continues = self.loops.last_mut().map(|inner| std::mem::take(&mut inner.continues)).unwrap_or_default();
        let ways = std::iter::once(self.flow.take()).chain(continues);
        self.flow = joined(ways);
        if self.flow.is_none() {
            return Ok(());
        }
        // A round that was left by `EXIT` does not count.
        let leaving = self.loops.last().and_then(|inner| inner.going);
        let (statements, advanced) = self.aside(|this| this.advance(test, span));
        self.guarded(leaving, statements, place);
        advanced
    }
}

impl Stmt {
    fn kind_is_exit(&self) -> bool {
        matches!(self.kind, Kind::Exit)
    }
}
