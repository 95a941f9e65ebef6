//! Tools on the same models, side by side: a table of verdicts and times, and how many are solved within a time.

use super::html::{escaped, name, put, seconds};
use super::page;
use super::plot::{self, Line};

/// The results of one tool on all models.
pub struct Column {
    pub tool: String,
    /// By model.
    pub cells: Vec<Cell>,
    pub par2: f64,
}

/// One tool on one model.
pub struct Cell {
    /// As it is shown: `reachable`, `-` or `WRONG`.
    pub verdict: String,
    pub seconds: f64,
    pub is_solved: bool,
}

/// A page that needs nothing else. `models` are the names and the known answers.
pub fn comparison(title: &str, models: &[(String, String)], limit: u64, columns: &[Column]) -> String {
    let mut body = String::new();
    put!(
        &mut body,
        "<section aria-labelledby=\"total-head\"><h2 id=\"total-head\">Solved</h2>{}</section>\n",
        totals(limit, models.len(), columns)
    );
    let lines: Vec<Line> = columns.iter().map(line).collect();
    put!(
        &mut body,
        "<section aria-labelledby=\"cactus-head\"><h2 id=\"cactus-head\">Solved within a time</h2>{}</section>\n",
        plot::comparison(&lines)
    );
    put!(
        &mut body,
        "<section aria-labelledby=\"models-head\"><h2 id=\"models-head\">Models</h2>{}</section>\n",
        table(models, columns)
    );
    page::framed(title, "Redoubt comparison", &body)
}

fn line(column: &Column) -> Line {
    let mut times: Vec<f64> = column.cells.iter().filter(|cell| cell.is_solved).map(|cell| cell.seconds).collect();
    times.sort_by(f64::total_cmp);
    Line { name: column.tool.clone(), times }
}

fn totals(limit: u64, models: usize, columns: &[Column]) -> String {
    let mut out = format!(
        "<p>{models} models, {limit} s of processor time each; PAR2 is the sum of times, twice the limit where a model is not solved.</p>"
    );
    out.push_str("<table><thead><tr><th scope=\"col\">Tool</th><th scope=\"col\" class=\"number\">Solved</th><th scope=\"col\" class=\"number\">Wrong</th><th scope=\"col\" class=\"number\">PAR2</th></tr></thead><tbody>");
    for column in columns {
        let solved = column.cells.iter().filter(|cell| cell.is_solved).count();
        let wrong = column.cells.iter().filter(|cell| cell.verdict == "WRONG").count();
        put!(
            &mut out,
            "<tr><th scope=\"row\">{}</th><td class=\"number\">{solved}</td><td class=\"number\">{wrong}</td><td class=\"number\">{:.1} s</td></tr>",
            name(&column.tool),
            column.par2
        );
    }
    out + "</tbody></table>"
}

fn table(models: &[(String, String)], columns: &[Column]) -> String {
    let mut out = String::from("<table><thead><tr><th scope=\"col\">Model</th><th scope=\"col\">Expected</th>");
    for column in columns {
        put!(&mut out, "<th scope=\"col\">{}</th><th scope=\"col\" class=\"number\">Time</th>", escaped(&column.tool));
    }
    out.push_str("</tr></thead><tbody>");
    for (index, (model, expected)) in models.iter().enumerate() {
        put!(&mut out, "<tr><th scope=\"row\">{}</th><td>{expected}</td>", name(model));
        for cell in columns.iter().filter_map(|column| column.cells.get(index)) {
            put!(&mut out, "<td>{}</td><td class=\"number\">{}</td>", cell.verdict, seconds(cell.seconds));
        }
        out.push_str("</tr>");
    }
    out + "</tbody></table>"
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_page_has_every_model_and_tool() {
        let cell = |verdict: &str, seconds, is_solved| Cell { verdict: verdict.into(), seconds, is_solved };
        let columns = [
            Column {
                tool: "redoubt".into(),
                cells: vec![cell("reachable", 0.5, true), cell("-", 20.0, false)],
                par2: 40.5,
            },
            Column {
                tool: "<other>".into(),
                cells: vec![cell("WRONG", 2.0, false), cell("unreachable", 3.0, true)],
                par2: 43.0,
            },
        ];
        let models =
            [("a/b.aig", "reachable"), ("c.btor2", "unreachable")].map(|(a, b)| (a.to_string(), b.to_string()));
        let page = comparison("models", &models, 20, &columns);
        for text in ["40.5 s", "43.0 s", "&lt;other&gt;", "a/<wbr>b.aig", "<td>WRONG</td>", "<polyline"] {
            assert!(page.contains(text), "{text}");
        }
        assert_eq!(page.matches("<polyline").count(), 2);
    }
}
