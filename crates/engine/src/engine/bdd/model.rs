//! A circuit as decision diagrams: functions of latches and inputs, and one step as a relation.
//!
//! The relation is kept in parts, clusters of `next = function`, and never as a whole: a variable is quantified away with
//! the last cluster that has it (Burch, Clarke and Long 1991; Ranjan et al. 1995).
//!
//! Each leaf has a place in the order, and two variables there: its value now, and that after the step.

use redoubt_base::Interrupt;
use redoubt_circuit::aig::Node;
use redoubt_circuit::{Aig, Circuit, Reset, Signal};
use rustc_hash::{FxHashMap, FxHashSet};

use super::diagrams::{Bounds, Diagrams, Function, Stop};
use crate::engine::StateSet;
use crate::engine::state_set::{latch_leaf, over_latches};

/// The order in which variables are tested. The best one cannot be known beforehand.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Order {
    /// Leaves as a depth-first walk from the properties meets them: leaves that are used together stand together.
    Walk,
    /// Inputs and then latches, as the circuit lists them.
    Listed,
}

impl Order {
    pub const ALL: [Order; 2] = [Order::Walk, Order::Listed];
}

/// Clusters are joined up to this many nodes; two of them together may have the product of their sizes.
const CLUSTER: usize = 500;
/// With fewer nodes than this nothing is freed.
const LEAST_TO_TIDY: usize = 1 << 15;
/// With more leaves than this there is hardly an order in which the step has small diagrams.
const MOST_LEAVES: usize = 2_000;

pub struct Model<'c> {
    circuit: &'c Circuit,
    pub diagrams: Diagrams,
    /// By circuit latch: its place and its next function. `None` outside the cone.
    latches: Vec<Option<(u32, Function)>>,
    /// By circuit input, as above.
    inputs: Vec<Option<u32>>,
    pub initial: Function,
    /// The constraints hold; and the step does not stop the run.
    pub allowed: Function,
    pub going: Function,
    /// By property.
    pub bad: Vec<Function>,
    /// Further signals that were asked for.
    pub watched: Vec<Function>,
    clusters: Vec<Cluster>,
    /// The variables quantified before the first cluster, forwards and backwards.
    first_forwards: Function,
    all_inputs: Function,
    /// With this many nodes it is time to see which are needed.
    tidy_at: usize,
}

struct Cluster {
    relation: Function,
    /// Current variables that no later cluster has, and inputs.
    forwards: Function,
    /// Its next variables, and inputs that no later cluster has.
    backwards: Function,
    /// Its next variables.
    next: Function,
}

/// The variable of a place now, and after the step.
fn now(place: u32) -> u32 {
    2 * place
}

fn next(place: u32) -> u32 {
    2 * place + 1
}

