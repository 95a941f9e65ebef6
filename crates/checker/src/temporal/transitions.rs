//! A program as a transition system, exactly: what each box does on each input, found by execution.
//!
//! A step is a transition with its input and one with each of its outputs. An input that the program calls invalid is no
//! transition; a step that ends the run leads to a state that has none.

use std::collections::BTreeMap;

use redoubt_base::Interrupt;
use redoubt_formula::modal::System;
use redoubt_formula::properties::Mapping;
use redoubt_program::program::Program;
use redoubt_program::simulate::Simulator;

use crate::execute::{self, Written};
use crate::{Certificate, Judgement};

/// The effect of an input in a box: what is written, and the box after that, unless the run ends.
type Effect<'s> = (&'s Written, Option<usize>);

/// The transition system of a program, if all states of each of these boxes do the same.
pub fn transitions(
    program: &Program,
    boxes: &Certificate,
    mapping: &Mapping,
    interrupt: &Interrupt,
) -> Result<System, Judgement> {
    let undecided = |reason: String| Judgement::Undecided(reason);
    let start = Simulator::new(program);
    if start.end().is_some() {
        return Ok(System { symbols: vec![], transitions: vec![vec![]] });
    }
    if !start.opening().output.is_empty() {
        return Err(undecided("the program prints before it reads".into()));
    }
    let moves = execute::steps(program, boxes, interrupt)?;
    let first = boxes.boxes.iter().position(|state_box| state_box.holds_in(&start));
    let first = first.ok_or_else(|| undecided("the first state is in no box".into()))?;
    let mut maker = Maker { mapping, symbols: BTreeMap::new(), system: System::default() };
    maker.system.transitions = vec![vec![]; moves.len() + 1];
    let over = moves.len();
    for (from, moves) in moves.iter().enumerate() {
        let mut effects: BTreeMap<&[i32], Effect<'_>> = BTreeMap::new();
        let going_on = moves.list.iter().map(|step| (&step.inputs[..], (&step.written, Some(step.target))));
        let mut all: Vec<(&[i32], Effect<'_>)> = going_on.collect();
        for (inputs, written) in &moves.ends {
            let inputs =
                inputs.as_ref().ok_or_else(|| undecided("a step may end the run, and it is not known which".into()))?;
            all.push((inputs, (written, None)));
        }
        for (inputs, effect) in all {
            if *effects.entry(inputs).or_insert(effect) != effect {
                return Err(undecided(format!("states of box {} answer differently", from + 1)));
            }
        }
        let changes = |inputs: &[i32]| moves.list.iter().any(|step| step.inputs == inputs && step.changes);
        for (inputs, (written, target)) in effects {
            let [input] = inputs else { return Err(undecided("a step does not read one number".into())) };
            if written.output.trim().is_empty() && written.complains {
                if target.is_none_or(|target| target != from && changes(inputs)) {
                    return Err(undecided("an input is called invalid, and has an effect".into()));
                }
                continue;
            }
            maker.step(from, *input, written, target.unwrap_or(over))?;
        }
    }
    Ok(maker.finish(first))
}

struct Maker<'m> {
    mapping: &'m Mapping,
    symbols: BTreeMap<String, usize>,
    system: System,
}

impl Maker<'_> {
    fn step(&mut self, from: usize, input: i32, written: &Written, target: usize) -> Result<(), Judgement> {
        let printed: Result<Vec<i32>, _> = written.output.split_whitespace().map(str::parse).collect();
        let printed =
            printed.map_err(|_| Judgement::Undecided(format!("a step prints `{}`", written.output.trim())))?;
        let mapping = self.mapping;
        let names =
            std::iter::once(mapping.symbol('i', input)).chain(printed.iter().map(|&one| mapping.symbol('o', one)));
        let names: Vec<String> = names.collect();
        let mut at = from;
        for (index, name) in names.iter().enumerate() {
            let next = if index + 1 == names.len() { target } else { self.new_state() };
            let number = self.symbols.len();
            let symbol = *self.symbols.entry(name.clone()).or_insert(number);
            self.system.transitions[at].push((symbol, next));
            at = next;
        }
        Ok(())
    }

    fn new_state(&mut self) -> usize {
        self.system.transitions.push(vec![]);
        self.system.transitions.len() - 1
    }

    /// What can be reached from the first state.
    fn finish(self, first: usize) -> System {
        let mut symbols = vec![String::new(); self.symbols.len()];
        self.symbols.into_iter().for_each(|(name, number)| symbols[number] = name);
        let mut numbers = vec![None; self.system.transitions.len()];
        let mut order = vec![first];
        numbers[first] = Some(0);
        let mut next = 0;
        while let Some(&state) = order.get(next) {
            next += 1;
            for &(_, to) in &self.system.transitions[state] {
                if numbers[to].is_none() {
                    numbers[to] = Some(order.len());
                    order.push(to);
                }
            }
        }
        let kept = |&state: &usize| {
            let all = self.system.transitions[state].iter();
            all.filter_map(|&(symbol, to)| numbers[to].map(|to| (symbol, to))).collect()
        };
        System { symbols, transitions: order.iter().map(kept).collect() }
    }
}
