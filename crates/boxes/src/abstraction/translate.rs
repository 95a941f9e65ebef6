//! A program to its abstraction: a program over region numbers that can do whatever the first one can.
//!
//! The abstract program has the same variables, each holding the number of a region, and the same statements, with
//! every call expanded. An assignment becomes a decision over the regions that it reads, and so does every comparison
//! in a guard; where several results are possible, an additional input chooses. Whatever run the program has, the
//! abstract program has it too, with suitable choices: so labels that it cannot reach are out of reach.
//!
//! Places share choices where that loses nothing ([`super::choices`]).

use crate::base::stack::grow;
use std::sync::Arc;

use super::choices::Choices;
use super::regions::Partition;
use super::relation::{Effort, Tabulator, Target, abstract_type};
use crate::analysis::Env;
use crate::analysis::flow::{self, Flow, Visitor};
use crate::base::Ended;
use crate::base::Interrupt;
use crate::expr::{BinaryOp, Expr, ExprId, InputId, Type, UnaryOp, VarId};
use crate::program::{Arm, Builder, Domain, Input, Program, Stmt, StmtId, StmtKind, Variable};
use crate::simulate::Simulator;
use crate::text::Span;

/// An abstract program, and the originals of its statements.
#[derive(Debug)]
pub struct Abstraction {
    pub program: Program,
    pub partitions: Vec<Partition>,
    /// Per statement of the abstract program.
    pub origins: Vec<Origin>,
    /// Choices that were needed: where the regions do not decide.
    pub choices: usize,
    /// Per variable: the values assigned to it that need a choice.
    pub undecided: Vec<Vec<ExprId>>,
}

/// The origin of a statement of the abstract program.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Origin {
    Itself,
    /// An assignment of this value.
    Assign(ExprId),
    /// Choices with these guards, one per arm; the arm without one is taken if no other is.
    Guards(Vec<Option<ExprId>>),
    /// A statement of the program that the abstraction does not follow.
    Store(StmtId),
    Assume(ExprId),
}

/// The abstraction of a program by some regions.
pub fn translate(
    program: &Program,
    flow: &mut Flow,
    partitions: Vec<Partition>,
    needed: &[bool],
    interrupt: &Interrupt,
) -> Result<Abstraction, Ended> {
    let start = Simulator::new(program);
    let variables = program.variables.iter().enumerate().map(|(index, variable)| Variable {
        ty: abstract_type(variable.ty),
        initial: match variable.ty {
            Type::Bool => start.state().variables[index],
            _ => partitions[index].index_of(start.state().variables[index]) as i32,
        },
        domain: None,
        ..variable.clone()
    });
    let mut result = Builder::new(program.name.clone(), Arc::clone(&program.sources)).in_language(program.language);
    program.inputs.iter().for_each(|input| _ = result.add_input(input.clone()));
    variables.for_each(|variable| _ = result.add_variable(variable));
    program.properties.iter().for_each(|property| _ = result.add_property(property.clone()));
    let translator = Translator {
        partitions: &partitions,
        needed,
        effort: Effort::new(interrupt),
        origins: vec![Origin::Itself; result.stmts.len()],
        result,
        choices: Choices::new(program),
        vague: 0,
        undecided: vec![vec![]; program.variables.len()],
        concrete: program,
    };
    let (step, translator) = flow::visit(flow, translator, interrupt)?;
    let Translator { mut result, mut origins, choices, undecided, .. } = translator;
    // A setup that ends the run leaves nothing to do.
    if start.end().is_none() {
        result.set_step(step);
    }
    for (index, size) in choices.sizes().iter().enumerate() {
        let alphabet = Domain::Range(0, *size as i32 - 1);
        result.add_input(Input { name: format!("choice{index}"), alphabet });
    }
    let program = result.finish().unwrap_or_else(|malformed| panic!("an abstraction is a program: {malformed}"));
    origins.resize(program.stmts.len(), Origin::Itself);
    let choices = choices.sizes().len();
    Ok(Abstraction { program, partitions, origins, choices, undecided })
}

struct Translator<'t> {
    concrete: &'t Program,
    partitions: &'t [Partition],
    needed: &'t [bool],
    effort: Effort,
    result: Builder,
    origins: Vec<Origin>,
    choices: Choices<'t>,
    /// The number of times that the regions did not decide.
    vague: usize,
    undecided: Vec<Vec<ExprId>>,
}

