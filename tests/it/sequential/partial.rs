//! Programs of which a part is not understood, or has no meaning: as long as no run comes there, everything else means what it did.

use redoubt_program::simulate::End;

use super::harness::run;
use super::load;

const DECLARED: &str = "
extern void reach_error(void); extern int __VERIFIER_nondet_int(void);
typedef long double strange; struct s { strange m; }; struct s t; enum { SHIFT = 3 };
";

/// The property that the run ends with in which every call returns the same.
fn reached(program: &str, answer: i32) -> Option<String> {
    let program = load(&format!("{DECLARED}{program}"));
    match run(&program, &[answer]).0 {
        End::Error(property, _) => Some(program.property(property).name.clone()),
        _ => None,
    }
}

#[test]
fn what_is_not_understood_hides_nothing() {
    let bodies = [
        "do { break; } while (t.m); reach_error();",
        "for (;; t.m++) { break; } reach_error();",
        "for (int i = 0; ; t.m++) { if (i == 0) break; } reach_error();",
        "int x = 1; while (x || t.m) break; reach_error();",
        "int x = 1; if (x) { x = 2; } else if (t.m) { x = 3; } reach_error();",
        "int c = 0; int x = c && t.m; if (!x) reach_error();",
        "int c = 1; int x = c || t.m; if (x) reach_error();",
        "goto there; if (t.m) { there: reach_error(); }",
        "goto there; while (t.m) { there: reach_error(); }",
        "int x = 1; if (0) { int x = 5; for (; t.m; ) ; } if (x == 1) reach_error();",
        "int x = 1; if (0) { for (int x = 5; ; x += t.m) ; } if (x == 1) reach_error();",
        "switch (4) { case 4: reach_error(); case 5: t.m = 1; }",
    ];
    for body in bodies {
        let program = format!("int main(void) {{ {body} return 0; }}");
        assert_eq!(reached(&program, 0).as_deref(), Some("reach_error"), "{body}");
    }
}

/// The type of a choice depends on both sides.
#[test]
fn a_choice_with_a_side_that_is_not_understood_is_refused() {
    let text = "int main(void) { int c = 0; int x = c ? t.m : 5; if (x == 5) reach_error(); }";
    let refused = super::refusal(&format!("{DECLARED}{text}")).expect("nobody knows the type of the choice");
    assert!(refused.contains("a `long double`"), "{refused}");
    assert_eq!(refused.matches("error:").count(), 1, "{refused}");
}

/// An undefined operation that is not evaluated is no error.
#[test]
fn what_is_not_evaluated_goes_not_wrong() {
    let bodies = [
        "int y = c ? c << 40 : 0; reach_error();",
        "int y = sizeof(c) > 4 ? c >> 32 : 1; if (y) reach_error();",
        "if (c && c >> 33) return 0; reach_error();",
        "if (!c || c / 0) reach_error();",
    ];
    for body in bodies {
        let program = format!("int main(void) {{ int c = __VERIFIER_nondet_int(); {body} return 0; }}");
        assert_eq!(reached(&program, 0).as_deref(), Some("reach_error"), "{body}");
    }
    let shifted = "int main(void) { int c = __VERIFIER_nondet_int(); int y = c ? c << 40 : 0; if (y) reach_error(); }";
    assert_eq!(reached(shifted, 1).as_deref(), Some("shift_out_of_range"));
}

#[test]
fn cases_are_constant_expressions() {
    let labels = [
        ("1 << 0", 1),
        ("(1 << SHIFT)", 8),
        ("16 / 0x4", 4),
        ("-(2 % SHIFT)", -2),
        ("'a' + 1", 98),
        ("SHIFT > 2 ? ~0 : 7", -1),
        ("(unsigned char) 258", 2),
        ("sizeof(int) * 2", 8),
        ("!SHIFT || 1 && SHIFT", 1),
        ("(1LL << 32) + 5 - (1LL << 32)", 5),
    ];
    for (label, value) in labels {
        let program = format!(
            "int main(void) {{ switch (__VERIFIER_nondet_int()) {{ case 77: break; case {label}: reach_error(); \
             break; default: break; }} return 0; }}"
        );
        assert_eq!(reached(&program, value).as_deref(), Some("reach_error"), "{label}");
        assert_eq!(reached(&program, value ^ 64), None, "{label}");
    }
}

