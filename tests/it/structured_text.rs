//! PLC programs by the command: verdicts and shortest runs, and every subcommand on such a file.

use std::path::Path;

use crate::common::command::{redoubt_in, run, stderr, stdout};
use crate::common::in_project;
use crate::common::scratch::Scratch;
use serde_json::Value;

/// The answers of `expected.csv` in a folder: file, property, expected, fewest cycles.
fn expected(folder: &Path) -> Vec<[String; 4]> {
    let text = std::fs::read_to_string(folder.join("expected.csv")).expect("there are answers");
    let rows = text.lines().skip(1).map(|line| {
        let mut cells = line.split(',').map(str::to_string);
        std::array::from_fn(|_| cells.next().unwrap_or_default())
    });
    rows.collect()
}

/// All verdicts are as expected, confirmed where that can be, and runs as short as can be.
fn check_folder(folder: &Path) -> usize {
    let rows = expected(folder);
    let mut files: Vec<&String> = rows.iter().map(|row| &row[0]).collect();
    files.dedup();
    for file in files {
        let path = folder.join(file).to_string_lossy().into_owned();
        let output = run(&mut redoubt_in("", &["check", &path, "--format", "jsonl", "--no-lint", "--shortest"]));
        assert!(matches!(output.status.code(), Some(0 | 10)), "{file}: {}", stderr(&output));
        let lines: Vec<Value> =
            stdout(&output).lines().map(|line| serde_json::from_str(line).expect("a line of JSON")).collect();
        for [_, property, expected, shortest] in rows.iter().filter(|row| row[0] == *file) {
            let Some(line) = lines.iter().find(|line| line["property"] == property.as_str()) else {
                let is_automatic =
                    ["range(", "index(", "division_by_zero"].iter().any(|word| property.starts_with(word));
                assert!(is_automatic && expected == "holds", "{file}: no {property}");
                continue;
            };
            assert_eq!(line["status"], expected.as_str(), "{file}: {property}");
            if let Ok(shortest) = shortest.parse::<u64>() {
                assert_eq!(line["steps"], shortest, "{file}: {property}");
            }
        }
    }
    rows.len()
}

#[test]
fn problems_are_as_they_expect_to_be() {
    assert!(check_folder(&in_project("problems/st")) > 100);
    let output = run(&mut redoubt_in("", &["check", "problems/st", "--quiet"]));
    assert_eq!(output.status.code(), Some(0), "{}", stderr(&output));
}

#[test]
fn shared_programs_are_decided_as_they_should_be() {
    let folder = in_project("../shared/bench/st");
    if folder.is_dir() {
        assert!(check_folder(&folder) > 200);
    }
}

/// Every subcommand takes such a file.
#[test]
fn every_command_reads_them() {
    let scratch = Scratch::new();
    let valve = in_project("problems/st/valve_timeout.st");
    let file = valve.to_string_lossy().into_owned();
    let repaired = in_project("problems/st/valve_timeout_repaired.st").to_string_lossy().into_owned();
    let place = |name: &str| scratch.write(name, "").to_string_lossy().into_owned();
    let (csv, vcd, record, page) = (place("run.csv"), place("run.vcd"), place("run.jsonl"), place("run.html"));
    let works = |arguments: &[&str], codes: &[i32]| {
        let output = run(&mut redoubt_in("", arguments));
        let code = output.status.code().unwrap_or(-1);
        assert!(codes.contains(&code), "{arguments:?}: {code}\n{}\n{}", stdout(&output), stderr(&output));
        stdout(&output)
    };
    let log = works(&["check", &file, "--traces", "all"], &[0]);
    assert!(log.contains("cycle 1") && log.contains("0 ms") && log.contains("TRUE"), "{log}");
    works(&["check", &file, "--trace-csv", &csv, "--vcd", &vcd, "--no-lint"], &[0]);
    let table = std::fs::read_to_string(&csv).expect("a table");
    let rows: Vec<&str> = table.lines().collect();
    assert!(
        rows[0].starts_with("time_ms;command;") && rows[1].starts_with("0;") && rows[2].starts_with("100;"),
        "{table}"
    );
    let columns = rows[0].split(';').count();
    assert!(rows.iter().all(|row| row.split(';').count() == columns), "{table}");
    let waves = std::fs::read_to_string(&vcd).expect("waves");
    assert!(waves.contains("$timescale 1 ms $end") && waves.contains("$scope module travel $end"), "{waves}");
    let lines = works(&["check", &file, "--format", "jsonl", "--no-lint"], &[0]);
    assert!(lines.contains("\"time_ms\":100") && lines.contains("\"language\":\"st\""), "{lines}");
    std::fs::write(&record, &lines).expect("it can be written");
    works(&["report", &record, "--output", &page], &[0]);
    works(&["simulate", &file, "command=TRUE", "/", "command=TRUE"], &[0]);
    works(&["show", &file], &[0]);
    works(&["compare", &file, &file], &[0]);
    works(&["compare", &file, &repaired], &[10]);
    works(&["encode", &file, "--to", "btor2"], &[0]);
    let folder = scratch.write("here", "");
    let folder = folder.parent().expect("a file lies in a folder");
    works(&["check", &file, "--no-lint", "--witness-dir", &folder.to_string_lossy()], &[0]);
    let written = |name: &str| folder.join(name).to_string_lossy().into_owned();
    works(&["certify", &file, &written("valve_timeout.cert")], &[0]);
    works(&["replay", &file, &written("valve_timeout.opens.json")], &[0]);
}
