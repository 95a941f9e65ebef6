//! Random small models, read from text and decided, against sets of states that are visited one by one.

use std::collections::HashMap;
use std::sync::Arc;
use std::time::Duration;

use super::obligations;
use super::{Answer, Execution, Options, Questions, decide};
use crate::base::{Interrupt, Limits, Random};
use crate::ledger::Terms;
use crate::program::PropertyId;
use crate::smv::ast::Branch;
use crate::smv::formula::Formula;
use crate::smv::model::{Kind, Meaning, Model};
use crate::text::{SourceFile, Sources};
use crate::words::simulate::Simulator;
use crate::words::{self, Bits, NodeId, Run, Sort, Stimulus, Value};

/// Larger models are passed over.
const MOST_BITS: u32 = 8;

fn width(model: &words::Model, node: NodeId) -> u32 {
    match model.sort(node) {
        Sort::Bits(width) => width,
        Sort::Array { .. } => u32::MAX,
    }
}

/// A step: the state after it, which signals of fairness it has, and the choices.
struct Step {
    to: usize,
    fair: u32,
    stimulus: Stimulus,
}

/// All states of a model with their steps, found by its words.
struct Graph {
    steps: Vec<Vec<Step>>,
    /// By state: the values of nodes that were asked for.
    values: Vec<HashMap<NodeId, bool>>,
    first: Vec<usize>,
    reachable: Vec<bool>,
}

impl Graph {
    fn of(model: &Model, watched: &[NodeId]) -> Option<Graph> {
        let words = &model.words.model;
        let state_bits: u32 = words.states.iter().map(|state| width(words, state.node)).sum();
        let input_bits: u32 = words.inputs.iter().map(|input| width(words, input.node)).sum();
        if state_bits > MOST_BITS || input_bits > MOST_BITS {
            return None;
        }
        let mut open = words.clone();
        open.states.iter_mut().for_each(|state| state.init = None);
        let split = |mut code: u64, nodes: &[NodeId]| -> Vec<Value> {
            let mut values = vec![];
            for &node in nodes {
                values.push(Value::Bits(Bits::from_u64(width(words, node), code)));
                code >>= width(words, node);
            }
            values
        };
        let state_nodes: Vec<NodeId> = words.states.iter().map(|state| state.node).collect();
        let input_nodes: Vec<NodeId> = words.inputs.iter().map(|input| input.node).collect();
        let all = 1_usize << state_bits;
        let mut graph = Graph { steps: vec![], values: vec![], first: vec![], reachable: vec![false; all] };
        let mut is_state = vec![false; all];
        let mut moves = vec![];
        for (code, is_state) in is_state.iter_mut().enumerate() {
            let states = split(code as u64, &state_nodes);
            let (mut values, mut here) = (HashMap::new(), vec![]);
            for inputs in 0..1_u64 << input_bits {
                let inputs = split(inputs, &input_nodes);
                let stimulus = Stimulus { states: states.iter().cloned().map(Some).collect(), inputs: inputs.clone() };
                let mut simulator = Simulator::new(&open);
                simulator.take(0, &stimulus).expect("nothing is constrained");
                let holds = |nodes: &[NodeId]| nodes.iter().all(|&node| simulator.value(node).is_true());
                if !holds(&model.invariants) || !holds(&model.valid) {
                    continue;
                }
                *is_state = true;
                watched.iter().for_each(|&node| _ = values.insert(node, simulator.value(node).is_true()));
                let has_init = words
                    .states
                    .iter()
                    .zip(&states)
                    .all(|(state, value)| state.init.is_none_or(|init| simulator.value(init) == value));
                if has_init && holds(&model.initial) && graph.first.last() != Some(&code) {
                    graph.first.push(code);
                }
                if holds(&model.steps) {
                    let next: Vec<Option<Value>> = (0..states.len()).map(|state| simulator.next(state)).collect();
                    let fair = model.justice.iter().enumerate();
                    let fair = fair.map(|(place, &node)| u32::from(simulator.value(node).is_true()) << place).sum();
                    here.push((next, fair, Stimulus { states: vec![None; states.len()], inputs }));
                }
            }
            graph.values.push(values);
            moves.push(here);
        }
        for here in moves {
            let mut steps = vec![];
            for (next, fair, stimulus) in here {
                // States that are open in every step go to any value.
                for to in (0..all).filter(|&to| is_state[to]) {
                    let values = split(to as u64, &state_nodes);
                    if next.iter().zip(&values).all(|(next, value)| next.as_ref().is_none_or(|next| next == value)) {
                        steps.push(Step { to, fair, stimulus: stimulus.clone() });
                    }
                }
            }
            graph.steps.push(steps);
        }
        let mut pending = graph.first.clone();
        while let Some(state) = pending.pop() {
            if !std::mem::replace(&mut graph.reachable[state], true) {
                pending.extend(graph.steps[state].iter().map(|step| step.to));
            }
        }
        Some(graph)
    }

