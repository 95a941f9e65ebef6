//! Programs to verdicts: the way from a program through system, circuit and engine, and back to the program.
//!
//! A trace of the circuit is decoded into inputs of the program and replayed by the simulator before it is
//! reported; a verdict that the program does not confirm is withdrawn.

mod certify;
mod explicit;
mod regions;
mod together;

pub use explicit::check_explicitly;
pub use regions::check_regions;
pub use together::check_together;

use std::sync::Arc;
use std::time::{Duration, Instant};

use crate::analysis::Facts;
use crate::base::Ended;
use crate::base::Limits;
use crate::base::progress::Stage;
use crate::blast::{Blasted, Width, blast_within};
use crate::certificate::certifier::Certifier;
use crate::certificate::derive::{Derived, Deriver};
use crate::certificate::{self, Certificate, Checked};
use crate::circuit::Circuit;
use crate::engine::{Decision, Engine, Proof, Statistics, Verdict};
use crate::explicit::Outcome;
use crate::program::{Program, PropertyId};
use crate::sat::Backend;
use crate::simulate::{End, Simulator};
use crate::system;
use crate::system::passes::{self, Passes, Saving};
use crate::witness::shorten::{self, Budget};

/// What to decide, and with what.
#[derive(Clone, Debug)]
pub struct Options {
    pub engine: Engine,
    /// The solver; the engine's own choice if `None`.
    pub backend: Option<Backend>,
    pub limits: Limits,
    pub passes: Passes,
    pub width: Width,
    /// Merge gates that compute the same function.
    pub functional_reduction: bool,
    /// The properties to decide, ascending; all of them if `None`.
    pub properties: Option<Vec<PropertyId>>,
    /// Certify proofs, and check the certificates by other means than found them.
    pub confirm: bool,
    /// How many bytes the states of an explicit search may take.
    pub memory: usize,
    /// How much time goes into making runs shorter.
    pub shortening: Budget,
}

impl Default for Options {
    fn default() -> Options {
        Options {
            engine: Engine::default(),
            backend: None,
            limits: Limits::default(),
            passes: Passes::ALL,
            width: Width::Reduced,
            functional_reduction: true,
            properties: None,
            confirm: true,
            memory: 2 << 30,
            shortening: Budget::default(),
        }
    }
}

/// What is known about one property.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Answer {
    /// This input sequence reaches it: one list of input values per step. The program was run on it.
    Reachable { inputs: Vec<Vec<i32>> },
    /// No input sequence reaches it. Where the proof gives a certificate, that was checked.
    Unreachable { proof: Proof, checked: Option<Checked> },
    /// Not decided within the limits.
    Unknown,
    /// An engine claimed a run that the program does not have (its inputs), or a proof whose certificate is wrong: a bug.
    /// The property counts as undecided.
    Withdrawn { inputs: Vec<Vec<i32>>, reason: String, certificate: Option<Arc<Certificate>> },
}

impl Answer {
    /// What a run that an engine claims is worth: it is replayed by the program, and then made shorter.
    fn of_run(facts: &Facts, property: PropertyId, mut inputs: Vec<Vec<i32>>, budget: &Budget) -> Answer {
        match reaches(facts.program, &inputs, property) {
            Some(steps) => {
                inputs.truncate(steps);
                Answer::Reachable { inputs: shorten::run(facts, property, inputs, budget) }
            }
            None => {
                let reason = "the program does not have this run".into();
                Answer::Withdrawn { inputs, reason, certificate: None }
            }
        }
    }
}

/// Who found an answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Decider {
    /// The program's setup reaches the property.
    Setup,
    /// Exploring the abstraction into regions.
    Regions,
    /// IC3 on that abstraction.
    Abstraction,
    /// The search of the program's own states.
    Explicit,
    /// An engine on the program's circuit.
    Engine(Engine),
    /// An earlier run, from whose journal this one goes on.
    Journal,
    Nobody,
}

impl Decider {
    /// A short name, as it is printed.
    pub fn name(self) -> &'static str {
        match self {
            Decider::Setup => "setup",
            Decider::Regions => "regions",
            Decider::Abstraction => "abstraction",
            Decider::Explicit => "explicit",
            Decider::Engine(engine) => engine.name(),
            Decider::Journal => "journal",
            Decider::Nobody => "none",
        }
    }
}

/// The answer for a property, at the moment it is known.
#[derive(Clone, Debug)]
pub struct Finding {
    pub property: PropertyId,
    pub answer: Answer,
    pub decider: Decider,
    /// Since the start of the run.
    pub after: Duration,
}

impl Finding {
    /// Whether something else than what found it has shown that the answer is right.
    pub fn is_confirmed(&self) -> bool {
        match &self.answer {
            Answer::Reachable { .. } => true,
            Answer::Unreachable { checked, .. } => checked.as_ref().is_some_and(Checked::is_confirmed),
            Answer::Unknown | Answer::Withdrawn { .. } => false,
        }
    }
}

/// What a run leaves behind.
#[derive(Clone, Debug)]
pub struct Report {
    /// The properties that were asked for, in order.
    pub findings: Vec<Finding>,
    pub statistics: Statistics,
    pub sizes: Sizes,
    /// What became of the explicit-state search, if that was what ran.
    pub search: Option<Outcome>,
    /// How the abstraction did, if there was one.
    pub abstraction: Option<crate::abstraction::Statistics>,
    pub elapsed: Duration,
}

impl Report {
    /// The certificates of everything that was proved, without what others say too. There may have been no time to check
    /// one of them; that can be done later.
    pub fn certificates(&self) -> Vec<Certificate> {
        let checked = self.findings.iter().filter_map(|finding| match &finding.answer {
            Answer::Unreachable { checked, .. } => checked.as_ref(),
            _ => None,
        });
        certificate::combined(checked.map(|checked| &*checked.certificate))
    }
}

