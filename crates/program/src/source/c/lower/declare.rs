//! Declarations: what types are called, and what variables and arrays become.

use std::rc::Rc;

use super::scope::Binding;
use super::{Lowerer, unsupported};
use crate::expr::VarId;
use crate::source::Diagnostic;
use crate::source::c::ast::{
    Compound, Declaration, Declarator, Derived, ExprId, ExprKind, Initializer, Specifiers, StmtId, StmtKind,
};
use crate::source::c::types::{self, Integer, Type};
use crate::source::c::words::Number;
use crate::source::refused::{Lowered, Refused, refuse};
use crate::text::Span;

/// What types are made of.
const TYPE_WORDS: [&str; 11] =
    ["void", "char", "short", "int", "long", "float", "double", "signed", "__signed__", "unsigned", "_Bool"];

const LOCAL_TYPE: &str = "a type that is declared inside a function";

/// Arrays with more cells than this are not modelled.
const MOST_CELLS: u32 = 1 << 16;

impl<'a, 's> Lowerer<'a, 's> {
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

    fn base_type(&mut self, specifiers: &Specifiers<'s>) -> Lowered<Type> {
        match &specifiers.compound {
            Some(Compound::Structure) => return Ok(Type::Foreign("a structure")),
            Some(Compound::Enumeration { tag, names }) => return Ok(self.enumeration_type(*tag, names)),
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

    /// What a name outside functions stands for. It is made when it is first used.
    pub fn global(&mut self, name: &'s str) -> Option<Binding> {
        if let Some(binding) = self.globals.get(name) {
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
        self.globals.insert(name, binding.clone());
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
                Binding::Variable(self.out.variable_of(name, &ty, initial, span), ty)
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

    fn initial(&mut self, initializer: &Initializer, ty: Integer) -> Lowered<i128> {
        match initializer {
            Initializer::Value(value) => Ok(ty.wrap(self.constant(*value)?)),
            Initializer::List { elements, designated: false, .. } if elements.len() == 1 => {
                self.initial(&elements[0], ty)
            }
            Initializer::List { span, .. } => unsupported(*span, "this initial value"),
        }
    }

    /// Pointers start as null, or as the address of a text that nobody looks at.
    fn initial_pointer(&mut self, value: ExprId) -> Lowered<i32> {
        let mut inner = value;
        while let ExprKind::Cast(_, of) = &self.text.expr(inner).kind {
            inner = *of;
        }
        match &self.text.expr(inner).kind {
            ExprKind::Text => Ok(self.out.text_address()),
            _ => Ok(Integer::INT.wrap(self.constant(inner)?) as i32),
        }
    }

    /// The type of an array with its length, the type of its cells and their number.
    fn array(&mut self, ty: Type, initializer: Option<&Initializer>, span: Span) -> Lowered<(Type, Integer, u32)> {
        let ty = match (ty, initializer) {
            (Type::Array(element, None), Some(Initializer::List { elements, .. })) => {
                Type::Array(element, Some(elements.len() as u32))
            }
            (Type::Array(element, None), Some(Initializer::Value(value))) => {
                let length = self.characters(*value, &element).map(|characters| characters.len() as u32 + 1);
                Type::Array(element, length)
            }
            (ty, _) => ty,
        };
        let (mut inner, mut count) = (&ty, 1u32);
        while let Type::Array(element, length) = inner {
            let Some(length) = length else { return unsupported(span, "an array without a length") };
            count = count.saturating_mul(*length);
            inner = element;
        }
        let element = match inner {
            Type::Integer(integer) => *integer,
            Type::Foreign(what) => return unsupported(span, &format!("an array of cells that are {what} each")),
            _ => return unsupported(span, "an array of pointers"),
        };
        if count == 0 || count > MOST_CELLS {
            return unsupported(span, &format!("an array of {count} cells"));
        }
        Ok((ty, element, count))
    }

    /// The characters of a text that an array of such elements starts with.
    fn characters(&self, value: ExprId, element: &Type) -> Option<Vec<i128>> {
        let expr = self.text.expr(value);
        match (&expr.kind, element) {
            (ExprKind::Text, Type::Integer(integer)) if integer.bits == 8 => {
                types::characters(self.out.builder.sources.text(expr.span))
            }
            _ => None,
        }
    }

    fn initial_cells(&mut self, from: &Initializer, ty: &Type, element: Integer, cells: &mut Vec<i128>) -> Lowered {
        match (from, ty) {
            (Initializer::List { designated: true, span, .. }, _) => {
                unsupported(*span, "an initial value with a place")
            }
            (Initializer::List { elements, span, .. }, Type::Array(inner, Some(length))) => {
                let Some(size) = ty.bytes().map(|bytes| bytes / element.bytes()) else {
                    return unsupported(*span, "this initial value");
                };
                let start = cells.len();
                if elements.len() > *length as usize {
                    return unsupported(*span, "an initial value that is too long");
                }
                elements.iter().try_for_each(|part| self.initial_cells(part, inner, element, cells))?;
                cells.resize(start + size as usize, 0);
                Ok(())
            }
            (from, Type::Integer(integer)) => {
                cells.push(self.initial(from, *integer)?);
                Ok(())
            }
            (Initializer::Value(value), Type::Array(inner, Some(length))) => {
                let (start, length) = (cells.len(), *length as usize);
                match self.characters(*value, inner) {
                    // The zero behind a text may be missing.
                    Some(characters) if characters.len() <= length => {
                        cells.extend(characters.iter().map(|&character| element.wrap(character)));
                        cells.resize(start + length, 0);
                        Ok(())
                    }
                    _ => unsupported(self.text.expr(*value).span, "this initial value"),
                }
            }
            (Initializer::Value(value), _) => unsupported(self.text.expr(*value).span, "this initial value"),
            (Initializer::List { span, .. }, _) => unsupported(*span, "this initial value"),
        }
    }

    /// What a declaration inside a function stands for; the same whenever the function is entered.
    pub fn local(&mut self, stmt: StmtId, position: usize) -> Lowered<Binding> {
        if let Some(binding) = self.locals.get(&(stmt, position)) {
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
                    let variable = self.out.variable_of(name, &ty, 0, span);
                    owner.into_iter().for_each(|owner| self.out.own(variable, &ty, owner));
                    Binding::Variable(variable, ty)
                }
                Type::Array(..) => {
                    let (ty, element, count) = self.array(ty.clone(), initializer.as_ref(), span)?;
                    let table = self.out.table(name, &vec![0; count as usize], element, span);
                    owner.into_iter().for_each(|owner| self.out.own_table(table, element.bits, owner));
                    Binding::Array(table, ty)
                }
                _ => foreign(&ty),
            }
        };
        self.locals.insert((stmt, position), binding.clone());
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
                Ok(Binding::Variable(variable, ty)) => self.out.choose(variable, &ty, None, span),
                Ok(Binding::Array(table, ty)) => self.out.undefine_cells(table, &ty, span),
                _ => {}
            }
        }
    }

