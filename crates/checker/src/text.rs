//! Certificates as text: one line for each fact, clause and box.
//!
//! ```text
//! redoubt certificate 1
//! program Problem1.c
//!
//! invariant
//! excludes error_3
//! excludes error_7
//! history 2
//! fact a12 in {0..4, 7}
//! fact x = y
//! clause a12 in {3} or a5[2] = 0
//! box a12 in {0..2}, a5 in {7}
//! cut a5 at 7 8
//! end
//! ```
//!
//! Values of a model are written as its author writes them: `fact mode in {Idle, Alarm}`. Numbers are read there, too. If
//! constants of it had other values than their own, a line `constant TOP = 5` for each follows the name of the program.

use std::collections::BTreeMap;
use std::fmt::Write;

use redoubt_program::expr::{TableId, VarId};
use redoubt_program::program::legend::{Legend, Meaning};
use redoubt_program::program::{Place, Program, PropertyId};
use rustc_hash::FxHashMap;

use super::{Certificate, Comparison, Fact, Literal, NumberSet, Progression, Relation, StateBox, Sum};

const FIRST_LINE: &str = "redoubt certificate 1";

/// Where a text is no certificate of the program.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("line {line}: {reason}")]
pub struct ReadError {
    pub line: usize,
    pub reason: String,
}

/// Writes certificates of one program.
pub fn write<'c>(program: &Program, certificates: impl IntoIterator<Item = &'c Certificate>) -> String {
    let mut text = heading(program);
    for certificate in certificates {
        text.push('\n');
        write_one(program, certificate, &mut text);
    }
    text
}

/// The lines that say which program a certificate is about.
pub(crate) fn heading(program: &Program) -> String {
    let mut text = format!("{FIRST_LINE}\nprogram {}\n", program.name);
    for (name, value) in &program.constants {
        text += &format!("constant {name} = {value}\n");
    }
    text
}

/// The name of a place.
pub(crate) fn place_name(program: &Program, place: Place) -> String {
    match place {
        Place::Variable(variable) => program.variable(variable).name.clone(),
        Place::Cell(table, index) => format!("{}[{index}]", program.table(table).name),
    }
}

fn write_one(program: &Program, certificate: &Certificate, text: &mut String) {
    let place = |place: Place| place_name(program, place);
    // Writing to a string does not fail.
    let mut line = |content: String| {
        let _ = writeln!(text, "{content}");
    };
    line("invariant".into());
    // One a line: names of properties may have spaces.
    certificate.excluded.iter().for_each(|&id| line(format!("excludes {}", program.property(id).name)));
    if certificate.history > 0 {
        line(format!("history {}", certificate.history));
    }
    for fact in &certificate.facts {
        line(match fact {
            Fact::In(at, set) => format!("fact {} in {}", place(*at), set_text(program, *at, set)),
            Fact::Cells(table, set) => {
                format!("fact {}[*] in {}", program.table(*table).name, set_text(program, Place::Cell(*table, 0), set))
            }
            Fact::Equal(a, b) => format!("fact {} = {}", place(*a), place(*b)),
        });
    }
    for clause in &certificate.clauses {
        let literals = clause.iter().map(|literal| match literal {
            Literal::In(at, set) => format!("{} in {}", place(*at), set_text(program, *at, set)),
            Literal::Bit(at, bit, value) => format!("{} bit {bit} = {}", place(*at), i32::from(*value)),
            Literal::Compare(comparison, value) => {
                let sum = |sum: &Sum| {
                    let terms = sum.terms.iter().map(|(factor, at)| format!("{factor}*{} + ", place(*at)));
                    format!("{}{}", terms.collect::<String>(), sum.constant)
                };
                let sign = match (comparison.relation, value) {
                    (Relation::Equal, true) => "==",
                    (Relation::Equal, false) => "!=",
                    (Relation::LessEqual, true) => "<=",
                    (Relation::LessEqual, false) => ">",
                };
                format!("{} {sign} {}", sum(&comparison.left), sum(&comparison.right))
            }
        });
        line(format!("clause {}", literals.collect::<Vec<_>>().join(" or ")));
    }
    for state_box in &certificate.boxes {
        let sides = state_box.sides.iter().map(|(at, set)| {
            let at = Place::Variable(*at);
            format!("{} in {}", place(at), set_text(program, at, set))
        });
        line(format!("box {}", sides.collect::<Vec<_>>().join(", ")));
    }
    for (variable, places) in &certificate.cuts {
        let places: Vec<String> = places.iter().map(i32::to_string).collect();
        line(format!("cut {} at {}", program.variable(*variable).name, places.join(" ")));
    }
    line("end".into());
}

