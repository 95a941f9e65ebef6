//! Certificates of formulas that hold: the checker confirms them, as text too, and refuses wrong ones.

use std::sync::Arc;

use redoubt_base::{Interrupt, Limits, Random};
use redoubt_checker::Judgement;
use redoubt_checker::temporal::{self, Graph, Machine, Ranking, Temporal};
use redoubt_driver::ledger::Terms;
use redoubt_driver::ltl::{self, Answer, Exact, Explicit, Explorer, Formulas, Specification};
use redoubt_facts::analysis::Facts;
use redoubt_generate::{self as generate, Dialect, GenerateOptions, Kind, Size};
use redoubt_program::program::{Program, PropertyId};
use redoubt_temporal::properties::{self, Mapping};

use crate::common::command::{name, redoubt_in, run, stdout};
use crate::common::problems::Problem;
use crate::common::scratch::Scratch;
use crate::common::seeds::seeds;
use crate::common::{in_project, load_text};

const MEMORY: usize = 1 << 28;

/// By formula: its certificate if it holds, and `None` if it is violated; nothing if one is not decided or has no certificate.
fn certificates(
    program: &Program,
    specification: &Specification,
    explorer: &dyn Explorer,
) -> Option<Vec<Option<Arc<Temporal>>>> {
    let facts = Facts::new(program);
    let wanted: Vec<PropertyId> = (0..specification.formulas().len()).map(PropertyId::new).collect();
    let (limits, terms) = (Limits::default(), Terms::default());
    let formulas = Formulas { facts: &facts, specification, certify: true };
    let report = ltl::decide(&formulas, &wanted, &[explorer], usize::MAX, &limits, &terms, &mut |_| {});
    let findings = report.expect("there is no journal").findings;
    let certificate = |finding: ltl::Finding| match finding.answer {
        Answer::Reachable { .. } => Some(None),
        Answer::Unreachable { checked, .. } => {
            // There is none where tables are written, or no run is infinite.
            let checked = checked?;
            assert_eq!(checked.judgement, Judgement::Confirmed, "{}", program.name);
            Some(Some(checked.certificate))
        }
        Answer::Unknown(_) => None,
        Answer::Withdrawn { reason, .. } => panic!("{}: {reason}", program.name),
    };
    findings.into_iter().map(certificate).collect()
}

fn own() -> Vec<(Program, Specification)> {
    let folder = in_project("problems/ltl");
    let load = |(program, formulas): (&str, &str)| {
        let list = std::fs::read_to_string(folder.join(formulas)).expect("formulas");
        let program = Problem::new(folder.join(program)).load();
        (program, Specification::new(properties::read(&list).expect("formulas"), Mapping::default()))
    };
    [("kettle2017.c", "constraints-kettle2017.txt"), ("Problem7.c", "properties7.txt")].map(load).into()
}

/// A small generated program with formulas about it, in the form of one of the nine years.
fn generated(seed: u64) -> (Program, Specification) {
    let (kind, dialect) = (Kind::ALL[seed as usize % 3], Dialect::ALL[seed as usize % 9]);
    let options = GenerateOptions { labels: Some(4), ..GenerateOptions::new(seed, Size::Small, kind, dialect) };
    let problem = generate::generate(&options).expect("a program that keeps its promises");
    let formulas = problem.formulas(10, seed).expect("formulas");
    let text: String = formulas.iter().map(|known| format!("{}\n", known.formula)).collect();
    let list = properties::read(&text).expect("formulas");
    (load_text(&problem.file, &problem.text), Specification::new(list, Mapping::default()))
}

#[test]
fn what_holds_is_confirmed_and_can_be_read_again() {
    let mut confirmed = [0, 0];
    for (program, specification) in own().into_iter().chain(seeds(18).map(generated)) {
        let explorers: [&dyn Explorer; 2] = [&Explicit { memory: 1 << 20 }, &Exact { memory: 1 << 17 }];
        for (explorer, confirmed) in explorers.into_iter().zip(&mut confirmed) {
            let Some(found) = certificates(&program, &specification, explorer) else { continue };
            for certificate in found.into_iter().flatten() {
                *confirmed += 1;
                let Temporal { formula, machine, ranking } = &*certificate;
                let text = temporal::text::write(&program, machine, [(&**formula, ranking)]);
                let read = temporal::text::read(&program, &text).expect("what was written can be read");
                assert_eq!(read, ((**machine).clone(), vec![(formula.clone(), ranking.clone())]));
            }
        }
    }
    assert!(confirmed.iter().all(|&count| count > 30), "{confirmed:?}");
}

