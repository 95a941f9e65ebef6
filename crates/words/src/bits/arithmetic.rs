//! Sums, products, quotients and shifts.

use super::{Bits, LIMB};

impl Bits {
    pub fn add(&self, other: &Bits) -> Bits {
        self.add_with_carry(other, false)
    }

    pub fn sub(&self, other: &Bits) -> Bits {
        self.add_with_carry(&other.not(), true)
    }

    pub fn neg(&self) -> Bits {
        Bits::zero(self.width).sub(self)
    }

    fn add_with_carry(&self, other: &Bits, mut carry: bool) -> Bits {
        assert_eq!(self.width, other.width, "operands have the same width");
        let mut limbs = Vec::with_capacity(self.limbs.len());
        for (&a, &b) in self.limbs.iter().zip(&other.limbs) {
            let (sum, over) = a.overflowing_add(b);
            let (sum, over_again) = sum.overflowing_add(u64::from(carry));
            limbs.push(sum);
            carry = over || over_again;
        }
        Bits { width: self.width, limbs }.cut()
    }

    pub fn mul(&self, other: &Bits) -> Bits {
        assert_eq!(self.width, other.width, "operands have the same width");
        let mut limbs = vec![0_u64; self.limbs.len()];
        for (low, &a) in self.limbs.iter().enumerate() {
            let mut carry = 0_u128;
            for (limb, &b) in limbs[low..].iter_mut().zip(&other.limbs) {
                let sum = u128::from(a) * u128::from(b) + u128::from(*limb) + carry;
                *limb = sum as u64;
                carry = sum >> LIMB;
            }
        }
        Bits { width: self.width, limbs }.cut()
    }

    /// Unsigned quotient and remainder. By zero the quotient has all bits set, and the remainder is the dividend.
    pub fn divide(&self, divisor: &Bits) -> (Bits, Bits) {
        if divisor.is_zero() {
            return (Bits::ones(self.width), self.clone());
        }
        // One bit more, since the remainder is doubled before it is compared.
        let divisor = divisor.resize(self.width + 1);
        let mut remainder = Bits::zero(self.width + 1);
        let mut quotient = Bits::zero(self.width);
        for index in (0..self.width).rev() {
            remainder = remainder.shl(1);
            remainder.limbs[0] |= u64::from(self.bit(index));
            if !remainder.is_below(&divisor) {
                remainder = remainder.sub(&divisor);
                quotient.limbs[(index / LIMB) as usize] |= 1 << (index % LIMB);
            }
        }
        (quotient, remainder.resize(self.width))
    }

    fn magnitude(&self) -> Bits {
        if self.sign() { self.neg() } else { self.clone() }
    }

    fn negated_if(self, condition: bool) -> Bits {
        if condition { self.neg() } else { self }
    }

    /// Signed quotient, toward zero. By zero it is -1, or 1 for a negative dividend.
    pub fn signed_div(&self, divisor: &Bits) -> Bits {
        let quotient = self.magnitude().divide(&divisor.magnitude()).0;
        quotient.negated_if(self.sign() != divisor.sign())
    }

    /// Signed remainder, with the sign of the dividend.
    pub fn signed_rem(&self, divisor: &Bits) -> Bits {
        self.magnitude().divide(&divisor.magnitude()).1.negated_if(self.sign())
    }

    /// Signed remainder, with the sign of the divisor.
    pub fn signed_mod(&self, divisor: &Bits) -> Bits {
        let remainder = self.signed_rem(divisor);
        let is_other = !remainder.is_zero() && remainder.sign() != divisor.sign() && !divisor.is_zero();
        if is_other { remainder.add(divisor) } else { remainder }
    }

    pub fn shl(&self, amount: u64) -> Bits {
        let mut shifted = Bits::zero(self.width);
        if amount < u64::from(self.width) {
            let (limbs, bits) = ((amount / u64::from(LIMB)) as usize, (amount % u64::from(LIMB)) as u32);
            for index in limbs..self.limbs.len() {
                let low = if bits > 0 && index > limbs { self.limbs[index - limbs - 1] >> (LIMB - bits) } else { 0 };
                shifted.limbs[index] = self.limbs[index - limbs] << bits | low;
            }
        }
        shifted.cut()
    }

    pub fn shr(&self, amount: u64) -> Bits {
        let mut shifted = Bits::zero(self.width);
        if amount < u64::from(self.width) {
            let (limbs, bits) = ((amount / u64::from(LIMB)) as usize, (amount % u64::from(LIMB)) as u32);
            for index in limbs..self.limbs.len() {
                let high = self.limbs.get(index + 1).filter(|_| bits > 0).map_or(0, |limb| limb << (LIMB - bits));
                shifted.limbs[index - limbs] = self.limbs[index] >> bits | high;
            }
        }
        shifted
    }

    /// A shift amount: one larger than the width shifts everything out.
    fn amount(&self) -> u64 {
        self.to_u64().unwrap_or(u64::MAX)
    }

    pub fn shift_left(&self, amount: &Bits) -> Bits {
        self.shl(amount.amount())
    }

    pub fn shift_right(&self, amount: &Bits) -> Bits {
        self.shr(amount.amount())
    }

    /// With copies of the sign from above.
    pub fn shift_right_signed(&self, amount: &Bits) -> Bits {
        if self.sign() { self.not().shift_right(amount).not() } else { self.shift_right(amount) }
    }

    /// Toward the most significant bit, by the amount modulo the width.
    pub fn rotate_left(&self, amount: &Bits) -> Bits {
        // Two bits more, so that the width itself fits.
        let wide = self.width.max(LIMB) + 2;
        let turns = amount.resize(wide).divide(&Bits::from_u64(wide, u64::from(self.width))).1.amount();
        self.shl(turns).or(&self.shr(u64::from(self.width) - turns))
    }

    pub fn rotate_right(&self, amount: &Bits) -> Bits {
        let wide = self.width.max(LIMB) + 2;
        let turns = amount.resize(wide).divide(&Bits::from_u64(wide, u64::from(self.width))).1.amount();
        self.shr(turns).or(&self.shl(u64::from(self.width) - turns))
    }
}
