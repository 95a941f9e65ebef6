//! The parts of things: the cells of arrays and the fields of records.

use std::rc::Rc;

use super::Elaborator;
use super::name_expr;
use super::scope::{Meaning, ScopeId, number_expr};
use crate::ast::{Expr, ExprKind, Field, Ident, TypeKind, TypeName};

/// A type, as far as it has parts, in terms of the plain model.
#[derive(Clone, Debug)]
pub enum Type<'a> {
    One(TypeName),
    /// An array of one type, with a number of cells, or one for each value of the type that is named here.
    Array(Box<Type<'a>>, Expr),
    Record(Rc<Record<'a>>),
}

#[derive(Debug)]
pub struct Record<'a> {
    pub name: String,
    pub fields: &'a [Field],
}

/// A variable, or a part of one: its name in the plain model, the indices that have been given, and the remaining type.
#[derive(Clone, Debug)]
pub struct Stored<'a> {
    pub name: String,
    pub indices: Vec<Expr>,
    pub ty: Type<'a>,
}

/// The way from a thing to a part of it.
#[derive(Clone, Debug)]
pub enum Selector {
    Field(String),
    Index(Expr),
}

impl Type<'_> {
    pub fn is_one(&self) -> bool {
        matches!(self, Type::One(_))
    }

    /// Whether it has a record inside, which nothing after this stage knows.
    pub fn has_records(&self) -> bool {
        match self {
            Type::One(_) => false,
            Type::Array(element, _) => element.has_records(),
            Type::Record(_) => true,
        }
    }
}

