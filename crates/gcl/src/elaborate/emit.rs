//! The items of the plain model: those of the model itself, and those of every instance in its place.

use super::Elaborator;
use super::scope::{Local, Meaning, ScopeId, argument_for};
use super::types::{Stored, Type};
use super::whole::Whole;
use crate::ast::{
    Define, Expr, ExprKind, Ident, Instance, Item, ItemKind, Module, Parameter, Proc, Property, Start, Stmt, StmtKind,
    TypeKind, TypeName,
};
use crate::import;
use redoubt_program::text::Span;

/// A variable or an input of the plain model.
#[derive(Clone, Debug)]
pub struct Declared {
    name: Ident,
    ty: TypeName,
    kind: Kind,
    span: Span,
}

#[derive(Clone, Debug)]
enum Kind {
    /// Whether it is a fair one.
    Input(bool),
    Var(Option<Start>),
}

impl Declared {
    pub fn into_item(self) -> Item {
        let Declared { name, ty, kind, span } = self;
        let kind = match kind {
            Kind::Input(fair) => ItemKind::Input { name, ty, fair },
            Kind::Var(start) => ItemKind::Var { name, ty, start },
        };
        Item { kind, span }
    }
}

impl<'a> Elaborator<'a> {
    /// Adds the items of the model, or of an instance of a module.
    pub fn emit(&mut self, items: &'a [Item], module: Option<&'a Module>) {
        let mut first_step = None;
        for item in items {
            let span = item.span;
            let kind = match &item.kind {
                ItemKind::System(name) if module.is_none() => ItemKind::System(name.clone()),
                ItemKind::Enum { name, values } if module.is_none() => {
                    ItemKind::Enum { name: name.clone(), values: values.clone() }
                }
                ItemKind::System(_)
                | ItemKind::Enum { .. }
                | ItemKind::Record { .. }
                | ItemKind::Module(_)
                | ItemKind::Import(_)
                    if module.is_some() =>
                {
                    let label = "expected outside of modules, where all of them see it";
                    self.refuse(first_word(self.sources.text(span), span), "this cannot stand in a module", label);
                    continue;
                }
                ItemKind::Import(name) => {
                    self.check_import(name);
                    continue;
                }
                ItemKind::System(_) | ItemKind::Enum { .. } | ItemKind::Module(_) => continue,
                ItemKind::Record { name, fields } => {
                    self.check_record(name, fields);
                    continue;
                }
                ItemKind::Const { name, value } => {
                    ItemKind::Const { name: self.flat_ident(name), value: self.expr(value) }
                }
                ItemKind::Type { name, ty } => match self.type_of(ty) {
                    ty if ty.has_records() => continue,
                    ty => ItemKind::Type { name: self.flat_ident(name), ty: plain_type(&ty, vec![], span) },
                },
                ItemKind::Input { name, ty, fair } => {
                    self.declare_parts(name, ty, None, span, Kind::Input(*fair));
                    continue;
                }
                ItemKind::Var { name, ty, start } => {
                    self.declare_parts(name, ty, start.as_ref(), span, Kind::Var(None));
                    continue;
                }
                ItemKind::Define(Define { name, parameters, body }) => {
                    let (parameters, body) = self.with_parameters(parameters, |this| this.expr(body));
                    ItemKind::Define(Define { name: self.flat_ident(name), parameters, body })
                }
                ItemKind::Proc(Proc { name, parameters, body }) => {
                    let (parameters, body) = self.with_parameters(parameters, |this| this.statements(body));
                    ItemKind::Proc(Proc { name: self.flat_ident(name), parameters, body })
                }
                ItemKind::Step(body) => {
                    let word = Span { end: span.start + 4, ..span };
                    if let Some(first) = first_step.replace(word) {
                        let place = self.sources.place(first);
                        let help = format!("the first one stands at {place}");
                        self.refuse_with(word, "`step` is declared twice".into(), "declared again here", help);
                    }
                    ItemKind::Step(self.statements(body))
                }
                ItemKind::Property(property) => ItemKind::Property(Property {
                    name: self.flat_ident(&property.name),
                    condition: self.expr(&property.condition),
                    ..property.clone()
                }),
                ItemKind::Expect(name, status) => {
                    let name = self.expected_name(name);
                    if self.is_expected(&name) {
                        continue;
                    }
                    ItemKind::Expect(name, *status)
                }
                ItemKind::Assume(condition) => ItemKind::Assume(self.expr(condition)),
                ItemKind::Fair(condition, when) => {
                    ItemKind::Fair(self.expr(condition), when.as_ref().map(|when| self.expr(when)))
                }
                ItemKind::Instance(instance) => {
                    self.emit_instance(instance);
                    continue;
                }
            };
            self.items.push(Item { kind, span });
        }
    }

