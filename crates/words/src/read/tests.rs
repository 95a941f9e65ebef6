//! Files that are read, and files that are refused with a place and a reason.

use redoubt_circuit::random::Random;

use super::*;
use crate::model::{Node, Sort};
use crate::random::{Shape, model};
use crate::simulate::Simulator;
use crate::witness::{self, Claim};
use crate::{Run, blast, write};

fn refusal(text: &str) -> String {
    read(text.as_bytes()).expect_err("malformed").to_string()
}

#[test]
fn everything_is_read() {
    let text = "; a comment\n1 sort bitvec 8 byte ; another\n\n2 sort bitvec 1\n3 sort array 1 1\n4 constd 1 -3\n\
                5 consth 1 fD\n6 const 1 11111101\n7 state 1 x\n8 init 1 7 4\n9 input 2 go\n10 inc 1 7\n\
                11 ite 1 -9 7 10\n12 next 1 7 11\n13 eq 2 7 5\n14 bad 13 full\n15 constraint -13\n16 fair 9\n\
                17 justice 2 9 13 often\n18 output 7 out\n19 ones 1\n20 one 1\n21 zero 1\n22 state 3 memory\n\
                23 init 3 22 21\n24 write 3 22 7 6\n25 next 3 22 24\n";
    let model = read(text.as_bytes()).expect("well-formed");
    let constants: Vec<String> = model
        .nodes
        .iter()
        .filter_map(|node| match node {
            Node::Constant(bits) => Some(bits.to_string()),
            _ => None,
        })
        .collect();
    assert_eq!(constants[..3], ["11111101"; 3]);
    assert_eq!(constants[3..], ["11111111", "00000001", "00000000"]);
    assert_eq!((model.states.len(), model.inputs.len(), model.bad.len()), (2, 1, 1));
    assert_eq!((model.constraints.len(), model.fairness.len(), model.justice[0].nodes.len()), (1, 1, 2));
    assert_eq!(model.sort(model.states[1].node), Sort::Array { index: 8, element: 8 });
    assert_eq!((&*model.states[0].name, &*model.bad[0].name, &*model.justice[0].name), ("x", "full", "often"));
    assert!(looks_like_btor2(text.as_bytes()) && !looks_like_btor2(b"aag 1 1 0 0 0\n2\n"));
    assert!(!looks_like_btor2(b"") && !looks_like_btor2(b"int main() {"));
}

#[test]
fn control_characters_in_names_are_replaced() {
    let model = read(b"1 sort bitvec 1\n2 input 1\n3 bad 2 all\x1b[2Kwell\n").expect("well-formed");
    assert_eq!(model.bad[0].name, "all\u{fffd}[2Kwell");
}

