//! `redoubt simulate` for models: inputs by name, whatever is not given at random, and at a terminal a choice among the
//! enabled alternatives.

mod debug;

use std::io::{self, BufRead, Write};
use std::path::Path;

use redoubt_base::Random;
use redoubt_program::expr::InputId;
use redoubt_program::program::legend::Legend;
use redoubt_program::program::{Program, Status};
use redoubt_program::simulate::{End, Simulator, Step};
use redoubt_program::text::Span;
use redoubt_witness::Witness;

use super::output::{count, is_closed, message, stdout, write_file};
use super::trace::Trace;
use super::{Failure, Outcome, vcd};

/// The inputs that were given for one step.
pub type Given = Vec<(InputId, i32)>;

/// The number of times that open inputs are chosen anew if an assumption fails.
const TRIES: usize = 1_000;

/// Splits the words of a command line into steps: at `/`, and where a name comes again.
pub fn parse_steps(program: &Program, words: &[String]) -> Result<Vec<Given>, Failure> {
    let mut steps: Vec<Given> = vec![];
    let mut current: Option<Given> = None;
    for word in words {
        if word == "/" {
            steps.push(current.take().unwrap_or_default());
            current = Some(vec![]);
            continue;
        }
        for assignment in parse_line(program, word)? {
            let repeated = current.as_ref().is_some_and(|given| given.iter().any(|(id, _)| *id == assignment.0));
            if repeated {
                steps.extend(current.take());
            }
            current.get_or_insert_default().push(assignment);
        }
    }
    steps.extend(current);
    Ok(steps)
}

/// Assignments `name=value`, separated by spaces or commas.
fn parse_line(program: &Program, text: &str) -> Result<Given, Failure> {
    let words = text.split([' ', '\t', ',']).filter(|word| !word.is_empty());
    words.map(|word| parse_assignment(program, word)).collect()
}

fn parse_assignment(program: &Program, word: &str) -> Result<(InputId, i32), Failure> {
    let usage = |reason: String| Err(Failure::Usage(reason));
    let Some((name, value)) = word.split_once('=') else {
        return usage(format!("`{word}` is not an input; expected `name=value`"));
    };
    let Some(index) = program.inputs.iter().position(|input| input.name == name) else {
        let known = program.inputs.iter().map(|input| input.name.as_str()).filter(|name| !name.contains('@'));
        return usage(format!("no input `{name}`; the inputs are {}", known.collect::<Vec<_>>().join(", ")));
    };
    let (id, input) = (InputId::new(index), &program.inputs[index]);
    let legend = program.legend.as_ref();
    let meaning = legend.map(|legend| legend.role(id).meaning());
    let number = legend.zip(meaning).and_then(|(legend, meaning)| legend.read(meaning, value));
    match number.filter(|&number| input.alphabet.contains(number)) {
        Some(number) => Ok((id, number)),
        None => usage(format!("`{value}` is not a value of `{name}`; expected {}", expected(program, id))),
    }
}

/// The values of an input, as people write them.
pub fn expected(program: &Program, input: InputId) -> String {
    const FEW: usize = 12;
    let alphabet = &program.input(input).alphabet;
    match (&program.legend, alphabet.list(FEW)) {
        (Some(legend), Some(list)) => {
            let meaning = legend.role(input).meaning();
            list.iter().map(|&value| legend.value(meaning, value)).collect::<Vec<_>>().join(", ")
        }
        _ => alphabet.to_string().trim_matches(['{', '}']).to_string(),
    }
}

/// A simulation under way.
pub struct ModelSession<'p> {
    program: &'p Program,
    legend: &'p Legend,
    simulator: Simulator<'p>,
    trace: Trace<'p>,
    random: Random,
    /// Something happened that the model does not want.
    violated: bool,
    /// The assumption that ruled out a step last, and how many it has ruled out since a step was made.
    blocked: Option<(Span, usize)>,
}

