//! All runs of a small model, and whether one of them is fair and violates a formula: by guessing at each position which
//! parts of the formula are true from there on (Lichtenstein and Pnueli, "Checking that finite state concurrent programs satisfy
//! their linear specification", 1985), and looking for a fair strongly connected set of positions.

use std::collections::HashMap;

use redoubt_program::program::Program;
use redoubt_program::simulate::{Simulator, State};

use super::branching;
use super::generate::{Atom, Formula, Model};

/// The positions of the runs of a model.
pub struct Graph {
    /// The moment of each position, and the next position.
    positions: Vec<(Moment, usize)>,
    /// The positions that leave each state.
    leaving: Vec<Vec<usize>>,
    /// Before the first step, and those in which runs go on from there.
    initial: Vec<(Moment, usize)>,
    fairness: Vec<(Atom, Option<Atom>)>,
}

/// The visible values at a position: by name, before the step, in it, and after it.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Default)]
struct Moment {
    before: Vec<i32>,
    inputs: Vec<i32>,
    after: Vec<i32>,
}

const TRUTHS: [&str; 4] = ["x", "y", "t", "e"];

impl Atom {
    fn is_true(self, moment: &Moment) -> bool {
        let truth = |values: &[i32], name| values[TRUTHS.iter().position(|other| *other == name).expect("known")] == 1;
        let input = |name| moment.inputs[usize::from(name == "j")] == 1;
        match self {
            Atom::Truth(name) => truth(&moment.after, name),
            Atom::Before(name) => truth(&moment.before, name),
            Atom::Number(value) => moment.after[TRUTHS.len()] == value,
            Atom::Input(name) => input(name),
            Atom::NoInput(name) => !input(name),
        }
    }
}

impl Graph {
    /// The runs of a model, if it has no more states than that.
    pub fn of(program: &Program, model: &Model, most: usize) -> Option<Graph> {
        let place =
            |name: &str| program.variables.iter().position(|variable| variable.name == name).expect("it is there");
        let places: Vec<usize> = TRUTHS.iter().copied().chain(["n"]).map(place).collect();
        let seen = |state: &State| places.iter().map(|&place| state.variables[place]).collect::<Vec<i32>>();
        let inputs = |name: &str| program.inputs.iter().position(|input| input.name == name).expect("it is there");
        let named = [inputs("i"), inputs("j")];
        let mut combinations = vec![vec![]];
        for input in &program.inputs {
            let values: Vec<i32> = input.alphabet.iter().collect();
            let extend =
                |before: &Vec<i32>| values.iter().map(|&value| [&before[..], &[value]].concat()).collect::<Vec<_>>();
            combinations = combinations.iter().flat_map(extend).collect();
        }
        let mut simulator = Simulator::new(program);
        let is_open = program.legend.as_ref().is_some_and(|legend| legend.started.is_some());
        // Locals carry nothing from step to step.
        let essence = |state: &State| {
            let global = |(index, value): (usize, &i32)| {
                let is_global = program.variables[index].scope == redoubt_program::program::Scope::Global;
                if is_global { *value } else { 0 }
            };
            state.variables.iter().enumerate().map(global).collect::<Vec<i32>>()
        };
        let mut states: Vec<State> = vec![];
        let mut numbers: HashMap<Vec<i32>, usize> = HashMap::new();
        let mut number = |state: &State, states: &mut Vec<State>| {
            *numbers.entry(essence(state)).or_insert_with(|| {
                states.push(state.clone());
                states.len() - 1
            })
        };
        let mut initial = vec![];
        let first = simulator.state().clone();
        if simulator.end().is_none() && !is_open {
            let moment = Moment { after: seen(&first), ..Moment::default() };
            initial.push((moment, number(&first, &mut states)));
        }
        for inputs in combinations.iter().filter(|_| is_open) {
            simulator.restore(first.clone());
            if simulator.step(inputs).end.is_none() {
                let moment = Moment { after: seen(simulator.state()), ..Moment::default() };
                let entry = (moment, number(simulator.state(), &mut states));
                if !initial.contains(&entry) {
                    initial.push(entry);
                }
            }
        }
        let (mut positions, mut leaving) = (vec![], vec![]);
        while leaving.len() < states.len() {
            if states.len() > most {
                return None;
            }
            let here = states[leaving.len()].clone();
            let begin = positions.len();
            for inputs in &combinations {
                simulator.restore(here.clone());
                if simulator.step(inputs).end.is_some() {
                    continue;
                }
                let moment = Moment {
                    before: seen(&here),
                    inputs: named.iter().map(|&place| inputs[place]).collect(),
                    after: seen(simulator.state()),
                };
                let entry = (moment, number(simulator.state(), &mut states));
                if !positions[begin..].contains(&entry) {
                    positions.push(entry);
                }
            }
            leaving.push((begin..positions.len()).collect());
        }
        Some(Graph { positions, leaving, initial, fairness: model.fairness.clone() })
    }

