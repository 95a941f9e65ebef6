//! Places: parts of objects, how they are read and written.
//!
//! Where a place is may be known, or hang on a pointer: then there are several ways to it, each with the condition under which it is the one.

use std::rc::Rc;

use super::emit::Emitter;
use super::memory::{Home, Leaf, ObjectId, Target, Targets, storage};
use super::value::{Address, Pointer, Real, Value};
use super::{high_table, too_wide, unsupported};
use crate::types::{Integer, Type};
use crate::wide::Pair;
use crate::words::Number;
use redoubt_program::expr::{BinaryOp, ExprId, TableId};
use redoubt_program::program::PropertyKind;
use redoubt_program::text::Span;
use redoubt_reading::refused::Lowered;

/// A part of an object that is known.
#[derive(Clone, Debug)]
pub struct Sub {
    pub object: ObjectId,
    /// The first of its scalars.
    pub first: u32,
    /// In bytes, without what the indices add.
    pub offset: u32,
    /// In the arrays around it, from the outside in.
    pub indices: Vec<Index>,
    /// Whether it is in a union: then the scalars of its members are not its own.
    pub is_in_union: bool,
}

#[derive(Clone, Copy, Debug)]
pub struct Index {
    pub value: ExprId,
    pub count: u32,
    /// The size of an element.
    pub stride: u32,
    /// Whether the element is known to exist.
    pub is_checked: bool,
}

/// Where a place is.
#[derive(Clone, Debug)]
pub enum At {
    Typed(Sub),
    /// Some bytes of an object, among so many of its scalars from one on: what has another type there, or is a union.
    Raw {
        object: ObjectId,
        first: u32,
        count: u32,
        position: ExprId,
    },
}

#[derive(Clone, Debug)]
pub struct Way {
    pub guard: Option<ExprId>,
    pub at: At,
}

#[derive(Clone, Debug)]
pub struct Place {
    pub ty: Type,
    /// Of a bit-field: the first bit in its unit, and how many.
    pub bits: Option<(u32, u32)>,
    pub ways: Vec<Way>,
}

impl Place {
    pub fn known(ty: Type, sub: Sub) -> Place {
        Place { ty, bits: None, ways: vec![Way { guard: None, at: At::Typed(sub) }] }
    }

    pub fn of(object: ObjectId, ty: Type) -> Place {
        let is_in_union = false;
        Place::known(ty, Sub { object, first: 0, offset: 0, indices: vec![], is_in_union })
    }

    /// What is there, if there is only one way to it.
    pub fn only(&self) -> Option<&Sub> {
        match self.ways.as_slice() {
            [Way { at: At::Typed(sub), .. }] => Some(sub),
            _ => None,
        }
    }
}

/// An access to what is not kept as it is seen.
pub struct Bytes<'p> {
    pub object: ObjectId,
    pub leaves: std::ops::Range<u32>,
    /// The indices that all these have in common.
    pub prefix: &'p [Index],
    pub position: ExprId,
}

impl Emitter {
    /// A member of a structure.
    pub fn member(&mut self, place: &Place, name: &str, span: Span) -> Lowered<Place> {
        let mut inner = place.clone();
        let Type::Record(record) = &place.ty else { return unsupported(span, "a member of this") };
        let Some(way) = record.find(name) else {
            return unsupported(
                span,
                &format!("a member `{name}` of {}, which is not known to have one,", record.name),
            );
        };
        for position in way {
            inner = self.member_at(&inner, position);
        }
        Ok(inner)
    }

    /// A member by its number.
    pub fn member_at(&mut self, place: &Place, position: usize) -> Place {
        let Type::Record(record) = &place.ty else { return place.clone() };
        let member = &record.members()[position];
        let mut inner = Place { ty: member.ty.clone(), bits: member.bits, ways: place.ways.clone() };
        for way in &mut inner.ways {
            match &mut way.at {
                At::Typed(sub) => {
                    if !sub.is_in_union {
                        sub.first += member.first;
                    }
                    sub.is_in_union |= record.is_union;
                    sub.offset += member.offset;
                }
                At::Raw { position, .. } => {
                    let exprs = self.builder.exprs_mut();
                    let offset = exprs.int(member.offset as i32);
                    *position = exprs.binary(BinaryOp::Add, *position, offset);
                }
            }
        }
        inner
    }

