//! `never deadlock`, compared with a search that tries all inputs in every state.

use std::collections::HashSet;

use redoubt_base::{Limits, Random};
use redoubt_engine::engine::Engine;
use redoubt_program::program::{Program, Status};
use redoubt_program::simulate::{End, Simulator};

use super::{searched, statuses};
use crate::common::load_model;
use crate::common::seeds::seeds;

/// All combinations of inputs.
fn combinations(program: &Program) -> Vec<Vec<i32>> {
    program.inputs.iter().fold(vec![vec![]], |all, input| {
        all.iter().flat_map(|some| input.alphabet.iter().map(|value| [&some[..], &[value]].concat())).collect()
    })
}

/// Whether some state that can be reached has no step.
fn has_deadlock(program: &Program) -> bool {
    let inputs = combinations(program);
    let mut simulator = Simulator::new(program);
    if simulator.end().is_some() {
        return false;
    }
    let mut pending = vec![simulator.state().clone()];
    let mut seen: HashSet<_> = pending.iter().cloned().collect();
    while let Some(state) = pending.pop() {
        let mut has_step = false;
        for inputs in &inputs {
            simulator.restore(state.clone());
            let step = simulator.step(inputs);
            if matches!(step.end, Some(End::Blocked(_))) {
                continue;
            }
            has_step = true;
            if step.end.is_none() && seen.insert(simulator.state().clone()) {
                pending.push(simulator.state().clone());
            }
        }
        if !has_step {
            return true;
        }
    }
    false
}

/// A model with assumptions at every place where one may stand.
fn model(seed: u64) -> String {
    let random = &mut Random::new(seed);
    let pick = |random: &mut Random, list: &[&str]| list[random.below(list.len())].to_string();
    let condition = |random: &mut Random| {
        let left = pick(random, &["a", "b", "i", "c[b]", "a + i", "prev(a)", "c[0]"]);
        let sign = pick(random, &["<", "!=", "==", ">=", "<="]);
        let number = random.below(4);
        let other = pick(random, &["on", "b > a", "true", "i == 1", "c[1] != a"]);
        format!("{left} {sign} {number} || ({other} && i < {number})")
    };
    let mut text = String::from("system Stuck\ninput i: 0..2\ninput on: bool\n");
    text += pick(random, &["var a: 0..3 = 0\n", "var a: 0..3\n", "var a: 0..3 in 1, 2\n"]).as_str();
    text += "var b: 0..1 = 0\nvar c: (0..3)[2] = [1, 2]\n";
    for _ in 0..random.below(3) {
        text += &format!("assume always {}\n", condition(random).replace("c[b]", "c[1]"));
    }
    text += "step {\n";
    for _ in 0..3 + random.below(4) {
        let guard = condition(random);
        text += &match random.below(7) {
            0 => format!("  if {guard} {{ a = (a + 1) % 4 }} else {{ b = 1 - b }}\n"),
            1 => format!("  assume {guard}\n"),
            2 => format!("  c[b] = (a + i) % 4\n  if {guard} {{ assume a != {} }}\n", random.below(4)),
            3 => format!(
                "  choose {{\n    when {guard} => a = {}\n    when on => assume c[0] < 3\n  }}\n",
                random.below(4)
            ),
            4 => "  havoc b\n".into(),
            5 => format!("  if on && {guard} {{ error stopped }}\n"),
            _ => format!("  a = if {guard} then {} else a\n", random.below(4)),
        };
    }
    text + "}\nproperty moves: never deadlock\nproperty a_is_three: reach a == 3\n"
}

#[test]
fn deadlocks_are_those_that_a_search_finds() {
    let (mut stuck, mut free) = (0, 0);
    for seed in seeds(120) {
        let program = load_model(&format!("model {seed}"), &model(seed));
        if combinations(&program).len() > 500 {
            continue;
        }
        let expected = if has_deadlock(&program) { Status::Violated } else { Status::Holds };
        let found = [statuses(&program, Engine::Ic3, Limits::default()), searched(&program)];
        for found in found {
            assert_eq!(found["moves"], Some(expected), "seed {seed}\n{}", model(seed));
        }
        *if expected == Status::Violated { &mut stuck } else { &mut free } += 1;
    }
    println!("{stuck} models have a deadlock, {free} have none");
    assert!(stuck >= 10 && free >= 10, "{stuck} models have a deadlock, {free} have none");
}

#[test]
fn a_deadlock_is_a_property_only_on_request() {
    let text = "input i: 0..3\nvar n: 0..3 = 0\nassume always i > n\nstep { n = i }\n";
    let names = |text: &str| -> Vec<String> {
        let program = load_model("model.gcl", text);
        program.questions().into_iter().map(|id| program.property(id).name.clone()).collect()
    };
    assert!(names(text).is_empty());
    assert_eq!(names(&format!("{text}property moves: never deadlock\n")), ["moves"]);
    // A declared name means what it declares.
    let named = format!("{text}var deadlock: bool = false\nproperty moves: never deadlock\n");
    let program = load_model("model.gcl", &named);
    assert_eq!(searched(&program)["moves"], Some(Status::Holds));
    let program = load_model("model.gcl", &format!("{text}property moves: never deadlock expect violated\n"));
    assert_eq!(searched(&program)["moves"], Some(Status::Violated));
}

#[test]
fn what_cannot_be_told_is_refused() {
    let said = |text: &str| {
        let error = redoubt::parse("model.gcl", text).expect_err("refused");
        error.diagnostics.render(&error.sources, false)
    };
    let wide = "input i: int\nvar n: 0..3 = 0\nassume always i > n\nstep { n = min(max(i, 0), 3) }\n";
    assert!(said(&format!("{wide}property moves: never deadlock\n")).contains("`i`, which has very many values"));
    let narrow = wide.replace("i: int", "i: 0..3");
    assert!(said(&format!("{narrow}property moves: reach deadlock\n")).contains("expected `never deadlock`"));
}
