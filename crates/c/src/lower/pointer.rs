//! Pointers: what they point to, and what is computed with them.

use std::collections::BTreeSet;
use std::rc::Rc;

use super::emit::Emitter;
use super::memory::{Leaf, ObjectId, Target, Targets};
use super::place::{At, Index, Place, Sub, Way};
use super::value::{Address, Pointer, Value};
use super::{too_wide, unsupported};
use crate::ast::BinaryOperator;
use crate::types::{Integer, Type};
use crate::words::{self, Number};
use redoubt_program::expr::{BinaryOp, ExprId};
use redoubt_program::program::PropertyKind;
use redoubt_program::text::Span;
use redoubt_reading::refused::Lowered;

/// A part of an object that has a type: its first scalar, its offset, and the arrays around it.
pub struct Part {
    pub first: u32,
    pub offset: u32,
    pub dims: Vec<(u32, u32)>,
    pub is_in_union: bool,
}

impl Emitter {
    /// The number of a place that is known: its address in bytes.
    pub fn sub_word(&mut self, sub: &Sub) -> ExprId {
        let base = self.memory.address(sub.object) + sub.offset as i32;
        let exprs = self.exprs();
        let mut word = exprs.int(base);
        for index in &sub.indices {
            let exprs = self.exprs();
            let stride = exprs.int(index.stride as i32);
            let offset = exprs.binary(BinaryOp::Mul, index.value, stride);
            word = exprs.binary(BinaryOp::Add, word, offset);
        }
        word
    }

    pub fn address_word(&mut self, address: &Address) -> ExprId {
        self.sub_word(&address.sub)
    }

    pub fn target_of(&self, address: &Address) -> Target {
        let object = self.memory.object(address.sub.object);
        let first = address.sub.first;
        let is_raw = |leaf: &Leaf| leaf.raw;
        let count = if object.leaves.get(first as usize).is_some_and(is_raw) {
            // A union is seen as a whole.
            object.leaves[first as usize..].iter().take_while(|leaf| leaf.raw).count() as u32
        } else {
            address.ty.leaves().unwrap_or(1)
        };
        Target { object: object.key.clone(), first, count }
    }

    fn as_pointer(&mut self, value: Value, span: Span) -> Lowered<Pointer> {
        match value {
            Value::Pointer(pointer) => Ok(pointer),
            Value::Address(address) => {
                let targets = Targets::one(self.target_of(&address));
                Ok(Pointer { word: self.address_word(&address), to: address.to, targets })
            }
            _ => unsupported(span, "this as a pointer"),
        }
    }

    /// A pointer as one to another type.
    pub fn pointing_to(&mut self, value: Value, to: &Type) -> Value {
        match value {
            Value::Address(mut address) => {
                if *to == Type::Void || matches!(to, Type::Function(_)) || matches!(address.ty, Type::Function(_)) {
                    return Value::Address(Address { to: to.clone(), ..address });
                }
                let (mut sub, mut ty) = (address.sub.clone(), address.ty.clone());
                loop {
                    if ty.is_kept_like(to) {
                        return Value::Address(Address { sub, ty, to: to.clone() });
                    }
                    // The first part of something is where that is.
                    match &ty {
                        Type::Array(element, Some(count)) if *count > 0 => {
                            let stride = element.bytes(self.model).unwrap_or(1);
                            let value = self.exprs().int(0);
                            sub.indices.push(Index { value, count: *count, stride, is_checked: true });
                            ty = (**element).clone();
                        }
                        // A pointer to a scalar may go on from there, over all that it is a part of.
                        Type::Record(record)
                            if !record.is_union && !record.members().is_empty() && matches!(to, Type::Record(_)) =>
                        {
                            let member = &record.members()[0];
                            if !sub.is_in_union {
                                sub.first += member.first;
                            }
                            sub.offset += member.offset;
                            ty = member.ty.clone();
                        }
                        _ => break,
                    }
                }
                address.to = to.clone();
                let (word, whole) = (self.address_word(&address), self.whole(address.sub.object));
                Value::Pointer(Pointer { word, to: to.clone(), targets: Targets::one(whole) })
            }
            Value::Pointer(pointer) => {
                let is_same = *to == Type::Void || matches!(to, Type::Function(_)) || pointer.to == *to;
                let targets = if is_same { pointer.targets } else { self.widened(&pointer.targets, to) };
                Value::Pointer(Pointer { word: pointer.word, to: to.clone(), targets })
            }
            other => other,
        }
    }

