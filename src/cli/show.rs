//! `redoubt show`: how a program, a model or a circuit was understood.

mod model;

use std::io::{self, Write};
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use clap::Args;
use redoubt_base::{Interrupt, Limits};
use redoubt_circuit::Reset;
use redoubt_circuit::aiger::Model;
use redoubt_driver::ltl::{Diagram, Exact, Explicit, Explorer};
use redoubt_driver::modal;
use redoubt_facts::analysis::Facts;
use redoubt_languages::{Language, c};
use redoubt_program::expr::VarId;
use redoubt_program::flow::{Drawing, Drawn};
use redoubt_program::program::usage::{Role, Usage};
use redoubt_program::program::{Domain, Program, print};
use redoubt_report::graph::{Graph, Node};
use redoubt_report::modes::Modes;
use redoubt_states::explicit::behaviour::Unknown;
use redoubt_words as words;

use super::check::{formulas, seconds};
use super::load::Hardware;
use super::output::{count, message, stdout, value};
use super::{Failure, Outcome, load};

pub const EXAMPLES: &str = "\
Examples:
  redoubt show Problem1.c              alphabet, variables, rules and properties
  redoubt show --program Problem1.c    the program as guarded commands
  redoubt show --machine Problem1.c    the machine behind a program: its states, and what it answers in them
  redoubt show --cfa loops.c           the control-flow automaton of sequential C
  redoubt show --svg loops.c           that automaton as a picture
  redoubt show lift.gcl                inputs, variables and properties of a model
  redoubt show --svg lift.gcl          its modes and the steps between them, if they are few
  redoubt show counter.aig             inputs, latches, gates and properties of a circuit
  redoubt show --program counter.aig   the circuit gate by gate";

/// The number of bytes that states may take while their machine is looked for.
const MEMORY: usize = 1 << 30;

#[derive(Args)]
pub struct ShowArgs {
    /// The files of one program, or a circuit
    #[arg(required = true, value_name = "FILE")]
    files: Vec<PathBuf>,

    #[command(flatten)]
    constants: load::Constants,

    /// Print the program as it was understood, statement by statement, or the circuit gate by gate
    #[arg(long)]
    program: bool,

    /// Print the control-flow automaton of sequential C, block by block
    #[arg(long, conflicts_with = "program")]
    cfa: bool,

    /// Print the machine behind a program: states that behave alike, as boxes, and what it answers to each input
    #[arg(long, conflicts_with_all = ["program", "cfa"])]
    machine: bool,

    /// Print that automaton, or that machine, as a graph for Graphviz
    #[arg(long, conflicts_with_all = ["program", "cfa"])]
    dot: bool,

    /// With --machine --dot: an edge for every input in every state; those that are refused lead back, with the output `invalid`
    #[arg(long, requires = "machine", requires = "dot")]
    complete: bool,

    /// Draw that automaton, or the modes of a small model, as SVG
    #[arg(long, conflicts_with_all = ["program", "machine", "dot"])]
    svg: bool,

    /// Look for the machine no longer than this
    #[arg(long, value_name = "SECONDS", value_parser = seconds, default_value = "60", requires = "machine")]
    timeout: Duration,
}

pub fn run(options: &ShowArgs, color: bool) -> Result<Outcome, Failure> {
    let model = load::smaller_model(&options.files)?;
    let mut out = io::BufWriter::new(stdout());
    if let Some(model) = model {
        match &model.words {
            _ if options.program => write!(out, "{}", model.circuit.circuit)?,
            Some(words) => show_words(&model, &words.model, &mut out)?,
            None => circuit(&model.name, &model.circuit, &mut out)?,
        }
        out.flush()?;
        return Ok(Outcome::Holds);
    }
    let program = load::program(&options.files, &options.constants, color)?;
    let language = program.language;
    if options.machine {
        let outcome = machine(&program, options, color, &mut out)?;
        out.flush()?;
        return Ok(outcome);
    } else if options.svg && program.language.is_model() {
        let modes = Modes::of(&program);
        let modes =
            modes.ok_or_else(|| Failure::Usage(format!("{} has too many states for a picture", program.name)))?;
        out.write_all(modes.graph().to_svg(&program.name).as_bytes())?;
    } else if options.cfa || options.dot || options.svg {
        if language != Language::C {
            return Err(Failure::Usage(format!("only sequential C has an automaton, and this is {}", language.name())));
        }
        // It was read before, so there is nothing to complain about.
        if let Ok((automaton, builder)) = c::automaton(Arc::clone(&program.sources)) {
            let text = match () {
                () if options.dot => automaton.to_dot(&builder),
                () if options.svg => picture(automaton.drawing(&builder)).to_svg(&program.name),
                () => automaton.to_text(&builder),
            };
            out.write_all(text.as_bytes())?;
        }
    } else if options.program {
        out.write_all(print::print(&program).as_bytes())?;
    } else if let Some(legend) = &program.legend {
        model::summary(&program, legend, &mut out)?;
    } else {
        summary(&program, &mut out)?;
    }
    out.flush()?;
    Ok(Outcome::Holds)
}

