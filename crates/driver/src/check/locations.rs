//! Where a run of a program can be, as a partition of the states of its circuit.

use crate::blast::{Blasted, Code};
use crate::engine::StateLit;
use crate::engine::cfa::Partition;
use crate::program::{Place, Program};
use crate::system::State;

/// The latches of the variable that says where a run is: the code of its values, and the number of the first.
pub(super) fn location<'b>(program: &Program, states: &[State], blasted: &'b Blasted) -> Option<(&'b Code, usize)> {
    let place = program.location.map(Place::Variable)?;
    let at = states.iter().position(|state| state.place == place)?;
    Some((&blasted.states[at], blasted.states[..at].iter().map(Code::bits).sum()))
}

/// The literals that are true where a run is at a place; `None` if the code does not have it, as it is never there.
pub(super) fn literals((code, first): (&Code, usize), value: i32) -> Option<Vec<StateLit>> {
    let bits = code.telling_bits(value)?;
    Some(bits.into_iter().enumerate().map(|(bit, value)| StateLit::new(first + bit, value)).collect())
}

/// With more locations than this, there may be so many edges that one sequence of frames is cheaper.
const MOST_LOCATIONS: usize = 32;

/// All locations; only one if the program has no more, or too many, or if not every combination of bits stands for one.
pub(super) fn partition(program: &Program, states: &[State], blasted: &Blasted) -> Partition {
    let all = || match location(program, states, blasted)? {
        (code @ Code::Enumerated { values }, first) if values.len() <= MOST_LOCATIONS => {
            let list = values.iter().map(|&value| literals((code, first), value)).collect::<Option<Vec<_>>>();
            Partition::new(list?)
        }
        _ => None,
    };
    all().unwrap_or(Partition::trivial())
}