/// The constants that a model had other values of than their own when its certificates were made.
pub fn constants(text: &str) -> BTreeMap<String, String> {
    let head = text.lines().take_while(|line| *line != "invariant");
    let set = head.filter_map(|line| line.strip_prefix("constant ")?.split_once(" = "));
    set.map(|(name, value)| (name.into(), value.into())).collect()
}

/// Reads the certificates of a program.
pub fn read(program: &Program, text: &str) -> Result<Vec<Certificate>, ReadError> {
    let mut reader = Reader::new(program);
    let mut lines = text.lines().enumerate();
    if lines.next().is_none_or(|(_, line)| line.trim_end() != FIRST_LINE) {
        return Err(ReadError { line: 1, reason: format!("expected `{FIRST_LINE}`") });
    }
    for (index, line) in lines {
        reader.line(line.trim()).map_err(|reason| ReadError { line: index + 1, reason })?;
    }
    match reader.current {
        None if reader.finished.is_empty() => {
            Err(ReadError { line: text.lines().count(), reason: "there is no invariant".into() })
        }
        None => Ok(reader.finished),
        Some(_) => Err(ReadError { line: text.lines().count(), reason: "expected `end`".into() }),
    }
}

pub(crate) struct Reader<'r> {
    program: &'r Program,
    variables: FxHashMap<&'r str, VarId>,
    tables: FxHashMap<&'r str, TableId>,
    properties: FxHashMap<&'r str, PropertyId>,
    current: Option<Certificate>,
    finished: Vec<Certificate>,
}

