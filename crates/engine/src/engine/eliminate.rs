//! Variable elimination on the clauses of one step (Davis and Putnam 1960; Een and Biere, SAT 2005), one gate at a
//! time: a gate that no query asks about is resolved into the gates that use it, where that makes no more clauses.
//!
//! A gate has one value for given operands, so only resolvents of its definition with its uses are needed, and the
//! result for each user is again a definition: of the user, by the operands of both. Solvers that look only at the
//! definitions a query depends on can go on doing so, with fewer of them to look at. A model has fewer variables to be
//! assigned, and in IC3 most queries end with a model.

use super::transition::Definition;
use crate::cnf::{Lit, Var};

/// Resolvents must not be longer than this: long clauses propagate late.
const LONGEST: usize = 12;
/// Gates with more users stay.
const MOST_USERS: usize = 8;
/// Rounds over all gates; each makes the next one's gates larger.
const ROUNDS: usize = 4;

/// Eliminates gates that are not frozen, in place.
pub fn eliminate(definitions: &mut Vec<Definition>, frozen: &[bool]) {
    let mut elimination = Elimination::new(std::mem::take(definitions), frozen.len());
    for _ in 0..ROUNDS {
        let mut any = false;
        for gate in 0..elimination.definitions.len() {
            any |= !frozen[elimination.definitions[gate].var.index()] && elimination.try_gate(gate);
        }
        if !any {
            break;
        }
    }
    let gone = elimination.gone;
    *definitions = elimination.definitions;
    let mut index = 0;
    definitions.retain(|_| {
        index += 1;
        !gone[index - 1]
    });
}

struct Elimination {
    /// Operands come before their users, and stay so: a user only gets operands of its operands.
    definitions: Vec<Definition>,
    gone: Vec<bool>,
    /// By variable: the definitions that use it.
    users: Vec<Vec<usize>>,
}

impl Elimination {
    fn new(definitions: Vec<Definition>, variables: usize) -> Self {
        let mut users = vec![Vec::new(); variables];
        for (index, definition) in definitions.iter().enumerate() {
            for operand in &definition.operands {
                users[operand.index()].push(index);
            }
        }
        Elimination { gone: vec![false; definitions.len()], definitions, users }
    }

    /// Resolves a gate into its users, if it is worth it.
    fn try_gate(&mut self, gate: usize) -> bool {
        let var = self.definitions[gate].var;
        let users = &self.users[var.index()];
        if self.gone[gate] || users.is_empty() || users.len() > MOST_USERS {
            return false;
        }
        let mut left = self.definitions[gate].clauses.len();
        let mut changed = Vec::new();
        for &user in users {
            let clauses = &self.definitions[user].clauses;
            // The number of clauses that may be made without exceeding those that go.
            left += clauses.iter().filter(|clause| mentions(clause, var)).count();
            let Some((resolvents, made)) = resolve(&self.definitions[gate].clauses, clauses, var) else {
                return false;
            };
            let Some(rest) = left.checked_sub(made) else { return false };
            left = rest;
            changed.push((user, resolvents));
        }
        for (user, clauses) in changed {
            self.replace(user, clauses, gate);
        }
        self.users[var.index()].clear();
        for operand in std::mem::take(&mut self.definitions[gate].operands) {
            self.users[operand.index()].retain(|&user| user != gate);
        }
        self.gone[gate] = true;
        true
    }

    fn replace(&mut self, user: usize, clauses: Vec<Vec<Lit>>, gate: usize) {
        let var = self.definitions[user].var;
        let mut operands: Vec<Var> = clauses.iter().flatten().map(|lit| lit.var()).collect();
        operands.sort_unstable();
        operands.dedup();
        operands.retain(|&operand| operand != var);
        let gate = self.definitions[gate].var;
        for &old in &self.definitions[user].operands {
            if old != gate && operands.binary_search(&old).is_err() {
                self.users[old.index()].retain(|&other| other != user);
            }
        }
        for &new in &operands {
            if self.definitions[user].operands.binary_search(&new).is_err() {
                self.users[new.index()].push(user);
            }
        }
        self.definitions[user].operands = operands;
        self.definitions[user].clauses = clauses;
    }
}

fn mentions(clause: &[Lit], var: Var) -> bool {
    clause.iter().any(|lit| lit.var() == var)
}

