//! Random programs of all types, blocks, loops and timers: what the program of the front end does is what an interpreter of
//! its own does that shares nothing with it, cycle by cycle, for every variable and every property.
//!
//! `REDOUBT_PROGRAMS` and `REDOUBT_SEED` ask for more and for others.

mod common;

use std::collections::HashMap;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;

use common::interpreter::Interpreter;
use common::make::{self, Source};
use common::random::Random;
use redoubt_base::Interrupt;
use redoubt_program::program::Program;
use redoubt_program::program::legend::Meaning;
use redoubt_program::simulate::Simulator;
use redoubt_program::text::{SourceFile, Sources};
use redoubt_reading::Refused;

fn setting(name: &str, default: u64) -> u64 {
    std::env::var(name).ok().and_then(|value| value.parse().ok()).unwrap_or(default)
}

fn load(text: &str) -> Program {
    load_with(text, redoubt_st::standard::TEXT)
}

/// Loads a program with another text for the blocks of the standard.
fn load_with(text: &str, standard: &str) -> Program {
    let sources = Arc::new(Sources::new(vec![SourceFile::new("random.st", text)]));
    match redoubt_st::load_with(Arc::clone(&sources), standard, &Interrupt::default()) {
        Ok(program) => program,
        Err(Refused::Mistakes(mistakes)) => panic!("{}\n{text}", mistakes.render(&sources, false)),
        Err(Refused::Interrupted) => panic!("nobody interrupts this"),
    }
}

/// Every mistake in a block of the standard is seen by some program.
#[test]
fn mutants_of_the_standard_blocks_are_caught() {
    const MUTANTS: [(&str, &str); 22] = [
        ("Q := CLK AND NOT M;", "Q := CLK;"),
        ("Q := CLK AND NOT M;", "Q := CLK AND M;"),
        ("M := CLK;\nEND", "M := M OR CLK;\nEND"),
        ("Q := NOT CLK AND NOT M;", "Q := NOT CLK AND M;"),
        ("Q := NOT CLK AND NOT M;", "Q := NOT CLK;"),
        ("M := NOT CLK;", "M := CLK;"),
        ("Q1 := S1 OR (NOT R AND Q1);", "Q1 := NOT R AND (S1 OR Q1);"),
        ("Q1 := S1 OR (NOT R AND Q1);", "Q1 := S1 OR Q1;"),
        ("Q1 := NOT R1 AND (S OR Q1);", "Q1 := S OR (NOT R1 AND Q1);"),
        ("Q1 := NOT R1 AND (S OR Q1);", "Q1 := NOT R1 AND S;"),
        ("IF R THEN CV := 0;\nELSIF CU AND", "IF R AND NOT CU THEN CV := 0;\nELSIF CU AND"),
        ("CU AND NOT M AND CV", "CU AND CV"),
        ("CV < 32767 THEN CV := CV + 1; END_IF;\nM := CU;", "CV < 32767 THEN CV := CV + 2; END_IF;\nM := CU;"),
        ("M := CU;\nQ := CV >= PV;", "M := CU;\nQ := CV > PV;"),
        ("IF LD THEN CV := PV;\nELSIF CD", "IF LD THEN CV := 0;\nELSIF CD"),
        ("CD AND NOT M AND CV", "CD AND CV"),
        ("M := CD;\nQ := CV <= 0;", "M := CD;\nQ := CV < 0;"),
        ("ELSIF LD THEN CV := PV;\nELSIF U", "ELSIF LD AND NOT U THEN CV := PV;\nELSIF U"),
        ("ELSIF U AND NOT D AND", "ELSIF U AND"),
        ("ELSIF D AND NOT U AND", "ELSIF D AND CU AND"),
        ("QU := CV >= PV;", "QU := CV > PV;"),
        ("QD := CV <= 0;", "QD := CV = 0;"),
    ];
    let hook = std::panic::take_hook();
    std::panic::set_hook(Box::new(|_| {}));
    let mut alive = vec![];
    for (from, to) in MUTANTS {
        let text = redoubt_st::standard::TEXT;
        if text.matches(from).count() != 1 {
            alive.push(format!("{from:?} does not stand there once"));
            continue;
        }
        let mutated = text.replace(from, to);
        let is_caught = (1..2000).any(|seed| {
            let source = make::program(seed);
            let written = source.text();
            let differs = || {
                let program = load_with(&written, &mutated);
                (0..3).map(|run| compare(&program, &source, &written, seed * 10 + run).0).sum::<usize>()
            };
            catch_unwind(AssertUnwindSafe(differs)).is_err()
        });
        if !is_caught {
            alive.push(format!("{from:?} -> {to:?}"));
        }
    }
    std::panic::set_hook(hook);
    assert!(alive.is_empty(), "nothing sees these:\n{}", alive.join("\n"));
}

