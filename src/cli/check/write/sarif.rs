//! For code hosts: violated and undecided properties, with their places, in the Static Analysis Results Interchange
//! Format (OASIS, version 2.1.0).

use std::io::{self, Write};
use std::path::Path;

use redoubt_program::program::PropertyKind;
use redoubt_report::record::Trace;
use serde_json::{Value as Json, json};

use super::super::super::output::{count, stdout};
use super::super::collect::{Collection, Entry, State};
use super::super::record::{ProblemRecord, PropertyRecord};
use super::{Writer, summary, witness};

pub struct Sarif;

impl Writer for Sarif {
    fn problem(&mut self, _record: &ProblemRecord, _entry: &Entry) -> io::Result<()> {
        Ok(())
    }

    fn end(&mut self, collection: &Collection) -> io::Result<()> {
        let log = json!({
            "$schema": "https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json",
            "version": "2.1.0",
            "runs": [run(collection)],
        });
        let mut out = stdout();
        serde_json::to_writer_pretty(&mut out, &log)?;
        writeln!(out)
    }
}

fn run(collection: &Collection) -> Json {
    let records = || collection.entries.iter().flat_map(|entry| &entry.properties);
    let is_open_or_unwanted = |record: &&PropertyRecord| record.is_unwanted() || !record.is_decided();
    let results: Vec<Json> = records().filter(is_open_or_unwanted).map(result).collect();
    let failed = collection.entries.iter().filter(|entry| entry.state != State::Finished);
    let notifications: Vec<Json> = failed
        .map(|entry| {
            let message = json!({ "text": entry.reason() });
            json!({ "level": "error", "message": message, "locations": [location(&entry.name, None)] })
        })
        .collect();
    json!({
        "tool": {
            "driver": {
                "name": "redoubt",
                "version": env!("CARGO_PKG_VERSION"),
                "rules": RULES.map(|(id, text)| json!({ "id": id, "shortDescription": { "text": text } })),
            },
        },
        "columnKind": "unicodeCodePoints",
        "invocations": [{
            "executionSuccessful": notifications.is_empty(),
            "toolExecutionNotifications": notifications,
        }],
        "results": results,
    })
}

fn result(record: &PropertyRecord) -> Json {
    let is_open = !record.is_decided();
    let rule = rule(record);
    let mut text = format!("{}: {}", record.property, summary(record));
    if record.inputs.is_some() {
        text += &format!(": {}", witness(record));
    }
    let (file, position) = match &record.shown.place {
        Some((file, line, column)) => (file, Some((*line, *column))),
        None => (&record.file, None),
    };
    let mut result = json!({
        "ruleId": RULES[rule].0,
        "ruleIndex": rule,
        "kind": if is_open { "open" } else { "fail" },
        "level": if is_open { "none" } else { "error" },
        "message": { "text": text },
        "locations": [location(file, position)],
        "partialFingerprints": { "property/v1": format!("{}:{}", record.file, record.property) },
    });
    if let Some(trace) = &record.trace {
        result["codeFlows"] = json!([code_flow(file, position, trace)]);
    }
    result
}

/// The most places of a run that are listed, the last ones.
const MOST_PLACES: usize = 1_000;

/// The way of a run through the text of a model: the branches that were taken in each step, and then the property.
fn code_flow(file: &str, position: Option<(usize, usize)>, trace: &Trace) -> Json {
    let place = |line: usize, column: usize, text: String| {
        let mut location = location(file, Some((line, column)));
        location["message"] = json!({ "text": text });
        json!({ "location": location })
    };
    let is_repeated = |index: usize| trace.loop_start.is_some_and(|start| index >= start);
    let mut places = vec![];
    for (index, step) in trace.steps.iter().enumerate() {
        for taken in &step.taken {
            let line = taken["line"].as_u64().unwrap_or(1) as usize;
            let text = taken["text"].as_str().unwrap_or_default();
            let again = if is_repeated(index) { ", repeated for ever" } else { "" };
            places.push(place(line, 1, format!("step {}{again}: {text}", index + 1)));
        }
    }
    if let Some((line, column)) = position {
        let steps = trace.steps.len();
        let when = match (steps, trace.loop_start) {
            (_, Some(start)) => format!("violated by a run that goes back to where it was before step {}", start + 1),
            (0, None) => "at the start".into(),
            (steps, None) => format!("after {}", count(steps, "step")),
        };
        places.push(place(line, column, when));
    }
    json!({ "threadFlows": [{ "locations": places.split_off(places.len().saturating_sub(MOST_PLACES)) }] })
}

