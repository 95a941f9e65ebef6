//! A path through a step, and all that is known on it: unknown values take no room.
//!
//! Each source has *versions*, as in static single assignment form (Cytron et al., "Efficiently computing static single
//! assignment form and the control dependence graph", 1991): one for the beginning of the step, and another for each
//! assignment that the path has passed. A copy shares the version that it copies. A version has its possible numbers,
//! and the expression that it was computed by. Facts about the past stay true, so conditions that could not be settled
//! when they were met are kept with the time when they were.
//!
//! All changes are noted on a trail, so a path goes back to an earlier place in the time that it took to get ahead.

use std::rc::Rc;

use redoubt_base::id;
use redoubt_program::expr::ExprId;

use super::conditions::ConditionId;
use super::sources::{SourceId, Sources};
use crate::NumberSet;

id!(/// A version of a source.
    VersionId);

/// A time: how many assignments came before.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Time(u32);

/// The computation of a version.
pub struct Definition {
    pub value: ExprId,
    /// The sources that it reads, ascending.
    pub reads: Vec<(SourceId, VersionId)>,
}

struct Version {
    values: Rc<NumberSet>,
    definition: Option<Rc<Definition>>,
    /// The sources that have ever had it, and a bit of its own.
    sources: Signature,
}

/// A set of sources, hashed to as many bits: it may have others too.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Signature(u128);

impl Signature {
    pub const ALL: Signature = Signature(u128::MAX);
    pub const NONE: Signature = Signature(0);

    pub fn of(source: SourceId) -> Signature {
        Signature(1 << (source.index() % 128))
    }

    pub fn with(self, other: Signature) -> Signature {
        Signature(self.0 | other.0)
    }

    pub fn meets(self, other: Signature) -> bool {
        self.0 & other.0 != 0
    }
}

pub struct Path {
    versions: Vec<Version>,
    /// Per source: its versions, and since when each has counted.
    history: Vec<Vec<(Time, VersionId)>>,
    /// The variables that were assigned, in order.
    assigned: Vec<SourceId>,
    /// The versions with a definition.
    computed: Vec<VersionId>,
    /// Conditions that hold, but could not be settled.
    open: Vec<(ConditionId, Time)>,
    trail: Vec<Change>,
    /// The output so far, and its length before each addition.
    written: Written,
    before: Vec<Written>,
    /// The sources whose versions were narrowed since the last look.
    narrowed: Signature,
}

/// The output of a step so far.
#[derive(Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub struct Written {
    /// To its output.
    pub output: String,
    /// Whether it wrote to standard error.
    pub complains: bool,
}

enum Change {
    Narrowed(VersionId, Rc<NumberSet>),
    Assigned,
    Made,
    Opened,
    Wrote,
}

/// A place on the trail.
#[derive(Clone, Copy)]
pub struct Mark(usize);

impl Path {
    /// The path at the beginning of a step, from any state.
    pub fn new(sources: &Sources) -> Path {
        let version = |source| Version {
            values: Rc::clone(sources.known(source)),
            definition: None,
            sources: Signature::of(source),
        };
        let first = |source| vec![(Time(0), VersionId::new(sources.same(source).index()))];
        Path {
            versions: sources.all().map(version).collect(),
            history: sources.all().map(first).collect(),
            assigned: vec![],
            computed: vec![],
            open: vec![],
            trail: vec![],
            written: Written::default(),
            before: vec![],
            narrowed: Signature::NONE,
        }
        .with_shared()
    }

    /// Equal variables share one version.
    fn with_shared(mut self) -> Path {
        for source in (0..self.history.len()).map(SourceId::new) {
            let version = &mut self.versions[self.history[source.index()][0].1.index()];
            version.sources = version.sources.with(Signature::of(source));
        }
        self
    }

    pub fn mark(&self) -> Mark {
        Mark(self.trail.len())
    }