#[test]
fn programs_do_what_they_say() {
    let (programs, seed) = (setting("REDOUBT_PROGRAMS", 1500), setting("REDOUBT_SEED", 1));
    let (mut cycles, mut ends, mut reached) = (0, 0, 0);
    for seed in seed..seed + programs {
        let source = make::program(seed);
        let text = source.text();
        let program = load(&text);
        for run in 0..3 {
            let (length, has_ended, goals) = compare(&program, &source, &text, seed * 10 + run);
            cycles += length;
            ends += usize::from(has_ended);
            reached += goals;
        }
    }
    println!("{cycles} cycles, {ends} runs that ended, properties reached {reached} times");
    assert!(cycles > 10 * programs as usize && ends > 0 && reached > 0, "the programs are too dull");
}

/// Runs both on random inputs.
fn compare(program: &Program, source: &Source, text: &str, seed: u64) -> (usize, bool, usize) {
    let mut random = Random::new(seed ^ 0x5eed);
    let mut simulator = Simulator::new(program);
    let mut interpreter = Interpreter::new(source);
    let names: Vec<String> = program.inputs.iter().map(|input| input.name.to_lowercase()).collect();
    let mut reached = 0;
    let mut last: Vec<i32> = vec![];
    for cycle in 0..20 {
        let values: Vec<i32> = program
            .inputs
            .iter()
            .enumerate()
            .map(|(index, input)| match last.get(index) {
                // Timers need inputs that stay.
                Some(&value) if random.below(3) > 0 => value,
                _ => {
                    let size = input.alphabet.size();
                    let few = [0, 1, size - 1, size / 2, random.next() % size];
                    input.alphabet.nth(few[random.below(5)] % size)
                }
            })
            .collect();
        last.clone_from(&values);
        let inputs: HashMap<String, i64> =
            names.iter().cloned().zip(values.iter().map(|&value| i64::from(value))).collect();
        let step = simulator.step(&values);
        let outcome = interpreter.cycle(&inputs);
        let place = || format!("seed {seed}, cycle {}, inputs {inputs:?}\n{text}", cycle + 1);
        match &outcome {
            Err(name) => {
                let property = program.properties.iter().position(|property| property.name == *name);
                let property = property.unwrap_or_else(|| panic!("no property {name}\n{}", place()));
                let id = redoubt_program::program::PropertyId::new(property);
                assert!(step.reaches(id), "{name} should end the run\n{}", place());
                assert!(simulator.end().is_some(), "{name} should end the run\n{}", place());
                return (cycle + 1, true, reached);
            }
            Ok(goals) => {
                assert!(simulator.end().is_none(), "the run ended: {:?}\n{}", simulator.end(), place());
                for (index, property) in program.properties.iter().enumerate() {
                    let id = redoubt_program::program::PropertyId::new(index);
                    if let Some(&wanted) = goals.get(&property.name) {
                        assert_eq!(step.reaches(id), wanted, "{} is reached\n{}", property.name, place());
                        reached += usize::from(wanted);
                    }
                }
            }
        }
        let legend = program.legend.as_ref().expect("a legend");
        let mut compared = 0;
        for (index, variable) in program.variables.iter().enumerate() {
            let Some(meaning) = legend.variables[index] else { continue };
            let name = variable.name.to_lowercase();
            let Some(wanted) = interpreter.value(&name) else { panic!("no variable {name}\n{}", place()) };
            let found = simulator.state().variables[index];
            let found = if meaning == Meaning::Truth { i64::from(found != 0) } else { i64::from(found) };
            // Numbers of 32 bits without a sign are kept as their bits.
            assert_eq!(found as i32, wanted as i32, "{name}\n{}", place());
            compared += 1;
        }
        assert!(compared > 0, "nothing to compare");
    }
    (20, false, reached)
}
