//! Witnesses of sequential C against the original text: compiled by gcc, and run on the values of its calls.
//!
//! The program is compiled for 32 bits where gcc can do that. Where it cannot, it is compiled as the machine likes, if
//! nothing in its text depends on how wide `long` and pointers are.

use std::path::PathBuf;
use std::process::Command;

use tempfile::TempDir;

use super::Run;
use super::calls::{Call, calls};
use super::compiled::{FLAGS, Opinion, Trouble, supervise};
use crate::base::Interrupt;
use crate::program::{Program, PropertyId, PropertyKind};

const DRIVER: &str = include_str!("sequential.c");

/// A compiled program, in a directory that goes away with it.
#[derive(Debug)]
pub struct Sequential {
    directory: TempDir,
    binary: PathBuf,
}

impl Sequential {
    /// Compiles the text that the program was read from; `None` if only a compiler for 32 bits could tell what it means.
    pub fn new(program: &Program, interrupt: &Interrupt) -> Result<Option<Sequential>, Trouble> {
        let directory = tempfile::Builder::new().prefix("redoubt-").tempdir().map_err(Trouble::Temporary)?;
        let write = |name: &str, text: &str| {
            let path = directory.path().join(name);
            std::fs::write(&path, text).map(|()| path).map_err(Trouble::Temporary)
        };
        let mut files = vec![];
        for (index, file) in program.sources.files().iter().enumerate() {
            files.push(write(&format!("program{index}.c"), &file.text)?);
        }
        let (driver, binary) = (write("driver.c", DRIVER)?, directory.path().join("program"));
        let mut reason = String::new();
        for width in ["-m32", "-m64"] {
            if width == "-m64" && program.sources.files().iter().any(|file| depends_on_widths(&file.text)) {
                return Ok(None);
            }
            let compile = |from: &[PathBuf], more: &[&str]| {
                let mut command = Command::new("gcc");
                command.args(FLAGS).arg(width).args(from).args(more);
                supervise(&mut command, interrupt)
            };
            // Objects first: only in the program is `main` another one.
            let mut objects = vec![directory.path().join("driver.o")];
            let [object] = [objects[0].to_string_lossy().into_owned()];
            let mut output = compile(std::slice::from_ref(&driver), &["-c", "-o", &object])?;
            for (index, file) in files.iter().enumerate() {
                let object = directory.path().join(format!("program{index}.o"));
                let name = object.to_string_lossy().into_owned();
                if output.success {
                    let more = ["-Dmain=redoubt_main", "-c", "-o", &name];
                    output = compile(std::slice::from_ref(file), &more)?;
                }
                objects.push(object);
            }
            if output.success {
                output = compile(&objects, &["-o", &binary.to_string_lossy()])?;
            }
            if output.success {
                return Ok(Some(Sequential { directory, binary }));
            }
            let first = output.errors.lines().find(|line| line.contains("error"));
            reason = first.unwrap_or("it does not say why").to_string();
        }
        Err(Trouble::Refused(reason))
    }

    /// Runs the program on the values of some calls: how the run ended, in a word, and how many values were left.
    pub fn run(&self, calls: &[Call], interrupt: &Interrupt) -> Result<(String, usize), Trouble> {
        let numbers: Vec<String> = calls.iter().map(|call| (call.value as i64).to_string()).collect();
        let file = self.directory.path().join("values.txt");
        let text = format!("{} {}\n", numbers.len(), numbers.join(" "));
        std::fs::write(&file, text).map_err(Trouble::Temporary)?;
        let output = supervise(Command::new(&self.binary).arg(file), interrupt)?;
        let mark = output.text.rsplit_once('\u{1}').and_then(|(_, mark)| mark.trim().split_once(' '));
        let ending = mark.and_then(|(how, left)| Some((how.to_string(), left.parse().ok()?)));
        ending.ok_or_else(|| Trouble::Run("it does not say how it ended".into()))
    }

    /// What the compiled program says to a run that reaches a property according to the simulator.
    pub fn judge(
        &self,
        program: &Program,
        property: PropertyId,
        run: &Run,
        interrupt: &Interrupt,
    ) -> Result<Opinion, Trouble> {
        match program.property(property).kind {
            PropertyKind::IndexOutOfBounds => {
                return Ok(Opinion::CannotTell("C does not notice an index outside its table"));
            }
            PropertyKind::ShiftOutOfRange => return Ok(Opinion::CannotTell("C does not notice such a shift")),
            _ => {}
        }
        let calls = calls(program, run);
        if calls.iter().any(|call| !call.is_call) {
            return Ok(Opinion::CannotTell("the run reads a variable that is not initialised"));
        }
        let (how, left) = self.run(&calls, interrupt)?;
        let expected: &[&str] = match program.property(property).kind {
            PropertyKind::DivisionByZero | PropertyKind::DivisionOverflow => &["trap"],
            _ => &["error", "assertion"],
        };
        Ok(match (expected.contains(&how.as_str()), left) {
            (true, 0) => Opinion::Agrees,
            (true, _) => Opinion::Differs(format!("it gets there with {left} values left")),
            (false, _) => Opinion::Differs(format!("it ends with `{how}`, {left} values left")),
        })
    }
}

/// Whether a text mentions something that has another width, or another size, on a machine of 64 bits.
fn depends_on_widths(text: &str) -> bool {
    let is_part = |c: char| c.is_alphanumeric() || c == '_';
    let words: Vec<&str> = text.split(|c| !is_part(c)).filter(|word| !word.is_empty()).collect();
    let is_long_long = |index: usize| {
        words.get(index + 1) == Some(&"long") || index.checked_sub(1).is_some_and(|before| words[before] == "long")
    };
    words.iter().enumerate().any(|(index, word)| match *word {
        "long" | "__VERIFIER_nondet_long" | "__VERIFIER_nondet_ulong" => !is_long_long(index),
        "sizeof" | "size_t" | "ptrdiff_t" | "intptr_t" | "uintptr_t" => true,
        _ => false,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn widths_matter_to_some_texts() {
        for text in ["long x;", "unsigned long f(void);", "int n = sizeof(x);", "typedef unsigned long size_t;"] {
            assert!(depends_on_widths(text), "{text}");
        }
        for text in ["long long x;", "unsigned long long y;", "int longer;", "char c = 'l';"] {
            assert!(!depends_on_widths(text), "{text}");
        }
    }
}
