//! The project's own models: verdicts as expected in the files, runs that replay, proofs that a checker of its own
//! accepts, and puzzles whose solutions solve them.

use std::path::PathBuf;

use redoubt_base::Limits;
use redoubt_bits::blast::{Width, blast};
use redoubt_bits::system::{self, passes};
use redoubt_driver::check::{self, Answer, CheckOptions};
use redoubt_engine::engine::{Engine, Proof};
use redoubt_languages::gcl;
use redoubt_program::program::{Program, PropertyKind, Status};
use redoubt_program::text::SourceFile;

use crate::common::{in_project, load_model};

fn files() -> Vec<PathBuf> {
    let entries = std::fs::read_dir(in_project("problems/gcl")).expect("the folder can be read");
    let mut paths: Vec<PathBuf> = entries.filter_map(|entry| Some(entry.ok()?.path())).collect();
    paths.retain(|path| path.extension().is_some_and(|extension| extension == "gcl"));
    paths.sort();
    assert!(paths.len() >= 8, "{paths:?}");
    paths
}

fn load(path: &PathBuf) -> (Program, String) {
    let text = std::fs::read_to_string(path).expect("the file can be read");
    let name = path.file_name().expect("a file has a name").to_string_lossy();
    (load_model(&name, &text), text)
}

/// Verdicts are those that the files expect, and automatic properties hold; runs replay; the invariants of unreachable
/// properties are inductive and exclude the property, as SAT queries on a circuit of their own confirm; and the run
/// that solves a puzzle is its solution.
#[test]
fn models_are_as_they_expect_to_be() {
    let (mut proofs, mut solved) = (0, 0);
    for path in files() {
        let (program, text) = load(&path);
        assert!(program.properties.iter().any(|property| property.expected.is_some()), "{}", program.name);
        let report = check::check(&program, &CheckOptions::default(), |_| {}).expect("the model is small");
        let system = passes::run(
            system::build(&program).expect("small"),
            passes::Passes::ALL,
            &redoubt_base::Interrupt::default(),
        )
        .system;
        let circuit = blast(&system, Width::Reduced).circuit;
        for finding in &report.findings {
            let property = program.property(finding.property);
            if property.kind == PropertyKind::Atom {
                continue;
            }
            if property.kind == PropertyKind::Lint {
                assert!(
                    matches!(finding.answer, Answer::Reachable { .. }),
                    "{}: {} is dead",
                    program.name,
                    property.name
                );
                continue;
            }
            let what = format!("{}: {}", program.name, property.name);
            let reachable = match &finding.answer {
                Answer::Reachable { run: inputs } => {
                    assert_eq!(check::reaches(&program, inputs, finding.property), Some(inputs.len()), "{what}");
                    true
                }
                Answer::Unreachable { proof: Proof::Invariant(invariant), .. } => {
                    let flaw = crate::common::invariant::flaw(&circuit, finding.property.index(), invariant);
                    assert_eq!(flaw, None, "{what}");
                    proofs += 1;
                    false
                }
                other => panic!("{what}: {other:?}"),
            };
            let expected = property.expected.unwrap_or(Status::Holds);
            assert_eq!(property.kind.status(reachable), expected, "{what}");
            if let (Answer::Reachable { run: inputs }, "solved") = (&finding.answer, property.name.as_str()) {
                assert_solves(&text, inputs, &what);
                solved += 1;
            }
        }
    }
    assert!(proofs >= 20 && solved >= 2, "{proofs} proofs, {solved} puzzles");
}

/// No engine is wrong about a model, and diagrams, which judge the others, decide all of them.
#[test]
fn every_engine_is_right_about_every_model() {
    // At one bound, images by interpolants may be many.
    let depth = |engine: Engine| match engine {
        Engine::Bdd => None,
        Engine::Itp => Some(1),
        _ => Some(6),
    };
    let (mut decided, mut open) = (0, 0);
    for path in files() {
        let (program, _) = load(&path);
        for engine in Engine::ALL {
            let limits = Limits { depth: depth(engine), ..Limits::default() };
            // Proofs are checked elsewhere.
            let options = CheckOptions { engine, limits, confirm: false, ..CheckOptions::default() };
            let found = super::judged(&program, check::check(&program, &options, |_| {}).expect("the model is small"));
            for property in &program.properties {
                if matches!(property.kind, PropertyKind::Atom | PropertyKind::Lint) {
                    continue;
                }
                let what = format!("{}: {} by {engine:?}", program.name, property.name);
                let expected = property.expected.unwrap_or(Status::Holds);
                match found.get(&property.name).copied().flatten() {
                    Some(status) => assert_eq!(status, expected, "{what}"),
                    None => assert_ne!(engine, Engine::Bdd, "{what}"),
                }
                *if found.get(&property.name).is_some_and(Option::is_some) { &mut decided } else { &mut open } += 1;
            }
        }
    }
    println!("{decided} verdicts, {open} open");
    assert!(decided > 2 * open, "{decided} verdicts, {open} open");
}

#[test]
fn models_are_formatted() {
    for path in files() {
        let (_, text) = load(&path);
        let formatted = gcl::format::format(&SourceFile::new("model.gcl", text.clone())).expect("a good model");
        assert_eq!(text, formatted, "{}: run `redoubt fmt` on it", path.display());
    }
}

/// A level as it is drawn in the comment of its file.
struct Level {
    walls: Vec<(i32, i32)>,
    boxes: Vec<(i32, i32)>,
    targets: Vec<(i32, i32)>,
    worker: (i32, i32),
}

fn level(text: &str) -> Level {
    let lines = text.lines().filter_map(|line| line.strip_prefix("//   "));
    let rows = lines.filter(|line| line.starts_with('#'));
    let mut level = Level { walls: vec![], boxes: vec![], targets: vec![], worker: (0, 0) };
    for (row, line) in rows.enumerate() {
        // The text beside the drawing explains it.
        let end = line.find("     ").unwrap_or(line.len());
        for (column, symbol) in line[..end].chars().enumerate() {
            let place = (row as i32, column as i32);
            match symbol {
                '#' => level.walls.push(place),
                '$' => level.boxes.push(place),
                '.' => level.targets.push(place),
                '@' => level.worker = place,
                _ => {}
            }
        }
    }
    level
}

impl Level {
    /// Makes a move by the rules of the game.
    fn walk(&mut self, by: (i32, i32)) {
        let to = (self.worker.0 + by.0, self.worker.1 + by.1);
        let beyond = (to.0 + by.0, to.1 + by.1);
        assert!(!self.walls.contains(&to), "into a wall");
        if let Some(index) = self.boxes.iter().position(|place| *place == to) {
            assert!(!self.walls.contains(&beyond) && !self.boxes.contains(&beyond), "the box cannot be pushed");
            self.boxes[index] = beyond;
        }
        self.worker = to;
    }
}

/// Plays the moves on the level as it is drawn, by the rules of the game and without the model.
fn assert_solves(text: &str, inputs: &[Vec<i32>], what: &str) {
    let mut level = level(text);
    for step in inputs {
        level.walk([(-1, 0), (1, 0), (0, -1), (0, 1)][step[0] as usize]);
    }
    level.boxes.sort_unstable();
    level.targets.sort_unstable();
    assert_eq!(level.boxes, level.targets, "{what}");
    println!("{what}: {} moves", inputs.len());
}
