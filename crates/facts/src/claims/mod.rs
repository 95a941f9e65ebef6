//! What is known of a program, said as the checker expects it: facts about values, and visited states as boxes.

pub mod merge;
pub mod visited;

use crate::analysis::Values;
use crate::analysis::domain::Range;
use crate::analysis::flow::Flow;
use crate::certificate::{Fact, NumberSet, Progression};
use crate::expr::{TableId, VarId};
use crate::program::{Place, Scope};

/// All of some values.
pub fn numbers(values: &Values) -> NumberSet {
    match *values {
        Values::Set(ref list) => NumberSet::of_intervals(list.iter().map(|&value| (value, value))),
        Values::Range(Range { low, high, stride }) => {
            NumberSet::new(vec![Progression { low, high, step: stride }]).expect("a range ends where its stride leads")
        }
    }
}

/// The facts from the flow of values about each state of a program.
pub fn facts_of_flow(flow: &Flow) -> Vec<Fact> {
    let globals = globals(flow).filter(|&variable| *flow.head.get(variable) != Values::ANY);
    let of_variable = |variable| Fact::In(Place::Variable(variable), numbers(flow.head.get(variable)));
    globals.map(of_variable).chain(facts_of_tables(flow)).collect()
}

fn globals(flow: &Flow) -> impl Iterator<Item = VarId> {
    let variables = &flow.head.program.variables;
    (0..variables.len()).filter(|&index| variables[index].scope == Scope::Global).map(VarId::new)
}

fn facts_of_tables(flow: &Flow) -> impl Iterator<Item = Fact> {
    let tables = &flow.head.program.tables;
    let written = (0..tables.len()).filter(|&index| tables[index].written);
    written.map(|index| Fact::Cells(TableId::new(index), numbers(&flow.head.cells()[index])))
}
