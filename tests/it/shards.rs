//! `check --shard` and `merge`: parts that machines have shared say together what one run says, and nothing is merged that
//! does not belong together.

use std::collections::BTreeMap;
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::Duration;

use redoubt_base::Random;
use serde_json::Value as Json;

use crate::common::command::{self, REDOUBT, name, redoubt_in, stderr, stdout};
use crate::common::scratch::Scratch;
use crate::common::{in_project, schema};

const SET: [&str; 5] = [
    "problems/rers/lift2012.c",
    "problems/rers/lock2012.c",
    "problems/gcl/airlock.gcl",
    "tests/models/traffic.aag",
    "problems/ltl/kettle2017.c",
];

fn run(arguments: &[&str]) -> (Option<i32>, String, String) {
    let output = command::run(&mut redoubt_in("", arguments));
    (output.status.code(), stdout(&output), stderr(&output))
}

/// The lines of a part.
fn part(number: usize, of: usize, more: &[&str]) -> String {
    let shard = format!("{number}/{of}");
    run(&[&["check", "--quiet", "--no-lint", "--shard", &shard, "--format", "jsonl"], &SET[..], more].concat()).1
}

/// The data on each property: its verdict, its status, and the expected one.
fn verdicts(lines: &str) -> BTreeMap<(String, String), [Json; 3]> {
    let lines = lines.lines().map(|line| serde_json::from_str::<Json>(line).expect("JSON"));
    let text = |line: &Json, field: &str| line[field].as_str().unwrap_or_default().to_string();
    let properties = lines.filter(|line| line["type"] == "property");
    properties
        .map(|line| {
            let said = [line["verdict"].clone(), line["status"].clone(), line["expected"].clone()];
            ((text(&line, "file"), text(&line, "property")), said)
        })
        .collect()
}

#[test]
fn parts_together_say_what_one_run_says() {
    let scratch = Scratch::new();
    let shape = std::fs::read_to_string(in_project("docs/schemas/run.schema.json")).expect("the schema can be read");
    let shape: Json = serde_json::from_str(&shape).expect("JSON");
    let all = [&["check", "--quiet", "--no-lint", "--format", "jsonl"], &SET[..]].concat();
    let (code, whole, _) = run(&all);
    let (_, submission, _) = run(&[&["check", "--quiet", "--no-lint", "--format", "csv"], &SET[..]].concat());
    let sorted = |text: &str| {
        let mut lines: Vec<String> = text.lines().map(String::from).collect();
        lines.sort();
        lines
    };
    for of in [2, 3, 7] {
        let write = |number: usize| {
            let lines = part(number, of, &[]);
            let flaw = |line: &str| schema::flaw(&shape, &serde_json::from_str(line).expect("JSON"));
            assert_eq!(lines.lines().find_map(flaw), None);
            name(&scratch.write(&format!("{number}of{of}.jsonl"), &lines))
        };
        let parts: Vec<String> = (1..=of).map(write).collect();
        let parts: Vec<&str> = parts.iter().map(String::as_str).collect();
        let (merged_code, merged, messages) = run(&[&["merge", "--format", "jsonl"], &parts[..]].concat());
        assert_eq!((merged_code, &*messages), (code, ""), "{of}");
        assert_eq!(verdicts(&merged), verdicts(&whole), "{of}");
        let (_, csv, _) = run(&[&["merge", "--format", "csv"], &parts[..]].concat());
        assert_eq!(sorted(&csv), sorted(&submission), "{of}");
        let (_, text, _) = run(&[&["merge"], &parts[..]].concat());
        assert!(text.contains("5 problems, "), "{text}");
    }
}

/// Imports of a model are a part of it.
#[test]
fn parts_about_other_imports_are_not_merged() {
    let scratch = Scratch::new();
    let model = "import \"most.gcl\"\ninput up: bool\nvar n: 0..9 = 0\nstep { if up && n < MOST { n = n + 1 } }\n\
                 property low: always n < 5\nproperty small: always n < 3\n";
    let model = name(&scratch.write("model.gcl", model));
    let mut parts = vec![];
    scratch.write("most.gcl", "import \"deep.gcl\"\n");
    for (shard, most) in [("1/2", 3), ("2/2", 4)] {
        scratch.write("deep.gcl", &format!("const MOST = {most}\n"));
        let (_, lines, messages) = run(&["check", "-q", &model, "--shard", shard, "--format", "jsonl"]);
        assert!(lines.contains("\"type\":\"run\""), "{messages}");
        parts.push(name(&scratch.write(&format!("{}.jsonl", parts.len()), &lines)));
    }
    let (code, _, messages) = run(&["merge", &parts[0], &parts[1]]);
    assert_eq!(code, Some(3), "{messages}");
    assert!(messages.contains("was not the same"), "{messages}");
}

