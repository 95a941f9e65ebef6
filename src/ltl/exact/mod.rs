//! Exact boxes: programs to machines where states are too many to be visited.
//!
//! Most of what a large program keeps is never looked at again, or is a copy of something else. So a state stands for a *box*
//! around it, a product of intervals in which all states behave alike: on each input they take the same way through the step,
//! print the same, and end in the box of the same successor. A box begins with everything in it and shrinks, by each test
//! on the way ([`demand`]) and by the successor's box, carried back through the assignments. A state that lies in a
//! box that is known needs no box of its own. When a box shrinks, those that lead there are looked at again. When nothing
//! changes any more the boxes are the machine behind the program: a bisimulation, found as by partition refinement (Paige
//! and Tarjan, "Three partition refinement algorithms", 1987), but only where the program goes.
//!
//! In the end every box is executed once more, forwards and as a whole ([`verify`]): nothing rests on how it was found.

mod demand;
mod precise;
mod verify;
mod walk;

use std::collections::VecDeque;

use super::explorer::{Explorer, Found, States};
use crate::analysis::{Env, Facts, Values};
use crate::base::Limits;
use crate::base::progress::Stage;
use crate::certificate::{NumberSet, StateBox};
use crate::explicit::behaviour::{Unknown, alphabet, check_prints};
use crate::expr::{Type, VarId};
use crate::program::{Program, Scope, StmtKind};
use crate::temporal::machine::{Answer, Builder, Symbol};
use crate::temporal::properties::Mapping;
use demand::Demands;
use walk::{Outcome, Walk, Walker};

/// Finds machines by exact boxes.
pub struct Exact {
    /// How many bytes they may take.
    pub memory: usize,
}

impl Explorer for Exact {
    fn name(&self) -> &'static str {
        "exact"
    }

    fn explore(&self, facts: &Facts, mapping: &Mapping, limits: &Limits) -> Result<Found, Unknown> {
        let (program, setup) = (facts.program, facts.setup());
        let alphabet = alphabet(program)?;
        check_prints(program)?;
        let is_store = |kind: &StmtKind| matches!(kind, StmtKind::Store { .. });
        if program.stmts.iter().any(|stmt| is_store(&stmt.kind)) {
            return Err(Unknown::Unsuitable("the program writes into tables".into()));
        }
        if setup.end().is_some() || !setup.opening().output.is_empty() {
            return Err(Unknown::Unsuitable("the program prints or ends before it reads".into()));
        }
        let slice = facts.behaviour();
        let walker = Walker { program, slice };
        let is_state: Vec<bool> = (0..program.variables.len())
            .map(|index| slice.assigned[index] && program.variables[index].scope == Scope::Global)
            .collect();
        let first = setup.state().variables.clone();
        let mut boxes = Boxes {
            walker,
            env: start(program, &first, &is_state),
            is_state,
            alphabet,
            nodes: vec![],
            pending: VecDeque::new(),
            bytes: 0,
        };
        boxes.add(first);
        let mut looks = 0;
        while let Some(node) = boxes.pending.pop_front() {
            looks += 1;
            limits.progress.level(Stage::Search, looks);
            if limits.interrupt.is_raised() {
                return Err(Unknown::Interrupted);
            }
            if boxes.bytes > self.memory {
                return Err(Unknown::Memory);
            }
            boxes.look_at(node);
        }
        boxes.verified()?;
        boxes.found(mapping)
    }
}

/// Values of variables before anything is demanded: state is open, all else is what the setup has left.
fn start<'p>(program: &'p Program, first: &[i32], is_state: &[bool]) -> Env<'p> {
    let mut env = Env::new(program);
    for (index, (&value, &is_state)) in first.iter().zip(is_state).enumerate() {
        let (low, high) = whole(program, index);
        env.set(VarId::new(index), if is_state { Values::interval(low, high) } else { Values::one(value) });
    }
    env
}

/// All that a variable can be.
fn whole(program: &Program, variable: usize) -> (i32, i32) {
    match program.variables[variable].ty {
        Type::Int => (i32::MIN, i32::MAX),
        Type::Bool => (0, 1),
        Type::Pointer => (0, program.tables.len() as i32 - 1),
    }
}

/// A representative and its box.
struct Node {
    /// The values of all variables.
    state: Vec<i32>,
    /// By variable: the interval, ascending; variables that are not there are open.
    sides: Vec<Side>,
    /// By input: what it does, and where it leads.
    edges: Vec<(Outcome, Option<usize>)>,
    /// Those that lead here, or did.
    before: Vec<usize>,
    is_pending: bool,
}

/// A variable and the least and the greatest number that it may have.
type Side = (usize, i32, i32);

impl Node {
    fn contains(&self, state: &[i32]) -> bool {
        self.sides.iter().all(|&(variable, low, high)| (low..=high).contains(&state[variable]))
    }
}

struct Boxes<'p> {
    walker: Walker<'p>,
    env: Env<'p>,
    is_state: Vec<bool>,
    alphabet: Vec<i32>,
    nodes: Vec<Node>,
    pending: VecDeque<usize>,
    bytes: usize,
}

