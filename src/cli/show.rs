//! `redoubt show`: what was understood of a program or of a circuit.

use std::io::{self, Write};
use std::path::PathBuf;

use clap::Args;
use redoubt::circuit::Reset;
use redoubt::circuit::aiger::Model;
use redoubt::expr::VarId;
use redoubt::program::usage::{Role, Usage};
use redoubt::program::{Domain, Program, PropertyKind, print};

use super::output::{count, letter, stdout, value};
use super::{Failure, Outcome, load};

pub const EXAMPLES: &str = "\
Examples:
  redoubt show Problem1.c              alphabet, variables, rules and properties
  redoubt show --program Problem1.c    the program as guarded commands
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
}

pub fn run(options: &Options, color: bool) -> Result<Outcome, Failure> {
    let model = load::model(&options.files)?;
    let mut out = io::BufWriter::new(stdout());
    if let Some((name, model)) = model {
        match options.program {
            true => write!(out, "{}", model.circuit)?,
            false => circuit(&name, &model, &mut out)?,
        }
        out.flush()?;
        return Ok(Outcome::Holds);
    }
    let program = load::program(&options.files, &options.constants, color)?;
    if options.program {
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
