//! The meaning of a program's names: those that all functions share, and those of the function that is lowered.

use rustc_hash::{FxHashMap, FxHashSet};

use super::ast;
use redoubt_program::expr::{ExprId, TableId, VarId};
use redoubt_program::program::FunctionId;
use redoubt_program::text::Span;

#[derive(Clone, Copy, Debug)]
pub enum Binding {
    Constant(i32),
    Variable(VarId),
    Table(TableId),
    /// The argument of a function that is put in place of its call.
    Value(ExprId),
}

/// A function of the program that can be called.
#[derive(Debug)]
pub struct Routine<'t> {
    pub parameters: Vec<(&'t str, VarId)>,
    pub body: &'t [ast::StmtId],
    /// The expression that a call can be replaced by.
    pub inline: Option<ast::ExprId>,
}

/// The names outside functions. Nothing is added once all files have been declared.
#[derive(Debug, Default)]
pub struct Names<'t> {
    globals: FxHashMap<&'t str, (Binding, Span)>,
    functions: FxHashMap<&'t str, FunctionId>,
    /// Per function.
    routines: Vec<Routine<'t>>,
    pub main: Option<&'t ast::Function<'t>>,
}

impl<'t> Names<'t> {
    pub fn global(&self, name: &str) -> Option<Binding> {
        self.globals.get(name).map(|(binding, _)| *binding)
    }

    pub fn globals(&self) -> impl Iterator<Item = (&'t str, Binding)> {
        self.globals.iter().map(|(&name, &(binding, _))| (name, binding))
    }

    /// The variables outside functions.
    pub fn variables(&self) -> FxHashSet<VarId> {
        let variables = self.globals.values().filter_map(|(binding, _)| match binding {
            Binding::Variable(variable) => Some(*variable),
            _ => None,
        });
        variables.collect()
    }

    pub fn function(&self, name: &str) -> Option<FunctionId> {
        self.functions.get(name).copied()
    }

    pub fn routine(&self, id: FunctionId) -> &Routine<'t> {
        &self.routines[id.index()]
    }

    pub fn functions(&self) -> impl Iterator<Item = FunctionId> + use<> {
        (0..self.routines.len()).map(FunctionId::new)
    }

    /// Where a name was defined before, if it was; else it stands for this from now on.
    pub fn bind(&mut self, name: ast::Ident<'t>, binding: Binding) -> Result<(), Span> {
        match self.globals.get(name.text) {
            Some(&(_, before)) => Err(before),
            None => {
                self.globals.insert(name.text, (binding, name.span));
                Ok(())
            }
        }
    }

    /// Adds the function that the program has just got.
    pub fn add_function(&mut self, name: &'t str, id: FunctionId, routine: Routine<'t>) {
        debug_assert_eq!(id.index(), self.routines.len());
        self.functions.insert(name, id);
        self.routines.push(routine);
    }
}

/// The part of the program that is being lowered.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Section {
    /// In `main`, before the loop.
    Setup,
    /// In `main`'s loop.
    Step,
    Function(FunctionId),
}

/// The parameters and locals that a statement can name.
#[derive(Debug)]
pub struct Scope<'t> {
    pub section: Section,
    /// Innermost block last.
    blocks: Vec<FxHashMap<&'t str, Binding>>,
}

impl<'t> Scope<'t> {
    pub fn new(section: Section, names: impl IntoIterator<Item = (&'t str, Binding)>) -> Scope<'t> {
        Scope { section, blocks: vec![names.into_iter().collect()] }
    }

    pub fn open_block(&mut self) {
        self.blocks.push(FxHashMap::default());
    }

    pub fn close_block(&mut self) {
        self.blocks.pop();
    }

    /// Whether the name is new in its block.
    pub fn declare(&mut self, name: &'t str, variable: VarId) -> bool {
        let block = self.blocks.last_mut().expect("a scope has the block that it began with");
        block.insert(name, Binding::Variable(variable)).is_none()
    }

    /// The visible names, without those that inner blocks hide.
    pub fn visible(&self) -> FxHashMap<&'t str, Binding> {
        self.blocks.iter().flatten().map(|(&name, &binding)| (name, binding)).collect()
    }

    pub fn find(&self, name: &str) -> Option<Binding> {
        self.blocks.iter().rev().find_map(|block| block.get(name)).copied()
    }
}
