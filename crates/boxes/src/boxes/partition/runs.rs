//! Runs to labels, found with a map: real states are visited, but of those in one part only one.
//!
//! The states of a part are in one state of the machine behind the program, and their other values mostly do not
//! matter. So a search that identifies the states of a part (`explicit/matching`) walks over the machine, not over dead
//! values. What matters beyond the part are counters. So each counter is driven up and down: its cell tells states of a
//! part apart, too, of those that look alike the one is kept whose counter is closest to a goal, and a loop that counts
//! is taken again and again. If labels are left then, the cells of all variables that the step relies on tell states
//! apart as well.

use rustc_hash::FxHashMap;

use super::part::Part;
use super::tree::Tree;
use super::{PartId, State};
use crate::analysis::Facts;
use crate::base::{Ended, Interrupt};
use crate::explicit::Execution;
use crate::explicit::inputs::combinations;
use crate::explicit::matching::{Goal, Matcher, View};
use crate::expr::VarId;
use crate::program::PropertyId;

/// The parts and the ways between them.
pub struct Map {
    pub(super) state: State,
    pub(super) tree: Tree,
    pub(super) parts: Vec<Part>,
}

/// The goals of the search, and its bounds.
#[derive(Clone, Copy, Debug)]
pub struct Quest<'q> {
    pub wanted: &'q [PropertyId],
    pub interrupt: &'q Interrupt,
    /// The most states that each search visits.
    pub states: usize,
}

/// The values that tell states of one part from each other, beside the part.
#[derive(Clone, Copy)]
enum Detail {
    Nothing,
    /// A counter, by its position in the state, that is driven to these numbers.
    Counter(usize, (i32, i32)),
    /// The variables that the step from the part relies on.
    Reliance,
}

/// A step is tried on all combinations of inputs. If there are more than these, that is left to others.
const MOST_COMBINATIONS: u64 = 256;

/// The most cells over which a counter is driven in each direction.
const MOST_CELLS: usize = 64;

impl Map {
    /// Looks for runs to some properties; `reached` gets them.
    pub fn search(
        &self,
        facts: &Facts,
        quest: Quest,
        reached: &mut dyn FnMut(PropertyId, Vec<Vec<i32>>),
    ) -> Result<(), Ended> {
        if combinations(facts.program, facts.slice()) > MOST_COMBINATIONS {
            return Ok(());
        }
        let matcher = Matcher::new(facts, Execution::Fast);
        let at: FxHashMap<VarId, usize> =
            matcher.variables().into_iter().enumerate().map(|(at, variable)| (variable, at)).collect();
        let places: Option<Vec<usize>> =
            self.state.variables.iter().map(|variable| at.get(variable).copied()).collect();
        let Some(places) = places else { return Ok(()) };
        let open = quest.wanted.to_vec();
        let mut search = Search { map: self, matcher, places, quest, open, reached };
        search.visit(Detail::Nothing)?;
        let start = &facts.setup().state().variables;
        for position in (0..self.state.variables.len()).filter(|&position| self.state.is_counter[position]) {
            for goals in self.goals(position, start[self.state.variables[position].index()]) {
                for goal in goals {
                    if search.visit(Detail::Counter(position, goal))? {
                        break;
                    }
                }
            }
        }
        search.visit(Detail::Reliance).map(|_| ())
    }

    /// Cells of a counter to drive it to, on each side of its start. On the way to the last it passes all others, so that one comes
    /// first, and those half as far, and half of that, if it is too far.
    fn goals(&self, position: usize, start: i32) -> [Vec<(i32, i32)>; 2] {
        let (lowest, highest) = self.state.bounds[position];
        let next = |number: Option<i32>| number.map(|number| self.state.cell(position, number));
        let first = self.state.cell(position, start);
        let up = std::iter::successors(Some(first), |cell| next(cell.1.checked_add(1).filter(|&next| next <= highest)));
        let down =
            std::iter::successors(Some(first), |cell| next(cell.0.checked_sub(1).filter(|&next| next >= lowest)));
        let halving = |cells: Vec<(i32, i32)>| {
            let places = std::iter::successors(Some(cells.len() - 1), |place| Some(place / 2));
            places.take_while(|&place| place > 0).map(|place| cells[place]).collect()
        };
        [halving(up.take(MOST_CELLS).collect()), halving(down.take(MOST_CELLS).collect())]
    }

    fn relies_on(&self, part: PartId, position: usize) -> bool {
        self.parts[part.index()].ends.relies_on[position]
    }
}

struct Search<'s, 'p> {
    map: &'s Map,
    matcher: Matcher<'p>,
    /// By position in the map's state: where the matcher has it.
    places: Vec<usize>,
    quest: Quest<'s>,
    open: Vec<PropertyId>,
    reached: &'s mut dyn FnMut(PropertyId, Vec<Vec<i32>>),
}

impl Search<'_, '_> {
    /// Visits states; whether all that can be told apart were visited.
    fn visit(&mut self, detail: Detail) -> Result<bool, Ended> {
        if self.open.is_empty() {
            return Ok(true);
        }
        let Search { map, matcher, places, quest, open, reached } = self;
        let width = match detail {
            Detail::Nothing => 2,
            Detail::Counter(..) => 3,
            Detail::Reliance => 2 + places.len(),
        };
        let look = |state: &[i32], numbers: &mut [u16]| {
            let values: Vec<i32> = places.iter().map(|&place| state[place]).collect();
            let part = map.tree.locate(&map.state, &values);
            let number = part.map_or(u32::MAX, |part| part.index() as u32);
            (numbers[0], numbers[1]) = (number as u16, (number >> 16) as u16);
            match detail {
                Detail::Nothing => {}
                Detail::Counter(position, _) => numbers[2] = map.state.cell_number(position, values[position]),
                Detail::Reliance => {
                    for (position, slot) in numbers[2..].iter_mut().enumerate() {
                        let matters = part.is_some_and(|part| map.relies_on(part, position));
                        *slot = if matters { map.state.cell_number(position, values[position]) } else { 0 };
                    }
                }
            }
        };
        let goal = match detail {
            Detail::Counter(position, values) => Some(Goal { position: places[position], values }),
            _ => None,
        };
        let view = View { look: &look, width, goal, most: quest.states };
        let matched = matcher.search(&view, quest.interrupt, &mut |property, way| {
            if let Some(place) = open.iter().position(|&other| other == property)
                && let Some(run) = way()
            {
                open.remove(place);
                reached(property, run);
            }
            !open.is_empty()
        });
        quest.interrupt.check()?;
        Ok(matched.closed)
    }
}
