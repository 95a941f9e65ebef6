//! The demands of rules and labels: the tests on the path to each, as a product of sets, one for each variable that is
//! tested.

use super::State;
use crate::analysis::{Env, Values};
use crate::base::stack::grow;
use crate::expr::{ExprId, VarId};
use crate::program::{Program, PropertyKind, StmtId, StmtKind};

/// By position in the state, ascending: the values that let a rule fire. Other variables do not matter to it.
pub type Cube = Vec<(usize, Values)>;

/// Programs in which functions are called again and again have many paths to a rule; this many are enough.
const MOST: usize = 20_000;

/// The cubes of all labels and rules: the tests on the path to the first assignment to the state.
pub fn cubes<'p>(program: &'p Program, keeps: &dyn Fn(StmtId) -> bool, state: &State, head: &Env<'p>) -> Vec<Cube> {
    let mut collector = Collector { program, keeps, state, head, env: head.clone(), found: vec![] };
    // Labels are checked at the end of a step, on the values that the next one finds.
    for stmt in &program.stmts {
        let StmtKind::Choice(arms) = &stmt.kind else { continue };
        for arm in arms.iter().filter(|arm| is_label(program, arm.body)) {
            let mark = collector.env.mark();
            if collector.env.refine(arm.guard, true) {
                collector.note();
            }
            collector.env.undo(mark);
        }
    }
    collector.visit(program.step, false);
    collector.found
}

/// Implicit checks of arithmetic say nothing about the machine behind a program.
fn is_trap(kind: PropertyKind) -> bool {
    let is_checked =
        matches!(kind, PropertyKind::DivisionByZero | PropertyKind::DivisionOverflow | PropertyKind::OutOfRange);
    is_checked || kind.is_unnoticed()
}

fn is_label(program: &Program, body: StmtId) -> bool {
    let is_error = |id: &StmtId| match program.stmt(*id).kind {
        StmtKind::Error(property) | StmtKind::Reach(property) => !is_trap(program.property(property).kind),
        _ => false,
    };
    match &program.stmt(body).kind {
        StmtKind::Sequence(list) => list.iter().any(is_error),
        _ => is_error(&body),
    }
}

struct Collector<'c, 'p> {
    program: &'p Program,
    keeps: &'c dyn Fn(StmtId) -> bool,
    state: &'c State,
    head: &'c Env<'p>,
    env: Env<'p>,
    found: Vec<Cube>,
}

impl Collector<'_, '_> {
    /// Takes note of the demands here.
    fn note(&mut self) {
        let sides = self.state.variables.iter().enumerate().filter_map(|(position, &variable)| {
            let values = self.env.get(variable);
            (values != self.head.get(variable)).then(|| (position, values.clone()))
        });
        let cube: Cube = sides.collect();
        if !cube.is_empty() {
            self.found.push(cube);
        }
    }

    fn visit(&mut self, id: StmtId, is_guarded: bool) {
        if !(self.keeps)(id) || self.found.len() >= MOST {
            return;
        }
        let program = self.program;
        match &program.stmt(id).kind {
            StmtKind::Sequence(list) => {
                for &inner in list {
                    if self.is_rule(inner) {
                        if is_guarded {
                            self.note();
                        }
                        return;
                    }
                    self.visit(inner, is_guarded);
                }
            }
            StmtKind::Call(function) => grow(|| self.visit(program.function(*function).body, is_guarded)),
            StmtKind::Choice(arms) => {
                for arm in arms {
                    let mark = self.env.mark();
                    if self.env.refine(arm.guard, true) {
                        grow(|| self.visit(arm.body, true));
                    }
                    self.env.undo(mark);
                }
            }
            StmtKind::Assign { variable, value } => self.assign(*variable, *value, is_guarded),
            _ => {}
        }
    }

    fn is_rule(&self, id: StmtId) -> bool {
        matches!(self.program.stmt(id).kind, StmtKind::Assign { variable, .. } if self.state.position(variable).is_some())
    }

    fn assign(&mut self, variable: VarId, value: ExprId, is_guarded: bool) {
        match self.state.position(variable) {
            Some(_) if is_guarded => self.note(),
            Some(_) => {}
            None => {
                let values = self.env.evaluate(value);
                self.env.set(variable, values);
            }
        }
    }
}
