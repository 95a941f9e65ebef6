//! Single steps from arbitrary states, as fast as machine code allows: for long walks.

use std::sync::Arc;

use super::layout::Layout;
use super::machine::{Execution, Machine};
use crate::analysis::slice::Slice;
use crate::expr::Type;
use crate::program::Program;
use crate::program::points_to::PointsTo;
use crate::simulate::{End, Simulator};

/// Runs a program like [`Simulator`], but prints nothing and is a hundred times as fast.
///
/// A state is the values of all variables, in the program's order, followed by the cells of all tables, one
/// table after the other. Variables that no statement assigns keep their initial values, whatever a state says.
#[derive(Debug)]
pub struct Stepper<'p> {
    program: &'p Program,
    machine: Machine<'p>,
    frame: Vec<i32>,
    /// The positions of pointers in a state.
    pointers: Vec<usize>,
}

impl<'p> Stepper<'p> {
    /// The program after its setup.
    pub fn new(program: &'p Program, execution: Execution) -> Stepper<'p> {
        let (slice, layout) =
            (Arc::new(Slice::everything(program, &PointsTo::of(program))), Layout::of_everything(program));
        let machine = Machine::new(program, slice, layout, execution);
        let frame = machine.layout.frame(program, &Simulator::new(program));
        let is_pointer = |index: &usize| program.variables[*index].ty == Type::Pointer;
        let pointers = (0..program.variables.len()).filter(is_pointer).collect();
        Stepper { program, machine, frame, pointers }
    }

    /// The current state.
    pub fn state(&self) -> &[i32] {
        &self.frame[..self.machine.layout.state]
    }

    /// Goes over to another state of the same program.
    ///
    /// # Panics
    ///
    /// If it has not as many values as the program, or a pointer is not the number of a table.
    pub fn restore(&mut self, state: &[i32]) {
        let tables = self.program.tables.len();
        for &index in &self.pointers {
            assert!((state[index] as usize) < tables, "{} is not the number of a table", state[index]);
        }
        self.frame[..self.machine.layout.state].copy_from_slice(state);
    }

    /// One step on one value per input; how the run ended, if it did.
    ///
    /// Unlike the simulator's, a run that has ended can be continued, since nothing is remembered of its end.
    pub fn step(&mut self, inputs: &[i32]) -> Option<End> {
        assert_eq!(inputs.len(), self.program.inputs.len(), "a step gets a value for every input");
        self.machine.set_inputs(&mut self.frame, inputs);
        let status = self.machine.run(&mut self.frame);
        self.machine.end(status, &self.frame)
    }
}
