//! Text to states and transitions.

use redoubt_parsers::dot::{self, names as g};
use redoubt_parsers::run::{Source, Tokens};
use redoubt_program::text::{Sources, Span};
use redoubt_reading::c_common::complain;
use redoubt_reading::refused::Lowered;
use redoubt_reading::syntax::{self, Listener};
use redoubt_reading::tree::{Names, Tree};
use redoubt_reading::watch::{Watch, Watched};
use redoubt_reading::{Diagnostic, Diagnostics};
use rustc_hash::FxHashMap;

/// The node whose one edge leads to the state that the machine starts in.
const START: &str = "__start0";

const NAMES: Names = Names { token: g::NAME, rule: None };

/// A machine as it is written.
pub struct Machine {
    pub states: Vec<String>,
    /// The state that it starts in.
    pub start: usize,
    pub inputs: Vec<String>,
    /// By state: its transitions, in the order of the text.
    pub transitions: Vec<Vec<Transition>>,
    pub span: Span,
}

pub struct Transition {
    pub input: usize,
    pub output: String,
    pub target: usize,
    pub span: Span,
}

pub fn read(sources: &Sources, watch: &mut Watch) -> Lowered<Machine> {
    let text = &sources.files()[0].text;
    let (listener, errors) = Listener::new(0, text.len(), |kind| kind == g::UNKNOWN, explain);
    let tokens = Tokens::new(Source::new(Watched { source: dot::lex(text), watch: watch.clone() }));
    watch.look_closely()?;
    let result = dot::parse(tokens, listener.beside(watch.clone()));
    watch.look_closely()?;
    let parsed = match result {
        Ok(parsed) if errors.is_empty() => parsed,
        result => return Err(errors.into_diagnostics(0, result.err().map(|error| error.to_string())).into()),
    };
    let mut reader = Reader { text, ..Reader::new(text) };
    if let Some(graph) = Tree::new(parsed.tree(), 0, NAMES) {
        for statement in graph.all(g::RULE_STATEMENT).flat_map(Tree::rules) {
            watch.look()?;
            match statement.rule() {
                g::RULE_EDGE => reader.edge(statement),
                g::RULE_NODE => _ = reader.node(statement),
                _ => {}
            }
        }
        return reader.finish(graph.span());
    }
    Err(errors.into_diagnostics(0, None).into())
}

fn explain(span: Span, kind: Option<i32>, text: &str, message: &str) -> Diagnostic {
    match kind {
        Some(g::UNKNOWN) => complain::unknown(span, text, "the language of graphs"),
        _ => {
            let expected = syntax::expected(message, &|token| match token {
                "Quoted" => Some("a text in quotes"),
                _ => None,
            });
            let few = expected.filter(|words| (1..=4).contains(&words.len())).map(|words| words.join(" or "));
            complain::unexpected(span, kind, text, few)
        }
    }
}

struct Reader<'s> {
    text: &'s str,
    states: FxHashMap<String, usize>,
    machine: Machine,
    inputs: FxHashMap<String, usize>,
    starts: Vec<(usize, Span)>,
    diagnostics: Diagnostics,
}

