//! A program and a property of its infinite runs in, a program out in which an error is reached if and only if a fair run
//! violates the property: liveness to safety (Biere, Artho and Schuppan, "Liveness checking as safety checking", 2002).
//!
//! Beside the program runs an automaton for the negated formula, whose ways an input chooses. Another input says when
//! to save the state; an error is reached when the saved state returns, if since then each acceptance set of the
//! automaton was met, and the loop is fair. Strong fairness comes at no cost here: a loop may have to meet any
//! condition on the atoms seen in it.

use rustc_hash::FxHashMap;

use super::Lasso;
use super::positions::{Essence, NOWHERE, Positions, truth};
use crate::base::Interrupt;
use crate::expr::{BinaryOp, ExprId, InputId, TableId, Type, VarId};
use crate::program::time::Question;
use crate::program::{
    Arm, Domain, Input, Program, Property, PropertyId, PropertyKind, Scope, StmtId, StmtKind, Table, Timed, Variable,
};
use crate::temporal::automaton::{Alphabet, Automaton, Cube};
use crate::temporal::product::Negation;
use crate::witness::Run;

/// A program whose only property is that a loop is closed.
#[derive(Clone, Debug)]
pub struct Loops {
    pub program: Program,
    /// The number of inputs of the given program; then comes the one that says when to save.
    inputs: usize,
    /// The number of steps before those of the given program.
    idle: usize,
}

impl Loops {
    /// The one property.
    pub fn closed() -> PropertyId {
        PropertyId::new(0)
    }

    /// The loops that violate a property of linear time; an error if they cannot be made.
    pub fn new(program: &Program, timed: &Timed, interrupt: &Interrupt) -> Result<Loops, String> {
        let Question::Linear(formula) = &timed.question else { return Err("it is about many runs at a time".into()) };
        let negation = Negation::of(formula, Alphabet::Free, interrupt).map_err(|unfinished| unfinished.to_string())?;
        let automaton = negation.automaton;
        let mut positions = Positions::new(program, timed);
        let (inputs, idle) = (program.inputs.len(), usize::from(positions.has_idle_step));
        let closed = positions.builder.add_property(Property {
            name: timed.name.clone(),
            kind: PropertyKind::Invariant,
            span: timed.span,
            expected: timed.expected,
        });
        let mut maker = Maker { is_saved: saved(&mut positions), positions, back: vec![], seen: FxHashMap::default() };
        let essence = Essence::of(program, timed);
        let (before, state) = maker.save(&essence, &automaton);
        let mut at_position = maker.walk(&automaton, timed, state);
        let fair = maker.fair(program, &mut at_position);
        let mut conditions = vec![maker.saved()];
        conditions.append(&mut maker.back);
        for set in 0..automaton.sets {
            let mark = maker.mark(set);
            conditions.push(maker.positions.builder.exprs_mut().var(mark, Type::Bool));
        }
        conditions.extend(fair);
        let exprs = maker.positions.builder.exprs_mut();
        let yes = exprs.bool(true);
        let all = conditions.into_iter().fold(yes, |all, one| exprs.and(all, one));
        let error = maker.positions.builder.add_stmt(StmtKind::Error(closed), timed.span);
        at_position.push(maker.positions.under(Some(all), vec![error]));
        Ok(Loops { program: maker.positions.finish(before, at_position), inputs, idle })
    }

    /// The number of steps of the run to the error that stands for a lasso.
    pub fn length_of(&self, lasso: &Lasso) -> usize {
        self.idle + lasso.run.len() + 1
    }

    /// The lasso of the given program that a run to the error stands for.
    pub fn lasso(&self, run: &Run) -> Lasso {
        let steps = run.get(self.idle..).unwrap_or_default();
        let loop_start = steps.iter().position(|inputs| inputs[self.inputs] == 1).unwrap_or(steps.len());
        Lasso { run: steps.iter().map(|inputs| inputs[..self.inputs].to_vec()).collect(), loop_start }
    }
}

fn saved(positions: &mut Positions) -> VarId {
    truth(&mut positions.builder, "@saved".into(), Scope::Global)
}

