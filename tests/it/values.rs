//! The value analysis against the simulator: every value that a variable has along random runs is among those that
//! were found, with and without the passes before it.

use redoubt::system::passes::{self, Passes};
use redoubt::system::{self, values};

use crate::common::walks::{programs, state_of, walks};

#[test]
fn values_along_random_walks_were_foreseen() {
    for program in programs(25) {
        let steps = walks(&program, 4, 25);
        for passes in [Passes::NONE, Passes::ALL] {
            let system = passes::run(
                system::build(&program).expect("a small program"),
                passes,
                &redoubt::base::Interrupt::default(),
            )
            .system;
            let foreseen = values::analyse(&system, &redoubt::base::Interrupt::default());
            for step in &steps {
                let after = if step.end.is_some() { &step.before } else { &step.after };
                for (state, (value, foreseen)) in
                    system.states.iter().zip(state_of(&system, after).into_iter().zip(&foreseen))
                {
                    let name = format!("{} of {}", state.name, program.name);
                    assert!(foreseen.contains(value), "{name} is {value}, not in {foreseen:?}");
                }
            }
        }
    }
}
