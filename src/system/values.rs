//! Value analysis: for every state variable a set of values that includes all that it can ever have.
//!
//! Abstract interpretation (Cousot and Cousot, 1977) of the whole step at once: sets of up to 64 values, and
//! intervals beyond that. A variable starts with its initial value and takes in what a step may write to it, until
//! nothing grows. Intervals that keep growing are widened to all integers, and narrowed again to what a step then
//! writes.

use crate::expr::{BinaryOp, Expr, ExprId, Type, UnaryOp};
use crate::program::Domain;
use crate::system::{State, TransitionSystem, Write};

/// Values that include all that an expression can have. A truth value is 0 or 1.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Values {
    /// Ascending, at most `MOST` of them.
    Set(Vec<i32>),
    /// Both ends included.
    Range(i32, i32),
}

/// Larger sets become intervals.
const MOST: usize = 64;

/// So many times may a variable's interval grow before it is widened.
const PATIENCE: usize = 4;

/// So many times are widened intervals narrowed again.
const NARROWINGS: usize = 8;

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

    /// The values of a domain.
    pub fn of(domain: &Domain) -> Values {
        match (domain, domain.list(MOST)) {
            (Domain::List(list), _) => Values::from_list(list.clone()),
            (Domain::Range(..), Some(list)) => Values::Set(list),
            (Domain::Range(low, high), None) => Values::Range(*low, *high),
        }
    }

    /// Those of the values that a domain has too. A range may keep more where the domain is a list.
    fn within(self, domain: Option<&Domain>) -> Values {
        let Some(domain) = domain else { return self };
        match (self, Values::of(domain)) {
            (Values::Set(list), _) => Values::Set(list.into_iter().filter(|&value| domain.contains(value)).collect()),
            (range, Values::Set(list)) => {
                Values::Set(list.into_iter().filter(|&value| range.contains(value)).collect())
            }
            (Values::Range(a, b), Values::Range(c, d)) if a.max(c) <= b.min(d) => Values::Range(a.max(c), b.min(d)),
            _ => Values::Set(vec![]),
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
    let used = system.used(system.roots().chain(system.write_roots()));
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
            let joined = states[index].join(&written(state, &values));
            if joined != states[index] {
                let is_range = matches!(joined, Values::Range(..));
                growths[index] += usize::from(is_range);
                states[index] = if growths[index] > PATIENCE { widest(state) } else { joined };
                changed_states[index] = true;
            }
        }
        if !changed_states.contains(&true) {
            break;
        }
    }
    narrow(system, &used, states, values)
}

/// What a variable may have for all that is known beforehand.
fn widest(state: &State) -> Values {
    state.domain.as_ref().map_or(Values::ANY, Values::of)
}

/// What a step may write to a variable. Its next value would not do: that may be the old one too, which is among the
/// variable's values anyway and would keep them from ever shrinking.
fn written(state: &State, values: &[Values]) -> Values {
    let writes = state.writes.iter().filter(|write| values[write.condition.index()].contains(1));
    // A value outside the domain ends the run, so nothing is left with it.
    let written = |write: &Write| values[write.value.index()].clone().within(state.domain.as_ref());
    writes.fold(Values::Set(vec![]), |all, write| all.join(&written(write)))
}

/// Takes back what widening added too much: where a step writes less than a variable's values, only the initial
/// value and what it writes are left. `values` are those of all expressions under `states`.
fn narrow(system: &TransitionSystem, used: &[bool], mut states: Vec<Values>, mut values: Vec<Values>) -> Vec<Values> {
    for _ in 0..NARROWINGS {
        let narrower = system.states.iter().map(|state| Values::one(state.initial).join(&written(state, &values)));
        let narrower: Vec<Values> = narrower.collect();
        let changed: Vec<bool> = states.iter().zip(&narrower).map(|(old, new)| old != new).collect();
        if !changed.contains(&true) {
            break;
        }
        evaluate(system, used, &narrower, &changed, false, &mut values);
        // Sets and intervals do not always shrink together, so that a step could lead out of what is left.
        let mut written = system.states.iter().map(|state| written(state, &values));
        if !narrower.iter().all(|state| written.next().is_some_and(|written| state.join(&written) == *state)) {
            break;
        }
        states = narrower;
    }
    states
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
        Expr::Input(input) => Values::of(&system.inputs[input.index()].alphabet),
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::circuit::blast::{Width, blast};
    use crate::system::samples::system;

    fn analysed(globals: &str, step: &str) -> Vec<Values> {
        analyse(&system(globals, step))
    }

    #[test]
    fn seven_values_take_three_bits() {
        let system = system(
            "int x = 2;",
            "if (x == 2) x = 5; else if (x == 5) x = 9; else if (x == 9) x = 11; else if (x == 11) x = 20;
             else if (x == 20) x = -4; else if (x == -4) x = 1000; else x = 2;",
        );
        assert_eq!(analyse(&system), [Values::Set(vec![-4, 2, 5, 9, 11, 20, 1000])]);
        assert_eq!(blast(&system, Width::Reduced).circuit.latches.len(), 3);
        assert_eq!(blast(&system, Width::Full).circuit.latches.len(), 32);
    }

    /// Widened at first, then narrowed to the remainders.
    #[test]
    fn a_remainder_bounds_what_is_added_up() {
        let system = system("int x = 0;", "x = (x + input) % 100;");
        let bounds = analyse(&system)[0].bounds();
        assert!(bounds.is_some_and(|(low, high)| low >= -99 && high == 99), "{bounds:?}");
        assert_eq!(blast(&system, Width::Reduced).circuit.latches.len(), 8);
    }

    #[test]
    fn what_grows_without_end_may_be_anything() {
        assert_eq!(analysed("int x = 0;", "x = x + input;"), [Values::ANY]);
    }

    #[test]
    fn copies_take_the_values_of_their_originals() {
        let values = analysed("int x = 0; int y = 7;", "y = x; x = input;");
        assert_eq!(values, [Values::Set(vec![0, 1, 2]), Values::Set(vec![0, 1, 2, 7])]);
    }

    /// Every operator on sets and on ranges includes what the operator yields on all members.
    #[test]
    fn operators_include_all_results() {
        use BinaryOp::*;
        let edges = [i32::MIN, i32::MIN + 1, -70, -3, -1, 0, 1, 2, 5, 64, i32::MAX];
        let mut sets = vec![Values::Set(vec![-1, 0, 3]), Values::one(0), Values::one(-1), Values::one(4)];
        for (index, &low) in edges.iter().enumerate() {
            sets.extend(edges[index..].iter().map(|&high| Values::Range(low, high)));
        }
        let members =
            |set: &Values| -> Vec<i32> { edges.iter().copied().chain([3, 4]).filter(|&v| set.contains(v)).collect() };
        for op in [Add, Sub, Mul, Div, Rem, ShiftLeft, ShiftRight, BitAnd, BitOr, BitXor, Eq, Less, LessEq] {
            for (a, b) in sets.iter().flat_map(|a| sets.iter().map(move |b| (a, b))) {
                let result = binary(op, a, b);
                for (x, y) in members(a).into_iter().flat_map(|x| members(b).into_iter().map(move |y| (x, y))) {
                    assert!(result.contains(op.apply(x, y)), "{op:?} of {x} in {a:?} and {y} in {b:?}");
                }
            }
        }
        for op in [UnaryOp::Negate, UnaryOp::BitNot] {
            for a in &sets {
                let result = unary(op, a);
                assert!(members(a).into_iter().all(|x| result.contains(op.apply(x))), "{op:?} of {a:?}");
            }
        }
    }
}