/// How large the problem was on its way, and how long the way took.
#[derive(Clone, Debug, Default)]
pub struct Sizes {
    pub states: usize,
    pub savings: Vec<Saving>,
    pub latches: usize,
    pub inputs: usize,
    pub gates: usize,
    pub encoding: Duration,
}

/// Decides the properties of a program; `report` hears of each one as soon as it is decided.
pub fn check(program: &Program, options: &Options, report: impl FnMut(&Finding)) -> Result<Report, Ended> {
    check_circuit(&Facts::new(program), options, report)
}

fn check_circuit(facts: &Facts, options: &Options, mut report: impl FnMut(&Finding)) -> Result<Report, Ended> {
    let program = facts.program;
    let start = Instant::now();
    options.limits.progress.level(Stage::Encoding, 0);
    let original = system::build_within(program, &options.limits.interrupt)?;
    let states = original.states.len();
    let (system, savings) = passes::run(original.clone(), options.passes);
    let mut blasted = blast_within(&system, options.width, &options.limits.interrupt)?;
    let all = (0..program.properties.len()).map(PropertyId::new);
    let wanted: Vec<PropertyId> = options.properties.clone().unwrap_or_else(|| all.collect());
    // What the setup reaches needs no step, and there may be none that the assumptions allow.
    let opening = facts.setup().opening();
    let (at_once, wanted): (Vec<_>, Vec<_>) = wanted.into_iter().partition(|&property| opening.reaches(property));
    restrict(&mut blasted.circuit, &wanted);
    if options.functional_reduction {
        blasted.circuit = blasted.circuit.functionally_reduced();
    }
    let sizes = Sizes {
        states,
        savings,
        latches: blasted.circuit.latches.len(),
        inputs: blasted.circuit.inputs.len(),
        gates: blasted.circuit.live_gates(),
        encoding: start.elapsed(),
    };

    let mut known = vec![];
    for property in at_once {
        let finding = Finding {
            property,
            answer: Answer::Reachable { inputs: vec![] },
            decider: Decider::Setup,
            after: start.elapsed(),
        };
        report(&finding);
        known.push(finding);
    }
    let mut findings: Vec<Option<Finding>> = vec![None; wanted.len()];
    let decider = Decider::Engine(options.engine);
    let derived = Derived { original: &original, passes: options.passes, system: &system, blasted: &blasted };
    let mut certifier = None;
    let mut hear = |decision: Decision| {
        let property = wanted[decision.property];
        let answer = match decision.verdict {
            Verdict::Unreachable(proof) if options.confirm => {
                let certifier =
                    certifier.get_or_insert_with(|| Certifier::new(program, Deriver::new(program, derived)));
                let checked = certifier.certify(property, proof, &options.limits.interrupt);
                Answer::of_proof(proof.clone(), checked)
            }
            verdict => answer(facts, &blasted, property, verdict, &options.shortening),
        };
        let finding = Finding { property, answer, decider, after: start.elapsed() };
        report(&finding);
        findings[decision.property] = Some(finding);
    };
    let backend = options.backend.unwrap_or(options.engine.backend());
    let outcome = options.engine.check(&blasted.circuit, backend, &options.limits, &mut hear);
    let findings = findings.into_iter().zip(&wanted).map(|(finding, &property)| {
        finding.unwrap_or_else(|| Finding {
            property,
            answer: Answer::Unknown,
            decider: Decider::Nobody,
            after: start.elapsed(),
        })
    });
    known.extend(findings);
    known.sort_by_key(|finding| finding.property);
    Ok(Report {
        findings: known,
        statistics: outcome.statistics,
        sizes,
        search: None,
        abstraction: None,
        elapsed: start.elapsed(),
    })
}

/// Leaves only the wanted properties; the others still end a run.
fn restrict(circuit: &mut Circuit, wanted: &[PropertyId]) {
    let all = std::mem::take(&mut circuit.bad);
    circuit.bad = wanted.iter().map(|property| all[property.index()].clone()).collect();
}

/// An engine's verdict in terms of the program, checked against the program where it is a run.
fn answer(facts: &Facts, blasted: &Blasted, property: PropertyId, verdict: &Verdict, budget: &Budget) -> Answer {
    match verdict {
        Verdict::Open => Answer::Unknown,
        Verdict::Unreachable(proof) => Answer::Unreachable { proof: proof.clone(), checked: None },
        Verdict::Reachable(trace) => {
            let inputs: Vec<Vec<i32>> = trace.inputs.iter().map(|bits| blasted.decode_inputs(bits)).collect();
            Answer::of_run(facts, property, inputs, budget)
        }
    }
}

/// Runs a program on inputs: after how many steps it reaches the property, if it does.
pub fn reaches(program: &Program, inputs: &[Vec<i32>], property: PropertyId) -> Option<usize> {
    let mut simulator = Simulator::new(program);
    if simulator.opening().reaches(property) {
        return Some(0);
    }
    let mut steps = inputs.iter().map(|step| simulator.step(step));
    steps.position(|step| step.reaches(property)).map(|index| index + 1)
}

/// Runs a program on inputs: how the run ended and after how many steps, if it did.
pub fn replay(program: &Program, inputs: &[Vec<i32>]) -> Option<(End, usize)> {
    let mut simulator = Simulator::new(program);
    for (index, step) in inputs.iter().enumerate() {
        if let Some(end) = simulator.end() {
            return Some((end, index));
        }
        simulator.step(step);
    }
    simulator.end().map(|end| (end, inputs.len()))
}
