//! Calls: the functions of the program, inlined, and those that verifiers and the C library give a meaning.

use rustc_hash::FxHashMap;

use super::declare::Declarer;
use super::memory::{Key, storage};
use super::names::Binding;
use super::order::check_order;
use super::place::Place;
use super::recursion::{Active, Began};
use super::scope::Frame;
use super::value::{Pointer, Value};
use super::{Lowerer, unsupported};
use crate::ast::{Declarator, ExprId, ExprKind, Function, UnaryOperator};
use crate::types::{Integer, Model, Type, Width};
use crate::words::Number;
use redoubt_program::expr::BinaryOp;
use redoubt_program::flow::{ActionKind, End};
use redoubt_program::program::PropertyKind;
use redoubt_program::text::Span;
use redoubt_reading::Diagnostic;
use redoubt_reading::refused::{Lowered, refuse};

/// The functions that ask the environment, and the types of their answers.
const CHOICES: [(&str, Integer); 21] = [
    ("__VERIFIER_nondet_int", Integer::INT),
    ("__VERIFIER_nondet_uint", Integer::UINT),
    ("__VERIFIER_nondet_unsigned", Integer::UINT),
    ("__VERIFIER_nondet_unsigned_int", Integer::UINT),
    ("__VERIFIER_nondet_long", Integer::INT),
    ("__VERIFIER_nondet_ulong", Integer::UINT),
    ("__VERIFIER_nondet_size_t", Integer::UINT),
    ("__VERIFIER_nondet_u32", Integer::UINT),
    ("__VERIFIER_nondet_char", Integer::CHAR),
    ("__VERIFIER_nondet_uchar", Integer::UCHAR),
    ("__VERIFIER_nondet_unsigned_char", Integer::UCHAR),
    ("__VERIFIER_nondet_u8", Integer::UCHAR),
    ("__VERIFIER_nondet_short", Integer::SHORT),
    ("__VERIFIER_nondet_ushort", Integer::USHORT),
    ("__VERIFIER_nondet_u16", Integer::USHORT),
    ("__VERIFIER_nondet_bool", Integer::BOOL),
    ("__VERIFIER_nondet__Bool", Integer::BOOL),
    ("__VERIFIER_nondet_longlong", Integer::LONG_LONG),
    ("__VERIFIER_nondet_ulonglong", Integer::ULONG_LONG),
    ("__VERIFIER_nondet_s64", Integer::LONG_LONG),
    ("__VERIFIER_nondet_u64", Integer::ULONG_LONG),
];

/// Functions that end a run without an error.
const ENDS: [&str; 6] = ["abort", "exit", "_exit", "__assert_fail", "__assert", "__assert_perror_fail"];

/// Functions that write, whose output does not matter.
const PRINTS: [&str; 6] = ["printf", "puts", "putchar", "perror", "fprintf", "fflush"];

/// Parts of the names of functions that ask the environment.
const ASKS: &str = "__VERIFIER_nondet_";

/// Those whose answers have other types in other data models.
const LONG_CHOICES: [&str; 3] = ["__VERIFIER_nondet_long", "__VERIFIER_nondet_ulong", "__VERIFIER_nondet_size_t"];

/// What a function that asks the environment is called, and the type of its answers.
fn choice(name: &str, model: Model) -> Option<(&'static str, Type)> {
    for (known, width) in [("__VERIFIER_nondet_float", Width::Single), ("__VERIFIER_nondet_double", Width::Double)] {
        if name == known {
            return Some((known, Type::Float(width)));
        }
    }
    let &(name, ty) = CHOICES.iter().find(|(known, _)| *known == name)?;
    let bits = if LONG_CHOICES.contains(&name) { model.long_bits } else { ty.bits };
    Some((name, Type::Integer(Integer { bits, ..ty })))
}

impl<'a, 's> Declarer<'_, 'a, 's> {
    /// The call of `main`, where runs start.
    pub fn main_frame(&mut self, main: &'a Function<'s>) -> Lowered<Frame<'a, 's>> {
        self.text.is_only_one("main")?;
        let parameters = main.declarator.parameters().unwrap_or_default();
        let mut names = FxHashMap::default();
        for (position, parameter) in parameters.iter().enumerate() {
            let Some(name) = parameter.declarator.name else { continue };
            let binding = self.parameter(main, position)?;
            if let Binding::Object(object) = &binding {
                self.out.undefine_object(*object, name.span);
                let leaves = self.out.memory.object(*object).leaves.len() as u32;
                let unknown = super::memory::Targets::unknown();
                (0..leaves).for_each(|leaf| self.out.memory.keeps(*object, leaf, &unknown));
            }
            names.insert(name.text, binding);
        }
        let exit = self.out.new_block();
        Ok(Frame::new("main", main, names, exit, self.result("main", main)?))
    }
}

