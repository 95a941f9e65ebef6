//! Variables: the meaning of a name and its suffixes, reading and writing.

use std::rc::Rc;

use crate::ast::{Expr, Ident, Place, Suffix};
use crate::flow::Bounds;
use crate::lower::{Lowered, Lowering, Moment};
use crate::storage::{At, Cells, Located, Node, Slot};
use crate::types::Ty;
use crate::value::Value;
use redoubt_base::suggest;
use redoubt_program::expr::{BinaryOp, ExprId, UnaryOp, VarId};
use redoubt_program::program::{Arm, PropertyId, PropertyKind, StmtKind};
use redoubt_program::text::Span;
use redoubt_reading::Diagnostic;

/// The meaning of a name.
#[derive(Clone, Debug)]
pub enum Binding {
    Located(Located),
    /// A constant, with its type if it has one.
    Constant(Option<Ty>, i64),
}

/// The target of a place.
pub enum Target {
    Located(Located),
    Constant(Value),
    /// A bit of a number.
    Bit(Located, u32),
}

impl<'m> Lowering<'m> {
    /// The meaning of a name of the current unit.
    pub fn lookup(&self, key: &str) -> Option<Binding> {
        if let Some(frame) = self.frames.last() {
            if let Some(binding) = frame.locals.get(key) {
                return Some(binding.clone());
            }
            if let Some((instance, at)) = &frame.instance
                && let Some(node) = instance.members.get(key)
            {
                return Some(Binding::Located(Located { node: Rc::clone(node), at: *at }));
            }
            if let Some(binding) = self.units[frame.unit].constants.get(key) {
                return Some(binding.clone());
            }
        }
        self.globals.get(key).cloned()
    }

    pub fn unknown<T>(&mut self, name: &Ident) -> Lowered<T> {
        let mut known: Vec<String> = self.globals.keys().cloned().collect();
        if let Some(frame) = self.frames.last() {
            known.extend(frame.locals.keys().cloned());
            known.extend(self.units[frame.unit].members.iter().map(|member| member.name.text.clone()));
        }
        known.extend(self.values.keys().cloned());
        known.sort();
        let near = suggest::nearest(&name.key(), known.iter().map(String::as_str)).map(str::to_string);
        let diagnostic = Diagnostic::new(name.span, format!("`{}` is not declared", name.text), "unknown name");
        self.refuse(match near {
            Some(near) => diagnostic.help(format!("did you mean `{near}`?")),
            None => diagnostic,
        })
    }

    /// The target of a place; calls are handled elsewhere.
    pub fn target(&mut self, place: &'m Place) -> Lowered<Target> {
        self.target_of(&place.name, &place.suffixes, place.span)
    }

    /// The target of a name and some of its suffixes.
    pub fn target_of(&mut self, name: &'m Ident, suffixes: &'m [Suffix], span: Span) -> Lowered<Target> {
        let mut located = match self.lookup(&name.key()) {
            Some(Binding::Located(located)) => located,
            Some(Binding::Constant(ty, value)) if suffixes.is_empty() => {
                return Ok(Target::Constant(match ty {
                    Some(ty) => self.known_value(ty, value),
                    None => self.literal_value(value),
                }));
            }
            Some(Binding::Constant(..)) => {
                let message = format!("`{}` is a single value", name.text);
                return self.refuse(Diagnostic::new(span, message, "it has no parts"));
            }
            None => {
                if let (Some(&(enumeration, index)), true) = (self.values.get(&name.key()), suffixes.is_empty()) {
                    if enumeration == usize::MAX {
                        let message = format!("several types have a value `{}`", name.text);
                        let label = "expected `Type#Value`";
                        return self.refuse(Diagnostic::new(name.span, message, label));
                    }
                    return Ok(Target::Constant(self.known_value(Ty::Enumeration(enumeration), index as i64)));
                }
                return self.unknown(name);
            }
        };
        for (number, suffix) in suffixes.iter().enumerate() {
            match suffix {
                Suffix::Field(field) => located = self.field(located, field)?,
                Suffix::Index(indices, at) => {
                    for index in indices {
                        located = self.element(located, index, *at)?;
                    }
                }
                Suffix::Bit(bit, span) => {
                    if number + 1 != suffixes.len() {
                        return self.refuse(Diagnostic::new(*span, "a bit has no parts", "expected at the end"));
                    }
                    return self.bit(located, *bit, *span);
                }
                Suffix::Call(_, span) => {
                    return self.refuse(Diagnostic::new(*span, "a call has no parts", "expected a variable"));
                }
                Suffix::Pointer(span) => {
                    let message = crate::literal::NO_TEXTS;
                    return self.refuse(Diagnostic::new(*span, message, "not supported"));
                }
            }
        }
        Ok(Target::Located(located))
    }

