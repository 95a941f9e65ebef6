//! Machine and formula to a verdict: a run of the machine that the automaton of the negated formula accepts, or none.
//!
//! If the negation is a co-safety formula, which a finite prefix satisfies, this is reachability. Else strongly connected
//! components of the product are found on the fly, and the search ends with the first one whose edges have all marks
//! (Couvreur, "On-the-fly verification of linear temporal logic", 1999). Hidden steps leave the automaton where it is;
//! that a run consists of more than them is one more set of edges that it has to take infinitely often.

use redoubt_base::Interrupt;
use rustc_hash::{FxHashMap, FxHashSet};
use std::collections::VecDeque;

use crate::automaton::{Alphabet, Automaton, Marks};
use crate::formula::{Formula, Lasso, Letter};
use crate::machine::{Label, Machine};
use crate::normal::Arena;
use crate::reduce::reduce;
use crate::tableau::{Unfinished, translate};

/// Whether all runs of a machine satisfy a formula.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Satisfaction {
    Holds,
    /// This run does not. Its loop begins with an input.
    Violated(Lasso<Label>),
}

/// The negation of a formula, ready to be looked for.
#[derive(Clone, Debug)]
pub struct Negation {
    pub automaton: Automaton,
    /// Whether every word that satisfies it has a prefix after which nothing matters.
    pub is_cosafety: bool,
}

impl Negation {
    pub fn of(formula: &Formula, alphabet: Alphabet, interrupt: &Interrupt) -> Result<Negation, Unfinished> {
        let mut arena = Arena::default();
        let root = arena.normalise(&formula.root, false);
        let automaton = reduce(translate(&arena, root, alphabet, interrupt)?);
        Ok(Negation { automaton, is_cosafety: arena.is_cosafety(root) })
    }
}

/// Decides whether all runs of a machine satisfy a formula. All nodes of the machine must be on runs, as they are in
/// [`Machine::reduced`].
pub fn check(machine: &Machine, formula: &Formula, interrupt: &Interrupt) -> Result<Satisfaction, Unfinished> {
    if machine.nodes.is_empty() {
        return Ok(Satisfaction::Holds);
    }
    let negation = Negation::of(formula, Alphabet::Exclusive, interrupt)?;
    if negation.automaton.states.is_empty() {
        return Ok(Satisfaction::Holds);
    }
    let product = Product::new(machine, formula, &negation.automaton, interrupt);
    let found = if negation.is_cosafety { product.reach()? } else { product.accepting_lasso()? };
    Ok(found.map_or(Satisfaction::Holds, |lasso| Satisfaction::Violated(from_an_input(lasso, machine))))
}

/// The same run with a loop that begins with an input: symbols before the first one go to the stem.
fn from_an_input(mut lasso: Lasso<Label>, machine: &Machine) -> Lasso<Label> {
    let cycle = lasso.cycle();
    let first = cycle.iter().position(|label| machine.is_input(label.symbol())).unwrap_or(0);
    let moved = cycle[..first].to_vec();
    lasso.letters.extend(moved);
    lasso.loop_start += first;
    lasso
}

/// A node of the machine and a state of the automaton.
type Pair = (u32, u32);

struct Edge {
    label: Label,
    target: Pair,
    marks: Marks,
}

struct Product<'p> {
    machine: &'p Machine,
    automaton: &'p Automaton,
    /// By symbol: the class of its letter; and by state and class the ways to go on.
    classes: Vec<usize>,
    ways: Vec<Vec<Vec<(u32, Marks)>>>,
    /// The mark of edges that are not hidden.
    progress: Marks,
    interrupt: &'p Interrupt,
}

/// The number of edges followed between two looks at the clock.
const BETWEEN_LOOKS: usize = 4096;