    /// All files have been read before; one that could not be is not there.
    fn check_import(&mut self, name: &Ident) {
        let path = import::path(&self.sources.file(name.span).name, &name.text);
        if !self.sources.files().iter().any(|file| file.name == path) {
            self.refuse(name.span, format!("`{path}` cannot be read"), "expected the name of a file");
        }
    }

    /// A property of this instance: `range(at)` is `range(left.at)`.
    fn expected_name(&self, name: &Ident) -> Ident {
        let scope = self.scopes.get(self.here);
        let text = match name.text.strip_suffix(')').and_then(|text| text.split_once('(')) {
            Some((word, about)) => format!("{word}({}{about})", scope.stored),
            None if name.text == "division_by_zero" => name.text.clone(),
            None => format!("{}{}", scope.prefix, name.text),
        };
        Ident { text, span: name.span }
    }

    /// Whether another instance has done so already, for the storage that they share.
    fn is_expected(&self, name: &Ident) -> bool {
        self.items.iter().any(|item| {
            matches!(&item.kind, ItemKind::Expect(known, _) if known.text == name.text && known.span == name.span)
        })
    }

    fn check_record(&mut self, name: &Ident, list: &'a [crate::ast::Field]) {
        for (index, field) in list.iter().enumerate() {
            if let Some(first) = list[..index].iter().find(|other| other.name.text == field.name.text) {
                let help = format!("the first one stands at {}", self.sources.place(first.name.span));
                let message = format!("`{}` has the field `{}` twice", name.text, field.name.text);
                self.refuse_with(field.name.span, message, "declared again here", help);
            }
        }
        if let Some(Meaning::Record(record)) = self.scopes.own(ScopeId::TOP, &name.text).cloned()
            && self.parts(&Type::Record(record)).is_none()
        {
            self.refuse(name.span, format!("`{}` contains itself, or is too large", name.text), "declared here");
        }
    }

    /// Binds parameters, records by their parts, and does something with them.
    fn with_parameters<T>(
        &mut self,
        parameters: &'a [Parameter],
        act: impl FnOnce(&mut Self) -> T,
    ) -> (Vec<Parameter>, T) {
        let bound = self.locals.len();
        let mut plain = vec![];
        for parameter in parameters {
            let ty = self.type_of(&parameter.ty);
            let name = &parameter.name;
            match &ty {
                Type::Record(_) => {
                    for (way, part) in self.parts_with_types(&ty) {
                        let name = Ident { text: format!("{}{way}", self.flat(&name.text)), span: name.span };
                        plain.push(Parameter { name, ty: part, is_var: false });
                    }
                    self.locals.push((name.text.clone(), Local::Parts(ty)));
                }
                _ => {
                    plain.push(Parameter {
                        name: self.flat_ident(name),
                        ty: plain_type(&ty, vec![], parameter.ty.span),
                        is_var: false,
                    });
                    self.locals.push((name.text.clone(), Local::Name));
                }
            }
        }
        let result = act(self);
        self.locals.truncate(bound);
        (plain, result)
    }

    /// The arrays and single values that something of a type is stored as: how their names go on, and their types.
    fn parts_with_types(&mut self, ty: &Type<'a>) -> Vec<(String, TypeName)> {
        self.leaves(ty)
            .into_iter()
            .map(|(fields, sizes, one)| {
                let span = one.span;
                (fields.iter().map(|field| format!(".{field}")).collect(), plain_type(&Type::One(one), sizes, span))
            })
            .collect()
    }

    fn leaves(&mut self, ty: &Type<'a>) -> Vec<(Vec<String>, Vec<Expr>, TypeName)> {
        match ty {
            Type::One(one) => vec![(vec![], vec![], one.clone())],
            Type::Array(element, size) => {
                let mut leaves = self.leaves(element);
                leaves.iter_mut().for_each(|(_, sizes, _)| sizes.insert(0, size.clone()));
                leaves
            }
            Type::Record(record) => {
                let mut all = vec![];
                for field in record.fields {
                    let Some(inner) = self.field_type(ty, &field.name.text) else { continue };
                    for (mut fields, sizes, one) in self.leaves(&inner) {
                        fields.insert(0, field.name.text.clone());
                        all.push((fields, sizes, one));
                    }
                }
                all
            }
        }
    }

