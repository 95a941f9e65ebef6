//! Sets of states that are no conjunction of few clauses: functions of the latches.

use redoubt_circuit::aig::Node;
use redoubt_circuit::{Aig, Signal};

use super::{Interrupted, Invariant, StateLit, interruptible, satisfiable};
use crate::cnf::{Cnf, Lit, Literals, Polarity, Var, compact};
use crate::sat::{Backend, Solver};
use redoubt_base::Interrupt;

/// A graph over the latches of a circuit, with a signal that is true of the states in the set.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StateSet {
    gates: Aig,
    member: Signal,
}

impl StateSet {
    /// The states of which a signal is true, in a graph whose first leaves are the latches.
    pub fn new(latches: usize, gates: &Aig, member: Signal) -> StateSet {
        let mut set = StateSet { gates: over_latches(latches), member: Signal::FALSE };
        let leaves: Vec<Signal> = (0..latches).map(latch_leaf).collect();
        set.member = copy(gates, member, &leaves, &mut set.gates);
        set
    }

    /// Whether a state is in the set, as a signal of another graph, over the signals that the latches have there.
    pub fn build(&self, latches: &[Signal], gates: &mut Aig) -> Signal {
        copy(&self.gates, self.member, latches, gates)
    }

    /// The number of gates that define the set.
    pub fn gates(&self) -> usize {
        self.gates.gate_count()
    }

    /// The same set as clauses, if it has at most `most`: for readers that know nothing else.
    pub fn clauses(&self, most: usize, interrupt: &Interrupt) -> Option<Invariant> {
        let latches = self.gates.nodes().iter().filter(|node| matches!(node, Node::Leaf)).count();
        let mut outside = Outside::new(latches, &self.gates, self.member, interrupt);
        let mut clauses = Vec::new();
        while let Some(states) = outside.find().ok()? {
            if clauses.len() == most {
                return None;
            }
            let states = outside.shrink(states).ok()?;
            outside.block(&states);
            clauses.push(states.into_iter().map(|lit| !lit).collect());
        }
        Some(Invariant { clauses })
    }
}

/// The states that are not in a set of a graph over latches, cube by cube.
pub(crate) struct Outside {
    latches: usize,
    /// Has the states that are left.
    states: Box<dyn Solver>,
    outside: Lit,
    /// Has nothing but the set: says which literals of a state keep it out.
    reasons: Box<dyn Solver>,
    inside: Lit,
}

impl Outside {
    pub fn new(latches: usize, gates: &Aig, set: Signal, interrupt: &Interrupt) -> Outside {
        let solver = |set: Signal| {
            let mut solver = interruptible(Backend::Batsat, interrupt);
            (0..latches).for_each(|_| _ = solver.new_var());
            let latch = |latch| Some(literal(StateLit::new(latch, true)));
            let member = assumable(gates, set, latch, latches, solver.as_mut());
            (solver, member)
        };
        let ((states, outside), (reasons, inside)) = (solver(!set), solver(set));
        Outside { latches, states, outside, reasons, inside }
    }

    /// Leaves out the states of a cube.
    pub fn block(&mut self, cube: &[StateLit]) {
        let clause: Vec<Lit> = cube.iter().map(|&lit| !literal(lit)).collect();
        self.states.add_clause(&clause);
    }

    /// States that are left, as many as one reason keeps out of the set.
    pub fn find(&mut self) -> Result<Option<Vec<StateLit>>, Interrupted> {
        if !satisfiable(self.states.solve(&[self.outside]))? {
            return Ok(None);
        }
        let value = |latch| Some(StateLit::new(latch, self.states.value(literal(StateLit::new(latch, true)))?));
        let state: Vec<StateLit> = (0..self.latches).filter_map(value).collect();
        Ok(Some(self.reason(&state)?.expect("a state is inside a set or outside of it")))
    }

    /// A cube outside of the set with literals left out until none can be.
    fn shrink(&mut self, mut cube: Vec<StateLit>) -> Result<Vec<StateLit>, Interrupted> {
        for lit in cube.clone() {
            let rest: Vec<StateLit> = cube.iter().copied().filter(|&other| other != lit).collect();
            // A reason may have lost it already.
            if rest.len() < cube.len()
                && let Some(smaller) = self.reason(&rest)?
            {
                cube = smaller;
            }
        }
        Ok(cube)
    }

