//! Plots as SVG: how many properties are decided within a time (a cactus plot), and the time of each property.
//!
//! Times are on a logarithmic scale. Verdicts differ in shape and dashes as well as in colour.

use std::fmt::Display;

use super::html::{escaped, put, seconds};
use super::read::Recorded;
use super::standing::{Standing, Words};

const WIDTH: f64 = 640.0;
const HEIGHT: f64 = 320.0;
const LEFT: f64 = 76.0;
const RIGHT: f64 = 16.0;
const TOP: f64 = 12.0;
const BOTTOM: f64 = 50.0;

/// The vertical axis: times from `least` to `most`, both powers of ten.
struct Times {
    least: f64,
    most: f64,
}

impl Times {
    fn of(values: &[f64]) -> Times {
        let floor = 0.001;
        let low = values.iter().copied().fold(f64::INFINITY, f64::min).clamp(floor, 1e6);
        let high = values.iter().copied().fold(floor, f64::max).clamp(floor, 1e9);
        let least = 10f64.powf(low.log10().floor());
        let most = 10f64.powf((high * 1.0001).log10().ceil());
        Times { least, most: if most > least { most } else { least * 10.0 } }
    }

    fn y(&self, value: f64) -> f64 {
        let share = (value.clamp(self.least, self.most) / self.least).log10() / (self.most / self.least).log10();
        HEIGHT - BOTTOM - share * (HEIGHT - BOTTOM - TOP)
    }

    /// Lines across the plot at powers of ten, with their times.
    fn axis(&self) -> String {
        let mut out = String::new();
        let decades = (self.most / self.least).log10().round() as i32;
        for step in 0..=decades {
            let value = self.least * 10f64.powi(step);
            let y = self.y(value);
            put!(
                &mut out,
                "<line class=\"grid\" x1=\"{LEFT}\" x2=\"{:.1}\" y1=\"{y:.1}\" y2=\"{y:.1}\"/>",
                WIDTH - RIGHT
            );
            put!(
                &mut out,
                "<text x=\"{:.1}\" y=\"{:.1}\" text-anchor=\"end\">{}</text>",
                LEFT - 6.0,
                y + 4.0,
                tick(value)
            );
        }
        out
    }
}

/// A power of ten in seconds, short.
fn tick(value: f64) -> String {
    if value < 0.9 { format!("{:.0} ms", value * 1000.0) } else { format!("{value:.0} s") }
}

/// A place on the horizontal axis: the `index`-th of `count`, counted from 1.
fn x(index: f64, count: usize) -> f64 {
    LEFT + index / (count.max(1) as f64) * (WIDTH - LEFT - RIGHT)
}

/// Opens a plot with a title for readers who cannot see it.
fn open(out: &mut String, id: &str, title: &str, description: &str) {
    put!(
        out,
        "<svg id=\"{id}\" class=\"plot\" viewBox=\"0 0 {WIDTH} {HEIGHT}\" role=\"img\" aria-labelledby=\"{id}-title {id}-text\">\
         <title id=\"{id}-title\">{title}</title><desc id=\"{id}-text\">{}</desc>",
        escaped(description)
    );
}

fn horizontal_axis(out: &mut String, count: usize, label: &str) {
    let base = HEIGHT - BOTTOM;
    put!(out, "<line class=\"axis\" x1=\"{LEFT}\" x2=\"{:.1}\" y1=\"{base}\" y2=\"{base}\"/>", WIDTH - RIGHT);
    let stride = [1, 2, 5].iter().cycle().enumerate().map(|(index, step)| step * 10usize.pow(index as u32 / 3));
    let stride = stride.take(24).find(|stride| count / stride <= 8).unwrap_or(count.max(1));
    for value in (0..=count).step_by(stride) {
        put!(
            out,
            "<text x=\"{:.1}\" y=\"{:.1}\" text-anchor=\"middle\">{value}</text>",
            x(value as f64, count),
            base + 20.0
        );
    }
    let middle = LEFT + (WIDTH - LEFT - RIGHT) / 2.0;
    put!(out, "<text x=\"{middle:.1}\" y=\"{:.1}\" text-anchor=\"middle\">{label}</text>", HEIGHT - 6.0);
}

/// A cactus plot: for each number of properties the time within which that many were decided.
pub fn cactus(run: &Recorded) -> String {
    let decided = || run.problems.iter().flat_map(|problem| &problem.properties);
    let times = |wanted: Option<Standing>| {
        let chosen = decided().filter(|property| wanted.is_none_or(|wanted| Standing::of(property) == wanted));
        let mut times: Vec<f64> = chosen.filter_map(|property| property.decided_after()).collect();
        times.sort_by(f64::total_cmp);
        times
    };
    let all = times(None);
    let axis = Times::of(&all);
    let mut out = String::new();
    let last = all.last().map_or(String::from("none"), |&last| seconds(last));
    open(
        &mut out,
        "cactus",
        "Properties decided within a time",
        &format!("{} properties are decided; the last one after {last}.", all.len()),
    );
    out.push_str(&axis.axis());
    horizontal_axis(&mut out, all.len(), "properties decided");
    let lines = [
        ("all", all.clone()),
        (Standing::Violated.class(), times(Some(Standing::Violated))),
        (Standing::Holds.class(), times(Some(Standing::Holds))),
    ];
    for (name, times) in lines {
        if times.is_empty() {
            continue;
        }
        let points: Vec<String> = times
            .iter()
            .enumerate()
            .map(|(index, &time)| format!("{:.1},{:.1}", x(index as f64 + 1.0, all.len()), axis.y(time)))
            .collect();
        // One point alone is no line.
        let start = format!("{:.1},{:.1}", x(0.0, all.len()), axis.y(times[0]));
        put!(&mut out, "<polyline class=\"line {name}\" points=\"{start} {}\"/>", points.join(" "));
    }
    out.push_str("</svg>");
    let words = Words::of_run(run);
    let decided = [Standing::Violated, Standing::Holds].map(|standing| (standing.class(), words.word(standing)));
    out.push_str(&legend(&[&[("all", "all")], &decided[..]].concat()));
    out
}

