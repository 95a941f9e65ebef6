//! A certificate checked by a solver: three questions, put to a fresh CaDiCaL.
//!
//! The first state is in the invariant, which needs no solver. From a state of the invariant no step reaches an
//! excluded property, and no step that goes on leaves the invariant: both are unsatisfiable together with the clauses
//! of [`super::encode`].

use std::path::Path;

use cadical_sys::{CaDiCal, Status};
use rustc_hash::FxHashSet;

use super::encode::{self, Gates, Lit, Memory, Step, Word, words};
use super::lrat;
use super::{Certificate, Fact, Judgement, Literal, NumberSet, Place};
use crate::expr::{TableId, VarId};
use crate::program::{Program, Scope};
use crate::sat::Interrupt;
use crate::sat::cadical::Raised;

/// Checks certificates of one program. What was confirmed once need not be confirmed again: a certificate that only
/// adds to the last one costs what it adds.
pub struct Checker<'p> {
    program: &'p Program,
    gates: Gates,
    /// None if the program is too large to encode.
    step: Option<Step>,
    solver: CaDiCal,
    /// How many numbers of the gates' clauses the solver has.
    passed: usize,
    confirmed: Confirmed,
    /// The solver was told of something that is not confirmed.
    is_spoilt: bool,
}

/// The invariant that the solver has, all of it confirmed.
#[derive(Default)]
struct Confirmed {
    facts: Vec<Fact>,
    clauses: FxHashSet<Vec<Literal>>,
}