/// A case that is not understood might be any.
#[test]
fn a_case_that_is_no_constant_is_refused() {
    for label in ["t.m", "1 / 0", "1 << 32", "c"] {
        let text = format!(
            "{DECLARED} int main(void) {{ int c = __VERIFIER_nondet_int(); switch (c) {{ case 4: break; case {label}: \
             reach_error(); break; default: break; }} return 0; }}"
        );
        let refused = super::refusal(&text).unwrap_or_else(|| panic!("{label}"));
        assert!(refused.contains("this is not a constant"), "{label}: {refused}");
    }
}

#[test]
fn enumerations_are_integers() {
    let programs = [
        "enum E { A = -1, B = 1 << 0, C = B << 1, D }; enum F { X, Y };
         int main(void) { enum E e = A; enum F f = X; if (e < 0 && f - 1 > 0 && C == 2 && D == 3) reach_error(); }",
        "typedef enum { LOW = -5 } T; T g; int f(T t) { return t < g; }
         int main(void) { if (f(LOW) && sizeof(T) == 4) reach_error(); }",
        "int main(void) { enum { N = 3 }; int a[N]; if (a[2] == 0) reach_error(); }",
        "int main(void) { enum here { N = -3 }; enum here x = N; int N1 = N; { int N = 2; N1 += N; }
         if (x / 2 == -1 && N1 == -1) reach_error(); }",
    ];
    for program in programs {
        assert_eq!(reached(program, 0).as_deref(), Some("reach_error"), "{program}");
    }
    // The contents of an unwritten array are unknown; nobody looks at the other cells.
    let open = "int main(void) { enum { N = 3 }; int a[N]; if (a[0] == 5) reach_error(); }";
    assert_eq!(load(&format!("{DECLARED}{open}")).inputs.len(), 1);
    let hidden = "enum { A = 5 }; void f(void) { enum { A = 1 }; if (A == 1) reach_error(); } int main(void) { f(); }";
    let refused = super::refusal(&format!("{DECLARED}{hidden}")).expect("two names for one");
    assert!(refused.contains("an enumerator with the name of something else"), "{refused}");
}

/// A pointer into an array leads to all of it, and may point right behind it.
#[test]
fn addresses_of_elements_know_their_array() {
    let with = |body: &str| format!("int f(int *p) {{ {body} }} int main(void) {{ int a[4] = {{1, 2, 3, 4}}; ");
    let good = [
        ("return p[1] + p[-1];", "if (f(&a[1]) == 4) reach_error(); }"),
        ("return p[-1];", "if (f(&a[4]) == 4) reach_error(); }"),
        ("p[2] = 9; return *p;", "if (f(a) == 1 && a[2] == 9) reach_error(); }"),
        ("return p[0];", "int b[2][3]; b[1][2] = 7; if (f(&b[1][2]) == 7 && f(b[1] ) == b[1][0]) reach_error(); }"),
        ("p[1] = 5; return 0;", "int b[2][3]; f(&b[1][1]); if (b[1][2] == 5) reach_error(); }"),
    ];
    for (body, rest) in good {
        assert_eq!(reached(&(with(body) + rest), 0).as_deref(), Some("reach_error"), "{body} {rest}");
    }
    let bad = [("return p[3];", "f(&a[1]); }"), ("return *p;", "f(&a[4]); }"), ("return p[-2];", "f(&a[1]); }")];
    for (body, rest) in bad.into_iter().chain([("return 0;", "f(&a[5]); }")]) {
        assert_eq!(reached(&(with(body) + rest), 0).as_deref(), Some("index_out_of_bounds"), "{body} {rest}");
    }
}

/// Which of two functions is meant is not known.
#[test]
fn a_function_that_is_defined_twice_is_refused() {
    let text = "int f(void) { return 1; } int f(void) { return 2; } int main(void) { if (f() == 2) reach_error(); }";
    let refused = super::refusal(&format!("{DECLARED}{text}")).expect("two functions of one name");
    assert!(refused.contains("the function `f` is defined twice"), "{refused}");
}
