//! The run of a model as a picture: a row for each variable and input, a column for each step.
//!
//! Truth values are drawn as the waves that hardware people read, everything else as a band with its value in it, from the
//! step where it is taken to the next change.

use std::collections::HashSet;

use serde_json::Value as Json;

use super::html::{escaped, plain, put};
use super::read::{Trace, TraceStep, Values};

/// Longer runs are tables only.
const MOST_STEPS: usize = 60;

/// The most rows that are drawn: changed variables, then inputs.
const MOST_ROWS: usize = 24;

const LEFT: usize = 112;
const COLUMN: usize = 48;
const ROW: usize = 24;
const TOP: usize = 24;

/// The value of one name, column by column; none where it is not given.
struct Track<'t> {
    name: &'t str,
    is_input: bool,
    values: Vec<Option<String>>,
}

/// The picture of a run, if it is neither empty nor too long for one.
pub fn timeline(trace: &Trace) -> Option<String> {
    let steps = trace.steps.len();
    let mut tracks = tracks(trace);
    if steps == 0 || steps > MOST_STEPS || tracks.is_empty() {
        return None;
    }
    let left_out = tracks.len().saturating_sub(MOST_ROWS);
    tracks.truncate(MOST_ROWS);
    let (width, height) = (LEFT + COLUMN * (steps + 1) + 8, TOP + ROW * tracks.len() + 8);
    let mut out = String::new();
    put!(
        &mut out,
        "<div class=\"scroll\" tabindex=\"0\" role=\"region\" aria-label=\"Timeline\"><svg class=\"timeline\" width=\"{width}\" \
         height=\"{height}\" viewBox=\"0 0 {width} {height}\" role=\"img\"><title>The run, step by step</title>"
    );
    if let Some(start) = trace.loop_start.filter(|&start| start < steps) {
        let x = LEFT + COLUMN * (start + 1);
        put!(
            &mut out,
            "<rect class=\"loop\" x=\"{x}\" y=\"0\" width=\"{}\" height=\"{height}\"><title>repeated for ever</title></rect>",
            COLUMN * (steps - start)
        );
    }
    for column in 0..=steps {
        let label = if column == 0 { "start".into() } else { column.to_string() };
        put!(
            &mut out,
            "<text x=\"{}\" y=\"15\" text-anchor=\"middle\">{label}</text>",
            LEFT + COLUMN * column + COLUMN / 2
        );
    }
    for (row, track) in tracks.iter().enumerate() {
        draw(&mut out, track, TOP + ROW * row);
    }
    out.push_str("</svg></div>");
    if left_out > 0 {
        put!(&mut out, "<p class=\"none\">{left_out} more in the table</p>");
    }
    Some(out)
}

/// The variables that change, then the inputs that are given at some time.
fn tracks(trace: &Trace) -> Vec<Track<'_>> {
    let text = |value: Option<&Json>| value.map(plain);
    let changed = names(trace.steps.iter().map(|step| &step.changes)).into_iter().map(|name| {
        let mut values = vec![text(trace.start.get(name))];
        for step in &trace.steps {
            values.push(text(step.changes.get(name)).or_else(|| values.last().cloned().flatten()));
        }
        Track { name, is_input: false, values }
    });
    let given = names(trace.steps.iter().map(|step| &step.inputs)).into_iter().map(|name| {
        let of_step = |step: &TraceStep| text(step.inputs.get(name));
        Track { name, is_input: true, values: std::iter::once(None).chain(trace.steps.iter().map(of_step)).collect() }
    });
    let is_given = |track: &Track| track.values.iter().flatten().any(|value| value != "false");
    changed.chain(given.filter(is_given)).collect()
}

/// The names in some maps, each once, in the order in which they first occur.
fn names<'t>(maps: impl Iterator<Item = &'t Values>) -> Vec<&'t str> {
    let mut seen = HashSet::new();
    maps.flat_map(|map| map.keys()).map(String::as_str).filter(|name| seen.insert(*name)).collect()
}

/// One row, whose upper edge is at `top`.
fn draw(out: &mut String, track: &Track, top: usize) {
    let class = if track.is_input { "track input" } else { "track" };
    let (high, low, base) = (top + 4, top + ROW - 6, top + ROW - 9);
    put!(
        out,
        "<g class=\"{class}\"><text class=\"name\" x=\"{}\" y=\"{base}\" text-anchor=\"end\">{}</text>",
        LEFT - 8,
        escaped(&shortened(track.name, LEFT - 8))
    );
    let mut column = 0;
    while column < track.values.len() {
        let value = &track.values[column];
        let end = column + track.values[column..].iter().take_while(|other| *other == value).count();
        let (from, to) = (LEFT + COLUMN * column, LEFT + COLUMN * end);
        match value.as_deref() {
            None => {}
            Some("true") => put!(out, "<path class=\"wave\" d=\"M{from} {low}V{high}H{to}V{low}\"/>"),
            Some("false") => put!(out, "<path class=\"wave\" d=\"M{from} {low}H{to}\"/>"),
            Some(text) => put!(
                out,
                "<rect class=\"band\" x=\"{}\" y=\"{high}\" width=\"{}\" height=\"{}\" rx=\"3\"/>\
                 <text x=\"{}\" y=\"{base}\" text-anchor=\"middle\">{}<title>{}</title></text>",
                from + 1,
                to - from - 2,
                low - high,
                (from + to) / 2,
                escaped(&shortened(text, to - from - 4)),
                escaped(text)
            ),
        }
        column = end;
    }
    out.push_str("</g>");
}

/// As much of a text as fits into `points` points.
fn shortened(text: &str, points: usize) -> String {
    let most = points / 7;
    match text.chars().count() <= most {
        true => text.to_string(),
        false => text.chars().take(most.saturating_sub(1)).chain(['…']).collect(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn trace(text: &str) -> Trace {
        serde_json::from_str(text).expect("a trace")
    }

    #[test]
    fn values_last_until_they_change_and_inputs_for_a_step() {
        let trace = trace(
            r#"{"start": {"mode": "Idle", "n": 0, "still": 7},
                "steps": [{"inputs": {"go": true}, "changes": {"mode": "Run"}}, {"changes": {"n": 1}}], "loop": 1}"#,
        );
        let tracks = tracks(&trace);
        let rows: Vec<(&str, Vec<&str>)> = (tracks.iter())
            .map(|track| (track.name, track.values.iter().map(|value| value.as_deref().unwrap_or("-")).collect()))
            .collect();
        let wanted = [("mode", vec!["Idle", "Run", "Run"]), ("n", vec!["0", "0", "1"]), ("go", vec!["-", "true", "-"])];
        assert_eq!(rows, wanted, "what never changes is left out");
        let picture = timeline(&trace).expect("it is short");
        assert!(picture.contains("repeated for ever") && picture.matches("class=\"band\"").count() == 4, "{picture}");
    }

    #[test]
    fn long_and_empty_runs_have_no_picture() {
        assert!(timeline(&Trace::default()).is_none());
        let step = r#"{"changes": {"n": 1}}"#;
        let long = format!(r#"{{"start": {{"n": 0}}, "steps": [{}]}}"#, vec![step; MOST_STEPS + 1].join(","));
        assert!(timeline(&trace(&long)).is_none());
    }
}
