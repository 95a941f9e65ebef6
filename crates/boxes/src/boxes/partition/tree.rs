//! Which part a state belongs to: a tree of variables, each of which is told apart by the cells that guards cut it into.
//!
//! The tree grows as states arrive. At each node the variable is taken that separates the rules best: those of a
//! program with a machine behind it ask for the number of its present state, in one variable or in several one below
//! the other, and no two rules of different states are left together. Tests that repeat this in other variables
//! separate nothing any more, and cells that no rule left tells apart stay together.

use rustc_hash::FxHashMap;

use super::cubes::Cube;
use super::{PartId, State};
use crate::analysis::Values;
use crate::base::id;

id!(/// A node of the tree.
    NodeId);

/// A variable is asked for only if none of its cells leaves more of the rules together than this share, in percent.
const LEFT_TOGETHER: usize = 95;

/// Variables with more cells than this are not told apart.
const MOST_CELLS: usize = 300;

#[derive(Debug)]
enum Kind {
    /// No state has come here.
    New,
    Part(PartId),
    Inner(Inner),
}

/// States are told apart by the cells of a variable.
#[derive(Debug)]
struct Inner {
    position: usize,
    /// By the lowest number of each cell.
    children: FxHashMap<i32, NodeId>,
    /// Cells with the same rules stay together, by the rules, unless a part is divided on purpose.
    alike: Option<FxHashMap<Vec<u32>, NodeId>>,
}

#[derive(Debug)]
struct Node {
    kind: Kind,
    /// The rules that may fire here.
    cubes: Vec<u32>,
    /// The variables that were asked for on the way, as positions in the state.
    asked: Vec<usize>,
}

#[derive(Debug)]
pub struct Tree {
    cubes: Vec<Cube>,
    nodes: Vec<Node>,
}

/// Where a state or a set of states has arrived.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Leaf {
    Part(PartId),
    New(NodeId),
}

impl Tree {
    pub fn new(cubes: Vec<Cube>) -> Tree {
        let all = (0..cubes.len() as u32).collect();
        let root = Node { kind: Kind::New, cubes: all, asked: vec![] };
        Tree { cubes, nodes: vec![root] }
    }

    /// The variables that are told apart above a node.
    pub fn asked(&self, node: NodeId) -> &[usize] {
        &self.nodes[node.index()].asked
    }

    pub fn make_part(&mut self, node: NodeId, part: PartId) {
        self.nodes[node.index()].kind = Kind::Part(part);
    }

    /// A part is told apart by one more variable, cell by cell.
    pub fn split(&mut self, node: NodeId, position: usize) {
        let inner = Inner { position, children: FxHashMap::default(), alike: None };
        self.nodes[node.index()].kind = Kind::Inner(inner);
    }

    /// The part of a single state.
    pub fn locate(&self, state: &State, values: &[i32]) -> Option<PartId> {
        let mut at = NodeId::new(0);
        loop {
            match &self.nodes[at.index()].kind {
                Kind::New => return None,
                Kind::Part(part) => return Some(*part),
                Kind::Inner(inner) => {
                    let cell = state.cell(inner.position, values[inner.position]);
                    at = *inner.children.get(&cell.0)?;
                }
            }
        }
    }

    /// Whether values would come to several parts because of those of a variable for which `matters` says so.
    pub fn scatters(&self, state: &State, values: &[&Values], matters: &dyn Fn(usize) -> bool) -> bool {
        let mut pending = vec![NodeId::new(0)];
        while let Some(at) = pending.pop() {
            let Kind::Inner(inner) = &self.nodes[at.index()].kind else { continue };
            let cells = state.cells_of(inner.position, values[inner.position]);
            let mut children: Vec<Option<NodeId>> = cells.map(|cell| inner.children.get(&cell.0).copied()).collect();
            children.sort_unstable();
            children.dedup();
            if children.len() > 1 && matters(inner.position) {
                return true;
            }
            pending.extend(children.into_iter().flatten());
        }
        false
    }

    /// Takes values down the tree, into all parts that they meet; `arrive` gets the share of each.
    pub fn route(&mut self, state: &State, values: &mut [Values], arrive: &mut dyn FnMut(Leaf, &[Values])) {
        self.route_from(NodeId::new(0), state, values, arrive);
    }

