//! From a circuit to clauses: one copy of its combinational logic, with literals for everything the
//! engines ask about.
//!
//! The gates in the cone of the properties, constraints and `stop` are encoded compactly
//! ([`cnf::compact`](crate::cnf::compact)) and both ways, as engines read models and refute targets. There
//! are no variables for the next state: the literal of a latch's `next` signal stands for it, so a query
//! about a successor assumes literals of gates. That halves the state variables and lets a solver find
//! latches with equal next values by itself.

use crate::cnf::{Cnf, Lit, Literals, Polarity, Var, compact};
use crate::engine::eliminate::eliminate;
use crate::engine::state::StateLit;
use crate::sat::Solver;
use redoubt_base::Limits;
use redoubt_circuit::aig::Node;
use redoubt_circuit::{Circuit, Latch, Reset, Signal};

#[derive(Clone, Debug)]
pub struct Transition {
    variables: usize,
    definitions: Vec<Definition>,
    /// Clauses that hold of constants.
    facts: Vec<Vec<Lit>>,
    /// By circuit latch: the literal of its value now, if it is in the cone, and of the next one, if that is asked for.
    current: Vec<Option<Lit>>,
    next: Vec<Option<Lit>>,
    /// By circuit input, as above.
    inputs: Vec<Option<Lit>>,
    /// The latches inside the cone.
    cone: Vec<usize>,
    initial: Vec<StateLit>,
    bad: Vec<Lit>,
    constraints: Vec<Lit>,
    invariants: Vec<Lit>,
    stop: Option<Lit>,
}

impl Transition {
    pub fn new(circuit: &Circuit) -> Transition {
        let needed = cone_of_influence(circuit);
        let cone: Vec<usize> =
            (0..circuit.latches.len()).filter(|&latch| needed[circuit.latches[latch].signal.node()]).collect();
        Transition::between(circuit, cone.clone(), &cone)
    }

    /// Steps from states that differ in some latches, ascending, to states of which other latches count. The first are
    /// all that the second, the properties, the constraints and `stop` depend on.
    pub fn between(circuit: &Circuit, cone: Vec<usize>, targets: &[usize]) -> Transition {
        let mut roots = now_roots(circuit);
        roots.extend(targets.iter().map(|&latch| circuit.latches[latch].next));
        let needed = circuit.gates.mark_cone(roots.iter().copied());
        let mut cnf = Cnf::default();
        let mut literals = Literals::new(&circuit.gates);
        let latches = cone.iter().map(|&latch| circuit.latches[latch].signal);
        let inputs = circuit.inputs.iter().map(|input| input.signal).filter(|input| needed[input.node()]);
        for leaf in latches.chain(inputs) {
            literals.set(leaf, cnf.new_var().positive());
        }
        let roots: Vec<_> = roots.iter().map(|&root| (root, Polarity::BOTH)).collect();
        compact::encode(&circuit.gates, &roots, &mut literals, &mut cnf);

        let lit = |signal| literals.get(signal).expect("roots have literals");
        let of = |latches: &[usize], signal: &dyn Fn(&Latch) -> Signal| {
            let mut list = vec![None; circuit.latches.len()];
            latches.iter().for_each(|&latch| list[latch] = Some(lit(signal(&circuit.latches[latch]))));
            list
        };
        let inputs = circuit.inputs.iter();
        let (definitions, facts) = definitions(&cnf);
        Transition {
            initial: initial_cube(circuit, &cone),
            current: of(&cone, &|latch| latch.signal),
            next: of(targets, &|latch| latch.next),
            cone,
            inputs: inputs.map(|input| literals.get(input.signal)).collect(),
            bad: circuit.bad.iter().map(|bad| lit(bad.signal)).collect(),
            constraints: circuit.constraints.iter().map(|&c| lit(c)).collect(),
            invariants: circuit.invariants.iter().map(|invariant| lit(invariant.signal)).collect(),
            stop: (circuit.stop != Signal::FALSE).then(|| lit(circuit.stop)),
            variables: cnf.variables(),
            definitions,
            facts,
        }
    }

    /// With fewer variables, unless the limits say otherwise.
    pub fn within(circuit: &Circuit, limits: &Limits) -> Transition {
        Transition::new(circuit).reduced(limits)
    }

    /// This transition with fewer variables, unless the limits say otherwise.
    pub fn reduced(mut self, limits: &Limits) -> Transition {
        if !limits.without_elimination {
            self.eliminate();
        }
        self
    }

    /// Every literal that engines ask for.
    fn named(&mut self) -> impl Iterator<Item = &mut Lit> {
        let latches = self.current.iter_mut().chain(&mut self.next).flatten();
        let facts = self.facts.iter_mut().flatten();
        let inputs = self.inputs.iter_mut().flatten();
        let of_states = self.bad.iter_mut().chain(&mut self.constraints).chain(&mut self.invariants);
        latches.chain(facts).chain(inputs).chain(of_states).chain(&mut self.stop)
    }

    /// Resolves away gates that no query asks for, and numbers the variables anew without gaps.
    fn eliminate(&mut self) {
        let mut used = vec![false; self.variables];
        self.named().for_each(|lit| used[lit.var().index()] = true);
        eliminate(&mut self.definitions, &used);
        self.definitions.iter().for_each(|definition| used[definition.var.index()] = true);
        let mut numbers = vec![Var(u32::MAX); self.variables];
        for (index, number) in (0..self.variables).filter(|&index| used[index]).zip(0..) {
            numbers[index] = Var(number);
        }
        self.variables = used.iter().filter(|&&used| used).count();
        let new = |lit: Lit| numbers[lit.var().index()].literal(!lit.is_negative());
        self.named().for_each(|lit| *lit = new(*lit));
        for definition in &mut self.definitions {
            definition.var = numbers[definition.var.index()];
            definition.operands.iter_mut().for_each(|operand| *operand = numbers[operand.index()]);
            definition.clauses.iter_mut().flatten().for_each(|lit| *lit = new(*lit));
        }
    }

