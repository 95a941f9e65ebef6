//! Names of variables and tables as the challenge writes them: `a17`, or `a1537379265` in later years.

use std::collections::BTreeSet;

use super::dice::Dice;

pub struct Names {
    long: bool,
    taken: BTreeSet<i64>,
}

impl Names {
    pub fn new(long: bool) -> Names {
        Names { long, taken: BTreeSet::new() }
    }

    pub fn fresh(&mut self, dice: &mut Dice) -> String {
        loop {
            let number = if self.long { dice.between(100_000_000, 2_147_483_647) } else { dice.between(1, 399) };
            if self.taken.insert(number) {
                return format!("a{number}");
            }
        }
    }
}
