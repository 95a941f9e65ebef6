//! Correctness witnesses of sequential C: their statement about a loop is true whenever a run is there.
//!
//! Invariants are written into the text, as checks at the places that they name. The program must be what gcc takes, so names
//! are those of the place; the verifier must prove that no check fails; and a check of the opposite must fail.

use std::collections::BTreeMap;

use redoubt_driver::check::{self, Means};
use redoubt_driver::ledger::Terms;
use redoubt_program::program::Program;
use redoubt_program::simulate::End;
use redoubt_witness::svcomp;
use yaml_rust2::YamlLoader;

use super::super::common::seeds::seeds;
use super::super::common::{gcc, scratch::Scratch};
use super::generate::{self, Shape};
use super::{DECLARATIONS, answers, decide, load, options, run, verdict};

/// The statement about a place of the text.
#[derive(Debug)]
struct Invariant {
    /// From the start of the text on.
    place: usize,
    line: usize,
    is_loop: bool,
    text: String,
}

fn invariants_of(program: &Program, certificates: &[redoubt::Certificate]) -> Vec<Invariant> {
    let mut text = vec![];
    assert!(svcomp::write_invariants(&mut text, program, certificates).expect("memory"), "there is a witness");
    let documents = YamlLoader::load_from_str(&String::from_utf8_lossy(&text)).expect("YAML");
    let source = &program.sources.files()[0].text;
    let mut starts = vec![0];
    starts.extend(source.match_indices('\n').map(|(index, _)| index + 1));
    let entries = documents.iter().filter_map(|document| document.as_vec()).flatten();
    let parts = entries.flat_map(|entry| entry["content"].as_vec().into_iter().flatten());
    let invariant = |part: &yaml_rust2::Yaml| {
        let invariant = &part["invariant"];
        let number = |name: &str| invariant["location"][name].as_i64().expect("a number") as usize;
        Invariant {
            place: starts[number("line") - 1] + number("column") - 1,
            line: number("line"),
            is_loop: invariant["type"].as_str() == Some("loop_invariant"),
            text: invariant["value"].as_str().expect("an expression").into(),
        }
    };
    parts.map(invariant).collect()
}

/// The verifier's statements about the loops of a program whose `reach_error` it proves unreachable.
fn witness(program: &Program) -> Vec<Invariant> {
    let options = options(60);
    let report = check::decide(program, Means::Together, &options, &Terms::default(), &mut |_| {}).expect("a report");
    assert_eq!(verdict(&report, program, "reach_error"), Some(false));
    match check::round_by_round(program, &report, &options) {
        Some((program, certificates)) => invariants_of(&program, &certificates),
        None => invariants_of(program, &report.certificates()),
    }
}

/// The text with a check of each invariant at its place; `turned` asks for the opposite.
fn instrumented(text: &str, invariants: &[Invariant], turned: bool) -> String {
    let mut checks: BTreeMap<usize, String> = BTreeMap::new();
    for Invariant { place, is_loop, text: says, .. } in invariants {
        let condition = if turned { format!("!({says})") } else { says.clone() };
        let rest = &text[*place..];
        if *is_loop {
            // Before the condition is tested: a `for` has it behind the first semicolon.
            let (word, ends) = if rest.starts_with("for") { ("for", ';') } else { ("while", '(') };
            assert!(rest.starts_with(word), "{rest}");
            let at = place + rest.find(ends).expect("a loop") + 1;
            *checks.entry(at).or_default() += &format!("((({condition}) ? 0 : fail())), ");
        } else {
            let label = rest.find(':').filter(|&end| rest[..end].chars().all(|c| c.is_alphanumeric() || c == '_'));
            let at = place + label.map_or(0, |end| end + 1);
            *checks.entry(at).or_default() += &format!(" if (!({condition})) fail(); ");
        }
    }
    let mut result = text.to_string();
    checks.iter().rev().for_each(|(&at, check)| result.insert_str(at, check));
    result
}

/// One that lets `fail` reach the error, or, with the errors of the program itself left out, nothing else.
fn with_failures(text: &str) -> String {
    let own = text.replace("reach_error()", "(void)0");
    own.replace(DECLARATIONS.trim(), &format!("{} int fail(void) {{ reach_error(); return 0; }}", DECLARATIONS.trim()))
}

fn compiles(text: &str) {
    if gcc::available() {
        let scratch = Scratch::new();
        let path = scratch.write("program.c", text);
        let output = std::process::Command::new("gcc").args(["-w", "-fsyntax-only"]).arg(path).output().expect("gcc");
        assert!(output.status.success(), "{text}\n{}", String::from_utf8_lossy(&output.stderr));
    }
}

