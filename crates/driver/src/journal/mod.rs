//! The journal of a run: each verdict is on the disk before it is told, so that a killed run can be resumed.
//!
//! A journal is a text file. After the first line, which identifies it, every line is one verdict, the withdrawal of
//! one, a certificate that verdicts refer to, or the options of a run: a checksum and a JSON object. A line that was
//! not written to its end, or that does not fit its checksum, is ignored. Verdicts belong to a program by its hash, so
//! those of another program, or of another version of it, are never taken for its own.
//!
//! One run at a time writes a journal; it is locked meanwhile.

use std::collections::{BTreeMap, BTreeSet};
use std::fs::{File, TryLockError};
use std::io::{self, Read, Seek, SeekFrom, Write};
use std::path::Path;
use std::sync::{Mutex, PoisonError};

use serde::{Deserialize, Serialize};
use serde_json::Value;

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
    /// The engine that found it.
    pub engine: String,
    pub verdict: Noted,
    /// The hash of the certificate that goes with it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub certificate: Option<String>,
}

/// The withdrawal of an earlier verdict on a property.
#[derive(Debug, Serialize, Deserialize)]
struct WithdrawalLine {
    program: String,
    version: String,
    withdrawn: String,
}

/// A certificate, as text.
#[derive(Debug, Serialize, Deserialize)]
struct CertificateLine {
    certificate: String,
    text: String,
}

/// The options of a run, by which its parts are known to belong together.
#[derive(Debug, Serialize, Deserialize)]
struct RunLine {
    run: Value,
}