impl<'a> Elaborator<'a> {
    /// The type that a name or an expression for one means here.
    pub fn type_of(&mut self, ty: &TypeName) -> Type<'a> {
        let plain = |kind| Type::One(TypeName { kind, span: ty.span });
        match &ty.kind {
            TypeKind::Bool | TypeKind::Int | TypeKind::Other => Type::One(ty.clone()),
            TypeKind::Range(low, high) => plain(TypeKind::Range(self.expr(low), self.expr(high))),
            TypeKind::Array(element, size) => {
                let element = self.type_of(element);
                Type::Array(Box::new(element), self.expr(size))
            }
            TypeKind::Named(name) => self.named_type(name, ty),
        }
    }

    fn named_type(&mut self, name: &Ident, ty: &TypeName) -> Type<'a> {
        match self.scopes.meaning(self.here, &name.text) {
            Some(Meaning::Record(record)) => Type::Record(Rc::clone(record)),
            Some(Meaning::Type(inner, flat)) => {
                let (inner, flat) = (*inner, flat.clone());
                let named = Type::One(TypeName {
                    kind: TypeKind::Named(Ident { text: flat.clone(), span: name.span }),
                    span: ty.span,
                });
                if self.resolving.contains(&flat) {
                    return named;
                }
                let is_own = self.scopes.own(self.here, &name.text).is_some();
                let home = if is_own { self.here } else { ScopeId::TOP };
                self.resolving.push(flat);
                let found = self.within(home, |this| this.type_of(inner));
                self.resolving.pop();
                if found.is_one() { named } else { found }
            }
            _ => Type::One(ty.clone()),
        }
    }

    /// The type of a field; of an array of records, the array of their fields.
    pub fn field_type(&mut self, ty: &Type<'a>, field: &str) -> Option<Type<'a>> {
        match ty {
            Type::One(_) => None,
            Type::Array(element, size) => {
                let element = self.field_type(element, field)?;
                Some(Type::Array(Box::new(element), size.clone()))
            }
            Type::Record(record) => {
                let record = Rc::clone(record);
                let found = record.fields.iter().find(|known| known.name.text == field)?;
                // Records may hold others, but not themselves.
                if self.circular.contains(&record.name) {
                    return None;
                }
                Some(self.within(ScopeId::TOP, |this| this.type_of(&found.ty)))
            }
        }
    }

    /// Whether something of a type has a record of this name inside, perhaps by way of other types.
    pub fn holds_record(&self, ty: &TypeName, name: &str, seen: &mut Vec<String>) -> bool {
        match &ty.kind {
            TypeKind::Array(element, _) => self.holds_record(element, name, seen),
            TypeKind::Named(own) if own.text == name => true,
            TypeKind::Named(own) if !seen.contains(&own.text) => {
                seen.push(own.text.clone());
                match self.scopes.own(ScopeId::TOP, &own.text) {
                    Some(Meaning::Type(inner, _)) => self.holds_record(inner, name, seen),
                    Some(Meaning::Record(record)) => {
                        record.fields.iter().any(|field| self.holds_record(&field.ty, name, seen))
                    }
                    _ => false,
                }
            }
            _ => false,
        }
    }

    /// The indices of an array, given its size.
    pub fn indices_of(&self, size: &Expr) -> Option<Vec<Expr>> {
        if let ExprKind::Name(name) = &size.kind {
            if let Some(values) = self.enumerations.get(name) {
                return Some(values.iter().map(|value| name_expr(value, size.span)).collect());
            }
            if let Some(&(low, high)) = self.ranges.get(name) {
                return (low == 0).then(|| (low..=high).map(|number| number_expr(number, size.span)).collect());
            }
        }
        let size_in_numbers = self.plain_number(size).filter(|size| (0..=MOST_PARTS as i64).contains(size))?;
        Some((0..size_in_numbers).map(|number| number_expr(number, size.span)).collect())
    }

    /// Whether two types have the same parts, as far as this stage can tell.
    pub fn same_parts(&self, a: &Type<'a>, b: &Type<'a>) -> bool {
        match (a, b) {
            (Type::One(_), Type::One(_)) => true,
            (Type::Record(a), Type::Record(b)) => a.name == b.name,
            (Type::Array(a, m), Type::Array(b, n)) => {
                let sizes = (self.indices_of(m), self.indices_of(n));
                let same = sizes
                    .0
                    .zip(sizes.1)
                    .is_none_or(|(m, n)| m.len() == n.len() && m.iter().zip(&n).all(|(m, n)| is_same_index(m, n)));
                same && self.same_parts(a, b)
            }
            _ => false,
        }
    }

    /// The ways to all single values in something of this type; `None` if there are too many, or it is not known how
    /// many.
    pub fn parts(&mut self, ty: &Type<'a>) -> Option<Vec<Vec<Selector>>> {
        let mut all: Vec<Vec<Selector>> = vec![];
        let mut add = |first: Selector, inner: &[Vec<Selector>]| {
            all.extend(inner.iter().map(|rest| [std::slice::from_ref(&first), rest.as_slice()].concat()));
        };
        match ty {
            Type::One(_) => return Some(vec![vec![]]),
            Type::Array(element, size) => {
                let indices = self.indices_of(size)?;
                let inner = self.parts(element)?;
                if indices.len().saturating_mul(inner.len()) > MOST_PARTS {
                    return None;
                }
                indices.into_iter().for_each(|index| add(Selector::Index(index), &inner));
            }
            Type::Record(record) => {
                for field in record.fields {
                    let inner = self.field_type(ty, &field.name.text)?;
                    let inner = self.parts(&inner)?;
                    add(Selector::Field(field.name.text.clone()), &inner);
                }
            }
        }
        (all.len() <= MOST_PARTS).then_some(all)
    }

    pub fn describe(&self, ty: &Type<'a>) -> String {
        match ty {
            Type::One(_) => "a single value".into(),
            Type::Array(_, size) => match self.indices_of(size) {
                Some(indices) if indices.len() == 1 => "an array of 1 cell".into(),
                Some(indices) => format!("an array of {} cells", indices.len()),
                None => "an array".into(),
            },
            Type::Record(record) => format!("`{}`", record.name),
        }
    }
}

/// Larger things are not taken apart.
pub const MOST_PARTS: usize = 10_000;

fn is_same_index(a: &Expr, b: &Expr) -> bool {
    match (&a.kind, &b.kind) {
        (ExprKind::Name(a), ExprKind::Name(b)) => a == b,
        (ExprKind::Number(a), ExprKind::Number(b)) => a == b,
        _ => false,
    }
}
