//! Witnesses as the software verification competition exchanges them: violation sequences of the YAML format 2.0
//! (Ayaziova et al., "Software Verification Witnesses 2.0", SPIN 2024).
//!
//! A sequence has a segment per step, whose only waypoint is the assumption that the input has a certain value, where
//! it has just been read, and a last one with the target: the place that is reached. When one is read, the values of
//! the inputs are taken from such assumptions and from the results of `__VERIFIER_nondet_int`. They determine the run,
//! so other waypoints are not looked at.

use std::collections::BTreeMap;
use std::io::{self, Write};

use serde_json::json;
use yaml_rust2::parser::{Event, Parser};
use yaml_rust2::{Yaml, YamlLoader};

use super::calls::{calls, run_of};
use super::{ReadError, Replayed, Run, Target, Witness, replay, stamp};
use crate::certificate::{Certificate, c_text};
use crate::expr::Expr;
use crate::program::{HeadKind, LoopHead, Program, PropertyId, PropertyKind, StmtKind};
use crate::text::{Position, Span};

/// Deeper nesting is no witness.
const MOST_DEPTH: usize = 32;

/// Writes invariants of a C program as a correctness witness: expressions that hold at the heads of its loops. Whether there
/// was one to write.
pub fn write_invariants(out: &mut dyn Write, program: &Program, certificates: &[Certificate]) -> io::Result<bool> {
    let mut is_written = false;
    for certificate in certificates {
        let Some(invariants) = invariants(program, certificate) else { continue };
        let formulas = certificate.excluded.iter().map(|&property| never(program, property));
        let specification = formulas.collect::<Vec<_>>().join(" ");
        let files = stamp::files(&program.sources);
        let texts = files.iter().map(|(_, hash)| hash.as_str()).chain(invariants.iter().map(|(_, text)| text.as_str()));
        let uuid = stamp::uuid(&[&texts.collect::<Vec<_>>().concat(), &specification]);
        write_head(out, "invariant_set", &uuid, &files, &specification)?;
        writeln!(out, "  content:{}", if invariants.is_empty() { " []" } else { "" })?;
        for (head, text) in &invariants {
            write_invariant(out, program, head, text)?;
        }
        is_written = true;
    }
    Ok(is_written)
}

/// The invariants at each head of a loop; `None` if one is needed and cannot be expressed.
fn invariants<'p>(program: &'p Program, certificate: &Certificate) -> Option<Vec<(&'p LoopHead, String)>> {
    if program.heads.is_empty() && !program.has_locations() {
        return None;
    }
    let mut result = vec![];
    for heads in program.heads.chunk_by(|one, other| one.span == other.span) {
        let texts: Option<Vec<String>> =
            heads.iter().map(|head| c_text::expression(program, head, certificate)).collect();
        let text = c_text::one_of(texts?);
        if !program.has_locations() || text != c_text::TRUE {
            result.push((&heads[0], text));
        }
    }
    Some(result)
}

fn write_invariant(out: &mut dyn Write, program: &Program, head: &LoopHead, text: &str) -> io::Result<()> {
    let Position { line, column } = program.sources.position(head.span);
    let kind = match head.kind {
        HeadKind::Loop => "loop_invariant",
        HeadKind::Statement => "location_invariant",
    };
    writeln!(out, "    - invariant:")?;
    writeln!(out, "        type: {kind}")?;
    writeln!(out, "        location:")?;
    writeln!(out, "          file_name: {}", json!(program.sources.file(head.span).name))?;
    writeln!(out, "          line: {line}")?;
    writeln!(out, "          column: {column}")?;
    writeln!(out, "          function: {}", head.function)?;
    writeln!(out, "        value: {}", json!(text))?;
    writeln!(out, "        format: c_expression")
}

