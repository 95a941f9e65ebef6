//! Finds expressions that give a variable a value: one number, one region, or one table.

use super::Kind;
use super::code::{Code, Domain};
use super::dice::Dice;
use super::expression::{ALL, Expression, Operator, Range, Surroundings};

/// An expression that gives the variable this value wherever the surroundings hold.
pub fn to(around: &Surroundings, variable: usize, value: usize, dice: &mut Dice) -> String {
    let code = around.code;
    match &code.variables[variable].domain {
        Domain::Tables(tables) => table(around, tables[value], dice),
        domain => {
            let target = domain.range(value);
            let expression = match domain {
                Domain::Regions { .. } => into(around, variable, target, dice),
                _ => exactly(around, target.0 as i32, dice),
            };
            let found = expression.range(around);
            let text = expression.to_c(code);
            assert!(found.is_some_and(|found| target.0 <= found.0 && found.1 <= target.1), "{text}: {found:?}");
            text
        }
    }
}

/// A table, by its name or through a pointer that is known to point to it.
fn table(around: &Surroundings, table: usize, dice: &mut Dice) -> String {
    let code = around.code;
    let mut names = vec![code.tables[table].name.clone()];
    for (variable, value) in code.variables.iter().zip(&around.values) {
        if let (Domain::Tables(tables), Some(value)) = (&variable.domain, value)
            && tables[*value] == table
        {
            names.push(variable.name.clone());
        }
    }
    dice.pick(&names).unwrap_or_default()
}

/// The variables that are known to be one number.
fn known(around: &Surroundings) -> Vec<(usize, i32)> {
    let mut found = vec![];
    for (index, variable) in around.code.variables.iter().enumerate() {
        if let (Domain::Numbers { numbers, .. }, Some(value)) = (&variable.domain, around.values[index]) {
            found.push((index, numbers[value]));
        }
    }
    found
}

/// An expression for one number.
fn exactly(around: &Surroundings, number: i32, dice: &mut Dice) -> Expression {
    match around.code.kind {
        Kind::Plain | Kind::Counters => {
            let same: Vec<(usize, i32)> = known(around).into_iter().filter(|&(_, value)| value == number).collect();
            match dice.pick(&same) {
                Some((variable, _)) if dice.chance(15) => Expression::Variable(variable),
                _ => Expression::Constant(number),
            }
        }
        Kind::Arithmetic => computed(around, number, dice),
        Kind::Data => looked_up(around, number, dice),
    }
}

/// A number as a cell of a table, if it is one.
fn looked_up(around: &Surroundings, number: i32, dice: &mut Dice) -> Expression {
    let code = around.code;
    let home = code.tables.iter().position(|table| table.first <= number && number < table.first + table.length as i32);
    let Some(home) = home.filter(|_| dice.chance(75)) else { return computed(around, number, dice) };
    let index = Box::new(computed(around, number - code.tables[home].first, dice));
    let pointers = (0..code.variables.len()).filter(|&variable| {
        matches!(&code.variables[variable].domain, Domain::Tables(tables)
            if around.values[variable].is_some_and(|value| tables[value] == home))
    });
    match dice.pick(&pointers.collect::<Vec<_>>()) {
        Some(pointer) if dice.chance(60) => Expression::Through(pointer, index),
        _ => Expression::Cell(home, index),
    }
}

/// A number computed from a variable that is known.
fn computed(around: &Surroundings, number: i32, dice: &mut Dice) -> Expression {
    use Operator::{Add, Divide, Multiply, Remainder, Subtract};
    let Some((variable, value)) = dice.pick(&known(around)) else { return Expression::Constant(number) };
    let it = || Expression::Variable(variable);
    let constant = Expression::Constant;
    let with = |operator, right| Expression::binary(operator, it(), right);
    match dice.below(9) {
        0 => shifted(it(), number - value, dice),
        1 => {
            let factor = dice.between(2, 9) as i32;
            shifted(with(Multiply, constant(factor)), number - value * factor, dice)
        }
        2 => shifted(with(Multiply, it()), number - value * value, dice),
        3 if value > 0 => shifted(with(Divide, it()), number - 1, dice),
        4 => shifted(with(Subtract, it()), number, dice),
        5 if value > 0 => {
            let divisor = dice.between(2, 5) as i32;
            shifted(with(Remainder, constant(divisor)), number - value % divisor, dice)
        }
        6 => {
            let name = &around.code.variables[variable].name;
            let (truth, other) = (dice.chance(50), constant(number + dice.between(1, 4) as i32));
            let condition = format!("{name} {} {value}", if truth { "==" } else { "!=" });
            let (right, wrong) = (Box::new(constant(number)), Box::new(other));
            let (first, second) = if truth { (right, wrong) } else { (wrong, right) };
            Expression::Chosen { condition, truth, first, second }
        }
        7 => shifted(with(Add, it()), number - 2 * value, dice),
        _ => constant(number),
    }
}

