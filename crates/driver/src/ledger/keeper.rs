//! The keeper of a ledger: the first verdict on a property counts, is confirmed, written down and told.

use std::collections::BTreeMap;
use std::io;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{Receiver, RecvTimeoutError};
use std::time::{Duration, Instant};

use super::recorder::Recorder;
use super::{Answer, AnswerOf, Claim, Decider, Finding, FindingOf, Kept, Message, News, NewsOf, Order, Subject, Why};
use crate::base::progress::Progress;
use crate::base::{Interrupt, Limits};
use crate::certificate;
use crate::program::PropertyId;
use crate::witness::compiled::{Opinion, Trouble};

pub(super) struct Keeper<'k, S: Subject> {
    subject: &'k S,
    order: &'k Order<'k, S>,
    wanted: Vec<PropertyId>,
    /// By property.
    findings: Vec<Option<FindingOf<S>>>,
    settled: Arc<[AtomicBool]>,
    /// The numbers of properties that the strategies were asked for, and that are open.
    asked: usize,
    open: usize,
    /// Raised when nothing is open any more.
    interrupt: &'k Interrupt,
    start: Instant,
    hear: &'k mut dyn FnMut(NewsOf<S>),
    recorder: Option<Recorder<'k, S>>,
    /// The properties whose runs wait for shorter ones.
    held: Vec<PropertyId>,
    /// Proofs that nothing confirms; they wait for better ones while another lane may find one.
    bare: BTreeMap<PropertyId, FindingOf<S>>,
    /// Properties that proofs count on; while one of them is open, proofs of others wait.
    bounds: Vec<PropertyId>,
    bounded: Vec<FindingOf<S>>,
    /// Whether there are several lanes, so that another may.
    may_wait: bool,
    /// Raised when they have waited long enough.
    patience: Option<Interrupt>,
    failed: io::Result<()>,
    /// The number of runs with which the second opinion agrees.
    agreed: usize,
    notes: Vec<String>,
}

impl<'k, S: Subject> Keeper<'k, S> {
    pub(super) fn new(
        subject: &'k S,
        order: &'k Order<'k, S>,
        interrupt: &'k Interrupt,
        start: Instant,
        may_wait: bool,
        hear: &'k mut dyn FnMut(NewsOf<S>),
    ) -> Self {
        let number = subject.properties();
        let mut wanted =
            order.properties.map_or_else(|| (0..number).map(PropertyId::new).collect(), <[PropertyId]>::to_vec);
        let bounds = subject.bounds();
        if !wanted.is_empty() {
            wanted.extend(&bounds);
            wanted.sort_unstable();
            wanted.dedup();
        }
        let open = wanted.len();
        Keeper {
            subject,
            order,
            wanted,
            findings: (0..number).map(|_| None).collect(),
            settled: (0..number).map(|_| AtomicBool::new(false)).collect(),
            asked: open,
            open,
            interrupt,
            start,
            hear,
            recorder: order.terms.journal.map(|journal| Recorder::new(subject, journal)),
            held: vec![],
            bare: BTreeMap::new(),
            bounds,
            bounded: vec![],
            may_wait: may_wait && order.confirm,
            patience: None,
            failed: Ok(()),
            agreed: 0,
            notes: vec![],
        }
    }

    /// By property: whether it is decided.
    pub(super) fn settled(&self) -> Arc<[AtomicBool]> {
        Arc::clone(&self.settled)
    }

    /// The properties that are not decided yet.
    pub(super) fn open(&self) -> Vec<PropertyId> {
        self.wanted.iter().copied().filter(|property| self.findings[property.index()].is_none()).collect()
    }

    /// Takes verdicts that need no strategy: those of earlier runs, and properties reached before the first step.
    pub(super) fn take_what_is_known(&mut self) {
        let order = self.order;
        if let Some(recorder) = self.recorder.as_ref().filter(|_| order.terms.resume) {
            let resumed = recorder.resumed(&self.wanted, order.confirm, &order.limits.interrupt);
            resumed.into_iter().for_each(|(property, answer)| self.take(property, answer, Decider::Journal));
        }
        if let Some((reached, run)) = self.subject.setup() {
            for property in self.open().into_iter().filter(|property| reached.contains(property)) {
                self.take(property, Answer::Reachable { run: run.clone() }, Decider::Setup);
            }
        }
        self.asked = self.open;
    }

    fn take(&mut self, property: PropertyId, answer: AnswerOf<S>, decider: Decider) {
        self.book(Finding { property, answer, decider, after: self.start.elapsed(), is_shortest: false });
    }

