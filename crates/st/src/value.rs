//! Values of expressions, with the bounds that are known of them, and arithmetic that wraps in the type.

use crate::lower::{Lowered, Lowering};
use crate::types::Ty;
use redoubt_program::expr::{BinaryOp, ExprId, UnaryOp};
use redoubt_program::text::Span;
use redoubt_reading::Diagnostic;

/// The value of an expression. Numbers of 32 bits without a sign are kept as their bits; the bounds are those of the
/// number.
#[derive(Clone, Copy, Debug)]
pub struct Value {
    pub expr: ExprId,
    /// None for a number that takes the type of its neighbour.
    pub ty: Option<Ty>,
    pub low: i64,
    pub high: i64,
    /// If it is a time that a clock shows: the clock, in cycles.
    pub clock: Option<ExprId>,
}

impl Value {
    pub fn new(expr: ExprId, ty: Ty, low: i64, high: i64) -> Value {
        Value { expr, ty: Some(ty), low, high, clock: None }
    }

    pub fn truth(expr: ExprId) -> Value {
        Value::new(expr, Ty::Bool, 0, 1)
    }

    pub fn known(&self) -> Option<i64> {
        (self.low == self.high).then_some(self.low)
    }
}

impl<'m> Lowering<'m> {
    pub fn truth(&mut self, op: BinaryOp, a: ExprId, b: ExprId) -> Value {
        let expr = self.make.op(op, a, b);
        self.truth_value(expr)
    }

    /// A truth value, which may be known.
    pub fn truth_value(&mut self, expr: ExprId) -> Value {
        match self.make.program.exprs.as_bool(expr) {
            Some(known) => Value::new(expr, Ty::Bool, i64::from(known), i64::from(known)),
            None => Value::truth(expr),
        }
    }

    pub fn known_value(&mut self, ty: Ty, value: i64) -> Value {
        let expr = match ty {
            Ty::Bool => self.make.exprs().bool(value != 0),
            _ => self.make.int(value),
        };
        Value::new(expr, ty, value, value)
    }

    pub fn literal_value(&mut self, value: i64) -> Value {
        let expr = self.make.int(value);
        Value { expr, ty: None, low: value, high: value, clock: None }
    }

    pub fn type_bounds(&self, ty: Ty) -> (i64, i64) {
        ty.bounds(&self.enumerations)
    }

    pub fn type_name(&self, ty: Ty) -> String {
        match ty {
            Ty::Enumeration(number) => self.enumerations[number].name.clone(),
            _ => ty.name().to_string(),
        }
    }

    fn describe(&self, value: Value) -> String {
        value.ty.map_or_else(|| "a number".into(), |ty| self.type_name(ty))
    }

    /// A value where one of a type is wanted: values with fewer bits, and numbers without a type, fit.
    pub fn fit(&mut self, value: Value, wanted: Ty, span: Span) -> Lowered<Value> {
        let Some(ty) = value.ty else { return self.fit_untyped(value, wanted, span) };
        let fits = match (ty, wanted) {
            _ if ty == wanted => true,
            (Ty::Int { bits, signed }, Ty::Int { bits: more, signed: also }) => signed == also && bits <= more,
            (Ty::Bits(bits), Ty::Bits(more)) => bits <= more,
            _ => false,
        };
        if fits {
            return Ok(Value { ty: Some(wanted), ..value });
        }
        let (from, to) = (self.type_name(ty), self.type_name(wanted));
        self.refuse(match (ty, wanted) {
            (Ty::Int { signed, .. }, Ty::Int { signed: also, .. }) if signed != also => {
                let message = format!("signed and unsigned numbers do not mix: write {from}_TO_{to}");
                Diagnostic::new(span, message, format!("this is {from}, expected {to}"))
            }
            (a, b) if (a.is_number() || a == Ty::Time || a == Ty::Bool) && (b.is_number() || b == Ty::Time) => {
                let message = format!("{from} does not fit {to}: write {from}_TO_{to}");
                Diagnostic::new(span, message, format!("this is {from}, expected {to}"))
            }
            (a, Ty::Bool) if a.is_number() => {
                let message = format!("{from} does not fit {to}: compare it with something, such as `<> 0`");
                Diagnostic::new(span, message, format!("this is {from}, expected {to}"))
            }
            _ => Diagnostic::new(span, format!("{from} does not fit {to}"), format!("this is {from}, expected {to}")),
        })
    }

