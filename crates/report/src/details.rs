//! The details of a property: its witness as a table of steps, and the invariant behind a proof.

use serde_json::Value as Json;

use super::html::{count, escaped, plain, put};
use super::read::{Property, Trace, TraceStep, Values};
use super::timeline::timeline;
use crate::program::words::letter;

/// Longer witnesses show this many steps of their beginning and of their end.
const SHOWN: usize = 250;

/// The witness of a property, if there is one.
pub fn witness(property: &Property) -> Option<String> {
    if let Some(trace) = &property.trace {
        return Some(model(trace));
    }
    let inputs = property.inputs.as_ref()?;
    let mut out = String::new();
    let written = if property.in_numbers { |number: i32| number.to_string() } else { letter };
    let letters = property.words.clone();
    let letters = letters.unwrap_or_else(|| inputs.iter().map(|&input| written(input)).collect());
    put!(&mut out, "<details class=\"witness\"><summary>{}</summary>", count(inputs.len(), "step", "steps"));
    put!(&mut out, "<p class=\"word\">{}</p>", escaped(&letters.join(" ")));
    let row = |index: usize| {
        let outputs = property.outputs.as_ref().and_then(|outputs| outputs.get(index));
        let outputs: Option<Vec<String>> =
            outputs.map(|outputs| outputs.iter().map(|&output| written(output)).collect());
        let output = match outputs {
            None => "&nbsp;".to_string(),
            Some(outputs) if outputs.is_empty() => "<span class=\"none\">no output</span>".to_string(),
            Some(outputs) => escaped(&outputs.join(" ")),
        };
        let number = inputs[index];
        format!("<td>{}</td><td>{number}</td><td>{output}</td>", letters[index])
    };
    table(&mut out, &["Step", "Input", "Number", "Output"], inputs.len(), row);
    out.push_str("</details>");
    Some(out)
}

/// The run of a model: its start, then the inputs, branches and changes of each step.
fn model(trace: &Trace) -> String {
    let mut out = String::new();
    let steps = match trace.loop_start {
        None => count(trace.steps.len(), "step", "steps"),
        Some(0) => format!("{} for ever", count(trace.steps.len(), "step", "steps")),
        Some(start) => format!("{}, then {} for ever", count(start, "step", "steps"), trace.steps.len() - start),
    };
    put!(&mut out, "<details class=\"witness\"><summary>{steps}</summary>");
    out.push_str(&timeline(trace).unwrap_or_default());
    put!(&mut out, "<p class=\"word\">starts with {}</p>", values(&trace.start));
    let row = |index: usize| {
        let step = &trace.steps[index];
        let mark = if trace.loop_start == Some(index) { "<br><strong>from here on for ever</strong>" } else { "" };
        format!("<td>{}{mark}</td><td>{}</td><td>{}</td>", given(step), taken(&step.taken), values(&step.changes))
    };
    table(&mut out, &["Step", "Inputs", "Taken", "Changes"], trace.steps.len(), row);
    out.push_str("</details>");
    out
}

/// The inputs that make a difference, and the choices.
fn given(step: &TraceStep) -> String {
    let counts = |(name, _): &(&String, &Json)| !step.idle.contains(name);
    let inputs: Values = step.inputs.iter().filter(counts).map(|(name, value)| (name.clone(), value.clone())).collect();
    let inputs = match inputs.is_empty() && !step.inputs.is_empty() {
        true => "<span class=\"none\">any</span>".into(),
        false => values(&inputs),
    };
    match step.choices.is_empty() {
        true => inputs,
        false => format!("{inputs}<br>chosen: {}", values(&step.choices)),
    }
}

fn taken(places: &[Json]) -> String {
    let texts = places.iter().map(|place| {
        let mut text = place.get("text").map_or_else(|| plain(place), plain);
        if let Some(round) = place.get("round") {
            text += &format!(" ({})", plain(round));
        }
        match place.get("line").and_then(Json::as_u64) {
            Some(line) => format!("{} <span class=\"none\">line {line}</span>", escaped(&text)),
            None => escaped(&text),
        }
    });
    texts.collect::<Vec<_>>().join("<br>")
}

fn values(values: &Values) -> String {
    if values.is_empty() {
        return "<span class=\"none\">nothing</span>".into();
    }
    let texts = values.iter().map(|(name, value)| format!("{}&nbsp;= {}", escaped(name), escaped(&plain(value))));
    texts.collect::<Vec<_>>().join(", ")
}

/// A table with a row for each step, or for the first and the last ones.
fn table(out: &mut String, columns: &[&str; 4], steps: usize, row: impl Fn(usize) -> String) {
    out.push_str(
        "<div class=\"scroll\" tabindex=\"0\" role=\"region\" aria-label=\"Steps\"><table class=\"steps\"><thead><tr>",
    );
    columns.iter().for_each(|column| put!(out, "<th scope=\"col\">{column}</th>"));
    out.push_str("</tr></thead><tbody>");
    for index in 0..steps {
        if steps > 2 * SHOWN && index == SHOWN {
            put!(
                out,
                "<tr><td colspan=\"4\" class=\"none\">{} left out here</td></tr>",
                count(steps - 2 * SHOWN, "step", "steps")
            );
        }
        if steps <= 2 * SHOWN || index < SHOWN || index >= steps - SHOWN {
            put!(out, "<tr><th scope=\"row\">{}</th>{}</tr>", index + 1, row(index));
        }
    }
    out.push_str("</tbody></table></div>");
}

/// The invariant of a proof, if the run has it: every line holds in all reachable states.
pub fn invariant(property: &Property) -> Option<String> {
    // A fact that a number is a number says nothing.
    let is_trivial = |line: &&String| line.starts_with("fact ") && line.ends_with(" in {-2147483648..2147483647}");
    let lines: Vec<&String> = property.invariant.as_ref()?.iter().filter(|line| !is_trivial(line)).collect();
    let mut out = String::new();
    put!(
        &mut out,
        "<details class=\"invariant\"><summary>invariant, {}</summary>",
        count(lines.len(), "line", "lines")
    );
    out.push_str("<ol>");
    lines.iter().for_each(|line| put!(&mut out, "<li><code>{}</code></li>", escaped(line)));
    out.push_str("</ol></details>");
    Some(out)
}
