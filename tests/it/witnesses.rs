//! Witnesses: written ones are read back and replayed, wrong ones are refused, shorter runs reach the same, and the
//! compiled program has the last word.

use std::path::PathBuf;
use std::process::Output;
use std::time::{Duration, Instant};

use redoubt_base::Interrupt;
use redoubt_base::Limits;
use redoubt_base::Random;
use redoubt_circuit::aiger as format;
use redoubt_driver::check::shortest;
use redoubt_driver::check::{self, Answer, reaches};
use redoubt_driver::hardware;
use redoubt_facts::analysis::Facts;
use redoubt_program::program::{Program, PropertyId, PropertyKind};
use redoubt_witness::compiled::{Compiled, Ending, Opinion, Ran};
use redoubt_witness::shorten::{self, Budget};
use redoubt_witness::{self as witness, Replayed, Run, Target, Witness, json, svcomp};

use crate::common::command::{redoubt_in, run};
use crate::common::gcc;
use crate::common::generate::{self, arithmetic, model};
use crate::common::problems::{self, Problem};
use crate::common::scratch::Scratch;
use crate::common::{aiger, explore, in_project, load_model, load_text, runs};

fn plenty() -> Budget {
    Budget::new(5_000_000, 60_000_000)
}

/// The runs that some engine finds.
fn reachable(program: &Program) -> Vec<(PropertyId, Run)> {
    let interrupt = Interrupt::after(Duration::from_secs(2));
    let limits = Limits { interrupt, ..Limits::default() };
    let options = check::CheckOptions { limits, memory: 1 << 26, ..check::CheckOptions::default() };
    let report = check::check_together(program, &options, |_| {}).expect("the program is small");
    let run = |finding: check::Finding| match finding.answer {
        Answer::Reachable { run: inputs } => Some((finding.property, inputs)),
        _ => None,
    };
    report.findings.into_iter().filter_map(run).collect()
}

fn text_of(write: impl FnOnce(&mut Vec<u8>) -> std::io::Result<()>) -> String {
    let mut text = vec![];
    write(&mut text).expect("writing to memory does not fail");
    String::from_utf8(text).expect("text")
}

/// Programs of all dialects, and random ones.
fn programs() -> Vec<Program> {
    let own = problems::own().into_iter().map(|problem| problem.load());
    let random = (0..6).map(|seed| load_text("random.c", &arithmetic::program(seed)));
    own.chain(random).collect()
}

#[test]
fn what_is_written_is_read_back() {
    let models = std::fs::read_dir(in_project("problems/gcl")).expect("there are models");
    let models = models.map(|entry| std::fs::read_to_string(entry.expect("an entry").path()).expect("a text"));
    let models = models.chain((0..10).map(model::model)).map(|text| load_model("model.gcl", &text));
    for program in programs().into_iter().chain(models) {
        for (property, run) in reachable(&program) {
            let witness = Witness::new(&program, property, run.clone());
            let text = text_of(|out| json::write(out, &program, &witness));
            let read = witness::read(&program, &text).unwrap_or_else(|error| panic!("{error}\n{text}"));
            let name = &program.property(property).name;
            assert_eq!(read.len(), 1);
            assert!(is_reached(&program, &read[0], property, run.len()), "{}: {name}\n{text}", program.name);
            assert_eq!(read[0].changed_files(&program), Vec::<String>::new());
            if program.legend.is_some() {
                continue;
            }
            assert_eq!(read[0], witness);
            let text = text_of(|out| svcomp::write(out, &program, &witness));
            let read = witness::read(&program, &text).unwrap_or_else(|error| panic!("{error}\n{text}"));
            assert_eq!(read[0].run, run);
            assert!(is_reached(&program, &read[0], property, run.len()), "{}: {name}\n{text}", program.name);
        }
    }
}