    /// Whether a fair run violates a formula; `None` if that takes too many guesses.
    pub fn has_violation(&self, formula: &Formula) -> Option<bool> {
        let mut core = Core::default();
        let root = core.add(formula);
        if core.guesses > 7 {
            return None;
        }
        let search = Search { graph: self, core: &core };
        Some(search.find(root, !formula.is_of_steps()))
    }
}

/// Formulas of branching time, by their definitions: the positions of the graph, and behind them the initial ones.
impl Graph {
    /// Whether all first positions from which a fair run goes on satisfy a formula.
    pub fn satisfies(&self, formula: &branching::Formula) -> bool {
        let is_true = self.where_true(formula);
        let fair = self.globally(&vec![true; is_true.len()]);
        let first: Vec<usize> = match formula.is_of_steps() {
            true => self.initial.iter().flat_map(|(_, state)| self.leaving[*state].iter().copied()).collect(),
            false => (self.positions.len()..is_true.len()).collect(),
        };
        first.into_iter().all(|position| !fair[position] || is_true[position])
    }

    fn moment(&self, position: usize) -> &(Moment, usize) {
        let steps = self.positions.len();
        if position < steps { &self.positions[position] } else { &self.initial[position - steps] }
    }

    fn next(&self, position: usize) -> &[usize] {
        &self.leaving[self.moment(position).1]
    }

    fn where_true(&self, formula: &branching::Formula) -> Vec<bool> {
        use branching::Formula;
        let all = self.positions.len() + self.initial.len();
        let each = |is_so: &dyn Fn(usize) -> bool| (0..all).map(is_so).collect::<Vec<bool>>();
        let not = |values: Vec<bool>| values.into_iter().map(|value| !value).collect::<Vec<bool>>();
        match formula {
            // The initial state has no inputs, and formulas do not ask for them there.
            Formula::Atom(atom) => {
                each(&|at| !(at >= self.positions.len() && atom.is_of_a_step()) && atom.is_true(&self.moment(at).0))
            }
            Formula::Not(a) => not(self.where_true(a)),
            Formula::Join(word, a, b) => {
                let (a, b) = (self.where_true(a), self.where_true(b));
                each(&|at| match *word {
                    "&&" => a[at] && b[at],
                    "||" => a[at] || b[at],
                    "->" => !a[at] || b[at],
                    _ => a[at] == b[at],
                })
            }
            Formula::Path(word, a) => {
                let a = self.where_true(a);
                let yes = vec![true; all];
                match *word {
                    "EX" => self.before(&a),
                    "EF" => self.until(&yes, &a),
                    "EG" => self.globally(&a),
                    "AX" => not(self.before(&not(a))),
                    "AF" => not(self.globally(&not(a))),
                    _ => not(self.until(&yes, &not(a))),
                }
            }
            Formula::Until(word, a, b) => {
                let (a, b) = (self.where_true(a), self.where_true(b));
                if *word == "EU" {
                    return self.until(&a, &b);
                }
                let neither = each(&|at| !a[at] && !b[at]);
                let (broken, never) = (self.until(&not(b.clone()), &neither), self.globally(&not(b)));
                each(&|at| !broken[at] && !never[at])
            }
        }
    }

