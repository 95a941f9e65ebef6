//! Mealy machines: what is read and refused, formulas with modalities about them and about programs, comparisons, and what is
//! written and read again.

use redoubt_languages::parse;
use redoubt_program::simulate::Simulator;
use redoubt_program::text::SourceFile;
use serde_json::Value;

use crate::common::command::{name, redoubt_in, run, stderr, stdout};
use crate::common::in_project;
use crate::common::scratch::Scratch;

fn command(arguments: &[&str]) -> (Option<i32>, String, String) {
    let output = run(&mut redoubt_in("", arguments));
    (output.status.code(), stdout(&output), stderr(&output))
}

/// The verdicts of a run, by property, and whether each is confirmed.
fn verdicts(lines: &str) -> Vec<(String, String, bool)> {
    let lines = lines.lines().map(|line| serde_json::from_str::<Value>(line).expect("a line of JSON"));
    let text = |value: &Value| value.as_str().unwrap_or_default().to_string();
    let properties = lines.filter(|line| line["type"] == "property");
    properties.map(|line| (text(&line["property"]), text(&line["status"]), line["confirmed"] == true)).collect()
}

#[test]
fn machines_of_all_tools_are_read() {
    let texts = [
        "digraph g {\n __start0 [label=s shape=\"none\"]\n s0 [shape=\"circle\" label=s0];\n s0 -> s0 [label=\"a/x\"];\n __start0 -> s0;\n}\n",
        "digraph \"g\" {\ns0 [label=\"s0\"];\ns0 -> s0 [color=red, label=\"a / x\"]\n__start0 [label=\"\", shape=none]\n__start0 -> s0 [label=\"\"];\n}",
        "/* c */ strict digraph { graph [rankdir=LR]; node [shape=circle]; a1 -> a1 [label=\"a/x\"][style=bold]; __start0 -> a1 } // end",
    ];
    for text in texts {
        let program = parse(vec![SourceFile::new("m.dot", text)]).unwrap_or_else(|error| panic!("{error}"));
        let input = program.words.read("a").expect("an input");
        let step = Simulator::new(&program).step(&[input]);
        assert_eq!(program.words.printed(&step.output), "x\n", "{text}");
    }
}

#[test]
fn what_is_no_machine_is_refused_with_its_place() {
    let cases = [
        ("digraph g { a -> a [label=\"i/o\"]; }", "nothing says where the machine starts"),
        ("digraph g { a -> a [label=\"i/o\"]; a -> b [label=\"i/o\"]; __start0 -> a; }", "two transitions with `i`"),
        ("digraph g { a -> a [label=\"i\"]; __start0 -> a; }", "is not an input and an output"),
        ("digraph g { a -> a [label=\"i/o/p\"]; __start0 -> a; }", "is not an input and an output"),
        ("digraph g { a -> a; __start0 -> a; }", "an edge without a label"),
        ("digraph g { a -> a [label=\"i j/o\"]; __start0 -> a; }", "is no name"),
        ("digraph g { a -> a [label=\"i/o\"]; __start0 -> a; __start0 -> b; }", "starts in several states"),
        ("digraph g { a -> __start0 [label=\"i/o\"]; __start0 -> a; }", "an edge to `__start0`"),
        ("digraph g { __start0 -> a; }", "has no transitions"),
        ("graph g { a -- a; }", "unexpected"),
        ("digraph g { a -> ", "unexpected end of file"),
        ("digraph g { a ; % }", "does not belong"),
    ];
    for (text, wanted) in cases {
        let error = parse(vec![SourceFile::new("m.dot", text)]).expect_err(text).to_string();
        assert!(error.contains(wanted) && error.contains("m.dot:1:"), "{text}: {error}");
    }
}

#[test]
fn formulas_with_modalities_are_decided_on_a_machine() {
    let (machine, formulas) = ("problems/machines/turnstile.dot", "problems/machines/turnstile_ctl.txt");
    let (code, lines, errors) = command(&["check", machine, "--ctl-file", formulas, "--format", "jsonl"]);
    assert_eq!(code, Some(10), "{errors}");
    let said: Vec<(String, bool)> =
        verdicts(&lines).into_iter().map(|(_, status, is_confirmed)| (status, is_confirmed)).collect();
    let expected = ["holds", "holds", "holds", "holds", "violated", "holds", "holds", "violated"];
    assert_eq!(said, expected.map(|status| (status.to_string(), true)));
    let names: Vec<String> = verdicts(&lines).into_iter().map(|(name, ..)| name).collect();
    assert_eq!(names[..3], ["ctl_0", "ctl_1", "ctl_2"]);
    assert!(lines.contains("\"steps\":[\"\",\"coin\"]"), "{lines}");
    let (code, _, errors) = command(&["check", machine]);
    assert!(code == Some(3) && errors.contains("--ctl-file"), "{code:?} {errors}");
    let scratch = Scratch::new();
    let bad = name(&scratch.write("f.txt", "AG <coin>true\nAG <coin\n"));
    let (code, lines, errors) = command(&["check", machine, "--ctl-file", &bad, "--format", "jsonl"]);
    assert!(errors.contains("f.txt:2:9"), "{errors}");
    let statuses: Vec<String> = verdicts(&lines).into_iter().map(|(_, status, _)| status).collect();
    assert_eq!((code, &statuses[..]), (Some(10), &["violated".to_string(), "unknown".to_string()][..]));
}