fn judge(graph: &Graph, specification: &Specification, formula: usize, ranking: &Ranking) -> Judgement {
    let question = temporal::Question::of_names(graph, &specification.formulas()[formula].formula);
    temporal::confirm(graph, &question, ranking, &Interrupt::default())
}

/// Nothing makes the checker confirm a formula that is violated: neither the ranks of others, nor changed ones, nor ranks that
/// name an until for everything.
#[test]
fn no_ranks_show_what_is_not_so() {
    let (mut refused, mut kept) = (0, 0);
    for seed in seeds(20) {
        let (program, specification) = generated(seed);
        let found = certificates(&program, &specification, &Explicit { memory: 1 << 20 });
        let Some(found) = found else { continue };
        let Some(machine) = found.iter().flatten().next().map(|one| Arc::clone(&one.machine)) else { continue };
        let interrupt = Interrupt::default();
        let graph = temporal::graph(&program, &machine, &specification.mapping, &interrupt).expect("it was confirmed");
        let mut random = Random::new(seed);
        for (index, own) in found.iter().enumerate() {
            for other in found.iter().flatten() {
                for _ in 0..3 {
                    let changed = changed(&own.as_ref().unwrap_or(other).ranking, &mut random);
                    let mut claims = vec![changed];
                    if own.is_none() {
                        claims.push(other.ranking.clone());
                        claims.push(everything_at_once(&machine, &other.ranking, &mut random));
                    }
                    for ranking in claims {
                        let judgement = judge(&graph, &specification, index, &ranking);
                        let is_confirmed = judgement == Judgement::Confirmed;
                        assert!(!is_confirmed || own.is_some(), "seed {seed}, formula {index}: {ranking:?}");
                        refused += usize::from(!is_confirmed);
                        kept += usize::from(is_confirmed);
                    }
                }
            }
        }
    }
    assert!(refused > 1000 && kept > 20, "{refused} and {kept}");
}

/// A ranking that is a little different.
fn changed(ranking: &Ranking, random: &mut Random) -> Ranking {
    let mut ranking = ranking.clone();
    for _ in 0..1 + random.below(2) {
        let line = random.below(ranking.ranks.len());
        let ranks = &mut ranking.ranks[line].1;
        match random.below(5) {
            0 if !ranks.is_empty() => drop(ranks.remove(random.below(ranks.len()))),
            1 | 2 if !ranks.is_empty() => {
                let place = random.below(ranks.len());
                ranks[place].1 = random.below(6) as u32;
            }
            3 if !ranking.untils.is_empty() => {
                let place = random.below(ranking.untils.len());
                ranking.untils[place].0 = random.below(6) as u32;
            }
            _ => ranking.untils.push((random.below(6) as u32, random.below(12) as u32)),
        }
    }
    ranking
}

/// One rank for all classes with anything that another ranking knows, with an until for it.
fn everything_at_once(machine: &Machine, ranking: &Ranking, random: &mut Random) -> Ranking {
    let classes = machine.classes.iter().max().map_or(0, |&last| last + 1);
    let all: Vec<(u32, u32)> = (0..classes).map(|class| (class, 0)).collect();
    let ranks = ranking.ranks.iter().map(|(owed, _)| (owed.clone(), all.clone())).collect();
    Ranking { ranks, untils: vec![(0, random.below(12) as u32)], recurrences: vec![] }
}

/// Boxes and classes that are a little different are refused, or still prove true things: each formula that a changed
/// machine confirms with its own ranks holds.
#[test]
fn changed_machines_show_nothing_else() {
    let (mut refused, mut kept) = (0, 0);
    for (program, specification) in own() {
        let found = certificates(&program, &specification, &Explicit { memory: MEMORY }).expect("small problems");
        let machine = found.iter().flatten().next().expect("something holds").machine.clone();
        let mut random = Random::new(7);
        for _ in 0..200 {
            let mut changed = (*machine).clone();
            let boxes = &mut changed.invariant.boxes;
            let (place, other) = (random.below(boxes.len()), random.below(boxes.len()));
            match random.below(4) {
                0 => {
                    boxes.remove(place);
                    changed.classes.remove(place);
                }
                1 => boxes[place] = boxes[other].clone(),
                2 => drop(boxes[place].sides.pop()),
                _ => changed.classes[place] = changed.classes[other],
            }
            let graph = temporal::graph(&program, &changed, &specification.mapping, &Interrupt::default());
            let Ok(graph) = graph else {
                refused += 1;
                continue;
            };
            for (index, own) in found.iter().enumerate() {
                for other in found.iter().flatten() {
                    let judgement = judge(&graph, &specification, index, &other.ranking);
                    assert!(judgement != Judgement::Confirmed || own.is_some(), "{}, formula {index}", program.name);
                    refused += usize::from(judgement != Judgement::Confirmed);
                    kept += usize::from(judgement == Judgement::Confirmed);
                }
            }
        }
    }
    assert!(refused > 200 && kept > 50, "{refused} and {kept}");
}

