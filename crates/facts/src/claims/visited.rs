//! States that a search has visited to a certificate: all of them, as boxes.

use super::merge::merge;
use super::{facts_of_tables, globals, numbers};
use crate::analysis::Values;
use crate::analysis::flow::Flow;
use crate::certificate::{Certificate, Fact, StateBox};
use crate::expr::VarId;
use crate::program::{Place, PropertyId};

/// The certificate that visited states give: the flow's values, and boxes over `variables`. `visited` has a row of value
/// numbers for each state, and `interval` tells which numbers of a variable one of these stands for.
pub fn certificate(
    flow: &Flow,
    excluded: Vec<PropertyId>,
    variables: &[VarId],
    visited: &[i32],
    interval: impl Fn(VarId, u32) -> (i32, i32),
) -> Certificate {
    let merged = merge(visited, variables.len());
    let set = |column: usize, index: u32| merged.numbers(index, |number| interval(variables[column], number));
    let fact = |variable: VarId, values: &Values| Fact::In(Place::Variable(variable), numbers(values));
    let (mut facts, mut sides) = (vec![], vec![]);
    for (column, &variable) in variables.iter().enumerate() {
        let mut values = flow.head.get(variable).clone();
        let first = merged.boxes.first().map_or(0, |row| row[column]);
        match (merged.boxes.iter().all(|row| row[column] == first), set(column, first).runs()) {
            // Facts that all boxes share are stated once.
            (true, [run]) => values = values.within(run.low, run.high),
            _ => sides.push(column),
        }
        facts.push(fact(variable, &values));
    }
    // The search does not keep variables that never change, or that each step writes before it reads them.
    let others = globals(flow).filter(|variable| !variables.contains(variable));
    let known = others.filter(|&variable| *flow.head.get(variable) != Values::ANY);
    facts.extend(known.map(|variable| fact(variable, flow.head.get(variable))));
    facts.extend(facts_of_tables(flow));
    let side = |row: &[u32], column: usize| (variables[column], set(column, row[column]));
    let state_box = |row: &[u32]| StateBox { sides: sides.iter().map(|&column| side(row, column)).collect() };
    let boxes = match sides[..] {
        [] => vec![],
        _ => merged.boxes.iter().map(|row| state_box(row)).collect(),
    };
    Certificate { excluded, facts, boxes, ..Certificate::default() }
}
