//! A control-flow automaton to a smaller one with the same answers.
//!
//! - Branches on constants, or to the same block twice, become jumps; jumps through empty blocks lead to where those do.
//! - Blocks behind an assumption that never holds go.
//! - A block from which no property can be reached ends the run.
//! - Blocks from which the same happens become one (`bisimulation`).
//! - Blocks that follow each other, without other predecessors or successors, become one.
//! - Actions that compute unneeded values go, until nothing changes.

use super::liveness::Liveness;
use super::{Action, ActionKind, Automaton, BlockId, End, bisimulation};
use crate::expr::Exprs;
use crate::text::Span;

pub fn simplify(automaton: &mut Automaton, exprs: &Exprs, tables: usize) {
    loop {
        let size = (automaton.blocks.len(), actions(automaton));
        straighten(automaton, exprs);
        automaton.drop_unreachable_landmarks();
        end_early(automaton);
        bisimulation::merge_alike(automaton);
        merge(automaton);
        remove_unreachable(automaton);
        remove_dead(automaton, exprs, tables);
        if (automaton.blocks.len(), actions(automaton)) == size {
            return;
        }
    }
}

fn actions(automaton: &Automaton) -> usize {
    automaton.blocks.iter().map(|block| block.actions.len()).sum()
}

/// Trivial branches become jumps, assumptions that never hold ends, and jumps to empty blocks that only jump on are
/// redirected.
fn straighten(automaton: &mut Automaton, exprs: &Exprs) {
    for block in &mut automaton.blocks {
        let assumed = |action: &Action| match action.kind {
            ActionKind::Assume(condition) => exprs.as_bool(condition),
            _ => None,
        };
        block.actions.retain(|action| assumed(action) != Some(true));
        if let Some(at) = block.actions.iter().position(|action| assumed(action) == Some(false)) {
            block.end = End::Halt(block.actions[at].span);
            block.actions.truncate(at);
        }
        if let End::Branch { condition, then, otherwise, .. } = block.end {
            match exprs.as_bool(condition) {
                Some(true) => block.end = End::Jump(then),
                Some(false) => block.end = End::Jump(otherwise),
                None if then == otherwise => block.end = End::Jump(then),
                None => {}
            }
        }
    }
    let mut target: Vec<BlockId> = automaton.ids().collect();
    for start in automaton.ids() {
        let (mut at, mut way) = (start, vec![]);
        // An empty loop leads nowhere; it stays.
        while let End::Jump(next) = automaton.block(at).end
            && automaton.block(at).actions.is_empty()
            && !way.contains(&at)
            && way.len() < LONGEST_WAY
        {
            way.push(at);
            at = target[next.index()];
        }
        way.iter().for_each(|block| target[block.index()] = at);
    }
    for block in &mut automaton.blocks {
        block.end.successors_mut().for_each(|next| *next = target[next.index()]);
    }
    automaton.move_landmarks(|block| Some(target[block.index()]));
    for block in &mut automaton.blocks {
        if let End::Branch { then, otherwise, .. } = block.end
            && then == otherwise
        {
            block.end = End::Jump(then);
        }
    }
}

/// The rest of a longer way is shortened in the next round.
const LONGEST_WAY: usize = 64;

/// A run that can reach nothing more might as well end.
fn end_early(automaton: &mut Automaton) {
    let predecessors = automaton.predecessors();
    let mut can_reach = vec![false; automaton.blocks.len()];
    let mut waiting: Vec<BlockId> = vec![];
    for id in automaton.ids() {
        if let End::Error(..) | End::Refuse(_) = automaton.block(id).end {
            can_reach[id.index()] = true;
            waiting.push(id);
        }
    }
    while let Some(id) = waiting.pop() {
        for &before in &predecessors[id.index()] {
            if !std::mem::replace(&mut can_reach[before.index()], true) {
                waiting.push(before);
            }
        }
    }
    automaton.move_landmarks(|block| can_reach[block.index()].then_some(block));
    for (block, can_reach) in automaton.blocks.iter_mut().zip(can_reach) {
        if !can_reach {
            let span = match &block.end {
                End::Halt(span) | End::Branch { span, .. } => *span,
                End::Jump(_) | End::Error(..) | End::Refuse(_) => {
                    block.actions.last().map_or(Span::default(), |action| action.span)
                }
            };
            block.end = End::Halt(span);
            block.actions.clear();
        }
    }
}

/// A block that only one other jumps to, and always, becomes the end of that one.
fn merge(automaton: &mut Automaton) {
    let mut entered = vec![0usize; automaton.blocks.len()];
    entered[0] = 1;
    for block in &automaton.blocks {
        block.end.successors().for_each(|next| entered[next.index()] += 1);
    }
    let mut gone = vec![false; automaton.blocks.len()];
    // Where a block has gone, if its beginning is still the beginning of one.
    let mut moved: Vec<Option<BlockId>> = automaton.ids().map(Some).collect();
    for id in automaton.ids() {
        if gone[id.index()] {
            continue;
        }
        while let End::Jump(next) = automaton.block(id).end
            && next != id
            && entered[next.index()] == 1
            && !gone[next.index()]
        {
            gone[next.index()] = true;
            moved[next.index()] = automaton.block(id).actions.is_empty().then_some(id);
            let actions = std::mem::take(&mut automaton.blocks[next.index()].actions);
            let end = automaton.blocks[next.index()].end.clone();
            automaton.blocks[next.index()].end = End::Halt(Span::default());
            let block = &mut automaton.blocks[id.index()];
            block.actions.extend(actions);
            block.end = end;
        }
    }
    automaton.move_landmarks(|block| {
        // A block that took others may itself have been taken.
        let mut at = block;
        while gone[at.index()] {
            at = moved[at.index()]?;
        }
        Some(at)
    });
}

fn remove_unreachable(automaton: &mut Automaton) {
    let mut new_id = vec![None; automaton.blocks.len()];
    let mut order = vec![];
    let mut waiting = vec![BlockId::new(0)];
    while let Some(id) = waiting.pop() {
        if new_id[id.index()].is_none() {
            new_id[id.index()] = Some(BlockId::new(order.len()));
            order.push(id);
            let mut successors: Vec<BlockId> = automaton.block(id).end.successors().collect();
            successors.reverse();
            waiting.extend(successors);
        }
    }
    let mut blocks: Vec<_> = std::mem::take(&mut automaton.blocks).into_iter().map(Some).collect();
    automaton.blocks = order.iter().filter_map(|id| blocks[id.index()].take()).collect();
    for block in &mut automaton.blocks {
        block.end.successors_mut().for_each(|next| *next = new_id[next.index()].unwrap_or(*next));
    }
    automaton.move_landmarks(|block| new_id[block.index()]);
}

fn remove_dead(automaton: &mut Automaton, exprs: &Exprs, tables: usize) {
    let liveness = Liveness::of(automaton, exprs, tables);
    for (block, live) in automaton.blocks.iter_mut().zip(liveness.at_end) {
        let mut live = live;
        if let End::Branch { condition, .. } = &block.end {
            live.read(exprs, *condition);
        }
        let mut kept = vec![];
        for action in std::mem::take(&mut block.actions).into_iter().rev() {
            if live.wants(&action) {
                live.go_back(&action, exprs);
                kept.push(action);
            }
        }
        kept.reverse();
        block.actions = kept;
    }
}
