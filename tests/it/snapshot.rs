//! The changes of an encoding since it was written: none, its form, or its meaning.

use redoubt_base::{Interrupt, Random};
use redoubt_bits::blast::Width;
use redoubt_bits::system::passes::Passes;
use redoubt_circuit::aiger;
use redoubt_circuit::{Circuit, Simulator};
use redoubt_clauses::cnf::Encoding;
use redoubt_compare::snapshot::{Change, check};
use redoubt_driver::encode::{self, EncodeOptions, Format, Style};
use redoubt_program::program::Program;

use crate::common::command::{redoubt_in, run, stderr, stdout};
use crate::common::generate;
use crate::common::scratch::Scratch;
use crate::common::seeds::seeds;
use crate::common::{in_project, junit, load_text};

const FORMATS: [Format; 4] = [Format::Cnf, Format::Aiger, Format::Aag, Format::Btor2];

fn written(program: &Program, format: Format, options: &EncodeOptions) -> Vec<u8> {
    let mut bytes = vec![];
    encode::encode(program, format, options, &mut bytes).expect("it can be written");
    bytes
}

fn changed(program: &Program, format: Format, options: &EncodeOptions, snapshot: &[u8]) -> Change {
    check(program, format, options, snapshot, &Interrupt::default()).expect("it can be written")
}

fn example(name: &str) -> String {
    std::fs::read_to_string(in_project("tests/encodings").join(name)).expect("an example")
}

fn three() -> Program {
    load_text("three.c", &example("three.c"))
}

fn reduced() -> EncodeOptions {
    EncodeOptions { width: Width::Reduced, passes: Passes::ALL, ..EncodeOptions::default() }
}

#[test]
fn what_is_written_again_is_unchanged() {
    for name in ["three.c", "division.c", "table_write.c"] {
        let program = load_text(name, &example(name));
        for options in
            [EncodeOptions::default(), reduced(), EncodeOptions { style: Style::Frame, ..EncodeOptions::default() }]
        {
            for format in FORMATS.into_iter().chain([Format::Smt2]) {
                let snapshot = written(&program, format, &options);
                assert_eq!(changed(&program, format, &options, &snapshot), Change::Unchanged, "{name} {format:?}");
            }
        }
    }
}

#[test]
fn another_form_is_equivalent() {
    let program = three();
    // Clauses for each gate, and fewer of them.
    let full = EncodeOptions { clauses: Encoding::Tseitin, ..EncodeOptions::default() };
    let snapshot = written(&program, Format::Cnf, &full);
    assert_eq!(changed(&program, Format::Cnf, &EncodeOptions::default(), &snapshot), Change::Equivalent);
    // Other gates for the same functions, and names in another order.
    let model = aiger::read(&written(&program, Format::Aag, &EncodeOptions::default())).expect("a circuit");
    let mut circuit = model.circuit.functionally_reduced();
    circuit.latches.reverse();
    let mut snapshot = vec![];
    aiger::write(&mut snapshot, &circuit, aiger::Format::Ascii, "").expect("memory");
    assert_eq!(changed(&program, Format::Aag, &EncodeOptions::default(), &snapshot), Change::Equivalent);
    // A program that is written in another way.
    let text = example("three.c");
    let other = load_text("three.c", &text.replace("if (b == 1) c = 1;", "if (!(b != 1)) { c = b; }"));
    assert_ne!(text, *other.sources.files()[0].text, "the example has this line");
    for format in FORMATS {
        let change =
            changed(&other, format, &EncodeOptions::default(), &written(&program, format, &EncodeOptions::default()));
        assert!(matches!(change, Change::Unchanged | Change::Equivalent), "{format:?}: {change:?}");
    }
}

#[test]
fn another_meaning_is_told_in_words_of_the_program() {
    let program = three();
    let text = example("three.c");
    let starts = load_text("three.c", &text.replace("int a = 0", "int a = 1"));
    let step = load_text("three.c", &text.replace("a = 1;", "a = 2;"));
    for format in FORMATS {
        let snapshot = written(&program, format, &EncodeOptions::default());
        match changed(&step, format, &EncodeOptions::default(), &snapshot) {
            Change::Different(lines) => {
                let said = lines.join("\n");
                assert!(said.contains("`a` becomes 2, in the snapshot 1"), "{format:?}: {said}");
                assert!(!said.contains("`b` becomes"), "{format:?}: {said}");
            }
            change => panic!("{format:?}: {change:?}"),
        }
        // Clauses say nothing about the start.
        if format != Format::Cnf {
            let change = changed(&starts, format, &EncodeOptions::default(), &snapshot);
            let expected = vec!["`a` starts with 1, in the snapshot with 0".to_string()];
            assert_eq!(change, Change::Different(expected), "{format:?}");
        }
    }
    let more =
        load_text("three.c", &text.replace("int a = 0", "int d = 7; int a = 0").replace("a = 1;", "a = 1; d = a + d;"));
    let snapshot = written(&program, Format::Aag, &EncodeOptions::default());
    let change = changed(&more, Format::Aag, &EncodeOptions::default(), &snapshot);
    let expected = vec!["the variable `d` is not in the snapshot".to_string()];
    assert_eq!(change, Change::EquivalentOnRuns(expected));
}

