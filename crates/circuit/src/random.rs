//! Random numbers and circuits for tests; a test prints its seed, so that a failure can be repeated.

use super::{Aig, Circuit, Reset, Signal};

/// Random gates and shapes.
pub struct Random(redoubt_base::Random);

impl Random {
    /// Prints the seed, which the test harness shows if the test fails.
    pub fn new(seed: u64) -> Random {
        println!("seed {seed}");
        Random(redoubt_base::Random::new(seed))
    }

    pub fn bits(&mut self) -> u64 {
        self.0.bits()
    }

    pub fn below(&mut self, bound: usize) -> usize {
        self.0.below(bound)
    }

    /// A signed number of this many bits: of all magnitudes, not only large ones.
    pub fn operand(&mut self, width: u32) -> i64 {
        let value = self.bits() as i64 >> (64 - width);
        value >> self.below(width as usize)
    }

    /// One of the signals, complemented or not.
    pub fn pick(&mut self, signals: &[Signal]) -> Signal {
        signals[self.below(signals.len())].complement_if(self.below(2) == 1)
    }

    /// A signal over some of the latest ones: this makes deep graphs with much sharing.
    fn operator(&mut self, gates: &mut Aig, signals: &[Signal]) -> Signal {
        let near = &signals[signals.len().saturating_sub(12)..];
        let (a, b, c) = (self.pick(near), self.pick(signals), self.pick(near));
        match self.below(7) {
            0 | 1 => gates.and(a, b),
            2 => gates.or(a, b),
            3 => gates.xor(a, b),
            4 => gates.mux(a, b, c),
            // A comparator's and an adder's carry.
            choice => {
                let both = gates.and(a, b);
                let either = match choice {
                    5 => gates.or(a, b),
                    _ => gates.xor(a, b),
                };
                let through = gates.and(either, c);
                gates.or(both, through)
            }
        }
    }

    /// Adds operators over the signals; returns these and all results.
    pub fn grow(&mut self, gates: &mut Aig, leaves: &[Signal], operators: usize) -> Vec<Signal> {
        let mut signals = leaves.to_vec();
        for _ in 0..operators {
            let result = self.operator(gates, &signals);
            signals.push(result);
        }
        signals
    }

    /// A circuit with a few of everything.
    pub fn circuit(&mut self, latches: usize, inputs: usize, operators: usize) -> Circuit {
        let mut circuit = Circuit::default();
        let mut leaves = Vec::new();
        for index in 0..latches.max(inputs) {
            if index < inputs {
                leaves.push(circuit.add_input(format!("i{index}")));
            }
            if index < latches {
                let reset = [Reset::Zero, Reset::One, Reset::Free][self.below(3)];
                leaves.push(circuit.add_latch(format!("l{index}"), reset));
            }
        }
        let mut signals = self.grow(&mut circuit.gates, &leaves, operators);
        signals.push(Signal::TRUE);
        for latch in &mut circuit.latches {
            latch.next = self.pick(&signals);
        }
        for index in 0..3 {
            let signal = self.pick(&signals);
            circuit.add_bad(format!("b{index}"), signal);
        }
        circuit.constraints = (0..2).map(|_| self.pick(&signals)).collect();
        circuit.stop = self.pick(&signals);
        circuit
    }
}
