//! Word-level transition systems: one step of a program, as expressions over its state and inputs.
//!
//! A system is plain data. Each state variable has an initial value and an expression for its next value;
//! each property has a condition that is true in a step that reaches it. A *run* starts in the initial
//! state; in every step all constraints hold and every input has a value of its alphabet; and a step in
//! which `stop` is true has no successor. That is how an error or a halt ends a run. Engines may therefore
//! assume `!stop` of every step but the last, and nothing is said about the next state after a step that
//! stops.

pub mod btor2;
mod build;
pub mod passes;
mod print;
pub mod rewrite;
#[cfg(test)]
mod samples;
pub mod smt2;
pub mod tables;
pub mod values;

pub use build::{build, build_within};

use std::sync::Arc;

use crate::expr::{ExprId, Exprs, Type};
use crate::program::{Domain, Input, Place, Table};
use crate::text::{Sources, Span};

#[derive(Clone, Debug)]
pub struct TransitionSystem {
    pub name: String,
    pub sources: Arc<Sources>,
    pub exprs: Exprs,
    pub inputs: Vec<Input>,
    /// The state variables; `Expr::Var` counts them.
    pub states: Vec<State>,
    /// The constant tables; `Expr::Table` counts them.
    pub tables: Vec<Table>,
    pub properties: Vec<Property>,
    /// Conditions that hold in every step of every run.
    pub constraints: Vec<ExprId>,
    /// The step ends the run.
    pub stop: ExprId,
}

#[derive(Clone, Debug)]
pub struct State {
    pub name: String,
    /// Where the program keeps it.
    pub place: Place,
    pub ty: Type,
    /// A number, a truth value as 0 or 1, or a table's number.
    pub initial: i32,
    pub next: ExprId,
    /// The writes of the step that are not overwritten on their path, in the order of the text. Their
    /// conditions exclude each other; if none holds, the variable keeps its value.
    pub writes: Vec<Write>,
    /// Values that include all that the variable can have while the run goes on, where that is known beforehand.
    pub domain: Option<Domain>,
    pub span: Span,
}

/// `condition -> next = value`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Write {
    pub condition: ExprId,
    pub value: ExprId,
}

#[derive(Clone, Debug)]
pub struct Property {
    pub name: String,
    pub condition: ExprId,
    pub span: Span,
}

impl TransitionSystem {
    /// The expressions that define the system, as functions; all others in the arena are parts of them, belong to
    /// [`State::writes`], or are unused.
    pub fn roots(&self) -> impl Iterator<Item = ExprId> + '_ {
        let next = self.states.iter().map(|state| state.next);
        let properties = self.properties.iter().map(|property| property.condition);
        next.chain(properties).chain(self.constraints.iter().copied()).chain([self.stop])
    }

    /// The conditions and values of all writes.
    pub fn write_roots(&self) -> impl Iterator<Item = ExprId> + '_ {
        let writes = self.states.iter().flat_map(|state| &state.writes);
        writes.flat_map(|write| [write.condition, write.value])
    }

    /// Per expression: whether one of the given roots depends on it.
    pub fn used(&self, roots: impl IntoIterator<Item = ExprId>) -> Vec<bool> {
        let mut used = vec![false; self.exprs.len()];
        roots.into_iter().for_each(|root| used[root.index()] = true);
        // Operands precede their users, so one walk from the end marks them all.
        for index in (0..used.len()).rev() {
            if used[index] {
                for operand in self.exprs.get(ExprId::new(index)).operands() {
                    used[operand.index()] = true;
                }
            }
        }
        used
    }
}