    /// Hears what strategies find, until all of their lanes are over.
    pub(super) fn listen(&mut self, messages: &Receiver<Message<S>>, mut lanes: usize) {
        while lanes > 0 {
            let left = self
                .patience
                .as_ref()
                .and_then(|patience| Some(patience.deadline()?.saturating_sub(patience.elapsed())));
            match messages.recv_timeout(left.unwrap_or(Duration::MAX)) {
                Ok(Message::Found(finding)) => self.book(finding),
                Ok(Message::LaneIsOver) => lanes -= 1,
                Err(RecvTimeoutError::Timeout) => {
                    self.interrupt.raise();
                    self.patience = None;
                }
                Err(RecvTimeoutError::Disconnected) => return,
            }
        }
    }

    /// Enters a finding, if it is the first about a property that is wanted.
    fn book(&mut self, finding: FindingOf<S>) {
        let index = finding.property.index();
        let is_decided =
            self.findings[index].is_some() || self.bounded.iter().any(|earlier| earlier.property == finding.property);
        if is_decided || !self.wanted.contains(&finding.property) {
            return;
        }
        let Some(finding) = self.weighed(finding) else { return };
        self.settled[index].store(true, Ordering::Relaxed);
        self.open -= 1;
        if self.open == 0 {
            self.interrupt.raise();
        }
        self.be_patient();
        let (decided, all) = (self.wanted.len() - self.open, self.wanted.len());
        if self.order.terms.shortest.is_some() && matches!(finding.answer, Answer::Reachable { .. }) {
            self.note_down(&finding);
            self.held.push(finding.property);
            (self.hear)(News::Provisional(&finding));
            self.findings[index] = Some(finding);
        } else if matches!(finding.answer, Answer::Unreachable { .. }) && !self.bounds.contains(&finding.property) {
            self.bounded.push(finding);
        } else {
            self.settle(finding);
        }
        self.settle_bounded(false);
        self.order.limits.progress.tell(Progress::Decided { decided, all });
    }

    /// A finding beside the proof of the same property that waits. A bare proof waits itself, and a run that there cannot be
    /// if the proof is right is not believed, and nor is the proof.
    fn weighed(&mut self, finding: FindingOf<S>) -> Option<FindingOf<S>> {
        let property = finding.property;
        match (&finding.answer, self.bare.remove(&property)) {
            (Answer::Unreachable { .. }, earlier) if self.may_wait && !finding.is_confirmed() => {
                let bare = earlier.unwrap_or_else(|| {
                    self.note_down(&finding);
                    (self.hear)(News::Provisional(&finding));
                    finding
                });
                self.bare.insert(property, bare);
                self.be_patient();
                None
            }
            (Answer::Reachable { run }, Some(_)) => {
                let reason = format!("the {} has a run to what was proved unreachable", S::NOUN);
                let answer = Answer::Withdrawn { claim: Claim::Run(run.clone()), reason };
                Some(Finding { answer, ..finding })
            }
            _ => Some(finding),
        }
    }

    /// When all that is open is proved, and nothing but the confirmation is missing, it is waited for, but not for long.
    fn be_patient(&mut self) {
        if self.open == self.bare.len() && self.open > 0 && self.patience.is_none() {
            self.patience = Some(certificate::share(self.interrupt));
        }
    }

    /// Proofs count once there is known to be room enough; in the end they are none without that.
    fn settle_bounded(&mut self, is_over: bool) {
        let is_unreachable = |&bound: &PropertyId| {
            self.findings[bound.index()]
                .as_ref()
                .is_some_and(|finding| matches!(finding.answer, Answer::Unreachable { .. }))
        };
        let is_enough = self.bounds.iter().all(is_unreachable);
        if !is_enough && !is_over {
            return;
        }
        for mut finding in std::mem::take(&mut self.bounded) {
            if !is_enough {
                (finding.answer, finding.decider) = (Answer::Unknown(Why::Room), Decider::Nobody);
            }
            self.settle(finding);
        }
    }

    /// Proofs that have waited in vain are as good as they get.
    fn settle_bare(&mut self) {
        let (bounds, others): (Vec<_>, Vec<_>) =
            std::mem::take(&mut self.bare).into_values().partition(|finding| self.bounds.contains(&finding.property));
        for finding in bounds {
            self.open -= 1;
            self.settle(finding);
        }
        for finding in others {
            self.open -= 1;
            self.bounded.push(finding);
        }
    }

    /// The last word on a property: a run is confirmed, and withdrawn if it is refuted.
    fn settle(&mut self, mut finding: FindingOf<S>) {
        if let Answer::Reachable { run } = &finding.answer
            && let Some(reason) = self.refutation(finding.property, run)
        {
            finding.answer = Answer::Withdrawn { claim: Claim::Run(run.clone()), reason };
        }
        self.note_down(&finding);
        (self.hear)(News::Settled(&finding));
        let index = finding.property.index();
        self.findings[index] = Some(finding);
    }

