//! The ledger's side of the journal: verdicts are written down, and those of earlier runs are looked at anew.

use std::collections::BTreeMap;
use std::io;
use std::sync::Arc;

use super::{Answer, AnswerOf, FindingOf, Subject};
use crate::base::Interrupt;
use crate::certificate::{self, Checked};
use crate::engine::Proof;
use crate::journal::{Entry, Journal, Noted};
use crate::program::PropertyId;

/// A journal, as far as it is about one subject.
pub(super) struct Recorder<'r, S: Subject> {
    subject: &'r S,
    journal: &'r Journal,
    /// The subject's hash.
    stamp: String,
    /// The certificate that was written last, and its hash.
    last: Option<(Arc<S::Certificate>, String)>,
}

impl<'r, S: Subject> Recorder<'r, S> {
    pub(super) fn new(subject: &'r S, journal: &'r Journal) -> Self {
        Recorder { subject, journal, stamp: subject.stamp(), last: None }
    }

    /// Writes a verdict into the journal. Undecided properties are not written down, and a withdrawal takes back a
    /// proof or a run that was written down before it was doubted.
    pub(super) fn note_down(&mut self, finding: &FindingOf<S>) -> io::Result<()> {
        let name = self.subject.name(finding.property);
        let (verdict, certificate) = match &finding.answer {
            Answer::Reachable { run } => (Noted::Reachable(self.subject.run_to_numbers(run)), None),
            Answer::Unreachable { checked, .. } => {
                let confirmed = checked.as_ref().filter(|checked| checked.is_confirmed());
                (Noted::Unreachable, confirmed.map(|checked| &checked.certificate))
            }
            Answer::Unknown(_) => return Ok(()),
            Answer::Withdrawn { .. } => return self.journal.withdraw(&self.stamp, name),
        };
        let hash = match certificate {
            Some(certificate) => self.write_certificate(finding.property, certificate)?,
            None => None,
        };
        self.journal.append(&self.stamp, name, finding.decider.name(), verdict, hash)
    }

    fn write_certificate(
        &mut self,
        property: PropertyId,
        certificate: &Arc<S::Certificate>,
    ) -> io::Result<Option<String>> {
        if let Some((last, hash)) = &self.last
            && Arc::ptr_eq(last, certificate)
        {
            return Ok(Some(hash.clone()));
        }
        let Some(text) = self.subject.certificate_to_text(property, certificate) else { return Ok(None) };
        let hash = self.journal.append_certificate(&text)?;
        self.last = Some((Arc::clone(certificate), hash.clone()));
        Ok(Some(hash))
    }

    /// The verdicts of earlier runs on these properties. Runs are replayed and certificates checked; wrong ones, and
    /// those that cannot be checked although they should be, are forgotten.
    pub(super) fn resumed(
        &self,
        wanted: &[PropertyId],
        confirm: bool,
        interrupt: &Interrupt,
    ) -> Vec<(PropertyId, AnswerOf<S>)> {
        let property =
            |entry: &Entry| wanted.iter().copied().find(|&property| self.subject.name(property) == entry.property);
        let entries = self.journal.verdicts(&self.stamp);
        let entries: Vec<(PropertyId, &Entry)> =
            entries.into_iter().filter_map(|entry| Some((property(entry)?, entry))).collect();
        let certified = if confirm { self.certified(&entries, interrupt) } else { BTreeMap::new() };
        let answer = |&(property, entry): &(PropertyId, &Entry)| {
            let answer = match (&entry.verdict, certified.get(&property)) {
                (Noted::Reachable(numbers), _) => {
                    let run = self.subject.replay(property, &self.subject.run_of_numbers(numbers)?)?;
                    Answer::Reachable { run }
                }
                (Noted::Unreachable, Some(checked)) => {
                    Answer::Unreachable { proof: Proof::Recorded, checked: Some(checked.clone()) }
                }
                (Noted::Unreachable, None) => {
                    let is_bare = entry.certificate.is_none() && S::BELIEVES_BARE_PROOFS;
                    if confirm && !is_bare {
                        return None;
                    }
                    Answer::Unreachable { proof: Proof::Recorded, checked: None }
                }
            };
            Some((property, answer))
        };
        entries.iter().filter_map(answer).collect()
    }

    /// The certificates that proofs refer to, each checked once; those that are wrong are left out.
    fn certified(
        &self,
        entries: &[(PropertyId, &Entry)],
        interrupt: &Interrupt,
    ) -> BTreeMap<PropertyId, Checked<S::Certificate>> {
        let mut by_hash: BTreeMap<&str, Vec<PropertyId>> = BTreeMap::new();
        for (property, entry) in entries.iter().filter(|(_, entry)| entry.verdict == Noted::Unreachable) {
            if let Some(hash) = &entry.certificate {
                by_hash.entry(hash).or_default().push(*property);
            }
        }
        let mut certified = BTreeMap::new();
        for (hash, mut properties) in by_hash {
            let text = self.journal.certificate(hash);
            let Some(read) = text.and_then(|text| self.subject.certificate_of_text(text)) else { continue };
            properties.retain(|&property| self.subject.excludes(&read, property));
            if properties.is_empty() {
                continue;
            }
            let judgement = self.subject.judge(&read, &properties, &certificate::share(interrupt));
            let checked = Checked { certificate: Arc::new(read), judgement };
            if checked.refutation().is_none() {
                certified.extend(properties.into_iter().map(|property| (property, checked.clone())));
            }
        }
        certified
    }
}
