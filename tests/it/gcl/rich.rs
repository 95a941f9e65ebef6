//! Names for values, functions, ordered enumerations, arrays of arrays, records and modules: their meaning. How they
//! are written out is tested beside that code, against the same models by hand.

use std::collections::BTreeMap;

use redoubt_languages::{self as languages, Setting};
use redoubt_program::program::{PropertyKind, print};
use redoubt_program::text::SourceFile;

use super::meaning::judged;
use crate::common::generate::model::{NAMES, model, rich_model, written_out};
use crate::common::seeds::seeds;
use crate::common::{explore, load_model};

#[test]
fn let_names_the_value_of_this_moment() {
    judged(
        "input i: 0..3
         var x: 0..9 = 1
         var y: 0..9 = 0
         step {
           let old = x
           x = i
           let sum = old + x
           { let old = 7; y = old }
           assert hidden_only_inside: y == 7 && old == prev(x)
           y = sum
           for k in 0..1 { let twice = 2 * k; assert small: twice <= 2 }
         }
         property added: always prev(x) + x == y || y == 0
         property five: reach y == 5",
        &["hidden_only_inside", "small", "added", "five"],
        &[],
    );
    // No state is spent on it.
    let program = load_model("let.gcl", "input i: 0..3\nvar x: 0..3 = 0\nstep { let a = i; let b = a; x = b }");
    let kept = program.variables.iter().filter(|variable| variable.scope == redoubt_program::program::Scope::Global);
    assert_eq!(kept.count(), 1);
}

#[test]
fn functions_look_back_at_their_arguments() {
    judged(
        "input a: bool
         input b: bool
         var n: 0..3 = 0
         define rising(x: bool) = x && !prev(x)
         define near(p: 0..3, q: 0..3) = abs(p - q) <= 1
         define held(x: bool) = x since rising(x)
         step {
           if rising(a) && n < 3 { n = n + 1 }
           assert same: rising(a) <-> (a && !prev(a))
           assert other: rising(b) <-> (b && !prev(b))
           assert both: rising(a && b) <-> (a && b && !prev(a && b))
         }
         property near_itself: always near(n, prev(n)) && near(prev(n), n)
         property nested: always (near(n, 0) <-> n <= 1)
         property once_up: always (n > 0 -> once rising(a))
         property of_what: never n > 0 && !once rising(b)
         property is_held: always (held(a) -> a)",
        &["same", "other", "both", "near_itself", "nested", "once_up", "is_held"],
        &["of_what"],
    );
    // Arguments are evaluated first, and must fit.
    judged(
        "input i: 0..5
         var x: bool = false
         define small(p: 0..3) = true
         step { x = small(i) }",
        &[],
        &["range(p)"],
    );
}

#[test]
fn enumerations_have_an_order() {
    judged(
        "enum Phase { Idle, Wash, Spin, Done }
         input go: bool
         var at: Phase = Idle
         var seen: bool[Phase] = false
         step {
           if go { at = succ(at) }
           seen[at] = true
           match at { Wash..Spin => assert busy: at > Idle && at < Done; otherwise => { } }
           for p in Phase { if p > at && !prev(seen[p]) { assert not_yet: !seen[p] } }
         }
         property around: reach at == Idle && prev(at) == Done
         property back: always pred(succ(at)) == at && succ(pred(at)) == at
         property wet: always (at in Wash..Spin <-> at == Wash || at == Spin)
         property all_seen: reach all p in Phase: seen[p]
         property least: never at < Idle || at > Done
         property two: reach (count p in Phase: seen[p]) == 2
         property skips: never prev(at) == Wash && at == Done",
        &["busy", "not_yet", "around", "back", "wet", "all_seen", "least", "two", "skips"],
        &[],
    );
}

#[test]
fn every_index_of_an_array_of_arrays_is_checked() {
    judged(
        "input i: 0..2
         input j: 0..2
         var m: (0..9)[2][3] = [[0, 1, 2], [3, 4, 5]]
         const T = [[1, 2], [3, 4]]
         step { assert value: i < 2 -> m[i][j] == 3 * i + j; m[1][j] = m[1][j]; if i < 2 && j < 2 { assert table: T[i][j] == 2 * i + j + 1 } }
         property rows: always m[0] == [0, 1, 2] && m[1] != m[0]",
        &["value", "rows", "index(m)", "index(T)", "table"],
        &[],
    );
    // `m[0][3]` is no cell, even though there is one behind it.
    judged(
        "input j: 0..3
         var m: (0..9)[2][3] = 0
         var x: 0..9 = 0
         step { x = m[0][j] }",
        &[],
        &["index(m)"],
    );
}

