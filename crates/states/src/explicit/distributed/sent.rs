//! The states that were sent lately: most successors have been found before, and need not be sent again.

/// As many states are remembered, a power of two.
const SLOTS: usize = 1 << 14;
/// Hash, layer and parent stand before a row.
const HEAD: usize = 3;

/// Rows at the places of their hashes, each until another takes its place.
pub struct Sent {
    slots: Vec<u64>,
    width: usize,
}

impl Sent {
    pub fn new(words: usize) -> Sent {
        let width = HEAD + words;
        Sent { slots: vec![0; SLOTS * width], width }
    }

    /// Whether a state has to be sent: not if its owner knows it from an earlier layer, or from this one and from a lesser parent. Layers
    /// are counted from 1.
    pub fn is_news(&mut self, hash: u64, layer: u64, parent: u64, row: &[u64]) -> bool {
        let at = hash as usize % SLOTS * self.width;
        let (head, known) = self.slots[at..at + self.width].split_at_mut(HEAD);
        if head[1] != 0 && head[0] == hash && known == row && (head[1] < layer || head[2] <= parent) {
            return false;
        }
        head.copy_from_slice(&[hash, layer, parent]);
        known.copy_from_slice(row);
        true
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_what_says_something_new_is_sent() {
        let mut sent = Sent::new(2);
        assert!(sent.is_news(7, 1, 5, &[0, 0]));
        assert!(!sent.is_news(7, 1, 5, &[0, 0]) && !sent.is_news(7, 1, 6, &[0, 0]));
        assert!(sent.is_news(7, 1, 4, &[0, 0]), "a lesser parent in the same layer");
        assert!(!sent.is_news(7, 2, 1, &[0, 0]), "known from a layer before");
        assert!(sent.is_news(7, 2, 1, &[0, 1]), "another state with the same hash");
        assert!(sent.is_news(7, 2, 1, &[0, 0]), "its place was taken");
    }
}