    /// Targets in which nothing of a type is known: pointers to these may go anywhere in their objects.
    fn widened(&mut self, targets: &Rc<Targets>, to: &Type) -> Rc<Targets> {
        let mut known = BTreeSet::new();
        for target in &targets.known {
            if *to != Type::Void {
                self.memory.is_used_as(&target.object, to);
            }
            let found = self.memory.find(&target.object).filter(|&id| !self.parts_of(id, target, to).is_empty());
            known.insert(match (found, self.memory.find(&target.object)) {
                (None, Some(id)) => self.whole(id),
                _ => target.clone(),
            });
        }
        Rc::new(Targets { known, unknown: targets.unknown })
    }

    /// The parts of a target that have a type.
    fn parts_of(&self, id: ObjectId, target: &Target, to: &Type) -> Vec<Part> {
        let object = self.memory.object(id);
        let range = target.first..target.first + target.count;
        if to.is_scalar() {
            let leaves = object.leaves.iter().enumerate().filter(|(number, leaf)| {
                range.contains(&(*number as u32)) && !leaf.raw && leaf.bits.is_none() && leaf.ty.is_kept_like(to)
            });
            return leaves
                .map(|(number, leaf)| {
                    let (first, offset, dims) = (number as u32, leaf.offset, leaf.dims.clone());
                    Part { first, offset, dims, is_in_union: false }
                })
                .collect();
        }
        let mut found = vec![];
        let top = Part { first: 0, offset: 0, dims: vec![], is_in_union: false };
        self.collect_parts(&object.ty, top, to, &mut found);
        found.retain(|part| range.contains(&part.first));
        found
    }

    pub fn collect_parts(&self, ty: &Type, at: Part, to: &Type, found: &mut Vec<Part>) {
        match ty {
            Type::Array(element, length) => {
                let mut dims = at.dims.clone();
                dims.push((length.unwrap_or(0), element.bytes(self.model).unwrap_or(1)));
                self.collect_parts(element, Part { dims, ..at }, to, found);
            }
            Type::Record(record) => {
                for member in record.members() {
                    let first = if at.is_in_union { at.first } else { at.first + member.first };
                    let (offset, dims) = (at.offset + member.offset, at.dims.clone());
                    let is_in_union = at.is_in_union || record.is_union;
                    self.collect_parts(&member.ty, Part { first, offset, dims, is_in_union }, to, found);
                }
            }
            _ => {}
        }
        let is_same = match (ty, to) {
            (Type::Array(a, m), Type::Array(b, n)) => a == b && (n.is_none() || m == n),
            (a, b) => a == b,
        };
        if is_same {
            found.push(at);
        }
    }

    /// The first byte of a target in its object, and the one behind the last.
    fn extent(&self, id: ObjectId, target: &Target) -> (u32, u32) {
        let leaves = &self.memory.object(id).leaves;
        let last = (target.first + target.count).min(leaves.len() as u32);
        let all = &leaves[target.first as usize..last as usize];
        let low = all.iter().map(|leaf| leaf.offset).min().unwrap_or(0);
        let end = |leaf: &Leaf| {
            let inner: u32 = leaf.dims.iter().map(|&(count, stride)| count.saturating_sub(1) * stride).sum();
            leaf.offset + inner + leaf.ty.bytes(self.model).unwrap_or(1)
        };
        let high = all.iter().map(end).max().unwrap_or(low);
        // With the padding at the end, if it is the whole object.
        let bytes = self.memory.object(id).bytes;
        if target.first == 0 && last == leaves.len() as u32 { (0, bytes) } else { (low, high.min(bytes)) }
    }

