//! Decision diagrams that do not fit: they stop in time and within the memory that they are given, say why, and leave the rest
//! to others.

use std::process::Stdio;
use std::time::{Duration, Instant};

use redoubt_base::Limits;
use redoubt_circuit::aiger::{self, Format};
use redoubt_circuit::{Circuit, Reset, Signal};
use redoubt_engine::engine::{Engine, Verdict};

use crate::common::command::{name, redoubt_in, run, stderr, stdout};
use crate::common::scratch::Scratch;
use crate::faults::peak;

/// A multiplier, whose middle bits have no small diagrams in any order, and a latch that some products set for good. The first
/// property is that it is set; the second is one that IC3 sees at once to be unreachable.
fn multiplier(bits: usize) -> Circuit {
    let mut circuit = Circuit::default();
    let inputs: Vec<Signal> = (0..2 * bits).map(|_| circuit.add_input("")).collect();
    let operands: Vec<Signal> = (0..2 * bits).map(|_| circuit.add_latch("", Reset::Zero)).collect();
    let (stuck, never) = (circuit.add_latch("", Reset::Zero), circuit.add_latch("", Reset::Zero));
    let gates = &mut circuit.gates;
    let (a, b) = operands.split_at(bits);
    let mut product = vec![Signal::FALSE; 2 * bits];
    for (shift, &bit) in b.iter().enumerate() {
        let mut carry = Signal::FALSE;
        for place in 0..bits {
            let term = gates.and(a[place], bit);
            let old = product[place + shift];
            let half = gates.xor(old, term);
            product[place + shift] = gates.xor(half, carry);
            let (both, one) = (gates.and(old, term), gates.and(half, carry));
            carry = gates.or(both, one);
        }
        product[bits + shift] = carry;
    }
    let found = gates.and_all(&product[bits - 2..bits + 3]);
    let next = gates.or(stuck, found);
    let more = gates.and(never, found);
    for (latch, &input) in inputs.iter().enumerate() {
        circuit.latches[latch].next = input;
    }
    circuit.latches[2 * bits].next = next;
    circuit.latches[2 * bits + 1].next = more;
    circuit.add_bad("stuck", stuck);
    circuit.add_bad("never", never);
    circuit
}

/// The file of a multiplier, in which the first input is true again and again if that is wanted.
fn file(scratch: &Scratch, bits: usize, with_fairness: bool) -> String {
    let mut bytes = vec![];
    aiger::write(&mut bytes, &multiplier(bits), Format::Ascii, "").expect("a vector takes all");
    let text = String::from_utf8(bytes).expect("the format is text");
    let mut lines: Vec<String> = text.lines().map(String::from).collect();
    if with_fairness {
        // Fairness comes after inputs, latches and bad states, and before the gates.
        let numbers: Vec<usize> = lines[0].split(' ').filter_map(|word| word.parse().ok()).collect();
        let [most, inputs, latches, 0, gates, bad, ..] = numbers[..] else { panic!("{}", lines[0]) };
        lines[0] = format!("aag {most} {inputs} {latches} 0 {gates} {bad} 0 0 1");
        lines.insert(1 + inputs + latches + bad, "2".into());
    }
    name(&scratch.write("multiplier.aag", &(lines.join("\n") + "\n")))
}

/// Tables that double take much memory at once; they ask before they do.
#[test]
fn the_memory_limit_is_kept() {
    let scratch = Scratch::new();
    for (with_fairness, what) in [(false, ["--engine", "bdd"]), (true, ["--ctl", "AG EF !b0"])] {
        let model = file(&scratch, 18, with_fairness);
        for limit in [60, 150] {
            let megabytes = limit.to_string();
            let arguments = [&["check", &model, "--memory", &megabytes, "--timeout", "300"], &what[..]].concat();
            let mut command = redoubt_in(".", &arguments);
            let mut child = command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().expect("it starts");
            let most = peak(&mut child) >> 20;
            let output = child.wait_with_output().expect("it ends");
            let (out, messages) = (stdout(&output), stderr(&output));
            let what = format!("{what:?}, {most} of {limit} MB\n{out}{messages}");
            assert_eq!(output.status.code(), Some(20), "{what}");
            assert!(out.contains("unknown") && out.contains("memory was full"), "{what}");
            assert!(out.contains("--memory 1024"), "{what}");
            assert!(!messages.contains("panicked") && !messages.contains("takes more memory"), "{what}");
            assert!(limit / 3 < most && most < limit + limit / 20, "{what}");
        }
    }
}

#[test]
fn the_time_limit_is_kept() {
    let scratch = Scratch::new();
    for (with_fairness, what) in [(false, ["--engine", "bdd"]), (true, ["--ctl", "AG EF !b0"])] {
        let model = file(&scratch, 24, with_fairness);
        // Others use the machine too, so it may try again.
        let is_kept = (0..3).any(|_| {
            let begun = Instant::now();
            let output = run(&mut redoubt_in(".", &[&["check", &model, "--timeout", "1"], &what[..]].concat()));
            assert_eq!(output.status.code(), Some(20), "{what:?}: {}", stderr(&output));
            assert!(stdout(&output).contains("time was up"), "{what:?}: {}", stdout(&output));
            begun.elapsed() < Duration::from_millis(1_400)
        });
        assert!(is_kept, "{what:?}: more than 1.4 s for a limit of 1 s");
    }
}

/// An engine that goes without memory does not take it from others: IC3 still gives its verdicts.
#[test]
fn others_go_on_where_diagrams_do_not_fit() {
    let circuit = multiplier(12);
    let limits = Limits::depth(3);
    limits.interrupt.set_room(0);
    let by = |engine: Engine| engine.check(&circuit, engine.backend(), &limits, &mut |_| {}).verdicts;
    assert_eq!(by(Engine::Bdd), [Verdict::Open, Verdict::Open]);
    assert!(limits.interrupt.was_refused() && !limits.interrupt.is_raised());
    let verdicts = by(Engine::Portfolio);
    assert!(matches!(verdicts[..], [Verdict::Reachable(_), Verdict::Unreachable(_)]), "{verdicts:?}");
}
