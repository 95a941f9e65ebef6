//! Places of the text that loops come back to, from where they were lowered to the cut points that they become.
//!
//! The invariant of a cut point can be stated at its place in the text, in the names that are known there, if the cut
//! point has all the states that a run has there. So a landmark follows its block while the automaton is simplified,
//! and is *lost* where states are: when the blocks behind it can reach no property and were cut off, or when a loop was
//! taken in one step. A place that no run gets to is no landmark any more. Variables count only while they are live;
//! others have not kept their values.

use rustc_hash::FxHashSet;

use super::liveness::Liveness;
use super::{Automaton, BlockId, CutPoints};
use crate::expr::{TableId, VarId};
use crate::program::{AtHead, Builder, HeadKind, LoopHead};
use crate::text::Span;

/// A place of the text, in one of the calls that are inlined.
#[derive(Clone, Debug)]
pub struct Landmark {
    /// The block that begins there; `None` if it is lost.
    pub block: Option<BlockId>,
    pub span: Span,
    pub kind: HeadKind,
    pub function: String,
    /// Expressions that have the values of these variables there.
    pub variables: Vec<(VarId, String)>,
    /// The same for arrays; an index of a cell is appended.
    pub tables: Vec<(TableId, String)>,
}

impl Automaton {
    /// Lets landmarks follow their blocks; those whose block is nowhere are lost.
    pub(super) fn move_landmarks(&mut self, to: impl Fn(BlockId) -> Option<BlockId>) {
        self.landmarks.iter_mut().for_each(|landmark| landmark.block = landmark.block.and_then(&to));
    }

    /// Forgets landmarks that no run comes to. Nothing may have been cut off that runs do come to and that they do not know of.
    pub(super) fn drop_unreachable_landmarks(&mut self) {
        if self.landmarks.is_empty() {
            return;
        }
        let mut is_reached = vec![false; self.blocks.len()];
        let mut waiting = vec![BlockId::new(0)];
        is_reached[0] = true;
        while let Some(id) = waiting.pop() {
            for next in self.block(id).end.successors() {
                if !std::mem::replace(&mut is_reached[next.index()], true) {
                    waiting.push(next);
                }
            }
        }
        self.landmarks.retain(|landmark| landmark.block.is_none_or(|block| is_reached[block.index()]));
    }

    /// The cut points that the text can speak of. A place that is lost in one call is lost in all.
    pub(super) fn heads(&self, cuts: &CutPoints, liveness: &Liveness, builder: &Builder) -> Vec<LoopHead> {
        let cut = |landmark: &Landmark| {
            let block = landmark.block.filter(|block| cuts.is_cut[block.index()])?;
            Some((block, cuts.list.iter().position(|&cut| cut == block)?))
        };
        let lost: FxHashSet<Span> =
            self.landmarks.iter().filter(|one| cut(one).is_none()).map(|one| one.span).collect();
        let mut heads = vec![];
        for landmark in &self.landmarks {
            let Some((block, location)) = cut(landmark).filter(|_| !lost.contains(&landmark.span)) else { continue };
            let live = &liveness.at_start[block.index()];
            let mut variables = vec![AtHead::Dead; builder.variables.len()];
            let mut tables = vec![AtHead::Dead; builder.tables.len()];
            for (variable, text) in landmark.variables.iter().filter(|(variable, _)| live.has(*variable)) {
                variables[variable.index()] = AtHead::Called(text.clone());
            }
            for (table, text) in landmark.tables.iter().filter(|(table, _)| live.has_table(*table)) {
                tables[table.index()] = AtHead::Called(text.clone());
            }
            let (span, kind, function) = (landmark.span, landmark.kind, landmark.function.clone());
            heads.push(LoopHead { span, kind, function, location: Some(location as i32), variables, tables });
        }
        heads.sort_by_key(|head| (head.span.file, head.span.start, head.location));
        // Calls whose blocks became one.
        heads.dedup();
        heads
    }
}
