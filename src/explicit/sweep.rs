//! Random walks from the last states that a search found, when there is no room for more of them.
//!
//! A breadth-first search that fills its memory has not been deep. Walking on from its frontier, without keeping anything,
//! finds some of what lies behind it: the program is run as fast as it goes, and a walk that reaches a property is a
//! witness like any other, only not a shortest one.

use super::search::{LOOK_AROUND, Search, Stop, Verdict, witness};
use crate::program::PropertyId;
use crate::simulate::random::Random;

/// Walks are that long, since what is deep is often reached from all over the place if only one goes on for long.
const LENGTH: usize = 500;

impl Search<'_> {
    /// Makes some steps from the frontier.
    pub(super) fn sweep(&mut self, report: &mut dyn FnMut(PropertyId, Verdict)) -> Result<(), Stop> {
        let frontier = self.store.len() - self.statistics.expanded;
        if frontier == 0 || self.combinations.count == 0 {
            return Ok(());
        }
        let mut random = Random::new(0);
        let mut walked = vec![];
        while self.statistics.swept < self.options.sweep {
            let start = self.statistics.expanded + random.below(frontier);
            self.packing.unpack(self.store.row(start), &mut self.frame[..self.state.len()]);
            walked.clear();
            while walked.len() < LENGTH {
                if self.statistics.swept.is_multiple_of(LOOK_AROUND) {
                    self.look_around()?;
                }
                self.statistics.swept += 1;
                let number = random.below(self.combinations.count);
                walked.push(number);
                self.machine.set_inputs(&mut self.frame, self.combinations.get(number));
                let status = self.machine.run(&mut self.frame);
                if status != 0 {
                    if let Some(property) = self.machine.property(status) {
                        let inputs = || witness(&self.store, self.combinations, start, &walked);
                        self.open.reach(property, report, inputs);
                    }
                    break;
                }
            }
        }
        Ok(())
    }
}
