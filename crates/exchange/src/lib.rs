//! Workers that work in rounds: messages sent in a round arrive when it ends. On threads, processes and hosts alike.
//!
//! This is the bulk-synchronous model (Valiant, "A bridging model for parallel computation", 1990) on timely dataflow
//! (Murray and others, "Naiad", 2013): a message is exchanged to the worker it is for, a round is a timestamp, and a
//! round is over when timely's progress tracking says that no message of it is under way. The work itself is unknown
//! here.
//!
//! The way of the data: [`Cluster`] lists the participants, `connect` turns addresses into connections, on each of
//! which `wire` notices when the other end is gone and `pulse` when it is silent, and `rounds` is the handle of a
//! worker. Timely's threads only carry messages; workers have threads of their own, so that these may borrow their
//! data.

mod connect;
mod loss;
mod pulse;
mod rounds;
mod wire;

use std::any::Any;
use std::sync::{Arc, Mutex, PoisonError, mpsc};
use std::time::{Duration, Instant};

use timely::WorkerConfig;
use timely::communication::AllocatorBuilder;
use timely::communication::Config;
use timely::communication::Hooks;
use timely::communication::allocator::ProcessBuilder;
use timely::communication::allocator::zero_copy::initialize::initialize_networking_from_sockets;

use loss::Loss;
pub use loss::Lost;
use pulse::Pulse;
pub use rounds::{Message, Rounds};

/// The participants.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Cluster {
    /// The number of workers in each process.
    pub workers: usize,
    /// The addresses of all processes; none if this is the only one.
    pub hosts: Vec<String>,
    /// Which of them this process is.
    pub process: usize,
    /// The subject of the work: processes with different ones do not come together.
    pub question: String,
}

impl Cluster {
    /// `workers` workers in this process.
    pub fn threads(workers: usize) -> Cluster {
        Cluster { workers, ..Cluster::default() }
    }

    /// Whether this process is the first one.
    pub fn is_first(&self) -> bool {
        self.process == 0
    }

    /// The number of workers in all.
    pub fn peers(&self) -> usize {
        self.workers * self.hosts.len().max(1)
    }
}

/// Why there was no first round.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Trouble {
    #[error("{address}: {reason}")]
    Address { address: String, reason: String },
    #[error("process {process} ({address}) did not come within {seconds} s")]
    Absent { process: usize, address: String, seconds: u64 },
    #[error("process {process} is not about the same: {reason}")]
    Stranger { process: usize, reason: String },
    #[error("the work was ended before all had come")]
    Unwanted,
    #[error("{0}")]
    Timely(String),
}

/// The time for connections to come to their end when all is done.
const FAREWELL: Duration = Duration::from_secs(3);

/// Deep programs need more than the usual stack; it takes memory only where it is used.
const STACK: usize = 256 << 20;

/// Does the work on every worker of this process, and waits for all of them. While other processes are waited for, `is_wanted` says
/// whether to go on.
pub fn run<M: Message, T: Send>(
    cluster: &Cluster,
    is_wanted: &dyn Fn() -> bool,
    work: impl Fn(&mut Rounds<M>) -> T + Sync,
) -> Result<Vec<T>, Trouble> {
    let loss = Arc::new(Loss::default());
    let (builders, comms, pulse) = build(cluster, is_wanted, &loss)?;
    let (handles, drivers): (Vec<_>, Vec<_>) =
        (0..cluster.workers).map(|local| rounds::pair::<M>(cluster, local, &loss)).unzip();
    let drivers = Mutex::new(drivers.into_iter().map(Some).collect::<Vec<_>>());
    let first = cluster.process * cluster.workers;
    let guards = timely::execute::execute_from(builders, Box::new(()), WorkerConfig::default(), move |worker| {
        let driver = drivers.lock().unwrap_or_else(PoisonError::into_inner)[worker.index() - first].take();
        if let Some(driver) = driver {
            driver.drive(worker);
        }
    })
    .map_err(Trouble::Timely)?;
    let work = &work;
    let results = std::thread::scope(|scope| {
        let start = |mut rounds: Rounds<M>| {
            let loss = Arc::clone(&loss);
            let run = move || {
                let _alarm = loss::Alarm(&loss);
                work(&mut rounds)
            };
            std::thread::Builder::new().name("worker".into()).stack_size(STACK).spawn_scoped(scope, run)
        };
        let threads: Vec<_> = handles.into_iter().map(start).collect();
        // A worker that panics has told the others, and its message is on the screen.
        threads.into_iter().filter_map(|thread| thread.ok()?.join().ok()).collect::<Vec<T>>()
    });
    drop(pulse);
    let (over, is_over) = mpsc::channel();
    // Threads that wait for a lost participant are left to themselves: the process ends soon.
    std::thread::spawn(move || {
        drop(guards);
        drop(comms);
        let _ = over.send(());
    });
    let start = Instant::now();
    while !loss.is_known() && start.elapsed() < FAREWELL {
        match is_over.recv_timeout(Duration::from_millis(10)) {
            Err(mpsc::RecvTimeoutError::Timeout) => {}
            _ => break,
        }
    }
    Ok(results)
}

type Built = (Vec<AllocatorBuilder>, Box<dyn Any + Send>, Option<Pulse>);

/// The parts that timely needs to carry messages.
fn build(cluster: &Cluster, is_wanted: &dyn Fn() -> bool, loss: &Arc<Loss>) -> Result<Built, Trouble> {
    if cluster.hosts.len() < 2 {
        let (builders, others) = Config::Process(cluster.workers).try_build().map_err(Trouble::Timely)?;
        return Ok((builders, others, None));
    }
    let hooks = Hooks::default();
    let connections = connect::connect(cluster, is_wanted)?;
    let (wires, pulses): (Vec<_>, Vec<_>) = connections.into_iter().map(Option::unzip).unzip();
    let wires = wires
        .into_iter()
        .enumerate()
        .map(|(process, stream)| stream.map(|stream| wire::Wire::new(stream, cluster.name(process), Arc::clone(loss))));
    let pulses = pulses.into_iter().enumerate().filter_map(|(process, stream)| Some((cluster.name(process), stream?)));
    let pulse = Pulse::start(pulses.collect(), loss).map_err(|error| Trouble::Timely(error.to_string()))?;
    let threads = ProcessBuilder::new_typed_vector(cluster.workers, hooks.refill.clone(), None);
    let built = initialize_networking_from_sockets(threads, wires.collect(), cluster.process, cluster.workers, hooks);
    let (builders, guard) = built.map_err(|error| Trouble::Timely(error.to_string()))?;
    Ok((builders.into_iter().map(AllocatorBuilder::Tcp).collect(), Box::new(guard), Some(pulse)))
}

impl Cluster {
    /// A process in messages.
    fn name(&self, process: usize) -> String {
        format!("process {process} ({})", self.hosts[process])
    }
}

#[cfg(test)]
mod tests;
