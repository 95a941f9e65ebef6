//! The storage of values: every variable of an elementary type, with all cells that it has because it stands in arrays,
//! is a slot; larger variables are trees of slots of the same form as their types.

use std::rc::Rc;

use rustc_hash::FxHashMap;

use crate::ast::{Start, VarKind};
use crate::lower::{Lowered, Lowering};
use crate::timer::TimerKind;
use crate::types::{Scalar, Shape, Ty, domain};
use redoubt_program::expr::{ExprId, TableId, VarId};
use redoubt_program::program::legend::Meaning;
use redoubt_program::program::{Scope, Table, Variable};
use redoubt_program::text::Span;
use redoubt_reading::Diagnostic;

/// A program with more cells in one array is refused.
const MOST_CELLS: i64 = 100_000;

/// Arrays with at most this many cells are variables, one for each; larger ones are tables.
const MOST_VARIABLES: usize = 64;

#[derive(Debug)]
pub enum Node {
    Slot(Slot),
    Array { low: i64, high: i64, element: Rc<Node>, name: Rc<str> },
    Record { name: String, fields: Vec<(String, Rc<Node>)> },
    Block(Rc<Instance>),
    Unsupported(&'static str),
}

#[derive(Debug)]
pub struct Slot {
    pub ty: Ty,
    pub range: Option<(i64, i64)>,
    pub cells: Cells,
    /// The name of the variable in messages and properties.
    pub name: Rc<str>,
    pub is_constant: bool,
    /// If it is the output of a timer: how it follows from the clock.
    pub output: Option<Followed>,
    /// Whether only calls of the timer that it belongs to may write it.
    pub is_clockwork: bool,
}

/// An output of a timer that follows from its clock, and is not kept.
#[derive(Debug)]
pub struct Followed {
    pub output: Output,
    pub clock: Rc<Node>,
    pub memory: Rc<Node>,
    /// The constant value of `PT`, in milliseconds.
    pub duration: i64,
}

/// An output of a timer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Output {
    Q,
    Elapsed,
}

#[derive(Debug)]
pub enum Cells {
    Variables(Vec<VarId>),
    Table(TableId, usize),
}

/// An instance of a block, or an array of them.
#[derive(Debug)]
pub struct Instance {
    pub unit: usize,
    pub name: String,
    pub members: FxHashMap<String, Rc<Node>>,
    /// The facts about a timer.
    pub timer: Option<Timer>,
}

#[derive(Debug)]
pub struct Timer {
    pub kind: TimerKind,
    pub number: usize,
    pub cells: usize,
}

/// Which of its cells is meant: an expression, and the bounds that it has.
#[derive(Clone, Copy, Debug)]
pub struct At {
    pub expr: ExprId,
    pub low: i64,
    pub high: i64,
}

impl At {
    pub fn known(self) -> Option<usize> {
        (self.low == self.high).then_some(self.low as usize)
    }
}

/// A node, and which of its cells.
#[derive(Clone, Debug)]
pub struct Located {
    pub node: Rc<Node>,
    pub at: At,
}

/// A cell that is to be made: its name and what it starts with.
#[derive(Clone)]
pub struct Birth<'m> {
    pub name: String,
    pub start: Option<&'m Start>,
    /// Of a list for an array of several dimensions: where the values of this part begin.
    pub part: Option<usize>,
}

/// The data that all parts of a variable share.
#[derive(Clone)]
pub struct Kind {
    pub scope: Scope,
    pub is_constant: bool,
    /// Whether it is one of the author's, to be shown in traces.
    pub is_shown: bool,
    /// Its name in properties.
    pub declared: Rc<str>,
    pub span: Span,
}

impl<'m> Lowering<'m> {
    pub fn zero(&mut self) -> At {
        At { expr: self.make.exprs().int(0), low: 0, high: 0 }
    }

    /// Makes a variable of some type, in as many cells as there are births.
    pub fn allocate(&mut self, shape: &Shape<'m>, births: Vec<Birth<'m>>, kind: &Kind) -> Lowered<Rc<Node>> {
        redoubt_base::stack::grow(|| self.allocate_any(shape, births, kind)).map(Rc::new)
    }

