//! Formulas of branching time with modalities on transition systems: where they are true, and runs that show why.
//!
//! States are labelled part by part (Clarke, Emerson and Sistla 1986): the existential paths by going backwards from where
//! they end, or by taking states away from which none is left; the universal ones are their negations.

use std::collections::VecDeque;

use redoubt_base::stack::grow;
use redoubt_formula::modal::{Modal, Node, Part, Path, System};
use redoubt_formula::{Shown, Tree};

/// A formula on a system.
pub struct Evaluation<'e> {
    formula: &'e Modal,
    system: &'e System,
    /// By name: its number in the system.
    symbols: Vec<Option<usize>>,
    /// By part, by state.
    truth: Vec<Vec<bool>>,
}

/// A run, position by position: the symbols that lead there, none to the first; and reasons at its positions.
pub type Evidence = Tree<String>;

impl<'e> Evaluation<'e> {
    pub fn new(formula: &'e Modal, system: &'e System) -> Evaluation<'e> {
        let backwards = Backwards::new(system);
        let symbols = formula.symbols(system);
        let mut truth: Vec<Vec<bool>> = vec![];
        for node in &formula.parts {
            let of = |part: Part| &truth[part.index()];
            let not = |set: &Vec<bool>| -> Vec<bool> { set.iter().map(|value| !value).collect() };
            let pairs = |a: Part, b: Part, value: fn(bool, bool) -> bool| -> Vec<bool> {
                of(a).iter().zip(of(b)).map(|(&a, &b)| value(a, b)).collect()
            };
            let steps = |name: usize, set: &Vec<bool>| -> Vec<bool> {
                let leads = |transitions: &Vec<(usize, usize)>| {
                    transitions.iter().any(|&(symbol, to)| Some(symbol) == symbols[name] && set[to])
                };
                system.transitions.iter().map(leads).collect()
            };
            let always = vec![true; system.transitions.len()];
            truth.push(match *node {
                Node::Constant(value) => vec![value; system.transitions.len()],
                Node::Not(a) => not(of(a)),
                Node::And(a, b) => pairs(a, b, |a, b| a && b),
                Node::Or(a, b) => pairs(a, b, |a, b| a || b),
                Node::Implies(a, b) => pairs(a, b, |a, b| !a || b),
                Node::Can(name, a) => steps(name, of(a)),
                Node::Must(name, a) => not(&steps(name, &not(of(a)))),
                Node::Exists(Path::Next(a)) => backwards.next(of(a)),
                Node::All(Path::Next(a)) => not(&backwards.next(&not(of(a)))),
                Node::Exists(Path::Finally(a)) => backwards.until(&always, of(a)),
                Node::All(Path::Globally(a)) => not(&backwards.until(&always, &not(of(a)))),
                Node::Exists(Path::Globally(a)) => backwards.globally(of(a)),
                Node::All(Path::Finally(a)) => not(&backwards.globally(&not(of(a)))),
                Node::Exists(Path::Until(a, b)) => backwards.until(of(a), of(b)),
                Node::All(Path::Until(a, b)) => {
                    let neither: Vec<bool> = pairs(a, b, |a, b| !a && !b);
                    let without = not(of(b));
                    let ends = backwards.until(&without, &neither);
                    let never = backwards.globally(&without);
                    ends.iter().zip(never).map(|(&ends, never)| !ends && !never).collect()
                }
            });
        }
        Evaluation { formula, system, symbols, truth }
    }

    /// Whether the formula is true where the system starts.
    pub fn holds(&self) -> bool {
        self.truth.last().is_some_and(|truth| truth.first() == Some(&true))
    }

    /// Runs that show why the formula is true or false, and how much of it they show; none if runs show nothing.
    pub fn evidence(&self) -> Option<(Evidence, Shown)> {
        let root = Part::new(self.formula.parts.len().checked_sub(1)?);
        let (tree, shown) = self.explain(root, 0);
        tree.has_runs().then_some((tree, shown))
    }

    fn is(&self, part: Part, state: usize) -> bool {
        self.truth[part.index()][state]
    }

    /// Why a part has its value in a state.
    fn explain(&self, part: Part, state: usize) -> (Evidence, Shown) {
        grow(|| self.explain_node(part, state))
    }

    fn explain_node(&self, part: Part, state: usize) -> (Evidence, Shown) {
        let truth = self.is(part, state);
        let partly = || (Tree::leaf(String::new()), Shown::Partly);
        match (self.formula.parts[part.index()], truth) {
            (Node::Constant(_), _) => (Tree::leaf(String::new()), Shown::Wholly),
            (Node::Not(a), _) => self.explain(a, state),
            (Node::And(a, b), true) | (Node::Or(a, b), false) | (Node::Implies(a, b), false) => {
                both(self.explain(a, state), self.explain(b, state))
            }
            (Node::And(a, b), false) => self.better(&[a, b], state, |part| !self.is(part, state)),
            (Node::Or(a, b), true) => self.better(&[a, b], state, |part| self.is(part, state)),
            (Node::Implies(a, b), true) => {
                // `a` where it is false, or `b` where it is true.
                let reason = if self.is(a, state) { b } else { a };
                self.explain(reason, state)
            }
            (Node::Can(name, a), true) => {
                self.step(state, |symbol, to| Some(symbol) == self.symbols[name] && self.is(a, to), a)
            }
            (Node::Must(name, a), false) => {
                self.step(state, |symbol, to| Some(symbol) == self.symbols[name] && !self.is(a, to), a)
            }
            (Node::Exists(Path::Next(a)), true) => self.step(state, |_, to| self.is(a, to), a),
            (Node::All(Path::Next(a)), false) => self.step(state, |_, to| !self.is(a, to), a),
            (Node::Exists(Path::Finally(a)), true) => self.way(state, &|_| true, &|at| self.is(a, at), &[], &[a]),
            (Node::All(Path::Globally(a)), false) => self.way(state, &|_| true, &|at| !self.is(a, at), &[], &[a]),
            (Node::Exists(Path::Until(a, b)), true) => {
                self.way(state, &|at| self.is(a, at), &|at| self.is(b, at), &[a], &[b])
            }
            (Node::Exists(Path::Globally(a)), true) => self.stay(state, &|at| self.is(a, at), a),
            (Node::All(Path::Finally(a)), false) => self.stay(state, &|at| !self.is(a, at), a),
            (Node::All(Path::Until(a, b)), false) => {
                let is_end = |at: usize| !self.is(a, at) && !self.is(b, at);
                match self.find(state, &|at| !self.is(b, at), &is_end) {
                    Some(_) => self.way(state, &|at| !self.is(b, at), &is_end, &[b], &[a, b]),
                    None => self.stay(state, &|at| !self.is(b, at), b),
                }
            }
            (Node::Can(..), false) | (Node::Must(..), true) | (Node::Exists(_), false) | (Node::All(_), true) => {
                partly()
            }
        }
    }

    /// The explanation of one of the parts that are a reason: the one that shows most.
    fn better(&self, parts: &[Part], state: usize, is_reason: impl Fn(Part) -> bool) -> (Evidence, Shown) {
        let reasons = parts.iter().filter(|part| is_reason(**part)).map(|&part| self.explain(part, state));
        let best = reasons.max_by_key(|(tree, shown)| (*shown, tree.has_runs()));
        best.unwrap_or_else(|| (Tree::leaf(String::new()), Shown::Partly))
    }

    fn step(&self, state: usize, is_wanted: impl Fn(usize, usize) -> bool, then: Part) -> (Evidence, Shown) {
        let taken = self.system.transitions[state].iter().find(|&&(symbol, to)| is_wanted(symbol, to));
        let Some(&(symbol, to)) = taken else { return (Tree::leaf(String::new()), Shown::Partly) };
        let (tree, shown) = self.explain(then, to);
        (self.along(&[symbol], None, vec![(1, tree)]), shown)
    }

    /// A run of these symbols with its reasons; a reason at its end goes on with it.
    fn along(&self, symbols: &[usize], repeats_from: Option<usize>, because: Vec<(usize, Evidence)>) -> Evidence {
        let names = symbols.iter().map(|&symbol| self.system.symbols[symbol].clone());
        let mut run: Vec<String> = std::iter::once(String::new()).chain(names).collect();
        let mut tree = Tree { run: vec![], repeats_from, because: vec![] };
        let at_end = because.iter().filter(|(at, tree)| *at == symbols.len() && tree.has_runs()).count();
        for (at, reason) in because.into_iter().filter(|(_, reason)| reason.has_runs()) {
            if at == symbols.len() && at_end == 1 && repeats_from.is_none() {
                run.extend(reason.run.into_iter().skip(1));
                tree.repeats_from = reason.repeats_from.map(|from| from + at);
                tree.because.extend(reason.because.into_iter().map(|(inner, tree)| (inner + at, tree)));
            } else {
                tree.because.push((at, reason));
            }
        }
        Tree { run, ..tree }
    }

    /// A shortest way to a state, through others: the symbols, and the states on it.
    fn find(
        &self,
        from: usize,
        may_pass: &dyn Fn(usize) -> bool,
        is_end: &dyn Fn(usize) -> bool,
    ) -> Option<(Vec<usize>, Vec<usize>)> {
        let mut came: Vec<Option<(usize, usize)>> = vec![None; self.system.transitions.len()];
        let mut seen = vec![false; came.len()];
        let mut queue = VecDeque::from([from]);
        seen[from] = true;
        while let Some(state) = queue.pop_front() {
            if is_end(state) {
                let (mut symbols, mut states) = (vec![], vec![state]);
                let mut at = state;
                while let Some((before, symbol)) = came[at] {
                    symbols.push(symbol);
                    states.push(before);
                    at = before;
                }
                symbols.reverse();
                states.reverse();
                return Some((symbols, states));
            }
            if !may_pass(state) {
                continue;
            }
            for &(symbol, to) in &self.system.transitions[state] {
                if !std::mem::replace(&mut seen[to], true) {
                    came[to] = Some((state, symbol));
                    queue.push_back(to);
                }
            }
        }
        None
    }

    /// A way, with the reasons on it and at its end.
    fn way(
        &self,
        from: usize,
        may_pass: &dyn Fn(usize) -> bool,
        is_end: &dyn Fn(usize) -> bool,
        on_it: &[Part],
        at_end: &[Part],
    ) -> (Evidence, Shown) {
        let Some((symbols, states)) = self.find(from, may_pass, is_end) else {
            return (Tree::leaf(String::new()), Shown::Partly);
        };
        let (mut because, mut shown) = (vec![], Shown::Wholly);
        for (at, &state) in states.iter().enumerate() {
            for &part in if at + 1 == states.len() { at_end } else { on_it } {
                let (tree, of_part) = self.explain(part, state);
                shown = shown.min(of_part);
                because.push((at, tree));
            }
        }
        (self.along(&symbols, None, because), shown)
    }

    /// A run that stays in some states until it ends or repeats itself, with the reason at each of them.
    fn stay(&self, from: usize, is_inside: &dyn Fn(usize) -> bool, part: Part) -> (Evidence, Shown) {
        // From which states one can stay for ever, or to an end.
        let inside: Vec<bool> = (0..self.system.transitions.len()).map(is_inside).collect();
        let can = Backwards::new(self.system).globally(&inside);
        let (mut symbols, mut states) = (vec![], vec![from]);
        let repeats_from = loop {
            let state = states[states.len() - 1];
            let next = self.system.transitions[state].iter().find(|&&(_, to)| can[to]);
            let Some(&(symbol, to)) = next else { break None };
            if let Some(first) = states.iter().position(|&other| other == to) {
                symbols.push(symbol);
                // The last position is the first of the loop once more.
                break Some(first + 1);
            }
            symbols.push(symbol);
            states.push(to);
        };
        let (mut because, mut shown) = (vec![], Shown::Wholly);
        for (at, &state) in states.iter().enumerate() {
            let (tree, of_part) = self.explain(part, state);
            shown = shown.min(of_part);
            because.push((at, tree));
        }
        (self.along(&symbols, repeats_from, because), shown)
    }
}

