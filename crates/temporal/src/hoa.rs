//! Automata in the Hanoi Omega-Automata format, version 1, which other tools read
//! (<https://adl.github.io/hoaf/>; Babiak et al., "The Hanoi Omega-Automata Format", 2015).

use std::fmt::Write;

use crate::automaton::{Automaton, Cube};

/// The text of an automaton over these propositions.
pub fn write(automaton: &Automaton, name: &str, propositions: &[String]) -> String {
    let mut text = String::from("HOA: v1\n");
    // Writing to a string does not fail.
    let _ = header(automaton, name, propositions, &mut text);
    let _ = body(automaton, propositions.len(), &mut text);
    text
}

fn header(automaton: &Automaton, name: &str, propositions: &[String], text: &mut String) -> std::fmt::Result {
    writeln!(text, "tool: \"redoubt\"\nname: {}\nStates: {}", quoted(name), automaton.states.len())?;
    if !automaton.states.is_empty() {
        writeln!(text, "Start: 0")?;
    }
    let names: Vec<String> = propositions.iter().map(|name| format!(" {}", quoted(name))).collect();
    writeln!(text, "AP: {}{}", names.len(), names.concat())?;
    let sets = automaton.sets;
    let all: Vec<String> = (0..sets).map(|set| format!("Inf({set})")).collect();
    match sets {
        0 => writeln!(text, "acc-name: all\nAcceptance: 0 t")?,
        1 => writeln!(text, "acc-name: Buchi\nAcceptance: 1 Inf(0)")?,
        _ => writeln!(text, "acc-name: generalized-Buchi {sets}\nAcceptance: {sets} {}", all.join("&"))?,
    }
    writeln!(text, "properties: trans-labels explicit-labels trans-acc")
}

fn body(automaton: &Automaton, propositions: usize, text: &mut String) -> std::fmt::Result {
    writeln!(text, "--BODY--")?;
    for (state, ways) in automaton.states.iter().enumerate() {
        writeln!(text, "State: {state}")?;
        for way in ways {
            write!(text, "[{}] {}", label(way.cube, propositions), way.target)?;
            let sets: Vec<String> =
                (0..automaton.sets).filter(|set| way.marks >> set & 1 == 1).map(|set| set.to_string()).collect();
            let marks = if sets.is_empty() { String::new() } else { format!(" {{{}}}", sets.join(" ")) };
            writeln!(text, "{marks}")?;
        }
    }
    writeln!(text, "--END--")
}

fn label(cube: Cube, propositions: usize) -> String {
    let literal = |index: usize| match (cube.yes >> index & 1, cube.no >> index & 1) {
        (1, _) => Some(index.to_string()),
        (_, 1) => Some(format!("!{index}")),
        _ => None,
    };
    let literals: Vec<String> = (0..propositions).filter_map(literal).collect();
    if literals.is_empty() { "t".into() } else { literals.join("&") }
}

fn quoted(text: &str) -> String {
    format!("\"{}\"", text.replace('\\', "\\\\").replace('"', "\\\""))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::automaton::Alphabet;
    use crate::normal::Arena;
    use redoubt_base::Interrupt;

    fn of(text: &str) -> String {
        let formula = crate::parse(text).expect("a formula");
        let mut arena = Arena::default();
        let root = arena.normalise(&formula.root, true);
        let automaton = crate::tableau::translate(&arena, root, Alphabet::Free, &Interrupt::default());
        write(&crate::reduce::reduce(automaton.expect("it is small")), text, &formula.propositions)
    }

    #[test]
    fn responses_look_like_this() {
        assert_eq!(
            of("G (a -> F b)"),
            "HOA: v1\ntool: \"redoubt\"\nname: \"G (a -> F b)\"\nStates: 2\nStart: 0\nAP: 2 \"a\" \"b\"\n\
             acc-name: Buchi\nAcceptance: 1 Inf(0)\nproperties: trans-labels explicit-labels trans-acc\n--BODY--\n\
             State: 0\n[t] 1\n[!0] 0 {0}\n[1] 0 {0}\nState: 1\n[t] 1\n[1] 0 {0}\n--END--\n"
        );
        assert!(of("false").contains("States: 0\nAP: 0\nacc-name: all\nAcceptance: 0 t\n"));
    }
}
