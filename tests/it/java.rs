//! Java of the challenge: programs run as `java` runs them, what is outside the dialect is refused with its place, and every
//! subcommand takes such a file.

use std::fmt::Write;
use std::path::{Path, PathBuf};

use redoubt_base::{Interrupt, Random};
use redoubt_languages::parse;
use redoubt_program::program::{Program, PropertyKind};
use redoubt_program::simulate::{End, Simulator};
use redoubt_program::text::SourceFile;
use redoubt_witness::compiled::{Compiled, Ending};

use crate::common::command::{name, redoubt_in, run, stderr, stdout};
use crate::common::in_project;
use crate::common::scratch::Scratch;

/// Whether there is a Java to compare with.
fn is_available() -> bool {
    std::process::Command::new("javac").arg("-version").output().is_ok_and(|output| output.status.success())
}

fn load(files: &[PathBuf]) -> Program {
    let read = |path: &PathBuf| SourceFile::new(name(path), std::fs::read_to_string(path).expect("it can be read"));
    parse(files.iter().map(read).collect()).unwrap_or_else(|error| panic!("{error}"))
}

/// The programs of a folder, with their parts.
fn programs(folder: &Path) -> Vec<Vec<PathBuf>> {
    let Ok(entries) = std::fs::read_dir(folder) else { return vec![] };
    let mut files: Vec<PathBuf> = entries.map(|entry| entry.expect("an entry").path()).collect();
    files.retain(|path| path.extension().is_some_and(|ending| ending == "java") && !name(path).contains("External"));
    files.sort();
    let with_part = |path: PathBuf| {
        let part = PathBuf::from(name(&path).replace(".java", "External.java"));
        if part.is_file() { vec![path, part] } else { vec![path] }
    };
    files.into_iter().map(with_part).collect()
}

/// The output of each step of a run of the simulator, and its end as `java` tells it.
fn simulated(program: &Program, inputs: &[i32]) -> (Vec<String>, Ending) {
    let mut simulator = Simulator::new(program);
    let mut printed = vec![];
    for &input in inputs {
        let step = simulator.step(&[input]);
        printed.push(program.words.printed(&step.output));
        if simulator.end().is_some() {
            break;
        }
    }
    let ending = match simulator.end() {
        None => Ending::Inputs,
        Some(End::Halt(code)) => Ending::Exit(code as u8),
        Some(End::Blocked(_)) => panic!("nothing is assumed"),
        Some(End::Error(property, _)) => match program.property(property).kind {
            PropertyKind::Label => Ending::Error(program.property(property).name.clone()),
            PropertyKind::DivisionByZero => Ending::Trap,
            PropertyKind::IndexOutOfBounds => Ending::OutOfBounds,
            other => panic!("Java has no {other:?}"),
        },
    };
    (printed, ending)
}

/// Compares a program with its compiled self on random words; the result is how many of them ended.
fn compare(program: &Program, words: usize, length: usize) -> usize {
    let random = &mut Random::new(7);
    let alphabet = &program.inputs[0].alphabet;
    let mut runs: Vec<Vec<i32>> = vec![];
    for index in 0..words {
        let mut word: Vec<i32> = (0..length).map(|_| alphabet.sample(random)).collect();
        if index % 5 == 0 {
            // No program has this one.
            word[length / 2] = 99_999;
        }
        runs.push(word);
    }
    let compiled = Compiled::new(program, &Interrupt::default()).unwrap_or_else(|trouble| panic!("{trouble}"));
    let ran = compiled.run(program, &runs, &Interrupt::default()).unwrap_or_else(|trouble| panic!("{trouble}"));
    let mut ended = 0;
    for (inputs, theirs) in runs.iter().zip(ran) {
        let (printed, ending) = simulated(program, inputs);
        ended += usize::from(ending != Ending::Inputs);
        assert_eq!((printed, ending), (theirs.printed, theirs.ending), "{} on {inputs:?}", program.name);
    }
    ended
}

