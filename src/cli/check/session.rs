//! Events to output: a run from its first event to its last word.

use std::collections::{HashMap, HashSet};
use std::io::{self, Write};
use std::sync::mpsc::{Receiver, RecvTimeoutError};
use std::time::{Duration, Instant};

use redoubt_base::Interrupt;
use redoubt_driver::ledger::Why;

use super::super::Failure;
use super::super::output::{message, stdout};
use super::advice;
use super::collect::{Collection, State};
use super::memory::Memory;
use super::options::{CheckArgs, Format};
use super::record::{FailureRecord, ProblemRecord, PropertyRecord};
use super::run::{Event, News};
use super::view::View;
use super::write::Writer;

/// The time for interrupted work to come to its end.
const GRACE: Duration = Duration::from_millis(500);

/// The interval between looks at the interrupt while nothing happens.
const TICK: Duration = Duration::from_millis(10);

/// Lets the workers come to their end, if they do so soon.
pub fn wait(events: &Receiver<Event>) {
    let start = Instant::now();
    while let Some(left) = GRACE.checked_sub(start.elapsed()) {
        if let Err(RecvTimeoutError::Disconnected) = events.recv_timeout(left) {
            return;
        }
    }
}

/// A run from its first event to its last word.
pub struct Session {
    pub collection: Collection,
    pub writer: Box<dyn Writer>,
    /// By problem: when its time began to run.
    pub started: Vec<Option<Instant>>,
    /// The time that a problem is waited for.
    pub patience: Option<Duration>,
    pub watch: Memory,
    /// Records of properties that wait for something better, by problem and name.
    pub provisional: HashMap<(usize, String), PropertyRecord>,
    pub view: View,
    /// Notes and warnings that were written already.
    pub said: HashSet<String>,
    /// The last failure.
    pub failure: Option<Failure>,
}

impl Session {
    /// Writes what happens until all problems are through or the work is interrupted.
    pub fn listen(&mut self, events: &Receiver<Event>, signals: &Interrupt) -> io::Result<()> {
        let mut interrupted: Option<Instant> = None;
        let mut why = Why::Stopped;
        loop {
            match events.recv_timeout(TICK) {
                Ok(event) => self.hear(event)?,
                Err(RecvTimeoutError::Timeout) => {}
                Err(RecvTimeoutError::Disconnected) => break,
            }
            self.view.tick(&self.collection);
            if signals.is_raised() && interrupted.get_or_insert_with(Instant::now).elapsed() > GRACE {
                break;
            }
            if self.watch.is_hopeless() {
                // Leaving ends whatever does not listen.
                let note = "note: stopped: the process takes more memory than --memory allows\n";
                self.view.aside(|| message(note));
                why = Why::Memory;
                break;
            }
            if self.give_up_late()? == 0 {
                break;
            }
        }
        for number in 0..self.collection.entries.len() {
            if self.collection.entries[number].state == State::Running {
                self.give_up(number, why.words())?;
            }
        }
        Ok(())
    }

    /// The last words: totals, and advice about undecided properties.
    pub fn end(&mut self, options: &CheckArgs) -> io::Result<()> {
        self.writer.end(&self.collection)?;
        if options.format == Format::Text && !options.model.hwmcc {
            stdout().write_all(advice::advice(options, &self.collection).as_bytes())?;
        }
        Ok(())
    }

    /// Stops waiting for problems whose time is long over; how many are left.
    fn give_up_late(&mut self) -> io::Result<usize> {
        for number in 0..self.started.len() {
            let is_late = self.started[number].zip(self.patience).is_some_and(|(start, most)| start.elapsed() > most);
            if is_late && self.collection.entries[number].state == State::Running {
                self.give_up(number, Why::Time.words())?;
            }
        }
        let is_open = |state| matches!(state, State::Waiting | State::Running);
        Ok(self.collection.entries.iter().filter(|entry| is_open(entry.state)).count())
    }

    fn hear(&mut self, Event { problem: number, begun, news }: Event) -> io::Result<()> {
        let entry = &mut self.collection.entries[number];
        if matches!(entry.state, State::Finished | State::Failed) {
            // It was given up before.
            return Ok(());
        }
        match news {
            News::Started(record, properties) => {
                self.started[number] = Some(begun);
                entry.start(*record, properties);
                Ok(())
            }
            News::Property(record) => {
                let record = entry.property(*record);
                if record.is_decided() {
                    self.view.property(record);
                }
                self.view.aside(|| self.writer.property(record))
            }
            News::Provisional(record) => {
                self.provisional.insert((number, record.property.clone()), *record);
                Ok(())
            }
            News::Finished(record) => self.finish(number, Some(*record)),
            News::Failed(failure) => {
                // Earlier verdicts are not lost.
                let waits = self.provisional.keys().any(|(problem, _)| *problem == number);
                if waits || entry.properties.iter().any(|record| record.is_decided()) {
                    self.give_up(number, "the work ended with an error")?;
                }
                self.collection.entries[number].fail(&failure);
                let entry = &self.collection.entries[number];
                let record = FailureRecord { file: entry.name.clone(), message: entry.reason().into() };
                self.view.aside(|| self.writer.failure(&record))?;
                if self.collection.entries.len() > 1 {
                    self.view.aside(|| failure.tell(Some(&entry.name)));
                }
                self.failure = Some(failure);
                Ok(())
            }
        }
    }

    /// Reports the verdicts so far on a problem whose worker does not come to its end, and why the rest is unknown.
    fn give_up(&mut self, number: usize, reason: &str) -> io::Result<()> {
        let seconds = self.started[number].map(|start| start.elapsed().as_secs_f64());
        let entry = &mut self.collection.entries[number];
        let untold: Vec<PropertyRecord> = entry.untold().cloned().collect();
        for mut record in untold {
            let known = self.provisional.remove(&(number, record.property.clone()));
            record.seconds = seconds.or(record.seconds);
            record.reason.get_or_insert_with(|| reason.into());
            self.writer.property(entry.property(known.unwrap_or(record)))?;
        }
        self.finish(number, None)
    }

    fn finish(&mut self, number: usize, record: Option<ProblemRecord>) -> io::Result<()> {
        let elapsed = self.started[number].map_or(Duration::ZERO, |start| start.elapsed());
        let entry = &mut self.collection.entries[number];
        if entry.finish(record, elapsed).is_none() {
            return Ok(());
        }
        let entry = &self.collection.entries[number];
        if let Some(record) = &entry.record {
            self.view.problem(record);
        }
        self.view.aside(|| {
            if let Some(record) = &entry.record {
                self.writer.problem(record, entry)?;
                // Several values of a constant give cause for the same words.
                if self.said.insert(record.messages.clone()) {
                    message(&record.messages);
                }
            }
            entry.stray.iter().for_each(|stray| message(&format!("error: {stray}\n")));
            entry.wrong.iter().for_each(|wrong| message(&format!("error: wrong answer: {wrong}\n")));
            Ok(())
        })
    }
}
