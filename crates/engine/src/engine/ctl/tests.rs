//! Formulas on random circuits, against the definition: positions one by one, and runs as walks on their graph.

use redoubt_base::{Interrupt, Limits};
use redoubt_circuit::random::Random;
use redoubt_circuit::{Circuit, Reset, Signal};

use super::explain::{Explanation, Position};
use super::{Checker, CtlVerdict, Formula, Path, check};
use crate::engine::bdd::diagrams::{Bounds, Function};
use crate::engine::bdd::model::Order;

/// All positions of a circuit and the steps between them.
pub struct Graph<'c> {
    circuit: &'c Circuit,
    pub positions: Vec<Position>,
    pub successors: Vec<Vec<usize>>,
    fairness: Vec<Vec<bool>>,
    pub fair: Vec<bool>,
    /// By latch: whether the formula depends on it.
    pub matters: Vec<bool>,
}

fn bits(number: usize, count: usize) -> Vec<bool> {
    (0..count).map(|bit| number >> bit & 1 == 1).collect()
}

/// The value of a signal at a position.
fn value(circuit: &Circuit, position: &Position, signal: Signal) -> bool {
    let mut leaves = vec![0; circuit.gates.nodes().len()];
    let set = |leaves: &mut Vec<u64>, signal: Signal, value: bool| leaves[signal.node()] = if value { !0 } else { 0 };
    circuit.latches.iter().zip(&position.state).for_each(|(latch, &value)| set(&mut leaves, latch.signal, value));
    circuit.inputs.iter().zip(&position.inputs).for_each(|(input, &value)| set(&mut leaves, input.signal, value));
    circuit.gates.evaluate(|node| leaves[node]).bit(signal)
}

