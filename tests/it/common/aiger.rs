//! A reader and simulator of AIGER files, straight from the format's description and independent of reader and writer.

/// A file as its lines say. Literals are twice a variable, plus one if negated.
#[derive(Debug, Default)]
pub struct File {
    pub inputs: usize,
    /// The next value and the value at the start.
    pub latches: Vec<[usize; 2]>,
    /// Outputs count as bad states where there are no properties.
    pub bad: Vec<usize>,
    pub constraints: Vec<usize>,
    /// The literals of each justice property.
    pub justice: Vec<Vec<usize>>,
    pub fairness: Vec<usize>,
    /// The two operands of each gate.
    pub gates: Vec<[usize; 2]>,
    pub symbols: Vec<String>,
}

/// The effects of a step.
#[derive(Debug, PartialEq, Eq)]
pub struct Step {
    pub bad: Vec<bool>,
    pub constraints: bool,
    pub next: Vec<bool>,
}

impl File {
    /// Reads what we write, and checks that it is in the order that both formats share there.
    pub fn read(bytes: &[u8]) -> File {
        let file = File::read_any(bytes);
        for (&[larger, smaller], index) in file.gates.iter().zip(file.inputs + file.latches.len() + 1..) {
            assert!(2 * index > larger && larger > smaller && smaller > 1, "ordered, and no constant operand");
        }
        file
    }

    /// Reads either format, if inputs, latches and gates are numbered in this order, as they always are in binary.
    pub fn read_any(mut bytes: &[u8]) -> File {
        let header = line(&mut bytes);
        let (magic, counts) = header.split_once(' ').expect("a header");
        let binary = magic == "aig";
        assert!(binary || magic == "aag");
        let mut counts = numbers(counts);
        counts.resize(9, 0);
        let [most, inputs, latches, outputs, gates, bad, constraints, justice, fairness] = counts[..] else {
            panic!("nine counts")
        };
        assert_eq!(most, inputs + latches + gates);
        let mut file = File { inputs, ..File::default() };
        for index in 1..=inputs {
            assert!(binary || numbers(&line(&mut bytes)) == [2 * index]);
        }
        for index in inputs + 1..=inputs + latches {
            let mut fields = numbers(&line(&mut bytes));
            assert!(binary || fields.remove(0) == 2 * index);
            file.latches.push([fields[0], fields.get(1).copied().unwrap_or(0)]);
        }
        let outputs: Vec<usize> = (0..outputs).map(|_| numbers(&line(&mut bytes))[0]).collect();
        file.bad = (0..bad).map(|_| numbers(&line(&mut bytes))[0]).collect();
        if file.bad.is_empty() && justice == 0 {
            file.bad = outputs;
        }
        file.constraints = (0..constraints).map(|_| numbers(&line(&mut bytes))[0]).collect();
        let sizes: Vec<usize> = (0..justice).map(|_| numbers(&line(&mut bytes))[0]).collect();
        let mut literals = |count: usize| (0..count).map(|_| numbers(&line(&mut bytes))[0]).collect::<Vec<_>>();
        file.justice = sizes.into_iter().map(&mut literals).collect();
        file.fairness = literals(fairness);
        for index in inputs + latches + 1..=most {
            let [larger, smaller] = if binary {
                let larger = 2 * index - delta(&mut bytes);
                [larger, larger - delta(&mut bytes)]
            } else {
                let fields = numbers(&line(&mut bytes));
                assert_eq!(fields[0], 2 * index);
                [fields[1], fields[2]]
            };
            assert!(2 * index > larger && larger >= smaller, "operands come first");
            file.gates.push([larger, smaller]);
        }
        while !bytes.is_empty() {
            let symbol = line(&mut bytes);
            if symbol == "c" {
                break;
            }
            file.symbols.push(symbol);
        }
        file
    }

    pub fn initial(&self) -> Vec<bool> {
        self.latches.iter().map(|&[_, reset]| reset == 1).collect()
    }

    /// The values of all literals, by their numbers.
    pub fn values(&self, state: &[bool], inputs: &[bool]) -> impl Fn(usize) -> bool + use<> {
        let mut values = vec![false];
        values.extend(inputs.iter().chain(state));
        let at = |values: &[bool], literal: usize| values[literal / 2] ^ (literal % 2 == 1);
        for &[a, b] in &self.gates {
            values.push(at(&values, a) && at(&values, b));
        }
        move |literal: usize| at(&values, literal)
    }

    pub fn step(&self, state: &[bool], inputs: &[bool]) -> Step {
        let at = self.values(state, inputs);
        Step {
            bad: self.bad.iter().map(|&literal| at(literal)).collect(),
            constraints: self.constraints.iter().all(|&literal| at(literal)),
            next: self.latches.iter().map(|&[next, _]| at(next)).collect(),
        }
    }
}

impl File {
    /// The mistake in an AIGER witness of this model, if there is one.
    pub fn flaw_of_witness(&self, witness: &str) -> Option<String> {
        let mut lines = witness.lines();
        if lines.next() != Some("1") {
            return Some("it does not begin with 1".into());
        }
        let property = lines.next().and_then(|line| line.strip_prefix('b')?.parse::<usize>().ok());
        let Some(property) = property.filter(|&property| property < self.bad.len()) else {
            return Some("it has no property of the model".into());
        };
        let bits = |line: &str| -> Vec<bool> { line.chars().map(|bit| bit == '1').collect() };
        let mut state = bits(lines.next().unwrap_or(""));
        let resets = self.latches.iter().zip(self.inputs + 1..);
        let is_reset = |((&[_, reset], variable), &value): ((&[usize; 2], usize), &bool)| {
            reset == 2 * variable || reset == usize::from(value)
        };
        if state.len() != self.latches.len() || !resets.zip(&state).all(is_reset) {
            return Some("the first state is not a reset state".into());
        }
        let mut last = None;
        for (position, line) in lines.by_ref().take_while(|&line| line != ".").enumerate() {
            let inputs = bits(line);
            if inputs.len() != self.inputs {
                return Some(format!("step {position} has {} inputs", inputs.len()));
            }
            let step = self.step(&state, &inputs);
            if !step.constraints {
                return Some(format!("step {position} violates a constraint"));
            }
            state = step.next;
            last = Some(step.bad[property]);
        }
        match last {
            Some(true) => None,
            _ => Some("it does not end in a bad state".into()),
        }
    }
}

fn line(bytes: &mut &[u8]) -> String {
    let end = bytes.iter().position(|&byte| byte == b'\n').expect("a line");
    let line = String::from_utf8_lossy(&bytes[..end]).into_owned();
    *bytes = &bytes[end + 1..];
    line
}

fn numbers(line: &str) -> Vec<usize> {
    line.split(' ').map(|word| word.parse().expect("a number")).collect()
}

fn delta(bytes: &mut &[u8]) -> usize {
    let mut value = 0;
    for shift in (0..).step_by(7) {
        let (&byte, rest) = bytes.split_first().expect("a byte");
        *bytes = rest;
        value |= usize::from(byte & 0x7f) << shift;
        if byte < 0x80 {
            break;
        }
    }
    value
}
