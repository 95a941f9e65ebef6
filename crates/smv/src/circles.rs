//! Definitions and assignments that depend on themselves. They are found on paper: in branches that never apply, too.

use redoubt_base::stack::grow;
use redoubt_reading::Diagnostic;
use redoubt_reading::refused::{Lowered, refuse};
use rustc_hash::FxHashMap;

use crate::assign::Assignments;
use crate::ast::{ExprId, Kind};
use crate::scope::{Elements, Entity, Hierarchy, ScopeId, VarId};

/// The moment of a value in a chain of dependences.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
enum Moment {
    Now,
    Start,
    Next,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
enum Item {
    Expression(ExprId, ScopeId, Moment),
    Variable(VarId, Moment),
}

struct Search<'h, 't, 'a> {
    hierarchy: &'h mut Hierarchy<'t>,
    assignments: &'a Assignments,
    /// Whether an item is done; if not, it is being looked at.
    seen: FxHashMap<Item, bool>,
}

/// Refuses circles among current assignments and definitions, among initial and among next assignments.
pub fn check(hierarchy: &mut Hierarchy<'_>, assignments: &Assignments) -> Lowered {
    let mut search = Search { hierarchy, assignments, seen: FxHashMap::default() };
    let mut variables: Vec<VarId> = assignments.always.keys().chain(assignments.initial.keys()).copied().collect();
    variables.extend(assignments.next.keys());
    variables.sort_unstable();
    for variable in variables {
        for moment in [Moment::Now, Moment::Start, Moment::Next] {
            search.visit(Item::Variable(variable, moment))?;
        }
    }
    Ok(())
}

impl Search<'_, '_, '_> {
    fn visit(&mut self, item: Item) -> Lowered {
        match self.seen.get(&item) {
            Some(true) => return Ok(()),
            Some(false) => return self.circle(item),
            None => {}
        }
        self.seen.insert(item, false);
        grow(|| match item {
            Item::Variable(variable, moment) => self.variable(variable, moment),
            Item::Expression(id, scope, moment) => self.expression(id, scope, moment),
        })?;
        self.seen.insert(item, true);
        Ok(())
    }

    fn circle(&self, item: Item) -> Lowered {
        let (name, span) = match item {
            Item::Variable(variable, _) => {
                let name = self.hierarchy.variables[variable].name.clone();
                let all = [&self.assignments.always, &self.assignments.initial];
                let one = all.iter().find_map(|map| map.get(&variable)).map(|place| place.span);
                let next = self.assignments.next.get(&variable).and_then(|list| list.first());
                (name, one.or(next.map(|(_, place)| place.span)).unwrap_or_default())
            }
            Item::Expression(id, ..) => (self.hierarchy.shown(id), self.hierarchy.text.span(id)),
        };
        // The variables that are being looked at depend on each other.
        let mut others: Vec<String> = vec![];
        for (open, done) in &self.seen {
            if let (Item::Variable(variable, _), false) = (open, done) {
                others.push(format!("`{}`", self.hierarchy.variables[*variable].name));
            }
        }
        others.sort();
        others.dedup();
        let message = format!("`{name}` is defined by itself");
        let diagnostic = Diagnostic::new(span, message, "in a circle");
        refuse(if others.len() > 1 {
            diagnostic.help(format!("the circle is among {}", others.join(", ")))
        } else {
            diagnostic
        })
    }

    fn variable(&mut self, variable: VarId, moment: Moment) -> Lowered {
        if let Some(place) = self.assignments.always.get(&variable) {
            return self.visit(Item::Expression(place.value, place.scope, moment));
        }
        match moment {
            Moment::Start => match self.assignments.initial.get(&variable) {
                Some(place) => self.visit(Item::Expression(place.value, place.scope, Moment::Start)),
                None => Ok(()),
            },
            Moment::Next => {
                let places: Vec<_> = self.assignments.next.get(&variable).into_iter().flatten().collect();
                places
                    .into_iter()
                    .try_for_each(|(_, place)| self.visit(Item::Expression(place.value, place.scope, Moment::Now)))
            }
            Moment::Now => Ok(()),
        }
    }

    fn entity(&mut self, entity: &Entity, moment: Moment) -> Lowered {
        match entity {
            Entity::Variable(variable) => self.visit(Item::Variable(*variable, moment)),
            Entity::Expression { value, scope, .. } => self.visit(Item::Expression(*value, *scope, moment)),
            Entity::Array(elements) => self.elements(elements, moment),
            Entity::Instance(_) | Entity::Running(_) => Ok(()),
        }
    }

    fn elements(&mut self, elements: &Elements, moment: Moment) -> Lowered {
        elements.items.iter().try_for_each(|item| grow(|| self.entity(item, moment)))
    }

    fn expression(&mut self, id: ExprId, scope: ScopeId, moment: Moment) -> Lowered {
        let text = self.hierarchy.text;
        let parts: Vec<ExprId> = match text.kind(id) {
            Kind::Name(_) | Kind::Dot(..) | Kind::Myself => {
                return match self.hierarchy.resolve(id, scope)? {
                    Some(entity) => self.entity(&entity, moment),
                    None => Ok(()),
                };
            }
            Kind::Index(of, index) => {
                if let Some(entity) = self.hierarchy.resolve(id, scope)? {
                    return self.entity(&entity, moment);
                }
                vec![*of, *index]
            }
            Kind::Next(of) => return self.visit(Item::Expression(*of, scope, Moment::Next)),
            Kind::Boolean(_) | Kind::Number(_) | Kind::Word { .. } | Kind::Foreign(_) => vec![],
            Kind::Slice(of, ..) | Kind::Not(of) | Kind::Minus(of) => vec![*of],
            Kind::Linear(_, _, of) | Kind::Branching(_, _, _, of) => vec![*of],
            Kind::Binary(_, a, b) | Kind::LinearPair(_, a, b) | Kind::Filled(a, b) => vec![*a, *b],
            Kind::BranchingUntil(_, _, a, b) => vec![*a, *b],
            Kind::Ite(a, b, c) => vec![*a, *b, *c],
            Kind::Case(arms) => arms.iter().flat_map(|&(condition, value)| [condition, value]).collect(),
            Kind::Set(elements) | Kind::Call(_, elements) => elements.clone(),
        };
        parts.into_iter().try_for_each(|part| self.visit(Item::Expression(part, scope, moment)))
    }
}
