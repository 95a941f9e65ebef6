//! Programs to verdicts: the strategies there are for programs, and the schedules in which they run.
//!
//! Each strategy goes its own way from the program to a verdict and back: `regions` and `abstraction` through the
//! program over regions, `explicit` through the program's states, `circuit` through system, circuit and engine. The
//! [ledger](crate::ledger) replays what they find and keeps the verdicts.

mod abstraction;
mod boxes;
mod certify;
mod circuit;
mod company;
mod explicit;
mod folded;
mod gcc;
mod locations;
mod regions;
mod relations;
mod rounds;
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
use crate::ledger::{self, Order, Schedule, Strategy, Terms};
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
use shared::Shared;
use walks::Walks;

pub use crate::ledger::{Claim, Decider, Why};
pub use crate::witness::replay::reaches;
pub use gcc::Gcc;
pub use rounds::round_by_round;
pub use subject::Account;

/// What is known about a property of a program. A run is a list of input values per step.
pub type Answer = ledger::Answer<Run, Certificate>;
/// What is told about a program while it is decided.
pub type News<'n> = ledger::News<'n, Run, Certificate>;
/// The answer for a property of a program, at the moment it is known.
pub type Finding = ledger::Finding<Run, Certificate>;

/// What to decide, and with what.
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
    /// How many bytes the states of an explicit search may take.
    pub memory: usize,
    /// How much time goes into making runs shorter.
    pub shortening: Budget,
    /// Places that may always have the same value, two by two: a program that was made of two knows some.
    pub twins: Vec<(Place, Place)>,
    /// Who takes part in an explicit search, if it is more than one worker.
    pub cluster: Option<Cluster>,
    /// What IC3 with frames for each location does, and whether it counts on what numbers have in common.
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

/// What a run leaves behind.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Report {
    /// The properties that were asked for, in order.
    pub findings: Vec<Finding>,
    pub statistics: Statistics,
    pub sizes: Sizes,
    /// What became of the explicit-state search, if that was what ran.
    pub search: Option<Outcome>,
    /// How the abstraction did, if there was one.
    pub abstraction: Option<crate::abstraction::Statistics>,
    /// What there is to say besides, a line each.
    pub notes: Vec<String>,
    pub elapsed: Duration,
}

impl Report {
    /// The certificates of everything that was proved, without what others say too. There may have been no time to check
    /// one of them; that can be done later.
    pub fn certificates(&self) -> Vec<Certificate> {
        let checked = self.findings.iter().filter_map(|finding| match &finding.answer {
            Answer::Unreachable { checked, .. } => checked.as_ref(),
            _ => None,
        });
        certificate::combined(checked.map(|checked| &*checked.certificate))
    }
}

/// How large the problem was on its way, and how long the way took.
#[derive(Clone, Debug, Default)]
pub struct Sizes {
    pub states: usize,
    pub savings: Vec<Saving>,
    pub latches: usize,
    pub inputs: usize,
    pub gates: usize,
    pub encoding: Duration,
}

/// Who decides.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Means {
    /// All strategies: each property goes to whoever decides it first.
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
    /// IC3 with what the program's numbers have in common, and nothing else.
    Relations,
    /// IC3 with frames for each location, with what the program's numbers have in common, and nothing else.
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

