//! `redoubt check` on many files where something is amiss: files of one name, files and folders that cannot be read,
//! known answers about nothing, readers that leave early.

use std::collections::BTreeSet;
use std::path::Path;
use std::process::{Command, Output, Stdio};

use serde_json::{Value as Json, json};

use crate::common::command::{self, REDOUBT, name, redoubt_in, stderr, stdout};
use crate::common::scratch::Scratch;
use crate::common::{in_project, junit, schema};

/// The exit code, the output, and the messages.
fn run(arguments: &[&str]) -> (Option<i32>, String, String) {
    said(&command::run(&mut redoubt_in("", arguments)))
}

/// The same with output that is never read.
fn run_unread(arguments: &[&str]) -> (Option<i32>, String, String) {
    let piped = || Stdio::piped();
    let mut command = redoubt_in("", arguments);
    let mut child = command.stdout(piped()).stderr(piped()).spawn().expect("the program can be started");
    drop(child.stdout.take());
    said(&child.wait_with_output().expect("the program ends"))
}

fn said(output: &Output) -> (Option<i32>, String, String) {
    (output.status.code(), stdout(output), stderr(output))
}

fn lines(text: &str) -> Vec<Json> {
    text.lines().map(|line| serde_json::from_str(line).expect("each line is JSON")).collect()
}

/// A program whose label `error_0` is reached by one input and whose label `error_1` is not reached.
fn program(input: i32) -> String {
    format!(
        "int inputs[] = {{1, 2}};\n\
         void calculate_output(int input) {{\n\
             if (input == {input}) {{ error_0: assert(0); }}\n\
             if (input == 3) {{ error_1: assert(0); }}\n\
         }}\n\
         int main() {{ while (1) {{ int input; scanf(\"%d\", &input); calculate_output(input); }} }}\n"
    )
}

#[test]
fn a_closed_pipe_does_not_change_the_exit_code() {
    let scratch = Scratch::new();
    let violated = name(&scratch.write("violated.c", &program(1)));
    for format in ["text", "jsonl", "csv", "junit", "sarif"] {
        let (code, _, messages) = run_unread(&["check", &violated, "--format", format]);
        assert_eq!((code, &*messages), (Some(10), ""), "{format}");
    }
    let answers = name(&scratch.write("expected.csv", "file,property,expected\nviolated.c,error_0,unreachable\n"));
    assert_eq!(run_unread(&["check", &violated, "--expect", &answers]).0, Some(4));
    assert_eq!(run_unread(&["check", &violated, "/nonexistent.c"]).0, Some(3));
    assert_eq!(run_unread(&["simulate", &violated, "2", "2", "1"]).0, Some(10));
    let holds = name(&scratch.write("holds.c", &program(7)));
    assert_eq!(run_unread(&["check", &holds]).0, Some(0));
}

/// There is no end of inputs, but a reader who has seen enough of the answers.
#[test]
fn a_simulation_ends_when_nobody_reads_it() {
    let scratch = Scratch::new();
    let file = name(
        &scratch
            .write("program.c", &program(7).replace("if (input == 3)", "printf(\"%d\\n\", input); if (input == 3)")),
    );
    let script = "yes 1 | \"$0\" simulate \"$1\" | head -n 2";
    let output = Command::new("sh").args(["-c", script, REDOUBT, &file]).output().expect("a shell");
    assert_eq!(said(&output), (Some(0), "1\n1\n".into(), String::new()));
}

/// Two programs of one name, which differ in the input that reaches their label.
fn namesakes() -> (Scratch, [String; 2], String) {
    let scratch = Scratch::new();
    let files = [1, 2].map(|input| name(&scratch.write(&format!("{input}/Problem9.c"), &program(input))));
    let folder = name(&scratch.write("witnesses/here", "").with_file_name(""));
    (scratch, files, folder)
}

