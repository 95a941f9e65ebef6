//! Programs to verdicts: the strategies there are for programs, and the schedules in which they run.
//!
//! Each strategy goes its own way from the program to a verdict and back: `regions` and `abstraction` through the
//! program over regions, `explicit` through the program's states, `circuit` through system, circuit and engine. The
//! [ledger] replays their findings and keeps the verdicts.

mod abstraction;
mod boxes;
mod certify;
mod circuit;
mod explicit;
mod folded;
mod gcc;
mod locations;
mod regions;
mod relations;
mod rounds;
pub mod schedule;
mod shared;
pub mod shortest;
mod subject;
mod walks;

use std::io;
use std::time::Duration;

use crate::analysis::Facts;
use crate::base::{Ended, Limits};
use crate::blast::Width;
use crate::certificate::{self, Certificate};
use crate::engine::cfa::Techniques;
use crate::engine::{Engine, Statistics};
use crate::explicit::{Cluster, Outcome};
use crate::ledger::{self, Order, Strategy, Terms};
use crate::program::{Place, Program, PropertyId};
use crate::sat::Backend;
use crate::system::passes::{Passes, Saving};
use crate::witness::Run;
use crate::witness::shorten::Budget;
use abstraction::Abstraction;
use boxes::{Boxes, Way};
use circuit::OnCircuit;
use explicit::Explicit;
use folded::Folded;
use regions::Regions;
use relations::Relations;
use schedule::{Profile, Schedule, Task};
use shared::Shared;
use walks::Walks;

pub use crate::ledger::{Claim, Decider, Why};
pub use crate::witness::replay::reaches;
pub use gcc::Gcc;
pub use rounds::round_by_round;
pub use subject::Account;

/// The answer about a property of a program. A run is a list of input values per step.
pub type Answer = ledger::Answer<Run, Certificate>;
/// The news about a program while it is decided.
pub type News<'n> = ledger::News<'n, Run, Certificate>;
/// The answer for a property of a program, at the moment it is known.
pub type Finding = ledger::Finding<Run, Certificate>;

/// The properties to decide, and the means.
#[derive(Clone, Debug)]
pub struct CheckOptions {
    pub engine: Engine,
    /// The solver; the engine's own choice if `None`.
    pub backend: Option<Backend>,
    pub limits: Limits,
    pub passes: Passes,
    pub width: Width,
    /// Merge gates that compute the same function.
    pub functional_reduction: bool,
    /// The properties to decide, ascending; all of them if `None`.
    pub properties: Option<Vec<PropertyId>>,
    /// Certify proofs, and check the certificates by other means than found them.
    pub confirm: bool,
    /// The number of bytes that the states of an explicit search may take.
    pub memory: usize,
    /// The effort for making runs shorter.
    pub shortening: Budget,
    /// Places that may always have the same value, two by two: a program that was made of two knows some.
    pub twins: Vec<(Place, Place)>,
    /// The participants in an explicit search, if there is more than one worker.
    pub cluster: Option<Cluster>,
    /// The techniques of IC3 with frames for each location, and whether it relies on relations between numbers.
    pub techniques: Techniques,
    pub relations: bool,
}

impl Default for CheckOptions {
    fn default() -> CheckOptions {
        CheckOptions {
            engine: Engine::default(),
            backend: None,
            limits: Limits::default(),
            passes: Passes::ALL,
            width: Width::Reduced,
            functional_reduction: true,
            properties: None,
            confirm: true,
            memory: 2 << 30,
            shortening: Budget::default(),
            twins: vec![],
            cluster: None,
            techniques: Techniques::default(),
            relations: true,
        }
    }
}

/// The results of a run.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Report {
    /// The properties that were asked for, in order.
    pub findings: Vec<Finding>,
    pub statistics: Statistics,
    pub sizes: Sizes,
    /// The outcome of the explicit-state search, if that ran.
    pub search: Option<Outcome>,
    /// The statistics of the abstraction, if there was one.
    pub abstraction: Option<crate::abstraction::Statistics>,
    /// The strategies that ran, as they were arranged.
    pub schedule: Option<Schedule>,
    /// Further notes, a line each.
    pub notes: Vec<String>,
    pub elapsed: Duration,
}

