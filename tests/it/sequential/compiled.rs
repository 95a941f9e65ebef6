//! Runs of sequential C against gcc: witnesses that are confirmed, and programs of the competition run on random inputs.

use std::path::{Path, PathBuf};
use std::time::Duration;

use redoubt_base::{Interrupt, Random};
use redoubt_driver::check::{self, Gcc, Means};
use redoubt_driver::ledger::{SecondOpinion, Terms};
use redoubt_program::program::{Program, PropertyId};
use redoubt_program::simulate::{End, Simulator};
use redoubt_witness::calls::calls;
use redoubt_witness::compiled::Opinion;
use redoubt_witness::sequential::Sequential;
use redoubt_witness::{self as witness, Replayed, Run, Witness, json, svcomp};

use super::super::common::seeds::seeds;
use super::super::common::{gcc, in_project};
use super::{load, options};

/// A program that asks for values of all widths, in a loop, and errs on some of them.
const ASKING: &str = "extern int __VERIFIER_nondet_int(void); extern unsigned __VERIFIER_nondet_uint(void);
extern long long __VERIFIER_nondet_longlong(void); extern unsigned char __VERIFIER_nondet_uchar(void);
extern void reach_error(void);
int main(void) {
  long long sum = 0;
  for (int i = 0; i < 3; i++) {
    sum += __VERIFIER_nondet_longlong();
    if (__VERIFIER_nondet_uchar() > 200) sum -= __VERIFIER_nondet_uint();
  }
  if (sum == -5000000007LL && __VERIFIER_nondet_int() == 3) reach_error();
  return 0;
}
";

#[test]
fn gcc_confirms_runs_and_witnesses_list_their_calls() {
    if !gcc::available() {
        return;
    }
    let program = load(ASKING);
    let interrupt = Interrupt::after(Duration::from_secs(60));
    let other = Gcc::new(&program, &interrupt).expect("gcc takes it");
    let report =
        check::decide(&program, Means::Circuit, &options(60), &Terms::default(), &mut |_| {}).expect("a report");
    let finding = &report.findings[0];
    let check::Answer::Reachable { run } = &finding.answer else { panic!("{finding:?}") };
    assert_eq!(other.of_run(finding.property, run).expect("it runs"), Opinion::Agrees);
    // Another value at the end, and the run does not get there.
    let mut wrong = run.clone();
    let last = wrong.last_mut().expect("there is a step");
    last.iter_mut().for_each(|value| *value = if *value == 3 { 4 } else { *value });
    assert!(matches!(other.of_run(finding.property, &wrong).expect("it runs"), Opinion::Differs(_)));

    let found = calls(&program, run);
    assert_eq!(found.last().map(|call| (call.name.as_str(), call.value)), Some(("__VERIFIER_nondet_int", 3)));
    let sum: i128 = found
        .iter()
        .map(|call| match call.name.as_str() {
            "__VERIFIER_nondet_longlong" => call.value,
            "__VERIFIER_nondet_uint" => -call.value,
            _ => 0,
        })
        .sum();
    assert_eq!(sum as i64, -5_000_000_007, "{found:?}");
    let witness = Witness::new(&program, finding.property, run.clone());
    let mut text = vec![];
    json::write(&mut text, &program, &witness).expect("memory");
    let read = json::read(&program, &String::from_utf8(text).expect("text")).expect("it is one");
    assert_eq!(read.first(), Some(&witness));
    let mut text = vec![];
    svcomp::write(&mut text, &program, &witness).expect("memory");
    let text = String::from_utf8(text).expect("text");
    assert_eq!(text.matches("function_return").count(), found.len(), "{text}");
    assert!(text.contains("\\\\result == 3"), "{text}");
    // Read back, it is a run that gets there, too.
    let back = svcomp::read(&program, &text).expect("it is one");
    assert!(matches!(witness::replay(&program, &back[0]), Replayed::Reached { .. }), "{back:?}");
}

