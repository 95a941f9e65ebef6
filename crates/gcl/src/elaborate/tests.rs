//! Each construct against the same model written out by hand: the result must be the same program, except for the dots
//! in names and the places in the text.

use std::sync::Arc;

use crate::load;
use redoubt_program::program::print::print;
use redoubt_program::text::{SourceFile, Sources};

fn printed(text: &str) -> Vec<String> {
    let sources = Arc::new(Sources::new(vec![SourceFile::new("model.gcl", text)]));
    match load(Arc::clone(&sources)) {
        Ok(program) => {
            let text = print(&program).replace('.', "_");
            text.lines().filter(|line| !line.contains("visited")).map(str::to_string).collect()
        }
        Err(errors) => panic!("{}", errors.render(&sources, false)),
    }
}

#[track_caller]
fn same(rich: &str, plain: &str) {
    let (rich, plain) = (printed(rich), printed(plain));
    assert_eq!(rich, plain, "\n{}\n---\n{}", rich.join("\n"), plain.join("\n"));
}

#[test]
fn a_record_is_a_variable_for_each_field() {
    same(
        "record Cabin { at: 0..3 = 1, open: bool }
         var cab: Cabin
         var two: Cabin[2] = [Cabin(at = 2, open = true), Cabin(open = false)]
         input key: Cabin
         step { cab.at = two[0].at; if key.open { two[1].open = cab.open } }
         property p: always two[1].at == 1 && two.at[0] == 2",
        "var cab_at: 0..3 = 1
         var cab_open: bool
         var two_at: (0..3)[2] = [2, 1]
         var two_open: bool[2] = [true, false]
         input key_at: 0..3
         input key_open: bool
         step { cab_at = two_at[0]; if key_open { two_open[1] = cab_open } }
         property p: always two_at[1] == 1 && two_at[0] == 2",
    );
}

#[test]
fn whole_values_are_looked_at_before_they_are_written() {
    same(
        "record Pair { a: 0..3, b: 0..3 }
         var p: Pair = Pair(1, 2)
         var q: Pair[2] = Pair(0, 0)
         var i: 0..1 = 0
         step { q[i] = p; p = Pair(b = p.a, a = p.b) }
         property e: always q[0] == p && q[0] != q[1] && prev(p) == p",
        "var p_a: 0..3 = 1
         var p_b: 0..3 = 2
         var q_a: (0..3)[2] = 0
         var q_b: (0..3)[2] = 0
         var i: 0..1 = 0
         step {
           { let x = i; let y = p_a; let z = p_b; q_a[x] = y; q_b[x] = z }
           { let x = p_b; let y = p_a; p_a = x; p_b = y }
         }
         property e: always (q_a[0] == p_a && q_b[0] == p_b)
           && !(q_a[0] == q_a[1] && q_b[0] == q_b[1]) && (prev(p_a) == p_a && prev(p_b) == p_b)",
    );
}

#[test]
fn whole_arrays_are_assigned_cell_by_cell() {
    same(
        "var a: bool[2] = false
         var m: (0..3)[2][2] = [[0, 1], [2, 3]]
         step { a = true; a = [a[1], false]; m[1] = m[0]; havoc m[0] }
         property p: always a == [true, false] && m[0] == [0, 1]",
        "var a: bool[2] = false
         var m: (0..3)[2][2] = [[0, 1], [2, 3]]
         step { { a[0] = true; a[1] = true } { let x = a[1]; a[0] = x; a[1] = false } { let x = m[0][0]; let y = m[0][1]; m[1][0] = x; m[1][1] = y } { havoc m[0][0]; havoc m[0][1] } }
         property p: always (a[0] == true && a[1] == false) && (m[0][0] == 0 && m[0][1] == 1)",
    );
}

const LIFT: &str = "
    module Lift(call: 0..3, var wanted: bool[4]) {
      const SPEED = 1
      var at: 0..3 = 0
      define here = wanted[at]
      proc go(by: 0..1) { if at < call { at = at + by } }
      step { if here { wanted[at] = false } else { go(SPEED) } }
      property stays: always at <= 3
      expect range(at) holds
    }";

#[test]
fn an_instance_is_the_items_of_its_module() {
    same(
        &format!(
            "{LIFT}
             input call: 0..3
             var wanted: bool[4] = false
             step {{ wanted[call] = true }}
             instance left: Lift(call, wanted = wanted)
             property p: never left.at == 3 && left.here"
        ),
        "input call: 0..3
         var wanted: bool[4] = false
         var left_at: 0..3 = 0
         const left_SPEED = 1
         define left_call = call
         define left_here = wanted[left_at]
         proc left_go(by: 0..1) { if left_at < left_call { left_at = left_at + by } }
         step {
           wanted[call] = true
           if left_here { wanted[left_at] = false } else { left_go(left_SPEED) }
         }
         property left_stays: always left_at <= 3
         property p: never left_at == 3 && left_here
         expect range(left_at) holds",
    );
}