impl<'c> Graph<'c> {
    pub fn new(circuit: &'c Circuit, fairness: &[Signal]) -> Graph<'c> {
        let (latches, inputs) = (circuit.latches.len(), circuit.inputs.len());
        let all = (0..1 << latches).flat_map(|state| (0..1 << inputs).map(move |input| (state, input)));
        let position = |(state, input)| Position { state: bits(state, latches), inputs: bits(input, inputs) };
        let positions: Vec<Position> = all.map(position).collect();
        let holds = |position: &Position, signal| value(circuit, position, signal);
        let going = |position: &Position| {
            circuit.constraints.iter().all(|&constraint| holds(position, constraint)) && !holds(position, circuit.stop)
        };
        let goes: Vec<bool> = positions.iter().map(going).collect();
        let after = |(index, position): (usize, &Position)| -> Vec<usize> {
            let next: Vec<bool> = circuit.latches.iter().map(|latch| holds(position, latch.next)).collect();
            let fits = |&other: &usize| goes[index] && goes[other] && positions[other].state == next;
            (0..positions.len()).filter(fits).collect()
        };
        let successors = positions.iter().enumerate().map(after).collect();
        let of_signal = |&signal: &Signal| positions.iter().map(|position| holds(position, signal)).collect();
        let fairness: Vec<Vec<bool>> = fairness.iter().map(of_signal).collect();
        let (fair, matters) = (vec![true; positions.len()], vec![]);
        let mut graph = Graph { circuit, successors, fairness, fair, matters, positions };
        graph.fair = graph.globally(&vec![true; graph.positions.len()]);
        graph
    }

    /// The positions that a walk of one step or more leads to, within a set.
    fn reach(&self, from: usize, within: &[bool]) -> Vec<bool> {
        let mut seen = vec![false; self.positions.len()];
        let mut pending = vec![from];
        while let Some(position) = pending.pop() {
            for &next in self.successors[position].iter().filter(|&&next| within[next]) {
                if !std::mem::replace(&mut seen[next], true) {
                    pending.push(next);
                }
            }
        }
        seen
    }

    /// Where a walk without end begins that stays in a set and is fair: there is a loop ahead that has all signals.
    fn globally(&self, within: &[bool]) -> Vec<bool> {
        let all = 0..self.positions.len();
        let reach: Vec<Vec<bool>> = all.clone().map(|from| self.reach(from, within)).collect();
        let is_loop = |at: usize| {
            let around = |seen: &Vec<bool>| all.clone().any(|to| seen[to] && reach[at][to] && reach[to][at]);
            within[at] && reach[at][at] && self.fairness.iter().all(around)
        };
        let loops: Vec<usize> = all.clone().filter(|&at| is_loop(at)).collect();
        all.clone().map(|from| within[from] && loops.iter().any(|&at| at == from || reach[from][at])).collect()
    }

    fn until(&self, a: &[bool], b: &[bool]) -> Vec<bool> {
        let mut all: Vec<bool> = b.iter().zip(&self.fair).map(|(&b, &fair)| b && fair).collect();
        while let Some(more) =
            (0..all.len()).find(|&at| !all[at] && a[at] && self.successors[at].iter().any(|&next| all[next]))
        {
            all[more] = true;
        }
        all
    }

    /// By position: whether the formula holds. Only fair ones count.
    pub fn evaluate(&self, formula: &Formula) -> Vec<bool> {
        let not = |set: Vec<bool>| -> Vec<bool> { set.into_iter().map(|value| !value).collect() };
        let zip = |a: Vec<bool>, b: Vec<bool>, join: fn(bool, bool) -> bool| -> Vec<bool> {
            a.into_iter().zip(b).map(|(a, b)| join(a, b)).collect()
        };
        let all = || vec![true; self.positions.len()];
        match formula {
            Formula::Constant(value) => vec![*value; self.positions.len()],
            Formula::Atom(signal) => self.positions.iter().map(|p| value(self.circuit, p, *signal)).collect(),
            Formula::Not(inner) => not(self.evaluate(inner)),
            Formula::And(a, b) => zip(self.evaluate(a), self.evaluate(b), |a, b| a && b),
            Formula::Or(a, b) => zip(self.evaluate(a), self.evaluate(b), |a, b| a || b),
            Formula::Exists(Path::Next(inner)) => {
                let inner = self.evaluate(inner);
                let some = |next: &Vec<usize>| next.iter().any(|&next| inner[next] && self.fair[next]);
                self.successors.iter().map(some).collect()
            }
            Formula::Exists(Path::Finally(inner)) => self.until(&all(), &self.evaluate(inner)),
            Formula::Exists(Path::Globally(inner)) => self.globally(&self.evaluate(inner)),
            Formula::Exists(Path::Until(a, b)) => self.until(&self.evaluate(a), &self.evaluate(b)),
            Formula::All(Path::Next(inner)) => {
                let inner = self.evaluate(inner);
                let every = |next: &Vec<usize>| next.iter().all(|&next| inner[next] || !self.fair[next]);
                self.successors.iter().map(every).collect()
            }
            Formula::All(Path::Finally(inner)) => not(self.globally(&not(self.evaluate(inner)))),
            Formula::All(Path::Globally(inner)) => {
                let inner = self.evaluate(inner);
                let ahead = |from: usize| self.reach(from, &all());
                let every = |from: usize| {
                    inner[from]
                        && ahead(from).iter().enumerate().all(|(to, &seen)| !seen || inner[to] || !self.fair[to])
                };
                (0..self.positions.len()).map(every).collect()
            }
            Formula::All(Path::Until(a, b)) => {
                let (not_a, not_b) = (not(self.evaluate(a)), not(self.evaluate(b)));
                let neither = zip(not_a, not_b.clone(), |a, b| a && b);
                let broken = zip(self.until(&not_b, &neither), self.globally(&not_b), |a, b| a || b);
                not(broken)
            }
        }
    }

    /// Whether two positions differ only in latches that do not matter.
    fn is_like(&self, a: usize, b: usize) -> bool {
        let (a, b) = (&self.positions[a], &self.positions[b]);
        let states = a.state.iter().zip(&b.state).zip(&self.matters);
        a.inputs == b.inputs && states.into_iter().all(|((a, b), &matters)| a == b || !matters)
    }

    fn index(&self, position: &Position) -> usize {
        self.positions.iter().position(|other| other == position).expect("a position of the circuit")
    }

    /// Checks that an explanation shows a formula, or its negation, at its first position.
    pub fn check(&self, explanation: &Explanation, formula: &Formula, negated: bool) {
        let is_true = |signal: &Signal, position: &Position| value(self.circuit, position, *signal);
        assert!(explanation.shows(formula, negated, &is_true).is_some(), "it shows {formula:?}");
        let run: Vec<usize> = explanation.run.iter().map(|position| self.index(position)).collect();
        let holds = |formula: &Formula, negated: bool, at: usize| self.evaluate(formula)[at] != negated;
        assert!(holds(formula, negated, run[0]), "it does not hold where it begins");
        for pair in run.windows(2) {
            assert!(self.successors[pair[0]].contains(&pair[1]), "not a step");
        }
        if let Some(first) = explanation.repeats_from {
            let closes = |&next: &usize| self.is_like(next, run[first]);
            assert!(self.successors[run[run.len() - 1]].iter().any(closes), "not a loop");
            let sees = |seen: &Vec<bool>| run[first..].iter().any(|&at| seen[at]);
            assert!(self.fairness.iter().all(sees), "the loop is not fair");
        }
        let path = match (formula, negated) {
            (Formula::Not(inner), _) => return self.check(explanation, inner, !negated),
            (Formula::And(a, b) | Formula::Or(a, b), _) => {
                for (at, reason) in &explanation.because {
                    assert_eq!(*at, 0);
                    let fits = |part: &Formula| self.shows(reason, part, negated);
                    assert!(fits(a) || fits(b), "a reason for neither part");
                }
                return;
            }
            (Formula::Exists(path), false) => (path.clone(), false),
            (Formula::All(Path::Next(inner)), true) => (Path::Next(inner.clone()), true),
            (Formula::All(Path::Finally(inner)), true) => (Path::Globally(inner.clone()), true),
            (Formula::All(Path::Globally(inner)), true) => (Path::Finally(inner.clone()), true),
            (Formula::All(Path::Until(a, b)), true) if explanation.repeats_from.is_none() => {
                let neither = Formula::And(Box::new(a.clone().negated()), Box::new(b.clone().negated()));
                (Path::Until(Box::new(b.clone().negated()), Box::new(neither)), false)
            }
            (Formula::All(Path::Until(_, b)), true) => (Path::Globally(b.clone()), true),
            _ => return assert_eq!(run.len(), 1, "a leaf"),
        };
        let last = run.len() - 1;
        let at = |index: usize| -> Option<(&Formula, bool)> {
            match &path {
                (Path::Next(inner) | Path::Finally(inner), negated) => {
                    (index == last).then_some((inner.as_ref(), *negated))
                }
                (Path::Globally(inner), negated) => Some((inner.as_ref(), *negated)),
                (Path::Until(a, b), _) => Some((if index == last { b.as_ref() } else { a.as_ref() }, false)),
            }
        };
        assert!(!matches!(path.0, Path::Next(_)) || run.len() == 2);
        assert_eq!(matches!(path.0, Path::Globally(_)), explanation.repeats_from.is_some());
        for (index, &position) in run.iter().enumerate() {
            if let Some((formula, negated)) = at(index) {
                assert!(holds(formula, negated, position), "position {index} is not as it should be");
            }
        }
        for (index, reason) in &explanation.because {
            let (formula, negated) = at(*index).expect("a reason for something");
            assert_eq!(self.index(&reason.run[0]), run[*index]);
            self.check(reason, formula, negated);
        }
    }

    /// Whether an explanation is about this formula; whether it is a good one is checked then.
    fn shows(&self, explanation: &Explanation, formula: &Formula, negated: bool) -> bool {
        if self.evaluate(formula)[self.index(&explanation.run[0])] == negated {
            return false;
        }
        std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| self.check(explanation, formula, negated))).is_ok()
    }
}