/// Two reasons for one thing.
fn both(a: (Evidence, Shown), b: (Evidence, Shown)) -> (Evidence, Shown) {
    let shown = a.1.min(b.1);
    let tree = match (a.0.has_runs(), b.0.has_runs()) {
        (false, _) => b.0,
        (true, false) => a.0,
        (true, true) => {
            let parts = |tree: Evidence| if tree.run.len() == 1 { tree.because } else { vec![(0, tree)] };
            let because = parts(a.0).into_iter().chain(parts(b.0)).collect();
            Tree { run: vec![String::new()], repeats_from: None, because }
        }
    };
    (tree, shown)
}

/// A system with the states before each.
struct Backwards<'s> {
    system: &'s System,
    before: Vec<Vec<usize>>,
}

impl<'s> Backwards<'s> {
    fn new(system: &'s System) -> Backwards<'s> {
        let mut before = vec![vec![]; system.transitions.len()];
        for (state, transitions) in system.transitions.iter().enumerate() {
            transitions.iter().for_each(|&(_, to)| before[to].push(state));
        }
        Backwards { system, before }
    }

    /// From where a step leads into a set.
    fn next(&self, set: &[bool]) -> Vec<bool> {
        self.system.transitions.iter().map(|transitions| transitions.iter().any(|&(_, to)| set[to])).collect()
    }

    /// From where a path leads through one set to another.
    fn until(&self, through: &[bool], target: &[bool]) -> Vec<bool> {
        let mut found = target.to_vec();
        let mut pending: Vec<usize> = (0..found.len()).filter(|&state| found[state]).collect();
        while let Some(state) = pending.pop() {
            for &before in &self.before[state] {
                if through[before] && !found[before] {
                    found[before] = true;
                    pending.push(before);
                }
            }
        }
        found
    }

    /// From where a path stays in a set, for ever or to its end.
    fn globally(&self, set: &[bool]) -> Vec<bool> {
        let mut left = set.to_vec();
        let inside = |transitions: &Vec<(usize, usize)>| transitions.iter().filter(|(_, to)| set[*to]).count();
        let mut ways: Vec<usize> = self.system.transitions.iter().map(inside).collect();
        let is_lost = |state: &usize| set[*state] && ways[*state] == 0 && !self.system.is_end(*state);
        let mut pending: Vec<usize> = (0..left.len()).filter(is_lost).collect();
        while let Some(state) = pending.pop() {
            left[state] = false;
            for &before in self.before[state].iter().filter(|&&before| set[before]) {
                ways[before] -= 1;
                if ways[before] == 0 && left[before] {
                    pending.push(before);
                }
            }
        }
        left
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use redoubt_base::Random;
    use redoubt_formula::parse_modal::parse;

    fn system(random: &mut Random) -> System {
        let (states, symbols) = (1 + random.below(9), 1 + random.below(4));
        let transition = |random: &mut Random| (random.below(symbols), random.below(states));
        let transitions = (0..states).map(|_| {
            let mut list: Vec<(usize, usize)> = (0..random.below(4)).map(|_| transition(random)).collect();
            list.sort_unstable();
            list.dedup();
            list
        });
        let transitions = transitions.collect();
        System {
            symbols: ["a", "b", "c", "d"][..symbols].iter().map(|name| (*name).to_string()).collect(),
            transitions,
        }
    }

    fn formula(random: &mut Random, depth: usize) -> String {
        if depth == 0 {
            return ["true", "false", "<a>true", "<b>true", "[c]false", "<nowhere>true", "AX false"][random.below(7)]
                .into();
        }
        let (a, b) = (formula(random, depth - 1), formula(random, depth - 1));
        match random.below(16) {
            0 => format!("!({a})"),
            1 => format!("({a} & {b})"),
            2 => format!("({a} | {b})"),
            3 => format!("({a} => {b})"),
            4 | 5 => format!("<{}>({a})", ["a", "b", "c", "d"][random.below(4)]),
            6 | 7 => format!("[{}]({a})", ["a", "b", "c", "d"][random.below(4)]),
            8 => format!("E({a} U {b})"),
            9 => format!("A({a} U {b})"),
            other => format!("{} ({a})", ["EX", "AX", "EF", "AF", "EG", "AG"][other - 10]),
        }
    }

    /// The states in which a tree can begin so that all its symbols can be followed, and its reasons with them.
    fn follow(system: &System, tree: &Evidence, from: usize) -> bool {
        let mut sets = vec![vec![from]];
        for symbol in &tree.run[1..] {
            let last = &sets[sets.len() - 1];
            let mut next: Vec<usize> = last
                .iter()
                .flat_map(|&state| system.transitions[state].iter())
                .filter(|(taken, _)| system.symbols[*taken] == *symbol)
                .map(|(_, to)| *to)
                .collect();
            next.sort_unstable();
            next.dedup();
            sets.push(next);
        }
        let starts = |at: usize, reason: &Evidence| sets[at].iter().any(|&state| follow(system, reason, state));
        sets.iter().all(|set| !set.is_empty()) && tree.because.iter().all(|(at, reason)| starts(*at, reason))
    }

    #[test]
    fn formulas_have_the_values_that_the_definition_gives_them() {
        let random = &mut Random::new(11);
        let (mut true_ones, mut trees, mut wholly) = (0, 0, 0);
        for _ in 0..6_000 {
            let system = system(random);
            let text = formula(random, 3);
            let formula = parse(&text).expect("a formula");
            let evaluation = Evaluation::new(&formula, &system);
            assert_eq!(evaluation.truth, formula.truth(&system), "{text} on {system:?}");
            assert_eq!(evaluation.holds(), formula.holds(&system));
            true_ones += usize::from(evaluation.holds());
            if let Some((tree, shown)) = evaluation.evidence() {
                trees += 1;
                wholly += usize::from(shown == Shown::Wholly);
                assert!(follow(&system, &tree, 0), "{text} on {system:?}: {tree:?}");
            }
        }
        assert!((2_000..4_000).contains(&true_ones) && trees > 500 && wholly > 100, "{true_ones} {trees} {wholly}");
    }

    #[test]
    fn a_violation_is_a_shortest_run_to_where_it_shows() {
        let symbols = ["a", "x", "b"].map(String::from).to_vec();
        let system = System { symbols, transitions: vec![vec![(0, 1)], vec![(1, 2)], vec![(2, 3)], vec![]] };
        let formula = parse("AG (<b>true => <b>EX true)").expect("a formula");
        let (tree, shown) = Evaluation::new(&formula, &system).evidence().expect("a run");
        assert_eq!((tree.run.join(" "), shown), (" a x b".into(), Shown::Partly));
    }
}
