//! The meaning of single models: the positions of a run, the runs that count, and the demands of fairness.

use redoubt_program::program::Status;

use super::status;
use crate::common::load_model;

/// Each property of a model has the verdict that its author expects.
fn as_expected(text: &str) {
    let program = load_model("model.gcl", text);
    assert!(!program.timed.is_empty());
    for timed in &program.timed {
        assert!(timed.expected.is_some(), "{}", timed.name);
        assert_eq!(status(&program, &timed.name), timed.expected, "{}", timed.name);
    }
}

#[test]
fn the_initial_state_is_a_position_where_nothing_is_said_of_steps() {
    as_expected(
        "input i: bool
         var n: 0..3 = 0
         step { if n < 3 { n = n + 1 } }
         property first: n == 0 && next(n == 1)                                   expect holds
         property later: next(next(next(always n == 3)))                          expect holds
         property of_steps: (n == 1 || n == 1 && i) && next(n == 2)               expect holds
         property looks_back: prev(n) == 0 && next(prev(n) == 1) && next(n == 2)  expect holds
         property until_three: n < 3 until n == 3                                 expect holds
         property too_soon: n < 2 until n == 3                                    expect violated
         property soon: eventually n == 3 within 3                                expect holds
         property sooner: eventually n == 3 within 2                              expect violated
         property now: eventually n == 0 within 0                                 expect holds
         property bounded: n < 3 until n == 3 within 3                            expect holds
         property too_tight: n < 3 until n == 3 within 2                          expect violated
         property nested: eventually (eventually n == 3 within 1)                 expect holds
         property in_steps: i || !i -> n == 3 within 1                            expect violated",
    );
}

#[test]
fn an_open_start_is_a_position_too() {
    as_expected(
        "input i: bool
         var n: 0..2
         step { n = (n + 1) % 3 }
         property some_start: n == 0                         && eventually true  expect violated
         property goes_round: n == 1 -> next(n == 2)                             expect holds
         property after_a_step: eventually (prev(n) == 0 && n == 1) within 2     expect holds
         property too_soon: eventually (prev(n) == 0 && n == 1) within 1         expect violated
         property once_around: infinitely often n == 0                           expect holds",
    );
}

/// A run that ends has nothing to say: it violates nothing, however it ends.
#[test]
fn only_runs_that_never_end_count() {
    as_expected(
        "input up: bool
         var n: 0..3 = 0
         var done: bool = false
         step {
           if n == 2 && done { error stuck }
           if up { n = n + 1 } else { done = true }
         }
         property gets_done: eventually done                 expect holds
         property stays: eventually always done              expect holds
         property leaves_two: always eventually n != 2       expect holds
         property low: always eventually n < 2               expect violated
         property zero: always eventually n == 0             expect violated",
    );
    as_expected(
        "input i: bool
         var x: bool = false
         step { assume !x; x = true }
         property nothing: eventually false expect holds",
    );
}

#[test]
fn fairness_says_which_runs_count() {
    let model = |marks: [&str; 3]| {
        format!(
            "{}input go: bool
             var at: 0..2 = 0
             step {{
               choose {{
                 {}when at == 0 => {{ if go {{ at = 1 }} }}
                 {}when at == 1 => at = 2
                 when at == 1 => at = 0
               }}
             }}
             property starts: eventually at == 1
             property arrives: eventually at == 2",
            marks[0], marks[1], marks[2]
        )
    };
    let found = |marks| {
        let program = load_model("model.gcl", &model(marks));
        ["starts", "arrives"].map(|name| status(&program, name).expect("decided"))
    };
    use Status::{Holds, Violated};
    assert_eq!(found(["", "", ""]), [Violated, Violated]);
    assert_eq!(found(["fair ", "", ""]), [Holds, Violated]);
    assert_eq!(found(["fair ", "", "fair "]), [Holds, Holds]);
    // An alternative that is taken and does nothing was taken.
    assert_eq!(found(["", "fair ", "fair "]), [Violated, Violated]);
}

/// Strong fairness asks for nothing where its condition comes to an end, and each cell of an array is fair.
#[test]
fn conditions_of_fairness() {
    as_expected(
        "fair input on: bool[2]
         var both: bool = false
         var x: bool = false
         var broken: bool = false
         input b: bool
         step { both = on[0] && on[1]; if b { broken = true }; x = !x && !broken && b }
         assume fair !x when both
         assume fair both
         property sees_each: infinitely often on[1]         expect holds
         property again: infinitely often both              expect holds
         property breaks: eventually broken                 expect violated
         property rests: infinitely often !x                expect holds",
    );
}

/// Operators that look back stand below those that look ahead; `all` and `any` above them; `next` may be a name.
#[test]
fn operators_mix() {
    as_expected(
        "const N = 2
         type Id = 0..N - 1
         input ask: bool[Id]
         var wants: bool[Id] = false
         var turn: Id = 0
         var served: bool[Id] = false
         step {
           for p in Id { if ask[p] { wants[p] = true }; served[p] = false }
           if wants[turn] { served[turn] = true; wants[turn] = false }
           turn = (turn + 1) % N
         }
         property all_served: all p in Id: ask[p] ~> served[p]                       expect holds
         property in_time: all p in Id: ask[p] ~> served[p] within 1                 expect holds
         property some_served: any p in Id: infinitely often served[p]               expect violated
         property asked: always (served[0] -> once ask[0]) && (ask[1] ~> served[1])  expect holds
         property not_twice: never served[0] && next(served[0])                      expect holds
         property weak: (always !served[0]) || (!served[0] until (once ask[0]))      expect holds",
    );
    as_expected(
        "define next(x: int) = x + 1
         var n: 0..3 = 0
         step { n = next(n) % 4 }
         property grows: eventually next(n) == 4 expect holds",
    );
}

/// A model with more than one instance, and words of the language that are names.
#[test]
fn modules_say_it_of_each_instance() {
    as_expected(
        "module Cell(ready: bool) {
           fair input go: bool
           var on: bool = false
           step { if go && ready { on = !on } }
           property toggles: infinitely often on expect holds
         }
         input fair: bool
         var often: bool = false
         var EF: bool = true
         step { often = fair || EF }
         instance left: Cell(ready = often)
         property mostly: eventually always often expect holds
         property left_on: infinitely often left.on expect holds",
    );
}
