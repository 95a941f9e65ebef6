//! A way to end work early: a flag that anybody may raise, and a deadline.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::time::{Duration, Instant};

use crate::Ended;

/// Shared by those who may end the work and those who do it; clones are the same interrupt.
///
/// Time never steers what an engine does next, it can only end the work: runs stay reproducible.
#[derive(Clone, Debug)]
pub struct Interrupt {
    flag: Arc<AtomicBool>,
    /// Raised flags of others that count as well.
    others: Vec<Arc<AtomicBool>>,
    origin: Instant,
    /// Nanoseconds after `origin`; [`NEVER`] if there is none.
    deadline: Arc<AtomicU64>,
}

const NEVER: u64 = u64::MAX;

impl Default for Interrupt {
    fn default() -> Self {
        Interrupt {
            flag: Arc::default(),
            others: vec![],
            origin: Instant::now(),
            deadline: Arc::new(AtomicU64::new(NEVER)),
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
        }
    }

    /// An interrupt that is raised whenever this one is, and can be raised without raising this one.
    pub fn part(&self) -> Interrupt {
        let mut part = self.narrowed();
        part.others.push(std::mem::take(&mut part.flag));
        part
    }

    /// Raises the flag: the work ends as soon as those who do it look. Safe in signal handlers.
    pub fn raise(&self) {
        self.flag.store(true, Ordering::Relaxed);
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
        self.flag.load(Ordering::Relaxed)
            || self.others.iter().any(|other| other.load(Ordering::Relaxed))
            || self.deadline().is_some_and(|limit| self.elapsed() >= limit)
    }
}
