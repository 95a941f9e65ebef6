//! Tiny programs at every stage of their way to clauses, locked by snapshots that can be judged by eye.
//!
//! The system is not shrunk, so that every variable stays in sight, and integers have reduced widths, so that
//! there are few bits. Clauses are the compact ones.

use std::fmt::Write;

use redoubt_bits::blast::{Width, blast, blast_with_writes};
use redoubt_bits::system;
use redoubt_clauses::cnf::{Cnf, Encoding, Lit, Transition, Uses, dimacs};
use redoubt_program::program::print;

#[test]
fn tiny_programs() {
    insta::glob!("../encodings", "*.c", |path| {
        let text = std::fs::read_to_string(path).expect("a program");
        let name = path.file_name().unwrap_or_default().to_string_lossy();
        insta::with_settings!({ description => text.lines().next().unwrap_or_default(), omit_expression => true }, {
            insta::assert_snapshot!(stages(&name, &text));
        });
    });
}

fn stages(name: &str, text: &str) -> String {
    let program = crate::common::load_text(name, text);
    let system = system::build(&program).expect("small");
    let mut out = print::print(&program);
    section(&mut out, "transition system", &system.to_string());
    let blasted = blast(&system, Width::Reduced);
    section(&mut out, "and-inverter graph", &blasted.circuit.to_string());
    let transition = Transition::new(&blasted.circuit, Encoding::Compact, Uses::ANY);
    section(&mut out, "clauses, functional", &clauses(&transition.cnf, &transition.names(&blasted.circuit)));
    let blasted = blast_with_writes(&system, Width::Reduced);
    let frame = blasted.frame(Encoding::Compact, Uses::ANY);
    section(
        &mut out,
        "clauses, frame",
        &clauses(&frame.transition.cnf, &frame.names(&blasted.circuit, system.states.iter().map(|state| &*state.name))),
    );
    out
}

fn section(out: &mut String, title: &str, text: &str) {
    write!(out, "\n--- {title}\n{text}").expect("writing to a string");
}

fn clauses(cnf: &Cnf, names: &[(Lit, String)]) -> String {
    let mut text = vec![];
    dimacs::write(&mut text, cnf, names).expect("writing to memory");
    String::from_utf8(text).expect("names are text")
}
