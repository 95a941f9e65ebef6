//! The hidden machine: a Mealy machine with one counter, and which of its states can be reached.
//!
//! States come in three parts. The *core* is a tree from the initial state with further steps in it; the *island* is
//! built alike, but no step leads from the core to it; *sinks* hang on both, and no step leaves them. A run that
//! comes to a sink is at its end. Nothing here has to be right for the answers to be: [`Machine::shortest_words`]
//! computes them from the finished machine.

use std::collections::VecDeque;

use super::dice::Dice;

/// The size of a machine.
#[derive(Clone, Copy, Debug)]
pub struct Shape {
    pub core: usize,
    pub island: usize,
    pub letters: usize,
    /// The distance in the tree that a step may lead ahead: the smaller, the longer the paths.
    pub window: usize,
    /// Steps to sinks that only a count opens.
    pub gates: usize,
    /// The count that opens them; 0 for a machine without a counter.
    pub bound: usize,
}

/// The condition of a step on the counter.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Gate {
    Any,
    /// Still below the bound.
    Below,
    /// At the bound or beyond.
    Reached,
}

impl Gate {
    pub fn is_open(self, reached: bool) -> bool {
        match self {
            Gate::Any => true,
            Gate::Below => !reached,
            Gate::Reached => reached,
        }
    }
}

/// The effect of a step on the counter.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Count {
    Keep,
    Up,
    Reset,
}

/// From each of some states, on a letter, to one state.
#[derive(Clone, Debug)]
pub struct Transition {
    pub from: Vec<usize>,
    pub letter: usize,
    pub gate: Gate,
    pub count: Count,
    pub to: usize,
    pub output: i32,
}

/// Deterministic: for a state, a letter and a count at most one step is open. Where none is, the state stays.
#[derive(Clone, Debug)]
pub struct Machine {
    pub shape: Shape,
    /// The state at the beginning is 0.
    pub states: usize,
    pub steps: Vec<Transition>,
    /// The sinks of the core, and those of the island.
    pub sinks: [Vec<usize>; 2],
    /// Whether a step from a state on a letter exists.
    used: Vec<Vec<bool>>,
}

/// Outputs are the letters P to Z.
const OUTPUTS: (i64, i64) = (16, 26);

impl Machine {
    /// A machine with this many sinks on the core and on the island.
    pub fn new(shape: Shape, sinks: [usize; 2], dice: &mut Dice) -> Machine {
        let mut machine =
            Machine { shape, states: shape.core + shape.island, steps: vec![], sinks: [vec![], vec![]], used: vec![] };
        machine.used = vec![vec![false; shape.letters]; machine.states];
        let parts = [0..shape.core, shape.core..machine.states];
        for part in &parts {
            for state in part.clone().skip(1) {
                let near = state.saturating_sub(shape.window).max(part.start)..state;
                machine.connect(near, part.start..state, state, dice);
            }
        }
        let tree = machine.steps.len();
        for (which, part) in parts.iter().enumerate() {
            for _ in 0..sinks[which] {
                let sink = machine.states;
                machine.states += 1;
                machine.used.push(vec![true; shape.letters]);
                machine.sinks[which].push(sink);
                let later = part.start + part.len() / 3..part.end;
                machine.connect(later, part.clone(), sink, dice);
            }
        }
        if shape.bound > 0 {
            machine.add_gates(tree, dice);
        }
        machine.add_returns(dice);
        machine
    }

    /// The states without sinks.
    pub fn inner(&self) -> usize {
        self.shape.core + self.shape.island
    }

    pub fn is_free(&self, state: usize, letter: usize) -> bool {
        !self.used[state][letter]
    }

    pub fn add(&mut self, step: Transition) {
        for &state in &step.from {
            self.used[state][step.letter] = true;
        }
        self.steps.push(step);
    }

    /// Adds a step to a state from one of the first range or, where those have no letter left, of the second.
    fn connect(&mut self, near: std::ops::Range<usize>, all: std::ops::Range<usize>, to: usize, dice: &mut Dice) {
        let free = |range: std::ops::Range<usize>| -> Vec<(usize, usize)> {
            range
                .flat_map(|state| (0..self.shape.letters).map(move |letter| (state, letter)))
                .filter(|&(state, letter)| self.is_free(state, letter))
                .collect()
        };
        let place = dice.pick(&free(near)).or_else(|| dice.pick(&free(all)));
        let (from, letter) = place.expect("there are more letters than steps of a tree and sinks");
        let count = self.some_count(5, dice);
        self.add(Transition { from: vec![from], letter, gate: Gate::Any, count, to, output: output(dice) });
    }

    fn some_count(&self, percent: usize, dice: &mut Dice) -> Count {
        if self.shape.bound > 0 && dice.chance(percent) { Count::Up } else { Count::Keep }
    }