impl<'c> Model<'c> {
    /// With diagrams within these bounds; `watched` are signals whose functions are wanted, too.
    pub fn new(
        circuit: &'c Circuit,
        watched: &[Signal],
        order: Order,
        bounds: Bounds,
        interrupt: &Interrupt,
    ) -> Result<Model<'c>, Stop> {
        let places = places(circuit, watched, order);
        if places.len() > MOST_LEAVES {
            return Err(Stop::Full);
        }
        let mut diagrams = Diagrams::new(bounds, interrupt);
        let functions = functions(circuit, watched, &places, &mut diagrams)?;
        let at = |signal: Signal| match functions[signal.node()] {
            function if signal.is_complemented() => !function,
            function => function,
        };
        let mut allowed = Function::TRUE;
        for &constraint in &circuit.constraints {
            allowed = diagrams.and(allowed, at(constraint))?;
        }
        let going = diagrams.and(allowed, !at(circuit.stop))?;
        let mut initial = Function::TRUE;
        let place = |signal: Signal| places.get(&signal.node()).copied();
        for latch in circuit.latches.iter().rev() {
            if let (Some(place), false) = (place(latch.signal), latch.reset == Reset::Free) {
                let variable = diagrams.variable(now(place))?;
                initial = diagrams.and(initial, if latch.reset == Reset::One { variable } else { !variable })?;
            }
        }
        let mut model = Model {
            circuit,
            latches: circuit.latches.iter().map(|l| place(l.signal).map(|place| (place, at(l.next)))).collect(),
            inputs: circuit.inputs.iter().map(|input| place(input.signal)).collect(),
            initial,
            allowed,
            going,
            bad: circuit.bad.iter().map(|bad| at(bad.signal)).collect(),
            watched: watched.iter().map(|&signal| at(signal)).collect(),
            clusters: Vec::new(),
            first_forwards: Function::TRUE,
            all_inputs: Function::TRUE,
            tidy_at: LEAST_TO_TIDY,
            diagrams,
        };
        model.collect([]);
        model.relate()?;
        Ok(model)
    }

    /// Frees the nodes that neither the model nor these functions need.
    pub fn collect(&mut self, needed: impl IntoIterator<Item = Function>) {
        let latches = self.latches.iter().flatten().map(|&(_, function)| function);
        let clusters = self.clusters.iter().flat_map(|c| [c.relation, c.forwards, c.backwards, c.next]);
        let single = [self.initial, self.allowed, self.going, self.first_forwards, self.all_inputs];
        let own = latches.chain(clusters).chain(single).chain(self.bad.iter().copied());
        let all: Vec<Function> = own.chain(self.watched.iter().copied()).chain(needed).collect();
        self.diagrams.collect(all);
    }

    /// The same if there may be much to free.
    pub fn tidy(&mut self, needed: impl IntoIterator<Item = Function>) {
        if self.diagrams.used() >= self.tidy_at {
            self.collect(needed);
            self.tidy_at = LEAST_TO_TIDY.max(2 * self.diagrams.used());
        }
    }

    /// Makes clusters of the latches in their order, and determines which variables are quantified with which.
    fn relate(&mut self) -> Result<(), Stop> {
        let mut latches: Vec<(u32, Function)> = self.latches.iter().flatten().copied().collect();
        latches.sort_unstable_by_key(|&(place, _)| place);
        let mut clusters: Vec<(Function, Vec<u32>)> = vec![(self.going, Vec::new())];
        for (place, function) in latches.iter().copied() {
            let variable = self.diagrams.variable(next(place))?;
            let part = !self.diagrams.xor(variable, function)?;
            let (last, places) = clusters.last_mut().expect("there is a first cluster");
            let small = self.diagrams.size(*last) + self.diagrams.size(part) <= CLUSTER;
            let joined = if small { Some(self.diagrams.and(*last, part)?) } else { None };
            match joined.filter(|&joined| self.diagrams.size(joined) <= CLUSTER) {
                Some(joined) => {
                    *last = joined;
                    places.push(place);
                }
                None => clusters.push((part, vec![place])),
            }
        }
        let inputs: Vec<u32> = self.inputs.iter().flatten().map(|&place| now(place)).collect();
        let states: Vec<u32> = latches.iter().map(|&(place, _)| now(place)).collect();
        self.all_inputs = self.diagrams.cube(inputs.iter().copied())?;
        let mut last_use: FxHashMap<u32, usize> = FxHashMap::default();
        for (index, (relation, _)) in clusters.iter().enumerate() {
            for function in self.diagrams.reachable(*relation) {
                let (level, ..) = self.diagrams.branch(function).expect("not a constant");
                last_use.insert(level, index);
            }
        }
        let unused = inputs.iter().chain(&states).filter(|level| !last_use.contains_key(level)).copied();
        self.first_forwards = self.diagrams.cube(unused.collect::<Vec<_>>())?;
        for (index, (relation, places)) in clusters.into_iter().enumerate() {
            let is_last = |level: &&u32| last_use.get(level) == Some(&index);
            let forwards: Vec<u32> = inputs.iter().chain(&states).filter(is_last).copied().collect();
            let done = inputs.iter().filter(is_last).copied();
            let backwards: Vec<u32> = done.chain(places.iter().map(|&place| next(place))).collect();
            let forwards = self.diagrams.cube(forwards)?;
            let backwards = self.diagrams.cube(backwards)?;
            let next = self.diagrams.cube(places.iter().map(|&place| next(place)))?;
            self.clusters.push(Cluster { relation, forwards, backwards, next });
        }
        Ok(())
    }

    /// The states after one step from some.
    pub fn image(&mut self, states: Function) -> Result<Function, Stop> {
        let mut image = self.diagrams.exists(states, self.first_forwards)?;
        for index in 0..self.clusters.len() {
            let Cluster { relation, forwards, .. } = self.clusters[index];
            image = self.diagrams.and_exists(image, relation, forwards)?;
        }
        self.diagrams.shift(image, -1)
    }

    /// The states with a step into some.
    pub fn preimage(&mut self, states: Function) -> Result<Function, Stop> {
        let mut image = self.diagrams.shift(states, 1)?;
        for index in 0..self.clusters.len() {
            let Cluster { relation, backwards, .. } = self.clusters[index];
            image = self.diagrams.and_exists(image, relation, backwards)?;
        }
        Ok(image)
    }

    /// The states and inputs whose step leads to a state that some inputs make a position of a set.
    pub fn positions_before(&mut self, positions: Function) -> Result<Function, Stop> {
        let states = self.states_with(positions)?;
        let mut image = self.diagrams.shift(states, 1)?;
        for index in 0..self.clusters.len() {
            let Cluster { relation, next, .. } = self.clusters[index];
            image = self.diagrams.and_exists(image, relation, next)?;
        }
        Ok(image)
    }

    /// The set of one position.
    pub fn position(&mut self, state: &[bool], inputs: &[bool]) -> Result<Function, Stop> {
        let mut position = self.state(state)?;
        for (place, &value) in self.inputs.iter().zip(inputs) {
            if let &Some(place) = place {
                let variable = self.diagrams.variable(now(place))?;
                position = self.diagrams.and(position, if value { variable } else { !variable })?;
            }
        }
        Ok(position)
    }

    /// The states that have some inputs with which a function is true and the constraints hold.
    pub fn states_with(&mut self, function: Function) -> Result<Function, Stop> {
        self.diagrams.and_exists(self.allowed, function, self.all_inputs)
    }

    /// A state and inputs that make a function true.
    pub fn pick(&self, function: Function) -> Option<(Vec<bool>, Vec<bool>)> {
        let values: FxHashMap<u32, bool> = self.diagrams.pick(function)?.into_iter().collect();
        let value = |place: Option<u32>| place.and_then(|place| values.get(&now(place)).copied());
        let latches = self.circuit.latches.iter().zip(&self.latches);
        let state = latches.map(|(l, of)| value(of.map(|(place, _)| place)).unwrap_or(l.reset == Reset::One));
        Some((state.collect(), self.inputs.iter().map(|&place| value(place).unwrap_or(false)).collect()))
    }

    /// The set of one state.
    pub fn state(&mut self, state: &[bool]) -> Result<Function, Stop> {
        let mut levels: Vec<(u32, bool)> = self
            .latches
            .iter()
            .zip(state)
            .filter_map(|(of, &value)| of.map(|(place, _)| (now(place), value)))
            .collect();
        levels.sort_unstable();
        let mut cube = Function::TRUE;
        for (level, value) in levels.into_iter().rev() {
            let variable = self.diagrams.variable(level)?;
            cube = self.diagrams.and(if value { variable } else { !variable }, cube)?;
        }
        Ok(cube)
    }

    /// The states and inputs whose step leads to this state.
    pub fn steps_to(&mut self, state: &[bool]) -> Result<Function, Stop> {
        let mut steps = self.going;
        for (latch, &value) in self.latches.iter().zip(state) {
            if let &Some((_, function)) = latch {
                steps = self.diagrams.and(steps, if value { function } else { !function })?;
            }
        }
        Ok(steps)
    }

    /// By latch: whether anything that was asked for depends on it.
    pub fn matters(&self) -> Vec<bool> {
        self.latches.iter().map(Option::is_some).collect()
    }

    /// The number of states in a set, over the latches that matter; `None` if that does not fit.
    pub fn count(&self, states: Function) -> Option<u128> {
        let mut places: Vec<u32> = self.latches.iter().flatten().map(|&(place, _)| now(place)).collect();
        if places.len() > 126 {
            return None;
        }
        places.sort_unstable();
        let rank = |level: u32| places.partition_point(|&place| place < level);
        let all = places.len();
        // The number of values, of the variables from its own on, that make each node true.
        let mut counts: FxHashMap<Function, u128> = FxHashMap::default();
        let of = |counts: &FxHashMap<Function, u128>, f: Function, from: usize| -> u128 {
            let Some((level, ..)) = self.diagrams.branch(f) else {
                return if f == Function::TRUE { 1 << (all - from) } else { 0 };
            };
            let below = rank(level);
            let count = match counts.get(&f) {
                Some(&count) => count,
                None => (1 << (all - below)) - counts[&!f],
            };
            count << (below - from)
        };
        for node in self.diagrams.reachable(states) {
            let (level, low, high) = self.diagrams.branch(node)?;
            let from = rank(level) + 1;
            let count = of(&counts, low, from) + of(&counts, high, from);
            counts.insert(node, count);
        }
        Some(of(&counts, states, 0))
    }

    /// A set of states as a graph: a multiplexer for each node.
    pub fn set(&self, states: Function) -> StateSet {
        let latches = self.circuit.latches.len();
        let mut gates = over_latches(latches);
        let places = self.latches.iter().enumerate().filter_map(|(index, of)| of.map(|(place, _)| (now(place), index)));
        let latch_of: FxHashMap<u32, usize> = places.collect();
        let mut signals: FxHashMap<Function, Signal> = FxHashMap::default();
        signals.insert(Function::TRUE, Signal::TRUE);
        let at = |signals: &FxHashMap<Function, Signal>, f: Function| match signals.get(&f) {
            Some(&signal) => signal,
            None => !signals[&!f],
        };
        for node in self.diagrams.reachable(states) {
            let (level, low, high) = self.diagrams.branch(node).expect("not a constant");
            let (low, high) = (at(&signals, low), at(&signals, high));
            let signal = gates.mux(latch_leaf(latch_of[&level]), high, low);
            signals.insert(node, signal);
        }
        let member = at(&signals, states);
        StateSet::new(latches, &gates, member)
    }
}

