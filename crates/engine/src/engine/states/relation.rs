//! A circuit as a relation between states, in decision diagrams.
//!
//! A state consists of the latches and of those inputs that are free parts of it; all other inputs are quantified away. An
//! input that is nothing but the next value of a latch has the variable of that value, so that constraints over such inputs
//! become the relation that they stand for. The relation is kept in parts, which are conjoined one by one; a variable is
//! quantified away with the last part that has it (Burch, Clarke and Long 1991; Ranjan et al. 1995).

use redoubt_base::Interrupt;
use redoubt_circuit::aig::Node;
use redoubt_circuit::{Circuit, Reset, Signal};
use rustc_hash::{FxHashMap, FxHashSet};

use crate::engine::bdd::diagrams::{Bounds, Diagrams, Function, Stop};

/// Parts are joined up to this many nodes.
const CLUSTER: usize = 1_000;
/// With fewer nodes than this nothing is freed.
const LEAST_TO_TIDY: usize = 1 << 16;
/// With more leaves than this there is hardly an order in which the relation is small.
const MOST_LEAVES: usize = 3_000;

/// The order of variables.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Order {
    /// As a walk from each part of the relation meets them.
    Walk,
    /// As they are listed.
    Listed,
    /// Neighbours in the relation stand near each other: by force-directed placement (Aloul, Markov and Sakallah 2003).
    Force,
}

impl Order {
    pub const ALL: [Order; 3] = [Order::Force, Order::Walk, Order::Listed];
}

/// The relation between states.
pub struct Relation<'c> {
    pub circuit: &'c Circuit,
    pub diagrams: Diagrams,
    /// By leaf: its variable now. Next values stand right behind.
    now: FxHashMap<usize, u32>,
    /// The leaves that a state consists of: latches, then free inputs; those that something depends on.
    states: Vec<usize>,
    /// Other inputs.
    inputs: Vec<usize>,
    /// By input that is the next value of a latch: the leaf of that.
    next_of: FxHashMap<usize, usize>,
    pub initial: Function,
    /// Constraints on states.
    pub allowed: Function,
    /// By signal that was asked for.
    watched: FxHashMap<Signal, Function>,
    forwards: Vec<Part>,
    backwards: Vec<Part>,
    /// The steps from states that matter, without inputs, as one function, if that is small enough; and the next variables.
    whole: Option<(Function, Function)>,
    input_levels: FxHashSet<u32>,
    all_now: Function,
    all_inputs: Function,
    tidy_at: usize,
}

#[derive(Clone, Copy)]
struct Part {
    relation: Function,
    /// The variables that no later part has.
    done: Function,
}

