//! One small bad file per message of the front end, its rendering locked by a snapshot.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use redoubt_languages::gcl;
use redoubt_program::text::{SourceFile, Sources};

use crate::common::in_project;

#[test]
fn renderings() {
    insta::glob!("../../diagnostics", "*.gcl", |path| {
        let text = std::fs::read_to_string(path).expect("the file can be read");
        let name = path.file_name().expect("a file has a name").to_string_lossy();
        let sources = Arc::new(Sources::new(vec![SourceFile::new(name.clone(), text)]));
        let errors = match gcl::load(Arc::clone(&sources)) {
            Ok(_) => panic!("{name} was read without a message"),
            Err(errors) => errors,
        };
        // The messages alone: where the file lies is no part of them.
        insta::with_settings!({ omit_expression => true, prepend_module_to_snapshot => false }, {
            insta::assert_snapshot!(errors.render(&sources, false));
        });
    });
}

/// Each message of the front end is shown by one of these files: a new message needs a file that shows it.
#[test]
fn every_message_is_shown_by_a_file() {
    let mut rendered = String::new();
    for entry in std::fs::read_dir(in_project("tests/it/gcl/snapshots")).expect("the snapshots are there") {
        rendered += &std::fs::read_to_string(entry.expect("a file").path()).expect("it can be read");
    }
    // The parser's fallback where it expects very much, and mistakes that an earlier stage refuses first.
    const NOT_SEEN: [&str; 6] = [
        "this does not continue the text before it",
        "an operator or the next item",
        "an operator, the next statement or `}`",
        "an operator or the end of the expression",
        "`` is an index",
        "infinitely often", // the operator itself
    ];
    let mut missing = vec![];
    for path in files_below(&in_project("crates/gcl/src")) {
        let text = std::fs::read_to_string(&path).expect("it can be read");
        let code = text.split("#[cfg(test)]").next().unwrap_or_default();
        for message in code.lines().flat_map(messages) {
            if !NOT_SEEN.contains(&message.concat().as_str())
                && !rendered.lines().any(|line| has_in_order(line, &message))
            {
                missing.push(format!("{}: {}", path.display(), message.join("...")));
            }
        }
    }
    assert!(missing.is_empty(), "no file in tests/diagnostics shows these:\n{}", missing.join("\n"));
}

/// The sources of a folder and of those below, without tests.
fn files_below(folder: &Path) -> Vec<PathBuf> {
    let entries = std::fs::read_dir(folder).expect("the folder is there").map(|entry| entry.expect("an entry").path());
    let (folders, files): (Vec<PathBuf>, Vec<PathBuf>) = entries.partition(|path| path.is_dir());
    let sources = files.into_iter().filter(|path| !path.ends_with("tests.rs"));
    sources.chain(folders.iter().flat_map(|folder| files_below(folder))).collect()
}

/// The texts in a line of code that people may read, each as its parts between the placeholders.
fn messages(line: &str) -> Vec<Vec<String>> {
    const FOR_US: [&str; 4] = [".expect(", "unreachable!(", "reason = ", "assert"];
    let line = line.trim_start();
    if line.starts_with("//") || FOR_US.iter().any(|word| line.contains(word)) {
        return vec![];
    }
    let texts = line.split('"').skip(1).step_by(2);
    let parts = texts.map(|text| {
        let pieces =
            text.trim_end_matches('\\').split('{').map(|piece| piece.split_once('}').map_or(piece, |(_, rest)| rest));
        pieces.filter(|piece| !piece.is_empty()).map(str::to_string).collect::<Vec<_>>()
    });
    let is_long = |parts: &Vec<String>| {
        parts.iter().map(String::len).sum::<usize>() >= 9 && parts.iter().any(|part| part.trim().contains(' '))
    };
    parts.filter(is_long).collect()
}

fn has_in_order(line: &str, parts: &[String]) -> bool {
    parts.iter().try_fold(line, |rest, part| rest.split_once(part.as_str()).map(|(_, rest)| rest)).is_some()
}

/// Nonsense of all kinds is refused or read, and neither takes long nor panics.
#[test]
fn cut_and_mixed_texts_do_no_harm() {
    use redoubt_base::Random;
    let text = std::fs::read_to_string(in_project("problems/gcl/elevator.gcl")).expect("it is there");
    let load = |text: String| {
        let format = |text: &str| gcl::format::format(&SourceFile::new("mixed.gcl", text));
        if let Ok(once) = format(&text) {
            assert_eq!(format(&once).ok().as_ref(), Some(&once), "{text}");
        }
        let sources = Arc::new(Sources::new(vec![SourceFile::new("mixed.gcl", text)]));
        if let Err(errors) = gcl::load(Arc::clone(&sources)) {
            assert!(!errors.is_empty());
            errors.render(&sources, false);
        }
    };
    let mut random = Random::new(1);
    let words: Vec<&str> = text.split_inclusive(' ').collect();
    for _ in 0..150 {
        load(text.chars().take(random.below(text.len())).collect());
        let mut mixed: Vec<&str> = words.clone();
        for _ in 0..1 + random.below(3) {
            let (from, to) = (random.below(mixed.len()), random.below(mixed.len()));
            match random.below(3) {
                0 => mixed.swap(from, to),
                1 => drop(mixed.remove(from)),
                _ => mixed.insert(to, words[from % words.len()]),
            }
        }
        load(mixed.concat());
    }
    let deep =
        |open: &str, close: &str| format!("step {{ assert p: {}true{} }}", open.repeat(5000), close.repeat(5000));
    for text in [deep("(", ")"), deep("!", ""), deep("true -> ", ""), deep("true && ", ""), deep("once ", "")] {
        load(text);
    }
    load("step { for i in 0..2000000000 { } }".into());
    load("step { for i in 0..99999 { for j in 0..99999 { assert p: all k in 0..99999: i + j + k > -1 } } }".into());
    for end in ["x", "a[x]", "prev(x)", "missing"] {
        let doubling = (1..60).map(|n| format!("define d{n} = d{} + d{}\n", n - 1, n - 1));
        let doubling = doubling.collect::<String>();
        load(format!("var x: int = 0\nvar a: int[3] = 0\ndefine d0 = {end}\n{doubling}step {{ assert p: d59 == 0 }}"));
    }
    let doubling = (1..40).map(|n| format!("proc p{n}() {{ p{}(); p{}() }}\n", n - 1, n - 1));
    load(format!("proc p0() {{ }}\n{}step {{ p39() }}", doubling.collect::<String>()));
}
