//! An automaton with small tables to one with a variable for each of their cells.
//!
//! What is known of a table is known of all its cells, while each variable has values of its own, dies when it is not read any more, and can
//! stand in a certificate. So a table with few cells, or one whose cells are all named by numbers, becomes variables: a
//! read at an index is a choice among them, and a write a choice of each between the new value and the old.

use rustc_hash::{FxHashMap, FxHashSet};

use super::{Action, ActionKind, Automaton, End};
use crate::expr::{Expr, ExprId, Exprs, TableId, Type, VarId};
use crate::program::{Builder, Scope, Variable};

/// A table whose cells are named by what runs compute has at most so many.
const MOST_CELLS: usize = 8;

/// One whose cells are all named by numbers may have so many.
const MOST_NAMED: usize = 64;

/// Choices that take the place of reads and writes, over all of a program, are at most so many.
const MOST_CHOICES: usize = 4_000;

/// How a table is used.
#[derive(Clone, Copy, Default)]
struct Uses {
    is_written: bool,
    /// Reads and writes at indices that are no numbers.
    computed: usize,
    /// Also in another way than by its cells.
    is_whole: bool,
}

/// Puts variables in place of tables.
pub fn split(automaton: &mut Automaton, builder: &mut Builder) {
    let uses = uses(automaton, &builder.exprs, builder.tables.len());
    let mut left = MOST_CHOICES;
    let mut cells: FxHashMap<TableId, Vec<VarId>> = FxHashMap::default();
    for (number, uses) in uses.iter().enumerate() {
        let (id, table) = (TableId::new(number), &builder.tables[number]);
        let size = table.cells.len();
        let choices = uses.computed * size;
        let most = if uses.computed == 0 { MOST_NAMED } else { MOST_CELLS };
        if !uses.is_written || uses.is_whole || size > most || choices > left {
            continue;
        }
        left -= choices;
        let variables = &mut automaton.variables;
        let cell = |(at, &initial): (usize, &i32)| {
            let name = format!("{}.{at}", table.name);
            variables.push(Variable {
                name,
                ty: Type::Int,
                scope: Scope::Global,
                initial,
                domain: None,
                span: table.span,
            });
            VarId::new(variables.len() - 1)
        };
        cells.insert(id, table.cells.iter().enumerate().map(cell).collect());
    }
    if !cells.is_empty() {
        let mut split =
            Split { cells, done: FxHashMap::default(), exprs: builder.exprs_mut(), index: None, value: None };
        split.rewrite_all(automaton);
    }
}

fn uses(automaton: &Automaton, exprs: &Exprs, tables: usize) -> Vec<Uses> {
    let mut uses = vec![Uses::default(); tables];
    let mut seen = FxHashSet::default();
    for root in roots(automaton) {
        let mut pending = vec![root];
        while let Some(id) = pending.pop() {
            if !seen.insert(id) {
                continue;
            }
            match exprs.get(id) {
                Expr::Cell(pointer, index) if let Expr::Table(table) = exprs.get(pointer) => {
                    uses[table.index()].computed += usize::from(exprs.as_int(index).is_none());
                    pending.push(index);
                }
                Expr::Table(table) => uses[table.index()].is_whole = true,
                expr => pending.extend(expr.operands()),
            }
        }
    }
    for action in automaton.blocks.iter().flat_map(|block| &block.actions) {
        if let ActionKind::Store { table, index, .. } = action.kind {
            let uses = &mut uses[table.index()];
            uses.is_written = true;
            uses.computed += usize::from(exprs.as_int(index).is_none());
        }
    }
    uses
}

/// The expressions that an automaton uses.
fn roots(automaton: &Automaton) -> impl Iterator<Item = ExprId> {
    let of_action = |action: &Action| match action.kind {
        ActionKind::Assign { value, .. } => [Some(value), None],
        ActionKind::Store { index, value, .. } => [Some(index), Some(value)],
        ActionKind::Assume(condition) => [Some(condition), None],
        ActionKind::Choose { .. } => [None, None],
    };
    automaton.blocks.iter().flat_map(move |block| {
        let condition = match block.end {
            End::Branch { condition, .. } => Some(condition),
            _ => None,
        };
        block.actions.iter().flat_map(of_action).flatten().chain(condition)
    })
}

