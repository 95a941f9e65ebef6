//! The front end for Mealy machines: graphs in the language of Graphviz, as LearnLib and AALpy write them, to programs.
//!
//! 1. `read`: text to states and transitions, by the parser of `grammar/Dot.g4`;
//! 2. `lower`: these to a program with one variable, the number of the state. A step looks at the state and then at the
//!    input; where there is no transition it says that the input is invalid, and changes nothing.
//!
//! Some outputs have a meaning, so that what a program does beside printing a word can be written as a machine:
//!
//! | output | meaning |
//! |---|---|
//! | `nothing` | the step prints nothing |
//! | `x+y` | it prints `x`, then `y` |
//! | `invalid`, back to the same state | the input is refused, as if there were no transition |
//! | `error_7`, or `x+error_7` | the run ends at this label, after printing `x` |

mod lower;
mod read;

use std::sync::Arc;

use redoubt_base::Interrupt;
use redoubt_program::program::Program;
use redoubt_program::text::Sources;
use redoubt_reading::Diagnostic;
use redoubt_reading::refused::{Lowered, refuse};
use redoubt_reading::watch::Watch;

/// The outputs that are no words.
pub const NOTHING: &str = "nothing";
pub const INVALID: &str = "invalid";
/// What stands between two outputs of a step.
pub const AND: char = '+';

/// Whether the name of an output is that of a label.
pub fn is_label(output: &str) -> bool {
    let is_number = |text: &str| !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
    output.strip_prefix("error_").is_some_and(is_number)
}

/// Reads a machine until the interrupt is raised.
pub fn load_within(sources: Arc<Sources>, interrupt: &Interrupt) -> Lowered<Program> {
    let mut watch = Watch::new(interrupt);
    if let [_, other, ..] = sources.files() {
        let span = redoubt_program::text::Span { file: 1, start: 0, end: other.text.len().min(1) as u32 };
        return refuse(Diagnostic::new(span, "a machine is one file", "expected no other file"));
    }
    let machine = read::read(&sources, &mut watch)?;
    lower::lower(&machine, &sources)
}
