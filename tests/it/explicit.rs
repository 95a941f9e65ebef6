//! The explicit-state search: its steps are the simulator's steps, its verdicts those of the slow exhaustive search, and it
//! stops where it is told to.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use redoubt_base::{Interrupt, Random, Threads};
use redoubt_facts::analysis::Facts;
use redoubt_program::expr::{BinaryOp, InputId, TableId, Type};
use redoubt_program::program::{Arm, Domain, Input, Program, PropertyId, Stmt, StmtId, StmtKind};
use redoubt_program::simulate::{End, Simulator};
use redoubt_states::explicit::{Execution, Outcome, SearchOptions, SearchVerdict, Stepper, Stop, search};

use crate::common::generate::{self, Shape as Kind};
use crate::common::problems::{self, Problem};
use crate::common::seeds::seeds;
use crate::common::{expected, explore, load_model, load_text, walks};

/// Machine code with all registers and with few, and no machine code.
const EXECUTIONS: [Execution; 4] =
    [Execution::Fast, Execution::Registers(1), Execution::Registers(3), Execution::Interpreted];

/// All variables and cells of a simulator, in the order of a stepper.
fn state(program: &Program, simulator: &Simulator) -> Vec<i32> {
    let mut values = simulator.state().variables.clone();
    for table in 0..program.tables.len() {
        values.extend(simulator.cells(TableId::new(table)));
    }
    values
}

/// Puts any values into some variables; truth values and pointers stay what they are.
fn shake(program: &Program, simulator: &mut Simulator, random: &mut Random) {
    let mut state = simulator.state().clone();
    let assigned = program.stmts.iter().filter_map(|stmt| match stmt.kind {
        StmtKind::Assign { variable, .. } => Some(variable),
        _ => None,
    });
    for variable in assigned {
        if program.variable(variable).ty == Type::Int && random.below(3) == 0 {
            let any = random.bits() as i32;
            state.variables[variable.index()] = random.choose(&[i32::MIN, i32::MAX, -1, 0, 1, 2, any % 10, any]);
        }
    }
    simulator.restore(state);
}

/// A walk with both, from the start and from arbitrary states.
fn walk(program: &Program, seed: u64, execution: Execution, steps: usize) {
    let mut random = Random::new(seed);
    let mut simulator = Simulator::new(program);
    if simulator.end().is_some() {
        return;
    }
    let first = simulator.state().clone();
    let mut stepper = Stepper::new(program, execution);
    assert_eq!(stepper.state(), state(program, &simulator));
    for step in 0..steps {
        if random.below(4) == 0 {
            shake(program, &mut simulator, &mut random);
            stepper.restore(&state(program, &simulator));
        }
        let inputs: Vec<i32> = program
            .inputs
            .iter()
            .map(|input| input.alphabet.nth(random.below(input.alphabet.size() as usize) as u64))
            .collect();
        let context = || format!("{}, seed {seed}, {execution:?}, step {step} on {inputs:?}", program.name);
        assert_eq!(stepper.step(&inputs), simulator.step(&inputs).end, "{}", context());
        let names = program.variables.iter().map(|variable| variable.name.as_str()).chain(std::iter::repeat("a cell"));
        for ((ours, truth), name) in stepper.state().iter().zip(state(program, &simulator)).zip(names) {
            assert_eq!(*ours, truth, "{name}, {}", context());
        }
        if simulator.end().is_some() {
            simulator.restore(first.clone());
            stepper.restore(&state(program, &simulator));
        }
    }
}

#[test]
fn steps_are_those_of_the_simulator_on_problems() {
    for (index, program) in walks::programs(0).iter().enumerate() {
        EXECUTIONS.iter().for_each(|&execution| walk(program, index as u64, execution, 300));
    }
}

#[test]
fn steps_are_those_of_the_simulator_on_random_programs() {
    for seed in seeds(30) {
        let program = load_text(&format!("random program {seed}"), &generate::program(seed, Kind::default()));
        let [one, other] = [Execution::Fast, Execution::Registers(2)];
        walk(&program, seed, if seed % 2 == 0 { one } else { other }, 300);
        walk(&program, seed, Execution::Interpreted, 50);
    }
}

