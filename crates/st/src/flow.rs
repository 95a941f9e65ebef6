//! Facts about values: on the way through a cycle, and of every cycle.
//!
//! A program is lowered several times. Each time relies on the [`Facts`] of the time before, and collects new ones,
//! which are at least as good: the values assigned to a variable on any path through a cycle, given the earlier facts,
//! include all values that it ever has.

use rustc_hash::FxHashMap;

use redoubt_program::expr::VarId;

/// The least and the greatest value.
pub type Bounds = (i64, i64);

pub fn join(a: Bounds, b: Bounds) -> Bounds {
    (a.0.min(b.0), a.1.max(b.1))
}

/// The facts at one place of a cycle.
#[derive(Clone, Debug, Default)]
pub struct Flow {
    pub known: FxHashMap<VarId, Bounds>,
    /// The number of calls of each timer in this cycle, at least and at most.
    pub calls: FxHashMap<(usize, usize), (u32, u32)>,
}

impl Flow {
    /// The facts where two paths meet.
    fn join(&mut self, other: Flow) {
        self.known.retain(|variable, bounds| match other.known.get(variable) {
            Some(&more) => {
                *bounds = join(*bounds, more);
                true
            }
            None => false,
        });
        for (timer, (low, high)) in &mut self.calls {
            let (least, most) = other.calls.get(timer).copied().unwrap_or((0, 0));
            (*low, *high) = ((*low).min(least), (*high).max(most));
        }
        for (timer, (_, most)) in other.calls {
            self.calls.entry(timer).or_insert((0, most));
        }
    }

    pub fn call(&mut self, timer: usize, cell: usize) {
        let (least, most) = self.calls.entry((timer, cell)).or_insert((0, 0));
        (*least, *most) = (*least + 1, *most + 1);
    }
}

/// The same of several ways, of which those that are `None` come to nothing.
pub fn joined(ways: impl IntoIterator<Item = Option<Flow>>) -> Option<Flow> {
    ways.into_iter().flatten().reduce(|mut all, other| {
        all.join(other);
        all
    })
}

/// The facts about every cycle.
#[derive(Clone, Debug, Default)]
pub struct Facts {
    /// All values of a variable.
    pub values: FxHashMap<VarId, Bounds>,
    pub timers: FxHashMap<usize, TimerFacts>,
}

/// The use of a timer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TimerFacts {
    /// Whether each of its cells is called just once in every cycle.
    pub is_regular: bool,
    /// The values of `PT` in all calls.
    pub duration: Bounds,
}

impl Facts {
    pub fn note(&mut self, variable: VarId, bounds: Bounds) {
        self.values.entry(variable).and_modify(|known| *known = join(*known, bounds)).or_insert(bounds);
    }
}