    /// The same for a number without a type, which may be one of several.
    fn fit_untyped(&mut self, value: Value, wanted: Ty, span: Span) -> Lowered<Value> {
        if let Some(known) = value.known() {
            return self.adopt(known, wanted, span);
        }
        let least = self.adopt(value.low, wanted, span)?;
        self.adopt(value.high, wanted, span)?;
        if wanted == Ty::Bool {
            let zero = self.literal_value(0);
            let none = self.equal(value, zero);
            return Ok(self.not(none));
        }
        Ok(Value { ty: least.ty, ..value })
    }

    /// A value with a type, if it has none by itself that of the widest numbers.
    pub fn typed_value(&mut self, value: Value, span: Span) -> Lowered<(Value, Ty)> {
        let ty = value.ty.unwrap_or(Ty::DINT);
        Ok((self.fit(value, ty, span)?, ty))
    }

    /// A number without a type, as one of a type.
    pub fn adopt(&mut self, number: i64, ty: Ty, span: Span) -> Lowered<Value> {
        let (low, high) = self.type_bounds(ty);
        let name = self.type_name(ty);
        match ty {
            Ty::Enumeration(_) | Ty::Time => {
                let label =
                    if ty == Ty::Time { "expected a time such as `T#1s`" } else { "expected one of its values" };
                self.refuse(Diagnostic::new(span, format!("a number does not fit {name}"), label))
            }
            _ if (low..=high).contains(&number) => Ok(self.known_value(ty, number)),
            _ => {
                let message = format!("{number} does not fit {name}");
                self.refuse(Diagnostic::new(span, message, format!("expected {low} to {high}")))
            }
        }
    }

    /// Two operands of one type, the larger of theirs.
    pub fn alike(&mut self, a: (Value, Span), b: (Value, Span)) -> Lowered<(Value, Value, Ty)> {
        let ((left, left_span), (right, right_span)) = (a, b);
        let wanted = match (left.ty, right.ty) {
            (None, None) => Ty::DINT,
            (Some(ty), None) | (None, Some(ty)) => ty,
            (Some(Ty::Int { bits, signed }), Some(Ty::Int { bits: more, signed: also })) if signed == also => {
                Ty::Int { bits: bits.max(more), signed }
            }
            (Some(Ty::Bits(bits)), Some(Ty::Bits(more))) => Ty::Bits(bits.max(more)),
            (Some(left), Some(right)) if left == right => left,
            (Some(left), Some(right)) => {
                let (from, to) = (self.type_name(right), self.type_name(left));
                let message = match (left, right) {
                    (Ty::Int { signed, .. }, Ty::Int { signed: also, .. }) if signed != also => {
                        format!("signed and unsigned numbers do not mix: write {from}_TO_{to}")
                    }
                    (a, b) if a.is_number() && b.is_number() => {
                        format!("{to} and {from} do not mix: write {from}_TO_{to}")
                    }
                    _ => format!("{to} and {from} do not mix"),
                };
                let label = format!("this is {from}, and the other one {to}");
                return self.refuse(Diagnostic::new(right_span, message, label));
            }
        };
        Ok((self.fit(left, wanted, left_span)?, self.fit(right, wanted, right_span)?, wanted))
    }

    pub fn expect_number(&mut self, value: Value, span: Span) -> Lowered {
        match value.ty {
            None | Some(Ty::Int { .. }) => Ok(()),
            Some(Ty::Bits(_)) => {
                let name = self.describe(value);
                let message = format!("{name} has no arithmetic: write {name}_TO_UINT or the like");
                self.refuse(Diagnostic::new(span, message, "expected a number"))
            }
            Some(_) => {
                let message = format!("this is {}, not a number", self.describe(value));
                self.refuse(Diagnostic::new(span, message, "expected a number"))
            }
        }
    }

