//! A run as text: a line or more for each step, with steps that are alike folded, and of a long run the beginning and the end.

use std::io::{self, Write};
use std::ops::Range;

use redoubt_program::expr::TableId;
use redoubt_program::program::PropertyKind;
use redoubt_program::program::legend::Role;
use redoubt_program::simulate::{End, Rule, Step};

use super::super::output::{count, width};
use super::{Logged, Place, Signal, Trace};

/// Fewer steps that are like the one before them are written like any others.
const FEW: usize = 4;

/// Before the continuation of the line above.
const INDENT: &str = "           ";

/// The entries of a written run, one below the other.
enum Entry {
    Step(usize),
    /// Steps that are like the one before them.
    Alike(Range<usize>),
    /// The following steps are repeated for ever.
    Loop,
}

impl Entry {
    fn steps(&self) -> usize {
        match self {
            Entry::Step(_) => 1,
            Entry::Alike(steps) => steps.len(),
            Entry::Loop => 0,
        }
    }
}

/// Writes a list behind its heading, on as many lines as it needs.
fn write_list(out: &mut dyn Write, heading: &str, parts: &[String]) -> io::Result<()> {
    let width = width();
    let mut line = String::from(heading);
    for (place, part) in parts.iter().enumerate() {
        let part = if place + 1 < parts.len() { format!("{part}, ") } else { part.clone() };
        let is_full = line.chars().count() + part.trim_end().chars().count() > width;
        if place > 0 && is_full {
            writeln!(out, "{}", line.trim_end())?;
            line = INDENT.into();
        }
        line += &part;
    }
    writeln!(out, "{}", line.trim_end())
}

