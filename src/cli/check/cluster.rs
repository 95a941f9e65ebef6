//! `--workers`, `--hosts` and `--process`: the participants in the search of one program.

use std::num::NonZero;
use std::path::PathBuf;

use clap::Args;
use redoubt_base::hash::sha256;
use redoubt_program::program::Program;
use redoubt_states::explicit::Cluster;
use redoubt_witness::stamp;

use super::super::Failure;
use super::{CheckArgs, EngineChoice};

#[derive(Args)]
#[command(next_help_heading = "Many machines (--engine explicit)")]
pub struct ClusterOptions {
    /// Divide the states of the program among this many workers in each process
    #[arg(long, value_name = "N")]
    workers: Option<NonZero<usize>>,

    /// Divide them among the processes at these addresses, a line with host:port for each; all are started with the same options
    #[arg(long, value_name = "FILE", requires = "process")]
    hosts: Option<PathBuf>,

    /// The line of this process in the file of hosts, counted from 0
    #[arg(long, value_name = "I", requires = "hosts")]
    process: Option<usize>,
}

impl ClusterOptions {
    /// Makes sure that they are of use.
    pub fn check(&self, options: &CheckArgs, problems: usize) -> Result<(), Failure> {
        if self.workers.is_none() && self.hosts.is_none() {
            return Ok(());
        }
        if options.engine != Some(EngineChoice::Explicit) {
            return Err(Failure::Usage("--workers and --hosts are for --engine explicit".into()));
        }
        if self.hosts.is_some() && problems != 1 {
            return Err(Failure::Usage("--hosts is for a single program; see --shard for many".into()));
        }
        Ok(())
    }

    /// The participants in the search of a program, if there is more than one worker.
    pub fn of(&self, program: &Program, options: &CheckArgs) -> Result<Option<Cluster>, Failure> {
        let workers = self.workers.map_or(1, NonZero::get);
        let hosts = self.hosts()?;
        let process = self.process.unwrap_or(0);
        if !hosts.is_empty() && process >= hosts.len() {
            return Err(Failure::Usage(format!("--process {process}: the processes are 0 to {}", hosts.len() - 1)));
        }
        if workers == 1 && hosts.len() < 2 {
            return Ok(None);
        }
        let question = format!("{} {:?}", stamp::program(program), options.in_words());
        cluster(workers, hosts, process, sha256(question.as_bytes())[..16].into()).map(Some)
    }

    fn hosts(&self) -> Result<Vec<String>, Failure> {
        let Some(path) = &self.hosts else { return Ok(vec![]) };
        let unreadable = |reason: String| Failure::Unreadable { path: path.clone(), reason };
        let text = std::fs::read_to_string(path).map_err(|error| unreadable(error.to_string()))?;
        let lines = text.lines().map(|line| line.split('#').next().unwrap_or_default().trim());
        let hosts: Vec<String> = lines.filter(|line| !line.is_empty()).map(str::to_string).collect();
        let is_address = |host: &&String| host.rsplit_once(':').is_some_and(|(_, port)| port.parse::<u16>().is_ok());
        match hosts.iter().find(|host| !is_address(host)) {
            Some(host) => Err(unreadable(format!("expected host:port, and found `{host}`"))),
            None if hosts.is_empty() => Err(unreadable("there is no host in it".into())),
            None => Ok(hosts),
        }
    }
}

#[cfg(feature = "distributed")]
fn cluster(workers: usize, hosts: Vec<String>, process: usize, question: String) -> Result<Cluster, Failure> {
    Ok(Cluster { workers, hosts, process, question })
}

#[cfg(not(feature = "distributed"))]
fn cluster(_: usize, _: Vec<String>, _: usize, _: String) -> Result<Cluster, Failure> {
    Err(Failure::Usage("this build searches on one worker; build it with --features distributed".into()))
}
