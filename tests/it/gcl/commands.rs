//! The commands as authors of models meet them.

use std::fs::Permissions;
use std::os::unix::fs::PermissionsExt;
use std::process::Output;

use crate::common::command::{name, redoubt_in, run_reading, stderr, stdout};
use crate::common::scratch::Scratch;

fn redoubt(arguments: &[&str], input: &str) -> Output {
    run_reading(&mut redoubt_in("problems/gcl", arguments), input.as_bytes())
}

#[test]
fn inputs_are_given_by_name() {
    let given =
        redoubt(&["simulate", "elevator.gcl", "press=true", "call=0", "/", "press=false", "call=1", "choose@27=0"], "");
    insta::assert_snapshot!(stdout(&given), @r"
      start    at = 0, dir = Idle, open = false, trips = 0, pending = [false, false, false, false]
      step 1   call = 0, press = true
               line 24  if press
               line 26  else if here
               open: false -> true, trips: 0 -> 1
      step 2   call = 1, press = false
               line 25  if open
               open: true -> false
    end of the run after 2 steps
    ");
    let read = redoubt(&["simulate", "elevator.gcl"], "press=true call=0\npress=false, call=1, choose@27=0\n");
    assert_eq!(stdout(&given), stdout(&read));
    // A name that comes again begins a new step.
    let short = redoubt(&["simulate", "elevator.gcl", "press=true", "call=0", "press=false", "call=1"], "");
    assert_eq!(stdout(&given), stdout(&short));
}

#[test]
fn mistakes_in_inputs_are_usage_errors() {
    for (words, says) in [
        (&["pres=true"][..], "no input `pres`; the inputs are call, press"),
        (&["call=9"], "`9` is not a value of `call`; expected 0, 1, 2, 3"),
        (&["call"], "expected `name=value`"),
        (&["press=true", "--random", "3"], "give inputs or --random, not both"),
    ] {
        let output = redoubt(&[&["simulate", "elevator.gcl"], words].concat(), "");
        assert_eq!(output.status.code(), Some(2), "{words:?}");
        assert!(stderr(&output).contains(says), "{words:?}: {}", stderr(&output));
    }
}

#[test]
fn chance_repeats_with_its_seed() {
    let run = |seed: &str| stdout(&redoubt(&["simulate", "airlock.gcl", "--random", "30", "--seed", seed], ""));
    assert_eq!(run("3"), run("3"));
    assert_ne!(run("3"), run("4"));
    // Only steps that the assumptions allow are made.
    let walk = stdout(&redoubt(&["simulate", "sokoban.gcl", "--random", "40"], ""));
    assert!(walk.contains("end of the run after 40 steps"), "{walk}");
}

#[test]
fn a_conversation_offers_the_enabled_alternatives() {
    let output =
        redoubt(&["simulate", "elevator.gcl", "--interactive"], "press=false\npress=0 call=2\n2\nnonsense\nq\n");
    let (log, asked) = (stdout(&output), stderr(&output));
    assert!(log.contains("at: 0 -> 1, dir: Idle -> Up"), "{log}");
    // At floor 1 and going up there are two ways to go on; the second one stops.
    assert!(asked.contains("1) line 28 when at < TOP && dir != Down\n  2) line 30 when dir != Idle"), "{asked}");
    assert!(log.contains("line 30  when dir != Idle\n           dir: Up -> Idle"), "{log}");
    assert!(asked.contains("`nonsense` is not an input"), "{asked}");
}

#[test]
fn a_violated_property_shows_in_the_log_and_the_exit_code() {
    let scratch = Scratch::new();
    let file = scratch.write("count.gcl", "var n: 0..2 = 0\nstep { n = n + 1 }\nproperty small: always n < 2\n");
    let output = redoubt(&["simulate", &name(&file), "--random", "9"], "");
    assert_eq!(output.status.code(), Some(10));
    assert!(stdout(&output).contains("violated: small"), "{}", stdout(&output));
    assert!(stdout(&output).contains("the run ended with range(n) after 3 steps"), "{}", stdout(&output));
}

/// Every run that `check` reports in JSON is replayed by `simulate` from its inputs and choices.
#[test]
fn runs_in_json_replay_in_the_simulator() {
    let scratch = Scratch::new();
    let open = scratch.write(
        "open.gcl",
        "enum Mode { Off, On }\nvar x: 0..9\nvar m: Mode in Off, On\nvar a: bool[2]\nvar n: 0..3 = 0\n\
         step { if n < 3 { n = n + 1 }\n havoc a\n choose { when a[0] => x = 0; when a[1] => m = On } }\n\
         property p: never n == 3 && x == 7 && m == On && a[1] && !prev(a[0])\nproperty q: never x == 4\n",
    );
    for model in ["elevator.gcl", "airlock.gcl", "thermostat.gcl", &name(&open)] {
        let output = redoubt(&["check", model, "--format", "jsonl", "--no-lint"], "");
        let mut runs = 0;
        // The first line is about the run.
        for line in stdout(&output).lines().skip(1) {
            let line: serde_json::Value = serde_json::from_str(line).expect("each line is JSON");
            assert_eq!(line["file"], model);
            let Some(steps) = line["trace"]["steps"].as_array() else { continue };
            assert_eq!(line["steps"], steps.len());
            let words = |map: &serde_json::Value| -> String {
                let map = map.as_object().expect("a map");
                let word = |(name, value): (&String, &serde_json::Value)| {
                    format!("{name}={} ", value.as_str().map_or(value.to_string(), str::to_string))
                };
                map.iter().map(word).collect()
            };
            let mut text = words(&line["trace"]["choices"]);
            for step in steps {
                text += &format!("{}{}\n", words(&step["inputs"]), words(&step["choices"]));
            }
            if steps.is_empty() {
                continue;
            }
            let replayed = stdout(&redoubt(&["simulate", model], &text));
            let word = if line["status"] == "violated" { "violated" } else { "reached" };
            let reached = format!("{word}: {}", line["property"].as_str().expect("a name"));
            assert!(replayed.contains(&reached), "{model}: {reached}: {replayed}");
            for (index, step) in steps.iter().enumerate() {
                assert!(replayed.contains(&format!("step {}", index + 1)));
                for taken in step["taken"].as_array().expect("a list") {
                    assert!(replayed.contains(taken["text"].as_str().expect("a text")));
                }
            }
            runs += 1;
        }
        assert!(runs > 0, "{model}");
    }
}

#[test]
fn waveforms_show_every_change() {
    let scratch = Scratch::new();
    let (model, wave) = (
        scratch.write(
            "lamp.gcl",
            "enum Lamp { Off, On }\ninput press: bool\nvar lamp: Lamp = Off\nvar n: -1..3 = -1\n\
             step { if press { lamp = On; n = n + 1 } }\nproperty two: never n == 1\n",
        ),
        scratch.write("lamp.vcd", ""),
    );
    let output = redoubt(&["check", &name(&model), "--vcd", &name(&wave), "--no-lint"], "");
    assert_eq!(output.status.code(), Some(10));
    let text = std::fs::read_to_string(&wave).expect("it was written");
    let text = text.lines().skip(1).collect::<Vec<_>>().join("\n");
    insta::assert_snapshot!(text, @r#"
    $timescale 1 ns $end
    $scope module model $end
    $var wire 1 ! press $end
    $var string 1 " lamp $end
    $var integer 32 # n $end
    $upscope $end
    $enddefinitions $end
    #0
    sOff "
    b11111111111111111111111111111111 #
    #1
    1!
    sOn "
    b0 #
    #2
    b1 #
    #3
    "#);
}

#[test]
fn expectations_that_are_not_met_are_errors() {
    let scratch = Scratch::new();
    let file = scratch.write(
        "expect.gcl",
        "var b: bool = false\nstep { b = true }\nproperty p: never b expect violated\n\
         property q: reach b expect violated\nproperty r: always b expect holds\n",
    );
    let output = redoubt(&["check", &name(&file)], "");
    assert_eq!(output.status.code(), Some(4));
    assert!(stdout(&output).contains("1 violated") || stdout(&output).contains("2 violated"), "{}", stdout(&output));
    let errors = stderr(&output);
    assert!(!errors.contains("`p`") && errors.contains("`q`") && errors.contains("`r`"), "{errors}");
    assert!(errors.contains("the model says `expect violated`"), "{errors}");
}

/// Files that a model imports are read from its folder, each once, and are no problems of their own.
#[test]
fn models_import_others() {
    let scratch = Scratch::new();
    let main = scratch.write(
        "main.gcl",
        "import \"parts/counter.gcl\"\nimport \"parts/counter.gcl\"\ninput up: bool\ninstance c: Counter(up)\n\
         property full: reach c.n == MOST\n",
    );
    scratch.write("parts/most.gcl", "import \"./most.gcl\"\nconst MOST = 3\n");
    scratch.write(
        "parts/counter.gcl",
        "import \"most.gcl\"\nmodule Counter(up: bool) {\n  var n: 0..MOST = 0\n  step { if up && n < MOST { n = n + 1 } }\n}\n",
    );
    let folder = main.parent().expect("a file lies in a folder");
    for path in [&main, folder] {
        let output = redoubt(&["check", &path.to_string_lossy()], "");
        assert_eq!(output.status.code(), Some(0), "{}", stderr(&output));
        assert!(stdout(&output).contains("reachable, after 3 steps"), "{}", stdout(&output));
    }
    let other = scratch.write("other.gcl", "import \"missing.gcl\"\nvar b: bool = false\nstep { b = true }\n");
    let output = redoubt(&["check", &name(&other)], "");
    assert_eq!(output.status.code(), Some(3));
    assert!(stderr(&output).contains("missing.gcl` cannot be read"), "{}", stderr(&output));
}

#[test]
fn properties_are_chosen_by_patterns() {
    let scratch = Scratch::new();
    let file = scratch.write(
        "patterns.gcl",
        "var b: bool = false\nstep { b = true }\nproperty ab: reach b\nproperty abc: reach b\nproperty bc: reach b\n",
    );
    let chosen = |pattern: &str| {
        let output = redoubt(&["check", &name(&file), "--brief", "--property", pattern], "");
        let lines: Vec<String> = stdout(&output).lines().map(str::to_string).collect();
        let names =
            lines.iter().filter_map(|line| line.split_once("  reachable")).map(|(name, _)| name.trim().to_string());
        (output.status.code(), names.collect::<Vec<_>>())
    };
    assert_eq!(chosen("ab*"), (Some(0), vec!["ab".into(), "abc".into()]));
    assert_eq!(chosen("*b"), (Some(0), vec!["ab".into()]));
    assert_eq!(chosen("*b*c*"), (Some(0), vec!["abc".into(), "bc".into()]));
    assert_eq!(chosen("x*"), (Some(2), vec![]));
}

/// Many steps that are alike are written once, with what they change together.
#[test]
fn steps_that_are_alike_are_folded() {
    let scratch = Scratch::new();
    let file = scratch.write(
        "count.gcl",
        "input up: bool\nvar n: 0..20 = 0\nstep { if up && n < 20 { n = n + 1 } }\nproperty p: never n == 9\n",
    );
    let shown = stdout(&redoubt(&["check", &name(&file)], ""));
    assert!(shown.contains("  steps 2 to 8: the same\n           n: 1 -> 8\n  step 9 "), "{shown}");
    // Their properties are the same, too, or they are not alike.
    let file = scratch
        .write("said.gcl", "input up: bool\nvar n: 0..99 = 0\nstep { if up { n = n + 1 } }\nproperty p: never n > 9\n");
    let shown = stdout(&redoubt(&["check", &name(&file), "--property", "range(n)"], ""));
    assert!(shown.contains("  steps 2 to 9: the same\n           n: 1 -> 9\n  step 10 "), "{shown}");
    assert!(shown.contains("  steps 11 to 99: the same\n           n: 10 -> 99\n  step 100 "), "{shown}");
}

/// A long run that repeats itself is folded before it is cut, so that all of it is there.
#[test]
fn what_is_folded_is_not_cut() {
    let scratch = Scratch::new();
    let model =
        "input go: bool\nvar n: 0..200 = 0\nstep { if n < 200 { n = n + 1 } }\nproperty p: never n == 200 && go\n";
    let file = name(&scratch.write("long.gcl", model));
    let shown = stdout(&redoubt(&["check", &file], ""));
    assert!(shown.contains("  steps 2 to 199: the same\n           n: 1 -> 199\n  step 200 go = true\n"), "{shown}");
    let whole = stdout(&redoubt(&["check", &file, "--traces", "all"], ""));
    assert!(whole.contains("  step 123") && !whole.contains("the same"), "{whole}");
}

#[test]
fn show_speaks_of_a_model_in_its_own_words() {
    let scratch = Scratch::new();
    let file = scratch.write(
        "lamp.gcl",
        "const N = 2\nenum Lamp { Off, On }\ninput push: bool\ninput dim: 0..N\nvar lamp: Lamp = Off\nvar old: Lamp\n\
         var cells: (0..3)[Lamp] = [1, 2]\nstep {\n  if push { lamp = succ(lamp) }\n  cells[lamp] = cells[lamp] + dim\n  old = lamp\n}\n\
         property again: infinitely often lamp == On\nproperty bright: reach lamp == On // soon\n",
    );
    let shown = stdout(&redoubt(&["show", &name(&file)], ""));
    for line in [
        "constants   N\n",
        "  push                      false, true\n  dim                       0, 1, 2\n",
        "  lamp                      Off\n  old                       any of Off, On, never used\n  cells                     [1, 2]\n",
        "  again                     line 13: property again: infinitely often lamp == On\n",
        "  bright                    line 14: property bright: reach lamp == On\n  range(cells)              line 10: ",
    ] {
        assert!(shown.contains(line), "{line:?} in {shown}");
    }
    let picture = stdout(&redoubt(&["show", "--svg", &name(&file)], ""));
    assert!(roxmltree::Document::parse(&picture).is_ok() && picture.contains("lamp On"), "{picture}");
}

/// A goal that can be reached is good news, one that cannot is a violation; exit codes follow.
#[test]
fn goals_are_good_news() {
    let scratch = Scratch::new();
    let code = |property: &str| {
        let text = format!("var b: bool = false\nstep {{ b = true }}\nproperty p: {property}\n");
        let file = scratch.write("goal.gcl", &text);
        redoubt(&["check", &name(&file)], "").status.code()
    };
    assert_eq!(code("reach b"), Some(0));
    assert_eq!(code("reach b && !b"), Some(10));
    assert_eq!(code("never b"), Some(10));
    assert_eq!(code("never b expect violated"), Some(0));
    assert_eq!(code("always b || !b"), Some(0));
}

#[test]
fn dead_places_are_warned_about() {
    let scratch = Scratch::new();
    let file = scratch.write(
        "dead.gcl",
        "input i: 0..3
         var x: 0..3 = 0
         proc put(v: 0..3) { if v == 3 { x = 3 } else { x = 0 } }
         step {
           choose { when i > 3 => x = 1; when i < 2 => x = 2; otherwise => put(1) }
           match i { 0..2 => { } 3 => { assume i < 3; if i == 0 { x = 1 } } }
           if x == 3 { if i == 1 { x = 0 } }
           if x == 1 { error boom }
         }",
    );
    let output = redoubt(&["check", &name(&file)], "");
    assert_eq!(output.status.code(), Some(0), "a warning is no violation");
    let warned: Vec<String> =
        stderr(&output).lines().filter(|line| line.contains("^")).map(|line| line.trim().to_string()).collect();
    let text = stderr(&output);
    let at = |place: &str| text.contains(&format!("dead.gcl:{place}"));
    // `i > 3`, `v == 3`, the last case, in which no step is possible, and `x == 3`; nothing about the statements
    // inside.
    assert!(at("5:21") && at("3:30") && at("6:34") && at("7:12"), "{text}");
    assert_eq!(warned.len(), 4, "{text}");
    let silent = redoubt(&["check", &name(&file), "--no-lint"], "");
    assert_eq!(stderr(&silent), "");
    // If nothing can happen, the warning says so.
    for text in [
        "input i: 0..3\nvar x: int = 0\nstep { if i == 0 { x = 1 }\n assume i > 3\n if i == 1 { x = 2 } }",
        "input i: 0..3\nvar x: int = 0\nstep { if i == 0 { x = 1 } }\nassume always i > 1\nassume always i < 1",
    ] {
        let file = scratch.write("stuck.gcl", &format!("{text}\nproperty small: always x < 3"));
        let warned = stderr(&redoubt(&["check", &name(&file)], ""));
        assert_eq!(warned.matches("warning:").count(), 1, "{warned}");
        assert!(warned.contains("this assumption rules out every step"), "{warned}");
    }
}

/// Properties of a module belong to its instances, so without one there are none. A library may have more than a model
/// needs.
#[test]
fn modules_without_instances_are_warned_about() {
    let scratch = Scratch::new();
    let parts = "module Inner(on: bool) { var y: bool = false; step { y = on } property p: never y }\n\
                 module Outer(on: bool) { instance inner: Inner(on); step { } }\n";
    let model = "input b: bool\nvar x: bool = false\nstep { x = b }\nproperty calm: never x  expect violated\n";
    let alone = scratch.write("alone.gcl", &format!("{parts}{model}"));
    let warned = stderr(&redoubt(&["check", &name(&alone)], ""));
    assert_eq!(warned.matches("warning:").count(), 1, "{warned}");
    assert!(warned.contains("the module `Outer` has no instance\n --> "), "{warned}");
    assert!(warned.contains("alone.gcl:2:8"), "{warned}");
    let used = scratch.write("used.gcl", &format!("{parts}{model}instance outer: Outer(b)\n"));
    assert_eq!(stderr(&redoubt(&["check", &name(&used)], "")), "");
    scratch.write("parts.gcl", parts);
    let library = scratch.write("library.gcl", &format!("import \"parts.gcl\"\n{model}"));
    assert_eq!(stderr(&redoubt(&["check", &name(&library)], "")), "");
}

/// Nothing is violated where nothing is asked, and authors who forgot to ask should know.
#[test]
fn a_problem_without_properties_is_warned_about() {
    let scratch = Scratch::new();
    let bare = "input b: bool\nvar x: bool = false\nstep { x = b }\n";
    let program = "int inputs[] = {1}; int x = 0; void calculate_output(int input) { x = input; }
        int main() { while (1) { int input; scanf(\"%d\", &input); calculate_output(input); } }";
    for (file, text, reason) in [
        ("bare.gcl", bare, "the model has no properties"),
        ("bare.c", program, "the program has no error labels"),
        ("bare.aag", "aag 1 1 0 0 0\n2\n", "the model has no bad signals, and no outputs"),
    ] {
        let output = redoubt(&["check", &name(&scratch.write(file, text))], "");
        assert_eq!(output.status.code(), Some(0), "{file}: {}", stderr(&output));
        assert!(stderr(&output).contains("warning: nothing was checked in"), "{file}: {}", stderr(&output));
        assert!(stderr(&output).contains(reason), "{file}: {}", stderr(&output));
    }
    let asked = format!("{bare}property calm: never x  expect violated\n");
    let output = redoubt(&["check", &name(&scratch.write("asked.gcl", &asked))], "");
    assert!(!stderr(&output).contains("nothing was checked"), "{}", stderr(&output));
}

/// Verdicts come first, each in a line, and below them as many runs as are asked for, and of these as much.
#[test]
fn runs_stand_below_the_verdicts() {
    let scratch = Scratch::new();
    let text = "input up: bool
        var n: 0..90 = 0
        step { if up && n < 90 { n = n + 1 } }
        property low: reach n == 2
        property middle: never n == 3
        property high: never n == 60  expect violated\n";
    let file = name(&scratch.write("count.gcl", text));
    let shown = |options: &[&str]| {
        let output = redoubt(&[&["check", &file, "-q", "--shortest"], options].concat(), "");
        assert_eq!(output.status.code(), Some(10));
        let text = stdout(&output);
        let heads: Vec<String> =
            text.lines().filter(|line| line.contains(": ") && !line.starts_with(' ')).map(str::to_string).collect();
        (text.lines().take(3).map(str::to_string).collect::<Vec<_>>(), heads, text.matches("  step ").count())
    };
    let (table, heads, steps) = shown(&[]);
    assert_eq!(
        table.iter().map(|line| line.split_whitespace().next()).collect::<Vec<_>>(),
        [Some("low"), Some("middle"), Some("high")]
    );
    // Of the long run, the steps that are alike are written once. The goal has its line.
    assert_eq!(steps, 3 + 5, "{heads:?}");
    assert_eq!(heads[..3], ["high: violated", "middle: violated", "1 run not shown here: --traces all"]);
    assert_eq!(heads[4..], ["violated: middle"], "what is not as it should be has the last word");
    let (same, heads, steps) = shown(&["--traces", "all"]);
    assert_eq!((same, heads.len(), steps), (table.clone(), 5, 2 + 3 + 60));
    let (same, heads, steps) = shown(&["--traces", "first"]);
    assert_eq!((same, heads[0].as_str(), heads.len(), steps), (table.clone(), "middle: violated", 3, 3));
    for options in [&["--brief"][..], &["--traces", "none"]] {
        let (same, heads, steps) = shown(options);
        assert_eq!((same, heads.len(), steps), (table.clone(), 2, 0));
    }
    assert_eq!(redoubt(&["check", &file, "--brief", "--traces", "all"], "").status.code(), Some(2));
}

/// A run has the inputs that it needs, and says with which value a range was left; words are those of the model everywhere.
#[test]
fn runs_say_what_matters() {
    let scratch = Scratch::new();
    let text = "enum Mode { Idle, Busy }
        input go: bool
        input noise: 0..3
        input key: bool[3]
        var mode: Mode = Idle
        var n: 0..2 = 0
        var lit: bool[3] = false
        step {
          for i in 0..2 { if key[i] { lit[i] = true } }
          if go { mode = Busy }
          if mode == Busy && noise == 3 { n = n + 2 }
        }
        property small: never n > 1
        property calm: always mode == Idle || n < 3
        property all_lit: never lit[0] && lit[1] && lit[2]
        expect range(n) violated\n";
    let file = name(&scratch.write("matters.gcl", text));
    let folder = scratch.path("out");
    let check = |options: &[&str]| stdout(&redoubt(&[&["check", &file, "-q", "--shortest"], options].concat(), ""));
    let shown = check(&["--witness-dir", &name(&folder)]);
    assert!(shown.contains("small: violated\n  start    "), "{shown}");
    assert!(shown.contains("  step 1   go = true, noise = 3\n"), "keys do not matter here:\n{shown}");
    assert!(shown.contains("  step 1   key = [true, true, true]\n"), "and nothing else does here:\n{shown}");
    assert!(shown.contains("line 9   if key[i]  (i = 0; i = 1; i = 2)\n"), "{shown}");
    assert!(shown.contains("the run ends: range(n), with 4\n"), "{shown}");
    assert!(shown.ends_with(")\nviolated: small, all_lit\n"), "{shown}");
    let shown = check(&["--all-inputs", "--property", "small"]);
    assert!(shown.contains("  step 1   go = true, noise = 3, key = ["), "{shown}");
    let lines = check(&["--property", "all_lit", "--format", "jsonl"]);
    assert!(lines.contains("\"text\":\"if key[i]\"") && lines.contains("\"round\":\"i = 2\""), "{lines}");
    let written = std::fs::read_to_string(folder.join("matters.cert")).expect("calm holds");
    assert!(written.contains("excludes calm\n"), "{written}");
    assert!(written.contains("mode in {Idle, Busy}") || !written.contains("mode in {0"), "{written}");
    let certified = redoubt(&["certify", &file, &name(&folder.join("matters.cert"))], "");
    assert!(stdout(&certified).contains("calm                  holds\n"), "{}", stdout(&certified));
    let replayed = redoubt(&["replay", &file, &name(&folder.join("matters.small.json"))], "");
    assert!(stdout(&replayed).contains("violated after 1 step"), "{}", stdout(&replayed));
    let result = scratch.path("result.txt");
    assert_eq!(check(&["--brief", "-o", &name(&result)]), "");
    let text = std::fs::read_to_string(&result).expect("the result");
    assert!(text.ends_with("violated: small, all_lit\n"), "{text}");
    let coloured = check(&["--brief", "--color", "always"]);
    assert!(
        coloured.contains("small                     \x1b[1;31mviolated\x1b[0m, after 1 step (shortest)\n"),
        "{coloured}"
    );
}

#[test]
fn fmt_rewrites_files_and_only_those_that_need_it() {
    let scratch = Scratch::new();
    let file = scratch.write("ugly.gcl", "var  x:int=0 // a number\nstep{x=x+1}\n");
    let check = || redoubt(&["fmt", "--check", &name(&file)], "").status.code();
    assert_eq!(check(), Some(10));
    std::fs::set_permissions(&file, Permissions::from_mode(0o754)).expect("it is ours");
    assert_eq!(redoubt(&["fmt", &name(&file)], "").status.code(), Some(0));
    let mode = std::fs::metadata(&file).expect("it is there").permissions().mode();
    assert_eq!(mode & 0o777, 0o754, "a file keeps its permissions");
    let text = std::fs::read_to_string(&file).expect("it is there");
    assert_eq!(text, "var x: int = 0  // a number\nstep { x = x + 1 }\n");
    assert_eq!(check(), Some(0));
    let filtered = redoubt(&["fmt", "-"], "step  { }");
    assert_eq!(stdout(&filtered), "step {}\n");
    assert_eq!(redoubt(&["fmt", "-"], "step {").status.code(), Some(3));
}

/// At a terminal one can look around, go back, and go to where a property is violated.
#[test]
fn a_conversation_goes_back_and_to_properties() {
    let scratch = Scratch::new();
    let file = scratch.write(
        "count.gcl",
        "input up: bool\ninput by: 1..3\nvar n: 0..9 = 0\nstep {\n  assume by < 3\n  if up && n < 8 { n = n + by }\n}\n\
         property small: never n == 5\nproperty big: reach n > 20\nproperty grows: eventually n == 8\n",
    );
    let talk = |lines: &str| {
        let output = redoubt(&["simulate", &name(&file), "--interactive"], lines);
        (stdout(&output), stderr(&output), output.status.code())
    };
    let (log, asked, _) = talk("watch n\nup=true by=2\nundo\nundo\nup=true by=1\nstate m\nenabled\nhelp\nq\n");
    assert!(log.contains("n: 0 -> 2") && log.contains("  step 1   up = true, by = 1\n"), "{log}");
    assert!(asked.contains("  n = 2\n") && asked.contains("  n = 1\n"), "{asked}");
    assert!(asked.contains("there is no step to go back by"), "{asked}");
    assert!(asked.contains("no variable `m`") && asked.contains("  line 6 if up && n < 8\n"), "{asked}");
    assert!(asked.contains("  undo  "), "{asked}");
    let (log, asked, code) = talk("to smal\nto big\nto small\nundo\nstate\nq\n");
    assert!(log.contains("violated: small"), "{log}");
    assert!(asked.contains("no property `smal`; did you mean `small`?"), "{asked}");
    assert!(asked.contains("no run to `big` was found"), "{asked}");
    assert_eq!(code, Some(0), "what was undone has not happened");
    let (log, _, _) = talk("to grows\nq\n");
    assert!(log.contains("  loop     what follows") && log.contains("and so on for ever"), "{log}");
    let (_, asked, _) = talk("up=true by=3\nq\n");
    assert!(asked.contains("an assumption rules this step out (line 5, `assume by < 3`, ruled out"), "{asked}");
}
