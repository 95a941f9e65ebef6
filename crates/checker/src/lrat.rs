//! Checks a proof of unsatisfiability in the LRAT format (Cruz-Filipe, Heule, Hunt, Kaufmann and Schneider-Kamp,
//! "Efficient certified RAT verification", CADE 2017), as text.
//!
//! Each line adds a clause with the clauses that imply it: taken in this order, with every literal of the new clause
//! false, each of them leaves one literal, and the last none. A line may also delete clauses. Lines that need more than
//! unit propagation (a negative hint, for RAT) are refused: the solver used here does not write them.

use rustc_hash::FxHashMap;

/// The mistake, and its line.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("line {line}: {reason}")]
pub struct Wrong {
    pub line: usize,
    pub reason: &'static str,
}

/// Whether a proof shows that clauses are unsatisfiable. The clauses are numbered from 1; each ends with a 0.
pub fn check(clauses: &[i32], proof: &str) -> Result<(), Wrong> {
    // The 0 at its end belongs to a clause here: the rest behind the last 0 is no clause.
    let given = clauses.split_inclusive(|&literal| literal == 0).map(|clause| &clause[..clause.len() - 1]);
    let mut known: FxHashMap<u64, Box<[i32]>> =
        given.enumerate().map(|(index, clause)| (index as u64 + 1, clause.into())).collect();
    let mut values: FxHashMap<i32, bool> = FxHashMap::default();
    for (index, line) in proof.lines().enumerate() {
        let wrong = |reason| Wrong { line: index + 1, reason };
        let mut words = line.split_ascii_whitespace().peekable();
        let Some(first) = words.next() else { continue };
        let number: u64 = first.parse().map_err(|_| wrong("expected the number of a clause"))?;
        if words.next_if_eq(&"d").is_some() {
            for word in words.take_while(|&word| word != "0") {
                let number: u64 = word.parse().map_err(|_| wrong("expected the number of a clause"))?;
                known.remove(&number).ok_or(wrong("a clause is deleted that is not there"))?;
            }
            continue;
        }
        let mut clause = vec![];
        for word in words.by_ref().take_while(|&word| word != "0") {
            let literal: i32 = word.parse().map_err(|_| wrong("expected a literal"))?;
            // i32::MIN has no negation.
            clause.push(literal.checked_neg().map(|_| literal).ok_or(wrong("expected a literal"))?);
        }
        values.clear();
        for &literal in &clause {
            values.insert(literal.abs(), literal < 0);
        }
        let mut is_shown = false;
        for word in words.take_while(|&word| word != "0") {
            let hint: u64 = word.parse().map_err(|_| wrong("a hint must be the number of a clause"))?;
            let hint = known.get(&hint).ok_or(wrong("a hint names a clause that is not there"))?;
            let is_false = |literal: i32| values.get(&literal.abs()).is_some_and(|&value| value != (literal > 0));
            let mut left = hint.iter().copied().filter(|&literal| !is_false(literal));
            match (left.next(), left.next()) {
                (None, _) => {
                    is_shown = true;
                    break;
                }
                (Some(unit), None) => {
                    values.insert(unit.abs(), unit > 0);
                }
                (Some(_), Some(_)) => return Err(wrong("a hint leaves more than one literal")),
            }
        }
        if !is_shown {
            return Err(wrong("the hints do not show the clause"));
        }
        if clause.is_empty() {
            return Ok(());
        }
        if known.insert(number, clause.into()).is_some() {
            return Err(wrong("the number is taken"));
        }
    }
    Err(Wrong { line: proof.lines().count(), reason: "the proof ends without the empty clause" })
}

#[cfg(test)]
mod tests {
    use super::*;

    /// (a or b)(a or !b)(!a or b)(!a or !b)
    const CLAUSES: [i32; 12] = [1, 2, 0, 1, -2, 0, -1, 2, 0, -1, -2, 0];

    #[test]
    fn a_proof_is_accepted() {
        assert_eq!(check(&CLAUSES, "5 1 0 1 2 0\n5 d 1 2 0\n6 0 5 3 4 0\n"), Ok(()));
    }

    #[test]
    fn what_is_not_shown_is_refused() {
        let refused = |proof: &str| check(&CLAUSES, proof).unwrap_err().reason;
        assert_eq!(refused("5 1 0 1 0\n"), "the hints do not show the clause");
        assert_eq!(refused("5 1 0 1 2 0\n"), "the proof ends without the empty clause");
        assert_eq!(refused("5 0 1 2 0\n"), "a hint leaves more than one literal");
        assert_eq!(refused("5 1 0 1 2 0\n5 d 1 0\n6 0 5 1 0\n"), "a hint names a clause that is not there");
        assert_eq!(refused("5 1 0 -1 2 0\n"), "a hint must be the number of a clause");
        assert_eq!(refused("x\n"), "expected the number of a clause");
    }

    #[test]
    fn there_is_no_clause_behind_the_last() {
        assert_eq!(check(&CLAUSES, "6 0 5 0\n").unwrap_err().reason, "a hint names a clause that is not there");
    }

    /// A contradiction between a clause and the negated one is not hidden by a literal that occurs both ways.
    #[test]
    fn a_tautology_shows_nothing_else() {
        assert!(check(&[1, 0], "2 1 -1 0 1 0\n3 0 1 2 0\n").is_err());
    }
}
