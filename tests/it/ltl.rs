//! Temporal formulas about programs: answers that are known, runs that are what they say, and what the command tells.

use std::collections::{BTreeMap, HashMap, VecDeque};
use std::path::{Path, PathBuf};

use redoubt_base::{Interrupt, Limits, Random};
use redoubt_checker::{NumberSet, StateBox};
use redoubt_driver::ledger::{Subject, Terms};
use redoubt_driver::ltl::{self, Answer, Exact, Explicit, Explorer, Formulas, Lasso, Specification};
use redoubt_facts::analysis::Facts;
use redoubt_program::expr::VarId;
use redoubt_program::program::{Program, PropertyId};
use redoubt_program::simulate::Simulator;
use redoubt_states::explicit::Execution;
use redoubt_states::explicit::behaviour::{Unknown, alphabet, essence, explore, machine};
use redoubt_temporal::machine::{self as machines, Builder, Machine, Symbol};
use redoubt_temporal::properties::{self, Mapping};
use redoubt_temporal::{self as temporal, Satisfaction, formula};

use crate::common::command::{name, redoubt_in, run, stderr, stdout};
use crate::common::generate::{self, Shape as Kind};
use crate::common::problems::{self, Problem};
use crate::common::scratch::Scratch;
use crate::common::seeds::seeds;
use crate::common::{COUNTING, in_project, load_text};

const MEMORY: usize = 1 << 30;

/// A program with its formulas.
fn load(program: &Path, formulas: &Path) -> (Program, Specification) {
    let read = |path: &Path| std::fs::read_to_string(path).expect("a file can be read");
    let stem = program.file_stem().expect("a name").to_string_lossy();
    let mapping = program.with_file_name(format!("{stem}_alphabet_mapping_C_version.txt"));
    let mapping =
        if mapping.exists() { Mapping::read(&read(&mapping)).expect("a mapping") } else { Mapping::default() };
    let list = properties::read(&read(formulas)).expect("formulas");
    (Problem::new(program.into()).load(), Specification::new(list, mapping))
}

fn own() -> Vec<(Program, Specification)> {
    let files = [
        ("kettle2017.c", "constraints-kettle2017.txt"),
        ("Problem7.c", "properties7.txt"),
        ("turnstile2020.c", "constraints-turnstile2020.txt"),
    ];
    let folder = in_project("problems/ltl");
    files.iter().map(|(program, formulas)| load(&folder.join(program), &folder.join(formulas))).collect()
}

/// The verdict on each formula: the run that violates it, or that there is none.
fn decide(program: &Program, specification: &Specification) -> Vec<Option<Lasso>> {
    let facts = Facts::new(program);
    let wanted: Vec<PropertyId> = (0..specification.formulas().len()).map(PropertyId::new).collect();
    let explicit = Explicit { memory: MEMORY };
    let formulas = Formulas { facts: &facts, specification, certify: false };
    let report =
        ltl::decide(&formulas, &wanted, &[&explicit], usize::MAX, &Limits::default(), &Terms::default(), &mut |_| {});
    let findings = report.expect("there is no journal").findings;
    let verdict = |finding: ltl::Finding| match finding.answer {
        Answer::Reachable { run } => Some(run),
        Answer::Unreachable { .. } => None,
        other => panic!("{other:?}"),
    };
    findings.into_iter().map(verdict).collect()
}

/// The known answers of a table, by file and name: whether the formula is violated.
fn known(table: &Path) -> BTreeMap<(String, String), bool> {
    let mut reader = csv::Reader::from_path(table).expect("a table");
    let head = reader.headers().expect("columns").clone();
    let column = |name: &str| head.iter().position(|column| column == name).expect("a column");
    let (file, property, expected) = (column("file"), column("property"), column("expected"));
    let rows = reader.records().map(|row| row.expect("a row"));
    let rows = rows.filter(|row| row[property].starts_with("ltl_"));
    rows.map(|row| ((row[file].to_string(), row[property].to_string()), &row[expected] == "violated")).collect()
}

fn check_known(program: &Path, formulas: &Path, known: &BTreeMap<(String, String), bool>, file: &str) {
    let (program, specification) = load(program, formulas);
    let verdicts = decide(&program, &specification);
    for (name, verdict) in specification.names().iter().zip(verdicts) {
        let expected = known.get(&(file.to_string(), name.clone()));
        assert_eq!(Some(&verdict.is_some()), expected, "{file}: {name}");
    }
}

