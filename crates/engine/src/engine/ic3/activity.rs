//! How often each latch occurs in recent lemmas: the order in which literals are dropped and assumed.

use std::cmp::Ordering;

use crate::engine::{Cube, StateLit};

const DECAY: f64 = 0.99;
const RESCALE_ABOVE: f64 = 1e100;

/// Which literals of a cube a query assumes first. The core of a refutation tends to have those, so that runs which differ in this find
/// different lemmas.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Assumed {
    ActiveFirst,
    ActiveLast,
}

/// As for decisions in SAT solvers (Een, Sorensson, SAT 2003): the increment grows instead of all
/// activities shrinking.
pub struct Activity {
    by_latch: Vec<f64>,
    increment: f64,
    pub assumed: Assumed,
}

impl Activity {
    pub fn new(latches: usize) -> Activity {
        Activity { by_latch: vec![0.0; latches], increment: 1.0, assumed: Assumed::ActiveFirst }
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

    /// The literals of a cube in the order in which a query assumes them.
    pub fn assumed(&self, cube: &Cube) -> Vec<StateLit> {
        let mut lits = cube.lits().to_vec();
        lits.sort_by(|&a, &b| match self.assumed {
            Assumed::ActiveFirst => self.compare(b, a),
            Assumed::ActiveLast => self.compare(a, b),
        });
        lits
    }

    /// The less active first; equals in the order of latches, so that runs are reproducible.
    pub fn compare(&self, a: StateLit, b: StateLit) -> Ordering {
        let activity = |lit: StateLit| self.by_latch[lit.latch()];
        activity(a).total_cmp(&activity(b)).then(a.cmp(&b))
    }
}
