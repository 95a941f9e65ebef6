//! A run of the abstract program against the program itself: the same run, or the place where they part.
//!
//! The program is deterministic once its inputs are given, so its run is executed beside the abstract one. As long
//! as each variable's value lies in the region that the abstract run has, both take the same branches. The first
//! assignment or guard that the program decides otherwise is where the abstraction was too coarse.

use super::translate::{Abstraction, Origin};
use crate::base::stack::grow;
use crate::expr::{Done, Expr, ExprId, Fold, Missing, Type, VarId};
use crate::program::{Program, PropertyId, StmtId, StmtKind};
use crate::simulate::Simulator;

/// The result of following an abstract run.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Concrete {
    /// The program reaches the property too, on these inputs.
    Real(Vec<Vec<i32>>),
    /// The program does something else here.
    Spurious(Parting),
    /// The run ends, or is over, without the property being reached.
    Ends,
}

/// Where the program and its abstraction part.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Parting {
    pub step: usize,
    /// The expression that has a different result.
    pub expr: ExprId,
    /// The variable that it is assigned to; none if it is a condition.
    pub target: Option<VarId>,
    /// The program's variables, and its inputs, at that place.
    pub variables: Vec<i32>,
    pub inputs: Vec<i32>,
}

enum Flow {
    Continue,
    Return,
    End,
    /// The step does not exist.
    Blocked,
    Parted(Parting),
}

/// Runs the program along an abstract run that reaches a property, given by its inputs and choices.
pub fn concretise(program: &Program, abstraction: &Abstraction, property: PropertyId, run: &[Vec<i32>]) -> Concrete {
    let concrete = Simulator::new(program);
    let mut pair =
        Pair { program, abstraction, concrete, inputs: &[], step: 0, reached: vec![], fold: Fold::default() };
    let visible = program.inputs.len();
    for (step, inputs) in run.iter().enumerate() {
        (pair.step, pair.inputs) = (step, inputs);
        pair.reached.clear();
        let flow = pair.execute(abstraction.program.step);
        match flow {
            Flow::Parted(place) => return Concrete::Spurious(place),
            Flow::Blocked => return Concrete::Ends,
            _ if pair.reached.contains(&property) => {
                return Concrete::Real(run[..=step].iter().map(|step| step[..visible].to_vec()).collect());
            }
            Flow::Continue | Flow::Return => {}
            Flow::End => return Concrete::Ends,
        }
    }
    Concrete::Ends
}

struct Pair<'a> {
    program: &'a Program,
    abstraction: &'a Abstraction,
    concrete: Simulator<'a>,
    inputs: &'a [i32],
    step: usize,
    /// The properties that the current step has reached.
    reached: Vec<PropertyId>,
    /// Values of the abstract program's expressions here.
    fold: Fold<i32>,
}

impl<'a> Pair<'a> {
    fn execute(&mut self, id: StmtId) -> Flow {
        let abstraction = self.abstraction;
        let origin = &abstraction.origins[id.index()];
        match &abstraction.program.stmt(id).kind {
            StmtKind::Assign { variable, value } => {
                let Origin::Assign(expr) = *origin else { unreachable!("assignments stand for assignments") };
                let exact = self.concrete.evaluate(expr, self.inputs);
                if self.number(*variable, exact) != self.abstract_value(*value) {
                    return self.parted(expr, Some(*variable));
                }
                self.concrete.assign(*variable, exact);
            }
            StmtKind::Assume(condition) => {
                let Origin::Assume(expr) = *origin else { unreachable!("assumptions stand for assumptions") };
                let exact = self.concrete.evaluate(expr, self.inputs);
                if exact != self.abstract_value(*condition) {
                    return self.parted(expr, None);
                }
                if exact == 0 {
                    return Flow::Blocked;
                }
            }
            StmtKind::Sequence(list) => {
                if let Origin::Store(stmt) = *origin {
                    self.store(stmt);
                }
                for &inner in list {
                    match self.execute(inner) {
                        Flow::Continue => {}
                        other => return other,
                    }
                }
            }
            StmtKind::Choice(arms) => {
                let Origin::Guards(guards) = origin else { unreachable!("choices stand for choices") };
                for (arm, guard) in arms.iter().zip(guards) {
                    let holds = self.abstract_value(arm.guard);
                    if let Some(expr) = *guard
                        && self.concrete.evaluate(expr, self.inputs) != holds
                    {
                        return self.parted(expr, None);
                    }
                    if holds != 0 {
                        return grow(|| self.execute(arm.body));
                    }
                }
            }
            StmtKind::Call(function) => {
                let body = abstraction.program.function(*function).body;
                match grow(|| self.execute(body)) {
                    Flow::Return => {}
                    other => return other,
                }
            }
            StmtKind::Return => return Flow::Return,
            StmtKind::Reach(property) => self.reached.push(*property),
            StmtKind::Error(property) => {
                self.reached.push(*property);
                return Flow::End;
            }
            StmtKind::Halt(_) => return Flow::End,
            StmtKind::Store { .. } | StmtKind::Print { .. } => unreachable!("abstract programs do not store or print"),
        }
        Flow::Continue
    }

    fn store(&mut self, stmt: StmtId) {
        if let StmtKind::Store { pointer, index, value } = self.program.stmt(stmt).kind {
            let [pointer, index, value] = [pointer, index, value].map(|id| self.concrete.evaluate(id, self.inputs));
            self.concrete.store(pointer, index, value);
        }
    }

    fn parted(&self, expr: ExprId, target: Option<VarId>) -> Flow {
        let variables = self.concrete.state().variables.clone();
        Flow::Parted(Parting { step: self.step, expr, target, variables, inputs: self.inputs.to_vec() })
    }

    /// The number of the region of a variable's value.
    fn number(&self, variable: VarId, value: i32) -> i32 {
        match self.program.variable(variable).ty {
            Type::Bool => value,
            _ => self.abstraction.partitions[variable.index()].index_of(value) as i32,
        }
    }

    /// The value of an abstract expression where each variable is in the region of its value.
    fn abstract_value(&mut self, id: ExprId) -> i32 {
        let mut fold = std::mem::take(&mut self.fold);
        fold.forget();
        let value = *fold.lazy(id, |id, done| self.abstract_operator(id, done));
        self.fold = fold;
        value
    }

    /// A region is decided by a tree of choices, of which only those on the way are looked at.
    fn abstract_operator(&self, id: ExprId, done: &Done<i32>) -> Result<i32, Missing> {
        Ok(match self.abstraction.program.exprs.get(id) {
            Expr::Bool(value) => i32::from(value),
            Expr::Int(value) => value,
            Expr::Input(input) => self.inputs[input.index()],
            Expr::Var(variable) => self.number(variable, self.concrete.state().variables[variable.index()]),
            Expr::Unary(op, a) => op.apply(*done.need(a)?),
            Expr::Binary(op, a, b) => op.apply(*done.need(a)?, *done.need(b)?),
            Expr::Ite(condition, then, otherwise) => {
                *done.need(if *done.need(condition)? != 0 { then } else { otherwise })?
            }
            Expr::Table(_) | Expr::Cell(..) | Expr::Length(_) => unreachable!("abstract programs have no tables"),
        })
    }
}
