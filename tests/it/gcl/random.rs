//! Random models: all verdicts of engines agree with an exhaustive search with the simulator, and formatting changes
//! nothing but the look of a text.

use redoubt_base::Limits;
use redoubt_driver::check::{self, Answer, CheckOptions};
use redoubt_engine::engine::Engine;
use redoubt_languages::gcl;
use redoubt_program::expr::VarId;
use redoubt_program::program::assigned::read_before_assigned;
use redoubt_program::program::{Scope, print};
use redoubt_program::text::SourceFile;

use crate::common::generate::model::{model, rich_model};
use crate::common::seeds::seeds;
use crate::common::{explore, load_model};

#[test]
fn engines_agree_with_exhaustive_search() {
    engines_agree(25, 250, model);
}

#[test]
fn engines_agree_about_records_functions_and_modules() {
    engines_agree(25, 400, rich_model);
}

fn engines_agree(models: u64, most_states: usize, model: fn(u64) -> String) {
    let (mut decided, mut open, mut reached) = (0, 0, 0);
    for seed in seeds(models) {
        let program = load_model(&format!("random model {seed}"), &model(seed));
        if program.inputs.iter().map(|input| input.alphabet.size()).product::<u64>() > 600 {
            continue;
        }
        let Some(truth) = explore::explore(&program, most_states) else { continue };
        reached += truth.reached.len();
        for (name, status) in super::searched(&program) {
            let property = program.properties.iter().find(|property| property.name == name).expect("it is there");
            let expected = property.kind.status(truth.reached.contains_key(&name));
            assert_eq!(status, Some(expected), "seed {seed}: the search is wrong about {name}\n{}", model(seed));
        }
        for engine in Engine::ALL {
            let limits = Limits { depth: (engine != Engine::Ic3).then_some(6), ..Limits::default() };
            for (name, status) in super::statuses(&program, engine, limits) {
                let property = program.properties.iter().find(|property| property.name == name).expect("it is there");
                let expected = property.kind.status(truth.reached.contains_key(&name));
                let is_right = status.is_none_or(|status| status == expected);
                assert!(is_right, "seed {seed}: {engine:?} is wrong about {name}: {status:?}\n{}", model(seed));
                *if status.is_some() { &mut decided } else { &mut open } += 1;
            }
        }
    }
    println!("{decided} verdicts, {open} open, {reached} properties reached");
    assert!(decided > 2 * open && reached > 0, "the models are too hard or too dull: {decided}, {open}, {reached}");
}

/// All engines together decide and confirm what IC3 alone does, and say nothing else.
#[test]
fn together_engines_are_as_good_as_one() {
    let (mut proofs, mut runs) = (0, 0);
    for seed in seeds(25) {
        let program = load_model(&format!("random model {seed}"), &model(seed));
        let alone = check::check(&program, &CheckOptions::default(), |_| {}).expect("small");
        let together = check::check_together(&program, &CheckOptions::default(), |_| {}).expect("small");
        for (one, all) in alone.findings.iter().zip(&together.findings) {
            let what = format!("seed {seed}: {}\n{}", program.property(one.property).name, model(seed));
            assert!(!one.is_confirmed() || all.is_confirmed(), "{what}");
            match (&one.answer, &all.answer) {
                (Answer::Reachable { .. }, Answer::Reachable { .. }) => runs += 1,
                (Answer::Unreachable { .. }, Answer::Unreachable { .. }) => proofs += 1,
                (one, all) => panic!("{what}\n{one:?}\n{all:?}"),
            }
        }
    }
    println!("{proofs} proofs, {runs} runs");
    assert!(proofs > 50 && runs > 50, "{proofs} proofs, {runs} runs");
}

#[test]
fn formatting_keeps_the_meaning() {
    for seed in seeds(40) {
        let text = if seed % 2 == 0 { model(seed) } else { rich_model(seed) };
        let formatted = gcl::format::format(&SourceFile::new("model.gcl", text.clone())).expect("a good model");
        let again = gcl::format::format(&SourceFile::new("model.gcl", formatted.clone())).expect("a good model");
        assert_eq!(formatted, again, "seed {seed}");
        // Lines stay where they are, so even the names of places do; columns do not.
        let printed = |text: &str| -> Vec<String> {
            let text = print::print(&load_model("model.gcl", text));
            text.lines().filter(|line| !line.contains("visited")).map(str::to_string).collect()
        };
        assert_eq!(printed(&text), printed(&formatted), "seed {seed}");
    }
}

/// The locals of a model are what lowering adds. They carry nothing from one step to the next, since they are written
/// before they are read.
#[test]
fn locals_are_written_before_they_are_read() {
    let mut found = 0;
    for seed in seeds(50) {
        let text = if seed % 2 == 0 { model(seed) } else { rich_model(seed) };
        let program = load_model(&format!("random model {seed}"), &text);
        let is_local = |&id: &VarId| program.variable(id).scope == Scope::Local;
        let locals: Vec<VarId> = (0..program.variables.len()).map(VarId::new).filter(is_local).collect();
        found += locals.len();
        let read: Vec<&str> =
            read_before_assigned(&program, &locals).iter().map(|(id, _)| program.variable(*id).name.as_str()).collect();
        assert!(read.is_empty(), "seed {seed}: {read:?} may be read before anything is written to them\n{text}");
    }
    assert!(found > 0, "no model needs a local");
}
