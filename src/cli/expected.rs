//! Files of known answers, as `expected.csv`: which properties of which files can be reached.
//!
//! The first line names the columns. `file` and `expected` (`reachable` or `unreachable`; of a formula `violated`, which
//! some run reaches, or `holds`) must be there; with
//! `property` a row is about one property, without it about all of a file together. Other columns are passed over.

use std::path::{Path, PathBuf};

use redoubt_program::program::Status;

use super::Failure;

/// One known answer.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Row {
    pub file: String,
    /// The property; none if the row says whether any property of the file is reachable.
    pub property: Option<String>,
    pub reachable: bool,
    /// The same as the row has it, if it says `holds` or `violated`: of what a model's author wants to be reached, that is the other way round.
    pub status: Option<Status>,
}

/// The rows of a file of known answers.
pub fn read(path: &Path) -> Result<Vec<Row>, Failure> {
    let unreadable = |reason: String| Failure::Unreadable { path: path.into(), reason };
    let text = std::fs::read_to_string(path).map_err(|error| unreadable(error.to_string()))?;
    parse(&text).map_err(unreadable)
}

fn parse(text: &str) -> Result<Vec<Row>, String> {
    let mut reader = csv::ReaderBuilder::new().flexible(true).trim(csv::Trim::All).from_reader(text.as_bytes());
    let head = reader.headers().map_err(|error| error.to_string())?.clone();
    let column = |name: &str| head.iter().position(|column| column == name);
    let (Some(file), Some(expected)) = (column("file"), column("expected")) else {
        return Err("line 1: expected the columns `file` and `expected`".into());
    };
    let property = column("property");
    let mut rows = vec![];
    for record in reader.records() {
        let record = record.map_err(|error| error.to_string())?;
        let field = |column: usize| record.get(column).filter(|field| !field.is_empty());
        let wrong = |what: &str| format!("line {}: expected {what}", record.position().map_or(0, csv::Position::line));
        let (reachable, status) = match field(expected) {
            Some("reachable") => (true, None),
            Some("violated") => (true, Some(Status::Violated)),
            Some("unreachable") => (false, None),
            Some("holds") => (false, Some(Status::Holds)),
            _ => return Err(wrong("`reachable` or `unreachable`, or of a formula `violated` or `holds`")),
        };
        let file = field(file).ok_or_else(|| wrong("the name of a file"))?.to_string();
        let property = match property {
            Some(column) => Some(field(column).ok_or_else(|| wrong("the name of a property"))?.to_string()),
            None => None,
        };
        rows.push(Row { file, property, reachable, status });
    }
    Ok(rows)
}

/// Known answers for the files of a run.
#[derive(Clone, Debug, Default)]
pub struct Answers {
    rows: Vec<(PathBuf, Row)>,
}

impl Answers {
    pub fn read(paths: &[PathBuf]) -> Result<Answers, Failure> {
        let mut rows = vec![];
        for path in paths {
            rows.extend(read(path)?.into_iter().map(|row| (path.clone(), row)));
        }
        Ok(Answers { rows })
    }

    /// The rows about a file, each with where it comes from. A name in a row is that of a file beside the answers, if there is one;
    /// else it fits every file whose path ends with it.
    pub fn about<'a>(&'a self, file: &'a Path) -> impl Iterator<Item = (&'a Path, &'a Row)> {
        let itself = file.canonicalize().ok();
        let mut last: Option<(&Path, &str, bool)> = None;
        let rows = self.rows.iter().filter(move |(source, row)| {
            // Rows about one file stand together, and looking at the disk is slow.
            let fits = match last {
                Some((path, name, fits)) if path == source && name == row.file => fits,
                _ => match source.with_file_name(&row.file).canonicalize() {
                    Ok(beside) => Some(beside) == itself,
                    Err(_) => file.ends_with(&row.file),
                },
            };
            last = Some((source, &row.file, fits));
            fits
        });
        rows.map(|(source, row)| (source.as_path(), row))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn columns_are_found_by_name() {
        let rows =
            parse("source,expected,file,property\n\"a, b\",reachable,P1.c,error_0\n\nx,unreachable,P1.c,error_1\n");
        let row = |property: &str, reachable| Row {
            file: "P1.c".into(),
            property: Some(property.into()),
            reachable,
            status: None,
        };
        assert_eq!(rows, Ok(vec![row("error_0", true), row("error_1", false)]));
        let rows = parse("file,expected\r\n\"a \"\"b\"\", c.aig\", reachable\r\n");
        assert_eq!(
            rows,
            Ok(vec![Row { file: "a \"b\", c.aig".into(), property: None, reachable: true, status: None }])
        );
        let rows = parse("file,expected\nm.aig,reachable\n");
        assert_eq!(rows, Ok(vec![Row { file: "m.aig".into(), property: None, reachable: true, status: None }]));
    }

    #[test]
    fn mistakes_are_named_with_their_line() {
        let says = |text: &str| parse(text).expect_err("a mistake");
        assert_eq!(says("file,property\n"), "line 1: expected the columns `file` and `expected`");
        assert_eq!(
            says("file,expected\nm.aig,true\n"),
            "line 2: expected `reachable` or `unreachable`, or of a formula `violated` or `holds`"
        );
        assert_eq!(says(""), "line 1: expected the columns `file` and `expected`");
        assert_eq!(
            says("file,expected\n\nm.aig,reachable\nm.aig\n"),
            "line 4: expected `reachable` or `unreachable`, or of a formula `violated` or `holds`"
        );
        assert_eq!(says("file,property,expected\nm.c,,reachable\n"), "line 2: expected the name of a property");
    }
}
