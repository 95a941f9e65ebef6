//! Types of expressions: truth values, integers with the bounds that are known of them, and enumerations.

use redoubt_program::expr::{ExprId, Type};
use redoubt_program::program::Domain;
use redoubt_program::program::legend::Meaning;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Ty {
    Bool,
    /// The bounds hold of every value; all of `int` lies between its own.
    Int {
        low: i32,
        high: i32,
    },
    /// The number of the enumeration.
    Enum(usize),
}

/// The type of a variable or input.
#[derive(Clone, Copy, Debug)]
pub enum Shape {
    One(Ty),
    Array(Ty, Dims),
}

/// The size of an array, and its indices: one for each dimension.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Dims {
    list: [Dim; Dims::MOST],
    count: usize,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Dim {
    /// Numbers from 0 on, or the values of an enumeration.
    pub index: Ty,
    pub size: usize,
}

impl Dims {
    /// Arrays with more dimensions are refused.
    pub const MOST: usize = 4;

    pub fn one(dim: Dim) -> Dims {
        Dims { list: [dim; Dims::MOST], count: 1 }
    }

    /// An array of such arrays, unless that has too many dimensions.
    pub fn of(self, outer: Dim) -> Option<Dims> {
        let mut list = [outer; Dims::MOST];
        list.get_mut(1..=self.count)?.copy_from_slice(&self);
        Some(Dims { list, count: self.count + 1 })
    }

    /// The number of cells in all.
    pub fn cells(&self) -> usize {
        self.iter().fold(1, |cells, dim| cells.saturating_mul(dim.size))
    }
}

impl std::ops::Deref for Dims {
    type Target = [Dim];

    fn deref(&self) -> &[Dim] {
        &self.list[..self.count]
    }
}

/// An expression of the program with the type it has in the model.
#[derive(Clone, Copy, Debug)]
pub struct Value {
    pub expr: ExprId,
    pub ty: Ty,
}

impl Ty {
    pub const INT: Ty = Ty::Int { low: i32::MIN, high: i32::MAX };

    /// The type in the program: an enumeration is the number of its value.
    pub fn machine(self) -> Type {
        match self {
            Ty::Bool => Type::Bool,
            Ty::Int { .. } | Ty::Enum(_) => Type::Int,
        }
    }

    pub fn meaning(self) -> Meaning {
        match self {
            Ty::Bool => Meaning::Truth,
            Ty::Int { .. } => Meaning::Number,
            Ty::Enum(index) => Meaning::Name(index),
        }
    }

    /// All values, given how many each enumeration has.
    pub fn domain(self, enumerations: &[Vec<String>]) -> Domain {
        match self {
            Ty::Bool => Domain::TRUTH,
            Ty::Int { low, high } => Domain::Range(low, high),
            Ty::Enum(index) => Domain::Range(0, enumerations[index].len() as i32 - 1),
        }
    }

    /// The value that stands for the past where there is none: `false`, the first name, or the number nearest
    /// to 0.
    pub fn default(self) -> i32 {
        match self {
            Ty::Bool | Ty::Enum(_) => 0,
            Ty::Int { low, high } => 0.clamp(low, high),
        }
    }

    /// Whether the same operators apply to values of both.
    pub fn is_like(self, other: Ty) -> bool {
        match (self, other) {
            (Ty::Bool, Ty::Bool) | (Ty::Int { .. }, Ty::Int { .. }) => true,
            (Ty::Enum(a), Ty::Enum(b)) => a == b,
            _ => false,
        }
    }

    /// A type that has the values of both, which are alike.
    pub fn join(self, other: Ty) -> Ty {
        match (self, other) {
            (Ty::Int { low: a, high: b }, Ty::Int { low: c, high: d }) => Ty::Int { low: a.min(c), high: b.max(d) },
            _ => self,
        }
    }

    /// The integers between two bounds, or all of them if the result may wrap.
    pub fn between(low: i64, high: i64) -> Ty {
        match (i32::try_from(low), i32::try_from(high)) {
            (Ok(low), Ok(high)) => Ty::Int { low, high },
            _ => Ty::INT,
        }
    }
}
