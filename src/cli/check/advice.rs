//! Advice about properties that stayed undecided, or that were forgotten.

use super::super::output::count;
use super::collect::Collection;
use super::record::{Language, ProblemRecord, PropertyRecord};
use super::{CheckArgs, EngineChoice};

/// A few lines of advice; nothing if all is decided.
pub fn advice(options: &CheckArgs, collection: &Collection) -> String {
    let is_open = |record: &&PropertyRecord| !record.is_decided();
    let open: Vec<&PropertyRecord> =
        collection.entries.iter().flat_map(|entry| &entry.properties).filter(is_open).collect();
    let Some(first) = open.first() else { return String::new() };
    let records = || collection.entries.iter().filter_map(|entry| entry.record.as_ref());
    let open_records = || records().filter(|record| record.unknown > 0);
    let mut lines = vec![];
    if let Some(limit) = options.timeout
        && open_records().any(|record| record.seconds() >= limit.as_secs_f64())
    {
        let more = (limit.as_secs_f64() * 10.0).max(10.0);
        lines.push(format!("give more time: --timeout {more:.0}"));
    }
    if open_records().any(|record| record.is_memory_full) {
        let more = options.memory.map_or(8192, |memory| memory.saturating_mul(4).max(1024));
        lines.push(format!("let the search keep more states: --memory {more}"));
    }
    if let Some(depth) = options.depth {
        lines.push(format!("look further than {}: leave out --depth", count(depth, "step")));
    }
    if options.property_timeout.is_some() {
        lines.push("let hard properties take longer: leave out --property-timeout".into());
    }
    let is_circuit = open_records().any(|record| matches!(record.language, Some(Language::Aiger | Language::Btor2)));
    match options.engine {
        None | Some(EngineChoice::All) => {}
        Some(EngineChoice::Portfolio) if is_circuit => {}
        Some(_) => lines.push("let the engines work together: leave out --engine".into()),
    }
    if open.len() > 1 {
        lines.push(format!("ask for one at a time: --property {}", quoted(&first.property)));
    }
    if lines.is_empty() {
        return String::new();
    }
    let undecided = if open.len() == 1 { "1 property is".into() } else { format!("{} properties are", open.len()) };
    format!("{undecided} undecided; this may help:\n  - {}\n", lines.join("\n  - "))
}

/// Said where there is nothing to decide: a problem without properties is easily taken for one that has passed.
pub fn nothing_to_check(record: &ProblemRecord) -> String {
    let (without, help) = match record.language {
        Some(Language::St) => (
            "the program has no properties",
            "say what must be true, in a comment: `(*@ property safe: always ... @*)`",
        ),
        Some(Language::Gcl) => ("the model has no properties", "say what must be true: `property safe: always ...`"),
        Some(Language::Smv) => (
            "the model has no specifications",
            "say what must be true: `INVARSPEC ...`, `LTLSPEC ...` or `CTLSPEC ...`",
        ),
        Some(Language::Aiger) => ("the model has no bad signals, and no outputs", "name what must stay 0 as an output"),
        Some(Language::Btor2) => ("the model has no properties", "say what must stay 0 in a line `bad`"),
        Some(Language::Mealy) => (
            "a machine without labels has nothing to decide by itself",
            "ask with --ctl-file or --ltl, or compare it with a program: redoubt compare machine.dot Program.java",
        ),
        Some(Language::Java) => (
            "the program has no error labels",
            "properties are exceptions: `throw new IllegalStateException(\"error_1\")`; formulas are given with --ltl",
        ),
        Some(Language::C) | None => (
            "the program has no error labels",
            "properties are labels `error_1:`, calls of `__VERIFIER_error` and `reach_error`, and assertions",
        ),
    };
    format!("warning: nothing was checked in {}: {without}\n  = help: {help}\n", record.file)
}

/// A name as a shell takes it.
fn quoted(name: &str) -> String {
    let is_plain = |c: char| c.is_alphanumeric() || c == '_';
    if name.chars().all(is_plain) { name.into() } else { format!("'{name}'") }
}
