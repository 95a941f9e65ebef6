//! All ways to encode a step are equivalent, by SAT: the two encodings, the two kinds of clauses, each pass on
//! and off, both widths.

use redoubt_bits::blast::{Blasted, Code, Width, blast, blast_with_writes};
use redoubt_bits::system::passes::{cone, constants, copies};
use redoubt_bits::system::rewrite::{Fate, rebuild};
use redoubt_bits::system::values::{self, Values};
use redoubt_bits::system::{self, TransitionSystem};
use redoubt_circuit::{Aig, Signal, word};
use redoubt_clauses::cnf::{Encoding, Transition, Uses};

use crate::common::miter::{Copied, copy, equal_where, same_relation};
use crate::common::walks::programs;

/// The number of random programs that are compared.
const RANDOM: u64 = 20;

/// Circuits with more gates than this at 32 bits are left to the walks: proofs about multipliers and dividers
/// take minutes.
const MOST_GATES: usize = 3000;

/// The systems that are small enough, with the names of their programs.
fn systems() -> Vec<(String, TransitionSystem)> {
    let mut small = vec![];
    for program in programs(RANDOM) {
        let system = system::build(&program).expect("a small program");
        if blast_with_writes(&system, Width::Full).circuit.gates.gate_count() <= MOST_GATES {
            small.push((program.name, system));
        }
    }
    assert!(small.len() >= 15, "only {} systems", small.len());
    small
}

/// Functional and frame encoding, full and compact, are one relation: for every state and input, reachable or
/// not, on steps that stop and on those that do not.
#[test]
fn encodings_are_the_same_relation() {
    for (program, system) in systems() {
        for width in [Width::Full, Width::Reduced] {
            let blasted = blast_with_writes(&system, width);
            let circuit = &blasted.circuit;
            let reference = Transition::new(circuit, Encoding::Tseitin, Uses::ANY);
            for other in [
                Transition::new(circuit, Encoding::Compact, Uses::ANY),
                blasted.frame(Encoding::Tseitin, Uses::ANY).transition,
                blasted.frame(Encoding::Compact, Uses::ANY).transition,
            ] {
                assert!(same_relation(circuit, &reference, &other), "{} at {width:?}", program);
            }
        }
    }
}

/// With a pass, the variables that stay do the same as without it, in every state in which those that went have
/// the value that the pass found: the constant, the other variable's, or any.
#[test]
fn passes_change_nothing() {
    type Pass = fn(&TransitionSystem) -> Vec<Fate>;
    let passes: [(&str, Pass); 3] = [("constants", constants::fates), ("copies", copies::fates), ("cone", cone::fates)];
    // Most comparisons are of the same circuit twice, so that larger ones will do.
    for program in programs(6) {
        let system = system::build(&program).expect("a small program");
        for (name, pass) in passes {
            assert!(pass_is_sound(&system, &pass(&system)), "{name} on {}", program.name);
        }
    }
}

fn pass_is_sound(system: &TransitionSystem, fates: &[Fate]) -> bool {
    let (before, after) = (blast(system, Width::Full), blast(&rebuild(system, fates), Width::Full));
    let mut gates = Aig::default();
    let inputs = word::leaves(&mut gates, before.circuit.inputs.len());
    let mut words: Vec<Vec<Signal>> = vec![];
    for (code, fate) in before.states.iter().zip(fates) {
        words.push(match fate {
            Fate::Keep | Fate::Drop => word::leaves(&mut gates, code.bits()),
            Fate::Constant(value) => {
                let bits = code.encode(*value).expect("a value of the code");
                bits.into_iter().map(Signal::constant).collect()
            }
            Fate::SameAs(other) => {
                assert_eq!(*code, before.states[other.index()], "copies have one code");
                words[other.index()].clone()
            }
        });
    }
    let kept = |words: &[Vec<Signal>]| -> Vec<Signal> {
        let kept = words.iter().zip(fates).filter(|(_, fate)| **fate == Fate::Keep);
        kept.flat_map(|(word, _)| word.clone()).collect()
    };
    let old = copy(&mut gates, &before.circuit, &words.concat(), &inputs);
    let new = copy(&mut gates, &after.circuit, &kept(&words), &inputs);
    let next = split(&before, &old.next);
    let mut pairs: Vec<(Signal, Signal)> = kept(&next).into_iter().zip(new.next.iter().copied()).collect();
    pairs.extend(outcomes(&mut gates, &old, &new));
    // The findings of the pass stay true: a constant keeps its value, a copy gets the value of its original.
    for (index, fate) in fates.iter().enumerate() {
        let same = match fate {
            Fate::Constant(_) => &words[index],
            Fate::SameAs(other) => &next[other.index()],
            Fate::Keep | Fate::Drop => continue,
        };
        pairs.extend(next[index].iter().copied().zip(same.iter().copied()));
    }
    equal_where(&mut gates, Signal::TRUE, &pairs)
}

