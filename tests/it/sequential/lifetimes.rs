//! Lifetimes and undefined values: which pointers lead to what is no longer there, and what was never written.

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

/// Whether the error is reached on some run.
fn fails(text: &str) -> bool {
    let program = load(text);
    let property = program.properties.iter().position(|property| property.name == "reach_error").expect("an error");
    let report = redoubt::check(&program, &CheckOptions::default()).expect("nobody interrupts");
    let finding = report.findings.iter().find(|finding| finding.property.index() == property).expect("all are decided");
    match &finding.answer {
        Answer::Reachable { .. } => true,
        Answer::Unreachable { .. } => false,
        other => panic!("{other:?}: {text}"),
    }
}

/// What is allocated or declared has any value until it is written, and only what cannot be seen before is left out.
#[test]
fn what_was_never_written_can_be_anything() {
    let node = "struct n { int a, b; struct n *next; };";
    let cases = [
        (
            "struct n *p = malloc(sizeof *p); p->a = 1; p->b = 2; p->next = 0; if (p->a + p->b != 3) reach_error();",
            false,
        ),
        ("struct n *p = malloc(sizeof *p); p->a = 1; if (p->b == 7) reach_error();", true),
        ("struct n *p = malloc(sizeof *p); p->a = p->b; p->b = 2; if (p->a == 7) reach_error();", true),
        (
            "struct n *p = malloc(sizeof *p), *q = p; p->next = q; p->a = q->b; p->b = 0; if (p->a == 7) reach_error();",
            true,
        ),
        (
            "struct n *p = malloc(sizeof *p); p->next = p; p->a = p->next->b; p->b = 0; if (p->a == 7) reach_error();",
            true,
        ),
        (
            "struct n *p; p = malloc(sizeof *p); if (!p) return 1; p->a = 4; p->b = 5; if (p->a != 4 || p->b != 5) reach_error();",
            false,
        ),
        (
            "struct n *p = malloc(sizeof *p); p->a = 5; free(p); p = malloc(sizeof *p); p->b = 1; if (p->a == 9) reach_error();",
            true,
        ),
        ("int t[9]; for (int i = 0; i < 9; i++) t[i] = i; if (t[3] != 3) reach_error();", false),
        ("int t[9]; for (int i = 0; i < 8; i++) t[i] = i; if (t[8] == 3) reach_error();", true),
        ("int t[9]; for (int i = 1; i < 9; i++) t[i] = i; if (t[0] == 3) reach_error();", true),
        ("int t[9]; for (int i = 0; i < 9; i++) t[i] = t[8]; if (t[0] == 3) reach_error();", true),
        ("int t[9], i = 0; while (i < 9) { t[i] = 1; i++; } if (t[8] != 1) reach_error();", false),
        (
            "int t[9], u[9]; for (int i = 0; i < 9; i++) { u[i] = 1; t[i] = u[8 - i]; } if (t[0] == 3) reach_error();",
            true,
        ),
        ("int t[9]; for (int i = 0; i < 9; i += 2) t[i] = 1; if (t[1] == 3) reach_error();", true),
        ("int t[9]; for (int i = 0; i < 9; i++) if (i != 4) t[i] = 1; if (t[4] == 3) reach_error();", true),
        ("int x = __VERIFIER_nondet_uchar() & 3; if (x == 3) reach_error();", true),
        ("int x = __VERIFIER_nondet_uchar() & 3; if (x > 3) reach_error();", false),
        ("int x = __VERIFIER_nondet_int() % 5; if (x == -4) reach_error();", true),
        ("int x = __VERIFIER_nondet_int() % 5; if (x < -4 || x > 4) reach_error();", false),
        ("unsigned x = __VERIFIER_nondet_uint() % 5; if (x > 4) reach_error();", false),
        ("int x = __VERIFIER_nondet_char() % 5; if (x == -4) reach_error();", true),
        ("int x = __VERIFIER_nondet_uchar() & 5; if (x == 2 || x == 1 || x > 5) { if (x != 1) reach_error(); }", false),
    ];
    for (body, expected) in cases {
        let text = format!(
            "extern int __VERIFIER_nondet_int(void); extern unsigned __VERIFIER_nondet_uint(void);
             extern unsigned char __VERIFIER_nondet_uchar(void); extern char __VERIFIER_nondet_char(void);
             extern void *malloc(unsigned); extern void free(void *); extern void reach_error(void);
             {node}\nint main(void) {{ {body} return 0; }}"
        );
        assert_eq!(fails(&text), expected, "{text}");
    }
}
