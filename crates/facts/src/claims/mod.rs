//! What is known of a program, said as the checker expects it: facts about values, and visited states as boxes.

pub mod merge;
pub mod visited;

use crate::analysis::Values;
use crate::analysis::domain::Range;
use crate::analysis::flow::Flow;
use crate::certificate::{Fact, NumberSet, Progression};
use crate::expr::{TableId, VarId};
use crate::program::{Place, Scope};

/// All of some values.
pub fn numbers(values: &Values) -> NumberSet {
    match *values {
        Values::Set(ref list) => NumberSet::of_intervals(list.iter().map(|&value| (value, value))),
        Values::Range(Range { low, high, stride }) => {
            NumberSet::new(vec![Progression { low, high, step: stride }]).expect("a range ends where its stride leads")
        }
    }
}

/// The facts from the flow of values about each state of a program.
pub fn facts_of_flow(flow: &Flow) -> Vec<Fact> {
    let globals = globals(flow).filter(|&variable| *flow.head.get(variable) != Values::ANY);
    let of_variable = |variable| Fact::In(Place::Variable(variable), numbers(flow.head.get(variable)));
    globals.map(of_variable).chain(facts_of_tables(flow)).collect()
}

fn globals(flow: &Flow) -> impl Iterator<Item = VarId> {
    let variables = &flow.head.program.variables;
    (0..variables.len()).filter(|&index| variables[index].scope == Scope::Global).map(VarId::new)
}

fn facts_of_tables(flow: &Flow) -> impl Iterator<Item = Fact> {
    let tables = &flow.head.program.tables;
    let written = (0..tables.len()).filter(|&index| tables[index].written);
    written.map(|index| Fact::Cells(TableId::new(index), numbers(&flow.head.cells()[index])))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::analysis::domain::{binary, unary, with_itself};
    use crate::certificate::interval::operators as judged;
    use crate::expr::{BinaryOp, UnaryOp};
    use redoubt_base::Random;

    /// Values of all kinds: few and many, near 0, near the ends, near where squares wrap around.
    fn values(random: &mut Random) -> Values {
        let middle = [0, 0, 1, -70, 500, 14_999, 46_340, -46_340, i32::MAX, i32::MIN, 1 << 20][random.below(11)];
        let near = |random: &mut Random| middle.saturating_add(random.below(200) as i32 - 100);
        match random.below(4) {
            0 => Values::from_list((0..1 + random.below(20)).map(|_| near(random)).collect()),
            1 => Values::interval(near(random), near(random).saturating_add(random.below(100_000) as i32)),
            2 => {
                let (low, stride) = (near(random), 1 + random.below(7) as i32);
                let list = (0..1 + random.below(300) as i32).map(|index| low.saturating_add(index * stride));
                Values::from_list(list.collect())
            }
            _ => Values::one(near(random)),
        }
    }

    /// A proposal that is sharper than its judge is thrown away: what the analysis says of a result, the checker says, too.
    #[test]
    fn no_operator_is_sharper_than_the_judge() {
        use BinaryOp::*;
        let random = &mut Random::new(5);
        let operators = [Add, Sub, Mul, Div, Rem, ShiftLeft, ShiftRight, BitAnd, BitOr, BitXor, Eq, Less, LessEq];
        let mut worse = vec![];
        for _ in 0..4_000 {
            let (a, b) = (values(random), values(random));
            if a.is_empty() || b.is_empty() {
                continue;
            }
            let (x, y) = (numbers(&a), numbers(&b));
            let mut compare = |what: String, ours: Values, theirs: NumberSet| {
                if !theirs.is_subset(&numbers(&ours)) {
                    worse.push(format!("{what}: {theirs}, not {}", numbers(&ours)));
                }
            };
            for op in operators {
                compare(format!("{op:?} of {x} and {y}"), binary(op, &a, &b), judged::binary(op, &x, &y));
                compare(format!("{op:?} of {x} and itself"), with_itself(op, &a), judged::doubled(op, &x));
            }
            for op in [UnaryOp::Negate, UnaryOp::BitNot] {
                compare(format!("{op:?} of {x}"), unary(op, &a), judged::unary(op, &x));
            }
        }
        assert!(
            worse.is_empty(),
            "{} of them: {}",
            worse.len(),
            worse.iter().take(20).cloned().collect::<Vec<_>>().join("\n")
        );
    }
}
