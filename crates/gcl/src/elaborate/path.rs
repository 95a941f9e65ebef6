//! The meaning of a path such as `lift[i].cab.door[2]`.

use std::rc::Rc;

use super::scope::{Local, Meaning, ScopeId};
use super::types::{Stored, Type};
use super::{Elaborator, name_expr};
use crate::ast::{Expr, ExprKind, Ident, Path, Suffix};
use crate::elaborate::scope::Instances;
use redoubt_program::text::Span;

#[derive(Clone, Debug)]
pub enum Found<'a> {
    Means(Meaning<'a>),
    /// Cells of something without parts that this stage knows: a constant array.
    Cells(String, Vec<Expr>),
    /// A value that a name stands for.
    Value(Expr),
    /// One of several instances, which one is known when the step runs.
    Selected(Selected<Vec<ScopeId>>),
    /// One of several instances' objects of this kind.
    Chosen(Selected<Vec<Meaning<'a>>>),
}

/// One of several, for the instances in an array of this name.
#[derive(Clone, Debug)]
pub struct Selected<T> {
    pub name: Ident,
    pub index: Expr,
    pub of: T,
}

impl<'a> Elaborator<'a> {
    /// The meaning of a path; `None` if it has none, which has been reported.
    pub fn find(&mut self, path: &Path) -> Option<Found<'a>> {
        let mut found = self.find_name(&path.name)?;
        let mut shown = path.name.text.clone();
        for suffix in &path.suffixes {
            found = match suffix {
                Suffix::Field(field) => self.find_field(found, &shown, field)?,
                Suffix::Index(index) => {
                    let index = self.expr(index);
                    self.find_cell(found, &shown, path.name.span, index)?
                }
            };
            if let Suffix::Field(field) = suffix {
                shown = format!("{shown}.{}", field.text);
            }
        }
        Some(found)
    }

    fn find_name(&mut self, name: &Ident) -> Option<Found<'a>> {
        let text = name.text.as_str();
        match self.local(text) {
            Some(Local::Name) => return Some(Found::Means(Meaning::Plain(self.flat(text)))),
            Some(Local::Value(value)) => return Some(Found::Value(Expr { span: name.span, ..value.clone() })),
            Some(Local::Parts(ty)) => {
                let stored = Stored { name: self.flat(text), indices: vec![], ty: ty.clone() };
                return Some(Found::Means(Meaning::Stored(stored)));
            }
            None => {}
        }
        if let Some(meaning) = self.scopes.meaning(self.here, text) {
            return Some(Found::Means(meaning.clone()));
        }
        // The next stage knows the declarations of a model.
        if self.here == ScopeId::TOP {
            return Some(Found::Means(Meaning::Plain(text.into())));
        }
        if self.scopes.own(ScopeId::TOP, text).is_some() {
            let message = format!("`{text}` belongs to the model, not to this module");
            let help = format!("hand it over as a parameter: `{text}: ...`, or `var {text}: ...` to change it");
            self.refuse_with(name.span, message, "not known here", help);
            return None;
        }
        let known: Vec<&str> = self.scopes.names(self.here).collect();
        self.unknown(name, format!("`{text}` is not declared"), known.into_iter());
        None
    }

    fn find_field(&mut self, found: Found<'a>, shown: &str, field: &Ident) -> Option<Found<'a>> {
        match found {
            Found::Means(Meaning::Stored(stored)) => {
                self.stored_field(stored, shown, field).map(|stored| Found::Means(Meaning::Stored(stored)))
            }
            Found::Means(Meaning::Instance(id)) => self.member(id, shown, field).map(Found::Means),
            Found::Means(Meaning::Instances(instances)) => {
                let first = *instances.elements.first()?;
                match self.member(first, shown, field)? {
                    Meaning::Stored(stored) if self.is_element(&stored, first) => {
                        Some(Found::Means(Meaning::Stored(all_of(stored, &instances))))
                    }
                    _ => {
                        let message = format!("`{shown}` has many instances");
                        self.refuse(field.span, message, format!("say which: `{shown}[...].{}`", field.text));
                        None
                    }
                }
            }
            Found::Selected(Selected { name, index, of }) => {
                let mut meanings = vec![];
                for &id in &of {
                    meanings.push(self.member(id, shown, field)?);
                }
                Some(self.selected_member(Selected { name, index, of: (of, meanings) }))
            }
            Found::Means(Meaning::Broken) => None,
            Found::Means(Meaning::Plain(_) | Meaning::Callable(..)) | Found::Cells(..) | Found::Value(_) => {
                self.refuse(field.span, format!("`{shown}` has no parts"), "only records and instances have");
                None
            }
            Found::Means(_) | Found::Chosen(_) => {
                self.refuse(field.span, format!("`{shown}` has no such part"), "expected a variable of its own");
                None
            }
        }
    }

    fn stored_field(&mut self, stored: Stored<'a>, shown: &str, field: &Ident) -> Option<Stored<'a>> {
        if let Some(ty) = self.field_type(&stored.ty, &field.text) {
            return Some(Stored { name: format!("{}.{}", stored.name, field.text), ty, ..stored });
        }
        match inner_record(&stored.ty) {
            Some(fields) => {
                let message = format!("`{shown}` has no field `{}`", field.text);
                self.unknown(field, message, fields.into_iter());
            }
            None => self.refuse(field.span, format!("`{shown}` has no parts"), "only records and instances have"),
        }
        None
    }

    fn member(&mut self, id: ScopeId, shown: &str, field: &Ident) -> Option<Meaning<'a>> {
        if let Some(meaning) = self.scopes.own(id, &field.text) {
            return Some(meaning.clone());
        }
        let known: Vec<&str> = self.scopes.names(id).collect();
        self.unknown(field, format!("`{shown}` has no part `{}`", field.text), known.into_iter());
        None
    }

    /// Whether something is stored as one of the cells that belong to this instance.
    fn is_element(&self, stored: &Stored<'a>, id: ScopeId) -> bool {
        let scope = self.scopes.get(id);
        stored.name.starts_with(&scope.stored) && stored.indices.len() == scope.indices.len()
    }

    fn selected_member(&self, selected: Selected<(Vec<ScopeId>, Vec<Meaning<'a>>)>) -> Found<'a> {
        let Selected { name, index, of: (ids, meanings) } = selected;
        // Their own storage consists of cells of one array, and the index selects one.
        let own = |(&id, meaning): (&ScopeId, &Meaning<'a>)| match meaning {
            Meaning::Stored(stored) => self.is_element(stored, id),
            _ => false,
        };
        if ids.iter().zip(&meanings).all(own)
            && let Some(Meaning::Stored(stored)) = meanings.first()
        {
            let mut indices = stored.indices.clone();
            if let Some(last) = indices.last_mut() {
                *last = index;
            }
            return Found::Means(Meaning::Stored(Stored { indices, ..stored.clone() }));
        }
        let nested = meanings.iter().map(|meaning| match meaning {
            Meaning::Instance(id) => Some(*id),
            _ => None,
        });
        match nested.collect::<Option<Vec<ScopeId>>>() {
            Some(of) => Found::Selected(Selected { name, index, of }),
            None => Found::Chosen(Selected { name, index, of: meanings }),
        }
    }

    fn find_cell(&mut self, found: Found<'a>, shown: &str, span: Span, index: Expr) -> Option<Found<'a>> {
        match found {
            Found::Means(Meaning::Stored(mut stored)) => {
                stored.ty = match stored.ty {
                    Type::Array(element, _) => *element,
                    // The next stage says that this is no array.
                    one @ Type::One(_) => one,
                    Type::Record(_) => {
                        self.refuse(index.span, format!("`{shown}` is a record, not an array"), "expected a field");
                        return None;
                    }
                };
                stored.indices.push(index);
                Some(Found::Means(Meaning::Stored(stored)))
            }
            Found::Means(Meaning::Plain(name)) => Some(Found::Cells(name, vec![index])),
            Found::Cells(name, mut indices) => {
                indices.push(index);
                Some(Found::Cells(name, indices))
            }
            Found::Means(Meaning::Instances(instances)) => self.find_instance(&instances, shown, index),
            Found::Means(Meaning::Broken) => None,
            _ => {
                self.refuse(span, format!("`{shown}` is not an array"), "only arrays have cells");
                None
            }
        }
    }

    fn find_instance(&mut self, instances: &Rc<Instances>, shown: &str, index: Expr) -> Option<Found<'a>> {
        let number = self.plain_number(&index);
        let known = match (&index.kind, number) {
            (_, Some(number)) => Some(usize::try_from(number).ok()),
            (ExprKind::Name(name), None) => {
                let is_this = |one: &Expr| matches!(&one.kind, ExprKind::Name(other) if other == name);
                instances.indices.iter().position(is_this).map(Some)
            }
            _ => None,
        };
        let Some(known) = known else {
            let name = Ident { text: instances.name.clone(), span: index.span };
            return Some(Found::Selected(Selected { name, index, of: instances.elements.clone() }));
        };
        let found = known.and_then(|known| instances.elements.get(known));
        if found.is_none() {
            let message = format!("there are {} of `{shown}`", instances.elements.len());
            self.refuse(index.span, message, "this index is outside");
        }
        found.map(|&id| Found::Means(Meaning::Instance(id)))
    }

    /// The variable, or the part of one, that an expression names.
    pub fn stored_at(&mut self, expr: &Expr) -> Option<Stored<'a>> {
        match self.find(&path_of(expr)?)? {
            Found::Means(Meaning::Stored(stored)) => Some(stored),
            _ => None,
        }
    }
}

/// The path that an expression is, if it is one.
pub fn path_of(expr: &Expr) -> Option<Path> {
    let span = expr.span;
    match &expr.kind {
        ExprKind::Name(text) => Some(Path { name: Ident { text: text.clone(), span }, suffixes: vec![] }),
        ExprKind::Cell(name, indices) => {
            Some(Path { name: name.clone(), suffixes: indices.iter().cloned().map(Suffix::Index).collect() })
        }
        ExprKind::At(path) => Some(path.clone()),
        _ => None,
    }
}

/// The storage of all instances under a name that one of them has.
fn all_of<'a>(mut stored: Stored<'a>, instances: &Instances) -> Stored<'a> {
    stored.indices.pop();
    stored.ty = Type::Array(Box::new(stored.ty), instances.size.clone());
    stored
}

fn inner_record<'a>(ty: &Type<'a>) -> Option<Vec<&'a str>> {
    match ty {
        Type::One(_) => None,
        Type::Array(element, _) => inner_record(element),
        Type::Record(record) => Some(record.fields.iter().map(|field| field.name.text.as_str()).collect()),
    }
}

/// A cell, or a variable if there are no indices.
pub fn cell_expr(name: Ident, indices: Vec<Expr>, span: Span) -> Expr {
    match indices.is_empty() {
        true => name_expr(name.text, span),
        false => Expr { kind: ExprKind::Cell(name, indices), span },
    }
}
