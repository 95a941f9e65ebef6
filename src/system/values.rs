//! Value analysis: for every state variable a set of values that includes all that it can ever have.
//!
//! Abstract interpretation (Cousot and Cousot, 1977) of the whole step at once: sets of up to 64 values, and
//! intervals beyond that. A variable starts with its initial value and takes in what its next expression can
//! yield, until nothing grows. Intervals that keep growing are widened to all integers.

use crate::expr::{BinaryOp, Expr, ExprId, Type, UnaryOp};
use crate::system::TransitionSystem;

/// Values that include all that an expression can have. A truth value is 0 or 1.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Values {
    /// Ascending, at most [`MOST`] of them.
    Set(Vec<i32>),
    /// Both ends included.
    Range(i32, i32),
}

/// Larger sets become intervals.
const MOST: usize = 64;

/// So many times may a variable's interval grow before it is widened.
const PATIENCE: usize = 4;

impl Values {
    pub const ANY: Values = Values::Range(i32::MIN, i32::MAX);

    pub fn one(value: i32) -> Values {
        Values::Set(vec![value])
    }

    fn truth() -> Values {
        Values::Set(vec![0, 1])
    }

    pub fn from_list(mut list: Vec<i32>) -> Values {
        list.sort_unstable();
        list.dedup();
        match list.as_slice() {
            [low, .., high] if list.len() > MOST => Values::Range(*low, *high),
            _ => Values::Set(list),
        }
    }

    /// The lowest and highest value; `None` if there is none.
    pub fn bounds(&self) -> Option<(i32, i32)> {
        match self {
            Values::Set(list) => Some((*list.first()?, *list.last()?)),
            Values::Range(low, high) => Some((*low, *high)),
        }
    }

    pub fn contains(&self, value: i32) -> bool {
        match self {
            Values::Set(list) => list.binary_search(&value).is_ok(),
            Values::Range(low, high) => (*low..=*high).contains(&value),
        }
    }

    fn join(&self, other: &Values) -> Values {
        match (self, other) {
            (Values::Set(a), Values::Set(b)) => Values::from_list([a.as_slice(), b].concat()),
            (a, b) => match (a.bounds(), b.bounds()) {
                (Some((a, b)), Some((c, d))) => Values::Range(a.min(c), b.max(d)),
                (Some(_), None) => a.clone(),
                (None, _) => b.clone(),
            },
        }
    }

    fn range(low: i64, high: i64) -> Values {
        match (i32::try_from(low), i32::try_from(high)) {
            (Ok(low), Ok(high)) => Values::Range(low, high),
            // Wrapping may put the result anywhere.
            _ => Values::ANY,
        }
    }
}

/// The values of all state variables.
pub fn analyse(system: &TransitionSystem) -> Vec<Values> {
    let used = system.used(system.roots());
    let mut states: Vec<Values> = system.states.iter().map(|state| Values::one(state.initial)).collect();
    let mut growths = vec![0; states.len()];
    let mut values: Vec<Values> = vec![Values::Set(vec![]); system.exprs.len()];
    let mut changed_states = vec![true; states.len()];
    let mut first = true;
    loop {
        evaluate(system, &used, &states, &changed_states, first, &mut values);
        first = false;
        changed_states.fill(false);
        for (index, state) in system.states.iter().enumerate() {
            let joined = states[index].join(&values[state.next.index()]);
            if joined != states[index] {
                let is_range = matches!(joined, Values::Range(..));
                growths[index] += usize::from(is_range);
                states[index] = if growths[index] > PATIENCE { Values::ANY } else { joined };
                changed_states[index] = true;
            }
        }
        if !changed_states.contains(&true) {
            return states;
        }
    }
}

/// Brings the values of all used expressions up to date after some state variables changed.
fn evaluate(
    system: &TransitionSystem,
    used: &[bool],
    states: &[Values],
    changed_states: &[bool],
    first: bool,
    values: &mut [Values],
) {
    let mut changed = vec![first; values.len()];
    for (id, expr) in system.exprs.iter() {
        let stale = match expr {
            Expr::Var(var) => changed_states[var.index()],
            _ => first || expr.operands().any(|operand| changed[operand.index()]),
        };
        if !used[id.index()] || !stale {
            continue;
        }
        let new = value(system, expr, system.exprs.type_of(id), states, values);
        changed[id.index()] = new != values[id.index()];
        values[id.index()] = new;
    }
}

fn value(system: &TransitionSystem, expr: Expr, ty: Type, states: &[Values], values: &[Values]) -> Values {
    let at = |id: ExprId| &values[id.index()];
    match expr {
        Expr::Bool(value) => Values::one(i32::from(value)),
        Expr::Int(value) => Values::one(value),
        Expr::Table(table) => Values::one(table.index() as i32),
        Expr::Input(input) => Values::from_list(system.inputs[input.index()].alphabet.clone()),
        Expr::Var(var) => states[var.index()].clone(),
        Expr::Unary(op, a) => unary(op, at(a)),
        Expr::Binary(op, a, b) => binary(op, at(a), at(b)),
        Expr::Ite(condition, then, otherwise) => match (at(condition).contains(1), at(condition).contains(0)) {
            (true, false) => at(then).clone(),
            (false, true) => at(otherwise).clone(),
            _ => at(then).join(at(otherwise)),
        },
        Expr::Cell(pointer, index) => cell(system, at(pointer), at(index)),
        Expr::Length(pointer) => match at(pointer) {
            Values::Set(list) => {
                Values::from_list(list.iter().map(|&table| system.tables[table as usize].cells.len() as i32).collect())
            }
            Values::Range(..) => Values::ANY,
        },
    }
    .of_type(ty)
}