    fn bit(&mut self, located: Located, bit: u32, span: Span) -> Lowered<Target> {
        match located.node.as_ref() {
            Node::Slot(slot) if slot.ty.is_number() && bit < u32::from(slot.ty.width()) => {
                Ok(Target::Bit(located, bit))
            }
            Node::Slot(slot) if slot.ty.is_number() => {
                let message = format!("{} has no bit {bit}", slot.ty.name());
                self.refuse(Diagnostic::new(span, message, format!("expected 0 to {}", slot.ty.width() - 1)))
            }
            _ => self.refuse(Diagnostic::new(span, "this has no bits", "expected a number")),
        }
    }

    /// A variable, and nothing else.
    pub fn located(&mut self, place: &'m Place) -> Lowered<Located> {
        match self.target(place)? {
            Target::Located(located) => Ok(located),
            _ => self.refuse(Diagnostic::new(place.span, "this is not a variable", "expected a variable")),
        }
    }

    fn field(&mut self, located: Located, name: &Ident) -> Lowered<Located> {
        let key = name.key();
        let (owner, node) = match located.node.as_ref() {
            Node::Record { name, fields } => {
                (name.clone(), fields.iter().find(|(field, _)| *field == key).map(|(_, node)| Rc::clone(node)))
            }
            Node::Block(instance) => (instance.name.clone(), instance.members.get(&key).cloned()),
            Node::Unsupported(message) => {
                return self.refuse(Diagnostic::new(name.span, *message, "not supported"));
            }
            _ => {
                let message = "this has no parts with names";
                return self.refuse(Diagnostic::new(name.span, message, "expected a structure or a block"));
            }
        };
        match node {
            Some(node) => Ok(Located { node, at: located.at }),
            None => {
                let known: Vec<String> = match located.node.as_ref() {
                    Node::Record { fields, .. } => fields.iter().map(|(name, _)| name.clone()).collect(),
                    Node::Block(instance) => {
                        instance.members.keys().filter(|name| !name.starts_with('@')).cloned().collect()
                    }
                    _ => vec![],
                };
                let near = suggest::nearest(&key, known.iter().map(String::as_str));
                let message = format!("`{owner}` has no `{}`", name.text);
                let diagnostic = Diagnostic::new(name.span, message, "unknown name");
                let diagnostic = match near {
                    Some(near) => diagnostic.help(format!("did you mean `{near}`?")),
                    None => diagnostic,
                };
                self.refuse(diagnostic)
            }
        }
    }

    fn element(&mut self, located: Located, index: &'m Expr, span: Span) -> Lowered<Located> {
        let Node::Array { low, high, element, name, .. } = located.node.as_ref() else {
            return self.refuse(Diagnostic::new(span, "this is not an array", "only arrays have cells"));
        };
        let (low, high) = (*low, *high);
        let value = self.value(index)?;
        match value.ty {
            None | Some(Ty::Int { .. } | Ty::Bits(_)) => {}
            Some(ty) => {
                let message = format!("this is {}, not a number", self.type_name(ty));
                return self.refuse(Diagnostic::new(index.span, message, "expected an index"));
            }
        }
        let property = format!("index({name})");
        let value = self.snapshot(value, index.span);
        let value = self.check_bounds(value, low, high, &property, PropertyKind::IndexOutOfBounds, span);
        let (first, size) = (self.make.int(low), self.make.int(high - low + 1));
        let offset = self.make.op(BinaryOp::Sub, value.expr, first);
        let outer = self.make.op(BinaryOp::Mul, located.at.expr, size);
        let expr = self.make.op(BinaryOp::Add, outer, offset);
        let size = high - low + 1;
        let (from, to) = (value.low.clamp(low, high) - low, value.high.clamp(low, high) - low);
        let at = At { expr, low: located.at.low * size + from, high: located.at.high * size + to };
        Ok(Located { node: Rc::clone(element), at })
    }

