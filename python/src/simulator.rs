//! A run of a program, step by step.

use std::sync::Arc;

use pyo3::prelude::*;
use pyo3::types::PyDict;
use redoubt::program::{PropertyKind, Scope};
use redoubt::simulate::{self, State, Step};
use redoubt::End;

use crate::program::Program;
use crate::refused;

/// Runs a program as the reference of all engines does.
#[pyclass(module = "redoubt")]
pub struct Simulator {
    program: Arc<redoubt::Program>,
    state: State,
    end: Option<End>,
    opening: Step,
    steps: usize,
}

#[pymethods]
impl Simulator {
    #[new]
    fn new(program: &Program) -> Simulator {
        let program = Arc::clone(&program.program);
        let simulator = simulate::Simulator::new(&program);
        let (state, end, opening) = (simulator.state().clone(), simulator.end(), simulator.opening().clone());
        Simulator { program, state, end, opening, steps: 0 }
    }

    /// The effects of the program before its first step.
    #[getter]
    fn opening<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        self.record(py, &self.opening, 0)
    }

    /// Whether the run has ended.
    #[getter]
    fn ended(&self) -> bool {
        self.end.is_some()
    }

    /// The values of the variables that are kept from step to step, and of the cells of tables that are written.
    #[getter]
    fn state<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        let program = &*self.program;
        let mut simulator = simulate::Simulator::new(program);
        simulator.restore(self.state.clone());
        let values = PyDict::new(py);
        for (index, variable) in program.variables.iter().enumerate() {
            if variable.scope == Scope::Global {
                values.set_item(&variable.name, self.state.variables[index])?;
            }
        }
        for (index, table) in program.tables.iter().enumerate().filter(|(_, table)| table.written) {
            values.set_item(&table.name, simulator.cells(redoubt::expr::TableId::new(index)).to_vec())?;
        }
        Ok(values)
    }

    /// One step: a value per input, in order or by name. After the end of the run nothing happens.
    fn step<'py>(&mut self, py: Python<'py>, inputs: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyDict>> {
        let inputs = self.inputs(inputs)?;
        let program = Arc::clone(&self.program);
        let mut step = Step { end: self.end, ..Step::default() };
        if self.end.is_none() {
            let mut simulator = simulate::Simulator::new(&program);
            simulator.restore(self.state.clone());
            step = simulator.step(&inputs);
            (self.state, self.end) = (simulator.state().clone(), simulator.end());
            self.steps += 1;
        }
        self.record(py, &step, self.steps)
    }
}

impl Simulator {
    fn inputs(&self, given: &Bound<'_, PyAny>) -> PyResult<Vec<i32>> {
        let inputs = &self.program.inputs;
        let values: Vec<i32> = if let Ok(by_name) = given.cast::<PyDict>() {
            if by_name.len() != inputs.len() {
                return Err(refused(format!("{} inputs are given, and the program has {}", by_name.len(), inputs.len())));
            }
            let value = |input: &redoubt::program::Input| {
                let value = by_name.get_item(&input.name)?;
                value.ok_or_else(|| refused(format!("there is no value for the input `{}`", input.name)))?.extract()
            };
            inputs.iter().map(value).collect::<PyResult<_>>()?
        } else if let Ok(single) = given.extract::<i32>() {
            vec![single]
        } else {
            given.extract()?
        };
        if values.len() != inputs.len() {
            return Err(refused(format!("{} inputs are given, and the program has {}", values.len(), inputs.len())));
        }
        let wrong = inputs.iter().zip(&values).find(|(input, value)| !input.alphabet.contains(**value));
        match wrong {
            Some((input, value)) => {
                Err(refused(format!("{value} is no value of the input `{}`; expected {}", input.name, input.alphabet)))
            }
            None => Ok(values),
        }
    }

    fn record<'py>(&self, py: Python<'py>, step: &Step, number: usize) -> PyResult<Bound<'py, PyDict>> {
        let program = &*self.program;
        let record = PyDict::new(py);
        record.set_item("step", number)?;
        record.set_item("output", &step.output)?;
        record.set_item("complaints", &step.complaints)?;
        let ended = match step.end {
            Some(End::Error(property, _)) => Some(property),
            _ => None,
        };
        let reached = step.reached.iter().map(|(property, _)| *property).chain(ended).map(|id| program.property(id));
        let reached: Vec<&str> =
            reached.filter(|property| property.kind != PropertyKind::Lint).map(|property| property.name.as_str()).collect();
        record.set_item("reached", reached)?;
        let end = match step.end {
            None => None,
            Some(End::Error(..)) => Some("error"),
            Some(End::Halt(_)) => Some("halt"),
            Some(End::Blocked(_)) => Some("blocked"),
        };
        record.set_item("end", end)?;
        Ok(record)
    }
}