/// Nor are parts that asked other formulas of the same program.
#[test]
fn parts_about_other_formulas_are_not_merged() {
    let scratch = Scratch::new();
    let text = std::fs::read_to_string(in_project("problems/ltl/kettle2017.c")).expect("a program");
    let program = name(&scratch.write("kettle.c", &text));
    let mut parts = vec![];
    for (shard, output) in [("1/2", "Z"), ("2/2", "Y")] {
        scratch.write("kettle.ltl", &format!("#0: this comes\n(true U o{output})\n"));
        let (_, lines, messages) = run(&["check", "-q", &program, "--shard", shard, "--format", "jsonl"]);
        assert!(lines.contains("\"formulas\":\""), "{lines}{messages}");
        parts.push(name(&scratch.write(&format!("{}.jsonl", parts.len()), &lines)));
    }
    let (code, _, messages) = run(&["merge", &parts[0], &parts[1]]);
    assert_eq!(code, Some(3), "{messages}");
    assert!(messages.contains("was not the same"), "{messages}");
}

#[test]
fn lines_say_all_that_the_result_shows() {
    let scratch = Scratch::new();
    let check = |format: &str| {
        let (code, out, _) = run(&["check", "-q", "--no-lint", "problems/c/unsigned.c", "--format", format]);
        assert_eq!(code, Some(10));
        out
    };
    let lines = check("jsonl");
    // Calls return numbers, and there is no letter for this one.
    let row = "reach_error           reachable    1 step: -1\n";
    let (code, merged, _) = run(&["merge", &name(&scratch.write("part.jsonl", &lines))]);
    assert_eq!((code, check("text").contains(row), merged.contains(row)), (Some(10), true, true), "{merged}");
    let (_, page, _) = run(&["report", &name(&scratch.write("part.jsonl", &lines)), "-o", "-"]);
    assert!(page.contains("<p class=\"word\">-1</p>"), "{page}");
    let doubted = lines.replace("\"confirmed\":true", "\"confirmed\":false,\"withdrawn\":true");
    assert_ne!(doubted, lines);
    let (code, _, messages) = run(&["merge", &name(&scratch.write("doubted.jsonl", &doubted))]);
    assert_eq!(code, Some(70), "{messages}");
}

#[test]
fn what_does_not_belong_together_is_refused() {
    let scratch = Scratch::new();
    let [one, two] = [1, 2].map(|number| part(number, 2, &[]));
    let write = |file: &str, text: &str| name(&scratch.write(file, text));
    let (first, second) = (write("1.jsonl", &one), write("2.jsonl", &two));
    let refused = |parts: &[&str], code: i32, why: &str| {
        let (found, out, messages) = run(&[&["merge"], parts].concat());
        assert_eq!((found, &*out), (Some(code), ""), "{messages}");
        assert!(messages.contains(why), "{messages} (expected {why})");
    };
    refused(&[&first], 2, "missing: 2/2");
    refused(&[&first, &second, &first], 3, "is part 1/2, and so is");
    let other = write("other.jsonl", &part(2, 2, &["--engine", "bmc", "--depth", "1"]));
    refused(&[&first, &other], 3, "other options");
    let third = write("third.jsonl", &part(2, 3, &[]));
    refused(&[&first, &third], 3, "one of 2");
    let cut = write("cut.jsonl", &two.lines().take(3).map(|line| format!("{line}\n")).collect::<String>());
    refused(&[&first, &cut], 3, "was it cut short?");
    let hash = one.split("\"sha256\":\"").nth(1).expect("a hash")[..64].to_string();
    let changed = write("changed.jsonl", &two.replace(&hash, &"0".repeat(64)));
    refused(&[&first, &changed], 3, "was not the same");
    let plain = run(&["check", SET[0], "--quiet", "--format", "jsonl"]).1;
    let headless = plain.lines().skip(1).map(|line| format!("{line}\n")).collect::<String>();
    refused(&[&write("headless.jsonl", &headless)], 3, "no part of a run");
    let (code, merged, _) = run(&["merge", "--format", "jsonl", &write("plain.jsonl", &plain)]);
    assert_eq!((code, verdicts(&merged)), (Some(10), verdicts(&plain)), "a whole run is the first of one part");
    refused(&["/nonexistent.jsonl"], 3, "/nonexistent.jsonl");
}

