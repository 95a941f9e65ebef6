//! Allocated memory: a pool of cells per call that allocates, of the type that its pointer becomes.
//!
//! The lowest cell that is free is taken, and a freed one is free again. A run that needs more cells than there are ends in a property of
//! its own: only where that is unreachable is the pool no restriction.

use std::rc::Rc;

use super::memory::{Home, Key, ObjectId, Target, Targets, storage, takes_two};
use super::place::{Index, Place, Sub};
use super::value::{Pointer, Value};
use super::{Lowerer, high_table, high_word, unsupported};
use crate::ast::{ExprId, ExprKind, TypeName};
use crate::types::{Integer, Type};
use crate::words::{self, Number};
use redoubt_program::expr::{BinaryOp, ExprId as Word};
use redoubt_program::program::PropertyKind;
use redoubt_program::text::Span;
use redoubt_reading::refused::Lowered;

/// How a call leaves what it allocates.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Content {
    Undefined,
    Zero,
}

/// More allocations of sizes that only a run knows, with as many elements each, are not followed at one place.
const MOST_OF_ANY_SIZE: u32 = 64;

impl<'s> Lowerer<'_, 's> {
    /// Memory for so many bytes, or so many elements of a size.
    pub fn allocate(&mut self, callee: ExprId, arguments: &[ExprId], content: Content, span: Span) -> Lowered<Value> {
        let mut bytes = Number::known(1, Integer::UINT);
        let mut element = None;
        for &argument in arguments {
            element = element.or(self.element_of(argument)?);
            let number = self.number(argument)?;
            bytes = self.out.compute(crate::ast::BinaryOperator::Multiply, bytes, number, span)?;
        }
        let element = match element {
            Some(ty) => Some(ty),
            None => self.out.memory.pool_type(callee),
        };
        let Some(element) = element else {
            // What it is for shows where its pointer is used.
            let target = Target { object: Key::Pool(callee), first: 0, count: 1 };
            let word = self.out.exprs().int(0);
            return Ok(Value::Pointer(Pointer { word, to: Type::Void, targets: Targets::one(target) }));
        };
        let model = self.out.model;
        let Some(size) = element.bytes(model).filter(|&size| size > 0) else {
            return unsupported(span, "allocating something without a size");
        };
        if let Type::Record(record) = &element
            && record.members().last().is_some_and(|member| matches!(member.ty, Type::Array(_, None)))
        {
            return unsupported(span, "an array at the end of a structure that is as long as there is memory");
        }
        // Each cell of as many bytes as the run says is an array with room of its own.
        let room = if bytes.as_known().is_some() { self.out.room } else { self.out.room.min(MOST_OF_ANY_SIZE) };
        let (cell, is_sized) = match bytes.as_known() {
            Some(known) => match u32::try_from(known) {
                Ok(known) if known == size => (element, false),
                Ok(known) if known > 0 && known % size == 0 => {
                    (Type::Array(Rc::new(element), Some(known / size)), false)
                }
                _ => return unsupported(span, "allocating so many bytes for this type"),
            },
            None => (Type::Array(Rc::new(element), Some(room)), true),
        };
        let Some(cell_bytes) = cell.bytes(model) else { return unsupported(span, "allocating this") };
        let ty = Type::Array(Rc::new(cell.clone()), Some(room));
        let object = self.out.object(Key::Pool(callee), "allocated", &ty, None, None, span)?;
        if self.out.memory.object(object).ty != ty {
            return unsupported(span, "allocating for several types at one place");
        }
        let alive = self.out.pool_table(object, "allocated.alive", room, span);
        let sizes = is_sized.then(|| self.out.pool_sizes(object, "allocated.bytes", room, span));
        // The lowest cell that is free.
        let free = self.free_cell(alive, room);
        let free = self.out.settled(free, span);
        let exprs = self.out.exprs();
        let all = exprs.int(room as i32);
        let mut is_full = exprs.eq(free, all);
        let mut length = None;
        if sizes.is_some() {
            let number = self.out.settled_number(bytes, span)?;
            let most = Number::known(cell_bytes.into(), number.ty);
            let exprs = self.out.exprs();
            let above = words::binary(crate::ast::BinaryOperator::Greater, number, most, exprs)
                .map_err(super::too_wide(span))?;
            let above = above.to_truth(exprs);
            is_full = exprs.or(is_full, above);
            let word = number.convert(Integer::INT, exprs).to_word(exprs).map_err(super::too_wide(span))?;
            length = Some(word);
        }
        self.out.check(is_full, PropertyKind::OutOfMemoryModel, span);
        let one = self.out.exprs().int(1);
        self.out.store(alive, free, one, span);
        if let (Some(sizes), Some(length)) = (sizes, length) {
            self.out.store(sizes, free, length, span);
        }
        let index = Index { value: free, count: room, stride: cell_bytes, is_checked: true };
        let sub = Sub { object, first: 0, offset: 0, indices: vec![index], is_in_union: false };
        let place = Place::known(cell, sub.clone());
        match (&place.ty, self.fresh.get(&callee).filter(|_| content == Content::Undefined)) {
            (Type::Record(record), Some(written)) if !record.is_union => {
                for (position, member) in record.members().iter().enumerate() {
                    let is_written = member.name.as_deref().is_some_and(|name| written.contains(name));
                    if !(is_written && member.ty.is_scalar() && member.bits.is_none()) {
                        let inner = self.out.member_at(&place, position);
                        self.fill(&inner, content, span)?;
                    }
                }
            }
            _ => self.fill(&place, content, span)?,
        }
        let word = self.out.sub_word(&sub);
        let word = self.out.settled(word, span);
        let targets = Targets::one(self.out.whole(object));
        Ok(Value::Pointer(Pointer { word, to: Type::Void, targets }))
    }

    fn free_cell(&mut self, alive: redoubt_program::expr::TableId, room: u32) -> Word {
        let mut free = self.out.exprs().int(room as i32);
        for number in (0..room).rev() {
            let index = self.out.exprs().int(number as i32);
            let cell = self.out.cell(alive, index);
            let exprs = self.out.exprs();
            let zero = exprs.int(0);
            let is_free = exprs.eq(cell, zero);
            free = exprs.ite(is_free, index, free);
        }
        free
    }

    fn fill(&mut self, place: &Place, content: Content, span: Span) -> Lowered {
        self.out.each_scalar(place, span, &mut |out, scalar| {
            let integer = storage(&scalar.ty);
            let number = match (content, &scalar.ty) {
                (Content::Zero, _) => Number::known(0, integer),
                (_, Type::Pointer(_)) => {
                    // Null, or an address that nothing has.
                    let variable = out.temporary(span);
                    out.choose_between(variable, 0, 1, span);
                    Number::word(out.read(variable), Integer::UINT)
                }
                _ => {
                    let variable = out.temporary_of(integer, span);
                    out.choose(variable, integer, None, span);
                    let low = out.read(variable);
                    if integer.bits > 32 {
                        let high = out.read(high_word(variable));
                        Number::pair(crate::wide::Pair { low, high }, integer)
                    } else {
                        Number::word(low, integer)
                    }
                }
            };
            let value = match &scalar.ty {
                Type::Pointer(to) => {
                    let word = number.to_word(out.exprs()).map_err(super::too_wide(span))?;
                    Value::Pointer(Pointer { word, to: (**to).clone(), targets: Rc::default() })
                }
                ty => out.seen_as(number, ty, span)?,
            };
            out.write_place(scalar, value, span)
        })
    }

    /// What the size of something in an expression is the size of.
    fn element_of(&mut self, id: ExprId) -> Lowered<Option<Type>> {
        let type_of = |this: &mut Self, name: &TypeName<'s>| {
            this.declarer().type_of(&name.specifiers, &name.declarator).map(Some)
        };
        match &self.text.expr(id).kind {
            ExprKind::SizeOfType(name) => type_of(self, name),
            ExprKind::SizeOf(inner) => self.declarer().static_type(*inner).map(Some),
            ExprKind::Binary(_, a, b) => match self.element_of(*a)? {
                Some(ty) => Ok(Some(ty)),
                None => self.element_of(*b),
            },
            ExprKind::Cast(_, inner) => self.element_of(*inner),
            _ => Ok(None),
        }
    }

    /// Gives memory back.
    pub fn free(&mut self, pointer: ExprId, span: Span) -> Lowered<Value> {
        let value = self.value(pointer)?;
        let targets = self.out.targets_of(&value);
        if targets.unknown {
            return unsupported(span, "freeing what a pointer that may point anywhere points to");
        }
        let word = self.out.word_of(&value, span)?;
        let word = self.out.settled(word, span);
        let after = self.out.new_block();
        let something = self.out.new_block();
        let exprs = self.out.exprs();
        let zero = exprs.int(0);
        let is_null = exprs.eq(word, zero);
        self.out.branch(is_null, after, something, span, something);
        for target in &targets.known {
            let Some(object) = self.out.memory.find(&target.object) else { continue };
            let Some(alive) = self.out.memory.object(object).alive else { continue };
            let (cell, is_it) = self.cell_of(object, alive, word, span);
            let (inside, next) = (self.out.new_block(), self.out.new_block());
            self.out.branch(is_it, inside, next, span, inside);
            let zero = self.out.exprs().int(0);
            self.out.store(alive, cell, zero, span);
            self.out.forget_cell(object, cell, span);
            self.out.jump(after, next);
        }
        let always = self.out.exprs().bool(true);
        self.out.check(always, PropertyKind::InvalidFree, span);
        self.out.jump(after, after);
        Ok(Value::Void)
    }

    /// The cell of a pool that begins at an address, and whether it is one, and in use.
    fn cell_of(
        &mut self,
        object: ObjectId,
        alive: redoubt_program::expr::TableId,
        word: Word,
        span: Span,
    ) -> (Word, Word) {
        let base = self.out.memory.address(object);
        let (bytes, room) = (self.out.memory.object(object).bytes, self.out.room);
        let stride = bytes / room;
        let exprs = self.out.exprs();
        let begin = exprs.int(base);
        let rest = exprs.binary(BinaryOp::Sub, word, begin);
        let end = exprs.int(base + bytes as i32 - 1);
        let (above, below) = (exprs.binary(BinaryOp::LessEq, begin, word), exprs.binary(BinaryOp::LessEq, word, end));
        let inside = exprs.and(above, below);
        let (cell, left) = super::pointer::divided(rest, stride, exprs);
        let zero = exprs.int(0);
        let exact = exprs.eq(left, zero);
        let is_it = exprs.and(inside, exact);
        let cell = self.out.settled(cell, span);
        let used = self.out.cell(alive, cell);
        let exprs = self.out.exprs();
        let is_dead = exprs.eq(used, zero);
        let is_alive = exprs.not(is_dead);
        (cell, exprs.and(is_it, is_alive))
    }

    /// Copies what two pointers point to, if that is of one type and the whole of it; whether it is.
    pub fn copy_whole(&mut self, arguments: &[ExprId], span: Span) -> Lowered<Option<Value>> {
        let &[to, from, size] = arguments else { return Ok(None) };
        let (Some(to_type), Some(from_type)) = (self.pointee_type(to), self.pointee_type(from)) else {
            return Ok(None);
        };
        let Ok(size) = self.declarer().constant(size) else { return Ok(None) };
        if to_type != from_type || to_type.bytes(self.out.model).map(i128::from) != Some(size) {
            return Ok(None);
        }
        let from = self.value(self.uncast(from))?;
        let to = self.value(self.uncast(to))?;
        let from = self.seen_whole(from, &to_type);
        let target = self.seen_whole(to.clone(), &to_type);
        let from = self.out.pointee(from, span)?;
        let target = self.out.pointee(target, span)?;
        let values = self.out.snapshot(&from, span)?;
        self.out.write_parts(&target, &mut values.into_iter(), span)?;
        Ok(Some(self.out.pointing_to(to, &Type::Void)))
    }

    /// Makes all of what a pointer points to zero.
    pub fn clear_whole(&mut self, arguments: &[ExprId], span: Span) -> Lowered<Option<Value>> {
        let &[to, byte, size] = arguments else { return Ok(None) };
        let Some(to_type) = self.pointee_type(to) else { return Ok(None) };
        let (Ok(0), Ok(size)) = (self.declarer().constant(byte), self.declarer().constant(size)) else {
            return Ok(None);
        };
        if to_type.bytes(self.out.model).map(i128::from) != Some(size) {
            return Ok(None);
        }
        let to = self.value(self.uncast(to))?;
        let target = self.seen_whole(to.clone(), &to_type);
        let target = self.out.pointee(target, span)?;
        self.out.each_scalar(&target, span, &mut |out, scalar| {
            out.write_place(scalar, Value::Number(Number::known(0, Integer::INT)), span)
        })?;
        Ok(Some(self.out.pointing_to(to, &Type::Void)))
    }

    /// A pointer to the first element as one to the whole array, if that is what is meant.
    fn seen_whole(&mut self, value: Value, whole: &Type) -> Value {
        match (value, whole) {
            (Value::Address(mut address), Type::Array(..)) if address.to != *whole => {
                address.sub.indices.pop();
                address.ty = whole.clone();
                address.to = whole.clone();
                Value::Address(address)
            }
            (value, _) => value,
        }
    }

    fn uncast(&self, mut id: ExprId) -> ExprId {
        while let ExprKind::Cast(_, inner) = self.text.expr(id).kind {
            id = inner;
        }
        id
    }

    /// What an argument points to, as a whole: an array that is named counts as one.
    fn pointee_type(&mut self, id: ExprId) -> Option<Type> {
        let id = self.uncast(id);
        match self.declarer().static_type(id).ok()? {
            Type::Pointer(to) if matches!(*to, Type::Record(_)) || to.is_scalar() => Some((*to).clone()),
            // Only of what is there by name, so that dropping the index gives the array.
            array @ Type::Array(..)
                if matches!(self.text.expr(id).kind, ExprKind::Name(_) | ExprKind::Member(_, _, false)) =>
            {
                Some(array)
            }
            _ => None,
        }
    }
}

