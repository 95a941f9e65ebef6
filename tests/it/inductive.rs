//! Random certificates of tiny programs, most variables of which their boxes leave open, judged by trying all states.
//!
//! The programs compare with few constants, and either assign constants and copies, so that one number stands for all
//! that lie between two constants, or compute with numbers that a fact keeps few. So a table of all steps decides
//! whether a certificate is inductive, and checking by execution has to say the same.

use std::fmt::Write;

use redoubt_base::{Interrupt, Random};
use redoubt_checker::{Certificate, Fact, Judgement, Literal, NumberSet, Progression, StateBox, execute, text};
use redoubt_program::expr::VarId;
use redoubt_program::program::{Place, Program, PropertyId};
use redoubt_program::simulate::Simulator;

use crate::common::load_text;
use crate::common::seeds::seeds;

const VARIABLES: usize = 4;
const INPUTS: [i32; 3] = [1, 2, 3];
const LABELS: usize = 5;

/// Each number that is tried, and those it stands for.
#[derive(Clone)]
struct Classes(Vec<(i32, Progression)>);

impl Classes {
    /// All integers: below 0, 0 to 4, above.
    fn plain() -> Classes {
        let between = |low, high| Progression { low, high, step: 1 };
        let single = (0..5).map(|number| (number, between(number, number)));
        let first = (-9, between(i32::MIN, -1));
        Classes(std::iter::once(first).chain(single).chain([(77, between(5, i32::MAX))]).collect())
    }

    /// `0..n by step`.
    fn few(step: u32) -> Classes {
        let single = (0..5).map(|number| number * step as i32);
        Classes(single.map(|number| (number, Progression { low: number, high: number, step: 1 })).collect())
    }

    /// Some classes, chosen by their positions, as a set of numbers.
    fn set(&self, chosen: impl Fn(usize) -> bool) -> NumberSet {
        let runs = (0..self.0.len()).filter(|&class| chosen(class)).map(|class| self.0[class].1);
        NumberSet::of_intervals(runs.map(|run| (run.low, run.high)))
    }

    /// A few neighbours.
    fn some(&self, random: &mut Random) -> NumberSet {
        let (a, b) = (random.below(self.0.len()), random.below(self.0.len()));
        self.set(|class| a.min(b) <= class && class <= a.max(b))
    }
}

/// Writes a program of the style of RERS.
struct Writer {
    random: Random,
    /// The step of the numbers that variables have; none if they are compared and copied only.
    step: Option<u32>,
}

impl Writer {
    fn constant(&mut self) -> i32 {
        self.random.below(5) as i32 * self.step.unwrap_or(1) as i32
    }

    fn variable(&mut self) -> String {
        format!("v{}", self.random.below(VARIABLES))
    }

    fn condition(&mut self) -> String {
        let mut text = String::from("cf == 1");
        for _ in 0..self.random.below(4) {
            let (variable, other, constant) = (self.variable(), self.variable(), self.constant());
            let op = self.random.choose(&["==", "==", "==", "<=", ">", "!="]);
            let _ = match self.random.below(8) {
                0 if self.step.is_some() => write!(text, " && {variable} {op} {other}"),
                1 => write!(text, " && ({variable} {op} {constant} || {other} == {constant})"),
                _ => write!(text, " && {variable} {op} {constant}"),
            };
        }
        text
    }

    fn value(&mut self) -> String {
        let (a, b, constant) = (self.variable(), self.variable(), self.constant());
        match (self.step, self.random.below(5)) {
            (_, 0) => a,
            (Some(step), 1) => format!("({a} + {b} + {constant}) % {}", 5 * step),
            (Some(step), 2) => format!("(({a} * {b}) % 5) * {step}"),
            (Some(step), 3) => format!("{} - {a}", 4 * step),
            _ => constant.to_string(),
        }
    }

    fn assignments(&mut self, indent: &str) -> String {
        let mut text = String::new();
        for _ in 0..1 + self.random.below(3) {
            let (variable, value) = (self.variable(), self.value());
            let _ = writeln!(text, "{indent}{variable} = {value};");
        }
        text
    }