    /// Declares the storage of a variable or an input.
    fn declare_parts(&mut self, name: &Ident, ty: &TypeName, start: Option<&Start>, span: Span, kind: Kind) {
        let (flat, ty) = match self.scopes.own(self.here, &name.text).cloned() {
            Some(Meaning::Stored(Stored { name, ty, .. })) => (name, ty),
            // The name means something else, too, which the next stage will say.
            _ => (self.flat(&name.text), self.type_of(ty)),
        };
        let whole = match start {
            Some(Start::Value(value)) => Some((self.value(value), value.span)),
            _ => None,
        };
        if let Some((whole, at)) = &whole
            && ty.has_records()
            && !self.fits(&ty, whole)
        {
            let wanted = self.describe(&ty);
            self.refuse(*at, format!("`{}` cannot start with this", name.text), format!("expected {wanted}"));
            return;
        }
        for (way, sizes, one) in self.leaves(&ty) {
            let kind = match (&kind, start) {
                (Kind::Input(fair), _) => Kind::Input(*fair),
                (Kind::Var(_), Some(Start::OneOf(list))) => {
                    Kind::Var(Some(Start::OneOf(list.iter().map(|one| self.expr(one)).collect())))
                }
                (Kind::Var(_), _) => {
                    let value = self.leaf_start(&ty, whole.as_ref().map(|(whole, _)| whole), &way);
                    Kind::Var(value.map(Start::Value))
                }
            };
            let text = format!("{flat}{}", way.iter().map(|field| format!(".{field}")).collect::<String>());
            let name = Ident { text, span: name.span };
            let ty = plain_type(&Type::One(one), sizes, span);
            self.declared.push(Declared { name, ty, kind, span });
        }
    }

    /// The start of one of the arrays or single values.
    fn leaf_start(&mut self, ty: &Type<'a>, whole: Option<&Whole<'a>>, way: &[String]) -> Option<Expr> {
        match (ty, whole) {
            (Type::Record(record), _) => {
                let (field, rest) = way.split_first()?;
                let place = record.fields.iter().position(|known| known.name.text == *field)?;
                let inner = self.field_type(ty, field)?;
                let own = match (whole, &record.fields[place].start) {
                    (Some(Whole::Record(_, values)), _) => values.get(place).cloned(),
                    (None, Some(start)) => Some(self.within(ScopeId::TOP, |this| this.value(start))),
                    _ => None,
                };
                self.leaf_start(&inner, own.as_ref(), rest)
            }
            (Type::Array(element, _), Some(Whole::List(list, span))) => {
                let list = list.iter().map(|one| self.leaf_start(element, Some(one), way)).collect::<Option<_>>()?;
                Some(Expr { kind: ExprKind::List(list), span: *span })
            }
            (Type::Array(element, _), _) => self.leaf_start(element, whole, way),
            (Type::One(_), Some(whole)) => match whole {
                Whole::One(value) => Some(value.clone()),
                // The next stage says that this is no start.
                Whole::List(_, span) => Some(Expr { kind: ExprKind::List(vec![]), span: *span }),
                Whole::Stored(stored, span) => Some(super::name_expr(&stored.name, *span)),
                _ => None,
            },
            (Type::One(_), None) => None,
        }
    }

    fn emit_instance(&mut self, instance: &'a Instance) {
        let module = match self.scopes.meaning(self.here, &instance.module.text) {
            Some(Meaning::Module(module)) => *module,
            _ => return,
        };
        match self.scopes.own(self.here, &instance.name.text).cloned() {
            Some(Meaning::Instance(id)) => self.emit_element(id, module, instance),
            Some(Meaning::Instances(instances)) => {
                let Some((index, _)) = &instance.index else { return };
                let outer = std::mem::take(&mut self.declared);
                let mut elements = vec![];
                for (&id, value) in instances.elements.iter().zip(&instances.indices) {
                    self.locals.push((index.text.clone(), Local::Value(value.clone())));
                    self.emit_element(id, module, instance);
                    self.locals.pop();
                    elements.push(std::mem::take(&mut self.declared));
                }
                self.declared = outer;
                self.declare_together(elements, &instances.size);
            }
            // It has been reported.
            _ => {}
        }
    }

