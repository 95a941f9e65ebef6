//! The search on several workers, as its users start it: on threads and on processes that talk over loopback. Verdicts, numbers of
//! states and lengths of witnesses are those of the single search, and a process that is killed is noticed.
//!
//! `cargo test --release --features distributed --test distributed`

use std::collections::BTreeMap;
use std::net::TcpListener;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use serde_json::Value as Json;

/// Programs whose states can be visited in a moment.
const PROBLEMS: [&str; 20] = [
    "rers/counters2015.c",
    "rers/crossing2013.c",
    "rers/heater2012.c",
    "rers/jukebox2014.c",
    "rers/lift2012.c",
    "rers/lock2012.c",
    "rers/mixer2017.c",
    "rers/pump2016.c",
    "rers/shelves2019.c",
    "rers/signal2018.c",
    "rers/beacon2021.c",
    "rers/generated/2012-plain-small-1.c",
    "rers/generated/2014-data-small-1.c",
    "rers/generated/2017-arithmetic-small-1.c",
    "rers/generated/verifier-arithmetic-small-1.c",
    "gcl/bakery.gcl",
    "gcl/infusion_pump.gcl",
    "gcl/mutual_exclusion.gcl",
    "gcl/sokoban.gcl",
    "gcl/washing_machine.gcl",
];

/// The findings of a run: the verdict and the number of steps of each property, and the number of states.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Found {
    verdicts: BTreeMap<String, (Json, Json)>,
    states: Option<String>,
}

fn project(path: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join(path)
}

fn check(file: &Path, more: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_redoubt"));
    command.arg("check").arg(file).args(["--engine", "explicit", "--quiet", "--no-lint", "--no-ltl", "--stats"]);
    command.args(["--format", "jsonl"]).args(more).stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
    command
}

/// Unused addresses, as a file.
fn hosts(folder: &Path, number: usize) -> String {
    let listeners: Vec<TcpListener> =
        (0..number).map(|_| TcpListener::bind("127.0.0.1:0").expect("a free port")).collect();
    let addresses = listeners.iter().map(|listener| listener.local_addr().expect("an address").to_string());
    let path = folder.join("hosts.txt");
    std::fs::write(&path, addresses.collect::<Vec<_>>().join("\n") + "\n").expect("room");
    path.to_string_lossy().into_owned()
}

/// All processes, started at the same time.
fn start(file: &Path, folder: &Path, processes: usize, workers: usize, more: &[&str]) -> Vec<Child> {
    let (hosts, workers) = (hosts(folder, processes), workers.to_string());
    let start = |process: usize| {
        let process = process.to_string();
        let places = ["--hosts", &hosts, "--process", &process, "--workers", &workers];
        check(file, &[&places, more].concat()).spawn().expect("it can be started")
    };
    (0..processes).map(start).collect()
}

fn end(child: Child) -> (Found, String, String) {
    let output = child.wait_with_output().expect("it ends");
    let (out, messages) = (String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr));
    let lines = out.lines().map(|line| serde_json::from_str::<Json>(line).expect("JSON"));
    let properties = lines.filter(|line| line["type"] == "property");
    let verdicts = properties.map(|line| {
        let name = line["property"].as_str().unwrap_or_default().to_string();
        (name, (line["verdict"].clone(), line["steps"].clone()))
    });
    let states = messages.lines().find_map(|line| Some(line.split_once(" states of ")?.0.to_string()));
    (Found { verdicts: verdicts.collect(), states }, out.to_string(), messages.to_string())
}

#[test]
fn all_processes_say_what_the_single_search_says() {
    let folder = tempfile::tempdir().expect("a folder");
    for problem in PROBLEMS {
        let file = project("problems").join(problem);
        let more = ["--no-certify"];
        let (mut single, _, messages) = end(check(&file, &more).spawn().expect("it can be started"));
        assert!(!single.verdicts.is_empty() && single.states.is_some(), "{problem}: {messages}");
        // A search that has found everything stops where it is; the others stop at the end of the layer.
        let is_closed = single.verdicts.values().any(|(verdict, _)| verdict == "unreachable");
        let mut agree = |found: Found, messages: &str, how: &str| {
            if !is_closed {
                single.states.clone_from(&found.states);
            }
            assert_eq!(found, single, "{problem}, {how}: {messages}");
        };
        for workers in [2, 3] {
            let workers = workers.to_string();
            let (found, _, messages) =
                end(check(&file, &["--no-certify", "--workers", &workers]).spawn().expect("it can be started"));
            agree(found, &messages, &format!("{workers} threads"));
        }
        for (processes, workers) in [(1, 1), (1, 2), (2, 1), (2, 2), (4, 1), (4, 2)] {
            for (process, child) in start(&file, folder.path(), processes, workers, &more).into_iter().enumerate() {
                let (found, _, messages) = end(child);
                agree(found, &messages, &format!("process {process} of {processes} with {workers} workers"));
            }
        }
    }
}