impl super::emit::Emitter {
    /// What says which cells of a pool are in use.
    fn pool_table(&mut self, object: ObjectId, name: &str, room: u32, span: Span) -> redoubt_program::expr::TableId {
        if let Some(known) = self.memory.object(object).alive {
            return known;
        }
        let table = self.table(name, &vec![0; room as usize], Integer::INT, span);
        self.memory.set_alive(object, table);
        table
    }

    /// Makes the scalars of a cell that is given back zero: nobody reads them any more, and states that differ in them alone are one.
    fn forget_cell(&mut self, object: ObjectId, cell: Word, span: Span) {
        for leaf in self.memory.object(object).leaves.clone() {
            let (Home::Table(table), [_]) = (leaf.home, &leaf.dims[..]) else { continue };
            let zero = self.exprs().int(0);
            self.store(table, cell, zero, span);
            if takes_two(&leaf.ty) {
                self.store(high_table(table), cell, zero, span);
            }
        }
    }

    /// How many bytes the cells of a pool have.
    fn pool_sizes(&mut self, object: ObjectId, name: &str, room: u32, span: Span) -> redoubt_program::expr::TableId {
        if let Some(known) = self.memory.object(object).sizes {
            return known;
        }
        let table = self.table(name, &vec![0; room as usize], Integer::INT, span);
        self.memory.set_sizes(object, table);
        table
    }
}
