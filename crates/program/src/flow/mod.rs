//! Control-flow automata: programs with loops, jumps and calls anywhere, on their way to a setup and a step.
//!
//! An automaton has blocks of actions, each of which ends in a jump, a branch, an error or a halt. `simplify`, `bisimulation` and
//! `constants` make it smaller until nothing changes, `scalars` takes small tables apart, `accelerate` takes loops that only count in one step, `landmark` keeps an eye on places of the text, `liveness` tells which values can still matter, `cut` finds the places that cut every cycle, and `structure`
//! turns everything between two of them into one loop-free step of a [`Program`], with a variable that says where the
//! run is. The work is linear in the actions, however many paths run through them.

mod accelerate;
mod bisimulation;
mod constants;
mod cut;
mod landmark;
mod liveness;
mod print;
mod scalars;
mod simplify;
mod structure;
mod substitute;

pub use cut::CutPoints;
pub use landmark::Landmark;
pub use print::{Drawing, Drawn};

use redoubt_base::id;

use crate::expr::{ExprId, TableId, VarId};
use crate::program::{Builder, Domain, Malformed, Program, PropertyId, Variable};
use crate::text::Span;

id!(/// A block of an automaton.
    BlockId);

/// An automaton. The blocks' expressions live in the builder of the program that it becomes.
#[derive(Clone, Debug, Default)]
pub struct Automaton {
    pub blocks: Vec<Block>,
    /// In the order of their ids.
    pub variables: Vec<Variable>,
    /// Places of the text that an invariant may be wanted for.
    pub landmarks: Vec<Landmark>,
}

/// Loops that nest deeper are not taken in one step.
const DEEPEST_LOOP: usize = 8;

/// Actions that follow each other, and the end behind them. The first block of an automaton is its entry.
#[derive(Clone, Debug)]
pub struct Block {
    pub actions: Vec<Action>,
    pub end: End,
}

#[derive(Clone, Debug)]
pub struct Action {
    pub kind: ActionKind,
    pub span: Span,
}

#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum ActionKind {
    Assign {
        variable: VarId,
        value: ExprId,
    },
    Store {
        table: TableId,
        index: ExprId,
        value: ExprId,
    },
    /// The environment chooses a value. With a name the program asks for it, and the answer is a part of every witness,
    /// even if it is never used; without one the value is just undefined.
    Choose {
        variable: VarId,
        domain: Domain,
        name: Option<&'static str>,
    },
    /// A run in which the condition fails here does not exist.
    Assume(ExprId),
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum End {
    Jump(BlockId),
    Branch {
        condition: ExprId,
        then: BlockId,
        otherwise: BlockId,
        span: Span,
    },
    Error(PropertyId, Span),
    Halt(Span),
    /// Not understood; a program that still contains this has no meaning. The number is the front end's.
    Refuse(usize),
}

impl End {
    pub fn successors(&self) -> impl Iterator<Item = BlockId> {
        let (first, second) = match self {
            End::Jump(next) => (Some(*next), None),
            End::Branch { then, otherwise, .. } => (Some(*then), Some(*otherwise)),
            End::Error(..) | End::Halt(_) | End::Refuse(_) => (None, None),
        };
        [first, second].into_iter().flatten()
    }

    fn successors_mut(&mut self) -> impl Iterator<Item = &mut BlockId> {
        let (first, second) = match self {
            End::Jump(next) => (Some(next), None),
            End::Branch { then, otherwise, .. } => (Some(then), Some(otherwise)),
            End::Error(..) | End::Halt(_) | End::Refuse(_) => (None, None),
        };
        [first, second].into_iter().flatten()
    }
}

impl Automaton {
    pub fn block(&self, id: BlockId) -> &Block {
        &self.blocks[id.index()]
    }

    pub fn ids(&self) -> impl Iterator<Item = BlockId> + use<> {
        (0..self.blocks.len()).map(BlockId::new)
    }

    /// Per block, the blocks that lead to it; one that does so twice is listed twice.
    pub fn predecessors(&self) -> Vec<Vec<BlockId>> {
        let mut result = vec![vec![]; self.blocks.len()];
        for id in self.ids() {
            self.block(id).end.successors().for_each(|next| result[next.index()].push(id));
        }
        result
    }

    /// Makes the automaton smaller; it reaches the same properties on the same choices.
    pub fn simplify(&mut self, builder: &mut Builder) {
        let tables = builder.tables.len();
        loop {
            simplify::simplify(self, &builder.exprs, tables);
            if !constants::propagate(self, builder.exprs_mut(), tables) {
                return;
            }
        }
    }

    /// Puts a variable in place of each cell of small tables.
    pub fn split_tables(&mut self, builder: &mut Builder) {
        scalars::split(self, builder);
    }

    /// The same, with loops that only count taken in one step.
    pub fn accelerate(&mut self, builder: &mut Builder) {
        let tables = builder.tables.len();
        for _ in 0..DEEPEST_LOOP {
            if !accelerate::accelerate(self, builder.exprs_mut(), tables) {
                return;
            }
            self.simplify(builder);
        }
    }

    /// The program that runs the automaton from cut point to cut point.
    pub fn into_program(self, builder: Builder) -> Result<Program, Malformed> {
        structure::structure(self, builder)
    }
}
