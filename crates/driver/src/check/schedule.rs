//! A profile of a program and the requested engines in, a schedule out: which strategies run, in which order, and which
//! of them side by side.
//!
//! Programs of the RERS challenge are large and read one input of few values: there boxes and the abstraction decide
//! nearly everything, and engines that start beside them only take time from them. Controllers are small or read many
//! inputs: an engine that tries combinations of inputs may not even finish with the first state, while engines on
//! circuits do not look at combinations. Which engine suits a small program cannot be told beforehand, and trying all
//! of them costs next to nothing. So there every engine that is cheap for many properties at once has a bounded turn
//! first: a glance at the states, IC3, a few dozen steps of bounded model checking, k-induction. None of these turns is
//! bounded by the clock, so a run begins in the same way each time.
//!
//! The lanes of a schedule run side by side, once the first lane lets the others begin. A verdict does not depend on
//! which lane was faster; the choice among several witnesses may.

use std::fmt;

use super::Means;
use crate::analysis::Facts;
use crate::explicit::inputs::combinations;

/// The facts that matter to a schedule.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Profile {
    pub shape: Shape,
    pub statements: usize,
    pub inputs: usize,
    /// The number of combinations of inputs that a step may be tried on.
    pub combinations: u64,
    /// Whether it counts time: the cycles of a PLC.
    pub has_clocks: bool,
    /// The cells of tables that are written.
    pub cells: usize,
}

/// The shape of a program's runs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Shape {
    /// One step again and again.
    Step,
    /// From location to location, as C with loops does.
    Locations,
    /// Two programs side by side that may do the same.
    Twins,
}

/// A strategy with the effort that it gets.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Task {
    /// A search of the program's own states that ends after a few steps; the others may wait for it.
    Glance { others_wait: bool },
    /// Random runs.
    Walks,
    /// Properties that passes prove alone.
    Folded,
    /// Boxes that are looked for forwards, in a partition: for a while, or to the end.
    Partition { effort: u64, others_wait: bool },
    /// Boxes that are looked for backwards.
    Boxes { effort: u64, others_wait: bool },
    /// The abstraction into regions, explored.
    Regions,
    /// IC3 on that abstraction.
    Abstraction,
    /// All states of the program.
    Explicit,
    /// The engine that was asked for on the exact circuit; with bounded turns of others before it, if it glances.
    Circuit { glances: bool },
    /// Bounded model checking, as deep as time allows.
    Unrolling,
    /// IC3 with relations between the numbers of a program.
    Relations { by_location: bool },
    /// IC3 with frames for each location.
    Locations,
}

/// Lanes of tasks.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Schedule {
    pub lanes: Vec<Vec<Task>>,
}

/// The steps of boxes beside others, by the size of the program: for a moment at first, and then for seconds.
const QUICK_BOXES: (u64, u64) = (6_000, 5);
const THOROUGH_BOXES: (u64, u64) = (200_000, 30);
/// The steps of the partition before others begin.
const PARTS: u64 = 1_000_000;

/// A step with more combinations of inputs than this has many.
const MANY_COMBINATIONS: u64 = 64;
/// A program with no more statements than this is small.
const FEW_STATEMENTS: usize = 500;
/// A program with more statements than this takes an engine on circuits seconds before it begins.
const MANY_STATEMENTS: usize = 20_000;

impl Profile {
    pub fn of(facts: &Facts, has_twins: bool) -> Profile {
        let program = facts.program;
        let shape = match program.location {
            Some(_) => Shape::Locations,
            None if has_twins => Shape::Twins,
            None => Shape::Step,
        };
        let combinations = combinations(program, facts.slice());
        let has_clocks = program.legend.as_ref().is_some_and(|legend| legend.cycle.is_some());
        let (statements, inputs) = (program.stmts.len(), program.inputs.len());
        let written = program.tables.iter().filter(|table| table.written);
        let cells = written.map(|table| table.cells.len()).sum();
        Profile { shape, statements, inputs, combinations, has_clocks, cells }
    }