/// The verdicts of a search, with every witness replayed.
fn verdicts(program: &Program, options: &SearchOptions) -> (BTreeMap<String, Option<usize>>, Outcome) {
    let mut found = BTreeMap::new();
    let outcome = search(&Facts::new(program), options, &mut |property, verdict| {
        let steps = match verdict {
            SearchVerdict::Reachable { inputs } => {
                let end = redoubt_witness::replay::end_of(program, &inputs);
                let reached =
                    matches!(end, Some((End::Error(at, _), steps)) if at == property && steps == inputs.len());
                assert!(reached, "{}: {inputs:?} leads to {end:?}", program.name);
                Some(inputs.len())
            }
            SearchVerdict::Unreachable { .. } => None,
        };
        let again = found.insert(program.property(property).name.clone(), steps);
        assert_eq!(again, None, "a property is decided once");
    });
    (found, outcome)
}

/// Verdicts and lengths of witnesses are those of an exhaustive search with the simulator, and no more states are
/// visited.
#[test]
fn verdicts_are_those_of_an_exhaustive_search_on_random_programs() {
    const MOST_STATES: usize = 400;
    let kind = Kind { bounded: true, variables: 3, tables: 2, helpers: 2, rules: 2, ..Kind::default() };
    let (mut decided, mut reached, mut saved) = (0, 0, 0);
    for seed in seeds(60) {
        let program = load_text(&format!("random program {seed}"), &generate::program(seed, kind));
        let Some(truth) = explore::explore(&program, MOST_STATES) else { continue };
        let known: BTreeMap<String, Option<usize>> = program
            .properties
            .iter()
            .map(|property| (property.name.clone(), truth.reached.get(&property.name).map(Vec::len)))
            .collect();
        for execution in [Execution::Fast, Execution::Interpreted] {
            let (found, outcome) = verdicts(&program, &SearchOptions { execution, ..SearchOptions::default() });
            assert_eq!(found, known, "seed {seed}, {execution:?}");
            assert!(outcome.statistics.states <= truth.states, "seed {seed}");
            saved += truth.states - outcome.statistics.states;
        }
        decided += known.len();
        reached += truth.reached.len();
    }
    println!("{decided} properties, {reached} of them reached, {saved} states not told apart");
    assert!(decided > 0 && reached > 0, "the programs are too hard or too dull to say anything");
}

/// The answers and the lengths of witnesses that a folder's `expected.csv` has for a problem.
fn known(problem: &Problem) -> BTreeMap<String, Option<usize>> {
    let folder = problem.files[0].parent().expect("a problem lies in a folder");
    let rows = expected::read(folder).into_iter().filter(|row| row.file == problem.name());
    rows.map(|row| (row.property, row.reachable.then_some(row.witness.len()))).collect()
}

#[test]
fn every_own_problem_is_decided() {
    for problem in problems::own() {
        let program = problem.load();
        for execution in EXECUTIONS {
            let (found, outcome) = verdicts(&program, &SearchOptions { execution, ..SearchOptions::default() });
            assert_eq!(found, known(&problem), "{}", program.name);
            assert!(matches!(outcome.stop, Stop::Closed | Stop::Decided));
            assert_eq!(outcome.statistics.code.is_none(), execution == Execution::Interpreted);
        }
    }
}

/// Problems of the collection with few states, where it is at hand.
#[test]
fn problems_of_the_collection_are_decided() {
    let small = [("2012", "Problem1.c"), ("2013", "Problem28.c"), ("2017", "Problem10.c"), ("2019", "Problem11.c")];
    for (year, name) in small {
        let Some(folder) = problems::collection(year) else {
            eprintln!("skipped: the collection of {year} is not here");
            continue;
        };
        let problem = Problem::new(folder.join(name));
        let (found, outcome) = verdicts(&problem.load(), &SearchOptions::default());
        assert_eq!(outcome.stop, Stop::Closed, "{year}/{name}");
        for (property, truth) in known(&problem) {
            assert_eq!(found[&property].is_some(), truth.is_some(), "{year}/{name}: {property}");
        }
    }
}

