//! Calls of blocks and functions, which are written out where they stand.

use std::rc::Rc;

use rustc_hash::FxHashMap;

use crate::ast::{Argument, Expr, ExprKind, Place, Stmt, StmtKind, Suffix, UnitKind, VarKind};
use crate::flow::joined;
use crate::functions;
use crate::lower::{Frame, Lowered, Lowering, Refused};
use crate::place::{Binding, Target};
use crate::storage::{At, Birth, Cells, Instance, Kind, Located, Node};
use crate::types::Ty;
use crate::value::Value;
use redoubt_base::stack::grow;
use redoubt_base::suggest;
use redoubt_program::expr::VarId;
use redoubt_program::program::{Arm, Scope, StmtKind as Made};
use redoubt_program::text::Span;
use redoubt_reading::Diagnostic;

/// The callee, and its arguments.
struct Handed<'m> {
    unit: usize,
    arguments: &'m [Argument],
    span: Span,
}

impl<'m> Lowering<'m> {
    /// A call that stands alone.
    pub fn call_statement(&mut self, place: &'m Place, span: Span) -> Lowered {
        let Some((Suffix::Call(arguments, _), path)) = place.suffixes.split_last() else {
            let message = "this does nothing";
            return self.refuse(Diagnostic::new(span, message, "expected `:=` or a call"));
        };
        if path.is_empty() && self.lookup(&place.name.key()).is_none() {
            return self.function(place, arguments, span).map(|_| ());
        }
        let located = self.located_in(place, path)?;
        match located.node.as_ref() {
            Node::Block(instance) => {
                let at = self.fixed(located.at, span);
                let instance = Rc::clone(instance);
                match at.known() {
                    Some(_) => self.call_block(&instance, at, arguments, span),
                    None => self.call_one_of(&instance, at, arguments, span),
                }
            }
            _ => {
                let message = format!("`{}` is not a block", place.name.text);
                self.refuse(Diagnostic::new(place.span, message, "only blocks and functions are called"))
            }
        }
    }

    fn located_in(&mut self, place: &'m Place, path: &'m [Suffix]) -> Lowered<Located> {
        match self.target_of(&place.name, path, place.span)? {
            Target::Located(located) => Ok(located),
            _ => {
                self.refuse(Diagnostic::new(place.span, "this is not a block", "only blocks and functions are called"))
            }
        }
    }

    /// An index whose value does not change while the call goes on.
    fn fixed(&mut self, at: At, span: Span) -> At {
        if let Some(cell) = at.known() {
            let expr = self.make.int(cell as i64);
            return At { expr, ..at };
        }
        let value = self.snapshot(Value::new(at.expr, Ty::DINT, at.low, at.high), span);
        At { expr: value.expr, ..at }
    }

    /// A call of one of several instances: more is known in each of them than in what could be any.
    fn call_one_of(&mut self, instance: &Rc<Instance>, at: At, arguments: &'m [Argument], span: Span) -> Lowered {
        let before = self.flow.take();
        let place = self.span(span);
        let (mut arms, mut ways) = (vec![], vec![]);
        for cell in at.low..=at.high {
            self.flow.clone_from(&before);
            let number = self.make.int(cell);
            let own = At { expr: number, low: cell, high: cell };
            let (body, called) = self.aside(|this| this.call_block(instance, own, arguments, span));
            called?;
            ways.push(self.flow.take());
            let guard = self.make.exprs().eq(at.expr, number);
            let body = self.make.program.add_sequence(body);
            arms.push(Arm { guard, body, span: place });
        }
        self.flow = joined(ways);
        self.make.push(Made::Choice(arms), place);
        Ok(())
    }

