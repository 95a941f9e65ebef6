//! Recognises gates that a graph can only say with several conjunctions.

use redoubt_circuit::{Aig, Node, Signal};

/// `a & b` as `condition ? then : otherwise`, from `!(c & !t) & !(!c & !e)`. An exclusive or is the case
/// `then = !otherwise`.
pub(super) fn if_then_else(graph: &Aig, a: Signal, b: Signal) -> Option<[Signal; 3]> {
    let ((p, q), (r, s)) = (complemented(graph, a)?, complemented(graph, b)?);
    if p == !r {
        Some([p, !q, !s])
    } else if p == !s {
        Some([p, !q, !r])
    } else if q == !r {
        Some([q, !p, !s])
    } else if q == !s {
        Some([q, !p, !r])
    } else {
        None
    }
}

/// `a & b` as the majority of three, from the complement of `(x & y) | (either & z)`, where `either` is `x | y`,
/// as in a comparator, or `x ^ y`, as in an adder.
pub(super) fn majority(graph: &Aig, a: Signal, b: Signal) -> Option<[Signal; 3]> {
    for (both, through) in [(a, b), (b, a)] {
        let (x, y) = complemented(graph, both)?;
        let (u, v) = complemented(graph, through)?;
        for (either, z) in [(u, v), (v, u)] {
            if is_or(graph, either, x, y) || is_xor(graph, either, x, y) {
                return Some([!x, !y, !z]);
            }
        }
    }
    None
}

/// The operands of the conjunction that the signal is the complement of.
fn complemented(graph: &Aig, signal: Signal) -> Option<(Signal, Signal)> {
    match graph.node(signal) {
        Node::And(p, q) if signal.is_complemented() => Some((p, q)),
        _ => None,
    }
}

fn is_or(graph: &Aig, signal: Signal, x: Signal, y: Signal) -> bool {
    let operands = complemented(graph, signal);
    operands == Some((!x, !y)) || operands == Some((!y, !x))
}

fn is_xor(graph: &Aig, signal: Signal, x: Signal, y: Signal) -> bool {
    let Node::And(a, b) = graph.node(signal) else {
        return false;
    };
    let Some([condition, then, otherwise]) = if_then_else(graph, a, b) else {
        return false;
    };
    let parity = |signals: &[Signal]| signals.iter().fold(false, |odd, s| odd ^ s.is_complemented());
    let same_operands = (condition.plain(), otherwise.plain()) == (x.plain(), y.plain())
        || (condition.plain(), otherwise.plain()) == (y.plain(), x.plain());
    then == !otherwise && same_operands && parity(&[signal, condition, otherwise]) == parity(&[x, y])
}