    /// Whether a word is at least so many bytes from the beginning of something, and at most so many.
    fn is_within(&mut self, word: ExprId, low: i32, bytes: i32) -> ExprId {
        let exprs = self.exprs();
        let (low, high) = (exprs.int(low), exprs.int(low.saturating_add(bytes)));
        let (above, below) = (exprs.binary(BinaryOp::LessEq, low, word), exprs.binary(BinaryOp::LessEq, word, high));
        exprs.and(above, below)
    }

    /// What a pointer points to, as a place of a type; a run goes on only if there is something.
    pub fn pointee(&mut self, value: Value, span: Span) -> Lowered<Place> {
        match value {
            Value::Address(mut address) => {
                if let Some(last) = address.sub.indices.last_mut()
                    && !last.is_checked
                {
                    last.is_checked = true;
                    let index = *last;
                    self.check_index(index, span);
                }
                if address.ty.is_kept_like(&address.to) || matches!(address.to, Type::Function(_) | Type::Void) {
                    let ty = if address.to == Type::Void { Type::Void } else { address.to.clone() };
                    return Ok(Place::known(ty, address.sub));
                }
                let pointer = self.as_pointer(Value::Address(address), span)?;
                self.dereference(pointer, span)
            }
            Value::Pointer(pointer) => self.dereference(pointer, span),
            Value::Number(number) if number.as_known() == Some(0) => {
                let pointer = self.null(Type::Void);
                let pointer = self.as_pointer(pointer, span)?;
                self.dereference(pointer, span)
            }
            _ => unsupported(span, "reading or writing through this"),
        }
    }

    fn check_index(&mut self, index: Index, span: Span) {
        let exprs = self.exprs();
        let (zero, count) = (exprs.int(0), exprs.int(index.count as i32));
        let below = exprs.binary(BinaryOp::Less, index.value, zero);
        let above = exprs.binary(BinaryOp::LessEq, count, index.value);
        let outside = exprs.or(below, above);
        self.check(outside, PropertyKind::IndexOutOfBounds, span);
    }

    fn dereference(&mut self, pointer: Pointer, span: Span) -> Lowered<Place> {
        let Pointer { word, to, targets } = pointer;
        if targets.unknown {
            return unsupported(span, "reading or writing through a pointer that may point anywhere");
        }
        if to == Type::Void {
            return unsupported(span, "reading or writing what has no type");
        }
        let word = match self.builder.exprs.get(word) {
            redoubt_program::expr::Expr::Var(_) => word,
            _ => self.settled(word, span),
        };
        let mut ways = vec![];
        for target in &targets.known {
            let Some(id) = self.memory.find(&target.object) else {
                self.memory.has_grown = true;
                continue;
            };
            self.ways_into(id, target, word, &to, &mut ways, span)?;
        }
        ways.retain(|way| way.guard.is_none_or(|guard| self.builder.exprs.as_bool(guard) != Some(false)));
        let mut is_valid = self.exprs().bool(false);
        for way in &ways {
            let guard = way.guard.unwrap_or_else(|| self.builder.exprs_mut().bool(true));
            is_valid = self.exprs().or(is_valid, guard);
        }
        let is_wrong = self.exprs().not(is_valid);
        self.invalid(is_wrong, span);
        if ways.is_empty() {
            // The run has ended; what follows is never reached, but has to be something.
            return match self.nothing(&to, span) {
                Some(place) => Ok(place),
                None => unsupported(span, "reading or writing through a pointer that points to nothing"),
            };
        }
        if let Some(last) = ways.last_mut() {
            last.guard = None;
        }
        Ok(Place { ty: to, bits: None, ways })
    }

    /// A place of a type where no run comes.
    fn nothing(&mut self, ty: &Type, span: Span) -> Option<Place> {
        let key = super::memory::Key::Global(format!("nothing of {ty:?}"));
        let object = self.object(key, "nothing", ty, None, None, span).ok()?;
        Some(Place::of(object, ty.clone()))
    }

