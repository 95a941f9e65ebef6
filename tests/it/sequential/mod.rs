//! Sequential C: the simulator against gcc, the engines against each other, what is refused, and programs with answers.

mod automata;
mod compiled;
mod counting;
mod generate;
mod invariants;

use std::process::Command;
use std::sync::Arc;
use std::time::Duration;

use redoubt::base::{Interrupt, Limits, Random};
use redoubt::certificate::Judgement;
use redoubt::check::{self, Answer, Means, Options, Report};
use redoubt::ledger::Terms;
use redoubt::program::{Domain, Program, PropertyId, PropertyKind};
use redoubt::simulate::{End, Simulator};
use redoubt::source::c;
use redoubt::text::{SourceFile, Sources};

use super::common::scratch::Scratch;
use super::common::seeds::seeds;
use super::common::{gcc, in_project};

fn load(text: &str) -> Program {
    let sources = Arc::new(Sources::new(vec![SourceFile::new("program.c", text)]));
    match c::load(Arc::clone(&sources)) {
        Ok(program) => program,
        Err(errors) => panic!("{text}\n{}", errors.render(&sources, false)),
    }
}

const DECLARATIONS: &str = "
extern int __VERIFIER_nondet_int(void); extern unsigned __VERIFIER_nondet_uint(void);
extern char __VERIFIER_nondet_char(void); extern unsigned char __VERIFIER_nondet_uchar(void);
extern short __VERIFIER_nondet_short(void); extern unsigned short __VERIFIER_nondet_ushort(void);
extern long long __VERIFIER_nondet_longlong(void); extern unsigned long long __VERIFIER_nondet_ulonglong(void);
extern _Bool __VERIFIER_nondet_bool(void); extern void reach_error(void);
";

/// The environment: the n-th question of a run is answered by the n-th number of its seed, as far as the type allows.
fn answers(seed: u64) -> Vec<i32> {
    let mut random = Random::new(seed);
    let edges = [0, 1, -1, 5, 6, 7, 127, 128, 255, 32768, i32::MAX, i32::MIN];
    (0..64).map(|_| if random.below(2) == 0 { random.choose(&edges) } else { random.bits() as i32 }).collect()
}

/// How often a run may ask, or a step be taken, before something is wrong.
const ENDLESS: usize = 100_000;

/// Runs a program on the answers of a seed.
fn run(program: &Program, seed: u64) -> End {
    let answers = answers(seed);
    let mut simulator = Simulator::new(program).trace();
    let mut asked = 0;
    for _ in 0..ENDLESS {
        // Which questions a step asks depends on the answers to those before: one more is answered each time.
        let mut inputs: Vec<i32> = program.inputs.iter().map(|input| input.alphabet.nth(0)).collect();
        let before = simulator.clone();
        let mut known = 0;
        let step = loop {
            let mut again = before.clone();
            let step = again.step(&inputs);
            let Some(&(input, _)) = step.reads.get(known) else {
                simulator = again;
                break step;
            };
            let alphabet = &program.inputs[input.index()].alphabet;
            let answer = answers[(asked + known) % answers.len()];
            inputs[input.index()] = wrapped(answer, alphabet.nth(0), alphabet.nth(alphabet.size() - 1));
            known += 1;
        };
        asked += known;
        if let Some(end) = step.end {
            return end;
        }
    }
    panic!("{} does not end", program.name)
}

/// A number as the type with this range has it.
fn wrapped(number: i32, low: i32, high: i32) -> i32 {
    match (low, high) {
        (0, 1) => i32::from(number != 0),
        (-128, _) => i32::from(number as i8),
        (0, 255) => i32::from(number as u8),
        (-32768, _) => i32::from(number as i16),
        (0, 65535) => i32::from(number as u16),
        _ => number,
    }
}

