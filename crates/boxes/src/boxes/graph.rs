//! Boxes and the ways between them, until every way ends in a box.
//!
//! A node is a state and the box around it; an edge is a path through the step from one box into another. A box begins
//! as large as the facts about all states allow, and shrinks: by the explanations of the walk from its state, and by
//! the demands of the boxes that its edges lead to ([`ways`]). When a box shrinks, the edges into it hear of the one
//! variable that has changed; an edge whose end now lies outside looks for another box. A state that lies in a box
//! which has been walked from is not looked at itself. That is covering, as in lazy abstraction (Henzinger, Jhala,
//! Majumdar and Sutre, 2002).

mod ways;

use std::collections::VecDeque;
use std::rc::Rc;

use rustc_hash::FxHashMap;

use super::guards::Slot;
use super::preimage::{Entry, Version};
use super::sets::SetId;
use super::step::StepContext;
use super::walk::{Fork, Path, Reasons, Walk};
use crate::base::{Ended, Interrupt, id};
use crate::program::PropertyId;

id!(/// A box.
    NodeId);
id!(/// A way from a box to a box.
    EdgeId);

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Status {
    /// No walk has started from it.
    Pending,
    Open,
    /// Not needed any more, or not possible.
    Gone,
}

pub struct Node {
    /// The representative: the values of all variables.
    pub state: Vec<i32>,
    /// Per slot: the numbers that it may have.
    pub facts: Vec<SetId>,
    /// The slots of which more is said than is known of all states.
    pub constrained: Vec<Slot>,
    /// Per variable: how many steps ago it was assigned, on the way that led here first.
    age: Vec<u32>,
    /// Whether a run is known that leads to the representative, and from where and with which inputs its last step is.
    is_real: bool,
    parent: Option<(NodeId, Vec<i32>)>,
    status: Status,
    incoming: Vec<EdgeId>,
}

struct Edge {
    from: NodeId,
    to: NodeId,
    trace: Vec<Entry>,
    /// The values that the representative itself computes on this path.
    origin: Rc<[Entry]>,
    /// Values that it does not compute but others may: which, and the sets they are in.
    assumed: Vec<(Version, SetId)>,
    changes: Rc<[(Slot, Version)]>,
    conditions: Rc<[(Slot, SetId)]>,
    checks: Rc<[(PropertyId, Reasons)]>,
    forks: Rc<[Fork]>,
    inputs: Rc<[SetId]>,
    /// Inputs with which the representative goes this way.
    real: Option<Vec<i32>>,
    is_soft: bool,
    is_gone: bool,
}

/// The cost of a walk; one through a program with an input of few values follows no more than these, and each further
/// one counts by itself.
const WALK: u64 = 50;
const USUAL_VALUES: u64 = 64;

/// The end of the work.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Closing {
    /// Every way from a box ends in a box.
    Closed,
    /// The work or the memory was used up.
    TooMuch,
    /// Something did not fit together; nothing may be concluded.
    Stuck,
}

/// The bounds of the work.
#[derive(Clone, Copy, Debug)]
pub struct Bounds {
    /// Walks count fifty, everything else one.
    pub effort: u64,
    /// Bytes, about.
    pub memory: usize,
}

pub struct Graph<'p> {
    pub step: StepContext<'p>,
    pub nodes: Vec<Node>,
    edges: Vec<Edge>,
    state_slots: Vec<Slot>,
    /// By the values of the state: its node.
    known: FxHashMap<Vec<i32>, NodeId>,
    /// The boxes that were walked from.
    open: Vec<NodeId>,
    /// Those to walk from: states that runs reach first.
    real_queue: VecDeque<NodeId>,
    other_queue: VecDeque<NodeId>,
    /// Boxes that have become smaller, in this variable.
    shrunk: VecDeque<(NodeId, Slot)>,
    /// Edges that look for a box.
    loose: VecDeque<EdgeId>,
    /// Soft edges, which do so in the end, when most boxes are there.
    waiting: VecDeque<EdgeId>,
    /// Labels that runs reach: the node and the inputs of the last step. The caller takes them.
    pub reached: Vec<(PropertyId, NodeId, Vec<i32>)>,
    effort: u64,
    bytes: usize,
    is_stuck: bool,
}

