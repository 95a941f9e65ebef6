//! A way to end work early: a flag that any thread may raise, a deadline, and the memory that is left.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU8, AtomicU64, AtomicUsize, Ordering};
use std::time::{Duration, Instant};

use crate::Ended;

/// Shared by the threads that work and those that may stop them; clones are the same interrupt.
///
/// Time never steers what an engine does next, it can only end the work: runs stay reproducible.
#[derive(Clone, Debug)]
pub struct Interrupt {
    /// Why it is raised, if it is.
    flag: Arc<AtomicU8>,
    /// Raised flags of others that count as well.
    others: Vec<Arc<AtomicU8>>,
    origin: Instant,
    /// Nanoseconds after `origin`; [`NEVER`] if there is none.
    deadline: Arc<AtomicU64>,
    /// Bytes that may still be taken, if memory is watched at all.
    room: Arc<AtomicUsize>,
    /// More than that was asked for.
    was_refused: Arc<AtomicBool>,
}

const NEVER: u64 = u64::MAX;

/// Why work is to end.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Cause {
    /// It was asked to.
    Stopped,
    /// There is no memory left for it.
    Memory,
    /// The deadline has passed.
    Time,
}

impl Cause {
    /// The causes that a flag can have, by their numbers; 0 is none.
    fn of_flag(flag: &AtomicU8) -> Option<Cause> {
        match flag.load(Ordering::Relaxed) {
            0 => None,
            1 => Some(Cause::Stopped),
            _ => Some(Cause::Memory),
        }
    }
}

impl Default for Interrupt {
    fn default() -> Self {
        Interrupt {
            flag: Arc::default(),
            others: vec![],
            origin: Instant::now(),
            deadline: Arc::new(AtomicU64::new(NEVER)),
            room: Arc::new(AtomicUsize::new(usize::MAX)),
            was_refused: Arc::default(),
        }
    }
}

impl Interrupt {
    /// An interrupt that raises itself after this time.
    pub fn after(limit: Duration) -> Interrupt {
        let interrupt = Interrupt::default();
        interrupt.set_deadline(Some(limit));
        interrupt
    }

    /// An interrupt with the same flag and a deadline of its own, as late as this one's at first.
    pub fn narrowed(&self) -> Interrupt {
        Interrupt {
            flag: self.flag.clone(),
            others: self.others.clone(),
            origin: self.origin,
            deadline: Arc::new(AtomicU64::new(self.deadline.load(Ordering::Relaxed))),
            room: self.room.clone(),
            was_refused: self.was_refused.clone(),
        }
    }

    /// An interrupt with the same flag that ends after a share of the time that is left now, if that is limited at all.
    pub fn share(&self, parts: u32, of: u32) -> Interrupt {
        let share = self.narrowed();
        if let Some(deadline) = self.deadline() {
            let now = self.elapsed();
            share.set_deadline(Some(now + deadline.saturating_sub(now).mul_f64(f64::from(parts) / f64::from(of))));
        }
        share
    }

    /// An interrupt that is raised whenever this one is, and can be raised without raising this one.
    pub fn part(&self) -> Interrupt {
        let mut part = self.narrowed();
        part.others.push(std::mem::take(&mut part.flag));
        part
    }

    /// The same interrupt with room of its own: the bytes set and asked for concern this work only.
    pub fn with_own_room(self) -> Interrupt {
        let Interrupt { room, was_refused, .. } = Interrupt::default();
        Interrupt { room, was_refused, ..self }
    }

    /// Raises the flag: the work ends as soon as it looks. Safe in signal handlers.
    pub fn raise(&self) {
        self.flag.store(1, Ordering::Relaxed);
    }

    /// Raises the flag because the memory is full.
    pub fn raise_for_memory(&self) {
        self.flag.store(2, Ordering::Relaxed);
    }

    /// Sets the number of bytes that may still be taken, by all holders of this interrupt or of a part of it.
    pub fn set_room(&self, bytes: usize) {
        self.room.store(bytes, Ordering::Relaxed);
    }

