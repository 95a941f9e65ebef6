//! The meaning of the language's constructs. Every model here is decided twice: by IC3 and by an exhaustive search that
//! uses nothing but the simulator.

use redoubt_base::Limits;
use redoubt_engine::engine::Engine;
use redoubt_program::program::{PropertyKind, Status};

use crate::common::{explore, load_model};

/// Asserts that the properties that hold, and those that are violated, are these. Automatic properties that are
/// not mentioned must hold.
#[track_caller]
pub fn judged(text: &str, holds: &[&str], violated: &[&str]) {
    let program = load_model("meaning.gcl", text);
    let found = super::statuses(&program, Engine::Ic3, Limits::default());
    let searched = super::searched(&program);
    let explored = explore::explore(&program, 5_000).expect("the model is small");
    for property in program.properties.iter().filter(|property| property.kind != PropertyKind::Lint) {
        let name = property.name.as_str();
        let truth = property.kind.status(explored.reached.contains_key(name));
        assert_eq!(found[name], Some(truth), "{name}: the engine and the simulator disagree");
        assert_eq!(searched[name], Some(truth), "{name}: the search and the simulator disagree");
        let expected = if violated.contains(&name) { Status::Violated } else { Status::Holds };
        assert_eq!(truth, expected, "{name}");
    }
    for name in holds.iter().chain(violated) {
        assert!(found.contains_key(*name), "there is no property `{name}`: {found:?}");
    }
}

#[test]
fn what_a_step_does_not_assign_keeps_its_value() {
    judged(
        "input press: bool
         var x: 0..9 = 4
         var y: 0..9 = 7
         var a: (0..9)[3] = [1, 2, 3]
         step { if press { x = 5; a[1] = 9 } }
         property x_stays: always x in 4..5
         property y_stays: always y == 7
         property cells_stay: always a[0] == 1 && a[2] == 3
         property x_changes: reach x == 5 && a[1] == 9
         property x_never_comes_back: never prev(x) == 5 && x == 4",
        &["x_stays", "y_stays", "cells_stay", "x_changes", "x_never_comes_back"],
        &[],
    );
}

#[test]
fn statements_run_in_order_and_see_what_was_assigned() {
    judged(
        "var x: 0..9 = 1
         var y: 0..9 = 2
         var old: 0..9 = 0
         step { old = x; x = y; y = old; x = x; assert in_between: x != y; y = x }
         property swapped_not: always x == y || x == 1
         property both_two: reach x == 2 && y == 2",
        &["swapped_not", "both_two"],
        &["in_between"],
    );
    // The assertion fails in the second step only, and the run goes on after it.
    judged(
        "var n: 0..3 = 0
         step { if n < 3 { n = n + 1 }; assert small: n < 2 }
         property goes_on: reach n == 3",
        &["goes_on"],
        &["small"],
    );
}

#[test]
fn prev_is_the_state_before_the_step() {
    judged(
        "input i: 1..3
         var x: 0..9 = 5
         var a: bool[2] = [true, false]
         var first: bool = true
         step {
           assert initially: !first || prev(x) == 5
           assert unchanged_by_assignment: prev(x) == x
           x = i
           assert not_this_one: prev(x) == x
           a[0] = false
           assert cell: !first || prev(a[0])
           first = false
         }
         property no_input_before: always (prev(first) -> prev(i) == 1)
         property two_back: always (prev(prev(x)) == 5 || !first)
         property last_input: always (!prev(first) -> prev(i) == prev(x))",
        &["initially", "unchanged_by_assignment", "cell", "no_input_before", "two_back", "last_input"],
        &["not_this_one"],
    );
}

#[test]
fn prev_of_a_bad_index_matters_only_where_it_is_used() {
    let model = |guard: &str| {
        format!(
            "var i: 0..3 = 0
             var a: bool[3] = false
             step {{ i = if i < 3 then i + 1 else 0 }}
             property p: never {guard} && prev(a[i])"
        )
    };
    judged(&model("i > 0"), &["p", "index(a)"], &[]);
    judged(&model("i == 0"), &["p"], &["index(a)"]);
    // To keep the value for a later step is to use it.
    judged(
        "var i: 0..3 = 0
         var a: (5..9)[3] = 5
         var x: 0..9 = 5
         step { i = if i < 3 then i + 1 else 0; if i < 9 { x = prev(prev(a[i])) } }
         property five: always x == 5",
        &["five"],
        &["index(a)"],
    );
}

