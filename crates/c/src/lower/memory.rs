//! Objects: what has an address, as trees of scalars.
//!
//! Each scalar member is a variable, and one of an array of structures a table with a cell per element. So a structure costs what its members
//! cost, and `a[i].x` is one cell of a table. A union is words, whatever its members are.
//!
//! A pointer in the program is a number: the address in bytes, which objects get when it is first asked for, far enough from each
//! other. Null is 0. What a pointer may point to is known beforehand as a set of targets, by where it is kept: the program is lowered
//! again until no set grows any more (Andersen's analysis, with the lowering itself in the place of its constraints).

use std::collections::BTreeSet;
use std::rc::Rc;

use rustc_hash::FxHashMap;

use super::emit::{Emitter, Routine};
use super::{is_wide, unsupported};
use crate::ast::{ExprId, StmtId};
use crate::record;
use crate::types::{Integer, Model, Type};
use redoubt_base::id;
use redoubt_program::expr::{TableId, VarId};
use redoubt_program::text::Span;
use redoubt_reading::refused::Lowered;

id!(/// An object of the program that is being lowered.
    ObjectId);

/// Arrays with more cells than this are not modelled.
const MOST_CELLS: u64 = 1 << 18;

/// Unions of more words than this are not, either.
const MOST_WORDS: u32 = 256;

/// What an object is in the text: the same each time that the program is lowered.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Key {
    Global(String),
    Local(StmtId, usize),
    /// Of the function with this body.
    Parameter(StmtId, usize),
    Result(StmtId),
    /// Something without a name: a text, a compound literal, a value that is kept for a while.
    Unnamed(ExprId),
    /// What a call through a pointer returns.
    Called(ExprId),
    /// What one call allocates.
    Pool(ExprId),
    Function(String),
}

/// A part of an object that pointers point to, or into: so many of its scalars from one on.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Target {
    pub object: Key,
    pub first: u32,
    pub count: u32,
}

/// What a pointer may point to.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Targets {
    pub known: BTreeSet<Target>,
    /// Whether it may also have come from where nobody has looked.
    pub unknown: bool,
}

impl Targets {
    pub fn one(target: Target) -> Rc<Targets> {
        Rc::new(Targets { known: [target].into(), unknown: false })
    }

    pub fn unknown() -> Rc<Targets> {
        Rc::new(Targets { known: BTreeSet::new(), unknown: true })
    }

    /// Adds others; whether any of them is new.
    pub fn unite(&mut self, other: &Targets) -> bool {
        let before = (self.known.len(), self.unknown);
        self.known.extend(other.known.iter().cloned());
        self.unknown |= other.unknown;
        before != (self.known.len(), self.unknown)
    }

    pub fn union(a: &Rc<Targets>, b: &Rc<Targets>) -> Rc<Targets> {
        if a == b {
            return Rc::clone(a);
        }
        let mut all = (**a).clone();
        all.unite(b);
        Rc::new(all)
    }
}

/// By object and scalar: what the pointers kept there may point to.
pub type Sets = FxHashMap<(Key, u32), Rc<Targets>>;

/// Where the values of a scalar are.
#[derive(Clone, Copy, Debug)]
pub enum Home {
    Variable(VarId),
    Table(TableId),
}

/// A scalar of an object, or one per element of the arrays around it.
#[derive(Clone, Debug)]
pub struct Leaf {
    pub home: Home,
    pub ty: Type,
    /// Of the first, in bytes.
    pub offset: u32,
    /// The arrays around it, from the outside in: how many elements, and their sizes.
    pub dims: Vec<(u32, u32)>,
    /// Of a bit-field: the first bit in its unit, and how many.
    pub bits: Option<(u32, u32)>,
    /// Whether it is a word of a union.
    pub raw: bool,
}

