//! Boxes against exhaustive search, chance and the checker. They are a proposal: where the checker confirms it, the
//! properties they exclude cannot be reached, and no step from a state in a box leaves them. Runs that they find are
//! replayed in any case.
//!
//! `REDOUBT_PROGRAMS=2000 cargo test --release --test it boxes::` tries more programs.

use redoubt_base::{Interrupt, Limits, Random, Threads};
use redoubt_boxes::boxes::partition::{self, runs::Quest};
use redoubt_boxes::boxes::{Closed, Doubt, Order, search};
use redoubt_checker::{Fact, Judgement, NumberSet, execute};
use redoubt_driver::check::{self, Answer, CheckOptions, Means};
use redoubt_driver::ledger::Terms;
use redoubt_facts::analysis::Facts;
use redoubt_program::expr::VarId;
use redoubt_program::program::{Place, Program, PropertyId, Scope};
use redoubt_program::simulate::Simulator;

use crate::common::explore::explore_some;
use crate::common::generate::arithmetic;
use crate::common::seeds::seeds;
use crate::common::{load_model, load_text, problems};

/// Enough for most of the small programs here.
const EFFORT: u64 = 20_000;

/// The search for boxes: those that close, and the runs found on the way.
type Search = fn(&Facts, &Order) -> (Option<Closed>, Runs);

/// Properties, and the inputs that lead to each.
type Runs = Vec<(PropertyId, Vec<Vec<i32>>)>;

fn backwards(facts: &Facts, order: &Order) -> (Option<Closed>, Runs) {
    let mut reached = vec![];
    let closed = search(facts, order, &mut |property, run| reached.push((property, run))).expect("nobody interrupts");
    (closed, reached)
}

fn forwards(facts: &Facts, order: &Order) -> (Option<Closed>, Runs) {
    let Some((closed, map)) = partition::search(facts, order).expect("nobody interrupts") else {
        return (None, vec![]);
    };
    let mut reached = vec![];
    let quest = Quest { wanted: order.wanted, interrupt: &order.limits.interrupt, states: 500 };
    map.search(facts, quest, &mut |property, run| reached.push((property, run))).expect("nobody interrupts");
    (Some(closed), reached)
}

/// Looks for boxes, and judges all that is said on the way. Boxes that close are a proposal: whether the checker confirmed it.
fn judge(program: &Program, seed: u64, search: Search) -> Option<bool> {
    let (explored, all) = explore_some(program, 600);
    let can_be_reached = |property: PropertyId| explored.reached.contains_key(&program.property(property).name);
    let wanted: Vec<PropertyId> = (0..program.properties.len()).map(PropertyId::new).collect();
    let order =
        Order { wanted: &wanted, limits: &Limits::default(), effort: EFFORT, memory: 100 << 20, doubt: Doubt::Labels };
    let facts = Facts::new(program);
    let (closed, reached) = search(&facts, &order);
    for (property, run) in &reached {
        let steps = check::reaches(program, run, *property);
        assert_eq!(steps, Some(run.len()), "seed {seed}: {} is not reached", program.property(*property).name);
        assert!(can_be_reached(*property) || !all, "seed {seed}");
    }
    let closed = closed?;
    let judgement = execute::confirm(program, &closed.certificate, &Interrupt::default());
    if judgement != Judgement::Confirmed {
        println!("seed {seed}: {judgement:?}");
        return Some(false);
    }
    for &property in &closed.excluded {
        assert!(!can_be_reached(property), "seed {seed}: {} can be reached", program.property(property).name);
    }
    step_from_boxes(program, &closed, seed);
    Some(true)
}

/// A random number of a set.
fn pick(random: &mut Random, numbers: &NumberSet) -> Option<i32> {
    let run = *numbers.runs().get(random.below(numbers.runs().len().max(1)))?;
    let count = (i64::from(run.high) - i64::from(run.low)) / i64::from(run.step) + 1;
    // The ends are where mistakes are.
    let position = match random.below(4) {
        0 => 0,
        1 => count - 1,
        _ => (random.bits() % count as u64) as i64,
    };
    Some((i64::from(run.low) + position * i64::from(run.step)) as i32)
}

