//! An invariant as a C expression over the program's variables, for tools that read such.

use redoubt_program::expr::Type;
use redoubt_program::program::{AtHead, LoopHead, Place, Program};

use super::{Certificate, Comparison, Fact, Literal, NumberSet, Progression, Relation, StateBox, Sum};

/// The invariant of a certificate at the head of a loop; `None` if it mentions something that an expression there
/// cannot name: a pointer's target, a variable whose name means something else there, or the past. Dead variables are
/// left out, so the expression may be weaker than the invariant.
pub fn expression(program: &Program, head: &LoopHead, certificate: &Certificate) -> Option<String> {
    if certificate.history > 0 && head.location.is_none() {
        return None;
    }
    let view = View { program, head };
    let mut parts = vec![];
    for fact in &certificate.facts {
        parts.extend(view.fact(fact)?);
    }
    for clause in &certificate.clauses {
        parts.extend(view.clause(clause)?);
    }
    if !certificate.boxes.is_empty() {
        let mut boxes = vec![];
        for state_box in &certificate.boxes {
            boxes.extend(view.state_box(state_box)?);
        }
        parts.push(any(boxes));
    }
    Some(all(parts))
}

/// Several expressions of which one holds.
pub fn one_of(expressions: Vec<String>) -> String {
    any(expressions)
}

/// Says nothing.
pub const TRUE: &str = "1";
const FALSE: &str = "0";

/// The head of a loop, as the text sees it.
struct View<'v> {
    program: &'v Program,
    head: &'v LoopHead,
}

impl View<'_> {
    fn fact(&self, fact: &Fact) -> Option<Vec<String>> {
        Some(match fact {
            Fact::In(place, set) => self.name(*place)?.and_then(|name| member(&name, set)).into_iter().collect(),
            Fact::Cells(table, set) => {
                let mut parts = vec![];
                for cell in 0..self.program.table(*table).cells.len() {
                    parts.extend(self.name(Place::Cell(*table, cell))?.and_then(|name| member(&name, set)));
                }
                parts
            }
            Fact::Equal(a, b) => match (self.name(*a)?, self.name(*b)?) {
                (Some(a), Some(b)) => vec![format!("{a} == {b}")],
                _ => vec![],
            },
        })
    }

    /// A clause, unless it is true here or mentions a dead variable.
    fn clause(&self, clause: &[Literal]) -> Option<Option<String>> {
        let mut literals = vec![];
        for literal in clause {
            match self.literal(literal)? {
                Said::Always => return Some(None),
                Said::Never => {}
                Said::If(text) => literals.push(text),
            }
        }
        Some(Some(any(literals)))
    }

    /// A literal. One about a place that has nothing to be said of might be true.
    fn literal(&self, literal: &Literal) -> Option<Said> {
        Some(match literal {
            Literal::In(place, set) => match self.location(*place) {
                Some(at) => Said::known(set.contains(at)),
                None => Said::of(self.name(*place)?.and_then(|name| member(&name, set))),
            },
            Literal::Bit(place, bit, value) => match self.location(*place) {
                Some(at) => Said::known((at >> bit & 1 == 1) == *value),
                None => {
                    Said::of(self.name(*place)?.map(|name| format!("(({name} >> {bit}) & 1) == {}", i32::from(*value))))
                }
            },
            Literal::Compare(Comparison { left, relation, right }, value) => {
                let (Some(left), Some(right)) = (self.sum(left)?, self.sum(right)?) else { return Some(Said::Always) };
                let operator = match (relation, value) {
                    (Relation::Equal, true) => "==",
                    (Relation::Equal, false) => "!=",
                    (Relation::LessEqual, true) => "<=",
                    (Relation::LessEqual, false) => ">",
                };
                Said::If(format!("{left} {operator} {right}"))
            }
        })
    }

    /// A sum that wraps around; nothing if a place of it has nothing to be said of.
    fn sum(&self, sum: &Sum) -> Option<Option<String>> {
        let mut terms = vec![];
        for &(factor, place) in &sum.terms {
            let Some(name) = self.name(place)? else { return Some(None) };
            terms.push((factor, name));
        }
        Some(Some(match (terms.as_slice(), sum.constant) {
            ([], number) => constant(number),
            ([(1, name)], 0) => name.clone(),
            _ => {
                // Without a sign nothing overflows.
                let factor = |&(factor, ref name): &(i32, String)| match factor {
                    1 => format!("(unsigned) {name}"),
                    _ => format!("{}u * (unsigned) {name}", factor as u32),
                };
                let mut parts: Vec<String> = terms.iter().map(factor).collect();
                if sum.constant != 0 {
                    parts.push(format!("{}u", sum.constant as u32));
                }
                format!("(int) ({})", parts.join(" + "))
            }
        }))
    }

    /// A box, unless the run is never in it here.
    fn state_box(&self, state_box: &StateBox) -> Option<Option<String>> {
        let mut sides = vec![];
        for (variable, set) in &state_box.sides {
            let place = Place::Variable(*variable);
            match self.location(place) {
                Some(at) if !set.contains(at) => return Some(None),
                Some(_) => {}
                None => sides.extend(self.name(place)?.and_then(|name| member(&name, set))),
            }
        }
        Some(Some(all(sides)))
    }

    /// The location, if a place holds it.
    fn location(&self, place: Place) -> Option<i32> {
        self.program.location.filter(|&location| place == Place::Variable(location)).and(self.head.location)
    }

    /// The value of a place in C: `Some(None)` if it is dead, `None` if it cannot be named.
    fn name(&self, place: Place) -> Option<Option<String>> {
        let (at_head, cell) = match place {
            Place::Variable(variable) if self.program.variable(variable).ty == Type::Pointer => return None,
            Place::Variable(variable) => (&self.head.variables[variable.index()], String::new()),
            Place::Cell(table, index) => (&self.head.tables[table.index()], format!("[{index}]")),
        };
        match at_head {
            AtHead::Called(name) => Some(Some(format!("{name}{cell}"))),
            AtHead::Hidden => None,
            AtHead::Dead => Some(None),
        }
    }
}

/// The meaning of a literal at a place.
enum Said {
    Always,
    Never,
    If(String),
}

impl Said {
    fn known(is_true: bool) -> Said {
        if is_true { Said::Always } else { Said::Never }
    }

    fn of(text: Option<String>) -> Said {
        text.map_or(Said::Always, Said::If)
    }
}

/// The condition that a name is in a set; nothing if it always is.
fn member(name: &str, set: &NumberSet) -> Option<String> {
    let run = |run: &Progression| {
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
    let always = matches!(set.runs(), [Progression { low: i32::MIN, high: i32::MAX, step: 1 }]);
    (!always).then(|| any(set.runs().iter().map(run).collect()))
}

/// The lowest number has no literal of its type.
fn constant(number: i32) -> String {
    if number == i32::MIN { format!("({} - 1)", i32::MIN + 1) } else { number.to_string() }
}

fn any(parts: Vec<String>) -> String {
    if parts.iter().any(|part| part == TRUE) { TRUE.into() } else { join(parts, " || ", FALSE) }
}

fn all(parts: Vec<String>) -> String {
    if parts.iter().any(|part| part == FALSE) { FALSE.into() } else { join(parts, " && ", TRUE) }
}

fn join(mut parts: Vec<String>, operator: &str, none: &str) -> String {
    match parts.len() {
        0 => none.into(),
        1 => parts.swap_remove(0),
        _ => format!("({})", parts.join(operator)),
    }
}
