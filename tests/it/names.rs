//! Names that repeat or are out of scope: text about one variable is never read as text about another.

use std::time::Duration;

use redoubt_base::{Interrupt, Limits, Random};
use redoubt_checker::{Certificate, c_text};
use redoubt_driver::check::{self, CheckOptions};
use redoubt_program::program::Program;
use redoubt_witness::svcomp;
use yaml_rust2::YamlLoader;

use crate::common::command::{redoubt_in, run};
use crate::common::scratch::Scratch;
use crate::common::{gcc, load_text, problems, runs};

/// Locals of one name in inner blocks before the loop and in it, and a local that has no value when the loop begins.
const BLOCKS: &str = r#"#include <stdio.h>
#include <stdlib.h>
int inputs[] = {1, 2, 3};
int x = 0;
int seen[2];
int passed(int a) {
    int t = a;
    if (t == 2) {
        t = t + 1;
    }
    return t;
}
int main() {
    int mode = 1;
    {
        int b = 4;
        x = b - 4;
    }
    {
        int b = 7;
        mode = b - 6;
    }
    int input;
      while (1) {
        int b = 0;
        scanf("%d", &input);
        b = passed(input);
        if (x == 0 && b == 1) {
            x = mode;
        } else if (x == 1 && b == 3) {
            x = 2;
            seen[0] = 1;
        } else if (x == 2) {
            x = 0;
        }
        printf("%d\n", x);
        if (x == 4) {
            error_1: exit(1);
        }
        if (mode == 2 || seen[0] == 3) {
            error_2: exit(1);
        }
    }
}
"#;

/// The global `x` decides, but at the head of the loop its name means a local.
const SHADOWED: &str = r#"#include <stdio.h>
#include <stdlib.h>
int inputs[] = {1, 2};
int x = 0;
void turn(int i) {
    if (x == 0 && i == 1) {
        x = 2;
    }
    if (x == 1) {
        error_1: exit(1);
    }
}
int main() {
    int x = 1;
    while (1) {
        int input;
        scanf("%d", &input);
        turn(input * x);
    }
}
"#;

fn certificates(program: &Program) -> Vec<Certificate> {
    let interrupt = Interrupt::after(Duration::from_secs(20));
    let options = CheckOptions { limits: Limits { interrupt, ..Limits::default() }, ..CheckOptions::default() };
    let report = check::check_regions(program, &options, |_| {}).expect("the program is small");
    report.certificates()
}

#[test]
fn a_certificate_that_was_written_can_be_read() {
    let scratch = Scratch::new();
    let (program, folder) = (scratch.write("blocks.c", BLOCKS), scratch.path("witnesses"));
    let [program, folder] = [program, folder].map(|path| path.to_string_lossy().into_owned());
    let output = run(&mut redoubt_in(".", &["check", &program, "--witness-dir", &folder]));
    let words = String::from_utf8_lossy(&output.stdout);
    assert!(words.contains("2 unreachable, 0 unknown, all confirmed"), "{words}");
    let certificate = format!("{folder}/blocks.cert");
    let text = std::fs::read_to_string(&certificate).expect("the certificate was written");
    assert!(text.contains("fact main.b in {4}\nfact main.b#2 in {7}\n"), "{text}");
    let output = run(&mut redoubt_in(".", &["certify", &program, &certificate]));
    assert_eq!(output.status.code(), Some(0), "{}", String::from_utf8_lossy(&output.stdout));
}

/// The invariants of a witness for other tools: the line and column that they hold at, and what they say.
fn invariants(program: &Program, certificates: &[Certificate]) -> Vec<(i64, i64, String)> {
    let mut text = vec![];
    svcomp::write_invariants(&mut text, program, certificates).expect("memory");
    let documents = YamlLoader::load_from_str(&String::from_utf8_lossy(&text)).expect("YAML");
    let entries = documents.iter().filter_map(|document| document.as_vec()).flatten();
    let of_entry = |entry: &yaml_rust2::Yaml| {
        let invariant = &entry["content"][0]["invariant"];
        let location = &invariant["location"];
        let number = |name: &str| location[name].as_i64().expect("a number");
        (number("line"), number("column"), invariant["value"].as_str().expect("an expression").to_string())
    };
    entries.map(of_entry).collect()
}

/// The program with a check of the invariant whenever it is at the head of its loop.
fn instrumented(program: &Program, invariant: &str) -> String {
    let span = program.heads.first().expect("a loop").span;
    let text = &program.sources.file(span).text;
    let (head, body) = program.sources.text(span).split_once(')').expect("a condition");
    let (before, after) = (&text[..span.start as usize], &text[span.end as usize..]);
    // No line is added: assertions are told apart by their lines.
    let check = format!("{{ void exit(int); if (!({invariant})) exit(77); }}");
    format!("{before}{head}) {{ {check} {body} }}{after}")
}

/// Compiles a program with its invariants and runs it: it must do what it did without them.
fn assert_invariants_hold(program: &Program, invariants: &[(i64, i64, String)]) {
    let mut random = Random::new(7);
    for (_, _, invariant) in invariants {
        let compiled = gcc::compile_text(&instrumented(program, invariant));
        let inputs: Vec<Vec<i32>> = (0..50).map(|_| runs::random_inputs(program, 30, &mut random)).collect();
        for (inputs, record) in inputs.iter().zip(compiled.run(&inputs)) {
            let expected = runs::simulate(program, inputs);
            assert_eq!(record.ending, expected.ending, "{}: {invariant} breaks after {inputs:?}", program.name);
            assert_eq!(record.outputs, expected.outputs, "{}", program.name);
        }
    }
}

#[test]
fn invariants_stand_at_the_loop_and_speak_of_what_is_in_scope() {
    let program = load_text("blocks.c", BLOCKS);
    let invariants = invariants(&program, &certificates(&program));
    assert!(!invariants.is_empty());
    for (line, column, invariant) in &invariants {
        assert_eq!((*line, *column), (24, 7), "where `while` stands");
        assert!(invariant.contains("mode == 1") && invariant.contains("seen[1]"), "{invariant}");
        assert!(!invariant.contains('b') && !invariant.contains("input"), "{invariant}");
    }
    if gcc::available() {
        assert_invariants_hold(&program, &invariants);
        // The check would find a wrong one.
        let broken = gcc::compile_text(&instrumented(&program, "x == 0")).run(&[vec![1, 2, 3]]);
        assert_ne!(broken[0].ending, runs::simulate(&program, &[1, 2, 3]).ending);
    }
}

#[test]
fn nothing_is_said_of_what_has_no_name_at_the_loop() {
    let program = load_text("shadowed.c", SHADOWED);
    let certificates = certificates(&program);
    assert!(!certificates.is_empty());
    assert!(
        certificates.iter().all(|certificate| c_text::expression(&program, &program.heads[0], certificate).is_none())
    );
    assert!(invariants(&program, &certificates).is_empty());
}

#[test]
fn invariants_of_our_problems_hold_when_compiled() {
    if !gcc::available() {
        return;
    }
    let mut found = 0;
    for problem in problems::own() {
        let program = problem.load();
        if program.sources.files().len() > 1 {
            continue;
        }
        let invariants = invariants(&program, &certificates(&program));
        assert_invariants_hold(&program, &invariants);
        found += invariants.len();
    }
    assert!(found > 3, "{found}");
}
