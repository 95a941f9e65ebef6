//! A program to states that it can reach, place by place: from runs on random inputs.

use rustc_hash::{FxHashMap, FxHashSet};

use crate::base::{Interrupt, Random};
use crate::expr::Expr;
use crate::program::{Place, Program};
use crate::simulate::Simulator;

/// The numbers at some places, by where the run was.
pub type Samples = FxHashMap<i32, Vec<Vec<i32>>>;

const RUNS: usize = 400;
const STEPS: usize = 80;
/// Statements that may be executed altogether, roughly.
const WORK: usize = 60_000_000;
/// More states of one place are not needed.
const MOST_STATES: usize = 400;

pub fn samples(program: &Program, places: &[Place], interrupt: &Interrupt) -> Samples {
    let mut random = Random::new(1);
    let pool = constants(program);
    let mut found = Samples::default();
    let mut seen = FxHashSet::default();
    let runs = RUNS.min(WORK / STEPS / program.stmts.len().max(1)).max(4);
    for run in 0..runs {
        if interrupt.is_raised() {
            break;
        }
        let mut simulator = Simulator::new(program);
        // Small numbers make runs that end, larger ones runs that last.
        let most = [2, 5, 20, 200][run % 4];
        for _ in 0..STEPS {
            if simulator.end().is_some() {
                break;
            }
            let location = program.location.map_or(0, |location| simulator.at(Place::Variable(location)));
            let numbers: Vec<i32> = places.iter().map(|&place| simulator.at(place)).collect();
            let list = found.entry(location).or_default();
            if list.len() < MOST_STATES && seen.insert((location, numbers.clone())) {
                list.push(numbers);
            }
            let inputs: Vec<i32> = program
                .inputs
                .iter()
                .map(|input| {
                    let value = match random.below(8) {
                        0..5 => random.below(most) as i32,
                        5 => pool[random.below(pool.len())],
                        6 => pool[random.below(pool.len())].wrapping_add(random.below(3) as i32 - 1),
                        _ => random.bits() as i32,
                    };
                    if input.alphabet.contains(value) { value } else { input.alphabet.sample(&mut random) }
                })
                .collect();
            simulator.step(&inputs);
        }
    }
    found
}

/// The numbers that the program mentions, ascending, and a few that always matter.
pub fn constants(program: &Program) -> Vec<i32> {
    const MOST: usize = 400;
    let mut list = vec![-1, 0, 1];
    list.extend(program.exprs.iter().filter_map(|(_, expr)| match expr {
        Expr::Int(value) => Some(value),
        _ => None,
    }));
    list.truncate(MOST);
    list.sort_unstable();
    list.dedup();
    list
}
