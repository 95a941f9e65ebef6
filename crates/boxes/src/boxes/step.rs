//! The data that walks through the step share: the program, the facts about its variables, and the plans for its
//! labels.

use rustc_hash::FxHashMap;

use super::cells::Cells;
use super::guards::Tests;
use super::preimage::Demand;
use super::sets::{SetId, Sets};
use crate::analysis::Values;
use crate::analysis::flow::Flow;
use crate::analysis::slice::Slice;
use crate::expr::VarId;
use crate::program::{Domain, Program, PropertyId, Scope, StmtId, StmtKind};

/// The plan for a label.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Label {
    /// No state in a box may reach it.
    Excluded,
    /// Known to be reachable, or not asked for.
    Allowed,
    /// It depends on a counter, and so is not for boxes to decide.
    Suspended,
}

pub struct StepContext<'p> {
    pub program: &'p Program,
    pub slice: &'p Slice,
    pub sets: Sets,
    pub tests: Tests<'p>,
    /// Per slot: whether it carries something that matters from step to step.
    pub is_state: Vec<bool>,
    /// Per slot: its values when a step begins, as the flow of values has them, and as a set.
    pub head: Vec<Values>,
    pub base: Vec<SetId>,
    /// Per slot: whether it counts on and on. A box that says anything about such a variable has one like it for each number.
    pub is_counter: Vec<bool>,
    pub cells: Cells,
    pub labels: Vec<Label>,
    /// Per input: its alphabet.
    pub inputs: Vec<SetId>,
    /// By the body of an arm: the label that it reaches.
    label_of: FxHashMap<StmtId, PropertyId>,
    /// Per statement: whether it is the body of a rule, which assigns to the state.
    is_rule: Vec<bool>,
}

impl<'p> StepContext<'p> {
    pub fn new(
        program: &'p Program,
        slice: &'p Slice,
        flow: &Flow,
        live: &[bool],
        labels: Vec<Label>,
    ) -> StepContext<'p> {
        let mut sets = Sets::new();
        let variables = program.variables.len();
        let is_kept = |index: usize| program.variables[index].scope == Scope::Global && slice.assigned[index];
        let mut is_state: Vec<bool> = (0..variables).map(|index| live[index] && is_kept(index)).collect();
        is_state.resize(variables + program.inputs.len(), false);
        let mut head: Vec<Values> = (0..variables).map(|index| flow.head.get(VarId::new(index)).clone()).collect();
        head.extend(program.inputs.iter().map(|input| Values::of(&input.alphabet)));
        let base = head.iter().map(|values| sets.of_values(values)).collect();
        let inputs = program.inputs.iter().map(|input| sets.of_intervals(intervals(&input.alphabet))).collect();
        let passing = live.iter().map(|live| !live).collect();
        let tests = Tests::of_all(program, flow.anywhere.clone(), passing, &mut sets);
        let cells = Cells::new(&tests, &mut sets, &head);
        let (label_of, is_rule) = (label_of(program), rules(program, &is_state));
        let is_counter = flow.is_counter.clone();
        StepContext {
            program,
            slice,
            sets,
            tests,
            is_state,
            head,
            base,
            is_counter,
            cells,
            labels,
            inputs,
            label_of,
            is_rule,
        }
    }

    pub fn label_of(&self, body: StmtId) -> Option<PropertyId> {
        self.label_of.get(&body).copied()
    }

    pub fn is_rule(&self, body: StmtId) -> bool {
        self.is_rule[body.index()]
    }

    pub fn is_excluded(&self, label: PropertyId) -> bool {
        self.labels[label.index()] == Label::Excluded
    }

    pub fn suspend(&mut self, label: PropertyId) {
        self.labels[label.index()] = Label::Suspended;
    }

    pub fn uses_counter(&self, demands: &[Demand]) -> bool {
        demands.iter().any(|demand| match demand {
            Demand::In(slot, ..) => self.is_counter[slot.index()],
            Demand::Is(_, reads, _) => reads.iter().any(|(slot, _)| self.is_counter[slot.index()]),
        })
    }
}

fn intervals(domain: &Domain) -> Vec<(i32, i32)> {
    match domain {
        Domain::List(list) => list.iter().map(|&value| (value, value)).collect(),
        Domain::Range(low, high) => vec![(*low, *high)],
    }
}

/// By arm: the label that its body reaches at once.
pub fn label_of(program: &Program) -> FxHashMap<StmtId, PropertyId> {
    let mut found = FxHashMap::default();
    for (index, stmt) in program.stmts.iter().enumerate() {
        if let StmtKind::Error(property) | StmtKind::Reach(property) = stmt.kind {
            found.insert(StmtId::new(index), property);
        }
    }
    for (index, stmt) in program.stmts.iter().enumerate() {
        if let StmtKind::Sequence(list) = &stmt.kind
            && let Some(label) = list.iter().find_map(|inner| found.get(inner).copied())
        {
            found.insert(StmtId::new(index), label);
        }
    }
    found
}

fn rules(program: &Program, is_state: &[bool]) -> Vec<bool> {
    let assigns = |id: &StmtId| {
        let kind = &program.stmt(*id).kind;
        matches!(kind, StmtKind::Assign { variable, .. } if is_state[variable.index()])
    };
    let is_rule = |index: usize| match &program.stmts[index].kind {
        StmtKind::Sequence(list) => list.iter().any(assigns),
        _ => assigns(&StmtId::new(index)),
    };
    (0..program.stmts.len()).map(is_rule).collect()
}
