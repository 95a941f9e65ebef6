//! IC3 with frames for each location, on sequential C: it agrees with the others, and its certificates say something.

use redoubt_base::Interrupt;
use redoubt_checker::{self as certificate, Certificate, Judgement, Literal, NumberSet};
use redoubt_driver::check::{self, CheckOptions, Means};
use redoubt_driver::ledger::Terms;

use super::super::common::command::{redoubt_in, run};
use super::super::common::in_project;
use super::{DECLARATIONS, load, options, verdict};

#[test]
fn automata_are_drawn() {
    let file = in_project("problems/c/coroutine.c").to_string_lossy().into_owned();
    let shown = |options: &[&str]| {
        let output = run(&mut redoubt_in(".", &[&["show", &file], options].concat()));
        assert_eq!(output.status.code(), Some(0), "{options:?}");
        String::from_utf8(output.stdout).expect("text")
    };
    let picture = shown(&["--cfa", "--svg"]);
    let document = roxmltree::Document::parse(&picture).expect("XML");
    let count = |name: &str| document.descendants().filter(|node| node.has_tag_name(name)).count();
    let blocks = shown(&["--cfa"]).lines().filter(|line| !line.starts_with(' ')).count();
    let edges = shown(&["--dot"]).lines().filter(|line| line.contains(" -> ")).count();
    // The tip of an arrow is a path, too.
    assert_eq!((count("rect"), count("path")), (blocks, edges + 1), "{picture}");
    assert!(picture.contains("mode cut") && picture.contains("mode error"), "{picture}");
}

/// Two loops, of which each needs to know something, bit by bit.
const EVEN: &str = "
int main(void) {
  unsigned char x = 0, y = 0;
  while (__VERIFIER_nondet_bool()) {
    x += 2;
    y = x;
    while (__VERIFIER_nondet_bool()) { y += 4; x += 6; }
    if (y % 2 || x % 2) reach_error();
  }
  return 0;
}
";

/// The literal that a place has any other of its first numbers.
pub fn others(numbers: &NumberSet) -> NumberSet {
    const MOST: i32 = 8;
    NumberSet::of_intervals((0..MOST).filter(|&number| !numbers.contains(number)).map(|number| (number, number)))
}

#[test]
fn certificates_with_a_flipped_literal_are_refused() {
    let program = load(&format!("{DECLARATIONS}{EVEN}"));
    let options = CheckOptions { relations: false, ..options(60) };
    let report = check::decide(&program, Means::Cfa, &options, &Terms::default(), &mut |_| {}).expect("a report");
    assert_eq!(verdict(&report, &program, "reach_error"), Some(false));
    let location = program.location.expect("sequential programs have one");
    let confirm = |certificate: &Certificate| certificate::confirm(&program, certificate, &Interrupt::default()).1;
    let mut flipped = 0;
    for certificate in report.certificates() {
        assert_eq!(confirm(&certificate), Judgement::Confirmed);
        let speaks_of_place = |clause: &Vec<Literal>| {
            clause.iter().any(|literal| matches!(literal, Literal::In(place, _) if place.variable() == Some(location)))
        };
        assert!(certificate.clauses.iter().filter(|clause| speaks_of_place(clause)).count() >= 2, "{certificate:?}");
        for (number, clause) in certificate.clauses.iter().enumerate() {
            for (place, literal) in clause.iter().enumerate() {
                let mut wrong = certificate.clone();
                wrong.clauses[number][place] = match literal {
                    Literal::Bit(place, bit, value) => Literal::Bit(*place, *bit, !value),
                    Literal::Compare(comparison, value) => Literal::Compare(comparison.clone(), !value),
                    Literal::In(place, numbers) => Literal::In(*place, others(numbers)),
                };
                let judgement = confirm(&wrong);
                assert_ne!(judgement, Judgement::Confirmed, "{number}, {place}: {wrong:?}");
                flipped += 1;
            }
        }
    }
    assert!(flipped >= 4, "only {flipped} literals");
}
