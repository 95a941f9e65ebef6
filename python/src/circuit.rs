//! AIGER and BTOR2 circuits.

use std::path::PathBuf;
use std::sync::Arc;

use pyo3::prelude::*;
use redoubt::hardware::words;
use redoubt::{Model, ModelFinding, ModelOptions};

use crate::refused;
use crate::verdict::{Question, Verdict};
use crate::wait::wait;

/// A circuit with bad states.
#[pyclass(frozen, module = "redoubt")]
pub struct Circuit {
    name: String,
    model: Arc<Model>,
}

#[pymethods]
impl Circuit {
    #[new]
    fn new(path: PathBuf) -> PyResult<Circuit> {
        let name = path.to_string_lossy().into_owned();
        let named = |error: &dyn ToString| refused(format!("{name}: {}", error.to_string()));
        let bytes = std::fs::read(&path).map_err(|error| named(&error))?;
        let bytes = redoubt::circuit::aiger::unpack(bytes).map_err(|error| named(&error))?;
        let model = if redoubt::words::looks_like_btor2(&bytes) && !redoubt::circuit::aiger::looks_like_aiger(&bytes) {
            let model = redoubt::words::read(&bytes).map_err(|error| refused(error.render(&name).trim_end()))?;
            words::circuit(model).map_err(|error| named(&error))?.0
        } else {
            redoubt::read_model(&bytes).map_err(|error| refused(error.render(&name).trim_end()))?
        };
        Ok(Circuit { name, model: Arc::new(model) })
    }

    #[getter]
    fn name(&self) -> &str {
        &self.name
    }

    /// The number of inputs.
    #[getter]
    fn inputs(&self) -> usize {
        self.model.circuit.inputs.len()
    }

    /// The number of latches.
    #[getter]
    fn latches(&self) -> usize {
        self.model.circuit.latches.len()
    }

    /// The names of the properties.
    #[getter]
    fn properties(&self) -> Vec<&str> {
        self.model.properties.iter().map(String::as_str).collect()
    }

    /// Decides the bad states, all of them unless some are named. Justice properties are left to the command.
    #[pyo3(signature = (timeout = None, properties = None, certify = true))]
    fn check(
        &self,
        py: Python<'_>,
        timeout: Option<f64>,
        properties: Option<Vec<String>>,
        certify: bool,
    ) -> PyResult<Vec<Verdict>> {
        let all = self.model.properties.iter().map(String::as_str);
        let Question { limits, properties } = Question::new(&self.name, all, timeout, properties)?;
        let interrupt = limits.interrupt.clone();
        let options = ModelOptions { limits, properties, confirm: certify, ..ModelOptions::default() };
        let model = Arc::clone(&self.model);
        let report = wait(py, &interrupt, move || redoubt::check_model(&model, &options))?;
        Ok(report.findings.iter().map(|finding| self.verdict(finding)).collect())
    }

    fn __repr__(&self) -> String {
        format!("Circuit({:?})", self.name)
    }
}

impl Circuit {
    fn verdict(&self, finding: &ModelFinding) -> Verdict {
        let name = &self.model.properties[finding.property.index()];
        let status = |is_reachable| if is_reachable { "violated" } else { "holds" };
        let bits = |bits: &Vec<bool>| bits.iter().map(|&bit| i32::from(bit)).collect();
        Verdict::new(name, finding, status, |run| run.inputs.iter().map(bits).collect())
    }
}