/// From random states in boxes, steps lead into boxes and to nothing that is excluded.
fn step_from_boxes(program: &Program, closed: &Closed, seed: u64) {
    let random = &mut Random::new(seed);
    let certificate = &closed.certificate;
    let mut simulator = Simulator::new(program);
    let start = simulator.state().clone();
    for _ in 0..300 {
        simulator.restore(start.clone());
        for index in 0..program.variables.len() {
            if program.variables[index].scope == Scope::Global && program.variables[index].domain.is_none() {
                simulator.assign(VarId::new(index), random.bits() as i32);
            }
        }
        for fact in &certificate.facts {
            if let Fact::In(Place::Variable(variable), numbers) = fact
                && let Some(number) = pick(random, numbers)
            {
                simulator.assign(*variable, number);
            }
        }
        if !certificate.boxes.is_empty() {
            let chosen = &certificate.boxes[random.below(certificate.boxes.len())];
            for (variable, numbers) in &chosen.sides {
                simulator.assign(*variable, pick(random, numbers).expect("a box is not empty"));
            }
        }
        // A number of a box need not be one that the facts allow.
        if !certificate.holds_in(&simulator) {
            continue;
        }
        let inputs: Vec<i32> = program.inputs.iter().map(|input| input.alphabet.sample(random)).collect();
        let step = simulator.step(&inputs);
        for &property in &closed.excluded {
            assert!(!step.reaches(property), "seed {seed}: a box reaches {}", program.property(property).name);
        }
        assert!(step.end.is_some() || certificate.holds_in(&simulator), "seed {seed}: a step leaves the boxes");
    }
}

/// The number of proposals that the checker confirmed, and of those that it did not.
#[derive(Debug, Default)]
struct Count {
    confirmed: usize,
    others: usize,
}

impl Count {
    fn add(&mut self, confirmed: Option<bool>) {
        self.confirmed += usize::from(confirmed == Some(true));
        self.others += usize::from(confirmed == Some(false));
    }
}

#[test]
fn programs_that_compute() {
    let mut count = Count::default();
    for seed in seeds(60) {
        let program = load_text("arithmetic.c", &arithmetic::program(seed + 70_000));
        count.add(judge(&program, seed, backwards));
    }
    println!("{count:?}");
    assert!(count.confirmed > 10 && count.others == 0, "{count:?}");
}

#[test]
fn partitions_of_programs_that_compute() {
    let mut count = Count::default();
    for seed in seeds(60) {
        let program = load_text("arithmetic.c", &arithmetic::program(seed + 70_000));
        count.add(judge(&program, seed, forwards));
    }
    println!("{count:?}");
    assert!(count.confirmed > 50 && count.others == 0, "{count:?}");
}

