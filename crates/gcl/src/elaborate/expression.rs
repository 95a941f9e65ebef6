//! Expressions in terms of the plain model.

use std::rc::Rc;

use super::path::{Found, Selected, cell_expr, path_of};
use super::scope::{Local, Meaning, ScopeId};
use super::types::{Record, Type};
use super::whole::Whole;
use super::{Elaborator, name_expr};
use crate::ast::{Argument, Expr, ExprKind, Ident, Path, Range};
use redoubt_base::stack::grow;
use redoubt_program::text::Span;

impl<'a> Elaborator<'a> {
    /// An expression that must be a single value.
    pub fn expr(&mut self, expr: &Expr) -> Expr {
        let span = expr.span;
        match self.value(expr) {
            Whole::One(expr) => expr,
            // The next stage reports an array where a single value should be.
            Whole::Stored(stored, at) if !stored.ty.has_records() => {
                cell_expr(Ident { text: stored.name, span: at }, stored.indices, span)
            }
            whole @ Whole::List(..) => {
                let list = self.plain_list(whole);
                list.unwrap_or_else(|| self.no_single_value(span))
            }
            _ => self.no_single_value(span),
        }
    }

    fn no_single_value(&mut self, span: Span) -> Expr {
        self.refuse(span, "this has many parts", "expected a single value: a field or a cell of it");
        self.broken(span)
    }

    /// A list of single values and such lists.
    fn plain_list(&mut self, whole: Whole<'a>) -> Option<Expr> {
        match whole {
            Whole::One(expr) => Some(expr),
            Whole::List(list, span) => {
                let list = list.into_iter().map(|one| self.plain_list(one)).collect::<Option<_>>()?;
                Some(Expr { kind: ExprKind::List(list), span })
            }
            _ => None,
        }
    }

