//! `never deadlock`: whether a state has no step, as a condition on that state.
//!
//! The assumptions decide which steps there are. The step is executed once on expressions, so that it is known of each
//! state and each combination of inputs whether an assumption fails on the way; then the inputs are removed one by one,
//! since it is enough that some value of each lets a step through. The result is a condition on the state, which is
//! judged when a step is over, and at the start. It is as exact as the step itself: if it would become too large, or an
//! input has too many values to be tried, the property is refused.

use redoubt_base::stack::grow;
use rustc_hash::FxHashMap;

use redoubt_program::expr::{Expr, ExprId, Exprs, InputId, TableId, VarId};
use redoubt_program::program::{Program, Scope, StmtId, StmtKind};

/// An input with more values than this is not tried, and the expressions may grow by this many; trying values may visit
/// this many of them, which takes a second or two.
const MOST_VALUES: u64 = 256;
const MOST_EXPRESSIONS: usize = 400_000;
const MOST_VISITS: usize = 4_000_000;

/// Why there is no condition.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Trouble {
    /// This input, which assumptions depend on, has very many values.
    Input(String),
    /// The condition would be too large.
    Size,
}

/// The states from which there is no step, as an expression over the variables and tables of a program.
pub fn condition(program: &Program, exprs: &mut Exprs, step: StmtId) -> Result<ExprId, Trouble> {
    let (yes, no) = (exprs.bool(true), exprs.bool(false));
    let most = exprs.len() + MOST_EXPRESSIONS;
    let mut variables = vec![];
    for (index, variable) in program.variables.iter().enumerate() {
        // A local has no value when a step begins; it is written before it is read.
        variables.push(match variable.scope {
            Scope::Global => exprs.var(VarId::new(index), variable.ty),
            Scope::Local => exprs.constant_of(variable.ty, 0),
        });
    }
    let mut cells = vec![];
    for (index, table) in program.tables.iter().enumerate() {
        let pointer = exprs.table(TableId::new(index));
        let mut row = vec![];
        for cell in 0..table.cells.len() {
            let at = exprs.int(cell as i32);
            row.push(if table.written { exprs.cell(pointer, at) } else { exprs.int(table.cells[cell]) });
        }
        cells.push(row);
    }
    let mut executor =
        Executor { program, exprs, variables, cells, known: FxHashMap::default(), goes_on: yes, blocked: no, most };
    executor.execute(step, yes)?;
    let Executor { exprs, blocked, .. } = executor;
    let mut stuck = blocked;
    let mut visits = 0;
    for (index, input) in program.inputs.iter().enumerate() {
        let id = InputId::new(index);
        if !exprs.parts(stuck).any(|part| part == Expr::Input(id)) {
            continue;
        }
        if input.alphabet.size() > MOST_VALUES {
            return Err(Trouble::Input(input.name.clone()));
        }
        // No value of it lets a step through.
        let mut all = yes;
        for value in input.alphabet.iter() {
            let (with, visited) = with_input(exprs, stuck, id, value);
            all = exprs.and(all, with);
            visits += visited;
            if exprs.len() > most || visits > MOST_VISITS {
                return Err(Trouble::Size);
            }
        }
        stuck = all;
    }
    Ok(stuck)
}

/// An expression with a number in the place of an input, and how many of its parts were visited for that.
fn with_input(exprs: &mut Exprs, root: ExprId, input: InputId, value: i32) -> (ExprId, usize) {
    let mut known: FxHashMap<ExprId, ExprId> = FxHashMap::default();
    fn replaced(
        exprs: &mut Exprs,
        id: ExprId,
        input: InputId,
        value: i32,
        known: &mut FxHashMap<ExprId, ExprId>,
    ) -> ExprId {
        if let Some(&done) = known.get(&id) {
            return done;
        }
        let (expr, ty) = (exprs.get(id), exprs.type_of(id));
        let result = if expr == Expr::Input(input) {
            exprs.constant_of(ty, value)
        } else {
            let operands: Vec<(ExprId, ExprId)> = expr
                .operands()
                .collect::<Vec<_>>()
                .into_iter()
                .map(|operand| (operand, grow(|| replaced(exprs, operand, input, value, known))))
                .collect();
            let of = |id| operands.iter().find(|(old, _)| *old == id).map_or(id, |(_, new)| *new);
            exprs.rebuild(expr, ty, of)
        };
        known.insert(id, result);
        result
    }
    let result = replaced(exprs, root, input, value, &mut known);
    (result, known.len())
}