fn is_reached(program: &Program, witness: &Witness, wanted: PropertyId, wanted_steps: usize) -> bool {
    match witness::replay(program, witness) {
        Replayed::Reached { property, steps, .. } => property == wanted && steps == wanted_steps,
        Replayed::Missed(_) => false,
    }
}

/// The answer of the compiled program to a run, without a look at the simulator: whether it ends with this property
/// after this many steps; `None` where C does not show it.
fn truth(program: &Program, property: PropertyId, steps: usize, ran: &Ran) -> Option<bool> {
    let property = program.property(property);
    let line = program.line(property.span);
    let shown = match property.kind {
        PropertyKind::IndexOutOfBounds => return None,
        PropertyKind::DivisionByZero | PropertyKind::DivisionOverflow => ran.ending == Ending::Trap,
        _ => match &ran.ending {
            Ending::Error(name) => *name == property.name,
            Ending::Assertion(found) => *found == line,
            _ => false,
        },
    };
    Some(shown && ran.steps == steps)
}

/// 200 mutated witnesses of programs, judged by the compiled program: none that is wrong is accepted, and none
/// that is right is refused.
#[test]
fn mutated_witnesses_of_programs() {
    if !gcc::available() {
        return;
    }
    let random = &mut Random::new(20);
    let (mut accepted, mut refused) = (0, 0);
    for program in programs() {
        let known = reachable(&program);
        if known.is_empty() {
            continue;
        }
        let compiled = Compiled::new(&program, &Interrupt::default()).expect("gcc takes it");
        let run = |inputs: &Run| {
            compiled.run(&program, &[inputs.concat()], &Interrupt::default()).expect("it runs").remove(0)
        };
        for _ in 0..16 {
            let (property, inputs) = &known[random.below(known.len())];
            let mut witness = Witness::new(&program, *property, inputs.clone());
            mutate(&program, &mut witness, random);
            let Target::Property(name) = &witness.target else { panic!("it has a name") };
            let claimed = witness::property(&program, name).expect("it is one of the program's");
            let text = text_of(|out| json::write(out, &program, &witness));
            let read = witness::read(&program, &text).expect("it is well formed").remove(0);
            let replayed = witness::replay(&program, &read);
            let judged = match &replayed {
                Replayed::Reached { property, steps, .. } => {
                    assert_eq!(*property, claimed);
                    accepted += 1;
                    truth(&program, claimed, *steps, &run(&read.run[..*steps].to_vec()))
                }
                Replayed::Missed(_) => {
                    refused += 1;
                    let ran = run(&read.run);
                    let allowed = |step: &Vec<i32>| program.inputs[0].alphabet.contains(step[0]);
                    let is_possible = read.run[..ran.steps].iter().all(allowed);
                    truth(&program, claimed, ran.steps, &ran).map(|reached| !(reached && is_possible))
                }
            };
            assert_ne!(judged, Some(false), "{}: {replayed:?}\n{text}", program.name);
        }
    }
    println!("{accepted} accepted, {refused} refused");
    assert!(accepted + refused >= 200 && accepted >= 20 && refused >= 100, "{accepted}, {refused}");
}

/// Changes something about a witness.
fn mutate(program: &Program, witness: &mut Witness, random: &mut Random) {
    let letters: Vec<i32> = program.inputs[0].alphabet.iter().collect();
    let run = &mut witness.run;
    let at = random.below(run.len().max(1));
    match random.below(8) {
        0 if run.len() > 1 => drop(run.remove(at)),
        1 if run.len() > 1 => run.swap(at, 0),
        2 => run.truncate(at),
        3 => run.insert(at, vec![random.choose(&letters)]),
        4 if !run.is_empty() => run[at] = vec![random.choose(&[0, -1, 77, i32::MIN])],
        5 => {
            let other = random.below(program.properties.len());
            witness.target = Target::Property(program.properties[other].name.clone());
        }
        6 => run.extend((0..3).map(|_| vec![random.choose(&letters)])),
        _ if !run.is_empty() => run[at] = vec![random.choose(&letters)],
        _ => {}
    }
}

