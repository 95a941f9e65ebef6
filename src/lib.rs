//! Redoubt decides, for every property of a reactive program, whether any input sequence reaches it.
//!
//! [`parse`] reads a program, [`check`](fn@check) decides its properties:
//!
//! ```
//! use redoubt::{Answer, CheckOptions};
//!
//! let program = redoubt::parse(
//!     "lamp.gcl",
//!     "input press: bool
//!      var light: 0..2 = 0
//!      step { if press && light < 2 { light = light + 1 } }
//!      property dark: always light == 0
//!      property bounded: always light <= 2",
//! )?;
//! let report = redoubt::check(&program, &CheckOptions::default())?;
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
//! Nobody has to believe it. A run can be repeated by a [`Simulator`], which does nothing clever, and a proof comes with
//! certificates that [`certify()`] checks without any of the code that found them:
//!
//! ```
//! use redoubt::{Answer, CheckOptions, Interrupt, Judgement, Simulator};
//!
//! # let text = "input press: bool; var light: 0..2 = 0; step { if press && light < 2 { light = light + 1 } }
//! #     property dark: always light == 0; property bounded: always light <= 2";
//! # let program = redoubt::parse("lamp.gcl", text)?;
//! # let report = redoubt::check(&program, &CheckOptions::default())?;
//! for finding in &report.findings {
//!     if let Answer::Reachable { run } = &finding.answer {
//!         let mut simulator = Simulator::new(&program);
//!         let last = run.iter().map(|inputs| simulator.step(inputs)).last();
//!         assert!(last.is_some_and(|step| step.reaches(finding.property)));
//!     }
//! }
//! for certificate in report.certificates() {
//!     assert_eq!(redoubt::certify(&program, &certificate, &Interrupt::default()), Judgement::Confirmed);
//! }
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! Nothing here prints, and errors come back as values. A run can be ended from outside, at a time or by hand, and
//! reports its progress to listeners:
//!
//! ```
//! use std::sync::Arc;
//! use std::sync::atomic::{AtomicUsize, Ordering};
//! use std::time::Duration;
//!
//! use redoubt::{CheckOptions, Interrupt, Limits, Listener, Progress};
//!
//! # let program = redoubt::parse("bit.gcl", "var b: bool = false; step { b = !b }; property p: always b || !b")?;
//! let decided = Arc::new(AtomicUsize::new(0));
//! let counter = Arc::clone(&decided);
//! let interrupt = Interrupt::after(Duration::from_secs(60)); // or interrupt.raise() from any thread
//! let progress = Listener::new(move |progress| match progress {
//!     Progress::Decided { decided, .. } => counter.store(decided, Ordering::Relaxed),
//!     Progress::Level { stage, level } => drop(format!("{stage:?} has come to {level}")),
//!     _ => {} // more may be told in later versions
//! });
//! let limits = Limits { interrupt, progress, ..Limits::default() };
//! let report = redoubt::check(&program, &CheckOptions { limits, ..CheckOptions::default() })?;
//! assert_eq!(decided.load(Ordering::Relaxed), report.findings.len());
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! [`encode`](fn@encode) writes a program for other tools, and [`check_model`] decides AIGER models:
//!
//! ```
//! use redoubt::{EncodeOptions, Format, ModelAnswer, ModelOptions};
//!
//! # let text = "var b: bool = false; step { b = !b }; property down: always !b";
//! # let program = redoubt::parse("bit.gcl", text)?;
//! let mut circuit = vec![];
//! redoubt::encode(&program, Format::Aiger, &EncodeOptions::default(), &mut circuit)?;
//! let model = redoubt::read_model(&circuit)?;
//! let report = redoubt::check_model(&model, &ModelOptions::default());
//! assert!(matches!(report.findings[0].answer, ModelAnswer::Reachable { .. }));
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! Everything else is how it is done, and may change with every version; `docs/architecture.md` has the picture.

#[doc(inline)]
pub use redoubt_base as base;
#[doc(inline)]
pub use redoubt_checker as certificate;
#[doc(inline)]
pub use redoubt_circuit as circuit;
#[doc(inline)]
pub use redoubt_compare as compare;
#[doc(inline)]
pub use redoubt_driver::{check, encode, hardware, ledger, ltl, relational, time};
#[doc(inline)]
pub use redoubt_formula as formula;
#[doc(inline)]
pub use redoubt_languages as languages;
#[doc(inline)]
pub use redoubt_program::{expr, program, simulate, text};
#[doc(inline)]
pub use redoubt_smv as smv;
#[doc(inline)]
pub use redoubt_witness as witness;
#[doc(inline)]
pub use redoubt_words as words;

