//! Initial values: which scalar gets what, also where braces are left out, and the bytes that globals start as.

use super::declare::Declarer;
use super::memory::{Home, ObjectId, positions, storage, to_image};
use super::place::{Index, Place, Sub};
use super::pointer::Part;
use super::unsupported;
use super::value::Value;
use crate::ast::{Designator, Element, ExprId, ExprKind, Initializer};
use crate::types::{self, Integer, Type};
use redoubt_program::text::Span;
use redoubt_reading::refused::Lowered;

/// What one part of an object starts as.
pub struct Item {
    /// In bytes, from the beginning of the object.
    pub offset: u32,
    pub bits: Option<(u32, u32)>,
    pub ty: Type,
    pub from: Source,
}

pub enum Source {
    Value(ExprId),
    Known(i128),
}

/// Arrays that only their initial values make long end here.
const LONGEST: u32 = 1 << 24;

impl<'s> Declarer<'_, '_, 's> {
    /// The type of a variable, with the length that its initial value gives it.
    pub fn completed(&mut self, ty: Type, initializer: Option<&Initializer>, span: Span) -> Lowered<Type> {
        let (Type::Array(element, None), Some(initializer)) = (&ty, initializer) else { return Ok(ty) };
        let length = match initializer {
            Initializer::Value(value) => match self.characters(*value, element) {
                Some(characters) => characters.len() as u32 + 1,
                None => return unsupported(span, "this initial value"),
            },
            Initializer::List { elements, .. } => {
                if let [Element { designators, initializer: Initializer::Value(value) }] = &elements[..]
                    && designators.is_empty()
                    && let Some(characters) = self.characters(*value, element)
                {
                    characters.len() as u32 + 1
                } else {
                    let (mut next, mut items) = (0, vec![]);
                    let open = Type::Array(element.clone(), Some(LONGEST));
                    self.fill(elements, &mut next, &open, 0, true, &mut items)?
                }
            }
        };
        Ok(Type::Array(element.clone(), Some(length)))
    }

    /// What the parts of an object of a type start as; what is not among these starts as zero.
    pub fn items(&mut self, initializer: &Initializer, ty: &Type) -> Lowered<Vec<Item>> {
        let mut items = vec![];
        self.initialized(initializer, ty, 0, None, &mut items)?;
        Ok(items)
    }

    fn initialized(
        &mut self,
        initializer: &Initializer,
        ty: &Type,
        offset: u32,
        bits: Option<(u32, u32)>,
        items: &mut Vec<Item>,
    ) -> Lowered {
        match initializer {
            Initializer::Value(value) => {
                if let Type::Array(element, Some(length)) = ty {
                    let span = self.text.expr(*value).span;
                    let Some(characters) = self.characters(*value, element) else {
                        return unsupported(span, "this initial value");
                    };
                    // The zero behind a text may be missing.
                    if characters.len() > *length as usize {
                        return unsupported(span, "a text that is too long");
                    }
                    for (number, character) in characters.into_iter().enumerate() {
                        let from = Source::Known(character);
                        let offset = offset + number as u32;
                        items.push(Item { offset, bits: None, ty: (**element).clone(), from });
                    }
                    return Ok(());
                }
                items.push(Item { offset, bits, ty: ty.clone(), from: Source::Value(*value) });
                Ok(())
            }
            Initializer::List { elements, span } => match (ty, &elements[..]) {
                (
                    Type::Array(element, _),
                    [Element { designators, initializer: inner @ Initializer::Value(value) }],
                ) if designators.is_empty() && self.characters(*value, element).is_some() => {
                    self.initialized(inner, ty, offset, bits, items)
                }
                (Type::Array(..) | Type::Record(_), _) => {
                    let mut next = 0;
                    self.fill(elements, &mut next, ty, offset, true, items).map(drop)
                }
                (_, [only]) if only.designators.is_empty() => {
                    self.initialized(&only.initializer, ty, offset, bits, items)
                }
                (_, []) => Ok(()),
                _ => unsupported(*span, "this initial value"),
            },
        }
    }