    /// An element of an array.
    pub fn element(&mut self, place: &Place, index: Index) -> Place {
        let Type::Array(element, _) = &place.ty else { return place.clone() };
        let mut inner = Place { ty: (**element).clone(), bits: None, ways: place.ways.clone() };
        for way in &mut inner.ways {
            match &mut way.at {
                At::Typed(sub) => sub.indices.push(index),
                At::Raw { position, .. } => {
                    let exprs = self.builder.exprs_mut();
                    let stride = exprs.int(index.stride as i32);
                    let offset = exprs.binary(BinaryOp::Mul, index.value, stride);
                    *position = exprs.binary(BinaryOp::Add, *position, offset);
                }
            }
        }
        inner
    }

    /// An element by its number.
    pub fn element_at(&mut self, place: &Place, number: u32) -> Place {
        let Type::Array(element, length) = &place.ty else { return place.clone() };
        let stride = element.bytes(self.model).unwrap_or(1);
        let value = self.exprs().int(number as i32);
        self.element(place, Index { value, count: length.unwrap_or(0), stride, is_checked: true })
    }

    /// The value of a place. A structure is read when somebody wants to know what is in it.
    pub fn read_place(&mut self, place: &Place, span: Span) -> Lowered<Value> {
        match &place.ty {
            Type::Array(element, length) => {
                let Some(sub) = place.only() else { return self.pointer_into(place, span) };
                let (mut sub, element, count) = (sub.clone(), (**element).clone(), length.unwrap_or(0));
                let stride = element.bytes(self.model).unwrap_or(1);
                let value = self.exprs().int(0);
                sub.indices.push(Index { value, count, stride, is_checked: count > 0 });
                Ok(Value::Address(Address { sub, ty: element.clone(), to: element }))
            }
            Type::Record(_) => Ok(Value::Record(Rc::new(place.clone()))),
            Type::Function(_) => match place.only() {
                Some(sub) => {
                    Ok(Value::Address(Address { sub: sub.clone(), ty: place.ty.clone(), to: place.ty.clone() }))
                }
                None => unsupported(span, "a function that is found like this"),
            },
            Type::Void => Ok(Value::Void),
            Type::Foreign(what) => unsupported(span, what),
            ty if ty.is_scalar() => {
                let (ty, ways) = (ty.clone(), place.ways.clone());
                let Some((last, others)) = ways.split_last() else { return unsupported(span, "reading from nowhere") };
                let mut value = self.read_at(&last.at, &ty, place.bits, span)?;
                for way in others.iter().rev() {
                    let other = self.read_at(&way.at, &ty, place.bits, span)?;
                    let Some(guard) = way.guard else {
                        value = other;
                        continue;
                    };
                    value = self.choose_value(guard, other, value, span)?;
                }
                Ok(value)
            }
            _ => unsupported(span, "reading this"),
        }
    }