#[test]
fn programs_run_as_java_runs_them() {
    if !is_available() {
        return;
    }
    for files in programs(&in_project("problems/java")) {
        assert!(compare(&load(&files), 200, 60) > 0, "{files:?}");
    }
    let shared = in_project("../shared/bench/java");
    for year in ["2014", "2015", "2017-ltl", "2020"] {
        for files in programs(&shared.join(year)) {
            compare(&load(&files), 60, 80);
        }
    }
    for files in programs(&in_project("../shared/bench/industrial")).into_iter().take(2) {
        compare(&load(&files), 60, 80);
    }
}

const START: &str = "import java.io.BufferedReader;
import java.io.InputStreamReader;
public class Test {
    static BufferedReader stdin = new BufferedReader(new InputStreamReader(System.in));
    private String[] inputs = {";

const END: &str = "
        if (cf) throw new IllegalArgumentException(\"Current state has no transition for this input!\");
    }
    public static void main(String[] args) throws Exception {
        Test eca = new Test();
        while (true) {
            String input = stdin.readLine();
            try { eca.calculateOutput(input); }
            catch (IllegalArgumentException e) { System.err.println(\"Invalid input: \" + e.getMessage()); }
        }
    }
}
";

/// A program with these fields and this reaction.
fn program(inputs: &str, fields: &str, body: &str) -> String {
    format!(
        "{START}{inputs}}};\n{fields}\npublic boolean cf = true;\npublic void calculateOutput(String input) {{\ncf = true;\n{body}{END}"
    )
}

/// An expression of numbers, or of truth values.
fn expression(random: &mut Random, depth: usize, is_truth: bool) -> String {
    let below = |random: &mut Random, is_truth| expression(random, depth - 1, is_truth);
    let pick = |random: &mut Random, list: &[&str]| list[random.below(list.len())].to_string();
    if depth == 0 {
        return match is_truth {
            true => pick(random, &["d", "!d", "true", "s.equals(\"e\")", "(t == u)", "input.equals(inputs[2])"]),
            false => {
                pick(random, &["a", "b", "c", "-1", "0", "7", "(-2147483647 - 1)", "46341", "t[2]", "-2147483648"])
            }
        };
    }
    if is_truth {
        let (a, b) = (below(random, true), below(random, true));
        let (x, y) = (below(random, false), below(random, false));
        return match random.below(6) {
            0 => format!("({a} && {b})"),
            1 => format!("({a} || {b})"),
            2 => format!("({a} == {b})"),
            3 => format!("({x} {} {y})", pick(random, &["<", "<=", ">", ">="])),
            4 => format!("(({x}) {} ({y}))", pick(random, &["==", "!="])),
            _ => format!("!({a})"),
        };
    }
    let (a, b, test) = (below(random, false), below(random, false), below(random, true));
    match random.below(9) {
        0..6 => format!("{a} {} ({b})", pick(random, &["+", "-", "*", "*", "/", "%"])),
        6 => format!("(({test}) ? {a} : {b})"),
        7 => format!("t[(({a}) % 4 + 3) % 4]"),
        _ => format!("-({a})"),
    }
}

/// Random expressions with extreme numbers, short circuits, references, texts: what is left of them decides what is printed.
#[test]
fn random_expressions_have_the_values_that_java_gives_them() {
    let random = &mut Random::new(3);
    let mut ended = 0;
    for _ in 0..6 {
        let letters = ["A", "B", "C", "D", "E", "F", "G", "H"];
        let mut body = String::new();
        for letter in letters {
            let (a, b) = (expression(random, 3, false), expression(random, 2, false));
            let truth = expression(random, 3, true);
            let assigned = match random.below(4) {
                0 => format!("a {}= {b};", ["+", "-", "*"][random.below(3)]),
                1 => format!("t = {};", ["v", "u", "w"][random.below(3)]),
                2 => format!("s = \"{}\";", ["e", "f"][random.below(2)]),
                _ => format!("b = {b};"),
            };
            let _ = writeln!(
                body,
                "if (cf && input.equals(\"{letter}\")) {{ cf = false; c = a; a = {a}; {assigned} d = {truth}; }}"
            );
        }
        body += "if (a < 0) System.out.println(\"X\"); if (a % 2 == 0) System.out.println(\"Y\"); if (d) System.out.println(\"Z\");
            if (b / 3 % 5 < 2) System.out.println(\"U\"); if (t[0] == 1 && s.equals(\"f\")) { System.out.println(\"V\"); }";
        let fields = "public int a = 5; int b = -3, c; static boolean d = true; public String s = \"e\";
            public int[] u = {1, 2, 3, -7}; public int[] v = {1, 5, 2147483647, 0}; public int[] w = {2, 0, 46340, 9};
            public int[] t = u;";
        let inputs = letters.map(|letter| format!("\"{letter}\"")).join(",");
        let text = program(&inputs, fields, &body);
        let program = parse(vec![SourceFile::new("Test.java", text)]).unwrap_or_else(|error| panic!("{error}"));
        assert!(program.properties.iter().all(|property| property.kind != PropertyKind::DivisionOverflow));
        if is_available() {
            ended += compare(&program, 100, 30);
        }
    }
    assert!(!is_available() || ended > 20, "only {ended} runs trapped");
}

#[test]
fn what_is_outside_the_dialect_is_refused() {
    let fields = "public int a = 1; public String s = \"e\"; public boolean b = false; public int[] t = {1, 2};";
    let cases = [
        ("for (;;) {}", "`for` is outside the subset"),
        ("a++;", "`++` is outside the subset"),
        ("a = a & 3;", "`&` is outside the subset"),
        ("int x = 1;", "local variables are not supported"),
        ("if (a) { a = 2; }", "`int` where `boolean` is needed"),
        ("b = 1;", "`int` where `boolean` is needed"),
        ("a = b ? s : s;", "`String` where `int` is needed"),
        ("if (s == \"e\") { a = 2; }", "compared with `equals`"),
        ("if (input.equals(a)) { a = 2; }", "`int` where `String` is needed"),
        ("t[0] = 3;", "only fields can be assigned"),
        ("s = null;", "`null` is not supported"),
        ("s = \"two words\";", "a text that is no word"),
        ("s = \"\\u0041\";", "escapes of characters by number"),
        ("System.out.println(a);", "`int` where `String` is needed"),
        ("System.out.print(\"X\");", "is not known"),
        ("foo(3);", "unknown method `foo`"),
        ("ex.foo(3);", "has no method `foo`"),
        ("throw new RuntimeException(\"error_1\");", "something else is thrown"),
        ("throw new IllegalStateException(\"oops\");", "is no label"),
        ("x = 3;", "`x` is not declared"),
        ("a = 99999999999;", "is not a 32-bit `int`"),
        ("a = 1L;", "is not a 32-bit `int`"),
        ("long y = 2;", "local variables are not supported"),
        ("a = 1", "expected"),
    ];
    for (statement, wanted) in cases {
        let text = program("\"A\",\"B\"", fields, statement);
        let error = parse(vec![SourceFile::new("Test.java", text)]).expect_err(statement).to_string();
        assert!(error.contains(wanted) && error.contains("Test.java:"), "{statement}: {error}");
    }
    for (field, wanted) in [
        ("public String x;", "refers to nothing at first"),
        ("public int[] x;", "refers to nothing at first"),
        ("public Foo x = new Foo();", "no file defines the class `Foo`"),
        ("public Test other = new Test();", "several instances of `Test`"),
        ("public Integer x = 3;", "the type `Integer` is not supported"),
        ("public long x = 3;", "the type `long` is not supported"),
        ("public int x = 1; public int x = 2;", "defined twice"),
        ("void f() { throw new IllegalArgumentException(\"x\"); }", "leaves several calls"),
    ] {
        let text = program("\"A\"", field, "");
        let error = parse(vec![SourceFile::new("Test.java", text)]).expect_err(field).to_string();
        assert!(error.contains(wanted), "{field}: {error}");
    }
}

#[test]
fn problems_have_the_answers_of_an_exhaustive_search() {
    let answers = name(&in_project("problems/java/expected.csv"));
    let output = run(&mut redoubt_in("", &["check", "problems/java", "--expect", &answers, "--quiet", "--shortest"]));
    assert_eq!(output.status.code(), Some(0), "{}", stderr(&output));
    let said = stdout(&output);
    for wanted in
        ["8 steps (shortest): B D E B D E B D", "4 steps (shortest): ctl_pick drv_arrived ctl_place drv_arrived"]
    {
        assert!(said.contains(wanted), "{said}");
    }
}

/// Every subcommand takes such a file.
#[test]
fn every_command_reads_them() {
    let scratch = Scratch::new();
    let file = name(&in_project("problems/java/Robot.java"));
    let other = name(&in_project("problems/java/Kiosk.java"));
    let works = |arguments: &[&str], codes: &[i32]| {
        let output = run(&mut redoubt_in("", arguments));
        let code = output.status.code().unwrap_or(-1);
        assert!(codes.contains(&code), "{arguments:?}: {code}\n{}\n{}", stdout(&output), stderr(&output));
        stdout(&output)
    };
    let lines = works(&["check", &file, "--format", "jsonl"], &[10]);
    assert!(
        lines.contains("\"language\":\"java\"") && lines.contains("\"words\":[\"ctl_pick\",\"drv_arrived\""),
        "{lines}"
    );
    let record = name(&scratch.write("run.jsonl", &lines));
    let page = name(&scratch.write("run.html", ""));
    works(&["report", &record, "--output", &page], &[0]);
    assert!(std::fs::read_to_string(&page).expect("a page").contains("ctl_pick"));
    for format in ["csv", "junit", "sarif"] {
        works(&["check", &file, "--format", format], &[10]);
    }
    let said = works(&["simulate", &file, "ctl_pick", "drv_arrived"], &[0]);
    assert!(said.contains("end of input after 2 steps") && said.contains('_'), "{said}");
    works(&["simulate", &file, "--random", "50", "--trace"], &[0, 10]);
    works(&["simulate", &file, "ctl_pik"], &[2]);
    assert!(works(&["show", &file], &[0]).contains("ctl_pick"));
    assert!(works(&["show", &file, "--machine"], &[0]).contains("ctl_pick"));
    works(&["show", &file, "--program"], &[0]);
    works(&["compare", &file, &file], &[0]);
    works(&["compare", &file, &other], &[10]);
    for target in ["aiger", "btor2", "smt2"] {
        works(&["encode", &file, "--to", target], &[0]);
    }
    let folder = scratch.write("here", "");
    let folder = folder.parent().expect("a file lies in a folder");
    works(&["check", &file, "--witness-dir", &name(folder)], &[10]);
    let written = |ending: &str| name(&folder.join(ending));
    works(&["certify", &file, &written("Robot.cert")], &[0]);
    works(&["replay", &file, &written("Robot.error_1.json")], &[10]);
    works(&["replay", &file, &record], &[10]);
    if is_available() {
        let output = run(&mut redoubt_in("", &["check", &file, "--confirm", "java"]));
        assert!(stderr(&output).contains("java agrees with 2 runs"), "{}", stderr(&output));
    }
    works(&["check", &file, "--confirm", "gcc"], &[2]);
    let formula = name(&scratch.write("f.txt", "G (ictl_pick -> F ogrip)\n"));
    works(&["check", &file, "--ltl", &formula], &[0, 4, 10]);
}