/// Decides the properties of a program by the given means; `hear` is told what becomes known as soon as it is.
///
/// All together are scheduled like this: most programs are decided by exploring their abstraction, and what that does is
/// the same in every run. It gets a head start: only when it has looked at every property does a second lane begin, with IC3
/// on the abstraction and then on the exact circuit; and when the first has done what it can, it goes on with an explicit
/// search of the program's own states. Programs that are small, or have many combinations of inputs, are scheduled otherwise
/// (`company`). Boxes come before all that: forwards, then backwards. A verdict does not depend on who was faster; which of several
/// witnesses is shown may, where lanes work side by side. How many threads a strategy has for itself makes no difference.
pub fn decide(
    program: &Program,
    means: Means,
    options: &CheckOptions,
    terms: &Terms<Run>,
    hear: &mut dyn FnMut(News),
) -> Result<Report, Failed> {
    let facts = Facts::new(program);
    let in_company = means == Means::Together && company::is_better(&facts);
    let regions = Regions { confirm: options.confirm };
    let abstraction = Abstraction { confirm: options.confirm };
    let (mut glance, explicit) = (Explicit::glance(options, company::GLANCE), Explicit::new(options, !in_company));
    let is_plain = program.location.is_none() && options.twins.is_empty();
    let ic3_leads = in_company && is_plain && company::ic3_leads(&facts);
    glance.is_prelude = ic3_leads;
    let shared = Shared::new(options.passes);
    let circuit = OnCircuit { options, system: shared.share(), glances: in_company, by_location: false };
    // Made only where they work, since each has a share in the system.
    let cfa = || OnCircuit { options, system: shared.share(), glances: false, by_location: true };
    let relations = |by_location| Relations { options, system: shared.share(), by_location };
    let folded = || Folded { options, system: shared.share() };
    let walks = Walks { options };
    // Where boxes close, they mostly do so at once; where they do not, they are tried again when others have begun.
    let size = program.stmts.len() as u64;
    let &CheckOptions { confirm, memory, .. } = options;
    let way = Way::Backwards;
    let boxes = |effort, is_prelude| Boxes { way, confirm, effort, is_prelude, memory };
    let (quick, thorough) = (boxes(6_000 + 5 * size, true), boxes(200_000 + 30 * size, false));
    let alone = boxes(u64::MAX, false);
    let forwards = |effort, is_prelude| Boxes { way: Way::Forwards, ..boxes(effort, is_prelude) };
    let (partition, parts) = (forwards(u64::MAX, false), forwards(1_000_000, true));
    // IC3 on the exact circuit has no end where numbers are computed, as in small programs of the challenge, which read one
    // input: there it comes last.
    let (exact_first, exact_last): ([&dyn Strategy<Facts>; 3], [&dyn Strategy<Facts>; 3]) =
        ([&circuit, &thorough, &abstraction], [&thorough, &abstraction, &circuit]);
    let schedule: &Schedule<Facts> = match means {
        // Loops that count need what numbers have in common, and so do programs that were made of two; where that does not
        // help, bits may. IC3 has frames for each location in the one case, and one sequence of frames in the other.
        Means::Together if program.location.is_some() => {
            &[&[&glance, &walks, &relations(true)], &[&quick, &regions, &explicit], &[&circuit]]
        }
        Means::Together if !options.twins.is_empty() => {
            &[&[&folded(), &glance, &walks, &relations(false)], &[&quick, &regions, &explicit], &[&circuit]]
        }
        Means::Relations => &[&[&relations(false)]],
        Means::Cfa if options.relations => &[&[&relations(true)]],
        Means::Cfa => &[&[&cfa()]],
        Means::Together if ic3_leads => {
            &[&[&glance, &quick, &circuit, &thorough, &abstraction], &[&regions], &[&explicit]]
        }
        Means::Together if in_company => {
            let second = if program.inputs.len() > 1 { &exact_first } else { &exact_last };
            &[&[&glance, &parts, &quick, &regions], second, &[&explicit]]
        }
        Means::Together => &[&[&parts, &quick, &regions, &explicit], &exact_last],
        Means::Boxes => &[&[&alone]],
        Means::Partition => &[&[&partition]],
        Means::Regions => &[&[&regions]],
        Means::Explicit => &[&[&explicit]],
        Means::Circuit => &[&[&circuit]],
    };
    // What visiting states finds is as short as any, but for what random steps find in the end.
    let unshortened = Budget::none();
    let order = Order {
        properties: options.properties.as_deref(),
        limits: &options.limits,
        confirm: options.confirm,
        shortening: if means == Means::Explicit { &unshortened } else { &options.shortening },
        terms,
    };
    finished(ledger::keep(&facts, &order, schedule, hear))
}

/// A closed ledger as a report.
fn finished(kept: ledger::Kept<Facts>) -> Result<Report, Failed> {
    kept.failed?;
    if kept.is_too_large {
        return Err(Ended::TooLarge.into());
    }
    let Account { statistics, sizes, search, abstraction } = kept.account;
    let (findings, notes, elapsed) = (kept.findings, kept.notes, kept.elapsed);
    Ok(Report { findings, statistics, sizes, search, abstraction, notes, elapsed })
}

/// Decides without a journal, and so without the one reason for which that can fail.
fn decide_plainly(
    program: &Program,
    means: Means,
    options: &CheckOptions,
    mut report: impl FnMut(&Finding),
) -> Result<Report, Ended> {
    // What is provisional is settled in the end.
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

/// Likewise with all strategies.
pub fn check_together(
    program: &Program,
    options: &CheckOptions,
    report: impl FnMut(&Finding),
) -> Result<Report, Ended> {
    decide_plainly(program, Means::Together, options, report)
}

/// Likewise by exploring the abstraction into regions.
pub fn check_regions(program: &Program, options: &CheckOptions, report: impl FnMut(&Finding)) -> Result<Report, Ended> {
    decide_plainly(program, Means::Regions, options, report)
}

/// Likewise by visiting the states of the program. That has no limit to the size of a program.
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
