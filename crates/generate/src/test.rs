//! Single tests, each in one of the many ways to write it down.

use super::Kind;
use super::code::{Code, Counter, Domain, Table};
use super::dice::Dice;
use super::guard::Guard;

/// A test that a variable has this value.
pub fn is(code: &Code, variable: usize, value: usize, dice: &mut Dice) -> Guard {
    let mut accepted = vec![false; code.variables[variable].domain.len()];
    accepted[value] = true;
    among(code, variable, accepted, dice)
}

/// A test that a variable has one of the accepted values.
pub fn among(code: &Code, variable: usize, accepted: Vec<bool>, dice: &mut Dice) -> Guard {
    let text = text(code, variable, &accepted, dice);
    Guard::Value { variable, accepted, text }
}

fn text(code: &Code, variable: usize, accepted: &[bool], dice: &mut Dice) -> String {
    let chosen: Vec<usize> = (0..accepted.len()).filter(|&value| accepted[value]).collect();
    let others: Vec<usize> = (0..accepted.len()).filter(|&value| !accepted[value]).collect();
    let name = &code.variables[variable].name;
    match (&code.variables[variable].domain, chosen.as_slice(), others.as_slice()) {
        (Domain::Numbers { numbers, .. }, [1], [0]) if *numbers == [0, 1] => format!("{name} == 1"),
        (Domain::Numbers { numbers, .. }, [0], [1]) if *numbers == [0, 1] => {
            dice.one_of(&["NAME != 1", "!(NAME == 1)"]).replace("NAME", name)
        }
        (Domain::Regions { cuts }, ..) => either(&regions(name, cuts, accepted)),
        (_, [value], _) => one(code, variable, *value, dice),
        (Domain::Numbers { numbers, .. }, _, [value]) => dice
            .one_of(&["NAME != VALUE", "!(NAME == VALUE)"])
            .replace("NAME", name)
            .replace("VALUE", &numbers[*value].to_string()),
        (Domain::Tables(tables), _, [value]) => format!("{name} != {}", code.tables[tables[*value]].name),
        _ => either(&chosen.iter().map(|&value| one(code, variable, value, dice)).collect::<Vec<_>>()),
    }
}

fn either(texts: &[String]) -> String {
    match texts {
        [] => "0".into(),
        [only] => only.clone(),
        [first, rest @ ..] => rest.iter().fold(format!("({first})"), |left, right| format!("({left} || ({right}))")),
    }
}

/// The variable has one value of a few numbers or tables.
fn one(code: &Code, variable: usize, value: usize, dice: &mut Dice) -> String {
    let name = &code.variables[variable].name;
    match &code.variables[variable].domain {
        Domain::Numbers { numbers, home } => {
            let number = numbers[value];
            match (code.kind, home) {
                (Kind::Data, Some(home)) if dice.chance(60) => in_table(name, number, &code.tables[*home], dice),
                (Kind::Arithmetic, _) if dice.chance(15) => {
                    // The variable is one of a few small numbers, so nothing overflows.
                    let (factor, offset) = (dice.between(2, 9) as i32, dice.between(-30, 30) as i32);
                    format!("(({name} * {factor}) + {offset}) == {}", number * factor + offset)
                }
                (Kind::Arithmetic, _) if value == 0 && dice.chance(20) => format!("{name} <= {number}"),
                (Kind::Arithmetic, _) if value + 1 == numbers.len() && dice.chance(20) => format!("{name} >= {number}"),
                _ => format!("{name} == {number}"),
            }
        }
        Domain::Tables(tables) => {
            let table = &code.tables[tables[value]];
            match dice.below(3) {
                0 => {
                    let index = dice.below(table.length.min(6));
                    format!("{name}[{index}] == {}", table.first + index as i32)
                }
                _ => format!("{name} == {}", table.name),
            }
        }
        Domain::Regions { .. } => unreachable!("regions are written by their bounds"),
    }
}

/// A number that is a cell of a table, with an index that lies in the table for each value of the variable.
fn in_table(name: &str, number: i32, table: &Table, dice: &mut Dice) -> String {
    let (cell, cells) = (number - table.first, &table.name);
    match dice.below(4) {
        0 => format!("{cells}[({name} - {})] == {number}", table.first),
        1 => format!("{name} == {cells}[({} - {})]", cell + 7, 7),
        _ => format!("{name} == {cells}[{cell}]"),
    }
}

/// The runs of accepted regions, each by its bounds, as the challenge writes them.
fn regions(name: &str, cuts: &[i32], accepted: &[bool]) -> Vec<String> {
    let mut texts = vec![];
    let mut value = 0;
    while value < accepted.len() {
        if !accepted[value] {
            value += 1;
            continue;
        }
        let first = value;
        while value < accepted.len() && accepted[value] {
            value += 1;
        }
        let (below, top) = (first.checked_sub(1).map(|index| cuts[index]), cuts.get(value - 1));
        texts.push(match (below, top) {
            (None, None) => "1".into(),
            (None, Some(top)) => format!("{name} <= {top}"),
            (Some(below), None) => format!("{below} < {name}"),
            (Some(below), Some(top)) => format!("({below} < {name}) && ({top} >= {name})"),
        });
    }
    texts
}

/// The gate's counter has reached the bound, or not.
pub fn reached(counter: &Counter, bound: usize, wanted: bool) -> Guard {
    let limit = counter.start + counter.stride * bound as i32;
    let comparison = match (counter.stride > 0, wanted) {
        (true, true) => ">=",
        (true, false) => "<",
        (false, true) => "<=",
        (false, false) => ">",
    };
    Guard::Reached { wanted, text: format!("{} {comparison} {limit}", counter.name) }
}

/// Something that is false of a counter in every run: it is behind its start, or between two strides.
pub fn never_of(counter: &Counter, dice: &mut Dice) -> Guard {
    let Counter { name, start, stride } = counter;
    let text = if stride.abs() > 1 && dice.chance(40) {
        format!("{name} == {}", start + stride * dice.between(1, 40) as i32 + stride.signum())
    } else if *stride > 0 {
        format!("{name} < {start}")
    } else {
        format!("{name} > {start}")
    };
    Guard::Fixed { truth: false, text }
}

/// Statements that are true of every 32-bit integer `n` when arithmetic wraps.
pub const THEOREMS: &[&str] = &[
    "(n % 5) < 5",
    "-8 < (n % 8)",
    "(n / 3) < 715827883",
    "((n % 7) * (n % 7)) <= 36",
    "((n / 10) + 20) > (n / 10)",
    "((n % 100) - 100) < 0",
];

/// One of the theorems about a variable whose value may be anything, or its negation.
pub fn theorem(name: &str, truth: bool, dice: &mut Dice) -> Guard {
    let text = dice.one_of(THEOREMS).replace('n', name);
    Guard::Fixed { truth, text: if truth { text } else { format!("!({text})") } }
}
