//! Constants with other values than their own: one value, a range, and files about such a model.

use std::path::PathBuf;
use std::process::Output;

use crate::common::command::{name, redoubt_in, run_reading, stderr, stdout};
use crate::common::scratch::Scratch;
use crate::common::{in_project, schema};

fn redoubt(arguments: &[&str], input: &str) -> Output {
    run_reading(&mut redoubt_in("problems/gcl", arguments), input.as_bytes())
}

#[test]
fn constants_are_set_and_swept() {
    let scratch = Scratch::new();
    let file = scratch.write(
        "sized.gcl",
        "const N = 2\ninput up: bool\nvar n: 0..N = 0\nstep { if up && n < N { n = n + 1 } }\n\
         property top: reach n == N\nproperty low: never n == 3\n",
    );
    let file = name(&file);
    assert!(stdout(&redoubt(&["check", &file], "")).contains("after 2 steps"));
    let output = redoubt(&["check", &file, "-D", "N=5"], "");
    assert_eq!(output.status.code(), Some(10));
    assert!(stdout(&output).contains("after 5 steps"), "{}", stdout(&output));
    assert!(stdout(&redoubt(&["simulate", &file, "-DN=1", "up=true", "/", "up=true"], "")).contains("0 -> 1"));
    let output = redoubt(&["check", &file, "-D", "N=1..4"], "");
    let table = stdout(&output);
    let rows: Vec<Vec<&str>> = table.lines().map(|line| line.split_whitespace().skip(1).collect()).collect();
    assert_eq!(rows[0], ["N=1", "N=2", "N=3", "N=4"]);
    assert_eq!(rows[1], ["reachable"; 4]);
    assert_eq!(rows[2], ["holds", "holds", "violated", "violated"]);
    for (setting, message) in [("M=3", "no constant `M`"), ("N", "such as N=5"), ("N=4..1", "such as N=2..6")] {
        let output = redoubt(&["check", &file, "-D", setting], "");
        assert_eq!(output.status.code(), Some(2), "{setting}");
        assert!(stderr(&output).contains(message), "{}", stderr(&output));
    }
}

/// A model whose size is a constant.
fn sized(scratch: &Scratch) -> PathBuf {
    scratch.write(
        "sized.gcl",
        "const N = 2\ninput up: bool\ninput to: 0..N\nvar n: 0..N = 0\nstep { if up && n < N { n = n + 1 } else { n = 0 } }\n\
         property top: reach n == N && to == N\nproperty low: never n == 3\nproperty again: infinitely often n == N\n",
    )
}

/// A witness and a certificate record the constants they were made with.
#[test]
fn files_about_a_model_say_its_constants() {
    let scratch = Scratch::new();
    let (file, folder) = (name(&sized(&scratch)), name(&scratch.path("out")));
    let swept = redoubt(&["check", &file, "-D", "N=2..4", "--witness-dir", &folder], "");
    assert_eq!(swept.status.code(), Some(10), "{}", stderr(&swept));
    let written = |what: &str| format!("{folder}/sized.gcl_{what}");
    for (witness, says, code) in [
        ("N_4.top.json", "top                   reached after 4 steps", 0),
        ("N_4.low.json", "low                   violated after 3 steps", 10),
        ("N_3.again.json", "again                 violated by ", 10),
    ] {
        let output = redoubt(&["replay", &file, &written(witness)], "");
        assert!(stdout(&output).contains(says), "{witness}: {}{}", stdout(&output), stderr(&output));
        assert_eq!(output.status.code(), Some(code), "{witness}");
    }
    let same = redoubt(&["replay", &file, "-D", "N=4", &written("N_4.low.json")], "");
    assert_eq!(same.status.code(), Some(10), "{}", stderr(&same));
    let other = redoubt(&["replay", &file, "-D", "N=3", &written("N_4.low.json")], "");
    assert_eq!(other.status.code(), Some(2));
    assert!(stderr(&other).contains("the witness was made with N=4"), "{}", stderr(&other));
    let followed = redoubt(&["simulate", &file, "--follow", &written("N_4.low.json")], "");
    assert!(stdout(&followed).contains("violated: low"), "{}{}", stdout(&followed), stderr(&followed));
    let certified = redoubt(&["certify", &file, &written("N_2.cert")], "");
    assert_eq!(certified.status.code(), Some(0), "{}{}", stdout(&certified), stderr(&certified));
    let other = redoubt(&["certify", &file, "-D", "N=3", &written("N_2.cert")], "");
    assert_eq!(other.status.code(), Some(2));
    assert!(stderr(&other).contains("the certificate was made with N=2"), "{}", stderr(&other));
}

/// The lines of a sweep are about models of several sizes, and each is replayed on its own.
#[test]
fn the_lines_of_a_sweep_are_replayed_on_the_model_of_their_size() {
    let scratch = Scratch::new();
    let file = name(&sized(&scratch));
    let lines = redoubt(&["check", &file, "-D", "N=2..3", "--jobs", "1", "--format", "jsonl"], "");
    let shape = std::fs::read_to_string(in_project("docs/schemas/run.schema.json")).expect("the schema can be read");
    let shape = serde_json::from_str(&shape).expect("JSON");
    for line in stdout(&lines).lines() {
        let line = serde_json::from_str(line).expect("JSON");
        assert_eq!(schema::flaw(&shape, &line), None, "{line}");
    }
    let lines = name(&scratch.write("run.jsonl", &stdout(&lines)));
    let all = redoubt(&["replay", &file, &lines], "");
    let text = stdout(&all);
    assert_eq!(all.status.code(), Some(10), "{text}{}", stderr(&all));
    let (two, three) = text.split_once("\nN=3:\n").expect("both sizes are there");
    assert!(two.starts_with("N=2:\n") && two.contains("top                   reached after 2 steps"), "{text}");
    assert!(three.contains("top                   reached after 3 steps") && three.contains("low  "), "{text}");
    let one = stdout(&redoubt(&["replay", &file, "-D", "N=3", &lines], ""));
    assert_eq!(one, three);
    // Lines about another problem in the same file have constants of their own.
    let other = scratch.write("other.gcl", "var x: bool = false\nstep { x = true }\nproperty p: never x\n");
    let more = stdout(&redoubt(&["check", &name(&other), "--format", "jsonl"], ""));
    let both = name(&scratch.write("both.jsonl", &(std::fs::read_to_string(&lines).expect("it is there") + &more)));
    let output = redoubt(&["replay", &name(&other), &both], "");
    assert_eq!(output.status.code(), Some(10), "{}", stderr(&output));
    assert!(stdout(&output).contains("violated after 1 step"), "{}", stdout(&output));
}

/// A journal about a model is about its size, also where there is nothing that could be checked again.
#[test]
fn a_journal_is_about_a_size() {
    let scratch = Scratch::new();
    let (file, journal) = (name(&sized(&scratch)), name(&scratch.path("run.journal")));
    let check = |size: &str, how: &str| {
        let arguments = ["check", &file, "-D", size, "--property", "low", "--brief", "--no-certify", how, &journal];
        stdout(&redoubt(&arguments, ""))
    };
    assert!(check("N=2", "--journal").contains("low                       holds"));
    assert!(check("N=3", "--resume").contains("low                       violated, after 3 steps"));
    assert!(check("N=2", "--resume").contains("holds (not confirmed)"));
}
