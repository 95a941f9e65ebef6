//! Certificates that need history: whatever is confirmed of a random model is so, as a search of all its states says.

use redoubt_base::{Interrupt, Limits, Random};
use redoubt_checker::{Certificate, Judgement, Way, confirm, execute, solve, text};
use redoubt_driver::check::{self, CheckOptions};
use redoubt_engine::engine::Engine;
use redoubt_program::program::{Program, PropertyId};

use crate::common::generate::model::model;
use crate::common::seeds::seeds;
use crate::common::{explore, load_model, load_text};

fn small(seed: u64) -> Option<(Program, explore::Explored)> {
    let program = load_model(&format!("random model {seed}"), &model(seed));
    let combinations = program.inputs.iter().map(|input| input.alphabet.size()).product::<u64>();
    let truth = (combinations <= 600).then(|| explore::explore(&program, 250))??;
    Some((program, truth))
}

/// The certificates of k-induction are confirmed by checkers that share nothing with it, also after they were written
/// and read.
#[test]
fn certificates_of_k_induction_hold() {
    let (mut histories, mut confirmed) = (0, 0);
    for seed in seeds(30) {
        let Some((program, truth)) = small(seed) else { continue };
        let limits = Limits { depth: Some(6), ..Limits::default() };
        let options = CheckOptions { engine: Engine::KInduction, limits, ..CheckOptions::default() };
        let report = check::check(&program, &options, |_| {}).expect("small");
        for finding in report.findings.iter().filter(|finding| finding.is_confirmed()) {
            let name = &program.property(finding.property).name;
            let is_reached = truth.reached.contains_key(name);
            let is_claimed = matches!(finding.answer, check::Answer::Reachable { .. });
            assert_eq!(is_reached, is_claimed, "seed {seed}: {name}");
            confirmed += 1;
        }
        for certificate in report.certificates() {
            let read = text::read(&program, &text::write(&program, [&certificate])).expect("our own");
            assert_eq!(read, std::slice::from_ref(&certificate), "seed {seed}");
            let (way, judgement) = confirm(&program, &certificate, &Interrupt::default());
            assert_eq!(way == Way::History, certificate.history > 0);
            // That states differ is not part of a certificate, and some proofs rely on it.
            assert!(!matches!(judgement, Judgement::Refuted(_)), "seed {seed}: {judgement:?}");
            histories += usize::from(certificate.history > 0 && judgement == Judgement::Confirmed);
        }
    }
    println!("{histories} certificates with history, {confirmed} verdicts confirmed");
    assert!(histories >= 5 && confirmed >= 50, "{histories} certificates with history, {confirmed} verdicts confirmed");
}

/// Random claims, about what can be reached and what cannot.
#[test]
fn no_wrong_claim_is_confirmed() {
    let (mut wrong, mut accepted) = (0, 0);
    for seed in seeds(30) {
        let Some((program, truth)) = small(seed) else { continue };
        let mut random = Random::new(seed);
        for _ in 0..8 {
            let questions = program.questions();
            let some = questions.into_iter().filter(|_| random.below(3) == 0);
            let excluded: Vec<PropertyId> = some.collect();
            let history = 1 + random.below(5);
            let certificate = Certificate { excluded: excluded.clone(), history, ..Certificate::default() };
            let reached = |property: &PropertyId| truth.reached.contains_key(&program.property(*property).name);
            let is_wrong = excluded.iter().any(reached);
            let is_accepted = confirm(&program, &certificate, &Interrupt::default()).1 == Judgement::Confirmed;
            assert!(!(is_wrong && is_accepted), "seed {seed}\n{}", text::write(&program, [&certificate]));
            wrong += usize::from(is_wrong);
            accepted += usize::from(is_accepted && !excluded.is_empty());
        }
    }
    println!("{wrong} wrong claims, {accepted} accepted");
    assert!(wrong >= 30 && accepted >= 5, "{wrong} wrong claims, {accepted} accepted");
}

/// A counter that goes round: from a number that it never has it would come to 7 within some steps.
fn round() -> Program {
    let text = "#include <stdio.h>\nint x = 0;\nint main() { while (1) { int input;\nscanf(\"%d\", &input);\n\
                if (input == 1) { printf(\"%d\\n\", x); } if (x == 7) { error_7: ; } if (x == 2) { error_2: ; }\n\
                if (x == 4) { x = 0; } else if (x < 20 && x > -2) { x = x + 2; } } }\n";
    load_text("round.c", text)
}

fn claim(program: &Program, name: &str, history: usize) -> Certificate {
    let property = program.properties.iter().position(|property| property.name == name).expect("a property");
    Certificate { excluded: vec![PropertyId::new(property)], history, ..Certificate::default() }
}

#[test]
fn a_claim_holds_after_enough_history_only() {
    let program = round();
    let judged = |history| confirm(&program, &claim(&program, "error_7", history), &Interrupt::default()).1;
    // 7 has the predecessors 5, 3, 1 and -1, which has none.
    for history in 1..=4 {
        assert!(matches!(judged(history), Judgement::Undecided(_)), "{history}");
    }
    assert_eq!(judged(5), Judgement::Confirmed);
    assert_eq!(judged(6), Judgement::Confirmed);
}

/// 2 is reached by the second step: a history of one does not look at that from the start, but the other question does.
#[test]
fn what_a_run_reaches_is_never_confirmed() {
    let program = round();
    let judged = |history| confirm(&program, &claim(&program, "error_2", history), &Interrupt::default()).1;
    assert!(matches!(judged(1), Judgement::Undecided(_)));
    for history in 2..6 {
        assert!(matches!(judged(history), Judgement::Refuted(_)), "{history}");
    }
}

#[test]
fn those_who_look_at_one_step_say_nothing_about_several() {
    let program = round();
    let (certificate, interrupt) = (claim(&program, "error_7", 5), Interrupt::default());
    let judgements =
        [execute::confirm(&program, &certificate, &interrupt), solve::by_regions(&program, &certificate, &interrupt)];
    assert!(judgements.iter().all(|judgement| matches!(judgement, Judgement::Undecided(_))));
    assert_eq!(confirm(&program, &certificate, &interrupt).0, Way::History);
}
