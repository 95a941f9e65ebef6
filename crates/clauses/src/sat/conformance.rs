//! The duties of every solver: the same random call sequences, each answer against brute force.
//!
//! A sequence adds clauses and solves in turns, with assumptions and temporary clauses, so that state
//! left behind by one call shows in the next. A failing sequence is printed with its seed after its
//! calls have been dropped one by one as long as it still fails.

use super::{Answer, Backend, Interrupt, Solver};
use crate::cnf::{Lit, Var};

#[derive(Clone, Debug)]
enum Call {
    Add(Vec<Lit>),
    /// The first literal's variable is the conjunction of the other two.
    Define([Lit; 3]),
    Prefer(Lit),
    Solve {
        assumptions: Vec<Lit>,
        temporary: Option<Vec<Lit>>,
    },
}

/// Random clauses and calls.
struct Random(redoubt_base::Random);

impl Random {
    fn below(&mut self, bound: u64) -> u64 {
        self.0.bits() % bound
    }

    fn lit(&mut self, variables: u32) -> Lit {
        Var(self.below(u64::from(variables)) as u32).literal(self.below(2) == 0)
    }

    fn lits(&mut self, variables: u32, least: u64, most: u64) -> Vec<Lit> {
        let size = least + self.below(most - least + 1);
        (0..size).map(|_| self.lit(variables)).collect()
    }

    fn calls(&mut self, variables: u32) -> Vec<Call> {
        let mut calls = Vec::new();
        // The upper variables are gates, defined over lower ones only.
        for gate in variables / 2 + 1..variables {
            if self.below(2) == 0 {
                let operands = [self.lit(gate), self.lit(gate)];
                calls.push(Call::Define([Var(gate).positive(), operands[0], operands[1]]));
            }
        }
        for _ in 0..8 {
            for _ in 0..self.below(2 * u64::from(variables)) {
                calls.push(Call::Add(self.lits(variables, 2, 3)));
            }
            if self.below(4) == 0 {
                calls.push(Call::Prefer(self.lit(variables)));
            }
            calls.push(Call::Solve {
                assumptions: self.lits(variables, 0, 4),
                temporary: (self.below(2) == 0).then(|| self.lits(variables, 1, 4)),
            });
        }
        calls
    }
}

fn satisfied(clause: &[Lit], assignment: u32) -> bool {
    clause.iter().any(|lit| (assignment >> lit.var().0 & 1 == 1) != lit.is_negative())
}

fn satisfiable(clauses: &[Vec<Lit>], units: &[Lit], variables: u32) -> bool {
    (0..1u32 << variables).any(|assignment| {
        units.iter().all(|&unit| satisfied(&[unit], assignment))
            && clauses.iter().all(|clause| satisfied(clause, assignment))
    })
}

/// Runs a sequence of calls; the first wrong answer is the error.
fn run(backend: Backend, variables: u32, calls: &[Call]) -> Result<(), String> {
    let mut solver = backend.solver();
    let vars: Vec<Var> = (0..variables).map(|_| solver.new_var()).collect();
    let mut clauses = Vec::new();
    let mut definitions = Vec::new();
    for (step, call) in calls.iter().enumerate() {
        match call {
            Call::Add(clause) => {
                solver.add_clause(clause);
                clauses.push(clause.clone());
            }
            Call::Define([gate, a, b]) => {
                let defining = [vec![!*gate, *a], vec![!*gate, *b], vec![*gate, !*a, !*b]];
                let slices: Vec<&[Lit]> = defining.iter().map(Vec::as_slice).collect();
                solver.add_definition(gate.var(), &[a.var(), b.var()], &slices);
                definitions.extend(defining);
            }
            Call::Prefer(lit) => solver.prefer(*lit),
            Call::Solve { assumptions, temporary } => {
                let mut formula = clauses.clone();
                formula.extend(temporary.clone());
                let answer = solver.solve_with(assumptions, temporary.as_deref());
                let asked = Asked { definitions: &definitions, formula, assumptions };
                check_answer(solver.as_ref(), answer, &asked, &vars)
                    .map_err(|error| format!("call {step}: {error}"))?;
            }
        }
    }
    Ok(())
}

struct Asked<'a> {
    definitions: &'a [Vec<Lit>],
    /// The other clauses, the temporary one among them.
    formula: Vec<Vec<Lit>>,
    assumptions: &'a [Lit],
}