impl Report {
    /// The certificates of all proofs, without repetitions. There may have been no time to check one of them; that can
    /// be done later.
    pub fn certificates(&self) -> Vec<Certificate> {
        let checked = self.findings.iter().filter_map(|finding| match &finding.answer {
            Answer::Unreachable { checked, .. } => checked.as_ref(),
            _ => None,
        });
        certificate::combined(checked.map(|checked| &*checked.certificate))
    }
}

/// The sizes of the problem on its way, and the duration of the way.
#[derive(Clone, Debug, Default)]
pub struct Sizes {
    pub states: usize,
    pub savings: Vec<Saving>,
    pub latches: usize,
    pub inputs: usize,
    pub gates: usize,
    pub encoding: Duration,
}

/// The engine.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Means {
    /// All strategies: each property goes to the first that decides it.
    Together,
    /// Looking for boxes that no step leaves, and nothing else.
    Boxes,
    /// Partitioning the states by the machine behind the program, and nothing else.
    Partition,
    /// Exploring the abstraction into regions, and nothing else.
    Regions,
    /// Visiting the states of the program, and nothing else.
    Explicit,
    /// The engine that the options name, on the circuit of the program.
    Circuit,
    /// IC3 with relations between the program's numbers, and nothing else.
    Relations,
    /// IC3 with frames for each location, with relations between the program's numbers, and nothing else.
    Cfa,
}

/// Why there is no report.
#[derive(Debug, thiserror::Error)]
pub enum Failed {
    #[error(transparent)]
    Ended(#[from] Ended),
    /// The journal could not be written.
    #[error(transparent)]
    Journal(#[from] io::Error),
}

/// Decides the properties of a program by the given means, in the order of their [`Schedule`]; `hear` is told of each
/// finding as soon as it is known.
pub fn decide(
    program: &Program,
    means: Means,
    options: &CheckOptions,
    terms: &Terms<Run>,
    hear: &mut dyn FnMut(News),
) -> Result<Report, Failed> {
    let facts = Facts::new(program);
    let profile = Profile::of(&facts, !options.twins.is_empty());
    let schedule = Schedule::of(&profile, means, options.relations);
    let unrolling = CheckOptions { engine: Engine::Bmc, backend: None, ..options.clone() };
    let is_company = schedule.is_company();
    let glance = GLANCE / (1 + profile.cells as u64 / FEW_CELLS);
    let crew = Crew { options, unrolling: &unrolling, is_company, glance, shared: Shared::new(options.passes) };
    let lanes: Vec<Vec<Box<dyn Strategy<Facts> + '_>>> =
        schedule.lanes.iter().map(|lane| lane.iter().map(|task| crew.strategy(*task)).collect()).collect();
    let lanes: Vec<Vec<&dyn Strategy<Facts>>> =
        lanes.iter().map(|lane| lane.iter().map(|strategy| &**strategy).collect()).collect();
    let lanes: Vec<&[&dyn Strategy<Facts>]> = lanes.iter().map(|lane| &**lane).collect();
    // Runs found by visiting states are as short as any, except for those of random steps in the end.
    let unshortened = Budget::none();
    let order = Order {
        properties: options.properties.as_deref(),
        limits: &options.limits,
        confirm: options.confirm,
        shortening: if means == Means::Explicit { &unshortened } else { &options.shortening },
        terms,
    };
    let report = finished(ledger::keep(&facts, &order, &lanes, hear))?;
    Ok(Report { schedule: Some(schedule), ..report })
}

/// Strategies for tasks.
struct Crew<'o> {
    options: &'o CheckOptions,
    /// The same options for bounded model checking.
    unrolling: &'o CheckOptions,
    is_company: bool,
    /// The steps of a glance.
    glance: u64,
    shared: Shared,
}

impl Crew<'_> {
    fn strategy(&self, task: Task) -> Box<dyn Strategy<Facts<'_>> + '_> {
        let options = self.options;
        let &CheckOptions { confirm, memory, .. } = options;
        let boxes = |way, effort, is_prelude| Boxes { way, confirm, effort, is_prelude, memory };
        let on_circuit = |options, glances, by_location| {
            Box::new(OnCircuit { options, system: self.shared.share(), glances, by_location })
        };
        match task {
            Task::Glance { others_wait } => {
                Box::new(Explicit { is_prelude: others_wait, ..Explicit::glance(options, self.glance) })
            }
            Task::Walks => Box::new(Walks { options }),
            Task::Folded => Box::new(Folded { options, system: self.shared.share() }),
            Task::Partition { effort, others_wait } => Box::new(boxes(Way::Forwards, effort, others_wait)),
            Task::Boxes { effort, others_wait } => Box::new(boxes(Way::Backwards, effort, others_wait)),
            Task::Regions => Box::new(Regions { confirm }),
            Task::Abstraction => Box::new(Abstraction { confirm }),
            Task::Explicit => Box::new(Explicit::new(options, !self.is_company)),
            Task::Circuit { glances } => on_circuit(options, glances, false),
            Task::Unrolling => on_circuit(self.unrolling, false, false),
            Task::Relations { by_location } => {
                Box::new(Relations { options, system: self.shared.share(), by_location })
            }
            Task::Locations => on_circuit(options, false, true),
        }
    }
}

