//! Statements in terms of the plain model.

use super::Elaborator;
use super::name_expr;
use super::path::{Found, Selected};
use super::scope::{Local, Meaning};
use super::types::{Selector, Stored, Type};
use super::whole::Whole;
use crate::ast::{Argument, Branch, Case, Expr, ExprKind, Ident, Lvalue, Path, Pattern, Stmt, StmtKind, Suffix};
use redoubt_base::stack::grow;
use redoubt_program::text::Span;

impl<'a> Elaborator<'a> {
    pub fn statements(&mut self, list: &[Stmt]) -> Vec<Stmt> {
        let bound = self.locals.len();
        let mut result = vec![];
        for stmt in list {
            grow(|| self.statement(stmt, &mut result));
        }
        self.locals.truncate(bound);
        result
    }

    fn statement(&mut self, stmt: &Stmt, out: &mut Vec<Stmt>) {
        let span = stmt.span;
        let kind = match &stmt.kind {
            StmtKind::Block(list) => StmtKind::Block(self.statements(list)),
            StmtKind::If(branches) => StmtKind::If(self.branches(branches)),
            StmtKind::Choose(branches) => StmtKind::Choose(self.branches(branches)),
            StmtKind::Match(value, cases) => {
                let value = self.expr(value);
                StmtKind::Match(value, cases.iter().map(|case| self.case(case)).collect())
            }
            StmtKind::For { name, range, body } => {
                let range = self.range(range);
                self.locals.push((name.text.clone(), Local::Name));
                let body = self.statements(body);
                self.locals.pop();
                StmtKind::For { name: self.flat_ident(name), range, body }
            }
            StmtKind::Let(name, value) => return self.name_value(name, value, span, out),
            StmtKind::Assume(condition) => StmtKind::Assume(self.expr(condition)),
            StmtKind::Assert(name, condition) => {
                let name = match name {
                    Some(name) => Some(self.flat_ident(name)),
                    None if self.scopes.get(self.here).prefix.is_empty() => None,
                    None => {
                        let text = self.flat(&format!("assert_{}", self.sources.position(span).line));
                        Some(Ident { text, span })
                    }
                };
                StmtKind::Assert(name, self.expr(condition))
            }
            StmtKind::Error(name) => StmtKind::Error(self.flat_ident(name)),
            StmtKind::Havoc(place) => match self.target(place) {
                Some(Target::Plain(place)) => StmtKind::Havoc(place),
                Some(Target::Parts(stored)) if stored.indices.is_empty() && !stored.ty.has_records() => {
                    StmtKind::Havoc(place_of(&stored, &[], place.span))
                }
                Some(Target::Parts(stored)) => self.havoc(stored, place.span),
                None => StmtKind::Broken,
            },
            StmtKind::Call(name, arguments) => {
                let path = Path { name: name.clone(), suffixes: vec![] };
                let arguments: Vec<Argument> =
                    arguments.iter().map(|value| Argument { name: None, value: value.clone() }).collect();
                self.call_statement(&path, &arguments, span)
            }
            StmtKind::CallAt(path, arguments) => self.call_statement(path, arguments, span),
            StmtKind::Assign(place, value) => match self.target(place) {
                Some(Target::Plain(place)) => StmtKind::Assign(place, self.expr(value)),
                Some(Target::Parts(stored)) => self.assign(stored, place.span, value),
                None => {
                    self.value(value);
                    StmtKind::Broken
                }
            },
            StmtKind::Broken => StmtKind::Broken,
            StmtKind::Fits(..) | StmtKind::Select(..) => unreachable!("made by this stage"),
        };
        out.push(Stmt { kind, span });
    }

    pub fn flat_ident(&self, name: &Ident) -> Ident {
        Ident { text: self.flat(&name.text), span: name.span }
    }

    fn branches(&mut self, branches: &[Branch]) -> Vec<Branch> {
        let branch = |branch: &Branch| Branch {
            guard: branch.guard.as_ref().map(|guard| self.expr(guard)),
            fair: branch.fair,
            body: self.statements(&branch.body),
            span: branch.span,
        };
        branches.iter().map(branch).collect()
    }

    fn case(&mut self, case: &Case) -> Case {
        let pattern = |pattern: &Pattern| Pattern {
            low: self.expr(&pattern.low),
            high: pattern.high.as_ref().map(|high| self.expr(high)),
        };
        let patterns = case.patterns.iter().map(pattern).collect();
        Case { patterns, body: self.statements(&case.body), span: case.span }
    }

    /// A name for a value; a record gets a name for each of its fields.
    fn name_value(&mut self, name: &Ident, value: &Expr, span: Span, out: &mut Vec<Stmt>) {
        let whole = self.value(value);
        let bind = |name: String, value: Expr| Stmt { kind: StmtKind::Let(Ident { text: name, span }, value), span };
        match self.type_of_whole(&whole) {
            Some(ty @ Type::Record(_)) => {
                let parts = self.parts_of(&ty, &whole, value.span).unwrap_or_default();
                if parts.iter().any(|(way, _)| way.iter().any(|step| matches!(step, Selector::Index(_)))) {
                    self.refuse(value.span, "this has an array among its parts", "expected a record of single values");
                }
                for (way, part) in parts {
                    out.push(bind(format!("{}{}", self.flat(&name.text), fields(&way)), part));
                }
                self.locals.push((name.text.clone(), Local::Parts(ty)));
            }
            Some(_) => {
                self.refuse(value.span, "this is an array", "a `let` names a single value or a record");
                out.push(bind(self.flat(&name.text), self.broken(value.span)));
                self.locals.push((name.text.clone(), Local::Name));
            }
            None => {
                let Whole::One(value) = whole else { unreachable!("everything else has a type") };
                out.push(Stmt { kind: StmtKind::Let(self.flat_ident(name), value), span });
                self.locals.push((name.text.clone(), Local::Name));
            }
        }
    }

