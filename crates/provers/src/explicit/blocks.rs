//! Rows of one width, one behind the other, in blocks that never move.
//!
//! A vector that grows by being copied takes twice its memory for a moment, which is most where it hurts most.

use std::collections::TryReserveError;

/// How many rows are in a block: a power of two.
const BLOCK: usize = 1 << 14;

#[derive(Clone, Debug)]
pub struct Blocks<T> {
    width: usize,
    /// All but the last are full or were made room for.
    blocks: Vec<Vec<T>>,
    len: usize,
}

impl<T: Copy> Blocks<T> {
    /// No rows, of so many columns.
    pub fn new(width: usize) -> Blocks<T> {
        Blocks { width, blocks: vec![], len: 0 }
    }

    pub fn width(&self) -> usize {
        self.width
    }

    /// How many rows there are.
    pub fn len(&self) -> usize {
        self.len
    }

    /// For how many rows there is room.
    pub fn capacity(&self) -> usize {
        self.blocks.len() * BLOCK
    }

    /// How many bytes a block takes.
    pub fn bytes_of_block(&self) -> usize {
        BLOCK * self.width * size_of::<T>()
    }

    pub fn bytes(&self) -> usize {
        self.blocks.len() * self.bytes_of_block()
    }

    /// Makes room for another block, if the system has any.
    pub fn try_grow(&mut self) -> Result<(), TryReserveError> {
        let mut block = vec![];
        block.try_reserve_exact(BLOCK * self.width)?;
        self.blocks.try_reserve(1)?;
        self.blocks.push(block);
        Ok(())
    }

    /// There must be room.
    pub fn push(&mut self, row: &[T]) {
        debug_assert_eq!(row.len(), self.width);
        self.blocks[self.len / BLOCK].extend_from_slice(row);
        self.len += 1;
    }

    pub fn row(&self, number: usize) -> &[T] {
        let start = number % BLOCK * self.width;
        &self.blocks[number / BLOCK][start..start + self.width]
    }

    pub fn row_mut(&mut self, number: usize) -> &mut [T] {
        let start = number % BLOCK * self.width;
        &mut self.blocks[number / BLOCK][start..start + self.width]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_stay_where_they_are() {
        let mut rows = Blocks::<u32>::new(3);
        let row = |number: u32| [number, !number, number / 7];
        let count = 2 * BLOCK + 5;
        for number in 0..count {
            if rows.len() == rows.capacity() {
                rows.try_grow().expect("little is asked for");
            }
            rows.push(&row(number as u32));
        }
        assert_eq!((rows.len(), rows.capacity(), rows.bytes()), (count, 3 * BLOCK, 3 * BLOCK * 12));
        let address = rows.row(0).as_ptr();
        rows.try_grow().expect("little is asked for");
        rows.row_mut(BLOCK)[1] = 5;
        assert_eq!(rows.row(0).as_ptr(), address);
        assert!((0..count).filter(|&number| number != BLOCK).all(|number| rows.row(number) == row(number as u32)));
        assert_eq!(rows.row(BLOCK), [BLOCK as u32, 5, BLOCK as u32 / 7]);
    }
}