    fn ways_into(
        &mut self,
        id: ObjectId,
        target: &Target,
        word: ExprId,
        to: &Type,
        ways: &mut Vec<Way>,
        span: Span,
    ) -> Lowered {
        if self.memory.object(id).within.is_some_and(|block| !self.living.contains(&block)) {
            return Ok(());
        }
        let base = self.memory.address(id);
        let parts = self.parts_of(id, target, to);
        let range = target.first..target.first + target.count;
        let is_all = to.is_scalar() && parts.len() as u32 == target.count;
        let has_parts = !parts.is_empty();
        for part in parts {
            let low = base + part.offset as i32;
            let exprs = self.exprs();
            let begin = exprs.int(low);
            let mut rest = exprs.binary(BinaryOp::Sub, word, begin);
            let mut guard = match part.dims.first() {
                None => exprs.eq(word, begin),
                Some(&(count, stride)) => self.is_within(word, low, (count * stride) as i32 - 1),
            };
            let mut indices = vec![];
            if let (Some(sizes), Some(&(_, stride))) = (self.memory.object(id).sizes, part.dims.first()) {
                // Not all of the cell need have been asked for.
                let (cell, _) = divided(rest, stride, self.exprs());
                let start = self.exprs().int(base);
                let from_start = self.exprs().binary(BinaryOp::Sub, word, start);
                let (_, within) = divided(from_start, stride, self.exprs());
                let size = self.cell(sizes, cell);
                let bytes = to.bytes(self.model).unwrap_or(1) as i32;
                let exprs = self.exprs();
                let bytes = exprs.int(bytes);
                let end = exprs.binary(BinaryOp::Add, within, bytes);
                let fits = exprs.binary(BinaryOp::LessEq, end, size);
                guard = exprs.and(guard, fits);
            }
            for (depth, &(count, stride)) in part.dims.iter().enumerate() {
                if depth > 0 {
                    let inside = self.is_within(rest, 0, (count * stride) as i32 - 1);
                    guard = self.exprs().and(guard, inside);
                }
                let exprs = self.exprs();
                let (value, left) = divided(rest, stride, exprs);
                rest = left;
                indices.push(Index { value, count, stride, is_checked: true });
            }
            if !part.dims.is_empty() {
                let exprs = self.exprs();
                let zero = exprs.int(0);
                let exact = exprs.eq(rest, zero);
                guard = exprs.and(guard, exact);
            }
            for index in &mut indices {
                // It is read as often as there are members.
                index.value = self.settled(index.value, span);
            }
            guard = self.and_alive(id, &indices, guard);
            let sub =
                Sub { object: id, first: part.first, offset: part.offset, indices, is_in_union: part.is_in_union };
            ways.push(Way { guard: Some(guard), at: At::Typed(sub) });
        }
        if is_all || (has_parts && !to.is_scalar()) || matches!(to, Type::Function(_)) {
            return Ok(());
        }
        // Whatever else is there is seen as bytes.
        let Some(bytes) = to.bytes(self.model) else { return Ok(()) };
        let (low, high) = self.extent(id, target);
        if high - low < bytes {
            return Ok(());
        }
        if self.memory.object(id).alive.is_some() {
            return unsupported(span, "looking at allocated memory as something else");
        }
        let guard = self.is_within(word, base + low as i32, (high - low - bytes) as i32);
        let exprs = self.exprs();
        let begin = exprs.int(base);
        let position = exprs.binary(BinaryOp::Sub, word, begin);
        let at = At::Raw { object: id, first: range.start, count: target.count, position };
        ways.push(Way { guard: Some(guard), at });
        Ok(())
    }

    /// Whether the cell of a pool is in use, too.
    fn and_alive(&mut self, id: ObjectId, indices: &[Index], guard: ExprId) -> ExprId {
        let (Some(alive), Some(first)) = (self.memory.object(id).alive, indices.first()) else { return guard };
        let cell = self.cell(alive, first.value);
        let exprs = self.exprs();
        let zero = exprs.int(0);
        let is_dead = exprs.eq(cell, zero);
        let is_alive = exprs.not(is_dead);
        exprs.and(guard, is_alive)
    }

