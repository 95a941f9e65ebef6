//! A model of a controller in its own words: its inputs, its variables, and its properties.

use std::collections::BTreeMap;
use std::io::{self, Write};

use redoubt_program::expr::{InputId, TableId, VarId};
use redoubt_program::program::legend::{self, Legend};
use redoubt_program::program::usage::{Role, Usage};
use redoubt_program::program::{Program, PropertyKind, Scope};
use redoubt_program::text::Span;

use super::super::output::count;
use super::super::simulate_model::expected;

pub fn summary(program: &Program, legend: &Legend, out: &mut dyn Write) -> io::Result<()> {
    let files = program.sources.files();
    let lines: usize = files.iter().map(|file| file.text.lines().count()).sum();
    writeln!(out, "model       {} ({})", program.name, count(lines, "line"))?;
    if !legend.constants.is_empty() {
        writeln!(out, "constants   {}", legend.constants.join(", "))?;
    }
    let of_environment = |(_, role): &(usize, &legend::Role)| matches!(role, legend::Role::Input(_));
    let inputs: Vec<usize> = legend.inputs.iter().enumerate().filter(of_environment).map(|(index, _)| index).collect();
    writeln!(out, "inputs      {}", inputs.len())?;
    for index in inputs {
        let values = expected(program, InputId::new(index));
        writeln!(out, "  {:24}  {values}", program.inputs[index].name)?;
    }
    variables(program, legend, out)?;
    properties(program, out)
}

/// Variables and arrays, with their initial values.
fn variables(program: &Program, legend: &Legend, out: &mut dyn Write) -> io::Result<()> {
    let usage = Usage::of(program);
    // A start that is left open is an input of its own, which is named after the variable or the cell.
    let open: BTreeMap<&str, InputId> = (0..program.inputs.len())
        .filter(|&index| matches!(legend.inputs[index], legend::Role::Start(_)))
        .filter_map(|index| Some((program.inputs[index].name.strip_suffix("@start")?, InputId::new(index))))
        .collect();
    let mut lines = vec![];
    for (index, variable) in program.variables.iter().enumerate() {
        let (Scope::Global, Some(meaning)) = (variable.scope, legend.variables[index]) else { continue };
        let start = match open.get(variable.name.as_str()) {
            Some(&input) => format!("any of {}", expected(program, input)),
            None => legend.value(meaning, variable.initial),
        };
        let remark = match usage.role(program, VarId::new(index)) {
            Role::Constant if !open.contains_key(variable.name.as_str()) => ", never assigned",
            Role::Idle => ", never used",
            _ => "",
        };
        lines.push(format!("  {:24}  {start}{remark}", variable.name));
    }
    for (index, table) in program.tables.iter().enumerate() {
        let Some(meaning) = legend.tables[index] else { continue };
        let id = TableId::new(index);
        let cell = |(cell, value): (usize, &i32)| {
            let name = format!("{}{}", table.name, legend.indices(id, cell));
            if open.contains_key(name.as_str()) { "any".into() } else { legend.value(meaning, *value) }
        };
        let mut cells: Vec<String> = table.cells.iter().enumerate().map(cell).collect();
        for &(_, size) in legend.dimensions[index].iter().rev() {
            cells = cells.chunks(size).map(|row| format!("[{}]", row.join(", "))).collect();
        }
        let remark = if table.written { "" } else { ", never assigned" };
        lines.push(format!("  {:24}  {}{remark}", table.name, cells.concat()));
    }
    writeln!(out, "variables   {}, with their initial values", lines.len())?;
    lines.iter().try_for_each(|line| writeln!(out, "{line}"))
}

/// Properties as they stand in the text, each with its line, and then those that are added automatically.
fn properties(program: &Program, out: &mut dyn Write) -> io::Result<()> {
    let moments = program.questions().into_iter().map(|id| program.property(id));
    let is_automatic =
        |kind| matches!(kind, PropertyKind::OutOfRange | PropertyKind::IndexOutOfBounds | PropertyKind::DivisionByZero);
    let moments = moments.map(|one| (is_automatic(one.kind), one.span, &one.name));
    let timed = program.timed.iter().map(|timed| (false, timed.span, &timed.name));
    let mut all: Vec<(bool, Span, &String)> = moments.chain(timed).collect();
    all.sort_by_key(|(is_automatic, span, _)| (*is_automatic, *span));
    writeln!(out, "properties  {}", all.len())?;
    for (_, span, name) in all {
        let (file, place) = (program.sources.file(span), program.sources.position(span));
        let line = file.text.lines().nth(place.line - 1).unwrap_or_default();
        let text = line.split("//").next().unwrap_or_default().split_whitespace().collect::<Vec<_>>().join(" ");
        let other = if file.name == program.name { String::new() } else { format!("{}, ", file.name) };
        writeln!(out, "  {name:24}  {other}line {}: {text}", place.line)?;
    }
    Ok(())
}