#[derive(Debug)]
enum Line {
    Verdict(Entry),
    Withdrawal(WithdrawalLine),
    Certificate(CertificateLine),
    Run(RunLine),
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Noted {
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

/// The contents of a journal.
#[derive(Debug, Default)]
pub struct Contents {
    /// The last verdicts by this version of redoubt, by program and property.
    pub entries: BTreeMap<(String, String), Entry>,
    /// The texts of certificates by their hashes.
    pub certificates: BTreeMap<String, String>,
    /// The options of the runs that wrote it, each once.
    pub runs: Vec<Value>,
    /// The number of damaged lines.
    pub damaged: usize,
    /// The end of the last complete line.
    length: usize,
}

impl Contents {
    /// Reads a journal and leaves it as it is; another run may be writing it.
    pub fn read(path: &Path) -> Result<Contents, Trouble> {
        let file = File::open(path)?;
        if !file.metadata()?.is_file() {
            return Err(Trouble::NotAJournal);
        }
        Contents::of(&std::fs::read(path)?)
    }

    fn of(bytes: &[u8]) -> Result<Contents, Trouble> {
        // A line that was not written to its end is lost.
        let length = bytes.iter().rposition(|&byte| byte == b'\n').map_or(0, |end| end + 1);
        if length == 0 && !HEAD.as_bytes().starts_with(bytes) || length > 0 && !is_journal(bytes) {
            return Err(Trouble::NotAJournal);
        }
        let mut contents = Contents { length, damaged: usize::from(length < bytes.len()), ..Contents::default() };
        for line in String::from_utf8_lossy(&bytes[..length]).lines().skip(1) {
            match read(line) {
                // Another version may have had another opinion.
                Some(Line::Verdict(entry)) if entry.version != VERSION => {}
                Some(Line::Verdict(entry)) => {
                    contents.entries.insert((entry.program.clone(), entry.property.clone()), entry);
                }
                Some(Line::Withdrawal(line)) if line.version != VERSION => {}
                Some(Line::Withdrawal(line)) => {
                    contents.entries.remove(&(line.program, line.withdrawn));
                }
                Some(Line::Certificate(line)) => {
                    contents.certificates.insert(line.certificate, line.text);
                }
                Some(Line::Run(RunLine { run })) if contents.runs.contains(&run) => {}
                Some(Line::Run(RunLine { run })) => contents.runs.push(run),
                None => contents.damaged += 1,
            }
        }
        Ok(contents)
    }
}

/// Whether these are the bytes of a journal.
pub fn is_journal(bytes: &[u8]) -> bool {
    bytes.starts_with(HEAD.as_bytes())
}

/// An open journal.
#[derive(Debug)]
pub struct Journal {
    writer: Mutex<Writer>,
    /// The lines of earlier runs.
    earlier: Contents,
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
        let earlier = Contents::of(&bytes)?;
        let certificates = earlier.certificates.keys().cloned().collect();
        let mut writer = Writer { file, certificates, length: earlier.length as u64 };
        writer.cut()?;
        if earlier.length == 0 {
            writer.append(HEAD)?;
        }
        Ok(Journal { writer: Mutex::new(writer), earlier })
    }

    /// The number of damaged lines.
    pub fn damaged(&self) -> usize {
        self.earlier.damaged
    }

    /// Writes down the options of a run, unless an earlier one had the same.
    pub fn begin(&self, run: &impl Serialize) -> io::Result<()> {
        let run = serde_json::to_value(run)?;
        if self.earlier.runs.contains(&run) {
            return Ok(());
        }
        self.writer.lock().unwrap_or_else(PoisonError::into_inner).append(&line(&RunLine { run })?)
    }

    /// The last verdict on each property of a program that this version of redoubt found before.
    pub fn verdicts(&self, program: &str) -> Vec<&Entry> {
        self.earlier.entries.values().filter(|entry| entry.program == program).collect()
    }

    /// The certificate that earlier runs wrote down.
    pub fn certificate(&self, hash: &str) -> Option<&str> {
        self.earlier.certificates.get(hash).map(String::as_str)
    }

    /// Writes a certificate down, unless it was there before. The result is the reference for verdicts.
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
        verdict: Noted,
        certificate: Option<String>,
    ) -> io::Result<()> {
        let key = (program.to_string(), property.to_string());
        let is_known =
            |known: &Entry| known.verdict == verdict && (certificate.is_none() || known.certificate.is_some());
        if self.earlier.entries.get(&key).is_some_and(is_known) {
            return Ok(());
        }
        let (program, property) = key;
        let entry = Entry { program, version: VERSION.into(), property, engine: engine.into(), verdict, certificate };
        self.writer.lock().unwrap_or_else(PoisonError::into_inner).append(&line(&entry)?)
    }

    /// Writes down that nothing is said about a property any more; when this returns it is on the disk.
    pub fn withdraw(&self, program: &str, property: &str) -> io::Result<()> {
        let withdrawal =
            WithdrawalLine { program: program.into(), version: VERSION.into(), withdrawn: property.into() };
        self.writer.lock().unwrap_or_else(PoisonError::into_inner).append(&line(&withdrawal)?)
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

/// The contents of a line, if it is intact.
fn read(line: &str) -> Option<Line> {
    let (sum, text) = line.split_once(' ')?;
    if sum != checksum(text) {
        return None;
    }
    let verdict = serde_json::from_str(text).map(Line::Verdict);
    let withdrawal = |_| serde_json::from_str(text).map(Line::Withdrawal);
    let certificate = |_| serde_json::from_str(text).map(Line::Certificate);
    verdict.or_else(withdrawal).or_else(certificate).or_else(|_| serde_json::from_str(text).map(Line::Run)).ok()
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
                // On a full disk there is always room for less; a failure here is repaired when the journal is opened.
                let _ = self.cut();
                Err(error)
            }
        }
    }

    /// Drops everything behind the last complete line.
    fn cut(&mut self) -> io::Result<()> {
        if self.file.metadata()?.len() != self.length {
            self.file.set_len(self.length)?;
        }
        self.file.seek(SeekFrom::Start(self.length)).map(|_| ())
    }
}

#[cfg(test)]
mod tests;
