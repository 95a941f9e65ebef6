//! IC3 on control-flow automata: frames for each location, and questions for each edge.
//!
//! IC3CFA (Lange, Neuhäußer, Noll, "IC3 Software Model Checking on Control Flow Automata", FMCAD 2015; Lange, Prinz,
//! Neuhäußer, Noll, Katoen, "Improving Generalization in Software IC3", SPIN 2018) splits what [`ic3`](super::ic3) does by
//! where a run is. Here that is said by a [`Partition`] of the circuit's states, and `automaton` makes the edges: the
//! steps from one location to another, with clauses of their own, in which both locations are constants. So no lemma
//! speaks of the location, and none of a location holds up the solver of another.
//!
//! F_i(l) is a set of lemmas that hold wherever a run of at most i steps is at l. F_0(l) is the reset states at l, if
//! there are any; while there is no way of i edges to l, F_i(l) is empty. A cube at l is an obligation at a level as in
//! IC3 (`block`). It is blocked if on no *edge* into l a step leads into it from the frame below at the edge's other end; that
//! the step starts outside the cube may be assumed only on the edge from l to itself. Generalization drops what no edge into l
//! needs (`generalize`).
//!
//! The original has cubes of word-level atoms, and predecessors by weakest preconditions. Here cubes are of latches,
//! and predecessors are models, lifted. The original has no pushing; here lemmas are pushed when they hold after all edges,
//! and there is an infinite frame, whose lemmas make the invariant: "elsewhere, or the lemma" for each (`propagate`).
//! Frames, solvers, lifting, obligations and the turns of properties are those of IC3, one set for each location or
//! edge.

mod automaton;
mod block;
mod cache;
mod generalize;
mod partition;
mod propagate;
mod techniques;

pub use partition::Partition;
pub use techniques::{Technique, Techniques};

use std::time::Instant;

use automaton::Automaton;
use cache::Cache;

use super::ic3::activity::Activity;
use super::ic3::block::Blocking;
use super::ic3::frames::{Frames, Level};
use super::ic3::lemma;
use super::ic3::lift::Lifter;
use super::ic3::obligations::Obligations;
use super::ic3::properties::{Properties, Strengthen};
use super::ic3::solvers::FrameSolvers;
use super::{Cube, Decision, Interrupted, Invariant, Limits, Outcome, Phase, StateLit, Statistics, Verdict};
use crate::sat::Backend;
use redoubt_base::Interrupt;
use redoubt_circuit::Circuit;

/// Decides as many properties as it can; `report` hears of each one as soon as it is decided.
pub fn check(
    circuit: &Circuit,
    partition: &Partition,
    techniques: &Techniques,
    backend: Backend,
    limits: &Limits,
    report: &mut dyn FnMut(Decision),
) -> Outcome {
    let start = Instant::now();
    let interrupt = limits.interrupt.narrowed();
    let Ok(automaton) = Automaton::new(circuit, partition, techniques, backend, limits) else {
        let verdicts = vec![Verdict::Open; circuit.bad.len()];
        return Outcome { verdicts, statistics: Statistics::default() };
    };
    let mut engine = Cfa::new(&automaton, techniques, backend, &interrupt);
    engine.statistics.record(Phase::Encode, start);
    let mut properties = Properties::new(circuit.bad.len(), limits, interrupt, report);
    properties.decide_all(&mut engine, u64::MAX);
    Outcome { verdicts: properties.into_verdicts(), statistics: engine.into_statistics() }
}

/// Frames for each location, and the tools to strengthen them.
struct Cfa<'a> {
    automaton: &'a Automaton,
    techniques: &'a Techniques,
    /// Per location.
    places: Vec<Location>,
    /// Per edge.
    ways: Vec<Way<'a>>,
    cache: Cache,
    infinite_version: u64,
    statistics: Statistics,
}

struct Location {
    frames: Frames,
    activity: Activity,
    /// The frames up to this one are known to be empty.
    empty_up_to: Option<Level>,
}

struct Way<'a> {
    /// With the lemmas of the location where the edge begins.
    solvers: FrameSolvers<'a>,
    lifter: Lifter<'a>,
}

