//! What the text of a model must not do for any values of its variables, decided by a solver over one assignment of values.

use crate::base::Limits;
use crate::circuit::Circuit;
use crate::engine::{Engine, Verdict};
use crate::languages::{Diagnostic, Diagnostics};
use crate::smv::model::{Model, Obligation, Obligations};
use crate::text::Span;
use crate::words::simulate::{Run, Simulator};
use crate::words::{self, Bad, Value};

/// Why obligations are not met.
#[derive(Debug)]
pub enum Unmet {
    /// The model has no meaning.
    Refused(Diagnostics),
    /// It could not be found out.
    Undecided,
}

/// Checks what is to be checked; specifications that have no value for some values lose their meaning.
pub fn check(model: &mut Model, obligations: &Obligations, limits: &Limits) -> Result<(), Unmet> {
    let of_model = |obligation: &&Obligation| obligation.specification.is_none();
    let general: Vec<&Obligation> = obligations.list.iter().filter(of_model).collect();
    let mut diagnostics = Diagnostics::default();
    for (obligation, run) in violated(obligations, &general, limits).ok_or(Unmet::Undecided)? {
        diagnostics.push(complaint(obligations, obligation, &run));
    }
    if !diagnostics.is_empty() {
        return Err(Unmet::Refused(diagnostics.sorted()));
    }
    let special: Vec<&Obligation> = obligations.list.iter().filter(|o| o.specification.is_some()).collect();
    for (obligation, run) in violated(obligations, &special, limits).ok_or(Unmet::Undecided)? {
        let Some(index) = obligation.specification else { continue };
        let complaint = complaint(obligations, obligation, &run);
        let meaning = &mut model.specifications[index].meaning;
        match meaning {
            Err(known) => known.push(complaint),
            Ok(_) => *meaning = Err(complaint.into()),
        }
    }
    Ok(())
}

/// The obligations that some values violate, with these.
fn violated<'o>(
    obligations: &Obligations,
    list: &[&'o Obligation],
    limits: &Limits,
) -> Option<Vec<(&'o Obligation, Run)>> {
    if list.is_empty() {
        return Some(vec![]);
    }
    let mut model = words::Model { constraints: obligations.valid.clone(), ..obligations.words.clone() };
    model.bad = list.iter().map(|obligation| Bad { node: obligation.fail, name: String::new() }).collect();
    let blasted = words::blast(&model).ok()?;
    let mut found = vec![];
    // All at once first: mostly there is nothing to find.
    let mut whole: Circuit = blasted.circuit.clone();
    let signals: Vec<_> = whole.bad.iter().map(|bad| bad.signal).collect();
    whole.bad.clear();
    let any = whole.gates.or_all(&signals);
    whole.add_bad("any", any);
    if let Verdict::Unreachable(_) = ask(&whole, limits).first()? {
        return Some(found);
    }
    for (verdict, &obligation) in ask(&blasted.circuit, limits).into_iter().zip(list) {
        match verdict {
            Verdict::Unreachable(_) => {}
            Verdict::Reachable(trace) => {
                found.push((obligation, blasted.places.run(&model, &trace.initial, &trace.inputs)));
            }
            Verdict::Open => return None,
        }
    }
    Some(found)
}

fn ask(circuit: &Circuit, limits: &Limits) -> Vec<Verdict> {
    let engine = Engine::Ic3;
    engine.check(circuit, engine.backend(), limits, &mut |_| {}).verdicts
}

/// The message about an obligation, with values that violate it.
fn complaint(obligations: &Obligations, obligation: &Obligation, run: &Run) -> Diagnostic {
    let model = words::Model { constraints: vec![], ..obligations.words.clone() };
    let mut simulator = Simulator::new(&model);
    let Some(step) = run.steps.first() else {
        return Diagnostic::new(obligation.span, obligation.message.clone(), "here");
    };
    if simulator.take(0, step).is_err() {
        return Diagnostic::new(obligation.span, obligation.message.clone(), "here");
    }
    let is_true = |node| simulator.value(node).is_true();
    let inside = |span: Span| {
        let around = obligation.span;
        span.file == around.file && span.start >= around.start && span.end <= around.end
    };
    let failing = || obligations.parts.iter().filter(|(node, ..)| is_true(*node));
    let part = failing().find(|(_, span, _)| inside(*span)).or_else(|| {
        // A definition that fails stands elsewhere.
        failing().next().filter(|_| obligation.message == "this has no value")
    });
    let (span, message) = match part {
        Some((_, span, message)) => (*span, message.clone()),
        None => (obligation.span, obligation.message.clone()),
    };
    let cone = model.cone([obligation.fail]);
    let mut shown = vec![];
    for (name, domain, node) in &obligations.variables {
        if cone[node.index()]
            && let Value::Bits(bits) = simulator.value(*node)
        {
            shown.push(format!("{name} = {}", domain.show(bits)));
        }
    }
    const MOST: usize = 8;
    let more = if shown.len() > MOST { ", ..." } else { "" };
    shown.truncate(MOST);
    let diagnostic = Diagnostic::new(span, message, "over all values of the types, reachable or not");
    if shown.is_empty() { diagnostic } else { diagnostic.help(format!("as with {}{more}", shown.join(", "))) }
}
