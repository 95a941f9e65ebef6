//! Programs to facts, each found out once: what values variables can have, what matters, the state after the setup.
//!
//! [`analysis`] finds facts, [`claims`] says them as the checker expects them. The rooms of the provers (`states`,
//! `bits`, `boxes`) stand on this one.

use redoubt_base as base;
use redoubt_checker as certificate;
use redoubt_program::{expr, program, simulate, text};

pub mod analysis;
pub mod claims;
