//! A formula in conjunctive normal form: clauses one after the other in one flat array.

use super::{Lit, Var};

#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Cnf {
    literals: Vec<Lit>,
    /// Where each clause ends in `literals`; the next one starts there.
    ends: Vec<usize>,
    variables: u32,
}

impl Cnf {
    pub fn new_var(&mut self) -> Var {
        let var = Var(self.variables);
        self.variables += 1;
        var
    }

    pub fn new_vars(&mut self, count: usize) -> Vec<Var> {
        (0..count).map(|_| self.new_var()).collect()
    }

    /// The number of variables; they are numbered from 0.
    pub fn variables(&self) -> usize {
        self.variables as usize
    }

    /// Takes any literals; their variables count as the formula's from now on.
    pub fn add_clause(&mut self, clause: &[Lit]) {
        self.literals.extend_from_slice(clause);
        self.ends.push(self.literals.len());
        let above = clause.iter().map(|lit| lit.var().0 + 1).max();
        self.variables = self.variables.max(above.unwrap_or(0));
    }

    /// Both clauses of `a <-> b`.
    pub fn add_equal(&mut self, a: Lit, b: Lit) {
        self.add_clause(&[!a, b]);
        self.add_clause(&[a, !b]);
    }

    pub fn clauses(&self) -> impl ExactSizeIterator<Item = &[Lit]> {
        let mut start = 0;
        self.ends.iter().map(move |&end| {
            let clause = &self.literals[start..end];
            start = end;
            clause
        })
    }

    /// The number of clauses.
    pub fn len(&self) -> usize {
        self.ends.len()
    }

    pub fn is_empty(&self) -> bool {
        self.ends.is_empty()
    }

    /// The number of literals of all clauses together.
    pub fn literal_count(&self) -> usize {
        self.literals.len()
    }
}
