//! The topics of an expression: these decide whether it is judged on the initial state, and when an assumption is
//! looked at.

use super::ast::{Expr, ExprKind, Ident};
use super::lower::Lowering;
use super::names::{ArrayKind, Entity};
use redoubt_base::stack::grow;

/// A question about an expression.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Topic {
    /// Names an input or looks back, so that it says nothing about the initial state.
    Step,
    /// Reads a variable as it is now, rather than before the step.
    State,
}

impl<'m> Lowering<'m> {
    /// Whether an expression has to do with something.
    pub fn is_about(&mut self, topic: Topic, expr: &Expr) -> bool {
        self.has(topic, expr, &mut vec![])
    }

    /// Variables that are `bound` inside the expression hide the names of the model.
    fn has(&mut self, topic: Topic, expr: &Expr, bound: &mut Vec<String>) -> bool {
        let found = match &expr.kind {
            // An expression under `prev` is not read now.
            ExprKind::Previous(_) => return topic == Topic::Step,
            ExprKind::Name(name) | ExprKind::Cell(Ident { text: name, .. }, _) => {
                !bound.contains(name) && self.names_topic(topic, name)
            }
            ExprKind::Call(Ident { text: name, .. }, _) => self.names_topic(topic, name),
            ExprKind::Unary(operator, _) if matches!(operator.as_str(), "once" | "historically") => {
                topic == Topic::Step
            }
            ExprKind::Binary(_, operator, _) if operator == "since" => topic == Topic::Step,
            _ => false,
        };
        if found {
            return true;
        }
        let hides = bound.len();
        if let ExprKind::Quantified { name, .. } = &expr.kind {
            bound.push(name.text.clone());
        }
        let found = grow(|| operands(expr).into_iter().any(|operand| self.has(topic, operand, bound)));
        bound.truncate(hides);
        found
    }

    fn names_topic(&mut self, topic: Topic, name: &str) -> bool {
        match (topic, self.names().get(name)) {
            (_, Some(Entity::Define(define))) => {
                let key = (name.to_string(), topic);
                if let Some(&known) = self.definitions.topics.get(&key) {
                    return known;
                }
                let mut parameters = define.parameters.iter().map(|parameter| parameter.name.text.clone()).collect();
                let found = self.has(topic, &define.body, &mut parameters);
                self.definitions.topics.insert(key, found);
                found
            }
            (Topic::Step, Some(Entity::Input(..) | Entity::Array { kind: ArrayKind::Input, .. })) => true,
            (Topic::State, Some(Entity::Variable(..) | Entity::Array { kind: ArrayKind::Variable, .. })) => true,
            _ => false,
        }
    }
}

/// The expressions directly inside one.
pub fn operands(expr: &Expr) -> Vec<&Expr> {
    match &expr.kind {
        ExprKind::Truth(_) | ExprKind::Number(_) | ExprKind::Name(_) | ExprKind::Broken => vec![],
        ExprKind::At(_) | ExprKind::CallAt(..) => unreachable!("elaborated away"),
        ExprKind::Previous(inner) | ExprKind::Unary(_, inner) => vec![inner],
        ExprKind::Binary(a, _, b) => vec![a, b],
        ExprKind::Within(a, b, c) | ExprKind::If(a, b, c) => vec![a, b, c],
        ExprKind::Cell(_, list) | ExprKind::Call(_, list) | ExprKind::List(list) => list.iter().collect(),
        ExprKind::Select(_, index, list) => list.iter().chain([&**index]).collect(),
        // Its bounds are constants.
        ExprKind::Quantified { body, .. } => vec![body],
    }
}
