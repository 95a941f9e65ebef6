//! The abstraction explored state by state, and refined for one property after the other.
//!
//! Three searches take turns. The *abstract search* visits all states of the abstract program: a property that it does
//! not reach is unreachable. A property that it reaches may be reachable: its run is replayed, and if the program does
//! not have it, *matching* visits real states and identifies those that the regions do not tell apart. A property that
//! neither confirms nor refutes is refined, by itself: the needs of one property would only be noise to the others.
//!
//! Counters are the reason why. A program with thirty of them, each with a bound, has few states apart from the
//! counters; with them it has far too many. So a variable that only counts is *hidden* at first: its comparisons may go
//! either way. Where a property depends on one, that counter is driven to its bound, by matching with a goal; and if
//! that does not settle it, the counter is split into single values.

use std::collections::BTreeMap;
use std::rc::Rc;
use std::sync::Arc;

use super::concretise::{self, Concrete, Parting};
use super::refine::{self, Refinement};
use super::regions::{self, Cuts, Partition};
use super::translate::{self, Abstraction};
use super::{Found, Order, Statistics};
use crate::analysis::Facts;
use crate::analysis::flow::Flow;
use crate::base::Ended;
use crate::base::progress::Stage;
use crate::certificate::{self, Checked, Judgement};
use crate::claims::visited;
use crate::engine::Proof;
use crate::explicit::matching::{Goal, Matcher, View};
use crate::explicit::{self, Execution, SearchVerdict, Stop};
use crate::expr::{Type, VarId};
use crate::program::{Program, PropertyId};

/// A search that is over after this many steps is not worth compiling for.
const INTERPRETED_STEPS: u64 = 40_000;

/// The most steps of the abstract search at first, and of its second attempt.
const MOST_STEPS: u64 = 6_000_000;
const MOST_STEPS_EVER: u64 = 64 * MOST_STEPS;

/// An abstraction with more choices than this has states that take thousands of steps.
const MANY_CHOICES: usize = 1000;

/// The most states that matching visits in a round; more if the abstract search needed many.
const MATCHED_STATES: usize = 400_000;

/// The most refinements of a property.
const MOST_ROUNDS: usize = 40;

/// Decides properties of a program by visiting the states of its abstraction; open properties need another engine.
/// `overview` is called once every property has been looked at, before the first is refined, or sooner if that takes
/// long.
pub fn explore(
    facts: &Facts,
    order: &Order,
    report: &mut dyn FnMut(PropertyId, Found),
    overview: &dyn Fn(),
) -> Result<Statistics, Ended> {
    let program = facts.program;
    let mut flow = facts.flow(&order.limits.interrupt)?;
    let base = Cuts::of(program, &mut flow);
    let open = super::behind_setup(facts, order.wanted, report);
    let mut explorer = Explorer {
        program,
        facts,
        flow,
        base,
        order,
        report,
        open,
        statistics: Statistics::default(),
        most_steps: MOST_STEPS,
        matcher: None,
    };
    let hidden = explorer.hidden()?;
    let is_slow = explorer.statistics.choices > MANY_CHOICES;
    if is_slow {
        // The abstract search will take long; neither the labels that are easy to reach nor the other engines need to
        // wait for it.
        explorer.match_states(&hidden, None, None);
        overview();
    }
    let (mut places, mut is_whole) = explorer.visit_all(&hidden)?;
    if !is_slow {
        explorer.match_states(&hidden, None, None);
        overview();
    }
    while !is_whole && explorer.most_steps < MOST_STEPS_EVER && !explorer.is_over() {
        // All properties at once are cheaper than one after the other, even if it takes longer.
        explorer.most_steps *= 8;
        (places, is_whole) = explorer.visit_all(&hidden)?;
    }
    for property in order.wanted {
        if let Some(place) = places.remove(property) {
            explorer.decide(*property, place, hidden.clone())?;
        }
    }
    Ok(explorer.statistics)
}

struct Explorer<'e, 'p> {
    program: &'p Program,
    facts: &'e Facts<'p>,
    flow: Flow<'p>,
    /// The cuts that the program's comparisons ask for.
    base: Cuts,
    order: &'e Order<'e>,
    report: &'e mut dyn FnMut(PropertyId, Found),
    open: Vec<PropertyId>,
    statistics: Statistics,
    /// The most steps of the abstract search.
    most_steps: u64,
    /// The program, compiled when it is first needed.
    matcher: Option<Matcher<'p>>,
}

