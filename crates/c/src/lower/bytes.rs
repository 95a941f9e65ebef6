//! Bytes of objects: what is read and written as something else than it is kept as.
//!
//! A number is put together from its bytes, and each of them taken from the scalar that it lies in. Where that is known, it is one shift and
//! one mask.

use super::emit::Emitter;
use super::memory::{Leaf, storage};
use super::place::{Bytes, Index};
use super::value::Value;
use super::{too_wide, unsupported};
use crate::ast::BinaryOperator;
use crate::types::{Integer, Type};
use crate::wide::Pair;
use crate::words::{self, Number};
use redoubt_program::expr::{BinaryOp, ExprId};
use redoubt_program::text::Span;
use redoubt_reading::refused::Lowered;

/// A byte in a scalar: when it is there, which cell, and which of its bytes.
struct Spot {
    guard: ExprId,
    indices: Vec<Index>,
    byte: ExprId,
}

impl Emitter {
    pub fn read_bytes(&mut self, bytes: &Bytes<'_>, ty: &Type, bits: Option<(u32, u32)>, span: Span) -> Lowered<Value> {
        let integer = unsigned(storage(ty));
        let number = match self.read_whole(bytes, ty) {
            Some(number) => number.convert(integer, self.exprs()),
            None => self.gather(bytes, ty, integer, span)?,
        };
        if let (Some((first, width)), Type::Integer(declared)) = (bits, ty) {
            let amount = Number::known(first.into(), Integer::INT);
            let shifted =
                words::binary(BinaryOperator::ShiftRight, number, amount, self.exprs()).map_err(too_wide(span))?;
            let mask = Number::known((1i128 << width) - 1, integer.promoted());
            let masked = words::binary(BinaryOperator::BitAnd, shifted, mask, self.exprs()).map_err(too_wide(span))?;
            let narrow = Integer { bits: width, ..*declared };
            if narrow.signed {
                return Ok(Value::Number(masked.convert(narrow, self.exprs())));
            }
            let word = masked.convert(Integer::UINT, self.exprs());
            return Ok(Value::Number(Number { ty: narrow, ..word }));
        }
        if let (Type::Pointer(to), Some(word)) = (ty, number.to_word(self.exprs()).ok()) {
            let mut targets = super::memory::Targets::default();
            for leaf in bytes.leaves.clone() {
                targets.unite(&self.memory.targets(bytes.object, leaf));
            }
            let to = (**to).clone();
            return Ok(Value::Pointer(super::value::Pointer { word, to, targets: targets.into() }));
        }
        self.seen_as(number, ty, span)
    }

    /// The number, if it is just one of the scalars.
    fn read_whole(&mut self, bytes: &Bytes<'_>, ty: &Type) -> Option<Number> {
        let position = self.builder.exprs.as_int(bytes.position)?;
        let leaf = self.leaf_at(bytes, position, ty)?;
        Some(self.leaf_number(&leaf, bytes.prefix))
    }

    fn leaf_at(&self, bytes: &Bytes<'_>, position: i32, ty: &Type) -> Option<Leaf> {
        let leaves = &self.memory.object(bytes.object).leaves;
        let size = storage(ty).bytes();
        let is_it = |leaf: &&Leaf| {
            leaf.offset as i32 == position
                && leaf.dims.len() == bytes.prefix.len()
                && storage(&leaf.ty).bytes() == size
                && leaf.bits.is_none()
        };
        bytes.leaves.clone().filter_map(|number| leaves.get(number as usize)).find(is_it).cloned()
    }

    fn gather(&mut self, bytes: &Bytes<'_>, ty: &Type, integer: Integer, span: Span) -> Lowered<Number> {
        let size = if matches!(ty, Type::Pointer(_)) { 4 } else { integer.bytes() };
        let mut words = [self.exprs().int(0); 2];
        for byte in 0..size {
            let exprs = self.exprs();
            let offset = exprs.int(byte as i32);
            let position = exprs.binary(BinaryOp::Add, bytes.position, offset);
            let one = self.read_byte(bytes, position, span)?;
            let exprs = self.exprs();
            let amount = exprs.int(8 * (byte % 4) as i32);
            let shifted = exprs.binary(BinaryOp::ShiftLeft, one, amount);
            let word = &mut words[(byte / 4) as usize];
            *word = exprs.binary(BinaryOp::BitOr, *word, shifted);
        }
        let [low, high] = words;
        if integer.bits > 32 {
            let pair = Pair { low: self.settled(low, span), high: self.settled(high, span) };
            return Ok(Number::pair(pair, integer));
        }
        Ok(Number::word(self.settled(low, span), integer))
    }

