//! A run of sequential C as the results of its calls: the values of `__VERIFIER_nondet_...`, in the order of the calls,
//! with their places, and those of uninitialised variables.

use super::Run;
use crate::program::Program;
use crate::simulate::Simulator;
use crate::text::Span;

/// A value that a run got from outside.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Call {
    /// The function that was called, or the variable that was not initialised.
    pub name: String,
    pub is_call: bool,
    pub place: Span,
    /// In which step, from 0.
    pub step: usize,
    /// As C would print it.
    pub value: i128,
}

/// The common prefix of all functions that ask.
pub const ASKS: &str = "__VERIFIER_nondet_";
/// Those that return unsigned words; the words of a run are signed.
const UNSIGNED: [&str; 8] = ["uint", "unsigned", "unsigned_int", "ulong", "size_t", "u32", "pointer", "pchar"];
/// Those that return 64 bits, of which the low word comes first; whether these are signed.
const WIDE: [(&str, bool); 4] = [("longlong", true), ("s64", true), ("ulonglong", false), ("u64", false)];

/// The calls of a run, as far as the simulator gets with it.
pub fn calls(program: &Program, run: &Run) -> Vec<Call> {
    let mut simulator = Simulator::new(program).trace();
    let mut found = vec![];
    for (number, inputs) in run.iter().enumerate() {
        if simulator.end().is_some() {
            break;
        }
        let step = simulator.step(inputs);
        let mut reads = step.reads.into_iter();
        while let Some((input, place)) = reads.next() {
            let name = program.inputs[input.index()].name.split('@').next().unwrap_or_default().to_string();
            let asked = name.strip_prefix(ASKS);
            let word = inputs[input.index()];
            let wide = WIDE.iter().find(|(wide, _)| asked == Some(*wide));
            let value = match wide {
                Some((_, signed)) => {
                    let high = reads.next().map_or(0, |(input, _)| inputs[input.index()]);
                    let high = if *signed { i128::from(high) } else { i128::from(high as u32) };
                    high << 32 | i128::from(word as u32)
                }
                None if asked.is_some_and(|asked| UNSIGNED.contains(&asked)) => i128::from(word as u32),
                None => i128::from(word),
            };
            found.push(Call { is_call: asked.is_some(), name, place, step: number, value });
        }
    }
    found
}

/// Steps without a question that are taken when all values are used up.
const MOST_STEPS: usize = 100_000;

/// The run in which calls return these values, in order, and uninitialised variables have the least of theirs.
pub fn run_of(program: &Program, values: &[i128]) -> Run {
    let mut simulator = Simulator::new(program).trace();
    let (mut run, mut used): (Run, usize) = (vec![], 0);
    while simulator.end().is_none() && run.len() < MOST_STEPS + values.len() {
        let mut inputs: Vec<i32> = program.inputs.iter().map(|input| input.alphabet.nth(0)).collect();
        // Which questions a step asks depends on the answers to those before: one more is answered each time.
        let before = simulator.clone();
        let (mut answered, mut left) = (0, values[used..].iter());
        let mut high = None;
        loop {
            simulator = before.clone();
            let step = simulator.step(&inputs);
            let Some(&(input, _)) = step.reads.get(answered) else { break };
            answered += 1;
            let name = program.inputs[input.index()].name.split('@').next().unwrap_or_default();
            let Some(asked) = name.strip_prefix(ASKS) else { continue };
            let is_wide = WIDE.iter().any(|(wide, _)| *wide == asked);
            let value = match high.take() {
                Some(high) => high,
                None => {
                    let Some(&value) = left.next() else { return run };
                    high = is_wide.then_some(value >> 32);
                    value
                }
            };
            let word = value as i32;
            if program.inputs[input.index()].alphabet.contains(word) {
                inputs[input.index()] = word;
            }
        }
        used = values.len() - left.len();
        run.push(inputs);
    }
    run
}
