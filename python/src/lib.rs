//! Redoubt for Python: programs and circuits in, verdicts as data out, and a simulator to follow runs with.
//!
//! This is a thin layer: the functions for Python are here, their meaning is in the crate `redoubt`. Work goes on in a
//! thread of its own, so that Ctrl-C ends it.

mod circuit;
mod program;
mod simulator;
mod verdict;
mod wait;

use pyo3::create_exception;
use pyo3::exceptions::PyException;
use pyo3::prelude::*;

create_exception!(_redoubt, RedoubtError, PyException, "A file that cannot be read, or a question that has no meaning.");

/// A message for people as an exception.
fn refused(message: impl ToString) -> PyErr {
    RedoubtError::new_err(message.to_string())
}

#[pymodule]
fn _redoubt(module: &Bound<'_, PyModule>) -> PyResult<()> {
    module.add("RedoubtError", module.py().get_type::<RedoubtError>())?;
    module.add("__version__", env!("CARGO_PKG_VERSION"))?;
    module.add_class::<program::Program>()?;
    module.add_class::<circuit::Circuit>()?;
    module.add_class::<simulator::Simulator>()?;
    module.add_class::<verdict::Verdict>()?;
    module.add_function(wrap_pyfunction!(program::compare, module)?)
}
