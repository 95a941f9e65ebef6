//! The project itself: the licences of its dependencies, a checker without anything that finds proofs, lints
//! everywhere, and parsers generated from the current grammars.

use std::path::Path;
use std::process::Command;

use redoubt_base::hash::sha256;

use crate::common::in_project;

/// Every dependency is under a licence that `deny.toml` allows.
#[test]
fn licences_of_dependencies_are_allowed() {
    let policy = std::fs::read_to_string(concat!(env!("CARGO_MANIFEST_DIR"), "/deny.toml")).expect("the policy");
    let (_, list) = policy.split_once("allow = [").expect("a list of licences");
    let (list, _) = list.split_once(']').expect("the list ends");
    let allowed: Vec<&str> = list.split('"').skip(1).step_by(2).collect();
    let is_allowed = |licence: &str| allowed.contains(&licence);
    assert!(is_allowed("MIT") && !is_allowed("GPL-3.0"), "{allowed:?}");

    let mut packages = 0;
    for package in metadata()["packages"].as_array().expect("packages") {
        let expression = package["license"].as_str().unwrap_or("none");
        let id = package["id"].as_str().unwrap_or_default();
        assert!(holds(expression, &is_allowed), "{id} is under `{expression}`");
        packages += 1;
    }
    assert!(packages > 50, "{packages} packages");
}

/// The crate that checks certificates shares the parsed program with what finds them, circuits and formulas, but nothing else.
#[test]
fn the_checker_depends_on_nothing_that_finds_proofs() {
    let metadata = metadata();
    let mut pending = vec!["redoubt-checker".to_string()];
    let mut needed = std::collections::BTreeSet::new();
    while let Some(name) = pending.pop() {
        let packages = metadata["packages"].as_array().expect("packages");
        let package = packages.iter().find(|package| package["name"] == *name).expect("a package of the project");
        let dependencies = package["dependencies"].as_array().expect("dependencies");
        let own = dependencies.iter().filter(|dependency| dependency["kind"].is_null());
        for dependency in own.map(|dependency| dependency["name"].as_str().unwrap_or_default().to_string()) {
            if dependency.starts_with("redoubt") && needed.insert(dependency.clone()) {
                pending.push(dependency);
            }
        }
    }
    let needed: Vec<&str> = needed.iter().map(String::as_str).collect();
    assert_eq!(needed, ["redoubt-base", "redoubt-circuit", "redoubt-formula", "redoubt-parsers", "redoubt-program"]);
}

/// Lints apply in every crate; one that does not ask for them gets none.
#[test]
fn every_crate_has_the_lints_of_the_workspace() {
    let crates = std::fs::read_dir(in_project("crates")).expect("there are crates");
    let manifests = crates.map(|entry| entry.expect("a folder").path().join("Cargo.toml"));
    let mut seen = 0;
    for manifest in manifests.chain([in_project("Cargo.toml")]) {
        let text = std::fs::read_to_string(&manifest).expect("a crate has a manifest");
        assert!(text.contains("\n[lints]\nworkspace = true\n"), "{} has no lints", manifest.display());
        seen += 1;
    }
    assert!(seen > 10, "{seen} crates");
}

/// Neither grammars nor generated parsers were changed since the one became the other; `just parsers` makes them anew to compare.
#[test]
fn generated_parsers_are_those_of_the_grammars() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let sums = std::fs::read_to_string(root.join("crates/parsers/generated.sha256")).expect("the checksums");
    let listed: Vec<(&str, &str)> = sums.lines().map(|line| line.split_once("  ").expect("a sum and a path")).collect();
    for (sum, path) in &listed {
        let bytes = std::fs::read(root.join(path)).unwrap_or_else(|error| panic!("{path}: {error}"));
        assert_eq!(sha256(&bytes), *sum, "{path} was changed; run: cargo run -p redoubt-grammar");
    }
    for folder in ["grammar", "crates/parsers/src/generated"] {
        for entry in std::fs::read_dir(root.join(folder)).expect("the folder can be read") {
            let path = format!("{folder}/{}", entry.expect("a file").file_name().display());
            let is_source = path.ends_with(".g4") || path.ends_with(".rs");
            assert!(!is_source || listed.iter().any(|(_, other)| *other == path), "{path} is not in the list");
        }
    }
}

/// Cargo's data on all packages that are built on this machine.
fn metadata() -> serde_json::Value {
    let version = Command::new("rustc").arg("-vV").output().expect("the compiler says its version").stdout;
    let version = String::from_utf8(version).expect("text");
    let host = version.lines().find_map(|line| line.strip_prefix("host: ")).expect("the compiler has a host");
    let output = Command::new(env!("CARGO"))
        .args(["metadata", "--format-version", "1", "--locked", "--filter-platform", host])
        .current_dir(env!("CARGO_MANIFEST_DIR"))
        .output()
        .expect("cargo runs");
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    serde_json::from_slice(&output.stdout).expect("JSON")
}

/// Whether an expression of licences (SPDX; `/` is an old way to write `OR`) can be satisfied.
fn holds(expression: &str, is_allowed: &dyn Fn(&str) -> bool) -> bool {
    let expression = expression.trim().replace('/', " OR ");
    let parts = |word: &str| split_outside_parentheses(&expression, word);
    if let [_, _, ..] = parts(" OR ")[..] {
        return parts(" OR ").iter().any(|part| holds(part, is_allowed));
    }
    if let [_, _, ..] = parts(" AND ")[..] {
        return parts(" AND ").iter().all(|part| holds(part, is_allowed));
    }
    match expression.strip_prefix('(').and_then(|inside| inside.strip_suffix(')')) {
        Some(inside) => holds(inside, is_allowed),
        None => is_allowed(expression.trim()),
    }
}

fn split_outside_parentheses(text: &str, word: &str) -> Vec<String> {
    let mut parts = vec![];
    let (mut depth, mut start) = (0, 0);
    for (place, c) in text.char_indices() {
        depth += i32::from(c == '(') - i32::from(c == ')');
        if depth == 0 && place >= start && text[place..].starts_with(word) {
            parts.push(text[start..place].to_string());
            start = place + word.len();
        }
    }
    parts.push(text[start..].to_string());
    parts
}

#[test]
fn expressions_of_licences_are_understood() {
    let is_allowed = |licence: &str| matches!(licence, "MIT" | "Apache-2.0 WITH LLVM-exception" | "Unicode-3.0");
    for good in ["MIT", "GPL-3.0 OR MIT", "MIT/X11", "(MIT OR X) AND Unicode-3.0", "Apache-2.0 WITH LLVM-exception"] {
        assert!(holds(good, &is_allowed), "{good}");
    }
    for bad in ["GPL-3.0", "MIT AND GPL-3.0", "(MIT OR X) AND Y", "none"] {
        assert!(!holds(bad, &is_allowed), "{bad}");
    }
}