/// A place for each leaf that the properties depend on, by node.
fn places(circuit: &Circuit, watched: &[Signal], order: Order) -> FxHashMap<usize, u32> {
    let mut next_of: FxHashMap<usize, Signal> = FxHashMap::default();
    circuit.latches.iter().for_each(|latch| _ = next_of.insert(latch.signal.node(), latch.next));
    let nodes = circuit.gates.nodes();
    let roots = circuit.bad.iter().map(|bad| bad.signal).chain(watched.iter().copied());
    let mut roots: Vec<Signal> = roots.chain(circuit.constraints.iter().copied()).chain([circuit.stop]).collect();
    let mut seen: FxHashSet<usize> = FxHashSet::default();
    let mut leaves: Vec<usize> = Vec::new();
    let mut begun = 0;
    while begun < roots.len() {
        let mut pending = vec![roots[begun].node()];
        begun += 1;
        while let Some(node) = pending.pop() {
            if !seen.insert(node) {
                continue;
            }
            match nodes[node] {
                Node::False => {}
                Node::And(a, b) => pending.extend([a.node(), b.node()]),
                Node::Leaf => {
                    leaves.push(node);
                    roots.extend(next_of.get(&node));
                }
            }
        }
    }
    if order == Order::Listed {
        let listed = circuit.inputs.iter().map(|input| input.signal);
        let listed = listed.chain(circuit.latches.iter().map(|latch| latch.signal));
        leaves = listed.map(Signal::node).filter(|node| seen.contains(node)).collect();
    }
    leaves.into_iter().zip(0..).collect()
}

