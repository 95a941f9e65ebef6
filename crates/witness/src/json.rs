//! Witnesses as JSON: a format of our own, and the lines of `redoubt check --format jsonl`.
//!
//! ```json
//! {"witness": "redoubt 1", "property": "error_3",
//!  "files": [{"name": "lift.c", "sha256": "..."}],
//!  "run": [
//!   {"input": 3},
//!   {"input": 1}
//!  ]}
//! ```
//!
//! If constants of a model had other values than their own (`check -D TOP=5`), `"constants": {"TOP": "5"}` says so.
//!
//! For sequential C there is also the list `calls`: the result of each call of `__VERIFIER_nondet_...`, in order, with
//! its place, and the values of uninitialised variables.
//!
//! Each step of `run` gives inputs by name, as their author writes the values. Omitted inputs have the least of their
//! values. If there is a number `loop`, the steps behind the first `loop` are repeated for ever. A file may hold any
//! number of witnesses; a line of `check` has the inputs of a program as the list `inputs`, and the run of a model as
//! `trace`.

use std::collections::BTreeMap;
use std::io::{self, Write};

use serde_json::{Map, Value as Json, json};

use super::calls::calls;
use super::{ReadError, Run, Target, Witness};
use crate::expr::InputId;
use crate::program::legend::{Meaning, Role};
use crate::program::{Input, Program};

/// The value of `witness`: the format.
const VERSION: &str = "redoubt 1";

/// Writes a witness, a line per step.
pub fn write(out: &mut dyn Write, program: &Program, witness: &Witness) -> io::Result<()> {
    let files: Vec<Json> = witness.files.iter().map(|(name, hash)| json!({ "name": name, "sha256": hash })).collect();
    let property = witness.target.to_string();
    writeln!(out, "{{\"witness\": {}, \"property\": {},", json!(VERSION), json!(property))?;
    writeln!(out, " \"files\": {},", Json::Array(files))?;
    if !witness.constants.is_empty() {
        writeln!(out, " \"constants\": {},", json!(witness.constants))?;
    }
    if let Some(start) = witness.loop_start {
        writeln!(out, " \"loop\": {start},")?;
    }
    write!(out, " \"run\": [")?;
    for (position, inputs) in witness.run.iter().enumerate() {
        let comma = if position == 0 { "" } else { "," };
        write!(out, "{comma}\n  {}", Json::Object(step(program, position, inputs)))?;
    }
    write!(out, "\n ]")?;
    if program.has_locations() {
        write!(out, ",\n \"calls\": [")?;
        for (position, call) in calls(program, &witness.run).iter().enumerate() {
            let comma = if position == 0 { "" } else { "," };
            let (what, place) = (if call.is_call { "call" } else { "variable" }, program.sources.place(call.place));
            let value = call.value.to_string();
            write!(
                out,
                "{comma}\n  {{{}: {}, \"place\": {}, \"value\": {value}}}",
                json!(what),
                json!(call.name),
                json!(place)
            )?;
        }
        write!(out, "\n ]")?;
    }
    writeln!(out, "}}")
}

/// The inputs of a step by name: those that choose the start in the first step, if that is open, else the others.
fn step(program: &Program, position: usize, inputs: &[i32]) -> Map<String, Json> {
    let legend = program.legend.as_ref();
    let is_start = position == 0 && program.chooses_start();
    let shown = |role: &Role| matches!(role, Role::Start(_)) == is_start;
    let named = program.inputs.iter().zip(inputs).enumerate();
    let shown = named.filter(|(index, _)| legend.is_none_or(|legend| shown(&legend.inputs[*index])));
    let value = |index: usize, value: i32| match legend.map(|legend| (legend, legend.inputs[index].meaning())) {
        Some((_, Meaning::Truth)) => json!(value != 0),
        Some((legend, meaning @ Meaning::Name(_))) => json!(legend.value(meaning, value)),
        _ if !program.words.is_empty() => json!(program.words.input(value)),
        _ => json!(value),
    };
    shown.map(|(index, (input, &number))| (input.name.clone(), value(index, number))).collect()
}

