//! The abstraction given to IC3, all properties at once, and refined until they are decided.
//!
//! For programs whose abstraction has more states than can be visited: IC3 does not visit states. Its runs are replayed
//! by the program; where one parts from the abstract run, the regions are cut, and IC3 starts again with the rest.

use super::concretise::{self, Concrete};
use super::meaning::Regions;
use super::refine::{self, Refinement};
use super::regions::{self, Cuts};
use super::{Found, Order, Statistics, translate};
use crate::analysis::Facts;
use crate::base::Ended;
use crate::blast::{Width, blast_within};
use crate::certify::certifier::Certifier;
use crate::certify::derive::{Derived, Deriver};
use crate::claims::facts_of_flow;
use crate::engine::{Decision, Engine, Verdict};
use crate::program::PropertyId;
use crate::system;
use crate::system::passes::{self, Passes};

/// Decides properties of a program by IC3 on its abstraction.
pub fn prove(facts: &Facts, order: &Order, report: &mut dyn FnMut(PropertyId, Found)) -> Result<Statistics, Ended> {
    let program = facts.program;
    let mut flow = facts.flow(&order.limits.interrupt)?;
    let mut cuts = Cuts::of(program, &mut flow);
    let needed = facts.needed_variables();
    let mut open = super::behind_setup(facts, order.wanted, report);
    let mut statistics = Statistics::default();
    while !order.limits.interrupt.is_raised() {
        open.retain(|&property| order.is_open(property));
        if open.is_empty() {
            break;
        }
        statistics.rounds += 1;
        let partitions = cuts.partitions(&flow);
        let abstraction = translate::translate(program, &mut flow, partitions, needed, &order.limits.interrupt)?;
        let system = system::build_within(&Facts::new(&abstraction.program), &order.limits.interrupt)?;
        let passed = passes::run(system, Passes::ALL, &order.limits.interrupt);
        let mut blasted = blast_within(&passed.system, Width::Reduced, &order.limits.interrupt)?;
        let all = std::mem::take(&mut blasted.circuit.bad);
        blasted.circuit.bad = open.iter().map(|property| all[property.index()].clone()).collect();
        blasted.circuit = blasted.circuit.functionally_reduced();
        statistics.choices = statistics.choices.max(abstraction.choices);

        let derived = Derived { passed: &passed, blasted: &blasted };
        let partitions = &abstraction.partitions;
        let new = || {
            let meaning = Regions { program, partitions, needed };
            // The abstraction relies on the values of the flow.
            let deriver = Deriver::new(derived, &meaning, facts_of_flow(&flow));
            Certifier::new(program, deriver.with_cuts(regions::all_cuts(partitions)))
        };
        let mut certifier = None;
        let (mut left, mut places) = (vec![], vec![]);
        let mut hear = |decision: Decision| {
            let property = open[decision.property];
            match decision.verdict {
                Verdict::Open => {}
                Verdict::Unreachable(proof) => {
                    let certifier = order.confirm.then(|| certifier.get_or_insert_with(new));
                    let checked = certifier.and_then(|one| one.certify(property, proof, &order.limits.interrupt));
                    report(property, Found::Unreachable(proof.clone(), checked));
                }
                Verdict::Reachable(trace) => {
                    let run: Vec<Vec<i32>> = trace.inputs.iter().map(|bits| blasted.decode_inputs(bits)).collect();
                    match concretise::concretise(program, &abstraction, property, &run) {
                        Concrete::Real(inputs) => report(property, Found::Reachable(inputs)),
                        Concrete::Spurious(place) => {
                            left.push(property);
                            places.push(place);
                        }
                        Concrete::Ends => {}
                    }
                }
            }
        };
        Engine::Ic3.check(&blasted.circuit, Engine::Ic3.backend(), order.limits, &mut hear);
        statistics.spurious += places.len();
        let (base, mut news) = (cuts.clone(), false);
        for place in &places {
            let refinement = refine::refine(&flow, &base, &abstraction.partitions, place, &mut cuts);
            news |= refinement != Refinement::Nothing;
        }
        if !news {
            break;
        }
        left.sort_unstable();
        open = left;
    }
    Ok(statistics)
}
