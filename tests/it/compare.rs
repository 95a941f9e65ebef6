//! Whether two programs, models or circuits behave alike: against exhaustive search of both, side by side.

use std::collections::{BTreeSet, HashSet, VecDeque};
use std::time::Duration;

use redoubt::{EncodeOptions, Format, ModelOptions};
use redoubt_base::{Interrupt, Limits, Random};
use redoubt_bits::blast::Width;
use redoubt_bits::system::passes::Passes;
use redoubt_circuit::aiger::Model;
use redoubt_circuit::{Circuit, Reset, Signal, Simulator as Bits};
use redoubt_compare::{self as compare, Likeness, Mismatch, Scene, Wanted, circuits};
use redoubt_driver::check::{self, Means};
use redoubt_engine::engine::Trace;
use redoubt_program::program::{Program, PropertyKind, Scope};
use redoubt_program::simulate::{End, Simulator, State, Step};
use redoubt_witness::Run;

use crate::agreement::random::{self, Random as RandomCircuit};
use crate::common::command::{redoubt_in, run, stderr, stdout};
use crate::common::generate::{self, model};
use crate::common::scratch::Scratch;
use crate::common::seeds::seeds;
use crate::common::{in_project, load_model, load_text, problems};

/// More pairs of states are not visited by the search that knows the truth.
const MOST_PAIRS: usize = 3_000;

fn options(seconds: u64) -> check::CheckOptions {
    let limits = Limits { interrupt: Interrupt::after(Duration::from_secs(seconds)), ..Limits::default() };
    check::CheckOptions { limits, ..check::CheckOptions::default() }
}

fn compared(old: &Program, new: &Program, means: Means) -> Likeness<Run> {
    compared_for(old, new, means, 20)
}

fn compared_for(old: &Program, new: &Program, means: Means, seconds: u64) -> Likeness<Run> {
    let matching = compare::matching(old, new, &Wanted::default()).expect("these belong together");
    compare::decide(old, new, &matching, means, &options(seconds)).expect("it is small").verdict
}

/// The visible behaviour of a step, by means of nothing but the simulator.
type Sight = (String, BTreeSet<String>, String, Option<Vec<(String, Vec<i32>)>>);

fn sight(program: &Program, step: &Step, simulator: &Simulator, goes_on: bool) -> Sight {
    let name = |property| program.property(property).name.clone();
    let reached = step.reached.iter().map(|(property, _)| *property);
    let reached = reached.filter(|&property| program.property(property).kind != PropertyKind::Lint).map(name).collect();
    let end = match step.end {
        None => String::new(),
        Some(End::Error(property, _)) => name(property),
        Some(End::Halt(code)) => code.to_string(),
        Some(End::Blocked(_)) => "blocked".into(),
    };
    let values = program.legend.as_ref().filter(|_| goes_on).map(|legend| {
        let variables = program
            .variables
            .iter()
            .enumerate()
            .filter(|(index, variable)| variable.scope == Scope::Global && legend.variables[*index].is_some());
        let variables =
            variables.map(|(index, variable)| (variable.name.clone(), vec![simulator.state().variables[index]]));
        let tables =
            program.tables.iter().enumerate().filter(|(index, table)| table.written && legend.tables[*index].is_some());
        let cells = |index| simulator.cells(redoubt_program::expr::TableId::new(index)).to_vec();
        variables.chain(tables.map(|(index, table)| (table.name.clone(), cells(index)))).collect()
    });
    let printed = if program.legend.is_some() { String::new() } else { step.output.clone() };
    (printed, reached, end, values)
}

fn differ(old: &Program, new: &Program, one: &Simulator, other: &Simulator, steps: (&Step, &Step)) -> bool {
    let is_blocked = |step: &Step| matches!(step.end, Some(End::Blocked(_)));
    if is_blocked(steps.0) && is_blocked(steps.1) {
        return false;
    }
    let go_on = steps.0.end.is_none() && steps.1.end.is_none();
    sight(old, steps.0, one, go_on) != sight(new, steps.1, other, go_on)
}

