//! Numbers with fractions where the automaton is being built: constants by the processor, all else by operators on words.

use super::arithmetic::InPlace;
use super::emit::Emitter;
use super::unsupported;
use super::value::{Real, Value};
use crate::ast::BinaryOperator;
use crate::float::{Arithmetic, Format, Rounding};
use crate::types::{Integer, Width};
use crate::words::Number;
use redoubt_program::expr::ExprId;
use redoubt_program::program::PropertyKind;
use redoubt_program::text::Span;
use redoubt_reading::refused::Lowered;

impl Real {
    fn as_known(self) -> Option<u64> {
        self.bits.as_known().map(|bits| bits as u64)
    }

    fn single(self) -> Option<f32> {
        self.as_known().map(|bits| f32::from_bits(bits as u32))
    }

    fn double(self) -> Option<f64> {
        self.as_known().map(f64::from_bits)
    }

    fn of_single(value: f32) -> Real {
        Real::known(u64::from(value.to_bits()), Width::Single)
    }

    fn of_double(value: f64) -> Real {
        Real::known(value.to_bits(), Width::Double)
    }
}

impl Emitter {
    fn reals(
        &mut self,
        width: Width,
        span: Span,
        compute: impl FnOnce(&mut Arithmetic<'_, InPlace<'_>>) -> Number,
    ) -> Real {
        let mut scratch = InPlace { out: self, span };
        let bits = compute(&mut Arithmetic { scratch: &mut scratch, format: Format::of(width) });
        Real { bits: bits.convert(width.bits(), self.exprs()), width }
    }

    fn real_truth(
        &mut self,
        width: Width,
        span: Span,
        compute: impl FnOnce(&mut Arithmetic<'_, InPlace<'_>>) -> ExprId,
    ) -> ExprId {
        let mut scratch = InPlace { out: self, span };
        compute(&mut Arithmetic { scratch: &mut scratch, format: Format::of(width) })
    }

    pub fn negated(&mut self, real: Real) -> Real {
        self.reals(real.width, Span::default(), |this| this.negate(real.bits))
    }

    pub fn absolute(&mut self, real: Real) -> Real {
        self.reals(real.width, Span::default(), |this| this.absolute(real.bits))
    }

    pub fn with_sign_of(&mut self, a: Real, b: Real, span: Span) -> Lowered<Real> {
        Ok(self.reals(a.width, span, |this| this.with_sign_of(a.bits, b.bits)))
    }

    pub fn square_root(&mut self, real: Real, span: Span) -> Lowered<Real> {
        if let Some(known) = real.double().filter(|known| !known.is_nan() && *known >= 0.0) {
            return Ok(match (real.width, real.single()) {
                (Width::Single, Some(known)) => Real::of_single(known.sqrt()),
                _ => Real::of_double(known.sqrt()),
            });
        }
        Ok(self.reals(real.width, span, |this| this.square_root(real.bits)))
    }

    pub fn rounded(&mut self, real: Real, rounding: Rounding, span: Span) -> Lowered<Real> {
        Ok(self.reals(real.width, span, |this| this.rounded(real.bits, rounding)))
    }

    /// The smaller or the larger of two, of which one may be no number.
    pub fn extreme(&mut self, a: Real, b: Real, is_largest: bool, span: Span) -> Lowered<Real> {
        let op = if is_largest { BinaryOperator::Greater } else { BinaryOperator::Less };
        let first = self.real_truth(a.width, span, |this| {
            let (is_first, no_number) = (this.compare(op, a.bits, b.bits), this.is_nan(b.bits));
            this.scratch.out.exprs().or(is_first, no_number)
        });
        match self.choose_value(first, Value::Real(a), Value::Real(b), span)? {
            Value::Real(real) => Ok(real),
            _ => unsupported(span, "this"),
        }
    }

    /// What kind of number it is.
    pub fn classified(&mut self, question: &str, real: Real, span: Span) -> Lowered<Value> {
        let bits = real.bits;
        let truth = |this: &mut Emitter, truth: ExprId| Value::Number(Number::truth(truth, this.exprs()));
        let width = real.width;
        Ok(match question {
            "isnan" => {
                let is_it = self.real_truth(width, span, |this| this.is_nan(bits));
                truth(self, is_it)
            }
            "isfinite" | "finite" => {
                let is_it = self.real_truth(width, span, |this| {
                    let (nan, infinite) = (this.is_nan(bits), this.is_infinite(bits));
                    let exprs = this.scratch.out.exprs();
                    let neither = exprs.or(nan, infinite);
                    exprs.not(neither)
                });
                truth(self, is_it)
            }
            "isnormal" => {
                let is_it = self.real_truth(width, span, |this| this.is_normal(bits));
                truth(self, is_it)
            }
            "signbit" => {
                let is_it = self.real_truth(width, span, |this| this.is_negative(bits));
                truth(self, is_it)
            }
            "isinf" | "isinf_sign" => {
                // -1 for the one below all numbers, as gcc has it.
                let is_it = self.real_truth(width, span, |this| this.is_infinite(bits));
                let negative = self.real_truth(width, span, |this| this.is_negative(bits));
                let int = |value| Value::Number(Number::known(value, Integer::INT));
                let sign = self.choose_value(negative, int(-1), int(1), span)?;
                self.choose_value(is_it, sign, int(0), span)?
            }
            "fpclassify" => {
                let (nan, infinite) = (
                    self.real_truth(width, span, |this| this.is_nan(bits)),
                    self.real_truth(width, span, |this| this.is_infinite(bits)),
                );
                let (zero, normal) = (
                    self.real_truth(width, span, |this| this.is_zero(bits)),
                    self.real_truth(width, span, |this| this.is_normal(bits)),
                );
                let int = |value| Value::Number(Number::known(value, Integer::INT));
                let value = self.choose_value(normal, int(4), int(3), span)?;
                let value = self.choose_value(zero, int(2), value, span)?;
                let value = self.choose_value(infinite, int(1), value, span)?;
                self.choose_value(nan, int(0), value, span)?
            }
            _ => return unsupported(span, "this question about a number"),
        })
    }

