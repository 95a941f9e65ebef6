//! The command line as its users meet it: exit codes, what goes to which stream, and what it says.

use std::process::{Command, Output, Stdio};

use crate::common::ENDLESS;
use crate::common::command::{redoubt_in, run, run_reading, stderr, stdout};
use crate::common::scratch::Scratch;

/// The command in the folder of the project's own problems, so that names stay short.
fn command(arguments: &[&str]) -> Command {
    let mut command = redoubt_in("problems/rers", arguments);
    command.env_remove("NO_COLOR");
    command
}

fn redoubt(arguments: &[&str]) -> Output {
    run(&mut command(arguments))
}

fn redoubt_reading(arguments: &[&str], input: &str) -> Output {
    run_reading(&mut command(arguments), input.as_bytes())
}

fn code(output: &Output) -> Option<i32> {
    output.status.code()
}

#[test]
fn a_run_without_error_ends_with_0() {
    let output = redoubt(&["simulate", "lock2012.c", "A", "b", "4"]);
    assert_eq!(code(&output), Some(0));
    assert_eq!(stdout(&output), "21\n21\n22\nend of input after 3 steps, no error reached\n");
    assert_eq!(stderr(&output), "");
}

#[test]
fn a_run_that_reaches_an_error_ends_with_10() {
    let output = redoubt(&["simulate", "lock2012.c", "A,B,D", "E", "1"]);
    assert_eq!(code(&output), Some(10));
    assert_eq!(stdout(&output), "21\n21\n22\n23\nreached error_2 after 5 steps (lock2012.c:56:7)\n");
}

#[test]
fn complaints_of_the_program_go_to_standard_error() {
    let output = redoubt(&["simulate", "lock2012.c", "99", "-7"]);
    assert_eq!(code(&output), Some(0));
    assert_eq!(stdout(&output), "end of input after 2 steps, no error reached\n");
    assert_eq!(stderr(&output), "Invalid input: 99\nInvalid input: -7\n");
}

#[test]
fn a_program_that_stops_itself_says_so() {
    let output = redoubt(&["simulate", "pump2016.c", "9", "1"]);
    assert_eq!(code(&output), Some(0));
    assert_eq!(stdout(&output), "halted with code -2 after 1 step\n");
}

#[test]
fn explicit_search_decides_and_says_when_its_memory_is_full() {
    let output = redoubt(&["check", "lock2012.c", "--engine", "explicit", "--property", "error_2"]);
    assert_eq!(code(&output), Some(10));
    assert_eq!(stdout(&output).lines().next(), Some("error_2               reachable    5 steps: A B D E A"));
    assert_eq!(stderr(&output), "");
    let output = redoubt(&["check", "lock2012.c", "--engine", "explicit", "--memory", "0"]);
    assert_eq!(code(&output), Some(20));
    assert!(stderr(&output).contains("memory"), "{}", stderr(&output));
}

#[test]
fn check_is_undecided_with_20() {
    let output = redoubt(&["check", "lock2012.c", "--format", "jsonl", "--property", "error_3", "--timeout", "0"]);
    assert_eq!(code(&output), Some(20));
    let text = stdout(&output);
    let types = ["run", "property", "problem"].map(|kind| format!("{{\"type\":\"{kind}\""));
    assert!(text.lines().count() == 3 && text.lines().zip(&types).all(|(line, kind)| line.starts_with(kind)), "{text}");
}

#[test]
fn wrong_usage_ends_with_2() {
    for arguments in [
        &["simulate"][..],
        &["simulate", "lock2012.c", "A", "--random", "3"],
        &["simulate", "lock2012.c", "A", "?!"],
        &["simulate", "lock2012.c", "--seed", "3"],
        &["check", "lock2012.c", "--property", "error_4711"],
        &["frobnicate"],
    ] {
        let output = redoubt(arguments);
        assert_eq!(code(&output), Some(2), "{arguments:?}");
        assert_eq!(stdout(&output), "", "{arguments:?}");
        assert!(stderr(&output).contains("error"), "{arguments:?}");
    }
}

