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
//! Line `until 1 4`: rank 1 names the until that is part 4. Line `owes {5} 0=1 1=0`: where part 5 is owed, class 0 has rank 1
//! and class 1 has rank 0.

use std::fmt::Write;

use redoubt_program::program::Program;

use super::obligations::Owed;
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
    for (name, ranking) in formulas {
        let _ = writeln!(text, "\nformula {name}");
        for (rank, part) in &ranking.untils {
            let _ = writeln!(text, "until {rank} {part}");
        }
        for (owed, ranks) in &ranking.ranks {
            let ranks: Vec<String> = ranks.iter().map(|(class, rank)| format!("{class}={rank}")).collect();
            let _ = writeln!(text, "owes {} {}", set(owed), ranks.join(" "));
        }
        text.push_str("end\n");
    }
    text
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

/// Reads a machine, and the rankings of formulas by their names.
pub fn read(program: &Program, text: &str) -> Result<(Machine, Vec<(String, Ranking)>), ReadError> {
    let lines: Vec<&str> = text.lines().map(str::trim).collect();
    let place = lines.iter().position(|line| line.starts_with("classes ")).unwrap_or(lines.len());
    let mut invariants = text::read(program, &lines[..place].join("\n"))?;
    let fail = |line: usize, reason: &str| Err(ReadError { line: line + 1, reason: reason.into() });
    let (Some(invariant), true) = (invariants.pop(), invariants.is_empty()) else {
        return fail(place, "expected one invariant before the classes");
    };
    let mut machine = Machine { invariant, classes: vec![] };
    let mut formulas: Vec<(String, Ranking)> = vec![];
    let mut is_open = false;
    for (index, line) in lines.iter().enumerate().skip(place) {
        let (word, rest) = line.split_once(' ').unwrap_or((line, ""));
        let ranking = formulas.last_mut().filter(|_| is_open).map(|(_, ranking)| ranking);
        let done = match (word, ranking) {
            ("", _) => Some(()),
            ("classes", None) if machine.classes.is_empty() => numbers(rest).map(|classes| machine.classes = classes),
            ("formula", None) if !rest.is_empty() => {
                is_open = true;
                formulas.push((rest.into(), Ranking::default()));
                Some(())
            }
            ("end", Some(_)) => {
                is_open = false;
                Some(())
            }
            ("until", Some(ranking)) => match numbers(rest).as_deref() {
                Some(&[rank, part]) => {
                    ranking.untils.push((rank, part));
                    Some(())
                }
                _ => None,
            },
            ("owes", Some(ranking)) => owes(rest).map(|line| ranking.ranks.push(line)),
            _ => None,
        };
        if done.is_none() {
            return fail(index, "expected classes, formula, until, owes or end, each with its numbers");
        }
    }
    if is_open { fail(lines.len().saturating_sub(1), "expected `end`") } else { Ok((machine, formulas)) }
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
