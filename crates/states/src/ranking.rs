//! A graph and a question in: ranks that show that all its runs are as asked, as the checker expects them ([`temporal`]), or a run
//! that is not.
//!
//! Ranks are the numbers of strongly connected components, each after those that it leads to. A component in which some run puts
//! nothing off for ever has a run that violates the formula; in each of the others there is an until, or something that should
//! recur, which all steps inside put off.
//!
//! [`temporal`]: crate::certificate::temporal

use std::collections::VecDeque;

use rustc_hash::FxHashMap;

use crate::base::Interrupt;
use crate::certificate::temporal::{Edge, Graph, Pair, Product, Question, Ranking};
use crate::temporal::automaton::Marks;
use crate::temporal::scc;

/// The answer to a question.
pub enum Ranked<'g> {
    Holds(Ranking),
    /// Steps of a run that violates it, each with the node that it begins in; those of the cycle are repeated for ever.
    Violated {
        stem: Vec<(u32, &'g Edge)>,
        cycle: Vec<(u32, &'g Edge)>,
    },
    /// The formula or its product with the graph is too large, or the work was ended.
    Open,
}

/// The mark of steps that are part of a run.
const SHOWN: Marks = 1 << 127;

/// More pairs than this are too many.
const MOST_PAIRS: usize = 4_000_000;

/// The most steps of a product that are looked at to find a short loop.
const MOST_LOOKED_AT: usize = 3_000_000;

/// A step of the product: where it leads, its marks, and which step of the graph it is.
type Step = (usize, Marks, u32);

/// Steps one after the other, each as a pair and the number of its step.
type Way = Vec<(usize, usize)>;

struct Pairs {
    list: Vec<Pair>,
    steps: Vec<Vec<Step>>,
    /// By pair: from which one it was found, and by which of its steps.
    parents: Vec<(usize, usize)>,
}

/// Answers a question about a graph.
pub fn rank<'g>(graph: &'g Graph, question: &'g Question, interrupt: &Interrupt) -> Ranked<'g> {
    let Some(mut product) = Product::new(graph, question) else { return Ranked::Open };
    let Some(pairs) = Pairs::of(graph, &mut product, interrupt) else { return Ranked::Open };
    let successors = |pair: usize, list: &mut Vec<(usize, Marks)>| {
        list.extend(pairs.steps[pair].iter().map(|&(target, marks, _)| (target, marks)));
    };
    let components = scc::Graph { nodes: pairs.list.len(), successors }.components([0]);
    let mut ranking = Ranking::default();
    let mut ranks: Vec<Vec<(u32, u32)>> = vec![vec![]; product.owed.len()];
    let untils: Vec<(u32, u64)> = product.obligations.untils().collect();
    let recurrences: Vec<(u32, u64)> = product.recurrences().collect();
    let is_put_off = |marks: Marks, bit: u64| marks & Marks::from(bit) == 0;
    let mut violating: Option<(usize, usize)> = None;
    for (rank, component) in components.iter().enumerate() {
        for &pair in &component.nodes {
            let (class, owed) = pairs.list[pair];
            ranks[owed].push((class, rank as u32));
        }
        if component.marks & SHOWN == 0 {
            continue;
        }
        let named = |list: &[(u32, u64)]| {
            list.iter().filter(|(_, bit)| is_put_off(component.marks, *bit)).map(|(number, _)| *number).min()
        };
        match (named(&untils), named(&recurrences)) {
            (Some(part), _) => ranking.untils.push((rank as u32, part)),
            (None, Some(number)) => ranking.recurrences.push((rank as u32, number)),
            (None, None) => {
                // Pairs are numbered breadth first.
                let nearest = component.nodes.iter().min().map(|&pair| (pair, rank));
                violating = [violating, nearest].into_iter().flatten().min();
            }
        }
    }
    if let Some((_, rank)) = violating {
        let all = untils.iter().chain(&recurrences).fold(SHOWN, |all, (_, bit)| all | Marks::from(*bit));
        let (stem, cycle) = pairs.short_lasso(&components[rank].nodes, all);
        let told = |way: Way| {
            let step = |(pair, step): (usize, usize)| {
                let class = pairs.list[pair].0;
                (class, &graph.steps[class as usize][pairs.steps[pair][step].2 as usize])
            };
            way.into_iter().map(step).collect()
        };
        return Ranked::Violated { stem: told(stem), cycle: told(cycle) };
    }
    ranks.iter_mut().for_each(|ranks| ranks.sort_unstable());
    ranking.ranks = product.owed.iter().cloned().zip(ranks).filter(|(_, ranks)| !ranks.is_empty()).collect();
    Ranked::Holds(ranking)
}

impl Pairs {
    fn of(graph: &Graph, product: &mut Product, interrupt: &Interrupt) -> Option<Pairs> {
        let first = product.first();
        let mut pairs = Pairs { list: vec![first], steps: vec![], parents: vec![(0, 0)] };
        let mut numbers: FxHashMap<Pair, usize> = FxHashMap::from_iter([(first, 0)]);
        while pairs.steps.len() < pairs.list.len() {
            if interrupt.is_raised() || pairs.list.len() > MOST_PAIRS {
                return None;
            }
            let from = pairs.steps.len();
            let (class, owed) = pairs.list[from];
            let mut out: Vec<Step> = vec![];
            for (index, step @ Edge { word, target }) in graph.steps[class as usize].iter().enumerate() {
                for (left, put_off) in product.follow(owed, step)? {
                    let number = *numbers.entry((*target, left)).or_insert_with(|| {
                        pairs.list.push((*target, left));
                        pairs.parents.push((from, out.len()));
                        pairs.list.len() - 1
                    });
                    let shown = if word.is_empty() { 0 } else { SHOWN };
                    out.push((number, Marks::from(!put_off) | shown, index as u32));
                }
            }
            pairs.steps.push(out);
        }
        Some(pairs)
    }

    /// The steps to a pair from the first one, as pairs and numbers of steps.
    fn way_to(&self, mut pair: usize) -> Way {
        let mut way = vec![];
        while pair != 0 {
            let step = self.parents[pair];
            way.push(step);
            pair = step.0;
        }
        way.reverse();
        way
    }

    /// A lasso into a component and around in it on which each of these marks is met: the shortest of those that were looked at,
    /// which begin their loop where the component is entered soonest.
    fn short_lasso(&self, component: &[usize], all: Marks) -> (Way, Way) {
        let mut is_inside = vec![false; self.list.len()];
        component.iter().for_each(|&pair| is_inside[pair] = true);
        let mut entries = component.to_vec();
        entries.sort_unstable();
        let mut around = Around { pairs: self, is_inside, all, looked_at: 0 };
        let mut best: Option<(Way, Way)> = None;
        for &entry in &entries {
            let length = best.as_ref().map_or(usize::MAX, |(stem, cycle)| stem.len() + cycle.len());
            let stem = self.way_to(entry);
            if stem.len() + 1 >= length || best.is_some() && around.looked_at > MOST_LOOKED_AT {
                break;
            }
            if let Some(cycle) = around.shorter_than(length - stem.len(), entry) {
                best = Some((stem, cycle));
            }
        }
        best.expect("a component has a pair")
    }
}

/// Looks for ways around in a component.
struct Around<'p> {
    pairs: &'p Pairs,
    is_inside: Vec<bool>,
    /// The marks that have to be met.
    all: Marks,
    /// How many steps were looked at.
    looked_at: usize,
}

