//! Calls: the functions of the program, inlined, and those that verifiers and the C library give a meaning.

use rustc_hash::FxHashMap;

use super::declare::Declarer;
use super::names::Binding;
use super::order::check_order;
use super::scope::Frame;
use super::value::Value;
use super::{Lowerer, integer_of, is_wide, unsupported};
use crate::ast::{Declarator, ExprId, ExprKind, Function};
use crate::types::{Integer, Type};
use crate::words::Number;
use redoubt_program::flow::{ActionKind, End};
use redoubt_program::program::PropertyKind;
use redoubt_program::text::Span;
use redoubt_reading::Diagnostic;
use redoubt_reading::refused::{Lowered, refuse};

/// The functions that ask the environment, and the types of their answers.
const CHOICES: [(&str, Integer); 22] = [
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
    ("__VERIFIER_nondet_pchar", Integer::UINT),
    ("__VERIFIER_nondet_longlong", Integer::LONG_LONG),
    ("__VERIFIER_nondet_ulonglong", Integer::ULONG_LONG),
    ("__VERIFIER_nondet_s64", Integer::LONG_LONG),
    ("__VERIFIER_nondet_u64", Integer::ULONG_LONG),
];

/// What ends a run without an error.
const ENDS: [&str; 6] = ["abort", "exit", "_exit", "__assert_fail", "__assert", "__assert_perror_fail"];

/// What writes, which nobody looks at.
const PRINTS: [&str; 6] = ["printf", "puts", "putchar", "perror", "fprintf", "fflush"];

/// Parts of the names of functions that ask the environment.
const ASKS: &str = "__VERIFIER_nondet_";

impl<'a, 's> Declarer<'_, 'a, 's> {
    /// The call of `main`, where runs start.
    pub fn main_frame(&mut self, main: &'a Function<'s>) -> Lowered<Frame<'a, 's>> {
        self.text.is_only_one("main")?;
        let parameters = main.declarator.parameters().unwrap_or_default();
        let mut names = FxHashMap::default();
        for (position, parameter) in parameters.iter().enumerate() {
            let Some(name) = parameter.declarator.name else { continue };
            let binding = self.parameter("main", main, position)?;
            if let Binding::Variable(variable, ty) = &binding {
                self.out.choose(*variable, integer_of(ty), None, name.span);
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
            return unsupported(span, "a call through a pointer");
        };
        let is_error = matches!(*name, "__VERIFIER_error" | "reach_error");
        if is_error || (*name == "__VERIFIER_assume") || ENDS.contains(name) {
            return self.known(name, arguments, span);
        }
        if let Some(&function) = self.text.functions.get(name) {
            return self.enter_function(name, function, arguments, span);
        }
        self.known(name, arguments, span)
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

    /// What arguments do that nobody looks at, in gcc's order.
    fn effects_of(&mut self, arguments: &[ExprId]) -> Lowered {
        arguments.iter().rev().try_for_each(|&argument| self.effect(argument))
    }

    /// A function that needs no definition.
    fn known(&mut self, name: &'s str, arguments: &[ExprId], span: Span) -> Lowered<Value> {
        if let Some(&(name, asked)) = CHOICES.iter().find(|(known, _)| *known == name) {
            self.effects_of(arguments)?;
            let variable = self.out.temporary_of(asked, span);
            self.out.choose(variable, asked, Some(name), span);
            let value = self.out.get(variable, &Type::Integer(asked));
            return match self.declarer().declared_result(name)? {
                Some(declared) if is_wide(integer_of(&declared)) && !is_wide(asked) => {
                    unsupported(span, &format!("a value of `{name}` with so many bits"))
                }
                // The caller sees what it was told that there is.
                Some(declared) => self.out.cast(value, &declared, span),
                None => Ok(value),
            };
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
            ("__VERIFIER_nondet_pointer", []) => {
                let variable = self.out.temporary(span);
                self.out.choose(variable, Integer::UINT, Some("__VERIFIER_nondet_pointer"), span);
                return Ok(Value::Pointer(self.out.read(variable)));
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
        if self.out.is_running(function.body) {
            let message = format!("`{name}` calls itself, which is not supported");
            return refuse(Diagnostic::new(span, message, "while it is running already"));
        }
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
            values.push(if is_changed || is_address { self.out.settle(value, span)? } else { value });
        }
        check_order(&accesses, span)?;
        values.reverse();
        let mut names = FxHashMap::default();
        for (position, (parameter, value)) in parameters[..count].iter().zip(values).enumerate() {
            let binding = match (value, self.declarer().parameter(name, function, position)?) {
                (Value::Address(target), Binding::Variable(_, Type::Pointer(to))) => {
                    if !target.may_be_seen_as(&to) {
                        return unsupported(span, "passing the address of a variable of another type");
                    }
                    Binding::Address(target)
                }
                (value, Binding::Variable(variable, ty)) => {
                    self.out.put(variable, &ty, value, span)?;
                    Binding::Variable(variable, ty)
                }
                (_, binding) => binding,
            };
            if let Some(name) = parameter.declarator.name {
                names.insert(name.text, binding);
            }
        }
        let exit = self.out.new_block();
        let result = self.declarer().result(name, function)?;
        let frame = Frame::new(name, function, names, exit, result.clone());
        let outer = std::mem::replace(&mut self.frame, frame);
        let done = self.routine();
        self.frame = outer;
        done?;
        self.out.current = exit;
        match result {
            Some((variable, ty)) => {
                // The function may be called again before the value is used.
                let value = self.out.get(variable, &ty);
                self.out.settle(value, span)
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
        if let Some((variable, ty)) = &self.frame.result {
            self.out.choose(*variable, integer_of(ty), None, function.declarator.span);
        }
        self.out.jump(self.frame.exit, self.frame.exit);
        Ok(())
    }
}