impl<'a, 's> Lowerer<'a, 's> {
    pub fn call(&mut self, callee: ExprId, arguments: &[ExprId], span: Span) -> Lowered<Value> {
        let ExprKind::Name(name) = &self.text.expr(callee).kind else {
            return self.call_by_pointer(callee, arguments, span);
        };
        if let Some(Binding::Object(_) | Binding::Value(_)) = self.declarer().find(name) {
            return self.call_by_pointer(callee, arguments, span);
        }
        self.call_by_name(callee, name, arguments, span)
    }

    fn call_by_name(&mut self, callee: ExprId, name: &'s str, arguments: &[ExprId], span: Span) -> Lowered<Value> {
        let is_error = matches!(name, "__VERIFIER_error" | "reach_error");
        if is_error || name == "__VERIFIER_assume" || ENDS.contains(&name) {
            return self.known(callee, name, arguments, span);
        }
        if let Some(&function) = self.text.functions.get(name) {
            return self.enter_function(name, function, arguments, span);
        }
        self.known(callee, name, arguments, span)
    }

    /// A call of what a pointer points to: one of the functions that it may be, or none of them.
    fn call_by_pointer(&mut self, callee: ExprId, arguments: &[ExprId], span: Span) -> Lowered<Value> {
        let is_function = |value: &Value| match value {
            Value::Address(address) => matches!(address.ty, Type::Function(_)),
            Value::Pointer(pointer) => matches!(pointer.to, Type::Function(_)),
            _ => false,
        };
        // `(*f)()` is `f()`.
        let mut value = match &self.text.expr(callee).kind {
            ExprKind::Unary(UnaryOperator::Dereference, inner) => {
                let value = self.value(*inner)?;
                if is_function(&value) {
                    value
                } else {
                    let place = self.out.pointee(value, span)?;
                    self.out.read_place(&place, span)?
                }
            }
            _ => self.value(callee)?,
        };
        if !is_function(&value) {
            return unsupported(span, "a call of what is no function");
        }
        if let Value::Address(address) = &value {
            let Key::Function(name) = &self.out.memory.object(address.sub.object).key else {
                return unsupported(span, "a call of this");
            };
            let name = self.text.own_name(name);
            return self.call_by_name(callee, name, arguments, span);
        }
        value = self.out.settle(value, span)?;
        let Value::Pointer(Pointer { word, to: Type::Function(result), targets }) = value else {
            return unsupported(span, "a call of this");
        };
        if targets.unknown {
            return unsupported(span, "a call through a pointer that may point anywhere");
        }
        let kept = match &*result {
            Type::Void => None,
            ty => {
                let owner = self.out.routine();
                Some(self.out.object(Key::Called(callee), "value", ty, None, owner, span)?)
            }
        };
        let after = self.out.new_block();
        for target in &targets.known {
            let (Key::Function(name), Some(object)) = (&target.object, self.out.memory.find(&target.object)) else {
                continue;
            };
            let ty = self.out.memory.object(object).ty.clone();
            let name = self.text.own_name(name);
            let address = self.out.memory.address(object);
            let (inside, next) = (self.out.new_block(), self.out.new_block());
            let exprs = self.out.exprs();
            let address = exprs.int(address);
            let is_it = exprs.binary(BinaryOp::Eq, word, address);
            self.out.branch(is_it, inside, next, span, inside);
            if ty != Type::Function(result.clone()) {
                let refused: Lowered = unsupported(span, "a call of a function by a pointer of another type");
                let first = self.out.next_block();
                self.out.tolerate(refused, first)?;
            } else {
                let value = self.call_by_name(callee, name, arguments, span)?;
                if let Some(kept) = kept {
                    self.out.write_place(&Place::of(kept, (*result).clone()), value, span)?;
                }
            }
            self.out.jump(after, next);
        }
        // It points to none of them.
        let always = self.out.exprs().bool(true);
        self.out.invalid(always, span);
        self.out.jump(after, after);
        match kept {
            Some(kept) => self.out.read_place(&Place::of(kept, (*result).clone()), span),
            None => Ok(Value::Void),
        }
    }

