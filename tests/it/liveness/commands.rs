//! The command's output about justice properties, and the files that it writes and reads again.

use super::oracle;
use crate::common::aiger::File;
use crate::common::command::{name, redoubt_in, run, stdout};
use crate::common::scratch::Scratch;

/// A bit that an input sets for good: it can be set again and again, but not set and not set, both again and again.
const MODEL: &str = "\
aag 3 1 1 0 1 0 0 2
2
4 7
1
2
4
4
5
6 5 3
i0 set
j0 is set
j1 changes
";

/// The exit code and the lines of the output.
fn redoubt(arguments: &[&str]) -> (Option<i32>, Vec<String>) {
    let output = run(&mut redoubt_in("", arguments));
    (output.status.code(), stdout(&output).lines().map(str::to_owned).collect())
}

#[test]
fn lassos_and_certificates_are_written_and_confirmed() {
    let scratch = Scratch::new();
    let model = name(&scratch.write("bit.aag", MODEL));
    let folder = scratch.path("out");
    let (code, lines) = redoubt(&["check", &model, "--witness-dir", &name(&folder)]);
    assert_eq!(code, Some(10));
    assert!(lines[0].starts_with("j0 is set             violated     ") && lines[0].ends_with(')'), "{lines:?}");
    assert_eq!(lines[1], "j1 changes            holds");
    let summary = "2 justice properties: 1 hold, 1 violated, 0 unknown, all confirmed (";
    assert!(lines[2].starts_with(summary), "{lines:?}");

    let (lasso, certificate) = (folder.join("bit.j0.aiw"), name(&folder.join("bit.j1.certificate.aig")));
    let text = std::fs::read_to_string(&lasso).expect("a witness");
    assert_eq!(oracle::flaw_of_lasso(&File::read_any(MODEL.as_bytes()), &text), None, "{text}");
    let (code, lines) = redoubt(&["replay", &model, &name(&lasso)]);
    assert!(code == Some(10) && lines[0].starts_with("j0                    violated by "), "{lines:?}");
    let wrong = name(&scratch.write("wrong.aiw", "1\nj0\n0\n0\n0\n.\n"));
    let (code, lines) = redoubt(&["replay", &model, &wrong]);
    assert!(code == Some(20) && lines[0].contains("a signal is not seen in its loop"), "{lines:?}");

    assert_eq!(redoubt(&["certify", &model, &certificate]), (Some(0), vec!["j1                    holds".into()]));
    // The same certificate for a bit that goes up and down.
    let other = name(&scratch.write("other.aag", &MODEL.replace("4 7\n", "4 5\n")));
    let (code, lines) = redoubt(&["certify", &other, &certificate]);
    assert!(code == Some(10) && lines[0].contains("not certified"), "{lines:?}");
}

#[test]
fn lines_have_the_loop_and_properties_can_be_chosen() {
    let scratch = Scratch::new();
    let model = name(&scratch.write("bit.aag", MODEL));
    for choice in ["j0", "is set"] {
        let (code, lines) = redoubt(&["check", &model, "--property", choice, "--format", "jsonl"]);
        assert_eq!((code, lines.len()), (Some(10), 3));
        let line: serde_json::Value = serde_json::from_str(&lines[1]).expect("JSON");
        let steps = |part: &str| line[part]["symbols"].as_array().map(Vec::len).unwrap_or_default();
        assert_eq!(line["steps"], steps("stem") + steps("loop"));
        assert!(steps("loop") > 0 && line["confirmed"] == true, "{line}");
        assert_eq!((&line["verdict"], &line["status"]), (&"reachable".into(), &"violated".into()));
    }
    let (code, _) = redoubt(&["check", &model, "--property", "j2"]);
    assert_eq!(code, Some(2));
    assert_eq!(redoubt(&["check", &model, "--property", "j1", "--hwmcc"]), (Some(0), vec!["unsat".into()]));
    assert_eq!(redoubt(&["check", &model, "--hwmcc"]), (Some(10), vec!["sat".into()]));
}

#[test]
fn a_journal_keeps_lassos_and_certificates() {
    let scratch = Scratch::new();
    let model = name(&scratch.write("bit.aag", MODEL));
    let journal = name(&scratch.path("run.journal"));
    let (code, _) = redoubt(&["check", &model, "--journal", &journal]);
    assert_eq!(code, Some(10));
    let (code, lines) = redoubt(&["check", &model, "--resume", &journal, "--format", "jsonl"]);
    assert_eq!(code, Some(10));
    for line in &lines[1..3] {
        let line: serde_json::Value = serde_json::from_str(line).expect("JSON");
        assert_eq!((&line["engine"], &line["confirmed"]), (&"journal".into(), &true.into()), "{line}");
    }
    // A journal of another model says nothing.
    let other = name(&scratch.write("other.aag", &MODEL.replace("4 7\n", "4 5\n")));
    let (_, lines) = redoubt(&["check", &other, "--resume", &journal, "--format", "jsonl"]);
    assert!(!lines.iter().any(|line| line.contains("\"engine\":\"journal\"")), "{lines:?}");
}
