//! A certificate checked by a solver: three questions, put to a fresh CaDiCaL.
//!
//! The first state is in the invariant, which needs no solver. From a state of the invariant no step reaches an
//! excluded property, and no step that goes on leaves the invariant: both are unsatisfiable together with the clauses
//! of [`super::encode`]. The two domains differ in precision: a step between regions may exist for no number, so only
//! 32 bits refute.

use std::io;
use std::path::Path;

use redoubt_base::Interrupt;
use redoubt_program::program::{Place, Program};
use rustc_hash::FxHashSet;

use super::encode::bits::Bits;
use super::encode::regions::Regions;
use super::encode::{self, Domain, EncodedStep, Lit, When};
use super::history;
use super::lrat;
use super::search::{Found, Search};
use super::{Certificate, Fact, Judgement, Literal, NumberSet};

/// Whether a certificate holds, all bits of all numbers considered.
pub fn by_bits(program: &Program, certificate: &Certificate, interrupt: &Interrupt) -> Judgement {
    if certificate.history > 0 {
        return history::confirm(program, certificate, interrupt);
    }
    Checker::<Bits>::new(program).confirm(certificate, interrupt)
}

/// Whether a certificate holds, as far as regions can tell.
pub fn by_regions(program: &Program, certificate: &Certificate, interrupt: &Interrupt) -> Judgement {
    Checker::<Regions>::new(program).confirm(certificate, interrupt)
}

/// A single step says nothing about a claim that needs several.
pub(crate) fn looks_back() -> Judgement {
    Judgement::Undecided("it needs several steps of history".into())
}

/// Checks certificates of one program. Confirmed claims are not checked again: a certificate that extends the last one
/// costs only its additions.
pub struct Checker<'p, D: Domain<'p>> {
    program: &'p Program,
    encoded: Option<Encoded<'p, D>>,
}

/// A step of the program, the solver that has it, and the claims that it knows to be true.
struct Encoded<'p, D: Domain<'p>> {
    domain: D,
    step: EncodedStep<D::Word>,
    solver: Search,
    confirmed: Confirmed,
}

/// The invariant that the solver has, all of it confirmed.
#[derive(Default)]
struct Confirmed {
    facts: Vec<Fact>,
    clauses: FxHashSet<Vec<Literal>>,
}

impl Confirmed {
    /// Whether a certificate has it all, and perhaps more clauses.
    fn is_part_of(&self, certificate: &Certificate) -> bool {
        // A set, since a certificate may list a clause twice.
        let listed: FxHashSet<&Vec<Literal>> = certificate.clauses.iter().collect();
        let is_listed = |clause| listed.contains(clause);
        certificate.boxes.is_empty() && self.facts == certificate.facts && self.clauses.iter().all(is_listed)
    }
}

impl<'p, D: Domain<'p>> Checker<'p, D> {
    pub fn new(program: &'p Program) -> Checker<'p, D> {
        Checker { program, encoded: None }
    }

    /// Whether a certificate holds.
    pub fn confirm(&mut self, certificate: &Certificate, interrupt: &Interrupt) -> Judgement {
        if certificate.history > 0 {
            return looks_back();
        }
        if let Some(judgement) = super::judge_start(self.program, certificate) {
            return judgement;
        }
        // Claims that are not confirmed in the end are dropped.
        let last = self.encoded.take();
        let last = last.filter(|last| last.confirmed.is_part_of(certificate) && last.domain.fits(certificate));
        let Some(mut encoded) = last.or_else(|| Encoded::new(self.program, certificate, interrupt)) else {
            return Judgement::Undecided("its step cannot be encoded".into());
        };
        let judgement = encoded.confirm(self.program, certificate, interrupt);
        if judgement == Judgement::Confirmed && certificate.boxes.is_empty() {
            self.encoded = Some(encoded);
        }
        judgement
    }
}

