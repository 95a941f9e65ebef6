//! Boxes against exhaustive search, against chance and against the checker: what they exclude cannot be reached, what
//! they reach is replayed, no step from a state in a box leaves them, and the checker has nothing to refute.
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
use crate::common::generate::{self, arithmetic};
use crate::common::load_text;
use crate::common::seeds::seeds;

/// Enough for most of the small programs here.
const EFFORT: u64 = 20_000;

/// Looks for boxes, and judges all that is said on the way.
fn judge(program: &Program, seed: u64) -> Option<Closed> {
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
    for &property in &closed.excluded {
        assert!(!can_be_reached(property), "seed {seed}: {} can be reached", program.property(property).name);
    }
    let judgement = execute::confirm(program, &closed.certificate, &Interrupt::default());
    assert!(!matches!(judgement, Judgement::Refuted(_)), "seed {seed}: {judgement:?}");
    step_from_boxes(program, &closed, seed);
    Some(closed)
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

#[test]
fn programs_that_compute() {
    let (mut closed, mut excluded) = (0, 0);
    for seed in seeds(60) {
        let program = load_text("arithmetic.c", &arithmetic::program(seed + 70_000));
        if let Some(found) = judge(&program, seed) {
            (closed, excluded) = (closed + 1, excluded + found.excluded.len());
        }
    }
    println!("{closed} programs closed, {excluded} properties excluded");
    assert!(closed > 20 && excluded > 20, "only {closed} programs closed, {excluded} properties excluded");
}

#[test]
fn programs_with_all_that_the_front_end_reads() {
    let mut closed = 0;
    for seed in seeds(40) {
        for bounded in [true, false] {
            let options = generate::Options { bounded, ..generate::Options::default() };
            let program = load_text("generated.c", &generate::program(seed, options));
            closed += usize::from(judge(&program, seed).is_some());
        }
    }
    println!("{closed} programs closed");
    assert!(closed > 5, "only {closed} programs closed");
}
