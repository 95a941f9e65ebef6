//! Certificates of formulas as text: the boxes, then a ranking for each formula.
//!
//! ```text
//! redoubt certificate 1
//! program Problem1.c
//!
//! invariant
//! box a12 in {0..2}, a5 in {7}
//! box a12 in {3}
//! end
//! classes 0 1
//!
//! formula ltl_3
//! until 1 4
//! owes {5} 0=1 1=0
//! owes {2 4} 1=1
//! end
//! ```
//!
//! The certificate of a model lists its states, with the values of some places, instead of boxes and classes; each
//! state is a class. There, `recurs 1 0` may stand beside or instead of an until.
//!
//! ```text
//! place mode
//! place queue[0]
//! state 0 7
//! state 1 7
//! ```
//!
//! Line `until 1 4`: rank 1 names the until that is part 4. Line `owes {5} 0=1 1=0`: where part 5 is owed, class 0 has rank 1
//! and class 1 has rank 0. Line `recurs 1 0`: rank 1 names the first recurrence that fairness asks for.

use std::fmt::Write;

use redoubt_program::program::Program;

use super::obligations::Owed;
use super::states::States;
use super::{Machine, Ranking, Ranks};
use crate::text::{self, ReadError};

/// Writes why formulas hold on one machine.
pub fn write<'c>(
    program: &Program,
    machine: &Machine,
    formulas: impl IntoIterator<Item = (&'c str, &'c Ranking)>,
) -> String {
    let mut text = text::write(program, [&machine.invariant]);
    // Writing to a string does not fail.
    let classes: Vec<String> = machine.classes.iter().map(u32::to_string).collect();
    let _ = writeln!(text, "classes {}", classes.join(" "));
    write_rankings(formulas, &mut text);
    text
}

/// Writes why properties of a model hold whose states these are.
pub fn write_states<'c>(
    program: &Program,
    states: &States,
    properties: impl IntoIterator<Item = (&'c str, &'c Ranking)>,
) -> String {
    let mut text = text::heading(program);
    text.push('\n');
    for &place in &states.places {
        let _ = writeln!(text, "place {}", text::place_name(program, place));
    }
    for state in 0..states.number {
        let values: Vec<String> = states.row(state).iter().map(i32::to_string).collect();
        let _ = writeln!(text, "state {}", values.join(" "));
    }
    write_rankings(properties, &mut text);
    text
}

fn write_rankings<'c>(formulas: impl IntoIterator<Item = (&'c str, &'c Ranking)>, text: &mut String) {
    for (name, ranking) in formulas {
        // Writing to a string does not fail.
        let _ = writeln!(text, "\nformula {name}");
        for (rank, part) in &ranking.untils {
            let _ = writeln!(text, "until {rank} {part}");
        }
        for (rank, number) in &ranking.recurrences {
            let _ = writeln!(text, "recurs {rank} {number}");
        }
        for (owed, ranks) in &ranking.ranks {
            let ranks: Vec<String> = ranks.iter().map(|(class, rank)| format!("{class}={rank}")).collect();
            let _ = writeln!(text, "owes {} {}", set(owed), ranks.join(" "));
        }
        text.push_str("end\n");
    }
}

/// The numbers of parts.
pub(super) fn set(owed: &[u32]) -> String {
    let numbers: Vec<String> = owed.iter().map(u32::to_string).collect();
    format!("{{{}}}", numbers.join(" "))
}

/// Whether a text is about formulas.
pub fn is_one(text: &str) -> bool {
    text.lines().any(|line| line.starts_with("classes "))
}

/// Whether a text lists the states of a model.
pub fn lists_states(text: &str) -> bool {
    text.lines().any(|line| line.starts_with("state ") || line == "state")
}

/// Rankings by the names of formulas.
pub type Rankings = Vec<(String, Ranking)>;