impl Boxes<'_> {
    fn add(&mut self, state: Vec<i32>) -> usize {
        self.bytes += 4 * state.len() + 64 * self.alphabet.len();
        self.nodes.push(Node { state, sides: vec![], edges: vec![], before: vec![], is_pending: false });
        self.wake(self.nodes.len() - 1);
        self.nodes.len() - 1
    }

    fn wake(&mut self, node: usize) {
        if !std::mem::replace(&mut self.nodes[node].is_pending, true) {
            self.pending.push_back(node);
        }
    }

    /// Steps from a representative on all inputs, and shrinks its box to what they demand.
    fn look_at(&mut self, node: usize) {
        self.nodes[node].is_pending = false;
        let mut edges = vec![];
        let mut sides = self.nodes[node].sides.clone();
        for index in 0..self.alphabet.len() {
            let walk = self.walker.walk(&self.nodes[node].state, self.alphabet[index]);
            let known = self.nodes[node].edges.get(index).and_then(|(_, target)| *target);
            let target = walk.outcome.goes_on().then(|| self.place(&walk.values, known));
            if let Some(target) = target
                && !self.nodes[target].before.contains(&node)
            {
                self.nodes[target].before.push(node);
            }
            let demanded = self.demanded(&walk, target, self.alphabet[index], &sides);
            sides = demanded;
            edges.push((walk.outcome, target));
        }
        self.nodes[node].edges = edges;
        if sides != self.nodes[node].sides {
            self.bytes += 12 * sides.len();
            self.nodes[node].sides = sides;
            for before in self.nodes[node].before.clone() {
                self.wake(before);
            }
            // It may no longer be in boxes that it was in, and what it leads to may be its own box.
            self.wake(node);
        }
    }

    /// The box that a state is in; the one that is known, if it still is.
    fn place(&mut self, state: &[i32], known: Option<usize>) -> usize {
        let known = known.filter(|&node| self.nodes[node].contains(state));
        let found = known.or_else(|| self.nodes.iter().position(|node| node.contains(state)));
        found.unwrap_or_else(|| self.add(state.to_vec()))
    }

    /// What a step demands of the box that it begins in, besides what is demanded already.
    fn demanded(&mut self, walk: &Walk, target: Option<usize>, input: i32, sides: &[Side]) -> Vec<Side> {
        let after: &[Side] = target.map_or(&[], |target| &self.nodes[target].sides);
        let mut demands = Demands::new(&mut self.env, walk, input);
        demands.carry_back(after);
        let own = demands.finish();
        let is_state = &self.is_state;
        let mut joined: Vec<Side> = sides.to_vec();
        for (variable, low, high) in own.into_iter().filter(|side| is_state[side.0]) {
            match joined.binary_search_by_key(&variable, |side| side.0) {
                Ok(place) => {
                    let side = &mut joined[place];
                    (side.1, side.2) = (side.1.max(low), side.2.min(high));
                }
                Err(place) => joined.insert(place, (variable, low, high)),
            }
        }
        joined
    }

    /// Executes all boxes as a whole.
    fn verified(&mut self) -> Result<(), Unknown> {
        for node in 0..self.nodes.len() {
            for index in 0..self.alphabet.len() {
                let (outcome, target) = &self.nodes[node].edges[index];
                let after = target.map(|target| &*self.nodes[target].sides);
                let input = self.alphabet[index];
                let sides = &self.nodes[node].sides;
                if !verify::holds(&self.walker, &mut self.env, sides, input, outcome, after) {
                    return Err(Unknown::Unsuitable("a box does not hold what was found out about it".into()));
                }
            }
        }
        Ok(())
    }

    fn found(&self, mapping: &Mapping) -> Result<Found, Unknown> {
        let mut builder = Builder::new(self.alphabet.iter().map(|&input| mapping.symbol('i', input)).collect());
        builder.reserve(self.nodes.len());
        for (state, node) in self.nodes.iter().enumerate() {
            for (index, (outcome, target)) in node.edges.iter().enumerate() {
                let Outcome::GoesOn { printed, complains } = outcome else { continue };
                let outputs: Vec<Symbol> =
                    printed.iter().map(|&number| builder.output(&mapping.symbol('o', number))).collect();
                let next = target.expect("a step that goes on leads somewhere");
                let answer = match outputs.is_empty() && *complains {
                    true => Answer::Ignores { next },
                    false => Answer::Prints { outputs: &outputs, next },
                };
                builder.step(state, Symbol::new(index), answer);
            }
        }
        let side = |&(variable, low, high): &Side| (VarId::new(variable), NumberSet::between(low, high));
        let state_box = |node: &Node| StateBox { sides: node.sides.iter().map(side).collect() };
        let states = States { boxes: self.nodes.iter().map(state_box).collect(), nodes: builder.nodes().to_vec() };
        Ok(Found { machine: builder.finish(), states, is_concrete: false })
    }
}
