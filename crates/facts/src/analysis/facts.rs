//! Facts about a program that several engines need, found once, on demand.

use std::sync::{Arc, OnceLock};

use super::flow::{self, Flow};
use super::slice::Slice;
use crate::base::{Ended, Interrupt};
use crate::program::Program;
use crate::program::points_to::PointsTo;
use crate::simulate::Simulator;

/// A program and the facts about it.
#[derive(Debug)]
pub struct Facts<'p> {
    pub program: &'p Program,
    points_to: OnceLock<PointsTo>,
    flow: OnceLock<Result<Flow<'p>, Ended>>,
    slice: OnceLock<Arc<Slice>>,
    behaviour: OnceLock<Arc<Slice>>,
    setup: OnceLock<Simulator<'p>>,
}

impl<'p> Facts<'p> {
    pub fn new(program: &'p Program) -> Facts<'p> {
        Facts {
            program,
            points_to: OnceLock::new(),
            flow: OnceLock::new(),
            slice: OnceLock::new(),
            behaviour: OnceLock::new(),
            setup: OnceLock::new(),
        }
    }

    /// The tables that its pointers may point to.
    pub fn points_to(&self) -> &PointsTo {
        self.points_to.get_or_init(|| PointsTo::of(self.program))
    }

    /// The values of its variables. Walks through the program use a copy.
    ///
    /// If the first request is interrupted, the others fail as well: they belong to the same run.
    pub fn flow(&self, interrupt: &Interrupt) -> Result<Flow<'p>, Ended> {
        self.flow.get_or_init(|| flow::analyse(self.program, interrupt)).clone()
    }

    /// The part of the step that the ends of runs depend on.
    pub fn slice(&self) -> &Arc<Slice> {
        self.slice.get_or_init(|| Arc::new(Slice::of_ends(self.program, self.points_to())))
    }

    /// The part of the step that the ends of runs and the output depend on.
    pub fn behaviour(&self) -> &Arc<Slice> {
        self.behaviour.get_or_init(|| Arc::new(Slice::of_behaviour(self.program, self.points_to())))
    }

    /// Per variable: whether how a run ends can depend on it.
    pub fn needed_variables(&self) -> &[bool] {
        &self.slice().variables
    }

    /// The program after its setup.
    pub fn setup(&self) -> &Simulator<'p> {
        self.setup.get_or_init(|| Simulator::new(self.program))
    }
}