    fn allocate_any(&mut self, shape: &Shape<'m>, births: Vec<Birth<'m>>, kind: &Kind) -> Lowered<Node> {
        match shape {
            Shape::Unsupported(message) => Ok(Node::Unsupported(message)),
            Shape::One(scalar) => {
                let mut starts = vec![];
                for birth in &births {
                    starts.push(self.start_value(birth.start, scalar)?);
                }
                let names = births.into_iter().map(|birth| birth.name).collect();
                Ok(Node::Slot(self.slot(scalar, names, &starts, kind)))
            }
            Shape::Array { low, high, element, continues } => {
                let size = high - low + 1;
                if size.saturating_mul(births.len() as i64) > MOST_CELLS {
                    let message = format!("an array of {} cells", size.saturating_mul(births.len() as i64));
                    let label = format!("expected at most {MOST_CELLS} cells");
                    return self.refuse(Diagnostic::new(kind.span, message, label));
                }
                let mut cells = vec![];
                for birth in &births {
                    let starts = self.cell_starts(birth, size as usize, element)?;
                    for (index, (start, part)) in (*low..=*high).zip(starts) {
                        let name = match birth.name.strip_suffix(']').filter(|_| *continues) {
                            Some(open) => format!("{open},{index}]"),
                            None => format!("{}[{index}]", birth.name),
                        };
                        cells.push(Birth { name, start, part });
                    }
                }
                let element = self.allocate(element, cells, kind)?;
                Ok(Node::Array { low: *low, high: *high, element, name: kind.declared.clone() })
            }
            Shape::Structure(structure) => {
                let mut fields = vec![];
                for field in &structure.fields {
                    let mut cells = vec![];
                    for birth in &births {
                        let own = self.field_start(birth.start, &field.name.key(), &|key| {
                            structure.fields.iter().any(|field| field.name.key() == key)
                        })?;
                        let name = format!("{}.{}", birth.name, field.name.text);
                        cells.push(Birth { name, start: own.or(field.start), part: None });
                    }
                    let kind = Kind { declared: field.name.text.as_str().into(), ..kind.clone() };
                    fields.push((field.name.key(), self.allocate(&field.shape, cells, &kind)?));
                }
                Ok(Node::Record { name: structure.name.clone(), fields })
            }
            Shape::Block(unit) => self.allocate_block(*unit, &births, kind),
        }
    }

