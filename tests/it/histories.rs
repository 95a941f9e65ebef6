//! Certificates that need history: whatever is confirmed of a random model is so, as a search of all its states says.

use redoubt::base::{Interrupt, Limits, Random};
use redoubt::certificate::{Certificate, Judgement, Way, confirm, text};
use redoubt::check::{self, Options};
use redoubt::engine::Engine;
use redoubt::program::{Program, PropertyId};

use crate::common::generate::model::model;
use crate::common::seeds::seeds;
use crate::common::{explore, load_model};

fn small(seed: u64) -> Option<(Program, explore::Explored)> {
    let program = load_model(&format!("random model {seed}"), &model(seed));
    let combinations = program.inputs.iter().map(|input| input.alphabet.size()).product::<u64>();
    let truth = (combinations <= 600).then(|| explore::explore(&program, 250))??;
    Some((program, truth))
}

/// The certificates that k-induction gives are confirmed by those who did not find them, also after they were written and read.
#[test]
fn certificates_of_k_induction_hold() {
    let (mut histories, mut confirmed) = (0, 0);
    for seed in seeds(30) {
        let Some((program, truth)) = small(seed) else { continue };
        let limits = Limits { depth: Some(6), ..Limits::default() };
        let options = Options { engine: Engine::KInduction, limits, ..Options::default() };
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
            assert_eq!(read, [certificate.clone()], "seed {seed}");
            let (way, judgement) = confirm(&program, &certificate, &Interrupt::default());
            assert_eq!(way == Way::History, certificate.history > 0);
            // That states differ is not part of a certificate, and some proofs count on it.
            assert!(!matches!(judgement, Judgement::Refuted(_)), "seed {seed}: {judgement:?}");
            histories += usize::from(certificate.history > 0 && judgement == Judgement::Confirmed);
        }
    }
    println!("{histories} certificates with history, {confirmed} verdicts confirmed");
    assert!(histories >= 5 && confirmed >= 50, "{histories} certificates with history, {confirmed} verdicts confirmed");
}

/// Claims by chance, about what can be reached and what cannot.
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