    fn rule(&mut self) -> String {
        let (condition, input) = (self.condition(), self.random.choose(&INPUTS));
        let mut text = format!("  if (input == {input} && {condition}) {{\n    cf = 0;\n{}", self.assignments("    "));
        if self.random.below(3) == 0 {
            let (inner, then) = (self.condition().replace("cf == 1", "cf == 0"), self.assignments("      "));
            let _ = writeln!(text, "    if ({inner}) {{\n{then}    }} else {{\n{}    }}", self.assignments("      "));
        }
        text + "  }\n"
    }

    fn program(&mut self) -> String {
        let mut text = String::from("#include <stdio.h>\nint cf = 1;\n");
        (0..VARIABLES).for_each(|index| {
            let constant = self.constant();
            let _ = writeln!(text, "int v{index} = {constant};");
        });
        for function in 0..3 {
            let rules: String = (0..2 + self.random.below(3)).map(|_| self.rule()).collect();
            let _ = writeln!(text, "void rules{function}(int input) {{\n{rules}}}");
        }
        text += "int main() {\n while (1) {\n  int input;\n  scanf(\"%d\", &input);\n  if (input != 1 && input != 2 && \
                 input != 3) return -2;\n  cf = 1;\n";
        for function in 0..3 {
            let _ = writeln!(text, "  if ({}) {{ rules{function}(input); }}", self.condition());
        }
        for label in 0..LABELS {
            let guard: Vec<String> =
                (0..2 + self.random.below(2)).map(|_| format!("{} == {}", self.variable(), self.constant())).collect();
            let _ = writeln!(text, "  if ({}) {{ error_{label}: ; }}", guard.join(" && "));
        }
        text + " }\n}\n"
    }
}

/// All steps of a program from all combinations of classes.
struct Table {
    classes: Classes,
    variables: Vec<VarId>,
    /// Per state: for each input the properties that a step reaches, and the state it leads to, unless it ends the run.
    steps: Vec<Vec<(Vec<PropertyId>, Option<usize>)>>,
    first: usize,
}

impl Table {
    fn new(program: &Program, classes: Classes) -> Table {
        let named = |index: usize| {
            let name = format!("v{index}");
            VarId::new(program.variables.iter().position(|variable| variable.name == name).expect("a variable"))
        };
        let variables: Vec<VarId> = (0..VARIABLES).map(named).collect();
        let mut table = Table { classes, variables, steps: vec![], first: 0 };
        let mut simulator = Simulator::new(program);
        table.first = table.index(&simulator);
        for state in 0..table.classes.0.len().pow(VARIABLES as u32) {
            let step = |input: &i32| {
                table.enter(&mut simulator, state);
                let done = simulator.step(&[*input]);
                let properties = (0..program.properties.len()).map(PropertyId::new);
                let reached = properties.filter(|&property| done.reaches(property)).collect();
                (reached, done.end.is_none().then(|| table.index(&simulator)))
            };
            let steps = INPUTS.iter().map(step).collect();
            table.steps.push(steps);
        }
        table
    }

    fn enter(&self, simulator: &mut Simulator, mut state: usize) {
        simulator.restore(simulator.state().clone());
        for &variable in &self.variables {
            simulator.assign(variable, self.classes.0[state % self.classes.0.len()].0);
            state /= self.classes.0.len();
        }
    }

    fn index(&self, simulator: &Simulator) -> usize {
        let class = |variable: &VarId| {
            let number = simulator.at(Place::Variable(*variable));
            self.classes.0.iter().position(|(_, run)| run.contains(number)).expect("a class of every number")
        };
        self.variables.iter().rev().fold(0, |index, variable| index * self.classes.0.len() + class(variable))
    }

    /// The states that a certificate speaks of.
    fn members(&self, program: &Program, certificate: &Certificate) -> Vec<bool> {
        let mut simulator = Simulator::new(program);
        (0..self.steps.len())
            .map(|state| {
                self.enter(&mut simulator, state);
                certificate.holds_in(&simulator)
            })
            .collect()
    }

    fn holds(&self, program: &Program, certificate: &Certificate) -> bool {
        let members = self.members(program, certificate);
        let is_fine = |(reached, next): &(Vec<PropertyId>, Option<usize>)| {
            reached.iter().all(|property| !certificate.excluded.contains(property))
                && next.is_none_or(|state| members[state])
        };
        let mut inside = self.steps.iter().zip(&members).filter(|(_, is_member)| **is_member);
        members[self.first] && inside.all(|(steps, _)| steps.iter().all(is_fine))
    }

