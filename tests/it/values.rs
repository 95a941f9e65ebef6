//! The value analysis against the simulator: every value that a variable has along random runs is among those that
//! were found, with and without the passes before it.

use redoubt_bits::system::passes::{self, Passes};
use redoubt_bits::system::{self, values};
use redoubt_facts::analysis::flow;
use redoubt_program::expr::VarId;

use crate::common::walks::{programs, state_of, walks};
use crate::common::{COUNTING, load_text};

/// The numbers of a counter are not listed round by round, and in the end it is known where it begins, ends and by how much it goes.
#[test]
fn counters_are_foreseen_in_few_rounds() {
    let program = load_text("count.c", COUNTING);
    let foreseen = flow::analyse(&program, &redoubt_base::Interrupt::default()).expect("nobody interrupts");
    let counter = program.variables.iter().position(|variable| variable.name == "a").expect("the counter");
    let values = foreseen.head.get(VarId::new(counter));
    assert_eq!(values.bounds(), Some((0, 2_147_483_628)));
    assert!(values.contains(3) && !values.contains(4), "{values:?}");
    assert!(foreseen.rounds < 20, "{} rounds", foreseen.rounds);
}

#[test]
fn values_along_random_walks_were_foreseen() {
    for program in programs(25) {
        let steps = walks(&program, 4, 25);
        for passes in [Passes::NONE, Passes::ALL] {
            let system = passes::run(
                system::build(&program).expect("a small program"),
                passes,
                &redoubt_base::Interrupt::default(),
            )
            .system;
            let foreseen = values::analyse(&system, &redoubt_base::Interrupt::default());
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
