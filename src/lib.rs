//! Redoubt decides, for every error label of a reactive program, whether any input sequence reaches it.
//!
//! ```
//! use redoubt::check::{Answer, Options};
//!
//! let program = redoubt::parse(
//!     "lamp.gcl",
//!     "input press: bool
//!      var light: 0..2 = 0
//!      step { if press && light < 2 { light = light + 1 } }
//!      property dark: always light == 0
//!      property bounded: always light <= 2",
//! )?;
//! let report = redoubt::check(&program, &Options::default())?;
//! for finding in &report.findings {
//!     let name = &program.property(finding.property).name;
//!     match &finding.answer {
//!         Answer::Reachable { run } => assert_eq!((name.as_str(), run.len()), ("dark", 1)),
//!         Answer::Unreachable { .. } => assert_ne!(name, "dark"),
//!         Answer::Unknown(_) | Answer::Withdrawn { .. } => panic!("this is easy to decide"),
//!     }
//! }
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! Nothing here prints, and what goes wrong comes back as a value. A run can be ended from outside, at a time or by
//! hand, and says how far it has come to those who listen:
//!
//! ```
//! use std::sync::Arc;
//! use std::sync::atomic::{AtomicUsize, Ordering};
//! use std::time::Duration;
//!
//! use redoubt::check::Options;
//! use redoubt::base::Limits;
//! use redoubt::base::progress::{Listener, Progress};
//! use redoubt::base::Interrupt;
//!
//! # let program = redoubt::parse("bit.gcl", "var b: bool = false; step { b = !b }; property p: always b || !b")?;
//! let decided = Arc::new(AtomicUsize::new(0));
//! let counter = Arc::clone(&decided);
//! let interrupt = Interrupt::after(Duration::from_secs(60)); // or interrupt.raise() from any thread
//! let progress = Listener::new(move |progress| match progress {
//!     Progress::Decided { decided, .. } => counter.store(decided, Ordering::Relaxed),
//!     Progress::Level { stage, level } => drop(format!("{stage:?} has come to {level}")),
//! });
//! let limits = Limits { interrupt, progress, ..Limits::default() };
//! let report = redoubt::check(&program, &Options { limits, ..Options::default() })?;
//! assert_eq!(decided.load(Ordering::Relaxed), report.findings.len());
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! [`check::check_together`] does the same and hands out each verdict as soon as it is known; [`hardware::check`] is for
//! AIGER models. A program can be run by [`simulate::Simulator`].
//!
//! The modules follow the way of the data: source text, program, transition system, circuit, clauses,
//! verdict, witness. `docs/architecture.md` has the picture.

pub use redoubt_base as base;
pub use redoubt_checker as certificate;
pub use redoubt_circuit as circuit;
pub use redoubt_engine::{cnf, engine, sat};
pub use redoubt_program::{expr, program, simulate, source, text};

pub mod abstraction;
pub mod analysis;
pub mod blast;
pub mod certify;
pub mod check;
pub mod encode;
pub mod explicit;
pub mod generate;
pub mod hardware;
pub mod journal;
pub mod ledger;
pub mod record;
pub mod report;
pub mod system;
pub mod witness;

use base::Ended;
use program::Program;
use source::ParseError;
use text::SourceFile;

/// Reads a program from a text: a model if the name ends in `.gcl`, else C of the RERS challenge.
pub fn parse(name: &str, text: &str) -> Result<Program, ParseError> {
    source::parse(vec![SourceFile::new(name, text)])
}

/// Decides the properties of a program with all engines, and comes back when they are decided or a limit is reached.
///
/// Unless the options name properties, these are all that the program's author asks about.
pub fn check(program: &Program, options: &check::Options) -> Result<check::Report, Ended> {
    let properties = options.properties.clone().unwrap_or_else(|| program.questions());
    let options = check::Options { properties: Some(properties), ..options.clone() };
    check::check_together(program, &options, |_| {})
}
