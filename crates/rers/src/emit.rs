//! The program under construction, with the block that its next statements go to.

use super::java;
use redoubt_program::expr::{ExprId, Exprs, Type, VarId};
use redoubt_program::program::{
    Arm, Builder, Language, Property, PropertyId, PropertyKind, Scope, StmtId, StmtKind, Variable,
};
use redoubt_program::text::Span;

pub struct Emitter {
    pub program: Builder,
    block: Vec<StmtId>,
    /// Locals that C leaves undefined until they are assigned.
    pub uninitialised: Vec<VarId>,
    /// The numbers of Java's texts.
    pub words: Words,
}

/// The numbers of texts: of those that are read or kept, and of those that are printed.
pub struct Words {
    pub inputs: java::words::Words,
    pub outputs: java::words::Words,
}

/// Each check repeats the conditions under which it is due, so of very many in one expression the text would grow as a square.
const MOST_CHECKS: usize = 16;

/// A block that waits until one inside it has been filled.
#[must_use]
pub struct Outer(Vec<StmtId>);

impl Emitter {
    pub fn new(program: Builder) -> Emitter {
        let words = Words { inputs: java::words::Words::of_inputs(), outputs: java::words::Words::of_outputs() };
        Emitter { program, block: vec![], uninitialised: vec![], words }
    }

    pub fn is_java(&self) -> bool {
        self.program.language == Language::RersJava
    }

    pub fn exprs(&mut self) -> &mut Exprs {
        self.program.exprs_mut()
    }

    /// Begins a block of its own.
    pub fn open(&mut self) -> Outer {
        self.open_with(vec![])
    }

    /// Goes on with a block that was closed.
    pub fn open_with(&mut self, statements: Vec<StmtId>) -> Outer {
        Outer(std::mem::replace(&mut self.block, statements))
    }

    /// The statements since the block was opened; later ones go to the outer one.
    pub fn close(&mut self, outer: Outer) -> Vec<StmtId> {
        std::mem::replace(&mut self.block, outer.0)
    }

    /// The same, as one statement.
    pub fn close_body(&mut self, outer: Outer) -> StmtId {
        let statements = self.close(outer);
        self.program.add_sequence(statements)
    }

    pub fn push(&mut self, kind: StmtKind, span: Span) {
        let id = self.program.add_stmt(kind, span);
        self.block.push(id);
    }

    /// Puts statements that were closed before at the end of the block.
    pub fn append(&mut self, statements: Vec<StmtId>) {
        self.block.extend(statements);
    }

    pub fn assign(&mut self, variable: VarId, value: ExprId, span: Span) {
        self.push(StmtKind::Assign { variable, value }, span);
    }

    /// A choice whose arms go on with statements that were closed before, and then assign to a variable.
    pub fn assign_by_choice(&mut self, variable: VarId, arms: Vec<(ExprId, Vec<StmtId>, ExprId)>, span: Span) {
        let mut finished = vec![];
        for (guard, statements, value) in arms {
            let outer = self.open_with(statements);
            self.assign(variable, value, span);
            finished.push(Arm { guard, body: self.close_body(outer), span });
        }
        self.push(StmtKind::Choice(finished), span);
    }

    pub fn variable(&mut self, name: String, ty: Type, scope: Scope, initial: i32, span: Span) -> VarId {
        self.program.add_variable(Variable { name, ty, scope, initial, domain: None, span })
    }

    /// A variable that no text names.
    pub fn temporary(&mut self, ty: Type, span: Span) -> VarId {
        let name = format!("t{}", self.program.variables.len());
        self.variable(name, ty, Scope::Local, 0, span)
    }

    /// A new variable that holds the integer as it is now.
    pub fn copied(&mut self, value: ExprId, span: Span) -> ExprId {
        let copy = self.temporary(Type::Int, span);
        self.assign(copy, value, span);
        self.exprs().var(copy, Type::Int)
    }

    /// The property of a name, made when it is first met.
    pub fn property(&mut self, name: impl Into<String>, kind: PropertyKind, span: Span) -> PropertyId {
        self.program.add_property(Property { name: name.into(), kind, span, expected: None })
    }

    pub fn error_if(&mut self, condition: ExprId, property: PropertyId, span: Span) {
        match self.program.exprs.as_bool(condition) {
            Some(false) => {}
            Some(true) => self.push(StmtKind::Error(property), span),
            None => {
                let body = self.program.add_stmt(StmtKind::Error(property), span);
                self.push(StmtKind::Choice(vec![Arm { guard: condition, body, span }]), span);
            }
        }
    }

    /// Whether statements that were closed before only check something, as [`Emitter::error_if`] does, and are few enough to say
    /// of each when it is due.
    pub fn are_checks(&self, statements: &[StmtId]) -> bool {
        let is_error = |arm: &Arm| matches!(self.program.stmt(arm.body).kind, StmtKind::Error(_));
        let is_check = |id: &StmtId| match &self.program.stmt(*id).kind {
            StmtKind::Choice(arms) => arms.iter().all(is_error),
            _ => false,
        };
        statements.len() <= MOST_CHECKS && statements.iter().all(is_check)
    }

    /// Appends checks that are due under a condition.
    pub fn append_checks(&mut self, checks: Vec<StmtId>, condition: ExprId) {
        checks.iter().for_each(|&check| self.program.guard(check, condition));
        self.append(checks);
    }

    /// `if bad -> error`, unless it can be seen that it never happens.
    pub fn check(&mut self, bad: ExprId, kind: PropertyKind, span: Span) {
        if self.program.exprs.as_bool(bad) == Some(false) {
            return;
        }
        let name = match kind {
            PropertyKind::DivisionByZero => "division_by_zero",
            PropertyKind::DivisionOverflow => "division_overflow",
            _ => "index_out_of_bounds",
        };
        let property = self.property(name, kind, span);
        self.error_if(bad, property, span);
    }
}
