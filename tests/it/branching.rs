//! Formulas of branching time about circuits, the whole way from two texts: verdicts are those of a naive evaluation on all positions,
//! trees of runs replay, certificates are confirmed, and those of other circuits are not.

use redoubt_base::{Interrupt, Limits, Random};
use redoubt_bits::certify::branching::certificate;
use redoubt_checker::{Judgement, branching as checker};
use redoubt_circuit::aiger::{self, Format, Model};
use redoubt_circuit::{Reset, Signal};
use redoubt_driver::hardware::branching::{BranchingVerdict, about_signals, decide, replay, witness};
use redoubt_engine::engine::ctl::explain::Position;
use redoubt_engine::engine::ctl::{Formula, Path, incremental};
use redoubt_formula::{Shown, parse_branching};

use crate::agreement::random;
use crate::common::command::{redoubt_in, run, stderr, stdout};
use crate::common::scratch::Scratch;
use crate::common::seeds::seeds;

/// A set of positions: at most 64, a state in the low bits of the number, and then the inputs.
type Set = u64;

/// All positions of a small model, and the steps between them.
struct Graph<'m> {
    model: &'m Model,
    positions: usize,
    successors: Vec<Set>,
    fairness: Vec<Set>,
    fair: Set,
}

impl<'m> Graph<'m> {
    fn new(model: &'m Model) -> Graph<'m> {
        let circuit = &model.circuit;
        let (latches, inputs) = (circuit.latches.len(), circuit.inputs.len());
        let positions = 1 << (latches + inputs);
        let mut graph = Graph { model, positions, successors: vec![0; positions], fairness: vec![], fair: 0 };
        let going = circuit.constraints.iter().fold(graph.all(), |set, &signal| set & graph.of(signal));
        let next: Vec<Set> = circuit.latches.iter().map(|latch| graph.of(latch.next)).collect();
        for from in (0..positions).filter(|from| going >> from & 1 == 1) {
            let state = next.iter().enumerate().fold(0, |state, (latch, set)| state | (set >> from & 1) << latch);
            let steps = (0..1 << inputs).map(|input: Set| 1 << (state | input << latches));
            graph.successors[from] = steps.fold(0, |set, to: Set| set | to) & going;
        }
        graph.fairness = model.fairness.iter().map(|&signal| graph.of(signal)).collect();
        graph.fair = graph.all();
        graph.fair = graph.globally(graph.all());
        graph
    }

    fn all(&self) -> Set {
        if self.positions == 64 { !0 } else { (1 << self.positions) - 1 }
    }

    /// Where a signal is true.
    fn of(&self, signal: Signal) -> Set {
        let circuit = &self.model.circuit;
        let leaves = circuit.latches.iter().map(|latch| latch.signal).chain(circuit.inputs.iter().map(|i| i.signal));
        let leaves: Vec<usize> = leaves.map(Signal::node).collect();
        let value = |node: usize| {
            let Some(place) = leaves.iter().position(|&leaf| leaf == node) else { return 0 };
            (0..self.positions).filter(|position| position >> place & 1 == 1).fold(0, |set: Set, at| set | 1 << at)
        };
        circuit.gates.evaluate(value).get(signal) & self.all()
    }

    fn before(&self, set: Set) -> Set {
        (0..self.positions).filter(|&at| self.successors[at] & set != 0).fold(0, |set, at| set | 1 << at)
    }

    fn until(&self, f: Set, g: Set) -> Set {
        let mut set = g & self.fair;
        loop {
            let larger = set | f & self.before(set);
            if larger == set {
                return set;
            }
            set = larger;
        }
    }

    /// Emerson and Lei (1986).
    fn globally(&self, f: Set) -> Set {
        let mut set = f & self.fair;
        loop {
            let mut smaller = set & self.before(set);
            for &signal in &self.fairness {
                let mut reaching = smaller & signal;
                loop {
                    let larger = reaching | smaller & self.before(reaching);
                    if larger == reaching {
                        break;
                    }
                    reaching = larger;
                }
                smaller &= self.before(reaching);
            }
            if smaller == set {
                return set;
            }
            set = smaller;
        }
    }

    fn evaluate(&self, formula: &Formula) -> Set {
        match formula {
            Formula::Constant(value) => {
                if *value {
                    self.all()
                } else {
                    0
                }
            }
            Formula::Atom(signal) => self.of(*signal),
            Formula::Not(inner) => !self.evaluate(inner) & self.all(),
            Formula::And(a, b) => self.evaluate(a) & self.evaluate(b),
            Formula::Or(a, b) => self.evaluate(a) | self.evaluate(b),
            Formula::Exists(path) => match path {
                Path::Next(a) => self.before(self.evaluate(a) & self.fair),
                Path::Finally(a) => self.until(self.all(), self.evaluate(a)),
                Path::Globally(a) => self.globally(self.evaluate(a)),
                Path::Until(a, b) => self.until(self.evaluate(a), self.evaluate(b)),
            },
            Formula::All(path) => {
                let violated = match path {
                    Path::Next(a) => self.before(!self.evaluate(a) & self.fair),
                    Path::Finally(a) => self.globally(!self.evaluate(a)),
                    Path::Globally(a) => self.until(self.all(), !self.evaluate(a)),
                    Path::Until(a, b) => {
                        let (a, b) = (self.evaluate(a), self.evaluate(b));
                        self.until(!b, !a & !b) | self.globally(!b)
                    }
                };
                !violated & self.all()
            }
        }
    }

    fn holds(&self, formula: &Formula) -> bool {
        let mut first = self.fair;
        for latch in &self.model.circuit.latches {
            match latch.reset {
                Reset::Zero => first &= !self.of(latch.signal),
                Reset::One => first &= self.of(latch.signal),
                Reset::Free => {}
            }
        }
        first & !self.evaluate(formula) == 0
    }
}

/// A formula as it is written.
fn text(random: &mut Random, names: &[&str], depth: usize) -> String {
    if depth == 0 || random.below(7) == 0 {
        return random.choose(names).into();
    }
    let [a, b] = [(); 2].map(|()| text(random, names, depth - 1));
    match random.below(12) {
        0 => format!("!({a})"),
        1 => format!("({a} & {b})"),
        2 => format!("({a} -> {b})"),
        3 => format!("E[{a} U {b}]"),
        4 => format!("({a} AU {b})"),
        5 => format!("AG EF {}", random.choose(names)),
        6 => format!("AG ({} -> AF {})", random.choose(names), random.choose(names)),
        _ => format!("{} ({a})", random.choose(&["EX", "EF", "EG", "AX", "AF", "AG"])),
    }
}

/// A model of at most 64 positions, as it is read from a file, and what its signals are called there.
fn model(seed: u64, with_fairness: bool) -> Option<(Model, Vec<String>)> {
    let mut circuit = random::circuit(&mut random::Random::new(seed), 4);
    if circuit.latches.len() + circuit.inputs.len() > 6 {
        return None;
    }
    circuit.stop = Signal::FALSE;
    let mut bytes = vec![];
    aiger::write(&mut bytes, &circuit, Format::Ascii, "").expect("a vector takes all");
    let mut model = aiger::read(&bytes).expect("well-formed");
    let numbered = |kind: char, count: usize| (0..count).map(move |number| format!("{kind}{number}"));
    let (latches, inputs) = (model.circuit.latches.len(), model.circuit.inputs.len());
    let names: Vec<String> =
        numbered('l', latches).chain(numbered('i', inputs)).chain(model.properties.iter().cloned()).collect();
    if with_fairness {
        let signals = model.circuit.bad.iter().map(|bad| bad.signal);
        model.fairness = signals.chain(model.circuit.latches.iter().map(|latch| latch.signal)).take(2).collect();
    }
    Some((model, names))
}

fn asked(model: &Model, text: &str) -> Formula {
    let formula = parse_branching::parse(text).expect("a formula");
    about_signals(model, &formula).expect("names of the model")
}

/// The value of a signal at a position.
fn value(model: &Model, at: &Position, signal: Signal) -> bool {
    let circuit = &model.circuit;
    let latches = circuit.latches.iter().map(|latch| latch.signal.node()).zip(at.state.iter().copied());
    let inputs = circuit.inputs.iter().map(|input| input.signal.node()).zip(at.inputs.iter().copied());
    let leaves: std::collections::HashMap<usize, bool> = latches.chain(inputs).collect();
    circuit.gates.evaluate(|node| if leaves.get(&node) == Some(&true) { !0 } else { 0 }).bit(signal)
}

#[test]
fn formulas_about_circuits_are_decided_as_defined() {
    let (mut holding, mut violated, mut whole, mut trees, mut witnesses) = (0, 0, 0, 0, 0);
    for seed in seeds(700) {
        let with_fairness = seed % 3 == 0;
        let Some((model, names)) = model(seed, with_fairness) else { continue };
        let names: Vec<&str> = names.iter().map(String::as_str).collect();
        let graph = Graph::new(&model);
        let random = &mut Random::new(seed);
        for _ in 0..4 {
            let depth = 1 + random.below(3);
            let text = text(random, &names, depth);
            let formula = asked(&model, &text);
            let expected = graph.holds(&formula);
            let limits = Limits::default();
            match decide(&model, &formula, &limits, true).0 {
                BranchingVerdict::Holds(confirmed) => {
                    assert!(expected, "seed {seed}: {text} holds");
                    assert_eq!(confirmed.is_ok(), !with_fairness, "seed {seed}: {text}: {confirmed:?}");
                    holding += 1;
                    // A witness that the formula holds shows that its negation does not.
                    let witness = witness(&model, &formula, &limits);
                    if let Some((tree, shown)) = witness.unwrap_or_else(|why| panic!("seed {seed}: {text}: {why}")) {
                        let is_true = |&signal: &Signal, at: &Position| value(&model, at, signal);
                        assert_eq!(tree.shows(&formula, false, &is_true), Some(shown), "seed {seed}: {text}");
                        witnesses += 1;
                    }
                }
                BranchingVerdict::Violated(tree, shown) => {
                    assert!(!expected, "seed {seed}: {text} is violated");
                    assert_eq!(replay(&model.circuit, &formula, &model.fairness, &tree), Ok(shown));
                    whole += usize::from(shown == Shown::Wholly);
                    trees += usize::from(!tree.because.is_empty());
                    violated += 1;
                }
                other => panic!("seed {seed}: {text}: {other:?}"),
            }
            if !with_fairness {
                let induction = match incremental::check(&model.circuit, &formula, &limits).0 {
                    redoubt_engine::engine::ctl::CtlVerdict::Holds => true,
                    redoubt_engine::engine::ctl::CtlVerdict::Violated(tree) => {
                        assert!(replay(&model.circuit, &formula, &[], &tree).is_ok(), "seed {seed}: {text}");
                        false
                    }
                    redoubt_engine::engine::ctl::CtlVerdict::Open => panic!("seed {seed}: {text} is open"),
                };
                assert_eq!(induction, expected, "seed {seed}: {text} by induction");
            }
        }
    }
    println!(
        "{holding} hold, {witnesses} with runs, {violated} violated: {whole} shown wholly, {trees} by several runs"
    );
    assert!(holding > 200 && violated > 200 && whole > 100 && trees > 30 && witnesses > 100);
}

/// A certificate says nothing about a circuit that steps otherwise.
#[test]
fn certificates_of_other_circuits_are_refuted() {
    let (mut refuted, mut kept) = (0, 0);
    for seed in seeds(400) {
        let Some((model, names)) = model(seed, false) else { continue };
        let names: Vec<&str> = names.iter().map(String::as_str).collect();
        let random = &mut Random::new(seed);
        let text = text(random, &names, 2);
        let formula = asked(&model, &text);
        let limits = Limits::default();
        let (redoubt_engine::engine::ctl::CtlVerdict::Holds, Some(proof)) =
            incremental::check(&model.circuit, &formula, &limits)
        else {
            continue;
        };
        let certificate = certificate(&model.circuit, &proof);
        let mut other = model.clone();
        let latch = random.below(other.circuit.latches.len().max(1));
        let Some(latch) = other.circuit.latches.get_mut(latch) else { continue };
        latch.next = !latch.next;
        let judgement = checker::confirm(&other.circuit, &formula, &certificate, &Interrupt::default());
        if Graph::new(&other).holds(&formula) {
            kept += 1;
        } else {
            assert!(matches!(judgement, Judgement::Refuted(_)), "seed {seed}: {text}: {judgement:?}");
            refuted += 1;
        }
    }
    println!("{refuted} refuted, {kept} still true");
    assert!(refuted > 10);
}

fn asked_of_doorbell(formulas: &[&str], format: &str) -> (Option<i32>, String, String) {
    let mut arguments = vec!["check", "tests/models/doorbell.aag", "--format", format];
    formulas.iter().for_each(|formula| arguments.extend(["--ctl", formula]));
    let output = run(&mut redoubt_in(".", &arguments));
    (output.status.code(), stdout(&output), stderr(&output))
}

#[test]
fn the_command_decides_formulas_about_circuits() {
    let (code, out, _) = asked_of_doorbell(&["AG EF rings", "AG AF rings", "AG (press -> AX l0)"], "text");
    assert_eq!(code, Some(10), "{out}");
    assert!(out.contains("ctl_0                 holds        AG EF rings\n"), "{out}");
    assert!(out.contains("ctl_1                 violated     AG AF rings\n"), "{out}");
    assert!(out.contains("ctl_2                 holds        AG (!press | AX l0)\n"), "{out}");
    assert!(out.contains("2 hold, 1 violated, 0 unknown, all confirmed"), "{out}");
}

/// Formulas that hold on some run have their runs shown, if they are asked for; formulas about all runs have none.
/// Diagrams know no depth, and induction does: that it comes to no end shows nothing.
#[test]
fn a_formula_that_holds_beyond_the_depth_of_its_proof_holds() {
    let output =
        run(&mut redoubt_in("tests/models", &["check", "traffic.aag", "--ctl", "AG EF first", "--depth", "1"]));
    assert_eq!(output.status.code(), Some(0), "{}", stderr(&output));
    assert!(stdout(&output).contains("holds") && stdout(&output).contains("1 not confirmed"), "{}", stdout(&output));
}

#[test]
fn the_command_shows_why_a_formula_holds() {
    let shown = |formula: &str, more: &[&str]| {
        let arguments = [&["check", "tests/models/doorbell.aag", "--ctl", formula], more].concat();
        let output = run(&mut redoubt_in(".", &arguments));
        assert_eq!(output.status.code(), Some(0), "{}", stderr(&output));
        stdout(&output)
    };
    let all = ["--traces", "all"];
    let out = shown("EF rings", &all);
    assert!(out.contains("ctl_0: holds\n  run 1    0 1 0\n"), "{out}");
    let out = shown("EF rings & EF EG rings", &all);
    assert!(out.contains("  run 2    from step 1 of run 1: 0 1 0\n"), "{out}");
    assert!(out.contains("  run 4    from step 3 of run 3: (0)\n"), "{out}");
    assert!(!shown("AG EF rings", &all).contains("run"));
    assert!(!shown("EF rings", &[]).contains("run"));
    let lines = shown("EF rings", &["--traces", "all", "--format", "jsonl"]);
    let line: serde_json::Value = serde_json::from_str(lines.lines().nth(1).expect("a line")).expect("JSON");
    assert_eq!((&line["status"], &line["tree"]["steps"][1]), (&"holds".into(), &"1".into()), "{line}");
}

#[test]
fn models_show_why_a_formula_holds() {
    let text = "system Valve\nenum Position { Shut, Open }\ninput open: bool\nvar at: Position = Shut\n\
        step { if open { at = Open } else { at = Shut } }\n\
        property opens: ctl EF at == Open\nproperty stays: ctl EG at == Shut\nproperty resets: resettable at == Shut\n";
    let scratch = Scratch::new();
    let model = scratch.write("valve.gcl", text).to_string_lossy().into_owned();
    let output = run(&mut redoubt_in(".", &["check", &model, "--traces", "all"]));
    let out = stdout(&output);
    assert_eq!(output.status.code(), Some(0), "{out}{}", stderr(&output));
    let of = |name: &str| out.split_once(&format!("\n{name}: holds\n")).map(|(_, run)| run);
    assert!(of("opens").is_some_and(|run| run.contains("at: Shut -> Open")), "{out}");
    assert!(of("stays").is_some_and(|run| run.contains("for ever")), "{out}");
    assert!(of("resets").is_none(), "{out}");
}

#[test]
fn trees_are_written_for_programs() {
    let (code, out, _) = asked_of_doorbell(&["AG AF rings"], "jsonl");
    assert_eq!(code, Some(10), "{out}");
    let line: serde_json::Value = serde_json::from_str(out.lines().nth(1).expect("a line")).expect("JSON");
    let tree = &line["tree"];
    assert_eq!(line["confirmed"], true, "{out}");
    assert_eq!(tree["because"][0]["loop"].as_u64().or(tree["loop"].as_u64()), Some(0), "{out}");
    assert_eq!(line["formula"], "AG AF rings");
}

#[test]
fn what_is_no_formula_of_the_model_is_refused_with_its_place() {
    let refused = |formula: &str| {
        let (code, _, message) = asked_of_doorbell(&[formula], "text");
        assert_eq!(code, Some(3), "{message}");
        message
    };
    let message = refused("AG EF ring");
    assert!(message.contains("the model has no signal `ring`; did you mean `rings`?"), "{message}");
    assert!(message.contains("--ctl:1:7"), "{message}");
    let message = refused("AG (EF rings");
    assert!(message.contains("the formula ends too early") && message.contains("--ctl:1:13"), "{message}");
}

/// A C program is asked about its steps; each violation was repeated by the simulator.
#[test]
fn the_command_decides_formulas_about_programs() {
    let decided = |formula: &str| {
        let arguments = ["check", "problems/ltl/kettle2017.c", "--format", "jsonl", "--ctl", formula];
        let output = run(&mut redoubt_in(".", &arguments));
        let text = stdout(&output);
        let line: serde_json::Value = serde_json::from_str(text.lines().nth(1).expect("a line")).expect("JSON");
        (line["status"].as_str().unwrap_or("unknown").to_string(), text)
    };
    assert_eq!(decided("AG (iA -> !iB)").0, "holds");
    let output = run(&mut redoubt_in(".", &["check", "problems/ltl/kettle2017.c", "--ctl", "AG EF iQ"]));
    assert_eq!(output.status.code(), Some(3));
    assert!(stderr(&output).contains("the program has no input `iQ`"), "{}", stderr(&output));
}
