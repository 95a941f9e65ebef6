//! The inputs of a step, tried one after the other; only those that the step reads.
//!
//! A step notes which inputs it read. Another value of an input that it did not read leads nowhere else, so only those
//! read are changed, the last one fastest, until all their combinations are through: one value of an input may have
//! the step read others. Programs with many inputs of which a step reads few are searched as fast as any.

use super::layout::Layout;
use crate::expr::InputId;
use crate::program::Program;

/// More values of one input than this are too many to try in every state.
pub const MOST_VALUES: usize = 1 << 16;

/// What to give to the next step.
#[derive(Clone, Debug)]
pub struct Tape {
    alphabets: Vec<Vec<i32>>,
    /// Where the inputs are in the frame, and where it is noted that they were read.
    inputs: usize,
    marks: usize,
    /// The inputs that were read, in the order in which that was noticed, each with the position of its value.
    fixed: Vec<(usize, usize)>,
    is_fixed: Vec<bool>,
}

impl Tape {
    /// The inputs of a program; `None` if one has too many values, or none at all.
    pub fn of(program: &Program, layout: &Layout) -> Option<Tape> {
        let alphabets: Vec<Vec<i32>> = program.inputs.iter().map(|input| input.alphabet.clone()).collect();
        if alphabets.iter().any(|alphabet| alphabet.len() > MOST_VALUES) {
            return None;
        }
        let (inputs, marks) = (layout.input(InputId::new(0)), layout.mark(InputId::new(0)));
        Some(Tape { is_fixed: vec![false; alphabets.len()], alphabets, inputs, marks, fixed: vec![] })
    }

    /// Whether there is any step at all: an input without values has none.
    pub fn is_possible(&self) -> bool {
        self.alphabets.iter().all(|alphabet| !alphabet.is_empty())
    }

    /// Puts the first value of each input into a frame.
    pub fn start(&mut self, frame: &mut [i32]) {
        self.fixed.clear();
        self.is_fixed.fill(false);
        for (index, alphabet) in self.alphabets.iter().enumerate() {
            frame[self.inputs + index] = alphabet[0];
        }
        self.clear_marks(frame);
    }

    /// Puts the next values into a frame on which a step was executed; false, and the first values, if that was the
    /// last.
    pub fn advance(&mut self, frame: &mut [i32]) -> bool {
        for index in 0..self.alphabets.len() {
            if frame[self.marks + index] != 0 && !self.is_fixed[index] {
                self.is_fixed[index] = true;
                self.fixed.push((index, 0));
            }
        }
        self.clear_marks(frame);
        while let Some((index, position)) = self.fixed.last_mut() {
            *position += 1;
            if let Some(&value) = self.alphabets[*index].get(*position) {
                frame[self.inputs + *index] = value;
                return true;
            }
            frame[self.inputs + *index] = self.alphabets[*index][0];
            self.is_fixed[*index] = false;
            self.fixed.pop();
        }
        false
    }

    /// The values that the last step got.
    pub fn values(&self, frame: &[i32]) -> Vec<i32> {
        frame[self.inputs..self.inputs + self.alphabets.len()].to_vec()
    }

    /// Puts any values into a frame.
    pub fn choose(&mut self, frame: &mut [i32], mut below: impl FnMut(usize) -> usize) {
        for (index, alphabet) in self.alphabets.iter().enumerate() {
            frame[self.inputs + index] = alphabet[below(alphabet.len())];
        }
    }

    fn clear_marks(&self, frame: &mut [i32]) {
        frame[self.marks..self.marks + self.alphabets.len()].fill(0);
    }
}
