//! Rebuilds a transition system with fewer state variables.

use super::{Property, State, TransitionSystem, Write};
use crate::expr::{Expr, ExprId, Exprs, Type, VarId};

/// The fate of a state variable.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Fate {
    Keep,
    /// It always has this value.
    Constant(i32),
    /// It always has the value of another variable, which is kept.
    SameAs(VarId),
    /// Nothing that is kept depends on it.
    Drop,
}

/// The system with each state variable treated as `fates` say. Expressions are built anew, so that constants
/// fold further, and those that are no longer used disappear.
pub fn rebuild(system: &TransitionSystem, fates: &[Fate]) -> TransitionSystem {
    let mut kept = vec![];
    let mut new_index = vec![None; fates.len()];
    for (index, fate) in fates.iter().enumerate() {
        if *fate == Fate::Keep {
            new_index[index] = Some(VarId::new(kept.len()));
            kept.push(index);
        }
    }
    let mut rebuild =
        Rebuild { system, fates, new_index, exprs: Exprs::default(), new: vec![None; system.exprs.len()] };
    rebuild.translate_all(kept.iter().map(|&index| &system.states[index]));
    let states = kept.iter().map(|&index| rebuild.state(&system.states[index])).collect();
    let yes = rebuild.exprs.bool(true);
    let properties = system
        .properties
        .iter()
        .map(|property| Property { condition: rebuild.get(property.condition), ..property.clone() });
    TransitionSystem {
        name: system.name.clone(),
        sources: system.sources.clone(),
        inputs: system.inputs.clone(),
        states,
        tables: system.tables.clone(),
        properties: properties.collect(),
        constraints: system.constraints.iter().map(|&id| rebuild.get(id)).filter(|&id| id != yes).collect(),
        stop: rebuild.get(system.stop),
        exprs: rebuild.exprs,
    }
}

struct Rebuild<'s> {
    system: &'s TransitionSystem,
    fates: &'s [Fate],
    new_index: Vec<Option<VarId>>,
    exprs: Exprs,
    new: Vec<Option<ExprId>>,
}

impl Rebuild<'_> {
    fn translate_all<'a>(&mut self, states: impl Iterator<Item = &'a State>) {
        let system = self.system;
        let of_states = states.flat_map(|state| {
            let writes = state.writes.iter().flat_map(|write| [write.condition, write.value]);
            std::iter::once(state.next).chain(writes)
        });
        let roots = system.properties.iter().map(|property| property.condition);
        let roots = roots.chain(system.constraints.iter().copied()).chain([system.stop]).chain(of_states);
        let used = system.used(roots);
        for (id, expr) in system.exprs.iter() {
            if used[id.index()] {
                self.new[id.index()] = Some(self.translate(expr, system.exprs.type_of(id)));
            }
        }
    }

    fn get(&self, old: ExprId) -> ExprId {
        translated(&self.new, old)
    }

    fn translate(&mut self, expr: Expr, ty: Type) -> ExprId {
        match expr {
            Expr::Var(var) => self.variable(var, ty),
            Expr::Cell(pointer, index) => self.cell(self.get(pointer), self.get(index)),
            _ => {
                let new = &self.new;
                self.exprs.rebuild(expr, ty, |operand| translated(new, operand))
            }
        }
    }

    fn variable(&mut self, var: VarId, ty: Type) -> ExprId {
        match self.fates[var.index()] {
            Fate::Keep => {
                let new = self.new_index[var.index()].expect("kept variables have an index");
                self.exprs.var(new, ty)
            }
            Fate::SameAs(other) => self.variable(other, ty),
            Fate::Constant(value) => self.exprs.constant_of(ty, value),
            Fate::Drop => unreachable!("nothing that is kept depends on a dropped variable"),
        }
    }

    fn cell(&mut self, pointer: ExprId, index: ExprId) -> ExprId {
        match (self.exprs.get(pointer), self.exprs.as_int(index)) {
            (Expr::Table(table), Some(index)) => self.exprs.int(self.system.tables[table.index()].cell(index)),
            _ => self.exprs.cell(pointer, index),
        }
    }

    fn state(&mut self, state: &State) -> State {
        let no = self.exprs.bool(false);
        let writes = state
            .writes
            .iter()
            .map(|write| Write { condition: self.get(write.condition), value: self.get(write.value) })
            .filter(|write| write.condition != no)
            .collect();
        State { next: self.get(state.next), writes, ..state.clone() }
    }
}

fn translated(new: &[Option<ExprId>], old: ExprId) -> ExprId {
    new[old.index()].expect("operands precede their users, and roots are translated")
}
