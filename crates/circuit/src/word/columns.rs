//! Sums of many weighted bits, modulo a power of two: bits sorted by weight in, a word out.
//!
//! Full adders take three bits of a column to one, and a carry in the next (Dadda 1965). How many
//! that takes does not depend on the order; oldest first keeps the circuit shallow.

use std::collections::VecDeque;

use super::add::full_adder;
use super::{Aig, Signal, Word};

pub(super) struct Columns {
    columns: Vec<VecDeque<Signal>>,
    /// A constant part of the sum, from the lowest bit.
    constant: Vec<bool>,
}

impl Columns {
    pub(super) fn new(width: usize) -> Columns {
        Columns { columns: vec![VecDeque::new(); width], constant: vec![false; width] }
    }

    /// Adds `bit * 2^weight`.
    pub(super) fn add(&mut self, bit: Signal, weight: usize) {
        if bit != Signal::FALSE
            && let Some(column) = self.columns.get_mut(weight)
        {
            column.push_back(bit);
        }
    }

    /// Subtracts `bit * 2^weight`, as `!bit * 2^weight - 2^weight`.
    pub(super) fn subtract(&mut self, bit: Signal, weight: usize) {
        if weight + 1 == self.columns.len() {
            // In the top column the sign is lost in the wrap.
            self.add(bit, weight);
        } else if bit != Signal::FALSE {
            self.add(!bit, weight);
            self.subtract_power(weight);
        }
    }

    /// Adds a number that is not negative.
    pub(super) fn add_constant(&mut self, number: u128) {
        let ones = (0..128).filter(|weight| number >> weight & 1 == 1);
        for weight in ones {
            self.ripple(weight, true);
        }
    }

    fn subtract_power(&mut self, weight: usize) {
        self.ripple(weight, false);
    }

    /// Flips the constant's bits from `weight` up, until one that differs from `through` takes the carry
    /// or borrow.
    fn ripple(&mut self, weight: usize, through: bool) {
        for bit in self.constant.iter_mut().skip(weight) {
            *bit = !*bit;
            if *bit == through {
                break;
            }
        }
    }

    pub(super) fn sum(mut self, gates: &mut Aig) -> Word {
        for weight in 0..self.constant.len() {
            self.add(Signal::constant(self.constant[weight]), weight);
        }
        let mut sum = Word::with_capacity(self.columns.len());
        for weight in 0..self.columns.len() {
            let mut column = std::mem::take(&mut self.columns[weight]);
            while column.len() > 1 {
                let mut take = || column.pop_front().unwrap_or(Signal::FALSE);
                let (a, b, c) = (take(), take(), take());
                if weight + 1 < self.columns.len() {
                    let (low, carry) = full_adder(gates, a, b, c);
                    column.push_back(low);
                    self.add(carry, weight + 1);
                } else {
                    let half = gates.xor(a, b);
                    column.push_back(gates.xor(half, c));
                }
            }
            sum.push(column.pop_front().unwrap_or(Signal::FALSE));
        }
        sum
    }
}
