//! Declarations inside functions, where a run comes to them.

use std::rc::Rc;

use super::declare::cell_type;
use super::names::Binding;
use super::type_name::LOCAL_TYPE;
use super::{Lowerer, unsupported};
use crate::ast::{ExprId, Initializer, StmtId, StmtKind};
use crate::types::Type;
use crate::words::Number;
use redoubt_program::expr::VarId;
use redoubt_program::text::Span;
use redoubt_reading::refused::{Lowered, Refused};

impl<'a, 's> Lowerer<'a, 's> {
    /// A declaration where a run comes to it.
    pub fn declaration(&mut self, stmt: StmtId) -> Lowered {
        let StmtKind::Declaration(declaration) = &self.text.stmt(stmt).kind else { return Ok(()) };
        self.declarer().enumeration(&declaration.specifiers)?;
        if declaration.specifiers.has("typedef") {
            return unsupported(declaration.span, LOCAL_TYPE);
        }
        if declaration.declarators.is_empty() {
            // `int name;` declares nothing if that is the name of a type: the reader of tokens knows of no scopes.
            self.declarer().base_type(&declaration.specifiers)?;
        }
        for (position, (declarator, initializer)) in declaration.declarators.iter().enumerate() {
            let Some(name) = declarator.name else { continue };
            let local = self.declarer().local(stmt, position);
            let binding = match &local {
                Ok(binding) => binding.clone(),
                // A jump may lead past the declaration, and not out of its scope.
                Err(Refused::Mistakes(why)) => Binding::Refused(Rc::new(why.clone())),
                Err(Refused::Interrupted) => return local.map(drop),
            };
            let scope = self.frame.scopes.last_mut().expect("a function has a scope");
            scope.names.insert(name.text, binding.clone());
            local?;
            if let (Some(initializer), false) = (initializer, declaration.specifiers.has("static")) {
                self.initialize(&binding, initializer, declarator.span)?;
            }
        }
        Ok(())
    }

    fn initialize(&mut self, binding: &Binding, initializer: &Initializer, span: Span) -> Lowered {
        match (binding, initializer) {
            (Binding::Variable(variable, ty), Initializer::Value(value)) => {
                self.assign_value(*variable, ty, *value, span)
            }
            (Binding::Variable(_, Type::Integer(_)), Initializer::List { elements, designated: false, .. })
                if elements.len() == 1 =>
            {
                self.initialize(binding, &elements[0], span)
            }
            (
                Binding::Array(table, Type::Array(element, Some(length))),
                Initializer::List { elements, designated, .. },
            ) => {
                let Type::Integer(integer) = **element else {
                    return unsupported(span, "an initial value for an array of arrays");
                };
                if *designated || elements.len() > *length as usize {
                    return unsupported(span, "this initial value");
                }
                for index in 0..*length as usize {
                    let value = match elements.get(index) {
                        Some(Initializer::Value(value)) => self.number(*value)?,
                        Some(Initializer::List { span, .. }) => return unsupported(*span, "this initial value"),
                        None => Number::known(0, integer),
                    };
                    let value = value.convert(integer, self.out.exprs());
                    let index = self.out.exprs().int(index as i32);
                    self.out.store_number(*table, index, value, span)?;
                }
                Ok(())
            }
            (Binding::Array(table, ty @ Type::Array(..)), Initializer::Value(_)) => {
                let mut cells = vec![];
                self.declarer().initial_cells(initializer, ty, cell_type(ty), &mut cells)?;
                for (index, cell) in cells.into_iter().enumerate() {
                    let index = self.out.exprs().int(index as i32);
                    self.out.store_number(*table, index, Number::known(cell, cell_type(ty)), span)?;
                }
                Ok(())
            }
            (Binding::Foreign(what), _) => unsupported(span, what),
            _ => unsupported(span, "this initial value"),
        }
    }

    fn assign_value(&mut self, variable: VarId, ty: &Type, value: ExprId, span: Span) -> Lowered {
        let value = self.value(value)?;
        self.out.put(variable, ty, value, span)
    }
}
