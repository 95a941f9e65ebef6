//! The speed of the front end: large programs in the style of RERS, from text to program.
//!
//! `cargo bench --bench front_end` prints the speed for 1 MB and 4 MB, how the time grows between them, and
//! the peak memory of the process.

use std::fmt::Write;
use std::sync::Arc;
use std::time::{Duration, Instant};

use redoubt_base::Random;
use redoubt_languages::rers;
use redoubt_program::text::{SourceFile, Sources};

const MEGABYTE: usize = 1_000_000;
const RUNS: usize = 3;

fn main() {
    let one = measure(MEGABYTE);
    let four = measure(4 * MEGABYTE);
    println!("4 MB : 1 MB  {:.2} times the time", four.as_secs_f64() / one.as_secs_f64());
    match peak_memory() {
        Some(kilobytes) => println!("peak memory  {} MB", kilobytes / 1024),
        None => println!("peak memory  not known on this system"),
    }
}

/// Reads a program of about this many bytes a few times; the best time counts, as the others were disturbed.
fn measure(bytes: usize) -> Duration {
    let text = program(bytes);
    let size = text.len();
    let sources = Arc::new(Sources::new(vec![SourceFile::new("generated.c", text)]));
    let times = (0..RUNS).map(|_| {
        let start = Instant::now();
        let program = rers::load(Arc::clone(&sources)).expect("the generated program is good");
        let time = start.elapsed();
        assert_eq!(program.properties.len(), ERRORS);
        time
    });
    let best = times.min().unwrap_or_default();
    let speed = size as f64 / MEGABYTE as f64 / best.as_secs_f64();
    println!("{:.1} MB  {:.3} s  {speed:.2} MB/s", size as f64 / MEGABYTE as f64, best.as_secs_f64());
    best
}

/// The most memory that the process ever had, in kilobytes.
fn peak_memory() -> Option<u64> {
    let status = std::fs::read_to_string("/proc/self/status").ok()?;
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:"))?;
    line.trim().trim_end_matches("kB").trim().parse().ok()
}

const VARIABLES: usize = 200;
const ERRORS: usize = 100;
const RULES_PER_FUNCTION: usize = 40;

/// A program of 2016's dialect with as many functions as it takes to fill the size.
fn program(bytes: usize) -> String {
    let mut random = Random::new(1);
    let mut text = String::from("#include <stdio.h>\nextern void __VERIFIER_error(int);\n\n\t// inputs\n");
    text.push_str("\tint inputs[] = {1,2,3,4,5};\n\n\tint cf = 1;\n");
    for variable in 0..VARIABLES {
        add(&mut text, format_args!("\tint a{variable} = {};\n", 32 + random.below(5)));
    }
    text.push_str("\n\tvoid errorCheck() {\n");
    for number in 0..ERRORS {
        let condition = condition(&mut random, 6);
        add(
            &mut text,
            format_args!("\t    if({condition}){{\n\t    cf = 0;\n\t    __VERIFIER_error({number});\n\t    }}\n"),
        );
    }
    text.push_str("\t}\n\n");
    let mut functions = 0;
    while text.len() < bytes {
        function(&mut text, functions, &mut random);
        functions += 1;
    }
    text.push_str("\tvoid calculate_output(int input) {\n\t    cf = 1;\n");
    for number in 0..functions {
        add(&mut text, format_args!("\t    if((a{} == 33 && cf==1)) {{\n", number % VARIABLES));
        add(&mut text, format_args!("\t    \tcalculate_outputm{number}(input);\n\t    }}\n"));
    }
    text.push_str(
        "\t    errorCheck();\n\t    if(cf==1)\n\t    \tfprintf(stderr, \"Invalid input: %d\\n\", input);\n\t}\n\n",
    );
    text.push_str("int main()\n{\n    while(1)\n    {\n        int input;\n        scanf(\"%d\", &input);\n");
    text.push_str("        calculate_output(input);\n    }\n}\n");
    text
}

/// A function of rules: half of them independent, half one chain of `else if`.
fn function(text: &mut String, number: usize, random: &mut Random) {
    add(text, format_args!("\tvoid calculate_outputm{number}(int input) {{\n"));
    for rule in 0..RULES_PER_FUNCTION {
        let chained = if rule > RULES_PER_FUNCTION / 2 { " else " } else { "\t    " };
        let condition = condition(random, 8);
        let input = 1 + random.below(5);
        add(text, format_args!("{chained}if(((cf==1 && input == {input}) && {condition})){{\n\t    \tcf = 0;\n"));
        for _ in 0..3 {
            let (target, a, b) = (random.below(VARIABLES), random.below(VARIABLES), random.below(VARIABLES));
            let (factor, shift) = (1 + random.below(20), random.below(100));
            match random.below(3) {
                0 => add(text, format_args!("\t    \ta{target} = {};\n", 32 + random.below(5))),
                1 => add(text, format_args!("\t    \ta{target} = (((a{a} * {factor}) - {shift}) % 37);\n")),
                _ => add(text, format_args!("\t    \ta{target} += (a{b} + 20) > a{b} ? {factor} : 0;\n")),
            }
        }
        add(text, format_args!("\t    \t printf(\"%d\\n\", {}); fflush(stdout);\n\t    }}\n", 20 + random.below(6)));
    }
    text.push_str("\t}\n\n");
}

fn condition(random: &mut Random, atoms: usize) -> String {
    let atom = |random: &mut Random| {
        let operator = random.choose(&["==", "==", "!=", "<=", ">"]);
        format!("(a{} {operator} {})", random.below(VARIABLES), 32 + random.below(5))
    };
    (1..atoms).fold(atom(random), |condition, _| {
        let operator = random.choose(&["&&", "&&", "||"]);
        let other = atom(random);
        format!("({condition} {operator} {other})")
    })
}

fn add(text: &mut String, piece: std::fmt::Arguments<'_>) {
    text.write_fmt(piece).expect("writing to a string does not fail");
}
