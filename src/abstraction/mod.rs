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
