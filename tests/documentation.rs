//! What the documentation shows is what the tool prints: in every block that starts with `$ redoubt`, the lines after
//! the command are its output.
//!
//! With `UPDATE_DOCS` set in the environment, the blocks are rewritten instead.

mod common;

use std::process::Command;

#[test]
fn encoding() {
    check("docs/encoding.md");
}

#[test]
fn formats() {
    check("docs/formats.md");
}

fn check(path: &str) {
    let path = common::in_project(path);
    let text = std::fs::read_to_string(&path).expect("the document can be read");
    let updated = with_outputs(&text);
    if std::env::var_os("UPDATE_DOCS").is_some() {
        std::fs::write(&path, updated).expect("the document can be written");
    } else {
        assert!(text == updated, "{} is out of date; set UPDATE_DOCS to rewrite it", path.display());
    }
}

/// The document with the current output in each of its blocks.
fn with_outputs(text: &str) -> String {
    let mut out = String::new();
    let mut lines = text.lines();
    while let Some(line) = lines.next() {
        out.push_str(line);
        out.push('\n');
        if let Some(command) = line.strip_prefix("$ redoubt ") {
            out.push_str(&run(command));
            let end = lines.by_ref().find(|line| *line == "```").expect("a block ends");
            out.push_str(end);
            out.push('\n');
        }
    }
    out
}

fn run(arguments: &str) -> String {
    let mut command = Command::new(env!("CARGO_BIN_EXE_redoubt"));
    let output = command.args(arguments.split(' ')).current_dir(common::in_project("")).output().expect("it starts");
    // Something may be violated, or undecided.
    let is_answer = matches!(output.status.code(), Some(0 | 10 | 20));
    assert!(is_answer, "{arguments}: {}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8(output.stdout).expect("text")
}