#[test]
fn mistakes_are_told_with_their_place() {
    let begin = "1 sort bitvec 4\n2 sort bitvec 1\n3 sort array 1 2\n4 state 1 x\n5 state 3 m\n6 input 2 i\n";
    let cases = [
        ("7 sort bitvec 0\n", "line 7, column 15: words have at least one bit"),
        ("7 sort bitvec 9999999\n", "line 7, column 15: this is too large for a number of bits: 1048576 is the most"),
        ("7 sort words 4\n", "line 7, column 8: expected `bitvec` or `array`, found `words`"),
        (
            "7 sort array 3 1\n",
            "line 7, column 14: expected a sort of words; this is an array of 1-bit words with 4-bit indices",
        ),
        ("7 add 1 4\n", "line 7, column 10: expected the number of an expression, found the end of the line"),
        ("7 add 1 4 9\n", "line 7, column 11: no line before this one has the number 9"),
        ("7 add 1 4 1\n", "line 7, column 11: line 1 is not an expression"),
        ("7 add 1 4 6\n", "line 7, column 11: `add` cannot be of 4 bits and 1 bit"),
        ("7 add 2 4 4\n", "line 7, column 7: the result is 4 bits, but the line says 1 bit"),
        ("7 add 1 4 4 name more\n", "line 7, column 18: expected the end of the line behind a name, found `more`"),
        ("7 ad 1 4 4\n", "line 7, column 3: `ad` is not a keyword of the format"),
        ("x add 1 4 4\n", "line 7, column 1: expected the number of a line, found `x`"),
        ("6 add 1 4 4\n", "line 7, column 1: lines are numbered upward from 1, and 6 came before this one"),
        ("7\n", "line 7, column 2: expected a keyword such as `sort` or `add`, found the end of the line"),
        (
            "7 not 3 -5\n",
            "line 7, column 9: only words can be negated; this is an array of 1-bit words with 4-bit indices",
        ),
        ("7 slice 1 4 4 0\n", "line 7, column 13: this is too large for the upper bit: 3 is the most"),
        ("7 slice 1 4 1 2\n", "line 7, column 15: this is too large for the lower bit: 1 is the most"),
        ("7 const 1 11111\n", "line 7, column 11: this number does not fit 4 bits"),
        ("7 const 1 12\n", "line 7, column 11: `2` is not a digit in base 2"),
        ("7 constd 1 16\n", "line 7, column 12: this number does not fit 4 bits"),
        ("7 constd 1 -9\n", "line 7, column 12: this number does not fit 4 bits"),
        ("7 constd 1 -\n", "line 7, column 12: expected a number"),
        ("7 zero 3\n", "line 7, column 8: constants are words, not an array of 1-bit words with 4-bit indices"),
        ("7 read 2 4 4\n", "line 7, column 10: expected an array; this is 4 bits"),
        ("7 read 2 5 6\n", "line 7, column 12: expected 4 bits; this is 1 bit"),
        ("7 ite 1 4 4 4\n", "line 7, column 9: expected 1 bit; this has 4"),
        ("7 bad 4\n", "line 7, column 7: expected 1 bit; this has 4"),
        ("7 justice 2 6\n", "line 7, column 14: expected the number of an expression, found the end of the line"),
        ("7 init 1 6 4\n", "line 7, column 10: line 6 is not a state"),
        (
            "7 init 1 4 4\n",
            "line 7, column 12: an initial value may depend only on states before the one that it is for",
        ),
        ("7 uext 1 6 3\n8 init 1 4 7\n", "line 8, column 12: an initial value may depend on states, but not on inputs"),
        ("7 next 1 4 6\n", "line 7, column 12: the state is 4 bits, but this is 1 bit"),
        ("7 next 2 4 4\n", "line 7, column 8: the state is 4 bits, not 1 bit"),
        ("7 next 1 4 4\n8 next 1 4 4\n", "line 8, column 10: the state has a second `next` here"),
    ];
    for (end, message) in cases {
        assert_eq!(refusal(&format!("{begin}{end}")), message, "{end}");
    }
    let empty = "line 1, column 1: expected a line such as `1 sort bitvec 8`, found the end of the file";
    assert_eq!(refusal(""), empty);
    assert_eq!(read(b"1 sort\xff").expect_err("malformed").to_string(), "line 1, column 7: this is not UTF-8 text");
    let shown = read(b"1 sort bitvec 1\n2 input 2\n").expect_err("malformed").render("m.btor2");
    let mark = "  |         ^\n";
    assert_eq!(
        shown,
        format!("error: no line before this one has the number 2\n --> m.btor2:2:9\n  |\n2 | 2 input 2\n{mark}\n")
    );
}

const SMALL: Shape = Shape { widest: 5, inputs: 2, states: 3, operators: 15, arrays: 1 };

#[test]
fn what_is_written_is_read_back() {
    for seed in 0..300 {
        let model = model(&mut Random::new(seed), SMALL);
        let text = write(&model);
        let again = read(text.as_bytes()).unwrap_or_else(|error| panic!("{error}\n{text}"));
        assert_eq!((&model.nodes, &model.sorts), (&again.nodes, &again.sorts));
        assert_eq!(text, write(&again));
    }
}