/// Where a run of the abstract program parts from the program, and the regions that it had.
type Parted = (Parting, Rc<Vec<Partition>>);

impl Explorer<'_, '_> {
    /// The base cuts without those of variables that only count: each assignment to them that the regions do not
    /// decide reads nothing else.
    fn hidden(&mut self) -> Result<Cuts, Ended> {
        let abstraction = self.abstraction(&self.base.clone())?;
        self.statistics.choices = abstraction.choices;
        let mut hidden = self.base.clone();
        for (index, undecided) in abstraction.undecided.iter().enumerate() {
            let variable = VarId::new(index);
            let counts = |&value| self.program.exprs.variables(value) == [variable];
            if !undecided.is_empty() && undecided.iter().all(counts) {
                hidden.hide(variable);
            }
        }
        Ok(hidden)
    }

    fn abstraction(&mut self, cuts: &Cuts) -> Result<Abstraction, Ended> {
        let partitions = cuts.partitions(&self.flow);
        translate::translate(
            self.program,
            &mut self.flow,
            partitions,
            self.facts.needed_variables(),
            &self.order.limits.interrupt,
        )
    }

    /// Whether all is decided, or time is up.
    fn is_over(&mut self) -> bool {
        self.open.retain(|&property| self.order.is_open(property));
        self.open.is_empty() || self.order.limits.interrupt.is_raised()
    }

    /// Refines until a property is decided or nothing more can be done.
    fn decide(&mut self, property: PropertyId, mut parted: Parted, mut cuts: Cuts) -> Result<(), Ended> {
        for _ in 0..MOST_ROUNDS {
            if self.is_over() || !self.open.contains(&property) {
                return Ok(());
            }
            let before = cuts.clone();
            match refine::refine(&self.flow, &self.base, &parted.1, &parted.0, &mut cuts) {
                Refinement::Nothing => return Ok(()),
                Refinement::Cut => {}
                Refinement::Shown(counter) => self.drive(property, &before, counter),
            }
            if self.open.contains(&property) {
                self.match_states(&cuts, Some(property), None);
            }
            if !self.is_over() && self.open.contains(&property) {
                match self.visit_all(&cuts)?.0.remove(&property) {
                    Some(next) => parted = next,
                    None => return Ok(()),
                }
            }
        }
        Ok(())
    }

    /// Visits the states of the abstraction. The result is where the runs part that reach an open property, and whether
    /// all states were visited.
    fn visit_all(&mut self, cuts: &Cuts) -> Result<(BTreeMap<PropertyId, Parted>, bool), Ended> {
        self.statistics.rounds += 1;
        self.order.limits.progress.level(Stage::Regions, self.statistics.rounds);
        let abstraction = self.abstraction(cuts)?;
        self.statistics.choices = self.statistics.choices.max(abstraction.choices);
        let mut options = explicit::SearchOptions {
            interrupt: self.order.limits.interrupt.clone(),
            properties: Some(self.open.clone()),
            steps: Some(INTERPRETED_STEPS),
            execution: Execution::Interpreted,
            keep: self.order.confirm,
            threads: self.order.limits.threads.clone(),
            ..explicit::SearchOptions::default()
        };
        let mut found = vec![];
        let mut hear = |property, verdict| found.push((property, verdict));
        let facts = Facts::new(&abstraction.program);
        let mut outcome = explicit::search(&facts, &options, &mut hear);
        if outcome.stop == Stop::Steps {
            found.clear();
            options.steps = Some(self.most_steps);
            options.execution = Execution::Fast;
            let mut hear = |property, verdict| found.push((property, verdict));
            outcome = explicit::search(&facts, &options, &mut hear);
        }
        self.statistics.states = self.statistics.states.max(outcome.statistics.states);
        let partitions = Rc::new(abstraction.partitions.clone());
        let checked = self.certify(&abstraction, &facts, &outcome.visited, &found);
        let mut places = BTreeMap::new();
        for (property, verdict) in found {
            match verdict {
                SearchVerdict::Unreachable { states } => {
                    self.decided(property, Found::Unreachable(Proof::Exhausted { states }, checked.clone()));
                }
                SearchVerdict::Reachable { inputs } => {
                    match concretise::concretise(self.program, &abstraction, property, &inputs) {
                        Concrete::Real(inputs) => self.decided(property, Found::Reachable(inputs)),
                        Concrete::Spurious(place) => {
                            self.statistics.spurious += 1;
                            places.insert(property, (place, Rc::clone(&partitions)));
                        }
                        Concrete::Ends => {}
                    }
                }
            }
        }
        Ok((places, outcome.stop != Stop::Steps))
    }

