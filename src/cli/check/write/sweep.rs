//! One model with several values of its constants: a table with a row for each property and a column for each model.

use std::io::{self, Write};

use super::super::super::output::stdout;
use super::super::collect::{Collection, Entry};
use super::super::record::ProblemRecord;
use super::Writer;

pub struct Sweep;

impl Writer for Sweep {
    /// There is nothing to say before all are done.
    fn problem(&mut self, _: &ProblemRecord, _: &Entry) -> io::Result<()> {
        Ok(())
    }

    fn end(&mut self, collection: &Collection) -> io::Result<()> {
        let mut out = stdout();
        let file = |entry: &Entry| entry.name.split_once(' ').map_or(entry.name.clone(), |(file, _)| file.into());
        let mut files: Vec<String> = collection.entries.iter().map(file).collect();
        files.dedup();
        for name in files {
            let entries: Vec<&Entry> = collection.entries.iter().filter(|entry| file(entry) == name).collect();
            out.write_all(table(&name, &entries).as_bytes())?;
        }
        out.flush()
    }
}

fn table(file: &str, entries: &[&Entry]) -> String {
    let mut names: Vec<&str> = vec![];
    for record in entries.iter().flat_map(|entry| &entry.properties) {
        if !names.contains(&record.property.as_str()) {
            names.push(&record.property);
        }
    }
    let heading = |entry: &&Entry| entry.name.split_once(' ').map_or(String::new(), |(_, set)| set.to_string());
    let mut rows = vec![std::iter::once(file.to_string()).chain(entries.iter().map(heading)).collect::<Vec<_>>()];
    for name in names {
        let word = |entry: &&Entry| {
            let record = entry.properties.iter().find(|record| record.property == name);
            record.map_or("-", |record| record.shown.word).to_string()
        };
        rows.push(std::iter::once(name.to_string()).chain(entries.iter().map(word)).collect());
    }
    let seconds = |entry: &&Entry| match &entry.record {
        Some(record) => format!("{:.2} s", record.seconds()),
        None => "not read".into(),
    };
    rows.push(std::iter::once("time".to_string()).chain(entries.iter().map(seconds)).collect());
    let width = |column: usize| rows.iter().map(|row| row[column].chars().count()).max().unwrap_or(0);
    let widths: Vec<usize> = (0..=entries.len()).map(width).collect();
    let line = |row: &Vec<String>| {
        let cells: Vec<String> = row.iter().zip(&widths).map(|(cell, &width)| format!("{cell:width$}")).collect();
        cells.join("  ").trim_end().to_string() + "\n"
    };
    rows.iter().map(line).collect()
}
