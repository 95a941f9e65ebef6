//! A circuit and its locations to an automaton: the edges between locations, each with the logic of its own steps.
//!
//! The ends of an edge are constants on it, so its logic is the part of the circuit between them: the circuit's
//! cofactor by the latches that tell locations apart, and then by the condition that the step leads to the other end
//! and does not stop. Latches and inputs have the numbers of the circuit everywhere.

use super::Partition;
use super::techniques::{Technique, Techniques};
use crate::engine::transition::Transition;
use crate::engine::{Interrupted, StateLit, interruptible, satisfiable};
use crate::sat::Backend;
use redoubt_base::Limits;
use redoubt_circuit::{Circuit, Latch, Signal};

pub struct Automaton {
    pub partition: Partition,
    pub latches: Vec<Latch>,
    pub edges: Vec<Edge>,
    /// Per location: the edges that lead to another one or to itself, and the one along which properties are reached.
    pub leaving: Vec<Vec<usize>>,
    /// Per location: the edges that lead there, the one from itself last.
    pub entering: Vec<Vec<usize>>,
    /// Per location: the edges on the shortest way from a reset state; `None` if there is no way.
    pub distance: Vec<Option<usize>>,
}

/// The steps from one location to another, or the last steps of runs that end there.
pub struct Edge {
    pub from: usize,
    pub to: Option<usize>,
    pub circuit: Circuit,
    pub transition: Transition,
    /// Per property: whether a step along this edge may reach it.
    pub may_reach: Vec<bool>,
}

impl Edge {
    pub fn is_loop(&self) -> bool {
        self.to == Some(self.from)
    }
}

impl Automaton {
    pub fn new(
        circuit: &Circuit,
        partition: &Partition,
        techniques: &Techniques,
        backend: Backend,
        limits: &Limits,
    ) -> Result<Automaton, Interrupted> {
        let mut steps = vec![];
        for from in 0..partition.len() {
            let known: Vec<(usize, bool)> = partition.lits(from).iter().map(|lit| (lit.latch(), lit.value())).collect();
            let here = circuit.with_latches(&known);
            for to in 0..partition.len() {
                let step = step_between(&here, partition.lits(to), techniques);
                if is_possible(&step, backend, limits)? {
                    steps.push((from, Some(to), step));
                }
            }
            steps.push((from, None, Circuit { stop: Signal::FALSE, ..here }));
        }
        let relevant = relevant(&steps, partition.len());
        let edges: Vec<Edge> = steps
            .into_iter()
            .map(|(from, to, circuit)| {
                let targets = to.map_or(&[][..], |to| &relevant[to]);
                let transition = Transition::between(&circuit, relevant[from].clone(), targets).reduced(limits);
                let may_reach = circuit.bad.iter().map(|bad| to.is_none() && bad.signal != Signal::FALSE).collect();
                Edge { from, to, circuit, transition, may_reach }
            })
            .collect();
        let mut leaving = vec![vec![]; partition.len()];
        let mut entering = vec![vec![]; partition.len()];
        for (index, edge) in edges.iter().enumerate() {
            leaving[edge.from].push(index);
            if let Some(to) = edge.to {
                entering[to].push(index);
            }
        }
        for list in &mut entering {
            list.sort_by_key(|&index| edges[index].is_loop());
        }
        let is_initial = |lit: &StateLit| !lit.contradicts_reset(&circuit.latches);
        let is_entry: Vec<bool> =
            (0..partition.len()).map(|location| partition.lits(location).iter().all(is_initial)).collect();
        let distance = distances(&edges, &is_entry);
        let (partition, latches) = (partition.clone(), circuit.latches.clone());
        Ok(Automaton { partition, latches, edges, leaving, entering, distance })
    }

    /// Whether some reset states are at this location.
    pub fn is_entry(&self, location: usize) -> bool {
        self.distance[location] == Some(0)
    }
}

/// Steps that go on and lead to a location; without properties.
fn step_between(here: &Circuit, to: &[StateLit], techniques: &Techniques) -> Circuit {
    let mut step = here.clone();
    let next = to.iter().map(|lit| here.latches[lit.latch()].next.complement_if(!lit.value()));
    let all: Vec<Signal> = next.chain([!here.stop]).collect();
    let condition = step.gates.and_all(&all);
    step.bad.iter_mut().for_each(|bad| bad.signal = Signal::FALSE);
    step.stop = Signal::FALSE;
    if techniques.has(Technique::Edges) {
        step.assuming(condition)
    } else {
        step.constraints.push(condition);
        step
    }
}

/// Whether any state has such a step.
fn is_possible(step: &Circuit, backend: Backend, limits: &Limits) -> Result<bool, Interrupted> {
    if step.constraints.contains(&Signal::FALSE) {
        return Ok(false);
    }
    let marked = step.gates.mark_cone(step.constraints.iter().copied());
    let cone = (0..step.latches.len()).filter(|&latch| marked[step.latches[latch].signal.node()]).collect();
    let transition = Transition::between(step, cone, &[]);
    let mut solver = interruptible(backend, &limits.interrupt);
    transition.load(solver.as_mut());
    transition.load_constraints(solver.as_mut());
    satisfiable(solver.solve(&[]))
}

/// Per location: the latches that decide which properties a run from there reaches.
fn relevant(steps: &[(usize, Option<usize>, Circuit)], locations: usize) -> Vec<Vec<usize>> {
    let mut relevant = vec![vec![]; locations];
    loop {
        let mut grows = false;
        for (from, to, circuit) in steps {
            let targets = to.map_or(&[][..], |to| relevant[to].as_slice());
            let next = targets.iter().map(|&latch: &usize| circuit.latches[latch].next);
            let bad = circuit.bad.iter().map(|bad| bad.signal);
            let roots: Vec<Signal> = next.chain(bad).chain(circuit.constraints.iter().copied()).collect();
            let marked = circuit.gates.mark_cone(roots);
            let is_relevant =
                |latch: &usize| marked[circuit.latches[*latch].signal.node()] || relevant[*from].contains(latch);
            let all: Vec<usize> = (0..circuit.latches.len()).filter(is_relevant).collect();
            grows |= all.len() > relevant[*from].len();
            relevant[*from] = all;
        }
        if !grows {
            return relevant;
        }
    }
}

fn distances(edges: &[Edge], is_entry: &[bool]) -> Vec<Option<usize>> {
    let mut distance: Vec<Option<usize>> = is_entry.iter().map(|&is_entry| is_entry.then_some(0)).collect();
    for so_far in 0..is_entry.len() {
        for edge in edges {
            if let Some(to) = edge.to
                && distance[edge.from] == Some(so_far)
                && distance[to].is_none()
            {
                distance[to] = Some(so_far + 1);
            }
        }
    }
    distance
}
