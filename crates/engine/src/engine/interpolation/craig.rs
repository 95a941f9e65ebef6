//! Interpolants along a refutation (Craig 1957).
//!
//! The parts of a formula up to a *cut* are A, those after it B. An interpolant follows from A, contradicts B, and is about
//! the variables that both share. Each clause of a refutation gets a partial interpolant, and that of the empty clause
//! is the interpolant (`A` and `B` are the clauses given; a pivot is `A`-local if no clause of `B` has it, and so on):
//!
//! ```text
//!                      McMillan 2003                  Pudlak 1997
//! clause of A          its shared literals, or'ed     false
//! clause of B          true                           true
//! pivot A-local        I or J                         I or J
//! pivot B-local        I and J                        I and J
//! pivot x shared       I and J                        (x or I) and (not x or J)
//! ```
//!
//! McMillan's is the stronger one of the two, and the smaller graph. A clause derived from A alone counts as a clause
//! of A here, and one derived from B alone as one of B: it follows, so it might as well have been given. Most of a
//! proof needs no gates that way.
//!
//! The interpolants of one refutation at the cuts 0, 1, 2, ... are a *sequence*: each follows from the one before
//! together with the part between (McMillan 2006; Gurfinkel, Rollini and Sharygina 2013 for both systems).

use redoubt_circuit::{Aig, Signal};

use crate::cnf::{Lit, Var};
use crate::sat::refutation::{Origin, Refutation};

/// The way in which partial interpolants are computed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum System {
    McMillan,
    Pudlak,
}

impl System {
    pub const ALL: [System; 2] = [System::McMillan, System::Pudlak];
}

/// A refutation, and which parts each variable and each clause has to do with.
pub struct Interpolator<'r> {
    refutation: &'r Refutation,
    system: System,
    /// By variable: the first and the last part that has it.
    variables: Vec<(u32, u32)>,
    /// By clause: the first and the last part that it was derived from.
    clauses: Vec<(u32, u32)>,
}

impl<'r> Interpolator<'r> {
    pub fn new(refutation: &'r Refutation, system: System) -> Interpolator<'r> {
        const NONE: (u32, u32) = (u32::MAX, 0);
        let join = |a: (u32, u32), b: (u32, u32)| (a.0.min(b.0), a.1.max(b.1));
        let (mut variables, mut clauses) = (Vec::new(), Vec::with_capacity(refutation.clauses.len()));
        for clause in &refutation.clauses {
            let parts = match &clause.origin {
                &Origin::Part(part) => {
                    for lit in &clause.literals {
                        let index = lit.var().index();
                        if variables.len() <= index {
                            variables.resize(index + 1, NONE);
                        }
                        variables[index] = join(variables[index], (part, part));
                    }
                    (part, part)
                }
                Origin::Resolution { first, steps } => {
                    steps.iter().fold(clauses[*first], |parts, step| join(parts, clauses[step.clause]))
                }
            };
            clauses.push(parts);
        }
        Interpolator { refutation, system, variables, clauses }
    }

    /// The interpolant between the parts before `cut` and the others; `leaf` has the signals of shared variables.
    pub fn at(&self, cut: u32, gates: &mut Aig, leaf: impl Fn(Var) -> Signal) -> Signal {
        let mut cutting = Cut { all: self, cut, gates, leaf, partial: vec![None; self.clauses.len()] };
        let mut last = Signal::TRUE;
        for (index, clause) in self.refutation.clauses.iter().enumerate() {
            let (first_part, last_part) = self.clauses[index];
            let is_last = index + 1 == self.clauses.len();
            if first_part < cut && cut <= last_part {
                let Origin::Resolution { first, steps } = &clause.origin else { continue };
                let mut interpolant = cutting.partial(*first);
                for step in steps {
                    let other = cutting.partial(step.clause);
                    interpolant = cutting.resolve(step.pivot, other, interpolant);
                }
                cutting.partial[index] = Some(interpolant);
            }
            if is_last {
                last = cutting.partial(index);
            }
        }
        last
    }
}

/// The computation of one interpolant.
struct Cut<'i, 'r, F> {
    all: &'i Interpolator<'r>,
    cut: u32,
    gates: &'i mut Aig,
    leaf: F,
    partial: Vec<Option<Signal>>,
}

impl<F: Fn(Var) -> Signal> Cut<'_, '_, F> {
    /// The partial interpolant of a clause that was computed before, or that is of one side.
    fn partial(&mut self, clause: usize) -> Signal {
        if let Some(known) = self.partial[clause] {
            return known;
        }
        let signal = match self.all.clauses[clause].1 >= self.cut {
            true => Signal::TRUE,
            false => match self.all.system {
                System::Pudlak => Signal::FALSE,
                System::McMillan => {
                    let literals = self.all.refutation.clauses[clause].literals.iter();
                    let shared = literals.filter(|lit| self.all.variables[lit.var().index()].1 >= self.cut);
                    let shared: Vec<Signal> = shared.map(|&lit| self.signal(lit)).collect();
                    self.gates.or_all(&shared)
                }
            },
        };
        self.partial[clause] = Some(signal);
        signal
    }