#[test]
fn files_about_problems_of_one_name_are_kept_apart() {
    let (_scratch, [first, second], folder) = namesakes();
    let (code, _, messages) = run(&["check", &first, &second, "--witness-dir", &folder]);
    assert_eq!((code, &*messages), (Some(10), ""));
    let found: BTreeSet<String> = std::fs::read_dir(&folder)
        .expect("it is there")
        .map(|entry| entry.expect("an entry").file_name().to_string_lossy().into_owned())
        .collect();
    for (number, program, other) in [(1, &first, &second), (2, &second, &first)] {
        for ending in ["cert", "error_0.json", "error_0.yml"] {
            assert!(found.contains(&format!("{number}_Problem9.{ending}")), "{ending}: {found:?}");
        }
        let witness = format!("{folder}/{number}_Problem9.error_0.json");
        assert_eq!(run(&["replay", program, &witness]).0, Some(10));
        assert_eq!(run(&["replay", other, &witness]).0, Some(20));
        assert_eq!(run(&["certify", program, &format!("{folder}/{number}_Problem9.cert")]).0, Some(0));
    }
}

#[test]
fn rows_about_problems_of_one_number_are_kept_apart() {
    let (scratch, [first, second], _) = namesakes();
    let rows = |files: &[&str]| run(&[&["check", "--format", "csv", "--jobs", "1"], files].concat()).1;
    assert_eq!(
        rows(&[&first, &second]),
        format!("{first},0,true\n{first},1,false\n{second},0,true\n{second},1,false\n")
    );
    // As the challenge wants it, where nothing is in doubt.
    let third = name(&scratch.write("2/Problem10.c", &program(1)));
    assert_eq!(rows(&[&first, &third]), "9,0,true\n9,1,false\n10,0,true\n10,1,false\n");
}

/// Threads share the work on one program, and what they find does not depend on their number.
#[test]
fn verdicts_and_witnesses_are_the_same_on_any_number_of_threads() {
    for file in
        ["pump2016", "generated/2012-plain-small-1", "generated/2014-data-small-1", "generated/2017-arithmetic-small-1"]
    {
        let path = name(&in_project(&format!("problems/rers/{file}.c")));
        let found = |jobs: &str| {
            let (_, out, messages) = run(&["check", &path, "--jobs", jobs, "--format", "jsonl", "--quiet"]);
            let lines = lines(&out).into_iter().filter(|line| line["type"] == "property");
            let found = lines.map(|line| ["property", "verdict", "inputs"].map(|key| line[key].to_string()));
            let found: BTreeSet<[String; 3]> = found.collect();
            assert!(!found.is_empty(), "{messages}");
            found
        };
        let alone = found("1");
        for jobs in ["2", "2", "4"] {
            assert_eq!(found(jobs), alone, "{file}, {jobs} threads");
        }
    }
}

#[test]
fn what_cannot_be_read_has_a_record() {
    let scratch = Scratch::new();
    let good = name(&scratch.write("good.c", &program(1)));
    let bad = name(&scratch.write("bad.c", "int main() { goto x; }\n"));
    let (code, text, messages) =
        run(&["check", &good, &bad, "/nonexistent.c", "--format", "jsonl", "--color", "always"]);
    assert_eq!(code, Some(3), "{messages}");
    let run_schema: Json =
        serde_json::from_str(&std::fs::read_to_string(in_project("docs/schemas/run.schema.json")).expect("a schema"))
            .expect("JSON");
    let errors: Vec<Json> = lines(&text).into_iter().filter(|line| line["type"] == "error").collect();
    for line in lines(&text) {
        assert_eq!(schema::flaw(&run_schema, &line), None, "{line}");
    }
    assert!(schema::flaw(&run_schema, &json!({ "type": "error", "file": bad })).is_some());
    let about = |file: &str| {
        let found = errors.iter().find(|line| line["file"] == file).unwrap_or_else(|| panic!("{file}: {text}"));
        found["message"].as_str().expect("text").to_string()
    };
    assert!(about(&bad).contains(&format!("{bad}:1:14\n")) && !about(&bad).contains('\u{1b}'), "{}", about(&bad));
    assert_eq!(about("/nonexistent.c"), "/nonexistent.c: No such file or directory (os error 2)");
    assert_eq!(errors.len(), 2);
    // The page of the run has them too.
    let lines = name(&scratch.write("run.jsonl", &text));
    let (code, page, messages) = run(&["report", &lines, "-o", "-"]);
    assert_eq!(code, Some(0), "{messages}");
    assert!(page.contains("2 problems were not decided.") && page.contains("/nonexistent.c: No such file"), "{page}");
    // One alone is no different.
    let (code, text, messages) = run(&["check", "/nonexistent.c", "--format", "jsonl"]);
    assert_eq!((code, text.lines().count(), messages.lines().count()), (Some(3), 2, 1), "{text}{messages}");
}

