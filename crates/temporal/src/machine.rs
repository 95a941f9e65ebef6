//! Machines: the answers of a reactive system to its inputs, as a graph of single symbols.
//!
//! A step takes an input and answers with any number of outputs; in a run both are symbols, one after the other. So a
//! machine is a graph whose edges carry one symbol each: from a state an edge per input leads to the state after the step,
//! by way of a node for each output that is still to come. An input that the system ignores is no part of the run: its symbol
//! is hidden. It may change the state all the same; whether the run has it then is for others to say
//! ([`Machine::with_all_shown`]). A run is an infinite path with infinitely many symbols that are not hidden; what ends is none.

use rustc_hash::FxHashMap;

use crate::automaton::Marks;
use crate::scc::Graph;
use redoubt_base::partition::bisimilarity;

redoubt_base::id!(
    /// An input or an output of a machine.
    Symbol
);

/// The label of an edge.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Label {
    Shown(Symbol),
    /// The system takes this input, but the run does not have it.
    Hidden(Symbol),
}

impl Label {
    pub fn symbol(self) -> Symbol {
        match self {
            Label::Shown(symbol) | Label::Hidden(symbol) => symbol,
        }
    }

    pub fn is_shown(self) -> bool {
        matches!(self, Label::Shown(_))
    }
}

/// The answer of a system to an input in a state.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Answer<'o> {
    /// It prints these and goes on from a state.
    Prints { outputs: &'o [Symbol], next: usize },
    /// It says that the input is none, and goes on from a state.
    Ignores { next: usize },
    /// The run is over.
    Ends,
}

/// A machine; node 0 is where it starts.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Machine {
    /// The inputs, then the outputs.
    pub symbols: Vec<String>,
    /// The number of symbols that are inputs.
    pub inputs: usize,
    /// The edges of each node. A machine without nodes has no run.
    pub nodes: Vec<Vec<(Label, usize)>>,
}

/// Puts a machine together, state by state and step by step.
#[derive(Clone, Debug)]
pub struct Builder {
    machine: Machine,
    /// The node of each state.
    states: Vec<usize>,
    /// The nodes from which some outputs lead to a node.
    between: FxHashMap<(Symbol, usize), usize>,
}

impl Builder {
    /// A machine with these inputs; the number of a [`Symbol`] is that of an input.
    pub fn new(inputs: Vec<String>) -> Builder {
        let machine = Machine { inputs: inputs.len(), symbols: inputs, nodes: vec![] };
        Builder { machine, states: vec![], between: FxHashMap::default() }
    }

    /// The output of this name.
    pub fn output(&mut self, name: &str) -> Symbol {
        let Machine { symbols, inputs, .. } = &mut self.machine;
        let known = symbols[*inputs..].iter().position(|symbol| symbol == name);
        let index = known.map_or(symbols.len(), |place| *inputs + place);
        if known.is_none() {
            symbols.push(name.into());
        }
        Symbol::new(index)
    }

    /// Makes sure that there are `states` states; the machine starts in the first one.
    pub fn reserve(&mut self, states: usize) {
        while self.states.len() < states {
            self.states.push(self.machine.nodes.len());
            self.machine.nodes.push(vec![]);
        }
    }

    /// The node of each state.
    pub fn nodes(&self) -> &[usize] {
        &self.states
    }

    /// Sets the answer to an input in a state: once for each.
    pub fn step(&mut self, state: usize, input: Symbol, answer: Answer) {
        let (label, target) = match answer {
            Answer::Ends => return,
            Answer::Ignores { next } => {
                self.reserve(next + 1);
                (Label::Hidden(input), self.states[next])
            }
            Answer::Prints { outputs, next } => {
                self.reserve(next + 1);
                let end = self.states[next];
                (Label::Shown(input), outputs.iter().rev().fold(end, |node, &output| self.before(output, node)))
            }
        };
        self.reserve(state + 1);
        let edges = &mut self.machine.nodes[self.states[state]];
        // A hidden step that changes nothing is nothing.
        if label.is_shown() || target != self.states[state] {
            edges.push((label, target));
        }
    }

    /// The node from which an output leads to another.
    fn before(&mut self, output: Symbol, node: usize) -> usize {
        let nodes = &mut self.machine.nodes;
        *self.between.entry((output, node)).or_insert_with(|| {
            nodes.push(vec![(Label::Shown(output), node)]);
            nodes.len() - 1
        })
    }

    /// All of it.
    pub fn finish(self) -> Machine {
        self.machine
    }
}

impl Machine {
    pub fn is_input(&self, symbol: Symbol) -> bool {
        symbol.index() < self.inputs
    }

    pub fn name(&self, symbol: Symbol) -> &str {
        &self.symbols[symbol.index()]
    }

    /// The number of edges.
    pub fn edges(&self) -> usize {
        self.nodes.iter().map(Vec::len).sum()
    }

