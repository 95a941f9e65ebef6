//! Numbers for texts.
//!
//! A letter has its place in the alphabet, as in the C of the challenge, also as `iA` or `oX`; small letters, which fields
//! hold, follow. All other words are numbered as they are met.

use rustc_hash::FxHashMap;
use std::collections::BTreeMap;

/// The words of one kind, with a number each.
#[derive(Debug)]
pub struct Words {
    /// `i` or `o`: what may stand in front of a letter.
    prefix: char,
    numbers: FxHashMap<String, i32>,
    names: BTreeMap<i32, String>,
}

/// Words that are no letters begin here.
const FIRST: i32 = 101;

impl Words {
    /// Those that are read, or kept in fields.
    pub fn of_inputs() -> Words {
        Words::new('i')
    }

    /// Those that are printed.
    pub fn of_outputs() -> Words {
        Words::new('o')
    }

    fn new(prefix: char) -> Words {
        Words { prefix, numbers: FxHashMap::default(), names: BTreeMap::new() }
    }

    /// The number of a word.
    pub fn number(&mut self, word: &str) -> i32 {
        if let Some(&number) = self.numbers.get(word) {
            return number;
        }
        let wanted = self.place(word).filter(|number| !self.names.contains_key(number));
        let number = wanted.unwrap_or_else(|| {
            let last = self.names.last_key_value().map_or(0, |(&last, _)| last);
            FIRST.max(last + 1)
        });
        self.numbers.insert(word.into(), number);
        self.names.insert(number, word.into());
        number
    }

    /// The place of a letter in the alphabet.
    fn place(&self, word: &str) -> Option<i32> {
        let letter = word.strip_prefix(self.prefix).filter(|rest| rest.len() == 1).unwrap_or(word);
        match *letter.as_bytes() {
            [capital @ b'A'..=b'Z'] => Some(i32::from(capital - b'A') + 1),
            [small @ b'a'..=b'z'] if letter == word => Some(i32::from(small - b'a') + 28),
            _ => None,
        }
    }

    /// The words by their numbers.
    pub fn into_names(self) -> BTreeMap<i32, String> {
        self.names
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_two_words_have_one_number() {
        let mut words = Words::of_inputs();
        let numbers = ["iA", "A", "B", "e", "iB", "usr_ai1", "oC", "i", "e"].map(|word| words.number(word));
        assert_eq!(numbers, [1, 101, 2, 32, 102, 103, 104, 36, 32]);
        assert_eq!(words.into_names()[&103], "usr_ai1");
        assert_eq!(Words::of_outputs().number("oX"), 24);
    }
}
