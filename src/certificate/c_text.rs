//! An invariant as a C expression over the program's variables, for tools that read such.

use super::{Certificate, Fact, Literal, NumberSet, Place, Run};
use crate::expr::Type;
use crate::program::{AtHead, Program};

/// The invariant of a certificate; `None` if it speaks of what an expression at the head of the loop cannot name: a
/// pointer's target, or a variable whose name means something else there. Of variables that have no value there, which
/// the program writes before it reads them, nothing is said.
pub fn expression(program: &Program, certificate: &Certificate) -> Option<String> {
    let mut parts = vec![];
    for fact in &certificate.facts {
        match fact {
            Fact::In(place, set) => {
                let names = names(program, *place)?;
                parts.extend(names.iter().filter_map(|name| member(name, set)));
            }
            Fact::Equal(a, b) => {
                let (a, b) = (names(program, *a)?, names(program, *b)?);
                parts.extend(a.iter().zip(&b).map(|(a, b)| format!("{a} == {b}")));
            }
        }
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
                let names = names(program, Place::Variable(*variable))?;
                sides.extend(names.iter().filter_map(|name| member(name, set)));
            }
            boxes.push(all(sides));
        }
        parts.push(any(boxes));
    }
    Some(all(parts))
}

fn literal(program: &Program, literal: &Literal) -> Option<String> {
    let (Literal::In(place, _) | Literal::Bit(place, ..)) = literal;
    let text = |name: &String| match literal {
        Literal::In(_, set) => member(name, set).unwrap_or("1".into()),
        Literal::Bit(_, bit, value) => format!("(({name} >> {bit}) & 1) == {}", i32::from(*value)),
    };
    Some(all(names(program, *place)?.iter().map(text).collect()))
}

/// How a place is written in C at the head of the loop; nothing if it has no value there.
fn names(program: &Program, place: Place) -> Option<Vec<String>> {
    let head = program.head.as_ref()?;
    let (at_head, cells) = match place {
        Place::Variable(variable) => {
            if program.variable(variable).ty == Type::Pointer {
                return None;
            }
            (&head.variables[variable.index()], None)
        }
        Place::Cell(table, index) => (&head.tables[table.index()], Some(index..index + 1)),
        Place::Cells(table) => (&head.tables[table.index()], Some(0..program.table(table).cells.len())),
    };
    match (at_head, cells) {
        (AtHead::Hidden, _) => None,
        (AtHead::Dead, _) => Some(vec![]),
        (AtHead::Called(name), None) => Some(vec![name.clone()]),
        (AtHead::Called(name), Some(cells)) => Some(cells.map(|index| format!("{name}[{index}]")).collect()),
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