    fn until(&self, within: &[bool], mut all: Vec<bool>) -> Vec<bool> {
        loop {
            let more: Vec<usize> = (0..all.len())
                .filter(|&state| !all[state] && within[state] && self.steps[state].iter().any(|step| all[step.to]))
                .collect();
            if more.is_empty() {
                return all;
            }
            more.into_iter().for_each(|state| all[state] = true);
        }
    }

    fn globally(&self, within: &[bool], fairness: usize) -> Vec<bool> {
        let mut all = within.to_vec();
        loop {
            let before = all.clone();
            for place in 0..fairness.max(1) {
                let counts = |step: &Step| fairness == 0 || step.fair >> place & 1 == 1;
                let target: Vec<bool> = (0..all.len())
                    .map(|state| all[state] && self.steps[state].iter().any(|step| counts(step) && all[step.to]))
                    .collect();
                all = self.until(&all, target);
            }
            if all == before {
                return all;
            }
        }
    }

    fn evaluate(&self, formula: &Formula, fair: &[bool], fairness: usize) -> Vec<bool> {
        let of = |formula: &Formula| self.evaluate(formula, fair, fairness);
        let not = |set: Vec<bool>| -> Vec<bool> { set.into_iter().map(|value| !value).collect() };
        let both = |a: &[bool], b: &[bool]| -> Vec<bool> { a.iter().zip(b).map(|(&a, &b)| a && b).collect() };
        let next = |set: &[bool]| -> Vec<bool> {
            self.steps.iter().map(|steps| steps.iter().any(|step| set[step.to] && fair[step.to])).collect()
        };
        match formula {
            Formula::Atom(node) => self.values.iter().map(|values| values.get(node) == Some(&true)).collect(),
            Formula::Not(a) => not(of(a)),
            Formula::And(a, b) => both(&of(a), &of(b)),
            Formula::Or(a, b) => of(a).iter().zip(of(b)).map(|(&a, b)| a || b).collect(),
            Formula::Iff(a, b) => of(a).iter().zip(of(b)).map(|(&a, b)| a == b).collect(),
            Formula::Branching(all, path, _, a) => {
                let a = if *all { not(of(a)) } else { of(a) };
                let found = match (path, all) {
                    (Branch::Next, _) => next(&a),
                    (Branch::Finally, false) | (Branch::Globally, true) => self.until(fair, both(&a, fair)),
                    (Branch::Globally, false) | (Branch::Finally, true) => self.globally(&both(&a, fair), fairness),
                };
                if *all { not(found) } else { found }
            }
            Formula::BranchingUntil(false, _, a, b) => self.until(&both(&of(a), fair), both(&of(b), fair)),
            Formula::BranchingUntil(true, _, a, b) => {
                let (not_a, not_b) = (not(of(a)), not(of(b)));
                let broken = self.until(&both(&not_b, fair), both(&both(&not_a, &not_b), fair));
                let never = self.globally(&both(&not_b, fair), fairness);
                broken.iter().zip(never).map(|(&a, b)| !(a || b)).collect()
            }
            Formula::Linear(..) | Formula::LinearPair(..) => unreachable!("of branching time"),
        }
    }

