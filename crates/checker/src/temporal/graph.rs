//! What steps of a program do, class by class.

use redoubt_base::Interrupt;
use redoubt_formula::properties::Mapping;
use redoubt_program::program::Program;
use redoubt_program::simulate::Simulator;
use rustc_hash::FxHashMap;

use super::Machine;
use crate::{Judgement, execute};

/// Classes of boxes, and the steps between them: all that the program can do, and perhaps more.
pub struct Graph {
    /// `iA`, `oX` and so on.
    pub symbols: Vec<String>,
    /// The class of the state after the setup.
    pub first: u32,
    /// By class.
    pub steps: Vec<Vec<Edge>>,
}

/// A step to a class.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Edge {
    /// What a run has of it: the input and the outputs, or nothing, if the program calls the input invalid and stays in its
    /// state.
    pub word: Box<[usize]>,
    pub target: u32,
}

impl Graph {
    pub(super) fn new(
        program: &Program,
        machine: &Machine,
        mapping: &Mapping,
        interrupt: &Interrupt,
    ) -> Result<Graph, Judgement> {
        let Machine { invariant, classes } = machine;
        let refuted = |reason: &str| Judgement::Refuted(reason.into());
        if classes.len() != invariant.boxes.len() || classes.is_empty() {
            return Err(refuted("there is not a class for each box"));
        }
        let number = classes.iter().max().map_or(0, |&last| last as usize + 1);
        if number > classes.len() {
            return Err(refuted("there are more classes than boxes"));
        }
        let start = Simulator::new(program);
        let mut graph = Graph { symbols: vec![], first: 0, steps: vec![vec![]; number] };
        if start.end().is_some() {
            return Ok(graph);
        }
        if !start.opening().output.is_empty() {
            return Err(Judgement::Undecided("the program prints before it reads".into()));
        }
        let steps = execute::steps(program, invariant, interrupt)?;
        let first = invariant.boxes.iter().position(|state_box| state_box.holds_in(&start));
        graph.first = classes[first.ok_or_else(|| refuted("the first state is in no box"))?];
        let mut symbols = Symbols { mapping, numbers: FxHashMap::default(), names: vec![] };
        for (from, (steps, &class)) in steps.iter().zip(classes).enumerate() {
            for step in steps {
                let target = classes[step.target];
                let out = &mut graph.steps[class as usize];
                let is_ignored = step.written.output.trim().is_empty() && step.written.complains;
                let is_apart = || invariant.boxes[from].is_apart(&invariant.boxes[step.target]);
                // An invalid input is no part of the run if it leaves the state alone, as far as boxes tell states apart. Where
                // boxes overlap, that cannot be told: then there are runs with it and without it.
                if is_ignored && (step.target == from || !is_apart()) {
                    out.push(Edge { word: [].into(), target });
                }
                if !is_ignored || step.target != from {
                    out.push(Edge { word: symbols.word(step)?, target });
                }
            }
        }
        for steps in &mut graph.steps {
            steps.sort_unstable();
            steps.dedup();
        }
        graph.symbols = symbols.names;
        Ok(graph)
    }
}

struct Symbols<'m> {
    mapping: &'m Mapping,
    numbers: FxHashMap<(char, i32), usize>,
    names: Vec<String>,
}

impl Symbols<'_> {
    /// The input and the outputs of a step.
    fn word(&mut self, step: &execute::Move) -> Result<Box<[usize]>, Judgement> {
        let [input] = step.inputs[..] else {
            return Err(Judgement::Undecided("a step does not read one number".into()));
        };
        let printed: Result<Vec<i32>, _> = step.written.output.split_whitespace().map(str::parse).collect();
        let Ok(printed) = printed else {
            return Err(Judgement::Undecided(format!("a step prints `{}`", step.written.output.trim())));
        };
        let input = self.symbol('i', input);
        Ok(std::iter::once(input).chain(printed.into_iter().map(|number| self.symbol('o', number))).collect())
    }

    fn symbol(&mut self, kind: char, number: i32) -> usize {
        *self.numbers.entry((kind, number)).or_insert_with(|| {
            self.names.push(self.mapping.symbol(kind, number));
            self.names.len() - 1
        })
    }
}