#[test]
fn states_that_no_run_reaches_do_not_count_on_runs() {
    let text = |value: &str| {
        format!(
            "int a = 0; int b = 0; int inputs[] = {{1, 2}};
            void calculate_output(int input) {{
                if (a == 77) b = {value};
                if (input == 2) a = 1 - a;
                if (b == 9) __VERIFIER_error(0);
            }}
            int main() {{ while (1) {{ int input; scanf(\"%d\", &input); calculate_output(input); }} }}"
        )
    };
    let (old, new) = (load_text("dead.c", &text("1")), load_text("dead.c", &text("9")));
    let snapshot = written(&old, Format::Aag, &EncodeOptions::default());
    let change = changed(&new, Format::Aag, &EncodeOptions::default(), &snapshot);
    let Change::EquivalentOnRuns(lines) = &change else { panic!("{change:?}") };
    assert!(lines.iter().all(|line| line.contains(", where a = 77, ")), "{lines:?}");
}

#[test]
fn clauses_that_exclude_a_step_are_not_equivalent() {
    let program = three();
    let snapshot = String::from_utf8(written(&program, Format::Cnf, &EncodeOptions::default())).expect("text");
    let (head, clauses) = snapshot.split_once("p cnf ").expect("a header");
    let (numbers, clauses) = clauses.split_once('\n').expect("a line");
    let (variables, number) = numbers.split_once(' ').expect("two numbers");
    let more = number.parse::<usize>().expect("a number") + 1;
    // No state in which the first bit is set.
    let tampered = format!("{head}p cnf {variables} {more}\n{clauses}-1 0\n");
    let change = changed(&program, Format::Cnf, &EncodeOptions::default(), tampered.as_bytes());
    assert!(matches!(change, Change::Unknown(_)), "{change:?}");
}

#[test]
fn variables_that_share_a_literal_exclude_a_step() {
    let program = three();
    let snapshot = String::from_utf8(written(&program, Format::Cnf, &reduced())).expect("text");
    let judged = |text: &str| changed(&program, Format::Cnf, &reduced(), text.as_bytes());
    // All clauses say the same where `a` and `b` are equal, which is all that is left.
    let (names, clauses) = snapshot.split_once("p cnf ").expect("a header");
    let (numbers, clauses) = clauses.split_once('\n').expect("a line");
    let literal = |word: &str| word.replace("-2", "-1").replace('2', "1");
    let clauses: String =
        clauses.lines().map(|line| line.split(' ').map(literal).collect::<Vec<_>>().join(" ") + "\n").collect();
    let names = names.replace("c 2 = b\n", "c 1 = b\n");
    let change = judged(&format!("{names}p cnf {numbers}\n{clauses}"));
    assert!(matches!(change, Change::Unknown(_)), "{change:?}");
    // A name with two literals says nothing.
    let change = judged(&snapshot.replace("c 3 = c\n", "c 3 = c\nc 7 = c\n"));
    assert!(matches!(change, Change::Unknown(_)), "{change:?}");
}

/// Which of the two is meant would be unclear in a file, and the two were taken for one.
#[test]
fn variables_that_are_called_like_the_input_are_told_apart() {
    let text = |condition: &str| {
        format!(
            "int input = 0; int stop = 0;
            void calculate_output(int i) {{
                if ({condition}) stop = 1; else input = 1 - input;
                if (stop == 1) __VERIFIER_error(0);
                if (input == 1 && stop == 1) __VERIFIER_error(1);
            }}
            int main() {{
                while (1) {{
                    int input;
                    scanf(\"%d\", &input);
                    if (input != 1 && input != 2) return -2;
                    calculate_output(input);
                }}
            }}"
        )
    };
    let (old, new) = (load_text("old.c", &text("i == 2")), load_text("new.c", &text("i == 2 && input == 1")));
    for format in FORMATS {
        let snapshot = written(&old, format, &reduced());
        assert_eq!(changed(&old, format, &reduced(), &snapshot), Change::Unchanged, "{format:?}");
        let change = changed(&new, format, &reduced(), &snapshot);
        let Change::Different(lines) = change else { panic!("{format:?}: {change:?}") };
        assert!(lines.iter().any(|line| line.starts_with("`error_0` becomes 0, in the snapshot 1")), "{lines:?}");
    }
    let clauses = String::from_utf8(written(&old, Format::Cnf, &reduced())).expect("text");
    for name in ["_input", "_stop", "_input'", "_stop'", "input", "stop"] {
        let lines = clauses.lines().filter(|line| line.starts_with("c ") && line.ends_with(&format!(" = {name}")));
        assert_eq!(lines.count(), 1, "{name}: {clauses}");
    }
}

/// The values of next states and properties by name, for 64 states and inputs that depend on names alone.
fn sample(circuit: &Circuit, seed: u64) -> Vec<(String, u64)> {
    let value = |name: &str| {
        let hash = name.bytes().fold(seed, |hash, byte| hash.wrapping_mul(31).wrapping_add(u64::from(byte)));
        let mut random = Random::new(hash);
        // Small numbers, or states are all alike: far from anything.
        let bit = name.rsplit_once('[').and_then(|(_, bit)| bit.trim_end_matches(']').parse::<u32>().ok()).unwrap_or(0);
        if bit > 3 { 0 } else { random.bits() }
    };
    let mut simulator = Simulator::new(circuit, |_| 0);
    simulator.set_state(&circuit.latches.iter().map(|latch| value(&latch.name)).collect::<Vec<_>>());
    simulator.evaluate(&circuit.inputs.iter().map(|input| value(&input.name)).collect::<Vec<_>>());
    let allowed = simulator.constraints();
    let next = circuit.latches.iter().map(|latch| (latch.name.clone(), simulator.values().get(latch.next) & allowed));
    let bad = circuit.bad.iter().map(|bad| (bad.name.clone(), simulator.values().get(bad.signal) & allowed));
    let mut all: Vec<(String, u64)> = next.chain(bad).chain([("allowed".into(), allowed)]).collect();
    all.sort_unstable();
    all
}

#[test]
fn what_simulation_tells_apart_is_different() {
    let (mut same, mut different) = (0, 0);
    for seed in seeds(16) {
        let small = generate::Shape { partial: false, bounded: true, variables: 3, tables: 1, helpers: 1, rules: 1 };
        let text = generate::program(seed, small);
        let mutant = crate::compare::changed(&text, &mut Random::new(seed));
        let Ok(new) = redoubt::parse("mutant.c", &mutant) else { continue };
        let old = load_text("program.c", &text);
        let snapshot = written(&old, Format::Aiger, &EncodeOptions::default());
        let (mine, theirs) =
            (aiger::read(&snapshot), aiger::read(&written(&new, Format::Aiger, &EncodeOptions::default())));
        let (Ok(mine), Ok(theirs)) = (mine, theirs) else { panic!("circuits that were just written") };
        let tells = (0..40).any(|seed| sample(&mine.circuit, seed) != sample(&theirs.circuit, seed));
        match changed(&new, Format::Aiger, &EncodeOptions::default(), &snapshot) {
            Change::Unchanged | Change::Equivalent => {
                assert!(!tells, "seed {seed}\n{text}\n---\n{mutant}");
                same += 1;
            }
            Change::EquivalentOnRuns(_) | Change::Different(_) => different += 1,
            Change::Unknown(why) => panic!("seed {seed}: {why}"),
        }
    }
    assert!(same > 0 && different > 0, "{same} {different}");
}

#[test]
fn a_folder_of_snapshots_becomes_a_report() {
    let scratch = Scratch::new();
    let encode = |arguments: &[&str]| {
        let all: Vec<&str> = ["encode"].iter().chain(arguments).copied().collect();
        let output = run(redoubt_in("", &all).current_dir(scratch.path("")));
        (output.status.code(), stdout(&output), stderr(&output))
    };
    std::fs::create_dir_all(scratch.path("snapshots")).expect("a folder");
    for name in ["three", "division", "two_writes"] {
        let (source, target) = (format!("programs/{name}.c"), format!("snapshots/{name}.aag"));
        scratch.write(&source, &example(&format!("{name}.c")));
        assert_eq!(encode(&[&source, "--to", "aag", "-o", &target]).0, Some(0));
    }
    scratch.write("programs/three.c", &example("three.c").replace("a = 1;", "a = 2;"));
    let (code, said, _) = encode(&["programs", "--check", "snapshots"]);
    assert!(code == Some(10) && said.ends_with("3 snapshots: 2 unchanged, 1 different\n"), "{said}");
    assert!(said.contains("`a` becomes 2, in the snapshot 1"), "{said}");
    let (code, said, _) = encode(&["programs", "--check", "snapshots", "--report", "junit"]);
    assert_eq!(code, Some(10));
    assert_eq!(junit::flaw(&said), None, "{said}");
    assert!(said.contains("failures=\"1\"") && said.contains("<failure type=\"different\""), "{said}");
    let (code, said, _) = encode(&["programs/two_writes.c", "--check", "snapshots/two_writes.aag"]);
    assert!(code == Some(0) && said.contains("unchanged"), "{said}");
    let (code, _, said) = encode(&["programs/two_writes.c", "--check", "snapshots/missing.aag"]);
    assert!(code == Some(3) && said.contains("missing.aag"), "{said}");
    scratch.write("programs/more.c", &example("assignment.c"));
    let (code, said, _) = encode(&["programs/more.c", "programs/two_writes.c", "--check", "snapshots"]);
    assert!(code == Some(3) && said.contains("1 unchanged, 1 failed"), "{said}");
}
