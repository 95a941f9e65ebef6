//! Names and their meanings: those of the model, and those of each instance.

use std::rc::Rc;

use rustc_hash::FxHashMap;

use super::Elaborator;
use super::types::{Record, Stored, Type};
use crate::ast::{Argument, Expr, ExprKind, Instance, Item, ItemKind, Module, Parameter, Range, TypeKind, TypeName};
use redoubt_program::text::Span;

/// More instances in one array are refused.
const MOST_INSTANCES: i64 = 1_000;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ScopeId(usize);

impl ScopeId {
    /// The model itself.
    pub const TOP: ScopeId = ScopeId(0);
}

/// The meaning of a name of a model or an instance.
#[derive(Clone, Debug)]
#[expect(clippy::large_enum_variant, reason = "there are few of them")]
pub enum Meaning<'a> {
    /// Something without parts, by its name in the plain model.
    Plain(String),
    /// The same, with the types of its parameters.
    Callable(String, Rc<Vec<Type<'a>>>),
    Stored(Stored<'a>),
    Record(Rc<Record<'a>>),
    /// Another name for a type.
    Type(&'a TypeName, String),
    Module(&'a Module),
    Instance(ScopeId),
    Instances(Rc<Instances>),
    /// A mistake that has been reported.
    Broken,
}

/// An array of instances.
#[derive(Clone, Debug)]
pub struct Instances {
    pub name: String,
    pub elements: Vec<ScopeId>,
    /// The index of each.
    pub indices: Vec<Expr>,
    /// Their number, as the size of an array.
    pub size: Expr,
}

/// The meaning of a name that is bound somewhere inside. In an instance it gets the same prefix as the names of items,
/// so that it does not hide an item of the model.
#[derive(Clone, Debug)]
pub enum Local<'a> {
    Name,
    /// It stands for this.
    Value(Expr),
    /// It has parts, which are bound under its name and theirs.
    Parts(Type<'a>),
}

#[derive(Clone, Debug, Default)]
pub struct Scope<'a> {
    names: FxHashMap<&'a str, Meaning<'a>>,
    /// The prefix of the names of its items, and of its storage.
    pub prefix: String,
    pub stored: String,
    /// The indices of its storage, if it is one of many.
    pub indices: Vec<Expr>,
}

#[derive(Debug, Default)]
pub struct Scopes<'a> {
    list: Vec<Scope<'a>>,
}

impl<'a> Scopes<'a> {
    pub fn get(&self, id: ScopeId) -> &Scope<'a> {
        &self.list[id.0]
    }

    /// The meaning of a name to an instance or the model: its own, or one that all of a model may use.
    pub fn meaning(&self, id: ScopeId, name: &str) -> Option<&Meaning<'a>> {
        let own = self.own(id, name);
        own.or_else(|| self.own(ScopeId::TOP, name).filter(|meaning| meaning.is_for_all()))
    }

    /// Its meaning as a part of the instance.
    pub fn own(&self, id: ScopeId, name: &str) -> Option<&Meaning<'a>> {
        self.list[id.0].names.get(name)
    }

    pub fn names(&self, id: ScopeId) -> impl Iterator<Item = &'a str> + '_ {
        self.list[id.0].names.keys().copied()
    }

    fn declare(&mut self, id: ScopeId, name: &'a str, meaning: Meaning<'a>) {
        // A name that is declared twice is reported by the next stage.
        self.list[id.0].names.entry(name).or_insert(meaning);
    }
}

impl Meaning<'_> {
    /// Whether modules may use a name of the model: constant things, and those that they would have to copy.
    fn is_for_all(&self) -> bool {
        !matches!(self, Meaning::Stored(_) | Meaning::Instance(_) | Meaning::Instances(_))
    }
}

