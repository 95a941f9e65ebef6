//! `redoubt simulate`: runs a program on given, read or random inputs.

use std::io::{self, BufRead, Write};
use std::path::PathBuf;

use clap::Args;
use redoubt_base::Random;
use redoubt_program::program::{Program, Words};
use redoubt_program::simulate::{End, Simulator, Step};

use super::output::{count, is_closed, meant, message, stdout, value};
use super::{Failure, Outcome, load, replay, simulate_model as model};

pub const EXAMPLES: &str = "\
Examples:
  redoubt simulate Problem1.c C B A            letters or numbers, also C,B,A
  redoubt simulate Problem1.c --trace 3 2 1    which rules fired, what they changed
  redoubt simulate Problem1.c < inputs.txt     inputs from standard input
  redoubt simulate Problem1.c --random 1000 --seed 7
  redoubt simulate Problem4.c Problem4External.c A B
  redoubt simulate elevator.gcl press=true call=2 / press=false    a model: inputs by name, steps apart by /
  redoubt simulate elevator.gcl --follow out/elevator.served.json   the run of a witness
  redoubt simulate elevator.gcl --interactive                      asks for the inputs and the alternatives";

#[derive(Args)]
pub struct SimulateArgs {
    /// The program (further .c files belong to it), then its inputs; without inputs they are read from
    /// standard input
    #[arg(required = true, value_name = "FILE [INPUT", allow_negative_numbers = true)]
    arguments: Vec<String>,

    #[command(flatten)]
    constants: load::Constants,

    /// Choose this many inputs at random
    #[arg(long, value_name = "N")]
    random: Option<usize>,

    /// The seed of the random inputs
    #[arg(long, value_name = "S")]
    seed: Option<u64>,

    /// Ask for the inputs of a model and offer its enabled alternatives, the default at a terminal
    #[arg(long, conflicts_with = "random")]
    interactive: bool,

    /// Follow the run of a witness of a model, as `check --witness-dir` writes it
    #[arg(long, value_name = "FILE", conflicts_with_all = ["random", "interactive"])]
    follow: Option<PathBuf>,

    /// Write the run of a model for a waveform viewer
    #[arg(long, value_name = "FILE")]
    vcd: Option<PathBuf>,

    /// Show the rules that fired and the variables that changed in each step
    #[arg(long)]
    trace: bool,
}

pub fn run(options: &SimulateArgs, color: bool) -> Result<Outcome, Failure> {
    // The first argument is a file whatever its name; so is every further one that looks like it.
    let files = 1 + options.arguments[1..].iter().take_while(|argument| load::is_source(argument)).count();
    let (files, given) = options.arguments.split_at(files);
    if load::has_names(&files[0]) {
        return run_model(options, files, given, color);
    }
    if options.interactive || options.vcd.is_some() || options.follow.is_some() {
        return Err(Failure::Usage("--interactive, --follow and --vcd are for models (.gcl)".into()));
    }
    if options.seed.is_some() && options.random.is_none() {
        return Err(Failure::Usage("--seed needs --random".into()));
    }
    if options.random.is_some() && !given.is_empty() {
        return Err(Failure::Usage("give inputs or --random, not both".into()));
    }
    let paths: Vec<PathBuf> = files.iter().map(PathBuf::from).collect();
    let program = load::program(&paths, &options.constants, color)?;
    let words = &program.words;
    let inputs = given.iter().map(|text| parse_inputs(text, words)).collect::<Result<Vec<_>, _>>()?.concat();
    let mut run = Session::new(&program, options.trace);
    run.start()?;
    match options.random {
        Some(number) => {
            let mut random = Random::new(options.seed.unwrap_or(0));
            let alphabet = &program.inputs[0].alphabet;
            run.feed((0..number).map(|_| Ok(alphabet.sample(&mut random))))?;
        }
        None if inputs.is_empty() => run.feed(standard_input(words))?,
        None => run.feed(inputs.into_iter().map(Ok))?,
    }
    run.finish()
}

fn run_model(options: &SimulateArgs, files: &[String], given: &[String], color: bool) -> Result<Outcome, Failure> {
    let paths: Vec<PathBuf> = files.iter().map(PathBuf::from).collect();
    let constants = match &options.follow {
        Some(path) => replay::constants_of_first(&options.constants, path)?,
        None => options.constants.clone(),
    };
    let program = load::program(&paths, &constants, color)?;
    let legend = program.legend.as_ref().ok_or_else(|| Failure::Bug("a model without a legend".into()))?;
    let steps = model::parse_steps(&program, given)?;
    if options.random.is_some() && !steps.is_empty() {
        return Err(Failure::Usage("give inputs or --random, not both".into()));
    }
    let mut run = model::ModelSession::new(&program, legend, options.seed.unwrap_or(0));
    if let Some(path) = &options.follow {
        if !given.is_empty() {
            return Err(Failure::Usage("give inputs or --follow, not both".into()));
        }
        run.follow(&replay::witness(&program, path)?)?;
        return run.finish(options.vcd.as_deref());
    }
    let by_hand = options.interactive || (given.is_empty() && io::IsTerminal::is_terminal(&io::stdin()));
    let steps: Box<dyn Iterator<Item = Result<model::Given, Failure>>> = match options.random {
        Some(number) => Box::new((0..number).map(|_| Ok(vec![]))),
        None if by_hand => Box::new(std::iter::empty()),
        None if given.is_empty() => Box::new(model::standard_input(&program)),
        None => Box::new(steps.into_iter().map(Ok)),
    };
    // Values for an open start in the first step are for the start.
    let mut steps = steps.peekable();
    let start = match steps.peek() {
        Some(Ok(given)) => given.clone(),
        _ => vec![],
    };
    run.start(&start)?;
    if by_hand && options.random.is_none() {
        run.converse(&mut io::stdin().lock())?;
    }
    for given in steps {
        if run.is_over() {
            break;
        }
        if !run.step(&given?)? {
            let why = run.obstacle().map_or(String::new(), |obstacle| format!(": {obstacle}"));
            message(&format!("no step is possible here: an assumption rules it out{why}\n"));
            break;
        }
    }
    run.finish(options.vcd.as_deref())
}