/// The property that a label is never reached, in the competition's words.
fn never(program: &Program, property: PropertyId) -> String {
    let name = &program.property(property).name;
    let formula = match program.property(property).kind {
        PropertyKind::Label if program.has_locations() => {
            let calls = |name: &str| program.sources.files().iter().any(|file| file.text.contains(name));
            let function = if calls("reach_error") { "reach_error" } else { "__VERIFIER_error" };
            format!("G ! call({function}())")
        }
        PropertyKind::IndexOutOfBounds => "G valid-deref".into(),
        PropertyKind::Label => format!("G ! label({name})"),
        _ => format!("G ! {name}"),
    };
    format!("CHECK( init(main()), LTL({formula}) )")
}

/// Writes a witness of a C program; nothing if it does not reach its property.
pub fn write(out: &mut dyn Write, program: &Program, witness: &Witness) -> io::Result<()> {
    let Replayed::Reached { property, steps, place } = replay(program, witness) else { return Ok(()) };
    write_metadata(out, program, witness, property, place)?;
    writeln!(out, "  content:")?;
    if program.has_locations() {
        for call in calls(program, &witness.run).iter().filter(|call| call.is_call) {
            // The competition's place of a call is where its last bracket is.
            let place = Span { start: call.place.end.saturating_sub(1), ..call.place };
            let result = format!("\\result == {}", call.value);
            write_waypoint(out, program, "function_return", place, Some((&result, "ext_c_expression")))?;
        }
    } else if let Some(reading) = Reading::of(program) {
        for inputs in &witness.run[..steps] {
            let constraint = inputs.first().map(|value| format!("{} == {value}", program.inputs[0].name));
            let constraint = constraint.as_deref().map(|text| (text, "c_expression"));
            write_waypoint(out, program, "assumption", reading.next, constraint)?;
        }
    }
    write_waypoint(out, program, "target", place, None)
}

fn write_metadata(
    out: &mut dyn Write,
    program: &Program,
    witness: &Witness,
    property: PropertyId,
    place: Span,
) -> io::Result<()> {
    let hashes: Vec<&str> = witness.files.iter().map(|(_, hash)| hash.as_str()).collect();
    let (run, name) = (format!("{:?}", witness.run), &program.property(property).name);
    let uuid = stamp::uuid(&[&hashes.concat(), name, &run]);
    write_head(out, "violation_sequence", &uuid, &witness.files, &specification(program, property, place))
}

fn write_head(
    out: &mut dyn Write,
    kind: &str,
    uuid: &str,
    files: &[(String, String)],
    specification: &str,
) -> io::Result<()> {
    writeln!(out, "- entry_type: {kind}")?;
    writeln!(out, "  metadata:")?;
    writeln!(out, "    format_version: \"2.0\"")?;
    writeln!(out, "    uuid: {uuid}")?;
    writeln!(out, "    creation_time: {}", json!(stamp::now()))?;
    writeln!(out, "    producer:")?;
    writeln!(out, "      name: redoubt")?;
    writeln!(out, "      version: {}", json!(env!("CARGO_PKG_VERSION")))?;
    writeln!(out, "    task:")?;
    writeln!(out, "      input_files:")?;
    for (name, _) in files {
        writeln!(out, "        - {}", json!(name))?;
    }
    writeln!(out, "      input_file_hashes:")?;
    for (name, hash) in files {
        writeln!(out, "        {}: {hash}", json!(name))?;
    }
    writeln!(out, "      specification: {}", json!(specification))?;
    writeln!(out, "      data_model: ILP32")?;
    writeln!(out, "      language: C")
}

/// The violated property, in the competition's words; it has none for divisions.
fn specification(program: &Program, property: PropertyId, place: Span) -> String {
    let property = program.property(property);
    let formula = match property.kind {
        PropertyKind::Label => match program.sources.text(place).split_once('(') {
            Some((function, _)) => format!("G ! call({}())", function.trim()),
            None => format!("G ! label({})", property.name),
        },
        PropertyKind::Assertion => "G ! call(__assert_fail())".into(),
        PropertyKind::IndexOutOfBounds => "G valid-deref".into(),
        _ => format!("G ! {}", property.name),
    };
    format!("CHECK( init(main()), LTL({formula}) )")
}

