//! Expressions: operators, literals, and the checks that they need to be safe.
//!
//! A division by zero ends the run, so a check stands before the statement that needs the value. If an operand is a call
//! that does something, the operand before it is kept in a variable of its own.

use crate::ast::{Binary, Expr, ExprKind, Ident, Place, Suffix, Unary};
use crate::flow::joined;
use crate::lower::{Lowered, Lowering};
use crate::place::Target;
use crate::types::Ty;
use crate::value::Value;
use redoubt_base::stack::grow;
use redoubt_program::expr::{BinaryOp, ExprId, UnaryOp};
use redoubt_program::program::{Arm, PropertyKind, StmtKind};
use redoubt_program::text::Span;
use redoubt_reading::Diagnostic;

impl<'m> Lowering<'m> {
    pub fn value(&mut self, expr: &'m Expr) -> Lowered<Value> {
        grow(|| self.any_value(expr))
    }

    fn any_value(&mut self, expr: &'m Expr) -> Lowered<Value> {
        let span = expr.span;
        match &expr.kind {
            ExprKind::Truth(value) => Ok(self.known_value(Ty::Bool, i64::from(*value))),
            ExprKind::Number(number) => Ok(self.literal_value(*number)),
            ExprKind::Duration(time) => Ok(self.known_value(Ty::Time, *time)),
            ExprKind::Unsupported(message) => self.refuse(Diagnostic::new(span, *message, "not supported")),
            ExprKind::Typed(name, number) => self.typed(name, *number, span),
            ExprKind::Qualified(ty, value) => self.qualified(ty, value, span),
            ExprKind::Place(place) => self.place_value(place, span),
            ExprKind::Unary(operator, operand) => self.unary(*operator, operand, expr),
            ExprKind::Binary(operator, left, right) => self.binary(*operator, left, right, expr),
        }
    }

    /// A truth value.
    pub fn condition(&mut self, expr: &'m Expr) -> Lowered<Value> {
        let value = self.value(expr)?;
        self.fit(value, Ty::Bool, expr.span)
    }

    fn typed(&mut self, name: &Ident, number: i64, span: Span) -> Lowered<Value> {
        match Ty::named(&name.key()) {
            Some(Ty::Time) | None => {
                let message = match name.key().as_str() {
                    "real" | "lreal" => crate::literal::NO_REALS.to_string(),
                    "d" | "date" | "dt" | "tod" | "date_and_time" | "time_of_day" => "dates are not supported".into(),
                    "lint" | "ulint" | "lword" => "numbers of 64 bits are not supported".into(),
                    _ => format!("`{}` is not a type of numbers", name.text),
                };
                self.refuse(Diagnostic::new(span, message, "not supported here"))
            }
            Some(ty) => self.adopt(number, ty, span),
        }
    }

    fn qualified(&mut self, ty: &Ident, value: &Ident, span: Span) -> Lowered<Value> {
        if let (Some(Ty::Bool), "true" | "false") = (Ty::named(&ty.key()), value.key().as_str()) {
            return Ok(self.known_value(Ty::Bool, i64::from(value.key() == "true")));
        }
        let Some(crate::types::Shape::One(scalar)) = self.types.get(&ty.key()).cloned() else {
            let message = format!("`{}` is not an enumeration", ty.text);
            return self.refuse(Diagnostic::new(ty.span, message, "expected the name of one"));
        };
        let Ty::Enumeration(number) = scalar.ty else {
            let message = format!("`{}` is not an enumeration", ty.text);
            return self.refuse(Diagnostic::new(ty.span, message, "expected the name of one"));
        };
        let found =
            self.enumerations[number].values.iter().position(|(name, _)| name.eq_ignore_ascii_case(&value.text));
        match found {
            Some(index) => Ok(self.known_value(scalar.ty, index as i64)),
            None => {
                let names = self.enumerations[number].values.iter().map(|(name, _)| name.as_str());
                let near = redoubt_base::suggest::nearest(&value.text, names).map(str::to_string);
                let message = format!("`{}` has no value `{}`", ty.text, value.text);
                let diagnostic = Diagnostic::new(span, message, "unknown value");
                self.refuse(match near {
                    Some(near) => diagnostic.help(format!("did you mean `{near}`?")),
                    None => diagnostic,
                })
            }
        }
    }

