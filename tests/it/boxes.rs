//! Boxes against exhaustive search, chance and the checker. They are a proposal: where the checker confirms it, what they exclude
//! cannot be reached, and no step from a state in a box leaves them. What they reach is replayed in any case.
//!
//! `REDOUBT_PROGRAMS=2000 cargo test --release --test it boxes::` tries more programs.

use redoubt::analysis::Facts;
use redoubt::base::{Interrupt, Limits, Random};
use redoubt::boxes::{Closed, Order, search};
use redoubt::certificate::{Fact, Judgement, NumberSet, execute};
use redoubt::check;
use redoubt::expr::VarId;
use redoubt::program::{Place, Program, PropertyId, Scope};
use redoubt::simulate::Simulator;

use crate::common::explore::explore_some;
use crate::common::generate::arithmetic;
use crate::common::seeds::seeds;
use crate::common::{load_model, load_text, problems};

/// Enough for most of the small programs here.
const EFFORT: u64 = 20_000;

/// Looks for boxes, and judges all that is said on the way. Boxes that close are a proposal: whether the checker confirmed it.
fn judge(program: &Program, seed: u64) -> Option<bool> {
    let (explored, all) = explore_some(program, 600);
    let can_be_reached = |property: PropertyId| explored.reached.contains_key(&program.property(property).name);
    let wanted: Vec<PropertyId> = (0..program.properties.len()).map(PropertyId::new).collect();
    let order = Order { wanted: &wanted, limits: &Limits::default(), effort: EFFORT, memory: 100 << 20 };
    let mut reached = vec![];
    let facts = Facts::new(program);
    let closed = search(&facts, &order, &mut |property, run| reached.push((property, run))).expect("nobody interrupts");
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

/// A number of a set, by chance.
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

/// How many proposals the checker confirmed, and how many it did not.
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
        count.add(judge(&program, seed));
    }
    println!("{count:?}");
    assert!(count.confirmed > 10 && count.others == 0, "{count:?}");
}

#[test]
fn our_own_problems() {
    let mut count = Count::default();
    for problem in problems::own() {
        count.add(judge(&problem.load(), 1));
    }
    println!("{count:?}");
    assert!(count.confirmed > 3 && count.others == 0, "{count:?}");
}

/// What is reached in a step that a later assumption forbids was not reached.
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
    let order = Order { wanted: &wanted, limits: &Limits::default(), effort: EFFORT, memory: 100 << 20 };
    let mut runs = vec![];
    let closed = search(&Facts::new(&program), &order, &mut |_, run| runs.push(run)).expect("nobody interrupts");
    assert!(closed.is_some());
    assert_eq!(runs, [[[1], [0]]]);
    assert_eq!(check::reaches(&program, &runs[0], wanted[0]), Some(2));
}