    /// If the journal cannot be written the work ends: it was asked for.
    fn note_down(&mut self, finding: &FindingOf<S>) {
        let Some(recorder) = self.recorder.as_mut().filter(|_| self.failed.is_ok()) else { return };
        self.failed = recorder.note_down(finding);
        if self.failed.is_err() {
            self.interrupt.raise();
        }
    }

    /// Asks for a second opinion on a run; the result is why it is wrong.
    fn refutation(&mut self, property: PropertyId, run: &S::Run) -> Option<String> {
        let other = self.order.terms.second_opinion?;
        let (by, name) = (other.name(), self.subject.name(property));
        let how = match other.of_run(property, run) {
            Ok(Opinion::Agrees) => {
                self.agreed += 1;
                return None;
            }
            Ok(Opinion::CannotTell(why)) => {
                self.notes.push(format!("note: {by} cannot tell about {name}: {why}"));
                return None;
            }
            Err(trouble @ (Trouble::Interrupted | Trouble::Temporary(_))) => {
                self.notes.push(format!("note: not confirmed by {by}: {name}: {trouble}"));
                return None;
            }
            Ok(Opinion::Differs(how)) => how,
            Err(trouble) => trouble.to_string(),
        };
        let numbers: Vec<String> = self.subject.run_to_numbers(run).concat().iter().map(i32::to_string).collect();
        let inputs = numbers.join(" ");
        self.notes.push(format!("error: {by} refutes {name}: {how}; the inputs are {inputs}"));
        Some(format!("{by} refutes it"))
    }

    /// Looks for shortest runs, if they are wanted, and settles the properties that have waited for them.
    fn settle_held(&mut self) {
        let run_of = |&property: &PropertyId| match &self.findings[property.index()].as_ref()?.answer {
            Answer::Reachable { run } => Some((property, run.clone())),
            _ => None,
        };
        let known: Vec<(PropertyId, S::Run)> = self.held.iter().filter_map(run_of).collect();
        let (subject, order) = (self.subject, self.order);
        if let Some(memory) = order.terms.shortest.filter(|_| self.failed.is_ok() && !known.is_empty()) {
            subject.shortest(&known, memory(), order.limits, &mut |property, run| self.take_shortest(property, &run));
        }
        for property in std::mem::take(&mut self.held) {
            if let Some(finding) = self.findings[property.index()].take() {
                self.settle(finding);
            }
        }
    }

    /// A shortest run takes the place of the one that waits for it, if it is one.
    fn take_shortest(&mut self, property: PropertyId, run: &S::Run) {
        let Some(run) = self.subject.replay(property, run) else { return };
        let Some(place) = self.held.iter().position(|&other| other == property) else { return };
        self.held.swap_remove(place);
        if let Some(finding) = self.findings[property.index()].take() {
            self.settle(Finding { answer: Answer::Reachable { run }, is_shortest: true, ..finding });
        }
    }

    /// Closes the ledger.
    pub(super) fn close(mut self, account: S::Account, obstacle: Option<Why>, is_too_large: bool) -> Kept<S> {
        let why = why(self.order.limits, obstacle);
        let tried = self.start.elapsed();
        self.settle_bare();
        self.settle_bounded(true);
        self.settle_held();
        if let Some(other) = self.order.terms.second_opinion {
            let (by, runs) = (other.name(), self.agreed);
            let plural = if runs == 1 { "" } else { "s" };
            self.notes.push(format!("note: {by} agrees with {runs} run{plural}"));
        }
        let unknown = |property| Finding {
            property,
            answer: Answer::Unknown(why),
            decider: Decider::Nobody,
            after: tried,
            is_shortest: false,
        };
        let findings = &mut self.findings;
        let findings =
            self.wanted.iter().map(|&property| findings[property.index()].take().unwrap_or_else(|| unknown(property)));
        Kept {
            findings: findings.collect(),
            account,
            is_too_large: is_too_large && self.open == self.asked,
            failed: self.failed,
            notes: self.notes,
            elapsed: self.start.elapsed(),
        }
    }
}

/// The reason why open properties stay so.
fn why(limits: &Limits, obstacle: Option<Why>) -> Why {
    let depth = limits.depth.map(|_| Why::Depth);
    let share = limits.per_property.map(|_| Why::Share);
    let obstacle = obstacle.max(depth).max(share);
    match limits.interrupt.is_raised() {
        true => Why::ended(limits),
        false => obstacle.max(Why::ended(limits)),
    }
    .unwrap_or(Why::Beyond)
}