    /// Adds a copy of the logic, over fresh variables. The first copy in a solver has the variables
    /// that the literals here refer to; for later ones the result translates.
    pub fn load(&self, solver: &mut dyn Solver) -> Frame {
        let mut fresh = (0..self.variables).map(|_| solver.new_var().0);
        let frame = Frame { offset: fresh.next().unwrap_or(0) };
        fresh.for_each(drop);
        for fact in &self.facts {
            solver.add_clause(&frame.clause(fact));
        }
        for Definition { var, operands, clauses } in &self.definitions {
            let var = frame.at(var.positive()).var();
            let operands: Vec<Var> = operands.iter().map(|o| Var(o.0 + frame.offset)).collect();
            let clauses: Vec<Vec<Lit>> = clauses.iter().map(|c| frame.clause(c)).collect();
            let clauses: Vec<&[Lit]> = clauses.iter().map(Vec::as_slice).collect();
            solver.add_definition(var, &operands, &clauses);
        }
        frame
    }

    /// Adds the constraints: they hold at every position of a run.
    pub fn load_constraints(&self, solver: &mut dyn Solver) {
        for &constraint in &self.constraints {
            solver.add_clause(&[constraint]);
        }
    }

    /// Has latches tried with their reset values first. States of a frame that nothing forces away from there are closer to
    /// reachable ones, and fewer lemmas are about states that no run comes near.
    pub fn prefer_initial(&self, solver: &mut dyn Solver) {
        for &lit in &self.initial {
            solver.prefer(self.current(lit));
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

    /// The literal that says a latch of the cone has this value now.
    pub fn current(&self, lit: StateLit) -> Lit {
        let current = self.current[lit.latch()].expect("cubes are over latches of the cone");
        if lit.value() { current } else { !current }
    }

    /// The same for any latch; `None` outside the cone.
    pub fn find(&self, lit: StateLit) -> Option<Lit> {
        self.current[lit.latch()].map(|_| self.current(lit))
    }

    /// The literal that says a latch of the cone has this value in the next state.
    pub fn next(&self, lit: StateLit) -> Lit {
        let next = self.next[lit.latch()].expect("cubes are over latches that are asked for");
        if lit.value() { next } else { !next }
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

    /// Adds those of the constraints that are invariants.
    pub fn load_invariants(&self, solver: &mut dyn Solver) {
        for &invariant in &self.invariants {
            solver.add_clause(&[invariant]);
        }
    }

    pub fn properties(&self) -> usize {
        self.bad.len()
    }

    pub fn constraints(&self) -> &[Lit] {
        &self.constraints
    }

    /// The constraints that are no invariants.
    pub fn conditions(&self) -> impl Iterator<Item = Lit> {
        self.constraints.iter().copied().filter(|constraint| !self.invariants.contains(constraint))
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

    fn clause(self, clause: &[Lit]) -> Vec<Lit> {
        clause.iter().map(|&lit| self.at(lit)).collect()
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

/// The signals that judge a position of a run.
fn now_roots(circuit: &Circuit) -> Vec<Signal> {
    let bad = circuit.bad.iter().map(|bad| bad.signal);
    bad.chain(circuit.constraints.iter().copied()).chain([circuit.stop]).collect()
}

/// The nodes that the properties, constraints and `stop` depend on, through any number of steps.
fn cone_of_influence(circuit: &Circuit) -> Vec<bool> {
    let nodes = circuit.gates.nodes();
    let mut next_of = vec![None; nodes.len()];
    for latch in &circuit.latches {
        next_of[latch.signal.node()] = Some(latch.next);
    }
    let mut needed = vec![false; nodes.len()];
    let mut stack = now_roots(circuit);
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

/// A gate: its variable, its operands, and the clauses that define it.
#[derive(Clone, Debug)]
pub(super) struct Definition {
    pub var: Var,
    /// Sorted.
    pub operands: Vec<Var>,
    pub clauses: Vec<Vec<Lit>>,
}

/// Finds the gates in the clauses. They are encoded after their operands, each as it gets its variable, so
/// the newest variable of a clause is the one that it helps to define. Single clauses are facts.
fn definitions(cnf: &Cnf) -> (Vec<Definition>, Vec<Vec<Lit>>) {
    let clauses: Vec<Vec<Lit>> = cnf.clauses().map(<[Lit]>::to_vec).collect();
    let newest = |clause: &[Lit]| clause.iter().map(|lit| lit.var()).max();
    let (mut definitions, mut facts) = (Vec::new(), Vec::new());
    for gate in clauses.chunk_by(|a, b| newest(a) == newest(b)) {
        let Some(var) = newest(&gate[0]).filter(|_| gate.len() > 1) else {
            facts.extend_from_slice(gate);
            continue;
        };
        let mut operands: Vec<Var> = gate.iter().flatten().map(|lit| lit.var()).collect();
        operands.sort_unstable();
        operands.dedup();
        operands.retain(|&operand| operand != var);
        definitions.push(Definition { var, operands, clauses: gate.to_vec() });
    }
    (definitions, facts)
}