pub fn formula(random: &mut Random, signals: &[Signal], depth: usize) -> Formula {
    if depth == 0 || random.below(8) == 0 {
        return Formula::Atom(random.pick(signals));
    }
    let mut inner = || Box::new(formula(random, signals, depth - 1));
    let (a, b) = (inner(), inner());
    let choice = random.below(11);
    let path = match choice % 4 {
        0 => Path::Next(a.clone()),
        1 => Path::Finally(a.clone()),
        2 => Path::Globally(a.clone()),
        _ => Path::Until(a.clone(), b.clone()),
    };
    match choice {
        0..4 => Formula::Exists(path),
        4..8 => Formula::All(path),
        8 => Formula::Not(a),
        9 => Formula::And(a, b),
        _ => Formula::Or(a, b),
    }
}

pub fn is_first(circuit: &Circuit, position: &Position) -> bool {
    let fits = |(latch, &value): (&redoubt_circuit::Latch, &bool)| match latch.reset {
        Reset::Zero => !value,
        Reset::One => value,
        Reset::Free => true,
    };
    circuit.latches.iter().zip(&position.state).all(fits)
}

#[test]
fn formulas_hold_where_their_definition_says() {
    let (mut holding, mut violated, mut trees) = (0, 0, 0);
    for seed in 0..400 {
        let random = &mut Random::new(seed);
        let mut circuit = random.circuit(1 + seed as usize % 3, seed as usize % 3, 12);
        // Most random constraints leave few runs.
        let kept = random.below(3).saturating_sub(1);
        circuit.constraints.truncate(kept);
        if random.below(3) > 0 {
            circuit.stop = Signal::FALSE;
        }
        let latches = circuit.latches.iter().map(|latch| latch.signal);
        let inputs = circuit.inputs.iter().map(|input| input.signal);
        let bad = circuit.bad.iter().map(|bad| bad.signal);
        let signals: Vec<Signal> = latches.chain(inputs).chain(bad).collect();
        let fairness: Vec<Signal> = (0..random.below(3)).map(|_| random.pick(&signals)).collect();
        let mut graph = Graph::new(&circuit, &fairness);
        for _ in 0..8 {
            let formula = formula(random, &signals, 3);
            let truth = graph.evaluate(&formula);
            let limits = Limits::default();
            let order = Order::ALL[random.below(2)];
            let mut checker = Checker::new(&circuit, &[&formula], &fairness, order, Bounds::nodes(1 << 20), &limits)
                .expect("it fits");
            graph.matters = checker.model.matters();
            let holds = checker.evaluate(&formula).expect("it fits");
            for (index, position) in graph.positions.iter().enumerate().filter(|&(index, _)| graph.fair[index]) {
                let here = checker.model.position(&position.state, &position.inputs).expect("it fits");
                let is_in = checker.model.diagrams.and(here, holds).expect("it fits") != Function::FALSE;
                assert_eq!(is_in, truth[index], "{formula:?} at {position:?}");
            }
            let firsts = (0..truth.len()).filter(|&at| graph.fair[at] && is_first(&circuit, &graph.positions[at]));
            let expected = firsts.clone().all(|at| truth[at]);
            match check(&circuit, &formula, &fairness, &limits).0 {
                CtlVerdict::Holds => {
                    assert!(expected, "{formula:?} holds");
                    holding += 1;
                }
                CtlVerdict::Violated(reason) => {
                    assert!(!expected, "{formula:?} is violated");
                    assert!(is_first(&circuit, &reason.run[0]));
                    graph.check(&reason, &formula, true);
                    violated += 1;
                    trees += usize::from(!reason.because.is_empty());
                }
                CtlVerdict::Open => panic!("it fits"),
            }
        }
    }
    println!("{holding} hold, {violated} are violated, {trees} for reasons that have reasons");
    assert!(holding > 500 && violated > 500 && trees > 100);
}

