//! Exact boxes: programs to machines where states are too many to be visited.
//!
//! Most variables of a large program are dead, or copies of others. So a state stands for a *box* around it, a product
//! of intervals in which all states behave alike: on each input they take the same path through the step, print the
//! same, and end in the box of the same successor. A box begins with every state in it and shrinks, by each test on the
//! path (`demand`) and by the successor's box, carried back through the assignments. A state that lies in a known box
//! needs no box of its own. When a box shrinks, those that lead there are looked at again. When nothing changes any
//! more the boxes are the machine behind the program: a bisimulation, found as by partition refinement (Paige and
//! Tarjan, "Three partition refinement algorithms", 1987), but only where the program goes.
//!
//! The results of the value analysis at the head of the loop go without saying in a box: above all, that numbers are
//! not so large that products of them wrap around.
//!
//! In the end every box is executed once more, forwards and as a whole (`verify`): nothing rests on how it was found.

mod demand;
mod precise;
mod verify;
mod walk;

use std::collections::BinaryHeap;

use crate::analysis::{Cells, Env, Facts, Values};
use crate::base::Limits;
use crate::base::progress::Stage;
use crate::certificate::{Fact, NumberSet, StateBox};
use crate::claims::facts_of_flow;
use crate::explicit::behaviour::{Unknown, alphabet, check_prints};
use crate::explorer::{Explorer, Found, States};
use crate::expr::{BinaryOp, Expr, ExprId, VarId};
use crate::program::{Program, Scope, StmtKind};
use crate::temporal::machine::{Answer, Builder, Symbol};
use crate::temporal::properties::Mapping;
use demand::Demands;
use walk::{Outcome, Walk, Walker};

/// Finds machines by exact boxes.
pub struct Exact {
    /// The number of bytes that they may take.
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
        let flow = facts.flow(&limits.interrupt).map_err(|_| Unknown::Interrupted)?;
        let background = facts_of_flow(&flow);
        let mut env = flow.head;
        for (index, &value) in first.iter().enumerate().filter(|&(index, _)| !is_state[index]) {
            env.set(VarId::new(index), Values::one(value));
        }
        let mut boxes = Boxes {
            walker,
            env,
            cells: Cells::of(program),
            counts: counts(program),
            is_state,
            alphabet,
            nodes: vec![],
            pending: BinaryHeap::new(),
            bytes: 0,
        };
        boxes.add(first);
        let mut looks = 0;
        while let Some(node) = boxes.pending.pop() {
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
        boxes.found(mapping, background)
    }
}

/// By variable: whether it counts, that is, whether it is only ever changed by adding something that depends on nothing
/// else, or set to a number.
fn counts(program: &Program) -> Vec<bool> {
    let (mut adds, mut differs) = (vec![false; program.variables.len()], vec![false; program.variables.len()]);
    for stmt in &program.stmts {
        let StmtKind::Assign { variable, value } = stmt.kind else { continue };
        let is_itself = |id: ExprId| program.exprs.get(id) == Expr::Var(variable);
        let mut parts = program.exprs.parts(value);
        let is_alone = !parts.any(|part| matches!(part, Expr::Var(other) if other != variable));
        match program.exprs.get(value) {
            Expr::Int(_) => {}
            Expr::Binary(BinaryOp::Add | BinaryOp::Sub, a, b) if is_alone && (is_itself(a) || is_itself(b)) => {
                adds[variable.index()] = true;
            }
            _ => differs[variable.index()] = true,
        }
    }
    adds.iter().zip(differs).map(|(&adds, differs)| adds && !differs).collect()
}

/// A representative and its box.
struct Node {
    /// The values of all variables.
    state: Vec<i32>,
    /// By variable: the interval, ascending; variables that are not there are open.
    sides: Vec<Side>,
    /// The number of times that the box has shrunk.
    version: u32,
    /// By input.
    edges: Vec<Edge>,
    /// Those that lead here, or did.
    before: Vec<usize>,
    is_pending: bool,
}

/// The effect of an input, and its target: a box, as it was when its demands were carried back.
struct Edge {
    outcome: Outcome,
    target: Option<(usize, u32)>,
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
    /// The possible values of variables at the head of the loop.
    env: Env<'p>,
    cells: Cells,
    /// By variable: whether it counts.
    counts: Vec<bool>,
    is_state: Vec<bool>,
    alphabet: Vec<i32>,
    nodes: Vec<Node>,
    /// Those to be looked at, the latest first: so a box is looked at again when its successors have settled, and not
    /// each time that one of these shrinks.
    pending: BinaryHeap<usize>,
    bytes: usize,
}

