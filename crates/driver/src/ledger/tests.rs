//! Strategies that lie, that are late, and that have nothing to say: the ledger's treatment of them.

use std::cell::RefCell;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use super::*;
use crate::analysis::Facts;
use crate::base::Interrupt;
use crate::certificate::{Certificate, Judgement};
use crate::circuit::aiger::{self, Model};
use crate::engine::{Engine, Invariant, Trace};
use crate::hardware::certificate::Evidence;
use crate::hardware::{self, ModelOptions};
use crate::simplify::Simplified;
use crate::witness::Run;

/// A program whose `error_0` is reachable in one step and whose `error_1` never is.
fn program() -> Facts<'static> {
    let text = "extern void __VERIFIER_error(int);
        int inputs[] = {0, 1};
        int level = 0;
        void step(int input) { if (input == 1) __VERIFIER_error(0); if (level == 3) __VERIFIER_error(1); }
        int main() { while (1) { int input; scanf(\"%d\", &input); step(input); } }";
    let program = crate::languages::parse(vec![crate::text::SourceFile::new("level.c", text)]).expect("a program");
    // It lasts as long as the tests do.
    Facts::new(Box::leak(Box::new(program)))
}

/// A latch that stays 0, and one that becomes 1: `b0` is unreachable, `b1` is not.
fn model() -> Model {
    let text = "aag 2 0 2 0 0 2\n2 2\n4 1\n2\n4\n";
    aiger::read(text.as_bytes()).expect("a circuit")
}

const FIRST: usize = 0;
const SECOND: usize = 1;

/// Follows its orders.
struct Told<S: Subject>(fn(&Ledger<S>, &Limits) -> Result<(), Ended>);

impl<S: Subject> Strategy<S> for Told<S> {
    fn name(&self) -> &'static str {
        "told"
    }

    fn run(&self, ledger: &Ledger<S>, limits: &Limits) -> Result<(), Ended> {
        (self.0)(ledger, limits)
    }
}

fn keep_with<S: Subject>(subject: &S, limits: &Limits, terms: &Terms<S::Run>, schedule: &Schedule<S>) -> Kept<S> {
    let order = Order { properties: None, limits, confirm: true, shortening: &Budget::none(), terms };
    keep(subject, &order, schedule, &mut |_| {})
}

fn kept<S: Subject>(subject: &S, limits: &Limits, strategy: fn(&Ledger<S>, &Limits) -> Result<(), Ended>) -> Kept<S> {
    keep_with(subject, limits, &Terms::default(), &[&[&Told(strategy)]])
}

fn property(index: usize) -> PropertyId {
    PropertyId::new(index)
}

fn confirmed() -> Checked<Certificate> {
    Checked { certificate: Arc::new(Certificate::default()), judgement: Judgement::Confirmed }
}

#[test]
fn runs_that_are_none_are_withdrawn() {
    let program = program();
    let kept_program = kept(&program, &Limits::default(), |ledger, _| {
        ledger.reached("told", property(FIRST), vec![vec![0]]);
        // No environment sends this.
        ledger.reached("told", property(SECOND), vec![vec![7]]);
        Ok(())
    });
    for finding in &kept_program.findings {
        let Answer::Withdrawn { claim: Claim::Run(_), reason } = &finding.answer else { panic!("{finding:?}") };
        assert_eq!(reason, "the program does not have this run");
    }
    let kept_model = kept(&model(), &Limits::default(), |ledger, _| {
        ledger.reached("told", property(FIRST), Trace { initial: vec![false, false], inputs: vec![vec![]] });
        Ok(())
    });
    let Answer::Withdrawn { claim: Claim::Run(trace), reason } = &kept_model.findings[FIRST].answer else {
        panic!("{:?}", kept_model.findings)
    };
    assert_eq!((trace.inputs.len(), reason.as_str()), (1, "the model does not have this run"));
}

#[test]
fn what_is_refuted_is_withdrawn_with_its_certificate_and_the_reason() {
    let kept_program = kept(&program(), &Limits::default(), |ledger, limits| {
        let certificate = Certificate { excluded: vec![property(FIRST)], ..Certificate::default() };
        let judgement = ledger.subject().judge(&certificate, &[property(FIRST)], &limits.interrupt);
        let checked = Checked { certificate: Arc::new(certificate), judgement };
        ledger.proved("told", property(FIRST), Proof::Exhausted { states: 1 }, Some(checked));
        Ok(())
    });
    let answer = &kept_program.findings[FIRST].answer;
    assert!(matches!(answer, Answer::Withdrawn { claim: Claim::Proof(Some(_)), .. }), "{answer:?}");

    let kept_model = kept(&model(), &Limits::default(), |ledger, limits| {
        let simplified = Arc::new(Simplified::untouched(&ledger.subject().circuit));
        let evidence = Evidence::Invariant { simplified, invariant: Invariant::default() };
        let judgement = ledger.subject().judge(&evidence, &[property(SECOND)], &limits.interrupt);
        let checked = Checked { certificate: Arc::new(evidence), judgement };
        ledger.proved("told", property(SECOND), Proof::Invariant(Invariant::default()), Some(checked));
        Ok(())
    });
    let answer = &kept_model.findings[SECOND].answer;
    let Answer::Withdrawn { claim: Claim::Proof(Some(_)), reason } = answer else { panic!("{answer:?}") };
    assert_eq!(reason, "it is not true that it stays good");
}

#[test]
fn what_nobody_asked_for_is_not_entered() {
    let finds = Told(|ledger: &Ledger<Facts<'static>>, _: &Limits| {
        assert_eq!(ledger.open(), [property(SECOND)]);
        ledger.reached("told", property(FIRST), vec![vec![1]]);
        ledger.proved("told", property(SECOND), Proof::Exhausted { states: 3 }, None);
        Ok(())
    });
    let (limits, shortening, terms) = (Limits::default(), Budget::none(), Terms::default());
    let wanted = [property(SECOND)];
    let order =
        Order { properties: Some(&wanted), limits: &limits, confirm: true, shortening: &shortening, terms: &terms };
    let kept = keep(&program(), &order, &[&[&finds]], &mut |_| {});
    let [finding] = &kept.findings[..] else { panic!("{:?}", kept.findings) };
    assert!(matches!(finding.answer, Answer::Unreachable { .. }));
}

