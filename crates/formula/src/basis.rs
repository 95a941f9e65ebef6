//! Formulas of branching time in EX, EU and EG alone, as numbered parts of which each occurs once.
//!
//! A position counts only if an infinite run begins there. Where that may fail, it is a part itself, EG true, and
//! written out: EX f is EX (f and fair), and EU is written in the same way.

use std::hash::Hash;

use redoubt_base::stack::grow;
use rustc_hash::FxHashMap;

use crate::branching::{Branching, Path};

/// The number of a part.
pub type Id = usize;

/// A part, over the numbers of others. EX, EU and EG begin with "on some run".
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Kind<A> {
    Constant(bool),
    Atom(A),
    Not(Id),
    And(Id, Id),
    Or(Id, Id),
    Next(Id),
    Until(Id, Id),
    Globally(Id),
}

/// The parts of formulas. A part comes after those that it consists of.
#[derive(Clone, Debug)]
pub struct Basis<A> {
    pub parts: Vec<Kind<A>>,
    numbers: FxHashMap<Kind<A>, Id>,
    /// Where a run without end begins.
    fair: Id,
}

impl<A: Copy + Eq + Hash> Basis<A> {
    /// `is_total`: such a run begins everywhere.
    pub fn new(is_total: bool) -> Basis<A> {
        let mut basis = Basis { parts: vec![], numbers: FxHashMap::default(), fair: 0 };
        let always = basis.always();
        basis.fair = if is_total { always } else { basis.globally(always) };
        basis
    }

    /// The condition on every first position: the formula holds there, or no run begins there.
    pub fn root(&mut self, formula: &Branching<A>) -> Id {
        let (formula, unfair) = (self.number(formula), self.not(self.fair));
        self.or(unfair, formula)
    }

    fn add(&mut self, kind: Kind<A>) -> Id {
        let parts = &mut self.parts;
        *self.numbers.entry(kind).or_insert_with(|| {
            parts.push(kind);
            parts.len() - 1
        })
    }

    pub fn always(&mut self) -> Id {
        self.add(Kind::Constant(true))
    }

    pub fn not(&mut self, of: Id) -> Id {
        match self.parts[of] {
            Kind::Constant(value) => self.add(Kind::Constant(!value)),
            Kind::Not(inner) => inner,
            _ => self.add(Kind::Not(of)),
        }
    }

    pub fn and(&mut self, a: Id, b: Id) -> Id {
        match (self.parts[a], self.parts[b]) {
            (Kind::Constant(true), _) | (_, Kind::Constant(false)) => b,
            (_, Kind::Constant(true)) | (Kind::Constant(false), _) => a,
            _ if a == b => a,
            _ => self.add(Kind::And(a, b)),
        }
    }

    pub fn or(&mut self, a: Id, b: Id) -> Id {
        match (self.parts[a], self.parts[b]) {
            (Kind::Constant(false), _) | (_, Kind::Constant(true)) => b,
            (_, Kind::Constant(false)) | (Kind::Constant(true), _) => a,
            _ if a == b => a,
            _ => self.add(Kind::Or(a, b)),
        }
    }

    pub fn next(&mut self, of: Id) -> Id {
        let of = self.and(of, self.fair);
        self.add(Kind::Next(of))
    }

    pub fn until(&mut self, a: Id, b: Id) -> Id {
        let b = self.and(b, self.fair);
        self.add(Kind::Until(a, b))
    }

    pub fn globally(&mut self, of: Id) -> Id {
        self.add(Kind::Globally(of))
    }

    /// The number of a formula.
    pub fn number(&mut self, formula: &Branching<A>) -> Id {
        grow(|| match formula {
            Branching::Constant(value) => self.add(Kind::Constant(*value)),
            Branching::Atom(atom) => self.add(Kind::Atom(*atom)),
            Branching::Not(inner) => {
                let inner = self.number(inner);
                self.not(inner)
            }
            Branching::And(a, b) => {
                let (a, b) = (self.number(a), self.number(b));
                self.and(a, b)
            }
            Branching::Or(a, b) => {
                let (a, b) = (self.number(a), self.number(b));
                self.or(a, b)
            }
            Branching::Exists(path) => self.some_run(path),
            Branching::All(path) => {
                let without = self.some_run_without(path);
                self.not(without)
            }
        })
    }

    fn some_run(&mut self, path: &Path<A>) -> Id {
        let parts: Vec<Id> = path.operands().into_iter().map(|part| self.number(part)).collect();
        match path {
            Path::Next(_) => self.next(parts[0]),
            Path::Finally(_) => {
                let always = self.always();
                self.until(always, parts[0])
            }
            Path::Globally(_) => self.globally(parts[0]),
            Path::Until(..) => self.until(parts[0], parts[1]),
        }
    }

    /// There is a run that is not like this.
    fn some_run_without(&mut self, path: &Path<A>) -> Id {
        let parts: Vec<Id> = path.operands().into_iter().map(|part| self.number(part)).collect();
        let parts: Vec<Id> = parts.into_iter().map(|part| self.not(part)).collect();
        match path {
            Path::Next(_) => self.next(parts[0]),
            Path::Finally(_) => self.globally(parts[0]),
            Path::Globally(_) => {
                let always = self.always();
                self.until(always, parts[0])
            }
            // Either b never comes, or something that is neither a nor b comes before it.
            Path::Until(..) => {
                let neither = self.and(parts[0], parts[1]);
                let (broken, never) = (self.until(parts[1], neither), self.globally(parts[1]));
                self.or(broken, never)
            }
        }
    }
}
