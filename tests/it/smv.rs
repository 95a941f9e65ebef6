//! Models of NuSMV from the outside: known answers, refusals, and what is said of deadlocks.

use std::process::Output;

use super::common::command::{redoubt_in, run};
use super::common::in_project;
use super::common::scratch::Scratch;

fn check(arguments: &[&str]) -> Output {
    run(&mut redoubt_in(".", &[&["check"], arguments].concat()))
}

/// The output about a text, and the messages.
fn about(text: &str) -> (Option<i32>, String, String) {
    let scratch = Scratch::new();
    let file = scratch.write("model.smv", text);
    let output = check(&[&file.to_string_lossy(), "--brief"]);
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    (output.status.code(), text(&output.stdout), text(&output.stderr))
}

#[test]
fn problems_have_their_known_answers() {
    let output = check(&["problems/smv", "--expect", "problems/smv/expected.csv", "--brief"]);
    let text = String::from_utf8_lossy(&output.stdout);
    assert!(text.contains("67 known answers: 0 wrong"), "{text}");
}

/// The purpose-made models of the shared set, where it is there.
#[test]
fn conformance_models_are_answered_as_by_their_own_tool() {
    let folder = in_project("../shared/bench/smv");
    let Ok(table) = std::fs::read_to_string(folder.join("expected.csv")) else { return };
    let mut by_file: std::collections::BTreeMap<String, Vec<(String, String)>> = Default::default();
    for line in table.lines().filter(|line| line.starts_with("own/")) {
        // The text may have commas within quotation marks; what stands before it has none.
        let mut columns = line.splitn(5, ',');
        let (Some(file), Some(number), Some(name), Some(kind)) =
            (columns.next(), columns.next(), columns.next(), columns.next())
        else {
            continue;
        };
        let rest = columns.next().unwrap_or_default();
        let rest = match rest.strip_prefix('"').and_then(|rest| rest.split_once("\",")) {
            Some((_, rest)) => rest,
            None => rest.split_once(',').map_or("", |(_, rest)| rest),
        };
        let answer = rest.split(',').next().unwrap_or_default().to_string();
        if kind == "FILE" {
            continue;
        }
        let name = if name.is_empty() { format!("spec_{number}") } else { name.into() };
        by_file.entry(file.into()).or_default().push((name, answer));
    }
    assert!(by_file.len() > 100, "{} files", by_file.len());
    for (file, answers) in by_file {
        let path = folder.join(&file);
        let output = check(&[&path.to_string_lossy(), "--format", "jsonl", "-q", "--timeout", "60"]);
        let text = String::from_utf8_lossy(&output.stdout);
        let lines: Vec<serde_json::Value> = text.lines().filter_map(|line| serde_json::from_str(line).ok()).collect();
        for (name, answer) in answers {
            let line = lines.iter().find(|line| line["property"] == name.as_str());
            let status = line.map_or("refused", |line| line["status"].as_str().unwrap_or("unknown"));
            let value = line.map(|line| line["value"].to_string()).unwrap_or_default();
            let is_right = match answer.as_str() {
                "true" => status == "holds",
                "false" => status == "violated",
                "refused" => matches!(status, "refused" | "unknown"),
                number => value.trim_matches('"') == number,
            };
            assert!(is_right, "{file} {name}: {answer}, not {status} {value}");
        }
    }
}

#[test]
fn a_refused_specification_costs_no_other() {
    let (code, out, err) = about("MODULE main\nVAR x : 0..3;\nINVARSPEC x + TRUE = 1\nINVARSPEC x < 4\n");
    assert!(out.contains("spec_0") && out.contains("refused: `+` needs"), "{out}");
    assert!(out.contains("1 hold") && err.contains("model.smv:3:11"), "{out}{err}");
    assert_eq!(code, Some(20), "{out}");
}

#[test]
fn values_that_show_a_mistake_are_named() {
    let (code, _, err) = about("MODULE main\nVAR x : 0..3;\nASSIGN init(x) := 0; next(x) := x + 1;\nINVARSPEC x < 4\n");
    assert_eq!(code, Some(3), "{err}");
    assert!(err.contains("outside of 0..3 can be assigned to `x`") && err.contains("x = 3"), "{err}");
}

#[test]
fn runs_that_are_left_out_are_named() {
    let model = "MODULE main\nVAR s : {a, b, stop};\nINIT s = a\nTRANS s = a -> next(s) in {b, stop}\n\
                 TRANS s = b -> next(s) = b\nTRANS s = stop -> FALSE\nSPEC AG s != stop\nINVARSPEC s != stop\n";
    let (_, out, err) = about(model);
    assert!(out.contains("1 hold, 1 violated"), "{out}");
    assert!(err.contains("a state without successor can be reached (1 step): s = stop"), "{err}");
}

/// What would grow without end is refused, and soon.
#[test]
fn what_grows_too_large_is_refused() {
    let xor = format!("MODULE main\nVAR x : boolean;\nLTLSPEC {} F x\n", "F x xor ".repeat(60));
    assert!(about(&xor).1.contains("refused: written out"));
    let mut modules = String::from("MODULE main\nVAR m : m0;\n");
    (0..40).for_each(|at| modules += &format!("MODULE m{at}\nVAR a : m{}; b : m{};\n", at + 1, at + 1));
    modules += "MODULE m40\nVAR x : boolean;\n";
    assert!(about(&modules).2.contains("instances of modules"));
    let arrays = format!("MODULE main\nVAR x : {}boolean;\nINVARSPEC TRUE\n", "array 0..1 of ".repeat(40));
    assert!(about(&arrays).2.contains("more than 262144 variables"));
}

/// An initial value may be any of a range, and nothing beside it, though its word could hold more.
#[test]
fn initial_values_are_values_of_their_type() {
    for (declaration, initial) in [
        ("VAR x : 0..2;", "ASSIGN init(x) := 1..2; next(x) := x;"),
        ("VAR x : 0..2;", "ASSIGN init(x) := {1} union 1..2; next(x) := x;"),
        ("FROZENVAR x : 0..2;", "ASSIGN init(x) := 1..2;"),
        ("VAR x : 0..2; y : 1..2;", "ASSIGN init(x) := y; next(x) := x; next(y) := y;"),
        ("VAR x : 0..2;", "INIT x in 1..2 ASSIGN next(x) := x;"),
    ] {
        let text = format!(
            "MODULE main\n{declaration}\n{initial}\nINVARSPEC x = 1 | x = 2\nLTLSPEC G (x = 1 | x = 2)\nSPEC AG (x = 1 | x = 2)\n"
        );
        let (code, verdicts, messages) = about(&text);
        assert_eq!(code, Some(0), "{text}{verdicts}{messages}");
        assert!(verdicts.contains("3 properties: 3 hold"), "{text}{verdicts}{messages}");
    }
}