/// After how many steps two programs with the same inputs differ first, if they ever do; nothing if that is not found out.
fn truth(old: &Program, new: &Program) -> Option<Option<usize>> {
    let normal = |program: &Program, mut state: State| {
        for (value, variable) in state.variables.iter_mut().zip(&program.variables) {
            if variable.scope == Scope::Local {
                *value = variable.initial;
            }
        }
        state
    };
    let mut inputs: Vec<Vec<i32>> = vec![vec![]];
    for input in &old.inputs {
        let longer = |list: &Vec<i32>| {
            input.alphabet.iter().map(|value| [list.as_slice(), &[value]].concat()).collect::<Vec<_>>()
        };
        if input.alphabet.size() * inputs.len() as u64 > 64 {
            return None;
        }
        inputs = inputs.iter().flat_map(longer).collect();
    }
    let (mut one, mut other) = (Simulator::new(old), Simulator::new(new));
    let opening = (one.opening().clone(), other.opening().clone());
    if differ(old, new, &one, &other, (&opening.0, &opening.1)) {
        return Some(Some(0));
    }
    if opening.0.end.is_some() || opening.1.end.is_some() {
        return Some(None);
    }
    let first = (normal(old, one.state().clone()), normal(new, other.state().clone()));
    let mut seen = HashSet::from([first.clone()]);
    let mut pending = VecDeque::from([(first, 0)]);
    while let Some(((mine, theirs), depth)) = pending.pop_front() {
        for inputs in &inputs {
            one.restore(mine.clone());
            other.restore(theirs.clone());
            let steps = (one.step(inputs), other.step(inputs));
            if differ(old, new, &one, &other, (&steps.0, &steps.1)) {
                return Some(Some(depth + 1));
            }
            if steps.0.end.is_none() && steps.1.end.is_none() {
                let next = (normal(old, one.state().clone()), normal(new, other.state().clone()));
                if seen.insert(next.clone()) {
                    pending.push_back((next, depth + 1));
                }
            }
        }
        if seen.len() > MOST_PAIRS {
            return None;
        }
    }
    Some(None)
}

/// A text with one number or operator replaced by another one.
pub fn changed(text: &str, random: &mut Random) -> String {
    const GROUPS: [&[&str]; 4] = [&["<", "<=", ">", ">="], &["==", "!="], &["&&", "||"], &["+", "-"]];
    let bytes = text.as_bytes();
    let is_word = |at: usize| bytes.get(at).is_some_and(|byte| byte.is_ascii_alphanumeric() || *byte == b'_');
    let is_sign = |at: usize| bytes.get(at).is_some_and(|byte| b"<>=!&|+-".contains(byte));
    let mut places: Vec<(usize, usize, &[&str])> = vec![];
    let mut at = 0;
    while at < bytes.len() {
        let start = at;
        while is_word(at) {
            at += 1;
        }
        if at > start {
            if text[start..at].bytes().all(|byte| byte.is_ascii_digit()) {
                places.push((start, at, &["0", "1", "2", "3", "4", "5", "7", "9"]));
            }
            continue;
        }
        while is_sign(at) {
            at += 1;
        }
        if let Some(group) = GROUPS.iter().find(|group| group.contains(&&text[start..at])) {
            places.push((start, at, group));
        }
        at = at.max(start + 1);
        while !text.is_char_boundary(at) {
            at += 1;
        }
    }
    let (start, end, group) = places[random.below(places.len())];
    format!("{}{}{}", &text[..start], group[random.below(group.len())], &text[end..])
}

/// The numbers of programs that were equal, different, and undecided.
#[derive(Debug, Default, PartialEq, Eq)]
struct Tally {
    equal: usize,
    different: usize,
    open: usize,
}