    /// Goes back.
    pub fn back_to(&mut self, mark: Mark) {
        for change in self.trail.drain(mark.0..).rev() {
            match change {
                Change::Narrowed(version, values) => self.versions[version.index()].values = values,
                Change::Assigned => {
                    let source = self.assigned.pop().expect("it was noted");
                    self.history[source.index()].pop();
                }
                Change::Made => {
                    let made = self.versions.pop().expect("it was noted");
                    if made.definition.is_some() {
                        self.computed.pop();
                    }
                }
                Change::Opened => {
                    self.open.pop();
                }
                Change::Wrote => self.written = self.before.pop().expect("it was noted"),
            }
        }
    }

    pub fn now(&self) -> Time {
        Time(self.assigned.len() as u32)
    }

    pub fn written(&self) -> &Written {
        &self.written
    }

    /// The number of writes.
    pub fn writes(&self) -> usize {
        self.before.len()
    }

    /// More was written.
    pub fn write(&mut self, written: Written) {
        self.before.push(std::mem::replace(&mut self.written, written));
        self.trail.push(Change::Wrote);
    }

    /// The version of a source at a time.
    pub fn version(&self, source: SourceId, time: Time) -> VersionId {
        let history = &self.history[source.index()];
        let found = history.iter().rev().find(|(since, _)| *since <= time);
        found.expect("the first version has always counted").1
    }

    pub fn current(&self, source: SourceId) -> VersionId {
        self.history[source.index()].last().expect("there is a first version").1
    }

    /// The version of a source when the step began.
    pub fn first(&self, source: SourceId) -> VersionId {
        self.history[source.index()].first().expect("there is a first version").1
    }

    pub fn values(&self, version: VersionId) -> &Rc<NumberSet> {
        &self.versions[version.index()].values
    }

    pub fn definition(&self, version: VersionId) -> Option<&Rc<Definition>> {
        self.versions[version.index()].definition.as_ref()
    }

    /// The variables that were assigned, some of them more than once.
    pub fn assigned(&self) -> &[SourceId] {
        &self.assigned
    }

    pub fn computed(&self) -> &[VersionId] {
        &self.computed
    }

    pub fn open(&self) -> &[(ConditionId, Time)] {
        &self.open
    }

    /// The sources whose versions were narrowed since the last call.
    pub fn take_narrowed(&mut self) -> Signature {
        std::mem::replace(&mut self.narrowed, Signature::NONE)
    }

    /// The sources that have ever had a version.
    pub fn sources(&self, version: VersionId) -> Signature {
        self.versions[version.index()].sources
    }

    /// A version is among these numbers, which are fewer than were known.
    pub fn narrow(&mut self, version: VersionId, values: NumberSet) {
        self.narrowed = self.narrowed.with(self.versions[version.index()].sources);
        let before = std::mem::replace(&mut self.versions[version.index()].values, Rc::new(values));
        self.trail.push(Change::Narrowed(version, before));
    }

    /// A new version.
    pub fn make(&mut self, values: Rc<NumberSet>, definition: Option<Definition>) -> VersionId {
        let version = VersionId::new(self.versions.len());
        if definition.is_some() {
            self.computed.push(version);
        }
        // A bit of its own, since nothing may ever be assigned it.
        let sources = Signature::of(SourceId::new(version.index()));
        self.versions.push(Version { values, definition: definition.map(Rc::new), sources });
        self.trail.push(Change::Made);
        version
    }

    /// From now on a source has this version.
    pub fn assign(&mut self, source: SourceId, version: VersionId) {
        self.assigned.push(source);
        let sources = &mut self.versions[version.index()].sources;
        *sources = sources.with(Signature::of(source));
        let since = self.now();
        self.history[source.index()].push((since, version));
        self.trail.push(Change::Assigned);
    }

    /// Keeps a condition that holds at some time.
    pub fn keep_open(&mut self, condition: ConditionId, time: Time) {
        self.open.push((condition, time));
        self.trail.push(Change::Opened);
    }
}