struct Maker {
    positions: Positions,
    /// Whether the state was saved.
    is_saved: VarId,
    /// The conditions under which the state is the saved one.
    back: Vec<ExprId>,
    /// The sets and atoms seen since: acceptance sets, and atoms of fairness.
    seen: FxHashMap<Seen, VarId>,
}

#[derive(Clone, Copy, PartialEq, Eq, Hash)]
enum Seen {
    Set(usize),
    Atom(PropertyId),
}

impl Maker {
    fn saved(&mut self) -> ExprId {
        let saved = self.is_saved;
        self.positions.builder.exprs_mut().var(saved, Type::Bool)
    }

    fn mark(&mut self, set: usize) -> VarId {
        let builder = &mut self.positions.builder;
        *self.seen.entry(Seen::Set(set)).or_insert_with(|| truth(builder, format!("@met {set}"), Scope::Global))
    }

    /// A number is true if it is 1.
    fn input(&mut self, name: &str, alphabet: Domain) -> ExprId {
        let builder = &mut self.positions.builder;
        let input: InputId = builder.add_input(Input { name: name.into(), alphabet });
        builder.exprs_mut().input(input, Type::Int)
    }

    /// Saves the state when an input says so, once. The result is the statements for that, and the state of the
    /// automaton.
    fn save(&mut self, essence: &Essence, automaton: &Automaton) -> (Vec<StmtId>, VarId) {
        let last = automaton.states.len().max(1) as i32 - 1;
        let state = self.positions.builder.add_variable(Variable {
            name: "@state".into(),
            ty: Type::Int,
            scope: Scope::Global,
            initial: 0,
            domain: Some(Domain::Range(0, last)),
            span: NOWHERE,
        });
        let mut statements = vec![];
        for &variable in essence.variables.iter().chain([&state]) {
            self.save_variable(variable, &mut statements);
        }
        for &table in &essence.tables {
            self.save_table(table, &mut statements);
        }
        let save = self.input("@save", Domain::Range(0, 1));
        let is_saved = self.saved();
        let begun = self.positions.begun;
        let exprs = self.positions.builder.exprs_mut();
        let (one, yes) = (exprs.int(1), exprs.bool(true));
        let is_now = exprs.eq(save, one);
        let not_yet = exprs.not(is_saved);
        let is_now = exprs.and(is_now, not_yet);
        let is_now = begun.map_or(is_now, |begun| exprs.and(begun, is_now));
        statements.push(self.positions.assign(self.is_saved, yes));
        (vec![self.positions.under(Some(is_now), statements)], state)
    }

    fn save_variable(&mut self, variable: VarId, statements: &mut Vec<StmtId>) {
        let original = self.positions.builder.variable(variable).clone();
        let (ty, name) = (original.ty, format!("@saved {}", original.name));
        let copy =
            self.positions.builder.add_variable(Variable { name, scope: Scope::Global, span: NOWHERE, ..original });
        let exprs = self.positions.builder.exprs_mut();
        let (value, kept) = (exprs.var(variable, ty), exprs.var(copy, ty));
        let is_back = exprs.eq(value, kept);
        self.back.push(is_back);
        statements.push(self.positions.assign(copy, value));
    }

    fn save_table(&mut self, table: TableId, statements: &mut Vec<StmtId>) {
        let original = self.positions.builder.table(table).clone();
        let (name, cells) = (format!("@saved {}", original.name), original.cells.len());
        let builder = &mut self.positions.builder;
        let copy = builder.add_table(Table { name, span: NOWHERE, ..original });
        builder.mark_written(copy);
        for cell in 0..cells {
            let exprs = builder.exprs_mut();
            let (from, to, index) = (exprs.table(table), exprs.table(copy), exprs.int(cell as i32));
            let (value, kept) = (exprs.cell(from, index), exprs.cell(to, index));
            let is_back = exprs.eq(value, kept);
            self.back.push(is_back);
            statements.push(builder.add_stmt(StmtKind::Store { pointer: to, index, value }, NOWHERE));
        }
    }

