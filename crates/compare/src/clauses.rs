//! Two files of clauses to the question where they differ.
//!
//! Given a state and an input, the clauses of a step determine everything else that has a name. So two files are equivalent
//! if no assignment satisfies both with a name that differs, and if neither contradicts any state and input. The
//! second is seen by eliminating blocked clauses (Kullmann 1999; Järvisalo, Biere and Heule, TACAS 2010): each can be satisfied by a variable that it
//! defines, whatever the rest is; if none is left, every state and input has a model.

use std::collections::BTreeMap;

use super::question::{Item, Meanings, Question, structure};
use super::snapshot::Change;
use crate::base::Interrupt;
use crate::cnf::{Lit, STOP, Var};
use crate::sat::Backend;

/// A file of clauses.
struct File {
    names: BTreeMap<String, i32>,
    variables: usize,
    clauses: Vec<Vec<i32>>,
}

/// Reads DIMACS with comments that name literals.
fn read(bytes: &[u8]) -> Option<File> {
    let text = std::str::from_utf8(bytes).ok()?;
    let mut file = File { names: BTreeMap::new(), variables: 0, clauses: vec![] };
    let mut clause = vec![];
    for line in text.lines() {
        if let Some(comment) = line.strip_prefix("c ") {
            if let Some((literal, name)) = comment.split_once(" = ") {
                let is_second = file.names.insert(name.into(), literal.parse().ok()?).is_some();
                // It could not be told which of the two is meant.
                if is_second {
                    return None;
                }
            }
            continue;
        }
        if let Some(header) = line.strip_prefix("p cnf ") {
            file.variables = header.split_whitespace().next()?.parse().ok()?;
            continue;
        }
        for word in line.split_whitespace() {
            match word.parse::<i32>().ok()? {
                0 => file.clauses.push(std::mem::take(&mut clause)),
                literal if literal.unsigned_abs() as usize <= file.variables => clause.push(literal),
                _ => return None,
            }
        }
    }
    let fits = |literal: &i32| *literal != 0 && literal.unsigned_abs() as usize <= file.variables;
    (clause.is_empty() && file.names.values().all(fits)).then_some(file)
}

/// Whether a name is a leaf: part of the state before the step, or an input. The others are determined by these.
fn is_leaf(name: &str, names: &BTreeMap<String, i32>) -> bool {
    let is_next = name.ends_with('\'') && names.contains_key(name.trim_end_matches('\''));
    let is_derived =
        ["bad ", "constraint "].iter().any(|word| name.starts_with(word)) || name == STOP || name.ends_with(" written");
    !is_next && !is_derived
}

impl File {
    fn leaves(&self) -> Vec<i32> {
        self.names.iter().filter(|(name, _)| is_leaf(name, &self.names)).map(|(_, &literal)| literal).collect()
    }

    /// Whether every assignment of the leaves can be extended to all clauses, as far as that can be seen.
    fn excludes_nothing(&self) -> bool {
        let index = |literal: i32| 2 * literal.unsigned_abs() as usize + usize::from(literal < 0);
        let mut is_leaf = vec![false; self.variables + 1];
        for leaf in self.leaves() {
            // Two names for one variable exclude all states in which they differ.
            if std::mem::replace(&mut is_leaf[leaf.unsigned_abs() as usize], true) {
                return false;
            }
        }
        let mut holders: Vec<Vec<usize>> = vec![vec![]; 2 * self.variables + 2];
        for (number, clause) in self.clauses.iter().enumerate() {
            clause.iter().for_each(|&literal| holders[index(literal)].push(number));
        }
        let mut is_gone = vec![false; self.clauses.len()];
        let mut pending: Vec<usize> = (0..self.clauses.len()).collect();
        while let Some(number) = pending.pop() {
            if is_gone[number] {
                continue;
            }
            let clause = &self.clauses[number];
            let is_blocked_by = |&literal: &i32| {
                let resolves = |&other: &usize| {
                    let is_clash = |&one: &i32| one != literal && self.clauses[other].contains(&-one);
                    is_gone[other] || clause.iter().any(is_clash)
                };
                !is_leaf[literal.unsigned_abs() as usize] && holders[index(-literal)].iter().all(resolves)
            };
            if clause.iter().any(is_blocked_by) {
                is_gone[number] = true;
                // Clauses that met this one may be blocked now.
                pending.extend(
                    clause.iter().flat_map(|&literal| &holders[index(-literal)]).filter(|&&other| !is_gone[other]),
                );
            }
        }
        is_gone.iter().all(|gone| *gone)
    }
}

/// Where two files of clauses differ.
pub fn check(snapshot: &[u8], now: &[u8], meanings: &Meanings, interrupt: &Interrupt) -> Change {
    let Some(old) = read(snapshot) else {
        return Change::Unknown("the snapshot is not a file of clauses with names".into());
    };
    let Some(new) = read(now) else { return Change::Unknown("the clauses cannot be read back".into()) };
    let names = |file: &File| file.names.keys().cloned().collect::<Vec<_>>();
    let lines = structure("the name", &names(&old), &names(&new), meanings);
    if !lines.is_empty() {
        return Change::Different(lines);
    }
    let excluding = [&old, &new].into_iter().any(|file| !file.excludes_nothing());
    let change = question(&old, &new, meanings, interrupt).ask(meanings);
    match change {
        Change::Equivalent if excluding => {
            Change::Unknown("its clauses are not only definitions, so they may exclude a step".into())
        }
        change => change,
    }
}

fn question(old: &File, new: &File, meanings: &Meanings, interrupt: &Interrupt) -> Question {
    let mut solver = Backend::Cadical.solver();
    solver.set_interrupt(interrupt.clone());
    (0..old.variables + new.variables).for_each(|_| _ = solver.new_var());
    let at =
        |literal: i32, before: usize| Var((literal.unsigned_abs() as usize - 1 + before) as u32).literal(literal > 0);
    for (file, before) in [(old, 0), (new, old.variables)] {
        for clause in &file.clauses {
            solver.add_clause(&clause.iter().map(|&literal| at(literal, before)).collect::<Vec<Lit>>());
        }
    }
    let (mut leaves, mut items) = (vec![], vec![]);
    for (name, &literal) in &new.names {
        let (one, other) = (at(old.names[name], 0), at(literal, old.variables));
        if is_leaf(name, &new.names) {
            solver.add_clause(&[!one, other]);
            solver.add_clause(&[one, !other]);
            let (variable, bit) = meanings.variable(name);
            leaves.push((variable.to_string(), bit, other));
            continue;
        }
        let differs = solver.new_var().positive();
        solver.add_clause(&[!differs, one, other]);
        solver.add_clause(&[!differs, !one, !other]);
        let plain = name.strip_prefix("bad ").unwrap_or(name).trim_end_matches('\'');
        let (variable, bit) = meanings.variable(plain);
        items.push(Item { name: variable.into(), bit, old: one, new: other, differs });
    }
    Question { solver, leaves, items }
}
