//! Written files are read back by a separate reader, made from the format's description, and must behave like the
//! circuit.

use super::*;
use crate::random::Random;
use crate::{Circuit, Signal, Simulator};

/// An AIGER file as its lines say.
#[derive(Debug, Default, PartialEq, Eq)]
struct File {
    inputs: Vec<u32>,
    /// Literal, next, reset.
    latches: Vec<[u32; 3]>,
    bad: Vec<u32>,
    constraints: Vec<u32>,
    ands: Vec<[u32; 3]>,
    symbols: Vec<String>,
}

struct Reader<'a>(&'a [u8]);

impl Reader<'_> {
    fn line(&mut self) -> Option<String> {
        let end = self.0.iter().position(|&byte| byte == b'\n')?;
        let line = String::from_utf8(self.0[..end].to_vec()).expect("text");
        self.0 = &self.0[end + 1..];
        Some(line)
    }

    fn numbers(&mut self) -> Vec<u32> {
        let line = self.line().expect("a line of numbers");
        assert_eq!(line.trim(), line, "no stray spaces");
        line.split(' ').map(|word| word.parse().expect("a number")).collect()
    }

    fn number(&mut self) -> u32 {
        match self.numbers()[..] {
            [number] => number,
            ref other => panic!("one number, not {other:?}"),
        }
    }

    fn delta(&mut self) -> u32 {
        let mut value = 0;
        for shift in (0..).step_by(7) {
            let (&byte, rest) = self.0.split_first().expect("a byte");
            self.0 = rest;
            value |= u32::from(byte & 0x7f) << shift;
            if byte < 0x80 {
                break;
            }
        }
        value
    }
}

fn read(bytes: &[u8]) -> File {
    let mut reader = Reader(bytes);
    let header = reader.line().expect("a header");
    let (magic, counts) = header.split_once(' ').expect("counts");
    let binary = match magic {
        "aig" => true,
        "aag" => false,
        other => panic!("magic {other}"),
    };
    let mut counts: Vec<u32> = counts.split(' ').map(|n| n.parse().expect("a count")).collect();
    assert!((5..=9).contains(&counts.len()));
    counts.resize(9, 0);
    let [m, i, l, o, a, b, c, ..] = counts[..] else { panic!("counts") };
    assert_eq!((m, o), (i + l + a, 0));
    let mut file = File::default();
    for index in 1..=i {
        let literal = if binary { 2 * index } else { reader.number() };
        file.inputs.push(literal);
    }
    for index in i + 1..=i + l {
        let mut fields = reader.numbers();
        if binary {
            fields.insert(0, 2 * index);
        }
        fields.resize(fields.len().max(3), 0);
        file.latches.push(fields.try_into().expect("three fields"));
    }
    file.bad = (0..b).map(|_| reader.number()).collect();
    file.constraints = (0..c).map(|_| reader.number()).collect();
    for index in i + l + 1..=m {
        file.ands.push(if binary {
            let larger = 2 * index - reader.delta();
            [2 * index, larger, larger - reader.delta()]
        } else {
            reader.numbers().try_into().expect("three literals")
        });
    }
    while let Some(line) = reader.line().filter(|line| line != "c") {
        file.symbols.push(line);
    }
    file
}

impl File {
    /// Numbered without gaps in the order of the file, operands before gates, everything in use.
    fn check_order(&self) {
        let inputs = self.inputs.iter().copied();
        let latches = self.latches.iter().map(|latch| latch[0]);
        let ands = self.ands.iter().map(|and| and[0]);
        let all: Vec<u32> = inputs.chain(latches).chain(ands).collect();
        assert!(all.iter().zip(1..).all(|(&literal, index)| literal == 2 * index));
        for &[gate, larger, smaller] in &self.ands {
            assert!(gate > larger && larger > smaller && smaller > 1, "{gate}");
        }
        let mut used = vec![false; all.len() + 1];
        let roots = self.bad.iter().chain(&self.constraints);
        let next = self.latches.iter().map(|latch| &latch[1]);
        let operands = self.ands.iter().flat_map(|and| &and[1..]);
        for literal in roots.chain(next).chain(operands) {
            used[(literal / 2) as usize] = true;
        }
        assert!(self.ands.iter().all(|and| used[(and[0] / 2) as usize]));
        let mut distinct: Vec<_> = self.ands.iter().map(|and| (and[1], and[2])).collect();
        distinct.sort_unstable();
        distinct.dedup();
        assert_eq!(distinct.len(), self.ands.len(), "no gate twice");
    }

