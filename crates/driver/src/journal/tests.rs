//! A journal survives accidents to files.

use super::*;

fn run() -> Noted {
    Noted::Reachable(vec![vec![3], vec![-1]])
}

#[test]
fn a_journal_survives_being_cut_anywhere() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("journal");
    let journal = Journal::create(&path).expect("new");
    journal.append("p", "error_1", "ic3", run(), None).expect("room");
    journal.append("p", "error_2", "regions", Noted::Unreachable, None).expect("room");
    journal.append("q", "error_1", "bmc", Noted::Unreachable, None).expect("room");
    drop(journal);
    let whole = std::fs::read(&path).expect("it is there");
    let mut counts = vec![];
    for length in 0..=whole.len() {
        std::fs::write(&path, &whole[..length]).expect("room");
        let journal = Journal::resume(&path).unwrap_or_else(|error| panic!("{length}: {error}"));
        let found = journal.verdicts("p");
        assert!(found.first().is_none_or(|entry| (&*entry.property, &entry.verdict) == ("error_1", &run())));
        counts.push(found.len());
        // Lines behind a torn one can be read.
        journal.append("p", "error_3", "ic3", Noted::Unreachable, None).expect("room");
        drop(journal);
        let journal = Journal::resume(&path).expect("it is a journal");
        assert_eq!((journal.verdicts("p").len(), journal.damaged()), (counts[length] + 1, 0));
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
    journal.append("p", "error_1", "explicit", Noted::Reachable(vec![vec![7]]), None).expect("room");
    assert!(matches!(Journal::resume(&path), Err(Trouble::InUse)));
    drop(journal);
    let text = std::fs::read_to_string(&path).expect("text");
    let journal = Journal::resume(&path).expect("a journal");
    assert_eq!(journal.verdicts("p")[0].verdict, Noted::Reachable(vec![vec![7]]));
    drop(journal);
    std::fs::write(&path, text.replace("[[7]]", "[[8]]")).expect("room");
    let journal = Journal::resume(&path).expect("a journal");
    assert_eq!((journal.damaged(), &journal.verdicts("p")[0].verdict), (1, &run()));
}

#[test]
fn what_is_withdrawn_is_said_no_more() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("journal");
    let journal = Journal::create(&path).expect("new");
    journal.append("p", "error_1", "ic3", Noted::Unreachable, None).expect("room");
    journal.append("p", "error_2", "ic3", Noted::Unreachable, None).expect("room");
    journal.withdraw("p", "error_1").expect("room");
    drop(journal);
    let journal = Journal::resume(&path).expect("a journal");
    let said = |journal: &Journal| journal.verdicts("p").iter().map(|entry| entry.property.clone()).collect::<Vec<_>>();
    assert_eq!((journal.damaged(), said(&journal)), (0, vec!["error_2".to_string()]));
    journal.append("p", "error_1", "bmc", run(), None).expect("room");
    drop(journal);
    assert_eq!(said(&Journal::resume(&path).expect("a journal")), ["error_1", "error_2"]);
}

#[test]
fn a_certificate_is_kept_once() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("journal");
    let journal = Journal::create(&path).expect("new");
    let hash = journal.append_certificate("fact\n\"x\"").expect("room");
    assert_eq!(journal.append_certificate("fact\n\"x\"").expect("room"), hash);
    journal.append("p", "error_1", "ic3", Noted::Unreachable, Some(hash.clone())).expect("room");
    drop(journal);
    let journal = Journal::resume(&path).expect("a journal");
    assert_eq!(journal.damaged(), 0);
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
