//! Types: the elementary ones with their widths and names, and those made of them.

use std::rc::Rc;

use crate::ast::{Ident, Start};
use redoubt_program::expr::Type;
use redoubt_program::program::Domain;
use redoubt_program::program::legend::Meaning;

/// The type of a single value.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Ty {
    Bool,
    Int {
        bits: u8,
        signed: bool,
    },
    /// `BYTE`, `WORD`, `DWORD`: numbers without a sign that have no arithmetic.
    Bits(u8),
    /// Milliseconds.
    Time,
    /// The number of the enumeration; its values are numbered from 0 on, in the order of their list.
    Enumeration(usize),
}

impl Ty {
    pub const DINT: Ty = Ty::Int { bits: 32, signed: true };

    pub fn named(key: &str) -> Option<Ty> {
        let int = |bits, signed| Ty::Int { bits, signed };
        Some(match key {
            "bool" => Ty::Bool,
            "sint" => int(8, true),
            "int" => int(16, true),
            "dint" => int(32, true),
            "usint" => int(8, false),
            "uint" => int(16, false),
            "udint" => int(32, false),
            "byte" => Ty::Bits(8),
            "word" => Ty::Bits(16),
            "dword" => Ty::Bits(32),
            "time" => Ty::Time,
            _ => return None,
        })
    }

    pub fn name(self) -> &'static str {
        match self {
            Ty::Bool => "BOOL",
            Ty::Int { bits: 8, signed: true } => "SINT",
            Ty::Int { bits: 16, signed: true } => "INT",
            Ty::Int { signed: true, .. } => "DINT",
            Ty::Int { bits: 8, .. } => "USINT",
            Ty::Int { bits: 16, .. } => "UINT",
            Ty::Int { .. } => "UDINT",
            Ty::Bits(8) => "BYTE",
            Ty::Bits(16) => "WORD",
            Ty::Bits(_) => "DWORD",
            Ty::Time => "TIME",
            Ty::Enumeration(_) => "an enumeration",
        }
    }

    /// The storage type of a value: numbers of 8 and 16 bits as themselves, those of 32 bits as their bits.
    pub fn machine(self) -> Type {
        if self == Ty::Bool { Type::Bool } else { Type::Int }
    }

    pub fn width(self) -> u8 {
        match self {
            Ty::Bool => 1,
            Ty::Int { bits, .. } | Ty::Bits(bits) => bits,
            Ty::Time | Ty::Enumeration(_) => 32,
        }
    }

    pub fn is_signed(self) -> bool {
        matches!(self, Ty::Int { signed: true, .. } | Ty::Time | Ty::Enumeration(_))
    }

    /// The least and the greatest value.
    pub fn bounds(self, enumerations: &[Enumeration]) -> (i64, i64) {
        match self {
            Ty::Bool => (0, 1),
            Ty::Enumeration(number) => (0, enumerations[number].values.len() as i64 - 1),
            _ if self.is_signed() => (-(1 << (self.width() - 1)), (1 << (self.width() - 1)) - 1),
            _ => (0, (1 << self.width()) - 1),
        }
    }

    pub fn is_number(self) -> bool {
        matches!(self, Ty::Int { .. } | Ty::Bits(_))
    }

    pub fn meaning(self) -> Meaning {
        match self {
            Ty::Bool => Meaning::Truth,
            Ty::Enumeration(number) => Meaning::Name(number),
            Ty::Time => Meaning::Time,
            _ => Meaning::Number,
        }
    }
}

/// Values between bounds, as a variable keeps them.
pub fn domain(low: i64, high: i64) -> Domain {
    match (i32::try_from(low), i32::try_from(high)) {
        (Ok(low), Ok(high)) => Domain::Range(low, high),
        _ => Domain::ANY,
    }
}

#[derive(Clone, Debug)]
pub struct Enumeration {
    pub name: String,
    /// The names and numbers of the values.
    pub values: Vec<(String, i64)>,
    pub is_ascending: bool,
}

/// The type of a variable.
#[derive(Clone, Debug)]
pub enum Shape<'m> {
    One(Scalar),
    /// With its first and last index. One that `continues` is the next dimension of the array around it.
    Array {
        low: i64,
        high: i64,
        element: Rc<Shape<'m>>,
        continues: bool,
    },
    Structure(Rc<Structure<'m>>),
    /// The number of the unit.
    Block(usize),
    /// A type that is not supported, which is an error only where it is used.
    Unsupported(&'static str),
}

#[derive(Clone, Copy, Debug)]
pub struct Scalar {
    pub ty: Ty,
    /// The bounds of a subrange.
    pub range: Option<(i64, i64)>,
    pub default: i64,
}

#[derive(Debug)]
pub struct Structure<'m> {
    pub name: String,
    pub fields: Vec<Field<'m>>,
}

#[derive(Debug)]
pub struct Field<'m> {
    pub name: &'m Ident,
    pub shape: Shape<'m>,
    pub start: Option<&'m Start>,
}
