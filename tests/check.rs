//! `redoubt check` on problem sets: what belongs together, what is compared, and in which forms it is written.

mod common;

use std::path::Path;
use std::process::{Command, Output};

use common::gcc::Scratch;
use common::{in_project, schema};
use serde_json::{Value as Json, json};

fn redoubt(arguments: &[&str]) -> Output {
    let mut command = Command::new(env!("CARGO_BIN_EXE_redoubt"));
    command.args(arguments).current_dir(in_project("")).output().expect("the program can be started")
}

fn stdout(output: &Output) -> String {
    String::from_utf8_lossy(&output.stdout).into_owned()
}

fn stderr(output: &Output) -> String {
    String::from_utf8_lossy(&output.stderr).into_owned()
}

fn name(path: &Path) -> String {
    path.to_string_lossy().into_owned()
}

fn lines(output: &Output) -> Vec<Json> {
    stdout(output).lines().map(|line| serde_json::from_str(line).expect("each line is JSON")).collect()
}

/// A program whose label `error_0` is reached by the input B and whose label `error_1` is not reached.
const PROGRAM: &str = "\
int inputs[] = {1, 2};
void calculate_output(int input) {
    if (input == 2) { error_0: assert(0); }
    if (input == 3) { error_1: assert(0); }
    printf(\"%d\\n\", 20 + input);
}
int main() {
    while (1) { int input; scanf(\"%d\", &input); calculate_output(input); }
}
";

/// Files of each language, and one that is neither of them.
fn folder() -> Scratch {
    let scratch = Scratch::new();
    let part = "int inputs[] = {1, 2};\n";
    scratch.write("P10.c", PROGRAM);
    scratch.write("P2.c", PROGRAM.strip_prefix(part).expect("the first line"));
    scratch.write("P2External.c", part);
    scratch.write("count.gcl", "var n: 0..2 = 0\nstep { if n < 2 { n = n + 1 } }\nproperty small: always n < 2\n");
    scratch.write("traffic.aag", &std::fs::read_to_string(in_project("tests/models/traffic.aag")).expect("a model"));
    scratch.write("notes.txt", "nothing");
    scratch
}

fn place(scratch: &Scratch) -> String {
    let file = scratch.write("expected.csv", "file,property,expected\n");
    name(file.parent().expect("a file lies in a folder"))
}

#[test]
fn a_folder_is_a_problem_set() {
    let scratch = folder();
    let folder = place(&scratch);
    let output = redoubt(&["check", &folder]);
    assert_eq!(output.status.code(), Some(10), "{}", stderr(&output));
    let text = stdout(&output);
    let total: Vec<&str> = text.lines().rev().take(5).collect();
    assert!(total[0].starts_with("4 problems, 8 properties: 4 reachable, 4 unreachable, 0 unknown ("), "{text}");
    for (line, file) in total[1..].iter().rev().zip(["P2.c", "P10.c", "count.gcl", "traffic.aag"]) {
        assert!(line.starts_with(&format!("{folder}/{file} ")), "{text}");
    }
}

/// One bad file neither hides the others nor is hidden by them.
#[test]
fn a_file_that_cannot_be_read_does_not_stop_the_others() {
    let scratch = folder();
    let bad = name(&scratch.write("bad.c", "int main() { goto x; }\n"));
    let output = redoubt(&["check", &place(&scratch)]);
    assert_eq!(output.status.code(), Some(3));
    assert!(stderr(&output).contains(&format!("{bad}:1:")), "{}", stderr(&output));
    assert!(stdout(&output).contains("8 properties: 4 reachable, 4 unreachable"), "{}", stdout(&output));
    let empty = scratch.write("empty/x", "");
    let output = redoubt(&["check", &name(empty.parent().expect("a folder"))]);
    assert_eq!(output.status.code(), Some(3));
    assert!(stderr(&output).contains("no programs"), "{}", stderr(&output));
}

#[test]
fn known_answers_are_compared() {
    let scratch = folder();
    let folder = place(&scratch);
    let expect = |rows: &str| {
        let answers = name(&scratch.write("expected.csv", &format!("file,property,expected\n{rows}")));
        redoubt(&["check", &folder, "--expect", &answers])
    };
    let right = "P10.c,error_0,reachable\nP10.c,error_1,unreachable\nP2.c,error_0,reachable\n\
                 count.gcl,small,reachable\ntraffic.aag,b1,reachable\n";
    let output = expect(right);
    // What is known to be reachable is no surprise.
    assert_eq!(output.status.code(), Some(0), "{}", stderr(&output));
    assert!(stdout(&output).ends_with("5 known answers: 0 wrong\n"), "{}", stdout(&output));
    let output = expect(&right.replace("P10.c,error_1,unr", "P10.c,error_1,r"));
    assert_eq!(output.status.code(), Some(4));
    let says = "P10.c: error_1 is unreachable, but ";
    assert!(stderr(&output).contains(says) && stderr(&output).ends_with("says reachable\n"), "{}", stderr(&output));
    assert!(stdout(&output).ends_with("5 known answers: 1 wrong\n"), "{}", stdout(&output));
    assert_eq!(expect("P10.c,error_1,perhaps\n").status.code(), Some(3));
    // A comparison that compares nothing is a mistake.
    assert_eq!(expect("P11.c,error_1,reachable\n").status.code(), Some(2));
}

#[test]
fn known_answers_may_be_about_whole_models() {
    let check = |expected: &str| {
        let scratch = folder();
        let answers = scratch.write("answers/all.csv", &format!("file,expected\ntraffic.aag,{expected}\n"));
        let model = format!("{}/traffic.aag", place(&scratch));
        redoubt(&["check", &model, "--expect", &name(&answers)]).status.code()
    };
    assert_eq!((check("reachable"), check("unreachable")), (Some(0), Some(4)));
}

#[test]
fn our_own_problems_have_their_known_answers() {
    let answers = ["problems/rers/expected.csv", "problems/rers/generated/expected.csv"];
    let output = redoubt(&["check", "problems/rers", "--expect", answers[0], "--expect", answers[1], "--jobs", "2"]);
    assert_eq!(output.status.code(), Some(0), "{}", stderr(&output));
}

#[test]
fn lines_of_json_fit_their_schema() {
    let text = std::fs::read_to_string(in_project("docs/schemas/run.schema.json")).expect("the schema");
    let run_schema: Json = serde_json::from_str(&text).expect("JSON");
    let scratch = folder();
    let open = "int x = 3;\n".to_string() + &PROGRAM.replace("input == 3", "x * x * x - x * 7 == 5 + input * input");
    scratch.write("open.c", &open.replace("printf", "x = x * x + 1; printf"));
    for arguments in [&[][..], &["--engine", "ic3"], &["--engine", "bmc", "--depth", "2"], &["--timeout", "0"]] {
        let output = redoubt(
            &[&["check", &place(&scratch), "problems/gcl/elevator.gcl", "--format", "jsonl"], arguments].concat(),
        );
        let lines = lines(&output);
        for line in &lines {
            assert_eq!(schema::flaw(&run_schema, line), None, "{line}");
        }
        let problems = lines.iter().filter(|line| line["type"] == "problem");
        for problem in problems.clone() {
            let number = |verdict: &str| {
                let is_counted = |line: &&Json| {
                    line["type"] == "property" && line["file"] == problem["file"] && line["verdict"] == verdict
                };
                json!(lines.iter().filter(is_counted).count())
            };
            for verdict in ["reachable", "unreachable", "unknown"] {
                assert_eq!(problem[verdict], number(verdict), "{arguments:?}: {problem}");
            }
        }
        assert_eq!(problems.count(), 6);
    }
    assert!(schema::flaw(&run_schema, &json!({ "type": "problem" })).is_some());
}

#[test]
fn witnesses_come_with_what_the_program_prints() {
    let scratch = Scratch::new();
    let second = PROGRAM.replace("input == 2", "input == 2 && x == 1").replace("printf", "x = input; printf");
    let file = name(&scratch.write("second.c", &("int x = 0;\n".to_string() + &second)));
    let output = redoubt(&["check", &file, "--format", "jsonl", "--property", "error_0", "--engine", "bmc"]);
    let line = &lines(&output)[0];
    assert_eq!((&line["inputs"], &line["outputs"]), (&json!([1, 2]), &json!([[21], []])), "{line}");
    assert_eq!((&line["steps"], &line["confirmed"]), (&json!(2), &json!(true)));
}