    /// A number of a type that may lie outside it: the low bits count.
    pub fn wrap(&mut self, expr: ExprId, ty: Ty, low: i64, high: i64) -> Value {
        let (least, most) = self.type_bounds(ty);
        if low >= least && high <= most {
            return Value::new(expr, ty, low, high);
        }
        let bits = ty.width();
        if bits == 32 {
            return Value::new(expr, ty, least, most);
        }
        let period = 1_i64 << bits;
        let fits = i32::try_from(low).is_ok() && i32::try_from(high).is_ok();
        if fits && low >= least - period && high <= most + period {
            let mut wrapped = expr;
            let period = self.make.int(period);
            if high > most {
                let most = self.make.int(most);
                let over = self.make.op(BinaryOp::Less, most, expr);
                let less = self.make.op(BinaryOp::Sub, expr, period);
                wrapped = self.make.ite(over, less, wrapped);
            }
            if low < least {
                let least = self.make.int(least);
                let under = self.make.op(BinaryOp::Less, expr, least);
                let more = self.make.op(BinaryOp::Add, expr, period);
                wrapped = self.make.ite(under, more, wrapped);
            }
            return Value::new(wrapped, ty, least, most);
        }
        let wrapped = self.low_bits(expr, ty);
        Value::new(wrapped, ty, least, most)
    }

    /// The low bits of any number, as one of the type.
    pub fn low_bits(&mut self, expr: ExprId, ty: Ty) -> ExprId {
        let bits = i64::from(ty.width());
        if bits == 32 {
            return expr;
        }
        if ty.is_signed() {
            let amount = self.make.int(32 - bits);
            let up = self.make.op(BinaryOp::ShiftLeft, expr, amount);
            return self.make.op(BinaryOp::ShiftRight, up, amount);
        }
        let mask = self.make.int((1 << bits) - 1);
        self.make.op(BinaryOp::BitAnd, expr, mask)
    }

    pub fn add(&mut self, a: Value, b: Value, ty: Ty) -> Value {
        let expr = self.make.op(BinaryOp::Add, a.expr, b.expr);
        self.wrap(expr, ty, a.low + b.low, a.high + b.high)
    }

    pub fn subtract(&mut self, a: Value, b: Value, ty: Ty) -> Value {
        let expr = self.make.op(BinaryOp::Sub, a.expr, b.expr);
        self.wrap(expr, ty, a.low - b.high, a.high - b.low)
    }

    pub fn multiply(&mut self, a: Value, b: Value, ty: Ty) -> Value {
        let expr = self.make.op(BinaryOp::Mul, a.expr, b.expr);
        let corners = [(a.low, b.low), (a.low, b.high), (a.high, b.low), (a.high, b.high)];
        let products = corners.map(|(a, b)| a.saturating_mul(b));
        let low = products.iter().copied().min().unwrap_or(0);
        let high = products.iter().copied().max().unwrap_or(0);
        self.wrap(expr, ty, low, high)
    }

    /// `a / b` toward zero, where `b` is not zero.
    pub fn divide(&mut self, a: Value, b: Value, ty: Ty) -> Value {
        if is_wide(a) || is_wide(b) {
            let (quotient, _) = self.divide_wide(a.expr, b.expr);
            let (low, high) = self.type_bounds(ty);
            return Value::new(quotient, ty, low, high);
        }
        let expr = self.make.op(BinaryOp::Div, a.expr, b.expr);
        let most = a.low.abs().max(a.high.abs());
        let (low, high) = if a.low >= 0 && b.low >= 0 { (0, a.high) } else { (-most, most) };
        if let (Some(divisor), true) = (b.known().filter(|&divisor| divisor > 0), a.low <= a.high) {
            return Value::new(expr, ty, a.low / divisor, a.high / divisor);
        }
        self.wrap(expr, ty, low, high)
    }

