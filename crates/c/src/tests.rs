//! The simplified automata of small programs.

use std::sync::Arc;

use redoubt_program::flow::{Automaton, CutPoints};
use redoubt_program::text::{SourceFile, Sources};

const DECLARATIONS: &str = "extern void reach_error(void); extern int __VERIFIER_nondet_int(void); extern _Bool __VERIFIER_nondet_bool(void);\n";

fn automaton(text: &str) -> Automaton {
    let sources = Arc::new(Sources::new(vec![SourceFile::new("program.c", format!("{DECLARATIONS}{text}"))]));
    match crate::automaton(Arc::clone(&sources)) {
        Ok((automaton, _)) => automaton,
        Err(errors) => panic!("{text}\n{}", errors.render(&sources, false)),
    }
}

/// The number of blocks, and of those that cut cycles.
fn size(text: &str) -> (usize, usize) {
    let automaton = automaton(text);
    (automaton.blocks.len(), CutPoints::of(&automaton).list.len())
}

const WALK: &str = "int n; void walk(void) { while (__VERIFIER_nondet_bool()) { n += __VERIFIER_nondet_int(); if (n == 7) reach_error(); } }\n";

#[test]
fn calls_that_are_followed_by_the_same_share_their_blocks() {
    let once =
        size(&format!("{WALK}int main(void) {{ n = __VERIFIER_nondet_int(); walk(); if (n == 3) reach_error(); }}"));
    let on_both_sides = size(&format!(
        "{WALK}int main(void) {{ n = __VERIFIER_nondet_int(); if (n > 5) walk(); else {{ n += 1; walk(); }} if (n == 3) reach_error(); }}"
    ));
    // The side that adds is all that is new.
    assert_eq!((once.0 + 1, once.1), on_both_sides);
    // One after the other they are followed by something else each.
    let twice = size(&format!(
        "{WALK}int main(void) {{ n = __VERIFIER_nondet_int(); walk(); n = n + 1; walk(); if (n == 3) reach_error(); }}"
    ));
    assert_eq!(twice.1, once.1 + 1);
}

#[test]
fn loops_that_behave_alike_become_one() {
    let alike = "int main(void) { int x = __VERIFIER_nondet_int(); if (x > 0) goto A; goto B;
        A: x = x * 3 + 1; if (x == 9) reach_error(); goto B;
        B: x = x * 3 + 1; if (x == 9) reach_error(); goto A; }";
    // Errors have places, which differ.
    let (apart, _) = size(alike);
    let in_one_place = alike.replace("if (x == 9) reach_error()", "test(x)");
    let (together, _) = size(&format!("void test(int x) {{ if (x == 9) reach_error(); }} {in_one_place}"));
    assert_eq!((together, apart), (3, 5));
}

#[test]
fn numbers_that_are_known_decide_branches() {
    // Each branch is decided only if the one before it is, and the loop changes nothing of that.
    let text = "int debug; int main(void) { int level = debug, mode = 4, x = __VERIFIER_nondet_int();
        while (__VERIFIER_nondet_bool()) {
            if (level > 1) mode = __VERIFIER_nondet_int();
            if (mode != 4) level = 2;
            x += mode;
            if (mode == 5) { double d = 1; if (d > x) reach_error(); }
        }
        if (x == 3) { if (x != 3) reach_error(); }
        if (x == 8) reach_error(); }";
    let automaton = automaton(text);
    let errors =
        automaton.blocks.iter().filter(|block| matches!(block.end, redoubt_program::flow::End::Error(..))).count();
    assert_eq!(errors, 1);
    assert!(automaton.blocks.len() <= 6, "{automaton:?}");
}

#[test]
fn numbers_that_a_loop_changes_are_not_known() {
    let text = "int main(void) { int x = 0; while (__VERIFIER_nondet_bool()) { if (x == 2) reach_error(); x++; } }";
    let automaton = automaton(text);
    assert!(automaton.blocks.iter().any(|block| matches!(block.end, redoubt_program::flow::End::Error(..))));
}

#[test]
fn nothing_follows_an_assumption_that_never_holds() {
    let text = "void __VERIFIER_assume(int); int main(void) { int x = 3; __VERIFIER_assume(x == 4); reach_error(); }";
    assert_eq!(size(text), (1, 1));
}
