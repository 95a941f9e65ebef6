//! Declarations: what names stand for, and the variables and arrays that they need.

use std::rc::Rc;

use super::emit::Emitter;
use super::names::{Binding, Names};
use super::place::Lvalue;
use super::scope::Scope;
use super::text::Text;
use super::value::Value;
use super::{integer_of, unsupported};
use crate::ast::{Declaration, Function, Initializer, StmtId, StmtKind};
use crate::types::{Integer, Type};
use crate::words::Number;
use redoubt_program::expr::VarId;
use redoubt_program::text::Span;
use redoubt_reading::Diagnostic;
use redoubt_reading::refused::{Lowered, Refused, refuse};
use redoubt_reading::watch::Watch;

/// Finds out what names stand for: reads the text, and adds the variables and tables of what it declares.
pub struct Declarer<'l, 'a, 's> {
    pub text: &'l Text<'a, 's>,
    pub names: &'l mut Names<'s>,
    /// Those around the place where a name stands.
    pub scopes: &'l [Scope<'s>],
    pub out: &'l mut Emitter,
    pub watch: &'l mut Watch,
}

impl<'a, 's> Declarer<'_, 'a, 's> {
    /// What a name stands for here, if it is declared.
    pub fn find(&mut self, name: &'s str) -> Option<Binding> {
        let local = self.scopes.iter().rev().filter_map(|scope| scope.names.get(name)).next().cloned();
        local.or_else(|| self.global(name))
    }

    /// The value of what has a name.
    pub fn named(&mut self, name: &'s str, span: Span) -> Lowered<Value> {
        if let Some(binding) = self.find(name) {
            return match binding {
                Binding::Variable(variable, ty) => Ok(self.out.read_place(&Lvalue::Variable(variable, ty))),
                Binding::Array(table, ty) => Ok(self.out.start_of(table, &ty)),
                Binding::Address(target) => Ok(Value::Address(target)),
                Binding::Enumerator(number) => Ok(Value::Number(Number::known(number, Integer::INT))),
                Binding::Foreign(what) => unsupported(span, what),
                Binding::Refused(why) => Err(Refused::Mistakes((*why).clone())),
            };
        }
        if self.text.functions.contains_key(name) {
            return unsupported(span, "a function as a value");
        }
        refuse(Diagnostic::new(span, format!("`{name}` is not declared"), "expected a name that is known here"))
    }

    /// What a name outside functions stands for. It is made when it is first used.
    pub fn global(&mut self, name: &'s str) -> Option<Binding> {
        if let Some(binding) = self.names.globals.get(name) {
            return Some(binding.clone());
        }
        let declarations = self.text.declarations(name);
        // What is `static` belongs to its file.
        let file = |(declaration, _): &(&Declaration<'s>, usize)| declaration.span.file;
        let is_static = declarations.iter().any(|(declaration, _)| declaration.specifiers.has("static"));
        if is_static && declarations.iter().any(|other| file(other) != file(&declarations[0])) {
            return Some(Binding::Foreign("a variable of one file with the name of one in another"));
        }
        let initialized = declarations.iter().find(|(declaration, at)| declaration.declarators[*at].1.is_some());
        let plain = declarations.iter().find(|(declaration, _)| !declaration.specifiers.has("extern"));
        let &(declaration, position) = initialized.or(plain).or(declarations.first())?;
        let binding = match self.permanent(declaration, position) {
            Ok(binding) => binding,
            Err(Refused::Mistakes(why)) => Binding::Refused(Rc::new(why)),
            Err(Refused::Interrupted) => return None,
        };
        self.names.globals.insert(name, binding.clone());
        Some(binding)
    }

    /// A variable that is there from the start, with its initial value.
    pub fn permanent(&mut self, declaration: &'a Declaration<'s>, position: usize) -> Lowered<Binding> {
        let (declarator, initializer) = &declaration.declarators[position];
        self.enumeration(&declaration.specifiers)?;
        let ty = self.type_of(&declaration.specifiers, declarator)?;
        let span = declarator.span;
        if declaration.specifiers.has("extern") && initializer.is_none() && !matches!(ty, Type::Function(_)) {
            return Ok(Binding::Foreign("a variable that is defined elsewhere"));
        }
        let name = declarator.name.map_or("", |name| name.text);
        Ok(match &ty {
            Type::Integer(integer) => {
                let initial = match initializer {
                    None => 0,
                    Some(initializer) => self.initial(initializer, *integer)?,
                };
                Binding::Variable(self.out.variable_of(name, *integer, initial, span), ty)
            }
            Type::Pointer(_) => {
                let initial = match initializer {
                    None => 0,
                    Some(Initializer::Value(value)) => self.initial_pointer(*value)?,
                    Some(Initializer::List { span, .. }) => return unsupported(*span, "this initial value"),
                };
                Binding::Variable(self.out.variable(name, initial, span), ty)
            }
            Type::Array(..) => {
                let (ty, element, count) = self.array(ty.clone(), initializer.as_ref(), span)?;
                let mut cells = vec![];
                if let Some(initializer) = initializer {
                    self.initial_cells(initializer, &ty, element, &mut cells)?;
                }
                cells.resize(count as usize, 0);
                Binding::Array(self.out.table(name, &cells, element, span), ty)
            }
            _ => foreign(&ty),
        })
    }

    /// What a declaration inside a function stands for; the same whenever the function is entered.
    pub fn local(&mut self, stmt: StmtId, position: usize) -> Lowered<Binding> {
        if let Some(binding) = self.names.locals.get(&(stmt, position)) {
            return Ok(binding.clone());
        }
        let StmtKind::Declaration(declaration) = &self.text.stmt(stmt).kind else {
            return Ok(Binding::Foreign("this"));
        };
        let (declarator, initializer) = &declaration.declarators[position];
        let name = declarator.name.map_or("", |name| name.text);
        let span = declarator.name.map_or(declarator.span, |name| name.span);
        let binding = if declaration.specifiers.has("static") {
            self.permanent(declaration, position)?
        } else if declaration.specifiers.has("extern") {
            match self.global(name) {
                Some(binding) => binding,
                None => Binding::Foreign("a variable that is defined elsewhere"),
            }
        } else {
            self.enumeration(&declaration.specifiers)?;
            let ty = self.type_of(&declaration.specifiers, declarator)?;
            let owner = self.out.routine();
            match &ty {
                Type::Integer(_) | Type::Pointer(_) => {
                    let variable = self.out.variable_of(name, integer_of(&ty), 0, span);
                    owner.into_iter().for_each(|owner| self.out.own(variable, integer_of(&ty), owner));
                    Binding::Variable(variable, ty)
                }
                Type::Array(..) => {
                    let (ty, element, count) = self.array(ty.clone(), initializer.as_ref(), span)?;
                    let table = self.out.table(name, &vec![0; count as usize], element, span);
                    owner.into_iter().for_each(|owner| self.out.own_table(table, element, owner));
                    Binding::Array(table, ty)
                }
                _ => foreign(&ty),
            }
        };
        self.names.locals.insert((stmt, position), binding.clone());
        Ok(binding)
    }

    /// Leaves the values of what a statement declares undefined, as they are when their block is entered.
    pub fn undefine(&mut self, stmt: StmtId) {
        let StmtKind::Declaration(declaration) = &self.text.stmt(stmt).kind else { return };
        if ["static", "extern", "typedef"].iter().any(|word| declaration.specifiers.has(word)) {
            return;
        }
        // What is wrong with it is said where it is declared, too.
        let _ = self.enumeration(&declaration.specifiers);
        for position in 0..declaration.declarators.len() {
            // What cannot be declared is refused where it is.
            let span = declaration.declarators[position].0.span;
            match self.local(stmt, position) {
                Ok(Binding::Variable(variable, ty)) => self.out.choose(variable, integer_of(&ty), None, span),
                Ok(Binding::Array(table, ty)) => self.out.undefine_cells(table, cell_type(&ty), span),
                _ => {}
            }
        }
    }

    /// Begins the lifetime of what a block declares.
    pub fn enter(&mut self, id: StmtId) {
        match &self.text.stmt(id).kind {
            StmtKind::Block(list) => list.iter().for_each(|&inner| self.undefine(inner)),
            StmtKind::For { first: Some(first), .. } => self.undefine(*first),
            _ => {}
        }
    }

    /// The variable that a function leaves its value in.
    pub fn result(&mut self, name: &'s str, function: &'a Function<'s>) -> Lowered<Option<(VarId, Type)>> {
        if let Some(known) = self.names.results.get(name) {
            return Ok(known.clone());
        }
        let ty = match self.type_of(&function.specifiers, &function.declarator)? {
            Type::Function(ty) => (*ty).clone(),
            other => other,
        };
        let span = function.declarator.span;
        let result = match &ty {
            Type::Void => None,
            ty if Self::is_returned(ty) => {
                let variable = self.out.variable_of(&format!("{name}()"), integer_of(ty), 0, span);
                self.out.own(variable, integer_of(ty), function.body);
                Some((variable, ty.clone()))
            }
            _ => return unsupported(span, "a function that returns a value of this type"),
        };
        self.names.results.insert(name, result.clone());
        Ok(result)
    }

    /// What a parameter of a function stands for, unless it is given an address.
    pub fn parameter(&mut self, name: &'s str, function: &'a Function<'s>, position: usize) -> Lowered<Binding> {
        if let Some(known) = self.names.parameters.get(&(name, position)) {
            return Ok(known.clone());
        }
        let parameter = &function.declarator.parameters().unwrap_or_default()[position];
        let ty = match self.type_of(&parameter.specifiers, &parameter.declarator)? {
            Type::Array(element, _) => Type::Pointer(element),
            other => other,
        };
        let span = parameter.declarator.span;
        let called = parameter.declarator.name.map_or("parameter", |name| name.text);
        let binding = match ty {
            ty if Self::is_returned(&ty) => {
                let variable = self.out.variable_of(called, integer_of(&ty), 0, span);
                self.out.own(variable, integer_of(&ty), function.body);
                Binding::Variable(variable, ty)
            }
            Type::Foreign(what) => Binding::Foreign(what),
            _ => Binding::Foreign("a parameter of this type"),
        };
        self.names.parameters.insert((name, position), binding.clone());
        Ok(binding)
    }

    /// Whether a function can return a value of this type.
    pub fn is_returned(ty: &Type) -> bool {
        matches!(ty, Type::Pointer(_) | Type::Integer(_))
    }
}

fn foreign(ty: &Type) -> Binding {
    Binding::Foreign(match ty {
        Type::Foreign(what) => what,
        Type::Function(_) => "a function as a value",
        _ => "a variable of this type",
    })
}

/// The type of the cells of an array, however it is divided.
pub fn cell_type(ty: &Type) -> Integer {
    let mut inner = ty;
    while let Type::Array(element, _) = inner {
        inner = element;
    }
    integer_of(inner)
}
