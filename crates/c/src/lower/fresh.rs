//! Allocations and declarations to what is written before anybody can read it.
//!
//! What an allocation or a declaration leaves undefined is a value that the environment chooses, one for each scalar. Most of these are
//! never seen: `n = malloc(sizeof *n); n->next = 0; n->id = id;`. Behind an allocation stand the statements that give members their
//! first values; as long as they read nothing through the new pointer, and give it to nobody, what was there before cannot matter. In the
//! same way an array has no undefined values if the first statement that mentions it is a loop that fills it.

use rustc_hash::{FxHashMap, FxHashSet};

use super::text::Text;
use crate::ast::{BinaryOperator, ExprId, ExprKind, Initializer, StmtId, StmtKind, UnaryOperator};

/// By the name that is called to allocate: the members of the new structure that get a value at once.
pub type Fresh<'s> = FxHashMap<ExprId, FxHashSet<&'s str>>;

/// Where the new pointer is kept.
#[derive(Clone, Copy)]
enum Holder<'s> {
    Name(&'s str),
    Place(ExprId),
}

/// Looks at all blocks of the text.
pub fn fresh<'s>(text: &Text<'_, 's>) -> Fresh<'s> {
    let mut found = Fresh::default();
    for stmt in text.syntax.stmts() {
        let StmtKind::Block(list) = &stmt.kind else { continue };
        for (at, &first) in list.iter().enumerate() {
            if let Some((callee, holder)) = allocation(text, first) {
                found.insert(callee, written(text, holder, &list[at + 1..]));
            }
        }
    }
    found
}

/// The allocation that a statement is, and what it gives the pointer to.
fn allocation<'s>(text: &Text<'_, 's>, stmt: StmtId) -> Option<(ExprId, Holder<'s>)> {
    let (holder, mut value) = match &text.stmt(stmt).kind {
        StmtKind::Declaration(declaration) => {
            let [(declarator, Some(Initializer::Value(value)))] = &declaration.declarators[..] else { return None };
            (Holder::Name(declarator.name?.text), *value)
        }
        StmtKind::Expression(id) => {
            let ExprKind::Assign(place, None, value) = text.expr(*id).kind else { return None };
            match text.expr(place).kind {
                ExprKind::Name(name) => (Holder::Name(name), value),
                ExprKind::Member(..) if is_plain(text, place) => (Holder::Place(place), value),
                _ => return None,
            }
        }
        _ => return None,
    };
    while let ExprKind::Cast(_, inner) = text.expr(value).kind {
        value = inner;
    }
    match text.expr(value).kind {
        ExprKind::Call(callee, _) if matches!(text.expr(callee).kind, ExprKind::Name(_)) => Some((callee, holder)),
        _ => None,
    }
}

/// A chain of members of something that has a name.
fn is_plain(text: &Text<'_, '_>, mut id: ExprId) -> bool {
    while let ExprKind::Member(base, ..) = text.expr(id).kind {
        id = base;
    }
    matches!(text.expr(id).kind, ExprKind::Name(_))
}

/// The members that the statements behind an allocation write.
fn written<'s>(text: &Text<'_, 's>, holder: Holder<'s>, list: &[StmtId]) -> FxHashSet<&'s str> {
    let mut written = FxHashSet::default();
    for &stmt in list {
        match &text.stmt(stmt).kind {
            StmtKind::Empty => {}
            // Allocation never fails here.
            StmtKind::If { branches, otherwise: None }
                if branches.iter().all(|&(condition, _)| is_null(text, holder, condition)) => {}
            StmtKind::Expression(id) => {
                let ExprKind::Assign(place, None, value) = text.expr(*id).kind else { break };
                let ExprKind::Member(base, name, true) = text.expr(place).kind else { break };
                if !is_holder(text, holder, base) || !is_apart(text, holder, value) {
                    break;
                }
                written.insert(name);
            }
            _ => break,
        }
    }
    written
}

