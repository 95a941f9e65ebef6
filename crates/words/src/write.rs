//! A model in, BTOR2 text out.

use std::fmt::Write;

use rustc_hash::FxHashMap;

use crate::model::{Model, Node, NodeId, Sort};

/// A model as text, which [`read`](crate::read()) makes the same model of.
pub fn write(model: &Model) -> String {
    let mut writer = Writer { model, text: String::new(), last: 0, sorts: FxHashMap::default(), nodes: vec![] };
    for index in 0..model.nodes.len() {
        writer.node(NodeId::new(index));
    }
    writer.rest();
    writer.text
}

struct Writer<'m> {
    model: &'m Model,
    text: String,
    /// The number of the last line.
    last: usize,
    sorts: FxHashMap<Sort, usize>,
    /// By node: the number of its line.
    nodes: Vec<usize>,
}

impl Writer<'_> {
    fn line(&mut self, rest: &str) -> usize {
        self.last += 1;
        // Writing to memory does not fail.
        let _ = writeln!(self.text, "{} {}", self.last, rest.trim_end());
        self.last
    }

    fn sort(&mut self, sort: Sort) -> usize {
        if let Some(&line) = self.sorts.get(&sort) {
            return line;
        }
        let line = match sort {
            Sort::Bits(width) => self.line(&format!("sort bitvec {width}")),
            Sort::Array { index, element } => {
                let (index, element) = (self.sort(Sort::Bits(index)), self.sort(Sort::Bits(element)));
                self.line(&format!("sort array {index} {element}"))
            }
        };
        self.sorts.insert(sort, line);
        line
    }

    fn node(&mut self, id: NodeId) {
        let model = self.model;
        let node = model.node(id);
        let (keyword, rest) = match node {
            Node::Constant(bits) => ("const", bits.to_string()),
            Node::Input(input) => ("input", model.inputs[*input].name.clone()),
            Node::State(state) => ("state", model.states[*state].name.clone()),
            Node::Unary(operator, _) => (operator.name(), String::new()),
            Node::Binary(operator, ..) => (operator.name(), String::new()),
            Node::Slice { high, low, .. } => ("slice", format!("{high} {low}")),
            Node::Extend { by, signed, .. } => (if *signed { "sext" } else { "uext" }, by.to_string()),
            Node::Ite { .. } => ("ite", String::new()),
            Node::Read { .. } => ("read", String::new()),
            Node::Write { .. } => ("write", String::new()),
        };
        let sort = self.sort(model.sort(id));
        let operands: String = node.operands().map(|operand| format!("{} ", self.nodes[operand.index()])).collect();
        let line = self.line(&format!("{keyword} {sort} {operands}{rest}"));
        self.nodes.push(line);
    }

    /// Writes the properties of the expressions.
    fn rest(&mut self) {
        let model = self.model;
        for state in &model.states {
            let sort = self.sorts[&model.sort(state.node)];
            for (keyword, value) in [("init", state.init), ("next", state.next)] {
                if let Some(value) = value {
                    let (state, value) = (self.nodes[state.node.index()], self.nodes[value.index()]);
                    self.line(&format!("{keyword} {sort} {state} {value}"));
                }
            }
        }
        for (keyword, nodes) in [("constraint", &model.constraints), ("fair", &model.fairness)] {
            for node in nodes {
                self.line(&format!("{keyword} {}", self.nodes[node.index()]));
            }
        }
        for bad in &model.bad {
            self.line(&format!("bad {} {}", self.nodes[bad.node.index()], bad.name));
        }
        for justice in &model.justice {
            let nodes: String = justice.nodes.iter().map(|node| format!("{} ", self.nodes[node.index()])).collect();
            self.line(&format!("justice {} {nodes}{}", justice.nodes.len(), justice.name));
        }
    }
}
