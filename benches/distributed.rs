//! Times the explicit search on several workers against the single one: steps a second, by the clock and by the processor, and how
//! much memory the states of a worker take.
//!
//! `cargo bench --features distributed --bench distributed -- FILE...`; `REDOUBT_SECONDS` (20 unless set) limits each search.

#[path = "common/processor.rs"]
mod processor;

use std::time::{Duration, Instant};

use redoubt_base::Interrupt;
use redoubt_facts::analysis::Facts;
use redoubt_states::explicit::{Cluster, SearchOptions, search};

use processor::processor_time;

fn main() {
    let seconds = std::env::var("REDOUBT_SECONDS").ok().and_then(|text| text.parse().ok()).unwrap_or(20);
    println!(
        "{:32} {:>8} {:>10} {:>11} {:>10} {:>10} {:>8}  stop",
        "problem", "workers", "states", "steps", "steps/s", "per CPU s", "MB each"
    );
    for file in std::env::args().skip(1).filter(|word| word != "--bench") {
        let text = std::fs::read_to_string(&file).expect("the file can be read");
        let program = redoubt::parse(&file, &text).expect("a program");
        for workers in [0, 1, 2] {
            let cluster = (workers > 0).then(|| Cluster::threads(workers));
            let interrupt = Interrupt::after(Duration::from_secs(seconds));
            let options = SearchOptions { interrupt, cluster, memory: 8 << 30, ..SearchOptions::default() };
            let (begun, processor) = (Instant::now(), processor_time());
            let outcome = search(&Facts::new(&program), &options, &mut |_, _| {});
            let (time, processor) = (begun.elapsed().as_secs_f64(), processor_time() - processor);
            let statistics = outcome.statistics;
            println!(
                "{:32} {:>8} {:>10} {:>11} {:>10.0} {:>10.0} {:>8.1}  {:?}",
                file.rsplit('/').next().unwrap_or(&file),
                if workers == 0 { "single".to_string() } else { workers.to_string() },
                statistics.states,
                statistics.steps,
                statistics.steps as f64 / time,
                statistics.steps as f64 / processor.max(1e-3),
                statistics.bytes as f64 / 1e6 / workers.max(1) as f64,
                outcome.stop,
            );
        }
    }
}
