//! The functions of the standard.

use crate::ast::{Argument, Expr, Place};
use crate::lower::{Lowered, Lowering};
use crate::types::Ty;
use crate::value::Value;
use redoubt_program::expr::BinaryOp;
use redoubt_program::text::Span;
use redoubt_reading::Diagnostic;

/// The names of standard functions, for suggestions.
pub const NAMES: [&str; 22] = [
    "ABS", "MIN", "MAX", "LIMIT", "SEL", "MUX", "SHL", "SHR", "ROL", "ROR", "ADD", "SUB", "MUL", "DIV", "MOD", "AND",
    "OR", "XOR", "NOT", "MOVE", "GT", "LT",
];

type Given<'m> = (Value, &'m Expr);

impl<'m> Lowering<'m> {
    /// A function of the standard, if it is one.
    pub fn standard_function(
        &mut self,
        place: &'m Place,
        arguments: &'m [Argument],
        span: Span,
    ) -> Option<Lowered<Value>> {
        let key = place.name.key();
        if let Some((from, to)) = conversion(&key) {
            return Some(self.conversion(from, to, place, arguments, span));
        }
        let names: &[&str] = match key.as_str() {
            "abs" | "move" | "not" => &["in"],
            "limit" => &["mn", "in", "mx"],
            "sel" => &["g", "in0", "in1"],
            "shl" | "shr" | "rol" | "ror" => &["in", "n"],
            "sub" | "div" | "mod" | "ne" => &["in1", "in2"],
            "min" | "max" | "mux" | "add" | "mul" | "and" | "or" | "xor" | "gt" | "ge" | "lt" | "le" | "eq" => &[],
            "sqrt" | "ln" | "log" | "exp" | "sin" | "cos" | "tan" | "asin" | "acos" | "atan" | "expt" | "trunc" => {
                return Some(self.refuse(Diagnostic::new(span, crate::literal::NO_REALS, "not supported")));
            }
            "len" | "left" | "right" | "mid" | "concat" | "insert" | "delete" | "replace" | "find" => {
                return Some(self.refuse(Diagnostic::new(span, crate::literal::NO_TEXTS, "not supported")));
            }
            _ => return None,
        };
        Some(self.apply(&key, names, place, arguments, span))
    }

