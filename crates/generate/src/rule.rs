//! Steps of the hidden machine become rules of the program: a guard, assignments and an output.

use super::assign;
use super::code::{Code, Counter, Domain};
use super::dice::Dice;
use super::expression::Surroundings;
use super::find;
use super::guard::{Guard, assert_exact, nest};
use super::machine::{Count, Gate, Machine, Transition, output};
use super::test;

#[derive(Clone, Debug)]
pub struct Rule {
    /// The states from which it can be taken; none for dead code.
    pub from: Vec<usize>,
    pub letter: usize,
    pub guard: Guard,
    /// Statements in C, in order.
    pub updates: Vec<String>,
    pub output: i32,
}

/// The rules for all steps of the machine, some dead ones among them, in random order.
pub fn rules(machine: &Machine, code: &Code, dice: &mut Dice) -> Vec<Rule> {
    let mut rules: Vec<Rule> = machine.steps.iter().map(|step| rule(step, machine, code, dice)).collect();
    for _ in 0..1 + rules.len() / 12 {
        rules.push(dead(machine, code, dice));
    }
    dice.shuffle(&mut rules);
    rules
}

fn rule(step: &Transition, machine: &Machine, code: &Code, dice: &mut Dice) -> Rule {
    let mut parts = vec![find::set(code, &step.from, dice)];
    if step.gate != Gate::Any
        && let Some(counter) = &code.gate
    {
        parts.push(test::reached(counter, machine.shape.bound, step.gate == Gate::Reached));
    }
    let guard = find::obscure(nest(parts, dice), code, &step.from, dice);
    assert_exact(&guard, code, &step.from, |reached| step.gate.is_open(reached));

    let values = (0..code.variables.len()).map(|variable| code.common(&step.from, variable)).collect();
    let mut around = Surroundings { code, values };
    let mut updates = updates(&mut around, step.to, dice);
    if let Some(counter) = &code.gate {
        match step.count {
            Count::Keep => {}
            Count::Up => updates.push(advance(counter)),
            Count::Reset => updates.push(format!("{} = {};", counter.name, counter.start)),
        }
    }
    if !code.idle.is_empty() && dice.chance(25) {
        let counter = &code.idle[dice.below(code.idle.len())];
        updates.insert(dice.below(updates.len() + 1), advance(counter));
    }
    Rule { from: step.from.clone(), letter: step.letter, guard, updates, output: step.output }
}

/// Assignments that lead from the surroundings to a state. The surroundings follow, since each sees those before it.
fn updates(around: &mut Surroundings, to: usize, dice: &mut Dice) -> Vec<String> {
    let code = around.code;
    let mut order: Vec<usize> = (0..code.variables.len()).collect();
    dice.shuffle(&mut order);
    let mut statements = vec![];
    for variable in order {
        let name = &code.variables[variable].name;
        match code.values[to][variable] {
            // It has the value already; a region may be left and entered at will.
            Some(value) if around.values[variable] == Some(value) => {
                let percent = if matches!(code.variables[variable].domain, Domain::Regions { .. }) { 30 } else { 4 };
                if dice.chance(percent) {
                    statements.push(format!("{name} = {};", assign::to(around, variable, value, dice)));
                }
            }
            Some(value) => {
                if dice.chance(6) {
                    statements.push(format!("{name} = {};", assign::anything(around, variable, dice)));
                    around.values[variable] = None;
                }
                statements.push(format!("{name} = {};", assign::to(around, variable, value, dice)));
                around.values[variable] = Some(value);
            }
            None => {
                if dice.chance(if code.garbage.contains(&variable) { 60 } else { 30 }) {
                    statements.push(format!("{name} = {};", assign::anything(around, variable, dice)));
                    around.values[variable] = None;
                }
            }
        }
    }
    statements
}

/// One stride, unless that would come near an overflow.
fn advance(counter: &Counter) -> String {
    let Counter { name, stride, .. } = counter;
    match *stride > 0 {
        true => format!("{name} += ({name} + 20) > {name} ? {stride} : 0;"),
        false => format!("{name} -= ({name} - 20) < {name} ? {} : 0;", -stride),
    }
}

/// A rule that looks like the others and is never taken.
fn dead(machine: &Machine, code: &Code, dice: &mut Dice) -> Rule {
    let guard = Guard::And(vec![find::never(code, dice), nest(find::unused(code, dice), dice)]);
    assert_exact(&guard, code, &[], |_| true);
    let mut around = Surroundings { code, values: vec![None; code.variables.len()] };
    let to = dice.below(machine.states);
    let updates = updates(&mut around, to, dice);
    Rule { from: vec![], letter: dice.below(machine.shape.letters), guard, updates, output: output(dice) }
}
