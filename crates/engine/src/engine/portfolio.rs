//! IC3, bounded model checking and decision diagrams in turns, on one thread, or IC3 beside the others, localization and a second IC3 on two.
//!
//! IC3 finds long traces slowly, frame by frame; bounded model checking often finds them at once, but never ends where
//! there are none; where there are few state bits, diagrams decide at once what the other two may not decide at all; and where a
//! proof is about a small part of the circuit, localization finds that part, if there is a second thread: on one, it gained two of 46
//! models of the competitions and lost three, for which IC3 had too little time left. Nobody knows which of them a property needs. So each works for a while, then the next. Rounds of IC3 and of diagrams last twice as
//! long as those before, those of bounded model checking half as long again: a longer run takes it many times as long, so that more
//! time seldom helps. Rounds are measured in steps of the algorithms, not in time, so a run can be repeated.

use std::time::Instant;

use super::bdd;
use super::bmc::{self, Search};
use super::ic3::{self, activity::Assumed};
use super::localize::{self, Work};
use super::transition::Transition;
use super::{Decision, Engine, Interrupted, Limits, Outcome, Phase, Statistics, Verdict, Verdicts};
use crate::sat::Backend;
use redoubt_circuit::Circuit;

/// The work of each in the first round, which takes it the better part of a second.
struct Rounds {
    /// Propagations.
    ic3: u64,
    /// Ticks.
    bmc: u64,
    diagrams: bool,
    localizes: bool,
}

const ROUNDS: Rounds = Rounds { ic3: 5_000_000, bmc: 16_000_000, diagrams: true, localizes: false };

/// The backend is that of IC3.
pub fn check(circuit: &Circuit, backend: Backend, limits: &Limits, report: &mut dyn FnMut(Decision)) -> Outcome {
    check_in_rounds(circuit, backend, limits, &ROUNDS, report)
}

fn check_in_rounds(
    circuit: &Circuit,
    backend: Backend,
    limits: &Limits,
    rounds: &Rounds,
    report: &mut dyn FnMut(Decision),
) -> Outcome {
    let transition = Transition::within(circuit, limits);
    let mut ic3 = ic3::Run::new(circuit, &transition, backend, limits, report);
    let mut others = Others::new(circuit, &transition, limits, rounds);
    // Properties that are easy for IC3 are proved by clauses, which are easier to read than diagrams.
    let is_easy = ic3.decide_all(rounds.ic3 / 10);
    for round in 0..if is_easy { 0 } else { 63 } {
        // Diagrams decide most of their properties in their first round.
        others.by_diagrams(&ic3.open(), &mut |property, verdict| ic3.decide(property, verdict));
        let is_alone = !others.are_searching && !others.is_localizing();
        let work = if is_alone { u64::MAX } else { rounds.ic3.saturating_mul(1 << round) };
        if ic3.decide_all(work) {
            break;
        }
        let open = ic3.open();
        if others.by_localization(&open, &mut |property, verdict| ic3.decide(property, verdict)).is_err() {
            break;
        }
        let open = ic3.open();
        if others.by_search(&open, &mut |property, verdict| ic3.decide(property, verdict)).is_err() {
            break;
        }
    }
    let mut outcome = ic3.into_outcome();
    others.add_phases(&mut outcome.statistics);
    outcome
}

/// All but IC3, which has a thread of its own, and an IC3 that takes literals in another order: leaves alone properties
/// that are settled there. Localization has its turn unless it has a thread of its own.
pub fn search_unsettled(
    circuit: &Circuit,
    limits: &Limits,
    localizes: bool,
    settled: &dyn Fn(usize) -> bool,
    report: &mut dyn FnMut(Decision),
) -> Outcome {
    search_in_rounds(circuit, limits, &Rounds { localizes, ..ROUNDS }, settled, report)
}

