//! Sums of words: equal sums become the same word, so that no solver has to find out that they are equal.
//!
//! Numbers wrap around, so a sum of multiples of words is the same in whatever order it was made. That `(i + 1) - (j + 1)` is
//! `i - j` takes a solver long to see in four chains of adders, and is plain once the sums are written out.

use rustc_hash::FxHashMap;

use super::gates::{Gates, Lit};
use super::words::{self, Word};

/// Longer sums are taken as they are.
const MOST_TERMS: usize = 8;

/// Multiples of words that are no sums themselves, by their numbers, ascending, none of them zero; and a constant.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
struct Form {
    terms: Vec<(u32, i32)>,
    constant: i32,
}

/// The sums so far.
#[derive(Default)]
pub struct Sums {
    atoms: FxHashMap<Word, u32>,
    forms: FxHashMap<Word, Form>,
    words: FxHashMap<Form, Word>,
    /// By the difference of two words: that there is none.
    equal: FxHashMap<Form, Lit>,
}

impl Sums {
    pub fn add(&mut self, gates: &mut Gates, a: &Word, b: &Word) -> Word {
        let form = self.form(a).plus(&self.form(b), 1);
        self.word(form, || words::add(gates, a, b, Lit::FALSE))
    }

    pub fn subtract(&mut self, gates: &mut Gates, a: &Word, b: &Word) -> Word {
        let form = self.form(a).plus(&self.form(b), -1);
        self.word(form, || words::add(gates, a, &words::not(b), Lit::TRUE))
    }

    pub fn multiply(&mut self, gates: &mut Gates, a: &Word, b: &Word) -> Word {
        let form = match (a.number(), b.number()) {
            (_, Some(factor)) => self.form(a).times(factor),
            (Some(factor), _) => self.form(b).times(factor),
            _ => return words::multiply(gates, a, b),
        };
        self.word(form, || words::multiply(gates, a, b))
    }

    pub fn equal(&mut self, gates: &mut Gates, a: &Word, b: &Word) -> Lit {
        let mut difference = self.form(a).plus(&self.form(b), -1);
        match difference.terms.first() {
            None => return Lit::constant(difference.constant == 0),
            Some((_, factor)) if *factor < 0 => difference = difference.times(-1),
            Some(_) => {}
        }
        *self.equal.entry(difference).or_insert_with(|| words::equal(gates, a, b))
    }

    fn form(&mut self, word: &Word) -> Form {
        if let Some(constant) = word.number() {
            return Form { terms: vec![], constant };
        }
        if let Some(form) = self.forms.get(word) {
            return form.clone();
        }
        let number = self.atoms.len() as u32;
        let form = Form { terms: vec![(*self.atoms.entry(word.clone()).or_insert(number), 1)], constant: 0 };
        self.words.insert(form.clone(), word.clone());
        form
    }

    /// The word of a sum, which is made if there is none yet.
    fn word(&mut self, form: Form, make: impl FnOnce() -> Word) -> Word {
        if form.terms.is_empty() {
            return words::constant(form.constant);
        }
        if let Some(word) = self.words.get(&form) {
            return word.clone();
        }
        let word = make();
        if form.terms.len() <= MOST_TERMS && !self.atoms.contains_key(&word) && word.number().is_none() {
            self.forms.entry(word.clone()).or_insert_with(|| form.clone());
            self.words.insert(form, word.clone());
        }
        word
    }
}

impl Form {
    fn plus(&self, other: &Form, factor: i32) -> Form {
        let other = other.times(factor);
        let mut terms = self.terms.clone();
        for (atom, factor) in other.terms {
            match terms.binary_search_by_key(&atom, |term| term.0) {
                Ok(index) => terms[index].1 = terms[index].1.wrapping_add(factor),
                Err(index) => terms.insert(index, (atom, factor)),
            }
        }
        terms.retain(|term| term.1 != 0);
        Form { terms, constant: self.constant.wrapping_add(other.constant) }
    }

    fn times(&self, factor: i32) -> Form {
        let terms = self.terms.iter().map(|&(atom, old)| (atom, old.wrapping_mul(factor)));
        Form { terms: terms.filter(|(_, factor)| *factor != 0).collect(), constant: self.constant.wrapping_mul(factor) }
    }
}

#[cfg(test)]
mod tests {
    use redoubt_base::{Interrupt, Random};

    use super::*;
    use crate::search::{Found, Search};

    #[test]
    fn what_is_the_same_sum_is_the_same_word() {
        let (mut gates, mut sums) = (Gates::default(), Sums::default());
        let (i, j, one) = (words::fresh(&mut gates), words::fresh(&mut gates), words::constant(1));
        let (more_i, more_j) = (sums.add(&mut gates, &i, &one), sums.add(&mut gates, &one, &j));
        let apart = sums.subtract(&mut gates, &i, &j);
        assert_eq!(sums.subtract(&mut gates, &more_i, &more_j), apart);
        assert_eq!(sums.add(&mut gates, &j, &apart), i);
        let twice = sums.multiply(&mut gates, &words::constant(2), &i);
        assert_eq!(sums.add(&mut gates, &i, &i), twice);
        assert_eq!(sums.subtract(&mut gates, &twice, &twice), words::constant(0));
        assert_eq!(sums.equal(&mut gates, &more_i, &i), Lit::FALSE);
        assert_eq!(sums.equal(&mut gates, &more_i, &more_j), sums.equal(&mut gates, &j, &i));
        assert_ne!(sums.equal(&mut gates, &more_i, &j), sums.equal(&mut gates, &i, &more_j));
    }

    /// Sums of sums are the numbers that Rust computes, and comparing them says so.
    #[test]
    fn sums_are_what_they_should_be() {
        let mut random = Random::new(5);
        for _ in 0..60 {
            let (mut gates, mut sums) = (Gates::default(), Sums::default());
            let number = |random: &mut Random| match random.below(3) {
                0 => random.bits() as i32,
                1 => random.below(7) as i32 - 3,
                _ => i32::MIN.wrapping_add(random.below(3) as i32 - 1),
            };
            let mut known: Vec<(Word, i32)> = vec![];
            for _ in 0..3 {
                let (word, value) = (words::fresh(&mut gates), number(&mut random));
                let fixed = words::equal(&mut gates, &word, &words::constant(value));
                gates.require(&[fixed]);
                known.push((word, value));
            }
            let mut wrong = vec![];
            for _ in 0..12 {
                let constant = number(&mut random);
                known.push((words::constant(constant), constant));
                let (a, x) = known[random.below(known.len())].clone();
                let (b, y) = known[random.below(known.len())].clone();
                let made = match random.below(3) {
                    0 => (sums.add(&mut gates, &a, &b), x.wrapping_add(y)),
                    1 => (sums.subtract(&mut gates, &a, &b), x.wrapping_sub(y)),
                    _ => (sums.multiply(&mut gates, &a, &words::constant(constant)), x.wrapping_mul(constant)),
                };
                let is_right = words::equal(&mut gates, &made.0, &words::constant(made.1));
                let equal = sums.equal(&mut gates, &made.0, &a);
                wrong.extend([!is_right, if made.1 == x { !equal } else { equal }]);
                known.push(made);
            }
            let wrong = gates.any(&wrong);
            let found = Search::new().solve(&gates, &[wrong], &Interrupt::default());
            assert_eq!(found, Found::Nothing, "{known:?}");
        }
    }
}
