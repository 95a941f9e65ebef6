//! Formulas of branching time with modalities about programs: on the transition system behind a program, exactly.
//!
//! Whoever finds boxes whose states all do the same proposes them: a visit of the states where they are few, a partition
//! that is told apart wherever its states may go different ways, exact boxes, a visit of more states. The checker executes
//! every input in every box; if each has one answer, that is the transition system, whoever proposed the boxes.

use std::fmt::Write;

use crate::analysis::Facts;
use crate::base::Limits;
use crate::boxes::partition::PartId;
use crate::boxes::partition::behaviour::{Behaviour, Divided};
use crate::boxes::{Doubt, Order};
use crate::certificate::temporal::{Answers, Next, answers};
use crate::certificate::{Certificate, Judgement};
use crate::exact::Exact;
use crate::explicit::behaviour::{alphabet, check_prints};
use crate::explorer::{Explicit, Explorer, Found};
use crate::languages::mealy::{AND, INVALID, NOTHING};
use crate::program::Program;
use crate::program::words::letter;
use crate::temporal::properties::Mapping;

/// A machine, and who proposed its states.
pub struct Decided {
    pub answers: Answers,
    pub by: &'static str,
    /// Why others failed before.
    pub failed: Vec<String>,
}

/// So much memory is taken by few states.
const FEW: usize = 4 << 20;

/// The effort for parts, and how often they are divided where their states answer differently.
const EFFORT: u64 = 2_000_000;
const ROUNDS: usize = 200;

/// The machine behind a program; if none is found, why each attempt failed.
pub fn machine(facts: &Facts, mapping: &Mapping, memory: usize, limits: &Limits) -> Result<Decided, String> {
    let program = facts.program;
    alphabet(program).map_err(|unknown| unknown.to_string())?;
    check_prints(program).map_err(|unknown| unknown.to_string())?;
    let mut reasons: Vec<String> = vec![];
    let mut attempt = |by: &'static str, boxes: Result<Certificate, String>| -> Option<Decided> {
        let judged = boxes.and_then(|boxes| {
            answers(program, &boxes, &limits.interrupt).map_err(|judgement| match judgement {
                Judgement::Confirmed => "confirmed, but not told".into(),
                Judgement::Refuted(reason) | Judgement::Undecided(reason) => reason,
            })
        });
        judged
            .map(|answers| Decided { answers, by, failed: vec![] })
            .map_err(|reason| reasons.push(format!("{by}: {reason}")))
            .ok()
    };
    let explored = |explorer: &dyn Explorer, limits: &Limits| -> Result<Certificate, String> {
        match explorer.explore(facts, mapping, limits) {
            Ok(found) if found.is_complete && !found.states.boxes.is_empty() => Ok(of_states(found)),
            Ok(_) => Err("too many states".into()),
            Err(unknown) => Err(unknown.to_string()),
        }
    };
    let found = attempt("explicit", explored(&Explicit { memory: memory.min(FEW) }, limits))
        .or_else(|| attempt("partition", parts(facts, memory, &limits.share(2))))
        .or_else(|| attempt("exact", explored(&Exact { memory }, &limits.share(2))))
        .or_else(|| attempt("explicit", explored(&Explicit { memory }, limits)));
    match found {
        Some(decided) => Ok(Decided { failed: reasons, ..decided }),
        None => Err(reasons.join("; ")),
    }
}

fn of_states(found: Found) -> Certificate {
    Certificate { facts: found.states.facts, boxes: found.states.boxes, ..Certificate::default() }
}

/// The parts of a partition in which each input has one answer, as far as that can be told.
fn parts(facts: &Facts, memory: usize, limits: &Limits) -> Result<Certificate, String> {
    let order = Order { wanted: &[], limits, effort: EFFORT, memory, doubt: Doubt::Everything };
    let ended = |_| String::from("time was up");
    let mut behaviour = Behaviour::new(facts, &order).map_err(ended)?.ok_or("there are too many parts")?;
    for _ in 0..ROUNDS {
        let Some((part, input)) = ambiguous(&behaviour) else { break };
        match behaviour.divide(part, input, &order).map_err(ended)? {
            Divided::Yes => {}
            Divided::Not => break,
            Divided::TooMuch => return Err("there are too many parts".into()),
        }
    }
    let all = (0..behaviour.parts()).map(PartId::new);
    let boxes = all.filter_map(|part| behaviour.state_box(part)).collect();
    Ok(Certificate { facts: behaviour.facts(), boxes, ..Certificate::default() })
}

/// A part, and an input to which its states may give different answers.
fn ambiguous(behaviour: &Behaviour) -> Option<(PartId, i32)> {
    let all = (0..behaviour.parts()).map(PartId::new);
    all.into_iter().find_map(|part| {
        let steps = behaviour.steps(part)?;
        steps.windows(2).find(|pair| pair[0].input == pair[1].input).map(|pair| (part, pair[0].input))
    })
}

/// A machine as a graph, as tools that learn machines read them: an edge for each input of each state, with the words that
/// `redoubt-mealy` gives a meaning beside those of the program. `complete`: inputs that are refused have edges, too.
pub fn to_dot(program: &Program, answers: &Answers, complete: bool) -> String {
    let machine = answers.reduced();
    let output = |number: i32| program.words.outputs.get(&number).cloned().unwrap_or_else(|| letter(number));
    let inputs = program.inputs.first().and_then(|input| input.alphabet.list(MOST_INPUTS)).unwrap_or_default();
    let over = machine.states.len();
    let (mut edges, mut ends) = (String::new(), false);
    // Writing to a string does not fail.
    for (from, answers) in machine.states.iter().enumerate() {
        for &input in &inputs {
            let name = program.words.input(input);
            let Some(answer) = answers.iter().find(|answer| answer.input == input) else {
                if complete {
                    let _ = writeln!(edges, "  s{from} -> s{from} [label=\"{name}/{INVALID}\"];");
                }
                continue;
            };
            let mut words: Vec<String> = answer.printed.iter().map(|&number| output(number)).collect();
            let target = match answer.next {
                Next::State(to) => to,
                Next::Over(property) => {
                    ends = true;
                    words
                        .push(property.map_or_else(|| OVER.into(), |property| program.property(property).name.clone()));
                    over
                }
            };
            let words = if words.is_empty() { NOTHING.into() } else { words.join(&AND.to_string()) };
            let _ = writeln!(edges, "  s{from} -> s{target} [label=\"{name}/{words}\"];");
        }
    }
    if ends && complete {
        for &input in &inputs {
            let _ = writeln!(edges, "  s{over} -> s{over} [label=\"{}/{INVALID}\"];", program.words.input(input));
        }
    }
    let nodes: String =
        (0..over + usize::from(ends)).map(|state| format!("  s{state} [label=\"s{state}\"];\n")).collect();
    format!("digraph machine {{\n{nodes}{edges}  __start0 [label=\"\" shape=\"none\"];\n  __start0 -> s0;\n}}\n")
}

/// More inputs are not listed.
const MOST_INPUTS: usize = 1 << 10;

/// The output of a step that ends the run without a label.
const OVER: &str = "over";
