//! Files that are read, and files that are refused with a place and a reason.

use super::super::{Format, looks_like_aiger, unpack, write};
use super::*;
use crate::random::Random;
use crate::{Reset, Signal, Simulator};

fn bytes(circuit: &Circuit, format: Format) -> Vec<u8> {
    let mut out = Vec::new();
    write(&mut out, circuit, format, "a comment").expect("a vector takes all");
    out
}

fn refusal(file: &[u8]) -> String {
    read(file).map(|model| model.properties).expect_err("malformed").to_string()
}

/// 64 random runs at once, side by side.
fn same_behaviour(a: &Circuit, b: &Circuit, random: &mut Random) {
    let resets = |circuit: &Circuit| -> Vec<Reset> { circuit.latches.iter().map(|latch| latch.reset).collect() };
    assert_eq!(resets(a), resets(b));
    let free: Vec<u64> = a.latches.iter().map(|_| random.bits()).collect();
    let [mut a, mut b] =
        [(a, &free), (b, &free)].map(|(circuit, free)| (Simulator::new(circuit, |latch| free[latch]), circuit));
    for _ in 0..10 {
        let inputs: Vec<u64> = a.1.inputs.iter().map(|_| random.bits()).collect();
        assert_eq!(a.0.state(), b.0.state());
        a.0.evaluate(&inputs);
        b.0.evaluate(&inputs);
        assert!((0..a.1.bad.len()).all(|bad| a.0.bad(bad) == b.0.bad(bad)));
        assert_eq!(a.0.constraints(), b.0.constraints());
        a.0.advance();
        b.0.advance();
    }
}

#[test]
fn what_is_written_is_read_back() {
    for seed in 0..300 {
        let mut random = Random::new(seed);
        let mut circuit = random.circuit(5, 4, 60);
        circuit.stop = Signal::FALSE;
        for format in [Format::Ascii, Format::Binary] {
            let model = read(&bytes(&circuit, format)).expect("well-formed");
            model.circuit.check().expect("well-formed");
            same_behaviour(&circuit, &model.circuit, &mut random);
            assert_eq!(model.properties, ["b0", "b1", "b2"]);
            let names = |circuit: &Circuit| -> Vec<String> {
                let latches = circuit.latches.iter().map(|latch| latch.name.clone());
                latches.chain(circuit.inputs.iter().map(|input| input.name.clone())).collect()
            };
            assert_eq!(names(&circuit), names(&model.circuit));
            assert_eq!(
                bytes(&model.circuit, format),
                bytes(&read(&bytes(&model.circuit, format)).expect("again").circuit, format)
            );
        }
    }
}

#[test]
fn every_section_is_read() {
    let text = "aag 9 2 2 1 2 1 1 2 1\n4\n6\n10 13 1\n8 2 8\n6\n12\n5\n2\n1\n4\n6\n8\n10\n12 2 7\n2 4 11\n\
                i1 in\nl0 latch\no0 out\nb0 bad\nc0 constraint\nj1 again\nf0 fair\nc\nanything \u{ff} at all";
    let model = read(text.as_bytes()).expect("well-formed");
    assert_eq!(model.properties, ["b0"]);
    assert_eq!(model.circuit.bad[0].name, "bad");
    assert_eq!(model.input_literals, [4, 6]);
    assert_eq!(model.latch_literals, [10, 8]);
    assert_eq!(model.circuit.inputs[1].name, "in");
    let resets: Vec<Reset> = model.circuit.latches.iter().map(|latch| latch.reset).collect();
    assert_eq!(resets, [Reset::One, Reset::Free]);
    let justice: Vec<_> = model.justice.iter().map(|justice| (&*justice.name, &*justice.symbol)).collect();
    assert_eq!(justice, [("j0", ""), ("j1", "again")]);
    let [i0, i1] = [0, 1].map(|index: usize| model.circuit.inputs[index].signal);
    let [l0, l1] = [0, 1].map(|index: usize| model.circuit.latches[index].signal);
    assert_eq!(model.fairness, [l0]);
    assert_eq!((model.recurring(0), model.recurring(1)), (vec![i0, i1, l0], vec![l1, l0]));
}

#[test]
fn outputs_are_properties_where_there_are_no_others() {
    let old = read(b"aag 1 1 0 2 0\n2\n2\n3\no1 second\n").expect("well-formed");
    assert_eq!(old.properties, ["o0", "o1"]);
    assert_eq!(old.circuit.bad[1].name, "second");
    let new = read(b"aag 1 1 0 2 0 1\n2\n2\n3\n3\n").expect("well-formed");
    assert_eq!(new.properties, ["b0"]);
    // A file with justice properties is new enough to declare its bad states.
    let live = read(b"aag 1 1 0 1 0 0 0 1\n2\n2\n1\n2\n").expect("well-formed");
    assert_eq!((live.properties.len(), live.justice.len()), (0, 1));
}