/// Compares a program of each seed with a mutant of it.
fn mutants(seeds: std::ops::Range<u64>, tally: &mut Tally) {
    for seed in seeds {
        let is_model = seed % 2 == 1;
        let small = generate::Shape { partial: true, bounded: true, variables: 3, tables: 1, helpers: 1, rules: 2 };
        let text = if is_model { model::model(seed) } else { generate::program(seed, small) };
        let name = if is_model { "model.gcl" } else { "program.c" };
        let load = if is_model { load_model } else { load_text };
        let random = &mut Random::new(seed);
        let mutant = changed(&text, random);
        judge(&load(name, &text), name, &mutant, seed, tally);
    }
}

/// Compares a program with a mutant of it, if that can be read, and takes the same inputs.
fn judge(old: &Program, name: &str, mutant: &str, seed: u64, tally: &mut Tally) {
    let Ok(new) = redoubt::parse(name, mutant) else { return };
    if old.inputs != new.inputs {
        return;
    }
    let Some(expected) = truth(old, &new) else { return };
    match (compared_for(old, &new, Means::Together, 5), expected) {
        (Likeness::Equal { .. }, None) => tally.equal += 1,
        (Likeness::Different { run, is_shortest }, Some(steps)) => {
            assert!(
                run.len() >= steps && (!is_shortest || run.len() == steps),
                "{name}, seed {seed}: {run:?}, {steps}"
            );
            tally.different += 1;
        }
        (Likeness::Unknown(why), expected) => {
            println!("{name}, seed {seed}: {why}; {expected:?}");
            tally.open += 1;
        }
        (verdict, expected) => panic!("{name}, seed {seed}: {verdict:?}, but {expected:?}\n{mutant}"),
    }
}

/// Small problems of the project against mutants of each; `REDOUBT_PROGRAMS=200` tries as many.
#[test]
fn mutants_of_problems_are_told_from_them_as_exhaustive_search_does() {
    let problems = ["gcl/traffic_light.gcl", "gcl/railway_crossing.gcl", "rers/lock2012.c", "rers/pump2016.c"];
    let mut tally = Tally::default();
    for problem in problems {
        let text = std::fs::read_to_string(in_project("problems").join(problem)).expect("a problem");
        let old = if problem.ends_with(".c") { load_text(problem, &text) } else { load_model(problem, &text) };
        for seed in seeds(4) {
            judge(&old, problem, &changed(&text, &mut Random::new(seed)), seed, &mut tally);
        }
        println!("up to {problem}: {tally:?}");
    }
    assert!(tally.equal + tally.different >= 8 && tally.open * 10 <= tally.equal + tally.different, "{tally:?}");
}

#[test]
fn mutants_are_told_from_programs_as_exhaustive_search_does() {
    let mut tally = Tally::default();
    mutants(seeds(16), &mut tally);
    println!("{tally:?}");
    assert!(tally.equal >= 3 && tally.different >= 2 && tally.open <= 6, "{tally:?}");
}

#[test]
#[ignore = "takes some minutes"]
fn many_mutants_are_told_from_programs_as_exhaustive_search_does() {
    let mut tally = Tally::default();
    mutants(1_000..1_600, &mut tally);
    println!("{tally:?}");
    assert!(tally.equal + tally.different >= 200 && tally.open * 10 <= tally.equal, "{tally:?}");
}

#[test]
fn problems_are_equal_to_themselves() {
    let models = ["thermostat", "traffic_light", "railway_crossing", "elevator", "airlock"];
    let models = models.map(|name| in_project(&format!("problems/gcl/{name}.gcl")));
    let models = models.iter().map(|path| load_model("model.gcl", &std::fs::read_to_string(path).expect("a model")));
    let small = problems::own().into_iter().filter(|problem| problem.name() != "counters2015.c");
    for program in small.map(|problem| problem.load()).chain(models) {
        let verdict = compared(&program, &program, Means::Together);
        assert!(matches!(verdict, Likeness::Equal { is_confirmed: true }), "{}: {verdict:?}", program.name);
    }
}