#[derive(Clone, Debug)]
pub struct Object {
    pub key: Key,
    pub ty: Type,
    pub bytes: u32,
    pub leaves: Vec<Leaf>,
    /// Its address, if anybody has asked for it.
    base: Option<i32>,
    /// What says which cells of a pool are in use.
    pub alive: Option<TableId>,
    /// How many bytes they have, where that differs.
    pub sizes: Option<TableId>,
    pub is_constant: bool,
    /// The block that it is gone with; none if it is there throughout.
    pub within: Option<StmtId>,
}

/// All objects, and what is known of pointers to them.
#[derive(Default)]
pub struct Memory {
    objects: Vec<Object>,
    by_key: FxHashMap<Key, ObjectId>,
    next: i32,
    pub sets: Sets,
    pool_types: FxHashMap<ExprId, Type>,
    /// Whether a set has grown since the lowering began.
    pub has_grown: bool,
}

impl Memory {
    pub fn new() -> Memory {
        Memory { next: 16, ..Memory::default() }
    }

    pub fn object(&self, id: ObjectId) -> &Object {
        &self.objects[id.index()]
    }

    pub fn find(&self, key: &Key) -> Option<ObjectId> {
        self.by_key.get(key).copied()
    }

    /// The address of an object. None is next to another one, so that the place behind one is nobody's.
    pub fn address(&mut self, id: ObjectId) -> i32 {
        if let Some(base) = self.objects[id.index()].base {
            return base;
        }
        let base = self.next;
        let bytes = self.objects[id.index()].bytes as i32;
        self.next = base.saturating_add(bytes.saturating_add(1 + 15) / 16 * 16);
        self.objects[id.index()].base = Some(base);
        base
    }

    /// What a pointer that is kept there may point to.
    pub fn targets(&self, id: ObjectId, leaf: u32) -> Rc<Targets> {
        let key = (self.object(id).key.clone(), leaf);
        self.sets.get(&key).cloned().unwrap_or_default()
    }

    /// A pointer is kept there that may point to these.
    pub fn keeps(&mut self, id: ObjectId, leaf: u32, targets: &Targets) {
        if targets.known.is_empty() && !targets.unknown {
            return;
        }
        let key = (self.object(id).key.clone(), leaf);
        let known = Rc::make_mut(self.sets.entry(key).or_default());
        self.has_grown |= known.unite(targets);
    }

    pub fn set_sizes(&mut self, id: ObjectId, table: TableId) {
        self.objects[id.index()].sizes = Some(table);
    }

    /// What a pool is for, as far as its pointers have shown.
    pub fn pool_type(&self, call: ExprId) -> Option<Type> {
        self.pool_types.get(&call).cloned()
    }

    /// A pointer to something is used as one to a type.
    pub fn is_used_as(&mut self, key: &Key, ty: &Type) {
        if let Key::Pool(call) = key
            && !self.by_key.contains_key(key)
            && !self.pool_types.contains_key(call)
        {
            self.pool_types.insert(*call, ty.clone());
            self.has_grown = true;
        }
    }

    pub fn set_alive(&mut self, id: ObjectId, table: TableId) {
        self.objects[id.index()].alive = Some(table);
    }

    /// The variables that functions leave their results in.
    pub fn results(&self) -> impl Iterator<Item = VarId> + '_ {
        let results = self.objects.iter().filter(|object| matches!(object.key, Key::Result(_)));
        results.flat_map(|object| &object.leaves).flat_map(|leaf| match leaf.home {
            Home::Variable(variable) if takes_two(&leaf.ty) => vec![variable, VarId::new(variable.index() + 1)],
            Home::Variable(variable) => vec![variable],
            Home::Table(_) => vec![],
        })
    }

    /// Whether a pointer that is kept somewhere may point to such an object.
    pub fn points_to(&self, is_it: impl Fn(&Object) -> bool) -> bool {
        let targets = self.sets.values().flat_map(|targets| &targets.known);
        targets.filter_map(|target| self.find(&target.object)).any(|id| is_it(self.object(id)))
    }

    pub fn lives_within(&mut self, id: ObjectId, block: StmtId) {
        self.objects[id.index()].within = Some(block);
    }

    pub fn is_constant(&mut self, id: ObjectId) {
        self.objects[id.index()].is_constant = true;
    }
}