/// The steps of a glance at states of a few cells; they take some hundredths of a second.
const GLANCE: u64 = 200_000;
/// A state is few cells if it has no more than these: larger ones take longer to be copied.
const FEW_CELLS: u64 = 64;

/// A closed ledger as a report.
fn finished(kept: ledger::Kept<Facts>) -> Result<Report, Failed> {
    kept.failed?;
    if kept.is_too_large {
        return Err(Ended::TooLarge.into());
    }
    let Account { statistics, sizes, search, abstraction } = kept.account;
    let (findings, notes, elapsed) = (kept.findings, kept.notes, kept.elapsed);
    Ok(Report { findings, statistics, sizes, search, abstraction, schedule: None, notes, elapsed })
}

/// Decides without a journal, and so without the one reason for which that can fail.
fn decide_plainly(
    program: &Program,
    means: Means,
    options: &CheckOptions,
    mut report: impl FnMut(&Finding),
) -> Result<Report, Ended> {
    // Provisional findings are settled in the end.
    let mut hear = |news: News| match news {
        News::Settled(finding) => report(finding),
        News::Provisional(_) => {}
    };
    decide(program, means, options, &Terms::default(), &mut hear).map_err(|failed| match failed {
        Failed::Ended(ended) => ended,
        Failed::Journal(error) => unreachable!("there is no journal: {error}"),
    })
}

/// Decides the properties of a program by an engine on its circuit; `report` hears of each one as soon as it is decided.
pub fn check(program: &Program, options: &CheckOptions, report: impl FnMut(&Finding)) -> Result<Report, Ended> {
    decide_plainly(program, Means::Circuit, options, report)
}

/// The same with all strategies.
pub fn check_together(
    program: &Program,
    options: &CheckOptions,
    report: impl FnMut(&Finding),
) -> Result<Report, Ended> {
    decide_plainly(program, Means::Together, options, report)
}

/// The same by exploring the abstraction into regions.
pub fn check_regions(program: &Program, options: &CheckOptions, report: impl FnMut(&Finding)) -> Result<Report, Ended> {
    decide_plainly(program, Means::Regions, options, report)
}

/// The same by visiting the states of the program. That has no limit to the size of a program.
pub fn check_explicitly(
    program: &Program,
    options: &crate::explicit::SearchOptions,
    mut report: impl FnMut(&Finding),
) -> Report {
    let limits = Limits {
        interrupt: options.interrupt.clone(),
        progress: options.progress.clone(),
        depth: options.depth,
        ..Limits::default()
    };
    let order = Order {
        properties: options.properties.as_deref(),
        limits: &limits,
        confirm: options.keep,
        shortening: &Budget::none(),
        terms: &Terms::default(),
    };
    let explicit = Explicit { options: options.clone(), asks_others: true, is_prelude: false };
    let facts = Facts::new(program);
    let kept = ledger::keep(&facts, &order, &[&[&explicit]], &mut |news: News| match news {
        News::Settled(finding) | News::Provisional(finding) => report(finding),
    });
    finished(kept).expect("there is no journal, and no walk through the program")
}