#[test]
fn known_answers_of_our_own_problems() {
    let folder = in_project("problems/ltl");
    let known = known(&folder.join("expected.csv"));
    for (file, formulas) in [
        ("kettle2017.c", "constraints-kettle2017.txt"),
        ("Problem7.c", "properties7.txt"),
        ("turnstile2020.c", "constraints-turnstile2020.txt"),
    ] {
        check_known(&folder.join(file), &folder.join(formulas), &known, file);
    }
}

/// Problems of the challenge, where they lie beside the project.
#[test]
fn known_answers_of_the_challenge() {
    let folder = in_project("../shared/bench/ltl");
    if !folder.is_dir() {
        return;
    }
    let known = known(&folder.join("expected.csv"));
    for (file, formulas) in [
        ("../rers/2012/Problem1.c", "2012/properties1.txt"),
        ("2017/Problem1.c", "2017/constraints-Problem1.txt"),
        ("2019/Problem1.c", "2019/constraints-Problem1.txt"),
        ("2020/Problem1.c", "2020/constraints-Problem1.txt"),
    ] {
        check_known(&folder.join(file), &folder.join(formulas), &known, file);
    }
}

/// The machine of a program by the simulator alone: a state is everything that the simulator keeps.
fn by_simulation(program: &Program, mapping: &Mapping, most: usize) -> Option<Machine> {
    let alphabet = alphabet(program).ok()?;
    let mut builder = Builder::new(alphabet.iter().map(|&input| mapping.symbol('i', input)).collect());
    let mut simulator = Simulator::new(program);
    if simulator.end().is_some() {
        return Some(builder.finish());
    }
    let first = simulator.state().clone();
    let mut numbers = HashMap::from([(first.clone(), 0)]);
    let mut pending = VecDeque::from([first]);
    while let Some(state) = pending.pop_front() {
        let from = numbers[&state];
        for (index, &input) in alphabet.iter().enumerate() {
            simulator.restore(state.clone());
            let step = simulator.step(&[input]);
            let after = simulator.state().clone();
            let printed: Vec<Symbol> = step
                .output
                .split_whitespace()
                .map(|word| builder.output(&mapping.symbol('o', word.parse().expect("a number"))))
                .collect();
            let number = numbers.len();
            let mut next = || {
                *numbers.entry(after.clone()).or_insert_with(|| {
                    pending.push_back(after.clone());
                    number
                })
            };
            let answer = match step.end {
                Some(_) => machines::Answer::Ends,
                None if printed.is_empty() && !step.complaints.is_empty() => machines::Answer::Ignores { next: next() },
                None => machines::Answer::Prints { outputs: &printed, next: next() },
            };
            builder.step(from, Symbol::new(index), answer);
        }
        if numbers.len() > most {
            return None;
        }
    }
    Some(builder.finish())
}

/// Whether two reduced machines are the same except for the numbers of nodes and symbols.
fn are_alike(a: &Machine, b: &Machine) -> bool {
    if a.nodes.len() != b.nodes.len() {
        return false;
    }
    let edges = |machine: &Machine, node: usize| -> BTreeMap<(bool, String), usize> {
        let named = |label: machines::Label| (label.is_shown(), machine.name(label.symbol()).to_string());
        machine.nodes[node].iter().map(|&(label, to)| (named(label), to)).collect()
    };
    let mut partner = vec![None; a.nodes.len()];
    let mut pending = vec![(0, 0)];
    while let Some((one, other)) = pending.pop() {
        match partner.get(one) {
            None => continue,
            Some(Some(known)) if *known == other => continue,
            Some(Some(_)) => return false,
            Some(None) => partner[one] = Some(other),
        }
        let (ours, theirs) = (edges(a, one), edges(b, other));
        if !ours.keys().eq(theirs.keys()) {
            return false;
        }
        pending.extend(ours.into_values().zip(theirs.into_values()));
    }
    true
}

fn compare_machines(program: &Program, mapping: &Mapping, name: &str) -> bool {
    let facts = Facts::new(program);
    let limits = Limits::default();
    let Some(expected) = by_simulation(program, mapping, 3000) else { return false };
    let expected = expected.reduced();
    for execution in [Execution::Fast, Execution::Registers(1), Execution::Interpreted] {
        let found = explore(&facts, mapping, MEMORY, &limits, execution).map(|explored| explored.machine);
        match found {
            Ok(found) => assert!(are_alike(&found.reduced(), &expected), "{name}, {execution:?}"),
            // Some print whatever they like.
            Err(Unknown::Unsuitable(_)) => return false,
            Err(unknown) => panic!("{name}: {unknown}"),
        }
    }
    // Boxes do not close for all programs, but what closes is the same machine.
    if let Ok(found) = (Exact { memory: 1 << 18 }).explore(&facts, mapping, &limits) {
        assert!(are_alike(&found.machine.reduced(), &expected), "{name}, by boxes");
    }
    true
}

