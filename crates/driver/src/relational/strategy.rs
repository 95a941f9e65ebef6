//! Who works when: diagrams in one order of variables after the other, then engines on circuits, in rounds that take longer and longer.

use std::time::Duration;

use super::subject::Questions;
use super::{Options, circuits, diagrams};
use crate::base::{Ended, Limits};
use crate::engine::states::Order;
use crate::ledger::{Ledger, Strategy};

/// Steps of diagrams in the first attempt, some tenths of a second, and the factor from round to round.
const FIRST_STEPS: u64 = 1 << 21;
const GROWTH: u32 = 2;
/// Nodes in the first round and at most, some 600 megabytes.
const FIRST_NODES: usize = 1 << 20;
const MOST_NODES: usize = 1 << 24;
/// For the engines on circuits in the first round.
const FIRST_TURN: Duration = Duration::from_millis(400);

/// All engines in turns.
pub struct InTurns<'o> {
    pub options: &'o Options,
}

impl Strategy<Questions> for InTurns<'_> {
    fn name(&self) -> &'static str {
        "relational"
    }

    fn run(&self, ledger: &Ledger<Questions>, limits: &Limits) -> Result<(), Ended> {
        for round in 0.. {
            let growth = GROWTH * round;
            let nodes = FIRST_NODES.checked_shl(growth).filter(|&nodes| nodes <= MOST_NODES).unwrap_or(MOST_NODES);
            let steps = FIRST_STEPS.checked_shl(growth).unwrap_or(u64::MAX);
            for order in Order::ALL {
                if is_over(ledger, limits) {
                    return Ok(());
                }
                diagrams::attempt(ledger, order, nodes, steps, round == 0, limits);
            }
            if is_over(ledger, limits) {
                return Ok(());
            }
            let turn = FIRST_TURN.saturating_mul(1_u32.checked_shl(growth).unwrap_or(u32::MAX));
            circuits::attempt(ledger, self.options, &within(limits, turn));
        }
        Ok(())
    }
}

fn is_over(ledger: &Ledger<Questions>, limits: &Limits) -> bool {
    limits.interrupt.is_raised() || ledger.open().is_empty()
}

/// Limits that end after `time` at the latest.
pub fn within(limits: &Limits, time: Duration) -> Limits {
    let mut limits = limits.clone();
    let (now, deadline) = (limits.interrupt.elapsed(), limits.interrupt.deadline());
    limits.interrupt = limits.interrupt.narrowed();
    let end = now.saturating_add(time);
    limits.interrupt.set_deadline(Some(deadline.map_or(end, |deadline| deadline.min(end))));
    limits
}