/// Properties, the conjunction of all constraints, and `stop`.
fn outcomes(gates: &mut Aig, a: &Copied, b: &Copied) -> Vec<(Signal, Signal)> {
    let constraints = (gates.and_all(&a.constraints), gates.and_all(&b.constraints));
    let bad = a.bad.iter().copied().zip(b.bad.iter().copied());
    bad.chain([constraints, (a.stop, b.stop)]).collect()
}

/// The bits of all latches, one word per state variable.
fn split(blasted: &Blasted, mut bits: &[Signal]) -> Vec<Vec<Signal>> {
    let mut words = vec![];
    for code in &blasted.states {
        let (word, rest) = bits.split_at(code.bits());
        words.push(word.to_vec());
        bits = rest;
    }
    words
}

/// In every state whose values are among those that the value analysis found, a step with reduced widths decodes
/// to what it does with 32 bits. That includes that the next state's values are among them again.
#[test]
fn reduced_widths_decode_to_full_ones() {
    for (program, system) in systems() {
        assert!(widths_agree(&system), "{}", program);
    }
}

fn widths_agree(system: &TransitionSystem) -> bool {
    let (full, reduced) = (blast(system, Width::Full), blast(system, Width::Reduced));
    let mut gates = Aig::default();
    let latches = word::leaves(&mut gates, reduced.circuit.latches.len());
    let inputs = word::leaves(&mut gates, reduced.circuit.inputs.len());
    let states = decode(&mut gates, &full.states, &reduced.states, &latches);
    let possible: Vec<Signal> =
        (states.iter().zip(&full.states).zip(values::analyse(system, &redoubt_base::Interrupt::default())))
            .filter(|((_, code), _)| matches!(code, Code::Binary { width: 32 }))
            .map(|((word, _), values)| is_among(&mut gates, word, &values))
            .collect();
    let possible = gates.and_all(&possible);
    let letters = decode(&mut gates, &full.inputs, &reduced.inputs, &inputs);
    let wide = copy(&mut gates, &full.circuit, &states.concat(), &letters.concat());
    let narrow = copy(&mut gates, &reduced.circuit, &latches, &inputs);
    let next = decode(&mut gates, &full.states, &reduced.states, &narrow.next);
    let mut pairs: Vec<(Signal, Signal)> = wide.next.iter().copied().zip(next.concat()).collect();
    pairs.extend(outcomes(&mut gates, &wide, &narrow));
    equal_where(&mut gates, possible, &pairs)
}

/// The bits in the full code of a value in the reduced one.
fn decode(gates: &mut Aig, full: &[Code], reduced: &[Code], mut bits: &[Signal]) -> Vec<Vec<Signal>> {
    let mut words = vec![];
    for (full, reduced) in full.iter().zip(reduced) {
        let (own, rest) = bits.split_at(reduced.bits());
        bits = rest;
        // Truth values and pointers have one code in both.
        words.push(if full == reduced { own.to_vec() } else { reduced.decode_bits(gates, own) });
    }
    words
}

fn is_among(gates: &mut Aig, word: &[Signal], values: &Values) -> Signal {
    let constant = |value: i32| word::constant(i64::from(value), 32);
    match values {
        Values::Set(list) => {
            let each: Vec<Signal> = list.iter().map(|&value| word::eq(gates, word, &constant(value))).collect();
            gates.or_all(&each)
        }
        Values::Range(range) => {
            let above = word::signed_le(gates, &constant(range.low), word);
            let below = word::signed_le(gates, word, &constant(range.high));
            gates.and(above, below)
        }
    }
}