/// The search of states finds the machine that the simulator shows, for whole states and with nothing left out.
#[test]
fn machines_are_those_that_the_simulator_shows() {
    let own = own();
    for (program, specification) in &own {
        assert!(compare_machines(program, &specification.mapping, &program.name));
    }
    let mut compared = 0;
    for problem in problems::own() {
        let program = problem.load();
        compared += usize::from(compare_machines(&program, &Mapping::default(), &problem.name()));
    }
    assert!(compared >= 3, "{compared}");
    let kind = Kind { bounded: true, ..Kind::default() };
    let mut compared = 0;
    for seed in seeds(40) {
        let program = load_text("generated.c", &generate::program(seed, kind));
        compared += usize::from(compare_machines(&program, &Mapping::default(), &format!("seed {seed}")));
    }
    assert!(compared >= 10, "{compared}");
}

/// Whether all that a run without end prints really violates a formula, by an automaton on the only run of a machine.
fn violates(program: &Program, specification: &Specification, property: PropertyId, run: &Lasso) -> bool {
    let mut simulator = Simulator::new(program);
    let mapping = &specification.mapping;
    let facts = Facts::new(program);
    let state = essence(&facts);
    let mut word = |inputs: &[Vec<i32>]| {
        let mut symbols = vec![];
        for inputs in inputs {
            let before = state(&simulator);
            let step = simulator.step(inputs);
            if step.end.is_some() {
                return None;
            }
            if step.complaints.is_empty() || state(&simulator) != before {
                symbols.push(mapping.symbol('i', inputs[0]));
            }
            let numbers = step.output.split_whitespace();
            symbols.extend(numbers.map(|number| mapping.symbol('o', number.parse().expect("a number"))));
        }
        Some(symbols)
    };
    let Some(stem) = word(&run.stem) else { return false };
    // All rounds are the same: the state has been seen to repeat, and this is more often than that takes.
    let rounds: Option<Vec<Vec<String>>> = (0..40).map(|_| word(&run.cycle)).collect();
    let Some(rounds) = rounds else { return false };
    if rounds.iter().any(|round| *round != rounds[0]) {
        return false;
    }
    let all: Vec<&String> = stem.iter().chain(&rounds[0]).collect();
    let mut names: Vec<String> = all.iter().map(|name| name.to_string()).collect();
    names.sort();
    names.dedup();
    let symbol = |name: &String| names.iter().position(|other| other == name).expect("its name is there");
    let after = |place: usize| if place + 1 < all.len() { place + 1 } else { stem.len() };
    let edge = |place: usize| vec![(machines::Label::Shown(Symbol::new(symbol(all[place]))), after(place))];
    let nodes = (0..all.len()).map(edge).collect();
    let machine = Machine { inputs: names.len(), symbols: names.clone(), nodes };
    let verdict = temporal::check(&machine, &specification.get(property).formula, &Interrupt::default());
    verdict.expect("it is small") != Satisfaction::Holds
}

/// Runs that were changed are accepted only if they violate the formula all the same.
#[test]
fn changed_runs_are_not_believed() {
    let (mut accepted, mut refused) = (0, 0);
    for (program, specification) in own() {
        let facts = Facts::new(&program);
        let formulas = Formulas { facts: &facts, specification: &specification, certify: false };
        for (index, verdict) in decide(&program, &specification).into_iter().enumerate() {
            let Some(run) = verdict else { continue };
            let property = PropertyId::new(index);
            assert!(violates(&program, &specification, property, &run));
            let mut random = Random::new(index as u64);
            for _ in 0..80 {
                let changed = mutated(&run, &mut random);
                match formulas.replay(property, &changed) {
                    Some(run) => {
                        assert!(violates(&program, &specification, property, &run), "{changed:?}");
                        accepted += 1;
                    }
                    None => refused += 1,
                }
            }
        }
    }
    assert!(accepted > 50 && refused > 200, "{accepted} and {refused}");
}

fn mutated(run: &Lasso, random: &mut Random) -> Lasso {
    let mut run = run.clone();
    for _ in 0..1 + random.below(3) {
        let part = if random.below(2) == 0 { &mut run.stem } else { &mut run.cycle };
        match random.below(3) {
            0 if !part.is_empty() => drop(part.remove(random.below(part.len()))),
            1 if !part.is_empty() => {
                let place = random.below(part.len());
                part[place] = vec![random.below(5) as i32];
            }
            _ => part.insert(random.below(part.len() + 1), vec![1 + random.below(3) as i32]),
        }
    }
    run
}