    fn read_byte(&mut self, bytes: &Bytes<'_>, position: ExprId, span: Span) -> Lowered<ExprId> {
        let mut value = self.exprs().int(0);
        for number in bytes.leaves.clone() {
            let leaf = self.memory.object(bytes.object).leaves[number as usize].clone();
            let Some(spot) = self.spot(bytes, &leaf, position) else { continue };
            self.may_be_bytes(&leaf, span)?;
            let kept = self.leaf_number(&leaf, &spot.indices);
            let word = self.word_with(kept, spot.byte);
            let exprs = self.exprs();
            let (three, eight, mask) = (exprs.int(3), exprs.int(8), exprs.int(255));
            let inner = exprs.binary(BinaryOp::BitAnd, spot.byte, three);
            let amount = exprs.binary(BinaryOp::Mul, inner, eight);
            let shifted = exprs.binary(BinaryOp::ShiftRight, word, amount);
            let byte = exprs.binary(BinaryOp::BitAnd, shifted, mask);
            value = exprs.ite(spot.guard, byte, value);
        }
        Ok(value)
    }

    /// The word of a number that has one of its bytes.
    fn word_with(&mut self, number: Number, byte: ExprId) -> ExprId {
        let pair = number.to_pair(self.exprs());
        if number.ty.bits <= 32 {
            return pair.low;
        }
        let exprs = self.exprs();
        let four = exprs.int(4);
        let is_low = exprs.binary(BinaryOp::Less, byte, four);
        exprs.ite(is_low, pair.low, pair.high)
    }

    fn may_be_bytes(&self, leaf: &Leaf, span: Span) -> Lowered {
        if leaf.bits.is_some() {
            return unsupported(span, "looking at the bytes of bit-fields");
        }
        match leaf.ty {
            Type::Pointer(_) => unsupported(span, "looking at the bytes of a pointer"),
            Type::Function(_) => unsupported(span, "looking at the bytes of a function"),
            _ => Ok(()),
        }
    }

    /// Where a byte of an object is in a scalar, if it can be there.
    fn spot(&mut self, bytes: &Bytes<'_>, leaf: &Leaf, position: ExprId) -> Option<Spot> {
        let exprs = self.exprs();
        let offset = exprs.int(leaf.offset as i32);
        let mut rest = exprs.binary(BinaryOp::Sub, position, offset);
        let mut indices = bytes.prefix.to_vec();
        let mut guard = exprs.bool(true);
        for &(count, stride) in leaf.dims.get(bytes.prefix.len()..)? {
            let exprs = self.exprs();
            let limit = exprs.int((count * stride) as i32 - 1);
            let inside = words::unsigned(BinaryOp::LessEq, rest, limit, exprs);
            guard = exprs.and(guard, inside);
            let (quotient, remainder) = if stride.is_power_of_two() {
                let (amount, mask) = (exprs.int(stride.trailing_zeros() as i32), exprs.int(stride as i32 - 1));
                (exprs.binary(BinaryOp::ShiftRight, rest, amount), exprs.binary(BinaryOp::BitAnd, rest, mask))
            } else {
                let by = exprs.int(stride as i32);
                (exprs.binary(BinaryOp::Div, rest, by), exprs.binary(BinaryOp::Rem, rest, by))
            };
            indices.push(Index { value: quotient, count, stride, is_checked: true });
            rest = remainder;
        }
        let exprs = self.exprs();
        let limit = exprs.int(storage(&leaf.ty).bytes() as i32 - 1);
        let inside = words::unsigned(BinaryOp::LessEq, rest, limit, exprs);
        guard = exprs.and(guard, inside);
        (exprs.as_bool(guard) != Some(false)).then_some(Spot { guard, indices, byte: rest })
    }

