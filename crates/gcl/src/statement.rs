//! Statements: assignments, calls, loops, assumptions, assertions, errors and `havoc`.

use super::ast::{Ident, Lvalue, Parameter, Proc, Stmt, StmtKind as Kind};
use super::lower::{Lowered, Lowering};
use super::names::{ArrayKind, Entity};
use super::types::{Ty, Value};
use redoubt_base::stack::grow;
use redoubt_program::expr::{ExprId, TableId, VarId};
use redoubt_program::program::legend::{LintKind, Role};
use redoubt_program::program::{Arm, PropertyKind, StmtKind};
use redoubt_program::text::Span;
use redoubt_reading::Diagnostic;

/// The place that a statement writes.
enum Target {
    Variable(VarId, Ty),
    Cell(TableId, ExprId, Ty),
    /// All cells of an array.
    Array(TableId, Ty),
}

impl<'m> Lowering<'m> {
    pub fn statements(&mut self, list: &'m [Stmt]) {
        let (after, bound) = (self.make.after, self.scope.bound.len());
        for stmt in list {
            if self.make.is_exceeded() {
                break;
            }
            // Mistakes inside it have been reported.
            let _ = grow(|| self.statement(stmt));
        }
        self.scope.bound.truncate(bound);
        self.make.after = after;
    }

    fn statement(&mut self, stmt: &'m Stmt) -> Lowered {
        let span = stmt.span;
        match &stmt.kind {
            Kind::Block(list) => self.statements(list),
            Kind::If(branches) => self.conditional(branches, span),
            Kind::Choose(alternatives) => self.choose(alternatives, span),
            Kind::Match(value, cases) => return self.matching(value, cases, span),
            Kind::For { name, range, body } => {
                let (ty, low, high) = self.range(range)?;
                for number in low..=high {
                    let mistakes = self.diagnostics.len();
                    if self.make.is_too_much(name.span) {
                        break;
                    }
                    let round = format!("{} = {}", name.text, self.make.legend.value(ty.meaning(), number));
                    self.make.rounds.push(round);
                    self.scope.bound.push((&name.text, Entity::Constant(ty, number)));
                    self.statements(body);
                    self.scope.bound.pop();
                    self.make.rounds.pop();
                    // One copy shows its mistakes; the others would show them again.
                    if self.diagnostics.len() > mistakes {
                        break;
                    }
                }
            }
            Kind::Let(name, value) => {
                let value = self.value(value);
                let entity = value.map(|value| {
                    let variable = self.make.temporary(value.ty, span);
                    self.make.push(StmtKind::Assign { variable, value: value.expr }, span);
                    Entity::Let(variable, value.ty)
                });
                self.scope.bound.push((&name.text, entity.unwrap_or(Entity::Broken)));
            }
            Kind::Fits(name, ty, value) => {
                let (value, at) = (self.value(value)?, value.span);
                let ty = self.simple_type(ty)?;
                self.expect_like(value.ty, ty, at)?;
                self.check_range(&name.text, ty, value, at);
            }
            Kind::Select(name, index, list) => {
                let at = self.instance_number(name, index, list.len())?;
                let known = self.make.program.exprs.as_int(at);
                if let Some(one) = known.and_then(|known| list.get(usize::try_from(known).ok()?)) {
                    self.statements(std::slice::from_ref(one));
                    return Ok(());
                }
                let mut arms = vec![];
                for (number, one) in list.iter().enumerate() {
                    let (block, ()) = self.aside(|this| this.statements(std::slice::from_ref(one)));
                    let number = self.make.exprs().int(number as i32);
                    arms.push(Arm {
                        guard: self.make.exprs().eq(at, number),
                        body: self.make.sequence(block),
                        span: one.span,
                    });
                }
                self.make.push(StmtKind::Choice(arms), span);
            }
            Kind::Broken => {}
            Kind::CallAt(..) => unreachable!("elaborated away"),
            Kind::Assume(condition) => {
                let condition = self.condition(condition)?;
                self.make.push(StmtKind::Assume(condition), span);
                self.make.after = Some(self.make.lint(LintKind::Assumption, span));
            }
            Kind::Assert(name, condition) => {
                let condition = self.condition(condition);
                let name = match name {
                    Some(name) => name.clone(),
                    None => Ident { text: format!("assert_{}", self.make.program.line(span)), span },
                };
                self.check_assertion(&name)?;
                let property = self.make.property(&name.text, PropertyKind::Assertion, name.span);
                let fails = self.make.exprs().not(condition?);
                self.make.do_if(fails, StmtKind::Reach(property), span);
            }
            Kind::Error(name) => {
                if let Some(&first) = self.make.assertions.get(&name.text) {
                    return self.refuse(self.make.twice(&name.text, name.span, first));
                }
                let property = self.make.property(&name.text, PropertyKind::Label, name.span);
                self.make.push(StmtKind::Error(property), span);
            }
            Kind::Havoc(place) => self.havoc(place)?,
            Kind::Call(name, arguments) => {
                let arguments: Vec<_> =
                    arguments.iter().map(|argument| (self.value(argument), argument.span)).collect();
                let Entity::Proc(proc) = self.lookup(&name.text, name.span)? else {
                    let message = format!("`{}` is not a procedure", name.text);
                    return self.refuse(Diagnostic::new(name.span, message, "only a `proc` can be called"));
                };
                if arguments.len() != proc.parameters.len() {
                    let (wanted, given) = (proc.parameters.len(), arguments.len());
                    let message = format!("`{}` takes {wanted} arguments, not {given}", name.text);
                    return self.refuse(Diagnostic::new(span, message, format!("expected {wanted} arguments")));
                }
                let mut values = vec![];
                for (argument, span) in arguments {
                    values.push((argument?, span));
                }
                self.inline(proc, values, name.span)?;
            }
            Kind::Assign(place, value) => {
                let value = (self.value(value), value.span);
                let target = self.target(place)?;
                if let Target::Array(..) = target {
                    let message = format!("`{}` is an array", place.path.name.text);
                    return self.refuse(Diagnostic::new(place.span, message, "say which cell: `name[index]`"));
                }
                self.write(target, &place.path.name.text, value.0?, value.1, span)?;
            }
        }
        Ok(())
    }