/// Some formulas of the challenge's patterns about symbols of a machine.
fn patterns(symbols: &[String], random: &mut Random, number: usize) -> Specification {
    // Numbers below zero have no name that formulas could use.
    let symbols: Vec<&String> = symbols.iter().filter(|symbol| !symbol.contains('-')).collect();
    let mut list = String::new();
    for _ in 0..number {
        let mut any = || symbols[random.below(symbols.len())].clone();
        let (a, b, c) = (any(), any(), any());
        let formula = match random.below(8) {
            0 => format!("G ! {a}"),
            1 => format!("F {a}"),
            2 => format!("! {a} WU {b}"),
            3 => format!("G ({a} -> F {b})"),
            4 => format!("G ({a} -> X {b})"),
            5 => format!("! {a} WU ({a} WU (! {a} WU ({a} WU (G ! {a}))))"),
            6 => format!("(! (F {a}) | (! {b} U ({c} | {a})))"),
            _ => format!("G (({a} & ! {b} & F {b}) -> (! {c} U {b}))"),
        };
        list += &format!("{formula}\n");
    }
    Specification::new(properties::read(&list).expect("formulas"), Mapping::default())
}

/// Verdicts on parts are true on the machine, and all of them are confirmed.
#[test]
fn parts_decide_what_the_machine_does() {
    let kind = Kind { bounded: true, ..Kind::default() };
    let generated = |seed: u64| load_text("generated.c", &generate::program(seed, kind));
    let mut cases = own();
    for seed in seeds(40) {
        let program = generated(seed);
        let Ok(machine) = machine(&Facts::new(&program), &Mapping::default(), 1 << 22, &Limits::default()) else {
            continue;
        };
        let specification = patterns(&machine.symbols, &mut Random::new(seed), 8);
        cases.push((program, specification));
    }
    let (mut holding, mut violated, mut open) = (0, 0, 0);
    for (program, specification) in &cases {
        let truth = decide(program, specification);
        let facts = Facts::new(program);
        let formulas = Formulas { facts: &facts, specification, certify: true };
        let wanted: Vec<PropertyId> = (0..specification.formulas().len()).map(PropertyId::new).collect();
        // Without room for a single state.
        let nobody = Explicit { memory: 0 };
        let (limits, terms) = (Limits::default(), Terms::default());
        let report = ltl::decide(&formulas, &wanted, &[&nobody], usize::MAX, &limits, &terms, &mut |_| {});
        for (finding, truth) in report.expect("there is no journal").findings.iter().zip(truth) {
            let name = formulas.name(finding.property);
            match &finding.answer {
                Answer::Unreachable { .. } => {
                    assert!(truth.is_none(), "{}: {name} holds, but it is violated: {truth:?}", program.name);
                    assert!(finding.is_confirmed(), "{}: {name}: {finding:?}", program.name);
                    holding += 1;
                }
                Answer::Reachable { run } => {
                    assert!(
                        violates(program, specification, finding.property, run),
                        "{}: {name}: {run:?}",
                        program.name
                    );
                    violated += 1;
                }
                _ => open += 1,
            }
        }
    }
    // Most programs that are made at random write tables, which parts are not made for.
    println!("{holding} hold, {violated} violated, {open} open");
    assert!(holding >= 5 && violated >= 3, "{holding}, {violated} and {open}");
}

/// A formula that is said to hold is satisfied by all short runs.
#[test]
fn no_short_run_violates_what_holds() {
    for (program, specification) in own() {
        let facts = Facts::new(&program);
        let inputs = alphabet(&program).expect("an alphabet");
        let held: Vec<&temporal::Property> = decide(&program, &specification)
            .iter()
            .zip(specification.formulas())
            .filter(|(run, _)| run.is_none())
            .map(|(_, property)| property)
            .collect();
        let mut random = Random::new(1);
        let mut seen = 0;
        for _ in 0..4000 {
            let mut part = |most: usize, least: usize| -> Vec<Vec<i32>> {
                (0..least + random.below(most)).map(|_| vec![random.choose(&inputs)]).collect()
            };
            let run = Lasso { stem: part(6, 0), cycle: part(5, 1), boxes: vec![] };
            let Some((_, word)) = run.replay(&facts, &specification.mapping) else { continue };
            seen += 1;
            for property in &held {
                let letters: formula::Lasso<formula::Letter> = word.letters(&property.formula);
                assert!(property.formula.holds_on(&letters), "{}: {}: {word:?}", program.name, property.name());
            }
        }
        assert!(seen > 500, "{}: {seen}", program.name);
    }
}

