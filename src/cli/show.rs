//! `redoubt show`: what was understood of a program or of a circuit.

use std::io::{self, Write};
use std::path::PathBuf;
use std::sync::Arc;

use clap::Args;
use redoubt::circuit::Reset;
use redoubt::circuit::aiger::Model;
use redoubt::expr::VarId;
use redoubt::program::usage::{Role, Usage};
use redoubt::program::{Domain, Program, PropertyKind, print};
use redoubt::source::{Language, c};
use redoubt::words;

use super::load::Hardware;
use super::output::{count, letter, stdout, value};
use super::{Failure, Outcome, load};

pub const EXAMPLES: &str = "\
Examples:
  redoubt show Problem1.c              alphabet, variables, rules and properties
  redoubt show --program Problem1.c    the program as guarded commands
  redoubt show --cfa loops.c           the control-flow automaton of sequential C
  redoubt show counter.aig             inputs, latches, gates and properties of a circuit
  redoubt show --program counter.aig   the circuit gate by gate";

#[derive(Args)]
pub struct Options {
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

    /// Print that automaton as a graph for Graphviz
    #[arg(long, conflicts_with_all = ["program", "cfa"])]
    dot: bool,
}

pub fn run(options: &Options, color: bool) -> Result<Outcome, Failure> {
    let model = load::model(&options.files)?;
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
    let language = Language::of(program.sources.files());
    if options.cfa || options.dot {
        if language != Language::C {
            return Err(Failure::Usage(format!("only sequential C has an automaton, and this is {}", language.name())));
        }
        // It was read before, so there is nothing to complain about.
        if let Ok((automaton, builder)) = c::automaton(Arc::clone(&program.sources)) {
            let text = if options.dot { automaton.to_dot(&builder) } else { automaton.to_text(&builder) };
            out.write_all(text.as_bytes())?;
        }
    } else if options.program {
        out.write_all(print::print(&program).as_bytes())?;
    } else {
        summary(&program, &mut out)?;
    }
    out.flush()?;
    Ok(Outcome::Holds)
}

fn summary(program: &Program, out: &mut impl Write) -> io::Result<()> {
    let usage = Usage::of(program);
    let bytes: usize = program.sources.files().iter().map(|file| file.text.len()).sum();
    let lines: usize = program.sources.files().iter().map(|file| file.text.lines().count()).sum();
    writeln!(out, "program     {} ({}, {})", program.name, count(lines, "line"), count(bytes, "byte"))?;
    if program.legend.is_none() {
        writeln!(out, "language    {}", Language::of(program.sources.files()).name())?;
    }
    for input in &program.inputs {
        match &input.alphabet {
            Domain::List(list) => {
                let letters: Vec<String> = list.iter().map(|&value| letter(value)).collect();
                let numbers: Vec<String> = list.iter().map(i32::to_string).collect();
                writeln!(out, "input       {} in {} ({})", input.name, letters.join(" "), numbers.join(" "))?;
            }
            Domain::Range(low, high) => writeln!(out, "input       {} in {low}..{high}", input.name)?,
        }
    }
    let reached = usage.reached.iter().filter(|reached| **reached).count();
    writeln!(out, "functions   {} of {} called", reached, program.functions.len())?;
    writeln!(out, "rules       {}", usage.rules)?;
    variables(program, &usage, out)?;
    for table in &program.tables {
        let cells: Vec<String> = table.cells.iter().map(i32::to_string).collect();
        let kind = if table.written { "written " } else { "constant" };
        writeln!(out, "  table     {kind}  {} = {{{}}}", table.name, cells.join(","))?;
    }
    let wanted = || program.properties.iter().filter(|property| property.kind != PropertyKind::Lint);
    writeln!(out, "properties  {}", wanted().count())?;
    for property in wanted() {
        writeln!(out, "  {:24}  {}", property.name, program.sources.place(property.span))?;
    }
    Ok(())
}

fn variables(program: &Program, usage: &Usage, out: &mut impl Write) -> io::Result<()> {
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
        writeln!(out, "  variable  {kind}  {} = {}", variable.name, value(program, variable.ty, variable.initial))?;
    }
    Ok(())
}

/// A model of words, and how large its circuit is.
fn show_words(model: &Hardware, words: &words::Model, out: &mut impl Write) -> io::Result<()> {
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

fn circuit(name: &str, model: &Model, out: &mut impl Write) -> io::Result<()> {
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

fn properties(model: &Model, out: &mut impl Write) -> io::Result<()> {
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