    /// A declaration where a run comes to it.
    pub fn declaration(&mut self, stmt: StmtId) -> Lowered {
        let StmtKind::Declaration(declaration) = &self.text.stmt(stmt).kind else { return Ok(()) };
        self.enumeration(&declaration.specifiers)?;
        if declaration.specifiers.has("typedef") {
            return unsupported(declaration.span, LOCAL_TYPE);
        }
        if declaration.declarators.is_empty() {
            // `int name;` declares nothing if that is the name of a type: the reader of tokens knows of no scopes.
            self.base_type(&declaration.specifiers)?;
        }
        for (position, (declarator, initializer)) in declaration.declarators.iter().enumerate() {
            let Some(name) = declarator.name else { continue };
            let local = self.local(stmt, position);
            let binding = match &local {
                Ok(binding) => binding.clone(),
                // A jump may lead past the declaration, and not out of its scope.
                Err(Refused::Mistakes(why)) => Binding::Refused(Rc::new(why.clone())),
                Err(Refused::Interrupted) => return local.map(drop),
            };
            let scope = self.frame().scopes.last_mut().expect("a function has a scope");
            scope.names.insert(name.text, binding.clone());
            local?;
            if let (Some(initializer), false) = (initializer, declaration.specifiers.has("static")) {
                self.initialize(&binding, initializer, declarator.span)?;
            }
        }
        Ok(())
    }

    fn initialize(&mut self, binding: &Binding, initializer: &Initializer, span: Span) -> Lowered {
        match (binding, initializer) {
            (Binding::Variable(variable, ty), Initializer::Value(value)) => {
                self.assign_value(*variable, ty, *value, span)
            }
            (Binding::Variable(_, Type::Integer(_)), Initializer::List { elements, designated: false, .. })
                if elements.len() == 1 =>
            {
                self.initialize(binding, &elements[0], span)
            }
            (
                Binding::Array(table, Type::Array(element, Some(length))),
                Initializer::List { elements, designated, .. },
            ) => {
                let Type::Integer(integer) = **element else {
                    return unsupported(span, "an initial value for an array of arrays");
                };
                if *designated || elements.len() > *length as usize {
                    return unsupported(span, "this initial value");
                }
                for index in 0..*length as usize {
                    let value = match elements.get(index) {
                        Some(Initializer::Value(value)) => self.number(*value)?,
                        Some(Initializer::List { span, .. }) => return unsupported(*span, "this initial value"),
                        None => Number::known(0, integer),
                    };
                    let value = value.convert(integer, self.out.exprs());
                    let index = self.out.exprs().int(index as i32);
                    self.out.store_number(*table, index, value, span)?;
                }
                Ok(())
            }
            (Binding::Array(table, ty @ Type::Array(..)), Initializer::Value(_)) => {
                let mut cells = vec![];
                self.initial_cells(initializer, ty, cell_type(ty), &mut cells)?;
                for (index, cell) in cells.into_iter().enumerate() {
                    let index = self.out.exprs().int(index as i32);
                    self.out.store_number(*table, index, Number::known(cell, cell_type(ty)), span)?;
                }
                Ok(())
            }
            (Binding::Foreign(what), _) => unsupported(span, what),
            _ => unsupported(span, "this initial value"),
        }
    }

    fn assign_value(&mut self, variable: VarId, ty: &Type, value: ExprId, span: Span) -> Lowered {
        let value = self.value(value)?;
        self.out.put(variable, ty, value, span)
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
    super::integer_of(inner)
}
