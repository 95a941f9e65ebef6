//! Programs and models: their parts, and verdicts on them.

use std::path::PathBuf;
use std::sync::Arc;

use pyo3::prelude::*;
use pyo3::types::{PyDict, PyList};
use redoubt::check::Means;
use redoubt::compare::{self as comparing, Side, Wanted};
use redoubt::program::Scope;
use redoubt::languages::{self, Setting};
use redoubt::text::SourceFile;
use redoubt::time::{self, Answer, Violation};
use redoubt::{CheckOptions, Finding, PropertyId};

use crate::refused;
use crate::verdict::{Question, Verdict};
use crate::wait::{limits, wait};

/// A C program or a model of a controller.
#[pyclass(frozen, module = "redoubt")]
pub struct Program {
    pub program: Arc<redoubt::Program>,
}

#[pymethods]
impl Program {
    /// Reads the files of one program; `set` gives constants of a model other values.
    #[new]
    #[pyo3(signature = (paths, set = None))]
    fn new(paths: Vec<PathBuf>, set: Option<Vec<(String, String)>>) -> PyResult<Program> {
        let mut files = vec![];
        for path in &paths {
            let text = std::fs::read_to_string(path).map_err(|error| refused(format!("{}: {error}", path.display())))?;
            files.push(SourceFile::new(path.to_string_lossy(), text));
        }
        let set: Vec<Setting> = set.unwrap_or_default().into_iter().map(|(name, value)| Setting { name, value }).collect();
        let parsed = languages::parse_within(files, &set, &limits(None)?);
        let program = parsed.map_err(|unread| match unread {
            languages::Unread::Refused(error) => refused(error.diagnostics.render(&error.sources, false).trim_end()),
            languages::Unread::Interrupted => refused("interrupted"),
        })?;
        let constants = program.legend.as_ref().map(|legend| legend.constants.as_slice()).unwrap_or_default();
        if let Some(setting) = set.iter().find(|setting| !constants.contains(&setting.name)) {
            return Err(refused(format!("{} has no constant `{}`", program.name, setting.name)));
        }
        Ok(Program { program: Arc::new(program) })
    }

    #[getter]
    fn name(&self) -> &str {
        &self.program.name
    }

    /// The names of the inputs and the values that each may take, or the first and the last one of a range.
    #[getter]
    fn inputs<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyList>> {
        let list = PyList::empty(py);
        for input in &self.program.inputs {
            let entry = PyDict::new(py);
            entry.set_item("name", &input.name)?;
            entry.set_item("values", input.alphabet.list(1 << 16))?;
            let size = input.alphabet.size();
            entry.set_item("low", input.alphabet.nth(0))?;
            entry.set_item("high", input.alphabet.nth(size - 1))?;
            list.append(entry)?;
        }
        Ok(list)
    }

    /// The names of the variables that keep their values from step to step.
    #[getter]
    fn variables(&self) -> Vec<&str> {
        let kept = self.program.variables.iter().filter(|variable| variable.scope == Scope::Global);
        kept.map(|variable| variable.name.as_str()).collect()
    }

    /// The names of the properties, also of those of whole runs.
    #[getter]
    fn properties(&self) -> Vec<&str> {
        let moments = self.program.questions().into_iter().map(|id| self.program.property(id).name.as_str());
        moments.chain(self.program.timed.iter().map(|timed| timed.name.as_str())).collect()
    }

