//! The common part of the public schemas of JUnit's XML (Apache Ant's and Jenkins's), as far as we use it.

use roxmltree::{Document, Node};

/// An element: its name, its attributes, and its children in their order; `*` stands for any number of them, `+` for
/// at least one and `?` for at most one. An element without children may have text.
type Rule = (&'static str, &'static [(&'static str, Kind)], &'static [&'static str]);

#[derive(Clone, Copy)]
enum Kind {
    Text,
    Number,
    Decimal,
    Time,
}
use Kind::{Decimal, Number, Text, Time};

const RULES: [Rule; 10] = [
    ("testsuites", &[], &["testsuite*"]),
    (
        "testsuite",
        &[
            ("id", Number),
            ("package", Text),
            ("name", Text),
            ("timestamp", Time),
            ("hostname", Text),
            ("tests", Number),
            ("failures", Number),
            ("errors", Number),
            ("skipped", Number),
            ("time", Decimal),
        ],
        &["properties", "testcase*", "system-out", "system-err"],
    ),
    ("properties", &[], &["property+"]),
    ("property", &[("name", Text), ("value", Text)], &[]),
    ("testcase", &[("classname", Text), ("name", Text), ("time", Decimal)], &["skipped?", "error?", "failure?"]),
    ("skipped", &[], &[]),
    ("error", &[("type", Text), ("message", Text)], &[]),
    ("failure", &[("type", Text), ("message", Text)], &[]),
    ("system-out", &[], &[]),
    ("system-err", &[], &[]),
];

/// Why a text is no such document; nothing if it is one.
pub fn flaw(text: &str) -> Option<String> {
    match Document::parse(text) {
        Err(error) => Some(error.to_string()),
        Ok(document) if !document.root_element().has_tag_name("testsuites") => Some("another root".into()),
        Ok(document) => element(document.root_element()),
    }
}

fn element(node: Node) -> Option<String> {
    let name = node.tag_name().name();
    let Some((_, attributes, children)) = RULES.iter().find(|(known, ..)| *known == name) else {
        return Some(format!("unknown element `{name}`"));
    };
    for (attribute, kind) in *attributes {
        match node.attribute(*attribute) {
            Some(value) if fits(*kind, value) => {}
            value => return Some(format!("{attribute} of {name} is {value:?}")),
        }
    }
    if node.attributes().count() != attributes.len() {
        return Some(format!("{name} has more attributes"));
    }
    let mut rest: Vec<Node> = node.children().filter(Node::is_element).collect();
    if name == "testcase" && rest.len() > 1 {
        return Some("a test with two results".into());
    }
    let text = node.children().filter(Node::is_text).any(|text| !text.text().unwrap_or("").trim().is_empty());
    if text && !children.is_empty() {
        return Some(format!("text in {name}"));
    }
    let all = rest.clone();
    for child in *children {
        let (child, least, most) = match child.split_at(child.len() - 1) {
            (child, "*") => (child, 0, usize::MAX),
            (child, "+") => (child, 1, usize::MAX),
            (child, "?") => (child, 0, 1),
            _ => (*child, 1, 1),
        };
        let fitting = rest.iter().take(most).take_while(|node| node.has_tag_name(child)).count();
        if fitting < least {
            return Some(format!("no {child} in {name}"));
        }
        rest.drain(..fitting);
    }
    match rest.first() {
        Some(node) => Some(format!("{} in {name}", node.tag_name().name())),
        None => all.into_iter().find_map(element),
    }
}

fn fits(kind: Kind, value: &str) -> bool {
    match kind {
        // A token, which may not be empty where it names something.
        Text => !value.is_empty() && value.trim() == value,
        Number => value.parse::<u32>().is_ok(),
        Decimal => value.parse::<f64>().is_ok_and(|number| number >= 0.0) && !value.contains(['e', 'E']),
        Time => {
            let shape: String = value.chars().map(|c| if c.is_ascii_digit() { '0' } else { c }).collect();
            shape == "0000-00-00T00:00:00"
        }
    }
}
