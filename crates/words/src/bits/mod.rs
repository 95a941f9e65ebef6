//! Bit-vectors of any width, as values: the arithmetic that circuits are compared with.
//!
//! All operators are total and wrap; where division by zero leaves a choice, it is SMT-LIB's.

mod arithmetic;
mod text;

pub use text::NotANumber;

/// Bits from the least significant, in limbs of 64; those above the width are 0.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Bits {
    width: u32,
    limbs: Vec<u64>,
}

const LIMB: u32 = u64::BITS;

impl Bits {
    pub fn zero(width: u32) -> Bits {
        Bits { width, limbs: vec![0; width.div_ceil(LIMB) as usize] }
    }

    pub fn ones(width: u32) -> Bits {
        Bits { width, limbs: vec![u64::MAX; width.div_ceil(LIMB) as usize] }.cut()
    }

    /// The low bits of a number.
    pub fn from_u64(width: u32, value: u64) -> Bits {
        let mut bits = Bits::zero(width);
        if let Some(low) = bits.limbs.first_mut() {
            *low = value;
        }
        bits.cut()
    }

    pub fn from_bool(value: bool) -> Bits {
        Bits::from_u64(1, u64::from(value))
    }

    /// From the least significant bit on.
    pub fn from_bools(values: impl ExactSizeIterator<Item = bool>) -> Bits {
        let mut bits = Bits::zero(values.len() as u32);
        for (index, value) in values.enumerate() {
            bits.limbs[index / LIMB as usize] |= u64::from(value) << (index as u32 % LIMB);
        }
        bits
    }

    pub fn width(&self) -> u32 {
        self.width
    }

    pub fn bit(&self, index: u32) -> bool {
        self.limbs[(index / LIMB) as usize] >> (index % LIMB) & 1 == 1
    }

    /// The most significant bit.
    pub fn sign(&self) -> bool {
        self.width > 0 && self.bit(self.width - 1)
    }

    pub fn is_zero(&self) -> bool {
        self.limbs.iter().all(|&limb| limb == 0)
    }

    /// The unsigned value, if it fits.
    pub fn to_u64(&self) -> Option<u64> {
        let (low, high) = self.limbs.split_first()?;
        high.iter().all(|&limb| limb == 0).then_some(*low)
    }

    /// Clears the bits above the width.
    fn cut(mut self) -> Bits {
        let used = self.width % LIMB;
        if let Some(top) = self.limbs.last_mut().filter(|_| used != 0) {
            *top &= (1 << used) - 1;
        }
        self
    }

    /// The bits `low..=high`.
    pub fn slice(&self, high: u32, low: u32) -> Bits {
        self.shr(u64::from(low)).resize(high - low + 1)
    }

    /// The bits of `self` above those of `low`.
    pub fn concat(&self, low: &Bits) -> Bits {
        let width = self.width + low.width;
        let high = self.resize(width).shl(u64::from(low.width));
        high.zip(&low.resize(width), |a, b| a | b)
    }

    /// Cuts the word, or puts zeros above it.
    pub fn resize(&self, width: u32) -> Bits {
        let mut limbs = self.limbs.clone();
        limbs.resize(width.div_ceil(LIMB) as usize, 0);
        Bits { width, limbs }.cut()
    }

    /// Cuts the word, or puts copies of its sign above it.
    pub fn resize_signed(&self, width: u32) -> Bits {
        if self.sign() { self.not().resize(width).not() } else { self.resize(width) }
    }

    fn zip(&self, other: &Bits, operator: impl Fn(u64, u64) -> u64) -> Bits {
        assert_eq!(self.width, other.width, "operands have the same width");
        let limbs = self.limbs.iter().zip(&other.limbs).map(|(&a, &b)| operator(a, b)).collect();
        Bits { width: self.width, limbs }.cut()
    }

    pub fn not(&self) -> Bits {
        Bits { width: self.width, limbs: self.limbs.iter().map(|limb| !limb).collect() }.cut()
    }

    pub fn and(&self, other: &Bits) -> Bits {
        self.zip(other, |a, b| a & b)
    }

    pub fn or(&self, other: &Bits) -> Bits {
        self.zip(other, |a, b| a | b)
    }

    pub fn xor(&self, other: &Bits) -> Bits {
        self.zip(other, |a, b| a ^ b)
    }

    pub fn parity(&self) -> bool {
        self.limbs.iter().map(|limb| limb.count_ones()).sum::<u32>() % 2 == 1
    }

    /// Whether the unsigned value is less.
    pub fn is_below(&self, other: &Bits) -> bool {
        assert_eq!(self.width, other.width, "operands have the same width");
        self.limbs.iter().rev().lt(other.limbs.iter().rev())
    }

    /// Whether the signed value is less.
    pub fn is_less(&self, other: &Bits) -> bool {
        match (self.sign(), other.sign()) {
            (true, false) => true,
            (false, true) => false,
            _ => self.is_below(other),
        }
    }
}