    fn call_block(&mut self, instance: &Rc<Instance>, at: At, arguments: &'m [Argument], span: Span) -> Lowered {
        if self.is_judging {
            return self.refuse(Diagnostic::new(span, "a property calls no blocks", "expected a function"));
        }
        let unit = instance.unit;
        let outer = self.call_site;
        let mut locals = FxHashMap::default();
        let mut outputs = vec![];
        let inputs: Vec<String> = self.inputs_of(unit);
        let mut result = Ok(());
        for (index, argument) in arguments.iter().enumerate() {
            let handed = self.hand_over(instance, at, index, argument, &inputs, &mut locals, &mut outputs);
            if handed.is_err() {
                result = handed;
            }
        }
        result?;
        self.check_references(unit, &locals, span)?;
        if self.call_site.is_none() && self.is_standard(self.units[unit].unit.name.span) {
            self.call_site = Some(self.span(span));
        }
        let ran = if instance.timer.is_some() {
            self.call_timer(instance, at, span)
        } else {
            self.run(unit, locals, Some((Rc::clone(instance), at)), span).map(|_| ())
        };
        self.call_site = outer;
        ran?;
        for (place, node, negated) in outputs {
            self.take_output(place, &Located { node, at }, negated)?;
        }
        Ok(())
    }

    fn inputs_of(&self, unit: usize) -> Vec<String> {
        let members = self.units[unit].members.iter();
        let given = members.filter(|member| matches!(member.kind, VarKind::Input | VarKind::InOut));
        given.map(|member| member.name.key()).collect()
    }