impl<'c> Relation<'c> {
    /// The relation of a circuit with these inputs as parts of its states. The functions of some signals are wanted later; those in
    /// `steps` have to be true in every step, but not in a last state.
    pub fn new(
        circuit: &'c Circuit,
        free: &[usize],
        watched: &[Signal],
        steps: &[Signal],
        order: Order,
        bounds: Bounds,
        interrupt: &Interrupt,
    ) -> Result<Relation<'c>, Stop> {
        let watched: Vec<Signal> = watched.iter().chain(steps).copied().collect();
        let mut building = Building::new(circuit, free, &watched, steps);
        if building.leaves.len() > MOST_LEAVES {
            return Err(Stop::Full);
        }
        building.order(order);
        let mut diagrams = Diagrams::new(bounds, interrupt);
        let functions = building.functions(&mut diagrams)?;
        let at = |signal: Signal| match functions.get(&signal.node()) {
            Some(&function) if signal.is_complemented() => !function,
            Some(&function) => function,
            None => Function::FALSE,
        };
        let mut initial = Function::TRUE;
        for latch in circuit.latches.iter().rev() {
            if let (Some(&level), false) = (building.level.get(&latch.signal.node()), latch.reset == Reset::Free) {
                let variable = diagrams.variable(level)?;
                initial = diagrams.and(initial, if latch.reset == Reset::One { variable } else { !variable })?;
            }
        }
        let (mut allowed, mut parts) = (Function::TRUE, vec![]);
        let is_of_state = |diagrams: &Diagrams, function: Function| {
            diagrams.support(function).iter().all(|level| building.state_levels.contains(level))
        };
        for constraint in circuit.constraints.iter().copied() {
            let function = at(constraint);
            if is_of_state(&diagrams, function) {
                allowed = diagrams.and(allowed, function)?;
            } else {
                parts.push(function);
            }
        }
        parts.push(!at(circuit.stop));
        parts.extend(steps.iter().map(|&step| at(step)));
        for latch in &circuit.latches {
            let Some(&level) = building.level.get(&latch.signal.node()) else { continue };
            let next = diagrams.variable(level + 1)?;
            let function = at(latch.next);
            if function != next {
                parts.push(!diagrams.xor(next, function)?);
            }
        }
        let watched = watched.into_iter().map(|signal| (signal, at(signal))).collect();
        let all_now = diagrams.cube(building.state_levels.iter().copied())?;
        let inputs = building.inputs.iter().map(|leaf| building.level[leaf]);
        let input_levels: FxHashSet<u32> = inputs.clone().collect();
        let all_inputs = diagrams.cube(inputs)?;
        let mut relation = Relation {
            circuit,
            diagrams,
            now: building.level,
            states: building.states,
            inputs: building.inputs,
            next_of: building.next_of,
            initial,
            allowed,
            watched,
            forwards: vec![],
            backwards: vec![],
            whole: None,
            input_levels,
            all_now,
            all_inputs,
            tidy_at: LEAST_TO_TIDY,
        };
        relation.initial = relation.diagrams.and(relation.initial, relation.allowed)?;
        relation.relate(parts)?;
        Ok(relation)
    }

    /// The function of a signal that was asked for.
    pub fn function(&self, signal: Signal) -> Function {
        match (signal.as_constant(), self.watched.get(&signal)) {
            (Some(value), _) => {
                if value {
                    Function::TRUE
                } else {
                    Function::FALSE
                }
            }
            (None, Some(&function)) => function,
            (None, None) => !self.watched[&!signal],
        }
    }

    /// Leaves initial states out in which a signal that was asked for is false.
    pub fn begin_with(&mut self, signal: Signal) -> Result<(), Stop> {
        let function = self.function(signal);
        self.initial = self.diagrams.and(self.initial, function)?;
        Ok(())
    }

    /// Joins parts, and puts them in order.
    fn relate(&mut self, parts: Vec<Function>) -> Result<(), Stop> {
        // Parts whose first variables are near each other are joined.
        let mut parts: Vec<(u32, Function)> = parts
            .into_iter()
            .filter(|&part| part != Function::TRUE)
            .map(|part| (self.diagrams.support(part).last().copied().unwrap_or(0), part))
            .collect();
        parts.sort_by_key(|&(level, _)| level);
        let mut joined: Vec<Function> = vec![];
        for (_, part) in parts {
            if let Some(last) = joined.last_mut() {
                let size = self.diagrams.size(*last) + self.diagrams.size(part);
                let both = if size <= CLUSTER { Some(self.diagrams.and(*last, part)?) } else { None };
                if let Some(both) = both.filter(|&both| self.diagrams.size(both) <= CLUSTER) {
                    *last = both;
                    continue;
                }
            }
            joined.push(part);
        }
        let supports: Vec<FxHashSet<u32>> =
            joined.iter().map(|&part| self.diagrams.support(part).into_iter().collect()).collect();
        let inputs: FxHashSet<u32> = self.inputs.iter().map(|leaf| self.now[leaf]).collect();
        let now: FxHashSet<u32> = self.states.iter().map(|leaf| self.now[leaf]).collect();
        let next: FxHashSet<u32> = now.iter().map(|level| level + 1).collect();
        let forwards = now.union(&inputs).copied().collect();
        let backwards = next.union(&inputs).copied().collect();
        self.forwards = self.schedule(&joined, &supports, &forwards)?;
        self.backwards = self.schedule(&joined, &supports, &backwards)?;
        Ok(())
    }

    /// The parts in an order in which the variables to be quantified are gone soon: next comes the part that has many which no other
    /// one has, and brings few new ones.
    fn schedule(
        &mut self,
        parts: &[Function],
        supports: &[FxHashSet<u32>],
        quantified: &FxHashSet<u32>,
    ) -> Result<Vec<Part>, Stop> {
        let mut left: Vec<usize> = (0..parts.len()).collect();
        let mut users: FxHashMap<u32, usize> = FxHashMap::default();
        for level in supports.iter().flatten().filter(|level| quantified.contains(level)) {
            *users.entry(*level).or_default() += 1;
        }
        let unused: Vec<u32> = quantified.iter().copied().filter(|level| !users.contains_key(level)).collect();
        let mut schedule = vec![Part { relation: Function::TRUE, done: self.diagrams.cube(unused)? }];
        let mut present: FxHashSet<u32> = FxHashSet::default();
        while !left.is_empty() {
            let value = |&index: &usize| {
                let of_interest = supports[index].iter().filter(|level| quantified.contains(level));
                let (mut gone, mut all) = (0, 0);
                for level in of_interest {
                    all += 1;
                    gone += usize::from(users[level] == 1);
                }
                let new = supports[index].iter().filter(|level| !quantified.contains(level));
                let new = new.filter(|level| !present.contains(level)).count();
                let top = supports[index].iter().max().copied().unwrap_or(0);
                // Rather many that are gone in proportion, then few new ones, then those that stand low.
                (1000 * gone / all.max(1)) as i64 - 40 * new as i64 + i64::from(top) / 64
            };
            let best = (0..left.len()).max_by_key(|&place| value(&left[place])).unwrap_or(0);
            let index = left.remove(best);
            let mut done = vec![];
            for level in &supports[index] {
                match users.get_mut(level) {
                    Some(users) => {
                        *users -= 1;
                        if *users == 0 {
                            done.push(*level);
                        }
                    }
                    None => _ = present.insert(*level),
                }
            }
            schedule.push(Part { relation: parts[index], done: self.diagrams.cube(done)? });
        }
        Ok(schedule)
    }

    /// Frees the nodes that neither the relation nor these functions need, if there may be many.
    pub fn tidy(&mut self, needed: impl IntoIterator<Item = Function>) {
        if self.diagrams.used() >= self.tidy_at {
            self.collect(needed);
        }
    }

    fn collect(&mut self, needed: impl IntoIterator<Item = Function>) {
        let parts = self.forwards.iter().chain(&self.backwards).flat_map(|part| [part.relation, part.done]);
        let single = [self.initial, self.allowed, self.all_now, self.all_inputs];
        let whole = self.whole.iter().flat_map(|&(whole, next)| [whole, next]);
        let all: Vec<Function> =
            parts.chain(single).chain(whole).chain(self.watched.values().copied()).chain(needed).collect();
        self.diagrams.collect(all);
        self.tidy_at = LEAST_TO_TIDY.max(2 * self.diagrams.used());
    }

    /// From now on steps backwards matter from these states only: the relation becomes simpler elsewhere.
    pub fn look_back_to(&mut self, states: Function) -> Result<(), Stop> {
        for index in 0..self.backwards.len() {
            let Part { relation, done } = self.backwards[index];
            let restricted = self.diagrams.restrict(relation, states)?;
            if self.diagrams.size(restricted) < self.diagrams.size(relation) {
                self.backwards[index] = Part { relation: restricted, done };
            }
        }
        self.allowed = self.diagrams.and(self.allowed, states)?;
        Ok(())
    }

    /// Makes one function of the steps between the states that matter. Backwards it is often much faster than its parts.
    pub fn join(&mut self) -> Result<(), Stop> {
        let mut whole = self.allowed;
        for index in 0..self.forwards.len() {
            let Part { relation, done } = self.forwards[index];
            let done = self.diagrams.support(done).into_iter().filter(|level| self.input_levels.contains(level));
            let done: Vec<u32> = done.collect();
            let done = self.diagrams.cube(done)?;
            whole = self.diagrams.and_exists(whole, relation, done)?;
        }
        let next = self.diagrams.shift(self.all_now, 1)?;
        self.whole = Some((whole, next));
        Ok(())
    }

    /// The states after one step from some.
    pub fn image(&mut self, states: Function) -> Result<Function, Stop> {
        let mut image = states;
        for index in 0..self.forwards.len() {
            let Part { relation, done } = self.forwards[index];
            image = self.diagrams.and_exists(image, relation, done)?;
        }
        let image = self.diagrams.shift(image, -1)?;
        self.diagrams.and(image, self.allowed)
    }

    /// The states with a step into some.
    pub fn preimage(&mut self, states: Function) -> Result<Function, Stop> {
        self.preimage_by(states, Function::TRUE)
    }

    /// The states with a step into some on which a function of states and inputs is true.
    pub fn preimage_by(&mut self, states: Function, by: Function) -> Result<Function, Stop> {
        let states = self.diagrams.and(states, self.allowed)?;
        let mut image = self.diagrams.shift(states, 1)?;
        if let Some((whole, next)) = self.whole.filter(|_| self.is_of_states(by)) {
            image = self.diagrams.and_exists(image, whole, next)?;
            return self.diagrams.and(image, by);
        }
        image = self.diagrams.and(image, by)?;
        for index in 0..self.backwards.len() {
            let Part { relation, done } = self.backwards[index];
            image = self.diagrams.and_exists(image, relation, done)?;
        }
        self.diagrams.and(image, self.allowed)
    }

    /// Whether a function is about states alone.
    pub fn is_of_states(&self, function: Function) -> bool {
        function == Function::TRUE
            || self.diagrams.support(function).iter().all(|level| level % 2 == 0 && !self.input_levels.contains(level))
    }

    /// The steps from one state into some, on which a function is true: over inputs and the next state.
    fn steps(&mut self, from: Function, into: Function, by: Function) -> Result<Function, Stop> {
        let into = self.diagrams.and(into, self.allowed)?;
        let into = self.diagrams.shift(into, 1)?;
        let mut steps = self.diagrams.and(from, into)?;
        steps = self.diagrams.and(steps, by)?;
        for index in 0..self.forwards.len() {
            let Part { relation, .. } = self.forwards[index];
            steps = self.diagrams.and(steps, relation)?;
        }
        Ok(steps)
    }

    /// A state of a set: the values of its latches and free inputs.
    pub fn pick(&self, states: Function) -> Option<State> {
        let values: FxHashMap<u32, bool> = self.diagrams.pick(states)?.into_iter().collect();
        Some(self.state(|level| values.get(&level).copied()))
    }

    fn state(&self, value: impl Fn(u32) -> Option<bool>) -> State {
        let resets = self.circuit.latches.iter().map(|latch| (latch.signal.node(), latch.reset == Reset::One));
        let resets: FxHashMap<usize, bool> = resets.collect();
        // Where a value makes no difference, that of the reset: for a latch, and for the input that is its next value.
        let at = |leaf: usize| {
            let latch = self.next_of.get(&leaf);
            let level = match latch {
                Some(latch) => self.now.get(latch).map(|level| level + 1),
                None => self.now.get(&leaf).copied(),
            };
            let default = resets.get(latch.unwrap_or(&leaf)).copied().unwrap_or(false);
            level.and_then(&value).unwrap_or(default)
        };
        State {
            latches: self.circuit.latches.iter().map(|latch| at(latch.signal.node())).collect(),
            inputs: self.circuit.inputs.iter().map(|input| at(input.signal.node())).collect(),
        }
    }

    /// A step from a state into a set on which a function is true: the state with its inputs, and the state after.
    pub fn step(&mut self, from: &State, into: Function, by: Function) -> Result<Option<(State, State)>, Stop> {
        let here = self.cube_of(from)?;
        let steps = self.steps(here, into, by)?;
        let Some(values) = self.diagrams.pick(steps) else { return Ok(None) };
        let values: FxHashMap<u32, bool> = values.into_iter().collect();
        let with_inputs = self.state(|level| values.get(&level).copied());
        // The inputs that are next values have no variables of their own: they are those of the state after.
        let after = self.state(|level| values.get(&(level + 1)).copied());
        let state_leaves: FxHashSet<usize> = self.states.iter().copied().collect();
        let next = State {
            latches: after.latches,
            inputs: self
                .circuit
                .inputs
                .iter()
                .zip(after.inputs)
                .map(|(input, value)| value && state_leaves.contains(&input.signal.node()))
                .collect(),
        };
        Ok(Some((with_inputs, next)))
    }

    /// The set of one state.
    pub fn cube_of(&mut self, state: &State) -> Result<Function, Stop> {
        let latches = self.circuit.latches.iter().map(|latch| latch.signal.node()).zip(&state.latches);
        let inputs = self.circuit.inputs.iter().map(|input| input.signal.node()).zip(&state.inputs);
        let leaves: FxHashSet<usize> = self.states.iter().copied().collect();
        let of_state = latches.chain(inputs).filter(|(leaf, _)| leaves.contains(leaf));
        let mut levels: Vec<(u32, bool)> = of_state.map(|(leaf, &value)| (self.now[&leaf], value)).collect();
        levels.sort_unstable();
        let mut cube = Function::TRUE;
        for (level, value) in levels.into_iter().rev() {
            let variable = self.diagrams.variable(level)?;
            cube = self.diagrams.and(if value { variable } else { !variable }, cube)?;
        }
        Ok(cube)
    }
}

