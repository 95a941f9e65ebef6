//! Modules to instances: every name of every instance, and the variables of the model with their domains.

use std::sync::Arc;

use redoubt_base::stack::grow;
use redoubt_program::text::Span;
use redoubt_reading::Diagnostic;
use redoubt_reading::refused::{Lowered, refuse};
use rustc_hash::{FxHashMap, FxHashSet};

use crate::ast::{
    Binary, Constant, Definition, ExprId, Function, Ident, Item, Kind, Module, Name, Specification, Storage, Text,
    TypeKind, TypeSpec, When,
};
use crate::domain::Domain;
use crate::literal::MOST_BITS;

/// Models with more instances or variables are refused.
const MOST_INSTANCES: usize = 1 << 16;
const MOST_VARIABLES: usize = 1 << 18;

pub type ScopeId = usize;
pub type VarId = usize;

/// Arrays with more elements are refused.
const MOST_ELEMENTS: i64 = 1 << 16;

/// A variable of one value.
#[derive(Clone, Debug)]
pub struct Variable {
    pub name: String,
    pub storage: Storage,
    pub domain: Domain,
}

/// The meaning of a name.
#[derive(Clone, Debug)]
pub enum Entity {
    Variable(VarId),
    Array(Arc<Elements>),
    /// An expression in a scope: a definition, or if `is_parameter`, what stands in the caller.
    Expression {
        value: ExprId,
        scope: ScopeId,
        is_parameter: bool,
    },
    Instance(ScopeId),
    /// Whether this process runs.
    Running(usize),
}

#[derive(Clone, Debug)]
pub struct Elements {
    pub low: i64,
    pub items: Vec<Entity>,
}

/// An instance of a module.
#[derive(Clone, Debug)]
pub struct Scope {
    /// Before the names of its variables: empty, or with a dot at its end.
    pub prefix: String,
    pub names: FxHashMap<Name, (Entity, Span)>,
    /// The process that it is part of.
    pub process: usize,
}

/// The sections of all instances.
#[derive(Clone, Debug, Default)]
pub struct Sections {
    pub assignments: Vec<(When, ExprId, ExprId, Span, ScopeId)>,
    pub init: Vec<(ExprId, ScopeId)>,
    pub trans: Vec<(ExprId, ScopeId)>,
    pub invar: Vec<(ExprId, ScopeId)>,
    pub justice: Vec<(ExprId, ScopeId)>,
    pub compassion: Vec<(ExprId, ExprId, ScopeId)>,
    pub specifications: Vec<(Specification, ScopeId)>,
    pub definitions: Vec<(String, ExprId, ScopeId)>,
}

/// All instances.
pub struct Hierarchy<'t> {
    pub text: &'t Text,
    pub scopes: Vec<Scope>,
    pub variables: Vec<Variable>,
    pub sections: Sections,
    pub symbols: FxHashSet<Name>,
    /// Names of processes; the first is `main`. With no other one, all run together.
    pub processes: Vec<String>,
    /// Whether some declared names have dots in them.
    has_dots: bool,
    /// Definitions of names in other instances, with the path to these.
    remote: Vec<(Ident, ExprId, ScopeId)>,
    /// The modules whose instances are being made.
    open: Vec<Name>,
    /// Paths that are being followed.
    following: FxHashSet<(ExprId, ScopeId)>,
}

