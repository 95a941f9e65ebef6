//! Explicit-state search: from a program to verdicts by visiting its states, one by one, breadth first.
//!
//! Where the reachable states are few, nothing is as fast as running the program. So the step is compiled to machine
//! code (`native`) and run from every state on every input; a state is kept in a few dozen bytes (`pack`,
//! `store`). A step that reaches a property gives a witness, as short as any; when no new state turns up, all
//! properties not reached are unreachable.
//!
//! The definition of a state decides how many there are. The program is sliced to the statements that its ends depend
//! on ([`Slice`](crate::analysis::slice::Slice)), and of these only the variables that a step leaves to the next are
//! kept (`live`).
//!
//! The way of the data: the slice and `live` say what matters, `layout` gives it a place, `native` or `interpret`
//! executes it (`machine` chooses), `search` drives. [`Stepper`] offers single steps to others, and [`behaviour`] finds
//! the answers of a program to its inputs, for properties of whole runs. `divided` searches on several threads, and
//! `distributed` on workers that may be anywhere.

#[cfg(not(all(feature = "native", target_arch = "x86_64")))]
mod absent;
#[cfg(not(feature = "distributed"))]
mod alone;
pub mod behaviour;
mod blocks;
#[cfg(feature = "distributed")]
mod distributed;
mod divided;
pub mod inputs;
mod interpret;
mod layout;
mod live;
mod machine;
pub mod matching;
#[cfg(all(feature = "native", target_arch = "x86_64"))]
mod native;
mod open;
mod outcome;
mod pack;
mod rows;
mod search;
mod stepper;
mod store;
mod sweep;
mod table;
pub mod visited;

use crate::analysis::Facts;
use crate::base::stack::grow;
use crate::expr::VarId;

#[cfg(not(all(feature = "native", target_arch = "x86_64")))]
use absent as native;
#[cfg(not(feature = "distributed"))]
use alone as distributed;
pub use distributed::Cluster;
pub use layout::Storage;
pub use live::live_at_start;
pub use machine::{Execution, Refusal};
pub use outcome::{MOST_KEPT, Outcome, SWEEP, SearchOptions, SearchVerdict, Share, Statistics, Stop};
pub use search::search;
pub use stepper::Stepper;

/// The variables that make up a state of a program without tables that are written, in order.
pub fn state_variables(facts: &Facts) -> Vec<VarId> {
    let (_, places) = layout::Layout::of_state(facts.program, facts.slice(), facts.setup());
    let variable = |place: Storage| match place {
        Storage::Variable(variable) => Some(variable),
        Storage::Table(_) => None,
    };
    places.into_iter().filter_map(variable).collect()
}
