//! Properties of whole runs as people meet them: verdicts, lassos as logs, and the commands that take these up.

use std::process::Output;

use crate::common::command::{name, redoubt_in, run_reading, stderr, stdout};
use crate::common::scratch::Scratch;

fn redoubt(arguments: &[&str]) -> Output {
    run_reading(&mut redoubt_in("problems/gcl", arguments), b"")
}

const LAMP: &str = "enum Lamp { Off, On }
input press: bool
var lamp: Lamp
var pressed: bool = false
step {
  if press { lamp = if lamp == Off then On else Off }
  pressed = press
}
property comes_on: eventually lamp == On
property follows: press ~> pressed  expect holds
property goes_off: all l in Lamp: lamp == On ~> lamp == l  expect violated
";

#[test]
fn a_violated_property_has_a_lasso_that_can_be_followed() {
    let scratch = Scratch::new();
    let model = name(&scratch.write("lamp.gcl", LAMP));
    let folder = name(&scratch.path("out"));
    let output = redoubt(&["check", &model, "--witness-dir", &folder, "--engine", "ic3", "--property", "comes_on"]);
    assert_eq!(output.status.code(), Some(10), "{}", stderr(&output));
    let text = stdout(&output);
    let (before, summary) = text.split_once("\n1 property: ").expect("a summary at the end");
    assert!(summary.starts_with("0 hold, 1 violated, 0 unknown, all confirmed"), "{summary}");
    insta::assert_snapshot!(before, @r"
    comes_on                  violated, by 1 step for ever

    comes_on: violated
      start    lamp = Off, pressed = false
      loop     what follows is repeated for ever
      step 1   press = false
      again    as before step 1, and so on for ever
    ");
    let witness = name(&scratch.path("out/lamp.comes_on.json"));
    let output = redoubt(&["replay", &model, &witness]);
    assert_eq!(output.status.code(), Some(10));
    assert_eq!(stdout(&output), "comes_on              violated by 1 step for ever\n");
    let followed = stdout(&redoubt(&["simulate", &model, "--follow", &witness]));
    let log = before.split_once("violated\n").expect("the log").1;
    assert_eq!(followed, format!("{log}end of the run after 1 step\n"));
    // Inputs that do not come back to where the loop begins show nothing.
    let text = std::fs::read_to_string(scratch.path("out/lamp.comes_on.json")).expect("it was written");
    let other = name(&scratch.write("other.json", &text.replace("\"press\":false", "\"press\":true")));
    let output = redoubt(&["replay", &model, &other]);
    assert_eq!(output.status.code(), Some(20));
    assert!(stdout(&output).contains("not violated: "), "{}", stdout(&output));
    let other = name(&scratch.write("other.json", &text.replace("\"loop\": 1,", "")));
    assert!(stdout(&redoubt(&["replay", &model, &other])).contains("does not say where its loop begins"));
    let other = name(&scratch.write("other.json", &text.replace("\"loop\": 1,", "\"loop\": 7,")));
    assert!(stdout(&redoubt(&["replay", &model, &other])).contains("not violated: it has no loop"));
}

#[test]
fn what_holds_has_certificates_and_json_has_the_loop() {
    let scratch = Scratch::new();
    let model = name(&scratch.write("lamp.gcl", LAMP));
    let folder = name(&scratch.path("out"));
    let output = redoubt(&["check", &model, "--witness-dir", &folder, "--format", "jsonl", "--no-lint"]);
    assert_eq!(output.status.code(), Some(10), "{}", stderr(&output));
    let lines: Vec<serde_json::Value> =
        stdout(&output).lines().map(|line| serde_json::from_str(line).expect("each line is JSON")).collect();
    let of = |name: &str| lines.iter().find(|line| line["property"] == name).expect("it is there");
    assert_eq!((&of("follows")["status"], &of("follows")["confirmed"]), (&"holds".into(), &true.into()));
    assert_eq!(of("follows")["formula"], "G (press -> F pressed)");
    assert!(of("comes_on")["trace"]["loop"].is_number());
    assert_eq!(of("goes_off")["status"], "violated");
    let certificate = name(&scratch.path("out/lamp.follows.cert"));
    let output = redoubt(&["certify", &model, &certificate]);
    assert_eq!(output.status.code(), Some(0), "{}", stderr(&output));
    assert!(stdout(&output).ends_with("follows               holds\n"), "{}", stdout(&output));
    // The lines of `check` are witnesses, too.
    let all = name(&scratch.write("all.jsonl", &lines.iter().map(|line| format!("{line}\n")).collect::<String>()));
    let output = redoubt(&["replay", &model, &all]);
    assert_eq!(output.status.code(), Some(10), "{}", stdout(&output));
}

/// Where no run goes on for ever, that everything holds says nothing.
#[test]
fn a_model_without_endless_runs_is_warned_of() {
    let scratch = Scratch::new();
    for (model, says) in [
        ("var n: 0..2 = 0\nstep { n = n + 1 }\nproperty p: eventually false\n", "no run goes on for ever\n"),
        (
            "var x: bool = false\nstep {}\nassume fair x\nproperty p: eventually x\n",
            "no run goes on for ever and is fair\n",
        ),
        ("fair input x: bool\nvar y: bool = false\nstep { y = x }\nproperty p: eventually x\n", ""),
    ] {
        let model = name(&scratch.write("model.gcl", model));
        let output = redoubt(&["check", &model, "--brief"]);
        assert!(stdout(&output).starts_with("p                         holds"), "{}", stdout(&output));
        assert!(stderr(&output).contains(says), "{}", stderr(&output));
        assert_eq!(stderr(&output).contains("no run goes on"), !says.is_empty(), "{}", stderr(&output));
    }
}

#[test]
fn expectations_and_names_are_those_of_other_properties() {
    let scratch = Scratch::new();
    let model = name(&scratch.write("lamp.gcl", &LAMP.replace("pressed  expect holds", "pressed  expect violated")));
    let output = redoubt(&["check", &model, "--brief", "--property", "fol*"]);
    assert_eq!(output.status.code(), Some(4));
    assert!(stderr(&output).contains("`follows` was expected to be violated, but holds"), "{}", stderr(&output));
    let output = redoubt(&["check", &model, "--property", "folows"]);
    assert!(stderr(&output).contains("did you mean `follows`?"), "{}", stderr(&output));
}
