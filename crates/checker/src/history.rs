//! A certificate that needs history, checked by a solver: k-induction (Sheeran, Singh, Stalmarck, FMCAD 2000).
//!
//! A step is *as claimed* if it reaches nothing that is excluded and, if the run goes on, ends in a state of the invariant. With a
//! history of k steps there are two questions, both about all bits of the program's own variables:
//!
//! ```text
//! base   is there a run from the start of which one of the first k steps is not as claimed?
//! step   are there k + 1 steps from a state of the invariant, the last of which is the first that is not as claimed?
//! ```
//!
//! If neither has an answer, every step of every run is as claimed: the first one that is not could not be among the first k, nor
//! come after k that are. A run that answers the first question refutes the certificate. Steps that answer the second one do not:
//! they may start in a state that no run reaches.

use redoubt_base::Interrupt;
use redoubt_program::program::{Place, Program, PropertyId};
use redoubt_program::simulate::Simulator;

use super::encode::bits::Bits;
use super::encode::{self, Domain, EncodedStep, Lit, Memory, When, Word};
use super::search::{Found, Search};
use super::{Certificate, Judgement, Literal};

/// Claims that need more steps than this are not looked at.
const MOST_STEPS: usize = 1_000;

/// Whether a certificate holds.
pub fn confirm(program: &Program, certificate: &Certificate, interrupt: &Interrupt) -> Judgement {
    Checker::new(program).confirm(certificate, interrupt)
}

/// Checks certificates of one program, whose steps are encoded once. Confirmed claims are true of all runs, so a
/// certificate that adds properties is only asked about these.
pub struct Checker<'p> {
    program: &'p Program,
    from_start: Option<Steps<'p>>,
    from_anywhere: Option<Steps<'p>>,
    confirmed: Option<Certificate>,
}

/// The part of a certificate that is to be shown, and the part that is known.
struct Claim<'c> {
    certificate: &'c Certificate,
    /// The properties that are known to be out of reach, and the others. If the first are not empty, the invariant is known.
    known: Vec<PropertyId>,
    new: Vec<PropertyId>,
}