#[test]
fn files_that_cannot_be_read_end_with_3() {
    let scratch = Scratch::new();
    let bad = scratch.write("bad.c", "int x = 1.5;\nint main() { goto x; }\n");
    let latin = scratch.write("latin.c", "");
    std::fs::write(&latin, b"int x = 1; // \xe9\n").expect("a file can be written");
    for path in ["missing.c", "expected.csv", &bad.to_string_lossy(), &latin.to_string_lossy()] {
        let output = redoubt(&["show", path]);
        assert_eq!(code(&output), Some(3), "{path}");
        assert_eq!(stdout(&output), "", "{path}");
        assert!(stderr(&output).contains("error"), "{path}");
    }
}

#[test]
fn messages_have_colour_where_it_is_wanted() {
    let scratch = Scratch::new();
    let bad = scratch.write("bad.c", "int x = 1.5;\n");
    let colored = |choice: &str| {
        let output = redoubt(&["show", &bad.to_string_lossy(), "--color", choice]);
        stderr(&output).contains('\u{1b}')
    };
    assert!(colored("always"));
    assert!(!colored("never"));
    assert!(!colored("auto"), "standard error is a pipe here");
}

#[test]
fn a_closed_pipe_is_met_with_silence() {
    for (arguments, outcome) in [
        (&["simulate", "lift2012.c", "--random", "100000"][..], 10),
        (&["simulate", "lift2012.c", "--trace", "--random", "100000"], 10),
        (&["show", "lift2012.c"], 0),
        (&["show", "--program", "lift2012.c"], 0),
    ] {
        let mut child = command(arguments).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().expect("it starts");
        drop(child.stdout.take());
        let output = child.wait_with_output().expect("the program ends");
        let own_words = stderr(&output).lines().filter(|line| !line.starts_with("Invalid input")).count();
        assert_eq!((own_words, code(&output)), (0, Some(outcome)), "{arguments:?}");
    }
}

#[test]
fn a_reader_who_ignores_messages_does_no_harm() {
    let mut child = command(&["simulate", "lock2012.c", "9", "9", "A"])
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("it starts");
    drop(child.stderr.take());
    let output = child.wait_with_output().expect("the program ends");
    assert_eq!(code(&output), Some(0));
    assert!(stdout(&output).starts_with("21\n"));
}

#[test]
fn inputs_come_from_standard_input_too() {
    let given = redoubt(&["simulate", "lock2012.c", "A", "B", "D", "E", "E"]);
    for text in ["A B D E E\n", "1\n2\n4\n5\n5\n", "a,b,4\nE  5", "A\r\nB D,E,E"] {
        let read = redoubt_reading(&["simulate", "lock2012.c"], text);
        assert_eq!((code(&read), stdout(&read)), (code(&given), stdout(&given)), "{text:?}");
    }
    let wrong = redoubt_reading(&["simulate", "lock2012.c"], "A B ?");
    assert_eq!(code(&wrong), Some(2));
}

#[test]
fn random_runs_repeat_with_their_seed() {
    let run = |seed: &str| {
        let output = redoubt(&["simulate", "counters2015.c", "--random", "50", "--seed", seed]);
        (code(&output), stdout(&output))
    };
    assert_eq!(run("7"), run("7"));
    assert_ne!(run("7"), run("8"));
}

#[test]
fn the_second_file_of_a_program_is_read() {
    let output = redoubt(&["simulate", "ledger2015.c", "ledger2015External.c", "A", "C"]);
    assert_eq!(code(&output), Some(10));
    assert!(stdout(&output).contains("reached error_0 after 2 steps"));
    let alone = redoubt(&["simulate", "ledger2015.c", "A"]);
    assert_eq!(code(&alone), Some(3));
    assert!(stderr(&alone).contains("give the file that defines it as a further argument"));
}

#[test]
fn trace_shows_rules_and_changes() {
    insta::assert_snapshot!(stdout(&redoubt(&["simulate", "--trace", "jukebox2014.c", "1", "3", "9", "2"])));
}

#[test]
fn show_lists_what_was_understood() {
    insta::assert_snapshot!("show_jukebox", stdout(&redoubt(&["show", "jukebox2014.c"])));
    insta::assert_snapshot!("show_ledger", stdout(&redoubt(&["show", "ledger2015.c", "ledger2015External.c"])));
}

#[test]
fn show_program_prints_guarded_commands() {
    insta::assert_snapshot!("program_lock", stdout(&redoubt(&["show", "--program", "lock2012.c"])));
    insta::assert_snapshot!("program_shelves", stdout(&redoubt(&["show", "--program", "shelves2019.c"])));
}

