//! Times IC3 on the three classic systems, from circuit to verdict, with each solver.

// The verdicts are for the tests.
#[allow(dead_code)]
#[path = "../tests/it/common/systems.rs"]
mod systems;

use std::time::{Duration, Instant};

use redoubt_base::Limits;
use redoubt_clauses::sat::Backend;
use redoubt_engine::engine::{Engine, Verdict};

fn main() {
    println!("{:10} {:>8} {:>12} {:>12}", "system", "solver", "fastest", "median");
    for system in &systems::SYSTEMS {
        let circuit = system.circuit();
        for backend in Backend::ALL {
            let times = times(|| {
                let limits = Limits::default();
                let outcome = Engine::Ic3.check(&circuit, backend, &limits, &mut |_| {});
                let violated = matches!(outcome.verdicts[0], Verdict::Reachable(_));
                assert!(!outcome.verdicts[0].is_open() && violated == system.violated);
            });
            let microseconds = |index: usize| times[index].as_secs_f64() * 1e6;
            println!(
                "{:10} {:>8} {:>9.1} us {:>9.1} us",
                system.name,
                format!("{backend:?}"),
                microseconds(0),
                microseconds(times.len() / 2)
            );
        }
    }
}

/// The times of all calls within half a second, sorted.
fn times(call: impl Fn()) -> Vec<Duration> {
    let start = Instant::now();
    let mut times = Vec::new();
    while start.elapsed() < Duration::from_millis(500) {
        let begin = Instant::now();
        call();
        times.push(begin.elapsed());
    }
    times.sort_unstable();
    times
}