    /// `a MOD b`, with the sign of `a`, where `b` is not zero.
    pub fn modulo(&mut self, a: Value, b: Value, ty: Ty) -> Value {
        if is_wide(a) || is_wide(b) {
            let (_, rest) = self.divide_wide(a.expr, b.expr);
            let (low, high) = self.type_bounds(ty);
            return Value::new(rest, ty, low, high);
        }
        let expr = self.make.op(BinaryOp::Rem, a.expr, b.expr);
        let most = (b.low.abs().max(b.high.abs()) - 1).max(0);
        let low = if a.low >= 0 { 0 } else { (-most).max(a.low) };
        let high = if a.high <= 0 { 0 } else { most.min(a.high) };
        Value::new(expr, ty, low, high)
    }

    /// Quotient and remainder of numbers of 32 bits without a sign. If the divisor is larger than half of all, the
    /// quotient is 0 or 1; else half of the dividend is divided, and the result doubled and corrected.
    fn divide_wide(&mut self, a: ExprId, b: ExprId) -> (ExprId, ExprId) {
        let (zero, one) = (self.make.int(0), self.make.int(1));
        let half = self.logical_right(a, one);
        let quotient = self.make.op(BinaryOp::Div, half, b);
        let twice = self.make.op(BinaryOp::ShiftLeft, quotient, one);
        let product = self.make.op(BinaryOp::Mul, twice, b);
        let rest = self.make.op(BinaryOp::Sub, a, product);
        let fits = self.below_wide(rest, b);
        let more = self.make.op(BinaryOp::Add, twice, one);
        let small = self.make.ite(fits, twice, more);
        let is_below = self.below_wide(a, b);
        let large = self.make.ite(is_below, zero, one);
        let is_large = self.make.op(BinaryOp::Less, b, zero);
        let quotient = self.make.ite(is_large, large, small);
        let product = self.make.op(BinaryOp::Mul, quotient, b);
        let rest = self.make.op(BinaryOp::Sub, a, product);
        (quotient, rest)
    }

    /// `a < b` for numbers of 32 bits without a sign.
    fn below_wide(&mut self, a: ExprId, b: ExprId) -> ExprId {
        let sign = self.make.int(i64::from(i32::MIN));
        let a = self.make.op(BinaryOp::BitXor, a, sign);
        let b = self.make.op(BinaryOp::BitXor, b, sign);
        self.make.op(BinaryOp::Less, a, b)
    }

    /// 32 bits to the right, with zeros from the left; the amount is from 0 to 31.
    pub fn logical_right(&mut self, a: ExprId, amount: ExprId) -> ExprId {
        let (zero, one) = (self.make.int(0), self.make.int(1));
        let most = self.make.int(i64::from(i32::MAX));
        let half = self.make.op(BinaryOp::ShiftRight, a, one);
        let half = self.make.op(BinaryOp::BitAnd, half, most);
        let less = self.make.op(BinaryOp::Sub, amount, one);
        let rest = self.make.op(BinaryOp::ShiftRight, half, less);
        let none = self.make.exprs().eq(amount, zero);
        self.make.ite(none, a, rest)
    }

    pub fn less(&mut self, a: Value, b: Value) -> Value {
        if a.high < b.low || a.low >= b.high {
            let known = a.high < b.low;
            return self.known_value(Ty::Bool, i64::from(known));
        }
        let expr = if is_wide(a) || is_wide(b) {
            self.below_wide(a.expr, b.expr)
        } else if let (Some(clock), Some(time)) = (a.clock, b.known()) {
            // The time that a clock shows is compared by its cycles.
            let cycles = self.make.int((time + self.cycle - 1).div_euclid(self.cycle));
            self.make.op(BinaryOp::Less, clock, cycles)
        } else if let (Some(time), Some(clock)) = (a.known(), b.clock) {
            let cycles = self.make.int(time.div_euclid(self.cycle));
            self.make.op(BinaryOp::Less, cycles, clock)
        } else {
            self.make.op(BinaryOp::Less, a.expr, b.expr)
        };
        self.truth_value(expr)
    }

