//! Times the explicit-state search: steps and states a second, and how far it got.
//!
//! `cargo bench --bench explicit -- FILE...` searches the given problems, without arguments the project's own.
//! `REDOUBT_SECONDS` (10 unless set) limits each search, `REDOUBT_MEMORY` (2048) its states, in MB,
//! `REDOUBT_SWEEP` (0) the random steps after that. Speeds are per second
//! of processor time where the system tells it, so that they mean something on a busy machine.

// A part of the tools that the tests share.
#[allow(dead_code)]
#[path = "../tests/it/common/mod.rs"]
mod common;

use std::path::PathBuf;
use std::time::{Duration, Instant};

use common::problems::{self, Problem};
use redoubt_base::Interrupt;
use redoubt_facts::analysis::Facts;
use redoubt_states::explicit::{self, Execution, SearchOptions, SearchVerdict};

fn main() {
    let number = |name, otherwise| std::env::var(name).ok().and_then(|text| text.parse().ok()).unwrap_or(otherwise);
    let (seconds, megabytes): (u64, u64) = (number("REDOUBT_SECONDS", 10), number("REDOUBT_MEMORY", 2048));
    let files: Vec<PathBuf> = std::env::args().skip(1).filter(|word| word != "--bench").map(PathBuf::from).collect();
    let problems = if files.is_empty() { problems::own() } else { files.into_iter().map(Problem::new).collect() };
    println!(
        "{:20} {:>10} {:>11} {:>9} {:>9} {:>7} {:>7} {:>7} {:>8} {:>8} {:>8}  stop",
        "problem", "states", "steps", "steps/s", "states/s", "depth", "columns", "bytes", "reached", "prepare", "code"
    );
    for problem in problems {
        let program = problem.load();
        // The way to the first state and no further: the cost of preparing.
        let begin = Clock::start();
        let execution = Execution::Fast;
        explicit::search(
            &Facts::new(&program),
            &SearchOptions { depth: Some(0), execution, ..SearchOptions::default() },
            &mut |_, _| {},
        );
        let prepare = begin.seconds();
        let options = SearchOptions {
            interrupt: Interrupt::after(Duration::from_secs_f64(seconds as f64 + prepare)),
            memory: (megabytes << 20) as usize,
            sweep: number("REDOUBT_SWEEP", 0),
            execution,
            ..SearchOptions::default()
        };
        let mut reached = 0;
        let begin = Clock::start();
        let outcome = explicit::search(&Facts::new(&program), &options, &mut |_, verdict| {
            reached += usize::from(matches!(verdict, SearchVerdict::Reachable { .. }));
        });
        let time = (begin.seconds() - prepare).max(1e-3);
        let statistics = outcome.statistics;
        println!(
            "{:20} {:>10} {:>11} {:>9.0} {:>9.0} {:>7} {:>7} {:>7.1} {:>8} {:>6.2} s {:>8}  {:?}",
            problem.name(),
            statistics.states,
            statistics.steps,
            (statistics.steps + statistics.swept) as f64 / time,
            statistics.states as f64 / time,
            statistics.depth,
            statistics.columns,
            statistics.bytes as f64 / statistics.states.max(1) as f64,
            format!("{reached}/{}", program.properties.len()),
            prepare,
            statistics.code.unwrap_or(0),
            outcome.stop,
        );
    }
}

/// Processor time of the process, or else real time.
struct Clock {
    real: Instant,
    processor: Option<f64>,
}

impl Clock {
    fn start() -> Clock {
        Clock { real: Instant::now(), processor: processor_time() }
    }

    fn seconds(&self) -> f64 {
        match (self.processor, processor_time()) {
            (Some(start), Some(now)) => now - start,
            _ => self.real.elapsed().as_secs_f64(),
        }
    }
}

/// As Linux counts it, in nanoseconds.
fn processor_time() -> Option<f64> {
    let text = std::fs::read_to_string("/proc/thread-self/schedstat").ok()?;
    text.split(' ').next()?.parse::<f64>().ok().map(|nanoseconds| nanoseconds / 1e9)
}