/// Files that are damaged anywhere are refused with a message, or what they say is still so.
#[test]
fn damaged_files() {
    let random = &mut Random::new(7);
    let (mut refused, mut read_well) = (0, 0);
    for name in ["lock2012.c", "beacon2021.c"] {
        let program = Problem::new(problems::own_folder().join(name)).load();
        let (property, run) = reachable(&program).remove(0);
        let witness = Witness::new(&program, property, run);
        let json = text_of(|out| json::write(out, &program, &witness));
        let yaml = text_of(|out| svcomp::write(out, &program, &witness));
        for text in [json, yaml] {
            for _ in 0..150 {
                let mut bytes = text.clone().into_bytes();
                let at = random.below(bytes.len());
                match random.below(3) {
                    0 => drop(bytes.drain(at..(at + 1 + random.below(20)).min(text.len()))),
                    1 => bytes[at] = 32 + random.below(95) as u8,
                    _ => bytes.insert(at, random.choose(b"{}[]\":,-\n &*#|>")),
                }
                let Ok(text) = String::from_utf8(bytes) else { continue };
                let Ok(witnesses) = witness::read(&program, &text) else {
                    refused += 1;
                    continue;
                };
                for witness in witnesses {
                    read_well += 1;
                    if let Replayed::Reached { property, steps, .. } = witness::replay(&program, &witness) {
                        assert_eq!(reaches(&program, &witness.run, property), Some(steps), "{text}");
                    }
                }
            }
        }
    }
    println!("{refused} refused, {read_well} read");
    assert!(refused > 50 && read_well > 50);
}

/// 200 mutated witnesses of circuits, judged by a simulator that reads the files itself.
#[test]
fn mutated_witnesses_of_circuits() {
    let scratch = Scratch::new();
    let random = &mut Random::new(3);
    let (mut accepted, mut refused) = (0, 0);
    for name in ["lock2012", "lift2012", "jukebox2014"] {
        let path = scratch.write(&format!("{name}.aag"), "");
        let program = format!("{name}.c");
        let output = redoubt(&["encode", &program, "--to", "aag", "-o", &path.to_string_lossy()]);
        assert_eq!(output.status.code(), Some(0), "{}", String::from_utf8_lossy(&output.stderr));
        let bytes = std::fs::read(path).expect("it was written");
        let (model, file) = (format::read(&bytes).expect("a model"), aiger::File::read_any(&bytes));
        let report = hardware::check(&model, &hardware::ModelOptions::default(), |_| {});
        for finding in report.findings {
            let hardware::Answer::Reachable { run: trace } = finding.answer else { continue };
            let text = text_of(|out| hardware::witness::write(out, finding.property.index(), &trace));
            assert_eq!(
                hardware::witness::read(&model, &text).expect("ours").remove(0),
                (hardware::witness::Claim::Bad(finding.property.index()), trace)
            );
            for _ in 0..40 {
                let mut lines: Vec<String> = text.lines().map(String::from).collect();
                let at = 1 + random.below(lines.len() - 2);
                match random.below(4) {
                    0 => drop(lines.remove(at)),
                    1 => lines.insert(at, lines[at].clone()),
                    2 => lines[1] = format!("b{}", random.below(model.properties.len() + 1)),
                    _ => {
                        let mut line = lines[at].clone().into_bytes();
                        let bit = random.below(line.len());
                        line[bit] = if line[bit] == b'0' { b'1' } else { b'0' };
                        lines[at] = String::from_utf8(line).expect("text");
                    }
                }
                let mutant = lines.join("\n") + "\n";
                let is_accepted = hardware::witness::read(&model, &mutant).is_ok_and(|witnesses| {
                    witnesses.iter().all(|(claim, trace)| match *claim {
                        hardware::witness::Claim::Bad(property) => trace.reaches(&model.circuit, property),
                        hardware::witness::Claim::Justice(_) => false,
                    })
                });
                *if is_accepted { &mut accepted } else { &mut refused } += 1;
                let flaw = file.flaw_of_witness(&mutant);
                assert_eq!(is_accepted, flaw.is_none(), "{name}: {flaw:?}\n{mutant}");
            }
        }
    }
    println!("{accepted} accepted, {refused} refused");
    assert!(accepted + refused >= 200 && accepted > 10 && refused > 100);
}