/// Bindings of a module do not affect names of the model.
#[test]
fn nothing_is_captured() {
    same(
        "module Mark(var marks: bool[2], n: 0..1) {
           proc set(f: 0..1) { marks[f] = true }
           step { for f in 0..1 { marks[f] = n == f }; let n = true; marks[0] = n; set(1) }
           property p: always any f in 0..1: marks[f]
         }
         var f: bool[2] = false
         var x: 0..1 = 0
         instance m: Mark(marks = f, n = x)",
        "var f: bool[2] = false
         var x: 0..1 = 0
         define m_n = x
         proc m_set(g: 0..1) { f[g] = true }
         step { for g in 0..1 { f[g] = m_n == g }; let n = true; f[0] = n; m_set(1) }
         property m_p: always any g in 0..1: f[g]",
    );
}

#[test]
fn instances_in_an_array_store_arrays() {
    let rich = printed(&format!(
        "{LIFT}
         input call: 0..3
         var wanted: bool[4] = false
         instance lift[i in 0..1]: Lift(call = if i == 0 then call else 3, wanted = wanted)
         step {{ wanted[call] = true; for i in 0..1 {{ if lift[i].here {{ lift[i].go(0) }} }} }}
         property p: never any i in 0..1: lift[i].at == 3 && lift[i].here
         property q: always lift.at == [0, 0]"
    ));
    let plain = printed(
        "input call: 0..3
         var wanted: bool[4] = false
         var lift_at: (0..3)[2] = [0, 0]
         define call0 = if 0 == 0 then call else 3
         define call1 = if 1 == 0 then call else 3
         define here0 = wanted[lift_at[0]]
         define here1 = wanted[lift_at[1]]
         proc go0(by: 0..1) { if lift_at[0] < call0 { lift_at[0] = lift_at[0] + by } }
         proc go1(by: 0..1) { if lift_at[1] < call1 { lift_at[1] = lift_at[1] + by } }
         step {
           if here0 { wanted[lift_at[0]] = false } else { go0(1) }
           if here1 { wanted[lift_at[1]] = false } else { go1(1) }
           wanted[call] = true
           if here0 { go0(0) }
           if here1 { go1(0) }
         }
         property stays0: always lift_at[0] <= 3
         property stays1: always lift_at[1] <= 3
         property p: never (lift_at[0] == 3 && here0) || (lift_at[1] == 3 && here1)
         property q: always lift_at[0] == 0 && lift_at[1] == 0
         expect range(lift_at) holds",
    );
    let renamed: Vec<String> =
        rich.iter().map(|line| line.replace("lift[0]_stays", "stays0").replace("lift[1]_stays", "stays1")).collect();
    assert_eq!(renamed, plain, "\n{}\n---\n{}", renamed.join("\n"), plain.join("\n"));
}

#[test]
fn functions_take_records_and_modules_nest() {
    same(
        "record Point { x: 0..3, y: 0..3 }
         define far(p: Point, by: 0..3) = p.x + p.y > by
         module Inner(on: bool) { var n: 0..3 = 0; step { if on && n < 3 { n = n + 1 } } }
         module Outer(on: bool) {
           var p: Point = Point(0, 0)
           instance one: Inner(on = on && p.x == 0)
           step { let q = Point(p.y, one.n); p = if far(p, 2) then q else p }
         }
         input on: bool
         instance box: Outer(on)
         property deep: reach box.one.n == 3",
        "input on: bool
         var box_p_x: 0..3 = 0
         var box_p_y: 0..3 = 0
         var box_one_n: 0..3 = 0
         define far(p_x: 0..3, p_y: 0..3, by: 0..3) = p_x + p_y > by
         define box_on = on
         define box_one_on = box_on && box_p_x == 0
         step {
           if box_one_on && box_one_n < 3 { box_one_n = box_one_n + 1 }
           let q_x = box_p_y
           let q_y = box_one_n
           {
             let x = if far(box_p_x, box_p_y, 2) then q_x else box_p_x
             let y = if far(box_p_x, box_p_y, 2) then q_y else box_p_y
             box_p_x = x
             box_p_y = y
           }
         }
         property deep: reach box_one_n == 3",
    );
}
