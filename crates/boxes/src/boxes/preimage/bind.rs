//! Demands on expressions of several variables, met by binding each of them to an interval.
//!
//! The preimage of a set under, say, `x * y % 14999 + 445` is no product of sets, and to fix one of the variables would
//! leave almost nothing. The author's reason for the result is mostly coarse: both are positive, or lie between two
//! constants that guards compare them with. So each variable begins with its cell; if interval arithmetic then says
//! that the result is in the set, the intervals grow, to everything, to all numbers of one sign, to the next cells, as
//! long as it still does.

use super::{Pull, Reads, Source, Version};
use crate::boxes::guards::Slot;
use crate::boxes::sets::SetId;
use crate::boxes::values::range_of;
use crate::expr::ExprId;

/// A variable, and the interval that it is bound to.
struct Bound {
    slot: Slot,
    version: Version,
    interval: (i32, i32),
}

const ALL: (i32, i32) = (i32::MIN, i32::MAX);

impl Pull<'_> {
    /// Sees to it that an expression is in a set, if the cells of its variables can.
    pub(super) fn bind(&mut self, id: ExprId, reads: Reads, set: SetId) -> bool {
        let Some(bounds) = self.bounds(id, reads, set) else { return false };
        for Bound { slot, version, interval } in bounds {
            let interval = self.sets.of_intervals(vec![interval]);
            self.demand(slot, version, interval);
        }
        true
    }

    /// Whether a value that was computed can be bound that way.
    pub fn can_bind(&self, version: Version, set: SetId) -> bool {
        match &self.trace[version as usize - 1].source {
            Source::Computed(id, reads) => self.bounds(*id, reads, set).is_some(),
            _ => false,
        }
    }

    fn bounds(&self, id: ExprId, reads: Reads, set: SetId) -> Option<Vec<Bound>> {
        let mut bounds: Vec<Bound> = vec![];
        let mut is_suited = false;
        for &(slot, version) in reads {
            if self.range_at(slot, version).single().is_some() {
                continue;
            }
            // A single variable that is compared with numbers one by one has a preimage of its own.
            is_suited |= self.cells.is_ranged(slot) || !bounds.is_empty();
            if bounds.iter().all(|bound| bound.slot != slot) {
                let interval = self.cells.around(slot, self.value(slot, version));
                bounds.push(Bound { slot, version, interval });
            }
        }
        if !is_suited || !self.is_within(id, reads, set, &bounds) {
            return None;
        }
        let sign = |value: i32| if value < 0 { (i32::MIN, -1) } else { (0, i32::MAX) };
        for widest in [|_| ALL, sign] {
            for at in 0..bounds.len() {
                let wider = widest(self.value(bounds[at].slot, bounds[at].version));
                self.widen(id, reads, set, &mut bounds, (at, wider));
            }
        }
        for at in 0..bounds.len() {
            while self.grow_down(id, reads, set, &mut bounds, at) || self.grow_up(id, reads, set, &mut bounds, at) {}
        }
        Some(bounds)
    }

    fn grow_down(&self, id: ExprId, reads: Reads, set: SetId, bounds: &mut [Bound], at: usize) -> bool {
        let Bound { slot, interval: (low, high), .. } = bounds[at];
        let below = low.checked_sub(1).map(|below| self.cells.around(slot, below).0);
        below.is_some_and(|below| self.widen(id, reads, set, bounds, (at, (below, high))))
    }

    fn grow_up(&self, id: ExprId, reads: Reads, set: SetId, bounds: &mut [Bound], at: usize) -> bool {
        let Bound { slot, interval: (low, high), .. } = bounds[at];
        let above = high.checked_add(1).map(|above| self.cells.around(slot, above).1);
        above.is_some_and(|above| self.widen(id, reads, set, bounds, (at, (low, above))))
    }

    /// Lets a variable have a wider interval, if the expression stays in the set.
    fn widen(
        &self,
        id: ExprId,
        reads: Reads,
        set: SetId,
        bounds: &mut [Bound],
        (at, wider): (usize, (i32, i32)),
    ) -> bool {
        let (low, high) = bounds[at].interval;
        let wider = (low.min(wider.0), high.max(wider.1));
        if wider == (low, high) {
            return false;
        }
        bounds[at].interval = wider;
        let fits = self.is_within(id, reads, set, bounds);
        if !fits {
            bounds[at].interval = (low, high);
        }
        fits
    }

    /// Whether an expression is in a set whenever its variables are in their intervals.
    fn is_within(&self, id: ExprId, reads: Reads, set: SetId, bounds: &[Bound]) -> bool {
        let range = range_of(self.program, id, &|leaf| {
            let (slot, version) = self.read(leaf, reads);
            let known = self.range_at(slot, version);
            let bound = bounds.iter().find(|bound| bound.slot == slot);
            bound.map_or_else(|| known.clone(), |Bound { interval: (low, high), .. }| known.within(*low, *high))
        });
        self.sets.includes(set, &range)
    }
}
