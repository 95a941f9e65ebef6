//! Every module knows only those below it: the order in `docs/architecture.md` against all paths in the sources.

mod arrows;
mod paths;
mod picture;
mod tokens;

use std::collections::BTreeSet;
use std::path::Path;

use arrows::{Arrow, Project, Source};
use picture::Picture;

use crate::common::in_project;

/// Arrows that go up and are still to be removed. An arrow that is gone must go from here as well.
const TO_BE_REMOVED: &[(&str, &str)] = &[];

fn picture() -> Picture {
    Picture::read(&std::fs::read_to_string(in_project("docs/architecture.md")).expect("the picture"))
}

/// All source files of the project.
fn sources() -> Vec<Source> {
    let mut sources = vec![];
    let crates = std::fs::read_dir(in_project("crates")).expect("there are crates");
    let crates = crates.map(|entry| entry.expect("an entry").file_name().to_string_lossy().into_owned());
    let mut crates: Vec<String> = crates.map(|name| format!("crates/{name}/src")).collect();
    crates.sort();
    for folder in crates.iter().map(String::as_str).chain(["src"]) {
        collect(&in_project(folder), folder, &mut sources);
    }
    assert!(sources.len() > 200, "{} files", sources.len());
    sources
}

fn collect(folder: &Path, name: &str, sources: &mut Vec<Source>) {
    let mut entries: Vec<_> =
        std::fs::read_dir(folder).expect("a folder").map(|entry| entry.expect("an entry")).collect();
    entries.sort_by_key(|entry| entry.file_name());
    for entry in entries {
        let name = format!("{name}/{}", entry.file_name().to_string_lossy());
        if entry.path().is_dir() {
            collect(&entry.path(), &name, sources);
        } else if name.ends_with(".rs") {
            sources.push(Source { text: std::fs::read_to_string(entry.path()).expect("text"), path: name });
        }
    }
}

fn is_excused(arrow: &Arrow) -> bool {
    TO_BE_REMOVED.contains(&(&arrow.from, &arrow.to))
}

#[test]
fn no_module_knows_what_is_above_it() {
    let project = Project::new(picture(), sources()).unwrap_or_else(|missing| panic!("{missing}"));
    let upwards = project.upwards();
    let unexpected: Vec<String> =
        upwards.iter().filter(|arrow| !is_excused(arrow)).map(|arrow| project.complaint(arrow)).collect();
    assert!(unexpected.is_empty(), "against the order in docs/architecture.md:\n{}", unexpected.join("\n"));
    for (from, to) in TO_BE_REMOVED {
        let is_there = upwards.iter().any(|arrow| (&*arrow.from, &*arrow.to) == (from, to));
        assert!(is_there, "{from} no longer knows {to}: remove the arrow from the list");
    }
}

/// Lines that go up, by the file that they are added to, and the arrows that they are.
const FORBIDDEN: [(&str, &str, &str); 8] = [
    ("src/analysis/domain.rs", "use crate::check::Options;", "src/analysis -> src/check"),
    ("src/analysis/flow.rs", "use super::super::check::Options;", "src/analysis -> src/check"),
    ("src/analysis/mod.rs", "fn f() { super::check::check() }", "src/analysis -> src/check"),
    ("src/check/mod.rs", "use redoubt::report;", "src/check -> src/report"),
    ("src/system/mod.rs", "use crate::parse;", "src/system -> src"),
    ("crates/program/src/text.rs", "use crate::{expr::Expr};", "crates/program/text -> crates/program/expr"),
    ("crates/engine/src/cnf/mod.rs", "type S = dyn crate::sat::Solver;", "crates/engine/cnf -> crates/engine/sat"),
    ("crates/base/src/hash.rs", "use redoubt_circuit::Aig;", "crates/base -> crates/circuit"),
];

/// Lines that do not.
const HARMLESS: [(&str, &str); 3] = [
    ("src/analysis/env.rs", "// use crate::check::Options;\nconst A: &str = \"crate::check\";"),
    ("src/analysis/env.rs", "#[cfg(test)]\nmod looking_up {\n    use crate::check::Options;\n}"),
    ("src/check/mod.rs", "use crate::analysis; use redoubt_engine::sat; use crate::base::Limits;"),
];

#[test]
fn arrows_against_the_order_are_found() {
    let mut sources = sources();
    let added = FORBIDDEN.map(|(path, line, _)| (path, line));
    for (path, line) in added.into_iter().chain(HARMLESS) {
        let source = sources.iter_mut().find(|source| source.path == path).expect("the file is there");
        source.text += &format!("\n{line}\n");
    }
    let project = Project::new(picture(), sources).expect("all is in the picture");
    let upwards = project.upwards();
    let found: BTreeSet<String> = upwards.iter().filter(|arrow| !is_excused(arrow)).map(shown).collect();
    let shown = |(path, _, arrow): (&str, &str, &str)| format!("{path}: {arrow}");
    assert_eq!(found, FORBIDDEN.map(shown).into_iter().collect());
}

fn shown(arrow: &Arrow) -> String {
    let file = arrow.place.split(':').next().unwrap_or_default();
    format!("{file}: {} -> {}", arrow.from, arrow.to)
}

#[test]
fn circles_and_missing_modules_are_found() {
    let picture = || Picture::read("```layers\nsrc/a\nsrc/b\nsrc/c\n```");
    let source = |path: &str, text: &str| Source { path: path.into(), text: text.into() };
    let files = || {
        vec![
            source("src/lib.rs", "pub mod a;\npub mod b;\npub mod c;\npub use redoubt_a as d;"),
            source("src/a.rs", "\nuse crate::c::C;"),
            source("src/b/mod.rs", "use super::a;\n#[cfg(test)]\nmod tests;"),
            source("src/b/tests.rs", "use crate::c;"),
            source("src/c.rs", "use crate::{b, b::x};\n#[cfg(test)] mod tests { use crate::parse; }"),
        ]
    };
    let project = Project::new(picture(), files()).expect("all is in the picture");
    let complaints: Vec<String> = project.upwards().iter().map(|arrow| project.complaint(arrow)).collect();
    assert_eq!(complaints, ["src/a.rs:2: src/a -> src/c, and round again: src/c -> src/b -> src/a"]);

    let mut more = files();
    more.push(source("src/d/mod.rs", ""));
    assert_eq!(Project::new(picture(), more).err().as_deref(), Some("src/d/mod.rs is in no part of the picture"));
    let mut fewer = files();
    fewer.remove(1);
    assert_eq!(
        Project::new(picture(), fewer).err().as_deref(),
        Some("src/a is in the picture, but there is no such module")
    );
}