impl<'p> ModelSession<'p> {
    pub fn new(program: &'p Program, legend: &'p Legend, seed: u64) -> ModelSession<'p> {
        let simulator = Simulator::new(program).trace();
        let trace = Trace::new(program, legend, &simulator);
        let violated = ModelSession::is_violated(program, simulator.opening());
        ModelSession { program, legend, simulator, trace, random: Random::new(seed), violated, blocked: None }
    }

    /// Chooses the start, if it is open, and shows it.
    pub fn start(&mut self, given: &[(InputId, i32)]) -> Result<(), Failure> {
        let mut out = stdout();
        if self.legend.started.is_some() && !self.advance(given) {
            return Err(Failure::Usage("no start passes the assumptions".into()));
        }
        self.trace.write_start(&mut out)?;
        Ok(out.flush()?)
    }

    /// One step with the given inputs and others at random; false if no step is possible.
    pub fn step(&mut self, given: &[(InputId, i32)]) -> Result<bool, Failure> {
        if !self.advance(given) {
            return Ok(false);
        }
        let mut out = stdout();
        self.trace.write_step(&mut out, self.trace.steps.len() - 1)?;
        out.flush()?;
        Ok(true)
    }

    /// The steps of a witness; those of its loop once, and where the run goes on from there.
    pub fn follow(&mut self, witness: &Witness) -> Result<(), Failure> {
        let all = |inputs: &Vec<i32>| -> Given {
            inputs.iter().enumerate().map(|(index, &value)| (InputId::new(index), value)).collect()
        };
        let mut steps = witness.run.iter().map(all).enumerate();
        let opening = if self.legend.started.is_some() { steps.next().map(|(_, given)| given) } else { None };
        self.start(&opening.unwrap_or_default())?;
        for (index, given) in steps {
            if self.is_over() {
                break;
            }
            if witness.loop_start == Some(index) {
                let mut out = stdout();
                self.trace.write_loop(&mut out)?;
                out.flush()?;
            }
            if !self.step(&given)? {
                message("no step is possible here: an assumption rules it out\n");
                return Ok(());
            }
        }
        if let Some(start) = witness.loop_start.filter(|_| !self.is_over()) {
            let start = start.saturating_sub(usize::from(self.legend.started.is_some()));
            self.trace.write_again(&mut stdout(), start)?;
        }
        Ok(())
    }

    fn advance(&mut self, given: &[(InputId, i32)]) -> bool {
        let before = self.simulator.state().clone();
        self.blocked = None;
        for tried in 1..=TRIES {
            let inputs = self.inputs(given);
            let step = self.simulator.step(&inputs);
            if let Some(End::Blocked(span)) = step.end {
                self.blocked = Some((span, tried));
                self.simulator.restore(before.clone());
                continue;
            }
            self.violated |= ModelSession::is_violated(self.program, &step);
            self.trace.record(&inputs, step, &self.simulator);
            return true;
        }
        false
    }

    /// The assumption that was in the way of the last step, in words.
    pub fn obstacle(&self) -> Option<String> {
        let (span, tried) = self.blocked?;
        let text = self.program.sources.text(span).split_whitespace().collect::<Vec<_>>().join(" ");
        Some(format!(
            "line {}, `{text}`, ruled out {}",
            self.program.line(span),
            count(tried, "try").replace("trys", "tries")
        ))
    }

    fn inputs(&mut self, given: &[(InputId, i32)]) -> Vec<i32> {
        let by_chance = self.program.inputs.iter().map(|input| input.alphabet.sample(&mut self.random));
        let mut inputs: Vec<i32> = by_chance.collect();
        given.iter().for_each(|(id, value)| inputs[id.index()] = *value);
        inputs
    }

    /// Whether a step reached something that ought not to be reached, and is not expected to be.
    fn is_violated(program: &Program, step: &Step) -> bool {
        let ended = match step.end {
            Some(End::Error(property, span)) => Some((property, span)),
            _ => None,
        };
        step.reached.iter().chain(&ended).any(|(property, _)| {
            let property = program.property(*property);
            property.kind.status(true) == Status::Violated && property.expected != Some(Status::Violated)
        })
    }

    pub fn is_over(&self) -> bool {
        self.simulator.end().is_some()
    }

    /// Says how the run ended, and writes it for a waveform viewer if that was asked for.
    pub fn finish(self, waveform: Option<&Path>) -> Result<Outcome, Failure> {
        if let Some(path) = waveform {
            write_file(path, &mut |out| vcd::write(out, &self.trace))?;
        }
        let steps = count(self.trace.steps.len(), "step");
        let ending = match self.simulator.end() {
            Some(End::Error(property, span)) => {
                let (name, place) = (&self.program.property(property).name, self.program.sources.place(span));
                format!("the run ended with {name} after {steps} ({place})")
            }
            _ => format!("end of the run after {steps}"),
        };
        writeln!(stdout(), "{ending}")?;
        Ok(if self.violated { Outcome::Violated } else { Outcome::Holds })
    }
}

pub fn unreadable(error: io::Error) -> Failure {
    Failure::Unreadable { path: "standard input".into(), reason: error.to_string() }
}

/// The steps on standard input, one per line, while the answers have a reader.
pub fn standard_input(program: &Program) -> impl Iterator<Item = Result<Given, Failure>> + '_ {
    let lines = io::stdin().lock().lines().take_while(|_| !is_closed());
    lines.map(move |line| line.map_err(unreadable).and_then(|line| parse_line(program, &line)))
}
