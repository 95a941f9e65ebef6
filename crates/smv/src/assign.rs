//! Assignments by variable, each at most once: what is assigned always, initially and next, and by which process.

use redoubt_program::text::Span;
use redoubt_reading::Diagnostic;
use redoubt_reading::refused::{Lowered, refuse};
use rustc_hash::FxHashMap;

use crate::ast::{ExprId, Storage, When};
use crate::scope::{Hierarchy, ScopeId, VarId};

/// The right side of an assignment.
#[derive(Clone, Copy, Debug)]
pub struct Place {
    pub value: ExprId,
    pub scope: ScopeId,
    /// Of the left side.
    pub span: Span,
}

#[derive(Clone, Debug, Default)]
pub struct Assignments {
    pub always: FxHashMap<VarId, Place>,
    pub initial: FxHashMap<VarId, Place>,
    /// By process.
    pub next: FxHashMap<VarId, Vec<(usize, Place)>>,
}

impl Assignments {
    pub fn collect(hierarchy: &mut Hierarchy<'_>) -> Lowered<Assignments> {
        let mut all = Assignments::default();
        for (when, left, value, span, scope) in std::mem::take(&mut hierarchy.sections.assignments) {
            let variable = hierarchy.assigned(left, scope)?;
            let (name, storage) = {
                let variable = &hierarchy.variables[variable];
                (variable.name.clone(), variable.storage)
            };
            let refused = |message: String, label: &str| refuse(Diagnostic::new(span, message, label.to_string()));
            match (storage, when) {
                (Storage::Input, _) => return refused(format!("`{name}` is an input"), "inputs are not assigned"),
                (Storage::Frozen, When::Next | When::Always) => {
                    return refused(format!("`{name}` is frozen"), "it keeps its initial value, which can be assigned");
                }
                _ => {}
            }
            let place = Place { value, scope, span };
            let process = hierarchy.scopes[scope].process;
            let (has_always, has_initial, has_next) = (
                all.always.contains_key(&variable),
                all.initial.contains_key(&variable),
                all.next.contains_key(&variable),
            );
            let is_mixed = match when {
                When::Always => has_initial || has_next,
                When::Initially | When::Next => has_always,
            };
            if is_mixed {
                let message = format!("`{name}` is assigned for all states, and also for the first or next ones");
                return refused(message, "the other assignment");
            }
            let is_double = match when {
                When::Always => all.always.insert(variable, place).is_some(),
                When::Initially => all.initial.insert(variable, place).is_some(),
                When::Next => {
                    let list = all.next.entry(variable).or_default();
                    let is_double = list.iter().any(|(other, _)| *other == process);
                    list.push((process, place));
                    is_double
                }
            };
            if is_double {
                return refused(format!("`{name}` is assigned twice"), "the second assignment");
            }
        }
        Ok(all)
    }
}
