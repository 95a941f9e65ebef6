//! A model in, one in which large arrays are a few of their cells out; and the way back for runs.
//!
//! A [`Watch`] follows one cell of an array. Its index `p` is a state that has any value at the start and keeps it.
//!
//! ```text
//! an array          the cell at p
//! write a i v       the cell is v if i = p, otherwise what it was
//! read a i          the cell if i = p, otherwise any value
//! bad               bad, and p is the value that an expression had so many steps ago
//! ```
//!
//! Reads of a fresh write are looked up there first. A run of the model is one of the abstraction whatever `p` is,
//! since a read may have its real value. If the run ends in a bad state, `p` can be the value of the expression, so the
//! abstraction has a run to its bad state too: what is unreachable there is unreachable in the model. This is how Mann,
//! Irfan, Griggio, Padon and Barrett prove with prophecy variables ("Counterexample-guided prophecy for model checking
//! modulo the theory of arrays", TACAS 2021): the cell that matters in the end is known from the start.
//!
//! A run of the abstraction may read wrong values. [`Abstraction::concretize`] turns it into a run of the model, or
//! names a cell that should be watched as well.

mod build;
mod concretize;
mod families;
#[cfg(test)]
mod tests;

use crate::model::{Model, NodeId};

pub use concretize::Concrete;

use build::build;
use families::Families;

/// A followed cell: in the arrays that are connected with this one, the cell at the index that the expression had a
/// given number of steps before the end of a run.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Watch {
    /// An expression of the model that is an array.
    pub array: NodeId,
    pub index: NodeId,
    pub delay: usize,
}

/// A model without its large arrays, and without parts that no property depends on.
#[derive(Clone, Debug)]
pub struct Abstraction {
    /// Its properties are those of the given model, in order. Justice properties are weaker: those that hold here hold
    /// there.
    pub model: Model,
    families: Families,
    watches: Vec<Watch>,
    /// By node of the given model: its counterpart here, unless it is a large array or nothing depends on it.
    nodes: Vec<Option<NodeId>>,
}

impl Abstraction {
    /// Abstracts the arrays that take more bits than this and are compared with none; `None` if there are none.
    pub fn of(model: &Model, most_bits: usize) -> Option<Abstraction> {
        let families = Families::of(model, most_bits);
        families.has_large().then(|| build(model, families, vec![]))
    }

    /// The abstraction that follows a cell more.
    pub fn refined(&self, model: &Model, watch: Watch) -> Abstraction {
        let mut watches = self.watches.clone();
        watches.push(watch);
        build(model, self.families.clone(), watches)
    }

    pub fn watches(&self) -> &[Watch] {
        &self.watches
    }
}