#[test]
fn the_first_verdict_counts_and_ends_the_others() {
    let program = program();
    let late = Told(|ledger: &Ledger<Facts<'static>>, limits: &Limits| {
        // No other strategy is asked for decided properties, and late findings count for nothing.
        while !limits.interrupt.is_raised() {
            std::thread::sleep(Duration::from_millis(1));
        }
        assert_eq!(ledger.open(), []);
        ledger.proved("late", property(FIRST), Proof::Exhausted { states: 1 }, None);
        Ok(())
    });
    let early = Told(|ledger: &Ledger<Facts<'static>>, _: &Limits| {
        ledger.let_others_begin();
        ledger.reached("early", property(FIRST), vec![vec![1], vec![1]]);
        ledger.proved("early", property(SECOND), Proof::Exhausted { states: 3 }, Some(confirmed()));
        Ok(())
    });
    let kept = keep_with(&program, &Limits::default(), &Terms::default(), &[&[&early], &[&late]]);
    // The run is cut behind the step that reaches the property.
    assert_eq!(kept.findings[FIRST].answer, Answer::Reachable { run: vec![vec![1]] });
    assert_eq!(kept.findings.iter().map(|finding| finding.decider.name()).collect::<Vec<_>>(), ["early", "early"]);
}

#[test]
fn what_is_undecided_has_a_reason_and_a_time() {
    let nothing: fn(&Ledger<Facts<'static>>, &Limits) -> Result<(), Ended> = |_, _| Ok(());
    let why = |limits: &Limits, strategy| {
        let kept = kept(&program(), limits, strategy);
        assert!(kept.findings.iter().all(|finding| finding.after > Duration::ZERO));
        match kept.findings[FIRST].answer {
            Answer::Unknown(why) => (why, kept.is_too_large),
            ref answer => panic!("{answer:?}"),
        }
    };
    assert_eq!(why(&Limits::default(), nothing), (Why::Beyond, false));
    assert_eq!(why(&Limits::depth(3), nothing), (Why::Depth, false));
    let share = Limits { per_property: Some(Duration::ZERO), ..Limits::default() };
    assert_eq!(why(&share, nothing), (Why::Share, false));
    let late = Limits { interrupt: Interrupt::after(Duration::ZERO), ..Limits::default() };
    assert_eq!(why(&late, |_, _| Err(Ended::Interrupted)), (Why::Time, false));
    let full = Limits::default();
    full.interrupt.raise_for_memory();
    assert_eq!(why(&full, nothing), (Why::Memory, false));
    let refused = Limits::default();
    refused.interrupt.set_room(0);
    assert_eq!(why(&refused, nothing), (Why::Beyond, false), "nobody asked");
    let asks: fn(&Ledger<Facts<'static>>, &Limits) -> Result<(), Ended> = |_, limits| {
        assert!(!limits.interrupt.has_room(1));
        Ok(())
    };
    assert_eq!(why(&refused, asks), (Why::Memory, false));
    let stopped = Limits::default();
    stopped.interrupt.raise();
    assert_eq!(why(&stopped, nothing), (Why::Stopped, false));
    assert_eq!(why(&Limits::depth(3), |_, _| Err(Ended::TooLarge)), (Why::Depth, true));
    let gives_up: fn(&Ledger<Facts<'static>>, &Limits) -> Result<(), Ended> = |ledger, _| {
        ledger.gave_up(Why::Memory);
        ledger.gave_up(Why::Inputs);
        Ok(())
    };
    assert_eq!(why(&Limits::default(), gives_up), (Why::Memory, false));
}

/// Lanes behind the first one begin when it has come to its end, even if that is a panic.
#[test]
fn nobody_waits_for_ever() {
    let panics = Told(|_: &Ledger<Facts<'static>>, _: &Limits| panic!("as it should"));
    let idles = Told(|_: &Ledger<Facts<'static>>, _: &Limits| Ok(()));
    let result = std::panic::catch_unwind(|| {
        keep_with(&program(), &Limits::default(), &Terms::default(), &[&[&panics], &[&idles]]).findings.len()
    });
    assert!(result.is_err());
}

/// Gives the ordered opinions, and counts how often it is asked.
struct Other(fn() -> Result<Opinion, Trouble>, AtomicUsize);

impl SecondOpinion<Run> for Other {
    fn name(&self) -> &'static str {
        "other"
    }

    fn of_run(&self, _property: PropertyId, _run: &Run) -> Result<Opinion, Trouble> {
        self.1.fetch_add(1, Ordering::Relaxed);
        (self.0)()
    }
}

#[test]
fn a_second_opinion_can_refute_a_run() {
    let finds = Told(|ledger: &Ledger<Facts<'static>>, _: &Limits| {
        ledger.reached("told", property(FIRST), vec![vec![1]]);
        Ok(())
    });
    let asked = |opinion: fn() -> Result<Opinion, Trouble>| {
        let other = Other(opinion, AtomicUsize::new(0));
        let terms = Terms { second_opinion: Some(&other), ..Terms::default() };
        let kept = keep_with(&program(), &Limits::default(), &terms, &[&[&finds]]);
        assert_eq!(other.1.load(Ordering::Relaxed), 1);
        (matches!(kept.findings[FIRST].answer, Answer::Withdrawn { .. }), kept.notes)
    };
    assert_eq!(asked(|| Ok(Opinion::Agrees)), (false, vec!["note: other agrees with 1 run".to_string()]));
    let (is_withdrawn, notes) = asked(|| Ok(Opinion::Differs("it ends".into())));
    assert!(is_withdrawn && notes[0] == "error: other refutes error_0: it ends; the inputs are 1", "{notes:?}");
    let (is_withdrawn, notes) = asked(|| Ok(Opinion::CannotTell("it is dark")));
    assert!(!is_withdrawn && notes[0] == "note: other cannot tell about error_0: it is dark", "{notes:?}");
    assert!(!asked(|| Err(Trouble::Interrupted)).0);
}

/// The treatment of findings of two lanes, with all that was told on the way: whether it was the last word, and
/// confirmed.
fn told_by_both(
    first: fn(&Ledger<Facts<'static>>, &Limits) -> Result<(), Ended>,
    second: fn(&Ledger<Facts<'static>>, &Limits) -> Result<(), Ended>,
) -> (Answer<Run, Certificate>, Vec<(bool, bool)>) {
    let (limits, shortening) = (Limits::default(), Budget::none());
    let wanted = [property(SECOND)];
    let terms = Terms::default();
    let order =
        Order { properties: Some(&wanted), limits: &limits, confirm: true, shortening: &shortening, terms: &terms };
    let mut told = vec![];
    let mut kept = keep(&program(), &order, &[&[&Told(first)], &[&Told(second)]], &mut |news| match news {
        News::Provisional(finding) => told.push((false, finding.is_confirmed())),
        News::Settled(finding) => told.push((true, finding.is_confirmed())),
    });
    (kept.findings.remove(0).answer, told)
}

fn bare_proof(ledger: &Ledger<Facts<'static>>, _: &Limits) -> Result<(), Ended> {
    ledger.proved("told", property(SECOND), Proof::Exhausted { states: 3 }, None);
    Ok(())
}

fn confirmed_proof(ledger: &Ledger<Facts<'static>>, _: &Limits) -> Result<(), Ended> {
    // The other proof is there, and leaves this one open.
    assert_eq!(ledger.open(), [property(SECOND)]);
    ledger.proved("told", property(SECOND), Proof::Exhausted { states: 5 }, Some(confirmed()));
    Ok(())
}

#[test]
fn a_proof_that_nothing_confirms_waits_for_a_better_one() {
    let (answer, told) = told_by_both(bare_proof, confirmed_proof);
    assert!(matches!(answer, Answer::Unreachable { proof: Proof::Exhausted { states: 5 }, .. }), "{answer:?}");
    assert_eq!(told, [(false, false), (true, true)]);

    let (answer, told) = told_by_both(bare_proof, |_, _| Ok(()));
    assert!(matches!(answer, Answer::Unreachable { proof: Proof::Exhausted { states: 3 }, .. }), "{answer:?}");
    assert_eq!(told, [(false, false), (true, false)]);
}

#[test]
fn a_run_to_what_was_proved_unreachable_shows_that_something_is_wrong() {
    let reaches = |ledger: &Ledger<Facts<'static>>, _: &Limits| {
        let answer = Answer::Reachable { run: vec![vec![1]] };
        ledger.decided("told", property(SECOND), answer);
        Ok(())
    };
    let (answer, told) = told_by_both(bare_proof, reaches);
    let Answer::Withdrawn { claim: Claim::Run(_), reason } = &answer else { panic!("{answer:?}") };
    assert_eq!(reason, "the program has a run to what was proved unreachable");
    assert_eq!(told, [(false, false), (true, false)]);
}

#[test]
fn a_proof_that_is_withdrawn_is_taken_back_from_the_journal() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("journal");
    let program = program();
    let doubted = Told(|ledger: &Ledger<Facts<'static>>, limits: &Limits| {
        bare_proof(ledger, limits)?;
        ledger.decided("told", property(SECOND), Answer::Reachable { run: vec![vec![1]] });
        Ok(())
    });
    let idle = Told(|_: &Ledger<Facts<'static>>, _: &Limits| Ok(()));
    let journal = Journal::create(&path).expect("room");
    let terms = Terms { journal: Some(&journal), ..Terms::default() };
    keep_with(&program, &Limits::default(), &terms, &[&[&doubted], &[&idle]]);
    drop(journal);
    let text = std::fs::read_to_string(&path).expect("text");
    assert!(text.contains("unreachable"), "the proof was written down: {text}");
    assert_eq!(Journal::resume(&path).expect("a journal").verdicts(&program.stamp()).len(), 0);
}

#[test]
fn shortest_runs_take_the_place_of_those_that_wait() {
    let finds = Told(|ledger: &Ledger<Facts<'static>>, _: &Limits| {
        ledger.reached("told", property(FIRST), vec![vec![0], vec![0], vec![1]]);
        Ok(())
    });
    let told = RefCell::new(vec![]);
    let program = program();
    let memory = || 1 << 20;
    let terms = Terms { shortest: Some(&memory), ..Terms::default() };
    let (limits, shortening) = (Limits::default(), Budget::none());
    let order = Order { properties: None, limits: &limits, confirm: true, shortening: &shortening, terms: &terms };
    let kept = keep(&program, &order, &[&[&finds]], &mut |news| {
        let (is_last, finding) = match news {
            News::Provisional(finding) => (false, finding),
            News::Settled(finding) => (true, finding),
        };
        let Answer::Reachable { run } = &finding.answer else { panic!("{finding:?}") };
        told.borrow_mut().push((is_last, run.len(), finding.is_shortest));
    });
    assert_eq!(*told.borrow(), [(false, 3, false), (true, 1, true)]);
    assert!(kept.findings[FIRST].is_shortest);
}

