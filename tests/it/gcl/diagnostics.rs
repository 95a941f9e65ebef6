//! One small bad file per message of the front end, its rendering locked by a snapshot.

use std::sync::Arc;

use redoubt::source::gcl;
use redoubt::text::{SourceFile, Sources};

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

/// Nonsense of all kinds is refused or read, and neither takes long nor panics.
#[test]
fn cut_and_mixed_texts_do_no_harm() {
    use redoubt::base::Random;
    let text = std::fs::read_to_string(crate::common::in_project("problems/gcl/elevator.gcl")).expect("it is there");
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