/// Executes a step on expressions over the state before it.
struct Executor<'e> {
    program: &'e Program,
    exprs: &'e mut Exprs,
    /// The values of variables and cells at this place.
    variables: Vec<ExprId>,
    cells: Vec<Vec<ExprId>>,
    /// The values of expressions at this place.
    known: FxHashMap<ExprId, ExprId>,
    /// The run has come here: nothing has ended it, and no assumption has failed.
    goes_on: ExprId,
    /// An assumption has failed.
    blocked: ExprId,
    most: usize,
}

impl Executor<'_> {
    /// Executes a statement where `path` holds.
    fn execute(&mut self, id: StmtId, path: ExprId) -> Result<(), Trouble> {
        if self.exprs.len() > self.most {
            return Err(Trouble::Size);
        }
        if self.exprs.as_bool(path) == Some(false) {
            return Ok(());
        }
        let program = self.program;
        match &program.stmt(id).kind {
            StmtKind::Assign { variable, value } => {
                let (new, old) = (self.value(*value), self.variables[variable.index()]);
                self.variables[variable.index()] = self.exprs.ite(path, new, old);
                self.known.clear();
            }
            StmtKind::Store { pointer, index, value } => {
                let [pointer, index, value] = [*pointer, *index, *value].map(|id| self.value(id));
                for table in 0..self.cells.len() {
                    let this = self.exprs.table(TableId::new(table));
                    let is_this = self.exprs.eq(pointer, this);
                    for cell in 0..self.cells[table].len() {
                        let number = self.exprs.int(cell as i32);
                        let is_here = self.exprs.eq(index, number);
                        let hit = self.exprs.and(is_this, is_here);
                        let hit = self.exprs.and(path, hit);
                        let old = self.cells[table][cell];
                        self.cells[table][cell] = self.exprs.ite(hit, value, old);
                    }
                }
                self.known.clear();
            }
            StmtKind::Assume(condition) => {
                let condition = self.value(*condition);
                let not = self.exprs.not(condition);
                let fails = self.exprs.and(path, not);
                let fails_here = self.exprs.and(self.goes_on, fails);
                self.blocked = self.exprs.or(self.blocked, fails_here);
                let passes = self.exprs.not(fails);
                self.goes_on = self.exprs.and(self.goes_on, passes);
            }
            StmtKind::Sequence(list) => {
                for &inner in list {
                    grow(|| self.execute(inner, path))?;
                }
            }
            StmtKind::Choice(arms) => {
                let mut waiting = path;
                let mut taken = vec![];
                for arm in arms {
                    let guard = self.value(arm.guard);
                    taken.push((self.exprs.and(waiting, guard), arm.body));
                    let not = self.exprs.not(guard);
                    waiting = self.exprs.and(waiting, not);
                }
                for (path, body) in taken {
                    grow(|| self.execute(body, path))?;
                }
            }
            // The step exists, and nothing that comes after counts.
            StmtKind::Error(_) | StmtKind::Halt(_) => {
                let others = self.exprs.not(path);
                self.goes_on = self.exprs.and(self.goes_on, others);
            }
            StmtKind::Reach(_) | StmtKind::Print { .. } => {}
            // Procedures of a model are put in place of their calls.
            StmtKind::Call(_) | StmtKind::Return => return Err(Trouble::Size),
        }
        Ok(())
    }

    fn value(&mut self, id: ExprId) -> ExprId {
        if let Some(&known) = self.known.get(&id) {
            return known;
        }
        let (expr, ty) = (self.exprs.get(id), self.exprs.type_of(id));
        let result = match expr {
            Expr::Var(variable) => self.variables[variable.index()],
            Expr::Cell(pointer, index) => {
                let (pointer, index) = (grow(|| self.value(pointer)), grow(|| self.value(index)));
                // Outside all tables a read is 0.
                let mut result = self.exprs.int(0);
                for table in 0..self.cells.len() {
                    let this = self.exprs.table(TableId::new(table));
                    let is_this = self.exprs.eq(pointer, this);
                    if self.exprs.as_bool(is_this) == Some(false) {
                        continue;
                    }
                    for cell in 0..self.cells[table].len() {
                        let number = self.exprs.int(cell as i32);
                        let is_here = self.exprs.eq(index, number);
                        let hit = self.exprs.and(is_this, is_here);
                        result = self.exprs.ite(hit, self.cells[table][cell], result);
                    }
                }
                result
            }
            _ => {
                let operands: Vec<ExprId> = expr.operands().collect();
                let operands: Vec<(ExprId, ExprId)> =
                    operands.into_iter().map(|operand| (operand, grow(|| self.value(operand)))).collect();
                let of = |id| operands.iter().find(|(old, _)| *old == id).map_or(id, |(_, new)| *new);
                self.exprs.rebuild(expr, ty, of)
            }
        };
        self.known.insert(id, result);
        result
    }
}
