//! Copies of a program's text in which it says more about its runs than C shows: at which place it asks for a value, and that
//! it came to a label that no assertion stands behind.
//!
//! Nothing is moved to another line.

use std::collections::BTreeMap;

use crate::expr::Expr;
use crate::program::{Program, Stmt, StmtKind};
use crate::text::Span;

/// Declared before the text of a program whose calls say where they stand.
pub const SITES: &str = "void *redoubt_at(int, void *);\n";

/// The number of each place where a program asks for a value, from 1. Calls of which that cannot be said have none.
#[derive(Clone, Debug, Default)]
pub struct Sites(BTreeMap<(u32, u32), usize>);

impl Sites {
    pub fn of(program: &Program, prefix: &str) -> Sites {
        let mut found = BTreeMap::new();
        for stmt in &program.stmts {
            if let StmtKind::Assign { value, .. } = stmt.kind
                && let Expr::Input(_) = program.exprs.get(value)
                && called(program, stmt.span).is_some_and(|name| name.starts_with(prefix))
            {
                found.insert((stmt.span.file, stmt.span.start), 0);
            }
        }
        found.values_mut().enumerate().for_each(|(index, number)| *number = index + 1);
        Sites(found)
    }

    /// 0 if it has none.
    pub fn number(&self, place: Span) -> usize {
        self.0.get(&(place.file, place.start)).copied().unwrap_or(0)
    }

    /// The texts of the files. A call remains one call, so that it cannot be told apart from its number: it calls the
    /// result of another function.
    pub fn mark(&self, program: &Program) -> Vec<String> {
        edited(program, |insert| {
            for (&(file, start), number) in &self.0 {
                let Some(name) = called(program, Span { file, start, end: start }) else { continue };
                insert(file, start as usize, format!("((__typeof__({name}) *)redoubt_at({number}, "));
                insert(file, start as usize + name.len(), "))".into());
            }
        })
    }
}

/// The function that is called by its bare name at a place.
fn called(program: &Program, place: Span) -> Option<&str> {
    let text = program.sources.file(place).text.get(place.start as usize..)?;
    let name = word(text);
    passed_over(&text[name.len()..]).starts_with('(').then_some(name)
}

/// The texts of the files, in which a run that comes to a label ends, if it is an error and no assertion stands behind it.
pub fn with_labels(program: &Program) -> Vec<String> {
    let bare: BTreeMap<(u32, usize), &str> =
        program.stmts.iter().filter_map(|stmt| bare_label(program, stmt)).collect();
    edited(program, |insert| {
        for (&(file, start), name) in &bare {
            insert(file, start, format!(" redoubt_end(\"label {name}\", 0);"));
        }
    })
}

/// The end of a label, and its name.
fn bare_label<'p>(program: &'p Program, stmt: &'p Stmt) -> Option<((u32, usize), &'p str)> {
    let StmtKind::Error(property) = stmt.kind else { return None };
    let text = &program.sources.file(stmt.span).text;
    let label = text.get(stmt.span.start as usize..)?;
    let name = word(label);
    let behind = passed_over(&label[name.len()..]).strip_prefix(':')?;
    let is_bare = name == program.property(property).name && word(passed_over(behind)) != "assert";
    is_bare.then_some(((stmt.span.file, text.len() - behind.len()), name))
}

/// The texts of the files, with more at some places, in the order of these.
fn edited(program: &Program, edit: impl FnOnce(&mut dyn FnMut(u32, usize, String))) -> Vec<String> {
    let mut inserted: Vec<(u32, usize, String)> = vec![];
    edit(&mut |file, place, text| inserted.push((file, place, text)));
    let mut texts: Vec<String> = program.sources.files().iter().map(|file| file.text.clone()).collect();
    for (file, place, text) in inserted.iter().rev() {
        texts[*file as usize].insert_str(*place, text);
    }
    texts
}

/// The word that a text begins with.
fn word(text: &str) -> &str {
    let end = text.find(|c: char| !c.is_ascii_alphanumeric() && c != '_');
    &text[..end.unwrap_or(text.len())]
}

/// A text without the space and the comments that it begins with.
fn passed_over(mut text: &str) -> &str {
    loop {
        text = text.trim_start();
        let end = match text.get(..2) {
            Some("/*") => text[2..].find("*/").map(|end| end + 4),
            Some("//") => text.find('\n'),
            _ => return text,
        };
        text = &text[end.unwrap_or(text.len())..];
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn comments_are_passed_over() {
        assert_eq!(passed_over(" /* a */ // b\n\t/*/ */c"), "c");
        assert_eq!(passed_over("//"), "");
        assert_eq!(word("error_8: ;"), "error_8");
    }
}