    pub fn compute_reals(&mut self, op: BinaryOperator, a: Real, b: Real, span: Span) -> Lowered<Value> {
        use BinaryOperator as Op;
        let width = if a.width == b.width { a.width } else { Width::Double };
        let (a, b) = (self.resized(a, width, span)?, self.resized(b, width, span)?);
        if matches!(op, Op::Equal | Op::NotEqual | Op::Less | Op::LessEqual | Op::Greater | Op::GreaterEqual) {
            let holds = self.real_truth(width, span, |this| this.compare(op, a.bits, b.bits));
            return Ok(Value::Number(Number::truth(holds, self.exprs())));
        }
        let is_arithmetic = matches!(op, Op::Add | Op::Subtract | Op::Multiply | Op::Divide);
        if !is_arithmetic {
            return unsupported(span, "this operator on numbers with fractions");
        }
        match (width, a.single().zip(b.single()), a.double().zip(b.double())) {
            (Width::Single, Some((x, y)), _) if !x.is_nan() && !y.is_nan() => {
                let value = native(op, x, y);
                if !value.is_nan() {
                    return Ok(Value::Real(Real::of_single(value)));
                }
            }
            (Width::Double, _, Some((x, y))) if !x.is_nan() && !y.is_nan() => {
                let value = native(op, x, y);
                if !value.is_nan() {
                    return Ok(Value::Real(Real::of_double(value)));
                }
            }
            _ => {}
        }
        Ok(Value::Real(self.reals(width, span, |this| match op {
            Op::Add => this.add(a.bits, b.bits),
            Op::Subtract => this.subtract(a.bits, b.bits),
            Op::Multiply => this.multiply(a.bits, b.bits),
            _ => this.divide(a.bits, b.bits),
        })))
    }

    pub fn integer_to_real(&mut self, number: Number, width: Width, span: Span) -> Lowered<Real> {
        if let Some(known) = number.as_known() {
            return Ok(match width {
                Width::Single => Real::of_single(known as f32),
                Width::Double => Real::of_double(known as f64),
            });
        }
        let number = if number.ty.bits < 32 { number.convert(Integer::INT, self.exprs()) } else { number };
        Ok(self.reals(width, span, |this| this.of_integer(number)))
    }

    /// A number without its fraction; a run goes on only if that fits.
    pub fn real_to_integer(&mut self, real: Real, ty: Integer, span: Span) -> Lowered<Value> {
        if ty == Integer::BOOL {
            let truth = self.truth_of(Value::Real(real), span)?;
            let number = Number::truth(truth, self.exprs());
            return Ok(Value::Number(number.convert(ty, self.exprs())));
        }
        let known = match real.width {
            Width::Single => real.single().map(f64::from),
            Width::Double => real.double(),
        };
        if let Some(known) = known
            && known.trunc() >= ty.low() as f64
            && known.trunc() <= ty.high() as f64
            && (known.trunc() as i128) <= ty.high()
        {
            return Ok(Value::Number(Number::known(known.trunc() as i128, ty)));
        }
        let fits = self.real_truth(real.width, span, |this| this.fits(real.bits, ty));
        let is_wrong = self.exprs().not(fits);
        self.check(is_wrong, PropertyKind::FloatConversionRange, span);
        let mut scratch = InPlace { out: self, span };
        let number = Arithmetic { scratch: &mut scratch, format: Format::of(real.width) }.integer(real.bits, ty);
        Ok(Value::Number(number))
    }

    pub fn resized(&mut self, real: Real, width: Width, span: Span) -> Lowered<Real> {
        if real.width == width {
            return Ok(real);
        }
        match (width, real.single(), real.double()) {
            (Width::Double, Some(known), _) if !known.is_nan() => return Ok(Real::of_double(f64::from(known))),
            (Width::Single, _, Some(known)) if !known.is_nan() => return Ok(Real::of_single(known as f32)),
            _ => {}
        }
        Ok(self.reals(width, span, |this| this.of_other_width(real.bits, real.width)))
    }
}

fn native<T>(op: BinaryOperator, x: T, y: T) -> T
where
    T: std::ops::Add<Output = T> + std::ops::Sub<Output = T> + std::ops::Mul<Output = T> + std::ops::Div<Output = T>,
{
    match op {
        BinaryOperator::Add => x + y,
        BinaryOperator::Subtract => x - y,
        BinaryOperator::Multiply => x * y,
        _ => x / y,
    }
}