/// A program whose variables count as far as they can: its states never end.
fn counters() -> Program {
    let text = "extern void __VERIFIER_error(int);
        int inputs[] = {1,2,3}; int a = 0; int b = 0; int cf = 1;
        void calculate_output(int input) {
            cf = 1;
            if (input == 1) { a = a + 1; cf = 0; }
            if (cf == 1 && input == 2) { b = b + a; cf = 0; }
            if (a == 3 && b == 9) __VERIFIER_error(0);
            if (a == 1000000 && b == -7) __VERIFIER_error(1);
        }
        int main() { while (1) { int input; scanf(\"%d\", &input); calculate_output(input); } }";
    load_text("counters.c", text)
}

#[test]
fn the_search_stops_at_its_memory() {
    let program = counters();
    for memory in [0, 1000, 200_000, 5_000_000] {
        let (found, outcome) = verdicts(&program, &SearchOptions { memory, ..SearchOptions::default() });
        assert_eq!(outcome.stop, Stop::Memory);
        assert!(outcome.statistics.bytes <= memory, "{} bytes of {memory}", outcome.statistics.bytes);
        let used = outcome.statistics.bytes;
        assert!(used >= memory / 4 || memory < 100_000, "{outcome:?} leaves most of {memory} bytes unused");
        let expected = if memory >= 200_000 { BTreeMap::from([("error_0".into(), Some(6))]) } else { BTreeMap::new() };
        assert_eq!(found, expected, "what was found before is kept, and nothing is claimed of the rest");
    }
}

#[test]
fn the_search_stops_when_interrupted() {
    let program = counters();
    let interrupt = Interrupt::default();
    interrupt.raise();
    let (found, outcome) = verdicts(&program, &SearchOptions { interrupt, ..SearchOptions::default() });
    assert_eq!((found.len(), outcome.stop, outcome.statistics.steps), (0, Stop::Interrupted, 0));
    let interrupt = Interrupt::after(Duration::from_millis(100));
    let (found, outcome) =
        verdicts(&program, &SearchOptions { interrupt: interrupt.clone(), ..SearchOptions::default() });
    assert_eq!((found.len(), outcome.stop), (1, Stop::Interrupted));
    assert!(interrupt.elapsed() < Duration::from_secs(20));
}

#[test]
fn the_search_stops_at_its_depth() {
    let program = counters();
    for (depth, found_then) in [(0, 0), (5, 0), (6, 1), (9, 1)] {
        let (found, outcome) = verdicts(&program, &SearchOptions { depth: Some(depth), ..SearchOptions::default() });
        assert_eq!((found.len(), outcome.stop, outcome.statistics.depth), (found_then, Stop::Depth, depth));
    }
}

#[test]
fn the_search_stops_after_its_steps() {
    let (_, outcome) = verdicts(&counters(), &SearchOptions { steps: Some(10_000), ..SearchOptions::default() });
    assert_eq!(outcome.stop, Stop::Steps);
    assert!((10_000..11_000).contains(&outcome.statistics.steps), "{outcome:?}");
}

/// Properties too deep for the memory are found by walking on at random, the same way every time.
#[test]
fn a_sweep_finds_what_is_deep() {
    let text = "extern void __VERIFIER_error(int);
        int inputs[] = {1,2,3}; int noise = 0; int deep = 0;
        void calculate_output(int input) {
            noise = 3 * noise + input;
            if (input != 3 && deep < 60) deep = deep + 1;
            if (deep == 50) __VERIFIER_error(0);
            if (deep == 70 && noise == 5) __VERIFIER_error(1);
        }
        int main() { while (1) { int input; scanf(\"%d\", &input); if (noise == 7) noise = 0; calculate_output(input); } }";
    let program = load_text("deep.c", text);
    let small = SearchOptions { memory: 200_000, ..SearchOptions::default() };
    let (found, outcome) = verdicts(&program, &small);
    assert_eq!((found.len(), outcome.stop), (0, Stop::Memory));
    let runs = [0, 1].map(|_| verdicts(&program, &SearchOptions { sweep: 5000, ..small.clone() }));
    assert!(runs[0].0["error_0"].is_some_and(|steps| steps >= 50), "{runs:?}");
    assert_eq!((runs[0].0.len(), runs[0].1.stop), (1, Stop::Memory));
    assert_eq!(runs[0], runs[1]);
}

/// Only wanted properties are reported, and nothing more is looked for than is needed.
#[test]
fn the_search_stops_when_all_is_decided() {
    let program = counters();
    let properties = Some(vec![PropertyId::new(0)]);
    let (found, outcome) = verdicts(&program, &SearchOptions { properties, ..SearchOptions::default() });
    assert_eq!(found, BTreeMap::from([("error_0".into(), Some(6))]));
    assert_eq!(outcome.stop, Stop::Decided);

    // Others decide the second one in the meantime.
    let settled: Arc<[AtomicBool]> = Arc::from([AtomicBool::new(false), AtomicBool::new(false)]);
    let mut heard = vec![];
    let options = SearchOptions { settled: Some(Arc::clone(&settled)), ..SearchOptions::default() };
    let outcome = search(&Facts::new(&program), &options, &mut |property, _| {
        heard.push(property);
        settled[1].store(true, Ordering::Relaxed);
    });
    assert_eq!((heard, outcome.stop), (vec![PropertyId::new(0)], Stop::Decided));
}

#[test]
fn searches_are_reproducible_and_can_be_sent_to_threads() {
    let program = counters();
    let run = || {
        let mut heard = vec![];
        let options = SearchOptions { memory: 3_000_000, ..SearchOptions::default() };
        let outcome = search(&Facts::new(&program), &options, &mut |property, verdict| heard.push((property, verdict)));
        (heard, outcome)
    };
    let (here, there) = std::thread::scope(|scope| {
        let there = scope.spawn(run);
        (run(), there.join().expect("the search does not panic"))
    });
    assert_eq!(here, there);
}

/// Wide layers, of which a late one has a value that does not fit into the rows.
const WIDE: &str = "input by: 0..7
var a: 0..40 = 0
var b: 0..40 = 0
var c: int = 0
step {
  if by < 3 { a = (a * 2 + by) % 41 } else if by < 6 { b = (b + by * a + 1) % 41 } else { c = (c + a * by) % 19 }
  if a == 40 && b == 40 && by == 2 { c = 2000000000 }
}
property soon: always a < 30
property late: always a + b < 80 || c < 18
property very_late: always c < 100
property never_said: always c < 2000000020
";

/// A search that is divided among threads is the search on one: the same states, the same witnesses, the same end.
#[test]
fn threads_change_nothing() {
    let program = load_model("wide.gcl", WIDE);
    let run = |threads: usize, options: &SearchOptions| {
        let mut heard = vec![];
        let options = SearchOptions { threads: Threads::new(threads), keep: true, ..options.clone() };
        let Outcome { stop, statistics, visited, .. } =
            search(&Facts::new(&program), &options, &mut |property, verdict| heard.push((property, verdict)));
        assert_eq!(options.threads.borrow(9).count(), threads, "what was borrowed is given back");
        // The last findings are counted when there are enough of them.
        let states = if matches!(stop, Stop::Closed | Stop::Depth) { statistics.states } else { 0 };
        (heard, stop, visited, states, statistics.expanded, statistics.steps, statistics.depth)
    };
    let whole = SearchOptions::default();
    let ends = [
        (SearchOptions { steps: Some(100_000), ..whole.clone() }, Stop::Steps),
        (SearchOptions { depth: Some(9), ..whole.clone() }, Stop::Depth),
        (SearchOptions { properties: Some(vec![PropertyId::new(1)]), ..whole.clone() }, Stop::Decided),
        (whole, Stop::Closed),
    ];
    for (options, stop) in ends {
        let alone = run(0, &options);
        assert_eq!(alone.1, stop);
        for threads in [1, 3] {
            let divided = run(threads, &options);
            assert_eq!(divided.0, alone.0, "{threads} threads more, {stop:?}");
            // A search that has found all leaves the rest where it is.
            assert!(divided == alone || stop == Stop::Decided, "{threads} threads more, {stop:?}");
        }
    }
}

/// An error before the first step is reached by no inputs at all.
#[test]
fn a_setup_that_fails_is_reported() {
    let mut program = counters();
    let error = Stmt { kind: StmtKind::Error(PropertyId::new(1)), span: program.stmts[0].span };
    program.setup = add(&mut program, error);
    let program = well_formed(program);
    let (found, outcome) = verdicts(&program, &SearchOptions::default());
    assert_eq!(found, BTreeMap::from([("error_0".into(), None), ("error_1".into(), Some(0))]));
    assert_eq!((outcome.stop, outcome.statistics.states), (Stop::Closed, 0));
}

fn add(program: &mut Program, stmt: Stmt) -> StmtId {
    program.stmts.push(stmt);
    StmtId::new(program.stmts.len() - 1)
}

/// Puts `if (condition) error_1` in front of the step, over an input of its own.
fn with_second_input(alphabet: Vec<i32>) -> Program {
    let mut program = counters();
    program.inputs.push(Input { name: "second".into(), alphabet: Domain::List(alphabet) });
    let span = program.stmts[0].span;
    let exprs = &mut program.exprs;
    let [first, second] = [0, 1].map(|index| exprs.input(InputId::new(index), Type::Int));
    let (sum, seven) = (exprs.binary(BinaryOp::Mul, first, second), exprs.int(-21));
    let guard = exprs.binary(BinaryOp::Eq, sum, seven);
    let error = add(&mut program, Stmt { kind: StmtKind::Error(PropertyId::new(1)), span });
    let choice = StmtKind::Choice(vec![Arm { guard, body: error, span }]);
    let choice = add(&mut program, Stmt { kind: choice, span });
    let step = StmtKind::Sequence(vec![choice, program.step]);
    program.step = add(&mut program, Stmt { kind: step, span });
    well_formed(program)
}

/// A program that was changed by hand.
fn well_formed(program: Program) -> Program {
    program.verify().unwrap_or_else(|malformed| panic!("{malformed}"));
    program
}

#[test]
fn all_combinations_of_inputs_are_tried() {
    let program = with_second_input(vec![-9, -7, -6]);
    let options = SearchOptions { depth: Some(6), ..SearchOptions::default() };
    let mut heard = vec![];
    search(&Facts::new(&program), &options, &mut |property, verdict| heard.push((property, verdict)));
    let SearchVerdict::Reachable { inputs } = &heard[0].1 else { panic!("{heard:?}") };
    assert_eq!((heard[0].0, inputs), (PropertyId::new(1), &vec![vec![3, -7]]));
    assert!(redoubt_witness::replay::end_of(&program, inputs).is_some());
    assert_eq!(heard.len(), 2, "the other one is reached whatever the second input is");

    let outcome =
        search(&Facts::new(&with_second_input((0..70_000).collect())), &SearchOptions::default(), &mut |_, _| {});
    assert_eq!(outcome.stop, Stop::Inputs);
}

/// An input that no decision depends on is not multiplied out.
#[test]
fn inputs_without_influence_do_not_count() {
    let mut program = counters();
    program.inputs.push(Input { name: "second".into(), alphabet: Domain::Range(0, 99_999) });
    let program = well_formed(program);
    let (found, outcome) = verdicts(&program, &SearchOptions { depth: Some(6), ..SearchOptions::default() });
    assert_eq!((found.len(), outcome.stop), (1, Stop::Depth));
}

/// Variables that are only printed, or written by every step before it reads them, do not tell states apart.
#[test]
fn only_what_matters_is_part_of_a_state() {
    let text = "extern void __VERIFIER_error(int);
        int inputs[] = {1,2}; int a = 0; int b = 0; int printed = 0; int copy = 0; int cf = 1; int t[3] = {0,0,0}; int u[2] = {0,0};
        int twice(int x) { if (x > 3) return 1; copy = x; return 2 * copy; }
        void calculate_output(int input) {
            cf = 1;
            printed = printed + input;
            t[input] = printed;
            if (input == 2) { cf = 0; u[a & 1] = input; }
            if (cf == 1) { b = twice(input); a = (a + b) % 5; }
            if (u[0] == 2 && a == 3) __VERIFIER_error(0);
            printf(\"%d\\n\", printed + t[0]);
        }
        int main() { while (1) { int input; scanf(\"%d\", &input); calculate_output(input); } }";
    let program = load_text("slice.c", text);
    let (_, outcome) = verdicts(&program, &SearchOptions::default());
    assert_eq!(outcome.stop, Stop::Closed, "`printed` grows without end");
    assert_eq!(outcome.statistics.columns, 3, "a, u[0] and u[1]");
}

#[test]
#[should_panic(expected = "is not the number of a table")]
fn states_with_wild_pointers_are_refused() {
    let kind = Kind::default();
    let program = load_text("pointers.c", &generate::program(1, kind));
    let mut stepper = Stepper::new(&program, Execution::Fast);
    let mut state = stepper.state().to_vec();
    let pointer = program.variables.iter().position(|variable| variable.ty == Type::Pointer);
    state[pointer.expect("random programs have pointers")] = 1_000_000;
    stepper.restore(&state);
}
