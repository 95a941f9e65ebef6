//! Clauses: literals, formulas in conjunctive normal form, and the encodings of circuits into them.
//!
//! [`tseitin`] is the plain encoding of a graph, [`compact`] the small one. With either, [`Transition`] turns a
//! circuit into the clauses of one step, and [`Frame`] does so with a literal per state variable that says
//! whether the step wrote it; [`dimacs`] writes them down.

pub mod compact;
pub mod dimacs;
mod formula;
mod frame;
mod literals;
#[cfg(test)]
mod sizes;
#[cfg(test)]
mod snapshots;
#[cfg(test)]
mod tests;
mod transition;
pub mod tseitin;

pub use compact::Polarity;
pub use formula::Cnf;
pub use frame::Frame;
pub use literals::Literals;
pub use transition::{Encoding, STOP, Transition, Uses};

/// A literal of a CNF formula: variable `v >= 0`, positive or negated.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Lit(u32);

/// A variable of a CNF formula, counted from 0 (DIMACS counts from 1).
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Var(pub u32);

impl Var {
    #[inline]
    pub fn positive(self) -> Lit {
        Lit(self.0 << 1)
    }

    #[inline]
    pub fn negative(self) -> Lit {
        Lit(self.0 << 1 | 1)
    }

    /// The literal that says this variable has value `value`.
    #[inline]
    pub fn literal(self, value: bool) -> Lit {
        Lit(self.0 << 1 | u32::from(!value))
    }

    #[inline]
    pub fn index(self) -> usize {
        self.0 as usize
    }
}

impl Lit {
    #[inline]
    pub fn var(self) -> Var {
        Var(self.0 >> 1)
    }

    #[inline]
    pub fn is_negative(self) -> bool {
        self.0 & 1 == 1
    }

    /// A dense index: twice the variable, plus one if negative.
    #[inline]
    pub fn index(self) -> usize {
        self.0 as usize
    }

    /// The literal with this dense index.
    #[inline]
    pub fn from_index(index: usize) -> Lit {
        Lit(u32::try_from(index).expect("a formula has at most 2^31 variables"))
    }

    /// The non-zero signed number that DIMACS and most solvers use.
    pub fn dimacs(self) -> i32 {
        let variable = (self.0 >> 1) as i32 + 1;
        if self.is_negative() { -variable } else { variable }
    }
}

impl std::ops::Not for Lit {
    type Output = Lit;

    #[inline]
    fn not(self) -> Lit {
        Lit(self.0 ^ 1)
    }
}

impl std::fmt::Debug for Lit {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{}", self.dimacs())
    }
}
