//! Two programs to the number of prints in a step of them: a bound that no step exceeds, or the number that some runs
//! show.

use crate::base::Random;
use crate::program::{FunctionId, Program, StmtId, StmtKind, Stream};
use crate::simulate::Simulator;

/// With so few prints there is nothing to be gained by fewer.
const FEW: usize = 2;

/// Random runs, and the steps of each.
const RUNS: u64 = 20;
const STEPS: usize = 20;

/// The number of prints in a step that suffices for most comparisons; at least one.
pub fn likely(programs: [&Program; 2]) -> usize {
    let bound = programs.iter().map(|program| most(program)).max().unwrap_or(0);
    if bound <= FEW {
        return bound.max(1);
    }
    let seen = programs.iter().map(|program| seen(program)).max().unwrap_or(0);
    seen.clamp(1, bound)
}

/// The most lines that a step printed in some runs.
fn seen(program: &Program) -> usize {
    let mut lines = 0;
    for seed in 0..RUNS {
        let random = &mut Random::new(seed);
        let mut simulator = Simulator::new(program);
        lines = lines.max(simulator.opening().output.lines().count());
        for _ in 0..STEPS {
            let inputs: Vec<i32> = program.inputs.iter().map(|input| input.alphabet.sample(random)).collect();
            let step = simulator.step(&inputs);
            lines = lines.max(step.output.lines().count());
            if step.end.is_some() {
                break;
            }
        }
    }
    lines
}

/// The most prints on any way through the setup or the step.
fn most(program: &Program) -> usize {
    let mut functions: Vec<Option<usize>> = vec![None; program.functions.len()];
    [program.setup, program.step].into_iter().map(|root| count(program, root, &mut functions)).max().unwrap_or(0)
}

fn count(program: &Program, id: StmtId, functions: &mut Vec<Option<usize>>) -> usize {
    crate::base::stack::grow(|| match &program.stmt(id).kind {
        StmtKind::Print { stream: Stream::Output, .. } => 1,
        StmtKind::Sequence(list) => {
            list.iter().map(|&inner| count(program, inner, functions)).fold(0, usize::saturating_add)
        }
        StmtKind::Choice(arms) => arms.iter().map(|arm| count(program, arm.body, functions)).max().unwrap_or(0),
        StmtKind::Call(callee) => called(program, *callee, functions),
        _ => 0,
    })
}

fn called(program: &Program, callee: FunctionId, functions: &mut Vec<Option<usize>>) -> usize {
    if let Some(known) = functions[callee.index()] {
        return known;
    }
    let prints = count(program, program.function(callee).body, functions);
    functions[callee.index()] = Some(prints);
    prints
}
