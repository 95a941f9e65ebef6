//! Grammars to lexers and parsers: `grammar/*.g4` to `crates/parsers/src/generated`, without Java.
//!
//! The generator and its dependencies take longer to build than all parsers together, so its output is committed, with
//! a list of checksums by which a test sees, without the generator, that nothing was changed since. With `--check`
//! nothing is written: it fails if the committed parsers are not those of the grammars.

use std::collections::BTreeMap;
use std::error::Error;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use redoubt_base::hash::sha256;

const GRAMMARS: [&str; 11] = [
    "grammar/C.g4",
    "grammar/RersC.g4",
    "grammar/RersJava.g4",
    "grammar/Gcl.g4",
    "grammar/StructuredText.g4",
    "grammar/StProperties.g4",
    "grammar/Smv.g4",
    "grammar/Ltl.g4",
    "grammar/Ctl.g4",
    "grammar/ModalCtl.g4",
    "grammar/Dot.g4",
];

/// The sources and the results of generation, in the format of `sha256sum`.
const SUMS: &str = "crates/parsers/generated.sha256";

/// Says which version of the generator that was.
const MANIFEST: &str = "crates/grammar/Cargo.toml";

fn main() -> Result<ExitCode, Box<dyn Error>> {
    let check = match std::env::args().nth(1).as_deref() {
        None => false,
        Some("--check") => true,
        Some(other) => return Err(format!("unknown option {other}; there is only --check").into()),
    };
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    std::env::set_current_dir(&root)?;
    let committed = Path::new("crates/parsers/src/generated");
    let fresh = tempfile::tempdir()?;
    for grammar in GRAMMARS {
        let generation = antlr_rust_codegen::Builder::new().grammar(grammar).out_dir(fresh.path()).generate()?;
        generation.warnings().iter().for_each(|warning| eprintln!("warning: {grammar}: {warning}"));
    }
    let mut files: BTreeMap<PathBuf, Vec<u8>> = BTreeMap::new();
    for entry in fs::read_dir(fresh.path())? {
        let path = entry?.path();
        if let Some(name) = path.file_name().filter(|_| path.extension().is_some_and(|ending| ending == "rs")) {
            let text = fs::read_to_string(&path)?;
            if let Some(language) = name.to_str().and_then(|name| name.strip_suffix("_parser.rs")) {
                files.insert(committed.join(format!("{language}_names.rs")), names(&text).into_bytes());
            }
            files.insert(committed.join(name), text.into_bytes());
        }
    }
    let sums = sums(&files)?;
    files.insert(SUMS.into(), sums.into_bytes());
    let mut stale = vec![];
    for (target, new) in &files {
        if fs::read(target).ok().as_ref() != Some(new) {
            if !check {
                fs::create_dir_all(committed)?;
                fs::write(target, new)?;
            }
            stale.push(target.display().to_string());
        }
    }
    for file in &stale {
        println!("{file} {}", if check { "is not what its grammar says" } else { "is new" });
    }
    if check && !stale.is_empty() {
        println!("run: cargo run -p redoubt-grammar");
        return Ok(ExitCode::FAILURE);
    }
    Ok(ExitCode::SUCCESS)
}

/// The names that a parser gives its tokens and rules.
fn names(parser: &str) -> String {
    parser.lines().filter(|line| line.starts_with("pub const ")).map(|line| format!("{line}\n")).collect()
}

/// A line for each grammar, for the generator, and for each file that was made.
fn sums(made: &BTreeMap<PathBuf, Vec<u8>>) -> io::Result<String> {
    let mut lines = String::new();
    for source in GRAMMARS.iter().chain([&MANIFEST]) {
        lines += &format!("{}  {source}\n", sha256(&fs::read(source)?));
    }
    for (path, text) in made {
        lines += &format!("{}  {}\n", sha256(text), path.display());
    }
    Ok(lines)
}
