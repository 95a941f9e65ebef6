//! The form of 2013 and later: a flag `cf` says that no rule has fired yet, rules are spread over functions, and calls
//! stand in conditions on the state.
//!
//! While `cf` is 1 no variable has changed in the step, so a call's condition says the same as it did at its
//! beginning; as soon as a rule fires, `cf` is 0 and no other rule can.

use super::{Body, Dialect, Parts};
use crate::dice::Dice;
use crate::find;
use crate::guard::{Guard, nest};
use crate::rule::Rule;
use crate::test;

/// Rules in one function.
const MOST_RULES: usize = 12;

pub fn body(parts: &Parts, dice: &mut Dice) -> Body {
    let mut writer = Writer { parts, text: error_check(parts), functions: 0 };
    let (mut live, dead): (Vec<&Rule>, Vec<&Rule>) = parts.rules.iter().partition(|rule| !rule.from.is_empty());
    // Most dead rules lie among the others, some in functions that are never called.
    let apart = dead.len() / 3;
    live.extend(&dead[apart..]);
    let mut keys = parts.code.keys.clone();
    dice.shuffle(&mut keys);
    let mut calls = writer.spread(&live, &keys, dice);
    for rules in dead[..apart].chunks(MOST_RULES) {
        let name = writer.function(rules, dice);
        calls.push(call(nest(vec![find::never(parts.code, dice), fresh()], dice), &name));
    }
    dice.shuffle(&mut calls);
    let mut text = writer.text;
    text.push_str("\tvoid calculate_output(int input) {\n\t    cf = 1;\n\n");
    text.push_str(&calls.concat());
    text.push_str("\t    errorCheck();\n");
    if parts.dialect.prints() {
        text.push_str("\n\t    if((cf==1))\n\t    	fprintf(stderr, \"Invalid input: %d\\n\", input);\n");
    }
    text.push_str("\t}\n");
    Body { text, functions: writer.functions }
}

fn fresh() -> Guard {
    Guard::Free { text: "cf==1".into() }
}

fn call(guard: Guard, function: &str) -> String {
    format!("\t    if({}){{\n\t    	{function}(input);\n\t    }}\n", guard.to_c())
}

fn error_check(parts: &Parts) -> String {
    let mut text = String::from("\tvoid errorCheck() {\n");
    for label in parts.labels {
        let error = parts.dialect.error(label, parts);
        text.push_str(&format!("\t    if({}){{\n\t    cf = 0;\n\t    {error}\n\t    }}\n", label.guard.to_c()));
    }
    text + "\t}\n\n"
}

struct Writer<'p> {
    parts: &'p Parts<'p>,
    text: String,
    functions: usize,
}

impl Writer<'_> {
    /// Writes functions with these rules and returns the calls. Rules whose states all have the same value of the
    /// first key are called where the key has that value; the rest is called in any case.
    fn spread(&mut self, rules: &[&Rule], keys: &[usize], dice: &mut Dice) -> Vec<String> {
        let code = self.parts.code;
        let mut calls = vec![];
        let Some((&key, keys)) = keys.split_first().filter(|_| rules.len() > MOST_RULES / 2) else {
            for rules in rules.chunks(MOST_RULES) {
                let name = self.function(rules, dice);
                calls.push(call(fresh(), &name));
            }
            return calls;
        };
        let values = code.variables[key].domain.len();
        let mut groups: Vec<Vec<&Rule>> = vec![vec![]; values + 1];
        for rule in rules {
            let value = match rule.from.is_empty() {
                true => dice.below(values),
                false => code.common(&rule.from, key).unwrap_or(values),
            };
            groups[value].push(rule);
        }
        for (value, group) in groups.iter().enumerate().filter(|(_, group)| !group.is_empty()) {
            if value == values {
                calls.extend(group.chunks(MOST_RULES).map(|rules| call(fresh(), &self.function(rules, dice))));
                continue;
            }
            let inner = match group.len() > MOST_RULES {
                true => {
                    let calls = self.spread(group, keys, dice);
                    self.define(&calls.concat())
                }
                false => self.function(group, dice),
            };
            let guard = nest(vec![test::is(code, key, value, dice), fresh()], dice);
            calls.push(call(guard, &inner));
        }
        calls
    }

    /// Writes one function with these rules and returns its name.
    fn function(&mut self, rules: &[&Rule], dice: &mut Dice) -> String {
        let body: String = rules.iter().map(|rule| self.rule(rule, dice)).collect();
        self.define(&body)
    }

    fn define(&mut self, body: &str) -> String {
        self.functions += 1;
        let name = format!("calculate_outputm{}", self.functions);
        self.text.push_str(&format!("\tvoid {name}(int input) {{\n{body}\t}}\n\n"));
        name
    }

    fn rule(&self, rule: &Rule, dice: &mut Dice) -> String {
        let tests = vec![rule.guard.clone(), self.parts.input_test(rule.letter), fresh()];
        let mut lines = vec!["cf = 0;".to_string()];
        lines.extend(rule.updates.iter().cloned());
        match self.parts.dialect {
            Dialect::Y2013 | Dialect::Y2014 => lines.push(format!(" printf(\"%d\\n\", {});", rule.output)),
            dialect if dialect.prints() => {
                lines.push(format!(" printf(\"%d\\n\", {}); fflush(stdout);", rule.output));
            }
            _ => {}
        }
        let body: String = lines.iter().map(|line| format!("\t    	{line}\n")).collect();
        format!("\t    if({}){{\n{body}\t    }}\n", nest(tests, dice).to_c())
    }
}
