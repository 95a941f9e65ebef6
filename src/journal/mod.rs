//! The journal of a run: each verdict is on the disk before anybody hears of it, so that a run that is killed can go on.
//!
//! A journal is a text file. After the first line, which says what it is, every line is one verdict, or a certificate that
//! verdicts refer to: a checksum and a JSON object. A line that was not written to its end, or that does not fit its
//! checksum, says nothing. Verdicts belong to a program by its hash, so those of another program, or of another version
//! of it, are never taken for its own.
//!
//! One run at a time writes a journal; it is locked meanwhile.

use std::collections::{BTreeMap, BTreeSet};
use std::fs::{File, TryLockError};
use std::io::{self, Read, Seek, SeekFrom, Write};
use std::path::Path;
use std::sync::{Mutex, PoisonError};

use serde::{Deserialize, Serialize};

use crate::base::hash::sha256;

/// The first line.
const HEAD: &str = "redoubt journal 1\n";
/// Digits of a checksum.
const DIGITS: usize = 16;

/// A verdict of an earlier run.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Entry {
    /// The program's hash.
    pub program: String,
    /// The version of redoubt that found it.
    pub version: String,
    pub property: String,
    /// Who found it.
    pub engine: String,
    pub verdict: Verdict,
    /// The hash of the certificate that goes with it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub certificate: Option<String>,
}

/// A certificate, as text.
#[derive(Debug, Serialize, Deserialize)]
struct CertificateLine {
    certificate: String,
    text: String,
}

#[derive(Debug)]
enum Line {
    Verdict(Entry),
    Certificate(CertificateLine),
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Verdict {
    /// The values of all inputs in each step; for circuits, of the latches at the start and then of the inputs.
    Reachable(Vec<Vec<i32>>),
    Unreachable,
}

/// Why a journal cannot be used.
#[derive(Debug, thiserror::Error)]
pub enum Trouble {
    #[error("{0}")]
    Io(#[from] io::Error),
    #[error("not a journal, so nothing is written to it")]
    NotAJournal,
    #[error("another run is writing it")]
    InUse,
}

/// An open journal.
#[derive(Debug)]
pub struct Journal {
    writer: Mutex<Writer>,
    /// What earlier runs wrote last, by program and property.
    entries: BTreeMap<(String, String), Entry>,
    /// The texts of certificates by their hashes.
    certificates: BTreeMap<String, String>,
    /// How many lines say nothing.
    pub damaged: usize,
}

#[derive(Debug)]
struct Writer {
    file: File,
    /// The hashes of the certificates that are in the journal.
    certificates: BTreeSet<String>,
    /// The end of the last complete line.
    length: u64,
}

impl Journal {
    /// Opens a journal, or begins a new one.
    pub fn create(path: &Path) -> Result<Journal, Trouble> {
        Journal::open(File::options().read(true).write(true).create(true).truncate(false).open(path)?)
    }

    /// Opens a journal that is there.
    pub fn resume(path: &Path) -> Result<Journal, Trouble> {
        Journal::open(File::options().read(true).write(true).open(path)?)
    }