fn search_in_rounds(
    circuit: &Circuit,
    limits: &Limits,
    rounds: &Rounds,
    settled: &dyn Fn(usize) -> bool,
    report: &mut dyn FnMut(Decision),
) -> Outcome {
    let transition = Transition::within(circuit, limits);
    let mut verdicts = Verdicts::new(circuit.bad.len(), report);
    let mut others = Others::new(circuit, &transition, limits, rounds);
    let mut unheard = |_: Decision| {};
    let run = ic3::Run::new(circuit, &transition, Engine::Ic3.backend(), limits, &mut unheard);
    let mut second = Second { run: run.assuming(Assumed::ActiveLast), work: rounds.ic3, is_over: false };
    let unsettled = |verdicts: &Verdicts| -> Vec<usize> {
        verdicts.open().into_iter().filter(|&property| !settled(property)).collect()
    };
    while (others.are_searching || others.is_localizing() || !second.is_over) && !limits.interrupt.is_raised() {
        let open = unsettled(&verdicts);
        if open.is_empty() {
            break;
        }
        others.by_diagrams(&open, &mut |property, verdict| verdicts.decide(property, verdict));
        // Deep runs are for this one alone, so it comes before those whose work IC3 may do as well.
        let open = unsettled(&verdicts);
        if others.by_search(&open, &mut |property, verdict| verdicts.decide(property, verdict)).is_err() {
            break;
        }
        let open = unsettled(&verdicts);
        second.search(&open, &mut |property, verdict| verdicts.decide(property, verdict));
        let open = unsettled(&verdicts);
        if others.by_localization(&open, &mut |property, verdict| verdicts.decide(property, verdict)).is_err() {
            break;
        }
    }
    let mut statistics = second.run.into_outcome().statistics;
    others.add_phases(&mut statistics);
    Outcome { verdicts: verdicts.verdicts, statistics }
}

/// An IC3 beside the first one that differs only in the literals it assumes first. The time of a proof depends on that
/// order more than on most techniques, and the best order cannot be known beforehand.
struct Second<'a, 'r> {
    run: ic3::Run<'a, 'r>,
    /// The total work at the end of its next round.
    work: u64,
    is_over: bool,
}

impl Second<'_, '_> {
    fn search(&mut self, open: &[usize], found: &mut dyn FnMut(usize, Verdict)) {
        for property in self.run.open().into_iter().filter(|property| !open.contains(property)) {
            self.run.give_up(property);
        }
        self.is_over = self.run.decide_all(self.work);
        self.work = half_as_much_again(self.work);
        for &property in open {
            match self.run.verdict(property) {
                Verdict::Open => {}
                verdict => found(property, verdict.clone()),
            }
        }
    }
}

/// The bounds of rounds that share a thread grow alike, so that none is left without time for long.
fn half_as_much_again(work: u64) -> u64 {
    work.saturating_add(work / 2 + 1)
}

/// The engines that take turns with IC3, or work beside it.
struct Others<'a> {
    diagrams: Option<bdd::Turns<'a>>,
    bmc: bmc::Run<'a>,
    /// As long as the part that it works on is a small one.
    localization: Option<(localize::Run<'a>, Work)>,
    /// The total work of bounded model checking at the end of its next round.
    work: u64,
    /// There may be something left to find.
    are_searching: bool,
    statistics: Statistics,
}

impl<'a> Others<'a> {
    fn new(circuit: &'a Circuit, transition: &'a Transition, limits: &Limits, rounds: &Rounds) -> Self {
        Others {
            diagrams: if rounds.diagrams { bdd::Turns::new(circuit, limits) } else { None },
            bmc: bmc::Run::new(circuit, transition, Engine::Bmc.backend(), limits),
            localization: rounds.localizes.then(|| {
                let run = localize::Run::new(circuit, transition, Engine::Localize.backend(), limits);
                (run, Work { ticks: rounds.bmc, propagations: rounds.ic3 })
            }),
            work: rounds.bmc,
            are_searching: true,
            statistics: Statistics::default(),
        }
    }

    fn by_diagrams(&mut self, open: &[usize], found: &mut dyn FnMut(usize, Verdict)) {
        if let Some(diagrams) = &mut self.diagrams {
            diagrams.search(open, found);
        }
    }

    fn is_localizing(&self) -> bool {
        self.localization.is_some()
    }

