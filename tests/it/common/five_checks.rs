//! The five checks of a witness circuit, straight from their definition (Yu, Froleyks, Biere and Heljanko, "Towards
//! compositional hardware model checking certification", FMCAD 2023), from files to an answer of CaDiCaL.
//!
//! With R the resets, F the transition, C the constraints and P the property of the model, those of the witness
//! primed, and K the latches and inputs that the witness shares with the model:
//!
//! ```text
//! reset        R{K} and C             =>  R'{K} and C'
//! transition   F{K} and C0, C1, C'0   =>  F'{K} and C'1
//! property     C and C'               =>  (P' => P)
//! base         R' and C'              =>  P'
//! step         P'0, F', C'0 and C'1   =>  P'1
//! ```

use redoubt_clauses::cnf::Lit;
use redoubt_clauses::sat::{Answer, Backend, Solver};

use super::aiger::File;

/// A copy of a file's logic in a solver: a literal for each variable.
struct Copy(Vec<Lit>);

impl Copy {
    fn lit(&self, literal: usize) -> Lit {
        let lit = self.0[literal / 2];
        if literal % 2 == 1 { !lit } else { lit }
    }

    /// Over these literals for inputs and latches.
    fn new(file: &File, leaves: &[Lit], solver: &mut dyn Solver) -> Copy {
        let falsity = solver.new_var().positive();
        solver.add_clause(&[!falsity]);
        let mut copy = Copy(vec![falsity]);
        copy.0.extend(leaves);
        for &[a, b] in &file.gates {
            let gate = solver.new_var().positive();
            let (a, b) = (copy.lit(a), copy.lit(b));
            solver.add_clause(&[!gate, a]);
            solver.add_clause(&[!gate, b]);
            solver.add_clause(&[gate, !a, !b]);
            copy.0.push(gate);
        }
        copy
    }
}

/// A model and its witness, with what they share.
struct Pair {
    model: File,
    witness: File,
    /// For each input and latch of the witness, the variable of the model that it simulates, if it does.
    shared: Vec<Option<usize>>,
}

/// Both at one position, over the same leaves where they share them.
struct Position {
    model: Copy,
    witness: Copy,
}

struct Query<'a> {
    pair: &'a Pair,
    solver: Box<dyn Solver>,
}

/// Which of the five checks fails, if any; these properties of the model are the certified ones.
pub fn failing(model: &[u8], witness: &[u8], properties: &[usize]) -> Option<&'static str> {
    let pair = Pair::new(File::read_any(model), File::read_any(witness));
    let checks: [(&str, bool); 5] = [
        ("reset", pair.reset()),
        ("transition", pair.transition()),
        ("property", pair.property(properties)),
        ("base", pair.base()),
        ("step", pair.step()),
    ];
    checks.into_iter().find(|&(_, holds)| !holds).map(|(name, _)| name)
}

impl Pair {
    fn new(model: File, witness: File) -> Pair {
        assert_eq!(witness.bad.len(), 1, "a witness circuit has one property");
        let mut shared = vec![None; witness.inputs + witness.latches.len()];
        for symbol in &witness.symbols {
            let (place, literal) = symbol.split_once(" = ").expect("every symbol says what is simulated");
            let index: usize = place[1..].parse().expect("a position");
            let offset = if place.starts_with('l') { witness.inputs } else { 0 };
            shared[offset + index] = Some(literal.parse::<usize>().expect("a literal") / 2);
        }
        // More is allowed, but not written by us; and a leaf that is simulated twice would be a mistake.
        let mut sorted: Vec<usize> = shared.iter().copied().flatten().collect();
        sorted.sort_unstable();
        assert!(sorted.into_iter().eq(1..=model.inputs + model.latches.len()), "all leaves are shared, each once");
        Pair { model, witness, shared }
    }

