//! The abstraction of programs that compute: variables become regions, assignments relations between them.
//!
//! A bit-level engine drowns in 32-bit products and remainders, but such programs mostly compare their variables
//! with constants, and their arithmetic maps one region between such constants to another. So each variable is
//! replaced by the number of its region, and the resulting program, which can do whatever the first one can, goes
//! to IC3. This is predicate abstraction (Graf and Saidi, 1997) with the predicates known in advance, refined where
//! an abstract run has no counterpart (Clarke, Grumberg, Jha, Lu and Veith, "Counterexample-guided abstraction
//! refinement", 2000).

pub mod concretise;
pub mod refine;
pub mod regions;
pub mod relation;
pub mod translate;

use std::time::Instant;

use crate::analysis::flow;
use crate::circuit::blast::{Width, blast};
use crate::engine::{Decision, Engine, Limits, Proof, Verdict};
use crate::expr::{Expr, ExprId};
use crate::program::{Program, PropertyId, StmtKind};
use crate::system::passes::{self, Passes};
use crate::system::{self, TooLarge};
use concretise::Concrete;
use regions::Cuts;

/// What the abstraction found out about a property.
#[derive(Clone, Debug)]
pub enum Found {
    Reachable(Vec<Vec<i32>>),
    Unreachable(Proof),
}

/// How it went.
#[derive(Clone, Debug, Default)]
pub struct Statistics {
    pub rounds: usize,
    pub latches: usize,
    pub gates: usize,
    pub choices: usize,
    pub spurious: usize,
}

/// Decides properties of a program by visiting the states of its abstraction.
pub fn explore(
    program: &Program,
    wanted: &[PropertyId],
    limits: &Limits,
    report: &mut dyn FnMut(PropertyId, Found),
) -> Result<Statistics, TooLarge> {
    let mut flow = flow::analyse(program)?;
    let base = Cuts::of(program, &mut flow);
    let needed = needed(program);
    let mut explorer = Explorer { program, flow, needed, limits, report, open: wanted.to_vec(), statistics: Statistics::default(), matcher: None };
    let mut places = explorer.round(&base)?;
    while let Some(property) = explorer.open.iter().copied().find(|property| places.contains_key(property)) {
        let mut cuts = base.clone();
        let (mut place, mut partitions) = places.remove(&property).expect("chosen for it");
        loop {
            if limits.interrupt.is_raised() { return Ok(explorer.statistics); }
            if debug() { let v = place.target.map(|v| (&program.variable(v).name, place.variables[v.index()])); eprintln!("  {} step {} {:?} = {}", program.property(property).name, place.step, v, program.exprs.print(place.expr, program)); }
            if !refine::refine(&explorer.flow, &partitions, &place, &mut cuts) {
                if debug() { eprintln!("{}: nothing to refine", program.property(property).name); }
                break;
            }
            let mut found = explorer.round(&cuts)?;
            match found.remove(&property) {
                Some(next) => (place, partitions) = next,
                None => break,
            }
        }
        if debug() { eprintln!("{}: {}", program.property(property).name, if explorer.open.contains(&property) { "open" } else { "decided" }); }
    }
    Ok(explorer.statistics)
}

fn debug() -> bool {
    std::env::var_os("REDOUBT_DEBUG").is_some()
}

struct Explorer<'e, 'p> {
    program: &'p Program,
    flow: flow::Flow<'p>,
    needed: Vec<bool>,
    limits: &'e Limits,
    report: &'e mut dyn FnMut(PropertyId, Found),
    open: Vec<PropertyId>,
    statistics: Statistics,
    matcher: Option<crate::explicit::matching::Matcher<'p>>,
}

type Places = std::collections::BTreeMap<PropertyId, (concretise::Place, std::rc::Rc<Vec<regions::Partition>>)>;

impl Explorer<'_, '_> {
    fn round(&mut self, cuts: &Cuts) -> Result<Places, TooLarge> {
        self.statistics.rounds += 1;
        let start = Instant::now();
        let partitions = cuts.partitions(&self.flow);
        let abstraction = translate::translate(self.program, &mut self.flow, partitions, &self.needed)?;
        let translated = start.elapsed();
        let mut found = vec![];
        let mut options = crate::explicit::Options {
            interrupt: self.limits.interrupt.clone(),
            properties: Some(self.open.clone()),
            steps: Some(40_000),
            execution: crate::explicit::Execution::Interpreted,
            ..Default::default()
        };
        let mut outcome = crate::explicit::search(&abstraction.program, &options, &mut |property, verdict| found.push((property, verdict)));
        if outcome.stop == crate::explicit::Stop::Steps {
            found.clear();
            options.steps = None;
            options.execution = crate::explicit::Execution::Fast;
            outcome = crate::explicit::search(&abstraction.program, &options, &mut |property, verdict| found.push((property, verdict)));
        }
        let searched = start.elapsed();
        let partitions = std::rc::Rc::new(abstraction.partitions.clone());
        let mut places = Places::new();
        let (mut real, mut proved) = (0, 0);
        for (property, verdict) in found {
            let answer = match verdict {
                crate::explicit::Verdict::Unreachable { states } => { proved += 1; Some(Found::Unreachable(Proof::Exhausted { states })) },
                crate::explicit::Verdict::Reachable { inputs } => match concretise::concretise(self.program, &abstraction, &inputs) {
                    Concrete::Real(reached, inputs) if reached == property => { real += 1; Some(Found::Reachable(inputs)) },
                    Concrete::Spurious(place) => {
                        places.insert(property, (place, partitions.clone()));
                        None
                    }
                    other => panic!("{other:?}"),
                },
            };
            if let Some(answer) = answer {
                self.open.retain(|&other| other != property);
                (self.report)(property, answer);
            }
        }
        let mut matched = None;
        if !places.is_empty() {
            let program = self.program;
            let matcher = self.matcher.get_or_insert_with(|| crate::explicit::matching::Matcher::new(program, crate::explicit::Execution::Fast));
            let variables = matcher.variables();
            let number = |position: usize, value: i32| match variables.get(position) {
                Some(variable) => partitions[variable.index()].index_of(value) as u16,
                None => value as u16,
            };
            let (open, report) = (&mut self.open, &mut self.report);
            matched = Some(matcher.search(&number, 4 * outcome.statistics.states + 100_000, &self.limits.interrupt, &mut |property, way| {
                if open.contains(&property) {
                    open.retain(|&other| other != property);
                    places.remove(&property);
                    real += 1;
                    report(property, Found::Reachable(way()));
                }
                !places.is_empty()
            }));
        }
        if debug() {
            eprintln!("  matched {matched:?}");
            eprintln!("round {}: choices {}, {:?} {} states {} steps depth {}, {real} real {proved} proved {} spurious, {} open; translated {translated:?} searched {searched:?} all {:?}",
                self.statistics.rounds, abstraction.choices, outcome.stop, outcome.statistics.states, outcome.statistics.steps, outcome.statistics.depth, places.len(), self.open.len(), start.elapsed());
        }
        self.statistics.choices = abstraction.choices;
        self.statistics.spurious += places.len();
        Ok(places)
    }
}

