//! Formulas of branching time: diagrams agree with a naive evaluation on all positions of a small model.

use redoubt_base::{Limits, Random};
use redoubt_driver::check::{CheckOptions, Means};
use redoubt_driver::time::{self, Answer, Violation};
use redoubt_engine::engine::ctl::By;
use redoubt_formula::Shown;
use redoubt_program::program::{Program, Status, Timed};

use super::generate::{self, Atom};
use super::oracle::Graph;
use crate::common::load_model;
use crate::common::seeds::seeds;

/// A formula with all the operators of the language.
#[derive(Clone, Debug)]
pub enum Formula {
    Atom(Atom),
    Not(Box<Formula>),
    Join(&'static str, Box<Formula>, Box<Formula>),
    Path(&'static str, Box<Formula>),
    Until(&'static str, Box<Formula>, Box<Formula>),
}

impl Formula {
    fn text(&self) -> String {
        match self {
            Formula::Atom(atom) => format!("({})", atom.text()),
            Formula::Not(a) => format!("!{}", a.text()),
            Formula::Join(word, a, b) | Formula::Until(word, a, b) => format!("({} {word} {})", a.text(), b.text()),
            Formula::Path(word, a) => format!("({word} {})", a.text()),
        }
    }

    pub fn is_of_steps(&self) -> bool {
        match self {
            Formula::Atom(atom) => atom.is_of_a_step(),
            Formula::Not(a) | Formula::Path(_, a) => a.is_of_steps(),
            Formula::Join(_, a, b) | Formula::Until(_, a, b) => a.is_of_steps() || b.is_of_steps(),
        }
    }
}

fn formula(r: &mut Random, depth: usize, with_steps: bool) -> Formula {
    if depth == 0 || r.below(6) == 0 {
        return Formula::Atom(generate::atom(r, with_steps));
    }
    let a = Box::new(formula(r, depth - 1, with_steps));
    let b = |r: &mut Random| Box::new(formula(r, depth - 1, with_steps));
    match r.below(10) {
        0 => Formula::Not(a),
        1 | 2 => Formula::Join(r.choose(&["&&", "||", "->", "<->"]), a, b(r)),
        3 | 4 => Formula::Until(r.choose(&["EU", "AU"]), a, b(r)),
        _ => Formula::Path(r.choose(&["EX", "EF", "EG", "AX", "AF", "AG"]), a),
    }
}

fn named<'p>(program: &'p Program, name: &str) -> &'p Timed {
    program.timed.iter().find(|timed| timed.name == name).expect("there is such a property")
}

fn decided(program: &Program, name: &str) -> Answer {
    let timed = named(program, name);
    let options = CheckOptions { limits: Limits::default(), ..CheckOptions::default() };
    time::decide_one(program, timed, Means::Together, &options).0.answer
}

#[test]
fn diagrams_agree_with_a_naive_evaluation() {
    let (mut held, mut violated, mut trees) = (0, 0, 0);
    for seed in seeds(150) {
        let model = generate::model(seed);
        if model.fairness.iter().any(|(_, when)| when.is_some()) {
            continue;
        }
        let mut random = Random::new(seed.wrapping_mul(104_729) + 5);
        let with_steps = random.below(2) == 0;
        let formulas: Vec<Formula> = (0..3).map(|_| formula(&mut random, 3, with_steps)).collect();
        let properties =
            formulas.iter().enumerate().map(|(number, each)| format!("property c{number}: ctl {}\n", each.text()));
        let resets = generate::atom(&mut random, false);
        let reset = format!("property reset: resettable {}\n", resets.text());
        let text = format!("{}{}{reset}", model.text, properties.collect::<String>());
        let program = load_model(&format!("random model {seed}"), &text);
        let Some(graph) = Graph::of(&program, &model, 60) else { continue };
        let can = Formula::Path("AG", Box::new(Formula::Path("EF", Box::new(Formula::Atom(resets)))));
        let names = ["c0", "c1", "c2", "reset"];
        for (name, formula) in names.into_iter().zip(formulas.iter().chain([&can])) {
            let expected = graph.satisfies(formula);
            let found = match decided(&program, name) {
                Answer::Unreachable { .. } => true,
                Answer::Reachable { run: Violation::Tree(evidence) } => {
                    let shown = evidence.judge(&program, named(&program, name));
                    assert_eq!(shown, Ok(evidence.shown), "seed {seed}: {name}\n{text}");
                    trees += usize::from(!evidence.tree.because.is_empty());
                    false
                }
                other => panic!("seed {seed}: {name}: {other:?}\n{text}"),
            };
            assert_eq!(found, expected, "seed {seed}: {name}\n{text}");
            *if found { &mut held } else { &mut violated } += 1;
        }
    }
    println!("{held} held, {violated} violated, {trees} with trees");
    assert!(held > 15 && violated > 15 && trees > 3, "{held} held, {violated} violated, {trees} with trees");
}

/// The meaning of single models.
#[test]
fn some_runs_and_all_runs() {
    let program = load_model(
        "model.gcl",
        "input off: bool
         input on: bool
         var lamp: bool = false
         var broken: bool = false
         step { if on && lamp && off { broken = true }; if broken { lamp = false } else if off { lamp = false } else if on { lamp = true } }
         property can_be_lit: ctl EF lamp                           expect holds
         property always_lit_again: resettable lamp                 expect violated
         property goes_dark: resettable !lamp                       expect holds
         property stays_dark: ctl AG (broken -> AG !lamp)           expect holds
         property may_stay: ctl EG !lamp                            expect holds
         property must_light: ctl AF lamp                           expect violated
         property next_step: ctl EX lamp && !AX lamp                expect holds
         property dark_until: ctl (!lamp EU lamp) && !(!lamp AU lamp)  expect holds",
    );
    for timed in &program.timed {
        let status = match decided(&program, &timed.name) {
            Answer::Unreachable { .. } => Status::Holds,
            Answer::Reachable { run: Violation::Tree(_) } => Status::Violated,
            other => panic!("{}: {other:?}", timed.name),
        };
        assert_eq!(Some(status), timed.expected, "{}", timed.name);
    }
}

/// Diagrams of products take more nodes than there may be; induction needs none.
#[test]
fn models_that_are_too_large_for_diagrams_are_decided() {
    let text = |clears: &str| {
        format!(
            "input x: 0..4095
             input y: 0..4095
             input clear: bool
             var a: 0..4095 = 1
             var b: 0..4095 = 1
             var stuck: bool = false
             step {{
               if stuck {{ {clears} }}
               else {{ stuck = a * b == 3007 * 3011; a = x; b = y }}
             }}
             property idle: resettable !stuck"
        )
    };
    for (clears, holds) in [("if clear { stuck = false }", true), ("if clear { a = x }", false)] {
        let program = load_model("multiplier.gcl", &text(clears));
        let timed = named(&program, "idle");
        let options = CheckOptions { limits: Limits::default(), ..CheckOptions::default() };
        let (decided, _) = time::decide_one(&program, timed, Means::Together, &options);
        match decided.answer {
            Answer::Unreachable { .. } => assert!(holds),
            Answer::Reachable { run: Violation::Tree(evidence) } => {
                assert!(!holds);
                assert_eq!(evidence.judge(&program, timed), Ok(Shown::Partly));
                let (run, _) = evidence.ways().remove(0);
                assert!(run.len() >= 2, "{run:?}");
            }
            other => panic!("{other:?}"),
        }
        assert_eq!(decided.decider.name(), By::Induction.name());
    }
}