    pub fn has_many_combinations(&self) -> bool {
        self.combinations > MANY_COMBINATIONS
    }

    /// Whether all strategies had better begin at once.
    fn suits_company(&self) -> bool {
        self.statements <= FEW_STATEMENTS || self.has_many_combinations()
    }

    /// Whether engines on circuits have their turns before the rest begins. IC3 on the exact circuit has no end where numbers are
    /// computed, as in small programs of the challenge, which read one input.
    fn suits_circuits(&self) -> bool {
        self.inputs > 1 && self.statements <= MANY_STATEMENTS
    }

    fn effort(&self, (some, each): (u64, u64)) -> u64 {
        some + each * self.statements as u64
    }
}

impl Schedule {
    pub fn of(profile: &Profile, means: Means, with_relations: bool) -> Schedule {
        use Task::{Abstraction, Circuit, Explicit, Folded, Glance, Regions, Relations, Unrolling, Walks};
        let quick = Task::Boxes { effort: profile.effort(QUICK_BOXES), others_wait: true };
        let thorough = Task::Boxes { effort: profile.effort(THOROUGH_BOXES), others_wait: false };
        let parts = Task::Partition { effort: PARTS, others_wait: true };
        let (glance, circuit) = (Glance { others_wait: false }, Circuit { glances: false });
        let lanes = match (means, profile.shape) {
            // Loops that count need relations between numbers, and so do programs that were made of two; where these do
            // not help, bits may. IC3 has frames for each location in the one case, and one sequence of frames in the
            // other.
            (Means::Together, Shape::Locations) => vec![
                vec![glance, Walks, Relations { by_location: true }],
                vec![quick, Regions, Explicit],
                vec![circuit],
            ],
            (Means::Together, Shape::Twins) => vec![
                vec![Folded, glance, Walks, Relations { by_location: false }],
                vec![quick, Regions, Explicit],
                vec![circuit],
            ],
            // Clocks run for long while nothing else happens: a search has few states to visit, and boxes many steps to divide.
            (Means::Together, Shape::Step) if profile.has_clocks => vec![
                vec![Glance { others_wait: true }, Circuit { glances: true }, thorough, Abstraction],
                vec![quick, Regions, Unrolling],
                vec![Explicit],
            ],
            (Means::Together, Shape::Step) if profile.suits_company() && profile.suits_circuits() => vec![
                vec![Glance { others_wait: true }, quick, Circuit { glances: true }, thorough, Abstraction],
                vec![Regions, Unrolling],
                vec![Explicit],
            ],
            (Means::Together, Shape::Step) if profile.suits_company() => {
                let second = match profile.inputs {
                    0 | 1 => vec![thorough, Abstraction, Circuit { glances: true }],
                    _ => vec![Circuit { glances: true }, thorough, Abstraction],
                };
                vec![vec![glance, parts, quick, Regions], second, vec![Explicit]]
            }
            (Means::Together, Shape::Step) => {
                vec![vec![parts, quick, Regions, Explicit], vec![thorough, Abstraction, circuit]]
            }
            (Means::Boxes, _) => vec![vec![Task::Boxes { effort: u64::MAX, others_wait: false }]],
            (Means::Partition, _) => vec![vec![Task::Partition { effort: u64::MAX, others_wait: false }]],
            (Means::Regions, _) => vec![vec![Regions]],
            (Means::Explicit, _) => vec![vec![Explicit]],
            (Means::Circuit, _) => vec![vec![circuit]],
            (Means::Relations, _) => vec![vec![Relations { by_location: false }]],
            (Means::Cfa, _) if with_relations => vec![vec![Relations { by_location: true }]],
            (Means::Cfa, _) => vec![vec![Task::Locations]],
        };
        Schedule { lanes }
    }

    /// Whether engines side by side may find a run that is longer than others would.
    pub fn is_company(&self) -> bool {
        self.lanes.iter().flatten().any(|task| matches!(task, Task::Glance { .. }))
    }
}

