//! Input that is broken or extreme: it is read or refused with messages, and nothing panics, hangs or
//! overflows the stack.

use std::sync::Arc;
use std::time::{Duration, Instant};

use proptest::prelude::*;
use redoubt_languages::{Diagnostics, rers};
use redoubt_program::program::usage::Usage;
use redoubt_program::program::{Program, print};
use redoubt_program::simulate::Simulator;
use redoubt_program::text::{SourceFile, Sources};

use crate::common::generate::{self, Shape};
use crate::common::mutate::{self, mutations};
use crate::common::problems;

/// Loads a text. A refusal has messages about places that exist.
fn load(text: &str) -> Result<Program, Diagnostics> {
    let sources = Arc::new(Sources::new(vec![SourceFile::new("program.c", text)]));
    let result = rers::load(Arc::clone(&sources));
    if let Err(errors) = &result {
        assert!(!errors.is_empty(), "refused without a message");
        for error in errors.iter() {
            let (start, end) = (error.span.start as usize, error.span.end as usize);
            assert_eq!(error.span.file, 0);
            // A byte order mark before it is no part of the text.
            assert!(sources.files()[0].text.get(start..end).is_some(), "{error:?} lies outside the text");
        }
        assert!(errors.render(&sources, true).contains("program.c:"));
    }
    result
}

/// Loads a text and, if that works, does everything that can be done with the program.
fn exercise(text: &str) {
    let Ok(program) = load(text) else { return };
    let mut simulator = Simulator::new(&program).trace();
    for input in program.inputs[0].alphabet.iter().chain([0, -1, i32::MAX]) {
        simulator.step(&[input]);
    }
    Usage::of(&program);
    print::print(&program);
}

fn good_programs() -> Vec<String> {
    let own = problems::own().into_iter().flat_map(|problem| problem.files);
    let own = own.map(|path| std::fs::read_to_string(path).expect("a problem can be read"));
    let options = Shape { rules: 2, helpers: 2, ..Shape::default() };
    own.chain((0..8).map(|seed| generate::program(seed, options))).collect()
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn mutated_programs_are_read_or_refused(
        program in proptest::sample::select(good_programs()),
        mutations in mutations(),
    ) {
        let start = Instant::now();
        exercise(&mutate::apply(&program, &mutations));
        prop_assert!(start.elapsed() < Duration::from_secs(20), "took {:?}", start.elapsed());
    }

    #[test]
    fn any_text_is_read_or_refused(text in "(?s).{0,200}") {
        exercise(&text);
    }
}

