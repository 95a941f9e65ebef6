//! The simulator against gcc: on every problem, random runs give the outputs, complaints and endings of the
//! compiled program, known witnesses reach their label, and what cannot be reached never is.

use std::collections::BTreeSet;
use std::path::Path;

use redoubt_base::Random;
use redoubt_program::program::Program;
use redoubt_program::simulate::{End, Simulator};

use crate::common::expected::{self, Row};
use crate::common::gcc;
use crate::common::problems::{self, Problem};
use crate::common::runs;

const STEPS: usize = 1_000;
const SEEDS: u64 = 20;

/// Compares one program with its compiled self.
fn compare(problem: &Problem, program: &Program) {
    let mut inputs = vec![];
    for seed in 0..SEEDS {
        let random = &mut Random::new(seed);
        inputs.push(runs::random_inputs(program, STEPS, random));
        if seed % 4 == 0 {
            inputs.push(runs::surviving_inputs(program, STEPS, random));
            inputs.push(runs::wild_inputs(program, STEPS, random));
        }
    }
    let compiled = gcc::compile(&problem.files).run(&inputs);
    for (inputs, theirs) in inputs.iter().zip(compiled) {
        let ours = runs::simulate(program, inputs);
        let taken = &inputs[..ours.outputs.len() - 1];
        runs::assert_same(&ours, &theirs, &|| format!("{} on {taken:?}", problem.name()));
    }
}

/// The name of the property that a run on these inputs reaches.
fn reached(program: &Program, inputs: &[i32]) -> Option<String> {
    let mut simulator = Simulator::new(program);
    for &input in inputs {
        simulator.step(&[input]);
    }
    match simulator.end() {
        Some(End::Error(property, _)) => Some(program.property(property).name.clone()),
        _ => None,
    }
}

/// Replays what `expected.csv` knows about a program.
fn replay(program: &Program, rows: &[&Row]) {
    for row in rows {
        if !row.witness.is_empty() {
            let found = reached(program, &row.witness);
            assert_eq!(found.as_ref(), Some(&row.property), "{} on {:?}", row.file, row.witness);
        }
    }
    let unreachable: BTreeSet<&str> =
        rows.iter().filter(|row| !row.reachable).map(|row| row.property.as_str()).collect();
    for seed in 0..SEEDS {
        let random = &mut Random::new(seed);
        let found = reached(program, &runs::random_inputs(program, STEPS, random));
        let contradicted = found.filter(|name| unreachable.contains(name.as_str()));
        assert_eq!(contradicted, None, "{} with seed {seed}", program.name);
    }
}

fn check_folder(folder: &Path) {
    let with_gcc = gcc::available();
    let rows = expected::read(folder);
    for problem in problems::in_folder(folder) {
        let program = problem.load();
        let name = problem.name();
        replay(&program, &rows.iter().filter(|row| row.file == name).collect::<Vec<_>>());
        if with_gcc {
            compare(&problem, &program);
        }
    }
}

#[test]
fn own_problems() {
    check_folder(&problems::own_folder());
}

#[test]
fn generated_problems() {
    check_folder(&problems::own_folder().join("generated"));
}

/// A year of the collection, one test each so that they run side by side.
fn check_year(year: &str) {
    match problems::collection(year) {
        Some(folder) => check_folder(&folder),
        None => eprintln!("skipped: the collection of challenge problems is not there"),
    }
}

macro_rules! years {
    ($($test:ident $year:literal,)*) => { $( #[test] fn $test() { check_year($year); } )* };
}

years! {
    collection_2012 "2012",
    collection_2013 "2013",
    collection_2014 "2014",
    collection_2015 "2015",
    collection_2016 "2016",
    collection_2017 "2017",
    collection_2018 "2018",
    collection_2019 "2019",
    collection_2020 "2020",
}
