//! The context of an expression or a statement: the bindings there, and the moment it is about.

use super::names::Entity;

/// Which moment an expression is about.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Moment {
    /// Where it stands.
    Now,
    /// Before the step: `prev`.
    Before,
    /// Before the first step.
    Initial,
}

#[derive(Clone, Debug)]
pub struct Scope<'m> {
    /// Parameters and bound variables, innermost last.
    pub bound: Vec<(&'m str, Entity<'m>)>,
    /// The definitions and procedures that are being put in place of their names.
    pub inlining: Vec<&'m str>,
    pub moment: Moment,
    /// The number of operators that look back around the current expression.
    pub depth: usize,
}

impl Default for Scope<'_> {
    fn default() -> Self {
        Scope { bound: vec![], inlining: vec![], moment: Moment::Now, depth: 0 }
    }
}

impl<'m> Scope<'m> {
    /// The binding of a name here.
    pub fn get(&self, name: &str) -> Option<Entity<'m>> {
        self.bound.iter().rev().find(|(bound, _)| *bound == name).map(|(_, entity)| *entity)
    }
}