/// A scalar of a type, without a home yet.
struct Shape {
    name: String,
    ty: Type,
    offset: u32,
    dims: Vec<(u32, u32)>,
    bits: Option<(u32, u32)>,
    raw: bool,
}

fn shapes(ty: &Type, name: &str, offset: u32, dims: &[(u32, u32)], model: Model, out: &mut Vec<Shape>) -> Option<()> {
    match ty {
        // As long as there is memory behind it.
        Type::Array(_, None) => None,
        Type::Array(element, length) => {
            let mut inner = dims.to_vec();
            inner.push((length.unwrap_or(0), element.bytes(model)?));
            shapes(element, name, offset, &inner, model, out)
        }
        Type::Record(record) if record.is_union => {
            let layout = record.layout.get()?;
            for (at, integer) in record::words(layout.bytes) {
                let name = if at == 0 { name.to_string() } else { format!("{name}+{at}") };
                let (ty, dims) = (Type::Integer(integer), dims.to_vec());
                out.push(Shape { name, ty, offset: offset + at, dims, bits: None, raw: true });
            }
            Some(())
        }
        Type::Record(record) => {
            for member in &record.layout.get()?.members {
                let name = member.name.as_ref().map_or(name.to_string(), |own| format!("{name}.{own}"));
                if let (Some(bits), Type::Integer(integer)) = (member.bits, &member.ty) {
                    let ty = Type::Integer(Integer { bits: bits.1.min(integer.bits), ..*integer });
                    let (offset, dims) = (offset + member.offset, dims.to_vec());
                    out.push(Shape { name, ty, offset, dims, bits: Some(bits), raw: false });
                } else {
                    shapes(&member.ty, &name, offset + member.offset, dims, model, out)?;
                }
            }
            Some(())
        }
        Type::Void | Type::Foreign(_) => None,
        ty => {
            let (name, ty, dims) = (name.to_string(), ty.clone(), dims.to_vec());
            out.push(Shape { name, ty, offset, dims, bits: None, raw: false });
            Some(())
        }
    }
}

/// The number that a scalar is kept as.
pub fn storage(ty: &Type) -> Integer {
    match ty {
        Type::Integer(integer) => *integer,
        Type::Float(width) => width.bits(),
        _ => Integer::UINT,
    }
}

impl Emitter {
    /// The object that something of the text is, with the bytes that it starts as, or zeros. A function may keep it for itself.
    pub fn object(
        &mut self,
        key: Key,
        name: &str,
        ty: &Type,
        image: Option<&[u8]>,
        owner: Option<Routine>,
        span: Span,
    ) -> Lowered<ObjectId> {
        if let Some(known) = self.memory.find(&key) {
            return Ok(known);
        }
        let (model, mut list) = (self.model, vec![]);
        let (Some(()), Some(bytes)) = (shapes(ty, name, 0, &[], model, &mut list), ty.bytes(model)) else {
            return match ty {
                Type::Foreign(what) => unsupported(span, what),
                Type::Array(..) => unsupported(span, "an array of this type"),
                ty => unsupported(span, &format!("a variable of this type ({ty:?})")),
            };
        };
        let is_too_large = |shape: &Shape| shape.dims.iter().map(|dim| u64::from(dim.0)).product::<u64>() > MOST_CELLS;
        if list.iter().any(is_too_large) {
            return unsupported(span, &format!("an object of {bytes} bytes"));
        }
        if list.iter().filter(|shape| shape.raw).count() > MOST_WORDS as usize {
            return unsupported(span, "a union of this size");
        }
        let mut leaves = vec![];
        for Shape { name, ty, offset, dims, bits, raw } in list {
            let integer = storage(&ty);
            let read = |at: u32| image.map_or(0, |image| from_image(image, at, bits, &ty, model));
            let home = if dims.is_empty() {
                let variable = self.variable_of(&name, integer, read(offset), span);
                owner.into_iter().for_each(|owner| self.own(variable, integer, owner));
                Home::Variable(variable)
            } else {
                let cells: Vec<i128> = positions(&dims).map(|at| read(offset + at)).collect();
                let cells = if cells.is_empty() { vec![0] } else { cells };
                let table = self.table(&name, &cells, integer, span);
                owner.into_iter().for_each(|owner| self.own_table(table, integer, owner));
                Home::Table(table)
            };
            leaves.push(Leaf { home, ty, offset, dims, bits, raw });
        }
        self.memory.objects.push(Object {
            key: key.clone(),
            ty: ty.clone(),
            bytes,
            leaves,
            base: None,
            alive: None,
            sizes: None,
            is_constant: false,
            within: None,
        });
        let id = ObjectId::new(self.memory.objects.len() - 1);
        self.memory.by_key.insert(key, id);
        Ok(id)
    }