    /// The run ends where a value is outside its bounds.
    pub fn check_bounds(
        &mut self,
        value: Value,
        low: i64,
        high: i64,
        name: &str,
        kind: PropertyKind,
        span: Span,
    ) -> Value {
        if value.low >= low && value.high <= high {
            return value;
        }
        let limit = |this: &mut Self, number| this.literal_value(number);
        let (from, to) = (limit(self, low), limit(self, high));
        let plain = Value { clock: None, ..value };
        let (below, above) = (self.less(plain, from), self.less(to, plain));
        let outside = self.make.op(BinaryOp::Or, below.expr, above.expr);
        let span = self.span(span);
        let property = self.make.property(name, kind, span);
        self.fail_if(outside, property, span);
        if !self.is_judging && (value.low > high || value.high < low) {
            self.flow = None;
        }
        Value { low: value.low.clamp(low, high), high: value.high.clamp(low, high), ..value }
    }

    /// The run ends where a condition holds. A property only looks on: it fails, and the run goes on.
    pub fn fail_if(&mut self, condition: ExprId, property: PropertyId, span: Span) {
        if !self.is_judging {
            self.make.do_if(condition, StmtKind::Error(property), span);
            return;
        }
        if self.make.program.exprs.as_bool(condition) == Some(false) {
            return;
        }
        let failed = match self.failed {
            Some(failed) => failed,
            None => {
                let failed = self.make.temporary(Ty::Bool, span);
                self.failed = Some(failed);
                failed
            }
        };
        let (body, ()) = self.aside(|this| {
            let yes = this.make.exprs().bool(true);
            this.make.push(StmtKind::Reach(property), span);
            this.make.assign(failed, yes, span);
        });
        let body = self.make.program.add_sequence(body);
        self.make.push(StmtKind::Choice(vec![Arm { guard: condition, body, span }]), span);
    }

    /// A truth value of a property; where it cannot be evaluated it is what `otherwise` says.
    pub fn observed(&mut self, expr: &'m Expr, otherwise: bool) -> Lowered<Value> {
        let outer = self.failed.take();
        let is_judging = std::mem::replace(&mut self.is_judging, true);
        let (statements, value) = self.aside(|this| this.condition(expr));
        self.is_judging = is_judging;
        let failed = std::mem::replace(&mut self.failed, outer);
        let Some(failed) = failed else {
            self.make.block.extend(statements);
            return value;
        };
        let no = self.make.exprs().bool(false);
        self.make.assign(failed, no, self.span(expr.span));
        self.make.block.extend(statements);
        let (value, failed) = (value?, self.make.exprs().var(failed, redoubt_program::expr::Type::Bool));
        let otherwise = self.make.exprs().bool(otherwise);
        let expr = self.make.ite(failed, otherwise, value.expr);
        Ok(Value::truth(expr))
    }

    /// The value of a variable.
    pub fn read(&mut self, located: &Located, span: Span) -> Lowered<Value> {
        let slot = match located.node.as_ref() {
            Node::Slot(slot) => slot,
            Node::Unsupported(message) => {
                return self.refuse(Diagnostic::new(span, *message, "not supported"));
            }
            Node::Array { .. } => {
                return self.refuse(Diagnostic::new(span, "this is an array", "expected a single value"));
            }
            Node::Record { .. } => {
                return self.refuse(Diagnostic::new(span, "this is a structure", "expected a single value"));
            }
            Node::Block(_) => {
                return self.refuse(Diagnostic::new(
                    span,
                    "this is a block and has no value",
                    "expected a single value",
                ));
            }
        };
        match &slot.output {
            Some(followed) => self.followed(followed, located.at, span),
            None => Ok(self.read_slot(slot, located.at)),
        }
    }

    fn read_slot(&mut self, slot: &Slot, at: At) -> Value {
        let limits = slot.range.unwrap_or(self.type_bounds(slot.ty));
        match &slot.cells {
            Cells::Variables(variables) => match at.known() {
                Some(cell) => self.read_variable(variables[cell.min(variables.len() - 1)], slot, limits),
                None => {
                    let cells = at.low.max(0) as usize..=(at.high.max(0) as usize).min(variables.len() - 1);
                    let mut value: Option<Value> = None;
                    for cell in cells.rev() {
                        let this = self.read_variable(variables[cell], slot, limits);
                        value = Some(match value {
                            None => this,
                            Some(rest) => {
                                let number = self.make.int(cell as i64);
                                let is_this = self.make.exprs().eq(at.expr, number);
                                let is_this = self.truth_value(is_this);
                                self.either(is_this, this, rest)
                            }
                        });
                    }
                    value.unwrap_or_else(|| Value::new(at.expr, slot.ty, limits.0, limits.1))
                }
            },
            Cells::Table(table, _) => {
                let pointer = self.make.exprs().table(*table);
                let cell = self.make.exprs().cell(pointer, at.expr);
                let expr = if slot.ty == Ty::Bool { self.make.truth_of(cell) } else { cell };
                Value::new(expr, slot.ty, limits.0, limits.1)
            }
        }
    }