    /// Writes a value of any type to a place; structures member by member.
    pub fn write_place(&mut self, place: &Place, value: Value, span: Span) -> Lowered {
        if let (Type::Record(_), Value::Parts(ty, parts)) = (&place.ty, &value) {
            if *ty != place.ty {
                return unsupported(span, "assigning a structure of another type");
            }
            return self.write_parts(place, &mut parts.iter().cloned(), span);
        }
        if let (Type::Record(_), Value::Record(from)) = (&place.ty, &value) {
            if from.ty != place.ty {
                return unsupported(span, "assigning a structure of another type");
            }
            let from = if self.may_overlap(place, from) { self.snapshot(from, span)? } else { self.parts(from, span)? };
            return self.write_parts(place, &mut from.into_iter(), span);
        }
        let value = match (&place.ty, place.bits) {
            (Type::Integer(integer), Some((_, width))) => {
                // What fits into the bits, also into one.
                let integer = Integer { bits: width.min(integer.bits), ..*integer };
                let number = match value {
                    Value::Number(number) => number,
                    other => self.converted(other, &place.ty, span)?,
                };
                let number = if integer == Integer::BOOL && place.ty != Type::Integer(Integer::BOOL) {
                    let number = number.convert(Integer::UINT, self.exprs());
                    let one = Number::known(1, Integer::UINT);
                    crate::words::binary(crate::ast::BinaryOperator::BitAnd, number, one, self.exprs())
                        .map_err(too_wide(span))?
                } else {
                    number.convert(integer, self.exprs())
                };
                Value::Number(Number { ty: integer, ..number })
            }
            (ty, _) => self.assigned(value, ty, span)?,
        };
        if place.ways.len() == 1 {
            return self.write_at(&place.ways[0].at, &place.ty, place.bits, value, span);
        }
        let value = self.settle(value, span)?;
        let after = self.new_block();
        for (number, way) in place.ways.iter().enumerate() {
            match way.guard {
                Some(guard) if number + 1 < place.ways.len() => {
                    let (inside, next) = (self.new_block(), self.new_block());
                    self.branch(guard, inside, next, span, inside);
                    self.write_at(&way.at, &place.ty, place.bits, value.clone(), span)?;
                    self.jump(after, next);
                }
                _ => {
                    self.write_at(&way.at, &place.ty, place.bits, value.clone(), span)?;
                    self.jump(after, after);
                    return Ok(());
                }
            }
        }
        self.jump(after, after);
        Ok(())
    }

    /// Whether two structures may be parts of one object.
    fn may_overlap(&self, a: &Place, b: &Place) -> bool {
        let object = |way: &Way| match &way.at {
            At::Typed(sub) => sub.object,
            At::Raw { object, .. } => *object,
        };
        a.ways.iter().any(|one| b.ways.iter().any(|other| object(one) == object(other)))
    }

    /// The values of all scalars of a structure, in order; those of a union are its words.
    pub fn parts(&mut self, place: &Place, span: Span) -> Lowered<Vec<Value>> {
        let mut list = vec![];
        self.each_scalar(place, span, &mut |this, scalar| {
            list.push(this.read_place(scalar, span)?);
            Ok(())
        })?;
        Ok(list)
    }

    /// Likewise, taken now.
    pub fn snapshot(&mut self, place: &Place, span: Span) -> Lowered<Vec<Value>> {
        let mut list = vec![];
        self.each_scalar(place, span, &mut |this, scalar| {
            let value = this.read_place(scalar, span)?;
            list.push(this.settle(value, span)?);
            Ok(())
        })?;
        Ok(list)
    }

    pub fn write_parts(&mut self, place: &Place, from: &mut dyn Iterator<Item = Value>, span: Span) -> Lowered {
        self.each_scalar(place, span, &mut |this, scalar| match from.next() {
            Some(value) => this.write_place(scalar, value, span),
            None => unsupported(span, "copying this"),
        })
    }

