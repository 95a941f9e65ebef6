//! Grammars to lexers and parsers: `grammar/*.g4` to `crates/parsers/src/generated`, without Java.
//!
//! The generator and what it depends on take longer to build than all parsers together, so its output is committed. With
//! `--check` nothing is written: it fails if what is committed is not what the grammars say.

use std::error::Error;
use std::fs;
use std::path::Path;
use std::process::ExitCode;

const GRAMMARS: [&str; 5] = ["grammar/C.g4", "grammar/RersC.g4", "grammar/Gcl.g4", "grammar/Ltl.g4", "grammar/Ctl.g4"];

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
    let mut stale = vec![];
    for entry in fs::read_dir(fresh.path())? {
        let path = entry?.path();
        let Some(name) = path.file_name().filter(|_| path.extension().is_some_and(|ending| ending == "rs")) else {
            continue;
        };
        let (new, target) = (fs::read(&path)?, committed.join(name));
        if fs::read(&target).ok().as_ref() != Some(&new) {
            if !check {
                fs::create_dir_all(committed)?;
                fs::write(&target, new)?;
            }
            stale.push(target.display().to_string());
        }
    }
    stale.sort();
    for file in &stale {
        println!("{file} {}", if check { "is not what its grammar says" } else { "is new" });
    }
    if check && !stale.is_empty() {
        println!("run: cargo run -p redoubt-grammar");
        return Ok(ExitCode::FAILURE);
    }
    Ok(ExitCode::SUCCESS)
}
