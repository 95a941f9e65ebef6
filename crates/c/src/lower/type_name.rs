//! Names of types, structures and unions, and the types of what is not evaluated.

use std::cell::OnceCell;
use std::rc::Rc;

use super::declare::Declarer;
use super::names::{Binding, RecordKey};
use super::unsupported;
use crate::ast::{BinaryOperator, Compound, Declarator, Derived, ExprId, ExprKind, Specifiers, UnaryOperator};
use crate::attribute;
use crate::record::{self, Declared, Record};
use crate::types::{self, Integer, Type, Width};
use crate::words::Number;
use redoubt_program::text::Span;
use redoubt_reading::Diagnostic;
use redoubt_reading::refused::{Lowered, refuse};

/// The words that types are made of.
const TYPE_WORDS: [&str; 11] =
    ["void", "char", "short", "int", "long", "float", "double", "signed", "__signed__", "unsigned", "_Bool"];

pub const LOCAL_TYPE: &str = "a type that is declared inside a function";

impl<'a, 's> Declarer<'_, 'a, 's> {
    pub fn type_of(&mut self, specifiers: &Specifiers<'s>, declarator: &Declarator<'s>) -> Lowered<Type> {
        let layout = specifiers.layout.filter(|_| specifiers.has("typedef"));
        if let Some(name) = specifiers.attribute.or(declarator.attribute).or(layout) {
            return unsupported(declarator.span, &format!("the attribute `{name}`"));
        }
        let ty = self.base_type(specifiers)?;
        self.derived_type(ty, declarator)
    }

    pub fn derived_type(&mut self, mut ty: Type, declarator: &Declarator<'s>) -> Lowered<Type> {
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
            Some(compound @ Compound::Record { .. }) => return self.record(compound).map(Type::Record),
            Some(Compound::Enumeration { tag, names }) => {
                self.enumeration(specifiers)?;
                return Ok(self.names.enumeration_type(*tag, names));
            }
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
        if count("float") > 0 {
            return Ok(Type::Float(Width::Single));
        }
        if count("double") > 0 {
            let is_long = count("long") > 0;
            return Ok(if is_long { Type::Foreign("a `long double`") } else { Type::Float(Width::Double) });
        }
        if count("void") > 0 {
            return Ok(Type::Void);
        }
        let bits = match () {
            () if count("_Bool") > 0 => return Ok(Type::Integer(Integer::BOOL)),
            () if count("char") > 0 => 8,
            () if count("short") > 0 => 16,
            () if count("long") > 1 => 64,
            () if count("long") > 0 => self.out.model.long_bits,
            () => 32,
        };
        Ok(Type::Integer(Integer { bits, signed }))
    }

    /// A structure or a union. Where it is only named, it is the one that is defined under that name.
    fn record(&mut self, compound: &Compound<'s>) -> Lowered<Rc<Record>> {
        let Compound::Record { is_union, tag, fields, attribute, span } = compound else {
            return unsupported(Span::default(), "this type");
        };
        let word = if *is_union { "union" } else { "struct" };
        let definition = match (fields, tag) {
            (Some(fields), _) => Some((fields, attribute, *span)),
            (None, Some(tag)) => match self.text.record(tag.text) {
                Some(found @ Compound::Record { fields: Some(fields), attribute, span, is_union: other, .. }) => {
                    let _ = found;
                    if self.text.is_ambiguous_record(tag.text) || other != is_union {
                        let what = format!("`{word} {}`, of which there are several,", tag.text);
                        return unsupported(tag.span, &what);
                    }
                    Some((fields, attribute, *span))
                }
                _ => None,
            },
            (None, None) => None,
        };
        let key = match (definition, tag) {
            (Some((_, _, span)), _) => RecordKey::Defined(span.file, span.start),
            (None, Some(tag)) => RecordKey::Named(tag.text),
            (None, None) => return unsupported(*span, "this type"),
        };
        if let Some(known) = self.names.records.get(&key) {
            return Ok(Rc::clone(known));
        }
        let name = tag.map_or_else(|| format!("an unnamed {word}"), |tag| format!("{word} {}", tag.text));
        let id = self.names.records.len() as u32;
        let record = Rc::new(Record { id, is_union: *is_union, name, layout: OnceCell::new() });
        self.names.records.insert(key, Rc::clone(&record));
        let Some((fields, attribute, _)) = definition else { return Ok(record) };
        let has_bits = fields.iter().any(|field| field.bits.is_some());
        let is_packed = *attribute == Some(attribute::PACKED) && !has_bits;
        if let Some(attribute) = attribute.filter(|_| !is_packed) {
            return unsupported(*span, &format!("the attribute `{attribute}`"));
        }
        let mut declared = vec![];
        for field in fields {
            let own = field.declarator.as_ref().and_then(|declarator| declarator.attribute);
            let attribute = field.specifiers.attribute.or(field.specifiers.layout).or(own);
            if let Some(attribute) = attribute {
                return unsupported(field.span, &format!("the attribute `{attribute}`"));
            }
            let base = self.base_type(&field.specifiers)?;
            let ty = match &field.declarator {
                Some(declarator) => self.derived_type(base, declarator)?,
                None => base,
            };
            let bits = match field.bits {
                None => None,
                Some(bits) => {
                    let width = self.constant(bits)?;
                    let Type::Integer(integer) = &ty else { return unsupported(field.span, "bits of this type") };
                    if !(0..=i128::from(integer.bits.min(32))).contains(&width) {
                        return unsupported(field.span, "a bit-field of this width");
                    }
                    Some(width as u32)
                }
            };
            let name =
                field.declarator.as_ref().and_then(|declarator| declarator.name).map(|name| name.text.to_string());
            if name.is_none() && bits.is_none() && !matches!(ty, Type::Record(_)) {
                // `enum { A, B };` or `struct other;` inside a structure declares no member.
                continue;
            }
            if let Type::Foreign(what) = ty {
                return unsupported(field.span, &format!("a member that is {what}"));
            }
            declared.push(Declared { name, ty, bits });
        }
        match record::lay_out(declared, *is_union, is_packed, self.out.model) {
            Some(layout) => {
                let _ = record.layout.set(layout);
                Ok(record)
            }
            None => unsupported(*span, "a structure with a member whose size is not known"),
        }
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
            _ => match crate::headers::named_type(name, self.out.model) {
                Some(ty) => Ok(ty),
                None => refuse(Diagnostic::new(span, format!("there is no type `{name}`"), "expected a type")),
            },
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

    /// The type of an expression that is not evaluated.
    pub fn static_type(&mut self, id: ExprId) -> Lowered<Type> {
        redoubt_base::stack::grow(|| self.any_static_type(id))
    }

    fn any_static_type(&mut self, id: ExprId) -> Lowered<Type> {
        self.watch.look()?;
        let expr = self.text.expr(id);
        let span = expr.span;
        let unknown = |span| unsupported(span, "the type of this");
        let decayed = |ty: Type| match ty {
            Type::Array(element, _) => Type::Pointer(element),
            other => other,
        };
        match &expr.kind {
            ExprKind::Name(name) => match self.find(name) {
                Some(Binding::Object(object)) => Ok(self.out.memory.object(object).ty.clone()),
                Some(Binding::Value(super::value::Value::Address(address))) => Ok(address.to.pointer_to()),
                Some(Binding::Enumerator(_)) => Ok(Type::Integer(Integer::INT)),
                _ => match self.declared_result(name)? {
                    Some(result) => Ok(Type::Function(Rc::new(result))),
                    None => unknown(span),
                },
            },
            ExprKind::Cell(base, index) => match (self.static_type(*base)?, index) {
                (Type::Array(element, _) | Type::Pointer(element), _) => Ok((*element).clone()),
                (_, index) => match self.static_type(*index)? {
                    Type::Array(element, _) | Type::Pointer(element) => Ok((*element).clone()),
                    _ => unknown(span),
                },
            },
            ExprKind::Member(base, name, _) => {
                let record = match self.static_type(*base)? {
                    Type::Record(record) => record,
                    Type::Pointer(to) | Type::Array(to, _) => match &*to {
                        Type::Record(record) => Rc::clone(record),
                        _ => return unknown(span),
                    },
                    _ => return unknown(span),
                };
                let Some(way) = record.find(name) else { return unknown(span) };
                let mut ty = Type::Record(record);
                for position in way {
                    ty = match &ty {
                        Type::Record(record) => {
                            let member = &record.members()[position];
                            match (&member.ty, member.bits) {
                                // It is promoted by what it can hold.
                                (Type::Integer(integer), Some((_, width))) => {
                                    Type::Integer(Integer { bits: width.min(integer.bits), ..*integer })
                                }
                                (ty, _) => ty.clone(),
                            }
                        }
                        _ => return unknown(span),
                    };
                }
                Ok(ty)
            }
            ExprKind::Number(text) if types::is_fraction(text) => match types::fraction(text) {
                Ok((_, width)) => Ok(Type::Float(width)),
                Err(why) => refuse(Diagnostic::new(span, why, "expected a number")),
            },
            ExprKind::Number(text) => match types::number(text, self.out.model) {
                Ok((_, ty)) => Ok(Type::Integer(ty)),
                Err(why) => refuse(Diagnostic::new(span, why, "expected an integer")),
            },
            ExprKind::Character(_) | ExprKind::And(..) | ExprKind::Or(..) => Ok(Type::Integer(Integer::INT)),
            ExprKind::Text => {
                let text = types::characters(self.out.builder.sources.text(span));
                let length = text.map(|text| text.len() as u32 + 1);
                Ok(Type::Array(Rc::new(Type::Integer(Integer::CHAR)), length))
            }
            ExprKind::SizeOf(_) | ExprKind::SizeOfType(_) | ExprKind::Offset(..) => {
                Ok(Type::Integer(self.out.model.size()))
            }
            ExprKind::Cast(name, _) | ExprKind::Compound(name, _) => self.type_of(&name.specifiers, &name.declarator),
            ExprKind::Call(function, _) => match self.static_type(*function)? {
                Type::Function(result) => Ok((*result).clone()),
                Type::Pointer(to) => match &*to {
                    Type::Function(result) => Ok((**result).clone()),
                    _ => unknown(span),
                },
                _ => unknown(span),
            },
            ExprKind::Unary(op, inner) => {
                let inner_type = self.static_type(*inner)?;
                match (op, inner_type) {
                    (UnaryOperator::Address, ty) => Ok(ty.pointer_to()),
                    (UnaryOperator::Dereference, Type::Pointer(to) | Type::Array(to, _)) => Ok((*to).clone()),
                    (UnaryOperator::Dereference, ty @ Type::Function(_)) => Ok(ty),
                    (UnaryOperator::Not, _) => Ok(Type::Integer(Integer::INT)),
                    (_, Type::Integer(integer)) => Ok(Type::Integer(integer.promoted())),
                    (_, ty @ Type::Float(_)) => Ok(ty),
                    _ => unknown(span),
                }
            }
            ExprKind::Binary(op, a, b) => {
                use BinaryOperator as Op;
                if matches!(op, Op::Less | Op::LessEqual | Op::Greater | Op::GreaterEqual | Op::Equal | Op::NotEqual) {
                    return Ok(Type::Integer(Integer::INT));
                }
                let (a, b) = (decayed(self.static_type(*a)?), decayed(self.static_type(*b)?));
                match (op, a, b) {
                    (Op::ShiftLeft | Op::ShiftRight, Type::Integer(a), _) => Ok(Type::Integer(a.promoted())),
                    (Op::Subtract, Type::Pointer(_), Type::Pointer(_)) => {
                        Ok(Type::Integer(self.out.model.difference()))
                    }
                    (_, a, b) => met(a, b).map_or_else(|| unknown(span), Ok),
                }
            }
            ExprKind::Conditional(_, a, b) => {
                let (a, b) = (decayed(self.static_type(*a)?), decayed(self.static_type(*b)?));
                match (a, b) {
                    (a, b) if a == b && !matches!(a, Type::Integer(_)) => Ok(a),
                    (Type::Pointer(a), Type::Pointer(b)) => Ok(Type::Pointer(if *a == Type::Void { b } else { a })),
                    (a, b) => met(a, b).map_or_else(|| unknown(span), Ok),
                }
            }
            ExprKind::Assign(place, ..) | ExprKind::Step(place, ..) => self.static_type(*place),
            ExprKind::Comma(list) => match list.last() {
                Some(last) => self.static_type(*last),
                None => unknown(span),
            },
            ExprKind::Statements(_) => unknown(span),
        }
    }
}

/// The type in which two operands meet.
fn met(a: Type, b: Type) -> Option<Type> {
    Some(match (a, b) {
        (Type::Integer(a), Type::Integer(b)) => Type::Integer(a.common(b)),
        (Type::Float(a), Type::Float(b)) => Type::Float(if a == b { a } else { Width::Double }),
        (float @ Type::Float(_), Type::Integer(_)) | (Type::Integer(_), float @ Type::Float(_)) => float,
        (pointer @ Type::Pointer(_), Type::Integer(_)) | (Type::Integer(_), pointer @ Type::Pointer(_)) => pointer,
        _ => return None,
    })
}

impl Declarer<'_, '_, '_> {
    /// The size of a type.
    pub fn size_of(&self, ty: &Type, span: Span) -> Lowered<Number> {
        match ty.bytes(self.out.model) {
            Some(bytes) => Ok(Number::known(bytes.into(), self.out.model.size())),
            None => unsupported(span, "the size of this type"),
        }
    }
}