    /// Closes some steps to sinks until the counter is at its bound; before, they count and go back a little.
    fn add_gates(&mut self, tree: usize, dice: &mut Dice) {
        let mut to_sinks: Vec<usize> = (tree..self.steps.len()).collect();
        dice.shuffle(&mut to_sinks);
        for &index in to_sinks.iter().take(self.shape.gates) {
            let mut back = self.steps[index].from[0];
            for _ in 0..dice.below(3) {
                back = self.steps[..tree].iter().find(|step| step.to == back).map_or(back, |step| step.from[0]);
            }
            let gated = &mut self.steps[index];
            (gated.gate, gated.count) = (Gate::Reached, Count::Keep);
            let counting =
                Transition { gate: Gate::Below, count: Count::Up, to: back, output: output(dice), ..gated.clone() };
            self.steps.push(counting);
        }
    }

    /// Adds steps that lead back, or ahead by a state or two, so that the ways stay long.
    fn add_returns(&mut self, dice: &mut Dice) {
        for state in 0..self.inner() {
            for letter in 0..self.shape.letters {
                if !self.is_free(state, letter) || dice.chance(50) {
                    continue;
                }
                let in_core = state < self.shape.core || dice.chance(20);
                let to = match in_core {
                    true => dice.below((state + 2).min(self.shape.core)),
                    false => self.shape.core + dice.below((state - self.shape.core + 2).min(self.shape.island)),
                };
                let count =
                    if self.shape.bound > 0 && dice.chance(3) { Count::Reset } else { self.some_count(5, dice) };
                self.add(Transition { from: vec![state], letter, gate: Gate::Any, count, to, output: output(dice) });
            }
        }
    }

    /// For each state the letters of a shortest way to it, if there is one: a breadth-first search over states and counts.
    pub fn shortest_words(&self) -> Vec<Option<Vec<usize>>> {
        let counts = self.shape.bound + 1;
        let outgoing = self.outgoing();
        let mut before: Vec<Option<(usize, usize)>> = vec![None; self.states * counts];
        let mut first: Vec<Option<usize>> = vec![None; self.states];
        let mut queue = VecDeque::from([0]);
        first[0] = Some(0);
        while let Some(place) = queue.pop_front() {
            let (state, count) = (place / counts, place % counts);
            for &index in &outgoing[state] {
                let step = &self.steps[index];
                if !step.gate.is_open(count == self.shape.bound) {
                    continue;
                }
                let next = step.to * counts + self.counted(count, step.count);
                if next != 0 && before[next].is_none() {
                    before[next] = Some((place, step.letter));
                    first[step.to].get_or_insert(next);
                    queue.push_back(next);
                }
            }
        }
        let word = |mut place: usize| {
            let mut letters = vec![];
            while let Some((previous, letter)) = before[place] {
                letters.push(letter);
                place = previous;
            }
            letters.reverse();
            letters
        };
        first.into_iter().map(|place| place.map(word)).collect()
    }

    /// The step that is open in a state and a count on a letter, and the count after it.
    pub fn step(&self, (state, count): (usize, usize), letter: usize) -> Option<(&Transition, usize)> {
        let is_open = |step: &&Transition| {
            step.letter == letter && step.from.contains(&state) && step.gate.is_open(count == self.shape.bound)
        };
        let step = self.steps.iter().find(is_open)?;
        Some((step, self.counted(count, step.count)))
    }

    /// The output of a run step by step, until it comes to a sink; `None` for a letter that leads nowhere.
    pub fn run(&self, letters: impl IntoIterator<Item = usize>) -> (Vec<Option<i32>>, Option<usize>) {
        let outgoing = self.outgoing();
        let (mut state, mut count, mut outputs) = (0, 0, vec![]);
        for letter in letters {
            let open = outgoing[state]
                .iter()
                .map(|&index| &self.steps[index])
                .find(|step| step.letter == letter && step.gate.is_open(count == self.shape.bound));
            outputs.push(open.map(|step| step.output));
            if let Some(step) = open {
                (state, count) = (step.to, self.counted(count, step.count));
            }
            if state >= self.inner() {
                return (outputs, Some(state));
            }
        }
        (outputs, None)
    }

    fn counted(&self, count: usize, change: Count) -> usize {
        match change {
            Count::Keep => count,
            Count::Up => (count + 1).min(self.shape.bound),
            Count::Reset => 0,
        }
    }

    /// The steps that leave each state.
    fn outgoing(&self) -> Vec<Vec<usize>> {
        let mut outgoing = vec![vec![]; self.states];
        for (index, step) in self.steps.iter().enumerate() {
            for &state in &step.from {
                outgoing[state].push(index);
            }
        }
        outgoing
    }
}

pub fn output(dice: &mut Dice) -> i32 {
    dice.between(OUTPUTS.0, OUTPUTS.1) as i32
}
