//! The variables on which a walk from a part relies: those with which more values might have changed it.
//!
//! Tests on sets of values are monotone: tests that may hold still may when more values arrive. So a walk relies on
//! those variables only for which a test could not hold, on those that it narrowed, and on those that it computed with.
//! All others pass through, and if only they have got more values, the paths are the same as before. Most new values of
//! a part are of that kind, dead ones, so most walks need not be made again.

use rustc_hash::FxHashMap;

use super::State;
use crate::expr::{ExprId, Exprs, VarId};

#[derive(Debug, Default)]
pub struct Reliance {
    /// By position in the state.
    is_relied_on: Vec<bool>,
    /// The same as a list, in the order in which they came.
    list: Vec<usize>,
    /// By position: how often the path has assigned to it. Its value then is not from the part.
    assigned: Vec<u32>,
}

/// A moment in the course of a walk.
#[derive(Clone, Copy, Debug)]
pub struct Mark(usize);

impl Reliance {
    /// At the beginning of a walk that relies on some variables in any case.
    pub fn new(state: &State, given: &[usize]) -> Reliance {
        let count = state.variables.len();
        let mut reliance = Reliance { is_relied_on: vec![false; count], list: vec![], assigned: vec![0; count] };
        given.iter().for_each(|&position| reliance.note(position));
        reliance
    }

    /// Whether more values of a variable would make no difference to the variables that the walk relies on.
    pub fn is_noted(&self, position: usize) -> bool {
        self.is_relied_on[position] || self.assigned[position] > 0
    }

    /// The walk relies on the values of a variable, if they are those of the part.
    pub fn note(&mut self, position: usize) {
        if self.assigned[position] == 0 && !self.is_relied_on[position] {
            self.is_relied_on[position] = true;
            self.list.push(position);
        }
    }

    pub fn mark(&self) -> Mark {
        Mark(self.list.len())
    }

    /// Forgets the notes since the mark: they turned out not to matter.
    pub fn forget(&mut self, mark: Mark) {
        for position in self.list.drain(mark.0..) {
            self.is_relied_on[position] = false;
        }
    }

    pub fn assign(&mut self, position: usize) {
        self.assigned[position] += 1;
    }

    pub fn take_back(&mut self, position: usize) {
        self.assigned[position] -= 1;
    }

    /// By position: whether the walk relies on it.
    pub fn finish(self) -> Vec<bool> {
        self.is_relied_on
    }
}

/// The positions that expressions read, each found out once.
#[derive(Debug, Default)]
pub struct Reads {
    known: FxHashMap<ExprId, Box<[usize]>>,
}

impl Reads {
    pub fn of(&mut self, exprs: &Exprs, state: &State, id: ExprId) -> &[usize] {
        self.known.entry(id).or_insert_with(|| {
            let position = |variable: VarId| state.position(variable);
            exprs.variables(id).into_iter().filter_map(position).collect()
        })
    }
}