impl<'r> Reader<'r> {
    pub(crate) fn new(program: &'r Program) -> Reader<'r> {
        let variables = program.variables.iter().enumerate();
        let tables = program.tables.iter().enumerate().filter(|(_, table)| table.written);
        let properties = program.properties.iter().enumerate();
        Reader {
            program,
            variables: variables.map(|(index, variable)| (&*variable.name, VarId::new(index))).collect(),
            tables: tables.map(|(index, table)| (&*table.name, TableId::new(index))).collect(),
            properties: properties.map(|(index, property)| (&*property.name, PropertyId::new(index))).collect(),
            current: None,
            finished: vec![],
        }
    }

    fn line(&mut self, line: &str) -> Result<(), String> {
        let (word, rest) = line.split_once(' ').unwrap_or((line, ""));
        match (word, self.current.is_some()) {
            ("", _) => return Ok(()),
            ("program" | "constant", false) => return Ok(()),
            ("invariant", false) if rest.is_empty() => {
                self.current = Some(Certificate::default());
                return Ok(());
            }
            ("end", true) if rest.is_empty() => {
                self.finished.extend(self.current.take());
                return Ok(());
            }
            (_, false) => return Err("expected `invariant`".into()),
            (_, true) => {}
        }
        match word {
            "excludes" => {
                let property = *self.properties.get(rest).ok_or(format!("there is no property `{rest}`"))?;
                self.add(|certificate| certificate.excluded.push(property))
            }
            "history" => {
                let history = rest.parse().map_err(|_| format!("expected a number of steps, not `{rest}`"))?;
                self.add(|certificate| certificate.history = history)
            }
            "fact" => {
                let fact = self.fact(rest)?;
                self.add(|certificate| certificate.facts.push(fact))
            }
            "clause" => {
                let clause = rest.split(" or ").map(|part| self.literal(part)).collect::<Result<_, _>>()?;
                self.add(|certificate| certificate.clauses.push(clause))
            }
            "box" => {
                let sides = self.sides(rest)?;
                self.add(|certificate| certificate.boxes.push(StateBox { sides }))
            }
            "cut" => {
                let (name, places) = rest.split_once(" at ").ok_or("expected `at` and numbers")?;
                let variable = *self.variables.get(name).ok_or(format!("there is no variable `{name}`"))?;
                let places = places.split_whitespace().map(number).collect::<Result<_, _>>()?;
                self.add(|certificate| certificate.cuts.push((variable, places)))
            }
            _ => Err(format!("expected excludes, history, fact, clause, box, cut or end, not `{word}`")),
        }
    }

    fn add(&mut self, change: impl FnOnce(&mut Certificate)) -> Result<(), String> {
        self.current.as_mut().map(change).ok_or_else(|| "expected `invariant`".into())
    }

    fn fact(&self, text: &str) -> Result<Fact, String> {
        if let Some((a, b)) = text.split_once(" = ") {
            return Ok(Fact::Equal(self.place(a)?, self.place(b)?));
        }
        match text.split_once("[*] in ") {
            Some((name, set)) => {
                let table = self.table(name.trim())?;
                Ok(Fact::Cells(table, self.number_set(Place::Cell(table, 0), set)?))
            }
            None => {
                let (place, set) = self.membership(text)?;
                Ok(Fact::In(place, set))
            }
        }
    }

    fn literal(&self, text: &str) -> Result<Literal, String> {
        const SIGNS: [(&str, Relation, bool); 4] = [
            (" == ", Relation::Equal, true),
            (" != ", Relation::Equal, false),
            (" <= ", Relation::LessEqual, true),
            (" > ", Relation::LessEqual, false),
        ];
        for (sign, relation, value) in SIGNS {
            if let Some((left, right)) = text.split_once(sign) {
                let comparison = Comparison { left: self.sum(left)?, relation, right: self.sum(right)? };
                return Ok(Literal::Compare(comparison, value));
            }
        }
        let Some((place, bit)) = text.split_once(" bit ") else {
            let (place, set) = self.membership(text)?;
            return Ok(Literal::In(place, set));
        };
        let (bit, value) = bit.split_once(" = ").ok_or("expected `= 0` or `= 1`")?;
        let bit: u32 = bit.trim().parse().ok().filter(|bit| *bit < 32).ok_or("expected a bit from 0 to 31")?;
        let value = match value.trim() {
            "0" => false,
            "1" => true,
            _ => return Err("expected 0 or 1".into()),
        };
        Ok(Literal::Bit(self.place(place)?, bit, value))
    }

    /// `2*x + -1*y + 7`, the constant last.
    fn sum(&self, text: &str) -> Result<Sum, String> {
        let expected = "expected multiples like `2*x` and a number, with ` + ` between them";
        let mut parts: Vec<&str> = text.trim().split(" + ").collect();
        let constant = parts.pop().and_then(|last| last.parse().ok()).ok_or(expected)?;
        let term = |part: &str| {
            let (factor, name) = part.split_once('*').ok_or(expected)?;
            Ok((factor.parse().map_err(|_| expected)?, self.place(name)?))
        };
        Ok(Sum { terms: parts.into_iter().map(term).collect::<Result<_, String>>()?, constant })
    }

    fn sides(&self, text: &str) -> Result<Vec<(VarId, NumberSet)>, String> {
        let mut sides = vec![];
        let mut rest = text;
        while !rest.is_empty() {
            let end = rest.find('}').ok_or("expected `NAME in {NUMBERS}`")?;
            let (place, set) = self.membership(&rest[..=end])?;
            let Place::Variable(variable) = place else { return Err("a box is about variables".into()) };
            sides.push((variable, set));
            rest = rest[end + 1..].trim_start();
            if let Some(next) = rest.strip_prefix(',') {
                rest = next.trim_start();
            } else if !rest.is_empty() {
                return Err("expected `,`".into());
            }
        }
        Ok(sides)
    }

    fn membership(&self, text: &str) -> Result<(Place, NumberSet), String> {
        let (place, set) = text.split_once(" in ").ok_or("expected `NAME in {NUMBERS}`")?;
        let place = self.place(place)?;
        Ok((place, self.number_set(place, set)?))
    }

    /// A set of values that a place may have: numbers, or their names in a model.
    fn number_set(&self, place: Place, text: &str) -> Result<NumberSet, String> {
        let named = named(self.program, place);
        let number = |text: &str| match named {
            Some((legend, meaning)) => legend.read(meaning, text.trim()).map_or_else(|| number(text), Ok),
            None => number(text),
        };
        number_set(text, &number, named.is_some())
    }

    pub(crate) fn place(&self, text: &str) -> Result<Place, String> {
        let text = text.trim();
        if let Some(variable) = self.variables.get(text) {
            return Ok(Place::Variable(*variable));
        }
        let unknown = || unknown(text);
        let (name, index) = text.strip_suffix(']').and_then(|text| text.rsplit_once('[')).ok_or_else(unknown)?;
        let table = self.table(name).map_err(|_| unknown())?;
        let cells = self.program.table(table).cells.len();
        let index = index.parse().ok().filter(|index| *index < cells).ok_or_else(unknown)?;
        Ok(Place::Cell(table, index))
    }

    fn table(&self, name: &str) -> Result<TableId, String> {
        self.tables.get(name).copied().ok_or_else(|| unknown(name))
    }
}

fn unknown(text: &str) -> String {
    format!("there is no variable or written table `{text}`")
}

fn number(text: &str) -> Result<i32, String> {
    text.trim().parse().map_err(|_| format!("expected a number, not `{text}`"))
}

/// The names for the values of a place, if it has any for the author.
fn named(program: &Program, place: Place) -> Option<(&Legend, Meaning)> {
    let legend = program.legend.as_ref()?;
    let meaning = match place {
        Place::Variable(variable) => legend.variables[variable.index()]?,
        Place::Cell(table, _) => legend.tables[table.index()]?,
    };
    (meaning != Meaning::Number).then_some((legend, meaning))
}

/// A set of values as people write them. If one has no name, all are numbers.
fn set_text(program: &Program, place: Place, set: &NumberSet) -> String {
    let Some((legend, meaning)) = named(program, place) else { return set.to_string() };
    let name = |value: i32| {
        let text = legend.value(meaning, value);
        (legend.read(meaning, &text) == Some(value) && number(&text).is_err()).then_some(text)
    };
    let run = |run: &Progression| match run {
        Progression { low, high, step: 1 } if i64::from(*high) - i64::from(*low) > 2 => {
            Some(format!("{}..{}", name(*low)?, name(*high)?))
        }
        Progression { low, high, step: 1 } => Some((*low..=*high).map(name).collect::<Option<Vec<_>>>()?.join(", ")),
        _ => None,
    };
    let runs: Option<Vec<String>> = set.runs().iter().map(run).collect();
    runs.map_or_else(|| set.to_string(), |runs| format!("{{{}}}", runs.join(", ")))
}

/// `{1, 3..7, 10..90 by 4}`; neighbours that are listed one by one, as names are, may become a range.
fn number_set(text: &str, number: &dyn Fn(&str) -> Result<i32, String>, joins: bool) -> Result<NumberSet, String> {
    let inner = text.trim().strip_prefix('{').and_then(|text| text.strip_suffix('}'));
    let inner = inner.ok_or("expected numbers in braces")?.trim();
    if inner.is_empty() {
        return Ok(NumberSet::default());
    }
    let run = |text: &str| -> Result<Progression, String> {
        let (range, step) = match text.split_once(" by ") {
            Some((range, step)) => (range, step.trim().parse().map_err(|_| format!("expected a step, not `{step}`"))?),
            None => (text, 1),
        };
        let (low, high) = match range.split_once("..") {
            Some((low, high)) => (number(low)?, number(high)?),
            None => (number(range)?, number(range)?),
        };
        Ok(Progression { low, high, step })
    };
    let mut runs: Vec<Progression> = vec![];
    for next in inner.split(',').map(run) {
        let next = next?;
        match runs.last_mut() {
            Some(last) if joins && last.step == 1 && next.step == 1 && last.high.checked_add(1) == Some(next.low) => {
                last.high = next.high;
            }
            _ => runs.push(next),
        }
    }
    NumberSet::new(runs).ok_or_else(|| "numbers must ascend, without overlaps".into())
}