/// Reads a machine, and the rankings of formulas.
pub fn read(program: &Program, text: &str) -> Result<(Machine, Rankings), ReadError> {
    let lines: Vec<&str> = text.lines().map(str::trim).collect();
    let place = lines.iter().position(|line| line.starts_with("classes ")).unwrap_or(lines.len());
    let mut invariants = text::read(program, &lines[..place].join("\n"))?;
    let (Some(invariant), true) = (invariants.pop(), invariants.is_empty()) else {
        return fail(place, "expected one invariant before the classes");
    };
    let Some(classes) = lines.get(place).and_then(|line| numbers(line.strip_prefix("classes ")?)) else {
        return fail(place, "expected classes with their numbers");
    };
    Ok((Machine { invariant, classes }, rankings(&lines, place + 1)?))
}

/// Reads the states of a model, and the rankings of its properties.
pub fn read_states(program: &Program, text: &str) -> Result<(States, Rankings), ReadError> {
    let lines: Vec<&str> = text.lines().map(str::trim).collect();
    let end = lines.iter().position(|line| line.starts_with("formula ")).unwrap_or(lines.len());
    let reader = text::Reader::new(program);
    let mut states = States::default();
    for (index, line) in lines[..end].iter().enumerate() {
        let wrong = |reason: String| ReadError { line: index + 1, reason };
        let (word, rest) = line.split_once(' ').unwrap_or((line, ""));
        match word {
            "place" if states.number == 0 => states.places.push(reader.place(rest).map_err(wrong)?),
            "state" => {
                let row: Option<Vec<i32>> = rest.split_whitespace().map(|number| number.parse().ok()).collect();
                let row = row.filter(|row| row.len() == states.places.len());
                states.rows.extend(row.ok_or_else(|| wrong("expected a number for each place".into()))?);
                states.number += 1;
            }
            "" | "redoubt" | "program" | "constant" => {}
            _ => return Err(wrong("expected place, state or formula".into())),
        }
    }
    Ok((states, rankings(&lines, end)?))
}

fn fail<T>(line: usize, reason: &str) -> Result<T, ReadError> {
    Err(ReadError { line: line + 1, reason: reason.into() })
}

/// The rankings in all lines from one on.
fn rankings(lines: &[&str], from: usize) -> Result<Rankings, ReadError> {
    let mut formulas = Rankings::new();
    let mut is_open = false;
    for (index, line) in lines.iter().enumerate().skip(from) {
        let (word, rest) = line.split_once(' ').unwrap_or((line, ""));
        let ranking = formulas.last_mut().filter(|_| is_open).map(|(_, ranking)| ranking);
        let done = match (word, ranking) {
            ("", _) => Some(()),
            ("formula", None) if !rest.is_empty() => {
                is_open = true;
                formulas.push((rest.into(), Ranking::default()));
                Some(())
            }
            ("end", Some(_)) => {
                is_open = false;
                Some(())
            }
            ("until", Some(ranking)) => pair(rest).map(|named| ranking.untils.push(named)),
            ("recurs", Some(ranking)) => pair(rest).map(|named| ranking.recurrences.push(named)),
            ("owes", Some(ranking)) => owes(rest).map(|line| ranking.ranks.push(line)),
            _ => None,
        };
        if done.is_none() {
            return fail(index, "expected formula, until, recurs, owes or end, each with its numbers");
        }
    }
    if is_open { fail(lines.len().saturating_sub(1), "expected `end`") } else { Ok(formulas) }
}

/// `1 4`
fn pair(text: &str) -> Option<(u32, u32)> {
    match numbers(text).as_deref() {
        Some(&[rank, named]) => Some((rank, named)),
        _ => None,
    }
}

/// `{2 4} 0=1 1=0`
fn owes(text: &str) -> Option<(Owed, Ranks)> {
    let (owed, ranks) = text.strip_prefix('{')?.split_once('}')?;
    let pair =
        |text: &str| text.split_once('=').and_then(|(class, rank)| Some((class.parse().ok()?, rank.parse().ok()?)));
    Some((numbers(owed)?.into(), ranks.split_whitespace().map(pair).collect::<Option<_>>()?))
}

fn numbers(text: &str) -> Option<Vec<u32>> {
    text.split_whitespace().map(|number| number.parse().ok()).collect()
}
