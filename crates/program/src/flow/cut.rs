//! An automaton to the blocks that cut all its cycles: the entry, and where a back edge of one depth-first search leads.
//!
//! Every cycle has a back edge, whether it has one entry or several, so nothing else is needed for jumps into loops.

use super::{Automaton, BlockId};

/// Where a step may begin, and the blocks in an order in which those between cut points follow each other.
#[derive(Clone, Debug)]
pub struct CutPoints {
    /// The entry first, the others in the order in which the search met them.
    pub list: Vec<BlockId>,
    /// Per block.
    pub is_cut: Vec<bool>,
    /// All blocks; successors come later, unless they are cut points.
    pub order: Vec<BlockId>,
}

impl CutPoints {
    pub fn of(automaton: &Automaton) -> CutPoints {
        let mut is_cut = vec![false; automaton.blocks.len()];
        let mut finished = vec![];
        let mut state = vec![Search::New; automaton.blocks.len()];
        let entry = BlockId::new(0);
        let mut stack = vec![(entry, successors(automaton, entry))];
        state[0] = Search::Open;
        while let Some((block, rest)) = stack.last_mut() {
            let Some(next) = rest.pop() else {
                state[block.index()] = Search::Done;
                finished.push(*block);
                stack.pop();
                continue;
            };
            match state[next.index()] {
                Search::New => {
                    state[next.index()] = Search::Open;
                    stack.push((next, successors(automaton, next)));
                }
                Search::Open => is_cut[next.index()] = true,
                Search::Done => {}
            }
        }
        finished.reverse();
        is_cut[0] = true;
        let list = finished.iter().copied().filter(|block| is_cut[block.index()]).collect();
        CutPoints { list, is_cut, order: finished }
    }
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Search {
    New,
    Open,
    Done,
}

/// The last is looked at first, so that the order is that of the text.
fn successors(automaton: &Automaton, block: BlockId) -> Vec<BlockId> {
    automaton.block(block).end.successors().collect()
}
