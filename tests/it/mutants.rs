//! Broken programs that are read all the same mean what gcc says they mean.

use std::sync::Arc;

use proptest::strategy::{Strategy, ValueTree};
use proptest::test_runner::TestRunner;
use redoubt_base::Random;
use redoubt_languages::rers;
use redoubt_program::text::{SourceFile, Sources};

use crate::common::gcc;
use crate::common::mutate::{self, mutations};
use crate::common::scratch::Scratch;
use crate::common::seeds::programs;
use crate::common::{problems, runs};

#[test]
fn mutants_that_are_read_agree_with_gcc() {
    const STEPS: usize = 100;
    if !gcc::available() {
        return;
    }
    let single = problems::own().into_iter().filter(|problem| problem.files.len() == 1);
    let texts: Vec<String> =
        single.map(|problem| std::fs::read_to_string(&problem.files[0]).expect("it can be read")).collect();
    let strategy = (proptest::sample::select(texts), mutations());
    let mut runner = TestRunner::deterministic();
    // About one in ten is read.
    for number in 0..programs(300) {
        let (text, mutations) = strategy.new_tree(&mut runner).expect("there are mutations").current();
        let mutant = mutate::apply(&text, &mutations);
        let sources = Arc::new(Sources::new(vec![SourceFile::new("mutant.c", mutant.clone())]));
        let Ok(program) = rers::load(sources) else { continue };
        // gcc looks into headers and prototypes, and refuses some programs for mistakes there.
        let scratch = Scratch::new();
        let Ok(compiled) = gcc::try_compile(&[scratch.write("mutant.c", &mutant)]) else { continue };
        let random = &mut Random::new(number);
        let mut inputs: Vec<Vec<i32>> = (0..4).map(|_| runs::random_inputs(&program, STEPS, random)).collect();
        inputs.push(runs::surviving_inputs(&program, STEPS, random));
        for (inputs, theirs) in inputs.iter().zip(compiled.run(&inputs)) {
            let ours = runs::simulate(&program, inputs);
            runs::assert_same(&ours, &theirs, &|| format!("{mutations:?} on {inputs:?}\n{mutant}"));
        }
    }
}