/// Arithmetic that only has to be between two constants does not fix the numbers that it reads.
#[test]
fn products_are_bound_by_what_guards_compare_with() {
    let program = load_text(
        "product.c",
        "int inputs[] = {1, 2};\nint a = -132;\nint b = 50;\nint mode = 1;\nvoid calculate_output(int input) {\n\
         if (mode == 1 && a <= -127 && 11 < b && b <= 93 && input == 1) {\n\
         mode = 2; a = (a * b % 14999 - 3009) % 106 + 77; printf(\"%d\\n\", 25);\n\
         } else if (mode == 2 && -127 < a && a <= 86 && input == 2) {\n\
         mode = 1; b = (a * a % 14999 * 2) % 40 + 52; a = a * b % 14999 - 15200; printf(\"%d\\n\", 26);\n\
         } else { printf(\"%d\\n\", 24); }\n}\n\
         int main() { while (1) { int input; scanf(\"%d\", &input); calculate_output(input); } }\n",
    );
    let found = Exact { memory: MEMORY }.explore(&Facts::new(&program), &Mapping::default(), &Limits::default());
    let Ok(found) = found else { panic!("two boxes are enough") };
    assert_eq!(found.states.boxes.len(), 2, "{:?}", found.states.boxes);
    assert_eq!(ltl::Diagram::of(&found).len(), 2);
    assert_eq!(found.machine.symbols, ["iA", "iB", "oY", "oX", "oZ"]);
}

/// A counter that stops before it overflows takes more states than can be visited; boxes need few, and the checker
/// confirms their evidence: a run whose state does not repeat, and formulas that hold.
#[test]
fn loops_close_where_no_state_repeats() {
    let program = load_text("count.c", COUNTING);
    let list = properties::read("G (oZ -> G !oY)\nG !oZ\n(G F iA) -> (F G !oY)\nF oZ\n").expect("formulas");
    let specification = Specification::new(list, Mapping::default());
    let facts = Facts::new(&program);
    let wanted: Vec<PropertyId> = (0..4).map(PropertyId::new).collect();
    let (exact, limits, terms) = (Exact { memory: MEMORY }, Limits::default(), Terms::default());
    let formulas = Formulas { facts: &facts, specification: &specification, certify: true };
    let report = ltl::decide(&formulas, &wanted, &[&exact], usize::MAX, &limits, &terms, &mut |_| {});
    let findings = report.expect("there is no journal").findings;
    assert!(findings.iter().all(ltl::Finding::is_confirmed), "{findings:?}");
    let holds: Vec<bool> =
        findings.iter().map(|finding| matches!(finding.answer, Answer::Unreachable { .. })).collect();
    assert_eq!(holds, [true, false, true, false]);
    let Answer::Reachable { run } = &findings[1].answer else { panic!("it is violated") };
    assert!(violates(&program, &specification, PropertyId::new(1), run), "{run:?}");
    // Claims about boxes are not believed: neither others, nor with other inputs.
    let mut counting = run.clone();
    counting.cycle = vec![vec![1]];
    assert!(formulas.replay(PropertyId::new(1), &Lasso { boxes: vec![], ..counting.clone() }).is_none());
    let counter = program.variables.iter().position(|variable| variable.name == "a").expect("the counter");
    for low in [-100, 0, 11, 50] {
        let above = StateBox { sides: vec![(VarId::new(counter), NumberSet::between(low, i32::MAX))] };
        let confirmed = formulas.replay(PropertyId::new(1), &Lasso { boxes: vec![above], ..counting.clone() });
        assert_eq!(confirmed.is_some(), low == 11, "{low}");
    }
}