impl<'s> Reader<'s> {
    fn new(text: &'s str) -> Reader<'s> {
        let machine = Machine { states: vec![], start: 0, inputs: vec![], transitions: vec![], span: Span::default() };
        let (states, inputs, starts, diagnostics) = Default::default();
        Reader { text, states, machine, inputs, starts, diagnostics }
    }

    fn complain(&mut self, span: Span, message: impl Into<String>, label: impl Into<String>) {
        self.diagnostics.push(Diagnostic::new(span, message, label));
    }

    /// The text of an id, without quotes.
    fn id(&self, tree: Tree<'_>) -> String {
        let span = tree.span();
        let text = &self.text[span.start as usize..span.end as usize];
        match text.strip_prefix('"').and_then(|rest| rest.strip_suffix('"')) {
            Some(inner) => inner.replace("\\\"", "\"").replace("\\\\", "\\"),
            None => text.to_string(),
        }
    }

    /// The state of a node; none for the one that marks the start.
    fn node(&mut self, tree: Tree<'_>) -> Option<usize> {
        let name = tree.find(g::RULE_ID).map(|id| self.id(id))?;
        self.state(name)
    }

    fn state(&mut self, name: String) -> Option<usize> {
        if name == START {
            return None;
        }
        let Machine { states, transitions, .. } = &mut self.machine;
        Some(*self.states.entry(name).or_insert_with_key(|name| {
            states.push(name.clone());
            transitions.push(vec![]);
            states.len() - 1
        }))
    }

    fn edge(&mut self, tree: Tree<'_>) {
        let span = tree.span();
        let ends: Vec<String> = tree.all(g::RULE_ID).map(|id| self.id(id)).collect();
        let [from, to] = <[String; 2]>::try_from(ends).unwrap_or_default();
        let (from, to) = (self.state(from), self.state(to));
        let Some(to) = to else { return self.complain(span, format!("an edge to `{START}`"), "expected a state") };
        let Some(from) = from else { return self.starts.push((to, span)) };
        let Some((label, place)) = self.label(tree) else {
            return self.complain(span, "an edge without a label", "expected `[label=\"input/output\"]`");
        };
        let parts: Vec<&str> = label.split('/').map(str::trim).collect();
        let [input, output] = parts[..] else {
            let message = format!("the label `{label}` is not an input and an output");
            return self.complain(place, message, "expected one `/` between them");
        };
        if let Some(wrong) =
            [input, output].into_iter().find(|name| name.is_empty() || name.contains(char::is_whitespace))
        {
            let message = format!("`{wrong}` is no name of an input or output");
            return self.complain(place, message, "expected a word on each side of `/`");
        }
        let number = self.inputs.len();
        let input = *self.inputs.entry(input.to_string()).or_insert(number);
        if input == number {
            self.machine.inputs.push(parts[0].to_string());
        }
        let known = self.machine.transitions[from].iter().find(|transition| transition.input == input);
        match known {
            Some(known) if known.output != output || known.target != to => {
                let message = format!("`{}` has two transitions with `{}`", self.machine.states[from], parts[0]);
                self.complain(span, message, "another one than before");
            }
            Some(_) => {}
            None => {
                let output = output.to_string();
                self.machine.transitions[from].push(Transition { input, output, target: to, span: place });
            }
        }
    }

    /// The label of an edge; the last one counts.
    fn label(&self, edge: Tree<'_>) -> Option<(String, Span)> {
        let all = edge.all(g::RULE_ATTRIBUTES).flat_map(|list| list.all(g::RULE_ATTRIBUTE));
        let named = all.filter_map(|attribute| {
            let mut ids = attribute.all(g::RULE_ID);
            let (name, value) = (ids.next()?, ids.next()?);
            (self.id(name) == "label").then(|| (self.id(value), value.span()))
        });
        named.last()
    }

    fn finish(mut self, span: Span) -> Lowered<Machine> {
        match self.starts[..] {
            [(start, _)] => self.machine.start = start,
            [] => self.complain(
                Span { end: span.start + 1, ..span },
                format!("nothing says where the machine starts: there is no edge from `{START}`"),
                format!("expected `{START} -> STATE;` in this graph"),
            ),
            [_, (_, again), ..] => {
                self.complain(again, "the machine starts in several states", "expected one such edge")
            }
        }
        if self.machine.inputs.is_empty() && self.diagnostics.is_empty() {
            self.complain(Span { end: span.start + 1, ..span }, "the machine has no transitions", "expected edges");
        }
        self.machine.span = span;
        if self.diagnostics.is_empty() { Ok(self.machine) } else { Err(self.diagnostics.into()) }
    }
}
