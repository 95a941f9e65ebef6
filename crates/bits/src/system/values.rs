//! Value analysis: for every state variable a set of values that includes all that it can ever have.
//!
//! Abstract interpretation (Cousot and Cousot, 1977) of the whole step at once, over the sets of
//! [`crate::analysis::domain`]. A variable starts with its initial value and takes in the values that a step may write
//! to it, until nothing grows. Intervals that keep growing are widened to all integers, and narrowed again to the
//! values that a step then writes.

pub use crate::analysis::domain::Values;
use crate::analysis::domain::{binary, unary};
use crate::base::Interrupt;
use crate::expr::{Expr, ExprId, Type};
use crate::system::{State, TransitionSystem, Write};

/// The number of times that a variable's interval may grow before it is widened.
const PATIENCE: usize = 4;

/// The number of times that widened intervals are narrowed again.
const NARROWINGS: usize = 8;

/// The values of all state variables. If there is no time for it, all that they may have beforehand.
pub fn analyse(system: &TransitionSystem, interrupt: &Interrupt) -> Vec<Values> {
    let used = system.used(system.roots().chain(system.write_roots()));
    let mut states: Vec<Values> = system.states.iter().map(|state| Values::one(state.initial)).collect();
    let mut growths = vec![0; states.len()];
    let mut values: Vec<Values> = vec![Values::Set(vec![]); system.exprs.len()];
    let mut changed_states = vec![true; states.len()];
    let mut first = true;
    loop {
        if interrupt.is_raised() {
            return system.states.iter().map(widest).collect();
        }
        evaluate(system, &used, &states, &changed_states, first, &mut values);
        first = false;
        changed_states.fill(false);
        for (index, state) in system.states.iter().enumerate() {
            let joined = states[index].join(&written(state, &values));
            if joined != states[index] {
                let is_range = matches!(joined, Values::Range(_));
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

/// The largest set of values of a variable, before any analysis.
fn widest(state: &State) -> Values {
    state.domain.as_ref().map_or(Values::ANY, Values::of)
}

/// The values that a step may write to a variable. Its next value would not do: that may be the old one too, which is
/// among the variable's values anyway and would keep them from ever shrinking.
fn written(state: &State, values: &[Values]) -> Values {
    let writes = state.writes.iter().filter(|write| values[write.condition.index()].contains(1));
    // A value outside the domain ends the run, so nothing is left with it.
    let written = |write: &Write| within(&values[write.value.index()], state);
    writes.fold(Values::Set(vec![]), |all, write| all.join(&written(write)))
}

/// Those of the values that the variable's domain has too.
fn within(values: &Values, state: &State) -> Values {
    state.domain.as_ref().map_or_else(|| values.clone(), |domain| values.meet(&Values::of(domain)))
}

/// Takes back the excess of widening: where a step writes less than a variable's values, only the initial value and the
/// written values are left. `values` are those of all expressions under `states`.
fn narrow(system: &TransitionSystem, used: &[bool], mut states: Vec<Values>, mut values: Vec<Values>) -> Vec<Values> {
    for _ in 0..NARROWINGS {
        let narrower = system.states.iter().map(|state| Values::one(state.initial).join(&written(state, &values)));
        let narrower: Vec<Values> = narrower.collect();
        let changed: Vec<bool> = states.iter().zip(&narrower).map(|(old, new)| old != new).collect();
        if !changed.contains(&true) {
            break;
        }
        evaluate(system, used, &narrower, &changed, false, &mut values);
        // Sets and intervals do not always shrink together, so that a step could lead out of the rest.
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
    let values = match expr {
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
            Values::Range(_) => Values::ANY,
        },
    };
    if ty == Type::Bool && !matches!(values, Values::Set(_)) { Values::truth() } else { values }
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
    use crate::blast::{Width, blast};
    use crate::system::samples::system;

    fn analysed(globals: &str, step: &str) -> Vec<Values> {
        analyse(&system(globals, step), &Interrupt::default())
    }

    #[test]
    fn seven_values_take_three_bits() {
        let system = system(
            "int x = 2;",
            "if (x == 2) x = 5; else if (x == 5) x = 9; else if (x == 9) x = 11; else if (x == 11) x = 20;
             else if (x == 20) x = -4; else if (x == -4) x = 1000; else x = 2;",
        );
        assert_eq!(analyse(&system, &Interrupt::default()), [Values::Set(vec![-4, 2, 5, 9, 11, 20, 1000])]);
        assert_eq!(blast(&system, Width::Reduced).circuit.latches.len(), 3);
        assert_eq!(blast(&system, Width::Full).circuit.latches.len(), 32);
    }

    /// Widened at first, then narrowed to the remainders.
    #[test]
    fn a_remainder_bounds_what_is_added_up() {
        let system = system("int x = 0;", "x = (x + input) % 100;");
        let bounds = analyse(&system, &Interrupt::default())[0].bounds();
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
}
