//! The encoding of a variable's values in bits.

use super::{Blaster, WORD};
use crate::circuit::word::{self, Word};
use crate::circuit::{Aig, Signal};
use crate::expr::{Done, Expr, ExprId, Missing, Type};
use crate::program::Domain;
use crate::system::State;
use crate::system::values::Values;

/// The encoding of a variable's value in bits.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Code {
    /// Two's complement.
    Binary { width: usize },
    /// The index in a list of values, ascending. An index beyond the end is read without its top bit, so that every
    /// combination of bits is one of the values.
    Enumerated { values: Vec<i32> },
}

impl Code {
    pub(super) fn of_state(state: &State, values: &Values) -> Code {
        if let (Type::Pointer, Some(domain)) = (state.ty, &state.domain) {
            return Code::Enumerated { values: domain.iter().collect() };
        }
        match (state.ty, values) {
            (Type::Bool, _) => Code::Binary { width: 1 },
            (_, Values::Set(list)) => {
                let enumerated = Code::Enumerated { values: list.clone() };
                let binary = Code::Binary { width: binary_width(values) };
                if enumerated.bits() < binary.bits() { enumerated } else { binary }
            }
            _ => Code::Binary { width: binary_width(values) },
        }
    }

    /// Small alphabets are listed; a larger range is written in binary, with a constraint beside it.
    pub(super) fn of_input(alphabet: &Domain) -> Code {
        const MOST_LISTED: usize = 64;
        match (alphabet, alphabet.list(MOST_LISTED)) {
            (Domain::List(list), _) => Code::Enumerated { values: list.clone() },
            (Domain::Range(..), Some(values)) => Code::Enumerated { values },
            (Domain::Range(low, high), None) => Code::Binary { width: binary_width(&Values::interval(*low, *high)) },
        }
    }

    pub fn bits(&self) -> usize {
        match self {
            Code::Binary { width } => *width,
            Code::Enumerated { values } => (values.len().max(1) - 1).checked_ilog2().map_or(0, |log| log as usize + 1),
        }
    }

    /// The value that bits stand for, least significant first.
    pub fn decode(&self, bits: &[bool]) -> i32 {
        let number = bits.iter().rev().fold(0u32, |number, &bit| number << 1 | u32::from(bit));
        match self {
            // A truth value is 0 or 1, not 0 or -1.
            Code::Binary { width: 1 } => number as i32,
            Code::Binary { width } => (number << (WORD - width)) as i32 >> (WORD - width),
            Code::Enumerated { values } => {
                let number = number as usize;
                let top = bits.len().saturating_sub(1);
                values[if number < values.len() { number } else { number - (1 << top) }]
            }
        }
    }

    /// The bits of a value, if the code has it.
    pub fn encode(&self, value: i32) -> Option<Vec<bool>> {
        let number = match self {
            Code::Binary { .. } => value as usize,
            Code::Enumerated { values } => values.binary_search(&value).ok()?,
        };
        let bits: Vec<bool> = (0..self.bits()).map(|bit| number >> bit & 1 == 1).collect();
        (self.decode(&bits) == value).then_some(bits)
    }

    /// The same, without the top bit if the value is the same with and without it: a state has the value just if it has
    /// these bits.
    pub fn telling_bits(&self, value: i32) -> Option<Vec<bool>> {
        let mut bits = self.encode(value)?;
        if let (Code::Enumerated { values }, Some(top)) = (self, bits.len().checked_sub(1)) {
            let (index, half) = (values.binary_search(&value).ok()?, 1 << top);
            if index < half && index + half >= values.len() {
                bits.pop();
            }
        }
        Some(bits)
    }

    /// The 32-bit word that code bits stand for.
    pub fn decode_bits(&self, gates: &mut Aig, bits: &[Signal]) -> Word {
        match self {
            Code::Binary { .. } => word::sign_extend(bits, WORD),
            Code::Enumerated { values } => {
                let words: Vec<Word> = values.iter().map(|&value| word::constant(i64::from(value), WORD)).collect();
                select(gates, &words, bits)
            }
        }
    }

    /// The condition that code bits stand for one value, where the code makes that cheap.
    pub(super) fn is_value(&self, gates: &mut Aig, bits: &[Signal], value: i32) -> Option<Signal> {
        let Code::Enumerated { values } = self else { return None };
        if values.binary_search(&value).is_err() {
            return Some(Signal::FALSE);
        }
        let telling = self.telling_bits(value)?;
        let literals: Vec<Signal> =
            bits.iter().zip(telling).map(|(&signal, value)| signal.complement_if(!value)).collect();
        Some(gates.and_all(&literals))
    }
}

/// The word that code bits choose from a list that is not empty, as [`Code::Enumerated`] reads them.
pub(super) fn select(gates: &mut Aig, words: &[Word], bits: &[Signal]) -> Word {
    let Some((&top, below)) = bits.split_last() else { return words[0].clone() };
    let half = 1 << below.len();
    let low = select(gates, &words[..words.len().min(half)], below);
    if words.len() <= half {
        return low;
    }
    // Above the end the low half counts again, so the upper half is padded with it.
    let high: Vec<Word> = words[half..].iter().chain(&words[words.len() - half..half]).cloned().collect();
    let high = select(gates, &high, below);
    word::mux(gates, top, &high, &low)
}

