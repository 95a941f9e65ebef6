//! Formulas of branching time with modalities about programs: on the transition system behind a program, exactly.
//!
//! Whoever finds boxes whose states all do the same proposes them: a visit of the states where they are few, a partition
//! that is told apart wherever its states may go different ways, exact boxes, a visit of more states. The checker executes
//! every input in every box; if each has one answer, that is the transition system, whoever proposed the boxes.

use crate::analysis::Facts;
use crate::base::Limits;
use crate::boxes::partition::PartId;
use crate::boxes::partition::behaviour::{Behaviour, Divided};
use crate::boxes::{Doubt, Order};
use crate::certificate::temporal::transitions;
use crate::certificate::{Certificate, Judgement};
use crate::exact::Exact;
use crate::explicit::behaviour::{alphabet, check_prints};
use crate::explorer::{Explicit, Explorer, Found};
use crate::formula::modal::System;
use crate::temporal::properties::Mapping;

/// A transition system, and who proposed its states.
pub struct Decided {
    pub system: System,
    pub by: &'static str,
    /// Why others failed before.
    pub failed: Vec<String>,
}

/// So much memory is taken by few states.
const FEW: usize = 4 << 20;

/// The effort for parts, and how often they are divided where their states answer differently.
const EFFORT: u64 = 2_000_000;
const ROUNDS: usize = 200;

/// The transition system of a program; if there is none, why each attempt failed.
pub fn system(facts: &Facts, mapping: &Mapping, memory: usize, limits: &Limits) -> Result<Decided, String> {
    let program = facts.program;
    alphabet(program).map_err(|unknown| unknown.to_string())?;
    check_prints(program).map_err(|unknown| unknown.to_string())?;
    let mut reasons: Vec<String> = vec![];
    let mut attempt = |by: &'static str, boxes: Result<Certificate, String>| -> Option<Decided> {
        let judged = boxes.and_then(|boxes| {
            transitions(program, &boxes, mapping, &limits.interrupt).map_err(|judgement| match judgement {
                Judgement::Confirmed => "confirmed, but not told".into(),
                Judgement::Refuted(reason) | Judgement::Undecided(reason) => reason,
            })
        });
        judged
            .map(|system| Decided { system, by, failed: vec![] })
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