impl Trace<'_> {
    /// The whole run, step by step.
    pub fn write(&self, out: &mut dyn Write) -> io::Result<()> {
        self.write_start(out)?;
        self.write_entries(out, &self.entries(usize::MAX))?;
        self.write_end(out)
    }

    /// The run with steps that are alike folded.
    pub fn write_folded(&self, out: &mut dyn Write) -> io::Result<()> {
        self.write_short(out, usize::MAX)
    }

    /// The same; if more than `most` entries are left, only the first and the last of them.
    pub fn write_short(&self, out: &mut dyn Write, most: usize) -> io::Result<()> {
        self.write_start(out)?;
        let entries = self.entries(FEW);
        if entries.len() <= most {
            self.write_entries(out, &entries)?;
        } else {
            let (first, rest) = entries.split_at(most / 3);
            let (middle, last) = rest.split_at(rest.len() - (most - most / 3));
            self.write_entries(out, first)?;
            let left_out = middle.iter().map(Entry::steps).sum();
            writeln!(out, "  ...      {} more, which `--traces all` shows", count(left_out, "step"))?;
            self.write_entries(out, last)?;
        }
        self.write_end(out)
    }

    /// The entries to write, if at least `few` steps in a row have to be like the one before them to be folded.
    fn entries(&self, few: usize) -> Vec<Entry> {
        let all = self.steps.len();
        let mut entries = vec![];
        let mut index = 0;
        while index < all {
            if self.loop_start == Some(index) {
                entries.push(Entry::Loop);
            }
            entries.push(Entry::Step(index));
            let first = index;
            index += 1;
            if few > all {
                continue;
            }
            let end = self.loop_start.filter(|start| *start >= index).unwrap_or(all);
            let same = (index..end).take_while(|&next| self.is_same(first, next)).count();
            if same >= few {
                entries.push(Entry::Alike(index..index + same));
                index += same;
            }
        }
        entries
    }

    fn write_entries(&self, out: &mut dyn Write, entries: &[Entry]) -> io::Result<()> {
        entries.iter().try_for_each(|entry| match entry {
            Entry::Step(index) => self.write_step(out, *index),
            Entry::Alike(steps) => self.write_alike(out, steps),
            Entry::Loop => self.write_loop(out),
        })
    }

    /// The mark where a loop begins, and the one where it ends.
    pub fn write_loop(&self, out: &mut dyn Write) -> io::Result<()> {
        writeln!(out, "  loop     what follows is repeated for ever")
    }

    pub fn write_again(&self, out: &mut dyn Write, start: usize) -> io::Result<()> {
        let word = if self.legend.cycle.is_some() { "cycle" } else { "step" };
        writeln!(out, "  again    as before {word} {}, and so on for ever", start + 1)
    }

    fn write_end(&self, out: &mut dyn Write) -> io::Result<()> {
        self.loop_start.map_or(Ok(()), |start| self.write_again(out, start))
    }

    /// Steps that are like the one before them, and their changes together.
    fn write_alike(&self, out: &mut dyn Write, steps: &Range<usize>) -> io::Result<()> {
        let word = if self.legend.cycle.is_some() { "cycles" } else { "steps" };
        writeln!(out, "  {word} {} to {}: the same", steps.start + 1, steps.end)?;
        let (before, after) = (&self.steps[steps.start - 1].values, &self.steps[steps.end - 1].values);
        let changed = self.changed(steps.start).map(|place| {
            let signal = &self.variables[place];
            self.change(signal, before[place], after[place])
        });
        let changed: Vec<String> = changed.collect();
        if changed.is_empty() { Ok(()) } else { write_list(out, INDENT, &changed) }
    }

    /// Whether a step is like an earlier one: the same inputs, branches and properties, and changes of the same variables.
    fn is_same(&self, index: usize, next: usize) -> bool {
        let (one, other) = (&self.steps[index], &self.steps[next]);
        // The properties in the log of a step, which are the same if they are in the same order.
        let said = |step: &Logged| {
            let reached = step.step.reached.iter().map(|(property, _)| *property);
            reached.filter(|property| self.program.property(*property).kind.is_question()).collect::<Vec<_>>()
        };
        let inputs = self.legend.inputs.iter().enumerate().filter(|(_, role)| matches!(role, Role::Input(_)));
        let shown = |step: &Logged, input: usize| step.is_shown(input).then(|| step.inputs[input]);
        inputs.map(|(input, _)| input).all(|input| shown(one, input) == shown(other, input))
            && one.taken == other.taken
            && one.step.end.is_none()
            && other.step.end.is_none()
            && said(one) == said(other)
            && self.changed(index).eq(self.changed(next))
    }

    fn change(&self, signal: &Signal, old: i32, new: i32) -> String {
        let (old, new) = (self.legend.value(signal.meaning, old), self.legend.value(signal.meaning, new));
        format!("{}: {old} -> {new}", signal.name)
    }

    pub fn write_start(&self, out: &mut dyn Write) -> io::Result<()> {
        let mut parts: Vec<String> = vec![];
        let mut arrays: Vec<(TableId, Vec<String>)> = vec![];
        for (signal, &value) in self.variables.iter().zip(&self.start) {
            let text = self.legend.value(signal.meaning, value);
            match (signal.place, arrays.last_mut()) {
                (Place::Variable(_), _) => parts.push(format!("{} = {text}", signal.name)),
                (Place::Cell(_, 1..), Some((_, cells))) => cells.push(text),
                (Place::Cell(table, _), _) => arrays.push((table, vec![text])),
            }
        }
        for (table, cells) in arrays {
            parts.push(format!("{} = {}", self.program.table(table).name, self.array(table, cells)));
        }
        write_list(out, "  start    ", &parts)
    }

    /// The inputs of a step, arrays as arrays.
    fn shown_inputs(&self, step: &Logged) -> Vec<String> {
        // By name, or by the name of their array: values, and those that matter with their own names.
        let mut shown: Vec<(String, Vec<String>, Vec<String>)> = vec![];
        let inputs = self.program.inputs.iter().zip(&self.legend.inputs).zip(&step.inputs).enumerate();
        for (index, ((input, role), &value)) in inputs {
            let Role::Input(meaning) = role else { continue };
            let name = input.name.as_str();
            let (value, base) = (self.legend.value(*meaning, value), name.split_once('[').map(|(base, _)| base));
            let alone = step.is_shown(index).then(|| format!("{name} = {value}"));
            match (shown.last_mut(), base) {
                (Some((last, cells, some)), Some(base)) if last == base => {
                    cells.push(value);
                    some.extend(alone);
                }
                (_, base) => shown.push((base.unwrap_or(name).into(), vec![value], alone.into_iter().collect())),
            }
        }
        let array = |name: &str| self.program.tables.iter().position(|table| table.name == name).map(TableId::new);
        let some = |(name, values, some): (String, Vec<String>, Vec<String>)| match array(&name) {
            Some(table) if self.program.table(table).cells.len() == values.len() && some.len() == values.len() => {
                vec![format!("{name} = {}", self.array(table, values))]
            }
            _ => some,
        };
        shown.into_iter().flat_map(some).collect()
    }

    /// The cells of an array as a list, or as a list of lists.
    fn array(&self, table: TableId, mut cells: Vec<String>) -> String {
        for &(_, size) in self.legend.dimensions[table.index()].iter().rev() {
            cells = cells.chunks(size).map(|row| format!("[{}]", row.join(", "))).collect();
        }
        cells.concat()
    }

    pub fn write_step(&self, out: &mut dyn Write, index: usize) -> io::Result<()> {
        let step = &self.steps[index];
        let heading = match self.legend.cycle {
            Some(cycle) => format!("  cycle {:<3} {:>5} ms  ", index + 1, index as u64 * u64::from(cycle)),
            None => format!("  step {:<3} ", index + 1),
        };
        write_list(out, &heading, &self.shown_inputs(step))?;
        // A branch in a loop may be taken several times in a row.
        for same in step.taken.chunk_by(|one, other| one.span == other.span) {
            let (span, times) = (same[0].span, self.times(same));
            writeln!(out, "           line {:<3} {}{times}", self.program.line(span), self.source(span))?;
        }
        if step.step.end.is_none() {
            let changes: Vec<String> =
                self.changes(index).map(|(signal, old, new)| self.change(signal, old, new)).collect();
            if !changes.is_empty() {
                write_list(out, INDENT, &changes)?;
            }
        }
        self.write_reached(out, &step.step, step.offending)
    }

    /// In which rounds of a loop a branch was taken, or how often.
    fn times(&self, same: &[Rule]) -> String {
        const MOST: usize = 4;
        let rounds: Vec<&str> = same.iter().filter_map(|rule| self.round(*rule)).collect();
        match (same.len(), rounds.as_slice()) {
            (1, []) => String::new(),
            (times, rounds) if rounds.len() < times => format!("  ({times} times)"),
            (times, [first, .., last]) if times > MOST => format!("  ({times} times, {first} to {last})"),
            (_, rounds) => format!("  ({})", rounds.join("; ")),
        }
    }

    /// The round of a loop that a branch belongs to.
    pub(super) fn round(&self, rule: Rule) -> Option<&str> {
        self.legend.rounds.get(&rule.body).map(String::as_str)
    }

    fn write_reached(&self, out: &mut dyn Write, step: &Step, offending: Option<i32>) -> io::Result<()> {
        for &(property, _) in &step.reached {
            let property = self.program.property(property);
            match property.kind {
                PropertyKind::Lint | PropertyKind::Atom => {}
                PropertyKind::Goal => writeln!(out, "           reached: {}", property.name)?,
                _ => writeln!(out, "           violated: {}", property.name)?,
            }
        }
        if let Some(End::Error(property, span)) = step.end {
            let name = &self.program.property(property).name;
            let with = offending.map_or(String::new(), |value| format!(", with {value}"));
            writeln!(out, "           line {:<3} the run ends: {name}{with}", self.program.line(span))?;
        }
        Ok(())
    }
}