    /// The visited states as an invariant of the program, checked: it excludes the properties found unreachable.
    fn certify(
        &mut self,
        abstraction: &Abstraction,
        facts: &Facts,
        states: &[i32],
        found: &[(PropertyId, SearchVerdict)],
    ) -> Option<Checked> {
        let proved = found.iter().filter(|(_, verdict)| matches!(verdict, SearchVerdict::Unreachable { .. }));
        let proved: Vec<PropertyId> = proved.map(|(property, _)| *property).collect();
        if proved.is_empty() || !self.order.confirm {
            return None;
        }
        let number_of_proofs = proved.len();
        let variables = explicit::state_variables(facts);
        let interval = |variable: VarId, number: u32| match self.program.variable(variable).ty {
            Type::Bool => (number as i32, number as i32),
            _ => abstraction.partitions[variable.index()].region(number as usize),
        };
        let mut certificate = visited::certificate(&self.flow, proved, &variables, states, interval);
        certificate.cuts = regions::all_cuts(&abstraction.partitions);
        let interrupt = certificate::share(&self.order.limits.interrupt);
        let threads = self.order.limits.threads.borrow(usize::MAX);
        let judgement = certificate::execute::confirm_on(1 + threads.count(), self.program, &certificate, &interrupt);
        drop(threads);
        if judgement != Judgement::Confirmed {
            self.statistics.unconfirmed += number_of_proofs;
        }
        Some(Checked { certificate: Arc::new(certificate), judgement })
    }

    /// Drives a counter to each of its regions but the one where it starts.
    fn drive(&mut self, property: PropertyId, cuts: &Cuts, counter: VarId) {
        let mut cuts = cuts.clone();
        cuts.copy(&self.base, counter);
        let partition = cuts.partitions(&self.flow).swap_remove(counter.index());
        let start = partition.index_of(self.program.variable(counter).initial);
        for region in (0..partition.len()).filter(|&region| region != start) {
            if !self.is_over() && self.open.contains(&property) {
                self.match_states(&cuts, Some(property), Some((counter, partition.region(region))));
            }
        }
    }

    /// Visits real states, of those that the regions do not tell apart only one; until a property is reached, and as
    /// far again for others.
    fn match_states(&mut self, cuts: &Cuts, sought: Option<PropertyId>, goal: Option<(VarId, (i32, i32))>) {
        if self.is_over() {
            return;
        }
        let facts = self.facts;
        let matcher = self.matcher.get_or_insert_with(|| Matcher::new(facts, Execution::Fast));
        let variables = matcher.variables();
        let partitions = cuts.partitions(&self.flow);
        let seen: Vec<&Partition> = variables.iter().map(|variable| &partitions[variable.index()]).collect();
        let look = |state: &[i32], numbers: &mut [u16]| {
            for (position, (number, &value)) in numbers.iter_mut().zip(state).enumerate() {
                *number = seen.get(position).map_or(value as u16, |partition| partition.index_of(value) as u16);
            }
        };
        let goal = goal.and_then(|(counter, values)| {
            let position = variables.iter().position(|&variable| variable == counter)?;
            Some(Goal { position, values })
        });
        let width = matcher.size();
        let view = View { look: &look, width, goal, most: MATCHED_STATES.max(4 * self.statistics.states) };
        let (open, report) = (&mut self.open, &mut self.report);
        let matched = matcher.search(&view, &self.order.limits.interrupt, &mut |property, way| {
            if open.contains(&property)
                && let Some(run) = way()
            {
                open.retain(|&other| other != property);
                report(property, Found::Reachable(run));
            }
            !open.is_empty() && sought.is_none_or(|sought| open.contains(&sought))
        });
        self.statistics.matched = self.statistics.matched.max(matched.states);
    }

    fn decided(&mut self, property: PropertyId, found: Found) {
        if self.open.contains(&property) {
            self.open.retain(|&other| other != property);
            (self.report)(property, found);
        }
    }
}
