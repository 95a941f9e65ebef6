//! From a circuit to clauses: one copy of its combinational logic, with literals for everything the
//! engines ask about.
//!
//! Each node in the cone of the properties, constraints and `stop` gets a variable and each gate the
//! three clauses of Tseitin's encoding. There are no variables for the next state: the literal of a
//! latch's `next` signal stands for it, so a query about a successor assumes literals of gates. That
//! halves the state variables and lets a solver find latches with equal next values by itself.

use crate::circuit::aig::Node;
use crate::circuit::{Circuit, Reset, Signal};
use crate::cnf::{Lit, Var};
use crate::engine::state::StateLit;
use crate::sat::Solver;

#[derive(Clone, Debug)]
pub struct Transition {
    clauses: Vec<Vec<Lit>>,
    variables: u32,
    /// By circuit latch: current and next literal. Latches outside the cone have none.
    latches: Vec<Option<(Lit, Lit)>>,
    /// By circuit input, as above.
    inputs: Vec<Option<Lit>>,
    /// The latches inside the cone.
    cone: Vec<usize>,
    initial: Vec<StateLit>,
    bad: Vec<Lit>,
    constraints: Vec<Lit>,
    stop: Option<Lit>,
}

impl Transition {
    pub fn new(circuit: &Circuit) -> Transition {
        let needed = cone_of_influence(circuit);
        let mut variables = 0;
        let vars: Vec<Option<Var>> = needed
            .iter()
            .map(|&needed| {
                needed.then(|| {
                    variables += 1;
                    Var(variables - 1)
                })
            })
            .collect();
        let lit = |signal: Signal| Some(vars[signal.node()]?.literal(!signal.is_complemented()));
        let needed_lit = |signal| lit(signal).expect("the cone contains the roots it grew from");
        let latches: Vec<_> = circuit
            .latches
            .iter()
            .map(|latch| lit(latch.signal).map(|current| (current, needed_lit(latch.next))))
            .collect();
        let cone: Vec<usize> = (0..latches.len()).filter(|&latch| latches[latch].is_some()).collect();
        Transition {
            clauses: tseitin(circuit, &vars),
            variables,
            initial: initial_cube(circuit, &cone),
            cone,
            latches,
            inputs: circuit.inputs.iter().map(|i| lit(i.signal)).collect(),
            bad: circuit.bad.iter().map(|b| needed_lit(b.signal)).collect(),
            constraints: circuit.constraints.iter().map(|&c| needed_lit(c)).collect(),
            stop: (circuit.stop != Signal::FALSE).then(|| needed_lit(circuit.stop)),
        }
    }

    /// Adds the logic to an empty solver; variables are then the same as here.
    pub fn load(&self, solver: &mut dyn Solver) {
        for _ in 0..self.variables {
            solver.new_var();
        }
        for clause in &self.clauses {
            solver.add_clause(clause);
        }
    }

    /// The same, at a later position of an unrolling: variables start at `offset`.
    pub fn load_shifted(&self, solver: &mut dyn Solver) -> Frame {
        let first = solver.new_var();
        for _ in 1..self.variables {
            solver.new_var();
        }
        let frame = Frame { offset: first.0 };
        let mut shifted = Vec::new();
        for clause in &self.clauses {
            shifted.clear();
            shifted.extend(clause.iter().map(|&lit| frame.at(lit)));
            solver.add_clause(&shifted);
        }
        frame
    }

    /// Adds the constraints: they hold at every position of a run.
    pub fn load_constraints(&self, solver: &mut dyn Solver) {
        for &constraint in &self.constraints {
            solver.add_clause(&[constraint]);
        }
    }

    pub fn load_initial(&self, solver: &mut dyn Solver) {
        for &lit in &self.initial {
            solver.add_clause(&[self.current(lit)]);
        }
    }

    /// The latches that some property, constraint or `stop` depends on, through any number of steps.
    pub fn cone(&self) -> &[usize] {
        &self.cone
    }

    pub fn variables(&self) -> u32 {
        self.variables
    }

    /// The literal that says a latch of the cone has this value now.
    pub fn current(&self, lit: StateLit) -> Lit {
        let (current, _) = self.latch(lit.latch());
        if lit.value() { current } else { !current }
    }

    /// The literal that says a latch of the cone has this value in the next state.
    pub fn next(&self, lit: StateLit) -> Lit {
        let (_, next) = self.latch(lit.latch());
        if lit.value() { next } else { !next }
    }

    fn latch(&self, latch: usize) -> (Lit, Lit) {
        self.latches[latch].expect("cubes are over latches of the cone")
    }

    /// By circuit input: its literal, if it is in the cone.
    pub fn inputs(&self) -> &[Option<Lit>] {
        &self.inputs
    }

    /// The reset values of the cone's latches that have one.
    pub fn initial(&self) -> &[StateLit] {
        &self.initial
    }

    pub fn bad(&self, property: usize) -> Lit {
        self.bad[property]
    }

    pub fn properties(&self) -> usize {
        self.bad.len()
    }

    pub fn constraints(&self) -> &[Lit] {
        &self.constraints
    }

    /// `None` if no step ever stops.
    pub fn stop(&self) -> Option<Lit> {
        self.stop
    }
}

/// Where one copy of the logic lies in an unrolling.
#[derive(Clone, Copy, Debug)]
pub struct Frame {
    offset: u32,
}

impl Frame {
    pub fn at(self, lit: Lit) -> Lit {
        Var(lit.var().0 + self.offset).literal(!lit.is_negative())
    }
}

fn initial_cube(circuit: &Circuit, cone: &[usize]) -> Vec<StateLit> {
    cone.iter()
        .filter_map(|&latch| match circuit.latches[latch].reset {
            Reset::Zero => Some(StateLit::new(latch, false)),
            Reset::One => Some(StateLit::new(latch, true)),
            Reset::Free => None,
        })
        .collect()
}

/// The nodes that the properties, constraints and `stop` depend on, through any number of steps.
fn cone_of_influence(circuit: &Circuit) -> Vec<bool> {
    let nodes = circuit.gates.nodes();
    let mut next_of = vec![None; nodes.len()];
    for latch in &circuit.latches {
        next_of[latch.signal.node()] = Some(latch.next);
    }
    let mut needed = vec![false; nodes.len()];
    let mut stack: Vec<Signal> = circuit.bad.iter().map(|bad| bad.signal).collect();
    stack.extend(&circuit.constraints);
    stack.push(circuit.stop);
    while let Some(signal) = stack.pop() {
        let node = signal.node();
        if std::mem::replace(&mut needed[node], true) {
            continue;
        }
        match nodes[node] {
            Node::False => {}
            Node::Leaf => stack.extend(next_of[node]),
            Node::And(a, b) => stack.extend([a, b]),
        }
    }
    needed
}

fn tseitin(circuit: &Circuit, vars: &[Option<Var>]) -> Vec<Vec<Lit>> {
    let mut clauses = Vec::new();
    for (node, var) in circuit.gates.nodes().iter().zip(vars) {
        let Some(var) = *var else { continue };
        let operand = |signal: Signal| {
            vars[signal.node()].expect("a gate of the cone has its operands there").literal(!signal.is_complemented())
        };
        match *node {
            Node::False => clauses.push(vec![var.negative()]),
            Node::Leaf => {}
            Node::And(a, b) => {
                let (gate, a, b) = (var.positive(), operand(a), operand(b));
                clauses.extend([vec![!gate, a], vec![!gate, b], vec![gate, !a, !b]]);
            }
        }
    }
    clauses
}