/// Reads the witnesses of a file; lines of `check` without a run are skipped.
pub fn read(program: &Program, text: &str) -> Result<Vec<Witness>, ReadError> {
    read_if(program, text, &|_| true)
}

/// Reads those that were made with these constants.
pub fn read_made_with(
    program: &Program,
    constants: &BTreeMap<String, String>,
    text: &str,
) -> Result<Vec<Witness>, ReadError> {
    read_if(program, text, &|entry| set(entry) == *constants)
}

fn read_if(
    program: &Program,
    text: &str,
    is_wanted: &dyn Fn(&Map<String, Json>) -> bool,
) -> Result<Vec<Witness>, ReadError> {
    let mut witnesses = vec![];
    for value in serde_json::Deserializer::from_str(text).into_iter::<Json>() {
        let value = value.map_err(|error| ReadError { line: Some(error.line()), message: error.to_string() })?;
        let Json::Object(entry) = value else { return Err(ReadError::new("expected an object `{...}`")) };
        if is_about(program, &entry) && is_wanted(&entry) {
            witnesses.extend(witness(program, &entry)?);
        }
    }
    Ok(witnesses)
}

/// The choices of constants that the entries with a run have.
pub fn constants(text: &str) -> Vec<BTreeMap<String, String>> {
    let values = serde_json::Deserializer::from_str(text).into_iter::<Json>();
    let mut choices = vec![];
    // Mistakes in a text are reported by the reader of the whole.
    for value in values.map_while(Result::ok) {
        if ["run", "inputs", "trace"].iter().any(|key| value.get(key).is_some_and(|run| !run.is_null())) {
            let choice = value.as_object().map(set).unwrap_or_default();
            if !choices.contains(&choice) {
                choices.push(choice);
            }
        }
    }
    choices
}

/// The constants of an entry.
fn set(entry: &Map<String, Json>) -> BTreeMap<String, String> {
    let values = entry.get("constants").and_then(Json::as_object).into_iter().flatten();
    let text = |value: &Json| value.as_str().map_or_else(|| value.to_string(), String::from);
    values.map(|(name, value)| (name.clone(), text(value))).collect()
}

/// Whether an entry can be about this program: `check` writes the lines of many into one file, and summaries.
fn is_about(program: &Program, entry: &Map<String, Json>) -> bool {
    let set = set(entry);
    let is_ours = |name: &str| {
        // A problem is called after its file and the constants that were set.
        let mut name = name;
        while let Some(rest) =
            set.iter().find_map(|(constant, value)| name.strip_suffix(&format!(" {constant}={value}")))
        {
            name = rest;
        }
        program.sources.files().iter().any(|file| super::replay::same_file(&file.name, name))
    };
    match (entry.get("type").and_then(Json::as_str), entry.get("file").and_then(Json::as_str)) {
        (Some("property"), Some(name)) => is_ours(name),
        (Some("property") | None, _) => true,
        (Some(_), _) => false,
    }
}

fn witness(program: &Program, entry: &Map<String, Json>) -> Result<Option<Witness>, ReadError> {
    if let Some(version) = entry.get("witness")
        && version != VERSION
    {
        return Err(ReadError::new(format!("the version of this witness is {version}; expected \"{VERSION}\"")));
    }
    let run = match (entry.get("run"), entry.get("inputs"), entry.get("trace")) {
        (Some(run), ..) => steps(program, run)?,
        (None, Some(Json::Array(inputs)), _) => {
            inputs.iter().map(|value| plain(program, value)).collect::<Result<_, _>>()?
        }
        (None, _, Some(trace)) => trace_run(program, trace)?,
        // A line of `check` that shows no run.
        _ if entry.contains_key("verdict") => return Ok(None),
        _ => return Err(ReadError::new("no run; expected `run`, `inputs` or `trace`")),
    };
    let Some(Json::String(name)) = entry.get("property") else {
        return Err(ReadError::new("`property` is missing; expected the name of the reached property"));
    };
    let start = |entry: Option<&Json>| entry.and_then(Json::as_u64).and_then(|start| usize::try_from(start).ok());
    let loop_start = match entry.get("trace") {
        Some(trace) => start(trace.get("loop")).map(|start| start + run.len() - trace_steps(trace)),
        None => start(entry.get("loop")),
    };
    let (files, constants) = (files(entry), set(entry));
    Ok(Some(Witness { target: Target::Property(name.clone()), run, loop_start, files, constants }))
}