    /// The arguments in their order, by place or by name.
    fn given(
        &mut self,
        names: &[&str],
        place: &'m Place,
        arguments: &'m [Argument],
        span: Span,
    ) -> Lowered<Vec<Given<'m>>> {
        let mut exprs: Vec<Option<&'m Expr>> = vec![None; names.len().max(arguments.len())];
        for (index, argument) in arguments.iter().enumerate() {
            let (at, value) = match argument {
                Argument::In(None, value) => (Some(index), value),
                Argument::In(Some(name), value) => {
                    let key = name.key();
                    let numbered = |prefix: &str, first: usize| {
                        let number: usize = key.strip_prefix(prefix)?.parse().ok()?;
                        number.checked_sub(first)
                    };
                    let at = match names {
                        [] if place.name.key() == "mux" => {
                            if key == "k" {
                                Some(0)
                            } else {
                                numbered("in", 0).map(|number| number + 1)
                            }
                        }
                        [] => numbered("in", 1),
                        _ => names.iter().position(|known| *known == key),
                    };
                    let Some(at) = at.filter(|&at| at < exprs.len()) else {
                        let message = format!("`{}` has no input `{}`", place.name.text, name.text);
                        return self.refuse(Diagnostic::new(name.span, message, "unknown input"));
                    };
                    (Some(at), value)
                }
                Argument::Out { name, .. } => {
                    let message = format!("`{}` has no output `{}`", place.name.text, name.text);
                    return self.refuse(Diagnostic::new(name.span, message, "unknown output"));
                }
            };
            let Some(at) = at else { continue };
            if exprs[at].replace(value).is_some() {
                return self.refuse(Diagnostic::new(value.span, "this input is given twice", "given again here"));
            }
        }
        let wanted = if names.is_empty() { exprs.len().max(2) } else { names.len() };
        if exprs.len() != wanted || exprs.iter().any(Option::is_none) {
            let some = if names.is_empty() { "at least 2 values".into() } else { format!("{wanted} values") };
            let message = format!("`{}` takes {some}, not {}", place.name.text, arguments.len());
            return self.refuse(Diagnostic::new(span, message, format!("expected {some}")));
        }
        let mut values: Vec<Given<'m>> = vec![];
        for expr in exprs.into_iter().flatten() {
            let (statements, value) = self.aside(|this| this.value(expr));
            if !statements.is_empty() {
                for (earlier, expr) in &mut values {
                    *earlier = self.snapshot(*earlier, expr.span);
                }
                self.make.block.extend(statements);
            }
            values.push((value?, expr));
        }
        Ok(values)
    }

    fn apply(
        &mut self,
        key: &str,
        names: &[&str],
        place: &'m Place,
        arguments: &'m [Argument],
        span: Span,
    ) -> Lowered<Value> {
        let given = self.given(names, place, arguments, span)?;
        match key {
            "move" => Ok(given[0].0),
            "not" => {
                let (value, expr) = given[0];
                let value = self.fit_logic(value, expr.span)?;
                match value.ty {
                    Some(Ty::Bool) => Ok(self.not(value)),
                    _ => self.refuse(Diagnostic::new(span, "expected the operator `NOT`", "write `NOT x`")),
                }
            }
            "abs" => {
                let (value, expr) = given[0];
                self.expect_number(value, expr.span)?;
                if let (None, Some(known)) = (value.ty, value.known()) {
                    return Ok(self.literal_value(known.abs()));
                }
                let (value, ty) = self.typed_value(value, expr.span)?;
                let zero = self.known_value(ty, 0);
                let negative = self.less(value, zero);
                let opposite = self.subtract(zero, value, ty);
                let result = self.either(negative, opposite, value);
                let (low, high) = self.type_bounds(ty);
                let most = value.low.abs().max(value.high.abs());
                // The least number of a type has no opposite.
                let (low, high) = if value.low > low { (0, most) } else { (low, high) };
                Ok(Value { low, high, ..result })
            }
            "limit" => {
                let values = self.all_alike(&given)?;
                let (low, value, high) = (values[0], values[1], values[2]);
                // The limit from above counts last: if they cross, it wins.
                let raised = self.larger(low, value);
                Ok(self.smaller(raised, high))
            }
            "min" | "max" => {
                let values = self.all_alike(&given)?;
                let pick = if key == "min" { Self::smaller } else { Self::larger };
                let mut values = values.into_iter();
                let first = values.next();
                first
                    .map_or_else(|| Err(crate::lower::Refused), |first| Ok(values.fold(first, |a, b| pick(self, a, b))))
            }
            "sel" => {
                let (choice, expr) = given[0];
                let choice = self.fit(choice, Ty::Bool, expr.span)?;
                let values = self.all_alike(&given[1..])?;
                Ok(self.either(choice, values[1], values[0]))
            }
            "mux" => {
                let (choice, expr) = given[0];
                self.expect_number(choice, expr.span)?;
                let values = self.all_alike(&given[1..])?;
                let most = values.len() as i64 - 1;
                if choice.low < 0 || choice.high > most {
                    let kind = redoubt_program::program::PropertyKind::IndexOutOfBounds;
                    self.check_bounds(choice, 0, most, "index(MUX)", kind, expr.span);
                }
                let mut result = values[values.len() - 1];
                for (index, value) in values.iter().enumerate().rev().skip(1) {
                    let number = self.literal_value(index as i64);
                    let is_this = self.equal(choice, number);
                    result = self.either(is_this, *value, result);
                }
                Ok(result)
            }
            "shl" | "shr" | "rol" | "ror" => self.shift(key, given[0], given[1]),
            "gt" | "ge" | "lt" | "le" | "eq" | "ne" => self.chain(key, &given),
            _ => {
                let message = format!("`{}` as a function is not supported", place.name.text);
                self.refuse(Diagnostic::new(span, message, "expected the operator"))
            }
        }
    }

    fn fit_logic(&mut self, value: Value, span: Span) -> Lowered<Value> {
        if value.ty.is_none() { self.fit(value, Ty::Bool, span) } else { Ok(value) }
    }

    /// Each compared with the next.
    fn chain(&mut self, key: &str, given: &[Given<'m>]) -> Lowered<Value> {
        let values = self.all_alike(given)?;
        let mut all = self.known_value(Ty::Bool, 1);
        for pair in values.windows(2) {
            let (a, b) = (pair[0], pair[1]);
            let next = match key {
                "gt" => self.less(b, a),
                "lt" => self.less(a, b),
                "eq" => self.equal(a, b),
                "ge" => {
                    let below = self.less(a, b);
                    self.not(below)
                }
                "le" => {
                    let above = self.less(b, a);
                    self.not(above)
                }
                _ => {
                    let equal = self.equal(a, b);
                    self.not(equal)
                }
            };
            all = self.truth(BinaryOp::And, all.expr, next.expr);
        }
        Ok(all)
    }

    /// Values of one type, the largest of theirs.
    fn all_alike(&mut self, given: &[Given<'m>]) -> Lowered<Vec<Value>> {
        let Some(first) = given.first() else { return Ok(vec![]) };
        let mut widest = (first.0, first.1.span);
        for (value, expr) in &given[1..] {
            if widest.0.ty.is_none() {
                widest = (*value, expr.span);
            } else if value.ty.is_some() {
                let (_, wider, ty) = self.alike(widest, (*value, expr.span))?;
                if Some(ty) != widest.0.ty {
                    widest = (wider, expr.span);
                }
            }
        }
        match widest.0.ty {
            Some(ty) => given.iter().map(|(value, expr)| self.fit(*value, ty, expr.span)).collect(),
            None => Ok(given.iter().map(|(value, _)| *value).collect()),
        }
    }

    fn smaller(&mut self, a: Value, b: Value) -> Value {
        let less = self.less(b, a);
        let result = self.either(less, b, a);
        Value { low: a.low.min(b.low), high: a.high.min(b.high), ..result }
    }

    fn larger(&mut self, a: Value, b: Value) -> Value {
        let less = self.less(a, b);
        let result = self.either(less, b, a);
        Value { low: a.low.max(b.low), high: a.high.max(b.high), ..result }
    }

    /// Shifts fill with zeros, and by as many bits as there are or more leave nothing; rotations go round.
    fn shift(&mut self, key: &str, (value, expr): Given<'m>, (amount, by): Given<'m>) -> Lowered<Value> {
        let ty = match value.ty {
            Some(ty @ (Ty::Bits(_) | Ty::Int { signed: false, .. })) => ty,
            Some(ty) => {
                let message = format!("{} is not shifted", self.type_name(ty));
                return self.refuse(Diagnostic::new(expr.span, message, "expected BYTE, WORD or DWORD"));
            }
            None => {
                let message = "how many bits does this number have?";
                return self.refuse(Diagnostic::new(expr.span, message, "expected a type: `WORD#...`"));
            }
        };
        self.expect_number(amount, by.span)?;
        if amount.low < 0 {
            let message = "the number of bits may be negative";
            return self.refuse(Diagnostic::new(by.span, message, "expected an unsigned number, or a range from 0"));
        }
        let width = i64::from(ty.width());
        let (low, high) = self.type_bounds(ty);
        let size = self.make.int(width);
        if key == "rol" || key == "ror" {
            // In 32 bits, a rotation to the left by `k` is one to the right by the rest.
            let amount = self.make.op(BinaryOp::Rem, amount.expr, size);
            let rest = self.make.op(BinaryOp::Sub, size, amount);
            let (left, right) = if key == "rol" { (amount, rest) } else { (rest, amount) };
            let limit = self.make.int(31);
            let (left, right) = match width {
                32 => (self.make.op(BinaryOp::BitAnd, left, limit), self.make.op(BinaryOp::BitAnd, right, limit)),
                _ => (left, right),
            };
            let up = self.make.op(BinaryOp::ShiftLeft, value.expr, left);
            let down = self.logical_right(value.expr, right);
            let both = self.make.op(BinaryOp::BitOr, up, down);
            let expr = self.low_bits(both, ty);
            return Ok(self.number_value(expr, ty, low, high));
        }
        let limit = self.literal_value(width);
        let plain = Value { clock: None, ..amount };
        let few = self.less(plain, limit);
        let shifted = match key {
            "shl" => {
                let up = self.make.op(BinaryOp::ShiftLeft, value.expr, amount.expr);
                self.low_bits(up, ty)
            }
            _ => self.logical_right(value.expr, amount.expr),
        };
        let zero = self.make.int(0);
        let expr = self.make.ite(few.expr, shifted, zero);
        let high = match (key, amount.known()) {
            ("shr", Some(bits)) => value.high >> bits.min(63),
            ("shr", None) => value.high,
            _ => high,
        };
        Ok(self.number_value(expr, ty, low, high))
    }

    /// A value between bounds, or its number if it is known.
    fn number_value(&mut self, expr: redoubt_program::expr::ExprId, ty: Ty, low: i64, high: i64) -> Value {
        match self.make.program.exprs.as_int(expr) {
            Some(known) => self.known_value(ty, i64::from(known as u32)),
            None => Value::new(expr, ty, low, high),
        }
    }

    fn conversion(
        &mut self,
        from: Option<Ty>,
        to: Ty,
        place: &'m Place,
        arguments: &'m [Argument],
        span: Span,
    ) -> Lowered<Value> {
        let given = self.given(&["in"], place, arguments, span)?;
        let (value, expr) = given[0];
        let value = match from {
            Some(from) => self.fit(value, from, expr.span)?,
            None => value,
        };
        self.convert(value, to, span)
    }
}

/// `INT_TO_SINT`, `TO_SINT`.
fn conversion(key: &str) -> Option<(Option<Ty>, Ty)> {
    if let Some(to) = key.strip_prefix("to_") {
        return Some((None, Ty::named(to)?));
    }
    let (from, to) = key.split_once("_to_")?;
    Some((Some(Ty::named(from)?), Ty::named(to)?))
}
