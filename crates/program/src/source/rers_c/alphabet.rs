//! The input alphabet: which numbers the environment may send.
//!
//! From 2013 on a table `inputs` lists it. The programs of 2012 declare a variable per letter below the
//! comment `// inputs`, up to the next empty line or comment. Failing both, it is the set of constants that
//! the input is compared with.

use super::grammar::parser as g;
use super::lower::{Binding, Lowering, declared_name};
use super::tree::Tree;
use crate::expr::{BinaryOp, Expr, ExprId, InputId, VarId};
use crate::program::{Domain, Input, Program, Scope, StmtKind};
use crate::source::Diagnostic;
use crate::text::Span;

pub fn find(lowering: &mut Lowering<'_>, trees: &[Tree<'_>]) {
    let mut alphabet = from_table(lowering);
    if alphabet.is_empty() {
        alphabet = from_comment(lowering, trees);
    }
    if alphabet.is_empty() {
        alphabet = from_comparisons(&lowering.program);
    }
    alphabet.sort_unstable();
    alphabet.dedup();
    if alphabet.is_empty() {
        let span = lowering.read.unwrap_or_default();
        let _ = lowering.refuse::<()>(
            Diagnostic::new(span, "the input alphabet is not known", "read here")
                .help("declare it: `int inputs[] = {1, 2, 3};`"),
        );
    }
    let name = input_name(&lowering.program).unwrap_or_else(|| "input".into());
    lowering.program.add_input(Input { name, alphabet: Domain::List(alphabet) });
}

fn from_table(lowering: &Lowering<'_>) -> Vec<i32> {
    match lowering.globals.get("inputs") {
        Some((Binding::Table(table), _)) if !lowering.program.table(*table).written => {
            lowering.program.table(*table).cells.clone()
        }
        _ => vec![],
    }
}

fn from_comment(lowering: &Lowering<'_>, trees: &[Tree<'_>]) -> Vec<i32> {
    let mut letters = vec![];
    for (tree, file) in trees.iter().zip(lowering.program.sources.files()) {
        let Some((start, end)) = section(&file.text) else { continue };
        let inside = |span: Span| (start..end).contains(&(span.start as usize));
        let names = tree
            .all(g::RULE_ITEM)
            .filter(|item| inside(item.span()))
            .filter_map(|item| item.find(g::RULE_DECLARATION))
            .flat_map(|declaration| declaration.all(g::RULE_DECLARATOR))
            .filter_map(|declarator| declarator.name());
        for name in names {
            match lowering.globals.get(name) {
                Some((Binding::Variable(variable), _)) => letters.push(lowering.program.variable(*variable).initial),
                Some((Binding::Constant(value), _)) => letters.push(*value),
                _ => {}
            }
        }
    }
    letters
}

/// The bytes between the comment `// inputs` and the next line that is empty or a comment.
fn section(text: &str) -> Option<(usize, usize)> {
    let mut offset = 0;
    let mut start = None;
    for line in text.split_inclusive('\n') {
        let content = line.trim();
        match start {
            None if content.strip_prefix("//").is_some_and(|comment| comment.trim() == "inputs") => {
                start = Some(offset + line.len());
            }
            Some(start) if content.is_empty() || content.starts_with("//") => return Some((start, offset)),
            _ => {}
        }
        offset += line.len();
    }
    start.map(|start| (start, text.len()))
}

/// The constants that the input, or a variable that only ever holds it, is tested for equality with.
fn from_comparisons(program: &Program) -> Vec<i32> {
    let copies = copies_of_input(program);
    let is_input = |id: ExprId| match program.exprs.get(id) {
        Expr::Input(_) => true,
        Expr::Var(var) => copies[var.index()],
        _ => false,
    };
    program
        .exprs
        .iter()
        .filter_map(|(_, expr)| match expr {
            Expr::Binary(BinaryOp::Eq, a, b) if is_input(a) => program.exprs.as_int(b),
            _ => None,
        })
        .collect()
}

/// Which local variables are assigned the input, or a copy of it, and nothing else: the greatest fixpoint.
fn copies_of_input(program: &Program) -> Vec<bool> {
    let mut copies: Vec<bool> = program.variables.iter().map(|variable| variable.scope == Scope::Local).collect();
    let mut assigned = vec![false; copies.len()];
    let assignments: Vec<(VarId, ExprId)> = program
        .stmts
        .iter()
        .filter_map(|stmt| match stmt.kind {
            StmtKind::Assign { variable, value } => Some((variable, value)),
            _ => None,
        })
        .collect();
    assignments.iter().for_each(|(variable, _)| assigned[variable.index()] = true);
    copies.iter_mut().zip(assigned).for_each(|(copy, assigned)| *copy &= assigned);
    loop {
        let mut changed = false;
        for &(variable, value) in &assignments {
            let is_copy = match program.exprs.get(value) {
                Expr::Input(_) => true,
                Expr::Var(source) => copies[source.index()],
                _ => false,
            };
            if !is_copy && copies[variable.index()] {
                copies[variable.index()] = false;
                changed = true;
            }
        }
        if !changed {
            return copies;
        }
    }
}

/// The name of the variable that the input is read into.
fn input_name(program: &Program) -> Option<String> {
    program.stmts.iter().find_map(|stmt| match stmt.kind {
        StmtKind::Assign { variable, value } if program.exprs.get(value) == Expr::Input(InputId::new(0)) => {
            let name = declared_name(&program.variable(variable).name);
            Some(name.rsplit('.').next().unwrap_or(name).to_string())
        }
        _ => None,
    })
}
