//! Properties of whole runs: small random models with random formulas and fairness, against an oracle that shares nothing with
//! what decides them but the simulator; what single models mean; and the commands.

mod branching;
mod commands;
mod generate;
mod meaning;
mod oracle;

use redoubt::check::{CheckOptions, Means};
use redoubt::engine::Engine;
use redoubt::languages::gcl::format::format;
use redoubt::ledger::Terms;
use redoubt::program::{Program, Status, Timed};
use redoubt::text::SourceFile;
use redoubt::time::{self, Decided, TemporalVerdict};

use crate::common::load_model;
use crate::common::seeds::seeds;
use oracle::Graph;

/// The engines, by turns.
const WAYS: [(Means, Engine); 3] =
    [(Means::Circuit, Engine::Ic3), (Means::Explicit, Engine::Ic3), (Means::Circuit, Engine::KInduction)];

fn decided(program: &Program, timed: &Timed, (means, engine): (Means, Engine)) -> Decided {
    let mut options = CheckOptions { engine, ..CheckOptions::default() };
    options.limits.depth = (engine == Engine::KInduction).then_some(6);
    time::decide(program, timed, means, &options, &Terms::default()).expect("the model is small")
}

/// The status of a property of a model; every finding has been checked.
fn status(program: &Program, name: &str) -> Option<Status> {
    let timed = program.timed.iter().find(|timed| timed.name == name).expect("there is such a property");
    let decided = decided(program, timed, WAYS[0]);
    match &decided.verdict {
        TemporalVerdict::Holds => {
            assert!(decided.is_confirmed(), "{name}");
            Some(Status::Holds)
        }
        TemporalVerdict::Violated(lasso) => {
            assert_eq!(lasso.violates(program, timed), Ok(()), "{name}");
            Some(Status::Violated)
        }
        TemporalVerdict::Unknown(_) => None,
        TemporalVerdict::Branches(_) => panic!("{name} is about one run"),
        TemporalVerdict::Withdrawn(reason) => panic!("{name}: {reason}"),
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
            let found = match &decided.verdict {
                TemporalVerdict::Holds => false,
                TemporalVerdict::Violated(_) => true,
                TemporalVerdict::Unknown(why) => {
                    assert!(way.1 == Engine::KInduction, "seed {seed}: {name} is unknown: {why}\n{}", model.text);
                    open += 1;
                    continue;
                }
                TemporalVerdict::Branches(_) => panic!("seed {seed}: {name} is about one run"),
                TemporalVerdict::Withdrawn(reason) => panic!("seed {seed}: {name}: {reason}\n{}", model.text),
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
