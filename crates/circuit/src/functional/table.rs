//! Truth tables over a list of leaves.

/// Functions of more leaves have no table.
const MOST_LEAVES: usize = 14;

/// The function of a signal: which leaves it depends on, and its value for each of their combinations. The
/// first leaf is the fastest to change. A function of fewer than six leaves repeats within its one word.
#[derive(Clone, PartialEq, Eq, Hash)]
pub struct Table {
    pub support: Vec<u32>,
    pub words: Vec<u64>,
}

/// The truth table of the `index`-th of six variables in a word.
const VARIABLES: [u64; 6] = [
    0xaaaa_aaaa_aaaa_aaaa,
    0xcccc_cccc_cccc_cccc,
    0xf0f0_f0f0_f0f0_f0f0,
    0xff00_ff00_ff00_ff00,
    0xffff_0000_ffff_0000,
    0xffff_ffff_0000_0000,
];

/// The table of a conjunction, unless it has too many leaves.
pub fn conjunction(a: Table, b: Table) -> Option<Table> {
    let mut support = [a.support.as_slice(), &b.support].concat();
    support.sort_unstable();
    support.dedup();
    if support.len() > MOST_LEAVES {
        return None;
    }
    let (a, b) = (a.widened(&support), b.widened(&support));
    let words = a.words.iter().zip(&b.words).map(|(a, b)| a & b).collect();
    Some(Table { support, words }.narrowed())
}

impl Table {
    pub fn leaf(leaf: u32) -> Table {
        Table { support: vec![leaf], words: vec![VARIABLES[0]] }
    }

    pub fn constant(value: bool) -> Table {
        Table { support: vec![], words: vec![if value { !0 } else { 0 }] }
    }

    /// The value, if the function depends on nothing.
    pub fn as_constant(&self) -> Option<bool> {
        self.support.is_empty().then(|| self.words[0] & 1 == 1)
    }

    /// The function with one of its leaves false and true.
    pub fn cofactors(&self, place: usize) -> (Table, Table) {
        let fixed = |value: bool| {
            let words = match place {
                0..6 => {
                    let (variable, shift) = (VARIABLES[place], 1 << place);
                    let fix = |word: &u64| match value {
                        false => word & !variable | (word & !variable) << shift,
                        true => word & variable | (word & variable) >> shift,
                    };
                    self.words.iter().map(fix).collect()
                }
                _ => {
                    let block = 1 << (place - 6);
                    let half = if value { block..2 * block } else { 0..block };
                    let pairs = self.words.chunks(2 * block);
                    pairs.flat_map(|pair| [&pair[half.clone()], &pair[half.clone()]].concat()).collect()
                }
            };
            Table { support: self.support.clone(), words }.narrowed()
        };
        (fixed(false), fixed(true))
    }

    pub fn complement(&self) -> Table {
        Table { support: self.support.clone(), words: self.words.iter().map(|word| !word).collect() }
    }

    /// The same function with more leaves.
    fn widened(mut self, support: &[u32]) -> Table {
        for (place, leaf) in support.iter().enumerate() {
            if self.support.get(place) != Some(leaf) {
                self.insert(place);
                self.support.insert(place, *leaf);
            }
        }
        self
    }

    /// The same function without the leaves that it does not depend on.
    fn narrowed(mut self) -> Table {
        for place in (0..self.support.len()).rev() {
            if !self.depends_on(place) {
                self.remove(place);
                self.support.remove(place);
            }
        }
        self
    }

    fn depends_on(&self, place: usize) -> bool {
        match place {
            0..6 => {
                let (variable, shift) = (VARIABLES[place], 1 << place);
                self.words.iter().any(|word| (word & variable) >> shift != word & !variable)
            }
            _ => {
                let block = 1 << (place - 6);
                self.words.chunks(2 * block).any(|pair| pair[..block] != pair[block..])
            }
        }
    }

    /// Makes room for a leaf that the function does not depend on.
    fn insert(&mut self, place: usize) {
        if place >= 6 {
            let block = 1 << (place - 6);
            self.words = self.words.chunks(block).flat_map(|chunk| [chunk, chunk].concat()).collect();
            return;
        }
        let leaves = self.support.len();
        let spread = |half: u64| {
            // The groups of bits below the new leaf, each one twice.
            let (group, mask) = (1 << place, (1u64 << (1 << place)) - 1);
            (0..64 / (2 * group)).fold(0, |word, index| {
                let bits = half >> (index * group) & mask;
                word | bits << (2 * index * group) | bits << ((2 * index + 1) * group)
            })
        };
        self.words = if leaves < 6 {
            vec![spread(self.words[0])]
        } else {
            self.words.iter().flat_map(|&word| [spread(word & 0xffff_ffff), spread(word >> 32)]).collect()
        };
    }

    /// Takes out a leaf that the function does not depend on.
    fn remove(&mut self, place: usize) {
        if place >= 6 {
            let block = 1 << (place - 6);
            self.words = self.words.chunks(2 * block).flat_map(|pair| pair[..block].to_vec()).collect();
            return;
        }
        let gather = |word: u64| {
            let (group, mask) = (1 << place, (1u64 << (1 << place)) - 1);
            (0..64 / (2 * group)).fold(0, |half, index| half | (word >> (2 * index * group) & mask) << (index * group))
        };
        self.words = match self.words.as_slice() {
            // The remainder repeats within the word.
            [only] => vec![gather(*only) | gather(*only) << 32],
            words => words.chunks(2).map(|pair| gather(pair[0]) | gather(pair[1]) << 32).collect(),
        };
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::random::Random;

    #[test]
    fn leaves_can_be_inserted_and_removed_everywhere() {
        let mut random = Random::new(7);
        for leaves in 0..10usize {
            let words = (0..1usize << leaves.saturating_sub(6)).map(|_| random.bits()).collect();
            let mut table = Table { support: (0..leaves as u32).map(|leaf| 2 * leaf + 1).collect(), words };
            // Fewer than six leaves repeat within the word.
            for (unused, variable) in VARIABLES.iter().enumerate().skip(leaves) {
                let low = table.words[0] & !variable;
                table.words[0] = low | low << (1 << unused);
            }
            let narrow = table.clone().narrowed();
            for place in 0..=leaves {
                let mut support = narrow.support.clone();
                support.push(2 * place as u32);
                support.sort_unstable();
                let wide = narrow.clone().widened(&support);
                let at = support.iter().position(|&leaf| leaf == 2 * place as u32).unwrap();
                assert!(!wide.depends_on(at));
                assert!(wide.narrowed() == narrow);
            }
        }
    }
}
