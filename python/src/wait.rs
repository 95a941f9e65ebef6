//! Work that takes long to its result, while Python stays able to interrupt it.

use std::sync::mpsc::{self, RecvTimeoutError};
use std::time::Duration;

use pyo3::prelude::*;
use redoubt::base::Threads;
use redoubt::{Interrupt, Limits};

/// The interval between looks at signals.
const TICK: Duration = Duration::from_millis(20);

/// Deep programs need more than the usual stack.
const STACK: usize = 256 << 20;

/// Limits that end work after a number of seconds; all cores may be used.
pub fn limits(timeout: Option<f64>) -> PyResult<Limits> {
    let interrupt = match timeout {
        None => Interrupt::default(),
        Some(seconds) => Interrupt::after(Duration::try_from_secs_f64(seconds).map_err(crate::refused)?),
    };
    Ok(Limits { interrupt, threads: Threads::other_cores(), ..Limits::default() })
}

/// Does the work in a thread of its own. A signal raises the interrupt, which ends it.
pub fn wait<T: Send + 'static>(
    py: Python<'_>,
    interrupt: &Interrupt,
    work: impl FnOnce() -> T + Send + 'static,
) -> PyResult<T> {
    let (sender, receiver) = mpsc::channel();
    let run = move || {
        // Nobody listens any more after a signal.
        let _ = sender.send(work());
    };
    std::thread::Builder::new().name("redoubt".into()).stack_size(STACK).spawn(run)?;
    // The receiver is used by one thread at a time.
    let receiver = std::sync::Mutex::new(receiver);
    loop {
        let received = py.detach(|| {
            let receiver = receiver.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
            receiver.recv_timeout(TICK)
        });
        match received {
            Ok(result) => return Ok(result),
            Err(RecvTimeoutError::Timeout) => {
                if let Err(signal) = py.check_signals() {
                    interrupt.raise();
                    return Err(signal);
                }
            }
            Err(RecvTimeoutError::Disconnected) => return Err(crate::refused("a bug in redoubt; see the messages")),
        }
    }
}