#[test]
fn a_machine_is_simulated_and_compared() {
    let machine = "problems/machines/turnstile.dot";
    let (code, said, errors) = command(&["simulate", machine, "push", "coin", "push", "key", "push"]);
    assert_eq!((code, said.lines().next()), (Some(0), Some("beep")), "{errors}");
    assert!(
        said.starts_with("beep\nunlock\nlock\nlamp\nend of input") && errors.contains("Invalid input"),
        "{said}{errors}"
    );
    let text = std::fs::read_to_string(in_project(machine)).expect("the machine");
    let scratch = Scratch::new();
    let other = name(&scratch.write("other.dot", &text.replace("push/lock", "push/thud")));
    assert_eq!(command(&["compare", machine, machine]).0, Some(0));
    let (code, said, errors) = command(&["compare", machine, &other]);
    assert!(
        code == Some(10) && said.contains("lock") && said.contains("thud") && said.contains("push"),
        "{said}{errors}"
    );
    // An input that only one of them knows is an invalid one for the other.
    let more = name(&scratch.write(
        "more.dot",
        &text.replace("service -> service", "open -> open [label=\"kick/alarm\"]; service -> service"),
    ));
    let (code, said, errors) = command(&["compare", machine, &more]);
    assert!(code == Some(10) && said.contains("kick") && said.contains("alarm"), "{said}{errors}");
}

/// What is written as a machine, read again and compared with the program is equal, also with an edge for every input.
#[test]
fn what_is_written_is_read_again() {
    let scratch = Scratch::new();
    let programs = [
        in_project("problems/machines/turnstile.dot"),
        in_project("problems/java/Robot.java"),
        in_project("problems/rers/lift2012.c"),
    ];
    for program in programs {
        let program = name(&program);
        for more in [&[][..], &["--complete"]] {
            let (code, text, errors) = command(&[&["show", &program, "--machine", "--dot"], more].concat());
            assert_eq!(code, Some(0), "{program}: {errors}");
            assert!(text.contains("__start0 -> s0;") && !text.contains(" / "), "{text}");
            let written = name(&scratch.write("written.dot", &text));
            let (code, said, errors) = command(&["compare", &program, &written]);
            assert_eq!(code, Some(0), "{program}: {said}{errors}");
        }
    }
}

/// The formulas about shared machines and programs have their known answers.
#[test]
fn shared_formulas_are_decided() {
    let folder = in_project("../shared/bench/industrial");
    let Ok(answers) = std::fs::read_to_string(folder.join("expected.csv")) else { return };
    for file in ["m41.dot", "m41_Reach.java", "m199_Reach.java"] {
        let formulas =
            name(&folder.join(format!("{}_ctl_properties.txt", file.split(['.', '_']).next().unwrap_or(file))));
        let (_, lines, errors) =
            command(&["check", &name(&folder.join(file)), "--ctl-file", &formulas, "--format", "jsonl"]);
        let said = verdicts(&lines);
        let known = answers.lines().map(|line| line.split(',').collect::<Vec<_>>());
        let mut number = 0;
        for row in known.filter(|row| row[0] == file && !row[1].is_empty()) {
            number += 1;
            let found = said.iter().find(|(name, ..)| name == row[2]);
            assert_eq!(found.map(|found| (found.1.as_str(), found.2)), Some((row[3], true)), "{row:?}: {errors}");
        }
        assert!(number > 10, "{file}: {number}");
    }
}

/// Letters have the names that the program writes, besides those of formulas of linear time; what nobody is called is said.
#[test]
fn letters_are_inputs_and_outputs() {
    let scratch = Scratch::new();
    let text = "digraph g { s -> s [label=\"A/X\"]; s -> t [label=\"B/B\"]; __start0 -> s; }";
    let machine = name(&scratch.write("letters.dot", text));
    let formulas = "<A><X>true\n// a comment\n\n<iA><oX>true\n<B>true\n<iB><oB>true\n<C>true\n=>\n";
    let formulas = name(&scratch.write("letters.txt", formulas));
    let (_, lines, errors) = command(&["check", &machine, "--ctl-file", &formulas, "--format", "jsonl"]);
    let statuses: Vec<String> = verdicts(&lines).into_iter().map(|(_, status, _)| status).collect();
    assert_eq!(statuses, ["holds", "holds", "unknown", "holds", "violated", "unknown"], "{errors}");
    assert!(errors.contains("no input or output `C`") && errors.contains("letters.txt:8:1"), "{errors}");
}
