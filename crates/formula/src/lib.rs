//! Temporal formulas: text to formulas, and their meaning on infinite words.
//!
//! [`parse()`] reads one formula of linear time, [`properties`] the files that the RERS challenge has them in;
//! [`formula`] is the syntax tree, with its meaning on lassos. [`branching`] has the formulas of branching time, which
//! [`parse_branching`] reads and [`basis`] rewrites to three operators, and [`tree`] the evidence that they are true or
//! false; [`modal`] those with modalities for inputs and outputs, with their meaning, and [`parse_modal`] reads them. Engines and checkers share this, and nothing else.

pub mod basis;
pub mod branching;
pub mod formula;
pub mod modal;
pub mod parse;
pub mod parse_branching;
pub mod parse_modal;
pub mod properties;
mod text;
pub mod tree;

pub use branching::Branching;
pub use formula::{Formula, Lasso, Letter};
pub use modal::Modal;
pub use parse::parse;
pub use properties::{Properties, Property};
pub use text::Mistake;
pub use tree::{Shown, Tree};