impl<'p> Graph<'p> {
    /// The graph that has the first state only.
    pub fn new(step: StepContext<'p>, start: Vec<i32>) -> Graph<'p> {
        let slots = (0..step.is_state.len()).filter(|&slot| step.is_state[slot]).map(Slot::new);
        let mut graph = Graph {
            state_slots: slots.collect(),
            step,
            nodes: vec![],
            edges: vec![],
            known: FxHashMap::default(),
            open: vec![],
            real_queue: VecDeque::new(),
            other_queue: VecDeque::new(),
            shrunk: VecDeque::new(),
            loose: VecDeque::new(),
            waiting: VecDeque::new(),
            reached: vec![],
            effort: 0,
            bytes: 0,
            is_stuck: false,
        };
        graph.node(start, true, None, None);
        graph
    }

    /// The boxes, once the graph is closed.
    pub fn boxes(&self) -> impl Iterator<Item = &Node> {
        self.open.iter().map(|id| &self.nodes[id.index()])
    }

    /// The inputs that lead from the start to a state that runs reach.
    pub fn run_to(&self, node: NodeId) -> Vec<Vec<i32>> {
        let mut run = vec![];
        let mut at = node;
        while let Some((parent, inputs)) = &self.nodes[at.index()].parent {
            run.push(inputs.clone());
            at = *parent;
        }
        run.reverse();
        run
    }

    /// Works until every way ends in a box; `hear` is called after each walk.
    pub fn close(
        &mut self,
        bounds: Bounds,
        interrupt: &Interrupt,
        hear: &mut dyn FnMut(&mut Graph),
    ) -> Result<Closing, Ended> {
        let (mut rounds, mut has_walked) = (0u64, false);
        loop {
            rounds += 1;
            // A walk through a large program takes as long as thousands of other rounds.
            if rounds.is_multiple_of(16) || has_walked {
                interrupt.check()?;
            }
            has_walked = false;
            if self.is_stuck {
                return Ok(Closing::Stuck);
            }
            if self.effort > bounds.effort || self.bytes > bounds.memory {
                return Ok(Closing::TooMuch);
            }
            if let Some((node, slot)) = self.shrunk.pop_front() {
                self.tell(node, slot);
            } else if let Some(edge) = self.loose.pop_front() {
                self.place(edge);
            } else if let Some(next) = self.real_queue.pop_front().or_else(|| self.other_queue.pop_front()) {
                if self.nodes[next.index()].status == Status::Pending {
                    self.expand(next);
                    has_walked = true;
                    hear(self);
                }
            } else if let Some(edge) = self.waiting.pop_front() {
                self.settle(edge);
            } else {
                return Ok(Closing::Closed);
            }
        }
    }

    fn key(&self, state: &[i32]) -> Vec<i32> {
        self.state_slots.iter().map(|slot| state[slot.index()]).collect()
    }

    /// The node of a state.
    fn node(
        &mut self,
        state: Vec<i32>,
        is_real: bool,
        parent: Option<(NodeId, Vec<i32>)>,
        by: Option<EdgeId>,
    ) -> NodeId {
        let key = self.key(&state);
        if let Some(&id) = self.known.get(&key) {
            let node = &mut self.nodes[id.index()];
            let news = is_real && !node.is_real;
            if news {
                (node.is_real, node.parent) = (true, parent);
            }
            if node.status == Status::Gone {
                node.status = Status::Pending;
            }
            if node.status == Status::Pending {
                self.enqueue(id);
            }
            return id;
        }
        let id = NodeId::new(self.nodes.len());
        self.bytes += 20 * state.len();
        self.known.insert(key, id);
        let mut facts = self.step.base.clone();
        for &slot in &self.state_slots {
            // A path that no run takes may lead to values that no variable has.
            if !self.step.sets.contains(facts[slot.index()], state[slot.index()]) {
                facts[slot.index()] = self.step.sets.any();
            }
        }
        let (constrained, status) = (vec![], Status::Pending);
        let age = by.map_or_else(|| vec![0; state.len()], |edge| self.age_after(edge));
        self.nodes.push(Node { state, facts, constrained, age, is_real, parent, status, incoming: vec![] });
        self.enqueue(id);
        id
    }

    fn age_after(&self, edge: EdgeId) -> Vec<u32> {
        let edge = &self.edges[edge.index()];
        let mut age: Vec<u32> = self.nodes[edge.from.index()].age.iter().map(|age| age + 1).collect();
        edge.changes.iter().for_each(|change| age[change.0.index()] = 0);
        age
    }

    fn enqueue(&mut self, id: NodeId) {
        match self.nodes[id.index()].is_real {
            true => self.real_queue.push_back(id),
            false => self.other_queue.push_back(id),
        }
    }

    fn contains(&self, id: NodeId, state: &[i32]) -> bool {
        let (node, sets) = (&self.nodes[id.index()], &self.step.sets);
        node.constrained.iter().all(|&slot| sets.contains(node.facts[slot.index()], state[slot.index()]))
    }

    /// A box that a state lies in.
    fn covering(&mut self, state: &[i32]) -> Option<NodeId> {
        self.effort += 1;
        self.open.iter().copied().find(|&id| self.contains(id, state))
    }

    fn is_wanted(&self, edge: EdgeId, to: NodeId) -> bool {
        let edge = &self.edges[edge.index()];
        !edge.is_gone && edge.to == to
    }

    fn expand(&mut self, id: NodeId) {
        let incoming = std::mem::take(&mut self.nodes[id.index()].incoming);
        let wanted: Vec<EdgeId> = incoming.into_iter().filter(|&edge| self.is_wanted(edge, id)).collect();
        if wanted.is_empty() && self.nodes[id.index()].parent.is_some() {
            self.nodes[id.index()].status = Status::Gone;
            return;
        }
        let state = self.nodes[id.index()].state.clone();
        if let Some(other) = self.covering(&state) {
            self.nodes[id.index()].status = Status::Gone;
            wanted.into_iter().for_each(|edge| self.lead(edge, other));
            return;
        }
        self.nodes[id.index()].incoming = wanted;
        self.walk(id, &state);
    }

    fn walk(&mut self, id: NodeId, state: &[i32]) {
        self.effort += WALK;
        let is_real = self.nodes[id.index()].is_real;
        let mut facts = self.nodes[id.index()].facts.clone();
        let found = Walk::run(&mut self.step, state, is_real, &mut facts);
        self.effort += found.told_apart.saturating_sub(USUAL_VALUES);
        self.is_stuck |= found.is_stuck;
        self.reached.extend(found.reached.into_iter().map(|(property, inputs)| (property, id, inputs)));
        if let Some(label) = found.is_dead {
            return self.kill(id, label);
        }
        self.nodes[id.index()].status = Status::Open;
        self.open.push(id);
        for slot in self.state_slots.clone() {
            self.add(id, slot, facts[slot.index()]);
        }
        for edge in self.nodes[id.index()].incoming.clone() {
            if self.is_wanted(edge, id) {
                self.check(edge, id);
            }
        }
        found.paths.into_iter().for_each(|path| self.add_edge(id, path));
    }

    fn add_edge(&mut self, from: NodeId, path: Path) {
        self.bytes += 64 * path.trace.len() + 16 * path.checks.iter().map(|check| check.1.len() + 2).sum::<usize>();
        let sets = &self.step.sets;
        let first = |sides: Vec<SetId>| sides.into_iter().map(|set| sets.intervals(set)[0].0).collect();
        let is_soft = path.forks.iter().any(|fork| fork.is_soft);
        let edge = Edge {
            from,
            to: from,
            origin: path.trace.clone().into(),
            trace: path.trace,
            assumed: vec![],
            changes: path.changes.into(),
            conditions: path.conditions.into(),
            checks: path.checks.into(),
            forks: path.forks.into(),
            inputs: path.inputs.into(),
            real: path.real.map(first),
            is_soft,
            is_gone: false,
        };
        let id = EdgeId::new(self.edges.len());
        self.edges.push(edge);
        self.loose.push_back(id);
    }

    /// The state that an edge leads to.
    fn target(&self, edge: EdgeId) -> Vec<i32> {
        let edge = &self.edges[edge.index()];
        let mut state = self.nodes[edge.from.index()].state.clone();
        for &(slot, version) in &*edge.changes {
            state[slot.index()] = edge.trace[version as usize - 1].value;
        }
        state
    }

    /// Finds a box for the end of an edge, or makes one.
    fn place(&mut self, id: EdgeId) {
        let edge = &self.edges[id.index()];
        if edge.is_gone || self.nodes[edge.from.index()].status == Status::Gone {
            return;
        }
        if edge.is_soft {
            self.waiting.push_back(id);
            return;
        }
        let from = edge.from;
        let is_real = edge.real.is_some() && self.nodes[from.index()].is_real;
        let inputs = edge.real.clone().unwrap_or_default();
        let state = self.target(id);
        let to = match self.covering(&state) {
            Some(node) => node,
            None => self.node(state, is_real, Some((from, inputs)), Some(id)),
        };
        self.lead(id, to);
    }

    /// Lets an edge lead to a box that its end lies in.
    fn lead(&mut self, edge: EdgeId, to: NodeId) {
        self.edges[edge.index()].to = to;
        self.nodes[to.index()].incoming.push(edge);
        for slot in self.nodes[to.index()].constrained.clone() {
            self.demand(edge, slot);
        }
        if self.nodes[to.index()].status == Status::Open {
            self.check(edge, to);
        }
    }

    /// A fact about a box.
    fn add(&mut self, id: NodeId, slot: Slot, set: SetId) {
        let node = &mut self.nodes[id.index()];
        let old = node.facts[slot.index()];
        let new = self.step.sets.meet(old, set);
        if new == old || !self.step.is_state[slot.index()] {
            return;
        }
        if !self.step.sets.contains(new, node.state[slot.index()]) {
            self.is_stuck = true;
            return;
        }
        node.facts[slot.index()] = new;
        if !node.constrained.contains(&slot) {
            node.constrained.push(slot);
        }
        self.shrunk.push_back((id, slot));
    }

    /// Tells the edges into a box that it has become smaller.
    fn tell(&mut self, id: NodeId, slot: Slot) {
        let incoming = std::mem::take(&mut self.nodes[id.index()].incoming);
        let wanted: Vec<EdgeId> = incoming.into_iter().filter(|&edge| self.is_wanted(edge, id)).collect();
        self.nodes[id.index()].incoming = wanted.clone();
        for edge in wanted {
            let version = self.version(edge, slot);
            let value = self.value(edge, slot, version);
            if self.step.sets.contains(self.nodes[id.index()].facts[slot.index()], value) {
                self.demand(edge, slot);
            } else {
                self.loosen(edge);
            }
        }
    }

    fn loosen(&mut self, edge: EdgeId) {
        let from = self.edges[edge.index()].from;
        self.edges[edge.index()].to = from;
        self.loose.push_back(edge);
    }

    /// A state that no run is known to reach must not be thought possible.
    fn kill(&mut self, id: NodeId, label: PropertyId) {
        self.nodes[id.index()].status = Status::Gone;
        self.open.retain(|&open| open != id);
        let own = self.key(&self.nodes[id.index()].state);
        for edge in std::mem::take(&mut self.nodes[id.index()].incoming) {
            if !self.is_wanted(edge, id) {
                continue;
            }
            if self.key(&self.target(edge)) == own {
                self.exclude(edge, label);
            } else {
                self.loosen(edge);
            }
        }
    }
}