/// Whatever the bytes, the reader answers; what it accepts can be run and made a circuit of.
fn read_mutated(seed: u64) {
    let mut random = Random::new(seed);
    let mut file = write(&model(&mut random, SMALL)).into_bytes();
    for _ in 0..1 + random.below(3) {
        let at = random.below(file.len());
        match random.below(4) {
            0 => file[at] = random.bits() as u8,
            1 => _ = file.remove(at),
            2 => file.insert(at, b"0123456789 \n-"[random.below(13)]),
            _ => file[at] = b"0123456789 \n-"[random.below(13)],
        }
    }
    if let Ok(model) = read(&file) {
        let zeros: Vec<_> = model.inputs.iter().map(|input| crate::Value::zero(model.sort(input.node))).collect();
        let step = crate::Stimulus { states: vec![None; model.states.len()], inputs: zeros };
        let run = Run { steps: vec![step.clone(), step] };
        for bad in 0..model.bad.len() {
            let _ = run.reaches(&model, bad);
        }
        if let Ok(blasted) = blast(&model) {
            blasted.circuit.check().expect("well-formed");
        }
    }
}

#[test]
fn mutated_files_are_read_or_refused() {
    (0..2000).for_each(read_mutated);
}

#[test]
fn witnesses_are_read_back() {
    for seed in 0..200 {
        let mut random = Random::new(seed);
        let model = model(&mut random, SMALL);
        let blasted = blast(&model).expect("a small one");
        let mut bits = |number: usize| -> Vec<bool> { (0..number).map(|_| random.below(2) == 1).collect() };
        let initial = bits(blasted.circuit.latches.len());
        let inputs: Vec<Vec<bool>> = (0..3).map(|_| bits(blasted.circuit.inputs.len())).collect();
        let run = blasted.places.run(&model, &initial, &inputs);
        let mut text = vec![];
        witness::write(&mut text, &model, Claim::Bad(1), &run).expect("in memory");
        let text = String::from_utf8(text).expect("text");
        let read = witness::read(&model, &text).unwrap_or_else(|error| panic!("{error:?}\n{text}"));
        assert_eq!((read.len(), read[0].0), (1, Claim::Bad(1)));
        // An array that is 0 everywhere has no line, and then nothing is said about it.
        let mut simulators = [Simulator::new(&model), Simulator::new(&model)];
        for number in 0..3 {
            let taken = [&run, &read[0].1].map(|run| run.steps[number].clone());
            let [a, b] = &mut simulators;
            assert_eq!(a.take(number, &taken[0]), b.take(number, &taken[1]), "{text}");
            let state = |simulator: &Simulator| -> Vec<_> {
                model.states.iter().map(|state| simulator.value(state.node).clone()).collect()
            };
            assert_eq!(state(a), state(b), "{text}");
        }
        assert_eq!(run.reaches(&model, 1), read[0].1.reaches(&model, 1));
    }
}

#[test]
fn mistakes_in_witnesses_are_told() {
    let model = read(b"1 sort bitvec 2\n2 sort bitvec 1\n3 state 1\n4 input 2\n5 bad 4\n").expect("well-formed");
    let cases = [
        ("", None, "the file ends where a line `sat` is expected"),
        ("unsat\n", Some(1), "`unsat` is not the beginning of a witness; expected `sat`"),
        ("sat\nb1\n", Some(2), "the model has no property `b1`"),
        ("sat\nb0\n", None, "the file ends where a step or `.` is expected"),
        ("sat\nb0\n0 1\n", Some(3), "expected `#0` or `@0`, found `0 1`"),
        ("sat\nb0\n@1\n", Some(3), "step `1` is out of order"),
        ("sat\nb0\n#0\n0 1\n", Some(4), "`1` has not 2 bits"),
        ("sat\nb0\n#0\n0 12\n", Some(4), "`2` is not a value; expected 0, 1 or x"),
        ("sat\nb0\n#0\n0\n", Some(4), "expected a value, found the end of the line"),
        ("sat\nb0\n#0\n1 00\n", Some(4), "the model has no state 1; it has 1"),
        ("sat\nb0\n#0\n@0\n1 1\n", Some(5), "the model has no input 1; it has 1"),
    ];
    for (text, line, message) in cases {
        let misread = witness::read(&model, text).expect_err("malformed");
        assert_eq!((misread.line, &*misread.message), (line, message), "{text}");
    }
    let run = witness::read(&model, "sat\nb0\n#0\n0 1x\n@0\n0 1 go@0\n.\n").expect("well-formed").remove(0).1;
    assert_eq!(run.reaches(&model, 0), Ok(()));
}
