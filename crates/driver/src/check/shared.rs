//! The system of a program after the passes, made once for all strategies that begin with it.
//!
//! Each of them has a share. The first one makes the system, as long as its interrupt lets it, and others wait
//! meanwhile. A system that an interrupt cut short is only for the one that was interrupted: the next one begins again.
//! The last share takes the system along, so that it lives no longer than its users.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError, TryLockError};
use std::thread::sleep;
use std::time::Duration;

use crate::analysis::Facts;
use crate::base::{Ended, Interrupt};
use crate::system;
use crate::system::passes::{self, Passed, Passes};

/// The system of one program, after these passes.
pub(super) struct Shared {
    passes: Passes,
    /// Locked while it is being made.
    kept: Mutex<Kept>,
}

#[derive(Default)]
struct Kept {
    /// The number of shares that have not asked yet.
    expected: usize,
    system: Option<Result<Arc<Passed>, Ended>>,
}

/// A strategy's right to ask for the system, once.
pub(super) struct Share<'s>(&'s Shared);

/// The wait between two looks at the interrupt.
const BETWEEN_LOOKS: Duration = Duration::from_millis(1);

impl Shared {
    pub(super) fn new(passes: Passes) -> Shared {
        Shared { passes, kept: Mutex::default() }
    }

    pub(super) fn share(&self) -> Share<'_> {
        self.kept.lock().unwrap_or_else(PoisonError::into_inner).expected += 1;
        Share(self)
    }

    /// The kept system, when it is not being made; a panic of its maker has left nothing.
    fn wait(&self, interrupt: &Interrupt) -> Result<MutexGuard<'_, Kept>, Ended> {
        loop {
            match self.kept.try_lock() {
                Ok(kept) => return Ok(kept),
                Err(TryLockError::Poisoned(kept)) => return Ok(kept.into_inner()),
                Err(TryLockError::WouldBlock) => interrupt.check()?,
            }
            sleep(BETWEEN_LOOKS);
        }
    }

    fn make(&self, facts: &Facts, interrupt: &Interrupt) -> Result<Arc<Passed>, Ended> {
        let system = system::build_within(facts, interrupt)?;
        Ok(Arc::new(passes::run(system, self.passes, interrupt)))
    }
}

impl Share<'_> {
    /// The system after the passes, without those that the interrupt left no time for. All shares are about the same
    /// program.
    pub(super) fn get(&self, facts: &Facts, interrupt: &Interrupt) -> Result<Arc<Passed>, Ended> {
        let Share(shared) = self;
        let mut kept = shared.wait(interrupt)?;
        kept.expected = kept.expected.saturating_sub(1);
        let found = kept.system.take().unwrap_or_else(|| shared.make(facts, interrupt));
        let is_whole = match &found {
            Ok(passed) => passed.has_all(shared.passes),
            Err(ended) => *ended == Ended::TooLarge,
        };
        if is_whole && kept.expected > 0 {
            kept.system = Some(found.clone());
        }
        found
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::program::Program;

    fn program() -> Program {
        let text = "var x: int = 0\nvar same: int = 0\nvar idle: int = 3\nstep { x = x + 1; same = same + 1 }\n\
                    property apart: never x != same\n";
        crate::languages::parse(vec![crate::text::SourceFile::new("model.gcl", text)]).expect("a model")
    }

    #[test]
    fn all_get_the_same_system_and_the_last_one_leaves_none() {
        let program = program();
        let facts = Facts::new(&program);
        let shared = Shared::new(Passes::ALL);
        let shares = [shared.share(), shared.share(), shared.share()];
        let systems = std::thread::scope(|scope| {
            let all = shares.each_ref().map(|share| scope.spawn(|| share.get(&facts, &Interrupt::default())));
            all.map(|thread| thread.join().expect("it does not panic").expect("nobody interrupts"))
        });
        assert!(systems.iter().all(|system| Arc::ptr_eq(system, &systems[0])));
        assert_eq!(Arc::strong_count(&systems[0]), systems.len());
        assert_eq!((systems[0].states_before(), systems[0].savings.len()), (3, 3));
    }

    #[test]
    fn what_an_interrupt_cut_short_is_for_nobody_else() {
        let program = program();
        let facts = Facts::new(&program);
        let shared = Shared::new(Passes::ALL);
        let shares = [shared.share(), shared.share(), shared.share()];
        let raised = Interrupt::default();
        raised.raise();
        // The program is too small for a look at the interrupt before the passes.
        assert!(!shares[0].get(&facts, &raised).expect("it is small").has_all(Passes::ALL));
        assert!(shares[1].get(&facts, &Interrupt::default()).expect("nobody interrupts").has_all(Passes::ALL));
        // An existing system costs no time.
        assert!(shares[2].get(&facts, &raised).expect("it is there").has_all(Passes::ALL));
    }

    #[test]
    fn who_waits_for_somebody_else_looks_at_its_own_interrupt() {
        let program = program();
        let facts = Facts::new(&program);
        let shared = Shared::new(Passes::ALL);
        let share = shared.share();
        let _made_by_somebody = shared.kept.lock().expect("nobody panicked");
        assert_eq!(share.get(&facts, &Interrupt::after(Duration::from_millis(5))).err(), Some(Ended::Interrupted));
    }
}
