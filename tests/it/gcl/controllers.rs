//! Controllers with many inputs: all engines together decide them without trying all combinations, and where these
//! are few enough to be tried one by one, verdicts and the lengths of shortest runs are those that this shows.

use std::time::Duration;

use redoubt_base::{Interrupt, Limits};
use redoubt_driver::check::{self, Answer, CheckOptions, Means, Report, shortest};
use redoubt_driver::ledger::Terms;
use redoubt_facts::analysis::Facts;
use redoubt_program::program::{Program, PropertyId};
use redoubt_witness::Run;

use crate::common::{explore, in_project, load_model};

/// A model of the project in which lines that begin like this are others.
fn changed(name: &str, lines: &[(&str, &str)]) -> Program {
    let text = std::fs::read_to_string(in_project(&format!("problems/gcl/{name}.gcl"))).expect("it is there");
    let line = |line: &str| {
        let change = lines.iter().find(|(old, _)| line.trim_start().starts_with(old));
        change.map_or(line, |(_, new)| new).to_string() + "\n"
    };
    load_model(name, &text.lines().map(line).collect::<String>())
}

/// The runs that a report has, with what they reach; everything else must be proved, and confirmed.
fn runs(program: &Program, report: &Report) -> Vec<(PropertyId, Run)> {
    let mut found = vec![];
    for finding in &report.findings {
        let name = &program.property(finding.property).name;
        assert!(finding.is_confirmed(), "{}: {name}: {:?}", program.name, finding.answer);
        if let Answer::Reachable { run } = &finding.answer {
            found.push((finding.property, run.clone()));
        }
    }
    found
}

#[test]
fn small_controllers_are_what_trying_everything_shows() {
    const MOST_STATES: usize = 5_000;
    let mut runs_compared = 0;
    for (name, lines) in [
        ("bakery", &[][..]),
        ("mutual_exclusion", &[]),
        ("msi_cache", &[("const CPUS", "const CPUS = 2")]),
        ("central_locking", &[("const DOORS", "const DOORS = 1"), ("const RELOCK", "const RELOCK = 2")]),
        (
            "can_arbitration",
            &[
                ("const NODES", "const NODES = 2"),
                ("const BITS", "const BITS = 1"),
                ("const MOST_ERRORS", "const MOST_ERRORS = 2"),
            ],
        ),
        (
            "two_lifts",
            &[
                ("const TOP", "const TOP = 1"),
                ("input barrier", "define barrier = false"),
                ("input overload", "define overload = false"),
            ],
        ),
        (
            "infusion_pump",
            &[
                ("const VOLUME", "const VOLUME = 4"),
                ("const LOCKOUT", "const LOCKOUT = 2"),
                ("const MOST_RATE", "const MOST_RATE = 2"),
            ],
        ),
        (
            "washing_machine",
            &[("const TIME", "const TIME = 2"), ("const FULL", "const FULL = 2"), ("const HOT", "const HOT = 2")],
        ),
    ] {
        let program = changed(name, lines);
        let truth = explore::explore(&program, MOST_STATES).unwrap_or_else(|| panic!("{name} has too many states"));
        let report = check::check_together(&program, &CheckOptions::default(), |_| {}).expect("small");
        let known = runs(&program, &report);
        assert!(report.findings.len() == program.properties.len());
        for finding in &report.findings {
            let property = &program.property(finding.property).name;
            let is_reached = matches!(finding.answer, Answer::Reachable { .. });
            assert_eq!(is_reached, truth.reached.contains_key(property), "{name}: {property}");
        }
        let mut left = known.len();
        shortest::runs(&Facts::new(&program), &known, 1 << 28, &Interrupt::default(), |property, run| {
            left -= 1;
            let shown = &truth.reached[&program.property(property).name];
            assert_eq!(run.len() * program.inputs.len(), shown.len(), "{name}: {}", program.property(property).name);
        });
        assert_eq!(left, 0, "{name}");
        runs_compared += known.len();
        println!("{name}: {} states, {} runs", truth.states, known.len());
    }
    assert!(runs_compared > 40, "{runs_compared}");
}

/// Thirty-two inputs that all matter in every step: no engine that tries their combinations gets past the first state.
const SWITCHES: &str = "system Switches
input on: bool[32]
var level: 0..7 = 0
define all_on = all i in 0..31: on[i]
define some_off = any i in 8..31: !on[i]
step {
  if all_on { level = if level < 7 then level + 1 else 0 }
  else if some_off { level = 0 }
}
property filled: reach level == 3
property step_by_step: never level > prev(level) + 1
property all_but_few: always (level > 0 -> all i in 8..31: on[i])
";

/// The same with numbers: how many of them are on.
fn counted() -> String {
    let count: Vec<String> = (0..32).map(|input| format!("(if on[{input}] then 1 else 0)")).collect();
    format!(
        "system Counted\ninput on: bool[32]\nvar level: 0..7 = 0\nstep {{\n  if {} == 32 && level < 7 {{ level = level + 1 }}\n}}\n\
         property filled: reach level == 3\nproperty over: never level == 8\n",
        count.join(" + ")
    )
}

#[test]
fn many_inputs_are_decided_without_trying_their_combinations() {
    for text in [SWITCHES.to_string(), counted()] {
        let program = load_model("switches.gcl", &text);
        // Four billion combinations take hours; an engine that tries them is not through by then.
        let limits = Limits { interrupt: Interrupt::after(Duration::from_secs(300)), ..Limits::default() };
        let options = CheckOptions { limits, ..CheckOptions::default() };
        let memory = || 1 << 28;
        let terms = Terms { shortest: Some(&memory), ..Terms::default() };
        let report = check::decide(&program, Means::Together, &options, &terms, &mut |_| {}).expect("small");
        let shortest: Vec<usize> = runs(&program, &report).iter().map(|(_, run)| run.len()).collect();
        assert!(shortest.contains(&3), "{shortest:?}");
        let are_shortest =
            |finding: &check::Finding| finding.is_shortest || !matches!(finding.answer, Answer::Reachable { .. });
        assert!(report.findings.iter().all(are_shortest));
    }
}

/// Boxes follow values of inputs by themselves, but not billions of them; without a bound this would never end.
#[test]
fn boxes_give_up_where_inputs_are_many() {
    let program = load_model("counted.gcl", &counted());
    let report =
        check::decide(&program, Means::Boxes, &CheckOptions::default(), &Terms::default(), &mut |_| {}).expect("small");
    assert!(report.findings.iter().any(|finding| finding.answer.is_unknown()));
}

/// A step with billions of combinations can be interrupted in the middle of them, whatever engine is trying them.
#[test]
fn trying_combinations_can_be_interrupted() {
    let program = load_model("switches.gcl", SWITCHES);
    for means in [Means::Regions, Means::Explicit] {
        let limits = Limits { interrupt: Interrupt::after(Duration::from_millis(300)), ..Limits::default() };
        let options = CheckOptions { limits, ..CheckOptions::default() };
        let report = check::decide(&program, means, &options, &Terms::default(), &mut |_| {}).expect("small");
        assert!(report.findings.iter().any(|finding| finding.answer.is_unknown()), "{means:?}");
    }
}
