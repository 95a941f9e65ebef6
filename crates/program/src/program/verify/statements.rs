//! Statements: types, and how they hang together.
//!
//! Statements are made before those that contain them. So a pass from the last one to the first meets parents before
//! children and tells every statement which part of the program it belongs to; nothing is walked twice.

use super::expressions::Expressions;
use super::{Malformed, Part, exists};
use crate::expr::{ExprId, Type};
use crate::program::points_to::PointsTo;
use crate::program::{FunctionId, Piece, Program, StmtId, StmtKind};

pub fn verify(program: &Program, expressions: &Expressions) -> Result<(), Malformed> {
    let mut pass = Pass::new(program, expressions)?;
    for id in (0..program.stmts.len()).rev().map(StmtId::new) {
        pass.statement(id)?;
    }
    pass.stores()?;
    recursion(&pass.calls)?;
    pass.setup_reads_no_input()
}

/// The part of the program that a statement belongs to: its functions by their numbers, then the setup, then the step.
/// Statements that belong to none are never executed, and must be well-formed all the same.
type Owner = Option<usize>;

struct Pass<'p> {
    program: &'p Program,
    expressions: &'p Expressions<'p>,
    /// Per statement, once the one that contains it has been looked at.
    owners: Vec<Owner>,
    /// Per statement: whether something contains it.
    used: Vec<bool>,
    /// Per owner: the functions that it calls.
    calls: Vec<Vec<FunctionId>>,
    /// Per owner: whether it reads an input itself.
    reads: Vec<bool>,
    stores: Vec<(StmtId, ExprId)>,
}

impl<'p> Pass<'p> {
    fn new(program: &'p Program, expressions: &'p Expressions) -> Result<Pass<'p>, Malformed> {
        let owners = program.functions.len() + 2;
        let mut pass = Pass {
            program,
            expressions,
            owners: vec![None; program.stmts.len()],
            used: vec![false; program.stmts.len()],
            calls: vec![vec![]; owners],
            reads: vec![false; owners],
            stores: vec![],
        };
        let bodies = program.functions.iter().map(|function| function.body);
        for (owner, root) in bodies.chain([program.setup, program.step]).enumerate() {
            pass.place(root, Some(owner))?;
        }
        Ok(pass)
    }

    fn setup(&self) -> usize {
        self.program.functions.len()
    }

    /// Puts a statement where it belongs.
    fn place(&mut self, id: StmtId, owner: Owner) -> Result<(), Malformed> {
        exists(Part::Statement, id.index(), self.used.len())?;
        if std::mem::replace(&mut self.used[id.index()], true) {
            return Err(Malformed::Shared(id));
        }
        self.owners[id.index()] = owner;
        Ok(())
    }

    fn statement(&mut self, id: StmtId) -> Result<(), Malformed> {
        let owner = self.owners[id.index()];
        let kind = &self.program.stmt(id).kind;
        for child in kind.children() {
            if child >= id {
                return Err(Malformed::StmtOrder(id));
            }
            self.place(child, owner)?;
        }
        match kind {
            StmtKind::Assign { variable, value } => {
                exists(Part::Variable, variable.index(), self.program.variables.len())?;
                self.expect(id, *value, self.program.variable(*variable).ty)
            }
            StmtKind::Store { pointer, index, value } => {
                self.stores.push((id, *pointer));
                self.expect(id, *pointer, Type::Pointer)?;
                self.expect(id, *index, Type::Int)?;
                self.expect(id, *value, Type::Int)
            }
            StmtKind::Assume(condition) => self.expect(id, *condition, Type::Bool),
            StmtKind::Sequence(_) => Ok(()),
            StmtKind::Choice(arms) => arms.iter().try_for_each(|arm| self.expect(id, arm.guard, Type::Bool)),
            StmtKind::Call(callee) => {
                exists(Part::Function, callee.index(), self.program.functions.len())?;
                if let Some(owner) = owner {
                    self.calls[owner].push(*callee);
                }
                Ok(())
            }
            StmtKind::Return => match owner {
                Some(owner) if owner >= self.setup() => Err(Malformed::ReturnOutside(id)),
                _ => Ok(()),
            },
            StmtKind::Error(property) | StmtKind::Reach(property) => {
                exists(Part::Property, property.index(), self.program.properties.len())
            }
            StmtKind::Halt(code) => self.expect(id, *code, Type::Int),
            StmtKind::Print { text, .. } => text.iter().try_for_each(|piece| match piece {
                Piece::Text(_) => Ok(()),
                Piece::Number(value) => self.expect(id, *value, Type::Int),
            }),
        }
    }

    /// An expression that a statement evaluates, of the type that it must have.
    fn expect(&mut self, id: StmtId, value: ExprId, ty: Type) -> Result<(), Malformed> {
        if self.expressions.type_of(value)? != ty {
            return Err(Malformed::StmtType(id));
        }
        if let Some(owner) = self.owners[id.index()] {
            self.reads[owner] |= self.expressions.reads_input[value.index()];
        }
        Ok(())
    }

    /// Reads of a table that is not marked as written are folded, so nothing may store there.
    fn stores(&self) -> Result<(), Malformed> {
        if self.stores.is_empty() {
            return Ok(());
        }
        let points_to = PointsTo::of(self.program);
        for &(stmt, pointer) in &self.stores {
            let targets = points_to.targets(&self.program.exprs, pointer);
            if let Some(table) = targets.into_iter().find(|&table| !self.program.table(table).written) {
                return Err(Malformed::Constant { stmt, table });
            }
        }
        Ok(())
    }

    fn setup_reads_no_input(&self) -> Result<(), Malformed> {
        let mut entered = vec![false; self.calls.len()];
        let mut pending = vec![self.setup()];
        while let Some(owner) = pending.pop() {
            if std::mem::replace(&mut entered[owner], true) {
                continue;
            }
            if self.reads[owner] {
                return Err(Malformed::SetupInput);
            }
            pending.extend(self.calls[owner].iter().map(|callee| callee.index()));
        }
        Ok(())
    }
}

/// Follows all calls in depth, and looks for one that leads back into a function that has not been left yet.
fn recursion(calls: &[Vec<FunctionId>]) -> Result<(), Malformed> {
    let (mut entered, mut left) = (vec![false; calls.len()], vec![false; calls.len()]);
    for root in 0..calls.len() {
        let mut path = vec![];
        if !std::mem::replace(&mut entered[root], true) {
            path.push((root, calls[root].iter()));
        }
        while let Some((owner, rest)) = path.last_mut() {
            let Some(callee) = rest.next() else {
                left[*owner] = true;
                path.pop();
                continue;
            };
            if !std::mem::replace(&mut entered[callee.index()], true) {
                path.push((callee.index(), calls[callee.index()].iter()));
            } else if !left[callee.index()] {
                return Err(Malformed::Recursion(*callee));
            }
        }
    }
    Ok(())
}
