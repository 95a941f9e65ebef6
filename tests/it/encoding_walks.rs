//! The clauses of a step against the simulator: its steps satisfy them, and no other next state does; the literals of
//! properties, constraints and `stop` agree with its results.

use redoubt_bits::blast::{Blasted, Width, blast, blast_with_writes};
use redoubt_bits::system::passes::{self, Passes};
use redoubt_bits::system::{self, TransitionSystem};
use redoubt_clauses::cnf::{Encoding, Lit, Transition, Uses, Var};
use redoubt_clauses::sat::{Answer, Backend, Solver};
use redoubt_program::program::Program;

use crate::common::walks::{self, Step, programs, state_of};

#[test]
fn functional_at_32_bits() {
    check_all(Passes::NONE, Width::Full, |blasted| Transition::new(&blasted.circuit, Encoding::Compact, Uses::ANY));
}

#[test]
fn functional_with_reduced_widths() {
    check_all(Passes::ALL, Width::Reduced, |blasted| Transition::new(&blasted.circuit, Encoding::Tseitin, Uses::ANY));
}

#[test]
fn frame_at_32_bits() {
    check_all(Passes::NONE, Width::Full, |blasted| blasted.frame(Encoding::Tseitin, Uses::ANY).transition);
}

#[test]
fn frame_with_reduced_widths() {
    check_all(Passes::ALL, Width::Reduced, |blasted| blasted.frame(Encoding::Compact, Uses::ANY).transition);
}

fn check_all(passes: Passes, width: Width, encode: impl Fn(&Blasted) -> Transition) {
    for program in programs(6) {
        let system =
            passes::run(system::build(&program).expect("small"), passes, &redoubt_base::Interrupt::default()).system;
        let blasted = blast_with_writes(&system, width);
        check(&program, &system, &blasted, &encode(&blasted));
    }
}

fn check(program: &Program, system: &TransitionSystem, blasted: &Blasted, transition: &Transition) {
    let mut solver = Backend::Cadical.solver();
    (0..transition.cnf.variables()).for_each(|_| _ = solver.new_var());
    transition.cnf.clauses().for_each(|clause| solver.add_clause(clause));
    for step in walks::walks(program, 3, 12) {
        let place = || format!("{}: {step:?}", program.name);
        let assumptions = start(system, blasted, transition, &step);
        let outcome = outcome(transition, &step);
        assert_only(solver.as_mut(), &assumptions, &outcome, &place);
        if step.end.is_none() {
            let next = blasted.encode_states(&state_of(system, &step.after)).unwrap_or_else(|| {
                panic!("a value that its code does not have, in {}", place());
            });
            assert_only(solver.as_mut(), &assumptions, &literals(&transition.next, &next), &place);
        }
    }
}

/// The state and inputs of a step.
fn start(system: &TransitionSystem, blasted: &Blasted, transition: &Transition, step: &Step) -> Vec<Lit> {
    let state = blasted.encode_states(&state_of(system, &step.before)).expect("values that their codes have");
    let inputs = blasted.encode_inputs(&step.inputs).expect("letters of the alphabet");
    [literals(&transition.state, &state), literals(&transition.inputs, &inputs)].concat()
}

fn literals(vars: &[Var], values: &[bool]) -> Vec<Lit> {
    vars.iter().zip(values).map(|(var, &value)| var.literal(value)).collect()
}

/// The literals that are not of the next state, as the end of a step determines them.
fn outcome(transition: &Transition, step: &Step) -> Vec<Lit> {
    let stop = if step.end.is_some() { transition.stop } else { !transition.stop };
    let bad = transition.bad.iter().enumerate().map(|(index, &bad)| {
        let is_reached = step.reached.iter().any(|property| property.index() == index);
        if is_reached { bad } else { !bad }
    });
    bad.chain(transition.constraints.iter().copied()).chain([stop]).collect()
}

/// The expected literals are possible, and nothing else is: no assignment differs in any one of them.
fn assert_only(solver: &mut dyn Solver, assumptions: &[Lit], expected: &[Lit], place: &dyn Fn() -> String) {
    let all = [assumptions, expected].concat();
    assert_eq!(solver.solve(&all), Answer::Satisfiable, "{}", place());
    let different: Vec<Lit> = expected.iter().map(|&lit| !lit).collect();
    assert_eq!(solver.solve_with(assumptions, Some(&different)), Answer::Unsatisfiable, "{}", place());
}

/// Every pass on and off, and both widths, decode to the same values along every walk.
#[test]
fn passes_and_widths_decode_to_the_same_walks() {
    let none = Passes::NONE;
    let variants = [
        none,
        Passes { constants: true, ..none },
        Passes { copies: true, ..none },
        Passes { cone: true, ..none },
        Passes::ALL,
    ];
    for program in programs(8) {
        let steps = walks::walks(&program, 5, 20);
        for passes in variants {
            let system =
                passes::run(system::build(&program).expect("small"), passes, &redoubt_base::Interrupt::default())
                    .system;
            for width in [Width::Full, Width::Reduced] {
                let blasted = blast(&system, width);
                steps.chunks(64).for_each(|steps| check_decoded(&program, &system, &blasted, steps));
            }
        }
    }
}

/// Checks up to 64 steps at once: the circuit's simulator takes that many.
fn check_decoded(program: &Program, system: &TransitionSystem, blasted: &Blasted, steps: &[Step]) {
    let circuit = &blasted.circuit;
    let states = steps.iter().map(|step| blasted.encode_states(&state_of(system, &step.before)));
    let inputs = steps.iter().map(|step| blasted.encode_inputs(&step.inputs));
    let mut simulator = redoubt_circuit::Simulator::new(circuit, |_| 0);
    simulator.set_state(&transpose(circuit.latches.len(), states));
    simulator.evaluate(&transpose(circuit.inputs.len(), inputs));
    let (stop, constraints) = (simulator.stop(), simulator.constraints());
    let bad: Vec<u64> = (0..circuit.bad.len()).map(|index| simulator.bad(index)).collect();
    simulator.advance();
    for (pattern, step) in steps.iter().enumerate() {
        let place = || format!("{}: {step:?}", program.name);
        let bit = |word: u64| word >> pattern & 1 == 1;
        assert_eq!(bit(stop), step.end.is_some(), "{}", place());
        assert!(bit(constraints), "{}", place());
        for (index, &bad) in bad.iter().enumerate() {
            let reached = step.reached.iter().any(|property| property.index() == index);
            assert_eq!(bit(bad), reached, "{}", place());
        }
        if step.end.is_none() {
            let next: Vec<bool> = simulator.state().iter().map(|&word| bit(word)).collect();
            assert_eq!(blasted.decode_states(&next), state_of(system, &step.after), "{}", place());
        }
    }
}

/// One word per bit, with a bit per pattern, from one list of bits per pattern.
fn transpose(width: usize, patterns: impl Iterator<Item = Option<Vec<bool>>>) -> Vec<u64> {
    let mut words = vec![0; width];
    for (pattern, bits) in patterns.enumerate() {
        for (word, bit) in words.iter_mut().zip(bits.expect("values that their codes have")) {
            *word |= u64::from(bit) << pattern;
        }
    }
    words
}