impl<'a> Cfa<'a> {
    fn new(automaton: &'a Automaton, techniques: &'a Techniques, backend: Backend, interrupt: &Interrupt) -> Self {
        let place = |location: usize| Location {
            frames: Frames::new(),
            activity: Activity::new(automaton.latches.len()),
            empty_up_to: match automaton.distance[location] {
                Some(0) => None,
                _ if !techniques.has(Technique::Distance) => Some(Level::Finite(0)),
                Some(distance) => Some(Level::Finite(distance - 1)),
                None => Some(Level::Infinite),
            },
        };
        let way = |edge: &'a automaton::Edge| Way {
            solvers: FrameSolvers::new(&edge.transition, backend, interrupt),
            lifter: Lifter::new(&edge.circuit, &edge.transition, backend, interrupt),
        };
        Cfa {
            automaton,
            techniques,
            places: (0..automaton.partition.len()).map(place).collect(),
            ways: automaton.edges.iter().map(way).collect(),
            cache: Cache::default(),
            infinite_version: 0,
            statistics: Statistics::default(),
        }
    }

    /// Whether a frame of a location is known to have no states.
    fn is_empty(&self, location: usize, level: Level) -> bool {
        self.places[location].empty_up_to.is_some_and(|last| level <= last)
    }

    /// Whether a cube at a location has a reset state.
    fn intersects_initial(&self, cube: &Cube, location: usize) -> bool {
        self.automaton.is_entry(location) && cube.intersects_initial(&self.automaton.latches)
    }

    /// The edges along which a step from a frame may lead to a location, the one from itself last.
    fn entering(&self, location: usize, below: Level) -> impl Iterator<Item = usize> + use<'_, 'a> {
        let edges = self.automaton.entering[location].iter().copied();
        edges.filter(move |&edge| !self.is_empty(self.automaton.edges[edge].from, below))
    }

    /// A clause that says that a run is elsewhere, or outside the cube.
    fn clause(&self, location: usize, cube: &Cube) -> Vec<StateLit> {
        let elsewhere = self.automaton.partition.lits(location).iter().map(|&lit| !lit);
        elsewhere.chain(lemma(cube)).collect()
    }

    fn into_statistics(mut self) -> Statistics {
        self.statistics.depth = self.top();
        self.statistics.infinite_lemmas = self.places.iter().map(|place| place.frames.infinite().len() as u64).sum();
        for way in &self.ways {
            self.statistics.add_solver(way.lifter.statistics());
            way.solvers.add_statistics(&mut self.statistics);
        }
        self.statistics
    }
}

impl Strengthen for Cfa<'_> {
    fn top(&self) -> usize {
        self.places[0].frames.top()
    }

    fn extend(&mut self) {
        let start = Instant::now();
        self.places.iter_mut().for_each(|place| place.frames.extend());
        for (edge, way) in self.automaton.edges.iter().zip(&mut self.ways) {
            way.solvers.extend(&self.places[edge.from].frames);
        }
        self.statistics.record(Phase::Encode, start);
    }

    fn propagate(&mut self) -> Result<(), Interrupted> {
        let start = Instant::now();
        let result = self.propagate_all();
        self.statistics.record(Phase::Propagate, start);
        result
    }

    fn promote_inductive_subset(&mut self) -> Result<(), Interrupted> {
        if !self.techniques.has(Technique::Infinite) {
            return Ok(());
        }
        let start = Instant::now();
        let result = self.promote_subset();
        self.statistics.record(Phase::Infinite, start);
        result
    }

    fn assert_frames(&mut self, _frontiers: &[(usize, usize)]) {
        // Lemmas are checked one by one when they are added, and the invariant by its receiver.
    }

    fn block_property(
        &mut self,
        property: usize,
        level: usize,
        obligations: &mut Obligations,
        turn: &mut u64,
    ) -> Result<Blocking, Interrupted> {
        self.block_at_level(property, level, obligations, turn)
    }

    fn infinite_version(&self) -> u64 {
        self.infinite_version
    }

    fn invariant_against(&mut self, property: usize) -> Result<Option<Invariant>, Interrupted> {
        if self.find_bad(property, Level::Infinite)?.is_some() {
            return Ok(None);
        }
        let mut clauses = vec![];
        for (location, place) in self.places.iter().enumerate() {
            if self.is_empty(location, Level::Infinite) {
                clauses.push(self.clause(location, &Cube::new(vec![])));
            } else {
                clauses.extend(place.frames.infinite().iter().map(|cube| self.clause(location, cube)));
            }
        }
        Ok(Some(Invariant { clauses }))
    }

    fn work(&self) -> u64 {
        let of_way = |way: &Way| way.lifter.statistics().propagations + way.solvers.propagations();
        self.statistics.propagations + self.ways.iter().map(of_way).sum::<u64>()
    }
}