    fn query(&self) -> Query<'_> {
        Query { pair: self, solver: Backend::Cadical.solver() }
    }

    fn reset(&self) -> bool {
        let mut query = self.query();
        let at = query.position();
        query.assume_resets(&self.model, &at.model);
        query.assume_all(&self.model.constraints, &at.model);
        query.implies(&resets(&self.witness, &at.witness, |latch| self.simulates(latch)))
            && query.implies(&lits(&self.witness.constraints, &at.witness))
    }

    fn transition(&self) -> bool {
        let mut query = self.query();
        let (now, then) = (query.position(), query.position());
        query.assume_step(&self.model, &now.model, &then.model);
        query.assume_all(&self.model.constraints, &now.model);
        query.assume_all(&self.model.constraints, &then.model);
        query.assume_all(&self.witness.constraints, &now.witness);
        let mut all = query.implies(&lits(&self.witness.constraints, &then.witness));
        for (&[next, _], latch) in self.witness.latches.iter().zip(self.witness.inputs + 1..) {
            if !self.simulates(latch) {
                continue;
            }
            let (next, latch) = (now.witness.lit(next), then.witness.lit(2 * latch));
            all &= query.refutes(&[next, !latch]) && query.refutes(&[!next, latch]);
        }
        all
    }

    /// Whether this variable of the witness, an input or a latch, is one of the model.
    fn simulates(&self, variable: usize) -> bool {
        self.shared[variable - 1].is_some()
    }

    fn property(&self, properties: &[usize]) -> bool {
        let mut query = self.query();
        let at = query.position();
        query.assume_all(&self.model.constraints, &at.model);
        query.assume_all(&self.witness.constraints, &at.witness);
        query.solver.add_clause(&[!at.witness.lit(self.witness.bad[0])]);
        properties.iter().all(|&property| query.refutes(&[at.model.lit(self.model.bad[property])]))
    }

    fn base(&self) -> bool {
        let mut query = self.query();
        let at = query.position();
        query.assume_resets(&self.witness, &at.witness);
        query.assume_all(&self.witness.constraints, &at.witness);
        query.refutes(&[at.witness.lit(self.witness.bad[0])])
    }

    fn step(&self) -> bool {
        let mut query = self.query();
        let (now, then) = (query.position(), query.position());
        query.assume_step(&self.witness, &now.witness, &then.witness);
        query.assume_all(&self.witness.constraints, &now.witness);
        query.assume_all(&self.witness.constraints, &then.witness);
        let bad = self.witness.bad[0];
        query.refutes(&[!now.witness.lit(bad), then.witness.lit(bad)])
    }
}

fn lits(literals: &[usize], at: &Copy) -> Vec<Lit> {
    literals.iter().map(|&literal| at.lit(literal)).collect()
}

/// The condition that every latch which has a reset value, and counts, has it.
fn resets(file: &File, at: &Copy, counts: impl Fn(usize) -> bool) -> Vec<Lit> {
    let latches = file.latches.iter().zip(file.inputs + 1..);
    let fixed = latches.filter(|&(&[_, reset], latch)| reset < 2 && counts(latch));
    fixed.map(|(&[_, reset], latch)| at.lit(2 * latch + 1 - reset)).collect()
}

impl Query<'_> {
    fn position(&mut self) -> Position {
        let leaves = self.pair.model.inputs + self.pair.model.latches.len();
        let model: Vec<Lit> = (0..leaves).map(|_| self.solver.new_var().positive()).collect();
        let shared = |&variable: &Option<usize>| match variable {
            Some(variable) => model[variable - 1],
            None => self.solver.new_var().positive(),
        };
        let witness: Vec<Lit> = self.pair.shared.iter().map(shared).collect();
        Position {
            model: Copy::new(&self.pair.model, &model, self.solver.as_mut()),
            witness: Copy::new(&self.pair.witness, &witness, self.solver.as_mut()),
        }
    }

    fn assume_all(&mut self, literals: &[usize], at: &Copy) {
        lits(literals, at).into_iter().for_each(|lit| self.solver.add_clause(&[lit]));
    }

    fn assume_resets(&mut self, file: &File, at: &Copy) {
        resets(file, at, |_| true).into_iter().for_each(|lit| self.solver.add_clause(&[lit]));
    }

    fn assume_step(&mut self, file: &File, now: &Copy, then: &Copy) {
        for (&[next, _], latch) in file.latches.iter().zip(file.inputs + 1..) {
            let (next, latch) = (now.lit(next), then.lit(2 * latch));
            self.solver.add_clause(&[!next, latch]);
            self.solver.add_clause(&[next, !latch]);
        }
    }

    fn refutes(&mut self, assumptions: &[Lit]) -> bool {
        self.solver.solve(assumptions) == Answer::Unsatisfiable
    }

    fn implies(&mut self, all: &[Lit]) -> bool {
        all.iter().all(|&lit| self.refutes(&[!lit]))
    }
}
