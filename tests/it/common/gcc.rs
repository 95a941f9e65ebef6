//! Compiles programs with gcc and records what they do, in the form of [`Record`].
//!
//! Programs are linked with the driver that also confirms witnesses; here all that they print is compared.

use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::OnceLock;

use redoubt_witness::compiled::{DRIVER, Ending, FLAGS, SHIM};

use super::runs::Record;
use super::scratch::Scratch;

/// Whether gcc can be called; says so if it cannot.
pub fn available() -> bool {
    let found = Command::new("gcc").arg("--version").stdout(Stdio::null()).stderr(Stdio::null()).status();
    let available = found.is_ok_and(|status| status.success());
    if !available {
        eprintln!("skipped: there is no gcc to compare with");
    }
    available
}

/// A compiled program.
pub struct Compiled {
    scratch: Scratch,
    binary: PathBuf,
}

/// Compiles the files of one program.
pub fn compile(files: &[PathBuf]) -> Compiled {
    try_compile(files).unwrap_or_else(|messages| panic!("{messages}"))
}

/// Compiles the files of one program, or says why gcc refuses them.
pub fn try_compile(files: &[PathBuf]) -> Result<Compiled, String> {
    let scratch = Scratch::new();
    let shim = scratch.write("shim.h", SHIM);
    let binary = scratch.path("program");
    let mut command = Command::new("gcc");
    command.args(FLAGS).arg("-include").arg(shim).args(files).arg(driver()).arg("-o").arg(&binary);
    run(&mut command)?;
    Ok(Compiled { scratch, binary })
}

/// The driver, compiled once.
fn driver() -> &'static Path {
    static OBJECT: OnceLock<PathBuf> = OnceLock::new();
    OBJECT.get_or_init(|| {
        let scratch = Scratch::new();
        let (source, made) = (scratch.write("driver.c", DRIVER), scratch.path("driver.o"));
        run(Command::new("gcc").arg("-c").arg(source).arg("-o").arg(&made)).expect("the driver is good");
        // Moved into its place at once, whatever other tests do at the same time.
        let object = Path::new(env!("CARGO_TARGET_TMPDIR")).join("driver.o");
        std::fs::rename(made, &object).expect("a file can be renamed");
        object
    })
}

fn run(command: &mut Command) -> Result<(), String> {
    let output = command.output().expect("gcc can be started");
    if output.status.success() { Ok(()) } else { Err(String::from_utf8_lossy(&output.stderr).into_owned()) }
}

/// Compiles a program that is given as text.
pub fn compile_text(text: &str) -> Compiled {
    let scratch = Scratch::new();
    compile(&[scratch.write("program.c", text)])
}

impl Compiled {
    /// Runs the program once per list of inputs, each from its beginning.
    pub fn run(&self, runs: &[Vec<i32>]) -> Vec<Record> {
        let mut text = format!("{}\n", runs.len());
        for inputs in runs {
            let inputs: Vec<String> =
                std::iter::once(inputs.len() as i32).chain(inputs.iter().copied()).map(|n| n.to_string()).collect();
            text.push_str(&inputs.join(" "));
            text.push('\n');
        }
        let file = self.scratch.write("inputs.txt", &text);
        let output = Command::new(&self.binary).arg(file).output().expect("the compiled program can be started");
        assert!(output.status.success(), "the driver failed: {}", output.status);
        let (stdout, stderr) = (String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr));
        let complaints: Vec<Vec<String>> = split(&stderr, "\u{1}run\n").map(steps).collect();
        let records: Vec<Record> =
            split(&stdout, "\u{1}run\n").zip(complaints).map(|(run, complaints)| record(run, complaints)).collect();
        assert_eq!(records.len(), runs.len());
        records
    }
}

/// The texts behind the marks.
fn split<'t>(text: &'t str, mark: &'t str) -> impl Iterator<Item = &'t str> {
    text.split(mark).skip(1)
}

fn steps(run: &str) -> Vec<String> {
    run.split("\u{1}step\n").map(String::from).collect()
}

fn record(run: &str, complaints: Vec<String>) -> Record {
    let (run, end) = run.rsplit_once('\u{1}').expect("every run says how it ended");
    let ending =
        Ending::of_mark(end).unwrap_or_else(|| panic!("the compiled program ended in an unforeseen way: {end}"));
    Record { outputs: steps(run), complaints, ending }
}