/// A machine of a few states behind copies and garbage, as programs of the challenge are: one part for each of its states, and a
/// run to each label that can be reached.
#[test]
fn a_machine_in_disguise_has_a_part_for_each_state() {
    let text = "int x = 1; int copy = 4; int garbage = 0; int cf = 1;
        void calculate_output(int input) {
            cf = 1;
            if (cf == 1 && x == 1 && copy == 4 && input == 1) { cf = 0; x = 2; copy = 5; garbage = garbage * 7 + input; }
            if (cf == 1 && x == 2 && input == 2) { cf = 0; x = 3; copy = x + 3; garbage = garbage - 3; }
            if (cf == 1 && x == 3 && copy == 6 && input == 1) { cf = 0; x = 1; copy = 4; }
            if (x == 3 && copy == 6) error_0: __VERIFIER_error(0);
            if (x == 3 && copy == 5) error_1: __VERIFIER_error(1);
            if (x == 2 && copy == 4) error_2: __VERIFIER_error(2);
        }
        int main() { while (1) { int input; scanf(\"%d\", &input); if (input != 1 && input != 2) return -2; calculate_output(input); } }";
    let program = load_text("disguise.c", text);
    let wanted: Vec<PropertyId> = (0..program.properties.len()).map(PropertyId::new).collect();
    let order =
        Order { wanted: &wanted, limits: &Limits::default(), effort: EFFORT, memory: 100 << 20, doubt: Doubt::Labels };
    let (closed, reached) = forwards(&Facts::new(&program), &order);
    let closed = closed.expect("it is small");
    let name = |property: &PropertyId| program.property(*property).name.clone();
    assert_eq!(closed.excluded.iter().map(name).collect::<Vec<_>>(), ["error_1", "error_2"]);
    assert_eq!(closed.boxes, 2, "the third state ends the run");
    assert_eq!(execute::confirm(&program, &closed.certificate, &Interrupt::default()), Judgement::Confirmed);
    assert_eq!(
        reached.iter().map(|(property, run)| (name(property), run.len())).collect::<Vec<_>>(),
        [("error_0".into(), 2)]
    );
}

/// Two states of the machine have come together in a part, since hardly a rule tells them apart. One that does computes with what
/// only one of them has.
#[test]
fn states_that_rules_compute_with_are_told_apart() {
    let text = "int k = 0; int t = 0; int y = 0; int z = 0; int cf = 1;
        void calculate_output(int input) {
            if (k == 1 && z == 5) error_0: __VERIFIER_error(0);
            cf = 1;
            if (cf == 1 && k == 0 && input == 1) { cf = 0; k = 1; t = 1; y = 1; }
            if (cf == 1 && k == 0 && input == 2) { cf = 0; k = 1; t = 2; y = 0; }
            if (cf == 1 && k == 1 && t == 1 && input == 1) { cf = 0; k = y * 2 + 1; z = 5; }
            if (cf == 1 && k == 3 && input == 1) { cf = 0; k = 0; t = 0; y = 0; z = 0; }
        }
        int main() { while (1) { int input; scanf(\"%d\", &input); if (input != 1 && input != 2) return -2; calculate_output(input); } }";
    let program = load_text("together.c", text);
    let order = Order {
        wanted: &[PropertyId::new(0)],
        limits: &Limits::default(),
        effort: EFFORT,
        memory: 100 << 20,
        doubt: Doubt::Labels,
    };
    let (closed, _) = forwards(&Facts::new(&program), &order);
    let closed = closed.expect("it is small");
    assert_eq!((closed.excluded.len(), closed.boxes), (1, 4));
    assert_eq!(execute::confirm(&program, &closed.certificate, &Interrupt::default()), Judgement::Confirmed);
}

/// Two states of the machine have come together in a part, and seem to lead where neither does. The parts there decide
/// about a label, the part itself does not: it is divided only if everything is doubted.
#[test]
fn states_that_lead_nowhere_together_are_told_apart_in_doubt() {
    let text = "int k = 0; int m = 0; int n = 0; int cf = 1;
        void calculate_output(int input) {
            if (k == 3) error_0: __VERIFIER_error(0);
            cf = 1;
            if (cf == 1 && k == 0 && input == 1) { cf = 0; k = 1; m = 1; n = 1; }
            if (cf == 1 && k == 0 && input == 2) { cf = 0; k = 1; m = 2; n = 2; }
            if (cf == 1 && k == 1 && m == 1 && n == 2 && input == 1) { cf = 0; k = 3; }
        }
        int main() { while (1) { int input; scanf(\"%d\", &input); if (input != 1 && input != 2) return -2; calculate_output(input); } }";
    let program = load_text("doubt.c", text);
    let limits = Limits::default();
    let excluded = |doubt| {
        let order = Order { wanted: &[PropertyId::new(0)], limits: &limits, effort: EFFORT, memory: 100 << 20, doubt };
        let (closed, _) = forwards(&Facts::new(&program), &order);
        let closed = closed.expect("it is small");
        assert_eq!(execute::confirm(&program, &closed.certificate, &Interrupt::default()), Judgement::Confirmed);
        closed.excluded.len()
    };
    assert_eq!((excluded(Doubt::Labels), excluded(Doubt::Everything)), (0, 1));
    let report = check::decide(&program, Means::Partition, &CheckOptions::default(), &Terms::default(), &mut |_| {});
    let answer = &report.expect("it is small").findings[0].answer;
    assert!(matches!(answer, Answer::Unreachable { .. }), "{answer:?}");
}

#[test]
fn our_own_problems() {
    let mut count = Count::default();
    for problem in problems::own() {
        count.add(judge(&problem.load(), 1, backwards));
    }
    println!("{count:?}");
    assert!(count.confirmed > 3 && count.others == 0, "{count:?}");
}

#[test]
fn partitions_of_our_own_problems() {
    let mut count = Count::default();
    for problem in problems::own() {
        count.add(judge(&problem.load(), 1, forwards));
    }
    println!("{count:?}");
    assert!(count.confirmed > 3 && count.others == 0, "{count:?}");
}

/// Parts, what they exclude and the runs that are found with them do not depend on how many threads there were.
#[test]
fn threads_change_no_parts() {
    let random = seeds(6).map(|seed| load_text("program.c", &arithmetic::program(seed)));
    for program in problems::own().into_iter().map(|problem| problem.load()).chain(random) {
        let wanted: Vec<PropertyId> = (0..program.properties.len()).map(PropertyId::new).collect();
        let found = |threads: usize| {
            let limits = Limits { threads: Threads::new(threads), ..Limits::default() };
            let order =
                Order { wanted: &wanted, limits: &limits, effort: EFFORT, memory: 100 << 20, doubt: Doubt::Labels };
            let (closed, reached) = forwards(&Facts::new(&program), &order);
            (closed.map(|closed| (closed.excluded, closed.certificate)), reached)
        };
        let alone = found(0);
        for threads in [1, 3] {
            assert_eq!(found(threads), alone, "{}: {threads} threads more", program.name);
        }
    }
}

/// A label reached in a step that a later assumption forbids was not reached.
#[test]
fn an_assumption_takes_back_what_was_reached_before_it() {
    let text = "system Late
input press: bool
var idle: bool = true
step {
  assert pressed: press
  assume press || !idle
  if press { idle = false }
}
";
    let program = load_model("late.gcl", text);
    let wanted = [PropertyId::new(0)];
    let order =
        Order { wanted: &wanted, limits: &Limits::default(), effort: EFFORT, memory: 100 << 20, doubt: Doubt::Labels };
    let mut runs = vec![];
    let closed = search(&Facts::new(&program), &order, &mut |_, run| runs.push(run)).expect("nobody interrupts");
    assert!(closed.is_some());
    assert_eq!(runs, [[[1], [0]]]);
    assert_eq!(check::reaches(&program, &runs[0], wanted[0]), Some(2));
}

/// A guard's condition on an input is forgotten when the next step begins.
#[test]
fn inputs_are_open_again_in_every_step() {
    let text = "system Twice
input press: 0..3
var count: 0..2 = 0
step {
  if press == 1 && count == 0 { count = 1 }
  else if press == 1 && count == 1 { count = 2 }
  else if press == 2 { count = 0 }
}
property never_twice: always count < 2
property bounded: always count <= 2
";
    let program = load_model("twice.gcl", text);
    assert_eq!(judge(&program, 1, forwards), Some(true));
    let wanted: Vec<PropertyId> = (0..program.properties.len()).map(PropertyId::new).collect();
    let order =
        Order { wanted: &wanted, limits: &Limits::default(), effort: EFFORT, memory: 100 << 20, doubt: Doubt::Labels };
    let (closed, reached) = forwards(&Facts::new(&program), &order);
    let name = |property: &PropertyId| program.property(*property).name.clone();
    assert!(closed.is_some_and(|closed| closed.excluded.iter().all(|property| name(property) != "never_twice")));
    assert!(reached.iter().any(|(property, run)| name(property) == "never_twice" && run.len() == 2));
}

/// Where ways double with each function that finds nothing to do, those that meet again go on as one; but not into the arms behind
/// the one that they were in.
#[test]
fn ways_that_meet_again_do_not_get_lost() {
    let idle = |input: usize| format!("  if b{input} {{ if x == 7 {{ x = 8 }} }}\n");
    let inputs: String = (0..18).map(|input| format!("input b{input}: bool\n")).collect();
    let steps: String = (1..18).map(idle).collect();
    let text = format!(
        "system Meeting
{inputs}var x: 0..8 = 0
var y: 0..1 = 0
var n: 0..1 = 0
step {{
{steps}  if b0 {{ if x == 7 {{ x = 8 }} }} else {{ y = 1 }}
  n = 1
}}
property set: always n == 0 || y == 1 || x == 8
property still: always x == 0
"
    );
    let program = load_model("meeting.gcl", &text);
    let wanted: Vec<PropertyId> = (0..program.properties.len()).map(PropertyId::new).collect();
    let order =
        Order { wanted: &wanted, limits: &Limits::default(), effort: EFFORT, memory: 100 << 20, doubt: Doubt::Labels };
    let (closed, _) =
        partition::search(&Facts::new(&program), &order).expect("nobody interrupts").expect("it is small");
    let names: Vec<&str> = closed.excluded.iter().map(|&property| program.property(property).name.as_str()).collect();
    assert!(names.contains(&"still") && !names.contains(&"set"), "{names:?}");
    assert_eq!(execute::confirm(&program, &closed.certificate, &Interrupt::default()), Judgement::Confirmed);
}