    fn place_value(&mut self, place: &'m Place, span: Span) -> Lowered<Value> {
        if let Some(Suffix::Call(arguments, _)) = place.suffixes.last() {
            return self.function(place, arguments, span);
        }
        // `Type.Value` is `Type#Value`.
        if let (None, [Suffix::Field(value)]) = (self.lookup(&place.name.key()), place.suffixes.as_slice())
            && let Some(crate::types::Shape::One(scalar)) = self.types.get(&place.name.key())
            && let Ty::Enumeration(_) = scalar.ty
        {
            return self.qualified(&place.name, value, span);
        }
        match self.target(place)? {
            Target::Constant(value) => Ok(value),
            Target::Bit(located, bit) => self.read_bit(&located, bit, span),
            Target::Located(located) => self.read(&located, span),
        }
    }

    fn unary(&mut self, operator: Unary, operand: &'m Expr, expr: &'m Expr) -> Lowered<Value> {
        match operator {
            Unary::Prev | Unary::Once | Unary::Historically => self.looking_back(operator, operand, expr),
            Unary::Plus => {
                let value = self.value(operand)?;
                if value.ty != Some(Ty::Time) {
                    self.expect_number(value, operand.span)?;
                }
                Ok(value)
            }
            Unary::Negate => {
                let value = self.value(operand)?;
                if let (None, Some(known)) = (value.ty, value.known()) {
                    return Ok(self.literal_value(-known));
                }
                let (value, ty) = self.typed_value(value, operand.span)?;
                if ty != Ty::Time {
                    self.expect_number(value, operand.span)?;
                }
                let zero = self.known_value(ty, 0);
                Ok(self.subtract(zero, value, ty))
            }
            Unary::Not => {
                let value = self.value(operand)?;
                match value.ty {
                    Some(Ty::Bool) => Ok(self.not(value)),
                    Some(ty) if ty.is_number() => {
                        let inverse = self.make.exprs().unary(UnaryOp::BitNot, value.expr);
                        let expr = if ty.is_signed() { inverse } else { self.low_bits(inverse, ty) };
                        let (low, high) = self.type_bounds(ty);
                        Ok(match value.known() {
                            Some(known) if ty.is_signed() => self.known_value(ty, !known),
                            Some(known) => self.known_value(ty, high - known),
                            None => Value::new(expr, ty, low, high),
                        })
                    }
                    _ => {
                        let value = self.fit(value, Ty::Bool, operand.span)?;
                        Ok(self.not(value))
                    }
                }
            }
        }
    }

    /// Both operands, from left to right.
    fn operands(&mut self, left: &'m Expr, right: &'m Expr) -> Lowered<(Value, Value)> {
        let first = self.value(left);
        let (statements, second) = self.aside(|this| this.value(right));
        let (mut first, second) = (first?, second?);
        if !statements.is_empty() {
            first = self.snapshot(first, left.span);
            self.make.block.extend(statements);
        }
        Ok((first, second))
    }

    fn binary(&mut self, operator: Binary, left: &'m Expr, right: &'m Expr, expr: &'m Expr) -> Lowered<Value> {
        let span = expr.span;
        match operator {
            Binary::AndThen => return self.one_after_the_other(left, right, true),
            Binary::OrElse => return self.one_after_the_other(left, right, false),
            Binary::Implies => {
                let condition = self.condition(left)?;
                let negated = self.not(condition);
                return self.otherwise(negated, right, false);
            }
            Binary::Since => return self.since(left, right, expr),
            Binary::Power => {
                return self.refuse(Diagnostic::new(span, "`**` is not supported", "expected a product"));
            }
            _ => {}
        }
        let (a, b) = self.operands(left, right)?;
        let (a_span, b_span) = (left.span, right.span);
        if let (None, None, Some(a), Some(b)) = (a.ty, b.ty, a.known(), b.known()) {
            return self.fold(operator, a, b, span);
        }
        match operator {
            Binary::Iff => {
                let (a, b) = (self.fit(a, Ty::Bool, a_span)?, self.fit(b, Ty::Bool, b_span)?);
                Ok(self.equal(a, b))
            }
            Binary::And | Binary::Or | Binary::Xor => self.logical(operator, (a, a_span), (b, b_span)),
            Binary::Equal | Binary::Unequal => {
                let (a, b, _) = self.alike((a, a_span), (b, b_span))?;
                let equal = self.equal(a, b);
                Ok(if operator == Binary::Equal { equal } else { self.not(equal) })
            }
            Binary::Less | Binary::LessEqual | Binary::Greater | Binary::GreaterEqual => {
                let (mut a, mut b, ty) = self.alike((a, a_span), (b, b_span))?;
                if let Ty::Enumeration(number) = ty
                    && !self.enumerations[number].is_ascending
                {
                    (a, b) = (self.number_of(a, number), self.number_of(b, number));
                }
                Ok(match operator {
                    Binary::Less => self.less(a, b),
                    Binary::Greater => self.less(b, a),
                    Binary::LessEqual => {
                        let above = self.less(b, a);
                        self.not(above)
                    }
                    _ => {
                        let below = self.less(a, b);
                        self.not(below)
                    }
                })
            }
            _ => self.arithmetic(operator, (a, a_span), (b, b_span), span),
        }
    }