    fn read_variable(&mut self, variable: VarId, slot: &Slot, limits: Bounds) -> Value {
        let (low, high) = match self.moment {
            Moment::Initial if variable.index() < self.declared => {
                let initial = i64::from(self.make.program.variable(variable).initial);
                let initial =
                    if slot.ty.is_signed() || slot.ty == Ty::Bool { initial } else { i64::from(initial as u32) };
                (initial, initial)
            }
            _ => self.known_bounds(variable, limits),
        };
        if low == high {
            return self.known_value(slot.ty, low);
        }
        let expr = self.make.exprs().var(variable, slot.ty.machine());
        Value::new(expr, slot.ty, low, high)
    }

    pub fn known_bounds(&self, variable: VarId, limits: Bounds) -> Bounds {
        let mut bounds = limits;
        let flow = self.flow.as_ref().and_then(|flow| flow.known.get(&variable));
        let always = self.facts.values.get(&variable).filter(|_| variable.index() < self.declared);
        for &(low, high) in [flow, always].into_iter().flatten() {
            if low.max(bounds.0) <= high.min(bounds.1) {
                bounds = (low.max(bounds.0), high.min(bounds.1));
            }
        }
        bounds
    }

    /// The value, kept in a variable of its own if it might change.
    pub fn snapshot(&mut self, value: Value, span: Span) -> Value {
        let ty = value.ty.unwrap_or(Ty::DINT);
        let known = match ty {
            Ty::Bool => self.make.program.exprs.as_bool(value.expr).is_some(),
            _ => self.make.program.exprs.as_int(value.expr).is_some(),
        };
        if known {
            return value;
        }
        let span = self.span(span);
        let variable = self.make.temporary(ty, span);
        self.make.assign(variable, value.expr, span);
        let expr = self.make.exprs().var(variable, ty.machine());
        Value { expr, clock: None, ..value }
    }

    /// Assigns a value that has the type of the variable.
    pub fn write(&mut self, located: &Located, value: Value, span: Span) -> Lowered {
        let slot = match located.node.as_ref() {
            Node::Slot(slot) => slot,
            Node::Unsupported(message) => {
                return self.refuse(Diagnostic::new(span, *message, "not supported"));
            }
            _ => {
                return self.refuse(Diagnostic::new(span, "this is not a single value", "expected a variable"));
            }
        };
        if slot.is_constant {
            let message = format!("`{}` is a constant", slot.name);
            return self.refuse(Diagnostic::new(span, message, "it cannot be assigned"));
        }
        if slot.is_clockwork && !self.is_clockwork {
            return self.refuse(Diagnostic::new(span, "this is an output of a timer", "only the timer writes it"));
        }
        let mut value = value;
        if let Some((low, high)) = slot.range {
            value = self.snapshot_if(value, value.low < low || value.high > high, span);
            let name = format!("range({})", slot.name);
            value = self.check_bounds(value, low, high, &name, PropertyKind::OutOfRange, span);
        }
        let span = self.span(span);
        match &slot.cells {
            Cells::Variables(variables) => match located.at.known() {
                Some(cell) => {
                    let variable = variables[cell.min(variables.len() - 1)];
                    self.make.assign(variable, value.expr, span);
                    self.learn(variable, (value.low, value.high), false);
                }
                None => {
                    let cells =
                        located.at.low.max(0) as usize..=(located.at.high.max(0) as usize).min(variables.len() - 1);
                    let mut arms = vec![];
                    for cell in cells {
                        let number = self.make.int(cell as i64);
                        let guard = self.make.exprs().eq(located.at.expr, number);
                        let kind = StmtKind::Assign { variable: variables[cell], value: value.expr };
                        let body = self.make.program.add_stmt(kind, span);
                        arms.push(Arm { guard, body, span });
                        self.learn(variables[cell], (value.low, value.high), true);
                    }
                    self.make.push(StmtKind::Choice(arms), span);
                }
            },
            Cells::Table(table, _) => {
                let pointer = self.make.exprs().table(*table);
                let number = match slot.ty {
                    Ty::Bool => self.make.exprs().unary(UnaryOp::ToInt, value.expr),
                    _ => value.expr,
                };
                self.make.program.mark_written(*table);
                self.make.push(StmtKind::Store { pointer, index: located.at.expr, value: number }, span);
            }
        }
        Ok(())
    }

