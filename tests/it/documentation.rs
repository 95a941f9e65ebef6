//! The documentation shows the output of the tool: in every block that starts with `$ redoubt`, the lines after the
//! command are its output, first the standard one, then its messages.
//!
//! A block that opens with three backquotes, `gcl` and the name of a file is that file for the commands of the
//! document. With `UPDATE_DOCS` set in the environment, the outputs are rewritten instead.

use std::path::Path;
use std::process::Output;

use crate::common::command::{self, redoubt_in};
use crate::common::scratch::Scratch;

#[test]
fn encoding() {
    check("docs/encoding.md", &crate::common::in_project(""));
}

#[test]
fn formats() {
    check("docs/formats.md", &crate::common::in_project(""));
}

#[test]
fn ltl() {
    check("docs/ltl.md", &crate::common::in_project(""));
}

#[test]
fn generate() {
    let scratch = Scratch::new();
    let folder = scratch.write("here", "");
    check("docs/generate.md", folder.parent().expect("a file lies in a folder"));
}

#[test]
fn report() {
    let run = std::fs::read_to_string(crate::common::in_project("tests/models/run.jsonl")).expect("a run");
    let scratch = Scratch::new();
    scratch.write("cut.jsonl", &run[..700]);
    let file = scratch.write("run.jsonl", &run);
    check("docs/report.md", file.parent().expect("a file lies in a folder"));
}

#[test]
fn compare() {
    let text = std::fs::read_to_string(crate::common::in_project("docs/compare.md")).expect("the document can be read");
    let scratch = Scratch::new();
    for (name, model) in blocks(&text) {
        scratch.write(name, &model);
    }
    let folder = scratch.write("here", "");
    check("docs/compare.md", folder.parent().expect("a file lies in a folder"));
}

#[test]
fn models() {
    let path = crate::common::in_project("docs/gcl.md");
    let text = std::fs::read_to_string(path).expect("the document can be read");
    let scratch = Scratch::new();
    let mut models = 0;
    for (name, model) in blocks(&text) {
        let (name, is_bad) = match name.strip_suffix(" !") {
            Some(name) => (name, true),
            None => (name, false),
        };
        let file = scratch.write(name, &model);
        let folder = file.parent().expect("a file lies in a folder");
        let output = run(&format!("check {name}"), folder);
        assert_eq!(output.status.code() == Some(3), is_bad, "{name}: {}", String::from_utf8_lossy(&output.stderr));
        // Where a model says what it expects, that is so.
        if model.contains("expect") {
            assert_eq!(output.status.code(), Some(0), "{name}: {}", String::from_utf8_lossy(&output.stdout));
        }
        if !is_bad {
            assert_eq!(run(&format!("fmt --check {name}"), folder).status.code(), Some(0), "{name}: not formatted");
        }
        models += 1;
    }
    assert!(models >= 8, "{models} models");
    let folder = scratch.write("here", "");
    check("docs/gcl.md", folder.parent().expect("a file lies in a folder"));
}

#[test]
fn structured_text() {
    let text = std::fs::read_to_string(crate::common::in_project("docs/st.md")).expect("the document can be read");
    let scratch = Scratch::new();
    for (name, program) in blocks(&text) {
        scratch.write(name, &program);
    }
    let folder = scratch.write("here", "");
    check("docs/st.md", folder.parent().expect("a file lies in a folder"));
}

/// The blocks of a document that are files: their names and texts.
fn blocks(text: &str) -> Vec<(&str, String)> {
    let mut found = vec![];
    let mut lines = text.lines();
    while let Some(line) = lines.next() {
        if let Some(name) = line.strip_prefix("```gcl ").or(line.strip_prefix("```st ")) {
            let body: Vec<&str> = lines.by_ref().take_while(|line| *line != "```").collect();
            found.push((name, body.join("\n") + "\n"));
        }
    }
    found
}

fn check(path: &str, folder: &Path) {
    let path = crate::common::in_project(path);
    let text = std::fs::read_to_string(&path).expect("the document can be read");
    let updated = with_outputs(&text, folder);
    if std::env::var_os("UPDATE_DOCS").is_some() {
        std::fs::write(&path, updated).expect("the document can be written");
    } else {
        assert!(text == updated, "{} is out of date; set UPDATE_DOCS to rewrite it", path.display());
    }
}

/// The document with the current output in each of its blocks.
fn with_outputs(text: &str, folder: &Path) -> String {
    let mut out = String::new();
    let mut lines = text.lines();
    while let Some(line) = lines.next() {
        out.push_str(line);
        out.push('\n');
        if let Some(command) = line.strip_prefix("$ redoubt ") {
            out.push_str(&shown(command, folder));
            let end = lines.by_ref().find(|line| *line == "```").expect("a block ends");
            out.push_str(end);
            out.push('\n');
        }
    }
    out
}

/// The output of a command; bad files and violations are allowed.
fn shown(arguments: &str, folder: &Path) -> String {
    let output = run(arguments, folder);
    assert!(matches!(output.status.code(), Some(0 | 3 | 10 | 20)), "{arguments}: {:?}", output.status);
    let text = [output.stdout, output.stderr].concat();
    let text = String::from_utf8(text).expect("text");
    // On a busy machine, commands have the time to say how far they are.
    let lines = text.lines().filter(|line| !(line.contains(" decided, ") && line.contains(" open | ")));
    lines.map(|line| timeless(line).trim_end().to_string() + "\n").collect::<String>().trim_end().to_string() + "\n"
}

/// A line with the time at its end, if it has one, replaced by a fixed one.
fn timeless(line: &str) -> String {
    match line.rsplit_once(" (") {
        Some((before, time)) if time.ends_with(" s)") && time.starts_with(|c: char| c.is_ascii_digit()) => {
            format!("{before} (0.02 s)")
        }
        _ => line.to_string(),
    }
}

fn run(arguments: &str, folder: &Path) -> Output {
    // Engines that run side by side finish in any order; one alone prints the same every time.
    let is_program = arguments.starts_with("check ") && !arguments.contains(".a");
    let engine: &[&str] = match is_program {
        true => &["--engine", "ic3"],
        false if arguments.starts_with("compare ") => &["--engine", "explicit"],
        false => &[],
    };
    // A text in quotes is one argument.
    let parts = arguments.split('\'').enumerate();
    let arguments: Vec<&str> = parts
        .flat_map(|(index, part)| if index % 2 == 1 { vec![part] } else { part.split_whitespace().collect() })
        .collect();
    command::run(redoubt_in("", &arguments).args(engine).current_dir(folder))
}
