//! The form of 2012: one long `else if` that returns the output, cut into functions that call the next one.

use super::{Body, Parts};
use crate::dice::Dice;
use crate::guard::nest;
use crate::rule::Rule;

/// Rules in one function.
const MOST_RULES: usize = 60;

pub fn body(parts: &Parts, dice: &mut Dice) -> Body {
    // The plain problems have their labels behind the rules, the others before them. Sinks have no rules, so it is
    // the same to them.
    let labels = labels(parts);
    let first = !parts.code.kind.is_plain();
    let mut text = String::new();
    let pieces: Vec<&[Rule]> = parts.rules.chunks(MOST_RULES).collect();
    for (index, rules) in pieces.iter().enumerate() {
        let is_last = index + 1 == pieces.len();
        text.push_str(&format!("\tint calculate_output{}(int input) {{\n", number(index)));
        if first && index == 0 {
            text.push_str(&labels);
        }
        let arms: Vec<String> = rules.iter().map(|rule| arm(rule, parts, dice)).collect();
        text.push_str(&format!("\t    {}\n", arms.join(" else ")));
        if !first && is_last {
            text.push_str(&labels);
        }
        match is_last {
            true => text.push_str("\t    return -2;\n\t}\n\n"),
            false => text.push_str(&format!("\t    return calculate_output{}(input);\n\t}}\n\n", number(index + 1))),
        }
    }
    Body { text, functions: 0 }
}

fn number(index: usize) -> String {
    if index == 0 { String::new() } else { (index + 1).to_string() }
}

fn arm(rule: &Rule, parts: &Parts, dice: &mut Dice) -> String {
    let guard = nest(vec![rule.guard.clone(), parts.input_test(rule.letter)], dice);
    let updates: String = rule.updates.iter().map(|update| format!("\t    	{update}\n")).collect();
    format!("if({}){{\n{updates}\t    	 return {};\n\t    }}", guard.to_c(), rule.output)
}

fn labels(parts: &Parts) -> String {
    let label = |label| {
        let error = parts.dialect.error(label, parts);
        format!("\t    if({}){{\n\t    {error}\n\t    }}\n", label.guard.to_c())
    };
    parts.labels.iter().map(label).collect()
}
