//! Times IC3 on the three classic systems: microseconds per run, from circuit to verdict.

// The verdicts are for the tests.
#[allow(dead_code)]
#[path = "../tests/agreement/systems.rs"]
mod systems;

use std::time::{Duration, Instant};

use redoubt::engine::{Engine, Limits};
use redoubt::sat::Backend;

fn main() {
    println!("{:12} {:>10} {:>14}", "system", "solver", "time per run");
    for system in &systems::SYSTEMS {
        let circuit = system.circuit();
        for backend in Backend::ALL {
            let run = || {
                let limits = Limits::default();
                let outcome = Engine::Ic3.check(&circuit, backend, &limits, &mut |_| {});
                assert!(!outcome.verdicts[0].is_open());
            };
            let name = format!("{backend:?}");
            println!("{:12} {name:>10} {:>11.1} us", system.name, mean(run));
        }
    }
}

/// Microseconds per call over half a second.
fn mean(call: impl Fn()) -> f64 {
    let start = Instant::now();
    let mut calls = 0;
    while start.elapsed() < Duration::from_millis(500) {
        call();
        calls += 1;
    }
    start.elapsed().as_secs_f64() * 1e6 / f64::from(calls)
}