fn check_answer(solver: &dyn Solver, answer: Answer, asked: &Asked, vars: &[Var]) -> Result<(), String> {
    match answer {
        Answer::Unknown => Err("unknown without an interrupt".into()),
        Answer::Satisfiable => check_model(solver, asked, vars),
        Answer::Unsatisfiable => {
            let mut core = asked.assumptions.to_vec();
            core.retain(|&lit| solver.failed(lit));
            let all = [asked.definitions, &asked.formula].concat();
            match satisfiable(&all, &core, vars.len() as u32) {
                true => Err(format!("satisfiable under the core {core:?}")),
                false => Ok(()),
            }
        }
    }
}

/// A partial model must hold however it is completed according to the definitions.
fn check_model(solver: &dyn Solver, asked: &Asked, vars: &[Var]) -> Result<(), String> {
    let mut model: Vec<Lit> = vars.iter().flat_map(|var| [var.positive(), var.negative()]).collect();
    model.retain(|&lit| solver.value(lit) == Some(true));
    if model.iter().any(|&lit| solver.value(!lit) != Some(false)) {
        return Err(format!("model {model:?} has two values for a variable"));
    }
    let assumed = asked.assumptions.iter().map(|&lit| vec![lit]);
    let wanted: Vec<Vec<Lit>> = asked.formula.iter().cloned().chain(assumed).collect();
    let mut completions = 0;
    for assignment in 0..1u32 << vars.len() {
        let completes = model.iter().all(|&lit| satisfied(&[lit], assignment))
            && asked.definitions.iter().all(|d| satisfied(d, assignment));
        if !completes {
            continue;
        }
        completions += 1;
        if let Some(clause) = wanted.iter().find(|c| !satisfied(c, assignment)) {
            return Err(format!("model {model:?} falsifies {clause:?}"));
        }
    }
    match completions {
        0 => Err(format!("model {model:?} falsifies a definition")),
        _ => Ok(()),
    }
}

fn shrink(backend: Backend, variables: u32, mut calls: Vec<Call>) -> Vec<Call> {
    let mut index = 0;
    while index < calls.len() {
        let mut fewer = calls.clone();
        fewer.remove(index);
        if run(backend, variables, &fewer).is_err() {
            calls = fewer;
        } else {
            index += 1;
        }
    }
    calls
}

fn conforms(backend: Backend) {
    for seed in 0..400 {
        let mut random = Random(redoubt_base::Random::new(seed));
        let variables = 3 + random.below(8) as u32;
        let calls = random.calls(variables);
        if run(backend, variables, &calls).is_err() {
            let calls = shrink(backend, variables, calls);
            let error = run(backend, variables, &calls);
            panic!("{backend:?}, seed {seed}, {variables} variables: {error:?} in {calls:#?}");
        }
    }
}

#[test]
fn cadical_conforms() {
    conforms(Backend::Cadical);
}

#[test]
fn batsat_conforms() {
    conforms(Backend::Batsat);
}

#[test]
fn cone_conforms() {
    conforms(Backend::Cone);
}

/// Pigeons that do not fit: hard for every solver here, so it must be the interrupt that ends the call.
#[test]
fn interrupts_end_hard_calls() {
    const HOLES: usize = 12;
    for backend in Backend::ALL {
        let mut solver = backend.solver();
        let sits: Vec<Vec<Lit>> =
            (0..=HOLES).map(|_| (0..HOLES).map(|_| solver.new_var().positive()).collect()).collect();
        for (pigeon, holes) in sits.iter().enumerate() {
            solver.add_clause(holes);
            for other in &sits[..pigeon] {
                for (a, b) in holes.iter().zip(other) {
                    solver.add_clause(&[!*a, !*b]);
                }
            }
        }
        let interrupt = Interrupt::after(std::time::Duration::from_millis(50));
        solver.set_interrupt(interrupt.clone());
        assert_eq!(solver.solve(&[]), Answer::Unknown, "{backend:?}");
        assert!(interrupt.is_raised());
        // The solver is still of use afterwards.
        interrupt.set_deadline(None);
        let crowded: Vec<Lit> = sits[..2].iter().map(|holes| holes[0]).collect();
        assert_eq!(solver.solve(&crowded), Answer::Unsatisfiable, "{backend:?}");
    }
}