impl<'p> Checker<'p> {
    pub fn new(program: &'p Program) -> Checker<'p> {
        let mut gates = Gates::default();
        let step = encode::step(program, &mut gates).ok();
        Checker {
            program,
            gates,
            step,
            solver: new_solver(),
            passed: 0,
            confirmed: Confirmed::default(),
            is_spoilt: false,
        }
    }

    /// Whether a certificate holds.
    pub fn confirm(&mut self, certificate: &Certificate, interrupt: &Interrupt) -> Judgement {
        if let Some(judgement) = super::judge_start(self.program, certificate) {
            return judgement;
        }
        let known = &self.confirmed;
        let adds = certificate.boxes.is_empty()
            && (known.facts.is_empty() || known.facts == certificate.facts)
            && known.clauses.len() <= certificate.clauses.len();
        let kept = certificate.clauses.iter().filter(|clause| known.clauses.contains(*clause)).count();
        if self.is_spoilt || !adds || kept < known.clauses.len() {
            self.solver = new_solver();
            self.passed = 0;
            self.confirmed = Confirmed::default();
            // The invariants of certificates before this one are among the gates' clauses.
            self.gates = Gates::default();
            self.step = encode::step(self.program, &mut self.gates).ok();
        }
        let Some(step) = &self.step else { return Judgement::Undecided("the program is too large to encode".into()) };
        let question = ask(self.program, certificate, step, &mut self.gates, &self.confirmed);
        self.is_spoilt = true;
        self.pass_clauses();
        self.solver.connect_terminator(Raised::new(interrupt));
        self.solver.assume(question.0);
        match self.solver.solve() {
            Status::UNSATISFIABLE => {
                self.confirmed.facts.clone_from(&certificate.facts);
                self.confirmed.clauses.extend(certificate.clauses.iter().cloned());
                self.is_spoilt = !certificate.boxes.is_empty();
                Judgement::Confirmed
            }
            Status::UNKNOWN => Judgement::Undecided("time is up".into()),
            Status::SATISFIABLE => self.refuted(certificate),
        }
    }

    fn pass_clauses(&mut self) {
        self.gates.clauses[self.passed..].iter().for_each(|&number| self.solver.add(number));
        self.passed = self.gates.clauses.len();
    }

    /// Says where the step starts that is not as the certificate claims.
    fn refuted(&mut self, certificate: &Certificate) -> Judgement {
        let Some(step) = &self.step else { return Judgement::Undecided("not encoded".into()) };
        let solver = &mut self.solver;
        let mut holds = |lit: Lit| solver.val(lit.0) == lit.0;
        let mut number = |word: &Word| (0..32).fold(0, |all, bit| all | i32::from(holds(word.bit(bit))) << bit);
        let inputs: Vec<String> = step.inputs.iter().map(|word| number(word).to_string()).collect();
        let is_shown = |index: &usize| self.program.variables[*index].scope == Scope::Global;
        let shown = (0..self.program.variables.len()).filter(is_shown).take(40);
        let state: Vec<String> = shown
            .map(|index| {
                let name = &self.program.variables[index].name;
                format!("{name} = {}", number(step.before.variable(VarId::new(index))))
            })
            .collect();
        let reached = certificate.excluded.iter().find(|property| holds(step.reached[property.index()]));
        let what = match reached {
            Some(property) => format!("reaches {}", self.program.property(*property).name),
            None => "leaves the invariant".to_string(),
        };
        Judgement::Refuted(format!("from {} the input {} {what}", state.join(", "), inputs.join(" ")))
    }
}

/// Like [`Checker::confirm`], with a solver that logs what it does: the question is written to `question.cnf` in a
/// folder, the proof to `proof.lrat`, and the proof is checked.
pub fn confirm_with_proof(
    program: &Program,
    certificate: &Certificate,
    interrupt: &Interrupt,
    cnf: &Path,
    proof: &Path,
) -> std::io::Result<Judgement> {
    if let Some(judgement) = super::judge_start(program, certificate) {
        return Ok(judgement);
    }
    let mut checker = Checker::new(program);
    let Some(step) = &checker.step else {
        return Ok(Judgement::Undecided("the program is too large to encode".into()));
    };
    let question = ask(program, certificate, step, &mut checker.gates, &checker.confirmed);
    checker.gates.require(&[question]);
    std::fs::write(cnf, dimacs(&checker.gates))?;
    for (option, value) in [("lrat", 1), ("binary", 0)] {
        checker.solver.set(option, value);
    }
    let text =
        |path: &Path| path.to_str().map(String::from).ok_or_else(|| std::io::Error::other("a path must be text"));
    let (question_path, proof_path) = (text(cnf)?, text(proof)?);
    if !checker.solver.trace_proof2(&proof_path) {
        return Err(std::io::Error::other(format!("cannot write {proof_path}")));
    }
    // Only if it reads the clauses itself does it number them as the format wants.
    checker.solver.read_dimacs2(&question_path, &mut 0, 1).map_err(std::io::Error::other)?;
    checker.solver.connect_terminator(Raised::new(interrupt));
    let status = checker.solver.solve();
    checker.solver.close_proof_trace(false);
    Ok(match status {
        Status::SATISFIABLE => checker.refuted(certificate),
        Status::UNKNOWN => Judgement::Undecided("time is up".into()),
        Status::UNSATISFIABLE => match lrat::check(&checker.gates.clauses, &std::fs::read_to_string(proof)?) {
            Ok(()) => Judgement::Confirmed,
            Err(error) => Judgement::Refuted(format!("the solver's proof is wrong: {error}")),
        },
    })
}

fn new_solver() -> CaDiCal {
    let mut solver = CaDiCal::new();
    solver.set("lucky", 0);
    solver
}

/// Requires the invariant before the step. The result: the step reaches what is excluded, or goes on and leaves the
/// invariant. What is confirmed already is left out.
fn ask(program: &Program, certificate: &Certificate, step: &Step, gates: &mut Gates, known: &Confirmed) -> Lit {
    let mut wrong = vec![];
    let mut writer = Writer { program, gates };
    if known.facts.is_empty() {
        for fact in &certificate.facts {
            let (before, after) = (writer.fact(fact, &step.before), writer.fact(fact, &step.after));
            writer.gates.require(&[before]);
            wrong.push(!after);
        }
    }
    for clause in certificate.clauses.iter().filter(|clause| !known.clauses.contains(*clause)) {
        let before: Vec<Lit> = clause.iter().map(|literal| writer.literal(literal, &step.before)).collect();
        writer.gates.require(&before);
        let after: Vec<Lit> = clause.iter().map(|literal| writer.literal(literal, &step.after)).collect();
        wrong.push(!writer.gates.any(&after));
    }
    if !certificate.boxes.is_empty() {
        for (memory, is_before) in [(&step.before, true), (&step.after, false)] {
            let mut inside = vec![];
            for state_box in &certificate.boxes {
                let sides: Vec<Lit> = state_box
                    .sides
                    .iter()
                    .map(|(variable, set)| writer.member(memory.variable(*variable), set))
                    .collect();
                inside.push(writer.gates.all(&sides));
            }
            match is_before {
                true => writer.gates.require(&inside),
                false => wrong.push(!writer.gates.any(&inside)),
            }
        }
    }
    let leaves = gates.any(&wrong);
    let leaves = gates.and(step.goes_on, leaves);
    let mut bad: Vec<Lit> = certificate.excluded.iter().map(|property| step.reached[property.index()]).collect();
    bad.push(leaves);
    gates.any(&bad)
}

struct Writer<'w> {
    program: &'w Program,
    gates: &'w mut Gates,
}