    fn snapshot_if(&mut self, value: Value, condition: bool, span: Span) -> Value {
        if condition { self.snapshot(value, span) } else { value }
    }

    /// Notes the present values of a variable, or possible ones.
    pub fn learn(&mut self, variable: VarId, bounds: Bounds, is_possible: bool) {
        let Some(flow) = &mut self.flow else { return };
        self.found.note(variable, bounds);
        if is_possible {
            if let Some(known) = flow.known.get_mut(&variable) {
                *known = crate::flow::join(*known, bounds);
            }
        } else {
            flow.known.insert(variable, bounds);
        }
    }

    /// Assigns to a bit of a number.
    pub fn write_bit(&mut self, located: &Located, bit: u32, value: ExprId, span: Span) -> Lowered {
        let old = self.read(located, span)?;
        let Some(ty) = old.ty else { return Ok(()) };
        let mask = self.make.int(1 << bit);
        let rest = self.make.int(!(1_i64 << bit));
        let set = self.make.op(BinaryOp::BitOr, old.expr, mask);
        let cleared = self.make.op(BinaryOp::BitAnd, old.expr, rest);
        let number = self.make.ite(value, set, cleared);
        let number = self.low_bits(number, ty);
        let (low, high) = self.type_bounds(ty);
        self.write(located, Value::new(number, ty, low, high), span)
    }

    pub fn read_bit(&mut self, located: &Located, bit: u32, span: Span) -> Lowered<Value> {
        let value = self.read(located, span)?;
        let mask = self.make.int(1 << bit);
        let masked = self.make.op(BinaryOp::BitAnd, value.expr, mask);
        let zero = self.make.int(0);
        let none = self.make.exprs().eq(masked, zero);
        let set = self.make.exprs().not(none);
        Ok(self.truth_value(set))
    }

    /// Assigns an array or a structure as a whole.
    pub fn copy(&mut self, to: &Located, from: &Located, span: Span) -> Lowered {
        match (to.node.as_ref(), from.node.as_ref()) {
            (Node::Slot(slot), Node::Slot(_)) => {
                let value = self.read(from, span)?;
                let value = self.fit(value, slot.ty, span)?;
                self.write(to, value, span)
            }
            (Node::Record { name, fields }, Node::Record { name: other, fields: others }) if name == other => {
                for ((_, field), (_, other)) in fields.iter().zip(others) {
                    let to = Located { node: Rc::clone(field), at: to.at };
                    self.copy(&to, &Located { node: Rc::clone(other), at: from.at }, span)?;
                }
                Ok(())
            }
            (Node::Array { low, high, element, .. }, Node::Array { low: first, high: last, element: other, .. })
                if high - low == last - first =>
            {
                for offset in 0..=(high - low) {
                    if self.make.is_too_much(span) {
                        return Ok(());
                    }
                    let size = high - low + 1;
                    let to = Located { node: Rc::clone(element), at: self.inner(to.at, size, offset) };
                    let from = Located { node: Rc::clone(other), at: self.inner(from.at, size, offset) };
                    self.copy(&to, &from, span)?;
                }
                Ok(())
            }
            (Node::Unsupported(message), _) | (_, Node::Unsupported(message)) => {
                self.refuse(Diagnostic::new(span, *message, "not supported"))
            }
            (Node::Block(_), _) | (_, Node::Block(_)) => {
                self.refuse(Diagnostic::new(span, "blocks cannot be assigned", "expected values"))
            }
            _ => self.refuse(Diagnostic::new(span, "these are not of one type", "expected the same on both sides")),
        }
    }

    /// The cell of an array with a known offset.
    pub fn inner(&mut self, at: At, size: i64, offset: i64) -> At {
        let (count, first) = (self.make.int(size), self.make.int(offset));
        let outer = self.make.op(BinaryOp::Mul, at.expr, count);
        let expr = self.make.op(BinaryOp::Add, outer, first);
        At { expr, low: at.low * size + offset, high: at.high * size + offset }
    }
}