    /// Does something with all scalars of a place, in order. A union is an array of words.
    pub fn each_scalar(
        &mut self,
        place: &Place,
        span: Span,
        act: &mut dyn FnMut(&mut Emitter, &Place) -> Lowered,
    ) -> Lowered {
        match &place.ty {
            Type::Record(record) if record.is_union => {
                let bytes = place.ty.bytes(self.model).unwrap_or(0);
                for (number, (offset, integer)) in crate::record::words(bytes).into_iter().enumerate() {
                    let mut word = place.clone();
                    // A pointer that may be kept there goes with it.
                    let is_word = integer == Integer::UINT;
                    word.ty = if is_word { Type::Void.pointer_to() } else { Type::Integer(integer) };
                    for way in &mut word.ways {
                        match &mut way.at {
                            At::Typed(sub) => {
                                sub.offset += offset;
                                if !sub.is_in_union {
                                    sub.first += number as u32;
                                }
                                sub.is_in_union = true;
                            }
                            At::Raw { position, .. } => {
                                let exprs = self.builder.exprs_mut();
                                let offset = exprs.int(offset as i32);
                                *position = exprs.binary(BinaryOp::Add, *position, offset);
                            }
                        }
                    }
                    act(self, &word)?;
                }
                Ok(())
            }
            Type::Record(record) => {
                for position in 0..record.members().len() {
                    let member = self.member_at(place, position);
                    self.each_scalar(&member, span, act)?;
                }
                Ok(())
            }
            Type::Array(_, length) => {
                for number in 0..length.unwrap_or(0) {
                    let element = self.element_at(place, number);
                    self.each_scalar(&element, span, act)?;
                }
                Ok(())
            }
            ty if ty.is_scalar() => act(self, place),
            _ => unsupported(span, "copying this"),
        }
    }

    /// The number of a cell in the tables of a leaf.
    fn cell_number(&mut self, indices: &[Index], dims: &[(u32, u32)]) -> ExprId {
        let exprs = self.exprs();
        let mut number = exprs.int(0);
        for (index, &(count, _)) in indices.iter().zip(dims) {
            let exprs = self.exprs();
            let count = exprs.int(count as i32);
            let scaled = exprs.binary(BinaryOp::Mul, number, count);
            number = exprs.binary(BinaryOp::Add, scaled, index.value);
        }
        number
    }

    pub fn cell(&mut self, table: TableId, index: ExprId) -> ExprId {
        let pointer = self.exprs().table(table);
        self.exprs().cell(pointer, index)
    }

    /// Writes a number of the cells' type into one of them.
    fn store_number(&mut self, table: TableId, index: ExprId, number: Number, span: Span) -> Lowered {
        if number.ty.bits <= 32 {
            let word = number.to_word(self.exprs()).map_err(too_wide(span))?;
            self.store(table, index, word, span);
            return Ok(());
        }
        // Each word may be computed from both.
        let pair = number.to_pair(self.exprs());
        let low = self.settled(pair.low, span);
        self.store(high_table(table), index, pair.high, span);
        self.store(table, index, low, span);
        Ok(())
    }

    /// The number that a leaf keeps.
    pub fn leaf_number(&mut self, leaf: &Leaf, indices: &[Index]) -> Number {
        let integer = storage(&leaf.ty);
        let (low, high) = match leaf.home {
            Home::Variable(variable) => {
                let low = self.read(variable);
                (low, (integer.bits > 32).then(|| self.read(super::high_word(variable))))
            }
            Home::Table(table) => {
                let index = self.cell_number(indices, &leaf.dims);
                let low = self.cell(table, index);
                (low, (integer.bits > 32).then(|| self.cell(high_table(table), index)))
            }
        };
        match high {
            Some(high) => Number::pair(Pair { low, high }, integer),
            None => Number::word(low, integer),
        }
    }

    pub fn set_leaf(&mut self, leaf: &Leaf, indices: &[Index], number: Number, span: Span) -> Lowered {
        match leaf.home {
            Home::Variable(variable) => self.put_number(variable, number, span),
            Home::Table(table) => {
                let index = self.cell_number(indices, &leaf.dims);
                let index = if number.ty.bits > 32 { self.settled(index, span) } else { index };
                self.store_number(table, index, number, span)
            }
        }
    }

    fn is_direct(&self, leaf: &Leaf, sub: &Sub, ty: &Type, bits: Option<(u32, u32)>) -> bool {
        !leaf.raw
            && leaf.dims.len() == sub.indices.len()
            && leaf.offset == sub.offset
            && leaf.bits == bits
            && (bits.is_some() || leaf.ty.bytes(self.model) == ty.bytes(self.model))
    }