/// A number, a letter, a word of the program, or several of them separated by commas.
fn parse_inputs(text: &str, words: &Words) -> Result<Vec<i32>, Failure> {
    text.split(',').map(str::trim).filter(|part| !part.is_empty()).map(|part| parse_input(part, words)).collect()
}

fn parse_input(text: &str, words: &Words) -> Result<i32, Failure> {
    words.read(text).ok_or_else(|| {
        let or = if words.is_empty() { "" } else { ", or a word of the program" };
        let meant = meant(text, words.inputs.values().map(String::as_str));
        Failure::Usage(format!("`{text}` is not an input; expected a number or a letter{or}{meant}"))
    })
}

/// The inputs on standard input, as they come; there may be no end of them, so the answers must still have a reader.
fn standard_input(words: &Words) -> impl Iterator<Item = Result<i32, Failure>> + '_ {
    io::stdin().lock().lines().take_while(|_| !is_closed()).flat_map(|line| {
        let parsed = line
            .map_err(|error| Failure::Unreadable { path: "standard input".into(), reason: error.to_string() })
            .and_then(|line| {
                line.split_whitespace().map(|text| parse_inputs(text, words)).collect::<Result<Vec<_>, _>>()
            });
        match parsed {
            Ok(lists) => lists.concat().into_iter().map(Ok).collect(),
            Err(failure) => vec![Err(failure)],
        }
    })
}

struct Session<'p> {
    program: &'p Program,
    simulator: Simulator<'p>,
    trace: bool,
    steps: usize,
}

impl<'p> Session<'p> {
    fn new(program: &'p Program, trace: bool) -> Session<'p> {
        let simulator = Simulator::new(program);
        let simulator = if trace { simulator.trace() } else { simulator };
        Session { program, simulator, trace, steps: 0 }
    }

    fn start(&self) -> Result<(), Failure> {
        let opening = self.simulator.opening();
        stdout().write_all(opening.output.as_bytes())?;
        message(&opening.complaints);
        Ok(stdout().flush()?)
    }

    /// Runs until the inputs or the run come to an end.
    fn feed(&mut self, inputs: impl Iterator<Item = Result<i32, Failure>>) -> Result<(), Failure> {
        let mut out = stdout();
        for input in inputs {
            if self.simulator.end().is_some() {
                break;
            }
            let input = input?;
            let before = self.trace.then(|| self.simulator.state().clone());
            let step = self.simulator.step(&[input]);
            self.steps += 1;
            match before {
                Some(before) => self.write_trace(&mut out, input, &step, &before)?,
                None => {
                    out.write_all(self.program.words.printed(&step.output).as_bytes())?;
                    // A person who types inputs sees each answer at once.
                    out.flush()?;
                    message(&step.complaints);
                }
            }
        }
        Ok(out.flush()?)
    }

    fn write_trace(
        &self,
        out: &mut dyn Write,
        input: i32,
        step: &Step,
        before: &redoubt_program::simulate::State,
    ) -> io::Result<()> {
        writeln!(out, "step {}: input {} ({input})", self.steps, self.program.words.input(input))?;
        for rule in &step.rules {
            writeln!(out, "  rule   {}", self.program.sources.place(rule.span))?;
        }
        for (id, now) in self.simulator.changes(before) {
            let variable = self.program.variable(id);
            let old = before.variables[id.index()];
            let (old, now) = (value(self.program, variable.ty, old), value(self.program, variable.ty, now));
            writeln!(out, "  change {} = {now} (was {old})", variable.name)?;
        }
        for (table, cell, now) in self.simulator.changed_cells(before) {
            writeln!(out, "  change {}[{cell}] = {now}", self.program.table(table).name)?;
        }
        for line in self.program.words.printed(&step.output).lines() {
            writeln!(out, "  output {line}")?;
        }
        for line in step.complaints.lines() {
            writeln!(out, "  error  {line}")?;
        }
        Ok(())
    }

    /// Says how the run ended.
    fn finish(self) -> Result<Outcome, Failure> {
        let steps = count(self.steps, "step");
        let mut out = stdout();
        let outcome = match self.simulator.end() {
            Some(End::Error(property, span)) => {
                let (name, place) = (&self.program.property(property).name, self.program.sources.place(span));
                writeln!(out, "reached {name} after {steps} ({place})")?;
                Outcome::Violated
            }
            Some(End::Halt(code)) => {
                writeln!(out, "halted with code {code} after {steps}")?;
                Outcome::Holds
            }
            Some(End::Blocked(span)) => {
                writeln!(out, "blocked by an assumption after {steps} ({})", self.program.sources.place(span))?;
                Outcome::Holds
            }
            None => {
                writeln!(out, "end of input after {steps}, no error reached")?;
                Outcome::Holds
            }
        };
        out.flush()?;
        Ok(outcome)
    }
}
