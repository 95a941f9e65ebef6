//! Names of types, and the types of what is not evaluated.

use std::rc::Rc;

use super::declare::Declarer;
use super::names::Binding;
use super::unsupported;
use crate::ast::{Compound, Declarator, Derived, ExprId, ExprKind, Specifiers};
use crate::types::{self, Integer, Type};
use crate::words::Number;
use redoubt_program::text::Span;
use redoubt_reading::Diagnostic;
use redoubt_reading::refused::{Lowered, refuse};

/// What types are made of.
const TYPE_WORDS: [&str; 11] =
    ["void", "char", "short", "int", "long", "float", "double", "signed", "__signed__", "unsigned", "_Bool"];

pub const LOCAL_TYPE: &str = "a type that is declared inside a function";

impl<'s> Declarer<'_, '_, 's> {
    pub fn type_of(&mut self, specifiers: &Specifiers<'s>, declarator: &Declarator<'s>) -> Lowered<Type> {
        if let Some(name) = specifiers.attribute.or(declarator.attribute) {
            return unsupported(declarator.span, &format!("the attribute `{name}`"));
        }
        let mut ty = self.base_type(specifiers)?;
        for derived in declarator.derived.iter().rev() {
            ty = match derived {
                Derived::Pointer => Type::Pointer(Rc::new(ty)),
                Derived::Function(_) => Type::Function(Rc::new(ty)),
                Derived::Array(length) => {
                    let length = match length {
                        Some(length) => {
                            let number = self.constant(*length)?;
                            let fits = u32::try_from(number).ok();
                            Some(match fits {
                                Some(length) => length,
                                None => return unsupported(declarator.span, "an array of this length"),
                            })
                        }
                        None => None,
                    };
                    Type::Array(Rc::new(ty), length)
                }
            };
        }
        Ok(ty)
    }

    pub fn base_type(&mut self, specifiers: &Specifiers<'s>) -> Lowered<Type> {
        match &specifiers.compound {
            Some(Compound::Structure) => return Ok(Type::Foreign("a structure")),
            Some(Compound::Enumeration { tag, names }) => return Ok(self.names.enumeration_type(*tag, names)),
            None => {}
        }
        let is_storage = |word: &str| ["extern", "static", "typedef"].contains(&word);
        let mut names = specifiers.words.iter().filter(|word| !is_storage(word) && !TYPE_WORDS.contains(word));
        if let Some(name) = names.next() {
            // The name of a type can be that of something else, too: `int name` is a parameter, and not a type.
            if specifiers.words.iter().any(|word| TYPE_WORDS.contains(word)) || names.next().is_some() {
                return unsupported(specifiers.span, "the name of a type in another place");
            }
            return self.named_type(name, specifiers.span);
        }
        let count = |word: &str| specifiers.words.iter().filter(|other| **other == word).count();
        let unsigned = count("unsigned") > 0;
        let signed = !unsigned;
        if count("float") + count("double") > 0 {
            return Ok(Type::Foreign("a floating-point number"));
        }
        if count("void") > 0 {
            return Ok(Type::Void);
        }
        let bits = match () {
            () if count("_Bool") > 0 => return Ok(Type::Integer(Integer::BOOL)),
            () if count("char") > 0 => 8,
            () if count("short") > 0 => 16,
            () if count("long") > 1 => 64,
            () => 32,
        };
        Ok(Type::Integer(Integer { bits, signed }))
    }

    fn named_type(&mut self, name: &'s str, span: Span) -> Lowered<Type> {
        if self.text.is_local_type(name) {
            return unsupported(span, LOCAL_TYPE);
        }
        match self.text.typedef(name) {
            Some((declaration, position)) => {
                let (declarator, _) = &declaration.declarators[position];
                self.type_of(&declaration.specifiers, declarator)
            }
            _ if name == "__builtin_va_list" => Ok(Type::Foreign("a list of arguments")),
            _ => refuse(Diagnostic::new(span, format!("there is no type `{name}`"), "expected a type")),
        }
    }

    /// The type that a function is declared to return.
    pub fn declared_result(&mut self, name: &str) -> Lowered<Option<Type>> {
        let Some((specifiers, declarator)) = self.text.prototype(name) else { return Ok(None) };
        Ok(match self.type_of(specifiers, declarator)? {
            Type::Function(result) => Some((*result).clone()),
            _ => None,
        })
    }

    /// The type of an expression that is not evaluated, where it is easily seen.
    pub fn static_type(&mut self, id: ExprId) -> Lowered<Type> {
        let expr = self.text.expr(id);
        let span = expr.span;
        match &expr.kind {
            ExprKind::Name(name) => match self.find(name) {
                Some(Binding::Variable(_, ty) | Binding::Array(_, ty)) => Ok(ty),
                _ => unsupported(span, "the size of this"),
            },
            ExprKind::Cell(base, _) => match self.static_type(*base)? {
                Type::Array(element, _) | Type::Pointer(element) => Ok((*element).clone()),
                _ => unsupported(span, "the size of this"),
            },
            ExprKind::Number(text) => match types::number(text) {
                Ok((_, ty)) => Ok(Type::Integer(ty)),
                Err(why) => refuse(Diagnostic::new(span, why, "expected an integer")),
            },
            _ => unsupported(span, "the size of this"),
        }
    }
}

/// The size of a type.
pub fn size_of(ty: &Type, span: Span) -> Lowered<Number> {
    match ty.bytes() {
        Some(bytes) => Ok(Number::known(bytes.into(), Integer::UINT)),
        None => unsupported(span, "the size of this type"),
    }
}
