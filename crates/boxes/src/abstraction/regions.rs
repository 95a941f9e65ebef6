//! Regions: each variable's values, split into the intervals that the program can tell apart.
//!
//! A small set of values is split into single ones. A range is cut where the program compares: `x < c` cuts below `c`,
//! `x == c` on both sides of `c`, a comparison with an expression of few values at each of them. Cutting further is
//! always sound, and refinement does so.

use std::collections::BTreeSet;

use crate::analysis::flow::Flow;
use crate::analysis::{Env, Values};
use crate::expr::{BinaryOp, Expr, ExprId, Type, VarId};
use crate::program::{Program, StmtKind};

/// The regions of one variable: ascending intervals that do not overlap and hold all its values.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Partition {
    /// First and last value of each region.
    regions: Vec<(i32, i32)>,
}

impl Partition {
    /// The values, cut in front of each of the given numbers.
    fn new(values: &Values, cuts: &BTreeSet<i32>) -> Partition {
        let regions = match values {
            Values::Set(list) => list.iter().map(|&value| (value, value)).collect(),
            Values::Range(range) => {
                let inner = cuts.range(range.low.saturating_add(1)..=range.high).copied();
                let starts: Vec<i32> = std::iter::once(range.low).chain(inner).collect();
                let ends = starts[1..].iter().map(|start| start - 1).chain([range.high]);
                let regions = starts.iter().copied().zip(ends);
                regions.filter(|&(low, high)| !values.within(low, high).is_empty()).collect()
            }
        };
        Partition { regions }
    }

    pub fn len(&self) -> usize {
        self.regions.len()
    }

    /// Where the regions begin and end: in front of these numbers.
    pub fn cuts(&self) -> Vec<i32> {
        let ends = self.regions.iter().flat_map(|&(low, high)| [Some(low), high.checked_add(1)]);
        let cuts: BTreeSet<i32> = ends.flatten().collect();
        cuts.into_iter().collect()
    }

    pub fn is_empty(&self) -> bool {
        self.regions.is_empty()
    }

    /// The first and last value of a region.
    pub fn region(&self, index: usize) -> (i32, i32) {
        self.regions[index]
    }

    /// The region of a value; of one that the variable cannot have, a neighbouring one.
    pub fn index_of(&self, value: i32) -> usize {
        self.regions.partition_point(|&(low, _)| low <= value).saturating_sub(1)
    }

    /// The regions that some values touch, ascending.
    pub fn touched(&self, values: &Values) -> Vec<usize> {
        let Some((low, high)) = values.bounds() else { return vec![] };
        match values {
            Values::Set(list) => {
                let mut found: Vec<usize> = list.iter().map(|&value| self.index_of(value)).collect();
                found.dedup();
                found
            }
            Values::Range(_) => (self.index_of(low)..=self.index_of(high))
                .filter(|&index| {
                    let (first, last) = self.region(index);
                    !values.within(first, last).is_empty()
                })
                .collect(),
        }
    }
}

/// Where the variables that are told apart are cut, by variable.
pub fn all_cuts(partitions: &[Partition]) -> Vec<(VarId, Vec<i32>)> {
    let told_apart = partitions.iter().enumerate().filter(|(_, partition)| partition.len() > 1);
    told_apart.map(|(index, partition)| (VarId::new(index), partition.cuts())).collect()
}

/// Where each variable's range is cut: in front of these numbers.
#[derive(Clone, Debug, Default)]
pub struct Cuts {
    places: Vec<BTreeSet<i32>>,
    /// Per variable: how often it was to be split into single values.
    asked: Vec<u32>,
}

