//! `redoubt check`: decides every property. No engine is connected yet, so every verdict is `unknown`.

use std::io::{self, Write};
use std::path::PathBuf;

use clap::{Args, ValueEnum};

use super::{Failure, Outcome, load};

pub const EXAMPLES: &str = "\
Examples:
  redoubt check Problem1.c
  redoubt check Problem1.c --property error_3 --format jsonl";

#[derive(Args)]
pub struct Options {
    /// The files of one program
    #[arg(required = true, value_name = "FILE")]
    files: Vec<PathBuf>,

    /// Stop after this many seconds
    #[arg(long, value_name = "S")]
    timeout: Option<f64>,

    /// How to write the verdicts
    #[arg(long, value_enum, default_value_t = Format::Text)]
    format: Format,

    /// Decide only these properties
    #[arg(long = "property", value_name = "NAME")]
    properties: Vec<String>,
}

#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Format {
    Text,
    Jsonl,
    Csv,
}

pub fn run(options: &Options, color: bool) -> Result<Outcome, Failure> {
    let program = load::program(&options.files, color)?;
    for name in &options.properties {
        if !program.properties.iter().any(|property| &property.name == name) {
            return Err(Failure::Usage(format!("{} has no property `{name}`", program.name)));
        }
    }
    if options.timeout.is_some_and(|seconds| !seconds.is_finite() || seconds < 0.0) {
        return Err(Failure::Usage("--timeout expects a number of seconds".into()));
    }
    let mut out = io::BufWriter::new(io::stdout().lock());
    if options.format == Format::Csv {
        writeln!(out, "file,property,verdict")?;
    }
    let wanted = |name: &String| options.properties.is_empty() || options.properties.contains(name);
    for property in program.properties.iter().filter(|property| wanted(&property.name)) {
        let name = &property.name;
        match options.format {
            Format::Text => writeln!(out, "{name:24}  unknown  no engine is available yet")?,
            Format::Csv => writeln!(out, "{},{name},unknown", program.name)?,
            Format::Jsonl => writeln!(
                out,
                r#"{{"file":{},"property":{},"verdict":"unknown","status":"unknown","steps":null,"inputs":null,"engine":null,"seconds":0}}"#,
                json_string(&program.name),
                json_string(name),
            )?,
        }
    }
    out.flush()?;
    Ok(Outcome::Undecided)
}

fn json_string(text: &str) -> String {
    let mut out = String::from("\"");
    for c in text.chars() {
        match c {
            '"' | '\\' => out.extend(['\\', c]),
            c if c.is_control() => out.push_str(&format!("\\u{:04x}", c as u32)),
            c => out.push(c),
        }
    }
    out.push('"');
    out
}
