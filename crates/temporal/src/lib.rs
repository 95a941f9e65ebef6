//! Linear temporal logic: formulas, automata, machines, and whether all infinite runs of a machine satisfy a formula.
//!
//! ```text
//! text          (crates/formula)   formula as it was written, with its meaning on lassos
//! formula       normal     negation normal form, hash-consed and simplified
//! normal form   tableau    generalised Büchi automaton, reduced, also written as HOA
//! machine       builder    states, and what a step on each input prints and leads to
//!               bisimulation   the same with one state for all that behave alike
//! both          product    a lasso of the machine that the automaton accepts, or none
//! transitions   modal      where formulas of branching time with modalities are true, and runs that show why
//! ```
//!
//! Nothing here knows programs.

pub mod automaton;
pub mod hoa;
pub mod machine;
pub mod modal;
pub mod normal;
pub mod product;
#[cfg(test)]
mod random;
pub mod reduce;
pub mod scc;
pub mod tableau;

pub use machine::Machine;
pub use product::{Satisfaction, check};
pub use redoubt_formula::{Formula, Lasso, Letter, Mistake, Properties, Property, formula, parse, properties};