    /// The first `nodes` nodes, with the edges among them.
    pub fn beginning(&self, nodes: usize) -> Machine {
        let kept = self.nodes.iter().take(nodes);
        let edges = |edges: &Vec<(Label, usize)>| edges.iter().copied().filter(|&(_, to)| to < nodes).collect();
        Machine { nodes: kept.map(edges).collect(), symbols: self.symbols.clone(), inputs: self.inputs }
    }

    /// The same runs with as few nodes as possible: those from which no run goes on are left out, and those that behave
    /// alike become one.
    pub fn reduced(&self) -> Machine {
        let live = self.live();
        let blocks = bisimilarity(&live.nodes, |label| !label.is_shown());
        let mut nodes = vec![vec![]; blocks.iter().max().map_or(0, |&last| last + 1)];
        for (edges, &block) in live.nodes.iter().zip(&blocks).rev() {
            nodes[block] = edges.iter().map(|&(label, to)| (label, blocks[to])).collect();
            nodes[block].retain(|&(label, to)| label.is_shown() || to != block);
            nodes[block].sort_unstable();
            nodes[block].dedup();
        }
        Machine { nodes, ..live }
    }

    /// The machine whose runs have the inputs that were hidden, reduced. Those of a reduced machine lead to where something else
    /// is done.
    pub fn with_all_shown(self) -> Machine {
        if self.nodes.iter().flatten().all(|(label, _)| label.is_shown()) {
            return self;
        }
        let mut machine = self;
        for (label, _) in machine.nodes.iter_mut().flatten() {
            *label = Label::Shown(label.symbol());
        }
        machine.reduced()
    }

    /// The class of each node; nodes of a class do the same, and end in the same way. Nodes without a run have classes too.
    pub fn classes(&self) -> Vec<usize> {
        bisimilarity(&self.nodes, |label| !label.is_shown())
    }

    /// Only the nodes that are on a run.
    fn live(&self) -> Machine {
        let graph = Graph {
            nodes: self.nodes.len(),
            successors: |node: usize, out: &mut Vec<(usize, Marks)>| {
                out.extend(self.nodes[node].iter().map(|&(label, to)| (to, Marks::from(label.is_shown()))));
            },
        };
        let mut is_live = vec![false; self.nodes.len()];
        // A component comes after those that it leads to.
        for one in graph.components((!self.nodes.is_empty()).then_some(0)) {
            let leads_on = |&node: &usize| self.nodes[node].iter().any(|&(_, to)| is_live[to]);
            if one.has(1) || one.nodes.iter().any(leads_on) {
                one.nodes.iter().for_each(|&node| is_live[node] = true);
            }
        }
        let mut numbers = vec![0; self.nodes.len()];
        let kept: Vec<usize> = (0..self.nodes.len()).filter(|&node| is_live[node]).collect();
        kept.iter().enumerate().for_each(|(number, &node)| numbers[node] = number);
        let edges = |&node: &usize| {
            let live = self.nodes[node].iter().filter(|(_, to)| is_live[*to]);
            live.map(|&(label, to)| (label, numbers[to])).collect()
        };
        // If the first node is not live, nothing else that can be reached is.
        Machine { nodes: kept.iter().map(edges).collect(), symbols: self.symbols.clone(), inputs: self.inputs }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn states_that_behave_alike_become_one_and_dead_ends_go() {
        let mut builder = Builder::new(vec!["iA".into(), "iB".into()]);
        let [a, b] = [Symbol::new(0), Symbol::new(1)];
        let x = builder.output("oX");
        assert_eq!((x, builder.output("oX")), (Symbol::new(2), x));
        // 0 and 1 do the same; 2 ends on everything but an input that is ignored for ever.
        builder.step(0, a, Answer::Prints { outputs: &[x], next: 1 });
        builder.step(1, a, Answer::Prints { outputs: &[x], next: 0 });
        builder.step(0, b, Answer::Prints { outputs: &[x, x], next: 2 });
        builder.step(1, b, Answer::Ends);
        builder.step(2, a, Answer::Ignores { next: 3 });
        builder.step(3, a, Answer::Ignores { next: 2 });
        builder.step(3, b, Answer::Ends);
        let machine = builder.finish();
        assert_eq!(machine.nodes.len(), 8);
        let reduced = machine.reduced();
        assert_eq!(reduced.nodes, [vec![(Label::Shown(a), 1)], vec![(Label::Shown(x), 0)]]);
    }

    #[test]
    fn a_machine_may_have_no_run() {
        let mut builder = Builder::new(vec!["iA".into()]);
        builder.step(0, Symbol::new(0), Answer::Ends);
        assert_eq!(builder.finish().reduced().nodes, Vec::<Vec<(Label, usize)>>::new());
    }
}
