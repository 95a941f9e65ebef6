//! Ways to find the machine behind a program.

use crate::analysis::Facts;
use crate::base::Limits;
use crate::certificate::{Fact, NumberSet, StateBox};
use crate::explicit::behaviour::{self, Explored, Unknown};
use crate::explicit::{Execution, Storage};
use crate::expr::VarId;
use crate::program::{Place, Scope};
use crate::temporal::Machine;
use crate::temporal::machine::{Label, Symbol};
use crate::temporal::properties::Mapping;

/// A way to find the machine behind a program: all its answers to its inputs, exactly, or some of them.
pub trait Explorer: Sync {
    /// A short name, as it is printed with verdicts.
    fn name(&self) -> &'static str;

    /// The machine, put together by a [`Builder`](crate::temporal::machine::Builder). Its inputs are those of
    /// [`behaviour::alphabet`], in this order, and all symbols have the names that the mapping gives to their numbers.
    fn explore(&self, facts: &Facts, mapping: &Mapping, limits: &Limits) -> Result<Found, Unknown>;
}

/// A machine, and the boxes of its states.
pub struct Found {
    pub machine: Machine,
    pub states: States,
    /// Whether a run of the machine comes back to a state of the program whenever the machine comes back to a node, after some
    /// rounds at most; it may not, if a node stands for states without end.
    pub is_concrete: bool,
    /// Whether it has all runs of the program. If not, memory was full before all was found; the runs that it has are
    /// real.
    pub is_complete: bool,
}

/// The states of a machine in terms of the program.
#[derive(Default)]
pub struct States {
    /// The facts that hold in all of them.
    pub facts: Vec<Fact>,
    /// A box for each, in which all states of the program do the same; none if that cannot be said in boxes.
    pub boxes: Vec<StateBox>,
    /// The node of each.
    pub nodes: Vec<usize>,
}

impl States {
    /// The box of a state, with the facts that hold in all of them.
    pub fn whole_box(&self, state: usize) -> StateBox {
        self.with_facts(self.boxes[state].clone())
    }

    /// A box, with the facts that hold in all of them.
    pub fn with_facts(&self, StateBox { mut sides }: StateBox) -> StateBox {
        for fact in &self.facts {
            if let Fact::In(place, numbers) = fact
                && let Some(variable) = place.variable()
            {
                match sides.iter_mut().find(|side| side.0 == variable) {
                    // A counter by threes stops elsewhere than a counter by ones.
                    Some((_, own)) => *own = own.meet(numbers),
                    None => sides.push((variable, numbers.clone())),
                }
            }
        }
        StateBox { sides }
    }
}

impl Found {
    /// The effect of each input in a state, if the run goes on and something changes: the outputs, and the state after
    /// them.
    pub fn answers(&self, state: usize) -> impl Iterator<Item = (Label, Vec<Symbol>, usize)> {
        let Found { machine: Machine { nodes, .. }, states, .. } = self;
        nodes[states.nodes[state]].iter().map(|&(label, mut node)| {
            let mut outputs = vec![];
            loop {
                // States come in order, the nodes of outputs between them, with the one edge that they have.
                match states.nodes.binary_search(&node) {
                    Ok(state) => return (label, outputs, state),
                    Err(_) => {
                        let (output, next) = nodes[node][0];
                        outputs.push(output.symbol());
                        node = next;
                    }
                }
            }
        })
    }
}

/// Visits the program's own states.
pub struct Explicit {
    /// The number of bytes that they may take.
    pub memory: usize,
}

/// More boxes than this take too long to be checked.
const MOST_BOXES: usize = 1 << 14;

impl Explorer for Explicit {
    fn name(&self) -> &'static str {
        "explicit"
    }

    fn explore(&self, facts: &Facts, mapping: &Mapping, limits: &Limits) -> Result<Found, Unknown> {
        let explored = behaviour::explore(facts, mapping, self.memory, limits, Execution::Fast)?;
        let boxes = boxes(&explored).unwrap_or_default();
        let Explored { machine, nodes, is_complete, .. } = explored;
        let states = States { facts: constants(facts), boxes, nodes };
        Ok(Found { machine, states, is_concrete: true, is_complete })
    }
}

/// A box for each state, if they are few and no tables are written.
fn boxes(explored: &Explored) -> Option<Vec<StateBox>> {
    if explored.nodes.len() > MOST_BOXES || !explored.is_complete {
        return None;
    }
    let variable = |place: &Storage| match place {
        Storage::Variable(variable) => Some(*variable),
        Storage::Table(_) => None,
    };
    let variables: Vec<_> = explored.places.iter().map(variable).collect::<Option<_>>()?;
    let state_box = |state: usize| {
        let row = &explored.rows[state * variables.len()..][..variables.len()];
        StateBox {
            sides: variables.iter().zip(row).map(|(&variable, &value)| (variable, NumberSet::one(value))).collect(),
        }
    };
    Some((0..explored.nodes.len()).map(state_box).collect())
}

/// The variables that steps read and never assign.
pub fn constants(facts: &Facts) -> Vec<Fact> {
    let (slice, start) = (facts.behaviour(), facts.setup());
    let is_constant = |&index: &usize| {
        let is_global = facts.program.variables[index].scope == Scope::Global;
        is_global && slice.variables[index] && !slice.assigned[index]
    };
    let fact = |index: usize| {
        let value = NumberSet::one(start.state().variables[index]);
        Fact::In(Place::Variable(VarId::new(index)), value)
    };
    (0..facts.program.variables.len()).filter(is_constant).map(fact).collect()
}
