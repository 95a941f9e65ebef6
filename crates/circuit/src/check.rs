//! Checks circuits that were put together by hand or read from a file.

use super::{Circuit, Node, Signal};

/// The mistakes that a circuit put together by hand can have.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Malformed {
    #[error("{signal:?} of {user} is not in the graph")]
    Dangling { signal: Signal, user: String },
    #[error("{signal:?} of {user} is not a plain leaf of the graph")]
    NotALeaf { signal: Signal, user: String },
    #[error("{signal:?} of {user} is already an input or latch")]
    UsedTwice { signal: Signal, user: String },
    #[error("leaf n{0} is neither an input nor a latch")]
    Unowned(usize),
}

impl Circuit {
    /// Checks that all signals are in the graph, and that inputs and latches are its leaves, each once.
    pub fn check(&self) -> Result<(), Malformed> {
        let nodes = self.gates.nodes();
        let mut owned = vec![false; nodes.len()];
        let inputs = self.inputs.iter().map(|input| (input.signal, &input.name));
        let latches = self.latches.iter().map(|latch| (latch.signal, &latch.name));
        for (signal, name) in inputs.chain(latches) {
            let user = name.clone();
            if signal.is_complemented() || nodes.get(signal.node()) != Some(&Node::Leaf) {
                return Err(Malformed::NotALeaf { signal, user });
            }
            if std::mem::replace(&mut owned[signal.node()], true) {
                return Err(Malformed::UsedTwice { signal, user });
            }
        }
        let next = self.latches.iter().map(|latch| (latch.next, &*latch.name));
        let bad = self.bad.iter().map(|bad| (bad.signal, &*bad.name));
        let constraints = self.constraints.iter().map(|&signal| (signal, "a constraint"));
        let uses = next.chain(bad).chain(constraints).chain([(self.stop, "stop")]);
        for (signal, user) in uses {
            if signal.node() >= nodes.len() {
                let user = user.to_owned();
                return Err(Malformed::Dangling { signal, user });
            }
        }
        let unowned = |&node: &usize| nodes[node] == Node::Leaf && !owned[node];
        match (0..nodes.len()).find(unowned) {
            Some(node) => Err(Malformed::Unowned(node)),
            None => Ok(()),
        }
    }
}

#[cfg(test)]
mod tests {
    use crate::{Circuit, Reset, Signal};

    fn toggle() -> Circuit {
        let mut circuit = Circuit::default();
        let enable = circuit.add_input("enable");
        let bit = circuit.add_latch("bit", Reset::Zero);
        circuit.latches[0].next = circuit.gates.xor(enable, bit);
        circuit.add_bad("set", bit);
        circuit
    }

    #[test]
    fn check_finds_what_is_wrong() {
        assert_eq!(toggle().check(), Ok(()));
        let message = |change: fn(&mut Circuit)| {
            let mut circuit = toggle();
            change(&mut circuit);
            circuit.check().expect_err("malformed").to_string()
        };
        assert_eq!(message(|c| c.bad[0].signal = Signal::from_node(99)), "n99 of set is not in the graph");
        assert_eq!(
            message(|c| c.inputs[0].signal = !c.inputs[0].signal),
            "!n1 of enable is not a plain leaf of the graph"
        );
        assert_eq!(message(|c| c.latches[0].signal = c.inputs[0].signal), "n1 of bit is already an input or latch");
        let unowned = message(|c| _ = c.gates.leaf());
        assert_eq!(unowned, "leaf n6 is neither an input nor a latch");
    }
}