/// The first of several processes has the states, and with them the certificate.
#[test]
fn proofs_are_confirmed_by_the_first_process() {
    let folder = tempfile::tempdir().expect("a folder");
    let file = project("problems/rers/lift2012.c");
    let confirmed = |child: Child| {
        let (_, out, messages) = end(child);
        let is_proof = |line: &&str| line.contains("\"unreachable\"") && line.contains("\"property\"");
        let proofs: Vec<&str> = out.lines().filter(is_proof).collect();
        assert!(!proofs.is_empty(), "{out}{messages}");
        proofs.iter().all(|line| line.contains("\"confirmed\":true"))
    };
    let found: Vec<bool> = start(&file, folder.path(), 2, 2, &[]).into_iter().map(confirmed).collect();
    assert_eq!(found, [true, false]);
}

/// States without end.
const ENDLESS: &str = "input by: 0..15
var a: 0..2000 = 0
var b: 0..2000 = 0
var c: 0..2000 = 0
step {
  if by < 5 { a = (a + by + 1) % 2001 } else if by < 10 { b = (b + by * a) % 2001 } else { c = (c + a * b + by) % 2001 }
}
property soon: always a != 3
property late: always a + b + c != 6001
";

#[test]
fn a_process_that_is_killed_is_noticed_and_what_was_decided_is_kept() {
    let folder = tempfile::tempdir().expect("a folder");
    let file = folder.path().join("endless.gcl");
    std::fs::write(&file, ENDLESS).expect("room");
    for (processes, victim) in [(2, 1), (4, 0), (4, 2)] {
        let journal = |process: usize| folder.path().join(format!("{processes}-{victim}-{process}.journal"));
        let hosts = hosts(folder.path(), processes);
        let run = |process: usize| {
            let (number, journal) = (process.to_string(), journal(process).to_string_lossy().into_owned());
            let more = ["--hosts", &hosts, "--process", &number, "--timeout", "100", "--journal", &journal];
            check(&file, &more).spawn().expect("it can be started")
        };
        let mut children: Vec<Child> = (0..processes).map(run).collect();
        // Until all of them have met and something is decided.
        let begun = Instant::now();
        let is_decided = |process| std::fs::read_to_string(journal(process)).is_ok_and(|text| text.contains("soon"));
        while !(0..processes).all(is_decided) {
            assert!(begun.elapsed() < Duration::from_secs(60), "nothing is decided");
            std::thread::sleep(Duration::from_millis(20));
        }
        let mut killed = children.remove(victim);
        killed.kill().expect("it can be killed");
        killed.wait().expect("it is gone");
        let begun = Instant::now();
        let mut is_named = false;
        for child in children {
            let (found, _, messages) = end(child);
            assert!(begun.elapsed() < Duration::from_secs(10), "{:?}", begun.elapsed());
            // A slow process may notice first that another one has left for the same reason.
            is_named |= messages.contains(&format!("the search was ended: process {victim} ("));
            assert!(messages.contains("the search was ended: process ") && messages.contains("gone"), "{messages}");
            assert!(!messages.contains("panicked"), "{messages}");
            let verdict = |name: &str| found.verdicts[name].0.clone();
            assert_eq!((verdict("soon"), verdict("late")), ("reachable".into(), "unknown".into()));
        }
        assert!(is_named, "nobody has noticed who was killed");
    }
}

#[test]
fn who_does_not_belong_together_is_told() {
    let folder = tempfile::tempdir().expect("a folder");
    let hosts = hosts(folder.path(), 2);
    let run = |process: &str, file: &str| {
        let more = ["--hosts", &hosts, "--process", process];
        check(&project("problems/rers").join(file), &more).spawn().expect("it can be started")
    };
    for child in [run("0", "lift2012.c"), run("1", "lock2012.c")] {
        let (_, _, messages) = end(child);
        assert!(messages.contains("is not about the same: question="), "{messages}");
    }
    let refused = |more: &[&str], why: &str| {
        let (_, _, messages) = end(check(&project("problems/rers/lift2012.c"), more).spawn().expect("it starts"));
        assert!(messages.contains(why), "{messages}");
    };
    refused(&["--hosts", &hosts, "--process", "2"], "the processes are 0 to 1");
    refused(&["--hosts", "/nonexistent", "--process", "0"], "/nonexistent");
    std::fs::write(folder.path().join("bad.txt"), "here\n").expect("room");
    let bad = folder.path().join("bad.txt").to_string_lossy().into_owned();
    refused(&["--hosts", &bad, "--process", "0"], "expected host:port");
}