    /// An assertion has one place, however many copies of it there are.
    fn check_assertion(&mut self, name: &Ident) -> Lowered {
        let first = self.make.assertions.get(&name.text).copied();
        match (first, self.make.program.find_property(&name.text)) {
            (Some(first), _) if first != name.span => self.refuse(self.make.twice(&name.text, name.span, first)),
            (None, Some(taken)) => {
                let first = self.make.program.property(taken).span;
                self.refuse(self.make.twice(&name.text, name.span, first))
            }
            _ => {
                self.make.assertions.insert(name.text.clone(), name.span);
                Ok(())
            }
        }
    }

    fn target(&mut self, place: &'m Lvalue) -> Lowered<Target> {
        let indices: Vec<_> = place.path.indices().map(|index| (self.value(index), index.span)).collect();
        let name = &place.path.name;
        let entity = self.lookup(&name.text, name.span)?;
        let what = match entity {
            Entity::Variable(variable, ty) if indices.is_empty() => return Ok(Target::Variable(variable, ty)),
            Entity::Variable(..) => {
                let message = format!("`{}` is not an array", name.text);
                return self.refuse(Diagnostic::new(name.span, message, "only arrays have cells"));
            }
            Entity::Array { table, element, dims, kind: ArrayKind::Variable } => {
                if indices.is_empty() {
                    return Ok(Target::Array(table, element));
                }
                let cell = self.cell_number(&name.text, &dims, indices, place.span)?;
                return Ok(Target::Cell(table, cell, element));
            }
            Entity::Input(..) | Entity::Array { kind: ArrayKind::Input, .. } => "an input",
            Entity::Constant(..) if self.scope.bound.iter().any(|(bound, _)| *bound == name.text) => "a loop variable",
            Entity::Constant(..) | Entity::Array { .. } => "a constant",
            Entity::Define(_) => "a definition",
            Entity::Proc(_) => "a procedure",
            Entity::Enumeration(_) | Entity::Type(_) => "a type",
            Entity::Parameter(..) | Entity::Argument(_) => "a parameter",
            Entity::Let(..) => "a name for a value",
            Entity::Broken => unreachable!("lookup refuses it"),
        };
        let message = format!("`{}` is {what}", name.text);
        self.refuse(Diagnostic::new(name.span, message, "only a `var` can be assigned to"))
    }

