//! The handle of a worker: it sends, and when it ends a round it gets all messages that were sent to it in that round.
//!
//! A worker and the timely thread that carries its messages talk over channels. The thread turns messages into records
//! of a dataflow of one exchange, and the ends of rounds into timestamps.

use std::cell::RefCell;
use std::collections::VecDeque;
use std::rc::Rc;
use std::sync::mpsc::{self, Receiver, RecvTimeoutError, Sender, TryRecvError};
use std::sync::{Arc, OnceLock};
use std::thread::Thread;
use std::time::Duration;

use timely::container::CapacityContainerBuilder;
use timely::dataflow::channels::pact::Exchange;
use timely::dataflow::operators::Probe;
use timely::dataflow::operators::generic::Operator;
use timely::dataflow::{InputHandle, ProbeHandle};
use timely::worker::Worker;

use crate::Cluster;
use crate::loss::{Loss, Lost};

/// A type that can be sent.
pub trait Message: timely::ExchangeData + Clone {}
impl<M: timely::ExchangeData + Clone> Message for M {}

/// The interval between looks for a loss while nothing comes.
const TICK: Duration = Duration::from_millis(20);

/// The output of the dataflow: nothing but the ends of rounds.
type Nothing = CapacityContainerBuilder<Vec<()>>;

enum Order<M> {
    Send(u64, M),
    EndRound,
}

enum Event<M> {
    Came(u64, M),
    Over(u64),
}

/// A worker's place among the others.
pub struct Rounds<M> {
    index: usize,
    peers: usize,
    /// The first worker of this process.
    first: usize,
    round: u64,
    orders: Sender<Order<M>>,
    events: Receiver<Event<M>>,
    /// Messages of later rounds, from workers that are ahead.
    early: VecDeque<(u64, M)>,
    driver: Arc<OnceLock<Thread>>,
    loss: Arc<Loss>,
}

impl<M: Message> Rounds<M> {
    /// The number of this worker among all.
    pub fn index(&self) -> usize {
        self.index
    }

    /// The number of workers.
    pub fn peers(&self) -> usize {
        self.peers
    }

    /// Whether this is the first worker of its process.
    pub fn is_first_here(&self) -> bool {
        self.index == self.first
    }

    pub fn send(&mut self, to: usize, message: M) {
        self.order(Order::Send(to as u64, message));
    }

    /// To everybody, the sender included.
    pub fn send_to_all(&mut self, message: &M) {
        (0..self.peers).for_each(|peer| self.send(peer, message.clone()));
    }

    fn order(&mut self, order: Order<M>) {
        // There is no receiver after a loss, which ends the round.
        let _ = self.orders.send(order);
        if let Some(driver) = self.driver.get() {
            driver.unpark();
        }
    }

    /// Hands out the messages of this round so far, without waiting.
    pub fn take(&mut self, hear: &mut dyn FnMut(M)) {
        self.take_early(hear);
        while let Ok(event) = self.events.try_recv() {
            self.hear(event, hear);
        }
    }

    /// Ends the round, and waits until all have: everything that was sent in it to this worker has been heard then.
    pub fn end(&mut self, hear: &mut dyn FnMut(M)) -> Result<(), Lost> {
        self.order(Order::EndRound);
        self.take_early(hear);
        loop {
            self.loss.check()?;
            match self.events.recv_timeout(TICK) {
                Ok(event) => {
                    if self.hear(event, hear) {
                        self.round += 1;
                        return Ok(());
                    }
                }
                Err(RecvTimeoutError::Timeout) => {}
                Err(RecvTimeoutError::Disconnected) => {
                    self.loss.report("the carrier of messages", "has failed");
                }
            }
        }
    }

    fn take_early(&mut self, hear: &mut dyn FnMut(M)) {
        // No worker is ahead by more than one round, as no round ends without this worker.
        if self.early.front().is_some_and(|(round, _)| *round == self.round) {
            self.early.drain(..).for_each(|(_, message)| hear(message));
        }
    }

    /// Whether the round is over.
    fn hear(&mut self, event: Event<M>, hear: &mut dyn FnMut(M)) -> bool {
        match event {
            Event::Came(round, message) if round == self.round => hear(message),
            Event::Came(round, message) => self.early.push_back((round, message)),
            Event::Over(round) => return round == self.round,
        }
        false
    }
}

/// The side of the thread that carries messages.
pub struct Driver<M> {
    orders: Receiver<Order<M>>,
    events: Sender<Event<M>>,
    thread: Arc<OnceLock<Thread>>,
    loss: Arc<Loss>,
}

/// A worker's place, and the messages to timely's thread for it.
pub fn pair<M: Message>(cluster: &Cluster, local: usize, loss: &Arc<Loss>) -> (Rounds<M>, Driver<M>) {
    let (orders, ordered) = mpsc::channel();
    let (happened, events) = mpsc::channel();
    let thread = Arc::new(OnceLock::new());
    let first = cluster.process * cluster.workers;
    let rounds = Rounds {
        index: first + local,
        peers: cluster.peers(),
        first,
        round: 0,
        orders,
        events,
        early: VecDeque::new(),
        driver: Arc::clone(&thread),
        loss: Arc::clone(loss),
    };
    (rounds, Driver { orders: ordered, events: happened, thread, loss: Arc::clone(loss) })
}

impl<M: Message> Driver<M> {
    /// Carries messages until the worker is done, or a participant is lost.
    pub fn drive(self, worker: &mut Worker) {
        let _ = self.thread.set(std::thread::current());
        let mut input = InputHandle::<u64, _>::new();
        let probe = ProbeHandle::new();
        let came = Rc::new(RefCell::new(vec![]));
        worker.dataflow::<u64, _, _>(|scope| {
            let came = Rc::clone(&came);
            let exchange = Exchange::new(|record: &(u64, M)| record.0);
            input
                .to_stream(scope)
                .unary::<Nothing, _, _, _>(exchange, "receive", move |_, _| {
                    move |input, _output| {
                        input.for_each_time(|time, records| {
                            let records = records.flat_map(|records: &mut Vec<(u64, M)>| records.drain(..));
                            came.borrow_mut().extend(records.map(|(_, message)| (*time.time(), message)));
                        });
                    }
                })
                .probe_with(&probe);
        });
        // The rounds that the worker has ended, and those of which it knows that all have.
        let (mut ended, mut over) = (0, 0);
        loop {
            let mut is_idle = true;
            loop {
                match self.orders.try_recv() {
                    Ok(Order::Send(to, message)) => input.send((to, message)),
                    Ok(Order::EndRound) => {
                        ended += 1;
                        input.advance_to(ended);
                    }
                    Err(TryRecvError::Empty) => break,
                    Err(TryRecvError::Disconnected) => {
                        drop(input);
                        return self.finish(worker);
                    }
                }
                is_idle = false;
            }
            if !is_idle {
                input.flush();
            }
            worker.step_or_park(Some(if is_idle { TICK } else { Duration::ZERO }));
            for (round, message) in came.borrow_mut().drain(..) {
                let _ = self.events.send(Event::Came(round, message));
            }
            while over < ended && !probe.less_than(&(over + 1)) {
                let _ = self.events.send(Event::Over(over));
                over += 1;
            }
            if self.loss.is_known() {
                return;
            }
        }
    }

    /// Others may still need messages under way.
    fn finish(&self, worker: &mut Worker) {
        while worker.has_dataflows() && !self.loss.is_known() {
            worker.step_or_park(Some(TICK));
        }
    }
}
