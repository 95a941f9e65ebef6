//! Facts about the text before anything is lowered: the definitions and declarations of its files, and the effects of
//! expressions.

use rustc_hash::{FxHashMap, FxHashSet};

use super::unsupported;
use crate::ast::{
    BinaryOperator, Compound, Declaration, Declarator, Expr, ExprId, ExprKind, Function, Item, Specifiers, Stmt,
    StmtId, StmtKind, Syntax, UnaryOperator,
};
use crate::types::Model;
use crate::{attribute, types};
use redoubt_program::text::Span;
use redoubt_reading::Diagnostic;
use redoubt_reading::refused::{Lowered, refuse};

/// The tree of the text, and where in it things are found by their names.
pub struct Text<'a, 's> {
    pub syntax: &'a Syntax<'s>,
    pub functions: FxHashMap<&'s str, &'a Function<'s>>,
    /// Those of the C library that are defined beside the program.
    pub standard: FxHashMap<&'s str, &'a Function<'s>>,
    /// Functions that may call themselves, perhaps by way of others.
    recursive: FxHashSet<&'s str>,
    /// Functions of which there is another one with the same name, and where that is.
    twins: FxHashMap<&'s str, Span>,
    /// Declarations outside functions: the item, and the position in it.
    declared: FxHashMap<&'s str, Vec<(&'a Declaration<'s>, usize)>>,
    typedefs: FxHashMap<&'s str, (&'a Declaration<'s>, usize)>,
    /// Names that some function gives to a type of its own: which type they mean where is not tracked.
    local_typedefs: FxHashSet<&'s str>,
    /// By expressions: whether they do anything but compute.
    effects: Vec<bool>,
    /// Structures and unions by their names, and whether there are several of that name.
    records: FxHashMap<&'s str, (&'a Compound<'s>, bool)>,
    /// Names that are assigned, or whose address is taken: where, in order.
    changed: Vec<(u32, u32, &'s str)>,
    /// Names in expressions: where, in order.
    named: Vec<(u32, u32, &'s str)>,
    /// Where jumps lead to, and the statements that their jumps stand in, if these are known.
    labels: Vec<Span>,
    cases: Vec<Span>,
    switches: Vec<Span>,
}

impl<'a, 's> Text<'a, 's> {
    /// The files from one on are the C library.
    pub fn new(syntax: &'a Syntax<'s>, standard: u32) -> Text<'a, 's> {
        let mut text = Text {
            syntax,
            functions: FxHashMap::default(),
            standard: FxHashMap::default(),
            recursive: FxHashSet::default(),
            twins: FxHashMap::default(),
            declared: FxHashMap::default(),
            typedefs: FxHashMap::default(),
            local_typedefs: FxHashSet::default(),
            effects: vec![],
            records: FxHashMap::default(),
            changed: vec![],
            named: vec![],
            labels: vec![],
            cases: vec![],
            switches: vec![],
        };
        for stmt in syntax.stmts() {
            match stmt.kind {
                StmtKind::Labelled(..) => text.labels.push(stmt.span),
                StmtKind::Case(..) | StmtKind::Default(_) => text.cases.push(stmt.span),
                StmtKind::Switch(..) => text.switches.push(stmt.span),
                _ => {}
            }
        }
        text.collect(standard);
        text.collect_recursive();
        text.collect_records();
        text.collect_changes();
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

    /// Whether a jump from outside may lead into a block, past what it begins with.
    pub fn is_jumped_into(&self, block: Span) -> bool {
        let is_within = |inner: &Span, outer: &Span| {
            inner.file == outer.file && outer.start <= inner.start && inner.end <= outer.end
        };
        let switches: Vec<&Span> = self.switches.iter().filter(|switch| is_within(switch, &block)).collect();
        self.labels.iter().any(|label| is_within(label, &block))
            || self
                .cases
                .iter()
                .any(|case| is_within(case, &block) && !switches.iter().any(|switch| is_within(case, switch)))
    }

    /// A structure or a union by its name.
    pub fn record(&self, tag: &str) -> Option<&'a Compound<'s>> {
        self.records.get(tag).map(|&(compound, _)| compound)
    }

    /// Whether there are several structures of a name.
    pub fn is_ambiguous_record(&self, tag: &str) -> bool {
        self.records.get(tag).is_some_and(|&(_, is_ambiguous)| is_ambiguous)
    }

    fn collect_records(&mut self) {
        let syntax = self.syntax;
        for item in &syntax.items {
            match item {
                Item::Function(function) => {
                    self.records_in(&function.specifiers);
                    let parameters = function.declarator.parameters().unwrap_or_default();
                    parameters.iter().for_each(|parameter| self.records_in(&parameter.specifiers));
                }
                Item::Declaration(declaration) => self.records_in(&declaration.specifiers),
            }
        }
        syntax.local_declarations().for_each(|declaration| self.records_in(&declaration.specifiers));
    }

    fn records_in(&mut self, specifiers: &'a Specifiers<'s>) {
        let Some(compound @ Compound::Record { tag, fields: Some(fields), .. }) = &specifiers.compound else { return };
        if let Some(tag) = tag {
            self.records.entry(tag.text).and_modify(|known| known.1 = true).or_insert((compound, false));
        }
        fields.iter().for_each(|field| self.records_in(&field.specifiers));
    }

    /// Finds the functions that may call themselves. Whoever mentions a function may call it, and whoever calls through a pointer may
    /// call all that are mentioned elsewhere than in a call.
    fn collect_recursive(&mut self) {
        let mut bodies: Vec<(u32, u32, u32, &'s str)> = self
            .functions
            .iter()
            .map(|(&name, function)| {
                let span = self.stmt(function.body).span;
                (span.file, span.start, span.end, name)
            })
            .collect();
        bodies.sort_unstable();
        let within = |span: Span| {
            let at = bodies.partition_point(|&(file, start, ..)| (file, start) <= (span.file, span.start));
            let &(file, _, end, name) = bodies.get(at.checked_sub(1)?)?;
            (file == span.file && span.end <= end).then_some(name)
        };
        let mut callees = FxHashSet::default();
        let (mut calls, mut indirect): (FxHashMap<&'s str, FxHashSet<&'s str>>, FxHashSet<&'s str>) =
            Default::default();
        for expr in self.syntax.exprs() {
            let ExprKind::Call(callee, _) = expr.kind else { continue };
            let caller = within(expr.span);
            match (&self.expr(callee).kind, caller) {
                (ExprKind::Name(name), Some(caller)) if self.functions.contains_key(name) => {
                    callees.insert(callee);
                    calls.entry(caller).or_default().insert(name);
                }
                (ExprKind::Name(name), _) if self.declared.contains_key(name) => {}
                (_, Some(caller)) => drop(indirect.insert(caller)),
                _ => {}
            }
        }
        let mut mentioned: FxHashSet<&'s str> = FxHashSet::default();
        for (number, expr) in self.syntax.exprs().enumerate() {
            if let ExprKind::Name(name) = expr.kind
                && self.functions.contains_key(name)
                && !callees.contains(&ExprId::new(number))
            {
                mentioned.insert(name);
            }
        }
        for caller in indirect {
            calls.entry(caller).or_default().extend(&mentioned);
        }
        for &name in self.functions.keys() {
            let (mut seen, mut waiting) = (FxHashSet::default(), vec![name]);
            while let Some(next) = waiting.pop() {
                for &callee in calls.get(next).into_iter().flatten() {
                    if seen.insert(callee) {
                        waiting.push(callee);
                    }
                }
            }
            if seen.contains(name) {
                self.recursive.insert(name);
            }
        }
    }

    /// Whether a function may call itself, perhaps by way of others.
    pub fn is_recursive(&self, name: &str) -> bool {
        self.recursive.contains(name)
    }

    fn collect_changes(&mut self) {
        for expr in self.syntax.exprs() {
            let place = match expr.kind {
                ExprKind::Assign(place, ..)
                | ExprKind::Step(place, ..)
                | ExprKind::Unary(UnaryOperator::Address, place) => place,
                _ => continue,
            };
            if let ExprKind::Name(name) = self.expr(place).kind {
                self.changed.push((expr.span.file, expr.span.start, name));
            }
        }
        self.changed.sort_unstable();
        let names = self.syntax.exprs().filter_map(|expr| match expr.kind {
            ExprKind::Name(name) => Some((expr.span.file, expr.span.start, name)),
            _ => None,
        });
        self.named = names.collect();
        self.named.sort_unstable();
    }

    /// Whether a name stands anywhere in a part of the text.
    pub fn mentions(&self, within: Span, name: &str) -> bool {
        is_among(&self.named, within, name)
    }

    /// Whether a name is assigned, or its address taken, anywhere in a part of the text.
    pub fn is_changed(&self, name: &str, within: Span) -> bool {
        is_among(&self.changed, within, name)
    }

    /// Finds functions, declarations and types by their names.
    fn collect(&mut self, standard: u32) {
        for item in &self.syntax.items {
            match item {
                Item::Function(function) => {
                    let Some(name) = function.declarator.name else { continue };
                    if name.span.file >= standard {
                        self.standard.insert(name.text, function);
                        continue;
                    }
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
            ExprKind::Statements(_) | ExprKind::Compound(..) | ExprKind::Member(_, _, true) => true,
            ExprKind::Member(base, _, false) => self.has_effect(*base),
            ExprKind::Unary(UnaryOperator::Dereference, _) => true,
            ExprKind::Binary(op, a, b) => {
                let number = match &self.expr(*b).kind {
                    ExprKind::Number(text) => types::number(text, Model::ILP32).ok(),
                    _ => None,
                };
                may_end_run(*op, number.map(|(value, _)| value)) || self.has_effect(*a) || self.has_effect(*b)
            }
            ExprKind::And(a, b) | ExprKind::Or(a, b) => self.has_effect(*a) || self.has_effect(*b),
            ExprKind::Conditional(a, b, c) => self.has_effect(*a) || self.has_effect(*b) || self.has_effect(*c),
            ExprKind::Unary(_, a) | ExprKind::Cast(_, a) => self.has_effect(*a),
            ExprKind::Comma(list) => list.iter().any(|&part| self.has_effect(part)),
            ExprKind::Name(_) | ExprKind::Number(_) | ExprKind::Character(_) | ExprKind::Text => false,
            ExprKind::SizeOf(_) | ExprKind::SizeOfType(_) | ExprKind::Offset(..) => false,
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

    /// The name of a function as it stands in the text.
    pub fn own_name(&self, name: &str) -> &'s str {
        let defined = self.functions.get_key_value(name).map(|(own, _)| *own);
        defined.or_else(|| self.declared.get_key_value(name).map(|(own, _)| *own)).unwrap_or("")
    }

    /// The declaration of a function, if there is one.
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

    /// Which of two functions is meant cannot be known.
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

/// Whether a name is listed at a place in a part of the text.
fn is_among(list: &[(u32, u32, &str)], within: Span, name: &str) -> bool {
    let from = list.partition_point(|&(file, start, _)| (file, start) < (within.file, within.start));
    let inside = list[from..].iter().take_while(|&&(file, start, _)| (file, start) < (within.file, within.end));
    inside.into_iter().any(|&(_, _, other)| other == name)
}