    fn open(mut file: File) -> Result<Journal, Trouble> {
        // Devices may have no end.
        if !file.metadata()?.is_file() {
            return Err(Trouble::NotAJournal);
        }
        match file.try_lock() {
            Ok(()) => {}
            Err(TryLockError::WouldBlock) => return Err(Trouble::InUse),
            Err(TryLockError::Error(error)) => return Err(error.into()),
        }
        let mut bytes = vec![];
        file.read_to_end(&mut bytes)?;
        // What was not written to its end is gone.
        let complete = bytes.iter().rposition(|&byte| byte == b'\n').map_or(0, |end| end + 1);
        if complete == 0 && !HEAD.as_bytes().starts_with(&bytes) || complete > 0 && !bytes.starts_with(HEAD.as_bytes())
        {
            return Err(Trouble::NotAJournal);
        }
        let lines = String::from_utf8_lossy(&bytes[..complete]);
        let mut damaged = usize::from(complete < bytes.len());
        let (mut entries, mut certificates) = (BTreeMap::new(), BTreeMap::new());
        for line in lines.lines().skip(1) {
            match read(line) {
                // Another version may have had another opinion.
                Some(Line::Verdict(entry)) if entry.version != VERSION => {}
                Some(Line::Verdict(entry)) => {
                    entries.insert((entry.program.clone(), entry.property.clone()), entry);
                }
                Some(Line::Certificate(line)) => {
                    certificates.insert(line.certificate, line.text);
                }
                None => damaged += 1,
            }
        }
        let mut writer = Writer { file, certificates: certificates.keys().cloned().collect(), length: complete as u64 };
        writer.cut()?;
        if complete == 0 {
            writer.append(HEAD)?;
        }
        Ok(Journal { writer: Mutex::new(writer), entries, certificates, damaged })
    }

    /// The last verdict on each property of a program that this version of redoubt found before.
    pub fn verdicts(&self, program: &str) -> Vec<&Entry> {
        self.entries.values().filter(|entry| entry.program == program).collect()
    }

    /// The certificate that earlier runs wrote down.
    pub fn certificate(&self, hash: &str) -> Option<&str> {
        self.certificates.get(hash).map(String::as_str)
    }

    /// Writes a certificate down, unless it was there before. The result is what verdicts refer to.
    pub fn append_certificate(&self, text: &str) -> io::Result<String> {
        let hash = sha256(text.as_bytes());
        let mut writer = self.writer.lock().unwrap_or_else(PoisonError::into_inner);
        if !writer.certificates.contains(&hash) {
            writer.append(&line(&CertificateLine { certificate: hash.clone(), text: text.to_string() })?)?;
            writer.certificates.insert(hash.clone());
        }
        Ok(hash)
    }

    /// Writes a verdict down, unless it was there before; when this returns it is on the disk.
    pub fn append(
        &self,
        program: &str,
        property: &str,
        engine: &str,
        verdict: Verdict,
        certificate: Option<String>,
    ) -> io::Result<()> {
        let key = (program.to_string(), property.to_string());
        let is_known =
            |known: &Entry| known.verdict == verdict && (certificate.is_none() || known.certificate.is_some());
        if self.entries.get(&key).is_some_and(is_known) {
            return Ok(());
        }
        let (program, property) = key;
        let entry = Entry { program, version: VERSION.into(), property, engine: engine.into(), verdict, certificate };
        self.writer.lock().unwrap_or_else(PoisonError::into_inner).append(&line(&entry)?)
    }
}

const VERSION: &str = env!("CARGO_PKG_VERSION");

fn checksum(text: &str) -> String {
    sha256(text.as_bytes())[..DIGITS].to_string()
}

fn line(content: &impl Serialize) -> io::Result<String> {
    let text = serde_json::to_string(content)?;
    Ok(format!("{} {text}\n", checksum(&text)))
}

/// What a line says, if it is as it was written.
fn read(line: &str) -> Option<Line> {
    let (sum, text) = line.split_once(' ')?;
    if sum != checksum(text) {
        return None;
    }
    let verdict = serde_json::from_str(text).map(Line::Verdict);
    verdict.or_else(|_| serde_json::from_str(text).map(Line::Certificate)).ok()
}

impl Writer {
    /// Appends a line, or nothing.
    fn append(&mut self, line: &str) -> io::Result<()> {
        match self.file.write_all(line.as_bytes()).and_then(|()| self.file.sync_data()) {
            Ok(()) => {
                self.length += line.len() as u64;
                Ok(())
            }
            Err(error) => {
                // On a full disk there is always room for less; what fails here is repaired when it is opened.
                let _ = self.cut();
                Err(error)
            }
        }
    }