    fn reachable(&self) -> Vec<usize> {
        let mut seen = vec![false; self.steps.len()];
        let (mut found, mut pending) = (vec![], vec![self.first]);
        while let Some(state) = pending.pop() {
            if !std::mem::replace(&mut seen[state], true) {
                found.push(state);
                pending.extend(self.steps[state].iter().filter_map(|(_, next)| *next));
            }
        }
        found
    }
}

/// One program, with the table that judges its certificates.
struct Case {
    program: Program,
    table: Table,
    /// True facts that are claimed as well.
    facts: Vec<Fact>,
    random: Random,
}

impl Case {
    fn new(seed: u64) -> Case {
        let step = [None, Some(1), Some(3)][seed as usize % 3];
        let mut writer = Writer { random: Random::new(seed), step };
        let program = load_text("tiny.c", &writer.program());
        let classes = step.map_or_else(Classes::plain, Classes::few);
        let table = Table::new(&program, classes);
        let fact = |&variable: &VarId| {
            let numbers = step.map(|step| Progression { low: 0, high: 4 * step as i32, step });
            numbers.map(|run| Fact::In(Place::Variable(variable), NumberSet::new(vec![run]).expect("a run")))
        };
        let facts = table.variables.iter().filter_map(fact).collect();
        Case { program, table, facts, random: Random::new(seed) }
    }

    /// The reachable states as boxes, whose sides are dropped one by one as long as the table says that all is well.
    fn boxes(&mut self) -> Certificate {
        let table = &self.table;
        let reachable = table.reachable();
        let reached = |property: &PropertyId| {
            let mut steps = reachable.iter().flat_map(|&state| &table.steps[state]);
            steps.any(|(reached, _)| reached.contains(property))
        };
        let properties = (0..self.program.properties.len()).map(PropertyId::new);
        let point = |&state: &usize| {
            let mut rest = state;
            let side = |&variable: &VarId| {
                let class = rest % table.classes.0.len();
                rest /= table.classes.0.len();
                (variable, table.classes.set(|other| other == class))
            };
            StateBox { sides: table.variables.iter().map(side).collect() }
        };
        // The fewer are excluded, the more can be left open.
        let unreached: Vec<PropertyId> = properties.filter(|property| !reached(property)).collect();
        let excluded = if unreached.is_empty() { vec![] } else { vec![self.random.choose(&unreached)] };
        let mut certificate = Certificate {
            excluded,
            facts: self.facts.clone(),
            boxes: reachable.iter().map(point).collect(),
            ..Certificate::default()
        };
        assert!(table.holds(&self.program, &certificate), "what is reachable is inductive");
        for _ in 0..8 * certificate.boxes.len() {
            let mut other = certificate.clone();
            let at = self.random.below(other.boxes.len());
            let sides = &mut other.boxes[at].sides;
            if sides.is_empty() {
                continue;
            }
            let side = self.random.below(sides.len());
            match self.random.below(3) {
                0 => sides[side].1 = self.table.classes.some(&mut self.random).join(&sides[side].1),
                _ => {
                    sides.remove(side);
                }
            }
            if table.holds(&self.program, &other) {
                certificate = other;
            }
        }
        certificate
    }

    /// Clauses that reachable states satisfy. Whether they are inductive is left to chance.
    fn clauses(&mut self) -> Certificate {
        let mut certificate = Certificate { facts: self.facts.clone(), ..Certificate::default() };
        let reachable = self.table.reachable();
        for _ in 0..60 {
            let mut other = certificate.clone();
            let mut literal = || {
                let variable = self.random.choose(&self.table.variables);
                Literal::In(Place::Variable(variable), self.table.classes.some(&mut self.random))
            };
            other.clauses.push((0..2).map(|_| literal()).collect());
            let members = self.table.members(&self.program, &other);
            if reachable.iter().all(|&state| members[state]) {
                certificate = other;
            }
        }
        let equal = [0, 1].map(|index| Place::Variable(self.table.variables[index]));
        certificate.facts.push(Fact::Equal(equal[0], equal[1]));
        if !self.table.members(&self.program, &certificate)[self.table.first] || self.random.below(2) == 0 {
            certificate.facts.pop();
        }
        let excluded = self.random.below(self.program.properties.len());
        certificate.excluded.push(PropertyId::new(excluded));
        certificate
    }

