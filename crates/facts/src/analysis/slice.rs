//! The part of a program's step that can influence the end of a run: a program slice (Weiser, "Program slicing", 1984).
//!
//! Errors, halts and assumptions are kept; so is everything that decides whether they are executed, and every write to
//! the variables that those decisions read. Printing is not, nor are variables that only end up in print. This is
//! sharper than [`crate::program::usage`], which counts output as an effect: a variable that is only ever printed would
//! tell states apart that behave alike. [`Slice::of_behaviour`] keeps the output, too.

use crate::expr::{Expr, ExprId, InputId, TableId, VarId};
use crate::program::points_to::PointsTo;
use crate::program::{Program, StmtId, StmtKind, Stream};

/// The part of a step that is executed.
#[derive(Clone, Debug)]
pub struct Slice {
    /// Per statement: whether it is part of it.
    pub kept: Vec<bool>,
    /// Per variable, table and input: whether a kept statement reads it.
    pub variables: Vec<bool>,
    pub tables: Vec<bool>,
    pub inputs: Vec<bool>,
    /// Per variable and table: whether a kept statement writes it.
    pub assigned: Vec<bool>,
    pub stored: Vec<bool>,
}

impl Slice {
    /// All statements but the prints.
    pub fn everything(program: &Program, points_to: &PointsTo) -> Slice {
        let mut slice = Slice::nothing(program);
        slice.variables.fill(true);
        slice.tables.fill(true);
        slice.inputs.fill(true);
        for (kept, stmt) in slice.kept.iter_mut().zip(&program.stmts) {
            *kept = !matches!(stmt.kind, StmtKind::Print { .. });
        }
        let step = Dependences::of(program, points_to);
        slice.note_writes(program, &step);
        slice
    }

    /// The statements and variables that the ends of runs depend on.
    pub fn of_ends(program: &Program, points_to: &PointsTo) -> Slice {
        Slice::of(program, points_to, |kind| {
            matches!(kind, StmtKind::Error(_) | StmtKind::Reach(_) | StmtKind::Halt(_) | StmtKind::Assume(_))
        })
    }

    /// Those that the visible behaviour depends on: the output, and the ends of runs.
    pub fn of_behaviour(program: &Program, points_to: &PointsTo) -> Slice {
        Slice::of(program, points_to, |kind| {
            matches!(kind, StmtKind::Error(_) | StmtKind::Print { .. } | StmtKind::Halt(_) | StmtKind::Assume(_))
        })
    }

    /// Those that some statements depend on.
    fn of(program: &Program, points_to: &PointsTo, is_wanted: impl Fn(&StmtKind) -> bool) -> Slice {
        let step = Dependences::of(program, points_to);
        let mut slicer = Slicer { program, step: &step, slice: Slice::nothing(program), seen: vec![], pending: vec![] };
        slicer.seen = vec![false; program.exprs.len()];
        for &id in &step.statements {
            if is_wanted(&program.stmt(id).kind) {
                slicer.keep(id);
            }
        }
        slicer.close();
        let mut slice = slicer.slice;
        slice.note_writes(program, &step);
        slice
    }

    fn nothing(program: &Program) -> Slice {
        Slice {
            kept: vec![false; program.stmts.len()],
            variables: vec![false; program.variables.len()],
            tables: vec![false; program.tables.len()],
            inputs: vec![false; program.inputs.len()],
            assigned: vec![false; program.variables.len()],
            stored: vec![false; program.tables.len()],
        }
    }

    pub fn keeps(&self, id: StmtId) -> bool {
        self.kept[id.index()]
    }

    fn note_writes(&mut self, program: &Program, step: &Dependences) {
        for &id in step.statements.iter().filter(|id| self.kept[id.index()]) {
            match &program.stmt(id).kind {
                StmtKind::Assign { variable, .. } => self.assigned[variable.index()] = true,
                StmtKind::Store { pointer, .. } => {
                    step.targets(program, *pointer).for_each(|table| self.stored[table.index()] = true);
                }
                _ => {}
            }
        }
    }
}

/// The statements that a step can execute, and how they hang together.
struct Dependences<'t> {
    statements: Vec<StmtId>,
    /// Per statement: those that it is directly inside of; for the body of a function the calls of that function.
    parents: Vec<Vec<StmtId>>,
    /// Per statement: the root of the function it belongs to.
    root: Vec<Option<StmtId>>,
    /// Per root: its returns.
    returns: Vec<Vec<StmtId>>,
    /// Per variable: its assignments.
    assignments: Vec<Vec<StmtId>>,
    stores: Vec<StmtId>,
    points_to: &'t PointsTo,
}

