//! Declarations inside functions, where a run comes to them.

use std::rc::Rc;

use rustc_hash::FxHashSet;

use super::emit::Emitter;
use super::initial::{Item, Source};
use super::memory::ObjectId;
use super::names::Binding;
use super::place::Place;
use super::type_name::LOCAL_TYPE;
use super::value::Value;
use super::{Lowerer, unsupported};
use crate::ast::{Initializer, StmtId, StmtKind};
use crate::types::{Integer, Type};
use crate::words::Number;
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

    /// Gives a variable the value that it is declared with: each part what stands there for it, and zero without that.
    fn initialize(&mut self, binding: &Binding, initializer: &Initializer, span: Span) -> Lowered {
        match binding {
            Binding::Object(object) => self.initialize_object(*object, initializer, span),
            Binding::Foreign(what) => unsupported(span, what),
            _ => unsupported(span, "this initial value"),
        }
    }

    pub fn initialize_object(&mut self, object: ObjectId, initializer: &Initializer, span: Span) -> Lowered {
        let ty = self.out.memory.object(object).ty.clone();
        let items = self.declarer().items(initializer, &ty)?;
        let place = Place::of(object, ty.clone());
        if !ty.is_scalar() {
            let is_whole = items.iter().any(|item| item.ty == ty);
            let given: FxHashSet<_> = items.iter().map(|item| (item.offset, item.bits)).collect();
            if !is_whole {
                self.clear(&place, 0, &given, span)?;
            }
        }
        for Item { offset, bits, ty, from } in items {
            let value = match from {
                Source::Known(number) => Value::Number(Number::known(number, Integer::INT)),
                Source::Value(value) => self.value(value)?,
            };
            let Some(place) = self.declarer().place_at(object, offset, &ty, bits) else {
                return unsupported(span, "this initial value");
            };
            self.out.write_place(&place, value, span)?;
        }
        Ok(())
    }

    /// Makes all parts of a place zero that are not given anything; unions as a whole.
    fn clear(
        &mut self,
        place: &Place,
        offset: u32,
        given: &FxHashSet<(u32, Option<(u32, u32)>)>,
        span: Span,
    ) -> Lowered {
        match &place.ty {
            Type::Record(record) if !record.is_union => {
                for (position, member) in record.members().iter().enumerate() {
                    let inner = self.out.member_at(place, position);
                    self.clear(&inner, offset + member.offset, given, span)?;
                }
                Ok(())
            }
            Type::Array(element, length) => {
                let stride = element.bytes(self.out.model).unwrap_or(1);
                for number in 0..length.unwrap_or(0) {
                    let inner = self.out.element_at(place, number);
                    self.clear(&inner, offset + number * stride, given, span)?;
                }
                Ok(())
            }
            Type::Record(_) => self.out.each_scalar(place, span, &mut |out, scalar| zero(out, scalar, span)),
            _ if given.contains(&(offset, place.bits)) => Ok(()),
            _ => zero(self.out, place, span),
        }
    }
}

fn zero(out: &mut Emitter, place: &Place, span: Span) -> Lowered {
    out.write_place(place, Value::Number(Number::known(0, Integer::INT)), span)
}