impl<'c> Claim<'c> {
    fn new(certificate: &'c Certificate, confirmed: Option<&Certificate>) -> Claim<'c> {
        let says_the_same = |other: &&Certificate| {
            let Certificate { facts, clauses, boxes, .. } = certificate;
            (facts, clauses, boxes) == (&other.facts, &other.clauses, &other.boxes)
        };
        let known = confirmed.filter(says_the_same).map_or(&[][..], |other| &other.excluded);
        let (known, new) = certificate.excluded.iter().partition(|property| known.contains(property));
        Claim { certificate, known, new }
    }

    fn is_invariant_known(&self) -> bool {
        !self.known.is_empty()
    }
}

impl<'p> Checker<'p> {
    pub fn new(program: &'p Program) -> Checker<'p> {
        Checker { program, from_start: None, from_anywhere: None, confirmed: None }
    }

    pub fn confirm(&mut self, certificate: &Certificate, interrupt: &Interrupt) -> Judgement {
        if let Some(judgement) = super::judge_start(self.program, certificate) {
            return judgement;
        }
        let program = self.program;
        let history = certificate.history;
        let undecided = |reason: &str| Judgement::Undecided(reason.into());
        if history > MOST_STEPS {
            return undecided("it needs too many steps of history");
        }
        let claim = Claim::new(certificate, self.confirmed.as_ref());
        let base = self.from_start.get_or_insert_with(|| Steps::from_start(program));
        if !base.extend(history, interrupt) {
            return undecided("its steps cannot be encoded in time");
        }
        let question = base.breaks_early(&claim);
        match base.ask(question, interrupt) {
            Found::Nothing => {}
            Found::NotYet => return undecided("time is up"),
            Found::Something => return Judgement::Refuted(format!("a run of {history} steps or fewer breaks it")),
        }
        let step = self.from_anywhere.get_or_insert_with(|| Steps::from_anywhere(program));
        if !step.extend(history + 1, interrupt) {
            return undecided("its steps cannot be encoded in time");
        }
        let question = step.breaks_after(&claim);
        match step.ask(question, interrupt) {
            Found::Nothing => {
                self.confirmed = Some(certificate.clone());
                Judgement::Confirmed
            }
            Found::NotYet => undecided("time is up"),
            Found::Something => {
                Judgement::Undecided(format!("{history} steps that are as it says may lead to another"))
            }
        }
    }
}

/// Steps one after the other, and a solver that has them.
struct Steps<'p> {
    program: &'p Program,
    domain: Bits<'p>,
    first: Memory<Word>,
    steps: Vec<EncodedStep<Word>>,
    solver: Search,
}

impl<'p> Steps<'p> {
    fn from_start(program: &'p Program) -> Steps<'p> {
        let (mut domain, any) = Bits::any(program);
        let first = domain.state(&any, &Simulator::new(program));
        Steps { program, domain, first, steps: vec![], solver: Search::new() }
    }

    fn from_anywhere(program: &'p Program) -> Steps<'p> {
        let (domain, first) = Bits::any(program);
        Steps { program, domain, first, steps: vec![], solver: Search::new() }
    }

    /// Encodes `steps` steps; false if there is no time for it.
    fn extend(&mut self, steps: usize, interrupt: &Interrupt) -> bool {
        while self.steps.len() < steps {
            if interrupt.is_raised() {
                return false;
            }
            let before = match self.steps.last() {
                Some(last) => last.after.clone(),
                None => self.first.clone(),
            };
            self.domain.renew_inputs();
            let Ok(step) = encode::step(self.program, &mut self.domain, before) else { return false };
            self.steps.push(step);
        }
        true
    }

    fn ask(&mut self, question: Lit, interrupt: &Interrupt) -> Found {
        self.solver.solve(&self.domain.gates, &[question], interrupt)
    }

    /// One of the first steps of the history is not as claimed.
    fn breaks_early(&mut self, claim: &Claim) -> Lit {
        let mut exists = Lit::TRUE;
        let mut some = vec![];
        for place in 0..claim.certificate.history {
            let breaks = self.breaks(place, claim);
            some.push(self.domain.gates.and(exists, breaks));
            exists = self.domain.gates.and(exists, self.steps[place].goes_on);
        }
        self.domain.gates.any(&some)
    }

    /// From a state of the invariant, the step behind the history is the first that is not as claimed.
    fn breaks_after(&mut self, claim: &Claim) -> Lit {
        let history = claim.certificate.history;
        let first = self.first.clone();
        let mut all = vec![invariant(&mut self.domain, claim.certificate, &first)];
        for place in 0..=history {
            if place < history {
                all.extend([self.steps[place].goes_on, !self.breaks(place, claim)]);
            }
            all.extend(claim.known.iter().map(|property| !self.steps[place].reached[property.index()]));
            if place < history && claim.is_invariant_known() {
                all.push(invariant(&mut self.domain, claim.certificate, &self.steps[place].after));
            }
        }
        all.push(self.breaks(history, claim));
        self.domain.gates.all(&all)
    }

    /// The literal that a step is not as claimed: it reaches an excluded property, or goes on outside the invariant.
    fn breaks(&mut self, place: usize, claim: &Claim) -> Lit {
        let step = &self.steps[place];
        let mut bad: Vec<Lit> = claim.new.iter().map(|property| step.reached[property.index()]).collect();
        if !claim.is_invariant_known() {
            let is_inside = invariant(&mut self.domain, claim.certificate, &step.after);
            bad.push(self.domain.gates.and(step.goes_on, !is_inside));
        }
        self.domain.gates.any(&bad)
    }
}

/// The literal that a state satisfies all claims about states.
fn invariant(domain: &mut Bits, certificate: &Certificate, memory: &Memory<Word>) -> Lit {
    let mut all: Vec<Lit> = certificate.facts.iter().map(|fact| domain.fact(fact, memory, When::Before)).collect();
    for clause in &certificate.clauses {
        let literals: Vec<Lit> = clause.iter().map(|literal| domain.literal(literal, memory)).collect();
        all.push(domain.gates.any(&literals));
    }
    if !certificate.boxes.is_empty() {
        let mut inside = vec![];
        for state_box in &certificate.boxes {
            let side = |(variable, set): &(_, _)| Literal::In(Place::Variable(*variable), Clone::clone(set));
            let sides: Vec<Literal> = state_box.sides.iter().map(side).collect();
            let sides: Vec<Lit> = sides.iter().map(|literal| domain.literal(literal, memory)).collect();
            inside.push(domain.gates.all(&sides));
        }
        all.push(domain.gates.any(&inside));
    }
    domain.gates.all(&all)
}