    /// The value of every literal.
    fn evaluate(&self, state: &[u64], inputs: &[u64]) -> Vec<u64> {
        let mut values = vec![0, u64::MAX];
        values.extend(inputs.iter().chain(state).flat_map(|&value| [value, !value]));
        for &[_, larger, smaller] in &self.ands {
            let value = values[larger as usize] & values[smaller as usize];
            values.extend([value, !value]);
        }
        values
    }
}

fn bytes(circuit: &Circuit, format: Format) -> Vec<u8> {
    let mut out = Vec::new();
    write(&mut out, circuit, format, "made by a test").expect("a vector takes all");
    out
}

/// One step at a time, 64 random runs at once: same resets, properties, constraints and states.
fn check_behaviour(circuit: &Circuit, file: &File, random: &mut Random) {
    let free: Vec<u64> = circuit.latches.iter().map(|_| random.bits()).collect();
    let mut simulator = Simulator::new(circuit, |latch| free[latch]);
    let reset = |(&[literal, _, reset], &free): (&[u32; 3], &u64)| match reset {
        0 => 0,
        1 => u64::MAX,
        _ => {
            assert_eq!(reset, literal, "uninitialised");
            free
        }
    };
    let mut state: Vec<u64> = file.latches.iter().zip(&free).map(reset).collect();
    for _ in 0..10 {
        let inputs: Vec<u64> = circuit.inputs.iter().map(|_| random.bits()).collect();
        assert_eq!(simulator.state(), state);
        let values = file.evaluate(&state, &inputs);
        simulator.evaluate(&inputs);
        for (index, &bad) in file.bad.iter().enumerate() {
            assert_eq!(simulator.bad(index), values[bad as usize]);
        }
        let constraints = file.constraints.iter();
        let all = constraints.fold(u64::MAX, |all, &literal| all & values[literal as usize]);
        assert_eq!(simulator.constraints(), all);
        state = (file.latches.iter()).map(|latch| values[latch[1] as usize]).collect();
        let (stop, before) = (simulator.stop(), simulator.state().to_vec());
        simulator.advance();
        let after = simulator.state().iter().zip(before);
        let stuttered: Vec<u64> = after.map(|(new, old)| new & !stop | old & stop).collect();
        simulator.set_state(&stuttered);
    }
}

#[test]
fn both_formats_read_back_to_the_same_behaviour() {
    for seed in 0..200 {
        let mut random = Random::new(seed);
        let mut circuit = random.circuit(5, 4, 60);
        if seed % 3 == 0 {
            circuit.stop = Signal::FALSE;
        }
        circuit.check().expect("well-formed");
        let file = read(&bytes(&circuit, Format::Ascii));
        assert_eq!(file, read(&bytes(&circuit, Format::Binary)));
        file.check_order();
        check_behaviour(&circuit, &file, &mut random);
        let symbols = ["i0 i0", "l0 l0", "b0 b0"].map(str::to_owned);
        assert!(symbols.iter().all(|symbol| file.symbols.contains(symbol)));
    }
}

#[test]
fn large_deltas_take_several_bytes() {
    let mut random = Random::new(1);
    let circuit = random.circuit(300, 300, 3000);
    let file = read(&bytes(&circuit, Format::Ascii));
    assert_eq!(file, read(&bytes(&circuit, Format::Binary)));
    file.check_order();
    check_behaviour(&circuit, &file, &mut random);
}
