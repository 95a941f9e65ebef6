//! The abstraction into regions against exhaustive search: whatever a program can reach, no abstraction rules out, and
//! whatever is said to be reachable is replayed.
//!
//! `REDOUBT_PROGRAMS=2000 cargo test --release --test it regions::` tries more of them.

use std::time::Duration;

use redoubt_base::Interrupt;
use redoubt_base::Limits;
use redoubt_base::Random;
use redoubt_boxes::abstraction::{Found, Order, prove};
use redoubt_driver::check::{self, Answer, CheckOptions};
use redoubt_facts::analysis::Facts;
use redoubt_facts::analysis::flow;
use redoubt_program::expr::VarId;
use redoubt_program::program::{Program, PropertyId, Scope};
use redoubt_program::simulate::Simulator;

use crate::common::explore::explore_some;
use crate::common::generate::{self, arithmetic};
use crate::common::seeds::seeds;
use crate::common::{load_model, load_text, problems};

fn limits(seconds: u64) -> Limits {
    Limits { interrupt: Interrupt::after(Duration::from_secs(seconds)), ..Limits::default() }
}

/// The knowledge of a search of some states about a property: reached, or not although that were all.
struct Truth {
    reached: Vec<bool>,
    all: bool,
}

fn truth(program: &Program) -> Truth {
    let (explored, all) = explore_some(program, 600);
    let reached = program.properties.iter().map(|property| explored.reached.contains_key(&property.name));
    Truth { reached: reached.collect(), all }
}

/// Whether an answer was given; it must not contradict the known one.
fn assert_right(program: &Program, truth: &Truth, property: PropertyId, reachable: Option<bool>, seed: u64) -> bool {
    let (known, name) = (truth.reached[property.index()], &program.property(property).name);
    match reachable {
        Some(false) => assert!(!known, "seed {seed}: {name} can be reached"),
        Some(true) => assert!(known || !truth.all, "seed {seed}: {name} cannot be reached"),
        None => {}
    }
    reachable.is_some()
}

fn check_with(program: &Program, seed: u64, decide: impl Fn(&Program) -> check::Report) -> (usize, usize) {
    let truth = truth(program);
    let report = decide(program);
    let mut decided = 0;
    for finding in &report.findings {
        let reachable = match &finding.answer {
            Answer::Reachable { run: inputs } => {
                let steps = check::reaches(program, inputs, finding.property);
                assert_eq!(steps, Some(inputs.len()), "seed {seed}");
                Some(true)
            }
            Answer::Unreachable { .. } => Some(false),
            Answer::Unknown(_) => None,
            Answer::Withdrawn { claim: inputs, .. } => panic!("seed {seed}: no run {inputs:?}"),
        };
        decided += usize::from(assert_right(program, &truth, finding.property, reachable, seed));
    }
    (decided, report.findings.len())
}

fn regions(program: &Program) -> check::Report {
    let options = CheckOptions { limits: limits(20), ..CheckOptions::default() };
    check::check_regions(program, &options, |_| {}).expect("the program is small")
}

/// Proofs stand when the program itself is asked.
#[test]
fn proofs_are_confirmed() {
    let (mut confirmed, mut unconfirmed) = (0, 0);
    for seed in seeds(30) {
        let program = load_text("arithmetic.c", &arithmetic::program(seed + 20_000));
        let options = CheckOptions { limits: limits(20), ..CheckOptions::default() };
        let report = check::check_regions(&program, &options, |_| {}).expect("the program is small");
        for finding in &report.findings {
            match finding.answer {
                Answer::Unreachable { .. } if finding.is_confirmed() => confirmed += 1,
                Answer::Unreachable { .. } => unconfirmed += 1,
                _ => {}
            }
        }
    }
    println!("{confirmed} proofs confirmed, {unconfirmed} not");
    assert!(confirmed > 5 * unconfirmed, "{confirmed} proofs confirmed, {unconfirmed} not");
}

#[test]
fn programs_that_compute() {
    let (mut decided, mut all) = (0, 0);
    for seed in seeds(60) {
        let program = load_text("arithmetic.c", &arithmetic::program(seed));
        let (some, of) = check_with(&program, seed, regions);
        (decided, all) = (decided + some, all + of);
    }
    println!("{decided} of {all} properties decided");
    assert!(10 * decided >= 8 * all, "only {decided} of {all} properties decided");
}

#[test]
fn programs_with_all_that_the_front_end_reads() {
    let briefly = |program: &Program| {
        let interrupt = Interrupt::after(Duration::from_millis(200));
        let options = CheckOptions { limits: Limits { interrupt, ..Limits::default() }, ..CheckOptions::default() };
        check::check_regions(program, &options, |_| {}).expect("the program is small")
    };
    let mut decided = 0;
    for seed in seeds(15) {
        for bounded in [true, false] {
            let options = generate::Shape { bounded, ..generate::Shape::default() };
            let program = load_text("generated.c", &generate::program(seed, options));
            decided += check_with(&program, seed, briefly).0;
        }
    }
    assert!(decided > 0, "nothing was decided");
}