#[test]
fn known_answers_are_compared_with_the_whole() {
    let scratch = Scratch::new();
    let parts = [1, 2].map(|number| name(&scratch.write(&format!("{number}.jsonl"), &part(number, 2, &[]))));
    let rows = |reachable: &str| format!("file,property,expected\nlift2012.c,error_0,{reachable}\n");
    for (word, code) in [("reachable", Some(10)), ("unreachable", Some(4))] {
        let answers = name(&scratch.write("expected.csv", &rows(word)));
        let (found, out, messages) = run(&["merge", &parts[0], &parts[1], "--expect", &answers]);
        assert!(out.contains("1 known answer: "), "{out}{messages}");
        assert_eq!(found, code, "{out}{messages}");
    }
}

/// The job files of docs/cluster, as a scheduler would start them, the second time after they were killed.
#[test]
fn job_files_can_be_run() {
    let (_, whole, _) = run(&[&["check", "--quiet", "--no-lint", "--format", "jsonl"], &SET[..]].concat());
    let whole = verdicts(&whole);
    let come_to_the_whole = |parts: usize, what: &str, start: &dyn Fn(&mut Command, usize)| {
        let scratch = Scratch::new();
        let out = name(scratch.write("here", "").parent().expect("a file lies in a folder"));
        for number in (1..=parts).chain([1]) {
            let mut command = Command::new("sh");
            start(&mut command, number);
            command.current_dir(in_project("")).env("REDOUBT", REDOUBT).env("OUT", &out).env("OPTIONS", "--no-lint");
            let output = command.output().expect("a shell");
            assert!(output.status.success(), "{what}: {}", stderr(&output));
        }
        let parts: Vec<String> =
            (1..=parts).map(|number| name(&Path::new(&out).join(format!("part-{number}.jsonl")))).collect();
        let parts: Vec<&str> = parts.iter().map(String::as_str).collect();
        let (code, merged, messages) = run(&[&["merge", "--format", "jsonl"], &parts[..]].concat());
        assert_eq!(code, Some(10), "{what}: {messages}");
        assert_eq!(verdicts(&merged), whole, "{what}");
    };
    come_to_the_whole(2, "Slurm", &|command, number| {
        command.arg(in_project("docs/cluster/slurm.sh")).args(SET).env("CLUSTER", in_project("docs/cluster"));
        command.env("SLURM_ARRAY_TASK_COUNT", "2").env("SLURM_ARRAY_TASK_ID", number.to_string());
    });
    let read = |file: &str| std::fs::read_to_string(in_project("docs/cluster").join(file)).expect("a job file");
    let between = |text: &str, before: &str, behind: &str| {
        let (_, rest) = text.split_once(before).unwrap_or_else(|| panic!("no `{before}`"));
        rest.split_once(behind).unwrap_or_else(|| panic!("no `{behind}`")).0.to_string()
    };
    // The commands of a pod, with the folders of its image and its volume put here.
    let pod = between(&read("kubernetes.yaml"), "\"sh\", \"-c\", \"", "\"]");
    let pod = pod.replace("/usr/local/bin", "docs/cluster").replace("/data/problems", &SET.join(" "));
    come_to_the_whole(8, "Kubernetes", &|command, number| {
        command.args(["-c", &pod]).env("JOB_COMPLETION_INDEX", (number - 1).to_string());
    });
    let step = between(&read("matrix.yaml"), "- run: sh docs", "\n");
    let step = format!("sh docs{}", step.replace(" problems", &format!(" {}", SET.join(" "))));
    come_to_the_whole(4, "the matrix", &|command, number| {
        command.args(["-c", &step.replace("${{ matrix.part }}", &number.to_string())]);
    });
}

