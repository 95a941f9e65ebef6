//! The head of the page: the sum of all verdicts, and a row for each problem.

use super::html::{count, escaped, name, put, seconds};
use super::read::{Language, Problem, Property, Recorded, Verdict};
use super::standing::{Standing, Words};
use crate::program::Status;

/// The numbers of properties in each standing, and of violated ones that are expected to be.
#[derive(Clone, Copy, Default)]
struct Tally {
    standing: [usize; 3],
    foreseen: usize,
}

impl Tally {
    fn of<'p>(properties: impl Iterator<Item = &'p Property>) -> Tally {
        let mut tally = Tally::default();
        for property in properties {
            tally.standing[Standing::of(property) as usize] += 1;
            tally.foreseen += usize::from(is_violated_as_expected(property));
        }
        tally
    }

    fn number(self, standing: Standing) -> usize {
        self.standing[standing as usize]
    }

    fn all(self) -> usize {
        self.standing.iter().sum()
    }
}

/// The sum over all problems, in figures and as a bar.
pub fn total(run: &Recorded) -> String {
    let tally = Tally::of(run.problems.iter().flat_map(|problem| &problem.properties));
    let time: f64 = run.problems.iter().filter_map(time).sum();
    let mut out = String::from("<dl class=\"figures\">");
    put!(
        &mut out,
        "<div><dt>{}</dt><dd>{}</dd></div>",
        if run.problems.len() == 1 { "problem" } else { "problems" },
        run.problems.len()
    );
    let words = Words::of_run(run);
    for standing in Standing::ALL {
        let (class, word, number) = (standing.class(), words.word(standing), tally.number(standing));
        put!(&mut out, "<div class=\"{class}\"><dt>{word}</dt><dd>{number}</dd></div>");
    }
    put!(&mut out, "<div><dt>time</dt><dd>{}</dd></div></dl>", seconds(time));
    out.push_str(&bar(tally));
    out.push_str(&unexpected(run));
    let failed = run.problems.iter().filter(|problem| !problem.errors.is_empty()).count();
    if failed > 0 {
        put!(
            &mut out,
            "<p class=\"alert\" role=\"alert\"><a href=\"#errors\">{} not decided.</a></p>",
            count(failed, "problem was", "problems were")
        );
    }
    if tally.all() == 0 {
        out.push_str("<p>No property was looked at.</p>");
    }
    out
}

/// The most properties named at the head of the page.
const MOST_NAMED: usize = 20;

/// The decided properties that have another status than expected, with the way to them.
fn unexpected(run: &Recorded) -> String {
    let mut links = vec![];
    for (number, problem) in run.problems.iter().enumerate() {
        let wrong = problem.properties.iter().enumerate().filter(|(_, property)| is_unexpected(property));
        links.extend(wrong.map(|(index, property)| {
            format!("<a href=\"#p{number}-{index}\">{}</a> ({})", name(&property.property), name(&problem.file))
        }));
    }
    let all = || run.problems.iter().flat_map(|problem| &problem.properties);
    let foreseen = all().filter(|property| is_violated_as_expected(property)).count();
    let foreseen = match foreseen {
        0 => String::new(),
        _ => {
            format!("<p class=\"none\">{} violated as expected.</p>", count(foreseen, "property is", "properties are"))
        }
    };
    if links.is_empty() {
        return foreseen;
    }
    let all = count(links.len(), "status is", "statuses are");
    let more = if links.len() > MOST_NAMED { ", and others" } else { "" };
    links.truncate(MOST_NAMED);
    format!("<p class=\"alert\" role=\"alert\">{all} not as expected: {}{more}.</p>{foreseen}", links.join(", "))
}

/// Whether its violation was expected.
pub fn is_violated_as_expected(property: &Property) -> bool {
    property.status == Some(Status::Violated) && property.expected == property.status
}

pub fn is_unexpected(property: &Property) -> bool {
    property.verdict != Verdict::Unknown && property.expected.is_some() && property.expected != property.status
}