impl<'p, D: Domain<'p>> Encoded<'p, D> {
    fn new(program: &'p Program, certificate: &Certificate, interrupt: &Interrupt) -> Option<Encoded<'p, D>> {
        let (mut domain, before) = D::new(program, certificate, interrupt)?;
        let step = encode::step(program, &mut domain, before).ok()?;
        Some(Encoded { domain, step, solver: Search::new(), confirmed: Confirmed::default() })
    }

    fn confirm(&mut self, program: &Program, certificate: &Certificate, interrupt: &Interrupt) -> Judgement {
        let questions = self.ask(certificate);
        // Sums are hard enough one by one; everything else is easier at once.
        let questions = if certificate.is_relational() { questions } else { vec![self.domain.gates().any(&questions)] };
        for question in questions {
            match self.solver.solve(self.domain.gates(), &[question], interrupt) {
                Found::Nothing => {}
                Found::NotYet => return Judgement::Undecided("time is up".into()),
                Found::Something => return self.judge(program, certificate),
            }
        }
        self.confirmed.facts.clone_from(&certificate.facts);
        self.confirmed.clauses.extend(certificate.clauses.iter().cloned());
        Judgement::Confirmed
    }

    fn judge(&mut self, program: &Program, certificate: &Certificate) -> Judgement {
        let solver = &mut self.solver;
        self.domain.judge(program, certificate, &self.step, &mut |lit| solver.holds(lit))
    }

    /// Requires the invariant before the step. Each of the results must be impossible: the step reaches an excluded
    /// property, or goes on and leaves the invariant. Confirmed claims are left out.
    fn ask(&mut self, certificate: &Certificate) -> Vec<Lit> {
        let Encoded { domain, step, confirmed, .. } = self;
        let mut wrong = domain.unseen().to_vec();
        if confirmed.facts.is_empty() {
            for fact in &certificate.facts {
                let before = domain.fact(fact, &step.before, When::Before);
                domain.gates().require(&[before]);
                wrong.push(!domain.fact(fact, &step.after, When::After));
            }
        }
        for clause in certificate.clauses.iter().filter(|clause| !confirmed.clauses.contains(*clause)) {
            let before: Vec<Lit> = clause.iter().map(|literal| domain.literal(literal, &step.before)).collect();
            domain.gates().require(&before);
            let after: Vec<Lit> = clause.iter().map(|literal| domain.literal(literal, &step.after)).collect();
            wrong.push(!domain.gates().any(&after));
        }
        if !certificate.boxes.is_empty() {
            for (memory, is_before) in [(&step.before, true), (&step.after, false)] {
                let mut inside = vec![];
                for state_box in &certificate.boxes {
                    let mut side = |(variable, set): &(_, NumberSet)| {
                        domain.literal(&Literal::In(Place::Variable(*variable), set.clone()), memory)
                    };
                    let sides: Vec<Lit> = state_box.sides.iter().map(&mut side).collect();
                    inside.push(domain.gates().all(&sides));
                }
                match is_before {
                    true => domain.gates().require(&inside),
                    false => wrong.push(!domain.gates().any(&inside)),
                }
            }
        }
        let gates = domain.gates();
        let leaves = wrong.into_iter().map(|wrong| gates.and(step.goes_on, wrong));
        let reached = certificate.excluded.iter().map(|property| step.reached[property.index()]);
        reached.chain(leaves.collect::<Vec<_>>()).collect()
    }
}

/// Like [`by_regions`] and then [`by_bits`], with a solver that logs its proof: the question is written to `cnf`, the
/// proof to `proof`, and the proof is checked.
pub fn confirm_with_proof(
    program: &Program,
    certificate: &Certificate,
    interrupt: &Interrupt,
    cnf: &Path,
    proof: &Path,
) -> io::Result<Judgement> {
    if certificate.history > 0 {
        return Ok(looks_back());
    }
    if let Some(judgement) = super::judge_start(program, certificate) {
        return Ok(judgement);
    }
    let judgement = match Encoded::<Regions>::new(program, certificate, interrupt) {
        Some(encoded) => encoded.confirm_with_proof(program, certificate, interrupt, cnf, proof)?,
        None => Judgement::Undecided("its step cannot be encoded by regions".into()),
    };
    if !matches!(judgement, Judgement::Undecided(_)) || interrupt.is_raised() {
        return Ok(judgement);
    }
    match Encoded::<Bits>::new(program, certificate, interrupt) {
        Some(encoded) => encoded.confirm_with_proof(program, certificate, interrupt, cnf, proof),
        None => Ok(Judgement::Undecided("its step cannot be encoded".into())),
    }
}

