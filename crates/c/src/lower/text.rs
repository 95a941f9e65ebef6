//! What is known of the text before anything is lowered: what its files define and declare, and what expressions do.

use rustc_hash::{FxHashMap, FxHashSet};

use super::unsupported;
use crate::ast::{
    BinaryOperator, Declaration, Declarator, Expr, ExprId, ExprKind, Function, Item, Specifiers, Stmt, StmtId,
    StmtKind, Syntax, UnaryOperator,
};
use crate::{attribute, types};
use redoubt_program::text::Span;
use redoubt_reading::Diagnostic;
use redoubt_reading::refused::{Lowered, refuse};

/// The tree of the text, and where in it things are found by their names.
pub struct Text<'a, 's> {
    pub syntax: &'a Syntax<'s>,
    pub functions: FxHashMap<&'s str, &'a Function<'s>>,
    /// Functions of which there is another one with the same name, and where that is.
    twins: FxHashMap<&'s str, Span>,
    /// Declarations outside functions: the item, and the position in it.
    declared: FxHashMap<&'s str, Vec<(&'a Declaration<'s>, usize)>>,
    typedefs: FxHashMap<&'s str, (&'a Declaration<'s>, usize)>,
    /// Names that some function gives to a type of its own: nobody follows which type they mean where.
    local_typedefs: FxHashSet<&'s str>,
    /// By expressions: whether they do anything but compute.
    effects: Vec<bool>,
}

impl<'a, 's> Text<'a, 's> {
    pub fn new(syntax: &'a Syntax<'s>) -> Text<'a, 's> {
        let mut text = Text {
            syntax,
            functions: FxHashMap::default(),
            twins: FxHashMap::default(),
            declared: FxHashMap::default(),
            typedefs: FxHashMap::default(),
            local_typedefs: FxHashSet::default(),
            effects: vec![],
        };
        text.collect();
        text.collect_local_types();
        text.collect_effects();
        text
    }

    pub fn expr(&self, id: ExprId) -> &'a Expr<'s> {
        self.syntax.expr(id)
    }

    pub fn stmt(&self, id: StmtId) -> &'a Stmt<'s> {
        self.syntax.stmt(id)
    }

    /// Finds functions, declarations and types by their names.
    fn collect(&mut self) {
        for item in &self.syntax.items {
            match item {
                Item::Function(function) => {
                    let Some(name) = function.declarator.name else { continue };
                    if self.functions.insert(name.text, function).is_some() {
                        self.twins.insert(name.text, name.span);
                    }
                }
                Item::Declaration(declaration) => {
                    for (position, (declarator, _)) in declaration.declarators.iter().enumerate() {
                        let Some(name) = declarator.name else { continue };
                        if declaration.specifiers.has("typedef") {
                            self.typedefs.insert(name.text, (declaration, position));
                        } else {
                            self.declared.entry(name.text).or_default().push((declaration, position));
                        }
                    }
                }
            }
        }
    }

    /// Notes the names of types that functions declare for themselves.
    fn collect_local_types(&mut self) {
        for declaration in self.syntax.local_declarations().filter(|local| local.specifiers.has("typedef")) {
            let named = declaration.declarators.iter().filter_map(|(declarator, _)| declarator.name);
            self.local_typedefs.extend(named.map(|name| name.text));
            if declaration.declarators.is_empty() {
                // A name that was known before is read as a part of the type.
                self.local_typedefs.extend(declaration.specifiers.words.last());
            }
        }
    }

    /// Finds out what expressions do, each after those that it is made of: these have been read before it.
    fn collect_effects(&mut self) {
        for expr in self.syntax.exprs() {
            let has_effect = self.does_more_than_compute(&expr.kind);
            self.effects.push(has_effect);
        }
    }

    /// Whether evaluating an expression does anything but compute: assign, call, or end the run.
    pub fn has_effect(&self, id: ExprId) -> bool {
        self.effects[id.index()]
    }

    fn does_more_than_compute(&self, kind: &ExprKind<'s>) -> bool {
        match kind {
            ExprKind::Call(..) | ExprKind::Assign(..) | ExprKind::Step(..) | ExprKind::Cell(..) => true,
            ExprKind::Statements(_) | ExprKind::Member => true,
            ExprKind::Unary(UnaryOperator::Dereference, _) => true,
            ExprKind::Binary(op, a, b) => {
                let number = match &self.expr(*b).kind {
                    ExprKind::Number(text) => types::number(text).ok(),
                    _ => None,
                };
                may_end_run(*op, number.map(|(value, _)| value)) || self.has_effect(*a) || self.has_effect(*b)
            }
            ExprKind::And(a, b) | ExprKind::Or(a, b) => self.has_effect(*a) || self.has_effect(*b),
            ExprKind::Conditional(a, b, c) => self.has_effect(*a) || self.has_effect(*b) || self.has_effect(*c),
            ExprKind::Unary(_, a) | ExprKind::Cast(_, a) => self.has_effect(*a),
            ExprKind::Comma(list) => list.iter().any(|&part| self.has_effect(part)),
            ExprKind::Name(_) | ExprKind::Number(_) | ExprKind::Character(_) | ExprKind::Text => false,
            ExprKind::SizeOf(_) | ExprKind::SizeOfType(_) => false,
        }
    }

