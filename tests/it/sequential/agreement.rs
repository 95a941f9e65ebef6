//! All engines on small generated programs, against all their runs; and what their certificates say, against all states.
//!
//! Questions are answered by yes or no and loops end soon, so every state can be visited by the simulator alone.

use std::collections::HashSet;
use std::time::Duration;

use redoubt_base::Interrupt;
use redoubt_checker::{self as certificate, Certificate, Judgement, Literal};
use redoubt_driver::check::{self, CheckOptions, Means};
use redoubt_driver::ledger::Terms;
use redoubt_engine::engine::Engine;
use redoubt_program::program::{Program, PropertyId};
use redoubt_program::simulate::{End, Simulator, State};

use super::super::common::seeds::seeds;
use super::automata::others;
use super::generate::{self, Shape};
use super::{DECLARATIONS, decide, load, options, verdict};

/// A program that asks for truth values only, and errs in about a quarter of its ends.
fn program(seed: u64) -> (String, Program) {
    let mut text = generate::program(seed, Shape::small(seed)).replace('@', "");
    for ask in ["int", "uint", "char", "uchar", "short", "ushort", "longlong", "ulonglong", "bool"] {
        text = text.replace(&format!("__VERIFIER_nondet_{ask}() > 5"), "__VERIFIER_nondet_bool()");
        text = text.replace(&format!("__VERIFIER_nondet_{ask}()"), "__VERIFIER_nondet_bool()");
    }
    // Products of many numbers are hard, and not the subject of the comparison.
    let text = text.replace("sum * 31 + ", "sum ^ ").replace("END(sum)", "if ((sum & 3) == 1) reach_error();");
    let text = format!("{DECLARATIONS}{text}");
    let program = load(&text);
    (text, program)
}

/// The behaviour of a program: the properties that it reaches, and the states between its steps.
struct Explored {
    reached: HashSet<PropertyId>,
    states: HashSet<State>,
}

/// Takes all steps from all states; `None` if there are too many.
fn explore(program: &Program) -> Option<Explored> {
    const MOST_STEPS: usize = 3000;
    let first = Simulator::new(program).trace();
    let mut explored = Explored { reached: HashSet::new(), states: HashSet::from([first.state().clone()]) };
    let (mut waiting, mut steps) = (vec![first], 0);
    while let Some(simulator) = waiting.pop() {
        // The answers of this step: all lists of truth values, each as long as it is asked.
        let mut answers: Vec<i32> = vec![];
        loop {
            steps += 1;
            if steps > MOST_STEPS {
                return None;
            }
            let (next, asked) = answered(program, &simulator, &mut answers);
            match next.end() {
                Some(End::Error(property, _)) => drop(explored.reached.insert(property)),
                Some(_) => {}
                None if explored.states.insert(next.state().clone()) => waiting.push(next),
                None => {}
            }
            answers.resize(asked, 0);
            while answers.pop_if(|last| *last == 1).is_some() {}
            match answers.last_mut() {
                Some(last) => *last = 1,
                None => break,
            }
        }
    }
    Some(explored)
}

/// A step on the given answers, and no to all further questions; how many were asked.
fn answered<'p>(program: &Program, before: &Simulator<'p>, answers: &mut [i32]) -> (Simulator<'p>, usize) {
    let mut inputs: Vec<i32> = program.inputs.iter().map(|input| input.alphabet.nth(0)).collect();
    let mut known = 0;
    loop {
        let mut next = before.clone();
        let step = next.step(&inputs);
        let Some(&(input, _)) = step.reads.get(known) else { return (next, known) };
        assert_eq!(program.inputs[input.index()].alphabet.size(), 2, "a question that is not answered by yes or no");
        inputs[input.index()] = answers.get(known).copied().unwrap_or(0);
        known += 1;
    }
}

