//! The inputs of a step, tried one after the other; only those that the step reads.
//!
//! A step notes which inputs it read. Another value of an input that it did not read leads nowhere else, so only those
//! read are changed, the last one fastest, until all their combinations are through: one value of an input may have
//! the step read others. Programs with many inputs of which a step reads few are searched as fast as any.

use super::layout::Layout;
use super::slice::Slice;
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
    /// What the marks are before a step: where a step does not note what it reads, everything counts as read.
    unmarked: i32,
    /// The inputs that were read, in the order in which that was noticed, each with the position of its value.
    fixed: Vec<(usize, usize)>,
    is_fixed: Vec<bool>,
}

impl Tape {
    /// The inputs of a program, with one value for those that no part of the slice reads; `None` if one has too many.
    pub fn of(program: &Program, slice: &Slice, layout: &Layout) -> Option<Tape> {
        let alphabets = program.inputs.iter().zip(&slice.inputs).map(|(input, &read)| {
            if read { input.alphabet.list(MOST_VALUES) } else { Some(input.alphabet.iter().take(1).collect()) }
        });
        let alphabets: Vec<Vec<i32>> = alphabets.collect::<Option<_>>()?;
        let is_fixed = vec![false; alphabets.len()];
        let (inputs, marks, unmarked) =
            (layout.input(InputId::new(0)), layout.marks(), i32::from(alphabets.len() == 1));
        Some(Tape { alphabets, inputs, marks, unmarked, fixed: vec![], is_fixed })
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
    pub fn values<'f>(&self, frame: &'f [i32]) -> &'f [i32] {
        &frame[self.inputs..self.inputs + self.alphabets.len()]
    }

    /// How many inputs there are.
    pub fn inputs(&self) -> usize {
        self.alphabets.len()
    }

    /// Puts any values into a frame.
    pub fn choose(&self, frame: &mut [i32], mut below: impl FnMut(usize) -> usize) {
        for (index, alphabet) in self.alphabets.iter().enumerate() {
            frame[self.inputs + index] = alphabet[below(alphabet.len())];
        }
    }

    fn clear_marks(&self, frame: &mut [i32]) {
        frame[self.marks..self.marks + self.alphabets.len()].fill(self.unmarked);
    }
}