fn binary_width(values: &Values) -> usize {
    let (low, high) = values.bounds().unwrap_or((0, 0));
    let magnitude = |value: i32| WORD - (if value < 0 { !value } else { value }).leading_zeros() as usize + 1;
    // A width of 1 is kept for truth values.
    magnitude(low).max(magnitude(high)).max(2)
}

impl Blaster<'_> {
    /// The latches' next values for a state variable whose next value is an expression.
    pub(super) fn encode_next(&mut self, state: usize, next: ExprId) -> Word {
        let code = self.states[state].clone();
        match &code {
            Code::Binary { .. } if self.system.states[state].ty == Type::Bool => vec![self.truth(next)],
            Code::Binary { width } => self.word(next)[..*width].to_vec(),
            Code::Enumerated { values } => {
                let mut fold = std::mem::take(&mut self.fold);
                fold.forget();
                let index = fold.lazy(next, |id, done| self.encode_enumerated(&code, values, id, done)).clone();
                self.fold = fold;
                index
            }
        }
    }

    /// The index of an expression's value. Choices and copies are encoded part by part; only where a value is
    /// computed must the word be compared with each of the possible ones.
    fn encode_enumerated(
        &mut self,
        code: &Code,
        values: &[i32],
        id: ExprId,
        done: &Done<Word>,
    ) -> Result<Word, Missing> {
        let constant = self.system.exprs.constant(id).and_then(|value| code.encode(value));
        Ok(match (constant, self.system.exprs.get(id)) {
            (Some(bits), _) => bits.into_iter().map(Signal::constant).collect(),
            (None, Expr::Var(var)) if self.states[var.index()] == *code => self.state_bits[var.index()].clone(),
            (None, Expr::Ite(condition, then, otherwise)) => {
                let (then, otherwise) = (done.need(then)?, done.need(otherwise)?);
                let condition = self.truth(condition);
                word::mux(&mut self.circuit.gates, condition, then, otherwise)
            }
            _ => self.encode_computed(values, id, code.bits()),
        })
    }

    fn encode_computed(&mut self, values: &[i32], id: ExprId, bits: usize) -> Word {
        let word = self.word(id).clone();
        let gates = &mut self.circuit.gates;
        // Where the values leave no gap, the index is the distance from the lowest.
        if let (&[low, .., high], Ok(count)) = (values, i64::try_from(values.len()))
            && i64::from(high) - i64::from(low) + 1 == count
        {
            let distance = word::sub(gates, &word, &word::constant(i64::from(low), WORD));
            return distance[..bits].to_vec();
        }
        let is_value: Vec<Signal> =
            values.iter().map(|&value| word::eq(gates, &word, &word::constant(i64::from(value), WORD))).collect();
        (0..bits)
            .map(|bit| {
                let with_bit: Vec<Signal> =
                    (0..values.len()).filter(|index| index >> bit & 1 == 1).map(|index| is_value[index]).collect();
                gates.or_all(&with_bit)
            })
            .collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_value_of_a_code_has_bits_that_stand_for_it() {
        for count in 1..20 {
            let values: Vec<i32> = (0..count).map(|value| value * value - 7).collect();
            let code = Code::Enumerated {
                values: {
                    let mut v = values.clone();
                    v.sort_unstable();
                    v.dedup();
                    v
                },
            };
            for &value in &values {
                assert_eq!(code.decode(&code.encode(value).unwrap()), value);
            }
            assert_eq!(code.encode(1000), None);
        }
        for width in 2..=32 {
            let code = Code::Binary { width };
            for value in [0, 1, -1, -2, (1 << (width - 2)), i32::MAX >> (32 - width), i32::MIN >> (32 - width)] {
                let bits = code.encode(value);
                assert_eq!(bits.is_some(), value >= i32::MIN >> (32 - width) && value <= i32::MAX >> (32 - width));
                assert!(bits.is_none_or(|bits| code.decode(&bits) == value), "{value} in {width} bits");
            }
        }
    }

    #[test]
    fn circuits_of_a_code_agree_with_it_on_all_bits() {
        for count in 1..=17 {
            let values: Vec<i32> = (0..count).map(|value| 3 * value - 20).collect();
            let code = Code::Enumerated { values: values.clone() };
            let mut gates = Aig::default();
            let bits = word::leaves(&mut gates, code.bits());
            let word = code.decode_bits(&mut gates, &bits);
            let tests: Vec<Signal> =
                values.iter().map(|&value| code.is_value(&mut gates, &bits, value).unwrap()).collect();
            for number in 0..1usize << code.bits() {
                let given: Vec<bool> = (0..code.bits()).map(|bit| number >> bit & 1 == 1).collect();
                let result = gates.evaluate(|leaf| {
                    let place = bits.iter().position(|bit| bit.node() == leaf);
                    place.map_or(0, |place| u64::from(given[place]))
                });
                let decoded =
                    word.iter().rev().fold(0u32, |number, &bit| number << 1 | u32::from(result.bit(bit))) as i32;
                assert_eq!(decoded, code.decode(&given));
                for (value, test) in values.iter().zip(&tests) {
                    assert_eq!(result.bit(*test), *value == decoded, "{value} of {count} at {number}");
                }
            }
        }
    }
}
