//! Walks before their turn, by other threads.
//!
//! Parts take their turns one after the other, since what a walk leads to matters to those behind it. But mostly it does not matter to the very
//! next: so other threads walk from those at the head of the queue, and if nothing has arrived there when its turn has come, the walk
//! counts as if it had been made then ([`Draft`]). Else it was in vain. So the partition that is found is the same, however many
//! threads there are.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};

use rustc_hash::FxHashMap;

use super::super::step::Label;
use super::PartId;
use super::walk::{Draft, Ground, Origin, walk_ahead};
use crate::analysis::Values;

/// A part to walk from, as it was when the order was given.
pub struct Order {
    pub part: PartId,
    /// How often something had arrived there.
    pub arrivals: u32,
    pub values: Vec<Values>,
    pub asked: Vec<usize>,
    pub labels: Vec<Label>,
    pub joins: bool,
}

impl Order {
    /// Makes the walk; what it finds is worth nothing if that was given up.
    fn walk(&self, ground: &mut Ground, is_over: &AtomicBool) -> Draft {
        let labels = std::mem::replace(&mut ground.labels, self.labels.clone());
        let joins = std::mem::replace(&mut ground.joins, self.joins);
        let draft = walk_ahead(ground, Origin { values: &self.values, asked: &self.asked }, is_over);
        (ground.labels, ground.joins) = (labels, joins);
        draft
    }
}

/// What has become of an order.
enum Stage {
    Given(Box<Order>),
    Begun,
    Done(Draft),
}

/// What the one who takes the turns and the others have in common.
#[derive(Default)]
pub struct Ahead {
    desk: Mutex<Desk>,
    changed: Condvar,
    is_over: AtomicBool,
}

#[derive(Default)]
struct Desk {
    /// The parts to walk from, the next one first.
    agenda: Vec<PartId>,
    /// By part: the last order, by what had arrived there.
    orders: FxHashMap<PartId, (u32, Stage)>,
}

/// What there is of a walk whose turn it is.
pub enum Progress {
    Nothing,
    Begun,
    Done(Draft),
}

impl Ahead {
    fn desk(&self) -> MutexGuard<'_, Desk> {
        self.desk.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// These are next, in this order; `order` is asked for an order where there is none for what has arrived by now.
    pub fn plan(&self, next: &[(PartId, u32)], mut order: impl FnMut(PartId) -> Order) {
        let mut desk = self.desk();
        desk.agenda.clear();
        let mut has_news = false;
        for &(part, arrivals) in next {
            desk.agenda.push(part);
            if desk.orders.get(&part).is_none_or(|(known, _)| *known != arrivals) {
                desk.orders.insert(part, (arrivals, Stage::Given(Box::new(order(part)))));
                has_news = true;
            }
        }
        drop(desk);
        if has_news {
            self.changed.notify_all();
        }
    }

    /// It is the turn of a part where so much has arrived.
    pub fn take(&self, part: PartId, arrivals: u32) -> Progress {
        let mut desk = self.desk();
        match desk.orders.remove(&part) {
            Some((known, Stage::Begun)) if known == arrivals => {
                desk.orders.insert(part, (known, Stage::Begun));
                Progress::Begun
            }
            Some((known, Stage::Done(draft))) if known == arrivals => Progress::Done(draft),
            _ => Progress::Nothing,
        }
    }

    /// Waits until a walk is done that was begun.
    pub fn wait(&self, part: PartId) {
        let is_begun = |desk: &mut Desk| matches!(desk.orders.get(&part), Some((_, Stage::Begun)));
        let waited = self.changed.wait_while(self.desk(), is_begun);
        drop(waited.unwrap_or_else(PoisonError::into_inner));
    }

    /// Walks from the first part that nobody has begun with; whether there was one.
    pub fn work(&self, ground: &mut Ground) -> bool {
        let Some(order) = self.desk().begin() else { return false };
        let mut begun = Begun { ahead: self, part: order.part, arrivals: order.arrivals, draft: None };
        begun.draft = Some(order.walk(ground, &self.is_over));
        true
    }

    /// Works until there is nothing more to do.
    pub fn serve(&self, mut ground: Ground) {
        while !self.is_over.load(Ordering::Relaxed) {
            if !self.work(&mut ground) {
                let is_idle = |desk: &mut Desk| !self.is_over.load(Ordering::Relaxed) && !desk.has_work();
                drop(self.changed.wait_while(self.desk(), is_idle).unwrap_or_else(PoisonError::into_inner));
            }
        }
    }
}

/// A walk that somebody may wait for: it ends, even if by a panic.
struct Begun<'a> {
    ahead: &'a Ahead,
    part: PartId,
    arrivals: u32,
    draft: Option<Draft>,
}

impl Drop for Begun<'_> {
    fn drop(&mut self) {
        let mut desk = self.ahead.desk();
        if matches!(desk.orders.get(&self.part), Some((arrivals, Stage::Begun)) if *arrivals == self.arrivals) {
            desk.orders.remove(&self.part);
            let done = self.draft.take().map(|draft| (self.arrivals, Stage::Done(draft)));
            done.into_iter().for_each(|done| drop(desk.orders.insert(self.part, done)));
        }
        drop(desk);
        self.ahead.changed.notify_all();
    }
}

/// Nobody needs walks any more when this is dropped.
pub struct Ending<'a>(pub &'a Ahead);

impl Drop for Ending<'_> {
    fn drop(&mut self) {
        let desk = self.0.desk();
        self.0.is_over.store(true, Ordering::Relaxed);
        drop(desk);
        self.0.changed.notify_all();
    }
}

impl Desk {
    fn next(&self) -> Option<PartId> {
        let is_given = |part: &&PartId| matches!(self.orders.get(part), Some((_, Stage::Given(_))));
        self.agenda.iter().find(is_given).copied()
    }

    fn has_work(&self) -> bool {
        self.next().is_some()
    }

    fn begin(&mut self) -> Option<Order> {
        let (_, stage) = self.orders.get_mut(&self.next()?)?;
        match std::mem::replace(stage, Stage::Begun) {
            Stage::Given(order) => Some(*order),
            _ => None,
        }
    }
}