impl<'p> Product<'p> {
    fn new(machine: &'p Machine, formula: &Formula, automaton: &'p Automaton, interrupt: &'p Interrupt) -> Product<'p> {
        let mut letters: Vec<Letter> = vec![];
        let class = |symbol: &String| {
            let letter = formula.letter(|name| name == symbol);
            letters.iter().position(|&known| known == letter).unwrap_or_else(|| {
                letters.push(letter);
                letters.len() - 1
            })
        };
        let classes = machine.symbols.iter().map(class).collect();
        let progress = automaton.all_marks() + 1;
        let of_state = |state: &Vec<crate::automaton::Transition>| {
            let of_letter = |&letter: &Letter| {
                let ways = state.iter().filter(|way| way.cube.accepts(letter));
                ways.map(|way| (way.target as u32, way.marks | progress)).collect()
            };
            letters.iter().map(of_letter).collect()
        };
        let ways = automaton.states.iter().map(of_state).collect();
        Product { machine, automaton, classes, ways, progress, interrupt }
    }

    fn edges(&self, (node, state): Pair) -> impl Iterator<Item = Edge> {
        self.machine.nodes[node as usize].iter().flat_map(move |&(label, to)| {
            let ways: &[(u32, Marks)] = match label {
                Label::Shown(symbol) => &self.ways[state as usize][self.classes[symbol.index()]],
                Label::Hidden(_) => &[],
            };
            let hidden = (!label.is_shown()).then_some((state, 0));
            let ways = ways.iter().copied().chain(hidden);
            ways.map(move |(next, marks)| Edge { label, target: (to as u32, next), marks })
        })
    }

    fn look(&self, count: &mut usize) -> Result<(), Unfinished> {
        *count += 1;
        let is_late = count.is_multiple_of(BETWEEN_LOOKS) && self.interrupt.is_raised();
        if is_late { Err(Unfinished::Interrupted) } else { Ok(()) }
    }

    /// The shortest way from some pair to the first edge that is looked for, which it ends with, through pairs and over
    /// edges that are allowed.
    fn way(
        &self,
        from: Pair,
        is_allowed: impl Fn(&Edge) -> bool,
        is_goal: impl Fn(&Edge) -> bool,
    ) -> Result<Option<(Vec<Label>, Pair, Marks)>, Unfinished> {
        let mut before: FxHashMap<Pair, Option<(Pair, Label, Marks)>> = FxHashMap::default();
        before.insert(from, None);
        let mut pending = VecDeque::from([from]);
        let mut count = 0;
        while let Some(pair) = pending.pop_front() {
            for edge in self.edges(pair).filter(|edge| is_allowed(edge)) {
                self.look(&mut count)?;
                if is_goal(&edge) {
                    let (mut labels, mut marks, mut at) = (vec![edge.label], edge.marks, pair);
                    while let Some((earlier, label, more)) = before[&at] {
                        labels.push(label);
                        marks |= more;
                        at = earlier;
                    }
                    labels.reverse();
                    return Ok(Some((labels, edge.target, marks)));
                }
                before.entry(edge.target).or_insert_with(|| {
                    pending.push_back(edge.target);
                    Some((pair, edge.label, edge.marks))
                });
            }
        }
        Ok(None)
    }

    /// The shortest prefix after which everything is accepted, and some way to go on for ever.
    fn reach(&self) -> Result<Option<Lasso<Label>>, Unfinished> {
        let is_universal = |pair: Pair| self.automaton.is_universal(pair.1 as usize);
        let (stem, pair) = match self.way((0, 0), |_| true, |edge| is_universal(edge.target))? {
            _ if is_universal((0, 0)) => (vec![], (0, 0)),
            Some((stem, pair, _)) => (stem, pair),
            None => return Ok(None),
        };
        // Most machines come back to where they were; the shortest way to do so makes a run that is easy to read.
        if let Some((around, _, marks)) = self.way(pair, |_| true, |edge| edge.target == pair)?
            && marks & self.progress != 0
        {
            return Ok(Some(Lasso { loop_start: stem.len(), letters: [stem, around].concat() }));
        }
        let rest = self.search(pair)?;
        let rest = rest.expect("every node of the machine is on a run, and every run is accepted");
        let lasso = self.lasso(pair, &rest)?;
        let loop_start = stem.len() + lasso.loop_start;
        Ok(Some(Lasso { letters: [stem, lasso.letters].concat(), loop_start }))
    }

    fn accepting_lasso(&self) -> Result<Option<Lasso<Label>>, Unfinished> {
        match self.search((0, 0))? {
            Some(component) => Ok(Some(self.lasso((0, 0), &component)?)),
            None => Ok(None),
        }
    }

    /// The shortest way into a strongly connected set of pairs whose edges have all marks, and around it.
    fn lasso(&self, from: Pair, component: &FxHashSet<Pair>) -> Result<Lasso<Label>, Unfinished> {
        let (mut letters, entry) = match self.way(from, |_| true, |edge| component.contains(&edge.target))? {
            _ if component.contains(&from) => (vec![], from),
            Some((stem, entry, _)) => (stem, entry),
            None => unreachable!("the component was reached before"),
        };
        let loop_start = letters.len();
        let (mut at, mut missing) = (entry, self.progress | self.automaton.all_marks());
        let inside = |edge: &Edge| component.contains(&edge.target);
        while missing != 0 {
            let found = self.way(at, inside, |edge| edge.marks & missing != 0)?;
            let (labels, next, marks) = found.expect("edges inside the component have all marks");
            letters.extend(labels);
            (at, missing) = (next, missing & !marks);
        }
        if at != entry {
            let found = self.way(at, inside, |edge| edge.target == entry)?;
            letters.extend(found.expect("the component is strongly connected").0);
        }
        Ok(Lasso { letters, loop_start })
    }

    /// Pairs that can be reached from one and form a strongly connected set whose edges have all marks.
    fn search(&self, from: Pair) -> Result<Option<FxHashSet<Pair>>, Unfinished> {
        let all = self.progress | self.automaton.all_marks();
        let mut search =
            Search { product: self, numbers: FxHashMap::default(), live: vec![], roots: vec![], todo: vec![] };
        search.enter(from, 0);
        let mut count = 0;
        while let Some((pair, edges)) = search.todo.last_mut() {
            self.look(&mut count)?;
            let pair = *pair;
            let Some(edge) = edges.pop() else {
                search.leave(pair);
                continue;
            };
            match search.numbers.get(&edge.target) {
                None => search.enter(edge.target, edge.marks),
                Some(&REMOVED) => {}
                Some(&number) => {
                    if search.close(number, edge.marks) == all {
                        let root = search.roots.last().map_or(0, |root| root.number);
                        return Ok(Some(search.live.iter().skip(root as usize).copied().collect()));
                    }
                }
            }
        }
        Ok(None)
    }
}

const REMOVED: u32 = u32::MAX;

/// A component as far as it is known.
struct Root {
    /// Of its first pair.
    number: u32,
    /// Of its edges.
    marks: Marks,
    /// Of the edge that led to it.
    arc: Marks,
}

/// Couvreur's search. The pairs on the stack `live` are numbered by their place there.
struct Search<'s, 'p> {
    product: &'s Product<'p>,
    numbers: FxHashMap<Pair, u32>,
    live: Vec<Pair>,
    roots: Vec<Root>,
    /// The path to the current pair, with the edges that are still to be followed.
    todo: Vec<(Pair, Vec<Edge>)>,
}

impl Search<'_, '_> {
    fn enter(&mut self, pair: Pair, arc: Marks) {
        let number = self.live.len() as u32;
        self.numbers.insert(pair, number);
        self.live.push(pair);
        self.roots.push(Root { number, marks: 0, arc });
        self.todo.push((pair, self.product.edges(pair).collect()));
    }