/// A failure after a verdict takes nothing back.
#[test]
fn verdicts_before_a_failure_are_in_all_documents() {
    let scratch = Scratch::new();
    let model = "var n: 0..2 = 0\nstep { if n < 2 { n = n + 1 } }\nproperty small: always n < 2\n";
    let file = name(&scratch.write("count.gcl", model));
    let check = |format| run(&["check", &file, "--vcd", "/proc/redoubt", "--format", format]);
    let (code, text, _) = check("jsonl");
    let kinds: Vec<Json> = lines(&text).iter().map(|line| line["type"].clone()).collect();
    let wanted = ["run", "property", "property", "problem", "error"].map(|kind| json!(kind));
    assert_eq!((code, kinds), (Some(3), wanted.to_vec()), "{text}");
    let (code, text, _) = check("junit");
    assert_eq!((code, junit::flaw(&text)), (Some(3), None), "{text}");
    assert!(text.contains("tests=\"3\" failures=\"1\" errors=\"1\"") && text.contains("/proc/redoubt"), "{text}");
}

/// A folder so deep that its path is too long for the system: it cannot be read, not even by root.
fn abyss(scratch: &Scratch) -> String {
    let folder = scratch.write("set/abyss/x", "").with_file_name("");
    let deeper = "cd -- \"$1\" && for i in $(seq 20); do mkdir \"$2\" && cd -P -- \"$2\" || exit 1; done";
    let script = Command::new("sh").args(["-c", deeper, "sh", &name(&folder), &"d".repeat(250)]).output();
    assert!(script.expect("there is a shell").status.success());
    name(&folder)
}

#[test]
fn a_folder_that_cannot_be_read_does_not_stop_the_others() {
    let scratch = Scratch::new();
    scratch.write("set/P1.c", &program(1));
    scratch.write("set/zz/P2.c", &program(2));
    let abyss = abyss(&scratch);
    let set = name(Path::new(&abyss).parent().expect("a folder"));
    let (code, text, messages) = run(&["check", &set]);
    assert_eq!(code, Some(3), "{messages}");
    assert!(text.contains("4 properties: 2 reachable, 2 unreachable"), "{text}");
    assert!(messages.starts_with(&format!("error: {abyss}")), "{messages}");
    assert!(messages.ends_with(": File name too long (os error 36)\n"), "{messages}");
    let (_, text, _) = run(&["check", &set, "--format", "jsonl"]);
    assert_eq!(lines(&text).iter().filter(|line| line["type"] == "error").count(), 1, "{text}");
    // Nor does one in which there is nothing.
    let empty = name(scratch.write("empty/x", "").parent().expect("a folder"));
    let (code, text, messages) = run(&["check", &empty, &format!("{set}/P1.c")]);
    assert!(code == Some(3) && text.contains("1 reachable, 1 unreachable"), "{text}");
    assert!(messages.contains("no programs"), "{messages}");
}

