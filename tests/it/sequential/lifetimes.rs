//! Lifetimes: which pointers lead to what is no longer there.

use redoubt::{Answer, CheckOptions};

use super::load;

/// Whether some run follows a pointer to what is not there.
fn follows_nothing(text: &str) -> bool {
    let program = load(text);
    let property = program.properties.iter().position(|property| property.name == "invalid_dereference");
    let Some(property) = property else { return false };
    let report = redoubt::check(&program, &CheckOptions::default()).expect("nobody interrupts");
    match &report.findings.iter().find(|finding| finding.property.index() == property).expect("all are decided").answer
    {
        Answer::Reachable { .. } => true,
        Answer::Unreachable { .. } => false,
        other => panic!("{other:?}: {text}"),
    }
}

/// A local is gone with its block, however the run leaves that; what is static, or belongs to a caller, is not.
#[test]
fn locals_are_there_as_long_as_their_block() {
    let cases = [
        ("", "if (n > 5) { int y = 3; p = &y; } *p = 1;", true),
        ("", "if (n > 5) { int y = 3; p = &y; *p = 1; }", false),
        ("", "if (n > 5) { static int y = 3; p = &y; } *p = 1;", false),
        ("", "int y = 1; if (n > 5) { p = &y; } *p = 1;", false),
        ("", "for (int i = 0; i < 3; i++) { p = &i; *p += 1; } if (n == 3) *p = 1;", true),
        ("", "for (int i = 0; i < 3; i++) { int y = i; p = &y; if (n > 2) break; } if (n > 4) *p = 1;", true),
        ("", "{ int y = 1; p = &y; if (n > 2) goto out; p = &n; } out: if (n > 2) *p = 1;", true),
        ("", "{ int y = 1; p = &y; if (n > 2) goto out; p = &n; } out: if (n <= 2) *p = 1;", false),
        ("int *f(int a) { int x = a; int *q = &x; return q; }", "p = f(n); if (n == 7) *p = 1;", true),
        ("int *f(int a) { int *q = &a; return q; }", "p = f(n); if (n == 7) *p = 1;", true),
        ("int *f(int *a) { *a += 1; return a; }", "p = f(&n); *p = 1;", false),
        ("void f(int **a) { int x = 1; *a = &x; **a = 2; }", "f(&p);", false),
        ("void f(int **a) { int x = 1; *a = &x; **a = 2; }", "f(&p); *p = 1;", true),
        ("struct s { int *at; }; struct s f(void) { int x; struct s r = { &x }; return r; }", "*f().at = 1;", true),
        ("", "switch (n) { case 1: { int y = 0; p = &y; break; } default: p = &n; } *p = 1;", true),
    ];
    for (before, body, expected) in cases {
        let text = format!(
            "extern int __VERIFIER_nondet_int(void); extern void reach_error(void);\n{before}\n
             int main(void) {{ int n = __VERIFIER_nondet_int(); int *p = &n; {body} return 0; }}"
        );
        assert_eq!(follows_nothing(&text), expected, "{text}");
    }
}