    /// Drops what lies behind the last complete line.
    fn cut(&mut self) -> io::Result<()> {
        if self.file.metadata()?.len() != self.length {
            self.file.set_len(self.length)?;
        }
        self.file.seek(SeekFrom::Start(self.length)).map(|_| ())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn run() -> Verdict {
        Verdict::Reachable(vec![vec![3], vec![-1]])
    }

    #[test]
    fn a_journal_survives_being_cut_anywhere() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("journal");
        let journal = Journal::create(&path).expect("new");
        journal.append("p", "error_1", "ic3", run(), None).expect("room");
        journal.append("p", "error_2", "regions", Verdict::Unreachable, None).expect("room");
        journal.append("q", "error_1", "bmc", Verdict::Unreachable, None).expect("room");
        drop(journal);
        let whole = std::fs::read(&path).expect("it is there");
        let mut counts = vec![];
        for length in 0..=whole.len() {
            std::fs::write(&path, &whole[..length]).expect("room");
            let journal = Journal::resume(&path).unwrap_or_else(|error| panic!("{length}: {error}"));
            let found = journal.verdicts("p");
            assert!(found.first().is_none_or(|entry| (&*entry.property, &entry.verdict) == ("error_1", &run())));
            counts.push(found.len());
            // What is written behind a torn line can be read.
            journal.append("p", "error_3", "ic3", Verdict::Unreachable, None).expect("room");
            drop(journal);
            let journal = Journal::resume(&path).expect("it is a journal");
            assert_eq!((journal.verdicts("p").len(), journal.damaged), (counts[length] + 1, 0));
        }
        counts.dedup();
        assert_eq!(counts, [0, 1, 2]);
    }

    #[test]
    fn damaged_lines_say_nothing_and_the_last_word_counts() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("journal");
        let journal = Journal::create(&path).expect("new");
        journal.append("p", "error_1", "ic3", run(), None).expect("room");
        journal.append("p", "error_1", "explicit", Verdict::Reachable(vec![vec![7]]), None).expect("room");
        assert!(matches!(Journal::resume(&path), Err(Trouble::InUse)));
        drop(journal);
        let text = std::fs::read_to_string(&path).expect("text");
        let journal = Journal::resume(&path).expect("a journal");
        assert_eq!(journal.verdicts("p")[0].verdict, Verdict::Reachable(vec![vec![7]]));
        drop(journal);
        std::fs::write(&path, text.replace("[[7]]", "[[8]]")).expect("room");
        let journal = Journal::resume(&path).expect("a journal");
        assert_eq!((journal.damaged, &journal.verdicts("p")[0].verdict), (1, &run()));
    }

    #[test]
    fn a_certificate_is_kept_once() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("journal");
        let journal = Journal::create(&path).expect("new");
        let hash = journal.append_certificate("fact\n\"x\"").expect("room");
        assert_eq!(journal.append_certificate("fact\n\"x\"").expect("room"), hash);
        journal.append("p", "error_1", "ic3", Verdict::Unreachable, Some(hash.clone())).expect("room");
        drop(journal);
        let journal = Journal::resume(&path).expect("a journal");
        assert_eq!(journal.damaged, 0);
        assert_eq!(journal.verdicts("p")[0].certificate.as_ref(), Some(&hash));
        assert_eq!(journal.certificate(&hash), Some("fact\n\"x\""));
        journal.append_certificate("fact\n\"x\"").expect("room");
        drop(journal);
        assert_eq!(std::fs::read_to_string(&path).expect("text").lines().count(), 3);
    }

    #[test]
    fn other_files_are_left_alone() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("program.c");
        for text in ["int main() { while(1) { } }\n", "x", "redoubt journal 2\n"] {
            std::fs::write(&path, text).expect("room");
            assert!(matches!(Journal::create(&path), Err(Trouble::NotAJournal)));
            assert_eq!(std::fs::read_to_string(&path).expect("text"), text);
        }
        assert!(matches!(Journal::resume(&folder.path().join("none")), Err(Trouble::Io(_))));
    }
}
