//! Threads that a run may use beside those at work: borrowed for a piece of work that can be divided, and given back.
//!
//! Work is divided in such a way that the result does not depend on the number of threads, so that a run can be
//! repeated. So threads need not be distributed beforehand: work that is done leaves its threads to the rest.

use std::num::NonZero;
use std::panic::resume_unwind;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread::{Builder, available_parallelism};

/// Threads that may be started; clones speak of the same ones. There are none by default.
#[derive(Clone, Debug, Default)]
pub struct Threads {
    spare: Arc<AtomicUsize>,
}

impl Threads {
    pub fn new(spare: usize) -> Threads {
        Threads { spare: Arc::new(AtomicUsize::new(spare)) }
    }

    /// One for each core but one, which the caller has.
    pub fn other_cores() -> Threads {
        Threads::new(available_parallelism().map_or(1, NonZero::get) - 1)
    }

    /// As many threads as are free now, but at most `most`. They are given back when the result is dropped.
    pub fn borrow(&self, most: usize) -> Borrowed {
        let taken =
            self.spare.fetch_update(Ordering::Relaxed, Ordering::Relaxed, |spare| Some(spare - spare.min(most)));
        let count = taken.map_or(0, |spare| spare.min(most));
        Borrowed { threads: self.clone(), count }
    }

    /// Work is done, and leaves its thread to the rest.
    pub fn give(&self, count: usize) {
        self.spare.fetch_add(count, Ordering::Relaxed);
    }
}

/// Threads for the holder's exclusive use.
#[derive(Debug)]
pub struct Borrowed {
    threads: Threads,
    count: usize,
}

impl Borrowed {
    pub fn count(&self) -> usize {
        self.count
    }
}

impl Drop for Borrowed {
    fn drop(&mut self) {
        self.threads.give(self.count);
    }
}

/// Deep programs need more than the usual stack; it takes memory only where it is used.
const STACK: usize = 256 << 20;

/// The results of `work` for the items, in their order: on this thread and on one more for each further worker. A
/// worker is the data that a thread has for itself while it works.
pub fn map<W: Send, I: Sync, R: Send>(workers: Vec<W>, items: &[I], work: impl Fn(&mut W, &I) -> R + Sync) -> Vec<R> {
    let next = AtomicUsize::new(0);
    let take = |mut worker: W| {
        let mut done = vec![];
        while let number = next.fetch_add(1, Ordering::Relaxed)
            && let Some(item) = items.get(number)
        {
            done.push((number, work(&mut worker, item)));
        }
        done
    };
    let take = &take;
    let mut workers = workers.into_iter();
    let Some(own) = workers.next() else { return vec![] };
    let mut done = std::thread::scope(|scope| {
        let thread = || Builder::new().name("helper".into()).stack_size(STACK);
        // A thread that the system does not let us start leaves its share to the others.
        let others: Vec<_> =
            workers.filter_map(|worker| thread().spawn_scoped(scope, move || take(worker)).ok()).collect();
        let mut done = take(own);
        for other in others {
            done.extend(other.join().unwrap_or_else(|panic| resume_unwind(panic)));
        }
        done
    });
    done.sort_unstable_by_key(|(number, _)| *number);
    done.into_iter().map(|(_, result)| result).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_thread_is_lent_twice() {
        let threads = Threads::new(3);
        let (first, second) = (threads.borrow(2), threads.borrow(2));
        assert_eq!((first.count(), second.count(), threads.borrow(1).count()), (2, 1, 0));
        drop(first);
        assert_eq!(threads.borrow(9).count(), 2, "what is given back is there again");
        threads.give(1);
        assert_eq!((threads.borrow(9).count(), Threads::default().borrow(1).count()), (3, 0));
    }

    #[test]
    fn results_are_in_order_whoever_made_them() {
        let items: Vec<u64> = (0..200).collect();
        for workers in 1..5 {
            let squares = map(vec![0_u64; workers], &items, |count, item| {
                *count += 1;
                item * item
            });
            assert!(squares.into_iter().eq(items.iter().map(|item| item * item)), "{workers} workers");
        }
    }
}