impl Values {
    fn of_type(self, ty: Type) -> Values {
        if ty == Type::Bool && !matches!(self, Values::Set(_)) { Values::truth() } else { self }
    }
}

fn unary(op: UnaryOp, a: &Values) -> Values {
    match (op, a) {
        (_, Values::Set(list)) => Values::from_list(list.iter().map(|&a| op.apply(a)).collect()),
        (UnaryOp::Negate, Values::Range(low, high)) => Values::range(-i64::from(*high), -i64::from(*low)),
        (UnaryOp::BitNot, Values::Range(low, high)) => Values::Range(!high, !low),
        (UnaryOp::Not | UnaryOp::ToInt, Values::Range(..)) => Values::truth(),
    }
}

fn binary(op: BinaryOp, a: &Values, b: &Values) -> Values {
    const PAIRS: usize = 4096;
    if let (Values::Set(a), Values::Set(b)) = (a, b)
        && a.len() * b.len() <= PAIRS
    {
        let pairs = a.iter().flat_map(|&a| b.iter().map(move |&b| op.apply(a, b)));
        return Values::from_list(pairs.collect());
    }
    let (Some((al, ah)), Some((bl, bh))) = (a.bounds(), b.bounds()) else {
        return Values::Set(vec![]);
    };
    let (al, ah, bl, bh) = (i64::from(al), i64::from(ah), i64::from(bl), i64::from(bh));
    match op {
        BinaryOp::Add => Values::range(al + bl, ah + bh),
        BinaryOp::Sub => Values::range(al - bh, ah - bl),
        BinaryOp::Mul => {
            let products = [al * bl, al * bh, ah * bl, ah * bh];
            let (low, high) = products.iter().fold((i64::MAX, i64::MIN), |(l, h), &p| (l.min(p), h.max(p)));
            Values::range(low, high)
        }
        // A quotient by a positive constant keeps the order.
        BinaryOp::Div if bl == bh && bl > 0 => Values::range(al / bl, ah / bl),
        BinaryOp::Div => {
            let most = al.abs().max(ah.abs());
            Values::range(-most, most)
        }
        BinaryOp::Rem => {
            // A remainder has the sign of the dividend and is no larger; `x % 0` is `x`.
            let largest = bl.abs().max(bh.abs()) - 1;
            let (low, high) = (al.min(0), ah.max(0));
            if bl <= 0 && bh >= 0 {
                Values::range(low, high)
            } else {
                Values::range(low.max(-largest), high.min(largest))
            }
        }
        BinaryOp::BitAnd if bl >= 0 || al >= 0 => {
            // A bit that either operand lacks is not in the result.
            let limit = [(al, ah), (bl, bh)].iter().filter(|(low, _)| *low >= 0).map(|(_, high)| *high).min();
            Values::range(0, limit.unwrap_or(i64::from(i32::MAX)))
        }
        BinaryOp::ShiftLeft | BinaryOp::ShiftRight | BinaryOp::BitAnd | BinaryOp::BitOr | BinaryOp::BitXor => {
            Values::ANY
        }
        BinaryOp::Less if ah < bl => Values::one(1),
        BinaryOp::Less if al >= bh => Values::one(0),
        BinaryOp::LessEq if ah <= bl => Values::one(1),
        BinaryOp::LessEq if al > bh => Values::one(0),
        BinaryOp::Eq if ah < bl || bh < al => Values::one(0),
        BinaryOp::Eq => match (a, b) {
            (set @ Values::Set(_), Values::Set(list)) | (set @ Values::Range(..), Values::Set(list))
                if !list.iter().any(|&value| set.contains(value)) =>
            {
                Values::one(0)
            }
            _ => Values::truth(),
        },
        BinaryOp::Less | BinaryOp::LessEq | BinaryOp::And | BinaryOp::Or => Values::truth(),
    }
}

/// The cells that can be read; 0 stands for those outside.
fn cell(system: &TransitionSystem, pointer: &Values, index: &Values) -> Values {
    let Values::Set(tables) = pointer else { return Values::ANY };
    let mut found = vec![];
    for &table in tables {
        let cells = &system.tables[table as usize].cells;
        found.extend(cells.iter().enumerate().filter(|(at, _)| index.contains(*at as i32)).map(|(_, &value)| value));
        let inside = index.bounds().is_none_or(|(low, high)| low >= 0 && (high as usize) < cells.len());
        if !inside {
            found.push(0);
        }
    }
    Values::from_list(found)
}