impl fmt::Display for Task {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Task::Glance { .. } => f.write_str("glance"),
            Task::Walks => f.write_str("walks"),
            Task::Folded => f.write_str("folded"),
            Task::Partition { effort: u64::MAX, .. } => f.write_str("partition"),
            Task::Partition { effort, .. } => write!(f, "partition for {effort}"),
            Task::Boxes { effort: u64::MAX, .. } => f.write_str("boxes"),
            Task::Boxes { effort, .. } => write!(f, "boxes for {effort}"),
            Task::Regions => f.write_str("regions"),
            Task::Abstraction => f.write_str("abstraction"),
            Task::Explicit => f.write_str("explicit"),
            Task::Circuit { glances: true } => f.write_str("glances at the circuit, circuit"),
            Task::Circuit { glances: false } => f.write_str("circuit"),
            Task::Unrolling => f.write_str("unrolling"),
            Task::Relations { by_location: true } => f.write_str("relations by location"),
            Task::Relations { by_location: false } => f.write_str("relations"),
            Task::Locations => f.write_str("cfa"),
        }
    }
}

/// A line for each lane.
impl fmt::Display for Schedule {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (number, lane) in self.lanes.iter().enumerate() {
            let tasks: Vec<String> = lane.iter().map(Task::to_string).collect();
            writeln!(f, "lane {}: {}", number + 1, tasks.join(", "))?;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn schedule(shape: Shape, inputs: usize, statements: usize, combinations: u64) -> Schedule {
        let profile = Profile { shape, statements, inputs, combinations, has_clocks: false, cells: 0 };
        Schedule::of(&profile, Means::Together, true)
    }

    #[test]
    fn only_large_programs_with_few_combinations_have_no_glance() {
        for (inputs, statements, combinations, expected) in [
            (1, 3, 4, true),
            (1, 5_000, 10, false),
            (1, 5_000, 100, true),
            (40, 3, u64::MAX, true),
            (6, 800, 64, false),
        ] {
            let schedule = schedule(Shape::Step, inputs, statements, combinations);
            assert_eq!(schedule.is_company(), expected, "{inputs} inputs, {statements} statements:\n{schedule}");
        }
    }

    /// Engines that are cheap for many properties at once have seen all of them before any engine works to its end.
    #[test]
    fn controllers_begin_with_bounded_turns() {
        for statements in [10, 600, 5_000] {
            let schedule = schedule(Shape::Step, 8, statements, 256);
            let is_bounded = |task: &Task| {
                matches!(task, Task::Glance { others_wait: true } | Task::Boxes { others_wait: true, .. })
            };
            let first = schedule.lanes[0].iter().find(|task| !is_bounded(task));
            assert_eq!(first, Some(&Task::Circuit { glances: true }), "{schedule}");
        }
    }

    #[test]
    fn who_is_asked_for_alone_works_alone() {
        let profile =
            Profile { shape: Shape::Step, statements: 9, inputs: 2, combinations: 4, has_clocks: false, cells: 0 };
        for means in [Means::Boxes, Means::Partition, Means::Regions, Means::Explicit, Means::Circuit, Means::Cfa] {
            let Schedule { lanes } = Schedule::of(&profile, means, false);
            assert_eq!(lanes.iter().map(Vec::len).collect::<Vec<_>>(), [1], "{means:?}");
        }
    }

    #[test]
    fn schedules_can_be_read() {
        insta::assert_snapshot!(schedule(Shape::Step, 3, 100, 16), @r"
        lane 1: glance, boxes for 6500, glances at the circuit, circuit, boxes for 203000, abstraction
        lane 2: regions, unrolling
        lane 3: explicit
        ");
        insta::assert_snapshot!(schedule(Shape::Locations, 2, 100, u64::MAX), @r"
        lane 1: glance, walks, relations by location
        lane 2: boxes for 6500, regions, explicit
        lane 3: circuit
        ");
    }
}
