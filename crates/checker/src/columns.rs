//! Columns: for every variable and input of a program the regions that are told apart.
//!
//! Variables are cut where a set of the certificate begins or ends, and where it says that this helps or, if it does
//! not say, where the program compares them with constants. Other cuts are less precise or slower, never wrong.

use std::collections::BTreeSet;

use redoubt_base::BitSet;
use redoubt_program::expr::{BinaryOp, Expr, ExprId, InputId, Type, VarId};
use redoubt_program::program::{Place, Program, StmtKind};

use super::{Certificate, Fact, Literal, NumberSet};
use crate::interval::Source;

/// A number per column.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct ColumnId(pub usize);

/// Inputs with at most this many values are divided into single values.
const MOST_LISTED: u64 = 64;

#[derive(Debug)]
pub struct Columns {
    columns: Vec<Column>,
    variables: usize,
}

/// The regions of a variable or an input: all integers, cut at some places.
#[derive(Debug)]
pub struct Column {
    /// The first number of each region; that of the first one is the lowest integer.
    starts: Vec<i32>,
    /// The numbers that the facts allow at the start of a step.
    pub known: NumberSet,
    /// Per region, see [`Column::values`].
    values: Vec<NumberSet>,
}

impl Column {
    fn new(starts: Vec<i32>, known: NumberSet, of_type: &NumberSet) -> Column {
        let mut column = Column { starts, known, values: vec![] };
        let values = (0..column.regions()).map(|region| {
            let (low, high) = column.bounds(region);
            let known = column.known.within(low, high);
            if known.is_empty() { of_type.within(low, high) } else { known }
        });
        column.values = values.collect();
        column
    }

    pub fn regions(&self) -> usize {
        self.starts.len()
    }

    pub fn region_of(&self, number: i32) -> usize {
        self.starts.partition_point(|&start| start <= number) - 1
    }

    /// Whether a region begins with a number.
    pub fn is_cut_at(&self, number: i32) -> bool {
        self.starts.binary_search(&number).is_ok()
    }

    pub fn bounds(&self, region: usize) -> (i32, i32) {
        (self.starts[region], self.starts.get(region + 1).map_or(i32::MAX, |next| next - 1))
    }

    /// The numbers that a variable in this region has at the start of a step; in a region that the facts exclude, all of
    /// them.
    pub fn values(&self, region: usize) -> &NumberSet {
        &self.values[region]
    }

    /// The regions that some values touch.
    pub fn touched(&self, numbers: &NumberSet) -> BitSet {
        let mut regions = BitSet::none(self.regions());
        for run in numbers.runs() {
            for region in self.region_of(run.low)..=self.region_of(run.high) {
                let (low, high) = self.bounds(region);
                // A run with steps may leap over a region.
                if run.step == 1 || run.within(low, high).is_some() {
                    regions.insert(region);
                }
            }
        }
        regions
    }

    /// The regions of a set that ends where regions end.
    pub fn inside(&self, numbers: &NumberSet) -> BitSet {
        let mut regions = BitSet::none(self.regions());
        for run in numbers.runs() {
            (self.region_of(run.low)..=self.region_of(run.high)).for_each(|region| regions.insert(region));
        }
        regions
    }
}

impl Columns {
    /// The columns for a certificate; `None` if a claim is not about regions, or a fact allows numbers that the type of
    /// its variable does not have.
    pub fn new(program: &Program, certificate: &Certificate) -> Option<Columns> {
        let variables = program.variables.len();
        let of_type = program.variables.iter().map(|variable| match variable.ty {
            Type::Bool => NumberSet::truth(),
            Type::Pointer => NumberSet::between(0, program.tables.len() as i32 - 1),
            Type::Int => NumberSet::all(),
        });
        let mut of_type: Vec<NumberSet> = of_type.collect();
        let mut known = of_type.clone();
        let mut cuts = vec![BTreeSet::new(); variables + program.inputs.len()];
        for fact in &certificate.facts {
            if let Fact::In(Place::Variable(variable), numbers) = fact {
                let known = &mut known[variable.index()];
                numbers.is_subset(&of_type[variable.index()]).then(|| *known = known.meet(numbers))?;
                cut_at_ends(&mut cuts[variable.index()], numbers);
            }
        }
        known.extend(program.inputs.iter().map(|input| NumberSet::of_domain(&input.alphabet)));
        of_type.extend(known[variables..].iter().cloned());
        for (variable, numbers) in certificate.boxes.iter().flat_map(|state_box| &state_box.sides) {
            numbers.is_without_steps().then(|| cut_at_ends(&mut cuts[variable.index()], numbers))?;
        }
        for literal in certificate.clauses.iter().flatten() {
            match literal {
                Literal::In(Place::Variable(variable), numbers) if numbers.is_without_steps() => {
                    cut_at_ends(&mut cuts[variable.index()], numbers);
                }
                _ => return None,
            }
        }
        for (index, values) in known.iter().enumerate() {
            let is_input = index >= variables;
            if values.count() <= MOST_LISTED && (is_input || program.variables[index].ty != Type::Int) {
                values.iter().for_each(|value| cut_around(&mut cuts[index], value));
            }
        }
        if certificate.cuts.is_empty() {
            cut_at_comparisons(program, &mut cuts);
        }
        certificate.cuts.iter().for_each(|(variable, places)| cuts[variable.index()].extend(places));
        refine_sources(program, &mut cuts);
        let column = |((cuts, known), of_type): ((BTreeSet<i32>, NumberSet), NumberSet)| {
            let starts: Vec<i32> = std::iter::once(i32::MIN).chain(cuts.range(i32::MIN + 1..).copied()).collect();
            Column::new(starts, known, &of_type)
        };
        let columns = cuts.into_iter().zip(known).zip(of_type).map(column).collect();
        Some(Columns { columns, variables })
    }