impl<'p, D: Domain<'p>> Encoded<'p, D> {
    fn confirm_with_proof(
        mut self,
        program: &Program,
        certificate: &Certificate,
        interrupt: &Interrupt,
        cnf: &Path,
        proof: &Path,
    ) -> io::Result<Judgement> {
        let questions = self.ask(certificate);
        self.domain.gates().require(&questions);
        let (clauses, variables) = self.solver.written(self.domain.gates());
        std::fs::write(cnf, dimacs(&clauses, variables))?;
        Ok(match self.solver.solve_with_proof(cnf, proof, interrupt)? {
            Found::Something => self.judge(program, certificate),
            Found::NotYet => Judgement::Undecided("time is up".into()),
            Found::Nothing => match lrat::check(&clauses, &std::fs::read_to_string(proof)?) {
                Ok(()) => Judgement::Confirmed,
                Err(error) => Judgement::Refuted(format!("the solver's proof is wrong: {error}")),
            },
        })
    }
}

fn dimacs(clauses: &[i32], variables: i32) -> String {
    let count = clauses.iter().filter(|&&number| number == 0).count();
    let mut text = format!("p cnf {variables} {count}\n");
    for clause in clauses.split_inclusive(|&number| number == 0) {
        let numbers: Vec<String> = clause.iter().map(i32::to_string).collect();
        text.push_str(&numbers.join(" "));
        text.push('\n');
    }
    text
}

#[cfg(test)]
mod tests {
    use redoubt_program::expr::{TableId, VarId};
    use redoubt_program::program::PropertyId;
    use redoubt_program::text::SourceFile;

    use super::*;

    fn program() -> Program {
        let text = "#include <stdio.h>\nint x = 0;\nint y = 0;\nint main() { while (1) { int input;\n\
                    scanf(\"%d\", &input); if (input == 1) { x = y; } if (x == 5) { error_5: ; } } }\n";
        redoubt_languages::parse(vec![SourceFile::new("copy.c", text)]).expect("a program")
    }

    /// `x` stays 0 only because `y` does.
    fn certificate(program: &Program, variables: &[&str]) -> Certificate {
        let clause = |name: &&str| {
            let index = program.variables.iter().position(|variable| variable.name == **name).expect("a variable");
            let zero = NumberSet::of_intervals([(0, 0)].into_iter());
            vec![Literal::In(Place::Variable(VarId::new(index)), zero)]
        };
        let clauses = variables.iter().map(clause).collect();
        Certificate { excluded: vec![PropertyId::new(0)], clauses, ..Certificate::default() }
    }

    #[test]
    fn a_clause_listed_twice_does_not_stand_for_another() {
        let program = program();
        let (whole, doubled) = (certificate(&program, &["x", "y"]), certificate(&program, &["x", "x"]));
        let interrupt = Interrupt::default();
        let (mut by_bits, mut by_regions) = (Checker::<Bits>::new(&program), Checker::<Regions>::new(&program));
        assert_eq!(by_bits.confirm(&whole, &interrupt), Judgement::Confirmed);
        assert!(matches!(by_bits.confirm(&doubled, &interrupt), Judgement::Refuted(_)));
        assert_eq!(by_regions.confirm(&whole, &interrupt), Judgement::Confirmed);
        assert!(matches!(by_regions.confirm(&doubled, &interrupt), Judgement::Undecided(_)));
    }