/// Products and remainders of 32 bits are hard for a solver, which is not needed where both programs compute the same.
#[test]
fn what_computes_alike_needs_no_engine() {
    let text = "#include <stdio.h>\nint inputs[] = {1, 2};\nint x = 3;\nint y = 5;
void second(int input, int by) {
    if (input == 2 && x > 70) { x = (x * by) % 1009 - 17; printf(\"%d\\n\", 21); return; }
    x = (x * x + y) % 997;
}
void calculate_output(int input) {
    if (input == 1) { y = (y * 31 + x) % 10007; printf(\"%d\\n\", 20); }
    second(input, y);
    if (x == 996 && y == 996) { error_1: ; }
}
int main() { while (1) { int input; scanf(\"%d\", &input); calculate_output(input); } }
";
    let decided = |old: &Program, new: &Program| {
        let matching = compare::matching(old, new, &Wanted::default()).expect("they have all in common");
        compare::decide(old, new, &matching, Means::Together, &options(20)).expect("it is small")
    };
    let old = load_text("old.c", text);
    let comparison = decided(&old, &load_text("new.c", text));
    assert_eq!(comparison.decider, "passes");
    assert!(matches!(comparison.verdict, Likeness::Equal { is_confirmed: true }), "{:?}", comparison.verdict);
    let comparison = decided(&old, &load_text("new.c", &text.replace("% 997", "% 991")));
    assert!(matches!(comparison.verdict, Likeness::Different { .. }), "{:?}", comparison.verdict);
}

/// No run that is looked at beforehand prints three times in a step.
#[test]
fn prints_are_counted_where_runs_have_not_been() {
    let text = "#include <stdio.h>\nint inputs[] = {1};\nint n = 0;
void calculate_output(int input) {
    n = n + 1;
    printf(\"%d\\n\", 20);
    if (n == 30) { printf(\"%d\\n\", 21); printf(\"%d\\n\", 22); n = 0; }
}
int main() { while (1) { int input; scanf(\"%d\", &input); calculate_output(input); } }
";
    let old = load_text("old.c", text);
    match compared(&old, &load_text("new.c", &text.replace(", 22", ", 23")), Means::Together) {
        Likeness::Different { run, .. } => assert_eq!(run.len(), 30),
        verdict => panic!("{verdict:?}"),
    }
    let verdict = compared(&old, &load_text("new.c", text), Means::Together);
    assert!(matches!(verdict, Likeness::Equal { is_confirmed: true }), "{verdict:?}");
}

#[test]
#[ignore = "takes some minutes"]
fn all_problems_are_equal_to_themselves() {
    for folder in ["rers", "rers/generated", "gcl", "c", "ltl"] {
        for path in std::fs::read_dir(in_project("problems").join(folder)).expect("a folder") {
            let path = path.expect("a file").path().to_string_lossy().into_owned();
            if !path.ends_with(".gcl") && !path.ends_with(".c") || path.ends_with("External.c") {
                continue;
            }
            let output = run(&mut redoubt_in("", &["compare", &path, &path, "--timeout", "120"]));
            assert_eq!(output.status.code(), Some(0), "{path}: {}{}", stdout(&output), stderr(&output));
        }
    }
}

#[test]
fn every_engine_sees_the_difference_and_none_sees_one_that_is_not_there() {
    let text = "input up: bool\nvar n: 0..5 = 0\nstep { if up && n < 5 { n = n + 1 } }\nproperty p: always n < 5\n";
    let (old, later) = (load_model("m.gcl", text), load_model("m.gcl", &text.replace("n < 5 {", "n < 4 {")));
    let other =
        load_model("m.gcl", &text.replace("if up && n < 5 { n = n + 1 }", "n = if up then min(n + 1, 5) else n"));
    for means in [Means::Together, Means::Explicit, Means::Circuit, Means::Relations, Means::Boxes, Means::Regions] {
        match compared(&old, &later, means) {
            Likeness::Different { run, .. } => assert_eq!(run, vec![vec![1]; 5], "{means:?}"),
            verdict => assert!(matches!(means, Means::Boxes | Means::Regions), "{means:?}: {verdict:?}"),
        }
        let verdict = compared(&old, &other, means);
        let may_not_tell = matches!(means, Means::Boxes | Means::Regions) && matches!(verdict, Likeness::Unknown(_));
        assert!(matches!(verdict, Likeness::Equal { .. }) || may_not_tell, "{means:?}: {verdict:?}");
    }
}

const BULB: &str = "#include <stdio.h>\nint a = 0;\nint inputs[] = {1, 2};
void calculate_output(int input) {
    if (a == 3 && input == 2) { error_7: assert(0); }
    if (input == 1 && a < 3) { a = a + 1; printf(\"%d\\n\", 20 + a); return; }
    if (input == 2 && a > 0) { a = 0; printf(\"%d\\n\", 24); return; }
}
int main() { while (1) { int input; scanf(\"%d\", &input); calculate_output(input); } }
";

const TWIN: &str = "input press: 1..2\nvar n: 0..3 = 0\nvar output: int = 0
step {
  output = 0
  if n == 3 && press == 2 { error error_7 }
  if press == 1 && n < 3 { n = n + 1; output = 20 + n } else if press == 2 && n > 0 { n = 0; output = 24 }
}
";

#[test]
fn a_program_is_compared_with_a_model_of_it() {
    let (program, twin) = (load_text("bulb.c", BULB), load_model("bulb.gcl", TWIN));
    for (old, new) in [(&program, &twin), (&twin, &program)] {
        let verdict = compared(old, new, Means::Together);
        assert!(matches!(verdict, Likeness::Equal { is_confirmed: true }), "{verdict:?}");
    }
    for (wrong, steps) in [("output = 24", 2), ("20 + n", 1), ("error error_7", 4), ("n == 3", 1)] {
        let other = match wrong {
            "output = 24" => "output = 25",
            "20 + n" => "19 + n",
            "error error_7" => "error error_8",
            _ => "n == 0",
        };
        let wrong = load_model("bulb.gcl", &TWIN.replace(wrong, other));
        match compared(&program, &wrong, Means::Together) {
            Likeness::Different { run, .. } => assert_eq!(run.len(), steps, "{other}"),
            verdict => panic!("{other}: {verdict:?}"),
        }
    }
}

#[test]
fn letters_are_matched_with_names() {
    let named = TWIN.replace("input press: 1..2", "enum Key { B, A }\ninput press: Key");
    let named = load_model("bulb.gcl", &named.replace("press == 2", "press == B").replace("press == 1", "press == A"));
    let verdict = compared(&load_text("bulb.c", BULB), &named, Means::Together);
    assert!(matches!(verdict, Likeness::Equal { .. }), "{verdict:?}");
}

#[test]
fn values_of_enumerations_are_matched_by_name() {
    let model = |order: &str| {
        let text = "enum Light { ORDER }\ninput next: Light\nvar light: Light = Red\nstep { light = next }\n";
        load_model("light.gcl", &text.replace("ORDER", order))
    };
    let old = model("Red, Green");
    let verdict = compared(&old, &model("Green, Red"), Means::Together);
    assert!(matches!(verdict, Likeness::Equal { .. }), "{verdict:?}");
    let more = model("Green, Red, Yellow");
    let mismatch = compare::matching(&old, &more, &Wanted::default());
    assert!(matches!(mismatch, Err(Mismatch::Values { .. })), "{mismatch:?}");
    let wanted = Wanted { common_inputs: true, ..Wanted::default() };
    let matching = compare::matching(&old, &more, &wanted).expect("they have values in common");
    let comparison = compare::decide(&old, &more, &matching, Means::Together, &options(20)).expect("it is small");
    assert!(matches!(comparison.verdict, Likeness::Equal { .. }), "{:?}", comparison.verdict);
}

#[test]
fn cells_are_matched_by_the_names_of_their_indices() {
    let model = |order: &str, last: &str| {
        let text = "enum Light { ORDER }\ninput next: Light\ninput side: 0..1\nvar seen: (0..3)[2][Light]\nstep {
  seen[side][next] = LAST\n}\n";
        let start = "(0..3)[2][Light] = 0";
        let text = text.replace("(0..3)[2][Light]", start).replace("ORDER", order).replace("LAST", last);
        load_model("light.gcl", &text)
    };
    let old = model("Red, Green, Blue", "if next == Red then 1 else 2");
    let verdict = compared(&old, &model("Blue, Red, Green", "if next == Red then 1 else 2"), Means::Together);
    assert!(matches!(verdict, Likeness::Equal { .. }), "{verdict:?}");
    // By their places these would be alike.
    let other = model("Green, Red, Blue", "if next == Green then 1 else 2");
    let verdict = compared(&old, &other, Means::Together);
    assert!(matches!(verdict, Likeness::Different { .. }), "{verdict:?}");
}

#[test]
fn a_start_that_is_chosen_is_compared_with_one_that_is_not() {
    let model = |start: &str| {
        load_model(
            "n.gcl",
            &format!("input up: bool\nvar n: 0..3 {start}\nstep {{ if up && n < 3 {{ n = n + 1 }} }}\n"),
        )
    };
    let wanted = Wanted { common_inputs: true, ..Wanted::default() };
    for (old, new, expected) in
        [("= 1", "in 1", true), ("in 1", "= 1", true), ("= 1", "in 1, 2", false), ("in 0, 1", "= 0", false)]
    {
        let (old, new) = (model(old), model(new));
        let matching = compare::matching(&old, &new, &wanted).expect("these belong together");
        let comparison = compare::decide(&old, &new, &matching, Means::Together, &options(20)).expect("it is small");
        match comparison.verdict {
            Likeness::Equal { .. } => assert!(expected),
            Likeness::Different { run, .. } => {
                assert!(!expected && run.len() == 1, "{run:?}");
                assert!(compare::replay(&old, &new, &matching, &run).last().is_some_and(Scene::differs));
            }
            Likeness::Unknown(why) => panic!("{why}"),
        }
    }
}

#[test]
fn several_prints_in_a_step_are_compared_one_by_one() {
    let program = |prints: &str| {
        let text = "#include <stdio.h>\nint a = 0;\nint main() { while (1) { int input; scanf(\"%d\", &input);
            if (input == 1) { PRINTS } if (input == 2) { a = 1 - a; } } }";
        load_text("prints.c", &text.replace("PRINTS", prints))
    };
    let old = program("printf(\"%d\\n\", a); printf(\"%d %d\\n\", a, 1); printf(\"x\\n\");");
    let same = program(
        "if (a == 1) { printf(\"%d\\n\", 1); } else { printf(\"%d\\n\", 0); } printf(\"%d %d\\n\", a, 1); printf(\"x\\n\");",
    );
    let verdict = compared(&old, &same, Means::Together);
    assert!(matches!(verdict, Likeness::Equal { .. }), "{verdict:?}");
    let other = program("printf(\"%d\\n\", a); printf(\"%d %d\\n\", a, 1 - a); printf(\"x\\n\");");
    let verdict = compared(&old, &other, Means::Together);
    assert!(matches!(&verdict, Likeness::Different { run, .. } if run.len() == 2), "{verdict:?}");
    // The same text from other parts is not said to be different.
    let parts = program("printf(\"%d\\n%d %d\\n\", a, a, 1); printf(\"x\\n\");");
    let verdict = compared(&old, &parts, Means::Together);
    assert!(matches!(verdict, Likeness::Unknown(_)), "{verdict:?}");
}

fn model_of(circuit: Circuit) -> Model {
    let mut file = vec![];
    redoubt_circuit::aiger::write(&mut file, &circuit, redoubt_circuit::aiger::Format::Binary, "").expect("memory");
    redoubt::read_model(&file).expect("a circuit that was just written")
}

fn circuits_compared(old: &Model, new: &Model) -> (circuits::Miter, Likeness<Trace>) {
    let miter = circuits::miter(old, new, &Wanted::default()).expect("these belong together");
    let limits = Limits { interrupt: Interrupt::after(Duration::from_secs(20)), ..Limits::default() };
    let (verdict, _) = circuits::decide(&miter, old, new, &ModelOptions { limits, ..ModelOptions::default() });
    (miter, verdict)
}

#[test]
fn a_program_is_equal_to_its_own_encoding_and_to_no_other() {
    let program = load_text("bulb.c", BULB);
    let other = load_text("bulb.c", &BULB.replace("a == 3 && input == 2", "a == 2 && input == 2"));
    let reduced = EncodeOptions { width: Width::Reduced, passes: Passes::ALL, ..EncodeOptions::default() };
    for options in [EncodeOptions::default(), reduced] {
        let mut file = vec![];
        redoubt::encode(&program, Format::Aag, &options, &mut file).expect("it can be written");
        let encoding = redoubt::read_model(&file).expect("it can be read");
        for (program, expected) in [(&program, true), (&other, false)] {
            let circuit = circuits::of_program(program, &encoding).expect("it is small");
            let (_, verdict) = circuits_compared(&circuit, &encoding);
            match verdict {
                Likeness::Equal { is_confirmed } => assert!(expected && is_confirmed),
                Likeness::Different { run: trace, .. } => {
                    assert!(!expected && trace.inputs.len() == 3, "{trace:?}")
                }
                Likeness::Unknown(why) => panic!("{why}"),
            }
        }
    }
}

/// After how many positions two circuits differ first, if they ever do: every start, every input.
fn truth_of_circuits(old: &Circuit, new: &Circuit) -> Option<usize> {
    let word = |bits: &[bool]| bits.iter().map(|&bit| u64::from(bit)).collect::<Vec<_>>();
    let starts = (0..1u32 << old.latches.len())
        .map(|number| (0..old.latches.len()).map(|latch| number >> latch & 1 == 1).collect::<Vec<bool>>());
    let fits = |circuit: &Circuit, state: &[bool]| {
        circuit.latches.iter().zip(state).all(|(latch, &value)| match latch.reset {
            Reset::Zero => !value,
            Reset::One => value,
            Reset::Free => true,
        })
    };
    type Pair = (Vec<bool>, Vec<bool>);
    let mut seen: HashSet<Pair> = HashSet::new();
    let mut pending: VecDeque<(Pair, usize)> = VecDeque::new();
    for start in starts.filter(|start| fits(old, start) && fits(new, start)) {
        seen.insert((start.clone(), start.clone()));
        pending.push_back(((start.clone(), start), 1));
    }
    while let Some(((mine, theirs), depth)) = pending.pop_front() {
        for number in 0..1u32 << old.inputs.len() {
            let inputs: Vec<bool> = (0..old.inputs.len()).map(|input| number >> input & 1 == 1).collect();
            let at = |circuit: &Circuit, state: &[bool]| {
                let mut bits = Bits::new(circuit, |_| 0);
                bits.set_state(&word(state));
                bits.evaluate(&word(&inputs));
                let bad: Vec<bool> = (0..circuit.bad.len()).map(|index| bits.bad(index) & 1 == 1).collect();
                let allowed = bits.constraints() & 1 == 1;
                let next: Vec<bool> = circuit.latches.iter().map(|latch| bits.values().bit(latch.next)).collect();
                (allowed, bad, next)
            };
            let ((allowed, bad, next), (also, other, then)) = (at(old, &mine), at(new, &theirs));
            if allowed != also || allowed && bad != other {
                return Some(depth);
            }
            if allowed && seen.insert((next.clone(), then.clone())) {
                pending.push_back(((next, then), depth + 1));
            }
        }
    }
    None
}

#[test]
fn circuits_are_told_apart_as_exhaustive_search_does() {
    let (mut equal, mut different) = (0, 0);
    for seed in seeds(60) {
        let random = &mut RandomCircuit::new(seed);
        let mut circuit = random::circuit(random, 5);
        circuit.stop = Signal::FALSE;
        let mut mutant = circuit.clone();
        // Some latch or property gets a signal of another one.
        let roots: Vec<Signal> = circuit.roots().collect();
        let (from, place) = (roots[random.below(roots.len())], random.below(circuit.latches.len() + circuit.bad.len()));
        match place.checked_sub(circuit.latches.len()) {
            None => mutant.latches[place].next = from,
            Some(bad) => mutant.bad[bad].signal = from,
        }
        let (old, new) = (model_of(circuit), model_of(mutant));
        let expected = truth_of_circuits(&old.circuit, &new.circuit);
        let (miter, verdict) = circuits_compared(&old, &new);
        match (verdict, expected) {
            (Likeness::Equal { .. }, None) => equal += 1,
            (Likeness::Different { run: trace, is_shortest }, Some(steps)) => {
                let scenes = circuits::replay(&miter, &old, &new, &trace);
                assert!(scenes.len() >= steps && (!is_shortest || scenes.len() == steps), "seed {seed}");
                different += 1;
            }
            (verdict, expected) => panic!("seed {seed}: {verdict:?}, but {expected:?}"),
        }
    }
    assert!(equal >= 5 && different >= 5, "{equal} equal, {different} different");
}

#[test]
fn the_command_says_what_it_matched_and_how_it_ended() {
    let scratch = Scratch::new();
    let text = "input up: bool\nvar n: 0..3 = 0\nvar left: bool = false\nstep { if up && n < 3 { n = n + 1 } }\n";
    scratch.write("old.gcl", text);
    scratch.write("same.gcl", &text.replace("if up && n < 3 { n = n + 1 }", "if up { n = min(n + 1, 3) }"));
    scratch.write("other.gcl", &text.replace("n < 3 {", "n < 2 {"));
    scratch.write("more.gcl", &text.replace("input up: bool", "input up: bool\ninput down: bool"));
    let compare = |arguments: &[&str]| {
        let all: Vec<&str> = ["compare"].iter().chain(arguments).copied().collect();
        let output = run(redoubt_in("", &all).current_dir(scratch.path("")));
        (output.status.code(), stdout(&output) + &stderr(&output))
    };
    let (code, said) = compare(&["old.gcl", "same.gcl"]);
    assert!(
        code == Some(0) && said.contains("equal: proved, confirmed") && said.contains("inputs      up\n"),
        "{said}"
    );
    let (code, said) = compare(&["old.gcl", "other.gcl"]);
    assert!(code == Some(10) && said.contains("different: after 3 steps") && said.contains("step 3"), "{said}");
    let (code, said) = compare(&["old.gcl", "other.gcl", "--output", "left"]);
    assert!(code == Some(0) && said.contains("compared    left\n"), "{said}");
    let (code, said) = compare(&["old.gcl", "other.gcl", "--output", "lefd"]);
    assert!(code == Some(2) && said.contains("did you mean `left`?"), "{said}");
    let (code, said) = compare(&["old.gcl", "more.gcl"]);
    assert!(code == Some(2) && said.contains("only the new one has the input `down`; --common-inputs"), "{said}");
    let (code, said) = compare(&["old.gcl", "more.gcl", "--common-inputs", "--quiet"]);
    assert!(code == Some(0) && said.starts_with("equal"), "{said}");
    let (code, said) = compare(&["old.gcl", "other.gcl", "--timeout", "0"]);
    assert!(code == Some(20) && said.contains("unknown: time was up"), "{said}");
    let (code, said) = compare(&["old.gcl", "missing.gcl"]);
    assert!(code == Some(3) && said.contains("missing.gcl"), "{said}");
    let written = |file: &str| std::fs::read_to_string(scratch.path(file)).expect("it was written");
    let (_, said) = compare(&["old.gcl", "other.gcl", "--quiet", "--witness", "run.txt"]);
    assert!(written("run.txt").lines().eq(["1", "1", "1"]), "{said}");
    let (_, said) = compare(&["old.gcl", "same.gcl", "--quiet", "--witness", "proof.txt"]);
    assert!(written("proof.txt").starts_with("redoubt certificate 1\n"), "{said}");
}
