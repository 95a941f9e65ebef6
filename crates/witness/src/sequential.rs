//! Witnesses of sequential C against the original text: compiled by gcc, and run on the values of its calls.
//!
//! The program is compiled for 32 bits where gcc can do that. Where it cannot, it is compiled as the machine likes, if
//! nothing in its text depends on how wide `long` and pointers are.

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::process::Command;

use tempfile::TempDir;

use super::Run;
use super::calls::{ASKS, Call, calls};
use super::compiled::{FLAGS, Opinion, Trouble, supervise};
use super::marks::{SITES, Sites};
use crate::base::Interrupt;
use crate::program::{Program, PropertyId, PropertyKind};

const DRIVER: &str = include_str!("sequential.c");

/// A compiled program, in a directory that goes away with it.
#[derive(Debug)]
pub struct Sequential {
    directory: TempDir,
    binary: PathBuf,
    sites: Sites,
}

impl Sequential {
    /// Compiles the text that the program was read from; `None` if only a compiler for 32 bits could tell what it means.
    pub fn new(program: &Program, interrupt: &Interrupt) -> Result<Option<Sequential>, Trouble> {
        let directory = tempfile::Builder::new().prefix("redoubt-").tempdir().map_err(Trouble::Temporary)?;
        let plain: Vec<String> = program.sources.files().iter().map(|file| file.text.clone()).collect();
        let sites = Sites::of(program, ASKS);
        let marked = sites.mark(program);
        let mut reason = String::new();
        for width in ["-m32", "-m64"] {
            if width == "-m64" && plain.iter().any(|text| depends_on_widths(text)) {
                return Ok(None);
            }
            // Where gcc does not know the called function yet, its calls cannot tell their places.
            for (texts, sites) in [(&marked, &sites), (&plain, &Sites::default())] {
                match compile(&directory, texts, width, interrupt)? {
                    Ok(binary) => return Ok(Some(Sequential { directory, binary, sites: sites.clone() })),
                    Err(refused) => reason = refused,
                }
            }
        }
        Err(Trouble::Refused("gcc", reason))
    }

    /// Runs the program on the values of some calls: how the run ended, in a word, and how many values were left. Each place of
    /// the program has its values in their order; in which order the places ask is for the compiler to choose.
    pub fn run(&self, calls: &[Call], interrupt: &Interrupt) -> Result<(String, usize), Trouble> {
        let value = |call: &Call| format!("{} {}\n", self.sites.number(call.place), call.value as i64);
        let file = self.directory.path().join("values.txt");
        let text = format!("{}\n{}", calls.len(), calls.iter().map(value).collect::<String>());
        std::fs::write(&file, text).map_err(Trouble::Temporary)?;
        let output = supervise(Command::new(&self.binary).arg(file), interrupt)?;
        let mark = output.text.rsplit_once('\u{1}').and_then(|(_, mark)| mark.trim().split_once(' '));
        let ending = mark.and_then(|(how, left)| Some((how.to_string(), left.parse().ok()?)));
        ending.ok_or_else(|| Trouble::Run("it does not say how it ended".into()))
    }

    /// The compiled program's opinion on a run that reaches a property according to the simulator.
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
            kind if kind.is_unnoticed() => return Ok(Opinion::CannotTell("the compiled program does not notice that")),
            _ => {}
        }
        let calls = calls(program, run);
        if calls.iter().any(|call| !call.is_call) {
            return Ok(Opinion::CannotTell("the run reads a variable that is not initialised"));
        }
        let ending = self.run(&calls, interrupt)?;
        let is_expected = |how: &str| match program.property(property).kind {
            PropertyKind::DivisionByZero | PropertyKind::DivisionOverflow => how == "trap",
            _ => how == "error" || how == "assertion",
        };
        let gets_there = |(how, left): &(String, usize)| *left == 0 && is_expected(how);
        if gets_there(&ending) {
            return Ok(Opinion::Agrees);
        }
        // A function that asks, called at two places in one expression: gcc may call the second one first.
        if let Some(swapped) = self.swapped(&calls)
            && gets_there(&self.run(&swapped, interrupt)?)
        {
            return Ok(Opinion::CannotTell("it gets there with the values of one place in another order"));
        }
        let (how, left) = ending;
        Ok(Opinion::Differs(match is_expected(&how) {
            true => format!("it gets there with {left} values left"),
            false => format!("it ends with `{how}`, {left} values left"),
        }))
    }

    /// The calls with the values that one place has in one step in reverse; `None` if that is nothing else.
    fn swapped(&self, calls: &[Call]) -> Option<Vec<Call>> {
        let mut groups: BTreeMap<(usize, usize), Vec<usize>> = BTreeMap::new();
        for (index, call) in calls.iter().enumerate() {
            groups.entry((call.step, self.sites.number(call.place))).or_default().push(index);
        }
        let mut swapped = calls.to_vec();
        for group in groups.values() {
            group.iter().zip(group.iter().rev()).for_each(|(&to, &from)| swapped[to].value = calls[from].value);
        }
        (swapped != calls).then_some(swapped)
    }
}

/// Compiles a program together with its surroundings, or says why gcc refuses it.
fn compile(
    directory: &TempDir,
    texts: &[String],
    width: &str,
    interrupt: &Interrupt,
) -> Result<Result<PathBuf, String>, Trouble> {
    let path = |name: &str| directory.path().join(name);
    let write =
        |name: &str, text: &str| std::fs::write(path(name), text).map(|()| path(name)).map_err(Trouble::Temporary);
    let header = write("sites.h", SITES)?;
    // Objects first: only in the program is `main` another one.
    let mut steps = vec![(write("driver.c", DRIVER)?, path("driver.o"))];
    for (index, text) in texts.iter().enumerate() {
        steps.push((write(&format!("program{index}.c"), text)?, path(&format!("program{index}.o"))));
    }
    let gcc = |add: &dyn Fn(&mut Command)| {
        let mut command = Command::new("gcc");
        add(command.args(FLAGS).arg(width));
        let output = supervise(&mut command, interrupt)?;
        let first = output.errors.lines().find(|line| line.contains("error"));
        let reason = first.unwrap_or("it does not say why").to_string();
        Ok(if output.success { Ok(()) } else { Err(reason) })
    };
    for (index, (source, object)) in steps.iter().enumerate() {
        let made = gcc(&|command| {
            if index > 0 {
                command.arg("-Dmain=redoubt_main").arg("-include").arg(&header);
            }
            command.arg("-c").arg(source).arg("-o").arg(object);
        })?;
        if let Err(reason) = made {
            return Ok(Err(reason));
        }
    }
    let binary = path("program");
    let linked = gcc(&|command| {
        command.args(steps.iter().map(|(_, object)| object)).arg("-o").arg(&binary);
    })?;
    Ok(linked.map(|()| binary))
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
