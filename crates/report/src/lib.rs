//! Turns the lines of a run (`check --format jsonl`) into one page of HTML that needs nothing else.
//!
//! [`read()`] reads the lines, the other modules write parts of the page. Everything from the file goes through
//! `html::escaped`; the plots are drawn here as SVG, so the script of the page only filters and sorts.

use redoubt_program::{program, simulate};

pub mod comparison;
mod details;
pub mod graph;
mod html;
pub mod modes;
mod overview;
mod page;
mod plot;
mod properties;
pub mod read;
pub mod record;
mod sizes;
mod standing;
#[cfg(test)]
mod tests;
mod timeline;

pub use page::page;
pub use read::{BadLine, Recorded, read};
