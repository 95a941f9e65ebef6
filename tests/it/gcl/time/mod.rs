//! Properties of whole runs: small random models with random formulas and fairness, against an oracle that shares nothing with
//! what decides them but the simulator; what single models mean; and the commands.

mod branching;
mod commands;
mod generate;
mod meaning;
mod oracle;

use redoubt_base::{Limits, Random};
use redoubt_checker::Judgement;
use redoubt_checker::temporal::Ranking;
use redoubt_driver::check::{CheckOptions, Means};
use redoubt_driver::time::{self, Answer, Finding, Reason, Violation, judge_ranks};
use redoubt_engine::engine::Engine;
use redoubt_languages::gcl::format::format;
use redoubt_program::program::{Program, Status, Timed};
use redoubt_program::text::SourceFile;
use redoubt_states::explicit::visited::{Effort, visit};

use crate::common::load_model;
use crate::common::seeds::seeds;
use oracle::Graph;

/// The engines, by turns: programs of loops on a circuit, and the states of the model.
const WAYS: [(Means, Engine); 3] =
    [(Means::Circuit, Engine::Ic3), (Means::Explicit, Engine::Ic3), (Means::Circuit, Engine::KInduction)];

fn decided(program: &Program, timed: &Timed, (means, engine): (Means, Engine)) -> Finding {
    let mut options = CheckOptions { engine, ..CheckOptions::default() };
    options.limits.depth = (engine == Engine::KInduction).then_some(6);
    time::decide_one(program, timed, means, &options).0
}

/// The status of a property of a model; every finding has been checked.
fn status(program: &Program, name: &str) -> Option<Status> {
    let timed = program.timed.iter().find(|timed| timed.name == name).expect("there is such a property");
    let decided = decided(program, timed, WAYS[0]);
    match &decided.answer {
        Answer::Unreachable { .. } => {
            assert!(decided.is_confirmed(), "{name}");
            Some(Status::Holds)
        }
        Answer::Reachable { run: Violation::Lasso(lasso) } => {
            assert_eq!(lasso.violates(program, timed), Ok(()), "{name}");
            Some(Status::Violated)
        }
        Answer::Unknown(_) => None,
        Answer::Reachable { run: Violation::Tree(_) } => panic!("{name} is about one run"),
        Answer::Withdrawn { reason, .. } => panic!("{name}: {reason}"),
    }
}

/// All verdicts agree with a search of all runs, by the definition of every operator.
#[test]
fn verdicts_are_those_of_an_exhaustive_search() {
    let (mut held, mut violated, mut open, mut unconfirmed) = (0, 0, 0, 0);
    for seed in seeds(30) {
        let model = generate::model(seed);
        let program = load_model(&format!("random model {seed}"), &model.text);
        let written = format(&SourceFile::new("a.gcl", model.text.clone())).expect("it is well-formed");
        assert_eq!(format(&SourceFile::new("a.gcl", written.clone())).ok(), Some(written), "seed {seed}");
        let Some(graph) = Graph::of(&program, &model, 60) else { continue };
        for (number, (name, formula)) in model.properties.iter().enumerate() {
            let Some(is_violated) = graph.has_violation(formula) else { continue };
            let timed = program.timed.iter().find(|timed| timed.name == *name).expect("it is there");
            let way = WAYS[(seed as usize + number) % WAYS.len()];
            let decided = decided(&program, timed, way);
            let found = match &decided.answer {
                Answer::Unreachable { checked, .. } => {
                    let of_states =
                        checked.as_ref().map(|checked| matches!(*checked.certificate, Reason::States { .. }));
                    assert_eq!(of_states == Some(true), way.0 == Means::Explicit, "seed {seed}: {name}");
                    false
                }
                Answer::Reachable { run: Violation::Lasso(_) } => true,
                Answer::Unknown(why) => {
                    assert!(way.1 == Engine::KInduction, "seed {seed}: {name} is unknown: {why}\n{}", model.text);
                    open += 1;
                    continue;
                }
                Answer::Reachable { run: Violation::Tree(_) } => panic!("seed {seed}: {name} is about one run"),
                Answer::Withdrawn { reason, .. } => panic!("seed {seed}: {name}: {reason}\n{}", model.text),
            };
            assert_eq!(found, is_violated, "seed {seed}: {way:?} is wrong about {name}\n{}", model.text);
            *if found { &mut violated } else { &mut held } += 1;
            // The proofs of k-induction are not certified.
            unconfirmed += usize::from(way.1 != Engine::KInduction && !decided.is_confirmed());
        }
    }
    assert!(held > 20 && violated > 20, "{held} held, {violated} violated, {open} open");
    assert!(unconfirmed * 10 <= held, "{unconfirmed} of {held} are not confirmed");
}

/// A violated property has no ranks, so the checker takes none, whatever they are; and it takes no list that lacks a
/// state.
#[test]
fn the_checker_takes_no_ranks_of_what_is_violated() {
    let (mut refused, mut shortened) = (0, 0);
    for seed in seeds(40) {
        let model = generate::model(seed);
        let program = load_model(&format!("random model {seed}"), &model.text);
        if Graph::of(&program, &model, 60).is_none() {
            continue;
        }
        let mut random = Random::new(seed);
        for timed in &program.timed {
            let decided = decided(&program, timed, WAYS[1]);
            let limits = Limits::default();
            let effort = Effort { states: 1_000, steps: 1_000_000, bytes: 1 << 30 };
            let visited = visit(&program, timed.atoms.clone(), effort, &limits).expect("a small model");
            if let Answer::Unreachable { checked: Some(checked), .. } = &decided.answer {
                let Reason::States { states, ranking } = &*checked.certificate else { panic!("{}", timed.name) };
                let mut fewer = (**states).clone();
                let removed = random.below(fewer.number);
                fewer.rows.drain(removed * fewer.places.len()..(removed + 1) * fewer.places.len());
                fewer.number -= 1;
                let judged = judge_ranks(&program, timed, &fewer, ranking, &limits.interrupt);
                // Without places all states are the same.
                let is_other = states.places.is_empty() || judged != Judgement::Confirmed;
                assert!(is_other, "seed {seed}: {} without state {removed}\n{}", timed.name, model.text);
                shortened += 1;
                continue;
            }
            for _ in 0..20 {
                let mut ranking = Ranking::default();
                let rank = |random: &mut Random| random.below(3) as u32;
                for parts in 0..1 << 6 {
                    let owed = (0..6_u32).filter(|part| parts >> part & 1 == 1).collect();
                    let classes = 0..=visited.states.number as u32;
                    ranking.ranks.push((owed, classes.map(|class| (class, rank(&mut random))).collect()));
                }
                ranking.recurrences = (0..program.fairness.len().min(3)).map(|it| (it as u32, it as u32)).collect();
                let judged = judge_ranks(&program, timed, &visited.states, &ranking, &limits.interrupt);
                assert!(judged != Judgement::Confirmed, "seed {seed}: {}\n{}", timed.name, model.text);
                refused += 1;
            }
        }
    }
    assert!(refused > 200 && shortened > 10, "{refused} and {shortened}");
}