    /// Refuses functions that run before `main` or after it.
    pub fn nobody_else_is_called(&self) -> Lowered {
        for item in &self.syntax.items {
            let (specifiers, declarators): (_, Vec<_>) = match item {
                Item::Function(function) => (&function.specifiers, vec![&function.declarator]),
                Item::Declaration(declaration) => (
                    &declaration.specifiers,
                    declaration.declarators.iter().map(|(declarator, _)| declarator).collect(),
                ),
            };
            for declarator in declarators {
                let is_defined = declarator.name.is_some_and(|name| self.functions.contains_key(name.text));
                let attribute = specifiers.attribute.or(declarator.attribute);
                if let Some(name) = attribute.filter(|name| is_defined && attribute::CALLED_ANYWAY.contains(name)) {
                    return unsupported(declarator.span, &format!("the attribute `{name}`"));
                }
            }
        }
        Ok(())
    }

    /// How a function is declared, if it is.
    pub fn prototype(&self, name: &str) -> Option<(&'a Specifiers<'s>, &'a Declarator<'s>)> {
        if let Some(function) = self.functions.get(name) {
            return Some((&function.specifiers, &function.declarator));
        }
        let &(declaration, position) = self.declared.get(name)?.first()?;
        let (declarator, _) = &declaration.declarators[position];
        declarator.parameters().is_some().then_some((&declaration.specifiers, declarator))
    }

    /// The declarations of a name outside functions, each with the position in it.
    pub fn declarations(&self, name: &str) -> &[(&'a Declaration<'s>, usize)] {
        self.declared.get(name).map_or(&[], Vec::as_slice)
    }

    /// The declaration of the name of a type, and the position in it.
    pub fn typedef(&self, name: &str) -> Option<(&'a Declaration<'s>, usize)> {
        self.typedefs.get(name).copied()
    }

    /// Whether some function gives a name to a type of its own.
    pub fn is_local_type(&self, name: &str) -> bool {
        self.local_typedefs.contains(name)
    }

    /// Whether one of the declarations of a global stands before a place.
    pub fn is_declared_before(&self, name: &str, place: Span) -> bool {
        let is_before = |span: Span| span.file == place.file && span.start < place.start;
        self.declarations(name).iter().any(|(declaration, _)| is_before(declaration.span))
    }

    /// Which of two functions is meant nobody knows.
    pub fn is_only_one(&self, name: &str) -> Lowered {
        let Some(&again) = self.twins.get(name) else { return Ok(()) };
        let message = format!("the function `{name}` is defined twice");
        refuse(Diagnostic::new(again, message, "defined again here"))
    }

    /// The labels of a function, and the blocks around each. The walk has a stack of its own.
    pub fn labels(&self, body: StmtId) -> FxHashMap<&'s str, Vec<StmtId>> {
        let mut found = FxHashMap::default();
        let mut waiting = vec![(body, vec![])];
        while let Some((id, chain)) = waiting.pop() {
            let mut push = |inner: StmtId| waiting.push((inner, chain.clone()));
            match &self.stmt(id).kind {
                StmtKind::Block(list) => {
                    let mut inside = chain.clone();
                    inside.push(id);
                    waiting.extend(list.iter().map(|&inner| (inner, inside.clone())));
                }
                StmtKind::If { branches, otherwise } => {
                    branches.iter().for_each(|&(_, body)| push(body));
                    otherwise.iter().for_each(|&body| push(body));
                }
                StmtKind::For { body, first, .. } => {
                    let mut inside = chain.clone();
                    if first.is_some() {
                        inside.push(id);
                    }
                    waiting.push((*body, inside));
                }
                StmtKind::Labelled(label, inner) => {
                    found.insert(label.text, chain.clone());
                    push(*inner);
                }
                StmtKind::While(_, inner)
                | StmtKind::DoWhile(inner, _)
                | StmtKind::Switch(_, inner)
                | StmtKind::Case(_, inner)
                | StmtKind::Default(inner) => push(*inner),
                _ => {}
            }
        }
        found
    }
}

/// Whether an operator with this number on the right may end the run: by some divisors, and shifted by more bits than words have.
fn may_end_run(op: BinaryOperator, right: Option<i128>) -> bool {
    match op {
        BinaryOperator::Divide | BinaryOperator::Remainder => right.is_none_or(|divisor| divisor == 0),
        BinaryOperator::ShiftLeft | BinaryOperator::ShiftRight => right.is_none_or(|amount| amount >= 32),
        _ => false,
    }
}