    /// A pointer moved by so many elements: within what it points into, or right behind that.
    pub fn moved(&mut self, value: Value, by: Number, back: bool, span: Span) -> Lowered<Value> {
        let op = if back { BinaryOperator::Subtract } else { BinaryOperator::Add };
        if by.as_known() == Some(0) {
            return Ok(value);
        }
        let by = self.checked_distance(by, span)?;
        if let Value::Address(mut address) = value {
            if let Some(last) = address.sub.indices.last_mut()
                && address.to.is_kept_like(&address.ty)
                && address.ty.bytes(self.model) == Some(last.stride)
            {
                let old = Number::word(last.value, Integer::INT);
                let old = match self.builder.exprs.as_int(last.value) {
                    Some(known) => Number::known(known.into(), Integer::INT),
                    None => old,
                };
                let new = words::binary(op, old, by, self.builder.exprs_mut()).map_err(too_wide(span))?;
                last.value = new.to_word(self.builder.exprs_mut()).map_err(too_wide(span))?;
                last.is_checked = false;
                let (value, count) = (last.value, last.count);
                let outside = self.is_within(value, 0, count as i32);
                let outside = self.exprs().not(outside);
                self.check(outside, PropertyKind::IndexOutOfBounds, span);
                return Ok(Value::Address(address));
            }
            let pointer = self.as_pointer(Value::Address(address), span)?;
            return self.moved_pointer(pointer, by, op, span);
        }
        let pointer = self.as_pointer(value, span)?;
        self.moved_pointer(pointer, by, op, span)
    }

    /// The element of a number of what a pointer points to.
    pub fn cell_place(&mut self, pointer: Value, number: Number, span: Span) -> Lowered<Place> {
        if let Value::Address(mut address) = pointer.clone()
            && let Some(&last) = address.sub.indices.last()
            && address.to.is_kept_like(&address.ty)
            && address.ty.bytes(self.model) == Some(last.stride)
        {
            let number = self.checked_distance(number, span)?;
            let new = match self.builder.exprs.as_int(last.value) {
                Some(0) => number,
                Some(known) => {
                    let known = Number::known(known.into(), Integer::INT);
                    words::binary(BinaryOperator::Add, known, number, self.exprs()).map_err(too_wide(span))?
                }
                None => {
                    // From there on forwards, or backwards.
                    let old = Number::word(last.value, Integer::INT);
                    words::binary(BinaryOperator::Add, old, number, self.exprs()).map_err(too_wide(span))?
                }
            };
            let value = new.to_word(self.exprs()).map_err(too_wide(span))?;
            self.check_index(Index { value, ..last }, span);
            if let Some(last) = address.sub.indices.last_mut() {
                *last = Index { value, is_checked: true, ..*last };
            }
            return Ok(Place::known(address.to, address.sub));
        }
        let moved = self.moved(pointer, number, false, span)?;
        self.pointee(moved, span)
    }

    /// The address of a member of what a pointer points to, which is not looked at.
    pub fn member_address(&mut self, pointer: Value, name: &str, span: Span) -> Lowered<Value> {
        let Value::Pointer(Pointer { word, to, targets }) = pointer else {
            return unsupported(span, "the address of a member of this");
        };
        let Type::Record(record) = &to else { return unsupported(span, "a member of this") };
        let Some(way) = record.find(name) else { return unsupported(span, "a member that is not known") };
        let (mut record, mut ty) = (Rc::clone(record), to.clone());
        let (mut offset, mut first, mut is_union) = (0, 0, false);
        for position in way {
            is_union |= record.is_union;
            let member = &record.members()[position];
            if member.bits.is_some() {
                return unsupported(span, "the address of a bit-field");
            }
            (offset, first, ty) = (offset + member.offset, first + member.first, member.ty.clone());
            if let Type::Record(inner) = &ty {
                record = Rc::clone(inner);
            }
        }
        let count = ty.leaves().unwrap_or(1);
        let mut known = BTreeSet::new();
        for target in &targets.known {
            let Some(id) = self.memory.find(&target.object) else { continue };
            let parts = self.parts_of(id, target, &to);
            if parts.is_empty() || is_union {
                // What it is a part of is bytes.
                known.insert(target.clone());
                continue;
            }
            for part in parts {
                let first = part.first + first;
                let is_raw = self.memory.object(id).leaves.get(first as usize).is_some_and(|leaf| leaf.raw);
                known.insert(if is_raw {
                    target.clone()
                } else {
                    Target { object: target.object.clone(), first, count }
                });
            }
        }
        let exprs = self.exprs();
        let offset = exprs.int(offset as i32);
        let word = exprs.binary(BinaryOp::Add, word, offset);
        let targets = Rc::new(Targets { known, unknown: targets.unknown });
        // An array stands for its first element where it is used; its address is the same.
        Ok(Value::Pointer(Pointer { word, to: ty, targets }))
    }