    fn by_localization(&mut self, open: &[usize], found: &mut dyn FnMut(usize, Verdict)) -> Result<(), Interrupted> {
        let Some((run, work)) = &mut self.localization else { return Ok(()) };
        run.search(*work, open, found)?;
        *work = Work { ticks: half_as_much_again(work.ticks), propagations: half_as_much_again(work.propagations) };
        if run.needs_most() {
            self.end_localization();
        }
        Ok(())
    }

    fn end_localization(&mut self) {
        if let Some((run, _)) = self.localization.take() {
            self.statistics.add(&run.into_statistics());
        }
    }

    fn by_search(&mut self, open: &[usize], found: &mut dyn FnMut(usize, Verdict)) -> Result<(), Interrupted> {
        let start = Instant::now();
        let search = self.bmc.search(self.work, open, found);
        self.statistics.record(Phase::Unroll, start);
        self.work = half_as_much_again(self.work);
        self.are_searching = search? == Search::Paused;
        Ok(())
    }

    /// Adds their times to the statistics of IC3.
    fn add_phases(mut self, statistics: &mut Statistics) {
        self.end_localization();
        statistics.add_phase(Phase::Unroll, self.statistics.phase(Phase::Unroll));
        if let Some(diagrams) = self.diagrams {
            statistics.add(&diagrams.into_statistics());
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::engine::Verdict;
    use redoubt_circuit::random::Random;

    /// Rounds so short that the engines pause all the time: the verdicts are those of IC3 alone, and most traces are
    /// found by another one.
    #[test]
    fn pauses_change_nothing() {
        let (mut shortest, mut traces) = (0, 0);
        for seed in 0..200 {
            let mut random = Random::new(seed);
            let circuit = random.circuit(2 + seed as usize % 6, 3, 40);
            let limits = Limits::default();
            let rounds = Rounds { ic3: 1, bmc: 1, diagrams: seed % 4 == 0, localizes: seed % 3 == 0 };
            let mut reported = vec![Verdict::Open; circuit.bad.len()];
            let outcome = check_in_rounds(&circuit, Backend::Cone, &limits, &rounds, &mut |decision| {
                assert!(reported[decision.property].is_open(), "reported twice");
                reported[decision.property] = decision.verdict.clone();
            });
            assert_eq!(reported, outcome.verdicts);
            let alone = ic3::check(&circuit, Backend::Cone, &limits, &mut |_| {});
            let bmc = bmc::check(&circuit, Backend::Cadical, &Limits::depth(20), &mut |_| {});
            for (property, verdict) in outcome.verdicts.iter().enumerate() {
                assert_eq!(
                    std::mem::discriminant(verdict),
                    std::mem::discriminant(&alone.verdicts[property]),
                    "seed {seed}, property {property}"
                );
                if let Verdict::Reachable(trace) = verdict {
                    assert!(trace.reaches(&circuit, property), "seed {seed}, property {property}");
                    traces += 1;
                    shortest += usize::from(*verdict == bmc.verdicts[property]);
                }
            }
        }
        println!("{shortest} of {traces} traces are those of bounded model checking");
        assert!(shortest > 0);
    }

    /// The same for those beside IC3: they decide all that it leaves to them, and nothing else.
    #[test]
    fn those_beside_ic3_decide_what_is_not_settled() {
        for seed in 0..200 {
            let circuit = Random::new(seed).circuit(2 + seed as usize % 6, 3, 40);
            let limits = Limits::default();
            let rounds = Rounds { ic3: 1, bmc: 1, diagrams: seed % 4 == 0, localizes: seed % 3 == 0 };
            let is_settled = |property: usize| (property + seed as usize).is_multiple_of(5);
            let outcome = search_in_rounds(&circuit, &limits, &rounds, &is_settled, &mut |_| {});
            let alone = ic3::check(&circuit, Backend::Cone, &limits, &mut |_| {});
            for (property, verdict) in outcome.verdicts.iter().enumerate() {
                let place = format!("seed {seed}, property {property}");
                match verdict {
                    Verdict::Open => assert!(is_settled(property), "{place}"),
                    Verdict::Reachable(trace) => assert!(trace.reaches(&circuit, property), "{place}"),
                    Verdict::Unreachable(_) => {
                        assert!(matches!(alone.verdicts[property], Verdict::Unreachable(_)), "{place}")
                    }
                }
            }
        }
    }
}