/// A state; of its inputs those count that are parts of it. With the others, the choice of a step.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct State {
    pub latches: Vec<bool>,
    pub inputs: Vec<bool>,
}

/// What is known before there are diagrams.
struct Building<'c> {
    circuit: &'c Circuit,
    /// Roots, part by part.
    roots: Vec<Signal>,
    steps: Vec<Signal>,
    /// All leaves that something depends on, in the order of a walk; inputs that are next values are not among them.
    leaves: Vec<usize>,
    states: Vec<usize>,
    inputs: Vec<usize>,
    /// By input that is the next value of a latch: the leaf of that.
    next_of: FxHashMap<usize, usize>,
    level: FxHashMap<usize, u32>,
    state_levels: FxHashSet<u32>,
}

impl<'c> Building<'c> {
    fn new(circuit: &'c Circuit, free: &[usize], watched: &[Signal], steps: &[Signal]) -> Building<'c> {
        let nodes = circuit.gates.nodes();
        let mut times: FxHashMap<usize, usize> = FxHashMap::default();
        for latch in &circuit.latches {
            *times.entry(latch.next.node()).or_default() += 1;
        }
        let free: FxHashSet<usize> = free.iter().map(|&index| circuit.inputs[index].signal.node()).collect();
        let is_input: FxHashSet<usize> = circuit.inputs.iter().map(|input| input.signal.node()).collect();
        let mut next_of = FxHashMap::default();
        for latch in &circuit.latches {
            let next = latch.next;
            let is_plain = !next.is_complemented() && is_input.contains(&next.node()) && !free.contains(&next.node());
            if is_plain && times[&next.node()] == 1 {
                next_of.insert(next.node(), latch.signal.node());
            }
        }
        let next: FxHashMap<usize, Signal> = circuit.latches.iter().map(|l| (l.signal.node(), l.next)).collect();
        let constraints = circuit.constraints.iter().copied().chain([circuit.stop]);
        let mut roots: Vec<Signal> = watched.iter().copied().chain(constraints).collect();
        let (mut seen, mut leaves): (FxHashSet<usize>, Vec<usize>) = Default::default();
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
                    Node::Leaf => match next_of.get(&node) {
                        // Where its next value matters, the latch does.
                        Some(&latch) => pending.push(latch),
                        None => {
                            leaves.push(node);
                            roots.extend(next.get(&node));
                        }
                    },
                }
            }
        }
        let in_cone: FxHashSet<usize> = leaves.iter().copied().collect();
        let latches = circuit.latches.iter().map(|latch| latch.signal.node());
        let free_inputs = circuit.inputs.iter().map(|input| input.signal.node()).filter(|leaf| free.contains(leaf));
        let states: Vec<usize> = latches.chain(free_inputs).filter(|leaf| in_cone.contains(leaf)).collect();
        let is_state: FxHashSet<usize> = states.iter().copied().collect();
        let inputs = leaves.iter().copied().filter(|leaf| !is_state.contains(leaf)).collect();
        Building {
            circuit,
            roots,
            steps: steps.to_vec(),
            leaves,
            states,
            inputs,
            next_of,
            level: FxHashMap::default(),
            state_levels: FxHashSet::default(),
        }
    }

    /// Gives each leaf its variables.
    fn order(&mut self, order: Order) {
        let in_cone: FxHashSet<usize> = self.leaves.iter().copied().collect();
        let listed = || {
            let inputs = self.circuit.inputs.iter().map(|input| input.signal.node());
            let latches = self.circuit.latches.iter().map(|latch| latch.signal.node());
            inputs.chain(latches).filter(|leaf| in_cone.contains(leaf)).collect::<Vec<usize>>()
        };
        let ordered = match order {
            Order::Walk => self.leaves.clone(),
            Order::Listed => listed(),
            Order::Force => self.forced(listed()),
        };
        for (place, leaf) in (0..).zip(ordered) {
            self.level.insert(leaf, 2 * place);
        }
        self.state_levels = self.states.iter().map(|leaf| self.level[leaf]).collect();
    }

    /// The leaves that each part of the relation has: a latch with what its next value depends on, or a constraint.
    fn edges(&self) -> Vec<Vec<usize>> {
        let circuit = self.circuit;
        let in_cone: FxHashSet<usize> = self.leaves.iter().copied().collect();
        let latches = circuit.latches.iter().filter(|latch| in_cone.contains(&latch.signal.node()));
        let parts = latches.map(|latch| (Some(latch.signal.node()), latch.next));
        let conditions = circuit.constraints.iter().chain(&self.steps);
        let all = parts.chain(conditions.map(|&condition| (None, condition)));
        let mut edges = vec![];
        for (latch, root) in all {
            let (mut seen, mut pending, mut edge) = (FxHashSet::default(), vec![root.node()], vec![]);
            edge.extend(latch);
            while let Some(node) = pending.pop() {
                if !seen.insert(node) {
                    continue;
                }
                match circuit.gates.nodes()[node] {
                    Node::False => {}
                    Node::And(a, b) => pending.extend([a.node(), b.node()]),
                    Node::Leaf => edge.push(self.next_of.get(&node).copied().unwrap_or(node)),
                }
            }
            edge.sort_unstable();
            edge.dedup();
            edge.retain(|leaf| in_cone.contains(leaf));
            if edge.len() > 1 {
                edges.push(edge);
            }
        }
        edges
    }

    /// Leaves in the order of the centres of gravity of the parts that they are in, again and again while the parts span less.
    fn forced(&self, mut order: Vec<usize>) -> Vec<usize> {
        const ROUNDS: usize = 60;
        let edges = self.edges();
        let mut best = (usize::MAX, order.clone());
        for _ in 0..ROUNDS {
            let place: FxHashMap<usize, usize> = order.iter().enumerate().map(|(place, &leaf)| (leaf, place)).collect();
            let span = |edge: &Vec<usize>| {
                let places = edge.iter().map(|leaf| place[leaf]);
                places.clone().max().unwrap_or(0) - places.min().unwrap_or(0)
            };
            let total: usize = edges.iter().map(span).sum();
            if total < best.0 {
                best = (total, order.clone());
            } else if total > best.0 + best.0 / 20 {
                break;
            }
            let mut sums: FxHashMap<usize, (f64, f64)> = FxHashMap::default();
            for edge in &edges {
                let centre = edge.iter().map(|leaf| place[leaf] as f64).sum::<f64>() / edge.len() as f64;
                for &leaf in edge {
                    let sum = sums.entry(leaf).or_default();
                    *sum = (sum.0 + centre, sum.1 + 1.0);
                }
            }
            let key = |leaf: usize| sums.get(&leaf).map_or(place[&leaf] as f64, |(sum, count)| sum / count);
            let mut keyed: Vec<(f64, usize)> = order.iter().map(|&leaf| (key(leaf), leaf)).collect();
            keyed.sort_by(|a, b| a.0.total_cmp(&b.0));
            order = keyed.into_iter().map(|(_, leaf)| leaf).collect();
        }
        best.1
    }

    /// By node: its function.
    fn functions(&self, diagrams: &mut Diagrams) -> Result<FxHashMap<usize, Function>, Stop> {
        let gates = &self.circuit.gates;
        let needed = gates.mark_cone(self.roots.iter().copied());
        let mut functions: FxHashMap<usize, Function> = FxHashMap::default();
        for (index, node) in gates.nodes().iter().enumerate().filter(|&(index, _)| needed[index]) {
            let function = match *node {
                Node::False => Function::FALSE,
                Node::Leaf => match (self.next_of.get(&index), self.level.get(&index)) {
                    (Some(latch), _) => diagrams.variable(self.level[latch] + 1)?,
                    (None, Some(&level)) => diagrams.variable(level)?,
                    (None, None) => continue,
                },
                Node::And(a, b) => {
                    let at = |signal: Signal| match functions[&signal.node()] {
                        function if signal.is_complemented() => !function,
                        function => function,
                    };
                    diagrams.and(at(a), at(b))?
                }
            };
            functions.insert(index, function);
        }
        Ok(functions)
    }
}