    /// Gives elements of a list to the parts of an array or a structure, one after the other; how many parts there are up to
    /// the last one that got anything. Without braces of its own it takes what it needs.
    fn fill(
        &mut self,
        list: &[Element],
        next: &mut usize,
        ty: &Type,
        offset: u32,
        has_braces: bool,
        items: &mut Vec<Item>,
    ) -> Lowered<u32> {
        let (mut position, mut reached, mut is_inside) = (0u32, 0u32, false);
        while let Some(element) = list.get(*next) {
            let span = match &element.initializer {
                Initializer::Value(value) => self.text.expr(*value).span,
                Initializer::List { span, .. } => *span,
            };
            if let Some((first, rest)) = element.designators.split_first() {
                if !has_braces {
                    return Ok(reached);
                }
                let (at, mut part) = self.designated(ty, offset, first, span)?;
                position = at;
                for designator in rest {
                    part = self.designated(&part.ty, part.offset, designator, span)?.1;
                }
                is_inside = !rest.is_empty();
                self.initialized(&element.initializer, &part.ty, part.offset, part.bits, items)?;
                *next += 1;
            } else {
                if is_inside {
                    return unsupported(span, "an initial value behind one for a part of a part");
                }
                let Some(part) = self.part(ty, offset, position) else {
                    return if has_braces {
                        unsupported(span, "an initial value that is too long")
                    } else {
                        Ok(reached)
                    };
                };
                match &element.initializer {
                    Initializer::Value(value) if !self.takes(&part.ty, *value)? => {
                        self.fill(list, next, &part.ty, part.offset, false, items)?;
                    }
                    initializer => {
                        self.initialized(initializer, &part.ty, part.offset, part.bits, items)?;
                        *next += 1;
                    }
                }
            }
            position += 1;
            reached = reached.max(position);
        }
        Ok(reached)
    }

    /// Whether a part takes a value as a whole.
    fn takes(&mut self, ty: &Type, value: ExprId) -> Lowered<bool> {
        Ok(match ty {
            Type::Array(element, _) => self.characters(value, element).is_some(),
            Type::Record(_) => {
                !matches!(self.text.expr(value).kind, ExprKind::Number(_) | ExprKind::Character(_) | ExprKind::Text)
                    && self.static_type(value).is_ok_and(|other| other == *ty)
            }
            _ => true,
        })
    }

    fn part(&self, ty: &Type, offset: u32, position: u32) -> Option<Item> {
        let from = Source::Known(0);
        match ty {
            Type::Array(element, length) => {
                let stride = element.bytes(self.out.model)?;
                let is_there = length.is_some_and(|length| position < length);
                let at = offset.checked_add(stride.checked_mul(position)?)?;
                is_there.then(|| Item { offset: at, bits: None, ty: (**element).clone(), from })
            }
            Type::Record(record) => {
                if record.is_union && position > 0 {
                    return None;
                }
                let member = record.members().get(position as usize)?;
                Some(Item { offset: offset + member.offset, bits: member.bits, ty: member.ty.clone(), from })
            }
            _ => None,
        }
    }

    fn designated(&mut self, ty: &Type, offset: u32, designator: &Designator, span: Span) -> Lowered<(u32, Item)> {
        let found = match (designator, ty) {
            (Designator::Index(index), Type::Array(..)) => {
                let index = self.constant(*index)?;
                let position = u32::try_from(index).ok();
                position.and_then(|position| self.part(ty, offset, position).map(|part| (position, part)))
            }
            (Designator::Member(name), Type::Record(record)) => {
                let way = record.find(name).unwrap_or_default();
                let mut item = None;
                let (mut record, mut at) = (record.clone(), offset);
                for &position in &way {
                    let member = &record.members()[position];
                    at += member.offset;
                    let (bits, ty) = (member.bits, member.ty.clone());
                    item = Some(Item { offset: at, bits, ty: ty.clone(), from: Source::Known(0) });
                    if let Type::Record(inner) = ty {
                        record = inner;
                    }
                }
                item.map(|item| (way.first().copied().unwrap_or(0) as u32, item))
            }
            _ => None,
        };
        match found {
            Some(found) => Ok(found),
            None => unsupported(span, "an initial value for what is not there"),
        }
    }

    /// The characters of a text that an array of such elements starts with.
    fn characters(&self, value: ExprId, element: &Type) -> Option<Vec<i128>> {
        let expr = self.text.expr(value);
        match (&expr.kind, element) {
            (ExprKind::Text, Type::Integer(integer)) if integer.bits == 8 => {
                types::characters(self.out.builder.sources.text(expr.span))
            }
            _ => None,
        }
    }

