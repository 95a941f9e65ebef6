//! Journals of all parts of a run to one journal, from which a run of the whole can go on.
//!
//! Properties decided in the parts are not decided again, the others are, and runs and certificates are judged once
//! more on the way: so the parts may have been killed, and nothing of them is simply believed.

use std::collections::BTreeMap;
use std::path::Path;

use redoubt_driver::journal::{self, Contents, Entry, Journal, Noted};
use redoubt_report::Recorded;
use redoubt_report::record::Head;

use super::super::super::output::{count, message};
use super::super::super::{Failure, Outcome};
use super::{MergeOptions, Part, complete};

/// Whether a file is a journal; one that cannot be read is none.
pub fn is_journal(path: &Path) -> bool {
    std::fs::read(path).is_ok_and(|bytes| journal::is_journal(&bytes))
}

/// Joins journals.
pub fn join(options: &MergeOptions) -> Result<Outcome, Failure> {
    let Some(output) = &options.output else {
        return Err(Failure::Usage("journals become a journal; say where with --output FILE".into()));
    };
    if let Some(other) = options.runs.iter().find(|path| !is_journal(path)) {
        return Err(Failure::Unreadable { path: other.clone(), reason: "is no journal, and others are".into() });
    }
    let (parts, contents): (Vec<Part>, Vec<Contents>) =
        options.runs.iter().map(|path| read(path)).collect::<Result<Vec<_>, Failure>>()?.into_iter().unzip();
    let head = complete(&parts)?;
    let mut entries: BTreeMap<&(String, String), &Entry> = BTreeMap::new();
    for (part, contents) in parts.iter().zip(&contents) {
        for (key, entry) in &contents.entries {
            let is_reachable = |entry: &Entry| matches!(entry.verdict, Noted::Reachable(_));
            let known = entries.entry(key).or_insert(entry);
            if is_reachable(known) != is_reachable(entry) {
                return Err(part.refuse(format!("contradicts another journal about {}", entry.property)));
            }
        }
    }
    let unwritable = |reason: String| Failure::Unreadable { path: output.clone(), reason };
    if output.exists() {
        return Err(unwritable("is there already".into()));
    }
    let joined = Journal::create(output).map_err(|trouble| unwritable(trouble.to_string()))?;
    joined.begin(&Head { shard: [1, 1], ..head.clone() })?;
    for entry in entries.values() {
        let text =
            entry.certificate.as_ref().and_then(|hash| contents.iter().find_map(|part| part.certificates.get(hash)));
        let certificate = text.map(|text| joined.append_certificate(text)).transpose()?;
        joined.append(&entry.program, &entry.property, &entry.engine, entry.verdict.clone(), certificate)?;
    }
    let (verdicts, journals) = (count(entries.len(), "verdict"), count(parts.len(), "journal"));
    message(&format!(
        "{verdicts} from {journals}; `redoubt check FILE... --resume {}` does the rest\n",
        output.display()
    ));
    Ok(Outcome::Holds)
}

fn read(path: &Path) -> Result<(Part, Contents), Failure> {
    let unreadable = |reason: String| Failure::Unreadable { path: path.into(), reason };
    let contents = Contents::read(path).map_err(|trouble| unreadable(trouble.to_string()))?;
    let head = match &contents.runs[..] {
        [run] => serde_json::from_value::<Head>(run.clone()).map_err(|error| unreadable(error.to_string()))?,
        [] => return Err(unreadable("does not record its options; was it written by an older version?".into())),
        _ => return Err(unreadable("was written by runs with different options or files".into())),
    };
    Ok((Part { path: path.into(), head, run: Recorded::default() }, contents))
}