    fn allocate_block(&mut self, unit: usize, births: &[Birth<'m>], kind: &Kind) -> Lowered<Node> {
        if self.nesting.contains(&unit) {
            let name = self.units[unit].unit.name.text.clone();
            let message = format!("block {name} calls itself");
            return self.refuse(Diagnostic::new(self.units[unit].unit.name.span, message, "it is a part of itself"));
        }
        self.nesting.push(unit);
        let members = self.allocate_members(unit, births, kind);
        self.nesting.pop();
        let mut members = members?;
        let timer = self.units[unit].timer.map(|timer| {
            let number = self.timers;
            self.timers += 1;
            Timer { kind: timer, number, cells: births.len() }
        });
        if let Some(timer) = &timer {
            let hidden = Kind { is_shown: false, ..kind.clone() };
            let clock = Scalar { ty: Ty::DINT, range: self.clock_range(timer.number), default: 0 };
            let memory = Scalar { ty: Ty::Bool, range: None, default: 0 };
            for (name, scalar) in [("@clock", clock), ("@memory", memory)] {
                let names = births.iter().map(|birth| format!("{}.{name}", birth.name)).collect();
                let slot = self.slot(&scalar, names, &vec![0; births.len()], &hidden);
                members.insert(name.into(), Rc::new(Node::Slot(slot)));
            }
            self.derive_outputs(timer, &mut members);
        }
        let name = births.first().map_or(String::new(), |birth| birth.name.clone());
        Ok(Node::Block(Rc::new(Instance { unit, name, members, timer })))
    }

    fn allocate_members(
        &mut self,
        unit: usize,
        births: &[Birth<'m>],
        kind: &Kind,
    ) -> Lowered<FxHashMap<String, Rc<Node>>> {
        let mut members = FxHashMap::default();
        let list = std::mem::take(&mut self.units[unit].members);
        let mut result = Ok(());
        for member in &list {
            if matches!(member.kind, VarKind::InOut | VarKind::Temp | VarKind::External) {
                continue;
            }
            let mut cells = vec![];
            for birth in births {
                let own = self.field_start(birth.start, &member.name.key(), &|key| {
                    list.iter().any(|member| member.name.key() == key)
                });
                match own {
                    Ok(own) => {
                        let name = format!("{}.{}", birth.name, member.name.text);
                        cells.push(Birth { name, start: own.or(member.start), part: None });
                    }
                    Err(refused) => result = Err(refused),
                }
            }
            let kind = Kind {
                is_constant: member.is_constant,
                declared: member.declared.clone(),
                span: self.span(member.name.span),
                ..kind.clone()
            };
            match self.allocate(&member.shape, cells, &kind) {
                Ok(node) => {
                    members.insert(member.name.key(), node);
                }
                Err(refused) => result = Err(refused),
            }
        }
        self.units[unit].members = list;
        result.map(|()| members)
    }

    pub fn slot(&mut self, scalar: &Scalar, names: Vec<String>, starts: &[i64], kind: &Kind) -> Slot {
        let Scalar { ty, range, .. } = *scalar;
        let bounds = range.unwrap_or(ty.bounds(&self.enumerations));
        let meaning = kind.is_shown.then(|| ty.meaning());
        let is_plain = range.is_none() && !matches!(ty, Ty::Enumeration(_));
        let values = (!is_plain).then(|| domain(bounds.0, bounds.1));
        let cells = if names.len() <= MOST_VARIABLES {
            let mut variables = vec![];
            for (name, &start) in names.into_iter().zip(starts) {
                let variable = Variable {
                    name,
                    ty: ty.machine(),
                    scope: kind.scope,
                    initial: start as i32,
                    domain: values.clone(),
                    span: kind.span,
                };
                let variable = self.make.variable(variable, meaning);
                self.found.note(variable, (start, start));
                variables.push(variable);
            }
            Cells::Variables(variables)
        } else {
            let name = names.into_iter().next().unwrap_or_default();
            let size = starts.len();
            let cells = starts.iter().map(|&start| start as i32).collect();
            let table = Table { name, cells, written: false, domain: values, span: kind.span };
            Cells::Table(self.make.table(table, meaning, Meaning::Number), size)
        };
        Slot {
            ty,
            range,
            cells,
            name: kind.declared.clone(),
            is_constant: kind.is_constant,
            output: None,
            is_clockwork: false,
        }
    }

    /// The initial values of an array's cells. The list of an array of several dimensions may have all values in a row.
    fn cell_starts(
        &mut self,
        birth: &Birth<'m>,
        size: usize,
        element: &Shape<'m>,
    ) -> Lowered<Vec<(Option<&'m Start>, Option<usize>)>> {
        let Some(start) = birth.start else { return Ok(vec![(None, None); size]) };
        let Start::List(cells, span) = start else {
            let message = "an array starts with a list";
            return self.refuse(Diagnostic::new(start.span(), message, "expected `[value, ...]`"));
        };
        let inner = row(element);
        let mut list = vec![];
        for (times, value) in cells {
            list.extend(std::iter::repeat_n(Some(value), *times));
        }
        let is_flat = inner > 1 && !list.iter().flatten().any(|value| matches!(value, Start::List(..)));
        if is_flat || birth.part.is_some() {
            let first = birth.part.unwrap_or(0);
            let most = size.saturating_mul(inner);
            if birth.part.is_none() && list.len() > most {
                return self.too_many(most, *span);
            }
            return Ok(match inner {
                1 => (first..first + size).map(|at| (list.get(at).copied().flatten(), None)).collect(),
                _ => (0..size).map(|cell| (Some(start), Some(first + cell * inner))).collect(),
            });
        }
        if list.len() > size {
            return self.too_many(size, *span);
        }
        list.resize(size, None);
        Ok(list.into_iter().map(|start| (start, None)).collect())
    }

    fn too_many<T>(&mut self, size: usize, span: Span) -> Lowered<T> {
        let message = format!("there are {size} cells");
        let label = format!("expected at most {size} values");
        self.refuse(Diagnostic::new(span, message, label).help("the list is longer than the array"))
    }

    /// The initial value of a field in the declaration of its structure or block.
    fn field_start(
        &mut self,
        start: Option<&'m Start>,
        key: &str,
        is_field: &dyn Fn(&str) -> bool,
    ) -> Lowered<Option<&'m Start>> {
        match start {
            None => Ok(None),
            Some(Start::Fields(fields, _)) => {
                if let Some((unknown, _)) = fields.iter().find(|(name, _)| !is_field(&name.key())) {
                    let message = format!("there is no `{}` in it", unknown.text);
                    return self.refuse(Diagnostic::new(unknown.span, message, "unknown name"));
                }
                Ok(fields.iter().find(|(name, _)| name.key() == key).map(|(_, start)| start))
            }
            Some(other) => {
                let message = "this is not what a structure or a block starts with";
                self.refuse(Diagnostic::new(other.span(), message, "expected `(name := value, ...)`"))
            }
        }
    }

    fn start_value(&mut self, start: Option<&'m Start>, scalar: &Scalar) -> Lowered<i64> {
        match start {
            None => Ok(scalar.default),
            Some(Start::Value(value)) => {
                let number = self.constant(value, scalar.ty)?;
                let (low, high) = scalar.range.unwrap_or(scalar.ty.bounds(&self.enumerations));
                if number < low || number > high {
                    let message = format!("{number} is outside the range");
                    return self.refuse(Diagnostic::new(value.span, message, format!("expected {low}..{high}")));
                }
                Ok(number)
            }
            Some(other) => {
                self.refuse(Diagnostic::new(other.span(), "this is not a single value", "expected a single value"))
            }
        }
    }
}

/// How many cells the further dimensions of an array have.
fn row(element: &Shape<'_>) -> usize {
    match element {
        Shape::Array { low, high, element, continues: true } => {
            usize::try_from(high - low + 1).unwrap_or(0).saturating_mul(row(element))
        }
        _ => 1,
    }
}
