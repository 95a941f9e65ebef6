//! A property that is a conjunction in, one for each of its conjuncts out: it holds if and only if all of them do, and
//! their automata and atoms are smaller.

use crate::program::Timed;
use crate::program::time::Question;
use crate::temporal::Formula;
use crate::temporal::formula::{Binary, Node, Unary};

/// The parts of a property, in their order; several have a number behind their name.
pub fn parts(timed: &Timed) -> Vec<Timed> {
    let Question::Linear(formula) = &timed.question else { return vec![timed.clone()] };
    let nodes = conjuncts(&formula.root);
    if nodes.len() == 1 {
        return vec![timed.clone()];
    }
    let part = |(number, node)| part(timed, formula, node, number + 1);
    nodes.into_iter().enumerate().map(part).collect()
}

/// Formulas that are all true where this one is.
fn conjuncts(node: &Node) -> Vec<Node> {
    match node {
        Node::Binary(Binary::And, a, b) => [conjuncts(a), conjuncts(b)].concat(),
        Node::Unary(Unary::Globally, inner) => {
            let globally = |node| Node::Unary(Unary::Globally, Box::new(node));
            conjuncts(inner).into_iter().map(globally).collect()
        }
        _ => vec![node.clone()],
    }
}

/// A conjunct as a property of its own, with the propositions that occur in it.
fn part(timed: &Timed, formula: &Formula, mut root: Node, number: usize) -> Timed {
    let mut used = vec![];
    renumber(&mut root, &mut used);
    let propositions = used.iter().map(|&old: &usize| formula.propositions[old].clone()).collect();
    Timed {
        name: format!("{}.{number}", timed.name),
        question: Question::Linear(Formula { propositions, root }),
        atoms: used.iter().map(|&old| timed.atoms[old]).collect(),
        ..timed.clone()
    }
}

/// Numbers propositions in the order in which they occur; `used` has their old numbers.
fn renumber(node: &mut Node, used: &mut Vec<usize>) {
    match node {
        Node::Constant(_) => {}
        Node::Proposition(index) => {
            let old = *index;
            *index = used.iter().position(|&known| known == old).unwrap_or_else(|| {
                used.push(old);
                used.len() - 1
            });
        }
        Node::Unary(_, a) => renumber(a, used),
        Node::Binary(_, a, b) => [a, b].into_iter().for_each(|part| renumber(part, used)),
    }
}
