//! An automaton as text for people, and as a graph for Graphviz.

use std::fmt::Write;

use super::{Action, ActionKind, Automaton, BlockId, CutPoints, End};
use crate::expr::{ExprId, InputId, Names, TableId, VarId};
use crate::program::Builder;

struct View<'v> {
    automaton: &'v Automaton,
    builder: &'v Builder,
}

impl Names for View<'_> {
    fn var(&self, var: VarId) -> String {
        self.automaton.variables[var.index()].name.clone()
    }

    fn input(&self, input: InputId) -> String {
        format!("<{}>", input.index())
    }

    fn table(&self, table: TableId) -> String {
        self.builder.table(table).name.clone()
    }
}

impl View<'_> {
    fn expr(&self, id: ExprId) -> String {
        self.builder.exprs.print(id, self)
    }

    fn action(&self, action: &Action) -> String {
        match &action.kind {
            ActionKind::Assign { variable, value } => format!("{} = {}", self.var(*variable), self.expr(*value)),
            ActionKind::Store { table, index, value } => {
                format!("{}[{}] = {}", self.table(*table), self.expr(*index), self.expr(*value))
            }
            ActionKind::Choose { variable, name: Some(name), .. } => format!("{} = {name}()", self.var(*variable)),
            ActionKind::Choose { variable, domain, name: None } => format!("{} = any of {domain}", self.var(*variable)),
            ActionKind::Assume(condition) => format!("assume {}", self.expr(*condition)),
        }
    }

    fn end(&self, end: &End) -> String {
        match end {
            End::Jump(next) => format!("goto {}", next.index()),
            End::Branch { condition, then, otherwise, .. } => {
                format!("if {} goto {} else {}", self.expr(*condition), then.index(), otherwise.index())
            }
            End::Error(property, _) => format!("error {}", self.builder.property(*property).name),
            End::Halt(_) | End::Refuse(_) => "halt".into(),
        }
    }
}

impl Automaton {
    /// A line per action; cut points are marked.
    pub fn to_text(&self, builder: &Builder) -> String {
        let (view, cuts) = (View { automaton: self, builder }, CutPoints::of(self));
        let mut out = String::new();
        for id in self.ids() {
            let mark = match (id.index(), cuts.is_cut[id.index()]) {
                (0, _) => " entry",
                (_, true) => " cut point",
                _ => "",
            };
            let block = self.block(id);
            let lines = block.actions.iter().map(|action| view.action(action)).chain([view.end(&block.end)]);
            let text: String = lines.map(|line| format!("  {line}\n")).collect();
            let written = write!(out, "{}:{mark}\n{text}", id.index());
            debug_assert!(written.is_ok(), "writing to a string does not fail");
        }
        out
    }

    /// The contents of a picture of it.
    pub fn drawing(&self, builder: &Builder) -> Drawing {
        let (view, cuts) = (View { automaton: self, builder }, CutPoints::of(self));
        let mut drawing = Drawing::default();
        for id in self.ids() {
            let block = self.block(id);
            let mut lines: Vec<String> = block.actions.iter().map(|action| view.action(action)).collect();
            if let End::Error(..) | End::Halt(_) | End::Refuse(_) = block.end {
                lines.push(view.end(&block.end));
            }
            let is_error = matches!(block.end, End::Error(..));
            drawing.blocks.push(Drawn { lines, is_cut_point: cuts.is_cut[id.index()], is_error });
            let mut edge = |to: BlockId, label: String| drawing.edges.push((id.index(), to.index(), label));
            match &block.end {
                End::Jump(next) => edge(*next, String::new()),
                End::Branch { condition, then, otherwise, .. } => {
                    edge(*then, view.expr(*condition));
                    edge(*otherwise, "else".into());
                }
                End::Error(..) | End::Halt(_) | End::Refuse(_) => {}
            }
        }
        drawing
    }

    /// For Graphviz: a box per block, cut points with a double border.
    pub fn to_dot(&self, builder: &Builder) -> String {
        let mut out = String::from("digraph automaton {\n  node [shape=box, fontname=monospace];\n");
        let mut line = |text: String| {
            out.push_str(&text);
            out.push('\n');
        };
        let Drawing { blocks, edges } = self.drawing(builder);
        let mut edges = edges.into_iter().peekable();
        for (number, block) in blocks.iter().enumerate() {
            let label: String = block.lines.iter().map(|text| format!("{}\\l", text.replace('"', "\\\""))).collect();
            let border = if block.is_cut_point { ", peripheries=2" } else { "" };
            line(format!("  b{number} [label=\"{number}: {label}\"{border}];"));
            while let Some((_, to, label)) = edges.next_if(|(from, ..)| *from == number) {
                line(format!("  b{number} -> b{to} [label=\"{}\"];", label.replace('"', "\\\"")));
            }
        }
        out.push_str("}\n");
        out
    }
}

/// An automaton as boxes with text and arrows between them.
#[derive(Debug, Default)]
pub struct Drawing {
    pub blocks: Vec<Drawn>,
    /// From, to, and when, in the order of the blocks that they start from.
    pub edges: Vec<(usize, usize, String)>,
}

/// A block in a picture.
#[derive(Debug)]
pub struct Drawn {
    pub lines: Vec<String>,
    pub is_cut_point: bool,
    pub is_error: bool,
}
