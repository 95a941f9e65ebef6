//! Strongly connected components of graphs whose edges have marks, by Tarjan's algorithm ("Depth-first search and linear
//! graph algorithms", 1972), without recursion.

use crate::automaton::Marks;

/// A graph over numbered nodes.
pub struct Graph<F> {
    pub nodes: usize,
    /// Adds the edges of a node to a list.
    pub successors: F,
}

/// A component.
pub struct Component {
    pub nodes: Vec<usize>,
    /// Whether an edge stays inside.
    pub is_cyclic: bool,
    /// The marks of all edges that do.
    pub marks: Marks,
}

impl Component {
    pub fn has(&self, marks: Marks) -> bool {
        self.marks & marks == marks
    }
}

const UNSEEN: usize = usize::MAX;
const DONE: usize = usize::MAX - 1;

impl<F: Fn(usize, &mut Vec<(usize, Marks)>)> Graph<F> {
    /// The components that can be reached, each after those that it leads to.
    pub fn components(&self, from: impl IntoIterator<Item = usize>) -> Vec<Component> {
        let mut search = Search {
            graph: self,
            number: vec![UNSEEN; self.nodes],
            low: vec![0; self.nodes],
            entered: 0,
            stack: vec![],
            frames: vec![],
            component: vec![UNSEEN; self.nodes],
            found: vec![],
        };
        from.into_iter().for_each(|root| search.run(root));
        search.mark();
        search.found
    }
}

struct Search<'g, F> {
    graph: &'g Graph<F>,
    /// By node: when it was entered, then [`DONE`].
    number: Vec<usize>,
    /// By node: the least number that it is known to lead back to.
    low: Vec<usize>,
    entered: usize,
    /// Those that were entered and are in no component yet.
    stack: Vec<usize>,
    frames: Vec<Frame>,
    /// By node: its component.
    component: Vec<usize>,
    found: Vec<Component>,
}

/// A node whose edges are being followed.
struct Frame {
    node: usize,
    edges: Vec<(usize, Marks)>,
    next: usize,
}

impl<F: Fn(usize, &mut Vec<(usize, Marks)>)> Search<'_, F> {
    fn run(&mut self, root: usize) {
        if self.number[root] == UNSEEN {
            self.enter(root);
        }
        while let Some(frame) = self.frames.last_mut() {
            let node = frame.node;
            match frame.edges.get(frame.next) {
                Some(&(target, _)) => {
                    frame.next += 1;
                    match self.number[target] {
                        UNSEEN => self.enter(target),
                        DONE => {}
                        earlier => self.low[node] = self.low[node].min(earlier),
                    }
                }
                None => self.leave(node),
            }
        }
    }

    fn enter(&mut self, node: usize) {
        (self.number[node], self.low[node]) = (self.entered, self.entered);
        self.entered += 1;
        self.stack.push(node);
        let mut edges = vec![];
        (self.graph.successors)(node, &mut edges);
        self.frames.push(Frame { node, edges, next: 0 });
    }

    fn leave(&mut self, node: usize) {
        self.frames.pop();
        if let Some(parent) = self.frames.last() {
            self.low[parent.node] = self.low[parent.node].min(self.low[node]);
        }
        if self.low[node] < self.number[node] {
            return;
        }
        let mut nodes = vec![];
        while nodes.last() != Some(&node) {
            let member = self.stack.pop().expect("the node itself is on the stack");
            self.number[member] = DONE;
            self.component[member] = self.found.len();
            nodes.push(member);
        }
        self.found.push(Component { nodes, is_cyclic: false, marks: 0 });
    }

    /// Finds the edges that stay inside.
    fn mark(&mut self) {
        let mut edges = vec![];
        for (index, one) in self.found.iter_mut().enumerate() {
            for &node in &one.nodes {
                edges.clear();
                (self.graph.successors)(node, &mut edges);
                for &(_, marks) in edges.iter().filter(|(target, _)| self.component[*target] == index) {
                    one.is_cyclic = true;
                    one.marks |= marks;
                }
            }
        }
    }
}
