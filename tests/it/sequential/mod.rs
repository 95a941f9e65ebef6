//! Sequential C: the simulator against gcc, the engines against each other, refusals, and programs with answers.

mod agreement;
mod automata;
mod compiled;
mod counting;
mod declared;
mod gcc;
mod generate;
mod harness;
mod invariants;
mod lifetimes;
mod objects;
mod order;
mod partial;
mod promotions;

use std::sync::Arc;
use std::time::Duration;

use redoubt_base::{Interrupt, Limits};
use redoubt_checker::Judgement;
use redoubt_driver::check::{self, Answer, CheckOptions, Means, Report};
use redoubt_driver::ledger::Terms;
use redoubt_languages::c;
use redoubt_program::program::Program;
use redoubt_program::simulate::End;
use redoubt_program::text::{SourceFile, Sources};

use super::common::in_project;
use super::common::seeds::seeds;
use generate::Shape;
use harness::{answers, run};

fn load(text: &str) -> Program {
    let sources = Arc::new(Sources::new(vec![SourceFile::new("program.c", text)]));
    match c::load(Arc::clone(&sources)) {
        Ok(program) => program,
        Err(errors) => panic!("{text}\n{}", errors.render(&sources, false)),
    }
}

/// The message about a program that is refused.
fn refusal(text: &str) -> Option<String> {
    let sources = Arc::new(Sources::new(vec![SourceFile::new("bad.c", text)]));
    c::load(Arc::clone(&sources)).err().map(|errors| errors.render(&sources, false))
}

const DECLARATIONS: &str = "
extern int __VERIFIER_nondet_int(void); extern unsigned __VERIFIER_nondet_uint(void);
extern char __VERIFIER_nondet_char(void); extern unsigned char __VERIFIER_nondet_uchar(void);
extern short __VERIFIER_nondet_short(void); extern unsigned short __VERIFIER_nondet_ushort(void);
extern long long __VERIFIER_nondet_longlong(void); extern unsigned long long __VERIFIER_nondet_ulonglong(void);
extern _Bool __VERIFIER_nondet_bool(void); extern void reach_error(void);
typedef long long_32; typedef unsigned long ulong_32;
";

fn options(seconds: u64) -> CheckOptions {
    let limits = Limits { interrupt: Interrupt::after(Duration::from_secs(seconds)), ..Limits::default() };
    CheckOptions { limits, ..CheckOptions::default() }
}

fn decide(program: &Program, means: Means, seconds: u64) -> Report {
    check::decide(program, means, &options(seconds), &Terms::default(), &mut |_| {}).expect("a report")
}

/// The verdict on a property: a run has been replayed, a proof confirmed.
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
        let mut text = generate::program(seed, Shape { fuel: 5, ..Shape::small(seed) }).replace('@', "");
        for (ask, answer) in [("int", "-7"), ("uint", "9"), ("char", "1"), ("uchar", "0")] {
            text = text.replace(&format!("__VERIFIER_nondet_{ask}()"), answer);
        }
        for ask in ["short", "ushort", "bool", "longlong", "ulonglong"] {
            text = text.replace(&format!("__VERIFIER_nondet_{ask}()"), "1");
        }
        let text = format!("{DECLARATIONS}{}", text.replace("END(sum)", "if (sum % 3 == 1) reach_error();"));
        let program = load(&text);
        let expected = match run(&program, &answers(seed)).0 {
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
        ("int main(void) { long double d = 1; if (d > 0) reach_error(); }", "a `long double`"),
        ("struct s; int main(void) { struct s x; if (x.a) reach_error(); }", "a variable of this type (struct s)"),
        ("int main(void) { int *p = (int *) 4096; if (*p) reach_error(); }", "a pointer that may point anywhere"),
        (
            "struct s { int *p; } t; int main(void) { char *c = (char *) &t; if (c[1]) reach_error(); }",
            "the bytes of a pointer",
        ),
        (
            "struct s { int a : 3; } __attribute__((packed)) t; int main(void) { if (t.a) reach_error(); }",
            "the attribute `packed`",
        ),
        (
            "int f(int n) { int a[2]; a[n & 1] = n; return n ? f(n - 1) + a[0] : 0; }
             int main(void) { if (f(3)) reach_error(); }",
            "an array in a function that calls itself",
        ),
        (
            "struct s { int b : 3; } t; int main(void) { int *p = &t.b; if (p) reach_error(); }",
            "the address of a bit-field",
        ),
        ("struct s { int a; } t; int main(void) { if (t.b) reach_error(); }", "a member `b`"),
        ("int f(int); int main(void) { int (*p)(int) = f; if (p(1)) reach_error(); }", "`f` is called and not defined"),
        ("int main(void) { goto there; reach_error(); }", "there is no label `there`"),
        ("int main(void) { y = 1; if (y) reach_error(); }", "`y` is not declared"),
        ("int main(void) { int x = 1.5L; if (x) reach_error(); }", "a `long double`"),
        ("int main(void) { break; reach_error(); }", "`break` outside a loop"),
        ("int f(void) { return 0; }", "there is no function `main`"),
        ("int main(void) { int x = ; }", "unexpected `;`"),
        ("#define X 1\nint main(void) { return X; }", "the directive `#define`"),
        ("int main(void) { /* }", "this comment is never closed"),
    ];
    for (text, message) in cases {
        let text = main(text);
        let shown = refusal(&text).unwrap_or_else(|| panic!("read without a message: {text}"));
        assert!(shown.contains(message) && shown.contains("bad.c:"), "{text}\n{shown}");
    }
}

#[test]
fn only_what_a_run_comes_to_is_refused() {
    let program = load(
        "typedef struct list { struct list *next; long double d; } list; extern void *malloc(unsigned);
         list *make(void) { list *l = malloc(sizeof(list)); l->d = 1.5L; return l; }
         extern void reach_error(void);
         int main(void) { int debug = 0; if (0) make(); return debug; reach_error(); make(); }",
    );
    let report = decide(&program, Means::Together, 60);
    assert_eq!(verdict(&report, &program, "reach_error"), Some(false));
}