    /// Takes the indices of a place now, so that what happens later does not change them.
    pub fn settle_place(&mut self, place: &mut Place, span: Span) {
        for way in &mut place.ways {
            way.guard = way.guard.map(|guard| self.settled_truth(guard, span));
            match &mut way.at {
                At::Typed(sub) => {
                    for index in &mut sub.indices {
                        index.value = self.settled(index.value, span);
                    }
                }
                At::Raw { position, .. } => *position = self.settled(*position, span),
            }
        }
    }

    fn settled_truth(&mut self, truth: ExprId, span: Span) -> ExprId {
        if self.builder.exprs.as_bool(truth).is_some() {
            return truth;
        }
        let word = self.exprs().unary(redoubt_program::expr::UnaryOp::ToInt, truth);
        let word = self.settled(word, span);
        let zero = self.exprs().int(0);
        let is_zero = self.exprs().eq(word, zero);
        self.exprs().not(is_zero)
    }

    /// A distance as a word, if it is one that leads anywhere.
    fn checked_distance(&mut self, by: Number, span: Span) -> Lowered<Number> {
        if by.ty.bits <= 32 {
            return Ok(by.convert(Integer::INT, self.exprs()));
        }
        let by = self.settled_number(by, span)?;
        let word = by.convert(Integer::INT, self.exprs());
        let back = word.convert(by.ty, self.exprs());
        let differs = words::binary(BinaryOperator::NotEqual, back, by, self.exprs()).map_err(too_wide(span))?;
        let differs = differs.to_truth(self.exprs());
        self.check(differs, PropertyKind::IndexOutOfBounds, span);
        Ok(word)
    }

    fn moved_pointer(&mut self, pointer: Pointer, by: Number, op: BinaryOperator, span: Span) -> Lowered<Value> {
        let Pointer { word, to, targets } = pointer;
        if targets.unknown {
            return unsupported(span, "computing with a pointer that may point anywhere");
        }
        let Some(size) = to.bytes(self.model) else { return unsupported(span, "moving a pointer to this type") };
        let word = self.settled(word, span);
        let mut largest = 0;
        let mut extents = vec![];
        for target in &targets.known {
            let Some(id) = self.memory.find(&target.object) else { continue };
            let (low, high) = self.extent(id, target);
            let base = self.memory.address(id);
            largest = largest.max(high - low);
            extents.push((base + low as i32, (high - low) as i32));
        }
        if by.as_known().is_none() {
            // So far that the number of bytes could wrap around.
            let most = largest / size.max(1) + 1;
            let distance = by.to_word(self.exprs()).map_err(too_wide(span))?;
            let inside = self.is_within(distance, -(most as i32), 2 * most as i32);
            let outside = self.exprs().not(inside);
            self.invalid(outside, span);
        }
        let bytes = words::binary(BinaryOperator::Multiply, by, Number::known(size.into(), Integer::INT), self.exprs())
            .map_err(too_wide(span))?;
        let new = words::binary(op, Number::word(word, Integer::INT), bytes, self.exprs()).map_err(too_wide(span))?;
        let new = new.to_word(self.exprs()).map_err(too_wide(span))?;
        let new = self.settled(new, span);
        let mut is_valid = self.exprs().bool(false);
        let is_one = extents.len() == 1;
        for (low, bytes) in extents {
            let mut inside = self.is_within(new, low, bytes);
            if !is_one {
                let old = self.is_within(word, low, bytes);
                inside = self.exprs().and(inside, old);
            }
            is_valid = self.exprs().or(is_valid, inside);
        }
        let is_wrong = self.exprs().not(is_valid);
        self.invalid(is_wrong, span);
        Ok(Value::Pointer(Pointer { word: new, to, targets }))
    }

