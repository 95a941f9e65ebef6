//! Judgements: `property` and `assume always`, on the state after every step and, where they are not about a step, on
//! the initial state.

use super::ast::{Expr, ExprKind, Ident, Item, ItemKind, Judgement, Property as Declared};
use super::lower::{Lowered, Lowering};
use super::mentions::Topic;
use super::scope::Moment;
use redoubt_base::suggest;
use redoubt_program::program::legend::LintKind;
use redoubt_program::program::{Program, Property, PropertyId, PropertyKind, Status, StmtKind};
use redoubt_program::text::Span;
use redoubt_reading::Diagnostic;

/// The name of a state that has no step, after `never`.
const DEADLOCK: &str = "deadlock";

impl<'m> Lowering<'m> {
    /// Assumptions about inputs and the past hold from the beginning of a step, so that no error can come before
    /// them; assumptions about the state can only be looked at when the step is over.
    pub fn assumptions(&mut self, items: &'m [Item], early: bool) {
        for item in items {
            if let ItemKind::Assume(condition) = &item.kind
                && early != self.is_about(Topic::State, condition)
            {
                let _ = self.assumption(condition, item.span);
            }
        }
    }

    fn assumption(&mut self, condition: &'m Expr, span: Span) -> Lowered {
        let (statements, lowered) = self.aside(|this| this.condition(condition));
        self.make.block.extend(statements);
        self.make.push(StmtKind::Assume(lowered?), span);
        self.make.after = Some(self.make.lint(LintKind::Assumption, span));
        self.on_initial(condition, |this, condition| this.make.push(StmtKind::Assume(condition), span))
    }

    pub fn judge(&mut self, items: &'m [Item]) {
        for item in items {
            if let ItemKind::Property(declared) = &item.kind {
                let _ = self.judge_one(declared);
            }
        }
        self.fairness(items);
    }

    /// The model's expectations about properties that have no declaration of their own: automatic ones, assertions and
    /// errors.
    pub fn expectations(&mut self, items: &'m [Item]) {
        for item in items {
            if let ItemKind::Expect(name, expected) = &item.kind {
                let _ = self.expectation(name, *expected);
            }
        }
    }

    fn expectation(&mut self, name: &Ident, expected: Status) -> Lowered {
        let text = name.text.as_str();
        if let Some(property) = self.make.program.find_property(text) {
            if self.make.program.property(property).expected.is_some() {
                let message = format!("the expectation about `{text}` is stated twice");
                return self.refuse(Diagnostic::new(name.span, message, "expected once"));
            }
            self.make.program.expect(property, expected);
            return Ok(());
        }
        if let Some(timed) = self.make.program.timed.iter().find(|timed| timed.name == text) {
            let message = format!("the expectation about `{text}` belongs to its declaration");
            let place = self.make.program.sources.place(timed.span);
            let diagnostic = Diagnostic::new(name.span, message, "expected at the end of the property");
            return self.refuse(diagnostic.help(format!("it stands at {place}")));
        }
        let is_automatic = text == "division_by_zero"
            || ["range(", "index("].iter().any(|word| {
                let about = text.strip_prefix(word).and_then(|rest| rest.strip_suffix(')'));
                about.is_some_and(|about| self.names().get(about).is_some())
            });
        match (is_automatic, expected) {
            // It can be seen at a glance.
            (true, Status::Holds) => Ok(()),
            (true, Status::Violated) => {
                let message = format!("`{text}` cannot be violated");
                self.refuse(Diagnostic::new(name.span, message, "there is nothing that could violate it"))
            }
            (false, _) => {
                let known = self.make.program.properties.iter().filter(|known| known.kind.is_question());
                let nearest = suggest::nearest(text, known.map(|known| known.name.as_str()));
                let help = nearest.map(|nearest| format!("did you mean `{nearest}`?"));
                let diagnostic =
                    Diagnostic::new(name.span, format!("there is no property `{text}`"), "unknown property");
                self.refuse(match help {
                    Some(help) => diagnostic.help(help),
                    None => diagnostic,
                })
            }
        }
    }

