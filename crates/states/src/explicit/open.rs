//! The properties that a search still looks for.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use super::outcome::{SearchOptions, SearchVerdict};
use crate::program::{Program, PropertyId};

/// The properties that are still to be decided.
pub(super) struct Open {
    wanted: Vec<bool>,
    pub(super) left: usize,
    settled: Option<Arc<[AtomicBool]>>,
}

impl Open {
    pub(super) fn new(program: &Program, options: &SearchOptions) -> Open {
        let mut wanted = vec![options.properties.is_none(); program.properties.len()];
        options.properties.iter().flatten().for_each(|property| wanted[property.index()] = true);
        let left = wanted.iter().filter(|wanted| **wanted).count();
        Open { wanted, left, settled: options.settled.clone() }
    }

    pub(super) fn wants(&self, property: PropertyId) -> bool {
        self.wanted[property.index()]
    }

    /// A property was reached by these inputs.
    pub(super) fn reach(
        &mut self,
        property: PropertyId,
        report: &mut dyn FnMut(PropertyId, SearchVerdict),
        inputs: Vec<Vec<i32>>,
    ) {
        if std::mem::take(&mut self.wanted[property.index()]) {
            self.left -= 1;
            report(property, SearchVerdict::Reachable { inputs });
        }
    }

    /// A property is not looked for any more.
    #[cfg(feature = "distributed")]
    pub(super) fn forget(&mut self, property: PropertyId) {
        self.left -= usize::from(std::mem::take(&mut self.wanted[property.index()]));
    }

    /// Nothing more can be reached.
    pub(super) fn close(&mut self, states: usize, report: &mut dyn FnMut(PropertyId, SearchVerdict)) {
        for (index, wanted) in self.wanted.iter_mut().enumerate() {
            if std::mem::take(wanted) {
                report(PropertyId::new(index), SearchVerdict::Unreachable { states });
            }
        }
        self.left = 0;
    }

    /// Drops properties that others have decided.
    pub(super) fn drop_settled(&mut self) {
        let Some(settled) = &self.settled else { return };
        for (wanted, settled) in self.wanted.iter_mut().zip(settled.iter()) {
            if settled.load(Ordering::Relaxed) && std::mem::take(wanted) {
                self.left -= 1;
            }
        }
    }
}
