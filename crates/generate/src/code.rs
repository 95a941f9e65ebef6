//! The encoding of the hidden machine's states in the variables of the program.
//!
//! Each variable has a few *values*: numbers of its own, regions between cut points, or tables that a pointer can point
//! to. A state determines the value of some variables and leaves others open. The *key* variables alone tell all states
//! apart; the others may be used or ignored.

use std::ops::Range;

use super::dice::Dice;
use super::{Kind, names::Names};

/// The meaning of a variable's values.
#[derive(Clone, Debug)]
pub enum Domain {
    /// These numbers; those of a table, in order, if there is one.
    Numbers { numbers: Vec<i32>, home: Option<usize> },
    /// All integers, cut behind these numbers.
    Regions { cuts: Vec<i32> },
    /// Pointers to these tables.
    Tables(Vec<usize>),
}

impl Domain {
    /// The number of values.
    pub fn len(&self) -> usize {
        match self {
            Domain::Numbers { numbers, .. } => numbers.len(),
            Domain::Regions { cuts } => cuts.len() + 1,
            Domain::Tables(tables) => tables.len(),
        }
    }

    /// The integers that a value stands for: the number itself, the region, or the number of the table.
    pub fn range(&self, value: usize) -> (i64, i64) {
        match self {
            Domain::Numbers { numbers, .. } => (i64::from(numbers[value]), i64::from(numbers[value])),
            Domain::Regions { cuts } => {
                let low = if value == 0 { i64::from(i32::MIN) } else { i64::from(cuts[value - 1]) + 1 };
                let high = cuts.get(value).map_or(i64::from(i32::MAX), |&cut| i64::from(cut));
                (low, high)
            }
            Domain::Tables(tables) => (tables[value] as i64, tables[value] as i64),
        }
    }
}

#[derive(Clone, Debug)]
pub struct Variable {
    pub name: String,
    pub domain: Domain,
}

/// A constant table with ascending cells; no two tables share a number.
#[derive(Clone, Debug)]
pub struct Table {
    pub name: String,
    pub first: i32,
    pub length: usize,
}

/// A variable that only ever moves away from its start, in equal strides, and stops before it would overflow.
#[derive(Clone, Debug)]
pub struct Counter {
    pub name: String,
    pub start: i32,
    /// Not 0; at most 19 either way.
    pub stride: i32,
}

/// The number of variables beyond the keys.
#[derive(Clone, Copy, Debug)]
pub struct Extra {
    /// They depend on the state in all states, in some or in none.
    pub mixed: usize,
    /// Their values are mostly overwritten before anything depends on them: such variables give the real programs so
    /// many states.
    pub garbage: usize,
    /// They repeat a key, in other numbers.
    pub copies: usize,
}

/// The percentage of states in which garbage matters.
const WORTH: usize = 8;

#[derive(Clone, Debug)]
pub struct Code {
    pub kind: Kind,
    pub tables: Vec<Table>,
    pub variables: Vec<Variable>,
    /// For each state and each variable the value, if the state determines it.
    pub values: Vec<Vec<Option<usize>>>,
    pub keys: Vec<usize>,
    /// The variables that are mostly written for nothing.
    pub garbage: Range<usize>,
    /// The counter that the gates of the machine look at.
    pub gate: Option<Counter>,
    /// Counters that decide nothing.
    pub idle: Vec<Counter>,
}