    /// One step of the automaton, on the atoms at the position: an input selects one of the ways of its state.
    fn walk(&mut self, automaton: &Automaton, timed: &Timed, state: VarId) -> Vec<StmtId> {
        let most = automaton.states.iter().map(Vec::len).max().unwrap_or(0);
        let no = self.positions.builder.exprs_mut().bool(false);
        let impossible = self.positions.builder.add_stmt(StmtKind::Assume(no), NOWHERE);
        if most == 0 {
            return vec![impossible];
        }
        let way = self.input("@way", Domain::Range(0, most as i32 - 1));
        let mut arms = vec![];
        for (number, ways) in automaton.states.iter().enumerate() {
            for (index, transition) in ways.iter().enumerate() {
                let cube = self.cube(transition.cube, timed);
                let exprs = self.positions.builder.exprs_mut();
                let (here, this) = (exprs.int(number as i32), exprs.int(index as i32));
                let (now, target) = (exprs.var(state, Type::Int), exprs.int(transition.target as i32));
                let (is_here, is_this) = (exprs.eq(now, here), exprs.eq(way, this));
                let guard = exprs.and(is_here, is_this);
                let guard = exprs.and(guard, cube);
                let mut statements = vec![self.positions.assign(state, target)];
                for set in (0..automaton.sets).filter(|set| transition.marks >> set & 1 == 1) {
                    let mark = self.mark(set);
                    let saved = self.saved();
                    let exprs = self.positions.builder.exprs_mut();
                    let before = exprs.var(mark, Type::Bool);
                    let value = exprs.or(before, saved);
                    statements.push(self.positions.assign(mark, value));
                }
                let body = self.positions.builder.add_sequence(statements);
                arms.push(Arm { guard, body, span: NOWHERE });
            }
        }
        arms.push(Arm { guard: self.positions.builder.exprs_mut().bool(true), body: impossible, span: NOWHERE });
        vec![self.positions.builder.add_stmt(StmtKind::Choice(arms), NOWHERE)]
    }

    /// The condition that the letter at the position is in a cube.
    fn cube(&mut self, cube: Cube, timed: &Timed) -> ExprId {
        let mut all = self.positions.builder.exprs_mut().bool(true);
        for (index, &atom) in timed.atoms.iter().enumerate() {
            let (yes, no) = (cube.yes >> index & 1 == 1, cube.no >> index & 1 == 1);
            if yes || no {
                let value = self.positions.atom(atom);
                let exprs = self.positions.builder.exprs_mut();
                let value = if yes { value } else { exprs.not(value) };
                all = exprs.and(all, value);
            }
        }
        all
    }

    /// Notes the conditions of fairness. The result is the list of conditions under which the loop is fair.
    fn fair(&mut self, program: &Program, statements: &mut Vec<StmtId>) -> Vec<ExprId> {
        let mut conditions = vec![];
        for fairness in &program.fairness {
            let recurs = self.seen_atom(fairness.recurs, statements);
            conditions.push(match fairness.when {
                None => recurs,
                Some(when) => {
                    let when = self.seen_atom(when, statements);
                    let exprs = self.positions.builder.exprs_mut();
                    let never = exprs.not(when);
                    exprs.binary(BinaryOp::Or, never, recurs)
                }
            });
        }
        conditions
    }

    fn seen_atom(&mut self, atom: PropertyId, statements: &mut Vec<StmtId>) -> ExprId {
        if let Some(&known) = self.seen.get(&Seen::Atom(atom)) {
            return self.positions.builder.exprs_mut().var(known, Type::Bool);
        }
        let seen = truth(&mut self.positions.builder, "@seen".into(), Scope::Global);
        self.seen.insert(Seen::Atom(atom), seen);
        let (saved, now) = (self.saved(), self.positions.atom(atom));
        let exprs = self.positions.builder.exprs_mut();
        let before = exprs.var(seen, Type::Bool);
        let now = exprs.and(saved, now);
        let value = exprs.or(before, now);
        statements.push(self.positions.assign(seen, value));
        before
    }
}
