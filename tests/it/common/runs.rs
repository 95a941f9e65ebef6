//! Runs of the simulator in the form in which runs of the compiled program are recorded.

use redoubt_base::Random;
use redoubt_program::program::{Program, PropertyKind};
use redoubt_program::simulate::{End, Simulator};
pub use redoubt_witness::compiled::Ending;

/// The output of a run, and its end.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Record {
    /// Standard output of each step, the setup first.
    pub outputs: Vec<String>,
    /// Standard error of each step, in the same way.
    pub complaints: Vec<String>,
    pub ending: Ending,
}

/// Runs the program on these inputs, or on as many as it takes.
pub fn simulate(program: &Program, inputs: &[i32]) -> Record {
    let mut simulator = Simulator::new(program);
    let opening = simulator.opening();
    let mut record = Record {
        outputs: vec![opening.output.clone()],
        complaints: vec![opening.complaints.clone()],
        ending: Ending::Inputs,
    };
    let mut inputs = inputs.iter();
    while simulator.end().is_none()
        && let Some(&input) = inputs.next()
    {
        let step = simulator.step(&[input]);
        record.outputs.push(step.output);
        record.complaints.push(step.complaints);
    }
    if let Some(end) = simulator.end() {
        record.ending = ending(program, end);
    }
    record
}

/// Checks that a run here agrees with the compiled program. Its behaviour outside its tables does not matter; up to
/// there both agree.
pub fn assert_same(ours: &Record, theirs: &Record, what: &dyn Fn() -> String) {
    if ours.ending == Ending::OutOfBounds {
        let steps = ours.outputs.len() - 1;
        assert!(theirs.outputs.len() >= steps, "{}", what());
        assert_eq!(ours.outputs[..steps], theirs.outputs[..steps], "{}", what());
    } else {
        assert_eq!(ours, theirs, "{}", what());
    }
}

fn ending(program: &Program, end: End) -> Ending {
    match end {
        End::Halt(code) => Ending::Exit(code as u8),
        End::Blocked(_) => Ending::Inputs,
        End::Error(id, span) => {
            let property = program.property(id);
            match property.kind {
                PropertyKind::DivisionByZero | PropertyKind::DivisionOverflow => Ending::Trap,
                PropertyKind::IndexOutOfBounds
                | PropertyKind::ShiftOutOfRange
                | PropertyKind::InvalidDereference
                | PropertyKind::InvalidFree
                | PropertyKind::OutOfMemoryModel
                | PropertyKind::RecursionTooDeep
                | PropertyKind::FloatConversionRange => Ending::OutOfBounds,
                PropertyKind::Assertion => Ending::Assertion(program.line(span)),
                PropertyKind::OutOfRange
                | PropertyKind::Invariant
                | PropertyKind::Goal
                | PropertyKind::Lint
                | PropertyKind::Atom => {
                    unreachable!("C has no such property")
                }
                // A label stands before its assertion, an error function is called by a name of its own.
                PropertyKind::Label if program.sources.text(span).contains('(') => Ending::Error(property.name.clone()),
                PropertyKind::Label => Ending::Assertion(program.line(span)),
            }
        }
    }
}

/// Random inputs from the alphabet.
pub fn random_inputs(program: &Program, steps: usize, random: &mut Random) -> Vec<i32> {
    (0..steps).map(|_| program.inputs[0].alphabet.sample(random)).collect()
}

/// Random inputs that avoid the end of the run as long as some input does, to get deep into the program.
pub fn surviving_inputs(program: &Program, steps: usize, random: &mut Random) -> Vec<i32> {
    let mut simulator = Simulator::new(program);
    let mut inputs = vec![];
    while inputs.len() < steps && simulator.end().is_none() {
        let before = simulator.state().clone();
        let mut choices: Vec<i32> = program.inputs[0].alphabet.iter().collect();
        loop {
            let input = choices.swap_remove(random.below(choices.len()));
            let end = simulator.step(&[input]).end;
            if end.is_none() || choices.is_empty() {
                inputs.push(input);
                break;
            }
            simulator.restore(before.clone());
        }
    }
    inputs
}

/// Random inputs of which about one in twenty is no letter of the alphabet.
pub fn wild_inputs(program: &Program, steps: usize, random: &mut Random) -> Vec<i32> {
    const STRANGE: &[i32] = &[0, -1, 7, 27, 100, i32::MAX, i32::MIN];
    let mut inputs = random_inputs(program, steps, random);
    for input in &mut inputs {
        if random.below(20) == 0 {
            *input = random.choose(STRANGE);
        }
    }
    inputs
}