    /// Those of some literals that keep states out of the set, if they do.
    fn reason(&mut self, lits: &[StateLit]) -> Result<Option<Vec<StateLit>>, Interrupted> {
        let assumptions: Vec<Lit> = [self.inside].into_iter().chain(lits.iter().copied().map(literal)).collect();
        if satisfiable(self.reasons.solve(&assumptions))? {
            return Ok(None);
        }
        Ok(Some(lits.iter().copied().filter(|&lit| self.reasons.failed(literal(lit))).collect()))
    }
}

/// Here the variables are the latches.
fn literal(lit: StateLit) -> Lit {
    Var(lit.latch() as u32).literal(lit.value())
}

/// A graph with a leaf for each latch.
pub fn over_latches(latches: usize) -> Aig {
    let mut gates = Aig::default();
    (0..latches).for_each(|_| _ = gates.leaf());
    gates
}

/// The leaf of a latch in such a graph.
pub fn latch_leaf(latch: usize) -> Signal {
    Signal::from_node(latch + 1)
}

/// Copies a signal, with everything it depends on, into another graph, over other leaves.
fn copy(from: &Aig, root: Signal, leaves: &[Signal], to: &mut Aig) -> Signal {
    let needed = from.mark_cone([root]);
    let mut copied = vec![Signal::FALSE; from.nodes().len()];
    copied[1..=leaves.len()].copy_from_slice(leaves);
    for (index, node) in from.nodes().iter().enumerate() {
        if let Node::And(a, b) = *node
            && needed[index]
        {
            let at = |signal: Signal| copied[signal.node()].complement_if(signal.is_complemented());
            let (a, b) = (at(a), at(b));
            copied[index] = to.and(a, b);
        }
    }
    copied[root.node()].complement_if(root.is_complemented())
}

/// Adds the clauses needed to assume a signal of a graph over latches; `latch` has their literals. `variables` is how
/// many the solver has.
pub fn assumable(
    gates: &Aig,
    root: Signal,
    latch: impl Fn(usize) -> Option<Lit>,
    latches: usize,
    solver: &mut dyn Solver,
) -> Lit {
    // The next variable of the solver is the first of those that the encoding will add.
    let first = solver.new_var();
    let mut cnf = Cnf::default();
    cnf.new_vars(first.index() + 1);
    let mut literals = Literals::new(gates);
    for (index, lit) in (0..latches).filter_map(|index| latch(index).map(|lit| (index, lit))) {
        literals.set(latch_leaf(index), lit);
    }
    compact::encode(gates, &[(root, Polarity::POSITIVE)], &mut literals, &mut cnf);
    (first.index() + 1..cnf.variables()).for_each(|_| _ = solver.new_var());
    cnf.clauses().for_each(|clause| solver.add_clause(clause));
    literals.get(root).expect("a root has a literal")
}

#[cfg(test)]
mod tests {
    use super::*;
    use redoubt_circuit::random::Random;

    const LATCHES: usize = 7;

    /// A random function of latches.
    fn set(random: &mut Random) -> StateSet {
        let mut gates = over_latches(LATCHES);
        let mut signals: Vec<Signal> = (0..LATCHES).map(latch_leaf).collect();
        for _ in 0..12 {
            let (a, b) = (random.pick(&signals), random.pick(&signals));
            let (a, b) = (a.complement_if(random.below(2) == 0), b.complement_if(random.below(2) == 0));
            signals.push(gates.and(a, b));
        }
        let member = signals[signals.len() - 1].complement_if(random.below(2) == 0);
        StateSet::new(LATCHES, &gates, member)
    }

    #[test]
    fn clauses_say_the_same() {
        let mut most = 0;
        for seed in 0..300 {
            let set = set(&mut Random::new(seed));
            let Invariant { clauses } = set.clauses(usize::MAX, &Interrupt::default()).expect("nobody interrupts");
            for state in 0..1usize << LATCHES {
                let value = |latch: usize| state >> latch & 1 == 1;
                let is_in = set.gates.evaluate(|node| if value(node - 1) { !0 } else { 0 }).bit(set.member);
                let satisfies = |clause: &Vec<StateLit>| clause.iter().any(|lit| value(lit.latch()) == lit.value());
                assert_eq!(clauses.iter().all(satisfies), is_in, "seed {seed}, state {state:b}");
            }
            most = most.max(clauses.len());
            let fewer = clauses.len().checked_sub(1);
            assert!(fewer.is_none_or(|fewer| set.clauses(fewer, &Interrupt::default()).is_none()), "seed {seed}");
        }
        assert!(most > 5, "{most} clauses at most");
    }
}
