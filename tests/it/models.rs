//! AIGER models as users meet them: the output and the files of `check`, and programs that are written as AIGER and
//! read again.

use std::collections::BTreeMap;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::Output;
use std::time::Duration;

use redoubt_base::Interrupt;
use redoubt_base::Limits;
use redoubt_bits::blast::{Width, blast};
use redoubt_bits::system;
use redoubt_bits::system::passes::{self, Passes};
use redoubt_circuit::aiger::Format;
use redoubt_driver::hardware::{self, Answer};

use crate::common::command::{redoubt_in, run_reading, stdout};
use crate::common::scratch::Scratch;
use crate::common::{aiger, expected, five_checks, problems};

/// A latch that an input sets for good, one that nothing sets, and that the first is set again and again.
const MODEL: &str = "\
aag 5 1 2 0 2 2 1 1
2
4 9
6 6
4
6
11
1
4
8 5 3
10 3 2
i0 set
b0 is set
b1 stays
j0 again and again
c
made by hand
";

fn redoubt(arguments: &[&str], input: &[u8]) -> Output {
    run_reading(&mut redoubt_in("", arguments), input)
}

/// The lines of the output, without times.
fn verdicts(output: &Output) -> Vec<String> {
    let text = stdout(output);
    text.lines().map(|line| line.split(" (0.").next().unwrap_or(line).trim_end().to_owned()).collect()
}

#[test]
fn every_property_gets_its_line() {
    let scratch = Scratch::new();
    let file = scratch.write("model.aag", MODEL);
    let output = redoubt(&["check", &file.to_string_lossy()], b"");
    assert_eq!(output.status.code(), Some(10));
    let mut lines = verdicts(&output);
    lines.sort();
    let justice = lines.remove(3);
    assert_eq!(
        lines,
        [
            "2 properties: 1 reachable, 1 unreachable, 0 unknown; 1 justice property: 0 hold, 1 violated, 0 unknown, all confirmed",
            "b0 is set             reachable    2 steps",
            "b1 stays              unreachable",
        ]
    );
    // The place of the loop depends on which engine is first.
    assert!(justice.starts_with("j0 again and again    violated     ") && justice.ends_with(')'), "{justice}");
    let output = redoubt(&["check", &file.to_string_lossy(), "--property", "stays", "--format", "csv"], b"");
    assert_eq!(output.status.code(), Some(0));
    let name = file.to_string_lossy();
    assert_eq!(stdout(&output), format!("model,b1,false\n"));
    let output = redoubt(&["check", &name, "--property", "b7"], b"");
    assert_eq!(output.status.code(), Some(2));
}

#[test]
fn models_come_through_pipes_and_compressed() {
    let mut gzip = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::default());
    gzip.write_all(MODEL.as_bytes()).expect("in memory");
    for bytes in [MODEL.as_bytes().to_vec(), gzip.finish().expect("in memory")] {
        let output = redoubt(&["check", "-", "--format", "jsonl"], &bytes);
        assert_eq!(output.status.code(), Some(10));
        let justice: Vec<String> = stdout(&output)
            .lines()
            .skip(1)
            .map(|line| {
                let line: serde_json::Value = serde_json::from_str(line).expect("JSON");
                assert_eq!(line["file"], "standard input");
                format!("{} {} {}", line["property"], line["status"], line["confirmed"])
            })
            .filter(|line| line.starts_with("\"j"))
            .collect();
        assert_eq!(justice, ["\"j0\" \"violated\" true"]);
    }
}