/// All ways to decide. Those on circuits may stay undecided: wide arithmetic is not what this is about.
fn reports(program: &Program) -> Vec<(String, check::Report)> {
    let mut list = vec![("Explicit".to_string(), decide(program, Means::Explicit, 60))];
    for means in [Means::Circuit, Means::Cfa, Means::Relations] {
        let report = check::decide(program, means, &options(1), &Terms::default(), &mut |_| {}).expect("a report");
        list.push((format!("{means:?}"), report));
    }
    let bits_only = CheckOptions { relations: false, ..options(1) };
    let report = check::decide(program, Means::Cfa, &bits_only, &Terms::default(), &mut |_| {}).expect("a report");
    list.push(("Cfa on bits".into(), report));
    for engine in [Engine::Bmc, Engine::KInduction] {
        let options = CheckOptions { engine, ..options(1) };
        let report =
            check::decide(program, Means::Circuit, &options, &Terms::default(), &mut |_| {}).expect("a report");
        list.push((format!("{engine:?}"), report));
    }
    list
}

#[test]
fn engines_agree_with_all_runs_of_programs_that_ask() {
    let (mut decided, mut asked, mut looked_at, mut reachable) = (0, 0, 0, 0);
    for seed in seeds(4) {
        let (text, program) = program(seed);
        let Some(explored) = explore(&program) else { continue };
        looked_at += 1;
        for (name, report) in reports(&program) {
            for (index, property) in program.properties.iter().enumerate() {
                let expected = explored.reached.contains(&PropertyId::new(index));
                asked += 1;
                reachable += usize::from(expected);
                match verdict(&report, &program, &property.name) {
                    Some(found) => {
                        assert_eq!(found, expected, "seed {seed}, {name}: {}\n{text}", property.name);
                        decided += 1;
                    }
                    None => assert_ne!(name, "Explicit", "seed {seed}: all states are few\n{text}"),
                }
            }
        }
    }
    println!("{looked_at} programs, {decided} of {asked} decided, {reachable} of them reachable");
    // One of seven decides everything.
    assert!(looked_at > 0 && decided * 7 > asked, "{decided} of {asked} decided in {looked_at} programs");
}

/// The certificate with one literal of one clause turned around, for each of them.
fn flipped(certificate: &Certificate) -> Vec<Certificate> {
    let mut list = vec![];
    for (number, clause) in certificate.clauses.iter().enumerate() {
        for (place, literal) in clause.iter().enumerate() {
            let mut wrong = certificate.clone();
            wrong.clauses[number][place] = match literal {
                Literal::Bit(place, bit, value) => Literal::Bit(*place, *bit, !value),
                Literal::Compare(comparison, value) => Literal::Compare(comparison.clone(), !value),
                Literal::In(place, numbers) => Literal::In(*place, others(numbers)),
            };
            list.push(wrong);
        }
    }
    list
}

/// A certificate with a negated literal may happen to be true; if a state refutes it, it must be refused.
#[test]
fn flipped_certificates_that_a_state_refutes_are_refused() {
    let (mut wrong, mut all) = (0, 0);
    for seed in seeds(40) {
        if all >= 60 && wrong >= 20 {
            break;
        }
        let (text, program) = program(seed);
        let Some(explored) = explore(&program) else { continue };
        let bits_only = CheckOptions { relations: false, ..options(2) };
        let report = check::decide(&program, Means::Cfa, &bits_only, &Terms::default(), &mut |_| {}).expect("a report");
        for certificate in report.certificates() {
            let mut simulator = Simulator::new(&program);
            let mut is_true = |certificate: &Certificate| {
                explored.states.iter().all(|state| {
                    simulator.restore(state.clone());
                    certificate.holds_in(&simulator)
                })
            };
            assert!(is_true(&certificate), "seed {seed}\n{text}");
            for mutant in flipped(&certificate).iter().take(12) {
                all += 1;
                if !is_true(mutant) {
                    wrong += 1;
                    let interrupt = Interrupt::after(Duration::from_secs(10));
                    let (_, judgement) = certificate::confirm(&program, mutant, &interrupt);
                    assert_ne!(judgement, Judgement::Confirmed, "seed {seed}: {mutant:?}\n{text}");
                }
            }
        }
    }
    println!("{wrong} of {all} are refuted by a state");
    assert!(wrong > 0, "of {all} none is refuted by a state");
}