#[test]
fn gcc_may_ask_in_another_order() {
    if !gcc::available() {
        return;
    }
    let declared = "extern void reach_error(void); extern unsigned char __VERIFIER_nondet_uchar(void);
int asked(void) { return __VERIFIER_nondet_uchar(); }";
    let main = |ask: &str| {
        format!("{declared} int main(void) {{ if (-{ask}() + 2 * {ask} /* ( */ () > 500) reach_error(); }}")
    };
    let in_parentheses = "(__VERIFIER_nondet_uchar)";
    for ask in ["__VERIFIER_nondet_uchar", "asked", in_parentheses] {
        let program = load(&main(ask));
        let interrupt = Interrupt::after(Duration::from_secs(60));
        let other = Gcc::new(&program, &interrupt).expect("gcc takes it");
        let property = PropertyId::new(0);
        let opinion = |run: Run| other.of_run(property, &run).expect("it runs");
        match opinion(vec![vec![0, 251]]) {
            Opinion::Agrees => assert!(ask.starts_with('_'), "{ask}"),
            Opinion::CannotTell(_) => assert!(!ask.starts_with('_'), "{ask}"),
            Opinion::Differs(how) => panic!("{ask}: {how}"),
        }
        assert!(matches!(opinion(vec![vec![0, 250]]), Opinion::Differs(_)), "{ask}");
    }
}

/// The programs of the competition, where they are.
fn programs() -> Vec<PathBuf> {
    let Ok(folders) = std::fs::read_dir(in_project("../shared/bench/svcomp")) else { return vec![] };
    let entries = |folder: &Path| std::fs::read_dir(folder).map_or(vec![], |list| list.flatten().collect());
    let files = folders.flatten().flat_map(|folder| entries(&folder.path())).map(|entry| entry.path());
    let is_program = |path: &PathBuf| path.extension().is_some_and(|extension| extension == "c" || extension == "i");
    let mut list: Vec<PathBuf> = files.filter(is_program).collect();
    list.sort_unstable();
    list
}

/// A run on random values, small ones mostly, until it ends or has become long.
fn by_chance(program: &Program, seed: u64) -> (Run, Option<End>) {
    const LONGEST: usize = 300;
    let mut random = Random::new(seed);
    let mut simulator = Simulator::new(program);
    let mut run = vec![];
    while simulator.end().is_none() && run.len() < LONGEST {
        let inputs: Vec<i32> = program
            .inputs
            .iter()
            .map(|input| {
                let value = if random.below(3) == 0 { random.bits() as i32 } else { random.below(12) as i32 };
                if input.alphabet.contains(value) { value } else { input.alphabet.sample(&mut random) }
            })
            .collect();
        simulator.step(&inputs);
        run.push(inputs);
    }
    (run, simulator.end())
}

#[test]
fn programs_of_the_competition_do_what_gcc_says() {
    let programs = programs();
    if programs.is_empty() || !gcc::available() {
        return;
    }
    let (mut compared, mut looked_at) = (0, 0);
    for seed in seeds(10) {
        let path = &programs[(seed as usize * 7 + 3) % programs.len()];
        let before = compared;
        let text = std::fs::read_to_string(path).expect("the file is there");
        let Ok(program) = redoubt::parse("program.c", &text) else { continue };
        let Ok(Some(compiled)) = Sequential::new(&program, &Interrupt::default()) else { continue };
        for run in 0..4 {
            let (run, end) = by_chance(&program, seed * 4 + run);
            let calls = calls(&program, &run);
            if calls.iter().any(|call| !call.is_call) {
                continue;
            }
            // Without an error to come a run ends early here, and may never end there.
            let Ok((how, left)) = compiled.run(&calls, &Interrupt::after(Duration::from_millis(500))) else { continue };
            match end {
                Some(End::Error(..)) => assert_eq!((how.as_str(), left), ("error", 0), "{}: {calls:?}", path.display()),
                Some(_) | None => assert_ne!(how, "error", "{}: {calls:?}", path.display()),
            }
            compared += 1;
        }
        looked_at += usize::from(compared > before);
    }
    println!("{compared} runs of {looked_at} programs");
    assert!(compared > 0, "nothing could be compared");
}
