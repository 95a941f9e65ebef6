//! Boxes found forwards: a partition of the states by the machine behind the program, with all that is known of each part.
//!
//! Programs of the challenge are machines in disguise. A few variables, arranged as in a tree, hold the number of the
//! machine's state, and decide which rules can fire; all others are copies of these, and dead values. So states are put
//! together by their values of those few variables, and for each such *part* the values of its states are recorded,
//! variable by variable. Steps are taken from parts, in the abstract, until nothing is new. Then no step leaves the
//! parts, each of which is a box, and labels that were not met on the way cannot be reached.
//!
//! This is abstract interpretation (Cousot and Cousot 1977) with its states partitioned as in trace partitioning
//! (Mauborgne and Rival 2005). The variables of the partition are read off the guards (`tree`), and refined where that
//! does not suffice: if a step from a part may lead to a label, because states with different values of some variable
//! have come together there, then the part is divided by the cells of that variable before the step is taken any
//! further (`walk`), and steps into it are routed again. The same holds if the results of a path scatter over several
//! parts: in a machine it would be one, so states of several have come together. In planning, such a division of
//! products of sets is Cartesian abstraction refinement (Seipp and Helmert 2013). A step that may lead to several parts
//! is no reason: dividing for that, too, ends in as many parts as there are dead values.
//!
//! No reason why a guard fails has to be chosen: all facts are kept. The price is that boxes have many sides; the gain
//! is that their number is that of the machine's states.

pub mod behaviour;
mod cubes;
mod part;
mod reliance;
pub mod runs;
mod tree;
mod walk;

use std::collections::BTreeSet;

use super::cells::starts;
use super::guards::Tests;
use super::sets::Sets;
use super::step::{Label, label_of};
use super::{Closed, Doubt, Order, is_suited};
use crate::analysis::flow::Flow;
use crate::analysis::slice::Slice;
use crate::analysis::{Cells, Facts, Values};
use crate::base::progress::Stage;
use crate::base::{Ended, Interrupt, id};
use crate::certificate::{Certificate, StateBox};
use crate::claims;
use crate::explicit::live_at_start;
use crate::expr::VarId;
use crate::program::{Program, PropertyId, Scope};
use part::Part;
use reliance::Reads;
use runs::Map;
use tree::{Leaf, Tree};
use walk::{Ends, Ground, Outcome, walk};

id!(/// A part.
    PartId);

/// The variables that carry something from step to step.
#[derive(Debug)]
pub struct State {
    variables: Vec<VarId>,
    /// By variable: where it is in `variables`.
    positions: Vec<Option<usize>>,
    cells: Cells,
    /// By position: between which numbers the values always are.
    bounds: Vec<(i32, i32)>,
    /// By position: whether it counts on and on.
    is_counter: Vec<bool>,
}

impl State {
    fn new(program: &Program, slice: &Slice, live: &[bool], flow: &Flow, cells: Cells) -> State {
        let is_kept =
            |index: &usize| live[*index] && slice.assigned[*index] && program.variables[*index].scope == Scope::Global;
        let variables: Vec<VarId> = (0..program.variables.len()).filter(is_kept).map(VarId::new).collect();
        let mut positions = vec![None; program.variables.len()];
        variables.iter().enumerate().for_each(|(position, variable)| positions[variable.index()] = Some(position));
        let bounds = |&variable: &VarId| flow.head.get(variable).bounds().unwrap_or((i32::MIN, i32::MAX));
        let bounds = variables.iter().map(bounds).collect();
        let is_counter = variables.iter().map(|variable| flow.is_counter[variable.index()]).collect();
        State { variables, positions, cells, bounds, is_counter }
    }

    fn position(&self, variable: VarId) -> Option<usize> {
        self.positions[variable.index()]
    }

    /// The cell that a number of a variable lies in.
    fn cell(&self, position: usize, number: i32) -> (i32, i32) {
        self.cells.around(self.variables[position].index(), number)
    }

    /// Its number, as far as there is room for it.
    fn cell_number(&self, position: usize, number: i32) -> u16 {
        self.cells.number(self.variables[position].index(), number) as u16
    }