/// Parts that are killed at random and go on where they were, until they are done; their lines and their journals.
fn killed_and_resumed(files: &[&str], of: usize, seed: u64, folder: &Path) -> (Vec<String>, Vec<String>) {
    let mut random = Random::new(seed);
    let (mut lines, mut journals) = (vec![], vec![]);
    for number in 1..=of {
        let (shard, journal) = (format!("{number}/{of}"), name(&folder.join(format!("{number}of{of}.journal"))));
        let options = ["check", "--quiet", "--no-lint", "--shard", &shard, "--format", "jsonl"];
        let mut kept = "--journal";
        loop {
            let all = [&options[..], files, &[kept, &journal]].concat();
            let mut child =
                redoubt_in("", &all).stdout(Stdio::piped()).stderr(Stdio::null()).spawn().expect("it starts");
            std::thread::sleep(Duration::from_millis(random.below(150) as u64));
            if random.below(3) > 0 {
                // It may have come to its end.
                let _ = child.kill();
            }
            let output = child.wait_with_output().expect("it ends");
            if output.status.code().is_some() {
                let path = folder.join(format!("{number}of{of}.jsonl"));
                std::fs::write(&path, &output.stdout).expect("room");
                lines.push(name(&path));
                break;
            }
            // Killed before it could begin, it has left nothing.
            kept = if Path::new(&journal).exists() { "--resume" } else { "--journal" };
        }
        journals.push(journal);
    }
    (lines, journals)
}

/// Killed parts of all of these come to what one run says: by their lines, and by their journals.
fn come_to_the_same(files: &[&str], seed: u64) {
    let scratch = Scratch::new();
    let folder = scratch.write("here", "").parent().expect("a file lies in a folder").to_path_buf();
    let (code, whole, _) = run(&[&["check", "--quiet", "--no-lint", "--format", "jsonl"], files].concat());
    for of in [2, 3, 7] {
        let (lines, journals) = killed_and_resumed(files, of, seed + of as u64, &folder);
        let lines: Vec<&str> = lines.iter().map(String::as_str).collect();
        let (merged_code, merged, messages) = run(&[&["merge", "--format", "jsonl"], &lines[..]].concat());
        assert_eq!(merged_code, code, "{of}, seed {seed}: {messages}");
        assert_eq!(verdicts(&merged), verdicts(&whole), "{of}, seed {seed}");
        let journals: Vec<&str> = journals.iter().map(String::as_str).collect();
        let joined = name(&folder.join(format!("{of}.journal")));
        let (joined_code, _, messages) = run(&[&["merge", "-o", &joined], &journals[..]].concat());
        assert_eq!(joined_code, Some(0), "{messages}");
        let resumed = ["check", "--quiet", "--no-lint", "--format", "jsonl", "--resume", &joined];
        let (resumed_code, resumed, messages) = run(&[&resumed, files].concat());
        assert_eq!(resumed_code, code, "{of}, seed {seed}: {messages}");
        assert_eq!(verdicts(&resumed), verdicts(&whole), "{of}, seed {seed}");
    }
}

#[test]
fn parts_may_be_killed_and_go_on() {
    come_to_the_same(&SET, 40);
}

/// Minutes: the project's problems, or those of `REDOUBT_SET`.
#[test]
#[ignore = "takes minutes"]
fn parts_of_all_problems_may_be_killed_and_go_on() {
    let set = std::env::var("REDOUBT_SET").unwrap_or_else(|_| "problems".into());
    come_to_the_same(&[&set, "--timeout", "60"], 41);
}

#[test]
fn journals_that_do_not_belong_together_are_refused() {
    let scratch = Scratch::new();
    let folder = scratch.write("here", "").parent().expect("a file lies in a folder").to_path_buf();
    let journal = |file: &str, more: &[&str]| {
        let path = name(&folder.join(file));
        run(&[&["check", "--quiet", "--no-lint", "--journal", &path], &SET[..2], more].concat());
        path
    };
    let refused = |journals: &[&str], code: i32, why: &str| {
        let joined = name(&folder.join("joined.journal"));
        let (found, _, messages) = run(&[&["merge", "-o", &joined], journals].concat());
        assert!(found == Some(code) && messages.contains(why), "{found:?} {messages} (expected {why})");
        assert!(!Path::new(&joined).exists());
    };
    let (one, two) = (journal("1.journal", &["--shard", "1/2"]), journal("2.journal", &["--shard", "2/2"]));
    refused(&[&one], 2, "missing: 2/2");
    refused(&[&one, &two, &one], 3, "is part 1/2, and so is");
    let other = journal("other.journal", &["--shard", "2/2", "--engine", "bmc", "--depth", "1"]);
    refused(&[&one, &other], 3, "other options");
    journal("2.journal", &["--shard", "2/2", "--engine", "regions"]);
    refused(&[&one, &two], 3, "by runs with different options or files");
    let less = journal("less.journal", &["--shard", "2/2", SET[2]]);
    refused(&[&one, &less], 3, "other files");
    let lines = name(&scratch.write("1.jsonl", &part(1, 2, &[])));
    refused(&[&one, &lines], 3, "is no journal");
}
