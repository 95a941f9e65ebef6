//! Two runs side by side: the visible part of both, step by step, and where they part.

use redoubt_compare::{Scene, Seen};

/// Names are in lines of at most this many characters.
const WIDTH: usize = 100;

/// The column in which names and values begin.
const MARGIN: usize = 12;

/// Columns are at most this wide.
const WIDEST: usize = 40;

/// A table of steps.
#[derive(Default)]
pub struct Columns {
    rows: Vec<Row>,
    /// The previous values, by position.
    last: Vec<Seen>,
}

enum Row {
    Step(usize, String),
    Values(Seen),
}

impl Columns {
    /// A list of names, in as many lines as it takes; nothing for none.
    pub fn lines(title: &str, names: impl Iterator<Item = String>) -> String {
        let mut lines: Vec<String> = vec![];
        for name in names {
            match lines.last_mut() {
                Some(line) if line.len() + name.len() + 2 <= WIDTH - MARGIN => {
                    line.push_str(", ");
                    line.push_str(&name);
                }
                Some(line) => {
                    line.push(',');
                    lines.push(name);
                }
                None => lines.push(name),
            }
        }
        let titled =
            |(index, line): (usize, &String)| format!("{:MARGIN$}{line}\n", if index == 0 { title } else { "" });
        lines.iter().enumerate().map(titled).collect()
    }

    /// Adds a step, with the changes since the one before.
    pub fn scene(&mut self, number: usize, inputs: String, scene: &Scene) {
        self.rows.push(Row::Step(number, inputs));
        for (index, seen) in scene.seen.iter().enumerate() {
            let before = self.last.get(index);
            let is_new = before.is_none_or(|before| (&before.old, &before.new) != (&seen.old, &seen.new));
            let says_nothing = seen.old.is_empty() && seen.new.is_empty() || seen.old == "goes on" && !seen.differs;
            if (is_new || seen.name == "printed" || seen.differs) && !says_nothing {
                self.rows.push(Row::Values(seen.clone()));
            }
        }
        self.last.clone_from(&scene.seen);
    }

    /// The table; differences are marked.
    pub fn finish(self) -> String {
        let values = |row: &Row| match row {
            Row::Step(..) => None,
            Row::Values(seen) => Some((shown(&seen.name, false), shown(&seen.old, true))),
        };
        let wide = |of: fn(&(String, String)) -> usize, least: usize| {
            self.rows.iter().filter_map(values).map(|pair| of(&pair)).max().unwrap_or(0).clamp(least, WIDEST)
        };
        let (names, left) = (wide(|(name, _)| name.chars().count(), 4), wide(|(_, old)| old.chars().count(), 3));
        let mut text = format!("{:MARGIN$}{:names$}  {:left$}  new\n", "", "", "old");
        for row in &self.rows {
            let line = match row {
                Row::Step(0, inputs) => format!("  {:10}{inputs}", "start"),
                Row::Step(number, inputs) => format!("  {:10}{inputs}", format!("step {number}")),
                Row::Values(Seen { name, old, new, differs }) => {
                    let mark = if *differs { "*" } else { " " };
                    let (name, old, new) = (shown(name, false), shown(old, true), shown(new, true));
                    format!("  {mark:10}{name:names$}  {old:left$}  {new}")
                }
            };
            text += line.trim_end();
            text.push('\n');
        }
        text
    }
}

/// A text in one line; nothing at all is shown as such.
fn shown(text: &str, is_value: bool) -> String {
    let text = text.trim_end_matches('\n').replace('\n', " / ");
    if is_value && text.is_empty() { "-".into() } else { text }
}
