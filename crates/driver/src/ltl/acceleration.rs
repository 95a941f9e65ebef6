//! Loops that count: from a lasso to one through boxes, which the loop stays in for ever.
//!
//! Where something counts on, no state repeats, or only after hopelessly many rounds. So the loop is repeated a few
//! times, and a number that moves in one direction is assumed to go on in it, up to the last number that the analysis
//! of values knows; a constant number stays (acceleration, by widening: Cousot and Cousot 1977). A number that moves to
//! and fro has the values known of all states around it. This is a guess from a few numbers; the replay of the lasso
//! has the checker confirm it.

use super::lasso::Lasso;
use crate::analysis::Facts;
use crate::analysis::flow::Flow;
use crate::certificate::{NumberSet, StateBox};
use crate::claims::numbers;
use crate::explicit::live_at_start;
use crate::explorer::{States, constants};
use crate::expr::VarId;
use crate::program::Scope;
use crate::simulate::Simulator;
use crate::witness::Run;

/// The first rounds may still be on their way to where the loop is.
const BEFORE: usize = 2;
/// The number of rounds that are looked at then.
const ROUNDS: usize = 8;
/// A number that is not the same in each round may be in every second one.
const TIMES: [usize; 2] = [1, 2];

/// The known values of all states around one, if there are any.
pub(super) type Around<'a> = dyn Fn(&[i32]) -> Option<StateBox> + 'a;

/// The same run as lassos through boxes, those with the fewest steps first; none if it ends before that is known.
pub(super) fn accelerated(facts: &Facts, flow: &Flow, around: &Around, lasso: &Lasso) -> Vec<Lasso> {
    let of = |times: usize| {
        let cycle: Run = std::iter::repeat_n(&lasso.cycle, times).flatten().cloned().collect();
        let stem = Lasso { cycle: cycle.clone(), ..lasso.clone() }.unrolled(BEFORE);
        let boxes = boxes(facts, flow, around, &stem, &cycle)?;
        Some(Lasso { stem, cycle, boxes })
    };
    TIMES.into_iter().filter_map(of).collect()
}

/// A box for each step of a loop.
fn boxes(facts: &Facts, flow: &Flow, around: &Around, stem: &Run, cycle: &Run) -> Option<Vec<StateBox>> {
    let (program, slice) = (facts.program, facts.behaviour());
    let live = live_at_start(program, slice);
    let is_carried =
        |&index: &usize| live[index] && slice.assigned[index] && program.variables[index].scope == Scope::Global;
    let carried: Vec<VarId> = (0..program.variables.len()).filter(is_carried).map(VarId::new).collect();
    let mut simulator = Simulator::new(program);
    for inputs in stem {
        if simulator.step(inputs).end.is_some() {
            return None;
        }
    }
    // By step of the loop and variable: its numbers, round by round.
    let mut seen = vec![vec![vec![]; carried.len()]; cycle.len()];
    let mut known = vec![];
    for round in 0..ROUNDS {
        for (inputs, seen) in cycle.iter().zip(&mut seen) {
            let values = &simulator.state().variables;
            if round == 0 {
                known.push(around(values));
            }
            carried.iter().zip(seen).for_each(|(variable, seen)| seen.push(values[variable.index()]));
            if simulator.step(inputs).end.is_some() {
                return None;
            }
        }
    }
    let states = States { facts: constants(facts), ..States::default() };
    let state_box = |(seen, known): (Vec<Vec<i32>>, Option<StateBox>)| {
        let known = known.unwrap_or_default();
        let sides = carried.iter().zip(seen).map(|(&variable, seen)| {
            let known = known.sides.iter().find(|side| side.0 == variable).map(|side| &side.1);
            (variable, extrapolated(flow, variable, &seen, known))
        });
        states.with_facts(StateBox { sides: sides.collect() })
    };
    Some(seen.into_iter().zip(known).map(state_box).collect())
}

/// The numbers that a variable may have, if it goes on as it did.
fn extrapolated(flow: &Flow, variable: VarId, seen: &[i32], known: Option<&NumberSet>) -> NumberSet {
    let all = flow.head.get(variable);
    let (lowest, highest) = all.bounds().unwrap_or((i32::MIN, i32::MAX));
    let (first, last) = (seen[0], seen[seen.len() - 1]);
    let (least, most) = seen.iter().fold((first, first), |(least, most), &next| (least.min(next), most.max(next)));
    let range = match () {
        () if least == most => return NumberSet::one(first),
        () if seen.is_sorted() => (first, highest.max(last)),
        () if seen.is_sorted_by(|a, b| a >= b) => (lowest.min(last), first),
        () => match known.filter(|known| seen.iter().all(|&number| known.contains(number))) {
            Some(known) => return known.clone(),
            None => (least, most),
        },
    };
    let values = all.within(range.0, range.1);
    // The analysis holds of every state; if it excludes this one, nothing is known.
    if seen.iter().all(|&number| values.contains(number)) {
        numbers(&values)
    } else {
        NumberSet::of_intervals(std::iter::once(range))
    }
}