    pub fn not(&mut self, a: Value) -> Value {
        let expr = self.make.exprs().not(a.expr);
        self.truth_value(expr)
    }

    pub fn equal(&mut self, a: Value, b: Value) -> Value {
        if a.high < b.low || b.high < a.low {
            return self.known_value(Ty::Bool, 0);
        }
        let timed = |clock: Value, other: Value| clock.clock.zip(other.known());
        if let Some((clock, time)) = timed(a, b).or(timed(b, a)) {
            if time % self.cycle != 0 {
                return self.known_value(Ty::Bool, 0);
            }
            let cycles = self.make.int(time / self.cycle);
            let expr = self.make.exprs().eq(clock, cycles);
            return self.truth_value(expr);
        }
        let expr = self.make.exprs().eq(a.expr, b.expr);
        self.truth_value(expr)
    }

    /// One of two values of one type.
    pub fn either(&mut self, condition: Value, then: Value, otherwise: Value) -> Value {
        match condition.known() {
            Some(0) => otherwise,
            Some(_) => then,
            None => {
                let expr = self.make.ite(condition.expr, then.expr, otherwise.expr);
                Value {
                    expr,
                    ty: then.ty,
                    low: then.low.min(otherwise.low),
                    high: then.high.max(otherwise.high),
                    clock: None,
                }
            }
        }
    }

    /// A truth value as a number.
    pub fn as_number(&mut self, a: Value) -> ExprId {
        if a.ty == Some(Ty::Bool) { self.make.exprs().unary(UnaryOp::ToInt, a.expr) } else { a.expr }
    }

    /// `X_TO_Y`: the low bits count.
    pub fn convert(&mut self, value: Value, to: Ty, span: Span) -> Lowered<Value> {
        if let (Ty::Enumeration(number), Some(from)) = (to, value.ty.or(Some(Ty::DINT)))
            && from != to
        {
            let message = format!("a number does not become {}", self.enumerations[number].name);
            return self.refuse(Diagnostic::new(span, message, "expected a `CASE`"));
        }
        let value = match value.ty {
            Some(Ty::Enumeration(number)) if !matches!(to, Ty::Enumeration(_)) => self.number_of(value, number),
            _ => value,
        };
        if to == Ty::Bool {
            if value.ty == Some(Ty::Bool) {
                return Ok(value);
            }
            let zero = self.literal_value(0);
            let is_zero = self.equal(Value { clock: None, ..value }, zero);
            return Ok(self.not(is_zero));
        }
        let expr = self.as_number(value);
        let (least, most) = self.type_bounds(to);
        if value.low >= least && value.high <= most {
            return Ok(Value::new(expr, to, value.low, value.high));
        }
        let expr = self.low_bits(expr, to);
        match (self.make.program.exprs.as_int(expr), to.is_signed()) {
            (Some(known), true) => Ok(self.known_value(to, i64::from(known))),
            (Some(known), false) => Ok(self.known_value(to, i64::from(known as u32))),
            (None, _) => Ok(Value::new(expr, to, least, most)),
        }
    }

    /// The number that stands for a value of an enumeration.
    pub fn number_of(&mut self, value: Value, enumeration: usize) -> Value {
        let numbers: Vec<i64> = self.enumerations[enumeration].values.iter().map(|(_, number)| *number).collect();
        let is_plain = numbers.iter().enumerate().all(|(index, &number)| number == index as i64);
        if is_plain {
            return Value { ty: Some(Ty::DINT), ..value };
        }
        let mut result = self.known_value(Ty::DINT, numbers.first().copied().unwrap_or(0));
        for (index, &number) in numbers.iter().enumerate().skip(1) {
            let at = self.literal_value(index as i64);
            let is_this = self.equal(value, at);
            let number = self.known_value(Ty::DINT, number);
            result = self.either(is_this, number, result);
        }
        result
    }
}

/// Whether the bits of a number of 32 bits without a sign may look negative.
fn is_wide(value: Value) -> bool {
    value.high > i64::from(i32::MAX)
}