    /// The cells that have some of a variable's values, ascending.
    fn cells_of<'s>(&'s self, position: usize, values: &'s Values) -> impl Iterator<Item = (i32, i32)> + 's {
        let bounds = values.bounds();
        let next = move |&(_, high): &(i32, i32)| {
            let last = bounds.map_or(i32::MIN, |(_, last)| last);
            (high < last).then(|| self.cell(position, high + 1))
        };
        let first = bounds.map(|(low, _)| self.cell(position, low));
        std::iter::successors(first, next).filter(|cell| !values.within(cell.0, cell.1).is_empty())
    }
}

struct Partition<'p> {
    ground: Ground<'p>,
    tree: Tree,
    parts: Vec<Part>,
    /// Parts to take steps from: those with the fewest walks first, so that more can arrive before the next.
    queue: BTreeSet<(u32, PartId)>,
    start: Vec<Values>,
    /// The effort so far, and the number of parts that were divided.
    spent: u64,
    divided: usize,
}

/// The cost of a walk, as in the search backwards.
const WALK: u64 = 50;

/// Looks for boxes that exclude as many properties as possible, and for a map to the others. `None` if there are none
/// within the effort.
pub fn search(facts: &Facts, order: &Order) -> Result<Option<(Closed, Map)>, Ended> {
    let Some(mut search) = Search::new(facts, order)? else { return Ok(None) };
    Ok((search.go(order, order.effort)? == Progress::Closed).then(|| search.finish()))
}

/// How far a search has come.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Progress {
    Closed,
    /// The effort is spent, and more may help.
    Open,
    /// There is too much of something, whatever the effort.
    Lost,
}

/// A search that can be interrupted, and go on.
pub struct Search<'p> {
    partition: Partition<'p>,
    flow: Flow<'p>,
    wanted: Vec<PropertyId>,
}