#[test]
fn once_historically_and_since_look_back() {
    judged(
        "input press: bool
         input reset: bool
         var x: 0..2 = 0
         step { if press && x < 2 { x = x + 1 } if reset { x = 0 } }
         property asked: always (x > 0 -> once press)
         property not_always_asked: always (x > 0 -> historically press)
         property since_press: always (x > 0 -> (!reset since press))
         property since_reset: always (x == 0 -> (!press since reset))
         property started: always once x == 0
         property start_counts: always historically (x == 0 || once press)
         property once_before: never x == 2 && !prev(once press)
         property not_yet: never prev(once press) && !once press",
        &["asked", "since_press", "started", "start_counts", "once_before", "not_yet"],
        &["not_always_asked", "since_reset"],
    );
}

/// The same operators over every short history, against their definitions.
#[test]
fn past_operators_agree_with_their_definitions() {
    // `o`, `h` and `s` are the operators written out by hand.
    judged(
        "input e: bool
         input f: bool
         var o: bool = false
         var h: bool = true
         var s: bool = false
         var last: bool = false
         step {
           o = o || e
           h = h && e
           s = f || (s && e)
           assert in_the_step: (o <-> once e) && (h <-> historically e) && (s <-> (e since f))
           last = prev(s)
         }
         property once_is: always (o <-> once e)
         property historically_is: always (h <-> historically e)
         property since_is: always (s <-> (e since f))
         property prev_since_is: always (last <-> prev(e since f))
         property nested: always (once (e since f) <-> once f)",
        &["in_the_step", "once_is", "historically_is", "since_is", "prev_since_is", "nested"],
        &[],
    );
}

#[test]
fn choose_takes_one_of_the_enabled_alternatives() {
    let model = |guards: [&str; 2], otherwise: &str| {
        format!(
            "var x: 0..3 = 0
             var both: bool = false
             step {{
               x = 0
               choose {{ when {} => x = x + 1; when {} => x = x + 2
                 {otherwise} }}
             }}
             property none: never x == 0 && prev(x) in 0..3
             property first: never x == 1
             property second: never x == 2
             property two_at_once: never x == 3",
            guards[0], guards[1]
        )
    };
    judged(&model(["true", "true"], ""), &["none", "two_at_once"], &["first", "second"]);
    judged(&model(["false", "true"], ""), &["none", "first", "two_at_once"], &["second"]);
    judged(&model(["true", "false"], ""), &["none", "second", "two_at_once"], &["first"]);
    judged(&model(["false", "false"], ""), &["first", "second", "two_at_once"], &["none"]);
    judged(&model(["false", "false"], "otherwise => x = 3"), &["none", "first", "second"], &["two_at_once"]);
    judged(&model(["false", "true"], "otherwise => x = 3"), &["none", "first", "two_at_once"], &["second"]);
}

#[test]
fn a_step_that_fails_an_assumption_does_not_exist() {
    // Judgements before the assumption in the same step do not count either.
    judged(
        "input i: 0..3
         var x: 0..3 = 0
         step { x = i; assert before: i != 3; assume i < 3; assert after: i != 3 }
         property never_three: never x == 3",
        &["before", "after", "never_three"],
        &[],
    );
    // An error ends the run before the assumption is met.
    judged(
        "input i: 0..3
         step { if i == 3 { error boom } assume i < 3 }",
        &[],
        &["boom"],
    );
    judged(
        "var x: 0..3 = 0
         step { assume false; x = 1 }
         property stuck: always x == 0
         property at_the_start: never x == 0",
        &["stuck"],
        &["at_the_start"],
    );
}

#[test]
fn assume_always_restricts_the_inputs() {
    judged(
        "input a: bool
         input b: bool
         var last: bool = false
         step { if a && b { error both } if a && last { error twice } last = a }
         assume always !(a && b)
         assume always (a -> !prev(a))
         property state: reach last",
        &["both", "twice", "state"],
        &[],
    );
    // About the state: judged when the step is over, and at the start.
    judged(
        "input up: bool
         var x: 0..3
         step { if up && x < 3 { x = x + 1 } }
         assume always x != 2
         property below: reach x == 1
         property above: reach x == 3 && once x == 1
         property jumps: never prev(x) == 1 && x == 3",
        &["below", "jumps"],
        &["above"],
    );
}

#[test]
fn int_wraps_and_divides_as_c_does() {
    judged(
        "input d: -1..1
         var x: int = 2147483647
         var y: int = -7
         step {
           assert highest: x == 2147483647
           x = x + 1
           assert wraps: x == -2147483648 && -x == x && x - 1 == 2147483647 && x * 2 == 0
           assert divides: y / 2 == -3 && y % 2 == -1 && y >> 1 == -4 && (y & 7) == 1 && (y ^ y) == 0 && (~y | 0) == 6
           assert lowest_by_minus_one: x / -1 == x && x % -1 == 0
           x = 2147483647
           if d != 0 { y = y / d * d }
         }
         property fine: always y in -7..-7",
        &["highest", "wraps", "divides", "lowest_by_minus_one", "fine"],
        &[],
    );
    judged(
        "input d: 0..1
         var y: int = 6
         step { y = 6 / d }
         property six: always y == 6",
        &["six"],
        &["division_by_zero"],
    );
}