/// The time of a problem: its own, or else that of its last property.
pub fn time(problem: &Problem) -> Option<f64> {
    let last = problem.properties.iter().filter_map(|property| property.seconds).reduce(f64::max);
    problem.summary.as_ref().and_then(|summary| summary.seconds).or(last)
}

/// The share of each standing as one bar, in which expected violations are paler; the figures stand beside it, so it is
/// hidden from screen readers.
fn bar(tally: Tally) -> String {
    let all = tally.all().max(1) as f64;
    let mut out =
        String::from("<svg class=\"bar\" viewBox=\"0 0 100 6\" preserveAspectRatio=\"none\" aria-hidden=\"true\">");
    let [violated, holds, unknown] = Standing::ALL.map(|standing| (standing.class(), tally.number(standing)));
    let parts = [(violated.0, violated.1 - tally.foreseen), ("violated expected", tally.foreseen), holds, unknown];
    let mut x = 0.0;
    for (class, number) in parts.into_iter().filter(|(_, number)| *number > 0) {
        let width = number as f64 / all * 100.0;
        put!(&mut out, "<rect class=\"{class}\" x=\"{x:.2}\" y=\"0\" width=\"{width:.2}\" height=\"6\"/>");
        x += width;
    }
    out + "</svg>"
}

/// A table with a row for each problem.
pub fn problems(run: &Recorded) -> String {
    let mut out = String::from(
        "<table class=\"cards sortable\"><caption>Verdicts by problem</caption><thead><tr><th scope=\"col\">Problem</th>\
         <th scope=\"col\">Language</th>",
    );
    let words = Words::of_run(run);
    for standing in Standing::ALL {
        put!(&mut out, "<th scope=\"col\" class=\"number standing\">{}</th>", words.word(standing));
    }
    out.push_str(
        "<th scope=\"col\" class=\"number\">Time</th><td class=\"shares\" aria-hidden=\"true\"></td></tr></thead><tbody>",
    );
    for (index, problem) in run.problems.iter().enumerate() {
        let tally = Tally::of(problem.properties.iter());
        let language = match problem.summary.as_ref().and_then(|summary| summary.language) {
            _ if !problem.errors.is_empty() => "<strong class=\"alert\">error</strong>".to_string(),
            Some(Language::C) => "C".to_string(),
            Some(Language::Java) => "Java".to_string(),
            Some(Language::Mealy) => "machine".to_string(),
            Some(Language::Gcl) => "model".to_string(),
            Some(Language::St) => "Structured Text".to_string(),
            Some(Language::Smv) => "SMV".to_string(),
            Some(Language::Aiger) => "AIGER".to_string(),
            Some(Language::Btor2) => "BTOR2".to_string(),
            None => "<span class=\"none\">not finished</span>".to_string(),
        };
        put!(
            &mut out,
            "<tr><th scope=\"row\"><a href=\"#properties\" data-problem=\"{index}\">{}</a></th><td data-label=\"Language\">{language}</td>",
            name(&problem.file)
        );
        for standing in Standing::ALL {
            let (label, number) = (words.word(standing), tally.number(standing));
            put!(&mut out, "<td class=\"number\" data-label=\"{label}\">{number}</td>");
        }
        let (exactly, time) = (time(problem).unwrap_or(-1.0), time(problem).map_or(String::new(), seconds));
        put!(
            &mut out,
            "<td class=\"number\" data-label=\"Time\" data-key=\"{exactly}\">{time}</td><td class=\"shares\" aria-hidden=\"true\">{}</td></tr>",
            bar(tally)
        );
    }
    out + "</tbody></table>"
}

/// Why problems were not decided, in the words of the messages about them.
pub fn errors(run: &Recorded) -> String {
    let mut out = String::new();
    for problem in run.problems.iter().filter(|problem| !problem.errors.is_empty()) {
        put!(&mut out, "<dt>{}</dt>", name(&problem.file));
        problem.errors.iter().for_each(|error| put!(&mut out, "<dd><pre>{}</pre></dd>", escaped(error)));
    }
    match out.is_empty() {
        true => out,
        false => format!("<dl id=\"errors\">{out}</dl>"),
    }
}
