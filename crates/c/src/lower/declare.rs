//! Declarations: the meaning of names, and the variables and arrays that they need.

use std::rc::Rc;

use super::emit::Emitter;
use super::fresh::is_filled;
use super::memory::{Key, ObjectId};
use super::names::{Binding, Names};
use super::place::Place;
use super::scope::Scope;
use super::text::Text;
use super::unsupported;
use super::value::Value;
use crate::ast::{Declaration, Function, StmtId, StmtKind};
use crate::types::{Integer, Type};
use crate::words::Number;
use redoubt_program::text::Span;
use redoubt_reading::Diagnostic;
use redoubt_reading::refused::{Lowered, Refused, refuse};
use redoubt_reading::watch::Watch;

/// Finds the meaning of names: reads the text, and adds the variables and tables of its declarations.
pub struct Declarer<'l, 'a, 's> {
    pub text: &'l Text<'a, 's>,
    pub names: &'l mut Names<'s>,
    /// Those around the place where a name stands.
    pub scopes: &'l [Scope<'s>],
    pub out: &'l mut Emitter,
    pub watch: &'l mut Watch,
}

impl<'a, 's> Declarer<'_, 'a, 's> {
    /// The meaning of a name here, if it is declared.
    pub fn find(&mut self, name: &'s str) -> Option<Binding> {
        let local = self.scopes.iter().rev().filter_map(|scope| scope.names.get(name)).next().cloned();
        local.or_else(|| self.global(name))
    }

    /// The value of a named object.
    pub fn named(&mut self, name: &'s str, span: Span) -> Lowered<Value> {
        if let Some(binding) = self.find(name) {
            return match binding {
                Binding::Object(object) => {
                    let place = self.place_of(object);
                    self.out.read_place(&place, span)
                }
                Binding::Value(value) => Ok(value),
                Binding::Enumerator(number) => Ok(Value::Number(Number::known(number, Integer::INT))),
                Binding::Foreign(what) => unsupported(span, what),
                Binding::Refused(why) => Err(Refused::Mistakes((*why).clone())),
            };
        }
        if self.text.functions.contains_key(name) || self.text.prototype(name).is_some() {
            return self.function_value(name, span);
        }
        if let Some((value, ty)) = crate::headers::constant(name, self.out.model) {
            return Ok(Value::Number(Number::known(value, ty)));
        }
        refuse(Diagnostic::new(span, format!("`{name}` is not declared"), "expected a name that is known here"))
    }

    /// The address of a function.
    pub fn function_value(&mut self, name: &'s str, span: Span) -> Lowered<Value> {
        let result = self.declared_result(name)?.unwrap_or(Type::Void);
        let object = self.out.function_object(name, result, span)?;
        let place = self.place_of(object);
        self.out.read_place(&place, span)
    }

    pub fn place_of(&self, object: ObjectId) -> Place {
        Place::of(object, self.out.memory.object(object).ty.clone())
    }

    /// The meaning of a name outside functions. It is made when it is first used.
    pub fn global(&mut self, name: &'s str) -> Option<Binding> {
        if let Some(binding) = self.names.globals.get(name) {
            return Some(binding.clone());
        }
        if self.text.prototype(name).is_some() {
            return None;
        }
        let declarations = self.text.declarations(name);
        // A `static` name belongs to its file.
        let file = |(declaration, _): &(&Declaration<'s>, usize)| declaration.span.file;
        let is_static = declarations.iter().any(|(declaration, _)| declaration.specifiers.has("static"));
        if is_static && declarations.iter().any(|other| file(other) != file(&declarations[0])) {
            return Some(Binding::Foreign("a variable of one file with the name of one in another"));
        }
        let initialized = declarations.iter().find(|(declaration, at)| declaration.declarators[*at].1.is_some());
        let plain = declarations.iter().find(|(declaration, _)| !declaration.specifiers.has("extern"));
        let &(declaration, position) = initialized.or(plain).or(declarations.first())?;
        let scopes = std::mem::take(&mut self.scopes);
        let binding = match self.permanent(declaration, position, Where::Global(name)) {
            Ok(binding) => binding,
            Err(Refused::Mistakes(why)) => Binding::Refused(Rc::new(why)),
            Err(Refused::Interrupted) => return None,
        };
        self.scopes = scopes;
        self.names.globals.insert(name, binding.clone());
        Some(binding)
    }

    /// A variable that is there from the start, with its initial value.
    pub fn permanent(&mut self, declaration: &'a Declaration<'s>, position: usize, at: Where<'s>) -> Lowered<Binding> {
        let (declarator, initializer) = &declaration.declarators[position];
        self.enumeration(&declaration.specifiers)?;
        let ty = self.type_of(&declaration.specifiers, declarator)?;
        let span = declarator.span;
        if matches!(ty, Type::Function(_)) {
            return Ok(Binding::Foreign("a function as a value"));
        }
        if declaration.specifiers.has("extern") && initializer.is_none() {
            return Ok(Binding::Foreign("a variable that is defined elsewhere"));
        }
        let name = declarator.name.map_or("", |name| name.text);
        let ty = self.completed(ty, initializer.as_ref(), span)?;
        let key = match at {
            Where::Global(name) => Key::Global(name.to_string()),
            Where::Local(stmt, position) => Key::Local(stmt, position),
        };
        let object = self.out.object(key, name, &ty, None, None, span)?;
        let binding = Binding::Object(object);
        // Its own address may be a part of its initial value.
        match at {
            Where::Global(name) => drop(self.names.globals.insert(name, binding.clone())),
            Where::Local(stmt, position) => drop(self.names.locals.insert((stmt, position), binding.clone())),
        }
        if let Some(initializer) = initializer {
            self.start(object, initializer, &ty)?;
        }
        Ok(binding)
    }

    /// The meaning of a declaration inside a function; the same whenever the function is entered.
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
            self.permanent(declaration, position, Where::Local(stmt, position))?
        } else if declaration.specifiers.has("extern") {
            match self.global(name) {
                Some(binding) => binding,
                None => Binding::Foreign("a variable that is defined elsewhere"),
            }
        } else {
            self.enumeration(&declaration.specifiers)?;
            let ty = self.type_of(&declaration.specifiers, declarator)?;
            let ty = self.completed(ty, initializer.as_ref(), span)?;
            let owner = self.out.routine();
            Binding::Object(self.out.object(Key::Local(stmt, position), name, &ty, None, owner, span)?)
        };
        self.names.locals.insert((stmt, position), binding.clone());
        Ok(binding)
    }

    /// Leaves the values of what a statement declares undefined, as they are when their block is entered.
    /// What no run can use before it has its initial value need not be.
    fn undefine(&mut self, stmt: StmtId, block: StmtId, is_jumped_into: bool, behind: &[StmtId]) {
        let StmtKind::Declaration(declaration) = &self.text.stmt(stmt).kind else { return };
        if ["static", "extern", "typedef"].iter().any(|word| declaration.specifiers.has(word)) {
            return;
        }
        // A mistake in it is reported where it is declared, too.
        let _ = self.enumeration(&declaration.specifiers);
        for position in 0..declaration.declarators.len() {
            // A name that cannot be declared is refused where it is.
            let span = declaration.declarators[position].0.span;
            let is_whole = declaration.declarators[position].1.is_some() && !is_jumped_into;
            if let Ok(Binding::Object(object)) = self.local(stmt, position) {
                self.out.memory.lives_within(object, block);
                let name = declaration.declarators[position].0.name;
                let is_filled = match (&self.out.memory.object(object).ty, name) {
                    (Type::Array(element, Some(length)), Some(name)) if element.is_scalar() && !is_jumped_into => {
                        is_filled(self.text, name.text, *length, behind)
                    }
                    _ => false,
                };
                if !is_filled && (!is_whole || self.out.memory.object(object).ty.is_scalar()) {
                    self.out.undefine_object(object, span);
                }
            }
        }
    }

    /// Begins the lifetime of a block's declarations.
    pub fn enter(&mut self, id: StmtId) {
        match &self.text.stmt(id).kind {
            StmtKind::Block(list) => {
                let is_jumped_into = self.text.is_jumped_into(self.text.stmt(id).span);
                for (at, &inner) in list.iter().enumerate() {
                    self.undefine(inner, id, is_jumped_into, &list[at + 1..]);
                }
            }
            StmtKind::For { first: Some(first), .. } => self.undefine(*first, id, true, &[]),
            _ => {}
        }
    }

    /// What a function leaves its value in.
    pub fn result(&mut self, name: &'s str, function: &'a Function<'s>) -> Lowered<Option<ObjectId>> {
        let ty = match self.type_of(&function.specifiers, &function.declarator)? {
            Type::Function(ty) => (*ty).clone(),
            other => other,
        };
        let span = function.declarator.span;
        match &ty {
            Type::Void => Ok(None),
            ty => {
                let (key, owner) = (Key::Result(function.body), Some(function.body));
                self.out.object(key, &format!("{name}()"), ty, None, owner, span).map(Some)
            }
        }
    }

    /// What a parameter of a function stands for, unless it keeps an address that it is given.
    pub fn parameter(&mut self, function: &'a Function<'s>, position: usize) -> Lowered<Binding> {
        let parameter = &function.declarator.parameters().unwrap_or_default()[position];
        let ty = match self.type_of(&parameter.specifiers, &parameter.declarator)? {
            Type::Array(element, _) => Type::Pointer(element),
            ty @ Type::Function(_) => ty.pointer_to(),
            other => other,
        };
        let span = parameter.declarator.span;
        let called = parameter.declarator.name.map_or("parameter", |name| name.text);
        match ty {
            Type::Foreign(what) => Ok(Binding::Foreign(what)),
            Type::Void => Ok(Binding::Foreign("a parameter of this type")),
            ty => {
                let (key, owner) = (Key::Parameter(function.body, position), Some(function.body));
                let object = self.out.object(key, called, &ty, None, owner, span)?;
                self.out.memory.lives_within(object, function.body);
                Ok(Binding::Object(object))
            }
        }
    }
}

/// Where a variable is declared that is there from the start.
#[derive(Clone, Copy)]
pub enum Where<'s> {
    Global(&'s str),
    Local(StmtId, usize),
}
