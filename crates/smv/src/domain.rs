//! Domains: the values that a variable can have, the bits that stand for them, and the values as people write them.

use std::fmt;
use std::sync::Arc;

use redoubt_words::{Bits, Sort};

use crate::ast::Constant;

/// The values of a variable.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Domain {
    Boolean,
    /// Each value is its distance from the lowest one.
    Range(i64, i64),
    /// Numbers with gaps between them, ascending; each is its place.
    Numbers(Arc<[i64]>),
    /// With a symbol among them; each is its place.
    Symbols(Arc<[Constant]>),
    Word {
        signed: bool,
        width: u32,
    },
    /// An array with words for indices.
    Words {
        index: u32,
        signed: bool,
        width: u32,
    },
}

/// The bits in which so many values can be told from each other, at least one.
pub fn bits_for(values: u64) -> u32 {
    (u64::BITS - values.saturating_sub(1).leading_zeros()).max(1)
}

impl Domain {
    pub fn range(low: i64, high: i64) -> Domain {
        Domain::Range(low, high)
    }

    pub fn enumeration(constants: Vec<Constant>) -> Domain {
        if constants.iter().all(|constant| matches!(constant, Constant::Boolean(_))) && constants.len() == 2 {
            return Domain::Boolean;
        }
        let number = |constant: &Constant| match constant {
            Constant::Number(value) => Some(*value),
            _ => None,
        };
        let Some(mut numbers) = constants.iter().map(number).collect::<Option<Vec<i64>>>() else {
            return Domain::Symbols(constants.into());
        };
        numbers.sort_unstable();
        match (numbers.first(), numbers.last()) {
            (Some(&low), Some(&high)) if high - low + 1 == numbers.len() as i64 => Domain::Range(low, high),
            _ => Domain::Numbers(numbers.into()),
        }
    }

    /// The number of values of a coded domain.
    pub fn size(&self) -> Option<u64> {
        match self {
            Domain::Boolean => Some(2),
            Domain::Range(low, high) => Some(high.abs_diff(*low) + 1),
            Domain::Numbers(numbers) => Some(numbers.len() as u64),
            Domain::Symbols(constants) => Some(constants.len() as u64),
            Domain::Word { .. } | Domain::Words { .. } => None,
        }
    }

    /// The sort of the word that stands for a value.
    pub fn sort(&self) -> Sort {
        match self {
            Domain::Word { width, .. } => Sort::Bits(*width),
            Domain::Words { index, width, .. } => Sort::Array { index: *index, element: *width },
            coded => Sort::Bits(bits_for(coded.size().unwrap_or(2))),
        }
    }

    /// Whether some words stand for no value.
    pub fn has_gaps(&self) -> bool {
        match (self.size(), self.sort()) {
            (Some(size), Sort::Bits(width)) => width < 64 && size < 1 << width,
            _ => false,
        }
    }

    /// The value that a word stands for, as NuSMV writes it.
    pub fn show(&self, bits: &Bits) -> String {
        let code = bits.to_u64().unwrap_or(0);
        let out = || format!("?{code}");
        match self {
            Domain::Boolean => if bits.is_zero() { "FALSE" } else { "TRUE" }.into(),
            Domain::Range(low, _) => i64::try_from(code).map_or_else(|_| out(), |code| (low + code).to_string()),
            Domain::Numbers(numbers) => numbers.get(code as usize).map_or_else(out, i64::to_string),
            Domain::Symbols(constants) => constants.get(code as usize).map_or_else(out, Constant::to_string),
            Domain::Word { signed, width } | Domain::Words { signed, width, .. } => {
                let (sign, magnitude) = match (signed, bits.sign()) {
                    (true, true) => ("-", bits.neg()),
                    _ => ("", bits.clone()),
                };
                format!("{sign}0{}d{width}_{}", if *signed { 's' } else { 'u' }, decimal(&magnitude))
            }
        }
    }
}

/// An unsigned number.
fn decimal(bits: &Bits) -> String {
    if let Some(value) = bits.to_u64() {
        return value.to_string();
    }
    let mut digits = vec![];
    let (mut rest, ten) = (bits.clone(), Bits::from_u64(bits.width(), 10));
    while !rest.is_zero() {
        let (quotient, digit) = rest.divide(&ten);
        digits.push(digit.to_u64().unwrap_or(0).to_string());
        rest = quotient;
    }
    digits.reverse();
    digits.concat()
}

impl fmt::Display for Constant {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Constant::Number(value) => write!(f, "{value}"),
            Constant::Symbol(name) => write!(f, "{name}"),
            Constant::Boolean(value) => write!(f, "{}", if *value { "TRUE" } else { "FALSE" }),
        }
    }
}

impl fmt::Display for Domain {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Domain::Boolean => write!(f, "boolean"),
            Domain::Range(low, high) => write!(f, "{low}..{high}"),
            Domain::Numbers(numbers) => {
                write!(f, "{{{}}}", numbers.iter().map(i64::to_string).collect::<Vec<_>>().join(", "))
            }
            Domain::Symbols(constants) => {
                write!(f, "{{{}}}", constants.iter().map(Constant::to_string).collect::<Vec<_>>().join(", "))
            }
            Domain::Word { signed, width } => {
                write!(f, "{} word[{width}]", if *signed { "signed" } else { "unsigned" })
            }
            Domain::Words { index, signed, width } => {
                write!(f, "array word[{index}] of {} word[{width}]", if *signed { "signed" } else { "unsigned" })
            }
        }
    }
}
