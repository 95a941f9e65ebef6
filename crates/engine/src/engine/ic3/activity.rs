//! How often each latch occurs in recent lemmas: the order in which literals are dropped and assumed.

use std::cmp::Ordering;

use crate::engine::{Cube, StateLit};

const DECAY: f64 = 0.99;
const RESCALE_ABOVE: f64 = 1e100;

/// As for decisions in SAT solvers (Een, Sorensson, SAT 2003): the increment grows instead of all
/// activities shrinking.
pub struct Activity {
    by_latch: Vec<f64>,
    increment: f64,
}

impl Activity {
    pub fn new(latches: usize) -> Activity {
        Activity { by_latch: vec![0.0; latches], increment: 1.0 }
    }

    pub fn bump(&mut self, lemma: &Cube) {
        for lit in lemma.lits() {
            self.by_latch[lit.latch()] += self.increment;
        }
        self.increment /= DECAY;
        if self.increment > RESCALE_ABOVE {
            self.increment /= RESCALE_ABOVE;
            for activity in &mut self.by_latch {
                *activity /= RESCALE_ABOVE;
            }
        }
    }

    /// The less active first; equals in the order of latches, so that runs are reproducible.
    pub fn compare(&self, a: StateLit, b: StateLit) -> Ordering {
        let activity = |lit: StateLit| self.by_latch[lit.latch()];
        activity(a).total_cmp(&activity(b)).then(a.cmp(&b))
    }
}