impl Around<'_> {
    /// A way from a pair back to it on which each mark is met, if one is found with fewer steps: always to the nearest step that
    /// has one of the marks that are missing.
    fn shorter_than(&mut self, length: usize, entry: usize) -> Option<Way> {
        let (mut way, mut at, mut met) = (vec![], entry, 0);
        while met & self.all != self.all || at != entry {
            let missing = self.all & !met;
            let is_goal =
                |&(target, marks, _): &Step| if missing == 0 { target == entry } else { marks & missing != 0 };
            for step in self.nearest(at, length - 1 - way.len(), is_goal)? {
                let (target, marks, _) = self.pairs.steps[step.0][step.1];
                (at, met) = (target, met | marks);
                way.push(step);
            }
        }
        Some(way)
    }

    /// The shortest way inside the component whose last step is a goal, if it has no more steps than this.
    fn nearest(&mut self, from: usize, most: usize, is_goal: impl Fn(&Step) -> bool) -> Option<Way> {
        let mut parents: FxHashMap<usize, (usize, usize)> = FxHashMap::default();
        let mut pending = VecDeque::from([(from, 1)]);
        while let Some((pair, length)) = pending.pop_front() {
            if length > most {
                return None;
            }
            self.looked_at += self.pairs.steps[pair].len();
            let inside = self.pairs.steps[pair].iter().enumerate().filter(|(_, step)| self.is_inside[step.0]);
            for (number, step) in inside {
                if is_goal(step) {
                    let mut way = vec![(pair, number)];
                    let mut at = pair;
                    while at != from {
                        let before = parents[&at];
                        way.push(before);
                        at = before.0;
                    }
                    way.reverse();
                    return Some(way);
                }
                if step.0 != from && !parents.contains_key(&step.0) {
                    parents.insert(step.0, (pair, number));
                    pending.push_back((step.0, length + 1));
                }
            }
        }
        unreachable!("a component is strongly connected, and has a step for each of its marks")
    }
}