impl Code {
    /// A code for `states` states, with further variables beyond the keys, and with counters or without.
    pub fn new(kind: Kind, states: usize, extra: Extra, counts: bool, names: &mut Names, dice: &mut Dice) -> Code {
        let mut code = Code {
            kind,
            tables: vec![],
            variables: vec![],
            values: vec![vec![]; states],
            keys: vec![],
            garbage: 0..0,
            gate: None,
            idle: vec![],
        };
        if kind == Kind::Data {
            let mut first = dice.between(1, 9) as i32;
            for _ in 0..3 + extra.mixed / 2 {
                let length = dice.one_of(&[6, 6, 8]);
                code.tables.push(Table { name: names.fresh(dice), first, length });
                first += length as i32 + dice.below(4) as i32;
            }
        }
        let mut room = 1;
        while room * 3 < states * 4 {
            code.keys.push(code.variables.len());
            let domain = code.domain(dice);
            room *= domain.len();
            code.variables.push(Variable { name: names.fresh(dice), domain });
        }
        code.spread_keys(room, dice);
        for _ in 0..extra.mixed {
            let domain = code.domain(dice);
            let determined = dice.one_of(&[100, 100, 60, 0]);
            code.add(domain, names, dice, |_, values, dice| dice.chance(determined).then(|| dice.below(values)));
        }
        for _ in 0..extra.copies {
            let key = code.keys[dice.below(code.keys.len())];
            let values = code.variables[key].domain.len();
            let first = dice.one_of(&[1, 3, 7, 14, 40]);
            let numbers = (first..first + values as i32).collect();
            let mut other: Vec<usize> = (0..values).collect();
            dice.shuffle(&mut other);
            let domain = Domain::Numbers { numbers, home: None };
            code.add(domain, names, dice, |state, _, _| state[key].map(|value| other[value]));
        }
        let first = code.variables.len();
        for _ in 0..extra.garbage {
            let domain = code.domain(dice);
            code.add(domain, names, dice, |_, values, dice| dice.chance(WORTH).then(|| dice.below(values)));
        }
        code.garbage = first..code.variables.len();
        if counts {
            let mut counter = || {
                let up = dice.chance(60);
                let (start, stride) = (dice.between(-20, 300) as i32, dice.between(1, 4) as i32);
                Counter { name: names.fresh(dice), start, stride: if up { stride } else { -stride } }
            };
            code.gate = Some(counter());
            code.idle = (0..1 + extra.mixed / 3).map(|_| counter()).collect();
        }
        code
    }

    /// Adds a variable; `value` gives its value in a state, from the values that the state has already and the number
    /// of values.
    fn add(
        &mut self,
        domain: Domain,
        names: &mut Names,
        dice: &mut Dice,
        value: impl Fn(&[Option<usize>], usize, &mut Dice) -> Option<usize>,
    ) {
        for state in &mut self.values {
            let value = value(state, domain.len(), dice);
            state.push(value);
        }
        self.variables.push(Variable { name: names.fresh(dice), domain });
    }

    /// Gives each state a combination of values of the key variables, no two the same.
    fn spread_keys(&mut self, room: usize, dice: &mut Dice) {
        let mut places: Vec<usize> = (0..room).collect();
        dice.shuffle(&mut places);
        for (state, &place) in self.values.iter_mut().zip(&places) {
            let mut rest = place;
            for variable in &self.variables {
                state.push(Some(rest % variable.domain.len()));
                rest /= variable.domain.len();
            }
        }
    }

    fn domain(&self, dice: &mut Dice) -> Domain {
        match self.kind {
            Kind::Arithmetic if dice.chance(60) => {
                let mut cuts = vec![dice.between(-200, 120) as i32];
                for _ in 0..dice.between(1, 3) {
                    let last = cuts[cuts.len() - 1];
                    cuts.push(last + dice.between(12, 190) as i32);
                }
                Domain::Regions { cuts }
            }
            Kind::Data if dice.chance(30) => {
                let mut tables: Vec<usize> = (0..self.tables.len()).collect();
                dice.shuffle(&mut tables);
                tables.truncate(dice.between(2, 3) as usize);
                Domain::Tables(tables)
            }
            Kind::Data if dice.chance(60) => {
                let home = dice.below(self.tables.len());
                let table = &self.tables[home];
                Domain::Numbers {
                    numbers: (0..table.length.min(6) as i32).map(|i| table.first + i).collect(),
                    home: Some(home),
                }
            }
            _ => {
                let length = dice.between(2, 5) as i32;
                let first = if length == 2 { 0 } else { dice.one_of(&[32, 32, 5, 8, 2, 11]) };
                Domain::Numbers { numbers: (first..first + length).collect(), home: None }
            }
        }
    }

    /// The value of a variable that all of some states determine alike.
    pub fn common(&self, states: &[usize], variable: usize) -> Option<usize> {
        let value = self.values[*states.first()?][variable]?;
        states.iter().all(|&state| self.values[state][variable] == Some(value)).then_some(value)
    }
}