    /// The function of a name, as something that has an address.
    pub fn function_object(&mut self, name: &str, result: Type, span: Span) -> Lowered<ObjectId> {
        self.object(Key::Function(name.to_string()), name, &Type::Function(Rc::new(result)), None, None, span)
    }

    /// All of an object, as a target.
    pub fn whole(&self, id: ObjectId) -> Target {
        let object = self.memory.object(id);
        Target { object: object.key.clone(), first: 0, count: object.leaves.len() as u32 }
    }

    /// Leaves an object without values, as when its block is entered.
    pub fn undefine_object(&mut self, id: ObjectId, span: Span) {
        for (number, leaf) in self.memory.object(id).leaves.clone().into_iter().enumerate() {
            let integer = storage(&leaf.ty);
            match leaf.home {
                Home::Variable(variable) => {
                    let targets = self.memory.targets(id, number as u32);
                    let points = matches!(leaf.ty, Type::Pointer(_)) && !targets.known.is_empty();
                    if points {
                        // Null, or an address that nothing has.
                        self.choose_between(variable, 0, 1, span);
                    } else {
                        self.choose(variable, integer, None, span);
                    }
                }
                Home::Table(table) => self.undefine_cells(table, integer, span),
            }
        }
    }
}

/// The offsets of all elements of arrays within each other.
pub fn positions(dims: &[(u32, u32)]) -> Box<dyn Iterator<Item = u32> + '_> {
    match dims.split_first() {
        None => Box::new(std::iter::once(0)),
        Some((&(count, stride), inner)) => {
            Box::new((0..count).flat_map(move |index| positions(inner).map(move |at| index * stride + at)))
        }
    }
}

pub fn from_image(image: &[u8], at: u32, bits: Option<(u32, u32)>, ty: &Type, model: Model) -> i128 {
    let bytes = match ty {
        Type::Pointer(_) => 4,
        // A bit-field is read from the bytes that it reaches into.
        Type::Integer(integer) => bits.map_or(integer.bytes(), |(first, width)| (first + width).div_ceil(8)),
        other => other.bytes(model).unwrap_or(0),
    };
    let mut value = 0i128;
    for byte in 0..bytes {
        let from = image.get((at + byte) as usize).copied().unwrap_or(0);
        value |= i128::from(from) << (8 * byte);
    }
    if let Some((first, width)) = bits {
        value = (value >> first) & ((1 << width) - 1);
    }
    match storage(ty) {
        Integer::BOOL => value & 1,
        integer => integer.wrap(value),
    }
}

/// Puts a number into an image.
pub fn to_image(image: &mut [u8], at: u32, bits: Option<(u32, u32)>, value: i128, bytes: u32) {
    let (first, width) = bits.unwrap_or((0, 8 * bytes));
    for bit in 0..width {
        let place = first + bit;
        let Some(byte) = image.get_mut((at + place / 8) as usize) else { continue };
        let mask = 1u8 << (place % 8);
        *byte = if value >> bit & 1 == 1 { *byte | mask } else { *byte & !mask };
    }
}

/// Whether a number of a type takes two words in its home.
pub fn takes_two(ty: &Type) -> bool {
    is_wide(storage(ty))
}