impl<'a> Elaborator<'a> {
    pub fn local(&self, name: &str) -> Option<&Local<'a>> {
        self.locals.iter().rev().find(|(bound, _)| bound == name).map(|(_, local)| local)
    }

    /// Gives the names of the model their meanings.
    pub fn open(&mut self, items: &'a [Item]) {
        self.scopes.list.push(Scope::default());
        self.declare_items(items);
    }

    /// Does something as a part of an instance, where nothing of this place is bound.
    pub fn within<T>(&mut self, id: ScopeId, act: impl FnOnce(&mut Self) -> T) -> T {
        let (here, locals) = (std::mem::replace(&mut self.here, id), std::mem::take(&mut self.locals));
        let result = act(self);
        (self.here, self.locals) = (here, locals);
        result
    }

    pub fn flat(&self, name: &str) -> String {
        format!("{}{name}", self.scopes.get(self.here).prefix)
    }

    fn declare_items(&mut self, items: &'a [Item]) {
        let here = self.here;
        for item in items {
            match &item.kind {
                ItemKind::Enum { name, values } => {
                    self.enumerations
                        .insert(name.text.clone(), values.iter().map(|value| value.text.clone()).collect());
                    for name in values.iter().chain([name]) {
                        self.scopes.declare(here, &name.text, Meaning::Plain(name.text.clone()));
                    }
                }
                ItemKind::Record { name, fields } => {
                    let record = Record { name: name.text.clone(), fields };
                    self.scopes.declare(here, &name.text, Meaning::Record(Rc::new(record)));
                }
                ItemKind::Module(module) => self.scopes.declare(here, &module.name.text, Meaning::Module(module)),
                _ => {}
            }
        }
        for item in items {
            match &item.kind {
                ItemKind::Const { name, value } => {
                    let flat = self.flat(&name.text);
                    if let Some(number) = self.number(value) {
                        self.constants.insert(flat.clone(), number);
                    }
                    self.scopes.declare(here, &name.text, Meaning::Plain(flat));
                }
                ItemKind::Type { name, ty } => {
                    let flat = self.flat(&name.text);
                    if let TypeKind::Range(low, high) = &ty.kind
                        && let (Some(low), Some(high)) = (self.number(low), self.number(high))
                    {
                        self.ranges.insert(flat.clone(), (low, high));
                    }
                    self.scopes.declare(here, &name.text, Meaning::Type(ty, flat));
                }
                _ => {}
            }
        }
        for item in items {
            if let ItemKind::Record { name, fields } = &item.kind
                && fields.iter().any(|field| self.holds_record(&field.ty, &name.text, &mut vec![]))
            {
                self.circular.push(name.text.clone());
            }
        }
        for item in items {
            match &item.kind {
                ItemKind::Input { name, ty, .. } | ItemKind::Var { name, ty, .. } => {
                    let scope = self.scopes.get(here);
                    let (flat, indices) = (format!("{}{}", scope.stored, name.text), scope.indices.clone());
                    let ty = self.type_of(ty);
                    self.scopes.declare(here, &name.text, Meaning::Stored(Stored { name: flat, indices, ty }));
                }
                ItemKind::Define(define) => self.declare_callable(&define.name.text, &define.parameters, false),
                ItemKind::Proc(proc) => self.declare_callable(&proc.name.text, &proc.parameters, true),
                _ => {}
            }
        }
        for item in items {
            if let ItemKind::Instance(instance) = &item.kind {
                self.declare_instance(instance);
            }
        }
    }

    fn declare_callable(&mut self, name: &'a str, parameters: &'a [Parameter], is_proc: bool) {
        let flat = self.flat(name);
        let types: Vec<Type<'a>> = parameters.iter().map(|parameter| self.type_of(&parameter.ty)).collect();
        let meaning = match types.is_empty() && !is_proc {
            true => Meaning::Plain(flat),
            false => Meaning::Callable(flat, Rc::new(types)),
        };
        self.scopes.declare(self.here, name, meaning);
    }

    fn declare_instance(&mut self, instance: &'a Instance) {
        let module = match self.scopes.meaning(self.here, &instance.module.text) {
            Some(Meaning::Module(module)) => *module,
            other => {
                let is_known = other.is_some();
                let text = &instance.module.text;
                let names: Vec<&str> = self.scopes.names(ScopeId::TOP).collect();
                let modules = names
                    .into_iter()
                    .filter(|name| matches!(self.scopes.own(ScopeId::TOP, name), Some(Meaning::Module(_))));
                let modules: Vec<&str> = modules.collect();
                match is_known {
                    true => self.refuse(instance.module.span, format!("`{text}` is not a module"), "expected a module"),
                    false => {
                        let message = format!("there is no module `{text}`");
                        self.unknown(&instance.module, message, modules.into_iter());
                    }
                }
                return;
            }
        };
        if self.inside.contains(&module.name.text) {
            let message = format!("the module `{}` contains itself", module.name.text);
            return self.refuse(instance.name.span, message, "this instance closes the circle");
        }
        self.inside.push(module.name.text.clone());
        let name = &instance.name.text;
        let meaning = match &instance.index {
            None => {
                let scope = self.scopes.get(self.here);
                let inner = Scope {
                    names: FxHashMap::default(),
                    prefix: format!("{}{name}.", scope.prefix),
                    stored: format!("{}{name}.", scope.stored),
                    indices: scope.indices.clone(),
                };
                Some(Meaning::Instance(self.declare_element(module, instance, inner)))
            }
            Some((index, range)) => self.declare_elements(module, instance, &index.text, range),
        };
        self.inside.pop();
        if let Some(meaning) = meaning {
            self.scopes.declare(self.here, name, meaning);
        }
    }

    fn declare_elements(
        &mut self,
        module: &'a Module,
        instance: &'a Instance,
        index: &'a str,
        range: &'a Range,
    ) -> Option<Meaning<'a>> {
        let name = &instance.name.text;
        let Some((indices, size)) = self.instance_indices(range) else {
            let span = instance.name.span;
            self.refuse(span, "how many instances are these?", format!("expected `0..n`, at most {MOST_INSTANCES}"));
            return None;
        };
        let mut elements = vec![];
        for (number, value) in indices.iter().enumerate() {
            let scope = self.scopes.get(self.here);
            let shown = match &value.kind {
                ExprKind::Name(value) => value.clone(),
                _ => number.to_string(),
            };
            let inner = Scope {
                names: FxHashMap::default(),
                prefix: format!("{}{name}[{shown}].", scope.prefix),
                stored: format!("{}{name}.", scope.stored),
                indices: scope.indices.iter().chain([value]).cloned().collect(),
            };
            self.locals.push((index.into(), Local::Value(value.clone())));
            elements.push(self.declare_element(module, instance, inner));
            self.locals.pop();
        }
        let name = format!("{}{name}", self.scopes.get(self.here).stored);
        Some(Meaning::Instances(Rc::new(Instances { name, elements, indices, size })))
    }

    /// The indices of an array of instances, and its size.
    fn instance_indices(&self, range: &Range) -> Option<(Vec<Expr>, Expr)> {
        match range {
            Range::Between(low, high) => {
                let (from, to) = (self.number(low)?, self.number(high)?);
                let is_fine = from == 0 && (0..MOST_INSTANCES).contains(&to);
                let numbers = (from..=to).take(MOST_INSTANCES as usize);
                let numbers = numbers.map(|number| number_expr(number, low.span)).collect();
                is_fine.then(|| (numbers, number_expr(to + 1, low.span)))
            }
            Range::Of(name) => {
                let flat = match self.scopes.meaning(self.here, &name.text) {
                    Some(Meaning::Type(_, flat)) => flat.clone(),
                    _ => name.text.clone(),
                };
                let size = Expr { kind: ExprKind::Name(flat), span: name.span };
                let indices = self.indices_of(&size).filter(|indices| indices.len() <= MOST_INSTANCES as usize);
                indices.map(|indices| (indices, size))
            }
        }
    }

    /// An instance: its parameters, and then its own names.
    fn declare_element(&mut self, module: &'a Module, instance: &'a Instance, mut inner: Scope<'a>) -> ScopeId {
        self.check_arguments(module, instance);
        for (position, parameter) in module.parameters.iter().enumerate() {
            let name = parameter.name.text.as_str();
            let Some(argument) = argument_for(&instance.arguments, parameter, position) else {
                inner.names.insert(name, Meaning::Broken);
                continue;
            };
            let ty = self.within_top(|this| this.type_of(&parameter.ty));
            if parameter.is_var || !ty.is_one() {
                let stored = self.connected(parameter, &ty, argument);
                inner.names.insert(name, stored.map_or(Meaning::Broken, Meaning::Stored));
                continue;
            }
            let flat = format!("{}{name}", inner.prefix);
            if let Some(number) = self.number(&argument.value) {
                self.constants.insert(flat.clone(), number);
            }
            inner.names.insert(name, Meaning::Plain(flat));
        }
        let id = ScopeId(self.scopes.list.len());
        self.scopes.list.push(inner);
        self.within(id, |this| this.declare_items(&module.items));
        id
    }

    fn within_top<T>(&mut self, act: impl FnOnce(&mut Self) -> T) -> T {
        self.within(ScopeId::TOP, act)
    }

    /// The object connected to a parameter that stands for a variable, an array or a record.
    fn connected(&mut self, parameter: &Parameter, ty: &Type<'a>, argument: &Argument) -> Option<Stored<'a>> {
        let what = if parameter.is_var { "a variable" } else { "an array or a record" };
        let span = argument.value.span;
        match self.stored_at(&argument.value) {
            Some(stored) if self.same_parts(&stored.ty, ty) => Some(stored),
            Some(_) => {
                let message = format!("this does not fit `{}`", parameter.name.text);
                self.refuse(span, message, "expected the type of the parameter");
                None
            }
            None => {
                let message = format!("`{}` stands for {what}", parameter.name.text);
                self.refuse(span, message, format!("expected the name of {what} that is declared above"));
                None
            }
        }
    }

    /// Every parameter gets one argument, and every argument has a parameter.
    fn check_arguments(&mut self, module: &Module, instance: &Instance) {
        let wanted: Vec<&str> = module.parameters.iter().map(|parameter| parameter.name.text.as_str()).collect();
        let mut given: Vec<Option<Span>> = vec![None; wanted.len()];
        for (position, argument) in instance.arguments.iter().enumerate() {
            let place = match &argument.name {
                Some(name) => wanted.iter().position(|wanted| *wanted == name.text),
                None => Some(position).filter(|position| *position < wanted.len()),
            };
            let span = argument.name.as_ref().map_or(argument.value.span, |name| name.span);
            match (place, &argument.name) {
                (Some(place), _) if given[place].is_none() => given[place] = Some(span),
                (Some(place), _) => {
                    let message = format!("`{}` is connected twice", wanted[place]);
                    self.refuse(span, message, "connected again here");
                }
                (None, Some(name)) => {
                    let message = format!("`{}` has no parameter `{}`", module.name.text, name.text);
                    self.unknown(name, message, wanted.iter().copied());
                }
                (None, None) => {
                    let message = format!("`{}` takes {} arguments", module.name.text, wanted.len());
                    self.refuse(span, message, "this one is too many");
                }
            }
        }
        let missing: Vec<&str> =
            wanted.iter().zip(&given).filter(|(_, given)| given.is_none()).map(|(name, _)| *name).collect();
        if !missing.is_empty() {
            let message = format!("`{}` is not connected", missing.join("`, `"));
            self.refuse(instance.module.span, message, format!("expected `{} = ...`", missing[0]));
        }
    }
}

/// The argument that a parameter gets.
pub fn argument_for<'i>(arguments: &'i [Argument], parameter: &Parameter, position: usize) -> Option<&'i Argument> {
    let is_named = |argument: &&Argument| argument.name.as_ref().is_some_and(|name| name.text == parameter.name.text);
    let by_place = || arguments.get(position).filter(|argument| argument.name.is_none());
    arguments.iter().find(is_named).or_else(by_place)
}

pub fn number_expr(number: i64, span: Span) -> Expr {
    Expr { kind: ExprKind::Number(number.to_string()), span }
}
