//! The memory limit: watches how much the process takes, all engines and solvers together, and ends work in time.

use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use redoubt_base::Interrupt;

use super::super::Failure;

/// The interval between looks at the memory.
const TICK: Duration = Duration::from_millis(5);

/// Bytes in the megabytes of the option.
pub const MEGABYTE: usize = 1 << 20;

/// So large a part of the memory is left alone, since it takes a moment until everybody has heard.
const EARLY: usize = 20;

/// The default memory of an explicit search.
const STATES: usize = 2048 * MEGABYTE;

/// Shared by the thread that watches and those that work; without a limit nothing is watched.
#[derive(Clone, Debug, Default)]
pub struct Memory {
    limit: Option<usize>,
    working: Arc<Mutex<Vec<(usize, Interrupt)>>>,
    next: Arc<AtomicUsize>,
    /// Work was interrupted, and that did not help.
    is_hopeless: Arc<AtomicBool>,
}

/// A problem that is worked on.
pub struct Working<'m> {
    memory: &'m Memory,
    number: usize,
    interrupt: Interrupt,
}

impl Memory {
    /// Starts to watch, if there is a limit in megabytes.
    pub fn watch(limit: Option<usize>) -> Result<Memory, Failure> {
        let memory = Memory { limit: limit.map(|limit| limit.saturating_mul(MEGABYTE)), ..Memory::default() };
        let Some(limit) = memory.limit else { return Ok(memory) };
        if resident().is_none() {
            return Err(Failure::Usage("--memory needs a system that says how much memory a process takes".into()));
        }
        let watched = memory.clone();
        let watch = move || {
            loop {
                let taken = resident().unwrap_or(0);
                let room = Self::room(limit, taken);
                if room == 0 {
                    watched.interrupt_all();
                }
                watched.share_room(room);
                watched.is_hopeless.store(taken >= limit + limit / 40, Ordering::Relaxed);
                std::thread::sleep(TICK);
            }
        };
        std::thread::Builder::new().name("memory".into()).spawn(watch)?;
        Ok(memory)
    }

    fn working(&self) -> MutexGuard<'_, Vec<(usize, Interrupt)>> {
        self.working.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The number of bytes that may still be taken.
    fn room(limit: usize, taken: usize) -> usize {
        (limit - limit / EARLY).saturating_sub(taken)
    }

    /// Tells all workers how much is left, in equal parts: several may be about to take it.
    fn share_room(&self, room: usize) {
        let working = self.working();
        working.iter().for_each(|(_, interrupt)| interrupt.set_room(room / working.len()));
    }

    fn interrupt_all(&self) {
        self.working().drain(..).for_each(|(_, interrupt)| interrupt.raise_for_memory());
    }

    /// Lets a problem be interrupted when memory gets short.
    pub fn begin(&self, interrupt: &Interrupt) -> Working<'_> {
        let number = self.next.fetch_add(1, Ordering::Relaxed);
        self.working().push((number, interrupt.clone()));
        if let Some(limit) = self.limit {
            self.share_room(Self::room(limit, resident().unwrap_or(0)));
        }
        Working { memory: self, number, interrupt: interrupt.clone() }
    }

    /// The number of bytes that the states of an explicit search may take from now on: others need some too.
    pub fn for_states(&self) -> usize {
        match self.limit {
            None => STATES,
            Some(limit) => limit.saturating_sub(resident().unwrap_or(0)) / 5 * 4,
        }
    }

    /// Whether the process takes too much although all work was told to end.
    pub fn is_hopeless(&self) -> bool {
        self.is_hopeless.load(Ordering::Relaxed)
    }
}

impl Working<'_> {
    /// Whether it was interrupted for want of memory.
    pub fn is_stopped(&self) -> bool {
        self.memory.limit.is_some() && self.memory.working().iter().all(|(number, _)| *number != self.number)
    }

    /// Whether memory that was asked for was refused, and the work went on.
    pub fn was_refused(&self) -> bool {
        self.interrupt.was_refused()
    }
}

impl Drop for Working<'_> {
    fn drop(&mut self) {
        self.memory.working().retain(|(number, _)| *number != self.number);
    }
}

/// The bytes of the process that are in memory, as Linux tells.
fn resident() -> Option<usize> {
    let text = std::fs::read_to_string("/proc/self/statm").ok()?;
    let pages: usize = text.split(' ').nth(1)?.parse().ok()?;
    let size = nix::unistd::sysconf(nix::unistd::SysconfVar::PAGE_SIZE).ok()??;
    Some(pages * usize::try_from(size).ok()?)
}