    /// Confirmed claims are used again: a certificate that adds a clause, in any order, passes too.
    #[test]
    fn a_certificate_may_add_to_the_last_one() {
        let program = program();
        let mut checker = Checker::<Bits>::new(&program);
        for variables in [&["y"][..], &["x", "y"], &["y", "y", "x"]] {
            let certificate = Certificate { excluded: vec![], ..certificate(&program, variables) };
            assert_eq!(checker.confirm(&certificate, &Interrupt::default()), Judgement::Confirmed, "{variables:?}");
        }
    }

    /// Two variables that compute the same, each on its own, and a table that is never written.
    fn twins(update: &str) -> Program {
        let text = format!(
            "#include <stdio.h>\nint inputs[] = {{1, 2}};\nint x = 1;\nint y = 1;\nint z = 4;\nint t[] = {{1, 4}};\n\
             void one(int input) {{ if (input == 2 && x > 5) {{ x = x / 3; return; }} x = x * x % 77 + input; }}\n\
             void other(int input) {{ if (input == 2 && y > 5) {{ y = y / 3; return; }} {update} }}\n\
             int main() {{ while (1) {{ int input; scanf(\"%d\", &input);\n\
             one(input); other(input); z = t[1]; if (x == 1000 && y != x) {{ error_5: ; }} }} }}\n"
        );
        redoubt_languages::parse(vec![SourceFile::new("twins.c", text)]).expect("a program")
    }

    fn place(program: &Program, name: &str) -> Place {
        let index = program.variables.iter().position(|variable| variable.name == name).expect("a variable");
        Place::Variable(VarId::new(index))
    }

    #[test]
    fn what_is_computed_alike_needs_no_solver() {
        let program = twins("y = y * y % 77 + input;");
        let equal = Fact::Equal(place(&program, "x"), place(&program, "y"));
        let excluded = vec![PropertyId::new(0)];
        let claimed = Certificate { excluded, facts: vec![equal], ..Certificate::default() };
        let mut encoded = Encoded::<Bits>::new(&program, &claimed, &Interrupt::default()).expect("it is small");
        let questions = encoded.ask(&claimed);
        let (x, y) = (encoded.step.after.at(place(&program, "x")), encoded.step.after.at(place(&program, "y")));
        assert_eq!(x, y);
        assert_eq!(questions, [Lit::FALSE; 2]);
        assert_eq!(by_bits(&program, &claimed, &Interrupt::default()), Judgement::Confirmed);
        // Claimed the other way round, and with more that they are equal to, it is no less true.
        let table = program.tables.iter().position(|table| table.name == "t").expect("a table");
        let around = vec![
            Fact::Equal(place(&program, "y"), place(&program, "x")),
            Fact::Equal(place(&program, "z"), Place::Cell(TableId::new(table), 1)),
        ];
        let claimed = Certificate { facts: around, ..claimed };
        assert_eq!(by_bits(&program, &claimed, &Interrupt::default()), Judgement::Confirmed);
    }

    #[test]
    fn what_is_not_equal_for_long_is_refuted() {
        let program = twins("y = y * y % 77 + (input == 2 ? 3 : 1);");
        let places = ["x", "y", "z"].map(|name| place(&program, name));
        let equal = |a: usize, b: usize| Fact::Equal(places[a], places[b]);
        let one = |index: usize, number| Fact::In(places[index], NumberSet::one(number));
        for facts in [vec![equal(0, 1)], vec![equal(1, 0)], vec![one(0, 1), equal(0, 1)], vec![one(0, 1), one(1, 1)]] {
            let claimed = Certificate { facts, ..Certificate::default() };
            let judgement = by_bits(&program, &claimed, &Interrupt::default());
            assert!(matches!(judgement, Judgement::Refuted(_)), "{claimed:?}: {judgement:?}");
        }
        let claimed = Certificate { facts: vec![one(2, 4)], ..Certificate::default() };
        assert_eq!(by_bits(&program, &claimed, &Interrupt::default()), Judgement::Confirmed);
    }
}