/// Compiles many programs into one, which runs the one that it is told on the answers that it is given.
fn compile(programs: &[String]) -> (Scratch, std::path::PathBuf) {
    let scratch = Scratch::new();
    let mut text = String::from(
        "#include <stdio.h>\n#include <stdlib.h>\n#include <signal.h>\n#include <unistd.h>\n
        static int answers[64]; static int asked;
        static int next(void) { return answers[asked++ % 64]; }
        int __VERIFIER_nondet_int(void) { return next(); }
        unsigned __VERIFIER_nondet_uint(void) { return next(); }
        char __VERIFIER_nondet_char(void) { return next(); }
        unsigned char __VERIFIER_nondet_uchar(void) { return next(); }
        short __VERIFIER_nondet_short(void) { return next(); }
        unsigned short __VERIFIER_nondet_ushort(void) { return next(); }
        _Bool __VERIFIER_nondet_bool(void) { return next(); }
        long long __VERIFIER_nondet_longlong(void) { unsigned low = next(); return (unsigned long long)next() << 32 | low; }
        unsigned long long __VERIFIER_nondet_ulonglong(void) { return __VERIFIER_nondet_longlong(); }
        static void trap(int signal) { printf(\"trap\\n\"); fflush(stdout); _exit(0); }
        #define END(sum) printf(\"%u\\n\", sum); fflush(stdout); _exit(0);\n",
    );
    for (number, program) in programs.iter().enumerate() {
        text.push_str(&program.replace('@', &format!("p{number}_")));
    }
    text.push_str("int main(int count, char **list) {\n  signal(SIGFPE, trap);\n");
    text.push_str(
        "  for (int i = 0; i < 64; i++) answers[i] = (int)strtol(list[i + 2], 0, 10);\n  switch (atoi(list[1])) {\n",
    );
    (0..programs.len()).for_each(|number| text.push_str(&format!("  case {number}: p{number}_main(); break;\n")));
    text.push_str("  }\n  return 0;\n}\n");
    let (source, binary) = (scratch.write("programs.c", &text), scratch.path("programs"));
    let output = Command::new("gcc").args(["-O0", "-w", "-fwrapv"]).arg(&source).arg("-o").arg(&binary).output();
    let output = output.expect("gcc can be started");
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    (scratch, binary)
}

fn ask_gcc(binary: &std::path::Path, program: usize, seed: u64) -> String {
    let answers = answers(seed).into_iter().map(|answer| answer.to_string());
    let output = Command::new(binary).arg(program.to_string()).args(answers).output().expect("it runs");
    String::from_utf8(output.stdout).expect("digits").trim().to_string()
}

fn is_division(program: &Program, property: PropertyId) -> bool {
    matches!(program.property(property).kind, PropertyKind::DivisionByZero | PropertyKind::DivisionOverflow)
}

/// Runs random programs here and with gcc; how many runs trapped.
fn compute_what_gcc_says(seeds: &[u64], generate: impl Fn(u64) -> String) -> usize {
    const RUNS: u64 = 4;
    let mut trapped = 0;
    for batch in seeds.chunks(100) {
        let programs: Vec<String> = batch.iter().map(|&seed| generate(seed)).collect();
        let (_scratch, binary) = compile(&programs);
        for (number, (text, &seed)) in programs.iter().zip(batch).enumerate() {
            let text = format!("{DECLARATIONS}{}", text.replace('@', ""));
            for run_seed in (0..RUNS).map(|index| seed * RUNS + index) {
                let expected = ask_gcc(&binary, number, run_seed);
                let told = |sum: u32| text.replace("END(sum)", &format!("if (sum == {sum}U) reach_error();"));
                // A run that traps does not come to the sum.
                let sum = expected.parse().unwrap_or(0);
                let program = load(&told(sum));
                match (run(&program, run_seed), expected.as_str()) {
                    // Undefined: the processor traps, unless gcc has found a way around the division.
                    (End::Error(property, _), _) if is_division(&program, property) => trapped += 1,
                    (End::Error(property, _), _) => {
                        let name = &program.property(property).name;
                        assert_ne!(expected, "trap", "seed {seed}, run {run_seed}\n{text}");
                        assert_eq!(name, "reach_error", "seed {seed}, run {run_seed}: gcc has {expected}\n{text}");
                        let other = load(&told(sum.wrapping_add(1)));
                        assert!(matches!(run(&other, run_seed), End::Halt(_)), "seed {seed}, run {run_seed}\n{text}");
                    }
                    (end, _) => panic!("seed {seed}, run {run_seed}: gcc has {expected}, here {end:?}\n{text}"),
                }
            }
        }
    }
    trapped
}

#[test]
fn generated_programs_compute_what_gcc_says() {
    if gcc::available() {
        let seeds: Vec<u64> = seeds(60).collect();
        let trapped = compute_what_gcc_says(&seeds, generate::program);
        assert!(trapped > 0 || seeds.len() < 100, "some divisions trap");
    }
}

/// Loops that only count are taken in one step, which must come to the same.
#[test]
fn loops_that_count_come_to_what_gcc_says() {
    if gcc::available() {
        let seeds: Vec<u64> = seeds(60).collect();
        compute_what_gcc_says(&seeds, counting::program);
        let has_loops = |&seed: &u64| {
            let text = counting::program(seed).replace('@', "").replace("END(sum)", "if (sum == 1U) reach_error();");
            let program = load(&format!("{DECLARATIONS}{text}"));
            let location = program.location.expect("sequential programs have one");
            program.variable(location).domain != Some(Domain::Range(0, 0))
        };
        let left = seeds.iter().filter(|seed| has_loops(seed)).count();
        // Where a bound is not known, a loop stays for what wraps around.
        assert!(left < seeds.len(), "all {left} still have loops");
    }
}

fn options(seconds: u64) -> Options {
    let limits = Limits { interrupt: Interrupt::after(Duration::from_secs(seconds)), ..Limits::default() };
    Options { limits, ..Options::default() }
}

fn decide(program: &Program, means: Means, seconds: u64) -> Report {
    check::decide(program, means, &options(seconds), &Terms::default(), |_| {}).expect("a report")
}

/// What is known of a property: a run has been replayed, a proof confirmed.
fn verdict(report: &Report, program: &Program, name: &str) -> Option<bool> {
    let finding = report.findings.iter().find(|finding| program.property(finding.property).name == name)?;
    match &finding.answer {
        Answer::Reachable { run } => {
            assert_eq!(check::reaches(program, run, finding.property), Some(run.len()), "{name}");
            Some(true)
        }
        Answer::Unreachable { checked, .. } => {
            if let Some(checked) = checked {
                assert!(!matches!(checked.judgement, Judgement::Refuted(_)), "{name}: {:?}", checked.judgement);
            }
            Some(false)
        }
        _ => None,
    }
}

#[test]
fn own_problems_have_their_answers() {
    let folder = in_project("problems/c");
    let table = std::fs::read_to_string(folder.join("expected.csv")).expect("there is a table");
    for row in table.lines().skip(1) {
        let [file, property, expected] = row.split(',').collect::<Vec<_>>()[..] else { panic!("{row}") };
        let text = std::fs::read_to_string(folder.join(file)).expect("the file is there");
        let program = load(&text);
        let report = decide(&program, Means::Together, 60);
        let found = verdict(&report, &program, property);
        assert_eq!(found, Some(expected == "reachable"), "{file}: {property}");
    }
}

/// Without questions there is one run, which the simulator knows.
#[test]
fn engines_agree_with_the_only_run_of_a_program() {
    let (mut decided, mut asked) = (0, 0);
    for seed in seeds(4) {
        let mut text = generate::program(seed).replace('@', "").replace("fuel = 60", "fuel = 5");
        for (ask, answer) in [("int", "-7"), ("uint", "9"), ("char", "1"), ("uchar", "0")] {
            text = text.replace(&format!("__VERIFIER_nondet_{ask}()"), answer);
        }
        for ask in ["short", "ushort", "bool", "longlong", "ulonglong"] {
            text = text.replace(&format!("__VERIFIER_nondet_{ask}()"), "1");
        }
        let text = format!("{DECLARATIONS}{}", text.replace("END(sum)", "if (sum % 3 == 1) reach_error();"));
        let program = load(&text);
        let expected = match run(&program, seed) {
            End::Error(property, _) => Some(program.property(property).name.clone()),
            _ => None,
        };
        for means in [Means::Together, Means::Circuit, Means::Relations, Means::Cfa] {
            let report = decide(&program, means, 1);
            for property in &program.properties {
                asked += 1;
                if let Some(found) = verdict(&report, &program, &property.name) {
                    let is_expected = expected.as_ref() == Some(&property.name);
                    assert_eq!(found, is_expected, "seed {seed}, {means:?}: {}\n{text}", property.name);
                    decided += 1;
                }
            }
        }
    }
    assert!(decided * 4 > asked, "{decided} of {asked} decided");
}

#[test]
fn what_is_refused_is_named() {
    let main = |body: &str| format!("extern void reach_error(void);\n{body}");
    let cases = [
        ("int main(void) { f(); reach_error(); }", "`f` is called and not defined"),
        ("int f(int n) { return f(n - 1); } int main(void) { if (f(3)) reach_error(); }", "`f` calls itself"),
        ("int main(void) { double d = 1; if (d > 0) reach_error(); }", "a floating-point number"),
        ("int main(void) { long long a; if (a / a) reach_error(); }", "a division of 64 bits"),
        ("struct s { int a; }; int main(void) { struct s x; if (x.a) reach_error(); }", "a member of a structure"),
        ("int main(void) { int *p = 0; if (*p) reach_error(); }", "a pointer that may point anywhere"),
        ("int main(void) { int x; int *p = &x; if (*p) reach_error(); }", "keeping the address of a variable"),
        (
            "int f(char *p) { return *p; } int main(void) { int x = 1; if (f((char *)&x)) reach_error(); }",
            "another type",
        ),
        ("int f(char *p) { return *p; } int main(void) { int x = 1; if (f(&x)) reach_error(); }", "another type"),
        ("int main(void) { long long x[3]; if (x[1]) reach_error(); }", "an array of numbers of 64 bits"),
        ("int main(void) { int x[3] = {0}; long long i = 1; if (x[i]) reach_error(); }", "a number of 64 bits"),
        ("int main(void) { goto there; reach_error(); }", "there is no label `there`"),
        ("int main(void) { y = 1; if (y) reach_error(); }", "`y` is not declared"),
        ("int main(void) { int x = 1.5; if (x) reach_error(); }", "numbers with fractions"),
        ("int main(void) { break; reach_error(); }", "`break` outside a loop"),
        ("int f(void) { return 0; }", "there is no function `main`"),
        ("int main(void) { int x = ; }", "unexpected `;`"),
        ("#define X 1\nint main(void) { return X; }", "the directive `#define`"),
        ("int main(void) { /* }", "this comment is never closed"),
    ];
    for (text, message) in cases {
        let text = main(text);
        let sources = Arc::new(Sources::new(vec![SourceFile::new("bad.c", text.as_str())]));
        match c::load(Arc::clone(&sources)) {
            Ok(_) => panic!("read without a message: {text}"),
            Err(errors) => {
                let shown = errors.render(&sources, false);
                assert!(shown.contains(message) && shown.contains("bad.c:"), "{text}\n{shown}");
            }
        }
    }
}

#[test]
fn only_what_a_run_comes_to_is_refused() {
    let program = load(
        "typedef struct list { struct list *next; double d; } list; extern void *malloc(unsigned);
         list *make(void) { list *l = malloc(sizeof(list)); l->d = 1.5; return l; }
         extern void reach_error(void);
         int main(void) { int debug = 0; if (0) make(); return debug; reach_error(); make(); }",
    );
    let report = decide(&program, Means::Together, 60);
    assert_eq!(verdict(&report, &program, "reach_error"), Some(false));
}
