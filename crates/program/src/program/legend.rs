//! The meaning of a program's parts to its author, where the source language has more to say than numbers: names of
//! values, the inputs that stand for a choice of the model's own, and places that a good model visits.
//!
//! Nothing here changes the behaviour of a program. Traces, the simulator and the warnings read it.

use std::collections::BTreeMap;

use super::{PropertyId, StmtId};
use crate::expr::{InputId, TableId, VarId};
use crate::text::Span;

#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Legend {
    /// The names of the values of each enumeration.
    pub enumerations: Vec<Vec<String>>,
    /// Per variable: how its values are written; `None` if it is no variable of the author's.
    pub variables: Vec<Option<Meaning>>,
    /// Per table, in the same way.
    pub tables: Vec<Option<Meaning>>,
    /// Per table: how the indices of each dimension are written, and how many there are.
    pub dimensions: Vec<Vec<(Meaning, usize)>>,
    /// Per input.
    pub inputs: Vec<Role>,
    /// False until the first step is over, if that step does nothing but choose the initial state.
    pub started: Option<VarId>,
    pub lints: Vec<Lint>,
    /// By the body of a branch in a loop: the round of the loop that it belongs to, such as `i = 2`.
    pub rounds: BTreeMap<StmtId, String>,
    /// How many milliseconds a step takes, if it is a cycle of a PLC. Values are written as such programs write them then.
    pub cycle: Option<u32>,
    /// The constants that may be given other values.
    pub constants: Vec<String>,
    /// The names of modules that have no instance, so that nothing of them is part of the program.
    pub unused: Vec<Span>,
}

/// The notation of a value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Meaning {
    Number,
    Truth,
    /// A time in milliseconds: `T#1s500ms`.
    Time,
    /// By its name in an enumeration.
    Name(usize),
}

/// The role of an input.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Role {
    /// An input of the controller.
    Input(Meaning),
    /// Which of the enabled alternatives of a `choose` is taken; the places of all of them.
    Choice(Vec<Span>),
    /// A value that the model leaves open.
    Value(Meaning),
    /// A value that the model leaves open at the start.
    Start(Meaning),
}

/// A place that some run ought to visit.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Lint {
    pub property: PropertyId,
    pub kind: LintKind,
    pub span: Span,
    /// The place that is visited before this one; if that one never is, this one says nothing new.
    pub after: Option<PropertyId>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LintKind {
    /// An alternative, a branch or a case that is never taken.
    Branch,
    /// An assumption that no step passes.
    Assumption,
}

impl Legend {
    /// A value as the author would write it.
    pub fn value(&self, meaning: Meaning, value: i32) -> String {
        match meaning {
            Meaning::Number => value.to_string(),
            Meaning::Truth if self.cycle.is_some() => (value != 0).to_string().to_uppercase(),
            Meaning::Truth => (value != 0).to_string(),
            Meaning::Time => time(value),
            Meaning::Name(enumeration) => usize::try_from(value)
                .ok()
                .and_then(|index| self.enumerations[enumeration].get(index))
                .map_or_else(|| value.to_string(), String::clone),
        }
    }

    /// The value that a text stands for, the other way round.
    pub fn read(&self, meaning: Meaning, text: &str) -> Option<i32> {
        match meaning {
            Meaning::Number => text.parse().ok(),
            Meaning::Time => read_time(text),
            Meaning::Truth => match text.to_lowercase().as_str() {
                _ if self.cycle.is_none() && text.starts_with(char::is_uppercase) => None,
                "true" | "1" => Some(1),
                "false" | "0" => Some(0),
                _ => None,
            },
            Meaning::Name(enumeration) => {
                let is_it = |name: &String| name == text || self.cycle.is_some() && name.eq_ignore_ascii_case(text);
                self.enumerations[enumeration].iter().position(is_it).map(|index| index as i32)
            }
        }
    }

    /// The indices of a cell as the author would write them: `[2]`, or `[Up][1]`.
    pub fn indices(&self, table: TableId, cell: usize) -> String {
        let (mut rest, mut text) = (cell, String::new());
        for &(meaning, size) in self.dimensions[table.index()].iter().rev() {
            text.insert_str(0, &format!("[{}]", self.value(meaning, (rest % size) as i32)));
            rest /= size;
        }
        text
    }

    pub fn role(&self, input: InputId) -> &Role {
        &self.inputs[input.index()]
    }
}

/// The units of a time, in milliseconds.
const UNITS: [(&str, i64); 5] = [("d", 86_400_000), ("h", 3_600_000), ("m", 60_000), ("s", 1_000), ("ms", 1)];

/// A time as PLC programs write it.
fn time(milliseconds: i32) -> String {
    let mut rest = i64::from(milliseconds).abs();
    let mut text = String::from(if milliseconds < 0 { "T#-" } else { "T#" });
    for (name, unit) in UNITS {
        if rest >= unit {
            text += &format!("{}{name}", rest / unit);
            rest %= unit;
        }
    }
    if milliseconds == 0 { "T#0s".into() } else { text }
}

/// The other way round; a number alone is one of milliseconds.
fn read_time(text: &str) -> Option<i32> {
    let lower = text.to_lowercase();
    let Some((_, said)) = lower.split_once('#') else { return text.parse().ok() };
    let (sign, mut rest) = said.strip_prefix('-').map_or((1, said), |rest| (-1, rest));
    let mut total = 0_i64;
    while !rest.is_empty() {
        let end = rest.find(|c: char| !c.is_ascii_digit())?;
        let amount: i64 = rest[..end].parse().ok()?;
        let tail = &rest[end..];
        let letters = tail.find(|c: char| c.is_ascii_digit()).unwrap_or(tail.len());
        let (_, unit) = UNITS.iter().find(|(name, _)| *name == &tail[..letters])?;
        total = total.checked_add(amount.checked_mul(*unit)?)?;
        rest = &tail[letters..];
    }
    i32::try_from(sign * total).ok()
}

impl Lint {
    /// Whether every step comes to this place: only assumptions stand before it.
    pub fn is_on_every_way(&self, legend: &Legend) -> bool {
        let mut before = self.after;
        while let Some(property) = before {
            match legend.lints.iter().find(|lint| lint.property == property) {
                Some(lint) if lint.kind == LintKind::Assumption => before = lint.after,
                _ => return false,
            }
        }
        true
    }
}

impl Role {
    pub fn meaning(&self) -> Meaning {
        match self {
            Role::Input(meaning) | Role::Value(meaning) | Role::Start(meaning) => *meaning,
            Role::Choice(_) => Meaning::Number,
        }
    }
}