/// A journal with a verdict about each property of the model.
fn journal_of(model: &Model, path: &std::path::Path, engine: Engine) {
    let journal = Journal::create(path).expect("room");
    let terms = Terms { journal: Some(&journal), ..Terms::default() };
    let report = hardware::decide(model, &ModelOptions { engine, ..ModelOptions::default() }, &terms, &mut |_| {})
        .expect("room");
    assert!(report.findings.iter().all(|finding| !finding.answer.is_unknown()));
}

fn resumed(model: &Model, path: &std::path::Path, confirm: bool) -> Vec<(String, bool)> {
    let journal = Journal::resume(path).expect("a journal");
    let terms = Terms { journal: Some(&journal), resume: true, ..Terms::default() };
    let report = hardware::decide(model, &ModelOptions { confirm, ..ModelOptions::default() }, &terms, &mut |_| {})
        .expect("room");
    let (proved, witness) = report.witness(model);
    if confirm {
        let witness = witness.expect("every proof gives one");
        assert_eq!(
            crate::certificate::circuit::confirm(&model.circuit, &witness, &proved, &Interrupt::default()),
            Judgement::Confirmed
        );
    }
    report.findings.iter().map(|finding| (finding.decider.name().to_string(), finding.is_confirmed())).collect()
}

#[test]
fn proofs_of_models_are_kept_with_their_witness_and_checked_again() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("journal");
    let model = model();
    journal_of(&model, &path, Engine::Ic3);
    let [journal, engine] = ["journal", Engine::Portfolio.name()].map(String::from);
    assert_eq!(resumed(&model, &path, true), [(journal.clone(), true), (journal.clone(), true)]);
    // A run without checks of certificates takes the written ones.
    assert_eq!(resumed(&model, &path, false), [(journal.clone(), false), (journal.clone(), true)]);

    // A witness circuit that says something else: the property is decided anew.
    let text = std::fs::read_to_string(&path).expect("text");
    let mut forged = String::new();
    for line in text.lines() {
        let line = match line.split_once(' ') {
            Some((_, content)) if content.contains("\"text\"") => {
                let mut json: serde_json::Value = serde_json::from_str(content).expect("JSON");
                json["text"] = "aag 2 0 2 0 0 1\n2 2\n4 1\n0\n".into();
                let content = json.to_string();
                format!("{} {content}", &crate::witness::stamp::sha256(content.as_bytes())[..16])
            }
            _ => line.to_string(),
        };
        forged += &format!("{line}\n");
    }
    assert_ne!(forged, text);
    std::fs::write(&path, forged).expect("room");
    assert_eq!(resumed(&model, &path, true), [(engine.clone(), true), (journal.clone(), true)]);
}

#[test]
fn proofs_of_models_without_a_witness_are_made_anew() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("journal");
    let model = model();
    let journal = Journal::create(&path).expect("room");
    journal.append(&model.stamp(), "b1", "ic3", crate::journal::Noted::Unreachable, None).expect("room");
    drop(journal);
    // It was wrong.
    let [journal, engine] = ["journal", Engine::Portfolio.name()].map(String::from);
    assert_eq!(resumed(&model, &path, true), [(engine.clone(), true), (engine, true)]);
    journal_of(&model, &folder.path().join("other"), Engine::Ic3);
    assert_eq!(resumed(&model, &folder.path().join("other"), true)[1].0, journal);
}
