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

#[test]
fn no_module_knows_what_is_above_it() {
    let project = Project::new(picture(), sources()).unwrap_or_else(|missing| panic!("{missing}"));
    let complaints: Vec<String> = project.upwards().iter().map(|arrow| project.complaint(arrow)).collect();
    assert!(complaints.is_empty(), "against the order in docs/architecture.md:\n{}", complaints.join("\n"));
}

/// Adds a line to the module of a part and says where it stands.
fn add(sources: &mut [Source], part: &str, line: &str) -> String {
    let root = picture::root(part);
    let module = part.strip_prefix(root).expect("a part begins with its crate").trim_start_matches('/');
    let folder = if root == "src" { root.to_string() } else { format!("{root}/src") };
    let names = [format!("{folder}/{module}.rs"), format!("{folder}/{module}/mod.rs"), format!("{folder}/lib.rs")];
    let source = names.iter().find_map(|name| sources.iter().position(|source| source.path == *name));
    let source = &mut sources[source.expect("every part has a file")];
    source.text += &format!("\n{line}\n");
    format!("{}:{}", source.path, source.text.lines().count())
}

/// The real sources with lines that should not be there, and some that may.
#[test]
fn arrows_against_the_order_are_found() {
    let picture = picture();
    let tops: Vec<&str> = picture.parts().iter().filter_map(|part| part.strip_prefix("crates/driver/")).collect();
    let [low, .., high] = tops[..] else { panic!("there are many modules: {tops:?}") };
    let (from, to) = (format!("crates/driver/{low}"), format!("crates/driver/{high}"));
    let mut sources = sources();
    let mut expected = BTreeSet::new();
    for (from, line, to) in [
        (&*from, format!("use crate::{high}::A;"), &*to),
        (&from, format!("fn f() {{ super::{high}::f() }}"), &to),
        (&from, format!("mod inner {{ use super::super::{high}; }}"), &to),
        (&from, format!("use {{std::fmt, redoubt_driver::{high}::B as C}};"), &to),
        (&from, "use crate::parse;".into(), "crates/driver"),
        ("crates/base", "use redoubt_circuit::Aig;".into(), "crates/circuit"),
        ("crates/program/text", "use crate::{expr::Expr};".into(), "crates/program/expr"),
        ("crates/clauses/cnf", "type S = dyn crate::sat::Solver;".into(), "crates/clauses/sat"),
    ] {
        expected.insert(format!("{}: {from} -> {to}", add(&mut sources, from, &line)));
    }
    for (part, line) in [
        (&from, format!("// use crate::{high}::A;")),
        (&from, format!("const A: &str = \"crate::{high}\";")),
        (&from, format!("#[cfg(test)] mod looking_up {{ use crate::{high}::A; }}")),
        (&to, format!("use crate::{low}; use redoubt_clauses::sat; use crate::base::Limits;")),
    ] {
        add(&mut sources, part, &line);
    }
    let project = Project::new(picture, sources).expect("all is in the picture");
    let shown = |arrow: &Arrow| format!("{}: {} -> {}", arrow.place, arrow.from, arrow.to);
    let found: BTreeSet<String> = project.upwards().iter().map(shown).collect();
    assert_eq!(found, expected);
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
