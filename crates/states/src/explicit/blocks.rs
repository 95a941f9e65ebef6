//! Rows of one width, one behind the other, in blocks that never move.
//!
//! A vector that grows by being copied takes twice its memory for a moment, which is most where it hurts most.

use std::collections::TryReserveError;

/// The most bytes of a block, unless a single row takes more.
const BLOCK: usize = 1 << 16;

#[derive(Clone, Debug)]
pub struct Blocks<T> {
    width: usize,
    /// The logarithm of the number of rows in a block.
    shift: u32,
    /// All but the last are full or were made room for.
    blocks: Vec<Vec<T>>,
    len: usize,
}

impl<T: Copy> Blocks<T> {
    /// No rows, of `width` columns.
    pub fn new(width: usize) -> Blocks<T> {
        let row = (width * size_of::<T>()).max(1);
        Blocks { width, shift: (BLOCK / row).checked_ilog2().unwrap_or(0), blocks: vec![], len: 0 }
    }

    pub fn width(&self) -> usize {
        self.width
    }

    /// The number of rows.
    pub fn len(&self) -> usize {
        self.len
    }

    /// The number of bytes that it takes.
    pub fn bytes(&self) -> usize {
        self.bytes_of(self.blocks.len())
    }

    /// The number of bytes that it takes once it has room for `rows` rows.
    pub fn bytes_with(&self, rows: usize) -> usize {
        self.bytes_of(self.blocks_for(rows).max(self.blocks.len()))
    }

    fn bytes_of(&self, blocks: usize) -> usize {
        (blocks << self.shift) * self.width * size_of::<T>()
    }

    fn blocks_for(&self, rows: usize) -> usize {
        rows.div_ceil(1 << self.shift)
    }

    /// Makes room for `rows` rows in all, if the system has any.
    pub fn try_reserve(&mut self, rows: usize) -> Result<(), TryReserveError> {
        while self.blocks.len() < self.blocks_for(rows) {
            let mut block = vec![];
            block.try_reserve_exact(self.width << self.shift)?;
            self.blocks.try_reserve(1)?;
            self.blocks.push(block);
        }
        Ok(())
    }

    /// There must be room.
    pub fn push(&mut self, row: &[T]) {
        debug_assert_eq!(row.len(), self.width);
        self.blocks[self.len >> self.shift].extend_from_slice(row);
        self.len += 1;
    }

    pub fn row(&self, number: usize) -> &[T] {
        let start = self.start(number);
        &self.blocks[number >> self.shift][start..start + self.width]
    }

    pub fn row_mut(&mut self, number: usize) -> &mut [T] {
        let start = self.start(number);
        &mut self.blocks[number >> self.shift][start..start + self.width]
    }

    /// Where a row begins in its block.
    fn start(&self, number: usize) -> usize {
        (number & ((1 << self.shift) - 1)) * self.width
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_stay_where_they_are() {
        let mut rows = Blocks::<u32>::new(3);
        let row = |number: u32| [number, !number, number / 7];
        let block = 1 << 12;
        let count = 2 * block + 5;
        for number in 0..count {
            assert_eq!(rows.bytes_with(number + 1), (number / block + 1) * block * 12);
            rows.try_reserve(number + 1).expect("little is asked for");
            rows.push(&row(number as u32));
        }
        assert_eq!((rows.len(), rows.bytes(), rows.bytes_with(1)), (count, 3 * block * 12, 3 * block * 12));
        let address = rows.row(0).as_ptr();
        rows.try_reserve(4 * block).expect("little is asked for");
        rows.row_mut(block)[1] = 5;
        assert_eq!((rows.row(0).as_ptr(), rows.bytes()), (address, 4 * block * 12));
        assert!((0..count).filter(|&number| number != block).all(|number| rows.row(number) == row(number as u32)));
        assert_eq!(rows.row(block), [block as u32, 5, block as u32 / 7]);
    }

    #[test]
    fn blocks_of_wide_rows_have_few() {
        for width in [1, 2, 3, 1000, BLOCK / 8, BLOCK / 8 + 1, BLOCK] {
            let mut rows = Blocks::<u64>::new(width);
            assert_eq!((rows.bytes(), rows.bytes_with(0)), (0, 0));
            assert!((BLOCK / 2..=BLOCK.max(8 * width)).contains(&rows.bytes_with(1)), "width {width}");
            for number in 0..5 {
                rows.try_reserve(number + 1).expect("little is asked for");
                rows.push(&vec![number as u64; width]);
            }
            assert!((0..5).all(|number| rows.row(number).iter().all(|&word| word == number as u64)), "width {width}");
        }
    }
}
