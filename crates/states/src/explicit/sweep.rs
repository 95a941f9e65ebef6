//! Random walks from the last states that a search found, when there is no room for more of them.
//!
//! A breadth-first search that fills its memory has not been deep. Walking on from its frontier, without keeping
//! anything, finds some of the states behind it: the program is run as fast as it goes, and a walk that reaches a
//! property is a witness like any other, only not a shortest one.

use super::inputs::LOOK_AROUND;
use super::outcome::{SearchVerdict, Stop};
use super::search::Search;
use crate::base::Random;
use crate::program::PropertyId;

/// The length of a walk.
const LENGTH: usize = 500;

impl Search<'_> {
    /// Makes some steps from the frontier.
    pub(super) fn sweep(&mut self, report: &mut dyn FnMut(PropertyId, SearchVerdict)) -> Result<(), Stop> {
        let frontier = self.store.len() - self.statistics.expanded;
        if frontier == 0 || !self.tape.is_possible() {
            return Ok(());
        }
        let mut random = Random::new(0);
        // The inputs of one step after the other.
        let mut walked: Vec<i32> = vec![];
        while self.statistics.swept < self.options.sweep {
            let start = self.statistics.expanded + random.below(frontier);
            self.packing.unpack(self.store.row(start), &mut self.frame[..self.state.len()]);
            walked.clear();
            for _ in 0..LENGTH {
                if self.statistics.swept.is_multiple_of(LOOK_AROUND) {
                    self.look_around()?;
                }
                self.statistics.swept += 1;
                self.tape.choose(&mut self.frame, |count| random.below(count));
                walked.extend_from_slice(self.tape.values(&self.frame));
                let status = self.machine.run(&mut self.frame);
                for property in self.machine.take_reached(status, &mut self.frame) {
                    if self.open.wants(property) {
                        let mut inputs = self.way_to(start)?;
                        // Without inputs there is nothing to choose, and nothing that the search before had missed.
                        inputs.extend(walked.chunks(self.tape.inputs().max(1)).map(<[i32]>::to_vec));
                        self.open.reach(property, report, inputs);
                    }
                }
                if status != 0 {
                    break;
                }
            }
        }
        Ok(())
    }
}
