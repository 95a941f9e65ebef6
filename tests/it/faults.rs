//! Faults outside: runs that are killed, disks that are full, folders that cannot be written, pipes that are closed,
//! memory that runs out. Finished verdicts are never lost and never changed.

use std::collections::BTreeMap;
use std::io::{BufRead, BufReader, Read};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Output, Stdio};
use std::time::{Duration, Instant};

use nix::sys::signal::{Signal, kill};
use nix::unistd::Pid;
use redoubt_base::Random;
use serde_json::Value as Json;

use crate::common::command::{REDOUBT, name, redoubt_in, stderr, stdout};
use crate::common::scratch::Scratch;
use crate::common::{in_project, problems};

/// A program with a label that is found at once, and one that takes for ever: its values are as good as random.
const ENDLESS: &str = "extern void __VERIFIER_error(int);
int inputs[] = {1,2,3};
int a = 1; int b = 2; int c = 3; int d = 4; int near = 0;
void step(int input) {
  if (input == 1) a = a * 5 + c; if (input == 2) b = b * 3 + a; if (input == 3) c = c + a * b;
  d = d ^ (c + b); near = input;
  if (a * b * c * d == 123456789 && d > 77) __VERIFIER_error(0);
  if (near == 2 && b == 7) __VERIFIER_error(1);
}
int main() { while (1) { int input; scanf(\"%d\", &input); step(input); } }
";

fn redoubt(arguments: &[&str]) -> Command {
    let mut command = redoubt_in("problems", arguments);
    command.stdout(Stdio::piped()).stderr(Stdio::piped());
    command
}

fn run(arguments: &[&str]) -> (Option<i32>, String, String) {
    said(&redoubt(arguments).output().expect("it starts"))
}

fn said(output: &Output) -> (Option<i32>, String, String) {
    (output.status.code(), stdout(output), stderr(output))
}

/// The path of a file in a folder of its own.
fn path(scratch: &Scratch, file: &str) -> String {
    name(&scratch.path(file))
}

/// The decided properties in JSON lines: file and name to verdict.
fn verdicts(lines: &str) -> BTreeMap<(String, String), String> {
    let line = |line: &str| -> Option<((String, String), String)> {
        let line: Json = serde_json::from_str(line).unwrap_or_else(|error| panic!("{error}: {line}"));
        let text = |key: &str| line[key].as_str().map(String::from);
        (line["type"] == "property" && line["verdict"] != "unknown")
            .then(|| Some(((text("file")?, text("property")?), text("verdict")?)))?
    };
    lines.lines().filter_map(line).collect()
}

/// The lines of a journal that were written to their end, without their checksums.
fn journalled(path: &str) -> Vec<String> {
    let text = std::fs::read_to_string(path).unwrap_or_default();
    let complete = text.rfind('\n').map_or("", |end| &text[..end]);
    complete.lines().skip(1).map(|line| line.split_once(' ').expect("a checksum and a verdict").1.to_string()).collect()
}

#[test]
fn killed_at_random_moments_and_resumed() {
    const KILLS: usize = 20;
    const KILLS_OF_ONE: usize = 5;
    let scratch = Scratch::new();
    let names =
        ["beacon2021", "crossing2013", "jukebox2014", "lift2012", "lock2012", "pump2016", "shelves2019", "signal2018"];
    let mut files: Vec<String> = names.iter().map(|name| format!("rers/{name}.c")).collect();
    files.extend(["gcl/airlock.gcl", "gcl/elevator.gcl", "../tests/models/traffic.aag"].map(String::from));
    let files: Vec<&str> = files.iter().map(String::as_str).collect();
    let options = ["--format", "jsonl", "--no-lint", "--jobs", "2"];
    let whole = [&["check"], &files[..], &options].concat();
    let (_, lines, _) = run(&whole);
    let expected = verdicts(&lines);
    assert!(expected.len() > 40, "{}", expected.len());
    let random = &mut Random::new(1);
    let (mut kills, mut journals, mut kept) = (0, 0, 0);
    while kills < KILLS {
        journals += 1;
        let journal = path(&scratch, &format!("journal{journals}"));
        let mut before: Vec<String> = vec![];
        for _ in 0..KILLS_OF_ONE {
            let how = if Path::new(&journal).exists() { "--resume" } else { "--journal" };
            let mut child = redoubt(&[&whole[..], &[how, &journal]].concat()).spawn().expect("it starts");
            let mut stdout = child.stdout.take().expect("a pipe");
            let reader = std::thread::spawn(move || {
                let mut lines = String::new();
                let _ = stdout.read_to_string(&mut lines);
                lines
            });
            std::thread::sleep(Duration::from_millis(10 + random.below(300) as u64));
            let is_killed = child.try_wait().expect("it can be waited for").is_none();
            child.kill().expect("it can be killed");
            child.wait().expect("it ends");
            let printed = reader.join().expect("it was read");
            // Printed verdicts were on the disk before, and those on the disk still are.
            let now = journalled(&journal);
            assert_eq!(now[..before.len()], before[..], "finished verdicts are never lost");
            let complete = printed.rfind('\n').map_or("", |end| &printed[..end]);
            for ((_, property), verdict) in verdicts(complete) {
                let entry =
                    |line: &&String| line.contains(&format!("\"property\":\"{property}\"")) && line.contains(&verdict);
                assert!(now.iter().any(|line| entry(&line)), "{property} {verdict}");
            }
            before = now;
            kills += usize::from(is_killed);
        }
        kept += before.len();
        let written = before.iter().filter(|line| line.contains("\"property\":")).count();
        assert!(written <= expected.len(), "nothing is written twice");
        let (_, lines, messages) = run(&[&whole[..], &["--resume", &journal]].concat());
        assert_eq!(verdicts(&lines), expected, "{messages}");
        assert!(lines.contains("\"engine\":\"journal\""), "something is taken from the journal");
    }
    println!("{kills} kills, {journals} journals, {kept} verdicts kept");
}

/// The contents of a journal are checked again: its certificates confirm and are written, and a wrong one counts for
/// nothing.
#[test]
fn a_journal_is_not_simply_believed() {
    let scratch = Scratch::new();
    let [journal, folder] = ["journal", "witnesses"].map(|name| path(&scratch, name));
    let program = "rers/lift2012.c";
    let check = ["check", program, "--format", "jsonl"];
    let (_, first, _) = run(&[&check[..], &["--journal", &journal]].concat());
    let confirmed = |lines: &str| {
        let lines = lines.lines().map(|line| serde_json::from_str::<Json>(line).expect("JSON"));
        lines.filter(|line| line["type"] == "property").all(|line| line["confirmed"] == true)
    };
    assert!(confirmed(&first), "{first}");
    let resume = [&check[..], &["--resume", &journal, "--witness-dir", &folder]].concat();
    let (_, second, _) = run(&resume);
    assert!(confirmed(&second) && second.contains("from the journal"), "{second}");
    assert_eq!(verdicts(&first), verdicts(&second));
    let certificate = format!("{folder}/lift2012.cert");
    assert_eq!(run(&["certify", program, &certificate]).0, Some(0));

    // The same verdicts with an invariant that says nothing, and one verdict that is wrong.
    let reachable = verdicts(&first).into_iter().find(|(_, verdict)| verdict == "reachable").expect("there is one").0.1;
    let text = |line: &String| -> String {
        let mut line: Json = serde_json::from_str(line).expect("JSON");
        if line["text"].is_string() {
            line["text"] = format!("redoubt certificate 1\n\ninvariant\nexcludes {reachable}\nend\n").into();
        } else {
            line["verdict"] = "unreachable".into();
            line["certificate"] = Json::Null;
        }
        line.to_string()
    };
    let lines = journalled(&journal);
    let of_certificate = lines.iter().find(|line| line.contains("\"text\"")).expect("a certificate");
    let hash = serde_json::from_str::<Json>(of_certificate).expect("JSON")["certificate"].clone();
    let mut forged = String::from("redoubt journal 1\n");
    for line in &lines {
        let mut line: Json = serde_json::from_str(&text(line)).expect("JSON");
        if line["property"] == reachable.as_str() {
            line["certificate"] = hash.clone();
        } else if line["text"].is_null() {
            continue;
        }
        let line = line.to_string();
        let sum = &redoubt_witness::stamp::sha256(line.as_bytes())[..16];
        forged += &format!("{sum} {line}\n");
    }
    std::fs::write(&journal, forged).expect("room");
    let (_, third, _) = run(&resume);
    assert_eq!(verdicts(&first), verdicts(&third));
}

/// Verdicts about circuits are not believed either: the journal keeps a witness circuit for each proof, and one without is
/// decided anew.
#[test]
fn a_journal_about_a_circuit_is_not_simply_believed() {
    let scratch = Scratch::new();
    let [journal, folder] = ["journal", "witnesses"].map(|name| path(&scratch, name));
    let model = "../tests/models/traffic.aag";
    let check = ["check", model, "--format", "jsonl"];
    let (_, first, _) = run(&[&check[..], &["--journal", &journal]].concat());
    let engines = |lines: &str| -> BTreeMap<String, (String, bool)> {
        let lines = lines.lines().map(|line| serde_json::from_str::<Json>(line).expect("JSON"));
        let decided = lines.filter(|line| line["type"] == "property" && line["verdict"] != "unknown");
        let text = |line: &Json, key: &str| line[key].as_str().expect("a text").to_string();
        decided.map(|line| (text(&line, "property"), (text(&line, "engine"), line["confirmed"] == true))).collect()
    };
    let resume = [&check[..], &["--resume", &journal, "--witness-dir", &folder]].concat();
    let (_, second, _) = run(&resume);
    assert_eq!(verdicts(&first), verdicts(&second));
    assert!(engines(&second).values().all(|said| *said == ("journal".into(), true)), "{second}");
    let proved = first.lines().filter(|line| line.contains("\"unreachable\",")).count();
    assert!(proved > 0, "{first}");
    let certificate = format!("{folder}/traffic.certificate.aig");
    let (_, certified, messages) = run(&["certify", model, &certificate]);
    assert_eq!(certified.matches("unreachable").count(), proved, "{certified}{messages}");

    // Without the witness circuits the proofs are worth nothing, and a wrong one does no harm.
    let mut forged = String::from("redoubt journal 1\n");
    for line in journalled(&journal).iter().filter(|line| !line.contains("\"text\"")) {
        let mut line: Json = serde_json::from_str(line).expect("JSON");
        line["verdict"] = "unreachable".into();
        line["certificate"] = Json::Null;
        let line = line.to_string();
        forged += &format!("{} {line}\n", &redoubt_witness::stamp::sha256(line.as_bytes())[..16]);
    }
    std::fs::write(&journal, forged).expect("room");
    let (_, third, _) = run(&resume);
    assert_eq!(verdicts(&first), verdicts(&third));
    assert!(engines(&third).values().all(|(engine, _)| engine != "journal"), "{third}");
}

/// Properties that stay open say why, and how long was tried.
#[test]
fn what_is_undecided_says_why_and_after_how_long() {
    let scratch = Scratch::new();
    let program = scratch.write("endless.c", ENDLESS).to_string_lossy().into_owned();
    let said = |arguments: &[&str]| {
        let (_, lines, messages) = run(&[&["check", &program, "--format", "jsonl"], arguments].concat());
        let mut lines = lines.lines().map(|line| serde_json::from_str::<Json>(line).expect("JSON"));
        let open = lines.rfind(|line| line["property"] == "error_0");
        let open = open.unwrap_or_else(|| panic!("{arguments:?}: {messages}"));
        assert_eq!(open["verdict"], "unknown", "{open}");
        (open["reason"].as_str().unwrap_or_default().to_string(), open["seconds"].as_f64().unwrap_or_default())
    };
    for engine in ["all", "bmc", "explicit"] {
        let (reason, seconds) = said(&["--engine", engine, "--timeout", "1"]);
        assert!(reason == "time was up" && seconds > 0.9, "{engine}: {reason} {seconds}");
    }
    let (reason, seconds) = said(&["--engine", "bmc", "--depth", "3"]);
    assert!(reason == "the depth limit was reached" && seconds > 0.0, "{reason} {seconds}");
    let (reason, _) = said(&["--engine", "explicit", "--memory", "60"]);
    assert_eq!(reason, "memory was full");
}

/// Rules enough for a text of 3 MB, which takes seconds to read and to walk through here.
fn long_program() -> String {
    let mut text = String::from("extern void __VERIFIER_error(int);\nint inputs[] = {1,2,3};\nint a = 1; int b = 2;\n");
    text += "void step(int input) {\n";
    for rule in 0..40_000 {
        text += &format!("  if (input == {} && a == {rule} && b < {rule}) {{ a = a + b; b = {rule}; }}\n", rule % 3);
    }
    text + "  if (a == 77777) __VERIFIER_error(0);\n}\n\
        int main() { while (1) { int input; scanf(\"%d\", &input); step(input); } }\n"
}

#[test]
fn a_deadline_holds_while_a_program_is_read() {
    let scratch = Scratch::new();
    let program = scratch.write("long.c", &long_program()).to_string_lossy().into_owned();
    let start = Instant::now();
    let (code, _, _) = run(&["show", &program]);
    let reading = start.elapsed();
    assert_eq!(code, Some(0));
    let start = Instant::now();
    let (code, _, messages) = run(&["check", &program, "--timeout", "0.05"]);
    assert_eq!((code, messages.as_str()), (Some(20), "error: time was up before it was read\n"));
    assert!(start.elapsed() < reading / 2, "{:?}, and reading takes {reading:?}", start.elapsed());
}

/// Whatever is being done with a program when time is up: a caller of the library gets a report, and soon.
#[test]
fn a_deadline_of_a_caller_holds_at_every_stage() {
    use redoubt_base::{Interrupt, Limits};
    use redoubt_driver::check::{Answer, CheckOptions, Report, check, check_regions, check_together};
    let program = redoubt::parse("long.c", &long_program()).expect("a program");
    let within = |limit: Duration| {
        let limits = Limits { interrupt: Interrupt::after(limit), ..Limits::default() };
        CheckOptions { limits, ..CheckOptions::default() }
    };
    type Way = fn(&redoubt::Program, &CheckOptions) -> Report;
    let ways: [(&str, Way); 3] = [
        ("circuit", |program, options| check(program, options, |_| {}).expect("a report")),
        ("regions", |program, options| check_regions(program, options, |_| {}).expect("a report")),
        ("together", |program, options| check_together(program, options, |_| {}).expect("a report")),
    ];
    for (name, way) in ways {
        // So early that only the first stage can have begun, and a bit later.
        for limit in [Duration::ZERO, Duration::from_millis(30), Duration::from_millis(200)] {
            let start = Instant::now();
            let report = way(&program, &within(limit));
            assert!(start.elapsed() < limit + Duration::from_secs(4), "{name}, {limit:?}: {:?}", start.elapsed());
            assert!(limit > Duration::from_millis(100) || matches!(report.findings[0].answer, Answer::Unknown(_)));
        }
    }
}

/// Waits for a line of standard output that contains a text.
fn await_line(child: &mut Child, text: &str) -> BufReader<std::process::ChildStdout> {
    let mut reader = BufReader::new(child.stdout.take().expect("a pipe"));
    let mut line = String::new();
    while !line.contains(text) {
        line.clear();
        assert!(reader.read_line(&mut line).expect("text") > 0, "it ended before `{text}`");
    }
    reader
}

fn terminate(child: &Child) {
    kill(Pid::from_raw(child.id() as i32), Signal::SIGTERM).expect("it is there");
}

#[test]
fn sigterm_ends_a_run_and_leaves_its_verdicts() {
    let scratch = Scratch::new();
    let program = scratch.write("endless.c", ENDLESS).to_string_lossy().into_owned();
    let journal = path(&scratch, "journal");
    let arguments = ["check", &program, "--format", "jsonl", "--journal", &journal];
    let mut child = redoubt(&arguments).spawn().expect("it starts");
    let mut reader = await_line(&mut child, "error_1");
    // A second run does not touch a journal that is being written.
    let (code, _, messages) = run(&arguments);
    assert!(code == Some(3) && messages.contains("journal: another run is writing it"), "{code:?} {messages}");
    let start = Instant::now();
    terminate(&child);
    let mut rest = String::new();
    reader.read_to_string(&mut rest).expect("text");
    let status = child.wait().expect("it ends");
    assert!(start.elapsed() < Duration::from_secs(5), "{:?}", start.elapsed());
    assert_eq!(status.code(), Some(130));
    assert!(rest.contains("\"property\":\"error_0\",\"status\":\"unknown\""), "{rest}");
    // The next one goes on from there.
    let resume = ["check", &program, "--format", "jsonl", "--resume", &journal, "--timeout", "0.2"];
    let (code, lines, _) = run(&resume);
    assert!(code == Some(10) && lines.contains("\"engine\":\"journal\""), "{lines}");
    // Another version of the program has nothing to do with it.
    std::fs::write(&program, format!("{ENDLESS}\n")).expect("it can be written");
    let (_, lines, _) = run(&resume);
    assert!(!lines.contains("\"engine\":\"journal\""), "{lines}");
}

/// The most memory that a process had, in bytes, as far as it was seen.
pub fn peak(child: &mut Child) -> u64 {
    let status = format!("/proc/{}/status", child.id());
    let mut most = 0;
    while child.try_wait().expect("it can be waited for").is_none() {
        let text = std::fs::read_to_string(&status).unwrap_or_default();
        let line = text.lines().find_map(|line| line.strip_prefix("VmHWM:"));
        let kilobytes = line.and_then(|line| line.trim().trim_end_matches(" kB").parse::<u64>().ok());
        most = most.max(kilobytes.unwrap_or(0) << 10);
        std::thread::sleep(Duration::from_millis(2));
    }
    most
}

#[test]
fn the_memory_limit_is_kept() {
    let scratch = Scratch::new();
    let program = scratch.write("endless.c", ENDLESS).to_string_lossy().into_owned();
    for (engine, limit) in [("bmc", "50"), ("explicit", "60")] {
        let arguments = ["check", &program, "--engine", engine, "--memory", limit, "--timeout", "60"];
        let start = Instant::now();
        let mut child = redoubt(&arguments).spawn().expect("it starts");
        let most = peak(&mut child);
        let (code, lines, messages) = said(&child.wait_with_output().expect("it ends"));
        assert_eq!(code, Some(10), "{engine}: {messages}");
        assert!(
            lines.contains("error_1               reachable") && lines.contains("error_0               unknown"),
            "{lines}"
        );
        assert!(messages.contains("memory"), "{engine}: {messages}");
        assert!(start.elapsed() < Duration::from_secs(50), "{engine}: {:?}", start.elapsed());
        let limit: u64 = limit.parse::<u64>().expect("a number") << 20;
        assert!(most > limit / 3 && most < limit + limit / 10, "{engine}: {most} bytes");
    }
}

#[test]
fn the_time_limit_is_kept() {
    let scratch = Scratch::new();
    let program = scratch.write("endless.c", ENDLESS).to_string_lossy().into_owned();
    for engine in ["all", "ic3", "explicit"] {
        // Others use the machine too, so it may try again.
        let is_kept = (0..3).any(|_| {
            let start = Instant::now();
            let (code, ..) = run(&["check", &program, "--engine", engine, "--timeout", "3"]);
            assert!(matches!(code, Some(10 | 20)), "{engine}: {code:?}");
            start.elapsed() < Duration::from_millis(3_400)
        });
        assert!(is_kept, "{engine}: more than 3.4 s for a limit of 3 s");
    }
}

/// Nothing can be made in there, even by root.
const READ_ONLY: &str = "/proc/redoubt";

#[test]
fn folders_that_cannot_be_written() {
    let cases: [&[&str]; 5] = [
        &["check", "rers/lock2012.c", "--witness-dir", READ_ONLY],
        &["check", "../tests/models/traffic.aag", "--witness-dir", READ_ONLY],
        &["check", "rers/lock2012.c", "--journal", READ_ONLY],
        &["check", "gcl/airlock.gcl", "--vcd", READ_ONLY],
        &["encode", "rers/lock2012.c", "--to", "aag", "-o", READ_ONLY],
    ];
    for arguments in cases {
        let (code, _, messages) = run(arguments);
        assert_eq!(code, Some(3), "{arguments:?}: {messages}");
        assert!(messages.contains(READ_ONLY) && !messages.contains("panicked"), "{arguments:?}: {messages}");
    }
    let (code, _, messages) = run(&["check", "rers/lock2012.c", "--resume", "/nonexistent"]);
    assert!(code == Some(3) && messages.contains("/nonexistent"), "{messages}");
    let (code, _, messages) = run(&["check", "rers/lock2012.c", "--journal", "rers/lock2012.c"]);
    assert!(code == Some(3) && messages.contains("not a journal"), "{messages}");
}

#[test]
fn a_full_disk_is_an_error() {
    let full = || Stdio::from(std::fs::File::options().write(true).open("/dev/full").expect("there is one"));
    for arguments in [
        &["check", "rers/lock2012.c"][..],
        &["check", "rers/lock2012.c", "--format", "jsonl"],
        &["check", "../tests/models/traffic.aag"],
        &["simulate", "rers/lock2012.c", "A", "B"],
        &["encode", "rers/lock2012.c", "--to", "aag"],
        &["show", "rers/lock2012.c"],
    ] {
        let output = redoubt(arguments).stdout(full()).output().expect("it starts");
        let (code, _, messages) = said(&output);
        assert_eq!(code, Some(3), "{arguments:?}: {messages}");
        assert!(messages.contains("cannot write the result"), "{arguments:?}: {messages}");
        assert_eq!(messages.lines().count(), 1, "{arguments:?}: {messages}");
    }
    for arguments in [
        &["check", "gcl/airlock.gcl", "--vcd", "/dev/full"][..],
        &["encode", "rers/lock2012.c", "--to", "aag", "-o", "/dev/full"],
        &["check", "rers/lock2012.c", "--journal", "/dev/full"],
    ] {
        let (code, _, messages) = run(arguments);
        assert!(code == Some(3) && messages.contains("/dev/full"), "{arguments:?}: {code:?} {messages}");
    }
}

/// A shell that lets no file grow beyond half a kilobyte: to a program that looks like a full disk.
fn in_little_room(arguments: &[&str]) -> (Option<i32>, String, String) {
    let mut command = Command::new("sh");
    command.args(["-c", "trap '' XFSZ; ulimit -f 1; exec \"$0\" \"$@\"", REDOUBT]);
    said(&command.args(arguments).current_dir(in_project("problems")).output().expect("there is a shell"))
}

/// The witnesses in a folder; certificates are there as well.
fn witnesses(folder: &str) -> Vec<PathBuf> {
    let entries = std::fs::read_dir(folder).expect("it is there");
    let paths = entries.map(|entry| entry.expect("an entry").path());
    paths.filter(|path| !["cert", "invariant.yml"].iter().any(|end| path.to_string_lossy().ends_with(end))).collect()
}

#[test]
fn no_half_files_are_left() {
    let scratch = Scratch::new();
    let folder = path(&scratch, "witnesses");
    let (code, lines, messages) = in_little_room(&["check", "rers/lock2012.c", "--witness-dir", &folder]);
    assert!(code == Some(3) && messages.contains("cannot write the result: "), "{code:?} {messages}");
    // The verdict whose file could not be written is told all the same.
    assert!(lines.contains("reachable"), "{lines}");
    for file in witnesses(&folder) {
        let (code, _, messages) = run(&["replay", "rers/lock2012.c", &file.to_string_lossy()]);
        assert_eq!(code, Some(10), "{}: {messages}", file.display());
    }
    let journal = path(&scratch, "journal");
    let (code, lines, messages) =
        in_little_room(&["check", "rers/lock2012.c", "--journal", &journal, "--format", "jsonl"]);
    assert!(code == Some(3) && messages.contains("cannot write the result: "), "{code:?} {lines} {messages}");
    let kept = journalled(&journal).iter().filter(|line| !line.starts_with("{\"run\"")).count();
    assert!(kept > 0 && std::fs::read(&journal).expect("it is there").ends_with(b"\n"));
    let (code, lines, messages) = run(&["check", "rers/lock2012.c", "--resume", &journal, "--format", "jsonl"]);
    assert_eq!((code, lines.matches("\"engine\":\"journal\"").count()), (Some(10), kept), "{messages}");
}

#[test]
fn two_runs_share_a_folder() {
    let scratch = Scratch::new();
    let folder = path(&scratch, "witnesses");
    let start = || redoubt(&["check", "rers/lock2012.c", "rers/lift2012.c", "--witness-dir", &folder]).spawn();
    let runs: Vec<Child> = (0..3).map(|_| start().expect("it starts")).collect();
    for run in runs {
        assert_eq!(run.wait_with_output().expect("it ends").status.code(), Some(10));
    }
    let found = witnesses(&folder);
    assert_eq!(found.len(), 12, "{found:?}");
    for file in found {
        let name = file.file_name().expect("a name").to_string_lossy().into_owned();
        let program = format!("rers/{}.c", name.split('.').next().expect("a stem"));
        assert_eq!(run(&["replay", &program, &file.to_string_lossy()]).0, Some(10), "{name}");
    }
    assert!(problems::own_folder().is_dir());
}
