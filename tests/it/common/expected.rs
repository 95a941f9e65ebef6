//! Files `expected.csv`: which properties can be reached, and by which inputs.

use std::path::Path;

/// One row: a property of a file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Row {
    pub file: String,
    pub property: String,
    pub reachable: bool,
    /// Inputs that reach the property; empty where none are known.
    pub witness: Vec<i32>,
}

/// Reads `expected.csv` of a folder; columns after the witness are passed over.
pub fn read(folder: &Path) -> Vec<Row> {
    let path = folder.join("expected.csv");
    let text = std::fs::read_to_string(&path).expect("expected.csv can be read");
    text.lines().skip(1).filter(|line| !line.trim().is_empty()).map(row).collect()
}

/// The text of a file with these rows.
pub fn write(rows: &[Row]) -> String {
    let mut text = String::from("file,property,expected,witness\n");
    for row in rows {
        let expected = if row.reachable { "reachable" } else { "unreachable" };
        let letters: Vec<String> = row.witness.iter().map(|&input| letter(input)).collect();
        let witness = letters.join(",");
        let quote = if letters.len() > 1 { "\"" } else { "" };
        text.push_str(&format!("{},{},{expected},{quote}{witness}{quote}\n", row.file, row.property));
    }
    text
}

fn row(line: &str) -> Row {
    let fields = fields(line);
    let [file, property, expected, witness, ..] = fields.as_slice() else { panic!("too few fields in `{line}`") };
    let reachable = match expected.as_str() {
        "reachable" => true,
        "unreachable" => false,
        other => panic!("`{other}` is not a verdict, in `{line}`"),
    };
    let witness = witness.split(',').map(str::trim).filter(|part| !part.is_empty()).map(input).collect();
    Row { file: file.clone(), property: property.clone(), reachable, witness }
}

/// Splits at commas outside double quotes.
fn fields(line: &str) -> Vec<String> {
    let mut fields = vec![String::new()];
    let mut quoted = false;
    for c in line.chars() {
        match c {
            '"' => quoted = !quoted,
            ',' if !quoted => fields.push(String::new()),
            c => fields.last_mut().expect("there is a field").push(c),
        }
    }
    fields
}

/// A = 1, B = 2 and so on; numbers stay numbers.
fn input(text: &str) -> i32 {
    match text.as_bytes() {
        [letter @ b'A'..=b'Z'] => i32::from(letter - b'A') + 1,
        _ => text.parse().expect("an input is a letter or a number"),
    }
}

fn letter(input: i32) -> String {
    match u8::try_from(input) {
        Ok(number @ 1..=26) => char::from(b'A' + number - 1).to_string(),
        _ => input.to_string(),
    }
}