/// The function of each node that the step or a property depends on.
fn functions(
    circuit: &Circuit,
    watched: &[Signal],
    places: &FxHashMap<usize, u32>,
    diagrams: &mut Diagrams,
) -> Result<Vec<Function>, Stop> {
    let gates: &Aig = &circuit.gates;
    let in_cone = circuit.latches.iter().filter(|latch| places.contains_key(&latch.signal.node()));
    let roots = in_cone.map(|latch| latch.next).chain(circuit.bad.iter().map(|bad| bad.signal));
    let roots = roots.chain(circuit.constraints.iter().copied()).chain([circuit.stop]).chain(watched.iter().copied());
    let needed = gates.mark_cone(roots);
    let mut functions = vec![Function::FALSE; gates.nodes().len()];
    for (index, node) in gates.nodes().iter().enumerate().filter(|&(index, _)| needed[index]) {
        functions[index] = match *node {
            Node::False => Function::FALSE,
            Node::Leaf => match places.get(&index) {
                Some(&place) => diagrams.variable(now(place))?,
                None => continue,
            },
            Node::And(a, b) => {
                let at = |signal: Signal| match functions[signal.node()] {
                    function if signal.is_complemented() => !function,
                    function => function,
                };
                diagrams.and(at(a), at(b))?
            }
        };
    }
    Ok(functions)
}