    /// A run of random steps until a state comes back.
    fn lasso(&self, random: &mut Random) -> Option<Execution> {
        let mut state = *self.first.get(random.below(self.first.len().max(1)))?;
        let (mut seen, mut steps) = (vec![], vec![]);
        loop {
            if let Some(start) = seen.iter().position(|&known| known == state) {
                return Some(Execution { run: Run { steps }, repeats_from: Some(start) });
            }
            seen.push(state);
            let step = self.steps[state].get(random.below(self.steps[state].len().max(1)))?;
            steps.push(step.stimulus.clone());
            state = step.to;
        }
    }
}

/// Texts of small models.
struct Writer<'r> {
    random: &'r mut Random,
    inputs: bool,
}

impl Writer<'_> {
    fn one(&mut self, list: &[&str]) -> String {
        list[self.random.below(list.len())].to_string()
    }

    /// A truth value; with next values and inputs if they may stand there.
    fn truth(&mut self, depth: usize, is_step: bool) -> String {
        if depth == 0 || self.random.below(4) == 0 {
            let mut list = vec!["a", "b", "!a", "x = 1", "x < 2", "s = p", "s != q", "x in {0, 2}", "w = 0ud2_1"];
            if is_step {
                list.extend(["next(a)", "next(x) = x", "next(x) = 0", "next(s) = q", "next(b) <-> a"]);
                list.extend(if self.inputs { &["i"][..] } else { &[] });
            }
            return self.one(&list);
        }
        let (left, right) = (self.truth(depth - 1, is_step), self.truth(depth - 1, is_step));
        match self.random.below(6) {
            0 => format!("!({left})"),
            1 => format!("(({left}) ? ({right}) : a)"),
            _ => format!("({left} {} {right})", self.one(&["&", "|", "->", "<->", "xor"])),
        }
    }

    fn formula(&mut self, depth: usize, is_branching: bool) -> String {
        if depth == 0 {
            return self.truth(1, false);
        }
        let (a, b) = (self.formula(depth - 1, is_branching), self.formula(depth - 1, is_branching));
        match (self.random.below(5), is_branching) {
            (0, _) => format!("(({a}) {} ({b}))", self.one(&["&", "|", "->", "<->"])),
            (1, true) => format!("{} [({a}) U ({b})]", self.one(&["A", "E"])),
            (1, false) => format!("(({a}) {} ({b}))", self.one(&["U", "V", "S", "T"])),
            (_, true) => format!("{} ({a})", self.one(&["EX", "AX", "EF", "AF", "EG", "AG"])),
            (_, false) => {
                format!("{} ({a})", self.one(&["X", "F", "G", "Y", "Z", "O", "H", "F [1,2]", "O [0,1]"]))
            }
        }
    }

    fn model(&mut self) -> String {
        self.inputs = self.random.below(2) == 0;
        let mut text = String::from("MODULE main\nVAR a : boolean; b : boolean; x : 0..2; s : {p, q}; w : word[2];\n");
        if self.inputs {
            text += "IVAR i : boolean;\n";
        }
        text += "ASSIGN\n";
        let starts = ["init(a) := TRUE;", "init(x) := {0, 1};", "init(s) := p;", "init(w) := 0ud2_0;", "init(x) := 2;"];
        let nexts = [
            "next(x) := x < 2 ? x + 1 : 0;",
            "next(x) := case a : {0, x}; TRUE : 0..2; esac;",
            "next(w) := w + 0ud2_1;",
            "next(w) := a ? w << 1 : w;",
            "next(s) := {p, q};",
            "next(s) := case b : p; TRUE : s; esac;",
            "next(b) := a union b;",
            "next(a) := !a;",
        ];
        for list in [&starts[..], &nexts[..]] {
            let mut taken: Vec<&str> = vec![];
            for line in list {
                let target = line.split(" :=").next().unwrap_or_default();
                if self.random.below(2) == 0 && !taken.contains(&target) {
                    taken.push(target);
                    text += &format!("  {line}\n");
                }
            }
        }
        for (section, depth, of) in [("TRANS", 2, 3), ("TRANS", 1, 3), ("INVAR", 1, 4), ("INIT", 1, 3)] {
            if self.random.below(of) == 0 {
                let condition = self.truth(depth, section == "TRANS");
                text += &format!("{section} {condition}\n");
            }
        }
        for _ in 0..self.random.below(3) {
            let condition = self.truth(1, false);
            text += &format!("FAIRNESS {condition}\n");
        }
        for _ in 0..2 {
            let (invariant, branching, linear) = (self.truth(2, false), self.formula(2, true), self.formula(2, false));
            text += &format!("INVARSPEC {invariant}\nCTLSPEC {branching}\nLTLSPEC {linear}\n");
        }
        text
    }
}