impl<'t> Hierarchy<'t> {
    pub fn new(text: &'t Text) -> Lowered<Hierarchy<'t>> {
        for (index, module) in text.modules.iter().enumerate() {
            if let Some(other) = text.modules[..index].iter().find(|other| other.name.text == module.name.text) {
                let message = format!("there are two modules `{}`", other.name.text);
                return refuse(Diagnostic::new(module.name.span, message, "the second one"));
            }
        }
        let mut hierarchy = Hierarchy {
            text,
            scopes: vec![],
            variables: vec![],
            sections: Sections::default(),
            symbols: FxHashSet::default(),
            processes: vec!["main".into()],
            has_dots: false,
            remote: vec![],
            open: vec![],
            following: FxHashSet::default(),
        };
        let Some(main) = text.modules.iter().find(|module| &*module.name.text == "main") else {
            return refuse(Diagnostic::new(Span::default(), "there is no module `main`", "in this file"));
        };
        if let Some(parameter) = main.parameters.first() {
            return refuse(Diagnostic::new(parameter.span, "`main` has no parameters", "not here"));
        }
        hierarchy.symbols_of_types();
        hierarchy.has_dots |= hierarchy.symbols.iter().any(|symbol| symbol.contains('.'));
        hierarchy.instantiate(main, String::new(), vec![], 0)?;
        for (path, value, scope) in std::mem::take(&mut hierarchy.remote) {
            hierarchy.define_elsewhere(&path, value, scope)?;
        }
        Ok(hierarchy)
    }

    /// Symbols are known everywhere.
    fn symbols_of_types(&mut self) {
        for item in self.text.modules.iter().flat_map(|module| &module.items) {
            if let Item::Declaration(_, name, _) | Item::Definition(name, _) = item {
                self.has_dots |= name.text.contains('.');
            }
            match item {
                Item::Declaration(_, _, spec) => symbols_of(&spec.kind, &mut self.symbols),
                Item::Constants(constants) => {
                    self.symbols.extend(constants.iter().map(|constant| Arc::clone(&constant.text)));
                }
                _ => {}
            }
        }
    }

    /// The items of a module, with those of the modules that it is.
    fn items(&self, module: &'t Module, seen: &mut Vec<Name>) -> Lowered<Vec<&'t Item>> {
        let mut items = vec![];
        for item in &module.items {
            let Item::Isa(parent) = item else {
                items.push(item);
                continue;
            };
            let Some(found) = self.text.modules.iter().find(|module| module.name.text == parent.text) else {
                return refuse(undefined_module(parent));
            };
            if seen.contains(&parent.text) || parent.text == module.name.text {
                let message = format!("`{}` is made of itself", parent.text);
                return refuse(Diagnostic::new(parent.span, message, "by way of this"));
            }
            seen.push(Arc::clone(&parent.text));
            items.extend(self.items(found, seen)?);
            seen.pop();
        }
        Ok(items)
    }

    fn instantiate(
        &mut self,
        module: &'t Module,
        prefix: String,
        arguments: Vec<(ExprId, ScopeId)>,
        process: usize,
    ) -> Lowered<ScopeId> {
        let id = self.scopes.len();
        if id >= MOST_INSTANCES {
            let message = format!("there are more than {MOST_INSTANCES} instances of modules");
            return refuse(Diagnostic::new(module.name.span, message, "of this and of others"));
        }
        self.scopes.push(Scope { prefix, names: FxHashMap::default(), process });
        for (parameter, (value, scope)) in module.parameters.iter().zip(arguments) {
            self.declare(id, parameter, Entity::Expression { value, scope, is_parameter: true })?;
        }
        let running: Name = "running".into();
        self.scopes[id].names.insert(running, (Entity::Running(process), module.name.span));
        let items = self.items(module, &mut vec![])?;
        let (mut instances, mut remote) = (vec![], vec![]);
        for &item in &items {
            match item {
                Item::Definition(name, definition) => {
                    let entity = self.definition(definition, id);
                    if let Definition::Value(value) = definition {
                        let full = format!("{}{}", self.scopes[id].prefix, name.text);
                        self.sections.definitions.push((full, *value, id));
                    }
                    match definition {
                        Definition::Value(value) if name.text.contains('.') => {
                            remote.push((name.clone(), *value, entity))
                        }
                        _ => self.declare(id, name, entity)?,
                    }
                }
                Item::Declaration(
                    _,
                    name,
                    TypeSpec { kind: TypeKind::Instance { module, arguments, is_process }, span },
                ) => {
                    // Its place is taken; the instance follows.
                    let placeholder = Entity::Instance(usize::MAX);
                    self.declare(id, name, placeholder)?;
                    instances.push((name, module, arguments, *is_process, *span));
                }
                _ => {}
            }
        }
        // Values of enumerations that stand before.
        let mut earlier = FxHashSet::default();
        for (name, value, entity) in remote {
            let first = name.text.split('.').next().unwrap_or_default();
            match self.scopes[id].names.contains_key(first) || first == "self" {
                true => self.remote.push((name, value, id)),
                // Just a name with dots in it.
                false => self.declare(id, &name, entity)?,
            }
        }
        for &item in &items {
            match item {
                Item::Declaration(storage, name, spec) => {
                    if matches!(spec.kind, TypeKind::Instance { .. }) {
                        continue;
                    }
                    let full = format!("{}{}", self.scopes[id].prefix, name.text);
                    if self.scopes[id].prefix.is_empty() {
                        if earlier.contains(&name.text) {
                            let message = format!("`{}` is a value of an enumeration already", name.text);
                            return refuse(Diagnostic::new(name.span, message, "the second declaration"));
                        }
                        symbols_of(&spec.kind, &mut earlier);
                    }
                    let entity = self.variable(full, *storage, spec, id)?;
                    self.declare(id, name, entity)?;
                }
                Item::Assignment(when, left, right, span) => {
                    self.sections.assignments.push((*when, *left, *right, *span, id));
                }
                Item::Init(condition) => self.sections.init.push((*condition, id)),
                Item::Trans(condition) => self.sections.trans.push((*condition, id)),
                Item::Invar(condition) => self.sections.invar.push((*condition, id)),
                Item::Justice(condition) => self.sections.justice.push((*condition, id)),
                Item::Compassion(p, q) => self.sections.compassion.push((*p, *q, id)),
                Item::Specification(specification) => {
                    self.sections.specifications.push((specification.clone(), id));
                }
                Item::Constants(_) | Item::Definition(..) | Item::Isa(_) => {}
            }
        }
        self.open.push(Arc::clone(&module.name.text));
        for (name, module, arguments, is_process, span) in instances {
            let Some(found) = self.text.modules.iter().find(|other| other.name.text == module.text) else {
                return refuse(undefined_module(module));
            };
            if self.open.contains(&module.text) {
                let message = format!("`{}` contains an instance of itself", module.text);
                return refuse(Diagnostic::new(span, message, "without end"));
            }
            if arguments.len() != found.parameters.len() {
                let (takes, has) = (found.parameters.len(), arguments.len());
                let message = format!("`{}` takes {takes} parameters, here are {has}", module.text);
                return refuse(Diagnostic::new(span, message, "in this instance"));
            }
            let prefix = format!("{}{}.", self.scopes[id].prefix, name.text);
            let process = if is_process {
                self.processes.push(prefix.trim_end_matches('.').to_string());
                self.processes.len() - 1
            } else {
                process
            };
            let arguments = arguments.iter().map(|&argument| (argument, id)).collect();
            let instance = grow(|| self.instantiate(found, prefix, arguments, process))?;
            self.scopes[id].names.insert(Arc::clone(&name.text), (Entity::Instance(instance), name.span));
        }
        self.open.pop();
        Ok(id)
    }

    /// `above.x := e`: a definition of `x` in the instance that `above` is.
    fn define_elsewhere(&mut self, path: &Ident, value: ExprId, scope: ScopeId) -> Lowered {
        let mut parts: Vec<&str> = path.text.split('.').collect();
        let last = parts.pop().unwrap_or_default();
        let mut instance = scope;
        for part in parts {
            let found = match part {
                "self" => Some(Entity::Instance(instance)),
                _ => match self.scopes[instance].names.get(part).map(|(entity, _)| entity.clone()) {
                    Some(entity) => self.follow(entity, path.span)?,
                    None => None,
                },
            };
            let Some(Entity::Instance(next)) = found else {
                let message = format!("`{part}` is no instance of a module");
                return refuse(Diagnostic::new(path.span, message, "nothing can be defined in it"));
            };
            instance = next;
        }
        let name = Ident { text: last.into(), span: path.span };
        self.declare(instance, &name, Entity::Expression { value, scope, is_parameter: false })
    }

    fn definition(&self, definition: &Definition, scope: ScopeId) -> Entity {
        match definition {
            Definition::Value(value) => Entity::Expression { value: *value, scope, is_parameter: false },
            Definition::Array(elements) => {
                let items = elements.iter().map(|element| grow(|| self.definition(element, scope))).collect();
                Entity::Array(Arc::new(Elements { low: 0, items }))
            }
        }
    }

    fn declare(&mut self, scope: ScopeId, name: &Ident, entity: Entity) -> Lowered {
        let known = self.scopes[scope].names.get(&name.text);
        let is_running = matches!(known, Some((Entity::Running(_), _)));
        if known.is_some() && !is_running {
            let message = format!("`{}` is declared twice", name.text);
            return refuse(Diagnostic::new(name.span, message, "the second declaration"));
        }
        self.scopes[scope].names.insert(Arc::clone(&name.text), (entity, name.span));
        Ok(())
    }

    fn variable(&mut self, name: String, storage: Storage, spec: &TypeSpec, scope: ScopeId) -> Lowered<Entity> {
        let domain = match &spec.kind {
            TypeKind::Boolean => Domain::Boolean,
            TypeKind::Enumeration(constants) => self.enumeration(constants)?,
            TypeKind::Range(ends) => {
                let (low, high) = self.ends(*ends, scope)?;
                Domain::range(low, high)
            }
            TypeKind::Word(signed, width) => Domain::Word { signed: *signed, width: self.word_width(*width, scope)? },
            TypeKind::Array(ends, element) => {
                if matches!(element.kind, TypeKind::Instance { .. }) {
                    let message = "arrays of modules are not supported";
                    return refuse(Diagnostic::new(element.span, message, "expected a type of values"));
                }
                let (low, high) = self.ends(*ends, scope)?;
                if high - low >= MOST_ELEMENTS {
                    let message = format!("an array of {} elements is too large", high - low + 1);
                    return refuse(Diagnostic::new(spec.span, message, format!("at most {MOST_ELEMENTS}")));
                }
                let mut items = vec![];
                for index in low..=high {
                    items.push(grow(|| self.variable(format!("{name}[{index}]"), storage, element, scope))?);
                }
                return Ok(Entity::Array(Arc::new(Elements { low, items })));
            }
            TypeKind::WordArray(index, element) => {
                let index = self.word_width(*index, scope)?;
                let TypeKind::Word(signed, width) = &element.kind else {
                    let message = "an array with words for indices has words for elements";
                    return refuse(Diagnostic::new(element.span, message, "expected `word[n]`"));
                };
                Domain::Words { index, signed: *signed, width: self.word_width(*width, scope)? }
            }
            TypeKind::Instance { .. } => unreachable!("instances are seen to elsewhere"),
            TypeKind::Foreign(name) => {
                let message = format!("`{name}` has infinitely many values");
                return refuse(
                    Diagnostic::new(spec.span, message, "a type of nuXmv")
                        .help("models are finite here: give a range `low..high` or a `word[n]`"),
                );
            }
        };
        if self.variables.len() >= MOST_VARIABLES {
            let message = format!("there are more than {MOST_VARIABLES} variables, elements of arrays among them");
            return refuse(Diagnostic::new(spec.span, message, "one of these"));
        }
        self.variables.push(Variable { name, storage, domain });
        Ok(Entity::Variable(self.variables.len() - 1))
    }

    fn enumeration(&self, constants: &[(Constant, Span)]) -> Lowered<Domain> {
        let mut known = FxHashSet::default();
        for (constant, span) in constants {
            if !known.insert(constant) {
                return refuse(Diagnostic::new(*span, format!("`{constant}` is listed twice"), "the second time"));
            }
        }
        Ok(Domain::enumeration(constants.iter().map(|(constant, _)| constant.clone()).collect()))
    }

    /// The ends of `low..high`.
    pub fn ends(&mut self, range: ExprId, scope: ScopeId) -> Lowered<(i64, i64)> {
        let span = self.text.span(range);
        let Kind::Binary(Binary::Range, low, high) = *self.text.kind(range) else {
            return refuse(Diagnostic::new(span, "this is no type", "expected `low..high` or the name of a module"));
        };
        let (low, high) = (self.constant(low, scope)?, self.constant(high, scope)?);
        if low > high {
            return refuse(Diagnostic::new(span, format!("the range {low}..{high} is empty"), "no value"));
        }
        Ok((low, high))
    }

    fn word_width(&mut self, width: ExprId, scope: ScopeId) -> Lowered<u32> {
        let value = self.constant(width, scope)?;
        match u32::try_from(value) {
            Ok(width) if (1..=MOST_BITS).contains(&width) => Ok(width),
            _ => {
                let message = format!("a word has 1 to {MOST_BITS} bits, not {value}");
                refuse(Diagnostic::new(self.text.span(width), message, "this many"))
            }
        }
    }

    /// The number that an expression over constants is.
    pub fn constant(&mut self, id: ExprId, scope: ScopeId) -> Lowered<i64> {
        grow(|| {
            let span = self.text.span(id);
            let text = self.text;
            let overflow = || Diagnostic::new(span, "this number is too large", "as a constant");
            let value = match text.kind(id) {
                Kind::Number(value) => Some(*value),
                Kind::Minus(a) => self.constant(*a, scope)?.checked_neg(),
                Kind::Binary(operator, a, b) => {
                    let operation: fn(i64, i64) -> Option<i64> = match operator {
                        Binary::Plus => i64::checked_add,
                        Binary::Minus => i64::checked_sub,
                        Binary::Times => i64::checked_mul,
                        Binary::Divide => i64::checked_div,
                        Binary::Mod => i64::checked_rem,
                        _ => return refuse(not_constant(span)),
                    };
                    let (a, b) = (self.constant(*a, scope)?, self.constant(*b, scope)?);
                    operation(a, b)
                }
                Kind::Call(Function::Max, of) => Some(self.constant(of[0], scope)?.max(self.constant(of[1], scope)?)),
                Kind::Call(Function::Min, of) => Some(self.constant(of[0], scope)?.min(self.constant(of[1], scope)?)),
                Kind::Call(Function::Abs, of) => self.constant(of[0], scope)?.checked_abs(),
                Kind::Call(Function::ToInt, of) => match text.kind(of[0]) {
                    Kind::Word { signed: false, bits } => bits.to_u64().and_then(|value| i64::try_from(value).ok()),
                    _ => return refuse(not_constant(span)),
                },
                Kind::Name(_) | Kind::Dot(..) | Kind::Index(..) => match self.resolve(id, scope)? {
                    Some(Entity::Expression { value, scope: other, .. }) => {
                        if !self.following.insert((value, other)) {
                            return refuse(Diagnostic::new(span, "this is defined by itself", "in a circle"));
                        }
                        let result = self.constant(value, other);
                        self.following.remove(&(value, other));
                        return result;
                    }
                    _ => return refuse(not_constant(span)),
                },
                _ => return refuse(not_constant(span)),
            };
            value.map_or_else(|| refuse(overflow()), Ok)
        })
    }

    /// The text of a name with dots.
    fn joined(&self, id: ExprId) -> Option<String> {
        match self.text.kind(id) {
            Kind::Name(name) => Some(name.to_string()),
            Kind::Dot(of, name) => grow(|| self.joined(*of)).map(|of| format!("{of}.{name}")),
            _ => None,
        }
    }

    /// The meaning of a path; none if it is no path, or an element of an array that depends on values. Symbols have none.
    pub fn resolve(&mut self, id: ExprId, scope: ScopeId) -> Lowered<Option<Entity>> {
        grow(|| {
            let text = self.text;
            let span = text.span(id);
            match text.kind(id) {
                Kind::Myself => Ok(Some(Entity::Instance(scope))),
                Kind::Name(name) => match self.scopes[scope].names.get(name) {
                    // An instance is no value, so that it cannot be taken for one.
                    Some((entity, _))
                        if self.symbols.contains(name)
                            && self.scopes[scope].prefix.is_empty()
                            && !matches!(entity, Entity::Instance(_)) =>
                    {
                        let message = format!("`{name}` is declared, and also a value of an enumeration");
                        refuse(Diagnostic::new(span, message, "which of them is meant cannot be told"))
                    }
                    Some((entity, _)) => {
                        let entity = entity.clone();
                        self.follow(entity, span)
                    }
                    None if self.symbols.contains(name) => Ok(None),
                    None => refuse(self.undefined(name, scope, span)),
                },
                Kind::Dot(of, name) => {
                    let joined: Option<Name> = if self.has_dots { self.joined(id).map(Into::into) } else { None };
                    if let Some(joined) = &joined {
                        if let Some((entity, _)) = self.scopes[scope].names.get(joined) {
                            let entity = entity.clone();
                            return self.follow(entity, span);
                        }
                        if self.symbols.contains(joined) {
                            return Ok(None);
                        }
                    }
                    match self.resolve(*of, scope)? {
                        Some(Entity::Instance(instance)) if instance != usize::MAX => {
                            match self.scopes[instance].names.get(name) {
                                Some((entity, _)) => {
                                    let entity = entity.clone();
                                    self.follow(entity, span)
                                }
                                None => refuse(self.undefined(name, instance, span)),
                            }
                        }
                        _ => {
                            let message = format!("`{}` is no instance of a module", self.shown(*of));
                            refuse(Diagnostic::new(text.span(*of), message, format!("so it has no `{name}`")))
                        }
                    }
                }
                Kind::Index(of, index) => {
                    let Some(Entity::Array(elements)) = self.resolve(*of, scope)? else { return Ok(None) };
                    let Some(index_value) = self.constant_if(*index, scope) else { return Ok(None) };
                    let place = index_value - elements.low;
                    match usize::try_from(place).ok().and_then(|place| elements.items.get(place)) {
                        Some(entity) => self.follow(entity.clone(), span),
                        None => {
                            let high = elements.low + elements.items.len() as i64 - 1;
                            let message =
                                format!("the index {index_value} is outside of the array, {}..{high}", elements.low);
                            refuse(Diagnostic::new(text.span(*index), message, "no such element"))
                        }
                    }
                }
                _ => Ok(None),
            }
        })
    }

    /// A number, if it is plainly one.
    fn constant_if(&mut self, id: ExprId, scope: ScopeId) -> Option<i64> {
        let kind = self.text.kind(id);
        let is_plain =
            matches!(kind, Kind::Number(_) | Kind::Name(_) | Kind::Dot(..) | Kind::Binary(..) | Kind::Minus(_));
        if is_plain { self.constant(id, scope).ok() } else { None }
    }

    /// Goes through names for other names.
    fn follow(&mut self, entity: Entity, span: Span) -> Lowered<Option<Entity>> {
        let Entity::Expression { value, scope, .. } = entity else { return Ok(Some(entity)) };
        if !matches!(self.text.kind(value), Kind::Myself | Kind::Name(_) | Kind::Dot(..) | Kind::Index(..)) {
            return Ok(Some(entity));
        }
        if !self.following.insert((value, scope)) {
            return refuse(Diagnostic::new(span, "this is defined by itself", "in a circle"));
        }
        let found = self.resolve(value, scope);
        self.following.remove(&(value, scope));
        // A symbol, or an element that depends on values, is reached by way of the expression.
        Ok(Some(found?.unwrap_or(entity)))
    }

    /// The variable on the left of an assignment.
    pub fn assigned(&mut self, left: ExprId, scope: ScopeId) -> Lowered<VarId> {
        let span = self.text.span(left);
        let entity = self.resolve(left, scope)?;
        if self.is_definition(left, scope) {
            let message = format!("`{}` is a definition", self.shown(left));
            return refuse(Diagnostic::new(span, message, "only variables are assigned"));
        }
        match entity {
            Some(Entity::Variable(variable)) => Ok(variable),
            Some(Entity::Array(_)) => {
                refuse(Diagnostic::new(span, "whole arrays are not assigned", "expected one element"))
            }
            None if matches!(self.text.kind(left), Kind::Index(..)) => {
                let message = "the index of an assigned element must be a constant";
                refuse(Diagnostic::new(span, message, "this one depends on values"))
            }
            _ => {
                let message = format!("`{}` is no variable", self.shown(left));
                refuse(Diagnostic::new(span, message, "only variables are assigned"))
            }
        }
    }

    /// Whether a name, by way of parameters, stands for a definition.
    fn is_definition(&mut self, id: ExprId, scope: ScopeId) -> bool {
        let found = match self.text.kind(id) {
            Kind::Name(name) => self.scopes[scope].names.get(name).cloned(),
            Kind::Dot(of, name) => match self.resolve(*of, scope) {
                Ok(Some(Entity::Instance(instance))) => self.scopes[instance].names.get(name).cloned(),
                _ => None,
            },
            _ => None,
        };
        match found {
            Some((Entity::Expression { is_parameter: false, .. }, _)) => true,
            Some((Entity::Expression { value, scope, .. }, _)) => grow(|| self.is_definition(value, scope)),
            _ => false,
        }
    }

    /// A path as it is written.
    pub fn shown(&self, id: ExprId) -> String {
        match self.text.kind(id) {
            Kind::Myself => "self".into(),
            Kind::Index(of, _) => format!("{}[...]", grow(|| self.shown(*of))),
            _ => self.joined(id).unwrap_or_else(|| "this".into()),
        }
    }

    fn undefined(&self, name: &str, scope: ScopeId, span: Span) -> Diagnostic {
        let names = self.scopes[scope].names.keys().map(|known| &**known);
        let known = names.chain(self.symbols.iter().map(|symbol| &**symbol));
        let diagnostic = Diagnostic::new(span, format!("`{name}` is not declared"), "unknown name");
        match redoubt_base::suggest::nearest(name, known) {
            Some(nearest) => diagnostic.help(format!("did you mean `{nearest}`?")),
            None if name.contains('-') => diagnostic.help("a `-` within letters and digits is part of a name"),
            None => diagnostic,
        }
    }
}

fn undefined_module(name: &Ident) -> Diagnostic {
    Diagnostic::new(name.span, format!("there is no module `{}`", name.text), "unknown module")
}

fn not_constant(span: Span) -> Diagnostic {
    Diagnostic::new(span, "this is no constant number", "expected one here")
}

/// The symbols of a type.
fn symbols_of(kind: &TypeKind, symbols: &mut FxHashSet<Name>) {
    match kind {
        TypeKind::Enumeration(constants) => {
            for (constant, _) in constants {
                if let Constant::Symbol(symbol) = constant {
                    symbols.insert(Arc::clone(symbol));
                }
            }
        }
        TypeKind::Array(_, element) | TypeKind::WordArray(_, element) => symbols_of(&element.kind, symbols),
        _ => {}
    }
}
