//! Declarations: of functions that are known to everyone, and with attributes.

use redoubt_program::simulate::End;

use super::harness::run;
use super::{load, refusal};

/// Whether the run on which all questions have this answer comes to the error.
fn fails(text: &str, answer: i32) -> bool {
    let program = load(&format!("extern void reach_error(void);\n{text}"));
    matches!(run(&program, &[answer]).0, End::Error(..))
}

/// The caller takes the result for the declared type.
#[test]
fn an_answer_has_the_type_that_is_declared() {
    let cases = [
        ("extern int __VERIFIER_nondet_uint(void);", "__VERIFIER_nondet_uint() < 0", true),
        ("extern unsigned __VERIFIER_nondet_uint(void);", "__VERIFIER_nondet_uint() < 0", false),
        ("", "__VERIFIER_nondet_uint() < 0", false),
        ("extern unsigned __VERIFIER_nondet_int(void);", "__VERIFIER_nondet_int() > 5", true),
        ("extern unsigned char __VERIFIER_nondet_int(void);", "__VERIFIER_nondet_int() == 254", true),
        ("extern int __VERIFIER_nondet_char(void);", "__VERIFIER_nondet_char() == -2", true),
    ];
    for (declared, condition, expected) in cases {
        let text = format!("{declared} int main(void) {{ if ({condition}) reach_error(); return 0; }}");
        assert_eq!(fails(&text, -2), expected, "{text}");
    }
    let text = "extern long long __VERIFIER_nondet_int(void); extern void reach_error(void);
                int main(void) { if (__VERIFIER_nondet_int() > 5) reach_error(); }";
    let refused = refusal(text).expect("nobody knows the other bits");
    assert!(refused.contains("a value of `__VERIFIER_nondet_int` with so many bits"), "{refused}");
}

/// Half of a number of 64 bits is lost where an `int` is expected.
#[test]
fn a_condition_is_passed_as_its_function_is_declared() {
    let main = "int main(void) { __VERIFIER_assume(1LL << 32); reach_error(); }";
    for (declared, expected) in [("int", false), ("long long", true), ("_Bool", true)] {
        let text = format!("extern void __VERIFIER_assume({declared}); {main}");
        assert_eq!(fails(&text, 0), expected, "{text}");
    }
    let text = "extern void __VERIFIER_assert(int); int main(void) { __VERIFIER_assert(1LL << 32); }";
    assert!(fails(text, 0));
}

#[test]
fn attributes_that_change_the_meaning_are_refused() {
    let cases = [
        ("typedef unsigned u8 __attribute__((__mode__(__QI__)));", "u8 x = 300; if (x == 44) reach_error();", "mode"),
        ("typedef int s64 __attribute__((unused, mode(DI)));", "s64 x = 0; if (!x) reach_error();", "mode"),
        ("", "__attribute__((vector_size(8))) int x; reach_error();", "vector_size"),
        ("enum e { A } __attribute__((packed)) x = 300;", "if (x == 44) reach_error();", "packed"),
        ("void f(int *p) { reach_error(); }", "int x __attribute__((cleanup(f))) = 1;", "cleanup"),
        ("int g = 7; int h __attribute__((alias(\"g\")));", "if (h == 7) reach_error();", "alias"),
        ("__attribute__((constructor)) static void f(void) { reach_error(); }", "return 0;", "constructor"),
        ("void f(void) __attribute__((destructor)); void f(void) { reach_error(); }", "return 0;", "destructor"),
    ];
    for (before, body, name) in cases {
        let text = format!("extern void reach_error(void); {before} int main(void) {{ {body} }}");
        let refused = refusal(&text).unwrap_or_else(|| panic!("read without a message: {text}"));
        assert!(refused.contains(&format!("the attribute `{name}` is not supported")), "{refused}");
    }
    let text = "extern void reach_error(void); enum e { A } __attribute__((packed)); 
                int main(void) { enum e x = 300; if (x == 44) reach_error(); }";
    assert!(refusal(text).is_some_and(|refused| refused.contains("an enumeration whose numbers are not known")));
}

#[test]
fn types_with_several_names_are_known_by_all() {
    let text = "typedef struct s { int a, b; } s, *p; typedef unsigned char u, v[2]; extern p f(s *); s *g;
                int main(void) { u x = 300; v y = {300, 1}; if (x == 44 && y[0] == x) reach_error(); }";
    assert!(fails(text, 0));
}

/// The name of a type may be that of something else in a function. Which it is where, is not followed.
#[test]
fn names_of_types_that_functions_use_for_other_things_are_refused() {
    let cases = [
        ("typedef unsigned char t;", "static int t; if ((t) - 1 < 0) reach_error();", "the name of a type in another"),
        ("typedef int t;", "typedef unsigned char t; t x = 300; if (x == 44) reach_error();", "inside a function"),
        (
            "typedef int t;",
            "switch (1) { typedef char t; case 1: { t x = 300; if (x == 44) reach_error(); } }",
            "inside",
        ),
        (
            "typedef int t;",
            "goto on; typedef char t; on: ; t x = 300; if (x == 44) reach_error();",
            "inside a function",
        ),
    ];
    for (before, body, message) in cases {
        let text = format!("extern void reach_error(void); {before} int main(void) {{ {body} }}");
        let refused = refusal(&text).unwrap_or_else(|| panic!("read without a message: {text}"));
        assert!(refused.contains(message), "{refused}");
    }
}

#[test]
fn other_attributes_are_passed_over() {
    let text = "typedef struct { char c; } __attribute__((packed)) s; s unused __attribute__((cleanup));
                typedef unsigned u8 __attribute__((mode(QI))); extern void f(void) __attribute__((constructor));
                static int g __attribute__((section(\"mode\"), aligned(8), unused)) = 3;
                __attribute__((noinline)) static int h(int x __attribute__((unused))) { return g; }
                int main(void) { if (h(1) == 3) reach_error(); }";
    assert!(fails(text, 0));
}