struct Split<'e> {
    cells: FxHashMap<TableId, Vec<VarId>>,
    /// Expressions that were rewritten, and what they became.
    done: FxHashMap<ExprId, ExprId>,
    exprs: &'e mut Exprs,
    /// Where the index and the value of a write are kept while it is under way.
    index: Option<VarId>,
    value: Option<VarId>,
}

impl Split<'_> {
    fn rewrite_all(&mut self, automaton: &mut Automaton) {
        let Automaton { blocks, variables, .. } = automaton;
        for block in blocks {
            for action in std::mem::take(&mut block.actions) {
                let Action { kind, span } = action;
                let mut add = |kind| block.actions.push(Action { kind, span });
                match kind {
                    ActionKind::Assign { variable, value } => {
                        add(ActionKind::Assign { variable, value: self.rewritten(value) });
                    }
                    ActionKind::Assume(condition) => add(ActionKind::Assume(self.rewritten(condition))),
                    choose @ ActionKind::Choose { .. } => add(choose),
                    ActionKind::Store { table, index, value } => {
                        let (index, value) = (self.rewritten(index), self.rewritten(value));
                        let Some(cells) = self.cells.get(&table).cloned() else {
                            add(ActionKind::Store { table, index, value });
                            continue;
                        };
                        if let Some(at) = self.exprs.as_int(index) {
                            let cell = usize::try_from(at).ok().and_then(|at| cells.get(at));
                            cell.into_iter().for_each(|&variable| add(ActionKind::Assign { variable, value }));
                            continue;
                        }
                        // Neither must change while the cells do.
                        let mut kept = |slot: &mut Option<VarId>, value: ExprId, exprs: &mut Exprs| {
                            if exprs.constant(value).is_some() {
                                return value;
                            }
                            let variable = *slot.get_or_insert_with(|| {
                                variables.push(Variable {
                                    name: "value".into(),
                                    ty: Type::Int,
                                    scope: Scope::Global,
                                    initial: 0,
                                    domain: None,
                                    span,
                                });
                                VarId::new(variables.len() - 1)
                            });
                            add(ActionKind::Assign { variable, value });
                            exprs.var(variable, Type::Int)
                        };
                        let index = kept(&mut self.index, index, self.exprs);
                        let value = kept(&mut self.value, value, self.exprs);
                        for (at, &variable) in cells.iter().enumerate() {
                            let at = self.exprs.int(at as i32);
                            let is_it = self.exprs.eq(index, at);
                            let old = self.exprs.var(variable, Type::Int);
                            add(ActionKind::Assign { variable, value: self.exprs.ite(is_it, value, old) });
                        }
                    }
                }
            }
            if let End::Branch { condition, .. } = &mut block.end {
                *condition = self.rewritten(*condition);
            }
        }
    }

    /// An expression with variables in place of cells.
    fn rewritten(&mut self, root: ExprId) -> ExprId {
        let mut pending = vec![(root, false)];
        while let Some((id, is_ready)) = pending.pop() {
            if self.done.contains_key(&id) {
                continue;
            }
            let expr = self.exprs.get(id);
            if !is_ready {
                pending.push((id, true));
                pending.extend(expr.operands().map(|operand| (operand, false)));
                continue;
            }
            let cells = match expr {
                Expr::Cell(pointer, _) => match self.exprs.get(pointer) {
                    Expr::Table(table) => self.cells.get(&table),
                    _ => None,
                },
                _ => None,
            };
            let new = match (expr, cells) {
                (Expr::Cell(_, index), Some(cells)) => {
                    let cells = cells.clone();
                    let index = self.done[&index];
                    // Nothing is outside.
                    let mut chosen = self.exprs.int(0);
                    for (at, &variable) in cells.iter().enumerate().rev() {
                        let at = self.exprs.int(at as i32);
                        let is_it = self.exprs.eq(index, at);
                        let cell = self.exprs.var(variable, Type::Int);
                        chosen = self.exprs.ite(is_it, cell, chosen);
                    }
                    chosen
                }
                _ => {
                    let ty = self.exprs.type_of(id);
                    self.exprs.rebuild(expr, ty, |operand| self.done[&operand])
                }
            };
            self.done.insert(id, new);
        }
        self.done[&root]
    }
}
