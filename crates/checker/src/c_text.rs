//! An invariant as a C expression over the program's variables, for tools that read such.

use redoubt_program::expr::Type;
use redoubt_program::program::{AtHead, Place, Program};

use super::{Certificate, Fact, Literal, NumberSet, Run};

/// The invariant of a certificate; `None` if it speaks of what an expression at the head of the loop cannot name: a
/// pointer's target, a variable whose name means something else there, or the past. Of variables that have no value there, which
/// the program writes before it reads them, nothing is said.
pub fn expression(program: &Program, certificate: &Certificate) -> Option<String> {
    if certificate.history > 0 {
        return None;
    }
    let mut parts = vec![];
    for fact in &certificate.facts {
        parts.extend(self::fact(program, fact)?);
    }
    for clause in &certificate.clauses {
        let literals: Option<Vec<String>> = clause.iter().map(|literal| self::literal(program, literal)).collect();
        parts.push(any(literals?));
    }
    if !certificate.boxes.is_empty() {
        let mut boxes = vec![];
        for state_box in &certificate.boxes {
            let mut sides = vec![];
            for (variable, set) in &state_box.sides {
                sides.extend(name(program, Place::Variable(*variable))?.and_then(|name| member(&name, set)));
            }
            boxes.push(all(sides));
        }
        parts.push(any(boxes));
    }
    Some(all(parts))
}

fn fact(program: &Program, fact: &Fact) -> Option<Vec<String>> {
    Some(match fact {
        Fact::In(place, set) => name(program, *place)?.and_then(|name| member(&name, set)).into_iter().collect(),
        Fact::Cells(table, set) => {
            let mut parts = vec![];
            for cell in 0..program.table(*table).cells.len() {
                parts.extend(name(program, Place::Cell(*table, cell))?.and_then(|name| member(&name, set)));
            }
            parts
        }
        Fact::Equal(a, b) => match (name(program, *a)?, name(program, *b)?) {
            (Some(a), Some(b)) => vec![format!("{a} == {b}")],
            _ => vec![],
        },
    })
}

/// A literal. One about a place without a value might be true, so the clause says nothing.
fn literal(program: &Program, literal: &Literal) -> Option<String> {
    let (Literal::In(place, _) | Literal::Bit(place, ..)) = literal else { return None };
    let text = name(program, *place)?.and_then(|name| match literal {
        Literal::In(_, set) => member(&name, set),
        Literal::Bit(_, bit, value) => Some(format!("(({name} >> {bit}) & 1) == {}", i32::from(*value))),
        Literal::Compare(..) => None,
    });
    Some(text.unwrap_or("1".into()))
}

/// How a place is written in C at the head of the loop: `Some(None)` if it has no value there, `None` if it has one that
/// cannot be named.
fn name(program: &Program, place: Place) -> Option<Option<String>> {
    let head = program.head.as_ref()?;
    let (at_head, cell) = match place {
        Place::Variable(variable) if program.variable(variable).ty == Type::Pointer => return None,
        Place::Variable(variable) => (&head.variables[variable.index()], String::new()),
        Place::Cell(table, index) => (&head.tables[table.index()], format!("[{index}]")),
    };
    match at_head {
        AtHead::Called(name) => Some(Some(format!("{name}{cell}"))),
        AtHead::Hidden => None,
        AtHead::Dead => Some(None),
    }
}

/// The condition that a name is in a set; nothing if it always is.
fn member(name: &str, set: &NumberSet) -> Option<String> {
    let run = |run: &Run| {
        let (low, high) = (constant(run.low), constant(run.high));
        let mut parts = vec![];
        if run.low == run.high {
            return format!("{name} == {low}");
        }
        if run.low > i32::MIN {
            parts.push(format!("{low} <= {name}"));
        }
        if run.high < i32::MAX {
            parts.push(format!("{name} <= {high}"));
        }
        if run.step > 1 {
            parts.push(format!("((long long) {name} - {low}) % {} == 0", run.step));
        }
        all(parts)
    };
    let always = matches!(set.runs(), [Run { low: i32::MIN, high: i32::MAX, step: 1 }]);
    (!always).then(|| any(set.runs().iter().map(run).collect()))
}

/// The lowest number has no literal of its type.
fn constant(number: i32) -> String {
    if number == i32::MIN { format!("({} - 1)", i32::MIN + 1) } else { number.to_string() }
}

fn any(parts: Vec<String>) -> String {
    join(parts, " || ", "0")
}

fn all(parts: Vec<String>) -> String {
    join(parts, " && ", "1")
}

fn join(mut parts: Vec<String>, operator: &str, none: &str) -> String {
    match parts.len() {
        0 => none.into(),
        1 => parts.swap_remove(0),
        _ => format!("({})", parts.join(operator)),
    }
}