    fn route_from(
        &mut self,
        at: NodeId,
        state: &State,
        values: &mut [Values],
        arrive: &mut dyn FnMut(Leaf, &[Values]),
    ) {
        if matches!(self.nodes[at.index()].kind, Kind::New)
            && let Some(position) = self.choose(at, state)
        {
            let inner = Inner { position, children: FxHashMap::default(), alike: Some(FxHashMap::default()) };
            self.nodes[at.index()].kind = Kind::Inner(inner);
        }
        let position = match &self.nodes[at.index()].kind {
            Kind::New => return arrive(Leaf::New(at), values),
            Kind::Part(part) => return arrive(Leaf::Part(*part), values),
            Kind::Inner(inner) => inner.position,
        };
        let all = values[position].clone();
        let mut arriving: Vec<(NodeId, Values)> = vec![];
        for cell in state.cells_of(position, &all) {
            let child = self.child(at, position, cell);
            let within = all.within(cell.0, cell.1);
            match arriving.iter_mut().find(|(other, _)| *other == child) {
                Some((_, values)) => *values = values.join(&within),
                None => arriving.push((child, within)),
            }
        }
        for (child, within) in arriving {
            values[position] = within;
            self.route_from(child, state, values, arrive);
        }
        values[position] = all;
    }

    fn child(&mut self, at: NodeId, position: usize, cell: (i32, i32)) -> NodeId {
        let node = &self.nodes[at.index()];
        let Kind::Inner(inner) = &node.kind else { unreachable!("only inner nodes have children") };
        if let Some(&child) = inner.children.get(&cell.0) {
            return child;
        }
        let fits = |&&cube: &&u32| {
            let sides = &self.cubes[cube as usize];
            let side = sides.binary_search_by_key(&position, |side| side.0);
            side.is_err() || side.is_ok_and(|side| !sides[side].1.within(cell.0, cell.1).is_empty())
        };
        let cubes: Vec<u32> = node.cubes.iter().filter(fits).copied().collect();
        let asked = node.asked.iter().copied().chain([position]).collect();
        let new = NodeId::new(self.nodes.len());
        let Kind::Inner(inner) = &mut self.nodes[at.index()].kind else { unreachable!("it was one before") };
        let child = inner.alike.as_mut().map_or(new, |alike| *alike.entry(cubes.clone()).or_insert(new));
        inner.children.insert(cell.0, child);
        if child == new {
            self.nodes.push(Node { kind: Kind::New, cubes, asked });
        }
        child
    }

    /// The variable that parts the rules best that may fire at a node, if there is one.
    fn choose(&self, at: NodeId, state: &State) -> Option<usize> {
        let node = &self.nodes[at.index()];
        let total = node.cubes.len();
        let mut sides: FxHashMap<usize, Vec<&Values>> = FxHashMap::default();
        for &cube in &node.cubes {
            for (position, values) in &self.cubes[cube as usize] {
                sides.entry(*position).or_default().push(values);
            }
        }
        let mut best: Option<(f64, usize)> = None;
        for (position, sides) in sides {
            // One that rules leave open leaves them together.
            let free = total - sides.len();
            if node.asked.contains(&position) || free * 100 > total * LEFT_TOGETHER {
                continue;
            }
            let Some(counts) = rules_by_cell(position, &sides, state) else { continue };
            let most = free + counts.iter().copied().max().unwrap_or(0);
            if most * 100 > total * LEFT_TOGETHER {
                continue;
            }
            let (sum, squares) = counts.iter().fold((0.0, 0.0), |(sum, squares), &count| {
                let together = (free + count) as f64;
                (sum + together, squares + together * together)
            });
            // The number of rules that are together with one, on the average, and at most.
            let score = squares / sum + most as f64;
            let is_better = best.is_none_or(|(other, place)| score < other || score == other && position < place);
            if is_better {
                best = Some((score, position));
            }
        }
        best.map(|(_, position)| position)
    }
}

/// Per cell of a variable: how many rules ask for some of it. `None` if there are too many cells.
fn rules_by_cell(position: usize, sides: &[&Values], state: &State) -> Option<Vec<usize>> {
    let mut counts: FxHashMap<i32, usize> = FxHashMap::default();
    for side in sides {
        let mut cells = 0;
        for cell in state.cells_of(position, side) {
            cells += 1;
            if cells > MOST_CELLS {
                return None;
            }
            *counts.entry(cell.0).or_default() += 1;
        }
    }
    Some(counts.into_values().collect())
}
