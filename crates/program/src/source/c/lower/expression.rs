//! Expressions: what they do, and values that are computed when they are used.

use redoubt_base::stack::grow;

use super::declare::cell_type;
use super::scope::{Binding, Target};
use super::{Lowerer, high_word, integer_of, is_wide, too_wide, unsupported};
use crate::expr::{self, BinaryOp, TableId, VarId};
use crate::program::PropertyKind;
use crate::source::Diagnostic;
use crate::source::c::ast::{BinaryOperator, ExprId, ExprKind, UnaryOperator};
use crate::source::c::types::{self, Integer, Type};
use crate::source::c::wide::{self, Pair};
use crate::source::c::words::{self, Number, Repr};
use crate::source::refused::{Lowered, Refused, refuse};
use crate::text::Span;

/// What an expression stands for.
#[derive(Clone, Debug)]
pub enum Value {
    Number(Number),
    /// A word that is null, or points to what nobody knows.
    Pointer(expr::ExprId),
    /// The address of something that is known.
    Address(Target),
    Void,
}

/// Where a value is kept.
#[derive(Clone, Debug)]
pub enum Place {
    Variable(VarId, Type),
    Cell { table: TableId, index: expr::ExprId, ty: Integer },
}

impl<'s> Lowerer<'_, 's> {
    /// Whether evaluating an expression does anything but compute: assign, call, or end the run.
    pub fn has_effect(&mut self, id: ExprId) -> bool {
        self.effects.resize(self.effects.len().max(id.index() + 1), None);
        if let Some(known) = self.effects[id.index()] {
            return known;
        }
        let syntax = self.syntax;
        let result = grow(|| match &syntax.expr(id).kind {
            ExprKind::Call(..) | ExprKind::Assign(..) | ExprKind::Step(..) | ExprKind::Cell(..) => true,
            ExprKind::Statements(_) | ExprKind::Member => true,
            ExprKind::Unary(UnaryOperator::Dereference, _) => true,
            ExprKind::Binary(op, a, b) => {
                use BinaryOperator::{Divide, Remainder, ShiftLeft, ShiftRight};
                let is_number = matches!(&syntax.expr(*b).kind, ExprKind::Number(text) if !text.starts_with('0'));
                let may_trap = matches!(op, Divide | Remainder | ShiftLeft | ShiftRight) && !is_number;
                may_trap || self.has_effect(*a) || self.has_effect(*b)
            }
            ExprKind::And(a, b) | ExprKind::Or(a, b) => self.has_effect(*a) || self.has_effect(*b),
            ExprKind::Conditional(a, b, c) => self.has_effect(*a) || self.has_effect(*b) || self.has_effect(*c),
            ExprKind::Unary(_, a) | ExprKind::Cast(_, a) => self.has_effect(*a),
            ExprKind::Comma(list) => list.iter().any(|&part| self.has_effect(part)),
            ExprKind::Name(_) | ExprKind::Number(_) | ExprKind::Character(_) | ExprKind::Text => false,
            ExprKind::SizeOf(_) | ExprKind::SizeOfType(_) => false,
        });
        self.effects[id.index()] = Some(result);
        result
    }

    /// An expression for its effect only.
    pub fn effect(&mut self, id: ExprId) -> Lowered {
        let (syntax, span) = (self.syntax, self.syntax.expr(id).span);
        match &syntax.expr(id).kind {
            ExprKind::Step(place, op, _) => {
                let place = self.place(*place)?;
                self.step(&place, *op, span)
            }
            ExprKind::Call(function, arguments) => self.call(*function, arguments, span).map(drop),
            ExprKind::Comma(list) => list.iter().try_for_each(|&part| self.effect(part)),
            ExprKind::Cast(_, inner) => self.effect(*inner),
            _ => self.value(id).map(drop),
        }
    }

    /// A number; pointers are none.
    pub fn number(&mut self, id: ExprId) -> Lowered<Number> {
        let span = self.syntax.expr(id).span;
        match self.value(id)? {
            Value::Number(number) => Ok(number),
            Value::Pointer(_) | Value::Address(_) => unsupported(span, "computing with a pointer"),
            Value::Void => refuse(Diagnostic::new(span, "this has no value", "expected a number")),
        }
    }

    pub fn truth(&mut self, id: ExprId) -> Lowered<expr::ExprId> {
        let span = self.syntax.expr(id).span;
        match self.value(id)? {
            Value::Number(number) => Ok(number.to_truth(self.exprs())),
            Value::Pointer(word) => Ok(Number::word(word, Integer::UINT).to_truth(self.exprs())),
            Value::Address(_) => Ok(self.exprs().bool(true)),
            Value::Void => refuse(Diagnostic::new(span, "this has no value", "expected a condition")),
        }
    }

    /// The number that a variable of a type holds after the value is assigned to it; pointers are numbers here.
    pub fn converted(&mut self, value: Value, ty: &Type, span: Span) -> Lowered<Number> {
        match (value, ty) {
            (Value::Number(number), Type::Integer(integer)) => Ok(number.convert(*integer, self.exprs())),
            (Value::Number(number), Type::Pointer(_)) => Ok(number.convert(Integer::UINT, self.exprs())),
            (Value::Pointer(word), Type::Pointer(_)) => Ok(Number::word(word, Integer::UINT)),
            (Value::Pointer(word), Type::Integer(integer)) => {
                Ok(Number::word(word, Integer::UINT).convert(*integer, self.exprs()))
            }
            (Value::Address(_), _) => unsupported(span, "keeping the address of a variable"),
            (Value::Void, _) => refuse(Diagnostic::new(span, "this has no value", "expected a value")),
            (_, ty) => unsupported(span, &format!("a value of this type ({ty:?})")),
        }
    }

    /// Likewise, where it takes one word.
    fn converted_word(&mut self, value: Value, ty: &Type, span: Span) -> Lowered<expr::ExprId> {
        let number = self.converted(value, ty, span)?;
        number.to_word(self.exprs()).map_err(too_wide(span))
    }

    /// Gives a variable of a type a value.
    pub fn put(&mut self, variable: VarId, ty: &Type, value: Value, span: Span) -> Lowered {
        let number = self.converted(value, ty, span)?;
        if number.ty.bits <= 32 {
            let word = number.to_word(self.exprs()).map_err(too_wide(span))?;
            self.assign(variable, word, span);
            return Ok(());
        }
        // Each word may be computed from both.
        let pair = number.to_pair(self.exprs());
        let low = self.settled(pair.low, span);
        self.assign(high_word(variable), pair.high, span);
        self.assign(variable, low, span);
        Ok(())
    }

    /// The value that a variable of a type has.
    pub fn get(&mut self, variable: VarId, ty: &Type) -> Value {
        let low = self.read(variable);
        match ty {
            Type::Pointer(_) => Value::Pointer(low),
            _ if is_wide(ty) => {
                let high = self.read(high_word(variable));
                Value::Number(Number::pair(Pair { low, high }, integer_of(ty)))
            }
            _ => Value::Number(Number::word(low, integer_of(ty))),
        }
    }

    /// Takes a value now, so that what happens later does not change it.
    pub fn settle(&mut self, value: Value, span: Span) -> Lowered<Value> {
        Ok(match value {
            Value::Number(Number { value: Repr::Pair(pair), ty }) => {
                let (low, high) = (self.settled(pair.low, span), self.settled(pair.high, span));
                Value::Number(Number::pair(Pair { low, high }, ty))
            }
            Value::Number(number) if number.as_known().is_none() => {
                let word = number.to_word(self.exprs()).map_err(too_wide(span))?;
                Value::Number(Number::word(self.settled(word, span), number.ty))
            }
            Value::Pointer(word) => Value::Pointer(self.settled(word, span)),
            Value::Address(Target::Cells { table, offset, element, count }) => {
                Value::Address(Target::Cells { table, offset: self.settled(offset, span), element, count })
            }
            other => other,
        })
    }

    pub fn settled(&mut self, word: expr::ExprId, span: Span) -> expr::ExprId {
        if self.builder.exprs.as_int(word).is_some() {
            return word;
        }
        let variable = self.temporary(span);
        self.assign(variable, word, span);
        self.read(variable)
    }

    pub fn value(&mut self, id: ExprId) -> Lowered<Value> {
        grow(|| self.any_value(id))
    }

    fn any_value(&mut self, id: ExprId) -> Lowered<Value> {
        self.watch.look()?;
        let (syntax, span) = (self.syntax, self.syntax.expr(id).span);
        Ok(Value::Number(match &syntax.expr(id).kind {
            ExprKind::Number(text) => match types::number(text) {
                Ok((value, ty)) => Number::known(value, ty),
                Err(why) => return refuse(Diagnostic::new(span, why, "expected an integer")),
            },
            ExprKind::Character(text) => match types::character(text) {
                Some(value) => Number::known(value, Integer::INT),
                None => return unsupported(span, "this character"),
            },
            ExprKind::Text => {
                let address = self.text_address();
                return Ok(Value::Pointer(self.exprs().int(address)));
            }
            ExprKind::Name(name) => return self.named(name, span),
            ExprKind::Cell(..) | ExprKind::Unary(UnaryOperator::Dereference, _) => return self.indirect(id),
            ExprKind::Member => return unsupported(span, "a member of a structure"),
            ExprKind::Statements(block) => return self.statements(*block),
            ExprKind::Call(function, arguments) => return self.call(*function, arguments, span),
            ExprKind::Unary(op, operand) => return self.unary(*op, *operand, span),
            ExprKind::Binary(op, a, b) => return self.binary(*op, *a, *b, span),
            ExprKind::And(..) | ExprKind::Or(..) => self.logical(id)?,
            ExprKind::Conditional(a, b, c) => return self.conditional(*a, *b, *c, span),
            ExprKind::Assign(place, op, value) => return self.assignment(*place, *op, *value, span),
            ExprKind::Step(place, op, is_after) => {
                let place = self.place(*place)?;
                let before = self.read_place(&place);
                let before = if *is_after { self.settle(before, span)? } else { before };
                self.step(&place, *op, span)?;
                return Ok(if *is_after { before } else { self.read_place(&place) });
            }
            ExprKind::Cast(name, operand) => {
                let ty = self.type_of(&name.specifiers, &name.declarator)?;
                let value = self.value(*operand)?;
                return self.cast(value, &ty, span);
            }
            ExprKind::SizeOfType(name) => {
                let ty = self.type_of(&name.specifiers, &name.declarator)?;
                self.size(&ty, span)?
            }
            ExprKind::SizeOf(operand) => {
                let ty = self.static_type(*operand)?;
                self.size(&ty, span)?
            }
            ExprKind::Comma(list) => {
                let Some((last, others)) = list.split_last() else { return Ok(Value::Void) };
                others.iter().try_for_each(|&part| self.effect(part))?;
                return self.value(*last);
            }
        }))
    }

    fn size(&mut self, ty: &Type, span: Span) -> Lowered<Number> {
        match ty.bytes() {
            Some(bytes) => Ok(Number::known(bytes.into(), Integer::UINT)),
            None => unsupported(span, "the size of this type"),
        }
    }

    /// The type of an expression that is not evaluated, where it is easily seen.
    fn static_type(&mut self, id: ExprId) -> Lowered<Type> {
        let (syntax, span) = (self.syntax, self.syntax.expr(id).span);
        match &syntax.expr(id).kind {
            ExprKind::Name(name) => match self.find(name) {
                Some(Binding::Variable(_, ty) | Binding::Array(_, ty)) => Ok(ty),
                _ => unsupported(span, "the size of this"),
            },
            ExprKind::Cell(base, _) => match self.static_type(*base)? {
                Type::Array(element, _) | Type::Pointer(element) => Ok((*element).clone()),
                _ => unsupported(span, "the size of this"),
            },
            ExprKind::Number(text) => match types::number(text) {
                Ok((_, ty)) => Ok(Type::Integer(ty)),
                Err(why) => refuse(Diagnostic::new(span, why, "expected an integer")),
            },
            _ => unsupported(span, "the size of this"),
        }
    }

    fn named(&mut self, name: &'s str, span: Span) -> Lowered<Value> {
        if let Some(binding) = self.find(name) {
            return match binding {
                Binding::Variable(variable, ty) => Ok(self.read_place(&Place::Variable(variable, ty))),
                Binding::Array(table, ty) => Ok(self.start_of(table, &ty)),
                Binding::Address(target) => Ok(Value::Address(target)),
                Binding::Foreign(what) => unsupported(span, what),
                Binding::Refused(why) => Err(Refused::Mistakes((*why).clone())),
            };
        }
        if let Some(&value) = self.enumerators.get(name) {
            return Ok(Value::Number(Number::known(value, Integer::INT)));
        }
        if self.functions.contains_key(name) {
            return unsupported(span, "a function as a value");
        }
        refuse(Diagnostic::new(span, format!("`{name}` is not declared"), "expected a name that is known here"))
    }

    fn start_of(&mut self, table: TableId, ty: &Type) -> Value {
        let offset = self.exprs().int(0);
        match ty {
            Type::Array(element, Some(count)) => {
                Value::Address(Target::Cells { table, offset, element: (**element).clone(), count: *count })
            }
            _ => Value::Void,
        }
    }

    pub fn read_place(&mut self, place: &Place) -> Value {
        match place {
            Place::Variable(variable, ty) => self.get(*variable, ty),
            Place::Cell { table, index, ty } => {
                let pointer = self.exprs().table(*table);
                let cell = self.exprs().cell(pointer, *index);
                Value::Number(Number::word(cell, *ty))
            }
        }
    }

    fn write_place(&mut self, place: &Place, value: Value, span: Span) -> Lowered {
        match place {
            Place::Variable(variable, ty) => self.put(*variable, ty, value, span)?,
            Place::Cell { table, index, ty } => {
                let word = self.converted_word(value, &Type::Integer(*ty), span)?;
                self.store(*table, *index, word, span);
            }
        }
        Ok(())
    }

    /// What stands on the left of an assignment.
    pub fn place(&mut self, id: ExprId) -> Lowered<Place> {
        let (syntax, span) = (self.syntax, self.syntax.expr(id).span);
        match &syntax.expr(id).kind {
            ExprKind::Name(name) => match self.find(name) {
                Some(Binding::Variable(variable, ty)) => Ok(Place::Variable(variable, ty)),
                Some(Binding::Foreign(what)) => unsupported(span, what),
                Some(Binding::Refused(why)) => Err(Refused::Mistakes((*why).clone())),
                Some(_) => unsupported(span, "assigning an array or an address"),
                None => refuse(Diagnostic::new(span, format!("`{name}` is not declared"), "expected a variable")),
            },
            ExprKind::Member => unsupported(span, "a member of a structure"),
            ExprKind::Cell(..) | ExprKind::Unary(UnaryOperator::Dereference, _) => match self.target(id)? {
                Target::Variable(variable, ty) => Ok(Place::Variable(variable, ty)),
                Target::Cells { table, offset, element: Type::Integer(ty), .. } => {
                    Ok(Place::Cell { table, index: self.settled(offset, span), ty })
                }
                Target::Cells { .. } => unsupported(span, "assigning an array"),
            },
            _ => refuse(Diagnostic::new(span, "this cannot be assigned", "expected a variable or a cell")),
        }
    }

    /// The value of `a[i]` or `*p`.
    fn indirect(&mut self, id: ExprId) -> Lowered<Value> {
        let span = self.syntax.expr(id).span;
        Ok(match self.target(id)? {
            Target::Variable(variable, ty) => self.read_place(&Place::Variable(variable, ty)),
            Target::Cells { table, offset, element: Type::Integer(ty), .. } => {
                self.read_place(&Place::Cell { table, index: offset, ty })
            }
            Target::Cells { table, offset, element: Type::Array(element, Some(count)), .. } => {
                Value::Address(Target::Cells { table, offset, element: (*element).clone(), count })
            }
            Target::Cells { .. } => return unsupported(span, "a cell of this type"),
        })
    }

    /// What `a[i]` or `*p` is; the index has been checked.
    fn target(&mut self, id: ExprId) -> Lowered<Target> {
        let (syntax, span) = (self.syntax, self.syntax.expr(id).span);
        let (base, index) = match &syntax.expr(id).kind {
            ExprKind::Cell(base, index) => (*base, Some(*index)),
            ExprKind::Unary(_, base) => (*base, None),
            _ => return unsupported(span, "this place"),
        };
        let mut address = self.value(base)?;
        let number = match index {
            Some(index) => {
                if self.has_effect(index) {
                    address = self.settle(address, span)?;
                }
                self.number(index)?
            }
            None => Number::known(0, Integer::INT),
        };
        match address {
            Value::Address(Target::Variable(variable, ty)) if number.as_known() == Some(0) => {
                Ok(Target::Variable(variable, ty))
            }
            Value::Address(Target::Cells { table, offset, element, count }) => {
                let index = number.to_word(self.exprs()).map_err(too_wide(span))?;
                self.check_index(index, count, span);
                let size = match element.bytes() {
                    Some(bytes) => (bytes / cell_type(&element).bytes()) as i32,
                    None => return unsupported(span, "a cell of this type"),
                };
                let exprs = self.exprs();
                let size = exprs.int(size);
                let scaled = exprs.binary(BinaryOp::Mul, index, size);
                let offset = exprs.binary(BinaryOp::Add, offset, scaled);
                Ok(Target::Cells { table, offset, element, count: 1 })
            }
            Value::Pointer(_) => unsupported(span, "reading or writing through a pointer that may point anywhere"),
            _ => unsupported(span, "reading or writing through this"),
        }
    }

    fn check_index(&mut self, index: expr::ExprId, count: u32, span: Span) {
        let exprs = self.exprs();
        let (zero, count) = (exprs.int(0), exprs.int(count as i32));
        let below = exprs.binary(BinaryOp::Less, index, zero);
        let above = exprs.binary(BinaryOp::LessEq, count, index);
        let outside = exprs.or(below, above);
        self.check(outside, PropertyKind::IndexOutOfBounds, span);
    }

    fn unary(&mut self, op: UnaryOperator, operand: ExprId, span: Span) -> Lowered<Value> {
        if op == UnaryOperator::Address {
            return self.address(operand);
        }
        if op == UnaryOperator::Not {
            let truth = self.truth(operand)?;
            let not = self.exprs().not(truth);
            return Ok(Value::Number(Number::truth(not, &self.builder.exprs)));
        }
        let number = self.number(operand)?;
        let exprs = self.exprs();
        let result = match op {
            UnaryOperator::Negate => number.negate(exprs),
            UnaryOperator::BitNot => number.complement(exprs),
            _ => Ok(number.convert(number.ty.promoted(), exprs)),
        };
        result.map(Value::Number).map_err(too_wide(span))
    }

    fn address(&mut self, operand: ExprId) -> Lowered<Value> {
        let (syntax, span) = (self.syntax, self.syntax.expr(operand).span);
        if let ExprKind::Name(name) = &syntax.expr(operand).kind {
            return match self.find(name) {
                Some(Binding::Variable(variable, ty)) => Ok(Value::Address(Target::Variable(variable, ty))),
                Some(Binding::Array(table, ty)) => Ok(self.start_of(table, &ty)),
                _ => unsupported(span, "the address of this"),
            };
        }
        self.target(operand).map(Value::Address)
    }

    fn binary(&mut self, op: BinaryOperator, a: ExprId, b: ExprId, span: Span) -> Lowered<Value> {
        let mut left = self.value(a)?;
        if self.has_effect(b) {
            left = self.settle(left, span)?;
        }
        let right = self.value(b)?;
        let (left, right) = match (left, right) {
            (Value::Number(left), Value::Number(right)) => (left, right),
            (left, right) => return self.compare_pointers(op, left, right, span),
        };
        self.compute(op, left, right, span).map(Value::Number)
    }

    /// An operator on numbers, with what may go wrong checked before.
    fn compute(&mut self, op: BinaryOperator, mut a: Number, mut b: Number, span: Span) -> Lowered<Number> {
        use BinaryOperator as Op;
        let is_wide = a.ty.bits > 32 || b.ty.bits > 32;
        if is_wide {
            // An operator of 64 bits reads its operands many times: they must not be computed as often.
            (a, b) = (self.settled_number(a, span)?, self.settled_number(b, span)?);
        }
        match op {
            Op::Divide | Op::Remainder => self.check_divisor(a, b, span)?,
            Op::ShiftLeft | Op::ShiftRight => self.check_amount(a, b, span)?,
            _ => {}
        }
        let is_division = matches!(op, Op::Divide | Op::Remainder);
        if is_wide && is_division && !b.as_known().is_some_and(wide::is_quick_divisor) {
            return unsupported(span, "a division of 64 bits by something else than a small constant");
        }
        words::binary(op, a, b, self.exprs()).map_err(too_wide(span))
    }

    fn settled_number(&mut self, number: Number, span: Span) -> Lowered<Number> {
        match self.settle(Value::Number(number), span)? {
            Value::Number(number) => Ok(number),
            _ => unreachable!("a number stays one"),
        }
    }

    /// The processor traps on a zero divisor, and on the lowest number divided by -1 unless gcc sees the -1.
    fn check_divisor(&mut self, a: Number, b: Number, span: Span) -> Lowered {
        let truth = b.to_truth(self.exprs());
        let is_zero = self.exprs().not(truth);
        self.check(is_zero, PropertyKind::DivisionByZero, span);
        let ty = a.ty.common(b.ty);
        if b.as_known().is_some() || !ty.signed {
            return Ok(());
        }
        let (lowest, minus_one) = (Number::known(ty.low(), ty), Number::known(-1, ty));
        let is_lowest = words::binary(BinaryOperator::Equal, a, lowest, self.exprs()).map_err(too_wide(span))?;
        let is_minus_one = words::binary(BinaryOperator::Equal, b, minus_one, self.exprs()).map_err(too_wide(span))?;
        let (is_lowest, is_minus_one) = (is_lowest.to_truth(self.exprs()), is_minus_one.to_truth(self.exprs()));
        let overflows = self.exprs().and(is_lowest, is_minus_one);
        self.check(overflows, PropertyKind::DivisionOverflow, span);
        Ok(())
    }

    fn check_amount(&mut self, a: Number, b: Number, span: Span) -> Lowered {
        let bits = a.ty.promoted().bits as i32;
        if let Some(amount) = b.as_known() {
            let wrong = self.exprs().bool(!(0..i128::from(bits)).contains(&amount));
            self.check(wrong, PropertyKind::ShiftOutOfRange, span);
            return Ok(());
        }
        let (zero, bits) = (Number::known(0, Integer::INT), Number::known(bits.into(), Integer::INT));
        let below = words::binary(BinaryOperator::Less, b, zero, self.exprs()).map_err(too_wide(span))?;
        let above = words::binary(BinaryOperator::LessEqual, bits, b, self.exprs()).map_err(too_wide(span))?;
        let (below, above) = (below.to_truth(self.exprs()), above.to_truth(self.exprs()));
        let outside = self.exprs().or(below, above);
        self.check(outside, PropertyKind::ShiftOutOfRange, span);
        Ok(())
    }

    fn compare_pointers(&mut self, op: BinaryOperator, a: Value, b: Value, span: Span) -> Lowered<Value> {
        if !matches!(op, BinaryOperator::Equal | BinaryOperator::NotEqual) {
            return unsupported(span, "computing with pointers");
        }
        // Nothing that is known lies at null.
        let is_null = |value: &Value, this: &Self| match value {
            Value::Number(number) => number.as_known() == Some(0),
            Value::Pointer(word) => this.builder.exprs.as_int(*word) == Some(0),
            _ => false,
        };
        let known = match (&a, &b) {
            (Value::Address(_), other) | (other, Value::Address(_)) if is_null(other, self) => Some(false),
            (Value::Address(_), _) | (_, Value::Address(_)) => return unsupported(span, "comparing addresses"),
            _ => None,
        };
        let number = match known {
            Some(equal) => Number::known(i128::from(equal == (op == BinaryOperator::Equal)), Integer::INT),
            None => {
                let pointer = Type::Pointer(std::rc::Rc::new(Type::Void));
                let a = self.converted_word(a, &pointer, span)?;
                let b = self.converted_word(b, &pointer, span)?;
                let (a, b) = (Number::word(a, Integer::UINT), Number::word(b, Integer::UINT));
                words::binary(op, a, b, self.exprs()).map_err(too_wide(span))?
            }
        };
        Ok(Value::Number(number))
    }

    /// `&&` and `||`: branches where the second operand does something, and else plain operators.
    fn logical(&mut self, id: ExprId) -> Lowered<Number> {
        let (syntax, span) = (self.syntax, self.syntax.expr(id).span);
        let (a, b, is_and) = match &syntax.expr(id).kind {
            ExprKind::And(a, b) => (*a, *b, true),
            ExprKind::Or(a, b) => (*a, *b, false),
            _ => return unsupported(span, "this condition"),
        };
        if !self.has_effect(b) {
            let a = self.truth(a)?;
            let b = self.truth(b)?;
            let exprs = self.exprs();
            let both = if is_and { exprs.and(a, b) } else { exprs.or(a, b) };
            return Ok(Number::truth(both, exprs));
        }
        let (yes, no, after) = (self.new_block(), self.new_block(), self.new_block());
        self.condition(id, yes, no)?;
        let result = self.temporary(span);
        for (block, value) in [(yes, 1), (no, 0)] {
            self.current = block;
            let value = self.exprs().int(value);
            self.assign(result, value, span);
            self.jump(after, after);
        }
        let word = self.read(result);
        let zero = self.exprs().int(0);
        let is_zero = self.exprs().eq(word, zero);
        let truth = self.exprs().not(is_zero);
        Ok(Number::truth(truth, &self.builder.exprs))
    }

    /// Goes one way or the other. The current block is over afterwards.
    pub fn condition(&mut self, id: ExprId, yes: crate::flow::BlockId, no: crate::flow::BlockId) -> Lowered {
        grow(|| self.any_condition(id, yes, no))
    }

    fn any_condition(&mut self, id: ExprId, yes: crate::flow::BlockId, no: crate::flow::BlockId) -> Lowered {
        let (syntax, span) = (self.syntax, self.syntax.expr(id).span);
        match &syntax.expr(id).kind {
            ExprKind::And(a, b) if self.has_effect(*b) => {
                let next = self.new_block();
                self.condition(*a, next, no)?;
                self.current = next;
                self.condition(*b, yes, no)
            }
            ExprKind::Or(a, b) if self.has_effect(*b) => {
                let next = self.new_block();
                self.condition(*a, yes, next)?;
                self.current = next;
                self.condition(*b, yes, no)
            }
            ExprKind::Unary(UnaryOperator::Not, inner) => self.condition(*inner, no, yes),
            _ => {
                let condition = self.truth(id)?;
                self.branch(condition, yes, no, span, yes);
                Ok(())
            }
        }
    }

    fn conditional(&mut self, condition: ExprId, then: ExprId, otherwise: ExprId, span: Span) -> Lowered<Value> {
        if !self.has_effect(then) && !self.has_effect(otherwise) {
            let condition = self.truth(condition)?;
            let (a, b) = (self.value(then)?, self.value(otherwise)?);
            return match (a, b) {
                (Value::Number(a), Value::Number(b)) => {
                    let ty = a.ty.common(b.ty);
                    let exprs = self.exprs();
                    let (a, b) = (a.convert(ty, exprs), b.convert(ty, exprs));
                    if ty.bits > 32 {
                        let (a, b) = (a.to_pair(exprs), b.to_pair(exprs));
                        return Ok(Value::Number(Number::pair(Pair::choose(condition, a, b, exprs), ty)));
                    }
                    let a = a.to_word(exprs).map_err(too_wide(span))?;
                    let b = b.to_word(exprs).map_err(too_wide(span))?;
                    Ok(Value::Number(Number::word(exprs.ite(condition, a, b), ty)))
                }
                (Value::Pointer(a), Value::Pointer(b)) => Ok(Value::Pointer(self.exprs().ite(condition, a, b))),
                _ => unsupported(span, "a choice between such values"),
            };
        }
        let (yes, no, after) = (self.new_block(), self.new_block(), self.new_block());
        self.condition(condition, yes, no)?;
        let (result, result_high) = (self.temporary(span), self.temporary(span));
        let mut types = vec![];
        for (block, value) in [(yes, then), (no, otherwise)] {
            self.current = block;
            match self.value(value)? {
                Value::Void => {}
                Value::Number(number) => {
                    let pair = number.to_pair(self.exprs());
                    self.assign(result, pair.low, span);
                    self.assign(result_high, pair.high, span);
                    types.push(number.ty);
                }
                _ => return unsupported(span, "a choice between such values"),
            }
            self.jump(after, after);
        }
        let (low, high) = (self.read(result), self.read(result_high));
        match types.as_slice() {
            [] => Ok(Value::Void),
            // In a word, or two, every number of both types is what it will be in the common one.
            [a, b] if a.common(*b).bits > 32 => Ok(Value::Number(Number::pair(Pair { low, high }, a.common(*b)))),
            [a, b] => Ok(Value::Number(Number::word(low, a.common(*b)))),
            _ => unsupported(span, "a choice between such values"),
        }
    }

    fn assignment(&mut self, place: ExprId, op: Option<BinaryOperator>, value: ExprId, span: Span) -> Lowered<Value> {
        let place = self.place(place)?;
        let new = match op {
            None => self.value(value)?,
            Some(op) => {
                let mut old = self.read_place(&place);
                if self.has_effect(value) {
                    old = self.settle(old, span)?;
                }
                let Value::Number(old) = old else { return unsupported(span, "computing with a pointer") };
                let operand = self.number(value)?;
                Value::Number(self.compute(op, old, operand, span)?)
            }
        };
        self.write_place(&place, new, span)?;
        Ok(self.read_place(&place))
    }

    fn step(&mut self, place: &Place, op: BinaryOperator, span: Span) -> Lowered {
        let Value::Number(old) = self.read_place(place) else {
            return unsupported(span, "computing with a pointer");
        };
        let new = self.compute(op, old, Number::known(1, Integer::INT), span)?;
        self.write_place(place, Value::Number(new), span)
    }

    fn cast(&mut self, value: Value, ty: &Type, span: Span) -> Lowered<Value> {
        match (value, ty) {
            (_, Type::Void) => Ok(Value::Void),
            (Value::Number(number), Type::Integer(integer)) => {
                Ok(Value::Number(number.convert(*integer, self.exprs())))
            }
            (Value::Pointer(word), Type::Integer(integer)) => {
                Ok(Value::Number(Number::word(word, Integer::UINT).convert(*integer, self.exprs())))
            }
            (Value::Number(number), Type::Pointer(_)) => {
                let word = number.convert(Integer::UINT, self.exprs());
                word.to_word(self.exprs()).map(Value::Pointer).map_err(too_wide(span))
            }
            (Value::Address(target), Type::Pointer(to)) if !target.may_be_seen_as(to) => {
                unsupported(span, "looking at a variable as if it had another type")
            }
            (value @ (Value::Pointer(_) | Value::Address(_)), Type::Pointer(_)) => Ok(value),
            (Value::Address(_), _) => unsupported(span, "an address as a number"),
            (_, Type::Foreign(what)) => unsupported(span, what),
            _ => unsupported(span, "this conversion"),
        }
    }
}
