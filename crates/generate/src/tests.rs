//! The foundations of the construction, tried one by one.

use super::dice::Dice;
use super::*;
use crate::simulate::Simulator;

/// The value of an expression over one variable `n` in C, as the front end and the simulator have it.
fn evaluate(expressions: &[String], values: &[i32]) -> Vec<Vec<String>> {
    let prints: String =
        expressions.iter().map(|expression| format!("    printf(\"%d\\n\", {expression});\n")).collect();
    let text = format!(
        "int inputs[] = {{1}};\nint n = 0;\nvoid calculate_output(int input) {{\n    n = input;\n{prints}}}\n\
         int main() {{ while (1) {{ int input; scanf(\"%d\", &input); calculate_output(input); }} }}\n"
    );
    let program = load("theorems.c", &text).expect("good C");
    let mut simulator = Simulator::new(&program);
    values.iter().map(|&value| simulator.step(&[value]).output.lines().map(String::from).collect()).collect()
}

#[test]
fn theorems_are_true_of_all_integers() {
    let mut values = vec![0, 1, -1, 2, -2, i32::MAX, i32::MIN, i32::MAX - 1, i32::MIN + 1];
    let dice = &mut Dice::new(5);
    values.extend((0..2_000).map(|_| dice.between(i64::from(i32::MIN), i64::from(i32::MAX)) as i32));
    values.extend(-300..300);
    let theorems: Vec<String> = test::THEOREMS.iter().map(|theorem| format!("({theorem})")).collect();
    for (value, truths) in values.iter().zip(evaluate(&theorems, &values)) {
        for (theorem, truth) in theorems.iter().zip(truths) {
            assert_eq!(truth, "1", "{theorem} of {value}");
        }
    }
}

#[test]
fn the_same_options_give_the_same_bytes() {
    for kind in Kind::ALL {
        let options = GenerateOptions::new(3, Size::Medium, kind, Dialect::Y2017);
        let make = |seed| generate(&GenerateOptions { seed, ..options }).expect("a good program").text;
        assert_eq!(make(3), make(3));
        assert_ne!(make(3), make(4));
    }
}

/// A shortest word is found whatever else leads to a state, gates and counts included.
#[test]
fn words_lead_where_they_say() {
    for seed in 0..30 {
        let dice = &mut Dice::new(seed);
        let machine = Machine::new(Size::Medium.shape(), [9, 5], dice);
        let words = machine.shortest_words();
        for (state, word) in words.iter().enumerate() {
            let is_core_sink = machine.sinks[0].contains(&state);
            match word {
                Some(word) if is_core_sink => {
                    let (outputs, end) = machine.run(word.iter().copied());
                    assert_eq!((outputs.len(), end), (word.len(), Some(state)), "seed {seed}");
                    assert!(outputs.iter().all(Option::is_some), "seed {seed}");
                }
                Some(_) => assert!(state < machine.shape.core, "seed {seed}: the island is reached"),
                None => assert!(!is_core_sink && state >= machine.shape.core, "seed {seed}: {state} is not reached"),
            }
        }
    }
}

#[test]
fn all_sorts_of_labels_occur() {
    for kind in Kind::ALL {
        let options =
            GenerateOptions { labels: Some(40), ..GenerateOptions::new(1, Size::Small, kind, Dialect::Y2014) };
        let answers = generate(&options).expect("a good program").answers;
        let reachable = answers.iter().filter(|(_, witness)| witness.is_some()).count();
        assert!(answers.len() >= 40 && reachable >= 8 && answers.len() - reachable >= 8, "{reachable}");
    }
}

#[test]
fn one_label_and_many_labels() {
    for dialect in [Dialect::Y2012, Dialect::Y2015, Dialect::Verifier, Dialect::Reach] {
        for labels in [1, 60] {
            let options =
                GenerateOptions { labels: Some(labels), ..GenerateOptions::new(9, Size::Small, Kind::Data, dialect) };
            let answers = generate(&options).expect("a good program").answers;
            let errors = answers.iter().filter(|(name, _)| name.contains("rror")).count();
            assert_eq!(errors, if dialect == Dialect::Reach { 1 } else { labels }, "{}", dialect.name());
        }
    }
}