/// A name is shown on terminals, where such characters would move the cursor over a verdict.
#[test]
fn control_characters_in_names_are_replaced() {
    let model = read(b"aag 1 0 1 1 0\n2 3 0\n2\no0 all\r\x1b[2Kwell \xc2\x9b1m\r\n").expect("well-formed");
    assert_eq!(model.circuit.bad[0].name, "all\u{fffd}\u{fffd}[2Kwell \u{fffd}1m");
}

#[test]
fn compressed_files_are_unpacked() {
    use std::io::Write;
    let text = b"aag 1 1 0 1 0\n2\n2\n".to_vec();
    let mut gzip = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::default());
    gzip.write_all(&text).expect("in memory");
    // The same text by `xz`.
    let xz = b"\
        \xfd\x37\x7a\x58\x5a\x00\x00\x04\xe6\xd6\xb4\x46\x02\x00\x21\x01\x16\x00\x00\x00\x74\x2f\xe5\xa3\
        \xe0\x00\x11\x00\x10\x5d\x00\x30\xe1\x98\x40\x31\x80\x10\x7f\xe6\xab\x38\xd0\x9c\x45\x00\x00\x00\
        \x6b\x4f\x94\x3f\x43\x0f\x01\xdd\x00\x01\x2c\x12\xcd\xaf\x0e\xea\x1f\xb6\xf3\x7d\x01\x00\x00\x00\
        \x00\x04\x59\x5a\
        ";
    for packed in [gzip.finish().expect("in memory"), xz.to_vec(), text.clone()] {
        assert!(looks_like_aiger(&packed));
        assert_eq!(unpack(packed.clone()).expect("whole"), text);
        if packed != text {
            assert!(unpack(packed[..packed.len() - 5].to_vec()).is_err(), "cut off");
        }
    }
}

#[test]
fn mistakes_are_told_with_their_place() {
    let cases: [(&[u8], &str); 26] = [
        (b"", "line 1, column 1: expected an AIGER header, which begins with `aag` or `aig`"),
        (b"aig", "line 1, column 1: expected an AIGER header, which begins with `aag` or `aig`"),
        (b"aag 1 1 0", "line 1, column 10: expected a space, found the end of the file"),
        (b"aag 1 1 0 0 0", "line 1, column 14: expected the end of the line, found the end of the file"),
        (b"aag 1 1 0 0 0 0 0 0 0 0\n2\n", "line 1, column 22: expected the end of the line, found a space"),
        (b"aag 1 -1 0 0 0\n", "line 1, column 7: expected the number of inputs, found `-`"),
        (
            b"aag 9999999999 0 0 0 0\n",
            "line 1, column 5: this is too large for the greatest variable: 1073741823 is the most",
        ),
        (
            b"aag 1 1 1 0 0\n2\n4 2\n",
            "line 1, column 1: the header has 1 variables, but inputs, latches and gates must be at most that many and are 2",
        ),
        (
            b"aig 3 1 1 0 0\n2\n",
            "line 1, column 1: the header has 3 variables, but inputs, latches and gates must be exactly that many and are 2",
        ),
        (
            b"aag 900000000 0 0 0 900000000\n2 0 0\n",
            "line 1, column 1: the header announces 5400000000 bytes at least, but 6 follow: the file is cut off, or the header is wrong",
        ),
        (
            b"aig 1000000000 1000000000 0 0 0\n",
            "line 1, column 1: 1000000000 inputs are more than a file of this size can use",
        ),
        (b"aag 1 1 0 1 0\n3\n2\n", "line 2, column 1: the literal of an input must be even and not 0"),
        (b"aag 1 1 0 1 0\n2\n4\n", "line 3, column 1: this is too large for the literal of an output: 3 is the most"),
        (b"aag 2 1 0 1 0\n2\n4\n", "line 3, column 1: literal 4 is used here, but 4 is defined nowhere"),
        (b"aag 2 2 0 0 0\n2\n2\n", "line 3, column 1: literal 2 is defined a second time"),
        (b"aag 2 1 1 0 0\n2\n2 0\n", "line 3, column 1: literal 2 is defined a second time"),
        (b"aag 2 0 1 0 1\n2 0\n2 0 0\n", "line 3, column 1: literal 2 is defined a second time"),
        (
            b"aag 1 0 1 0 0\n2 0 3\n",
            "line 2, column 5: a latch is reset to 0, to 1 or, if uninitialised, to itself (2), not to 3",
        ),
        (b"aag 2 0 0 1 2\n2\n2 4 1\n4 1 3\n", "line 4, column 1: gate 2 depends on itself"),
        (b"aag 1 0 0 1 1\n2\n2 1 2\n", "line 3, column 1: gate 2 depends on itself"),
        (
            b"aag 1 1 0 1 0\n2\n2\nx0 name\n",
            "line 4, column 1: expected a symbol such as `i0 name`, a comment or the end of the file",
        ),
        (
            b"aag 1 1 0 1 0\n2\n2\ni1 name\n",
            "line 4, column 2: this is too large for the position of a symbol: 0 is the most",
        ),
        (b"aag 1 1 0 1 0\n2\n2\ni0 name\ni0 name\n", "line 5, column 1: this is named a second time"),
        (b"aag 1 1 0 1 0\n2\n2\ni0 na", "line 4, column 6: the file ends in the middle of a line"),
        (b"aig 2 1 0 1 1\n4\n\x00\x00", "byte 16: the first operand of gate 4 is not below it: the difference is 0"),
        (b"aig 2 1 0 1 1\n4\n\x02\x83\x01", "byte 16: the second operand of gate 4 would be 2 - 131"),
    ];
    for (file, message) in cases {
        assert_eq!(refusal(file), message, "{}", String::from_utf8_lossy(file));
    }
    assert_eq!(
        refusal(b"aag 0 0 0 0 0 0 0 2 0\n900000000\n1\n"),
        "line 2, column 1: the justice properties have more literals than lines follow"
    );
    assert_eq!(
        refusal(b"aig 2 1 0 1 1\n4\n\x80\x80\x80\x80\x80\x00"),
        "byte 16: this difference takes more than 32 bits"
    );
    let shown = read(b"aag 2 1 0 1 0\n2\n4\n").expect_err("malformed").render("m.aag");
    assert_eq!(shown, "error: literal 4 is used here, but 4 is defined nowhere\n --> m.aag:3:1\n  |\n3 | 4\n  | ^\n\n");
}