#[test]
fn the_files_for_other_tools_are_right() {
    let scratch = Scratch::new();
    let file = scratch.write("model.aag", MODEL);
    let folder = file.with_file_name("witnesses");
    let arguments = ["check", &file.to_string_lossy(), "--witness-dir", &folder.to_string_lossy(), "--hwmcc"];
    let output = redoubt(&arguments, b"");
    assert_eq!((output.status.code(), &*stdout(&output)), (Some(10), "sat\n"));
    let witness = std::fs::read_to_string(folder.join("model.b0.aiw")).expect("a witness");
    assert_eq!(aiger::File::read_any(MODEL.as_bytes()).flaw_of_witness(&witness), None, "{witness}");
    let certificate = std::fs::read(folder.join("model.certificate.aig")).expect("a witness circuit");
    assert_eq!(five_checks::failing(MODEL.as_bytes(), &certificate, &[1]), None);
    assert_eq!(five_checks::failing(MODEL.as_bytes(), &certificate, &[0]), Some("property"));
    let safe = MODEL.replace("aag 5 1 2 0 2 2 1 1", "aag 5 1 2 0 2 1 1").replace("\n4\n6\n11\n1\n4\n", "\n6\n11\n");
    let safe = &safe[..safe.find("i0").expect("symbols")];
    let output = redoubt(&["check", "-", "--hwmcc"], safe.as_bytes());
    assert_eq!((output.status.code(), &*stdout(&output)), (Some(0), "unsat\n"));
    let output = redoubt(&["check", "-", "--hwmcc", "--timeout", "0"], safe.as_bytes());
    assert_eq!((output.status.code(), &*stdout(&output)), (Some(20), "unknown\n"));
}

#[test]
fn malformed_models_end_with_3() {
    let scratch = Scratch::new();
    for (text, message) in [
        ("aag 1 1 0 1 0\n2\n", "--> "),
        ("aag 1 0 0 1 1\n2\n2 3 1\n", ":3:1"),
        ("aig 900000000 0 0 0 900000000\n", "cut off"),
        ("ag 1 0 0 0 0\n", "header"),
        ("\u{1f}\u{8b}", "header"),
    ] {
        let file = scratch.write("bad.aig", text);
        let output = redoubt(&["check", &file.to_string_lossy()], b"");
        assert_eq!(output.status.code(), Some(3), "{text}");
        let error = String::from_utf8_lossy(&output.stderr);
        assert!(error.contains("error") && error.contains(message), "{error}");
    }
    let output = redoubt(&["check", "-"], b"\x1f\x8bno gzip");
    assert_eq!(output.status.code(), Some(3));
    let output = redoubt(&["check", "-"], b"neither a program nor a model");
    assert_eq!(output.status.code(), Some(3));
}

/// A program and the AIGER written of it have the same verdicts, property by property.
#[test]
fn programs_written_as_aiger_keep_their_verdicts() {
    let (mut decided, mut all) = (0, 0);
    for (index, problem) in problems::own().into_iter().enumerate() {
        let program = problem.load();
        let folder = problem.files[0].parent().expect("a problem lies in a folder");
        let rows = expected::read(folder).into_iter().filter(|row| row.file == problem.name());
        let known: BTreeMap<String, bool> = rows.map(|row| (row.property, row.reachable)).collect();
        let width = if index % 4 == 0 { Width::Full } else { Width::Reduced };
        let system =
            passes::run(system::build(&program).expect("a small program"), Passes::ALL, &Interrupt::default()).system;
        let mut bytes = vec![];
        let format = if index % 2 == 0 { Format::Ascii } else { Format::Binary };
        redoubt_circuit::aiger::write(&mut bytes, &blast(&system, width).circuit, format, "").expect("in memory");
        let model = redoubt_circuit::aiger::read(&bytes).expect("what we write can be read");
        let limits = Limits { interrupt: Interrupt::after(Duration::from_secs(1)), ..Limits::default() };
        let report = hardware::check(&model, &hardware::ModelOptions { limits, ..Default::default() }, |_| {});
        all += report.findings.len();
        for (finding, property) in report.findings.iter().zip(&program.properties) {
            let reachable = match finding.answer {
                Answer::Reachable { .. } => true,
                Answer::Unreachable { .. } => false,
                Answer::Unknown(_) => continue,
                Answer::Withdrawn { .. } => panic!("{}: {}: no such run", program.name, property.name),
            };
            decided += 1;
            if let Some(&known) = known.get(&property.name) {
                assert_eq!(reachable, known, "{}: {}", program.name, property.name);
            }
        }
    }
    // Properties that take longer than a second stay open.
    assert!(2 * decided > all, "{decided} of {all} are decided");
}