/// Decides properties of a program on its abstraction, refined until they are decided or nothing more is learnt.
pub fn check(
    program: &Program,
    wanted: &[PropertyId],
    limits: &Limits,
    report: &mut dyn FnMut(PropertyId, Found),
) -> Result<Statistics, TooLarge> {
    let mut flow = flow::analyse(program)?;
    let mut cuts = Cuts::of(program, &mut flow);
    let needed = needed(program);
    let mut open: Vec<PropertyId> = wanted.to_vec();
    let mut statistics = Statistics::default();
    while !open.is_empty() && !limits.interrupt.is_raised() {
        statistics.rounds += 1;
        let start = Instant::now();
        let partitions = cuts.partitions(&flow);
        let abstraction = translate::translate(program, &mut flow, partitions, &needed)?;
        let translated = start.elapsed();
        let (system, _) = passes::run(system::build(&abstraction.program)?, Passes::ALL);
        let mut blasted = blast(&system, Width::Reduced);
        let all = std::mem::take(&mut blasted.circuit.bad);
        blasted.circuit.bad = open.iter().map(|property| all[property.index()].clone()).collect();
        blasted.circuit = blasted.circuit.functionally_reduced();
        statistics.latches = blasted.circuit.latches.len();
        statistics.gates = blasted.circuit.live_gates();
        statistics.choices = abstraction.choices;
        let encoded = start.elapsed();

        let mut left = vec![];
        let mut places = vec![];
        let mut hear = |decision: Decision| {
            let property = open[decision.property];
            match decision.verdict {
                Verdict::Open => {}
                Verdict::Unreachable(proof) => report(property, Found::Unreachable(proof.clone())),
                Verdict::Reachable(trace) => {
                    let run: Vec<Vec<i32>> = trace.inputs.iter().map(|bits| blasted.decode_inputs(bits)).collect();
                    match concretise::concretise(program, &abstraction, &run) {
                        Concrete::Real(reached, inputs) if reached == property => {
                            report(property, Found::Reachable(inputs));
                        }
                        Concrete::Spurious(place) => {
                            left.push(property);
                            places.push(place);
                        }
                        other => panic!("{other:?}"),
                    }
                }
            }
        };
        let outcome = Engine::Ic3.check(&blasted.circuit, Engine::Ic3.backend(), limits, &mut hear);
        if std::env::var_os("REDOUBT_DEBUG").is_some() {
            eprintln!(
                "round {}: {} latches, {} gates, {} choices in {} inputs, {} open, {} spurious; translated {:?} encoded {:?} solved {:?}",
                statistics.rounds, statistics.latches, statistics.gates, statistics.choices, abstraction.program.inputs.len(), open.len(), left.len(), translated, encoded, start.elapsed()
            );
            for place in &places {
                eprintln!("  {} step {} {:?} {}", program.properties[0].name, place.step, place.target.map(|v| &program.variable(v).name), program.exprs.print(place.expr, program));
            }
        }
        let _ = outcome;
        statistics.spurious += places.len();
        let mut news = false;
        for place in &places {
            news |= refine::refine(&flow, &abstraction.partitions, place, &mut cuts);
        }
        left.sort_unstable();
        open = left;
        if !news {
            break;
        }
    }
    Ok(statistics)
}

/// Per variable: whether a condition depends on it.
pub fn needed(program: &Program) -> Vec<bool> {
    let mut needed = vec![false; program.variables.len()];
    let mut assignments: Vec<Vec<ExprId>> = vec![vec![]; needed.len()];
    let mut pending: Vec<ExprId> = vec![];
    for stmt in &program.stmts {
        match &stmt.kind {
            StmtKind::Assign { variable, value } => assignments[variable.index()].push(*value),
            StmtKind::Print { .. } | StmtKind::Halt(_) => {}
            kind => pending.extend(kind.expressions()),
        }
    }
    let mut seen = vec![false; program.exprs.len()];
    while let Some(id) = pending.pop() {
        if std::mem::replace(&mut seen[id.index()], true) {
            continue;
        }
        let expr = program.exprs.get(id);
        pending.extend(expr.operands());
        if let Expr::Var(variable) = expr
            && !std::mem::replace(&mut needed[variable.index()], true)
        {
            pending.extend(&assignments[variable.index()]);
        }
    }
    needed
}