fn write_waypoint(
    out: &mut dyn Write,
    program: &Program,
    kind: &str,
    place: Span,
    constraint: Option<(&str, &str)>,
) -> io::Result<()> {
    let Position { line, column } = program.sources.position(place);
    writeln!(out, "    - segment:")?;
    writeln!(out, "        - waypoint:")?;
    writeln!(out, "            type: {kind}")?;
    writeln!(out, "            action: follow")?;
    writeln!(out, "            location:")?;
    writeln!(out, "              file_name: {}", json!(program.sources.file(place).name))?;
    writeln!(out, "              line: {line}")?;
    writeln!(out, "              column: {column}")?;
    if let Some((constraint, format)) = constraint {
        writeln!(out, "            constraint:")?;
        writeln!(out, "              value: {}", json!(constraint))?;
        writeln!(out, "              format: {format}")?;
    }
    Ok(())
}

/// Where a program reads its input, and the statement behind that.
struct Reading {
    read: Span,
    next: Span,
}

impl Reading {
    fn of(program: &Program) -> Option<Reading> {
        let reads = |kind: &StmtKind| {
            kind.expressions().iter().any(|&value| matches!(program.exprs.get(value), Expr::Input(_)))
        };
        let read = program.stmts.iter().find(|stmt| reads(&stmt.kind))?.span;
        // An assumption holds before the statement that it is attached to.
        let text = &program.sources.file(read).text;
        let end = read.end as usize + text[read.end as usize..].find(';')? + 1;
        let next = end + text[end..].len() - without_comments(&text[end..]).len();
        let next = Span { start: next as u32, end: next as u32, ..read };
        Some(Reading { read, next })
    }

    fn covers(&self, program: &Program, line: usize) -> bool {
        (program.line(self.read)..=program.line(self.next)).contains(&line)
    }
}

/// A text from its first token on.
fn without_comments(text: &str) -> &str {
    let text = text.trim_start();
    let rest = if let Some(comment) = text.strip_prefix("//") {
        comment.split_once('\n').map(|(_, rest)| rest)
    } else if let Some(comment) = text.strip_prefix("/*") {
        comment.split_once("*/").map(|(_, rest)| rest)
    } else {
        None
    };
    rest.map_or(text, without_comments)
}

/// Reads the violation sequences of a file.
pub fn read(program: &Program, text: &str) -> Result<Vec<Witness>, ReadError> {
    refuse_bombs(text)?;
    let documents = YamlLoader::load_from_str(text).map_err(|error| mistake(&error))?;
    let mut witnesses = vec![];
    for entry in documents.iter().filter_map(Yaml::as_vec).flatten() {
        match entry["entry_type"].as_str() {
            Some("violation_sequence") => witnesses.push(sequence(program, entry)?),
            Some(_) => {}
            None => return Err(ReadError::new("an entry without `entry_type`; expected `violation_sequence`")),
        }
    }
    if witnesses.is_empty() {
        return Err(ReadError::new("no `violation_sequence` in this file"));
    }
    Ok(witnesses)
}

fn mistake(error: &yaml_rust2::ScanError) -> ReadError {
    ReadError { line: Some(error.marker().line()), message: format!("not YAML: {}", error.info()) }
}

/// References blow up when they are followed, and nesting fills the stack; witnesses need neither.
fn refuse_bombs(text: &str) -> Result<(), ReadError> {
    let mut parser = Parser::new_from_str(text);
    let mut depth = 0_usize;
    loop {
        let (event, place) = parser.next_token().map_err(|error| mistake(&error))?;
        let refuse = |message: &str| Err(ReadError { line: Some(place.line()), message: message.into() });
        match event {
            Event::StreamEnd => return Ok(()),
            Event::Alias(_) => return refuse("references are not supported here"),
            Event::SequenceStart(..) | Event::MappingStart(..) => depth += 1,
            Event::SequenceEnd | Event::MappingEnd => depth = depth.saturating_sub(1),
            _ => {}
        }
        if depth > MOST_DEPTH {
            return refuse("nested too deeply for a witness");
        }
    }
}

