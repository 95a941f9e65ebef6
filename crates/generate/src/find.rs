//! Finds guards for sets of states, and makes them obscure.

use super::Kind;
use super::code::{Code, Domain};
use super::dice::Dice;
use super::guard::{Guard, nest};
use super::test;

/// The parts of a conjunction that is true in this state and false in all others.
pub fn only(code: &Code, state: usize, dice: &mut Dice) -> Vec<Guard> {
    within(code, state, (0..code.values.len()).collect(), dice)
}

/// The parts of a conjunction that is true in this state and false in the others of the list.
fn within(code: &Code, state: usize, mut others: Vec<usize>, dice: &mut Dice) -> Vec<Guard> {
    others.retain(|&other| other != state);
    let mut order: Vec<usize> = (0..code.variables.len()).collect();
    dice.shuffle(&mut order);
    // Keys once more, exactly: they tell apart whatever is left.
    order.extend(&code.keys);
    let mut parts = vec![];
    let first_round = code.variables.len();
    for (round, &variable) in order.iter().enumerate() {
        let Some(value) = code.values[state][variable] else { continue };
        if others.is_empty() && dice.chance(60) {
            break;
        }
        let mut accepted = vec![false; code.variables[variable].domain.len()];
        if round < first_round && dice.chance(25) {
            accepted.iter_mut().for_each(|accept| *accept = dice.chance(40));
        }
        accepted[value] = true;
        if accepted.iter().all(|&accept| accept) {
            continue;
        }
        let before = others.len();
        others.retain(|&other| code.values[other][variable].is_none_or(|value| accepted[value]));
        if round < first_round || others.len() < before {
            parts.push(test::among(code, variable, accepted, dice));
        }
    }
    assert!(others.is_empty(), "the keys tell all states apart");
    parts
}

/// A guard for a set of states: of each one by itself, or of a common test without the exceptions.
pub fn set(code: &Code, states: &[usize], dice: &mut Dice) -> Guard {
    if let [state] = states {
        return nest(only(code, *state, dice), dice);
    }
    let common = (0..code.variables.len()).filter_map(|variable| {
        let value = code.common(states, variable)?;
        let matching = (0..code.values.len()).filter(|&state| code.values[state][variable] == Some(value));
        let exceptions: Vec<usize> = matching.filter(|state| !states.contains(state)).collect();
        let is_definite = code.values.iter().all(|values| values[variable].is_some());
        is_definite.then_some((exceptions, variable, value))
    });
    let best = common.min_by_key(|(exceptions, ..)| exceptions.len());
    match best {
        Some((exceptions, variable, value)) if exceptions.len() < states.len() => {
            let mut parts = vec![test::is(code, variable, value, dice)];
            for exception in exceptions {
                let inside = within(code, exception, states.to_vec(), dice);
                parts.push(Guard::Not(Box::new(nest(inside, dice))));
            }
            nest(parts, dice)
        }
        _ => Guard::Or(states.iter().map(|&state| nest(only(code, state, dice), dice)).collect()),
    }
}

/// A condition that is false in all states: values that no state combines.
pub fn unused(code: &Code, dice: &mut Dice) -> Vec<Guard> {
    loop {
        let values: Vec<usize> = code.keys.iter().map(|&key| dice.below(code.variables[key].domain.len())).collect();
        let is_used =
            |state: &Vec<Option<usize>>| code.keys.iter().zip(&values).all(|(&key, &value)| state[key] == Some(value));
        // The keys have a third more combinations than there are states.
        if !code.values.iter().any(is_used) {
            return code.keys.iter().zip(values).map(|(&key, value)| test::is(code, key, value, dice)).collect();
        }
    }
}

/// A condition that is false in every run.
pub fn never(code: &Code, dice: &mut Dice) -> Guard {
    let integers = integers(code);
    match dice.below(4) {
        0 if !code.idle.is_empty() => {
            let index = dice.below(code.idle.len());
            test::never_of(&code.idle[index], dice)
        }
        1 if code.kind == Kind::Arithmetic && !integers.is_empty() => {
            let name = dice.pick(&integers).unwrap_or_default();
            test::theorem(&name, false, dice)
        }
        _ => nest(unused(code, dice), dice),
    }
}

/// The names of variables whose value may be any integer.
fn integers(code: &Code) -> Vec<String> {
    let any = code.variables.iter().filter(|variable| matches!(variable.domain, Domain::Regions { .. }));
    any.map(|variable| variable.name.clone()).chain(code.idle.iter().map(|counter| counter.name.clone())).collect()
}

/// Something that may be true or false.
fn any(code: &Code, dice: &mut Dice) -> Guard {
    if !code.idle.is_empty() && dice.chance(40) {
        let counter = &code.idle[dice.below(code.idle.len())];
        let limit = counter.start + counter.stride * dice.between(1, 30) as i32;
        return Guard::Free { text: format!("{} <= {limit}", counter.name) };
    }
    let variable = dice.below(code.variables.len());
    let value = dice.below(code.variables[variable].domain.len());
    test::is(code, variable, value, dice)
}

/// Rewrites a guard so that it says the same in a less obvious way. `states` are those in which it is true.
pub fn obscure(guard: Guard, code: &Code, states: &[usize], dice: &mut Dice) -> Guard {
    let mut parts = vec![guard];
    if dice.chance(25) {
        // A clause with a test that is true in these states: implied.
        let determined: Vec<(usize, usize)> =
            (0..code.variables.len()).filter_map(|variable| Some((variable, code.common(states, variable)?))).collect();
        if let Some((variable, value)) = dice.pick(&determined) {
            let mut clause = vec![test::is(code, variable, value, dice), any(code, dice)];
            dice.shuffle(&mut clause);
            parts.push(Guard::Or(clause));
        }
    }
    if !code.kind.is_plain()
        && dice.chance(6)
        && let Some(name) = dice.pick(&integers(code))
    {
        parts.push(test::theorem(&name, true, dice));
    }
    let guard = nest(parts, dice);
    if dice.chance(10) {
        // An alternative that is never taken.
        let mut impossible = vec![never(code, dice), any(code, dice)];
        dice.shuffle(&mut impossible);
        Guard::Or(vec![guard, Guard::And(impossible)])
    } else if dice.chance(8) {
        // De Morgan.
        Guard::Not(Box::new(Guard::Not(Box::new(guard))))
    } else {
        guard
    }
}
