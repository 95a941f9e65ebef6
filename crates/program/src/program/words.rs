//! The words of a program: it reads and prints numbers, which stand for words of the source.

use std::collections::BTreeMap;

/// By the number; none in languages that have numbers only.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Words {
    /// Those that are read, or kept.
    pub inputs: BTreeMap<i32, String>,
    /// Those that are printed.
    pub outputs: BTreeMap<i32, String>,
}

impl Words {
    /// Whether the source has numbers only.
    pub fn is_empty(&self) -> bool {
        self.inputs.is_empty() && self.outputs.is_empty()
    }

    /// An input as it is written: its word, the letter at that place of the alphabet, or the number.
    pub fn input(&self, number: i32) -> String {
        self.inputs.get(&number).cloned().unwrap_or_else(|| letter(number))
    }

    /// The input that a text stands for: a word, a number, or a letter of either case.
    pub fn read(&self, text: &str) -> Option<i32> {
        let word = self.inputs.iter().find(|(_, word)| *word == text).map(|(&number, _)| number);
        word.or_else(|| match text.as_bytes() {
            [letter] if letter.is_ascii_alphabetic() => Some(i32::from(letter.to_ascii_uppercase() - b'A') + 1),
            _ => text.parse().ok(),
        })
    }

    /// What a program prints, with words for numbers.
    pub fn printed(&self, output: &str) -> String {
        if self.outputs.is_empty() {
            return output.into();
        }
        let word = |line: &str| line.parse().ok().and_then(|number| self.outputs.get(&number)).cloned();
        output
            .split_inclusive('\n')
            .map(|line| {
                let number = line.trim_end_matches('\n');
                word(number).map_or_else(|| line.to_string(), |word| word + &line[number.len()..])
            })
            .collect()
    }
}

/// The place of a capital letter in the alphabet.
pub fn number_of_letter(word: &str) -> Option<i32> {
    match *word.as_bytes() {
        [letter @ b'A'..=b'Z'] => Some(i32::from(letter - b'A') + 1),
        _ => None,
    }
}

/// A number as the challenge writes it: A for 1, B for 2 and so on; other numbers stay numbers.
pub fn letter(number: i32) -> String {
    match u8::try_from(number) {
        Ok(number @ 1..=26) => char::from(b'A' + number - 1).to_string(),
        _ => number.to_string(),
    }
}