/// Every prefix of a file without its symbols and comment is refused, and so is every file with a byte too many.
#[test]
fn cut_and_extended_files_are_refused() {
    for seed in 0..20 {
        let mut random = Random::new(seed);
        let mut circuit = random.circuit(4, 3, 20);
        circuit.stop = Signal::FALSE;
        circuit.inputs.iter_mut().for_each(|input| input.name.clear());
        circuit.latches.iter_mut().for_each(|latch| latch.name.clear());
        circuit.bad.iter_mut().for_each(|bad| bad.name.clear());
        for format in [Format::Ascii, Format::Binary] {
            let mut file = Vec::new();
            write(&mut file, &circuit, format, "").expect("a vector takes all");
            read(&file).expect("well-formed");
            for length in 0..file.len() {
                assert!(read(&file[..length]).is_err(), "{length} bytes of {}", file.len());
            }
            file.push(b'7');
            assert!(read(&file).is_err());
        }
    }
}

/// Whatever the bytes, the reader answers; what it accepts is well-formed and can be decided.
fn read_mutated(seed: u64) {
    let mut random = Random::new(seed);
    let mut circuit = random.circuit(4, 3, 20);
    circuit.stop = Signal::FALSE;
    let format = if seed.is_multiple_of(2) { Format::Ascii } else { Format::Binary };
    let mut file = bytes(&circuit, format);
    for _ in 0..1 + random.below(3) {
        let at = random.below(file.len());
        match random.below(4) {
            0 => file[at] = random.bits() as u8,
            1 => _ = file.remove(at),
            2 => file.insert(at, b"0123456789 \n"[random.below(12)]),
            _ => file[at] = b"0123456789 \n"[random.below(12)],
        }
    }
    if let Ok(model) = read(&file) {
        model.circuit.check().expect("well-formed");
        let mut simulator = Simulator::new(&model.circuit, |_| 0);
        for _ in 0..3 {
            simulator.evaluate(&vec![random.bits(); model.circuit.inputs.len()]);
            simulator.advance();
        }
    }
}

#[test]
fn mutated_files_are_read_or_refused() {
    (0..1000).for_each(read_mutated);
}

/// The same for as many seconds as `REDOUBT_SECONDS` says, with other seeds in every run.
#[test]
#[ignore = "takes as long as it is told to"]
fn mutated_files_for_a_while() {
    let seconds = std::env::var("REDOUBT_SECONDS").ok().and_then(|text| text.parse().ok()).unwrap_or(10);
    let start = std::time::Instant::now();
    let first = std::time::UNIX_EPOCH.elapsed().map_or(0, |age| age.as_nanos() as u64);
    let mut runs = 0;
    while start.elapsed() < std::time::Duration::from_secs(seconds) {
        read_mutated(first.wrapping_add(runs));
        runs += 1;
    }
    println!("{runs} files");
}
