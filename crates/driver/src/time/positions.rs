//! A program and some of its atoms in, a program out in which each step is a position and has the atoms in variables.
//!
//! Parts that have nothing to do with the atoms are gone: no property is reached, and where a run would end with an
//! error it just ends. If the initial state is a position and was not chosen by a step of its own, there is a first
//! step that does nothing.

use rustc_hash::FxHashMap;

use crate::analysis::slice::Slice;
use crate::expr::{ExprId, TableId, Type, VarId};
use crate::program::points_to::PointsTo;
use crate::program::{Arm, Builder, Program, PropertyId, Scope, StmtId, StmtKind, Timed, Variable};
use crate::text::Span;

/// The new program as it is made.
pub struct Positions {
    pub builder: Builder,
    /// Whether there is a first step that does nothing.
    pub has_idle_step: bool,
    /// Whether the run has begun, while the step is under way; always, if `None`.
    pub begun: Option<ExprId>,
    /// Whether the step is a position; always, if `None`.
    is_position: Option<ExprId>,
    /// The statements of a step before all others, and the step of the old program.
    before: Vec<StmtId>,
    step: StmtId,
    variables: FxHashMap<PropertyId, VarId>,
}

pub const NOWHERE: Span = Span { file: 0, start: 0, end: 0 };

impl Positions {
    /// The positions that a property speaks of, with its atoms and those of fairness.
    pub fn new(program: &Program, timed: &Timed) -> Positions {
        let mut builder = Builder::of(Program { properties: vec![], ..program.clone() });
        let mut variables: FxHashMap<PropertyId, VarId> = FxHashMap::default();
        for atom in atoms(program, timed) {
            let name = format!("@{}", program.property(atom).name);
            variables.entry(atom).or_insert_with(|| truth(&mut builder, name, Scope::Global));
        }
        let (yes, no, code) =
            (builder.exprs_mut().bool(true), builder.exprs_mut().bool(false), builder.exprs_mut().int(0));
        for (index, stmt) in program.stmts.iter().enumerate() {
            let kind = match &stmt.kind {
                StmtKind::Error(_) => StmtKind::Halt(code),
                StmtKind::Reach(property) => match variables.get(property) {
                    Some(&variable) => StmtKind::Assign { variable, value: yes },
                    None => StmtKind::Sequence(vec![]),
                },
                _ => continue,
            };
            builder.replace_stmt(StmtId::new(index), kind);
        }
        let mut own: Vec<VarId> = variables.values().copied().collect();
        own.sort_unstable();
        let started = program.legend.as_ref().and_then(|legend| legend.started);
        let mut positions = Positions {
            has_idle_step: timed.from_start && started.is_none(),
            begun: None,
            is_position: None,
            before: vec![],
            step: program.step,
            variables,
            builder,
        };
        let resets = own.into_iter().map(|variable| positions.assign(variable, no)).collect::<Vec<_>>();
        let body = positions.builder.add_sequence(resets.into_iter().chain([program.step]).collect());
        positions.step = body;
        if positions.has_idle_step {
            let begun = truth(&mut positions.builder, "@begun".into(), Scope::Global);
            let is_begun = positions.builder.exprs_mut().var(begun, Type::Bool);
            let first = positions.assign(begun, yes);
            let arms =
                vec![Arm { guard: is_begun, body, span: NOWHERE }, Arm { guard: yes, body: first, span: NOWHERE }];
            positions.step = positions.builder.add_stmt(StmtKind::Choice(arms), NOWHERE);
            positions.begun = Some(is_begun);
        }
        if let Some(started) = started {
            // The value that the step finds, not the one that it leaves.
            let was_started = truth(&mut positions.builder, "@was_started".into(), Scope::Local);
            let value = positions.builder.exprs_mut().var(started, Type::Bool);
            let note = positions.assign(was_started, value);
            positions.before.push(note);
            let was_started = positions.builder.exprs_mut().var(was_started, Type::Bool);
            positions.begun = Some(was_started);
            positions.is_position = (!timed.from_start).then_some(was_started);
        }
        positions
    }

    /// Whether the first step is no position, since it only chooses the start.
    pub fn skips_opening(&self) -> bool {
        self.is_position.is_some()
    }

    /// Whether an atom is true at the position, once the step is over.
    pub fn atom(&mut self, atom: PropertyId) -> ExprId {
        let variable = self.variables[&atom];
        self.builder.exprs_mut().var(variable, Type::Bool)
    }

    pub fn assign(&mut self, variable: VarId, value: ExprId) -> StmtId {
        self.builder.add_stmt(StmtKind::Assign { variable, value }, NOWHERE)
    }

    /// Statements under a condition, if there is one.
    pub fn under(&mut self, condition: Option<ExprId>, statements: Vec<StmtId>) -> StmtId {
        let body = self.builder.add_sequence(statements);
        match condition {
            None => body,
            Some(guard) => self.builder.add_stmt(StmtKind::Choice(vec![Arm { guard, body, span: NOWHERE }]), NOWHERE),
        }
    }

    /// The program, with something to do before each step and something at each position.
    pub fn finish(mut self, before: Vec<StmtId>, at_position: Vec<StmtId>) -> Program {
        let at_position = self.under(self.is_position, at_position);
        let parts = self.before.iter().copied().chain(before).chain([self.step, at_position]).collect();
        let step = self.builder.add_sequence(parts);
        self.builder.set_step(step);
        self.builder.finish().expect("a program with more to do is a program")
    }
}

/// A new variable that is false at the start.
pub fn truth(builder: &mut Builder, name: String, scope: Scope) -> VarId {
    builder.add_variable(Variable { name, ty: Type::Bool, scope, initial: 0, domain: None, span: NOWHERE })
}

/// The atoms of a property, and those of fairness.
pub fn atoms(program: &Program, timed: &Timed) -> impl Iterator<Item = PropertyId> {
    let fair = program.fairness.iter().flat_map(|fairness| std::iter::once(fairness.recurs).chain(fairness.when));
    timed.atoms.iter().copied().chain(fair).collect::<Vec<_>>().into_iter()
}

/// The variables that decide about atoms and about whether a run goes on, from one step to the next.
pub struct Essence {
    pub variables: Vec<VarId>,
    pub tables: Vec<TableId>,
}

impl Essence {
    pub fn of(program: &Program, timed: &Timed) -> Essence {
        let wanted: Vec<PropertyId> = atoms(program, timed).collect();
        let mut about = program.clone();
        for stmt in &mut about.stmts {
            if matches!(&stmt.kind, StmtKind::Reach(property) if !wanted.contains(property)) {
                stmt.kind = StmtKind::Sequence(vec![]);
            }
        }
        let slice = Slice::of_ends(&about, &PointsTo::of(&about));
        let is_state = |variable: &VarId| {
            let index = variable.index();
            program.variables[index].scope == Scope::Global && slice.variables[index] && slice.assigned[index]
        };
        let is_stored = |table: &TableId| slice.tables[table.index()] && slice.stored[table.index()];
        Essence {
            variables: (0..program.variables.len()).map(VarId::new).filter(is_state).collect(),
            tables: (0..program.tables.len()).map(TableId::new).filter(is_stored).collect(),
        }
    }
}