    fn target(&mut self, place: &Lvalue) -> Option<Target<'a>> {
        let at = place.path.name.span;
        let plain = |text: String, indices: Vec<Expr>| {
            let path =
                Path { name: Ident { text, span: at }, suffixes: indices.into_iter().map(Suffix::Index).collect() };
            Some(Target::Plain(Lvalue { path, span: place.span }))
        };
        match self.find(&place.path)? {
            Found::Means(Meaning::Broken) => None,
            Found::Means(Meaning::Stored(Stored { name, indices, ty: Type::One(_) })) => plain(name, indices),
            Found::Means(Meaning::Stored(stored)) => Some(Target::Parts(stored)),
            Found::Means(Meaning::Plain(name) | Meaning::Callable(name, _) | Meaning::Type(_, name)) => {
                plain(name, vec![])
            }
            Found::Cells(name, indices) => plain(name, indices),
            Found::Value(_) => {
                let message = format!("`{}` is an index", place.path.name.text);
                self.refuse(at, message, "only a `var` can be assigned to");
                None
            }
            _ => {
                self.refuse(place.span, "this cannot be assigned to", "only a `var` can be assigned to");
                None
            }
        }
    }

    /// All parts are looked at before the first one is written.
    fn assign(&mut self, target: Stored<'a>, at: Span, value: &Expr) -> StmtKind {
        let whole = self.value(value);
        let Some(parts) = self.parts_of(&target.ty, &whole, value.span) else { return StmtKind::Broken };
        let mut block = vec![];
        let keep = |this: &mut Self, value: Expr, block: &mut Vec<Stmt>| {
            if is_constant(&value) {
                return value;
            }
            let (name, span) = (this.fresh(value.span), value.span);
            block.push(Stmt { kind: StmtKind::Let(name.clone(), value), span });
            name_expr(name.text, span)
        };
        let indices = target.indices.into_iter().map(|index| keep(self, index, &mut block)).collect();
        let target = Stored { indices, ..target };
        let parts: Vec<_> = parts.into_iter().map(|(way, part)| (way, keep(self, part, &mut block))).collect();
        for (way, part) in parts {
            let span = part.span;
            let place = place_of(&target, &way, at);
            block.push(Stmt { kind: StmtKind::Assign(place, part), span });
        }
        StmtKind::Block(block)
    }

    fn havoc(&mut self, target: Stored<'a>, at: Span) -> StmtKind {
        let Some(ways) = self.parts(&target.ty) else {
            self.refuse(at, "this is too large to be taken apart", "expected something smaller");
            return StmtKind::Broken;
        };
        let havoc = |way: Vec<Selector>| Stmt { kind: StmtKind::Havoc(place_of(&target, &way, at)), span: at };
        StmtKind::Block(ways.into_iter().map(havoc).collect())
    }

    fn call_statement(&mut self, path: &Path, arguments: &[Argument], span: Span) -> StmtKind {
        let name = &path.name;
        match self.find(path) {
            Some(Found::Means(Meaning::Callable(flat, types))) => {
                let arguments = self.arguments(&types, arguments);
                StmtKind::Call(Ident { text: flat, span: name.span }, arguments)
            }
            Some(Found::Chosen(Selected { name, index, of })) => {
                let mut calls = vec![];
                for meaning in of {
                    let Meaning::Callable(flat, types) = meaning else { return self.no_procedure(span) };
                    let arguments = self.arguments(&types, arguments);
                    let kind = StmtKind::Call(Ident { text: flat, span: name.span }, arguments);
                    calls.push(Stmt { kind, span });
                }
                StmtKind::Select(name, index, calls)
            }
            // The next stage reports mistakes in these.
            Some(Found::Means(Meaning::Plain(flat) | Meaning::Type(_, flat))) => {
                let arguments = arguments.iter().map(|argument| self.expr(&argument.value)).collect();
                StmtKind::Call(Ident { text: flat, span: name.span }, arguments)
            }
            Some(Found::Means(Meaning::Stored(stored))) => {
                StmtKind::Call(Ident { text: stored.name, span: name.span }, vec![])
            }
            Some(Found::Means(Meaning::Broken)) | None => StmtKind::Broken,
            Some(_) => self.no_procedure(span),
        }
    }

    fn no_procedure(&mut self, span: Span) -> StmtKind {
        self.refuse(span, "this is not a procedure", "only a `proc` can be called");
        StmtKind::Broken
    }
}

#[expect(clippy::large_enum_variant, reason = "there are few of them")]
enum Target<'a> {
    /// A single value, or something that the next stage has to refuse.
    Plain(Lvalue),
    Parts(Stored<'a>),
}

fn place_of(target: &Stored<'_>, way: &[Selector], span: Span) -> Lvalue {
    let name = Ident { text: format!("{}{}", target.name, fields(way)), span };
    let further = way.iter().filter_map(|step| match step {
        Selector::Index(index) => Some(index),
        Selector::Field(_) => None,
    });
    let suffixes = target.indices.iter().chain(further).cloned().map(Suffix::Index).collect();
    Lvalue { path: Path { name, suffixes }, span }
}

/// The fields on a way, as they are written.
pub fn fields(way: &[Selector]) -> String {
    way.iter().map(|step| if let Selector::Field(name) = step { format!(".{name}") } else { String::new() }).collect()
}

fn is_constant(expr: &Expr) -> bool {
    matches!(expr.kind, ExprKind::Number(_) | ExprKind::Truth(_))
}
