//! The judgement on a witness: the program is run on it by the simulator, and by nothing else.

use super::{Target, Witness};
use crate::program::{Program, PropertyId};
use crate::simulate::{End, Simulator, Step};
use crate::text::Span;

/// The result of the run.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Replayed {
    /// It reaches the property after this many steps, at this place. Steps behind that are not needed.
    Reached { property: PropertyId, steps: usize, place: Span },
    /// It does not, and why.
    Missed(String),
}

/// Runs the program on a witness.
pub fn replay(program: &Program, witness: &Witness) -> Replayed {
    if let Target::Property(name) = &witness.target
        && super::property(program, name).is_none()
    {
        return Replayed::Missed(format!("the program has no property `{name}`"));
    }
    let mut simulator = Simulator::new(program);
    let mut step = simulator.opening().clone();
    let mut steps = 0;
    loop {
        if let Some((property, place)) = hit(program, &witness.target, &step) {
            return Replayed::Reached { property, steps, place };
        }
        if let Some(end) = step.end {
            return Replayed::Missed(format!("the run ends before, {}: {}", after(steps), ending(program, end)));
        }
        let Some(inputs) = witness.run.get(steps) else {
            return Replayed::Missed(format!(
                "nothing of that happens, {}, and there are no more inputs",
                after(steps)
            ));
        };
        if let Some(why) = forbidden(program, inputs) {
            return Replayed::Missed(format!("step {} is not possible: {why}", steps + 1));
        }
        step = simulator.step(inputs);
        steps += 1;
    }
}

/// The wanted property that a step reached.
fn hit(program: &Program, target: &Target, step: &Step) -> Option<(PropertyId, Span)> {
    let ended = match step.end {
        Some(End::Error(property, span)) => Some((property, span)),
        _ => None,
    };
    step.reached.iter().copied().chain(ended).find(|&(property, span)| match target {
        Target::Property(name) => program.property(property).name == *name,
        Target::Line(file, line) => same_file(&program.sources.file(span).name, file) && program.line(span) == *line,
    })
}

/// Whether two names may be those of one file: other tools call it by another path.
pub(super) fn same_file(ours: &str, theirs: &str) -> bool {
    let base = |name: &str| name.rsplit('/').next().unwrap_or(name).to_string();
    base(ours) == base(theirs)
}

/// Why the surroundings of a program cannot send this, if they cannot.
pub fn forbidden(program: &Program, inputs: &[i32]) -> Option<String> {
    if inputs.len() != program.inputs.len() {
        return Some(format!("it has {} values, and the program {} inputs", inputs.len(), program.inputs.len()));
    }
    let (input, value) = program.inputs.iter().zip(inputs).find(|(input, value)| !input.alphabet.contains(**value))?;
    Some(format!("{value} is not a value of `{}`; expected one of {}", input.name, input.alphabet))
}

fn after(steps: usize) -> String {
    match steps {
        0 => "before the first step".into(),
        1 => "after 1 step".into(),
        _ => format!("after {steps} steps"),
    }
}

fn ending(program: &Program, end: End) -> String {
    match end {
        End::Error(property, span) => {
            format!("it reaches {} ({})", program.property(property).name, program.sources.place(span))
        }
        End::Halt(code) => format!("the program stops itself with code {code}"),
        End::Blocked(span) => format!("an assumption rules this step out ({})", program.sources.place(span)),
    }
}

/// Runs a program on inputs: after how many steps it reaches the property, if it does.
pub fn reaches(program: &Program, inputs: &[Vec<i32>], property: PropertyId) -> Option<usize> {
    let mut simulator = Simulator::new(program);
    if simulator.opening().reaches(property) {
        return Some(0);
    }
    let mut steps = inputs.iter().map(|step| simulator.step(step));
    steps.position(|step| step.reaches(property)).map(|index| index + 1)
}

/// Runs a program on inputs: how the run ended and after how many steps, if it did.
pub fn end_of(program: &Program, inputs: &[Vec<i32>]) -> Option<(End, usize)> {
    let mut simulator = Simulator::new(program);
    for (index, step) in inputs.iter().enumerate() {
        if let Some(end) = simulator.end() {
            return Some((end, index));
        }
        simulator.step(step);
    }
    simulator.end().map(|end| (end, inputs.len()))
}
