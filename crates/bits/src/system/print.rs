//! Transition systems as text. Expressions that are used more than once get a name, so that the text grows
//! with the system and not with the paths through it.

use std::fmt::{self, Display};

use super::TransitionSystem;
use crate::expr::{ExprId, InputId, Names, TableId, Type, VarId};

impl Names for TransitionSystem {
    fn var(&self, var: VarId) -> String {
        self.states[var.index()].name.clone()
    }

    fn input(&self, input: InputId) -> String {
        self.inputs[input.index()].name.clone()
    }

    fn table(&self, table: TableId) -> String {
        format!("&{}", self.tables[table.index()].name)
    }
}

impl TransitionSystem {
    /// A value of a state variable as text.
    pub fn value(&self, ty: Type, value: i32) -> String {
        match ty {
            Type::Bool => (value != 0).to_string(),
            Type::Int => value.to_string(),
            Type::Pointer => format!("&{}", self.tables[value as usize].name),
        }
    }

    /// Per expression: how many roots and other expressions use it, counting to two.
    fn shared(&self) -> Vec<bool> {
        let used = self.used(self.roots().chain(self.write_roots()));
        let mut uses = vec![0u8; self.exprs.len()];
        let operands = self.exprs.iter().filter(|(id, _)| used[id.index()]).flat_map(|(_, expr)| expr.operands());
        for id in operands.chain(self.roots()).chain(self.write_roots()) {
            uses[id.index()] = uses[id.index()].saturating_add(1);
        }
        let is_leaf = |id: ExprId| self.exprs.get(id).operands().next().is_none();
        (0..uses.len()).map(|index| uses[index] > 1 && !is_leaf(ExprId::new(index))).collect()
    }
}

impl Display for TransitionSystem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let shared = self.shared();
        let text = |id: ExprId| self.exprs.print_with(id, self, &|inner| shared[inner.index()] && inner != id);
        // An expression with an entry of its own is written by its name here.
        let root = |id: ExprId| if shared[id.index()] { format!("#{}", id.index()) } else { text(id) };
        for input in &self.inputs {
            writeln!(f, "input {} in {}", input.name, input.alphabet)?;
        }
        for (index, _) in shared.iter().enumerate().filter(|(_, shared)| **shared) {
            writeln!(f, "let #{index} = {}", text(ExprId::new(index)))?;
        }
        for state in &self.states {
            writeln!(f, "state {} = {}", state.name, self.value(state.ty, state.initial))?;
            writeln!(f, "  next  {}", root(state.next))?;
            for write in &state.writes {
                writeln!(f, "  write {} when {}", root(write.value), root(write.condition))?;
            }
        }
        for constraint in &self.constraints {
            writeln!(f, "constraint {}", root(*constraint))?;
        }
        writeln!(f, "stop {}", root(self.stop))?;
        for property in &self.properties {
            writeln!(f, "property {} when {}", property.name, root(property.condition))?;
        }
        Ok(())
    }
}