/// A program, and the lines whose loops the witness must speak of, counted from that of `main` or the first function.
const PROGRAMS: [(&str, &[usize]); 8] = [
    // A loop that counts, taken in one step when it is decided.
    ("int main(void) {\n unsigned x = 0;\n while (x < 1000000) x += 2;\n if (x % 2) reach_error();\n}", &[3]),
    // Two loops, of which each needs to know something, bit by bit.
    (
        "int main(void) {\n unsigned char x = 0, y = 0;\n while (__VERIFIER_nondet_bool()) {\n x += 2; y = x;\n \
         while (__VERIFIER_nondet_bool()) { y += 4; x += 6; }\n if (y % 2 || x % 2) reach_error();\n }\n}",
        &[3, 5],
    ),
    // A function that is called twice, with other values.
    (
        "int g;\nint up(int to) {\n int n = 0;\n while (__VERIFIER_nondet_bool() && n < to) n++;\n return n;\n}\n\
         int main(void) {\n int g = 3;\n int a = up(g), b = up(100);\n if (a > 3 || b > 100) reach_error();\n}",
        &[4],
    ),
    // Tested at the end, and by a jump back.
    (
        "int main(void) {\n signed char n = 0;\n do {\n n = (n + 1) % 10;\n } while (__VERIFIER_nondet_bool());\n \
         again: n = 10 - n;\n if (n < 0 || n > 10) reach_error();\n if (__VERIFIER_nondet_bool()) goto again;\n}",
        &[4, 6],
    ),
    // Numbers of 64 bits and arrays.
    (
        "int main(void) {\n unsigned long long n = 5; unsigned a[2] = {1, 2};\n \
         for (int i = 0; __VERIFIER_nondet_bool(); i = !i) {\n n ^= 6; a[1] = 3 - a[0]; a[0] = a[1];\n \
         if (n > 5 || a[1] > 2 || i > 1) reach_error();\n }\n}",
        &[3],
    ),
    // A pointer to a variable of the caller, and a name that hides another.
    (
        "int n = 7;\nvoid turn(int *p) {\n int n = 1;\n while (__VERIFIER_nondet_bool()) {\n *p = n - *p; n = 1;\n }\n}\n\
         int main(void) {\n int x = 0;\n turn(&x);\n if (x < 0 || x > 1 || n != 7) reach_error();\n}",
        &[4],
    ),
    // The second call can reach nothing, so that its loop is left out: nothing may be said of the first one either.
    (
        "int n;\nvoid spin(void) {\n while (__VERIFIER_nondet_bool()) n = n ? 0 : 1;\n}\n\
         int main(void) {\n spin();\n if (n > 1) reach_error();\n n = 50;\n spin();\n}",
        &[],
    ),
    // A jump into a loop.
    (
        "int main(void) {\n int n = 4;\n if (__VERIFIER_nondet_bool()) goto inside;\n while (n > 0) {\n n--;\n \
         inside: if (n < 0 || n > 4) reach_error();\n }\n}",
        &[4],
    ),
];

#[test]
fn what_witnesses_say_holds_at_its_place() {
    for (program, lines) in PROGRAMS {
        let text = format!("{}\n{program}", DECLARATIONS.trim());
        let invariants = witness(&load(&text));
        let before = DECLARATIONS.trim().lines().count();
        for line in lines {
            let said = invariants.iter().any(|invariant| invariant.line == line + before);
            assert!(said, "nothing is said of line {line}: {invariants:?}\n{program}");
        }
        assert!(!lines.is_empty() || invariants.is_empty(), "{invariants:?}\n{program}");
        for (turned, expected) in [(false, false), (true, !lines.is_empty())] {
            let checked = with_failures(&instrumented(&text, &invariants, turned));
            compiles(&checked);
            let checked = load(&checked);
            let found = verdict(&decide(&checked, Means::Together, 60), &checked, "reach_error");
            assert_eq!(found, Some(expected), "{invariants:?}\n{program}");
        }
    }
}

/// Random programs, whose only run the simulator knows: it comes past all the checks.
#[test]
fn what_witnesses_of_generated_programs_say_holds() {
    let mut checked = 0;
    for seed in seeds(12) {
        let mut text = generate::program(seed, Shape { fuel: 6, ..Shape::small(seed) }).replace('@', "");
        for ask in ["int", "uint", "char", "uchar", "short", "ushort", "longlong", "ulonglong"] {
            text = text.replace(&format!("__VERIFIER_nondet_{ask}()"), "__VERIFIER_nondet_bool()");
        }
        let text = text.replace("END(sum)", "if (sum == 1 && fuel > 9) reach_error();");
        let text = format!("{}\n{text}", DECLARATIONS.trim());
        let program = load(&text);
        let report = decide(&program, Means::Explicit, 5);
        if verdict(&report, &program, "reach_error") != Some(false) {
            continue;
        }
        let certificates = report.certificates();
        if certificates.is_empty() {
            continue;
        }
        let invariants = invariants_of(&program, &certificates);
        let text = with_failures(&instrumented(&text, &invariants, false));
        compiles(&text);
        let program = load(&text);
        for run_seed in 0..8 {
            let (end, ..) = run(&program, &answers(run_seed));
            let failed = matches!(end, End::Error(property, _) if program.property(property).name == "reach_error");
            assert!(!failed, "seed {seed}, run {run_seed}: {invariants:?}\n{text}");
        }
        checked += invariants.len();
    }
    assert!(checked > 0, "no witness said anything");
}
