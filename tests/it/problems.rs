//! The project's own problems: the answers in `expected.csv` are those of an exhaustive search.

use crate::common::expected::{self, Row};
use crate::common::{explore, problems};

/// Rewrites `expected.csv` instead of checking it, after a problem was added or changed.
const BLESS: &str = "REDOUBT_BLESS";

#[test]
fn expected_answers_are_those_of_an_exhaustive_search() {
    const MOST_STATES: usize = 20_000;
    let mut rows = vec![];
    for problem in problems::own() {
        let program = problem.load();
        let name = problem.name();
        let explored = explore::explore(&program, MOST_STATES)
            .unwrap_or_else(|| panic!("{name} has more than {MOST_STATES} states"));
        println!("{name}: {} states", explored.states);
        for property in &program.properties {
            let witness = explored.reached.get(&property.name);
            rows.push(Row {
                file: name.clone(),
                property: property.name.clone(),
                reachable: witness.is_some(),
                witness: witness.cloned().unwrap_or_default(),
            });
        }
        let verdicts = || rows.iter().filter(|row| row.file == name);
        assert!(verdicts().any(|row| row.reachable), "nothing can be reached in {name}");
        if program.properties.len() > 1 {
            assert!(verdicts().any(|row| !row.reachable), "everything can be reached in {name}");
        }
    }
    let folder = problems::own_folder();
    if std::env::var_os(BLESS).is_some() {
        std::fs::write(folder.join("expected.csv"), expected::write(&rows)).expect("expected.csv can be written");
    }
    assert_eq!(expected::read(&folder), rows);
}