    /// An operator on two values of which one is a pointer.
    pub fn compute_pointers(&mut self, op: BinaryOperator, a: Value, b: Value, span: Span) -> Lowered<Value> {
        use BinaryOperator as Op;
        let is_pointer = |value: &Value| matches!(value, Value::Pointer(_) | Value::Address(_));
        match (op, &a, &b) {
            (Op::Add, _, Value::Number(by)) if is_pointer(&a) => return self.moved(a, *by, false, span),
            (Op::Add, Value::Number(by), _) => return self.moved(b, *by, false, span),
            (Op::Subtract, _, Value::Number(by)) if is_pointer(&a) => return self.moved(a, *by, true, span),
            (Op::Subtract, ..) if is_pointer(&a) && is_pointer(&b) => return self.difference(a, b, span),
            _ => {}
        }
        let is_comparison =
            matches!(op, Op::Equal | Op::NotEqual | Op::Less | Op::LessEqual | Op::Greater | Op::GreaterEqual);
        if !is_comparison {
            return unsupported(span, "computing with pointers");
        }
        // Nothing that is known lies at null.
        let is_null = |value: &Value, this: &Self| match value {
            Value::Number(number) => number.as_known() == Some(0),
            Value::Pointer(pointer) => this.builder.exprs.as_int(pointer.word) == Some(0),
            _ => false,
        };
        if let (Value::Address(_), other) | (other, Value::Address(_)) = (&a, &b)
            && is_null(other, self)
            && matches!(op, Op::Equal | Op::NotEqual)
        {
            return Ok(Value::Number(Number::known(i128::from(op == Op::NotEqual), Integer::INT)));
        }
        let (a, b) = (self.word_of(&a, span)?, self.word_of(&b, span)?);
        let (a, b) = (self.address_number(a), self.address_number(b));
        words::binary(op, a, b, self.exprs()).map(Value::Number).map_err(too_wide(span))
    }

    fn address_number(&mut self, word: ExprId) -> Number {
        match self.builder.exprs.as_int(word) {
            Some(known) => Number::known(known.into(), Integer::UINT),
            None => Number::word(word, Integer::UINT),
        }
    }

    fn difference(&mut self, a: Value, b: Value, span: Span) -> Lowered<Value> {
        let to = match &a {
            Value::Pointer(Pointer { to, .. }) | Value::Address(Address { to, .. }) => to.clone(),
            _ => Type::Void,
        };
        let Some(size) = to.bytes(self.model).filter(|&size| size > 0) else {
            return unsupported(span, "the distance of pointers to this type");
        };
        let (a, b) = (self.word_of(&a, span)?, self.word_of(&b, span)?);
        let exprs = self.exprs();
        let bytes = exprs.binary(BinaryOp::Sub, a, b);
        let number = Number::word(bytes, Integer::INT);
        let known = Number::known(size.into(), Integer::INT);
        let number = words::binary(BinaryOperator::Divide, number, known, exprs).map_err(too_wide(span))?;
        Ok(Value::Number(number.convert(self.model.difference(), self.exprs())))
    }
}

/// Quotient and remainder of a number that is not negative.
pub fn divided(number: ExprId, by: u32, exprs: &mut redoubt_program::expr::Exprs) -> (ExprId, ExprId) {
    if by <= 1 {
        let zero = exprs.int(0);
        return (number, zero);
    }
    if by.is_power_of_two() {
        let (amount, mask) = (exprs.int(by.trailing_zeros() as i32), exprs.int(by as i32 - 1));
        return (exprs.binary(BinaryOp::ShiftRight, number, amount), exprs.binary(BinaryOp::BitAnd, number, mask));
    }
    let by = exprs.int(by as i32);
    (exprs.binary(BinaryOp::Div, number, by), exprs.binary(BinaryOp::Rem, number, by))
}