fn files(entry: &Map<String, Json>) -> Vec<(String, String)> {
    let list = entry.get("files").and_then(Json::as_array).into_iter().flatten();
    let text = |file: &Json, key| file.get(key).and_then(Json::as_str).map(String::from);
    list.filter_map(|file| Some((text(file, "name")?, text(file, "sha256")?))).collect()
}

fn steps(program: &Program, run: &Json) -> Result<Run, ReadError> {
    let Json::Array(steps) = run else { return Err(ReadError::new("`run` is not a list of steps")) };
    let step = |(position, step): (usize, &Json)| match step {
        Json::Object(named) => fill(program, position, &[named]),
        _ => Err(at(position, "expected an object with the inputs by name")),
    };
    steps.iter().enumerate().map(step).collect()
}

/// One entry of `inputs`: a number for programs with one input, or a list.
fn plain(program: &Program, value: &Json) -> Result<Vec<i32>, ReadError> {
    let number = |value: &Json| {
        let number = value.as_i64().and_then(|number| i32::try_from(number).ok());
        number.ok_or_else(|| ReadError::new(format!("{value} among `inputs` is not a 32-bit number")))
    };
    match value {
        Json::Array(values) => values.iter().map(number).collect(),
        _ if program.inputs.len() == 1 => Ok(vec![number(value)?]),
        _ => Err(ReadError::new("the program has several inputs; expected a list of values for each step")),
    }
}

/// The run of a model as `check` logs it: first the choice of its start, if that is open, then its steps.
fn trace_run(program: &Program, trace: &Json) -> Result<Run, ReadError> {
    let object = |value: &Json, key: &str| value.get(key).and_then(Json::as_object).cloned().unwrap_or_default();
    let mut run = vec![];
    if program.chooses_start() {
        run.push(fill(program, 0, &[&object(trace, "choices")])?);
    }
    let Some(Json::Array(steps)) = trace.get("steps") else {
        return Err(ReadError::new("`trace` has no list `steps`"));
    };
    for step in steps {
        run.push(fill(program, run.len(), &[&object(step, "inputs"), &object(step, "choices")])?);
    }
    Ok(run)
}

/// The number of steps in the run of a model, without the one that chooses the start.
fn trace_steps(trace: &Json) -> usize {
    trace.get("steps").and_then(Json::as_array).map_or(0, Vec::len)
}

/// A value per input, from those that are given by name.
fn fill(program: &Program, position: usize, given: &[&Map<String, Json>]) -> Result<Vec<i32>, ReadError> {
    let mut inputs: Vec<i32> = program.inputs.iter().map(|input| input.alphabet.nth(0)).collect();
    for (name, value) in given.iter().flat_map(|named| named.iter()) {
        let Some(index) = program.inputs.iter().position(|input: &Input| input.name == *name) else {
            return Err(at(position, &format!("the program has no input `{name}`")));
        };
        inputs[index] = number(program, index, value)
            .ok_or_else(|| at(position, &format!("{value} is not a value of `{name}`")))?;
    }
    Ok(inputs)
}

/// The number that a value stands for; whether the input can have it is seen when it is replayed.
fn number(program: &Program, index: usize, value: &Json) -> Option<i32> {
    match (value, &program.legend) {
        (Json::Number(number), _) => i32::try_from(number.as_i64()?).ok(),
        (Json::Bool(truth), Some(legend)) => {
            legend.read(legend.role(InputId::new(index)).meaning(), &truth.to_string())
        }
        (Json::String(word), None) => program.words.read(word),
        (Json::String(name), Some(legend)) => legend.read(legend.role(InputId::new(index)).meaning(), name),
        _ => None,
    }
}

fn at(position: usize, message: &str) -> ReadError {
    ReadError::new(format!("step {}: {message}", position + 1))
}
