//! Circuits as text for people: one line per input, latch, live gate and property.

use std::fmt::{Display, Formatter, Result};

use super::aig::{Aig, Node, Signal};
use super::{Circuit, Reset};

/// `n4`, `!n4`, `0` or `1`.
impl Display for Signal {
    fn fmt(&self, f: &mut Formatter<'_>) -> Result {
        match self.as_constant() {
            Some(value) => write!(f, "{}", u8::from(value)),
            None => write!(f, "{self:?}"),
        }
    }
}

/// All gates, live or not.
impl Display for Aig {
    fn fmt(&self, f: &mut Formatter<'_>) -> Result {
        write_gates(f, self, 0..self.nodes().len())
    }
}

impl Display for Circuit {
    fn fmt(&self, f: &mut Formatter<'_>) -> Result {
        for input in &self.inputs {
            writeln!(f, "input {} = {}", input.signal, input.name)?;
        }
        for latch in &self.latches {
            let reset = match latch.reset {
                Reset::Zero => "0",
                Reset::One => "1",
                Reset::Free => "free",
            };
            writeln!(f, "latch {} = {}, reset {reset}, next {}", latch.signal, latch.name, latch.next)?;
        }
        write_gates(f, &self.gates, self.gates.cone(self.roots()))?;
        for constraint in &self.constraints {
            writeln!(f, "constraint {constraint}")?;
        }
        if self.stop != Signal::FALSE {
            writeln!(f, "stop {}", self.stop)?;
        }
        for bad in &self.bad {
            writeln!(f, "bad {} = {}", bad.signal, bad.name)?;
        }
        Ok(())
    }
}

fn write_gates(f: &mut Formatter<'_>, gates: &Aig, nodes: impl IntoIterator<Item = usize>) -> Result {
    for node in nodes {
        if let Node::And(a, b) = gates.nodes()[node] {
            writeln!(f, "{} = {a} & {b}", Signal::from_node(node))?;
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Word, word};
    use insta::assert_snapshot;

    /// The gates that the named words depend on, and the words' bits from the least significant.
    fn text(gates: &Aig, words: &[(&str, &Word)]) -> String {
        let roots = words.iter().flat_map(|(_, word)| word.iter().copied());
        let mut live = Circuit { gates: gates.clone(), ..Circuit::default() };
        live.constraints = roots.collect();
        let mut text: String = (live.to_string().lines())
            .filter(|line| !line.starts_with("constraint"))
            .map(|line| format!("{line}\n"))
            .collect();
        for (name, word) in words {
            text.push_str(&format!("{name}: {word:?}\n"));
        }
        text
    }

    #[test]
    fn a_sum_of_three_bits() {
        let mut gates = Aig::default();
        let (a, b) = (word::leaves(&mut gates, 3), word::leaves(&mut gates, 3));
        let sum = word::add(&mut gates, &a, &b);
        assert_snapshot!(text(&gates, &[("sum", &sum)]), @r"
        n7 = n1 & n4
        n8 = !n1 & !n4
        n9 = !n7 & !n8
        n10 = n2 & n5
        n11 = !n2 & !n5
        n12 = !n10 & !n11
        n13 = n7 & n12
        n14 = !n7 & !n12
        n15 = !n13 & !n14
        n16 = !n10 & !n13
        n17 = n3 & n6
        n18 = !n3 & !n6
        n19 = !n17 & !n18
        n20 = n16 & n19
        n21 = !n16 & !n19
        n22 = !n20 & !n21
        sum: [n9, n15, !n22]
        ");
    }

    #[test]
    fn constants_that_a_word_is_compared_with_share_their_top() {
        let mut gates = Aig::default();
        let x = word::leaves(&mut gates, 6);
        let (three, five) = (word::constant(3, 6), word::constant(5, 6));
        let below = vec![word::signed_lt(&mut gates, &x, &three)];
        let equal = vec![word::eq(&mut gates, &x, &five)];
        assert_snapshot!(text(&gates, &[("x < 3", &below), ("x == 5", &equal)]), @r"
        n7 = n1 & n2
        n8 = !n5 & !n6
        n9 = !n4 & n8
        n10 = !n3 & n9
        n11 = !n7 & n10
        n12 = !n6 & !n11
        n13 = !n2 & n3
        n14 = n1 & n13
        n15 = n9 & n14
        x < 3: [!n12]
        x == 5: [n15]
        ");
    }

    #[test]
    fn a_division_by_three() {
        let mut gates = Aig::default();
        let x = word::leaves(&mut gates, 3);
        let three = word::constant(3, 3);
        let (quotient, remainder) = word::divrem(&mut gates, &x, &three);
        assert_snapshot!(text(&gates, &[("x / 3", &quotient), ("x % 3", &remainder)]), @r"
        n4 = n2 & n3
        n5 = !n2 & !n3
        n6 = !n4 & !n5
        n7 = n1 & n6
        n8 = !n4 & !n7
        n9 = n1 & !n8
        n11 = !n1 & n8
        n12 = !n9 & !n11
        n13 = n6 & n9
        n14 = !n6 & !n9
        n15 = !n13 & !n14
        n17 = !n12 & !n15
        n18 = n3 & !n17
        n19 = !n8 & n18
        n20 = n8 & !n18
        n21 = !n19 & !n20
        n22 = n3 & n19
        n23 = !n3 & !n19
        n24 = !n22 & !n23
        n25 = n3 & !n19
        n27 = n12 & n18
        n28 = !n12 & !n18
        n29 = !n27 & !n28
        n30 = n15 & n27
        n31 = !n15 & !n27
        n32 = !n30 & !n31
        x / 3: [n21, n24, n25]
        x % 3: [n29, n32, n18]
        ");
    }
}