impl Cuts {
    /// The cuts that the comparisons of a program ask for.
    pub fn of(program: &Program, flow: &mut Flow) -> Cuts {
        let mut cuts =
            Cuts { places: vec![BTreeSet::new(); program.variables.len()], asked: vec![0; program.variables.len()] };
        let everywhere = &mut everywhere(flow);
        let mut pending = conditions(program);
        let mut seen = vec![false; program.exprs.len()];
        while let Some(id) = pending.pop() {
            if std::mem::replace(&mut seen[id.index()], true) {
                continue;
            }
            let expr = program.exprs.get(id);
            pending.extend(expr.operands());
            if let Expr::Binary(op @ (BinaryOp::Eq | BinaryOp::Less | BinaryOp::LessEq), a, b) = expr
                && program.exprs.type_of(a) == Type::Int
            {
                cuts.compare(everywhere, op, a, b, true);
                cuts.compare(everywhere, op, b, a, false);
            }
        }
        cuts
    }

    /// Cuts the values of a variable that is compared with something that has few values.
    fn compare(&mut self, env: &mut Env, op: BinaryOp, side: ExprId, other: ExprId, is_left: bool) {
        let Expr::Var(variable) = env.program.exprs.get(side) else { return };
        let Values::Set(constants) = env.evaluate(other) else { return };
        for constant in constants {
            let (before, behind) = match (op, is_left) {
                (BinaryOp::Eq, _) => (true, true),
                (BinaryOp::Less, true) | (BinaryOp::LessEq, false) => (true, false),
                _ => (false, true),
            };
            let behind = constant.checked_add(1).filter(|_| behind);
            for cut in before.then_some(constant).into_iter().chain(behind) {
                self.add(variable, cut);
            }
        }
    }

    /// Cuts a variable in front of a number; whether that is a new place.
    pub fn add(&mut self, variable: VarId, before: i32) -> bool {
        self.places[variable.index()].insert(before)
    }

    /// Makes single values of all from one number to another; in the middle of a wide range they are left together.
    pub fn split(&mut self, variable: VarId, low: i32, high: i32, furthest: i32) {
        let near_low = low..=high.min(low.saturating_add(furthest));
        let near_high = low.max(high.saturating_sub(furthest))..=high.saturating_add(1);
        self.places[variable.index()].extend(near_low.chain(near_high));
    }

    /// Leaves a variable uncut.
    pub fn hide(&mut self, variable: VarId) {
        self.places[variable.index()].clear();
    }

    /// Cuts a variable as another set of cuts does; whether that is news.
    pub fn copy(&mut self, other: &Cuts, variable: VarId) -> bool {
        let (own, other) = (&mut self.places[variable.index()], &other.places[variable.index()]);
        let before = own.len();
        own.extend(other);
        own.len() > before
    }

    /// The number of earlier requests to split a variable into single values.
    pub fn ask(&mut self, variable: VarId) -> u32 {
        let asked = &mut self.asked[variable.index()];
        *asked += 1;
        *asked - 1
    }

    pub fn of_variable(&self, variable: VarId) -> &BTreeSet<i32> {
        &self.places[variable.index()]
    }

    pub fn partitions(&self, flow: &Flow) -> Vec<Partition> {
        flow.anywhere.iter().zip(&self.places).map(|(values, cuts)| Partition::new(values, cuts)).collect()
    }
}

/// The conditions that decide the course of a program. A comparison within a value, such as the test against overflow
/// in `x += (x + 20) > x ? 4 : 0`, need not be decided by the regions of its operands.
fn conditions(program: &Program) -> Vec<ExprId> {
    let mut found = vec![];
    for stmt in &program.stmts {
        match &stmt.kind {
            StmtKind::Choice(arms) => found.extend(arms.iter().map(|arm| arm.guard)),
            StmtKind::Assume(condition) => found.push(*condition),
            StmtKind::Assign { variable, value } if program.variable(*variable).ty == Type::Bool => found.push(*value),
            _ => {}
        }
    }
    found
}

/// An environment in which every variable may have any value that it ever has.
fn everywhere<'p>(flow: &Flow<'p>) -> Env<'p> {
    let mut env = flow.head.clone();
    for (index, values) in flow.anywhere.iter().enumerate() {
        env.set(VarId::new(index), values.clone());
    }
    env
}