    /// The partial interpolant of the resolvent of a clause with the pivot and one with its negation.
    fn resolve(&mut self, pivot: Lit, with: Signal, without: Signal) -> Signal {
        let (first, last) = self.all.variables[pivot.var().index()];
        if last < self.cut {
            self.gates.or(with, without)
        } else if first >= self.cut || self.all.system == System::McMillan {
            self.gates.and(with, without)
        } else {
            let pivot = self.signal(pivot);
            self.gates.mux(pivot, without, with)
        }
    }

    fn signal(&self, lit: Lit) -> Signal {
        (self.leaf)(lit.var()).complement_if(lit.is_negative())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cnf::{Cnf, Literals, Polarity, compact};
    use crate::engine::state_set::over_latches;
    use crate::sat::refutation::Refuter;
    use crate::sat::{Answer, Backend, Solver};
    use redoubt_base::Random;

    const VARIABLES: usize = 14;
    const PARTS: u32 = 4;

    /// Clauses over 14 variables, of which each part has some, in such numbers that most formulas are contradictory.
    fn formula(random: &mut Random) -> Vec<(u32, Vec<Lit>)> {
        let count = 50 + random.below(30);
        let clause = |random: &mut Random| {
            let part = random.below(PARTS as usize);
            // Part p knows the variables 2p to 2p + 7: neighbours share some, and so do the others.
            let size = 1 + random.below(3).min(random.below(4));
            let lit = |random: &mut Random| Var((2 * part + random.below(8)) as u32).literal(random.below(2) == 0);
            (part as u32, (0..size.max(2)).map(|_| lit(random)).collect())
        };
        (0..count).map(|_| clause(random)).collect()
    }

    /// Whether some values satisfy these clauses and make this literal of a graph over the variables true.
    fn satisfiable(clauses: &[&[Lit]], gates: &Aig, holds: &[Signal]) -> bool {
        let mut cnf = Cnf::default();
        let mut literals = Literals::new(gates);
        for (index, var) in cnf.new_vars(VARIABLES).into_iter().enumerate() {
            literals.set(Signal::from_node(index + 1), var.positive());
        }
        let roots: Vec<_> = holds.iter().map(|&signal| (signal, Polarity::BOTH)).collect();
        compact::encode(gates, &roots, &mut literals, &mut cnf);
        let mut solver = Backend::Batsat.solver();
        (0..cnf.variables()).for_each(|_| _ = solver.new_var());
        cnf.clauses().chain(clauses.iter().copied()).for_each(|clause| solver.add_clause(clause));
        holds.iter().for_each(|&signal| solver.add_clause(&[literals.get(signal).expect("a root")]));
        solver.solve(&[]) == Answer::Satisfiable
    }

    /// A implies I, I contradicts B, and I mentions only what A and B share; and each of a sequence follows from the
    /// one before.
    #[test]
    fn interpolants_are_what_they_should_be() {
        let (mut refuted, mut proper) = (0, 0);
        for seed in 0..600 {
            println!("seed {seed}");
            let clauses = formula(&mut Random::new(seed));
            let mut refuter = Refuter::default();
            (0..VARIABLES).for_each(|_| _ = refuter.new_var());
            for (part, clause) in &clauses {
                refuter.begin_part(*part);
                refuter.add_clause(clause);
            }
            let whole: Vec<&[Lit]> = clauses.iter().map(|(_, clause)| &clause[..]).collect();
            let is_satisfiable = satisfiable(&whole, &over_latches(VARIABLES), &[]);
            let answer = refuter.solve(&[]);
            assert_eq!(answer == Answer::Satisfiable, is_satisfiable);
            if is_satisfiable {
                continue;
            }
            refuted += 1;
            let refutation = refuter.refutation().expect("a proof by resolution");
            for system in System::ALL {
                let interpolator = Interpolator::new(&refutation, system);
                let mut gates = over_latches(VARIABLES);
                let mut before = Signal::TRUE;
                for cut in 0..=PARTS {
                    let of = |side: &dyn Fn(u32) -> bool| -> Vec<&[Lit]> {
                        clauses.iter().filter(|(part, _)| side(*part)).map(|(_, clause)| &clause[..]).collect()
                    };
                    let (a, b) = (of(&|part| part < cut), of(&|part| part >= cut));
                    let has =
                        |side: &[&[Lit]], var: usize| side.iter().any(|c| c.iter().any(|l| l.var().index() == var));
                    let leaf = |var: Var| {
                        assert!(has(&a, var.index()) && has(&b, var.index()), "{var:?} is not shared");
                        Signal::from_node(var.index() + 1)
                    };
                    let interpolant = interpolator.at(cut, &mut gates, leaf);
                    assert!(!satisfiable(&a, &gates, &[!interpolant]), "A does not imply it");
                    assert!(!satisfiable(&b, &gates, &[interpolant]), "B does not contradict it");
                    let marked = gates.mark_cone([interpolant]);
                    for var in (0..VARIABLES).filter(|var| marked[var + 1]) {
                        assert!(has(&a, var) && has(&b, var), "variable {var} is not shared");
                    }
                    if cut > 0 {
                        let between = of(&|part| part == cut - 1);
                        assert!(!satisfiable(&between, &gates, &[before, !interpolant]), "not a sequence");
                    }
                    before = interpolant;
                    proper += usize::from(!interpolant.is_constant());
                }
            }
        }
        println!("{refuted} refutations, {proper} interpolants that are not constant");
        assert!(refuted > 100 && proper > 300);
    }
}