    /// A certificate with one change.
    fn changed(&mut self, certificate: &Certificate) -> Certificate {
        let mut other = certificate.clone();
        let (random, classes) = (&mut self.random, &self.table.classes);
        match random.below(5) {
            0 if other.boxes.len() > 1 => {
                other.boxes.remove(random.below(other.boxes.len()));
            }
            1 if !other.clauses.is_empty() => {
                other.clauses.remove(random.below(other.clauses.len()));
            }
            2 => other.excluded.push(PropertyId::new(random.below(self.program.properties.len()))),
            _ if !other.boxes.is_empty() => {
                let at = random.below(other.boxes.len());
                let sides = &mut other.boxes[at].sides;
                let variable = random.choose(&self.table.variables);
                sides.retain(|(side, _)| *side != variable || random.below(2) == 0);
                if random.below(2) == 0 {
                    sides.retain(|(side, _)| *side != variable);
                    sides.push((variable, classes.some(random)));
                }
            }
            _ => {}
        }
        other
    }

    /// The judgement of execution, which must not be wrong.
    fn judged(&self, seed: u64, certificate: &Certificate, holds: bool) -> Judgement {
        let judgement = execute::confirm(&self.program, certificate, &Interrupt::default());
        let wrong = match &judgement {
            Judgement::Confirmed => !holds,
            Judgement::Refuted(_) => holds,
            Judgement::Undecided(_) => false,
        };
        let shown = text::write(&self.program, [certificate]);
        assert!(!wrong, "seed {seed}: {judgement:?}, but it holds: {holds}\n{shown}");
        judgement
    }
}

/// Inductive certificates are confirmed, and no others.
#[test]
fn boxes_that_leave_variables_open_are_judged_as_by_trying_all_states() {
    let (mut confirmed, mut refuted, mut undecided, mut sides, mut boxes) = (0, 0, 0, 0, 0);
    for seed in seeds(40) {
        let mut case = Case::new(seed);
        let certificate = case.boxes();
        sides += certificate.boxes.iter().map(|one| one.sides.len()).sum::<usize>();
        boxes += certificate.boxes.len();
        let judgement = case.judged(seed, &certificate, true);
        assert_eq!(judgement, Judgement::Confirmed, "seed {seed}\n{}", text::write(&case.program, [&certificate]));
        for _ in 0..30 {
            let other = case.changed(&certificate);
            let holds = case.table.holds(&case.program, &other);
            match case.judged(seed, &other, holds) {
                Judgement::Confirmed => confirmed += 1,
                Judgement::Refuted(_) => refuted += 1,
                Judgement::Undecided(_) => undecided += usize::from(holds),
            }
        }
    }
    println!(
        "{sides} sides of {boxes} boxes; changed: {confirmed} confirmed, {refuted} refuted, {undecided} not shown"
    );
    assert!(confirmed > 100 && refuted > 100 && 50 * undecided <= confirmed, "{confirmed} {refuted} {undecided}");
    assert!(sides < VARIABLES * boxes * 3 / 4, "{sides} sides of {boxes} boxes");
}

/// The same for clauses and equalities.
#[test]
fn clauses_are_judged_as_by_trying_all_states() {
    let (mut confirmed, mut refuted, mut undecided) = (0, 0, 0);
    for seed in seeds(100) {
        let mut case = Case::new(seed + 1000);
        let certificate = case.clauses();
        for _ in 0..6 {
            let other = case.changed(&certificate);
            let holds = case.table.holds(&case.program, &other);
            match case.judged(seed, &other, holds) {
                Judgement::Confirmed => confirmed += 1,
                Judgement::Refuted(_) => refuted += 1,
                Judgement::Undecided(_) => undecided += usize::from(holds),
            }
        }
    }
    println!("{confirmed} confirmed, {refuted} refuted, {undecided} not shown");
    assert!(confirmed > 50 && refuted > 50 && 20 * undecided <= confirmed, "{confirmed} {refuted} {undecided}");
}
