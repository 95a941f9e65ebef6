//! Parts as a machine: the possible answers of a program to its inputs, part by part.
//!
//! The parts can do all that the program does; they may be able to do more, where a part has states that take different
//! paths. So properties of all their runs are properties of all runs of the program. Where a run of the parts is none
//! of the program, a part on its way is divided by one more variable (counterexample-guided refinement: Clarke,
//! Grumberg, Jha, Lu and Veith 2000).

use super::walk::{Outcome, Seen, walk};
use super::{Doubt, Order, PartId, Partition, Progress, is_suited};
use crate::analysis::flow::Flow;
use crate::analysis::{Facts, Values};
use crate::base::Ended;
use crate::certificate::{Fact, StateBox};
use crate::claims;
use crate::expr::InputId;

/// A partition by the visible behaviour of a program.
pub struct Behaviour<'p> {
    partition: Partition<'p>,
    flow: Flow<'p>,
}

/// The most printed numbers of a step that are distinguished.
const MOST_PRINTED: u64 = 16;

/// A step of a part: an input, the output, whether the program complains, and the part after it.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct PartStep {
    pub input: i32,
    pub printed: Vec<i32>,
    pub complains: bool,
    pub target: PartId,
}

impl<'p> Behaviour<'p> {
    /// Parts that no step leaves, by the statements that matter to the output; `None` if there are none within the
    /// effort.
    pub fn new(facts: &'p Facts, order: &Order) -> Result<Option<Behaviour<'p>>, Ended> {
        if !is_suited(facts.program) || facts.program.inputs.len() != 1 {
            return Ok(None);
        }
        let flow = facts.flow(&order.limits.interrupt)?;
        let mut partition = Partition::new(facts, &flow, facts.behaviour(), &[]);
        partition.ground.listens = true;
        partition.ground.doubts_all = order.doubt == Doubt::Everything;
        let progress = partition.close(order, &order.limits.interrupt)?;
        Ok((progress == Progress::Closed).then_some(Behaviour { partition, flow }))
    }

    /// The parts; those that were divided have no steps.
    pub fn parts(&self) -> usize {
        self.partition.parts.len()
    }

    /// Facts that hold in all parts.
    pub fn facts(&self) -> Vec<Fact> {
        claims::facts_of_flow(&self.flow)
    }

    /// A part as a box; `None` if it has been divided.
    pub fn state_box(&self, part: PartId) -> Option<StateBox> {
        let part = &self.partition.parts[part.index()];
        (!part.is_gone).then(|| self.partition.state_box(part, &self.flow))
    }

    /// The part of a state, given by the values of all variables.
    pub fn locate(&self, values: &[i32]) -> Option<PartId> {
        let state = &self.partition.ground.state;
        let own: Vec<i32> = state.variables.iter().map(|variable| values[variable.index()]).collect();
        self.partition.tree.locate(state, &own)
    }

    /// All that a step from a part may do, each once; `None` if that is too much to be told.
    pub fn steps(&self, part: PartId) -> Option<Vec<PartStep>> {
        let mut steps = vec![];
        for (Seen { inputs, printed, complains }, targets) in self.partition.parts[part.index()].ways() {
            let texts = texts(printed)?;
            for input in inputs.iter().flat_map(Values::iter) {
                for printed in &texts {
                    steps.extend(targets.iter().map(|&target| PartStep {
                        input,
                        printed: printed.clone(),
                        complains: *complains,
                        target,
                    }));
                }
            }
        }
        steps.sort_unstable();
        steps.dedup();
        Some(steps)
    }

    /// Divides a part by the behaviour of its states on an input, if there is a variable that decides about it. Then
    /// the steps behind it are taken again.
    pub fn divide(&mut self, part: PartId, input: i32, order: &Order) -> Result<Divided, Ended> {
        let Partition { ground, tree, parts, .. } = &mut self.partition;
        let before = ground.env.fix_input(InputId::new(0), Values::one(input));
        let doubts_all = std::mem::replace(&mut ground.doubts_all, true);
        let outcome = walk(ground, &parts[part.index()], tree);
        ground.doubts_all = doubts_all;
        ground.env.fix_input(InputId::new(0), before);
        let position = match outcome {
            Outcome::Split(position) => Some(position),
            _ => self.where_targets_differ(part, input),
        };
        let Some(position) = position else { return Ok(Divided::Not) };
        self.partition.divide(part, position);
        self.partition.spent = 0;
        match self.partition.close(order, &order.limits.interrupt)? {
            Progress::Closed => Ok(Divided::Yes),
            Progress::Open | Progress::Lost => Ok(Divided::TooMuch),
        }
    }

    /// A variable that states of a part hand on, and by which parts after a step are divided: then the part may be
    /// divided by it, too.
    fn where_targets_differ(&self, part: PartId, input: i32) -> Option<usize> {
        let Partition { ground, tree, parts, .. } = &self.partition;
        let own = &parts[part.index()];
        let asked = tree.asked(own.node);
        let is_mixed = |position: &usize| {
            !asked.contains(position) && ground.state.cells_of(*position, &own.values[*position]).nth(1).is_some()
        };
        let is_taken = |seen: &Seen| seen.inputs.as_ref().is_some_and(|inputs| inputs.contains(input));
        let several = own.ways().filter(|(seen, targets)| is_taken(seen) && targets.len() > 1);
        let after = several.flat_map(|(_, targets)| targets).flat_map(|target| tree.asked(parts[target.index()].node));
        after.copied().find(is_mixed)
    }
}

/// The result of dividing a part.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Divided {
    Yes,
    /// No variable decides about the behaviour of its states.
    Not,
    /// There are too many parts by now; those that exist are not closed.
    TooMuch,
}

/// All lists of numbers with one of each set.
fn texts(printed: &[Values]) -> Option<Vec<Vec<i32>>> {
    let count = printed.iter().try_fold(1_u64, |all, values| all.checked_mul(values.count()));
    if count.is_none_or(|count| count > MOST_PRINTED) {
        return None;
    }
    let mut all = vec![vec![]];
    for values in printed {
        all = all.iter().flat_map(|begun| values.iter().map(|value| [begun.as_slice(), &[value]].concat())).collect();
    }
    Some(all)
}