    fn before(&self, target: &[bool]) -> Vec<bool> {
        let fair = self.globally(&vec![true; target.len()]);
        (0..target.len()).map(|at| self.next(at).iter().any(|&next| target[next] && fair[next])).collect()
    }

    fn until(&self, hold: &[bool], goal: &[bool]) -> Vec<bool> {
        let fair = self.globally(&vec![true; goal.len()]);
        let mut found: Vec<bool> = goal.iter().zip(&fair).map(|(&goal, &fair)| goal && fair).collect();
        self.grow(&mut found, hold);
        found
    }

    /// Adds what leads to a set through others.
    fn grow(&self, set: &mut [bool], through: &[bool]) {
        loop {
            let more =
                (0..set.len()).find(|&at| !set[at] && through[at] && self.next(at).iter().any(|&next| set[next]));
            match more {
                Some(at) => set[at] = true,
                None => return,
            }
        }
    }

    /// Where a fair run begins on which something stays true.
    fn globally(&self, stays: &[bool]) -> Vec<bool> {
        let node = |at| Node { position: at, values: vec![], next: self.next(at).to_vec() };
        let nodes: Vec<Node> = (0..stays.len()).map(node).collect();
        let among: Vec<usize> = (0..stays.len()).filter(|&at| stays[at]).collect();
        let mut found = vec![false; stays.len()];
        for part in components(&nodes, &among) {
            let recurs = |atom: Atom| part.iter().any(|&at| atom.is_true(&self.moment(at).0));
            if self.fairness.iter().all(|&(atom, _)| recurs(atom)) {
                part.iter().for_each(|&at| found[at] = true);
            }
        }
        self.grow(&mut found, stays);
        found
    }
}

/// A formula in few operators, its parts before it.
#[derive(Default)]
struct Core {
    parts: Vec<Part>,
    /// The number of parts with a guessed value.
    guesses: usize,
}

#[derive(Clone, Copy)]
enum Part {
    Atom(Atom),
    Not(usize),
    And(usize, usize),
    /// Whether a part is true at the next position: a guess, by its number.
    Next(usize, usize),
    /// The second, or the first and this again at the next position: a guess.
    Until(usize, usize, usize),
    True,
}

impl Core {
    fn push(&mut self, part: Part) -> usize {
        self.parts.push(part);
        self.parts.len() - 1
    }

    fn not(&mut self, a: usize) -> usize {
        self.push(Part::Not(a))
    }

    fn and(&mut self, a: usize, b: usize) -> usize {
        self.push(Part::And(a, b))
    }

    fn or(&mut self, a: usize, b: usize) -> usize {
        let (a, b) = (self.not(a), self.not(b));
        let neither = self.and(a, b);
        self.not(neither)
    }

    fn next(&mut self, a: usize) -> usize {
        self.guesses += 1;
        self.push(Part::Next(a, self.guesses - 1))
    }

    fn until(&mut self, a: usize, b: usize) -> usize {
        self.guesses += 1;
        self.push(Part::Until(a, b, self.guesses - 1))
    }

    fn eventually(&mut self, a: usize) -> usize {
        let yes = self.push(Part::True);
        self.until(yes, a)
    }

    fn always(&mut self, a: usize) -> usize {
        let fails = self.not(a);
        let fails = self.eventually(fails);
        self.not(fails)
    }

    /// The second within some steps, and the first until then.
    fn bounded(&mut self, hold: Option<usize>, goal: usize, steps: usize) -> usize {
        if steps == 0 {
            return goal;
        }
        let later = self.bounded(hold, goal, steps - 1);
        let later = self.next(later);
        let later = hold.map_or(later, |hold| self.and(hold, later));
        self.or(goal, later)
    }