/// An automaton with its lines cut to the size of a box.
fn picture(drawing: Drawing) -> Graph {
    const LONGEST: usize = 48;
    let cut = |text: &str| match text.char_indices().nth(LONGEST) {
        Some((end, _)) => format!("{}...", &text[..end]),
        None => text.to_string(),
    };
    let node = |(number, block): (usize, &Drawn)| Node {
        lines: std::iter::once(number.to_string()).chain(block.lines.iter().map(|line| cut(line))).collect(),
        class: match block {
            Drawn { is_error: true, .. } => "mode error",
            _ if number == 0 => "mode start",
            Drawn { is_cut_point: true, .. } => "mode cut",
            _ => "mode",
        },
    };
    let nodes = drawing.blocks.iter().enumerate().map(node).collect();
    let edges = drawing.edges.iter().map(|(from, to, label)| (*from, *to, cut(label))).collect();
    Graph { nodes, starts: vec![0], edges }
}

/// The machine behind a program, as boxes where they close, else state by state.
fn machine(program: &Program, options: &ShowArgs, color: bool, out: &mut dyn Write) -> Result<Outcome, Failure> {
    let mapping = formulas::mapping(program, color)?;
    let facts = Facts::new(program);
    let limits = Limits { interrupt: Interrupt::after(options.timeout), ..Limits::default() };
    if options.dot {
        return Ok(match modal::machine(&facts, &mapping, MEMORY, &limits) {
            Ok(decided) => {
                out.write_all(modal::to_dot(program, &decided.answers, options.complete).as_bytes())?;
                Outcome::Holds
            }
            Err(reason) => {
                message(&format!("{}: its machine was not found: {reason}\n", program.name));
                Outcome::Undecided
            }
        });
    }
    // Boxes say more in less; machines that they do not close in half of the time are visited state by state.
    let half = Limits { interrupt: Interrupt::after(options.timeout / 2), ..Limits::default() };
    let (exact, explicit) = (Exact { memory: MEMORY }, Explicit { memory: MEMORY });
    let found = exact.explore(&facts, &mapping, &half).map(|found| (exact.name(), found)).or_else(|_| {
        let found = explicit.explore(&facts, &mapping, &limits)?;
        if !found.is_complete {
            return Err(Unknown::Memory);
        }
        Ok((explicit.name(), found))
    });
    let (by, found) = match found {
        Ok(found) => found,
        Err(unknown) => {
            let unknown: Unknown = unknown;
            message(&format!("{}: its machine was not found: {unknown}\n", program.name));
            return Ok(Outcome::Undecided);
        }
    };
    let diagram = Diagram::of(&found);
    let (inputs, outputs) = (found.machine.inputs, found.machine.symbols.len() - found.machine.inputs);
    let (states, inputs, outputs) = (count(diagram.len(), "state"), count(inputs, "input"), count(outputs, "output"));
    let before = found.states.nodes.len();
    writeln!(out, "machine     {states}, {inputs}, {outputs} ({by}: {before} before those alike became one)")?;
    writeln!(out, "            an input that a state does not list changes nothing there, or ends the run")?;
    out.write_all(diagram.to_text(program).as_bytes())?;
    Ok(Outcome::Holds)
}

/// The numbers of a table, shorter where the same one stands in many cells.
fn cells(list: &[i32]) -> String {
    let runs = list.chunk_by(|a, b| a == b).map(|run| match run {
        [value, _, _, _, _, _, _, _, ..] => format!("{value} {} times", run.len()),
        run => run.iter().map(i32::to_string).collect::<Vec<_>>().join(","),
    });
    runs.collect::<Vec<_>>().join(",")
}

fn summary(program: &Program, out: &mut dyn Write) -> io::Result<()> {
    let usage = Usage::of(program);
    let bytes: usize = program.sources.files().iter().map(|file| file.text.len()).sum();
    let lines: usize = program.sources.files().iter().map(|file| file.text.lines().count()).sum();
    writeln!(out, "program     {} ({}, {})", program.name, count(lines, "line"), count(bytes, "byte"))?;
    writeln!(out, "language    {}", program.language.name())?;
    inputs(program, out)?;
    let reached = usage.reached.iter().filter(|reached| **reached).count();
    writeln!(out, "functions   {} of {} called", reached, program.functions.len())?;
    writeln!(out, "rules       {}", usage.rules)?;
    variables(program, &usage, out)?;
    for table in &program.tables {
        let cells = cells(&table.cells);
        let kind = if table.written { "written " } else { "constant" };
        writeln!(out, "  table     {kind}  {} = {{{}}}", table.name, cells)?;
    }
    let wanted = || program.properties.iter().filter(|property| property.kind.is_question());
    writeln!(out, "properties  {}", wanted().count())?;
    for property in wanted() {
        writeln!(out, "  {:24}  {}", property.name, program.sources.place(property.span))?;
    }
    Ok(())
}

