//! IC3 with relations between the program's numbers: comparisons as literals, and those that always hold as
//! constraints.

use super::CheckOptions;
use super::circuit::restrict;
use super::locations::{literals, location, partition};
use super::shared::Share;
use crate::analysis::Facts;
use crate::base::progress::Stage;
use crate::base::{Ended, Limits};
use crate::blast::{Blasted, Code, blast_within};
use crate::certificate::{Comparison, Relation, Sum};
use crate::certify::certifier::Certifier;
use crate::certify::derive::{Derived, Deriver, Exact};
use crate::engine::{Decision, Engine, Invariant, Proof, StateLit, Verdict, cfa};
use crate::expr::Type;
use crate::ledger::{Ledger, Strategy};
use crate::program::{Place, Program, PropertyId, Scope, Variable};
use crate::relations::houdini::{constrain, houdini, needed};
use crate::relations::{Candidate, Chain, Extended, RANKS, candidates, extend};

pub(super) struct Relations<'o> {
    pub(super) options: &'o CheckOptions,
    pub(super) system: Share<'o>,
    /// IC3 has frames for each location.
    pub(super) by_location: bool,
}

impl Strategy<Facts<'_>> for Relations<'_> {
    fn name(&self) -> &'static str {
        if self.by_location { "cfa" } else { "relations" }
    }

    fn run(&self, ledger: &Ledger<Facts>, limits: &Limits) -> Result<(), Ended> {
        let (program, options, wanted) = (ledger.subject().program, self.options, ledger.open());
        limits.progress.level(Stage::Encoding, 0);
        let passed = self.system.get(ledger.subject(), &limits.interrupt)?;
        let mut candidates = candidates(program, &limits.interrupt);
        candidates.chains.extend(equations(program, &options.twins));
        let extended = extend(passed.system.clone(), candidates);
        let mut blasted = blast_within(&extended.system, options.width, &limits.interrupt)?;
        extended.define(&mut blasted.circuit);
        restrict(&mut blasted.circuit, &wanted);
        let free = blasted.circuit.clone();
        let chains = clauses(program, &extended, &blasted);

        let comparisons = &extended.comparisons;
        let new = |blasted: &Blasted| {
            let derived = Derived { passed: &passed, blasted };
            Certifier::new(program, Deriver::new(derived, &Exact, vec![]).with_comparisons(comparisons))
        };
        let mut certifier = None;
        let mut prove = |by, property: PropertyId, clauses: Vec<Vec<StateLit>>, blasted: &Blasted| {
            let proof = Proof::Invariant(Invariant { clauses });
            let certifier = options.confirm.then(|| certifier.get_or_insert_with(|| new(blasted)));
            let checked = certifier.and_then(|one| one.certify(property, &proof, &limits.interrupt));
            ledger.proved(by, property, proof, checked);
        };
        let mut common = vec![];
        for rank in 0..RANKS {
            // Candidates that were lost before may be kept now that more is known.
            let is_tried = |(other, chain): &&(usize, Vec<Vec<StateLit>>)| {
                *other <= rank && chain.first().is_some_and(|strongest| !common.contains(strongest))
            };
            let tried = chains.iter().filter(is_tried).map(|(_, chain)| chain.clone()).collect();
            let Some(more) = houdini(&free, &common, tried, &limits.interrupt) else { return Ok(()) };
            let is_new = more.iter().any(|clause| !common.contains(clause));
            common.extend(more);
            if rank > 0 && !is_new {
                continue;
            }
            for (index, &property) in wanted.iter().enumerate().filter(|(_, property)| ledger.open().contains(property))
            {
                if let Some(few) = needed(&free, common.clone(), index, &limits.interrupt) {
                    prove("relations", property, few, &blasted);
                }
            }
            if ledger.open().is_empty() {
                return Ok(());
            }
        }
        constrain(&mut blasted.circuit, &common);
        let mut hear = |decision: Decision| {
            let property = wanted[decision.property];
            match decision.verdict {
                Verdict::Unreachable(Proof::Invariant(invariant)) => {
                    let all: Vec<_> = common.iter().chain(&invariant.clauses).cloned().collect();
                    let few = needed(&free, all.clone(), decision.property, &limits.interrupt);
                    prove(self.name(), property, few.unwrap_or(all), &blasted);
                }
                Verdict::Reachable(trace) => {
                    let run = trace.inputs.iter().map(|bits| blasted.decode_inputs(bits)).collect();
                    ledger.reached(self.name(), property, run);
                }
                Verdict::Unreachable(_) | Verdict::Open => {}
            }
        };
        let backend = options.backend.unwrap_or(Engine::Ic3.backend());
        let outcome = if self.by_location {
            let partition = partition(program, &extended.system.states, &blasted);
            cfa::check(&blasted.circuit, &partition, &options.techniques, backend, limits, &mut hear)
        } else {
            Engine::Ic3.check(&blasted.circuit, backend, limits, &mut hear)
        };
        ledger.account(|account| account.statistics.add(&outcome.statistics));
        Ok(())
    }
}

/// The equations that twins have the same number, where they are numbers that are kept from step to step.
fn equations(program: &Program, twins: &[(Place, Place)]) -> impl Iterator<Item = Chain> {
    let is_kept = |variable: &Variable| variable.ty == Type::Int && variable.scope == Scope::Global;
    let is_number = move |place: Place| place.variable().is_none_or(|variable| is_kept(program.variable(variable)));
    twins.iter().filter(move |(one, other)| is_number(*one) && is_number(*other)).map(|&(one, other)| {
        let comparison = Comparison { left: Sum::of(one), relation: Relation::Equal, right: Sum::of(other) };
        Chain { rank: 0, candidates: vec![Candidate { location: 0, comparison, value: true }] }
    })
}

/// The candidates as clauses: the run is elsewhere, or the comparison is as it says.
fn clauses(program: &Program, extended: &Extended, blasted: &Blasted) -> Vec<(usize, Vec<Vec<StateLit>>)> {
    let originals = extended.system.states.len() - extended.comparisons.len();
    let first: usize = blasted.states[..originals].iter().map(Code::bits).sum();
    let location = location(program, &extended.system.states[..originals], blasted);
    let clause = |(number, candidate): &(usize, Candidate)| {
        // A place that the code does not have is never reached.
        let at = location.map_or(Some(vec![]), |location| literals(location, candidate.location))?;
        let mut clause: Vec<StateLit> = at.into_iter().map(|literal| !literal).collect();
        clause.push(StateLit::new(first + number, candidate.value));
        Some(clause)
    };
    extended.chains.iter().map(|(rank, chain)| (*rank, chain.iter().filter_map(clause).collect())).collect()
}
