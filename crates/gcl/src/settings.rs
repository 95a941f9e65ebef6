//! Constants that get other values than their own: `check -D N=5`.

use std::collections::BTreeMap;

use super::ast::{Expr, ExprKind, Item, ItemKind};
use redoubt_program::text::Span;
use redoubt_reading::Setting;

/// Gives the model's own constants the values that are set. Lists stay as they are.
pub fn apply(items: &mut [Item], set: &[Setting]) {
    for item in items {
        if let ItemKind::Const { name, value } = &mut item.kind
            && !matches!(value.kind, ExprKind::List(_))
            && let Some(setting) = set.iter().rev().find(|setting| setting.name == name.text)
        {
            *value = expression(&setting.value, value.span);
        }
    }
}

/// The settings among these that are about constants of the model; of several values for one the last counts.
pub fn among(constants: &[String], set: &[Setting]) -> BTreeMap<String, String> {
    let ours = set.iter().filter(|setting| constants.contains(&setting.name));
    ours.map(|setting| (setting.name.clone(), setting.value.clone())).collect()
}

/// The expression that a value on the command line stands for.
fn expression(text: &str, span: Span) -> Expr {
    let kind = match (text, text.strip_prefix('-')) {
        ("true" | "false", _) => ExprKind::Truth(text == "true"),
        (_, Some(number)) => {
            let operand = Expr { kind: ExprKind::Number(number.into()), span };
            ExprKind::Unary("-".into(), Box::new(operand))
        }
        _ if text.starts_with(|c: char| c.is_ascii_digit()) => ExprKind::Number(text.into()),
        _ => ExprKind::Name(text.into()),
    };
    Expr { kind, span }
}