#[cfg(unix)]
#[test]
fn signals_end_a_run_and_keep_what_was_decided() {
    let scratch = Scratch::new();
    let file = scratch.write("endless.c", ENDLESS);
    for signal in ["-INT", "-TERM"] {
        let mut child = command(&["check", &file.to_string_lossy(), "--format", "jsonl"])
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .expect("the program can be started");
        // After the line about the run, the first verdict says that the engine is at work.
        let (mut about, mut first) = (String::new(), String::new());
        let mut lines = std::io::BufReader::new(child.stdout.take().expect("there is a pipe"));
        std::io::BufRead::read_line(&mut lines, &mut about).expect("a run begins");
        std::io::BufRead::read_line(&mut lines, &mut first).expect("a verdict comes");
        assert!(first.contains("\"error_1\",\"status\":\"violated\""), "{first}");
        let sent = Command::new("kill").args([signal, &child.id().to_string()]).status();
        assert!(sent.is_ok_and(|status| status.success()));
        let mut rest = String::new();
        std::io::Read::read_to_string(&mut lines, &mut rest).expect("the rest comes");
        assert_eq!(child.wait().expect("the program ends").code(), Some(130), "{signal}: {rest}");
        assert!(rest.contains("error_0") && rest.contains("\"unknown\":1"), "{rest}");
    }
}

#[test]
fn a_time_limit_keeps_what_was_decided() {
    let scratch = Scratch::new();
    let file = scratch.write("endless.c", ENDLESS);
    let output = redoubt(&["check", &file.to_string_lossy(), "--timeout", "1", "--format", "jsonl"]);
    assert_eq!(output.status.code(), Some(10));
    let lines: Vec<serde_json::Value> =
        stdout(&output).lines().map(|line| serde_json::from_str(line).expect("each line is JSON")).collect();
    assert_eq!(lines[0]["type"], "run");
    assert_eq!(lines[1]["property"], "error_1");
    assert_eq!((&lines[1]["verdict"], &lines[1]["status"]), (&"reachable".into(), &"violated".into()));
    assert_eq!((&lines[1]["steps"], &lines[1]["inputs"]), (&1.into(), &serde_json::json!([2])));
    assert_eq!(lines[2]["verdict"], "unknown");
}

#[test]
fn exit_codes_tell_the_verdicts() {
    let scratch = Scratch::new();
    let file = scratch.write("endless.c", ENDLESS);
    let code = |property: &str| {
        redoubt(&["check", &file.to_string_lossy(), "--timeout", "1", "--property", property]).status.code()
    };
    assert_eq!(code("error_1"), Some(10));
    assert_eq!(code("error_0"), Some(20));
    assert_eq!(code("error_7"), Some(2));
    let own = |property: &str| redoubt(&["check", "lock2012.c", "--property", property]).status.code();
    assert_eq!(own("error_0"), Some(10));
    assert_eq!(own("error_3"), Some(0));
}

/// Every command has help with examples, a page of the manual, and completions.
#[test]
fn commands_explain_themselves() {
    let help = stdout(&redoubt(&["--help"]));
    assert!(help.contains("Examples:") && help.contains("Exit codes:"), "{help}");
    let (_, list) = help.split_once("Commands:\n").expect("a list of commands");
    let commands = list.lines().take_while(|line| !line.is_empty()).filter_map(|line| line.split_whitespace().next());
    let commands: Vec<&str> = commands.filter(|command| *command != "help").collect();
    assert!(commands.contains(&"check") && commands.contains(&"man"), "{commands:?}");
    for command in &commands {
        let help = stdout(&redoubt(&[command, "--help"]));
        let examples = help.split_once("Examples:\n").map_or("", |(_, examples)| examples);
        assert!(examples.contains(&format!("redoubt {command} ")), "{command}: {help}");
        let page = redoubt(&["man", command]);
        assert_eq!(code(&page), Some(0));
        assert!(stdout(&page).contains(&format!(".TH redoubt-{command} 1")), "{command}");
    }
    for shell in ["bash", "zsh", "fish", "elvish", "powershell"] {
        let text = stdout(&redoubt(&["completions", shell]));
        assert!(commands.iter().all(|command| text.contains(command)), "{shell}");
    }
    assert_eq!(code(&redoubt(&["man", "frobnicate"])), Some(2));
}
