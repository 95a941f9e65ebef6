//! The page as a whole: one file with its style and its script in it.

use super::html::{self, escaped, put};
use super::modes::Modes;
use super::read::Recorded;
use super::{overview, plot, properties, sizes};

const STYLE: &str = include_str!("page.css");
const SCRIPT: &str = include_str!("page.js");

/// Nothing is loaded from anywhere, and nothing is sent.
const POLICY: &str = "default-src 'none'; style-src 'unsafe-inline'; script-src 'unsafe-inline'";

/// The beginning of a page that is about `name`.
fn head(name: &str) -> String {
    format!(
        "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n\
         <meta http-equiv=\"Content-Security-Policy\" content=\"{POLICY}\">\n\
         <meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n\
         <meta name=\"color-scheme\" content=\"light dark\">\n\
         <title>{name} – redoubt</title>\n<style>\n{STYLE}</style>\n</head>\n<body>\n"
    )
}

/// A page with this heading and without a script; `name` is its subject.
pub fn framed(name: &str, heading: &str, body: &str) -> String {
    let name = escaped(name);
    let mut out = head(&name);
    put!(
        &mut out,
        "<header><h1>{heading}</h1><p><bdi>{name}</bdi></p></header>\n<main>\n{body}\
         </main>\n<footer>Written by redoubt {}.</footer>\n</body>\n</html>\n",
        env!("CARGO_PKG_VERSION")
    );
    out
}

/// The report of a run; `name` is its title, and `modes` are those of its small models, by their files.
pub fn page(run: &Recorded, name: &str, modes: &[(String, Modes)]) -> String {
    let name = escaped(name);
    let mut out = head(&name);
    // One problem that was finished is no table, and its times are told by its rows.
    let only = match &run.problems[..] {
        [problem] if problem.summary.is_some() && problem.errors.is_empty() => Some(problem),
        _ => None,
    };
    let about = only.map_or(String::new(), |problem| format!(" about {}", html::name(&problem.file)));
    put!(
        &mut out,
        "<a class=\"skip\" href=\"#properties\">Skip to the properties</a>\n\
         <header><h1>Redoubt report</h1><p><bdi>{name}</bdi></p></header>\n<main{}>\n",
        if only.is_some() { " class=\"single\"" } else { "" }
    );
    put!(
        &mut out,
        "<section aria-labelledby=\"total-head\"><h2 id=\"total-head\">Verdicts{about}</h2>{}{}{}</section>\n",
        overview::total(run),
        if only.is_some() { String::new() } else { overview::problems(run) },
        overview::errors(run)
    );
    if run.problems.len() > 1 {
        put!(
            &mut out,
            "<div class=\"plots\"><section aria-labelledby=\"cactus-head\"><h2 id=\"cactus-head\">Decided within a time</h2>{}</section>\n\
         <section aria-labelledby=\"times-head\"><h2 id=\"times-head\">Time of each property</h2>{}</section></div>\n",
            plot::cactus(run),
            plot::scatter(run)
        );
    }
    put!(
        &mut out,
        "<section id=\"properties\" aria-labelledby=\"properties-head\"><h2 id=\"properties-head\">Properties</h2>{}{}</section>\n",
        properties::filters(run),
        properties::table(run)
    );
    out.push_str(&pictures(modes));
    put!(&mut out, "{}\n", sizes::sizes(run));
    put!(
        &mut out,
        "</main>\n<footer>Written by redoubt {}.</footer>\n<script>\n{SCRIPT}</script>\n</body>\n</html>\n",
        env!("CARGO_PKG_VERSION")
    );
    out
}

/// The modes of models, each picture to be opened, or opened already if it is the only one.
fn pictures(modes: &[(String, Modes)]) -> String {
    if modes.is_empty() {
        return String::new();
    }
    let mut out = String::from("<section id=\"modes\" aria-labelledby=\"modes-head\"><h2 id=\"modes-head\">Modes</h2>");
    let open = if modes.len() == 1 { " open" } else { "" };
    for (file, modes) in modes {
        put!(
            &mut out,
            "<details class=\"size\"{open}><summary>{}</summary>{}</details>",
            html::name(file),
            modes.draw()
        );
    }
    out + "</section>\n"
}
