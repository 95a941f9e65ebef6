//! The files that are written, read back by readers of their own: along random runs of the simulator their properties
//! are violated in the steps that reach them, and a step that ends the run stutters.

use std::io::Write;
use std::process::{Command, Stdio};

use redoubt_bits::blast::{Width, blast};
use redoubt_bits::system::passes::{self, Passes};
use redoubt_bits::system::{self, TransitionSystem};
use redoubt_circuit::aiger::Format;
use redoubt_program::expr::Type;
use redoubt_program::program::Program;

use crate::common::walks::{Step, programs, state_of, walks};
use crate::common::{aiger, btor2};

fn build(program: &Program, passes: Passes) -> TransitionSystem {
    passes::run(system::build(program).expect("a small program"), passes, &redoubt_base::Interrupt::default()).system
}

/// Which properties a step reaches.
fn reached(system: &TransitionSystem, step: &Step) -> Vec<bool> {
    let is = |index| step.reached.iter().any(|property| property.index() == index);
    (0..system.properties.len()).map(is).collect()
}

#[test]
fn aiger_walks_along() {
    let variants = [(Format::Ascii, Width::Full, Passes::NONE), (Format::Binary, Width::Reduced, Passes::ALL)];
    for program in programs(6) {
        let steps = walks(&program, 3, 12);
        for (format, width, passes) in variants {
            let system = build(&program, passes);
            let blasted = blast(&system, width);
            let mut bytes = vec![];
            redoubt_circuit::aiger::write(&mut bytes, &blasted.circuit, format, &program.name).expect("in memory");
            let file = aiger::File::read(&bytes);
            assert_eq!(blasted.decode_states(&file.initial()), initial(&system));
            for step in &steps {
                let place = || format!("{}: {step:?}", program.name);
                let bits = |values| blasted.encode_states(&state_of(&system, values)).expect("values of the code");
                let inputs = blasted.encode_inputs(&step.inputs).expect("letters");
                let found = file.step(&bits(&step.before), &inputs);
                assert_eq!((found.bad, found.constraints), (reached(&system, step), true), "{}", place());
                let after = if step.end.is_some() { &step.before } else { &step.after };
                let next = blasted.decode_states(&found.next);
                assert_eq!(next, state_of(&system, after), "{}", place());
            }
        }
    }
}

#[test]
fn aiger_names_inputs_latches_and_properties() {
    let program = crate::common::problems::own().remove(0).load();
    let system = build(&program, Passes::ALL);
    let blasted = blast(&system, Width::Reduced);
    let mut bytes = vec![];
    redoubt_circuit::aiger::write(&mut bytes, &blasted.circuit, Format::Binary, "").expect("in memory");
    let symbols = aiger::File::read(&bytes).symbols;
    for (index, property) in system.properties.iter().enumerate() {
        assert!(symbols.contains(&format!("b{index} {}", property.name)));
    }
    let circuit = &blasted.circuit;
    assert_eq!(symbols.len(), circuit.inputs.len() + circuit.latches.len() + circuit.bad.len());
}

fn initial(system: &TransitionSystem) -> Vec<i32> {
    system.states.iter().map(|state| state.initial).collect()
}

#[test]
fn btor2_walks_along() {
    for program in programs(12) {
        let steps = walks(&program, 3, 12);
        for passes in [Passes::NONE, Passes::ALL] {
            let system = build(&program, passes);
            let mut text = vec![];
            system::btor2::write(&mut text, &system).expect("in memory");
            let model = btor2::Model::read(&String::from_utf8(text).expect("text"));
            assert_eq!(model.initial(), initial(&system), "{}", program.name);
            for step in &steps {
                let place = || format!("{}: {step:?}", program.name);
                let found = model.step(&state_of(&system, &step.before), &step.inputs);
                assert_eq!((found.bad, found.constraints), (reached(&system, step), true), "{}", place());
                let after = if step.end.is_some() { &step.before } else { &step.after };
                assert_eq!(found.next, state_of(&system, after), "{}", place());
            }
        }
    }
}

/// Asserts steps of the simulator, and that something about them is otherwise, in SMT-LIB; skipped without z3.
#[test]
fn smt2_agrees_with_steps() {
    if Command::new("z3").arg("--version").stdout(Stdio::null()).status().is_err() {
        eprintln!("skipped: there is no z3 to ask");
        return;
    }
    for program in programs(5) {
        let system = build(&program, Passes::NONE);
        let mut text = vec![];
        system::smt2::write(&mut text, &system).expect("in memory");
        let mut text = String::from_utf8(text).expect("text");
        let mut expected = vec![];
        for step in walks(&program, 1, 4) {
            let (facts, outcome) = assertions(&system, &step);
            for (what, answer) in [(outcome.clone(), "sat"), (format!("(not {outcome})"), "unsat")] {
                text += &format!("(push 1)\n(assert (and {facts}))\n(assert {what})\n(check-sat)\n(pop 1)\n");
                expected.push(answer);
            }
        }
        assert_eq!(ask_z3(&text), expected, "{}", program.name);
    }
}

/// The state and inputs of a step, and what follows from them, as terms.
fn assertions(system: &TransitionSystem, step: &Step) -> (String, String) {
    let number = |name: &str, value: i32| format!("(= |{name}| #x{value:08x})");
    let value = |ty: Type, name: &str, value: i32| match ty {
        Type::Bool => format!("(= |{name}| {})", value != 0),
        Type::Int | Type::Pointer => number(name, value),
    };
    let states = system.states.iter().map(|state| value(state.ty, &state.name, step.before[&state.name]));
    let inputs = system.inputs.iter().zip(&step.inputs).map(|(input, &value)| number(&input.name, value));
    let facts: Vec<String> = states.chain(inputs).collect();
    let next = system.states.iter().map(|state| value(state.ty, &format!("{}'", state.name), step.after[&state.name]));
    let bad = system.properties.iter().zip(reached(system, step));
    let bad = bad.map(|(property, reached)| format!("(= |bad {}| {reached})", property.name));
    let stop = format!("(= stop {})", step.end.is_some());
    let next: Vec<String> = next.collect();
    // `trans` holds for this next state and for no other, and for none at all after the end.
    let trans = match step.end {
        None => format!("(= trans (and {}))", next.join(" ")),
        Some(_) => "(not trans)".into(),
    };
    let outcome: Vec<String> = bad.chain([stop, trans]).collect();
    (facts.join(" "), format!("(and {})", outcome.join(" ")))
}

fn ask_z3(text: &str) -> Vec<String> {
    let mut child =
        Command::new("z3").arg("-in").stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().expect("z3 starts");
    let mut stdin = child.stdin.take().expect("a pipe");
    stdin.write_all(text.as_bytes()).expect("z3 listens");
    drop(stdin);
    let output = child.wait_with_output().expect("z3 answers");
    String::from_utf8_lossy(&output.stdout).lines().map(String::from).collect()
}
