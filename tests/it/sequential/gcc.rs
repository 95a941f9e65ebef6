//! The simulator against gcc: generated programs, and every operator on every pair of types at the edges.

use super::super::common::gcc;
use super::super::common::seeds::seeds;
use super::generate::{self, Shape};
use super::harness::{Summing, answers, compile};
use super::{DECLARATIONS, counting, load};
use redoubt_program::program::Domain;

/// Runs random programs here and with gcc; how many runs trapped.
pub fn compute_what_gcc_says(seeds: &[u64], generate: impl Fn(u64) -> String) -> usize {
    const RUNS: u64 = 4;
    let mut trapped = 0;
    for batch in seeds.chunks(100) {
        let programs: Vec<String> = batch.iter().map(|&seed| generate(seed)).collect();
        let run_seeds = |seed: u64| (0..RUNS).map(move |index| seed * RUNS + index);
        let runs: Vec<(usize, Vec<i32>)> = batch
            .iter()
            .enumerate()
            .flat_map(|(number, &seed)| run_seeds(seed).map(move |run| (number, answers(run))))
            .collect();
        let expected = compile(&programs).run(&runs);
        let mut last: Option<(usize, Summing)> = None;
        for ((number, answers), expected) in runs.iter().zip(expected) {
            if last.as_ref().is_none_or(|(of, _)| of != number) {
                last = Some((*number, Summing::new(&programs[*number])));
            }
            let (_, program) = last.as_ref().expect("it has just been read");
            let found = program.run(answers);
            if found == "trap" {
                // Undefined: the processor traps, unless gcc has found a way around the division.
                trapped += 1;
            } else {
                let (seed, text) = (batch[*number], &programs[*number]);
                assert_eq!(found, expected, "seed {seed} on {answers:?}\n{text}");
            }
        }
    }
    trapped
}

#[test]
fn generated_programs_compute_what_gcc_says() {
    if gcc::available() {
        let seeds: Vec<u64> = seeds(60).collect();
        let trapped = compute_what_gcc_says(&seeds, |seed| generate::program(seed, Shape::large(seed)));
        let runs = 4 * seeds.len();
        println!("{runs} runs, {trapped} of them trapped");
        assert!(trapped > 0 && trapped * 4 < runs || seeds.len() < 100, "{trapped} of {runs} trapped");
    }
}

/// A program of a kind that is not generated: calls that share everything except their arguments.
const ODD: [&str; 1] =
    ["int @n; int @walk(int by) { int k = 0; while (k < 3 && @n < 1000) { @n += by; k++; } return @n * k; }
     int @main(void) {
       unsigned @sum = 3; int first = __VERIFIER_nondet_char();
       if (first > 5) @sum += @walk(first); else @sum += 7 * @walk(2);
       @sum += @walk(1) * 31 + @walk(@walk(4));
       END(@sum)
       return 0;
     }\n"];

#[test]
fn odd_programs_compute_what_gcc_says() {
    if gcc::available() {
        let seeds: Vec<u64> = (0..ODD.len() as u64).collect();
        assert_eq!(compute_what_gcc_says(&seeds, |seed| ODD[seed as usize].into()), 0);
    }
}

/// Loops that only count are taken in one step, which must come to the same.
#[test]
fn loops_that_count_come_to_what_gcc_says() {
    if gcc::available() {
        let seeds: Vec<u64> = seeds(60).collect();
        compute_what_gcc_says(&seeds, counting::program);
        let has_loops = |&seed: &u64| {
            let text = counting::program(seed).replace('@', "").replace("END(sum)", "if (sum == 1U) reach_error();");
            let program = load(&format!("{DECLARATIONS}{text}"));
            let location = program.location.expect("sequential programs have one");
            program.variable(location).domain != Some(Domain::Range(0, 0))
        };
        let left = seeds.iter().filter(|seed| has_loops(seed)).count();
        // Where a bound is not known, a loop stays for values that wrap around.
        assert!(left < seeds.len(), "all {left} still have loops");
    }
}
