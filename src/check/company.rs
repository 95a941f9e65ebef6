//! Whether the strategies for a program had better all begin at once, side by side.
//!
//! Programs of the RERS challenge are large and read one input of few values: there the abstraction decides nearly everything,
//! and who starts beside it only takes time from it. Controllers are small and read many inputs: whoever tries
//! combinations of inputs may not even finish with the first state, while IC3 does not look at combinations. Which engine
//! suits a small program cannot be told beforehand, and trying all of them costs next to nothing.
//!
//! So all begin together where a step has many combinations, or where the program is small. Before that, a glance at the
//! program's states, bounded by its number of steps, decides the smallest ones, in the same way in every run. Small programs
//! with several inputs then get a glance of IC3 and of k-induction, bounded likewise, since these decide most of them.

use crate::analysis::Facts;
use crate::explicit::inputs::combinations;

/// The steps of the first glance; they take some hundredths of a second.
pub(super) const GLANCE: u64 = 50_000;

/// A step with more combinations of inputs than this has many.
const MANY_COMBINATIONS: u64 = 64;

/// A program with no more statements than this is small.
const FEW_STATEMENTS: usize = 500;

pub(super) fn is_better(facts: &Facts) -> bool {
    facts.program.stmts.len() <= FEW_STATEMENTS || has_many_combinations(facts)
}

/// Whether IC3 and k-induction get a glance before the others begin.
pub(super) fn ic3_leads(facts: &Facts) -> bool {
    facts.program.inputs.len() > 1 && facts.program.stmts.len() <= FEW_STATEMENTS
}

pub(super) fn has_many_combinations(facts: &Facts) -> bool {
    combinations(facts.program, facts.slice()) > MANY_COMBINATIONS
}

#[cfg(test)]
mod tests {
    use super::*;

    fn model(inputs: usize, statements: usize) -> String {
        let step: String =
            (0..statements).map(|number| format!("  if on[0] && x != {number} {{ x = {number} }}\n")).collect();
        let all = format!("all i in 0..{}: on[i]", inputs - 1);
        format!("input on: bool[{inputs}]\nvar x: int = 0\nstep {{\n{step}}}\nproperty off: never x == 3 && {all}\n")
    }

    #[test]
    fn only_large_programs_with_few_combinations_are_left_to_one() {
        for (inputs, statements, expected) in [(2, 3, true), (6, 400, false), (7, 400, true), (40, 3, true)] {
            let program = crate::parse("model.gcl", &model(inputs, statements)).expect("a model");
            assert_eq!(is_better(&Facts::new(&program)), expected, "{inputs} inputs, {statements} statements");
        }
    }
}
