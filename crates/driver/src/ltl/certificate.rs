//! The reasons why formulas hold: the states of the machine as boxes, and ranks of the pairs of a class of them and the
//! formulas owed, as [`crate::certificate::temporal`] expects them.

use std::sync::Arc;

use rustc_hash::FxHashMap;

use super::specification::Specification;
use crate::analysis::Facts;
use crate::base::Interrupt;
use crate::certificate::temporal::{self, Graph, Machine, Question, Ranking, Temporal};
use crate::certificate::{Certificate, Checked, Judgement, share};
use crate::explorer::Found;
use crate::program::PropertyId;
use crate::ranking::{Ranked, rank};

/// Has the checker look at a machine, and at why formulas hold on it.
pub struct Certifier {
    machine: Arc<Machine>,
    /// The graph that the checker derives.
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

    /// The certificate of a formula, and the judgement on it.
    pub fn certify(
        &self,
        specification: &Specification,
        property: PropertyId,
        interrupt: &Interrupt,
    ) -> Checked<Temporal> {
        let (formula, name) = (&specification.get(property).formula, &specification.names()[property.index()]);
        let ranked = self.graph.as_ref().map_err(Judgement::clone).and_then(|graph| {
            let question = Question::of_names(graph, formula);
            let Ranked::Holds(ranking) = rank(graph, &question, interrupt) else {
                return Err(Judgement::Undecided("there are no ranks that show it".into()));
            };
            let judgement = temporal::confirm(graph, &question, &ranking, interrupt);
            Ok((ranking, judgement))
        });
        let (ranking, judgement) = ranked.unwrap_or_else(|judgement| (Ranking::default(), judgement));
        let certificate = Temporal { formula: name.clone(), machine: Arc::clone(&self.machine), ranking };
        Checked { certificate: Arc::new(certificate), judgement }
    }
}
