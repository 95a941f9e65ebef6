//! The names of a model and their meanings. They are declared once, and only looked up afterwards.

use rustc_hash::FxHashMap;

use super::ast::{Define, Proc};
use super::types::{Dims, Shape, Ty};
use redoubt_program::expr::{InputId, TableId, VarId};
use redoubt_program::text::Span;

/// The meaning of a name.
#[derive(Clone, Copy, Debug)]
pub enum Entity<'m> {
    Constant(Ty, i32),
    Variable(VarId, Ty),
    /// An array: constant, of variables, or of inputs.
    Array {
        table: TableId,
        element: Ty,
        dims: Dims,
        kind: ArrayKind,
    },
    Input(InputId, Ty),
    Define(&'m Define),
    Proc(&'m Proc),
    Enumeration(usize),
    /// Another name for a type.
    Type(Shape),
    /// A parameter of a procedure.
    Parameter(VarId, Ty),
    /// A name that a step gives to a value.
    Let(VarId, Ty),
    /// The meaning of a parameter of a definition, by its number.
    Argument(usize),
    /// Declared with a mistake that has been reported.
    Broken,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ArrayKind {
    Constant,
    Variable,
    Input,
}

/// The model's own names.
#[derive(Clone, Debug, Default)]
pub struct Names<'m> {
    entities: FxHashMap<&'m str, (Entity<'m>, Span)>,
}

impl<'m> Names<'m> {
    pub fn get(&self, name: &str) -> Option<Entity<'m>> {
        self.entities.get(name).map(|(entity, _)| *entity)
    }

    pub fn iter(&self) -> impl Iterator<Item = &'m str> + '_ {
        self.entities.keys().copied()
    }

    /// Gives a name its meaning; if it has one already, the place where it got that.
    pub fn declare(&mut self, name: &'m str, entity: Entity<'m>, span: Span) -> Result<(), Span> {
        match self.entities.get(name) {
            Some(&(_, first)) => Err(first),
            None => {
                self.entities.insert(name, (entity, span));
                Ok(())
            }
        }
    }

    /// Takes the meaning of a name away, since a mistake in it has been reported.
    pub fn mark_broken(&mut self, name: &'m str) {
        self.entities.entry(name).and_modify(|(entity, _)| *entity = Entity::Broken);
    }

    pub fn describe(&self, ty: Ty) -> String {
        match ty {
            Ty::Bool => "`bool`".into(),
            Ty::INT => "`int`".into(),
            Ty::Int { low, high } => format!("a number from {low} to {high}"),
            Ty::Enum(index) => {
                let is_this = |entity: &Entity<'_>| matches!(entity, Entity::Enumeration(other) if *other == index);
                let name = self.entities.iter().find(|(_, (entity, _))| is_this(entity)).map(|(name, _)| *name);
                format!("`{}`", name.unwrap_or("an enumeration"))
            }
        }
    }

    /// The kind of a value, whatever its bounds.
    pub fn describe_kind(&self, ty: Ty) -> String {
        match ty {
            Ty::Int { .. } => self.describe(Ty::INT),
            other => self.describe(other),
        }
    }
}
