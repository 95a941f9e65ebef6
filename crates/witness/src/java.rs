//! A program in Java, compiled by `javac`, with a driver (`Driver.java`) that plays its surroundings.

use std::io;
use std::path::Path;
use std::process::Command;

use super::compiled::{Trouble, supervise};
use crate::base::Interrupt;
use crate::program::Program;

const DRIVER: &str = include_str!("Driver.java");

/// What the competition's form of the challenge calls; no file of a program has it.
const ERRORS: &str = "class Errors {
    static void __VERIFIER_error(int number) {
        throw new IllegalStateException(\"error_\" + number);
    }
}
";

/// Compiles the text that a program was read from; the result is the command that runs it on a file of inputs.
pub fn compile(program: &Program, directory: &Path, interrupt: &Interrupt) -> Result<Vec<String>, Trouble> {
    let (driver, classes) = (directory.join("driver"), directory.join("classes"));
    for folder in [&driver, &classes] {
        std::fs::create_dir(folder).map_err(Trouble::Temporary)?;
    }
    let mut texts = vec![];
    let mut names = vec![];
    for file in program.sources.files() {
        // A public class stands in a file of its name.
        let name = Path::new(&file.name).file_stem().unwrap_or_default().to_string_lossy().into_owned();
        texts.push((directory.join(format!("{name}.java")), file.text.as_str()));
        names.push(name);
    }
    texts.push((directory.join("Errors.java"), ERRORS));
    javac(&classes, &texts, interrupt)?;
    javac(&driver, &[(directory.join("Driver.java"), DRIVER)], interrupt)?;
    let text = |path: &Path| path.to_string_lossy().into_owned();
    // Most runs are short: there is no time to optimise.
    let java = ["java", "-XX:TieredStopAtLevel=1", "-Xss64m", "-cp"].map(String::from);
    Ok([&java[..], &[text(&driver), "Driver".into(), text(&classes), names.join(",")]].concat())
}

fn javac(target: &Path, texts: &[(std::path::PathBuf, &str)], interrupt: &Interrupt) -> Result<(), Trouble> {
    let mut command = Command::new("javac");
    command.arg("-nowarn").arg("-d").arg(target);
    for (path, text) in texts {
        std::fs::write(path, text).map_err(Trouble::Temporary)?;
        command.arg(path);
    }
    let output = supervise(&mut command, interrupt).map_err(|trouble| match trouble {
        Trouble::Run(reason) => Trouble::NoCompiler("javac", io::Error::other(reason)),
        other => other,
    })?;
    if output.success {
        return Ok(());
    }
    let first = output.errors.lines().find(|line| line.contains("error")).unwrap_or("it does not say why");
    Err(Trouble::Refused("javac", first.to_string()))
}
