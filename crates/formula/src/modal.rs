//! Formulas of branching time with modalities (Hennessy and Milner 1985; Müller-Olm, Schmidt and Steffen 1999), and their
//! meaning on transition systems, by definition: the reference for whoever decides them faster.
//!
//! A step of a machine is two transitions, one with its input and one with its output. `<a>f` says that some transition
//! with `a` leads to where f is true, `[a]f` that all do. Paths are those that are infinite or end where there is no
//! transition; `AX f` is true there, and `EX f` is not.

use std::collections::HashMap;
use std::fmt;

use redoubt_base::id;

id!(/// A part of a formula.
    Part);

/// A formula; every part stands behind those that it is made of.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Modal {
    /// The names of inputs and outputs.
    pub names: Vec<String>,
    pub parts: Vec<Node>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Node {
    Constant(bool),
    Not(Part),
    And(Part, Part),
    Or(Part, Part),
    Implies(Part, Part),
    /// `<a>f`, by the number of the name.
    Can(usize, Part),
    /// `[a]f`
    Must(usize, Part),
    /// On some path.
    Exists(Path),
    /// On all paths.
    All(Path),
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Path {
    Next(Part),
    Finally(Part),
    Globally(Part),
    Until(Part, Part),
}

/// States, and transitions with a symbol each; the first state is where it starts.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct System {
    pub symbols: Vec<String>,
    /// By state: the symbol of a transition, and where it leads.
    pub transitions: Vec<Vec<(usize, usize)>>,
}

impl Modal {
    /// Adds a part; equal parts are one.
    pub fn add(&mut self, node: Node, known: &mut HashMap<Node, Part>) -> Part {
        *known.entry(node).or_insert_with(|| {
            self.parts.push(node);
            Part::new(self.parts.len() - 1)
        })
    }

    /// The number of a name.
    pub fn name(&mut self, name: &str) -> usize {
        let known = self.names.iter().position(|known| known == name);
        known.unwrap_or_else(|| {
            self.names.push(name.into());
            self.names.len() - 1
        })
    }

    /// By name: its number in a system, if that has it.
    pub fn symbols(&self, system: &System) -> Vec<Option<usize>> {
        self.names.iter().map(|name| system.symbols.iter().position(|symbol| symbol == name)).collect()
    }

    /// Whether a system satisfies the formula: it is true where it starts.
    pub fn holds(&self, system: &System) -> bool {
        self.truth(system).last().is_some_and(|truth| truth.first() == Some(&true))
    }

    /// By part and state: whether it is true there.
    pub fn truth(&self, system: &System) -> Vec<Vec<bool>> {
        let symbols = self.symbols(system);
        let mut truth: Vec<Vec<bool>> = vec![];
        for node in &self.parts {
            let of = |part: Part| &truth[part.index()][..];
            let everywhere = |is_true: &dyn Fn(usize) -> bool| (0..system.transitions.len()).map(is_true).collect();
            let with = &|state: usize, name: usize| {
                let wanted = symbols[name];
                let all = system.transitions[state].iter();
                all.filter(move |(symbol, _)| Some(*symbol) == wanted).map(|(_, to)| *to)
            };
            let values: Vec<bool> = match *node {
                Node::Constant(value) => everywhere(&|_| value),
                Node::Not(a) => everywhere(&|state| !of(a)[state]),
                Node::And(a, b) => everywhere(&|state| of(a)[state] && of(b)[state]),
                Node::Or(a, b) => everywhere(&|state| of(a)[state] || of(b)[state]),
                Node::Implies(a, b) => everywhere(&|state| !of(a)[state] || of(b)[state]),
                Node::Can(name, a) => everywhere(&|state| with(state, name).any(|to| of(a)[to])),
                Node::Must(name, a) => everywhere(&|state| with(state, name).all(|to| of(a)[to])),
                Node::Exists(Path::Next(a)) => everywhere(&|state| system.some(state, of(a))),
                Node::All(Path::Next(a)) => everywhere(&|state| system.every(state, of(a))),
                Node::Exists(Path::Finally(a)) => {
                    system.fixpoint(false, |state, set| of(a)[state] || system.some(state, set))
                }
                Node::Exists(Path::Globally(a)) => system
                    .fixpoint(true, |state, set| of(a)[state] && (system.is_end(state) || system.some(state, set))),
                Node::Exists(Path::Until(a, b)) => {
                    system.fixpoint(false, |state, set| of(b)[state] || of(a)[state] && system.some(state, set))
                }
                Node::All(Path::Finally(a)) => system
                    .fixpoint(false, |state, set| of(a)[state] || !system.is_end(state) && system.every(state, set)),
                Node::All(Path::Globally(a)) => {
                    system.fixpoint(true, |state, set| of(a)[state] && system.every(state, set))
                }
                Node::All(Path::Until(a, b)) => system.fixpoint(false, |state, set| {
                    of(b)[state] || of(a)[state] && !system.is_end(state) && system.every(state, set)
                }),
            };
            truth.push(values);
        }
        truth
    }
}

impl System {
    /// Whether no transition leads on.
    pub fn is_end(&self, state: usize) -> bool {
        self.transitions[state].is_empty()
    }

    fn some(&self, state: usize, set: &[bool]) -> bool {
        self.transitions[state].iter().any(|&(_, to)| set[to])
    }

    fn every(&self, state: usize, set: &[bool]) -> bool {
        self.transitions[state].iter().all(|&(_, to)| set[to])
    }

    /// The set that a condition on states and the set itself describes: the least one, or the greatest.
    fn fixpoint(&self, greatest: bool, is_in: impl Fn(usize, &[bool]) -> bool) -> Vec<bool> {
        let mut set = vec![greatest; self.transitions.len()];
        loop {
            let mut changed = false;
            // What holds later is known first, mostly.
            for state in (0..set.len()).rev() {
                let now = is_in(state, &set);
                changed |= now != set[state];
                set[state] = now;
            }
            if !changed {
                return set;
            }
        }
    }
}

impl fmt::Display for Modal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        // Shared parts are written out, so that texts can become long; nobody writes such formulas.
        let mut texts: Vec<String> = vec![];
        for node in &self.parts {
            let of = |part: Part| texts[part.index()].as_str();
            let path = |quantifier: char, path: Path| match path {
                Path::Next(a) => format!("{quantifier}X {}", of(a)),
                Path::Finally(a) => format!("{quantifier}F {}", of(a)),
                Path::Globally(a) => format!("{quantifier}G {}", of(a)),
                Path::Until(a, b) => format!("{quantifier}({} U {})", of(a), of(b)),
            };
            texts.push(match *node {
                Node::Constant(value) => value.to_string(),
                Node::Not(a) => format!("!{}", of(a)),
                Node::And(a, b) => format!("({} & {})", of(a), of(b)),
                Node::Or(a, b) => format!("({} | {})", of(a), of(b)),
                Node::Implies(a, b) => format!("({} => {})", of(a), of(b)),
                Node::Can(name, a) => format!("<{}>{}", self.names[name], of(a)),
                Node::Must(name, a) => format!("[{}]{}", self.names[name], of(a)),
                Node::Exists(inner) => path('E', inner),
                Node::All(inner) => path('A', inner),
            });
        }
        f.write_str(texts.last().map_or("", String::as_str))
    }
}