fn read(text: &str) -> Option<Questions> {
    let sources = Arc::new(Sources::new(vec![SourceFile::new("random.smv", text)]));
    let (mut model, obligations) = crate::smv::load(&sources).ok()?;
    obligations::check(&mut model, &obligations, &Limits::default()).ok()?;
    Some(Questions { model })
}

#[test]
fn answers_are_those_of_states_one_by_one() {
    let (mut decided, mut violated) = (0, 0);
    for seed in 0..80 {
        let random = &mut Random::new(seed);
        let text = Writer { random, inputs: false }.model();
        println!("seed {seed}\n{text}");
        let Some(questions) = read(&text) else { continue };
        let model = &questions.model;
        let meanings = model.specifications.iter().filter_map(|of| of.meaning.as_ref().ok());
        let watched = meanings.flat_map(|meaning| match meaning {
            Meaning::Invariant { holds, .. } => vec![*holds],
            Meaning::Formula(formula) => formula.atoms(),
            Meaning::Distance { from, to } => vec![*from, *to],
        });
        let Some(graph) = Graph::of(model, &watched.collect::<Vec<_>>()) else { continue };
        let fair = graph.globally(&vec![true; graph.steps.len()], model.justice.len());
        let limits = Limits { interrupt: Interrupt::after(Duration::from_secs(60)), ..Limits::default() };
        let options = Options { limits, properties: None, confirm: true, threads: 1 };
        let report = decide(&questions, &options, &Terms::default(), &mut |_| {}).expect("there is no journal");
        for finding in &report.findings {
            let index: PropertyId = finding.property;
            let holds = match &finding.answer {
                Answer::Unreachable { .. } => true,
                Answer::Reachable { .. } => false,
                other => panic!("{:?}: {other:?}", questions.specification(index).text),
            };
            decided += 1;
            violated += usize::from(!holds);
            let specification = questions.specification(index);
            let expected = match (specification.kind, questions.meaning(index).expect("it was decided")) {
                (Kind::Invariant, Meaning::Invariant { holds, .. }) => {
                    Some((0..graph.steps.len()).all(|state| !graph.reachable[state] || graph.values[state][holds]))
                }
                (Kind::Branching, Meaning::Formula(formula)) => {
                    let sat = graph.evaluate(formula, &fair, model.justice.len());
                    Some(graph.first.iter().all(|&state| !fair[state] || sat[state]))
                }
                (_, meaning) => {
                    // Violations were replayed; what holds is true on runs at random.
                    for _ in 0..20 {
                        let run = graph.lasso(random).map(|run| run.closed(model));
                        let shown = run.is_some_and(|run| run.shows(model, Kind::Linear, meaning));
                        assert!(!(holds && shown), "{} holds, but not on this run", specification.text);
                    }
                    None
                }
            };
            assert!(expected.is_none_or(|expected| expected == holds), "{} ({holds})", specification.text);
        }
    }
    assert!(decided > 150 && violated > 50, "{decided} decided, {violated} violated");
}
