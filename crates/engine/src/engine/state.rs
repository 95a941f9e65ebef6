//! Sets of states: literals over latches, cubes of them, and when one cube contains another.

use redoubt_circuit::{Latch, Reset};

/// "This latch has this value." Kept apart from [`crate::cnf::Lit`], which may also be about the next
/// state, an input or a gate.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct StateLit(u32);

impl StateLit {
    /// `latch` is the position in [`Circuit::latches`](redoubt_circuit::Circuit::latches).
    #[inline]
    pub fn new(latch: usize, value: bool) -> StateLit {
        let latch = u32::try_from(latch).expect("a circuit has at most 2^31 latches");
        StateLit(latch << 1 | u32::from(!value))
    }

    #[inline]
    pub fn latch(self) -> usize {
        (self.0 >> 1) as usize
    }

    #[inline]
    pub fn value(self) -> bool {
        self.0 & 1 == 0
    }

    /// Whether no reset state satisfies this literal.
    #[inline]
    pub fn contradicts_reset(self, latches: &[Latch]) -> bool {
        match latches[self.latch()].reset {
            Reset::Zero => self.value(),
            Reset::One => !self.value(),
            Reset::Free => false,
        }
    }
}

impl std::ops::Not for StateLit {
    type Output = StateLit;

    #[inline]
    fn not(self) -> StateLit {
        StateLit(self.0 ^ 1)
    }
}

impl std::fmt::Debug for StateLit {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let sign = if self.value() { "" } else { "!" };
        write!(f, "{sign}l{}", self.latch())
    }
}

/// A conjunction of state literals, sorted, no latch twice: the states that satisfy them all. Its
/// negation is a clause, a lemma if it holds for the states of a frame.
#[derive(Clone, PartialEq, Eq, Hash)]
pub struct Cube {
    lits: Vec<StateLit>,
    /// One bit per literal, by hash: a cube can contain only cubes whose signatures include its own.
    signature: u64,
}

impl Cube {
    pub fn new(mut lits: Vec<StateLit>) -> Cube {
        lits.sort_unstable();
        lits.dedup();
        let bit = |lit: &StateLit| 1u64 << (lit.0.wrapping_mul(0x9e37_79b1) >> 26);
        let signature = lits.iter().map(bit).fold(0, |all, one| all | one);
        Cube { lits, signature }
    }

    #[inline]
    pub fn lits(&self) -> &[StateLit] {
        &self.lits
    }

    #[inline]
    pub fn len(&self) -> usize {
        self.lits.len()
    }

    pub fn is_empty(&self) -> bool {
        self.lits.is_empty()
    }

    pub fn contains(&self, lit: StateLit) -> bool {
        self.lits.binary_search(&lit).is_ok()
    }

    pub fn without(&self, dropped: StateLit) -> Cube {
        self.filter(|lit| lit != dropped)
    }

    pub fn filter(&self, mut keep: impl FnMut(StateLit) -> bool) -> Cube {
        Cube::new(self.lits.iter().copied().filter(|&l| keep(l)).collect())
    }

    /// Whether every state of `other` is in this cube: its literals are among the other's. The lemma
    /// that blocks this cube then makes the one that blocks `other` redundant.
    #[inline]
    pub fn subsumes(&self, other: &Cube) -> bool {
        if self.signature & !other.signature != 0 || self.len() > other.len() {
            return false;
        }
        let mut rest = other.lits.iter();
        self.lits.iter().all(|lit| rest.any(|o| o == lit))
    }

    /// Whether some reset state is in the cube. Exact, as the reset states are themselves a cube over
    /// the latches that have a reset value.
    pub fn intersects_initial(&self, latches: &[Latch]) -> bool {
        !self.lits.iter().any(|lit| lit.contradicts_reset(latches))
    }
}

impl std::fmt::Debug for Cube {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        self.lits.fmt(f)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn cube(lits: &[i32]) -> Cube {
        let lit = |&l: &i32| StateLit::new(l.unsigned_abs() as usize, l > 0);
        Cube::new(lits.iter().map(lit).collect())
    }

    #[test]
    fn a_cube_subsumes_those_with_more_literals() {
        assert!(cube(&[]).subsumes(&cube(&[1])));
        assert!(cube(&[3, 1]).subsumes(&cube(&[1, -2, 3])));
        assert!(!cube(&[1, 2]).subsumes(&cube(&[1, -2, 3])));
        assert!(!cube(&[1, 2, 3]).subsumes(&cube(&[1, 2])));
    }
}
