//! The command as its users start it, and what it said.

use std::io::Write;
use std::path::Path;
use std::process::{Command, Output, Stdio};

/// Where the command is.
pub const REDOUBT: &str = env!("CARGO_BIN_EXE_redoubt");

/// The command in a folder of the project, with nothing to read.
pub fn redoubt_in(folder: &str, arguments: &[&str]) -> Command {
    let mut command = Command::new(REDOUBT);
    command.args(arguments).current_dir(super::in_project(folder)).stdin(Stdio::null());
    command
}

/// Starts a command, gives it something to read, and waits for its end.
pub fn run_reading(command: &mut Command, input: &[u8]) -> Output {
    let piped = || Stdio::piped();
    let mut child = command.stdin(piped()).stdout(piped()).stderr(piped()).spawn().expect("the command can be started");
    // One that does not read its input may be gone before all of it is written.
    let _ = child.stdin.take().expect("there is a pipe").write_all(input);
    child.wait_with_output().expect("the command ends")
}

/// Starts a command and waits for its end.
pub fn run(command: &mut Command) -> Output {
    command.output().expect("the command can be started")
}

pub fn stdout(output: &Output) -> String {
    String::from_utf8_lossy(&output.stdout).into_owned()
}

pub fn stderr(output: &Output) -> String {
    String::from_utf8_lossy(&output.stderr).into_owned()
}

/// A path as an argument.
pub fn name(path: &Path) -> String {
    path.to_string_lossy().into_owned()
}