impl<'t> Dependences<'t> {
    fn of(program: &Program, points_to: &'t PointsTo) -> Dependences<'t> {
        let mut step = Dependences {
            statements: vec![],
            parents: vec![vec![]; program.stmts.len()],
            root: vec![None; program.stmts.len()],
            returns: vec![vec![]; program.stmts.len()],
            assignments: vec![vec![]; program.variables.len()],
            stores: vec![],
            points_to,
        };
        let mut roots = vec![program.step];
        while let Some(root) = roots.pop() {
            if step.root[root.index()].is_none() {
                step.add_function(program, root, &mut roots);
            }
        }
        step
    }

    fn add_function(&mut self, program: &Program, root: StmtId, roots: &mut Vec<StmtId>) {
        let mut pending = vec![root];
        while let Some(id) = pending.pop() {
            if self.root[id.index()].replace(root).is_some() {
                continue;
            }
            self.statements.push(id);
            match &program.stmt(id).kind {
                StmtKind::Call(callee) => {
                    let body = program.function(*callee).body;
                    self.parents[body.index()].push(id);
                    roots.push(body);
                }
                StmtKind::Return => self.returns[root.index()].push(id),
                StmtKind::Assign { variable, .. } => self.assignments[variable.index()].push(id),
                StmtKind::Store { .. } => self.stores.push(id),
                kind => {
                    for child in kind.children() {
                        self.parents[child.index()].push(id);
                        pending.push(child);
                    }
                }
            }
        }
    }

    /// The tables that a pointer may point to.
    fn targets(&self, program: &Program, pointer: ExprId) -> impl Iterator<Item = TableId> {
        self.points_to.targets(&program.exprs, pointer).into_iter()
    }
}

/// The closure: kept statements need the variables that they read, and these the statements that write them.
struct Slicer<'p> {
    program: &'p Program,
    step: &'p Dependences<'p>,
    slice: Slice,
    /// Per expression: whether it was looked into.
    seen: Vec<bool>,
    /// Kept statements whose consequences are still to be drawn.
    pending: Vec<StmtId>,
}

impl Slicer<'_> {
    fn keep(&mut self, id: StmtId) {
        if !std::mem::replace(&mut self.slice.kept[id.index()], true) {
            self.pending.push(id);
        }
    }

    fn close(&mut self) {
        let (program, step) = (self.program, self.step);
        while let Some(id) = self.pending.pop() {
            step.parents[id.index()].iter().for_each(|&parent| self.keep(parent));
            // A return decides whether the rest of its function is executed.
            if step.root[id.index()] == Some(id) {
                step.returns[id.index()].iter().for_each(|&inner| self.keep(inner));
            }
            match &program.stmt(id).kind {
                // Only that it halts, or complains, matters, not with which words.
                StmtKind::Halt(_) | StmtKind::Print { stream: Stream::Diagnostic, .. } => {}
                kind => kind.expressions().into_iter().for_each(|expr| self.need(expr)),
            }
        }
    }

    fn need(&mut self, root: ExprId) {
        let mut pending = vec![root];
        while let Some(id) = pending.pop() {
            if std::mem::replace(&mut self.seen[id.index()], true) {
                continue;
            }
            let expr = self.program.exprs.get(id);
            pending.extend(expr.operands());
            match expr {
                Expr::Var(var) => self.need_variable(var),
                Expr::Input(input) => self.need_input(input),
                Expr::Cell(pointer, _) => {
                    let step = self.step;
                    step.targets(self.program, pointer).for_each(|table| self.need_table(table));
                }
                _ => {}
            }
        }
    }

    fn need_variable(&mut self, var: VarId) {
        if !std::mem::replace(&mut self.slice.variables[var.index()], true) {
            let step = self.step;
            step.assignments[var.index()].iter().for_each(|&id| self.keep(id));
        }
    }

    fn need_input(&mut self, input: InputId) {
        self.slice.inputs[input.index()] = true;
    }

    fn need_table(&mut self, table: TableId) {
        if std::mem::replace(&mut self.slice.tables[table.index()], true) {
            return;
        }
        let (program, step) = (self.program, self.step);
        for &id in &step.stores {
            if let StmtKind::Store { pointer, .. } = program.stmt(id).kind
                && step.targets(program, pointer).any(|target| target == table)
            {
                self.keep(id);
            }
        }
    }
}
