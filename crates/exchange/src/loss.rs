//! The loss of a participant: known to a whole process as soon as one of its threads notices.

use std::sync::OnceLock;

/// A participant is gone: which, and how that was noticed.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub struct Lost(pub String);

/// The first loss that was noticed.
#[derive(Debug, Default)]
pub struct Loss(OnceLock<Lost>);

impl Loss {
    pub fn report(&self, who: &str, how: &str) {
        // Participants that leave because another did are not the cause.
        let _ = self.0.set(Lost(format!("{who} {how}")));
    }

    pub fn is_known(&self) -> bool {
        self.0.get().is_some()
    }

    pub fn check(&self) -> Result<(), Lost> {
        self.0.get().cloned().map_or(Ok(()), Err)
    }
}

/// Reports a thread that panics while it holds this.
pub struct Alarm<'l>(pub &'l Loss);

impl Drop for Alarm<'_> {
    fn drop(&mut self) {
        if std::thread::panicking() {
            self.0.report("a worker of this process", "failed");
        }
    }
}
