//! Clauses in one array of words, so that a visit touches one stretch of memory.
//!
//! A clause is its size, its glue (0 unless it was learnt), then its literals by dense index. The first
//! two literals are the watched ones.

use crate::cnf::Lit;

/// The position of a clause's first literal.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ClauseRef(u32);

/// The clauses that have to be looked at when a literal becomes false. Two words: propagation mostly waits for these to
/// arrive from memory.
#[derive(Clone, Copy, Debug)]
pub struct Watch {
    /// Some other literal of the clause, the only other one if it is binary: if it is true, there is
    /// nothing to do.
    pub blocker: Lit,
    /// Twice the clause, plus one if it is binary.
    clause: u32,
}

impl Watch {
    pub fn new(clause: ClauseRef, blocker: Lit, binary: bool) -> Watch {
        Watch { blocker, clause: clause.0 << 1 | u32::from(binary) }
    }

    #[inline]
    pub fn clause(self) -> ClauseRef {
        ClauseRef(self.clause >> 1)
    }

    #[inline]
    pub fn is_binary(self) -> bool {
        self.clause & 1 == 1
    }
}

const HEADER: usize = 2;
/// In place of the glue.
const DELETED: u32 = u32::MAX;

#[derive(Default)]
pub struct Clauses {
    words: Vec<u32>,
    wasted: usize,
}

impl Clauses {
    pub fn add(&mut self, lits: &[Lit], glue: u32) -> ClauseRef {
        self.words.extend([lits.len() as u32, glue]);
        let start = u32::try_from(self.words.len()).expect("clauses take less than 8 GB");
        assert!(start <= u32::MAX >> 1, "clauses take less than 8 GB");
        self.words.extend(lits.iter().map(|lit| lit.index() as u32));
        ClauseRef(start)
    }

    #[inline]
    pub fn size(&self, clause: ClauseRef) -> usize {
        self.words[clause.0 as usize - HEADER] as usize
    }

    #[inline]
    pub fn lit(&self, clause: ClauseRef, position: usize) -> Lit {
        lit(self.words[clause.0 as usize + position])
    }

    pub fn lits(&self, clause: ClauseRef) -> impl Iterator<Item = Lit> {
        let start = clause.0 as usize;
        let words = &self.words[start..start + self.size(clause)];
        words.iter().map(|&word| lit(word))
    }

    #[inline]
    pub fn swap(&mut self, clause: ClauseRef, a: usize, b: usize) {
        let start = clause.0 as usize;
        self.words.swap(start + a, start + b);
    }

    pub fn glue(&self, clause: ClauseRef) -> u32 {
        self.words[clause.0 as usize - HEADER + 1]
    }

    /// The clause is gone once its watches have been dropped; the space once all have been compacted.
    pub fn delete(&mut self, clause: ClauseRef) {
        self.wasted += HEADER + self.size(clause);
        self.words[clause.0 as usize - HEADER + 1] = DELETED;
    }

    fn is_deleted(&self, clause: ClauseRef) -> bool {
        self.glue(clause) == DELETED
    }

    pub fn is_wasteful(&self) -> bool {
        self.wasted > self.words.len() / 3
    }

    /// All clauses that are not deleted.
    pub fn iter(&self) -> impl Iterator<Item = ClauseRef> {
        let mut at = HEADER;
        std::iter::from_fn(move || {
            if at > self.words.len() {
                return None;
            }
            let clause = ClauseRef(at as u32);
            at += self.size(clause) + HEADER;
            Some(clause)
        })
        .filter(|&clause| !self.is_deleted(clause))
    }
}

#[inline]
fn lit(word: u32) -> Lit {
    Lit::from_index(word as usize)
}