/// Functions hand the input on to others, and something counts on beside something that moves to and fro. Parts decide this all the
/// same: which input is answered is known, and loops close though no state repeats.
#[test]
fn parts_know_handed_on_inputs_and_loops_that_count() {
    let program = load_text(
        "handed.c",
        "int inputs[] = {1, 2};\nint mode = 1;\nint up = 0;\nint b = 50;\nint cf = 1;\n\
         void second(int input) {\n\
         if (mode == 1 && cf == 1 && input == 1 && b > 5 && b < 60) {\n\
         cf = 0; mode = 2; up += (up + 20) > up ? 3 : 0; b = (b * 7 + 3) % 40 + 10; printf(\"%d\\n\", 25); }\n\
         if (mode == 2 && cf == 1 && input == 2 && up >= 0) { cf = 0; mode = 1; printf(\"%d\\n\", 26); }\n\
         if (mode == 2 && cf == 1 && input == 2 && up < 0) { cf = 0; mode = 1; printf(\"%d\\n\", 24); }\n}\n\
         void first(int input) { if (cf == 1) { second(input); } }\n\
         void calculate_output(int input) {\n\
         cf = 1; first(input); if (cf == 1) fprintf(stderr, \"Invalid input: %d\\n\", input); }\n\
         int main() { while (1) { int input; scanf(\"%d\", &input); calculate_output(input); } }\n",
    );
    let list = "G (oY -> X iB)\nG (iB -> X oZ)\nF oX\nG !oX\nG !oZ\n(G F oY) -> F oX\n";
    let specification = Specification::new(properties::read(list).expect("formulas"), Mapping::default());
    let facts = Facts::new(&program);
    let wanted: Vec<PropertyId> = (0..6).map(PropertyId::new).collect();
    let (nobody, limits, terms) = (Explicit { memory: 0 }, Limits::default(), Terms::default());
    let formulas = Formulas { facts: &facts, specification: &specification, certify: true };
    let report = ltl::decide(&formulas, &wanted, &[&nobody], usize::MAX, &limits, &terms, &mut |_| {});
    let findings = report.expect("there is no journal").findings;
    assert!(findings.iter().all(ltl::Finding::is_confirmed), "{findings:?}");
    let holds: Vec<bool> =
        findings.iter().map(|finding| matches!(finding.answer, Answer::Unreachable { .. })).collect();
    assert_eq!(holds, [true, true, false, true, false, false]);
    let Answer::Reachable { run } = &findings[2].answer else { panic!("it is violated") };
    assert!(!run.boxes.is_empty(), "no state repeats: {run:?}");
    // The same run counts for nothing if its counter was said to stop, or to go the other way.
    let counter = program.variables.iter().position(|variable| variable.name == "up").expect("the counter");
    for (low, high) in [(0, 1000), (i32::MIN, 0), (i32::MIN, i32::MAX)] {
        let mut changed = run.clone();
        let sides = changed.boxes.iter_mut().flat_map(|one| &mut one.sides);
        for (_, numbers) in sides.filter(|side| side.0.index() == counter) {
            *numbers = NumberSet::between(low, high);
        }
        assert!(formulas.replay(PropertyId::new(2), &changed).is_none(), "{low}..{high}");
    }
}

#[test]
fn what_is_no_sequence_of_numbers_is_left() {
    let unknown = |body: &str| {
        let text = format!(
            "int inputs[] = {{1, 2}};\nint a = 0;\nvoid calculate_output(int input) {{ {body} }}\n\
             int main() {{ while (1) {{ int input; scanf(\"%d\", &input); calculate_output(input); }} }}\n"
        );
        let program = load_text("p.c", &text);
        machine(&Facts::new(&program), &Mapping::default(), 1 << 16, &Limits::default()).expect_err("no machine")
    };
    let says = |body: &str| unknown(body).to_string();
    assert_eq!(says("printf(\"x%d\\n\", input);"), "the program prints something else than numbers (p.c:3:36)");
    assert_eq!(says("printf(\"%d\", input);"), "the program prints a number without an end (p.c:3:36)");
    assert_eq!(unknown("a = a + 1; printf(\"%d\\n\", a > 1000000);"), Unknown::Memory);
    let many = "printf(\"%d %d %d\\n\", 1, 2, 3);".repeat(3);
    assert_eq!(says(&many), "a step prints more than 8 numbers");
    let raised = Limits::default();
    raised.interrupt.raise();
    let (program, _) = own().swap_remove(0);
    let ended = machine(&Facts::new(&program), &Mapping::default(), MEMORY, &raised);
    assert_eq!(ended.err(), Some(Unknown::Interrupted));
}

/// A copy of our own problems, where files can be changed.
fn copy() -> (Scratch, PathBuf) {
    let scratch = Scratch::new();
    let mut folder = PathBuf::new();
    for entry in std::fs::read_dir(in_project("problems/ltl")).expect("a folder") {
        let path = entry.expect("an entry").path();
        let text = std::fs::read_to_string(&path).expect("a file");
        let file = scratch.write(&path.file_name().expect("a name").to_string_lossy(), &text);
        folder = file.parent().expect("a folder").into();
    }
    (scratch, folder)
}

fn said(arguments: &[&str]) -> (Option<i32>, String, String) {
    let output = run(&mut redoubt_in("problems/ltl", arguments));
    (output.status.code(), stdout(&output), stderr(&output))
}