    pub fn write_bytes(
        &mut self,
        bytes: &Bytes<'_>,
        ty: &Type,
        bits: Option<(u32, u32)>,
        value: Value,
        span: Span,
    ) -> Lowered {
        let integer = unsigned(storage(ty));
        let mut number =
            self.kept(value, span)?.convert(Integer { bits: integer.bits.max(32), ..integer }, self.exprs());
        if let Some((first, width)) = bits {
            // Between the bits that stay.
            let old = self.read_bytes(bytes, &Type::Integer(integer), None, span)?;
            let old = self.kept(old, span)?.convert(number.ty, self.exprs());
            let mask = ((1i128 << width) - 1) << first;
            let (keep, mask) = (Number::known(!mask, number.ty), Number::known(mask, number.ty));
            let amount = Number::known(first.into(), Integer::INT);
            let exprs = self.exprs();
            let shifted = words::binary(BinaryOperator::ShiftLeft, number, amount, exprs).map_err(too_wide(span))?;
            let new = words::binary(BinaryOperator::BitAnd, shifted, mask, exprs).map_err(too_wide(span))?;
            let old = words::binary(BinaryOperator::BitAnd, old, keep, exprs).map_err(too_wide(span))?;
            number = words::binary(BinaryOperator::BitOr, old, new, exprs).map_err(too_wide(span))?;
        }
        let number = self.settled_number(number, span)?;
        if let Some(position) = self.builder.exprs.as_int(bytes.position)
            && let Some(leaf) = self.leaf_at(bytes, position, ty)
        {
            let number = number.convert(storage(&leaf.ty), self.exprs());
            return self.set_leaf(&leaf, bytes.prefix, number, span);
        }
        let pair = number.to_pair(self.exprs());
        let size = if matches!(ty, Type::Pointer(_)) { 4 } else { integer.bytes() };
        for byte in 0..size {
            let exprs = self.exprs();
            let offset = exprs.int(byte as i32);
            let position = exprs.binary(BinaryOp::Add, bytes.position, offset);
            let word = if byte < 4 { pair.low } else { pair.high };
            let (amount, mask) = (exprs.int(8 * (byte % 4) as i32), exprs.int(255));
            let shifted = exprs.binary(BinaryOp::ShiftRight, word, amount);
            let one = exprs.binary(BinaryOp::BitAnd, shifted, mask);
            let position = self.settled(position, span);
            self.write_byte(bytes, position, one, span)?;
        }
        Ok(())
    }

    fn write_byte(&mut self, bytes: &Bytes<'_>, position: ExprId, byte: ExprId, span: Span) -> Lowered {
        for number in bytes.leaves.clone() {
            let leaf = self.memory.object(bytes.object).leaves[number as usize].clone();
            let Some(mut spot) = self.spot(bytes, &leaf, position) else { continue };
            self.may_be_bytes(&leaf, span)?;
            let after = if self.builder.exprs.as_bool(spot.guard) == Some(true) {
                None
            } else {
                let (inside, after) = (self.new_block(), self.new_block());
                self.branch(spot.guard, inside, after, span, inside);
                Some(after)
            };
            for index in &mut spot.indices {
                index.value = self.settled(index.value, span);
            }
            let kept = self.leaf_number(&leaf, &spot.indices);
            let integer = storage(&leaf.ty);
            let pair = kept.to_pair(self.exprs());
            let exprs = self.exprs();
            let (three, four, eight, mask) = (exprs.int(3), exprs.int(4), exprs.int(8), exprs.int(255));
            let inner = exprs.binary(BinaryOp::BitAnd, spot.byte, three);
            let amount = exprs.binary(BinaryOp::Mul, inner, eight);
            let hole = exprs.binary(BinaryOp::ShiftLeft, mask, amount);
            let hole = exprs.unary(redoubt_program::expr::UnaryOp::BitNot, hole);
            let moved = exprs.binary(BinaryOp::ShiftLeft, byte, amount);
            let is_low = exprs.binary(BinaryOp::Less, spot.byte, four);
            let mut filled = |word: ExprId| {
                let kept = exprs.binary(BinaryOp::BitAnd, word, hole);
                exprs.binary(BinaryOp::BitOr, kept, moved)
            };
            let (low, high) = (filled(pair.low), filled(pair.high));
            let new = if integer.bits > 32 {
                let (low, high) = (exprs.ite(is_low, low, pair.low), exprs.ite(is_low, pair.high, high));
                Number::pair(Pair { low, high }, integer)
            } else {
                Number::word(low, Integer::UINT).convert(integer, exprs)
            };
            self.set_leaf(&leaf, &spot.indices, new, span)?;
            if let Some(after) = after {
                self.jump(after, after);
            }
        }
        Ok(())
    }
}

/// The number without a sign that has the same bits.
fn unsigned(integer: Integer) -> Integer {
    if integer == Integer::BOOL { Integer::UCHAR } else { Integer { signed: false, ..integer } }
}
