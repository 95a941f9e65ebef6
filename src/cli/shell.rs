//! `redoubt completions` and `redoubt man`: the commands, for shells and manuals.

use std::io::Write;

use clap::{Args, Command};
use clap_complete::Shell;

use super::output::stdout;
use super::{Failure, Outcome};

pub const COMPLETION_EXAMPLES: &str = "\
Examples:
  redoubt completions bash > ~/.local/share/bash-completion/completions/redoubt
  redoubt completions zsh > ~/.zfunc/_redoubt
  redoubt completions fish > ~/.config/fish/completions/redoubt.fish";

pub const MANUAL_EXAMPLES: &str = "\
Examples:
  redoubt man > redoubt.1
  redoubt man check | man -l -";

#[derive(Args)]
pub struct CompletionOptions {
    /// The shell to write them for
    shell: Shell,
}

#[derive(Args)]
pub struct ManualOptions {
    /// The command to describe; all of them by default
    #[arg(value_name = "COMMAND")]
    command: Option<String>,
}

/// Writes the completions of all commands.
pub fn completions(options: &CompletionOptions, mut command: Command) -> Result<Outcome, Failure> {
    let mut text = vec![];
    clap_complete::generate(options.shell, &mut command, "redoubt", &mut text);
    stdout().write_all(&text)?;
    Ok(Outcome::Holds)
}

/// Writes a page of the manual.
pub fn manual(options: &ManualOptions, mut command: Command) -> Result<Outcome, Failure> {
    command.build();
    let page = match &options.command {
        None => command,
        Some(name) => match command.find_subcommand(name) {
            Some(found) => found.clone(),
            None => return Err(Failure::Usage(format!("there is no command `{name}`"))),
        },
    };
    let mut text = vec![];
    clap_mangen::Man::new(page).render(&mut text)?;
    stdout().write_all(&text)?;
    Ok(Outcome::Holds)
}