/// A latch that can be set and never cleared: it cannot be reset, and a run to where it is set says so.
#[test]
fn what_cannot_be_reset_is_found() {
    let mut circuit = Circuit::default();
    let (set, clear) = (circuit.add_input("set"), circuit.add_input("clear"));
    let latch = circuit.add_latch("busy", Reset::Zero);
    circuit.latches[0].next = circuit.gates.or(latch, set);
    let idle = Formula::Atom(!latch);
    let limits = Limits::default();
    let (verdict, _) = check(&circuit, &Formula::resettable(idle.clone()), &[], &limits);
    let CtlVerdict::Violated(reason) = verdict else { panic!("{verdict:?}") };
    assert_eq!(reason.run.last().map(|position| position.state.clone()), Some(vec![true]));
    circuit.latches[0].next = circuit.gates.and(circuit.latches[0].next, !clear);
    assert_eq!(check(&circuit, &Formula::resettable(idle), &[], &limits).0, CtlVerdict::Holds);
}

#[test]
fn an_interrupted_check_leaves_the_formula_open() {
    let interrupt = Interrupt::default();
    interrupt.raise();
    let limits = Limits { interrupt, ..Limits::default() };
    assert_eq!(check(&Circuit::default(), &Formula::Atom(Signal::TRUE), &[], &limits).0, CtlVerdict::Open);
}