/// Whether a condition asks for nothing but whether the new pointer is null.
fn is_null(text: &Text<'_, '_>, holder: Holder<'_>, condition: ExprId) -> bool {
    let is_zero = |mut id: ExprId| {
        while let ExprKind::Cast(_, inner) = text.expr(id).kind {
            id = inner;
        }
        matches!(text.expr(id).kind, ExprKind::Number("0"))
    };
    match text.expr(condition).kind {
        ExprKind::Unary(UnaryOperator::Not, inner) => is_holder(text, holder, inner),
        ExprKind::Binary(BinaryOperator::Equal, a, b) => {
            is_holder(text, holder, a) && is_zero(b) || is_zero(a) && is_holder(text, holder, b)
        }
        _ => false,
    }
}

fn is_holder(text: &Text<'_, '_>, holder: Holder<'_>, id: ExprId) -> bool {
    match holder {
        Holder::Name(name) => matches!(text.expr(id).kind, ExprKind::Name(other) if other == name),
        Holder::Place(place) => is_same(text, place, id),
    }
}

fn is_same(text: &Text<'_, '_>, a: ExprId, b: ExprId) -> bool {
    match (&text.expr(a).kind, &text.expr(b).kind) {
        (ExprKind::Name(a), ExprKind::Name(b)) => a == b,
        (ExprKind::Member(a, m, p), ExprKind::Member(b, n, q)) => m == n && p == q && is_same(text, *a, *b),
        _ => false,
    }
}

/// Whether a value has nothing to do with what was allocated: it calls nobody who could look there, and the pointer
/// does not occur in it. No other way leads to new memory.
fn is_apart(text: &Text<'_, '_>, holder: Holder<'_>, id: ExprId) -> bool {
    let all = |list: &[ExprId]| list.iter().all(|&inner| is_apart(text, holder, inner));
    if is_holder(text, holder, id) {
        return false;
    }
    match &text.expr(id).kind {
        ExprKind::Name(_)
        | ExprKind::Number(_)
        | ExprKind::Character(_)
        | ExprKind::SizeOfType(_)
        | ExprKind::SizeOf(_)
        | ExprKind::Text => true,
        ExprKind::Call(callee, arguments) => {
            let is_question =
                matches!(text.expr(*callee).kind, ExprKind::Name(name) if name.starts_with("__VERIFIER_nondet_"));
            is_question && arguments.is_empty()
        }
        ExprKind::Cell(a, b) | ExprKind::Binary(_, a, b) | ExprKind::And(a, b) | ExprKind::Or(a, b) => all(&[*a, *b]),
        ExprKind::Member(inner, ..) | ExprKind::Unary(_, inner) | ExprKind::Cast(_, inner) => all(&[*inner]),
        ExprKind::Conditional(a, b, c) => all(&[*a, *b, *c]),
        _ => false,
    }
}

/// Whether an array of so many elements, of this name, is filled by a loop before anything else is done with it: `list` has
/// the statements behind its declaration.
pub fn is_filled(text: &Text<'_, '_>, name: &str, length: u32, list: &[StmtId]) -> bool {
    let Some(at) = list.iter().position(|&stmt| mentions(text, stmt, name)) else { return false };
    let before = || list[..at].iter().rev();
    let (counter, body) = match &text.stmt(list[at]).kind {
        StmtKind::For { first: Some(first), condition: Some(condition), next: Some(next), body } => {
            let Some(counter) = counts_to(text, *condition, length) else { return false };
            if !starts(text, *first, counter) || !steps(text, *next, counter) {
                return false;
            }
            (counter, statements(text, *body).to_vec())
        }
        StmtKind::While(condition, body) => {
            let Some(counter) = counts_to(text, *condition, length) else { return false };
            let start = before().find(|&&stmt| mentions(text, stmt, counter) || declares(text, stmt, counter));
            let Some((last, inner)) = statements(text, *body).split_last() else { return false };
            let is_step = matches!(text.stmt(*last).kind, StmtKind::Expression(id) if steps(text, id, counter));
            if !is_step || !start.is_some_and(|&stmt| starts(text, stmt, counter)) {
                return false;
            }
            (counter, inner.to_vec())
        }
        _ => return false,
    };
    // All that the loop does is assign cells at its counter: each statement one, and the array is not read before.
    let mut is_written = false;
    for stmt in body {
        let StmtKind::Expression(id) = text.stmt(stmt).kind else { return false };
        let ExprKind::Assign(place, None, value) = text.expr(id).kind else { return false };
        let ExprKind::Cell(array, index) = text.expr(place).kind else { return false };
        let is_name = |id: ExprId, name: &str| matches!(text.expr(id).kind, ExprKind::Name(other) if other == name);
        let ExprKind::Name(array) = text.expr(array).kind else { return false };
        if !is_name(index, counter) || array == counter || !is_apart(text, Holder::Name(name), value) {
            return false;
        }
        is_written |= array == name;
    }
    is_written
}

