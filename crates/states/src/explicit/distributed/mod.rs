//! The search on several workers, each of which has a part of the states: on threads, processes and hosts.
//!
//! A state belongs to the worker that its hash names (Stern and Dill, "Parallelizing the Murphi verifier", 1997). In
//! each round every worker steps from its states of one layer, and sends the successors to their owners; when the round
//! is over, all know whether there is a next layer, and which properties were reached. So layers are those of the
//! [single search](super::search), and with them verdicts, the lengths of witnesses, and the number of states. Which of
//! several shortest witnesses is found depends on hashes only, and not on the number of workers or their speed.
//!
//! Every process goes through the same, and ends with the same verdicts. The way of the data: `worker` steps and sends
//! each successor, unless it did so lately (`sent`), to the `inbox` of the worker that `hash` names; between layers
//! they `agree` on the results, and `trail` follows parents back. `message` has the messages.

mod agree;
mod hash;
mod inbox;
mod message;
mod sent;
mod trail;
mod worker;

use std::sync::mpsc;

pub use redoubt_exchange::Cluster;
use redoubt_exchange::Rounds;

use super::open::Open;
use super::outcome::{Outcome, SearchOptions, SearchVerdict, Share, Statistics, Stop};
use super::pack::Packing;
use super::search::Ready;
use crate::analysis::Facts;
use crate::program::PropertyId;
use message::Message;
use worker::{Ending, Worker};

/// The data that all workers of a process share.
struct Shared<'s> {
    ready: &'s Ready<'s>,
    packing: Packing,
    options: &'s SearchOptions,
    /// The number of bytes that the states of one worker may take.
    memory: usize,
    /// The number of properties.
    properties: usize,
    /// Which of these this process wants to know.
    wanted: Vec<bool>,
    /// Hears how properties are reached.
    found: mpsc::Sender<(PropertyId, Vec<Vec<i32>>)>,
}

/// Visits states together with others.
pub(super) fn search(
    facts: &Facts,
    ready: &Ready,
    options: &SearchOptions,
    cluster: &Cluster,
    mut open: Open,
    report: &mut dyn FnMut(PropertyId, SearchVerdict),
) -> Outcome {
    let (found, heard) = mpsc::channel();
    let properties = facts.program.properties.len();
    let shared = Shared {
        ready,
        packing: ready.scout(),
        options,
        memory: options.memory / cluster.workers.max(1),
        properties,
        wanted: (0..properties).map(|index| open.wants(PropertyId::new(index))).collect(),
        found,
    };
    let endings = std::thread::scope(|scope| {
        let run = move || {
            let is_wanted = || !options.interrupt.is_raised();
            let work = |rounds: &mut Rounds<Message>| Worker::new(&shared, rounds).run();
            redoubt_exchange::run(cluster, &is_wanted, work)
        };
        let run = scope.spawn(run);
        for (property, inputs) in heard {
            open.reach(property, report, inputs);
        }
        run.join()
    });
    let nothing = |stop, trouble| Outcome { stop, statistics: Statistics::default(), visited: vec![], trouble };
    let endings = match endings {
        Ok(Ok(endings)) => endings,
        Ok(Err(redoubt_exchange::Trouble::Unwanted)) => return nothing(Stop::Interrupted, None),
        Ok(Err(trouble)) => return nothing(Stop::Lost, Some(trouble.to_string())),
        Err(_) => return nothing(Stop::Lost, Some("a worker failed".into())),
    };
    let share = Share {
        workers: cluster.peers(),
        states: endings.iter().map(|ending| ending.states).sum(),
        bytes: endings.iter().map(|ending| ending.bytes).sum(),
    };
    // A worker that failed has told the others, so that they ended as well; all others ended alike.
    let is_complete = endings.len() == cluster.workers;
    let Some(Ending { stop, mut statistics, visited, unfollowed, lost, .. }) =
        endings.into_iter().max_by_key(|ending| ending.stop == Stop::Lost)
    else {
        return nothing(Stop::Lost, Some("a worker failed".into()));
    };
    statistics.share = Some(share);
    statistics.code = ready.machine.code_size();
    if stop == Stop::Closed && is_complete {
        unfollowed.into_iter().for_each(|property| open.forget(property));
        open.close(statistics.states, report);
    }
    Outcome { stop: if is_complete { stop } else { Stop::Lost }, statistics, visited, trouble: lost }
}