#[test]
fn records_and_arrays_are_compared_and_assigned_as_a_whole() {
    judged(
        "enum Door { Shut, Open }
         record Cab { at: 0..3 = 0, door: Door = Shut }
         input i: 0..1
         var cab: Cab[2] = [Cab(at = 1), Cab(door = Open)]
         var spare: Cab
         define is_open(c: Cab) = c.door == Open
         proc put(c: Cab) { spare = c }
         step {
           let old = cab[i]
           cab[i] = cab[1 - i]
           cab[1 - i] = old
           put(cab[0])
           assert kept: spare == cab[0] && spare == Cab(cab[0].at, cab[0].door)
           assert one_open: is_open(cab[0]) != is_open(cab[1])
           assert swapped: cab[0] == prev(cab[1]) && cab[1] == prev(cab[0])
         }
         property starts: never cab == [Cab(1, Shut), Cab(0, Open)]
         property other: reach cab == [Cab(0, Open), Cab(1, Shut)]",
        &["kept", "one_open", "swapped", "other"],
        &["starts"],
    );
}

/// The step of a model and those of its instances run as they stand in the text.
#[test]
fn instances_run_in_the_order_of_the_text() {
    let model = |before: &str, after: &str| {
        format!(
            "module Copy(from: 0..3) {{ var to: 0..3 = 0; step {{ to = from }} }}
             input i: 0..3
             var x: 0..3 = 0
             {before}
             instance a: Copy(x)
             instance b: Copy(a.to)
             {after}
             property at_once: always a.to == x
             property chained: always b.to == a.to
             property late: always a.to == prev(x) || a.to == 0"
        )
    };
    judged(&model("step { x = i }", ""), &["at_once", "chained"], &["late"]);
    judged(&model("", "step { x = i }"), &["chained", "late"], &["at_once"]);
}

#[test]
fn properties_of_modules_are_judged_for_each_instance() {
    judged(
        "module Counter(up: bool, most: 1..9) {
           input reset: bool
           var n: 0..9 = 0
           step { if reset { n = 0 } else if up && n < most { n = n + 1 }; assert grows: n <= prev(n) + 1 }
           property small: always n <= 2
           property full: reach n == most
         }
         input up: bool
         instance a: Counter(up, most = 2)
         instance b[i in 0..1]: Counter(up = up || i == 1, most = 2 + i)
         assume always !b[0].reset
         property together: always a.n <= b[0].n
         property sum: never (sum i in 0..1: b[i].n) > 4",
        &["a.small", "a.full", "b[0].small", "b[0].full", "b[1].full", "a.grows", "together"],
        &["b[1].small", "sum"],
    );
}

#[test]
fn parameters_of_modules_must_fit() {
    judged(
        "module Show(n: 0..3) { var last: 0..3 = 0; step { last = n } }
         input i: 0..4
         var ended: bool = false
         instance a: Show(i)
         property p: never a.last == 3 && i == 4",
        &["p"],
        &["range(a.n)"],
    );
}

