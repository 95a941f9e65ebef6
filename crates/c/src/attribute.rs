//! Attributes, as gcc has them, to the few that change what a program means. All others are passed over.

use redoubt_parsers::c::names as g;
use redoubt_reading::tree::Tree;

/// Attributes with a meaning, with or without two underscores on each side: other sizes, other variables, implicit
/// calls.
const MEANT: [&str; 9] =
    ["alias", "cleanup", "constructor", "destructor", "ifunc", "mode", "naked", "vector_size", "weakref"];

/// Those of functions that are called before `main`, or after it.
pub const CALLED_ANYWAY: [&str; 2] = ["constructor", "destructor"];

/// Makes the values of an enumeration as small as its numbers allow; of other types it says nothing about values.
pub const PACKED: &str = "packed";

/// The first attribute of a list that changes the meaning of the declaration.
pub fn meant(attribute: Tree<'_>) -> Option<&'static str> {
    first_of(attribute, &MEANT)
}

/// Where members lie is changed by these.
const LAID_OUT: [&str; 5] = ["packed", "aligned", "transparent_union", "scalar_storage_order", "ms_struct"];

/// The first attribute among the parts of a rule that changes where members lie.
pub fn laid_out(tree: Tree<'_>) -> Option<&'static str> {
    tree.all(g::RULE_ATTRIBUTE).find_map(|attribute| first_of(attribute, &LAID_OUT))
}

fn first_of(attribute: Tree<'_>, known: &[&'static str]) -> Option<&'static str> {
    let lists = attribute.all(g::RULE_BRACKETED).flat_map(|outer| outer.all(g::RULE_BRACKETED));
    let mut names = lists.flat_map(Tree::tokens).map(|name| name.trim_matches('_'));
    names.find_map(|name| known.iter().copied().find(|meant| *meant == name))
}