/// The user's clauses with the gate resolved away, and how many of them are new; `None` if one is too long.
fn resolve(gate: &[Vec<Lit>], user: &[Vec<Lit>], var: Var) -> Option<(Vec<Vec<Lit>>, usize)> {
    let (with, mut clauses): (Vec<&Vec<Lit>>, Vec<&Vec<Lit>>) = user.iter().partition(|clause| mentions(clause, var));
    let mut resolvents: Vec<Vec<Lit>> = Vec::new();
    for clause in with {
        for side in gate {
            let Some(resolvent) = resolvent(clause, side, var) else { continue };
            if resolvent.len() > LONGEST {
                return None;
            }
            resolvents.push(resolvent);
        }
    }
    // Short ones first, so that clauses that they subsume come after them.
    resolvents.sort_by(|a, b| (a.len(), a).cmp(&(b.len(), b)));
    let mut kept: Vec<Vec<Lit>> = Vec::new();
    for resolvent in resolvents {
        let subsumes =
            |other: &Vec<Lit>| other.len() <= resolvent.len() && other.iter().all(|lit| resolvent.contains(lit));
        if !kept.iter().any(subsumes) && !clauses.iter().any(|&other| subsumes(other)) {
            kept.push(resolvent);
        }
    }
    let made = kept.len();
    clauses.retain(|clause| {
        !kept.iter().any(|other| other.len() < clause.len() && other.iter().all(|lit| clause.contains(lit)))
    });
    kept.extend(clauses.into_iter().cloned());
    Some((kept, made))
}

/// `None` if the clauses do not clash in this variable alone: then the resolvent is always true.
fn resolvent(a: &[Lit], b: &[Lit], var: Var) -> Option<Vec<Lit>> {
    let pivot = *a.iter().find(|lit| lit.var() == var)?;
    if !b.contains(&!pivot) {
        return None;
    }
    let mut lits: Vec<Lit> = a.iter().chain(b).copied().filter(|lit| lit.var() != var).collect();
    lits.sort_unstable();
    lits.dedup();
    let tautology = lits.windows(2).any(|pair| pair[0] == !pair[1]);
    (!tautology).then_some(lits)
}

#[cfg(test)]
mod tests {
    use super::*;
    use redoubt_base::Random;

    /// Gates of two to four operands over `leaves` variables, each a random function in clauses.
    fn random_definitions(random: &mut Random, leaves: u32, gates: u32) -> Vec<Definition> {
        let mut definitions = Vec::new();
        for gate in leaves..leaves + gates {
            let mut operands: Vec<Var> =
                (0..2 + random.below(2)).map(|_| Var(random.below(gate as usize) as u32)).collect();
            operands.sort_unstable();
            operands.dedup();
            let rows = 0..1u32 << operands.len();
            let clause = |row: u32| -> Vec<Lit> {
                let differs = operands.iter().enumerate().map(|(bit, var)| var.literal(row >> bit & 1 == 0));
                differs.chain([Var(gate).literal(random.below(2) == 0)]).collect()
            };
            definitions.push(Definition {
                var: Var(gate),
                clauses: rows.map(clause).collect(),
                operands: operands.clone(),
            });
        }
        definitions
    }

    /// The values of all variables, given those of the leaves; a definition must leave exactly one.
    fn evaluate(definitions: &[Definition], leaves: &[bool], variables: usize) -> Vec<Option<bool>> {
        let mut values: Vec<Option<bool>> = leaves.iter().copied().map(Some).collect();
        values.resize(variables, None);
        for definition in definitions {
            let allows = |value: bool| {
                definition.clauses.iter().all(|clause| {
                    clause.iter().any(|lit| {
                        let known = if lit.var() == definition.var { Some(value) } else { values[lit.var().index()] };
                        known.expect("operands come first") != lit.is_negative()
                    })
                })
            };
            assert!(allows(true) != allows(false), "one value for each combination of operands");
            values[definition.var.index()] = Some(allows(true));
        }
        values
    }

    #[test]
    fn what_stays_is_defined_as_before() {
        let mut eliminated = 0;
        for seed in 0..300 {
            println!("seed {seed}");
            let mut random = Random::new(seed);
            let (leaves, gates) = (4, 12);
            let before = random_definitions(&mut random, leaves, gates);
            let variables = (leaves + gates) as usize;
            let frozen: Vec<bool> = (0..variables).map(|_| random.below(3) == 0).collect();
            let mut after = before.clone();
            eliminate(&mut after, &frozen);
            eliminated += before.len() - after.len();
            for row in 0..1 << leaves {
                let leaf_values: Vec<bool> = (0..leaves).map(|leaf| row >> leaf & 1 == 1).collect();
                let old = evaluate(&before, &leaf_values, variables);
                let new = evaluate(&after, &leaf_values, variables);
                for variable in 0..variables {
                    assert!(!frozen[variable] || new[variable].is_some(), "a frozen variable stays");
                    assert!(new[variable].is_none_or(|value| Some(value) == old[variable]));
                }
            }
        }
        assert!(eliminated > 300, "something was eliminated: {eliminated}");
    }
}
