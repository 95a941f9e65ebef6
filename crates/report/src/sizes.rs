//! The sizes of each problem on its way, and the savings of each pass.

use super::html::{escaped, grouped, name, put};
use super::read::{Pass, Recorded, Summary};

/// A part for each problem that came to its end; nothing if there is none.
pub fn sizes(run: &Recorded) -> String {
    let summaries: Vec<&Summary> = run.problems.iter().filter_map(|problem| problem.summary.as_ref()).collect();
    if summaries.is_empty() {
        return String::new();
    }
    let mut out = String::from("<section id=\"sizes\" aria-labelledby=\"sizes-head\"><h2 id=\"sizes-head\">Sizes</h2>");
    for summary in summaries {
        put!(
            &mut out,
            "<details class=\"size\"{}><summary>{}</summary>",
            if run.problems.len() == 1 { " open" } else { "" },
            name(&summary.file)
        );
        let sizes = &summary.sizes;
        let figures = [
            ("lines", sizes.lines),
            ("variables", sizes.variables),
            ("inputs", sizes.inputs),
            ("properties", sizes.properties),
            ("latches", sizes.latches),
            ("gates", sizes.gates),
            ("abstract states", sizes.abstract_states),
        ];
        out.push_str("<dl class=\"figures small\">");
        for (name, value) in figures {
            if let Some(value) = value {
                put!(&mut out, "<div><dt>{name}</dt><dd>{}</dd></div>", grouped(value));
            }
        }
        out.push_str("</dl>");
        if !sizes.passes.is_empty() {
            passes(&mut out, &sizes.passes);
        }
        out.push_str("</details>");
    }
    out + "</section>"
}

/// Before and after each pass, with bars that share one scale.
fn passes(out: &mut String, passes: &[Pass]) {
    out.push_str(
        "<div class=\"scroll\" tabindex=\"0\" role=\"region\" aria-label=\"Passes\"><table class=\"passes\"><thead><tr><th scope=\"col\">Pass</th><th scope=\"col\" class=\"number\">States</th>\
         <th scope=\"col\" class=\"number\">Expressions or gates</th><th scope=\"col\" aria-hidden=\"true\" class=\"shares\">Left</th></tr></thead><tbody>",
    );
    let most = passes.iter().map(|pass| pass.expressions[0].max(pass.expressions[1])).max().unwrap_or(1).max(1);
    for pass in passes {
        let width = |value: usize| value as f64 / most as f64 * 100.0;
        put!(
            out,
            "<tr><th scope=\"row\">{}</th><td class=\"number\">{}</td><td class=\"number\">{}</td><td class=\"shares\" aria-hidden=\"true\">\
             <svg class=\"bar\" viewBox=\"0 0 100 6\" preserveAspectRatio=\"none\"><rect class=\"before\" x=\"0\" y=\"0\" width=\"{:.2}\" height=\"6\"/>\
             <rect class=\"after\" x=\"0\" y=\"0\" width=\"{:.2}\" height=\"6\"/></svg></td></tr>",
            escaped(&pass.pass),
            change(pass.states),
            change(pass.expressions),
            width(pass.expressions[0]),
            width(pass.expressions[1])
        );
    }
    out.push_str("</tbody></table></div>");
}

fn change([before, after]: [usize; 2]) -> String {
    format!("{} → {}", grouped(before), grouped(after))
}