    fn read_at(&mut self, at: &At, ty: &Type, bits: Option<(u32, u32)>, span: Span) -> Lowered<Value> {
        match at {
            At::Typed(sub) => {
                let Some(leaf) = self.memory.object(sub.object).leaves.get(sub.first as usize).cloned() else {
                    return unsupported(span, "reading this");
                };
                if self.is_direct(&leaf, sub, ty, bits) {
                    let number = self.leaf_number(&leaf, &sub.indices);
                    if let (Type::Pointer(to), Type::Pointer(_)) = (ty, &leaf.ty) {
                        let targets = self.memory.targets(sub.object, sub.first);
                        let word = number.to_word(self.exprs()).map_err(too_wide(span))?;
                        return Ok(Value::Pointer(Pointer { word, to: (**to).clone(), targets }));
                    }
                    if bits.is_some() {
                        return Ok(Value::Number(number));
                    }
                    return self.seen_as(number, ty, span);
                }
                let (bytes, prefix) = self.bytes_of(sub, &leaf);
                self.read_bytes(&Bytes { prefix: &prefix, ..bytes }, ty, bits, span)
            }
            &At::Raw { object, first, count, position } => {
                let bytes = Bytes { object, leaves: first..first + count, prefix: &[], position };
                self.read_bytes(&bytes, ty, bits, span)
            }
        }
    }

    /// The bytes of a place that is not kept as it is seen.
    fn bytes_of(&mut self, sub: &Sub, leaf: &Leaf) -> (Bytes<'static>, Vec<Index>) {
        let common = leaf.dims.len().min(sub.indices.len());
        let mut position = self.exprs().int(sub.offset as i32);
        for index in &sub.indices[common..] {
            let exprs = self.exprs();
            let stride = exprs.int(index.stride as i32);
            let offset = exprs.binary(BinaryOp::Mul, index.value, stride);
            position = exprs.binary(BinaryOp::Add, position, offset);
        }
        let leaves = &self.memory.object(sub.object).leaves;
        let alike = leaves[sub.first as usize..]
            .iter()
            .take_while(|other| leaf.raw && other.raw && other.dims == leaf.dims)
            .count()
            .max(1) as u32;
        let bytes = Bytes { object: sub.object, leaves: sub.first..sub.first + alike, prefix: &[], position };
        (bytes, sub.indices[..common].to_vec())
    }

    fn write_at(&mut self, at: &At, ty: &Type, bits: Option<(u32, u32)>, value: Value, span: Span) -> Lowered {
        let targets = match (ty, &value) {
            (Type::Pointer(_), value) => Some(self.targets_of(value)),
            // Seen as a pointer, it points to what nobody knows.
            _ if self.may_be_pointer(at) => Some(Targets::unknown()),
            _ => None,
        };
        let (object, first, count) = match at {
            At::Typed(sub) => (sub.object, sub.first, 1),
            At::Raw { object, first, count, .. } => (*object, *first, *count),
        };
        if self.memory.object(object).is_constant {
            // What cannot be written ends the run.
            let always = self.exprs().bool(true);
            self.check(always, PropertyKind::InvalidDereference, span);
            return Ok(());
        }
        match at {
            At::Typed(sub) => {
                let Some(leaf) = self.memory.object(sub.object).leaves.get(sub.first as usize).cloned() else {
                    return unsupported(span, "writing this");
                };
                if self.is_direct(&leaf, sub, ty, bits) {
                    if let Some(targets) = targets {
                        self.memory.keeps(object, first, &targets);
                    }
                    let kept = self.kept(value, span)?;
                    let number = kept.convert(storage(&leaf.ty), self.exprs());
                    return self.set_leaf(&leaf, &sub.indices, number, span);
                }
                let (bytes, prefix) = self.bytes_of(sub, &leaf);
                if let Some(targets) = targets {
                    bytes.leaves.clone().for_each(|leaf| self.memory.keeps(object, leaf, &targets));
                }
                self.write_bytes(&Bytes { prefix: &prefix, ..bytes }, ty, bits, value, span)
            }
            &At::Raw { position, .. } => {
                if let Some(targets) = targets {
                    (first..first + count).for_each(|leaf| self.memory.keeps(object, leaf, &targets));
                }
                let bytes = Bytes { object, leaves: first..first + count, prefix: &[], position };
                self.write_bytes(&bytes, ty, bits, value, span)
            }
        }
    }

