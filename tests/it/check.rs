//! `redoubt check` on problem sets: files that belong together, comparison with answers, and output formats.

use std::io::Read;
use std::os::unix::process::ExitStatusExt;
use std::process::{Child, Command, Output, Stdio};
use std::time::Duration;

use serde_json::{Value as Json, json};

use crate::common::command::{name, redoubt_in, run, stderr, stdout};
use crate::common::scratch::Scratch;
use crate::common::{ENDLESS, in_project, junit, problems, schema};

fn redoubt(arguments: &[&str]) -> Output {
    run(&mut command(arguments))
}

fn command(arguments: &[&str]) -> Command {
    redoubt_in("", arguments)
}

fn start(arguments: &[&str]) -> Child {
    let piped = || Stdio::piped();
    command(arguments).stdout(piped()).stderr(piped()).spawn().expect("the program can be started")
}

fn lines(output: &Output) -> Vec<Json> {
    stdout(output).lines().map(|line| serde_json::from_str(line).expect("each line is JSON")).collect()
}

fn read_json(path: &str) -> Json {
    let text = std::fs::read_to_string(in_project(path)).expect("the file can be read");
    serde_json::from_str(&text).expect("JSON")
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

/// Results of calls are numbers; letters are for the inputs of the challenge.
#[test]
fn witnesses_of_sequential_c_are_numbers() {
    let scratch = Scratch::new();
    let text = "extern void reach_error(void); extern int __VERIFIER_nondet_int(void);\nint main(void) { int n = 0;\n\
                while (n < 2) { int x = __VERIFIER_nondet_int(), y = __VERIFIER_nondet_int(); if (x != 1 || y != 7) return 0;\n\
                n++; } reach_error(); return 0; }\n";
    let output = redoubt(&["check", "-q", "--no-lint", &name(&scratch.write("calls.c", text))]);
    assert!(stdout(&output).contains(" 1 7; 1 7"), "{}", stdout(&output));
}

/// Options that mean nothing for a circuit are not passed over.
#[test]
fn circuits_have_no_formulas_of_the_challenge_and_no_compiler() {
    for (option, value) in [("--ltl", "nothing.txt"), ("--confirm", "gcc")] {
        let output = redoubt(&["check", "-q", "tests/models/traffic.aag", option, value]);
        assert_eq!(output.status.code(), Some(2), "{}", stdout(&output));
        assert!(stderr(&output).contains(" is for C programs"), "{}", stderr(&output));
    }
}

#[test]
fn a_byte_order_mark_may_begin_a_text_and_is_called_by_its_name_elsewhere() {
    let scratch = Scratch::new();
    let check = |text: &str| redoubt(&["check", "-q", "--confirm", "gcc", &name(&scratch.write("marked.c", text))]);
    let program = format!("#include <assert.h>\n#include <stdio.h>\n{PROGRAM}");
    let (plain, marked) = (check(&program), check(&format!("\u{feff}{program}")));
    let verdicts = |output: &Output| stdout(output).split(", all confirmed").next().map(str::to_string);
    assert_eq!((marked.status.code(), verdicts(&marked)), (plain.status.code(), verdicts(&plain)));
    assert!(stderr(&marked).contains("note: gcc agrees"), "{}", stderr(&marked));
    let output = check(&PROGRAM.replacen("int ", "int \u{feff}", 1));
    assert_eq!(output.status.code(), Some(3));
    assert!(stderr(&output).contains("a byte order mark does not belong to the text"), "{}", stderr(&output));
}

#[test]
fn a_folder_is_a_problem_set() {
    let scratch = folder();
    let folder = place(&scratch);
    let output = redoubt(&["check", &folder]);
    assert_eq!(output.status.code(), Some(10), "{}", stderr(&output));
    let text = stdout(&output);
    let total: Vec<&str> = text.lines().rev().take(5).collect();
    assert!(
        total[0].starts_with("4 problems, 8 properties: 4 reachable, 4 unreachable, 0 unknown, all confirmed ("),
        "{text}"
    );
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
    // Labels known to be reachable are no surprise.
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
    let files: Vec<String> = problems::own().iter().flat_map(|problem| &problem.files).map(|file| name(file)).collect();
    let files: Vec<&str> = files.iter().map(String::as_str).collect();
    let output = redoubt(&[&["check", "--expect", "problems/rers/expected.csv"], &files[..]].concat());
    assert_eq!(output.status.code(), Some(0), "{}", stderr(&output));
}

#[test]
fn lines_of_json_fit_their_schema() {
    let run_schema = read_json("docs/schemas/run.schema.json");
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
    let line = &lines(&output)[1];
    assert_eq!((&line["inputs"], &line["outputs"]), (&json!([1, 2]), &json!([[21], []])), "{line}");
    assert_eq!((&line["steps"], &line["confirmed"]), (&json!(2), &json!(true)));
}

/// The same small set in every format, with all kinds of verdicts.
const SHOWN: [&str; 8] = [
    "check",
    "problems/rers/lift2012.c",
    "tests/models/traffic.aag",
    "problems/gcl/mutual_exclusion.gcl",
    "--jobs",
    "1",
    "--engine",
    "kinduction",
];

/// A text without what differs from run to run: times.
fn timeless(text: &str) -> String {
    let mut out = String::new();
    for line in text.lines() {
        let mut line = line.to_string();
        for (before, after) in [
            ("time=\"", "\""),
            ("timestamp=\"", "\""),
            ("\"started\":\"", "\""),
            ("\"machine\":", ",\"shard\""),
            ("\"seconds\":", ","),
            ("unknown ", " s"),
            (" (", " s)"),
        ] {
            let place = line.find(before).map(|start| start + before.len());
            let Some((start, length)) = place.and_then(|start| Some((start, line[start..].find(after)?))) else {
                continue;
            };
            if line[start..start + length].trim().starts_with(|c: char| c.is_ascii_digit() || c == '{') {
                line.replace_range(start..start + length, "0");
            }
        }
        out += &(line + "\n");
    }
    out
}

#[test]
fn formats_look_like_this() {
    for format in ["text", "csv", "jsonl", "junit", "sarif"] {
        let arguments = [&SHOWN[..], &["--depth", "6", "--format", format]].concat();
        let output = redoubt(&arguments);
        assert_eq!(output.status.code(), Some(10), "{format}");
        let text = stdout(&output).replace(env!("CARGO_PKG_VERSION"), "VERSION");
        insta::assert_snapshot!(format!("format_{format}"), timeless(&text));
    }
}

#[test]
fn documents_fit_their_schemas() {
    let sarif = read_json("tests/schemas/sarif.json");
    let scratch = folder();
    scratch.write("bad <name>.c", "int main() { goto x; }\n");
    for arguments in [&[][..], &["--engine", "bmc", "--depth", "3"], &["--color", "always", "--timeout", "0"]] {
        let folder = place(&scratch);
        let arguments = [&["check", &folder, "problems/gcl/elevator.gcl", "-q"], arguments].concat();
        let output = redoubt(&[&arguments[..], &["--format", "junit"]].concat());
        assert_eq!(junit::flaw(&stdout(&output)), None, "{}", stdout(&output));
        assert!(stdout(&output).contains("<error "), "{}", stdout(&output));
        let output = redoubt(&[&arguments[..], &["--format", "sarif"]].concat());
        let log: Json = serde_json::from_str(&stdout(&output)).expect("JSON");
        assert_eq!(schema::flaw(&sarif, &log), None, "{log}");
        let run = &log["runs"][0];
        assert_eq!(run["invocations"][0]["executionSuccessful"], false);
        for result in run["results"].as_array().expect("results") {
            let index = result["ruleIndex"].as_u64().expect("a number") as usize;
            assert_eq!(result["ruleId"], run["tool"]["driver"]["rules"][index]["id"]);
        }
    }
    assert!(junit::flaw("<testsuites><testsuite/></testsuites>").is_some());
    assert!(schema::flaw(&sarif, &json!({ "version": "2.1.0", "runs": [{}] })).is_some());
}

fn send(child: &Child, signal: nix::sys::signal::Signal) {
    let id = nix::unistd::Pid::from_raw(child.id() as i32);
    nix::sys::signal::kill(id, signal).expect("a signal can be sent");
}

fn read_all(mut stream: impl Read) -> String {
    let mut text = String::new();
    stream.read_to_string(&mut text).expect("text");
    text
}

/// Whenever the signal comes, the verdicts so far are shown, and the rest is called unknown.
#[test]
fn an_interrupt_at_any_moment_keeps_what_is_decided() {
    use nix::sys::signal::Signal::SIGINT;
    let scratch = folder();
    let folder = place(&scratch);
    scratch.write("A1.c", ENDLESS);
    scratch.write("A2.c", ENDLESS);
    for (index, milliseconds) in [30, 47, 80, 110, 160, 250, 400, 700, 1200].into_iter().enumerate() {
        let format = ["text", "jsonl", "junit"][index % 3];
        // A problem that no machine finishes before the signal comes.
        let child = start(&["check", &folder, "--format", format, "--memory", "2000"]);
        std::thread::sleep(Duration::from_millis(milliseconds));
        send(&child, SIGINT);
        let sent = std::time::Instant::now();
        let output = child.wait_with_output().expect("the program ends");
        assert!(sent.elapsed() < Duration::from_secs(10), "{:?}", sent.elapsed());
        let (text, context) = (stdout(&output), format!("{format} after {milliseconds} ms"));
        if output.status.signal() == Some(SIGINT as i32) {
            // It came before the program had begun, which cannot be helped.
            assert_eq!(text, "");
            continue;
        }
        assert_eq!(output.status.code(), Some(130), "{context}: {text}{}", stderr(&output));
        assert!(stderr(&output).ends_with("error: interrupted\n"), "{context}: {}", stderr(&output));
        match format {
            "text" => assert!(text.contains("6 problems, "), "{context}: {text}"),
            "jsonl" => {
                let lines = lines(&output);
                let number = |kind: &str| lines.iter().filter(|line| line["type"] == kind).count();
                assert!(number("property") >= 2 * number("problem"), "{context}: {text}");
            }
            _ => assert_eq!(junit::flaw(&text), None, "{context}: {text}"),
        }
    }
}

#[test]
fn a_second_interrupt_ends_at_once() {
    use nix::sys::signal::Signal::SIGINT;
    let scratch = Scratch::new();
    let file = name(&scratch.write("endless.c", ENDLESS));
    let child = start(&["check", &file, "-q"]);
    std::thread::sleep(Duration::from_millis(300));
    send(&child, SIGINT);
    send(&child, SIGINT);
    std::thread::sleep(Duration::from_millis(20));
    send(&child, SIGINT);
    let output = child.wait_with_output().expect("the program ends");
    assert_eq!(output.status.code(), Some(130));
}

#[test]
fn a_closed_pipe_is_met_with_silence() {
    let scratch = Scratch::new();
    let file = name(&scratch.write("endless.c", ENDLESS));
    for format in ["text", "csv", "jsonl", "junit", "sarif"] {
        let mut child = start(&["check", &file, "--format", format, "--timeout", "1", "-q"]);
        drop(child.stdout.take());
        let output = child.wait_with_output().expect("the program ends");
        assert_eq!((stderr(&output).as_str(), output.status.code()), ("", Some(10)), "{format}");
    }
}

/// In pipes, runs that take longer say line by line what they have decided, unless the table says the same in words that may
/// end up in the same log; short or quiet ones do not.
#[test]
fn progress_goes_to_standard_error() {
    let scratch = Scratch::new();
    let file = name(&scratch.write("endless.c", ENDLESS));
    let output = redoubt(&["check", &file, "--timeout", "2", "--format", "csv"]);
    assert_eq!(stderr(&output), "error_1               reachable    1 step: B\n");
    let output = redoubt(&["check", &file, "--timeout", "2"]);
    assert_eq!(stderr(&output), "");
    assert!(stdout(&output).contains("1 property is undecided; this may help:\n  - give more time: --timeout 20\n"));
    let output = redoubt(&["check", &file, "--timeout", "2", "--quiet"]);
    assert_eq!(stderr(&output), "");
    assert_eq!(stderr(&redoubt(&["check", "problems/rers/lock2012.c"])), "");
}

#[test]
fn a_terminal_shows_a_live_table() {
    let scratch = Scratch::new();
    let file = name(&scratch.write("endless.c", ENDLESS));
    let terminal = nix::pty::openpty(None, None).expect("a terminal");
    let mut command = command(&["check", &file, "--timeout", "2"]);
    let mut child = command
        .env("TERM", "xterm")
        .stdout(Stdio::piped())
        .stderr(Stdio::from(terminal.slave))
        .spawn()
        .expect("the program can be started");
    drop(command);
    let screen = std::thread::spawn(move || {
        let (mut master, mut bytes, mut buffer) = (std::fs::File::from(terminal.master), vec![], [0; 4096]);
        // The terminal ends with an error when it is no longer open elsewhere.
        while let Ok(read @ 1..) = master.read(&mut buffer) {
            bytes.extend_from_slice(&buffer[..read]);
        }
        String::from_utf8_lossy(&bytes).into_owned()
    });
    let table = read_all(child.stdout.take().expect("a pipe"));
    child.wait().expect("the program ends");
    let screen = screen.join().expect("it ends");
    assert!(
        table.starts_with("error_0               unknown      (time was up)\nerror_1               reachable"),
        "{table}"
    );
    assert!(screen.contains("1 decided, 1 open | ") && screen.contains(" s left"), "{screen}");
    assert!(screen.contains("error_1               reachable    1 step: B"), "{screen}");
}