    fn judge_one(&mut self, declared: &'m Declared) -> Lowered {
        let name = &declared.name;
        let first = self.make.program.find_property(&name.text).map(|first| self.make.program.property(first).span);
        let timed = self.make.program.timed.iter().find(|timed| timed.name == name.text).map(|timed| timed.span);
        if let Some(first) = first.or(timed) {
            let _ = self.refuse::<()>(self.make.twice(&name.text, name.span, first));
        }
        if self.is_about_deadlocks(declared) {
            return self.judge_deadlocks(declared);
        }
        if let Some(judged) = self.judge_runs(declared) {
            return judged;
        }
        let kind = match declared.judgement {
            Judgement::Reach => PropertyKind::Goal,
            _ => PropertyKind::Invariant,
        };
        let (span, expected) = (name.span, declared.expected);
        let property = self.make.program.add_property(Property { name: name.text.clone(), kind, span, expected });
        let condition = self.condition(&declared.condition)?;
        self.judged(declared, property, condition);
        self.on_initial(&declared.condition, |this, condition| this.judged(declared, property, condition))
    }

    /// Whether a property is about states without a step, and not about something of the model's that is called so.
    fn is_about_deadlocks(&self, declared: &Declared) -> bool {
        let is_named = matches!(&declared.condition.kind, ExprKind::Name(name) if name == DEADLOCK);
        is_named && self.scope.get(DEADLOCK).is_none() && self.names().get(DEADLOCK).is_none()
    }

    /// Notes that states without a step are to be judged, which can be done when the whole step is known.
    fn judge_deadlocks(&mut self, declared: &'m Declared) -> Lowered {
        if declared.judgement != Judgement::Never {
            let span = declared.condition.span;
            let message = "a deadlock can only be excluded".to_string();
            return self.refuse(Diagnostic::new(span, message, "expected `never deadlock`"));
        }
        let (name, span, expected) = (declared.name.text.clone(), declared.name.span, declared.expected);
        let kind = PropertyKind::Invariant;
        let property = self.make.program.add_property(Property { name, kind, span, expected });
        self.make.deadlocks.push((property, span));
        Ok(())
    }

    fn judged(&mut self, declared: &'m Declared, property: PropertyId, condition: redoubt_program::expr::ExprId) {
        let reached = match declared.judgement {
            Judgement::Always => self.make.exprs().not(condition),
            _ => condition,
        };
        self.make.do_if(reached, StmtKind::Reach(property), declared.name.span);
    }

    /// Judges a condition on the initial state too, if it says something about that.
    fn on_initial(
        &mut self,
        condition: &'m Expr,
        judge: impl FnOnce(&mut Self, redoubt_program::expr::ExprId),
    ) -> Lowered {
        if self.is_about(Topic::Step, condition) {
            return Ok(());
        }
        let moment = std::mem::replace(&mut self.scope.moment, Moment::Initial);
        let (statements, result) = self.aside(|this| {
            let condition = this.condition(condition);
            condition.map(|condition| judge(this, condition))
        });
        self.scope.moment = moment;
        self.sections.opening.extend(statements);
        result
    }
}

/// Puts the properties into the order that people expect: as in the text, then the automatic ones, then those
/// that are only for warnings, then those that others are about.
pub fn order(program: &mut Program) {
    let rank = |kind: PropertyKind| match kind {
        PropertyKind::Lint => 2,
        PropertyKind::Atom => 3,
        PropertyKind::OutOfRange | PropertyKind::IndexOutOfBounds | PropertyKind::DivisionByZero => 1,
        _ => 0,
    };
    let mut order: Vec<usize> = (0..program.properties.len()).collect();
    order.sort_by_key(|&index| {
        let property = &program.properties[index];
        let automatic = if rank(property.kind) == 1 { property.name.clone() } else { String::new() };
        (rank(property.kind), automatic, property.span)
    });
    program.reorder_properties(&order);
}