    fn write(&mut self, target: Target, name: &str, value: Value, at: Span, span: Span) -> Lowered {
        match target {
            Target::Variable(variable, ty) => {
                self.expect_like(value.ty, ty, at)?;
                self.check_range(name, ty, value, at);
                self.make.push(StmtKind::Assign { variable, value: value.expr }, span);
            }
            Target::Cell(table, index, ty) => {
                self.expect_like(value.ty, ty, at)?;
                self.check_range(name, ty, value, at);
                self.make.store(table, index, value, span);
            }
            Target::Array(..) => unreachable!("refused before"),
        }
        Ok(())
    }

    /// Any value of the variable's type.
    fn havoc(&mut self, place: &'m Lvalue) -> Lowered {
        let (line, name) = (self.make.program.line(place.span), &place.path.name.text);
        match self.target(place)? {
            target @ (Target::Variable(_, ty) | Target::Cell(_, _, ty)) => {
                let value = self.make.open_value(&format!("{name}@{line}"), ty, Role::Value(ty.meaning()));
                self.write(target, name, value, place.span, place.span)
            }
            Target::Array(table, ty) => {
                for cell in 0..self.make.program.table(table).cells.len() {
                    let own = format!("{name}{}@{line}", self.make.legend.indices(table, cell));
                    let value = self.make.open_value(&own, ty, Role::Value(ty.meaning()));
                    let index = self.make.exprs().int(cell as i32);
                    self.write(Target::Cell(table, index, ty), name, value, place.span, place.span)?;
                }
                Ok(())
            }
        }
    }

    /// Puts the body of a procedure in place of a call; its parameters hide the names around it.
    fn inline(&mut self, proc: &'m Proc, arguments: Vec<(Value, Span)>, call: Span) -> Lowered {
        if let Some(start) = self.scope.inlining.iter().position(|name| *name == proc.name.text) {
            let circle = [&self.scope.inlining[start..], &[&proc.name.text]].concat();
            let message = format!("recursion is not supported: {}", circle.join(" calls "));
            return self.refuse(Diagnostic::new(call, message, "this call closes the circle"));
        }
        if self.make.is_too_much(call) {
            return Ok(());
        }
        let mut scopes = vec![];
        for (Parameter { name, ty, .. }, (value, span)) in proc.parameters.iter().zip(arguments) {
            let ty = self.simple_type(ty)?;
            self.expect_like(value.ty, ty, span)?;
            self.check_range(&name.text, ty, value, span);
            let variable = self.make.temporary(ty, span);
            self.make.push(StmtKind::Assign { variable, value: value.expr }, span);
            scopes.push((name.text.as_str(), Entity::Parameter(variable, ty)));
        }
        let outer = std::mem::replace(&mut self.scope.bound, scopes);
        self.scope.inlining.push(&proc.name.text);
        self.statements(&proc.body);
        self.scope.inlining.pop();
        self.scope.bound = outer;
        Ok(())
    }

    /// Lowers a procedure without a call, to find its mistakes.
    pub fn inline_alone(&mut self, proc: &'m Proc) {
        let mut arguments = vec![];
        for (index, Parameter { name, ty, .. }) in proc.parameters.iter().enumerate() {
            if let Some(first) = proc.parameters[..index].iter().find(|other| other.name.text == name.text) {
                let _ = self.refuse::<()>(self.make.twice(&name.text, name.span, first.name.span));
            }
            let Ok(ty) = self.simple_type(ty) else { return };
            let variable = self.make.temporary(ty, name.span);
            arguments.push((Value { expr: self.make.exprs().var(variable, ty.machine()), ty }, name.span));
        }
        let _ = self.inline(proc, arguments, proc.name.span);
    }
}