    fn add(&mut self, formula: &Formula) -> usize {
        let pair = |this: &mut Core, a: &Formula, b: &Formula| (this.add(a), this.add(b));
        match formula {
            Formula::Atom(atom) => self.push(Part::Atom(*atom)),
            Formula::Not(a) => {
                let a = self.add(a);
                self.not(a)
            }
            Formula::And(a, b) => {
                let (a, b) = pair(self, a, b);
                self.and(a, b)
            }
            Formula::Or(a, b) => {
                let (a, b) = pair(self, a, b);
                self.or(a, b)
            }
            Formula::Implies(a, b) => {
                let (a, b) = pair(self, a, b);
                let fails = self.not(a);
                self.or(fails, b)
            }
            Formula::Iff(a, b) => {
                let (a, b) = pair(self, a, b);
                let both = self.and(a, b);
                let (a, b) = (self.not(a), self.not(b));
                let neither = self.and(a, b);
                self.or(both, neither)
            }
            Formula::Next(a) => {
                let a = self.add(a);
                self.next(a)
            }
            Formula::Always(a) => {
                let a = self.add(a);
                self.always(a)
            }
            Formula::Never(a) => {
                let a = self.add(a);
                let fails = self.eventually(a);
                self.not(fails)
            }
            Formula::Eventually(a) => {
                let a = self.add(a);
                self.eventually(a)
            }
            Formula::InfinitelyOften(a) => {
                let a = self.add(a);
                let again = self.eventually(a);
                self.always(again)
            }
            Formula::Until(a, b) => {
                let (a, b) = pair(self, a, b);
                self.until(a, b)
            }
            Formula::LeadsTo(a, b) => {
                let (a, b) = pair(self, a, b);
                let later = self.eventually(b);
                let fails = self.not(a);
                let one = self.or(fails, later);
                self.always(one)
            }
            Formula::Within(a, steps) => {
                let a = self.add(a);
                self.bounded(None, a, *steps)
            }
            Formula::UntilWithin(a, b, steps) => {
                let (a, b) = pair(self, a, b);
                self.bounded(Some(a), b, *steps)
            }
            Formula::LeadsToWithin(a, b, steps) => {
                let (a, b) = pair(self, a, b);
                let later = self.bounded(None, b, *steps);
                let fails = self.not(a);
                let one = self.or(fails, later);
                self.always(one)
            }
        }
    }

    /// The values of all parts at a moment, with these guesses about the next one.
    fn values(&self, moment: &Moment, guess: u32) -> Vec<bool> {
        let mut values: Vec<bool> = vec![];
        for part in &self.parts {
            values.push(match *part {
                Part::Atom(atom) => atom.is_true(moment),
                Part::Not(a) => !values[a],
                Part::And(a, b) => values[a] && values[b],
                Part::Next(_, number) => guess >> number & 1 == 1,
                Part::Until(a, b, number) => values[b] || (values[a] && guess >> number & 1 == 1),
                Part::True => true,
            });
        }
        values
    }

    /// Whether guesses at one moment are right about the values at the next.
    fn follows(&self, guess: u32, next: &[bool]) -> bool {
        self.parts.iter().enumerate().all(|(index, part)| match *part {
            Part::Next(a, number) => (guess >> number & 1 == 1) == next[a],
            Part::Until(_, _, number) => (guess >> number & 1 == 1) == next[index],
            _ => true,
        })
    }
}

struct Search<'g> {
    graph: &'g Graph,
    core: &'g Core,
}

/// A position and guesses.
struct Node {
    position: usize,
    values: Vec<bool>,
    next: Vec<usize>,
}