#[test]
fn leaving_a_range_ends_the_run() {
    judged(
        "var x: 0..2 = 0
         var y: 0..9 = 0
         step { x = x + 1; y = 9 }
         property never_three: never x == 3
         property nine: reach y == 9
         property after: never y == 9 && prev(x) == 2",
        &["never_three", "nine", "after"],
        &["range(x)"],
    );
    judged("var x: -1..2 = 0\n step { x = x - 1 }", &[], &["range(x)"]);
    judged("var a: (0..1)[2] = 0\n step { a[1] = a[1] + 1 }", &[], &["range(a)"]);
    // No check where none is needed.
    let program = load_model("safe.gcl", "input i: 1..2\nvar x: 0..3 = 0\nstep { x = i; x = x % 3 + 1 }");
    assert!(!program.properties.iter().any(|property| property.name == "range(x)"));
}

#[test]
fn an_index_outside_its_array_ends_the_run() {
    judged(
        "input i: 0..2
         var a: bool[2] = false
         var done: bool = false
         step { done = false; a[i] = true; done = true }
         property p: reach a[1] && done",
        &["p"],
        &["index(a)"],
    );
    // Only where the index is used.
    judged(
        "input i: -1..2
         var a: bool[2] = true
         step { if i >= 0 && i < 2 && a[i] { a[i] = true } assert q: i in 0..1 -> a[i] }
         property all_of_them: always all k in 0..1: a[k]",
        &["q", "index(a)", "all_of_them"],
        &[],
    );
    judged("input i: 0..2\n var x: 0..9 = 0\n const T = [4, 5]\n step { x = T[i] }", &[], &["index(T)"]);
}

#[test]
fn for_runs_over_both_ends_and_not_at_all_if_they_cross() {
    judged(
        "var n: 0..99 = 0
         var seen: (0..9)[4] = 0
         step {
           n = 0
           for i in 1..3 { n = n + i; seen[i] = i }
           for i in 3..1 { n = 99 }
           for i in 2..2 { for j in 0..i { n = n + 10 } }
         }
         property sum: always n == 0 || n == 36
         property cells: always (n == 36 -> seen[0] == 0 && all i in 1..3: seen[i] == i)
         property none: always (all i in 1..0: false) && !(any i in 1..0: true)",
        &["sum", "cells", "none"],
        &[],
    );
}

#[test]
fn inner_names_hide_outer_ones() {
    judged(
        "var i: 0..9 = 7
         var out: 0..9 = 0
         define seven = i == 7
         proc put(i: 0..9) { out = i; for i in 5..5 { out = out + i - 5 } out = i }
         step {
           put(3)
           assert parameter: out == 3 && i == 7
           for i in 1..2 { assert loop: i < 3 && seven; out = i }
           assert bound: (all i in 0..3: i < 4) && i == 7
           out = out
         }
         property outer: always i == 7 && out in 0..2",
        &["parameter", "loop", "bound", "outer"],
        &[],
    );
}

#[test]
fn variables_may_start_anywhere() {
    judged(
        "enum Mode { Off, Slow, Fast }
         var x: 0..3
         var m: Mode
         var b: bool
         var y: int in 5, 7, 5
         var a: bool[2]
         step { x = x }
         property any_x: reach x == 3 && m == Fast && b && y == 7 && a[0] && !a[1]
         property x_in_range: always x <= 3
         property y_listed: always y == 5 || y == 7
         property start_is_judged: never x == 2
         property no_six: never y == 6",
        &["any_x", "x_in_range", "y_listed", "no_six"],
        &["start_is_judged"],
    );
    judged(
        "input press: bool
         var x: 0..3
         var was: 0..3 = 0
         step { was = x; if press { x = 0 } }
         property before: always prev(x) == was
         property start_is_no_step: never once press && x > 0 && prev(x) == 0",
        &["before", "start_is_no_step"],
        &[],
    );
}

#[test]
fn havoc_gives_any_value_of_the_type() {
    judged(
        "enum Mode { Off, On }
         var x: 1..3 = 1
         var m: Mode = Off
         var a: bool[2] = false
         step { havoc x; havoc m; havoc a[1]; assert inside: x >= 1 && x <= 3 }
         property all_of_it: reach x == 3 && m == On && a[1]
         property others_stay: never a[0]",
        &["inside", "all_of_it", "others_stay"],
        &[],
    );
    judged("var a: bool[2] = false\n step { havoc a }\n property p: reach a[0] && !a[1]", &["p"], &[]);
}

