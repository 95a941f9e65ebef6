//! What an expression talks about: this decides whether it is judged on the initial state, and when an assumption is
//! looked at.

use super::ast::{Expr, ExprKind, Ident};
use super::lower::{ArrayKind, Entity, Lowering};

impl<'m> Lowering<'m> {
    /// Whether an expression names an input or looks back, so that it says nothing about the initial state.
    pub fn is_about_a_step(&self, expr: &Expr) -> bool {
        self.has(expr, &mut vec![], &|seen| match seen {
            Seen::Previous | Seen::Past => true,
            Seen::Name(Entity::Input(..) | Entity::Array { kind: ArrayKind::Input, .. }) => true,
            Seen::Name(_) => false,
        })
    }

    /// Whether an expression reads a variable as it is now, rather than before the step.
    pub fn reads_state(&self, expr: &Expr) -> bool {
        self.has(expr, &mut vec![], &|seen| match seen {
            Seen::Name(Entity::Variable(..) | Entity::Array { kind: ArrayKind::Variable, .. }) => true,
            Seen::Name(_) | Seen::Previous | Seen::Past => false,
        })
    }

    /// Whether something in an expression passes a test; what stands under `prev` is not looked at. Variables
    /// that are `bound` inside it hide the names of the model.
    fn has(&self, expr: &Expr, bound: &mut Vec<String>, test: &dyn Fn(Seen<'m>) -> bool) -> bool {
        let is_bound = |name: &str, bound: &[String]| bound.iter().any(|other| other == name);
        let entity = |name: &str| self.names.get(name).map(|(entity, _)| *entity);
        let looks_back = match &expr.kind {
            ExprKind::Previous(_) => return test(Seen::Previous),
            ExprKind::Name(name) | ExprKind::Cell(Ident { text: name, .. }, _) if !is_bound(name, bound) => {
                let found = match entity(name) {
                    Some(Entity::Define(body)) => self.has(body, &mut vec![], test),
                    other => other.is_some_and(|entity| test(Seen::Name(entity))),
                };
                if found {
                    return true;
                }
                false
            }
            ExprKind::Unary(operator, _) => matches!(operator.as_str(), "once" | "historically"),
            ExprKind::Binary(_, operator, _) => operator == "since",
            _ => false,
        };
        if looks_back && test(Seen::Past) {
            return true;
        }
        let hides = bound.len();
        if let ExprKind::Quantified { name, .. } = &expr.kind {
            bound.push(name.text.clone());
        }
        let found = operands(expr).into_iter().any(|operand| self.has(operand, bound, test));
        bound.truncate(hides);
        found
    }
}

/// What may be seen in an expression.
enum Seen<'m> {
    Name(Entity<'m>),
    Previous,
    /// Another operator that looks back.
    Past,
}

/// The expressions directly inside one.
fn operands(expr: &Expr) -> Vec<&Expr> {
    match &expr.kind {
        ExprKind::Truth(_) | ExprKind::Number(_) | ExprKind::Name(_) => vec![],
        ExprKind::Cell(_, inner) | ExprKind::Previous(inner) | ExprKind::Unary(_, inner) => vec![inner],
        ExprKind::Binary(a, _, b) => vec![a, b],
        ExprKind::Within(a, b, c) | ExprKind::If(a, b, c) => vec![a, b, c],
        ExprKind::Quantified { low, high, body, .. } => vec![low, high, body],
    }
}
