//! Every operator against gcc `-fwrapv` on all edge values, what traps, and random programs.

use redoubt_base::Random;
use redoubt_program::simulate::{End, Simulator};

use crate::common::generate::{self, Shape};
use crate::common::runs::{self, Ending};
use crate::common::seeds::seeds;
use crate::common::{gcc, load_text};

const EDGES: &[i32] = &[
    i32::MIN,
    i32::MIN + 1,
    -65_536,
    -46_341,
    -1_000,
    -7,
    -2,
    -1,
    0,
    1,
    2,
    3,
    10,
    31,
    32,
    46_340,
    46_341,
    65_535,
    65_536,
    i32::MAX - 1,
    i32::MAX,
];
const TOTAL: &[&str] = &["+", "-", "*", "<", "<=", ">", ">=", "==", "!=", "&", "|", "^", "&&", "||"];
const UNARY: &[&str] = &["-", "~", "!", "+", "- -", "!!", "-~"];

/// C has no literal for the lowest number.
fn literal(value: i32) -> String {
    match value {
        i32::MIN => "(-2147483647 - 1)".into(),
        value => format!("({value})"),
    }
}

/// A program that takes `input` apart into a pair of edge values `a` and `b`, then runs `body`.
fn on_pairs(functions: &str, body: &str) -> String {
    let values: Vec<String> = EDGES.iter().map(|&value| literal(value)).collect();
    let count = EDGES.len();
    format!(
        "#include <stdio.h>
int inputs[] = {{0}};
int values[] = {{{}}};
int a = 0;
int b = 0;
int r = 0;
{functions}
int main() {{
    while (1) {{
        int input;
        scanf(\"%d\", &input);
        a = values[(input / {count}) % {count}];
        b = values[input % {count}];
{body}
    }}
}}
",
        values.join(", ")
    )
}

fn print(expression: &str) -> String {
    format!("        printf(\"%d\\n\", {expression});\n")
}

/// Runs a program here and compiled, once per list of inputs, and compares.
fn compare(text: &str, inputs: &[Vec<i32>]) {
    let program = load_text("program.c", text);
    for (inputs, theirs) in inputs.iter().zip(gcc::compile_text(text).run(inputs)) {
        assert_eq!(runs::simulate(&program, inputs), theirs, "on {inputs:?}");
    }
}

fn all_pairs() -> Vec<i32> {
    (0..(EDGES.len() * EDGES.len()) as i32).collect()
}

#[test]
fn operators_on_variables() {
    if !gcc::available() {
        return;
    }
    let mut body = String::new();
    TOTAL.iter().for_each(|operator| body.push_str(&print(&format!("a {operator} b"))));
    UNARY.iter().for_each(|operator| body.push_str(&print(&format!("{operator}a"))));
    for amount in 0..32 {
        body.push_str(&print(&format!("a << {amount}")));
        body.push_str(&print(&format!("b >> {amount}")));
    }
    for operator in ["+", "-", "*", "&", "|", "^"] {
        body.push_str(&format!("        r = a; r {operator}= b;\n{}", print("r")));
    }
    body.push_str(&format!("        r = a; r <<= 5; r++; r >>= 3; r--;\n{}", print("r")));
    for mixed in ["a < b ? a : b", "a ? b : -b", "(a < b) + (a == b) * 2", "a - b * a + b", "!(a & b) == (a ^ b)"] {
        body.push_str(&print(mixed));
    }
    compare(&on_pairs("", &body), &[all_pairs()]);
}

#[test]
fn operators_on_constants() {
    if !gcc::available() {
        return;
    }
    let mut body = String::new();
    for &value in EDGES {
        let c = literal(value);
        for operator in TOTAL {
            body.push_str(&print(&format!("a {operator} {c}")));
            body.push_str(&print(&format!("{c} {operator} a")));
        }
        if value != 0 {
            // gcc negates instead of dividing by -1, so that this does not trap.
            body.push_str(&print(&format!("a / {c}")));
            body.push_str(&print(&format!("a % {c}")));
        }
        body.push_str(&print(&format!("a != 0 && a != -1 ? {c} / a : 0")));
        body.push_str(&print(&format!("a == 0 || a == -1 ? 0 : {c} % a")));
    }
    for &left in EDGES.iter().step_by(2) {
        for &right in EDGES.iter().step_by(2) {
            let (x, y) = (literal(left), literal(right));
            TOTAL.iter().for_each(|operator| body.push_str(&print(&format!("{x} {operator} {y}"))));
            if right != 0 && (left, right) != (i32::MIN, -1) {
                body.push_str(&print(&format!("{x} / {y}")));
                body.push_str(&print(&format!("{x} % {y}")));
            }
        }
    }
    let values: Vec<i32> = (0..EDGES.len()).map(|index| (index * EDGES.len()) as i32).collect();
    compare(&on_pairs("", &body), &[values]);
}

#[test]
fn divisions_trap_where_the_processor_does() {
    if !gcc::available() {
        return;
    }
    const FORMS: &[&str] = &["r = a / b;", "r = a % b;", "r = a; r /= b;", "r = a; r %= b;"];
    for form in FORMS {
        let text = on_pairs("", &format!("        {form}\n{}", print("r")));
        let program = load_text("program.c", &text);
        let inputs: Vec<Vec<i32>> = all_pairs().into_iter().map(|input| vec![input]).collect();
        for (inputs, theirs) in inputs.iter().zip(gcc::compile_text(&text).run(&inputs)) {
            let ours = runs::simulate(&program, inputs);
            let (a, b) = (EDGES[inputs[0] as usize / EDGES.len()], EDGES[inputs[0] as usize % EDGES.len()]);
            assert_eq!(ours, theirs, "{form} on {a} and {b}");
            let traps = b == 0 || (a, b) == (i32::MIN, -1);
            assert_eq!(ours.ending == Ending::Trap, traps, "{form} on {a} and {b}");
        }
    }
}

#[test]
fn operands_that_c_skips_are_skipped() {
    if !gcc::available() {
        return;
    }
    let functions = "int note(int x) { printf(\"(%d)\\n\", x); return x; }";
    let mut body = String::new();
    for guarded in [
        "b != 0 && b != -1 && a / b > 1",
        "b == 0 || b == -1 || a % b == 0",
        "b > 0 ? a / b : b < -1 ? a % b : 7",
        "!(b == 0 || b == -1) && (a / b) * b + a % b == a",
    ] {
        body.push_str(&print(guarded));
        body.push_str(&format!("        if ({guarded}) printf(\"yes\\n\"); else printf(\"no\\n\");\n"));
    }
    for ordered in [
        "note(a) && note(b)",
        "note(a) || note(b)",
        "note(a) ? note(b) : note(3)",
        "(note(a > 0) && note(b > 0)) || note(a == b)",
        "!note(a < b) && !(note(1) || note(2))",
        "note(note(a) - 1) == 0",
    ] {
        body.push_str(&format!("        if ({ordered}) printf(\"yes\\n\"); else printf(\"no\\n\");\n"));
    }
    compare(&on_pairs(functions, &body), &[all_pairs()]);
}

/// The property that one step on an input reaches.
fn reached(text: &str, input: i32) -> Option<String> {
    let program = load_text("program.c", text);
    let mut simulator = Simulator::new(&program);
    match simulator.step(&[input]).end {
        Some(End::Error(property, _)) => Some(program.property(property).name.clone()),
        _ => None,
    }
}

#[test]
fn what_c_leaves_undefined_is_a_property_of_its_own() {
    let program = |body: &str| {
        format!(
            "int inputs[] = {{1, 2}}; int t[] = {{5, 6, 7}}; int long_one[] = {{1, 2, 3, 4}}; int *p = t; int r = 0;
            int main() {{ while (1) {{ int input; scanf(\"%d\", &input); {body} }} }}"
        )
    };
    let quotient = program("r = -2147483647 - input; r = r / (input - 2);");
    assert_eq!(reached(&quotient, 1).as_deref(), Some("division_overflow"));
    assert_eq!(reached(&quotient, 2).as_deref(), Some("division_by_zero"));
    assert_eq!(reached(&quotient, 3), None);
    for body in
        ["r = t[input];", "t[input] = 4;", "t[input] += 4;", "r = p[input];", "p[input]++;", "if (t[input]) r = 1;"]
    {
        let text = program(body);
        for (input, outside) in [(i32::MIN, true), (-1, true), (0, false), (2, false), (3, true), (i32::MAX, true)] {
            let expected = outside.then_some("index_out_of_bounds");
            assert_eq!(reached(&text, input).as_deref(), expected, "{body} on {input}");
        }
    }
    let moved = program("p = long_one; r = p[input];");
    assert_eq!(reached(&moved, 3), None);
    assert_eq!(reached(&moved, 4).as_deref(), Some("index_out_of_bounds"));
}

#[test]
fn random_programs() {
    const STEPS: usize = 60;
    if !gcc::available() {
        return;
    }
    for seed in seeds(60) {
        let options = Shape { partial: seed % 2 == 0, bounded: seed % 3 == 0, ..Shape::default() };
        let text = generate::program(seed, options);
        let program = load_text("program.c", &text);
        let random = &mut Random::new(seed);
        let mut inputs: Vec<Vec<i32>> = (0..10).map(|_| runs::random_inputs(&program, STEPS, random)).collect();
        inputs.push(runs::surviving_inputs(&program, STEPS, random));
        inputs.push(runs::wild_inputs(&program, STEPS, random));
        for (inputs, theirs) in inputs.iter().zip(gcc::compile_text(&text).run(&inputs)) {
            let ours = runs::simulate(&program, inputs);
            runs::assert_same(&ours, &theirs, &|| format!("seed {seed} on {inputs:?}\n{text}"));
        }
    }
}
