//! The graph of one or two positions and the part of it that a solver has.

use crate::cnf::{Lit, Var};
use crate::sat::{Answer, Backend, Solver};
use redoubt_base::Interrupt;
use redoubt_base::Random;
use redoubt_circuit::aig::Node;
use redoubt_circuit::simulate::Values;
use redoubt_circuit::{Aig, Signal};

/// Conflicts to spend on one question; a candidate that takes more is given up.
const CONFLICTS: u64 = 200;

pub struct Graph {
    pub gates: Aig,
    solver: Box<dyn Solver>,
    /// By node of `gates`, as far as the solver knows them.
    vars: Vec<Var>,
    random: Random,
    /// Propagations that have not been accounted for.
    spent: u64,
}

impl Graph {
    pub fn new(interrupt: &Interrupt) -> Graph {
        let mut solver = Backend::Cone.solver();
        solver.set_interrupt(interrupt.clone());
        solver.limit_conflicts(CONFLICTS);
        Graph { gates: Aig::default(), solver, vars: Vec::new(), random: Random::new(2), spent: 0 }
    }

    /// This signal is true from now on.
    pub fn assume(&mut self, signal: Signal) {
        let lit = self.lit(signal);
        self.solver.add_clause(&[lit]);
    }

    /// These two are equal from now on.
    pub fn equate(&mut self, a: Signal, b: Signal) {
        let (a, b) = (self.lit(a), self.lit(b));
        self.solver.add_clause(&[!a, b]);
        self.solver.add_clause(&[a, !b]);
    }

    /// The solver's literal for a signal; new gates are told to it.
    fn lit(&mut self, signal: Signal) -> Lit {
        for index in self.vars.len()..self.gates.nodes().len() {
            let var = self.solver.new_var();
            self.vars.push(var);
            match self.gates.nodes()[index] {
                Node::False => self.solver.add_clause(&[var.negative()]),
                Node::Leaf => {}
                Node::And(a, b) => {
                    let at = |signal: Signal| self.vars[signal.node()].literal(!signal.is_complemented());
                    let (gate, a, b) = (var.positive(), at(a), at(b));
                    let clauses: [&[Lit]; 3] = [&[!gate, a], &[!gate, b], &[gate, !a, !b]];
                    self.solver.add_definition(var, &[a.var(), b.var()], &clauses);
                }
            }
        }
        self.vars[signal.node()].literal(!signal.is_complemented())
    }

    /// Can these two differ?
    pub fn differ(&mut self, a: Signal, b: Signal) -> Answer {
        let (a, b) = (self.lit(a), self.lit(b));
        let before = self.solver.statistics().propagations;
        let mut answer = self.solver.solve(&[a, !b]);
        if answer == Answer::Unsatisfiable {
            answer = self.solver.solve(&[!a, b]);
        }
        // Every call costs something, however little there is to propagate.
        self.spent += self.solver.statistics().propagations - before + 50;
        answer
    }

    pub fn take_spent(&mut self) -> u64 {
        std::mem::take(&mut self.spent)
    }

    /// All values of the graph: the first pattern is the solver's model, the others differ from it in a few leaves.
    pub fn near_model(&mut self) -> Values {
        let Graph { gates, vars, solver, random, .. } = self;
        gates.evaluate(|leaf| {
            let value = vars.get(leaf).and_then(|var| solver.value(var.positive()));
            let few = random.bits() & random.bits() & random.bits() & !1;
            (if value == Some(true) { u64::MAX } else { 0 }) ^ few
        })
    }
}