#[test]
fn known_answers_about_properties_that_are_not_there_are_mistakes() {
    let scratch = Scratch::new();
    let file = name(&scratch.write("P1.c", &program(1)));
    let expect = |rows: &str, more: &[&str]| {
        let answers = name(&scratch.write("expected.csv", &format!("file,property,expected\n{rows}")));
        run(&[&["check", &file, "--expect", &answers], more].concat())
    };
    let (code, text, messages) = expect("P1.c,error_0,reachable\nP1.c,eror_1,unreachable\n", &[]);
    assert_eq!(code, Some(3), "{messages}");
    let says = format!("error: {file} has no property `eror_1`, but ");
    assert!(messages.starts_with(&says), "{messages}");
    assert!(messages.ends_with("expected.csv says unreachable; did you mean `error_1`?\n"), "{messages}");
    assert!(text.ends_with("1 known answer: 0 wrong, 1 more about no property\n"), "{text}");
    // A wrong verdict is worse.
    assert_eq!(expect("P1.c,error_0,unreachable\nP1.c,eror_1,unreachable\n", &[]).0, Some(4));
    // Properties that exist but were not asked for are no mistake.
    let both = "P1.c,error_0,reachable\nP1.c,error_1,unreachable\n";
    assert_eq!(expect(both, &["--property", "error_1"]).0, Some(0));
    let (code, _, messages) = expect(both, &["--property", "error_11"]);
    assert_eq!(code, Some(2));
    assert!(messages.ends_with("P1.c has no property `error_11`; did you mean `error_1`?\n"), "{messages}");
}

#[test]
fn known_answers_may_use_the_symbols_of_a_circuit() {
    let scratch = Scratch::new();
    let expect = |row: &str| {
        let answers = scratch.write("expected.csv", &format!("file,property,expected\ntraffic.aag,{row}\n"));
        run(&["check", "tests/models/traffic.aag", "--property", "b0", "--expect", &name(&answers)]).0
    };
    assert_eq!(expect("both,unreachable"), Some(0));
    assert_eq!(expect("both,reachable"), Some(4));
    assert_eq!(expect("second,reachable"), Some(0));
    assert_eq!(expect("bth,unreachable"), Some(3));
}

#[test]
fn the_run_of_a_circuit_has_a_waveform() {
    let scratch = Scratch::new();
    let wave = scratch.write("traffic.vcd", "");
    let (code, _, messages) = run(&["check", "tests/models/traffic.aag", "--vcd", &name(&wave)]);
    assert_eq!((code, &*messages), (Some(10), ""));
    let text = std::fs::read_to_string(&wave).expect("it is there");
    let (head, moments) = text.split_once("$enddefinitions $end\n").expect("definitions");
    let names: Vec<&str> =
        head.lines().filter_map(|line| line.strip_prefix("$var wire 1 ")?.split(' ').nth(1)).collect();
    assert_eq!(names, ["button", "first", "second", "off", "b0", "b1"]);
    // The button is pressed, and the lights change places.
    assert_eq!(moments, "#0\n1!\n1\"\n0#\n0$\n0%\n0&\n#1\n0!\n0\"\n1#\n1&\n#2\n");
    let (code, _, messages) = run(&["check", "tests/models/traffic.aag", "--property", "b0", "--vcd", &name(&wave)]);
    assert_eq!((code, &*messages), (Some(0), "note: no run to write: nothing was reached\n"));
}

#[test]
fn a_circuit_is_shown() {
    let (code, text, messages) = run(&["show", "tests/models/traffic.aag"]);
    assert_eq!((code, &*messages), (Some(0), ""));
    let wanted = "circuit     tests/models/traffic.aag\ninputs      1\n  i0       button\n\
                  latches     3; 2 start with 0, 1 with 1, 0 with either\n  l0       first\n  l1       second\n  l2       off\n\
                  gates       8\nconstraints 0\nproperties  2\n  b0       both\n  b1       second\n";
    assert_eq!(text, wanted);
    let (code, text, _) = run(&["show", "--program", "tests/models/traffic.aag"]);
    assert!(code == Some(0) && text.ends_with("bad n11 = both\nbad n12 = second\n"), "{text}");
    let (code, _, messages) = run(&["simulate", "tests/models/traffic.aag", "1"]);
    assert!(code == Some(3) && messages.contains("this is a circuit"), "{messages}");
}
