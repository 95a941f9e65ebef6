//! Temporal formulas: text to formulas, and what they say of infinite words.
//!
//! [`parse()`] reads one formula, [`properties`] the files that the RERS challenge has them in; [`formula`] is what was written,
//! with its meaning on lassos. Whoever decides formulas and whoever checks the reasons given share this, and nothing else.

pub mod formula;
pub mod parse;
pub mod properties;

pub use formula::{Formula, Lasso, Letter};
pub use parse::{Mistake, parse};
pub use properties::{Properties, Property};
