//! Structures and unions: where their members lie, as the System V ABI has it.

use std::cell::OnceCell;
use std::fmt;

use super::types::{Integer, Model, Type};

/// A structure or a union. Its members are known once its definition has been read.
pub struct Record {
    /// What tells it from all others.
    pub id: u32,
    pub is_union: bool,
    /// With the word before it.
    pub name: String,
    pub layout: OnceCell<Layout>,
}

#[derive(Debug)]
pub struct Layout {
    pub members: Vec<Member>,
    pub bytes: u32,
    pub alignment: u32,
    /// How many scalars it is made of, arrays counted once. A union is words.
    pub leaves: u32,
}

#[derive(Debug)]
pub struct Member {
    /// Unnamed are structures whose members are named as if they stood here.
    pub name: Option<String>,
    pub ty: Type,
    /// In bytes; that of a bit-field is the one of the unit of its type that it lies in.
    pub offset: u32,
    /// Of a bit-field: the first bit in its unit, and how many.
    pub bits: Option<(u32, u32)>,
    /// The first of its scalars.
    pub first: u32,
}

/// A member as it is declared: its type, its name, how many bits it has.
pub struct Declared {
    pub name: Option<String>,
    pub ty: Type,
    pub bits: Option<u32>,
}

impl PartialEq for Record {
    fn eq(&self, other: &Record) -> bool {
        self.id == other.id
    }
}

impl Eq for Record {}

impl fmt::Debug for Record {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.name)
    }
}

impl Record {
    pub fn members(&self) -> &[Member] {
        self.layout.get().map_or(&[], |layout| &layout.members)
    }

    /// The way to a member by its name: through the unnamed ones around it.
    pub fn find(&self, name: &str) -> Option<Vec<usize>> {
        for (position, member) in self.members().iter().enumerate() {
            match (&member.name, &member.ty) {
                (Some(own), _) if own == name => return Some(vec![position]),
                (None, Type::Record(inner)) => {
                    if let Some(mut way) = inner.find(name) {
                        way.insert(0, position);
                        return Some(way);
                    }
                }
                _ => {}
            }
        }
        None
    }
}

/// How many words, or what is less at the end, a union of so many bytes is kept in.
pub fn words(bytes: u32) -> Vec<(u32, Integer)> {
    let mut list: Vec<_> = (0..bytes / 4).map(|word| (4 * word, Integer::UINT)).collect();
    let mut offset = bytes / 4 * 4;
    for integer in [Integer::USHORT, Integer::UCHAR] {
        if bytes - offset >= integer.bytes() {
            list.push((offset, integer));
            offset += integer.bytes();
        }
    }
    list
}

/// Where members lie, if their types are known. Those that are packed stand one right behind the other.
pub fn lay_out(declared: Vec<Declared>, is_union: bool, is_packed: bool, model: Model) -> Option<Layout> {
    let (mut members, mut alignment, mut leaves) = (vec![], 1, 0);
    // In bits, of what has been laid out, and of the largest member of a union.
    let (mut end, mut largest) = (0u64, 0u64);
    for Declared { name, ty, bits } in declared {
        let bytes = u64::from(size(&ty, model)?);
        let own_alignment = if is_packed { 1 } else { ty.alignment(model)? };
        let unit = 8 * bytes;
        if is_union {
            end = 0;
        }
        let (offset, place) = match bits {
            Some(0) => {
                end = end.next_multiple_of(unit);
                continue;
            }
            Some(width) => {
                if end / unit != (end + u64::from(width) - 1) / unit {
                    end = end.next_multiple_of(unit);
                }
                let begin = end;
                end += u64::from(width);
                (begin / unit * bytes, Some(((begin % unit) as u32, width)))
            }
            None => {
                end = end.next_multiple_of(8 * u64::from(own_alignment));
                let begin = end / 8;
                end += unit;
                (begin, None)
            }
        };
        largest = largest.max(end);
        let is_unnamed_field = name.is_none() && place.is_some();
        if is_unnamed_field {
            // It only keeps others apart, and does not align what it stands in.
            continue;
        }
        alignment = alignment.max(own_alignment);
        let count = if place.is_some() { 1 } else { ty.leaves()? };
        let offset = u32::try_from(offset).ok()?;
        members.push(Member { name, ty, offset, bits: place, first: if is_union { 0 } else { leaves } });
        leaves += count;
    }
    let bytes = u32::try_from(largest.div_ceil(8).next_multiple_of(u64::from(alignment))).ok()?;
    if is_union {
        leaves = words(bytes).len() as u32;
    }
    Some(Layout { members, bytes, alignment, leaves })
}

/// A flexible array at the end has no bytes.
fn size(ty: &Type, model: Model) -> Option<u32> {
    match ty {
        Type::Array(_, None) => Some(0),
        other => other.bytes(model),
    }
}