/// The expression plus a number, which is written in one piece or in two.
fn shifted(expression: Expression, by: i32, dice: &mut Dice) -> Expression {
    let first = if dice.chance(30) { dice.between(-40, 40) as i32 } else { 0 };
    let mut result = expression;
    for part in [first, by - first] {
        if part != 0 {
            let (operator, part) = if dice.chance(50) { (Operator::Add, part) } else { (Operator::Subtract, -part) };
            result = Expression::binary(operator, result, Expression::Constant(part));
        }
    }
    result
}

/// Regions without a bound on one side are entered at most so far from the other.
const FAR: i64 = 300_000;

/// An expression with values in a region: something is computed, and a remainder and a shift make it fit.
fn into(around: &Surroundings, variable: usize, target: Range, dice: &mut Dice) -> Expression {
    let (low, high) = near(target, dice.between(100, FAR));
    let constant = Expression::Constant(dice.between(low, high) as i32);
    if dice.chance(10) {
        return constant;
    }
    let mut expression = Expression::Variable(source(around, variable, dice));
    for _ in 0..dice.below(3) {
        expression = altered(around, expression, dice);
    }
    let Some(mut range) = expression.range(around) else { return constant };
    if range.1 - range.0 > high - low {
        let one_sided = range.0 >= 0 || range.1 <= 0;
        let most = if one_sided { high - low + 1 } else { (high - low) / 2 + 1 };
        if most < 2 {
            return constant;
        }
        let divisor = dice.between((most / 2).max(2), most) as i32;
        expression = Expression::binary(Operator::Remainder, expression, Expression::Constant(divisor));
        let Some(remainder) = expression.range(around) else { return constant };
        range = remainder;
    }
    let by = dice.between(low - range.0, high - range.1);
    let shifted = shifted(expression, by as i32, dice);
    // Parts of a shift may overflow where the whole does not.
    let fits = shifted.range(around).is_some_and(|found| low <= found.0 && found.1 <= high);
    if fits { shifted } else { constant }
}

/// The part of a region that is not farther than this from its bounds.
fn near((low, high): Range, reach: i64) -> Range {
    let nearest = if low == ALL.0 { high - reach } else { low };
    (nearest, if high == ALL.1 { low + reach } else { high })
}

/// Where a new value comes from: mostly from the old one.
fn source(around: &Surroundings, variable: usize, dice: &mut Dice) -> usize {
    let code = around.code;
    let integers =
        (0..code.variables.len()).filter(|&index| !matches!(code.variables[index].domain, Domain::Tables(_)));
    let integers: Vec<usize> = integers.collect();
    if dice.chance(65) { variable } else { dice.pick(&integers).unwrap_or(variable) }
}

fn altered(around: &Surroundings, expression: Expression, dice: &mut Dice) -> Expression {
    use Operator::{Add, Divide, Multiply, Remainder, Subtract};
    let (operator, low, high) = dice.one_of(&[
        (Multiply, 2, 10),
        (Multiply, 100, 90_000_000),
        (Divide, 2, 10),
        (Add, -600, 600),
        (Subtract, -600, 600),
        (Remainder, 10, 900),
    ]);
    if operator == Add && dice.chance(40) {
        let other = source(around, 0, dice);
        if !matches!(around.code.variables[other].domain, Domain::Tables(_)) {
            return Expression::binary(Add, expression, Expression::Variable(other));
        }
    }
    Expression::binary(operator, expression, Expression::Constant(dice.between(low, high) as i32))
}

/// An expression that gives the variable some value or other.
pub fn anything(around: &Surroundings, variable: usize, dice: &mut Dice) -> String {
    let value = dice.below(around.code.variables[variable].domain.len());
    to(around, variable, value, dice)
}

/// The initial value of a variable, as C.
pub fn initial(code: &Code, variable: usize, value: usize, dice: &mut Dice) -> String {
    match &code.variables[variable].domain {
        Domain::Tables(tables) => code.tables[tables[value]].name.clone(),
        domain => {
            let (low, high) = near(domain.range(value), 200);
            dice.between(low, high).to_string()
        }
    }
}