#[test]
fn ic3_on_the_abstraction() {
    let mut decided = 0;
    for seed in seeds(12) {
        let program = load_text("arithmetic.c", &arithmetic::program(seed + 50_000));
        let truth = truth(&program);
        let wanted: Vec<PropertyId> = (0..program.properties.len()).map(PropertyId::new).collect();
        let order = Order { wanted: &wanted, limits: &limits(5), settled: None, confirm: false };
        let mut found = vec![];
        prove::prove(&Facts::new(&program), &order, &mut |property, what| found.push((property, what)))
            .expect("it is small");
        for (property, what) in found {
            let reachable = match what {
                Found::Reachable(inputs) => {
                    assert!(check::reaches(&program, &inputs, property).is_some(), "seed {seed}");
                    true
                }
                Found::Unreachable(..) => false,
            };
            assert_right(&program, &truth, property, Some(reachable), seed);
            decided += 1;
        }
    }
    assert!(decided > 0, "nothing was decided");
}

/// The value of a call is the one returned first, although the function would return something else further down.
#[test]
fn a_value_that_is_returned_early() {
    let text = "extern void __VERIFIER_error(int);
        int inputs[] = {1,2};
        int x = 3;
        int grown(int input) {
            if (x >= 5) return 0;
            x = x + input;
            return -1;
        }
        void calculate_output(int input) { if (grown(input) == 0) __VERIFIER_error(0); }
        int main() { while (1) { int input; scanf(\"%d\", &input); calculate_output(input); } }";
    let program = load_text("early.c", text);
    let order = Order { wanted: &[PropertyId::new(0)], limits: &limits(20), settled: None, confirm: false };
    let mut found = vec![];
    prove::prove(&Facts::new(&program), &order, &mut |_, what| found.push(what)).expect("it is small");
    assert!(matches!(found[..], [Found::Reachable(_)]), "{found:?}");
}

/// A violation at the start of a model needs no step, and the abstraction begins behind that.
#[test]
fn what_the_start_reaches() {
    let text = "system S\nvar x: 0..1 = 0\nstep { x = 1 }\nproperty p: always x == 1\nproperty q: never x == 2\n";
    let program = load_model("start.gcl", text);
    for finding in regions(&program).findings {
        match program.property(finding.property).name.as_str() {
            "p" => assert_eq!(finding.answer, Answer::Reachable { run: vec![] }),
            name => assert!(matches!(finding.answer, Answer::Unreachable { .. }), "{name}: {:?}", finding.answer),
        }
    }
}

/// All engines together say what each says alone, the project's own problems included.
#[test]
fn engines_together() {
    let together = |program: &Program| {
        let options = CheckOptions { limits: limits(30), memory: 1 << 26, ..CheckOptions::default() };
        check::check_together(program, &options, |_| {}).expect("the program is small")
    };
    for seed in seeds(10) {
        let program = load_text("arithmetic.c", &arithmetic::program(seed + 80_000));
        check_with(&program, seed, together);
    }
    for problem in problems::own() {
        let program = problem.load();
        let (decided, all) = check_with(&program, 0, together);
        assert_eq!(decided, all, "{}", problem.name());
    }
}

/// Every value that a variable has along random runs is among those that the flow of values foresaw.
#[test]
fn values_were_foreseen() {
    for seed in seeds(30) {
        let texts = [arithmetic::program(seed), generate::program(seed, generate::Shape::default())];
        for program in texts.iter().map(|text| load_text("walk.c", text)) {
            let flow = flow::analyse(&program, &Interrupt::default()).expect("it is small");
            let mut random = Random::new(seed);
            for _ in 0..5 {
                let mut simulator = Simulator::new(&program);
                for _ in 0..40 {
                    for (index, variable) in program.variables.iter().enumerate() {
                        let (value, foreseen) = (simulator.state().variables[index], flow.head.get(VarId::new(index)));
                        if variable.scope == Scope::Global {
                            assert!(
                                foreseen.contains(value),
                                "seed {seed}: {} is {value}: {foreseen:?}",
                                variable.name
                            );
                        }
                        assert!(flow.anywhere[index].contains(value), "seed {seed}: {} is {value}", variable.name);
                    }
                    let inputs: Vec<i32> =
                        program.inputs.iter().map(|input| input.alphabet.sample(&mut random)).collect();
                    simulator.step(&inputs);
                    if simulator.end().is_some() {
                        break;
                    }
                }
            }
        }
    }
}
