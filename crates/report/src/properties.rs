//! The list of all properties, with the controls that filter it.

use std::collections::HashMap;

use super::details;
use super::html::{count, escaped, name, put, seconds};
use super::overview::{is_unexpected, is_violated_as_expected};
use super::read::{Problem, Property, Recorded, Verdict};
use super::standing::{Standing, Words};

/// The controls. They work on the rows below and on the marks of the plot of times.
pub fn filters(run: &Recorded) -> String {
    let mut out = String::from(
        "<form id=\"filters\" role=\"search\" aria-label=\"Filter the properties\"><label class=\"which\">Problem <select id=\"by-problem\">\
         <option value=\"\">all problems</option>",
    );
    for (index, problem) in run.problems.iter().enumerate() {
        put!(&mut out, "<option value=\"{index}\">{}</option>", escaped(&problem.file));
    }
    out.push_str("</select></label><fieldset><legend>Verdict</legend>");
    let words = Words::of_run(run);
    for standing in Standing::ALL {
        put!(
            &mut out,
            "<label class=\"{0}\"><input type=\"checkbox\" name=\"verdict\" value=\"{0}\" checked> {1}</label>",
            standing.class(),
            words.word(standing)
        );
    }
    let all = run.problems.iter().map(|problem| problem.properties.len()).sum();
    put!(
        &mut out,
        "</fieldset><label>Text <input id=\"by-text\" type=\"search\" placeholder=\"name, engine, invariant\" autocomplete=\"off\"></label>\
         <button type=\"reset\">Show all</button></form><p id=\"shown\" role=\"status\" aria-live=\"polite\">{}</p>",
        count(all, "property", "properties")
    );
    out
}

/// A table with a row for each property; on a narrow screen each row is a card.
pub fn table(run: &Recorded) -> String {
    let mut out = String::from(
        "<table id=\"rows\" class=\"cards sortable\"><caption>All properties</caption><thead><tr><th scope=\"col\">Property</th><th scope=\"col\" class=\"which\">Problem</th>\
         <th scope=\"col\">Verdict</th><th scope=\"col\">Engine</th><th scope=\"col\" class=\"number\">Time</th><th scope=\"col\">Witness or proof</th></tr></thead><tbody>",
    );
    for (number, problem) in run.problems.iter().enumerate() {
        // Properties that one certificate excludes have one invariant, which is written once.
        let mut invariants: HashMap<&[String], usize> = HashMap::new();
        for (index, property) in problem.properties.iter().enumerate() {
            let lines = property.invariant.as_deref();
            let first = lines.and_then(|lines| invariants.insert(lines, index));
            if let (Some(lines), Some(first)) = (lines, first) {
                invariants.insert(lines, first);
            }
            let first = first.map(|first| (first, &*problem.properties[first].property));
            row(&mut out, (number, problem), (index, property), first);
        }
    }
    out + "</tbody></table>"
}

/// `first` is the property whose row has the same invariant, if an earlier one has.
fn row(
    out: &mut String,
    (number, problem): (usize, &Problem),
    (index, property): (usize, &Property),
    first: Option<(usize, &str)>,
) {
    let (standing, words) = (Standing::of(property), Words::of(problem, property));
    let (class, word) = (standing.class(), words.word(standing));
    let mild = if is_violated_as_expected(property) { " expected" } else { "" };
    put!(out, "<tr id=\"p{number}-{index}\" data-problem=\"{number}\" data-verdict=\"{class}\">");
    put!(out, "<th scope=\"row\">{}", name(&property.property));
    if let Some(symbol) = &property.symbol {
        put!(out, " <span class=\"none\">{}</span>", name(symbol));
    }
    put!(out, "</th><td class=\"which\" data-label=\"Problem\">{}</td>", name(&property.file));
    put!(
        out,
        "<td data-label=\"Verdict\"><span class=\"badge {class}{mild}\">{word}</span>{}</td>",
        remarks(property, words)
    );
    put!(out, "<td data-label=\"Engine\">{}</td>", property.engine.as_deref().map_or(String::new(), escaped));
    let (exactly, time) = (property.seconds.unwrap_or(-1.0), property.seconds.map_or(String::new(), seconds));
    put!(out, "<td class=\"number\" data-label=\"Time\" data-key=\"{exactly}\">{time}</td>");
    let invariant = match first {
        Some((first, of)) => Some(format!("<a href=\"#p{number}-{first}\">invariant of {}</a>", name(of))),
        None => details::invariant(property),
    };
    let found: Vec<String> = [details::witness(property), invariant].into_iter().flatten().collect();
    let found = match (found.is_empty(), &property.reason, property.steps) {
        (false, ..) => found.concat(),
        (true, Some(reason), _) => format!("<span class=\"none\">{}</span>", escaped(reason)),
        (true, None, Some(steps)) => count(steps, "step", "steps"),
        (true, None, None) => "&nbsp;".into(),
    };
    put!(out, "<td class=\"found\" data-label=\"Witness or proof\">{found}</td></tr>");
}

/// Remarks beside the verdict.
fn remarks(property: &Property, words: Words) -> String {
    let mut out = String::new();
    // A goal asks for something to be reached, and a run shows that.
    if words == Words::Properties && property.verdict == Verdict::Reachable && Standing::of(property) == Standing::Holds
    {
        out.push_str(" <span class=\"none remark\">reached</span>");
    }
    if is_violated_as_expected(property) {
        out.push_str(" <span class=\"none remark\">as expected</span>");
    }
    if property.confirmed {
        out.push_str(
            " <span class=\"none remark\" title=\"checked apart from the engine that found it\">✓ confirmed</span>",
        );
    }
    if let Some(expected) = property.expected.filter(|_| is_unexpected(property)) {
        put!(&mut out, " <strong class=\"alert\">expected: {}</strong>", expected.word());
    }
    out
}