impl Search<'_> {
    fn find(&self, root: usize, from_start: bool) -> bool {
        let guesses = 0..1u32 << self.core.guesses;
        let mut nodes: Vec<Node> = vec![];
        let mut numbers: HashMap<(usize, u32), usize> = HashMap::new();
        let mut pending = vec![];
        let mut at = |position: usize, guess: u32, nodes: &mut Vec<Node>, pending: &mut Vec<(usize, u32)>| {
            *numbers.entry((position, guess)).or_insert_with(|| {
                let values = self.core.values(&self.graph.positions[position].0, guess);
                nodes.push(Node { position, values, next: vec![] });
                pending.push((nodes.len() - 1, guess));
                nodes.len() - 1
            })
        };
        // Where a run that violates the formula may begin.
        for (moment, state) in &self.graph.initial {
            if !from_start {
                for &position in &self.graph.leaving[*state] {
                    for guess in guesses.clone() {
                        if !self.core.values(&self.graph.positions[position].0, guess)[root] {
                            at(position, guess, &mut nodes, &mut pending);
                        }
                    }
                }
                continue;
            }
            for first in guesses.clone().filter(|&guess| !self.core.values(moment, guess)[root]) {
                for &position in &self.graph.leaving[*state] {
                    for guess in guesses.clone() {
                        if self.core.follows(first, &self.core.values(&self.graph.positions[position].0, guess)) {
                            at(position, guess, &mut nodes, &mut pending);
                        }
                    }
                }
            }
        }
        while let Some((index, guess)) = pending.pop() {
            let state = self.graph.positions[nodes[index].position].1;
            for &position in &self.graph.leaving[state] {
                for later in guesses.clone() {
                    if self.core.follows(guess, &self.core.values(&self.graph.positions[position].0, later)) {
                        let next = at(position, later, &mut nodes, &mut pending);
                        nodes[index].next.push(next);
                    }
                }
            }
        }
        self.has_fair_part(&nodes, (0..nodes.len()).collect())
    }

    /// Whether some nodes have a strongly connected part that puts nothing off for ever and is fair.
    fn has_fair_part(&self, nodes: &[Node], among: Vec<usize>) -> bool {
        for part in components(nodes, &among) {
            let some = |is_so: &dyn Fn(&Node) -> bool| part.iter().any(|&index| is_so(&nodes[index]));
            let is_kept = self.core.parts.iter().enumerate().all(|(index, each)| match *each {
                Part::Until(_, b, _) => some(&|node| !node.values[index] || node.values[b]),
                _ => true,
            });
            let is_true = |atom: Atom, node: &Node| atom.is_true(&self.graph.positions[node.position].0);
            let missing = self.graph.fairness.iter().filter(|(recurs, _)| !some(&|node| is_true(*recurs, node)));
            let mut avoid: Vec<Atom> = vec![];
            let mut is_lost = !is_kept;
            for (_, when) in missing {
                match when {
                    None => is_lost = true,
                    Some(when) if some(&|node| is_true(*when, node)) => avoid.push(*when),
                    Some(_) => {}
                }
            }
            if is_lost {
                continue;
            }
            if avoid.is_empty() {
                return true;
            }
            let rest: Vec<usize> =
                part.iter().copied().filter(|&index| !avoid.iter().any(|&when| is_true(when, &nodes[index]))).collect();
            if rest.len() < part.len() && self.has_fair_part(nodes, rest) {
                return true;
            }
        }
        false
    }
}

/// The strongly connected parts of some nodes that have a cycle (Kosaraju).
fn components(nodes: &[Node], among: &[usize]) -> Vec<Vec<usize>> {
    let mut is_among = vec![false; nodes.len()];
    among.iter().for_each(|&index| is_among[index] = true);
    let mut back = vec![vec![]; nodes.len()];
    for &index in among {
        nodes[index].next.iter().filter(|&&next| is_among[next]).for_each(|&next| back[next].push(index));
    }
    let (mut order, mut seen) = (vec![], vec![false; nodes.len()]);
    for &start in among {
        if std::mem::replace(&mut seen[start], true) {
            continue;
        }
        let mut stack = vec![(start, 0)];
        while let Some((index, place)) = stack.pop() {
            match nodes[index].next.get(place) {
                None => order.push(index),
                Some(&next) => {
                    stack.push((index, place + 1));
                    if is_among[next] && !std::mem::replace(&mut seen[next], true) {
                        stack.push((next, 0));
                    }
                }
            }
        }
    }
    let (mut found, mut taken) = (vec![], vec![false; nodes.len()]);
    for &start in order.iter().rev() {
        if std::mem::replace(&mut taken[start], true) {
            continue;
        }
        let (mut part, mut pending) = (vec![], vec![start]);
        while let Some(index) = pending.pop() {
            part.push(index);
            for &next in &back[index] {
                if !std::mem::replace(&mut taken[next], true) {
                    pending.push(next);
                }
            }
        }
        if part.len() > 1 || nodes[part[0]].next.contains(&part[0]) {
            found.push(part);
        }
    }
    found
}