    /// Two numbers without a type.
    fn fold(&mut self, operator: Binary, a: i64, b: i64, span: Span) -> Lowered<Value> {
        let truth = |this: &mut Self, value: bool| Ok(this.known_value(Ty::Bool, i64::from(value)));
        let number = match operator {
            Binary::Equal => return truth(self, a == b),
            Binary::Unequal => return truth(self, a != b),
            Binary::Less => return truth(self, a < b),
            Binary::LessEqual => return truth(self, a <= b),
            Binary::Greater => return truth(self, a > b),
            Binary::GreaterEqual => return truth(self, a >= b),
            Binary::Add => a.checked_add(b),
            Binary::Subtract => a.checked_sub(b),
            Binary::Multiply => a.checked_mul(b),
            Binary::Divide => a.checked_div(b),
            Binary::Modulo => a.checked_rem(b),
            Binary::And if a >= 0 && b >= 0 => Some(a & b),
            Binary::Or if a >= 0 && b >= 0 => Some(a | b),
            Binary::Xor if a >= 0 && b >= 0 => Some(a ^ b),
            _ => None,
        };
        const MOST: i64 = u32::MAX as i64;
        match number {
            Some(number) if (-MOST..=MOST).contains(&number) => Ok(self.literal_value(number)),
            _ => self.refuse(Diagnostic::new(span, "this has no value of 32 bits", "expected a smaller number")),
        }
    }

    fn logical(&mut self, operator: Binary, a: (Value, Span), b: (Value, Span)) -> Lowered<Value> {
        let (left, right, ty) = self.alike(a, b)?;
        match ty {
            Ty::Bool => {
                let expr = match operator {
                    Binary::And => self.make.op(BinaryOp::And, left.expr, right.expr),
                    Binary::Or => self.make.op(BinaryOp::Or, left.expr, right.expr),
                    _ => {
                        let equal = self.equal(left, right);
                        return Ok(self.not(equal));
                    }
                };
                Ok(self.truth_value(expr))
            }
            _ if ty.is_number() => {
                let op = match operator {
                    Binary::And => BinaryOp::BitAnd,
                    Binary::Or => BinaryOp::BitOr,
                    _ => BinaryOp::BitXor,
                };
                let expr = self.make.op(op, left.expr, right.expr);
                let (mut low, mut high) = self.type_bounds(ty);
                if left.low >= 0 && right.low >= 0 {
                    low = 0;
                    let all = |most: i64| (1_i64 << (64 - most.leading_zeros())) - 1;
                    high = match operator {
                        Binary::And => left.high.min(right.high),
                        _ => all(left.high.max(right.high)),
                    };
                }
                Ok(match (self.make.program.exprs.as_int(expr), ty.is_signed()) {
                    (Some(known), true) => self.known_value(ty, i64::from(known)),
                    (Some(known), false) => self.known_value(ty, i64::from(known as u32)),
                    (None, _) => Value::new(expr, ty, low, high),
                })
            }
            _ => {
                let message = format!("{} has no logic", self.type_name(ty));
                self.refuse(Diagnostic::new(a.1, message, "expected BOOL, BYTE, WORD, DWORD or a number"))
            }
        }
    }

