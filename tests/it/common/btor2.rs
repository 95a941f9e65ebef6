//! A checker and simulator of BTOR2 text, for the operators that are written and independent of the writer.
//!
//! Every line is checked when it is read: numbers ascend, operands come before their users, sorts fit.

use std::collections::HashMap;

type Node = usize;

#[derive(Debug)]
struct Line {
    operator: String,
    width: u32,
    /// Operands, and for `constd` and `uext` a number.
    arguments: Vec<i64>,
}

#[derive(Debug, Default)]
pub struct Model {
    lines: HashMap<Node, Line>,
    order: Vec<Node>,
    pub inputs: Vec<Node>,
    /// The states with their names.
    pub states: Vec<(Node, String)>,
    initial: HashMap<Node, Node>,
    next: HashMap<Node, Node>,
    bad: Vec<Node>,
    constraints: Vec<Node>,
}

/// The effects of a step.
#[derive(Debug, PartialEq, Eq)]
pub struct Step {
    pub bad: Vec<bool>,
    pub constraints: bool,
    pub next: Vec<i32>,
}

impl Model {
    pub fn read(text: &str) -> Model {
        let mut model = Model::default();
        let mut sorts: HashMap<Node, u32> = HashMap::new();
        let mut last = 0;
        for line in text.lines().filter(|line| !line.starts_with(';')) {
            let words: Vec<&str> = line.split(' ').collect();
            let id: Node = words[0].parse().expect("a number");
            assert!(id > last, "numbers ascend: {line}");
            last = id;
            let number = |index: usize| words[index].parse::<i64>().unwrap_or_else(|_| panic!("a number in {line}"));
            let node = |index: usize| number(index) as Node;
            match words[1] {
                "sort" => {
                    assert_eq!(words[2], "bitvec");
                    sorts.insert(id, number(3) as u32);
                }
                "bad" | "constraint" => {
                    assert_eq!(model.width(node(2)), 1, "{line}");
                    let list = if words[1] == "bad" { &mut model.bad } else { &mut model.constraints };
                    list.push(node(2));
                }
                "init" | "next" => {
                    let (state, value) = (node(3), node(4));
                    assert!(model.states.iter().any(|(known, _)| *known == state), "{line}");
                    assert_eq!([model.width(state), model.width(value)], [sorts[&node(2)]; 2], "{line}");
                    assert!(words[1] == "next" || value < state, "an initial value precedes its state: {line}");
                    let map = if words[1] == "init" { &mut model.initial } else { &mut model.next };
                    assert_eq!(map.insert(state, value), None, "{line}");
                }
                operator => {
                    let width = sorts[&node(2)];
                    let count = match operator {
                        "input" | "state" => 0,
                        "constd" | "not" | "neg" => 1,
                        "ite" => 3,
                        _ => 2,
                    };
                    let arguments = (3..3 + count).map(number).collect();
                    let new = Line { operator: operator.into(), width, arguments };
                    model.check(&new, line);
                    match operator {
                        "input" => model.inputs.push(id),
                        "state" => model.states.push((id, words[3].into())),
                        _ => {}
                    }
                    model.lines.insert(id, new);
                    model.order.push(id);
                }
            }
        }
        assert!(
            model.states.iter().all(|(state, _)| model.initial.contains_key(state) && model.next.contains_key(state))
        );
        model
    }

    fn width(&self, node: Node) -> u32 {
        self.lines.get(&node).unwrap_or_else(|| panic!("{node} is used before it is defined")).width
    }

    fn check(&self, line: &Line, text: &str) {
        let widths = || -> Vec<u32> { line.arguments.iter().map(|&node| self.width(node as Node)).collect() };
        let width = line.width;
        let fits = match line.operator.as_str() {
            "input" | "state" | "constd" => true,
            "not" | "neg" => widths() == [width],
            "uext" => self.width(line.arguments[0] as Node) + line.arguments[1] as u32 == width,
            "add" | "sub" | "mul" | "sdiv" | "srem" | "sll" | "sra" | "and" | "or" | "xor" => widths() == [width; 2],
            "eq" | "slt" | "slte" => width == 1 && widths()[0] == widths()[1],
            "ite" => widths() == [1, width, width],
            other => panic!("{other} is not an operator that is written"),
        };
        assert!(fits, "{text}");
    }

    pub fn initial(&self) -> Vec<i32> {
        let values = self.values(&vec![0; self.states.len()], &vec![0; self.inputs.len()]);
        self.states.iter().map(|(state, _)| values[&self.initial[state]]).collect()
    }

    pub fn step(&self, state: &[i32], inputs: &[i32]) -> Step {
        let values = self.values(state, inputs);
        Step {
            bad: self.bad.iter().map(|node| values[node] != 0).collect(),
            constraints: self.constraints.iter().all(|node| values[node] != 0),
            next: self.states.iter().map(|(state, _)| values[&self.next[state]]).collect(),
        }
    }

    /// Values of width 1 are 0 or 1.
    fn values(&self, state: &[i32], inputs: &[i32]) -> HashMap<Node, i32> {
        let mut values: HashMap<Node, i32> = HashMap::new();
        values.extend(self.inputs.iter().copied().zip(inputs.iter().copied()));
        values.extend(self.states.iter().map(|(node, _)| *node).zip(state.iter().copied()));
        for &id in &self.order {
            let line = &self.lines[&id];
            let number = |index: usize| line.arguments[index] as i32;
            let at = |index: usize| values[&(line.arguments[index] as Node)];
            let value = match line.operator.as_str() {
                "input" | "state" => continue,
                "constd" => number(0),
                "not" => !at(0),
                "neg" => at(0).wrapping_neg(),
                "uext" => at(0),
                "add" => at(0).wrapping_add(at(1)),
                "sub" => at(0).wrapping_sub(at(1)),
                "mul" => at(0).wrapping_mul(at(1)),
                // As in SMT-LIB: by zero the quotient is -1 or 1, and the remainder the dividend.
                "sdiv" if at(1) == 0 => {
                    if at(0) < 0 {
                        1
                    } else {
                        -1
                    }
                }
                "sdiv" => at(0).wrapping_div(at(1)),
                "srem" if at(1) == 0 => at(0),
                "srem" => at(0).wrapping_rem(at(1)),
                // Amounts of 32 and more shift everything out.
                "sll" => at(0).checked_shl(at(1) as u32).unwrap_or(0),
                "sra" => at(0) >> (at(1) as u32).min(31),
                "and" => at(0) & at(1),
                "or" => at(0) | at(1),
                "xor" => at(0) ^ at(1),
                "eq" => i32::from(at(0) == at(1)),
                "slt" => i32::from(at(0) < at(1)),
                "slte" => i32::from(at(0) <= at(1)),
                "ite" => {
                    if at(0) != 0 {
                        at(1)
                    } else {
                        at(2)
                    }
                }
                other => panic!("{other} is not an operator that is written"),
            };
            values.insert(id, if line.width == 1 { value & 1 } else { value });
        }
        values
    }
}