impl<'p> Search<'p> {
    /// `None` if the program is not made for it.
    pub fn new(facts: &'p Facts, order: &Order) -> Result<Option<Search<'p>>, Ended> {
        if !is_suited(facts.program) {
            return Ok(None);
        }
        let flow = facts.flow(&order.limits.interrupt)?;
        let mut partition = Partition::new(facts, &flow, facts.slice(), order.wanted);
        partition.ground.doubts_all = order.doubt == Doubt::Everything;
        Ok(Some(Search { partition, flow, wanted: order.wanted.to_vec() }))
    }

    /// Goes on until so much effort is spent, from the beginning on.
    pub fn go(&mut self, order: &Order, effort: u64) -> Result<Progress, Ended> {
        let order = Order { effort, ..*order };
        self.partition.close(&order, &order.limits.interrupt)
    }

    /// The boxes, once they are closed, and the map.
    pub fn finish(self) -> (Closed, Map) {
        let closed = self.partition.closed(&self.flow, &self.wanted);
        let Partition { ground: Ground { state, .. }, tree, parts, .. } = self.partition;
        (closed, Map { state, tree, parts })
    }
}

impl<'p> Partition<'p> {
    fn new(facts: &'p Facts, flow: &Flow<'p>, slice: &'p Slice, wanted: &[PropertyId]) -> Partition<'p> {
        let program = facts.program;
        let live = live_at_start(program, slice);
        let passing = live.iter().map(|live| !live).collect();
        let mut sets = Sets::new();
        let tests = Tests::of_all(program, flow.anywhere.clone(), passing, &mut sets);
        let slots = program.variables.len() + program.inputs.len();
        let cells = Cells::from_starts(starts(&tests, &mut sets, slots));
        let state = State::new(program, slice, &live, flow, cells);
        let cubes = cubes::cubes(program, &|id| slice.keeps(id), &state, &flow.head);
        let mut labels = vec![Label::Allowed; program.properties.len()];
        wanted.iter().for_each(|property| labels[property.index()] = Label::Excluded);
        let values = &facts.setup().state().variables;
        let start = state.variables.iter().map(|variable| Values::one(values[variable.index()])).collect();
        let ground = Ground {
            program,
            slice,
            state,
            sets,
            tests,
            env: flow.head.clone(),
            labels,
            joins: false,
            label_of: label_of(program),
            reads: Reads::default(),
            listens: false,
            doubts_all: false,
        };
        Partition { ground, tree: Tree::new(cubes), parts: vec![], queue: BTreeSet::new(), start, spent: 0, divided: 0 }
    }

    /// Takes steps until they lead to nothing new, or the effort is spent.
    fn close(&mut self, order: &Order, interrupt: &Interrupt) -> Result<Progress, Ended> {
        if self.parts.is_empty() {
            self.route(None, self.start.clone());
        }
        // A list of values and its header.
        let bytes = self.start.len() * 48;
        while let Some(&(walks, id)) = self.queue.first() {
            interrupt.check()?;
            let part = &mut self.parts[id.index()];
            if !part.is_gone && !part.is_settled {
                if self.spent + WALK > order.effort {
                    return Ok(Progress::Open);
                }
                if self.parts.len() * bytes > order.memory {
                    return Ok(Progress::Lost);
                }
            }
            self.queue.remove(&(walks, id));
            let part = &mut self.parts[id.index()];
            if part.is_gone {
                continue;
            }
            if !part.is_settled {
                self.spent += WALK;
                order.limits.progress.level(Stage::Boxes, self.parts.len() - self.divided);
                match walk(&mut self.ground, &self.parts[id.index()], &self.tree) {
                    Outcome::Ends(ends) => {
                        let part = &mut self.parts[id.index()];
                        (part.ends, part.is_settled) = (ends, true);
                        part.walks += 1;
                    }
                    Outcome::Split(position) => {
                        self.divided += 1;
                        self.divide(id, position);
                        continue;
                    }
                    Outcome::TooMany => return Ok(Progress::Lost),
                }
            }
            let after = self.parts[id.index()].values_after();
            self.parts[id.index()].targets = after.into_iter().map(|values| self.route(Some(id), values)).collect();
        }
        Ok(Progress::Closed)
    }

    /// Puts states where they belong; the result is the parts that they are in.
    fn route(&mut self, source: Option<PartId>, mut values: Vec<Values>) -> Vec<PartId> {
        let Partition { ground, tree, parts, queue, .. } = self;
        let (mut new, mut reached) = (vec![], vec![]);
        tree.route(&ground.state, &mut values, &mut |leaf, values| match leaf {
            Leaf::New(node) => new.push((node, values.to_vec())),
            Leaf::Part(id) => {
                let part = &mut parts[id.index()];
                part.sources.extend(source);
                reached.push(id);
                if part.join(&ground.state, values) {
                    queue.insert((part.walks, id));
                }
            }
        });
        for (node, values) in new {
            let id = PartId::new(parts.len());
            let mut part = Part::new(values, node);
            part.sources.extend(source);
            parts.push(part);
            tree.make_part(node, id);
            queue.insert((0, id));
            reached.push(id);
        }
        reached
    }

    /// Divides a part by a variable. Steps into it have to be routed again.
    fn divide(&mut self, id: PartId, position: usize) {
        let part = &mut self.parts[id.index()];
        part.is_gone = true;
        (part.values, part.ends, part.targets) = (vec![], Ends::default(), vec![]);
        self.tree.split(part.node, position);
        for source in std::mem::take(&mut part.sources) {
            let source_part = &self.parts[source.index()];
            if !source_part.is_gone {
                self.queue.insert((source_part.walks, source));
            }
        }
        self.route(None, self.start.clone());
    }

    fn closed(&self, flow: &Flow, wanted: &[PropertyId]) -> Closed {
        let is_excluded = |property: &PropertyId| self.ground.labels[property.index()] == Label::Excluded;
        let excluded: Vec<PropertyId> = wanted.iter().copied().filter(is_excluded).collect();
        let boxes: Vec<StateBox> =
            self.parts.iter().filter(|part| !part.is_gone).map(|part| self.state_box(part, flow)).collect();
        let count = boxes.len();
        // A box without sides says nothing, and then nor do the others.
        let boxes = if boxes.iter().any(|state_box| state_box.sides.is_empty()) { vec![] } else { boxes };
        let facts = claims::facts_of_flow(flow);
        let certificate = Certificate { excluded: excluded.clone(), facts, boxes, ..Certificate::default() };
        Closed { excluded, certificate, boxes: count }
    }

    /// A part as a box: the facts about it beyond those about all states.
    fn state_box(&self, part: &Part, flow: &Flow) -> StateBox {
        let variables = self.ground.state.variables.iter().zip(&part.values);
        let told = variables.filter(|(variable, values)| *values != flow.head.get(**variable));
        StateBox { sides: told.map(|(&variable, values)| (variable, claims::numbers(values))).collect() }
    }
}