fn location(file: &str, position: Option<(usize, usize)>) -> Json {
    let mut place = json!({ "artifactLocation": { "uri": uri(file) } });
    if let Some((line, column)) = position {
        place["region"] = json!({ "startLine": line, "startColumn": column });
    }
    json!({ "physicalLocation": place })
}

/// A path as a reference: relative ones stay so, and characters that mean something in addresses are coded.
fn uri(file: &str) -> String {
    let mut text = String::from(if Path::new(file).is_absolute() { "file://" } else { "" });
    for byte in file.bytes() {
        match byte {
            b'a'..=b'z' | b'A'..=b'Z' | b'0'..=b'9' | b'/' | b'.' | b'-' | b'_' | b'~' => text.push(char::from(byte)),
            byte => text += &format!("%{byte:02X}"),
        }
    }
    text
}

const RULES: [(&str, &str); 16] = [
    ("error-label", "An error label can be reached."),
    ("assertion", "An assertion can fail."),
    ("division-by-zero", "A divisor can be zero."),
    ("division-overflow", "The lowest number can be divided by -1."),
    ("index-out-of-bounds", "An index can lie outside its table."),
    ("out-of-range", "A value can leave its declared range."),
    ("invariant", "A condition on all states can be broken."),
    ("goal", "Something that ought to be possible is not."),
    ("bad-state", "A bad state of a circuit can be reached."),
    ("shift-out-of-range", "A number can be shifted by a negative amount, or by all its bits or more."),
    ("temporal", "A run can violate a property of whole runs."),
    ("invalid-dereference", "A pointer can be followed that points to nothing."),
    ("invalid-free", "Something can be freed that was not allocated, or twice."),
    ("out-of-memory-model", "More can be allocated at one place than the model has room for."),
    ("recursion-too-deep", "Calls can nest deeper than the model has room for."),
    ("float-conversion-range", "A number can be converted to an integer type that it does not fit into."),
];

/// The number of the rule for a property.
fn rule(record: &PropertyRecord) -> usize {
    if record.shown.is_timed || record.shown.temporal.is_some() {
        return 10;
    }
    match record.shown.kind {
        Some(PropertyKind::Label) => 0,
        Some(PropertyKind::Assertion) => 1,
        Some(PropertyKind::DivisionByZero) => 2,
        Some(PropertyKind::DivisionOverflow) => 3,
        Some(PropertyKind::IndexOutOfBounds) => 4,
        Some(PropertyKind::OutOfRange) => 5,
        Some(PropertyKind::Invariant) => 6,
        Some(PropertyKind::Goal | PropertyKind::Lint | PropertyKind::Atom) => 7,
        // Properties of circuits have no kind.
        None => 8,
        Some(PropertyKind::ShiftOutOfRange) => 9,
        Some(PropertyKind::InvalidDereference) => 11,
        Some(PropertyKind::InvalidFree) => 12,
        Some(PropertyKind::OutOfMemoryModel) => 13,
        Some(PropertyKind::RecursionTooDeep) => 14,
        Some(PropertyKind::FloatConversionRange) => 15,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths_are_references() {
        assert_eq!(uri("a b/ä#1.c"), "a%20b/%C3%A4%231.c");
        assert_eq!(uri("/tmp/P1.c"), "file:///tmp/P1.c");
    }
}
