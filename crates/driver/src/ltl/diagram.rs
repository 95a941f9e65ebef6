//! The machine behind a program, for people: its states as boxes, and its answers in each of them.
//!
//! States that behave alike are one here. They are numbered by how many steps they are away from the first one.

use std::fmt::Write;

use rustc_hash::FxHashMap;

use crate::certificate::{NumberSet, StateBox};
use crate::explorer::Found;
use crate::expr::VarId;
use crate::program::Program;
use crate::temporal::machine::Symbol;

/// A machine as a diagram of states.
pub struct Diagram<'f> {
    found: &'f Found,
    /// The states of the program's machine that each state here stands for; the first one is where it starts.
    states: Vec<Vec<usize>>,
    /// The answers of each of them.
    rows: Vec<Vec<Row>>,
}

/// An answer that a state has for some inputs.
#[derive(PartialEq, Eq)]
struct Row {
    inputs: Vec<Symbol>,
    outputs: Vec<Symbol>,
    next: usize,
}

/// The most boxes of a state that are written out.
const MOST_BOXES: usize = 4;

impl<'f> Diagram<'f> {
    pub fn of(found: &'f Found) -> Diagram<'f> {
        let classes = found.machine.classes();
        let class = |state: usize| classes[found.states.nodes[state]];
        let mut members: FxHashMap<usize, Vec<usize>> = FxHashMap::default();
        (0..found.states.nodes.len()).for_each(|state| members.entry(class(state)).or_default().push(state));
        let mut diagram = Diagram { found, states: vec![], rows: vec![] };
        let mut numbers: FxHashMap<usize, usize> = FxHashMap::default();
        let mut number = |state: usize, states: &mut Vec<Vec<usize>>| {
            *numbers.entry(class(state)).or_insert_with(|| {
                states.push(members.remove(&class(state)).unwrap_or_default());
                states.len() - 1
            })
        };
        if !found.states.nodes.is_empty() {
            number(0, &mut diagram.states);
        }
        while let Some(&first) = diagram.states.get(diagram.rows.len()).and_then(|members| members.first()) {
            let mut rows: Vec<Row> = vec![];
            for (label, outputs, next) in found.answers(first) {
                let next = number(next, &mut diagram.states);
                match rows.iter_mut().find(|row| row.next == next && row.outputs == outputs) {
                    Some(row) => row.inputs.push(label.symbol()),
                    None => rows.push(Row { inputs: vec![label.symbol()], outputs, next }),
                }
            }
            diagram.rows.push(rows);
        }
        diagram
    }

    /// The number of states.
    pub fn len(&self) -> usize {
        self.states.len()
    }

    /// Whether the machine does nothing at all.
    pub fn is_empty(&self) -> bool {
        self.states.is_empty()
    }

    /// State by state: the conditions on the program in it, and its answers.
    pub fn to_text(&self, program: &Program) -> String {
        let mut out = String::new();
        // Writing to a string does not fail.
        for (number, (members, rows)) in self.states.iter().zip(&self.rows).enumerate() {
            let _ = writeln!(out, "state {number}{}", if number == 0 { ", where it starts" } else { "" });
            let boxes = members.iter().filter_map(|&state| self.found.states.boxes.get(state));
            for (place, state_box) in boxes.take(MOST_BOXES).enumerate() {
                let word = if place == 0 { "where" } else { "or" };
                let _ = writeln!(out, "  {word:5}  {}", conditions(program, state_box));
            }
            if members.len() > MOST_BOXES && !self.found.states.boxes.is_empty() {
                let _ = writeln!(out, "  or     one of {} more", members.len() - MOST_BOXES);
            }
            let inputs: Vec<String> = rows.iter().map(|row| self.names(&row.inputs)).collect();
            let width = inputs.iter().map(String::len).max().unwrap_or(0);
            for (row, inputs) in rows.iter().zip(inputs) {
                let _ = writeln!(out, "  {inputs:width$} / {} -> {}", self.outputs(row), row.next);
            }
        }
        out
    }

    fn names(&self, symbols: &[Symbol]) -> String {
        let names: Vec<&str> = symbols.iter().map(|&symbol| self.found.machine.name(symbol)).collect();
        names.join(" ")
    }

    fn outputs(&self, row: &Row) -> String {
        if row.outputs.is_empty() { "nothing".into() } else { self.names(&row.outputs) }
    }
}

/// The conditions of a box.
fn conditions(program: &Program, state_box: &StateBox) -> String {
    let side = |(variable, numbers): &(VarId, NumberSet)| {
        let name = &program.variable(*variable).name;
        match numbers.single() {
            Some(number) => format!("{name} = {number}"),
            None => format!("{name} in {numbers}"),
        }
    };
    let sides: Vec<String> = state_box.sides.iter().map(side).collect();
    if sides.is_empty() { "anything".into() } else { sides.join(", ") }
}
