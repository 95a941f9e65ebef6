//! An invariant as a C expression over the program's variables, for tools that read such.

use redoubt_program::expr::Type;
use redoubt_program::program::{Place, Program};

use super::{Certificate, Fact, Literal, NumberSet, Run};

/// The invariant of a certificate; `None` if it speaks of what an expression at the head of the loop cannot name: a
/// pointer's target, or a local variable.
pub fn expression(program: &Program, certificate: &Certificate) -> Option<String> {
    let mut parts = vec![];
    for fact in &certificate.facts {
        match fact {
            Fact::In(place, set) => {
                let name = name(program, *place)?;
                parts.extend(member(&name, set));
            }
            Fact::Cells(table, set) => {
                let table = program.table(*table);
                parts.extend(
                    (0..table.cells.len()).filter_map(|index| member(&format!("{}[{index}]", table.name), set)),
                );
            }
            Fact::Equal(a, b) => parts.push(format!("{} == {}", name(program, *a)?, name(program, *b)?)),
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
                let name = name(program, Place::Variable(*variable))?;
                sides.extend(member(&name, set));
            }
            boxes.push(all(sides));
        }
        parts.push(any(boxes));
    }
    Some(all(parts))
}

fn literal(program: &Program, literal: &Literal) -> Option<String> {
    Some(match literal {
        Literal::In(place, set) => member(&name(program, *place)?, set).unwrap_or("1".into()),
        Literal::Bit(place, bit, value) => {
            format!("(({} >> {bit}) & 1) == {}", name(program, *place)?, i32::from(*value))
        }
    })
}

/// How a place is written in C.
fn name(program: &Program, place: Place) -> Option<String> {
    match place {
        Place::Variable(variable) => {
            let variable = program.variable(variable);
            // The head of the loop is in `main`, where its own variables have their plain names.
            let name = variable.name.strip_prefix("main.").unwrap_or(&variable.name);
            let is_name = name.chars().all(|c| c.is_ascii_alphanumeric() || c == '_');
            (variable.ty != Type::Pointer && is_name).then(|| name.to_string())
        }
        Place::Cell(table, index) => Some(format!("{}[{index}]", program.table(table).name)),
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