/// The name that a condition compares with so many at least.
fn counts_to<'s>(text: &Text<'_, 's>, condition: ExprId, length: u32) -> Option<&'s str> {
    let ExprKind::Binary(BinaryOperator::Less, counter, bound) = text.expr(condition).kind else { return None };
    match (&text.expr(counter).kind, &text.expr(bound).kind) {
        (ExprKind::Name(name), ExprKind::Number(number)) if number.parse::<u32>() == Ok(length) => Some(name),
        _ => None,
    }
}

/// Whether a statement lets a counter begin with zero.
fn starts(text: &Text<'_, '_>, stmt: StmtId, counter: &str) -> bool {
    let is_zero = |id: ExprId| matches!(text.expr(id).kind, ExprKind::Number("0"));
    match &text.stmt(stmt).kind {
        StmtKind::Declaration(declaration) => match &declaration.declarators[..] {
            [(declarator, Some(Initializer::Value(value)))] => {
                declarator.name.is_some_and(|name| name.text == counter) && is_zero(*value)
            }
            _ => false,
        },
        StmtKind::Expression(id) => match text.expr(*id).kind {
            ExprKind::Assign(place, None, value) => {
                matches!(text.expr(place).kind, ExprKind::Name(name) if name == counter) && is_zero(value)
            }
            _ => false,
        },
        _ => false,
    }
}

/// Whether an expression adds one to a counter, and does nothing else.
fn steps(text: &Text<'_, '_>, id: ExprId, counter: &str) -> bool {
    let is_counter = |id: ExprId| matches!(text.expr(id).kind, ExprKind::Name(name) if name == counter);
    let is_one = |id: ExprId| matches!(text.expr(id).kind, ExprKind::Number("1"));
    match text.expr(id).kind {
        ExprKind::Step(place, BinaryOperator::Add, _) => is_counter(place),
        ExprKind::Assign(place, Some(BinaryOperator::Add), by) => is_counter(place) && is_one(by),
        ExprKind::Assign(place, None, value) => match text.expr(value).kind {
            ExprKind::Binary(BinaryOperator::Add, a, b) => is_counter(place) && is_counter(a) && is_one(b),
            _ => false,
        },
        _ => false,
    }
}

fn statements<'t>(text: &'t Text<'_, '_>, body: StmtId) -> &'t [StmtId] {
    match &text.stmt(body).kind {
        StmtKind::Block(list) => list,
        _ => &[],
    }
}

fn declares(text: &Text<'_, '_>, stmt: StmtId, name: &str) -> bool {
    match &text.stmt(stmt).kind {
        StmtKind::Declaration(declaration) => {
            declaration.declarators.iter().any(|(declarator, _)| declarator.name.is_some_and(|own| own.text == name))
        }
        _ => false,
    }
}

/// Whether a name stands anywhere in a statement.
fn mentions(text: &Text<'_, '_>, stmt: StmtId, name: &str) -> bool {
    text.mentions(text.stmt(stmt).span, name)
}