#[test]
fn match_takes_the_first_case_that_fits() {
    judged(
        "enum Mode { Off, Slow, Fast }
         input m: Mode
         input n: -5..5
         var x: 0..9 = 0
         var y: 0..9 = 0
         step {
           x = 0
           match m { Off => x = 1; Slow, Fast => x = 2 }
           match n { 0 => y = 0; -5..-1 => y = 1; 1, 2 => y = 2; otherwise => y = 3 }
           match n { 4 => x = 9 }
         }
         property modes: always ((m == Off) == (x == 1)) || n == 4
         property numbers: always (y == (if n == 0 then 0 else if n < 0 then 1 else if n < 3 then 2 else 3))
         property none_fits: reach x == 2 && n == 5",
        &["modes", "numbers", "none_fits"],
        &[],
    );
}

#[test]
fn properties_are_judged_at_the_start_where_they_can_be() {
    judged(
        "input i: bool
         var x: 0..1 = 1
         step { x = 0 }
         property start: never x == 1
         property with_input: never x == 1 && (i || !i)
         property with_past: never x == 1 && once x == 1
         property reached_at_once: reach x == 1",
        &["with_input", "with_past", "reached_at_once"],
        &["start"],
    );
}

#[test]
fn arrays_of_inputs_have_a_past_too() {
    judged(
        "input call: bool[2]
         var lit: bool[2] = false
         step { for i in 0..1 { if call[i] { lit[i] = true } } }
         property only_if: always all i in 0..1: lit[i] -> once call[i]
         property before: reach call[0] && !prev(call[0]) && prev(call[1])
         property nothing_before: never (any i in 0..1: prev(call[i])) && !prev(lit[0]) && !prev(lit[1])",
        &["only_if", "before", "nothing_before"],
        &[],
    );
}

#[test]
fn functions_of_numbers() {
    judged(
        "const N = 3
         input i: -3..3
         input j: -3..3
         var a: (0..3)[N] = [3, 0, 2]
         var f: bool[N] = [true, false, true]
         var small: -3..3 = 0
         var number: 0..N = 0
         step {
           small = min(i, j)
           number = count k in 0..N - 1: f[k] || i == k
           if abs(i) == N { a[abs(j) % N] = max(i, 0, j) }
         }
         property least: always small <= i && small <= j && (small == i || small == j)
         property absolute: always abs(i) >= 0 && (abs(i) == i || abs(i) == -i)
         property of_three: always max(i, j, 0) >= 0 && max(i, j, 0) <= 3 && min(i, j, 0) <= 0
         property none: always (count k in 1..0: true) == 0 && (sum k in 1..0: k) == 0
         property constant: always (sum k in 0..N: k * k) == 14 && abs(-5) == 5 && min(2, 1, 3) == 1
         property counted: always number in 2..3 && (number == 3 <-> i == 1)
         property summed: reach (sum k in 0..N - 1: a[k]) == 9
         property before: never prev(max(i, j)) == 3 && prev(abs(i) + abs(j)) < 3
         property too_much: never (sum k in 0..N - 1: a[k]) > 7",
        &["least", "absolute", "of_three", "none", "constant", "counted", "summed", "before"],
        &["too_much"],
    );
    // Their bounds are known, so that there is nothing to check; an index among them is checked.
    let program = load_model(
        "bounds.gcl",
        "input i: -3..3
         var x: 0..3 = 0
         var y: 0..2 = 0
         step { x = abs(i); x = max(0, min(i, 3)); y = count k in 0..1: i == k }",
    );
    assert!(program.properties.iter().all(|property| property.kind == PropertyKind::Lint), "{:?}", program.properties);
    judged(
        "input i: 0..3\nvar a: bool[3] = false\nstep { assert p: (count k in 0..1: a[i]) == 0 }",
        &["p"],
        &["index(a)"],
    );
}

#[test]
fn types_have_names_and_old_names_may_stay() {
    judged(
        "const TOP = 3
         type Floor = 0..TOP
         type Calls = bool[TOP + 1]
         type Wish = Floor
         enum Door { Open, Closed }
         type Gate = Door
         input to: Wish
         var at: Floor = 0
         var calls: Calls = false
         var gate: Gate = Closed
         var count: Floor = 0
         var min: (Floor)[2] = 3
         proc go(goal: Floor) { if at < goal { at = at + 1 } }
         step { calls[to] = true; go(to); min[1] = min(min[1], at); count = max(count, at) }
         property shaft: always at <= TOP && count <= TOP
         property top: reach at == TOP && calls[TOP] && gate == Closed
         property low: reach min[0] == 3 && min[1] == 1",
        &["shaft", "top", "low"],
        &[],
    );
}