impl Translator<'_> {
    fn push(&mut self, kind: StmtKind, span: Span, origin: Origin) -> StmtId {
        self.origins.push(origin);
        self.result.add_stmt(kind, span)
    }

    fn tabulate(&mut self, env: &mut Env, target: Target, id: ExprId) -> ExprId {
        let number = match target {
            Target::Truth => self.choices.of_condition(id),
            Target::Regions(_) => self.choices.free(),
        };
        let choice = InputId::new(self.concrete.inputs.len() + number);
        let mut tabulator = Tabulator {
            env,
            partitions: self.partitions,
            exprs: self.result.exprs_mut(),
            target,
            choice,
            options: 0,
            effort: &mut self.effort,
        };
        let result = tabulator.tabulate(id);
        let options = tabulator.options;
        if options > 1 {
            self.vague += 1;
            match target {
                Target::Truth => self.choices.keep_for_condition(id, number),
                Target::Regions(_) => self.choices.keep(number, options),
            }
        }
        result
    }

    /// A condition, its comparisons one by one.
    fn condition(&mut self, env: &mut Env, id: ExprId) -> ExprId {
        match env.program.exprs.get(id) {
            Expr::Unary(UnaryOp::Not, a) => {
                let a = grow(|| self.condition(env, a));
                self.result.exprs_mut().not(a)
            }
            Expr::Binary(op @ (BinaryOp::And | BinaryOp::Or), a, b) => {
                let left = grow(|| self.condition(env, a));
                // The second counts only where the first does not decide.
                let mark = env.mark();
                let right = match env.refine(a, op == BinaryOp::And) {
                    true => grow(|| self.condition(env, b)),
                    false => self.result.exprs_mut().bool(op == BinaryOp::Or),
                };
                env.undo(mark);
                self.result.exprs_mut().binary(op, left, right)
            }
            _ => self.tabulate(env, Target::Truth, id),
        }
    }
}

impl Visitor for Translator<'_> {
    type Out = StmtId;
    type Guard = (ExprId, ExprId);

    fn assign(&mut self, env: &mut Env, variable: VarId, value: ExprId, span: Span) -> StmtId {
        if !self.needed[variable.index()] {
            self.choices.assign(variable);
            return self.push(StmtKind::Sequence(vec![]), span, Origin::Itself);
        }
        let partitions = self.partitions;
        let vague = self.vague;
        let abstract_value = match self.concrete.variable(variable).ty {
            Type::Bool => self.condition(env, value),
            _ => self.tabulate(env, Target::Regions(&partitions[variable.index()]), value),
        };
        if self.vague > vague {
            self.undecided[variable.index()].push(value);
        }
        self.choices.assign(variable);
        self.push(StmtKind::Assign { variable, value: abstract_value }, span, Origin::Assign(value))
    }

    fn other(&mut self, env: &mut Env, stmt: StmtId) -> StmtId {
        let Stmt { kind, span } = self.concrete.stmt(stmt).clone();
        let (kind, origin) = match kind {
            StmtKind::Assume(condition) => {
                let abstract_condition = self.condition(env, condition);
                (StmtKind::Assume(abstract_condition), Origin::Assume(condition))
            }
            StmtKind::Halt(_) => (StmtKind::Halt(self.result.exprs_mut().int(0)), Origin::Itself),
            StmtKind::Store { .. } => {
                self.choices.store();
                (StmtKind::Sequence(vec![]), Origin::Store(stmt))
            }
            StmtKind::Print { .. } => (StmtKind::Sequence(vec![]), Origin::Itself),
            kind => (kind, Origin::Itself),
        };
        self.push(kind, span, origin)
    }

    fn guard(&mut self, env: &mut Env, guard: ExprId) -> (ExprId, ExprId) {
        (self.condition(env, guard), guard)
    }

    fn choice(&mut self, arms: Vec<(Option<(ExprId, ExprId)>, StmtId, Span)>, span: Span) -> StmtId {
        let guards = arms.iter().map(|(guard, ..)| guard.map(|(_, origin)| origin)).collect();
        let yes = self.result.exprs_mut().bool(true);
        let arms = arms.into_iter().map(|(guard, body, span)| Arm {
            guard: guard.map_or(yes, |(guard, _)| guard),
            body,
            span,
        });
        let arms = arms.collect();
        self.push(StmtKind::Choice(arms), span, Origin::Guards(guards))
    }

    fn sequence(&mut self, parts: Vec<StmtId>, span: Span) -> StmtId {
        self.push(StmtKind::Sequence(parts), span, Origin::Itself)
    }

    fn call(&mut self, body: StmtId, span: Span) -> StmtId {
        let name = format!("call{}", self.result.functions.len());
        let function = self.result.declare_function(name, vec![], None, span);
        self.result.define_function(function, body);
        self.push(StmtKind::Call(function), span, Origin::Itself)
    }

    fn open(&mut self) {
        self.choices.open();
    }

    fn enter(&mut self) {
        self.choices.enter();
    }

    fn exit(&mut self) {
        self.choices.exit();
    }

    fn close(&mut self) {
        self.choices.close();
    }
}