    /// Gives an object the values that it starts with, before the program runs.
    pub fn start(&mut self, object: ObjectId, initializer: &Initializer, ty: &Type) -> Lowered {
        let items = self.items(initializer, ty)?;
        let model = self.out.model;
        let mut image = vec![0u8; ty.bytes(model).unwrap_or(0) as usize];
        for Item { offset, bits, ty, from } in items {
            let value = match from {
                Source::Known(number) => Value::Number(types_number(number)),
                Source::Value(value) => self.constant_value(value)?,
            };
            let span = Span::default();
            if let (Type::Pointer(_), Some(place)) = (&ty, self.place_at(object, offset, &ty, bits))
                && let Some(sub) = place.only()
            {
                let targets = self.out.targets_of(&value);
                self.out.memory.keeps(object, sub.first, &targets);
            }
            if !ty.is_scalar() {
                return unsupported(span, "this initial value");
            }
            let number = self.out.converted(value, &ty, span)?;
            let number = match number.as_known() {
                Some(number) => number,
                None => {
                    match number.to_word(self.out.exprs()).ok().and_then(|word| self.out.builder.exprs.as_int(word)) {
                        Some(word) => i128::from(word),
                        None => return unsupported(span, "an initial value that is no constant"),
                    }
                }
            };
            to_image(&mut image, offset, bits, number, storage(&ty).bytes());
        }
        self.out.start_as(object, &image);
        Ok(())
    }

    /// The part of an object at an offset.
    pub fn place_at(&mut self, object: ObjectId, offset: u32, ty: &Type, bits: Option<(u32, u32)>) -> Option<Place> {
        if let Type::Record(_) = ty {
            let (mut parts, whole) = (vec![], self.out.memory.object(object).ty.clone());
            let top = Part { first: 0, offset: 0, dims: vec![], is_in_union: false };
            self.out.collect_parts(&whole, top, ty, &mut parts);
            for Part { first, offset: at, dims, is_in_union } in parts {
                if let Some((indices, 0)) = self.indices(offset.wrapping_sub(at), &dims) {
                    return Some(Place::known(ty.clone(), Sub { object, first, offset: at, indices, is_in_union }));
                }
            }
            return None;
        }
        let leaves = self.out.memory.object(object).leaves.clone();
        for (number, leaf) in leaves.iter().enumerate() {
            if leaf.bits != bits && !leaf.raw || offset < leaf.offset {
                continue;
            }
            let Some((indices, rest)) = self.indices(offset - leaf.offset, &leaf.dims) else { continue };
            if rest == 0 || (leaf.raw && rest < storage(&leaf.ty).bytes()) {
                let (first, offset) = (number as u32, leaf.offset + rest);
                let sub = Sub { object, first, offset, indices, is_in_union: leaf.raw };
                return Some(Place { bits, ..Place::known(ty.clone(), sub) });
            }
        }
        None
    }

    /// The elements of arrays that an offset leads to, and how far into the last one.
    fn indices(&mut self, offset: u32, dims: &[(u32, u32)]) -> Option<(Vec<Index>, u32)> {
        let (mut rest, mut indices) = (offset, vec![]);
        for &(count, stride) in dims {
            let index = rest / stride.max(1);
            if index >= count {
                return None;
            }
            rest %= stride.max(1);
            let value = self.out.exprs().int(index as i32);
            indices.push(Index { value, count, stride, is_checked: true });
        }
        Some((indices, rest))
    }
}

fn types_number(number: i128) -> crate::words::Number {
    crate::words::Number::known(number, Integer::INT)
}

impl super::emit::Emitter {
    /// The bytes that an object has before the program runs.
    fn start_as(&mut self, object: ObjectId, image: &[u8]) {
        for leaf in self.memory.object(object).leaves.clone() {
            let integer = storage(&leaf.ty);
            let read = |at: u32| super::memory::from_image(image, at, leaf.bits, &leaf.ty, self.model);
            match leaf.home {
                Home::Variable(variable) => {
                    let value = read(leaf.offset);
                    self.automaton.variables[variable.index()].initial = value as i32;
                    if integer.bits > 32 {
                        self.automaton.variables[variable.index() + 1].initial = (value >> 32) as i32;
                    }
                }
                Home::Table(table) => {
                    let cells: Vec<i128> = positions(&leaf.dims).map(|at| read(leaf.offset + at)).collect();
                    let word = |amount: u32| cells.iter().map(|cell| (cell >> amount) as i32).collect::<Vec<_>>();
                    let (low, high) = (word(0), word(32));
                    self.builder.set_cells(table, low);
                    if integer.bits > 32 {
                        self.builder.set_cells(super::high_table(table), high);
                    }
                }
            }
        }
    }
}