#[test]
fn compiled_programs_agree() {
    if !gcc::available() {
        return;
    }
    let mut agreed = 0;
    for program in programs() {
        let known = reachable(&program);
        let claims: Vec<(PropertyId, &[Vec<i32>])> = known.iter().map(|(property, run)| (*property, &**run)).collect();
        let compiled = Compiled::new(&program, &Interrupt::default()).expect("gcc takes it");
        for (opinion, (property, _)) in
            compiled.judge(&program, &claims, &Interrupt::default()).expect("it runs").iter().zip(&claims)
        {
            match opinion {
                Opinion::Agrees => agreed += 1,
                Opinion::CannotTell(_) => {
                    assert_eq!(program.property(*property).kind, PropertyKind::IndexOutOfBounds, "{}", program.name);
                }
                Opinion::Differs(how) => panic!("{}: {how}", program.name),
            }
        }
        // A run of another property is not confirmed.
        if let [(first, _), (_, run), ..] = claims[..] {
            let opinions = compiled.judge(&program, &[(first, run)], &Interrupt::default()).expect("it runs");
            assert!(matches!(opinions[0], Opinion::Differs(_)), "{}: {opinions:?}", program.name);
        }
    }
    assert!(agreed > 20, "{agreed}");
}

/// Labels that are errors though C does nothing there.
const BARE: &str = "#include <stdio.h>
#include <assert.h>
int a = 1;
int calculate_output(int input) {
  if (input == 3 && a == 2) { error_8 /* : */: /* assert(0) */ ; }
  if (input == 3 && a == 3) { error_9: /* a = 1 */ assert(0); }
  if (input == 3 && a == 4) { error_300: return 3; }
  if (input == 3 && a == 5) { globalError: // assert(0)
    { a = 1; } }
  if (input == 2) { a++; return 21; }
  return -2;
}
int main() {
  while (1) {
    int input;
    scanf(\"%d\", &input);
    if ((input != 2) && (input != 3)) return -2;
    calculate_output(input);
  }
}
";

#[test]
fn gcc_confirms_labels_without_assertions() {
    if !gcc::available() {
        return;
    }
    let program = load_text("bare.c", BARE);
    let compiled = Compiled::new(&program, &Interrupt::default()).expect("gcc takes it");
    let known = reachable(&program);
    assert_eq!(known.len(), 4);
    let claims: Vec<(PropertyId, &[Vec<i32>])> = known.iter().map(|(property, run)| (*property, &**run)).collect();
    let opinions = compiled.judge(&program, &claims, &Interrupt::default()).expect("it runs");
    assert!(opinions.iter().all(|opinion| *opinion == Opinion::Agrees), "{opinions:?}");
}

#[test]
fn a_compiler_that_takes_too_long_is_stopped() {
    let program = Problem::new(problems::own_folder().join("lock2012.c")).load();
    let interrupt = Interrupt::default();
    interrupt.raise();
    assert!(Compiled::new(&program, &interrupt).is_err());
}

/// Long random runs become shorter, still reach what they reached, and some become as short as can be.
#[test]
fn runs_are_shortened() {
    let mut programs: Vec<Program> =
        ["lock2012.c", "lift2012.c"].map(|name| Problem::new(problems::own_folder().join(name)).load()).into();
    let bounded = generate::Shape { bounded: true, variables: 3, ..generate::Shape::default() };
    programs.extend((0..8).map(|seed| load_text("random.c", &generate::program(seed, bounded))));
    let (mut before, mut after, mut least, mut tried) = (0, 0, 0, 0);
    for program in &programs {
        let explored = explore::explore_some(program, 2000).0;
        for seed in 0..6 {
            let inputs = runs::random_inputs(program, 600, &mut Random::new(seed));
            let run: Run = inputs.iter().map(|&input| vec![input]).collect();
            let Some((redoubt_program::simulate::End::Error(property, _), steps)) =
                witness::replay::end_of(program, &run)
            else {
                continue;
            };
            let shorter = shorten::run(&Facts::new(program), property, run[..steps].to_vec(), &plenty());
            assert_eq!(reaches(program, &shorter, property), Some(shorter.len()), "{}", program.name);
            assert!(shorter.len() <= steps);
            let shortest = explored.reached.get(&program.property(property).name).map_or(0, Vec::len);
            assert!(shorter.len() >= shortest, "shorter than the shortest");
            (before, after, least, tried) = (before + steps, after + shorter.len(), least + shortest, tried + 1);
        }
    }
    println!("{tried} runs: {before} steps became {after}; the least is {least}");
    assert!(tried >= 20 && 2 * (after - least) <= before - least, "{before} -> {after}, {least}");
}

/// A counter that has to be driven all the way, with as many steps in between that do nothing.
#[test]
fn long_runs_take_linear_time() {
    const STEPS: i32 = 20_000;
    let text = format!(
        "extern void __VERIFIER_error(int);\nint inputs[] = {{1,2,3}};\nint c = 0; int noise = 0;
         void step(int input) {{ noise = input; if (input == 1) c = c + 1; if (c == {STEPS}) __VERIFIER_error(0); }}
         int main() {{ while (1) {{ int input; scanf(\"%d\", &input); step(input); }} }}"
    );
    let program = load_text("counter.c", &text);
    let run: Run = (0..2 * STEPS).map(|index| vec![if index % 2 == 1 { 1 } else { 2 + index / 2 % 2 }]).collect();
    let start = Instant::now();
    let shorter = shorten::run(&Facts::new(&program), PropertyId::new(0), run, &Budget::new(100_000, 10_000_000));
    assert_eq!(shorter.len(), STEPS as usize);
    assert!(start.elapsed() < Duration::from_secs(10), "{:?}", start.elapsed());
}

#[test]
fn shortest_runs() {
    let bounded = generate::Shape { bounded: true, variables: 3, ..generate::Shape::default() };
    let random = (0..5).map(|seed| load_text("random.c", &generate::program(seed, bounded)));
    let own = ["lock2012.c", "lift2012.c", "jukebox2014.c"];
    let own = own.map(|name| Problem::new(problems::own_folder().join(name)).load());
    let mut found = 0;
    for program in random.chain(own) {
        let Some(explored) = explore::explore(&program, 3000) else { continue };
        let known = reachable(&program);
        // With so little memory the search gives up at once, and bounded model checking has to do it.
        for memory in [1 << 24, 1] {
            let interrupt = Interrupt::after(Duration::from_secs(5));
            shortest::runs(&Facts::new(&program), &known, memory, &interrupt, |property, run| {
                let name = &program.property(property).name;
                assert_eq!(reaches(&program, &run, property), Some(run.len()));
                assert_eq!(run.len(), explored.reached[name].len(), "{}: {name}", program.name);
                found += 1;
            });
        }
    }
    assert!(found > 15, "{found}");
}

/// Runs the command in the folder of the project's own problems.
fn redoubt(arguments: &[&str]) -> Output {
    run(&mut redoubt_in("problems/rers", arguments))
}

fn said(output: &Output) -> (Option<i32>, String) {
    let text = [output.stdout.as_slice(), &output.stderr].concat();
    (output.status.code(), String::from_utf8_lossy(&text).into_owned())
}

#[test]
fn replay_says_what_a_witness_is_worth() {
    let scratch = Scratch::new();
    let replay = |text: &str| {
        let path: PathBuf = scratch.write("witness", text);
        said(&redoubt(&["replay", "lock2012.c", &path.to_string_lossy()]))
    };
    let witness = |property: &str, inputs: &str| format!("{{\"property\": \"{property}\", \"inputs\": [{inputs}]}}");
    let cases = [
        (witness("error_2", "1, 2, 4, 5, 1"), 10, "error_2               reached after 5 steps (lock2012.c:56:7)\n"),
        (witness("error_2", "1, 2, 4, 5, 1, 1"), 10, "5 steps (lock2012.c:56:7); the last 1 step is not needed\n"),
        (witness("error_2", "1, 2"), 20, "not reached: nothing of that happens, after 2 steps, and there are no more"),
        (
            witness("error_0", "1, 2, 4, 5, 1"),
            20,
            "the run ends before, after 5 steps: it reaches error_2 (lock2012.c:56:7)",
        ),
        (witness("error_2", "1, 9"), 20, "step 2 is not possible: 9 is not a value of `input`; expected one of {"),
        (witness("error_99", "1"), 20, "the program has no property `error_99`"),
        ("{\"property\":\n \"error_2\",}".into(), 3, "line 2: "),
        (
            "{\"property\": \"error_2\", \"run\": [{\"button\": 1}]}".into(),
            3,
            "step 1: the program has no input `button`",
        ),
        ("{\"witness\": \"redoubt 9\"}".into(), 3, "the version of this witness is \"redoubt 9\""),
        ("- entry_type: violation_sequence\n  content: []\n".into(), 3, "a violation sequence without a target"),
        ("- a: *b\n".into(), 3, "line 1: "),
        ("1\nb0\n0\n.\n".into(), 3, "no `violation_sequence` in this file"),
        (String::new(), 3, "the file is empty"),
    ];
    for (text, code, message) in cases {
        let (found, words) = replay(&text);
        assert!(found == Some(code) && words.contains(message), "{text}\n{found:?} {words}");
    }
    let lines = redoubt(&["check", "lock2012.c", "--format", "jsonl"]).stdout;
    let (code, words) = replay(&String::from_utf8_lossy(&lines));
    assert_eq!((code, words.lines().count()), (Some(10), 4), "{words}");
    assert_eq!(said(&redoubt(&["replay", "lock2012.c"])).0, Some(2));
    assert_eq!(said(&redoubt(&["replay", "lock2012.c", "/nonexistent"])).0, Some(3));
}

#[test]
fn check_writes_witnesses() {
    let scratch = Scratch::new();
    let folder = scratch.write("x", "").with_file_name("witnesses");
    let folder = folder.to_string_lossy();
    let output = redoubt(&["check", "lock2012.c", "--shortest", "--witness-dir", &folder]);
    let (code, words) = said(&output);
    assert!(
        code == Some(10) && words.contains("error_2               reachable    5 steps (shortest): A B D E A"),
        "{words}"
    );
    for ending in ["json", "yml"] {
        let path = format!("{folder}/lock2012.error_2.{ending}");
        let (code, words) = said(&redoubt(&["replay", "lock2012.c", &path]));
        assert_eq!((code, &*words), (Some(10), "error_2               reached after 5 steps (lock2012.c:56:7)\n"));
        // For another program it is worth nothing, and that is said.
        let (code, words) = said(&redoubt(&["replay", "lift2012.c", &path]));
        assert!(
            code == Some(20) && words.contains("note: lift2012.c has changed since the witness was made"),
            "{words}"
        );
    }
}

#[test]
fn gcc_confirms_or_says_why_not() {
    let mut command = redoubt_in("problems/rers", &["check", "lock2012.c", "--confirm", "gcc"]);
    if gcc::available() {
        let (code, words) = said(&run(&mut command));
        assert!(code == Some(10) && words.ends_with("note: gcc agrees with 4 runs\n"), "{words}");
    }
    let (code, words) = said(&run(command.env("PATH", "")));
    assert!(code == Some(3) && words.contains("no confirmation: gcc cannot be started"), "{words}");
}