#[doc(inline)]
pub use base::progress::{Listener, Progress, Stage};
#[doc(inline)]
pub use base::{Ended, Interrupt, Limits};
#[doc(inline)]
pub use certificate::{Certificate, Checked, Judgement};
#[doc(inline)]
pub use check::{Answer, CheckOptions, Claim, Decider, Finding, Report, Why};
#[doc(inline)]
pub use circuit::Trace;
#[doc(inline)]
pub use circuit::aiger::{Model, ReadError as ModelError};
#[doc(inline)]
pub use encode::{EncodeError, EncodeOptions, Format, Style, encode};
#[doc(inline)]
pub use hardware::{Answer as ModelAnswer, Finding as ModelFinding, ModelOptions, Report as ModelReport};
#[doc(inline)]
pub use languages::ParseError;
#[doc(inline)]
pub use program::{Program, Property, PropertyId, PropertyKind, Status};
#[doc(inline)]
pub use redoubt_engine::engine::{Engine, Proof};
#[doc(inline)]
pub use simulate::{End, Simulator, Step};

use text::SourceFile;

/// Reads a program from a text: a model if the name ends in `.gcl`, else C of the RERS challenge.
pub fn parse(name: &str, text: &str) -> Result<Program, ParseError> {
    languages::parse(vec![SourceFile::new(name, text)])
}

/// Decides the properties of a program with all engines, and comes back when they are decided or a limit is reached.
///
/// Unless the options name properties, these are all that the program's author asks about.
pub fn check(program: &Program, options: &CheckOptions) -> Result<Report, Ended> {
    let properties = options.properties.clone().unwrap_or_else(|| program.questions());
    let options = CheckOptions { properties: Some(properties), ..options.clone() };
    check::check_together(program, &options, |_| {})
}

/// Decides the properties of whole runs of a model ([`Program::timed`]): formulas of linear and of branching time, under fairness. The
/// options may name some, by their place in that list.
///
/// ```
/// use redoubt::CheckOptions;
/// use redoubt::time::{Answer, Violation};
///
/// let program = redoubt::parse(
///     "lamp.gcl",
///     "input press: bool
///      var light: bool = false
///      step { if press { light = !light } }
///      property goes_on: light ~> !light
///      property can_go_on: resettable light",
/// )?;
/// let findings = redoubt::check_whole_runs(&program, &CheckOptions::default());
/// // Nobody has to press, so it may stay on for ever.
/// let Answer::Reachable { run: Violation::Lasso(lasso) } = &findings[0].answer else { panic!("it is violated") };
/// assert!(lasso.loop_start < lasso.run.len());
/// assert!(matches!(findings[1].answer, Answer::Unreachable { .. }));
/// # Ok::<(), redoubt::ParseError>(())
/// ```
pub fn check_whole_runs(program: &Program, options: &CheckOptions) -> Vec<time::Finding> {
    let facts = redoubt_facts::analysis::Facts::new(program);
    let subject = time::WholeRuns { facts: &facts, list: &program.timed };
    let all: Vec<PropertyId> = (0..program.timed.len()).map(PropertyId::new).collect();
    let wanted = options.properties.as_deref().unwrap_or(&all);
    let (terms, phase) = (ledger::Terms::default(), time::Phase::Whole);
    let report = time::decide(&subject, wanted, (check::Means::Together, options), &terms, phase, &mut |_| {});
    report.expect("there is no journal that could fail").findings
}

/// Whether a certificate holds of a program: it begins where the program does, every step stays in it, and none of it
/// reaches what it excludes.
pub fn certify(program: &Program, certificate: &Certificate, interrupt: &Interrupt) -> Judgement {
    certificate::confirm(program, certificate, interrupt).1
}

/// Reads an AIGER model, ASCII or binary.
pub fn read_model(bytes: &[u8]) -> Result<Model, ModelError> {
    circuit::aiger::read(bytes)
}

/// Decides the properties of an AIGER model, and comes back when they are decided or a limit is reached.
pub fn check_model(model: &Model, options: &ModelOptions) -> ModelReport {
    hardware::check(model, options, |_| {})
}
