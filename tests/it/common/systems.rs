//! Three small classics, given as formulas over current and next variables.
//!
//! A relation becomes a circuit whose inputs choose the next state: each latch takes its input. Choices outside the
//! relation have no successor, as `stop` says. (As a constraint the relation would have to hold at the last position,
//! too, and so exclude states without a successor.)

use redoubt_circuit::{Aig, Bad, Circuit, Input, Latch, Reset, Signal};

/// Variables are numbered from 1, negation is minus, and adding [`NEXT`] makes a variable the next one.
type Clause = &'static [i32];
const NEXT: i32 = 100;

pub struct System {
    pub name: &'static str,
    variables: i32,
    /// The initial states, a cube.
    initial: Clause,
    transition: &'static [Clause],
    /// A clause that should hold in every reachable state.
    property: Clause,
    /// Whether it does not.
    pub violated: bool,
}

const X1: i32 = 1 + NEXT;
const X2: i32 = 2 + NEXT;

pub const SYSTEMS: [System; 3] = [
    System {
        name: "two bits",
        variables: 2,
        initial: &[-1, -2],
        transition: &[&[1, -2, X2], &[1, 2, -X1], &[-1, X1], &[-1, -X2], &[2, -X2]],
        property: &[-1, 2],
        violated: false,
    },
    System {
        name: "shift",
        variables: 3,
        initial: &[-1, -2, -3],
        transition: &[&[-2, X1], &[-3, X2], &[-X1, 2], &[-X2, 3]],
        property: &[-1, -2, -3],
        violated: true,
    },
    // A, B, C, D are 1 to 4.
    System {
        name: "dead end",
        variables: 4,
        initial: &[-1, -2],
        transition: &[&[-1, X1], &[-1, X2], &[-2, X2], &[2, X2], &[3, 4], &[-2, -X2, 1], &[-X1, -X2, 1], &[-X1, 1, 2]],
        property: &[-1, -2],
        violated: false,
    },
];

impl System {
    pub fn circuit(&self) -> Circuit {
        let mut gates = Aig::default();
        let mut leaves = || -> Vec<Signal> { (0..self.variables).map(|_| gates.leaf()).collect() };
        let (current, next) = (leaves(), leaves());
        let signal = |literal: i32| {
            let variable = literal.abs();
            let signal = match variable > NEXT {
                true => next[(variable - NEXT - 1) as usize],
                false => current[(variable - 1) as usize],
            };
            if literal < 0 { !signal } else { signal }
        };
        let mut related = Signal::TRUE;
        for clause in self.transition {
            let holds = disjunction(&mut gates, clause, signal);
            related = gates.and(related, holds);
        }
        let bad = !disjunction(&mut gates, self.property, signal);
        let latch = |variable: i32| Latch {
            signal: signal(variable),
            next: signal(variable + NEXT),
            reset: match () {
                () if self.initial.contains(&variable) => Reset::One,
                () if self.initial.contains(&-variable) => Reset::Zero,
                () => Reset::Free,
            },
            name: format!("x{variable}"),
        };
        let input = |variable: i32| Input { signal: signal(variable + NEXT), name: format!("x{variable}'") };
        Circuit {
            inputs: (1..=self.variables).map(input).collect(),
            latches: (1..=self.variables).map(latch).collect(),
            stop: !related,
            bad: vec![Bad { signal: bad, name: self.name.into() }],
            gates,
            ..Circuit::default()
        }
    }
}

fn disjunction(gates: &mut Aig, clause: Clause, signal: impl Fn(i32) -> Signal) -> Signal {
    let literals = clause.iter();
    literals.fold(Signal::FALSE, |any, &literal| gates.or(any, signal(literal)))
}
