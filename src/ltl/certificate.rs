//! Why formulas hold: the states of the machine as boxes, and ranks of the pairs of a class of them and what is owed of a
//! formula's negation, as [`crate::certificate::temporal`] expects them.
//!
//! Ranks are the numbers of strongly connected components, each after those that it leads to. If the formula holds, no component
//! has a run that puts no until off for ever, so in each of them there is an until that all steps inside put off.

use std::sync::Arc;

use rustc_hash::FxHashMap;

use super::explorer::Found;
use super::specification::Specification;
use crate::analysis::Facts;
use crate::base::Interrupt;
use crate::certificate::temporal::{self, Edge, Graph, Machine, Pair, Product, Ranking, Temporal};
use crate::certificate::{Certificate, Checked, Judgement, share};
use crate::program::PropertyId;
use crate::temporal::Formula;
use crate::temporal::automaton::Marks;
use crate::temporal::scc;

/// Has the checker look at a machine, and at why formulas hold on it.
pub struct Certifier {
    machine: Arc<Machine>,
    /// What the checker makes of it.
    graph: Result<Graph, Judgement>,
}

impl Certifier {
    /// `None` if the states of the machine are not told in boxes.
    pub fn new(
        facts: &Facts,
        specification: &Specification,
        found: &Found,
        interrupt: &Interrupt,
    ) -> Option<Certifier> {
        if found.states.boxes.is_empty() {
            return None;
        }
        let classes = found.machine.classes();
        let mut numbers: FxHashMap<usize, u32> = FxHashMap::default();
        let class = |node: &usize| {
            let next = numbers.len() as u32;
            *numbers.entry(classes[*node]).or_insert(next)
        };
        let classes = found.states.nodes.iter().map(class).collect();
        let invariant = Certificate {
            facts: found.states.facts.clone(),
            boxes: found.states.boxes.clone(),
            ..Certificate::default()
        };
        let machine = Arc::new(Machine { invariant, classes });
        let graph = temporal::graph(facts.program, &machine, &specification.mapping, &share(interrupt));
        Some(Certifier { machine, graph })
    }

    /// The certificate of a formula, and what it is worth.
    pub fn certify(
        &self,
        specification: &Specification,
        property: PropertyId,
        interrupt: &Interrupt,
    ) -> Checked<Temporal> {
        let (formula, name) = (&specification.get(property).formula, &specification.names()[property.index()]);
        let ranked = self.graph.as_ref().map_err(Judgement::clone).and_then(|graph| {
            let ranking = ranking(graph, formula, interrupt)
                .ok_or_else(|| Judgement::Undecided("there are no ranks that show it".into()))?;
            let judgement = temporal::confirm(graph, formula, &ranking, interrupt);
            Ok((ranking, judgement))
        });
        let (ranking, judgement) = ranked.unwrap_or_else(|judgement| (Ranking::default(), judgement));
        let certificate = Temporal { formula: name.clone(), machine: Arc::clone(&self.machine), ranking };
        Checked { certificate: Arc::new(certificate), judgement }
    }
}

/// The mark of steps that are part of a run.
const SHOWN: Marks = 1 << 127;

/// Ranks that show that a formula holds, if there are some.
fn ranking(graph: &Graph, formula: &Formula, interrupt: &Interrupt) -> Option<Ranking> {
    let mut product = Product::new(graph, formula)?;
    let mut pairs = vec![product.first()];
    let mut numbers: FxHashMap<Pair, usize> = FxHashMap::from_iter([(pairs[0], 0)]);
    let mut edges: Vec<Vec<(usize, Marks)>> = vec![];
    while edges.len() < pairs.len() {
        if interrupt.is_raised() {
            return None;
        }
        let (class, owed) = pairs[edges.len()];
        let mut out = vec![];
        for step @ Edge { word, target } in &graph.steps[class as usize] {
            for (left, put_off) in product.follow(owed, step)? {
                let number = *numbers.entry((*target, left)).or_insert_with(|| {
                    pairs.push((*target, left));
                    pairs.len() - 1
                });
                out.push((number, Marks::from(!put_off) | if word.is_empty() { 0 } else { SHOWN }));
            }
        }
        edges.push(out);
    }
    let successors = |pair: usize, list: &mut Vec<(usize, Marks)>| list.extend_from_slice(&edges[pair]);
    let components = scc::Graph { nodes: pairs.len(), successors }.components([0]);
    let mut ranks: Vec<Vec<(u32, u32)>> = vec![vec![]; product.owed.len()];
    let mut untils = vec![];
    for (rank, component) in components.iter().enumerate() {
        for &pair in &component.nodes {
            let (class, owed) = pairs[pair];
            ranks[owed].push((class, rank as u32));
        }
        if component.marks & SHOWN != 0 {
            let is_put_off = |(_, bit): &(u32, u64)| component.marks & Marks::from(*bit) == 0;
            let (part, _) = product.obligations.untils().filter(is_put_off).min()?;
            untils.push((rank as u32, part));
        }
    }
    ranks.iter_mut().for_each(|ranks| ranks.sort_unstable());
    let ranks = product.owed.iter().cloned().zip(ranks).filter(|(_, ranks)| !ranks.is_empty()).collect();
    Some(Ranking { ranks, untils })
}
