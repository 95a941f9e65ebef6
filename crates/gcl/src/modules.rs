//! Modules that have no instance. Their items are part of no program, so nothing in them is checked.

use super::ast::{Item, ItemKind, Module};
use super::import;
use redoubt_program::text::{Sources, Span};

/// The names of the modules without an instance. A file that others import may have more of them than one model needs,
/// and a module that only such a module needs is not worth a word of its own.
pub fn without_instance(sources: &Sources, items: &[Item]) -> Vec<Span> {
    let modules: Vec<&Module> = items.iter().filter_map(module).collect();
    let inner = modules.iter().flat_map(|module| &module.items);
    let made: Vec<&str> = items.iter().chain(inner).filter_map(instance_of).collect();
    let imported: Vec<String> = sources.files().iter().flat_map(import::imports).collect();
    let is_imported = |span: Span| imported.contains(&sources.file(span).name);
    let names = modules.iter().map(|module| &module.name);
    names.filter(|name| !made.contains(&&*name.text) && !is_imported(name.span)).map(|name| name.span).collect()
}

fn module(item: &Item) -> Option<&Module> {
    match &item.kind {
        ItemKind::Module(module) => Some(module),
        _ => None,
    }
}

/// The module that an item makes an instance of.
fn instance_of(item: &Item) -> Option<&str> {
    match &item.kind {
        ItemKind::Instance(instance) => Some(&instance.module.text),
        _ => None,
    }
}