impl Boxes<'_> {
    fn add(&mut self, state: Vec<i32>) -> usize {
        self.bytes += 4 * state.len() + 64 * self.alphabet.len();
        self.nodes.push(Node { state, sides: vec![], version: 0, edges: vec![], before: vec![], is_pending: false });
        self.wake(self.nodes.len() - 1);
        self.nodes.len() - 1
    }

    fn wake(&mut self, node: usize) {
        if !std::mem::replace(&mut self.nodes[node].is_pending, true) {
            self.pending.push(node);
        }
    }

    /// Steps from a representative on all inputs that lead to a box which is new or has shrunk, and shrinks its own box
    /// to the demands of these.
    fn look_at(&mut self, node: usize) {
        self.nodes[node].is_pending = false;
        let mut sides = self.nodes[node].sides.clone();
        for index in 0..self.alphabet.len() {
            let known = self.nodes[node].edges.get(index);
            if known.is_some_and(|edge| edge.target.is_none_or(|(target, seen)| self.nodes[target].version == seen)) {
                continue;
            }
            let known = known.and_then(|edge| edge.target).map(|(target, _)| target);
            let walk = self.walker.walk(&self.nodes[node].state, self.alphabet[index]);
            let target = walk.outcome.goes_on().then(|| self.place(&walk.values, known));
            if let Some(target) = target
                && !self.nodes[target].before.contains(&node)
            {
                self.nodes[target].before.push(node);
            }
            sides = self.demanded(&walk, target, self.alphabet[index], &sides);
            let target = target.map(|target| (target, self.nodes[target].version));
            let edge = Edge { outcome: walk.outcome, target };
            match self.nodes[node].edges.get_mut(index) {
                Some(known) => *known = edge,
                None => self.nodes[node].edges.push(edge),
            }
        }
        if sides != self.nodes[node].sides {
            self.bytes += 12 * sides.len();
            self.nodes[node].sides = sides;
            self.nodes[node].version += 1;
            for before in self.nodes[node].before.clone() {
                self.wake(before);
            }
        }
    }

    /// The box that a state is in; the one that is known, if it still is.
    fn place(&mut self, state: &[i32], known: Option<usize>) -> usize {
        let known = known.filter(|&node| self.nodes[node].contains(state));
        let found = known.or_else(|| self.nodes.iter().position(|node| node.contains(state)));
        found.unwrap_or_else(|| self.add(state.to_vec()))
    }

    /// The demands of a step on the box that it begins in, besides earlier ones.
    fn demanded(&mut self, walk: &Walk, target: Option<usize>, input: i32, sides: &[Side]) -> Vec<Side> {
        let after: &[Side] = target.map_or(&[], |target| &self.nodes[target].sides);
        let mut demands = Demands::new(&mut self.env, &self.cells, &self.counts, walk, input);
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
                let Edge { outcome, target } = &self.nodes[node].edges[index];
                let after = target.map(|(target, _)| &*self.nodes[target].sides);
                let input = self.alphabet[index];
                let sides = &self.nodes[node].sides;
                if !verify::holds(&self.walker, &mut self.env, sides, input, outcome, after) {
                    return Err(Unknown::Unsuitable("a box does not hold what was found out about it".into()));
                }
            }
        }
        Ok(())
    }

    fn found(&self, mapping: &Mapping, background: Vec<Fact>) -> Result<Found, Unknown> {
        let mut builder = Builder::new(self.alphabet.iter().map(|&input| mapping.symbol('i', input)).collect());
        builder.reserve(self.nodes.len());
        for (state, node) in self.nodes.iter().enumerate() {
            for (index, Edge { outcome, target }) in node.edges.iter().enumerate() {
                let Outcome::GoesOn { printed, complains } = outcome else { continue };
                let outputs: Vec<Symbol> =
                    printed.iter().map(|&number| builder.output(&mapping.symbol('o', number))).collect();
                let (next, _) = target.expect("a step that goes on leads somewhere");
                let answer = match outputs.is_empty() && *complains {
                    true => Answer::Ignores { next },
                    false => Answer::Prints { outputs: &outputs, next },
                };
                builder.step(state, Symbol::new(index), answer);
            }
        }
        let side = |&(variable, low, high): &Side| (VarId::new(variable), NumberSet::between(low, high));
        let state_box = |node: &Node| StateBox { sides: node.sides.iter().map(side).collect() };
        let boxes = self.nodes.iter().map(state_box).collect();
        let states = States { facts: background, boxes, nodes: builder.nodes().to_vec() };
        Ok(Found { machine: builder.finish(), states, is_concrete: false, is_complete: true })
    }
}