#[test]
fn the_benchmark_counts_what_is_right() {
    let scratch = Scratch::new();
    let file = scratch.write("set.aag", "aag 2 1 1 1 0\n2\n4 2\n4\n");
    scratch.write("stuck.aag", "aag 1 0 1 1 0\n2 2\n2\n");
    scratch.write("expected.csv", "file,expected,latches\nset.aag,reachable,1\nstuck.aag,unreachable,1\n");
    let folder = file.parent().expect("a folder").to_string_lossy();
    let peer = "always=echo sat # {file}";
    let output =
        redoubt(&["bench", &folder, "--timeout", "5", "--peer", peer, "--peer", "none=no-such-tool {file}"], b"");
    let text = stdout(&output);
    assert_eq!(output.status.code(), Some(0), "{text}");
    assert!(text.contains("redoubt: solved 2 of 2, 2 confirmed, 0 wrong, PAR2 "), "{text}");
    assert!(text.contains("constant latches"), "{text}");
    assert!(text.contains("always: solved 1 of 2, 0 confirmed, 1 wrong, PAR2 10.0 s"), "{text}");
    assert!(String::from_utf8_lossy(&output.stderr).contains("none is left out"));
    scratch.write("expected.csv", "file,expected\nset.aag,unreachable\n");
    let output = redoubt(&["bench", &folder], b"");
    assert_eq!(output.status.code(), Some(70), "a wrong verdict is a bug");
    scratch.write("expected.csv", "file,expected\nset.aag,perhaps\n");
    let output = redoubt(&["bench", &folder], b"");
    assert_eq!(output.status.code(), Some(3));
}

/// Programs have several properties, which are decided together.
#[test]
fn the_benchmark_takes_programs() {
    let folder = crate::common::in_project("problems/rers").to_string_lossy().into_owned();
    let arguments = ["bench", &folder, "--only", "lock2012", "--timeout", "60", "--engine", "ic3", "--engine", "bdd"];
    let output = redoubt(&arguments, b"");
    let text = stdout(&output);
    assert_eq!(output.status.code(), Some(0), "{text}");
    assert!(text.contains("6 known") && text.contains("6 solved"), "{text}");
    assert!(text.contains("ic3: solved 6 of 6, 6 confirmed, 0 wrong"), "{text}");
    assert!(text.contains("bdd: solved 6 of 6, 6 confirmed, 0 wrong"), "{text}");
    // A program of two files.
    let output = redoubt(&["bench", &folder, "--only", "ledger2015", "--timeout", "60", "--engine", "ic3"], b"");
    assert!(stdout(&output).contains("ic3: solved 4 of 4, 4 confirmed, 0 wrong"), "{}", stdout(&output));
}

/// Checks the files that `redoubt check --witness-dir` wrote for the models of a folder with `expected.csv`. To be run
/// with `REDOUBT_MODELS` and `REDOUBT_WITNESSES` set to the two folders.
#[test]
#[ignore = "needs two folders"]
fn witnesses_of_a_folder() {
    let folder = |name: &str| PathBuf::from(std::env::var_os(name).expect("a folder"));
    let (models, witnesses) = (folder("REDOUBT_MODELS"), folder("REDOUBT_WITNESSES"));
    let rows = std::fs::read_to_string(models.join("expected.csv")).expect("known answers");
    let mut checked = 0;
    for row in rows.lines().skip(1) {
        let (file, rest) = row.split_once(',').expect("two columns");
        let stem = Path::new(file).file_stem().expect("a name").to_string_lossy();
        let model = std::fs::read(models.join(file)).expect("a model");
        let witness = std::fs::read_to_string(witnesses.join(format!("{stem}.b0.aiw")));
        let certificate = std::fs::read(witnesses.join(format!("{stem}.certificate.aig")));
        let is_reachable = rest.starts_with("reachable");
        assert!(if is_reachable { certificate.is_err() } else { witness.is_err() }, "{file}: the wrong file");
        if let Ok(witness) = witness {
            assert_eq!(aiger::File::read_any(&model).flaw_of_witness(&witness), None, "{file}");
        } else if let Ok(certificate) = certificate {
            assert_eq!(five_checks::failing(&model, &certificate, &[0]), None, "{file}");
        } else {
            continue;
        }
        println!("{file}: right");
        checked += 1;
    }
    println!("{checked} checked");
    assert!(checked > 0);
}