#[test]
fn formulas_beside_a_program_are_found_and_that_is_said() {
    let (code, out, messages) = said(&["check", "kettle2017.c", "-q"]);
    assert_eq!(code, Some(10));
    assert!(out.contains("\nltl_1                 holds"), "{out}");
    assert!(out.contains("8 formulas: 5 hold, 3 violated, 0 unknown, all confirmed"), "{out}");
    assert_eq!(messages, "note: the formulas are those of constraints-kettle2017.txt (--no-ltl leaves them out)\n");
    let (_, _, messages) = said(&["check", "kettle2017.c", "-q", "--shortest", "--property", "ltl_1"]);
    assert!(messages.contains("note: --shortest changes nothing about runs that violate formulas\n"), "{messages}");
    // A file that was named on the command line need not be mentioned.
    let (_, named, messages) = said(&["check", "kettle2017.c", "-q", "--ltl", "constraints-kettle2017.txt"]);
    assert_eq!((named.lines().count(), messages.as_str()), (out.lines().count(), ""));
    let (code, out, messages) = said(&["check", "Problem7.c", "-q", "--no-ltl"]);
    assert_eq!((code, messages.as_str()), (Some(10), ""));
    assert!(out.contains("1 property: 1 reachable") && !out.contains("formula"), "{out}");
    let (code, out, _) = said(&["check", "kettle2017.c", "-q", "--property", "ltl_2"]);
    assert_eq!(code, Some(0), "{out}");
    let (code, _, messages) = said(&["check", "kettle2017.c", "-q", "--property", "ltl_22"]);
    assert_eq!(code, Some(2));
    assert_eq!(messages, "error: kettle2017.c has no property `ltl_22`; did you mean `ltl_2`?\n");
}

#[test]
fn all_is_as_known_and_gcc_agrees() {
    let (code, out, messages) = said(&["check", ".", "-q", "--expect", "expected.csv", "--confirm", "gcc"]);
    assert_eq!(code, Some(0), "{out}{messages}");
    assert!(out.contains("3 problems, 1 property: 1 reachable, 0 unreachable, 0 unknown; 23 formulas:"), "{out}");
    assert!(out.contains("24 known answers: 0 wrong"), "{out}");
    assert!(messages.contains("note: gcc agrees with 3 runs\n"), "{messages}");
}

#[test]
fn submissions_say_of_formulas_whether_they_hold() {
    let (_, out, _) = said(&["check", "turnstile2020.c", "-q", "--format", "csv"]);
    assert_eq!(out, "2020,1,true\n2020,2,true\n2020,3,false\n2020,4,true\n2020,5,false\n2020,6,true\n");
    // Of a label, whether it is reachable; beside it formulas have their names.
    let (_, out, _) = said(&["check", "Problem7.c", "-q", "--format", "csv"]);
    assert!(out.starts_with("7,4,true\n7,ltl_0,true\n7,ltl_1,false\n"), "{out}");
}

#[test]
fn lines_have_the_stem_and_the_loop() {
    let (_, out, _) = said(&["check", "Problem7.c", "-q", "--format", "jsonl", "--property", "ltl_1"]);
    let line: serde_json::Value = serde_json::from_str(out.lines().nth(1).expect("a line")).expect("JSON");
    assert_eq!((&line["status"], &line["confirmed"]), (&"violated".into(), &true.into()));
    assert_eq!(line["formula"], "F oZ");
    let (stem, cycle) = (&line["stem"], &line["loop"]);
    assert_eq!((&stem["inputs"], &stem["symbols"]), (&serde_json::json!([]), &serde_json::json!([])));
    let inputs = cycle["inputs"].as_array().expect("inputs").len();
    let symbols = cycle["symbols"].as_array().expect("symbols");
    assert_eq!((symbols[0].as_str(), symbols.len()), (Some("iA"), 2 * inputs), "{cycle}");
}

/// An invalid input that changes the state is part of the run, as the official answers of 2012 have it: without it there would
/// be a run that comes to Z and has no B before.
#[test]
fn invalid_inputs_that_change_the_state_are_part_of_the_run() {
    let (_scratch, folder) = copy();
    std::fs::write(folder.join("properties7.txt"), "! oZ WU iB\nF oZ\nG (iA -> X !iA)\nG !oZ\n").expect("room");
    let file = name(&folder.join("Problem7.c"));
    let (code, out, _) = said(&["check", &file, "-q", "--property", "ltl_0"]);
    assert_eq!(code, Some(0), "{out}");
    assert!(out.contains("all confirmed"), "{out}");
    assert_eq!(said(&["check", &file, "-q", "--property", "ltl_3"]).0, Some(10));
    assert_eq!(said(&["check", &file, "-q", "--property", "ltl_1"]).0, Some(10));
    assert_eq!(said(&["check", &file, "-q", "--property", "ltl_2"]).0, Some(0));
}

