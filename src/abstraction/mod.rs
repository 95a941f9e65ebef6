//! The abstraction of programs that compute: variables become regions, assignments relations between them.
//!
//! A bit-level engine drowns in 32-bit products and remainders, but such programs mostly compare their variables
//! with constants, and their arithmetic maps one region between such constants to another. So each variable is
//! replaced by the number of its region, and the resulting program, which can do whatever the first one can, goes
//! to IC3. This is predicate abstraction (Graf and Saidi, 1997) with the predicates known in advance, refined where
//! an abstract run has no counterpart (Clarke, Grumberg, Jha, Lu and Veith, "Counterexample-guided abstraction
//! refinement", 2000).

pub mod concretise;
pub mod explore;
pub mod refine;
pub mod regions;
pub mod relation;
pub mod translate;

use std::time::Instant;

use crate::analysis::flow;
use crate::circuit::blast::{Width, blast};
use crate::engine::{Decision, Engine, Limits, Proof, Verdict};
use crate::program::{Program, PropertyId};
use crate::system::passes::{self, Passes};
use crate::system::{self, TooLarge};
use concretise::Concrete;
use regions::Cuts;

/// What the abstraction found out about a property.
#[derive(Clone, Debug)]
pub enum Found {
    Reachable(Vec<Vec<i32>>),
    Unreachable(Proof),
}

/// How it went.
#[derive(Clone, Debug, Default)]
pub struct Statistics {
    pub rounds: usize,
    pub latches: usize,
    pub gates: usize,
    /// The most choices that an abstraction needed.
    pub choices: usize,
    /// Abstract runs that the program does not have.
    pub spurious: usize,
    /// The most states of an abstraction that were visited.
    pub states: usize,
    /// The most real states that were told apart by regions.
    pub matched: usize,
}

/// Decides properties of a program on its abstraction, refined until they are decided or nothing more is learnt.
pub fn check(
    program: &Program,
    wanted: &[PropertyId],
    limits: &Limits,
    report: &mut dyn FnMut(PropertyId, Found),
) -> Result<Statistics, TooLarge> {
    let mut flow = flow::analyse(program)?;
    let mut cuts = Cuts::of(program, &mut flow);
    let needed = crate::explicit::needed_variables(program);
    let mut open: Vec<PropertyId> = wanted.to_vec();
    let mut statistics = Statistics::default();
    while !open.is_empty() && !limits.interrupt.is_raised() {
        statistics.rounds += 1;
        let start = Instant::now();
        let partitions = cuts.partitions(&flow);
        let abstraction = translate::translate(program, &mut flow, partitions, &needed)?;
        let translated = start.elapsed();
        let (system, _) = passes::run(system::build(&abstraction.program)?, Passes::ALL);
        let mut blasted = blast(&system, Width::Reduced);
        let all = std::mem::take(&mut blasted.circuit.bad);
        blasted.circuit.bad = open.iter().map(|property| all[property.index()].clone()).collect();
        blasted.circuit = blasted.circuit.functionally_reduced();
        statistics.latches = blasted.circuit.latches.len();
        statistics.gates = blasted.circuit.live_gates();
        statistics.choices = abstraction.choices;
        let encoded = start.elapsed();

        let mut left = vec![];
        let mut places = vec![];
        let mut hear = |decision: Decision| {
            let property = open[decision.property];
            match decision.verdict {
                Verdict::Open => {}
                Verdict::Unreachable(proof) => report(property, Found::Unreachable(proof.clone())),
                Verdict::Reachable(trace) => {
                    let run: Vec<Vec<i32>> = trace.inputs.iter().map(|bits| blasted.decode_inputs(bits)).collect();
                    match concretise::concretise(program, &abstraction, &run) {
                        Concrete::Real(reached, inputs) if reached == property => {
                            report(property, Found::Reachable(inputs));
                        }
                        Concrete::Spurious(place) => {
                            left.push(property);
                            places.push(place);
                        }
                        other => panic!("{other:?}"),
                    }
                }
            }
        };
        let outcome = Engine::Ic3.check(&blasted.circuit, Engine::Ic3.backend(), limits, &mut hear);
        if std::env::var_os("REDOUBT_DEBUG").is_some() {
            eprintln!(
                "round {}: {} latches, {} gates, {} choices in {} inputs, {} open, {} spurious; translated {:?} encoded {:?} solved {:?}",
                statistics.rounds, statistics.latches, statistics.gates, statistics.choices, abstraction.program.inputs.len(), open.len(), left.len(), translated, encoded, start.elapsed()
            );
            for place in &places {
                eprintln!("  {} step {} {:?} {}", program.properties[0].name, place.step, place.target.map(|v| &program.variable(v).name), program.exprs.print(place.expr, program));
            }
        }
        let _ = outcome;
        statistics.spurious += places.len();
        let mut news = false;
        for place in &places {
            let base = cuts.clone();
            news |= refine::refine(&flow, &base, &abstraction.partitions, place, &mut cuts) != refine::Refinement::Nothing;
        }
        left.sort_unstable();
        open = left;
        if !news {
            break;
        }
    }
    Ok(statistics)
}