    /// Whether what is written somewhere may be read as a pointer.
    fn may_be_pointer(&self, at: &At) -> bool {
        let may_be = |leaf: &Leaf| leaf.raw || matches!(leaf.ty, Type::Pointer(_));
        match at {
            At::Typed(sub) => self.memory.object(sub.object).leaves.get(sub.first as usize).is_some_and(may_be),
            &At::Raw { object, first, count, .. } => {
                self.memory.object(object).leaves.iter().skip(first as usize).take(count as usize).any(may_be)
            }
        }
    }

    /// A number as a value of a type with the same bits.
    pub fn seen_as(&mut self, number: Number, ty: &Type, span: Span) -> Lowered<Value> {
        Ok(match ty {
            Type::Integer(integer) => Value::Number(number.convert(*integer, self.exprs())),
            Type::Float(width) => Value::Real(Real { bits: number.convert(width.bits(), self.exprs()), width: *width }),
            Type::Pointer(to) => {
                let word = number.convert(Integer::UINT, self.exprs());
                let word = word.to_word(self.exprs()).map_err(too_wide(span))?;
                let targets = self.targets_of_word(word);
                Value::Pointer(Pointer { word, to: (**to).clone(), targets })
            }
            _ => return unsupported(span, "this as a value"),
        })
    }

    /// The number that a value is kept as.
    pub fn kept(&mut self, value: Value, span: Span) -> Lowered<Number> {
        match value {
            Value::Number(number) => Ok(number),
            Value::Real(real) => Ok(real.bits),
            Value::Pointer(pointer) => Ok(Number::word(pointer.word, Integer::UINT)),
            Value::Address(address) => Ok(Number::word(self.address_word(&address), Integer::UINT)),
            Value::Record(_) | Value::Parts(..) | Value::Void => unsupported(span, "keeping this"),
        }
    }

    /// The address of a place, as a pointer to its type.
    pub fn address_of(&mut self, place: &Place, span: Span) -> Lowered<Value> {
        if place.bits.is_some() {
            return unsupported(span, "the address of a bit-field");
        }
        match place.only() {
            Some(sub) => {
                let (ty, sub) = (place.ty.clone(), sub.clone());
                Ok(Value::Address(Address { sub, to: ty.clone(), ty }))
            }
            None => self.pointer_to(place, place.ty.clone(), span),
        }
    }

    /// A pointer to the first element of an array that there are several ways to.
    fn pointer_into(&mut self, place: &Place, span: Span) -> Lowered<Value> {
        let Type::Array(element, _) = &place.ty else { return unsupported(span, "this") };
        let element = (**element).clone();
        self.pointer_to(place, element, span)
    }

    fn pointer_to(&mut self, place: &Place, to: Type, span: Span) -> Lowered<Value> {
        let mut result: Option<Value> = None;
        let count = place.ty.leaves().unwrap_or(1);
        for way in place.ways.iter().rev() {
            let (word, target) = match &way.at {
                At::Typed(sub) => {
                    let target = Target { object: self.memory.object(sub.object).key.clone(), first: sub.first, count };
                    (self.sub_word(sub), target)
                }
                &At::Raw { object, first, count, position } => {
                    let base = self.memory.address(object);
                    let exprs = self.exprs();
                    let base = exprs.int(base);
                    let word = exprs.binary(BinaryOp::Add, base, position);
                    (word, Target { object: self.memory.object(object).key.clone(), first, count })
                }
            };
            let value = Value::Pointer(Pointer { word, to: to.clone(), targets: Targets::one(target) });
            result = Some(match (result, way.guard) {
                (Some(other), Some(guard)) => self.choose_value(guard, value, other, span)?,
                _ => value,
            });
        }
        result.map_or_else(|| unsupported(span, "the address of this"), Ok)
    }
}