#[test]
fn journals_keep_formulas() {
    let (_scratch, folder) = copy();
    let file = name(&folder.join("Problem7.c"));
    let journal = name(&folder.join("journal"));
    let first = said(&["check", &file, "-q", "--journal", &journal]);
    let (code, out, _) = said(&["check", &file, "-q", "--resume", &journal, "--format", "jsonl"]);
    assert_eq!((first.0, code), (Some(10), Some(10)));
    let lines = out.lines().filter(|line| line.contains("\"property\":\"ltl_"));
    assert!(lines.clone().count() == 9 && lines.clone().all(|line| line.contains("\"engine\":\"journal\"")), "{out}");
    // A run that is none is not believed.
    let text = std::fs::read_to_string(&journal).expect("a journal");
    assert!(text.contains("ltl_1"), "{text}");
    // Other formulas are other properties.
    std::fs::write(folder.join("properties7.txt"), "(F oZ)\nx\n---\n").expect("room");
    let (_, out, _) = said(&["check", &file, "-q", "--resume", &journal, "--format", "jsonl", "--property", "ltl_0"]);
    assert!(out.contains("\"status\":\"violated\"") && out.contains("\"engine\":\"explicit\""), "{out}");
}

#[test]
fn what_is_wrong_with_formulas_is_said_with_its_place() {
    let (_scratch, folder) = copy();
    let file = folder.join("constraints-kettle2017.txt");
    let message = |text: &str| {
        std::fs::write(&file, text).expect("room");
        let (code, out, messages) = said(&["check", &name(&folder.join("kettle2017.c")), "-q"]);
        assert!(matches!(code, Some(10 | 20)), "{messages}");
        let places = out.lines().filter(|line| line.starts_with("ltl")).map(|line| format!("{line}\n"));
        places.collect::<String>() + "\n" + &messages.replace(&name(&folder), "")
    };
    insta::assert_snapshot!(message("#0: first\n(true U oZ\n"), @r"
    ltl_0                 unknown      (cannot be read: the formula ends too early)

    error: the formula ends too early
     --> /constraints-kettle2017.txt:2:11
      |
    2 | (true U oZ
      |           ^ here
    ");
    insta::assert_snapshot!(message("#outputs [X, Y]\n#0: first\n(true U oZ)\n#1\noX"), @r"
    ltl_0                 violated     (A A)
    ltl in line 4         unknown      (cannot be read: expected `#inputs`, `#outputs` or `#NUMBER:`)
    ltl in line 5         unknown      (cannot be read: expected a line `#NUMBER:` before a formula)

    error: expected `#inputs`, `#outputs` or `#NUMBER:`
     --> /constraints-kettle2017.txt:4:1
      |
    4 | #1
      | ^^ here

    error: expected a line `#NUMBER:` before a formula
     --> /constraints-kettle2017.txt:5:1
      |
    5 | oX
      | ^^ here

    warning: `oZ` is not in the list `#outputs`, so it is never true
     --> /constraints-kettle2017.txt:3:1
      |
    3 | (true U oZ)
      | ^^^^^^^^^^^ here

    note: the formulas are those of /constraints-kettle2017.txt (--no-ltl leaves them out)
    ");
    let usage = |arguments: &[&str]| {
        let (code, _, messages) = said(arguments);
        assert_eq!(code, Some(2), "{messages}");
        messages
    };
    let formulas = "constraints-kettle2017.txt";
    assert_eq!(
        usage(&["check", ".", "--ltl", formulas]),
        "error: --ltl is for a single program; formulas beside programs are found\n"
    );
    assert_eq!(usage(&["check", "../gcl/airlock.gcl", "--ltl", formulas]), "error: --ltl is for C programs\n");
    let (code, _, messages) = said(&["check", "kettle2017.c", "--ltl", "nothing.txt"]);
    assert_eq!((code, messages.starts_with("error: nothing.txt: ")), (Some(3), true), "{messages}");
}

#[test]
fn automata_are_written_for_other_tools() {
    let (code, out, _) = said(&["automaton", "--negate", "G (iA -> F oX)"]);
    assert_eq!(code, Some(0));
    assert!(
        out.starts_with("HOA: v1\n") && out.contains("AP: 2 \"iA\" \"oX\"\n") && out.ends_with("--END--\n"),
        "{out}"
    );
    assert_eq!(said(&["automaton", "G ("]).0, Some(3));
}