    #[allow(clippy::too_many_arguments)]
    fn hand_over(
        &mut self,
        instance: &Rc<Instance>,
        at: At,
        index: usize,
        argument: &'m Argument,
        inputs: &[String],
        locals: &mut FxHashMap<String, Binding>,
        outputs: &mut Vec<(&'m Place, Rc<Node>, bool)>,
    ) -> Lowered {
        let unit = instance.unit;
        let block = self.units[unit].unit.name.text.clone();
        match argument {
            Argument::In(name, value) => {
                let (key, name_span) = match name {
                    Some(name) => (name.key(), name.span),
                    None => match inputs.get(index) {
                        Some(key) => (key.clone(), value.span),
                        None => {
                            let message = format!("`{block}` has {} inputs", inputs.len());
                            return self.refuse(Diagnostic::new(value.span, message, "this one is too many"));
                        }
                    },
                };
                let kind =
                    self.units[unit].members.iter().find(|member| member.name.key() == key).map(|member| member.kind);
                match kind {
                    Some(VarKind::InOut) => {
                        let located = self.reference(value)?;
                        locals.insert(key, Binding::Located(located));
                        Ok(())
                    }
                    Some(VarKind::Input) => {
                        let Some(node) = instance.members.get(&key).cloned() else { return Err(Refused) };
                        self.assign_into(&Located { node, at }, value, value.span)
                    }
                    _ => {
                        let near = suggest::nearest(&key, inputs.iter().map(String::as_str));
                        let text = name.as_ref().map_or(key.clone(), |name| name.text.clone());
                        let message = format!("`{block}` has no input `{text}`");
                        let diagnostic = Diagnostic::new(name_span, message, "unknown input");
                        self.refuse(match near {
                            Some(near) => diagnostic.help(format!("did you mean `{near}`?")),
                            None => diagnostic,
                        })
                    }
                }
            }
            Argument::Out { name, place, negated } => {
                let key = name.key();
                let is_output = self.units[unit]
                    .members
                    .iter()
                    .any(|member| member.name.key() == key && member.kind == VarKind::Output);
                let (true, Some(node)) = (is_output, instance.members.get(&key)) else {
                    let message = format!("`{block}` has no output `{}`", name.text);
                    return self.refuse(Diagnostic::new(name.span, message, "unknown output"));
                };
                if let Some(place) = place {
                    outputs.push((place, Rc::clone(node), *negated));
                }
                Ok(())
            }
        }
    }

    fn take_output(&mut self, place: &'m Place, from: &Located, negated: bool) -> Lowered {
        let to = self.target(place)?;
        match (to, negated) {
            (Target::Located(to), false) => self.copy(&to, from, place.span),
            (Target::Located(to), true) => {
                let value = self.read(from, place.span)?;
                let value = self.fit(value, Ty::Bool, place.span)?;
                let value = self.not(value);
                self.write(&to, value, place.span)
            }
            (Target::Bit(to, bit), _) => {
                let value = self.read(from, place.span)?;
                let value = self.fit(value, Ty::Bool, place.span)?;
                let value = if negated { self.not(value) } else { value };
                self.write_bit(&to, bit, value.expr, place.span)
            }
            (Target::Constant(_), _) => {
                self.refuse(Diagnostic::new(place.span, "this is not a variable", "expected a variable"))
            }
        }
    }

    /// The variable that a `VAR_IN_OUT` stands for.
    fn reference(&mut self, value: &'m Expr) -> Lowered<Located> {
        let ExprKind::Place(place) = &value.kind else {
            let message = "a `VAR_IN_OUT` stands for a variable";
            return self.refuse(Diagnostic::new(value.span, message, "expected a variable"));
        };
        let located = self.located(place)?;
        if let Node::Slot(slot) = located.node.as_ref()
            && slot.is_constant
        {
            let message = format!("`{}` is a constant", slot.name);
            return self.refuse(Diagnostic::new(value.span, message, "expected a variable"));
        }
        let at = self.fixed(located.at, value.span);
        Ok(Located { at, ..located })
    }

    /// Each `VAR_IN_OUT` must stand for something, two of them not for one variable.
    fn check_references(&mut self, unit: usize, locals: &FxHashMap<String, Binding>, span: Span) -> Lowered {
        let name = self.units[unit].unit.name.text.clone();
        let wanted: Vec<(String, String, crate::types::Shape<'m>)> = self.units[unit]
            .members
            .iter()
            .filter(|member| member.kind == VarKind::InOut)
            .map(|member| (member.name.key(), member.name.text.clone(), member.shape.clone()))
            .collect();
        let mut seen: Vec<(Vec<VarId>, At, String)> = vec![];
        for (key, text, shape) in wanted {
            let Some(Binding::Located(located)) = locals.get(&key) else {
                let message = format!("`{name}` needs a variable for `{text}`");
                return self.refuse(Diagnostic::new(span, message, format!("expected `{text} := variable`")));
            };
            if !fits(&located.node, &shape) {
                let message = format!("`{text}` of `{name}` has another type");
                return self.refuse(Diagnostic::new(span, message, "expected a variable of that type"));
            }
            let mut variables = vec![];
            parts(&located.node, &mut variables);
            let overlaps = |(others, at, _): &&(Vec<VarId>, At, String)| {
                others.iter().any(|other| variables.contains(other))
                    && at.low <= located.at.high
                    && located.at.low <= at.high
            };
            if let Some((_, _, other)) = seen.iter().find(overlaps) {
                let message = format!("`{other}` and `{text}` stand for one variable");
                return self.refuse(Diagnostic::new(span, message, "expected two variables"));
            }
            seen.push((variables, located.at, text));
        }
        Ok(())
    }

    /// Executes the body of a unit. Variables in `VAR_TEMP`, and all variables of a function, start afresh.
    fn run(
        &mut self,
        unit: usize,
        mut locals: FxHashMap<String, Binding>,
        instance: Option<(Rc<Instance>, At)>,
        span: Span,
    ) -> Lowered<FxHashMap<String, Binding>> {
        if self.nesting.contains(&unit) {
            let name = self.units[unit].unit.name.text.clone();
            return self.refuse(Diagnostic::new(span, format!("block {name} calls itself"), "here"));
        }
        if self.make.is_too_much(self.span(span)) {
            return Err(Refused);
        }
        let is_function = self.units[unit].unit.kind == UnitKind::Function;
        let members = std::mem::take(&mut self.units[unit].members);
        let mut failed = false;
        for member in &members {
            let is_fresh = member.kind == VarKind::Temp
                || (is_function && !matches!(member.kind, VarKind::InOut | VarKind::External));
            if !is_fresh || locals.contains_key(&member.name.key()) {
                continue;
            }
            let births = vec![Birth { name: member.name.text.clone(), start: member.start, part: None }];
            let kind = self.local_kind(member.declared.clone(), member.name.span, member.is_constant);
            match self.allocate(&member.shape, births, &kind) {
                Ok(node) => {
                    self.reset(&node, span);
                    let at = self.zero();
                    locals.insert(member.name.key(), Binding::Located(Located { node, at }));
                }
                Err(Refused) => failed = true,
            }
        }
        self.units[unit].members = members;
        if failed {
            return Err(Refused);
        }
        let body = &self.units[unit].unit.body;
        let loops = std::mem::take(&mut self.loops);
        let returned = self.return_flag(body, span);
        self.nesting.push(unit);
        self.frames.push(Frame { unit, locals, instance, returned, returns: vec![] });
        grow(|| self.statements(body));
        let frame = self.frames.pop();
        self.nesting.pop();
        self.loops = loops;
        let Some(frame) = frame else { return Err(Refused) };
        let ways = std::iter::once(self.flow.take()).chain(frame.returns);
        self.flow = joined(ways);
        Ok(frame.locals)
    }

    fn local_kind(&self, declared: Rc<str>, span: Span, is_constant: bool) -> Kind {
        Kind { scope: Scope::Local, is_constant, is_shown: false, declared, span: self.span(span) }
    }

    /// The variable that says whether a body has been left, if it may be left in the middle.
    pub fn return_flag(&mut self, body: &[Stmt], span: Span) -> Option<VarId> {
        if !may_return(body) {
            return None;
        }
        let span = self.span(span);
        let flag = self.make.temporary(Ty::Bool, span);
        let no = self.make.exprs().bool(false);
        self.make.assign(flag, no, span);
        Some(flag)
    }

    /// Gives all cells of a variable their initial values.
    pub fn reset(&mut self, node: &Rc<Node>, span: Span) {
        let span = self.span(span);
        match node.as_ref() {
            Node::Unsupported(_) => {}
            Node::Array { element, .. } => self.reset(element, span),
            Node::Record { fields, .. } => fields.iter().for_each(|(_, field)| self.reset(field, span)),
            Node::Block(instance) => {
                let mut members: Vec<_> = instance.members.iter().collect();
                members.sort_by_key(|(name, _)| name.as_str());
                members.into_iter().for_each(|(_, member)| self.reset(member, span));
            }
            Node::Slot(slot) => match &slot.cells {
                Cells::Variables(variables) => {
                    for &variable in variables {
                        let initial = i64::from(self.make.program.variable(variable).initial);
                        let initial = if slot.ty.is_signed() || slot.ty == Ty::Bool {
                            initial
                        } else {
                            i64::from(initial as u32)
                        };
                        let value = self.known_value(slot.ty, initial);
                        self.make.assign(variable, value.expr, span);
                        self.learn(variable, (initial, initial), false);
                    }
                }
                Cells::Table(table, size) => {
                    let pointer = self.make.exprs().table(*table);
                    self.make.program.mark_written(*table);
                    for cell in 0..*size {
                        let value = self.make.program.table(*table).cell(cell as i32);
                        let (index, value) = (self.make.int(cell as i64), self.make.int(i64::from(value)));
                        self.make.push(Made::Store { pointer, index, value }, span);
                    }
                }
            },
        }
    }

    /// The value of a call of a function.
    pub fn function(&mut self, place: &'m Place, arguments: &'m [Argument], span: Span) -> Lowered<Value> {
        if place.suffixes.len() != 1 {
            return self.refuse(Diagnostic::new(
                span,
                "methods and inheritance are not supported",
                "expected a function",
            ));
        }
        let unit = self.unit_names.get(&place.name.key()).copied();
        match unit.filter(|&unit| self.units[unit].unit.kind == UnitKind::Function) {
            Some(unit) => self.call_function(Handed { unit, arguments, span }),
            None if unit.is_some() || self.lookup(&place.name.key()).is_some() => {
                let message = format!("`{}` is not a function", place.name.text);
                self.refuse(Diagnostic::new(place.name.span, message, "a block has no value; its outputs do"))
            }
            None => match self.standard_function(place, arguments, span) {
                Some(value) => value,
                None => {
                    let own = self.units.iter().filter(|unit| unit.unit.kind == UnitKind::Function);
                    let mut known: Vec<String> = own.map(|unit| unit.unit.name.text.clone()).collect();
                    known.extend(functions::NAMES.map(String::from));
                    let name = &place.name.text;
                    let near = suggest::nearest(&name.to_uppercase(), known.iter().map(String::as_str))
                        .or_else(|| suggest::nearest(name, known.iter().map(String::as_str)));
                    let message = format!("function `{name}` is not known");
                    let diagnostic = Diagnostic::new(place.name.span, message, "unknown function");
                    let diagnostic = match near {
                        Some(near) => diagnostic.help(format!("did you mean `{near}`?")),
                        None => diagnostic,
                    };
                    self.refuse(diagnostic)
                }
            },
        }
    }

    fn call_function(&mut self, Handed { unit, arguments, span }: Handed<'m>) -> Lowered<Value> {
        let members = &self.units[unit].members;
        let given =
            members.iter().filter(|member| matches!(member.kind, VarKind::Input | VarKind::InOut | VarKind::Output));
        let inputs: Vec<String> = given.map(|member| member.name.key()).collect();
        let function = self.units[unit].unit.name.text.clone();
        let mut locals = FxHashMap::default();
        let mut outputs: Vec<(&'m Place, String, bool)> = vec![];
        for (index, argument) in arguments.iter().enumerate() {
            let (name, value) = match argument {
                Argument::In(name, value) => (name, value),
                Argument::Out { name, place, negated } => {
                    let is_output = self.units[unit]
                        .members
                        .iter()
                        .any(|member| member.kind == VarKind::Output && member.name.key() == name.key());
                    if !is_output {
                        let message = format!("`{function}` has no output `{}`", name.text);
                        return self.refuse(Diagnostic::new(name.span, message, "unknown output"));
                    }
                    outputs.extend(place.as_ref().map(|place| (place, name.key(), *negated)));
                    continue;
                }
            };
            let (key, at) = match name {
                Some(name) => (Some(name.key()), name.span),
                None => (inputs.get(index).cloned(), value.span),
            };
            let found = key.and_then(|key| {
                let member = self.units[unit].members.iter().find(|member| member.name.key() == key)?;
                Some((key, member.kind, member.shape.clone(), member.declared.clone()))
            });
            match found {
                Some((key, VarKind::InOut, ..)) => {
                    let located = self.reference(value)?;
                    locals.insert(key, Binding::Located(located));
                }
                Some((key, VarKind::Output, ..)) => {
                    let ExprKind::Place(place) = &value.kind else {
                        return self.refuse(Diagnostic::new(value.span, "this is an output", "expected a variable"));
                    };
                    outputs.push((place, key, false));
                }
                Some((key, VarKind::Input, shape, declared)) => {
                    let kind = self.local_kind(declared, value.span, false);
                    let births = vec![Birth { name: format!("{function}.{key}"), start: None, part: None }];
                    let node = self.allocate(&shape, births, &kind)?;
                    let zero = self.zero();
                    let located = Located { node, at: zero };
                    self.assign_into(&located, value, value.span)?;
                    locals.insert(key, Binding::Located(located));
                }
                _ => {
                    let message = match name {
                        Some(name) => format!("`{function}` has no input `{}`", name.text),
                        None => format!("`{function}` takes {} values", inputs.len()),
                    };
                    return self.refuse(Diagnostic::new(at, message, "unknown input"));
                }
            }
        }
        self.check_references(unit, &locals, span)?;
        let result = self.units[unit].result.clone();
        let Some(shape) = result else { return Err(Refused) };
        let name = self.units[unit].unit.name.clone();
        let kind = self.local_kind(name.text.as_str().into(), name.span, false);
        let node = self.allocate(&shape, vec![Birth { name: name.text.clone(), start: None, part: None }], &kind)?;
        self.reset(&node, span);
        let at = self.zero();
        let located = Located { node, at };
        locals.insert(name.key(), Binding::Located(located.clone()));
        let locals = self.run(unit, locals, None, span)?;
        for (place, key, negated) in outputs {
            if let Some(Binding::Located(from)) = locals.get(&key) {
                self.take_output(place, from, negated)?;
            }
        }
        self.read(&located, span)
    }

    /// Assigns an expression to a variable of any type.
    pub fn assign_into(&mut self, to: &Located, value: &'m Expr, span: Span) -> Lowered {
        match (to.node.as_ref(), &value.kind) {
            (Node::Slot(slot), _) => {
                let found = self.value(value)?;
                let found = self.fit(found, slot.ty, value.span)?;
                self.write(to, found, span)
            }
            (Node::Unsupported(message), _) => self.refuse(Diagnostic::new(span, *message, "not supported")),
            (_, ExprKind::Place(place)) if matches!(place.suffixes.last(), Some(Suffix::Call(..))) => {
                let message = "a function whose result is a structure or an array is not supported";
                self.refuse(Diagnostic::new(value.span, message, "expected a `VAR_OUTPUT` or a `VAR_IN_OUT` for it"))
            }
            (_, ExprKind::Place(place)) => {
                let from = self.located(place)?;
                self.copy(to, &from, span)
            }
            _ => self.refuse(Diagnostic::new(value.span, "this is a single value", "expected a variable as a whole")),
        }
    }
}

/// Whether a body may be left by `RETURN`.
pub fn may_return(body: &[Stmt]) -> bool {
    body.iter().any(|stmt| grow(|| leaves(stmt, &|kind| matches!(kind, StmtKind::Return), true)))
}

/// Whether a statement contains one of a kind, perhaps inside of loops.
pub fn leaves(stmt: &Stmt, is_one: &dyn Fn(&StmtKind) -> bool, in_loops: bool) -> bool {
    let any = |body: &[Stmt]| body.iter().any(|stmt| grow(|| leaves(stmt, is_one, in_loops)));
    match &stmt.kind {
        StmtKind::If(branches) => branches.iter().any(|branch| any(&branch.body)),
        StmtKind::Case(_, arms) => arms.iter().any(|arm| any(&arm.body)),
        StmtKind::For(_, body) | StmtKind::While(_, body) | StmtKind::Repeat(body, _) => in_loops && any(body),
        kind => is_one(kind),
    }
}

/// All variables that a node is made of.
fn parts(node: &Node, variables: &mut Vec<VarId>) {
    match node {
        Node::Slot(slot) => match &slot.cells {
            Cells::Variables(list) => variables.extend(list),
            Cells::Table(..) => {}
        },
        Node::Array { element, .. } => parts(element, variables),
        Node::Record { fields, .. } => fields.iter().for_each(|(_, field)| parts(field, variables)),
        Node::Block(instance) => instance.members.values().for_each(|member| parts(member, variables)),
        Node::Unsupported(_) => {}
    }
}

/// Whether a variable has a type, not just one that it could be converted to.
fn fits(node: &Node, shape: &crate::types::Shape<'_>) -> bool {
    use crate::types::Shape;
    match (node, shape) {
        (Node::Slot(slot), Shape::One(scalar)) => slot.ty == scalar.ty && slot.range == scalar.range,
        (Node::Array { low, high, element, .. }, Shape::Array { low: from, high: to, element: inner, .. }) => {
            (low, high) == (from, to) && fits(element, inner)
        }
        (Node::Record { name, .. }, Shape::Structure(structure)) => *name == structure.name,
        (Node::Block(instance), Shape::Block(unit)) => instance.unit == *unit,
        (Node::Unsupported(_), Shape::Unsupported(_)) => true,
        _ => false,
    }
}