    /// Whether a condition holds once it is the only argument of a function: as a number of 64 bits loses half of them on its way to an `int`.
    fn passed_truth(&mut self, name: &str, condition: ExprId) -> Lowered<redoubt_program::expr::ExprId> {
        let parameters = self.text.prototype(name).and_then(|(_, declarator)| declarator.parameters());
        let Some([parameter]) = parameters else { return self.truth(condition) };
        match (self.value(condition)?, self.declarer().type_of(&parameter.specifiers, &parameter.declarator)?) {
            (Value::Number(number), Type::Integer(ty)) => {
                let passed = number.convert(ty, self.out.exprs());
                Ok(passed.to_truth(self.out.exprs()))
            }
            (value, _) => self.out.truth_of(value, self.text.expr(condition).span),
        }
    }

    /// The effects of unused arguments, in gcc's order.
    fn effects_of(&mut self, arguments: &[ExprId]) -> Lowered {
        arguments.iter().rev().try_for_each(|&argument| self.effect(argument))
    }

    /// A function that needs no definition.
    fn known(&mut self, callee: ExprId, name: &'s str, arguments: &[ExprId], span: Span) -> Lowered<Value> {
        if let Some((name, asked)) = choice(name, self.out.model) {
            self.effects_of(arguments)?;
            let integer = storage(&asked);
            let variable = self.out.temporary_of(integer, span);
            self.out.choose(variable, integer, Some(name), span);
            let number = self.out.get(variable, integer);
            let value = self.out.seen_as(number, &asked, span)?;
            return match self.declarer().declared_result(name)? {
                Some(Type::Void) => unsupported(span, &format!("a value of `{name}`")),
                Some(declared)
                    if declared.bytes(self.out.model) > asked.bytes(self.out.model) && integer.bits == 32 =>
                {
                    unsupported(span, &format!("a value of `{name}` with so many bits"))
                }
                // The caller sees what it was told that there is.
                Some(declared) => self.out.cast(value, &declared, span),
                None => Ok(value),
            };
        }
        if let Some(value) = self.library(callee, name, arguments, span)? {
            return Ok(value);
        }
        if let Some(&function) = self.text.standard.get(name) {
            return self.enter_function(name, function, arguments, span);
        }
        match (name, arguments) {
            ("__VERIFIER_error" | "reach_error", _) => {
                let property = self.out.property(PropertyKind::Label, span);
                self.out.finish(End::Error(property, span));
            }
            ("__VERIFIER_assume" | "assume_abort_if_not", [condition]) => {
                let condition = self.passed_truth(name, *condition)?;
                self.out.action(ActionKind::Assume(condition), span);
            }
            ("__VERIFIER_assert" | "assert", [condition]) => {
                let truth = self.passed_truth(name, *condition)?;
                let fails = self.out.exprs().not(truth);
                self.out.check(fails, PropertyKind::Label, span);
            }
            ("__VERIFIER_nondet_pointer" | "__VERIFIER_nondet_pchar", []) => {
                let variable = self.out.temporary(span);
                let asked = if name == "__VERIFIER_nondet_pchar" {
                    "__VERIFIER_nondet_pchar"
                } else {
                    "__VERIFIER_nondet_pointer"
                };
                self.out.choose(variable, Integer::UINT, Some(asked), span);
                let word = self.out.read(variable);
                let targets = super::memory::Targets::unknown();
                return Ok(Value::Pointer(Pointer { word, to: Type::Void, targets }));
            }
            (name, _) if ENDS.contains(&name) => {
                self.effects_of(arguments)?;
                self.out.finish(End::Halt(span));
            }
            (name, _) if PRINTS.contains(&name) => {
                self.effects_of(arguments)?;
                let variable = self.out.temporary(span);
                self.out.choose(variable, Integer::INT, None, span);
                return Ok(Value::Number(Number::word(self.out.read(variable), Integer::INT)));
            }
            (name, _) if name.starts_with(ASKS) => {
                return unsupported(span, &format!("a value of `{name}`"));
            }
            (name, _) => {
                let message = format!("`{name}` is called and not defined");
                let help = "a run can come here, and what the function does is not known";
                return refuse(Diagnostic::new(span, message, "expected a function of the program").help(help));
            }
        }
        Ok(Value::Void)
    }

