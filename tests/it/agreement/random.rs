//! Random circuits, small enough for explicit search: constraints, free latches, several properties,
//! steps that stop.

use redoubt_circuit::{Aig, Bad, Circuit, Input, Latch, Reset, Signal};

/// Random gates and shapes.
pub struct Random(redoubt_base::Random);

impl Random {
    pub fn new(seed: u64) -> Random {
        Random(redoubt_base::Random::new(seed.wrapping_mul(0xd134_2543_de82_ef95)))
    }

    pub fn below(&mut self, bound: usize) -> usize {
        self.0.below(bound)
    }

    pub fn chance(&mut self, percent: usize) -> bool {
        self.below(100) < percent
    }

    pub fn pick(&mut self, pool: &[Signal]) -> Signal {
        let signal = pool[self.below(pool.len())];
        if self.chance(50) { !signal } else { signal }
    }
}

/// Shapes that random gates alone seldom have: counters and shift registers have long shortest traces.
enum Shape {
    Gates,
    Counter,
    Shift,
}

pub fn circuit(random: &mut Random, most_latches: usize) -> Circuit {
    let mut gates = Aig::default();
    let latch_count = 1 + random.below(most_latches);
    let input_count = random.below(4);
    let states: Vec<Signal> = (0..latch_count).map(|_| gates.leaf()).collect();
    let free: Vec<Signal> = (0..input_count).map(|_| gates.leaf()).collect();
    let mut pool = [states.clone(), free.clone()].concat();
    for _ in 0..2 + random.below(4 * latch_count) {
        let gate = gate(random, &mut gates, &pool);
        pool.push(gate);
    }
    let next = next_state(random, &mut gates, &states, &pool);
    let free_resets = if random.chance(50) { 0 } else { 40 };
    let latches = (0..latch_count)
        .map(|index| Latch {
            signal: states[index],
            next: next[index],
            reset: match random.below(100) {
                percent if percent < free_resets => Reset::Free,
                percent if percent < 80 => Reset::Zero,
                _ => Reset::One,
            },
            name: format!("l{index}"),
        })
        .collect();
    let bad = bads(random, &mut gates, &states, &pool);
    let stop = match random.below(4) {
        0 => bad.iter().fold(Signal::FALSE, |any, bad| gates.or(any, bad.signal)),
        1 => random.pick(&pool),
        _ => Signal::FALSE,
    };
    let constraints = (0..random.below(3).saturating_sub(random.below(2)))
        .map(|_| {
            let (a, b) = (random.pick(&pool), random.pick(&pool));
            gates.or(a, b)
        })
        .collect();
    let input = |(index, &signal): (usize, &Signal)| Input { signal, name: format!("i{index}") };
    let inputs = free.iter().enumerate().map(input).collect();
    Circuit { inputs, gates, latches, constraints, stop, bad, ..Circuit::default() }
}

fn xor(gates: &mut Aig, a: Signal, b: Signal) -> Signal {
    let (left, right) = (gates.and(a, !b), gates.and(!a, b));
    gates.or(left, right)
}

fn mux(gates: &mut Aig, condition: Signal, then: Signal, otherwise: Signal) -> Signal {
    let (left, right) = (gates.and(condition, then), gates.and(!condition, otherwise));
    gates.or(left, right)
}

pub fn gate(random: &mut Random, gates: &mut Aig, pool: &[Signal]) -> Signal {
    let (a, b, c) = (random.pick(pool), random.pick(pool), random.pick(pool));
    match random.below(4) {
        0 => xor(gates, a, b),
        1 => mux(gates, a, b, c),
        _ => gates.and(a, b),
    }
}

fn next_state(random: &mut Random, gates: &mut Aig, states: &[Signal], pool: &[Signal]) -> Vec<Signal> {
    let shape = match random.below(5) {
        0 => Shape::Counter,
        1 => Shape::Shift,
        _ => Shape::Gates,
    };
    let mut carry = random.pick(pool);
    let mut next = Vec::new();
    for (index, &state) in states.iter().enumerate() {
        let regular = match shape {
            Shape::Gates => None,
            Shape::Counter => {
                let sum = xor(gates, state, carry);
                carry = gates.and(state, carry);
                Some(sum)
            }
            Shape::Shift => Some(if index == 0 { carry } else { states[index - 1] }),
        };
        // Now and then a counter or register has a bit of its own mind.
        next.push(match regular {
            Some(signal) if random.chance(90) => signal,
            _ => random.pick(pool),
        });
    }
    next
}

/// Some are any signal, others one state or a few: the deep ones.
fn bads(random: &mut Random, gates: &mut Aig, states: &[Signal], pool: &[Signal]) -> Vec<Bad> {
    (0..1 + random.below(4))
        .map(|index| {
            let mut signal = if random.chance(30) { random.pick(pool) } else { Signal::TRUE };
            for &state in states {
                if random.chance(60) {
                    let literal = if random.chance(50) { state } else { !state };
                    signal = gates.and(signal, literal);
                }
            }
            Bad { signal, name: format!("b{index}") }
        })
        .collect()
}
