//! All combinations of inputs that a step may get.

use crate::program::Program;

use super::slice::Slice;

/// More combinations than this are too many to try in every state.
pub const MOST_COMBINATIONS: usize = 1 << 16;

/// The combinations, numbered: the last input changes fastest.
#[derive(Clone, Debug)]
pub struct Combinations {
    /// The values of one combination after the other.
    values: Vec<i32>,
    /// How many inputs there are.
    inputs: usize,
    pub count: usize,
}

impl Combinations {
    /// All combinations of the inputs that matter, with any value for the others; `None` if there are too many.
    pub fn of(program: &Program, slice: &Slice) -> Option<Combinations> {
        let alphabets = program.inputs.iter().zip(&slice.inputs).map(|(input, &used)| {
            let length = if used { input.alphabet.len() } else { input.alphabet.len().min(1) };
            &input.alphabet[..length]
        });
        let alphabets: Vec<&[i32]> = alphabets.collect();
        let count = alphabets.iter().try_fold(1_usize, |count, alphabet| count.checked_mul(alphabet.len()))?;
        if count > MOST_COMBINATIONS {
            return None;
        }
        let mut values = Vec::with_capacity(count * alphabets.len());
        let mut odometer = vec![0; alphabets.len()];
        for _ in 0..count {
            values.extend(alphabets.iter().zip(&odometer).map(|(alphabet, &position): (_, &usize)| alphabet[position]));
            for (position, alphabet) in odometer.iter_mut().zip(&alphabets).rev() {
                *position += 1;
                if *position < alphabet.len() {
                    break;
                }
                *position = 0;
            }
        }
        Some(Combinations { values, inputs: alphabets.len(), count })
    }

    pub fn get(&self, number: usize) -> &[i32] {
        &self.values[number * self.inputs..(number + 1) * self.inputs]
    }
}