    pub fn of_variable(&self, variable: VarId) -> ColumnId {
        ColumnId(variable.index())
    }

    pub fn of_input(&self, input: InputId) -> ColumnId {
        ColumnId(self.variables + input.index())
    }

    /// The source by which expressions read it.
    pub fn source(&self, column: ColumnId) -> Source {
        match column.0.checked_sub(self.variables) {
            None => Source::Variable(VarId::new(column.0)),
            Some(input) => Source::Input(InputId::new(input)),
        }
    }

    pub fn get(&self, column: ColumnId) -> &Column {
        &self.columns[column.0]
    }

    /// The columns that an expression reads, ascending.
    pub fn read_by(&self, program: &Program, id: ExprId) -> Vec<ColumnId> {
        let column = |expr| match expr {
            Expr::Var(variable) => Some(self.of_variable(variable)),
            Expr::Input(input) => Some(self.of_input(input)),
            _ => None,
        };
        let mut found: Vec<ColumnId> = program.exprs.parts(id).filter_map(column).collect();
        found.sort_unstable();
        found.dedup();
        found
    }
}

pub fn cut_at_ends(cuts: &mut BTreeSet<i32>, numbers: &NumberSet) {
    for run in numbers.runs() {
        cuts.insert(run.low);
        cuts.extend(run.high.checked_add(1));
    }
}

fn cut_around(cuts: &mut BTreeSet<i32>, number: i32) {
    cuts.insert(number);
    cuts.extend(number.checked_add(1));
}

/// Cuts where a variable or input is compared with a constant.
pub fn cut_at_comparisons(program: &Program, cuts: &mut [BTreeSet<i32>]) {
    let column = |id| match program.exprs.get(id) {
        Expr::Var(variable) => Some(variable.index()),
        Expr::Input(input) => Some(program.variables.len() + input.index()),
        _ => None,
    };
    for (_, expr) in program.exprs.iter() {
        let Expr::Binary(op @ (BinaryOp::Eq | BinaryOp::Less | BinaryOp::LessEq), a, b) = expr else { continue };
        for (side, other, is_left) in [(a, b, true), (b, a, false)] {
            let (Some(column), Some(constant)) = (column(side), program.exprs.as_int(other)) else { continue };
            match (op, is_left) {
                (BinaryOp::Eq, _) => cut_around(&mut cuts[column], constant),
                (BinaryOp::Less, true) | (BinaryOp::LessEq, false) => {
                    cuts[column].insert(constant);
                }
                _ => cuts[column].extend(constant.checked_add(1)),
            }
        }
    }
}

/// Where one variable is assigned to another, the source is told apart at least as finely as the target.
fn refine_sources(program: &Program, cuts: &mut [BTreeSet<i32>]) {
    let mut copies = vec![];
    for stmt in &program.stmts {
        if let StmtKind::Assign { variable, value } = stmt.kind {
            match program.exprs.get(value) {
                Expr::Var(source) => copies.push((source.index(), variable.index())),
                Expr::Input(source) => copies.push((program.variables.len() + source.index(), variable.index())),
                _ => {}
            }
        }
    }
    copies.sort_unstable();
    copies.dedup();
    loop {
        let mut changed = false;
        for &(source, target) in &copies {
            let missing: Vec<i32> = cuts[target].difference(&cuts[source]).copied().collect();
            changed |= !missing.is_empty();
            cuts[source].extend(missing);
        }
        if !changed {
            return;
        }
    }
}