    /// Whether `bytes` more may be taken at once. Large allocations ask first: they would be made before the flag could
    /// be raised.
    pub fn has_room(&self, bytes: usize) -> bool {
        let fits = bytes <= self.room.load(Ordering::Relaxed);
        if !fits {
            self.was_refused.store(true, Ordering::Relaxed);
        }
        fits
    }

    /// Whether memory that was asked for was refused.
    pub fn was_refused(&self) -> bool {
        self.was_refused.load(Ordering::Relaxed)
    }

    /// Moves the deadline to this time after the interrupt was made.
    pub fn set_deadline(&self, after_origin: Option<Duration>) {
        let nanoseconds = after_origin.map_or(NEVER, |limit| u64::try_from(limit.as_nanos()).unwrap_or(NEVER));
        self.deadline.store(nanoseconds, Ordering::Relaxed);
    }

    /// The deadline, as time after the interrupt was made.
    pub fn deadline(&self) -> Option<Duration> {
        match self.deadline.load(Ordering::Relaxed) {
            NEVER => None,
            nanoseconds => Some(Duration::from_nanos(nanoseconds)),
        }
    }

    /// Time since the interrupt was made.
    pub fn elapsed(&self) -> Duration {
        self.origin.elapsed()
    }

    /// Fails if the work is to end.
    pub fn check(&self) -> Result<(), Ended> {
        if self.is_raised() { Err(Ended::Interrupted) } else { Ok(()) }
    }

    pub fn is_raised(&self) -> bool {
        self.cause().is_some()
    }

    /// Why the work is to end, if it is.
    pub fn cause(&self) -> Option<Cause> {
        let flags = std::iter::once(&self.flag).chain(&self.others);
        let is_late = || self.deadline().is_some_and(|limit| self.elapsed() >= limit);
        flags.map(|flag| &**flag).find_map(Cause::of_flag).or_else(|| is_late().then_some(Cause::Time))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_part_hears_why_the_whole_is_to_end_but_not_the_other_way_round() {
        let whole = Interrupt::default();
        let part = whole.part();
        assert_eq!((whole.cause(), part.cause()), (None, None));
        part.raise();
        assert_eq!((whole.cause(), part.cause()), (None, Some(Cause::Stopped)));
        let other = whole.part();
        whole.raise_for_memory();
        assert_eq!((whole.cause(), other.cause()), (Some(Cause::Memory), Some(Cause::Memory)));
    }

    #[test]
    fn parts_have_the_room_of_the_whole() {
        let whole = Interrupt::default();
        let parts = [whole.part(), whole.narrowed(), whole.share(1, 2).part(), whole.clone()];
        assert!(parts.iter().all(|part| part.has_room(usize::MAX)));
        whole.set_room(1000);
        assert!(parts.iter().all(|part| part.has_room(1000)) && !whole.was_refused());
        assert!(parts.iter().all(|part| !part.has_room(1001) && part.was_refused()) && whole.was_refused());
        let other = whole.part().with_own_room();
        assert!(other.has_room(1001) && !other.was_refused());
        whole.raise();
        assert!(other.is_raised());
    }

    #[test]
    fn a_share_of_the_time_ends_before_the_whole() {
        let hour = Duration::from_secs(3600);
        let whole = Interrupt::after(hour);
        let share = whole.share(9, 10).deadline().expect("the whole has one");
        assert!((hour * 9 / 10..hour * 91 / 100).contains(&share), "{share:?}");
        assert_eq!(whole.deadline(), Some(hour));
        assert_eq!(Interrupt::default().share(1, 2).deadline(), None);
        assert!(Interrupt::after(Duration::ZERO).share(1, 2).is_raised());
    }

    #[test]
    fn a_deadline_that_has_passed_is_a_cause() {
        let late = Interrupt::after(Duration::ZERO);
        assert_eq!((late.cause(), late.part().cause()), (Some(Cause::Time), Some(Cause::Time)));
        assert_eq!(late.check(), Err(Ended::Interrupted));
    }
}