/// The inputs of a step.
fn inputs(program: &Program, out: &mut dyn Write) -> io::Result<()> {
    for input in &program.inputs {
        let values = match &input.alphabet {
            Domain::List(list) => {
                let letters: Vec<String> = list.iter().map(|&value| program.words.input(value)).collect();
                let numbers: Vec<String> = list.iter().map(i32::to_string).collect();
                format!("{} ({})", letters.join(" "), numbers.join(" "))
            }
            Domain::Range(low, high) => format!("{low}..{high}"),
        };
        writeln!(out, "input       {} in {values}", input.name)?;
    }
    Ok(())
}

fn variables(program: &Program, usage: &Usage, out: &mut dyn Write) -> io::Result<()> {
    let roles: Vec<Role> = (0..program.variables.len()).map(|index| usage.role(program, VarId::new(index))).collect();
    let number = |role: Role| roles.iter().filter(|&&other| other == role).count();
    writeln!(
        out,
        "variables   {} state, {} idle, {} constant; {}",
        number(Role::State),
        number(Role::Idle),
        number(Role::Constant),
        count(program.tables.len(), "table"),
    )?;
    for (variable, role) in program.variables.iter().zip(roles) {
        let kind = match role {
            Role::State => "state   ",
            Role::Idle => "idle    ",
            Role::Constant => "constant",
            Role::Local => continue,
        };
        let initial = value(program, variable.ty, variable.initial);
        writeln!(out, "  variable  {kind}  {} = {initial}", variable.name)?;
    }
    Ok(())
}

/// A model of words, and how large its circuit is.
fn show_words(model: &Hardware, words: &words::Model, out: &mut dyn Write) -> io::Result<()> {
    writeln!(out, "words       {}", model.name)?;
    writeln!(out, "inputs      {}", words.inputs.len())?;
    for (index, input) in words.inputs.iter().enumerate() {
        let sort = words.sort(input.node).to_string();
        writeln!(out, "{}", format!("  {index:<6}  {sort:8}  {}", input.name).trim_end())?;
    }
    let free = words.states.iter().filter(|state| state.init.is_none()).count();
    let fresh = words.states.iter().filter(|state| state.next.is_none()).count();
    let number = words.states.len();
    writeln!(out, "states      {number}; {free} start with any value, {fresh} have any value in every step")?;
    for (index, state) in words.states.iter().enumerate() {
        let sort = words.sort(state.node).to_string();
        writeln!(out, "{}", format!("  {index:<6}  {sort:8}  {}", state.name).trim_end())?;
    }
    let circuit = &model.circuit.circuit;
    let (latches, inputs, gates) = (circuit.latches.len(), circuit.inputs.len(), circuit.live_gates());
    writeln!(out, "circuit     {latches} latches, {inputs} inputs, {gates} gates")?;
    properties(&model.circuit, out)
}

fn circuit(name: &str, model: &Model, out: &mut dyn Write) -> io::Result<()> {
    let circuit = &model.circuit;
    writeln!(out, "circuit     {name}")?;
    writeln!(out, "inputs      {}", circuit.inputs.len())?;
    for (index, input) in circuit.inputs.iter().enumerate().filter(|(_, input)| !input.name.is_empty()) {
        writeln!(out, "  i{index:<6}  {}", input.name)?;
    }
    let number = |reset: Reset| circuit.latches.iter().filter(|latch| latch.reset == reset).count();
    let (zero, one, free) = (number(Reset::Zero), number(Reset::One), number(Reset::Free));
    writeln!(out, "latches     {}; {zero} start with 0, {one} with 1, {free} with either", circuit.latches.len())?;
    for (index, latch) in circuit.latches.iter().enumerate().filter(|(_, latch)| !latch.name.is_empty()) {
        writeln!(out, "  l{index:<6}  {}", latch.name)?;
    }
    writeln!(out, "gates       {}", circuit.live_gates())?;
    properties(model, out)
}

fn properties(model: &Model, out: &mut dyn Write) -> io::Result<()> {
    let circuit = &model.circuit;
    writeln!(out, "constraints {}", circuit.constraints.len())?;
    writeln!(out, "properties  {}", model.properties.len())?;
    for (property, bad) in model.properties.iter().zip(&circuit.bad) {
        writeln!(out, "{}", format!("  {property:7}  {}", bad.name).trim_end())?;
    }
    if !model.justice.is_empty() {
        let fairness = count(model.fairness.len(), "fairness constraint");
        writeln!(out, "justice     {}; {fairness}", model.justice.len())?;
    }
    for justice in &model.justice {
        writeln!(out, "{}", format!("  {:7}  {}", justice.name, justice.symbol).trim_end())?;
    }
    Ok(())
}