/// Random models with records, functions, modules and all else mean the same as when they are written out by hand.
#[test]
fn random_models_mean_the_same_when_written_out() {
    const MOST_COMBINATIONS: u64 = 600;
    let (mut compared, mut runs) = (0, 0);
    for seed in seeds(60) {
        let reached = |text: &str| {
            let program = load_model("model.gcl", text);
            if program.inputs.iter().map(|input| input.alphabet.size()).product::<u64>() > MOST_COMBINATIONS {
                return None;
            }
            let found = explore::explore(&program, 400)?;
            let reached = found.reached.iter().filter(|(name, _)| !name.starts_with("visited"));
            let name = |name: &String| {
                let other = NAMES.iter().find(|(other, _)| other == name);
                other.map_or(name.clone(), |(_, rich)| rich.to_string())
            };
            let steps = |run: &Vec<i32>| run.len() / program.inputs.len();
            Some(reached.map(|(property, run)| (name(property), steps(run))).collect::<BTreeMap<_, _>>())
        };
        let (rich, plain) = (rich_model(seed), written_out(seed));
        let (of_rich, of_plain) = (reached(&rich), reached(&plain));
        assert_eq!(of_rich, of_plain, "seed {seed}\n{rich}\n---\n{plain}");
        compared += usize::from(of_rich.is_some());
        runs += of_rich.map_or(0, |reached| reached.len());
    }
    println!("{compared} models, {runs} runs");
    assert!(compared > 15 && runs > 50, "{compared} models are small enough, {runs} runs");
}

/// A whole random model in a module is the same model: the same properties are reached, in as many steps.
#[test]
fn a_model_in_a_module_stays_the_same() {
    let mut compared = 0;
    for seed in seeds(60) {
        let text = model(seed);
        let inside = text.replace(
            "input press: bool\ninput level: Level\n",
            "input press: bool; input level: Level; module Box(press: bool, level: Level) {\n\n",
        );
        assert_ne!(text, inside);
        let inside = format!("{inside}}}\ninstance box: Box(press, level)");
        let reached = |text: &str| {
            let found = explore::explore(&load_model("model.gcl", text), 250)?;
            let reached = found.reached.iter().filter(|(name, _)| !name.starts_with("visited"));
            let reached = reached.map(|(name, run)| (name.replace("box.", ""), run.len()));
            Some((found.states, reached.collect::<BTreeMap<String, usize>>()))
        };
        let (outside, inside) = (reached(&text), reached(&inside));
        assert_eq!(inside, outside, "seed {seed}\n{text}");
        compared += usize::from(outside.is_some());
    }
    assert!(compared > 10, "{compared} models are small enough");
}

#[test]
fn automatic_properties_can_be_expected() {
    let program = load_model(
        "expected.gcl",
        "input up: bool
         var n: 0..3 = 0
         step { if up { n = n + 1 } if n == 2 { error two } assert low: n < 9 }
         expect range(n) violated
         expect two violated
         expect low holds",
    );
    for property in program.properties.iter().filter(|property| property.kind != PropertyKind::Lint) {
        assert!(property.expected.is_some(), "{}", property.name);
    }
}

#[test]
fn names_may_have_any_letters_and_old_names_stay() {
    judged(
        "\u{feff}system Türen
         var größe: 0..3 = 0
         var let: 0..3 = 0
         var record: 0..3 = 0
         var module: 0..3 = 0
         var instance: 0..3 = 0
         var import: 0..3 = 0
         proc лифт(на: 0..3) { größe = на }
         step { лифт(let); let = record
           record = module; module = instance; instance = import; import = 1 }
         property 到達: reach größe == 1",
        &["到達"],
        &[],
    );
}

#[test]
fn constants_can_be_set_from_outside() {
    let text = "enum Mode { Slow, Fast }
                const N = 2
                const TWICE = 2 * N
                const MODE = Slow
                const OPEN = true
                const LIST = [1, 2]
                var x: 0..TWICE = 0
                var o: bool = OPEN
                step { x = (x + (if MODE == Fast then 2 else 1)) % (TWICE + 1) }
                property top: reach x == TWICE";
    let read = |set: &[(&str, &str)]| {
        let set: Vec<Setting> =
            set.iter().map(|(name, value)| Setting { name: name.to_string(), value: value.to_string() }).collect();
        let files = vec![SourceFile::new("set.gcl", text)];
        languages::parse_within(files, &set, &redoubt_base::Limits::default()).expect("a good model")
    };
    let tops = |set: &[(&str, &str)]| read(set).variables[0].domain.clone();
    assert_eq!(tops(&[]), tops(&[("N", "2")]));
    assert_eq!(tops(&[("N", "5")]), Some(redoubt_program::program::Domain::Range(0, 10)));
    assert_ne!(print::print(&read(&[("MODE", "Fast")])), print::print(&read(&[])));
    assert_eq!(read(&[("OPEN", "false")]).variables[1].initial, 0);
}