impl Writer<'_> {
    fn words<'m>(&self, place: Place, memory: &'m Memory) -> Vec<&'m Word> {
        let cells = |table: TableId| self.program.table(table).cells.len();
        match place {
            Place::Variable(variable) => vec![memory.variable(variable)],
            Place::Cell(table, index) => vec![memory.cell(table, index)],
            Place::Cells(table) => (0..cells(table)).map(|index| memory.cell(table, index)).collect(),
        }
    }

    fn fact(&mut self, fact: &Fact, memory: &Memory) -> Lit {
        let lits: Vec<Lit> = match fact {
            Fact::In(place, set) => self.words(*place, memory).into_iter().map(|word| self.member(word, set)).collect(),
            Fact::Equal(a, b) => {
                let pairs = self.words(*a, memory).into_iter().zip(self.words(*b, memory));
                pairs.map(|(a, b)| words::equal(self.gates, a, b)).collect()
            }
        };
        self.gates.all(&lits)
    }

    fn literal(&mut self, literal: &Literal, memory: &Memory) -> Lit {
        let lits: Vec<Lit> = match literal {
            Literal::In(place, set) => {
                self.words(*place, memory).into_iter().map(|word| self.member(word, set)).collect()
            }
            Literal::Bit(place, bit, value) => {
                let bit = |word: &Word| if *value { word.bit(*bit as usize) } else { !word.bit(*bit as usize) };
                self.words(*place, memory).into_iter().map(bit).collect()
            }
        };
        self.gates.all(&lits)
    }

    fn member(&mut self, word: &Word, set: &NumberSet) -> Lit {
        let mut inside = vec![];
        for run in set.runs() {
            if run.low == run.high {
                inside.push(words::equal(self.gates, word, &words::constant(run.low)));
                continue;
            }
            let mut lit = words::between(self.gates, word, run.low, run.high);
            if run.step > 1 {
                let fits = words::fits_step(self.gates, word, run.low, run.step);
                lit = self.gates.and(lit, fits);
            }
            inside.push(lit);
        }
        self.gates.any(&inside)
    }
}

fn dimacs(gates: &Gates) -> String {
    let count = gates.clauses.iter().filter(|&&number| number == 0).count();
    let mut text = format!("p cnf {} {count}\n", gates.variables());
    for clause in gates.clauses.split_inclusive(|&number| number == 0) {
        let numbers: Vec<String> = clause.iter().map(i32::to_string).collect();
        text.push_str(&numbers.join(" "));
        text.push('\n');
    }
    text
}