    fn arithmetic(&mut self, operator: Binary, a: (Value, Span), b: (Value, Span), span: Span) -> Lowered<Value> {
        // Times are added, and multiplied or divided by numbers.
        let is_time = |value: Value| value.ty == Some(Ty::Time);
        match (operator, is_time(a.0), is_time(b.0)) {
            (_, false, false) => {}
            (Binary::Add | Binary::Subtract, true, true) => {
                let sum = match operator {
                    Binary::Add => self.add(a.0, b.0, Ty::Time),
                    _ => self.subtract(a.0, b.0, Ty::Time),
                };
                return Ok(sum);
            }
            (Binary::Multiply, true, false) => {
                let factor = self.factor(b)?;
                return Ok(self.multiply(a.0, factor, Ty::Time));
            }
            (Binary::Multiply, false, true) => {
                let factor = self.factor(a)?;
                return Ok(self.multiply(factor, b.0, Ty::Time));
            }
            (Binary::Divide, true, false) => {
                let divisor = self.factor(b)?;
                let divisor = self.check_divisor(divisor, span);
                return Ok(self.divide(a.0, divisor, Ty::Time));
            }
            _ => {
                let message = "times are added, and multiplied or divided by numbers";
                return self.refuse(Diagnostic::new(span, message, "expected another operator"));
            }
        }
        self.expect_number(a.0, a.1)?;
        self.expect_number(b.0, b.1)?;
        let (left, right, ty) = self.alike(a, b)?;
        Ok(match operator {
            Binary::Add => self.add(left, right, ty),
            Binary::Subtract => self.subtract(left, right, ty),
            Binary::Multiply => self.multiply(left, right, ty),
            _ => {
                let right = self.check_divisor(right, span);
                if operator == Binary::Divide { self.divide(left, right, ty) } else { self.modulo(left, right, ty) }
            }
        })
    }

    /// A number that a time is multiplied with or divided by.
    fn factor(&mut self, (value, span): (Value, Span)) -> Lowered<Value> {
        self.expect_number(value, span)?;
        match value.ty {
            None => self.fit(value, Ty::DINT, span),
            Some(_) if value.high > i64::from(i32::MAX) => {
                self.refuse(Diagnostic::new(span, "UDINT does not fit here", "expected a smaller number"))
            }
            Some(_) => Ok(value),
        }
    }

    /// The run ends where a divisor is zero.
    fn check_divisor(&mut self, divisor: Value, span: Span) -> Value {
        if divisor.low > 0 || divisor.high < 0 {
            return divisor;
        }
        let zero = self.literal_value(0);
        let is_zero = self.equal(divisor, zero);
        let span = self.span(span);
        let property = self.make.property("division_by_zero", PropertyKind::DivisionByZero, span);
        self.fail_if(is_zero.expr, property, span);
        if !self.is_judging && divisor.known() == Some(0) {
            self.flow = None;
        }
        let low = if divisor.low == 0 { 1.min(divisor.high) } else { divisor.low };
        Value { low, ..divisor }
    }

    fn one_after_the_other(&mut self, left: &'m Expr, right: &'m Expr, and: bool) -> Lowered<Value> {
        let first = self.condition(left)?;
        self.otherwise(first, right, and)
    }

    /// The second operand, where the first one does not say it all: of `and` where that is true, of `or` where it is false.
    fn otherwise(&mut self, first: Value, right: &'m Expr, and: bool) -> Lowered<Value> {
        let before = self.flow.clone();
        let (statements, second) = self.aside(|this| this.condition(right));
        let second = second?;
        let op = if and { BinaryOp::And } else { BinaryOp::Or };
        if statements.is_empty() {
            return Ok(self.truth(op, first.expr, second.expr));
        }
        let after = self.flow.take();
        self.flow = joined([before, after]);
        let guard: ExprId = if and { first.expr } else { self.make.exprs().not(first.expr) };
        let span = self.span(right.span);
        let result = self.make.temporary(Ty::Bool, span);
        self.make.assign(result, first.expr, span);
        let (body, ()) = self.aside(|this| {
            this.make.block.extend(statements);
            this.make.assign(result, second.expr, span);
        });
        // The value of the first operand was read before the second one did anything.
        let body = self.make.program.add_sequence(body);
        self.make.push(StmtKind::Choice(vec![Arm { guard, body, span }]), span);
        let expr = self.make.exprs().var(result, redoubt_program::expr::Type::Bool);
        Ok(Value::truth(expr))
    }
}