    /// All pairs from this number on are one component; the marks of its edges.
    fn close(&mut self, number: u32, marks: Marks) -> Marks {
        let mut marks = marks;
        while let Some(root) = self.roots.pop_if(|root| root.number > number) {
            marks |= root.marks | root.arc;
        }
        let root = self.roots.last_mut().expect("the root of what is live is live");
        root.marks |= marks;
        root.marks
    }

    /// All edges of a pair were followed: if it is a root, its component is complete, and leads nowhere.
    fn leave(&mut self, pair: Pair) {
        self.todo.pop();
        let number = self.numbers[&pair];
        if self.roots.pop_if(|root| root.number == number).is_some() {
            for removed in self.live.drain(number as usize..) {
                self.numbers.insert(removed, REMOVED);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::machine::{Answer, Builder, Symbol};
    use crate::random;
    use redoubt_base::Random;

    /// A machine over the symbols a, b (inputs), c, d (outputs): few states, some steps that end, print nothing, much, or
    /// hide.
    fn machine(random: &mut Random) -> Machine {
        let mut builder = Builder::new(vec!["a".into(), "b".into()]);
        let outputs = [builder.output("c"), builder.output("d")];
        let states = 1 + random.below(4);
        for state in 0..states {
            for input in [0, 1].map(Symbol::new) {
                let next = random.below(states);
                let printed: Vec<Symbol> = (0..random.below(3)).map(|_| random.choose(&outputs)).collect();
                let answer = match random.below(8) {
                    0 => Answer::Ends,
                    1 | 2 => Answer::Ignores { next },
                    _ => Answer::Prints { outputs: &printed, next },
                };
                builder.step(state, input, answer);
            }
        }
        builder.finish()
    }

    fn word(machine: &Machine, formula: &Formula, lasso: &Lasso<Label>) -> Lasso<Letter> {
        let shown = |labels: &[Label]| -> Vec<Letter> {
            let shown = labels.iter().filter(|label| label.is_shown());
            shown.map(|label| formula.letter(|name| name == machine.name(label.symbol()))).collect()
        };
        let (stem, cycle) = (shown(lasso.stem()), shown(lasso.cycle()));
        Lasso { loop_start: stem.len(), letters: [stem, cycle].concat() }
    }

    /// Whether a machine has a run, by following all its edges from a set of nodes.
    fn has_run(machine: &Machine, lasso: &Lasso<Label>) -> bool {
        let follow = |from: Vec<usize>, labels: &[Label]| {
            labels.iter().fold(from, |nodes, label| {
                let edges = nodes.iter().flat_map(|&node| &machine.nodes[node]);
                edges.filter(|(other, _)| other == label).map(|&(_, to)| to).collect()
            })
        };
        let mut at = follow(vec![0], lasso.stem());
        // Steps are determined, so after this many rounds the loop has closed or the run has ended.
        for _ in 0..=machine.nodes.len() {
            at = follow(at, lasso.cycle());
        }
        !at.is_empty()
    }

    /// All lassos of a machine up to a length, until `see` has seen enough.
    fn lassos(machine: &Machine, most: usize, see: &mut dyn FnMut(&Lasso<Label>) -> bool) -> bool {
        fn go(
            machine: &Machine,
            most: usize,
            path: &mut Vec<(usize, Label)>,
            node: usize,
            see: &mut dyn FnMut(&Lasso<Label>) -> bool,
        ) -> bool {
            for start in (0..path.len()).filter(|&start| path[start].0 == node) {
                let letters: Vec<Label> = path.iter().map(|&(_, label)| label).collect();
                let lasso = Lasso { letters, loop_start: start };
                if lasso.cycle().iter().any(|label| label.is_shown()) && see(&lasso) {
                    return true;
                }
            }
            path.len() < most
                && machine.nodes[node].iter().any(|&(label, to)| {
                    path.push((node, label));
                    let found = go(machine, most, path, to, see);
                    path.pop();
                    found
                })
        }
        !machine.nodes.is_empty() && go(machine, most, &mut vec![], 0, see)
    }

    /// Random machines and formulas: a violation is a run of the machine that does not satisfy the formula, and where
    /// the formula is said to hold no short run violates it.
    #[test]
    fn verdicts_are_what_brute_force_says() {
        let mut seen = [0; 2];
        for seed in 0..3000 {
            let mut random = Random::new(seed);
            let machine = machine(&mut random);
            let mut formula = random::formula(&mut random, 9, 4);
            formula.propositions.truncate(4);
            let reduced = machine.reduced();
            let verdict = check(&reduced, &formula, &Interrupt::default()).expect("it is small");
            match verdict {
                Satisfaction::Violated(lasso) => {
                    seen[0] += 1;
                    assert!(has_run(&machine, &lasso), "{seed}: {lasso:?} is no run of {machine:?}");
                    assert!(machine.is_input(lasso.cycle()[0].symbol()));
                    let word = word(&machine, &formula, &lasso);
                    assert!(!formula.holds_on(&word), "{seed}: {formula} holds on {word:?}");
                }
                Satisfaction::Holds => {
                    seen[1] += 1;
                    lassos(&machine, 7, &mut |lasso| {
                        let word = word(&machine, &formula, lasso);
                        assert!(formula.holds_on(&word), "{seed}: {formula} does not hold on {word:?}");
                        false
                    });
                }
            }
        }
        assert!(seen.iter().all(|&count| count > 500), "{seen:?}");
    }

    /// The search finds whatever brute force finds: verdicts on machines as they were built and on reduced ones are the
    /// same.
    #[test]
    fn runs_that_violate_are_not_overlooked() {
        let mut found = 0;
        for seed in 5000..6000 {
            let mut random = Random::new(seed);
            let machine = machine(&mut random);
            let formula = random::formula(&mut random, 6, 4);
            let violates = |lasso: &Lasso<Label>| !formula.holds_on(&word(&machine, &formula, lasso));
            if lassos(&machine, 6, &mut |lasso| violates(lasso)) {
                found += 1;
                let verdict = check(&machine.reduced(), &formula, &Interrupt::default()).expect("it is small");
                assert_ne!(verdict, Satisfaction::Holds, "{seed}: {formula}");
            }
        }
        assert!(found > 300, "{found}");
    }

    #[test]
    fn prefixes_are_as_short_as_possible() {
        let mut builder = Builder::new(vec!["iA".into(), "iB".into()]);
        let (x, z) = (builder.output("oX"), builder.output("oZ"));
        for state in 0..50 {
            builder.step(state, Symbol::new(0), Answer::Prints { outputs: &[x], next: (state + 1) % 50 });
            let next = if state == 3 { 49 } else { 0 };
            let bad = if state == 3 || state == 40 { z } else { x };
            builder.step(state, Symbol::new(1), Answer::Prints { outputs: &[bad], next });
        }
        let machine = builder.finish().reduced();
        let formula = crate::parse("G !oZ").expect("a formula");
        let verdict = check(&machine, &formula, &Interrupt::default()).expect("it is small");
        let Satisfaction::Violated(lasso) = verdict else { panic!("{verdict:?}") };
        let shown: Vec<&str> = lasso.letters.iter().map(|label| machine.name(label.symbol())).collect();
        assert_eq!(shown[..8], ["iA", "oX", "iA", "oX", "iA", "oX", "iB", "oZ"]);
    }
}