    /// The storage of an array of instances: an array for each of their variables.
    fn declare_together(&mut self, elements: Vec<Vec<Declared>>, size: &Expr) {
        let Some((first, others)) = elements.split_first() else { return };
        for (place, one) in first.iter().enumerate() {
            let all = || std::iter::once(one).chain(others.iter().filter_map(|other| other.get(place)));
            let same = all().all(|other| self.is_same_type(&one.ty, &other.ty));
            if !same {
                let message = format!("the types of `{}` differ from instance to instance", one.name.text);
                self.refuse(one.name.span, message, "expected one type for all of them");
            }
            let kind = match &one.kind {
                Kind::Var(Some(Start::Value(value))) => {
                    let list = all().filter_map(|other| match &other.kind {
                        Kind::Var(Some(Start::Value(value))) => Some(value.clone()),
                        _ => None,
                    });
                    let kind = ExprKind::List(list.collect());
                    Kind::Var(Some(Start::Value(Expr { kind, span: value.span })))
                }
                other => other.clone(),
            };
            let ty = TypeName { kind: TypeKind::Array(Box::new(one.ty.clone()), size.clone()), span: one.ty.span };
            self.declared.push(Declared { name: one.name.clone(), ty, kind, span: one.span });
        }
    }

    fn is_same_type(&self, a: &TypeName, b: &TypeName) -> bool {
        match (&a.kind, &b.kind) {
            (TypeKind::Range(a, b), TypeKind::Range(c, d)) => {
                self.plain_number(a) == self.plain_number(c) && self.plain_number(b) == self.plain_number(d)
            }
            (TypeKind::Named(a), TypeKind::Named(b)) => {
                a.text == b.text || self.ranges.get(&a.text).is_some_and(|a| self.ranges.get(&b.text) == Some(a))
            }
            (TypeKind::Array(a, m), TypeKind::Array(b, n)) => {
                self.is_same_type(a, b) && self.plain_number(m) == self.plain_number(n)
            }
            _ => true,
        }
    }

    /// An instance: its parameters are definitions, and must fit before its step runs.
    fn emit_element(&mut self, id: ScopeId, module: &'a Module, instance: &'a Instance) {
        let mut fits: Vec<Stmt> = vec![];
        for (position, parameter) in module.parameters.iter().enumerate() {
            let Some(argument) = argument_for(&instance.arguments, parameter, position) else { continue };
            let Some(Meaning::Plain(flat)) = self.scopes.own(id, &parameter.name.text).cloned() else { continue };
            let (body, span) = (self.expr(&argument.value), argument.value.span);
            let name = Ident { text: flat.clone(), span: parameter.name.span };
            let ty = self.within(ScopeId::TOP, |this| this.type_of(&parameter.ty));
            let ty = Box::new(plain_type(&ty, vec![], parameter.ty.span));
            fits.push(Stmt { kind: StmtKind::Fits(name.clone(), ty, super::name_expr(flat, span)), span });
            let define = Define { name, parameters: vec![], body };
            self.items.push(Item { kind: ItemKind::Define(define), span });
        }
        self.items.push(Item { kind: ItemKind::Step(fits), span: instance.name.span });
        self.within(id, |this| this.emit(&module.items, Some(module)));
    }
}

/// A type in terms of the plain model, as an array of these sizes around it.
fn plain_type(ty: &Type<'_>, sizes: Vec<Expr>, span: Span) -> TypeName {
    let one = match ty {
        Type::One(one) => one.clone(),
        Type::Array(element, size) => {
            let element = plain_type(element, vec![], span);
            TypeName { kind: TypeKind::Array(Box::new(element), size.clone()), span }
        }
        Type::Record(_) => TypeName { kind: TypeKind::Other, span },
    };
    sizes.into_iter().rev().fold(one, |element, size| TypeName { kind: TypeKind::Array(Box::new(element), size), span })
}

fn first_word(text: &str, span: Span) -> Span {
    let length = text.find(|c: char| !c.is_alphanumeric()).unwrap_or(text.len());
    Span { end: span.start + length as u32, ..span }
}