fn sequence(program: &Program, entry: &Yaml) -> Result<Witness, ReadError> {
    let Some(segments) = entry["content"].as_vec() else {
        return Err(ReadError::new("a violation sequence without `content`"));
    };
    let reading = Reading::of(program);
    let mut returned: Vec<i128> = vec![];
    let mut target = None;
    let waypoints = segments.iter().filter_map(|segment| segment["segment"].as_vec()).flatten();
    for waypoint in waypoints.map(|waypoint| &waypoint["waypoint"]) {
        if waypoint["action"].as_str() != Some("follow") {
            continue;
        }
        let line = waypoint["location"]["line"].as_i64().and_then(|line| usize::try_from(line).ok());
        let constraint = waypoint["constraint"]["value"].as_str().unwrap_or_default();
        match (waypoint["type"].as_str(), line) {
            (Some("target"), Some(line)) => {
                let file = waypoint["location"]["file_name"].as_str().unwrap_or_default();
                target = Some(Target::Line(file.into(), line));
            }
            (Some("target"), None) => return Err(ReadError::new("the target has no line")),
            (Some("function_return"), _) => returned.extend(value_of("\\result", constraint)),
            (Some("assumption"), Some(line)) if reading.as_ref().is_some_and(|place| place.covers(program, line)) => {
                let name = program.inputs.first().map_or("", |input| &input.name);
                returned.extend(value_of(name, constraint));
            }
            _ => {}
        }
    }
    let Some(target) = target else { return Err(ReadError::new("a violation sequence without a target")) };
    let run: Run = match program.location {
        Some(_) => run_of(program, &returned),
        // A number that is no word is no input.
        None => returned.into_iter().filter_map(|value| Some(vec![i32::try_from(value).ok()?])).collect(),
    };
    Ok(Witness { target, run, loop_start: None, files: files(entry), constants: BTreeMap::new() })
}

fn files(entry: &Yaml) -> Vec<(String, String)> {
    let hashes = entry["metadata"]["task"]["input_file_hashes"].as_hash();
    let texts = |(name, hash): (&Yaml, &Yaml)| Some((name.as_str()?.to_string(), hash.as_str()?.to_string()));
    hashes.into_iter().flat_map(|hashes| hashes.iter().filter_map(texts)).collect()
}

/// The value that a constraint gives to a name, as `name == 3` or the other way round.
fn value_of(name: &str, constraint: &str) -> Option<i128> {
    constraint.split("&&").find_map(|part| {
        let part: String = part.chars().filter(|c| !c.is_whitespace() && !"()".contains(*c)).collect();
        let (left, right) = part.split_once("==")?;
        let number = if left == name { right } else { (right == name).then_some(left)? };
        number.parse().ok()
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn constraints() {
        assert_eq!(value_of("input", "(input == (-3)) && x == 2"), Some(-3));
        assert_eq!(value_of("input", "4==input"), Some(4));
        assert_eq!(value_of("input", "inputs == 4"), None);
        assert_eq!(value_of("\\result", "\\result == 5"), Some(5));
    }

    #[test]
    fn comments_are_no_statements() {
        assert_eq!(without_comments(" // a\n /* b; */ c;"), "c;");
        assert_eq!(without_comments("/* open"), "/* open");
    }

    #[test]
    fn bombs_are_refused() {
        assert!(refuse_bombs("- &a [x]\n- *a\n").is_err());
        assert!(refuse_bombs(&"[".repeat(100_000)).is_err());
        assert!(refuse_bombs("- entry_type: violation_sequence\n").is_ok());
    }
}
