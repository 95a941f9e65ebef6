//! Boxes: an inductive invariant of few readable boxes, grown backwards from the labels that must not be reached.
//!
//! Large programs have many more states than they need: values that are overwritten before they are read, and copies of
//! other values. Behind them is a small machine. Here a state stands for a *box* around it, a product of sets of
//! numbers, one for each variable that matters, and the aim is a set of boxes such that every step from a state in a
//! box leads into a box again, or to a label that is known to be reachable. Then no run reaches any other label.
//!
//! Take this program, with `mode` 0 and `level` 7 in the beginning, and an input that is 1 or 2:
//!
//! ```text
//! if (input == 1 && mode == 0) { mode = 1; level = 3; }
//! else if (input == 2 && mode == 1) { mode = 0; level = level * 5 % 7; }
//! if (mode == 1 && level > 5) error;
//! ```
//!
//! 1. The box of the first state, `mode` 0 and `level` 7, begins with everything in it. The walk from it finds one rule that
//!    fires. The other one fails, which needs a reason: `mode` is not 1. So the box is `mode != 1`; of `level` nothing is said.
//! 2. The step leads to `mode` 1 and `level` 3. Its walk finds the second rule; that the first fails needs `mode != 0`, and that
//!    the check of the error fails, if nothing happens, needs `level <= 5`. The step before assigned both, and so
//!    demands nothing of the first box.
//! 3. The second rule leads into the first box, whatever `level` becomes. Every way ends in a box: the error cannot be reached, and
//!    `mode != 1` or `mode != 0, level <= 5` is why. An explicit search would have had to count the values of `level`.
//!
//! States in a box need not behave alike. Their common facts are decided by demand, from the labels backwards, as in
//! property-directed reachability (Bradley 2011); covering states that were not looked at is from lazy abstraction
//! (Henzinger, Jhala, Majumdar and Sutre 2002), keeping few facts of explicit values and finding them by need from
//! explicit-value analysis with interpolation (Beyer and Löwe 2013). Asking for equal behaviour as well would make this
//! partition refinement (Paige and Tarjan 1987).
//!
//! The way of the data: `guards` turns conditions into tests of single variables, `walk` takes one state through the
//! step and finds the needs of its box, `preimage` carries demands back through assignments, `graph` puts boxes and
//! paths together until they close. `sets` holds the numbers, `cells` says where guards cut them.
//!
//! All this goes backwards. [`partition`] finds boxes forwards: it keeps all that is known, and joins it.
//!
//! A label that depends on a counter is set aside, and left to others: a box that says something about a counter has
//! one like it for each number that it counts to.

mod cells;
mod graph;
mod guards;
pub mod partition;
mod preimage;
mod sets;
mod step;
mod values;
mod walk;

use crate::analysis::Facts;
use crate::analysis::flow::Flow;
use crate::base::progress::Stage;
use crate::base::{Ended, Limits};
use crate::certificate::{Certificate, NumberSet, StateBox};
use crate::claims;
use crate::explicit::live_at_start;
use crate::expr::VarId;
use crate::program::{Program, PropertyId};
use graph::{Bounds, Closing, Graph};
use step::{Label, StepContext};

/// The properties to decide, and the effort for them.
#[derive(Clone, Copy, Debug)]
pub struct Order<'o> {
    /// The properties to decide, ascending.
    pub wanted: &'o [PropertyId],
    pub limits: &'o Limits,
    /// Steps of work; a thousand take some milliseconds, more for large programs.
    pub effort: u64,
    /// Bytes, about.
    pub memory: usize,
    pub doubt: Doubt,
}

/// When a part of a partition is told apart.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Doubt {
    /// Where that decides whether a label is reached.
    Labels,
    /// Wherever its states may go different ways.
    Everything,
}

/// Boxes that close.
#[derive(Clone, Debug)]
pub struct Closed {
    /// Properties that no run reaches.
    pub excluded: Vec<PropertyId>,
    /// Why: the boxes as an invariant.
    pub certificate: Certificate,
    pub boxes: usize,
}

/// An input with more values than this is not told apart.
const MOST_VALUES: u64 = 256;

/// Looks for boxes that exclude as many properties as possible; `reached` is told of runs that were found on the way.
/// `None` if there are none within the effort, or if the program is not made for them.
pub fn search(
    facts: &Facts,
    order: &Order,
    reached: &mut dyn FnMut(PropertyId, Vec<Vec<i32>>),
) -> Result<Option<Closed>, Ended> {
    let program = facts.program;
    if !is_suited(program) {
        return Ok(None);
    }
    let interrupt = &order.limits.interrupt;
    let flow = facts.flow(interrupt)?;
    let mut labels = vec![Label::Allowed; program.properties.len()];
    order.wanted.iter().for_each(|property| labels[property.index()] = Label::Excluded);
    let live = live_at_start(program, facts.slice());
    let step = StepContext::new(program, facts.slice(), &flow, &live, labels);
    let mut graph = Graph::new(step, facts.setup().state().variables.clone());
    let bounds = Bounds { effort: order.effort, memory: order.memory };
    let mut walks = 0;
    let closing = graph.close(bounds, interrupt, &mut |graph| {
        walks += 1;
        order.limits.progress.level(Stage::Boxes, walks);
        for (property, node, inputs) in std::mem::take(&mut graph.reached) {
            let mut run = graph.run_to(node);
            run.push(inputs);
            reached(property, run);
        }
    })?;
    Ok((closing == Closing::Closed).then(|| closed(&graph, &flow, order.wanted)))
}

/// Tables that are written are part of the state, and inputs with many values take many walks: others are better at both.
fn is_suited(program: &Program) -> bool {
    program.tables.iter().all(|table| !table.written)
        && program.inputs.iter().all(|input| input.alphabet.size() <= MOST_VALUES)
}

fn closed(graph: &Graph, flow: &Flow, wanted: &[PropertyId]) -> Closed {
    let excluded: Vec<PropertyId> =
        wanted.iter().copied().filter(|&property| graph.step.is_excluded(property)).collect();
    let sets = &graph.step.sets;
    let boxes: Vec<StateBox> = graph
        .boxes()
        .map(|node| {
            let numbers = |set| NumberSet::of_intervals(sets.intervals(set).iter().copied());
            let side = |slot: &guards::Slot| (VarId::new(slot.index()), numbers(node.facts[slot.index()]));
            let mut sides: Vec<_> = node.constrained.iter().map(side).collect();
            sides.sort_by_key(|side| side.0);
            StateBox { sides }
        })
        .collect();
    let count = boxes.len();
    // A box without sides says nothing, and then nor do the others.
    let boxes = if boxes.iter().any(|state_box| state_box.sides.is_empty()) { vec![] } else { boxes };
    let certificate =
        Certificate { excluded: excluded.clone(), facts: claims::facts_of_flow(flow), boxes, ..Certificate::default() };
    Closed { excluded, certificate, boxes: count }
}