    /// Any expression.
    pub fn value(&mut self, expr: &Expr) -> Whole<'a> {
        grow(|| self.any_value(expr))
    }

    fn any_value(&mut self, expr: &Expr) -> Whole<'a> {
        let span = expr.span;
        let kind = match &expr.kind {
            ExprKind::Truth(_) | ExprKind::Number(_) | ExprKind::Broken => expr.kind.clone(),
            ExprKind::Name(_) | ExprKind::Cell(..) | ExprKind::At(_) => {
                let path = path_of(expr).expect("these are paths");
                return match self.find(&path) {
                    Some(found) => self.found_value(found, path.name.span, span),
                    None => Whole::One(self.broken(span)),
                };
            }
            ExprKind::Previous(inner) => match self.value(inner) {
                Whole::One(inner) => ExprKind::Previous(Box::new(inner)),
                whole => return Whole::Previous(Box::new(whole), span),
            },
            ExprKind::Unary(operator, operand) => ExprKind::Unary(operator.clone(), Box::new(self.expr(operand))),
            ExprKind::Binary(left, operator, right) if matches!(operator.as_str(), "==" | "!=") => {
                return Whole::One(self.equality(left, operator, right, span));
            }
            ExprKind::Binary(left, operator, right) => {
                let (left, right) = (self.expr(left), self.expr(right));
                ExprKind::Binary(Box::new(left), operator.clone(), Box::new(right))
            }
            ExprKind::Within(value, low, high) => {
                let (value, low, high) = (self.expr(value), self.expr(low), self.expr(high));
                ExprKind::Within(Box::new(value), Box::new(low), Box::new(high))
            }
            ExprKind::If(condition, then, otherwise) => {
                let condition = Box::new(self.expr(condition));
                match (self.value(then), self.value(otherwise)) {
                    (Whole::One(then), Whole::One(otherwise)) => {
                        ExprKind::If(condition, Box::new(then), Box::new(otherwise))
                    }
                    (then, otherwise) => return Whole::If(condition, Box::new(then), Box::new(otherwise)),
                }
            }
            ExprKind::Call(name, arguments) => {
                let path = Path { name: name.clone(), suffixes: vec![] };
                let arguments: Vec<Argument> =
                    arguments.iter().map(|value| Argument { name: None, value: value.clone() }).collect();
                return self.call(&path, &arguments, span);
            }
            ExprKind::CallAt(path, arguments) => return self.call(path, arguments, span),
            ExprKind::Quantified { word, name, range, body } => {
                let range = self.range(range);
                self.locals.push((name.text.clone(), Local::Name));
                let body = Box::new(self.expr(body));
                self.locals.pop();
                ExprKind::Quantified { word: word.clone(), name: self.flat_ident(name), range, body }
            }
            ExprKind::List(list) => return Whole::List(list.iter().map(|one| self.value(one)).collect(), span),
            ExprKind::Select(..) => unreachable!("made by this stage"),
        };
        Whole::One(Expr { kind, span })
    }

    pub fn range(&mut self, range: &Range) -> Range {
        match range {
            Range::Between(low, high) => Range::Between(Box::new(self.expr(low)), Box::new(self.expr(high))),
            Range::Of(name) => {
                let flat = match self.scopes.meaning(self.here, &name.text) {
                    Some(Meaning::Type(_, flat) | Meaning::Plain(flat)) => flat.clone(),
                    _ => name.text.clone(),
                };
                Range::Of(Ident { text: flat, span: name.span })
            }
        }
    }

    fn equality(&mut self, left: &Expr, operator: &str, right: &Expr, span: Span) -> Expr {
        let kind = match (self.value(left), self.value(right)) {
            (Whole::One(left), Whole::One(right)) => ExprKind::Binary(Box::new(left), operator.into(), Box::new(right)),
            (left, right) => {
                let equal = self.compared(&left, &right, span);
                match operator {
                    "==" => return equal,
                    _ => ExprKind::Unary("!".into(), Box::new(equal)),
                }
            }
        };
        Expr { kind, span }
    }

    fn found_value(&mut self, found: Found<'a>, at: Span, span: Span) -> Whole<'a> {
        let refused = |this: &mut Self, message: String, label: &str| {
            this.refuse(span, message, label);
            Whole::One(this.broken(span))
        };
        match found {
            Found::Means(Meaning::Broken) => Whole::One(self.broken(span)),
            Found::Means(Meaning::Plain(name) | Meaning::Type(_, name) | Meaning::Callable(name, _)) => {
                Whole::One(name_expr(name, span))
            }
            Found::Means(Meaning::Stored(stored)) if stored.ty.is_one() => {
                let name = Ident { text: stored.name, span: at };
                Whole::One(cell_expr(name, stored.indices, span))
            }
            Found::Means(Meaning::Stored(stored)) => Whole::Stored(stored, at),
            Found::Cells(name, indices) => Whole::One(cell_expr(Ident { text: name, span: at }, indices, span)),
            Found::Value(value) => Whole::One(value),
            Found::Chosen(Selected { name, index, of }) => {
                let mut values = vec![];
                for meaning in of {
                    match self.found_value(Found::Means(meaning), at, span) {
                        Whole::One(value) => values.push(value),
                        _ => return refused(self, "this has many parts".into(), "expected a single value"),
                    }
                }
                Whole::One(Expr { kind: ExprKind::Select(name, Box::new(index), values), span })
            }
            Found::Means(Meaning::Record(record)) => {
                refused(self, format!("`{}` is a record type; it needs its fields", record.name), "expected a value")
            }
            Found::Means(Meaning::Module(module)) => {
                refused(self, format!("`{}` is a module and has no value", module.name.text), "expected a value")
            }
            Found::Means(Meaning::Instance(_) | Meaning::Instances(_)) | Found::Selected(_) => {
                refused(self, "this is an instance and has no value".into(), "expected a part of it: `name.part`")
            }
        }
    }

    /// A function of the language or of the model, a function of an instance, or a record.
    fn call(&mut self, path: &Path, arguments: &[Argument], span: Span) -> Whole<'a> {
        let name = &path.name;
        // Functions of the language may be called where their names mean something else.
        let meaning = self.scopes.meaning(self.here, &name.text).cloned();
        let is_ours = !path.suffixes.is_empty() || matches!(meaning, Some(Meaning::Callable(..) | Meaning::Record(_)));
        if !is_ours {
            let arguments = self.unnamed(arguments).iter().map(|argument| self.expr(argument)).collect();
            return Whole::One(Expr { kind: ExprKind::Call(name.clone(), arguments), span });
        }
        let kind = match self.find(path) {
            Some(Found::Means(Meaning::Record(record))) => return self.record(&record, arguments, span),
            Some(Found::Means(Meaning::Callable(flat, types))) => {
                let arguments = self.arguments(&types, arguments);
                ExprKind::Call(Ident { text: flat, span: name.span }, arguments)
            }
            Some(Found::Chosen(Selected { name, index, of })) => {
                let mut calls = vec![];
                for meaning in of {
                    let Meaning::Callable(flat, types) = meaning else { return self.no_function(span) };
                    let arguments = self.arguments(&types, arguments);
                    let kind = ExprKind::Call(Ident { text: flat, span: name.span }, arguments);
                    calls.push(Expr { kind, span });
                }
                ExprKind::Select(name, Box::new(index), calls)
            }
            Some(_) => return self.no_function(span),
            None => return Whole::One(self.broken(span)),
        };
        Whole::One(Expr { kind, span })
    }

    fn no_function(&mut self, span: Span) -> Whole<'a> {
        self.refuse(span, "this is not a function", "expected a `define` with parameters");
        Whole::One(self.broken(span))
    }

    /// The values of arguments that have no names.
    fn unnamed<'e>(&mut self, arguments: &'e [Argument]) -> Vec<&'e Expr> {
        for name in arguments.iter().filter_map(|argument| argument.name.as_ref()) {
            let message = format!("`{} =` cannot stand here", name.text);
            self.refuse(name.span, message, "only the parts of records and instances are named");
        }
        arguments.iter().map(|argument| &argument.value).collect()
    }

    /// Arguments in the order of the parameters, records taken apart.
    pub fn arguments(&mut self, types: &Rc<Vec<Type<'a>>>, arguments: &[Argument]) -> Vec<Expr> {
        let values = self.unnamed(arguments);
        let mut list = vec![];
        for (place, value) in values.into_iter().enumerate() {
            match types.get(place) {
                Some(ty @ Type::Record(_)) => {
                    let whole = self.value(value);
                    let parts = self.parts_of(ty, &whole, value.span).unwrap_or_default();
                    list.extend(parts.into_iter().map(|(_, part)| part));
                }
                _ => list.push(self.expr(value)),
            }
        }
        list
    }

    /// A record from the values of its fields; omitted fields have the values of the record's declaration.
    fn record(&mut self, record: &Rc<Record<'a>>, arguments: &[Argument], span: Span) -> Whole<'a> {
        let mut values: Vec<Option<Whole<'a>>> = vec![None; record.fields.len()];
        for (position, argument) in arguments.iter().enumerate() {
            let place = match &argument.name {
                Some(name) => record.fields.iter().position(|field| field.name.text == name.text),
                None => Some(position).filter(|position| *position < values.len()),
            };
            let whole = self.value(&argument.value);
            match (place, &argument.name) {
                (Some(place), _) => values[place] = Some(whole),
                (None, Some(name)) => {
                    let known = record.fields.iter().map(|field| field.name.text.as_str());
                    self.unknown(name, format!("`{}` has no field `{}`", record.name, name.text), known);
                }
                (None, None) => {
                    let message = format!("`{}` has {} fields", record.name, values.len());
                    self.refuse(argument.value.span, message, "this one is too many");
                }
            }
        }
        let mut fields = vec![];
        for (field, value) in record.fields.iter().zip(values) {
            fields.push(match (value, &field.start) {
                (Some(value), _) => value,
                (None, Some(start)) => self.within(ScopeId::TOP, |this| this.value(start)),
                (None, None) => {
                    let message = format!("`{}` has no value", field.name.text);
                    self.refuse(span, message, format!("expected `{} = ...`", field.name.text));
                    Whole::One(self.broken(span))
                }
            });
        }
        Whole::Record(Rc::clone(record), fields)
    }
}
