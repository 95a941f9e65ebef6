//! An automaton to one in which no two blocks behave alike.
//!
//! Two blocks are bisimilar if they do the same, decide by the same condition, and lead to blocks that are bisimilar in
//! turn, loops included. All of these become one: their classes are the coarsest partition that is stable (Paige and
//! Tarjan, "Three partition refinement algorithms", 1987). Functions that are called at several places are inlined as
//! often, and the variables of all these calls are the same, so the copies meet again as soon as their continuations
//! do.
//!
//! Where something is said of the text, its place counts: that of a call that asks, and that of an error.

use redoubt_base::partition::bisimilarity;
use rustc_hash::FxHashMap;

use super::{ActionKind, Automaton, Block, BlockId, End};
use crate::expr::ExprId;
use crate::program::PropertyId;
use crate::text::Span;

/// The effects of a block before those of its successors.
#[derive(PartialEq, Eq, Hash)]
struct Doing<'a> {
    actions: Vec<(&'a ActionKind, Option<Span>)>,
    end: Ending,
}

#[derive(PartialEq, Eq, Hash)]
enum Ending {
    Jump,
    Branch(ExprId),
    Error(PropertyId, Span),
    Halt,
    Refuse(usize),
}

impl Doing<'_> {
    fn of(block: &Block) -> Doing<'_> {
        let actions = block.actions.iter().map(|action| {
            let asks = matches!(action.kind, ActionKind::Choose { name: Some(_), .. });
            (&action.kind, asks.then_some(action.span))
        });
        let end = match &block.end {
            End::Jump(_) => Ending::Jump,
            End::Branch { condition, .. } => Ending::Branch(*condition),
            End::Error(property, span) => Ending::Error(*property, *span),
            End::Halt(_) => Ending::Halt,
            End::Refuse(number) => Ending::Refuse(*number),
        };
        Doing { actions: actions.collect(), end }
    }
}

/// Leads to the first of all blocks that behave alike; nothing leads to the others any more.
pub fn merge_alike(automaton: &mut Automaton) {
    let first = first_alike(automaton);
    for block in &mut automaton.blocks {
        block.end.successors_mut().for_each(|next| *next = first[next.index()]);
    }
    automaton.move_landmarks(|block| Some(first[block.index()]));
}

/// Per block, the first that behaves like it.
fn first_alike(automaton: &Automaton) -> Vec<BlockId> {
    let mut numbers: FxHashMap<Doing<'_>, usize> = FxHashMap::default();
    // The effects of a block are written on its edges; if nothing follows, on one that leads to a node of its own.
    let nowhere = automaton.blocks.len();
    let mut edges: Vec<Vec<((usize, usize), usize)>> = vec![];
    for block in &automaton.blocks {
        let next = numbers.len();
        let doing = *numbers.entry(Doing::of(block)).or_insert(next);
        let mut list: Vec<_> =
            block.end.successors().enumerate().map(|(side, next)| ((doing, side), next.index())).collect();
        if list.is_empty() {
            list.push(((doing, 0), nowhere));
        }
        edges.push(list);
    }
    edges.push(vec![]);
    let classes = bisimilarity(&edges, |_| false);
    let mut first: FxHashMap<usize, BlockId> = FxHashMap::default();
    automaton.ids().map(|id| *first.entry(classes[id.index()]).or_insert(id)).collect()
}