#[test]
fn the_command_checks_the_file_again() {
    let scratch = Scratch::new();
    let folder = scratch.path("out");
    let problem = name(&in_project("problems/ltl/kettle2017.c"));
    run(&mut redoubt_in(".", &["check", &problem, "-q", "--witness-dir", &name(&folder)]));
    let file = folder.join("kettle2017.ltl.cert");
    let certify = || {
        let output = run(&mut redoubt_in(".", &["certify", &problem, &name(&file)]));
        (output.status.code(), stdout(&output))
    };
    let (code, said) = certify();
    assert_eq!((code, said.lines().count()), (Some(0), 5), "{said}");
    let text = std::fs::read_to_string(&file).expect("a certificate");
    // Every second class becomes one that it is not in.
    let wrong = text.replacen("classes 0 1 2", "classes 0 0 0", 1);
    assert_ne!(wrong, text);
    std::fs::write(&file, wrong).expect("room");
    let (code, said) = certify();
    assert_eq!(code, Some(10), "{said}");
    assert!(said.contains("not certified"), "{said}");
    std::fs::write(&file, text.replace("owes", "owns")).expect("room");
    assert_eq!(certify().0, Some(3));
}

/// A program that changes its state before it calls A invalid; what it answers to B from then on may be something else.
fn changing(answer: u32) -> Program {
    let text = format!(
        "int inputA = 1; int inputB = 2; int x = 0;
        int calculate_output(int input) {{
            if (input == 1 && x == 0) {{ x = 1; return -2; }}
            if (input == 2 && x == 1) {{ x = 0; return 24; }}
            if (input == 2 && x == 0) {{ return {answer}; }}
            return -2;
        }}
        int main() {{
            int output = -1;
            while (1) {{
                int input;
                scanf(\"%d\", &input);
                output = calculate_output(input);
                if (output == -2) fprintf(stderr, \"Invalid input: %d\\n\", input);
                else if (output != -1) printf(\"%d\\n\", output);
            }}
        }}"
    );
    load_text("changing.c", &text)
}

/// An invalid input is no part of a run only if the state does not change, or the program does the same from then on:
/// that both states are in one box implies neither.
#[test]
fn an_input_that_changes_the_state_inside_a_box_is_part_of_the_run() {
    let judge = |program: &Program, boxes: &str, ranks: &str| {
        let text = format!(
            "redoubt certificate 1\nprogram changing.c\n\ninvariant\n{boxes}\nformula ltl_0\nuntil 0 2\n{ranks}\nend\n"
        );
        let (machine, rankings) = temporal::text::read(program, &text).expect("a certificate");
        let list = properties::read("G ! iA\n").expect("a formula");
        let specification = Specification::new(list, Mapping::default());
        let graph = temporal::graph(program, &machine, &Mapping::default(), &Interrupt::default())?;
        let formula = &specification.get(PropertyId::new(0)).formula;
        match temporal::confirm(
            &graph,
            &temporal::Question::of_names(&graph, formula),
            &rankings[0].1,
            &Interrupt::default(),
        ) {
            Judgement::Confirmed => Ok(()),
            other => Err(other),
        }
    };
    let (one, two) = ("box x in {0..1}\nend\nclasses 0\n", "box x in {0}\nbox x in {1}\nend\nclasses 0 0\n");
    // Where A makes a difference, a run has it; and it is violated by `A B A B ...`.
    for boxes in [one, two] {
        assert!(judge(&changing(25), boxes, "owes {2} 0=0").is_err(), "{boxes}");
    }
    // Where it makes none, no run has it.
    for boxes in [one, two] {
        assert_eq!(judge(&changing(24), boxes, "owes {2} 0=0"), Ok(()), "{boxes}");
    }
}
