//! Work with a time limit to its result: work that does not stop when its time is up is not waited for.
//!
//! Engines look at the clock now and then, but a large formula is written down, or a large file read, without. Leaving the process
//! ends all of it.

use std::sync::mpsc::{self, RecvTimeoutError};
use std::time::{Duration, Instant};

use redoubt_base::Interrupt;

use super::super::Failure;

/// The time that work may take beyond the limit and a twentieth of it.
const PATIENCE: Duration = Duration::from_millis(250);
/// The interval between looks at the clock.
const TICK: Duration = Duration::from_millis(10);
/// Deep programs need more than the usual stack; it takes memory only where it is used.
const STACK: usize = 256 << 20;

/// The result of some work, unless time is up or the interrupt is raised.
pub fn within<T: Send + 'static>(
    limit: Option<Duration>,
    signals: &Interrupt,
    work: impl FnOnce() -> T + Send + 'static,
) -> Result<Option<T>, Failure> {
    let (sender, receiver) = mpsc::channel();
    let run = move || {
        // The listener is gone if it took too long.
        let _ = sender.send(work());
    };
    std::thread::Builder::new().name("compare".into()).stack_size(STACK).spawn(run)?;
    let start = Instant::now();
    let mut late = limit.map(|limit| limit + limit / 20 + PATIENCE);
    loop {
        match receiver.recv_timeout(TICK) {
            Ok(result) => return Ok(Some(result)),
            Err(RecvTimeoutError::Disconnected) => return Err(Failure::Bug("the message above says where".into())),
            Err(RecvTimeoutError::Timeout) => {}
        }
        if signals.is_raised() {
            late = Some(late.unwrap_or(Duration::MAX).min(start.elapsed() + PATIENCE));
        }
        if late.is_some_and(|late| start.elapsed() > late) {
            return Ok(None);
        }
    }
}