/// A line of a cactus plot: the times of solved problems, ascending.
pub struct Line {
    pub name: String,
    pub times: Vec<f64>,
}

/// A cactus plot of several tools.
pub fn comparison(lines: &[Line]) -> String {
    const CLASSES: [&str; 4] = ["all", "violated", "holds", "unknown"];
    let all: Vec<f64> = lines.iter().flat_map(|line| line.times.iter().copied()).collect();
    let most = lines.iter().map(|line| line.times.len()).max().unwrap_or(0);
    let axis = Times::of(&all);
    let mut out = String::new();
    let solved: Vec<String> = lines.iter().map(|line| format!("{} solves {}", line.name, line.times.len())).collect();
    open(&mut out, "cactus", "Models solved within a time", &format!("{}.", solved.join(", ")));
    out.push_str(&axis.axis());
    horizontal_axis(&mut out, most, "models solved");
    let mut entries = vec![];
    for (line, class) in lines.iter().zip(CLASSES.iter().cycle()) {
        entries.push((*class, escaped(&line.name)));
        let Some(&first) = line.times.first() else { continue };
        let point = |(index, &time): (usize, &f64)| format!("{:.1},{:.1}", x(index as f64 + 1.0, most), axis.y(time));
        let points: Vec<String> = line.times.iter().enumerate().map(point).collect();
        let start = format!("{:.1},{:.1}", x(0.0, most), axis.y(first));
        put!(&mut out, "<polyline class=\"line {class}\" points=\"{start} {}\"/>", points.join(" "));
    }
    out.push_str("</svg>");
    out.push_str(&legend(&entries));
    out
}

/// The time of each property, problem by problem. Undecided ones stand at the time at which they were given up.
pub fn scatter(run: &Recorded) -> String {
    let properties: Vec<_> = run
        .problems
        .iter()
        .enumerate()
        .flat_map(|(problem, entry)| {
            entry.properties.iter().enumerate().map(move |(index, property)| (problem, index, property))
        })
        .collect();
    let times: Vec<f64> = properties.iter().filter_map(|(_, _, property)| property.seconds).collect();
    let axis = Times::of(&times);
    let mut out = String::new();
    let text = format!("One mark for each of {} properties, in the order of the run.", properties.len());
    open(&mut out, "times", "Time of each property", &text);
    out.push_str(&axis.axis());
    horizontal_axis(&mut out, properties.len(), "properties, problem by problem");
    let mut start = 0;
    for problem in run.problems.iter().take(run.problems.len().saturating_sub(1)) {
        start += problem.properties.len();
        let x = x(start as f64, properties.len());
        put!(
            &mut out,
            "<line class=\"border\" x1=\"{x:.1}\" x2=\"{x:.1}\" y1=\"{TOP}\" y2=\"{:.1}\"/>",
            HEIGHT - BOTTOM
        );
    }
    for (place, (problem, index, property)) in properties.iter().enumerate() {
        let Some(time) = property.seconds else { continue };
        let (x, y) = (x(place as f64 + 0.5, properties.len()), axis.y(time));
        let standing = Standing::of(property);
        let (class, word) = (standing.class(), Words::of(&run.problems[*problem], property).word(standing));
        let shape = match standing {
            Standing::Violated => format!("<circle cx=\"{x:.1}\" cy=\"{y:.1}\" r=\"3.2\"/>"),
            Standing::Holds => {
                format!("<rect x=\"{:.1}\" y=\"{:.1}\" width=\"6\" height=\"6\"/>", x - 3.0, y - 3.0)
            }
            Standing::Unknown => {
                let (left, right, top, bottom) = (x - 3.0, x + 3.0, y - 3.0, y + 3.0);
                format!(
                    "<path d=\"M{left:.1} {top:.1}L{right:.1} {bottom:.1}M{left:.1} {bottom:.1}L{right:.1} {top:.1}\"/>"
                )
            }
        };
        put!(
            &mut out,
            "<g class=\"mark {class}\" data-row=\"p{problem}-{index}\"><title>{} of {}: {word}, {}</title>{shape}</g>",
            escaped(&property.property),
            escaped(&property.file),
            seconds(time)
        );
    }
    out.push_str("</svg>");
    let words = Words::of_run(run);
    let marked: Vec<(&str, String)> = (Standing::ALL.iter().zip(["●", "■", "✕"]))
        .map(|(&standing, mark)| (standing.class(), format!("{mark} {}", words.word(standing))))
        .collect();
    out.push_str(&legend(&marked));
    out
}

fn legend<T: Display>(entries: &[(&str, T)]) -> String {
    let entries: String = entries
        .iter()
        .map(|(class, text)| format!("<li class=\"{class}\"><span class=\"swatch\"></span>{text}</li>"))
        .collect();
    format!("<ul class=\"legend\" aria-hidden=\"true\">{entries}</ul>")
}