    /// Puts a function in place of its call.
    fn enter_function(
        &mut self,
        name: &'s str,
        function: &'a Function<'s>,
        arguments: &[ExprId],
        span: Span,
    ) -> Lowered<Value> {
        self.enough(span)?;
        self.text.is_only_one(name)?;
        let parameters = function.declarator.parameters().unwrap_or_default();
        let is_empty = |declarator: &Declarator<'_>| declarator.derived.is_empty();
        let is_void = |index: usize| {
            let parameter = &parameters[index];
            parameter.specifiers.has("void") && is_empty(&parameter.declarator) && parameter.declarator.name.is_none()
        };
        let count = if parameters.len() == 1 && is_void(0) { 0 } else { parameters.len() };
        if arguments.len() < count {
            let message = format!("`{name}` takes {count} arguments and is given {}", arguments.len());
            return refuse(Diagnostic::new(span, message, "expected more arguments"));
        }
        let (mut values, mut accesses) = (vec![], vec![]);
        for (position, &argument) in arguments.iter().enumerate().rev() {
            let since = self.out.since_now();
            let value = self.value(argument)?;
            accesses.push(self.out.accesses(since, &value));
            let is_changed = arguments[..position].iter().any(|&later| self.text.has_effect(later));
            let is_address = matches!(value, Value::Address(_));
            let is_recursive = self.text.is_recursive(name);
            values.push(if is_changed || is_address || is_recursive { self.out.settle(value, span)? } else { value });
        }
        check_order(&accesses, span)?;
        values.reverse();
        let is_recursive = self.text.is_recursive(name);
        let depth = if is_recursive { Some(self.begin_call(function, span)?) } else { None };
        let mut names = FxHashMap::default();
        for (position, (parameter, value)) in parameters[..count].iter().zip(values).enumerate() {
            let binding = match self.declarer().parameter(function, position)? {
                Binding::Object(object) => {
                    let place = self.declarer().place_of(object);
                    let value = match (&place.ty, value) {
                        (Type::Record(_), value) => value,
                        (ty, value) => self.out.assigned(value, ty, span)?,
                    };
                    let body = self.text.stmt(function.body).span;
                    let is_kept = parameter.declarator.name.is_some_and(|name| !self.text.is_changed(name.text, body));
                    match value {
                        Value::Address(_) if is_kept && !is_recursive => Binding::Value(value),
                        value => {
                            self.out.write_place(&place, value, span)?;
                            Binding::Object(object)
                        }
                    }
                }
                other => other,
            };
            if let Some(name) = parameter.declarator.name {
                names.insert(name.text, binding);
            }
        }
        let result = self.declarer().result(name, function)?;
        if let Some(Began::Again { site }) = depth {
            // The blocks of the function are there already.
            self.go_again(function, site, span)?;
        } else {
            let exit = self.out.new_block();
            if depth.is_some() {
                let entry = self.out.begin_block();
                self.active.push(Active { routine: function.body, entry, sites: vec![] });
            }
            let frame = Frame::new(name, function, names, exit, result);
            let outer = std::mem::replace(&mut self.frame, frame);
            let done = self.routine();
            self.frame = outer;
            let active = depth.is_some().then(|| self.active.pop()).flatten();
            done?;
            self.out.current = exit;
            if let Some(active) = active {
                self.return_to_callers(&active, span)?;
            }
        }
        match result {
            Some(object) => {
                let place = self.declarer().place_of(object);
                match self.out.read_place(&place, span)? {
                    // It is copied, or a member of it read, at once.
                    value @ Value::Record(_) => Ok(value),
                    // The function may be called again before the value is used.
                    value => self.out.settle(value, span),
                }
            }
            None => Ok(Value::Void),
        }
    }

    /// The function that is called now.
    pub fn routine(&mut self) -> Lowered {
        let function = self.frame.function;
        self.out.enter(function.body);
        let done = self.statement(function.body);
        self.out.leave();
        done?;
        // Without a `return` there is no value.
        if let Some(object) = self.frame.result {
            self.out.undefine_object(object, function.declarator.span);
        }
        self.out.jump(self.frame.exit, self.frame.exit);
        Ok(())
    }
}