/// A program whose step is the given statements, over a variable `x` that starts at 1.
fn with_step(statements: &str) -> String {
    format!(
        "int inputs[] = {{1, 2}};
int x = 1;
void step(int input) {{
    {statements}
}}
int main() {{
    while (1) {{
        int input;
        scanf(\"%d\", &input);
        step(input);
        printf(\"%d\\n\", x);
    }}
}}
"
    )
}

/// Loads a program, prints it and runs it on the input 2, all on a stack of 2 MiB; what the run prints.
fn on_small_stack(text: String) -> String {
    let run = move || {
        let program = load(&text).unwrap_or_else(|errors| panic!("{errors}"));
        print::print(&program);
        Usage::of(&program);
        Simulator::new(&program).step(&[2]).output
    };
    let thread = std::thread::Builder::new().stack_size(2 << 20).spawn(run).expect("a thread can be started");
    thread.join().expect("the thread does not panic")
}

#[test]
fn long_chains_of_else_if() {
    let arms: Vec<String> = (0..20_000).map(|arm| format!("if (x == {}) x = {arm};", arm + 2)).collect();
    assert_eq!(on_small_stack(with_step(&arms.join(" else "))), "1\n");
    let last = format!("{} else x = 7;", arms.join(" else "));
    assert_eq!(on_small_stack(with_step(&last)), "7\n");
}

#[test]
fn long_chains_of_conditions_that_may_fail() {
    let arms: Vec<String> = (0..2_000).map(|arm| format!("if (x / input == {}) x = {arm};", arm + 2)).collect();
    assert_eq!(on_small_stack(with_step(&arms.join(" else "))), "1\n");
}

#[test]
fn deep_parentheses() {
    let nested = format!("x = {}x{};", "(".repeat(10_000), ")".repeat(10_000));
    assert_eq!(on_small_stack(with_step(&nested)), "1\n");
}

#[test]
fn deep_sums() {
    let nested = format!("x = {}x{};", "(".repeat(10_000), "+1)".repeat(10_000));
    assert_eq!(on_small_stack(with_step(&nested)), "10001\n");
    let nested = format!("x = {}x{};", "(1+".repeat(10_000), ")".repeat(10_000));
    assert_eq!(on_small_stack(with_step(&nested)), "10001\n");
}

#[test]
fn deep_conditions() {
    let nested = format!("{} x = 9; {}", "if (x == 1) {".repeat(5_000), "}".repeat(5_000));
    assert_eq!(on_small_stack(with_step(&nested)), "9\n");
    let bare = format!("{} x = 9;", "if (x == 1) ".repeat(5_000));
    assert_eq!(on_small_stack(with_step(&bare)), "9\n");
}

#[test]
fn long_sums() {
    let sum = format!("x = {};", vec!["x"; 50_000].join("+"));
    assert_eq!(on_small_stack(with_step(&sum)), "50000\n");
    let conjunction = format!("if ({}) x = 5;", vec!["x < 2"; 20_000].join(" && "));
    assert_eq!(on_small_stack(with_step(&conjunction)), "5\n");
}

#[test]
fn many_signs() {
    let signs = format!("x = {}x;", "- ".repeat(10_001));
    assert_eq!(on_small_stack(with_step(&signs)), "-1\n");
    let alternating = format!("x = {}x;", "-~".repeat(5_000));
    assert_eq!(on_small_stack(with_step(&alternating)), "5001\n");
}

#[test]
fn deep_choices() {
    let chosen = format!("x = {}7;", "x == 2 ? 3 : ".repeat(5_000));
    assert_eq!(on_small_stack(with_step(&chosen)), "7\n");
    let divided = format!("x = {}7;", "x == 2 ? x / input : ".repeat(500));
    assert_eq!(on_small_stack(with_step(&divided)), "7\n");
}

#[test]
fn calls_within_calls() {
    let calls = format!("x = {}x{};", "twice(".repeat(30), ")".repeat(30));
    let text = format!("int twice(int v) {{ return v + v; }}\n{}", with_step(&calls));
    assert_eq!(on_small_stack(text), "1073741824\n");
}

#[test]
fn chains_of_functions() {
    let mut text = String::from("int f0(int v) { if (v == 0) return 1; return v; }\n");
    for index in 1..3_000 {
        text.push_str(&format!("int f{index}(int v) {{ x = x + 1; return f{}(v); }}\n", index - 1));
    }
    let text = format!("{}\n{text}", with_step("f2999(input);"));
    assert_eq!(on_small_stack(text), "3000\n");
}

/// The one message about a program that nests too deeply.
fn refusal(statements: &str) -> String {
    let text = with_step(statements);
    let run = move || load(&text).map(|_| ()).expect_err("this is too deep").to_string();
    let thread = std::thread::Builder::new().stack_size(2 << 20).spawn(run).expect("a thread can be started");
    thread.join().expect("the thread does not panic")
}

#[test]
fn nesting_without_end_is_refused() {
    const DEEP: usize = 200_000;
    let expected = "nested more than 12000 levels deep";
    assert_eq!(refusal(&format!("x = {}x{};", "(".repeat(DEEP), ")".repeat(DEEP))), expected);
    assert_eq!(refusal(&format!("x = {}", "(".repeat(DEEP))), expected);
    assert_eq!(refusal(&format!("x = {}x;", "- ".repeat(DEEP))), expected);
    assert_eq!(refusal(&format!("x = {}7;", "x ? 3 : ".repeat(DEEP))), expected);
    assert_eq!(refusal(&"{".repeat(DEEP)), expected);
    assert_eq!(refusal(&format!("{}x = 1;", "if (x) ".repeat(DEEP))), expected);
    assert_eq!(refusal(&format!("{}x = 1;", "if (x) if (x) { ".repeat(DEEP))), expected);
    assert_eq!(refusal(&format!("{}x = 1;", "l: ".repeat(DEEP))), expected);
    assert_eq!(refusal(&format!("x = inputs{};", "[0]".repeat(DEEP))), "not a table or a pointer to one");
}