    /// Decides the properties, all of them unless some are named.
    #[pyo3(signature = (timeout = None, properties = None, certify = true))]
    fn check(
        &self,
        py: Python<'_>,
        timeout: Option<f64>,
        properties: Option<Vec<String>>,
        certify: bool,
    ) -> PyResult<Vec<Verdict>> {
        let moments = self.program.properties.iter().map(|property| property.name.as_str());
        let all = moments.chain(self.program.timed.iter().map(|timed| timed.name.as_str()));
        let Question { limits, properties } = Question::new(&self.program.name, all, timeout, properties)?;
        let interrupt = limits.interrupt.clone();
        // Properties of whole runs are numbered behind the others.
        let first = self.program.properties.len();
        let (moments, whole) = match properties {
            None => (None, (0..self.program.timed.len()).map(PropertyId::new).collect()),
            Some(named) => {
                let (moments, whole): (Vec<_>, Vec<_>) = named.into_iter().partition(|id| id.index() < first);
                (Some(moments), whole.into_iter().map(|id| PropertyId::new(id.index() - first)).collect::<Vec<_>>())
            }
        };
        let share = if whole.is_empty() { limits.clone() } else { limits.share(2) };
        let options = CheckOptions { limits: share, properties: moments, confirm: certify, ..CheckOptions::default() };
        let program = Arc::clone(&self.program);
        let work = move || {
            let report = redoubt::check(&program, &options)?;
            let options = CheckOptions { limits, properties: Some(whole), ..options };
            Ok::<_, redoubt::Ended>((report, redoubt::check_whole_runs(&program, &options)))
        };
        let (report, whole) = wait(py, &interrupt, work)?.map_err(refused)?;
        let moments = report.findings.iter().map(|finding| self.verdict(finding));
        Ok(moments.chain(whole.iter().map(|finding| self.verdict_on_runs(finding))).collect())
    }

    fn __repr__(&self) -> String {
        format!("Program({:?})", self.program.name)
    }
}

impl Program {
    fn verdict_on_runs(&self, finding: &time::Finding) -> Verdict {
        let name = &self.program.timed[finding.property.index()].name;
        let way = |violation: &Violation| match violation {
            Violation::Lasso(lasso) => (lasso.run.clone(), Some(lasso.loop_start)),
            Violation::Tree(evidence) => evidence.ways().into_iter().next().unwrap_or_default(),
        };
        let status = |is_violated: bool| if is_violated { "violated" } else { "holds" };
        let verdict = Verdict::new(name, finding, status, |violation| way(violation).0);
        match &finding.answer {
            Answer::Reachable { run } => verdict.with_loop(way(run).1),
            _ => verdict,
        }
    }

    fn verdict(&self, finding: &Finding) -> Verdict {
        let property = self.program.property(finding.property);
        Verdict::new(&property.name, finding, |is_reachable| property.kind.status(is_reachable).word(), Clone::clone)
    }
}

/// Whether two programs behave alike.
#[pyfunction]
#[pyo3(signature = (old, new, timeout = None, outputs = None, common_inputs = false))]
pub fn compare<'py>(
    py: Python<'py>,
    old: &Program,
    new: &Program,
    timeout: Option<f64>,
    outputs: Option<Vec<String>>,
    common_inputs: bool,
) -> PyResult<Bound<'py, PyDict>> {
    let (first, second) = (Arc::clone(&old.program), Arc::clone(&new.program));
    let wanted = Wanted { outputs: outputs.unwrap_or_default(), common_inputs };
    let matching = comparing::matching(&first, &second, &wanted).map_err(refused)?;
    let options = CheckOptions { limits: limits(timeout)?, ..CheckOptions::default() };
    let interrupt = options.limits.interrupt.clone();
    let asked = matching.clone();
    let work = move || comparing::decide(&first, &second, &asked, Means::Together, &options);
    let comparison = wait(py, &interrupt, work)?.map_err(refused)?;
    let result = PyDict::new(py);
    let (word, is_confirmed, run, reason) = match comparison.verdict {
        comparing::Likeness::Equal { is_confirmed } => ("equal", is_confirmed, None, None),
        comparing::Likeness::Different { run, .. } => ("different", true, Some(run), None),
        comparing::Likeness::Unknown(why) => ("unknown", false, None, Some(why)),
    };
    result.set_item("verdict", word)?;
    result.set_item("confirmed", is_confirmed)?;
    result.set_item("reason", reason)?;
    let names: Vec<String> = matching.observed.iter().map(|one| one.name(&old.program, &new.program)).collect();
    result.set_item("compared", names)?;
    let inputs = |side: Side| run.as_ref().map(|run| run.iter().map(|step| matching.inputs(side, step)).collect::<Vec<_>>());
    result.set_item("old_inputs", inputs(Side::Old))?;
    result.set_item("new_inputs", inputs(Side::New))?;
    Ok(result)
}
