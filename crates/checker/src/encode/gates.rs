//! Gates as clauses, in the way of Tseitin (1968): a variable for each gate, and clauses that define it.

use std::ops::Not;

use rustc_hash::FxHashMap;

/// A literal: a variable's number, counted from 1, negative if it is negated. Variable 1 is always true.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Lit(pub i32);

impl Lit {
    pub const TRUE: Lit = Lit(1);
    pub const FALSE: Lit = Lit(-1);

    pub fn constant(value: bool) -> Lit {
        if value { Lit::TRUE } else { Lit::FALSE }
    }
}

impl Not for Lit {
    type Output = Lit;

    fn not(self) -> Lit {
        Lit(-self.0)
    }
}

/// The clauses so far.
#[derive(Debug)]
pub struct Gates {
    variables: i32,
    /// The required clauses, each ended by a 0.
    pub required: Vec<i32>,
    /// The definitions of gates in the same form, and where each variable's begins and ends.
    definitions: Vec<i32>,
    defined: Vec<(usize, usize)>,
    ands: FxHashMap<(Lit, Lit), Lit>,
    xors: FxHashMap<(Lit, Lit), Lit>,
    anys: FxHashMap<Box<[Lit]>, Lit>,
}

impl Default for Gates {
    fn default() -> Gates {
        Gates {
            variables: 1,
            required: vec![1, 0],
            definitions: vec![],
            defined: vec![(0, 0); 2],
            ands: FxHashMap::default(),
            xors: FxHashMap::default(),
            anys: FxHashMap::default(),
        }
    }
}

impl Gates {
    pub fn fresh(&mut self) -> Lit {
        self.variables += 1;
        self.defined.push((0, 0));
        Lit(self.variables)
    }

    pub fn variables(&self) -> i32 {
        self.variables
    }

    /// At least one of the literals holds.
    pub fn require(&mut self, clause: &[Lit]) {
        self.required.extend(clause.iter().map(|lit| lit.0));
        self.required.push(0);
    }

    /// A new gate, and the clauses that define it.
    fn gate(&mut self, clauses: impl FnOnce(Lit, &mut dyn FnMut(&[Lit]))) -> Lit {
        let gate = self.fresh();
        let start = self.definitions.len();
        clauses(gate, &mut |clause| {
            self.definitions.extend(clause.iter().map(|lit| lit.0));
            self.definitions.push(0);
        });
        self.defined[gate.0 as usize] = (start, self.definitions.len());
        gate
    }

    /// All clauses.
    pub fn clauses(&self) -> impl Iterator<Item = i32> + '_ {
        self.definitions.iter().chain(&self.required).copied()
    }

    /// The clauses that define a variable, each ended by a 0; none for one that may have any value.
    pub fn definition(&self, variable: i32) -> &[i32] {
        let (start, end) = self.defined[variable as usize];
        &self.definitions[start..end]
    }

    pub fn and(&mut self, a: Lit, b: Lit) -> Lit {
        let (a, b) = (a.min(b), a.max(b));
        if a == Lit::FALSE || b == Lit::FALSE || a == !b {
            return Lit::FALSE;
        }
        if a == Lit::TRUE || a == b {
            return b;
        }
        if b == Lit::TRUE {
            return a;
        }
        if let Some(&known) = self.ands.get(&(a, b)) {
            return known;
        }
        let gate = self.gate(|gate, add| {
            add(&[!gate, a]);
            add(&[!gate, b]);
            add(&[gate, !a, !b]);
        });
        self.ands.insert((a, b), gate);
        gate
    }

    pub fn or(&mut self, a: Lit, b: Lit) -> Lit {
        !self.and(!a, !b)
    }

    pub fn xor(&mut self, a: Lit, b: Lit) -> Lit {
        let is_constant = |lit: Lit| lit.0.abs() == 1;
        match (a, b) {
            _ if a == b => return Lit::FALSE,
            _ if a == !b => return Lit::TRUE,
            _ if is_constant(a) => return if a == Lit::TRUE { !b } else { b },
            _ if is_constant(b) => return if b == Lit::TRUE { !a } else { a },
            _ => {}
        }
        let negated = (a.0 < 0) != (b.0 < 0);
        let (a, b) = (Lit(a.0.abs()), Lit(b.0.abs()));
        let (a, b) = (a.min(b), a.max(b));
        let gate = match self.xors.get(&(a, b)) {
            Some(&known) => known,
            None => {
                let gate = self.gate(|gate, add| {
                    add(&[!gate, a, b]);
                    add(&[!gate, !a, !b]);
                    add(&[gate, !a, b]);
                    add(&[gate, a, !b]);
                });
                self.xors.insert((a, b), gate);
                gate
            }
        };
        if negated { !gate } else { gate }
    }

    /// `condition ? then : otherwise`.
    pub fn choose(&mut self, condition: Lit, then: Lit, otherwise: Lit) -> Lit {
        if then == otherwise {
            return then;
        }
        let (yes, no) = (self.and(condition, then), self.and(!condition, otherwise));
        self.or(yes, no)
    }

    pub fn any(&mut self, lits: &[Lit]) -> Lit {
        let mut lits: Vec<Lit> = lits.iter().copied().filter(|&lit| lit != Lit::FALSE).collect();
        lits.sort_unstable();
        lits.dedup();
        match lits[..] {
            [] => Lit::FALSE,
            [only] => only,
            _ if lits.contains(&Lit::TRUE) => Lit::TRUE,
            [a, b] => self.or(a, b),
            _ => {
                if let Some(&known) = self.anys.get(&lits[..]) {
                    return known;
                }
                let gate = self.gate(|gate, add| {
                    lits.iter().for_each(|&lit| add(&[gate, !lit]));
                    add(&[&lits[..], &[!gate]].concat());
                });
                self.anys.insert(lits.into(), gate);
                gate
            }
        }
    }

    pub fn all(&mut self, lits: &[Lit]) -> Lit {
        let negated: Vec<Lit> = lits.iter().map(|&lit| !lit).collect();
        !self.any(&negated)
    }
}
