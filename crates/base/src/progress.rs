//! The activity of a run while it lasts, for displays.

use std::fmt;
use std::sync::Arc;

/// An event of a run. Nothing depends on whether anybody listens.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Progress {
    /// The progress of an engine.
    Level { stage: Stage, level: usize },
    /// The number of decided properties, of those that were asked for.
    Decided { decided: usize, all: usize },
}

/// The current activity.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Stage {
    /// Closing boxes; the level counts those that were made.
    Boxes,
    /// Exploring the abstraction into regions; the level counts its refinements.
    Regions,
    /// Visiting the states of the program; the level is the distance from the start.
    Search,
    /// Making a circuit of the program, or a smaller one of a model.
    Encoding,
    /// IC3; the level is the number of frames.
    Ic3,
    /// Bounded model checking; the level is the length of the runs.
    Bmc,
    /// k-induction; the level is k.
    KInduction,
    /// Interpolation; the level is the length of the runs that are refuted.
    Interpolation,
    /// Decision diagrams; the level counts steps.
    Diagrams,
}

impl Stage {
    pub const ALL: [Stage; 9] = [
        Stage::Boxes,
        Stage::Regions,
        Stage::Search,
        Stage::Encoding,
        Stage::Ic3,
        Stage::Bmc,
        Stage::KInduction,
        Stage::Interpolation,
        Stage::Diagrams,
    ];

    /// The stage and the name of its level, for people.
    pub fn words(self) -> (&'static str, &'static str) {
        match self {
            Stage::Boxes => ("boxes", "box"),
            Stage::Regions => ("regions", "round"),
            Stage::Search => ("explicit search", "depth"),
            Stage::Encoding => ("encoding", "step"),
            Stage::Ic3 => ("ic3", "frame"),
            Stage::Bmc => ("bmc", "depth"),
            Stage::KInduction => ("k-induction", "k ="),
            Stage::Interpolation => ("interpolation", "depth"),
            Stage::Diagrams => ("diagrams", "step"),
        }
    }
}

/// The receiver of progress, from any thread; none by default.
#[derive(Clone, Default)]
pub struct Listener(Option<Arc<dyn Fn(Progress) + Send + Sync>>);

impl Listener {
    /// Calls this for every event. It is called often, so it should be quick.
    pub fn new(hear: impl Fn(Progress) + Send + Sync + 'static) -> Listener {
        Listener(Some(Arc::new(hear)))
    }

    pub fn tell(&self, progress: Progress) {
        if let Some(hear) = &self.0 {
            hear(progress);
        }
    }

    /// An engine has come to this level.
    pub fn level(&self, stage: Stage, level: usize) {
        self.tell(Progress::Level { stage, level });
    }
}

impl fmt::Debug for Listener {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(if self.0.is_some() { "Listener" } else { "nobody" })
    }
}
