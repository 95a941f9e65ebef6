//! The input alphabet: which numbers the environment may send.
//!
//! From 2013 on a table `inputs` lists it. The programs of 2012 declare a variable per letter below the
//! comment `// inputs`, up to the next empty line or comment. Failing both, it is the set of constants that
//! the input is compared with.

use super::ast::{Item, Syntax};
use super::names::{Binding, Names};
use redoubt_program::expr::{BinaryOp, Expr, ExprId, InputId, VarId};
use redoubt_program::program::{Domain, Input, Program, Scope, StmtKind};
use redoubt_program::text::Span;
use redoubt_reading::Diagnostic;
use redoubt_reading::refused::{Lowered, refuse};

/// The input of a program, which reads it at this place.
pub fn find(syntax: &Syntax<'_>, names: &Names<'_>, program: &Program, read: Span) -> Lowered<Input> {
    let mut alphabet = from_table(names, program);
    if alphabet.is_empty() {
        alphabet = from_comment(syntax, names, program);
    }
    if alphabet.is_empty() {
        alphabet = from_comparisons(program);
    }
    if alphabet.is_empty() {
        return refuse(
            Diagnostic::new(read, "the input alphabet is not known", "read here")
                .help("declare it: `int inputs[] = {1, 2, 3};`"),
        );
    }
    alphabet.sort_unstable();
    alphabet.dedup();
    let name = input_name(program).unwrap_or_else(|| "input".into());
    Ok(Input { name, alphabet: Domain::List(alphabet) })
}

fn from_table(names: &Names<'_>, program: &Program) -> Vec<i32> {
    match names.global("inputs") {
        Some(Binding::Table(table)) if !program.table(table).written => program.table(table).cells.clone(),
        _ => vec![],
    }
}

fn from_comment(syntax: &Syntax<'_>, names: &Names<'_>, program: &Program) -> Vec<i32> {
    let mut letters = vec![];
    for (items, file) in syntax.files.iter().zip(program.sources.files()) {
        let Some((start, end)) = section(&file.text) else { continue };
        let inside = items
            .iter()
            .filter_map(Item::declaration)
            .filter(|declaration| (start..end).contains(&(declaration.span.start as usize)));
        for declarator in inside.flat_map(|declaration| &declaration.declarators) {
            match names.global(declarator.name.text) {
                Some(Binding::Variable(variable)) => letters.push(program.variable(variable).initial),
                Some(Binding::Constant(value)) => letters.push(value),
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

/// The name of the variable that the input is read into, as it was declared.
fn input_name(program: &Program) -> Option<String> {
    program.stmts.iter().find_map(|stmt| match stmt.kind {
        StmtKind::Assign { variable, value } if program.exprs.get(value) == Expr::Input(InputId::new(0)) => {
            Some(program.sources.text(program.variable(variable).span).to_string())
        }
        _ => None,
    })
}
