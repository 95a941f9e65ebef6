//! Questions that Python asks to properties and limits, and findings to what it sees of them; the same for programs and circuits.

use pyo3::prelude::*;
use redoubt::ledger::{Answer, Finding};
use redoubt::{Limits, PropertyId};

use crate::refused;
use crate::wait::limits;

/// The question.
pub struct Question {
    pub limits: Limits,
    /// The properties to decide; all of them if `None`.
    pub properties: Option<Vec<PropertyId>>,
}

impl Question {
    /// About the properties of these names, of all that `owner` has, within a number of seconds.
    pub fn new<'n>(
        owner: &str,
        all: impl Iterator<Item = &'n str> + Clone,
        timeout: Option<f64>,
        names: Option<Vec<String>>,
    ) -> PyResult<Question> {
        let properties = names.map(|names| chosen(owner, all, &names)).transpose()?;
        Ok(Question { limits: limits(timeout)?, properties })
    }
}

/// The verdict on one property.
#[pyclass(frozen, get_all, module = "redoubt")]
#[derive(Clone)]
pub struct Verdict {
    /// Its name.
    property: String,
    /// `reachable`, `unreachable` or `unknown`.
    verdict: &'static str,
    /// `holds` or `violated`; `None` if that is not known.
    status: Option<&'static str>,
    /// Whether something else than what found the answer has shown that it is right.
    confirmed: bool,
    /// Its finder.
    engine: &'static str,
    /// When, in seconds since the start.
    seconds: f64,
    /// The witness: the values of the inputs, step by step.
    inputs: Option<Vec<Vec<i32>>>,
    /// The number of steps before those that are repeated for ever, if some are.
    loop_start: Option<usize>,
    /// Why it is unknown.
    reason: Option<String>,
}

impl Verdict {
    /// A report's data on the property of this name. `status` gives the meaning of its being reachable or not, and
    /// `inputs` the parts of a run.
    pub fn new<R, C>(
        property: &str,
        finding: &Finding<R, C>,
        status: impl Fn(bool) -> &'static str,
        inputs: impl Fn(&R) -> Vec<Vec<i32>>,
    ) -> Verdict {
        let (verdict, status, inputs, reason) = match &finding.answer {
            Answer::Reachable { run } => ("reachable", Some(status(true)), Some(inputs(run)), None),
            Answer::Unreachable { .. } => ("unreachable", Some(status(false)), None, None),
            Answer::Unknown(why) => ("unknown", None, None, Some(why.to_string())),
            Answer::Withdrawn { reason, .. } => ("unknown", None, None, Some(format!("withdrawn: {reason}"))),
        };
        Verdict {
            property: property.into(),
            verdict,
            status,
            confirmed: finding.is_confirmed(),
            engine: finding.decider.name(),
            seconds: finding.after.as_secs_f64(),
            inputs,
            loop_start: None,
            reason,
        }
    }
}

impl Verdict {
    pub fn with_loop(self, loop_start: Option<usize>) -> Verdict {
        Verdict { loop_start, ..self }
    }
}

#[pymethods]
impl Verdict {
    /// The number of steps of the witness.
    #[getter]
    fn steps(&self) -> Option<usize> {
        self.inputs.as_ref().map(Vec::len)
    }

    fn __repr__(&self) -> String {
        let steps = self.steps().map_or(String::new(), |steps| format!(", steps={steps}"));
        let word = self.status.unwrap_or(self.verdict);
        format!("Verdict(property={:?}, status={word:?}{steps})", self.property)
    }
}

/// The properties of these names, ascending and each once, of all that `owner` has.
fn chosen<'n>(
    owner: &str,
    all: impl Iterator<Item = &'n str> + Clone,
    names: &[String],
) -> PyResult<Vec<PropertyId>> {
    let find = |name: &String| {
        let place = all.clone().position(|property| property == name);
        place.map(PropertyId::new).ok_or_else(|| refused(format!("{owner} has no property `{name}`")))
    };
    let mut chosen = names.iter().map(find).collect::<PyResult<Vec<_>>>()?;
    chosen.sort_unstable();
    chosen.dedup();
    Ok(chosen)
}
