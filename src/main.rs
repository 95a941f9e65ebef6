//! The command line of redoubt.

mod cli;

use std::process::ExitCode;

fn main() -> ExitCode {
    cli::main()
}
